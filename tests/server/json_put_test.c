/* json_put_test.c: JSON written piece by piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "base/diag.h"
#include "server/json_put.h"
#include "unit/faulty_mem.h"

static void check(JsonPut *out, const char *expected)
{
    assert_false(out->failed);
    put_raw(out, (weir_bytes){"", 1});
    assert_string_equal(out->text.at, expected);
    put_reset(out);
}

static void test_values(void **state)
{
    Mem mem = mem_from_env(NULL);
    JsonPut out = {.mem = &mem};
    (void)state;
    put_object(&out, NULL);
    put_string(&out, "s", (weir_bytes){"a\"\\\n\x01\xFF\xC3\xA9", 8});
    put_text(&out, "t", NULL);
    put_uint(&out, "u", UINT64_MAX);
    put_int(&out, "i", INT64_MIN);
    put_bool(&out, "b", true);
    put_null(&out, "n");
    put_format(&out, "f", "%s-%d", "x\"", 7);
    put_date(&out, "d", 1709208000);
    put_end(&out, '}');
    check(&out,
          "{\"s\":\"a\\\"\\\\\\n\\u0001\xEF\xBF\xBD\xC3\xA9\",\"t\":null,"
          "\"u\":18446744073709551615,\"i\":-9223372036854775808,\"b\":true,"
          "\"n\":null,\"f\":\"x\\\"-7\","
          "\"d\":\"2024-02-29T12:00:00Z\"}");
    put_free(&out);
}

static void test_nesting(void **state)
{
    Mem mem = mem_from_env(NULL);
    JsonPut out = {.mem = &mem};
    (void)state;
    put_literal(&out, "data: ");
    put_object(&out, NULL);
    put_array(&out, "a");
    put_end(&out, ']');
    put_array(&out, "b");
    put_object(&out, NULL);
    put_end(&out, '}');
    put_object(&out, NULL);
    put_key(&out, (weir_bytes){"k\n", 2});
    put_array(&out, NULL);
    put_uint(&out, NULL, 1);
    put_uint(&out, NULL, 2);
    put_end(&out, ']');
    put_end(&out, '}');
    put_end(&out, ']');
    put_json(&out, "j", (weir_bytes){"{\"x\":1}", 7});
    put_json(&out, "e", (weir_bytes){"", 0});
    put_end(&out, '}');
    put_literal(&out, "\n\n");
    check(&out, "data: {\"a\":[],\"b\":[{},{\"k\\n\":[1,2]}],"
                "\"j\":{\"x\":1},\"e\":null}\n\n");
    put_free(&out);
}

static void test_numbers(void **state)
{
    Mem mem = mem_from_env(NULL);
    JsonPut out = {.mem = &mem};
    (void)state;
    put_array(&out, NULL);
    put_number(&out, NULL, 0.5, 9);
    put_number(&out, NULL, -1e-9, 9);
    put_number(&out, NULL, 1e300, 9);
    put_number(&out, NULL, INFINITY, 9);
    put_number(&out, NULL, NAN, 9);
    put_end(&out, ']');
    check(&out, "[0.5,-1e-09,1e+300,null,null]");
    put_json(&out, NULL, (weir_bytes){"\"\xFF\"", 3});
    check(&out, "\"\xEF\xBF\xBD\"");
    put_free(&out);
}

static void test_one_line(void **state)
{
    Mem mem = mem_from_env(NULL);
    JsonPut out = {.mem = &mem};
    const char *text =
        "a\xC2\x85\xC2\x86\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\n";
    const char *json = "{\r\n\"a\" :\n\"\xE2\x80\xA8\xC2\x85\"}";
    (void)state;
    put_text(&out, NULL, text);
    check(&out, "\"a\\u0085\xC2\x86\\u2028\\u2029\xE2\x80\xAA\\n\"");
    put_json(&out, NULL, (weir_bytes){json, strlen(json)});
    check(&out, "{  \"a\" : \"\\u2028\\u0085\"}");
    put_free(&out);
}

static bool write_some(const Mem *mem, weir_error *err)
{
    JsonPut out = {.mem = mem};
    put_array(&out, NULL);
    for (unsigned i = 0; i < 100; i++) put_text(&out, NULL, "some text");
    put_end(&out, ']');
    bool ok = !out.failed;
    if (!ok) diag_no_memory(err);
    put_free(&out);
    return ok;
}

static void test_memory(void **state)
{
    (void)state;
    faulty_sweep(write_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
