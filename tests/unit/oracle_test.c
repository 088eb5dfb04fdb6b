/* oracle_test.c: the oracle against verdicts worked out by hand.
 *
 * A verdict is "c" (a sentence), "m" (a proper prefix of one), "cm" or "".
 */
#include "oracle/completer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

typedef struct Case {
    const char *text, *verdict;
} Case;

static Mem mem;

static void start(Ir *ir)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
}

static NodeId lit(Ir *ir, const char *text)
{
    return ir_bytes(ir, span_text(text));
}

static NodeId set(Ir *ir, uint32_t lo, uint32_t hi)
{
    return ir_class(ir, &(Range){lo, hi}, 1, false);
}

static NodeId seq3(Ir *ir, NodeId a, NodeId b, NodeId c)
{
    return ir_seq(ir, (NodeId[]){a, b, c}, 3);
}

static const char *verdict_of(OracleAnswer a)
{
    return a.complete ? a.more ? "cm" : "c" : a.more ? "m" : "";
}

static void judge(Ir *ir, const Case *cases, size_t count)
{
    assert_true(ir_ok(ir));
    for (size_t i = 0; i < count; i++) {
        OracleText text = {0};
        assert_true(oracle_add_bytes(&text, span_text(cases[i].text)));
        OracleAnswer a = oracle_ask(ir, ir->root, NULL, &text);
        if (strcmp(verdict_of(a), cases[i].verdict))
            fail_msg("case %zu \"%s\": %s, not %s", i, cases[i].text,
                     verdict_of(a), cases[i].verdict);
    }
}

#define JUDGE(ir, ...)                     \
    judge(ir, (const Case[]){__VA_ARGS__}, \
          sizeof((const Case[]){__VA_ARGS__}) / sizeof(Case))

/* The root is one expression. */
#define JUDGE_BODY(expr, ...)            \
    do {                                 \
        Ir local, *ir = &local;          \
        start(ir);                       \
        ir_rule_set(ir, ir->root, expr); \
        JUDGE(ir, __VA_ARGS__);          \
        ir_free(ir);                     \
    } while (0)

static void leaves(void **state)
{
    (void)state;
    JUDGE_BODY(NODE_NEVER_ID, {"", ""}, {"a", ""});
    JUDGE_BODY(NODE_EMPTY_ID, {"", "c"}, {"a", ""});
    JUDGE_BODY(lit(ir, "ab"), {"", "m"}, {"a", "m"}, {"ab", "c"}, {"abc", ""},
               {"b", ""});
    JUDGE_BODY(set(ir, 'a', 'c'), {"", "m"}, {"b", "c"}, {"d", ""}, {"bb", ""});
}

static void sequences_and_choices(void **state)
{
    (void)state;
    JUDGE_BODY(ir_seq2(ir, set(ir, 'a', 'b'), lit(ir, "x")), {"a", "m"},
               {"ax", "c"}, {"x", ""});
    /* "a" | "ab" | "cd" */
    JUDGE_BODY(
        ir_alt(ir, (NodeId[]){lit(ir, "a"), lit(ir, "ab"), lit(ir, "cd")}, 3),
        {"", "m"}, {"a", "cm"}, {"ab", "c"}, {"c", "m"}, {"ac", ""});
    /* a? b? */
    JUDGE_BODY(ir_seq2(ir, ir_optional(ir, lit(ir, "a")),
                       ir_optional(ir, lit(ir, "b"))),
               {"", "cm"}, {"a", "cm"}, {"b", "c"}, {"ab", "c"}, {"ba", ""});
}

