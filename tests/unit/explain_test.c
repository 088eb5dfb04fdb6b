/* explain_test.c: the words of weir_matcher_explain. Every expected text is
 * written by hand from the grammar; the counts of characters are sums over
 * their ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/grammar.h"
#include "base/utf8.h"
#include "base/words.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* Ids: 0 '{', 1 '"', 2 "ab\"", 3 "}", 4 <s> control, 5 </s> stop, 6 hole,
 * 7 "é" (two bytes), 8 "1x". */
static weir_vocab *small_vocab(void)
{
    static const struct {
        const char *text;
        uint32_t flags;
    } list[] = {
        {"{", 0},
        {"\"", 0},
        {"ab\"", 0},
        {"}", 0},
        {"<s>", WEIR_TOKEN_CONTROL},
        {"</s>", WEIR_TOKEN_STOP},
        {"", WEIR_TOKEN_HOLE},
        {"\xC3\xA9", 0},
        {"1x", 0},
    };
    weir_token tokens[COUNT_OF(list)];
    for (size_t i = 0; i < COUNT_OF(list); i++)
        tokens[i] = (weir_token){bytes_of(list[i].text), list[i].flags};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(list), NULL, NULL);
    assert_non_null(v);
    return v;
}

static weir_matcher *matcher_of(weir_grammar *g, const char *text)
{
    assert_non_null(g);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    if (*text)
        assert_int_equal(weir_matcher_accept_bytes(m, bytes_of(text), NULL),
                         WEIR_ACCEPTED);
    return m;
}

