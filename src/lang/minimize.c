/* minimize.c: class automaton → the one minimal Dfa of its language.
 *
 * In:    a finished Graph.   Out: a Dfa in the context's arena.
 * Method: keep the states that are reached and can accept; refine blocks of
 *        states and "cords" of edges against each other until stable
 *        (Valmari's partial-function form of Hopcroft's algorithm, which needs
 *        no sink state); number the blocks breadth first by lowest code point;
 *        spell classes out as ranges.
 * Cost:  O(m log m) in the edges m, plus the ranges written.
 * Holds: a Dfa made here depends on the language alone.
 * Tests: unit/lang_test.c
 */
#include "lang/graph.h"

#define NO_STATE UINT32_MAX

/* ---- refinable partition of [0, nitems) ---- */

typedef struct Parts {
    uint32_t nsets;
    uint32_t *item;   /* items, set by set */
    uint32_t *where;  /* by item: its place in `item` */
    uint32_t *set;    /* by item */
    uint32_t *first;  /* by set: where it begins ... */
    uint32_t *past;   /* ... and ends in `item` */
    uint32_t *marked; /* by set: how many of its items are marked, in front */
    uint32_t *touched, ntouched; /* sets with marks */
} Parts;

/* All items in one set, if there are any. */
static bool parts_init(Parts *p, Arena *scratch, uint32_t nitems)
{
    size_t n = (size_t)nitems + 1;
    uint32_t **arrays[] = {&p->item, &p->where,  &p->set,    &p->first,
                           &p->past, &p->marked, &p->touched};
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        *arrays[i] = arena_array(scratch, uint32_t, n);
    if (scratch->failed) return false;
    for (uint32_t i = 0; i < nitems; i++) p->item[i] = p->where[i] = i;
    memset(p->set, 0, n * sizeof *p->set);
    memset(p->marked, 0, n * sizeof *p->marked);
    p->first[0] = 0;
    p->past[0] = nitems;
    p->nsets = nitems ? 1 : 0;
    p->ntouched = 0;
    return true;
}

static void parts_mark(Parts *p, uint32_t item)
{
    uint32_t s = p->set[item], at = p->where[item];
    uint32_t to = p->first[s] + p->marked[s];
    if (at < to) return;
    p->item[at] = p->item[to];
    p->where[p->item[at]] = at;
    p->item[to] = item;
    p->where[item] = to;
    if (!p->marked[s]++) p->touched[p->ntouched++] = s;
}

/* Cuts set `s` before place `middle`; the smaller half becomes a new set. */
static void parts_cut(Parts *p, uint32_t s, uint32_t middle)
{
    uint32_t fresh = p->nsets++;
    if (middle - p->first[s] <= p->past[s] - middle) {
        p->first[fresh] = p->first[s];
        p->past[fresh] = p->first[s] = middle;
    } else {
        p->past[fresh] = p->past[s];
        p->first[fresh] = p->past[s] = middle;
    }
    for (uint32_t i = p->first[fresh]; i < p->past[fresh]; i++)
        p->set[p->item[i]] = fresh;
}

/* Separates marked items from the others in every touched set. */
static void parts_split(Parts *p)
{
    while (p->ntouched) {
        uint32_t s = p->touched[--p->ntouched];
        uint32_t middle = p->first[s] + p->marked[s];
        p->marked[s] = 0;
        if (middle < p->past[s]) parts_cut(p, s, middle);
    }
}

/* ---- the automaton without useless states ---- */

typedef struct Edge {
    uint32_t tail, class, head;
} Edge;

typedef struct Trimmed {
    uint32_t nstates, nedges;
    uint32_t *old; /* by state: its number in the graph */
    uint8_t *accepts;
    Edge *edges;             /* by tail, then class */
    uint32_t *in, *state_in; /* edges by head; by state: first entry in `in` */
} Trimmed;

static uint32_t edges_end(const Graph *g, uint32_t state)
{
    return state + 1 < g->state_edges.count ? g->state_edges.at[state + 1]
                                            : g->edges.count;
}

enum { REACHED = 1, USEFUL = 2 };

