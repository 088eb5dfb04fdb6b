/* members.c: the strings of a language: membership, an example, a list.
 *
 * In:    a Dfa.   Out: texts in UTF-8, in the context's arena.
 * Method: an example by breadth first search, each state entered once, kept as
 *        a tree of steps. A list length by length, depth first, going only
 *        where reach[] says that a string of that length can be completed.
 * Cost:  example: linear; list: edges times length, each step charged.
 * Tests: unit/lang_test.c
 */
#include "base/utf8.h"
#include "lang/lang.h"

#define NO_STEP UINT32_MAX

uint32_t lang_step(const Dfa *a, uint32_t state, uint32_t rune)
{
    uint32_t from = a->edge_start[state], to = a->edge_start[state + 1];
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        DfaEdge e = a->edges[middle];
        if (rune < e.lo)
            to = middle;
        else if (rune > e.hi)
            from = middle + 1;
        else
            return e.to;
    }
    return LANG_INF;
}

bool lang_matches(const Dfa *a, Span text)
{
    uint32_t state = 0;
    if (!a->nstates) return false;
    for (size_t pos = 0; pos < text.size;) {
        uint32_t rune = utf8_decode(text, &pos);
        if (rune == RUNE_BAD) return false;
        state = lang_step(a, state, rune);
        if (state == LANG_INF) return false;
    }
    return a->accepts[state];
}

/* ---- search ---- */

typedef struct Step {
    uint32_t state, rune;
    uint32_t back; /* the step before, or NO_STEP */
} Step;

typedef struct Search {
    LangCtx *ctx;
    const Dfa *dfa;
    VEC(Step) steps;
} Search;

static bool push_step(Search *s, uint32_t state, uint32_t rune, uint32_t back)
{
    return lang_charge(s->ctx, 8) &&
           (vec_push(s->ctx->mem, &s->steps, (Step){state, rune, back}) ||
            lang_no_memory(s->ctx));
}

/* The text of the path to a step. */
static bool spell(Search *s, uint32_t step, Span *text)
{
    uint8_t bytes[4];
    size_t size = 0;
    for (uint32_t i = step; s->steps.at[i].back != NO_STEP;
         i = s->steps.at[i].back)
        size += utf8_encode(s->steps.at[i].rune, bytes);
    uint8_t *at = arena_alloc(s->ctx->arena, size + 1);
    if (!at) return lang_no_memory(s->ctx);
    *text = span_of(at, size);
    at[size] = 0;
    for (uint32_t i = step; s->steps.at[i].back != NO_STEP;
         i = s->steps.at[i].back) {
        unsigned n = utf8_encode(s->steps.at[i].rune, bytes);
        size -= n;
        memcpy(at + size, bytes, n);
    }
    return lang_charge(s->ctx, text->size);
}

static uint32_t plain_rune(DfaEdge e)
{
    static const RuneRange plain[] = {
        {'a', 'z'}, {'0', '9'}, {'A', 'Z'}, {'!', '~'}, {' ', ' '}};
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        uint32_t rune = MAX(e.lo, plain[i].lo);
        if (rune <= MIN(e.hi, plain[i].hi)) return rune;
    }
    return e.lo;
}

/* ---- example ---- */

/* Enters the targets of a step's state that were not entered before. */
static bool enter_new(Search *s, uint32_t step, uint8_t *entered)
{
    const Dfa *a = s->dfa;
    uint32_t state = s->steps.at[step].state;
    for (int plain = 1; plain >= 0; plain--)
        for (uint32_t i = a->edge_start[state]; i < a->edge_start[state + 1];
             i++) {
            DfaEdge e = a->edges[i];
            uint32_t rune = plain_rune(e);
            if (entered[e.to] || (plain && (rune < ' ' || rune > '~')))
                continue;
            entered[e.to] = 1;
            if (!push_step(s, e.to, rune, step)) return false;
        }
    return true;
}

static bool example_run(Search *s, uint8_t *entered, Span *text)
{
    entered[0] = 1;
    if (!push_step(s, 0, 0, NO_STEP)) return false;
    for (uint32_t i = 0; i < s->steps.count; i++) {
        if (s->dfa->accepts[s->steps.at[i].state]) return spell(s, i, text);
        if (!enter_new(s, i, entered)) return false;
    }
    return false;
}

bool lang_example(LangCtx *ctx, const Dfa *a, Span *text)
{
    Search s = {.ctx = ctx, .dfa = a};
    if (!lang_ok(ctx) || !a->nstates) return false;
    uint8_t *entered = mem_zero(ctx->mem, a->nstates);
    bool done = entered ? example_run(&s, entered, text) : lang_no_memory(ctx);
    mem_free(ctx->mem, entered, a->nstates);
    vec_free(ctx->mem, &s.steps);
    return done;
}

