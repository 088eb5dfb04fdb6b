/* list_solve.c: bounds propagation, and a search where that leaves a choice.
 *
 * Propagation: what the other pools of a counter must (or can) give bounds
 * each pool, until nothing changes. Then the least numbers are a solution
 * unless some counter lacks items; a pool that can give more is given as many
 * as are lacking, or, failing that, fewer. Without shared counters that
 * conflict no choice is ever taken back. A need whose conditions the least
 * numbers do not all reach holds of them.
 * The cheapest solution is searched for the same way, giving of the cheapest
 * pool first; what the present bounds must cost at least cuts the search off.
 * Cost: pools times counters a round; exponential at worst, so steps are
 * charged and the search gives up.    Tests: unit/list_test.c.
 */
#include "pass/list_solve.h"

enum { MAX_CHOICES = 4096 }; /* in one another */

typedef struct Search {
    Solver *solver;
    const ListProblem *p;
    ListBounds *b;
    bool changed, dead;
} Search;

static void find_sums(Search *s)
{
    CountRange *sum = s->solver->sums.at;
    const ListProblem *p = s->p;
    for (uint32_t c = 0; c < p->ncounters; c++) sum[c] = (CountRange){0, 0};
    for (uint32_t i = 0; i < p->npools; i++)
        for (uint32_t k = p->pool_start[i]; k < p->pool_start[i + 1]; k++) {
            sum[p->pool_counter[k]].lo += s->b->pool[i].lo;
            sum[p->pool_counter[k]].hi += s->b->pool[i].hi;
        }
}

static void raise(Search *s, CountRange *range, uint64_t lo)
{
    if (lo <= range->lo) return;
    range->lo = lo;
    s->changed = true;
    s->dead |= lo > range->hi;
}

static void cap(Search *s, CountRange *range, uint64_t hi)
{
    if (hi >= range->hi) return;
    range->hi = hi;
    s->changed = true;
    s->dead |= hi < range->lo;
}

static bool is_reached(const Search *s, uint32_t counter)
{
    return s->b->has[counter] || s->solver->sums.at[counter].lo;
}

static bool is_out_of_reach(const Search *s, uint32_t counter)
{
    return !s->b->has[counter] &&
           !(s->b->counter[counter].hi && s->solver->sums.at[counter].hi);
}

/* The last counter of a condition that is not reached may not be where the
 * other one cannot. */
static void apply_need(Search *s, const ListNeed *n)
{
    uint32_t nopen = 0, open = 0;
    if (s->b->has[n->then]) return;
    for (uint32_t i = 0; i < n->nwhen; i++) {
        if (is_out_of_reach(s, n->when[i])) return;
        if (is_reached(s, n->when[i])) continue;
        open = n->when[i];
        nopen++;
    }
    if (!nopen)
        raise(s, &s->b->counter[n->then], 1);
    else if (nopen == 1 && is_out_of_reach(s, n->then))
        cap(s, &s->b->counter[open], 0);
}

static void apply_needs(Search *s)
{
    for (uint32_t i = 0; i < s->p->nneeds; i++) apply_need(s, &s->p->needs[i]);
}

/* Bounds one pool by one of its counters. */
static void apply_counter(Search *s, CountRange *pool, uint32_t c)
{
    CountRange sum = s->solver->sums.at[c], want = s->b->counter[c];
    uint64_t others_lo = sum.lo - MIN(sum.lo, pool->lo);
    uint64_t others_hi = sum.hi - MIN(sum.hi, pool->hi);
    if (want.hi < COUNT_INF)
        cap(s, pool, want.hi > others_lo ? want.hi - others_lo : 0);
    if (want.lo > others_hi) raise(s, pool, want.lo - others_hi);
}

static void check_sums(Search *s)
{
    for (uint32_t c = 0; c < s->p->ncounters; c++) {
        CountRange sum = s->solver->sums.at[c], want = s->b->counter[c];
        s->dead |= want.lo > want.hi || sum.hi < want.lo;
        s->dead |= want.hi < COUNT_INF && sum.lo > want.hi;
    }
}

/* One pool's bounds move at a time: sums follow at once, so that each use of
 * them is sound. */
