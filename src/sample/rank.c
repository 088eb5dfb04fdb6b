/* rank.c: partial selection and sorting, greatest first.
 *
 * Method: selection keeps a heap of the `count` best, whose top is the least
 * of them, and looks at the others once (Floyd's heap). Sorting is Musser's
 * introsort: quicksort by the median of three until parts have at most PART
 * items, heap sort when that goes too deep, then insertion.
 * In which order items are compared is fixed: see rank.h. All comparisons are
 * "greater", so NaN keys are equal to everything; that is harmless only if
 * all keys are NaN, which is how it can happen (sample/truncate.c).
 * Tests: unit/rank_test.c.
 */
#include "sample/rank.h"

#include <math.h>

enum { PART = 16, BLOCK = 32 };

static inline bool before(Ranked a, Ranked b)
{
    return a.key > b.key;
}

static inline void swap(Ranked *a, Ranked *b)
{
    Ranked t = *a;
    *a = *b;
    *b = t;
}

/* ---- heaps: no item is before its parent ---- */

/* Fills the hole with `item`: the hole sinks to a leaf, then the item rises. */
static void heap_adjust(Ranked *heap, size_t hole, size_t n, Ranked item)
{
    size_t top = hole, child = hole;
    while (2 * child + 2 < n) {
        child = 2 * child + 2;
        if (before(heap[child], heap[child - 1])) child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (2 * child + 2 == n) {
        heap[hole] = heap[n - 1];
        hole = n - 1;
    }
    while (hole > top && before(heap[(hole - 1) / 2], item)) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = item;
}

static void heap_make(Ranked *heap, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) heap_adjust(heap, i, n, heap[i]);
}

static void heap_sort(Ranked *heap, size_t n)
{
    while (n > 1) {
        Ranked item = heap[--n];
        heap[n] = heap[0];
        heap_adjust(heap, 0, n, item);
    }
}

void rank_partial(Ranked *items, size_t n, size_t count)
{
    if (!count) return;
    heap_make(items, count);
    for (size_t i = count; i < n; i++) {
        if (!before(items[i], items[0])) continue;
        Ranked item = items[i];
        items[i] = items[0];
        heap_adjust(items, 0, count, item);
    }
    heap_sort(items, count);
}

/* Whether some of BLOCK keys is greater; in a form that compilers make vector
 * instructions of. */
static inline bool any_greater(const float *keys, float least)
{
    int found = 0;
    for (int i = 0; i < BLOCK; i++) found |= keys[i] > least;
    return found;
}

void rank_keys(const float *keys, size_t n, Ranked *top, size_t count)
{
    if (!count) return;
    for (size_t i = 0; i < count; i++)
        top[i] = (Ranked){isnan(keys[i]) ? -INFINITY : keys[i], (uint32_t)i};
    heap_make(top, count);
    for (size_t i = count; i < n;) {
        if (n - i >= BLOCK && !any_greater(keys + i, top[0].key)) {
            i += BLOCK;
            continue;
        }
        for (size_t end = MIN(n, i + BLOCK); i < end; i++)
            if (keys[i] > top[0].key)
                heap_adjust(top, 0, count, (Ranked){keys[i], (uint32_t)i});
    }
    heap_sort(top, count);
}

/* ---- introsort ---- */

/* The median of a, b, c changes places with *to. */
static void median_to(Ranked *to, Ranked *a, Ranked *b, Ranked *c)
{
    if (before(*a, *b)) {
        if (before(*b, *c))
            swap(to, b);
        else
            swap(to, before(*a, *c) ? c : a);
    } else if (before(*a, *c)) {
        swap(to, a);
    } else {
        swap(to, before(*b, *c) ? c : b);
    }
}

/* Parts items [1, n) by items[0]; returns where the second part begins. The
 * median of three bounds both searches. */
static size_t part(Ranked *items, size_t n)
{
    median_to(items, items + 1, items + n / 2, items + n - 1);
    size_t low = 1, high = n;
    for (;;) {
        while (before(items[low], items[0])) low++;
        high--;
        while (before(items[0], items[high])) high--;
        if (low >= high) return low;
        swap(&items[low], &items[high]);
        low++;
    }
}

/* Recursion is as deep as `depth`. */
static void sort_parts(Ranked *items, size_t n, unsigned depth)
{
    while (n > PART) {
        if (!depth--) {
            rank_partial(items, n, n);
            return;
        }
        size_t cut = part(items, n);
        sort_parts(items + cut, n - cut, depth);
        n = cut;
    }
}

/* Moves items[i] forward, to behind the last that is not after it. */
static void insert(Ranked *items, size_t i)
{
    Ranked item = items[i];
    for (; i && before(item, items[i - 1]); i--) items[i] = items[i - 1];
    items[i] = item;
}

void rank_sort(Ranked *items, size_t n)
{
    unsigned depth = 0;
    for (size_t rest = n; rest > 1; rest >>= 1) depth += 2;
    sort_parts(items, n, depth);
    for (size_t i = 1; i < n; i++) insert(items, i);
}
