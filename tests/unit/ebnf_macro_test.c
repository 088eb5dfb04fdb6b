/* ebnf_macro_test.c: the macros of EBNF: what they accept, and what their
 * calls may look like. Verdicts on texts are xgrammar 0.2.9's where it gives
 * one; token verdicts follow from the ids. Byte ranges were counted by hand.
 */
#include "oracle/oracle.h"
#include "syntax/ebnf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

static Mem mem;

static void compile(Ir *ir, const char *source)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    if (!ebnf_compile(ir, span_text(source), NULL))
        fail_msg("%s: %s", source, ir->error.message);
}

static bool accepts(const Ir *ir, const char *text)
{
    OracleText t = {0};
    assert_true(oracle_add_bytes(&t, span_text(text)));
    return oracle_complete(ir, ir->root, NULL, &t);
}

static void expect(const char *source, const char *const *in,
                   const char *const *out)
{
    Ir ir;
    compile(&ir, source);
    for (; *in; in++)
        if (!accepts(&ir, *in)) fail_msg("%s: no %s", source, *in);
    for (; *out; out++)
        if (accepts(&ir, *out)) fail_msg("%s: %s", source, *out);
    ir_free(&ir);
}

#define IN(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OUT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void regex(void **state)
{
    (void)state;
    expect("root ::= Regex(\"a+b\")", IN("ab", "aab"), OUT("b", "abb"));
    expect("root ::= Regex(\"a.b\")",
           IN("axb", "a\nb",
              "a\xc3\xa9"
              "b"),
           OUT("ab", "a\xc3"
                     "b"));
    expect("root ::= Regex(\"a.b\", flags=\"\")", IN("axb"), OUT("a\nb"));
    expect("root ::= Regex(\"a.b\", flags=\"s\")", IN("a\nb"), OUT("A\nb"));
    expect("root ::= Regex(\"a.b\", flags=\"iu\")", IN("AxB"), OUT("A\nB"));
    expect("root ::= Regex(\"a.b\", flags=\"isu\")", IN("A\nB"), OUT("AB"));
    expect("root ::= Regex(\"ab\"){2} Regex (\"c\")+ \"d\"",
           IN("ababcd", "ababccd"), OUT("abcd", "ababd"));
    expect("root ::= Regex(\"\\\\d\\n\")", IN("7\n"), OUT("d\n"));
    expect("root ::= Regex(\"\")", IN(""), OUT("a"));
}

/* What must stand in a JSON string as it is. */
static void regex_in_json(void **state)
{
    (void)state;
    expect("root ::= Regex(\"a.b\", json_string=true)",
           IN("axb",
              "a\x7f"
              "b",
              "a\xc3\xa9"
              "b",
              "a/b"),
           OUT("a\nb", "a\"b", "a\\b",
               "a\x1f"
               "b"));
    expect("root ::= Regex(\"a\\\"b|c\", flags=\"i\", json_string=true)",
           IN("c", "C"), OUT("a\"b"));
    expect("root ::= Regex(\"a\\nb\", json_string=true) | \"x\"", IN("x"),
           OUT("a\nb"));
    expect("root ::= Regex(\"a\\nb\", json_string=false)", IN("a\nb"), OUT(""));
}

static void substring(void **state)
{
    (void)state;
    expect("root ::= Substring(\"ab\", \"ab\", \"c\")",
           IN("", "ab", "abab", "ababc", "abc", "c"),
           OUT("b", "bab", "a", "aba", "cab", "ababab"));
    expect("root ::= Substring()", IN(""), OUT("a"));
    expect("root ::= \"<\" Substring(\"\xc3\xa9\", \"\", \"b\") \">\"",
           IN("<>", "<\xc3\xa9"
                    "b>"),
           OUT("<\xc3>"));
}

static void tag_dispatch(void **state)
{
    (void)state;
#define RULES "\nr ::= \"x\"\ns ::= \"y\""
    expect("root ::= TagDispatch((\"<a>\", r))" RULES,
           IN("", "<", "<a", "<a>x", "<a>x<a>xz", "zz", "z<<a>x", "<<"),
           OUT("<a>", "<a>y", "<a>x<a>"));
    expect(
        "root ::= TagDispatch((\"<a>\", r), loop_after_dispatch=false)" RULES,
        IN("", "<a", "<a>x", "zz"), OUT("<a>x<a>xz", "<a>xz", "<a>"));
    expect("root ::= TagDispatch((\"<a>\", r)) \"end\"" RULES,
           IN("end", "<a>xend", "zzend", "zendend"), OUT("", "<a>end"));
    expect("root ::= TagDispatch((\"<a>\", r), (\"<ab>\", s,))" RULES,
           IN("<a>x", "<ab>y", "<ab>y<a>x"), OUT("<ab>x", "<a>y"));
    expect("root ::= TagDispatch((\"a\", r), (\"a\", s))" RULES,
           IN("ax", "ay", "axay"), OUT("a", "az"));
    expect("root ::= TagDispatch((\"<ab\", r), (\"b\", s))" RULES,
           IN("<abx", "by"), OUT("<aby", "<ab"));
    expect("root ::= TagDispatch((\"a\", r),\n # why\n excludes=(\"bc\", "
           "\"d\"))" RULES,
           IN("ax", "b", "cb", "c", "axb"), OUT("bc", "xbc", "axbc", "axd"));
    expect("root ::= TagDispatch((\"ab\", r), excludes=(\"xab\",))" RULES,
           IN("abx", "b"), OUT("xabx", "xab"));
    expect("root ::= TagDispatch(excludes=(\"b\"))", IN("x", ""), OUT("b"));
    expect("root ::= TagDispatch()", IN("", "any\n"), OUT("\xff"));
    expect("root ::= TagDispatch((\"a\", root))", IN("", "a", "aa", "bab"),
           OUT("\xff"));
}

