/* plain_sampler.h: what each sampler means, written down as plainly as can be,
 * in 64 bits: from logits to the probability of each token. Small lists. */
#ifndef WEIR_TESTS_PLAIN_SAMPLER_H
#define WEIR_TESTS_PLAIN_SAMPLER_H

#include "weir/sample.h"

enum { PLAIN_MOST = 64 };

typedef struct Plain {
    size_t n;
    double logit[PLAIN_MOST]; /* -INFINITY: out */
    double p[PLAIN_MOST];
} Plain;

/* The probabilities after the whole chain, in the default order; `history`
 * has been accepted. XTC as told: its chance is the caller's. */
void plain_chain(Plain *out, const double *logits, size_t n,
                 const weir_sampler_opts *opts, const uint32_t *history,
                 size_t taken, bool xtc_strikes);

#endif
