/* nonempty.c: every rule loses the empty text.
 *
 * For each node two rewrites, as far as they are needed, computed operands
 * first (operands have lower ids, so one loop in id order does it and nothing
 * recurses; what is needed is found by one the other way):
 *
 *   full(e)    same language as e
 *   rest(e)    the language of e without the empty text
 *
 *   full(r) = r | ""  if r was nullable, else r        rest(r) = r, or NEVER
 *                                              if r had the empty text only
 *   rest(e1 e2 .. en) = rest(e1) full(e2..en) | rest(e2 .. en)  if all nullable
 *   e{lo,hi} with nullable e = rest(e){0,hi};   rest: rest(e){1,hi}
 *
 *   a list has no empty item, and no kind with a tail that may be empty but
 *   is not EMPTY: such a kind becomes two
 *
 * Unproductive nodes become NEVER on the way. Holds after: no REPEAT has a
 * nullable operand, no rule body is nullable.
 * Cost: linear, but quadratic in the length of an all-nullable sequence whose
 * rest is asked for; charged to limits.max_work. Tests: unit/lower_test.c.
 */
#include "pass/nonempty.h"

typedef struct Rewrite {
    Ir *ir;
    const Facts *facts;
    const TokenSets *sets;
    NodeId *full, *rest; /* by old node; NEVER where it is not needed */
    uint8_t *needs;      /* by old node: a set of NEEDS_ */
    uint64_t work;
} Rewrite;

enum { NEEDS_FULL = 1, NEEDS_REST = 2 };

static NodeId automaton(Ir *ir, const Dfa *dfa, const uint8_t *ticks, Node n)
{
    if (n.kind == NODE_REGULAR) return ir_regular(ir, dfa);
    return ir_regular_bounded(ir, dfa, ticks, ir_node_bounded(ir, n)->hi);
}

/* Same language less the empty text: a fresh start state that refuses. */
NodeId regular_nonempty(Ir *ir, Node n)
{
    Dfa d = *ir_node_dfa(ir, n);
    const uint8_t *was = NULL;
    if (n.kind == NODE_BOUNDED) was = ir_node_bounded(ir, n)->ticks;
    if (!d.accepts[0]) return automaton(ir, &d, was, n);
    uint32_t nedges = d.edge_start[d.nstates], first = d.edge_start[1];
    uint32_t *start = arena_array(&ir->arena, uint32_t, d.nstates + 2);
    DfaEdge *edges = arena_array(&ir->arena, DfaEdge, nedges + first + 1);
    uint8_t *accepts = arena_alloc(&ir->arena, d.nstates + 1);
    uint8_t *ticks = arena_alloc(&ir->arena, d.nstates + 1);
    if (!start || !edges || !accepts || !ticks)
        return diag_no_memory(&ir->error), NODE_NEVER_ID;
    start[0] = 0;
    for (uint32_t s = 0; s <= d.nstates; s++)
        start[s + 1] = first + d.edge_start[s];
    memcpy(edges, d.edges, first * sizeof *edges);
    memcpy(edges + first, d.edges, nedges * sizeof *edges);
    for (uint32_t i = 0; i < first + nedges; i++) edges[i].to++;
    accepts[0] = 0;
    memcpy(accepts + 1, d.accepts, d.nstates);
    Dfa rest = {d.nstates + 1, start, edges, accepts};
    ticks[0] = 1;
    if (was) memcpy(ticks + 1, was, d.nstates);
    return automaton(ir, &rest, ticks, n);
}

static bool within_work(Rewrite *w, uint64_t more)
{
    w->work += more;
    if (w->work <= w->ir->limits.max_work) return ir_ok(w->ir);
    return diag_fail(&w->ir->error, WEIR_LIMIT_WORK, 0, 0,
                     "too many optional parts in a row (limit max_work)");
}

/* All operands nullable: the first non-empty one may be any of them. Each copy
 * of an operand counts as COPY, for the memory it takes and for comparing
 * alternatives that are alike for long. */
