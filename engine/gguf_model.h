/* gguf_model.h: the weights of a model of llama's architecture in a GGUF file,
 * which stays mapped, or in memory. Every shape and size has been checked against the file
 * when a model is open. */
#ifndef ENGINE_GGUF_MODEL_H
#define ENGINE_GGUF_MODEL_H

#include "base/mem.h"
#include "base/span.h"
#include "weir/weir.h"

typedef enum TensorType {
    TENSOR_F32 = 0,
    TENSOR_F16 = 1,
    TENSOR_Q8_0 = 8
} TensorType;

/* A block of Q8_0: a scale in half precision, then as many signed bytes. */
enum { Q8_BLOCK = 32, Q8_SIZE = 2 + Q8_BLOCK };

typedef struct Tensor {
    const uint8_t *data; /* rows one after the other; NULL: there is none */
    TensorType type;
    uint32_t columns, rows; /* rows: 1 of a vector */
} Tensor;

typedef struct ModelLayer {
    Tensor attn_norm, q, k, v, output, ffn_norm, gate, up, down;
} ModelLayer;

typedef struct GgufModel {
    const Mem *mem;
    Span file;
    bool is_mapped;
    uint32_t width, layers, heads, kv_heads, head_size, hidden, context, vocab,
        rope_size;
    float epsilon, rope_base;
    uint32_t begin; /* UINT32_MAX: none */
    bool adds_begin;
    char *chat_template; /* or NULL */
    size_t template_size;
    char name[128];
    Tensor embedding, norm, head; /* head: embedding if there is none */
    ModelLayer *layer;
} GgufModel;

/* A file, or if image has data, that, which is borrowed. False after a report,
 * with nothing to close. */
bool gguf_model_open(GgufModel *model, const Mem *mem, const char *path,
                     weir_bytes image, weir_error *err);
void gguf_model_close(GgufModel *model);

#endif
