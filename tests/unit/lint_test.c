/* lint_test.c: which schemas are warned of, and which are not. */
#include <stdio.h>
#include <stdlib.h>

#include "schema/lint.h"
#include "unit/faulty_mem.h"
#include "unit/sources_kit.h"

#define D4 "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
#define D7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","

/* Exactly these warnings, in any order; the list ends in NULL. */
static void warns(unsigned kinds, const char *schema,
                  const char *const *expected)
{
    Kit kit;
    kit_open(&kit, schema);
    schema_lint(kit.s, kinds);
    if (!ir_ok(&kit.ir)) fail_msg("%s: %s", schema, kit.ir.error.message);
    uint32_t count = 0;
    for (; expected[count]; count++)
        if (!kit_warns(&kit, expected[count]))
            fail_msg("%s: not warned of: %s", schema, expected[count]);
    for (uint32_t i = count; i < kit.ir.warnings.count; i++)
        print_message("%s\n", span_chars(kit.ir.warnings.at[i].message));
    if (kit.ir.warnings.count != count)
        fail_msg("%s: %u warnings", schema, kit.ir.warnings.count);
    kit_close(&kit);
}

#define MISTAKES(schema, ...) \
    warns(LINT_MISTAKES, schema, (const char *const[]){__VA_ARGS__})
#define ADVICE(schema, ...) \
    warns(LINT_ADVICE, schema, (const char *const[]){__VA_ARGS__})

static void fine(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "true",
        "{}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
        "\"pattern\":\"^a$\",\"maxLength\":3},\"b\":{\"type\":[\"null\","
        "\"integer\"],\"minimum\":0,\"maximum\":0}},\"required\":[\"a\"],"
        "\"additionalProperties\":false,\"x-mine\":1}",
        "{\"allOf\":[{\"required\":[\"a\"]},{\"minLength\":1}]}",
        "{\"$ref\":\"#/$defs/a\",\"maxLength\":1,\"$defs\":{\"a\":{}}}",
        "{\"enum\":[1,\"a\"],\"default\":null,\"description\":\"d\"}",
        "{" D7 "\"$ref\":\"#\",\"description\":\"d\",\"definitions\":{}}",
        "{" D7 "\"$defs\":{\"a\":{\"$comment\":\"c\"}}}",
        "{" D4 "\"id\":\"http://a/b\",\"examples\":[],\"minimum\":1,"
        "\"type\":\"number\",\"exclusiveMinimum\":true}",
        "{\"type\":\"integer\",\"minimum\":1,\"const\":1}",
        "{\"type\":\"string\",\"format\":\"date-time\"}",
    };
    for (size_t i = 0; i < COUNT_OF(schemas); i++)
        warns(LINT_MISTAKES | LINT_ADVICE, schemas[i],
              (const char *const[]){NULL});
}

static void unknown_keywords(void **state)
{
    (void)state;
    MISTAKES("{\"requierd\":[]}",
             "found the unknown keyword \"requierd\", which 2020-12 ignores, "
             "expected \"required\", at #/requierd",
             NULL);
    MISTAKES("{" D7 "\"minlength\":1}",
             "which draft 7 ignores, expected \"minLength\"", NULL);
    MISTAKES("{\"properites\":{},\"oneof\":[]}", "expected \"properties\"",
             "expected \"oneOf\"", NULL);
    MISTAKES("{\"addtionalProperty\":1,\"of\":2,\"node\":3,\"ref\":4}",
             "\"ref\", which 2020-12 ignores, expected \"$ref\"", NULL);
    ADVICE("{\"color\":1,\"x-color\":2,\"requierd\":3}",
           "the unknown keyword \"color\", which 2020-12 ignores, at #/color",
           NULL);
    MISTAKES("{\"_type\":1,\"//items\":2,\"x-type\":3,\"readonly\":true,"
             "\"comment\":\"c\",\"example\":4}",
             NULL);
    /* Not where no schema is. */
    MISTAKES("{\"properties\":{\"requierd\":{\"minlength\":1}},\"type\":"
             "\"object\",\"const\":{\"minlength\":1},\"nothing\":{\"patern\":"
             "1}}",
             "at #/properties/requierd/minlength", NULL);
}

