/* gbnf_dialect_test.c: the dialect llama.cpp on a small vocabulary, by the
 * rules of docs/gbnf.md; where records are at hand gbnf_recorded_test.c says
 * more.
 */
#include "base/port.h"
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NAME, NUL, LEAD, TAIL, WHOLE, OTHER, X, Y, Z, XY, EMPTY, END, COUNT };

static const struct {
    weir_bytes bytes;
    uint32_t flags;
} tokens[COUNT] = {
    [NAME] = {{"<s>", 3}, WEIR_TOKEN_CONTROL},
    [NUL] = {{"\0x", 2}, 0},
    [LEAD] = {{"\xC3", 1}, 0},
    [TAIL] = {{"\xA9", 1}, 0},
    [WHOLE] = {{"\xC3\xA3", 2}, 0},
    [OTHER] = {{"x\xC3", 2}, 0},
    [X] = {{"x", 1}, 0},
    [Y] = {{"y", 1}, 0},
    [Z] = {{"z", 1}, 0},
    [XY] = {{"xy", 2}, 0},
    [EMPTY] = {{"", 0}, 0},
    [END] = {{"</s>", 4}, WEIR_TOKEN_STOP},
};

static weir_vocab *load(weir_dialect dialect)
{
    weir_token list[COUNT];
    weir_error err;
    weir_vocab_opts opts = {.size = sizeof opts, .dialect = dialect};
    for (int i = 0; i < COUNT; i++)
        list[i] = (weir_token){tokens[i].bytes, tokens[i].flags};
    weir_vocab *v = weir_vocab_new(NULL, list, COUNT, &opts, &err);
    assert_non_null(v);
    return v;
}

static weir_matcher *start(const char *source)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_vocab *v = load(WEIR_DIALECT_LLAMA_CPP);
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_GBNF, (weir_bytes){source, strlen(source)}, &opts, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    assert_non_null(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
    return m;
}

/* The mask has exactly the bits of `want`. */
static void expect(weir_matcher *m, uint32_t want)
{
    int32_t row[WEIR_MASK_WORDS(COUNT)];
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    if ((uint32_t)row[0] != want)
        fail_msg("mask %x, expected %x", (unsigned)row[0], (unsigned)want);
}
#define BIT(id) (1u << (id))

static void take(weir_matcher *m, uint32_t id)
{
    assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
}

static void any_character(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= .*");
    expect(m, BIT(NAME) | BIT(LEAD) | BIT(WHOLE) | BIT(OTHER) | BIT(X) |
                  BIT(Y) | BIT(Z) | BIT(XY) | BIT(END));
    take(m, NAME);
    take(m, OTHER);
    expect(m, BIT(TAIL)); /* and no end inside a character */
    weir_matcher_free(m);
}

static void negated(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= [^\xC3\xA9]+");
    expect(m, BIT(NAME) | BIT(WHOLE) | BIT(X) | BIT(Y) | BIT(Z) | BIT(XY));
    assert_int_equal(weir_matcher_accept(m, LEAD), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, OTHER), WEIR_REFUSED);
    size_t consumed;
    assert_int_equal(
        weir_matcher_accept_bytes(m, (weir_bytes){"x\xC3", 2}, &consumed),
        WEIR_REFUSED);
    assert_int_equal(consumed, 1);
    take(m, WHOLE);
    weir_matcher_free(m);
    m = start("root ::= [^\xC3\xA9]+ | \"\xC3\xA9\"");
    take(m, LEAD); /* the string may begin so */
    expect(m, BIT(TAIL));
    weir_matcher_free(m);
}

static void dead_ends(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= \"x\" | \"y\" loop\n"
                            "loop ::= \"z\" loop");
    expect(m, BIT(X) | BIT(Y));
    take(m, Y);
    take(m, Z);
    expect(m, BIT(Z));
    weir_matcher_free(m);
    m = start("root ::= \"x\" [z-a]");
    take(m, X);
    expect(m, 0);
    weir_matcher_free(m);
    m = start("root ::= \"\\x00\" | <[11]> | <[10]> | <[3]> | <[2]> | <[99]>");
    expect(m, 0); /* U+0000, the end, no text, no whole character, no token */
    weir_matcher_free(m);
}

/* The mask has XY, whose rest is taken for the token; accept refuses it. */
static void spare_tokens(void **state)
{
    (void)state;
    weir_matcher *m = start("root ::= \"x\" !<[6]> | \"z\"");
    expect(m, BIT(X) | BIT(XY) | BIT(Z));
    assert_int_equal(weir_matcher_accept(m, XY), WEIR_REFUSED);
    take(m, X);
    expect(m, BIT(NAME) | BIT(WHOLE) | BIT(OTHER) | BIT(Y) | BIT(Z) | BIT(XY));
    weir_matcher_free(m);
    m = start("root ::= \"x\" <[9]>");
    expect(m, BIT(X) | BIT(XY));
    weir_matcher_free(m);
}

static void other_vocabulary(void **state)
{
    (void)state;
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_vocab *v = load(WEIR_DIALECT_DEFAULT);
    weir_bytes source = {"root ::= \"x\"", 12};
    assert_null(weir_grammar_compile(v, WEIR_GBNF, source, &opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    weir_grammar *g =
        weir_grammar_compile(NULL, WEIR_GBNF, source, &opts, &err);
    assert_non_null(g);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_character),    cmocka_unit_test(negated),
        cmocka_unit_test(dead_ends),        cmocka_unit_test(spare_tokens),
        cmocka_unit_test(other_vocabulary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
