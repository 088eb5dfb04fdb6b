/* engine_kit.h: small models for tests of engines, and where libllama is. */
#ifndef WEIR_TESTS_ENGINE_KIT_H
#define WEIR_TESTS_ENGINE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "oracle/random_model.h"

/* The folder of libllama: of WEIR_LLAMA_DIR, or of scripts/get-libllama.sh; or
 * NULL. */
static inline const char *kit_llama_dir(void)
{
    static const char fetched[] = ".cache/llama/package/bins/linux-x64";
    const char *named = getenv("WEIR_LLAMA_DIR");
    if (named && *named) return named;
    return access(fetched, R_OK) ? NULL : fetched;
}

/* Skips the test where libllama is not to be had. */
static inline void kit_wants_llama(void)
{
    if (kit_llama_dir()) return;
    print_message("no libllama: run scripts/get-libllama.sh\n");
    skip();
}

static inline char *kit_path(const char *name)
{
    static char path[256];
    const char *build = getenv("WEIR_BUILD");
    snprintf(path, sizeof path, "%s/%s-%d.gguf", build ? build : "/tmp", name,
             (int)getpid());
    return path;
}

/* An engine with that model; opts may be NULL. */
static inline Engine *kit_engine(const RandomModel *model,
                                 const EngineOpts *given)
{
    EngineOpts opts = {.threads = 1};
    weir_error err;
    if (given) opts = *given;
    char *path = kit_path("random");
    assert_true(random_model_write(model, path));
    opts.model = path;
    if (!opts.library_dir) opts.library_dir = kit_llama_dir();
    Engine *e = engine_load(&opts, &err);
    remove(path);
    if (!e) fail_msg("%s", err.message);
    return e;
}

#endif
