/* chain.c: a sampler's life, and a draw.
 *
 * The caller's logits are never changed: bias, penalties and masks go into a
 * copy, which is made only if there are any.
 * Cost: a look at each logit, a copy of them when they are changed; what the
 * samplers cost comes on top.
 * Tests: unit/sampler_test.c, unit/sampling_recorded_test.c.
 */
#include "sample/chain.h"

#include "base/diag.h"
#include "sample/apply.h"
#include "sample/truncate.h"

#include <math.h>
#include <time.h>

/* ---- life ---- */

static const weir_sampler_kind default_order[] = {
    WEIR_SAMPLER_PENALTIES, WEIR_SAMPLER_DRY,     WEIR_SAMPLER_TOP_N_SIGMA,
    WEIR_SAMPLER_TOP_K,     WEIR_SAMPLER_TYPICAL, WEIR_SAMPLER_TOP_P,
    WEIR_SAMPLER_MIN_P,     WEIR_SAMPLER_XTC,     WEIR_SAMPLER_TEMPERATURE};

static bool is_adaptive(const weir_sampler_opts *o)
{
    return o->adaptive_target >= 0 && !o->mirostat;
}

static bool penalises(const weir_sampler_opts *o)
{
    return o->penalty_last_n &&
           (o->repeat_penalty != 1 || o->frequency_penalty != 0 ||
            o->presence_penalty != 0);
}

static bool has_dry(const weir_sampler_opts *o)
{
    return o->dry_multiplier != 0 && o->dry_base >= 1 && o->dry_last_n;
}

/* Of the clock and the place, mixed (splitmix64). */
static uint32_t random_seed(const Chain *c)
{
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    uint64_t z = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    z += (uint64_t)(uintptr_t)c + c->random.word[0];
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    uint32_t seed = (uint32_t)(z ^ z >> 31);
    return seed == WEIR_SEED_RANDOM ? 0 : seed;
}

void chain_reset(Chain *c)
{
    c->seed = c->opts.seed;
    if (c->seed == WEIR_SEED_RANDOM) c->seed = random_seed(c);
    mt_seed(&c->random, c->seed);
    mt_seed(&c->random_xtc, c->seed);
    c->mirostat = (Mirostat){c->opts.mirostat_tau, c->opts.mirostat_eta,
                             2 * c->opts.mirostat_tau};
    c->adaptive =
        adaptive_begin(c->opts.adaptive_target, c->opts.adaptive_decay);
    c->steps.count = 0;
    c->drawn = HISTORY_GAP;
    history_clear(&c->history);
    c->cands.size = 0;
    c->chosen = SIZE_MAX;
}

static void *copy(const Mem *mem, const void *from, size_t nbytes)
{
    void *to = mem_new(mem, nbytes);
    if (to && nbytes) memcpy(to, from, nbytes);
    return to;
}

/* Options with lists of their own, breakers excepted: they are gone. */
static bool copy_opts(Chain *c, const weir_sampler_opts *o)
{
    const weir_sampler_kind *order = o->order_count ? o->order : default_order;
    c->opts = *o;
    c->opts.dry_breakers = NULL;
    c->opts.dry_breaker_count = 0;
    if (!o->order_count) c->opts.order_count = COUNT_OF(default_order);
    c->opts.bias = copy(&c->mem, o->bias, o->bias_count * sizeof *o->bias);
    c->opts.order = copy(&c->mem, order, c->opts.order_count * sizeof *order);
    return c->opts.bias && c->opts.order;
}

static bool init_parts(Chain *c, const weir_sampler_opts *o)
{
    uint32_t last = (uint32_t)o->penalty_last_n;
    if (!copy_opts(c, o)) return false;
    c->cands.mem = c->mem;
    if (penalises(o))
        c->history.window = o->penalty_last_n < 0 ? UINT32_MAX : last;
    return true;
}

