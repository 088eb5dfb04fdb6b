/* threads_test.c: what threads share does not show.
 *
 * A walk is fixed by its seed: at each position the mask, the flags and what
 * was drawn go into a digest. Some grammars of one vocabulary are walked one
 * by one on a first copy; then several threads walk all of them at once, each
 * in its own order, on a second copy that nobody has warmed. Every digest must
 * be that of the serial run. Batches on pools of threads must give the rows
 * and answers of single calls. Matchers are made, forked, reset and freed
 * meanwhile. Outputs with more open brackets together than there is room for
 * are all read. Meant for the thread sanitizer, too.
 *
 * WEIR_SEED, WEIR_CASES (rounds). Labels: threads
 */
#include "oracle/judge.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum {
    THREADS = 4,
    GRAMMARS = 6,
    WALKS = 24, /* of a round; several on each grammar */
    STEPS = 25,
    BATCH = 16,
    WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)
};

typedef struct Round {
    const RandomVocab *vocab;
    weir_grammar *grammars[GRAMMARS];
    uint32_t ngrammars;
    uint64_t seed;
    uint64_t want[WALKS]; /* digests of the serial run */
} Round;

static Mem mem;

/* ---- walks with a digest ---- */

static uint64_t digest_mask(weir_matcher *m, uint32_t width, uint64_t h,
                            int32_t *row)
{
    memset(row, 0, WORDS * sizeof *row);
    h = hash_mix(h, (uint64_t)weir_matcher_fill(m, row));
    h = hash_mix(h, weir_mask_hash(row, width));
    h = hash_mix(h, weir_matcher_is_completed(m));
    h = hash_mix(h, weir_matcher_can_continue(m));
    return hash_mix(h, weir_matcher_is_terminated(m));
}

static uint32_t draw(Rng *rng, const int32_t *row, uint32_t width)
{
    uint32_t start = rng_below(rng, width);
    for (uint32_t i = 0; i < width; i++) {
        uint32_t id = (start + i) % width;
        if ((uint32_t)row[id / 32] >> id % 32 & 1) return id;
    }
    return UINT32_MAX;
}

/* Now and then another matcher takes over, or goes back and forth. */
static weir_matcher *disturb(Rng *rng, weir_matcher *m)
{
    if (rng_chance(rng, 20)) {
        weir_matcher *fork = weir_matcher_fork(m);
        weir_matcher_free(m);
        return fork;
    }
    if (rng_chance(rng, 5)) weir_matcher_reset(m);
    return m;
}

/* A walk that ran into a limit: whether one does depends on what the caches
 * of its grammar hold already, so it says nothing about the others. */
#define WALK_LIMIT UINT64_MAX

static uint64_t walk(const Round *r, uint32_t number)
{
    int32_t row[WORDS];
    Rng rng = {r->seed + number};
    uint64_t h = number;
    uint32_t width = r->vocab->count;
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_matcher *m =
        weir_matcher_new(r->grammars[number % r->ngrammars], &opts, NULL);
    for (int i = 0; m && i < STEPS; i++) {
        h = digest_mask(m, width, h, row);
        uint32_t id = draw(&rng, row, width);
        if (id == UINT32_MAX) break;
        h = hash_mix(h, weir_matcher_accept(m, id) * 1000u + id);
        if (weir_matcher_error(m)) {
            weir_matcher_free(m);
            return WALK_LIMIT;
        }
        m = disturb(&rng, m);
    }
    if (m && weir_matcher_error(m)) h = WALK_LIMIT;
    weir_matcher_free(m);
    return m ? h : 0;
}

/* ---- rounds ---- */

static void make_grammars(Round *r, weir_vocab *vocab, const Alphabet *alphabet)
{
    Rng rng = {r->seed};
    RandomSeeds seeds = {0, rng_next(&rng)};
    weir_bytes none = {"", 0};
    r->ngrammars = 0;
    for (int tries = 0; tries < 20 && r->ngrammars < GRAMMARS - 1; tries++) {
        Ir ir;
        seeds.own = rng_next(&rng);
        ir_init(&ir, &mem, NULL);
        random_grammar(seeds, alphabet, r->vocab->count, &ir);
        ir.limits.max_memory = 4u << 20;
        ir.limits.max_configs = 256;
        weir_grammar *g = judge_grammar(vocab, &ir, NULL);
        if (g) r->grammars[r->ngrammars++] = g;
        ir_free(&ir);
    }
    r->grammars[r->ngrammars] =
        weir_grammar_compile(vocab, WEIR_JSON_VALUE, none, NULL, NULL);
    assert_non_null(r->grammars[r->ngrammars++]);
}

static void free_grammars(Round *r)
{
    for (uint32_t i = 0; i < r->ngrammars; i++)
        weir_grammar_free(r->grammars[i]);
}

