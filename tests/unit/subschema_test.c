/* subschema_test.c: the walk over the schemas of a document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schema/pointer.h"
#include "schema/subschema.h"
#include "unit/faulty_mem.h"

static Mem memory;

/* The pointers of all schemas, each with a blank after it. */
static void assert_walk(weir_draft draft, const char *text,
                        const char *expected)
{
    Json json;
    weir_error err = {0};
    char found[512];
    Out out = {found, sizeof found, 0};
    assert_true(json_parse(&json, &memory, span_text(text), NULL, &err));
    SchemaWalk walk;
    schema_walk_begin(&walk, &json, JSON_ROOT, draft);
    while (schema_walk_next(&walk)) {
        out_text(&out, "#");
        pointer_write(&out, NULL, &json, walk.schema);
        out_text(&out, " ");
    }
    assert_false(walk.failed);
    schema_walk_end(&walk);
    if (!span_equal(span_of(found, out.size), span_text(expected)))
        fail_msg("%s: found %.*s, expected %s", text, (int)out.size, found,
                 expected);
    json_free(&json);
}

static void places(void **state)
{
    (void)state;
    const weir_draft now = WEIR_DRAFT_2020_12, old = WEIR_DRAFT_4;
    assert_walk(now, "true", "");
    assert_walk(now, "[{}]", "");
    assert_walk(now, "{}", "# ");
    assert_walk(now, "{\"not\":{\"not\":{}}}", "# #/not #/not/not ");
    assert_walk(now, "{\"allOf\":[{},true,{}],\"type\":{}}",
                "# #/allOf/0 #/allOf/2 ");
    assert_walk(now, "{\"properties\":{\"a\":{},\"not\":{},\"b\":[{}]}}",
                "# #/properties/a #/properties/not ");
    assert_walk(now, "{\"properties\":{\"properties\":{\"a\":{}}}}",
                "# #/properties/properties ");
    assert_walk(now, "{\"x\":{},\"enum\":[{}],\"const\":{},\"default\":{}}",
                "# ");
    assert_walk(now, "{\"items\":[{}],\"prefixItems\":[{}]}",
                "# #/prefixItems/0 ");
    assert_walk(old, "{\"items\":[{}],\"prefixItems\":[{}]}", "# #/items/0 ");
    assert_walk(old, "{\"items\":{},\"if\":{},\"$defs\":{\"a\":{}}}",
                "# #/items ");
    assert_walk(old, "{\"dependencies\":{\"a\":[\"b\"],\"c\":{}}}",
                "# #/dependencies/c ");
    assert_walk(now, "{\"dependencies\":{\"c\":{}},\"definitions\":{\"d\":{}}}",
                "# #/definitions/d ");
    assert_walk(now, "{\"a\":{\"not\":{}},\"else\":{\"if\":{}}}",
                "# #/else #/else/if ");
}

/* Every keyword of the table that takes schemas, and no other. */
static void keywords(void **state)
{
    (void)state;
    static const weir_draft all[] = {WEIR_DRAFT_4, WEIR_DRAFT_6, WEIR_DRAFT_7,
                                     WEIR_DRAFT_2019_09, WEIR_DRAFT_2020_12};
    static const char plain[] =
        " additionalItems additionalProperties contains "
        "contentSchema else if items not propertyNames "
        "then unevaluatedItems unevaluatedProperties ",
                      map[] = " $defs definitions dependencies "
                              "dependentSchemas patternProperties properties ";
    for (size_t d = 0; d < COUNT_OF(all); d++)
        for (unsigned id = 1; id < KEYWORD_COUNT; id++) {
            char text[80], expected[80], name[40];
            const char *keyword = keyword_table[id].name;
            bool is_there = keyword_in((KeywordId)id, all[d]);
            snprintf(name, sizeof name, " %s ", keyword);
            snprintf(text, sizeof text, "{\"%s\":{\"a\":{}}}", keyword);
            if (is_there && strstr(plain, name))
                snprintf(expected, sizeof expected, "# #/%s ", keyword);
            else if (is_there && strstr(map, name))
                snprintf(expected, sizeof expected, "# #/%s/a ", keyword);
            else
                snprintf(expected, sizeof expected, "# ");
            assert_walk(all[d], text, expected);
        }
}

static void steering(void **state)
{
    (void)state;
    Json json;
    weir_error err = {0};
    Span text = SPAN("{\"not\":{\"if\":{\"then\":{}}},\"items\":[{}]}");
    assert_true(json_parse(&json, &memory, text, NULL, &err));
    SchemaWalk walk;
    schema_walk_begin(&walk, &json, JSON_ROOT, WEIR_DRAFT_4);
    assert_true(schema_walk_next(&walk));
    assert_int_equal(walk.level, 0);
    assert_int_equal(walk.via, KEYWORD_NONE);
    assert_true(schema_walk_next(&walk));
    assert_int_equal(walk.via, KEYWORD_NOT);
    assert_int_equal(walk.level, 1);
    schema_walk_set_draft(&walk, WEIR_DRAFT_7);
    assert_true(schema_walk_next(&walk));
    assert_int_equal(walk.via, KEYWORD_IF);
    assert_int_equal(walk.level, 2);
    assert_int_equal(walk.draft, WEIR_DRAFT_7);
    schema_walk_skip(&walk);
    assert_true(schema_walk_next(&walk));
    assert_int_equal(walk.via, KEYWORD_ITEMS);
    assert_int_equal(walk.level, 1);
    assert_int_equal(walk.draft, WEIR_DRAFT_4);
    assert_false(schema_walk_next(&walk));
    assert_false(schema_walk_next(&walk));
    schema_walk_end(&walk);
    json_free(&json);
}

static bool walk_deep(const Mem *mem, weir_error *err)
{
    enum { DEPTH = 9000 };
    char *text = malloc(DEPTH * 8 + 3), *at = text;
    for (int i = 0; i < DEPTH; i++, at += 7) memcpy(at, "{\"not\":", 7);
    memcpy(at, "{}", 2);
    memset(at + 2, '}', DEPTH);
    Json json;
    bool ok = json_parse(&json, mem, span_of(text, DEPTH * 8 + 2), NULL, err);
    if (ok) {
        unsigned count = 0;
        SchemaWalk walk;
        schema_walk_begin(&walk, &json, JSON_ROOT, WEIR_DRAFT_7);
        while (schema_walk_next(&walk)) count++;
        ok = !walk.failed;
        if (!ok) err->status = WEIR_NO_MEMORY;
        if (ok) assert_int_equal(count, DEPTH + 1);
        schema_walk_end(&walk);
        json_free(&json);
    }
    free(text);
    return ok;
}

static void deep_and_short_of_memory(void **state)
{
    (void)state;
    faulty_sweep(walk_deep);
}

int main(void)
{
    memory = mem_from_env(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(keywords),
        cmocka_unit_test(steering),
        cmocka_unit_test(deep_and_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
