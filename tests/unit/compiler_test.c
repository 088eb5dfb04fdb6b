/* compiler_test.c: the cache of grammars: what is one entry, what is dropped,
 * and threads that ask at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "unit/faulty_mem.h"
#include "weir/weir.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_vocab *two_tokens(const weir_env *env)
{
    weir_token tokens[2] = {{bytes_of("a"), 0},
                            {bytes_of("</s>"), WEIR_TOKEN_STOP}};
    weir_vocab *v = weir_vocab_new(env, tokens, 2, NULL, NULL);
    assert_non_null(v);
    return v;
}

static weir_compiler *compiler_of(uint64_t cache_bytes)
{
    weir_vocab *v = two_tokens(NULL);
    weir_compiler_opts opts = {.size = sizeof opts, .cache_bytes = cache_bytes};
    weir_compiler *c = weir_compiler_new(v, &opts, NULL);
    assert_non_null(c);
    weir_vocab_free(v); /* the compiler keeps it */
    return c;
}

static weir_grammar *regex(weir_compiler *c, const char *pattern)
{
    return weir_compiler_compile(c, WEIR_REGEX, bytes_of(pattern), NULL, NULL);
}

static void expect_stats(weir_compiler *c, uint64_t hits, uint64_t misses,
                         uint64_t entries)
{
    weir_compiler_stats s = {.size = sizeof s};
    weir_compiler_describe(c, &s);
    assert_int_equal(s.hits, hits);
    assert_int_equal(s.misses, misses);
    assert_int_equal(s.entries, entries);
    assert_int_equal(s.bytes > 0, entries > 0);
}

static uint64_t bytes_held(weir_compiler *c)
{
    weir_compiler_stats s = {.size = sizeof s};
    weir_compiler_describe(c, &s);
    return s.bytes;
}

/* ---- one entry or two ---- */

static void equal_requests_are_one(void **state)
{
    (void)state;
    weir_compiler *c = compiler_of(0);
    expect_stats(c, 0, 0, 0);
    weir_grammar *a = regex(c, "a+"), *b = regex(c, "a+"), *d = regex(c, "a*");
    assert_non_null(a);
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, d);
    expect_stats(c, 1, 2, 2);
    weir_grammar_free(a);
    weir_grammar_free(b);
    weir_grammar_free(d);
    weir_compiler_free(c);
}

/* A source of two rules, which each option reads in its own way or ignores:
 * what counts here is that the requests differ. */
static const char source[] = "root ::= \"a\"\nmain ::= \"b\"";

static void options_are_part_of_the_key(void **state)
{
    (void)state;
    const size_t size = sizeof(weir_compile_opts);
    const weir_bytes comma = bytes_of(","), blank = bytes_of(" ");
    const weir_compile_opts opts[] = {
        {0},
        {.space = {.kind = WEIR_SPACE_COMPACT}},
        {.space = {.kind = WEIR_SPACE_FIXED}},
        {.space = {.max_run = 5}},
        {.space = {.indent = 5}},
        {.space = {.item_separator = comma}},
        {.space = {.key_separator = comma}},
        {.space = {.pattern = comma}},
        {.space = {.pattern = blank}},
        {.limits = {.max_source = 1000}},
        {.limits = {.max_depth = 1000}},
        {.limits = {.max_rules = 1000}},
        {.limits = {.max_states = 1000}},
        {.limits = {.max_work = 100000}},
        {.limits = {.max_memory = 10000000}},
        {.limits = {.max_configs = 1000}},
        {.limits = {.max_step = 1000}},
        {.root = "root"},
        {.root = "main"},
        {.ignore_case = true},
        {.dot_all = true},
        {.dialect = WEIR_DIALECT_LLAMA_CPP},
        {.any_repeat = true},
    };
    weir_grammar *made[COUNT_OF(opts)];
    weir_compiler *c = compiler_of(0);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT_OF(opts); i++) {
            weir_compile_opts o = opts[i];
            o.size = (uint32_t)size;
            weir_grammar *g =
                weir_compiler_compile(c, WEIR_EBNF, bytes_of(source), &o, NULL);
            assert_non_null(g);
            if (round) assert_ptr_equal(g, made[i]);
            if (round) weir_grammar_free(made[i]);
            made[i] = g;
            for (size_t k = 0; k < i; k++)
                assert_ptr_not_equal(made[i], made[k]);
        }
    expect_stats(c, COUNT_OF(opts), COUNT_OF(opts), COUNT_OF(opts));
    for (size_t i = 0; i < COUNT_OF(opts); i++) weir_grammar_free(made[i]);
    weir_compiler_free(c);
}

