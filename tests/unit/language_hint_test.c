/* language_hint_test.c: an error in a grammar's text says what else the text
 * looks like. */
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

typedef struct HintCase {
    weir_source_kind kind;
    const char *source;
    const char *hint; /* NULL: none */
} HintCase;

#define LIKE_LARK "looks like Lark"
#define LIKE_BNF "looks like EBNF or GBNF"

static const HintCase cases[] = {
    {WEIR_EBNF, "start: a\na: \"x\"\n", LIKE_LARK},
    {WEIR_GBNF, "?start: \"x\"\n", LIKE_LARK},
    {WEIR_GBNF, "%llguidance {}\nstart: \"x\"\n", LIKE_LARK},
    {WEIR_LARK, "root ::= \"a\" [b]\n", "the text is EBNF"},
    {WEIR_LARK, "root ::= . <[7]>\n", "the text is GBNF"},
    {WEIR_LARK, "root ::= a\n", LIKE_BNF},
    {WEIR_EBNF, "root ::= \"a\" .\n", "the text is GBNF"},
    {WEIR_GBNF, "root ::= a_b\na_b ::= \"x\"\n", "the text is EBNF"},
    {WEIR_GBNF, "root ::= Token(7)\n", "the text is EBNF"},
    {WEIR_EBNF, "root ::= a\n", NULL},
    {WEIR_GBNF, "root ::= a\n", NULL},
    {WEIR_LARK, "start: a\n", NULL},
    {WEIR_LARK, "", NULL},
    {WEIR_EBNF, "\"x\"", NULL},
    /* not a matter of the language */
    {WEIR_LARK, "start: \"x\"{2} @g", NULL},
};

static void check_case(const HintCase *c)
{
    weir_error err;
    weir_bytes source = {c->source, strlen(c->source)};
    weir_grammar *g = weir_grammar_compile(NULL, c->kind, source, NULL, &err);
    if (g) fail_msg("%s is read", c->source);
    const char *found = strstr(err.message, " (the text ");
    if (!found != !c->hint || (c->hint && !strstr(err.message, c->hint)))
        fail_msg("%s: %s", c->source, err.message);
}

static void hints(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* A long message makes room. */
static void a_long_message(void **state)
{
    (void)state;
    char source[512];
    weir_error err;
    int size = snprintf(source, sizeof source, "start: %0200d\n", 1);
    weir_bytes bytes = {source, (size_t)size};
    assert_null(weir_grammar_compile(NULL, WEIR_EBNF, bytes, NULL, &err));
    assert_non_null(strstr(err.message, LIKE_LARK));
    assert_true(strlen(err.message) < sizeof err.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints),
        cmocka_unit_test(a_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
