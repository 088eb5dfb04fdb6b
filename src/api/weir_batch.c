/* weir_batch.c: the same call on many matchers, on a pool. Matchers are
 * independent, so the order does not matter and results equal serial ones. */
#include "api/matcher.h"
#include "api/pool_run.h"

typedef struct Batch {
    weir_matcher *const *matchers;
    const uint32_t *indices, *ids;
    const size_t *steps;
    int32_t *rows;
    size_t stride;
    weir_fill *fills;
    weir_accept *accepts;
    weir_status *statuses;
} Batch;

static void fill_task(void *arg, size_t i)
{
    Batch *b = arg;
    int32_t *row = b->rows + (b->indices ? b->indices[i] : i) * b->stride;
    weir_fill fill = WEIR_FILL_ALL;
    if (b->matchers[i])
        fill = weir_matcher_fill(b->matchers[i], row);
    else
        memset(row, 0xFF, b->stride * sizeof *row);
    if (b->fills) b->fills[i] = fill;
}

static void accept_task(void *arg, size_t i)
{
    Batch *b = arg;
    weir_accept accept = WEIR_ACCEPTED;
    if (b->matchers[i]) accept = weir_matcher_accept(b->matchers[i], b->ids[i]);
    if (b->accepts) b->accepts[i] = accept;
}

static void rollback_task(void *arg, size_t i)
{
    Batch *b = arg;
    weir_status status = WEIR_OK;
    if (b->matchers[i])
        status = weir_matcher_rollback(b->matchers[i], b->steps[i]);
    if (b->statuses) b->statuses[i] = status;
}

weir_status weir_batch_fill(weir_pool *pool, weir_matcher *const *matchers,
                            size_t count, const uint32_t *indices,
                            int32_t *rows, size_t stride, weir_fill *results)
{
    Batch b = {.matchers = matchers,
               .indices = indices,
               .rows = rows,
               .stride = stride,
               .fills = results};
    for (size_t i = 0; i < count; i++)
        if (matchers[i] && (!matchers[i]->grammar->vocab ||
                            stride < matchers[i]->grammar->vocab->masks.nwords))
            return WEIR_ARGUMENT;
    weir_pool_run(pool, fill_task, &b, count);
    return WEIR_OK;
}

weir_status weir_batch_accept(weir_pool *pool, weir_matcher *const *matchers,
                              const uint32_t *ids, size_t count,
                              weir_accept *results)
{
    Batch b = {.matchers = matchers, .ids = ids, .accepts = results};
    weir_pool_run(pool, accept_task, &b, count);
    return WEIR_OK;
}

weir_status weir_batch_rollback(weir_pool *pool, weir_matcher *const *matchers,
                                const size_t *steps, size_t count,
                                weir_status *results)
{
    Batch b = {.matchers = matchers, .steps = steps, .statuses = results};
    weir_pool_run(pool, rollback_task, &b, count);
    return WEIR_OK;
}
