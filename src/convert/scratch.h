/* scratch.h: texts put together piece by piece, the inner ones while the outer
 * ones are unfinished. A stack of bytes:
 *
 *     size_t from = scratch_begin(s);
 *     scratch_text(s, "(");
 *     ...                             what is begun here is taken here, too
 *     Span text = scratch_take(s, from);
 *
 * Out of memory or beyond the arena's limit, pieces are dropped and
 * arena->failed tells. Lifetime: call. */
#ifndef WEIR_CONVERT_SCRATCH_H
#define WEIR_CONVERT_SCRATCH_H

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

typedef struct Scratch {
    Arena *arena; /* of the texts taken; its limit is that of the stack, too */
    VEC(uint8_t) bytes;
} Scratch;

void scratch_free(Scratch *s);

static inline size_t scratch_begin(const Scratch *s)
{
    return s->bytes.count;
}
void scratch_add(Scratch *s, Span piece);
void scratch_text(Scratch *s, const char *piece);
void scratch_number(Scratch *s, int64_t number);

/* What has been put together since `from`; valid until the next piece. */
static inline Span scratch_view(const Scratch *s, size_t from)
{
    return span_of(s->bytes.at + from, s->bytes.count - from);
}
static inline void scratch_drop(Scratch *s, size_t from)
{
    s->bytes.count = (uint32_t)from;
}
/* A copy of it that lives as long as the arena, and drops it. */
Span scratch_take(Scratch *s, size_t from);

#endif
