/* sample.h: from logits to a token.
 *
 * A sampler turns the logits of one step into a token, by llama.cpp's chain of
 * samplers, with its defaults, and draws as llama.cpp does: the same seed and
 * the same logits give the same tokens. A matcher's mask goes in first, or
 * only when a draw without it has failed.
 *
 *     weir_sampler *s = weir_sampler_new(NULL, vocab, NULL, &err);
 *     while (!weir_matcher_is_terminated(m)) {
 *         if (weir_sampler_draw(s, logits, width, m, &id) != WEIR_DRAWN) break;
 *         weir_sampler_accept(s, id);
 *         weir_matcher_accept(m, id);
 *     }
 *
 * A sampler belongs to one thread at a time. docs/sampling.md has all that is
 * said here in length.
 */
#ifndef WEIR_SAMPLE_H
#define WEIR_SAMPLE_H

#include "weir/weir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---------------------------------------------------------- */

typedef enum weir_sampler_kind {
    WEIR_SAMPLER_PENALTIES = 1,
    WEIR_SAMPLER_DRY = 2,
    WEIR_SAMPLER_TOP_N_SIGMA = 3,
    WEIR_SAMPLER_TOP_K = 4,
    WEIR_SAMPLER_TYPICAL = 5,
    WEIR_SAMPLER_TOP_P = 6,
    WEIR_SAMPLER_MIN_P = 7,
    WEIR_SAMPLER_XTC = 8,
    WEIR_SAMPLER_TEMPERATURE = 9
} weir_sampler_kind;
#define WEIR_SAMPLER_KINDS 9

/* Added to a token's logit, before everything else. -INFINITY forbids. */
typedef struct weir_logit_bias {
    uint32_t id;
    float bias;
} weir_logit_bias;

/* A seed that is taken from the clock. */
#define WEIR_SEED_RANDOM UINT32_MAX

/* Unlike in other option structs 0 means 0: weir_sampler_defaults fills in
 * what llama.cpp has, given in brackets. Lists are copied. */
typedef struct weir_sampler_opts {
    uint32_t size;
    uint32_t seed;              /* [WEIR_SEED_RANDOM] */
    float temperature;          /* [0.8] 0 or less: the likeliest token */
    float dynamic_range;        /* [0] temperature +- this, by the entropy */
    float dynamic_exponent;     /* [1] */
    int32_t top_k;              /* [40] 0 or less: off */
    float top_p;                /* [0.95] 1: off */
    float min_p;                /* [0.05] 0: off */
    float typical_p;            /* [1] 1: off */
    float top_n_sigma;          /* [-1] 0 or less: off */
    float xtc_probability;      /* [0] 0: off */
    float xtc_threshold;        /* [0.1] above 0.5: off */
    uint32_t min_keep;          /* [0] the least that a cut leaves, if it can */
    int32_t penalty_last_n;     /* [64] tokens looked at; 0: off, -1: all */
    float repeat_penalty;       /* [1] divides positive logits; 1: off */
    float frequency_penalty;    /* [0] taken off once per occurrence */
    float presence_penalty;     /* [0] taken off once */
    float dry_multiplier;       /* [0] 0: off */
    float dry_base;             /* [1.75] below 1: off */
    int32_t dry_allowed_length; /* [2] repeats up to this are free */
    int32_t dry_last_n;         /* [64] tokens looked at; 0: off, -1: all */
    const weir_bytes *dry_breakers; /* ["\n", ":", "\"", "*"] end repeats */
    size_t dry_breaker_count;
    uint32_t mirostat; /* [0] 1, 2: that version, with temperature alone */
    float mirostat_tau, mirostat_eta; /* [5, 0.1] */
    const weir_logit_bias *bias;
    size_t bias_count;
    const weir_sampler_kind *order; /* the chain; [as the enum has them] */
    size_t order_count;             /* 0: the default order */
    bool redraw;           /* [false] the mask comes when a draw without it has
                             failed, as in llama.cpp; else first */
    bool free_text_only;   /* [false] penalties and DRY look at free text alone,
                             and change nothing elsewhere */
    float adaptive_target; /* [-1] adaptive-p in place of the draw: tokens of
                              about this probability; below 0: off */
    float adaptive_decay;  /* [0.9] how slowly it forgets, 0 to 0.99 */
} weir_sampler_opts;
WEIR_API void weir_sampler_defaults(weir_sampler_opts *opts);
/* All samplers off and temperature 1: what the model says. */
WEIR_API void weir_sampler_neutral(weir_sampler_opts *opts);

