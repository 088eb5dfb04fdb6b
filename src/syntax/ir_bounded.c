/* ir_bounded.c: the texts of an automaton that have at most so many characters.
 *
 * Let need(s) be the least number of characters from state s to an accepting
 * one, and reach(s) that from the start to s. Edges and states that no short
 * enough text takes, reach(s) + need(s) > hi, are left out. If none of what is
 * left is longer, the bound says nothing more and the node is a REGULAR.
 * Distances: breadth first, the states of one distance at a time; an edge
 * costs 1 if it ends a character. Cost: linear in the edges.
 * Tests: unit/ir_test.c.
 */
#include "syntax/ir_dfa.h"

#include "base/utf8.h"

#define FAR UINT32_MAX

typedef struct Bound {
    Arena *arena;
    const Dfa *dfa;
    const uint8_t *ticks;
    uint32_t hi;
    uint32_t *reach, *need; /* by state; FAR: there is no way */
    uint32_t *number;       /* by state: its number if it is kept, or FAR */
} Bound;

/* ---- distances ---- */

/* The arcs of a graph from each place: start[place] .. start[place + 1]. */
typedef struct ArcList {
    uint32_t *start, *to;
    bool is_reversed;
} ArcList;

static ArcList arcs_forward(const Bound *b)
{
    const Dfa *d = b->dfa;
    uint32_t n = d->nstates, narcs = d->edge_start[n];
    ArcList arcs = {arena_array(b->arena, uint32_t, n + 1),
                    arena_array(b->arena, uint32_t, narcs + 1), false};
    if (b->arena->failed) return arcs;
    memcpy(arcs.start, d->edge_start, (n + 1) * sizeof *arcs.start);
    for (uint32_t e = 0; e < narcs; e++) arcs.to[e] = d->edges[e].to;
    return arcs;
}

/* Counting sort, one slot shifted so that filling moves each start to its
 * place. */
static ArcList arcs_backward(const Bound *b)
{
    const Dfa *d = b->dfa;
    uint32_t n = d->nstates, narcs = d->edge_start[n];
    ArcList arcs = {arena_zero(b->arena, (n + 2) * sizeof *arcs.start),
                    arena_array(b->arena, uint32_t, narcs + 1), true};
    if (b->arena->failed) return arcs;
    for (uint32_t e = 0; e < narcs; e++) arcs.start[d->edges[e].to + 2]++;
    for (uint32_t s = 1; s < n + 2; s++) arcs.start[s] += arcs.start[s - 1];
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++)
            arcs.to[arcs.start[d->edges[e].to + 1]++] = s;
    return arcs;
}

/* States to be visited at one distance; each arc puts one there at most. */
typedef struct Layer {
    uint32_t *at, count;
} Layer;

static void visit(const Bound *b, const ArcList *arcs, uint32_t s, Layer *now,
                  Layer *next, const uint32_t *dist)
{
    for (uint32_t i = arcs->start[s]; i < arcs->start[s + 1]; i++) {
        uint32_t to = arcs->to[i];
        if (dist[to] != FAR) continue;
        Layer *l = b->ticks[arcs->is_reversed ? s : to] ? next : now;
        l->at[l->count++] = to;
    }
}

/* From the start; or, reversed, from the accepting states. */
static uint32_t *distances(const Bound *b, const ArcList *arcs)
{
    uint32_t n = b->dfa->nstates, room = n + b->dfa->edge_start[n];
    uint32_t *dist = arena_array(b->arena, uint32_t, n);
    Layer now = {arena_array(b->arena, uint32_t, room), 0};
    Layer next = {arena_array(b->arena, uint32_t, room), 0};
    if (b->arena->failed) return NULL;
    for (uint32_t s = 0; s < n; s++) {
        dist[s] = FAR;
        if (arcs->is_reversed ? b->dfa->accepts[s] : !s)
            now.at[now.count++] = s;
    }
    for (uint32_t d = 0; now.count; d++) {
        while (now.count) {
            uint32_t s = now.at[--now.count];
            if (dist[s] != FAR) continue;
            dist[s] = d;
            visit(b, arcs, s, &now, &next, dist);
        }
        Layer spare = now;
        now = next;
        next = spare;
    }
    return dist;
}