/* ---- list ---- */

typedef struct Place {
    uint32_t state;
    uint32_t edge, rune; /* the next one to take from here */
} Place;

typedef struct Lister {
    LangCtx *ctx;
    const Dfa *dfa;
    VEC(uint8_t) reach; /* by length k, state: a string of k more accepts */
    VEC(Place) path;
    Span *texts;
    uint32_t count, max;
} Lister;

/* The row of `reach` for one more code point. */
static bool reach_longer(Lister *l, uint32_t length)
{
    const Dfa *a = l->dfa;
    uint32_t n = a->nstates;
    size_t need = ((size_t)length + 1) * n;
    if (!lang_charge(l->ctx, (uint64_t)a->edge_start[n] + n)) return false;
    if (!vec_reserve(l->ctx->mem, &l->reach, need))
        return lang_no_memory(l->ctx);
    uint8_t *row = l->reach.at + need - n;
    if (!length) return memcpy(row, a->accepts, n), true;
    for (uint32_t s = 0; s < n; s++) {
        row[s] = 0;
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++)
            row[s] |= (row - n)[a->edges[e].to];
    }
    return true;
}

static bool push_place(Lister *l, uint32_t state)
{
    uint32_t edge = l->dfa->edge_start[state];
    uint32_t rune =
        edge < l->dfa->edge_start[state + 1] ? l->dfa->edges[edge].lo : 0;
    return vec_push(l->ctx->mem, &l->path, (Place){state, edge, rune}) ||
           lang_no_memory(l->ctx);
}

/* Writes down the path, whose last place has accepted. */
static bool list_path(Lister *l)
{
    uint8_t bytes[4];
    size_t size = 0;
    uint32_t n = l->path.count - 1;
    for (uint32_t i = 0; i < n; i++)
        size += utf8_encode(l->path.at[i].rune, bytes);
    uint8_t *at = arena_alloc(l->ctx->arena, size + 1);
    if (!at) return lang_no_memory(l->ctx);
    l->texts[l->count++] = span_of(at, size);
    for (uint32_t i = 0; i < n; i++) at += utf8_encode(l->path.at[i].rune, at);
    return lang_charge(l->ctx, size);
}

/* Goes back to the last place with another code point to take. */
static bool next_branch(Lister *l)
{
    while (l->path.count) {
        Place *p = &l->path.at[l->path.count - 1];
        if (p->edge < l->dfa->edge_start[p->state + 1]) {
            if (p->rune++ < l->dfa->edges[p->edge].hi) return true;
            if (++p->edge < l->dfa->edge_start[p->state + 1]) {
                p->rune = l->dfa->edges[p->edge].lo;
                return true;
            }
        }
        l->path.count--;
    }
    return false;
}

/* All strings of one length, in order, until there are enough. */
static bool list_length(Lister *l, uint32_t length)
{
    const Dfa *a = l->dfa;
    assert((size_t)length * a->nstates < l->reach.cap);
    if (!l->reach.at[(size_t)length * a->nstates]) return true;
    if (!push_place(l, 0)) return false;
    while (l->path.count && lang_charge(l->ctx, 4)) {
        uint32_t left = length - (l->path.count - 1);
        Place *p = &l->path.at[l->path.count - 1];
        bool is_open = left && p->edge < a->edge_start[p->state + 1];
        uint32_t to = is_open ? a->edges[p->edge].to : 0;
        if (is_open && l->reach.at[(left - 1) * (size_t)a->nstates + to]) {
            if (!push_place(l, to)) return false;
            continue;
        }
        if (!left && !list_path(l)) return false;
        if (l->count == l->max) break;
        if (!left) l->path.count--;
        if (is_open) p->rune = a->edges[p->edge].hi; /* no way on: skip it */
        next_branch(l);
    }
    l->path.count = 0;
    return lang_ok(l->ctx);
}

uint32_t lang_list(LangCtx *ctx, const Dfa *a, Span *texts, uint32_t max)
{
    Lister l = {.ctx = ctx, .dfa = a, .texts = texts, .max = max};
    LangSize size = lang_size(ctx, a);
    if (!lang_ok(ctx) || !a->nstates) return 0;
    for (uint32_t n = 0; l.count < max && n <= size.longest; n++)
        if (!reach_longer(&l, n) || !list_length(&l, n)) break;
    vec_free(ctx->mem, &l.reach);
    vec_free(ctx->mem, &l.path);
    return lang_ok(ctx) ? l.count : 0;
}
