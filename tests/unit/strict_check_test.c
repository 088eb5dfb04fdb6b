/* strict_check_test.c: what OpenAI's strict mode refuses, by the rules of its
 * guide; each limit at its last good value and one above. */
#include <stdio.h>
#include <stdlib.h>

#include "schema/strict_check.h"
#include "unit/faulty_mem.h"
#include "unit/sources_kit.h"

/* Exactly these warnings; the list ends in NULL. */
static void refuses(const char *schema, const char *const *expected)
{
    Kit kit;
    kit_open(&kit, schema);
    openai_strict_check(kit.s);
    assert_true(ir_ok(&kit.ir));
    uint32_t count = 0;
    for (; expected[count]; count++)
        if (!kit_warns(&kit, expected[count]))
            fail_msg("%.200s: not reported: %s", schema, expected[count]);
    for (uint32_t i = count; i < kit.ir.warnings.count; i++)
        print_message("%s\n", span_chars(kit.ir.warnings.at[i].message));
    if (kit.ir.warnings.count != count)
        fail_msg("%.200s: %u reports", schema, kit.ir.warnings.count);
    kit_close(&kit);
}

#define REFUSES(schema, ...) \
    refuses(schema, (const char *const[]){__VA_ARGS__, NULL})
#define TAKES(schema) refuses(schema, (const char *const[]){NULL})

/* A root with one property `a`. */
#define WITH(a)                                                       \
    "{\"type\":\"object\",\"properties\":{\"a\":" a "},\"required\":" \
    "[\"a\"],\"additionalProperties\":false}"

static void taken(void **state)
{
    (void)state;
    TAKES(WITH("{\"type\":\"string\",\"pattern\":\"^a\",\"format\":\"uuid\"}"));
    TAKES(WITH("{\"type\":[\"integer\",\"null\"],\"minimum\":1,"
               "\"exclusiveMaximum\":9,\"multipleOf\":2}"));
    TAKES(WITH("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"},\"minItems\":1,"
               "\"maxItems\":3}"));
    TAKES(WITH("{\"anyOf\":[{\"type\":\"boolean\"},{\"const\":1},{\"enum\":"
               "[\"x\"]},{\"type\":\"null\"}],\"description\":\"d\"}"));
    TAKES("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
          "\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{},"
          "\"additionalProperties\":false}},\"type\":\"object\",\"title\":"
          "\"t\",\"properties\":{\"next\":{\"anyOf\":[{\"$ref\":\"#/$defs/n\"},"
          "{\"type\":\"null\"}]}},\"required\":[\"next\"],"
          "\"additionalProperties\":false}");
}

static void roots(void **state)
{
    (void)state;
    REFUSES("true", "found true, expected a schema that is an object");
    REFUSES("{\"type\":\"string\"}",
            "found another root, expected \"type\": \"object\", at #");
    REFUSES("{\"type\":\"object\",\"anyOf\":[{\"type\":\"null\"}],"
            "\"additionalProperties\":false}",
            "found anyOf, which is refused, expected an object at the root, "
            "at #/anyOf");
    REFUSES("{}", "found another root", "found none of type, enum, const");
}

static void objects(void **state)
{
    (void)state;
    REFUSES(WITH("{\"type\":\"object\"}"),
            "found an open object, expected \"additionalProperties\": false, "
            "at #/properties/a");
    REFUSES(WITH("{\"type\":\"object\",\"additionalProperties\":{\"type\":"
                 "\"string\"}}"),
            "found an open object, expected \"additionalProperties\": false, "
            "at #/properties/a/additionalProperties");
    REFUSES("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},"
            "\"b\":{\"type\":\"null\"},\"c\":{\"type\":\"null\"}},"
            "\"required\":[\"b\",\"b\",\"x\"],\"additionalProperties\":false}",
            "null, at #/properties/a", "null, at #/properties/c");
    REFUSES(WITH("{}"), "found none of type, enum, const, anyOf and $ref, "
                        "expected one, at #/properties/a");
    REFUSES(WITH("true"), "found true, expected a schema that is an object, "
                          "at #/properties/a");
}