/* é is C3 A9, è is C3 A8, € is E2 82 AC, U+1F600 is F0 9F 98 80. */
static void split_characters(void **state)
{
    (void)state;
    JUDGE_BODY(set(ir, 0xE8, 0xE9), {"\xC3", "m"}, {"\xC3\xA9", "c"},
               {"\xC3\xAA", ""}, {"\xC2", ""}, {"\xC3x", ""}, {"\xA9", ""});
    JUDGE_BODY(set(ir, 0x20AC, 0x20AC + 1), {"\xE2", "m"}, {"\xE2\x82", "m"},
               {"\xE2\x82\xAC", "c"}, {"\xE2\x83", ""});
    /* any code point: no overlong form, no surrogate, nothing above 10FFFF */
    JUDGE_BODY(ir_any(ir), {"\xC0", ""}, {"\xC1", ""}, {"\xC2", "m"},
               {"\xE0", "m"}, {"\xE0\x9F", ""}, {"\xE0\xA0", "m"},
               {"\xED\x9F", "m"}, {"\xED\xA0", ""}, {"\xF0\x8F", ""},
               {"\xF0\x90", "m"}, {"\xF4\x8F\xBF\xBF", "c"}, {"\xF4\x90", ""},
               {"\xF5", ""}, {"\xFF", ""}, {"\x80", ""}, {"\xF0\x9F\x98", "m"},
               {"\xF0\x9F\x98\x80", "c"}, {"\xF0\x9F\x98\x80\x80", ""});
    /* [^é]: the first byte is shared with è */
    JUDGE_BODY(ir_class(ir, &(Range){0xE9, 0xE9}, 1, true), {"\xC3", "m"},
               {"\xC3\xA9", ""}, {"\xC3\xA8", "c"});
}

static void counts(void **state)
{
    (void)state;
    JUDGE_BODY(ir_repeat(ir, lit(ir, "a"), 2, 3), {"", "m"}, {"a", "m"},
               {"aa", "cm"}, {"aaa", "c"}, {"aaaa", ""});
    JUDGE_BODY(ir_repeat(ir, lit(ir, "a"), 2, REPEAT_INF), {"a", "m"},
               {"aa", "cm"}, {"aaaaaaa", "cm"});
    JUDGE_BODY(ir_repeat(ir, lit(ir, "a"), 0, 0), {"", "c"}, {"a", ""});
    JUDGE_BODY(ir_repeat(ir, lit(ir, "a"), 5, 1000000), {"aaaa", "m"},
               {"aaaaa", "cm"});
    JUDGE_BODY(ir_repeat(ir, lit(ir, "a"), 1000, 1000), {"aaaa", "m"},
               {"", "m"});
    /* (ab){2}: parts of a body */
    JUDGE_BODY(ir_repeat(ir, lit(ir, "ab"), 2, 2), {"aba", "m"}, {"abab", "c"},
               {"ababa", ""});
    /* (a?){3}: empty bodies count too, so a minimum is no hindrance */
    JUDGE_BODY(ir_repeat(ir, ir_optional(ir, lit(ir, "a")), 3, 3), {"", "cm"},
               {"aa", "cm"}, {"aaa", "c"}, {"aaaa", ""});
    JUDGE_BODY(ir_repeat(ir, ir_optional(ir, lit(ir, "a")), 1000, 2000),
               {"", "cm"}, {"aa", "cm"});
    /* (a|aa){2,3}: 2 to 6 */
    JUDGE_BODY(ir_repeat(ir, ir_alt2(ir, lit(ir, "a"), lit(ir, "aa")), 2, 3),
               {"a", "m"}, {"aa", "cm"}, {"aaaaaa", "c"}, {"aaaaaaa", ""});
    /* ((aa){2,3}){2}: 8, 10, 12 */
    JUDGE_BODY(ir_repeat(ir, ir_repeat(ir, lit(ir, "aa"), 2, 3), 2, 2),
               {"aaaaaa", "m"}, {"aaaaaaa", "m"}, {"aaaaaaaa", "cm"},
               {"aaaaaaaaa", "m"}, {"aaaaaaaaaa", "cm"}, {"aaaaaaaaaaaa", "c"},
               {"aaaaaaaaaaaaa", ""});
    /* ((a{3}){0,1}b){2} */
    JUDGE_BODY(
        ir_repeat(ir,
                  ir_seq2(ir, ir_optional(ir, lit(ir, "aaa")), lit(ir, "b")), 2,
                  2),
        {"b", "m"}, {"bb", "c"}, {"aaabb", "c"}, {"aab", ""}, {"baaa", "m"},
        {"bbb", ""});
}

