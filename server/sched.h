/* sched.h: what a scheduler is made of, for its files.
 *
 *   submit ─► queue ─► sequence ─► batch ─► engine ─► draws ─► events
 *   (job,     (queue)  (prefix)    (batch,   (filler:  (step)
 *    caller's                       draft)    masks
 *    thread)                                  beside)
 *
 * Whose is what: fields under `lock` are anybody's who holds it; all else of a
 * scheduler, and the rows of a job from its submit to its last event, belong to
 * the scheduler's thread; a row's decoder and matcher to the filler while
 * row->is_filling.
 */
#ifndef SERVER_SCHED_H
#define SERVER_SCHED_H

#include "base/diag.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/vec.h"
#include "server/scheduler.h"

typedef struct Filler Filler;

enum { DRAFT_MOST = 16, NO_ROW = 0 };

typedef VEC(uint32_t) TokenList;

typedef enum RowState {
    ROW_QUEUED = 0,
    ROW_FOLLOWING = 1, /* waits for another row that reads the same beginning */
    ROW_READING = 2,   /* its prompt goes on */
    ROW_WRITING = 3    /* its answer goes on */
} RowState;

/* An answer. */
typedef struct Row {
    Job *job;
    uint32_t choice;
    uint64_t number; /* unique, never NO_ROW */
    uint64_t turn;   /* in the queue: the least is next */
    RowState state;
    weir_matcher *matcher; /* or NULL */
    weir_lazy *lazy;       /* or NULL */
    weir_sampler *sampler;
    weir_decoder *decoder;
    bool is_over;               /* ended before it began: nothing to draw */
    bool has_room;              /* it counts among those running */
    bool is_alone;              /* shares no decode */
    bool wants_mask;            /* each draw needs one */
    uint32_t place;             /* in Scheduler.active */
    uint32_t sequence;          /* of the engine */
    uint32_t reserve;           /* most tokens that the sequence may get */
    uint64_t leader;            /* FOLLOWING: number of the row that reads */
    uint32_t common;            /* FOLLOWING: tokens that it shares with it */
    TokenList feed;             /* what the engine has still to be given... */
    uint32_t fed;               /* ... from here on */
    uint32_t share;             /* of that, in the decode at hand, drafts too */
    uint32_t drafts;            /* tokens of a draft at the end of `feed` */
    uint32_t pause;             /* steps without drafts; twice as many... */
    uint32_t setback;           /* ... as the last time */
    uint32_t draft[DRAFT_MOST]; /* by the filler */
    uint32_t ndraft;
    bool is_filling; /* the filler has it */
    bool proposes;   /* the filler's task: a draft, else a mask */
    bool has_mask;   /* that of this place is made, or being made */
    uint32_t slow;   /* masks of late have been: for so many more it is */
    uint64_t fill_ns;
    bool is_deferred; /* its mask was not there in time: it draws... */
    VEC(float) kept;  /* ... from these logits */
    uint64_t admitted_ns, read_ns; /* when */
    JobCounts counts;
} Row;

struct Job {
    Mem mem;
    Scheduler *scheduler;
    void (*notify)(void *user, const JobEvent *event);
    void *user;
    atomic_bool is_cancelled;
    uint32_t *prompt;
    uint32_t prompt_count;
    bool prompt_only, count_allowed, has_begun;
    uint32_t choices, left; /* left: without an END so far */
    weir_grammar *grammar;
    uint64_t submitted_ns;
    Row rows[];
};

/* What a sequence of the engine holds. */
typedef struct Sequence {
    TokenList tokens;
    Row *row;      /* or NULL: idle */
    uint64_t used; /* number of the decode after which it became idle */
} Sequence;

struct Scheduler {
    Mem mem;
    Engine *engine;
    const EngineInfo *info;
    SchedulerOpts opts; /* with defaults filled in */
    Filler *filler;
    pthread_t thread;

    Lock lock;
    pthread_cond_t came, ended; /* jobs; answers */
    VEC(Row *) queue;           /* in the order of submit */
    uint32_t waiting;           /* jobs of which no answer has a row */
    uint32_t running;           /* answers with a row... */
    uint64_t reserved;          /* ... and the sum of their reserves */
    uint64_t next_number, turn; /* turn: that of the row admitted last */
    bool is_stopping, is_ending;
    uint64_t njobs, nanswers, nrefused;
    SchedulerStats shown;

