/* budget_test.c: max_tokens, max_chars and temperature of EBNF rules. The
 * expectations follow docs/ebnf.md by hand: a rule whose budget is used up
 * must end if it can, else as soon as it can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "weir/weir.h"

/* One token a letter of the walks below; the last is the stop token, '$'. */
static const char *const token_text[] = {"a", "b",  "ab",       "aaa",
                                         "!", "a!", "\xc3\xa9", "x"};
static const char token_name[] = "abcd!efx$";

enum { NTOKENS = 9, STOP = 8 };

typedef struct Step {
    char take;        /* name of the token, or 0 at the start */
    const char *mask; /* names of the tokens allowed then, in id order */
} Step;

typedef struct Case {
    const char *grammar;
    Step steps[6];
} Case;

static weir_vocab *vocab_make(void)
{
    weir_token tokens[NTOKENS];
    for (int i = 0; i < STOP; i++)
        tokens[i] = (weir_token){{token_text[i], strlen(token_text[i])}, 0};
    tokens[STOP] =
        (weir_token){{"<s>", 3}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, NTOKENS, NULL, NULL);
}

static uint32_t token_of(char name)
{
    return (uint32_t)(strchr(token_name, name) - token_name);
}

static void expect_mask(weir_matcher *m, const char *names)
{
    int32_t row[1];
    char found[NTOKENS + 1] = {0};
    size_t n = 0;
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    for (uint32_t id = 0; id < NTOKENS; id++) {
        bool bit = (uint32_t)row[0] >> id & 1;
        if (bit) found[n++] = token_name[id];
        assert_int_equal(weir_matcher_allows(m, id), bit);
    }
    assert_string_equal(found, names);
}

static weir_matcher *start(const char *grammar)
{
    weir_vocab *v = vocab_make();
    weir_bytes source = {grammar, strlen(grammar)};
    weir_grammar *g = weir_grammar_compile(v, WEIR_EBNF, source, NULL, NULL);
    assert_non_null(g);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
    return m;
}

static const Case cases[] = {
    {"root ::= r \"!\"\nr[max_tokens=2] ::= [ab]+",
     {{0, "abcde"}, {'a', "abcd!e"}, {'a', "!"}}},
    {"root ::= r \"!\"\nr[max_chars=3] ::= [ab\xc3\xa9]+",
     {{0, "abcdef"}, {'a', "abc!ef"}, {'f', "ab!ef"}, {'b', "!"}, {'!', "$"}}},
    /* cannot end after two characters: goes on to the third, and no further */
    {"root ::= r \"x\"\nr[max_chars=2] ::= (\"aaa\" \"b\"?)+",
     {{0, "ad"}, {'a', "a"}, {'a', "a"}, {'a', "x"}}},
    {"root[max_tokens=1] ::= [ab]+", {{0, "abcd"}, {'d', "$"}}},
    /* the outer budget runs out in the second inner rule, which needs its '!' */
    {"root ::= (o \"x\")+\no[max_tokens=4] ::= i+\n"
     "i[max_tokens=2] ::= [ab]+ \"!\"",
     {{0, "abcde"},
      {'a', "abcd!e"},
      {'a', "abcd!e"},
      {'!', "abcdex"},
      {'a', "abcd!e"},
      {'!', "x"}}},
    {"root ::= r \"x\"?\nr[max_chars=0] ::= [ab]*", {{0, "x$"}, {'x', "$"}}},
    {"root ::= r \"x\"\nr[max_chars=0] ::= [ab]+", {{0, "ab"}, {'a', "x"}}},
};

static void budgets_end_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_matcher *m = start(cases[i].grammar);
        size_t n = 0;
        for (const Step *s = cases[i].steps; s->mask && n < 6; s++, n++) {
            if (s->take)
                assert_int_equal(weir_matcher_accept(m, token_of(s->take)),
                                 WEIR_ACCEPTED);
            expect_mask(m, s->mask);
        }
        while (n-- > 1) { /* and back */
            assert_int_equal(weir_matcher_rollback(m, 1), WEIR_OK);
            expect_mask(m, cases[i].steps[n - 1].mask);
        }
        weir_matcher_free(m);
    }
}

static void bytes_count_characters_not_tokens(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= r \"!\"\nr[max_tokens=2] ::= [ab]+");
    for (int i = 0; i < 5; i++)
        assert_int_equal(
            weir_matcher_accept_bytes(m, (weir_bytes){"a", 1}, NULL),
            WEIR_ACCEPTED);
    expect_mask(m, "abcd!e");
    weir_matcher_free(m);
    m = start("root ::= r \"!\"\nr[max_chars=2] ::= [ab]+");
    assert_int_equal(weir_matcher_accept_bytes(m, (weir_bytes){"ab", 2}, NULL),
                     WEIR_ACCEPTED);
    expect_mask(m, "!");
    weir_matcher_free(m);
}

/* A mask near the end of a budget in characters is that of one output: it is
 * made once a place, and trials of tokens do not mix it up. */
static void masks_of_one_output_are_made_once(void **state)
{
    (void)state;
    weir_matcher *m =
        start("root ::= r \"!\"\nr[max_chars=3] ::= [ab\xc3\xa9]+");
    weir_matcher_stats stats = {.size = sizeof stats};
    for (int i = 0; i < 3; i++) expect_mask(m, "abcdef");
    weir_matcher_describe(m, &stats);
    assert_int_equal(stats.masks, 3);
    assert_int_equal(stats.direct, 1);
    assert_int_equal(stats.remembered, 2);
    uint32_t draft = token_of('a');
    int32_t rows[2];
    assert_int_equal(weir_matcher_fill_drafts(m, &draft, 1, rows, 1), 1);
    expect_mask(m, "abcdef");
    assert_int_equal(weir_matcher_accept(m, token_of('c')), WEIR_ACCEPTED);
    expect_mask(m, "ab!ef");
    assert_int_equal(weir_matcher_rollback(m, 1), WEIR_OK);
    expect_mask(m, "abcdef");
    weir_matcher_free(m);
}

static void left_recursive_rules_have_no_budget(void **state)
{
    (void)state;
    weir_error e;
    const char *text = "root ::= e\ne[max_tokens=3] ::= e \"b\" | \"a\"";
    weir_bytes source = {text, strlen(text)};
    assert_null(weir_grammar_compile(NULL, WEIR_EBNF, source, NULL, &e));
    assert_int_equal(e.status, WEIR_UNSUPPORTED);
}

static void temperature_is_the_innermost_rules(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= \"x\" r \"!\"\n"
                            "r[temperature=0.5] ::= \"a\" s \"b\"\n"
                            "s[temperature=1.25] ::= \"a\"+");
    static const struct {
        char take;
        double expected;
    } steps[] = {{0, -1},     {'x', 0.5}, {'a', 1.25},
                 {'a', 1.25}, {'b', -1},  {'!', -1}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].take)
            assert_int_equal(weir_matcher_accept(m, token_of(steps[i].take)),
                             WEIR_ACCEPTED);
        assert_true(weir_matcher_temperature(m, -1) == steps[i].expected);
    }
    weir_matcher_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_end_rules),
        cmocka_unit_test(bytes_count_characters_not_tokens),
        cmocka_unit_test(masks_of_one_output_are_made_once),
        cmocka_unit_test(left_recursive_rules_have_no_budget),
        cmocka_unit_test(temperature_is_the_innermost_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
