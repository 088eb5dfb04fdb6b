/* json_test.c: the JSON reader, decimal numbers, and JSON strings written.
 * Expected values are written by hand from RFC 8259, or come from the C
 * library's strtod (decimals). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "text/decimal.h"
#include "text/json.h"
#include "unit/faulty_mem.h"

static Mem memory;

static bool parses(Span text, weir_error *err)
{
    Json json;
    *err = (weir_error){0};
    bool ok = json_parse(&json, &memory, text, NULL, err);
    if (ok) json_free(&json);
    assert_int_equal(ok, err->status == WEIR_OK);
    return ok;
}

/* ---- what is JSON ----------------------------------------------------- */

static void accepts_every_form_of_the_grammar(void **state)
{
    static const char *const texts[] = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "10",
                                        "-12.50",
                                        "1e5",
                                        "1E+5",
                                        "0.0e-0",
                                        "1.0E10",
                                        "\"\"",
                                        "\"a\"",
                                        "[]",
                                        "{}",
                                        "[ ]",
                                        "{ }",
                                        " \t\r\n null \t\r\n ",
                                        "[1,2]",
                                        "[[],[[]],{}]",
                                        "{\"a\":1}",
                                        "{\"\":{\"\":{}}}",
                                        "{\"a\":1,\"a\":2}",
                                        "[1 , 2\n,\t3]",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "\"\\u0000\\uFFFF\\uabCD\"",
                                        "\"\\uD83D\\uDE00\"",
                                        "\"\x7F\"",
                                        "\"\xC2\x80\"",
                                        "\"\xE2\x82\xAC\"",
                                        "\"\xF0\x9F\x98\x80\"",
                                        "\"\xEF\xBF\xBF\"",
                                        "\"\xF4\x8F\xBF\xBF\"",
                                        "\"\xED\x9F\xBF\xEE\x80\x80\"",
                                        "123456789012345678901234567890",
                                        "1e999",
                                        "-1e-999",
                                        "{\"k\" : [ true , false , null ] }",
                                        "\"eight ch\"",
                                        "\"fifteen chars..\"",
                                        "\"sixteen chars...\""};
    (void)state;
    weir_error err;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (!parses(span_text(texts[i]), &err))
            fail_msg("%s: %s at %u", texts[i], err.message, err.begin);
}

typedef struct BadText {
    const char *text;
    size_t size; /* 0: up to NUL */
    uint32_t begin, end;
    const char *message;
} BadText;

