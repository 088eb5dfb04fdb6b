/* graph.c: building class automata, and reading a Dfa as one.
 *
 * In:    states and edges in order; or a Dfa.
 * Out:   a Graph; or a GraphView, edges sorted by class.
 * Method: to read a Dfa, the ranges of a state are grouped by target, each
 *        group is one label, and a label is a list of classes.
 * Cost:  linear, with one sort a state. Every state and edge is charged.
 * Tests: unit/lang_test.c
 */
#include "lang/graph.h"

#include <stdlib.h>

/* Edges that an automaton may have for each state it may have. */
enum { EDGES_PER_STATE = 8 };

void graph_free(Graph *graph)
{
    const Mem *mem = graph->ctx->mem;
    vec_free(mem, &graph->edges);
    vec_free(mem, &graph->state_edges);
    vec_free(mem, &graph->accepts);
}

bool graph_state(Graph *graph, bool accepts)
{
    LangCtx *ctx = graph->ctx;
    if (!lang_room(ctx, (uint64_t)graph->accepts.count + 1) ||
        !lang_charge(ctx, 8))
        return false;
    return (vec_push(ctx->mem, &graph->state_edges, graph->edges.count) &&
            vec_push(ctx->mem, &graph->accepts, accepts)) ||
           lang_no_memory(ctx);
}

bool graph_edge(Graph *graph, uint32_t class, uint32_t to)
{
    LangCtx *ctx = graph->ctx;
    if (!lang_room(ctx, graph->edges.count / EDGES_PER_STATE) ||
        !lang_charge(ctx, 4))
        return false;
    return vec_push(ctx->mem, &graph->edges, (GraphEdge){class, to}) ||
           lang_no_memory(ctx);
}

/* ---- reading ---- */

static int target_order(const void *x, const void *y)
{
    const DfaEdge *a = x, *b = y;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Edges sorted by target, and the same ranges again without their targets. */
static bool list_targets(const DfaEdge *edges, uint32_t count,
                         RuneRange *ranges,
                         bool (*label)(void *user, const RuneRange *ranges,
                                       uint32_t count, uint32_t to),
                         void *user)
{
    for (uint32_t i = 0; i < count; i++)
        ranges[i] = (RuneRange){edges[i].lo, edges[i].hi};
    for (uint32_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && edges[j].to == edges[i].to;) j++;
        if (!label(user, ranges + i, j - i, edges[i].to)) return false;
    }
    return true;
}

bool graph_targets(LangCtx *ctx, const Dfa *dfa, uint32_t state,
                   bool (*label)(void *user, const RuneRange *ranges,
                                 uint32_t count, uint32_t to),
                   void *user)
{
    uint32_t from = dfa->edge_start[state];
    uint32_t count = dfa->edge_start[state + 1] - from;
    if (!count) return lang_ok(ctx);
    if (!lang_charge(ctx, (uint64_t)count * 8)) return false;
    size_t nbytes = count * (sizeof(DfaEdge) + sizeof(RuneRange));
    DfaEdge *edges = mem_new(ctx->mem, nbytes);
    if (!edges) return lang_no_memory(ctx);
    memcpy(edges, dfa->edges + from, count * sizeof *edges);
    qsort(edges, count, sizeof *edges, target_order);
    bool done =
        list_targets(edges, count, (RuneRange *)(edges + count), label, user);
    mem_free(ctx->mem, edges, nbytes);
    return done && lang_ok(ctx);
}

typedef struct ViewLabel {
    GraphView *view;
    Alphabet *alphabet;
} ViewLabel;

static bool view_label(void *user, const RuneRange *ranges, uint32_t count,
                       uint32_t to)
{
    ViewLabel *v = user;
    uint32_t label = alphabet_label(v->alphabet, ranges, count);
    return vec_push(v->alphabet->ctx->mem, &v->view->labels,
                    (GraphEdge){label, to}) ||
           lang_no_memory(v->alphabet->ctx);
}

bool graph_view_open(GraphView *view, const Dfa *dfa, Alphabet *alphabet)
{
    LangCtx *ctx = alphabet->ctx;
    ViewLabel v = {view, alphabet};
    *view = (GraphView){.dfa = dfa};
    for (uint32_t s = 0; s < dfa->nstates; s++)
        if (!vec_push(ctx->mem, &view->state_labels, view->labels.count))
            return lang_no_memory(ctx);
        else if (!graph_targets(ctx, dfa, s, view_label, &v))
            return false;
    return vec_push(ctx->mem, &view->state_labels, view->labels.count) ||
           lang_no_memory(ctx);
}

static int class_order(const void *x, const void *y)
{
    const GraphEdge *a = x, *b = y;
    return (a->class > b->class) - (a->class < b->class);
}

static bool view_state(GraphView *view, const Alphabet *a, uint32_t state)
{
    uint32_t start = view->edges.count;
    if (!vec_push(a->ctx->mem, &view->state_edges, start)) return false;
    for (uint32_t i = view->state_labels.at[state];
         i < view->state_labels.at[state + 1]; i++) {
        GraphEdge l = view->labels.at[i];
        const uint32_t *classes = alphabet_classes(a, l.class);
        for (uint32_t k = 0; k < alphabet_nclasses(a, l.class); k++)
            if (!vec_push(a->ctx->mem, &view->edges,
                          (GraphEdge){classes[k], l.to}))
                return false;
    }
    uint32_t count = view->edges.count - start;
    if (count)
        qsort(view->edges.at + start, count, sizeof(GraphEdge), class_order);
    return true;
}

bool graph_view_close(GraphView *view, const Alphabet *a)
{
    for (uint32_t s = 0; s < view->dfa->nstates; s++) {
        uint32_t before = view->edges.count;
        if (!view_state(view, a, s)) return lang_no_memory(a->ctx);
        if (!lang_charge(a->ctx, (view->edges.count - before) * 4ull + 1))
            return false;
    }
    return vec_push(a->ctx->mem, &view->state_edges, view->edges.count) ||
           lang_no_memory(a->ctx);
}

void graph_view_free(GraphView *view, const Mem *mem)
{
    vec_free(mem, &view->labels);
    vec_free(mem, &view->state_labels);
    vec_free(mem, &view->edges);
    vec_free(mem, &view->state_edges);
}
