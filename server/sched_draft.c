/* sched_draft.c: drafts: tokens that may come next are fed before they are
 * drawn, so that one decode gives the logits of several draws.
 *
 * A draft is what followed in prompt and output when the same tokens came
 * before, less what the constraint refuses (weir_decoder_propose). Draws go on
 * as long as what they give is the draft's next token, each from its own
 * logits: so drafts change no token. Rows whose drafts fail pause: 1, 3, 7,
 * ... 31 steps.
 * Tests: tests/server/scheduler_draft_test.c.
 */
#include "server/sched.h"

enum { PAUSE_MOST = 31 };

/* A row that is filling, or slow, has no time for drafts. */
static bool may_draft(const Scheduler *s, Row *row)
{
    if (s->cannot_draft || row->has_mask || row->slow) return false;
    return row->pause ? row->pause--, false : true;
}

void drafts_propose(Scheduler *s)
{
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        row->ndraft = 0;
        if (row->state != ROW_WRITING || row->is_filling) continue;
        if (may_draft(s, row)) draft_post(s, row);
    }
    masks_collect(s);
    for (uint32_t i = 0; i < s->lane.count; i++) {
        Row *row = s->lane.at[i];
        if (row->state == ROW_WRITING && !row->is_filling && !row->ndraft)
            mask_post(s, row);
    }
}

void draft_add(Scheduler *s, Row *row, uint32_t room)
{
    uint32_t held = s->sequences[row->sequence].tokens.count + row_left(row);
    uint32_t n = MIN(row->ndraft, room);
    n = MIN(n, row->reserve - MIN(row->reserve, held));
    if (!vec_reserve(&s->mem, &row->feed, (size_t)row->feed.count + n)) return;
    for (; row->drafts < n; row->drafts++)
        row->feed.at[row->feed.count++] = row->draft[row->drafts];
    row->share += n;
}

void draft_drop(Row *row)
{
    row->feed.count -= row->drafts;
    row->drafts = 0;
}

void draft_end(Scheduler *s, Row *row, uint32_t right)
{
    TokenList *tokens = &s->sequences[row->sequence].tokens;
    uint32_t wrong = row->drafts - right;
    row->counts.drafted += row->drafts;
    row->counts.accepted += right;
    if (row->drafts) {
        row->setback = right ? 0 : MIN(row->setback * 2 + 1, PAUSE_MOST);
        row->pause = row->setback;
    }
    row->drafts = 0;
    if (!wrong) return;
    tokens->count -= wrong;
    if (!engine_remove(s->engine, row->sequence, tokens->count, NULL)) return;
    /* A model whose state cannot be divided: all is fed again, and there are no
     * drafts any more. */
    engine_remove(s->engine, row->sequence, 0, NULL);
    s->cannot_draft = true;
}
