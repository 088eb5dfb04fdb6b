/* meaning.c: JSON values -> canonical bytes.
 *
 * Every value begins with a letter of its type; strings and numbers then have
 * their size, so no value is the beginning of another. A number is its sign,
 * its digits without zeros at the ends, and the exponent of the last digit.
 * Exponents beyond 10^15 count as 10^15.
 * Cost: linear; of objects, n log n in the members.
 * Tests: unit/unique_test.c.
 */
#include "matcher/meaning.h"

#include <stdlib.h>

#include "base/unescape.h"

#define MAX_EXPONENT 1000000000000000

typedef struct Reader {
    const Mem *mem;
    Span text;
    size_t pos;
    MeaningBytes *out;
    bool failed; /* no memory */
} Reader;

static void put(Reader *r, const void *data, size_t nbytes)
{
    size_t want = (size_t)r->out->count + nbytes;
    assert(r->mem || want <= r->out->cap);
    if (r->failed || !vec_reserve(r->mem, r->out, want)) {
        r->failed = true;
        return;
    }
    if (nbytes) memcpy(r->out->at + r->out->count, data, nbytes);
    r->out->count += (uint32_t)nbytes;
}

static void put_byte(Reader *r, char byte)
{
    put(r, &byte, 1);
}

static int look(const Reader *r)
{
    return r->pos < r->text.size ? r->text.at[r->pos] : -1;
}

static void skip_blanks(Reader *r)
{
    while (look(r) == ' ' || look(r) == '\t' || look(r) == '\n' ||
           look(r) == '\r')
        r->pos++;
}

/* From the byte after the opening quote to behind the closing one. */
static void read_chars(Reader *r)
{
    Unescape u = {0};
    uint8_t bytes[UNESCAPE_MAX];
    unsigned n;
    UnescapeEnd end = UNESCAPE_MORE;
    while (end == UNESCAPE_MORE && look(r) >= 0) {
        end = unescape_byte(&u, r->text.at[r->pos++], bytes, &n);
        put(r, bytes, n);
    }
}

static void read_string(Reader *r)
{
    put_byte(r, '"');
    uint32_t at = r->out->count, size = 0;
    put(r, &size, sizeof size);
    r->pos++;
    read_chars(r);
    if (r->failed) return;
    size = r->out->count - at - (uint32_t)sizeof size;
    memcpy(r->out->at + at, &size, sizeof size);
}

/* ---- numbers ---- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Appends digits but for leading zeros; how many places were read. */
static int64_t read_digits(Reader *r, uint32_t start)
{
    int64_t places = 0;
    for (; is_digit(look(r)); r->pos++, places++) {
        uint8_t digit = (uint8_t)look(r);
        if (digit != '0' || r->out->count > start) put(r, &digit, 1);
    }
    return places;
}

static int64_t read_exponent(Reader *r)
{
    int64_t value = 0;
    if (look(r) != 'e' && look(r) != 'E') return 0;
    r->pos++;
    bool is_negative = look(r) == '-';
    if (look(r) == '-' || look(r) == '+') r->pos++;
    for (; is_digit(look(r)); r->pos++)
        if (value < MAX_EXPONENT) value = value * 10 + (look(r) - '0');
    value = MIN(value, MAX_EXPONENT);
    return is_negative ? -value : value;
}

static void read_number(Reader *r)
{
    bool is_negative = look(r) == '-';
    r->pos += is_negative;
    put_byte(r, is_negative ? '-' : '+');
    uint32_t start = r->out->count;
    read_digits(r, start);
    int64_t exponent = 0;
    if (look(r) == '.') {
        r->pos++;
        exponent = -read_digits(r, start);
    }
    exponent += read_exponent(r);
    if (r->failed) return;
    while (r->out->count > start && r->out->at[r->out->count - 1] == '0') {
        r->out->count--;
        exponent++;
    }
    if (r->out->count == start) { /* 0 has neither sign nor exponent */
        r->out->at[start - 1] = '+';
        exponent = 0;
    }
    put_byte(r, 'e');
    put(r, &exponent, sizeof exponent);
}

/* ---- containers ---- */

static void read_value(Reader *r, unsigned depth);

