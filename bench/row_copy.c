/* row_copy.c: row memcpy, the floor: a mask row copied between two buffers
 * that stay in the cache. Many copies are timed together; the compiler must
 * believe that each one is read. */
#include "bench/bench.h"

enum { COPIES = 64, SAMPLES = 1000, WARM = 100 };

static void copy_once(void *to, const void *from, size_t nbytes)
{
    memcpy(to, from, nbytes);
#if defined(__GNUC__)
    __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
#endif
}

/* Microseconds a copy. */
static Stats copy_stats(const Bench *b, uint32_t width)
{
    size_t nbytes = WEIR_MASK_WORDS((size_t)width) * sizeof(int32_t);
    void *to = mem_zero(&b->mem, nbytes), *from = mem_zero(&b->mem, nbytes);
    double samples[SAMPLES];
    bool ok = to && from;
    for (int i = -WARM; ok && i < SAMPLES; i++) {
        uint64_t begin = timer_now();
        for (int k = 0; k < COPIES; k++) copy_once(to, from, nbytes);
        if (i >= 0) samples[i] = bench_us(b, begin, timer_now()) / COPIES;
    }
    mem_free(&b->mem, to, nbytes);
    mem_free(&b->mem, from, nbytes);
    return stats_of(samples, ok ? SAMPLES : 0);
}

double bench_copy_ns(const Bench *bench, uint32_t width)
{
    return copy_stats(bench, width).at[STATS_P50] * 1e3;
}

bool row_memcpy(const Bench *bench, Report *report)
{
    Stats us = copy_stats(bench, BENCH_WIDTH);
    size_t nbytes = WEIR_MASK_WORDS(BENCH_WIDTH) * sizeof(int32_t);
    report->copy_ns = us.at[STATS_P50] * 1e3;
    report_series(report, (ReportSeries){.us = us});
    report_figure(report, "row", "bytes", (double)nbytes);
    report_figure(report, "timer_cost", "ns",
                  (double)bench->timer.cost * bench->timer.ns_per_tick);
    return us.count || bench_fail("memcpy", NULL);
}
