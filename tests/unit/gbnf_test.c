/* gbnf_test.c: GBNF: names, line ends, strings, classes, repeats, tokens,
 * definitions, errors; and what the dialect llama.cpp refuses. What llama.cpp
 * itself says of odd texts is in gbnf_recorded_test.c.
 *
 * Expected values come from the description of the language (docs/gbnf.md);
 * byte ranges were counted by hand.
 */
#include "syntax/gbnf.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static Mem mem;

/* Texts in brackets that are one token: their length is the id. */
static uint32_t token(void *user, Span text)
{
    (void)user;
    return text.size == 5 ? 5 : GBNF_NO_TOKEN;
}

static const GbnfOpts plain = {.token = token};
static const GbnfOpts dialect = {.token = token, .is_llama_cpp = true};
static const GbnfOpts lifted = {
    .token = token, .is_llama_cpp = true, .any_repeat = true};

static void compile(Ir *ir, const char *source)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    if (!gbnf_compile(ir, span_text(source), &plain))
        fail_msg("%s: %s", source, ir->error.message);
}

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

static void expect_texts(const char *source, const char *const *texts,
                         bool accepted)
{
    Ir ir;
    compile(&ir, source);
    for (; *texts; texts++) {
        OracleText t = {0};
        assert_true(oracle_add_bytes(&t, span_text(*texts)));
        if (oracle_complete(&ir, ir.root, NULL, &t) != accepted)
            fail_msg("%s: \"%s\" is not %d", source, *texts, accepted);
    }
    ir_free(&ir);
}

#define IN(source, ...) \
    expect_texts((source), (const char *const[]){__VA_ARGS__, NULL}, true)
#define OUT(source, ...) \
    expect_texts((source), (const char *const[]){__VA_ARGS__, NULL}, false)

/* ---- what is read ---- */

static void names_and_line_ends(void **state)
{
    (void)state;
    expect_print("root ::= 9x -y A-1 # end\n9x::=\"9\"\n-y ::=\n\n \"y\"\n"
                 "A-1 ::= \"A\"",
                 "root ::= <\"9x\"> -y A-1\n<\"9x\"> ::= \"9\"\n-y ::= \"y\"\n"
                 "A-1 ::= \"A\"\n");
    expect_print(
        "# first\n\n \troot ::= \"a\" |\n\n \"b\" b\r\nb ::= (\r\n\"c\""
        "\n # in a group\n | \"d\"\r)\rc ::= \"e\"",
        "root ::= \"a\" | \"b\" b\nb ::= [cd]\nc ::= \"e\"\n");
    expect_print("root ::=", "root ::= \"\"\n");
    expect_print("root ::= (|)", "root ::= \"\"\n");
    expect_print("root ::= | | \"a\"", "root ::= \"a\"?\n");
    expect_print("root ::= \"a\" ||\"b\"", "root ::= [ab]?\n");
}

static void strings(void **state)
{
    (void)state;
    expect_print("root ::= \"\\t\\r\\n\\\\\\\"\\[\\]\\-\"",
                 "root ::= \"\\t\\r\\n\\\\\\\"[]-\"\n");
    expect_print("root ::= \"\\x41\\u00e9\\U0001F600\"",
                 "root ::= \"A\xC3\xA9\xF0\x9F\x98\x80\"\n");
    expect_print("root ::= \"two\nlines\" \"\" \"[^\"",
                 "root ::= \"two\\nlines[^\"\n");
}

static void classes(void **state)
{
    (void)state;
    IN("root ::= [a-c-e]", "a", "b", "c", "-", "e");
    OUT("root ::= [a-c-e]", "d", "", "ab");
    IN("root ::= [-a] [a-]", "-a", "a-", "--");
    IN("root ::= [[\"\n] [^x]", "[a", "\"]", "\n\xC3\xA9");
    OUT("root ::= [[\"\n] [^x]", "[x", "]a");
    IN("root ::= [\\]\\[] \"a\" [] \"b\" [^]", "]ab", "[ab");
    IN("root ::= . .", "\n\n", "\xE6\x97\xA5z", "..");
    OUT("root ::= . .", "a", "abc", "\xFF z");
    IN("root ::= [\xCE\xB1-\xCF\x89]", "\xCE\xB2", "\xCF\x89");
    IN("root ::= \"a\" | [z-a]", "a");
    IN("root ::= \"a\" | \"\\uD83D\" | [\\U00110000-\\U00120000]", "a");
}