/* ---- tokens ---- */

static const weir_token tokens[] = {{{"x", 1}, 0},
                                    {{"y", 1}, 0},
                                    {{"xy", 2}, 0},
                                    {{"<s>", 3}, WEIR_TOKEN_CONTROL}};
static const OracleVocab vocab = {tokens, COUNT_OF(tokens)};

/* Ids as digits. */
static bool accepts_ids(const Ir *ir, const char *ids)
{
    OracleText t = {0};
    for (; *ids; ids++)
        assert_true(oracle_add_token(&t, &vocab, (uint32_t)(*ids - '0')));
    return oracle_complete(ir, ir->root, &vocab, &t);
}

static void expect_ids(const char *source, const char *const *in,
                       const char *const *out)
{
    Ir ir;
    compile(&ir, source);
    for (; *in; in++)
        if (!accepts_ids(&ir, *in)) fail_msg("%s: no %s", source, *in);
    for (; *out; out++)
        if (accepts_ids(&ir, *out)) fail_msg("%s: %s", source, *out);
    ir_free(&ir);
}

static void token_sets(void **state)
{
    (void)state;
    expect_ids("root ::= Token(0, 3)", IN("0", "3"), OUT("", "1", "2", "00"));
    expect_ids("root ::= Token(2)+ \"x\"", IN("20", "220"), OUT("0", "010"));
    expect_ids("root ::= ExcludeToken(0, 1)*", IN("", "2", "3", "32"),
               OUT("0", "1", "21"));
}

static void token_tag_dispatch(void **state)
{
    (void)state;
    expect_ids("root ::= TokenTagDispatch((3, r), excludes=(1,))\n"
               "r ::= \"x\"",
               IN("", "0", "30", "2300", "30302"),
               OUT("1", "3", "32", "301", "31"));
    expect_ids("root ::= TokenTagDispatch((3, r), (2, s), "
               "loop_after_dispatch=false)\nr ::= \"x\"\ns ::= \"y\"",
               IN("", "01", "30", "0121"), OUT("300", "20", "31"));
    expect_ids("root ::= TokenTagDispatch()", IN("", "0123"),
               &(const char *const){NULL});
    expect_ids("root ::= TokenTagDispatch((3, r), (3, s))\n"
               "r ::= \"x\"\ns ::= \"y\"",
               IN("30", "31", "3130"), OUT("3", "33"));
}

static void prints(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, "root ::= TokenTagDispatch((7, r), excludes=(2, 3, 3)) "
                 "ExcludeToken(5, 4) Token(2147483647)\nr ::= \"x\"");
    char text[256];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    text[MIN(out.size, out.cap)] = 0;
    assert_string_equal(text, "root ::= tokens(^2-3, 7)* (tokens(7) r "
                              "tokens(^2-3, 7)*)* tokens(^4-5) "
                              "tokens(2147483647)\nr ::= \"x\"\n");
    ir_free(&ir);
}

/* ---- errors ---- */

typedef struct Bad {
    const char *call;
    uint32_t begin, end; /* after "root ::= ", 9 bytes */
    const char *message;
} Bad;

