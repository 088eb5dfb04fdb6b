/* lark_state.c: the body of a rule as the places that reading can be at.
 *
 * In:    the nodes of a rule. Out: rules, one a place:
 *
 *            place(P) = atom1 place(Q) | atom2 (place(R) | "") | ...
 *
 * Method: the body becomes a small automaton over its atoms (lexemes, tokens,
 * calls), which is made deterministic by subset construction (Rabin and Scott):
 * a place is a set of its states. So at each place it is known which lexemes
 * that end early may begin there, and these are the rivals of all atoms that
 * begin there; those of the place behind an atom come after it. The first place
 * has the rivals that the rule's users give it, until something was read.
 * An atom here is never empty: what may be is skipped by an edge of its own.
 * Cost:  exponential in the body at worst; states are charged to max_states,
 *        and all steps to max_work.
 * Tests: unit/lark_recorded_test.c
 */
#include <stdlib.h>

#include "base/sort.h"
#include "syntax/lark_emit.h"

typedef struct Edge {
    uint32_t from, to;
    uint32_t atom; /* index in atoms; LARK_NONE: none, an empty edge */
} Edge;

typedef struct Atom {
    LarkId node; /* its node; equal atoms are one */
    Span rest;   /* of a STOP: what follows it at once */
    bool is_stopped;
    bool is_blanks; /* those behind an empty lexeme */
    LarkSet first;
} Atom;

typedef struct Task {
    LarkId node;
    uint32_t from, to;
} Task;

typedef struct Place {
    uint32_t first, count; /* states, in place_states, ascending */
    bool is_final;
    LarkSet rivals;
    RuleId rule; /* what follows, not empty; RULE_NONE: not asked for yet */
} Place;

typedef struct States {
    LarkEmit *e;
    Ir *ir;
    const LarkSymbol *symbol;
    uint64_t value;
    LarkInstance how;
    uint32_t nstates; /* 0: the start, 1: the end */
    VEC(Edge) edges;  /* sorted by from, once built */
    VEC(uint32_t) edge_start;
    VEC(Atom) atoms;
    VEC(Task) tasks;
    VEC(Place) places;
    VEC(uint32_t) place_states;
    Map place_index;
    VEC(uint32_t) set; /* states of a place in the making */
    VEC(uint8_t) in_set;
    VEC(uint32_t) moves; /* atoms that leave a place */
    VEC(uint32_t) asked; /* places that have a rule */
    VEC(NodeId) ways;
} States;

static bool no_memory(States *s)
{
    return emit_no_memory(s->e);
}

static bool charge(States *s, uint64_t steps)
{
    return lang_charge(&s->e->k->lang.lang, steps);
}

/* ---- the automaton ---- */

static uint32_t new_state(States *s)
{
    if (s->nstates >= s->ir->limits.max_states)
        diag_fail(&s->ir->error, WEIR_LIMIT_STATES, s->symbol->begin,
                  s->symbol->end,
                  "rule with more than %u places (limit max_states)",
                  s->ir->limits.max_states);
    return s->nstates++;
}

static void add_edge(States *s, uint32_t from, uint32_t to, uint32_t atom)
{
    if (!vec_push(s->ir->mem, &s->edges, (Edge){from, to, atom})) no_memory(s);
}

static void add_task(States *s, LarkId node, uint32_t from, uint32_t to)
{
    if (!vec_push(s->ir->mem, &s->tasks, (Task){node, from, to})) no_memory(s);
}

static bool same_atom(const States *s, const Atom *a, const Atom *b)
{
    const LarkNode *x = emit_node(s->e, a->node), *y = emit_node(s->e, b->node);
    if (a->is_blanks || b->is_blanks) return a->is_blanks == b->is_blanks;
    if (a->is_stopped != b->is_stopped || !span_equal(a->rest, b->rest))
        return false;
    if (x->kind != y->kind || x->a != y->a) return false;
    return x->kind != LARK_NAME ||
           lark_param_value(s->e->k, x->b, s->value) ==
               lark_param_value(s->e->k, y->b, s->value);
}

static uint32_t add_atom(States *s, Atom atom)
{
    uint32_t i = 0;
    while (i < s->atoms.count && !same_atom(s, &s->atoms.at[i], &atom)) i++;
    if (!charge(s, i)) return 0;
    if (i == s->atoms.count && !vec_push(s->ir->mem, &s->atoms, atom))
        no_memory(s);
    return i;
}

static bool is_nullable(const States *s, LarkId node)
{
    return s->e->nullable.at[node - s->symbol->first];
}

static LarkSet first_of(const States *s, LarkId node)
{
    return s->e->first.at[node - s->symbol->first];
}