/* Marks what the start reaches. `stack` has room for every state. */
static void mark_reached(const Graph *g, uint8_t *marks, uint32_t *stack)
{
    uint32_t top = 0;
    stack[top++] = 0;
    marks[0] = REACHED;
    while (top) {
        uint32_t s = stack[--top];
        for (uint32_t e = g->state_edges.at[s]; e < edges_end(g, s); e++) {
            uint32_t to = g->edges.at[e].to;
            if (marks[to]) continue;
            marks[to] = REACHED;
            stack[top++] = to;
        }
    }
}

/* Groups edge numbers by head: start[h] .. start[h + 1]. Both arrays have
 * room; start has nstates + 2 entries. */
static void group_by_head(const Edge *edges, uint32_t nedges, uint32_t nstates,
                          uint32_t *start, uint32_t *group)
{
    memset(start, 0, ((size_t)nstates + 2) * sizeof *start);
    for (uint32_t e = 0; e < nedges; e++) start[edges[e].head + 2]++;
    for (uint32_t s = 2; s < nstates + 2; s++) start[s] += start[s - 1];
    for (uint32_t e = 0; e < nedges; e++) group[start[edges[e].head + 1]++] = e;
}

/* Marks what accepts or leads there, among what is reached. */
static void mark_useful(const Trimmed *t, uint8_t *marks, uint32_t *stack)
{
    uint32_t top = 0;
    for (uint32_t s = 0; s < t->nstates; s++)
        if (t->accepts[s] && marks[s]) {
            marks[s] |= USEFUL;
            stack[top++] = s;
        }
    while (top) {
        uint32_t s = stack[--top];
        for (uint32_t i = t->state_in[s]; i < t->state_in[s + 1]; i++) {
            uint32_t from = t->edges[t->in[i]].tail;
            if (marks[from] != REACHED) continue;
            marks[from] |= USEFUL;
            stack[top++] = from;
        }
    }
}

static bool trimmed_load(Trimmed *t, Arena *scratch, const Graph *g)
{
    uint32_t n = g->accepts.count, m = g->edges.count;
    *t = (Trimmed){.nstates = n, .nedges = m};
    t->old = arena_array(scratch, uint32_t, (size_t)n + 1);
    t->accepts = arena_copy(scratch, g->accepts.at, n);
    t->edges = arena_array(scratch, Edge, (size_t)m + 1);
    t->in = arena_array(scratch, uint32_t, (size_t)m + 1);
    t->state_in = arena_array(scratch, uint32_t, (size_t)n + 2);
    if (scratch->failed) return false;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t e = g->state_edges.at[s]; e < edges_end(g, s); e++)
            t->edges[e] = (Edge){s, g->edges.at[e].class, g->edges.at[e].to};
    group_by_head(t->edges, m, n, t->state_in, t->in);
    return true;
}

/* Drops states that are not marked useful and renumbers the rest in order. */
static void trimmed_drop(Trimmed *t, const uint8_t *marks, uint32_t *renamed)
{
    uint32_t n = 0, m = 0;
    for (uint32_t s = 0; s < t->nstates; s++) {
        renamed[s] = NO_STATE;
        if (!(marks[s] & USEFUL)) continue;
        t->old[n] = s;
        t->accepts[n] = t->accepts[s];
        renamed[s] = n++;
    }
    for (uint32_t e = 0; e < t->nedges; e++) {
        Edge x = t->edges[e];
        x.tail = renamed[x.tail];
        x.head = renamed[x.head];
        if (x.tail != NO_STATE && x.head != NO_STATE) t->edges[m++] = x;
    }
    t->nstates = n;
    t->nedges = m;
    group_by_head(t->edges, m, n, t->state_in, t->in);
}

static bool trimmed_init(Trimmed *t, Arena *scratch, const Graph *g)
{
    uint32_t n = g->accepts.count;
    uint8_t *marks = arena_zero(scratch, (size_t)n + 1);
    uint32_t *stack = arena_array(scratch, uint32_t, (size_t)n + 1);
    if (!trimmed_load(t, scratch, g) || scratch->failed) return false;
    if (n) mark_reached(g, marks, stack);
    mark_useful(t, marks, stack);
    trimmed_drop(t, marks, stack);
    return true;
}

/* ---- refinement ---- */

