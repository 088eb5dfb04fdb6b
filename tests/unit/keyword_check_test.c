/* keyword_check_test.c: malformed keywords, by the rules of each draft's
 * validation specification; and counts as JSON may spell them. */
#include "schema/keyword_check.h"
#include "unit/sources_kit.h"

#define D4 "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
#define D6 "\"$schema\":\"http://json-schema.org/draft-06/schema#\","
#define D7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","
#define D19 "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","

static void accepts(const char *schema)
{
    Kit kit;
    kit_open(&kit, schema);
    if (!keyword_check(kit.s, sources_root()))
        fail_msg("%s: %s", schema, kit.ir.error.message);
    assert_true(ir_ok(&kit.ir));
    kit_close(&kit);
}

static void refuses(const char *schema, const char *pointer,
                    const char *message)
{
    Kit kit;
    kit_open(&kit, schema);
    assert_false(keyword_check(kit.s, sources_root()));
    assert_int_equal(kit.ir.error.status, WEIR_SYNTAX);
    assert_string_equal(kit.ir.error.pointer, pointer);
    assert_string_equal(kit.ir.error.message, message);
    kit_close(&kit);
}

static void well_formed(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{}",
        "true",
        "{\"type\":\"null\"}",
        "{\"type\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\","
        "\"object\",\"string\",\"string\"]}",
        "{\"enum\":[],\"const\":{\"type\":1}}",
        "{\"multipleOf\":1e-400,\"minimum\":-1.5,\"exclusiveMaximum\":0}",
        "{\"minLength\":0,\"maxLength\":1e2,\"maxItems\":2.0,\"minItems\":-0}",
        "{\"required\":[],\"dependentRequired\":{\"a\":[\"b\",\"b\"]}}",
        "{\"properties\":{},\"patternProperties\":{\"a\":true,\"b\":{}}}",
        "{\"allOf\":[{}],\"prefixItems\":[false],\"items\":false}",
        "{\"uniqueItems\":false,\"format\":\"no such format\"}",
        "{\"$ref\":\"#\",\"$vocabulary\":{\"a\":true},\"$anchor\":\"a\"}",
        /* of other drafts, or of none */
        "{\"dependencies\":1,\"additionalItems\":2,\"id\":3,\"x\":4}",
        /* annotations */
        "{\"title\":1,\"description\":[],\"default\":{},\"examples\":1,"
        "\"deprecated\":\"no\",\"readOnly\":2,\"$comment\":3,"
        "\"contentSchema\":4,\"contentEncoding\":5,\"contentMediaType\":6}",
        /* subschemas are not looked into */
        "{\"not\":{\"type\":1},\"properties\":{\"a\":{\"type\":2}}}",
        "{" D4 "\"exclusiveMaximum\":true,\"exclusiveMinimum\":false}",
        "{" D4 "\"const\":1,\"contains\":2,\"if\":3,\"$id\":4}",
        "{" D4 "\"additionalItems\":false,\"items\":[{}],\"not\":true}",
        "{" D6 "\"if\":3,\"exclusiveMaximum\":1}",
        "{" D7 "\"dependencies\":{\"a\":[],\"b\":{},\"c\":true}}",
        "{" D7 "\"$ref\":\"#\",\"type\":\"hidden\",\"properties\":3}",
        "{" D19 "\"items\":[{}],\"additionalItems\":{}}",
    };
    for (size_t i = 0; i < COUNT_OF(schemas); i++) accepts(schemas[i]);
}

static void types(void **state)
{
    (void)state;
    static const char names[] =
        "expected array, boolean, integer, null, number, object or string";
    char message[192];
    snprintf(message, sizeof message, "found the string \"strin\", %s", names);
    refuses("{\"type\":\"strin\"}", "#/type", message);
    refuses("{\"type\":[\"string\",\"strin\"]}", "#/type/1", message);
    snprintf(message, sizeof message, "found null, %s", names);
    refuses("{\"type\":null}", "#/type", message);
    refuses("{\"type\":[null]}", "#/type/0", message);
    snprintf(message, sizeof message, "found an array, %s", names);
    refuses("{\"type\":[[]]}", "#/type/0", message);
    snprintf(message, sizeof message, "found an object, %s", names);
    refuses("{\"type\":{\"type\":\"string\"}}", "#/type", message);
    refuses("{\"type\":[]}", "#/type",
            "found an empty array, expected at least one type");
}

