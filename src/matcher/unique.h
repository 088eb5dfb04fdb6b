/* unique.h: heads of list items that must differ from one another.
 *
 * Where a grammar has such lists, a matcher keeps the text of its output, and
 * a configuration the number of a record: one for each list that it is in, the
 * innermost first, with the heads that the list has had. So stacks are those
 * of any grammar, and masks are made and remembered without records; then what
 * is too much is taken out (mask/refine.h). At the end of a head its meaning
 * is looked for among those before; a reading that repeats one is dropped.
 *
 * A configuration has as many records as there are frames of such lists in it
 * and on each of its stacks: going into one adds a record, leaving it drops
 * that again. Records belong to the matcher that made them and never change.
 *
 * A head is known to be in hand by its record, which says where it began, if
 * it is a call; and by the state (in_head) if it is not. Then it is a string,
 * and begins at the last quote that is no escape.
 */
#ifndef WEIR_MATCHER_UNIQUE_H
#define WEIR_MATCHER_UNIQUE_H

#include "matcher/likeness.h"
#include "matcher/stack.h"

struct Stepper;
struct Config;
struct ConfigSet;

#define UNIQUE_NONE UINT32_MAX

/* A head and those before it. */
typedef struct UniqueHead {
    uint32_t before;   /* UNIQUE_NONE: the first */
    uint32_t count;    /* of those before, and this one */
    uint32_t at, size; /* in the table's bytes: its meaning */
    ListUnique unique; /* how it is compared */
    bool may_be_whole; /* some token may have all of it, or of one before */
    uint64_t hash;
} UniqueHead;

typedef struct UniqueRecord {
    uint32_t outer; /* record of the list around it; 0: none */
    uint32_t last;  /* head of the list; or UNIQUE_NONE */
    uint32_t begin; /* of the head in hand, a call; or UNIQUE_NONE */
    uint32_t made;  /* bytes of text when it was made */
    const Frame *list;
    const State *head; /* where the head in hand ends; NULL: none, no call */
    /* of this list or one around it: */
    bool in_hand;      /* a head that is a call is in hand */
    bool is_closed;    /* one that is not open, and not the list's first */
    bool has_closed;   /* the list may have such heads, and has had some head */
    bool may_be_whole; /* some head is */
} UniqueRecord;

typedef struct UniqueLike {
    uint32_t head;
    Likeness like;
} UniqueLike;

/* The earlier heads that the head in hand began like, when its text was
 * text[begin, end). */
typedef struct UniqueLikes {
    uint32_t begin, end, last; /* end 0: not known */
    ListUnique unique;
    VEC(UniqueLike) list;
} UniqueLikes;
enum { UNIQUE_HANDS = 4 }; /* heads in hand for which that is kept */

typedef struct UniqueAnswer {
    uint64_t key;
    bool can;
} UniqueAnswer;

typedef struct UniqueAnswers {
    VEC(UniqueAnswer) at;
    Map index; /* key -> at */
} UniqueAnswers;

typedef struct UniqueTable {
    const Mem *mem;
    const Map *whole;  /* hashes of heads that a token may have; or NULL */
    VEC(uint8_t) text; /* of the output, and of what is being tried */
    VEC(UniqueRecord) records; /* number n at n - 1 */
    VEC(UniqueHead) heads;
    VEC(uint8_t) bytes;
    VEC(uint8_t) scratch; /* the meaning of the head in hand */
    UniqueLikes likes[UNIQUE_HANDS];
    uint32_t next_likes; /* to be replaced */
    /* Answers of unique_can_end, by hashes of configurations: of one round of
     * tries; and for good, true of all. */
    UniqueAnswers tried, endless;
    uint32_t nstable; /* heads when the round began; 0: there is none */
} UniqueTable;

/* Where a table stood, to go back to. */
typedef struct UniqueMark {
    uint32_t text, records, heads, bytes;
} UniqueMark;

void unique_free(UniqueTable *u);
bool unique_copy(UniqueTable *to, const UniqueTable *from);
UniqueMark unique_mark(const UniqueTable *u);
void unique_back(UniqueTable *u, UniqueMark mark);

/* What the JSON value `text` means: equal values, equal bytes (UNIQUE_VALUE);
 * the decoded string (UNIQUE_STRING). False: no memory. */
bool unique_meaning(UniqueTable *u, ListUnique kind, Span text);
/* Kinds of uniqueness do not mix: a hash of each. */
static inline uint64_t unique_hash(ListUnique kind, Span meaning)
{
    return hash_bytes(kind, meaning.at, meaning.size);
}

static inline const UniqueRecord *unique_record(const UniqueTable *u,
                                                uint32_t record)
{
    return &u->records.at[record - 1];
}

/* ---- moving: the record of a configuration ---- */

/* After its list is left. */
uint32_t unique_leave(const struct Stepper *s, uint32_t record);
/* When it makes move m from a state of a list's frame: left, unless the move
 * goes on in the frame or returns to it. */
uint32_t unique_move(const struct Stepper *s, uint32_t record, const Frame *f,
                     const Move *m);
/* When a move lands at `to`, of a list's frame, or would return there if that
 * stays on the stack. */
uint32_t unique_place(struct Stepper *s, uint32_t record, RegOp op,
                      const State *to, bool stays);
/* When c has come to a place of a list's frame: if a head ends there, it is one
 * more. False: it has been there before, or failure. */
bool unique_return(struct Stepper *s, struct Config *c);

/* ---- no dead ends ---- */

/* False with *err: some head that must be unique has so few texts that a list
 * could run out of them, or what it has cannot be found out. */
bool unique_check(Network *net, const weir_limits *limits, weir_error *err);

/* Whether the heads in hand can be ended otherwise than earlier ones were: of
 * those that are open that is so. */
bool unique_can_end(struct Stepper *s, struct Config c);
void unique_answers_free(UniqueAnswers *a, const Mem *mem);
/* A round of tries from one text begins, or ends. */
void unique_tries_begin(UniqueTable *u);
void unique_tries_end(UniqueTable *u);
/* Drops configurations after a byte for which that is not so; the byte too
 * when none is left. */
void unique_prune(struct Stepper *s, struct ConfigSet *set);

/* ---- for masks ---- */

/* A record like this one, of lists that have had no heads; what is in hand
 * begins at `begin`. 0: there is none, or no memory. */
uint32_t unique_fresh(struct Stepper *s, uint32_t record, uint32_t begin);

/* *out = the configurations without records. */
void unique_plain(struct Stepper *s, const struct ConfigSet *set,
                  struct ConfigSet *out);

/* A head in hand. */
typedef struct UniqueHand {
    uint32_t begin; /* of its text */
    Span text;      /* so far */
    uint32_t last;  /* the head before it, or UNIQUE_NONE */
    ListUnique unique;
    bool is_open;
} UniqueHand;
/* The heads in hand of a configuration, innermost first: *record is where to
 * go on, UNIQUE_NONE at first; false: no more. */
bool unique_hand(const UniqueTable *u, const struct Config *c, uint32_t *record,
                 UniqueHand *hand);
/* Those of the list's heads that the one in hand begins like; NULL: no memory.
 * Kept while the text only grows; borrowed until the next call or head. */
const UniqueLikes *unique_likes(UniqueTable *u, const UniqueHand *hand);
/* Those of a beginning of its text, if they are known; NULL: no. */
const UniqueLikes *unique_kept_likes(UniqueTable *u, const UniqueHand *hand);

#endif
