/* sched_step.c: answers begin, go on and end; their owners are told.
 *
 * A row that has ended is told so at once, and out of the batch before the next
 * decode: its place in `active` is NULL from then on, since its job may be gone
 * with the last event.
 * Tests: tests/server/scheduler_test.c.
 */
#include "server/sched.h"

/* ---- events ---- */

static void tell(Row *row, JobEvent *event)
{
    uint64_t now = sched_clock();
    if (row->read_ns) row->counts.decode_ns = now - row->read_ns;
    event->choice = row->choice;
    event->counts = row->counts;
    row->job->notify(row->job->user, event);
}

static void tell_started(Scheduler *s, Row *row)
{
    JobEvent event = {.kind = JOB_STARTED};
    row->read_ns = sched_clock();
    row->counts.prompt_ns = row->read_ns - row->admitted_ns;
    s->stats.prompt_tokens += row->counts.prompt;
    s->stats.cached_tokens += row->counts.cached;
    tell(row, &event);
}

static void stats_add_answer(SchedulerStats *stats, const Row *row,
                             const JobEvent *event)
{
    stats->answers++;
    stats->cancelled += event->cancelled;
    stats->failed += event->finish == WEIR_FINISH_ERROR;
    stats->output_tokens += row->counts.output;
    stats->forced_tokens += row->counts.forced;
    stats->drafted_tokens += row->counts.drafted;
    stats->accepted_tokens += row->counts.accepted;
}

/* ---- ends ---- */

/* Nothing of the row may be used afterwards. */
static void row_end(Scheduler *s, Row *row, JobEvent *event)
{
    assert(!row->is_filling);
    event->kind = JOB_END;
    event->is_last = !--row->job->left;
    if (row->state != ROW_QUEUED) {
        s->active.at[row->place] = NULL;
        prefix_release(s, row);
    }
    s->deferred -= row->is_deferred;
    lock_take(&s->lock);
    queue_give(s, row);
    lock_give(&s->lock);
    stats_add_answer(&s->stats, row, event);
    row_clear(row);
    tell(row, event);
}

void step_fail(Scheduler *s, Row *row, const weir_error *err)
{
    JobEvent event = {.finish = WEIR_FINISH_ERROR, .error = err};
    if (row->is_filling) masks_finish(s);
    row_end(s, row, &event);
}

static void row_cancel(Scheduler *s, Row *row)
{
    JobEvent event = {.cancelled = true};
    row_end(s, row, &event);
}

static void places_close(Scheduler *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->active.count; i++) {
        Row *row = s->active.at[i];
        if (!row) continue;
        row->place = kept;
        s->active.at[kept++] = row;
    }
    s->active.count = kept;
}

void step_cancel(Scheduler *s, bool all)
{
    Row *row;
    if (!atomic_exchange(&s->has_cancels, false) && !all) return;
    if (all)
        masks_finish(s);
    else
        masks_collect(s);
    for (uint32_t i = 0; i < s->active.count; i++) {
        row = s->active.at[i];
        if (!row || !(all || atomic_load(&row->job->is_cancelled))) continue;
        if (row->is_filling)
            atomic_store(&s->has_cancels, true); /* it is slow: later */
        else
            row_cancel(s, row);
    }
    for (;;) {
        lock_take(&s->lock);
        row = queue_take_cancelled(s, all);
        lock_give(&s->lock);
        if (!row) break;
        row_cancel(s, row);
    }
}

/* ---- beginnings ---- */

static const weir_error no_memory = {.status = WEIR_NO_MEMORY,
                                     .message = "out of memory"};

/* Of rows with drafts, when these are looked up. */
static void mask_begin(Scheduler *s, Row *row)
{
    if (!s->opts.speculate || row->state != ROW_WRITING) mask_post(s, row);
}

static void row_begin(Scheduler *s, Row *row)
{
    row->admitted_ns = sched_clock();
    row->counts.wait_ns = row->admitted_ns - row->job->submitted_ns;
    if (row->is_over) {
        JobEvent event = {.finish = WEIR_FINISH_END, .completed = true};
        tell_started(s, row);
        row_end(s, row, &event);
        return;
    }
    row->place = s->active.count;
    s->active.at[s->active.count++] = row;
    if (prefix_place(s, row))
        mask_begin(s, row);
    else
        step_fail(s, row, &no_memory);
}

void step_admit(Scheduler *s)
{
    places_close(s);
    for (;;) {
        lock_take(&s->lock);
        Row *row = queue_take(s);
        lock_give(&s->lock);
        if (!row) break;
        row_begin(s, row);
    }
    for (uint32_t i = 0; i < s->active.count; i++) {
        Row *row = s->active.at[i];
        if (row && row->state == ROW_FOLLOWING && !prefix_follow(s, row))
            step_fail(s, row, &no_memory);
    }
}