/* E = E "+" E | "a" : ambiguous and left recursive */
static void left_recursion(void **state)
{
    (void)state;
    Ir ir;
    start(&ir);
    NodeId e = ir_ref(&ir, ir.root);
    ir_rule_set(&ir, ir.root,
                ir_alt2(&ir, seq3(&ir, e, lit(&ir, "+"), e), lit(&ir, "a")));
    JUDGE(&ir, {"", "m"}, {"a", "cm"}, {"a+", "m"}, {"a+a", "cm"},
          {"a+a+a", "cm"}, {"aa", ""}, {"+", ""}, {"a++", ""});
    ir_free(&ir);
    /* E = E E | E | "" | "a" : every string of a */
    start(&ir);
    e = ir_ref(&ir, ir.root);
    ir_rule_set(
        &ir, ir.root,
        ir_alt(&ir,
               (NodeId[]){ir_seq2(&ir, e, e), e, NODE_EMPTY_ID, lit(&ir, "a")},
               4));
    JUDGE(&ir, {"", "cm"}, {"a", "cm"}, {"aaaa", "cm"}, {"ab", ""});
    ir_free(&ir);
}

/* root = N "x" | "y";  N = Z root;  Z = "z"? : z* (y x*) with as many x as
 * roots below, that is z^i y x^j with i <= j */
static void hidden_left_recursion(void **state)
{
    (void)state;
    Ir ir;
    start(&ir);
    RuleId n = ir_rule_new(&ir, SPAN("n"), 0);
    RuleId z = ir_rule_new(&ir, SPAN("z"), 0);
    ir_rule_set(&ir, ir.root,
                ir_alt2(&ir, ir_seq2(&ir, ir_ref(&ir, n), lit(&ir, "x")),
                        lit(&ir, "y")));
    ir_rule_set(&ir, n, ir_seq2(&ir, ir_ref(&ir, z), ir_ref(&ir, ir.root)));
    ir_rule_set(&ir, z, ir_optional(&ir, lit(&ir, "z")));
    JUDGE(&ir, {"", "m"}, {"y", "cm"}, {"yx", "cm"}, {"z", "m"}, {"zy", "m"},
          {"zyx", "cm"}, {"zzyx", "m"}, {"zzyxx", "cm"}, {"zzyxxx", "cm"},
          {"x", ""}, {"yz", ""});
    ir_free(&ir);
}

/* S = "(" S ")" S | "" */
static void nesting(void **state)
{
    (void)state;
    Ir ir;
    start(&ir);
    NodeId s = ir_ref(&ir, ir.root);
    NodeId pair =
        ir_seq(&ir, (NodeId[]){lit(&ir, "("), s, lit(&ir, ")"), s}, 4);
    ir_rule_set(&ir, ir.root, ir_optional(&ir, pair));
    JUDGE(&ir, {"", "cm"}, {"(", "m"}, {"()", "cm"}, {"(()", "m"},
          {"(())()", "cm"}, {")", ""}, {"())", ""});
    ir_free(&ir);
}

/* Rules without a finite sentence are dead, and so is what needs them. */
static void unproductive(void **state)
{
    (void)state;
    Ir ir;
    start(&ir);
    RuleId loop = ir_rule_new(&ir, SPAN("loop"), 0);
    NodeId dead = ir_ref(&ir, loop);
    ir_rule_set(&ir, loop, ir_seq2(&ir, lit(&ir, "a"), dead));
    ir_rule_set(
        &ir, ir.root,
        ir_alt(&ir,
               (NodeId[]){ir_seq2(&ir, lit(&ir, "b"), dead),
                          ir_seq2(&ir, dead, lit(&ir, "b")), lit(&ir, "c")},
               3));
    JUDGE(&ir, {"", "m"}, {"a", ""}, {"b", ""}, {"c", "c"});
    /* "c" dead{0,3}, then "c" dead{1,3} */
    ir_rule_set(&ir, ir.root,
                ir_seq2(&ir, lit(&ir, "c"), ir_repeat(&ir, dead, 0, 3)));
    JUDGE(&ir, {"", "m"}, {"c", "c"}, {"ca", ""});
    ir_rule_set(&ir, ir.root,
                ir_seq2(&ir, lit(&ir, "c"), ir_repeat(&ir, dead, 1, 3)));
    JUDGE(&ir, {"", ""}, {"c", ""});
    ir_rule_set(&ir, ir.root, dead);
    JUDGE(&ir, {"", ""});
    ir_free(&ir);
}

