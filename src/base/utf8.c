/* utf8.c: decoding, encoding, and the split of code point ranges into byte
 * range sequences (the method of Thompson's grep and RE2's compiler: cut at
 * the length borders, then at the borders of the continuation bytes). */
#include "base/utf8.h"

/* Bytes that follow a lead byte, and the smallest value of that length. */
static unsigned tail_of(uint8_t lead)
{
    if (lead < 0x80) return 0;
    if (lead < 0xC2) return 4; /* continuation or overlong: never a lead */
    if (lead < 0xE0) return 1;
    if (lead < 0xF0) return 2;
    return lead < 0xF5 ? 3 : 4;
}

uint32_t utf8_decode(Span text, size_t *pos)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    static const uint8_t bits[4] = {0x7F, 0x1F, 0x0F, 0x07};
    const uint8_t *p = text.at + (*pos)++;
    unsigned tail = tail_of(*p);
    if (tail == 0) return *p;
    if (tail == 4 || text.size - *pos < tail) return RUNE_BAD;
    uint32_t rune = *p & bits[tail];
    for (unsigned i = 1; i <= tail; i++) {
        if ((p[i] & 0xC0) != 0x80) return RUNE_BAD;
        rune = rune << 6 | (p[i] & 0x3F);
    }
    if (rune < least[tail] || rune > RUNE_MAX || rune >> 11 == 0x1B)
        return RUNE_BAD;
    *pos += tail;
    return rune;
}

unsigned utf8_encode(uint32_t rune, uint8_t out[4])
{
    if (rune < 0x80) return out[0] = (uint8_t)rune, 1;
    if (rune > RUNE_MAX || rune >> 11 == 0x1B) return 0;
    unsigned tail = rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const uint8_t lead[4] = {0, 0xC0, 0xE0, 0xF0};
    for (unsigned i = tail; i > 0; i--, rune >>= 6)
        out[i] = (uint8_t)(0x80 | (rune & 0x3F));
    out[0] = (uint8_t)(lead[tail] | rune);
    return tail + 1;
}

size_t utf8_check(Span text)
{
    size_t pos = 0;
    while (pos < text.size) {
        size_t start = pos;
        if (utf8_decode(text, &pos) == RUNE_BAD) return start;
    }
    return pos;
}

/* Whether n bytes can go on to a character: some rune in the range that they
 * leave is one. */
static bool begins_rune(const uint8_t *p, size_t n)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    unsigned tail = tail_of(*p);
    if (tail == 0 || tail == 4 || n > tail) return false;
    uint32_t rune = *p & (0x3Fu >> tail);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) return false;
        rune = rune << 6 | (p[i] & 0x3F);
    }
    unsigned open = 6 * (tail + 1 - (unsigned)n);
    uint32_t low = rune << open, high = low | ((1u << open) - 1);
    if (low >= 0xD800 && high <= 0xDFFF) return false;
    return high >= least[tail] && low <= RUNE_MAX;
}

size_t utf8_unfinished(Span text)
{
    for (size_t n = 1; n <= 3 && n <= text.size; n++)
        if (begins_rune(text.at + text.size - n, n)) return n;
    return 0;
}

typedef struct RangeOut {
    void (*emit)(void *user, const Utf8Seq *seq);
    void *user;
} RangeOut;

/* [lo, hi] has one encoded length. Cuts until every continuation byte either
 * is fixed in all earlier bytes or spans its whole range. */
static void split_same_length(RangeOut *out, uint32_t lo, uint32_t hi)
{
    for (unsigned shift = 6; shift <= 18; shift += 6) {
        uint32_t low = (1u << shift) - 1;
        if ((lo & ~low) == (hi & ~low)) break;
        if (lo & low) {
            split_same_length(out, lo, lo | low);
            split_same_length(out, (lo | low) + 1, hi);
            return;
        }
        if ((hi & low) != low) {
            split_same_length(out, lo, (hi & ~low) - 1);
            split_same_length(out, hi & ~low, hi);
            return;
        }
    }
    Utf8Seq seq;
    seq.count = (uint8_t)utf8_encode(lo, seq.lo);
    utf8_encode(hi, seq.hi);
    out->emit(out->user, &seq);
}

void utf8_ranges(uint32_t lo, uint32_t hi,
                 void (*emit)(void *user, const Utf8Seq *seq), void *user)
{
    static const uint32_t last[] = {0x7F,   0x7FF,  0xD7FF,
                                    0xDFFF, 0xFFFF, RUNE_MAX};
    RangeOut out = {emit, user};
    hi = MIN(hi, RUNE_MAX);
    for (size_t i = 0; i < COUNT_OF(last) && lo <= hi; i++) {
        if (lo > last[i]) continue;
        bool surrogates = last[i] == 0xDFFF;
        if (!surrogates) split_same_length(&out, lo, MIN(hi, last[i]));
        lo = last[i] + 1;
    }
}
