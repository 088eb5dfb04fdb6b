/* list_look.c: which items can follow a tally.
 *
 * A kind may come next if some number of further items of each kind satisfies
 * all counters and needs; the order of items within a group does not matter.
 * Groups are added to the pools from the last to the present one, so that each
 * kind is asked about with exactly the items that may come after it; kinds of
 * one group and pool that differ in nothing else are asked about once. Where
 * groups may not be skipped, the last one used is tried in turn.
 * Cost: linear in the classes that may come and the values of the tally; with
 * shared counters, in the classes from the present group on, and one problem
 * for each group and pool.    Tests: unit/list_test.c.
 */
#include "pass/list_look.h"

enum { LOOK_WORK = 1 << 24 };

/* What a counter still needs and may still get. */
static CountRange counter_range(const Look *l, uint32_t counter)
{
    ListCounter c = l->lc->spec->counters[counter];
    uint32_t value = l->lc->value[counter];
    CountRange r = {0, COUNT_INF};
    if (!l->tally->is_start && is_closed(l->lc, counter, l->tally->group))
        return r;
    if (c.lo > value) r.lo = c.lo - value;
    if (c.hi != REPEAT_INF) r.hi = c.hi > value ? c.hi - value : 0;
    return r;
}

static CountRange class_range(const Look *l, uint32_t i)
{
    const ListKind *k = class_kind(l->lc, i);
    CountRange range = {0, COUNT_INF};
    for (uint32_t j = 0; j < k->ncounters; j++) {
        if (l->lc->shared[k->counters[j]] != PRIVATE) continue;
        CountRange r = counter_range(l, k->counters[j]);
        range.lo = MAX(range.lo, r.lo);
        range.hi = MIN(range.hi, r.hi);
    }
    return range;
}

void look_init(ListCount *lc)
{
    Look l = {.lc = lc, .tally = &tally_start};
    lc->forced[lc->nclasses] = lc->nclasses;
    for (uint32_t i = lc->nclasses; i-- > 0;) {
        CountRange r = lc->start[i] = lc->class_range[i] = class_range(&l, i);
        lc->forced[i] = r.lo ? i : lc->forced[i + 1];
        if (r.lo) lc->last_forced = MAX(lc->last_forced, i + 1);
        if (r.lo > r.hi) lc->last_dead = MAX(lc->last_dead, i + 1);
    }
}