static bool is_lexeme(const States *s, const LarkNode *n)
{
    return n->kind == LARK_LEXEME ||
           (n->kind == LARK_NAME && emit_symbol(s->e, n->a)->is_lexeme);
}

static void expand_atom(States *s, Task t)
{
    Atom atom = {.node = t.node, .first = first_of(s, t.node)};
    Atom blanks = {.node = t.node, .is_blanks = true};
    add_edge(s, t.from, t.to, add_atom(s, atom));
    if (!is_nullable(s, t.node)) return;
    add_edge(s, t.from, t.to, LARK_NONE);
    if (s->e->blanks != NODE_EMPTY_ID && is_lexeme(s, emit_node(s->e, t.node)))
        add_edge(s, t.from, t.to, add_atom(s, blanks));
}

static void expand_sequence(States *s, Task t, const LarkNode *n)
{
    const LarkId *kids = vec_from(&s->e->k->kids, n->a);
    uint32_t from = t.from;
    for (uint32_t i = 0; i < n->b && ir_ok(s->ir); i++) {
        Atom atom = {.node = kids[i], .is_stopped = true};
        bool is_pair =
            i + 1 < n->b && emit_rest(s->e, kids[i], kids[i + 1], &atom.rest);
        uint32_t last = i + is_pair;
        uint32_t to = last + 1 == n->b ? t.to : new_state(s);
        if (is_pair) {
            atom.first = first_of(s, kids[i]);
            add_edge(s, from, to, add_atom(s, atom));
        } else {
            add_task(s, kids[i], from, to);
        }
        from = to;
        i = last;
    }
}

/* lo copies in a row, then a loop, or copies that may be left out. */
static void expand_repeat(States *s, Task t, const LarkNode *n)
{
    uint32_t from = t.from;
    bool is_endless = n->c == REPEAT_INF;
    for (uint32_t i = 0; i < n->b && ir_ok(s->ir); i++) {
        uint32_t to = new_state(s);
        add_task(s, n->a, from, to);
        from = to;
    }
    if (is_endless) {
        uint32_t loop = new_state(s);
        add_edge(s, from, loop, LARK_NONE);
        add_task(s, n->a, loop, loop);
        from = loop;
    }
    for (uint32_t i = n->b; !is_endless && i < n->c && ir_ok(s->ir); i++) {
        uint32_t to = new_state(s);
        add_edge(s, from, t.to, LARK_NONE);
        add_task(s, n->a, from, to);
        from = to;
    }
    add_edge(s, from, t.to, LARK_NONE);
}

static void expand(States *s, Task t)
{
    const LarkNode *n = emit_node(s->e, t.node);
    switch (n->kind) {
    case LARK_EMPTY:
        add_edge(s, t.from, t.to, LARK_NONE);
        return;
    case LARK_SEQ:
        expand_sequence(s, t, n);
        return;
    case LARK_ALT:
        for (uint32_t i = 0; i < n->b; i++)
            add_task(s, s->e->k->kids.at[n->a + i], t.from, t.to);
        return;
    case LARK_REPEAT:
        expand_repeat(s, t, n);
        return;
    case LARK_GUARDED:
        if (lark_param_holds(s->e->k, n->b, s->value))
            add_task(s, n->a, t.from, t.to);
        return;
    default:
        expand_atom(s, t);
    }
}

static int edge_order(const void *x, const void *y)
{
    uint32_t a = ((const Edge *)x)->from, b = ((const Edge *)y)->from;
    return (a > b) - (a < b);
}

static bool build(States *s)
{
    s->nstates = 2;
    add_task(s, s->symbol->body, 0, 1);
    while (s->tasks.count && ir_ok(s->ir)) {
        Task t = s->tasks.at[--s->tasks.count];
        if (charge(s, 1)) expand(s, t);
    }
    if (!ir_ok(s->ir)) return false;
    if (!vec_reserve(s->ir->mem, &s->edge_start, (size_t)s->nstates + 1) ||
        !vec_reserve(s->ir->mem, &s->in_set, s->nstates))
        return no_memory(s);
    if (s->edges.count)
        qsort(s->edges.at, s->edges.count, sizeof(Edge), edge_order);
    for (uint32_t q = 0, i = 0; q <= s->nstates; q++) {
        while (i < s->edges.count && s->edges.at[i].from < q) i++;
        s->edge_start.at[q] = i;
    }
    memset(s->in_set.at, 0, s->nstates);
    return true;
}

/* ---- places ---- */

static void add_state(States *s, uint32_t state)
{
    assert(s->in_set.at);
    if (s->in_set.at[state]) return;
    s->in_set.at[state] = 1;
    if (!vec_push(s->ir->mem, &s->set, state)) no_memory(s);
}

