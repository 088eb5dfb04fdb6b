/* blocks.h: memory for the length of a call, over other memory.
 *
 * Small blocks are cut from an arena in powers of two, and those given back are
 * handed out again; all are released at once. Large ones are the other
 * memory's, and have to be given back. For work that takes and gives many small
 * pieces: a few instructions each, where malloc takes a hundred. */
#ifndef WEIR_BASE_BLOCKS_H
#define WEIR_BASE_BLOCKS_H

#include "base/arena.h"

enum { BLOCK_CLASSES = 10 };

typedef struct Blocks {
    Mem mem; /* what to take memory from; its user is this struct */
    Arena arena;
    void *given_back[BLOCK_CLASSES]; /* by class: a list */
} Blocks;

/* `under` must outlive it, and the struct stay where it is. first: bytes that
 * are taken at once when some are asked for; 0: few. */
void blocks_init(Blocks *blocks, const Mem *under, size_t first);
/* Every large block has been given back by now. */
void blocks_free(Blocks *blocks);

#endif
