/* runes.c: algebra of code point sets.
 *
 * In, out: normal range lists (runes.h). Intersection walks two lists side by
 * side; difference is intersection with the inverse. Cost: linear, after one
 * sort. Tests: unit/lang_test.c.
 */
#include "lang/runes.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { LAST_LOW = 0xD7FF, FIRST_HIGH = 0xE000 };

static bool add_some(const Mem *mem, RuneSet *set, uint32_t lo, uint32_t hi)
{
    return lo > hi || vec_push(mem, set, (RuneRange){lo, hi});
}

bool runes_add(const Mem *mem, RuneSet *set, uint32_t lo, uint32_t hi)
{
    hi = MIN(hi, RUNE_MAX);
    return add_some(mem, set, lo, MIN(hi, (uint32_t)LAST_LOW)) &&
           add_some(mem, set, MAX(lo, (uint32_t)FIRST_HIGH), hi);
}

bool runes_add_all(const Mem *mem, RuneSet *set, const RuneRange *ranges,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!runes_add(mem, set, ranges[i].lo, ranges[i].hi)) return false;
    return true;
}

static int range_order(const void *x, const void *y)
{
    const RuneRange *a = x, *b = y;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

static bool is_normal(const RuneSet *set)
{
    for (uint32_t i = 1; i < set->count; i++)
        if (set->at[i].lo <= set->at[i - 1].hi + 1) return false;
    return true;
}

void runes_normalise(RuneSet *set)
{
    RuneRange *r = set->at;
    uint32_t kept = 0;
    if (is_normal(set)) return;
    qsort(r, set->count, sizeof *r, range_order);
    for (uint32_t i = 0; i < set->count; i++) {
        if (kept && r[i].lo <= r[kept - 1].hi + 1)
            r[kept - 1].hi = MAX(r[kept - 1].hi, r[i].hi);
        else
            r[kept++] = r[i];
    }
    set->count = kept;
}

bool runes_invert(const Mem *mem, RuneSet *set)
{
    RuneSet out = {0};
    uint32_t next = 0;
    bool done = true;
    for (uint32_t i = 0; done && i < set->count; i++) {
        if (set->at[i].lo > next)
            done = runes_add(mem, &out, next, set->at[i].lo - 1);
        next = set->at[i].hi + 1;
    }
    if (done && next <= RUNE_MAX) done = runes_add(mem, &out, next, RUNE_MAX);
    vec_free(mem, set);
    *set = out;
    return done;
}

bool runes_intersect(const Mem *mem, RuneSet *set, const RuneSet *other)
{
    RuneSet out = {0};
    bool done = true;
    for (uint32_t i = 0, j = 0; done && i < set->count && j < other->count;) {
        RuneRange a = set->at[i], b = other->at[j];
        done = add_some(mem, &out, MAX(a.lo, b.lo), MIN(a.hi, b.hi));
        if (a.hi < b.hi)
            i++;
        else
            j++;
    }
    vec_free(mem, set);
    *set = out;
    return done;
}

bool runes_subtract(const Mem *mem, RuneSet *set, const RuneSet *other)
{
    RuneSet inverse = {0};
    bool done = runes_add_all(mem, &inverse, other->at, other->count) &&
                runes_invert(mem, &inverse) &&
                runes_intersect(mem, set, &inverse);
    vec_free(mem, &inverse);
    return done;
}
