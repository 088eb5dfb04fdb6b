/* gguf_model.c: finds the tensors of a llama model in a GGUF file.
 *
 *   head, metadata (text/gguf.h), then for each tensor:
 *   u64 size, name   u32 dimensions   u64 each   u32 type   u64 offset
 *   then, at a multiple of general.alignment, the data.
 *
 * What the runner does not do is refused: another architecture, scaled or
 * partial rotation, biases, experts, other types of tensors.
 * Tests: tests/engine/engine_builtin_test.c, also with files cut anywhere.
 */
#include "engine/gguf_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "text/gguf.h"

enum { DEFAULT_ALIGNMENT = 32, MOST_LAYERS = 1024, MOST_SIZE = 1 << 24 };

typedef struct TensorReader {
    const Gguf *gguf;
    size_t begin, data; /* of the list, of the data */
    uint64_t count;
    weir_error *err;
} TensorReader;

/* ---- the file ---- */

static bool file_map(GgufModel *m, const char *path, weir_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY);
    bool ok = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) &&
              info.st_size > 0;
    void *at =
        ok ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
           : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (at == MAP_FAILED)
        return diag_fail(err, WEIR_IO, 0, 0, "cannot read the file");
    m->file = span_of(at, (size_t)info.st_size);
    m->is_mapped = true;
    return true;
}

static bool image_take(GgufModel *m, weir_bytes image, weir_error *err)
{
    m->file = span_of(image.data, image.size);
    return (uintptr_t)image.data % 4 == 0 ||
           diag_fail(err, WEIR_ARGUMENT, 0, 0, "the image is not aligned");
}

/* ---- the list of tensors ---- */

static uint64_t number_at(Span file, size_t pos, unsigned nbytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < nbytes; i++)
        value |= (uint64_t)file.at[pos + i] << (8 * i);
    return value;
}

typedef struct TensorLine {
    Span name;
    uint64_t columns, rows, offset;
    uint32_t type;
} TensorLine;

/* Reads the line at *pos; false when the file ends within it, or a tensor has
 * other than one or two dimensions. */
static bool line_read(Span file, size_t *pos, TensorLine *line)
{
    if (file.size - *pos < 8) return false;
    uint64_t size = number_at(file, *pos, 8);
    if (size > file.size - *pos - 8) return false;
    line->name = span_of(file.at + *pos + 8, (size_t)size);
    *pos += 8 + (size_t)size;
    if (file.size - *pos < 4) return false;
    uint64_t dimensions = number_at(file, *pos, 4);
    *pos += 4;
    if (dimensions < 1 || dimensions > 2) return false;
    if (file.size - *pos < dimensions * 8 + 12) return false;
    line->columns = number_at(file, *pos, 8);
    line->rows = dimensions == 2 ? number_at(file, *pos + 8, 8) : 1;
    *pos += (size_t)dimensions * 8;
    line->type = (uint32_t)number_at(file, *pos, 4);
    line->offset = number_at(file, *pos + 4, 8);
    *pos += 12;
    return true;
}

static bool list_open(TensorReader *r)
{
    Span file = r->gguf->file;
    uint32_t alignment = DEFAULT_ALIGNMENT;
    TensorLine line;
    size_t n = r->gguf->entries.count;
    r->begin = n ? r->gguf->entries.at[n - 1].end : 24;
    r->count = number_at(file, 8, 8);
    gguf_u32(r->gguf, gguf_find(r->gguf, "general.alignment"), &alignment);
    if (!alignment || alignment > 1 << 16)
        return diag_fail(r->err, WEIR_FORMAT, 0, 0, "found alignment %u",
                         alignment);
    size_t pos = r->begin;
    for (uint64_t i = 0; i < r->count; i++)
        if (!line_read(file, &pos, &line))
            return diag_fail(r->err, WEIR_FORMAT, pos, pos,
                             "tensor %llu is cut off, or has more than two "
                             "dimensions",
                             (unsigned long long)i);
    r->data = (pos + alignment - 1) / alignment * alignment;
    return true;
}

static uint64_t row_size(uint32_t type, uint64_t columns)
{
    switch (type) {
    case TENSOR_F32:
        return columns * 4;
    case TENSOR_F16:
        return columns * 2;
    case TENSOR_Q8_0:
        return columns / Q8_BLOCK * Q8_SIZE;
    default:
        return 0;
    }
}

