/* bench_timer.c: the tick's length and the reading's cost.
 *
 * The tick is measured against the monotonic clock for CALIBRATION_NS. The
 * cost is the median of many empty measurements: what a real measurement
 * contains most likely, whatever the scheduler does to some.
 */
#include "bench/bench_timer.h"

#include "bench/bench_stats.h"

enum { CALIBRATION_NS = 20000000, EMPTY = 2001 };

static uint64_t reading_cost(void)
{
    double samples[EMPTY];
    for (int i = 0; i < EMPTY; i++) {
        uint64_t begin = timer_now();
        samples[i] = (double)(timer_now() - begin);
    }
    return (uint64_t)stats_of(samples, EMPTY).at[STATS_P50];
}

Timer timer_calibrate(void)
{
    uint64_t begin_ns = timer_clock_ns(), begin = timer_now(), now_ns;
    do now_ns = timer_clock_ns();
    while (now_ns - begin_ns < CALIBRATION_NS);
    Timer t = {.ns_per_tick =
                   (double)(now_ns - begin_ns) / (double)(timer_now() - begin)};
    t.cost = reading_cost();
    return t;
}
