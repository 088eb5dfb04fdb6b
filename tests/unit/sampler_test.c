/* sampler_test.c: samplers as a caller sees them: options and their errors,
 * seeds, copies, history, masks and matchers, odd logits, memory.
 */
#include <math.h>
#include <string.h>

#include "unit/faulty_mem.h"
#include "weir/sample.h"

enum { WIDTH = 70 };

static float logits[WIDTH];

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < WIDTH; i++) logits[i] = (float)(i * 37 % 64) / 8;
    return 0;
}

static weir_sampler_opts neutral(uint32_t seed)
{
    weir_sampler_opts o;
    weir_sampler_neutral(&o);
    o.seed = seed;
    return o;
}

static weir_sampler *sampler(const weir_sampler_opts *o)
{
    weir_error err = {.status = WEIR_OK};
    weir_sampler *s = weir_sampler_new(NULL, NULL, o, &err);
    if (!s) fail_msg("%s", err.message);
    return s;
}

static uint32_t drawn(weir_sampler *s, const int32_t *mask)
{
    uint32_t id = UINT32_MAX;
    assert_int_equal(weir_sampler_draw_mask(s, logits, WIDTH, mask, WIDTH, &id),
                     WEIR_DRAWN);
    return id;
}

/* ---- options ---- */

/* Of 32 bits both, whatever the machine computes with. */
static bool is(float found, float want)
{
    return found == want;
}

static void defaults(void **state)
{
    (void)state;
    weir_sampler_opts o;
    weir_sampler_defaults(&o);
    assert_true(is(o.temperature, 0.8f) && o.top_k == 40);
    assert_true(is(o.top_p, 0.95f) && is(o.min_p, 0.05f));
    assert_true(is(o.typical_p, 1) && is(o.top_n_sigma, -1));
    assert_true(is(o.xtc_probability, 0) && is(o.xtc_threshold, 0.1f));
    assert_true(o.penalty_last_n == 64 && is(o.repeat_penalty, 1));
    assert_true(is(o.dry_multiplier, 0) && is(o.dry_base, 1.75f));
    assert_true(o.dry_allowed_length == 2 && o.dry_breaker_count == 4);
    assert_true(o.mirostat == 0 && is(o.mirostat_tau, 5));
    assert_true(is(o.mirostat_eta, 0.1f) && o.min_keep == 0);
    assert_true(is(o.adaptive_target, -1) && is(o.adaptive_decay, 0.9f));
    assert_int_equal(o.seed, WEIR_SEED_RANDOM);
}

/* What a shorter struct of an older caller lacks has its default. */
static void shorter_struct(void **state)
{
    (void)state;
    weir_sampler_opts o = neutral(5);
    o.size = offsetof(weir_sampler_opts, top_p);
    o.top_k = 3;
    o.top_p = -1; /* beyond the size */
    weir_sampler_free(sampler(&o));
}

