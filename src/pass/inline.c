/* inline.c: which rules stay frames of their own, and which dissolve.
 *
 * A call costs a stack entry a time and hides what follows; a larger
 * automaton is deterministic over more of the grammar. So a rule dissolves
 * unless it
 *   - is recursive or marked RULE_FRAME,
 *   - would be copied to a size past MAX_COPIED (MAX_ONCE) in sum, or
 *   - is used twice or more, contains a loop over a wide class, and ends with
 *     something else (a quoted string, a comment): its loop state is the
 *     costly one, and one copy shares what is learnt about it. A loop that
 *     the rule may end in (an identifier) is better dissolved: what follows it
 *     is then seen by the same automaton.
 *
 * Rules are visited used before user, so a body is final when it is copied.
 * Cost: linear in the sizes after copying.   Tests: unit/lower_test.c.
 */
#include "pass/inline.h"

#include "base/sort.h"
#include "pass/facts.h"
#include "pass/list_form.h"

enum {
    SMALL = 32,        /* always copied */
    MAX_COPIED = 4096, /* size times uses of one rule */
    MAX_ONCE = 65536,  /* size of a rule used once */
    WIDE_CLASS = 64,   /* code points */
    WIDE_SIZE = 16     /* what a state over a wide class costs */
};

typedef struct Inline {
    Ir *ir;
    Lowered *lowered;
    const RuleGraph *graph;
    uint32_t *uses;      /* by rule: references in final bodies */
    uint8_t *dissolves;  /* by rule */
    VEC(uint8_t) wide;   /* by node: bit 0 contains a wide loop, bit 1 may
                             end in one */
    VEC(NodeId) becomes; /* by node: its rewrite, or UINT32_MAX */
    VEC(NodeId) reach;   /* nodes of all bodies, one body after the other */
    VEC(uint32_t) start; /* by place in graph.order, and the end: in reach */
    VEC(uint32_t) seen;  /* by node: place in graph.order + 1 */
} Inline;

static uint32_t add_sizes(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t class_width(const Ir *ir, Node n)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < n.b; i++)
        width += ir->ranges.at[n.a + i].hi - ir->ranges.at[n.a + i].lo + 1;
    return width;
}

/* Any class at all inside counts as wide when it has WIDE_CLASS members. */
static uint8_t node_wide(Inline *w, Node n)
{
    const Ir *ir = w->ir;
    uint8_t all = 0, last = 0;
    switch (n.kind) {
    case NODE_CLASS:
        return class_width(ir, n) >= WIDE_CLASS ? 4 : 0;
    case NODE_REPEAT:
        all = w->wide.at[n.a];
        return all & 4 && n.c > 8 ? all | 3 : all;
    case NODE_ALT:
    case NODE_SEQ:
        for (uint32_t i = 0; i < n.b; i++) {
            last = w->wide.at[ir->kids.at[n.a + i]];
            all |= last;
        }
        return n.kind == NODE_ALT ? all : (all & 5) | (last & 2);
    case NODE_REGULAR:
        return 4 | 1;
    default:
        return 0;
    }
}

static uint32_t node_size(Inline *w, Node n)
{
    const Ir *ir = w->ir;
    uint32_t sum = 1;
    switch (n.kind) {
    case NODE_BYTES:
        return n.b;
    case NODE_CLASS:
        return n.b + (class_width(ir, n) >= WIDE_CLASS ? WIDE_SIZE : 0);
    case NODE_REGULAR:
        return add_sizes(ir->dfas.at[n.a].nstates, 4);
    case NODE_REPEAT:
        return w->lowered->size.at[n.a];
    case NODE_ALT:
    case NODE_SEQ:
        for (uint32_t i = 0; i < n.b; i++)
            sum = add_sizes(sum, w->lowered->size.at[ir->kids.at[n.a + i]]);
        return sum;
    default:
        return 1;
    }
}

