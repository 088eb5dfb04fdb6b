/* number_value.c: reading, comparing and writing exact decimals.
 *
 * In:    texts of JSON numbers (RFC 8259, section 6).   Out: digits without
 *        zeros at either end and an exponent; digits written out; one fixed
 *        form for each value.
 * Holds: exponents of up to 18 digits are exact as int64_t; number_canonical
 *        alone tells longer ones apart, by arithmetic on their digits.
 * Cost:  linear in the text and in what is written. Tests: unit/number_test.c
 */
#include "schema/number_value.h"

#include "schema/number.h"

/* Far from overflow when the length of a text is added. */
static const int64_t far_exponent = 1000000000000000000;

/* ---- reading ---- */

typedef struct Scan {
    const uint8_t *at, *end;
} Scan;

static size_t skip_digits(Scan *scan)
{
    const uint8_t *from = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - from);
}

static bool skip_one(Scan *scan, uint8_t a, uint8_t b)
{
    bool is_there = scan->at < scan->end && (*scan->at == a || *scan->at == b);
    scan->at += is_there;
    return is_there;
}

/* Where the parts of a spelling are; empty where there are none. */
typedef struct Parts {
    bool is_negative, exponent_negative;
    Span whole, fraction, exponent; /* digits */
} Parts;

static bool read_parts(Span text, Parts *parts)
{
    Scan s = {text.at, text.at + text.size};
    *parts = (Parts){.is_negative = skip_one(&s, '-', '-')};
    parts->whole = span_of(s.at, 0);
    parts->whole.size = skip_digits(&s);
    if (!parts->whole.size ||
        (parts->whole.size > 1 && *parts->whole.at == '0'))
        return false;
    if (skip_one(&s, '.', '.')) {
        parts->fraction = span_of(s.at, 0);
        parts->fraction.size = skip_digits(&s);
        if (!parts->fraction.size) return false;
    }
    if (skip_one(&s, 'e', 'E')) {
        if (skip_one(&s, '-', '-'))
            parts->exponent_negative = true;
        else
            skip_one(&s, '+', '+');
        parts->exponent = span_of(s.at, 0);
        parts->exponent.size = skip_digits(&s);
        if (!parts->exponent.size) return false;
    }
    return s.at == s.end;
}

static Span skip_zeros(Span digits)
{
    while (digits.size && *digits.at == '0') digits.at++, digits.size--;
    return digits;
}

static int64_t read_exponent(const Parts *parts)
{
    Span digits = skip_zeros(parts->exponent);
    int64_t value = digits.size > 18 ? far_exponent : 0;
    for (size_t i = 0; i < digits.size && value < far_exponent; i++)
        value = value * 10 + (digits.at[i] - '0');
    return parts->exponent_negative ? -value : value;
}

/* Fills in all but the exponent that the spelling has; the value's exponent is
 * that of its last digit as if there were none. */
static bool read_digits(LangCtx *ctx, const Parts *parts, NumberValue *value)
{
    size_t nwhole = parts->whole.size, n = nwhole + parts->fraction.size;
    uint8_t *digits = arena_alloc(ctx->arena, n);
    size_t first = 0;
    if (!digits) return lang_no_memory(ctx);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *from = i < nwhole ? parts->whole.at + i
                                         : parts->fraction.at + (i - nwhole);
        digits[i] = (uint8_t)(*from - '0');
    }
    value->exponent = -(int64_t)parts->fraction.size;
    while (first < n && !digits[first]) first++;
    for (; n > first && !digits[n - 1]; n--) value->exponent++;
    value->digits = digits + first;
    value->ndigits = n - first;
    value->is_negative = parts->is_negative && value->ndigits;
    return true;
}

bool number_value(LangCtx *ctx, Span text, NumberValue *value)
{
    Parts parts;
    *value = (NumberValue){.text = text};
    if (!lang_charge(ctx, text.size + 1)) return false;
    if (!read_parts(text, &parts))
        return diag_fail(ctx->error, WEIR_ARGUMENT, ctx->begin, ctx->end,
                         "found %.*s, expected a number",
                         (int)MIN(text.size, 40), (const char *)text.at);
    if (!read_digits(ctx, &parts, value)) return false;
    if (!value->ndigits)
        value->exponent = 0;
    else
        value->exponent += read_exponent(&parts);
    return true;
}

/* ---- comparing ---- */

static int compare_sizes(const NumberValue *a, const NumberValue *b)
{
    int64_t x = a->exponent + (int64_t)a->ndigits;
    int64_t y = b->exponent + (int64_t)b->ndigits;
    if (!a->ndigits || !b->ndigits) return (a->ndigits > 0) - (b->ndigits > 0);
    if (x != y) return x < y ? -1 : 1;
    return span_compare(span_of(a->digits, a->ndigits),
                        span_of(b->digits, b->ndigits));
}

