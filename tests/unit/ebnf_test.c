/* ebnf_test.c: EBNF's core: rules, strings, classes, groups, repetition,
 * lookahead, options, lazy rules, errors and limits. Macros have
 * ebnf_macro_test.c; verdicts recorded from xgrammar ebnf_cases_test.c.
 *
 * Expected values come from the dialect's description (docs/ebnf.md) and from
 * what xgrammar 0.2.9 answered; byte ranges were counted by hand.
 */
#include "syntax/ebnf.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static Mem mem;

static void compile(Ir *ir, const char *source)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    if (!ebnf_compile(ir, span_text(source), NULL))
        fail_msg("%s: %s", source, ir->error.message);
    assert_true(ir_ok(ir));
}

static bool accepts(const Ir *ir, Span text)
{
    OracleText t = {0};
    assert_true(oracle_add_bytes(&t, text));
    return oracle_complete(ir, ir->root, NULL, &t);
}

static void expect(const char *source, const char *const *in,
                   const char *const *out)
{
    Ir ir;
    compile(&ir, source);
    for (; *in; in++)
        if (!accepts(&ir, span_text(*in))) fail_msg("%s: no %s", source, *in);
    for (; *out; out++)
        if (accepts(&ir, span_text(*out))) fail_msg("%s: %s", source, *out);
    ir_free(&ir);
}

#define IN(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OUT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_print(const char *source, const char *expected)
{
    Ir ir;
    compile(&ir, source);
    char text[1024];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    text[MIN(out.size, out.cap)] = 0;
    assert_string_equal(text, expected);
    ir_free(&ir);
}

/* ---- language ---- */

static void sequences_and_choices(void **state)
{
    (void)state;
    expect_print("root ::= \"a\" b | \"c\"\nb ::= \"x\"\n",
                 "root ::= \"c\" | \"a\" b\nb ::= \"x\"\n");
    expect_print("root ::= (\"a\"\n | \"bc\")\n \"d\" # end\n# more\n",
                 "root ::= (\"a\" | \"bc\") \"d\"\n");
    expect_print("root ::= ()", "root ::= \"\"\n");
    expect_print("root ::= \"\" | \"ab\"", "root ::= \"ab\"?\n");
    expect_print("root\n::= # why\n\"x\"\r\n  y2 ::=\ty2\r\rz ::= y2",
                 "root ::= \"x\"\ny2 ::= y2\nz ::= y2\n");
    expect_print("_r.-1 ::= -b .c\n-b ::= \"b\"\n.c ::= \"c\"\n"
                 "root ::= _r.-1\n",
                 "root ::= _r.-1\n_r.-1 ::= -b .c\n-b ::= \"b\"\n"
                 ".c ::= \"c\"\n");
    expect_print("\xef\xbb\xbfroot ::= true\ntrue ::= \"x\"",
                 "root ::= true\ntrue ::= \"x\"\n");
}

static void strings(void **state)
{
    (void)state;
    expect_print("root ::= \"\\\"\\\\\\/\\'\\?\"",
                 "root ::= \"\\\"\\\\/'?\"\n");
    expect_print("root ::= \"\\n\\r\\t\\b\\f\\a\\v\\0\\e\"",
                 "root ::= \"\\n\\r\\t\\x08\\x0c\\x07\\x0b\\x00\\x1b\"\n");
    expect_print("root ::= \"\\x41\\x00042\\x1F600z\\u00e9\\U0001F600\"",
                 "root ::= \"AB\xf0\x9f\x98\x80z\xc3\xa9\xf0\x9f\x98\x80\"\n");
    expect_print("root ::= \"\\uD83D\\uDE00\" \"\" \"x\"",
                 "root ::= \"\xf0\x9f\x98\x80x\"\n");
}