static void refuses_all_else_and_says_where(void **state)
{
    static const BadText bad[] = {
        {"", 0, 0, 0, "found end of input, expected a value"},
        {"  ", 0, 2, 2, "found end of input, expected a value"},
        {"\xEF\xBB\xBF{}", 0, 0, 3, "found U+FEFF, expected a value"},
        {"nul", 0, 3, 3,
         "found end of input, expected one of true, false, null"},
        {"nulL", 0, 3, 4, "found 'L', expected one of true, false, null"},
        {"True", 0, 0, 1, "found 'T', expected a value"},
        {"truex", 0, 4, 5, "found 'x', expected the end of input"},
        {"NaN", 0, 0, 1, "found 'N', expected a value"},
        {"1 2", 0, 2, 3, "found '2', expected the end of input"},
        {"+1", 0, 0, 1, "found '+', expected a value"},
        {"01", 0, 1, 2, "found '1', expected the end of input"},
        {"-", 0, 1, 1, "found end of input, expected a digit"},
        {"-a", 0, 1, 2, "found 'a', expected a digit"},
        {".5", 0, 0, 1, "found '.', expected a value"},
        {"1.", 0, 2, 2, "found end of input, expected a digit"},
        {"1.e1", 0, 2, 3, "found 'e', expected a digit"},
        {"1e", 0, 2, 2, "found end of input, expected a digit"},
        {"1e+", 0, 3, 3, "found end of input, expected a digit"},
        {"0x1", 0, 1, 2, "found 'x', expected the end of input"},
        {"'a'", 0, 0, 1, "found ''', expected a value"},
        {"\"a", 0, 2, 2, "found end of input, expected '\"'"},
        {"\"a\\", 0, 3, 3, "found end of input, expected one of \"\\/bfnrtu"},
        {"\"\\a\"", 0, 2, 3, "found 'a', expected one of \"\\/bfnrtu"},
        {"\"\\x41\"", 0, 2, 3, "found 'x', expected one of \"\\/bfnrtu"},
        {"\"\\\0\"", 4, 2, 3, "found U+0000, expected one of \"\\/bfnrtu"},
        {"\"\\u12G4\"", 0, 5, 6, "found 'G', expected a hexadecimal digit"},
        {"\"\\u12", 0, 5, 5,
         "found end of input, expected a hexadecimal digit"},
        {"\"a\nb\"", 0, 2, 3,
         "found U+000A, expected an escape in place of a control character"},
        {"\"a\0b\"", 5, 2, 3,
         "found U+0000, expected an escape in place of a control character"},
        {"\"12345678\x1F\"", 0, 9, 10,
         "found U+001F, expected an escape in place of a control character"},
        {"\"\\uDC00\"", 0, 1, 7,
         "found an escaped low surrogate alone, expected a high one before "
         "it"},
        {"\"\\uD800\"", 0, 1, 7,
         "found an escaped high surrogate alone, expected a low one after "
         "it"},
        {"\"\\uD800\\n\"", 0, 1, 7,
         "found an escaped high surrogate alone, expected a low one after "
         "it"},
        {"\"\\uD800\\uD800\"", 0, 7, 13,
         "found another escape after a high surrogate, expected a low "
         "surrogate"},
        {"\"\\uD800\\u0041\"", 0, 7, 13,
         "found another escape after a high surrogate, expected a low "
         "surrogate"},
        {"\"\x80\"", 0, 1, 2, "found byte 0x80, expected well-formed UTF-8"},
        {"\"\xC0\x80\"", 0, 1, 2,
         "found byte 0xC0, expected well-formed UTF-8"},
        {"\"\xC3\"", 0, 1, 2, "found byte 0xC3, expected well-formed UTF-8"},
        {"\"\xE0\x80\x80\"", 0, 1, 2,
         "found byte 0xE0, expected well-formed UTF-8"},
        {"\"\xED\xA0\x80\"", 0, 1, 2,
         "found byte 0xED, expected well-formed UTF-8"},
        {"\"\xE2\x82\"", 0, 1, 2,
         "found byte 0xE2, expected well-formed UTF-8"},
        {"\"\xF4\x90\x80\x80\"", 0, 1, 2,
         "found byte 0xF4, expected well-formed UTF-8"},
        {"\"\xF5\x80\x80\x80\"", 0, 1, 2,
         "found byte 0xF5, expected well-formed UTF-8"},
        {"[", 0, 1, 1, "found end of input, expected a value or ']'"},
        {"[1", 0, 2, 2, "found end of input, expected ',' or ']'"},
        {"[1,", 0, 3, 3, "found end of input, expected a value"},
        {"[1,]", 0, 3, 4, "found ']', expected a value"},
        {"[,1]", 0, 1, 2, "found ',', expected a value or ']'"},
        {"[1}", 0, 2, 3, "found '}', expected ',' or ']'"},
        {"[1 2]", 0, 3, 4, "found '2', expected ',' or ']'"},
        {"]", 0, 0, 1, "found ']', expected a value"},
        {"[]]", 0, 2, 3, "found ']', expected the end of input"},
        {"{", 0, 1, 1, "found end of input, expected a string or '}'"},
        {"{1:2}", 0, 1, 2, "found '1', expected a string or '}'"},
        {"{a:2}", 0, 1, 2, "found 'a', expected a string or '}'"},
        {"{\"a\"}", 0, 4, 5, "found '}', expected ':'"},
        {"{\"a\" 1}", 0, 5, 6, "found '1', expected ':'"},
        {"{\"a\":}", 0, 5, 6, "found '}', expected a value"},
        {"{\"a\":1,}", 0, 7, 8, "found '}', expected a string"},
        {"{\"a\":1]", 0, 6, 7, "found ']', expected ',' or '}'"},
        {"{,}", 0, 1, 2, "found ',', expected a string or '}'"},
        {"[1] //", 0, 4, 5, "found '/', expected the end of input"},
        {"\0", 1, 0, 1, "found U+0000, expected a value"},
        {"1\0", 2, 1, 2, "found U+0000, expected the end of input"},
        {"[\f1]", 0, 1, 2, "found U+000C, expected a value or ']'"},
        {"[\xC2\xA0]", 0, 1, 3, "found U+00A0, expected a value or ']'"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const BadText *b = &bad[i];
        weir_error err;
        Span text = b->size ? span_of(b->text, b->size) : span_text(b->text);
        if (parses(text, &err)) fail_msg("accepted: %s", b->text);
        assert_int_equal(err.status, WEIR_SYNTAX);
        if (strcmp(err.message, b->message) || err.begin != b->begin ||
            err.end != b->end)
            fail_msg("%s: [%u,%u) %s", b->text, err.begin, err.end,
                     err.message);
    }
}

/* A document cut anywhere is never JSON (its last byte closes it), and the
 * report never lies beyond the cut. Exact-size copies let the address
 * sanitizer see reads beyond it. */
static void refuses_a_document_cut_at_every_byte(void **state)
{
    static const char text[] =
        "{\"a\":[1,-2.5e+10,\"x\\u00e9\\uD83D\\uDE00 \xC3\xA9\xE2\x82\xAC"
        "\xF0\x9F\x98\x80 plain text of some length\"],\"b\":{\"c\":true,"
        "\"d\":false , \"e\":null}, \"\":[[],{}]}";
    (void)state;
    weir_error err;
    assert_true(parses(SPAN(text), &err));
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        assert_false(parses(span_of(copy, n), &err));
        assert_true(err.begin <= err.end && err.end <= n);
        free(copy);
    }
}

