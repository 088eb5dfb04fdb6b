/* mem.h: the one way to memory. A Mem is the environment's three functions,
 * resolved once; only arena.c, vec.h and this module's users of single blocks
 * call it. All functions return NULL when memory is out; nothing aborts. */
#ifndef WEIR_BASE_MEM_H
#define WEIR_BASE_MEM_H

#include "base/port.h"
#include "weir/weir.h"

typedef struct Mem {
    void *(*allocate)(void *user, size_t nbytes);
    void *(*resize)(void *user, void *p, size_t old, size_t nbytes);
    void (*release)(void *user, void *p, size_t nbytes);
    void *user;
} Mem;

/* The environment's memory, or malloc's for NULL or an all-zero one. */
Mem mem_from_env(const weir_env *env);

static inline void *mem_new(const Mem *mem, size_t nbytes)
{
    return mem->allocate(mem->user, nbytes);
}

/* Zeroed. */
static inline void *mem_zero(const Mem *mem, size_t nbytes)
{
    void *p = mem->allocate(mem->user, nbytes);
    if (p) memset(p, 0, nbytes);
    return p;
}

static inline void mem_free(const Mem *mem, void *p, size_t nbytes)
{
    if (p) mem->release(mem->user, p, nbytes);
}

/* A limit in bytes as a size; on 32 bits the largest there is, if need be. */
static inline size_t limit_size(uint64_t nbytes)
{
    return (size_t)MIN(nbytes, SIZE_MAX);
}

/* count * size, or SIZE_MAX when it does not fit. */
static inline size_t size_mul(size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

#endif