static void classes(void **state)
{
    (void)state;
    expect_print("root ::= [a-z_0-9]", "root ::= [0-9_a-z]\n");
    expect_print("root ::= [^]", "root ::= [^]\n");
    expect_print("root ::= [^a-c]", "root ::= [^a-c]\n");
    expect_print("root ::= [a-c-e]", "root ::= [\\-a-ce]\n");
    expect_print("root ::= [-a] [a-] [+--]",
                 "root ::= [\\-a] [\\-a] [+-\\-]\n");
    expect_print("root ::= [\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\-]",
                 "root ::= [$(-+\\--/?[-\\^{-}]\n");
    expect_print("root ::= [^^] [a^] [[] [#\"]",
                 "root ::= [^\\^] [\\^a] \"[\" [\"#]\n");
    expect_print("root ::= [\\x41-\\x43\\u00e9\\n]",
                 "root ::= [\\nA-C\\xE9]\n");
    expect_print("root ::= [\\uD83D\\uDE00-\\U0001F64F]",
                 "root ::= [\\U0001F600-\\U0001F64F]\n");
    expect_print("root ::= [^\\uD800-\\uDFFF]", "root ::= [^]\n");
    Ir ir;
    compile(&ir, "root ::= \"a\" | []");
    assert_int_equal(ir.warnings.count, 1);
    assert_int_equal(ir.warnings.at[0].begin, 15);
    assert_int_equal(ir.warnings.at[0].end, 17);
    assert_true(span_equal(ir.warnings.at[0].message,
                           SPAN("this class matches nothing")));
    ir_free(&ir);
}

static void repetition(void **state)
{
    (void)state;
    expect_print("root ::= x? x* x+ x{3} x{2,} x {\n2 , 5 } x{0} x{1}\n"
                 "x ::= \"y\"",
                 "root ::= x? x* x+ x{3} x{2,} x{2,5} x\nx ::= \"y\"\n");
    expect_print("root ::= (\"a\"{2}){3} \"b\"{0,2147483647}",
                 "root ::= (\"a\"{2}){3} \"b\"{0,2147483647}\n");
    expect_print("root ::= (\"a\" | x)*\nx ::= \"y\"{007}",
                 "root ::= (\"a\" | x)*\nx ::= \"y\"{7}\n");
}

static void recursion(void **state)
{
    (void)state;
    expect("root ::= root \"a\" | \"b\"", IN("b", "baa"), OUT("", "ab", "bab"));
    expect("root ::= \"a\" root \"b\" | \"\"", IN("", "aabb"),
           OUT("aab", "ba"));
    expect("root ::= a\na ::= b \"x\" | \"\"\nb ::= a \"y\"",
           IN("", "yx", "yxyx"), OUT("y", "xy"));
    expect("root ::= (a)*\na ::= b*\nb ::= \"\" | \"c\"", IN("", "ccc"),
           OUT("d"));
    expect("root ::= root root | \"a\"", IN("a", "aaaa"), OUT(""));
    expect("root ::= \"x\" | loop\nloop ::= loop", IN("x"), OUT(""));
}

/* Cases large-enum-exact and left-recursive-binary-expr. */
static void published_cases(void **state)
{
    (void)state;
    expect("root ::= \"[\" object \"]\"\nobject ::= \"amber_delta\" | "
           "\"amber_delta_two\" | \"kite_moss\" | \"kite_moss_lamp\" | "
           "\"onyx_pier\"\n",
           IN("[amber_delta]", "[kite_moss_lamp]"),
           OUT("[amber_kite]", "[kite_moss_l]", "[onyx]",
               "[amber_delta_two_two]"));
    expect(
        "root ::= expr\nexpr ::= \"(\" ws expr ws \")\" | expr ws \"AND\" ws "
        "expr | \"hello\" ws \"there\"\nws ::= [ ]*\n",
        IN("hello there", "(hello    there)", "hello there AND hello there",
           "(hello there AND hellothere) AND hello there"),
        OUT("AND", "hello there AND", "(hello there", "hello AND there"));
}