static void other_drafts(void **state)
{
    (void)state;
    MISTAKES("{" D7 "\"prefixItems\":[],\"$anchor\":\"a\","
             "\"dependentRequired\":{},\"unevaluatedItems\":true}",
             "\"prefixItems\", which draft 7 ignores, expected a list in items",
             "expected $id with \"#\" and the name", "expected dependencies",
             "\"unevaluatedItems\", which draft 7 ignores, at", NULL);
    MISTAKES("{\"dependencies\":{},\"additionalItems\":true,\"id\":\"a\","
             "\"$recursiveRef\":\"#\"}",
             "expected dependentRequired or dependentSchemas",
             "expected items beside prefixItems", "expected $id",
             "expected $dynamicRef", NULL);
    MISTAKES("{" D4 "\"const\":1,\"$id\":\"a\",\"if\":{}}",
             "expected an enum of one value", "expected id",
             "\"if\", which draft 4 ignores, at #/if", NULL);
    MISTAKES("{\"nullable\":true,\"divisibleBy\":2,\"disallow\":[],"
             "\"extends\":{}}",
             "expected \"null\" among the types", "expected multipleOf",
             "expected not", "expected allOf", NULL);
    MISTAKES("{\"id\":{\"type\":\"string\"}}",
             "the keyword \"id\", which 2020-12 ignores, at", NULL);
    /* An embedded resource has its own draft. */
    MISTAKES("{\"not\":{" D7 "\"$id\":\"a:b\",\"prefixItems\":[]}}",
             "draft 7 ignores", NULL);
}

static void types(void **state)
{
    (void)state;
    MISTAKES("{\"type\":\"string\",\"minimum\":1,\"items\":{}}",
             "expected \"number\" among the types, at #/minimum",
             "expected \"array\" among the types, at #/items", NULL);
    MISTAKES("{\"type\":[\"string\",\"integer\"],\"minimum\":1,"
             "\"required\":[]}",
             "expected \"object\" among the types, at #/required", NULL);
    MISTAKES("{\"type\":\"integer\",\"format\":\"date\"}",
             "expected \"string\" among the types, at #/format", NULL);
    MISTAKES("{\"type\":\"integer\",\"format\":\"int32\"}", NULL);
    MISTAKES("{\"items\":{\"minLength\":1,\"maxLength\":2}}",
             "found \"items\" and no type, which allows all values of other "
             "types, expected \"type\": \"array\", at #",
             "found \"minLength\" and no type", NULL);
    MISTAKES("{\"type\":\"string\",\"enum\":[\"a\",1,null],\"default\":2}",
             "found a number, which is of none of the types, at #/enum/1",
             "found null, which is of none of the types, at #/enum/2", NULL);
    MISTAKES("{\"type\":[\"boolean\",\"null\"],\"const\":\"no\"}",
             "found a string, which is of none of the types, at #/const", NULL);
    MISTAKES("{\"type\":\"boolean\",\"enum\":[true,false]}", NULL);
    ADVICE("{\"type\":\"string\",\"default\":2}", "at #/default", NULL);
}

static void objects(void **state)
{
    (void)state;
    MISTAKES("{\"type\":\"object\",\"properties\":{\"name\":{},\"age\":{}},"
             "\"required\":[\"name\",\"Age\",\"address\"]}",
             "found the required name \"Age\", expected it in properties; "
             "perhaps \"age\", at #/required/1",
             "found the required name \"address\", expected it in properties, "
             "at #/required/2",
             NULL);
    MISTAKES("{\"type\":\"object\",\"required\":[\"a\"]}", NULL);
    ADVICE("{\"type\":\"object\",\"properties\":{\"a\":{}}}",
           "found properties and none of them required", NULL);
    ADVICE("{\"type\":\"object\",\"properties\":{}}", NULL);
    ADVICE("{\"allOf\":[{\"properties\":{\"a\":{}}}]}", NULL);
    MISTAKES("{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{},\"a\":{}},"
             "\"type\":\"object\"}",
             "found the name \"a\" twice, expected it once; the last one "
             "counts, at #/properties/a",
             "found the keyword twice, expected it once; the last one counts, "
             "at #/type",
             NULL);
    MISTAKES("{\"allOf\":[{}],\"additionalProperties\":false}",
             "found false beside allOf, whose own properties it refuses, "
             "expected unevaluatedProperties",
             NULL);
    MISTAKES("{" D7 "\"allOf\":[{}],\"additionalProperties\":false}",
             "whose own properties it refuses, at", NULL);
    MISTAKES("{\"$ref\":\"#\",\"additionalProperties\":false}", "beside $ref",
             NULL);
}

