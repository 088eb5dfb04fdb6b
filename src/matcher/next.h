/* next.h: which characters may come next, for messages. */
#ifndef WEIR_MATCHER_NEXT_H
#define WEIR_MATCHER_NEXT_H

#include "matcher/config.h"

typedef struct NextRunes {
    VEC(Range) runes; /* ascending, disjoint, neighbours united */
    ByteSet bytes;    /* that may come next but begin none of them */
    bool is_cut;      /* work or memory ran out: some are missing */
} NextRunes;

/* Fills `next` from the set; its runes are freed with vec_free. Steps on `s`,
 * whose new stacks should go to its scratch. About 1 ms when any character may
 * come. */
void next_runes(NextRunes *next, Stepper *s, const ConfigSet *set);
/* The number of characters in it. */
uint32_t next_count(const NextRunes *next);

#endif