static void large_enum(void **state)
{
    (void)state;
    static const char *const words[] = {"amber", "delta", "kite", "moss",
                                        "onyx",  "pier",  "lamp", "two",
                                        "reed",  "sand",  "wolf", "iron"};
    enum { N = COUNT_OF(words), COUNT = N * N * N };
    char *source = malloc(COUNT * 24 + 100);
    assert_non_null(source);
    size_t size =
        (size_t)sprintf(source, "root ::= \"[\" x \"]\"\nx ::= \"zz\"");
    for (size_t i = 0; i < COUNT; i++) /* of 1,728, the 1,152 that end so */
        if (i % N < 8)
            size += (size_t)sprintf(source + size, " | \"%s_%s_%s\"",
                                    words[i / N / N], words[i / N % N],
                                    words[i % N]);
    Ir ir;
    compile(&ir, source);
    for (size_t i = 0; i < COUNT; i += 7) {
        char text[40];
        int n = sprintf(text, "[%s_%s_%s]", words[i / N / N], words[i / N % N],
                        words[i % N]);
        assert_int_equal(accepts(&ir, span_of(text, (size_t)n)), i % N < 8);
    }
    assert_false(accepts(&ir, SPAN("[amber_delta]")));
    ir_free(&ir);
    free(source);
}

static void lookahead_is_a_hint(void **state)
{
    (void)state;
    expect("root ::= x \"b\"\nx ::= \"a\" | \"q\" (= \"c\" | [d-e]+ (x))\n",
           IN("ab", "qb"), OUT("ac", "a", "abc"));
    Ir ir;
    compile(&ir, "root ::= \"a\" (=\"b\")\n");
    assert_int_equal(ir.warnings.count, 1);
    assert_int_equal(ir.warnings.at[0].begin, 13);
    assert_int_equal(ir.warnings.at[0].end, 19);
    assert_true(
        span_equal(ir.warnings.at[0].message,
                   SPAN("lookahead has no effect on what is accepted")));
    ir_free(&ir);
}

static void another_root(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, NULL);
    ir_rule_new(&ir, SPAN("other"), 0); /* rules that were there before */
    assert_true(ebnf_compile(&ir, SPAN("a ::= b\nb ::= \"x\"\n"), "b"));
    assert_int_equal(ir.root, 2);
    assert_true(accepts(&ir, SPAN("x")));
    assert_int_equal(ir.rules.at[1].begin, 0);
    assert_int_equal(ir.rules.at[2].begin, 8);
    assert_int_equal(ir.rules.at[2].end, 9);
    ir_free(&ir);
    ir_init(&ir, &mem, NULL);
    assert_false(ebnf_compile(&ir, SPAN("a ::= \"x\"\n"), "b"));
    assert_int_equal(ir.error.status, WEIR_UNDEFINED);
    assert_string_equal(ir.error.message, "the root rule \"b\" is not defined");
    ir_free(&ir);
}

/* ---- options ---- */

static void options_are_kept(void **state)
{
    (void)state;
    expect_print("root[capture] ::= \"x\"",
                 "root[frame, capture=\"root\"] ::= \"x\"\n");
    expect_print("root [ temperature = 0.5 , capture = \"a]\\\"\" ] ::= \"x\"",
                 "root[frame, temperature=0.5, capture=\"a]\\\"\"] ::= "
                 "\"x\"\n");
    expect_print("root[stop_capture=\"s\", capture_hidden_suffix_bytes=3,"
                 "capture_hidden_stop_bytes=4] ::= \"x\"",
                 "root[frame, stop_capture=\"s\", hidden_suffix=3, "
                 "hidden_stop=4] ::= \"x\"\n");
    expect_print("root[capture_hidden_marker_rule_id=2,"
                 "capture_hidden_body_rule_id=1] ::= a b\n"
                 "a ::= \"x\"\nb ::= \"y\"",
                 "root[frame, hidden_body=a, hidden_marker=b] ::= a b\n"
                 "a ::= \"x\"\nb ::= \"y\"\n");
    /* a class that only looks like options */
    expect_print("root ::= \"x\"\n a [b]\na ::= \"y\"",
                 "root ::= \"x\" a \"b\"\na ::= \"y\"\n");
}

