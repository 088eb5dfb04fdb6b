/* engine_builtin.c: a small runner for models of llama's architecture, in plain
 * C: nothing needs to be installed.
 *
 * A batch is a matrix of a row for each token; each weight's row is unpacked
 * once and multiplied with all tokens. What is computed for a token takes in
 * that token and the cache of its sequence alone, in a fixed order: so its
 * logits are the same, bit for bit, whatever else is in the batch.
 *
 * The cache is cells, one a token: keys and values of all layers in 32 bits.
 * A sequence is a list of cells; copies share them, and count who does.
 * Tests: tests/engine/engine_builtin_test.c, against libllama.
 */
#include <math.h>

#include "base/vec.h"
#include "engine/engine_kind.h"
#include "engine/tensor.h"

enum { DEFAULT_CONTEXT = 4096, NO_CELL = -1 };

typedef VEC(uint32_t) CellList;

typedef struct Builtin {
    const Mem *mem;
    GgufModel model;
    uint32_t cells, sequences, batch;
    float *keys, *values; /* by cell, by layer: kv_heads * head_size */
    uint32_t *users;      /* by cell: sequences that have it */
    uint32_t free_from;   /* no cell below it is free */
    CellList *lists;      /* by sequence: its cells by position */
    float *x, *y, *q, *hidden, *gate; /* by token */
    float *scores;                    /* of one head */
    TensorRoom room;
    float *logits; /* by logits wanted */
    size_t logits_size;
} Builtin;

/* A token of the batch. */
typedef struct Place {
    uint32_t id, position, cell;
    const uint32_t *cells; /* of its sequence, [0, position] */
} Place;

/* ---- arithmetic ---- */

static void multiply(Builtin *b, const Tensor *t, const float *in, float *out,
                     size_t count)
{
    tensor_multiply(t, in, out, count, &b->room);
}

static void normalise(const Builtin *b, const Tensor *weight, const float *in,
                      float *out, size_t count)
{
    uint32_t n = b->model.width;
    const float *w = (const float *)(const void *)weight->data;
    for (size_t i = 0; i < count; i++, in += n, out += n) {
        double sum = 0;
        for (uint32_t k = 0; k < n; k++) sum += (double)(in[k] * in[k]);
        float scale = 1 / sqrtf((float)(sum / n) + b->model.epsilon);
        for (uint32_t k = 0; k < n; k++) out[k] = in[k] * scale * w[k];
    }
}

static void add(float *to, const float *what, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += what[i];
}

/* Rotates pairs of neighbours by position * base^(-i/n), i even; the angles are
 * rounded as llama.cpp's are. */
static void rotate(const GgufModel *m, float *at, uint32_t heads,
                   uint32_t position)
{
    uint32_t n = m->head_size;
    float angle = (float)position;
    float factor = powf(m->rope_base, -2.0F / (float)n);
    for (uint32_t i = 0; i < n; i += 2) {
        float c = cosf(angle), s = sinf(angle);
        angle *= factor;
        for (uint32_t h = 0; h < heads; h++) {
            float *pair = at + h * n + i, first = pair[0];
            pair[0] = first * c - pair[1] * s;
            pair[1] = first * s + pair[1] * c;
        }
    }
}

/* ---- one layer ---- */

static size_t kv_size(const GgufModel *m)
{
    return (size_t)m->kv_heads * m->head_size;
}

static float *cached(const Builtin *b, float *cache, uint32_t cell,
                     uint32_t layer)
{
    size_t at = (size_t)cell * b->model.layers + layer;
    return cache + at * kv_size(&b->model);
}

/* One head of one token: softmax of its scores, and the sum of values. */
static void attend(const Builtin *b, const Place *p, uint32_t layer,
                   uint32_t head, const float *q, float *out)
{
    const GgufModel *m = &b->model;
    uint32_t n = m->head_size, past = p->position + 1;
    size_t at = (size_t)(head / (m->heads / m->kv_heads)) * n;
    float most = -INFINITY, sum = 0, scale = 1 / sqrtf((float)n);
    for (uint32_t i = 0; i < past; i++) {
        const float *key = cached(b, b->keys, p->cells[i], layer) + at;
        b->scores[i] = tensor_dot(q, key, n) * scale;
        most = fmaxf(most, b->scores[i]);
    }
    memset(out, 0, n * sizeof *out);
    for (uint32_t i = 0; i < past; i++) {
        const float *value = cached(b, b->values, p->cells[i], layer) + at;
        float weight = expf(b->scores[i] - most);
        sum += weight;
        for (uint32_t k = 0; k < n; k++) out[k] += weight * value[k];
    }
    for (uint32_t k = 0; k < n; k++) out[k] /= sum;
}

