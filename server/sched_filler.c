/* sched_filler.c: threads that make masks while the engine computes.
 *
 * A mask is made as soon as its token has been taken, and remembered by the
 * grammar: what the draw does later is to copy it. So nothing is handed over
 * but the row itself.
 * Method: a list of rows, which threads take one by one; who waits takes, too.
 * Holds: items [0, next) are taken, `done` of them are finished; a thread
 *        touches a row only between taking and finishing it, both under the
 *        lock.
 * Cost:  a lock and a wake-up for a post.
 * Tests: tests/server/scheduler_test.c, also under the thread sanitizer.
 */
#include "server/sched_filler.h"

#include <signal.h>
#include <time.h>

struct Filler {
    const Mem *mem;
    size_t words;
    Lock lock;
    pthread_cond_t came, ended;
    VEC(Row *) items;
    uint32_t next, done;
    bool is_ending;
    int32_t *own;         /* a mask's room, of who waits */
    uint32_t count, room; /* threads running; allocated */
    pthread_t threads[];
};

/* ---- the work ---- */

static uint64_t thread_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A chain from the present on: nodes follow each other. */
static void propose(Row *row)
{
    uint32_t tokens[DRAFT_MOST + 1], parents[DRAFT_MOST + 1];
    uint32_t length = row->job->scheduler->opts.speculate;
    weir_lookup_opts opts = {
        .size = sizeof opts, .length = length, .branches = 1};
    size_t n = weir_decoder_propose(row->decoder, &opts, tokens, parents,
                                    (size_t)length + 1);
    row->ndraft = 0;
    for (size_t i = 1; i < n && parents[i] == i - 1; i++)
        row->draft[row->ndraft++] = tokens[i];
}

static void work(Row *row, int32_t *mask)
{
    uint64_t begin = thread_clock();
    weir_matcher *m = row->lazy ? weir_lazy_matcher(row->lazy) : row->matcher;
    if (row->proposes)
        propose(row);
    else if (m)
        weir_matcher_fill(m, mask); /* an error shows in the draw */
    row->fill_ns = thread_clock() - begin;
}

/* Takes a row and works, with the lock held before and after. */
static void work_next(Filler *f, int32_t *mask)
{
    Row *row = f->items.at[f->next++];
    lock_give(&f->lock);
    work(row, mask);
    lock_take(&f->lock);
    if (++f->done == f->items.count) pthread_cond_signal(&f->ended);
}

static void *filler_main(void *arg)
{
    Filler *f = arg;
    int32_t *mask = mem_new(f->mem, f->words * sizeof *mask);
    lock_take(&f->lock);
    while (mask && !f->is_ending)
        if (f->next < f->items.count)
            work_next(f, mask);
        else
            pthread_cond_wait(&f->came, &f->lock);
    lock_give(&f->lock);
    mem_free(f->mem, mask, f->words * sizeof *mask);
    return NULL;
}

/* ---- for the scheduler ---- */

bool filler_post(Filler *f, Row *row)
{
    lock_take(&f->lock);
    bool ok = vec_push(f->mem, &f->items, row);
    if (ok && f->count) pthread_cond_signal(&f->came);
    lock_give(&f->lock);
    return ok;
}

Row *const *filler_wait(Filler *f, uint32_t *count)
{
    lock_take(&f->lock);
    while (f->next < f->items.count) work_next(f, f->own);
    while (f->done < f->items.count) pthread_cond_wait(&f->ended, &f->lock);
    *count = f->items.count;
    lock_give(&f->lock);
    return f->items.at;
}

void filler_done(Filler *f)
{
    lock_take(&f->lock);
    assert(f->done == f->items.count);
    f->items.count = f->next = f->done = 0;
    lock_give(&f->lock);
}

/* ---- life ---- */

/* Signals stay with the program's own threads. */
static bool thread_start(Filler *f)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = !pthread_create(&f->threads[f->count], NULL, filler_main, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static size_t filler_bytes(uint32_t threads)
{
    return sizeof(Filler) + threads * sizeof(pthread_t);
}

Filler *filler_new(const Mem *mem, uint32_t threads, size_t words)
{
    Filler *f = mem_zero(mem, filler_bytes(threads));
    if (!f) return NULL;
    f->mem = mem;
    f->words = words;
    f->room = threads;
    lock_init(&f->lock);
    pthread_cond_init(&f->came, NULL);
    pthread_cond_init(&f->ended, NULL);
    f->own = mem_new(mem, words * sizeof *f->own);
    bool ok = f->own != NULL;
    while (ok && f->count < threads) {
        ok = thread_start(f);
        f->count += ok;
    }
    if (ok) return f;
    filler_free(f);
    return NULL;
}

void filler_free(Filler *f)
{
    if (!f) return;
    lock_take(&f->lock);
    f->is_ending = true;
    pthread_cond_broadcast(&f->came);
    lock_give(&f->lock);
    for (uint32_t i = 0; i < f->count; i++) pthread_join(f->threads[i], NULL);
    pthread_cond_destroy(&f->came);
    pthread_cond_destroy(&f->ended);
    lock_free(&f->lock);
    vec_free(f->mem, &f->items);
    mem_free(f->mem, f->own, f->words * sizeof *f->own);
    mem_free(f->mem, f, filler_bytes(f->room));
}
