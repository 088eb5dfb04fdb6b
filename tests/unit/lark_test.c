/* lark_test.c: Lark's grammar language: places and words of errors, what is
 * made of a grammar, options, tokens, warnings. What texts a grammar has is
 * compared with llguidance in lark_recorded_test.c.
 */
#include "syntax/lark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

static Mem mem;

/* ---- errors ---- */

typedef struct ErrorCase {
    const char *source;
    weir_status status;
    const char *at; /* what stands at the error's place */
    const char *says, *pointer;
} ErrorCase;

static const ErrorCase errors[] = {
    {"start: \"a", WEIR_SYNTAX, "\"a", "a string that does not end", "start"},
    {"start: /a", WEIR_SYNTAX, "/a", "a regular expression that does not end",
     "start"},
    {"start: 'a'", WEIR_SYNTAX, "'", "strings take double quotes", "start"},
    {"start: <a", WEIR_SYNTAX, "<a", "no '>' behind it", "start"},
    {"start: \"a\\q\"", WEIR_SYNTAX, "q", "JSON's escapes", "start"},
    {"start: \"\\xq1\"", WEIR_SYNTAX, "\"\\xq1\"", "JSON's escapes", "start"},
    {"start: \"\\ud800\"", WEIR_SYNTAX, "\\ud800", "surrogate", "start"},
    {"start: b", WEIR_UNDEFINED, "b", "rule \"b\" is not defined", ""},
    {"start: B", WEIR_UNDEFINED, "B", "terminal \"B\" is not defined", ""},
    {"root: \"a\"", WEIR_UNDEFINED, "", "rule \"start\" is not defined", ""},
    {"", WEIR_UNDEFINED, "", "rule \"start\" is not defined", ""},
    {"start: \"a\"\nstart: \"b\"", WEIR_SYNTAX, "start",
     "rule \"start\" is defined twice", ""},
    {"A: \"a\"\n%import common.INT -> A", WEIR_SYNTAX, "A",
     "terminal \"A\" is defined twice", ""},
    {"start \"a\"", WEIR_SYNTAX, "\"a\"", "expected ':'", "start"},
    {"start ::= \"a\"", WEIR_SYNTAX, "=", "found =, expected '_'", "start"},
    {"\"a\"", WEIR_SYNTAX, "\"a\"", "expected a rule (name: body)", ""},
    {"start: (\"a\"", WEIR_SYNTAX, "(", "expected ')'", "start"},
    {"start: [\"a\"\nb: \"c\"", WEIR_SYNTAX, "[", "expected ']'", "start"},
    {"start: [\"a\")", WEIR_SYNTAX, ")", "expected ']'", "start"},
    {"start: \"a\")", WEIR_SYNTAX, ")", "no group is open", "start"},
    {"start: *", WEIR_SYNTAX, "*", "before it", "start"},
    {"start: \"a\"*?", WEIR_SYNTAX, "?", "parentheses", "start"},
    {"start: \"a\"{2,1}", WEIR_SYNTAX, "{", "smaller number first", "start"},
    {"start: \"a\"~-1", WEIR_SYNTAX, "-1", "a whole number", "start"},
    {"start: \"a\"~2147483648", WEIR_SYNTAX, "2147483648", "at most", "start"},
    {"start: \"a\"{x}", WEIR_SYNTAX, "x", "a number of repeats", "start"},
    {"start: \"a\" -> \"b\"", WEIR_SYNTAX, "\"b\"", "an alias", "start"},
    {"start: \"a\" -> b \"c\"", WEIR_SYNTAX, "\"c\"",
     "the end of the alternative", "start"},
    {"start: \"a\" & \"b\"", WEIR_SYNTAX, "&", "in a terminal", "start"},
    {"start: ~\"b\"", WEIR_SYNTAX, "~", "in a terminal", "start"},
    {"start: /[a[b]/", WEIR_SYNTAX, "[", "without ']'", "start"},
    {"start: /[a--[b]/", WEIR_SYNTAX, "[", "without ']'", "start"},
    {"start: /[b-a&&c]/", WEIR_SYNTAX, "b-a", "down to", "start"},
    {"start: \"b\"..\"a\"", WEIR_SYNTAX, "\"b\"..\"a\"", "down to", "start"},
    {"start: \"ab\"..\"c\"", WEIR_SYNTAX, "\"ab\"", "one character", "start"},
    {"start: \"a\"i..\"c\"", WEIR_SYNTAX, "\"a\"i", "the flag i", "start"},
    {"start: \"a\"..b", WEIR_SYNTAX, "b", "a string after", "start"},
    {"start: /a(/", WEIR_SYNTAX, "(", "')'", "start"},
    {"start: /a/l", WEIR_UNSUPPORTED, "/a/l", "the flag l", "start"},
    {"start: /(a)\\1/", WEIR_UNSUPPORTED, "\\1", "back-reference", "start"},
    {"start: A\nA: \"x\" A", WEIR_SYNTAX, "A", "leads back to itself", "A"},
    {"start: A\nA: B\nB: C\nC: A", WEIR_SYNTAX, "A", "leads back", "C"},
    {"start: A\nA: b\nb: \"x\"", WEIR_SYNTAX, "b", "the rule \"b\"", "A"},
    {"start: A\nA: <[1]>", WEIR_SYNTAX, "<[1]>", "found tokens", "A"},
    {"start: <[2-1]>", WEIR_SYNTAX, "2-1", "from 2 down to 1", "start"},
    {"start: <[]>", WEIR_SYNTAX, "<[]>", "no token in a set", "start"},
    {"start: <[^*]>", WEIR_SYNTAX, "<[^*]>", "no token but", "start"},
    {"start: <[1,x]>", WEIR_SYNTAX, "x", "a token id", "start"},
    {"start: <[1;2]>", WEIR_SYNTAX, ";", "expected ',', '-' or ']'", "start"},
    {"start: <[9999999999]>", WEIR_SYNTAX, "9999999999", "at most", "start"},
    {"start: <|x|>", WEIR_UNDEFINED, "<|x|>", "needs a vocabulary", "start"},
    {"start: @x", WEIR_UNDEFINED, "@x", "no grammar called \"x\"", "start"},
    {"start: %json {}", WEIR_UNSUPPORTED, "%json", "another language", "start"},
    {"start: %json", WEIR_SYNTAX, "", "expected JSON", "start"},
    {"start: %json {", WEIR_SYNTAX, "{", "not closed", "start"},
    {"start: %lark x", WEIR_SYNTAX, "x", "a grammar in braces", "start"},
    {"start: %foo", WEIR_SYNTAX, "%foo", "%json, %lark or %regex", "start"},
    {"start: %regex {\"a\": 1}", WEIR_SYNTAX, "\"a\"", "substring_chunks",
     "start"},
    {"start: %regex {\"substring_chunks\": [1]}", WEIR_SYNTAX, "1", "a string",
     "start"},
    {"start: %regex {\"substring_words\": 1}", WEIR_SYNTAX, "1", "a string",
     "start"},
    {"start: %regex {\"substring_chars\": \"\\ud800\"}", WEIR_SYNTAX, "\\ud800",
     "surrogate", "start"},
    {"start: %regex []", WEIR_SYNTAX, "[]", "an object", "start"},
    {"start: %regex {,}", WEIR_SYNTAX, ",", "", "start"},
    {"%foo", WEIR_SYNTAX, "%foo", "%ignore, %import or %llguidance", ""},
    {"%declare A", WEIR_UNSUPPORTED, "%declare", "Lark's trees", ""},
    {"%import foo.A", WEIR_UNSUPPORTED, "foo", "other files", ""},
    {"%import common.a", WEIR_UNDEFINED, "a", "no terminal a", "a"},
    {"%import common x", WEIR_SYNTAX, "x", "'.' or '('", ""},
    {"%llguidance {\"x\": 1}", WEIR_SYNTAX, "\"x\"", "no_forcing", ""},
    {"%llguidance {\"ignore_once\": 1}", WEIR_SYNTAX, "1", "true or false", ""},
    {"%llguidance {\"allow_invalid_utf8\": true}", WEIR_UNSUPPORTED,
     "\"allow_invalid_utf8\"", "UTF-8", ""},
    {"%llguidance []", WEIR_SYNTAX, "[]", "an object", ""},
    {"%llguidance {\"skip_repetition\": \"x\"}", WEIR_SYNTAX, "\"x\"",
     "\"once\"", ""},
    {"a{b}: b", WEIR_UNSUPPORTED, "{", "a template", "a"},
    {"a.b: \"x\"", WEIR_SYNTAX, "b", "the number of a priority", "a"},
    {"a[x]: \"x\"", WEIR_SYNTAX, "x", "option x is not known", "a"},
    {"a[lazy, lazy]: \"x\"", WEIR_SYNTAX, "lazy", "stands twice", "a"},
    {"a[lazy=1]: \"x\"", WEIR_SYNTAX, "=", "takes no value", "a"},
    {"a[suffix]: \"x\"", WEIR_SYNTAX, "]", "'=' and a value", "a"},
    {"a[lazy, stop=\"y\"]: \"x\"", WEIR_SYNTAX, "\"y\"", "only", "a"},
    {"a[stop=\"\"]: \"x\"", WEIR_UNSUPPORTED, "\"\"", "end of the output", "a"},
    {"a[stop_capture=\"c\"]: \"x\"", WEIR_SYNTAX, "\"c\"", "without suffix",
     "a"},
    {"a[capture=b]: \"x\"", WEIR_SYNTAX, "b", "a name in quotes", "a"},
    {"a[capture=\"\"]: \"x\"", WEIR_SYNTAX, "\"\"", "a name", "a"},
    {"a[max_tokens=0]: \"x\"", WEIR_SYNTAX, "0", "at least 1", "a"},
    {"a[max_tokens=1.5]: \"x\"", WEIR_SYNTAX, "1.5", "a whole number", "a"},
    {"a[max_chars=-1]: \"x\"", WEIR_SYNTAX, "-1", "a whole number", "a"},
    {"a[temperature=-1]: \"x\"", WEIR_SYNTAX, "-1", "a finite number", "a"},
    {"a[temperature=1e999]: \"x\"", WEIR_SYNTAX, "1e999", "finite", "a"},
    {"a[lazy \"x\"]: \"x\"", WEIR_SYNTAX, "\"x\"", "',' or ']'", "a"},
    {"start: a\na[lazy]: b\nb: \"x\"", WEIR_SYNTAX, "b", "the rule \"b\"", "a"},
    {"start: a\na[capture, suffix=/x|yy/]: \"x\"", WEIR_UNSUPPORTED, "a",
     "several lengths", "a"},
    {"A::_: \"x\"", WEIR_SYNTAX, "_", "no parameter of a terminal", "A"},
    {"a::x: \"x\"", WEIR_SYNTAX, "x", "'_'", "a"},
    {"start: a::1\na: \"x\"", WEIR_SYNTAX, "a", "takes no parameter", "start"},
    {"start: a\na::_: \"x\"", WEIR_SYNTAX, "a", "takes a parameter", "start"},
    {"start: \"x\" %if true", WEIR_SYNTAX, "%if", "takes no parameter",
     "start"},
    {"a::_: \"x\" %if x", WEIR_SYNTAX, "x", "a condition", "a"},
    {"a::_: \"x\" %if lt([2:2], 1)", WEIR_SYNTAX, "[2:2]", "smaller", "a"},
    {"a::_: \"x\" %if bit_set(64)", WEIR_SYNTAX, "64", "at most 63", "a"},
    {"a::_: \"x\" %if and(true)", WEIR_SYNTAX, ")", "','", "a"},
    {"start: a::\"x\"\na::_: \"x\"", WEIR_SYNTAX, "\"x\"", "a number", "start"},
};