static void temperatures(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0},        {"1", 1},      {".5", 0.5},
                 {"5.", 5},       {"1e2", 100},  {"+1.25E-2", 0.0125},
                 {"0.7", 0.7},    {"1e-400", 0}, {"007.50", 7.5},
                 {"1e308", 1e308}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char source[80];
        Ir ir;
        snprintf(source, sizeof source, "root[temperature=%s] ::= \"x\"",
                 cases[i].text);
        compile(&ir, source);
        const RuleOptions *o = ir.rules.at[ir.root].options;
        assert_true(o && o->temperature == cases[i].value);
        ir_free(&ir);
    }
}

static void lazy_rules_end_early(void **state)
{
    (void)state;
    expect("root[lazy] ::= \"a\" \"b\"*", IN("a"), OUT("ab", ""));
    expect("root[lazy] ::= ([^<]|\"<\")* \"<x>\"", IN("ab<x>", "<x>", "<<x>"),
           OUT("a<x><x>", "a", "<x>a"));
    expect("root ::= a \"c\"\na[lazy] ::= \"x\" [a-c]*", IN("xc"),
           OUT("xac", "xabcc"));
    expect("root ::= a \"c\"\na[lazy] ::= [a-z]* \"x\"", IN("axc"),
           OUT("axxc"));
    expect("root ::= a \"bc\"\na[lazy] ::= \"a\" | \"ab\"", IN("abc"),
           OUT("abbc"));
    expect("root[lazy] ::= (\"a\"|\"b\")*", IN(""), OUT("a", "b"));
    expect("root[lazy] ::= (\"ab\"|\"c\"){2,3}", IN("abab", "cc", "abc"),
           OUT("ccc", "ab", ""));
    expect("root[lazy, capture] ::= a+ b\na ::= [0-9] | \"-\"\nb ::= \";\" a?",
           IN("1;", "-2;"), OUT(";", "1;2", "1"));
    /* a lazy rule in a lazy rule is cut first; a shared body but once */
    expect("root[lazy] ::= a a \"c\"*\na[lazy] ::= \"x\"+", IN("xx"),
           OUT("x", "xxx", "xxc"));
    expect_print("root ::= a b\na[lazy] ::= \"x\" \"y\"*\nb ::= \"x\" \"y\"*",
                 "root ::= a b\na ::= regular(0 [x]>1; 1!)\n"
                 "b ::= \"x\" \"y\"*\n");
}

/* ---- errors ---- */

typedef struct Bad {
    const char *source;
    weir_status status;
    uint32_t begin, end;
    const char *rule, *message;
} Bad;

