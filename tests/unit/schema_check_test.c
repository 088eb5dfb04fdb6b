/* schema_check_test.c: weir_schema_check as a caller sees it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "weir/weir.h"

static weir_bytes bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
    "\"minlength\":1,\"pattern\":\"a\"}},\"required\":[\"a\"]}";
static const char mistake[] =
    "found the unknown keyword \"minlength\", which 2020-12 ignores, expected "
    "\"minLength\", at #/properties/a/minlength\n";
static const char advice[] =
    "found no ^ and no $: any text may stand around the match, at "
    "#/properties/a/pattern\n";
static const char strict[] =
    "found an open object, expected \"additionalProperties\": false, at #\n";

static void assert_lines(uint32_t kinds, const char *expected)
{
    char text[512];
    weir_error err;
    size_t size =
        weir_schema_check(bytes(schema), kinds, NULL, text, sizeof text, &err);
    assert_int_equal(err.status, WEIR_OK);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(text, expected, size);
}

static void kinds(void **state)
{
    (void)state;
    assert_lines(0, "");
    assert_lines(WEIR_CHECK_MISTAKES, mistake);
    assert_lines(WEIR_CHECK_ADVICE, advice);
    assert_lines(WEIR_CHECK_OPENAI_STRICT, strict);
    char all[512];
    strcpy(all, mistake);
    strcat(all, advice);
    strcat(all, strict);
    assert_lines(WEIR_CHECK_MISTAKES | WEIR_CHECK_ADVICE |
                     WEIR_CHECK_OPENAI_STRICT,
                 all);
}

/* A buffer that is too small is filled, and nothing is written behind it. */
static void small_buffers(void **state)
{
    (void)state;
    size_t need = strlen(mistake);
    for (size_t room = 0; room <= need + 1; room++) {
        char text[256];
        memset(text, '!', sizeof text);
        size_t size = weir_schema_check(bytes(schema), WEIR_CHECK_MISTAKES,
                                        NULL, text, room, NULL);
        size_t written = room < need ? room : need;
        assert_int_equal(size, need);
        assert_memory_equal(text, mistake, written);
        assert_int_equal(text[written], '!');
    }
    assert_int_equal(weir_schema_check(bytes(schema), WEIR_CHECK_MISTAKES, NULL,
                                       NULL, 0, NULL),
                     need);
}

static void failures(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        weir_status status;
        const char *pointer;
    } rows[] = {
        {"{", WEIR_SYNTAX, ""},
        {"7", WEIR_SYNTAX, "#"},
        {"{\"type\":\"strin\"}", WEIR_SYNTAX, "#/type"},
        {"{\"items\":{\"required\":\"a\"}}", WEIR_SYNTAX, "#/items/required"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_error err;
        char text[8] = "";
        size_t size = weir_schema_check(bytes(rows[i].text), 0, NULL, text,
                                        sizeof text, &err);
        assert_true(size == SIZE_MAX);
        assert_int_equal(err.status, rows[i].status);
        assert_string_equal(err.pointer, rows[i].pointer);
        assert_string_equal(text, "");
    }
}

static void options(void **state)
{
    (void)state;
    weir_compile_opts opts = {.size = sizeof opts};
    char text[256] = "";
    weir_error err;
    weir_bytes old = bytes("{\"const\":1}");
    assert_int_equal(weir_schema_check(old, WEIR_CHECK_MISTAKES, &opts, text,
                                       sizeof text, &err),
                     0);
    opts.schema.draft = WEIR_DRAFT_4;
    assert_true(weir_schema_check(old, WEIR_CHECK_MISTAKES, &opts, text,
                                  sizeof text, &err) < SIZE_MAX);
    assert_non_null(strstr(text, "which draft 4 ignores"));
    opts.limits.max_source = 4;
    assert_true(weir_schema_check(old, 0, &opts, NULL, 0, &err) == SIZE_MAX);
    assert_int_equal(err.status, WEIR_LIMIT_BYTES);
    struct {
        weir_compile_opts known;
        uint64_t later;
    } newer = {{.size = sizeof newer}, 1};
    assert_true(weir_schema_check(old, 0, &newer.known, NULL, 0, &err) ==
                SIZE_MAX);
    assert_int_equal(err.status, WEIR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(small_buffers),
        cmocka_unit_test(failures),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
