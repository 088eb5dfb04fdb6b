/* array.c: shapes of arrays: intersection, complement, simplification.
 *
 * A complement is a union of shapes, each of which breaks one condition: too
 * short, too long, one of the first items outside its set, some later item
 * outside `rest` (a count of at least one), a count outside its range, items
 * repeated where they must not be.
 * Tests: unit/schema_set_test.c, the conformance suite.
 */
#include "schema/set.h"

const ArrayShape array_any = {.rest = SET_ALL, .hi = COUNT_INF};

/* Cuts the length where an item can be nothing. */
static bool lengths_fit(Sets *s, ArrayShape *a)
{
    for (uint32_t i = 0; i < a->nprefix && i < a->hi; i++) {
        if (!set_is_none(s, a->prefix[i])) continue;
        a->hi = i;
        break;
    }
    if (a->hi > a->nprefix && set_is_none(s, a->rest)) a->hi = a->nprefix;
    return a->lo <= a->hi;
}

/* No item can be counted. */
static bool counts_none(Sets *s, const ArrayShape *a, const SomeItems *c)
{
    for (uint32_t i = c->from; i < a->nprefix && i < a->hi; i++)
        if (!set_is_none(s, set_and(s, a->prefix[i], c->value))) return false;
    return a->hi <= a->nprefix || set_is_none(s, set_and(s, a->rest, c->value));
}

/* Drops counts that say nothing; false when one cannot be met. */
static bool counts_fit(Sets *s, ArrayShape *a, SomeItems *some)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->nsome; i++) {
        SomeItems c = a->some[i];
        if (c.value == SET_ALL && !c.from) {
            a->lo = MAX(a->lo, c.lo);
            a->hi = MIN(a->hi, c.hi);
            continue;
        }
        if (counts_none(s, a, &c)) {
            c.hi = 0;
            c.value = SET_NONE;
        }
        if (c.lo > c.hi) return false;
        if (c.lo && c.from >= a->hi) return false;
        if (!c.lo && (c.hi == COUNT_INF || c.value == SET_NONE)) continue;
        if (c.lo) a->lo = MAX(a->lo, c.from + MIN(c.lo, COUNT_INF - c.from));
        some[kept++] = c;
    }
    a->nsome = kept;
    a->some = some;
    return true;
}

const ArrayShape *array_finish(Sets *s, const ArrayShape *given)
{
    ArrayShape a = *given;
    SomeItems *some = sets_array(s, SomeItems, a.nsome);
    if (!some || !sets_charge(s, 10 + a.nprefix)) return NULL;
    if (!lengths_fit(s, &a) || !counts_fit(s, &a, some)) return NULL;
    if (a.unique && a.repeats) return NULL;
    if (a.repeats) a.lo = MAX(a.lo, 2);
    if (a.hi < 2) a.unique = false;
    if (a.lo > a.hi) return NULL;
    if (!a.nprefix && a.rest == SET_ALL && !a.lo && a.hi == COUNT_INF &&
        !a.nsome && !a.unique && !a.repeats && !a.seen &&
        a.seen_items == SET_NONE)
        return &array_any;
    return sets_copy(s, &a, sizeof a);
}

const ArrayShape *array_and(Sets *s, const ArrayShape *a, const ArrayShape *b)
{
    uint32_t n = MAX(a->nprefix, b->nprefix);
    SetId *prefix = sets_array(s, SetId, n);
    SomeItems *some = sets_array(s, SomeItems, a->nsome + b->nsome);
    if (!prefix || !some || !sets_charge(s, n)) return NULL;
    for (uint32_t i = 0; i < n; i++)
        prefix[i] = set_and(s, array_value(a, i), array_value(b, i));
    if (a->nsome) memcpy(some, a->some, a->nsome * sizeof *some);
    if (b->nsome) memcpy(some + a->nsome, b->some, b->nsome * sizeof *some);
    ArrayShape both = {.nprefix = n,
                       .prefix = prefix,
                       .rest = set_and(s, a->rest, b->rest),
                       .lo = MAX(a->lo, b->lo),
                       .hi = MIN(a->hi, b->hi),
                       .nsome = a->nsome + b->nsome,
                       .some = some,
                       .unique = a->unique || b->unique,
                       .repeats = a->repeats || b->repeats,
                       .seen = MAX(a->seen, b->seen),
                       .seen_items = set_or(s, a->seen_items, b->seen_items)};
    return array_finish(s, &both);
}

