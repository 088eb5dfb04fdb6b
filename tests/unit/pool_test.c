/* pool_test.c: every item exactly once, results visible, jobs of several
 * threads, thread counts, failures. Meant for the thread sanitizer too. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/pool_run.h"
#include "base/pool.h"
#include "base/thread.h"

/* Plain counters: two calls with one index, or a call that is not over when
 * the job returns, are races that the sanitizer sees. */
static void count_item(void *arg, size_t i)
{
    ((uint8_t *)arg)[i]++;
}

static void check_counts(const uint8_t *counts, size_t n, uint8_t want)
{
    for (size_t i = 0; i < n; i++)
        if (counts[i] != want)
            fail_msg("item %zu of %zu: %d calls", i, n, counts[i]);
}

static void check_jobs(uint32_t threads)
{
    static uint8_t counts[5000];
    Mem mem = mem_from_env(NULL);
    Pool *pool = pool_new(&mem, threads);
    assert_non_null(pool);
    for (size_t n = 0; n < COUNT_OF(counts); n += n < 70 ? 1 : 331) {
        memset(counts, 0, sizeof counts);
        pool_run(pool, count_item, counts, n);
        check_counts(counts, n, 1);
        check_counts(counts + n, COUNT_OF(counts) - n, 0);
    }
    pool_free(pool);
}

static void test_every_item_once(void **state)
{
    (void)state;
    check_jobs(1);
    check_jobs(2);
    check_jobs(3);
    check_jobs(9);
}

/* Many small jobs in a row: workers meet the next job while they leave the
 * last one. Each item adds to what the last job wrote. */
static void test_jobs_in_a_row(void **state)
{
    (void)state;
    enum { JOBS = 20000, ITEMS = 3 };
    Mem mem = mem_from_env(NULL);
    Pool *pool = pool_new(&mem, 3);
    assert_non_null(pool);
    uint8_t counts[ITEMS] = {0};
    for (int job = 0; job < JOBS; job++)
        pool_run(pool, count_item, counts, ITEMS);
    check_counts(counts, ITEMS, JOBS % 256);
    pool_free(pool);
}

/* More items than one turn of the pool takes (1 << 20). */
static void test_many_items(void **state)
{
    (void)state;
    size_t n = (2u << 20) + 77;
    uint8_t *counts = calloc(n, 1);
    assert_non_null(counts);
    Mem mem = mem_from_env(NULL);
    Pool *pool = pool_new(&mem, 2);
    assert_non_null(pool);
    pool_run(pool, count_item, counts, n);
    check_counts(counts, n, 1);
    pool_free(pool);
    free(counts);
}

/* Items of very different length, so that both ways of waiting sleep. */
static void uneven_item(void *arg, size_t i)
{
    atomic_size_t *sum = arg;
    size_t turns = i % 7 == 3 ? 200000 : 10;
    for (size_t k = 0; k < turns; k++) atomic_fetch_add(sum, k & 1);
}

static void test_uneven_items(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    Pool *pool = pool_new(&mem, 3);
    assert_non_null(pool);
    for (int job = 0; job < 20; job++) {
        atomic_size_t sum = 0;
        pool_run(pool, uneven_item, &sum, 8);
        assert_int_equal(sum, 100000 + 7 * 5);
    }
    pool_free(pool);
}

typedef struct Caller {
    Pool *pool;
    uint8_t counts[100];
} Caller;

static void *caller_main(void *arg)
{
    Caller *caller = arg;
    for (int job = 0; job < 500; job++)
        pool_run(caller->pool, count_item, caller->counts,
                 COUNT_OF(caller->counts));
    return NULL;
}

