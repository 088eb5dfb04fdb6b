/* lang_kit.h: a LangCtx with its arena and error, for tests of languages. */
#ifndef WEIR_TESTS_LANG_KIT_H
#define WEIR_TESTS_LANG_KIT_H

#include "lang/lang.h"

typedef struct World {
    Mem mem;
    Arena arena;
    weir_error error;
    LangCtx ctx;
} World;

static inline void world_open(World *w, const weir_limits *limits)
{
    memset(w, 0, sizeof *w);
    w->mem = mem_from_env(NULL);
    arena_init(&w->arena, &w->mem, 0);
    lang_init(&w->ctx, &w->mem, &w->arena, limits, &w->error);
}

#endif
