/* closed.h: states whose edges are all known, each language once.
 *
 * For constructions that know where an edge leads before they make the state
 * it comes from: a state that equals an earlier one is that one. So the states
 * are pairwise different, if those that go round are when they are added.
 */
#ifndef WEIR_LANG_CLOSED_H
#define WEIR_LANG_CLOSED_H

#include "base/hash.h"
#include "base/vec.h"
#include "lang/lang.h"

typedef struct ClosedState {
    uint32_t first, count; /* in `edges` */
    bool accepts;
} ClosedState;

/* Lifetime: call. */
typedef struct Closed {
    LangCtx *ctx;
    VEC(ClosedState) states;
    VEC(DfaEdge) edges;
    Map index;
} Closed;

void closed_free(Closed *c);
/* *state: the one with these edges, which are in order and touch only where
 * they lead to different states. False: an error. */
bool closed_add(Closed *c, bool accepts, const DfaEdge *edges, uint32_t count,
                uint32_t *state);
/* What `root` leads to, as a Dfa: numbered breadth first. */
const Dfa *closed_write(const Closed *c, uint32_t root);

static inline const DfaEdge *closed_edges(const Closed *c, uint32_t state)
{
    return vec_from(&c->edges, c->states.at[state].first);
}

#endif
