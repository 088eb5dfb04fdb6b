/* lang.c: the context's budget, and the languages that need no operation.
 *
 * In:    a budget, ranges.   Out: minimal Dfas.
 * The four fixed languages are constants. Cost: linear, but for the sort.
 * Tests: unit/lang_test.c
 */
#include "lang/lang.h"

#include "base/utf8.h"
#include "lang/nfa.h"

/* A step here takes 5 to 7 ns; one of the limit's is meant to take about 2. */
enum { DEFAULT_STATES = 500000, DEFAULT_WORK = 2000000000 };

void lang_init(LangCtx *ctx, const Mem *mem, Arena *arena,
               const weir_limits *limits, weir_error *error)
{
    *ctx = (LangCtx){.mem = mem,
                     .arena = arena,
                     .error = error,
                     .max_states = DEFAULT_STATES,
                     .work = DEFAULT_WORK};
    if (limits && limits->max_states) ctx->max_states = limits->max_states;
    if (limits && limits->max_work) ctx->work = limits->max_work;
}

bool lang_spent(LangCtx *ctx)
{
    if (!lang_ok(ctx)) return false;
    ctx->work = 0;
    return diag_fail(ctx->error, WEIR_LIMIT_WORK, ctx->begin, ctx->end,
                     "found a language that takes more steps to build than "
                     "the limit max_work allows");
}

bool lang_full(LangCtx *ctx)
{
    if (!lang_ok(ctx)) return false;
    return diag_fail(ctx->error, WEIR_LIMIT_STATES, ctx->begin, ctx->end,
                     "found a language that needs a larger automaton, "
                     "expected at most %u states (limit max_states)",
                     ctx->max_states);
}

bool lang_no_memory(LangCtx *ctx)
{
    if (ctx->arena->hit_limit)
        return diag_fail(ctx->error, WEIR_LIMIT_MEMORY, ctx->begin, ctx->end,
                         "found automata that need more than the %zu bytes "
                         "allowed",
                         ctx->arena->limit);
    return diag_no_memory(ctx->error);
}

/* ---- constants ---- */

static const DfaEdge any_edges[] = {{0, 0xD7FF, 1}, {0xE000, RUNE_MAX, 1}};
static const DfaEdge all_edges[] = {{0, 0xD7FF, 0}, {0xE000, RUNE_MAX, 0}};

const Dfa *lang_none(void)
{
    static const uint32_t start[] = {0};
    static const Dfa none = {0, start, NULL, NULL};
    return &none;
}

const Dfa *lang_empty(void)
{
    static const uint32_t start[] = {0, 0};
    static const uint8_t accepts[] = {1};
    static const Dfa empty = {1, start, NULL, accepts};
    return &empty;
}

const Dfa *lang_any(void)
{
    static const uint32_t start[] = {0, 2, 2};
    static const uint8_t accepts[] = {0, 1};
    static const Dfa any = {2, start, any_edges, accepts};
    return &any;
}

const Dfa *lang_all(void)
{
    static const uint32_t start[] = {0, 2};
    static const uint8_t accepts[] = {1};
    static const Dfa all = {1, start, all_edges, accepts};
    return &all;
}

/* ---- classes and lengths ---- */

const Dfa *lang_class(LangCtx *ctx, const RuneRange *ranges, uint32_t count)
{
    RuneSet set = {0};
    Nfa nfa;
    if (!lang_charge(ctx, count)) return lang_none();
    nfa_init(&nfa, ctx);
    if (!runes_add_all(ctx->mem, &set, ranges, count)) lang_no_memory(ctx);
    runes_normalise(&set);
    nfa_label(&nfa, nfa.start, set.at, set.count, nfa.accept);
    vec_free(ctx->mem, &set);
    return nfa_finish(&nfa);
}

const Dfa *lang_length(LangCtx *ctx, uint32_t lo, uint32_t hi)
{
    return lang_repeat(ctx, lang_any(), lo, hi);
}
