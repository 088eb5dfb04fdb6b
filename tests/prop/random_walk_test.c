/* random_walk_test.c: no dead ends.
 *
 * Random walks over random grammars, over tests/cases/walk/ and over the
 * built-in JSON grammars. Every position must allow some token, every token
 * drawn from a mask must be accepted, and every walk is finished.
 *
 *   random grammars  the oracle's completer says how to end what was begun;
 *                    each of its bytes and tokens must be in the mask, and at
 *                    its end the output must be complete
 *   texts            from some step on, tokens that tend to close things are
 *                    preferred; a try that leads nowhere is taken back
 *
 * The finished output must be complete byte by byte, too, and, when short and
 * from a random grammar, in the eyes of the oracle.
 *
 * WEIR_SEED, WEIR_CASES (steps, default 1,000,000).
 */
#include "oracle/completer.h"
#include "oracle/judge.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum {
    WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX),
    FREE_STEPS = 40,    /* drawn from all tokens, at most */
    CLOSE_STEPS = 2000, /* of one try to finish a text */
    CLOSE_TRIES = 100,
    STEPS_MAX = FREE_STEPS + COMPLETION_MAX + 1
};

/* Bytes that close things in the texts, in this order. */
static const char closers[] = "\"}])\n.,1a0:";

typedef struct Walk {
    Rng rng;
    const RandomVocab *vocab;
    weir_matcher *matcher;
    uint32_t rank[RANDOM_TOKENS_MAX]; /* by token: lower is dearer */
    uint32_t taken[STEPS_MAX];
    uint32_t ntaken;
    const Ir *ir;      /* NULL: the grammar comes from a text */
    OracleText text;   /* of a random grammar */
    bool is_limited;   /* the matcher has run into a limit, and said so */
    weir_status limit; /* which; OK: the completer's */
} Walk;

typedef struct Totals {
    uint64_t steps, walks, judged, grammars;
    uint64_t limited;                   /* grammars with a walk that was */
    uint64_t by[WEIR_LIMIT_MEMORY + 1]; /* walks, by the limit met */
} Totals;

static Mem mem;

/* ---- one walk ---- */

/* Whether the matcher's refusal to answer is a limit of its own. */
static bool is_limit(const Walk *w)
{
    weir_status status = weir_matcher_error(w->matcher);
    return status >= WEIR_LIMIT_STATES && status <= WEIR_LIMIT_MEMORY;
}

static uint32_t allowed_tokens(Walk *w, uint32_t *ids, uint32_t *stop)
{
    int32_t row[WORDS];
    uint32_t n = 0;
    *stop = UINT32_MAX;
    w->is_limited = weir_matcher_fill(w->matcher, row) == WEIR_FILL_ERROR;
    if (w->is_limited && !is_limit(w))
        fail_msg("step %u fails: %s", w->ntaken,
                 weir_status_name(weir_matcher_error(w->matcher)));
    for (uint32_t id = 0; id < w->vocab->count; id++) {
        if (!((uint32_t)row[id / 32] >> id % 32 & 1)) continue;
        if (w->vocab->tokens[id].flags & WEIR_TOKEN_STOP)
            *stop = id;
        else
            ids[n++] = id;
    }
    return n;
}

static void take(Walk *w, uint32_t id)
{
    weir_accept got = weir_matcher_accept(w->matcher, id);
    w->is_limited = got == WEIR_ACCEPT_ERROR;
    if (w->is_limited && !is_limit(w))
        fail_msg("step %u fails: %s", w->ntaken,
                 weir_status_name(weir_matcher_error(w->matcher)));
    if (w->is_limited) return;
    if (got != WEIR_ACCEPTED)
        fail_msg("step %u: token %u is in the mask, accept gives %d", w->ntaken,
                 id, got);
    w->taken[w->ntaken++] = id;
}

static const char *byte_in(weir_bytes token, const char *set)
{
    return token.size == 1 && *token.data ? strchr(set, *token.data) : NULL;
}

/* Closers first, then the rest, or all at random. */
static void shuffle_ranks(Walk *w, bool closers_first)
{
    for (uint32_t id = 0; id < w->vocab->count; id++) {
        const char *at = byte_in(w->vocab->tokens[id].bytes, closers);
        w->rank[id] = 100 + rng_below(&w->rng, 1000000);
        if (at && closers_first) w->rank[id] = (uint32_t)(at - closers);
    }
}

