/* matcher.h: shared by the api files that work on matchers. */
#ifndef WEIR_API_MATCHER_H
#define WEIR_API_MATCHER_H

#include "api/objects.h"

/* A matcher at the start; takes over a reference to the hub. */
weir_matcher *matcher_start(weir_grammar *grammar, Hub *hub,
                            const weir_matcher_opts *opts);
/* The options that m was made with. */
weir_matcher_opts matcher_opts(const weir_matcher *m);
/* Whether the output may end here, or has ended. *failed: cannot be said, and
 * m->error tells why; else it is left as it is. */
bool matcher_completed(weir_matcher *m, bool *failed);
bool matcher_terminated(weir_matcher *m, bool *failed);
/* Puts the matcher on a hub, whose reference it takes over and which has the
 * stacks of m->track. */
void matcher_set_hub(weir_matcher *m, Hub *hub);
/* After a call that failed, with m->error `before` it and `moves` made for it:
 * true if the failure was a full hub and the matcher is now on another, so that
 * the call should be made again. */
bool matcher_leave_hub(weir_matcher *m, weir_status before, int moves);
/* Takes back the steps of a trial: as before them, but for m->error. */
void matcher_back(weir_matcher *m, size_t steps, uint64_t generation);
/* Whether `id` is in the matcher's stop set. */
bool matcher_is_stop(const weir_matcher *m, uint32_t id);
/* What accepting would answer (but for a full hub); on ACCEPTED, and unless *is_stop, the
 * configurations after the token are in track.next. Nothing is taken. */
weir_accept matcher_try(weir_matcher *m, uint32_t id, bool *is_stop);
/* The mask of this position into `row`; also after the end. */
weir_fill matcher_fill(weir_matcher *m, uint32_t *row);

#endif
