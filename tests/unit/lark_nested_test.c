/* lark_nested_test.c: Lark grammars with parts in other languages, by the public
 * interface: texts, places of errors, circles, limits.
 */
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_grammar *compile(const char *text, const weir_named_grammar *named,
                             size_t count, weir_error *err)
{
    weir_compile_opts opts = {
        .size = sizeof opts, .grammars = named, .grammar_count = count};
    return weir_grammar_compile(NULL, WEIR_LARK, bytes_of(text), &opts, err);
}

static bool accepts(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    bool done =
        weir_matcher_accept_bytes(m, bytes_of(text), NULL) == WEIR_ACCEPTED &&
        weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return done;
}

static void parts_are_read(void **state)
{
    (void)state;
    weir_error err;
    const weir_named_grammar named[] = {
        {bytes_of("e"), WEIR_EBNF, bytes_of("root ::= \"<\" root? \">\"")},
        {bytes_of("o"), WEIR_JSON_OBJECT, bytes_of("")},
        {bytes_of("l"), WEIR_LARK, bytes_of("start: \"l\" @e\n")}};
    weir_grammar *g = compile("start: %json {\"type\": \"boolean\"} a @l | @o\n"
                              "a: %lark {\n  start: B+ // }\n"
                              "  B: \"}\" | /[}x]/\n} \",\"\n",
                              named, 3, &err);
    if (!g) fail_msg("%s", err.message);
    assert_true(accepts(g, "truex},l<>"));
    assert_true(accepts(g, "falsex,l<<>>"));
    assert_true(accepts(g, "{\"a\": [1]}"));
    assert_false(accepts(g, "1x,l<>"));
    assert_false(accepts(g, "true,l<>"));
    assert_false(accepts(g, "truex,l<"));
    weir_grammar_free(g);
}

/* Errors in a part point into it, within the whole source. */
static void errors_have_places(void **state)
{
    (void)state;
    weir_error err;
    const char *schema = "start: %json {\"type\": 7}";
    assert_null(compile(schema, NULL, 0, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
    assert_int_equal(schema[err.begin], '7');
    const char *lark = "start: %lark { start: b }\nb: \"x\"";
    assert_null(compile(lark, NULL, 0, &err));
    assert_int_equal(err.status, WEIR_UNDEFINED);
    assert_int_equal(lark[err.begin], 'b');
    assert_int_equal(err.begin, 22);
}

static void circles_end(void **state)
{
    (void)state;
    weir_error err;
    const weir_named_grammar named[] = {
        {bytes_of("a"), WEIR_LARK, bytes_of("start: \"a\" @b")},
        {bytes_of("b"), WEIR_LARK, bytes_of("start: \"b\" @a")}};
    assert_null(compile("start: @a", named, 2, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
    assert_non_null(strstr(err.message, "leads back to itself"));
    assert_null(compile("start: @c", named, 2, &err));
    assert_int_equal(err.status, WEIR_UNDEFINED);
}

/* Thirty-three grammars inside each other; and ones that name the next twice,
 * which would be 2^26 readings. */
static void limits_end_it(void **state)
{
    (void)state;
    enum { LEVELS = 33, NAMES = 26 };
    char text[LEVELS * 20 + 64] = "", *at = text;
    weir_error err;
    for (int i = 0; i < LEVELS; i++) at += sprintf(at, "start: %%lark {\n");
    at += sprintf(at, "start: \"x\"\n");
    for (int i = 0; i < LEVELS; i++) at += sprintf(at, "}\n");
    assert_null(compile(text, NULL, 0, &err));
    assert_int_equal(err.status, WEIR_LIMIT_DEPTH);
    weir_named_grammar named[NAMES + 1];
    static char names[2 * NAMES + 2][16], sources[2 * NAMES + 2][64];
    for (int i = 0; i <= NAMES; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        snprintf(sources[i], sizeof sources[i],
                 i < NAMES ? "start: a b\na: @n%d\nb: @n%d" : "start: \"x\"",
                 i + 1, i + 1);
        named[i] = (weir_named_grammar){bytes_of(names[i]), WEIR_LARK,
                                        bytes_of(sources[i])};
    }
    weir_grammar *g = compile("start: @n20 @n20", named, NAMES + 1, &err);
    if (!g) fail_msg("%s", err.message);
    weir_grammar_free(g);
}

/* A cached grammar is known by what its names stand for, too. */
static void the_cache_tells_them_apart(void **state)
{
    (void)state;
    weir_error err;
    const weir_token tokens[] = {{{"x", 1}, 0}, {{"y", 1}, 0}};
    weir_vocab *v = weir_vocab_new(NULL, tokens, 2, NULL, &err);
    weir_compiler *c = weir_compiler_new(v, NULL, &err);
    assert_non_null(c);
    weir_named_grammar named = {bytes_of("a"), WEIR_REGEX, bytes_of("x")};
    weir_compile_opts opts = {
        .size = sizeof opts, .grammars = &named, .grammar_count = 1};
    weir_bytes source = bytes_of("start: @a");
    weir_grammar *x = weir_compiler_compile(c, WEIR_LARK, source, &opts, &err);
    named.source = bytes_of("y");
    weir_grammar *y = weir_compiler_compile(c, WEIR_LARK, source, &opts, &err);
    assert_non_null(x);
    assert_non_null(y);
    assert_true(accepts(x, "x") && !accepts(x, "y"));
    assert_true(accepts(y, "y") && !accepts(y, "x"));
    weir_grammar_free(x);
    weir_grammar_free(y);
    weir_compiler_free(c);
    weir_vocab_free(v);
}

/* Tokens by their names: all that are called so. */
static void tokens_have_names(void **state)
{
    (void)state;
    weir_error err;
    const weir_token tokens[] = {
        {{"a", 1}, 0},
        {{"<|t|>", 5}, WEIR_TOKEN_CONTROL},
        {{"<|t|>", 5}, WEIR_TOKEN_CONTROL},
        {{"</s>", 4}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP}};
    weir_vocab *v = weir_vocab_new(NULL, tokens, 4, NULL, &err);
    weir_bytes source = bytes_of("start: <|t|> \"a\" <[*]>");
    weir_grammar *g = weir_grammar_compile(v, WEIR_LARK, source, NULL, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    const bool first[] = {false, true, true, false};
    for (uint32_t id = 0; id < 4; id++)
        assert_int_equal(weir_matcher_allows(m, id), first[id]);
    assert_int_equal(weir_matcher_accept(m, 2), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_ACCEPTED);
    const bool last[] = {true, true, true, false};
    for (uint32_t id = 0; id < 4; id++)
        assert_int_equal(weir_matcher_allows(m, id), last[id]);
    weir_matcher_free(m);
    weir_grammar_free(g);
    source = bytes_of("start: <|u|>");
    assert_null(weir_grammar_compile(v, WEIR_LARK, source, NULL, &err));
    assert_int_equal(err.status, WEIR_UNDEFINED);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(the_cache_tells_them_apart),
        cmocka_unit_test(tokens_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
