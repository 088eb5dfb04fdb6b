/* rank.h: the greatest keys first.
 *
 * Which of several equal keys comes first decides which token is drawn. Here
 * it is as in llama.cpp built with GNU's C++ library: the algorithms are that
 * library's (heap selection, heap sort, introsort), comparison by comparison. */
#ifndef WEIR_SAMPLE_RANK_H
#define WEIR_SAMPLE_RANK_H

#include "base/port.h"

typedef struct Ranked {
    float key;
    uint32_t id;
} Ranked;

/* std::partial_sort: the `count` greatest of n items, in order, at the front;
 * the rest in no order. count <= n. O(n + (changes + count) log count). */
void rank_partial(Ranked *items, size_t n, size_t count);
/* The same of keys[i] with id i, into `top`, which has room for `count`. NaN
 * counts as minus infinity. */
void rank_keys(const float *keys, size_t n, Ranked *top, size_t count);
/* std::sort: introsort. O(n log n). */
void rank_sort(Ranked *items, size_t n);

#endif
