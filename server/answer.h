/* answer.h: what decoders have done becomes the bytes of an endpoint's answer.
 *
 *     Answer *a = answer_new(&opts, &err);
 *     answer_begin(a, &start, &out);        the prompt is read: send(out)
 *     answer_step(a, choice, &step, &out);  a decoder's step: send(out)
 *     answer_end(a, choice, &end, &out);    once for each choice: send(out)
 *     if (answer_is_done(a)) close;
 *     answer_free(a);
 *
 * A stream (answer_is_stream) has bytes to send after each call, or none; the
 * bytes of each call are whole events (SSE) or lines (NDJSON). Any other answer
 * comes whole, with the call after which it is done. Bytes are added to `out`,
 * which the caller empties.
 *
 * All eight endpoints of weir_endpoint, in the shapes of the systems they come
 * from; docs/serve.md says what each has. Nothing here knows of sockets,
 * threads or clocks: the same calls give the same bytes. One thread at a time.
 * When memory is out an answer ends with an error; if `out` itself has failed,
 * what is in it is not to be sent.
 *
 * Joined, the pieces of a stream say what the whole answer says, however the
 * tokens fall into steps.
 */
#ifndef WEIR_SERVER_ANSWER_H
#define WEIR_SERVER_ANSWER_H

#include "server/json_put.h"
#include "weir/decode.h"
#include "weir/weir.h"

typedef struct Answer Answer;

/* All is borrowed until answer_free, the lists of the settings too, but for
 * `constraint`, which is read by answer_new alone. With a family the decoder is
 * to run with_special: its marks may be control tokens. */
typedef struct AnswerOpts {
    const weir_env *env; /* NULL: malloc */
    weir_endpoint endpoint;
    weir_profile profile;
    weir_bytes request; /* its text, as it came: a JSON object, whose stream,
                           stream_options, echo ... are read, and of which some
                           is told again */
    const weir_constraint_info *constraint; /* as compiled; or degraded */
    const weir_settings_info *settings;
    const weir_vocab *vocab; /* texts of tokens, for log probabilities */
    weir_family family; /* how the model writes calls and reasoning; NONE, and
                           always on completions, /completion and /generate:
                           the output is text as it is */
    weir_reasoning reasoning; /* where its output begins */
    bool continues;    /* it goes on behind what the request has of it: so it is
                       no JSON value by itself, of which that alone counts */
    const char *model; /* what the answer calls it */
    uint64_t id;       /* from which all ids are made: take a random one */
    int64_t created;   /* seconds since 1970 */
    uint32_t created_nanos;    /* and of the second; Ollama tells them */
    uint32_t prompt_count;     /* prompts of the request, completions' lists of
                                 them; 0: 1. Each has settings->choices answers:
                                 choice = prompt * choices + i */
    const weir_bytes *prompts; /* their texts, to be told again (`echo`, and
                                  llama-server's `prompt`); NULL: not known */
    uint32_t seed;             /* the sampler's, told by llama-server */
    uint32_t context_size;     /* tokens; told by llama-server */
} AnswerOpts;

/* What may be wrong with the fields that are read here alone is refused. NULL:
 * *refusal, which may not be NULL, tells. */
Answer *answer_new(const AnswerOpts *opts, weir_refusal *refusal);
void answer_free(Answer *answer);

bool answer_is_stream(const Answer *answer);
/* "text/event-stream", "application/x-ndjson", "application/json"; static. */
const char *answer_content_type(const Answer *answer);
/* How many choices there are: each is to have its own decoder, and its own
 * answer_end. */
uint32_t answer_choices(const Answer *answer);
/* The request wants to know of each token how many the constraint allowed
 * ("weir": {"tokens": true}): AnswerStep.allowed is to be filled in. */
bool answer_wants_allowed(const Answer *answer);
/* It wants the candidates of each draw (post_sampling_probs): how many; 0:
 * none. AnswerStep.candidates are to be filled in. */
uint32_t answer_wants_candidates(const Answer *answer);
/* "chatcmpl-..."; belongs to the answer. */
const char *answer_id(const Answer *answer);

/* Tokens of the prompts, all together, and how many of them had been computed
 * before. */
typedef struct AnswerStart {
    uint64_t prompt_tokens, cached_tokens;
} AnswerStart;

typedef struct AnswerStep {
    const weir_decoded *decoded;
    const uint32_t *allowed;          /* of each token of the step: how many the
                                constraint allowed there (1: forced); NULL: not
                                counted, or free */
    const weir_candidate *candidates; /* of the first token's draw, all of
                                         them; or NULL */
    size_t candidate_count;
} AnswerStep;

/* The end of one choice. When it was a step that ended it, `finish` and
 * `completed` are of that step; else as the caller has it, such as LENGTH for
 * a context that is full. Times are in nanoseconds. */
typedef struct AnswerEnd {
    weir_finish finish; /* NONE: that of the last step */
    bool truncated;     /* LENGTH, as the context was full */
    uint64_t load_ns, queue_ns, prompt_ns, decode_ns;
    uint64_t mask_ns;           /* of it: making masks */
    uint64_t drafted, accepted; /* tokens of drafts */
} AnswerEnd;

/* Of all prompts, before the first step. */
void answer_begin(Answer *answer, const AnswerStart *start, JsonPut *out);
void answer_step(Answer *answer, uint32_t choice, const AnswerStep *step,
                 JsonPut *out);
/* Nothing follows for the choice. ERROR and STUCK fail the whole answer, as
 * answer_fail does: a constraint is met, or the client is told. */
void answer_end(Answer *answer, uint32_t choice, const AnswerEnd *end,
                JsonPut *out);
/* Something went wrong after answer_begin, or before it: a stream ends with an
 * error in its own form; any other answer is the error's body. */
void answer_fail(Answer *answer, const weir_refusal *refusal, JsonPut *out);

/* Nothing follows at all. */
bool answer_is_done(const Answer *answer);
/* The HTTP status of an answer that is no stream, once it is done: 200, or the
 * status of what went wrong. Of a stream 200. */
int answer_status(const Answer *answer);
/* Tokens of all choices so far, those that were forced among them; for
 * counters. */
uint64_t answer_tokens(const Answer *answer, uint64_t *forced);

#endif
