/* decoder.h: what a decoder is made of, for the files that move it. */
#ifndef WEIR_API_DECODER_H
#define WEIR_API_DECODER_H

#include "api/objects.h"
#include "base/vec.h"
#include "sample/stop_text.h"
#include "weir/decode.h"

/* A token of the output. */
typedef struct Taken {
    uint32_t end; /* of its text */
    bool is_forced;
} Taken;

struct weir_decoder {
    Mem mem;
    weir_vocab *vocab;
    weir_sampler *sampler;
    weir_matcher *matcher;
    weir_decode_opts opts; /* without its stops */
    StopTexts stops;
    VEC(uint32_t) taken; /* prompt and output */
    uint32_t prompt;
    VEC(Taken) ends; /* of the output's tokens */
    VEC(uint8_t) text;
    size_t sent, forced;
    weir_finish finish;
    size_t stop, stop_at; /* of TEXT: which, and where the text ends */
    VEC(int32_t) rows;    /* masks of drafts and for log probabilities */
    VEC(float) logits;    /* without stop tokens, before min_tokens */
    VEC(weir_token_logprobs) logprobs; /* of the tokens of this call */
    VEC(weir_logprob) tops;            /* their lists, one after the other */
};

/* The matcher of this place; NULL: all is free. */
static inline weir_matcher *decoder_matcher(const weir_decoder *d)
{
    return d->opts.lazy ? weir_lazy_matcher(d->opts.lazy) : d->matcher;
}

/* weir_decoder_draw.c: draws the next token, and notes it. False: d->finish
 * says why not. */
bool decoder_draw(weir_decoder *d, const float *logits, size_t width,
                  uint32_t *id);
/* Whether the next token is one before min_tokens. */
static inline bool decoder_is_early(const weir_decoder *d)
{
    return d->ends.count < d->opts.min_tokens;
}

/* weir_decoder_logprobs.c: notes of the tokens of a call, where they are
 * wanted. False: out of memory, or see weir_matcher_error. */
void decoder_note_begin(weir_decoder *d);
/* Of a token drawn from the logits at this place, not taken yet. */
bool decoder_note_draw(weir_decoder *d, const float *logits, size_t width,
                       uint32_t id);
bool decoder_note_other(weir_decoder *d, bool is_forced);
/* The notes of this call. */
const weir_token_logprobs *decoder_notes(weir_decoder *d);

#endif
