/* complement.c: all strings but those of a language.
 *
 * In:    a minimal Dfa.   Out: the minimal one of the complement.
 * Method: what had no edge now leads to ALL, whence everything is in; what
 *        accepted refuses; the state from which everything was in, of which
 *        there is one at most, goes. Two states stay different languages, so
 *        only their numbers change.
 * Cost:  linear in the edges.   Tests: unit/lang_test.c
 */
#include "base/utf8.h"
#include "lang/dfa_writer.h"

#define UNNUMBERED UINT32_MAX

typedef struct Complement {
    DfaWriter writer;
    const Dfa *dfa;
    uint32_t all;             /* in place of a state: where everything is in */
    uint32_t *number, *order; /* by state; the states by number */
    uint32_t count;
} Complement;

/* Whether each string is in from `state` on. */
static bool is_universal(const Dfa *a, uint32_t state)
{
    const Dfa *all = lang_all();
    const DfaEdge *e = dfa_edges(a, state);
    uint32_t n = a->edge_start[state + 1] - a->edge_start[state];
    if (!a->accepts[state] || n != all->edge_start[1]) return false;
    for (uint32_t i = 0; i < n; i++)
        if (e[i].to != state || e[i].lo != all->edges[i].lo ||
            e[i].hi != all->edges[i].hi)
            return false;
    return true;
}

static void put_edge(Complement *c, uint32_t lo, uint32_t hi, uint32_t to)
{
    if (c->number[to] == UNNUMBERED) {
        c->number[to] = c->count;
        c->order[c->count++] = to;
    }
    dfa_writer_edge(&c->writer, lo, hi, c->number[to]);
}

/* The code points in [lo, hi), which have no edge, lead to ALL. */
static void put_gap(Complement *c, uint32_t lo, uint32_t hi)
{
    const Dfa *all = lang_all();
    for (uint32_t i = 0; i < all->edge_start[1]; i++) {
        uint32_t from = MAX(lo, all->edges[i].lo);
        uint32_t to = MIN(hi, all->edges[i].hi + 1);
        if (from < to) put_edge(c, from, to - 1, c->all);
    }
}

static void put_state(Complement *c, uint32_t state)
{
    const Dfa *a = c->dfa;
    bool is_all = state == c->all;
    uint32_t next = 0;
    dfa_writer_state(&c->writer, is_all || !a->accepts[state]);
    for (uint32_t i = is_all ? 0 : a->edge_start[state];
         !is_all && i < a->edge_start[state + 1]; i++) {
        DfaEdge e = a->edges[i];
        put_gap(c, next, e.lo);
        if (!is_universal(a, e.to)) put_edge(c, e.lo, e.hi, e.to);
        next = e.hi + 1;
    }
    put_gap(c, next, RUNE_MAX + 1);
}

static const Dfa *write_states(Complement *c)
{
    memset(c->number, 0xFF, (c->all + 1) * sizeof *c->number);
    c->number[0] = 0;
    c->order[c->count++] = 0;
    for (uint32_t i = 0; i < c->count && lang_ok(c->writer.ctx); i++)
        put_state(c, c->order[i]);
    return dfa_writer_finish(&c->writer);
}

const Dfa *lang_complement(LangCtx *ctx, const Dfa *a)
{
    if (!lang_ok(ctx) || lang_is_all(a)) return lang_none();
    if (!a->nstates) return lang_all();
    if (!lang_room(ctx, (uint64_t)a->nstates + 1)) return lang_none();
    Complement c = {.dfa = a, .all = a->nstates};
    size_t nbytes = 2 * ((size_t)a->nstates + 1) * sizeof(uint32_t);
    c.number = mem_new(ctx->mem, nbytes);
    if (!c.number) return lang_no_memory(ctx), lang_none();
    c.order = c.number + a->nstates + 1;
    dfa_writer_init(&c.writer, ctx);
    const Dfa *out = write_states(&c);
    dfa_writer_free(&c.writer);
    mem_free(ctx->mem, c.number, nbytes);
    return out;
}
