/* penalties.c: tokens that have been are made less likely.
 *
 * Cost: of raw logits one visit of each token in the window, of a list one of
 * each candidate.
 * Tests: unit/sampling_recorded_test.c, unit/sampling_distribution_test.c.
 */
#include "sample/penalties.h"

static float penalised(const weir_sampler_opts *o, float logit, uint32_t count)
{
    if (logit <= 0)
        logit *= o->repeat_penalty;
    else
        logit /= o->repeat_penalty;
    return logit -
           ((float)count * o->frequency_penalty + 1.0f * o->presence_penalty);
}

static void penalise_raw(const weir_sampler_opts *o, History *h,
                         const LogitEdit *logits)
{
    size_t n = MIN(h->window, h->taken.count);
    history_walk(h);
    for (size_t i = 0; i < n; i++) {
        uint32_t id = history_last(h, i);
        if (!history_touch(h, id) || id >= logits->nraw) continue;
        logits->raw[id] = penalised(o, logits->raw[id], h->notes.at[id].count);
    }
}

void penalties_apply(const weir_sampler_opts *o, History *h,
                     const LogitEdit *logits)
{
    if (logits->raw) {
        penalise_raw(o, h, logits);
        return;
    }
    Cands *c = logits->list;
    for (size_t i = 0; i < c->size; i++) {
        uint32_t id = c->at[i].id;
        uint32_t count = id < h->notes.count ? h->notes.at[id].count : 0;
        if (count) c->at[i].key = penalised(o, c->at[i].key, count);
    }
    c->is_sorted = false;
}
