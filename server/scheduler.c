/* scheduler.c: the scheduler's life, its thread, and what others ask of it.
 *
 *   cancel ─► admit ─► batch ─► decode ─► draw ─► tell ─┐
 *      ▲                          masks beside          │
 *      └────────────────────────────────────────────────┘
 *
 * Holds: what is shared is under one lock, which is never held while the engine
 *        computes, a mask is made or anybody is told.
 * Tests: tests/server/scheduler_*_test.c, also under the thread sanitizer.
 */
#include "server/scheduler.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/pool.h"
#include "server/sched_filler.h"

enum { DEFAULT_WAITING = 256, MOST_WORKERS = 8, SLOW_MASK = 2000000 };

const uint64_t scheduler_mask_bounds[MASK_BOUNDS] = {
    1000,   2000,   5000,    10000,   20000,   50000,    100000,
    200000, 500000, 1000000, 2000000, 5000000, 10000000, 100000000};

uint64_t sched_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the thread ---- */

/* Sleeps while there is nothing to do. False: the end. */
static bool work_wait(Scheduler *s)
{
    lock_take(&s->lock);
    while (!s->queue.count && !s->running && !s->is_ending)
        pthread_cond_wait(&s->came, &s->lock);
    bool goes_on = !s->is_ending;
    lock_give(&s->lock);
    return goes_on;
}

static void stats_show(Scheduler *s)
{
    uint64_t cells = 0;
    for (uint32_t i = 0; i < s->info->sequences; i++)
        cells += s->sequences[i].tokens.count;
    s->stats.cells = (uint32_t)cells;
    lock_take(&s->lock);
    s->shown = s->stats;
    pthread_cond_broadcast(&s->ended);
    lock_give(&s->lock);
}

static void *scheduler_main(void *arg)
{
    Scheduler *s = arg;
    for (uint32_t i = 0; i < s->info->sequences; i++)
        engine_remove(s->engine, i, 0, NULL);
    while (work_wait(s)) {
        uint64_t begin = sched_clock();
        step_cancel(s, false);
        step_admit(s);
        step_draw_deferred(s);
        if (batch_run(s))
            step_draw(s);
        else if (s->deferred)
            filler_wait(s->filler);
        s->stats.step_ns += sched_clock() - begin;
        stats_show(s);
    }
    step_cancel(s, true);
    stats_show(s);
    return NULL;
}

/* ---- life ---- */

static bool opts_check(SchedulerOpts *o, const EngineInfo *info,
                       weir_error *err)
{
    if (!o->rows) o->rows = MIN(info->sequences, info->batch);
    if (o->rows > info->sequences || o->rows > info->batch)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %u rows, expected at most %u, the engine's "
                         "sequences, and %u, its batch",
                         o->rows, info->sequences, info->batch);
    if (o->speculate > DRAFT_MOST)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found drafts of %u tokens, expected at most %d",
                         o->speculate, DRAFT_MOST);
    if (!o->waiting) o->waiting = DEFAULT_WAITING;
    if (!o->context) o->context = info->context / o->rows;
    o->context = MIN(o->context, info->context);
    if (!o->chunk) o->chunk = MAX(info->batch / 2, 1);
    if (!o->slow_mask) o->slow_mask = SLOW_MASK;
    if (!o->workers)
        o->workers = MAX(MIN(pool_processors() / 2, MOST_WORKERS), 1);
    if (o->workers == UINT32_MAX) o->workers = 0;
    return true;
}

static bool parts_new(Scheduler *s)
{
    size_t words = WEIR_MASK_WORDS((size_t)s->info->width);
    s->sequences = mem_zero(&s->mem, s->info->sequences * sizeof *s->sequences);
    s->filler = filler_new(&s->mem, s->opts.workers, words);
    return s->sequences && s->filler &&
           vec_reserve(&s->mem, &s->active, s->opts.rows) &&
           vec_reserve(&s->mem, &s->lane, s->opts.rows) &&
           vec_reserve(&s->mem, &s->rows, s->opts.rows);
}

static void scheduler_clear(Scheduler *s)
{
    Mem mem = s->mem;
    filler_free(s->filler);
    for (uint32_t i = 0; i < s->info->sequences && s->sequences; i++)
        vec_free(&mem, &s->sequences[i].tokens);
    mem_free(&mem, s->sequences, s->info->sequences * sizeof *s->sequences);
    vec_free(&mem, &s->queue);
    vec_free(&mem, &s->active);
    vec_free(&mem, &s->lane);
    vec_free(&mem, &s->rows);
    pthread_cond_destroy(&s->came);
    pthread_cond_destroy(&s->ended);
    lock_free(&s->lock);
    mem_free(&mem, s, sizeof *s);
}

