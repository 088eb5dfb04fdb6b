/* grammar_late.c: what few ask of a grammar, made when they do: the hash of
 * its IR, and a schema's warnings.
 *
 * Warnings need the schema's document, which compiling has left behind: the
 * grammar keeps the text, and reads it again into an IR of its own. What is
 * made is stored once, under the grammar's lock; making it takes no lock, and
 * who comes second throws his away.
 * Tests: unit/grammar_late_test.c
 */
#include "api/grammar.h"
#include "api/objects.h"
#include "schema/schema.h"

bool grammar_keep_schema(weir_grammar *g, Span schema,
                         const weir_compile_opts *opts)
{
    uint8_t *text = mem_new(&g->mem, schema.size + 1);
    if (!text) return false;
    if (schema.size) memcpy(text, schema.at, schema.size);
    g->late.schema = span_of(text, schema.size);
    g->late.limits = opts->limits;
    g->late.opts = opts->schema;
    g->late.space = opts->space.kind;
    return true;
}

static bool take_warnings(GrammarLate *late, const Mem *mem, const Ir *from)
{
    for (uint32_t i = 0; i < from->warnings.count; i++) {
        Warning w = from->warnings.at[i];
        w.message.at = arena_copy(&late->arena, w.message.at, w.message.size);
        if (!w.message.at || !vec_push(mem, &late->warnings, w)) return false;
    }
    return true;
}

static void drop_warnings(GrammarLate *late, const Mem *mem)
{
    vec_free(mem, &late->warnings);
    arena_free(&late->arena);
}

static void read_again(weir_grammar *g)
{
    GrammarLate *late = &g->late;
    weir_space space = {.kind = late->space};
    Ir again;
    ir_init(&again, &g->mem, &late->limits);
    schema_compile_warned(&again, late->schema, &late->opts, &space);
    lock_take(&g->lock);
    if (!late->is_warned && ir_ok(&again))
        late->is_warned = take_warnings(late, &g->mem, &again);
    if (!late->is_warned) drop_warnings(late, &g->mem);
    lock_give(&g->lock);
    ir_free(&again);
}

static bool is_warned(weir_grammar *g)
{
    lock_take(&g->lock);
    bool is = g->late.is_warned;
    lock_give(&g->lock);
    return is;
}

Ir grammar_warned(weir_grammar *g)
{
    Ir ir = g->ir;
    if (!g->late.schema.at) return ir;
    if (!is_warned(g)) read_again(g);
    if (!is_warned(g)) return ir;
    ir.warnings.at = g->late.warnings.at;
    ir.warnings.count = g->late.warnings.count;
    return ir;
}

uint64_t grammar_hash(weir_grammar *g)
{
    lock_take(&g->lock);
    uint64_t hash = g->late.hash;
    lock_give(&g->lock);
    if (hash) return hash;
    hash = ir_hash(&g->ir);
    lock_take(&g->lock);
    g->late.hash = hash;
    lock_give(&g->lock);
    return hash;
}

size_t grammar_memory(weir_grammar *g)
{
    uint32_t frames, states;
    size_t network;
    network_count(&g->network, &frames, &states, &network);
    lock_take(&g->lock);
    size_t all = sizeof *g + sizeof *g->hub + ir_memory(&g->ir) + network +
                 g->named_arena.total + g->late.arena.total +
                 g->late.schema.size + stackhub_bytes(&g->hub->stacks) +
                 maskmemo_bytes(&g->hub->memo);
    lock_give(&g->lock);
    if (g->vocab) all += walkcache_bytes(&g->walks);
    return all;
}

void late_free(weir_grammar *g)
{
    GrammarLate *late = &g->late;
    mem_free(&g->mem, (void *)late->schema.at, late->schema.size + 1);
    drop_warnings(late, &g->mem);
}
