/* engine.c: what all engines have in common: checks, lengths of sequences, the
 * vocabulary, and which logits belong to which row.
 *
 * Holds: lengths are those of the kind's sequences; after a failed decode they
 *        are cut back to them.
 * Tests: tests/engine/engine_test.c, with a kind that records its calls;
 *        tests/engine/engine_llama_test.c.
 */
#include "engine/engine.h"

#include "base/vec.h"
#include "engine/engine_kind.h"

enum { DEFAULT_BATCH = 512, MOST_SEQUENCES = 1 << 16 };

struct Engine {
    Mem mem;
    const EngineKind *kind;
    void *self;
    EngineInfo info;
    weir_vocab *vocab;
    uint32_t *lengths; /* by sequence */
    uint32_t *marks;   /* by sequence: number of the decode that it was in */
    uint32_t decodes;
    VEC(uint32_t) first; /* by row: its first logits; one more: their number */
};

static const EngineKind *const kinds[] = {&engine_llama, &engine_builtin};

/* ---- loading ---- */

static const EngineKind *kind_find(const char *name, weir_error *err)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!name || !strcmp(name, kinds[i]->name)) return kinds[i];
    *err = (weir_error){.status = WEIR_OK};
    diag_fail(err, WEIR_ARGUMENT, 0, 0,
              "found engine '%s', expected llama or builtin",
              diag_shown(span_text(name)).text);
    return NULL;
}

static bool sequences_new(Engine *e, weir_error *err)
{
    size_t size = e->info.sequences * sizeof *e->lengths;
    e->lengths = mem_zero(&e->mem, size);
    e->marks = mem_zero(&e->mem, size);
    return e->lengths && e->marks ? true : diag_no_memory(err);
}

static bool vocab_open(Engine *e, const EngineOpts *opts, weir_error *err)
{
    weir_vocab_opts v = {.size = sizeof v,
                         .width = e->info.width,
                         .llama_cpp_stops = true,
                         .dialect = opts->dialect};
    e->vocab = opts->image.data
                   ? weir_vocab_load(opts->env, opts->image, &v, err)
                   : weir_vocab_load_file(opts->env, opts->model, &v, err);
    return e->vocab != NULL;
}

static bool engine_open(Engine *e, const EngineKind *kind,
                        const EngineOpts *given, weir_error *err)
{
    EngineOpts opts = *given;
    if (!opts.batch) opts.batch = DEFAULT_BATCH;
    if (!opts.sequences) opts.sequences = 1;
    if (!opts.model && !opts.image.data)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "no model is named");
    if (opts.sequences > MOST_SEQUENCES)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %u sequences, expected at most %d",
                         opts.sequences, MOST_SEQUENCES);
    e->kind = kind;
    e->self = e->kind->load(&e->mem, &opts, &e->info, err);
    e->info.kind = e->kind->name;
    return e->self && sequences_new(e, err) && vocab_open(e, &opts, err);
}

Engine *engine_load(const EngineOpts *opts, weir_error *err)
{
    const EngineKind *kind = kind_find(opts->kind, err);
    return kind ? engine_load_kind(kind, opts, err) : NULL;
}

Engine *engine_load_kind(const EngineKind *kind, const EngineOpts *opts,
                         weir_error *err)
{
    *err = (weir_error){.status = WEIR_OK};
    Mem mem = mem_from_env(opts->env);
    Engine *e = mem_zero(&mem, sizeof *e);
    if (!e) {
        diag_no_memory(err);
        return NULL;
    }
    e->mem = mem;
    if (engine_open(e, kind, opts, err)) return e;
    engine_free(e);
    return NULL;
}

void engine_free(Engine *e)
{
    if (!e) return;
    Mem mem = e->mem;
    size_t size = e->info.sequences * sizeof *e->lengths;
    weir_vocab_free(e->vocab);
    if (e->self) e->kind->free(e->self);
    mem_free(&mem, e->lengths, size);
    mem_free(&mem, e->marks, size);
    vec_free(&mem, &e->first);
    mem_free(&mem, e, sizeof *e);
}

weir_vocab *engine_vocab(const Engine *e)
{
    return e->vocab;
}

const EngineInfo *engine_info(const Engine *e)
{
    return &e->info;
}

/* ---- decoding ---- */