/* ---- draws ---- */

static weir_error error_of(const Row *row)
{
    weir_error err = {.status = WEIR_OK};
    weir_matcher *m = row->lazy ? weir_lazy_matcher(row->lazy) : row->matcher;
    weir_status status = m ? weir_matcher_error(m) : WEIR_OK;
    if (!status) status = WEIR_NO_MEMORY;
    diag_fail(&err, status, 0, 0, "%s", weir_status_text(status));
    return err;
}

static void row_finish(Scheduler *s, Row *row, weir_finish finish,
                       bool completed)
{
    weir_error err = {.status = WEIR_OK};
    JobEvent event = {.finish = finish, .completed = completed};
    if (finish == WEIR_FINISH_ERROR) {
        err = error_of(row);
        event.error = &err;
    }
    row_end(s, row, &event);
}

/* Of this place. A mask that cannot be made shows in the draw. */
static uint32_t allowed_here(const Scheduler *s, const Row *row)
{
    weir_matcher *m = row->lazy ? weir_lazy_matcher(row->lazy) : row->matcher;
    const int32_t *mask =
        m && row->job->count_allowed ? weir_matcher_mask(m) : NULL;
    uint32_t width = weir_vocab_width(engine_vocab(s->engine));
    return mask ? (uint32_t)weir_mask_count(mask, width, NULL) : UINT32_MAX;
}

/* How many of the tokens are the draft's next ones after the first `right`. */
static uint32_t draft_matches(const Row *row, uint32_t right,
                              const weir_decoded *out)
{
    uint32_t n = 0;
    while (n < out->token_count && right + n < row->drafts &&
           row->draft[right + n] == out->tokens[n])
        n++;
    return n;
}

/* After that many right tokens of its draft. */
static const float *row_logits(const Scheduler *s, const Row *row, size_t at,
                               uint32_t right)
{
    if (!row->is_deferred) return engine_logits(s->engine, at, right);
    return row->kept.at + (size_t)right * s->info->width;
}

/* A draw that was slow made its mask itself, as profiles with redraw do: from
 * now on it is made beforehand. */
static void draw(Scheduler *s, Row *row, const float *logits, weir_decoded *out)
{
    uint64_t begin = sched_clock();
    weir_decoder_step(row->decoder, logits, s->info->width, out);
    row->counts.output += (uint32_t)out->token_count;
    row->counts.forced += (uint32_t)out->forced;
    if (row->wants_mask || sched_clock() - begin <= s->opts.slow_mask) return;
    row->wants_mask = row_is_constrained(row);
}

/* Draws, and goes on along the draft while it is right. The tokens that are to
 * be fed are in row->feed then. */
static bool row_draw(Scheduler *s, Row *row, size_t at, weir_decoded *out)
{
    uint32_t right = 0, matches;
    row->has_mask = false;
    do {
        const float *logits = row_logits(s, row, at, right);
        uint32_t allowed = allowed_here(s, row);
        draw(s, row, logits, out);
        JobEvent event = {.kind = JOB_STEP,
                          .step = out,
                          .sampler = row->sampler,
                          .allowed = allowed};
        tell(row, &event);
        matches = draft_matches(row, right, out);
        right += matches;
    } while (!out->finish && matches == out->token_count);
    s->deferred -= row->is_deferred;
    row->is_deferred = false;
    draft_end(s, row, right);
    if (out->finish) return true;
    for (size_t i = matches; i < out->token_count; i++)
        if (!vec_push(&s->mem, &row->feed, out->tokens[i])) return false;
    return prefix_resync(s, row);
}

/* A row whose feed has been taken. */
static void row_step(Scheduler *s, Row *row, size_t at)
{
    weir_decoded out = {0};
    row->feed.count = row->fed = 0;
    if (row->state == ROW_READING) tell_started(s, row);
    row->state = ROW_WRITING;
    if (row->job->prompt_only)
        row_finish(s, row, WEIR_FINISH_LENGTH, false);
    else if (!row_draw(s, row, at, &out))
        step_fail(s, row, &no_memory);
    else if (out.finish)
        row_finish(s, row, out.finish, out.completed);
    else
        mask_begin(s, row);
}

void step_draw(Scheduler *s)
{
    masks_collect(s);
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        if (row_left(row)) continue;
        if (row->is_filling && row_defer(s, row, i)) continue;
        if (row->is_filling) masks_finish(s);
        row_step(s, row, i);
    }
}

void step_draw_deferred(Scheduler *s)
{
    if (!s->deferred) return;
    masks_drain(s);
    for (uint32_t i = 0; i < s->active.count; i++) {
        Row *row = s->active.at[i];
        if (row && row->is_deferred && !row->is_filling) row_step(s, row, 0);
    }
}
