/* decode.h: the loop around a model: tokens in, text out, and when to stop.
 *
 *     weir_decoder *d = weir_decoder_new(vocab, sampler, matcher, &opts, &err);
 *     weir_decoder_prompt(d, prompt, n);
 *     weir_decoded out = {.tokens = prompt, .token_count = n};
 *     while (!out.finish) {
 *         logits = forward(out.tokens, out.token_count);
 *         weir_decoder_step(d, logits, width, &out);
 *         send(out.text);
 *     }
 *
 * Each step draws one token, takes it, and says what may be sent: text that
 * can no longer change, in whole UTF-8 characters, without what may become a
 * stop text. Bytes that are no UTF-8, which free text may have, are sent as
 * they are. All texts of a run, joined, are the same however the tokens
 * divide them. One thread at a time. docs/sampling.md has more.
 */
#ifndef WEIR_DECODE_H
#define WEIR_DECODE_H

#include "weir/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_decoder weir_decoder;

/* Whether log probabilities are wanted, and of which distribution the
 * likeliest: before any sampler, after the constraint's mask or before it. */
typedef enum weir_logprob_list {
    WEIR_LOGPROBS_NONE = 0,
    WEIR_LOGPROBS_AFTER_MASK = 1,
    WEIR_LOGPROBS_BEFORE_MASK = 2
} weir_logprob_list;

typedef struct weir_decode_opts {
    uint32_t size;
    uint32_t max_tokens;     /* 0: no limit */
    const weir_bytes *stops; /* texts that end the output; copied */
    size_t stop_count;       /* at most 1,024, of at most 1,024 bytes */
    bool keep_stop;          /* the stop text is sent too */
    bool ignore_stop_tokens; /* without a matcher: they are tokens like others,
                                without text */
    bool with_special;       /* control tokens are text, by their names */
    bool jump_forward;       /* forced tokens are taken without a draw */
    weir_lazy *lazy;         /* in place of a matcher; borrowed */
    weir_logprob_list logprobs;
    uint32_t top_logprobs; /* how many of the likeliest, if any */
    uint32_t min_tokens;   /* tokens before which no stop token is drawn, and in
                              which no stop text counts, unless nothing else is
                              allowed or the constraint has ended */
} weir_decode_opts;

typedef enum weir_finish {
    WEIR_FINISH_NONE = 0,   /* it goes on */
    WEIR_FINISH_END = 1,    /* a stop token, or the grammar has ended: "stop" */
    WEIR_FINISH_TEXT = 2,   /* a stop text: "stop" */
    WEIR_FINISH_LENGTH = 3, /* max_tokens: "length" */
    WEIR_FINISH_STUCK = 4,  /* no token has a chance */
    WEIR_FINISH_ERROR = 5   /* out of memory, or see weir_matcher_error */
} weir_finish;
/* "stop", "length", or "error"; NULL for NONE. Static. */
WEIR_API const char *weir_finish_reason(weir_finish finish);

/* Of a token taken. One that was forced, or drawn elsewhere, has no
 * distribution: `before` is NaN, `after` 0 and NaN. */
typedef struct weir_token_logprobs {
    float before, after; /* its own, before and after the mask */
    const weir_logprob *top;
    size_t top_count;
} weir_token_logprobs;

/* What a step has done. Pointers are valid until the next call. */
typedef struct weir_decoded {
    const uint32_t *tokens; /* taken: the drawn one, then forced ones; of a
                               verified draft all that were drawn. To forward
                               if it goes on; the last one always counts */
    size_t token_count;
    size_t forced;   /* how many of them were not drawn */
    size_t verified; /* of weir_decoder_verify: nodes of the tree on the way */
    weir_bytes text; /* to send */
    weir_finish finish;
    size_t stop;    /* TEXT: which one */
    bool completed; /* there is a constraint, and the output meets it whole;
                       false as long as it goes on */
    const weir_token_logprobs *logprobs; /* of each token; NULL: not wanted */
} weir_decoded;

/* sampler and matcher (NULL: free text) are borrowed and must outlive the
 * decoder, which alone moves them; the vocabulary is kept alive. A matcher that
 * has taken the beginning of the output already goes on from there. */
WEIR_API weir_decoder *weir_decoder_new(weir_vocab *vocab,
                                        weir_sampler *sampler,
                                        weir_matcher *matcher,
                                        const weir_decode_opts *opts,
                                        weir_error *err);