/* Any one byte replaced: never a crash, and what is accepted is no
 * replacement of a structural byte by a control character. */
static void survives_each_byte_replaced(void **state)
{
    static const char text[] = "{\"k\\n\":[0.5,\"\xC3\xA9\",true],\"m\":{}}";
    (void)state;
    weir_error err;
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (unsigned c = 0; c < 256; c++) {
            char copy[sizeof text];
            memcpy(copy, text, sizeof text);
            copy[i] = (char)c;
            bool ok = parses(span_of(copy, sizeof text - 1), &err);
            assert_false(ok && (c < 9 || c == 11 || c == 0xFF));
        }
}

static void limits_nesting_and_size(void **state)
{
    enum { DEPTH = 200000 };
    (void)state;
    char *text = malloc(2 * DEPTH);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    Json json;
    weir_error err = {0};
    JsonLimits limits = {.max_depth = DEPTH};
    assert_true(
        json_parse(&json, &memory, span_of(text, 2 * DEPTH), &limits, &err));
    assert_int_equal(json.nodes.count, DEPTH);
    assert_int_equal(json.nodes.at[7].end, 2 * DEPTH - 7);
    json_free(&json);

    limits.max_depth = DEPTH - 1;
    assert_false(
        json_parse(&json, &memory, span_of(text, 2 * DEPTH), &limits, &err));
    assert_int_equal(err.status, WEIR_LIMIT_DEPTH);
    assert_int_equal(err.begin, DEPTH - 1);
    assert_int_equal(json.nodes.count, 0);

    err = (weir_error){0};
    assert_false(parses(span_of(text, 2 * DEPTH), &err)); /* the default */
    assert_int_equal(err.begin, JSON_MAX_DEPTH);
    err = (weir_error){0};
    limits.max_bytes = 3;
    assert_false(json_parse(&json, &memory, SPAN("[12]"), &limits, &err));
    assert_int_equal(err.status, WEIR_LIMIT_BYTES);
    assert_true(json_parse(&json, &memory, SPAN("[1]"), &limits, NULL));
    json_free(&json);
    free(text);
}

