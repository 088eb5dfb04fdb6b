/* llama_abi.h: the part of llama.cpp's C interface that weir uses, declared
 * here because the library is loaded when the program runs, and its header
 * need not be there. As llama.cpp v0.4 and v0.5 have it; llama_library.c checks that.
 *
 * Parameters go by value. Ours are wider than llama.cpp's and keep whatever it
 * has put behind the fields that we know. */
#ifndef ENGINE_LLAMA_ABI_H
#define ENGINE_LLAMA_ABI_H

#include "weir/weir.h"

enum { LLAMA_WIDEST = 512, LLAMA_MODEL_SIZE = 80, LLAMA_CONTEXT_SIZE = 160 };

typedef bool LlamaProgress(float share, void *user);
typedef void LlamaLog(int level, const char *text, void *user);
typedef enum LlamaLogLevel { LLAMA_LOG_ERROR = 4 } LlamaLogLevel;

typedef struct LlamaModelFields {
    const void *devices, *buffer_overrides;
    int32_t gpu_layers, split_mode, load_mode, lazy_mode, main_gpu;
    const float *tensor_split;
    LlamaProgress *progress;
    void *user;
    const void *overrides;
    bool vocab_only, check_tensors, use_extra_buffers, no_host, no_alloc,
        load_mtp;
} LlamaModelFields;

typedef enum LlamaType { LLAMA_F32 = 0, LLAMA_F16 = 1 } LlamaType;

typedef struct LlamaContextFields {
    uint32_t context, batch, micro_batch, sequences, snapshots, outputs,
        outputs_per_sequence;
    int32_t threads, batch_threads;
    int32_t context_type, rope_scaling, pooling, attention, flash_attention;
    float rope_base, rope_scale, yarn_ext, yarn_attn, yarn_fast, yarn_slow;
    uint32_t yarn_context;
    float defrag;
    void *eval, *eval_user;
    int32_t type_k, type_v; /* LlamaType */
    void *abort, *abort_user;
    bool embeddings, offload_kqv, no_perf, op_offload, swa_full, kv_unified;
    const void *samplers;
    size_t sampler_count;
    const void *other;
} LlamaContextFields;

typedef union LlamaModelParams {
    LlamaModelFields at;
    uint8_t bytes[LLAMA_WIDEST];
} LlamaModelParams;
typedef union LlamaContextParams {
    LlamaContextFields at;
    uint8_t bytes[LLAMA_WIDEST];
} LlamaContextParams;

typedef struct LlamaBatch {
    int32_t count;
    int32_t *tokens;
    float *embeddings;
    int32_t *positions;
    int32_t *sequence_counts;
    int32_t **sequences;
    int8_t *wants_logits;
} LlamaBatch;

/* Name after llama_, result, parameters. Models, contexts, vocabularies and
 * memories are pointers to what only llama.cpp knows. */
#define LLAMA_FUNCTIONS(X)                                               \
    X(version, const char *, (void))                                     \
    X(log_set, void, (LlamaLog *, void *))                               \
    X(model_default_params, LlamaModelParams, (void))                    \
    X(context_default_params, LlamaContextParams, (void))                \
    X(max_parallel_sequences, size_t, (void))                            \
    X(model_load_from_file, void *, (const char *, LlamaModelParams))    \
    X(model_free, void, (void *))                                        \
    X(model_get_vocab, const void *, (const void *))                     \
    X(model_n_ctx_train, int32_t, (const void *))                        \
    X(model_has_encoder, bool, (const void *))                           \
    X(model_desc, int32_t, (const void *, char *, size_t))               \
    X(model_chat_template, const char *, (const void *, const char *))   \
    X(vocab_n_tokens, int32_t, (const void *))                           \
    X(vocab_bos, int32_t, (const void *))                                \
    X(vocab_get_add_bos, bool, (const void *))                           \
    X(init_from_model, void *, (void *, LlamaContextParams))             \
    X(free, void, (void *))                                              \
    X(n_ctx, uint32_t, (const void *))                                   \
    X(n_batch, uint32_t, (const void *))                                 \
    X(get_memory, void *, (const void *))                                \
    X(memory_seq_rm, bool, (void *, int32_t, int32_t, int32_t))          \
    X(memory_seq_cp, void, (void *, int32_t, int32_t, int32_t, int32_t)) \
    X(decode, int32_t, (void *, LlamaBatch))                             \
    X(get_logits_ith, float *, (void *, int32_t))

/* The same of libggml: name after ggml_backend_. */
#define GGML_FUNCTIONS(X)        \
    X(dev_count, size_t, (void)) \
    X(load_all, void, (void))    \
    X(load_all_from_path, void, (const char *))

typedef struct Llama {
    void *library; /* as dlopen gave it */
#define X(name, result, parameters) result(*name) parameters;
    LLAMA_FUNCTIONS(X)
    GGML_FUNCTIONS(X)
#undef X
} Llama;

/* Finds, loads and checks libllama and its parts that compute, once a process
 * as far as the loader is concerned; it stays loaded. dir: NULL, or where to
 * look. False after a report. */
bool llama_open(Llama *llama, const char *dir, weir_error *err);

/* Sets *function to the library's function of that name. */
bool llama_function(const Llama *llama, const char *name, void *function,
                    weir_error *err);
/* Makes other machines, on which llama.cpp's ggml-rpc-server runs, devices that
 * models are laid on: "HOST:PORT,HOST:PORT". Once a process for each, as far
 * as llama.cpp is concerned. UNSUPPORTED: a libllama without RPC; IO: nobody
 * answers. llama_rpc.c */
bool llama_add_servers(const Llama *llama, const char *servers,
                       weir_error *err);

#endif
