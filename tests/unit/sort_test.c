/* sort_test.c: numbers in order, none lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"

static int order(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void numbers_are_sorted(void **state)
{
    (void)state;
    enum { MOST = 60 };
    uint32_t seed = 1;
    for (uint32_t count = 0; count <= MOST; count++)
        for (uint32_t below = 1; below <= 1u << 20; below *= 4) {
            uint32_t numbers[MOST] = {0}, expected[MOST];
            for (uint32_t i = 0; i < count; i++) {
                seed = seed * 1664525u + 1013904223u;
                numbers[i] = (seed >> 8) % below;
            }
            if (count) numbers[count / 2] = UINT32_MAX;
            memcpy(expected, numbers, sizeof numbers);
            qsort(expected, count, sizeof *expected, order);
            sort_numbers(numbers, count);
            assert_memory_equal(numbers, expected, count * sizeof *numbers);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
