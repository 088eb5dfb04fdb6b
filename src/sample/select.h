/* select.h: the end of a chain: temperature, and one candidate of the list. */
#ifndef WEIR_SAMPLE_SELECT_H
#define WEIR_SAMPLE_SELECT_H

#include "sample/candidates.h"
#include "sample/mt19937.h"

/* Divides logits; temperature <= 0 refuses all but the first of the
 * greatest. */
void select_temperature(Cands *c, float temperature);
/* A temperature from `temperature - range` to `temperature + range`, by the
 * entropy relative to that of an even choice, to the power `exponent`. */
void select_dynamic(Cands *c, float temperature, float range, float exponent);

/* Draws by the logits. Places in the list; SIZE_MAX: none has a chance, or
 * failed. Leaves the probabilities in p. */
size_t select_draw(Cands *c, Mt19937 *random);

/* Mirostat (Basu and others): aims at a surprise of `tau` bits a token. */
typedef struct Mirostat {
    float tau, eta;
    float mu; /* state; begins with 2 tau */
} Mirostat;
/* Version 1 estimates the exponent of a Zipf distribution over `width`
 * tokens, and from that a top-k; 2 cuts by surprise. Result as select_draw. */
size_t select_mirostat(Cands *c, Mirostat *m, unsigned version, size_t width,
                       Mt19937 *random);

/* Adaptive-p: aims at tokens of the probability `target`, higher after ones
 * below it and lower after ones above, by a mean that forgets by `decay`. */
typedef struct Adaptive {
    float target, decay;
    float sum, weight; /* state: probabilities taken, weighted; the weights */
} Adaptive;
/* Result as select_draw; *before: the probability of the token drawn, as the
 * chain before left it. */
size_t select_adaptive(Cands *c, const Adaptive *a, Mt19937 *random,
                       float *before);
static inline Adaptive adaptive_begin(float target, float decay)
{
    return (Adaptive){target, decay, target / (1 - decay), 1 / (1 - decay)};
}
/* Counts a token taken. */
static inline void adaptive_take(Adaptive *a, float probability)
{
    a->sum = probability + a->decay * a->sum;
    a->weight = 1 + a->decay * a->weight;
}

#endif