/* One cord a class: counting sort of the edges by class. */
static bool cords_init(Parts *cords, Arena *scratch, const Trimmed *t,
                       uint32_t nclasses)
{
    uint32_t *start = arena_zero(scratch, ((size_t)nclasses + 2) * 4);
    if (!start || !parts_init(cords, scratch, t->nedges)) return false;
    for (uint32_t e = 0; e < t->nedges; e++) start[t->edges[e].class + 1]++;
    cords->nsets = 0;
    for (uint32_t c = 0; c < nclasses; c++) {
        uint32_t size = start[c + 1];
        start[c + 1] += start[c];
        if (!size) continue;
        cords->first[cords->nsets] = start[c];
        cords->past[cords->nsets++] = start[c + 1];
    }
    for (uint32_t e = 0; e < t->nedges; e++) {
        uint32_t at = start[t->edges[e].class]++;
        cords->item[at] = e;
        cords->where[e] = at;
    }
    for (uint32_t s = 0; s < cords->nsets; s++)
        for (uint32_t i = cords->first[s]; i < cords->past[s]; i++)
            cords->set[cords->item[i]] = s;
    return true;
}

/* Until every cord leads from whole blocks or from none of their states, and
 * all edges of a cord lead to one block. */
static void refine(Parts *blocks, Parts *cords, const Trimmed *t)
{
    for (uint32_t s = 0; s < t->nstates; s++)
        if (t->accepts[s]) parts_mark(blocks, s);
    parts_split(blocks);
    for (uint32_t b = 1, c = 0; c < cords->nsets; c++) {
        for (uint32_t i = cords->first[c]; i < cords->past[c]; i++)
            parts_mark(blocks, t->edges[cords->item[i]].tail);
        parts_split(blocks);
        for (; b < blocks->nsets; b++) {
            for (uint32_t i = blocks->first[b]; i < blocks->past[b]; i++) {
                uint32_t s = blocks->item[i];
                for (uint32_t k = t->state_in[s]; k < t->state_in[s + 1]; k++)
                    parts_mark(cords, t->in[k]);
            }
            parts_split(cords);
        }
    }
}

/* ---- writing ---- */

typedef struct Writer {
    const Graph *graph;
    const Alphabet *alphabet;
    const Trimmed *trimmed;
    const Parts *blocks;
    uint32_t *renamed;   /* by graph state: its state when trimmed, or none */
    uint32_t *number;    /* by block: state of the result, or NO_STATE */
    uint32_t *order;     /* by state of the result: a member of its block */
    uint32_t nstates;    /* numbered so far */
    uint32_t *span_to;   /* by span, where span_bits is set */
    uint64_t *span_bits; /* spans of the present state */
    VEC(DfaEdge) edges;
    uint32_t *edge_start;
    uint8_t *accepts;
} Writer;

static uint32_t number_of(Writer *w, uint32_t state)
{
    uint32_t block = w->blocks->set[state];
    if (w->number[block] == NO_STATE) {
        w->order[w->nstates] = state;
        w->number[block] = w->nstates++;
    }
    return w->number[block];
}

static void spread_class(Writer *w, uint32_t class, uint32_t to)
{
    const Alphabet *a = w->alphabet;
    for (uint32_t i = a->class_spans.at[class];
         i < a->class_spans.at[class + 1]; i++) {
        uint32_t span = a->spans.at[i];
        w->span_to[span] = to;
        w->span_bits[span / 64] |= (uint64_t)1 << span % 64;
    }
}

static bool push_span(Writer *w, uint32_t span, uint32_t first)
{
    const Alphabet *a = w->alphabet;
    DfaEdge e = {a->span_lo.at[span], a->span_lo.at[span + 1] - 1,
                 w->span_to[span]};
    if (w->edges.count > first) {
        DfaEdge *last = &w->edges.at[w->edges.count - 1];
        if (last->to == e.to && last->hi + 1 == e.lo)
            return last->hi = e.hi, true;
    }
    return vec_push(a->ctx->mem, &w->edges, e);
}

static bool write_spans(Writer *w)
{
    uint32_t first = w->edges.count, nwords = w->alphabet->nspans / 64 + 1;
    for (uint32_t i = 0; i < nwords; i++)
        for (; w->span_bits[i]; w->span_bits[i] &= w->span_bits[i] - 1)
            if (!push_span(w, i * 64 + bit_lowest(w->span_bits[i]), first))
                return lang_no_memory(w->alphabet->ctx);
    return lang_charge(w->alphabet->ctx,
                       (w->edges.count - first) * 4ull + nwords);
}

