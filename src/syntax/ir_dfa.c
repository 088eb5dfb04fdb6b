/* ir_dfa.c: automata, and bounds on their texts, as values: equality, hash,
 * order, copies. What is needed of a bound follows from the rest.
 * Cost: linear in the edges.   Tests: unit/ir_test.c.
 */
#include "syntax/ir_dfa.h"

static uint32_t dfa_nedges(const Dfa *dfa)
{
    return dfa->edge_start[dfa->nstates];
}

/* ---- automata ---- */

bool dfa_same(const Dfa *x, const Dfa *y)
{
    return x->nstates == y->nstates && !dfa_order(x, y);
}

uint64_t dfa_hash(const Dfa *dfa)
{
    uint64_t h = hash_bytes(dfa->nstates, dfa->edge_start,
                            (dfa->nstates + 1) * sizeof(uint32_t));
    h = hash_bytes(h, dfa->accepts, dfa->nstates);
    return hash_bytes(h, dfa->edges, dfa_nedges(dfa) * sizeof(DfaEdge));
}

static int order_u32(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

static int order_words(const uint32_t *x, const uint32_t *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int order_edges(const DfaEdge *p, const DfaEdge *q, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a[] = {p[i].lo, p[i].hi, p[i].to};
        const uint32_t b[] = {q[i].lo, q[i].hi, q[i].to};
        int c = order_words(a, b, COUNT_OF(a));
        if (c) return c;
    }
    return 0;
}

int dfa_order(const Dfa *x, const Dfa *y)
{
    int c = order_u32(x->nstates, y->nstates);
    if (c) return c;
    uint32_t n = x->nstates;
    c = order_words(x->edge_start, y->edge_start, (size_t)n + 1);
    if (!c) c = order_edges(x->edges, y->edges, x->edge_start[n]);
    return c ? c : memcmp(x->accepts, y->accepts, n);
}

bool dfa_copy(Arena *arena, Dfa *dfa)
{
    uint32_t n = dfa->nstates;
    dfa->edges =
        arena_copy(arena, dfa->edges, dfa_nedges(dfa) * sizeof(DfaEdge));
    dfa->edge_start =
        arena_copy(arena, dfa->edge_start, (n + 1) * sizeof(uint32_t));
    dfa->accepts = arena_copy(arena, dfa->accepts, n);
    return !arena->failed;
}

/* ---- bounds ---- */

int bounded_order(const BoundedSpec *x, const BoundedSpec *y)
{
    int c = dfa_order(&x->dfa, &y->dfa);
    if (!c) c = order_u32(x->hi, y->hi);
    return c ? c : memcmp(x->ticks, y->ticks, x->dfa.nstates);
}

bool bounded_same(const BoundedSpec *x, const BoundedSpec *y)
{
    return !bounded_order(x, y);
}

uint64_t bounded_hash(const BoundedSpec *spec)
{
    uint64_t h = hash_mix(dfa_hash(&spec->dfa), spec->hi);
    return hash_bytes(h, spec->ticks, spec->dfa.nstates);
}

bool bounded_copy(Arena *arena, BoundedSpec *spec)
{
    uint32_t n = spec->dfa.nstates;
    spec->ticks = arena_copy(arena, spec->ticks, n);
    spec->need = arena_copy(arena, spec->need, n * sizeof *spec->need);
    return dfa_copy(arena, &spec->dfa);
}
