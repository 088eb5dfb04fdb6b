/* arena.c: chunked bump allocation. Chunks double from 1 KiB to 1 MiB, so a
 * small grammar costs little and a large one few calls. */
#include "base/arena.h"

enum { FIRST_CHUNK = 1024, LAST_CHUNK = 1 << 20, ALIGN = 16 };

struct ArenaChunk {
    ArenaChunk *older;
    size_t nbytes; /* header included */
    uint8_t pad[ALIGN - (sizeof(void *) + sizeof(size_t)) % ALIGN];
};

void arena_init(Arena *arena, const Mem *mem, size_t limit)
{
    *arena = (Arena){.mem = mem, .limit = limit};
}

static void chunks_free(Arena *arena, ArenaChunk *chunk)
{
    while (chunk) {
        ArenaChunk *older = chunk->older;
        arena->total -= chunk->nbytes;
        mem_free(arena->mem, chunk, chunk->nbytes);
        chunk = older;
    }
}

void arena_free(Arena *arena)
{
    chunks_free(arena, arena->chunk);
    *arena = (Arena){
        .mem = arena->mem, .first = arena->first, .limit = arena->limit};
}

void arena_reset(Arena *arena)
{
    ArenaChunk *newest = arena->chunk;
    arena->failed = arena->hit_limit = false;
    if (!newest) return;
    chunks_free(arena, newest->older);
    newest->older = NULL;
    arena->next = (uint8_t *)newest + sizeof *newest;
    arena->end = (uint8_t *)newest + newest->nbytes;
}

static bool arena_grow(Arena *arena, size_t nbytes)
{
    size_t want = arena->first ? arena->first : FIRST_CHUNK;
    if (arena->chunk) want = MIN(arena->chunk->nbytes * 2, (size_t)LAST_CHUNK);
    if (nbytes > SIZE_MAX / 2) return false;
    want = MAX(want, nbytes + sizeof(ArenaChunk));
    if (arena->limit) {
        size_t left = arena->limit - MIN(arena->limit, arena->total);
        if (nbytes + sizeof(ArenaChunk) > left) {
            arena->hit_limit = true;
            return false;
        }
        want = MIN(want, left);
    }
    ArenaChunk *chunk = mem_new(arena->mem, want);
    if (!chunk) return false;
    chunk->older = arena->chunk;
    chunk->nbytes = want;
    arena->chunk = chunk;
    arena->next = (uint8_t *)chunk + sizeof *chunk;
    arena->end = (uint8_t *)chunk + want;
    arena->total += want;
    return true;
}

void *arena_alloc(Arena *arena, size_t nbytes)
{
    if (nbytes > SIZE_MAX - ALIGN) nbytes = SIZE_MAX / 2 + 1;
    nbytes = (nbytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    bool fits = arena->next && nbytes <= (size_t)(arena->end - arena->next);
    if (!fits && !arena_grow(arena, nbytes)) {
        arena->failed = true;
        return NULL;
    }
    void *p = arena->next;
    arena->next += nbytes;
    return p;
}

void *arena_zero(Arena *arena, size_t nbytes)
{
    void *p = arena_alloc(arena, nbytes);
    if (p) memset(p, 0, nbytes);
    return p;
}

void *arena_copy(Arena *arena, const void *data, size_t nbytes)
{
    void *p = arena_alloc(arena, nbytes);
    if (p && nbytes) memcpy(p, data, nbytes);
    return p;
}
