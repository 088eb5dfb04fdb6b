/* rank_test.c: selection and sorting against a plain sort, over lists of all
 * lengths and kinds; what stands at the front is the same items, in order.
 * Which of equal keys comes first is the matter of
 * unit/sampling_recorded_test.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/rng.h"
#include "sample/rank.h"

enum { MOST = 700 };

static Ranked items[MOST], sorted[MOST];
static float keys[MOST];

static int by_key(const void *a, const void *b)
{
    float x = ((const Ranked *)a)->key, y = ((const Ranked *)b)->key;
    return (x < y) - (x > y);
}

/* Kinds: few values, many, ascending, descending, all equal, infinite. */
static float key_of(Rng *rng, uint32_t kind, size_t i)
{
    switch (kind) {
    case 0:
        return (float)rng_below(rng, 4);
    case 1:
        return (float)rng_below(rng, 1u << 24);
    case 2:
        return (float)i;
    case 3:
        return -(float)i;
    case 4:
        return 1;
    default:
        return rng_chance(rng, 50) ? -INFINITY : (float)rng_below(rng, 100);
    }
}

static void make(Rng *rng, uint32_t kind, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = key_of(rng, kind, i);
        items[i] = sorted[i] = (Ranked){keys[i], (uint32_t)i};
    }
    qsort(sorted, n, sizeof *sorted, by_key);
}

/* The first `count`: in order, each an item of its own. */
static void check(const Ranked *found, size_t count)
{
    static bool seen[MOST];
    for (size_t i = 0; i < MOST; i++) seen[i] = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(found[i].key == sorted[i].key);
        assert_true(found[i].key == keys[found[i].id]);
        assert_false(seen[found[i].id]);
        seen[found[i].id] = true;
    }
}

static void fronts(void **state)
{
    (void)state;
    static Ranked top[MOST];
    Rng rng = {1};
    for (size_t n = 1; n <= MOST; n += 1 + n / 20)
        for (uint32_t kind = 0; kind < 6; kind++) {
            size_t count = 1 + rng_below(&rng, (uint32_t)n);
            make(&rng, kind, n);
            rank_keys(keys, n, top, count);
            check(top, count);
            rank_partial(items, n, count);
            check(items, count);
            make(&rng, kind, n);
            rank_sort(items, n);
            check(items, n);
        }
}

/* Logits that are no numbers count as refused. */
static void not_a_number(void **state)
{
    (void)state;
    static const float odd[] = {NAN, 1, NAN, -INFINITY, 2, NAN};
    Ranked top[6];
    rank_keys(odd, 6, top, 6);
    assert_int_equal(top[0].id, 4);
    assert_int_equal(top[1].id, 1);
    for (int i = 2; i < 6; i++) assert_true(top[i].key == -INFINITY);
}

/* Sorting stays within its bounds when no comparison says anything. */
static void all_not_a_number(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 300; n++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < n; i++) items[i] = (Ranked){NAN, (uint32_t)i};
        rank_sort(items, n);
        for (size_t i = 0; i < n; i++) sum += items[i].id;
        assert_int_equal(sum, n ? n * (n - 1) / 2 : 0);
    }
}

/* McIlroy's antagonist for quicksort: a list that makes the median of three
 * always bad must end in heap sort and stay n log n. */
static void bad_for_quicksort(void **state)
{
    (void)state;
    for (size_t n = 2; n <= MOST; n += 2) {
        for (size_t i = 0; i < n / 2; i++) {
            keys[i] = (float)(i % 2 ? i : n / 2 + i);
            keys[n / 2 + i] = (float)(2 * (i + 1));
        }
        for (size_t i = 0; i < n; i++)
            items[i] = sorted[i] = (Ranked){keys[i], (uint32_t)i};
        qsort(sorted, n, sizeof *sorted, by_key);
        rank_sort(items, n);
        check(items, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(all_not_a_number),
        cmocka_unit_test(bad_for_quicksort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
