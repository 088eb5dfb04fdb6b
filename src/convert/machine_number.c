/* machine_number.c: see machine_number.h.
 *
 * Method: digits are those of the least precision of printf whose text is read
 *         as the same double; the C library rounds correctly. Only its digits
 *         are used, so the locale does not matter.
 * Cost:   at most 17 conversions a double.
 * Tests:  unit/convert_test.c
 */
#include "convert/machine_number.h"

#include <stdio.h>

#include "text/decimal.h"

MachineNumber machine_number(Span spelling)
{
    MachineNumber n = {0};
    bool minus = spelling.size && spelling.at[0] == '-';
    Span digits = span_of(spelling.at + minus, spelling.size - minus);
    n.is_whole = true;
    for (size_t i = 0; i < digits.size; i++)
        n.is_whole &= digits.at[i] >= '0' && digits.at[i] <= '9';
    n.is_whole = n.is_whole && decimal_u64(digits, &n.bits) &&
                 (!minus || n.bits <= (uint64_t)INT64_MAX + 1);
    if (!n.is_whole) {
        n.value = decimal_double(spelling);
    } else if (minus && n.bits) {
        n.is_negative = true;
        n.bits = 0 - n.bits;
    }
    return n;
}

int64_t machine_number_i64(MachineNumber n)
{
    if (n.is_whole) return (int64_t)n.bits;
    bool fits = n.value >= -0x1p63 && n.value < 0x1p63;
    return fits ? (int64_t)n.value : INT64_MIN;
}

int32_t machine_number_i32(MachineNumber n)
{
    if (n.is_whole) return (int32_t)(uint32_t)n.bits;
    bool fits = n.value > -0x1p31 - 1 && n.value < 0x1p31;
    return fits ? (int32_t)n.value : INT32_MIN;
}

enum { MOST_DIGITS = 17, LEAST_POINT = -4, MOST_POINT = 15 };

/* value = 0.d1 d2 ... dn * 10^point */
typedef struct Digits {
    char at[MOST_DIGITS];
    size_t count;
    int point;
} Digits;

/* The digits of "d.ddde+xx" and its exponent; value > 0. */
static Digits digits_of(const char *text)
{
    Digits d = {.count = 0};
    const char *p = text;
    for (; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9' && d.count < MOST_DIGITS)
            d.at[d.count++] = *p;
    bool minus = *p && p[1] == '-';
    int exponent = 0;
    for (; *p; p++)
        if (*p >= '0' && *p <= '9') exponent = exponent * 10 + (*p - '0');
    d.point = (minus ? -exponent : exponent) + 1;
    return d;
}

static double digits_value(const Digits *d)
{
    char text[MOST_DIGITS + 16];
    int n = snprintf(text, sizeof text, "%.*se%d", (int)d->count, d->at,
                     d->point - (int)d->count);
    return decimal_double(span_of(text, (size_t)n));
}

static Digits shortest_digits(double value)
{
    Digits d = {.count = 0};
    for (int precision = 0; precision < MOST_DIGITS; precision++) {
        char text[MOST_DIGITS + 16];
        snprintf(text, sizeof text, "%.*e", precision, value);
        d = digits_of(text);
        if (digits_value(&d) == value) break;
    }
    return d;
}

static void write_zeros(Scratch *out, int count)
{
    while (count-- > 0) scratch_text(out, "0");
}

static void write_digits(const Digits *d, Scratch *out)
{
    int count = (int)d->count, point = d->point;
    Span all = span_of(d->at, d->count);
    if (point > LEAST_POINT && point <= 0) {
        scratch_text(out, "0.");
        write_zeros(out, -point);
        scratch_add(out, all);
    } else if (point > 0 && point <= MOST_POINT) {
        size_t whole = (size_t)MIN(point, count);
        scratch_add(out, span_of(d->at, whole));
        write_zeros(out, point - count);
        scratch_text(out, ".");
        scratch_add(out, span_of(d->at + whole, d->count - whole));
        write_zeros(out, count <= point);
    } else {
        char tail[16];
        scratch_add(out, span_of(d->at, 1));
        if (count > 1) scratch_text(out, ".");
        scratch_add(out, span_of(d->at + 1, d->count - 1));
        snprintf(tail, sizeof tail, "e%+03d", point - 1);
        scratch_text(out, tail);
    }
}

void machine_number_write(MachineNumber n, Scratch *out)
{
    if (n.is_whole && n.is_negative) {
        scratch_number(out, (int64_t)n.bits);
    } else if (n.is_whole) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)n.bits);
        scratch_text(out, text);
    } else {
        double value = n.value;
        if (value < 0 || 1 / value < 0) scratch_text(out, "-");
        if (value < 0) value = -value;
        Digits zero = {{'0'}, 1, 1},
               d = value > 0 ? shortest_digits(value) : zero;
        write_digits(&d, out);
    }
}
