/* sort.c: insertion for a few numbers, the C library's sort for more.
 * Tests: unit/sort_test.c */
#include "base/sort.h"

#include <stdlib.h>

enum { FEW = 24 };

static int order(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

void sort_numbers(uint32_t *at, uint32_t count)
{
    if (count > FEW) {
        qsort(at, count, sizeof *at, order);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = at[i], k = i;
        for (; k && at[k - 1] > number; k--) at[k] = at[k - 1];
        at[k] = number;
    }
}
