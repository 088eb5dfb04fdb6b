/* finish_vs_oracle_test.c: the shortest way to the end against the oracle's.
 *
 * Random grammars over vocabularies that can spell everything. From each
 * position of a random output the length must not be more than that of the
 * completion which the oracle finds (a shortest one in characters, mostly),
 * without token edges nothing that is shorter by up to two bytes may complete
 * the output, and the tokens given must be accepted one
 * after the other and complete the output.
 *
 * WEIR_SEED, WEIR_CASES (grammars, default 500).
 */
#include "oracle/completer.h"
#include "oracle/random_grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

#include "api/grammar.h"
#include "api/objects.h"
#include "matcher/finish.h"

enum { STEPS = 6, DEFAULT_CASES = 500 };

typedef struct Totals {
    uint64_t grammars, positions, limited, too_long, longest, equal, brute;
    uint64_t gave_up;
} Totals;

static Mem mem;

static uint32_t length_here(weir_matcher *m)
{
    Finisher f;
    finisher_init(&f, &m->mem);
    uint32_t length = finisher_length(&f, &m->track.now);
    finisher_free(&f);
    return length;
}

/* Accepts the tokens on a copy; false at a limit. */
static bool check_tokens(const weir_matcher *m)
{
    static uint32_t ids[COMPLETION_MAX];
    weir_matcher *copy = weir_matcher_fork(m);
    assert_non_null(copy);
    size_t n = weir_matcher_finish_tokens(copy, ids, COMPLETION_MAX);
    if (n == SIZE_MAX) { /* readings that multiply: the work of one call */
        weir_matcher_free(copy);
        return false;
    }
    assert_true(n <= COMPLETION_MAX);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(weir_matcher_accept(copy, ids[i]), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(copy));
    weir_matcher_free(copy);
    return true;
}

static bool has_tokens(const Ir *ir)
{
    for (NodeId id = 0; id < ir->nodes.count; id++)
        if (ir_node(ir, id).kind == NODE_TOKENS) return true;
    return false;
}

/* Whether the text with at most n more bytes is a sentence: tries them all. */
static bool completes(const Ir *ir, const OracleText *text, uint32_t n)
{
    OracleAnswer a = oracle_ask(ir, ir->root, NULL, text);
    if (a.complete || !n || !a.more) return a.complete;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t bytes[] = {(uint8_t)byte};
        OracleText longer = *text;
        if (oracle_add_bytes(&longer, span_of(bytes, 1)) &&
            completes(ir, &longer, n - 1))
            return true;
    }
    return false;
}

/* False at a limit, or where the oracle gives up. */
static bool check_position(weir_matcher *m, const Ir *ir,
                           const OracleVocab *vocab, const OracleText *text,
                           Totals *all)
{
    static Completion c;
    switch (complete_text(ir, ir->root, vocab, text, &c)) {
    case COMPLETE_TOO_LONG:
        all->too_long++;
        return false;
    case COMPLETE_NONE:
        fail_msg("the oracle finds no completion");
        return false;
    case COMPLETE_OK:
        break;
    }
    uint32_t length = length_here(m);
    assert_true(length <= c.count);
    all->equal += length == c.count;
    if (!has_tokens(ir)) {
        uint32_t most = length ? length - 1 : 0;
        all->brute += most > 0;
        assert_false(length &&
                     completes(ir, text, MIN(most, text->size ? 1 : 2)));
    }
    if (!check_tokens(m)) {
        all->gave_up++;
        return false;
    }
    all->positions++;
    all->longest = MAX(all->longest, c.count);
    return true;
}

/* Accepts a random allowed token that is no stop. False: there is none. */
static bool random_step(Rng *rng, weir_matcher *m, const RandomVocab *vocab,
                        OracleText *text)
{
    uint32_t ids[RANDOM_TOKENS_MAX], n = 0;
    OracleVocab tokens = oracle_vocab(vocab);
    for (uint32_t id = 0; id < vocab->count; id++)
        if (!(vocab->tokens[id].flags & WEIR_TOKEN_STOP) &&
            weir_matcher_allows(m, id))
            ids[n++] = id;
    if (!n) return false;
    uint32_t id = ids[rng_below(rng, n)];
    return oracle_add_token(text, &tokens, id) &&
           weir_matcher_accept(m, id) == WEIR_ACCEPTED;
}

static void check_grammar(uint64_t seed, Totals *all)
{
    Rng rng = {seed};
    Alphabet alphabet;
    RandomVocab vocab = {.count = 0};
    Ir ir, twin;
    random_alphabet(&rng, &alphabet);
    random_vocab(&rng, &alphabet, &vocab);
    random_vocab_complete(&vocab);
    RandomSeeds seeds = {rng_next(&rng), rng_next(&rng)};
    ir_init(&ir, &mem, NULL);
    random_grammar(seeds, &alphabet, vocab.count, &ir);
    ir_init(&twin, &mem, NULL); /* the compiler takes it over */
    random_grammar(seeds, &alphabet, vocab.count, &twin);
    weir_vocab *v = weir_vocab_new(NULL, vocab.tokens, vocab.count, NULL, NULL);
    assert_non_null(v);
    weir_grammar *g = grammar_from_ir(v, &twin, NULL);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, NULL) : NULL;
    OracleVocab tokens = oracle_vocab(&vocab);
    OracleText text = {0};
    if (random_has_unique(&ir)) { /* the shortest end may repeat a head */
        weir_matcher_free(m);
        m = NULL;
    }
    all->limited += !m;
    for (int i = 0; m && i < STEPS; i++)
        if (!check_position(m, &ir, &tokens, &text, all) ||
            text.size + RANDOM_BYTES_MAX > ORACLE_MAX ||
            !random_step(&rng, m, &vocab, &text))
            break;
    all->grammars++;
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
    ir_free(&ir);
}

static void lengths_agree(void **state)
{
    (void)state;
    Totals all = {0};
    uint64_t seed = env_number("WEIR_SEED", 1);
    uint64_t cases = env_number("WEIR_CASES", DEFAULT_CASES);
    if (getenv("WEIR_QUICK")) cases /= 10;
    mem = mem_from_env(NULL);
    for (uint64_t i = 0; i < cases; i++) check_grammar(seed + i, &all);
    printf("seed %llu: %llu grammars (%llu without a sentence or at a limit), "
           "%llu positions, longest way %llu, %llu too long; %llu as long as "
           "the oracle's, %llu by trying all that is shorter, %llu given up\n",
           (unsigned long long)seed, (unsigned long long)all.grammars,
           (unsigned long long)all.limited, (unsigned long long)all.positions,
           (unsigned long long)all.longest, (unsigned long long)all.too_long,
           (unsigned long long)all.equal, (unsigned long long)all.brute,
           (unsigned long long)all.gave_up);
    assert_true(all.positions >= cases);
    assert_true(all.gave_up * 1000 <= all.positions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