static void numbers(void **state)
{
    (void)state;
    refuses("{\"minimum\":\"1\"}", "#/minimum",
            "found the string \"1\", expected a number");
    refuses("{\"maximum\":null}", "#/maximum", "found null, expected a number");
    refuses("{\"exclusiveMinimum\":true}", "#/exclusiveMinimum",
            "found true, expected a number, as in all drafts after 4");
    refuses("{" D4 "\"exclusiveMinimum\":1}", "#/exclusiveMinimum",
            "found the number 1, expected true or false in draft 4");
    static const char *const divisors[] = {"0", "-1", "0.00", "0e9", "-1e-9"};
    char schema[80], message[80];
    for (size_t i = 0; i < COUNT_OF(divisors); i++) {
        snprintf(schema, sizeof schema, "{\"multipleOf\":%s}", divisors[i]);
        snprintf(message, sizeof message,
                 "found the number %s, expected a number above 0", divisors[i]);
        refuses(schema, "#/multipleOf", message);
    }
    static const char *const counts[] = {
        "minLength",     "maxLength",     "minItems",    "maxItems",
        "minProperties", "maxProperties", "minContains", "maxContains"};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "#/%s", counts[i]);
        snprintf(schema, sizeof schema, "{\"%s\":-1}", counts[i]);
        refuses(schema, pointer,
                "found the number -1, expected a whole number from 0 on");
        snprintf(schema, sizeof schema, "{\"%s\":\"3\"}", counts[i]);
        refuses(schema, pointer,
                "found the string \"3\", expected a whole number from 0 on");
    }
}

static void counts(void **state)
{
    (void)state;
    static const char *const good[] = {"0",
                                       "-0",
                                       "0.0",
                                       "-0.0e5",
                                       "7",
                                       "1.0",
                                       "1e2",
                                       "1.5e1",
                                       "100e-2",
                                       "120e-1",
                                       "1.250e2",
                                       "1e999999999999999999",
                                       "0e-999999999999999999",
                                       "123456789012345678901234567890",
                                       "10000000000e-10"};
    static const char *const bad[] = {"-1",
                                      "0.5",
                                      "1e-1",
                                      "1.5",
                                      "1.25e1",
                                      "100e-3",
                                      "-1e2",
                                      "1e-999999999999999999",
                                      "10000000000e-11",
                                      "0.1e-0"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (!keyword_is_count(span_text(good[i]))) fail_msg("%s", good[i]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (keyword_is_count(span_text(bad[i]))) fail_msg("%s", bad[i]);
}

static void names(void **state)
{
    (void)state;
    refuses("{\"required\":\"a\"}", "#/required",
            "found the string \"a\", expected an array of names");
    refuses("{\"required\":true}", "#/required",
            "found true, expected an array of names");
    refuses("{\"required\":[\"a\",1]}", "#/required/1",
            "found the number 1, expected a name");
    refuses("{\"dependentRequired\":[]}", "#/dependentRequired",
            "found an array, expected an object of arrays of names");
    refuses("{\"dependentRequired\":{\"a\":\"b\"}}", "#/dependentRequired/a",
            "found the string \"b\", expected an array of names");
    refuses("{" D7 "\"dependencies\":{\"a\":\"b\"}}", "#/dependencies/a",
            "found the string \"b\", expected a schema: an object, true or "
            "false");
    refuses("{" D7 "\"dependencies\":{\"a\":[{}]}}", "#/dependencies/a/0",
            "found an object, expected a name");
    refuses("{" D7 "\"dependencies\":[]}", "#/dependencies",
            "found an array, expected an object");
}

static void schemas(void **state)
{
    (void)state;
    static const char *const plain[] = {"not",
                                        "if",
                                        "then",
                                        "else",
                                        "items",
                                        "contains",
                                        "propertyNames",
                                        "additionalProperties",
                                        "unevaluatedItems",
                                        "unevaluatedProperties"};
    char schema[80], pointer[40];
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":\"no\"}", plain[i]);
        snprintf(pointer, sizeof pointer, "#/%s", plain[i]);
        refuses(schema, pointer,
                "found the string \"no\", expected a schema: an object, true "
                "or false");
    }
    static const char *const lists[] = {"allOf", "anyOf", "oneOf",
                                        "prefixItems"};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":{}}", lists[i]);
        snprintf(pointer, sizeof pointer, "#/%s", lists[i]);
        refuses(schema, pointer,
                "found an object, expected an array of schemas");
        snprintf(schema, sizeof schema, "{\"%s\":[]}", lists[i]);
        refuses(schema, pointer,
                "found an empty array, expected at least one schema");
        snprintf(schema, sizeof schema, "{\"%s\":[{},[]]}", lists[i]);
        snprintf(pointer, sizeof pointer, "#/%s/1", lists[i]);
        refuses(schema, pointer,
                "found an array, expected a schema: an object, true or false");
    }
    static const char *const maps[] = {"properties", "patternProperties",
                                       "dependentSchemas", "$defs",
                                       "definitions"};
    for (size_t i = 0; i < COUNT_OF(maps); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":[]}", maps[i]);
        snprintf(pointer, sizeof pointer, "#/%s", maps[i]);
        refuses(schema, pointer,
                "found an array, expected an object of schemas");
        snprintf(schema, sizeof schema, "{\"%s\":{\"a/b\":\"\"}}", maps[i]);
        snprintf(pointer, sizeof pointer, "#/%s/a~1b", maps[i]);
        refuses(schema, pointer,
                "found the string \"\", expected a schema: an object, true or "
                "false");
    }
    refuses("{\"items\":[{}]}", "#/items",
            "found an array, expected a schema; a list is prefixItems in this "
            "draft");
    refuses("{" D19 "\"items\":[1]}", "#/items/0",
            "found the number 1, expected a schema: an object, true or "
            "false");
}

