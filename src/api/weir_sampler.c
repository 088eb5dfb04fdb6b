/* weir_sampler.c: samplers: options, the two ways of putting a mask in, and
 * log probabilities. The work is done in sample/.
 * Tests: unit/sampler_test.c.
 */
#include "api/objects.h"
#include "api/sampler.h"
#include "base/diag.h"
#include "sample/logprobs.h"
#include "sample/top_list.h"
#include "weir/sample.h"

#include <math.h>

/* ---- options ---- */

static const weir_bytes default_breakers[] = {
    {"\n", 1}, {":", 1}, {"\"", 1}, {"*", 1}};

void weir_sampler_defaults(weir_sampler_opts *o)
{
    weir_sampler_neutral(o);
    o->temperature = 0.8f;
    o->top_k = 40;
    o->top_p = 0.95f;
    o->min_p = 0.05f;
}

void weir_sampler_neutral(weir_sampler_opts *o)
{
    *o = (weir_sampler_opts){.size = sizeof *o,
                             .seed = WEIR_SEED_RANDOM,
                             .temperature = 1,
                             .dynamic_exponent = 1,
                             .top_p = 1,
                             .typical_p = 1,
                             .top_n_sigma = -1,
                             .xtc_threshold = 0.1f,
                             .penalty_last_n = 64,
                             .repeat_penalty = 1,
                             .dry_base = 1.75f,
                             .dry_allowed_length = 2,
                             .dry_last_n = 64,
                             .dry_breakers = default_breakers,
                             .dry_breaker_count = COUNT_OF(default_breakers),
                             .mirostat_tau = 5,
                             .mirostat_eta = 0.1f,
                             .adaptive_target = -1,
                             .adaptive_decay = 0.9f};
}

/* ---- life ---- */

static weir_bytes token_text(const void *user, uint32_t id)
{
    return weir_vocab_token(user, id).bytes;
}

static size_t encode_text(const void *user, weir_bytes text, uint32_t *ids,
                          size_t capacity)
{
    return weir_vocab_encode(user, text, false, ids, capacity);
}

static weir_sampler *sampler_alloc(const Mem *mem)
{
    weir_sampler *s = mem_zero(mem, sizeof *s);
    if (!s) return NULL;
    s->mem = s->chain.mem = *mem;
    return s;
}

weir_sampler *weir_sampler_new(const weir_env *env, const weir_vocab *vocab,
                               const weir_sampler_opts *given, weir_error *err)
{
    weir_error local;
    weir_sampler_opts opts;
    err = error_begin(err, &local);
    weir_sampler_defaults(&opts);
    if (given && !opts_known(given, given->size, sizeof opts, err)) return NULL;
    if (given) memcpy(&opts, given, MIN(given->size, sizeof opts));
    if (!chain_check(&opts, err)) return NULL;
    Mem mem = mem_from_env(env);
    BreakerVocab texts = {vocab ? weir_vocab_width(vocab) : 0, token_text,
                          encode_text, vocab};
    weir_sampler *s = sampler_alloc(&mem);
    if (!s) return diag_no_memory(err), NULL;
    if (chain_init(&s->chain, &opts, vocab ? &texts : NULL, err)) return s;
    weir_sampler_free(s);
    return NULL;
}

void weir_sampler_free(weir_sampler *s)
{
    if (!s) return;
    Mem mem = s->mem;
    chain_free(&s->chain);
    mem_free(&mem, s->row, s->row_words * sizeof *s->row);
    mem_free(&mem, s, sizeof *s);
}

weir_sampler *weir_sampler_fork(const weir_sampler *from)
{
    weir_sampler *s = sampler_alloc(&from->mem);
    if (!s || chain_copy(&s->chain, &from->chain)) return s;
    weir_sampler_free(s);
    return NULL;
}

void weir_sampler_reset(weir_sampler *s)
{
    chain_reset(&s->chain);
}

uint32_t weir_sampler_seed(const weir_sampler *s)
{
    return s->chain.seed;
}

/* ---- drawing ---- */