/* ---- sampler ---------------------------------------------------------- */

typedef struct weir_sampler weir_sampler;

/* vocab: NULL, or whose tokens DRY's breakers are looked for in; borrowed for
 * the call. opts: NULL means the defaults; of a shorter struct those of the
 * fields that it lacks. A value out of range is an ARGUMENT error that names
 * it. */
WEIR_API weir_sampler *weir_sampler_new(const weir_env *env,
                                        const weir_vocab *vocab,
                                        const weir_sampler_opts *opts,
                                        weir_error *err);
WEIR_API void weir_sampler_free(weir_sampler *sampler);
/* An independent copy that goes on with the same random numbers; NULL when
 * out of memory. */
WEIR_API weir_sampler *weir_sampler_fork(const weir_sampler *sampler);
/* As made: the same seed (a random one anew), nothing taken. */
WEIR_API void weir_sampler_reset(weir_sampler *sampler);
/* The seed in use. */
WEIR_API uint32_t weir_sampler_seed(const weir_sampler *sampler);

typedef enum weir_draw {
    WEIR_DRAWN = 0,
    WEIR_DRAW_NONE = 1, /* no token has a chance: none is allowed, or all
                           logits are minus infinity */
    WEIR_DRAW_ERROR = 2 /* out of memory, or see weir_matcher_error */
} weir_draw;

/* Draws a token from `width` logits, which are not changed; NaN counts as
 * minus infinity. matcher: NULL for free text. Takes nothing: both accepts
 * follow. Allocates in the first calls alone. */
WEIR_API weir_draw weir_sampler_draw(weir_sampler *sampler, const float *logits,
                                     size_t width, weir_matcher *matcher,
                                     uint32_t *id);
/* The same with a mask of mask_width bits in place of a matcher; NULL: all
 * allowed. free_text_only then has no effect. */
WEIR_API weir_draw weir_sampler_draw_mask(weir_sampler *sampler,
                                          const float *logits, size_t width,
                                          const int32_t *mask,
                                          size_t mask_width, uint32_t *id);

/* Tells the penalties of a token: of the prompt, drawn or forced. False, and
 * not taken: out of memory, or an id of 4,194,304 or more, which is none. */
WEIR_API bool weir_sampler_accept(weir_sampler *sampler, uint32_t id);
/* The same of a token that the penalties shall not see. */
WEIR_API bool weir_sampler_pass(weir_sampler *sampler);
/* Takes back the last `count` of those. Random numbers stay used. */
WEIR_API weir_status weir_sampler_rollback(weir_sampler *sampler, size_t count);

/* A token and its probability. */
typedef struct weir_candidate {
    uint32_t id;
    float probability;
} weir_candidate;
/* The candidates that the last draw chose from, as the chain left them, the
 * likeliest first; of equal ones the lower id. Writes at most `capacity`,
 * returns how many there are. Probabilities sum to 1. */
WEIR_API size_t weir_sampler_candidates(const weir_sampler *sampler,
                                        weir_candidate *out, size_t capacity);

/* ---- log probabilities ------------------------------------------------ */

typedef struct weir_logprob {
    uint32_t id;
    float logprob; /* natural logarithm; -INFINITY: refused */
} weir_logprob;

/* Log probabilities of one step, before any sampler: of `id`, to *own (NULL:
 * not wanted), and of the likeliest, to `top`, descending, of equal ones the
 * lower id. mask: NULL, or the bits that the allowed ids have: then their
 * probabilities alone sum to 1. Returns the number written to `top`, which is
 * less than `capacity` if fewer are allowed. One pass over the logits. */
WEIR_API size_t weir_logprobs(const float *logits, size_t width,
                              const int32_t *mask, size_t mask_width,
                              uint32_t id, float *own, weir_logprob *top,
                              size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