static void refused(const weir_sampler_opts *o, const char *name)
{
    weir_error err = {.status = WEIR_OK};
    assert_null(weir_sampler_new(NULL, NULL, o, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    if (!strstr(err.message, name))
        fail_msg("%s: no %s in it", err.message, name);
}

static void out_of_range(void **state)
{
    (void)state;
    weir_sampler_opts o = neutral(1);
#define REFUSED(field, value, good) \
    (o.field = (value), refused(&o, #field), o.field = (good))
    REFUSED(temperature, NAN, 1);
    REFUSED(temperature, INFINITY, 1);
    REFUSED(dynamic_range, -1, 0);
    REFUSED(dynamic_exponent, NAN, 1);
    REFUSED(top_p, -0.1f, 1);
    REFUSED(min_p, 1.5f, 0);
    REFUSED(typical_p, -1, 1);
    REFUSED(top_n_sigma, NAN, -1);
    REFUSED(xtc_probability, 1.1f, 0);
    REFUSED(xtc_threshold, -1, 0.1f);
    REFUSED(repeat_penalty, 0, 1);
    REFUSED(frequency_penalty, NAN, 0);
    REFUSED(presence_penalty, INFINITY, 0);
    REFUSED(dry_multiplier, -1, 0);
    REFUSED(dry_base, NAN, 1.75f);
    REFUSED(mirostat_tau, -1, 5);
    REFUSED(mirostat_eta, NAN, 0.1f);
    REFUSED(adaptive_target, 1.1f, -1);
    REFUSED(adaptive_target, NAN, -1);
    REFUSED(adaptive_decay, 1, 0.9f);
    REFUSED(penalty_last_n, -2, 64);
    REFUSED(dry_last_n, -2, 64);
    REFUSED(dry_allowed_length, -1, 2);
    REFUSED(mirostat, 3, 0);
#undef REFUSED
    weir_logit_bias bias = {1, NAN};
    o.bias = &bias;
    o.bias_count = 1;
    refused(&o, "bias");
    bias = (weir_logit_bias){UINT32_MAX, 1};
    refused(&o, "bias");
    o.bias_count = 0;
    weir_sampler_kind order[] = {WEIR_SAMPLER_TOP_K, WEIR_SAMPLER_TOP_K};
    o.order = order;
    o.order_count = 2;
    refused(&o, "order");
    order[1] = (weir_sampler_kind)10;
    refused(&o, "order");
    order[1] = (weir_sampler_kind)0;
    refused(&o, "order");
}

/* ---- seeds and copies ---- */

static void seeds(void **state)
{
    (void)state;
    weir_sampler_opts o = neutral(7);
    weir_sampler *a = sampler(&o), *b = sampler(&o);
    assert_int_equal(weir_sampler_seed(a), 7);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(drawn(a, NULL), drawn(b, NULL));
        if (i != 20) continue;
        weir_sampler_free(b); /* a copy goes on where the other is */
        b = weir_sampler_fork(a);
    }
    weir_sampler_free(a);
    weir_sampler_free(b);
    o.seed = WEIR_SEED_RANDOM;
    a = sampler(&o);
    uint32_t seed = weir_sampler_seed(a);
    assert_int_not_equal(seed, WEIR_SEED_RANDOM);
    o.seed = seed;
    b = sampler(&o);
    for (int i = 0; i < 50; i++)
        assert_int_equal(drawn(a, NULL), drawn(b, NULL));
    weir_sampler_reset(a);
    assert_int_not_equal(weir_sampler_seed(a), seed);
    weir_sampler_free(a);
    weir_sampler_free(b);
}

/* ---- history ---- */

/* Taking tokens back is as if they had never come, whatever the window. */
static void rollback(void **state)
{
    (void)state;
    for (int32_t last = -1; last < 9; last += 3) {
        weir_sampler_opts o = neutral(3);
        o.repeat_penalty = 1.7f;
        o.frequency_penalty = 0.2f;
        o.dry_multiplier = 0.7f;
        o.penalty_last_n = last;
        weir_sampler *a = sampler(&o), *b = sampler(&o);
        for (uint32_t i = 0; i < 40; i++) {
            uint32_t id = i * i % 7;
            assert_true(weir_sampler_accept(a, id));
            assert_true(weir_sampler_accept(b, id));
            for (uint32_t k = 0; k < i % 5; k++)
                assert_true(k % 2 ? weir_sampler_pass(b)
                                  : weir_sampler_accept(b, k + 60));
            assert_int_equal(weir_sampler_rollback(b, i % 5), WEIR_OK);
            assert_int_equal(drawn(a, NULL), drawn(b, NULL));
        }
        assert_int_equal(weir_sampler_rollback(a, 41), WEIR_ROLLBACK);
        assert_int_equal(weir_sampler_rollback(a, 40), WEIR_OK);
        assert_false(weir_sampler_accept(a, UINT32_MAX - 1));
        weir_sampler_free(a);
        weir_sampler_free(b);
    }
}

/* A token that is passed is not penalised, and ends DRY's repeats. */
static void passed_tokens(void **state)
{
    (void)state;
    weir_sampler_opts o = neutral(3);
    o.presence_penalty = 1e6f;
    o.dry_multiplier = 1e6f;
    o.dry_allowed_length = 1;
    weir_sampler *s = sampler(&o);
    weir_candidate best;
    float save = logits[9];
    logits[9] = 100;
    for (int i = 0; i < 10; i++) assert_true(weir_sampler_pass(s));
    assert_int_equal(drawn(s, NULL), 9);
    weir_sampler_candidates(s, &best, 1);
    assert_true(best.id == 9 && best.probability == 1);
    assert_true(weir_sampler_accept(s, 9));
    assert_int_not_equal(drawn(s, NULL), 9);
    logits[9] = save;
    weir_sampler_free(s);
}

/* ---- masks ---- */

static void one_allowed(void **state)
{
    (void)state;
    for (int redraw = 0; redraw < 2; redraw++) {
        weir_sampler_opts o;
        weir_sampler_defaults(&o);
        o.seed = 1;
        o.redraw = redraw;
        weir_sampler *s = sampler(&o);
        for (uint32_t id = 0; id < WIDTH; id++) {
            int32_t mask[3] = {0};
            mask[id / 32] = (int32_t)(1u << id % 32);
            assert_int_equal(drawn(s, mask), id);
            if (!redraw)
                assert_int_equal(weir_sampler_candidates(s, NULL, 0), 1);
        }
        weir_sampler_free(s);
    }
}

static weir_draw answer(weir_sampler *s, const float *row, size_t width,
                        const int32_t *mask, size_t mask_width)
{
    uint32_t id = 0;
    return weir_sampler_draw_mask(s, row, width, mask, mask_width, &id);
}

/* Nothing allowed, nothing likely, no logits: said, and no number drawn. */
static void no_chance(void **state)
{
    (void)state;
    static const int32_t none[3] = {0};
    float low[WIDTH];
    for (int i = 0; i < WIDTH; i++) low[i] = i % 2 ? -INFINITY : NAN;
    for (uint32_t mirostat = 0; mirostat < 3; mirostat++) {
        weir_sampler_opts o = neutral(1);
        o.mirostat = mirostat;
        weir_sampler *s = sampler(&o), *same = sampler(&o);
        assert_int_equal(answer(s, logits, WIDTH, none, WIDTH), WEIR_DRAW_NONE);
        assert_int_equal(answer(s, logits, WIDTH, none, 0), WEIR_DRAW_NONE);
        assert_int_equal(answer(s, low, WIDTH, NULL, 0), WEIR_DRAW_NONE);
        assert_int_equal(answer(s, low, 0, NULL, 0), WEIR_DRAW_NONE);
        assert_int_equal(weir_sampler_candidates(s, NULL, 0), 0);
        assert_int_equal(drawn(s, NULL), drawn(same, NULL));
        weir_sampler_free(s);
        weir_sampler_free(same);
    }
}

/* 23: ids beyond the mask are refused; so are those beyond the logits. */
static void widths(void **state)
{
    (void)state;
    int32_t all[3] = {-1, -1, -1};
    weir_sampler_opts o = neutral(1);
    weir_sampler *s = sampler(&o);
    for (int i = 0; i < 200; i++) {
        uint32_t id = UINT32_MAX;
        assert_int_equal(weir_sampler_draw_mask(s, logits, WIDTH, all, 33, &id),
                         WEIR_DRAWN);
        assert_in_range(id, 0, 32);
        assert_int_equal(weir_sampler_draw_mask(s, logits, 5, all, WIDTH, &id),
                         WEIR_DRAWN);
        assert_in_range(id, 0, 4);
    }
    weir_sampler_free(s);
}

/* Every sampler by itself and all together, on logits of any kind: a token
 * that has a chance, or none; never outside. */
static void odd_logits(void **state)
{
    (void)state;
    static const float odd[] = {NAN,    INFINITY, -INFINITY, 0,     1e30f,
                                -1e30f, 1e-40f,   -0.0f,     88.7f, -104};
    for (unsigned c = 0; c < 4096; c++) {
        float row[WIDTH];
        weir_sampler_opts o = neutral(c);
        if (c & 1) o.top_k = 7;
        if (c & 2) o.typical_p = 0.5f;
        if (c & 4) o.top_p = 0.5f;
        if (c & 8) o.min_p = 0.1f;
        if (c & 16) o.xtc_probability = 1, o.xtc_threshold = 0.01f;
        if (c & 32) o.top_n_sigma = 1;
        if (c & 64) o.dynamic_range = 1;
        if (c & 128) o.temperature = c % 3 ? 1e-30f : 1e30f;
        if (c & 256) o.mirostat = 1 + c % 2;
        if (c & 512) o.repeat_penalty = 1e30f, o.presence_penalty = -1e30f;
        for (unsigned i = 0; i < WIDTH; i++)
            row[i] = odd[(c * 7 + i * (1 + c / 1024)) % 10];
        weir_sampler *s = sampler(&o);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t id = 0;
            assert_true(weir_sampler_accept(s, i));
            if (weir_sampler_draw(s, row, WIDTH, NULL, &id) != WEIR_DRAWN)
                fail_msg("case %u: nothing drawn", c);
            assert_true(id < WIDTH && !isnan(row[id]) && row[id] != -INFINITY);
        }
        weir_sampler_free(s);
    }
}

/* ---- matchers ---- */

static const char *const texts[] = {"{",   "}", "\"a\":", "\"", "x", "y",
                                    "x\"", "1", "</s>",   "a",  ":"};
enum { TEXTS = 11, QUOTE = 3, X = 4, END = 8 };

static weir_vocab *small_vocab(void)
{
    weir_token tokens[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        tokens[i] = (weir_token){{texts[i], strlen(texts[i])},
                                 i == END ? WEIR_TOKEN_STOP : 0};
    return weir_vocab_new(NULL, tokens, TEXTS, NULL, NULL);
}

/* { or }, then a string. */
static weir_matcher *small_matcher(weir_vocab *v)
{
    static const char source[] =
        "root ::= (\"{\" | \"}\") \"\\\"a\\\":\\\"\" [^\"]* \"\\\"}\"";
    weir_error err = {.status = WEIR_OK};
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_GBNF, (weir_bytes){source, strlen(source)}, NULL, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    weir_grammar_free(g);
    return m;
}

/* 40, 186: with either way of masking each token drawn is accepted; seeds agree with
 * those of masks by hand. */
static void with_matcher(void **state)
{
    (void)state;
    weir_vocab *v = small_vocab();
    weir_matcher *m = small_matcher(v);
    for (uint32_t seed = 0; seed < 200; seed++) {
        weir_sampler_opts o = neutral(seed);
        o.redraw = seed % 2;
        weir_sampler *s = sampler(&o), *by_hand = sampler(&o);
        for (int step = 0; step < 30 && !weir_matcher_is_terminated(m);
             step++) {
            uint32_t id, same;
            int32_t row[1];
            weir_matcher_fill(m, row);
            assert_int_equal(weir_sampler_draw_mask(by_hand, logits, TEXTS, row,
                                                    TEXTS, &same),
                             WEIR_DRAWN);
            assert_int_equal(weir_sampler_draw(s, logits, TEXTS, m, &id),
                             WEIR_DRAWN);
            assert_int_equal(id, same);
            assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
        }
        weir_matcher_reset(m);
        weir_sampler_free(s);
        weir_sampler_free(by_hand);
    }
    weir_matcher_free(m);
    weir_vocab_free(v);
}

static uint32_t likeliest(weir_sampler *s, weir_matcher *m)
{
    static const float row[TEXTS] = {5, 5, 5, 2, 5, 4, 1, 1};
    uint32_t id = UINT32_MAX;
    assert_int_equal(weir_sampler_draw(s, row, TEXTS, m, &id), WEIR_DRAWN);
    return id;
}

/* With the mask first a token takes one random number, whatever the mask: the
 * next one is that of a sampler that has drawn as often without any. (Case
 * seed-nondeterminism.) */
static void one_draw_a_token(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 100; seed++) {
        weir_sampler_opts o = neutral(seed);
        weir_sampler *masked = sampler(&o), *free = sampler(&o);
        for (int i = 0; i < 5; i++) {
            int32_t mask[3] = {(int32_t)(seed * 2654435761u) | 1, i - 2, 5};
            drawn(masked, mask);
            drawn(free, NULL);
        }
        assert_int_equal(drawn(masked, NULL), drawn(free, NULL));
        weir_sampler_free(masked);
        weir_sampler_free(free);
    }
}

/* Penalties change nothing where the grammar prescribes structure: of { and }
 * the first comes though it was before; in the string it gives way. */
static void free_text_alone(void **state)
{
    (void)state;
    weir_vocab *v = small_vocab();
    weir_matcher *m = small_matcher(v);
    for (int alone = 0; alone < 2; alone++) {
        weir_sampler_opts o = neutral(1);
        o.temperature = 0;
        o.presence_penalty = 1.5f;
        o.free_text_only = alone;
        weir_sampler *s = sampler(&o);
        weir_sampler_accept(s, 0);
        weir_sampler_accept(s, X);
        assert_int_equal(likeliest(s, m), alone ? 0 : 1);
        weir_matcher_accept(m, 0);
        assert_int_equal(likeliest(s, m), 2);
        weir_matcher_accept(m, 2);
        assert_int_equal(likeliest(s, m), QUOTE);
        weir_matcher_accept(m, QUOTE);
        assert_int_equal(likeliest(s, m), 1);
        weir_matcher_reset(m);
        weir_sampler_free(s);
    }
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* ---- memory ---- */

static weir_sampler_opts everything(void)
{
    weir_sampler_opts o = neutral(2);
    static const weir_logit_bias bias = {1, 1};
    o.bias = &bias;
    o.bias_count = 1;
    o.repeat_penalty = 1.1f;
    o.dry_multiplier = 0.5f;
    o.top_n_sigma = 5;
    o.typical_p = 0.99f;
    o.top_p = 0.99f;
    o.min_p = 0.001f;
    o.xtc_probability = 0.5f;
    o.dynamic_range = 0.1f;
    o.adaptive_target = 0.3f;
    return o;
}

static bool work(const Mem *mem, weir_error *err)
{
    static const int32_t mask[3] = {-1, -2, -1};
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    weir_sampler_opts o = everything();
    weir_sampler *s = weir_sampler_new(&env, NULL, &o, err);
    if (!s) return false;
    uint32_t id = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < 12; i++) ok = weir_sampler_accept(s, i % 3);
    ok = ok && weir_sampler_draw_mask(s, logits, WIDTH, mask, WIDTH, &id) ==
                   WEIR_DRAWN;
    weir_sampler *copy = ok ? weir_sampler_fork(s) : NULL;
    ok = ok && copy &&
         weir_sampler_draw_mask(copy, logits, WIDTH, mask, WIDTH, &id) ==
             WEIR_DRAWN;
    weir_sampler_free(copy);
    weir_sampler_free(s);
    if (!ok) err->status = WEIR_NO_MEMORY;
    return ok;
}

static void memory_out(void **state)
{
    (void)state;
    faulty_sweep(work);
}

/* Steps after the first allocate nothing; the history has room. */
static void warm_steps(void **state)
{
    (void)state;
    static const int32_t mask[3] = {-1, -2, -1};
    Faulty faulty = {.left = 1000};
    Mem mem = faulty_mem(&faulty);
    weir_env env = {sizeof env, mem.allocate, mem.resize, mem.release,
                    mem.user};
    weir_sampler_opts o = everything();
    weir_sampler *s = weir_sampler_new(&env, NULL, &o, NULL);
    size_t used = 0;
    for (uint32_t i = 0; i < 1100; i++) {
        if (i == 520) used = faulty.left; /* lists double at 512 and 1,024 */
        if (i >= 520 && i < 1020) assert_int_equal(faulty.left, used);
        drawn(s, mask);
        assert_true(weir_sampler_accept(s, i % WIDTH));
    }
    weir_sampler_free(s);
    assert_int_equal(faulty.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),         cmocka_unit_test(shorter_struct),
        cmocka_unit_test(out_of_range),     cmocka_unit_test(seeds),
        cmocka_unit_test(rollback),         cmocka_unit_test(passed_tokens),
        cmocka_unit_test(one_allowed),      cmocka_unit_test(no_chance),
        cmocka_unit_test(widths),           cmocka_unit_test(odd_logits),
        cmocka_unit_test(with_matcher),     cmocka_unit_test(free_text_alone),
        cmocka_unit_test(one_draw_a_token), cmocka_unit_test(memory_out),
        cmocka_unit_test(warm_steps),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