weir_draw weir_sampler_draw_mask(weir_sampler *s, const float *logits,
                                 size_t width, const int32_t *mask,
                                 size_t mask_width, uint32_t *id)
{
    ChainStep step = {.logits = logits, .width = width};
    bool redraws = mask && s->chain.opts.redraw;
    if (!redraws) step.mask = mask, step.mask_width = mask_width;
    weir_draw answer = chain_draw(&s->chain, &step, id);
    if (!redraws || answer == WEIR_DRAW_ERROR) return answer;
    if (answer == WEIR_DRAWN && *id < mask_width &&
        (uint32_t)mask[*id / 32] >> (*id % 32) & 1)
        return answer;
    step.mask = mask;
    step.mask_width = mask_width;
    step.keeps_refused = true;
    return chain_draw(&s->chain, &step, id);
}

/* The matcher's mask into the step; none if all are allowed. */
static bool fill_step(weir_sampler *s, weir_matcher *m, ChainStep *step)
{
    size_t width = m->grammar->vocab->vocab.width;
    size_t words = WEIR_MASK_WORDS(width);
    if (words > s->row_words) {
        mem_free(&s->mem, s->row, s->row_words * sizeof *s->row);
        s->row = mem_new(&s->mem, words * sizeof *s->row);
        s->row_words = s->row ? words : 0;
        if (!s->row) return false;
    }
    weir_fill fill = weir_matcher_fill(m, s->row);
    if (fill == WEIR_FILL_ERROR) return false;
    bool is_all = fill == WEIR_FILL_ALL && step->width <= width;
    step->mask = is_all ? NULL : s->row;
    step->mask_width = width;
    return true;
}

weir_draw weir_sampler_draw(weir_sampler *s, const float *logits, size_t width,
                            weir_matcher *m, uint32_t *id)
{
    ChainStep step = {.logits = logits, .width = width};
    if (!m) return chain_draw(&s->chain, &step, id);
    if (s->chain.opts.free_text_only)
        step.skips_penalties = !weir_matcher_is_free_text(m);
    if (s->chain.opts.redraw) {
        weir_draw answer = chain_draw(&s->chain, &step, id);
        if (answer == WEIR_DRAW_ERROR) return answer;
        if (answer == WEIR_DRAWN && weir_matcher_allows(m, *id)) return answer;
        step.keeps_refused = true;
    }
    if (!fill_step(s, m, &step)) return WEIR_DRAW_ERROR;
    return chain_draw(&s->chain, &step, id);
}

/* ---- history ---- */

bool weir_sampler_accept(weir_sampler *s, uint32_t id)
{
    return id < HISTORY_MAX_IDS && chain_take(&s->chain, id);
}

bool weir_sampler_pass(weir_sampler *s)
{
    return chain_take(&s->chain, HISTORY_GAP);
}

weir_status weir_sampler_rollback(weir_sampler *s, size_t count)
{
    if (count > s->chain.history.taken.count) return WEIR_ROLLBACK;
    for (; count; count--) chain_untake(&s->chain);
    return WEIR_OK;
}

/* ---- what was drawn from ---- */

size_t weir_sampler_candidates(const weir_sampler *s, weir_candidate *out,
                               size_t capacity)
{
    const Cands *c = &s->chain.cands;
    size_t total = 0, n = 0;
    if (s->chain.chosen == SIZE_MAX) return 0;
    for (size_t i = 0; i < c->size; i++) {
        if (c->p[i] <= 0) continue;
        total++;
        top_add(out, &n, capacity, (Scored){c->at[i].id, c->p[i]});
    }
    top_sort(out, n);
    return total;
}

size_t weir_logprobs(const float *logits, size_t width, const int32_t *mask,
                     size_t mask_width, uint32_t id, float *own,
                     weir_logprob *top, size_t capacity)
{
    LogitRow row = {logits, width, mask, mask_width};
    float max;
    double log_sum;
    if (own) *own = -INFINITY;
    if (!logprobs_sum(&row, &max, &log_sum)) return 0;
    if (own) *own = logprobs_of(&row, id, max, log_sum);
    return logprobs_top(&row, max, log_sum, top, capacity);
}
