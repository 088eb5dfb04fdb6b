/* capture_test.c: what rules with capture=... read, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "weir/weir.h"

/* Letters, digits and marks, one token each, and a few longer ones. */
static weir_vocab *vocab_make(void)
{
    static const char singles[] = "abcdefghij0123456789,;:=-()";
    static const char *const longer[] = {"ab", "=1", "12", ",b", ");"};
    weir_token tokens[40];
    uint32_t n = 0;
    for (const char *p = singles; *p; p++)
        tokens[n++] = (weir_token){{p, 1}, 0};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        tokens[n++] = (weir_token){{longer[i], strlen(longer[i])}, 0};
    tokens[n++] =
        (weir_token){{"<s>", 3}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, n, NULL, NULL);
}

typedef struct Case {
    const char *grammar, *text;
    const char *expected; /* name=begin-end, in order, a blank after each */
} Case;

static const Case cases[] = {
    {"root ::= k \"=\" v\nk[capture=\"key\"] ::= [a-j]+\n"
     "v[capture] ::= [0-9]+",
     "ab=12", "key=0-2 v=3-5 "},
    /* every occurrence, in the order of their ends */
    {"root ::= (i \",\")+\ni[capture] ::= [a-j]+", "a,bc,d,",
     "i=0-1 i=2-4 i=5-6 "},
    /* an inner rule ends before the one around it */
    {"root ::= \"(\" o \")\"\no[capture] ::= \"a\" i \"c\"\n"
     "i[capture] ::= \"b\"*",
     "(abbc)", "i=2-4 o=1-5 "},
    /* one that may go on has not ended; where the text may end, it has */
    {"root ::= \"a\" n\nn[capture] ::= [0-9]+", "a12", "n=1-3 "},
    {"root ::= \"a\" n \";\"\nn[capture] ::= [0-9]+", "a12", ""},
    /* a root that captures */
    {"root[capture] ::= [a-j]+", "abc", "root=0-3 "},
    /* an empty occurrence is none */
    {"root ::= \"a\" n \";\"\nn[capture] ::= [0-9]*", "a;", ""},
    /* one of a single byte, at each place */
    {"root ::= n\nn[capture] ::= [0-9]", "7", "n=0-1 "},
    {"root ::= \"a\" n \";\"*\nn[capture] ::= \"7\"", "a7;;", "n=1-2 "},
    {"root ::= (n \",\"?)+\nn[capture] ::= [0-9]", "7,89",
     "n=0-1 n=2-3 n=3-4 "},
    {"root ::= o \";\"\no[capture] ::= n n?\nn[capture] ::= [0-9]", "7;",
     "n=0-1 o=0-1 "},
    /* hidden bytes are left out */
    {"root ::= n\nn[capture, capture_hidden_suffix_bytes=1] ::= [0-9]+ \";\"",
     "123;", "n=0-3 "},
    {"root ::= n\nn[stop_capture=\"s\", capture_hidden_stop_bytes=1] ::= "
     "[0-9]+ \";\"",
     "123;", "s=3-4 "},
    /* nested by recursion, not at the left */
    {"root ::= e\ne[capture] ::= \"(\" e? \")\"", "(())", "e=1-3 e=0-4 "},
    /* two readings until the last byte */
    {"root ::= x \";\" | y \":\"\nx[capture] ::= [a-j]+\ny[capture] ::= [a-h]+",
     "abc:", "y=0-3 "},
};

static void expect_captures(weir_matcher *m, const char *expected)
{
    weir_capture list[16];
    char found[256] = "";
    size_t size = 0, n = weir_matcher_captures(m, list, 16);
    assert_true(n <= 16);
    for (size_t i = 0; i < n; i++)
        size += (size_t)snprintf(found + size, sizeof found - size,
                                 "%.*s=%zu-%zu ", (int)list[i].name.size,
                                 list[i].name.data, list[i].begin, list[i].end);
    assert_string_equal(found, expected);
}

static weir_matcher *start(weir_vocab *v, const char *grammar)
{
    weir_error e;
    weir_bytes source = {grammar, strlen(grammar)};
    weir_grammar *g = weir_grammar_compile(v, WEIR_EBNF, source, NULL, &e);
    if (!g) fail_msg("%s: %s", grammar, e.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    return m;
}

/* As the encoder cuts it, and byte by byte. */
static void captures_are_found(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        uint32_t ids[32];
        weir_bytes text = {c->text, strlen(c->text)};
        size_t n = weir_vocab_encode(v, text, false, ids, 32);
        weir_matcher *m = start(v, c->grammar);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(weir_matcher_accept(m, ids[k]), WEIR_ACCEPTED);
        expect_captures(m, c->expected);
        weir_matcher_reset(m);
        expect_captures(m, "");
        for (size_t k = 0; k < text.size; k++)
            assert_int_equal(weir_matcher_accept_bytes(
                                 m, (weir_bytes){c->text + k, 1}, NULL),
                             WEIR_ACCEPTED);
        expect_captures(m, c->expected);
        weir_matcher_free(m);
    }
    weir_vocab_free(v);
}

static void captures_go_with_rollback(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_matcher *m = start(v, "root ::= (i \",\")+\ni[capture] ::= [a-j]+");
    for (const char *p = "a,b,"; *p; p++)
        assert_int_equal(
            weir_matcher_accept(m, weir_vocab_find(v, (weir_bytes){p, 1})),
            WEIR_ACCEPTED);
    expect_captures(m, "i=0-1 i=2-3 ");
    assert_int_equal(weir_matcher_rollback(m, 2), WEIR_OK);
    expect_captures(m, "i=0-1 ");
    weir_matcher_free(m);
    weir_vocab_free(v);
}

static void token_edges_count_their_names(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    uint32_t stop = weir_vocab_find(v, (weir_bytes){"<s>", 3});
    char grammar[100];
    snprintf(grammar, sizeof grammar,
             "root ::= \"a\" Token(%u) n \";\"\nn[capture] ::= [0-9]+", stop);
    weir_matcher *m = start(v, grammar);
    const uint32_t ids[] = {weir_vocab_find(v, (weir_bytes){"a", 1}), stop,
                            weir_vocab_find(v, (weir_bytes){"7", 1}),
                            weir_vocab_find(v, (weir_bytes){";", 1})};
    for (int i = 0; i < 4; i++)
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
    expect_captures(m, "n=4-5 ");
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* A token that is all of a rule, and all of the text. */
static void a_token_is_a_rule(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    uint32_t stop = weir_vocab_find(v, (weir_bytes){"<s>", 3});
    char grammar[100];
    snprintf(grammar, sizeof grammar, "root ::= n\nn[capture] ::= Token(%u)",
             stop);
    weir_matcher *m = start(v, grammar);
    assert_int_equal(weir_matcher_accept(m, stop), WEIR_ACCEPTED);
    expect_captures(m, "n=0-3 ");
    weir_matcher_free(m);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_are_found),
        cmocka_unit_test(captures_go_with_rollback),
        cmocka_unit_test(token_edges_count_their_names),
        cmocka_unit_test(a_token_is_a_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
