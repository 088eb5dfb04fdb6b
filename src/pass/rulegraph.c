/* rulegraph.c: the call graph of lowered rules and its components.
 *
 * Edges: a walk over each body's expression graph, every node once a rule.
 * Components: Tarjan's algorithm with an explicit stack; components come out
 * used before user, which is the order that inlining wants.
 * Cost: linear in the sizes of the bodies.   Tests: unit/lower_test.c.
 */
#include "pass/rulegraph.h"

#include "pass/facts.h"

static bool node_nullable(const Ir *ir, const uint8_t *is, Node n)
{
    bool all = true, any = false;
    switch (n.kind) {
    case NODE_EMPTY:
        return true;
    case NODE_REPEAT:
        return n.b == 0;
    case NODE_REGULAR:
    case NODE_BOUNDED:
        return ir_node_dfa(ir, n)->accepts[0];
    case NODE_ALT:
    case NODE_SEQ:
        for (uint32_t i = 0; i < n.b; i++) {
            bool one = is[ir->kids.at[n.a + i]];
            all &= one;
            any |= one;
        }
        return n.kind == NODE_SEQ ? all : any;
    default:
        return false;
    }
}

bool nullables_update(const Ir *ir, Nullables *nullables)
{
    if (!vec_reserve(ir->mem, &nullables->is, ir->nodes.count)) return false;
    for (uint32_t i = nullables->is.count; i < ir->nodes.count; i++)
        nullables->is.at[i] =
            node_nullable(ir, nullables->is.at, ir->nodes.at[i]);
    nullables->is.count = ir->nodes.count;
    return true;
}

typedef struct EdgeWalk {
    const Ir *ir;
    RuleGraph *graph;
    VEC(NodeId) todo;
    uint32_t *node_seen; /* by node: last rule + 1 that saw it */
    uint32_t *rule_seen; /* by rule: last rule + 1 that has the edge */
    RuleId rule;
    Nullables nullables; /* empty unless left_only */
    bool left_only, failed;
} EdgeWalk;

static void walk_push(void *user, NodeId id)
{
    EdgeWalk *w = user;
    if (w->node_seen[id] == w->rule + 1) return;
    w->node_seen[id] = w->rule + 1;
    if (!vec_push(w->ir->mem, &w->todo, id)) w->failed = true;
}

static void walk_seq_left(EdgeWalk *w, Node n)
{
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = w->ir->kids.at[n.a + i];
        walk_push(w, kid);
        if (!w->nullables.is.at[kid]) return;
    }
}

static void walk_list_left(EdgeWalk *w, const ListSpec *list)
{
    for (uint32_t i = 0; i < list->nkinds; i++) {
        walk_push(w, list->kinds[i].head);
        if (w->nullables.is.at[list->kinds[i].head])
            walk_push(w, list->kinds[i].tail);
    }
}

static void walk_node(EdgeWalk *w, NodeId id)
{
    Node n = ir_node(w->ir, id);
    if (n.kind == NODE_RULE) {
        if (w->rule_seen[n.a] == w->rule + 1) return;
        w->rule_seen[n.a] = w->rule + 1;
        if (!vec_push(w->ir->mem, &w->graph->edges, n.a)) w->failed = true;
    } else if (n.kind == NODE_SEQ && w->left_only) {
        walk_seq_left(w, n);
    } else if (n.kind == NODE_LIST && w->left_only) {
        walk_list_left(w, ir_node_list(w->ir, n));
    } else {
        node_each_kid(w->ir, n, walk_push, w);
    }
}

static bool find_edges(EdgeWalk *w, const Lowered *lowered)
{
    RuleGraph *g = w->graph;
    for (RuleId r = 0; r < g->nrules; r++) {
        w->rule = r;
        if (!vec_push(g->mem, &g->edge_start, g->edges.count)) return false;
        walk_push(w, lowered->body.at[r]);
        while (w->todo.count && !w->failed)
            walk_node(w, w->todo.at[--w->todo.count]);
        if (w->failed) return false;
    }
    return vec_push(g->mem, &g->edge_start, g->edges.count);
}

static bool build_edges(const Ir *ir, const Lowered *lowered, bool left_only,
                        RuleGraph *g)
{
    size_t nnodes = ir->nodes.count, nrules = g->nrules;
    EdgeWalk w = {.ir = ir, .graph = g, .left_only = left_only};
    w.node_seen = mem_zero(g->mem, nnodes * sizeof(uint32_t));
    w.rule_seen = mem_zero(g->mem, nrules * sizeof(uint32_t));
    bool ok = w.node_seen && w.rule_seen &&
              (!left_only || nullables_update(ir, &w.nullables)) &&
              find_edges(&w, lowered);
    vec_free(g->mem, &w.nullables.is);
    mem_free(g->mem, w.node_seen, nnodes * sizeof(uint32_t));
    mem_free(g->mem, w.rule_seen, nrules * sizeof(uint32_t));
    vec_free(g->mem, &w.todo);
    return ok;
}