    atomic_bool has_cancels;

    VEC(Row *) active; /* with a row; NULL: has just ended */
    Sequence *sequences;
    VEC(Row *) lane; /* rows of the decode at hand */
    VEC(EngineRow) rows;
    uint64_t lanes;             /* turns given to lanes */
    uint32_t filling, deferred; /* rows that are */
    bool cannot_draft;          /* the model's state cannot be divided */
    SchedulerStats stats;
};

static inline bool row_is_constrained(const Row *row)
{
    return row->matcher || row->lazy;
}

static inline uint32_t row_left(const Row *row)
{
    return row->feed.count - row->fed;
}

/* ---- scheduler.c ------------------------------------------------------ */

uint64_t sched_clock(void); /* nanoseconds, never back */

/* ---- sched_job.c ------------------------------------------------------ */

/* A job with its rows, not in any queue; NULL: see *refusal. */
Job *job_new(Scheduler *s, const JobOpts *opts, JobRefusal *refusal);
/* Frees what an ended row has: decoder, sampler, matcher, feed. */
void row_clear(Row *row);

/* ---- sched_queue.c: with the lock held -------------------------------- */

/* All rows of a job, or none: out of memory. */
bool queue_put(Scheduler *s, Job *job);
/* The row whose turn it is, taken out, with room for it; NULL: none, or there is
 * no room yet. */
Row *queue_take(Scheduler *s);
/* Its room is free again. */
void queue_give(Scheduler *s, Row *row);
/* A row that is cancelled, taken out; all: any row. NULL: none. */
Row *queue_take_cancelled(Scheduler *s, bool all);

/* ---- sched_prefix.c --------------------------------------------------- */

/* Gives a row its sequence, with the tokens of its prompt that some sequence
 * has already, or lets it follow a row that is reading them. False: out of
 * memory. */
bool prefix_place(Scheduler *s, Row *row);
/* Looks whether a following row may go on. False: out of memory. */
bool prefix_follow(Scheduler *s, Row *row);
/* The row is gone: its sequence is idle and keeps its tokens. */
void prefix_release(Scheduler *s, Row *row);
/* Empties the sequence that has been idle longest; false: there is none. */
bool prefix_evict(Scheduler *s);
/* After a failed decode: what the engine has lost is fed again. False: out of
 * memory. */
bool prefix_resync(Scheduler *s, Row *row);

/* ---- sched_draft.c ---------------------------------------------------- */

/* Looks up drafts for the rows of the lane; has masks made for those without
 * one. */
void drafts_propose(Scheduler *s);
/* Adds the row's draft to its feed, at most `room` tokens. */
void draft_add(Scheduler *s, Row *row, uint32_t room);
/* Takes it out again, of a decode that failed. */
void draft_drop(Row *row);
/* After the draws, of which the first `right` tokens of the draft were: what
 * was wrong goes from the sequence. */
void draft_end(Scheduler *s, Row *row, uint32_t right);

/* ---- sched_batch.c ---------------------------------------------------- */

/* Chooses the rows of the next decode and their tokens, and decodes. False:
 * there is nothing to draw from, as there were no rows, or it failed. */
bool batch_run(Scheduler *s);

/* ---- sched_mask.c ----------------------------------------------------- */

/* Has the mask of the row's place made, if it needs one and there is none. */
void mask_post(Scheduler *s, Row *row);
/* Has a draft looked up. */
void draft_post(Scheduler *s, Row *row);
/* Rows that the filler is done with are no longer filling. */
void masks_drain(Scheduler *s);
/* The same after waiting for all but slow ones. */
void masks_collect(Scheduler *s);
/* The same after waiting for all. */
void masks_finish(Scheduler *s);
/* Keeps the row's logits of the last decode for later. False: out of
 * memory. */
bool row_defer(Scheduler *s, Row *row, size_t at);

/* ---- sched_step.c ----------------------------------------------------- */

/* Gives rows to answers that wait. */
void step_admit(Scheduler *s);
/* Ends the answers that are cancelled; all: every one. */
void step_cancel(Scheduler *s, bool all);
/* Draws from the logits of the last decode, and tells. */
void step_draw(Scheduler *s);
/* Draws for rows whose masks came late. */
void step_draw_deferred(Scheduler *s);
/* Ends an answer with an error. */
void step_fail(Scheduler *s, Row *row, const weir_error *err);

#endif
