/* list_count.h: what the items of a list so far have counted, and which kinds
 * of items can still come so that the list can be ended.
 *
 * A tally is what matters of the items so far: the group reached, and the
 * counters that can still make a difference, as far as they can.
 */
#ifndef WEIR_PASS_LIST_COUNT_H
#define WEIR_PASS_LIST_COUNT_H

#include "pass/list_solve.h"

typedef struct ListValue {
    uint32_t counter, value; /* value > 0 */
} ListValue;

typedef struct Tally {
    bool is_start; /* no item yet */
    uint32_t group;
    uint32_t nvalues;
    const ListValue *values; /* ascending counters */
} Tally;

/* Kinds that allow the same: equal group and counters. */
typedef struct ListClass {
    uint32_t order, pool;
    uint32_t first, count; /* in ListCount.kinds */
} ListClass;

/* A list made ready for questions. One thread. */
typedef struct ListCount {
    const Mem *mem;
    Arena arena;
    const ListSpec *spec; /* borrowed */
    bool is_single;       /* nothing can follow the first item */
    uint32_t nclasses;
    ListClass *classes;   /* ascending groups */
    uint32_t *kinds;      /* by class */
    uint32_t *last_order; /* by counter: its last group; unused ones: 0 */
    uint32_t *shared;     /* by counter: its number in the problem; own ones of
                             a class: UINT32_MAX */
    uint32_t nshared;     /* then come the groups, if they are contiguous */
    uint32_t *shared_of;  /* by number in the problem: the counter */
    uint32_t *owner;      /* by counter that is one class's own: the class */
    CountRange *start;    /* by class: items of it at the start of the list */
    uint32_t *forced;     /* by class: the next one, itself included, of which
                             one must come; nclasses: none */
    uint32_t last_forced, last_dead; /* classes + 1; 0: none */
    uint32_t norders;
    uint32_t *orders; /* ascending */
    ListProblem problem;
    Solver solver;
    /* scratch */
    uint32_t *value;         /* by counter */
    uint8_t *asked;          /* by counter */
    CountRange *class_range; /* `start` but during a look */
    ListBounds base, trial;
    uint8_t *answers; /* by pool and manner */
    VEC(ListValue) values;
} ListCount;

/* Kinds of `spec` must be productive. False: no memory. */
bool listcount_init(ListCount *lc, const Mem *mem, const ListSpec *spec,
                    bool is_single);
void listcount_free(ListCount *lc);

extern const Tally tally_start;
/* The tally after one more item; its values are borrowed until the next call.
 * False: no memory. */
bool listcount_next(ListCount *lc, const Tally *from, uint32_t kind,
                    Tally *out);

/* What can follow. `may`: a byte a kind, 1 for those that may come next.
 * SOLVE_YES: the answer is complete, and there is a way to end the list. */
typedef struct ListOutlook {
    bool ends; /* the list may end here */
    uint8_t *may;
} ListOutlook;
SolveAnswer listcount_look(ListCount *lc, const Tally *tally, ListOutlook *out);

/* No way to end the list, or none that is short enough to count. */
#define LIST_NO_COST UINT64_MAX

/* What it costs at least to end the list after a tally. `item`: by kind, what
 * one costs with its separator; LIST_NO_COST: it cannot come. */
SolveAnswer listcount_cheapest(ListCount *lc, const Tally *tally,
                               const uint64_t *item, uint64_t *cost);
/* The same with at least one item more, of a kind with next[kind], which must
 * be one that may come. */
SolveAnswer listcount_cheapest_next(ListCount *lc, const Tally *tally,
                                    const uint64_t *item, const uint8_t *next,
                                    uint64_t *cost);

/* The look at the start of a list that is made ready for this alone. */
SolveAnswer listcount_begin(const Mem *mem, const ListSpec *spec,
                            bool is_single, ListOutlook *out);
/* Reports SOLVE_GAVE_UP; false. */
bool listcount_fail(weir_error *err);

#endif
