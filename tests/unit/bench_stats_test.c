/* bench_stats_test.c: the benchmark's percentiles against the nearest-rank
 * definition, worked out by hand: the ceil(p * n)-th smallest of n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/bench_stats.h"

/* The usual textbook list: 5 samples, ranks 1, 2, 2, 3, 5. */
static void percentiles_of_five(void **state)
{
    (void)state;
    const double sorted[] = {15, 20, 35, 40, 50};
    assert_true(stats_percentile(sorted, 5, 50) == 15);
    assert_true(stats_percentile(sorted, 5, 300) == 20);
    assert_true(stats_percentile(sorted, 5, 400) == 20);
    assert_true(stats_percentile(sorted, 5, 500) == 35);
    assert_true(stats_percentile(sorted, 5, 1000) == 50);
}

/* 1 to n, shuffled by a step that shares no factor with n: the sample of rank
 * r is r. */
static Stats stats_of_first(size_t n, size_t step)
{
    static double samples[4096];
    for (size_t i = 0; i < n; i++) samples[i] = (double)(i * step % n + 1);
    return stats_of(samples, n);
}

static void assert_figures(Stats s, const double expected[STATS_FIGURES])
{
    for (int i = 0; i < STATS_FIGURES; i++) assert_true(s.at[i] == expected[i]);
}

static void figures_of_a_thousand(void **state)
{
    (void)state;
    const double expected[] = {500.5, 500, 750, 900, 950, 990, 999, 1000};
    Stats s = stats_of_first(1000, 7);
    assert_int_equal(s.count, 1000);
    assert_figures(s, expected);
}

/* ceil of 1.5, 2.25, 2.7, 2.85, 2.97 and 2.997. */
static void figures_of_three(void **state)
{
    (void)state;
    const double expected[] = {2, 2, 3, 3, 3, 3, 3, 3};
    assert_figures(stats_of_first(3, 2), expected);
}

/* ceil of 1000.5, 1500.75, 1800.9, 1900.95, 1980.99, 1998.999. */
static void figures_of_an_odd_number(void **state)
{
    (void)state;
    const double expected[] = {1001, 1001, 1501, 1801, 1901, 1981, 1999, 2001};
    assert_figures(stats_of_first(2001, 10), expected);
}

static void one_sample_is_every_figure(void **state)
{
    (void)state;
    double sample[] = {4.25};
    const double expected[] = {4.25, 4.25, 4.25, 4.25, 4.25, 4.25, 4.25, 4.25};
    assert_figures(stats_of(sample, 1), expected);
}

static void no_samples_are_zeros(void **state)
{
    (void)state;
    const double expected[STATS_FIGURES] = {0};
    assert_figures(stats_of(NULL, 0), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_of_five),
        cmocka_unit_test(figures_of_a_thousand),
        cmocka_unit_test(figures_of_three),
        cmocka_unit_test(figures_of_an_odd_number),
        cmocka_unit_test(one_sample_is_every_figure),
        cmocka_unit_test(no_samples_are_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