/* No options, zeros, and an older caller's shorter struct say the same. */
static void defaults_are_one_key(void **state)
{
    (void)state;
    weir_compiler *c = compiler_of(0);
    weir_compile_opts zeros = {.size = sizeof zeros};
    weir_compile_opts older = {.size = offsetof(weir_compile_opts, limits)};
    const weir_compile_opts *opts[] = {NULL, &zeros, &older};
    for (size_t i = 0; i < COUNT_OF(opts); i++)
        weir_grammar_free(weir_compiler_compile(c, WEIR_EBNF, bytes_of(source),
                                                opts[i], NULL));
    expect_stats(c, 2, 1, 1);
    /* the kind counts, and where one text ends and the next begins */
    weir_grammar_free(weir_compiler_compile(c, WEIR_JSON_VALUE,
                                            bytes_of(source), NULL, NULL));
    zeros.space.item_separator = bytes_of("ab");
    zeros.space.key_separator = bytes_of("c");
    weir_grammar_free(
        weir_compiler_compile(c, WEIR_EBNF, bytes_of(source), &zeros, NULL));
    zeros.space.item_separator = bytes_of("a");
    zeros.space.key_separator = bytes_of("bc");
    weir_grammar_free(
        weir_compiler_compile(c, WEIR_EBNF, bytes_of(source), &zeros, NULL));
    expect_stats(c, 2, 4, 4);
    weir_compiler_free(c);
}

static void failures_are_kept(void **state)
{
    (void)state;
    weir_compiler *c = compiler_of(0);
    weir_error first, again;
    const weir_bytes bad = bytes_of("a(b");
    assert_null(weir_compiler_compile(c, WEIR_REGEX, bad, NULL, &first));
    assert_int_equal(first.status, WEIR_SYNTAX);
    assert_null(weir_compiler_compile(c, WEIR_REGEX, bad, NULL, &again));
    assert_memory_equal(&first, &again, sizeof first);
    expect_stats(c, 1, 1, 1);
    /* a request that cannot be read is none */
    weir_compile_opts unknown[2] = {{.size = sizeof unknown}, {.size = 1}};
    assert_null(weir_compiler_compile(c, WEIR_REGEX, bad, unknown, &again));
    assert_int_equal(again.status, WEIR_ARGUMENT);
    expect_stats(c, 1, 1, 1);
    weir_compiler_free(c);
}

/* Memory that is out now may be there the next time. */
static void lack_of_memory_is_not_kept(void **state)
{
    (void)state;
    Faulty faulty = {.left = SIZE_MAX};
    weir_env env = {sizeof env, faulty_allocate, faulty_resize, faulty_release,
                    &faulty};
    weir_vocab *v = two_tokens(&env);
    weir_compiler *c = weir_compiler_new(v, NULL, NULL);
    weir_grammar *g = NULL;
    uint32_t failures = 0;
    for (size_t n = 0; !g; n++, failures++) {
        weir_error err;
        faulty.left = n;
        g = weir_compiler_compile(c, WEIR_REGEX, bytes_of("[a-f]+x"), NULL,
                                  &err);
        faulty.left = SIZE_MAX;
        if (g) break;
        assert_int_equal(err.status, WEIR_NO_MEMORY);
        weir_compiler_stats s = {.size = sizeof s};
        weir_compiler_describe(c, &s);
        assert_int_equal(s.entries, 0);
    }
    assert_true(failures > 10);
    weir_grammar_free(g);
    weir_compiler_free(c);
    weir_vocab_free(v);
    assert_int_equal(faulty.held, 0);
}

/* ---- what goes ---- */

/* Room for a, b and d less a byte: of a, b, a again, d it is b that goes. */
static void oldest_goes_first(void **state)
{
    (void)state;
    weir_compiler *all = compiler_of(0);
    const char *patterns[] = {"a+", "b+", "d+"};
    for (int i = 0; i < 3; i++) weir_grammar_free(regex(all, patterns[i]));
    uint64_t room = bytes_held(all) - 1;
    weir_compiler_free(all);
    weir_compiler *c = compiler_of(room);
    weir_grammar_free(regex(c, "a+"));
    weir_grammar_free(regex(c, "b+"));
    weir_grammar_free(regex(c, "a+"));
    expect_stats(c, 1, 2, 2);
    weir_grammar_free(regex(c, "d+"));
    expect_stats(c, 1, 3, 2);
    assert_true(bytes_held(c) <= room);
    weir_grammar_free(regex(c, "a+"));
    weir_grammar_free(regex(c, "d+"));
    expect_stats(c, 3, 3, 2);
    weir_grammar_free(regex(c, "b+"));
    expect_stats(c, 3, 4, 2);
    weir_compiler_free(c);
}

