/* weir_decoder_draw.c: a draw, and before min_tokens one without stop tokens.
 *
 * Stop tokens are held off as a bias would: their logits are minus infinity in
 * a copy. Where they alone are allowed nothing can be drawn so, and the output
 * ends.
 * Cost: before min_tokens a copy of the logits a step.
 * Tests: unit/decoder_test.c.
 */
#include "api/decoder.h"

#include <math.h>

/* The tokens that would end the output here. */
static const uint32_t *stops_here(const weir_decoder *d, uint32_t *count)
{
    const weir_matcher *m = decoder_matcher(d);
    bool constrained = d->matcher || d->opts.lazy;
    *count = m ? m->nstops : d->vocab->vocab.nstops;
    if (d->opts.ignore_stop_tokens && !constrained) *count = 0;
    return m ? m->stops : d->vocab->vocab.stops;
}

static weir_draw draw_early(weir_decoder *d, const float *logits, size_t width,
                            uint32_t *id)
{
    uint32_t count;
    const uint32_t *stops = stops_here(d, &count);
    if (!vec_reserve(&d->mem, &d->logits, width)) return WEIR_DRAW_ERROR;
    if (width) memcpy(d->logits.at, logits, width * sizeof *logits);
    for (uint32_t i = 0; i < count; i++)
        if (stops[i] < width) d->logits.at[stops[i]] = -INFINITY;
    return weir_sampler_draw(d->sampler, d->logits.at, width,
                             decoder_matcher(d), id);
}

bool decoder_draw(weir_decoder *d, const float *logits, size_t width,
                  uint32_t *id)
{
    weir_draw answer = WEIR_DRAW_NONE;
    if (decoder_is_early(d)) answer = draw_early(d, logits, width, id);
    if (answer == WEIR_DRAW_NONE)
        answer = weir_sampler_draw(d->sampler, logits, width,
                                   decoder_matcher(d), id);
    if (answer == WEIR_DRAWN && decoder_note_draw(d, logits, width, *id))
        return true;
    d->finish =
        answer == WEIR_DRAW_NONE ? WEIR_FINISH_STUCK : WEIR_FINISH_ERROR;
    return false;
}