static void check_error(const ErrorCase *c)
{
    Ir ir;
    ir_init(&ir, &mem, NULL);
    bool done = lark_compile(&ir, span_text(c->source), NULL);
    const weir_error *e = &ir.error;
    if (done || e->status != c->status)
        fail_msg("%s: status %d, %s", c->source, (int)e->status, e->message);
    size_t size = e->end - e->begin;
    if (size != strlen(c->at) || memcmp(c->source + e->begin, c->at, size))
        fail_msg("%s: [%u, %u): %s", c->source, e->begin, e->end, e->message);
    if (!strstr(e->message, c->says)) fail_msg("%s: %s", c->source, e->message);
    if (strcmp(e->pointer, c->pointer))
        fail_msg("%s: at \"%s\": %s", c->source, e->pointer, e->message);
    ir_free(&ir);
}

static void errors_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(errors); i++) check_error(&errors[i]);
}

/* ---- limits ---- */

static weir_status status_of(const char *source, const weir_limits *limits)
{
    Ir ir;
    ir_init(&ir, &mem, limits);
    lark_compile(&ir, span_text(source), NULL);
    weir_status status = ir.error.status;
    ir_free(&ir);
    return status;
}

static void limits_end_it(void **state)
{
    (void)state;
    enum { LEVELS = 60000 };
    static char deep[2 * LEVELS + 32];
    memcpy(deep, "start: ", 7);
    memset(deep + 7, '(', LEVELS);
    memset(deep + 7 + LEVELS, ')', LEVELS);
    assert_int_equal(status_of(deep, NULL), WEIR_LIMIT_DEPTH);
    memcpy(deep + 6, "/", 1); /* a class in a class */
    memset(deep + 7, '[', 2 * LEVELS);
    deep[7 + 2 * LEVELS] = '/';
    assert_int_equal(status_of(deep, NULL), WEIR_LIMIT_DEPTH);
    memset(deep, 0, sizeof deep);
    memcpy(deep, "start: ", 7);
    memset(deep + 7, '(', LEVELS);
    memset(deep + 7 + LEVELS, ')', LEVELS);
    weir_limits limits = {.max_depth = LEVELS};
    assert_int_equal(status_of(deep, &limits), WEIR_OK);
    limits = (weir_limits){.max_source = 10};
    assert_int_equal(status_of("start: \"abcd\"", &limits), WEIR_LIMIT_BYTES);
    limits = (weir_limits){.max_rules = 1000};
    assert_int_equal(
        status_of("start: a::0\na::_: \"x\" a::incr(_) | \"\"", &limits),
        WEIR_LIMIT_RULES);
    limits = (weir_limits){.max_states = 100};
    assert_int_equal(status_of("start: A\nA: /[ab]*a[ab]{9}/ & ~/x/", &limits),
                     WEIR_LIMIT_STATES);
    assert_int_equal(
        status_of("start: (a | \"y\"){500}\na[lazy]: \"x\"", &limits),
        WEIR_LIMIT_STATES);
}

