/* decimal.c: exact reading of decimal numbers.
 *
 * In:    a spelling that follows RFC 8259's grammar of numbers.
 * Method: the value is D * 10^e with D free of zeros at both ends. Whole
 *        numbers: multiply out with overflow tests. Doubles: where D and
 *        10^|e| are exact doubles, one operation rounds right (Clinger's fast
 *        case). Otherwise big integers: for e < 0, D * 2^k is divided by
 *        10^-e, which leaves at least 64 bits and a sticky remainder; then one
 *        rounding, also into subnormals.
 * Holds: digits beyond MAX_DIGITS only act through a sticky 1, which is exact
 *        since halfway points have at most 767 digits.
 * Cost:  some ten nanoseconds for usual numbers, some microseconds at worst.
 * Tests: unit/json_test.c
 */
#include "text/decimal.h"

#include <float.h>

enum { MAX_DIGITS = 800, LIMBS = 260 };

typedef struct Decimal {
    const uint8_t *first, *last; /* D: its digits, perhaps with a point */
    int64_t exponent;            /* e, for D without the point */
    int64_t ndigits;
    bool is_negative;
} Decimal;

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static int64_t read_exponent(const uint8_t *at, const uint8_t *end)
{
    const int64_t most = 1000000000000;
    bool minus = *at == '-';
    int64_t value = 0;
    for (at += minus || *at == '+'; at < end; at++)
        if (value < most) value = value * 10 + (*at - '0');
    return minus ? -value : value;
}

static Decimal decimal_parse(Span s)
{
    Decimal d = {.is_negative = s.size && s.at[0] == '-'};
    const uint8_t *at = s.at + d.is_negative, *end = s.at + s.size;
    const uint8_t *mantissa = at, *point = NULL, *stop;
    for (; at < end && (is_digit(*at) || *at == '.'); at++)
        if (*at == '.') point = at;
    stop = at;
    if (at < end) d.exponent = read_exponent(at + 1, end);
    if (point) d.exponent -= stop - point - 1;
    while (mantissa < stop && (*mantissa == '0' || *mantissa == '.'))
        mantissa++;
    for (; stop > mantissa && (stop[-1] == '0' || stop[-1] == '.'); stop--)
        d.exponent += stop[-1] == '0';
    d.first = mantissa;
    d.last = stop;
    d.ndigits = stop - mantissa;
    if (point && point > mantissa && point < stop) d.ndigits--;
    return d;
}

/* Nothing but at most 19 digits, as nearly all whole numbers are. */
static bool read_digits(Span s, uint64_t *value)
{
    uint64_t v = 0;
    if (s.size > 19) return false;
    for (size_t i = 0; i < s.size; i++) {
        if (!is_digit(s.at[i])) return false;
        v = v * 10 + (uint64_t)(s.at[i] - '0');
    }
    return *value = v, true;
}

bool decimal_u64(Span spelling, uint64_t *value)
{
    if (read_digits(spelling, value)) return true;
    Decimal d = decimal_parse(spelling);
    uint64_t v = 0;
    if (d.ndigits == 0) return *value = 0, true;
    if (d.is_negative || d.exponent < 0 || d.ndigits + d.exponent > 20)
        return false;
    for (const uint8_t *at = d.first; at < d.last; at++) {
        if (*at == '.') continue;
        uint64_t digit = (uint64_t)(*at - '0');
        if (v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    for (int64_t i = 0; i < d.exponent; i++, v *= 10)
        if (v > UINT64_MAX / 10) return false;
    return *value = v, true;
}

/* ---- big integers, least significant limb first ----------------------- */

typedef struct Big {
    uint32_t count, limb[LIMBS];
} Big;

static void big_multiply_add(Big *b, uint32_t factor, uint32_t carry)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t word = (uint64_t)b->limb[i] * factor + carry;
        b->limb[i] = (uint32_t)word;
        carry = (uint32_t)(word >> 32);
    }
    assert(b->count < LIMBS);
    if (carry) b->limb[b->count++] = carry;
}

/* Returns whether a remainder was lost. */
static bool big_divide(Big *b, uint32_t divisor)
{
    uint64_t rest = 0;
    for (uint32_t i = b->count; i-- > 0;) {
        rest = rest << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->count && !b->limb[b->count - 1]) b->count--;
    return rest != 0;
}