static void test_several_callers(void **state)
{
    (void)state;
    enum { CALLERS = 4 };
    static Caller callers[CALLERS];
    pthread_t threads[CALLERS];
    Mem mem = mem_from_env(NULL);
    Pool *pool = pool_new(&mem, 3);
    assert_non_null(pool);
    for (int i = 0; i < CALLERS; i++) {
        callers[i].pool = pool;
        assert_int_equal(
            pthread_create(&threads[i], NULL, caller_main, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        check_counts(callers[i].counts, COUNT_OF(callers[i].counts), 500 % 256);
    }
    pool_free(pool);
}

/* Pools that never get a job, or only just start to wait for one. */
static void test_start_and_end(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < 200; i++) {
        uint8_t counts[4] = {0};
        Pool *pool = pool_new(&mem, 1 + i % 4);
        assert_non_null(pool);
        if (i % 3) pool_run(pool, count_item, counts, COUNT_OF(counts));
        pool_free(pool);
        check_counts(counts, COUNT_OF(counts), i % 3 != 0);
    }
    pool_free(NULL);
    assert_true(pool_processors() >= 1);
}

/* vllm-project/vllm#49013: as many threads as the machine has processors, in a
 * container that may use two of them. */
static void test_processors(void **state)
{
    (void)state;
    assert_true(quota_processors("max 100000\n") == UINT32_MAX);
    assert_true(quota_processors("") == UINT32_MAX);
    assert_true(quota_processors("0 0") == UINT32_MAX);
    assert_int_equal(quota_processors("200000 100000\n"), 2);
    assert_int_equal(quota_processors("150000 100000\n"), 2);
    assert_int_equal(quota_processors("5000 100000\n"), 1);
    assert_true(pool_processors() >= 1);
#if defined(__linux__)
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pool_processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
#endif
}

static void *refuse(void *user, size_t nbytes)
{
    (void)user;
    (void)nbytes;
    return NULL;
}

static void test_no_memory(void **state)
{
    (void)state;
    Mem mem = {.allocate = refuse};
    assert_null(pool_new(&mem, 2));
}

/* ---- the public object ------------------------------------------------ */

typedef struct Custom {
    size_t jobs, items;
} Custom;

static void run_backwards(void *user, weir_task_fn task, void *arg,
                          size_t count)
{
    Custom *custom = user;
    custom->jobs++;
    custom->items += count;
    while (count--) task(arg, count);
}

static void test_public_pools(void **state)
{
    (void)state;
    uint8_t counts[300] = {0};
    weir_error err = {.status = WEIR_IO};
    weir_pool_run(NULL, count_item, counts, COUNT_OF(counts));
    weir_pool *pool = weir_pool_new(2, &err);
    assert_non_null(pool);
    assert_int_equal(err.status, WEIR_OK);
    weir_pool_run(pool, count_item, counts, COUNT_OF(counts));
    weir_pool_free(pool);
    Custom custom = {0};
    pool = weir_pool_custom(run_backwards, &custom, NULL);
    assert_non_null(pool);
    weir_pool_run(pool, count_item, counts, COUNT_OF(counts));
    weir_pool_run(pool, count_item, counts, 0);
    weir_pool_free(pool);
    check_counts(counts, COUNT_OF(counts), 3);
    assert_int_equal(custom.jobs, 1);
    assert_int_equal(custom.items, COUNT_OF(counts));
    pool = weir_pool_new(0, NULL); /* one thread a processor */
    assert_non_null(pool);
    weir_pool_free(pool);
    weir_pool_free(NULL);
}

static void test_public_errors(void **state)
{
    (void)state;
    weir_error err;
    assert_null(weir_pool_new(1025, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_string_equal(err.message,
                        "found 1025 threads, expected at most 1024");
    assert_null(weir_pool_custom(NULL, NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_null(weir_pool_custom(NULL, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_once),
        cmocka_unit_test(test_jobs_in_a_row),
        cmocka_unit_test(test_many_items),
        cmocka_unit_test(test_uneven_items),
        cmocka_unit_test(test_several_callers),
        cmocka_unit_test(test_start_and_end),
        cmocka_unit_test(test_processors),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_public_pools),
        cmocka_unit_test(test_public_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