static const Bad bad[] = {
    {"Regex", 5, 5,
     "found end of input, expected '(' after the name of a "
     "macro"},
    {"Regex \"a\"", 6, 9,
     "found \"a\", expected '(' after the name of a "
     "macro"},
    {"Regex()", 0, 7, "Regex takes one pattern"},
    {"Regex(\"a\", \"b\")", 0, 15, "Regex takes one pattern"},
    {"Regex(1)", 6, 7, "found 1, expected a string"},
    {"Regex(\"a\",)", 10, 11,
     "found ), expected a string, number, true, false, the name of a rule, "
     "or a tuple"},
    {"Regex(\"a\"", 9, 9, "found end of input, expected ',' or ')'"},
    {"Regex(\"a\" \"b\")", 10, 13, "found \"b\", expected ',' or ')'"},
    {"Regex(\"a\"=1)", 9, 10, "found =, expected ',' or ')'"},
    {"Regex(\"a\", foo=1)", 11, 14, "argument foo is not known"},
    {"Regex(\"a\", json_string=1)", 23, 24, "found 1, expected true or false"},
    {"Regex(\"a\", flags=true)", 17, 21, "found true, expected a string"},
    {"Regex(\"a\", flags=\"x\")", 17, 20,
     "found \"x\", expected flags out of i, s and u"},
    {"Regex(\"a\", flags=\"i\", flags=\"i\")", 22, 27, "argument given twice"},
    {"Regex(flags=\"i\", \"a\")", 17, 20,
     "found a value after a named one, expected a name first"},
    {"Substring(1)", 10, 11, "found 1, expected a string"},
    {"Substring(\"a\", x=1)", 15, 16, "argument x is not known"},
    {"Substring((\"a\"))", 10, 15, "found (\"a\"), expected a string"},
    {"Token()", 0, 7, "no token id is given"},
    {"ExcludeToken()", 0, 14, "no token id is given"},
    {"Token(-1)", 6, 8, "found -1, expected a number"},
    {"Token(\"a\")", 6, 9, "found \"a\", expected a number"},
    {"Token((1, 2))", 6, 12, "found (1, 2), expected a number"},
    {"Token(2147483648)", 6, 16,
     "found 2147483648, expected at most 2147483647"},
    {"TagDispatch(\"a\", r)", 12, 15, "found \"a\", expected (tag, rule)"},
    {"TagDispatch((\"a\", \"r\"))", 18, 21,
     "found \"r\", expected the name of a rule"},
    {"TagDispatch((\"a\", true))", 18, 22,
     "found true, expected the name of a rule"},
    {"TagDispatch((\"a\"))", 12, 17, "found (\"a\"), expected (tag, rule)"},
    {"TagDispatch((\"a\", (\"b\")))", 18, 19,
     "found (, expected no tuple inside a tuple"},
    {"TagDispatch((\"a\" r))", 17, 18, "found r, expected ',' or ')'"},
    {"TagDispatch((\"\", root))", 13, 15, "found \"\", expected a longer text"},
    {"TagDispatch((\"ab\", root), excludes=(\"b\", \"a\"))", 0, 46,
     "exclude 2 is a prefix of a tag"},
    {"TagDispatch(excludes=(\"\",))", 22, 24,
     "found \"\", expected a longer text"},
    {"TagDispatch(excludes=\"b\")", 21, 24,
     "found \"b\", expected a tuple, (...)"},
    {"TagDispatch(excludes=(1))", 22, 23, "found 1, expected a string"},
    {"TagDispatch(loop_after_dispatch=1)", 32, 33,
     "found 1, expected true or false"},
    {"TokenTagDispatch((\"a\", root))", 18, 21,
     "found \"a\", expected a number"},
    {"TokenTagDispatch((7, root), excludes=(8, 7))", 18, 19,
     "found 7, expected a token that is not excluded"},
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Ir ir;
        char source[128];
        mem = mem_from_env(NULL);
        ir_init(&ir, &mem, NULL);
        snprintf(source, sizeof source, "root ::= %s", bad[i].call);
        assert_false(ebnf_compile(&ir, span_text(source), NULL));
        if (strcmp(ir.error.message, bad[i].message) ||
            ir.error.status != WEIR_SYNTAX ||
            ir.error.begin != bad[i].begin + 9 ||
            ir.error.end != bad[i].end + 9)
            fail_msg("%s: %u-%u %s", source, ir.error.begin - 9,
                     ir.error.end - 9, ir.error.message);
        assert_string_equal(ir.error.pointer, "root");
        ir_free(&ir);
    }
}

/* A pattern's errors point into it, unless escapes moved its characters. */
static void pattern_errors(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, NULL);
    assert_false(ebnf_compile(&ir, SPAN("root ::= Regex(\"a(b\")"), NULL));
    assert_int_equal(ir.error.status, WEIR_SYNTAX);
    assert_int_equal(ir.error.begin, 17);
    ir_free(&ir);
    ir_init(&ir, &mem, NULL);
    assert_false(ebnf_compile(&ir, SPAN("root ::= Regex(\"(a)\\\\1\")"), NULL));
    assert_int_equal(ir.error.status, WEIR_UNSUPPORTED);
    assert_int_equal(ir.error.begin, 15);
    assert_int_equal(ir.error.end, 23);
    assert_string_equal(ir.error.pointer, "root");
    ir_free(&ir);
}

static void undefined_rules(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, NULL);
    assert_false(
        ebnf_compile(&ir, SPAN("root ::= TagDispatch((\"a\", nope))"), NULL));
    assert_int_equal(ir.error.status, WEIR_UNDEFINED);
    assert_string_equal(ir.error.message, "rule \"nope\" is not defined");
    assert_int_equal(ir.error.begin, 27);
    assert_int_equal(ir.error.end, 31);
    ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regex),          cmocka_unit_test(regex_in_json),
        cmocka_unit_test(substring),      cmocka_unit_test(tag_dispatch),
        cmocka_unit_test(token_sets),     cmocka_unit_test(token_tag_dispatch),
        cmocka_unit_test(prints),         cmocka_unit_test(errors),
        cmocka_unit_test(pattern_errors), cmocka_unit_test(undefined_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
