/* machine_number.c: see machine_number.h. Tests: unit/convert_test.c */
#include "convert/machine_number.h"

#include <stdio.h>

#include "convert/double_digits.h"
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

enum { LEAST_POINT = -4, MOST_POINT = 15 };

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
               d = value > 0 ? double_digits(value) : zero;
        write_digits(&d, out);
    }
}
