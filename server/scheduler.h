/* scheduler.h: many answers at once from one engine.
 *
 *     Scheduler *s = scheduler_new(&opts, &err);
 *     Job *job = scheduler_submit(s, &job_opts, &refusal);
 *         ... job_opts.notify(user, event) is told of each step ...
 *     job_free(job);                          after its last event
 *     scheduler_free(s);
 *
 * A job is one prompt and one or several answers to it, each under its own
 * copy of the job's constraint. Answers join the batch as they find room and
 * leave it when they end (continuous batching). A scheduler has a thread of
 * its own, which alone uses the engine, and threads that make the next masks
 * while the engine computes.
 *
 * What an answer is depends on its job alone: with an engine whose logits do
 * not depend on the batch (builtin), the same job with the same seed gives the
 * same tokens alone and among others.
 *
 * Any thread may submit, cancel, and ask for the counts. docs/serve.md says
 * how turns are given.
 */
#ifndef SERVER_SCHEDULER_H
#define SERVER_SCHEDULER_H

#include "engine/engine.h"
#include "weir/decode.h"
#include "weir/sample.h"
#include "weir/weir.h"

typedef struct Scheduler Scheduler;
typedef struct Job Job;

/* ---- life ------------------------------------------------------------- */

/* Zero in a field means the default given. */
typedef struct SchedulerOpts {
    const weir_env *env; /* NULL: malloc. Borrowed */
    Engine *engine;      /* borrowed, and the scheduler's alone until its end;
                            engine_vocab and engine_info may be asked for */
    uint32_t rows;       /* answers in the batch at once; 0: as many as the
                            engine has sequences. Sequences beyond that keep
                            the beginnings of prompts */
    uint32_t waiting;    /* most jobs that wait for a row; 0: 256 */
    uint32_t context;    /* most tokens of a prompt and an answer together; 0:
                            an equal share of the engine's context for each
                            row. More than that share is possible: then answers
                            wait until there is room */
    uint32_t chunk;      /* most tokens of prompts in a decode in which answers
                            go on; 0: half of the engine's batch */
    uint32_t workers;    /* threads for masks; 0: by the processors; UINT32_MAX:
                            none, masks are made when the engine has computed */
    uint32_t speculate;  /* tokens of a draft, at most 16, which are looked up
                            in prompt and output; 0: no drafts */
    uint32_t slow_mask;  /* processor time, in nanoseconds, of a mask that makes
                            its answer slow: for a while the others do not wait
                            for it; 0: 2 ms */
    bool grammar_alone;  /* answers with a constraint share no decode */
    bool no_reuse;       /* prompts are read whole, whatever is in the cache */
} SchedulerOpts;

/* Starts the threads. NULL for an error; err may not be NULL. ARGUMENT: more
 * rows than the engine has sequences, or tokens in a decode. */
Scheduler *scheduler_new(const SchedulerOpts *opts, weir_error *err);
/* The options with their defaults filled in; they never change. */
const SchedulerOpts *scheduler_opts(const Scheduler *scheduler);
/* From now on jobs are refused (JOB_STOPPED); those that there are go on.
 * Waits at most `ms` milliseconds, UINT32_MAX: for ever, until all have ended;
 * true: they have. Not from notify. */
bool scheduler_drain(Scheduler *scheduler, uint32_t ms);
/* Cancels what is left, tells its jobs so, and ends the threads. Jobs remain
 * to be freed by their owners, before or after. Not from notify. Accepts
 * NULL. */
void scheduler_free(Scheduler *scheduler);

/* ---- jobs ------------------------------------------------------------- */

typedef enum JobEventKind {
    JOB_STARTED = 1, /* the prompt has been read; comes first */
    JOB_STEP = 2,    /* a token has been drawn, and forced ones with it */
    JOB_END = 3      /* nothing more comes; the answer's last event */
} JobEventKind;

/* What an answer took so far. Times in nanoseconds. */
typedef struct JobCounts {
    uint32_t prompt;            /* tokens of the prompt */
    uint32_t cached;            /* of these, were in the cache already */
    uint32_t output;            /* tokens taken, the one that ended it too */
    uint32_t forced;            /* of these, were not drawn */
    uint32_t drafted, accepted; /* tokens of drafts; those that came true */
    uint64_t wait_ns;           /* from submit until a row was free */
    uint64_t prompt_ns;         /* from then until the prompt was read */
    uint64_t decode_ns;         /* from then until now */
    uint64_t mask_ns;           /* processor time of its masks */
} JobCounts;