/* What the matcher says about `id`; the matcher is freed. */
static void expect_of(weir_matcher *m, uint32_t id, const char *expected)
{
    char text[1024], cut[8];
    uint64_t generation = weir_matcher_generation(m);
    size_t size = weir_matcher_explain(m, id, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    assert_int_equal(weir_matcher_explain(m, id, cut, sizeof cut), size);
    assert_memory_equal(cut, text, MIN(size, sizeof cut - 1));
    assert_int_equal(cut[MIN(size, sizeof cut - 1)], 0);
    assert_int_equal(weir_matcher_explain(m, id, NULL, 0), size);
    assert_int_equal(weir_matcher_generation(m), generation);
    weir_matcher_free(m);
}

static weir_matcher *json_after(const char *text)
{
    return matcher_of(
        weir_grammar_compile(NULL, WEIR_JSON_VALUE, bytes_of(""), NULL, NULL),
        text);
}

static void json_next(void **state)
{
    (void)state;
    expect_of(json_after(""), UINT32_MAX,
              "'\"', '-', '[', 'false', 'null', 'true', '{' or a digit");
    expect_of(json_after("t"), UINT32_MAX, "'rue'");
    expect_of(json_after("{"), UINT32_MAX, "'\"', '}' or a blank");
    expect_of(json_after("{\"a\""), UINT32_MAX, "':' or a blank");
    expect_of(json_after("-"), UINT32_MAX, "a digit");
    expect_of(json_after("0"), UINT32_MAX, "'.', 'E', 'e' or end of output");
    expect_of(json_after("true"), UINT32_MAX, "end of output");
    expect_of(json_after("\"\\u"), UINT32_MAX, "a hexadecimal digit");
    expect_of(json_after("\"x"), UINT32_MAX,
              "any character but a control character");
}

static weir_matcher *choice_after(const char *text)
{
    const weir_bytes list[] = {bytes_of("yes"),    bytes_of("no"),
                               bytes_of("no way"), bytes_of("\xC3\xA9t\xC3"),
                               bytes_of("'tis"),   bytes_of("\xC3\xAA")};
    return matcher_of(
        weir_grammar_choice(NULL, list, COUNT_OF(list), NULL, NULL), text);
}

static void choice_next(void **state)
{
    (void)state;
    expect_of(choice_after(""), UINT32_MAX,
              "\"'tis\", 'no', 'yes', '\xC3\xA9t' or '\xC3\xAA'");
    expect_of(choice_after("no"), UINT32_MAX, "' way' or end of output");
    expect_of(choice_after("\xC3"), UINT32_MAX,
              "byte 0xA9 to 0xAA (inside a character)");
    expect_of(choice_after("\xC3\xA9t"), UINT32_MAX,
              "byte 0xC3 (inside a character)");
}

/* One character of the class given by `count` ranges. */
static weir_matcher *class_of(const Range *ranges, uint32_t count, bool negated)
{
    Mem mem = mem_from_env(NULL);
    Ir ir;
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    ir_rule_set(&ir, ir.root, ir_class(&ir, ranges, count, negated));
    return matcher_of(grammar_from_ir(NULL, &ir, NULL), "");
}

#define CLASS(negated, ...)                \
    class_of((const Range[]){__VA_ARGS__}, \
             sizeof((const Range[]){__VA_ARGS__}) / sizeof(Range), negated)

static void classes_next(void **state)
{
    (void)state;
    expect_of(CLASS(false, {'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}),
              UINT32_MAX, "'_', a letter or a digit");
    expect_of(CLASS(false, {'a', 'c'}, {'x', 'y'}), UINT32_MAX,
              "'a' to 'c', 'x' or 'y'");
    expect_of(CLASS(false, {0, RUNE_MAX}), UINT32_MAX, "any character");
    expect_of(CLASS(true, {'"', '"'}, {'\\', '\\'}, {0, 0x1F}), UINT32_MAX,
              "any character but '\"', '\\' or a control character");
    expect_of(CLASS(true, {'\n', '\n'}), UINT32_MAX,
              "any character but a newline");
    expect_of(CLASS(false, {0x430, 0x44F}), UINT32_MAX,
              "'\xD0\xB0' to '\xD1\x8F'");
    expect_of(CLASS(false, {'a', 'a'}, {0x20, 0x20}, {0x200B, 0x200B}),
              UINT32_MAX, "a space, 'a' or U+200B");
    /* five ranges: 2 + 1 + 3 + 1 + 0x2000 characters */
    expect_of(CLASS(false, {0xC0, 0xC1}, {0xC3, 0xC3}, {0x800, 0x802},
                    {0xFFFD, 0xFFFD}, {0x10000, 0x11FFF}),
              UINT32_MAX, "one of 8199 characters beyond ASCII");
    /* 20 single characters: 12 are named, 8 are counted */
    expect_of(CLASS(false, {'!', '!'}, {'#', '#'}, {'%', '%'}, {'\'', '\''},
                    {')', ')'}, {'+', '+'}, {'-', '-'}, {'/', '/'}, {'1', '1'},
                    {'3', '3'}, {'5', '5'}, {'7', '7'}, {'9', '9'}, {';', ';'},
                    {'=', '='}, {'?', '?'}, {'A', 'A'}, {'C', 'C'}, {'E', 'E'},
                    {'G', 'G'}),
              UINT32_MAX,
              "'!', '#', '%', \"'\", ')', '+', '-', '/', '1', '3', '5', '7' "
              "or 8 other characters");
}

static weir_matcher *object_after(const char *text)
{
    weir_vocab *v = small_vocab();
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_OBJECT, bytes_of(""), NULL, NULL);
    weir_vocab_free(v);
    return matcher_of(g, text);
}

static void tokens(void **state)
{
    (void)state;
    expect_of(object_after(""), 0, "token 0 '{' is allowed");
    expect_of(object_after(""), 3,
              "token 3 '}' is refused: at its byte 0: found '}', expected '{'");
    expect_of(object_after("{\"k\":"), 8,
              "token 8 '1x' is refused: at its byte 1: found 'x', expected "
              "',', '.', 'E', 'e', '}', a digit or a blank");
    expect_of(object_after("{"), 7,
              "token 7 '\xC3\xA9' is refused: at its byte 0: found '\xC3\xA9',"
              " expected '\"', '}' or a blank");
    expect_of(object_after(""), 4,
              "token 4 '<s>' is refused: it is a control token, which no text "
              "reaches");
    expect_of(object_after(""), 5,
              "token 5 '</s>' is refused: it ends the output, which is not "
              "complete: expected '{'");
    expect_of(object_after("{"), 6,
              "token 6 is refused: the id stands for no token");
    expect_of(object_after("{"), 9, "token 9 is refused: ids end at 9");
    expect_of(object_after("{}"), 0,
              "token 0 '{' is refused: the output has ended");
    expect_of(json_after(""), 0, "the grammar has no vocabulary");
}

/* A choice of texts that share a character's first bytes: the place is the
 * second byte, the words are about the character. */
static void inside_a_character(void **state)
{
    const weir_bytes list[] = {bytes_of("\xC3\xA8"), bytes_of("z")};
    weir_vocab *v = small_vocab();
    (void)state;
    expect_of(matcher_of(weir_grammar_choice(v, list, 2, NULL, NULL), ""), 7,
              "token 7 '\xC3\xA9' is refused: at its byte 1: found '\xC3\xA9',"
              " expected 'z' or '\xC3\xA8'");
    weir_vocab_free(v);
}

static void token_edges(void **state)
{
    const Range two[] = {{0, 1}}, one[] = {{4, 4}};
    weir_vocab *v = small_vocab();
    Mem mem = mem_from_env(NULL);
    Ir ir;
    (void)state;
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    ir_rule_set(&ir, ir.root,
                ir_alt2(&ir, ir_tokens(&ir, two, 1, false),
                        ir_alt2(&ir, ir_tokens(&ir, one, 1, true),
                                ir_tokens(&ir, one, 1, false))));
    weir_matcher *m = matcher_of(grammar_from_ir(v, &ir, NULL), "");
    char text[256];
    weir_matcher_explain(m, UINT32_MAX, text, sizeof text);
    /* in any order; not 4 is all but it, the stop token 5 and the hole 6 */
    assert_non_null(strstr(text, "one of 2 tokens"));
    assert_non_null(strstr(text, "one of 6 tokens"));
    assert_non_null(strstr(text, "token 4 '<s>'"));
    assert_int_equal(strlen(text), strlen("one of 2 tokens, one of 6 tokens or "
                                          "token 4 '<s>'"));
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* root ::= "<" word ">"   word ::= [a-z]{2,9}, four characters at most */
static weir_matcher *budget_after(const char *text)
{
    const Range letters = {'a', 'z'};
    const RuleOptions budget = {.has = RULE_HAS_MAX_CHARS, .max_chars = 4};
    Mem mem = mem_from_env(NULL);
    Ir ir;
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    RuleId word = ir_rule_new(&ir, SPAN("word"), 0);
    ir_rule_set(&ir, word,
                ir_repeat(&ir, ir_class(&ir, &letters, 1, false), 2, 9));
    ir_rule_options(&ir, word, &budget);
    NodeId parts[] = {ir_bytes(&ir, SPAN("<")), ir_ref(&ir, word),
                      ir_bytes(&ir, SPAN(">"))};
    ir_rule_set(&ir, ir.root, ir_seq(&ir, parts, 3));
    return matcher_of(grammar_from_ir(NULL, &ir, NULL), text);
}

static void budgets(void **state)
{
    (void)state;
    expect_of(budget_after("<a"), UINT32_MAX, "a lower-case letter");
    expect_of(budget_after("<abc"), UINT32_MAX, "'>' or a lower-case letter");
    expect_of(budget_after("<abcd"), UINT32_MAX, "'>'");
}

static void expect_found(const char *text, size_t pos, const char *expected)
{
    char words[64];
    Out out = {words, sizeof words - 1, 0};
    words_found(&out, span_text(text), pos);
    words[MIN(out.size, out.cap)] = 0;
    assert_string_equal(words, expected);
}

static void found(void **state)
{
    (void)state;
    expect_found("a\nb", 1, "a newline");
    expect_found("ab", 2, "end of input");
    expect_found("\xE2\x82\xAC", 0, "'\xE2\x82\xAC'");
    expect_found("\xE2\x82", 0, "byte 0xE2");
    expect_found("\xE2\x80\xAE", 0, "U+202E");
    expect_found("\x1b[0m", 0, "U+001B");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_next),
        cmocka_unit_test(choice_next),
        cmocka_unit_test(classes_next),
        cmocka_unit_test(tokens),
        cmocka_unit_test(inside_a_character),
        cmocka_unit_test(token_edges),
        cmocka_unit_test(budgets),
        cmocka_unit_test(found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
