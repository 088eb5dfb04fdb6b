/* dfa_writer.h: a Dfa written down state by state, for constructions that know
 * what their states mean.
 *
 *     dfa_writer_init(&w, ctx);
 *     for each state, in order of its number:
 *         dfa_writer_state(&w, accepts);
 *         for each of its edges, in order of code points:
 *             dfa_writer_edge(&w, lo, hi, to);
 *     const Dfa *out = dfa_writer_minimize(&w);
 *     dfa_writer_free(&w);
 *
 * A construction whose states are pairwise different languages, none empty,
 * and which numbers them breadth first in the order of its edges, has the
 * minimal Dfa as lang.h promises it already: dfa_writer_finish then only
 * copies, which is what makes the small sets of schemas cheap. Lifetime: call.
 */
#ifndef WEIR_LANG_DFA_WRITER_H
#define WEIR_LANG_DFA_WRITER_H

#include "lang/lang.h"

typedef struct DfaWriter {
    LangCtx *ctx;
    VEC(DfaEdge) edges;
    VEC(uint32_t) edge_start; /* by state */
    VEC(uint8_t) accepts;     /* by state */
} DfaWriter;

void dfa_writer_init(DfaWriter *writer, LangCtx *ctx);
void dfa_writer_free(DfaWriter *writer);
/* Opens the next state; state 0 is the start. */
bool dfa_writer_state(DfaWriter *writer, bool accepts);
/* An edge of the open state, above its edges so far; joined with the last one
 * if they touch and lead to the same state. */
bool dfa_writer_edge(DfaWriter *writer, uint32_t lo, uint32_t hi, uint32_t to);
/* The states as they are. No state or an error: the empty language. */
const Dfa *dfa_writer_finish(DfaWriter *writer);
/* The minimal Dfa of the same language. */
const Dfa *dfa_writer_minimize(DfaWriter *writer);
/* The same, quickly if only fixed states go round: is_fixed, by state: it leads
 * to such states alone, and they are pairwise different languages, none empty
 * (fold.c). */
const Dfa *dfa_writer_fold(DfaWriter *writer, const uint8_t *is_fixed);

#endif
