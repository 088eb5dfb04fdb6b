/* sched_mask.c: when masks are made, and who waits for them.
 *
 * A mask is posted when its place is known: with the row, or with the token
 * before. The draw waits for it, unless masks of that row have been slow: then
 * its logits are kept, the others go on, and it draws when its mask is there.
 * So a slow grammar makes others wait once.
 * Tests: tests/server/scheduler_test.c.
 */
#include "server/sched_filler.h"

/* A slow mask makes the row slow until so many in a row are not. */
enum { SLOW_FOR = 16 };

static void post(Scheduler *s, Row *row)
{
    assert(!row->is_filling);
    row->is_filling = true;
    if (filler_post(s->filler, row))
        s->filling++;
    else
        row->is_filling = false;
}

void mask_post(Scheduler *s, Row *row)
{
    if (!row->wants_mask || row->has_mask) return;
    row->has_mask = true;
    row->proposes = false;
    post(s, row);
}

void draft_post(Scheduler *s, Row *row)
{
    row->proposes = true;
    post(s, row);
}

static void mask_count(SchedulerStats *stats, uint64_t ns)
{
    uint32_t i = 0;
    while (i < MASK_BOUNDS && ns > scheduler_mask_bounds[i]) i++;
    stats->mask_times[i]++;
    stats->masks++;
    stats->mask_ns += ns;
}

void masks_drain(Scheduler *s)
{
    Row *row;
    while (s->filling && (row = filler_next(s->filler))) {
        s->filling--;
        row->is_filling = false;
        row->counts.mask_ns += row->fill_ns;
        mask_count(&s->stats, row->fill_ns);
        if (row->fill_ns > s->opts.slow_mask)
            row->slow = SLOW_FOR;
        else if (row->slow)
            row->slow--;
    }
}

void masks_collect(Scheduler *s)
{
    if (!s->filling) return;
    uint64_t begin = sched_clock();
    filler_settle(s->filler);
    s->stats.mask_wait_ns += sched_clock() - begin;
    masks_drain(s);
}

void masks_finish(Scheduler *s)
{
    if (!s->filling) return;
    uint64_t begin = sched_clock();
    filler_finish(s->filler);
    s->stats.mask_wait_ns += sched_clock() - begin;
    masks_drain(s);
}

bool row_defer(Scheduler *s, Row *row, size_t at)
{
    size_t width = s->info->width, count = (size_t)row->drafts + 1;
    if (!vec_reserve(&s->mem, &row->kept, width * count)) return false;
    for (uint32_t i = 0; i < count; i++)
        memcpy(row->kept.at + i * width, engine_logits(s->engine, at, i),
               width * sizeof *row->kept.at);
    row->is_deferred = true;
    s->deferred++;
    s->stats.late_masks++;
    return true;
}
