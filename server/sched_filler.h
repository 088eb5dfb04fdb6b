/* sched_filler.h: threads that make masks and look up drafts while the engine
 * computes. */
#ifndef SERVER_SCHED_FILLER_H
#define SERVER_SCHED_FILLER_H

#include "server/sched.h"

/* `words`: of a mask. Without threads all work is done in filler_settle. NULL:
 * out of memory or threads. */
Filler *filler_new(const Mem *mem, uint32_t threads, size_t words);
/* Accepts NULL. Nothing may be posted. */
void filler_free(Filler *filler);
/* Has the row's next mask made, or its draft looked up (row->proposes). The
 * row's decoder and matcher are the filler's until filler_next gives it back.
 * False: out of memory, and nothing is done. */
bool filler_post(Filler *filler, Row *row);
/* Works, and waits, until all that was posted is done but for slow rows (row
 * ->slow when they were posted). */
void filler_settle(Filler *filler);
/* The same for all rows. */
void filler_finish(Filler *filler);
/* Waits until some row is done, or 2 ms. */
void filler_wait(Filler *filler);
/* A row whose work is done; NULL: none so far. */
Row *filler_next(Filler *filler);

#endif
