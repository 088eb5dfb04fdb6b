/* logprobs.c: log softmax of a row, masked or not, and its greatest entries.
 *
 * Sums in 64 bits.
 * Cost: an exponential for each allowed logit that is not far below the
 * greatest; 128,000 about 0.5 ms.
 * Tests: unit/logprobs_test.c.
 */
#include "sample/logprobs.h"

#include "sample/top_list.h"

#include <math.h>

/* What is less is nothing in a sum of 2^22 terms of 64 bits. */
#define FAR_BELOW 60.0f

/* The logit of an id, minus infinity where it is refused or not a number. */
static inline float logit_of(const LogitRow *row, size_t i)
{
    if (row->mask && (i >= row->mask_width ||
                      !((uint32_t)row->mask[i / 32] >> (i % 32) & 1)))
        return -INFINITY;
    return isnan(row->logits[i]) ? -INFINITY : row->logits[i];
}

/* Infinite logits share all the probability. */
static inline double weight(float logit, float max)
{
    if (logit == max) return 1;
    return logit < max - FAR_BELOW ? 0 : exp((double)logit - (double)max);
}

bool logprobs_sum(const LogitRow *row, float *max, double *log_sum)
{
    double sum = 0;
    *max = -INFINITY;
    for (size_t i = 0; i < row->width; i++) {
        float logit = logit_of(row, i);
        if (logit > *max) *max = logit;
    }
    if (*max == -INFINITY) return false;
    for (size_t i = 0; i < row->width; i++) {
        float logit = logit_of(row, i);
        if (logit != -INFINITY) sum += weight(logit, *max);
    }
    *log_sum = log(sum);
    return true;
}

static float logprob(float logit, float max, double log_sum)
{
    double off = logit == max ? 0 : (double)logit - (double)max;
    return (float)(off - log_sum);
}

float logprobs_of(const LogitRow *row, uint32_t id, float max, double log_sum)
{
    if (id >= row->width) return -INFINITY;
    return logprob(logit_of(row, id), max, log_sum);
}

size_t logprobs_top(const LogitRow *row, float max, double log_sum,
                    weir_logprob *top, size_t capacity)
{
    size_t n = 0;
    for (size_t i = 0; i < row->width && capacity; i++) {
        Scored at = {(uint32_t)i, logit_of(row, i)};
        if (at.score != -INFINITY) top_add(top, &n, capacity, at);
    }
    top_sort(top, n);
    for (size_t i = 0; i < n; i++)
        top[i].logprob = logprob(top[i].logprob, max, log_sum);
    return n;
}
