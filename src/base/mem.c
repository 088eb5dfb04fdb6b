/* mem.c: the default environment: malloc, realloc, free. */
#include "base/mem.h"

#include <stdlib.h>

static void *default_allocate(void *user, size_t nbytes)
{
    (void)user;
    return malloc(nbytes ? nbytes : 1);
}

static void *default_resize(void *user, void *p, size_t old, size_t nbytes)
{
    (void)user;
    (void)old;
    return realloc(p, nbytes ? nbytes : 1);
}

static void default_release(void *user, void *p, size_t nbytes)
{
    (void)user;
    (void)nbytes;
    free(p);
}

Mem mem_from_env(const weir_env *env)
{
    if (env && env->allocate)
        return (Mem){env->allocate, env->resize, env->release, env->user};
    return (Mem){default_allocate, default_resize, default_release, NULL};
}
