/* weir_pool.c: weir_pool over base/pool.h or over a function of the caller.
 * Tests: unit/pool_test.c */
#include "api/pool_run.h"

#include "base/diag.h"
#include "base/pool.h"

struct weir_pool {
    Mem mem;
    Pool *threads; /* NULL: custom */
    weir_run_fn run;
    void *user;
};

static weir_pool *pool_object(weir_error *err)
{
    Mem mem = mem_from_env(NULL);
    weir_pool *pool = mem_zero(&mem, sizeof *pool);
    if (!pool) {
        diag_no_memory(err);
        return NULL;
    }
    pool->mem = mem;
    return pool;
}

static void clear_error(weir_error *err)
{
    if (err) *err = (weir_error){0};
}

weir_pool *weir_pool_new(uint32_t threads, weir_error *err)
{
    clear_error(err);
    if (!threads) threads = pool_processors();
    if (threads > POOL_THREADS_MAX) {
        diag_fail(err, WEIR_ARGUMENT, 0, 0,
                  "found %u threads, expected at most %u", (unsigned)threads,
                  (unsigned)POOL_THREADS_MAX);
        return NULL;
    }
    weir_pool *pool = pool_object(err);
    if (!pool) return NULL;
    pool->threads = pool_new(&pool->mem, threads);
    if (pool->threads) return pool;
    weir_pool_free(pool);
    diag_fail(err, WEIR_NO_MEMORY, 0, 0, "cannot start %u threads",
              (unsigned)threads);
    return NULL;
}

weir_pool *weir_pool_custom(weir_run_fn run, void *user, weir_error *err)
{
    clear_error(err);
    if (!run) {
        diag_fail(err, WEIR_ARGUMENT, 0, 0,
                  "found no run function, expected one");
        return NULL;
    }
    weir_pool *pool = pool_object(err);
    if (!pool) return NULL;
    pool->run = run;
    pool->user = user;
    return pool;
}

void weir_pool_free(weir_pool *pool)
{
    if (!pool) return;
    pool_free(pool->threads);
    Mem mem = pool->mem;
    mem_free(&mem, pool, sizeof *pool);
}

void weir_pool_run(weir_pool *pool, weir_task_fn task, void *arg, size_t count)
{
    if (pool && pool->threads)
        pool_run(pool->threads, task, arg, count);
    else if (pool && count)
        pool->run(pool->user, task, arg, count);
    else
        for (size_t i = 0; i < count; i++) task(arg, i);
}
