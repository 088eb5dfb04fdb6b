/* unique_answers.h: what unique_can_end has found out, to be used again. */
#ifndef WEIR_MATCHER_UNIQUE_ANSWERS_H
#define WEIR_MATCHER_UNIQUE_ANSWERS_H

#include "matcher/config.h"

/* A hash of what can follow, whatever heads there have been. */
uint64_t unique_place_hash(const UniqueTable *u, const Config *c);

/* NULL: not known. */
const UniqueAnswer *unique_answer(const UniqueAnswers *a, uint64_t key);
/* Without memory, or with key 0, it will be found anew. */
void unique_answer_keep(UniqueAnswers *a, const Mem *mem, uint64_t key,
                        bool can);
void unique_answers_clear(UniqueAnswers *a, const Mem *mem);

/* Whether some head in hand may come to where it can only be ended as an
 * earlier one was. */
static inline bool unique_is_watched(const UniqueTable *u, const Config *c)
{
    return c->record &&
           (unique_record(u, c->record)->is_closed || c->q->is_watched);
}
/* Bytes that a search may go on with after the text: those of a set, without
 * blanks where they say nothing. */
void unique_search_bytes(Stepper *s, const ConfigSet *set, ByteSet *bytes);
/* Whether there are endless ways to end the innermost such head; false may mean
 * that they were not found. */
bool unique_is_endless(Stepper *s, const Config *c);

#endif
