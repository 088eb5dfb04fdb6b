/* pool.h: a pool of threads that run the items of one job at a time, with the
 * calling thread among them. */
#ifndef WEIR_BASE_POOL_H
#define WEIR_BASE_POOL_H

#include "base/mem.h"

typedef struct Pool Pool;

#define POOL_THREADS_MAX 1024

/* A pool that runs jobs on `threads` threads, 1 <= threads <=
 * POOL_THREADS_MAX: the calling one and threads - 1 of its own, which sleep
 * between jobs. NULL when memory or threads are out. `mem` must outlive it. */
Pool *pool_new(const Mem *mem, uint32_t threads);
/* Ends the threads. No job may be running. Accepts NULL. */
void pool_free(Pool *pool);

/* Calls task(arg, i) once for each i < count, in no fixed order, and returns
 * when all calls have returned; what they wrote is visible then. Jobs of
 * several calling threads run one after the other. A task must not run a job
 * on its own pool. */
void pool_run(Pool *pool, weir_task_fn task, void *arg, size_t count);

/* Threads that this process may have running at once, at least 1: by the
 * processors there are, its affinity and its control group's quota
 * (processors.c). */
uint32_t pool_processors(void);
/* What the quota in a file cpu.max is worth, rounded up; UINT32_MAX: there is
 * none. */
uint32_t quota_processors(const char *text);

#endif
