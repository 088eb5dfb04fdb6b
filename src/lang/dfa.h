/* dfa.h: deterministic automata over code points: the result of every regular
 * construction, and what the grammar IR embeds as one node.
 *
 * State 0 is the start. A state's edges are sorted, disjoint code point
 * ranges; a code point without an edge is refused. Trimmed: every state is
 * reachable and can reach an accepting one, so nstates == 0 is exactly the
 * empty language. Immutable once built. Lifetime: its arena's.
 */
#ifndef WEIR_LANG_DFA_H
#define WEIR_LANG_DFA_H

#include "base/arena.h"

typedef struct DfaEdge {
    uint32_t lo, hi; /* code points, inclusive */
    uint32_t to;
} DfaEdge;

typedef struct Dfa {
    uint32_t nstates;
    const uint32_t *edge_start; /* by state, nstates + 1 entries */
    const DfaEdge *edges;
    const uint8_t *accepts; /* by state, 0 or 1 */
} Dfa;

/* The state's edges and all later ones; NULL where the automaton has none. */
static inline const DfaEdge *dfa_edges(const Dfa *a, uint32_t state)
{
    return a->edges ? a->edges + a->edge_start[state] : NULL;
}

#endif
