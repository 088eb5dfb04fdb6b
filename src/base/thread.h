/* thread.h: locks, one-shot threads and atomics, over pthreads and C11. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>

typedef pthread_mutex_t Lock;

static inline void lock_init(Lock *lock)
{
    pthread_mutex_init(lock, NULL);
}
static inline void lock_free(Lock *lock)
{
    pthread_mutex_destroy(lock);
}
static inline void lock_take(Lock *lock)
{
    pthread_mutex_lock(lock);
}
static inline void lock_give(Lock *lock)
{
    pthread_mutex_unlock(lock);
}

/* A shared owner count. */
typedef atomic_uint RefCount;
static inline void ref_take(RefCount *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}
/* True for the last owner, who must destroy the object. */
static inline bool ref_drop(RefCount *count)
{
    return atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

#endif
