/* list_count.c: lists made ready, and their tallies.
 *
 * Kinds with equal group and counters are a class. Counters of one class alone
 * bound the class; classes with equal other counters are a pool, whose bounds
 * are sums: between them every number of items can be had. What is left is a
 * problem of few pools and shared counters (list_solve.c). Where groups may not
 * be skipped, each is a counter.
 * Holds: the value of a counter that no later item can reach is dropped, or 1
 * where a need that is still open asks for it.
 * Cost: n log n in the kinds; of a tally, its values and the needs.
 * Tests: unit/list_test.c.
 */
#include "pass/list_count.h"

#include <stdlib.h>

#include "base/sort.h"
#include "pass/list_look.h"

/* In ListCount.shared while it is being found. */
#define UNSEEN (UINT32_MAX - 1)
#define SHARED (UINT32_MAX - 2)

const Tally tally_start = {true, 0, 0, NULL};

/* ---- classes ---- */

typedef struct KindRef {
    const ListKind *kind;
    uint32_t index;
} KindRef;

static int order_kinds(const void *x, const void *y)
{
    const ListKind *a = ((const KindRef *)x)->kind;
    const ListKind *b = ((const KindRef *)y)->kind;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    if (a->ncounters != b->ncounters)
        return a->ncounters < b->ncounters ? -1 : 1;
    for (uint32_t i = 0; i < a->ncounters; i++)
        if (a->counters[i] != b->counters[i])
            return a->counters[i] < b->counters[i] ? -1 : 1;
    return 0;
}

static bool find_classes(ListCount *lc)
{
    uint32_t n = lc->spec->nkinds;
    size_t nbytes = (size_t)n * sizeof(KindRef);
    KindRef *refs = mem_new(lc->mem, nbytes + 1);
    if (!refs) return false;
    for (uint32_t i = 0; i < n; i++)
        refs[i] = (KindRef){&lc->spec->kinds[i], i};
    if (n) qsort(refs, n, sizeof *refs, order_kinds);
    lc->norders = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ListKind *k = refs[i].kind;
        if (!i || k->order != refs[i - 1].kind->order)
            lc->orders[lc->norders++] = k->order;
        if (!i || order_kinds(&refs[i - 1], &refs[i]))
            lc->classes[lc->nclasses++] =
                (ListClass){.order = k->order, .first = i};
        lc->classes[lc->nclasses - 1].count++;
        lc->kinds[i] = refs[i].index;
    }
    mem_free(lc->mem, refs, nbytes + 1);
    return true;
}

/* A counter that more than one class or a need asks for is shared. */
static void find_shared(ListCount *lc)
{
    const ListSpec *spec = lc->spec;
    for (uint32_t c = 0; c < spec->ncounters; c++) lc->shared[c] = UNSEEN;
    for (uint32_t i = 0; i < spec->nneeds; i++) {
        const ListNeed *n = &spec->needs[i];
        lc->shared[n->then] = SHARED;
        for (uint32_t k = 0; k < n->nwhen; k++) lc->shared[n->when[k]] = SHARED;
    }
    for (uint32_t i = 0; i < lc->nclasses; i++) {
        const ListKind *k = class_kind(lc, i);
        for (uint32_t j = 0; j < k->ncounters; j++) {
            uint32_t c = k->counters[j];
            lc->shared[c] = lc->shared[c] == UNSEEN ? PRIVATE : SHARED;
            lc->owner[c] = i;
            lc->last_order[c] = MAX(lc->last_order[c], k->order);
        }
    }
    for (uint32_t c = 0; c < spec->ncounters; c++)
        if (lc->shared[c] == SHARED || lc->shared[c] == UNSEEN) {
            lc->shared_of[lc->nshared] = c;
            lc->shared[c] = lc->nshared++;
        }
}

/* ---- pools ---- */