/* The first class of a group that is not before `order`. */
static uint32_t class_from(const ListCount *lc, uint64_t order)
{
    uint32_t lo = 0, hi = lc->nclasses;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (lc->classes[mid].order < order)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Classes that have items already are of the present group. */
static void look_at_values(Look *l)
{
    ListCount *lc = l->lc;
    for (uint32_t i = 0; i < l->tally->nvalues; i++) {
        uint32_t c = l->tally->values[i].counter;
        if (lc->shared[c] != PRIVATE) continue;
        CountRange r = class_range(l, lc->owner[c]);
        lc->class_range[lc->owner[c]] = r;
        l->is_dead |= r.lo > r.hi;
    }
}

static void find_forced(Look *l)
{
    const ListCount *lc = l->lc;
    uint32_t i = lc->forced[l->first_class];
    while (i < lc->nclasses && !lc->class_range[i].lo) i = lc->forced[i + 1];
    l->first_forced = l->last_forced = UINT32_MAX;
    if (i == lc->nclasses) return;
    l->first_forced = lc->classes[i].order;
    l->last_forced = lc->classes[MAX(i, lc->last_forced - 1)].order;
}

void look_begin(Look *l, ListCount *lc, const Tally *t)
{
    *l = (Look){.lc = lc, .tally = t};
    for (uint32_t i = 0; i < t->nvalues; i++)
        lc->value[t->values[i].counter] = t->values[i].value;
    l->first_class = t->is_start ? 0 : class_from(lc, t->group);
    l->is_dead = lc->last_dead > l->first_class;
    look_at_values(l);
    find_forced(l);
    for (uint32_t s = 0; s < lc->nshared; s++) {
        uint32_t c = lc->shared_of[s];
        lc->base.counter[s] = counter_range(l, c);
        lc->base.has[s] = lc->value[c] > 0;
    }
    for (uint32_t s = lc->nshared; s < lc->problem.ncounters; s++)
        lc->base.counter[s] = (CountRange){0, COUNT_INF};
    memset(lc->base.pool, 0, lc->problem.npools * sizeof(CountRange));
}

void look_end(Look *l)
{
    ListCount *lc = l->lc;
    for (uint32_t i = 0; i < l->tally->nvalues; i++) {
        uint32_t c = l->tally->values[i].counter;
        lc->value[c] = 0;
        if (lc->shared[c] == PRIVATE)
            lc->class_range[lc->owner[c]] = lc->start[lc->owner[c]];
    }
}

/* With the items so far alone. */
static bool is_broken(const ListCount *lc, const ListNeed *n)
{
    if (lc->value[n->then]) return false;
    for (uint32_t i = 0; i < n->nwhen; i++)
        if (!lc->value[n->when[i]]) return false;
    return true;
}

bool look_may_end(const Look *l)
{
    const ListCount *lc = l->lc;
    if (l->tally->is_start || l->first_forced != UINT32_MAX) return false;
    for (uint32_t s = 0; s < lc->nshared; s++)
        if (lc->base.counter[s].lo) return false;
    for (uint32_t i = 0; i < lc->spec->nneeds; i++)
        if (is_broken(lc, &lc->spec->needs[i])) return false;
    return true;
}

/* lc->trial: what must come after an item of class i. False: it may not
 * come. */
static bool trial_begin(Look *l, uint32_t i)
{
    ListCount *lc = l->lc;
    const ListProblem *p = &lc->problem;
    const ListClass *class = &lc->classes[i];
    ListBounds *t = &lc->trial;
    memcpy(t->pool, lc->base.pool, p->npools * sizeof *t->pool);
    memcpy(t->counter, lc->base.counter, p->ncounters * sizeof *t->counter);
    memcpy(t->has, lc->base.has, p->ncounters);
    CountRange own = lc->class_range[i];
    if (!own.hi) return false;
    t->pool[class->pool].lo -= own.lo > 0;
    if (own.hi < COUNT_INF && t->pool[class->pool].hi < COUNT_INF)
        t->pool[class->pool].hi--;
    for (uint32_t k = p->pool_start[class->pool];
         k < p->pool_start[class->pool + 1]; k++) {
        uint32_t s = p->pool_counter[k];
        CountRange *r = &t->counter[s];
        if (!r->hi) return false;
        r->lo -= r->lo > 0;
        if (r->hi < COUNT_INF) r->hi--;
        t->has[s] = 1;
    }
    return true;
}

/* With nothing more to come. */
static void trial_end_here(ListCount *lc)
{
    for (uint32_t i = 0; i < lc->problem.npools; i++) lc->trial.pool[i].hi = 0;
}

static bool trial_is_dead(const ListCount *lc)
{
    for (uint32_t i = 0; i < lc->problem.npools; i++)
        if (lc->trial.pool[i].lo > lc->trial.pool[i].hi) return true;
    return false;
}

static SolveAnswer trial_solve(ListCount *lc)
{
    if (lc->is_single) trial_end_here(lc);
    if (trial_is_dead(lc)) return SOLVE_NO;
    if (!lc->problem.ncounters) return SOLVE_YES;
    return solve(&lc->solver, &lc->problem, &lc->trial);
}

void trial_use_groups(ListCount *lc, uint32_t from, uint32_t to)
{
    for (uint32_t r = 0; r < lc->norders; r++)
        lc->trial.counter[lc->nshared + r] =
            (CountRange){from <= r && r <= to, r <= to ? COUNT_INF : 0};
}

/* Without gaps: tries each group as the last one. */
static SolveAnswer ask_contiguous(Look *l, uint32_t i)
{
    ListCount *lc = l->lc;
    uint32_t order = lc->classes[i].order;
    uint32_t from = order_rank(lc, order), last = from;
    if (l->first_forced != UINT32_MAX && l->last_forced > order)
        last = order_rank(lc, l->last_forced);
    for (; last < lc->norders; last++) {
        if (lc->orders[last] - order != last - from) break; /* a gap */
        if (!trial_begin(l, i)) return SOLVE_NO;
        trial_use_groups(lc, from + 1, last);
        SolveAnswer answer = trial_solve(lc);
        if (answer != SOLVE_NO) return answer;
    }
    return SOLVE_NO;
}

static SolveAnswer ask(Look *l, uint32_t i)
{
    if (l->lc->spec->is_contiguous) return ask_contiguous(l, i);
    return trial_begin(l, i) ? trial_solve(l->lc) : SOLVE_NO;
}

/* Classes of one pool and group differ in whether one of their own must still
 * come and whether their number is bounded. */
static uint8_t *answer_for(ListCount *lc, uint32_t i)
{
    CountRange r = lc->class_range[i];
    uint32_t manner = (r.lo > 0 ? 2u : 0u) + (r.hi < COUNT_INF ? 1u : 0u);
    return &lc->answers[4 * lc->classes[i].pool + manner];
}

static bool order_may_come(const Look *l, uint32_t order)
{
    const Tally *t = l->tally;
    if (order > l->first_forced) return false;
    if (l->lc->is_single && !t->is_start) return false;
    if (!l->lc->spec->is_contiguous) return true;
    return t->is_start ? order == 0
                       : order == t->group || order == t->group + 1;
}

static SolveAnswer class_ask(Look *l, uint32_t i, uint8_t *may)
{
    enum { UNKNOWN, NO, YES };
    ListCount *lc = l->lc;
    const ListClass *class = &lc->classes[i];
    if (!lc->class_range[i].hi) return SOLVE_NO;
    uint8_t *known = answer_for(lc, i);
    if (*known == UNKNOWN) {
        SolveAnswer answer = ask(l, i);
        if (answer > SOLVE_YES) return answer;
        *known = answer == SOLVE_YES ? YES : NO;
    }
    if (*known == NO) return SOLVE_NO;
    for (uint32_t k = 0; k < class->count; k++)
        may[lc->kinds[class->first + k]] = 1;
    l->any = true;
    return SOLVE_YES;
}

/* Classes [from, to) are a group; those after it are in the pools already. */
static SolveAnswer group_ask(Look *l, uint32_t from, uint32_t to, uint8_t *may)
{
    ListCount *lc = l->lc;
    for (uint32_t i = from; i < to; i++)
        range_add(&lc->base.pool[lc->classes[i].pool], lc->class_range[i]);
    if (!order_may_come(l, lc->classes[from].order)) return SOLVE_YES;
    for (uint32_t i = from; i < to; i++) *answer_for(lc, i) = 0;
    for (uint32_t i = from; i < to; i++) {
        SolveAnswer answer = class_ask(l, i, may);
        if (answer > SOLVE_YES) return answer;
    }
    return SOLVE_YES;
}

/* Without counters that classes share. */
static SolveAnswer look_plain(Look *l, ListOutlook *out)
{
    const ListCount *lc = l->lc;
    for (uint32_t i = l->first_class; i < lc->nclasses; i++) {
        const ListClass *class = &lc->classes[i];
        if (class->order > l->first_forced) break;
        if (!lc->class_range[i].hi) continue;
        for (uint32_t k = 0; k < class->count; k++)
            out->may[lc->kinds[class->first + k]] = 1;
        l->any = true;
    }
    return l->any || out->ends ? SOLVE_YES : SOLVE_NO;
}

static SolveAnswer look(Look *l, ListOutlook *out)
{
    ListCount *lc = l->lc;
    if (l->is_dead) return SOLVE_NO;
    out->ends = look_may_end(l);
    if (!lc->problem.ncounters && !lc->is_single) return look_plain(l, out);
    uint32_t to = lc->nclasses;
    while (to > l->first_class) {
        uint32_t from = to - 1;
        while (from > l->first_class &&
               lc->classes[from - 1].order == lc->classes[to - 1].order)
            from--;
        SolveAnswer answer = group_ask(l, from, to, out->may);
        if (answer > SOLVE_YES) return answer;
        to = from;
    }
    return l->any || out->ends ? SOLVE_YES : SOLVE_NO;
}

SolveAnswer listcount_look(ListCount *lc, const Tally *tally, ListOutlook *out)
{
    Look l;
    out->ends = false;
    memset(out->may, 0, lc->spec->nkinds);
    lc->solver.work = LOOK_WORK;
    look_begin(&l, lc, tally);
    SolveAnswer answer = look(&l, out);
    look_end(&l);
    return answer;
}
