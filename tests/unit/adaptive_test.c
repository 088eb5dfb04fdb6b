/* adaptive_test.c: adaptive-p beyond single draws, which the recorded runs and
 * the distribution test have: where its mean goes, and its state.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "weir/sample.h"

enum { WIDTH = 40 };

static float logits[WIDTH];

/* The logits of one step: shares that fall by a third from place to place, at
 * other ids each time. */
static void make_logits(uint32_t step)
{
    for (uint32_t i = 0; i < WIDTH; i++)
        logits[(i * 7 + step * 11) % WIDTH] = -(float)i * 0.4f;
}

static double probability(uint32_t id)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += exp((double)logits[i]);
    return exp((double)logits[id]) / sum;
}

static weir_sampler *sampler(float target)
{
    weir_sampler_opts o;
    weir_sampler_neutral(&o);
    o.seed = 3;
    o.adaptive_target = target;
    weir_sampler *s = weir_sampler_new(NULL, NULL, &o, NULL);
    assert_non_null(s);
    return s;
}

static uint32_t draw(weir_sampler *s)
{
    uint32_t id = UINT32_MAX;
    assert_int_equal(weir_sampler_draw(s, logits, WIDTH, NULL, &id),
                     WEIR_DRAWN);
    return id;
}

/* Of many tokens drawn and taken. */
static double mean_of(float target)
{
    enum { STEPS = 2000 };
    weir_sampler *s = sampler(target);
    double sum = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        make_logits(i);
        uint32_t id = draw(s);
        sum += probability(id);
        assert_true(weir_sampler_accept(s, id));
    }
    weir_sampler_free(s);
    return sum / STEPS;
}

/* The mean of one step that aims at `aim`, by the definition in 64 bits. */
static double mean_at(double aim)
{
    double sum = 0, weights = 0;
    make_logits(0);
    for (uint32_t i = 0; i < WIDTH; i++) {
        double p = probability(i), far = fabs(p - aim) / 0.3;
        double weight = exp(5 - 10 * far * far / (1 + far));
        sum += weight * p;
        weights += weight;
    }
    return sum / weights;
}

/* Where the mean settles: the aim is as far beyond the target as the mean is
 * before it. */
static double settled(double target)
{
    double mean = target;
    for (int i = 0; i < 300; i++) {
        double aim = fmin(fmax(2 * target - mean, 0), 1);
        mean = 0.9 * mean + 0.1 * mean_at(aim);
    }
    return mean;
}

static void mean_goes_where_aimed(void **state)
{
    (void)state;
    static const float targets[] = {0.05f, 0.12f, 0.2f, 0.28f, 0.33f};
    double before = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        double mean = mean_of(targets[i]);
        assert_true(fabs(mean - settled((double)targets[i])) < 0.02);
        assert_true(mean > before);
        before = mean;
    }
}

/* The probability of the likeliest candidate, after a draw. */
static float likeliest(weir_sampler *s)
{
    weir_candidate best;
    draw(s);
    assert_true(weir_sampler_candidates(s, &best, 1) > 0);
    return best.probability;
}

static bool same(float a, float b)
{
    return a == b;
}

/* A token that was drawn moves the aim; one from elsewhere, or passed, does
 * not; taking back undoes it. */
static void state_of_tokens(void **state)
{
    (void)state;
    make_logits(0);
    weir_sampler *s = sampler(0.3f);
    float before = likeliest(s);
    assert_true(weir_sampler_accept(s, draw(s)));
    float after = likeliest(s);
    assert_false(same(before, after));
    weir_sampler *copy = weir_sampler_fork(s);
    assert_true(same(likeliest(copy), after));
    assert_int_equal(weir_sampler_rollback(copy, 1), WEIR_OK);
    assert_true(same(likeliest(copy), before));
    assert_true(same(likeliest(s), after));
    uint32_t drawn = draw(s);
    assert_true(weir_sampler_accept(s, (drawn + 1) % WIDTH));
    assert_true(weir_sampler_accept(s, drawn)); /* not drawn for this place */
    assert_true(weir_sampler_pass(s));
    assert_true(same(likeliest(s), after));
    assert_int_equal(weir_sampler_rollback(s, 4), WEIR_OK);
    assert_true(same(likeliest(s), before));
    weir_sampler_accept(s, draw(s));
    weir_sampler_reset(s);
    assert_true(same(likeliest(s), before));
    weir_sampler_free(copy);
    weir_sampler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_goes_where_aimed),
        cmocka_unit_test(state_of_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
