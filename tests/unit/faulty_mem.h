/* faulty_mem.h: memory whose k-th call fails, and that counts what is held. */
#ifndef WEIR_TESTS_FAULTY_MEM_H
#define WEIR_TESTS_FAULTY_MEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

typedef struct Faulty {
    size_t left;       /* calls that still succeed */
    size_t held, peak; /* bytes */
} Faulty;

static inline bool faulty_takes(Faulty *f, size_t nbytes)
{
    if (!f->left) return false;
    f->left--;
    f->held += nbytes;
    if (f->held > f->peak) f->peak = f->held;
    return true;
}

static inline void *faulty_allocate(void *user, size_t nbytes)
{
    return faulty_takes(user, nbytes) ? malloc(nbytes ? nbytes : 1) : NULL;
}

static inline void *faulty_resize(void *user, void *p, size_t old,
                                  size_t nbytes)
{
    Faulty *f = user;
    if (!faulty_takes(f, nbytes)) return NULL;
    f->held -= old;
    return realloc(p, nbytes ? nbytes : 1);
}

static inline void faulty_release(void *user, void *p, size_t nbytes)
{
    ((Faulty *)user)->held -= nbytes;
    free(p);
}

static inline Mem faulty_mem(Faulty *f)
{
    return (Mem){faulty_allocate, faulty_resize, faulty_release, f};
}

/* Runs the task with the 1st, 2nd ... call failing until it succeeds. Each
 * failure must report NO_MEMORY, and nothing may be held after any run. */
static inline void faulty_sweep(bool (*task)(const Mem *mem, weir_error *err))
{
    for (size_t n = 0;; n++) {
        Faulty faulty = {.left = n};
        Mem mem = faulty_mem(&faulty);
        weir_error err = {0};
        bool ok = task(&mem, &err);
        if (faulty.held) fail_msg("call %zu: %zu bytes leak", n, faulty.held);
        if (ok) break;
        if (err.status != WEIR_NO_MEMORY)
            fail_msg("call %zu: %s", n, err.message);
    }
}

#endif