static const Bad bad[] = {
    {"", WEIR_UNDEFINED, 0, 0, "", "the root rule \"root\" is not defined"},
    {"a ::= \"x\"", WEIR_UNDEFINED, 0, 0, "",
     "the root rule \"root\" is not defined"},
    {"root ::= a", WEIR_UNDEFINED, 9, 10, "root", "rule \"a\" is not defined"},
    {"root ::= \"x\"\nb ::= \"y\" c", WEIR_UNDEFINED, 23, 24, "b",
     "rule \"c\" is not defined"},
    {"root ::= .", WEIR_UNDEFINED, 9, 10, "root",
     "rule \".\" is not defined (any character is written [^])"},
    {"root ::= \"a\"\nroot ::= \"b\"", WEIR_SYNTAX, 13, 17, "root",
     "rule \"root\" is defined twice"},
    {"Token ::= \"a\"", WEIR_SYNTAX, 0, 5, "Token",
     "Token is a macro, expected a name for a rule"},
    {"root ::= \"a\" b ::= \"c\"", WEIR_SYNTAX, 13, 14, "root",
     "found b, expected a new line before the name of a rule"},
    {"root : \"a\"", WEIR_SYNTAX, 5, 6, "",
     "found ':' after a name, expected ::="},
    {"root", WEIR_SYNTAX, 4, 4, "",
     "found end of input after a name, expected ::="},
    {"\"a\"", WEIR_SYNTAX, 0, 3, "",
     "found \"a\", expected a rule, written name ::= body"},
    {"1 ::= \"a\"", WEIR_SYNTAX, 0, 1, "",
     "found 1, expected a rule, written name ::= body"},
    {"root ::= ", WEIR_SYNTAX, 9, 9, "root",
     "found end of input, expected a string, class, name, macro or group"},
    {"root ::= \"a\" | \nb ::= \"x\"", WEIR_SYNTAX, 16, 17, "root",
     "found b, expected a string, class, name, macro or group"},
    {"root ::= | \"a\"", WEIR_SYNTAX, 9, 10, "root",
     "found |, expected a string, class, name, macro or group"},
    {"root ::= (\"a\" | )", WEIR_SYNTAX, 16, 17, "root",
     "found ), expected a string, class, name, macro or group"},
    {"root ::= 5", WEIR_SYNTAX, 9, 10, "root",
     "found 5, expected a string, class, name, macro or group"},
    {"root ::= \"a\" ::= \"b\"", WEIR_SYNTAX, 13, 16, "root",
     "found ::=, expected a string, class, name, macro or group"},
    {"root ::= (\"a\"", WEIR_SYNTAX, 9, 10, "root",
     "group that is not closed, expected ')'"},
    {"root ::= \"a\" )", WEIR_SYNTAX, 13, 14, "root",
     "found ), expected the next rule, since no group is open"},
    {"root ::= 'a'", WEIR_SYNTAX, 9, 10, "root",
     "found ''', expected a name, string, class or operator (strings take "
     "double quotes)"},
    {"root ::= \"a\" // c", WEIR_SYNTAX, 13, 14, "root",
     "found '/', expected a name, string, class or operator (comments begin "
     "with '#')"},
    {"root ::= \"a\" : b", WEIR_SYNTAX, 13, 14, "root",
     "found ':', expected a name, string, class or operator (a rule is "
     "written name ::= body)"},
    {"root ::= \xc3\xa9", WEIR_SYNTAX, 9, 11, "root",
     "found U+00E9, expected a name, string, class or operator"},
    {"root ::= \xff", WEIR_SYNTAX, 9, 10, "root",
     "found byte 0xFF, expected a name, string, class or operator"},
    {"root ::= \"a\nb\"", WEIR_SYNTAX, 9, 11, "root",
     "string that does not end on its line, expected '\"'"},
    {"root ::= [a\\\nb]", WEIR_SYNTAX, 9, 12, "root",
     "class that does not end on its line, expected ']'"},
    {"root ::= \"\\q\"", WEIR_SYNTAX, 10, 12, "root",
     "escape \\q is not known"},
    {"root ::= \"\\^\"", WEIR_SYNTAX, 10, 12, "root",
     "escape \\^ is not known"},
    {"root ::= \"\\xg\"", WEIR_SYNTAX, 10, 12, "root",
     "escape \\x lacks hex digits"},
    {"root ::= \"\\u12g4\"", WEIR_SYNTAX, 10, 14, "root",
     "escape \\u12 lacks some of 4 hex digits"},
    {"root ::= \"\\U0001F60\"", WEIR_SYNTAX, 10, 19, "root",
     "escape \\U0001F60 lacks some of 8 hex digits"},
    {"root ::= \"\\x110000\"", WEIR_SYNTAX, 10, 18, "root",
     "escape \\x110000 is above U+10FFFF"},
    {"root ::= \"\\x111111111111111111\"", WEIR_SYNTAX, 10, 30, "root",
     "escape \\x111111111111111111 is above U+10FFFF"},
    {"root ::= \"\\uD83D\"", WEIR_SYNTAX, 10, 16, "root",
     "escape \\uD83D is half of a surrogate pair"},
    {"root ::= \"a\\uDE00\\uD83D\"", WEIR_SYNTAX, 11, 17, "root",
     "escape \\uDE00 is half of a surrogate pair"},
    {"root ::= \"a\xff\"", WEIR_SYNTAX, 11, 12, "root",
     "found byte 0xFF, expected UTF-8"},
    {"root ::= [\\d]", WEIR_SYNTAX, 10, 12, "root",
     "escape \\d is not supported in a class"},
    {"root ::= [\\q]", WEIR_SYNTAX, 10, 12, "root", "escape \\q is not known"},
    {"root ::= [\\uD800]", WEIR_SYNTAX, 10, 16, "root",
     "escape \\uD800 is half of a surrogate pair"},
    {"root ::= [xz-a]", WEIR_SYNTAX, 11, 14, "root",
     "range from 'z' down to 'a'"},
    {"root ::= *", WEIR_SYNTAX, 9, 10, "root",
     "found *, expected a string, class, name, macro or group"},
    {"root ::= \"a\"?*", WEIR_SYNTAX, 13, 14, "root",
     "found *, expected parentheses around what is repeated already"},
    {"root ::= \"a\"{,3}", WEIR_SYNTAX, 13, 14, "root",
     "found ,, expected a number of repeats"},
    {"root ::= \"a\"{-1}", WEIR_SYNTAX, 13, 15, "root",
     "found -1, expected a number of repeats"},
    {"root ::= \"a\"{1;}", WEIR_SYNTAX, 14, 15, "root",
     "found ';', expected a name, string, class or operator"},
    {"root ::= \"a\"{1 b}", WEIR_SYNTAX, 15, 16, "root",
     "found b, expected ',' or '}'"},
    {"root ::= \"a\"{1,2", WEIR_SYNTAX, 16, 16, "root",
     "found end of input, expected '}'"},
    {"root ::= \"a\"{3,2}", WEIR_SYNTAX, 12, 17, "root",
     "at least 3 and at most 2 repeats, expected the smaller number first"},
    {"root ::= \"a\"{2147483648}", WEIR_SYNTAX, 13, 23, "root",
     "found 2147483648, expected at most 2147483647"},
    {"root ::= \"a\" (=\"b\") \"c\"", WEIR_SYNTAX, 20, 23, "root",
     "found \"c\", expected the next rule after a lookahead"},
    {"root ::= (\"a\" (=\"b\"))", WEIR_SYNTAX, 14, 16, "root",
     "found (=, expected a lookahead at the end of a rule only"},
    {"root ::= \"a\" (=\"b\"", WEIR_SYNTAX, 13, 15, "root",
     "group that is not closed, expected ')'"},
    {"root ::= \"a\" (=)", WEIR_SYNTAX, 15, 16, "root",
     "found ), expected a string, class, name, macro or group"},
    /* options */
    {"root[] ::= \"a\"", WEIR_SYNTAX, 5, 6, "root",
     "found ']', expected the name of an option"},
    {"root[lazy, lazy] ::= \"a\"", WEIR_SYNTAX, 11, 15, "root",
     "option lazy stands twice"},
    {"root[lazy=1] ::= \"a\"", WEIR_SYNTAX, 5, 10, "root",
     "lazy with a value, expected lazy alone"},
    {"root[foo] ::= \"a\"", WEIR_SYNTAX, 5, 8, "root",
     "option foo is not known"},
    {"root[capture,] ::= \"a\"", WEIR_SYNTAX, 13, 14, "root",
     "found ']', expected the name of an option"},
    {"root[capture lazy] ::= \"a\"", WEIR_SYNTAX, 13, 14, "root",
     "found 'l', expected ',' or ']'"},
    {"root[capture=x] ::= \"a\"", WEIR_SYNTAX, 13, 14, "root",
     "found 'x', expected a string"},
    {"root[capture=\"\"] ::= \"a\"", WEIR_SYNTAX, 13, 15, "root",
     "found \"\", expected a name"},
    {"root[stop_capture] ::= \"a\"", WEIR_SYNTAX, 17, 18, "root",
     "found ']', expected '=' and a value"},
    {"root[max_tokens=0] ::= \"a\"", WEIR_SYNTAX, 16, 17, "root",
     "max_tokens of 0, expected a number from 1 to 1000000"},
    {"root[max_tokens=1000001] ::= \"a\"", WEIR_SYNTAX, 16, 23, "root",
     "max_tokens of 1000001, expected a number from 1 to 1000000"},
    {"root[max_tokens=\"5\"] ::= \"a\"", WEIR_SYNTAX, 16, 17, "root",
     "found '\"', expected a number"},
    {"root[max_chars=2147483648] ::= \"a\"", WEIR_SYNTAX, 15, 25, "root",
     "max_chars of 2147483648, expected a number from 0 to 2147483647"},
    {"root[temperature=-1] ::= \"a\"", WEIR_SYNTAX, 17, 19, "root",
     "temperature of -1, expected a finite number, at least 0"},
    {"root[temperature=1e999] ::= \"a\"", WEIR_SYNTAX, 17, 22, "root",
     "temperature of 1e999, expected a finite number, at least 0"},
    {"root[temperature=nan] ::= \"a\"", WEIR_SYNTAX, 17, 20, "root",
     "temperature of nan, expected a finite number, at least 0"},
    {"root[capture_hidden_body_rule_id=0] ::= \"a\"", WEIR_SYNTAX, 5, 34,
     "root", "one of the two hidden rule ids, expected both or neither"},
    {"root[capture_hidden_body_rule_id=0,capture_hidden_marker_rule_id=1] "
     "::= \"a\"",
     WEIR_SYNTAX, 35, 66, "root",
     "capture_hidden_marker_rule_id is no rule: there are 1"},
    /* lazy */
    {"root[lazy] ::= \"a\" root?", WEIR_UNSUPPORTED, 0, 4, "root",
     "lazy rule that leads back to a rule it is in, expected a regular body"},
    {"root ::= x\nx[lazy] ::= y\ny ::= \"(\" z \")\"\nz ::= \"z\" | y",
     WEIR_UNSUPPORTED, 11, 12, "x",
     "lazy rule that leads back to a rule it is in, expected a regular body"},
    {"root[lazy] ::= x\nx[capture] ::= \"a\"", WEIR_UNSUPPORTED, 0, 4, "root",
     "lazy rule that holds a rule with options, expected a regular body"},
    {"root[lazy] ::= Token(3)", WEIR_UNSUPPORTED, 0, 4, "root",
     "lazy rule that holds tokens, expected a regular body"},
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Ir ir;
        mem = mem_from_env(NULL);
        ir_init(&ir, &mem, NULL);
        assert_false(ebnf_compile(&ir, span_text(bad[i].source), NULL));
        if (strcmp(ir.error.message, bad[i].message) ||
            ir.error.status != bad[i].status ||
            ir.error.begin != bad[i].begin || ir.error.end != bad[i].end ||
            strcmp(ir.error.pointer, bad[i].rule))
            fail_msg("%s:\n%u-%u [%s] status %d: %s", bad[i].source,
                     ir.error.begin, ir.error.end, ir.error.pointer,
                     (int)ir.error.status, ir.error.message);
        ir_free(&ir);
    }
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, NULL);
    char source[400] = "root ::= ";
    memset(source + 9, 'x', 300);
    assert_false(ebnf_compile(&ir, span_text(source), NULL));
    char expected[192];
    snprintf(expected, sizeof expected, "rule \"%.60s...\" is not defined",
             source + 9);
    assert_string_equal(ir.error.message, expected);
    ir_free(&ir);
}