static void big_shift_limbs(Big *b, uint32_t nlimbs)
{
    assert(b->count + nlimbs <= LIMBS);
    memmove(b->limb + nlimbs, b->limb, b->count * sizeof *b->limb);
    memset(b->limb, 0, nlimbs * sizeof *b->limb);
    b->count += nlimbs;
}

static uint32_t power_of_ten(int64_t n)
{
    uint32_t value = 1;
    while (n-- > 0) value *= 10;
    return value;
}

static Big big_digits(const Decimal *d, int64_t ndigits)
{
    Big b = {0};
    for (const uint8_t *at = d->first; ndigits > 0; at++) {
        if (*at == '.') continue;
        big_multiply_add(&b, 10, (uint32_t)(*at - '0'));
        ndigits--;
    }
    return b;
}

/* ---- rounding --------------------------------------------------------- */

/* Rounds top * 2^shift, top's highest bit set, plus something smaller than a
 * unit of top if sticky, to a double's bits. */
static uint64_t round_bits(uint64_t top, int shift, bool sticky)
{
    int high = 63 + shift; /* exponent of the highest bit */
    if (high > 1023) return (uint64_t)0x7FF << 52;
    int drop = high >= -1022 ? 11 : 11 + (-1022 - high);
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    uint64_t rest = drop == 64 ? top : top & (((uint64_t)1 << drop) - 1);
    uint64_t half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    if (high < -1022) return kept;
    return kept + ((uint64_t)(high + 1022) << 52); /* a carry moves up */
}

static uint64_t big_round(const Big *b, int shift, bool sticky)
{
    uint64_t top = 0;
    uint32_t i = b->count, taken = 0;
    for (; i > 0 && taken < 2; taken++) top = top << 32 | b->limb[--i];
    if (taken == 1) top <<= 32, shift -= 32;
    shift += 32 * (int)i;
    uint32_t below = i ? b->limb[i - 1] : 0;
    while (!(top >> 63)) {
        top = top << 1 | below >> 31;
        below <<= 1;
        shift--;
    }
    for (sticky |= below != 0; i > 1; i--) sticky |= b->limb[i - 2] != 0;
    return round_bits(top, shift, sticky);
}

static uint64_t slow_bits(const Decimal *d)
{
    int64_t ndigits = MIN(d->ndigits, MAX_DIGITS);
    int64_t e = d->exponent + (d->ndigits - ndigits);
    bool sticky = ndigits < d->ndigits;
    int shift = 0;
    Big b = big_digits(d, ndigits);
    for (; e > 0; e -= MIN(e, 9))
        big_multiply_add(&b, power_of_ten(MIN(e, 9)), 0);
    if (e < 0) {
        /* 10^-e has fewer than 10/3 * -e + 1 bits. */
        uint32_t nlimbs = (uint32_t)(-e * 10 / 3 / 32) + 4;
        big_shift_limbs(&b, nlimbs);
        shift = -32 * (int)nlimbs;
    }
    for (; e < 0; e += MIN(-e, 9))
        sticky |= big_divide(&b, power_of_ten(MIN(-e, 9)));
    return big_round(&b, shift, sticky);
}

/* D as an exact double, if it and the power of ten are small enough. */
static bool fast_value(const Decimal *d, double *value)
{
    static const double powers[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t most = COUNT_OF(powers) - 1;
    if (FLT_EVAL_METHOD != 0 || d->ndigits > 18 || d->exponent > most ||
        d->exponent < -most)
        return false;
    uint64_t m = 0;
    for (const uint8_t *at = d->first; at < d->last; at++)
        if (*at != '.') m = m * 10 + (uint64_t)(*at - '0');
    if (m > (uint64_t)1 << 53) return false;
    *value = d->exponent < 0 ? (double)m / powers[-d->exponent]
                             : (double)m * powers[d->exponent];
    return true;
}

double decimal_double(Span spelling)
{
    Decimal d = decimal_parse(spelling);
    int64_t size = d.ndigits + d.exponent; /* value < 10^size */
    double value = 0;
    if (!d.ndigits || size < -330) return d.is_negative ? -0.0 : 0.0;
    if (!fast_value(&d, &value)) {
        uint64_t bits = size > 310 ? (uint64_t)0x7FF << 52 : slow_bits(&d);
        memcpy(&value, &bits, sizeof value);
    }
    return d.is_negative ? -value : value;
}