/* `bias`: how often, in percent, the dearest token is taken. */
static uint32_t pick(Walk *w, const uint32_t *ids, uint32_t n, uint32_t bias)
{
    uint32_t best = ids[rng_below(&w->rng, n)];
    if (!rng_chance(&w->rng, bias)) return best;
    for (uint32_t i = 0; i < n; i++)
        if (w->rank[ids[i]] < w->rank[best]) best = ids[i];
    return best;
}

/* One step. True when the output is finished, or a limit met. */
static bool step(Walk *w, uint32_t bias)
{
    uint32_t ids[RANDOM_TOKENS_MAX], stop;
    if (weir_matcher_is_terminated(w->matcher)) return true;
    uint32_t n = allowed_tokens(w, ids, &stop);
    if (w->is_limited) return true;
    if (!n && stop == UINT32_MAX)
        fail_msg("a dead end after %u steps", w->ntaken);
    bool may_stop = stop != UINT32_MAX;
    if (may_stop && (!n || bias || rng_chance(&w->rng, 10))) {
        bool is_complete = weir_matcher_is_completed(w->matcher);
        take(w, stop);
        return is_complete || w->is_limited;
    }
    take(w, pick(w, ids, n, bias));
    return w->is_limited;
}

/* The token of a completion's item: often just the byte, else some token that
 * agrees with the items to come. */
static uint32_t item_token(Walk *w, const Completion *c, uint32_t i,
                           uint32_t *used)
{
    uint32_t byte_id = w->vocab->count - 257 + c->items[i].byte;
    *used = 1;
    if (c->items[i].token != UINT32_MAX) return c->items[i].token;
    for (uint32_t tries = 0; tries < 3; tries++) {
        uint32_t id = rng_below(&w->rng, w->vocab->count);
        weir_bytes b = w->vocab->tokens[id].bytes;
        if (!oracle_by_text(w->vocab->tokens[id]) || b.size > c->count - i)
            continue;
        size_t k = 0;
        while (k < b.size && c->items[i + k].token == UINT32_MAX &&
               c->items[i + k].byte == (uint8_t)b.data[k])
            k++;
        if (k < b.size) continue;
        *used = (uint32_t)k;
        return id;
    }
    return byte_id;
}

/* Follows the oracle's shortest completion. */
static bool finish_by_oracle(Walk *w)
{
    static Completion c;
    uint32_t ids[RANDOM_TOKENS_MAX], stop, used;
    OracleVocab vocab = oracle_vocab(w->vocab);
    CompleteResult result =
        complete_text(w->ir, w->ir->root, &vocab, &w->text, &c);
    if (result == COMPLETE_NONE) fail_msg("a dead end, says the oracle");
    w->is_limited = result == COMPLETE_TOO_LONG;
    for (uint32_t i = 0; i < c.count && !w->is_limited; i += used) {
        uint32_t id = item_token(w, &c, i, &used);
        allowed_tokens(w, ids, &stop);
        if (w->is_limited || weir_matcher_allows(w->matcher, id)) {
            if (!w->is_limited) take(w, id);
            continue;
        }
        w->is_limited = is_limit(w);
        if (!w->is_limited)
            fail_msg("token %u, on a way to the end, is refused", id);
    }
    if (w->is_limited || weir_matcher_is_terminated(w->matcher)) return true;
    allowed_tokens(w, ids, &stop);
    if (stop == UINT32_MAX) fail_msg("no stop token at the end");
    take(w, stop);
    return true;
}

/* False if no way to the end was found. */
static bool finish(Walk *w)
{
    uint32_t start = w->ntaken;
    for (int try = 0; try < CLOSE_TRIES; try++) {
        static const uint32_t bias[] = {60, 90, 100};
        int most = MIN(CLOSE_STEPS, 100 * (1 + try / 4));
        shuffle_ranks(w, try % 2 == 0);
        for (int i = 0; i < most; i++)
            if (step(w, bias[try % 3])) return true;
        size_t back = w->ntaken - start;
        assert_int_equal(weir_matcher_rollback(w->matcher, back), WEIR_OK);
        w->ntaken = start;
    }
    return weir_matcher_is_terminated(w->matcher);
}

/* Some steps drawn from all that is allowed. True when that was the end. */
static bool walk_freely(Walk *w)
{
    uint32_t nfree = rng_below(&w->rng, FREE_STEPS);
    OracleVocab vocab = oracle_vocab(w->vocab);
    bool done = false;
    w->text.size = 0;
    for (uint32_t i = 0; i < nfree && !done; i++) {
        uint32_t before = w->ntaken;
        if (w->ir && w->text.size + RANDOM_BYTES_MAX > ORACLE_MAX) break;
        done = step(w, 0);
        if (w->ir && !done && w->ntaken > before)
            oracle_add_token(&w->text, &vocab, w->taken[before]);
    }
    return done;
}