static void repeats(void **state)
{
    (void)state;
    IN("root ::= \"ab\"{2}{3}", "abababababab");
    OUT("root ::= \"ab\"{2}{3}", "abababab", "abbbbb");
    IN("root ::= \"a\" { 1 , 2 } \"b\" *", "a", "aabbb");
    IN("root ::= \"a\"? \"b\"+ (\"c\" | \"d\"){2,}", "bcd", "abbddc");
    OUT("root ::= \"a\"? \"b\"+ (\"c\" | \"d\"){2,}", "acd", "bc");
    IN("root ::= \"a\"{0} \"b\" x{0,0}\nx ::= \"x\"", "b");
    IN("root ::= (\"a\"?)* \"b\"**", "", "aab");
    expect_print("root ::= \"a\"{0,5000}", "root ::= \"a\"{0,5000}\n");
    expect_print("root ::= root \"a\" | \"b\"",
                 "root ::= \"b\" | root \"a\"\n");
}

static void tokens(void **state)
{
    (void)state;
    expect_print("root ::= <[12]> !<[0]>* <abc> !<abc>",
                 "root ::= tokens(12) tokens(^0)* tokens(5) tokens(^5)\n");
}

static void defined_again(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, "root ::= \"a\"\nroot ::= \"b\"");
    assert_int_equal(ir.warnings.count, 1);
    assert_int_equal(ir.warnings.at[0].begin, 13);
    assert_int_equal(ir.warnings.at[0].end, 17);
    ir_free(&ir);
    expect_print("root ::= \"a\" x\nx ::= \"x\"\nroot ::= \"b\"",
                 "root ::= \"b\"\nx ::= \"x\"\n");
}

/* ---- what is refused ---- */

typedef struct Bad {
    const char *source;
    uint32_t begin, end;
    weir_status status;
    const char *message; /* a part of it */
} Bad;

static void expect_bad(const Bad *bad, size_t count, const GbnfOpts *opts)
{
    mem = mem_from_env(NULL);
    for (size_t i = 0; i < count; i++) {
        Ir ir;
        Bad b = bad[i];
        ir_init(&ir, &mem, NULL);
        if (gbnf_compile(&ir, span_text(b.source), opts))
            fail_msg("%s: compiles", b.source);
        if (ir.error.status != b.status || ir.error.begin != b.begin ||
            ir.error.end != b.end || !strstr(ir.error.message, b.message))
            fail_msg("%s: %u-%u %s: %s", b.source, ir.error.begin, ir.error.end,
                     weir_status_name(ir.error.status), ir.error.message);
        ir_free(&ir);
    }
}