/* ---- the tree --------------------------------------------------------- */

static Json parse(const char *text)
{
    Json json;
    weir_error err = {0};
    if (!json_parse(&json, &memory, span_text(text), NULL, &err))
        fail_msg("%s", err.message);
    return json;
}

static void is(Span span, const char *text)
{
    assert_int_equal(span.size, strlen(text));
    if (span.size) assert_memory_equal(span.at, text, span.size);
}

static void keeps_order_duplicates_and_spellings(void **state)
{
    (void)state;
    Json json = parse("{\"b\": 1.0, \"a\": [true, {\"x\":-0}], "
                      "\"b\": 1e0, \"\\u0062\": \"\"}");
    static const char *const keys[] = {"b", "a", "b", "b"};
    static const char *const spelt[] = {"1.0", "[true, {\"x\":-0}]", "1e0",
                                        "\"\""};
    static const uint32_t at[] = {6, 16, 39, 54};
    uint32_t n = 0;
    for (JsonIter it = json_iter(&json, JSON_ROOT); json_step(&it); n++) {
        is(it.key, keys[n]);
        is(json_spelling(&json, it.value), spelt[n]);
        assert_int_equal(json_offset(&json, it.value), at[n]);
    }
    assert_int_equal(n, 4);
    assert_int_equal(json_count(&json, JSON_ROOT), 4);
    JsonId last = json_get(&json, JSON_ROOT, "b");
    assert_int_equal(json_kind(&json, last), JSON_STRING);
    JsonId list = json_get(&json, JSON_ROOT, "a");
    assert_int_equal(json_count(&json, list), 2);
    JsonIter it = json_iter(&json, list);
    assert_true(json_step(&it));
    assert_int_equal(json_kind(&json, it.value), JSON_TRUE);
    assert_int_equal(it.key.size, 0);
    assert_true(json_step(&it));
    is(json_spelling(&json, json_get(&json, it.value, "x")), "-0");
    assert_false(json_step(&it));
    assert_false(json_step(&it));
    json_free(&json);
}

static void missing_values_read_as_nothing(void **state)
{
    (void)state;
    Json json = parse("[1]");
    uint32_t u = 7;
    double d;
    JsonId none = json_get(&json, json_get(&json, JSON_ROOT, "a"), "b");
    assert_int_equal(none, JSON_NONE);
    assert_int_equal(json_kind(&json, none), JSON_MISSING);
    assert_int_equal(json_count(&json, none), 0);
    assert_int_equal(json_count(&json, 1), 0); /* a number */
    assert_null(json_string(&json, none).at);
    assert_null(json_string(&json, JSON_ROOT).at);
    assert_null(json_spelling(&json, none).at);
    assert_false(json_u32(&json, none, &u));
    assert_false(json_double(&json, JSON_ROOT, &d));
    assert_true(json_bool(&json, none, true));
    assert_false(json_is_string(&json, none, ""));
    JsonIter it = json_iter(&json, none);
    assert_false(json_step(&it));
    assert_string_equal(json_kind_name(json_kind(&json, JSON_ROOT)),
                        "an array");
    json_free(&json);
}

static void decodes_strings(void **state)
{
    static const struct {
        const char *spelling, *value;
        size_t size;
    } cases[] = {{"\"\"", "", 0},
                 {"\"plain\"", "plain", 5},
                 {"\"\\u0000\"", "\0", 1},
                 {"\"a\\nb\\\\c\\/\\\"\"", "a\nb\\c/\"", 7},
                 {"\"\\b\\f\\r\\t\"", "\b\f\r\t", 4},
                 {"\"\\u00e9\\u20AC\"", "\xC3\xA9\xE2\x82\xAC", 5},
                 {"\"x\\ud83d\\ude00y\"", "x\xF0\x9F\x98\x80y", 6},
                 {"\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF", 4},
                 {"\"\xC4\xA0\\u0120\"", "\xC4\xA0\xC4\xA0", 4}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Json json = parse(cases[i].spelling);
        Span got = json_string(&json, JSON_ROOT);
        assert_non_null(got.at);
        assert_int_equal(got.size, cases[i].size);
        if (got.size) assert_memory_equal(got.at, cases[i].value, got.size);
        json_free(&json);
    }
}