/* ---- limits and memory ---- */

static weir_error compile_limited(const char *source, weir_limits limits)
{
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, &limits);
    ebnf_compile(&ir, span_text(source), NULL);
    weir_error error = ir.error;
    ir_free(&ir);
    return error;
}

static void limits(void **state)
{
    (void)state;
    const char *nested = "root ::= (((\"a\")))";
    weir_error e = compile_limited(nested, (weir_limits){.max_depth = 3});
    assert_int_equal(e.status, WEIR_OK);
    e = compile_limited(nested, (weir_limits){.max_depth = 2});
    assert_int_equal(e.status, WEIR_LIMIT_DEPTH);
    assert_string_equal(
        e.message, "more than 2 groups inside each other (limit max_depth)");
    assert_int_equal(e.begin, 11);
    e = compile_limited("root ::= a\na ::= b\nb ::= \"c\"",
                        (weir_limits){.max_rules = 2});
    assert_int_equal(e.status, WEIR_LIMIT_RULES);
    assert_int_equal(e.begin, 19);
    assert_int_equal(e.end, 20);
    e = compile_limited(nested, (weir_limits){.max_source = 10});
    assert_int_equal(e.status, WEIR_LIMIT_BYTES);
    assert_string_equal(e.message, "source of 18 bytes, expected at most 10");
    e = compile_limited("root[lazy] ::= [ab]{50} \"c\"",
                        (weir_limits){.max_states = 20});
    assert_int_equal(e.status, WEIR_LIMIT_STATES);
    assert_int_equal(e.begin, 0);
    assert_int_equal(e.end, 4);
}

