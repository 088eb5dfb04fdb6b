/* logprobs.h: log probabilities of a row of logits: weir_logprobs. */
#ifndef WEIR_SAMPLE_LOGPROBS_H
#define WEIR_SAMPLE_LOGPROBS_H

#include "base/port.h"
#include "weir/sample.h"

typedef struct LogitRow {
    const float *logits;
    size_t width;
    const int32_t *mask; /* NULL: all allowed */
    size_t mask_width;
} LogitRow;

/* The greatest allowed logit, and the logarithm of the sum of exp(logit - max)
 * over the allowed ones. False: none has a chance. */
bool logprobs_sum(const LogitRow *row, float *max, double *log_sum);
float logprobs_of(const LogitRow *row, uint32_t id, float max, double log_sum);
/* The likeliest, descending, of equal ones the lower id. */
size_t logprobs_top(const LogitRow *row, float max, double log_sum,
                    weir_logprob *top, size_t capacity);

#endif