/* a (é a)* as a Dfa, twice in a row: a split character inside the second. */
static void regular(void **state)
{
    (void)state;
    static const uint32_t starts[] = {0, 1, 2};
    static const DfaEdge edges[] = {{'a', 'a', 1}, {0xE9, 0xE9, 0}};
    static const uint8_t accepts[] = {0, 1};
    Dfa dfa = {2, starts, edges, accepts};
    JUDGE_BODY(ir_regular(ir, &dfa), {"", "m"}, {"a", "cm"}, {"a\xC3", "m"},
               {"a\xC3\xA9", "m"},
               {"a\xC3\xA9"
                "a",
                "cm"},
               {"aa", ""}, {"a\xC3\xA8", ""});
    JUDGE_BODY(ir_repeat(ir, ir_regular(ir, &dfa), 2, 2), {"a", "m"},
               {"aa", "cm"}, {"aaa", ""},
               {"a\xC3\xA9"
                "aa\xC3",
                "m"});
}

static void mask_is(const Ir *ir, const OracleVocab *vocab,
                    const OracleText *text, const char *want)
{
    bool allowed[16];
    char got[17] = {0};
    oracle_mask(ir, ir->root, vocab, text, allowed);
    for (uint32_t i = 0; i < vocab->count; i++) got[i] = allowed[i] ? '1' : '0';
    assert_string_equal(got, want);
}

#define TOKEN(text, flag)             \
    {                                 \
        {text, sizeof text - 1}, flag \
    }

/* A control token, a hole and an empty token; 0 and 1 have equal bytes. */
static void tokens(void **state)
{
    (void)state;
    static const weir_token table[] = {
        TOKEN("a", 0),
        TOKEN("a", 0),
        TOKEN("ab", 0),
        TOKEN("b", 0),
        TOKEN("a", WEIR_TOKEN_CONTROL),
        TOKEN("a", WEIR_TOKEN_HOLE),
        TOKEN("", 0),
        TOKEN("a", WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP)};
    OracleVocab vocab = {table, 8};
    Ir ir;
    OracleText text = {0};
    start(&ir);
    /* "a" [2,4] | [^1,2] "b" : the token "ab" is text too, a then b */
    NodeId pair = ir_tokens(&ir, (Range[]){{2, 2}, {4, 4}}, 2, false);
    NodeId other = ir_tokens(&ir, &(Range){1, 2}, 1, true);
    ir_rule_set(&ir, ir.root,
                ir_alt2(&ir, ir_seq2(&ir, lit(&ir, "a"), pair),
                        ir_seq2(&ir, other, lit(&ir, "b"))));
    mask_is(&ir, &vocab, &text, "11011010");
    assert_true(oracle_add_token(&text, &vocab, 1)); /* as text only */
    mask_is(&ir, &vocab, &text, "00101000");
    text.size = 0;
    assert_true(oracle_add_token(&text, &vocab, 0)); /* as text, as [^1,2] */
    mask_is(&ir, &vocab, &text, "00111000");
    assert_true(oracle_add_token(&text, &vocab, 4));
    mask_is(&ir, &vocab, &text, "00000001");
    text.size = 0;
    assert_true(oracle_add_token(&text, &vocab, 6)); /* as [^1,2] only */
    mask_is(&ir, &vocab, &text, "00010000");
    text.size = 0; /* bytes that no token brought: text only */
    assert_true(oracle_add_bytes(&text, SPAN("a")));
    mask_is(&ir, &vocab, &text, "00101000");
    ir_free(&ir);
    /* a set without any usable token is dead: a hole, no such id, or nothing
     * but a stop that is not named */
    start(&ir);
    NodeId hole = ir_tokens(&ir, (Range[]){{5, 5}, {99, 99}}, 2, false);
    NodeId stop = ir_tokens(&ir, &(Range){0, 6}, 1, true);
    NodeId dead = ir_alt2(&ir, hole, stop);
    ir_rule_set(&ir, ir.root,
                ir_alt2(&ir, ir_seq2(&ir, lit(&ir, "a"), dead), lit(&ir, "b")));
    text.size = 0;
    mask_is(&ir, &vocab, &text, "00010000");
    ir_free(&ir);
    /* [7] "b" : a stop that is named */
    start(&ir);
    stop = ir_tokens(&ir, &(Range){7, 7}, 1, false);
    ir_rule_set(&ir, ir.root, ir_seq2(&ir, stop, lit(&ir, "b")));
    mask_is(&ir, &vocab, &text, "00000001");
    assert_true(oracle_add_token(&text, &vocab, 7));
    mask_is(&ir, &vocab, &text, "00010000");
    ir_free(&ir);
}

