/* json_put.c: JSON into a buffer that grows.
 * Tests: server/json_put_test.c.
 */
#include "server/json_put.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "text/json.h"

void put_free(JsonPut *out)
{
    if (out->mem) vec_free(out->mem, &out->text);
}

void put_reset(JsonPut *out)
{
    out->text.count = 0;
    out->failed = out->comma = false;
}

/* Room for `more` bytes; NULL when memory is out, or was before. */
static char *room(JsonPut *out, size_t more)
{
    size_t have = out->text.count;
    if (out->failed || more > UINT32_MAX ||
        !vec_reserve(out->mem, &out->text, have + more)) {
        out->failed = true;
        return NULL;
    }
    return out->text.at + have;
}

static void add(JsonPut *out, const char *text, size_t size)
{
    char *to = size ? room(out, size) : NULL;
    if (!to) return;
    memcpy(to, text, size);
    out->text.count += (uint32_t)size;
}

void put_raw(JsonPut *out, weir_bytes bytes)
{
    add(out, bytes.data, bytes.size);
    out->comma = false;
}

void put_literal(JsonPut *out, const char *text)
{
    put_raw(out, (weir_bytes){text, strlen(text)});
}

/* The line ends that JSON leaves as they are in strings: U+0085, U+2028 and
 * U+2029. Their bytes before `end`; 0: there is none. */
static size_t line_end(const char *begin, const char *end)
{
    size_t size = (size_t)(end - begin);
    if (size >= 2 && !memcmp(end - 2, "\xC2\x85", 2)) return 2;
    bool is_one = size >= 3 && (!memcmp(end - 3, "\xE2\x80\xA8", 3) ||
                                !memcmp(end - 3, "\xE2\x80\xA9", 3));
    return is_one ? 3 : 0;
}

/* Makes one line of a JSON text, in place, with room for three times as much:
 * what some readers of streams take for the end of a line is a blank between
 * values, or is escaped in a string. Returns its size. */
static size_t make_line(char *at, size_t size)
{
    size_t more = 0;
    for (size_t i = 0; i < size; i++) {
        size_t n = line_end(at, at + i + 1);
        if (n) more += 6 - n;
        if (at[i] == '\n' || at[i] == '\r') at[i] = ' ';
    }
    char *from = at + size, *to = from + more;
    while (from < to) {
        size_t n = line_end(at, from);
        const char *escape = n == 2               ? "\\u0085"
                             : from[-1] == '\xA8' ? "\\u2028"
                                                  : "\\u2029";
        if (!n) {
            *--to = *--from;
            continue;
        }
        from -= n;
        memcpy(to -= 6, escape, 6);
    }
    return size + more;
}

/* A byte becomes six characters at most. */
static void add_string(JsonPut *out, const char *text, size_t size)
{
    char *to = size < UINT32_MAX / 8 ? room(out, 6 * size + 2) : NULL;
    if (!to) {
        out->failed = true;
        return;
    }
    Out written = {to, 6 * size + 2, 0};
    json_write_string(&written, span_of(text, size));
    out->text.count += (uint32_t)make_line(to, written.size);
}

/* What stands before a value: a comma, the member's name. */
static void begin(JsonPut *out, const char *key)
{
    if (out->comma) add(out, ",", 1);
    if (key) {
        add(out, "\"", 1);
        add(out, key, strlen(key));
        add(out, "\":", 2);
    }
    out->comma = true;
}

void put_object(JsonPut *out, const char *key)
{
    begin(out, key);
    add(out, "{", 1);
    out->comma = false;
}

void put_array(JsonPut *out, const char *key)
{
    begin(out, key);
    add(out, "[", 1);
    out->comma = false;
}

void put_end(JsonPut *out, char bracket)
{
    add(out, &bracket, 1);
    out->comma = true;
}

void put_string(JsonPut *out, const char *key, weir_bytes text)
{
    begin(out, key);
    add_string(out, text.data, text.size);
}

void put_text(JsonPut *out, const char *key, const char *text)
{
    begin(out, key);
    if (text)
        add_string(out, text, strlen(text));
    else
        add(out, "null", 4);
}

void put_format(JsonPut *out, const char *key, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < sizeof text);
    begin(out, key);
    add_string(out, text, n > 0 ? MIN((size_t)n, sizeof text - 1) : 0);
}

void put_date(JsonPut *out, const char *key, time_t when)
{
    struct tm tm = {.tm_year = 70};
    char text[32];
    gmtime_r(&when, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    put_text(out, key, text);
}

void put_uint(JsonPut *out, const char *key, uint64_t number)
{
    char text[24];
    begin(out, key);
    add(out, text,
        (size_t)snprintf(text, sizeof text, "%llu",
                         (unsigned long long)number));
}

void put_int(JsonPut *out, const char *key, int64_t number)
{
    char text[24];
    begin(out, key);
    add(out, text,
        (size_t)snprintf(text, sizeof text, "%lld", (long long)number));
}

void put_number(JsonPut *out, const char *key, double number, int digits)
{
    char text[40];
    begin(out, key);
    if (!isfinite(number)) {
        add(out, "null", 4);
        return;
    }
    add(out, text, (size_t)snprintf(text, sizeof text, "%.*g", digits, number));
}

void put_bool(JsonPut *out, const char *key, bool value)
{
    begin(out, key);
    add(out, value ? "true" : "false", value ? 4 : 5);
}

void put_null(JsonPut *out, const char *key)
{
    begin(out, key);
    add(out, "null", 4);
}

/* Bytes that are no UTF-8 can only stand in strings: U+FFFD there. */
static void add_repaired(JsonPut *out, Span text)
{
    for (size_t pos = utf8_check(text), begin = 0; begin < text.size;) {
        add(out, (const char *)text.at + begin, pos - begin);
        if (pos == text.size) return;
        add(out, "\xEF\xBF\xBD", 3);
        begin = pos + 1;
        pos = begin + utf8_check(span_of(text.at + begin, text.size - begin));
    }
}

void put_json(JsonPut *out, const char *key, weir_bytes json)
{
    begin(out, key);
    uint32_t at = out->text.count;
    if (json.size)
        add_repaired(out, span_of(json.data, json.size));
    else
        add(out, "null", 4);
    size_t size = out->text.count - at;
    if (!room(out, 2 * size)) return;
    out->text.count = at + (uint32_t)make_line(out->text.at + at, size);
}

void put_key(JsonPut *out, weir_bytes key)
{
    begin(out, NULL);
    add_string(out, key.data, key.size);
    add(out, ":", 1);
    out->comma = false;
}
