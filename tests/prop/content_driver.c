/* content_driver.c: the content rule over answers.
 *
 * In: lines, each a JSON string whose characters are an answer: a JSON value.
 * Each answer is put into the dresses that a model may give it; then it is
 * known by construction what the content of every prefix is: the part of the
 * value that has come, less what the cut leaves unfinished. All prefixes go
 * through weir_content_find, and byte by byte through a stream; of the first
 * SPLIT answers every split in two, and in as many pieces as random cuts make.
 * Out: what was counted. Exit 1 at the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/json.h"
#include "weir/content.h"

enum { SPLIT = 500, LONGEST = 1 << 16, CUTS = 20 };

typedef struct Dress {
    const char *before, *after;
} Dress;
static const Dress dresses[] = {
    {"", ""},
    {" ", "\n"},
    {"```json\n", "\n```"},
    {"\n\n  ```json", "```"},
};

typedef struct Text {
    char at[LONGEST];
    size_t size, begin, end; /* of the value */
} Text;

static Text text;
static unsigned long answers, prefixes, splits;

static void fail(const char *what, size_t at)
{
    fprintf(stderr, "%s at byte %zu of %.*s\n", what, at, (int)text.size,
            text.at);
    exit(1);
}

/* Where the value's text [0, n) may be cut: not within an escape or a
 * character, to the place before it. */
static size_t whole_part(const char *value, size_t n)
{
    size_t good = 0;
    bool in_string = false;
    for (size_t i = 0; i < n;) {
        size_t size = 1;
        unsigned char c = (unsigned char)value[i];
        if (c >= 0xC0) size = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (c == '"') in_string = !in_string;
        if (c == '\\' && in_string)
            size = i + 1 < n && value[i + 1] == 'u' ? 6 : 2;
        if (i + size > n) break;
        i += size;
        good = i;
    }
    return good;
}

/* The content of the first n bytes, by construction. */
static weir_bytes expected(size_t n)
{
    size_t size = n < text.begin ? 0 : n - text.begin;
    if (n >= text.end) size = text.end - text.begin;
    const char *value = text.at + text.begin;
    return (weir_bytes){value, whole_part(value, size)};
}

static bool same(weir_bytes a, weir_bytes b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* ---- the checks ---- */

static weir_content *stream;
static char joined[LONGEST];
static size_t joined_size;

static void stream_begin(void)
{
    weir_content_reset(stream);
    joined_size = 0;
}

static void push(size_t from, size_t to)
{
    weir_bytes more;
    weir_bytes piece = {text.at + from, to - from};
    if (weir_content_push(stream, piece, &more) != WEIR_OK)
        fail("out of memory", from);
    memcpy(joined + joined_size, more.data, more.size);
    joined_size += more.size;
}

static void check_joined(size_t n)
{
    if (!same((weir_bytes){joined, joined_size}, expected(n)))
        fail("another stream", n);
}

static void check_prefixes(void)
{
    stream_begin();
    for (size_t n = 0; n <= text.size; n++) {
        weir_bytes prefix = {text.at, n};
        weir_bytes want = expected(n);
        weir_bytes found = weir_content_find(WEIR_CONTENT_JSON, prefix);
        weir_bytes message = weir_content_message(WEIR_CONTENT_JSON, prefix);
        if (!same(found, want)) fail("another content", n);
        if (!same(message, want.size ? want : prefix))
            fail("another message", n);
        if (n) push(n - 1, n);
        check_joined(n);
        prefixes++;
    }
}

static void check_splits(unsigned *random)
{
    for (size_t at = 0; at <= text.size; at++) {
        stream_begin();
        push(0, at);
        check_joined(at);
        push(at, text.size);
        check_joined(text.size);
        splits++;
    }
    for (int i = 0; i < CUTS; i++, splits++) {
        stream_begin();
        for (size_t from = 0, to; from < text.size; from = to) {
            *random = *random * 1664525u + 1013904223u;
            to = from + 1 + (*random >> 8) % 9;
            if (to > text.size) to = text.size;
            push(from, to);
        }
        check_joined(text.size);
    }
}

/* ---- answers ---- */

static void dress(const Dress *d, Span value)
{
    size_t before = strlen(d->before), after = strlen(d->after);
    text.begin = before;
    text.end = before + value.size;
    text.size = text.end + after;
    memcpy(text.at, d->before, before);
    memcpy(text.at + before, value.at, value.size);
    memcpy(text.at + text.end, d->after, after);
}

static void check_answer(const char *line, size_t size, unsigned *random)
{
    Mem mem = mem_from_env(NULL);
    Json json;
    if (!json_parse(&json, &mem, span_of(line, size), NULL, NULL)) {
        fprintf(stderr, "no JSON: %s\n", line);
        exit(2);
    }
    Span value = json_string(&json, JSON_ROOT);
    if (value.size + 32 > LONGEST) exit(2);
    for (size_t i = 0; i < sizeof dresses / sizeof *dresses; i++) {
        dress(&dresses[i], value);
        check_prefixes();
        if (answers < SPLIT) check_splits(random);
    }
    answers++;
    json_free(&json);
}

int main(void)
{
    static char line[6 * LONGEST];
    unsigned random = 1;
    stream = weir_content_new(NULL, WEIR_CONTENT_JSON, NULL);
    if (!stream) return 2;
    while (fgets(line, sizeof line, stdin))
        check_answer(line, strlen(line), &random);
    weir_content_free(stream);
    printf("%lu answers, %lu prefixes, %lu splits\n", answers, prefixes,
           splits);
    return 0;
}
