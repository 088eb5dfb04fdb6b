/* cases_lark_test.c: published cases about Lark. A test is named after its
 * case; docs/cases.md has them all, with their sources.
 */
#include "unit/cases_kit.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check_grammar(const char *pieces, const char *letters,
                          const char *grammar, const char *const *accept,
                          const char *const *reject)
{
    Kit k;
    kit_begin(&k, pieces, letters);
    kit_compile(&k, WEIR_LARK, grammar);
    for (; *accept; accept++) kit_accepts(&k, *accept);
    for (; *reject; reject++) kit_refuses(&k, *reject);
    kit_end(&k);
}

/* guidance-ai/llguidance#122. */
static void capture_forced_prefix(void **state)
{
    (void)state;
    static const char *const tails[] = {"", "nope"};
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        Kit k;
        weir_capture found[2];
        char text[32];
        kit_begin(&k, "This| is| a|no", "This anope");
        kit_compile(&k, WEIR_LARK,
                    "start: \"This is a\" text\n"
                    "text[capture]: \"nope\" | \"\"\n");
        weir_matcher *m = weir_matcher_new(k.grammar, NULL, NULL);
        snprintf(text, sizeof text, "This is a%s", tails[i]);
        assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes(text), NULL),
                         WEIR_ACCEPTED);
        assert_true(weir_matcher_is_completed(m));
        size_t count = weir_matcher_captures(m, found, COUNT_OF(found));
        assert_in_range(count, strlen(tails[i]) > 0, 1);
        if (count) assert_int_equal(found[0].begin, strlen("This is a"));
        if (count) assert_int_equal(found[0].end, strlen(text));
        weir_matcher_free(m);
        kit_end(&k);
    }
}

/* guidance-ai/llguidance#364. */
static void rollback_int_token(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "ab|cd|x", "abcd");
    while (k.c.vocab.count < 12) kit_token(&k, "<|t|>", WEIR_TOKEN_CONTROL);
    kit_compile(&k, WEIR_LARK, "start: <[9]> /[a-z]+/ <[11]>\n");
    weir_matcher *m = weir_matcher_new(k.grammar, NULL, NULL);
    int32_t before[WEIR_MASK_WORDS(16)], after[WEIR_MASK_WORDS(16)];
    assert_int_equal(weir_matcher_accept(m, 9), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_fill(m, before), WEIR_FILL_APPLY);
    assert_int_equal(weir_matcher_accept(m, 1), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, 11), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    assert_int_equal(weir_matcher_rollback(m, 2), WEIR_OK);
    assert_int_equal(weir_matcher_fill(m, after), WEIR_FILL_APPLY);
    size_t width = weir_vocab_width(k.vocab);
    assert_true(width <= 16 * 32);
    assert_memory_equal(before, after, WEIR_MASK_WORDS(width) * 4);
    weir_matcher_free(m);
    kit_end(&k);
}

/* lark-parser/lark#1571. */
static void ignore_longest(void **state)
{
    (void)state;
    check_grammar("a |AB|BC|ABC|12|A ", "aABC 123b",
                  "start: \"a\" ABC \"b\"\nABC: \"ABC\"\nIGN: \"A\" | \"123\"\n"
                  "%ignore IGN\n%ignore \" \"\n",
                  TEXTS("a ABC b", "aABCb", "a 123 ABC b", "a A ABC b"),
                  TEXTS("a b", "a AB b", "a BC b"));
}

/* lark-parser/lark#629. Blanks in front are llguidance's option. */
static void ignore_in_string_rule(void **state)
{
    (void)state;
#define SAY                                                       \
    "start: \"say\" STRING\nSTRING: \"\\\"\" /[^\"]*/ \"\\\"\"\n" \
    "%ignore \" \"\n"
    check_grammar("say|say |\"a|b\"|  ", "say\"bx ", SAY,
                  TEXTS("say \"a b\"", "say\"x\"", "say   \"  \""),
                  TEXTS("s ay \"a\"", "say a", "say \"a", "  say   \"  \""));
    check_grammar("say|say |\"a|b\"|  ", "say\"bx ",
                  "%llguidance {\"allow_initial_skip\": true}\n" SAY,
                  TEXTS("say \"a b\"", "  say   \"  \""),
                  TEXTS("s ay \"a\"", "say a", "say \"a"));
}

/* lark-parser/lark#376. */
static void case_insensitive_literal(void **state)
{
    (void)state;
    check_grammar("FO|O |foo| bar|\nf", "FOo xyzbar.\n",
                  "start: foo+\nfoo: \"FOO\"i / [A-Za-z0-9._-]+/ NL\n"
                  "NL: \"\\n\"\n",
                  TEXTS("FOO bar\n", "foo x.y\nFoO z\n"),
                  TEXTS("FO bar\n", "FOO bar", "FOO  \n"));
}

/* lark-parser/lark#1313. */
static void priority_ambiguity(void **state)
{
    (void)state;
    check_grammar("struct|struct |qwe|asdf\n|a\n", "structqweyasdf/ \n",
                  "start: (struct_def | other)*\n"
                  "struct_def.1: \"struct \" /[a-z]+/ \"\\n\"\n"
                  "other: /[^\\n]+/ \"\\n\"\n",
                  TEXTS("struct qwerty\n", "asdf\nstruct a\n//\n", ""),
                  TEXTS("asdf", "\n"));
}

/* lark-parser/lark#308. */
static void negative_lookahead(void **state)
{
    (void)state;
    check_grammar("[y|no|nop|p]", "[]yupnox",
                  "start: \"[\" TAG \"]\"\nTAG: /(?!nop)[a-z]+/\n",
                  TEXTS("[yup]", "[no]"), TEXTS("[nop]", "[nopx]", "[]"));
}

/* scaleapi/llm-engine#488. */
static void sql_no_space(void **state)
{
    (void)state;
    check_grammar(
        "SELECT| col|_1| from | where |=", "SELECTcol_123fromtabewh =",
        "start: \"SELECT \" col \" from \" tab \" where \" col \" = \" num\n"
        "col: \"col_1\" | \"col_2\"\ntab: \"table_1\" | \"table_2\"\n"
        "num: \"1\" | \"2\"\n",
        TEXTS("SELECT col_1 from table_1 where col_2 = 1"),
        TEXTS("SELECTcol_1fromtable_1wherecol_2=1",
              "SELECT col_3 from table_1 where col_2 = 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("lark-capture-forced-prefix", capture_forced_prefix),
        CASE("rollback-int-token-grammar", rollback_int_token),
        CASE("lark-ignore-longest", ignore_longest),
        CASE("lark-ignore-in-string-rule", ignore_in_string_rule),
        CASE("lark-case-insensitive-literal", case_insensitive_literal),
        CASE("lark-priority-ambiguity", priority_ambiguity),
        CASE("lark-negative-lookahead", negative_lookahead),
        CASE("lark-sql-no-space", sql_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