WEIR_API void weir_decoder_free(weir_decoder *decoder);
/* Tokens before the output: penalties see them, and weir_decoder_propose looks
 * among them. Before the first step, else false; false too for an id that is
 * none (weir_sampler_accept), or when out of memory: then the ones before are
 * taken. */
WEIR_API bool weir_decoder_prompt(weir_decoder *decoder, const uint32_t *ids,
                                  size_t count);

/* Draws from the logits and takes the token. After the finish: the same finish
 * again, and nothing else. */
WEIR_API weir_finish weir_decoder_step(weir_decoder *decoder,
                                       const float *logits, size_t width,
                                       weir_decoded *out);
/* Takes a token that was drawn elsewhere; one that the constraint refuses is a
 * WEIR_FINISH_ERROR, and not taken. */
WEIR_API weir_finish weir_decoder_take(weir_decoder *decoder, uint32_t id,
                                       weir_decoded *out);
/* Takes back the last `count` tokens of the output, and its finish. ROLLBACK,
 * and no change, if text of them has been handed out, or there are fewer. */
WEIR_API weir_status weir_decoder_rollback(weir_decoder *decoder, size_t count);

/* The output so far: its tokens, those that were forced among them, and all
 * its text, sent or held back. Borrowed until the next call. */
WEIR_API const uint32_t *weir_decoder_tokens(const weir_decoder *decoder,
                                             size_t *count);
WEIR_API size_t weir_decoder_forced(const weir_decoder *decoder);
WEIR_API weir_bytes weir_decoder_text(const weir_decoder *decoder);

/* ---- drafts ----------------------------------------------------------- */

typedef struct weir_lookup_opts {
    uint32_t size;
    uint32_t longest;  /* tokens of the end that are looked for; 0: 4 */
    uint32_t shortest; /* at least that many; 0: 2 */
    uint32_t length;   /* of a proposal; 0: 8 */
    uint32_t branches; /* different proposals; 0: 2 */
} weir_lookup_opts;

/* Prompt lookup: proposes what followed in the prompt and the output where
 * the same tokens came before, as a tree for weir_matcher_fill_tree: node 0 is
 * the present, node i > 0 is tokens[i] after node parents[i] < i. What the
 * constraint refuses is left out. Returns the number of nodes, at most
 * `capacity`; 1: nothing to propose. 0: out of memory, or capacity is 0. */
WEIR_API size_t weir_decoder_propose(weir_decoder *decoder,
                                     const weir_lookup_opts *opts,
                                     uint32_t *tokens, uint32_t *parents,
                                     size_t capacity);
/* Draws along a tree: row i, `stride` logits apart, are the logits after node
 * i. At each node a token is drawn and taken, by the mask of that place; where
 * it is a child the walk goes on there. The tokens are those that steps
 * without drafts would have given. */
WEIR_API weir_finish weir_decoder_verify(weir_decoder *decoder,
                                         const uint32_t *tokens,
                                         const uint32_t *parents, size_t count,
                                         const float *logits, size_t width,
                                         size_t stride, weir_decoded *out);

/* ---- requests --------------------------------------------------------- */

/* How a request wants its answer drawn: temperature, top_p, seed, logit_bias,
 * stop, max_tokens and so on, of every endpoint; what it leaves out is as the
 * profile has it. docs/sampling.md has the fields. */
typedef struct weir_settings weir_settings;

typedef struct weir_settings_info {
    uint32_t size;
    weir_sampler_opts sampler; /* for weir_sampler_new */
    weir_decode_opts decode;   /* for weir_decoder_new */
    uint32_t choices;          /* n: answers wanted; 1 and more */
    bool logprobs;             /* wanted for the tokens drawn: `decode` notes
                                  them */
    bool after_chain;          /* ... but for those of weir_sampler_candidates,
                                  which are the caller's to read each step */
    uint32_t top_logprobs;     /* and of so many others */
} weir_settings_info;

/* Reads the raw text of a request; opts->endpoint says whose (0: CHAT).
 * vocab: NULL, or what ids and texts of logit_bias are checked with. NULL:
 * *refusal, which may not be NULL, tells which field is wrong and what was
 * expected. */
WEIR_API weir_settings *weir_settings_from_request(
    const weir_env *env, const weir_vocab *vocab, weir_bytes request,
    const weir_request_opts *opts, weir_refusal *refusal);
WEIR_API void weir_settings_free(weir_settings *settings);
/* Fills `info` up to info->size, which the caller sets. Lists are borrowed
 * until the settings are freed. */
WEIR_API void weir_settings_describe(const weir_settings *settings,
                                     weir_settings_info *info);

#ifdef __cplusplus
}
#endif
#endif