static void other_rules(void **state)
{
    (void)state;
    MISTAKES("{" D7 "\"$ref\":\"#\",\"minLength\":1,\"type\":\"string\","
             "\"title\":\"t\",\"allOf\":[{}],\"minItems\":\"\"}",
             "at #/minLength", "at #/type", "at #/allOf",
             "which hides it in draft 7, expected both in an allOf, at "
             "#/minItems",
             NULL);
    MISTAKES("{\"type\":\"string\",\"minLength\":3,\"maxLength\":2}",
             "found minLength above maxLength: no value fits, at #/minLength",
             NULL);
    MISTAKES("{\"type\":\"number\",\"minimum\":1.5,\"maximum\":-2}",
             "found minimum above maximum", NULL);
    MISTAKES("{\"then\":{},\"minContains\":1,\"type\":\"array\"}",
             "found then without if, which has no effect, at #/then",
             "found minContains without contains", NULL);
    MISTAKES("{\"if\":{}}", "found if without then and else", NULL);
    MISTAKES("{\"enum\":[]}", "no value is valid, at #/enum", NULL);
    MISTAKES("{\"title\":1}", "found the number 1, expected a string", NULL);
    MISTAKES("{\"type\":\"string\",\"format\":\"datetime\"}",
             "found the unknown format \"datetime\", which enforces nothing, "
             "expected perhaps date-time, at #/format",
             NULL);
    ADVICE("{\"type\":\"string\",\"format\":\"phone\"}",
           "found the unknown format \"phone\", which enforces nothing, at",
           NULL);
    MISTAKES("{\"type\":\"string\",\"format\":\"phone\"}", NULL);
    MISTAKES("{\"type\":\"string\",\"format\":\"path\"}", NULL);
    MISTAKES("{\"type\":\"string\",\"format\":\"url\"}", "expected perhaps uri",
             NULL);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool has_anchor;
    } rows[] = {
        {"a", false},      {"^a", true},      {"a$", true},
        {"[^a]b", false},  {"a\\\\$", false}, {"\\\\^", false},
        {"(^a|b$)", true}, {"[a^]", true},    {"\\\\\\\\$", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char schema[80];
        snprintf(schema, sizeof schema,
                 "{\"type\":\"string\",\"pattern\":\"%s\"}", rows[i].pattern);
        if (rows[i].has_anchor)
            ADVICE(schema, NULL);
        else
            ADVICE(schema,
                   "found no ^ and no $: any text may stand around the "
                   "match, at #/pattern",
                   NULL);
    }
}

static void branches(void **state)
{
    (void)state;
    for (int count = 50; count <= 51; count++) {
        char schema[300] = "{\"oneOf\":[";
        for (int i = 0; i < count; i++) strcat(schema, i ? ",{}" : "{}");
        strcat(schema, "]}");
        if (count == 50)
            ADVICE(schema, NULL);
        else
            ADVICE(schema, "found 51 branches, expected at most 50", NULL);
    }
}

static void malformed(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{\"oneof\":1,\"items\":{\"type\":\"strin\"},\"tpye\":2}");
    schema_lint(kit.s, LINT_MISTAKES);
    assert_int_equal(kit.ir.error.status, WEIR_SYNTAX);
    assert_string_equal(kit.ir.error.pointer, "#/items/type");
    kit_close(&kit);
}

/* 100,000 unknown keywords, 20,000 required names that are not there: linear
 * in both, and a bounded number of warnings. */
static void large(void **state)
{
    (void)state;
    enum { COUNT = 20000, ROOM = COUNT * 60 };
    char *text = malloc(ROOM);
    size_t n = (size_t)snprintf(text, ROOM, "{\"type\":\"object\"");
    for (int i = 0; i < COUNT; i++)
        n += (size_t)snprintf(text + n, ROOM - n, ",\"unk%05d\":0", i);
    n += (size_t)snprintf(text + n, ROOM - n, ",\"properties\":{\"a\":{}");
    for (int i = 0; i < COUNT; i++)
        n += (size_t)snprintf(text + n, ROOM - n, ",\"p%d\":{}", i);
    n += (size_t)snprintf(text + n, ROOM - n, "},\"required\":[\"a\"");
    for (int i = 0; i < COUNT; i++)
        n += (size_t)snprintf(text + n, ROOM - n, ",\"q%d\"", i);
    snprintf(text + n, ROOM - n, "]}");
    Kit kit;
    kit_open(&kit, text);
    schema_lint(kit.s, LINT_MISTAKES);
    assert_int_equal(kit.ir.warnings.count, 1001);
    assert_true(kit_warns(&kit, "at #/required/1"));
    kit_close(&kit);
    free(text);
}

static bool lint(const Mem *mem, weir_error *err)
{
    static const char schema[] =
        "{\"requierd\":1,\"type\":\"object\",\"properties\":{\"1\":{},\"2\":{},"
        "\"3\":{},\"4\":{},\"5\":{},\"6\":{},\"7\":{},\"8\":{},\"9\":{},"
        "\"10\":{},\"11\":{},\"12\":{},\"13\":{},\"14\":{},\"15\":{},"
        "\"16\":{},\"17\":{}},\"required\":[\"a\"]}";
    Ir ir;
    ir_init(&ir, mem, NULL);
    Sources *s = sources_new(&ir, span_text(schema), NULL);
    if (s) schema_lint(s, LINT_MISTAKES | LINT_ADVICE);
    bool ok = ir_ok(&ir);
    if (ok) assert_int_equal(ir.warnings.count, 2);
    *err = ir.error;
    sources_free(s);
    ir_free(&ir);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(lint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fine),           cmocka_unit_test(unknown_keywords),
        cmocka_unit_test(other_drafts),   cmocka_unit_test(types),
        cmocka_unit_test(objects),        cmocka_unit_test(other_rules),
        cmocka_unit_test(patterns),       cmocka_unit_test(branches),
        cmocka_unit_test(malformed),      cmocka_unit_test(large),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
