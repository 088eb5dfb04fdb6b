/* cut.c: operations that change which states accept or go on: the shortest
 * matches of a language, and its prefixes.
 *
 * In:    a Dfa.   Out: the minimal Dfa of
 *        shortest(L) = the strings of L with no proper prefix in L: accepting
 *                      states lose their edges;
 *        prefixes(L): every state accepts (a trimmed state leads to a string).
 * Cost:  linear, and one minimisation. Tests: unit/lang_test.c
 */
#include "lang/graph.h"

typedef enum Cut { CUT_SHORTEST, CUT_PREFIXES } Cut;

static bool cut_copy(Graph *g, const GraphView *view, Cut cut)
{
    const Dfa *a = view->dfa;
    for (uint32_t s = 0; s < a->nstates; s++) {
        bool accepts = a->accepts[s] || cut == CUT_PREFIXES;
        if (!graph_state(g, accepts)) return false;
        if (accepts && cut == CUT_SHORTEST) continue;
        for (uint32_t e = view->state_edges.at[s];
             e < view->state_edges.at[s + 1]; e++)
            if (!graph_edge(g, view->edges.at[e].class, view->edges.at[e].to))
                return false;
    }
    return true;
}

static const Dfa *cut_run(LangCtx *ctx, const Dfa *a, Cut cut)
{
    Alphabet alphabet;
    Graph graph;
    GraphView view;
    if (!lang_ok(ctx) || !a->nstates) return lang_none();
    alphabet_init(&alphabet, ctx);
    graph_init(&graph, ctx);
    bool done =
        graph_view_open(&view, a, &alphabet) && alphabet_close(&alphabet) &&
        graph_view_close(&view, &alphabet) && cut_copy(&graph, &view, cut);
    const Dfa *out = done ? graph_finish(&graph, &alphabet) : lang_none();
    graph_view_free(&view, ctx->mem);
    graph_free(&graph);
    alphabet_free(&alphabet);
    return out;
}

const Dfa *lang_shortest(LangCtx *ctx, const Dfa *a)
{
    return cut_run(ctx, a, CUT_SHORTEST);
}

const Dfa *lang_prefixes(LangCtx *ctx, const Dfa *a)
{
    return cut_run(ctx, a, CUT_PREFIXES);
}