typedef struct Worker {
    pthread_t thread;
    const Round *round;
    uint32_t shift; /* where its order begins */
    int32_t wrong;  /* first walk that differs, or -1 */
} Worker;

static void *work(void *arg)
{
    Worker *w = arg;
    for (uint32_t i = 0; i < WALKS; i++) {
        uint32_t number = (i * 5 + w->shift) % WALKS;
        uint64_t got = walk(w->round, number);
        uint64_t want = w->round->want[number];
        bool met_limit = got == WALK_LIMIT || want == WALK_LIMIT;
        if (got != want && !met_limit && w->wrong < 0)
            w->wrong = (int32_t)number;
    }
    return NULL;
}

static void run_threads(const Round *r)
{
    Worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (Worker){.round = r, .shift = i % 2 * 7, .wrong = -1};
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        if (workers[i].wrong >= 0)
            fail_msg("seed %llu: walk %d differs from the serial one",
                     (unsigned long long)r->seed, workers[i].wrong);
}

static void threads_see_what_one_sees(void **state)
{
    static RandomVocab vocab;
    uint64_t seed = env_number("WEIR_SEED", 20240611);
    uint64_t nrounds = case_count(60, 6);
    (void)state;
    for (uint64_t i = 0; i < nrounds; i++) {
        Round r = {.vocab = &vocab, .seed = seed + i * 1000};
        Rng rng = {r.seed};
        Alphabet alphabet;
        random_alphabet(&rng, &alphabet);
        random_vocab(&rng, &alphabet, &vocab);
        random_vocab_complete(&vocab);
        for (int parallel = 0; parallel < 2; parallel++) {
            weir_vocab *v = judge_vocab(&vocab);
            make_grammars(&r, v, &alphabet);
            for (uint32_t k = 0; !parallel && k < WALKS; k++)
                r.want[k] = walk(&r, k);
            if (parallel) run_threads(&r);
            free_grammars(&r);
            weir_vocab_free(v);
        }
    }
    printf("seed %llu, %llu rounds of %d walks on %d threads\n",
           (unsigned long long)seed, (unsigned long long)nrounds, WALKS,
           THREADS);
}

/* ---- brackets ---- */

enum { HIGH = 400, OUTPUTS = 12, STACK_BYTES = 100000 };

typedef struct Opener {
    pthread_t thread;
    weir_grammar *grammar;
    Rng rng;
    uint32_t done; /* outputs that went as they should */
} Opener;

/* HIGH brackets opened at random, then closed, with a copy on the way. */
static bool one_output(Opener *o)
{
    static const char open[] = "([{", close[] = ")]}";
    uint8_t kinds[HIGH];
    bool ok = true;
    weir_matcher *m = weir_matcher_new(o->grammar, NULL, NULL);
    for (int i = 0; ok && i < HIGH; i++) {
        kinds[i] = (uint8_t)rng_below(&o->rng, 3);
        ok = weir_matcher_accept_bytes(m, (weir_bytes){&open[kinds[i]], 1},
                                       NULL) == WEIR_ACCEPTED;
        if (i != HIGH / 2) continue;
        weir_matcher *copy = weir_matcher_fork(m);
        weir_matcher_free(m);
        m = copy;
    }
    for (int i = HIGH; ok && i-- > 0;) {
        char bytes[2] = {i == HIGH - 1 ? 'x' : close[kinds[i]],
                         close[kinds[i]]};
        ok = weir_matcher_accept_bytes(
                 m, (weir_bytes){bytes, i == HIGH - 1 ? 2 : 1}, NULL) ==
             WEIR_ACCEPTED;
    }
    ok = ok && weir_matcher_is_completed(m) && !weir_matcher_error(m);
    weir_matcher_free(m);
    return ok;
}

static void *open_brackets(void *arg)
{
    Opener *o = arg;
    while (o->done < OUTPUTS && one_output(o)) o->done++;
    return NULL;
}

/* A hub has room for two of them, about; threads move from hub to hub. */
static void full_hubs_are_left(void **state)
{
    static const char source[] = "root ::= \"x\" | \"(\" root \")\" | \"[\" "
                                 "root \"]\" | \"{\" root \"}\"";
    weir_compile_opts opts = {.size = sizeof opts};
    opts.limits.max_memory = STACK_BYTES;
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_EBNF, (weir_bytes){source, sizeof source - 1}, &opts, NULL);
    Opener openers[THREADS];
    (void)state;
    assert_non_null(g);
    for (uint32_t i = 0; i < THREADS; i++) {
        openers[i] = (Opener){.grammar = g, .rng = {i}};
        assert_int_equal(pthread_create(&openers[i].thread, NULL, open_brackets,
                                        &openers[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(openers[i].thread, NULL);
        assert_int_equal(openers[i].done, OUTPUTS);
    }
    weir_grammar_free(g);
}

/* ---- batches ---- */

typedef struct Batch {
    weir_matcher *one[BATCH], *many[BATCH]; /* single calls; batch calls */
    int32_t rows[BATCH][WORDS];
    uint32_t indices[BATCH];
    weir_fill fills[BATCH];
} Batch;

static void batch_open(Batch *b, const Round *r, Rng *rng)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        weir_grammar *g = r->grammars[i % r->ngrammars];
        bool is_gap = rng_chance(rng, 10);
        b->one[i] = is_gap ? NULL : weir_matcher_new(g, NULL, NULL);
        b->many[i] = is_gap ? NULL : weir_matcher_new(g, NULL, NULL);
        b->indices[i] = (i * 3 + 1) % BATCH;
    }
}

