/* dry.c: "don't repeat yourself": looks for the end of the output in the
 * output before it, and makes what followed there less likely, the more so the
 * longer the part that is the same (p-e-w's sampler).
 *
 * Method: walking back from the end, the Z-algorithm (Gusfield) gives for each
 * place how many tokens before it are the same as the last ones. A breaker
 * bounds that number: no repeat goes past the last breaker. Where llama.cpp's
 * form of the algorithm mixes bounded and whole lengths, so does this.
 * Cost: linear in the window.
 * Tests: unit/sampling_recorded_test.c, unit/sampling_distribution_test.c.
 */
#include "sample/penalties.h"

#include <math.h>

/* ---- breakers ---- */

/* The first of the breakers whose head is not below `head`. */
static uint32_t first_of(const Breakers *b, uint32_t head)
{
    uint32_t low = 0, high = b->list.count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (b->list.at[mid].head < head)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool follows(const Breakers *b, const Breaker *k, const History *h,
                    size_t i)
{
    uint32_t length = k->end - k->begin;
    if (length > i) return false;
    for (uint32_t j = 0; j < length; j++)
        if (b->tails.at[k->begin + j] != history_last(h, i - 1 - j))
            return false;
    return true;
}

/* Whether a breaker begins at the i-th token from the end; *length: of the
 * longest, without its head. */
static bool breaks_at(const Breakers *b, const History *h, size_t i,
                      uint32_t *length)
{
    uint32_t head = history_last(h, i);
    bool found = head == HISTORY_GAP;
    *length = 0;
    for (uint32_t k = first_of(b, head);
         k < b->list.count && b->list.at[k].head == head; k++) {
        const Breaker *at = &b->list.at[k];
        if (!follows(b, at, h, i)) continue;
        *length = MAX(*length, at->end - at->begin);
        found = true;
    }
    return found;
}

/* Whether the token is a breaker by itself. */
static bool is_breaker(const Breakers *b, uint32_t id)
{
    for (uint32_t k = first_of(b, id);
         k < b->list.count && b->list.at[k].head == id; k++)
        if (b->list.at[k].begin == b->list.at[k].end) return true;
    return false;
}

/* The longest that a repeat can be. */
static uint32_t repeat_limit(const Breakers *b, const History *h, uint32_t n)
{
    uint32_t length;
    for (uint32_t i = 0; i < n; i++)
        if (breaks_at(b, h, i, &length)) return i - length;
    return n;
}

/* ---- repeats ---- */

/* The number of tokens, from i on and from i + k on, that are the same. */
static uint32_t same_from(const History *h, uint32_t i, uint32_t k, uint32_t n)
{
    while (i + k < n && history_last(h, i) == history_last(h, i + k)) i++;
    return i;
}

/* repeats[k], k from 1: how many of the tokens from the k-th from the end on,
 * walking back, are the same as from the last one on; at most `limit`. */
static void find_repeats(History *h, uint32_t n, uint32_t limit)
{
    uint32_t *z = h->repeats.at, left = 0, right = 0;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t length, rest = right - k + 1;
        if (k <= right && z[k - left] < rest) {
            z[k] = MIN(z[k - left], limit);
            continue;
        }
        length = same_from(h, k <= right ? rest : 0, k, n);
        z[k] = MIN(length, limit);
        if (length) {
            left = k;
            right = k + length - 1;
        }
    }
}

/* ---- penalties ---- */

static float dry_penalty(const weir_sampler_opts *o, uint32_t repeat)
{
    int beyond = (int)repeat - o->dry_allowed_length, most = 0;
    /* where a float ends */
    if (o->dry_base > 1.000001f) most = (int)(88.7228391f / logf(o->dry_base));
    if (most > 0 && beyond > most) beyond = most;
    return (float)((double)o->dry_multiplier *
                   pow((double)o->dry_base, (double)beyond));
}

static void penalise(const LogitEdit *logits, const weir_sampler_opts *o,
                     const Breakers *b, History *h, uint32_t n)
{
    history_walk(h); /* the tokens that the window has repeats for */
    for (uint32_t k = n - 1; k >= 1; k--) {
        uint32_t id = history_last(h, k - 1), repeat = h->repeats.at[k];
        if ((int32_t)repeat < o->dry_allowed_length || id == HISTORY_GAP)
            continue;
        if (history_touch(h, id)) h->notes.at[id].repeat = 0;
        h->notes.at[id].repeat = MAX(h->notes.at[id].repeat, repeat);
    }
    if (!logits->raw) {
        Cands *c = logits->list;
        for (size_t i = 0; i < c->size; i++) {
            uint32_t id = c->at[i].id;
            if (id >= h->notes.count || h->notes.at[id].mark != h->walk)
                continue;
            if (!is_breaker(b, id))
                c->at[i].key -= dry_penalty(o, h->notes.at[id].repeat);
        }
        c->is_sorted = false;
        return;
    }
    uint32_t walk = h->walk;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t id = history_last(h, k - 1);
        if (id == HISTORY_GAP || id >= logits->nraw) continue;
        if (h->notes.at[id].mark != walk) continue;
        h->notes.at[id].mark = 0;
        if (!is_breaker(b, id))
            logits->raw[id] -= dry_penalty(o, h->notes.at[id].repeat);
    }
}

bool dry_apply(const weir_sampler_opts *o, const Breakers *b, History *h,
               const Mem *mem, const LogitEdit *logits)
{
    uint32_t n = h->taken.count;
    if (o->dry_last_n >= 0) n = MIN(n, (uint32_t)o->dry_last_n);
    if ((int64_t)n <= o->dry_allowed_length) return true;
    uint32_t limit = repeat_limit(b, h, n);
    if ((int64_t)limit < o->dry_allowed_length) return true;
    if (!vec_reserve(mem, &h->repeats, n)) return false;
    find_repeats(h, n, limit);
    penalise(logits, o, b, h, n);
    return true;
}
