/* list_look.h: inside list_count: the bounds on what can still come. */
#ifndef WEIR_PASS_LIST_LOOK_H
#define WEIR_PASS_LIST_LOOK_H

#include "pass/list_count.h"

/* In ListCount.shared: the counter is one class's own. */
#define PRIVATE UINT32_MAX

/* What must and may come after a tally, by class (lc->class_range) and by
 * counter of the problem (lc->base). */
typedef struct Look {
    ListCount *lc;
    const Tally *tally;
    uint32_t first_class;  /* of the present group */
    uint32_t first_forced; /* group of the first class that must still come;
                              UINT32_MAX: none must */
    uint32_t last_forced;
    bool any;     /* some kind may come */
    bool is_dead; /* a class needs more items than it may have */
} Look;

/* Finds out about the start, for looks to come. */
void look_init(ListCount *lc);
/* Loads the tally; look_end unloads it. */
void look_begin(Look *look, ListCount *lc, const Tally *tally);
void look_end(Look *look);
/* The list may end here. */
bool look_may_end(const Look *look);
/* Which of orders[] is `order`. */
uint32_t order_rank(const ListCount *lc, uint32_t order);
/* In lc->trial: groups [from, to] must be used, and none after. */
void trial_use_groups(ListCount *lc, uint32_t from, uint32_t to);

static inline const ListKind *class_kind(const ListCount *lc, uint32_t class)
{
    return &lc->spec->kinds[lc->kinds[lc->classes[class].first]];
}

/* No item after one of `group` adds to the counter. */
static inline bool is_closed(const ListCount *lc, uint32_t counter,
                             uint32_t group)
{
    return lc->last_order[counter] < group;
}

static inline void range_add(CountRange *sum, CountRange r)
{
    sum->lo += r.lo;
    sum->hi = MIN(sum->hi + r.hi, COUNT_INF);
}

#endif
