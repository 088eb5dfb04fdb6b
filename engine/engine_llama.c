/* engine_llama.c: llama.cpp as an engine.
 *
 * One llama_context; its cache is one for all sequences, so that a copy shares
 * the cells of what it copies. Rows become one llama_batch, whose arrays are
 * ours and have room for a batch.
 * Tests: tests/engine/engine_llama_test.c.
 */
#include <stdio.h>

#include "base/pool.h"
#include "engine/engine_kind.h"
#include "engine/llama_abi.h"

enum { DEFAULT_CONTEXT = 4096, MOST_THREADS = 16 };

typedef struct LlamaEngine {
    const Mem *mem;
    Llama llama;
    void *model, *context, *memory;
    uint32_t capacity; /* tokens of a batch */
    LlamaBatch batch;
    int32_t *sequences; /* by token of the batch: what batch.sequences is at */
    int32_t *wanted;    /* places in the batch whose logits are wanted */
    void (*progress)(void *user, float share);
    void *user;
    char name[128], library[64];
    char trouble[128]; /* the first error that llama.cpp has logged */
} LlamaEngine;

/* ---- loading ---- */

static void log_error(int level, const char *text, void *user)
{
    LlamaEngine *e = user;
    if (level != LLAMA_LOG_ERROR || *e->trouble) return;
    snprintf(e->trouble, sizeof e->trouble, "%s", text);
    e->trouble[strcspn(e->trouble, "\n")] = 0;
}

static bool tell_progress(float share, void *user)
{
    LlamaEngine *e = user;
    if (e->progress) e->progress(e->user, share);
    return true;
}

static bool model_open(LlamaEngine *e, const EngineOpts *opts, weir_error *err)
{
    LlamaModelParams params = e->llama.model_default_params();
    params.at.gpu_layers = opts->gpu_layers;
    params.at.progress = tell_progress;
    params.at.user = e;
    e->progress = opts->progress;
    e->user = opts->user;
    e->llama.log_set(log_error, e);
    e->model = e->llama.model_load_from_file(opts->model, params);
    if (!e->model)
        return diag_fail(err, WEIR_FORMAT, 0, 0,
                         "llama.cpp cannot load the model: %.120s",
                         *e->trouble ? e->trouble : "no reason given");
    if (e->llama.model_has_encoder(e->model))
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "models with an encoder are not supported");
    return true;
}

static uint32_t context_size(const LlamaEngine *e, const EngineOpts *opts)
{
    int32_t trained = e->llama.model_n_ctx_train(e->model);
    if (opts->context) return opts->context;
    return trained > 0 ? MIN((uint32_t)trained, DEFAULT_CONTEXT)
                       : DEFAULT_CONTEXT;
}

static bool context_open(LlamaEngine *e, const EngineOpts *opts,
                         weir_error *err)
{
    LlamaContextParams params = e->llama.context_default_params();
    LlamaContextFields *c = &params.at;
    if (opts->sequences > e->llama.max_parallel_sequences())
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %u sequences, llama.cpp has %zu at most",
                         opts->sequences, e->llama.max_parallel_sequences());
    c->context = context_size(e, opts);
    c->batch = opts->batch;
    c->micro_batch = opts->batch;
    c->sequences = opts->sequences;
    c->threads =
        (int32_t)(opts->threads ? opts->threads
                                : MIN(pool_processors(), MOST_THREADS));
    c->batch_threads = c->threads;
    c->kv_unified = true;
    if (opts->wide_cache) {
        c->type_k = c->type_v = LLAMA_F32;
        c->flash_attention = 0;
    }
    e->context = e->llama.init_from_model(e->model, params);
    if (!e->context)
        return diag_fail(err, WEIR_LIMIT_MEMORY, 0, 0,
                         "llama.cpp cannot make a context: %.120s",
                         *e->trouble ? e->trouble : "no reason given");
    e->memory = e->llama.get_memory(e->context);
    return true;
}

/* Room for `n` tokens in the batch; each is of one sequence. */
static bool batch_open(LlamaEngine *e, uint32_t n, weir_error *err)
{
    LlamaBatch *b = &e->batch;
    e->capacity = n;
    b->tokens = mem_new(e->mem, n * sizeof *b->tokens);
    b->positions = mem_new(e->mem, n * sizeof *b->positions);
    b->sequence_counts = mem_new(e->mem, n * sizeof *b->sequence_counts);
    b->sequences = mem_new(e->mem, n * sizeof *b->sequences);
    b->wants_logits = mem_new(e->mem, n);
    e->sequences = mem_new(e->mem, n * sizeof *e->sequences);
    e->wanted = mem_new(e->mem, n * sizeof *e->wanted);
    if (!b->tokens || !b->positions || !b->sequence_counts || !b->sequences ||
        !b->wants_logits || !e->sequences || !e->wanted)
        return diag_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        b->sequence_counts[i] = 1;
        b->sequences[i] = &e->sequences[i];
    }
    return true;
}

