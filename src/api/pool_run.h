/* pool_run.h: how the batch functions run their items. */
#ifndef WEIR_API_POOL_RUN_H
#define WEIR_API_POOL_RUN_H

#include "weir/weir.h"

/* Calls task(arg, i) once for each i < count on the pool's threads, the caller
 * among them unless the pool is a custom one; returns when all have returned.
 * NULL pool: one after the other, here. */
void weir_pool_run(weir_pool *pool, weir_task_fn task, void *arg, size_t count);

#endif
