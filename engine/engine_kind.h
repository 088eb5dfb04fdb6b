/* engine_kind.h: what a kind of engine gives. engine.c has checked all
 * arguments, knows how long each sequence is and restores that after an error:
 * a kind only computes. */
#ifndef ENGINE_ENGINE_KIND_H
#define ENGINE_ENGINE_KIND_H

#include "base/diag.h"
#include "base/mem.h"
#include "engine/engine.h"

typedef struct EngineKind {
    const char *name;
    /* Fills `info` but for `kind`; `opts` has its defaults filled in, and
     * opts->context may be 0. NULL after a report. */
    void *(*load)(const Mem *mem, const EngineOpts *opts, EngineInfo *info,
                  weir_error *err);
    void (*free)(void *self);
    /* After an error any part of the rows may have been added. */
    weir_status (*decode)(void *self, const EngineRow *rows, size_t count,
                          weir_error *err);
    /* `index` counts the logits wanted in the last decode, row after row. */
    const float *(*logits)(const void *self, uint32_t index);
    /* All of a sequence into an empty one. False: out of memory, and nothing
     * done. */
    bool (*copy)(void *self, uint32_t from, uint32_t to);
    /* False: not possible, and nothing done. 0 is always possible. */
    bool (*remove)(void *self, uint32_t sequence, uint32_t keep);
} EngineKind;

extern const EngineKind engine_llama, engine_builtin;

/* engine_load with a kind that need not be one of the list. */
Engine *engine_load_kind(const EngineKind *kind, const EngineOpts *opts,
                         weir_error *err);

#endif