static void batch_close(LlamaEngine *e)
{
    LlamaBatch *b = &e->batch;
    size_t n = e->capacity;
    mem_free(e->mem, b->tokens, n * sizeof *b->tokens);
    mem_free(e->mem, b->positions, n * sizeof *b->positions);
    mem_free(e->mem, b->sequence_counts, n * sizeof *b->sequence_counts);
    mem_free(e->mem, b->sequences, n * sizeof *b->sequences);
    mem_free(e->mem, b->wants_logits, n);
    mem_free(e->mem, e->sequences, n * sizeof *e->sequences);
    mem_free(e->mem, e->wanted, n * sizeof *e->wanted);
}

static void describe(LlamaEngine *e, const EngineOpts *opts, EngineInfo *info)
{
    const Llama *l = &e->llama;
    const void *vocab = l->model_get_vocab(e->model);
    int32_t begin = l->vocab_bos(vocab);
    l->model_desc(e->model, e->name, sizeof e->name);
    snprintf(e->library, sizeof e->library, "llama.cpp %s", l->version());
    *info = (EngineInfo){
        .width = (uint32_t)l->vocab_n_tokens(vocab),
        .context = l->n_ctx(e->context),
        .trained = (uint32_t)MAX(l->model_n_ctx_train(e->model), 0),
        .batch = e->capacity,
        .sequences = opts->sequences,
        .begin = begin < 0 ? UINT32_MAX : (uint32_t)begin,
        .adds_begin = begin >= 0 && l->vocab_get_add_bos(vocab),
        .name = e->name,
        .library = e->library,
        .chat_template = l->model_chat_template(e->model, NULL)};
}

static void llama_close(void *self)
{
    LlamaEngine *e = self;
    if (e->context) e->llama.free(e->context);
    if (e->model) e->llama.model_free(e->model);
    batch_close(e);
    mem_free(e->mem, e, sizeof *e);
}

static void log_nothing(int level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
}

static void *llama_load(const Mem *mem, const EngineOpts *opts,
                        EngineInfo *info, weir_error *err)
{
    LlamaEngine *e = NULL;
    if (!opts->model)
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                  "llama.cpp loads models from files only");
    else if (!(e = mem_zero(mem, sizeof *e)))
        diag_no_memory(err);
    if (!e) return NULL;
    e->mem = mem;
    if (!llama_open(&e->llama, opts->library_dir, err) ||
        (opts->rpc && !llama_add_servers(&e->llama, opts->rpc, err))) {
        mem_free(mem, e, sizeof *e);
        return NULL;
    }
    bool ok =
        model_open(e, opts, err) && context_open(e, opts, err) &&
        batch_open(e, MIN(opts->batch, e->llama.n_batch(e->context)), err);
    e->llama.log_set(log_nothing, NULL);
    if (ok)
        describe(e, opts, info);
    else
        llama_close(e);
    return ok ? e : NULL;
}

/* ---- decoding ---- */

static void row_add(LlamaEngine *e, const EngineRow *row, uint32_t *nwanted)
{
    LlamaBatch *b = &e->batch;
    for (uint32_t i = 0; i < row->count; i++) {
        int32_t at = b->count++;
        bool wants = i >= row->count - row->logits;
        b->tokens[at] = (int32_t)row->tokens[i];
        b->positions[at] = (int32_t)(row->position + i);
        b->wants_logits[at] = wants;
        e->sequences[at] = (int32_t)row->sequence;
        if (wants) e->wanted[(*nwanted)++] = at;
    }
}

static weir_status llama_decode(void *self, const EngineRow *rows, size_t count,
                                weir_error *err)
{
    enum { DONE = 0, NO_ROOM = 1 };
    LlamaEngine *e = self;
    uint32_t nwanted = 0;
    e->batch.count = 0;
    for (size_t i = 0; i < count; i++) row_add(e, &rows[i], &nwanted);
    int32_t result = e->llama.decode(e->context, e->batch);
    if (result == DONE) return WEIR_OK;
    if (result == NO_ROOM)
        diag_fail(err, WEIR_LIMIT_MEMORY, 0, 0,
                  "no room for %d more tokens in a context of %u",
                  e->batch.count, e->llama.n_ctx(e->context));
    else
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                  "llama.cpp has failed to decode, with code %d", result);
    return err->status;
}

static const float *llama_logits(const void *self, uint32_t index)
{
    const LlamaEngine *e = self;
    return e->llama.get_logits_ith(e->context, e->wanted[index]);
}

static bool llama_copy(void *self, uint32_t from, uint32_t to)
{
    LlamaEngine *e = self;
    e->llama.memory_seq_cp(e->memory, (int32_t)from, (int32_t)to, -1, -1);
    return true;
}

static bool llama_remove(void *self, uint32_t sequence, uint32_t keep)
{
    LlamaEngine *e = self;
    return e->llama.memory_seq_rm(e->memory, (int32_t)sequence, (int32_t)keep,
                                  -1);
}

const EngineKind engine_llama = {.name = "llama",
                                 .load = llama_load,
                                 .free = llama_close,
                                 .decode = llama_decode,
                                 .logits = llama_logits,
                                 .copy = llama_copy,
                                 .remove = llama_remove};
