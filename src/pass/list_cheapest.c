/* list_cheapest.c: what the shortest way to end a list costs.
 *
 * Of each class the cheapest kind counts. Classes of a pool give what must
 * come, and beyond that their items in the order of cost; the rest is a
 * problem for solve_cheapest.
 * Cost: n log n in the classes, and the problem.
 * Tests: prop/finish_vs_oracle_test.c.
 */
#include <stdlib.h>

#include "pass/list_look.h"

enum { CHEAPEST_WORK = 1 << 22 };

/* Items that a class may give beyond those it must. */
typedef struct Offer {
    uint32_t pool;
    CostStep step;
} Offer;

static int order_offers(const void *x, const void *y)
{
    const Offer *a = x, *b = y;
    if (a->pool != b->pool) return a->pool < b->pool ? -1 : 1;
    return (a->step.cost > b->step.cost) - (a->step.cost < b->step.cost);
}

typedef struct Cheapest {
    Look look;
    const uint64_t *item;
    Offer *offer;
    uint32_t noffers;
    uint64_t forced; /* what must come costs */
    PoolCosts costs;
    uint32_t *start;
    CostStep *step;
    bool is_dead;
} Cheapest;

static uint64_t class_cost(const Cheapest *c, uint32_t i)
{
    const ListCount *lc = c->look.lc;
    const ListClass *class = &lc->classes[i];
    uint64_t cost = LIST_NO_COST;
    for (uint32_t k = 0; k < class->count; k++)
        cost = MIN(cost, c->item[lc->kinds[class->first + k]]);
    return cost;
}

static void offer_class(Cheapest *c, uint32_t i)
{
    ListCount *lc = c->look.lc;
    uint64_t cost = class_cost(c, i);
    CountRange r = lc->class_range[i];
    if (cost == LIST_NO_COST) {
        c->is_dead |= r.lo > 0;
        r.hi = 0;
    }
    if (c->is_dead) return;
    c->forced += r.lo * cost;
    range_add(&lc->base.pool[lc->classes[i].pool], r);
    if (r.hi > r.lo)
        c->offer[c->noffers++] =
            (Offer){lc->classes[i].pool, {r.hi - r.lo, cost}};
}

/* Offers as steps by pool. */
static void offers_sort(Cheapest *c)
{
    const ListCount *lc = c->look.lc;
    if (c->noffers) qsort(c->offer, c->noffers, sizeof *c->offer, order_offers);
    uint32_t at = 0;
    for (uint32_t p = 0; p < lc->problem.npools; p++) {
        c->start[p] = at;
        c->costs.least[p] = lc->base.pool[p].lo;
        for (; at < c->noffers && c->offer[at].pool == p; at++)
            c->step[at] = c->offer[at].step;
    }
    c->start[lc->problem.npools] = at;
    c->costs.start = c->start;
    c->costs.step = c->step;
}

static void trial_copy(ListCount *lc)
{
    const ListProblem *p = &lc->problem;
    memcpy(lc->trial.pool, lc->base.pool, p->npools * sizeof(CountRange));
    memcpy(lc->trial.counter, lc->base.counter,
           p->ncounters * sizeof(CountRange));
    memcpy(lc->trial.has, lc->base.has, p->ncounters);
}

/* Without gaps: the best of all groups that may be the last one. */
static SolveAnswer solve_contiguous(Cheapest *c, uint64_t *best)
{
    ListCount *lc = c->look.lc;
    const Tally *t = c->look.tally;
    uint32_t from = t->is_start ? 0 : order_rank(lc, t->group), last = from;
    uint32_t order = t->is_start ? 0 : t->group;
    SolveAnswer found = SOLVE_NO;
    if (!lc->norders || lc->orders[from] != order) return SOLVE_NO;
    for (; last < lc->norders; last++) {
        uint64_t cost;
        if (lc->orders[last] - order != last - from) break;
        trial_copy(lc);
        trial_use_groups(lc, t->is_start ? from : from + 1, last);
        SolveAnswer answer = solve_cheapest(&lc->solver, &lc->problem,
                                            &lc->trial, &c->costs, &cost);
        if (answer > SOLVE_YES) return answer;
        if (answer == SOLVE_YES) {
            *best = MIN(*best, cost);
            found = SOLVE_YES;
        }
    }
    return found;
}

