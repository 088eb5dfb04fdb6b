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

#include <stdlib.h>

#include "pass/facts.h"
#include "pass/list_form.h"
#include "pass/rulegraph.h"

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
    RuleGraph graph;
    uint32_t *uses;      /* by rule: references in final bodies */
    uint8_t *dissolves;  /* by rule */
    VEC(uint8_t) wide;   /* by node: bit 0 contains a wide loop, bit 1 may
                             end in one */
    VEC(NodeId) becomes; /* by node: its rewrite, or UINT32_MAX */
    VEC(NodeId) reach;   /* nodes of the present body */
    VEC(uint32_t) seen;  /* by node: rule + 1 */
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

typedef struct Reach {
    Inline *w;
    uint32_t mark;
} Reach;

static void reach_push(void *user, NodeId id)
{
    Reach *r = user;
    if (r->w->seen.at[id] == r->mark) return;
    r->w->seen.at[id] = r->mark;
    if (!vec_push(r->w->ir->mem, &r->w->reach, id))
        diag_no_memory(&r->w->ir->error);
}

/* Nodes below `body`. */
static void reach_find(Inline *w, NodeId body, uint32_t mark)
{
    Reach r = {w, mark};
    w->reach.count = 0;
    reach_push(&r, body);
    for (uint32_t i = 0; i < w->reach.count && ir_ok(w->ir); i++)
        node_each_kid(w->ir, ir_node(w->ir, w->reach.at[i]), reach_push, &r);
}

static int id_ascending(const void *x, const void *y)
{
    NodeId a = *(const NodeId *)x, b = *(const NodeId *)y;
    return (a > b) - (a < b);
}

/* Operands before users. */
static void reach_sort(Inline *w)
{
    bool is_sorted = true;
    for (uint32_t i = 1; i < w->reach.count && is_sorted; i++)
        is_sorted = w->reach.at[i - 1] < w->reach.at[i];
    if (!is_sorted)
        qsort(w->reach.at, w->reach.count, sizeof(NodeId), id_ascending);
}

/* Rewrites one body; all rules that dissolve into it are final. */
static void inline_body(Inline *w, RuleId rule)
{
    NodeId *body = &w->lowered->body.at[rule];
    if (!inline_update(w)) return;
    reach_find(w, *body, rule + 1);
    reach_sort(w);
    for (uint32_t i = 0; i < w->reach.count && ir_ok(w->ir); i++) {
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
    if (w->graph.is_cyclic.at[rule] || r->flags & RULE_FRAME) return false;
    if (rule == w->ir->root || !inline_update(w)) return false;
    NodeId body = w->lowered->body.at[rule];
    uint32_t size = w->lowered->size.at[body], uses = w->uses[rule];
    if (uses <= 1) return size <= MAX_ONCE;
    if ((w->wide.at[body] & 3) == 1) return false;
    return size <= SMALL || (uint64_t)size * uses <= MAX_COPIED;
}

static void count_use(void *user, NodeId kid)
{
    Inline *w = user;
    Node n = ir_node(w->ir, kid);
    if (n.kind == NODE_RULE && w->uses[n.a] < UINT32_MAX) w->uses[n.a]++;
}

/* References in all bodies as written; an expression that stands twice in one
 * body is counted once. */
static void count_uses(Inline *w)
{
    RuleGraph *g = &w->graph;
    if (!inline_update(w)) return;
    for (uint32_t i = 0; i < g->order.count && ir_ok(w->ir); i++) {
        RuleId user = g->order.at[i];
        reach_find(w, w->lowered->body.at[user], user + 1);
        count_use(w, w->lowered->body.at[user]);
        for (uint32_t k = 0; k < w->reach.count; k++)
            node_each_kid(w->ir, ir_node(w->ir, w->reach.at[k]), count_use, w);
    }
    memset(w->seen.at, 0, w->seen.count * sizeof *w->seen.at);
}

static void inline_all(Inline *w)
{
    RuleGraph *g = &w->graph;
    count_uses(w);
    for (uint32_t i = 0; i < g->order.count && ir_ok(w->ir); i++) {
        RuleId rule = g->order.at[i];
        inline_body(w, rule);
        w->dissolves[rule] = decide(w, rule);
    }
    for (RuleId r = 0; r < g->nrules; r++)
        if (g->knot.at[r] == UINT32_MAX || w->dissolves[r])
            w->lowered->body.at[r] = NODE_NEVER_ID;
}

bool inline_run(Ir *ir, Lowered *lowered)
{
    Inline w = {.ir = ir, .lowered = lowered};
    const Mem *mem = ir->mem;
    size_t n = ir->rules.count;
    if (!rulegraph_build(ir, lowered, false, &w.graph))
        return diag_no_memory(&ir->error);
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
    vec_free(mem, &w.seen);
    rulegraph_free(&w.graph);
    return ir_ok(ir);
}
