/* limits_test.c: every limit of weir_limits is met: its status, a message that
 * names it or its number, nothing made; and one more is enough, where the need
 * can be counted by hand. Run-time limits stop a call, not the matcher.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/port.h"
#include "weir/weir.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

typedef struct Row {
    weir_source_kind kind;
    const char *source;
    weir_limits limits;
    weir_status status; /* OK: it compiles */
    const char *says;   /* in the message */
} Row;

#define DEEP8 "((((((((a))))))))"
#define THREE_RULES "root ::= a b\na ::= \"a\" b\nb ::= \"b\"\n"

static const Row rows[] = {
    /* bytes */
    {WEIR_EBNF, "root ::= \"a\"", {.max_source = 12}, WEIR_OK, ""},
    {WEIR_EBNF,
     "root ::= \"a\"",
     {.max_source = 11},
     WEIR_LIMIT_BYTES,
     "max_source"},
    {WEIR_REGEX, "abc", {.max_source = 3}, WEIR_OK, ""},
    {WEIR_REGEX, "abc", {.max_source = 2}, WEIR_LIMIT_BYTES, "max_source"},
    /* eight brackets */
    {WEIR_REGEX, DEEP8, {.max_depth = 8}, WEIR_OK, ""},
    {WEIR_REGEX, DEEP8, {.max_depth = 7}, WEIR_LIMIT_DEPTH, "max_depth"},
    {WEIR_EBNF,
     "root ::= ((((((((\"a\"))))))))",
     {.max_depth = 8},
     WEIR_OK,
     ""},
    {WEIR_EBNF,
     "root ::= ((((((((\"a\"))))))))",
     {.max_depth = 7},
     WEIR_LIMIT_DEPTH,
     "max_depth"},
    /* three rules */
    {WEIR_EBNF, THREE_RULES, {.max_rules = 3}, WEIR_OK, ""},
    {WEIR_EBNF, THREE_RULES, {.max_rules = 2}, WEIR_LIMIT_RULES, "max_rules"},
    {WEIR_JSON_VALUE, "", {.max_rules = 1}, WEIR_LIMIT_RULES, "max_rules"},
    /* 2^13 states and more, and a part of 8 * 9 positions and more */
    {WEIR_REGEX,
     "(?=.*a.{12}b)[ab]*",
     {.max_states = 100},
     WEIR_LIMIT_STATES,
     "max_states"},
    {WEIR_EBNF,
     "root ::= ((\"ab\" \"c\"{3,9}){2,8} \"d\"){0,90} \"e\"",
     {.max_states = 3},
     WEIR_LIMIT_STATES,
     "max_states"},
    {WEIR_REGEX,
     "(?=.*a.{12}b)[ab]*",
     {.max_work = 1000},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_REGEX,
     "(a|b){3,9}(c|d){3,9}",
     {.max_work = 10},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_EBNF,
     "root ::= root \"a\" | root \"b\" | \"c\"",
     {.max_work = 1},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_REGEX,
     "(?=.*a.{14}b)[ab]*",
     {.max_memory = 20000},
     WEIR_LIMIT_MEMORY,
     "max_memory"},
    {WEIR_JSON_VALUE,
     "",
     {.max_memory = 2000},
     WEIR_LIMIT_MEMORY,
     "max_memory"},
};

static void compiling(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Row *r = &rows[i];
        weir_error err;
        weir_compile_opts opts = {.size = sizeof opts, .limits = r->limits};
        weir_grammar *g = weir_grammar_compile(
            NULL, r->kind, bytes_of(r->source), &opts, &err);
        if (err.status != r->status || (g != NULL) != !r->status ||
            !strstr(err.message, r->says))
            fail_msg("%s: %s: %s", r->source, weir_status_name(err.status),
                     err.message);
        assert_true(err.begin <= err.end && err.end <= strlen(r->source));
        weir_grammar_free(g);
    }
}

static void choices(void **state)
{
    (void)state;
    const weir_bytes list[] = {bytes_of("abc"), bytes_of("de")};
    for (uint32_t most = 7; most >= 6; most--) { /* texts, and one byte each */
        weir_error err;
        weir_compile_opts opts = {.size = sizeof opts};
        opts.limits.max_source = most;
        weir_grammar *g = weir_grammar_choice(NULL, list, 2, &opts, &err);
        assert_int_equal(g != NULL, most == 7);
        assert_int_equal(err.status, g ? WEIR_OK : WEIR_LIMIT_BYTES);
        if (!g) assert_non_null(strstr(err.message, "max_source"));
        weir_grammar_free(g);
    }
}

/* ---- while running ---- */

enum { TOKENS = 256 + 26 * 26 + 1, STOP = TOKENS - 1 };
#define WORDS WEIR_MASK_WORDS(TOKENS)

/* Every byte, every pair of small letters, and a stop token. */
static weir_vocab *vocab_new(void)
{
    static char text[TOKENS][2];
    static weir_token tokens[TOKENS];
    for (unsigned i = 0; i < STOP; i++) {
        unsigned pair = i - 256;
        text[i][0] = (char)(i < 256 ? i : 'a' + pair / 26);
        text[i][1] = (char)('a' + pair % 26);
        tokens[i].bytes = (weir_bytes){text[i], i < 256 ? 1 : 2};
    }
    tokens[STOP] = (weir_token){bytes_of("</s>"), WEIR_TOKEN_STOP};
    weir_vocab *v = weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
    assert_non_null(v);
    return v;
}

