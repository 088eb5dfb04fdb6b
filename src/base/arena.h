/* arena.h: memory that is released all at once.
 *
 * An arena hands out pieces of growing chunks. Pieces are never freed singly.
 * When memory or the arena's limit is out, allocation returns NULL and
 * `failed` stays set, so a builder may test once at the end of a stage.
 */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include "base/mem.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    const Mem *mem; /* outlives the arena */
    ArenaChunk *chunk;
    uint8_t *next, *end;
    size_t first; /* bytes of the first chunk; 0: few */
    size_t total; /* bytes taken from mem */
    size_t limit; /* 0: none */
    bool failed;
    bool hit_limit; /* it was the limit, not memory */
} Arena;

void arena_init(Arena *arena, const Mem *mem, size_t limit);
void arena_free(Arena *arena);
/* Forgets all pieces but keeps the newest chunk for reuse. */
void arena_reset(Arena *arena);
/* Not zeroed; aligned to 16. No bytes are a piece, too: not NULL. */
void *arena_alloc(Arena *arena, size_t nbytes);
void *arena_zero(Arena *arena, size_t nbytes);
/* A copy of `nbytes` bytes. */
void *arena_copy(Arena *arena, const void *data, size_t nbytes);

#define arena_new(arena, T) ((T *)arena_zero(arena, sizeof(T)))
#define arena_array(arena, T, n) \
    ((T *)arena_alloc(arena, size_mul((n), sizeof(T))))

#endif