/* Adds what empty edges lead to; the set is sorted then. */
static void close_set(States *s)
{
    for (uint32_t i = 0; i < s->set.count && ir_ok(s->ir); i++) {
        uint32_t q = s->set.at[i];
        for (uint32_t e = s->edge_start.at[q]; e < s->edge_start.at[q + 1]; e++)
            if (s->edges.at[e].atom == LARK_NONE)
                add_state(s, s->edges.at[e].to);
    }
    if (!charge(s, s->set.count)) return;
    for (uint32_t i = 0; i < s->set.count; i++) s->in_set.at[s->set.at[i]] = 0;
    sort_numbers(s->set.at, s->set.count);
}

/* What may begin at the place of the set, by itself. */
static LarkSet set_rivals(States *s, bool is_final)
{
    LarkSet all = is_final ? s->how.after : 0;
    for (uint32_t i = 0; i < s->set.count; i++) {
        uint32_t q = s->set.at[i];
        for (uint32_t e = s->edge_start.at[q]; e < s->edge_start.at[q + 1]; e++)
            if (s->edges.at[e].atom != LARK_NONE)
                all = emit_union(s->e, all,
                                 s->atoms.at[s->edges.at[e].atom].first);
    }
    return all;
}

static bool same_place(const States *s, const Place *p, LarkSet rivals)
{
    assert(p);
    return p->rivals == rivals && p->count == s->set.count &&
           !memcmp(s->place_states.at + p->first, s->set.at,
                   s->set.count * sizeof(uint32_t));
}

/* The place of the set. is_start: with the rivals that users give. */
static uint32_t find_place(States *s, bool is_start)
{
    const Mem *mem = s->ir->mem;
    size_t nbytes = s->set.count * sizeof(uint32_t);
    Place p = {.first = s->place_states.count,
               .count = s->set.count,
               .rule = RULE_NONE};
    for (uint32_t i = 0; i < s->set.count; i++) p.is_final |= s->set.at[i] == 1;
    p.rivals = is_start ? s->how.rivals : set_rivals(s, p.is_final);
    uint64_t h = hash_mix(hash_bytes(15, s->set.at, nbytes), p.rivals);
    for (MapPos m = map_first(&s->place_index, h); m.value != MAP_NONE;
         m = map_next(&s->place_index, h, m))
        if (same_place(s, &s->places.at[m.value], p.rivals)) return m.value;
    if (!ir_ok(s->ir)) return 0;
    if (s->places.count >= s->ir->limits.max_states)
        diag_fail(&s->ir->error, WEIR_LIMIT_STATES, s->symbol->begin,
                  s->symbol->end,
                  "rule with more than %u places (limit max_states)",
                  s->ir->limits.max_states);
    if (!vec_reserve(mem, &s->place_states, (size_t)p.first + p.count) ||
        !vec_push(mem, &s->places, p) ||
        !map_add(mem, &s->place_index, h, s->places.count - 1)) {
        no_memory(s);
        return 0;
    }
    memcpy(s->place_states.at + p.first, s->set.at, nbytes);
    s->place_states.count += p.count;
    return s->places.count - 1;
}

/* Where an atom leads from a place. */
static uint32_t place_after(States *s, uint32_t place, uint32_t atom)
{
    Place p = s->places.at[place];
    s->set.count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t q = s->place_states.at[p.first + i];
        for (uint32_t e = s->edge_start.at[q]; e < s->edge_start.at[q + 1]; e++)
            if (s->edges.at[e].atom == atom) add_state(s, s->edges.at[e].to);
    }
    close_set(s);
    return find_place(s, false);
}

/* The atoms that leave a place, each once, in order. */
static void find_moves(States *s, Place p)
{
    s->moves.count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t q = s->place_states.at[p.first + i];
        for (uint32_t e = s->edge_start.at[q]; e < s->edge_start.at[q + 1]; e++)
            if (s->edges.at[e].atom != LARK_NONE &&
                !vec_push(s->ir->mem, &s->moves, s->edges.at[e].atom))
                no_memory(s);
    }
    if (!s->moves.count) return;
    sort_numbers(s->moves.at, s->moves.count);
    uint32_t n = 1;
    for (uint32_t i = 1; i < s->moves.count; i++)
        if (s->moves.at[i] != s->moves.at[n - 1])
            s->moves.at[n++] = s->moves.at[i];
    s->moves.count = n;
}

static bool has_moves(const States *s, Place p)
{
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t q = s->place_states.at[p.first + i];
        for (uint32_t e = s->edge_start.at[q]; e < s->edge_start.at[q + 1]; e++)
            if (s->edges.at[e].atom != LARK_NONE) return true;
    }
    return false;
}

