/* utf8.h: strict UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF). */
#ifndef WEIR_BASE_UTF8_H
#define WEIR_BASE_UTF8_H

#include "base/span.h"

#define RUNE_MAX 0x10FFFFu
#define RUNE_BAD UINT32_MAX

/* Decodes the character at text[pos], pos < size. Returns it and moves *pos
 * past it; RUNE_BAD and one byte further when it is not well formed. */
uint32_t utf8_decode(Span text, size_t *pos);
/* Writes 1 to 4 bytes, returns how many; 0 for a surrogate or > RUNE_MAX. */
unsigned utf8_encode(uint32_t rune, uint8_t out[4]);
/* Bytes of a character that begins with `lead`, by its high bits alone; 0: a
 * continuation byte. */
static inline unsigned utf8_lead_size(uint8_t lead)
{
    if (lead < 0xC0) return lead < 0x80;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}
/* The first byte of a character. */
static inline uint8_t utf8_lead(uint32_t rune)
{
    if (rune < 0x80) return (uint8_t)rune;
    if (rune < 0x800) return (uint8_t)(0xC0 | rune >> 6);
    if (rune < 0x10000) return (uint8_t)(0xE0 | rune >> 12);
    return (uint8_t)(0xF0 | MIN(rune, RUNE_MAX) >> 18);
}
/* Offset of the first byte that is not well formed, or text.size. */
size_t utf8_check(Span text);

/* Bytes at the end of text that begin a well-formed character and lack its
 * end; 0 to 3. */
size_t utf8_unfinished(Span text);

/* One sequence of byte ranges: byte i in [lo[i], hi[i]]. */
typedef struct Utf8Seq {
    uint8_t count, lo[4], hi[4];
} Utf8Seq;

/* Splits the code points [lo, hi] into byte-range sequences whose union is
 * exactly their encodings (surrogates left out). Calls emit in order. */
void utf8_ranges(uint32_t lo, uint32_t hi,
                 void (*emit)(void *user, const Utf8Seq *seq), void *user);

#endif