/* Facts of nodes made since the last call. */
static bool inline_update(Inline *w)
{
    const Mem *mem = w->ir->mem;
    uint32_t n = w->ir->nodes.count, i = w->lowered->size.count;
    if (i == n) return true;
    if (!vec_reserve(mem, &w->lowered->size, n) ||
        !vec_reserve(mem, &w->wide, n) || !vec_reserve(mem, &w->becomes, n) ||
        !vec_reserve(mem, &w->seen, n))
        return diag_no_memory(&w->ir->error);
    for (; i < n; i++) {
        w->lowered->size.at[i] = node_size(w, ir_node(w->ir, i));
        w->wide.at[i] = node_wide(w, ir_node(w->ir, i));
        w->becomes.at[i] = UINT32_MAX;
        w->seen.at[i] = 0;
    }
    w->lowered->size.count = w->wide.count = w->becomes.count = w->seen.count =
        n;
    return true;
}

/* A list in the form that frames want: see list_form.h. */
static NodeId rewrite_list(Inline *w, const ListSpec *list)
{
    Ir *ir = w->ir;
    ListSpec now = *list;
    size_t nbytes = list->nkinds * sizeof(ListKind);
    ListKind *kinds = mem_new(ir->mem, nbytes);
    if (!kinds) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        kinds[i] = list->kinds[i];
        kinds[i].head = w->becomes.at[kinds[i].head];
        kinds[i].tail = w->becomes.at[kinds[i].tail];
    }
    now.separator = w->becomes.at[list->separator];
    now.kinds = kinds;
    NodeId made = list_form(ir, &now, kinds);
    mem_free(ir->mem, kinds, nbytes);
    return made;
}

static NodeId rewrite(Inline *w, NodeId id)
{
    Node n = ir_node(w->ir, id);
    switch (n.kind) {
    case NODE_RULE:
        return w->dissolves[n.a] ? w->lowered->body.at[n.a] : id;
    case NODE_REPEAT:
        return ir_repeat(w->ir, w->becomes.at[n.a], n.b, n.c);
    case NODE_SEQ:
    case NODE_ALT:
        return node_rewrite_kids(w->ir, id, w->becomes.at);
    case NODE_LIST:
        return rewrite_list(w, ir_node_list(w->ir, n));
    default:
        return id;
    }
}

/* Adds an operand to the nodes of body `place`, unless it is there. */
static void reach_add(Inline *w, uint32_t place, NodeId id)
{
    assert(w->seen.at);
    if (w->seen.at[id] == place + 1) return;
    w->seen.at[id] = place + 1;
    if (!vec_push(w->ir->mem, &w->reach, id)) diag_no_memory(&w->ir->error);
}

/* An operand as written: a use, if it refers to a rule. */
static void reach_operand(Inline *w, uint32_t place, NodeId id)
{
    Node n = ir_node(w->ir, id);
    if (n.kind == NODE_RULE && w->uses[n.a] < UINT32_MAX) w->uses[n.a]++;
    reach_add(w, place, id);
}

static void reach_list(Inline *w, uint32_t place, const ListSpec *list)
{
    reach_operand(w, place, list->separator);
    for (uint32_t i = 0; i < list->nkinds; i++) {
        reach_operand(w, place, list->kinds[i].head);
        reach_operand(w, place, list->kinds[i].tail);
    }
}

static void reach_operands(Inline *w, uint32_t place, Node n)
{
    if (n.kind == NODE_REPEAT) reach_operand(w, place, n.a);
    if (n.kind == NODE_LIST) reach_list(w, place, ir_node_list(w->ir, n));
    if (n.kind != NODE_SEQ && n.kind != NODE_ALT) return;
    for (uint32_t i = 0; i < n.b; i++)
        reach_operand(w, place, w->ir->kids.at[n.a + i]);
}

/* Puts the nodes from `start` on, those of body `place`, in the order of their
 * ids: operands before users. A body's ids are mostly neighbours. */
static void reach_sort(Inline *w, uint32_t place, uint32_t start)
{
    enum { SPARSE = 8 };
    assert(w->reach.at);
    NodeId *at = w->reach.at + start;
    uint32_t count = w->reach.count - start;
    NodeId lo = UINT32_MAX, hi = 0;
    for (uint32_t i = 0; i < count; i++) {
        lo = MIN(lo, at[i]);
        hi = MAX(hi, at[i]);
    }
    if ((hi - lo) / SPARSE > count) {
        sort_numbers(at, count);
        return;
    }
    for (NodeId id = lo; count && id <= hi; id++)
        if (w->seen.at[id] == place + 1) *at++ = id;
}