static weir_matcher *matcher_of(weir_vocab *v, weir_source_kind kind,
                                const char *source, weir_limits limits)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .limits = limits};
    weir_grammar *g =
        weir_grammar_compile(v, kind, bytes_of(source), &opts, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    assert_non_null(m);
    weir_grammar_free(g);
    return m;
}

/* Five hundred places; a full cache makes masks slower, not other ones. */
static void full_caches(void **state)
{
    (void)state;
    static const struct {
        weir_source_kind kind;
        const char *source, *text;
    } cases[] = {
        {WEIR_REGEX, "(?=.*a.{9}b)[^\\n]*", "ab, axyzabaabbbaxbaaxaabay"},
        {WEIR_EBNF,
         "root ::= ([a-m]{3,90} sep | [k-z]+ sep | \"(\" root \")\")+\n"
         "sep ::= \",\" | \" \" [^a-z]{2,5}",
         "abcdef,kkkk, ...(xyz,lmlmlm 12)abcdefgh"},
    };
    weir_vocab *v = vocab_new();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        weir_limits small = {.max_memory = 400000}, none = {0};
        weir_matcher *m = matcher_of(v, cases[i].kind, cases[i].source, small);
        weir_matcher *free_one =
            matcher_of(v, cases[i].kind, cases[i].source, none);
        size_t size = strlen(cases[i].text);
        for (size_t n = 0; n < 500; n++) {
            int32_t row[WORDS], want[WORDS];
            assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
            weir_matcher_fill(free_one, want);
            assert_memory_equal(row, want, sizeof row);
            weir_bytes byte = {cases[i].text + n * 7 % size, 1};
            weir_accept got = weir_matcher_accept_bytes(m, byte, NULL);
            assert_int_equal(got,
                             weir_matcher_accept_bytes(free_one, byte, NULL));
            assert_int_not_equal(got, WEIR_ACCEPT_ERROR);
        }
        weir_matcher_free(m);
        weir_matcher_free(free_one);
    }
    weir_vocab_free(v);
}

/* What a limit stops leaves the matcher where it was, and says so. */
static void check_stopped(weir_matcher *m, const char *next)
{
    size_t steps = weir_matcher_steps(m);
    uint64_t generation = weir_matcher_generation(m);
    assert_int_equal(weir_matcher_accept_bytes(m, bytes_of(next), NULL),
                     WEIR_ACCEPT_ERROR);
    assert_int_equal(weir_matcher_error(m), WEIR_LIMIT_WORK);
    assert_int_equal(weir_matcher_accept(m, (uint8_t)*next), WEIR_ACCEPT_ERROR);
    assert_false(weir_matcher_allows(m, (uint8_t)*next));
    assert_int_equal(weir_matcher_steps(m), steps);
    assert_true(weir_matcher_generation(m) == generation);
    assert_int_equal(weir_matcher_rollback(m, steps), WEIR_OK);
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
    int32_t row[WORDS]; /* the start is within the limit */
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
}

/* Twelve rules that begin alike and end otherwise: twelve readings. */
static const char twelve[] =
    "root ::= a | b | c | d | e | f | g | h | i | j | k | l\n"
    "a ::= \"(\" a \"a\" | \"x\"\nb ::= \"(\" b \"b\" | \"x\"\n"
    "c ::= \"(\" c \"c\" | \"x\"\nd ::= \"(\" d \"d\" | \"x\"\n"
    "e ::= \"(\" e \"e\" | \"x\"\nf ::= \"(\" f \"f\" | \"x\"\n"
    "g ::= \"(\" g \"g\" | \"x\"\nh ::= \"(\" h \"h\" | \"x\"\n"
    "i ::= \"(\" i \"i\" | \"x\"\nj ::= \"(\" j \"j\" | \"x\"\n"
    "k ::= \"(\" k \"k\" | \"x\"\nl ::= \"(\" l \"l\" | \"x\"\n";

static void configurations(void **state)
{
    (void)state;
    weir_vocab *v = vocab_new();
    for (uint32_t most = 13; most >= 11; most -= 2) {
        weir_matcher *m = matcher_of(v, WEIR_EBNF, twelve,
                                     (weir_limits){.max_configs = most});
        if (most == 11) {
            check_stopped(m, "(");
        } else {
            assert_int_equal(
                weir_matcher_accept_bytes(m, bytes_of("((xll"), NULL),
                WEIR_ACCEPTED);
            assert_true(weir_matcher_is_completed(m));
        }
        weir_matcher_free(m);
    }
    weir_vocab_free(v);
}

/* Every split of a row of letters is a reading, each with its own stacks. */
static void work_of_a_call(void **state)
{
    (void)state;
    static const char source[] =
        "root ::= s \".\"\ns ::= s s | \"(\" s \")\" | \"(\" s | \"a\"";
    char text[201];
    memset(text, '(', 200);
    text[200] = 0;
    weir_vocab *v = vocab_new();
    weir_matcher *m =
        matcher_of(v, WEIR_EBNF, source, (weir_limits){.max_step = 60});
    size_t n = 0;
    while (n < 200 && weir_matcher_accept_bytes(m, (weir_bytes){text + n, 1},
                                                NULL) == WEIR_ACCEPTED)
        n++;
    while (n < 200) { /* the letters that close cost most */
        text[n] = 'a';
        break;
    }
    printf("%zu\n", n);
    weir_matcher_free(m);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling),      cmocka_unit_test(choices),
        cmocka_unit_test(full_caches),    cmocka_unit_test(configurations),
        cmocka_unit_test(work_of_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
