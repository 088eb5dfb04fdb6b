/* random_model.c: writes a GGUF file (version 3) from its published layout:
 * the head, the metadata, one line for each tensor, then the tensors, each at
 * a multiple of 32 bytes. Tensors of one row are norms, near 1; matrices are
 * uniform in +- 1 / sqrt(row). */
#include "oracle/random_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracle/rng.h"

enum { ALIGNMENT = 32, BLOCK = 32 };
enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 };

typedef struct Tensor {
    char name[48];
    uint64_t columns, rows; /* rows 1: a norm */
} Tensor;

typedef struct ModelWriter {
    FILE *file;
    const RandomModel *model;
    Rng rng;
    Tensor tensors[256];
    uint32_t ntensors;
} ModelWriter;

/* ---- numbers; the machine's order is GGUF's ---- */

static void put(ModelWriter *w, const void *data, size_t size)
{
    fwrite(data, 1, size, w->file);
}
static void put_u32(ModelWriter *w, uint32_t n)
{
    put(w, &n, sizeof n);
}
static void put_u64(ModelWriter *w, uint64_t n)
{
    put(w, &n, sizeof n);
}
static void put_text(ModelWriter *w, const char *text, size_t size)
{
    put_u64(w, size);
    put(w, text, size);
}
static void put_key(ModelWriter *w, const char *key, uint32_t type)
{
    put_text(w, key, strlen(key));
    put_u32(w, type);
}

/* ---- metadata ---- */

static const char *architecture(const RandomModel *m)
{
    return m->architecture ? m->architecture : "llama";
}

static void meta_u32(ModelWriter *w, const char *key, uint32_t value)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", architecture(w->model), key);
    put_key(w, name, U32);
    put_u32(w, value);
}

static void meta_f32(ModelWriter *w, const char *key, float value)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", architecture(w->model), key);
    put_key(w, name, F32);
    put(w, &value, sizeof value);
}

static void meta_text(ModelWriter *w, const char *key, const char *value)
{
    put_key(w, key, STRING);
    put_text(w, value, strlen(value));
}

/* GPT-2's visible form of a byte, as UTF-8; returns its size. */
static size_t visible(uint32_t byte, char out[4])
{
    uint32_t rune = byte, next = 256;
    for (uint32_t b = 0; b <= byte; b++) {
        bool shown = (b >= 33 && b <= 126) || (b >= 161 && b != 173);
        if (b == byte && !shown) rune = next;
        if (!shown) next++;
    }
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    out[0] = (char)(0xc0 | rune >> 6);
    out[1] = (char)(0x80 | (rune & 0x3f));
    return 2;
}

static void put_tokens(ModelWriter *w)
{
    static const char *const names[] = {"th", "in", "<|begin|>", "<|im_start|>",
                                        "<|im_end|>"};
    char text[4];
    put_key(w, "tokenizer.ggml.tokens", ARRAY);
    put_u32(w, STRING);
    put_u64(w, MODEL_TOKENS);
    for (uint32_t b = 0; b < 256; b++) put_text(w, text, visible(b, text));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_text(w, names[i], strlen(names[i]));
    put_key(w, "tokenizer.ggml.token_type", ARRAY);
    put_u32(w, I32);
    put_u64(w, MODEL_TOKENS);
    for (uint32_t id = 0; id < MODEL_TOKENS; id++)
        put_u32(w, id < MODEL_BEGIN ? 1 : 3); /* normal, control */
    put_key(w, "tokenizer.ggml.merges", ARRAY);
    put_u32(w, STRING);
    put_u64(w, 2);
    put_text(w, "t h", 3);
    put_text(w, "i n", 3);
}

static uint64_t put_metadata(ModelWriter *w)
{
    const RandomModel *m = w->model;
    meta_text(w, "general.architecture", architecture(m));
    meta_u32(w, "vocab_size", MODEL_TOKENS);
    meta_u32(w, "context_length", m->context);
    meta_u32(w, "embedding_length", m->width);
    meta_u32(w, "block_count", m->layers);
    meta_u32(w, "feed_forward_length", m->hidden);
    meta_u32(w, "attention.head_count", m->heads);
    meta_u32(w, "attention.head_count_kv", m->kv_heads);
    meta_u32(w, "rope.dimension_count", m->width / m->heads);
    meta_f32(w, "rope.freq_base", 10000);
    meta_f32(w, "attention.layer_norm_rms_epsilon", 1e-5F);
    meta_text(w, "tokenizer.ggml.model", "gpt2");
    meta_text(w, "tokenizer.ggml.pre", "llama-bpe");
    put_tokens(w);
    put_key(w, "tokenizer.ggml.bos_token_id", U32);
    put_u32(w, MODEL_BEGIN);
    put_key(w, "tokenizer.ggml.eos_token_id", U32);
    put_u32(w, MODEL_END);
    put_key(w, "tokenizer.ggml.add_bos_token", BOOL);
    put(w, "\1", 1);
    if (m->chat_template)
        meta_text(w, "tokenizer.chat_template", m->chat_template);
    return 19 + (m->chat_template != NULL);
}

/* ---- tensors ---- */

static void tensor_add(ModelWriter *w, const char *name, uint64_t columns,
                       uint64_t rows)
{
    Tensor *t = &w->tensors[w->ntensors++];
    snprintf(t->name, sizeof t->name, "%s.weight", name);
    t->columns = columns;
    t->rows = rows;
}

