/* peer_talk.h: the conversation of peer_kit.py, for engines called from C. */
#ifndef WEIR_BENCH_PEER_TALK_H
#define WEIR_BENCH_PEER_TALK_H

#include "base/port.h"

typedef struct TalkJob {
    const char *kind, *source, *root;
    size_t source_size;
} TalkJob;

typedef struct TalkTest {
    double *us; /* by step, without what the clock costs; room for all */
    uint32_t taken;
    bool may_stop; /* asked only when all were taken */
} TalkTest;

typedef struct TalkEngine {
    void *user;
    /* A grammar, and the time of compiling, a matcher and its first mask; or
     * NULL and a message that stays until the next call. */
    void *(*compile)(void *user, const TalkJob *job, double *ttfm_us,
                     const char **error);
    /* One test by a fresh matcher. */
    void (*run)(void *user, void *grammar, const uint32_t *ids, uint32_t count,
                TalkTest *test);
    void (*release)(void *user, void *grammar);
} TalkEngine;

/* Answers the jobs of standard input until it ends. False: a job could not be
 * read, or memory is out. */
bool talk(const TalkEngine *engine);

#endif
