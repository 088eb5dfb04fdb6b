/* json_scan_test.c: the scan against the parser of text/json.h: it finds the
 * same texts good, and the same end of a value in front of other text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "calls/json_scan.h"
#include "oracle/rng.h"
#include "text/json.h"

static const char *const values[] = {
    "{}",
    "[]",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-12.50e+3",
    "1E9",
    "0.1",
    "\"\"",
    "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"",
    "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
    "{\"a\": [1, {\"b\":null }, [[]]], \"\": \"x\"}",
    " \n\t\r[ 1 ,2, \"]\" ]",
    "[\"\xED\x9F\xBF\", \"\xEE\x80\x80\", \"\xF4\x8F\xBF\xBF\", 1e5]",
};

static Mem mem;

/* Whether the whole text is one value, blanks after it allowed. */
static bool scan_takes(Span text)
{
    JsonScan scan = {0};
    ScanResult result = SCAN_MORE;
    size_t at = 0;
    json_scan_begin(&scan);
    while (at < text.size && result == SCAN_MORE)
        result = json_scan_step(&scan, &mem, text.at[at++]);
    if (result == SCAN_OVER) at--;
    bool ok = result == SCAN_DONE || result == SCAN_OVER ||
              (result == SCAN_MORE && json_scan_is_whole(&scan));
    while (at < text.size && strchr(" \n\t\r", text.at[at]) && text.at[at])
        at++;
    json_scan_free(&scan, &mem);
    return ok && at == text.size;
}

static bool parser_takes(Span text)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    if (!json_parse(&json, &mem, text, NULL, &err)) return false;
    json_free(&json);
    return true;
}

static void good_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(scan_takes(span_text(values[i])));
}

/* Values with some bytes changed, taken out or put in. */
static void changed_values(void **state)
{
    (void)state;
    static const char bytes[] = "{}[]\":,-+.eE019tfnull\\/bu \n\x01\x80\xC3\xA9"
                                "\xED\xA0\xF4\x90\xFF";
    Rng rng = {20261130};
    unsigned good = 0;
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t text[128];
        const char *from = values[rng_below(&rng, COUNT_OF(values))];
        size_t size = strlen(from);
        memcpy(text, from, size);
        for (uint32_t edits = rng_below(&rng, 3); edits && size; edits--) {
            size_t at = rng_below(&rng, (uint32_t)size);
            uint8_t byte = (uint8_t)bytes[rng_below(&rng, sizeof bytes - 1)];
            switch (rng_below(&rng, 3)) {
            case 0:
                text[at] = byte;
                break;
            case 1:
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
                break;
            default:
                memmove(text + at + 1, text + at, size - at);
                text[at] = byte;
                size++;
            }
        }
        Span span = span_of(text, size);
        bool takes = parser_takes(span);
        good += takes;
        if (scan_takes(span) != takes)
            fail_msg("%.*s: the parser says %d", (int)size, (char *)text,
                     takes);
    }
    assert_in_range(good, 20000, 180000);
}

/* The end is found in front of anything. */
static void ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        JsonScan scan = {0};
        size_t size = strlen(values[i]), at = 0;
        json_scan_begin(&scan);
        ScanResult result = SCAN_MORE;
        while (result == SCAN_MORE && at < size)
            result = json_scan_step(&scan, &mem, (uint8_t)values[i][at++]);
        assert_int_equal(at, size);
        if (result != SCAN_DONE)
            assert_int_equal(json_scan_step(&scan, &mem, '<'), SCAN_OVER);
        json_scan_free(&scan, &mem);
    }
}

static void depth(void **state)
{
    (void)state;
    JsonScan scan = {0};
    json_scan_begin(&scan);
    for (unsigned i = 0; i < SCAN_MAX_DEPTH; i++)
        assert_int_equal(json_scan_step(&scan, &mem, '['), SCAN_MORE);
    assert_int_equal(json_scan_step(&scan, &mem, '['), SCAN_BAD);
    json_scan_free(&scan, &mem);
}

int main(void)
{
    mem = mem_from_env(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_values),
        cmocka_unit_test(changed_values),
        cmocka_unit_test(ends),
        cmocka_unit_test(depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
