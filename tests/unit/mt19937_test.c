/* mt19937_test.c: the generator's numbers against what the C++ standard says
 * of std::mt19937, and the two kinds of uniform numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/mt19937.h"

/* [rand.predef]: the 10,000th number of the default seed, 5489. */
static void ten_thousandth(void **state)
{
    (void)state;
    Mt19937 mt;
    uint32_t last = 0;
    mt_seed(&mt, 5489);
    for (int i = 0; i < 10000; i++) last = mt_next(&mt);
    assert_int_equal(last, 4123659995u);
}

/* A number of 53 bits is made of two words, the low one first; one of 24 bits
 * of one word. Both lie below 1 though rounding may reach it. */
static void units(void **state)
{
    (void)state;
    Mt19937 mt, same;
    mt_seed(&mt, 1);
    same = mt;
    for (int i = 0; i < 2000; i++) {
        double low = mt_next(&same), high = mt_next(&same);
        double want = (low + high * 0x1p32) / 0x1p64;
        double found = mt_double(&mt);
        assert_true(found == want && found >= 0 && found < 1);
        float unit = mt_float(&mt);
        assert_true(unit == (float)mt_next(&same) / 0x1p32f && unit < 1);
    }
}

/* A word of ones is 1 as a float, and so not below it. */
static void rounding_stays_below_one(void **state)
{
    (void)state;
    Mt19937 mt;
    uint32_t y = 0xFFFFFFFFu; /* the word that is tempered to all ones */
    for (uint32_t word = y ^ y >> 18, k = 0; k < 1; k++) {
        word ^= word << 15 & 0xEFC60000u;
        uint32_t b = word;
        for (int i = 0; i < 4; i++) b = word ^ (b << 7 & 0x9D2C5680u);
        uint32_t a = b;
        for (int i = 0; i < 2; i++) a = b ^ a >> 11;
        mt_seed(&mt, 1);
        mt_next(&mt);
        for (int i = 0; i < MT_WORDS; i++) mt.word[i] = a;
    }
    assert_int_equal(mt_next(&mt), 0xFFFFFFFFu);
    assert_true(mt_float(&mt) == 0x1.fffffep-1f);
    assert_true(mt_double(&mt) == 0x1.fffffffffffffp-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousandth),
        cmocka_unit_test(units),
        cmocka_unit_test(rounding_stays_below_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
