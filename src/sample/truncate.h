/* truncate.h: the samplers that leave some candidates out.
 *
 * Each takes a list or raw logits; none leaves it empty that was not empty.
 * `keep`: the least number that is left, where llama.cpp has such. */
#ifndef WEIR_SAMPLE_TRUNCATE_H
#define WEIR_SAMPLE_TRUNCATE_H

#include "sample/candidates.h"
#include "sample/mt19937.h"

/* The k greatest. k <= 0: all. */
void truncate_top_k(Cands *c, int32_t k);
/* The likeliest whose probabilities together reach p. */
void truncate_top_p(Cands *c, float p, size_t keep);
/* Those at least p times as likely as the likeliest. */
void truncate_min_p(Cands *c, float p, size_t keep);
/* Those whose surprise is nearest to the entropy, until they reach p together
 * (Meister and others, "Locally Typical Sampling"). */
void truncate_typical(Cands *c, float p, size_t keep);
/* Refuses logits more than n standard deviations below the greatest. */
void truncate_top_n_sigma(Cands *c, float n);
/* With a chance, all of those over the threshold but the least likely. */
void truncate_xtc(Cands *c, float probability, float threshold, size_t keep,
                  Mt19937 *random);

#endif
