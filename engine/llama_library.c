/* llama_library.c: libllama, loaded when the program runs.
 *
 * Where: the folder that is named; else $WEIR_LLAMA_DIR; else where the
 * system's loader looks.
 *
 * Checked before anything is used, since a wrong layout shows as nonsense or
 * a crash much later:
 *  - every function is there;
 *  - the version is one whose interface has been read (`known`);
 *  - both structs of parameters have the size of that version: the function
 *    that makes the defaults is run on memory filled with one byte, then with
 *    another, and what it has written is the same both times (where a struct
 *    is returned through a pointer that is the first argument: x86-64);
 *  - the defaults of that version stand where our declarations say. A field
 *    that came in between would have moved all that follow.
 * Tests: tests/engine/engine_llama_test.c, with the real library and with one
 * that is not.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "engine/llama_abi.h"

static const char *const known[] = {"0.4.", "0.5."};

enum { PATH_SIZE = 4096 };

/* ---- the functions ---- */

/* ISO C has no cast from an object's to a function's address. */
bool llama_function(const Llama *llama, const char *name, void *function,
                    weir_error *err)
{
    void *at = dlsym(llama->library, name);
    if (!at)
        return diag_fail(
            err, WEIR_UNSUPPORTED, 0, 0,
            "libllama has no function %s; expected llama.cpp v0.4 or v0.5",
            name);
    memcpy(function, &at, sizeof at);
    return true;
}

static bool functions_find(Llama *llama, weir_error *err)
{
    bool ok = true;
#define X(name, result, parameters) \
    ok = ok && llama_function(llama, "llama_" #name, &llama->name, err);
    LLAMA_FUNCTIONS(X)
#undef X
#define X(name, result, parameters) \
    ok = ok && llama_function(llama, "ggml_backend_" #name, &llama->name, err);
    GGML_FUNCTIONS(X)
#undef X
    return ok;
}

/* ---- its interface ---- */

static bool version_check(const Llama *llama, weir_error *err)
{
    const char *version = llama->version();
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (!strncmp(version, known[i], strlen(known[i]))) return true;
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "found llama.cpp %s, expected 0.4.x or 0.5.x",
                     diag_shown(span_text(version)).text);
}

#if defined(__x86_64__)
typedef void FillFn(void *out);

/* Bytes that the function writes, whole words. */
static size_t written(FillFn *fill)
{
    union {
        uint8_t bytes[LLAMA_WIDEST];
        uint64_t align;
    } a, b;
    size_t size = LLAMA_WIDEST;
    memset(&a, 0xaa, sizeof a);
    memset(&b, 0x55, sizeof b);
    fill(&a);
    fill(&b);
    while (size && a.bytes[size - 1] != b.bytes[size - 1]) size--;
    return (size + 7) / 8 * 8;
}

static bool size_check(const void *function, size_t size, const char *name,
                       weir_error *err)
{
    FillFn *fill;
    memcpy(&fill, function, sizeof fill);
    size_t found = written(fill);
    if (found == size) return true;
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "found %s of %zu bytes in libllama, expected %zu", name,
                     found, size);
}

static bool sizes_check(const Llama *llama, weir_error *err)
{
    return size_check(&llama->model_default_params, LLAMA_MODEL_SIZE,
                      "llama_model_params", err) &&
           size_check(&llama->context_default_params, LLAMA_CONTEXT_SIZE,
                      "llama_context_params", err);
}
#else
static bool sizes_check(const Llama *llama, weir_error *err)
{
    (void)llama, (void)err;
    return true;
}
#endif

static bool is_model_default(const LlamaModelFields *m)
{
    return !m->devices && !m->buffer_overrides && m->gpu_layers == -1 &&
           m->split_mode == 1 && m->load_mode == -1 && m->lazy_mode == 1 &&
           !m->main_gpu && !m->tensor_split && !m->progress && !m->user &&
           !m->overrides && !m->vocab_only && m->use_extra_buffers &&
           !m->no_alloc;
}

