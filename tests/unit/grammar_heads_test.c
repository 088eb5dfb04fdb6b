/* grammar_heads_test.c: what a grammar's text looks like. */
#include "text/grammar_heads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static void languages(void **state)
{
    (void)state;
    static const char *const lark[] = {
        "start: \"a\"",
        "?start: a\na: \"x\" | \"y\"\n",
        "// comment with ::=\nstart: WORD\nWORD: /[a-z:]+/",
        "%llguidance {}\nstart ::= odd",
        "# b ::= c\n!rule.2 : \"::=\"",
    };
    static const char *const others[] = {
        "root ::= \"a\"",
        "root::=[a-z]",
        "root[capture=\"x: y\"] ::= \"a\"",
        "# start: comment\nroot ::= \"b: c\" [d:]",
        "root ::= TagDispatch(x: \"y\")",
        "",
        "no rules at all",
        "\"start: in a string\"",
        "\"unfinished",
        "[unfinished \\",
    };
    for (size_t i = 0; i < COUNT_OF(lark); i++)
        if (!grammar_is_lark(span_text(lark[i]))) fail_msg("%s", lark[i]);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (grammar_is_lark(span_text(others[i]))) fail_msg("%s", others[i]);
}

static int twice(const char *text, size_t *begin)
{
    Mem mem = mem_from_env(NULL);
    TwiceFound found = {0};
    int result = grammar_defines_twice(&mem, span_text(text), &found);
    *begin = found.begin;
    return result;
}

static void defined_twice(void **state)
{
    (void)state;
    size_t at;
    assert_int_equal(twice("root ::= \"a\"\nroot ::= \"b\"\n", &at), 1);
    assert_int_equal(at, 13);
    assert_int_equal(twice("a ::= b\nb ::= c\nc ::= a\nb::=c", &at), 1);
    assert_int_equal(at, 24);
    assert_int_equal(twice("a ::= b\nA ::= b\nab ::= c", &at), 0);
    assert_int_equal(twice("a ::= \"a ::= \" [a ::=] # a ::=\nb ::= a", &at),
                     0);
    assert_int_equal(twice("a ::= \"\\\"a ::= \"", &at), 0);
    assert_int_equal(twice("", &at), 0);
}

/* 100,000 rules take no time to speak of. */
static void many_rules(void **state)
{
    (void)state;
    enum { RULES = 100000, ROOM = 32 };
    char *text = malloc((size_t)RULES * ROOM), *at = text;
    size_t begin;
    assert_non_null(text);
    for (unsigned i = 0; i < RULES; i++)
        at += sprintf(at, "r%u ::= r%u\n", i, i + 1);
    assert_int_equal(twice(text, &begin), 0);
    sprintf(at, "r77 ::= \"\"");
    assert_int_equal(twice(text, &begin), 1);
    assert_int_equal(begin, at - text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(languages),
        cmocka_unit_test(defined_twice),
        cmocka_unit_test(many_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