/* A thousand thousand brackets need no stack. */
static void deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *source = malloc(2 * DEPTH + 20);
    assert_non_null(source);
    memcpy(source, "root ::= ", 9);
    memset(source + 9, '(', DEPTH);
    memcpy(source + 9 + DEPTH, "\"a\"", 3);
    memset(source + 12 + DEPTH, ')', DEPTH);
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, &(weir_limits){.max_depth = DEPTH});
    assert_true(ebnf_compile(&ir, span_of(source, 12 + 2 * DEPTH), NULL));
    assert_true(accepts(&ir, SPAN("a")));
    ir_free(&ir);
    ir_init(&ir, &mem, NULL);
    assert_false(ebnf_compile(&ir, span_of(source, 12 + 2 * DEPTH), NULL));
    assert_int_equal(ir.error.status, WEIR_LIMIT_DEPTH);
    ir_free(&ir);
    free(source);
}

typedef struct Budget {
    int left, live;
} Budget;

static void *budget_new(void *user, size_t nbytes)
{
    Budget *b = user;
    if (b->left-- <= 0) return NULL;
    b->live++;
    return malloc(nbytes);
}

static void *budget_resize(void *user, void *p, size_t old, size_t nbytes)
{
    Budget *b = user;
    (void)old;
    return b->left-- <= 0 ? NULL : realloc(p, nbytes);
}

