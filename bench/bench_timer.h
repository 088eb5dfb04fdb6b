/* bench_timer.h: a clock fine enough for single masks. Ticks are of the time
 * stamp counter where there is one that C can read, else nanoseconds. */
#ifndef WEIR_BENCH_TIMER_H
#define WEIR_BENCH_TIMER_H

#include <time.h>

#include "base/port.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define TIMER_TSC 1
#else
#define TIMER_TSC 0
#endif

typedef struct Timer {
    double ns_per_tick;
    uint64_t cost; /* ticks between two readings with nothing between */
} Timer;

/* Takes some 20 ms. */
Timer timer_calibrate(void);

static inline uint64_t timer_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Waits for what stands before it. */
static inline uint64_t timer_now(void)
{
#if TIMER_TSC
    __builtin_ia32_lfence();
    uint64_t now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return now;
#else
    return timer_clock_ns();
#endif
}

/* Time between two readings without the readings' own. */
static inline double timer_ns(const Timer *t, uint64_t begin, uint64_t end)
{
    uint64_t ticks = end - begin;
    return ticks > t->cost ? (double)(ticks - t->cost) * t->ns_per_tick : 0;
}

#endif