typedef struct JobEvent {
    JobEventKind kind;
    uint32_t choice; /* which answer of the job: [0, choices) */
    JobCounts counts;
    const weir_decoded *step;    /* STEP: what weir_decoder_step said */
    const weir_sampler *sampler; /* STEP: for weir_sampler_candidates */
    uint32_t allowed;            /* STEP, if they are counted: how many tokens
                                   the constraint allowed where the first was
                                   drawn; UINT32_MAX: there is none */
    weir_finish finish;          /* END; also that of the last step */
    bool completed;              /* END: as in weir_decoded */
    bool cancelled;              /* END: by job_cancel, or the scheduler's end;
                                  finish is WEIR_FINISH_NONE */
    bool is_last;                /* END: all answers of the job have ended; it
                                  may be freed, also from within notify */
    const weir_error *error;     /* END with WEIR_FINISH_ERROR: why */
} JobEvent;

typedef struct JobOpts {
    const uint32_t *prompt; /* copied */
    size_t prompt_count;    /* 1 and more */
    uint32_t choices;       /* answers; 0: 1. The prompt is read once. The i-th
                               is drawn with seed + i */
    weir_grammar *grammar;  /* retained; NULL: free text */
    const weir_matcher_opts *matcher; /* NULL: defaults. Copied */
    weir_bytes prefill; /* what the prompt has of the output, taken by the
                               matcher before its first mask. Copied */
    const weir_lazy_opts *lazy; /* NULL, or the grammar waits for these; then
                               `matcher` and `prefill` are not looked at */
    const weir_sampler_opts *sampler; /* NULL: defaults. Copied */
    const weir_decode_opts *decode;   /* NULL: defaults. Copied; its `lazy` is
                               not looked at */
    bool prompt_only; /* nothing is drawn: LENGTH after the prompt */
    bool alone;       /* shares no decode with other answers */
    bool
        count_allowed; /* steps tell how many tokens were allowed: a microsecond
                           and more for each */
    /* Called on the scheduler's thread: STARTED once, STEPs, END once for each
     * choice, those of several choices mixed. `event` and what it points to are
     * valid in the call. Must not block, nor submit; may cancel. */
    void (*notify)(void *user, const JobEvent *event);
    void *user;
} JobOpts;

typedef enum JobRefusalKind {
    JOB_TAKEN = 0,
    JOB_INVALID = 1, /* options are wrong, or memory is out: see error */
    JOB_CONTEXT = 2, /* the prompt leaves no room for a token of output: 400,
                        exceed_context_size_error */
    JOB_FULL = 3,    /* too many jobs wait: 503, come back later */
    JOB_STOPPED = 4  /* no more jobs are taken: 503 */
} JobRefusalKind;

typedef struct JobRefusal {
    JobRefusalKind kind;
    uint32_t prompt, context; /* CONTEXT: tokens found, most there may be with
                                 an answer */
    weir_error error;         /* in words, for every kind */
} JobRefusal;

/* Puts a job in the queue: first come, first served, but further answers of a
 * job give way to first ones. Makes matchers and samplers on the calling
 * thread. Returns a job for job_free, or NULL; *refusal is always filled in.
 * The first event may come before this returns. */
Job *scheduler_submit(Scheduler *scheduler, const JobOpts *opts,
                      JobRefusal *refusal);
/* Ends all answers of a job that go on: their rows are free before the next
 * decode begins, and their END says cancelled. Any thread, any number of
 * times, until the job is freed. */
void job_cancel(Job *job);
/* After the event that is_last. Any thread. Accepts NULL. */
void job_free(Job *job);

/* ---- counts ----------------------------------------------------------- */

/* Times of masks are counted by these upper bounds, in nanoseconds, 1,000 to
 * 100,000,000, and one count more for what is longer. */
enum { MASK_BOUNDS = 14 };
extern const uint64_t scheduler_mask_bounds[MASK_BOUNDS];

/* Since the start, but for what is said to be now. Times in nanoseconds. */
typedef struct SchedulerStats {
    uint64_t jobs, refused; /* taken; refused as FULL or STOPPED */
    uint64_t answers;       /* ended, of all kinds; and of these: */
    uint64_t cancelled, failed;
    uint32_t running, waiting; /* now: answers in rows, answers without */
    uint32_t cells;            /* now: tokens in the cache, by sequences */
    uint64_t prompt_tokens, cached_tokens, output_tokens;
    uint64_t forced_tokens, drafted_tokens, accepted_tokens;
    uint64_t decodes, decoded_tokens, decode_ns; /* engine_decode */
    uint64_t step_ns;        /* from batch to batch, while there was one */
    uint64_t masks, mask_ns; /* made by the workers; their processor time */
    uint64_t
        mask_wait_ns;    /* for masks that were not done when the engine was */
    uint64_t late_masks; /* of slow answers, which drew later than the others */
    uint64_t mask_times[MASK_BOUNDS + 1]; /* masks, by the bounds */
} SchedulerStats;
void scheduler_stats(Scheduler *scheduler, SchedulerStats *stats);

#endif