/* Bytes as themselves, a token as '#'. */
static void completes(Ir *ir, const OracleVocab *vocab, const char *begun,
                      const char *want)
{
    static Completion c;
    OracleText text = {0};
    char got[64] = {0};
    assert_true(oracle_add_bytes(&text, span_text(begun)));
    assert_int_equal(complete_text(ir, ir->root, vocab, &text, &c),
                     want ? COMPLETE_OK : COMPLETE_NONE);
    for (uint32_t i = 0; want && i < c.count; i++)
        got[i] = c.items[i].token == UINT32_MAX ? (char)c.items[i].byte : '#';
    if (want) assert_string_equal(got, want);
}

#define COMPLETES_BODY(expr, begun, want) \
    do {                                  \
        Ir local, *ir = &local;           \
        start(ir);                        \
        ir_rule_set(ir, ir->root, expr);  \
        completes(ir, NULL, begun, want); \
        ir_free(ir);                      \
    } while (0)

static void completions(void **state)
{
    (void)state;
    COMPLETES_BODY(lit(ir, "abc"), "a", "bc");
    COMPLETES_BODY(lit(ir, "abc"), "abc", "");
    COMPLETES_BODY(lit(ir, "abc"), "b", NULL);
    COMPLETES_BODY(ir_alt2(ir, lit(ir, "abcd"), lit(ir, "ax")), "a", "x");
    COMPLETES_BODY(ir_repeat(ir, lit(ir, "ab"), 3, 40), "a", "babab");
    COMPLETES_BODY(ir_repeat(ir, lit(ir, "ab"), 3, 40), "abababa", "b");
    COMPLETES_BODY(set(ir, 0x20AC, 0x20AD), "\xE2", "\x82\xAC");
    COMPLETES_BODY(seq3(ir, ir_optional(ir, lit(ir, "a")), set(ir, 'b', 'c'),
                        lit(ir, "d")),
                   "", "bd");
    static const uint32_t starts[] = {0, 1, 2};
    static const DfaEdge edges[] = {{'a', 'a', 1}, {0xE9, 0xE9, 0}};
    static const uint8_t accepts[] = {0, 1};
    Dfa dfa = {2, starts, edges, accepts};
    COMPLETES_BODY(ir_regular(ir, &dfa), "a\xC3",
                   "\xA9"
                   "a");
    /* r = r | "(" r ")" | "a" [0] */
    static const weir_token table[] = {TOKEN("t", WEIR_TOKEN_CONTROL)};
    OracleVocab vocab = {table, 1};
    Ir ir;
    start(&ir);
    NodeId r = ir_ref(&ir, ir.root);
    NodeId token = ir_tokens(&ir, &(Range){0, 0}, 1, false);
    ir_rule_set(&ir, ir.root,
                ir_alt(&ir,
                       (NodeId[]){r, seq3(&ir, lit(&ir, "("), r, lit(&ir, ")")),
                                  ir_seq2(&ir, lit(&ir, "a"), token)},
                       3));
    completes(&ir, &vocab, "((", "a#))");
    completes(&ir, &vocab, "((a", "#))");
    ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves),
        cmocka_unit_test(sequences_and_choices),
        cmocka_unit_test(split_characters),
        cmocka_unit_test(counts),
        cmocka_unit_test(left_recursion),
        cmocka_unit_test(hidden_left_recursion),
        cmocka_unit_test(nesting),
        cmocka_unit_test(unproductive),
        cmocka_unit_test(regular),
        cmocka_unit_test(tokens),
        cmocka_unit_test(completions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
