/* lax_test.c: classes by llama.cpp's UTF-8 against its rules, spelled out: each
 * byte of a character narrows what it can become; a class begins it if it has
 * one of that; a wary class may be left there if it has all of that.
 */
#include "lang/lax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/vec.h"

static Mem mem;

typedef struct Seqs {
    VEC(LaxSeq) list;
} Seqs;

static void gather(void *user, const LaxSeq *seq)
{
    Seqs *s = user;
    assert_true(vec_push(&mem, &s->list, *seq));
}

typedef struct TestClass {
    RuneRange ranges[4];
    uint32_t count;
    bool wary;
} TestClass;

static uint32_t count_in(const TestClass *c, uint32_t lo, uint32_t hi)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (lo <= c->ranges[i].hi && c->ranges[i].lo <= hi)
            n += MIN(hi, c->ranges[i].hi) - MAX(lo, c->ranges[i].lo) + 1;
    return n;
}

/* What may become of a place, by the rules in lax.h. */
typedef enum Place { PLACE_DEAD, PLACE_HELD, PLACE_OPEN } Place;

static Place place_of(const TestClass *c, uint32_t value, unsigned missing)
{
    uint32_t lo = value << 6 * missing, hi = lo + (1u << 6 * missing) - 1;
    if (missing == 1 && value < 2) return PLACE_DEAD;
    if (!lo && missing == 2) lo = 1u << 11;
    if (!lo && missing == 3) lo = 1u << 16;
    uint32_t n = count_in(c, lo, hi);
    if (!n) return PLACE_DEAD;
    return c->wary && n < hi - lo + 1 ? PLACE_HELD : PLACE_OPEN;
}

/* The sequences that begin with bytes[0, n): their common place. */
static Place seqs_place(const Seqs *s, const uint8_t *bytes, unsigned n)
{
    Place place = PLACE_DEAD;
    for (uint32_t i = 0; i < s->list.count; i++) {
        const LaxSeq *q = &s->list.at[i];
        unsigned k = 0;
        while (k < n && k < q->count && q->lo[k] <= bytes[k] &&
               bytes[k] <= q->hi[k])
            k++;
        if (k < n || q->count <= n) continue;
        Place here = q->held[n - 1] ? PLACE_HELD : PLACE_OPEN;
        assert_true(place == PLACE_DEAD || place == here);
        place = here;
    }
    return place;
}

static bool seqs_read(const Seqs *s, const uint8_t *bytes, unsigned n)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        const LaxSeq *q = &s->list.at[i];
        unsigned k = 0;
        while (k < n && k < q->count && q->lo[k] <= bytes[k] &&
               bytes[k] <= q->hi[k])
            k++;
        if (k == n && q->count == n) return true;
    }
    return false;
}

/* Reads one spelling byte by byte; dead places end it. A wary class that lacks
 * all of what a place can become has nothing there to read either. */
static void check_spelling(const TestClass *c, const Seqs *s, uint32_t value,
                           unsigned size)
{
    static const uint8_t mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
    uint8_t bytes[4];
    uint32_t rest = value;
    for (unsigned i = size; i-- > 1; rest >>= 6)
        bytes[i] = (uint8_t)(0x80 | (rest & 0x3F));
    bytes[0] = (uint8_t)(mark[size] | rest);
    for (unsigned n = 1; n < size; n++) {
        unsigned missing = size - n;
        Place want = place_of(c, value >> 6 * missing, missing);
        if (seqs_place(s, bytes, n) != want)
            fail_msg("%u bytes of %u for %X", n, size, value);
        if (want == PLACE_DEAD) return;
    }
    if (seqs_read(s, bytes, size) != (count_in(c, value, value) == 1))
        fail_msg("%u bytes for %X", size, value);
}

static void check_class(const TestClass *c)
{
    static const uint32_t last[] = {0, 0x7F, 0x7FF, 0xFFFF, LAX_MAX};
    Seqs s = {{0}};
    lax_ranges(c->ranges, c->count, c->wary, gather, &s);
    for (unsigned size = 1; size <= 4; size++) {
        uint32_t step = size == 4 ? 61 : size == 3 ? 7 : 1;
        for (uint32_t v = 1; v <= last[size]; v += step)
            check_spelling(c, &s, v, size);
        for (uint32_t i = 0; i < c->count; i++)
            for (int d = -2; d <= 2; d++) {
                uint32_t lo = c->ranges[i].lo + (uint32_t)d;
                uint32_t hi = c->ranges[i].hi + (uint32_t)d;
                if (lo - 1 < last[size]) check_spelling(c, &s, lo, size);
                if (hi - 1 < last[size]) check_spelling(c, &s, hi, size);
            }
    }
    vec_free(&mem, &s.list);
}

static void classes(void **state)
{
    (void)state;
    static const TestClass list[] = {
        {{{0x3B1, 0x3C9}}, 1, false},
        {{{'a', 'z'}, {0x800, 0x800}}, 2, false},
        {{{0x90, 0x95}, {0x850, 0x850}, {0x20000, 0x20001}}, 3, false},
        {{{0xD800, 0xDFFF}, {0x10FFFE, 0x110001}}, 2, false},
        {{{1, 0x1F}, {0x7F, 0xE8}, {0xEA, LAX_MAX}}, 3, true},
        {{{1, 0x7E}, {0xA0, 0x3B0}, {0x3CA, LAX_MAX}}, 3, true},
        {{{1, 0x201C}, {0x201E, LAX_MAX}}, 2, true},
        {{{1, 0x1F5FF}, {0x1F650, LAX_MAX}}, 2, true},
    };
    mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(list); i++) check_class(&list[i]);
}

static void encoding(void **state)
{
    (void)state;
    uint8_t out[4];
    assert_int_equal(lax_encode('a', out), 1);
    assert_int_equal(lax_encode(0xD83D, out), 3);
    assert_memory_equal(out, "\xED\xA0\xBD", 3);
    assert_int_equal(lax_encode(0x110000, out), 4);
    assert_memory_equal(out, "\xF4\x90\x80\x80", 4);
    assert_int_equal(lax_encode(LAX_MAX, out), 4);
    assert_memory_equal(out, "\xFF\xBF\xBF\xBF", 4);
    assert_int_equal(lax_encode(LAX_MAX + 1, out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),
        cmocka_unit_test(encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
