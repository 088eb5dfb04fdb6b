/* cases_gbnf_test.c: published cases about GBNF. A test is named after its
 * case; docs/cases.md has them all, with their sources.
 */
#include "unit/cases_kit.h"

#include <stdio.h>

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check_grammar(Kit *k, const char *grammar,
                          const char *const *accept, const char *const *reject)
{
    kit_compile(k, WEIR_GBNF, grammar);
    for (; *accept; accept++) kit_accepts(k, *accept);
    for (; *reject; reject++) kit_refuses(k, *reject);
    kit_end(k);
}

static weir_status compile_dialect(const char *grammar, weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_grammar *g =
        weir_grammar_compile(NULL, WEIR_GBNF, kit_bytes(grammar), &opts, err);
    weir_grammar_free(g);
    return g ? WEIR_OK : err->status;
}

/* ggml-org/llama.cpp#6492. */
static void left_recursion(void **state)
{
    (void)state;
    static const char grammar[] = "root ::= root \"a\" | \"b\"\n";
    Kit k;
    weir_error err;
    kit_begin(&k, "aa|ba|baa|bb", "ab");
    check_grammar(&k, grammar, TEXTS("b", "ba", "baaa"), TEXTS("a", "ab", ""));
    assert_int_equal(compile_dialect(grammar, &err), WEIR_UNSUPPORTED);
    assert_string_equal(err.pointer, "root");
}

/* ggml-org/llama.cpp#26600: five levels, then 60,000. */
static void nested_parens(void **state)
{
    (void)state;
    enum { LEVELS = 60000 };
    static char source[2 * LEVELS + 32];
    Kit k;
    weir_error err;
    kit_begin(&k, "aa", "ab");
    check_grammar(&k, "root ::= (((((\"a\")))))\n", TEXTS("a"),
                  TEXTS("aa", ""));
    char *at = source + sprintf(source, "root ::= ");
    memset(at, '(', LEVELS);
    memcpy(at + LEVELS, "\"a\"", 3);
    memset(at + LEVELS + 3, ')', LEVELS);
    assert_int_equal(compile_dialect(source, &err), WEIR_LIMIT_DEPTH);
    assert_non_null(strstr(err.message, "max_depth"));
}

static char *rule_chain(unsigned count)
{
    char *source = malloc(count * 24 + 32), *at = source;
    assert_non_null(source);
    at += sprintf(at, "root ::= r1\n");
    for (unsigned i = 1; i < count; i++)
        at += sprintf(at, "r%u ::= r%u\n", i, i + 1);
    sprintf(at, "r%u ::= \"z\"\n", count);
    return source;
}

/* ggml-org/llama.cpp#26602: 50, 5,000 and 100,000 rules. */
static void chain_depth(void **state)
{
    (void)state;
    Kit k;
    weir_error err;
    char *source = rule_chain(50);
    kit_begin(&k, "zz", "z");
    check_grammar(&k, source, TEXTS("z"), TEXTS("", "zz"));
    free(source);
    static const unsigned counts[] = {5000, 100000};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        source = rule_chain(counts[i]);
        assert_int_equal(compile_dialect(source, &err), WEIR_OK);
        free(source);
    }
}

/* ggml-org/llama.cpp#13762. */
static void nullable_star(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "--|---|----| MOD| test|\n==|==|\r\n|MOD|  | \n",
              "-MODtestax= \r\n");
    check_grammar(
        &k,
        "root ::= ws module ws\nmodule ::= \"--\" \"-\"{2,} sp \"MOD\" sp "
        "[a-z]+ ws \"==\"\nws ::= (sp | nl)*\nsp ::= [ \\t]*\nnl ::= "
        "\"\\r\"? \"\\n\"\n",
        TEXTS("---- MOD test\n==", "----MODx==", "\n ---- MOD a \r\n == \n"),
        TEXTS("--- MOD test\n==", "---- MOD ==", "---- MOD test"));
}

/* ggml-org/llama.cpp#4218. */
static void optional_chain(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "aa|aaa|1a|a2", "1234a");
    check_grammar(&k, "root ::= [0-9] (a? a? a? a? a? [0-9])*\na ::= \"a\"\n",
                  TEXTS("1", "1a2aa3aaaaa4", "12"),
                  TEXTS("1aaaaaa2", "a1", "1a"));
}

