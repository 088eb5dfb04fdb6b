/* sampling_distribution_test.c: what is drawn, how often, against the plain
 * definitions of oracle/plain_sampler.c: the probabilities of a draw, and a
 * chi-square test of many. Seeds are fixed, so nothing is left to chance: the
 * bound is one that a right sampler meets in all but one of a million runs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/plain_sampler.h"
#include "oracle/rng.h"

enum { TOKENS = 24, DRAWS = 20000, SETS = 3, TAKEN = 40 };

typedef struct Case {
    const char *name;
    weir_sampler_opts opts; /* over neutral ones: fields that are not 0 */
} Case;

static const weir_logit_bias bias[] = {{3, 2}, {5, -INFINITY}, {3, 0.5f}};

#define NEUTRAL                                                               \
    .size = sizeof(weir_sampler_opts), .dynamic_exponent = 1, .typical_p = 1, \
    .top_n_sigma = -1, .xtc_threshold = 0.1f, .penalty_last_n = 64,           \
    .dry_base = 1.75f, .dry_allowed_length = 2, .dry_last_n = 64,             \
    .adaptive_target = -1
#define WARM .temperature = 1
#define WHOLE .top_p = 1
#define FRESH .repeat_penalty = 1
#define LATE                                               \
    .size = sizeof(weir_sampler_opts), WARM, WHOLE, FRESH, \
    .dynamic_exponent = 1, .typical_p = 1, .top_n_sigma = -1