static bool walk(Walk *w, weir_grammar *grammar)
{
    weir_matcher_opts opts = {.size = sizeof opts};
    opts.termination =
        rng_chance(&w->rng, 50) ? WEIR_TERM_WHEN_FINAL : WEIR_TERM_STOP_TOKEN;
    w->matcher = weir_matcher_new(grammar, &opts, NULL);
    w->ntaken = 0;
    w->is_limited = false;
    assert_non_null(w->matcher);
    bool done = walk_freely(w);
    if (!done) done = w->ir ? finish_by_oracle(w) : finish(w);
    bool complete = weir_matcher_is_completed(w->matcher);
    w->limit = weir_matcher_error(w->matcher);
    weir_matcher_free(w->matcher);
    assert_true(!done || complete || w->is_limited);
    return done;
}

/* ---- what was finished ---- */

/* The last token is a stop token that ended the output, or it was not needed;
 * a stop token before is one that the grammar names. */
static uint32_t content_steps(const Walk *w)
{
    if (!w->ntaken) return 0;
    uint32_t last = w->taken[w->ntaken - 1];
    bool stopped = w->vocab->tokens[last].flags & WEIR_TOKEN_STOP;
    return w->ntaken - stopped;
}

/* Token by token where a token is not text, else byte by byte. */
static void check_bytes(const Walk *w, weir_grammar *grammar, bool has_tokens)
{
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_matcher *m = weir_matcher_new(grammar, &opts, NULL);
    assert_non_null(m);
    for (uint32_t i = 0; i < content_steps(w); i++) {
        weir_token t = w->vocab->tokens[w->taken[i]];
        if (has_tokens) {
            assert_int_equal(weir_matcher_accept(m, w->taken[i]),
                             WEIR_ACCEPTED);
            continue;
        }
        for (size_t k = 0; k < t.bytes.size; k++)
            assert_int_equal(weir_matcher_accept_bytes(
                                 m, (weir_bytes){t.bytes.data + k, 1}, NULL),
                             WEIR_ACCEPTED);
    }
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

/* False if too long for the oracle. A stop token may have been content. */
static bool check_oracle(const Walk *w, const Ir *ir)
{
    OracleVocab vocab = oracle_vocab(w->vocab);
    OracleText text = {0};
    for (uint32_t i = 0; i < content_steps(w); i++)
        if (!oracle_add_token(&text, &vocab, w->taken[i])) return false;
    bool yes = oracle_complete(ir, ir->root, &vocab, &text);
    if (!yes && content_steps(w) < w->ntaken &&
        oracle_add_token(&text, &vocab, w->taken[w->ntaken - 1]))
        yes = oracle_complete(ir, ir->root, &vocab, &text);
    assert_true(yes);
    return true;
}

static bool has_tokens(const Ir *ir)
{
    for (NodeId id = 0; ir && id < ir->nodes.count; id++)
        if (ir_node(ir, id).kind == NODE_TOKENS) return true;
    return false;
}

/* `ir`: NULL when the grammar comes from a text. */
static void walk_grammar(Walk *w, Totals *all, weir_grammar *grammar,
                         const Ir *ir, const char *name, int nwalks)
{
    bool any_limit = false;
    all->grammars++;
    w->ir = ir;
    for (int i = 0; i < nwalks; i++) {
        if (!walk(w, grammar))
            fail_msg("%s: no way to the end was found", name);
        all->steps += w->ntaken;
        all->walks++;
        any_limit |= w->is_limited;
        if (w->is_limited) {
            all->by[w->limit]++;
            continue;
        }
        if (!has_tokens(ir) || content_steps(w) == w->ntaken)
            check_bytes(w, grammar, has_tokens(ir));
        if (ir) all->judged += check_oracle(w, ir);
    }
    all->limited += any_limit;
}

/* ---- where grammars come from ---- */

static void walk_random(Totals *all, uint64_t seed)
{
    static RandomVocab vocab;
    static Walk w;
    char name[40];
    Alphabet alphabet;
    Ir ir;
    w = (Walk){.rng = {seed}, .vocab = &vocab};
    random_alphabet(&w.rng, &alphabet);
    random_vocab(&w.rng, &alphabet, &vocab);
    random_vocab_complete(&vocab);
    ir_init(&ir, &mem, NULL);
    RandomSeeds seeds = {rng_next(&w.rng), rng_next(&w.rng)};
    random_grammar(seeds, &alphabet, vocab.count, &ir);
    ir.limits.max_memory = 4u << 20; /* very ambiguous ones end soon */
    ir.limits.max_configs = 256;
    snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
    weir_vocab *v = judge_vocab(&vocab);
    weir_grammar *grammar = judge_grammar(v, &ir, NULL);
    if (grammar && !random_has_unique(&ir)) /* ends as the oracle would */
        walk_grammar(&w, all, grammar, &ir, name, 5);
    weir_grammar_free(grammar);
    weir_vocab_free(v);
    ir_free(&ir);
}

/* All bytes, and texts such as a tokenizer has. */
static void text_vocab(RandomVocab *vocab)
{
    static const char *const words[] = {
        "\":",  "\", \"", "{\"",  "\"}", "[]",   "true", "null",     "  ",
        "\n\n", ", ",     "ab",   "aa",  "the",  " a",   "):",       "\\u",
        "123",  "00",     "\xC3", "é",   "漢字", "😀",    "\xF0\x9F", "a\""};
    vocab->count = 0;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        random_vocab_add(vocab, words[i], strlen(words[i]), 0);
    random_vocab_complete(vocab);
}

static char *read_file(const char *path, size_t *size)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *size = fread(text, 1, sizeof text, f);
    fclose(f);
    return text;
}