/* Signals stay with the program's own threads. */
static bool thread_start(Scheduler *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = !pthread_create(&s->thread, NULL, scheduler_main, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

Scheduler *scheduler_new(const SchedulerOpts *opts, weir_error *err)
{
    SchedulerOpts o = *opts;
    Mem mem = mem_from_env(opts->env);
    *err = (weir_error){.status = WEIR_OK};
    if (!opts_check(&o, engine_info(opts->engine), err)) return NULL;
    Scheduler *s = mem_zero(&mem, sizeof *s);
    if (!s) {
        diag_no_memory(err);
        return NULL;
    }
    s->mem = mem;
    s->opts = o;
    s->engine = o.engine;
    s->info = engine_info(o.engine);
    lock_init(&s->lock);
    pthread_cond_init(&s->came, NULL);
    pthread_cond_init(&s->ended, NULL);
    if (parts_new(s) && thread_start(s)) return s;
    scheduler_clear(s);
    diag_no_memory(err);
    return NULL;
}

const SchedulerOpts *scheduler_opts(const Scheduler *s)
{
    return &s->opts;
}

/* With the lock held. */
static bool all_ended(const Scheduler *s)
{
    return s->shown.answers == s->nanswers;
}

bool scheduler_drain(Scheduler *s, uint32_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long ns = until.tv_nsec + (long)(ms % 1000) * 1000000;
    until.tv_sec += (time_t)(ms / 1000) + ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    lock_take(&s->lock);
    s->is_stopping = true;
    int answer = 0;
    while (!all_ended(s) && answer != ETIMEDOUT)
        if (ms == UINT32_MAX)
            pthread_cond_wait(&s->ended, &s->lock);
        else
            answer = pthread_cond_timedwait(&s->ended, &s->lock, &until);
    bool done = all_ended(s);
    lock_give(&s->lock);
    return done;
}

void scheduler_free(Scheduler *s)
{
    if (!s) return;
    lock_take(&s->lock);
    s->is_stopping = s->is_ending = true;
    pthread_cond_signal(&s->came);
    lock_give(&s->lock);
    pthread_join(s->thread, NULL);
    scheduler_clear(s);
}

/* ---- jobs ---- */

/* With the lock held. Free rows count as places to wait. */
static bool may_come(Scheduler *s, JobRefusal *r)
{
    uint32_t places = s->opts.waiting + s->opts.rows - s->running;
    r->kind = JOB_TAKEN;
    if (s->is_stopping) {
        r->kind = JOB_STOPPED;
        diag_fail(&r->error, WEIR_LIMIT_WORK, 0, 0,
                  "no more requests are taken: the server is stopping");
    } else if (s->waiting >= places) {
        r->kind = JOB_FULL;
        diag_fail(&r->error, WEIR_LIMIT_WORK, 0, 0,
                  "found %u requests that wait, expected less than %u",
                  s->waiting, places);
    }
    s->nrefused += r->kind != JOB_TAKEN;
    return r->kind == JOB_TAKEN;
}

static bool job_put(Scheduler *s, Job *job, JobRefusal *r)
{
    lock_take(&s->lock);
    bool ok = may_come(s, r);
    if (ok && !queue_put(s, job)) {
        r->kind = JOB_INVALID;
        ok = diag_no_memory(&r->error);
    }
    if (ok) {
        s->njobs++;
        s->nanswers += job->choices;
        pthread_cond_signal(&s->came);
    }
    lock_give(&s->lock);
    return ok;
}

Job *scheduler_submit(Scheduler *s, const JobOpts *opts, JobRefusal *refusal)
{
    *refusal = (JobRefusal){.kind = JOB_TAKEN};
    lock_take(&s->lock);
    bool ok = may_come(s, refusal);
    lock_give(&s->lock);
    Job *job = ok ? job_new(s, opts, refusal) : NULL;
    if (!job || job_put(s, job, refusal)) return job;
    job_free(job);
    return NULL;
}

void job_cancel(Job *job)
{
    atomic_store(&job->is_cancelled, true);
    atomic_store(&job->scheduler->has_cancels, true);
}

/* ---- counts ---- */

void scheduler_stats(Scheduler *s, SchedulerStats *stats)
{
    lock_take(&s->lock);
    *stats = s->shown;
    stats->jobs = s->njobs;
    stats->refused = s->nrefused;
    stats->running = s->running;
    stats->waiting = s->queue.count;
    lock_give(&s->lock);
}