static void budget_free(void *user, void *p, size_t nbytes)
{
    Budget *b = user;
    (void)nbytes;
    b->live--;
    free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *source =
        "root[capture=\"c\"] ::= (\"a\" | [b-x] y?)* z{2,5} (= \"q\")\n"
        "y ::= Substring(\"ab\", \"cd\") | Token(1, 2)\n"
        "z[lazy] ::= [a-c]+ w\nw ::= \"x\" | [^y]\n"
        "t ::= TagDispatch((\"<a>\", y), (\"<b>\", z), excludes=(\"q\",))\n"
        "u ::= Regex(\"a+[bc]\", json_string=true)\n";
    int n = 0;
    for (bool done = false; !done; n++) {
        Budget budget = {.left = n};
        Mem tight = {budget_new, budget_resize, budget_free, &budget};
        Ir ir;
        ir_init(&ir, &tight, NULL);
        done = ebnf_compile(&ir, span_text(source), NULL);
        assert_true(done || ir.error.status == WEIR_NO_MEMORY);
        ir_free(&ir);
        assert_int_equal(budget.live, 0);
        assert_true(n < 20000);
    }
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_and_choices),
        cmocka_unit_test(strings),
        cmocka_unit_test(classes),
        cmocka_unit_test(repetition),
        cmocka_unit_test(recursion),
        cmocka_unit_test(published_cases),
        cmocka_unit_test(large_enum),
        cmocka_unit_test(lookahead_is_a_hint),
        cmocka_unit_test(another_root),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(temperatures),
        cmocka_unit_test(lazy_rules_end_early),
        cmocka_unit_test(errors),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(limits),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