bool chain_init(Chain *c, const weir_sampler_opts *o, const BreakerVocab *vocab,
                weir_error *err)
{
    bool has_notes = penalises(o) || has_dry(o);
    if (!init_parts(c, o)) return diag_no_memory(err);
    if (vocab && has_notes &&
        !history_width(&c->history, &c->mem, vocab->width))
        return diag_no_memory(err);
    if (vocab && has_dry(o) &&
        !breakers_find(&c->breakers, &c->mem, vocab, o->dry_breakers,
                       o->dry_breaker_count))
        return diag_no_memory(err);
    chain_reset(c);
    return true;
}

static bool copy_adaptive(Chain *to, const Chain *from)
{
    to->adaptive = from->adaptive;
    to->drawn = from->drawn;
    to->drawn_p = from->drawn_p;
    for (uint32_t i = 0; i < from->steps.count; i++)
        if (!vec_push(&to->mem, &to->steps, from->steps.at[i])) return false;
    return true;
}

bool chain_copy(Chain *to, const Chain *from)
{
    if (!init_parts(to, &from->opts) ||
        !breakers_copy(&to->breakers, &from->breakers, &to->mem) ||
        !history_copy(&to->history, &from->history, &to->mem) ||
        !copy_adaptive(to, from))
        return false;
    to->seed = from->seed;
    to->random = from->random;
    to->random_xtc = from->random_xtc;
    to->mirostat = from->mirostat;
    to->chosen = SIZE_MAX;
    return true;
}

void chain_free(Chain *c)
{
    const weir_sampler_opts *o = &c->opts;
    mem_free(&c->mem, (void *)o->bias, o->bias_count * sizeof *o->bias);
    mem_free(&c->mem, (void *)o->order, o->order_count * sizeof *o->order);
    mem_free(&c->mem, c->logits, c->logits_cap * sizeof *c->logits);
    vec_free(&c->mem, &c->steps);
    history_free(&c->history, &c->mem);
    breakers_free(&c->breakers, &c->mem);
    cands_free(&c->cands);
}

/* ---- logits ---- */

/* The step's logits to write to. NULL: out of memory. */
static float *own_logits(Chain *c, const ChainStep *step)
{
    if (step->width > c->logits_cap || !c->logits) {
        mem_free(&c->mem, c->logits, c->logits_cap * sizeof *c->logits);
        c->logits = mem_new(&c->mem, size_mul(step->width, sizeof(float)));
        c->logits_cap = c->logits ? step->width : 0;
        if (!c->logits) return NULL;
    }
    if (c->cands.raw != c->logits) {
        if (step->width)
            memcpy(c->logits, step->logits, step->width * sizeof(float));
        c->cands.raw = c->logits;
    }
    return c->logits;
}

static bool apply_bias(Chain *c, const ChainStep *step)
{
    const weir_sampler_opts *o = &c->opts;
    float *logits = o->bias_count ? own_logits(c, step) : NULL;
    if (!logits) return !o->bias_count;
    for (size_t i = 0; i < o->bias_count; i++)
        if (o->bias[i].id < step->width)
            logits[o->bias[i].id] += o->bias[i].bias;
    return true;
}

static bool apply_mask(Chain *c, const ChainStep *step)
{
    float *logits = step->mask ? own_logits(c, step) : NULL;
    if (!logits) return !step->mask;
    apply_row(apply_best(), logits, WEIR_F32, step->width, step->mask,
              step->mask_width);
    return true;
}

/* Whatever the candidates are now, to be changed. False: out of memory. */
static bool begin_edit(Chain *c, const ChainStep *step, LogitEdit *edit)
{
    *edit = (LogitEdit){.nraw = step->width, .list = &c->cands};
    if (!c->cands.raw) return true;
    edit->raw = own_logits(c, step);
    return edit->raw;
}

/* ---- the chain ---- */

static bool apply_penalties(Chain *c, const ChainStep *step)
{
    LogitEdit edit;
    if (!penalises(&c->opts) || step->skips_penalties ||
        !c->history.taken.count)
        return true;
    if (!begin_edit(c, step, &edit)) return false;
    penalties_apply(&c->opts, &c->history, &edit);
    return true;
}

