/* bench_stats.h: many measured times as eight figures.
 *
 * Percentiles are by nearest rank: p of n samples is the ceil(p * n)-th
 * smallest, so each is a time that was measured and none is interpolated.
 * All inline, so that unit/bench_stats_test.c needs no second program.
 */
#ifndef WEIR_BENCH_STATS_H
#define WEIR_BENCH_STATS_H

#include <stdlib.h>

#include "base/port.h"

typedef enum StatsFigure {
    STATS_AVG,
    STATS_P50,
    STATS_P75,
    STATS_P90,
    STATS_P95,
    STATS_P99,
    STATS_P999,
    STATS_MAX,
    STATS_FIGURES
} StatsFigure;

/* Index: StatsFigure. As JSON keys; headings of a table. */
static const char *const stats_keys[STATS_FIGURES] = {
    "avg", "p50", "p75", "p90", "p95", "p99", "p999", "max"};

typedef struct Stats {
    size_t count;
    double at[STATS_FIGURES]; /* all 0 when count is 0 */
} Stats;

static inline int stats_order(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Of ascending samples, count > 0, 0 < permille <= 1000. */
static inline double stats_percentile(const double *sorted, size_t count,
                                      size_t permille)
{
    size_t rank = (count * permille + 999) / 1000;
    return sorted[rank - 1];
}

/* Sorts the samples. */
static inline Stats stats_of(double *samples, size_t count)
{
    static const size_t permille[STATS_FIGURES] = {0,   500, 750, 900,
                                                   950, 990, 999, 1000};
    Stats s = {.count = count};
    if (!count) return s;
    qsort(samples, count, sizeof *samples, stats_order);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += samples[i];
    s.at[STATS_AVG] = sum / (double)count;
    for (int i = STATS_P50; i < STATS_FIGURES; i++)
        s.at[i] = stats_percentile(samples, count, permille[i]);
    return s;
}

#endif
