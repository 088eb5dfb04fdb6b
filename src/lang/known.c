/* known.c: results of operations by their operands.
 *
 * Cost:  a look-up; for a new result a hash of it.
 * Tests: unit/lang_test.c
 */
#include "lang/known.h"

void known_init(LangKnown *known, LangCtx *ctx)
{
    *known = (LangKnown){.ctx = ctx};
}

void known_free(LangKnown *known)
{
    if (!known->ctx) return;
    const Mem *mem = known->ctx->mem;
    vec_free(mem, &known->results);
    vec_free(mem, &known->calls);
    map_free(mem, &known->result_index);
    map_free(mem, &known->call_index);
}

const Dfa *known_keep(LangKnown *known, const Dfa *a)
{
    const Mem *mem = known->ctx->mem;
    if (!lang_ok(known->ctx)) return lang_none();
    uint64_t h = lang_hash(a);
    for (MapPos p = map_first(&known->result_index, h); p.value != MAP_NONE;
         p = map_next(&known->result_index, h, p))
        if (lang_equal(known->results.at[p.value], a))
            return known->results.at[p.value];
    if (!vec_push(mem, &known->results, a) ||
        !map_add(mem, &known->result_index, h, known->results.count - 1))
        lang_no_memory(known->ctx);
    return a;
}

static const Dfa *call_make(LangCtx *ctx, const KnownCall *call)
{
    switch (call->kind) {
    case KNOWN_INTERSECT:
        return lang_intersect(ctx, call->a, call->b);
    case KNOWN_SUBTRACT:
        return lang_subtract(ctx, call->a, call->b);
    case KNOWN_UNITE:
        break;
    }
    return lang_unite(ctx, call->a, call->b);
}

static const Dfa *call(LangKnown *known, KnownCall call)
{
    const Mem *mem = known->ctx->mem;
    uint64_t h = hash_mix(call.kind, (uint64_t)(uintptr_t)call.a);
    h = hash_mix(h, (uint64_t)(uintptr_t)call.b);
    for (MapPos p = map_first(&known->call_index, h); p.value != MAP_NONE;
         p = map_next(&known->call_index, h, p)) {
        const KnownCall *done = &known->calls.at[p.value];
        if (done->kind == call.kind && done->a == call.a && done->b == call.b)
            return done->result;
    }
    call.result = known_keep(known, call_make(known->ctx, &call));
    if (!lang_ok(known->ctx)) return lang_none();
    if (!vec_push(mem, &known->calls, call) ||
        !map_add(mem, &known->call_index, h, known->calls.count - 1))
        lang_no_memory(known->ctx);
    return call.result;
}

const Dfa *known_intersect(LangKnown *known, const Dfa *a, const Dfa *b)
{
    bool is_sorted = (uintptr_t)a <= (uintptr_t)b;
    return call(known, (KnownCall){.kind = KNOWN_INTERSECT,
                                   .a = is_sorted ? a : b,
                                   .b = is_sorted ? b : a});
}

const Dfa *known_subtract(LangKnown *known, const Dfa *a, const Dfa *b)
{
    return call(known, (KnownCall){.kind = KNOWN_SUBTRACT, .a = a, .b = b});
}

const Dfa *known_unite(LangKnown *known, const Dfa *a, const Dfa *b)
{
    bool is_sorted = (uintptr_t)a <= (uintptr_t)b;
    return call(known, (KnownCall){.kind = KNOWN_UNITE,
                                   .a = is_sorted ? a : b,
                                   .b = is_sorted ? b : a});
}
