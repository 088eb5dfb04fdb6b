/* plain_automaton.c: the states of an automaton as rules.
 *
 *     state(s, n) = [edge] state(t, n + ended(t)) | ... | "" if s accepts
 *
 * n counts the characters ended, where they are bounded; else it is 0. An edge
 * from which no end can be reached within the bound is left out.
 * Cost:  a rule a state and count that some text reaches.
 * Tests: prop/convert_vs_oracle_test.c
 */
#include "convert/ir_plain.h"

#include <stdlib.h>

typedef struct Place {
    uint32_t state, ended;
    RuleId rule;
} Place;

typedef struct Automaton {
    Ir *ir;
    Dfa dfa;
    const BoundedSpec *bound; /* NULL: none */
    VEC(Place) places;
    Map index;
    VEC(DfaEdge) edges; /* of one place */
    VEC(Range) ranges;
    VEC(NodeId) ways;
} Automaton;

static RuleId place_rule(Automaton *a, uint32_t state, uint32_t ended)
{
    Ir *ir = a->ir;
    uint64_t hash = hash_mix(hash_mix(5, state), ended);
    for (MapPos p = map_first(&a->index, hash); p.value != MAP_NONE;
         p = map_next(&a->index, hash, p)) {
        assert(p.value < a->places.count && a->places.at);
        const Place *at = &a->places.at[p.value];
        if (at->state == state && at->ended == ended) return at->rule;
    }
    if (a->places.count >= ir->limits.max_states)
        diag_fail(&ir->error, WEIR_LIMIT_STATES, 0, 0,
                  "found an automaton that needs more than %u rules (limit "
                  "max_states)",
                  ir->limits.max_states);
    RuleId rule = ir_rule_new(ir, SPAN("state"), 0);
    if (ir_ok(ir) &&
        (!vec_push(ir->mem, &a->places, (Place){state, ended, rule}) ||
         !map_add(ir->mem, &a->index, hash, a->places.count - 1)))
        diag_no_memory(&ir->error);
    return rule;
}

/* What may follow at a place: its rule, or just the end. */
static NodeId place_node(Automaton *a, uint32_t state, uint32_t ended)
{
    bool has_edges = a->dfa.edge_start[state] != a->dfa.edge_start[state + 1];
    if (!has_edges && a->dfa.accepts[state]) return NODE_EMPTY_ID;
    RuleId rule = place_rule(a, state, ended);
    return ir_ok(a->ir) ? ir_ref(a->ir, rule) : NODE_NEVER_ID;
}

/* Whether an end can still be reached within the bound. */
static bool is_open(const Automaton *a, uint32_t to, uint64_t ended)
{
    return !a->bound || ended + a->bound->need[to] <= a->bound->hi;
}

/* Edges [first, end) of a->edges lead to one state. */
static void add_way(Automaton *a, Place from, uint32_t first, uint32_t end)
{
    Ir *ir = a->ir;
    uint32_t to = a->edges.at[first].to;
    uint64_t ended = from.ended;
    a->ranges.count = 0;
    if (a->bound) ended += a->bound->ticks[to];
    if (!is_open(a, to, ended)) return;
    for (uint32_t e = first; e < end; e++) {
        Range range = {a->edges.at[e].lo, a->edges.at[e].hi};
        if (!vec_push(ir->mem, &a->ranges, range)) diag_no_memory(&ir->error);
    }
    NodeId one = ir_class(ir, a->ranges.at, a->ranges.count, false);
    NodeId way = ir_seq2(ir, one, place_node(a, to, (uint32_t)ended));
    if (ir_ok(ir) && !vec_push(ir->mem, &a->ways, way))
        diag_no_memory(&ir->error);
}

static int edge_order(const void *left, const void *right)
{
    const DfaEdge *a = left, *b = right;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

/* The state's edges, by target. */
static bool read_edges(Automaton *a, uint32_t state)
{
    uint32_t start = a->dfa.edge_start[state];
    uint32_t count = a->dfa.edge_start[state + 1] - start;
    if (!vec_reserve(a->ir->mem, &a->edges, count))
        return diag_no_memory(&a->ir->error);
    a->edges.count = count;
    if (!count) return true;
    memcpy(a->edges.at, a->dfa.edges + start, count * sizeof *a->edges.at);
    qsort(a->edges.at, count, sizeof *a->edges.at, edge_order);
    return true;
}

static void define_place(Automaton *a, Place from)
{
    Ir *ir = a->ir;
    a->ways.count = 0;
    if (!read_edges(a, from.state)) return;
    for (uint32_t e = 0, end; e < a->edges.count && ir_ok(ir); e = end) {
        end = e + 1;
        while (end < a->edges.count && a->edges.at[end].to == a->edges.at[e].to)
            end++;
        add_way(a, from, e, end);
    }
    if (a->dfa.accepts[from.state] &&
        !vec_push(ir->mem, &a->ways, NODE_EMPTY_ID))
        diag_no_memory(&ir->error);
    if (!ir_ok(ir)) return;
    NodeId body =
        a->ways.count ? ir_alt(ir, a->ways.at, a->ways.count) : NODE_NEVER_ID;
    ir_rule_set(ir, from.rule, body);
}

NodeId plain_automaton(Ir *ir, Node n)
{
    Automaton a = {.ir = ir, .dfa = *ir_node_dfa(ir, n)};
    BoundedSpec bound;
    if (n.kind == NODE_BOUNDED) {
        bound = *ir_node_bounded(ir, n);
        a.bound = &bound;
    }
    NodeId made = NODE_NEVER_ID;
    if (a.dfa.nstates) made = place_node(&a, 0, 0);
    for (uint32_t i = 0; i < a.places.count && ir_ok(ir); i++)
        define_place(&a, a.places.at[i]);
    vec_free(ir->mem, &a.places);
    map_free(ir->mem, &a.index);
    vec_free(ir->mem, &a.edges);
    vec_free(ir->mem, &a.ranges);
    vec_free(ir->mem, &a.ways);
    return made;
}