static bool line_check(const TensorReader *r, const TensorLine *line,
                       const char *name, uint32_t columns, uint32_t rows)
{
    uint64_t room =
        r->gguf->file.size > r->data ? r->gguf->file.size - r->data : 0;
    uint64_t size = row_size(line->type, columns) * rows;
    if (line->columns != columns || line->rows != rows)
        return diag_fail(r->err, WEIR_FORMAT, 0, 0,
                         "found %s of %llu x %llu, expected %u x %u", name,
                         (unsigned long long)line->columns,
                         (unsigned long long)line->rows, columns, rows);
    if (!size || (line->type == TENSOR_Q8_0 && columns % Q8_BLOCK))
        return diag_fail(r->err, WEIR_UNSUPPORTED, 0, 0,
                         "found %s of type %u, expected F32, F16 or Q8_0", name,
                         line->type);
    if (line->offset > room || size > room - line->offset)
        return diag_fail(r->err, WEIR_FORMAT, 0, 0,
                         "%s lies beyond the end of the file", name);
    if ((r->data + line->offset) % 4)
        return diag_fail(r->err, WEIR_FORMAT, 0, 0, "%s is not aligned", name);
    return true;
}

/* The tensor of that name and shape; *out stays empty when it may be left out
 * and is. */
static bool tensor_find(const TensorReader *r, const char *name, bool may_lack,
                        uint32_t columns, uint32_t rows, Tensor *out)
{
    char full[64];
    TensorLine line;
    size_t pos = r->begin;
    snprintf(full, sizeof full, "%s.weight", name);
    for (uint64_t i = 0; i < r->count; i++) {
        if (!line_read(r->gguf->file, &pos, &line)) break;
        if (!span_equal(line.name, span_text(full))) continue;
        if (!line_check(r, &line, full, columns, rows)) return false;
        *out = (Tensor){r->gguf->file.at + r->data + line.offset,
                        (TensorType)line.type, columns, rows};
        return true;
    }
    return may_lack ||
           diag_fail(r->err, WEIR_FORMAT, 0, 0, "there is no %s", full);
}

static bool vector_find(const TensorReader *r, const char *name,
                        uint32_t columns, Tensor *out)
{
    if (!tensor_find(r, name, false, columns, 1, out)) return false;
    return out->type == TENSOR_F32 ||
           diag_fail(r->err, WEIR_UNSUPPORTED, 0, 0, "%s is not F32", name);
}

static bool layer_find(const TensorReader *r, const GgufModel *m, uint32_t i)
{
    ModelLayer *l = &m->layer[i];
    uint32_t d = m->width, q = m->heads * m->head_size,
             kv = m->kv_heads * m->head_size, h = m->hidden;
    const struct {
        const char *name;
        Tensor *tensor;
        uint32_t columns, rows;
    } parts[] = {
        {"attn_norm", &l->attn_norm, d, 1}, {"attn_q", &l->q, d, q},
        {"attn_k", &l->k, d, kv},           {"attn_v", &l->v, d, kv},
        {"attn_output", &l->output, q, d},  {"ffn_norm", &l->ffn_norm, d, 1},
        {"ffn_gate", &l->gate, d, h},       {"ffn_up", &l->up, d, h},
        {"ffn_down", &l->down, h, d}};
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        char name[48];
        snprintf(name, sizeof name, "blk.%u.%s", i, parts[p].name);
        bool ok = parts[p].rows == 1
                      ? vector_find(r, name, d, parts[p].tensor)
                      : tensor_find(r, name, false, parts[p].columns,
                                    parts[p].rows, parts[p].tensor);
        if (!ok) return false;
    }
    return true;
}

/* The runner would compute something else than a model with other tensors. */
static bool no_others(const TensorReader *r, const GgufModel *m)
{
    uint64_t known =
        9 * (uint64_t)m->layers + 2 + (m->head.data != m->embedding.data);
    return r->count == known ||
           diag_fail(r->err, WEIR_UNSUPPORTED, 0, 0,
                     "found %llu tensors, expected the %llu of a plain model",
                     (unsigned long long)r->count, (unsigned long long)known);
}

static bool tensors_find(GgufModel *m, const Gguf *gguf, weir_error *err)
{
    TensorReader r = {.gguf = gguf, .err = err};
    if (!list_open(&r)) return false;
    m->layer = mem_zero(m->mem, m->layers * sizeof *m->layer);
    if (!m->layer) return diag_no_memory(err);
    if (!tensor_find(&r, "token_embd", false, m->width, m->vocab,
                     &m->embedding) ||
        !vector_find(&r, "output_norm", m->width, &m->norm) ||
        !tensor_find(&r, "output", true, m->width, m->vocab, &m->head))
        return false;
    if (!m->head.data) m->head = m->embedding;
    for (uint32_t i = 0; i < m->layers; i++)
        if (!layer_find(&r, m, i)) return false;
    return no_others(&r, m);
}

/* ---- metadata ---- */