static void apply_pool(Search *s, uint32_t i)
{
    const ListProblem *p = s->p;
    CountRange *pool = &s->b->pool[i], before = *pool;
    for (uint32_t k = p->pool_start[i]; k < p->pool_start[i + 1]; k++) {
        CountRange now = *pool;
        apply_counter(s, &now, p->pool_counter[k]);
        pool->lo = MAX(pool->lo, now.lo);
        pool->hi = MIN(pool->hi, now.hi);
        for (uint32_t j = p->pool_start[i]; j < p->pool_start[i + 1]; j++) {
            CountRange *sum = &s->solver->sums.at[p->pool_counter[j]];
            sum->lo += pool->lo - before.lo;
            sum->hi -= before.hi - pool->hi;
        }
        before = *pool;
    }
}

/* False: no solution within the bounds. */
static bool propagate(Search *s)
{
    do {
        uint64_t cost = s->p->pool_start[s->p->npools] + s->p->npools +
                        s->p->ncounters + s->p->needs_size + 1;
        s->solver->work -= MIN(s->solver->work, cost);
        if (!s->solver->work) return true;
        s->changed = false;
        find_sums(s);
        apply_needs(s);
        check_sums(s);
        for (uint32_t i = 0; i < s->p->npools && !s->dead; i++)
            apply_pool(s, i);
        if (s->dead) return false;
    } while (s->changed);
    return true;
}

/* A pool that can give what counter c lacks: one with few counters. */
static uint32_t choose_pool(const Search *s, uint32_t counter)
{
    const ListProblem *p = s->p;
    uint32_t best = UINT32_MAX, fewest = UINT32_MAX;
    for (uint32_t i = 0; i < p->npools; i++) {
        uint32_t n = p->pool_start[i + 1] - p->pool_start[i];
        if (n >= fewest || s->b->pool[i].lo == s->b->pool[i].hi) continue;
        for (uint32_t k = p->pool_start[i]; k < p->pool_start[i + 1]; k++)
            if (p->pool_counter[k] == counter) {
                best = i;
                fewest = n;
            }
    }
    assert(best != UINT32_MAX);
    return best;
}

/* A counter that the least numbers do not satisfy, or ncounters. */
static uint32_t find_lack(const Search *s)
{
    uint32_t c = 0;
    while (c < s->p->ncounters &&
           s->solver->sums.at[c].lo >= s->b->counter[c].lo)
        c++;
    return c;
}

static bool save(Search *s)
{
    Solver *v = s->solver;
    uint32_t np = s->p->npools, nc = s->p->ncounters;
    if (!vec_reserve(v->mem, &v->saved, (size_t)v->saved.count + np + nc))
        return false;
    CountRange *at = v->saved.at + v->saved.count;
    memcpy(at, s->b->pool, np * sizeof *at);
    memcpy(at + np, s->b->counter, nc * sizeof *at);
    v->saved.count += np + nc;
    return true;
}

static void restore(Search *s)
{
    uint32_t np = s->p->npools, nc = s->p->ncounters;
    const CountRange *at =
        s->solver->saved.at + (s->solver->saved.count -= np + nc);
    memcpy(s->b->pool, at, np * sizeof *at);
    memcpy(s->b->counter, at + np, nc * sizeof *at);
}

/* Gives a pool as much as it can of what counter c lacks. */
static bool choose(Search *s, uint32_t c)
{
    SolveChoice next = {choose_pool(s, c), 0};
    CountRange *pool = &s->b->pool[next.pool];
    uint64_t lack = s->b->counter[c].lo - s->solver->sums.at[c].lo;
    next.given = MIN(pool->hi, pool->lo + lack);
    if (!save(s) || !vec_push(s->solver->mem, &s->solver->made, next))
        return false;
    pool->lo = next.given;
    return true;
}

/* Takes the last choice back: less, then. */
static void choose_less(Search *s)
{
    restore(s);
    SolveChoice last = s->solver->made.at[--s->solver->made.count];
    s->b->pool[last.pool].hi = last.given - 1;
}

static SolveAnswer search(Search *s)
{
    for (;;) {
        s->dead = false;
        bool alive = propagate(s);
        if (!s->solver->work) return SOLVE_GAVE_UP;
        uint32_t lacking = alive ? find_lack(s) : 0;
        if (alive && lacking == s->p->ncounters) return SOLVE_YES;
        if (alive) {
            if (s->solver->made.count == MAX_CHOICES) return SOLVE_GAVE_UP;
            if (!choose(s, lacking)) return SOLVE_NO_MEMORY;
        } else {
            if (!s->solver->made.count) return SOLVE_NO;
            choose_less(s);
        }
    }
}

static bool search_begin(Search *s, Solver *solver, const ListProblem *problem,
                         ListBounds *bounds)
{
    *s = (Search){.solver = solver, .p = problem, .b = bounds};
    solver->saved.count = solver->made.count = 0;
    return vec_reserve(solver->mem, &solver->sums, problem->ncounters);
}

