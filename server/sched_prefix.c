/* sched_prefix.c: sequences of the engine, and what prompts have in common.
 *
 * A row gets a sequence of its own. What another sequence, idle or in use,
 * already has of its prompt is copied, all but the last token, whose logits are
 * wanted. A row that is just reading the same beginning is followed: the other
 * one waits until that has been read. Idle sequences keep their tokens until
 * their room is needed, the longest idle go first.
 * Holds: sequence.tokens are the engine's, token by token, whenever no decode
 *        is going on.
 * Cost:  a comparison with each sequence when a row begins.
 * Tests: tests/server/scheduler_prefix_test.c.
 */
#include "server/sched.h"

/* Of another job's row at least so many tokens must be read anew without it, or
 * waiting for it is not worth while. */
enum { FOLLOW_LEAST = 16 };

/* Some sequence has `count` tokens of a prompt. */
typedef struct Source {
    uint32_t sequence, count;
} Source;

static uint32_t common(const uint32_t *a, size_t na, const uint32_t *b,
                       size_t nb)
{
    uint32_t n = 0;
    while (n < na && n < nb && a[n] == b[n]) n++;
    return n;
}

static Source source_find(const Scheduler *s, const Row *row)
{
    const Job *job = row->job;
    Source best = {0, 0};
    for (uint32_t i = 0; i < s->info->sequences; i++) {
        const TokenList *has = &s->sequences[i].tokens;
        uint32_t n =
            common(has->at, has->count, job->prompt, job->prompt_count - 1);
        bool is_idle = !s->sequences[i].row;
        if (n > best.count || (n && n == best.count && is_idle))
            best = (Source){i, n};
    }
    return best;
}

/* The row that is reading more of the same beginning than `has`; or NULL. */
static const Row *leader_find(const Scheduler *s, const Row *row, uint32_t has,
                              uint32_t *shared)
{
    const Row *best = NULL;
    for (uint32_t i = 0; i < s->active.count; i++) {
        const Row *other = s->active.at[i];
        if (!other || other == row || other->state != ROW_READING) continue;
        uint32_t n = common(other->job->prompt, other->job->prompt_count,
                            row->job->prompt, row->job->prompt_count - 1);
        uint32_t least = other->job == row->job ? 1 : FOLLOW_LEAST;
        if (n < has + least || (best && n <= *shared)) continue;
        best = other;
        *shared = n;
    }
    return best;
}

/* ---- sequences ---- */

/* Cuts one to its first `keep` tokens, to none if it cannot be divided. */
static void sequence_cut(Scheduler *s, uint32_t sequence, uint32_t keep)
{
    if (engine_remove(s->engine, sequence, keep, NULL)) {
        engine_remove(s->engine, sequence, 0, NULL);
        keep = 0;
    }
    s->sequences[sequence].tokens.count = keep;
}

/* The idle one to lose: an empty one, or that idle longest. UINT32_MAX: there
 * is none. */
static uint32_t idle_oldest(const Scheduler *s, bool wants_tokens)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->info->sequences; i++) {
        const Sequence *q = &s->sequences[i];
        if (q->row || (wants_tokens && !q->tokens.count)) continue;
        if (best == UINT32_MAX) best = i;
        const Sequence *b = &s->sequences[best];
        if (!q->tokens.count ? b->tokens.count
                             : b->tokens.count && q->used < b->used)
            best = i;
    }
    return best;
}

/* In place if little else is lost by that. */
static uint32_t target_choose(const Scheduler *s, Source source)
{
    const Sequence *q = &s->sequences[source.sequence];
    bool is_mostly = source.count && source.count >= q->tokens.count / 2;
    return !q->row && is_mostly ? source.sequence : idle_oldest(s, false);
}

static void sequence_take(Scheduler *s, Row *row, Source source)
{
    Sequence *q = &s->sequences[row->sequence];
    const Sequence *from = &s->sequences[source.sequence];
    if (source.sequence == row->sequence) {
        sequence_cut(s, row->sequence, source.count);
        return;
    }
    sequence_cut(s, row->sequence, 0);
    if (!source.count || !vec_reserve(&s->mem, &q->tokens, source.count))
        return;
    if (engine_copy(s->engine, source.sequence, row->sequence, source.count,
                    NULL))
        return;
    memcpy(q->tokens.at, from->tokens.at, source.count * sizeof *q->tokens.at);
    q->tokens.count = source.count;
}

/* The rest of the prompt is to be read. */
static bool row_read(Scheduler *s, Row *row)
{
    const Job *job = row->job;
    uint32_t has = s->sequences[row->sequence].tokens.count;
    uint32_t rest = job->prompt_count - has;
    row->state = ROW_READING;
    row->counts.cached = has;
    if (!vec_reserve(&s->mem, &row->feed, rest)) return false;
    memcpy(row->feed.at, job->prompt + has, rest * sizeof *row->feed.at);
    row->feed.count = rest;
    return true;
}

bool prefix_place(Scheduler *s, Row *row)
{
    Source none = {0, 0};
    Source source = s->opts.no_reuse ? none : source_find(s, row);
    const Row *leader = NULL;
    if (!s->opts.no_reuse)
        leader = leader_find(s, row, source.count, &row->common);
    row->sequence = leader ? idle_oldest(s, false) : target_choose(s, source);
    assert(row->sequence != UINT32_MAX);
    s->sequences[row->sequence].row = row;
    if (!leader) {
        sequence_take(s, row, source);
        return row_read(s, row);
    }
    sequence_cut(s, row->sequence, 0);
    row->leader = leader->number;
    row->state = ROW_FOLLOWING;
    return true;
}

/* Whether the row followed is still there, and reading. */
static bool leads_on(const Scheduler *s, const Row *row)
{
    for (uint32_t i = 0; i < s->active.count; i++) {
        const Row *other = s->active.at[i];
        if (!other || other->number != row->leader) continue;
        return other->state == ROW_READING &&
               s->sequences[other->sequence].tokens.count < row->common;
    }
    return false;
}

bool prefix_follow(Scheduler *s, Row *row)
{
    if (leads_on(s, row)) return true;
    sequence_take(s, row, source_find(s, row));
    return row_read(s, row);
}

void prefix_release(Scheduler *s, Row *row)
{
    Sequence *q = &s->sequences[row->sequence];
    q->tokens.count =
        MIN(q->tokens.count, engine_length(s->engine, row->sequence));
    q->row = NULL;
    q->used = s->stats.decodes;
}

bool prefix_evict(Scheduler *s)
{
    uint32_t i = idle_oldest(s, true);
    if (i == UINT32_MAX) return false;
    sequence_cut(s, i, 0);
    return true;
}

bool prefix_resync(Scheduler *s, Row *row)
{
    Sequence *q = &s->sequences[row->sequence];
    uint32_t has = engine_length(s->engine, row->sequence);
    uint32_t lost = q->tokens.count - has, left = row_left(row);
    assert(has <= q->tokens.count);
    if (!lost) return true;
    if (!vec_reserve(&s->mem, &row->feed, (size_t)left + lost)) return false;
    memmove(row->feed.at + lost, row->feed.at + row->fed,
            left * sizeof *row->feed.at);
    memcpy(row->feed.at, q->tokens.at + has, lost * sizeof *row->feed.at);
    row->feed.count = left + lost;
    row->fed = 0;
    q->tokens.count = has;
    return true;
}
