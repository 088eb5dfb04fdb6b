/* pool.c: a pool of threads with little latency.
 *
 * In:    a task and a number of items.   Out: the task was called for each.
 * Method: the job's state is one atomic word, `open` = job number << 32 | items
 *        that nobody has taken yet. A thread takes the highest items by
 *        compare-and-swap: a share of what is left (guided self-scheduling), so
 *        that shares are large first and single at the end. `unfinished` counts
 *        items whose call has not returned; who brings it to 0 wakes the
 *        caller. Nobody waits for a thread that has taken nothing, so a small
 *        job ends without the sleepers. Both kinds of waiting spin a little,
 *        then sleep.
 * Holds: task, arg and first change only while `open` has no items and
 *        `unfinished` is 0. A thread reads them between its load of `open` and
 *        its swap; as every job has another number, the swap succeeds only if
 *        they were of this job.
 *        No wake-up is lost: a worker counts itself in `sleepers` before it
 *        looks at `open` for the last time; the caller sets `open` before it
 *        looks at `sleepers`; both sequentially consistent.
 * Cost:  about 0.1 us a job when threads spin, a wake-up (some 10 us) when they
 *        sleep.
 * Tests: unit/pool_test.c, also under the thread sanitizer.
 */
#include "base/pool.h"

#include <signal.h>

#include "base/thread.h"

#define SPINS 1000    /* some 10 us */
#define SHARE_PARTS 4 /* a thread takes 1/(4 * threads) of what is left */
#define ITEMS_MAX (1u << 20) /* of one job; more are several jobs */

struct Pool {
    const Mem *mem;
    uint32_t workers, room; /* running; allocated */
    Lock job_lock;          /* one job at a time */
    Lock sleep_lock;        /* around both conditions */
    pthread_cond_t work_came, job_ended;
    uint8_t apart[64]; /* keeps the next on other cache lines */
    atomic_uint_fast64_t open;
    atomic_size_t first; /* index of the job's lowest item */
    _Atomic(weir_task_fn) task;
    _Atomic(void *) arg;
    uint8_t apart_too[64];
    atomic_size_t unfinished;
    atomic_uint sleepers;
    atomic_bool is_ending;
    pthread_t threads[];
};

