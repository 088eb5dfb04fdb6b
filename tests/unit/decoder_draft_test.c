/* decoder_draft_test.c: drafts: verified ones give the tokens that steps give,
 * whatever is proposed; prompt lookup proposes only what the grammar allows.
 */
#include "oracle/rng.h"
#include "unit/decoder_kit.h"

enum { NODES = 24, STEPS = 160 };

#define LIST                                     \
    "root ::= \"[\" item (\", \" item)* \"]\"\n" \
    "item ::= \"\\\"\" (\"name\" | \"the\" | [a-e])+ \"\\\"\" | [0-9]+\n"

typedef struct Run {
    uint32_t ids[STEPS];
    size_t count, calls, verified;
    weir_finish finish;
} Run;

static void add(Run *r, const weir_decoded *out)
{
    for (size_t i = 0; i < out->token_count; i++) {
        assert_true(r->count < STEPS);
        r->ids[r->count++] = out->tokens[i];
    }
    r->verified += out->verified;
    r->finish = out->finish;
    r->calls++;
}

static const uint32_t prompt[] = {58, 1, 67, 68, 69, 1, 11, 220, 1, 67, 68};
enum { PROMPT = sizeof prompt / sizeof *prompt };

/* Rows for the nodes of a tree after the decoder's tokens. */
static void tree_rows(uint64_t salt, const weir_decoder *d,
                      const uint32_t *tokens, const uint32_t *parents,
                      size_t count, float *rows)
{
    size_t n;
    const uint32_t *ids = weir_decoder_tokens(d, &n);
    for (size_t i = 0; i < count; i++) {
        uint32_t path[STEPS + NODES], back[NODES];
        size_t depth = 0, total = n;
        if (n) memcpy(path, ids, n * sizeof *path);
        for (size_t k = i; k; k = parents[k]) back[depth++] = tokens[k];
        while (depth) path[total++] = back[--depth];
        memcpy(rows + i * KIT_WIDTH, kit_model(salt, path, total),
               sizeof kit_logits);
    }
}

typedef enum Way { STEPS_ALONE, RANDOM_TREES, LOOKUP } Way;

/* Random tokens, but often the ones that the plain run had. */
static size_t random_tree(Rng *rng, const Run *plain, size_t at,
                          uint32_t *tokens, uint32_t *parents)
{
    size_t count = 1 + rng_below(rng, NODES - 1);
    for (size_t i = 1; i < count; i++) {
        parents[i] = i == 1 || rng_chance(rng, 70)
                         ? (uint32_t)i - 1
                         : rng_below(rng, (uint32_t)i);
        size_t depth = 0;
        for (size_t k = parents[i]; k; k = parents[k]) depth++;
        bool is_right = at + depth < plain->count && rng_chance(rng, 80);
        tokens[i] =
            is_right ? plain->ids[at + depth] : rng_below(rng, KIT_WIDTH);
    }
    return count;
}

static void check_allowed(weir_matcher *m, const uint32_t *tokens,
                          const uint32_t *parents, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t path[NODES];
        size_t depth = 0;
        for (size_t k = i; k; k = parents[k]) path[depth++] = tokens[k];
        for (size_t a = 0; a < depth / 2; a++) {
            uint32_t t = path[a];
            path[a] = path[depth - 1 - a];
            path[depth - 1 - a] = t;
        }
        assert_int_equal(weir_matcher_validate(m, path, depth), depth);
    }
}

static Run run(Way way, uint32_t seed, bool jump, const Run *plain)
{
    static float rows[NODES * KIT_WIDTH];
    Rng rng = {seed};
    Run r = {.count = 0};
    weir_matcher *m = kit_matcher(WEIR_GBNF, LIST);
    weir_sampler *s = kit_sampler(seed, seed % 2);
    weir_decode_opts o = {
        .size = sizeof o, .max_tokens = STEPS - NODES, .jump_forward = jump};
    weir_decoder *d = kit_decoder(s, m, &o);
    assert_true(weir_decoder_prompt(d, prompt, PROMPT));
    while (!r.finish) {
        uint32_t tokens[NODES] = {0}, parents[NODES] = {0};
        size_t count = 1;
        weir_decoded out;
        if (way == RANDOM_TREES)
            count = random_tree(&rng, plain, r.count, tokens, parents);
        if (way == LOOKUP) {
            count = weir_decoder_propose(d, NULL, tokens, parents, NODES);
            assert_true(count >= 1);
            check_allowed(m, tokens, parents, count);
        }
        tree_rows(seed, d, tokens, parents, count, rows);
        if (way == STEPS_ALONE)
            weir_decoder_step(d, rows, KIT_WIDTH, &out);
        else
            weir_decoder_verify(d, tokens, parents, count, rows, KIT_WIDTH,
                                KIT_WIDTH, &out);
        assert_true(out.finish || out.token_count > 0);
        assert_true(out.verified < count);
        add(&r, &out);
    }
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
    return r;
}

/* 121: tokens of a run with drafts are those without, the matcher has moved on
 * what was drawn alone, and an end within a draft ends it. */
static void verified_as_steps(void **state)
{
    (void)state;
    size_t saved = 0, verified = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        bool jump = seed % 3 == 0;
        Run plain = run(STEPS_ALONE, seed, jump, NULL);
        for (Way way = RANDOM_TREES; way <= LOOKUP; way++) {
            Run drafted = run(way, seed, jump, &plain);
            assert_int_equal(drafted.count, plain.count);
            assert_memory_equal(drafted.ids, plain.ids,
                                plain.count * sizeof *plain.ids);
            assert_int_equal(drafted.finish, plain.finish);
            if (way == LOOKUP) verified += drafted.verified;
            assert_true(drafted.calls <= plain.calls);
            saved += plain.calls - drafted.calls;
        }
    }
    assert_true(saved > 100 && verified > 20);
}

/* What is proposed: what followed, the latest place first, longer matches
 * before shorter ones, and without the grammar's refusals. */
static void proposals(void **state)
{
    (void)state;
    static const uint32_t before[] = {1, 2, 3, 4, 5, 9, 2, 3, 6, 7, 9, 1, 2, 3};
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, NULL, NULL);
    weir_lookup_opts o = {.size = sizeof o, .longest = 3, .length = 3};
    uint32_t tokens[NODES], parents[NODES];
    weir_decoder_prompt(d, before, 14);
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, NODES), 7);
    static const uint32_t want[] = {0, 4, 5, 9, 6, 7, 9};
    static const uint32_t from[] = {0, 0, 1, 2, 0, 4, 5};
    assert_memory_equal(tokens, want, sizeof want);
    assert_memory_equal(parents, from, sizeof from);
    o.branches = 1;
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, NODES), 4);
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, 2), 2);
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, 1), 1);
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, 0), 0);
    o.shortest = 4;
    o.longest = 9;
    assert_int_equal(weir_decoder_propose(d, &o, tokens, parents, NODES), 1);
    weir_decoder_free(d);
    weir_sampler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verified_as_steps),
        cmocka_unit_test(proposals),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
