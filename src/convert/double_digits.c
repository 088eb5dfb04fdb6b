/* double_digits.c: see double_digits.h.
 *
 * Method: Grisu2 (F. Loitsch, Printing floating-point numbers quickly and
 *         accurately with integers, 2010): the double and the bounds of what is
 *         read as it are multiplied by a power of ten of 64 bits, so that the
 *         binary point lies within the word; digits of the upper bound are made
 *         until the rest is within the bounds, and the last one goes down while
 *         that comes nearer. The product is off by less than one unit, so the
 *         bounds are drawn in by one: the digits are always read as the double,
 *         but for about 1 of 300 they are not the shortest. llama.cpp's are
 *         these.
 * Tests:  unit/convert_test.c
 */
#include "convert/double_digits.h"

#include <stdbool.h>
#include <string.h>

#include "convert/power_table.h"

/* f * 2^e */
typedef struct Binary {
    uint64_t f;
    int e;
} Binary;

enum { LEAST_E = -60 }; /* of a product */

static Binary product(Binary a, Binary b)
{
    uint64_t al = a.f & 0xFFFFFFFF, ah = a.f >> 32;
    uint64_t bl = b.f & 0xFFFFFFFF, bh = b.f >> 32;
    uint64_t low = al * bl, m1 = ah * bl, m2 = al * bh;
    uint64_t middle = (low >> 32) + (m1 & 0xFFFFFFFF) + (m2 & 0xFFFFFFFF);
    middle += (uint64_t)1 << 31; /* round to nearest */
    uint64_t high = ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
    return (Binary){high, a.e + b.e + 64};
}

static Binary normal(Binary b)
{
    while (!(b.f >> 63)) {
        b.f <<= 1;
        b.e--;
    }
    return b;
}

/* The double, and the middles between it and its neighbours, all with the
 * exponent of the upper one. */
typedef struct Bounds {
    Binary value, lower, upper;
} Bounds;

static Bounds bounds_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7FF);
    Binary v = {exponent ? fraction | (uint64_t)1 << 52 : fraction,
                (exponent ? exponent : 1) - 1075};
    bool is_closer = !fraction && exponent > 1; /* below: a power of two */
    Binary upper = normal((Binary){2 * v.f + 1, v.e - 1});
    Binary lower = is_closer ? (Binary){4 * v.f - 1, v.e - 2}
                             : (Binary){2 * v.f - 1, v.e - 1};
    lower.f <<= lower.e - upper.e;
    lower.e = upper.e;
    return (Bounds){normal(v), lower, upper};
}

/* The power that brings a product with exponent e + 64 into range. */
static PowerOfTen power_for(int e)
{
    int f = LEAST_E - e - 1;
    int k = f * 78913 / (1 << 18) + (f > 0); /* log10(2), rounded up */
    return power_table[(k - POWER_FIRST + POWER_STEP - 1) / POWER_STEP];
}

/* Lowers the last digit by `unit` while that comes nearer to the value, which
 * is `distance` below the upper bound, and stays within `range` of it. */
static void come_near(Digits *d, uint64_t distance, uint64_t range,
                      uint64_t rest, uint64_t unit)
{
    while (
        rest < distance && range - rest >= unit &&
        (rest + unit < distance || distance - rest > rest + unit - distance)) {
        d->at[d->count - 1]--;
        rest += unit;
    }
}

static int digits_in(uint32_t n)
{
    int count = 1;
    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

static Digits make_digits(Binary lower, Binary value, Binary upper)
{
    Digits d = {.count = 0};
    uint64_t range = upper.f - lower.f, distance = upper.f - value.f;
    int shift = -upper.e;
    uint64_t one = (uint64_t)1 << shift;
    uint32_t whole = (uint32_t)(upper.f >> shift), unit = 1;
    uint64_t part = upper.f & (one - 1);
    int left = digits_in(whole); /* digits of `whole` still to come */
    for (int i = 1; i < left; i++) unit *= 10;
    d.point = left;
    for (; left > 0; left--, unit /= 10) {
        d.at[d.count++] = (char)('0' + whole / unit);
        whole %= unit;
        uint64_t rest = ((uint64_t)whole << shift) + part;
        if (rest <= range) {
            come_near(&d, distance, range, rest, (uint64_t)unit << shift);
            return d;
        }
    }
    do {
        part *= 10;
        range *= 10;
        distance *= 10;
        d.at[d.count++] = (char)('0' + (part >> shift));
        part &= one - 1;
    } while (part > range && d.count < MOST_DIGITS);
    come_near(&d, distance, range, part, one);
    return d;
}

Digits double_digits(double value)
{
    Bounds b = bounds_of(value);
    PowerOfTen power = power_for(b.upper.e);
    Binary ten = {power.f, power.e};
    Binary lower = product(b.lower, ten), upper = product(b.upper, ten);
    lower.f++;
    upper.f--;
    Digits d = make_digits(lower, product(b.value, ten), upper);
    d.point -= power.k;
    return d;
}
