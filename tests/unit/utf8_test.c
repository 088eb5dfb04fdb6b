/* utf8_test.c: unfinished characters at the end of a text: every string of up
 * to three bytes against table 3-7 of the Unicode standard.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"

/* Lead bytes [lo, hi], the range of the second byte, bytes in all. */
static const struct {
    uint8_t lo, hi, second_lo, second_hi, size;
} table[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

/* Whether all n bytes are the begin of a longer character. */
static bool is_begin(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (p[0] < table[i].lo || p[0] > table[i].hi) continue;
        if (n >= table[i].size) return false;
        if (n > 1 && (p[1] < table[i].second_lo || p[1] > table[i].second_hi))
            return false;
        return n < 3 || (p[2] >= 0x80 && p[2] <= 0xBF);
    }
    return false;
}

/* At most one of the endings can be a begin, for it has no lead byte within. */
static size_t plain(const uint8_t *p, size_t n)
{
    for (size_t k = 1; k <= n; k++)
        if (is_begin(p + n - k, k)) return k;
    return 0;
}

static void all_strings(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        uint8_t p[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        if (utf8_unfinished(span_of(p, 3)) != plain(p, 3))
            fail_msg("%02X %02X %02X", p[0], p[1], p[2]);
        if (p[2]) continue;
        assert_int_equal(utf8_unfinished(span_of(p, 2)), plain(p, 2));
        assert_int_equal(utf8_unfinished(span_of(p, 1)), plain(p, 1));
    }
    assert_int_equal(utf8_unfinished(span_of(NULL, 0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
