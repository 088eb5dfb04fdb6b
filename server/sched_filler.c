/* sched_filler.c: threads that make masks while the engine computes.
 *
 * A mask is made as soon as its token has been taken, and remembered by the
 * grammar: what the draw does later is to copy it. So nothing is handed over
 * but the row itself.
 * Method: two lists. Rows whose masks have been slow are on one of their own,
 *        which all threads but one may work on, and who waits does not: so a
 *        slow grammar holds up nobody but itself.
 * Holds: a row is in a list, at work or in `done`, and nobody else touches it
 *        until filler_next has given it back.
 * Cost:  a lock and a wake-up for a post.
 * Tests: tests/server/scheduler_test.c, also under the thread sanitizer.
 */
#include "server/sched_filler.h"

#include <signal.h>
#include <time.h>

/* Rows [next, items.count) are waiting, `busy` more at work. */
typedef struct WorkList {
    VEC(Row *) items;
    uint32_t next, busy;
} WorkList;

struct Filler {
    const Mem *mem;
    size_t words;
    Lock lock;
    pthread_cond_t came, ended;
    WorkList quick, slow;
    VEC(Row *) done;
    bool is_ending;
    int32_t *own;         /* a mask's room, of who waits */
    uint32_t count, room; /* threads started; wanted, which never changes */
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

static uint32_t list_left(const WorkList *l)
{
    return l->items.count - l->next;
}

/* Takes a row and works, with the lock held before and after. */
static void work_next(Filler *f, WorkList *l, int32_t *mask)
{
    Row *row = l->items.at[l->next++];
    if (!list_left(l)) l->items.count = l->next = 0;
    l->busy++;
    lock_give(&f->lock);
    work(row, mask);
    lock_take(&f->lock);
    l->busy--;
    f->done.at[f->done.count++] = row;
    pthread_cond_broadcast(&f->ended);
}

/* What a thread may do now, or NULL. With one thread slow rows come last. */
static WorkList *list_choose(Filler *f)
{
    if (list_left(&f->quick)) return &f->quick;
    bool may = f->slow.busy < MAX(f->room, 2) - 1;
    return may && list_left(&f->slow) ? &f->slow : NULL;
}

static void *filler_main(void *arg)
{
    Filler *f = arg;
    int32_t *mask = mem_new(f->mem, f->words * sizeof *mask);
    lock_take(&f->lock);
    while (mask && !f->is_ending) {
        WorkList *l = list_choose(f);
        if (l)
            work_next(f, l, mask);
        else
            pthread_cond_wait(&f->came, &f->lock);
    }
    lock_give(&f->lock);
    mem_free(f->mem, mask, f->words * sizeof *mask);
    return NULL;
}

/* ---- for the scheduler ---- */

static uint32_t outstanding(const Filler *f)
{
    return list_left(&f->quick) + f->quick.busy + list_left(&f->slow) +
           f->slow.busy;
}

bool filler_post(Filler *f, Row *row)
{
    lock_take(&f->lock);
    WorkList *l = row->slow ? &f->slow : &f->quick;
    size_t most = (size_t)f->done.count + outstanding(f) + 1;
    bool ok =
        vec_reserve(f->mem, &f->done, most) && vec_push(f->mem, &l->items, row);
    if (ok && f->room) pthread_cond_signal(&f->came);
    lock_give(&f->lock);
    return ok;
}

/* With the lock held. */
static void list_finish(Filler *f, WorkList *l)
{
    while (list_left(l)) work_next(f, l, f->own);
    while (l->busy) pthread_cond_wait(&f->ended, &f->lock);
}

void filler_settle(Filler *f)
{
    lock_take(&f->lock);
    list_finish(f, &f->quick);
    if (!f->room) list_finish(f, &f->slow);
    lock_give(&f->lock);
}

void filler_finish(Filler *f)
{
    lock_take(&f->lock);
    list_finish(f, &f->quick);
    list_finish(f, &f->slow);
    lock_give(&f->lock);
}

void filler_wait(Filler *f)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    lock_take(&f->lock);
    if (!f->done.count) pthread_cond_timedwait(&f->ended, &f->lock, &until);
    lock_give(&f->lock);
}

Row *filler_next(Filler *f)
{
    lock_take(&f->lock);
    Row *row = f->done.count ? f->done.at[--f->done.count] : NULL;
    lock_give(&f->lock);
    return row;
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
    vec_free(f->mem, &f->quick.items);
    vec_free(f->mem, &f->slow.items);
    vec_free(f->mem, &f->done);
    mem_free(f->mem, f->own, f->words * sizeof *f->own);
    mem_free(f->mem, f, filler_bytes(f->room));
}
