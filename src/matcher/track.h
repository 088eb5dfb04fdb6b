/* track.h: one output followed step by step, with its history.
 *
 * A step is a token or a run of bytes. Each keeps the configurations after it,
 * so taking steps back is dropping them; equal sets in a row share storage
 * (inside a string that is one set for thousands of steps). Lifetime: matcher.
 */
#ifndef WEIR_MATCHER_TRACK_H
#define WEIR_MATCHER_TRACK_H

#include "matcher/config.h"

/* What a step took in. */
typedef struct TrackStep {
    uint32_t token; /* or TRACK_BYTES: text[text_start, next step's) */
    uint32_t start; /* first configuration after it */
    uint32_t text_start;
    uint32_t nchars;  /* ConfigSet.nchars */
    uint32_t ntokens; /* steps up to here that are tokens */
    uint32_t count : 30;
    uint32_t ends : 1;    /* ConfigSet.ends */
    uint32_t is_stop : 1; /* a stop token: nothing can follow */
} TrackStep;

#define TRACK_BYTES UINT32_MAX

typedef struct Track {
    const Mem *mem;
    Stepper stepper;
    ConfigSet now;         /* after the last step */
    ConfigSet next, spare; /* being tried */
    bool is_stopped;       /* the last step was a stop token */
    VEC(Config) pool;
    VEC(TrackStep) steps;  /* steps.at[0] is the start, not a step */
    VEC(uint8_t) text;     /* of TRACK_BYTES steps */
    UniqueTable *unique;   /* own; NULL: nothing has to be unique */
    VEC(UniqueMark) marks; /* by step, after it; with `unique` only */
} Track;

/* `start`: the set before any input; copied. False: no memory. */
bool track_init(Track *t, const Mem *mem, StackHub *hub,
                const weir_limits *limits, const ConfigSet *start);
void track_free(Track *t);
/* An equal track, history included. */
bool track_fork(Track *to, const Track *from, StackHub *hub,
                const weir_limits *limits);

/* Heads of lists will have to be unique; at the start only. `whole`: see
 * UniqueTable. False: no memory. */
bool track_use_unique(Track *t, const Map *whole);
/* Forgets text that was tried. */
void track_drop_text(Track *t);

/* Moves its stacks, history included, to another hub. OK, or what failed;
 * then it stays where it was. What was tried is forgotten. */
weir_status track_move(Track *t, StackHub *hub);

/* One configuration needs no set while only one reading goes on: follows it
 * as far as that holds. Returns the bytes read; *c is the configuration there,
 * and the text kept, if any, is longer by them. No budgets. */
size_t track_alone(Stepper *s, Span bytes, Config *c, ConfigNext *end);

/* Takes a token of these bytes as one step while there is a single reading;
 * CONFIG_FORKS, and nothing changed, when sets are needed or memory is out. */
ConfigNext track_take_alone(Track *t, uint32_t token, Span bytes);

/* Reads bytes from `now` into `next` without taking them; the number that
 * could be read. All were: track_take(t, ...) makes them a step. */
size_t track_try(Track *t, Span bytes);
/* now = next, as one step; `bytes`: of the token too. False: no memory, and
 * nothing changed. */
bool track_take(Track *t, uint32_t token, Span bytes);
/* A step that changes no configuration: a stop token. */
bool track_take_stop(Track *t, uint32_t token);
void track_rollback(Track *t, size_t steps); /* steps <= track_steps */
/* Bytes of step i, 0 < i < steps.count, if it is of bytes; else empty. */
static inline Span track_text(const Track *t, uint32_t i)
{
    uint32_t from = t->steps.at[i].text_start;
    uint32_t to =
        i + 1 < t->steps.count ? t->steps.at[i + 1].text_start : t->text.count;
    return from < to ? span_of(t->text.at + from, to - from) : (Span){0};
}

static inline size_t track_steps(const Track *t)
{
    return t->steps.count - 1;
}

#endif
