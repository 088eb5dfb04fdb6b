/* nfa.c: putting nondeterministic automata together.
 *
 * In:    states, edges, whole Dfas.   Out: an Nfa, and its Dfa by the subset
 *        construction, or by the guarded one where there are assertions.
 * Cost:  linear; every state and edge is charged.
 * Tests: unit/lang_test.c
 */
#include "lang/nfa.h"

#include "lang/graph.h"

void nfa_init(Nfa *nfa, LangCtx *ctx)
{
    *nfa = (Nfa){.ctx = ctx};
    alphabet_init(&nfa->alphabet, ctx);
    nfa->start = nfa_state(nfa);
    nfa->accept = nfa_state(nfa);
}

void nfa_free(Nfa *nfa)
{
    const Mem *mem = nfa->ctx->mem;
    alphabet_free(&nfa->alphabet);
    vec_free(mem, &nfa->state_edge);
    vec_free(mem, &nfa->state_chain);
    vec_free(mem, &nfa->edges);
    vec_free(mem, &nfa->assertions);
}

uint32_t nfa_state(Nfa *nfa)
{
    LangCtx *ctx = nfa->ctx;
    if (!lang_room(ctx, (uint64_t)nfa->state_edge.count + 1) ||
        !lang_charge(ctx, 4))
        return 0;
    if (!vec_push(ctx->mem, &nfa->state_chain, 0) ||
        !vec_push(ctx->mem, &nfa->state_edge, NFA_NONE))
        return lang_no_memory(ctx), 0;
    return nfa->state_edge.count - 1;
}

void nfa_rank(Nfa *nfa, uint32_t state, uint32_t chain)
{
    if (!lang_ok(nfa->ctx) || nfa->state_chain.at[state]) return;
    nfa->state_chain.at[state] = chain;
}

void nfa_edge(Nfa *nfa, uint32_t from, NfaEdgeKind kind, uint32_t arg,
              uint32_t to)
{
    LangCtx *ctx = nfa->ctx;
    if (!lang_room(ctx, nfa->edges.count / 8) || !lang_charge(ctx, 4)) return;
    NfaEdge e = {kind, arg, to, nfa->state_edge.at[from]};
    if (!vec_push(ctx->mem, &nfa->edges, e)) {
        lang_no_memory(ctx);
        return;
    }
    nfa->state_edge.at[from] = nfa->edges.count - 1;
    if (kind != NFA_EMPTY && kind != NFA_LABEL) nfa->is_guarded = true;
}

void nfa_label(Nfa *nfa, uint32_t from, const RuneRange *ranges, uint32_t count,
               uint32_t to)
{
    if (!count || !lang_ok(nfa->ctx)) return;
    uint32_t label = alphabet_label(&nfa->alphabet, ranges, count);
    nfa_edge(nfa, from, NFA_LABEL, label, to);
}

void nfa_empty(Nfa *nfa, uint32_t from, uint32_t to)
{
    if (from != to) nfa_edge(nfa, from, NFA_EMPTY, 0, to);
}

uint32_t nfa_assertion(Nfa *nfa, uint32_t start, uint32_t accept,
                       bool is_behind)
{
    NfaAssertion a = {start, accept, is_behind};
    if (!lang_ok(nfa->ctx)) return 0;
    if (!vec_push(nfa->ctx->mem, &nfa->assertions, a)) lang_no_memory(nfa->ctx);
    return nfa->assertions.count - 1;
}

typedef struct Copy {
    Nfa *nfa;
    uint32_t base, from; /* base: copy of state 0 */
} Copy;

static bool copy_label(void *user, const RuneRange *ranges, uint32_t count,
                       uint32_t to)
{
    Copy *c = user;
    nfa_label(c->nfa, c->from, ranges, count, c->base + to);
    return lang_ok(c->nfa->ctx);
}

void nfa_dfa(Nfa *nfa, uint32_t from, const Dfa *dfa, uint32_t to)
{
    LangCtx *ctx = nfa->ctx;
    Copy copy = {nfa, nfa->state_edge.count, 0};
    if (!dfa->nstates) return;
    for (uint32_t s = 0; s < dfa->nstates && lang_ok(ctx); s++) nfa_state(nfa);
    for (uint32_t s = 0; s < dfa->nstates && lang_ok(ctx); s++) {
        copy.from = copy.base + s;
        graph_targets(ctx, dfa, s, copy_label, &copy);
        if (dfa->accepts[s]) nfa_empty(nfa, copy.from, to);
    }
    if (lang_ok(ctx)) nfa_empty(nfa, from, copy.base);
}

enum { ENDS = 2 }; /* EMPTY edges lead to `accept` */

/* One pass of the search for states that may end; whether it found more. */
static bool find_ends(const Nfa *nfa, uint8_t *marks)
{
    bool changed = false;
    for (uint32_t s = nfa->state_edge.count; s-- > 0;)
        for (uint32_t e = nfa->state_edge.at[s]; e != NFA_NONE;
             e = nfa->edges.at[e].next)
            if (!marks[s] && nfa->edges.at[e].kind == NFA_EMPTY &&
                marks[nfa->edges.at[e].to])
                marks[s] = ENDS, changed = true;
    return changed;
}

static bool loops_on_any(const Nfa *nfa, uint32_t state)
{
    for (uint32_t e = nfa->state_edge.at[state]; e != NFA_NONE;
         e = nfa->edges.at[e].next) {
        NfaEdge edge = nfa->edges.at[e];
        if (edge.kind == NFA_LABEL && edge.to == state &&
            alphabet_is_any(&nfa->alphabet, edge.arg))
            return true;
    }
    return false;
}

bool nfa_find_universal(const Nfa *nfa, uint8_t *universal)
{
    enum { PASSES = 8 }; /* states mostly lead to later ones, or wait here */
    uint8_t *marks = universal;
    bool changed = true;
    marks[nfa->accept] = ENDS;
    for (int i = 0; changed && i < PASSES; i++) {
        changed = find_ends(nfa, marks);
        if (!lang_charge(nfa->ctx, nfa->edges.count + 1)) return false;
    }
    for (uint32_t s = 0; s < nfa->state_edge.count; s++)
        universal[s] = marks[s] == ENDS && loops_on_any(nfa, s);
    return true;
}

const Dfa *nfa_finish(Nfa *nfa)
{
    const Dfa *out = lang_none();
    if (lang_ok(nfa->ctx))
        out = nfa->is_guarded ? nfa_determinize_guarded(nfa)
                              : nfa_determinize(nfa);
    nfa_free(nfa);
    return lang_ok(nfa->ctx) ? out : lang_none();
}
