/* sched_batch.c: which tokens the next decode has.
 *
 * Rows that share no decode are lanes of their own, all others are one lane;
 * lanes take turns. Within a lane each answer that goes on gets a token first;
 * prompts get up to a chunk: the oldest a quarter of it, then those of which
 * least is left; what remains goes to answers with more tokens (forced text)
 * and to drafts. So prompts never stop answers nor answers prompts, short
 * prompts pass long ones, and none waits for ever.
 * Holds: rows <= tokens of a decode, so each row of a lane of answers has one.
 * Tests: tests/server/scheduler_test.c.
 */
#include "server/sched.h"

/* ---- lanes ---- */

/* Rows that may be fed now. Returns how many of them share no decode. */
static uint32_t rows_ready(Scheduler *s)
{
    uint32_t nalone = 0;
    s->lane.count = 0;
    for (uint32_t i = 0; i < s->active.count; i++) {
        Row *row = s->active.at[i];
        if (!row || row->state == ROW_FOLLOWING || row->is_deferred) continue;
        s->lane.at[s->lane.count++] = row;
        nalone += row->is_alone;
    }
    return nalone;
}

/* Leaves the rows of the lane whose turn it is. */
static bool lane_choose(Scheduler *s)
{
    uint32_t nalone = rows_ready(s), kept = 0;
    if (!nalone) return s->lane.count > 0;
    bool has_batch = nalone < s->lane.count;
    uint64_t turn = s->lanes++ % (nalone + has_batch);
    uint64_t alone = turn - has_batch; /* number of that one */
    bool is_batch = has_batch && !turn;
    for (uint32_t i = 0, seen = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        bool is_it = row->is_alone ? !is_batch && seen == alone : is_batch;
        seen += row->is_alone;
        if (is_it) s->lane.at[kept++] = row;
    }
    s->lane.count = kept;
    return true;
}

/* ---- shares ---- */

static uint32_t row_give(Row *row, uint32_t most)
{
    uint32_t n = MIN(row_left(row) - row->share, most);
    row->share += n;
    return n;
}

/* Gives rows that write tokens of their feeds in equal parts. Returns how many
 * are left of the budget. */
static uint32_t share_answers(Scheduler *s, uint32_t budget)
{
    uint32_t wanting = 1;
    while (budget && wanting) {
        wanting = 0;
        for (uint32_t i = 0; i < s->lane.count; i++) {
            const Row *row = s->lane.at[i];
            wanting += row->state == ROW_WRITING && row->share < row_left(row);
        }
        uint32_t part = wanting ? MAX(budget / wanting, 1) : 0;
        for (uint32_t i = 0; i < s->lane.count && budget; i++) {
            Row *row = s->lane.at[i];
            if (row->state == ROW_WRITING)
                budget -= row_give(row, MIN(part, budget));
        }
    }
    return budget;
}

/* The row that reads and wants more: the oldest, or that with least left. */
static Row *reader_find(const Scheduler *s, bool oldest)
{
    Row *best = NULL;
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        uint32_t left = row_left(row) - row->share;
        if (row->state != ROW_READING || !left) continue;
        bool is_better =
            !best || (oldest ? row->number < best->number
                             : left < row_left(best) - best->share);
        if (is_better) best = row;
    }
    return best;
}

/* Gives rows that read tokens of their prompts. Returns how many are left of
 * the budget. */
static uint32_t share_prompts(Scheduler *s, uint32_t budget)
{
    Row *row = reader_find(s, true);
    if (row) budget -= row_give(row, MIN(MAX(budget / 4, 1), budget));
    while (budget && (row = reader_find(s, false)))
        budget -= row_give(row, budget);
    return budget;
}

/* Tokens for each row of the lane, none for some prompts. */
static void shares_set(Scheduler *s)
{
    uint32_t budget = s->info->batch, nwriting = 0;
    for (uint32_t i = 0; i < s->lane.count; i++) {
        s->lane.at[i]->share = 0;
        nwriting += s->lane.at[i]->state == ROW_WRITING;
    }
    uint32_t chunk = nwriting ? MIN(s->opts.chunk, budget - nwriting) : budget;
    uint32_t unread = share_prompts(s, chunk);
    budget = share_answers(s, budget - chunk + unread);
    for (uint32_t i = 0; i < s->lane.count && budget; i++) {
        Row *row = s->lane.at[i];
        if (!row->ndraft || row->share < row_left(row)) continue;
        draft_add(s, row, budget);
        budget -= row->drafts;
    }
}

/* ---- decoding ---- */

/* False: out of memory. */
static bool row_add(Scheduler *s, Row *row)
{
    TokenList *has = &s->sequences[row->sequence].tokens;
    bool is_whole = row->share == row_left(row);
    bool draws = is_whole && !row->job->prompt_only;
    EngineRow add = {.sequence = row->sequence,
                     .position = has->count,
                     .tokens = row->feed.at + row->fed,
                     .count = row->share,
                     .logits = draws ? 1 + row->drafts : 0};
    s->rows.at[s->rows.count++] = add;
    return vec_reserve(&s->mem, has, (size_t)has->count + row->share);
}

/* The rows with tokens, in the order of the lane, which loses the others. */
static bool rows_set(Scheduler *s)
{
    uint32_t kept = 0;
    s->rows.count = 0;
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        if (!row->share) continue;
        if (!row_add(s, row)) return false;
        s->lane.at[kept++] = row;
    }
    s->lane.count = kept;
    assert(kept);
    return true;
}

static void rows_fed(Scheduler *s)
{
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        TokenList *has = &s->sequences[row->sequence].tokens;
        memcpy(has->at + has->count, row->feed.at + row->fed,
               row->share * sizeof *has->at);
        has->count += row->share;
        row->fed += row->share;
        s->stats.decoded_tokens += row->share;
    }
}

static Row *row_newest(const Scheduler *s)
{
    Row *newest = NULL;
    for (uint32_t i = 0; i < s->active.count; i++) {
        Row *row = s->active.at[i];
        if (row && (!newest || row->number > newest->number)) newest = row;
    }
    return newest;
}

/* Without room an idle sequence goes, else the newest answer; with any other
 * error all that were in the decode. The others are tried again. */
static void decode_failed(Scheduler *s, const weir_error *err)
{
    Row *newest = row_newest(s);
    bool is_full = err->status == WEIR_LIMIT_MEMORY;
    bool has_room = is_full && prefix_evict(s);
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        draft_drop(row);
        if (!is_full)
            step_fail(s, row, err);
        else if ((has_room || row != newest) && !prefix_resync(s, row))
            step_fail(s, row, err);
    }
    if (is_full && !has_room) step_fail(s, newest, err);
}

bool batch_run(Scheduler *s)
{
    weir_error err = {.status = WEIR_OK};
    if (!lane_choose(s)) return false;
    if (s->opts.speculate) drafts_propose(s);
    shares_set(s);
    if (!rows_set(s)) {
        diag_no_memory(&err);
        decode_failed(s, &err);
        return false;
    }
    uint64_t begin = sched_clock();
    weir_status status =
        engine_decode(s->engine, s->rows.at, s->rows.count, &err);
    s->stats.decode_ns += sched_clock() - begin;
    s->stats.decodes++;
    if (status) {
        decode_failed(s, &err);
        return false;
    }
    rows_fed(s);
    return true;
}
