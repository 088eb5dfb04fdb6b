/* graph.h: a deterministic automaton under construction, over the classes of
 * an alphabet, and its last step: trim, minimise, number, spell out as a Dfa.
 *
 * States are appended in order: graph_state opens one, graph_edge adds its
 * edges in ascending class order, each class once; an edge may lead to a state
 * that comes later. State 0 is the start. Lifetime: call.
 */
#ifndef WEIR_LANG_GRAPH_H
#define WEIR_LANG_GRAPH_H

#include "lang/alphabet.h"

typedef struct GraphEdge {
    uint32_t class, to;
} GraphEdge;

typedef struct Graph {
    LangCtx *ctx;
    VEC(GraphEdge) edges;
    VEC(uint32_t) state_edges; /* by state: its first edge */
    VEC(uint8_t) accepts;      /* by state */
} Graph;

static inline void graph_init(Graph *graph, LangCtx *ctx)
{
    *graph = (Graph){.ctx = ctx};
}
void graph_free(Graph *graph);
bool graph_state(Graph *graph, bool accepts);
bool graph_edge(Graph *graph, uint32_t class, uint32_t to);
/* The minimal Dfa; the empty language after an error. */
const Dfa *graph_finish(Graph *graph, const Alphabet *alphabet);

/* Edges of an existing Dfa, by state and class; see graph_read. */
typedef struct GraphView {
    const Dfa *dfa;
    VEC(GraphEdge) labels;      /* label, to */
    VEC(uint32_t) state_labels; /* by state, nstates + 1 entries */
    VEC(GraphEdge) edges;       /* class, to; ascending within a state */
    VEC(uint32_t) state_edges;  /* by state, nstates + 1 entries */
} GraphView;

/* Adds the Dfa's labels to the alphabet; when it is closed, graph_view_close
 * fills in the edges. */
bool graph_view_open(GraphView *view, const Dfa *dfa, Alphabet *alphabet);
bool graph_view_close(GraphView *view, const Alphabet *alphabet);
void graph_view_free(GraphView *view, const Mem *mem);

/* Calls label(user, ranges, count, to) for each state that `state` has edges
 * to, with all code points that lead there, in normal form. */
bool graph_targets(LangCtx *ctx, const Dfa *dfa, uint32_t state,
                   bool (*label)(void *user, const RuneRange *ranges,
                                 uint32_t count, uint32_t to),
                   void *user);

#endif