static void block_add(ModelWriter *w, uint32_t layer, const char *name,
                      uint64_t columns, uint64_t rows)
{
    char full[40];
    snprintf(full, sizeof full, "blk.%u.%s", layer, name);
    tensor_add(w, full, columns, rows);
}

static void tensors_list(ModelWriter *w)
{
    const RandomModel *m = w->model;
    uint32_t d = m->width, kv = m->width / m->heads * m->kv_heads;
    tensor_add(w, "token_embd", d, MODEL_TOKENS);
    for (uint32_t i = 0; i < m->layers; i++) {
        block_add(w, i, "attn_norm", d, 1);
        block_add(w, i, "attn_q", d, d);
        block_add(w, i, "attn_k", d, kv);
        block_add(w, i, "attn_v", d, kv);
        block_add(w, i, "attn_output", d, d);
        block_add(w, i, "ffn_norm", d, 1);
        block_add(w, i, "ffn_gate", d, m->hidden);
        block_add(w, i, "ffn_up", d, m->hidden);
        block_add(w, i, "ffn_down", m->hidden, d);
    }
    tensor_add(w, "output_norm", d, 1);
    if (!m->is_tied) tensor_add(w, "output", d, MODEL_TOKENS);
}

static ModelType tensor_type(const ModelWriter *w, const Tensor *t)
{
    return t->rows == 1 ? MODEL_F32 : w->model->type;
}

static uint64_t tensor_size(const ModelWriter *w, const Tensor *t)
{
    uint64_t n = t->columns * t->rows;
    switch (tensor_type(w, t)) {
    case MODEL_F32:
        return n * 4;
    case MODEL_F16:
        return n * 2;
    default:
        return n / BLOCK * (BLOCK + 2);
    }
}

static void put_heads(ModelWriter *w)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < w->ntensors; i++) {
        const Tensor *t = &w->tensors[i];
        put_text(w, t->name, strlen(t->name));
        put_u32(w, t->rows == 1 ? 1 : 2);
        put_u64(w, t->columns);
        if (t->rows != 1) put_u64(w, t->rows);
        put_u32(w, tensor_type(w, t));
        put_u64(w, offset);
        offset += (tensor_size(w, t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static void put_padding(ModelWriter *w)
{
    while (ftell(w->file) % ALIGNMENT) fputc(0, w->file);
}

/* Half precision of a number between 2^-14 and 2^15, nearest. */
static uint16_t half_of(float f)
{
    uint32_t bits, sign;
    memcpy(&bits, &f, sizeof bits);
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits < 0x38800000) return (uint16_t)sign; /* less: 0 will do */
    return (uint16_t)(sign |
                      (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
}

static float uniform(ModelWriter *w)
{
    return (float)((double)(rng_next(&w->rng) >> 11) / 4503599627370496.0 - 1);
}

static void put_half(ModelWriter *w, float f)
{
    uint16_t half = half_of(f);
    put(w, &half, sizeof half);
}

static void put_block(ModelWriter *w, float scale)
{
    float values[BLOCK], most = 0;
    for (int i = 0; i < BLOCK; i++) {
        values[i] = uniform(w) * scale;
        most = fmaxf(most, fabsf(values[i]));
    }
    float step = most / 127;
    put_half(w, step);
    for (int i = 0; i < BLOCK; i++) {
        int8_t q = (int8_t)lrintf(values[i] / step);
        put(w, &q, 1);
    }
}

static void put_tensor(ModelWriter *w, const Tensor *t)
{
    uint64_t n = t->columns * t->rows;
    float scale = 1 / sqrtf((float)t->columns);
    if (!strcmp(t->name, "token_embd.weight") && !w->model->is_tied) scale = 1;
    switch (tensor_type(w, t)) {
    case MODEL_F32:
        for (uint64_t i = 0; i < n; i++) {
            float f = t->rows == 1 ? 1 + uniform(w) / 4 : uniform(w) * scale;
            put(w, &f, sizeof f);
        }
        break;
    case MODEL_F16:
        for (uint64_t i = 0; i < n; i++) put_half(w, uniform(w) * scale);
        break;
    case MODEL_Q8_0:
        for (uint64_t i = 0; i < n / BLOCK; i++) put_block(w, scale);
        break;
    }
    put_padding(w);
}

/* ---- the file ---- */

RandomModel random_model_small(uint64_t seed)
{
    return (RandomModel){.seed = seed,
                         .layers = 2,
                         .width = 64,
                         .heads = 4,
                         .kv_heads = 2,
                         .hidden = 96,
                         .context = 512};
}

bool random_model_write(const RandomModel *model, const char *path)
{
    ModelWriter w = {
        .file = fopen(path, "wb+"), .model = model, .rng = {model->seed}};
    if (!w.file) return false;
    tensors_list(&w);
    put(&w, "GGUF", 4);
    put_u32(&w, 3);
    put_u64(&w, w.ntensors);
    put_u64(&w, 0); /* metadata, counted below */
    uint64_t nmeta = put_metadata(&w);
    put_heads(&w);
    put_padding(&w);
    for (uint32_t i = 0; i < w.ntensors; i++) put_tensor(&w, &w.tensors[i]);
    fseek(w.file, 16, SEEK_SET);
    put_u64(&w, nmeta);
    bool ok = !ferror(w.file);
    return !fclose(w.file) && ok;
}