SolveAnswer solve(Solver *solver, const ListProblem *problem,
                  ListBounds *bounds)
{
    Search s;
    if (!search_begin(&s, solver, problem, bounds)) return SOLVE_NO_MEMORY;
    return search(&s);
}

/* ---- the cheapest ---- */

/* What pool i costs at its lower bound; *next: the cost of one more and how
 * many there are at it. */
static uint64_t pool_cost(const Search *s, const PoolCosts *costs, uint32_t i,
                          CostStep *next)
{
    uint64_t items = s->b->pool[i].lo - costs->least[i], total = 0;
    *next = (CostStep){0, UINT64_MAX};
    for (uint32_t k = costs->start[i]; k < costs->start[i + 1]; k++) {
        CostStep step = costs->step[k];
        uint64_t n = MIN(step.count, items);
        total += n * step.cost;
        items -= n;
        if (n == step.count) continue;
        *next = (CostStep){step.count - n, step.cost};
        break;
    }
    assert(!items);
    if (s->b->pool[i].lo == s->b->pool[i].hi) next->cost = UINT64_MAX;
    return total;
}

/* The cheapest pool of a counter that can give more; npools: none. */
static uint32_t cheapest_pool(const Search *s, const PoolCosts *costs,
                              uint32_t counter, CostStep *step)
{
    const ListProblem *p = s->p;
    uint32_t best = p->npools;
    *step = (CostStep){0, UINT64_MAX};
    for (uint32_t i = 0; i < p->npools; i++)
        for (uint32_t k = p->pool_start[i]; k < p->pool_start[i + 1]; k++) {
            CostStep next;
            if (p->pool_counter[k] != counter) continue;
            pool_cost(s, costs, i, &next);
            if (next.cost >= step->cost) continue;
            *step = next;
            best = i;
        }
    return best;
}

static uint64_t lack_of(const Search *s, uint32_t c)
{
    uint64_t want = s->b->counter[c].lo, has = s->solver->sums.at[c].lo;
    return want > has ? want - has : 0;
}

/* What every solution within the bounds costs at least. */
static uint64_t cost_bound(const Search *s, const PoolCosts *costs)
{
    uint64_t total = 0, most = 0;
    CostStep step;
    for (uint32_t i = 0; i < s->p->npools; i++)
        total += pool_cost(s, costs, i, &step);
    for (uint32_t c = 0; c < s->p->ncounters; c++) {
        uint64_t lack = lack_of(s, c);
        if (lack && cheapest_pool(s, costs, c, &step) < s->p->npools)
            most = MAX(most, lack * step.cost);
    }
    return total + most;
}

static bool choose_cheapest(Search *s, const PoolCosts *costs, uint32_t c)
{
    CostStep step;
    SolveChoice next = {cheapest_pool(s, costs, c, &step), 0};
    CountRange *pool = &s->b->pool[next.pool];
    next.given = MIN(pool->hi, pool->lo + MIN(lack_of(s, c), step.count));
    if (!save(s) || !vec_push(s->solver->mem, &s->solver->made, next))
        return false;
    pool->lo = next.given;
    return true;
}

SolveAnswer solve_cheapest(Solver *solver, const ListProblem *problem,
                           ListBounds *bounds, const PoolCosts *costs,
                           uint64_t *cost)
{
    Search s;
    *cost = UINT64_MAX;
    if (!search_begin(&s, solver, problem, bounds)) return SOLVE_NO_MEMORY;
    for (;;) {
        s.dead = false;
        bool open = propagate(&s);
        if (!solver->work) return SOLVE_GAVE_UP;
        open = open && cost_bound(&s, costs) < *cost;
        uint32_t lacking = open ? find_lack(&s) : 0;
        if (open && lacking == problem->ncounters) {
            *cost = cost_bound(&s, costs);
            open = false;
        }
        if (open) {
            if (solver->made.count == MAX_CHOICES) return SOLVE_GAVE_UP;
            if (!choose_cheapest(&s, costs, lacking)) return SOLVE_NO_MEMORY;
        } else {
            if (!solver->made.count) break;
            choose_less(&s);
        }
    }
    return *cost < UINT64_MAX ? SOLVE_YES : SOLVE_NO;
}

void solver_free(Solver *solver)
{
    if (!solver->mem) return;
    vec_free(solver->mem, &solver->sums);
    vec_free(solver->mem, &solver->saved);
    vec_free(solver->mem, &solver->made);
}