/* ---- components ---- */

typedef struct Visit {
    RuleId rule;
    uint32_t edge; /* next edge to follow */
} Visit;

typedef struct Tarjan {
    RuleGraph *g;
    uint32_t *index; /* by rule: visit number, 0 = not yet */
    uint32_t *low;
    uint8_t *on_stack;
    VEC(Visit) path;
    VEC(RuleId) stack;
    uint32_t next, nknots;
} Tarjan;

static bool tarjan_enter(Tarjan *t, RuleId r)
{
    t->index[r] = t->low[r] = ++t->next;
    t->on_stack[r] = 1;
    return vec_push(t->g->mem, &t->stack, r) &&
           vec_push(t->g->mem, &t->path, (Visit){r, t->g->edge_start.at[r]});
}

/* r is the root of its component: everything above it on the stack. */
static bool tarjan_close(Tarjan *t, RuleId r)
{
    RuleId member;
    uint32_t size = 0;
    do {
        member = t->stack.at[--t->stack.count];
        t->on_stack[member] = 0;
        t->g->knot.at[member] = t->nknots;
        if (!vec_push(t->g->mem, &t->g->order, member)) return false;
        size++;
    } while (member != r);
    for (uint32_t i = 0; size > 1 && i < size; i++)
        t->g->is_cyclic.at[t->g->order.at[t->g->order.count - 1 - i]] = 1;
    t->nknots++;
    return true;
}

static bool tarjan_step(Tarjan *t)
{
    Visit *top = &t->path.at[t->path.count - 1];
    RuleId r = top->rule;
    if (top->edge < t->g->edge_start.at[r + 1]) {
        RuleId to = t->g->edges.at[top->edge++];
        if (to == r) t->g->is_cyclic.at[r] = 1;
        if (!t->index[to]) return tarjan_enter(t, to);
        if (t->on_stack[to]) t->low[r] = MIN(t->low[r], t->index[to]);
        return true;
    }
    t->path.count--;
    if (t->path.count) {
        RuleId parent = t->path.at[t->path.count - 1].rule;
        t->low[parent] = MIN(t->low[parent], t->low[r]);
    }
    return t->low[r] != t->index[r] || tarjan_close(t, r);
}

static bool tarjan_run(Tarjan *t, RuleId root)
{
    if (t->index[root]) return true;
    if (!tarjan_enter(t, root)) return false;
    while (t->path.count)
        if (!tarjan_step(t)) return false;
    return true;
}

/* From `root`, or from every rule for RULE_NONE. */
static bool find_knots(RuleGraph *g, RuleId root)
{
    size_t n = g->nrules;
    Tarjan t = {.g = g};
    uint32_t *both = mem_zero(g->mem, 2 * n * sizeof *both);
    t.on_stack = mem_zero(g->mem, n);
    t.index = both;
    t.low = both ? both + n : NULL;
    bool ok = both && t.on_stack && vec_reserve(g->mem, &g->knot, n) &&
              vec_reserve(g->mem, &g->is_cyclic, n);
    if (ok) {
        memset(g->knot.at, 0xFF, n * sizeof *g->knot.at);
        memset(g->is_cyclic.at, 0, n);
        if (root != RULE_NONE) ok = tarjan_run(&t, root);
        for (RuleId r = 0; root == RULE_NONE && ok && r < n; r++)
            ok = tarjan_run(&t, r);
    }
    vec_free(g->mem, &t.path);
    vec_free(g->mem, &t.stack);
    mem_free(g->mem, both, 2 * n * sizeof *both);
    mem_free(g->mem, t.on_stack, n);
    return ok;
}

bool rulegraph_build(const Ir *ir, const Lowered *lowered, bool left_only,
                     RuleGraph *graph)
{
    *graph = (RuleGraph){.mem = ir->mem, .nrules = ir->rules.count};
    if (build_edges(ir, lowered, left_only, graph) &&
        find_knots(graph, left_only ? RULE_NONE : ir->root))
        return true;
    rulegraph_free(graph);
    return false;
}

void rulegraph_free(RuleGraph *graph)
{
    if (!graph->mem) return;
    vec_free(graph->mem, &graph->edge_start);
    vec_free(graph->mem, &graph->edges);
    vec_free(graph->mem, &graph->order);
    vec_free(graph->mem, &graph->knot);
    vec_free(graph->mem, &graph->is_cyclic);
}
