/* cli_respell.c: another spelling of the same JSON value.
 *
 * Test suites are about values, a grammar is about texts: of the spellings of
 * a value it allows some. This is the one that is always among them.
 * One pass over the text, no recursion. A lone surrogate stays an escape.
 * A number with an exponent is written out: 1.5e2 becomes 150.
 * Tests: tests/cli/schema_cli_test.py.
 */
#include "weir/cli_respell.h"

#include <stdlib.h>

#include "base/utf8.h"

typedef struct Respell {
    const Mem *mem;
    Span text;
    size_t pos;
    FileBytes *out;
    bool ok;
} Respell;

static void put(Respell *r, const void *data, size_t size)
{
    if (!r->ok || !vec_reserve(r->mem, r->out, r->out->count + size)) {
        r->ok = false;
        return;
    }
    memcpy(r->out->at + r->out->count, data, size);
    r->out->count += (uint32_t)size;
}

static unsigned hex_digit(uint8_t c)
{
    return c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10;
}

/* The unit of the escape \uXXXX at `at`, or 0 if there is none. */
static uint32_t unit_at(Span text, size_t at)
{
    uint32_t unit = 0;
    if (at + 6 > text.size || text.at[at] != '\\' || text.at[at + 1] != 'u')
        return 0;
    for (size_t i = 2; i < 6; i++)
        unit = unit * 16 + hex_digit(text.at[at + i]);
    return unit;
}

static void put_unicode_escape(Respell *r)
{
    uint32_t rune = unit_at(r->text, r->pos);
    uint32_t low = unit_at(r->text, r->pos + 6);
    size_t size = 6;
    if (rune >> 10 == 0x36 && low >> 10 == 0x37) {
        rune = 0x10000 + ((rune & 0x3FF) << 10) + (low & 0x3FF);
        size = 12;
    }
    bool stays = rune < 0x20 || rune == '"' || rune == '\\' ||
                 rune >> 11 == 0x1B; /* a lone surrogate */
    const char *brief = rune == '"' ? "\\\"" : rune == '\\' ? "\\\\" : NULL;
    uint8_t bytes[4];
    if (brief)
        put(r, brief, 2);
    else if (stays)
        put(r, r->text.at + r->pos, size);
    else
        put(r, bytes, utf8_encode(rune, bytes));
    r->pos += size;
}

/* From the opening quote to behind the closing one. */
static void put_string(Respell *r)
{
    const uint8_t *at = r->text.at;
    put(r, "\"", 1);
    r->pos++;
    while (at[r->pos] != '"') {
        size_t from = r->pos;
        while (at[r->pos] != '"' && at[r->pos] != '\\') r->pos++;
        put(r, at + from, r->pos - from);
        if (at[r->pos] == '"') break;
        if (at[r->pos + 1] == 'u') {
            put_unicode_escape(r);
            continue;
        }
        bool is_slash = at[r->pos + 1] == '/';
        put(r, at + r->pos + is_slash, is_slash ? 1 : 2);
        r->pos += 2;
    }
    put(r, "\"", 1);
    r->pos++;
}

enum { PLACES = 1000 }; /* the point is moved by at most so many */

/* A number in scientific notation: its digits are looked up in the text. */
typedef struct Decimal {
    Span text;
    size_t whole, count; /* digits before the point; in all */
    long exponent;
} Decimal;

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_number_byte(uint8_t c)
{
    return is_digit(c) || c == '+' || c == '-' || c == '.' || (c | 0x20) == 'e';
}

static Decimal decimal_read(Span number)
{
    Decimal d = {.text = number};
    bool has_point = false;
    size_t i = 0;
    for (; i < number.size && (number.at[i] | 0x20) != 'e'; i++) {
        has_point |= number.at[i] == '.';
        d.count += is_digit(number.at[i]);
        if (!has_point) d.whole = d.count;
    }
    char text[8] = "0"; /* longer exponents are beyond PLACES */
    size_t n = number.size - i;
    if (n > 1 && n < sizeof text) {
        memcpy(text, number.at + i + 1, n - 1);
        text[n - 1] = 0;
    }
    d.exponent = n >= sizeof text ? 2 * PLACES : strtol(text, NULL, 10);
    return d;
}

/* The digit at a place, 0 being the last one before the point. */
static char decimal_digit(const Decimal *d, long place)
{
    long index = (long)d->whole - 1 - place + d->exponent;
    if (index < 0 || index >= (long)d->count) return '0';
    for (size_t i = 0;; i++)
        if (is_digit(d->text.at[i]) && !index--) return (char)d->text.at[i];
}

static void put_number(Respell *r)
{
    size_t end = r->pos;
    while (end < r->text.size && is_number_byte(r->text.at[end])) end++;
    Span number = span_of(r->text.at + r->pos, end - r->pos);
    Decimal d = decimal_read(number);
    r->pos = end;
    if (!d.exponent || labs(d.exponent) > PLACES || d.count > PLACES) {
        put(r, number.at, number.size);
        return;
    }
    long high = (long)d.whole - 1 + d.exponent;
    long low = d.exponent - (long)(d.count - d.whole);
    while (high > 0 && decimal_digit(&d, high) == '0') high--;
    while (low < 0 && decimal_digit(&d, low) == '0') low++;
    if (*number.at == '-') put(r, "-", 1);
    for (long place = MAX(high, 0); place >= MIN(low, 0); place--) {
        char digit = decimal_digit(&d, place);
        if (place == -1) put(r, ".", 1);
        put(r, &digit, 1);
    }
}

bool respell(const Mem *mem, Span text, FileBytes *out)
{
    Respell r = {mem, text, 0, out, true};
    out->count = 0;
    while (r.ok && r.pos < text.size) {
        uint8_t c = text.at[r.pos];
        if (c == '"') {
            put_string(&r);
            continue;
        }
        if (is_digit(c) || c == '-') {
            put_number(&r);
            continue;
        }
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') put(&r, &c, 1);
        r.pos++;
    }
    return r.ok;
}
