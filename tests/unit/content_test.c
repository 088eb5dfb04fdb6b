/* content_test.c: the content rule on single outputs, well formed and not;
 * the cases of the checklist, 158 to 163; memory.
 */
#include <string.h>

#include "unit/faulty_mem.h"
#include "weir/content.h"

static weir_bytes bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static void assert_content(const char *output, const char *want)
{
    weir_bytes found = weir_content_find(WEIR_CONTENT_JSON, bytes(output));
    if (found.size != strlen(want) || memcmp(found.data, want, found.size) != 0)
        fail_msg("%s: found \"%.*s\", expected \"%s\"", output, (int)found.size,
                 found.data, want);
}

/* 158, 159, 160 */
static void values(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{\"a\":1}", "{\"a\":1}"},
        {" \n\t\r{\"a\":1} \n", "{\"a\":1}"},
        {"```json\n[1,2]\n```", "[1,2]"},
        {"  ```json {}```", "{}"},
        {"```json\"a```b\"```", "\"a```b\""},
        {"{\"a\":\"}\"}x", "{\"a\":\"}\"}"},
        {"[\"\\\"]\"]", "[\"\\\"]\"]"},
        {"\"a\\\\\" b", "\"a\\\\\""},
        {"12.5e3 x", "12.5e3"},
        {"```json\ntrue```", "true"},
        {"null", "null"},
        {"-1", "-1"},
        {"[[[]]]]", "[[[]]]"},
        /* open values */
        {"", ""},
        {"   ", ""},
        {"{", "{"},
        {"{\"a\": \"b c", "{\"a\": \"b c"},
        {"{\"a\": 1 \n ", "{\"a\": 1 \n "},
        {"tru", "tru"},
        {"\"", "\""},
        /* an escape or a character that is cut */
        {"\"a\\", "\"a"},
        {"\"a\\u", "\"a"},
        {"\"a\\u12", "\"a"},
        {"\"a\\u123", "\"a"},
        {"\"a\\u1234", "\"a\\u1234"},
        {"\"a\\n", "\"a\\n"},
        {"{\"\\", "{\""},
        {"{\"a\":\"\xC3", "{\"a\":\""},
        {"\"\xF0\x9F\x98", "\""},
        {"\"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80"},
        {"\"\xF0\x9F\\u1", "\""}, /* both */
        /* fences that are cut */
        {"`", ""},
        {"```js", ""},
        {"```json", ""},
        {"```json\n", ""},
        {"```json\n{", "{"},
        /* and what is none */
        {"``` {}", ""},
        {"```yaml\n{}", ""},
        {"```json```json{}", ""},
        {"Here is {}", "Here"},
        {"}", "}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_content(rows[i][0], rows[i][1]);
}

static bool same(weir_bytes a, const char *text)
{
    return a.size == strlen(text) && !memcmp(a.data, text, a.size);
}

/* 161: an empty content of an answer that is not streamed is the raw text.
 * 162: a stream never gives that; without a constraint all passes. */
static void messages(void **state)
{
    (void)state;
    assert_true(
        same(weir_content_message(WEIR_CONTENT_JSON, bytes("```js")), "```js"));
    assert_true(
        same(weir_content_message(WEIR_CONTENT_JSON, bytes(" 1 ")), "1"));
    assert_true(
        same(weir_content_message(WEIR_CONTENT_TEXT, bytes(" 1 ")), " 1 "));
    weir_content *c = weir_content_new(NULL, WEIR_CONTENT_JSON, NULL);
    weir_bytes more;
    assert_int_equal(weir_content_push(c, bytes("```js"), &more), WEIR_OK);
    assert_int_equal(more.size, 0);
    assert_int_equal(weir_content_push(c, bytes("on\n7"), &more), WEIR_OK);
    assert_true(same(more, "7"));
    assert_false(weir_content_is_closed(c));
    assert_int_equal(weir_content_push(c, bytes("```"), &more), WEIR_OK);
    assert_true(more.size == 0 && weir_content_is_closed(c));
    weir_content_free(c);
}

/* Case stream-utf8-split: without a constraint, too, each delta is whole
 * characters. */
static void text_in_pieces(void **state)
{
    (void)state;
    static const char *const pieces[] = {"\xF0\x9F", "\x98", "\x80",
                                         "\xE4\xB8", "\xAD", "a\xC3"};
    static const char *const deltas[] = {
        "", "", "\xF0\x9F\x98\x80", "", "\xE4\xB8\xAD", "a"};
    weir_content *c = weir_content_new(NULL, WEIR_CONTENT_TEXT, NULL);
    for (int i = 0; i < 6; i++) {
        weir_bytes more;
        assert_int_equal(weir_content_push(c, bytes(pieces[i]), &more),
                         WEIR_OK);
        assert_true(same(more, deltas[i]));
    }
    assert_false(weir_content_is_closed(c));
    weir_content_reset(c);
    weir_bytes more;
    assert_int_equal(weir_content_push(c, bytes("\xA9"), &more), WEIR_OK);
    assert_true(same(more, "\xA9")); /* no character's begin: not held */
    weir_content_free(c);
}

static void rules(void **state)
{
    (void)state;
    for (int kind = 0; kind <= WEIR_STRUCTURAL_TAG; kind++) {
        bool is_json = kind == WEIR_JSON_VALUE || kind == WEIR_JSON_OBJECT ||
                       kind == WEIR_JSON_SCHEMA;
        assert_int_equal(weir_content_rule_of((weir_source_kind)kind),
                         is_json ? WEIR_CONTENT_JSON : WEIR_CONTENT_TEXT);
    }
    weir_error err;
    assert_null(weir_content_new(NULL, (weir_content_rule)7, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    weir_content_free(NULL);
}

/* A push that fails has done nothing: the same again gives what it would. */
static bool work(const Mem *mem, weir_error *err)
{
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    static const char *const pieces[] = {" {\"a\":\"\\u", "00e9",
                                         "0123456789 and so on\"}", "x"};
    static const char *const wants[] = {"{\"a\":\"", "\\u00e9",
                                        "0123456789 and so on\"}", ""};
    weir_content *c = weir_content_new(&env, WEIR_CONTENT_JSON, err);
    bool ok = c;
    for (int i = 0; ok && i < 4; i++) {
        weir_bytes more;
        ok = weir_content_push(c, bytes(pieces[i]), &more) == WEIR_OK;
        if (ok) assert_true(same(more, wants[i]));
        if (!ok) err->status = WEIR_NO_MEMORY;
    }
    weir_content_free(c);
    return ok;
}

static void memory_out(void **state)
{
    (void)state;
    faulty_sweep(work);
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 158, 159, 160: values", values),
        ITEM("item 161, 162: messages", messages),
        cmocka_unit_test(text_in_pieces),
        cmocka_unit_test(rules),
        cmocka_unit_test(memory_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