/* Finds the nodes of all bodies, and counts the references in them as written;
 * an expression that stands twice in one body is counted once. */
static bool reach_all(Inline *w)
{
    const RuleGraph *g = w->graph;
    const Mem *mem = w->ir->mem;
    bool ok =
        inline_update(w) && vec_reserve(mem, &w->start, g->order.count + 1);
    for (uint32_t k = 0; ok && k < g->order.count && ir_ok(w->ir); k++) {
        assert(w->start.at);
        uint32_t start = w->start.at[k] = w->reach.count;
        NodeId body = w->lowered->body.at[g->order.at[k]];
        reach_operand(w, k, body);
        for (uint32_t i = start; i < w->reach.count && ir_ok(w->ir); i++)
            reach_operands(w, k, ir_node(w->ir, w->reach.at[i]));
        if (ir_ok(w->ir)) reach_sort(w, k, start);
    }
    assert(!ok || w->start.at);
    if (ok) w->start.at[g->order.count] = w->reach.count;
    if (!ok) diag_no_memory(&w->ir->error);
    return ok;
}

/* Rewrites one body; all rules that dissolve into it are final. */
static void inline_body(Inline *w, uint32_t place)
{
    NodeId *body = &w->lowered->body.at[w->graph->order.at[place]];
    if (!inline_update(w)) return;
    assert(w->start.at);
    uint32_t end = w->start.at[place + 1];
    for (uint32_t i = w->start.at[place]; i < end && ir_ok(w->ir); i++) {
        NodeId id = w->reach.at[i];
        if (w->becomes.at[id] == UINT32_MAX) {
            NodeId made = rewrite(w, id);
            w->becomes.at[id] = made;
        }
    }
    if (ir_ok(w->ir)) *body = w->becomes.at[*body];
}

static bool decide(Inline *w, RuleId rule)
{
    const Rule *r = &w->ir->rules.at[rule];
    if (w->graph->is_cyclic.at[rule] || r->flags & RULE_FRAME) return false;
    if (rule == w->ir->root || !inline_update(w)) return false;
    NodeId body = w->lowered->body.at[rule];
    uint32_t size = w->lowered->size.at[body], uses = w->uses[rule];
    if (uses <= 1) return size <= MAX_ONCE;
    if ((w->wide.at[body] & 3) == 1) return false;
    return size <= SMALL || (uint64_t)size * uses <= MAX_COPIED;
}

static void inline_all(Inline *w)
{
    const RuleGraph *g = w->graph;
    if (!reach_all(w)) return;
    for (uint32_t i = 0; i < g->order.count && ir_ok(w->ir); i++) {
        RuleId rule = g->order.at[i];
        inline_body(w, i);
        w->dissolves[rule] = decide(w, rule);
    }
    for (RuleId r = 0; r < g->nrules; r++)
        if (g->knot.at[r] == UINT32_MAX || w->dissolves[r])
            w->lowered->body.at[r] = NODE_NEVER_ID;
}

bool inline_run(Ir *ir, Lowered *lowered, const RuleGraph *graph)
{
    Inline w = {.ir = ir, .lowered = lowered, .graph = graph};
    const Mem *mem = ir->mem;
    size_t n = ir->rules.count;
    w.uses = mem_zero(mem, n * sizeof *w.uses);
    w.dissolves = mem_zero(mem, n);
    if (w.uses && w.dissolves)
        inline_all(&w);
    else
        diag_no_memory(&ir->error);
    inline_update(&w); /* sizes of the last nodes, for the network */
    mem_free(mem, w.uses, n * sizeof *w.uses);
    mem_free(mem, w.dissolves, n);
    vec_free(mem, &w.wide);
    vec_free(mem, &w.becomes);
    vec_free(mem, &w.reach);
    vec_free(mem, &w.start);
    vec_free(mem, &w.seen);
    return ir_ok(ir);
}