static const Case cases[] = {
    {"dist", {NEUTRAL, WARM, WHOLE, FRESH}},
    {"temperature", {NEUTRAL, WHOLE, FRESH, .temperature = 0.6f}},
    {"greedy", {NEUTRAL, WHOLE, FRESH, .temperature = 0}},
    {"dynamic", {NEUTRAL, WARM, WHOLE, FRESH, .dynamic_range = 0.7f}},
    {"top-k", {NEUTRAL, WARM, WHOLE, FRESH, .top_k = 6}},
    {"top-p", {NEUTRAL, WARM, FRESH, .top_p = 0.7f}},
    {"top-p keep", {NEUTRAL, WARM, FRESH, .top_p = 0.1f, .min_keep = 5}},
    {"min-p", {NEUTRAL, WARM, WHOLE, FRESH, .min_p = 0.2f}},
    {"min-p keep", {NEUTRAL, WARM, WHOLE, FRESH, .min_p = 0.9f, .min_keep = 4}},
    {"typical",
     {.size = sizeof(weir_sampler_opts),
      WARM,
      WHOLE,
      FRESH,
      .dynamic_exponent = 1,
      .top_n_sigma = -1,
      .adaptive_target = -1,
      .typical_p = 0.5f}},
    {"top-n-sigma",
     {.size = sizeof(weir_sampler_opts),
      WARM,
      WHOLE,
      FRESH,
      .dynamic_exponent = 1,
      .typical_p = 1,
      .adaptive_target = -1,
      .top_n_sigma = 0.9f}},
    {"xtc", {NEUTRAL, WARM, WHOLE, FRESH, .xtc_probability = 0.4f}},
    {"bias", {NEUTRAL, WARM, WHOLE, FRESH, .bias = bias, .bias_count = 3}},
    {"repeat", {NEUTRAL, WARM, WHOLE, .repeat_penalty = 1.4f}},
    {"frequency", {NEUTRAL, WARM, WHOLE, FRESH, .frequency_penalty = 0.3f}},
    {"presence", {NEUTRAL, WARM, WHOLE, FRESH, .presence_penalty = 1.1f}},
    {"dry", {NEUTRAL, WARM, WHOLE, FRESH, .dry_multiplier = 0.9f}},
    {"mirostat 1",
     {NEUTRAL, WARM, WHOLE, FRESH, .mirostat = 1, .mirostat_tau = 1.2f}},
    {"mirostat 2",
     {NEUTRAL, WARM, WHOLE, FRESH, .mirostat = 2, .mirostat_tau = 1.6f}},
    {"adaptive", {LATE, .adaptive_target = 0.1f, .adaptive_decay = 0.9f}},
    {"adaptive likely", {LATE, .adaptive_target = 0.7f, .top_k = 9}},
    {"all",
     {NEUTRAL, .temperature = 0.9f, .top_k = 18, .top_p = 0.95f, .min_p = 0.01f,
      .repeat_penalty = 1.1f, .presence_penalty = 0.2f, .dry_multiplier = 0.5f,
      .xtc_probability = 0.3f, .dynamic_range = 0.2f}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- one experiment ---- */

typedef struct Trial {
    float logits[TOKENS];
    double exact[TOKENS]; /* the same */
    uint32_t history[TAKEN];
    double want[TOKENS]; /* probabilities */
    unsigned found[TOKENS];
} Trial;

static Trial trial;

static void make_trial(uint32_t seed)
{
    Rng rng = {seed};
    for (int i = 0; i < TOKENS; i++) {
        trial.logits[i] = (float)rng_below(&rng, 1u << 20) / (1 << 17) - 3;
        trial.exact[i] = (double)trial.logits[i];
    }
    for (int i = 0; i < TAKEN; i++) trial.history[i] = rng_below(&rng, 5);
}

static void mix_in(const weir_sampler_opts *o, double share, bool strikes)
{
    Plain plain;
    plain_chain(&plain, trial.exact, TOKENS, o, trial.history, TAKEN, strikes);
    for (int i = 0; i < TOKENS; i++) trial.want[i] += share * plain.p[i];
}

static void want_chain(const weir_sampler_opts *o)
{
    double strikes = (double)o->xtc_probability;
    memset(trial.want, 0, sizeof trial.want);
    mix_in(o, strikes, true);
    mix_in(o, 1 - strikes, false);
}

static weir_sampler *begin(const weir_sampler_opts *given, uint32_t seed)
{
    weir_error err = {.status = WEIR_OK};
    weir_sampler_opts opts = *given;
    opts.seed = seed;
    weir_sampler *s = weir_sampler_new(NULL, NULL, &opts, &err);
    if (!s) fail_msg("%s", err.message);
    for (int i = 0; i < TAKEN; i++)
        assert_true(weir_sampler_accept(s, trial.history[i]));
    memset(trial.found, 0, sizeof trial.found);
    return s;
}

static uint32_t draw(weir_sampler *s, const int32_t *mask)
{
    uint32_t id = UINT32_MAX;
    assert_int_equal(
        weir_sampler_draw_mask(s, trial.logits, TOKENS, mask, TOKENS, &id),
        WEIR_DRAWN);
    assert_true(id < TOKENS);
    return id;
}

/* Of the last draw. */
static void check_candidates(weir_sampler *s, const char *name)
{
    weir_candidate list[TOKENS];
    double found[TOKENS] = {0}, sum = 0;
    size_t n = weir_sampler_candidates(s, list, TOKENS);
    for (size_t i = 0; i < n; i++) {
        found[list[i].id] = (double)list[i].probability;
        sum += found[list[i].id];
        if (i) assert_true(list[i].probability <= list[i - 1].probability);
    }
    assert_true(fabs(sum - 1) < 1e-5);
    for (int i = 0; i < TOKENS; i++)
        if (fabs(found[i] - trial.want[i]) > 1e-4)
            fail_msg("%s: token %d: found %g, expected %g", name, i, found[i],
                     trial.want[i]);
}

/* Wilson and Hilferty: the cube root of chi-square / n is nearly normal. */
static double chi_bound(double n)
{
    double deviations = 4.8, part = 2 / (9 * n);
    return n * pow(1 - part + deviations * sqrt(part), 3);
}

static void check_counts(const char *name)
{
    double chi = 0, cells = -1;
    for (int i = 0; i < TOKENS; i++) {
        double want = trial.want[i] * DRAWS;
        if (want < 1e-6 && trial.found[i])
            fail_msg("%s: token %d has no chance, and came", name, i);
        if (want < 5) continue;
        chi += pow(trial.found[i] - want, 2) / want;
        cells++;
    }
    if (cells > 0 && chi > chi_bound(cells))
        fail_msg("%s: chi-square %g of %g cells", name, chi, cells);
}

/* ---- tests ---- */

static void each_sampler(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (uint32_t set = 0; set < SETS; set++) {
            make_trial(100 + set);
            want_chain(&cases[c].opts);
            weir_sampler *s = begin(&cases[c].opts, set);
            for (int i = 0; i < DRAWS; i++) trial.found[draw(s, NULL)]++;
            if (cases[c].opts.xtc_probability <= 0)
                check_candidates(s, cases[c].name);
            check_counts(cases[c].name);
            weir_sampler_free(s);
        }
}

static int32_t some_allowed(void)
{
    return 0x5A6C39;
}

static bool is_allowed(int i)
{
    return some_allowed() >> i & 1;
}

/* The mask first: as if the other tokens were not there. */
static void mask_first(void **state)
{
    (void)state;
    int32_t mask = some_allowed();
    for (size_t c = 0; c < CASES; c++) {
        if (cases[c].opts.mirostat == 1) continue; /* counts all tokens */
        make_trial(200);
        for (int i = 0; i < TOKENS; i++)
            if (!is_allowed(i)) trial.exact[i] = -INFINITY;
        want_chain(&cases[c].opts);
        weir_sampler *s = begin(&cases[c].opts, 9);
        for (int i = 0; i < DRAWS; i++) trial.found[draw(s, &mask)]++;
        if (cases[c].opts.xtc_probability <= 0)
            check_candidates(s, cases[c].name);
        check_counts(cases[c].name);
        weir_sampler_free(s);
    }
}

/* A draw without the mask first: P(x) = p(x) + P(refused) q(x). */
static void redraw(void **state)
{
    (void)state;
    int32_t mask = some_allowed();
    for (size_t c = 0; c < CASES; c++) {
        double refused = 0, first[TOKENS];
        weir_sampler_opts opts = cases[c].opts;
        opts.redraw = true;
        /* a refused token makes typical's entropy no number, and counts in
           that of an even choice: llama.cpp's way, not the definition */
        if (opts.typical_p < 1 || opts.dynamic_range > 0 || opts.mirostat == 1)
            continue;
        make_trial(300);
        want_chain(&opts);
        memcpy(first, trial.want, sizeof first);
        for (int i = 0; i < TOKENS; i++)
            if (!is_allowed(i)) refused += first[i], trial.exact[i] = -INFINITY;
        want_chain(&opts);
        for (int i = 0; i < TOKENS; i++)
            trial.want[i] =
                is_allowed(i) ? first[i] + refused * trial.want[i] : 0;
        weir_sampler *s = begin(&opts, 11);
        for (int i = 0; i < DRAWS; i++) trial.found[draw(s, &mask)]++;
        check_counts(cases[c].name);
        weir_sampler_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sampler),
        cmocka_unit_test(mask_first),
        cmocka_unit_test(redraw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