static void plain_strings_point_into_the_text(void **state)
{
    static const char text[] = "[\"one\", \"tw\xC3\xB6\"]";
    (void)state;
    Json json = parse(text);
    assert_ptr_equal(json_string(&json, 1).at, text + 2);
    assert_int_equal(json.pool.count, 0);
    json_free(&json);
}

/* ---- numbers ---------------------------------------------------------- */

static void reads_whole_numbers(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t value;
    } cases[] = {{"0", true, 0},
                 {"-0", true, 0},
                 {"-0.0e5", true, 0},
                 {"12", true, 12},
                 {"1e2", true, 100},
                 {"2.0", true, 2},
                 {"2.50e1", true, 25},
                 {"1200e-2", true, 12},
                 {"1.5", false, 0},
                 {"-1", false, 0},
                 {"1e-1", false, 0},
                 {"0.1e1", true, 1},
                 {"18446744073709551615", true, UINT64_MAX},
                 {"18446744073709551616", false, 0},
                 {"1e19", true, 10000000000000000000u},
                 {"1e20", false, 0},
                 {"2e19", false, 0},
                 {"1e99999999999999999999", false, 0},
                 {"0e99999999999999999999", true, 0},
                 {"0.00000000000000000001e20", true, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Json json = parse(cases[i].text);
        uint64_t value = 0;
        bool ok = json_u64(&json, JSON_ROOT, &value);
        if (ok != cases[i].ok || (ok && value != cases[i].value))
            fail_msg("%s", cases[i].text);
        json_free(&json);
    }
    uint32_t narrow;
    Json json = parse("4294967296");
    assert_false(json_u32(&json, JSON_ROOT, &narrow));
    json_free(&json);
}

static void same_double(const char *text)
{
    double want = strtod(text, NULL), got = decimal_double(span_text(text));
    if (memcmp(&want, &got, sizeof want))
        fail_msg("%s: %.17g, expected %.17g", text, got, want);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33 ^ *seed >> 20;
}

static void reads_doubles_like_the_c_library(void **state)
{
    static const char *const hard[] = {
        "0",
        "-0",
        "-0.0",
        "1",
        "0.1",
        "-11.23456",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000000001",
        "1e22",
        "1e23",
        "8.5e22",
        "123456789012345678e-5",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e99999999999",
        "-1e400",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.4703282292062329e-324",
        "1e-400",
        "1e-99999999999",
        "4.9406564584124654e-324",
        "0.000000000000000000000000000001e30",
        "6.9294956446009195e15",
        "3.5844466002796428e298",
        "1090544144181609348671888949248",
        "0.5e-323"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(hard); i++) same_double(hard[i]);
    uint64_t seed = 1;
    char text[64];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_next(&seed) << 32 ^ random_next(&seed);
        bits = bits << 31 ^ random_next(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != value || value - value != 0) continue;
        snprintf(text, sizeof text, "%.*e", (int)(bits % 25), value);
        same_double(text);
        snprintf(text, sizeof text, "%llu.%llue%d",
                 (unsigned long long)(bits % 1000000007),
                 (unsigned long long)(bits >> (bits % 64)),
                 (int)(bits % 60) - 30);
        same_double(text);
    }
}