static void errors(void **state)
{
    (void)state;
    static const Bad bad[] = {
        {"", 0, 0, WEIR_SYNTAX, "expected a rule"},
        {" # only\n", 8, 8, WEIR_SYNTAX, "expected a rule"},
        {"root", 4, 4, WEIR_SYNTAX, "expected ::="},
        {"root := \"a\"", 5, 6, WEIR_SYNTAX, "found ':', expected ::="},
        {"ro_ot ::= \"a\"", 2, 3, WEIR_SYNTAX, "letters, digits and '-'"},
        {"\"a\" ::= \"b\"", 0, 1, WEIR_SYNTAX, "the name of a rule"},
        {"root ::= \"a\"\n | \"b\"", 14, 15, WEIR_SYNTAX, "name of a rule"},
        {"root ::= \"a", 9, 11, WEIR_SYNTAX, "found end of input"},
        {"root ::= [a-", 9, 12, WEIR_SYNTAX, "expected ']'"},
        {"root ::= \"\\q\"", 10, 12, WEIR_SYNTAX, "after a backslash"},
        {"root ::= \"\\", 10, 11, WEIR_SYNTAX, "found end of input"},
        {"root ::= \"\\x4\"", 10, 13, WEIR_SYNTAX, "expected 2 hex digits"},
        {"root ::= [\\u12g]", 10, 14, WEIR_SYNTAX, "expected 4 hex digits"},
        {"root ::= 'a'", 9, 10, WEIR_SYNTAX, "double quotes"},
        {"root ::= \"a\" // b", 13, 14, WEIR_SYNTAX, "begin with '#'"},
        {"root ::= a b ::= \"c\"", 13, 14, WEIR_SYNTAX, "line of its own"},
        {"root ::= (\"a\"", 13, 13, WEIR_SYNTAX, "expected ')'"},
        {"root ::= \"a\")", 12, 13, WEIR_SYNTAX, "end of the rule's line"},
        {"root ::= *", 9, 10, WEIR_SYNTAX, "something before it"},
        {"root ::= \"\"+", 11, 12, WEIR_SYNTAX, "something before it"},
        {"root ::= \"a\"{0}*", 15, 16, WEIR_SYNTAX, "something before it"},
        {"root ::= \"a\"{,3}", 13, 14, WEIR_SYNTAX, "number of repetitions"},
        {"root ::= \"a\"{2 3}", 15, 16, WEIR_SYNTAX, "',' or '}'"},
        {"root ::= \"a\"{2,x}", 15, 16, WEIR_SYNTAX, "a number or '}'"},
        {"root ::= \"a\"{5,2}", 12, 17, WEIR_SYNTAX, "maximum of 2 below"},
        {"root ::= \"a\"{99999999999999999999}", 13, 33, WEIR_SYNTAX,
         "20 digits, expected at most 2147483647"},
        {"root ::= <[]>", 11, 12, WEIR_SYNTAX, "a token id"},
        {"root ::= <[1>", 12, 13, WEIR_SYNTAX, "']'"},
        {"root ::= <[1]", 13, 13, WEIR_SYNTAX, "'>'"},
        {"root ::= <[4294967296]>", 11, 21, WEIR_SYNTAX, "2147483647"},
        {"root ::= <x", 11, 11, WEIR_SYNTAX, "'>'"},
        {"root ::= ! <[1]>", 10, 11, WEIR_SYNTAX, "right after '!'"},
        {"root ::= <think>", 9, 16, WEIR_UNDEFINED, "exactly one token"},
        {"root ::= b\n", 9, 10, WEIR_UNDEFINED, "rule \"b\" is not defined"},
        {"a ::= \"a\"", 0, 0, WEIR_UNDEFINED, "the root rule \"root\""},
        {"root ::= \"\xFF\"", 10, 11, WEIR_SYNTAX, "expected UTF-8 text"},
        {"\xEF\xBB\xBFroot ::= \"a\"", 0, 3, WEIR_SYNTAX, "name of a rule"},
    };
    static const Bad unknown[] = {
        {"root ::= <ab>", 9, 13, WEIR_UNSUPPORTED, "needs a vocabulary"}};
    expect_bad(bad, COUNT_OF(bad), &plain);
    expect_bad(unknown, 1, NULL);
}

static void rule_in_error(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, NULL);
    assert_false(gbnf_compile(&ir, SPAN("root ::= b\nb ::= (\"a\""), &plain));
    assert_string_equal(ir.error.pointer, "b");
    ir_free(&ir);
}

/* ---- the dialect ---- */

/* What matches nothing is a dead end there; classes are llama.cpp's. */
static void dialect_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *source, *expected;
    } list[] = {
        {"root ::= \"a\" | [z-a]", "root ::= \"a\" | tokens(never)\n"},
        {"root ::= <[7]> | !<[9]>", "root ::= tokens(7, never) | tokens(^9)\n"},
        {"root ::= [a-z] [^a]", "root ::= [a-z] lax[\\x01-`b-\\U003FFFFF]\n"},
        {"root ::= [^\xC3\xA9] \"\\uD83D\"",
         "root ::= lax[^\\xE9] \"\\xed\\xa0\\xbd\"\n"},
    };
    mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        Ir ir;
        char text[256];
        Out out = {text, sizeof text - 1, 0};
        ir_init(&ir, &mem, NULL);
        assert_true(gbnf_compile(&ir, span_text(list[i].source), &dialect));
        ir_print(&ir, &out);
        text[MIN(out.size, out.cap)] = 0;
        assert_string_equal(text, list[i].expected);
        ir_free(&ir);
    }
}