static SolveAnswer solve_offers(Cheapest *c, uint64_t *cost)
{
    ListCount *lc = c->look.lc;
    *cost = UINT64_MAX;
    if (lc->spec->is_contiguous) return solve_contiguous(c, cost);
    trial_copy(lc);
    return solve_cheapest(&lc->solver, &lc->problem, &lc->trial, &c->costs,
                          cost);
}

static SolveAnswer cheapest(Cheapest *c, uint64_t *cost)
{
    ListCount *lc = c->look.lc;
    SolveAnswer answer = SOLVE_NO;
    *cost = 0;
    if (look_may_end(&c->look)) return SOLVE_YES;
    if (c->look.is_dead || (lc->is_single && !c->look.tally->is_start))
        return SOLVE_NO;
    for (uint32_t i = c->look.first_class; i < lc->nclasses; i++)
        offer_class(c, i);
    if (c->is_dead) return SOLVE_NO;
    offers_sort(c);
    answer = solve_offers(c, cost);
    if (answer == SOLVE_YES) *cost += c->forced;
    return answer;
}

SolveAnswer listcount_cheapest(ListCount *lc, const Tally *tally,
                               const uint64_t *item, uint64_t *cost)
{
    size_t n = lc->nclasses, np = lc->problem.npools;
    size_t nbytes = n * (sizeof(Offer) + sizeof(CostStep)) +
                    (np + 1) * (sizeof(uint64_t) + sizeof(uint32_t));
    Offer *memory = mem_new(lc->mem, nbytes);
    Cheapest c = {.item = item, .offer = memory};
    if (!memory) return SOLVE_NO_MEMORY;
    c.step = (CostStep *)(void *)(memory + n);
    c.costs.least = (uint64_t *)(void *)(c.step + n);
    c.start = (uint32_t *)(void *)(c.costs.least + np + 1);
    lc->solver.work = CHEAPEST_WORK;
    look_begin(&c.look, lc, tally);
    SolveAnswer answer = cheapest(&c, cost);
    look_end(&c.look);
    mem_free(lc->mem, memory, nbytes);
    return answer;
}

/* ---- with one more ---- */

typedef struct KindCost {
    uint64_t cost;
    uint32_t kind;
} KindCost;

static int order_costs(const void *x, const void *y)
{
    const KindCost *a = x, *b = y;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Kinds in the order of cost, until none can be better. */
static SolveAnswer try_kinds(ListCount *lc, const Tally *tally,
                             const uint64_t *item, const KindCost *kinds,
                             uint32_t count, uint64_t *best)
{
    uint64_t least;
    SolveAnswer answer = listcount_cheapest(lc, tally, item, &least);
    if (answer > SOLVE_YES) return answer;
    if (answer == SOLVE_NO) least = 0; /* a start may need an item first */
    for (uint32_t i = 0; i < count; i++) {
        Tally after;
        uint64_t rest;
        if (kinds[i].cost >= *best || *best <= least) break;
        if (!listcount_next(lc, tally, kinds[i].kind, &after))
            return SOLVE_NO_MEMORY;
        answer = listcount_cheapest(lc, &after, item, &rest);
        if (answer > SOLVE_YES) return answer;
        if (answer == SOLVE_YES) *best = MIN(*best, kinds[i].cost + rest);
    }
    return *best < LIST_NO_COST ? SOLVE_YES : SOLVE_NO;
}

SolveAnswer listcount_cheapest_next(ListCount *lc, const Tally *tally,
                                    const uint64_t *item, const uint8_t *next,
                                    uint64_t *cost)
{
    uint32_t n = lc->spec->nkinds, count = 0;
    KindCost *kinds = mem_new(lc->mem, n * sizeof *kinds);
    *cost = LIST_NO_COST;
    if (!kinds) return SOLVE_NO_MEMORY;
    for (uint32_t k = 0; k < n; k++)
        if (next[k] && item[k] < LIST_NO_COST)
            kinds[count++] = (KindCost){item[k], k};
    if (count) qsort(kinds, count, sizeof *kinds, order_costs);
    SolveAnswer answer = try_kinds(lc, tally, item, kinds, count, cost);
    mem_free(lc->mem, kinds, n * sizeof *kinds);
    return answer;
}