/* x += output(attention(normalise(x))) */
static void attention(Builtin *b, uint32_t layer, const Place *places,
                      size_t count)
{
    const GgufModel *m = &b->model;
    const ModelLayer *l = &m->layer[layer];
    size_t kv = kv_size(m), d = m->width;
    normalise(b, &l->attn_norm, b->x, b->y, count);
    multiply(b, &l->k, b->y, b->hidden, count);
    multiply(b, &l->v, b->y, b->gate, count);
    for (size_t i = 0; i < count; i++) {
        const Place *p = &places[i];
        float *key = cached(b, b->keys, p->cell, layer);
        memcpy(key, b->hidden + i * kv, kv * sizeof *key);
        memcpy(cached(b, b->values, p->cell, layer), b->gate + i * kv,
               kv * sizeof *key);
        rotate(m, key, m->kv_heads, p->position);
    }
    multiply(b, &l->q, b->y, b->q, count);
    for (size_t i = 0; i < count; i++) {
        rotate(m, b->q + i * d, m->heads, places[i].position);
        for (uint32_t h = 0; h < m->heads; h++) {
            size_t at = i * d + (size_t)h * m->head_size;
            attend(b, &places[i], layer, h, b->q + at, b->y + at);
        }
    }
    multiply(b, &l->output, b->y, b->q, count);
    add(b->x, b->q, count * d);
}

/* x += down(silu(gate(y)) * up(y)), y = normalise(x) */
static void feed(Builtin *b, const ModelLayer *l, size_t count)
{
    size_t n = count * b->model.hidden;
    normalise(b, &l->ffn_norm, b->x, b->y, count);
    multiply(b, &l->gate, b->y, b->gate, count);
    multiply(b, &l->up, b->y, b->hidden, count);
    for (size_t i = 0; i < n; i++)
        b->hidden[i] *= b->gate[i] / (1 + expf(-b->gate[i]));
    multiply(b, &l->down, b->hidden, b->q, count);
    add(b->x, b->q, count * b->model.width);
}

/* ---- cells ---- */

static bool cell_add(Builtin *b, uint32_t sequence)
{
    while (b->free_from < b->cells && b->users[b->free_from]) b->free_from++;
    if (b->free_from == b->cells) return false;
    if (!vec_push(b->mem, &b->lists[sequence], b->free_from)) return false;
    b->users[b->free_from]++;
    return true;
}

static bool builtin_remove(void *self, uint32_t sequence, uint32_t keep)
{
    Builtin *b = self;
    CellList *list = &b->lists[sequence];
    while (list->count > keep) {
        uint32_t cell = list->at[--list->count];
        if (!--b->users[cell]) b->free_from = MIN(b->free_from, cell);
    }
    return true;
}

static bool builtin_copy(void *self, uint32_t from, uint32_t to)
{
    Builtin *b = self;
    const CellList *source = &b->lists[from];
    if (!vec_reserve(b->mem, &b->lists[to], source->count)) return false;
    for (uint32_t i = 0; i < source->count; i++) {
        b->lists[to].at[i] = source->at[i];
        b->users[source->at[i]]++;
    }
    b->lists[to].count = source->count;
    return true;
}

/* ---- decoding ---- */

static bool logits_reserve(Builtin *b, const EngineRow *rows, size_t count)
{
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++) wanted += rows[i].logits;
    size_t size = wanted * b->model.vocab * sizeof *b->logits;
    if (size <= b->logits_size) return true;
    mem_free(b->mem, b->logits, b->logits_size);
    b->logits = mem_new(b->mem, size);
    b->logits_size = b->logits ? size : 0;
    return b->logits != NULL;
}

static weir_status rows_place(Builtin *b, const EngineRow *rows, size_t count,
                              weir_error *err)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            if (!cell_add(b, rows[i].sequence)) {
                diag_fail(err, WEIR_LIMIT_MEMORY, 0, 0,
                          "no room for more tokens in a context of %u",
                          b->cells);
                return err->status;
            }
    return WEIR_OK;
}

/* The last norm and the logits, for the tokens that they are wanted of. */
static void finish(Builtin *b, const EngineRow *rows, size_t count)
{
    size_t token = 0, wanted = 0, d = b->model.width;
    for (size_t i = 0; i < count; i++) {
        token += rows[i].count - rows[i].logits;
        for (uint32_t k = 0; k < rows[i].logits; k++, token++, wanted++)
            normalise(b, &b->model.norm, b->x + token * d, b->y + wanted * d,
                      1);
    }
    multiply(b, &b->model.head, b->y, b->logits, wanted);
}

static weir_status builtin_decode(void *self, const EngineRow *rows,
                                  size_t count, weir_error *err)
{
    Builtin *b = self;
    size_t d = b->model.width, ntokens = 0;
    if (!logits_reserve(b, rows, count))
        return diag_no_memory(err), WEIR_NO_MEMORY;
    if (rows_place(b, rows, count, err)) return err->status;
    Place *places = mem_new(b->mem, b->batch * sizeof *places);
    if (!places) return diag_no_memory(err), WEIR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++) {
            const CellList *list = &b->lists[rows[i].sequence];
            uint32_t position = rows[i].position + k;
            places[ntokens++] = (Place){rows[i].tokens[k], position,
                                        list->at[position], list->at};
        }
    for (size_t i = 0; i < ntokens; i++)
        memcpy(b->x + i * d,
               tensor_row(&b->model.embedding, places[i].id, b->room.row),
               d * sizeof *b->x);
    for (uint32_t l = 0; l < b->model.layers; l++) {
        attention(b, l, places, ntokens);
        feed(b, &b->model.layer[l], ntokens);
    }
    finish(b, rows, count);
    mem_free(b->mem, places, b->batch * sizeof *places);
    return WEIR_OK;
}

