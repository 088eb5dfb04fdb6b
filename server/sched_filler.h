/* sched_filler.h: threads that make masks and look up drafts while the engine
 * computes. */
#ifndef SERVER_SCHED_FILLER_H
#define SERVER_SCHED_FILLER_H

#include "server/sched.h"

/* Threads; 0: the work is done in filler_wait. `words`: of a mask. NULL: out of
 * memory or threads. */
Filler *filler_new(const Mem *mem, uint32_t threads, size_t words);
/* Accepts NULL. Nothing may be posted. */
void filler_free(Filler *filler);
/* Has the row's next mask made, or its draft looked up (row->proposes). The
 * row's decoder and matcher are the filler's until filler_wait. False: out of
 * memory, and nothing is done. */
bool filler_post(Filler *filler, Row *row);
/* Rows posted since the last filler_done; all their work is done then.
 * *waited_ns: how long that took. The list is valid until filler_done. */
Row *const *filler_wait(Filler *filler, uint32_t *count);
void filler_done(Filler *filler);

#endif
