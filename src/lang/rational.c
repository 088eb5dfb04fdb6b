/* rational.c: concatenation, repetition and reversal.
 *
 * In:    Dfas.   Out: minimal Dfas, by way of an Nfa.
 * A repetition {lo,hi} is a chain of hi copies that may be left after lo of
 * them, or lo copies and a loop. Cost: that of the subset construction; the
 * copies are charged before they are made.
 * Tests: unit/lang_test.c
 */
#include "lang/graph.h"
#include "lang/nfa.h"

const Dfa *lang_concat(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    Nfa nfa;
    if (!lang_ok(ctx) || !a->nstates || !b->nstates) return lang_none();
    if (lang_equal(a, lang_empty())) return b;
    if (lang_equal(b, lang_empty())) return a;
    nfa_init(&nfa, ctx);
    uint32_t middle = nfa_state(&nfa);
    nfa_dfa(&nfa, nfa.start, a, middle);
    nfa_dfa(&nfa, middle, b, nfa.accept);
    return nfa_finish(&nfa);
}

/* ---- repetition ---- */

/* One more copy after `from`; its end. */
static uint32_t chain(Nfa *nfa, uint32_t from, const Dfa *a)
{
    uint32_t to = nfa_state(nfa);
    nfa_dfa(nfa, from, a, to);
    return to;
}

static const Dfa *repeat_build(LangCtx *ctx, const Dfa *a, uint32_t lo,
                               uint32_t hi)
{
    Nfa nfa;
    nfa_init(&nfa, ctx);
    uint32_t at = nfa.start;
    for (uint32_t i = 0; i < lo && lang_ok(ctx); i++) at = chain(&nfa, at, a);
    if (hi == LANG_INF && lang_ok(ctx)) {
        uint32_t loop = nfa_state(&nfa);
        nfa_empty(&nfa, at, loop);
        nfa_dfa(&nfa, loop, a, loop);
        at = loop;
    } else {
        for (uint32_t i = lo; i < hi && lang_ok(ctx); i++) {
            nfa_empty(&nfa, at, nfa.accept);
            at = chain(&nfa, at, a);
        }
    }
    if (lang_ok(ctx)) nfa_empty(&nfa, at, nfa.accept);
    return nfa_finish(&nfa);
}

const Dfa *lang_repeat(LangCtx *ctx, const Dfa *a, uint32_t lo, uint32_t hi)
{
    if (!lang_ok(ctx) || lo > hi) return lang_none();
    if (!a->nstates) return lo ? lang_none() : lang_empty();
    if (!hi || lang_equal(a, lang_empty())) return lang_empty();
    if (lo == 1 && hi == 1) return a;
    uint64_t copies = hi == LANG_INF ? (uint64_t)lo + 1 : hi;
    if (!lang_room(ctx, copies * a->nstates)) return lang_none();
    return repeat_build(ctx, a, lo, hi);
}

/* ---- reversal ---- */

typedef struct Reversal {
    Nfa nfa;
    uint32_t base, from;
} Reversal;

static bool reverse_label(void *user, const RuneRange *ranges, uint32_t count,
                          uint32_t to)
{
    Reversal *r = user;
    nfa_label(&r->nfa, r->base + to, ranges, count, r->base + r->from);
    return lang_ok(r->nfa.ctx);
}

const Dfa *lang_reverse(LangCtx *ctx, const Dfa *a)
{
    Reversal r;
    if (!lang_ok(ctx) || !a->nstates) return lang_none();
    nfa_init(&r.nfa, ctx);
    r.base = r.nfa.state_edge.count;
    for (uint32_t s = 0; s < a->nstates && lang_ok(ctx); s++) nfa_state(&r.nfa);
    for (r.from = 0; r.from < a->nstates && lang_ok(ctx); r.from++) {
        graph_targets(ctx, a, r.from, reverse_label, &r);
        if (a->accepts[r.from]) nfa_empty(&r.nfa, r.nfa.start, r.base + r.from);
    }
    if (lang_ok(ctx)) nfa_empty(&r.nfa, r.base, r.nfa.accept);
    return nfa_finish(&r.nfa);
}