uint32_t order_rank(const ListCount *lc, uint32_t order)
{
    uint32_t lo = 0, hi = lc->norders;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (lc->orders[mid] <= order)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The counters of the problem that a class counts for; how many. */
static uint32_t class_counters(const ListCount *lc, uint32_t class,
                               uint32_t *out)
{
    const ListKind *k = class_kind(lc, class);
    uint32_t n = 0, kept = 0;
    for (uint32_t j = 0; j < k->ncounters; j++)
        if (lc->shared[k->counters[j]] != PRIVATE)
            out[n++] = lc->shared[k->counters[j]];
    if (lc->spec->is_contiguous)
        out[n++] = lc->nshared + order_rank(lc, k->order);
    sort_numbers(out, n);
    for (uint32_t i = 0; i < n; i++)
        if (!i || out[i] != out[kept - 1]) out[kept++] = out[i];
    return kept;
}

typedef struct PoolBuild {
    ListCount *lc;
    Map index;
    VEC(uint32_t) start, counter;
} PoolBuild;

/* The pool of the counters at the end of b->counter. */
static bool pool_find(PoolBuild *b, uint32_t n, uint32_t *pool)
{
    const Mem *mem = b->lc->mem;
    uint32_t at = b->counter.count;
    const uint32_t *own = b->counter.at + at;
    uint64_t h = hash_bytes(n, own, n * sizeof *own);
    for (MapPos p = map_first(&b->index, h); p.value != MAP_NONE;
         p = map_next(&b->index, h, p)) {
        uint32_t from = b->start.at[p.value], to = b->start.at[p.value + 1];
        *pool = p.value;
        if (to - from == n &&
            !memcmp(b->counter.at + from, own, n * sizeof *own))
            return true;
    }
    *pool = b->start.count - 1;
    b->counter.count += n;
    return vec_push(mem, &b->start, b->counter.count) &&
           map_add(mem, &b->index, h, *pool);
}

static bool pools_fill(PoolBuild *b)
{
    ListCount *lc = b->lc;
    const Mem *mem = lc->mem;
    if (!vec_push(mem, &b->start, 0)) return false;
    for (uint32_t i = 0; i < lc->nclasses; i++) {
        size_t room = (size_t)b->counter.count + 2;
        if (!vec_reserve(mem, &b->counter, room + class_kind(lc, i)->ncounters))
            return false;
        uint32_t *own = b->counter.at + b->counter.count;
        if (!pool_find(b, class_counters(lc, i, own), &lc->classes[i].pool))
            return false;
    }
    return true;
}

static bool find_pools(ListCount *lc)
{
    PoolBuild b = {.lc = lc};
    bool ok = pools_fill(&b);
    if (ok) {
        lc->problem.npools = b.start.count - 1;
        lc->problem.pool_start = arena_copy(&lc->arena, b.start.at,
                                            b.start.count * sizeof(uint32_t));
        lc->problem.pool_counter = arena_copy(
            &lc->arena, b.counter.at, b.counter.count * sizeof(uint32_t));
    }
    map_free(lc->mem, &b.index);
    vec_free(lc->mem, &b.start);
    vec_free(lc->mem, &b.counter);
    return ok;
}

/* ---- making ready ---- */

static void bounds_new(ListCount *lc, ListBounds *b)
{
    b->pool = arena_array(&lc->arena, CountRange, lc->problem.npools + 1);
    b->counter = arena_array(&lc->arena, CountRange, lc->problem.ncounters + 1);
    b->has = arena_zero(&lc->arena, lc->problem.ncounters + 1);
}

/* Needs in terms of the problem's counters. */
static void make_needs(ListCount *lc)
{
    const ListSpec *spec = lc->spec;
    ListProblem *p = &lc->problem;
    ListNeed *needs = arena_array(&lc->arena, ListNeed, spec->nneeds + 1);
    for (uint32_t i = 0; needs && i < spec->nneeds; i++) {
        ListNeed n = spec->needs[i];
        uint32_t *when = arena_array(&lc->arena, uint32_t, n.nwhen);
        for (uint32_t k = 0; when && k < n.nwhen; k++)
            when[k] = lc->shared[n.when[k]];
        needs[i] = (ListNeed){n.nwhen, lc->shared[n.then], when};
        p->needs_size += n.nwhen + 1;
    }
    p->needs = needs;
    p->nneeds = spec->nneeds;
}

static bool make_problem(ListCount *lc)
{
    const ListSpec *spec = lc->spec;
    ListProblem *p = &lc->problem;
    p->ncounters = lc->nshared + (spec->is_contiguous ? lc->norders : 0);
    if (!find_pools(lc)) return false;
    make_needs(lc);
    bounds_new(lc, &lc->base);
    bounds_new(lc, &lc->trial);
    lc->answers = arena_zero(&lc->arena, 4 * (size_t)p->npools + 1);
    return !lc->arena.failed;
}

bool listcount_init(ListCount *lc, const Mem *mem, const ListSpec *spec,
                    bool is_single)
{
    *lc = (ListCount){.mem = mem, .spec = spec, .is_single = is_single};
    uint32_t n = spec->nkinds, nc = spec->ncounters;
    lc->solver.mem = mem;
    arena_init(&lc->arena, mem, 0);
    lc->classes = arena_array(&lc->arena, ListClass, n + 1);
    lc->class_range = arena_array(&lc->arena, CountRange, n + 1);
    lc->kinds = arena_array(&lc->arena, uint32_t, n + 1);
    lc->orders = arena_array(&lc->arena, uint32_t, n + 1);
    lc->last_order = arena_zero(&lc->arena, (nc + 1) * sizeof(uint32_t));
    lc->shared = arena_zero(&lc->arena, (nc + 1) * sizeof(uint32_t));
    lc->value = arena_zero(&lc->arena, (nc + 1) * sizeof(uint32_t));
    lc->shared_of = arena_array(&lc->arena, uint32_t, nc + 1);
    lc->owner = arena_array(&lc->arena, uint32_t, nc + 1);
    lc->start = arena_array(&lc->arena, CountRange, n + 1);
    lc->forced = arena_array(&lc->arena, uint32_t, n + 1);
    lc->asked = arena_zero(&lc->arena, nc + 1);
    bool ok = !lc->arena.failed && find_classes(lc);
    if (ok) {
        find_shared(lc);
        ok = make_problem(lc);
    }
    if (ok) {
        look_init(lc);
    }
    if (!ok) listcount_free(lc);
    return ok;
}

void listcount_free(ListCount *lc)
{
    if (!lc->mem) return;
    arena_free(&lc->arena);
    solver_free(&lc->solver);
    vec_free(lc->mem, &lc->values);
    lc->mem = NULL;
}

/* ---- tallies ---- */

/* What a need asks of the values so far (lc->value) from `group` on: nothing
 * if a condition was not met and cannot be any more; else whether the other
 * counter was reached, and until it is, the conditions met. */
static void need_ask(ListCount *lc, const ListNeed *n, uint32_t group)
{
    for (uint32_t i = 0; i < n->nwhen; i++)
        if (!lc->value[n->when[i]] && is_closed(lc, n->when[i], group)) return;
    lc->asked[n->then] = 1;
    for (uint32_t i = 0; i < n->nwhen && !lc->value[n->then]; i++)
        lc->asked[n->when[i]] = 1;
}

static void needs_ask(ListCount *lc, uint32_t group)
{
    for (uint32_t i = 0; i < lc->spec->nneeds; i++)
        need_ask(lc, &lc->spec->needs[i], group);
}

/* The value as far as it makes a difference from `group` on. */
static uint32_t value_kept(const ListCount *lc, uint32_t counter,
                           uint32_t group)
{
    ListCounter c = lc->spec->counters[counter];
    uint32_t value = lc->value[counter], asked = lc->asked[counter];
    if (is_closed(lc, counter, group)) return MIN(value, asked);
    return c.hi == REPEAT_INF ? MIN(value, MAX(c.lo, asked)) : value;
}

static bool keep_value(ListCount *lc, uint32_t counter, uint32_t group)
{
    uint32_t value = value_kept(lc, counter, group);
    return !value ||
           vec_push(lc->mem, &lc->values, (ListValue){counter, value});
}

static bool is_counted_by(const ListKind *kind, uint32_t counter)
{
    for (uint32_t i = 0; i < kind->ncounters; i++)
        if (kind->counters[i] == counter) return true;
    return false;
}

/* Only the last few are out of order. */
static void values_sort(ListCount *lc)
{
    ListValue *at = lc->values.at;
    for (uint32_t i = 1; i < lc->values.count; i++) {
        ListValue v = at[i];
        uint32_t k = i;
        for (; k > 0 && at[k - 1].counter > v.counter; k--) at[k] = at[k - 1];
        at[k] = v;
    }
}

/* Values of `from`, and what the item adds. */
static bool keep_values(ListCount *lc, const Tally *from, const ListKind *k)
{
    bool ok = true;
    for (uint32_t i = 0; i < from->nvalues; i++)
        ok &= keep_value(lc, from->values[i].counter, k->order);
    for (uint32_t i = 0; i < from->nvalues; i++)
        lc->value[from->values[i].counter] = 0; /* not once more */
    for (uint32_t i = 0; i < k->ncounters; i++)
        if (lc->value[k->counters[i]]) {
            ok &= keep_value(lc, k->counters[i], k->order);
            lc->value[k->counters[i]] = 0;
        }
    return ok;
}

bool listcount_next(ListCount *lc, const Tally *from, uint32_t kind, Tally *out)
{
    const ListKind *k = &lc->spec->kinds[kind];
    lc->values.count = 0;
    for (uint32_t i = 0; i < from->nvalues; i++) {
        ListValue v = from->values[i];
        lc->value[v.counter] = v.value + is_counted_by(k, v.counter);
    }
    for (uint32_t i = 0; i < k->ncounters; i++)
        if (!lc->value[k->counters[i]]) lc->value[k->counters[i]] = 1;
    needs_ask(lc, k->order);
    bool ok = keep_values(lc, from, k);
    memset(lc->asked, 0, lc->spec->nneeds ? lc->spec->ncounters : 0);
    values_sort(lc);
    *out = (Tally){false, k->order, lc->values.count, lc->values.at};
    return ok;
}

SolveAnswer listcount_begin(const Mem *mem, const ListSpec *spec,
                            bool is_single, ListOutlook *out)
{
    ListCount lc;
    if (!listcount_init(&lc, mem, spec, is_single)) return SOLVE_NO_MEMORY;
    SolveAnswer answer = listcount_look(&lc, &tally_start, out);
    listcount_free(&lc);
    return answer;
}

bool listcount_fail(weir_error *err)
{
    return diag_fail(err, WEIR_LIMIT_WORK, 0, 0,
                     "the counts of a list depend on one another in too many "
                     "ways to be decided");
}