static void keywords(void **state)
{
    (void)state;
    static const char *const refused[] = {"allOf\":[{\"type\":\"null\"}]",
                                          "oneOf\":[{\"type\":\"null\"}]",
                                          "not\":{\"type\":\"null\"}",
                                          "minLength\":1",
                                          "maxLength\":1",
                                          "dependentRequired\":{}",
                                          "dependentSchemas\":{}",
                                          "uniqueItems\":true",
                                          "prefixItems\":[{\"type\":\"null\"}]",
                                          "contains\":{\"type\":\"null\"}",
                                          "patternProperties\":{}",
                                          "minProperties\":1",
                                          "propertyNames\":{\"type\":\"null\"}",
                                          "unevaluatedItems\":false",
                                          "if\":{\"type\":\"null\"}"};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        char schema[256], expected[64];
        snprintf(schema, sizeof schema, WITH("{\"type\":\"string\",\"%s}"),
                 refused[i]);
        snprintf(expected, sizeof expected, "found %.*s, which is refused",
                 (int)strcspn(refused[i], "\""), refused[i]);
        REFUSES(schema, expected);
    }
    REFUSES(WITH("{\"type\":\"string\",\"format\":\"uri\"}"),
            "found the format \"uri\", expected one of date-time");
    REFUSES(WITH("{\"type\":\"string\",\"default\":\"d\"}"),
            "found default, which some models refuse");
    REFUSES(WITH("{\"$ref\":\"http://a/b\"}"),
            "expected a reference within the schema");
    REFUSES("{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
            "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\","
            "\"items\":[{\"type\":\"null\"}]}},\"required\":[\"a\"],"
            "\"additionalProperties\":false}",
            "found items, which is refused, expected one schema for all items");
    /* What no keyword of the draft is, nobody looks at. */
    TAKES(WITH("{\"type\":\"string\",\"dependencies\":{},\"mine\":1}"));
}

/* ---- limits ---- */

static char *text;
static size_t used;
enum { ROOM = 1 << 20 };

static void add(const char *piece)
{
    size_t n = strlen(piece);
    assert_true(used + n < ROOM);
    memcpy(text + used, piece, n + 1);
    used += n;
}

static void begin(void)
{
    free(text);
    text = malloc(ROOM);
    used = 0;
}

static void levels(void **state)
{
    (void)state;
    for (int count = 10; count <= 11; count++) {
        begin();
        for (int i = 0; i < count; i++)
            add("{\"type\":\"object\",\"additionalProperties\":false,"
                "\"required\":[\"a\"],\"properties\":{\"a\":"
                "{\"type\":\"array\",\"items\":");
        add("{\"type\":\"null\"}");
        for (int i = 0; i < count; i++) add("}}}");
        if (count == 10)
            TAKES(text);
        else
            REFUSES(text, "found an object at level 11, expected at most 10 "
                          "levels, at #/properties/a/items/properties");
    }
}

/* `count` properties whose names have five characters each, or four. */
static void properties(void **state)
{
    (void)state;
    for (int count = 5000; count <= 5001; count++) {
        begin();
        add("{\"type\":\"object\",\"additionalProperties\":false,\"required\":"
            "[");
        char piece[40];
        for (int i = 0; i < count; i++) {
            snprintf(piece, sizeof piece, "%s\"%d\"", i ? "," : "", i);
            add(piece);
        }
        add("],\"properties\":{");
        for (int i = 0; i < count; i++) {
            snprintf(piece, sizeof piece, "%s\"%d\":{\"type\":\"null\"}",
                     i ? "," : "", i);
            add(piece);
        }
        add("}}");
        if (count == 5000)
            TAKES(text);
        else
            REFUSES(text, "found 5001 properties in all, expected at most "
                          "5000, at #");
    }
}

/* A property with an enum of `count` values of `size` characters (each of two
 * bytes), and one more character elsewhere: the property's name. */
static void add_enum(int count, int size)
{
    begin();
    add("{\"type\":\"object\",\"additionalProperties\":false,\"required\":"
        "[\"a\"],\"properties\":{\"a\":{\"enum\":[");
    for (int i = 0; i < count; i++) {
        add(i ? ",\"" : "\"");
        for (int k = 0; k < size; k++) add("\xC3\xA9");
        add("\"");
    }
    add("]}}}");
}

static void enums(void **state)
{
    (void)state;
    add_enum(1000, 15);
    TAKES(text);
    add_enum(1001, 14);
    REFUSES(text, "found 1001 values in enums in all, expected at most 1000");
    add_enum(250, 61);
    TAKES(text);
    add_enum(251, 60);
    REFUSES(text, "found 251 values of 15060 characters, expected at most "
                  "15000 characters where there are more than 250 values");
    add_enum(1, 119999);
    TAKES(text);
    add_enum(1, 120000);
    REFUSES(text, "found 120001 characters of names and of strings in enum "
                  "and const in all, expected at most 120000");
    free(text);
    text = NULL;
}

static bool check(const Mem *mem, weir_error *err)
{
    Ir ir;
    ir_init(&ir, mem, NULL);
    Sources *s = sources_new(
        &ir,
        SPAN("{\"type\":\"object\",\"properties\":{\"a\":{\"not\":{}}},"
             "\"required\":[\"b\"]}"),
        NULL);
    if (s) openai_strict_check(s);
    bool ok = ir_ok(&ir);
    if (ok) assert_int_equal(ir.warnings.count, 5);
    *err = ir.error;
    sources_free(s);
    ir_free(&ir);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),   cmocka_unit_test(roots),
        cmocka_unit_test(objects), cmocka_unit_test(keywords),
        cmocka_unit_test(levels),  cmocka_unit_test(properties),
        cmocka_unit_test(enums),   cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
