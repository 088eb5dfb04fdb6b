/* span.h: a borrowed run of bytes, the library's form of weir_bytes. */
#ifndef WEIR_BASE_SPAN_H
#define WEIR_BASE_SPAN_H

#include "base/port.h"

typedef struct Span {
    const uint8_t *at;
    size_t size;
} Span;

#define SPAN(literal) ((Span){(const uint8_t *)(literal), sizeof(literal) - 1})

static inline Span span_of(const void *data, size_t size)
{
    return (Span){data, size};
}

static inline Span span_text(const char *text)
{
    return (Span){(const uint8_t *)text, strlen(text)};
}

static inline bool span_equal(Span a, Span b)
{
    if (a.size != b.size) return false;
    assert(!a.size || (a.at && b.at));
    return !a.size || !memcmp(a.at, b.at, a.size);
}

/* Bytewise order, shorter first. */
static inline int span_compare(Span a, Span b)
{
    size_t n = MIN(a.size, b.size);
    int c = n ? memcmp(a.at, b.at, n) : 0;
    return c ? c : (a.size > b.size) - (a.size < b.size);
}

static inline bool span_starts(Span text, Span prefix)
{
    if (text.size < prefix.size) return false;
    assert(!prefix.size || text.at);
    return !prefix.size || !memcmp(text.at, prefix.at, prefix.size);
}

#endif
