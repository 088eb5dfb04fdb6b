/* sched_queue.c: who is next.
 *
 * Each row has a turn: that of the row admitted last when its job came, plus
 * the number of the answer within its job. The least is next; of equal ones
 * the earlier job. So first answers come in the order of their jobs, a job
 * with many answers does not hold up those behind it, and nobody waits for
 * ever, as new turns never lie behind. (Start-time fair queueing.)
 * What has ended before it began needs no room, and is next at once.
 * Holds: turns of rows in the queue are never less than s->turn was when they
 *        came.
 * Cost:  a look at each row in the queue.
 * Tests: tests/server/scheduler_test.c.
 */
#include "server/sched.h"

bool queue_put(Scheduler *s, Job *job)
{
    size_t need = (size_t)s->queue.count + job->choices;
    if (!vec_reserve(&s->mem, &s->queue, need)) return false;
    for (uint32_t i = 0; i < job->choices; i++) {
        Row *row = &job->rows[i];
        row->number = ++s->next_number;
        row->turn = s->turn + i;
        s->queue.at[s->queue.count++] = row;
    }
    s->waiting++;
    return true;
}

static Row *take_at(Scheduler *s, uint32_t at)
{
    Row *row = s->queue.at[at];
    for (; at + 1 < s->queue.count; at++) s->queue.at[at] = s->queue.at[at + 1];
    s->queue.count--;
    if (!row->job->has_begun) s->waiting--;
    row->job->has_begun = true;
    return row;
}

static bool has_room(const Scheduler *s, const Row *row)
{
    return s->running < s->opts.rows &&
           s->reserved + row->reserve <= s->info->context;
}

Row *queue_take(Scheduler *s)
{
    uint32_t best = 0;
    if (!s->queue.count) return NULL;
    for (uint32_t i = 0; i < s->queue.count; i++) {
        const Row *row = s->queue.at[i];
        if (row->is_over) return take_at(s, i);
        if (row->turn < s->queue.at[best]->turn) best = i;
    }
    if (!has_room(s, s->queue.at[best])) return NULL;
    Row *row = take_at(s, best);
    s->turn = MAX(s->turn, row->turn);
    s->running++;
    s->reserved += row->reserve;
    row->has_room = true;
    return row;
}

void queue_give(Scheduler *s, Row *row)
{
    if (!row->has_room) return;
    s->running--;
    s->reserved -= row->reserve;
    row->has_room = false;
}

Row *queue_take_cancelled(Scheduler *s, bool all)
{
    for (uint32_t i = 0; i < s->queue.count; i++)
        if (all || atomic_load(&s->queue.at[i]->job->is_cancelled))
            return take_at(s, i);
    return NULL;
}