int number_compare(const NumberValue *a, const NumberValue *b)
{
    if (a->is_negative != b->is_negative) return a->is_negative ? -1 : 1;
    return a->is_negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

/* ---- writing out ---- */

bool number_too_large(LangCtx *ctx, const char *role, Span text)
{
    bool is_long = text.size > 40;
    return diag_fail(ctx->error, WEIR_LIMIT_STATES, ctx->begin, ctx->end,
                     "found the %s %.*s%s, whose automaton needs more than the "
                     "%u states of limit max_states",
                     role, (int)MIN(text.size, 40), (const char *)text.at,
                     is_long ? "..." : "", ctx->max_states);
}

bool number_digits(LangCtx *ctx, const NumberValue *value, NumberDigits *out)
{
    int64_t e = value->exponent, n = (int64_t)value->ndigits;
    int64_t nint = n ? MAX(n + e, 0) : 0, nfrac = n ? MAX(-e, 0) : 0;
    if (nint + nfrac > ctx->max_states)
        return number_too_large(ctx, "number", value->text);
    if (!lang_charge(ctx, (uint64_t)(nint + nfrac))) return false;
    uint8_t *at = arena_zero(ctx->arena, (size_t)(nint + nfrac) + 1);
    if (!at) return lang_no_memory(ctx);
    /* Zeros before the digits, or behind them. */
    if (n)
        memcpy(at + (nint + nfrac) - MAX(e, 0) - n, value->digits, (size_t)n);
    *out = (NumberDigits){at, (size_t)nint, (size_t)nfrac};
    return true;
}

/* ---- the fixed form ---- */

enum { MOST_ZEROS = 40 };

/* Decimal digits of |sign * digits + shift|, most significant first, for
 * numbers of any length; returns the sign. `out` has room for size + 20. */
static bool add_shift(Span digits, bool is_negative, int64_t shift,
                      uint8_t *out, size_t *size)
{
    size_t n = digits.size + 20;
    bool shift_negative = shift < 0;
    uint64_t rest = shift_negative ? 0 - (uint64_t)shift : (uint64_t)shift;
    bool is_sum = is_negative == shift_negative;
    int carry = 0;
    for (size_t i = 0; i < n; i++, rest /= 10) {
        int a = i < digits.size ? digits.at[digits.size - 1 - i] - '0' : 0;
        int b = (int)(rest % 10);
        int sum = (is_sum ? a + b : a - b) + carry;
        carry = sum < 0 ? -1 : sum / 10;
        out[n - 1 - i] = (uint8_t)(sum - carry * 10 + '0');
    }
    if (carry < 0) { /* shift was larger: ten's complement */
        for (size_t i = n, c = 1; i-- > 0;) {
            size_t d = (size_t)('9' - out[i]) + c;
            c = d == 10;
            out[i] = (uint8_t)(d % 10 + '0');
        }
    }
    size_t zeros = 0;
    while (zeros < n && out[zeros] == '0') zeros++;
    memmove(out, out + zeros, n - zeros);
    *size = n - zeros;
    return carry < 0 ? shift_negative : is_negative;
}

static size_t put(uint8_t *at, const NumberValue *v, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) *at++ = (uint8_t)(v->digits[i] + '0');
    return to - from;
}

static size_t put_zeros(uint8_t *at, int64_t count)
{
    memset(at, '0', (size_t)count);
    return (size_t)count;
}

/* 1200, 0.012, 1.2: the digits and the zeros between them and the point. */
static size_t write_plain(const NumberValue *v, uint8_t *at)
{
    int64_t whole = (int64_t)v->ndigits + v->exponent;
    size_t size = 0, cut = whole < 0 ? 0 : MIN((size_t)whole, v->ndigits);
    if (whole <= 0) at[size++] = '0';
    size += put(at + size, v, 0, cut);
    if (v->exponent > 0) size += put_zeros(at + size, v->exponent);
    if (v->exponent >= 0) return size;
    at[size++] = '.';
    if (whole < 0) size += put_zeros(at + size, -whole);
    return size + put(at + size, v, cut, v->ndigits);
}

/* 1.2e400: the spelling's exponent and what the point moved by. */
static size_t write_scientific(const NumberValue *v, const Parts *parts,
                               int64_t shift, uint8_t *at)
{
    size_t size = put(at, v, 0, 1), nexponent;
    if (v->ndigits > 1) at[size++] = '.';
    size += put(at + size, v, 1, v->ndigits);
    at[size++] = 'e';
    uint8_t *digits = at + size + 1; /* perhaps behind a sign */
    bool minus = add_shift(skip_zeros(parts->exponent),
                           parts->exponent_negative, shift, digits, &nexponent);
    if (minus)
        at[size++] = '-';
    else
        memmove(at + size, digits, nexponent);
    return size + nexponent;
}

Span number_canonical(LangCtx *ctx, Span number)
{
    Parts parts;
    NumberValue v;
    if (!number_value(ctx, number, &v) || !read_parts(number, &parts))
        return span_of(NULL, 0);
    if (!v.ndigits) return SPAN("0");
    /* Digits, zeros, signs, point, e and a carry of the exponent. */
    uint8_t *at = arena_alloc(ctx->arena, number.size + MOST_ZEROS + 32);
    if (!at) return lang_no_memory(ctx), span_of(NULL, 0);
    int64_t whole = (int64_t)v.ndigits + v.exponent;
    int64_t zeros = MAX(v.exponent, 0) + (whole <= 0 ? 1 - whole : 0);
    size_t size = 0;
    if (v.is_negative) at[size++] = '-';
    if (zeros <= MOST_ZEROS)
        size += write_plain(&v, at + size);
    else
        size += write_scientific(&v, &parts, whole - 1 - read_exponent(&parts),
                                 at + size);
    return span_of(at, size);
}
