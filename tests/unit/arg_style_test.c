/* arg_style_test.c: what the readers and writers of arguments rely on in the
 * table of styles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "calls/arg_style.h"

static const char *const names[] = {"qwen_xml", "minimax_xml", "deepseek_xml",
                                    "glm_xml",  "cohere_xml",  "kimi_k3_xml",
                                    "gemma"};

static void finds_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const ArgStyle *style = arg_style_find(span_text(names[i]));
        assert_non_null(style);
        assert_string_equal(style->name, names[i]);
    }
    assert_null(arg_style_find(SPAN("json")));
    assert_null(arg_style_find(SPAN("qwen")));
    assert_null(arg_style_find(SPAN("")));
}

/* Where a type is written, strings are told from all others by it. */
static void types_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const ArgStyle *style = arg_style_find(span_text(names[i]));
        for (unsigned t = 0; t < ARG_TYPES; t++) {
            assert_int_equal(style->types[t] != NULL, style->typed != NULL);
            if (t && style->typed)
                assert_string_not_equal(style->types[t], style->types[0]);
        }
        assert_int_equal(style->unnamed != NULL, style->is_nested);
    }
}

/* A name cannot run over into what follows it. */
static void names_end(void **state)
{
    (void)state;
    const ArgStyle *kimi = arg_style_find(SPAN("kimi_k3_xml"));
    const ArgStyle *cohere = arg_style_find(SPAN("cohere_xml"));
    const ArgStyle *glm = arg_style_find(SPAN("glm_xml"));
    assert_string_equal(arg_style_entity(kimi, '"'), "&quot;");
    assert_string_equal(arg_style_entity(kimi, '&'), "&amp;");
    assert_null(arg_style_entity(kimi, '<'));
    assert_string_equal(arg_style_entity(cohere, '<'), "&lt;");
    assert_string_equal(arg_style_entity(cohere, '>'), "&gt;");
    assert_null(arg_style_entity(glm, '&'));
    assert_null(arg_style_entity(cohere, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_by_name),
        cmocka_unit_test(types_are_told),
        cmocka_unit_test(names_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
