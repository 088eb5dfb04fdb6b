/* truncate.c: top-k, top-p, min-p, typical, top-n-sigma, XTC.
 *
 * Each step of arithmetic and of order is llama.cpp's, so that what is left,
 * and in which order, is the same; docs/sampling.md says what that means where
 * it surprises.
 * Tests: unit/sampling_recorded_test.c (llama.cpp's own runs),
 * unit/sampling_distribution_test.c (against plain definitions).
 */
#include "sample/truncate.h"

#include <float.h>
#include <math.h>

void truncate_top_k(Cands *c, int32_t k)
{
    if (k > 0) cands_keep(c, (size_t)k);
}

/* ---- top-p ---- */

/* Longer unsorted lists are looked at in part first. */
enum { WHOLE_MOST = 1024, PART_FIRST = 256 };

static float weights_sum(const Cands *c, float max)
{
    float sum = 0;
    for (size_t i = 0; i < c->size; i++) sum += cands_weight(c->at[i].key, max);
    return sum;
}

void truncate_top_p(Cands *c, float p, size_t keep)
{
    if (p >= 1 || !cands_list(c) || !c->size) return;
    float max = cands_max(c), sum = weights_sum(c, max), reached = 0;
    bool in_part = !c->is_sorted && c->size > WHOLE_MOST;
    size_t known = in_part ? PART_FIRST : c->size, n = 0;
    if (in_part ? !cands_preview(c, known) : (cands_sort(c), c->failed)) return;
    const Ranked *sorted = in_part ? c->spare : c->at;
    while (n < c->size) {
        reached += cands_weight(sorted[n].key, max) / sum;
        n++;
        if (reached >= p && n >= keep) break;
        if (n == known && known < c->size) {
            known = c->size;
            if (!cands_preview(c, known)) return;
            sorted = c->spare;
        }
    }
    if (in_part) memcpy(c->at, sorted, n * sizeof *sorted);
    c->size = n;
    c->is_sorted = true;
}

/* ---- min-p ---- */

/* Drops what is below `least`, in place; false, and nothing, if fewer than
 * `keep` or none would be left. */
static bool drop_below(Cands *c, float least, size_t keep)
{
    size_t n = 0, left = 0;
    for (size_t i = 0; i < c->size; i++) left += c->at[i].key >= least;
    if (!left || left < keep) return false;
    for (size_t i = 0; i < c->size; i++)
        if (c->at[i].key >= least) c->at[n++] = c->at[i];
    c->size = n;
    return true;
}

void truncate_min_p(Cands *c, float p, size_t keep)
{
    if (p <= 0 || !cands_list(c) || !c->size) return;
    float least = MAX(cands_max(c), -FLT_MAX) + logf(p);
    if (!c->is_sorted && drop_below(c, least, keep)) return;
    cands_sort(c);
    if (c->failed) return;
    size_t n = 1;
    while (n < c->size && (c->at[n].key >= least || n < keep)) n++;
    c->size = n;
}

/* ---- typical ---- */

static float entropy_of(const Cands *c)
{
    float entropy = 0;
    for (size_t i = 0; i < c->size; i++) entropy += -c->p[i] * logf(c->p[i]);
    return entropy;
}

/* A token that is refused makes the entropy, and each key, not a number. Then
 * the sort says nothing, and yet its order is what llama.cpp goes by. */
void truncate_typical(Cands *c, float p, size_t keep)
{
    if (p >= 1) return;
    cands_sort(c);
    cands_softmax(c);
    if (c->failed || !c->size || !cands_spare(c, 2 * c->size)) return;
    float entropy = entropy_of(c), reached = 0;
    Ranked *order = c->spare + c->size;
    for (size_t i = 0; i < c->size; i++)
        order[i] = (Ranked){-fabsf(-logf(c->p[i]) - entropy), (uint32_t)i};
    rank_sort(order, c->size);
    size_t n = 0;
    while (n < c->size) {
        c->spare[n] = c->at[order[n].id];
        reached += c->p[order[n].id];
        n++;
        if (reached > p && n >= keep) break;
    }
    memcpy(c->at, c->spare, n * sizeof *c->at);
    c->size = n;
    c->is_sorted = false;
}

/* ---- top-n-sigma ---- */

/* One standard deviation of the logits that are not refused. */
static float deviation(const Cands *c)
{
    float sum = 0, squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->size; i++) {
        if (c->at[i].key == -INFINITY) continue;
        sum += c->at[i].key;
        n++;
    }
    if (!n) return 0;
    float mean = sum / (float)n;
    for (size_t i = 0; i < c->size; i++) {
        double off = c->at[i].key - mean;
        if (c->at[i].key != -INFINITY)
            squares = (float)((double)squares + off * off);
    }
    return sqrtf(squares / (float)n);
}

void truncate_top_n_sigma(Cands *c, float n)
{
    if (n <= 0 || !cands_list(c) || c->size <= 1) return;
    float least = cands_max(c) - n * deviation(c);
    if (c->drops) {
        drop_below(c, least, 0);
        return;
    }
    for (size_t i = 0; i < c->size; i++)
        if (c->at[i].key < least) c->at[i].key = -INFINITY;
}

/* ---- XTC ---- */

void truncate_xtc(Cands *c, float probability, float threshold, size_t keep,
                  Mt19937 *random)
{
    if (probability <= 0 || threshold > 0.5f || !cands_list(c) || c->size < 2)
        return;
    if (mt_float(random) > probability) return;
    cands_sort(c);
    cands_softmax(c);
    if (c->failed) return;
    size_t over = 0, last;
    while (over < c->size && c->p[over] >= threshold) over++;
    last = over ? over - 1 : 0;
    if (!last || c->size - last < keep) return;
    c->at += last;
    c->size -= last;
}