static bool write_state(Writer *w, uint32_t number)
{
    const Graph *g = w->graph;
    uint32_t state = w->order[number], old = w->trimmed->old[state];
    w->edge_start[number] = w->edges.count;
    w->accepts[number] = w->trimmed->accepts[state];
    for (uint32_t e = g->state_edges.at[old]; e < edges_end(g, old); e++) {
        GraphEdge x = g->edges.at[e];
        uint32_t to = w->renamed[x.to];
        if (to != NO_STATE) spread_class(w, x.class, number_of(w, to));
    }
    return write_spans(w);
}

static bool writer_init(Writer *w, Arena *scratch)
{
    uint32_t n = w->graph->accepts.count, spans = w->alphabet->nspans;
    uint32_t nblocks = w->blocks->nsets;
    w->renamed = arena_array(scratch, uint32_t, (size_t)n + 1);
    w->number = arena_array(scratch, uint32_t, (size_t)nblocks + 1);
    w->order = arena_array(scratch, uint32_t, (size_t)nblocks + 1);
    w->span_to = arena_array(scratch, uint32_t, (size_t)spans + 1);
    w->span_bits = arena_zero(scratch, ((size_t)spans / 64 + 1) * 8);
    w->edge_start = arena_array(scratch, uint32_t, (size_t)nblocks + 1);
    w->accepts = arena_alloc(scratch, (size_t)nblocks + 1);
    if (scratch->failed) return lang_no_memory(w->graph->ctx);
    memset(w->renamed, 0xFF, (size_t)n * sizeof *w->renamed);
    memset(w->number, 0xFF, (size_t)nblocks * sizeof *w->number);
    for (uint32_t s = 0; s < w->trimmed->nstates; s++)
        w->renamed[w->trimmed->old[s]] = s;
    return true;
}

static const Dfa *write_dfa(Writer *w, LangCtx *ctx)
{
    uint32_t n = w->blocks->nsets;
    number_of(w, w->renamed[0]);
    for (uint32_t s = 0; s < n; s++)
        if (!write_state(w, s)) return NULL;
    assert(w->nstates == n); /* trimmed: all are reached */
    w->edge_start[n] = w->edges.count;
    Dfa dfa = {
        .nstates = n,
        .edge_start = arena_copy(ctx->arena, w->edge_start,
                                 ((size_t)n + 1) * sizeof(uint32_t)),
        .edges = arena_copy(ctx->arena, w->edges.at,
                            w->edges.count * sizeof(DfaEdge)),
        .accepts = arena_copy(ctx->arena, w->accepts, n),
    };
    Dfa *out = arena_copy(ctx->arena, &dfa, sizeof dfa);
    if (ctx->arena->failed) lang_no_memory(ctx);
    return out;
}

/* What an edge is charged: it is looked at for each halving of its block, and in
 * large automata each look is at memory far away. */
static uint64_t edge_cost(uint32_t nstates)
{
    uint64_t cost = 16;
    for (; nstates > 256; nstates /= 2) cost += 16;
    return cost;
}

static const Dfa *minimize(const Graph *g, const Alphabet *a, Arena *scratch)
{
    LangCtx *ctx = g->ctx;
    Trimmed t;
    Parts blocks, cords;
    if (!trimmed_init(&t, scratch, g)) return lang_no_memory(ctx), NULL;
    if (!t.nstates) return NULL;
    if (!lang_charge(ctx, t.nedges * edge_cost(t.nstates))) return NULL;
    if (!parts_init(&blocks, scratch, t.nstates) ||
        !cords_init(&cords, scratch, &t, a->nclasses))
        return lang_no_memory(ctx), NULL;
    refine(&blocks, &cords, &t);
    Writer w = {.graph = g, .alphabet = a, .trimmed = &t, .blocks = &blocks};
    const Dfa *out = writer_init(&w, scratch) ? write_dfa(&w, ctx) : NULL;
    vec_free(ctx->mem, &w.edges);
    return out;
}

const Dfa *graph_finish(Graph *graph, const Alphabet *alphabet)
{
    LangCtx *ctx = graph->ctx;
    Arena scratch;
    if (!lang_ok(ctx)) return lang_none();
    arena_init(&scratch, ctx->mem, 0);
    const Dfa *out = minimize(graph, alphabet, &scratch);
    arena_free(&scratch);
    return out && lang_ok(ctx) ? out : lang_none();
}
