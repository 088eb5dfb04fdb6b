/* sort.h: sorting of numbers, which are mostly few. */
#ifndef WEIR_BASE_SORT_H
#define WEIR_BASE_SORT_H

#include "base/port.h"

/* In place, ascending. Quadratic only up to a few dozen. */
void sort_numbers(uint32_t *at, uint32_t count);

#endif