/* ---- what is made ---- */

static char *printed(Ir *ir, const char *source, const LarkOpts *opts)
{
    ir_init(ir, &mem, NULL);
    if (!lark_compile(ir, span_text(source), opts))
        fail_msg("%s: %s", source, ir->error.message);
    Out measure = {NULL, 0, 0};
    ir_print(ir, &measure);
    char *text = malloc(measure.size + 1);
    assert_non_null(text);
    Out out = {text, measure.size + 1, 0};
    ir_print(ir, &out);
    text[out.size] = 0;
    return text;
}

static void check_print(const char *source, const LarkOpts *opts,
                        const char *expected)
{
    Ir ir;
    char *text = printed(&ir, source, opts);
    assert_string_equal(text, expected);
    free(text);
    ir_free(&ir);
}

static void rules_are_made(void **state)
{
    (void)state;
    check_print("start: a B\na: \"x\"~2..3\nB: /[a-z]/ | \"é\"\nunused: \"z\"",
                NULL, "start ::= a B\na ::= \"x\"{2,3}\nB ::= [a-z\\xE9]\n");
    check_print("start: \"a\" \"b\"\n%ignore \" \"", NULL,
                "start ::= \"a\" ignored \"b\" ignored\nignored ::= \" \"*\n");
    check_print(
        "start: a::1\na::_: \"x\" a::incr([0:1]) %if true\n"
        "  | \"y\" a::0 %if bit_set(0) | \"z\"",
        NULL,
        "start ::= <\"a::1\">\n<\"a::1\"> ::= \"z\" | \"x\" <\"a::1\"> | "
        "\"y\" <\"a::0\">\n<\"a::0\"> ::= \"z\" | \"x\" <\"a::1\">\n");
    LarkOpts opts = {.root = "other"};
    check_print("start: \"a\"\nother: \"b\"", &opts, "other ::= \"b\"\n");
}