static bool is_context_default(const LlamaContextFields *c)
{
    return c->context == 512 && c->batch == 2048 && c->micro_batch == 512 &&
           c->sequences == 1 && c->outputs_per_sequence == 1 &&
           c->threads == 4 && c->batch_threads == 4 && c->rope_scaling == -1 &&
           c->pooling == -1 && c->attention == -1 && c->flash_attention == -1 &&
           c->yarn_ext < 0 && c->yarn_slow < 0 && c->defrag < 0 && !c->eval &&
           c->type_k == LLAMA_F16 && c->type_v == LLAMA_F16 && !c->abort &&
           !c->embeddings && c->offload_kqv && c->swa_full && !c->kv_unified &&
           !c->samplers && !c->sampler_count && !c->other;
}

static bool defaults_check(const Llama *llama, weir_error *err)
{
    LlamaModelParams model = llama->model_default_params();
    LlamaContextParams context = llama->context_default_params();
    if (is_model_default(&model.at) && is_context_default(&context.at))
        return true;
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "the parameters of llama.cpp %s are laid out in another "
                     "way than those of v0.4 and v0.5",
                     diag_shown(span_text(llama->version())).text);
}

/* ---- the file ---- */

static bool is_library(const char *name)
{
    return !strncmp(name, "libllama.", 9) &&
           (strstr(name, ".so") || strstr(name, ".dylib"));
}

/* The path of libllama in a folder: libllama.so, or with a version in it. */
static bool library_find(char *path, const char *dir, weir_error *err)
{
    char best[256] = "";
    DIR *list = opendir(dir);
    if (!list)
        return diag_fail(err, WEIR_IO, 0, 0, "cannot open the folder '%s'",
                         diag_shown(span_text(dir)).text);
    for (const struct dirent *d; (d = readdir(list));)
        if (is_library(d->d_name) && strlen(d->d_name) < sizeof best &&
            (!*best || strcmp(d->d_name, best) < 0))
            snprintf(best, sizeof best, "%s", d->d_name);
    closedir(list);
    if (!*best)
        return diag_fail(err, WEIR_IO, 0, 0, "no libllama in the folder '%s'",
                         diag_shown(span_text(dir)).text);
    int size = snprintf(path, PATH_SIZE, "%s/%s", dir, best);
    return size < PATH_SIZE ||
           diag_fail(err, WEIR_IO, 0, 0, "the folder's name is too long");
}

static void *library_load(const char *dir, weir_error *err)
{
    char path[PATH_SIZE] = "libllama.so";
    if (dir && !library_find(path, dir, err)) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    if (dir)
        diag_fail(err, WEIR_IO, 0, 0, "cannot load libllama: %.150s",
                  dlerror());
    else
        diag_fail(err, WEIR_IO, 0, 0,
                  "no libllama found; scripts/get-libllama.sh fetches one, and "
                  "WEIR_LLAMA_DIR says where it is");
    return NULL;
}

/* What computes is in libraries of its own, beside libllama. */
static bool backends_load(const Llama *llama, const char *dir, weir_error *err)
{
    if (!llama->dev_count()) {
        if (dir)
            llama->load_all_from_path(dir);
        else
            llama->load_all();
    }
    return llama->dev_count() ||
           diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "libllama has no backend for this machine beside it");
}

static void log_nothing(int level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
}

bool llama_open(Llama *llama, const char *dir, weir_error *err)
{
    const char *from = getenv("WEIR_LLAMA_DIR");
    if (!dir && from && *from) dir = from;
    llama->library = library_load(dir, err);
    if (!llama->library || !functions_find(llama, err) ||
        !version_check(llama, err) || !sizes_check(llama, err) ||
        !defaults_check(llama, err))
        return false;
    llama->log_set(log_nothing, NULL);
    return backends_load(llama, dir, err);
}
