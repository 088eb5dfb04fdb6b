/* vec.h: growing arrays of any type. Zero-initialised is empty; `mem` is
 * given to each call that may allocate. A failed push leaves the array as it
 * was and returns false.
 *
 *     VEC(uint32_t) ids = {0};
 *     if (!vec_push(mem, &ids, 7)) return out_of_memory;
 *     vec_free(mem, &ids);
 */
#ifndef WEIR_BASE_VEC_H
#define WEIR_BASE_VEC_H

#include "base/mem.h"

#define VEC(T)               \
    struct {                 \
        T *at;               \
        uint32_t count, cap; \
    }

/* Room for `need` items in all. */
static inline bool vec_grow(const Mem *mem, void **at, uint32_t *cap,
                            size_t need, size_t size)
{
    if (need <= *cap) return true;
    if (need > UINT32_MAX / 2) return false;
    size_t want = MAX(MAX((size_t)*cap * 2, need), 8);
    if (size_mul(want, size) == SIZE_MAX) return false;
    void *p = *at ? mem->resize(mem->user, *at, *cap * size, want * size)
                  : mem->allocate(mem->user, want * size);
    if (!p) return false;
    *at = p;
    *cap = (uint32_t)want;
    return true;
}

#define vec_reserve(mem, v, need) \
    vec_grow((mem), (void **)&(v)->at, &(v)->cap, (need), sizeof *(v)->at)
#define vec_push(mem, v, ...)                           \
    (vec_reserve((mem), (v), (size_t)(v)->count + 1) && \
     ((v)->at[(v)->count++] = (__VA_ARGS__), true))
/* Appends the items of another one, of the same type. */
#define vec_append(mem, v, from)                                     \
    (!(from)->count ||                                               \
     (vec_reserve((mem), (v), (size_t)(v)->count + (from)->count) && \
      (memcpy((v)->at + (v)->count, (from)->at,                      \
              (from)->count * sizeof *(v)->at),                      \
       (v)->count += (from)->count, true)))
/* Its items from the i-th on; NULL where it has never had any: nothing may be
 * added to that, not even 0. */
#define vec_from(v, i) ((v)->at ? (v)->at + (i) : NULL)
/* Bytes that it holds. */
#define vec_bytes(v) ((v)->cap * sizeof *(v)->at)
#define vec_free(mem, v)                                                   \
    (mem_free((mem), (v)->at, (v)->cap * sizeof *(v)->at), (v)->at = NULL, \
     (v)->count = (v)->cap = 0)

#endif
