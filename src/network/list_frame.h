/* list_frame.h: inside the network room: frames of lists.
 *
 * The register of a configuration in a list's frame is a number of a tally
 * (list_count.h) of that list, 0 being the start. A state belongs to a set of
 * kinds, those of which an item may come or is being read: it has the
 * positions of the NFA that are part of such an item. The set of a state is
 * cut down to the kinds that its positions can still be part of, so that a
 * state is the same for all tallies that agree on these.
 */
#ifndef WEIR_NETWORK_LIST_FRAME_H
#define WEIR_NETWORK_LIST_FRAME_H

#include "base/shared_table.h"
#include "network/frame.h"
#include "network/packed_tally.h"

/* A set of kinds; equal sets of one list are one. Words before and after those
 * kept are 0. */
typedef struct KindSet {
    uint64_t hash;
    uint32_t first, nwords;
    uint64_t word[];
} KindSet;

static inline uint64_t kindset_word(const KindSet *set, uint32_t i)
{
    return i - set->first < set->nwords ? set->word[i - set->first] : 0;
}
static inline bool kindset_has(const KindSet *set, uint32_t kind)
{
    return kindset_word(set, kind / 64) >> (kind % 64) & 1;
}

/* Those of [lo, hi) in word i, which has some. */
static inline uint64_t kind_bits(Range r, uint32_t i)
{
    uint32_t lo = MAX(r.lo, i * 64) - i * 64, hi = MIN(r.hi - i * 64, 64);
    return UINT64_MAX >> (64 - hi) & UINT64_MAX << lo;
}

typedef struct ListTally {
    PackedTally tally;
    uint64_t hash;
    const KindSet *next; /* kinds that may come next */
    State *after;        /* between items; NULL at the start */
} ListTally;

/* What an item leads to. Found without a lock. */
typedef struct ListStep {
    SharedItem item;
    uint32_t from, kind, to; /* tallies */
    State *after;
} ListStep;

typedef struct HeadHome HeadHome; /* key_home.c */

typedef struct ListFrame {
    ListCount count;
    uint32_t nkinds, nwords;
    uint8_t *may;      /* scratch: by kind */
    uint64_t *scratch; /* a set, all 0 between its uses */
    Map set_index;
    VEC(KindSet *) sets;
    Map tally_index;
    VEC(ListValue) values; /* scratch: of the tally unpacked last */
    VEC(ListTally *) tallies;
    SharedTable steps;
    State **heads; /* by kind: the end of its head; NULL: not made yet */
    const HeadHome **homes; /* by automaton of a head; NULL: not looked for */
    bool is_plain;          /* names are spelled as keys are (key_home.c) */
} ListFrame;

/* Under the network's lock, as all below; report through its error. */
bool list_frame_init(Frame *frame);
void list_frame_free(const Mem *mem, ListFrame *list);

/* The tally of a register, valid until the next call; false: no memory. */
bool list_tally(Frame *frame, uint32_t reg, Tally *tally);
/* The state at the start of the list. */
State *list_start(Frame *frame);
/* list_land for a maker of `net`, which holds its lock. */
Landing list_land_within(Network *net, const State *q, uint32_t reg,
                         uint32_t kind);

/* True if from every state of the frame that is no end there are endless ways
 * to go on that mean something else. Conservative: only found out for small
 * frames without calls. */
bool frame_is_open(Network *net, Frame *frame);
/* The end of the head of a kind that must be unique; NULL: error. */
State *list_head(Frame *frame, uint32_t kind);

/* Sorts out closed positions that were reached from a state of `kinds`:
 * leaves in `set` those of items that may go on, with what they may be of
 * in *rest, and appends the kinds that end to `done`. */
bool list_sort(Frame *frame, const KindSet *kinds, PosSet *set,
               const KindSet **rest, PosSet *done);
/* Whether an edge to `pos` is of use in a state of `kinds`. */
bool list_has(const Frame *frame, const KindSet *kinds, uint32_t pos);
/* Part of items of one kind: so is all that its edges lead to. */
static inline bool is_of_one(const Nfa *nfa, uint32_t pos)
{
    return nfa->kind[pos].hi - nfa->kind[pos].lo == 1;
}

#endif