/* sgl-project/sglang#3108: control tokens are in no mask. */
static void special_tokens(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "<think>|</think>|\n\n|score|: |abc|<b",
              "<>/think\nscore:3 59abx");
    kit_token(&k, "<unk>", WEIR_TOKEN_CONTROL);
    kit_token(&k, "<pad>", WEIR_TOKEN_CONTROL);
    check_grammar(&k,
                  "root ::= \"<think>\\n\" line* \"</think>\" \"\\n\\n\" "
                  "\"score: \" [1-5]\nline ::= [^\\n<]* ((\"<\" [^/] line) | "
                  "\"\\n\")\n",
                  TEXTS("<think>\n</think>\n\nscore: 3",
                        "<think>\nabc\n<b>x\n</think>\n\nscore: 5"),
                  TEXTS("<think>\n</think>\nscore: 3",
                        "<think>\nabc</think>\n\nscore: 9", "score: 3"));
}

/* ggml-org/llama.cpp#2501. */
static void emoji_class(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "\xF0\x9F\x98\x80|\xF0\x9F\x98|\x91\x8D",
              "\xF0\x9F\x98\x80\x91\x8D\xA8\x9A"
              "a");
    check_grammar(
        &k,
        "root ::= emoji+ \"\\U0001F44D\"?\nemoji ::= [\xF0\x9F\x98\x80-"
        "\xF0\x9F\x99\x8F]\n",
        TEXTS("\xF0\x9F\x98\x80",
              "\xF0\x9F\x98\xA8\xF0\x9F\x98\xA8\xF0\x9F\x91\x8D"),
        TEXTS("\xF0\x9F\x91\x8D", "\xF0\x9F\x9A\x80",
              "\xF0\x9F\x98\x80"
              "a"));
}

/* ggml-org/llama.cpp#11591: the one token that fits is in the mask. */
static void one_literal(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "{{", "{@");
    check_grammar(&k, "root ::= \"{\"\n", TEXTS("{"), TEXTS("{{", "", "@"));
}

/* ggml-org/llama.cpp#7572. llama.cpp refuses it; so does its dialect. */
static void empty_under_star(void **state)
{
    (void)state;
    static const char grammar[] =
        "root ::= \"a\" ( \"\" | \"b\" | \"c\" root )*\n";
    Kit k;
    weir_error err;
    kit_begin(&k, "ab|aca|ca", "abc");
    check_grammar(&k, grammar, TEXTS("a", "abb", "aca", "acab"),
                  TEXTS("", "b", "ac", "c"));
    assert_int_equal(compile_dialect(grammar, &err), WEIR_UNSUPPORTED);
}

/* mlc-ai/xgrammar#873: texts; the steady cost is that of bounded sets of
 * configurations, which must not grow with the output. */
static void cost_with_history(void **state)
{
    (void)state;
    enum { STEPS = 20000, WIDTH = 64 };
    static const char grammar[] =
        "root ::= s0 \"</end>\"\ns0 ::= \"\" | [^<] s0 | \"<\" [^/] s0\n";
    Kit k;
    weir_grammar_info early = {.size = sizeof early};
    weir_grammar_info late = {.size = sizeof late};
    int32_t row[WEIR_MASK_WORDS(WIDTH)];
    kit_begin(&k, "</end>|hello|</|a<b", "</end>helloab x");
    assert_in_range(k.c.vocab.count, 1, WIDTH);
    kit_compile(&k, WEIR_GBNF, grammar);
    kit_accepts(&k, "hello</end>");
    kit_accepts(&k, "a<b</end>");
    kit_refuses(&k, "a</end");
    kit_refuses(&k, "a</x></end>");
    kit_refuses(&k, "</end>x");
    weir_matcher *m = kit_matcher(&k);
    uint32_t hello = kit_find(&k, "hello");
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(weir_matcher_fill(m, row), WEIR_FILL_APPLY);
        assert_int_equal(weir_matcher_accept(m, hello), WEIR_ACCEPTED);
        if (i == 1000) weir_grammar_describe(k.grammar, &early);
    }
    weir_grammar_describe(k.grammar, &late);
    assert_int_equal(late.states, early.states);
    assert_int_equal(late.memory, early.memory);
    weir_matcher_free(m);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("left-recursion-gbnf", left_recursion),
        CASE("nested-parens-stack", nested_parens),
        CASE("rule-chain-depth", chain_depth),
        CASE("nullable-star-segv", nullable_star),
        CASE("optional-chain-explosion", optional_chain),
        CASE("special-token-crash-rate", special_tokens),
        CASE("gbnf-emoji-class", emoji_class),
        CASE("trivial-one-literal-grammar", one_literal),
        CASE("empty-alternative-under-star", empty_under_star),
        CASE("mask-cost-grows-with-history", cost_with_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
