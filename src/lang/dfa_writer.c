/* dfa_writer.c: writing Dfas down state by state.
 *
 * In:    states and edges in order.   Out: a Dfa in the context's arena.
 * Holds: finished as they are, states are numbered breadth first (asserted);
 *        that they are minimal is the writer's claim, which its tests check by
 *        comparison with dfa_writer_minimize.
 * Cost:  a copy; or one minimisation. Every state and edge is charged.
 * Tests: unit/json_text_test.c, unit/number_test.c
 */
#include "lang/dfa_writer.h"

#include "lang/graph.h"

void dfa_writer_init(DfaWriter *w, LangCtx *ctx)
{
    *w = (DfaWriter){.ctx = ctx};
}

void dfa_writer_free(DfaWriter *w)
{
    const Mem *mem = w->ctx->mem;
    vec_free(mem, &w->edges);
    vec_free(mem, &w->edge_start);
    vec_free(mem, &w->accepts);
}

bool dfa_writer_state(DfaWriter *w, bool accepts)
{
    LangCtx *ctx = w->ctx;
    if (!lang_room(ctx, (uint64_t)w->accepts.count + 1) || !lang_charge(ctx, 4))
        return false;
    return (vec_push(ctx->mem, &w->edge_start, w->edges.count) &&
            vec_push(ctx->mem, &w->accepts, accepts)) ||
           lang_no_memory(ctx);
}

bool dfa_writer_edge(DfaWriter *w, uint32_t lo, uint32_t hi, uint32_t to)
{
    if (!lang_charge(w->ctx, 2)) return false;
    assert(w->accepts.count && lo <= hi);
    if (w->edges.count > w->edge_start.at[w->accepts.count - 1]) {
        DfaEdge *last = &w->edges.at[w->edges.count - 1];
        assert(last->hi < lo);
        if (last->to == to && last->hi + 1 == lo) return last->hi = hi, true;
    }
    return vec_push(w->ctx->mem, &w->edges, (DfaEdge){lo, hi, to}) ||
           lang_no_memory(w->ctx);
}

#ifndef NDEBUG
/* Whether the edges in order name each state but 0 for the first time in the
 * order of their numbers. */
static bool is_breadth_first(const Dfa *a)
{
    uint32_t next = 1;
    for (uint32_t s = 0; s < a->nstates; s++) {
        if (s >= next) return false;
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++)
            if (a->edges[e].to > next)
                return false;
            else if (a->edges[e].to == next)
                next++;
    }
    return next == a->nstates;
}
#endif

/* The arrays as a Dfa that is neither copied nor, perhaps, minimal. */
static bool close_states(DfaWriter *w, Dfa *dfa)
{
    *dfa = (Dfa){0};
    if (!lang_ok(w->ctx)) return false;
    if (!vec_push(w->ctx->mem, &w->edge_start, w->edges.count))
        return lang_no_memory(w->ctx);
    *dfa =
        (Dfa){w->accepts.count, w->edge_start.at, w->edges.at, w->accepts.at};
    return true;
}

const Dfa *dfa_writer_finish(DfaWriter *w)
{
    LangCtx *ctx = w->ctx;
    Dfa dfa;
    if (!w->accepts.count || !close_states(w, &dfa)) return lang_none();
    assert(is_breadth_first(&dfa));
    dfa.edge_start = arena_copy(ctx->arena, w->edge_start.at,
                                w->edge_start.count * sizeof(uint32_t));
    dfa.edges =
        arena_copy(ctx->arena, w->edges.at, w->edges.count * sizeof(DfaEdge));
    dfa.accepts = arena_copy(ctx->arena, w->accepts.at, w->accepts.count);
    const Dfa *out = arena_copy(ctx->arena, &dfa, sizeof dfa);
    if (ctx->arena->failed) return lang_no_memory(ctx), lang_none();
    return out;
}

/* The view's states and edges once more. */
static bool copy_states(Graph *g, const GraphView *view)
{
    for (uint32_t s = 0; s < view->dfa->nstates; s++) {
        if (!graph_state(g, view->dfa->accepts[s])) return false;
        for (uint32_t e = view->state_edges.at[s];
             e < view->state_edges.at[s + 1]; e++)
            if (!graph_edge(g, view->edges.at[e].class, view->edges.at[e].to))
                return false;
    }
    return true;
}

const Dfa *dfa_writer_minimize(DfaWriter *w)
{
    LangCtx *ctx = w->ctx;
    Alphabet alphabet;
    Graph graph;
    GraphView view;
    Dfa dfa;
    if (!w->accepts.count || !close_states(w, &dfa)) return lang_none();
    alphabet_init(&alphabet, ctx);
    graph_init(&graph, ctx);
    bool done =
        graph_view_open(&view, &dfa, &alphabet) && alphabet_close(&alphabet) &&
        graph_view_close(&view, &alphabet) && copy_states(&graph, &view);
    const Dfa *out = done ? graph_finish(&graph, &alphabet) : lang_none();
    graph_view_free(&view, ctx->mem);
    graph_free(&graph);
    alphabet_free(&alphabet);
    return out;
}