static bool has_count(const ArrayShape *a, const SomeItems *c)
{
    for (uint32_t i = 0; i < a->nsome; i++)
        if (a->some[i].value == c->value && a->some[i].from == c->from &&
            a->some[i].lo >= c->lo && a->some[i].hi <= c->hi)
            return true;
    return false;
}

bool array_covers(const ArrayShape *a, const ArrayShape *b)
{
    uint32_t n = MAX(a->nprefix, b->nprefix);
    if (a == b) return true;
    if (a->seen != b->seen || a->seen_items != b->seen_items) return false;
    if (a->lo > b->lo || a->hi < b->hi) return false;
    if ((a->unique && !b->unique) || (a->repeats && !b->repeats)) return false;
    for (uint32_t i = 0; i <= n; i++) {
        SetId x = array_value(a, i), y = array_value(b, i);
        if (x != y && x != SET_ALL) return false;
    }
    for (uint32_t i = 0; i < a->nsome; i++)
        if (!has_count(b, &a->some[i])) return false;
    return true;
}

static void put(Sets *s, ShapeList *out, ArrayShape shape)
{
    const ArrayShape *a = array_finish(s, &shape);
    if (a) shape_push(s, out, a);
}

/* Item i is there and not in its set. */
static void wrong_item(Sets *s, const ArrayShape *a, uint32_t i, ShapeList *out)
{
    SetId *prefix = sets_array(s, SetId, i + 1);
    if (!prefix) return;
    for (uint32_t k = 0; k < i; k++) prefix[k] = SET_ALL;
    prefix[i] = set_not(s, a->prefix[i]);
    ArrayShape x = array_any;
    x.nprefix = i + 1;
    x.prefix = prefix;
    x.lo = i + 1;
    put(s, out, x);
}

static void wrong_count(Sets *s, SomeItems some, uint32_t lo, uint32_t hi,
                        ShapeList *out)
{
    some.lo = lo;
    some.hi = hi;
    SomeItems *kept = sets_copy(s, &some, sizeof some);
    ArrayShape x = array_any;
    x.nsome = 1;
    x.some = kept;
    if (kept) put(s, out, x);
}

void array_not(Sets *s, const ArrayShape *a, ShapeList *out)
{
    ArrayShape x = array_any;
    if (a->lo) {
        x.hi = a->lo - 1;
        put(s, out, x);
    }
    if (a->hi != COUNT_INF) {
        x = array_any;
        x.lo = a->hi + 1;
        put(s, out, x);
    }
    for (uint32_t i = 0; i < a->nprefix && sets_ok(s); i++)
        if (a->prefix[i] != SET_ALL) wrong_item(s, a, i, out);
    if (a->rest != SET_ALL) {
        SomeItems wrong = {a->nprefix, 0, 0, set_not(s, a->rest)};
        wrong_count(s, wrong, 1, COUNT_INF, out);
    }
    for (uint32_t i = 0; i < a->nsome && sets_ok(s); i++) {
        SomeItems c = a->some[i];
        if (c.lo) wrong_count(s, c, 0, c.lo - 1, out);
        if (c.hi != COUNT_INF) wrong_count(s, c, c.hi + 1, COUNT_INF, out);
    }
    x = array_any;
    x.repeats = a->unique;
    if (a->unique) put(s, out, x);
    x.repeats = false;
    x.unique = a->repeats;
    if (a->repeats) put(s, out, x);
}
