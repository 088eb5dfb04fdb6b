/* bad_input_test.c: grammars made to be expensive. Each compiles or ends in a
 * limit that is named, within SECONDS of this thread's time and BYTES of
 * memory; and each output read with it ends the same way, call by call. Where
 * a definition says which, that is what is asked for: nesting beyond max_depth
 * is LIMIT_DEPTH, a reference to itself has no meaning. WEIR_QUICK: some of them.
 * WEIR_SLOWER=N: so many times the time, where programs are emulated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/port.h"
#include "oracle/sanitized.h"
#include "weir/weir.h"

enum { SLOWER = IS_SANITIZED ? 20 : 1 };
/* About 2 s on a quiet machine. */
enum { SECONDS = 5, BYTES = 288 << 20, CALL_SECONDS = 5 };

/* ---- memory and time ---- */

enum { QUICK_EVERY = 4 };

static size_t held, held_most;

static void *counted_allocate(void *user, size_t nbytes)
{
    (void)user;
    held += nbytes;
    held_most = MAX(held_most, held);
    return malloc(nbytes ? nbytes : 1);
}

static void *counted_resize(void *user, void *p, size_t old, size_t nbytes)
{
    (void)user;
    void *q = realloc(p, nbytes ? nbytes : 1);
    if (q) held += nbytes - old;
    held_most = MAX(held_most, held);
    return q;
}

static void counted_release(void *user, void *p, size_t nbytes)
{
    (void)user;
    held -= nbytes;
    free(p);
}

static const weir_env env = {sizeof env, counted_allocate, counted_resize,
                             counted_release, NULL};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- texts ---- */

typedef struct Text {
    char *at;
    size_t size, cap;
} Text;

static void put(Text *t, const char *text)
{
    size_t n = strlen(text);
    while (t->size + n + 1 > t->cap) {
        t->cap = t->cap ? t->cap * 2 : 4096;
        t->at = realloc(t->at, t->cap);
        assert_non_null(t->at);
    }
    memcpy(t->at + t->size, text, n + 1);
    t->size += n;
}

static void put_times(Text *t, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) put(t, text);
}

static void put_number(Text *t, const char *before, size_t number,
                       const char *after)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", number);
    put(t, before);
    put(t, digits);
    put(t, after);
}

enum { PARENTHESES = 60000, MEGABYTE = 1 << 20 };

static void nested(Text *t, const char *open, const char *inner,
                   const char *close)
{
    put_times(t, open, PARENTHESES);
    put(t, inner);
    put_times(t, close, PARENTHESES);
}

static void regex_parentheses(Text *t)
{
    nested(t, "(", "a", ")");
}
static void regex_look_aheads(Text *t)
{
    nested(t, "(?=", "a", ")");
}
static void ebnf_parentheses(Text *t)
{
    put(t, "root ::= ");
    nested(t, "(", "\"a\"", ")");
}
static void schema_arrays(Text *t)
{
    nested(t, "{\"items\":", "{}", "}");
}
static void schema_refusals(Text *t)
{
    nested(t, "{\"not\":", "{}", "}");
}

static void regex_literal(Text *t)
{
    put_times(t, "abcdefgh", MEGABYTE / 8);
}
static void regex_words(Text *t)
{
    for (size_t i = 0; t->size < MEGABYTE; i++)
        put_number(t, i ? "|word" : "word", i * 7919 % 1000003, "end");
}
static void regex_options(Text *t)
{
    put_times(t, "(a|b)?", MEGABYTE / 6);
}
static void regex_classes(Text *t)
{
    put_times(t, "[a-q]\\p{L}", MEGABYTE / 10);
}
static void regex_repeats(Text *t)
{
    put_times(t, "a{0,99}", MEGABYTE / 7);
}
static void regex_pluses(Text *t)
{
    put_times(t, "(a+", 9000);
    put_times(t, ")+", 9000);
    put(t, "b");
}
static void regex_counts(Text *t)
{
    put(t, "((((a{1,1000}){1,1000}){1,1000}){1,1000}){1,1000}b");
}
static void regex_assertions(Text *t)
{
    for (size_t i = 1; i < 30; i++) put_number(t, "(?=.*a.{", i, "}b)");
    put(t, "[ab]*");
}