/* ---- options ---- */

static void options_of_a_rule(void **state)
{
    (void)state;
    Ir ir;
    free(printed(&ir,
                 "start: \"(\" a \")\"\n"
                 "a[capture=\"q\", temperature=+0.5, max_tokens=7, "
                 "max_chars=9, suffix=\"\\u00e9.\", stop_capture=\"s\"]: "
                 "/[a-z]*/\n",
                 NULL));
    const RuleOptions *o = NULL;
    for (RuleId r = 0; r < ir.rules.count; r++)
        if (ir.rules.at[r].options) o = ir.rules.at[r].options;
    assert_non_null(o);
    assert_true(span_equal(o->capture, SPAN("q")));
    assert_true(span_equal(o->stop_capture, SPAN("s")));
    assert_true(span_equal(o->temperature_text, SPAN("0.5")));
    assert_true(o->temperature == 0.5);
    assert_int_equal(o->max_tokens, 7);
    assert_int_equal(o->max_chars, 9);
    assert_int_equal(o->hidden_suffix, 3);
    assert_int_equal(o->hidden_stop, 0);
    ir_free(&ir);
}

static void warnings_have_places(void **state)
{
    (void)state;
    static const char source[] = "start.5: A\nA.-1: \"x\"";
    Ir ir;
    free(printed(&ir, source, NULL));
    assert_int_equal(ir.warnings.count, 2);
    assert_int_equal(ir.warnings.at[0].begin, 5);
    assert_int_equal(ir.warnings.at[0].end, 7);
    assert_int_equal(ir.warnings.at[1].begin, 12);
    ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(rules_are_made),
        cmocka_unit_test(options_of_a_rule),
        cmocka_unit_test(warnings_have_places),
    };
    mem = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
