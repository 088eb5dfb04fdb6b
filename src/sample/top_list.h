/* top_list.h: the best of many, the greatest score first, of equal ones the
 * lower id. A list is the caller's array of weir_logprob or weir_candidate,
 * which both are an id and a score. */
#ifndef WEIR_SAMPLE_TOP_LIST_H
#define WEIR_SAMPLE_TOP_LIST_H

#include "base/port.h"

typedef struct Scored {
    uint32_t id;
    float score;
} Scored;

/* Adds one, or lets the worst of them go. O(log capacity); mostly O(1). */
void top_add(void *list, size_t *count, size_t capacity, Scored item);
/* In order; nothing may be added after that. O(n log n). */
void top_sort(void *list, size_t count);

/* Read and written as bytes, since the type of the list is the caller's. */
static inline Scored top_get(const void *list, size_t i)
{
    Scored item;
    memcpy(&item, (const char *)list + i * sizeof item, sizeof item);
    return item;
}
static inline void top_put(void *list, size_t i, Scored item)
{
    memcpy((char *)list + i * sizeof item, &item, sizeof item);
}

#endif
