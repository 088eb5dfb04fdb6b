/* member_types_test.c: the types of members, by the meaning of the schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schema/member_types.h"

enum {
    N = TYPE_NULL,
    B = TYPE_BOOLEAN,
    D = TYPE_NUMBER,
    S = TYPE_STRING,
    A = TYPE_ARRAY,
    O = TYPE_OBJECT
};

typedef struct Found {
    unsigned a, b; /* of members "a" and "b"; 0: not told */
} Found;

static void found(void *user, Span name, unsigned types)
{
    Found *f = user;
    unsigned *at = span_equal(name, SPAN("a")) ? &f->a : &f->b;
    assert_true(!*at || *at == types);
    *at = types;
}

static const struct {
    const char *schema;
    unsigned a, b, others;
} rows[] = {
    {"{}", 0, 0, TYPE_ALL},
    {"true", 0, 0, TYPE_ALL},
    {"{\"type\":\"object\"}", 0, 0, TYPE_ALL},
    {"{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":"
     "\"integer\"}},\"additionalProperties\":false}",
     S, D, 0},
    {"{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]},\"b\":{\"enum\":"
     "[1,true,\"x\",[]]}},\"additionalProperties\":{\"type\":\"object\"}}",
     S | N, D | B | S | A, O},
    /* by meaning, not by letter */
    {"{\"properties\":{\"a\":{\"type\":[\"string\",\"number\"],\"not\":{"
     "\"type\":\"number\"}},\"b\":{\"allOf\":[{\"type\":[\"string\","
     "\"boolean\"]},{\"type\":[\"boolean\",\"array\"]}]}}}",
     S, B, TYPE_ALL},
    {"{\"$defs\":{\"x\":{\"const\":\"k\"}},\"properties\":{\"a\":{\"$ref\":"
     "\"#/$defs/x\"}},\"patternProperties\":{\"^p\":{\"type\":\"null\"}},"
     "\"additionalProperties\":{\"type\":\"boolean\"}}",
     S, 0, N | B},
    /* over all ways to be valid */
    {"{\"oneOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":"
     "[\"a\"]},{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
     "\"null\"}},\"required\":[\"a\"]}]}",
     S | D, TYPE_ALL, TYPE_ALL},
    /* a member that may be anything where it is not declared */
    {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},"
     "\"additionalProperties\":false},{\"additionalProperties\":{\"type\":"
     "\"array\"}}]}",
     S | A, 0, A},
    {"{\"type\":\"string\"}", 0, 0, 0},
};

static void types(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Found f = {0, 0};
        weir_error err = {.status = WEIR_OK};
        unsigned others;
        if (!schema_member_types(&mem, span_text(rows[i].schema), found, &f,
                                 &others, &err))
            fail_msg("%s: %s", rows[i].schema, err.message);
        if (f.a != rows[i].a || f.b != rows[i].b || others != rows[i].others)
            fail_msg("%s: found %x %x %x, expected %x %x %x", rows[i].schema,
                     f.a, f.b, others, rows[i].a, rows[i].b, rows[i].others);
    }
}

static void errors(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    Found f = {0, 0};
    weir_error err = {.status = WEIR_OK};
    unsigned others;
    assert_false(schema_member_types(&mem, SPAN("{\"type\":7}"), found, &f,
                                     &others, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
    err.status = WEIR_OK;
    assert_false(schema_member_types(&mem, SPAN("{\"$ref\":\"#/x\"}"), found,
                                     &f, &others, &err));
    assert_int_equal(err.status, WEIR_UNDEFINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