static void ebnf_two_ways(Text *t)
{
    put(t, "root ::= root root | \"a\" | \"a\" \"a\"");
}
static void ebnf_empty_ways(Text *t)
{
    put(t, "root ::= e e e e e \"b\"\ne ::= (e | \"a\")* | \"\"");
}
static void ebnf_hidden_recursion(Text *t)
{
    put(t, "root ::= x0\n");
    for (size_t i = 0; i < 60; i++) {
        put_number(t, "x", i, " ::= ");
        for (size_t k = 0; k < 60; k++)
            put_number(t, k ? " | x" : "x", (i * 31 + k * 17) % 60,
                       " \"a\"? x0 \"b\"");
        put(t, " | \"c\"\n");
    }
}
static void ebnf_doubling(Text *t)
{
    put(t, "root ::= x0\n");
    for (size_t i = 0; i < 64; i++) {
        put_number(t, "x", i, " ::= ");
        put_number(t, "x", i + 1, " ");
        put_number(t, "x", i + 1, "\n");
    }
    put(t, "x64 ::= \"a\"?\n");
}

static void schema_self(Text *t)
{
    put(t, "{\"$ref\":\"#\"}");
}
static void schema_circle(Text *t)
{
    put(t, "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},"
           "\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"}]}}}");
}
static void schema_not_self(Text *t)
{
    put(t, "{\"$defs\":{\"a\":{\"not\":{\"$ref\":\"#/$defs/a\"}}},"
           "\"$ref\":\"#/$defs/a\"}");
}
static void schema_chain(Text *t)
{
    put(t, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (size_t i = 0; i < 9000; i++) {
        put_number(t, "\"d", i, "\":");
        put_number(t, "{\"$ref\":\"#/$defs/d", i + 1, "\"},");
    }
    put(t, "\"d9000\":{\"type\":\"null\"}}}");
}
/* Every choice of 24: of a property that is there with a type of its own. */
static void schema_choices(Text *t)
{
    put(t, "{\"allOf\":[");
    for (size_t i = 0; i < 24; i++) {
        put_number(t,
                   i ? ",{\"oneOf\":[{\"properties\":{\"a"
                     : "{\"oneOf\":[{\"properties\":{\"a",
                   i, "\":{\"type\":\"string\"}},\"required\":[");
        put_number(t, "\"a", i, "\"]},{\"properties\":{");
        put_number(t, "\"b", i, "\":{\"minimum\":3}},\"required\":[");
        put_number(t, "\"b", i, "\"]}]}");
    }
    put(t, "]}");
}
static void schema_patterns(Text *t)
{
    put(t, "{\"type\":\"object\",\"patternProperties\":{");
    for (size_t i = 0; i < 40; i++) {
        put_number(t, i ? ",\"a.{" : "\"a.{", i, "}b\":");
        put_number(t, "{\"maxLength\":", i, "}");
    }
    put(t, "}}");
}
static void schema_formats(Text *t)
{
    put(t, "{\"allOf\":[");
    for (size_t i = 1; i < 40; i++)
        put_number(t,
                   i > 1 ? ",{\"pattern\":\"(a|b)*a(a|b){"
                         : "{\"pattern\":\"(a|b)*a(a|b){",
                   i, "}$\"}");
    put(t, "]}");
}
static void schema_multiples(Text *t)
{
    put(t, "{\"type\":\"integer\",\"allOf\":[{\"multipleOf\":1000003},"
           "{\"multipleOf\":999983},{\"multipleOf\":999979}]}");
}

/* ---- the table ---- */

#define AS(status) (1u << WEIR_##status)
#define ANY_LIMIT                                                             \
    (AS(LIMIT_BYTES) | AS(LIMIT_DEPTH) | AS(LIMIT_RULES) | AS(LIMIT_STATES) | \
     AS(LIMIT_WORK) | AS(LIMIT_MEMORY))

static const struct Bad {
    const char *name;
    weir_source_kind kind;
    void (*make)(Text *t);
    uint32_t may_be;   /* statuses of compiling */
    const char *again; /* read over and over, if it compiles */
} bad[] = {
    {"60,000 parentheses, regex", WEIR_REGEX, regex_parentheses,
     AS(LIMIT_DEPTH), ""},
    {"60,000 look-aheads", WEIR_REGEX, regex_look_aheads, AS(LIMIT_DEPTH), ""},
    {"60,000 parentheses, EBNF", WEIR_EBNF, ebnf_parentheses, AS(LIMIT_DEPTH),
     ""},
    {"60,000 parentheses, GBNF", WEIR_GBNF, ebnf_parentheses, AS(LIMIT_DEPTH),
     ""},
    {"60,000 arrays", WEIR_JSON_SCHEMA, schema_arrays, AS(LIMIT_DEPTH), ""},
    {"60,000 times not", WEIR_JSON_SCHEMA, schema_refusals, AS(LIMIT_DEPTH),
     ""},
    {"1 MB, one word", WEIR_REGEX, regex_literal, AS(OK) | ANY_LIMIT,
     "abcdefgh"},
    {"1 MB of words", WEIR_REGEX, regex_words, AS(OK) | ANY_LIMIT, "word"},
    {"1 MB of options", WEIR_REGEX, regex_options, AS(OK) | ANY_LIMIT, "ab"},
    {"1 MB of classes", WEIR_REGEX, regex_classes, AS(OK) | ANY_LIMIT, "a"},
    {"1 MB of repeats", WEIR_REGEX, regex_repeats, AS(OK) | ANY_LIMIT, "a"},
    {"nested pluses", WEIR_REGEX, regex_pluses, AS(OK) | ANY_LIMIT, "a"},
    {"nested counts", WEIR_REGEX, regex_counts, AS(OK) | ANY_LIMIT, "a"},
    {"assertions", WEIR_REGEX, regex_assertions, ANY_LIMIT, ""},
    {"readings that double", WEIR_EBNF, ebnf_two_ways, AS(OK), "a"},
    {"readings of nothing", WEIR_EBNF, ebnf_empty_ways, AS(OK) | ANY_LIMIT,
     "a"},
    {"hidden left recursion", WEIR_EBNF, ebnf_hidden_recursion,
     AS(OK) | ANY_LIMIT, "c"},
    {"2^64 copies", WEIR_EBNF, ebnf_doubling, AS(OK) | ANY_LIMIT, "a"},
    {"$ref to itself", WEIR_JSON_SCHEMA, schema_self,
     AS(EMPTY) | AS(UNSUPPORTED), ""},
    {"$ref in a circle", WEIR_JSON_SCHEMA, schema_circle,
     AS(EMPTY) | AS(UNSUPPORTED), ""},
    {"not itself", WEIR_JSON_SCHEMA, schema_not_self,
     AS(EMPTY) | AS(UNSUPPORTED), ""},
    {"a chain of 9,000 $ref", WEIR_JSON_SCHEMA, schema_chain,
     AS(OK) | ANY_LIMIT, "null"},
    {"2^24 choices", WEIR_JSON_SCHEMA, schema_choices, AS(OK) | ANY_LIMIT,
     "{\"a"},
    {"overlapping patterns", WEIR_JSON_SCHEMA, schema_patterns,
     AS(OK) | ANY_LIMIT, "{\"aab"},
    {"patterns of many states", WEIR_JSON_SCHEMA, schema_formats,
     AS(OK) | ANY_LIMIT, "\"ab"},
    {"large multiples", WEIR_JSON_SCHEMA, schema_multiples, AS(OK) | ANY_LIMIT,
     "1"},
};

/* ---- the tests ---- */

static weir_vocab *bytes_and_pairs(void)
{
    static char text[256 + 26 * 26][2];
    static weir_token tokens[COUNT_OF(text) + 1];
    for (unsigned i = 0; i < COUNT_OF(text); i++) {
        unsigned pair = i - 256;
        text[i][0] = (char)(i < 256 ? i : 'a' + pair / 26);
        text[i][1] = (char)('a' + pair % 26);
        tokens[i].bytes = (weir_bytes){text[i], i < 256 ? 1 : 2};
    }
    tokens[COUNT_OF(text)] =
        (weir_token){{"</s>", 4}, WEIR_TOKEN_STOP | WEIR_TOKEN_CONTROL};
    weir_vocab *v = weir_vocab_new(&env, tokens, COUNT_OF(tokens), NULL, NULL);
    assert_non_null(v);
    return v;
}

static bool is_limit(weir_status status)
{
    return ANY_LIMIT >> status & 1;
}

static double seconds_given(double seconds)
{
    const char *slower = getenv("WEIR_SLOWER");
    return seconds * SLOWER * (slower ? strtod(slower, NULL) : 1);
}

static void expect_quick(const char *name, const char *what, double begin,
                         double most)
{
    double took = seconds_now() - begin;
    if (took > seconds_given(most))
        fail_msg("%s: %s took %.1f s, expected at most %.1f", name, what, took,
                 seconds_given(most));
}

/* Masks and bytes until a limit, STEPS of them, or for some seconds: what is
 * asked for is that each call ends. */
static void read_output(const struct Bad *b, weir_grammar *g)
{
    enum { STEPS = 200 };
    static int32_t row[64];
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    size_t size = strlen(b->again);
    double first = seconds_now();
    for (size_t i = 0; i < STEPS && seconds_now() - first < 1; i++) {
        double begin = seconds_now();
        weir_fill fill = weir_matcher_fill(m, row);
        expect_quick(b->name, "a mask", begin, CALL_SECONDS);
        if (fill == WEIR_FILL_ERROR)
            assert_true(is_limit(weir_matcher_error(m)));
        begin = seconds_now();
        weir_accept answer = weir_matcher_accept_bytes(
            m, (weir_bytes){b->again + i % size, 1}, NULL);
        expect_quick(b->name, "a byte", begin, CALL_SECONDS);
        if (answer == WEIR_ACCEPT_ERROR)
            assert_true(is_limit(weir_matcher_error(m)));
        if (answer != WEIR_ACCEPTED) break;
    }
    weir_matcher_free(m);
}

static void each_is_bounded(void **state)
{
    (void)state;
    weir_vocab *v = bytes_and_pairs();
    size_t every = getenv("WEIR_QUICK") ? QUICK_EVERY : 1;
    for (size_t i = 0; i < COUNT_OF(bad); i += every) {
        const struct Bad *b = &bad[i];
        Text t = {0};
        b->make(&t);
        size_t before = held;
        held_most = held;
        weir_error err;
        double begin = seconds_now();
        weir_grammar *g = weir_grammar_compile(
            v, b->kind, (weir_bytes){t.at, t.size}, NULL, &err);
        double took = seconds_now() - begin;
        print_message("%-28s %-14s %6.3f s %8zu KiB\n", b->name,
                      weir_status_name(err.status), took,
                      (held_most - before) / 1024);
        expect_quick(b->name, "compiling", begin, SECONDS);
        if (!(b->may_be >> err.status & 1) || (g != NULL) != !err.status)
            fail_msg("%s: %s: %s", b->name, weir_status_name(err.status),
                     err.message);
        assert_true(err.begin <= err.end && err.end <= t.size);
        if (g) read_output(b, g);
        if (held_most - before > BYTES)
            fail_msg("%s: %zu bytes", b->name, held_most - before);
        weir_grammar_free(g);
        free(t.at);
    }
    weir_vocab_free(v);
    assert_int_equal(held, 0);
}

/* A budget that one matcher runs out of is not that of another of the same
 * grammar: it goes on, before and after, and its masks are those of one that
 * was alone. */
static void budget_is_the_matchers_own(void **state)
{
    (void)state;
    enum { OPEN = 200 };
    static const char source[] =
        "root ::= s \".\"\ns ::= s s | \"(\" s \")\" | \"(\" s | \"a\"";
    static int32_t row[64], alone_row[64];
    weir_vocab *v = bytes_and_pairs();
    weir_compile_opts opts = {.size = sizeof opts, .limits = {.max_step = 100}};
    weir_bytes text = {source, sizeof source - 1};
    weir_grammar *g = weir_grammar_compile(v, WEIR_EBNF, text, &opts, NULL);
    weir_grammar *other = weir_grammar_compile(v, WEIR_EBNF, text, &opts, NULL);
    assert_non_null(g);
    assert_non_null(other);
    weir_matcher *greedy = weir_matcher_new(g, NULL, NULL);
    weir_matcher *modest = weir_matcher_new(g, NULL, NULL);
    weir_matcher *alone = weir_matcher_new(other, NULL, NULL);
    for (int i = 0; i < OPEN; i++)
        assert_int_equal(
            weir_matcher_accept_bytes(greedy, (weir_bytes){"(", 1}, NULL),
            WEIR_ACCEPTED);
    assert_int_equal(
        weir_matcher_accept_bytes(greedy, (weir_bytes){"a", 1}, NULL),
        WEIR_ACCEPTED);
    for (const char *c = "(a)."; *c; c++) {
        assert_int_equal(
            weir_matcher_accept_bytes(greedy, (weir_bytes){".", 1}, NULL),
            WEIR_ACCEPT_ERROR);
        assert_int_equal(weir_matcher_error(greedy), WEIR_LIMIT_WORK);
        assert_int_equal(weir_matcher_fill(modest, row),
                         weir_matcher_fill(alone, alone_row));
        assert_memory_equal(row, alone_row, sizeof row);
        assert_int_equal(
            weir_matcher_accept_bytes(modest, (weir_bytes){c, 1}, NULL),
            WEIR_ACCEPTED);
        assert_int_equal(
            weir_matcher_accept_bytes(alone, (weir_bytes){c, 1}, NULL),
            WEIR_ACCEPTED);
        assert_int_equal(weir_matcher_error(modest), WEIR_OK);
    }
    assert_true(weir_matcher_is_completed(modest));
    weir_matcher_free(greedy);
    weir_matcher_free(modest);
    weir_matcher_free(alone);
    weir_grammar_free(g);
    weir_grammar_free(other);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_bounded),
        cmocka_unit_test(budget_is_the_matchers_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