/* Halfway between two doubles, exactly and a little beside, in full length. */
static void rounds_long_ties_right(void **state)
{
    char text[1200];
    (void)state;
    for (int step = 1; step < 40; step++) {
        double low = 4.9406564584124654e-324 * step;
        /* A double's digits end within 1074 decimals; the halfway point of
         * neighbours is a long double where that type is wider. */
        if (sizeof(long double) <= sizeof(double)) skip();
        long double half =
            ((long double)low +
             (long double)(low * 1.0 + 4.9406564584124654e-324)) /
            2;
        int n = snprintf(text, sizeof text, "%.1080Lf", half);
        same_double(text);
        memcpy(text + n, "0000001", 8);
        same_double(text);
        text[n - 5] = '0'; /* its last digits are 5 and zeros */
        same_double(text);
    }
}

/* ---- writing ---------------------------------------------------------- */

static void writes_strings(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *written;
    } cases[] = {
        {"", 0, "\"\""},
        {"plain", 5, "\"plain\""},
        {"a\"b\\c/", 6, "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
        {"\0\x1F\x7F", 3, "\"\\u0000\\u001f\\u007f\""},
        {"\xC3\xA9\xF0\x9F\x98\x80", 6, "\"\xC3\xA9\xF0\x9F\x98\x80\""},
        {"x\xC3", 2, "\"x\xEF\xBF\xBD\""},
        {"\xFF\xFE", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char buffer[64];
        Out out = {.at = buffer, .cap = sizeof buffer};
        json_write_string(&out, span_of(cases[i].bytes, cases[i].size));
        is(span_of(buffer, out.size), cases[i].written);
        Out small = {.at = buffer, .cap = 1};
        json_write_string(&small, span_of(cases[i].bytes, cases[i].size));
        assert_int_equal(small.size, out.size);
    }
}

/* Every code point, written and read again. */
static void reads_what_it_writes(void **state)
{
    (void)state;
    for (uint32_t rune = 0; rune < 0x110000; rune += rune < 0x900 ? 1 : 61) {
        uint8_t bytes[4];
        char buffer[32];
        if (rune >> 11 == 0x1B) continue;
        unsigned n = 1u + (rune >= 0x80) + (rune >= 0x800) + (rune >= 0x10000);
        uint32_t lead = n == 1 ? 0 : 0xF00u >> n & 0xFF;
        bytes[0] = (uint8_t)(lead | rune >> 6 * (n - 1));
        for (unsigned i = 1; i < n; i++)
            bytes[i] = (uint8_t)(0x80 | (rune >> 6 * (n - 1 - i) & 0x3F));
        Out out = {.at = buffer, .cap = sizeof buffer};
        json_write_string(&out, span_of(bytes, n));
        buffer[out.size] = 0;
        Json json = parse(buffer);
        Span got = json_string(&json, JSON_ROOT);
        assert_int_equal(got.size, n);
        assert_memory_equal(got.at, bytes, n);
        json_free(&json);
    }
}

/* ---- memory ----------------------------------------------------------- */

static bool parse_many(const Mem *mem, weir_error *err)
{
    static char text[4096];
    strcpy(text, "[");
    for (int i = 0; i < 200; i++) strcat(text, "\"\\n\",[],");
    strcat(text, "1]");
    Json json;
    if (!json_parse(&json, mem, span_text(text), NULL, err)) return false;
    json_free(&json);
    return true;
}

static void survives_each_allocation_failing(void **state)
{
    (void)state;
    faulty_sweep(parse_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_every_form_of_the_grammar),
        cmocka_unit_test(refuses_all_else_and_says_where),
        cmocka_unit_test(refuses_a_document_cut_at_every_byte),
        cmocka_unit_test(survives_each_byte_replaced),
        cmocka_unit_test(limits_nesting_and_size),
        cmocka_unit_test(keeps_order_duplicates_and_spellings),
        cmocka_unit_test(missing_values_read_as_nothing),
        cmocka_unit_test(decodes_strings),
        cmocka_unit_test(plain_strings_point_into_the_text),
        cmocka_unit_test(reads_whole_numbers),
        cmocka_unit_test(reads_doubles_like_the_c_library),
        cmocka_unit_test(rounds_long_ties_right),
        cmocka_unit_test(writes_strings),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(survives_each_allocation_failing)};
    memory = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
