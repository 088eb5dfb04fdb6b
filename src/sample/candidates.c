/* candidates.c: lists of candidates: making, sorting, probabilities.
 *
 * More than HEAP_MOST are sorted by llama.cpp's buckets of logits, from the
 * greatest on, as far as wanted: the bucket says nothing about order that the
 * logits do not, but which of two equal ones comes first depends on it.
 * Cost: top-k of a vocabulary: one look at each logit. A whole sort of 128,000
 * about 10 ms.
 * Tests: unit/sampling_recorded_test.c, unit/sampling_distribution_test.c.
 */
#include "sample/candidates.h"

#include <math.h>

enum { HEAP_MOST = 128, BUCKETS = 128 };
#define BUCKETS_A_LOGIT 6.4f /* from -10 to 10 */
#define BUCKET_OF_ZERO 64.0f

/* ---- memory ---- */

static bool grow(Cands *c, void **at, size_t *cap, size_t need, size_t size)
{
    if (c->failed) return false;
    if (need <= *cap) return true;
    mem_free(&c->mem, *at, *cap * size);
    *at =
        size_mul(need, size) == SIZE_MAX ? NULL : mem_new(&c->mem, need * size);
    *cap = *at ? need : 0;
    c->failed = !*at;
    return !c->failed;
}

static bool room(Cands *c, size_t n)
{
    return grow(c, (void **)&c->room, &c->cap, n, sizeof *c->room);
}

bool cands_spare(Cands *c, size_t n)
{
    return grow(c, (void **)&c->spare, &c->spare_cap, n, sizeof *c->spare);
}

void cands_free(Cands *c)
{
    mem_free(&c->mem, c->room, c->cap * sizeof *c->room);
    mem_free(&c->mem, c->spare, c->spare_cap * sizeof *c->spare);
    mem_free(&c->mem, c->p_room, c->p_cap * sizeof *c->p_room);
}

/* ---- lists ---- */

void cands_begin(Cands *c, const float *logits, size_t n, bool drops)
{
    c->raw = logits;
    c->nraw = n;
    c->drops = drops;
    c->at = NULL;
    c->size = 0;
    c->is_sorted = false;
    c->failed = false;
}

/* Takes what is refused off the end of a sorted list. */
static void drop_refused(Cands *c)
{
    while (c->size && c->at[c->size - 1].key == -INFINITY) c->size--;
}

bool cands_list(Cands *c)
{
    if (!c->raw) return !c->failed;
    if (!room(c, c->nraw)) return false;
    size_t n = 0;
    for (size_t i = 0; i < c->nraw; i++) {
        float logit = isnan(c->raw[i]) ? -INFINITY : c->raw[i];
        c->room[n] = (Ranked){logit, (uint32_t)i};
        n += !c->drops || logit != -INFINITY;
    }
    c->at = c->room;
    c->size = n;
    c->raw = NULL;
    return true;
}

/* ---- sorting ---- */

static unsigned bucket_of(float logit)
{
    float place = BUCKETS_A_LOGIT * logit + BUCKET_OF_ZERO;
    if (!(place > 0)) return 0;
    return place < BUCKETS ? (unsigned)place : BUCKETS - 1;
}

/* The first `count` of items, in order, to the front of `out`, which takes
 * all of them at most. */
static void bucket_sort(const Ranked *items, size_t n, size_t count,
                        Ranked *out)
{
    size_t number[BUCKETS] = {0}, end[BUCKETS], have = 0, done = 0;
    for (size_t i = 0; i < n; i++) number[bucket_of(items[i].key)]++;
    unsigned last = BUCKETS;
    while (last && have < count) {
        end[--last] = have;
        have += number[last];
    }
    for (size_t i = 0; i < n; i++) {
        unsigned b = bucket_of(items[i].key);
        if (b >= last) out[end[b]++] = items[i];
    }
    for (unsigned b = BUCKETS; b-- > last + 1; done += number[b])
        rank_sort(out + done, number[b]);
    rank_partial(out + done, number[last], count - done);
}

bool cands_preview(Cands *c, size_t count)
{
    if (!cands_spare(c, c->size)) return false;
    if (count) bucket_sort(c->at, c->size, count, c->spare);
    return true;
}

/* The list and `spare` change places. */
static void take_spare(Cands *c)
{
    Ranked *list = c->spare;
    size_t cap = c->spare_cap;
    c->spare = c->room;
    c->spare_cap = c->cap;
    c->room = c->at = list;
    c->cap = cap;
}

static void keep_raw(Cands *c, size_t count)
{
    count = MIN(count, c->nraw);
    if (!room(c, count)) return;
    rank_keys(c->raw, c->nraw, c->room, count);
    c->at = c->room;
    c->size = count;
    c->raw = NULL;
    c->is_sorted = true;
    if (c->drops) drop_refused(c);
}

void cands_keep(Cands *c, size_t count)
{
    if (c->raw && count <= HEAP_MOST) {
        keep_raw(c, count);
        return;
    }
    if (!cands_list(c)) return;
    count = MIN(count, c->size);
    if (!c->is_sorted) {
        if (count <= HEAP_MOST)
            rank_partial(c->at, c->size, count);
        else if (cands_preview(c, count))
            take_spare(c);
        else
            return;
    }
    c->size = count;
    c->is_sorted = true;
}

void cands_sort(Cands *c)
{
    if (cands_list(c) && !c->is_sorted) cands_keep(c, c->size);
}

/* ---- probabilities ---- */

float cands_weight(float logit, float max)
{
    return logit == max ? 1 : expf(logit - max);
}

float cands_max(const Cands *c)
{
    float max = c->at[0].key;
    for (size_t i = 1; i < c->size && !c->is_sorted; i++)
        max = MAX(max, c->at[i].key);
    return max;
}

bool cands_weights(Cands *c)
{
    if (!cands_list(c) || !c->size) return false;
    if (!grow(c, (void **)&c->p_room, &c->p_cap, c->size, sizeof *c->p_room))
        return false;
    float max = cands_max(c);
    c->p = c->p_room;
    for (size_t i = 0; i < c->size; i++)
        c->p[i] = cands_weight(c->at[i].key, max);
    return true;
}

void cands_softmax(Cands *c)
{
    float sum = 0;
    if (!cands_weights(c)) return;
    for (size_t i = 0; i < c->size; i++) sum += c->p[i];
    for (size_t i = 0; i < c->size; i++) c->p[i] /= sum;
}