static bool row_check(Engine *e, const EngineRow *row, weir_error *err)
{
    uint32_t s = row->sequence;
    if (s >= e->info.sequences)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found sequence %u, expected less than %u", s,
                         e->info.sequences);
    if (e->marks[s] == e->decodes)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "sequence %u is in two rows",
                         s);
    if (row->position != e->lengths[s])
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found position %u, expected %u in sequence %u",
                         row->position, e->lengths[s], s);
    if (!row->count || row->logits > row->count)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %u logits of %u tokens", row->logits,
                         row->count);
    for (uint32_t i = 0; i < row->count; i++)
        if (row->tokens[i] >= e->info.width)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found token %u, expected less than %u",
                             row->tokens[i], e->info.width);
    e->marks[s] = e->decodes;
    return true;
}

static bool rows_check(Engine *e, const EngineRow *rows, size_t count,
                       weir_error *err)
{
    uint64_t ntokens = 0;
    e->decodes++;
    for (size_t i = 0; i < count; i++) {
        if (!row_check(e, &rows[i], err)) return false;
        ntokens += rows[i].count;
        if (ntokens > e->info.batch)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found more than %u tokens in a batch",
                             e->info.batch);
    }
    return true;
}

/* Which logits are whose. */
static bool rows_number(Engine *e, const EngineRow *rows, size_t count,
                        weir_error *err)
{
    uint32_t next = 0;
    e->first.count = 0;
    if (!vec_reserve(&e->mem, &e->first, count + 1)) return diag_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        e->first.at[i] = next;
        next += rows[i].logits;
    }
    e->first.at[count] = next;
    e->first.count = (uint32_t)count + 1;
    return true;
}

/* What a failed decode has added goes; if that is not possible, the whole
 * sequence does, and its length says so. */
static void rows_undo(Engine *e, const EngineRow *rows, size_t count)
{
    e->first.count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t s = rows[i].sequence;
        if (e->kind->remove(e->self, s, e->lengths[s])) continue;
        e->kind->remove(e->self, s, 0);
        e->lengths[s] = 0;
    }
}

weir_status engine_decode(Engine *e, const EngineRow *rows, size_t count,
                          weir_error *err)
{
    weir_error own;
    if (!err) err = &own;
    *err = (weir_error){.status = WEIR_OK};
    if (!rows_check(e, rows, count, err) || !rows_number(e, rows, count, err)) {
        e->first.count = 0;
        return err->status;
    }
    if (!count) return WEIR_OK;
    weir_status status = e->kind->decode(e->self, rows, count, err);
    if (status) {
        rows_undo(e, rows, count);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        e->lengths[rows[i].sequence] += rows[i].count;
    return WEIR_OK;
}

const float *engine_logits(const Engine *e, size_t row, uint32_t i)
{
    if (e->first.count < 2 || row >= e->first.count - 1) return NULL;
    uint32_t begin = e->first.at[row], end = e->first.at[row + 1];
    return i < end - begin ? e->kind->logits(e->self, begin + i) : NULL;
}

/* ---- sequences ---- */

uint32_t engine_length(const Engine *e, uint32_t sequence)
{
    return sequence < e->info.sequences ? e->lengths[sequence] : 0;
}

static bool part_check(const Engine *e, uint32_t sequence, uint32_t count,
                       weir_error *err)
{
    *err = (weir_error){.status = WEIR_OK};
    if (sequence < e->info.sequences && count <= e->lengths[sequence])
        return true;
    return diag_fail(err, WEIR_ARGUMENT, 0, 0, "sequence %u has no %u tokens",
                     sequence, count);
}

weir_status engine_remove(Engine *e, uint32_t sequence, uint32_t keep,
                          weir_error *err)
{
    weir_error own;
    if (!err) err = &own;
    if (!part_check(e, sequence, keep, err)) return err->status;
    if (keep == e->lengths[sequence]) return WEIR_OK;
    if (!e->kind->remove(e->self, sequence, keep)) {
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                  "the model cannot take back a part of a sequence");
        return err->status;
    }
    e->lengths[sequence] = keep;
    return WEIR_OK;
}

weir_status engine_copy(Engine *e, uint32_t from, uint32_t to, uint32_t count,
                        weir_error *err)
{
    weir_error own;
    if (!err) err = &own;
    if (!part_check(e, from, count, err) || !part_check(e, to, 0, err))
        return err->status;
    if (from == to) return engine_remove(e, to, count, err);
    engine_remove(e, to, 0, err);
    if (!count) return WEIR_OK;
    if (!e->kind->copy(e->self, from, to))
        return diag_no_memory(err), err->status;
    e->lengths[to] = e->lengths[from];
    weir_status status = engine_remove(e, to, count, err);
    if (status) engine_remove(e, to, 0, NULL);
    return status;
}