static void texts(void **state)
{
    (void)state;
    static const char *const all[] = {
        "$ref",    "$dynamicRef",    "$id",     "$schema",
        "$anchor", "$dynamicAnchor", "pattern", "format"};
    char schema[80], pointer[40];
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        snprintf(schema, sizeof schema, "{\"%s\":{}}", all[i]);
        snprintf(pointer, sizeof pointer, "#/%s", all[i]);
        refuses(schema, pointer, "found an object, expected a string");
    }
    refuses("{\"uniqueItems\":1}", "#/uniqueItems",
            "found the number 1, expected true or false");
    refuses("{\"enum\":\"a\"}", "#/enum",
            "found the string \"a\", expected an array");
    refuses("{" D7 "\"$ref\":1,\"type\":2}", "#/$ref",
            "found the number 1, expected a string");
}

static void annotations(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{\"title\":1,\"description\":\"\",\"examples\":{},"
                   "\"deprecated\":true,\"contentSchema\":[],\"type\":2}");
    const Json *json = place_json(kit.s, sources_root());
    for (JsonIter it = json_iter(json, JSON_ROOT); json_step(&it);) {
        KeywordId id = keyword_find(it.key);
        if (id != KEYWORD_TYPE)
            keyword_check_member(kit.s, sources_root(), id, it.value);
    }
    assert_true(ir_ok(&kit.ir));
    assert_int_equal(kit.ir.warnings.count, 3);
    assert_true(kit_warns(&kit, "found the number 1, expected a string, at "
                                "#/title"));
    assert_true(kit_warns(&kit, "found an object, expected an array, at "
                                "#/examples"));
    assert_true(kit_warns(&kit, "at #/contentSchema"));
    kit_close(&kit);
}

static void place_of_the_error(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{\"items\":{\"type\":[\"string\", \"text\"]}}");
    assert_true(keyword_check(kit.s, sources_root()));
    assert_false(keyword_check(kit.s, kit_place(&kit, "/items")));
    assert_string_equal(kit.ir.error.pointer, "#/items/type/1");
    assert_int_equal(kit.ir.error.begin, 28);
    assert_int_equal(kit.ir.error.end, 34);
    kit_close(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed),
        cmocka_unit_test(types),
        cmocka_unit_test(numbers),
        cmocka_unit_test(counts),
        cmocka_unit_test(names),
        cmocka_unit_test(schemas),
        cmocka_unit_test(annotations),
        cmocka_unit_test(texts),
        cmocka_unit_test(place_of_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
