/* weir_decoder_logprobs.c: log probabilities of the tokens of a call, taken
 * from the logits as they come and the mask of the place.
 * Cost: for a token drawn two passes over the logits, and its mask.
 * Tests: unit/decoder_test.c.
 */
#include "api/decoder.h"

#include <math.h>

void decoder_note_begin(weir_decoder *d)
{
    d->logprobs.count = d->tops.count = 0;
}

/* The mask of this place; *mask NULL: all ids are allowed. */
static bool mask_here(weir_decoder *d, size_t width, const int32_t **mask)
{
    weir_matcher *m = decoder_matcher(d);
    size_t ids = d->vocab->vocab.width;
    *mask = NULL;
    if (!m) return true;
    if (!vec_reserve(&d->mem, &d->rows, WEIR_MASK_WORDS(ids))) return false;
    weir_fill fill = weir_matcher_fill(m, d->rows.at);
    if (fill == WEIR_FILL_ERROR) return false;
    if (fill == WEIR_FILL_APPLY || width > ids) *mask = d->rows.at;
    return true;
}

bool decoder_note_draw(weir_decoder *d, const float *logits, size_t width,
                       uint32_t id)
{
    weir_token_logprobs note = {.top = NULL};
    const int32_t *mask;
    size_t ids = d->vocab->vocab.width, most = MIN(d->opts.top_logprobs, width);
    bool is_before = d->opts.logprobs == WEIR_LOGPROBS_BEFORE_MASK;
    if (!d->opts.logprobs) return true;
    if (!mask_here(d, width, &mask) ||
        !vec_reserve(&d->mem, &d->tops, d->tops.count + most))
        return false;
    weir_logprob *top = d->tops.at ? d->tops.at + d->tops.count : NULL;
    size_t before = weir_logprobs(logits, width, NULL, 0, id, &note.before, top,
                                  is_before ? most : 0);
    size_t after = weir_logprobs(logits, width, mask, ids, id, &note.after, top,
                                 is_before ? 0 : most);
    note.top_count = before + after; /* one of them is 0 */
    d->tops.count += (uint32_t)note.top_count;
    return vec_push(&d->mem, &d->logprobs, note);
}

bool decoder_note_other(weir_decoder *d, bool is_forced)
{
    weir_token_logprobs note = {.before = NAN, .after = is_forced ? 0 : NAN};
    return !d->opts.logprobs || vec_push(&d->mem, &d->logprobs, note);
}

const weir_token_logprobs *decoder_notes(weir_decoder *d)
{
    size_t begin = 0;
    if (!d->opts.logprobs) return NULL;
    for (uint32_t i = 0; i < d->logprobs.count; i++) {
        weir_token_logprobs *note = &d->logprobs.at[i];
        note->top = d->tops.at ? d->tops.at + begin : NULL;
        begin += note->top_count;
    }
    return d->logprobs.at;
}
