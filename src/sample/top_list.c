/* top_list.c: a heap whose top is the worst.
 * Tests: unit/logprobs_test.c.
 */
#include "sample/top_list.h"

#include "weir/sample.h"

_Static_assert(sizeof(weir_logprob) == sizeof(Scored) &&
                   offsetof(weir_logprob, logprob) == offsetof(Scored, score),
               "a list of log probabilities");
_Static_assert(sizeof(weir_candidate) == sizeof(Scored) &&
                   offsetof(weir_candidate, probability) ==
                       offsetof(Scored, score),
               "a list of candidates");

static bool is_worse(Scored a, Scored b)
{
    return a.score < b.score || (a.score == b.score && a.id > b.id);
}

/* The item takes the place of the top, and sinks. */
static void sink(void *heap, size_t n, Scored item)
{
    size_t hole = 0;
    for (size_t child; (child = 2 * hole + 1) < n; hole = child) {
        if (child + 1 < n &&
            is_worse(top_get(heap, child + 1), top_get(heap, child)))
            child++;
        if (!is_worse(top_get(heap, child), item)) break;
        top_put(heap, hole, top_get(heap, child));
    }
    top_put(heap, hole, item);
}

static void rise(void *heap, size_t hole, Scored item)
{
    for (size_t parent; hole; hole = parent) {
        parent = (hole - 1) / 2;
        if (!is_worse(item, top_get(heap, parent))) break;
        top_put(heap, hole, top_get(heap, parent));
    }
    top_put(heap, hole, item);
}

void top_add(void *list, size_t *count, size_t capacity, Scored item)
{
    if (*count < capacity)
        rise(list, (*count)++, item);
    else if (capacity && is_worse(top_get(list, 0), item))
        sink(list, capacity, item);
}

void top_sort(void *list, size_t count)
{
    while (count > 1) {
        Scored last = top_get(list, --count);
        top_put(list, count, top_get(list, 0));
        sink(list, count, last);
    }
}
