/* chain.h: one sampler: options, state, and a draw.
 *
 *   logits ─► bias ─► mask ─► samplers in order ─► one candidate
 *
 * With `redraw` the caller draws without a mask, asks whether the token is
 * allowed, and draws again with one; the chain is the same, and its random
 * numbers go on. */
#ifndef WEIR_SAMPLE_CHAIN_H
#define WEIR_SAMPLE_CHAIN_H

#include "sample/penalties.h"
#include "sample/select.h"

typedef struct Chain {
    Mem mem;
    weir_sampler_opts opts; /* lists are the chain's own */
    uint32_t seed;          /* in use */
    Mt19937 random;
    Mt19937 random_xtc;
    Mirostat mirostat;
    Adaptive adaptive;
    uint32_t drawn;      /* by adaptive-p and not taken; HISTORY_GAP: none */
    float drawn_p;       /* its probability before */
    VEC(Adaptive) steps; /* its states, before each of history's tokens */
    History history;
    Breakers breakers;
    Cands cands;
    size_t chosen; /* place in cands of the last draw; SIZE_MAX: none */
    float *logits; /* the step's own copy, when it is changed */
    size_t logits_cap;
} Chain;

/* What may be in the options. False: err names the field. */
bool chain_check(const weir_sampler_opts *opts, weir_error *err);
/* Chain zeroed but for mem; options checked, their lists are copied. On
 * failure it is to be freed. */
bool chain_init(Chain *c, const weir_sampler_opts *opts,
                const BreakerVocab *vocab, weir_error *err);
bool chain_copy(Chain *to, const Chain *from);
void chain_free(Chain *c);
void chain_reset(Chain *c);

/* How one draw is done. */
typedef struct ChainStep {
    const float *logits;
    size_t width;
    const int32_t *mask; /* NULL: all are allowed */
    size_t mask_width;
    bool keeps_refused; /* what the mask refuses stays among the candidates,
                           without a chance, as llama.cpp has it */
    bool skips_penalties;
} ChainStep;
weir_draw chain_draw(Chain *c, const ChainStep *step, uint32_t *id);
/* Takes a token or a gap into the history. False: out of memory. */
bool chain_take(Chain *c, uint32_t id);
/* Takes back the last one. */
void chain_untake(Chain *c);

#endif