static NodeId seq_rest(Rewrite *w, Node n)
{
    enum { COPY = 256 };
    Ir *ir = w->ir;
    NodeId tail = NODE_EMPTY_ID, rest = NODE_NEVER_ID;
    NodeId *ways = mem_new(ir->mem, n.b * sizeof *ways);
    if (!ways) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    uint32_t i = n.b;
    while (i && within_work(w, (uint64_t)COPY * (n.b - i))) {
        NodeId kid = ir->kids.at[n.a + --i];
        ways[i] = ir_seq2(ir, w->rest[kid], tail);
        tail = ir_seq2(ir, w->full[kid], tail);
    }
    if (!i) rest = ir_alt(ir, ways, n.b);
    mem_free(ir->mem, ways, n.b * sizeof *ways);
    return rest;
}

static void rewrite_repeat(Rewrite *w, NodeId id, Node n)
{
    Ir *ir = w->ir;
    bool nullable = w->facts->nullable[n.a];
    NodeId kid = nullable ? w->rest[n.a] : w->full[n.a];
    uint32_t lo = nullable ? 0 : n.b;
    w->full[id] = ir_repeat(ir, kid, lo, n.c);
    w->rest[id] = ir_repeat(ir, kid, MAX(lo, 1), n.c);
}

/* An item that may be empty becomes a head that may not; with a tail that may
 * be empty, two kinds, so that tails never are. */
static uint32_t rewrite_kind(Rewrite *w, ListKind k, ListKind *out)
{
    const uint8_t *nullable = w->facts->nullable;
    const uint8_t *productive = w->facts->productive;
    bool head_nullable = nullable[k.head], tail_nullable = nullable[k.tail];
    NodeId head = k.head, tail = k.tail;
    if (!productive[head] || !productive[tail]) return 0;
    k.head = w->full[head];
    k.tail = w->full[tail];
    if (!tail_nullable) {
        out[0] = k;
        return 1;
    }
    k.head = head_nullable ? w->rest[head] : w->full[head];
    k.tail = NODE_EMPTY_ID;
    out[0] = k;
    if (tail == NODE_EMPTY_ID) return 1;
    k.head = w->full[head];
    k.tail = w->rest[tail];
    out[1] = k;
    return 2;
}

static NodeId rewrite_list(Rewrite *w, const ListSpec *list)
{
    Ir *ir = w->ir;
    ListSpec now = *list;
    size_t nbytes = 2 * (size_t)list->nkinds * sizeof(ListKind);
    ListKind *kinds = mem_new(ir->mem, nbytes);
    if (!kinds) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    now.separator = w->full[list->separator];
    now.kinds = kinds;
    now.nkinds = 0;
    for (uint32_t i = 0; i < list->nkinds; i++)
        now.nkinds += rewrite_kind(w, list->kinds[i], kinds + now.nkinds);
    NodeId made = ir_list(ir, &now);
    mem_free(ir->mem, kinds, nbytes);
    return made;
}

/* ---- what is needed ---- */

static void need_kids(Rewrite *w, Node n, uint8_t needs)
{
    for (uint32_t i = 0; i < n.b; i++)
        w->needs[w->ir->kids.at[n.a + i]] |= needs;
}

/* Of what rewrite_kind makes of each. */
static void need_kinds(Rewrite *w, const ListSpec *list)
{
    const uint8_t *nullable = w->facts->nullable;
    w->needs[list->separator] |= NEEDS_FULL;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        NodeId head = list->kinds[i].head, tail = list->kinds[i].tail;
        w->needs[head] |= NEEDS_FULL;
        w->needs[tail] |= NEEDS_FULL;
        if (!nullable[tail]) continue;
        if (nullable[head]) w->needs[head] |= NEEDS_REST;
        w->needs[tail] |= NEEDS_REST;
    }
}

static void need_operands(Rewrite *w, NodeId id)
{
    Node n = ir_node(w->ir, id);
    const uint8_t *nullable = w->facts->nullable;
    if (n.kind == NODE_ALT) need_kids(w, n, w->needs[id]);
    if (n.kind == NODE_LIST) need_kinds(w, ir_node_list(w->ir, n));
    if (n.kind == NODE_REPEAT)
        w->needs[n.a] |= nullable[n.a] ? NEEDS_REST : NEEDS_FULL;
    if (n.kind != NODE_SEQ) return;
    bool is_split = w->needs[id] & NEEDS_REST && nullable[id];
    need_kids(w, n, is_split ? NEEDS_FULL | NEEDS_REST : NEEDS_FULL);
}

