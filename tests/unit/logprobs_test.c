/* logprobs_test.c: log probabilities before and after a mask, against plain
 * sums in long double; and the checklist's: after the mask the probabilities
 * of what is allowed sum to 1.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/rng.h"
#include "weir/sample.h"

enum { WIDTH = 1000, WORDS = WEIR_MASK_WORDS(WIDTH) };

static float logits[WIDTH];
static int32_t mask[WORDS];

static bool allowed(const int32_t *bits, uint32_t id)
{
    return !bits || ((uint32_t)bits[id / 32] >> id % 32 & 1);
}

static void make(uint32_t seed, uint32_t kinds)
{
    Rng rng = {seed};
    for (int i = 0; i < WIDTH; i++)
        logits[i] = (float)rng_below(&rng, kinds) * 20 / (float)kinds - 10;
    for (size_t i = 0; i < WORDS; i++) mask[i] = (int32_t)rng_next(&rng);
}

static long double plain(const int32_t *bits, uint32_t id)
{
    long double sum = 0;
    for (uint32_t i = 0; i < WIDTH; i++)
        if (allowed(bits, i)) sum += expl((long double)logits[i]);
    return (long double)logits[id] - logl(sum);
}

static bool follows(weir_logprob a, weir_logprob b)
{
    return a.logprob > b.logprob || (a.logprob == b.logprob && a.id < b.id);
}

static void check(const int32_t *bits)
{
    weir_logprob all[WIDTH], few[5];
    long double sum = 0;
    float own;
    size_t n = weir_logprobs(logits, WIDTH, bits, WIDTH, 7, &own, all, WIDTH);
    assert_int_equal(weir_mask_count(bits ? bits : mask, WIDTH, NULL),
                     bits ? n : weir_mask_count(mask, WIDTH, NULL));
    if (!bits) assert_int_equal(n, WIDTH);
    for (size_t i = 0; i < n; i++) {
        assert_true(allowed(bits, all[i].id));
        if (i) assert_true(follows(all[i - 1], all[i]));
        assert_true(fabsl((long double)all[i].logprob -
                          plain(bits, all[i].id)) < 1e-5L);
        sum += expl((long double)all[i].logprob);
    }
    assert_true(fabsl(sum - 1) < 1e-5L);
    if (allowed(bits, 7))
        assert_true(fabsl((long double)own - plain(bits, 7)) < 1e-5L);
    else
        assert_true(own == -INFINITY);
    assert_int_equal(weir_logprobs(logits, WIDTH, bits, WIDTH, 7, NULL, few, 5),
                     5);
    for (int i = 0; i < 5; i++) assert_int_equal(few[i].id, all[i].id);
}

static void before_and_after(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        make(seed, seed % 2 ? 9 : 1u << 20);
        check(NULL);
        check(mask);
    }
}

/* All of a large vocabulary, from the least on: n log n, not n times n. */
static void whole_vocabulary(void **state)
{
    (void)state;
    enum { MANY = 400000 };
    float *row = malloc(MANY * sizeof *row);
    weir_logprob *all = malloc(MANY * sizeof *all);
    for (int i = 0; i < MANY; i++) row[i] = (float)i / MANY;
    assert_int_equal(weir_logprobs(row, MANY, NULL, 0, 0, NULL, all, MANY),
                     MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(all[i].id, MANY - 1 - i);
    free(row);
    free(all);
}

static void odd_rows(void **state)
{
    (void)state;
    static const float row[] = {NAN, -INFINITY, INFINITY, 3, INFINITY};
    static const int32_t some = 0x0B, none = 0;
    weir_logprob top[5];
    float own;
    assert_int_equal(weir_logprobs(row, 5, NULL, 0, 2, &own, top, 5), 3);
    assert_true(fabsf(own + logf(2)) < 1e-6f);
    assert_true(top[0].id == 2 && top[1].id == 4 && top[2].id == 3);
    assert_true(top[2].logprob == -INFINITY);
    assert_int_equal(weir_logprobs(row, 5, &some, 5, 3, &own, top, 5), 1);
    assert_true(own == 0 && top[0].id == 3 && top[0].logprob == 0);
    assert_int_equal(weir_logprobs(row, 5, &none, 5, 3, &own, top, 5), 0);
    assert_true(own == -INFINITY);
    assert_int_equal(weir_logprobs(row, 5, &some, 1, 3, &own, top, 5), 0);
    assert_int_equal(weir_logprobs(NULL, 0, NULL, 0, 9, &own, NULL, 0), 0);
    assert_int_equal(weir_logprobs(row, 5, NULL, 0, 77, &own, NULL, 0), 0);
    assert_true(own == -INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_and_after),
        cmocka_unit_test(whole_vocabulary),
        cmocka_unit_test(odd_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
