/* fold.c: minimal automata without refinement, where few states go round.
 *
 * In:    states written down, and which of them are fixed: different from one
 *        another already, as the states of an operand are where the other one
 *        has no more say.   Out: the minimal Dfa.
 * Method: depth first, a state is closed once all that it leads to is: then its
 *        edges tell it from others (closed.h), and one that leads nowhere is
 *        dropped. Fixed states are closed from the beginning. A state that is
 *        not fixed and comes back to itself ends this: then it is the general
 *        minimisation (minimize.c).
 * Holds: of two equal states the edges lead to equal ones, which are one closed
 *        state by then; so they are one, too, be they fixed or not.
 * Cost:  linear in the edges, or that of the minimisation.
 * Tests: unit/lang_test.c
 */
#include "lang/closed.h"
#include "lang/dfa_writer.h"

/* What a state is folded into, if not a closed one. */
#define NEW UINT32_MAX
#define OPEN (UINT32_MAX - 1)
#define DEAD (UINT32_MAX - 2) /* no string is accepted from there */

typedef struct Visit {
    uint32_t state, edge; /* the next edge to look at */
} Visit;

typedef struct Fold {
    LangCtx *ctx;
    const DfaWriter *w;
    Closed closed;
    uint32_t *into; /* by state: NEW, OPEN, DEAD, or a closed state */
    VEC(Visit) path;
    VEC(DfaEdge) edges; /* of the state that is being closed */
} Fold;

static uint32_t edges_end(const DfaWriter *w, uint32_t state)
{
    return state + 1 < w->edge_start.count ? w->edge_start.at[state + 1]
                                           : w->edges.count;
}

/* f->edges: those of a state to what is closed. */
static bool list_edges(Fold *f, uint32_t state)
{
    const DfaWriter *w = f->w;
    f->edges.count = 0;
    for (uint32_t e = w->edge_start.at[state]; e < edges_end(w, state); e++) {
        DfaEdge edge = w->edges.at[e];
        edge.to = f->into[edge.to];
        if (edge.to == DEAD) continue;
        DfaEdge *last =
            f->edges.count ? &f->edges.at[f->edges.count - 1] : NULL;
        if (last && last->to == edge.to && last->hi + 1 == edge.lo)
            last->hi = edge.hi;
        else if (!vec_push(f->ctx->mem, &f->edges, edge))
            return lang_no_memory(f->ctx);
    }
    return true;
}

static bool close_state(Fold *f, uint32_t state)
{
    bool accepts = f->w->accepts.at[state];
    if (!list_edges(f, state)) return false;
    if (!f->edges.count && !accepts) return f->into[state] = DEAD, true;
    return closed_add(&f->closed, accepts, f->edges.at, f->edges.count,
                      &f->into[state]);
}

/* Fixed states are closed states 0, 1 ... in their order. */
static bool close_fixed(Fold *f, const uint8_t *is_fixed)
{
    uint32_t count = f->w->accepts.count, next = 0;
    for (uint32_t s = 0; s < count; s++)
        f->into[s] = is_fixed[s] ? next++ : NEW;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t number = f->into[s];
        if (number == NEW) continue;
        if (!close_state(f, s)) return false;
        assert(f->into[s] == number);
    }
    return true;
}

static bool enter(Fold *f, uint32_t state)
{
    f->into[state] = OPEN;
    Visit v = {state, f->w->edge_start.at[state]};
    return vec_push(f->ctx->mem, &f->path, v) || lang_no_memory(f->ctx);
}

/* False: an error, or a state that is not fixed goes round. */
static bool close_all(Fold *f)
{
    if (f->into[0] == NEW && !enter(f, 0)) return false;
    while (f->path.count) {
        Visit *top = &f->path.at[f->path.count - 1];
        if (top->edge == edges_end(f->w, top->state)) {
            uint32_t state = top->state;
            f->path.count--;
            if (!close_state(f, state)) return false;
            continue;
        }
        assert(f->into);
        uint32_t to = f->w->edges.at[top->edge++].to;
        if (f->into[to] == OPEN) return false;
        if (f->into[to] == NEW && !enter(f, to)) return false;
    }
    return true;
}

const Dfa *dfa_writer_fold(DfaWriter *w, const uint8_t *is_fixed)
{
    LangCtx *ctx = w->ctx;
    uint32_t count = w->accepts.count;
    if (!count || !lang_ok(ctx) || !lang_charge(ctx, w->edges.count))
        return lang_none();
    Fold f = {.ctx = ctx, .w = w, .closed = {.ctx = ctx}};
    const Dfa *out = lang_none();
    f.into = mem_new(ctx->mem, count * sizeof *f.into);
    bool done = f.into ? close_fixed(&f, is_fixed) && close_all(&f)
                       : lang_no_memory(ctx);
    assert(!done || f.into);
    if (done && f.into[0] != DEAD) out = closed_write(&f.closed, f.into[0]);
    mem_free(ctx->mem, f.into, count * sizeof *f.into);
    vec_free(ctx->mem, &f.path);
    vec_free(ctx->mem, &f.edges);
    closed_free(&f.closed);
    return done || !lang_ok(ctx) ? out : dfa_writer_minimize(w);
}