static void no_cache_keeps_nothing(void **state)
{
    (void)state;
    weir_compiler *c = compiler_of(UINT64_MAX);
    for (uint64_t i = 1; i <= 3; i++) {
        weir_grammar *g = regex(c, "a+");
        assert_non_null(g);
        weir_grammar_free(g);
        expect_stats(c, 0, i, 0);
    }
    assert_null(regex(c, "("));
    expect_stats(c, 0, 4, 0);
    weir_compiler_free(c);
}

static void grammars_outlive_the_cache(void **state)
{
    (void)state;
    weir_compiler *c = compiler_of(0);
    weir_grammar *a = regex(c, "aab");
    weir_matcher *m = weir_matcher_new(a, NULL, NULL);
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_ACCEPTED);
    weir_compiler_clear(c);
    expect_stats(c, 0, 1, 0);
    weir_grammar *b = regex(c, "aab");
    assert_ptr_not_equal(a, b);
    expect_stats(c, 0, 2, 1);
    weir_grammar_free(a);
    weir_grammar_free(b);
    weir_compiler_free(c);
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept_bytes(m, bytes_of("b"), NULL),
                     WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

/* ---- threads ---- */

enum { THREADS = 6, ROUNDS = 20 };

typedef struct Team {
    weir_compiler *compiler;
    const char *pattern; /* NULL: a number of them, and clears in between */
    atomic_uint ready;
    weir_grammar *got[THREADS];
} Team;

typedef struct Member {
    Team *team;
    unsigned number;
} Member;

static void ask_many(Member *m)
{
    for (unsigned i = 0; i < 60; i++) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "x{%u}|%s", i % 7 + 1,
                 i % 5 ? "y" : "(");
        weir_grammar *g = regex(m->team->compiler, pattern);
        if (!g != (i % 5 == 0)) m->team->got[m->number] = NULL;
        weir_grammar_free(g);
        if (i % 16 == m->number) weir_compiler_clear(m->team->compiler);
    }
}

/* All begin together. */
static void *member_run(void *arg)
{
    Member *m = arg;
    Team *t = m->team;
    atomic_fetch_add(&t->ready, 1);
    while (atomic_load(&t->ready) < THREADS) {}
    t->got[m->number] = regex(t->compiler, t->pattern ? t->pattern : "a");
    if (!t->pattern) ask_many(m);
    return NULL;
}

static void team_run(Team *t)
{
    pthread_t thread[THREADS];
    Member member[THREADS];
    atomic_init(&t->ready, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        member[i] = (Member){t, i};
        assert_int_equal(
            pthread_create(&thread[i], NULL, member_run, &member[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

static void one_compiles_for_all(void **state)
{
    (void)state;
    Team t = {.compiler = compiler_of(0)};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "(a|b){%u}[a-z]*(c|dd)+",
                 (unsigned)round);
        t.pattern = pattern;
        team_run(&t);
        for (int i = 0; i < THREADS; i++) {
            assert_non_null(t.got[i]);
            assert_ptr_equal(t.got[i], t.got[0]);
        }
        for (int i = 0; i < THREADS; i++) weir_grammar_free(t.got[i]);
        expect_stats(t.compiler, round * (THREADS - 1), round, round);
    }
    weir_compiler_free(t.compiler);
}

/* The same, with a cache too small for anything and clears at any time. */
static void threads_ask_and_clear(void **state)
{
    (void)state;
    const uint64_t sizes[] = {0, 20000, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        Team t = {.compiler = compiler_of(sizes[i])};
        team_run(&t);
        for (int k = 0; k < THREADS; k++) {
            assert_non_null(t.got[k]);
            weir_grammar_free(t.got[k]);
        }
        weir_compiler_clear(t.compiler);
        assert_int_equal(bytes_held(t.compiler), 0);
        weir_compiler_free(t.compiler);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_requests_are_one),
        cmocka_unit_test(options_are_part_of_the_key),
        cmocka_unit_test(defaults_are_one_key),
        cmocka_unit_test(failures_are_kept),
        cmocka_unit_test(lack_of_memory_is_not_kept),
        cmocka_unit_test(oldest_goes_first),
        cmocka_unit_test(no_cache_keeps_nothing),
        cmocka_unit_test(grammars_outlive_the_cache),
        cmocka_unit_test(one_compiles_for_all),
        cmocka_unit_test(threads_ask_and_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
