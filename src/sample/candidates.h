/* candidates.h: the tokens of one step that a chain of samplers still has.
 *
 * A chain begins with the logits themselves, `raw`, one a token; only a
 * sampler that needs a list makes one of them (cands_list), so that top-k over
 * a whole vocabulary never does. Then `at` has the tokens with their logits,
 * by id, or from the greatest on when is_sorted.
 *
 * Arithmetic is llama.cpp's: 32 bits, in the same order, sums in the order of
 * the list. */
#ifndef WEIR_SAMPLE_CANDIDATES_H
#define WEIR_SAMPLE_CANDIDATES_H

#include "base/mem.h"
#include "sample/rank.h"

typedef struct Cands {
    Mem mem;
    const float *raw; /* or NULL: the list holds */
    size_t nraw;
    bool drops; /* minus infinity is no candidate */
    Ranked *at; /* logits are keys; somewhere in `room` */
    size_t size;
    bool is_sorted;
    float *p; /* by place in the list; as long as the last softmax says */

    /* Memory: each NULL until needed, `cap` items. */
    Ranked *room, *spare;
    float *p_room;
    size_t cap, spare_cap, p_cap;
    bool failed; /* out of memory: nothing below does anything */
} Cands;

void cands_free(Cands *c);
/* Begins a step. The logits are borrowed until the next one. */
void cands_begin(Cands *c, const float *logits, size_t n, bool drops);
/* Makes a list of what is raw. False: failed. */
bool cands_list(Cands *c);
/* Sorts the list, or keeps its `count` first, sorted. */
void cands_sort(Cands *c);
void cands_keep(Cands *c, size_t count);
/* As cands_sort, but the first `count` of the list in order are put into
 * `spare`, which may then have more, and the list stays. */
bool cands_preview(Cands *c, size_t count);
/* Weights of the list into p: exp(logit - max). False: failed, or none. */
bool cands_weights(Cands *c);
/* Probabilities of the list into p. Of an empty list: nothing. */
void cands_softmax(Cands *c);
/* exp(logit - max); 1 for the greatest, infinite or not. */
float cands_weight(float logit, float max);
/* The greatest logit of a list that is not empty. */
float cands_max(const Cands *c);
/* Room for `n` in spare; false: failed. */
bool cands_spare(Cands *c, size_t n);

#endif
