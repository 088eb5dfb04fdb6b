/* processors.c: how many threads can run at once.
 *
 * The least of the processors that are there, those that this process may run
 * on, and what its control group's quota is worth, rounded up: a container with
 * two processors' time on a machine of 64 gets two threads, not 64 that stop
 * each other. Asked once a pool.   Tests: unit/pool_test.c.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/pool.h"

#include <stdio.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif

uint32_t quota_processors(const char *text)
{
    unsigned long long quota, period;
    if (sscanf(text, "%llu %llu", &quota, &period) != 2) return UINT32_MAX;
    if (!quota || !period) return UINT32_MAX;
    unsigned long long whole = quota / period + (quota % period != 0);
    return (uint32_t)MIN(whole, UINT32_MAX);
}

#if defined(__linux__)
static uint32_t affinity_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return UINT32_MAX;
    return (uint32_t)CPU_COUNT(&set);
}

/* Of version 2, as a container sees its own: "max 100000" or two numbers. */
static uint32_t group_processors(void)
{
    char text[64] = "";
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (!f) return UINT32_MAX;
    if (!fgets(text, sizeof text, f)) text[0] = '\0';
    fclose(f);
    return quota_processors(text);
}
#else
static uint32_t affinity_processors(void)
{
    return UINT32_MAX;
}

static uint32_t group_processors(void)
{
    return UINT32_MAX;
}
#endif

uint32_t pool_processors(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = online < 1 ? 1 : (uint32_t)MIN(online, POOL_THREADS_MAX);
    n = MIN(n, affinity_processors());
    n = MIN(n, group_processors());
    return MAX(n, 1);
}