static void batch_close(Batch *b)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        weir_matcher_free(b->one[i]);
        weir_matcher_free(b->many[i]);
    }
}

static void batch_fill(Batch *b, weir_pool *pool, bool use_indices)
{
    int32_t row[WORDS];
    memset(b->rows, 0, sizeof b->rows);
    assert_int_equal(weir_batch_fill(pool, b->many, BATCH,
                                     use_indices ? b->indices : NULL,
                                     b->rows[0], WORDS, b->fills),
                     WEIR_OK);
    for (uint32_t i = 0; i < BATCH; i++) {
        const int32_t *got = b->rows[use_indices ? b->indices[i] : i];
        memset(row, 0, sizeof row);
        weir_fill fill = WEIR_FILL_ALL;
        if (b->one[i])
            fill = weir_matcher_fill(b->one[i], row);
        else
            memset(row, 0xFF, sizeof row);
        assert_memory_equal(got, row, sizeof row);
        assert_int_equal(b->fills[i], fill);
    }
}

static void batch_accept(Batch *b, weir_pool *pool, Rng *rng, uint32_t width)
{
    uint32_t ids[BATCH];
    weir_accept results[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        /* no mask: the matcher has run into a limit */
        const int32_t *mask = b->one[i] ? weir_matcher_mask(b->one[i]) : NULL;
        ids[i] = mask ? draw(rng, mask, width) : 0;
        if (ids[i] == UINT32_MAX || rng_chance(rng, 10))
            ids[i] = rng_below(rng, width);
    }
    assert_int_equal(weir_batch_accept(pool, b->many, ids, BATCH, results),
                     WEIR_OK);
    for (uint32_t i = 0; i < BATCH; i++)
        if (b->one[i])
            assert_int_equal(results[i],
                             weir_matcher_accept(b->one[i], ids[i]));
}

static void batch_rollback(Batch *b, weir_pool *pool, Rng *rng)
{
    size_t steps[BATCH];
    weir_status results[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) steps[i] = rng_below(rng, 3);
    assert_int_equal(weir_batch_rollback(pool, b->many, steps, BATCH, results),
                     WEIR_OK);
    for (uint32_t i = 0; i < BATCH; i++)
        if (b->one[i])
            assert_int_equal(results[i],
                             weir_matcher_rollback(b->one[i], steps[i]));
}

/* A pool of the caller's: plain calls, backwards. */
static void run_backwards(void *user, weir_task_fn task, void *arg,
                          size_t count)
{
    (void)user;
    while (count-- > 0) task(arg, count);
}

static void batch_round(const Round *r, weir_pool *pool)
{
    static Batch b;
    Rng rng = {r->seed};
    batch_open(&b, r, &rng);
    for (int i = 0; i < 20; i++) {
        batch_fill(&b, pool, i % 2);
        batch_accept(&b, pool, &rng, r->vocab->count);
        if (rng_chance(&rng, 20)) batch_rollback(&b, pool, &rng);
    }
    batch_close(&b);
}

static void batches_equal_single_calls(void **state)
{
    static RandomVocab vocab;
    uint64_t seed = env_number("WEIR_SEED", 20240611);
    uint64_t nrounds = case_count(60, 6) / 2;
    weir_pool *pools[] = {NULL, weir_pool_new(2, NULL), weir_pool_new(4, NULL),
                          weir_pool_custom(run_backwards, NULL, NULL)};
    (void)state;
    for (uint64_t i = 0; i < nrounds; i++) {
        Round r = {.vocab = &vocab, .seed = seed + i};
        Rng rng = {r.seed};
        Alphabet alphabet;
        random_alphabet(&rng, &alphabet);
        random_vocab(&rng, &alphabet, &vocab);
        random_vocab_complete(&vocab);
        weir_vocab *v = judge_vocab(&vocab);
        make_grammars(&r, v, &alphabet);
        batch_round(&r, pools[i % COUNT_OF(pools)]);
        free_grammars(&r);
        weir_vocab_free(v);
    }
    for (size_t i = 0; i < COUNT_OF(pools); i++) weir_pool_free(pools[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_see_what_one_sees),
        cmocka_unit_test(full_hubs_are_left),
        cmocka_unit_test(batches_equal_single_calls),
    };
    mem = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
