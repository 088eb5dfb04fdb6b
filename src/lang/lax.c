/* lax.c: classes as byte sequences, by llama.cpp's UTF-8 (lax.h).
 *
 * Each range is cut at the borders of what a length can spell. Spellings that
 * are longer than they need be exist where no place on the way is forbidden:
 * after E0 only if the class has something in [0x800, 0xFFF], after F0 only
 * if it has something in [0x10000, 0x3FFFF], and after F0 80 the former again.
 * Then the split is that of utf8_ranges: cut until every byte is fixed or all
 * those after it are free. Only after fixed bytes can a place be held.
 * Cost: linear in the sequences, a few for each range, times the ranges for
 * wary classes.   Tests: unit/lax_test.c.
 */
#include "lang/lax.h"

typedef struct Split {
    const RuneRange *ranges;
    uint32_t count;
    bool wary;
    unsigned size; /* bytes of the sequences in the making */
    void (*emit)(void *user, const LaxSeq *seq);
    void *user;
} Split;

static void spell(uint32_t value, unsigned size, uint8_t out[4])
{
    static const uint8_t mark[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (unsigned i = size; i-- > 1; value >>= 6)
        out[i] = (uint8_t)(0x80 | (value & 0x3F));
    out[0] = (uint8_t)(mark[size] | value);
}

unsigned lax_encode(uint32_t value, uint8_t out[4])
{
    if (value > LAX_MAX) return 0;
    unsigned size = value < 0x80      ? 1
                    : value < 0x800   ? 2
                    : value < 0x10000 ? 3
                                      : 4;
    spell(value, size, out);
    return size;
}

/* How many values of [lo, hi] are in the class. */
static uint32_t members(const Split *s, uint32_t lo, uint32_t hi)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t from = MAX(lo, s->ranges[i].lo);
        uint32_t to = MIN(hi, s->ranges[i].hi);
        if (from <= to) sum += to - from + 1;
    }
    return sum;
}

/* Whether a character with `missing` bytes to come may become something that
 * is not in the class. */
static bool is_held(const Split *s, uint32_t value, unsigned missing)
{
    uint32_t lo = value << 6 * missing;
    uint32_t hi = lo | ((1u << 6 * missing) - 1);
    if (!value && missing == 2) lo = 0x800;
    if (!value && missing == 3) lo = 0x10000;
    return members(s, lo, hi) < hi - lo + 1;
}

static void emit_seq(const Split *s, uint32_t lo, uint32_t hi)
{
    LaxSeq seq = {.count = (uint8_t)s->size};
    bool is_fixed = true;
    spell(lo, s->size, seq.lo);
    spell(hi, s->size, seq.hi);
    for (unsigned i = 0; i + 1 < s->size; i++) {
        unsigned missing = s->size - 1 - i;
        is_fixed &= seq.lo[i] == seq.hi[i];
        if (s->wary && is_fixed)
            seq.held[i] = is_held(s, lo >> 6 * missing, missing);
    }
    s->emit(s->user, &seq);
}

static void split(const Split *s, uint32_t lo, uint32_t hi)
{
    for (unsigned shift = 6; shift < 6 * s->size; shift += 6) {
        uint32_t low = (1u << shift) - 1;
        if ((lo & ~low) == (hi & ~low)) break;
        if (lo & low) {
            split(s, lo, lo | low);
            split(s, (lo | low) + 1, hi);
            return;
        }
        if ((hi & low) != low) {
            split(s, lo, (hi & ~low) - 1);
            split(s, hi & ~low, hi);
            return;
        }
    }
    emit_seq(s, lo, hi);
}

/* The values of [lo, hi] in the class, spelled by `size` bytes. */
static void split_part(Split *s, unsigned size, uint32_t lo, uint32_t hi)
{
    s->size = size;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t from = MAX(lo, s->ranges[i].lo);
        uint32_t to = MIN(hi, s->ranges[i].hi);
        if (from <= to) split(s, from, to);
    }
}

void lax_ranges(const RuneRange *ranges, uint32_t count, bool wary,
                void (*emit)(void *user, const LaxSeq *seq), void *user)
{
    Split s = {ranges, count, wary, 1, emit, user};
    bool after_e0 = members(&s, 0x800, 0xFFF) != 0;
    bool after_f0 = members(&s, 0x10000, 0x3FFFF) != 0;
    split_part(&s, 1, 1, 0x7F);
    split_part(&s, 2, 0x80, 0x7FF);
    if (after_e0) split_part(&s, 3, 0x80, 0x7FF);
    split_part(&s, 3, 0x800, 0xFFFF);
    if (after_f0 && after_e0) split_part(&s, 4, 0x80, 0xFFF);
    if (after_f0) split_part(&s, 4, 0x1000, 0xFFFF);
    split_part(&s, 4, 0x10000, LAX_MAX);
}