static bool apply_dry(Chain *c, const ChainStep *step)
{
    LogitEdit edit;
    if (!has_dry(&c->opts) || step->skips_penalties || !c->history.taken.count)
        return true;
    return begin_edit(c, step, &edit) &&
           dry_apply(&c->opts, &c->breakers, &c->history, &c->mem, &edit);
}

static bool apply_sampler(Chain *c, weir_sampler_kind kind,
                          const ChainStep *step)
{
    const weir_sampler_opts *o = &c->opts;
    Cands *list = &c->cands;
    switch (kind) {
    case WEIR_SAMPLER_PENALTIES:
        return apply_penalties(c, step);
    case WEIR_SAMPLER_DRY:
        return apply_dry(c, step);
    case WEIR_SAMPLER_TOP_N_SIGMA:
        truncate_top_n_sigma(list, o->top_n_sigma);
        break;
    case WEIR_SAMPLER_TOP_K:
        truncate_top_k(list, o->top_k);
        break;
    case WEIR_SAMPLER_TYPICAL:
        truncate_typical(list, o->typical_p, o->min_keep);
        break;
    case WEIR_SAMPLER_TOP_P:
        truncate_top_p(list, o->top_p, o->min_keep);
        break;
    case WEIR_SAMPLER_MIN_P:
        truncate_min_p(list, o->min_p, o->min_keep);
        break;
    case WEIR_SAMPLER_XTC:
        truncate_xtc(list, o->xtc_probability, o->xtc_threshold, o->min_keep,
                     &c->random_xtc);
        break;
    case WEIR_SAMPLER_TEMPERATURE:
        select_dynamic(list, o->temperature, o->dynamic_range,
                       o->dynamic_exponent);
        break;
    }
    return !list->failed;
}

static bool run_samplers(Chain *c, const ChainStep *step)
{
    if (c->opts.mirostat) {
        select_temperature(&c->cands, c->opts.temperature);
        return !c->cands.failed;
    }
    for (size_t i = 0; i < c->opts.order_count; i++)
        if (!apply_sampler(c, c->opts.order[i], step)) return false;
    return true;
}

/* The place of one candidate; SIZE_MAX: none has a chance, or failed. */
static size_t select_one(Chain *c, size_t width)
{
    if (c->opts.mirostat)
        return select_mirostat(&c->cands, &c->mirostat, c->opts.mirostat, width,
                               &c->random);
    if (!is_adaptive(&c->opts)) return select_draw(&c->cands, &c->random);
    size_t place =
        select_adaptive(&c->cands, &c->adaptive, &c->random, &c->drawn_p);
    c->drawn = place == SIZE_MAX ? HISTORY_GAP : c->cands.at[place].id;
    return place;
}

weir_draw chain_draw(Chain *c, const ChainStep *step, uint32_t *id)
{
    cands_begin(&c->cands, step->logits, step->width,
                step->mask && !step->keeps_refused);
    c->chosen = SIZE_MAX;
    if (!apply_bias(c, step) || !apply_mask(c, step) || !run_samplers(c, step))
        return WEIR_DRAW_ERROR;
    size_t place = select_one(c, step->width);
    if (c->cands.failed) return WEIR_DRAW_ERROR;
    if (place == SIZE_MAX) return WEIR_DRAW_NONE;
    c->chosen = place;
    *id = c->cands.at[place].id;
    return WEIR_DRAWN;
}

/* ---- history ---- */

bool chain_take(Chain *c, uint32_t id)
{
    if (is_adaptive(&c->opts) && !vec_push(&c->mem, &c->steps, c->adaptive))
        return false;
    if (!history_add(&c->history, &c->mem, id)) {
        if (c->steps.count) c->steps.count--;
        return false;
    }
    if (c->drawn == id && id != HISTORY_GAP)
        adaptive_take(&c->adaptive, c->drawn_p);
    c->drawn = HISTORY_GAP;
    return true;
}

void chain_untake(Chain *c)
{
    history_remove(&c->history);
    if (c->steps.count) c->adaptive = c->steps.at[--c->steps.count];
    c->drawn = HISTORY_GAP;
}
