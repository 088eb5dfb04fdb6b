/* packed_tally.h: tallies kept: a list of 10,000 kinds may come to as many, each
 * of up to as many values, nearly all of them 1. Those are bits where that is
 * shorter. */
#ifndef WEIR_NETWORK_PACKED_TALLY_H
#define WEIR_NETWORK_PACKED_TALLY_H

#include "pass/list_count.h"

typedef struct PackedTally {
    bool is_start;
    uint32_t group;
    uint32_t nvalues;        /* in all */
    uint32_t nothers;        /* that are not among the bits */
    uint32_t first, nwords;  /* of the bits: counters from 64 * first on */
    const uint64_t *ones;    /* counters whose value is 1 */
    const ListValue *others; /* ascending counters */
} PackedTally;

/* In the arena. False: no memory. */
bool tally_pack(Arena *arena, const Tally *tally, PackedTally *out);
/* `values` has room for packed->nvalues. */
Tally tally_unpack(const PackedTally *packed, ListValue *values);
bool tally_is(const PackedTally *packed, const Tally *tally);

#endif