static void cpu_pause(void)
{
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint32_t items_of(uint64_t open)
{
    return (uint32_t)open;
}

/* ---- running items ---------------------------------------------------- */

/* Items to run, highest first: indices [begin, end) of the job. */
typedef struct Share {
    weir_task_fn task;
    void *arg;
    size_t begin, end;
} Share;

/* Takes some of the items that are left; false when there are none. */
static bool share_take(Pool *pool, Share *out)
{
    uint_fast64_t open = atomic_load(&pool->open);
    while (items_of(open)) {
        uint32_t left = items_of(open);
        uint32_t n = MAX(left / (SHARE_PARTS * (pool->workers + 1)), 1);
        size_t first = atomic_load_explicit(&pool->first, memory_order_relaxed);
        *out = (Share){
            .task = atomic_load_explicit(&pool->task, memory_order_relaxed),
            .arg = atomic_load_explicit(&pool->arg, memory_order_relaxed),
            .begin = first + left - n,
            .end = first + left,
        };
        if (atomic_compare_exchange_weak(&pool->open, &open, open - n))
            return true;
    }
    return false;
}

/* Runs items until none is left. True if this thread finished the last. */
static bool job_help(Pool *pool)
{
    Share share;
    bool is_last = false;
    while (share_take(pool, &share)) {
        for (size_t i = share.begin; i < share.end; i++)
            share.task(share.arg, i);
        size_t n = share.end - share.begin;
        is_last = atomic_fetch_sub(&pool->unfinished, n) == n;
    }
    return is_last;
}

/* ---- the workers ------------------------------------------------------ */

static bool worker_must_act(Pool *pool)
{
    return items_of(atomic_load(&pool->open)) || atomic_load(&pool->is_ending);
}

static void worker_sleep(Pool *pool)
{
    lock_take(&pool->sleep_lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!worker_must_act(pool))
        pthread_cond_wait(&pool->work_came, &pool->sleep_lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    lock_give(&pool->sleep_lock);
}

static void *worker_main(void *arg)
{
    Pool *pool = arg;
    while (!atomic_load(&pool->is_ending)) {
        if (job_help(pool)) {
            lock_take(&pool->sleep_lock);
            pthread_cond_signal(&pool->job_ended);
            lock_give(&pool->sleep_lock);
        }
        for (int i = 0; i < SPINS && !worker_must_act(pool); i++) cpu_pause();
        if (!worker_must_act(pool)) worker_sleep(pool);
    }
    return NULL;
}

/* Wakes at most `wanted` sleeping workers. */
static void workers_wake(Pool *pool, size_t wanted)
{
    unsigned sleepers = atomic_load(&pool->sleepers);
    if (!sleepers) return;
    lock_take(&pool->sleep_lock);
    for (size_t i = 0; i < MIN(wanted, sleepers); i++)
        pthread_cond_signal(&pool->work_came);
    lock_give(&pool->sleep_lock);
}

/* ---- the calling thread ----------------------------------------------- */

static void job_wait(Pool *pool)
{
    for (int i = 0; i < SPINS && atomic_load(&pool->unfinished); i++)
        cpu_pause();
    if (!atomic_load(&pool->unfinished)) return;
    lock_take(&pool->sleep_lock);
    while (atomic_load(&pool->unfinished))
        pthread_cond_wait(&pool->job_ended, &pool->sleep_lock);
    lock_give(&pool->sleep_lock);
}

static void job_run(Pool *pool, weir_task_fn task, void *arg, size_t first,
                    uint32_t count)
{
    assert(!items_of(atomic_load(&pool->open)));
    assert(!atomic_load(&pool->unfinished));
    atomic_store_explicit(&pool->first, first, memory_order_relaxed);
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->arg, arg, memory_order_relaxed);
    atomic_store(&pool->unfinished, count);
    uint64_t number = (atomic_load(&pool->open) >> 32) + 1;
    atomic_store(&pool->open, number << 32 | count);
    workers_wake(pool, count - 1);
    job_help(pool);
    job_wait(pool);
}

void pool_run(Pool *pool, weir_task_fn task, void *arg, size_t count)
{
    if (count <= 1 || !pool->workers) {
        for (size_t i = 0; i < count; i++) task(arg, i);
        return;
    }
    lock_take(&pool->job_lock);
    for (size_t first = 0; first < count;) {
        size_t n = MIN(count - first, (size_t)ITEMS_MAX);
        job_run(pool, task, arg, first, (uint32_t)n);
        first += n;
    }
    lock_give(&pool->job_lock);
}

/* ---- life ------------------------------------------------------------- */

/* Signals stay with the program's own threads. */
static bool worker_start(Pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t *thread = &pool->threads[pool->workers];
    bool is_started = !pthread_create(thread, NULL, worker_main, pool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static size_t pool_bytes(uint32_t room)
{
    return sizeof(Pool) + room * sizeof(pthread_t);
}

Pool *pool_new(const Mem *mem, uint32_t threads)
{
    assert(threads >= 1 && threads <= POOL_THREADS_MAX);
    Pool *pool = mem_zero(mem, pool_bytes(threads - 1));
    if (!pool) return NULL;
    pool->mem = mem;
    pool->room = threads - 1;
    lock_init(&pool->job_lock);
    lock_init(&pool->sleep_lock);
    pthread_cond_init(&pool->work_came, NULL);
    pthread_cond_init(&pool->job_ended, NULL);
    while (pool->workers < pool->room) {
        if (!worker_start(pool)) {
            pool_free(pool);
            return NULL;
        }
        pool->workers++;
    }
    return pool;
}

void pool_free(Pool *pool)
{
    if (!pool) return;
    lock_take(&pool->sleep_lock);
    atomic_store(&pool->is_ending, true);
    pthread_cond_broadcast(&pool->work_came);
    lock_give(&pool->sleep_lock);
    for (uint32_t i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work_came);
    pthread_cond_destroy(&pool->job_ended);
    lock_free(&pool->sleep_lock);
    lock_free(&pool->job_lock);
    mem_free(pool->mem, pool, pool_bytes(pool->room));
}