static void find_needs(Rewrite *w)
{
    const Ir *ir = w->ir;
    memset(w->needs, 0, w->facts->nnodes);
    for (RuleId r = 0; r < ir->rules.count; r++)
        w->needs[ir->rules.at[r].body] |= NEEDS_REST;
    for (NodeId id = w->facts->nnodes; id-- > 0;)
        if (w->needs[id] && w->facts->productive[id]) need_operands(w, id);
}

/* ---- rewriting ---- */

static void rewrite_alt(Rewrite *w, NodeId id)
{
    if (w->needs[id] & NEEDS_FULL)
        w->full[id] = node_rewrite_kids(w->ir, id, w->full);
    if (w->needs[id] & NEEDS_REST)
        w->rest[id] = node_rewrite_kids(w->ir, id, w->rest);
}

static void rewrite_node(Rewrite *w, NodeId id)
{
    Ir *ir = w->ir;
    Node n = ir->nodes.at[id];
    bool is_split = w->needs[id] & NEEDS_REST && w->facts->nullable[id];
    w->full[id] = w->rest[id] = NODE_NEVER_ID;
    if (!w->needs[id] || !w->facts->productive[id]) return;
    switch (n.kind) {
    case NODE_NEVER:
    case NODE_KINDS:
        break;
    case NODE_LIST:
        w->full[id] = w->rest[id] = rewrite_list(w, ir_node_list(ir, n));
        break;
    case NODE_EMPTY:
        w->full[id] = id;
        break;
    case NODE_RULE:
        if (w->facts->solid[id]) w->rest[id] = id;
        w->full[id] =
            w->facts->nullable[id] ? ir_optional(ir, w->rest[id]) : w->rest[id];
        break;
    case NODE_REGULAR:
    case NODE_BOUNDED:
        w->full[id] = id;
        w->rest[id] = is_split ? regular_nonempty(ir, n) : id;
        break;
    case NODE_BYTES:
    case NODE_CLASS:
        w->full[id] = w->rest[id] = id;
        break;
    case NODE_TOKENS:
        w->full[id] = w->rest[id] = tokens_find(w->sets, id);
        break;
    case NODE_REPEAT:
        rewrite_repeat(w, id, n);
        break;
    case NODE_ALT:
        rewrite_alt(w, id);
        break;
    case NODE_SEQ:
        w->full[id] = node_rewrite_kids(ir, id, w->full);
        w->rest[id] = is_split ? seq_rest(w, n) : w->full[id];
        break;
    }
}

static bool rewrite_all(Rewrite *w, Lowered *lowered)
{
    Ir *ir = w->ir;
    uint32_t nnodes = w->facts->nnodes;
    for (NodeId id = 0; id < nnodes && ir_ok(ir); id++) rewrite_node(w, id);
    for (RuleId r = 0; r < ir->rules.count && ir_ok(ir); r++)
        if (!vec_push(ir->mem, &lowered->body, w->rest[ir->rules.at[r].body]))
            return diag_no_memory(&ir->error);
    return ir_ok(ir);
}

bool nonempty_run(Ir *ir, const Facts *facts, const TokenSets *sets,
                  Lowered *lowered)
{
    size_t n = facts->nnodes;
    size_t nbytes = n * (2 * sizeof(NodeId) + 1);
    NodeId *both = mem_new(ir->mem, nbytes);
    if (!both) return diag_no_memory(&ir->error);
    Rewrite w = {.ir = ir, .facts = facts, .sets = sets, .full = both};
    w.rest = both + n;
    w.needs = (uint8_t *)(both + 2 * n);
    find_needs(&w);
    bool ok = rewrite_all(&w, lowered);
    lowered->is_nullable = facts->nullable[ir->rules.at[ir->root].body];
    mem_free(ir->mem, both, nbytes);
    return ok;
}
