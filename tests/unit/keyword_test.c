/* keyword_test.c: the table of keywords: its order, look-up by name, and the
 * drafts of keywords that came or went. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/keyword.h"

static void names_find_themselves(void **state)
{
    (void)state;
    for (unsigned id = 1; id < KEYWORD_COUNT; id++) {
        const Keyword *k = &keyword_table[id];
        assert_int_equal(strlen(k->name), k->size);
        assert_int_equal(keyword_find(span_text(k->name)), id);
        if (id > 1) assert_true(k[-1].size <= k->size);
    }
}

static void near_names_find_nothing(void **state)
{
    (void)state;
    char text[32];
    for (unsigned id = 1; id < KEYWORD_COUNT; id++) {
        const Keyword *k = &keyword_table[id];
        for (unsigned at = 0; at < k->size; at++) {
            memcpy(text, k->name, k->size);
            text[at] = '#';
            Span name = span_of(text, k->size);
            assert_int_equal(keyword_find(name), KEYWORD_NONE);
        }
        text[k->size] = '#';
        memcpy(text, k->name, k->size);
        Span longer = span_of(text, k->size + 1u);
        assert_int_equal(keyword_find(longer), KEYWORD_NONE);
    }
    assert_int_equal(keyword_find(SPAN("")), KEYWORD_NONE);
    assert_int_equal(keyword_find(SPAN("a name longer than any keyword is")),
                     KEYWORD_NONE);
    assert_int_equal(keyword_find(SPAN("Type")), KEYWORD_NONE);
}

static void types_find_themselves(void **state)
{
    (void)state;
    assert_int_equal(type_name_find(SPAN("null")), TYPE_NAME_NULL);
    assert_int_equal(type_name_find(SPAN("boolean")), TYPE_NAME_BOOLEAN);
    assert_int_equal(type_name_find(SPAN("integer")), TYPE_NAME_INTEGER);
    assert_int_equal(type_name_find(SPAN("number")), TYPE_NAME_NUMBER);
    assert_int_equal(type_name_find(SPAN("string")), TYPE_NAME_STRING);
    assert_int_equal(type_name_find(SPAN("array")), TYPE_NAME_ARRAY);
    assert_int_equal(type_name_find(SPAN("object")), TYPE_NAME_OBJECT);
    const Span others[] = {SPAN(""),       SPAN("nul"),    SPAN("null\0"),
                           SPAN("strinG"), SPAN("String"), SPAN("objects"),
                           SPAN("any"),    {NULL, 0}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(type_name_find(others[i]), TYPE_NAMES);
}

/* From the change logs of the drafts. */
static void drafts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool in[5]; /* 4, 6, 7, 2019-09, 2020-12 */
    } rows[] = {
        {"id", {1, 0, 0, 0, 0}},
        {"$id", {0, 1, 1, 1, 1}},
        {"$ref", {1, 1, 1, 1, 1}},
        {"const", {0, 1, 1, 1, 1}},
        {"contains", {0, 1, 1, 1, 1}},
        {"if", {0, 0, 1, 1, 1}},
        {"$comment", {0, 0, 1, 1, 1}},
        {"$defs", {0, 0, 0, 1, 1}},
        {"$anchor", {0, 0, 0, 1, 1}},
        {"$recursiveRef", {0, 0, 0, 1, 0}},
        {"$dynamicRef", {0, 0, 0, 0, 1}},
        {"prefixItems", {0, 0, 0, 0, 1}},
        {"additionalItems", {1, 1, 1, 1, 0}},
        {"dependencies", {1, 1, 1, 0, 0}},
        {"dependentRequired", {0, 0, 0, 1, 1}},
        {"unevaluatedItems", {0, 0, 0, 1, 1}},
        {"divisibleBy", {0, 0, 0, 0, 0}},
    };
    static const weir_draft all[5] = {WEIR_DRAFT_4, WEIR_DRAFT_6, WEIR_DRAFT_7,
                                      WEIR_DRAFT_2019_09, WEIR_DRAFT_2020_12};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned d = 0; d < 5; d++) {
            KeywordId id = keyword_of(all[d], span_text(rows[i].name));
            assert_int_equal(id != KEYWORD_NONE, rows[i].in[d]);
        }
    assert_int_equal(draft_bit(WEIR_DRAFT_DEFAULT), IN_2020);
    assert_string_equal(draft_name(WEIR_DRAFT_DEFAULT), "2020-12");
    assert_string_equal(draft_name(WEIR_DRAFT_4), "draft 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_themselves),
        cmocka_unit_test(near_names_find_nothing),
        cmocka_unit_test(types_find_themselves),
        cmocka_unit_test(drafts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