/* ---- what is left ---- */

static bool edge_counts(const Bound *b, uint32_t s, DfaEdge e)
{
    uint64_t length = (uint64_t)b->reach[s] + b->ticks[e.to];
    return b->need[e.to] != FAR && length + b->need[e.to] <= b->hi;
}

/* Numbers the states that short enough texts take, in order; how many. */
static uint32_t number_states(Bound *b)
{
    uint32_t n = b->dfa->nstates, count = 0;
    b->number = arena_array(b->arena, uint32_t, n);
    if (!b->number) return 0;
    for (uint32_t s = 0; s < n; s++) {
        bool is_kept = b->reach[s] != FAR && b->need[s] != FAR &&
                       (uint64_t)b->reach[s] + b->need[s] <= b->hi;
        b->number[s] = is_kept ? count++ : FAR;
    }
    return count;
}

static bool write_states(const Bound *b, uint32_t count, BoundedSpec *out)
{
    const Dfa *d = b->dfa;
    uint32_t nedges = 0;
    uint32_t *start = arena_array(b->arena, uint32_t, count + 1);
    DfaEdge *edges = arena_array(b->arena, DfaEdge, d->edge_start[d->nstates]);
    uint8_t *accepts = arena_alloc(b->arena, count);
    uint8_t *ticks = arena_alloc(b->arena, count);
    uint32_t *need = arena_array(b->arena, uint32_t, count);
    if (b->arena->failed) return false;
    for (uint32_t s = 0; s < d->nstates; s++) {
        uint32_t k = b->number[s];
        if (k == FAR) continue;
        start[k] = nedges;
        accepts[k] = d->accepts[s];
        ticks[k] = b->ticks[s];
        need[k] = b->need[s];
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++) {
            if (!edge_counts(b, s, d->edges[e])) continue;
            edges[nedges] = d->edges[e];
            edges[nedges++].to = b->number[d->edges[e].to];
        }
    }
    start[count] = nedges;
    out->dfa = (Dfa){count, start, edges, accepts};
    out->ticks = ticks;
    out->need = need;
    return true;
}

/* ---- the longest text ---- */

/* Visits states after all that lead there (Kahn): false if there is a cycle,
 * else *length is that of the longest text in characters. */
static bool find_longest(Arena *arena, const BoundedSpec *spec,
                         uint32_t *length)
{
    const Dfa *d = &spec->dfa;
    uint32_t n = d->nstates, tail = 0;
    uint32_t *nto = arena_zero(arena, n * sizeof *nto);
    uint32_t *far = arena_zero(arena, n * sizeof *far);
    uint32_t *queue = arena_array(arena, uint32_t, n);
    *length = 0;
    if (arena->failed) return false;
    for (uint32_t e = 0; e < d->edge_start[n]; e++) nto[d->edges[e].to]++;
    if (!nto[0]) queue[tail++] = 0;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t s = queue[head];
        *length = MAX(*length, far[s]);
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++) {
            uint32_t to = d->edges[e].to;
            far[to] = MAX(far[to], far[s] + spec->ticks[to]);
            if (!--nto[to]) queue[tail++] = to;
        }
    }
    return tail == n;
}

bool bounded_make(Arena *arena, const Dfa *dfa, const uint8_t *ticks,
                  uint32_t hi, BoundedSpec *out)
{
    Bound b = {.arena = arena, .dfa = dfa, .ticks = ticks, .hi = hi};
    uint32_t length;
    *out = (BoundedSpec){.hi = hi};
    if (!dfa->nstates) return true;
    if (!ticks) {
        uint8_t *all = arena_alloc(arena, dfa->nstates);
        if (all) memset(all, 1, dfa->nstates);
        b.ticks = all;
    }
    ArcList forward = arcs_forward(&b), backward = arcs_backward(&b);
    if (arena->failed) return false;
    b.reach = distances(&b, &forward);
    b.need = distances(&b, &backward);
    if (arena->failed) return false;
    uint32_t count = number_states(&b);
    if (!count) return !arena->failed;
    if (!write_states(&b, count, out)) return false;
    if (find_longest(arena, out, &length) && length <= hi) out->hi = REPEAT_INF;
    return !arena->failed;
}