/* ---- rules ---- */

/* The rule of what follows a place, which has moves. */
static NodeId place_node(States *s, uint32_t place)
{
    Place *p = &s->places.at[place];
    if (p->rule == RULE_NONE) {
        p->rule = ir_rule_new(s->ir, lark_symbol_name(s->e->k, s->symbol), 0);
        if (!ir_ok(s->ir)) return NODE_NEVER_ID;
        s->ir->rules.at[p->rule].begin = s->symbol->begin;
        s->ir->rules.at[p->rule].end = s->symbol->end;
        if (!vec_push(s->ir->mem, &s->asked, place)) no_memory(s);
    }
    return ir_ref(s->ir, p->rule);
}

static NodeId atom_node(States *s, const Atom *a, LarkUse use)
{
    LarkEmit *e = s->e;
    const LarkNode *n = emit_node(e, a->node);
    if (a->is_blanks) return e->blanks;
    if (!a->is_stopped) return emit_atom(e, n, use, s->value);
    LarkUse bare = {use.flags | INSTANCE_BARE, use.rivals, 0};
    NodeId text = a->rest.size ? ir_bytes(e->ir, a->rest) : NODE_EMPTY_ID;
    NodeId node = ir_seq2(e->ir, emit_atom(e, n, bare, s->value), text);
    return emit_with_blanks(e, node, use.flags);
}

static void push_way(States *s, NodeId way)
{
    if (!vec_push(s->ir->mem, &s->ways, way)) no_memory(s);
}

/* What an atom and all behind it may be, from a place on. */
static void add_way(States *s, uint32_t place, uint32_t atom)
{
    uint32_t to = place_after(s, place, atom);
    if (!ir_ok(s->ir)) return;
    const Atom a = s->atoms.at[atom];
    Place target = s->places.at[to];
    LarkUse use = {INSTANCE_FULL, s->places.at[place].rivals, target.rivals};
    bool goes_on = has_moves(s, target);
    bool is_bare = s->how.flags & INSTANCE_BARE;
    if (goes_on) {
        NodeId rest = place_node(s, to);
        if (target.is_final && !is_bare) rest = ir_optional(s->ir, rest);
        push_way(s, ir_seq2(s->ir, atom_node(s, &a, use), rest));
    }
    if (!target.is_final || (goes_on && !is_bare)) return;
    use.flags |= is_bare ? INSTANCE_BARE : 0;
    push_way(s, atom_node(s, &a, use));
}

static NodeId place_body(States *s, uint32_t place)
{
    assert(place < s->places.count && s->places.at);
    find_moves(s, s->places.at[place]);
    s->ways.count = 0;
    for (uint32_t i = 0; i < s->moves.count && ir_ok(s->ir); i++)
        add_way(s, place, s->moves.at[i]);
    return ir_ok(s->ir) ? ir_alt(s->ir, s->ways.at, s->ways.count)
                        : NODE_NEVER_ID;
}

/* Places that others name wait in s->asked. */
static NodeId emit_places(States *s)
{
    add_state(s, 0);
    close_set(s);
    uint32_t start = find_place(s, true);
    if (!ir_ok(s->ir)) return NODE_NEVER_ID;
    NodeId body = place_body(s, start);
    for (uint32_t i = 0; i < s->asked.count && ir_ok(s->ir); i++) {
        uint32_t place = s->asked.at[i];
        NodeId node = place_body(s, place);
        if (ir_ok(s->ir)) ir_rule_set(s->ir, s->places.at[place].rule, node);
    }
    bool may_be_empty =
        s->places.at[start].is_final && !(s->how.flags & INSTANCE_FULL);
    return may_be_empty && ir_ok(s->ir) ? ir_optional(s->ir, body) : body;
}

NodeId emit_states(LarkEmit *e, const LarkInstance *how)
{
    LarkCall call = e->calls.at[how->of];
    States s = {.e = e,
                .ir = e->ir,
                .symbol = emit_symbol(e, call.symbol),
                .value = call.value,
                .how = *how};
    NodeId body = build(&s) ? emit_places(&s) : NODE_NEVER_ID;
    const Mem *mem = e->ir->mem;
    vec_free(mem, &s.edges);
    vec_free(mem, &s.edge_start);
    vec_free(mem, &s.atoms);
    vec_free(mem, &s.tasks);
    vec_free(mem, &s.places);
    vec_free(mem, &s.place_states);
    map_free(mem, &s.place_index);
    vec_free(mem, &s.set);
    vec_free(mem, &s.in_set);
    vec_free(mem, &s.moves);
    vec_free(mem, &s.asked);
    vec_free(mem, &s.ways);
    return body;
}