static uint32_t number_of(const Gguf *gguf, const char *key, uint32_t otherwise)
{
    uint32_t value = otherwise;
    gguf_u32(gguf, gguf_find(gguf, key), &value);
    return value;
}

static float real_of(const Gguf *gguf, const char *key, float otherwise)
{
    const GgufEntry *e = gguf_find(gguf, key);
    return e && e->type == GGUF_F32 ? (float)gguf_float_item(gguf, e, 0)
                                    : otherwise;
}

static bool shape_read(GgufModel *m, const Gguf *gguf, weir_error *err)
{
    const GgufEntry *tokens = gguf_find(gguf, "tokenizer.ggml.tokens");
    m->width = number_of(gguf, "llama.embedding_length", 0);
    m->layers = number_of(gguf, "llama.block_count", 0);
    m->heads = number_of(gguf, "llama.attention.head_count", 0);
    m->kv_heads = number_of(gguf, "llama.attention.head_count_kv", m->heads);
    m->hidden = number_of(gguf, "llama.feed_forward_length", 0);
    m->context = number_of(gguf, "llama.context_length", 0);
    m->vocab = tokens ? (uint32_t)MIN(tokens->count, UINT32_MAX) : 0;
    m->epsilon = real_of(gguf, "llama.attention.layer_norm_rms_epsilon", 1e-5F);
    m->rope_base = real_of(gguf, "llama.rope.freq_base", 10000);
    if (!m->width || !m->layers || !m->heads || !m->kv_heads || !m->hidden ||
        !m->vocab || m->width > MOST_SIZE || m->layers > MOST_LAYERS ||
        m->hidden > MOST_SIZE || m->vocab > MOST_SIZE || m->width % m->heads ||
        m->heads % m->kv_heads)
        return diag_fail(err, WEIR_FORMAT, 0, 0,
                         "the model's sizes do not fit together");
    m->head_size = m->width / m->heads;
    m->rope_size = number_of(gguf, "llama.rope.dimension_count", m->head_size);
    return (m->rope_size == m->head_size && m->head_size % 2 == 0) ||
           diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "found %u rotated dimensions of %u", m->rope_size,
                     m->head_size);
}

static bool architecture_check(const Gguf *gguf, weir_error *err)
{
    Span name = {NULL, 0}, scaling = {NULL, 0};
    gguf_string(gguf, gguf_find(gguf, "general.architecture"), &name);
    gguf_string(gguf, gguf_find(gguf, "llama.rope.scaling.type"), &scaling);
    if (!span_equal(name, SPAN("llama")))
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "found architecture '%s', expected llama",
                         diag_shown(name).text);
    return !scaling.size || span_equal(scaling, SPAN("none")) ||
           diag_fail(err, WEIR_UNSUPPORTED, 0, 0, "scaled rotation");
}

static bool texts_read(GgufModel *m, const Gguf *gguf, weir_error *err)
{
    Span text = {NULL, 0};
    m->begin = number_of(gguf, "tokenizer.ggml.bos_token_id", UINT32_MAX);
    if (m->begin >= m->vocab) m->begin = UINT32_MAX;
    m->adds_begin = m->begin != UINT32_MAX &&
                    gguf_bool(gguf, "tokenizer.ggml.add_bos_token", false);
    snprintf(m->name, sizeof m->name, "llama, %u layers of %u", m->layers,
             m->width);
    if (!gguf_string(gguf, gguf_find(gguf, "tokenizer.chat_template"), &text))
        return true;
    m->template_size = text.size + 1;
    m->chat_template = mem_zero(m->mem, m->template_size);
    if (!m->chat_template) return diag_no_memory(err);
    if (text.size) memcpy(m->chat_template, text.at, text.size);
    return true;
}

bool gguf_model_open(GgufModel *m, const Mem *mem, const char *path,
                     weir_bytes image, weir_error *err)
{
    Gguf gguf;
    *m = (GgufModel){.mem = mem};
    if (image.data ? !image_take(m, image, err) : !file_map(m, path, err))
        return false;
    bool ok = gguf_parse(&gguf, mem, m->file, err);
    if (ok) {
        ok = architecture_check(&gguf, err) && shape_read(m, &gguf, err) &&
             texts_read(m, &gguf, err) && tensors_find(m, &gguf, err);
        gguf_free(&gguf);
    }
    if (!ok) gguf_model_close(m);
    return ok;
}

void gguf_model_close(GgufModel *m)
{
    if (m->is_mapped) munmap((void *)(uintptr_t)m->file.at, m->file.size);
    mem_free(m->mem, m->chat_template, m->template_size);
    mem_free(m->mem, m->layer, m->layers * sizeof *m->layer);
    *m = (GgufModel){.mem = m->mem};
}
