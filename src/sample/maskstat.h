/* maskstat.h: what a mask allows, in numbers. */
#ifndef WEIR_SAMPLE_MASKSTAT_H
#define WEIR_SAMPLE_MASKSTAT_H

#include "base/port.h"

/* Number of ones among the first `width` bits. `single`: NULL, or set to the
 * index of the one if there is exactly one; else untouched. */
size_t maskstat_count(const int32_t *mask, size_t width, uint32_t *single);
/* FNV-1a 64 over the indices of the ones, ascending, as little-endian u32. */
uint64_t maskstat_hash(const int32_t *mask, size_t width);

#endif
