/* scratch.c: see scratch.h. Cost: linear in what is added.
 * Tests: unit/convert_test.c */
#include "convert/scratch.h"

#include <stdio.h>

void scratch_free(Scratch *s)
{
    vec_free(s->arena->mem, &s->bytes);
}

void scratch_add(Scratch *s, Span piece)
{
    size_t need = s->bytes.count + piece.size;
    size_t limit = s->arena->limit;
    if (s->arena->failed || !piece.size) return;
    if (limit && need > limit) {
        s->arena->failed = s->arena->hit_limit = true;
        return;
    }
    if (!vec_reserve(s->arena->mem, &s->bytes, need)) {
        s->arena->failed = true;
        return;
    }
    memcpy(s->bytes.at + s->bytes.count, piece.at, piece.size);
    s->bytes.count = (uint32_t)need;
}

void scratch_text(Scratch *s, const char *piece)
{
    scratch_add(s, span_text(piece));
}

void scratch_number(Scratch *s, int64_t number)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)number);
    scratch_add(s, span_of(text, (size_t)n));
}

Span scratch_take(Scratch *s, size_t from)
{
    Span view = scratch_view(s, from);
    void *copy = arena_copy(s->arena, view.at, view.size);
    scratch_drop(s, from);
    return copy ? span_of(copy, view.size) : SPAN("");
}
