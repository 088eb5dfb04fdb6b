/* penalties.h: the samplers that look at the tokens before. */
#ifndef WEIR_SAMPLE_PENALTIES_H
#define WEIR_SAMPLE_PENALTIES_H

#include "sample/candidates.h"
#include "sample/history.h"
#include "weir/sample.h"

/* Where logits can be changed by token: the raw ones, in a copy that may be
 * written, or a list. */
typedef struct LogitEdit {
    float *raw; /* NULL: the list */
    size_t nraw;
    Cands *list;
} LogitEdit;

/* Repetition, frequency and presence of tokens in the window. */
void penalties_apply(const weir_sampler_opts *opts, History *h,
                     const LogitEdit *logits);

/* A token, and what may follow it so that together they are a breaker. */
typedef struct Breaker {
    uint32_t head;
    uint32_t begin, end; /* range of `tails`: the tokens that follow */
} Breaker;
typedef struct Breakers {
    VEC(Breaker) list; /* by head */
    VEC(uint32_t) tails;
} Breakers;

/* What the texts are in a vocabulary. */
typedef struct BreakerVocab {
    uint32_t width;
    weir_bytes (*token)(const void *user, uint32_t id);
    size_t (*encode)(const void *user, weir_bytes text, uint32_t *ids,
                     size_t capacity);
    const void *user;
} BreakerVocab;
/* All ways in which tokens end in, or have, one of the texts. False: out of
 * memory. One search of each token's bytes for each text. */
bool breakers_find(Breakers *b, const Mem *mem, const BreakerVocab *vocab,
                   const weir_bytes *texts, size_t count);
bool breakers_copy(Breakers *to, const Breakers *from, const Mem *mem);
void breakers_free(Breakers *b, const Mem *mem);

/* DRY: tokens that would make a repeat of more than dry_allowed_length longer
 * lose dry_multiplier * dry_base^(its length beyond that). False: out of
 * memory. Linear in the window. */
bool dry_apply(const weir_sampler_opts *opts, const Breakers *b, History *h,
               const Mem *mem, const LogitEdit *logits);

#endif