static void dialect_recursion(void **state)
{
    (void)state;
    static const Bad bad[] = {
        {"root ::= root \"a\" | \"b\"", 0, 4, WEIR_UNSUPPORTED, "\"root\""},
        {"root ::= a\na ::= b \"x\"\nb ::= a | \"y\"", 11, 12, WEIR_UNSUPPORTED,
         "\"a\" begins with itself"},
        {"root ::= \"a\"\nunused ::= (\"x\"? unused)", 13, 19, WEIR_UNSUPPORTED,
         "\"unused\""},
        {"root ::= \"a\"**", 13, 14, WEIR_UNSUPPORTED, "may be empty"},
        {"root ::= \"b\" (\"\")+", 17, 18, WEIR_UNSUPPORTED, "may be empty"},
        {"root ::= e e root | \"z\"\ne ::= | \"k\"", 0, 4, WEIR_UNSUPPORTED,
         "\"root\""},
    };
    static const char *const good[] = {
        "root ::= (\"a\"*)*", "root ::= a root | \"x\"\na ::= \"y\"?",
        "root ::= \"a\" root | (\"b\" root)? \"c\"",
        "root ::= \"x\"{0} \"\" []"};
    expect_bad(bad, COUNT_OF(bad), &dialect);
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        Ir ir;
        ir_init(&ir, &mem, NULL);
        if (!gbnf_compile(&ir, span_text(good[i]), &dialect))
            fail_msg("%s: %s", good[i], ir.error.message);
        ir_free(&ir);
    }
}

static void dialect_limits(void **state)
{
    (void)state;
    static const Bad bad[] = {
        {"root ::= \"a\"{2001}", 12, 18, WEIR_SYNTAX, "at most 2000"},
        {"root ::= \"a\"{2000}", 12, 18, WEIR_SYNTAX, "found 2000 symbols"},
        {"root ::= \"a\"{0,2000}", 12, 20, WEIR_SYNTAX, "less than 2000"},
        {"root ::= \"a\"{50}{40}", 16, 20, WEIR_SYNTAX, "found 2000 symbols"},
        {"root ::= (a b){667}\na ::= \"a\"\nb ::= \"b\"", 14, 19, WEIR_SYNTAX,
         "found 2001 symbols"},
        {"root ::= (\"a\"{0,9}){200}", 19, 24, WEIR_SYNTAX, "2000 symbols"},
    };
    static const char *const good[] = {
        "root ::= \"a\"{1999}", "root ::= ((\"a\"{50}){40})",
        "root ::= (a b){666}\na ::= \"a\"\nb ::= \"b\"",
        "root ::= (\"a\"{0,8}){200}", "root ::= <[99999999999]>"};
    expect_bad(bad, COUNT_OF(bad), &dialect);
    for (size_t i = 0; i < COUNT_OF(good) + COUNT_OF(bad); i++) {
        bool is_good = i < COUNT_OF(good);
        const char *source = is_good ? good[i] : bad[i - COUNT_OF(good)].source;
        Ir ir;
        ir_init(&ir, &mem, NULL);
        if (!gbnf_compile(&ir, span_text(source), is_good ? &dialect : &lifted))
            fail_msg("%s: %s", source, ir.error.message);
        ir_free(&ir);
    }
    Ir ir;
    ir_init(&ir, &mem, NULL);
    assert_true(gbnf_compile(&ir, SPAN("root ::= \"a\"{1,2001}"), &dialect));
    assert_int_equal(ir.warnings.count, 1);
    Node n = ir_node(&ir, ir.rules.at[ir.root].body);
    assert_int_equal(n.c, REPEAT_INF);
    ir_free(&ir);
}

static void nesting(void **state)
{
    (void)state;
    enum { LEVELS = 60000 };
    static char source[2 * LEVELS + 16];
    char *at = source + sprintf(source, "root ::= ");
    memset(at, '(', LEVELS);
    at[LEVELS] = 'x';
    memset(at + LEVELS + 1, ')', LEVELS);
    static const weir_limits deep = {.max_depth = LEVELS};
    for (int i = 0; i < 2; i++) {
        Ir ir;
        mem = mem_from_env(NULL);
        ir_init(&ir, &mem, i ? &deep : NULL);
        assert_false(gbnf_compile(&ir, span_text(source), &dialect));
        assert_int_equal(ir.error.status,
                         i ? WEIR_UNDEFINED : WEIR_LIMIT_DEPTH);
        ir_free(&ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_line_ends),
        cmocka_unit_test(strings),
        cmocka_unit_test(classes),
        cmocka_unit_test(repeats),
        cmocka_unit_test(tokens),
        cmocka_unit_test(defined_again),
        cmocka_unit_test(errors),
        cmocka_unit_test(rule_in_error),
        cmocka_unit_test(dialect_nodes),
        cmocka_unit_test(dialect_recursion),
        cmocka_unit_test(dialect_limits),
        cmocka_unit_test(nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
