/* blocks.c: blocks of powers of two, on lists.
 *
 * A block's size is told by whoever gives it back, so it needs no header: the
 * size says which list, or that it is a large one. Where memory is watched all are
 * large, so that a block is that of its user alone.
 * Tests: unit/blocks_test.c */
#include "base/blocks.h"

enum { LEAST = 16, MOST = IS_WATCHED ? 0 : LEAST << (BLOCK_CLASSES - 1) };

static unsigned class_of(size_t nbytes)
{
    return nbytes <= LEAST ? 0 : bit_highest((nbytes - 1) / LEAST) + 1;
}

static void *allocate(void *user, size_t nbytes)
{
    Blocks *b = user;
    if (nbytes > MOST) return mem_new(b->arena.mem, nbytes);
    unsigned class = class_of(nbytes);
    void *block = b->given_back[class];
    if (!block) return arena_alloc(&b->arena, (size_t)LEAST << class);
    memcpy(&b->given_back[class], block, sizeof(void *));
    return block;
}

static void release(void *user, void *p, size_t nbytes)
{
    Blocks *b = user;
    if (nbytes > MOST) {
        mem_free(b->arena.mem, p, nbytes);
        return;
    }
    unsigned class = class_of(nbytes);
    memcpy(p, &b->given_back[class], sizeof(void *));
    b->given_back[class] = p;
}

static void *resize(void *user, void *p, size_t old, size_t nbytes)
{
    Blocks *b = user;
    const Mem *under = b->arena.mem;
    if (old > MOST && nbytes > MOST)
        return under->resize(under->user, p, old, nbytes);
    if (old <= MOST && nbytes <= MOST && class_of(old) == class_of(nbytes))
        return p;
    void *now = allocate(user, nbytes);
    if (!now) return NULL;
    memcpy(now, p, MIN(old, nbytes));
    release(user, p, old);
    return now;
}

void blocks_init(Blocks *blocks, const Mem *under, size_t first)
{
    *blocks = (Blocks){.mem = {allocate, resize, release, blocks}};
    arena_init(&blocks->arena, under, 0);
    blocks->arena.first = first;
}

void blocks_free(Blocks *blocks)
{
    arena_free(&blocks->arena);
}