static void read_elements(Reader *r, unsigned depth)
{
    put_byte(r, '[');
    r->pos++;
    skip_blanks(r);
    while (look(r) >= 0 && look(r) != ']' && !r->failed) {
        read_value(r, depth + 1);
        skip_blanks(r);
        if (look(r) == ',') r->pos++;
        skip_blanks(r);
    }
    r->pos += look(r) == ']';
    put_byte(r, ']');
}

static int order_members(const void *x, const void *y)
{
    return span_compare(*(const Span *)x, *(const Span *)y);
}

/* Puts the members, whose bytes begin at `start` and at each of `begins`, in
 * order. */
static void sort_members(Reader *r, uint32_t start, const uint32_t *begins,
                         uint32_t count)
{
    size_t nbytes = r->out->count - start;
    Span *members = mem_new(r->mem, count * sizeof *members + nbytes);
    if (!members) {
        r->failed = true;
        return;
    }
    uint8_t *copy = (uint8_t *)(members + count);
    memcpy(copy, r->out->at + start, nbytes);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = i + 1 < count ? begins[i + 1] : r->out->count;
        members[i] = span_of(copy + (begins[i] - start), end - begins[i]);
    }
    qsort(members, count, sizeof *members, order_members);
    r->out->count = start;
    for (uint32_t i = 0; i < count; i++) put(r, members[i].at, members[i].size);
    mem_free(r->mem, members, count * sizeof *members + nbytes);
}

static void read_members(Reader *r, unsigned depth)
{
    VEC(uint32_t) begins = {0};
    put_byte(r, '{');
    uint32_t start = r->out->count;
    r->pos++;
    skip_blanks(r);
    while (look(r) >= 0 && look(r) != '}' && !r->failed) {
        if (!vec_push(r->mem, &begins, r->out->count)) r->failed = true;
        read_value(r, depth + 1);
        skip_blanks(r);
        if (look(r) == ':') r->pos++;
        skip_blanks(r);
        read_value(r, depth + 1);
        skip_blanks(r);
        if (look(r) == ',') r->pos++;
        skip_blanks(r);
    }
    r->pos += look(r) == '}';
    if (begins.count > 1 && !r->failed)
        sort_members(r, start, begins.at, begins.count);
    vec_free(r->mem, &begins);
    put_byte(r, '}');
}

/* A literal, or what is no JSON: up to the next mark of structure. */
static void read_word(Reader *r)
{
    size_t start = r->pos;
    do r->pos++;
    while (look(r) >= 0 && !strchr(",:]} \t\n\r", look(r)));
    put_byte(r, 'w');
    put(r, r->text.at + start, r->pos - start);
    put_byte(r, 0);
}

/* The rest of the text as it is written. */
static void read_raw(Reader *r)
{
    put_byte(r, 'r');
    put(r, r->text.at + r->pos, r->text.size - r->pos);
    r->pos = r->text.size;
}

static void read_value(Reader *r, unsigned depth)
{
    skip_blanks(r);
    int c = look(r);
    if (c < 0) return;
    if (depth == MEANING_DEPTH)
        read_raw(r);
    else if (c == '"')
        read_string(r);
    else if (c == '[')
        read_elements(r, depth);
    else if (c == '{')
        read_members(r, depth);
    else if (c == '-' || is_digit(c))
        read_number(r);
    else
        read_word(r);
}

bool meaning_value(const Mem *mem, Span text, MeaningBytes *out)
{
    Reader r = {.mem = mem, .text = text, .out = out};
    read_value(&r, 0);
    return !r.failed;
}

bool meaning_string(const Mem *mem, Span text, MeaningBytes *out)
{
    Reader r = {.mem = mem, .text = text, .out = out, .pos = 1};
    if (text.size && text.at[0] == '"') {
        read_chars(&r);
    } else {
        put(&r, text.at, text.size);
    }
    return !r.failed;
}

uint32_t meaning_number(Span text, uint8_t *out, uint32_t room)
{
    MeaningBytes bytes = {.at = out, .cap = room};
    Reader r = {.text = text, .out = &bytes}; /* no memory is asked for */
    assert(text.size + MEANING_ROOM <= room);
    read_number(&r);
    return bytes.count;
}
