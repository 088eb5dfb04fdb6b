/* convert_llama_test.c: JSON Schema -> GBNF as llama.cpp does it.
 *
 * Both files are records of llama.cpp 0.4.0: a schema, and the grammar that its
 * converter makes of it or the error that it throws, and what it prints.
 * ../shared/data/llamacpp has 313; where it is missing that test is skipped.
 * tests/cases has 254 more, of odd schemas, broken JSON, and random ones.
 * In the records each run of bytes that is no UTF-8 is U+FFFD.
 */
#include "base/utf8.h"
#include "text/json.h"
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

typedef VEC(char) Text;

static Mem mem;

static void read_file(const char *path, Text *text)
{
    FILE *file = fopen(path, "rb");
    size_t n = 1;
    if (!file) skip();
    while (n) {
        assert_true(vec_reserve(&mem, text, text->count + 65536u));
        n = fread(text->at + text->count, 1, 65536, file);
        text->count += (uint32_t)n;
    }
    fclose(file);
}

/* As the records have it, ended by NUL. To be freed. */
static char *recorded(weir_bytes bytes)
{
    Span text = span_of(bytes.data, bytes.size);
    char *out = malloc(3 * text.size + 1), *at = out;
    bool was_bad = false;
    assert_non_null(out);
    for (size_t pos = 0; pos < text.size;) {
        size_t begin = pos;
        bool is_bad = utf8_decode(text, &pos) == RUNE_BAD;
        if (!is_bad) {
            memcpy(at, text.at + begin, pos - begin);
            at += pos - begin;
        } else if (!was_bad) {
            memcpy(at, "\xEF\xBF\xBD", 3);
            at += 3;
        }
        was_bad = is_bad;
    }
    *at = 0;
    return out;
}

/* JSON_NONE means the empty text. */
static void expect_text(const Json *json, const char *key, weir_bytes bytes)
{
    Span want = json_string(json, json_get(json, JSON_ROOT, key));
    char *got = recorded(bytes);
    if (!span_equal(span_text(got), want))
        fail_msg("%s of %.*s\n%s\nrecorded:\n%.*s", key, (int)json->text.size,
                 (const char *)json->text.at, got, (int)want.size,
                 (const char *)want.at);
    free(got);
}

static void expect_error(const Json *json, Span want, size_t source_size,
                         const weir_error *err)
{
    enum { MOST = sizeof err->message - 1 };
    Span got = span_text(err->message);
    if (!span_equal(got, span_of(want.at, MIN(want.size, (size_t)MOST))))
        fail_msg("%.*s: %s", (int)json->text.size, (const char *)json->text.at,
                 err->message);
    assert_int_not_equal(err->status, WEIR_OK);
    assert_true(err->begin <= err->end && err->end <= source_size);
}

static void check_record(const Json *json)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    Span schema = json_string(json, json_get(json, JSON_ROOT, "schema"));
    JsonId error = json_get(json, JSON_ROOT, "error");
    weir_bytes source = {(const char *)schema.at, schema.size};
    weir_conversion *c =
        weir_convert(NULL, WEIR_JSON_SCHEMA, source, WEIR_GBNF, &opts, &err);
    if (error != JSON_NONE) {
        assert_null(c);
        expect_error(json, json_string(json, error), schema.size, &err);
        return;
    }
    if (!c) fail_msg("%s", err.message);
    weir_bytes warnings = weir_conversion_warnings(c);
    if (warnings.size && warnings.data[warnings.size - 1] == '\n')
        warnings.size--;
    expect_text(json, "gbnf", weir_conversion_text(c));
    expect_text(json, "warning", warnings);
    weir_conversion_free(c);
}

static uint32_t check_file(const char *path)
{
    Text text = {0};
    uint32_t count = 0;
    read_file(path, &text);
    for (char *at = text.at, *end = at + text.count; at < end; count++) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        Json json;
        weir_error err;
        assert_non_null(stop);
        if (!json_parse(&json, &mem, span_of(at, (size_t)(stop - at)), NULL,
                        &err))
            fail_msg("%s", err.message);
        check_record(&json);
        json_free(&json);
        at = stop + 1;
    }
    vec_free(&mem, &text);
    return count;
}

static void shared_records(void **state)
{
    (void)state;
    assert_int_equal(check_file("../shared/data/llamacpp/schema_to_gbnf.jsonl"),
                     313);
}

static void own_records(void **state)
{
    (void)state;
    assert_int_equal(check_file("tests/cases/schema_to_gbnf_recorded.jsonl"),
                     254);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_records),
        cmocka_unit_test(shared_records),
    };
    mem = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