static const float *builtin_logits(const void *self, uint32_t index)
{
    const Builtin *b = self;
    return b->logits + (size_t)index * b->model.vocab;
}

/* ---- loading ---- */

static void builtin_free(void *self)
{
    Builtin *b = self;
    const GgufModel *m = &b->model;
    size_t d = m->width, n = b->batch, wide = MAX(m->hidden, kv_size(m));
    size_t cache = b->cells * m->layers * kv_size(m);
    for (uint32_t i = 0; i < b->sequences && b->lists; i++)
        vec_free(b->mem, &b->lists[i]);
    mem_free(b->mem, b->lists, b->sequences * sizeof *b->lists);
    mem_free(b->mem, b->users, b->cells * sizeof *b->users);
    mem_free(b->mem, b->keys, cache * sizeof(float));
    mem_free(b->mem, b->values, cache * sizeof(float));
    mem_free(b->mem, b->x, n * d * sizeof(float));
    mem_free(b->mem, b->y, n * d * sizeof(float));
    mem_free(b->mem, b->q, n * d * sizeof(float));
    mem_free(b->mem, b->hidden, n * wide * sizeof(float));
    mem_free(b->mem, b->gate, n * wide * sizeof(float));
    mem_free(b->mem, b->scores, b->cells * sizeof(float));
    tensor_room_free(b->mem, &b->room);
    mem_free(b->mem, b->logits, b->logits_size);
    gguf_model_close(&b->model);
    mem_free(b->mem, b, sizeof *b);
}

static float *floats_new(const Builtin *b, size_t count, size_t each)
{
    size_t size = size_mul(size_mul(count, each), sizeof(float));
    return size == SIZE_MAX ? NULL : mem_new(b->mem, size);
}

static bool room_new(Builtin *b, weir_error *err)
{
    const GgufModel *m = &b->model;
    size_t d = m->width, n = b->batch, wide = MAX(m->hidden, kv_size(m));
    size_t each = size_mul(m->layers, kv_size(m));
    b->lists = mem_zero(b->mem, b->sequences * sizeof *b->lists);
    b->users = mem_zero(b->mem, b->cells * sizeof *b->users);
    b->keys = floats_new(b, b->cells, each);
    b->values = floats_new(b, b->cells, each);
    b->x = floats_new(b, n, d);
    b->y = floats_new(b, n, d);
    b->q = floats_new(b, n, d);
    b->hidden = floats_new(b, n, wide);
    b->gate = floats_new(b, n, wide);
    b->scores = floats_new(b, b->cells, 1);
    bool has_room = tensor_room_new(b->mem, &b->room, n, MAX(d, wide));
    return (has_room && b->lists && b->users && b->keys && b->values && b->x &&
            b->y && b->q && b->hidden && b->gate && b->scores) ||
           diag_no_memory(err);
}

static void *builtin_load(const Mem *mem, const EngineOpts *opts,
                          EngineInfo *info, weir_error *err)
{
    Builtin *b = NULL;
    if (opts->rpc)
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                  "RPC servers compute for libllama only");
    else if (!(b = mem_zero(mem, sizeof *b)))
        diag_no_memory(err);
    if (!b) return NULL;
    b->mem = mem;
    b->model.mem = mem;
    bool ok = gguf_model_open(&b->model, mem, opts->model, opts->image, err);
    const GgufModel *m = &b->model;
    uint32_t trained = m->context ? m->context : DEFAULT_CONTEXT;
    b->cells = opts->context ? opts->context : MIN(trained, DEFAULT_CONTEXT);
    b->sequences = opts->sequences;
    b->batch = MIN(opts->batch, b->cells);
    if (!ok || !room_new(b, err)) {
        builtin_free(b);
        return NULL;
    }
    *info = (EngineInfo){.width = m->vocab,
                         .context = b->cells,
                         .trained = m->context,
                         .batch = b->batch,
                         .sequences = b->sequences,
                         .begin = m->begin,
                         .adds_begin = m->adds_begin,
                         .name = m->name,
                         .library = "weir's own runner",
                         .chat_template = m->chat_template};
    return b;
}

const EngineKind engine_builtin = {.name = "builtin",
                                   .load = builtin_load,
                                   .free = builtin_free,
                                   .decode = builtin_decode,
                                   .logits = builtin_logits,
                                   .copy = builtin_copy,
                                   .remove = builtin_remove};
