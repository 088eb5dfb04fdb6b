/* memo.h: masks that were met, by sets of configurations.
 *
 * Many sets have the same mask (every place in some string does), so what a
 * mask says is kept apart and once: a row, or a base row with ids to add, or
 * ids alone. Finding takes no lock, keeping does; nothing is ever taken out.
 */
#ifndef WEIR_MASK_MEMO_H
#define WEIR_MASK_MEMO_H

#include "matcher/config.h"

/* A mask as it is found out; borrowed. */
typedef struct MaskText {
    const uint32_t *base; /* a row that is kept, or NULL: zeros */
    const uint32_t *ids;  /* to add */
    uint32_t nids;
    const uint32_t *row; /* the whole mask, in place of the above, or NULL */
    uint64_t hash;       /* of base and ids, or of the row */
} MaskText;

/* A mask that is kept. */
typedef struct Mask {
    SharedItem item;
    const uint32_t *base;
    const uint32_t *ids;
    uint32_t nids;
    atomic_uint visits;
    _Atomic(const uint32_t *) row;    /* the whole mask, or NULL so far */
    _Atomic(const uint32_t *) ending; /* the same with the vocabulary's stop
                                         tokens, for outputs that may end */
} Mask;

/* The vocabulary's stop tokens below `width`. */
typedef struct MaskStops {
    const uint32_t *ids;
    uint32_t count, width;
} MaskStops;

/* Masks met by a grammar's matchers. */
typedef struct MaskMemo {
    const Mem *mem;
    Arena arena;
    Lock lock;
    SharedTable table; /* by configurations */
    SharedTable masks; /* by content */
} MaskMemo;

/* Configurations with their registers by class. */
typedef struct MaskKey {
    const ConfigSet *set;
    const uint32_t *regs;
    uint64_t hash;
} MaskKey;

bool maskmemo_init(MaskMemo *memo, const Mem *mem, size_t limit);
void maskmemo_free(MaskMemo *memo);
size_t maskmemo_bytes(MaskMemo *memo);

/* regs: by configuration; borrowed with the set. */
MaskKey mask_key(const ConfigSet *set, const uint32_t *regs);
Mask *memo_find(MaskMemo *memo, const MaskKey *key);
/* Keeps a mask for the key, unless there is no room: it is made anew then. */
void memo_keep(MaskMemo *memo, const MaskKey *key, const MaskText *text,
               uint32_t nwords);

void mask_write(const Mask *mask, uint32_t *row, uint32_t nwords);
/* A row of its own for a mask that is asked for again; NULL: no room. */
const uint32_t *memo_promote(MaskMemo *memo, Mask *mask, uint32_t nwords);
/* The same with stop tokens, always the same ones. */
const uint32_t *memo_promote_ending(MaskMemo *memo, Mask *mask, uint32_t nwords,
                                    const MaskStops *stops);

#endif