static void walk_text(Totals *all, weir_source_kind kind, const char *name,
                      weir_bytes source, uint64_t seed, int nwalks)
{
    static RandomVocab vocab;
    static Walk w;
    weir_error err;
    text_vocab(&vocab);
    w = (Walk){.rng = {seed}, .vocab = &vocab};
    weir_vocab *v = judge_vocab(&vocab);
    weir_grammar *g = weir_grammar_compile(v, kind, source, NULL, &err);
    if (!g) fail_msg("%s: %s", name, err.message);
    walk_grammar(&w, all, g, NULL, name, nwalks);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static void walk_files(Totals *all, uint64_t seed)
{
    static const char folder[] = "tests/cases/walk";
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[512];
        size_t size;
        if (!strstr(d->d_name, ".ebnf")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        weir_bytes source = {read_file(path, &size), 0};
        source.size = size;
        walk_text(all, WEIR_EBNF, d->d_name, source, seed, 50);
    }
    closedir(dir);
}

static void print_totals(const char *name, const Totals *all, uint64_t seed)
{
    printf("%s, seed %llu: %llu steps, %llu walks, %llu grammars, "
           "%llu outputs judged by the oracle\n",
           name, (unsigned long long)seed, (unsigned long long)all->steps,
           (unsigned long long)all->walks, (unsigned long long)all->grammars,
           (unsigned long long)all->judged);
    for (size_t i = 0; i < COUNT_OF(all->by); i++)
        if (all->by[i])
            printf("%llu walks met %s\n", (unsigned long long)all->by[i],
                   i ? weir_status_name((weir_status)i) : "the completer's");
}

/* Of 3,052 random grammars 60 had a walk that met a limit, most of them
 * max_configs, which the test sets low: readings that multiply, such as
 * (a | b{0,9}){0,9} over rules that read the same. Walks of a grammar go alike,
 * so grammars are what is counted: no more than a fortieth and five standard
 * deviations. */
static void check_limited(const Totals *all)
{
    double most = (double)all->grammars / 40;
    double over = (double)all->limited - most;
    printf("%llu grammars met a limit\n", (unsigned long long)all->limited);
    assert_true(over <= 0 || over * over <= 25 * most);
}

/* Three quarters of the steps: these grammars are the quicker ones. */
static void texts_have_no_dead_ends(void **state)
{
    Totals all = {0};
    weir_bytes none = {"", 0};
    uint64_t seed = env_number("WEIR_SEED", 20240610);
    uint64_t nsteps = case_count(1000000, 30000);
    (void)state;
    for (uint64_t i = 0; all.steps < nsteps - nsteps / 4; i++) {
        walk_text(&all, WEIR_JSON_VALUE, "json value", none, seed + i, 100);
        walk_text(&all, WEIR_JSON_OBJECT, "json object", none, seed + i, 100);
        walk_files(&all, seed + i);
    }
    print_totals("texts", &all, seed);
    assert_int_equal(all.limited, 0);
}

static void random_grammars_have_no_dead_ends(void **state)
{
    Totals all = {0};
    uint64_t seed = env_number("WEIR_SEED", 20240610);
    uint64_t nsteps = case_count(1000000, 30000);
    (void)state;
    for (uint64_t i = 0; all.steps < nsteps / 4; i++)
        walk_random(&all, seed + i);
    print_totals("random grammars", &all, seed);
    check_limited(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_grammars_have_no_dead_ends),
        cmocka_unit_test(texts_have_no_dead_ends),
    };
    mem = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
