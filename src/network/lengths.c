/* lengths.c: shortest texts of expressions, and of what is left of a frame.
 *
 * In: a network's IR with its lowered bodies; the NFA of a frame.
 * Expressions: the least solution of length(e) = a sum, a minimum or a
 * multiple of its operands' lengths, by a worklist: an expression whose length
 * has become less is looked at again by its users. Positions: distances to the
 * exit in the reversed graph, by a worklist too; a call edge costs what its
 * callee costs at least.
 * Cost: linear in practice.   Tests: unit/finish_test.c.
 */
#include "network/lengths.h"

#include "base/utf8.h"
#include "network/bounded_length.h"
#include "network/byte_nfa.h"
#include "network/list_length.h"

/* ---- graphs ---- */

typedef struct Arc {
    uint32_t from, to, cost;
} Arc;

/* A worklist of places, each in it once at most: a ring of n entries. */
typedef struct Ring {
    uint32_t *at;
    uint8_t *has;
    uint32_t n, head, count;
} Ring;

static void ring_add(Ring *ring, uint32_t place)
{
    if (ring->has[place]) return;
    ring->has[place] = 1;
    ring->at[(ring->head + ring->count++) % ring->n] = place;
}

static uint32_t ring_take(Ring *ring)
{
    uint32_t place = ring->at[ring->head];
    ring->head = (ring->head + 1) % ring->n;
    ring->count--;
    ring->has[place] = 0;
    return place;
}

/* Arcs by their end: those into p are into[start[p], start[p + 1]). */
static void arcs_sort(const Arc *arcs, uint32_t narcs, uint32_t n,
                      uint32_t *start, uint32_t *into)
{
    for (uint32_t i = 0; i < narcs; i++) start[arcs[i].to + 2]++;
    for (uint32_t p = 1; p < n + 2; p++) start[p] += start[p - 1];
    for (uint32_t i = 0; i < narcs; i++) into[start[arcs[i].to + 1]++] = i;
}

/* Lowers `dist`, 0 at the ends and NONE elsewhere on entry, to the distances
 * of all n places to the nearest end. False: no memory. */
static bool distances(const Mem *mem, const Arc *arcs, uint32_t narcs,
                      uint32_t n, uint32_t *dist)
{
    size_t size = ((size_t)n * 2 + 2 + narcs) * sizeof(uint32_t) + n;
    uint32_t *start = mem_zero(mem, size);
    if (!start) return false;
    uint32_t *into = start + n + 2, *places = into + narcs;
    Ring ring = {.at = places, .has = (uint8_t *)(places + n), .n = n};
    arcs_sort(arcs, narcs, n, start, into);
    for (uint32_t p = 0; p < n; p++)
        if (!dist[p]) ring_add(&ring, p);
    while (ring.count) {
        uint32_t to = ring_take(&ring);
        for (uint32_t i = start[to]; i < start[to + 1]; i++) {
            const Arc *arc = &arcs[into[i]];
            uint32_t length = length_add(dist[to], arc->cost);
            if (length >= dist[arc->from]) continue;
            dist[arc->from] = length;
            ring_add(&ring, arc->from);
        }
    }
    mem_free(mem, start, size);
    return true;
}

static uint32_t rune_length(uint32_t rune)
{
    return rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
}

/* The shortest text of a code point automaton; *ok = false: no memory. */
static uint32_t dfa_length(const Mem *mem, const Dfa *d, bool *ok)
{
    uint32_t narcs = d->edge_start[d->nstates], length = LENGTH_NONE;
    if (!d->nstates) return LENGTH_NONE;
    size_t arcs_size = ((size_t)narcs + 1) * sizeof(Arc);
    size_t dist_size = d->nstates * sizeof(uint32_t);
    Arc *arcs = mem_new(mem, arcs_size);
    uint32_t *dist = mem_new(mem, dist_size);
    for (uint32_t s = 0; arcs && dist && s < d->nstates; s++) {
        dist[s] = d->accepts[s] ? 0 : LENGTH_NONE;
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++)
            arcs[e] = (Arc){s, d->edges[e].to, rune_length(d->edges[e].lo)};
    }
    if (arcs && dist && distances(mem, arcs, narcs, d->nstates, dist))
        length = dist[0];
    else
        *ok = false;
    mem_free(mem, arcs, arcs_size);
    mem_free(mem, dist, dist_size);
    return length;
}

/* ---- expressions ---- */

typedef struct NodeWork {
    const Mem *mem;
    const Network *net;
    uint32_t n;
    uint32_t *length;   /* by node: the result */
    uint32_t *first;    /* by node: its first use, or 0 */
    VEC(uint32_t) uses; /* pairs: user, next use of the same operand */
    VEC(uint32_t) todo;
    VEC(uint32_t) lists; /* to be looked at when nothing else is left to do */
    uint8_t *is_todo;
    bool ok;
} NodeWork;

static NodeId rule_body(const Network *net, Node n)
{
    return n.a < net->lowered.body.count ? net->lowered.body.at[n.a]
                                         : NODE_NEVER_ID;
}

static void use_add(NodeWork *w, NodeId operand, NodeId user)
{
    if (operand >= w->n) return;
    w->ok = w->ok && vec_push(w->mem, &w->uses, user) &&
            vec_push(w->mem, &w->uses, w->first[operand]);
    if (w->ok) w->first[operand] = w->uses.count - 1;
}

static void list_uses(NodeWork *w, const ListSpec *list, NodeId id)
{
    use_add(w, list->separator, id);
    for (uint32_t i = 0; i < list->nkinds; i++) {
        use_add(w, list->kinds[i].head, id);
        use_add(w, list->kinds[i].tail, id);
    }
}

static void uses_find(NodeWork *w)
{
    const Ir *ir = w->net->ir;
    for (NodeId id = 0; id < w->n && w->ok; id++) {
        Node n = ir_node(ir, id);
        if (n.kind == NODE_REPEAT) use_add(w, n.a, id);
        if (n.kind == NODE_LIST) list_uses(w, ir_node_list(ir, n), id);
        if (n.kind == NODE_RULE) use_add(w, rule_body(w->net, n), id);
        if (n.kind != NODE_SEQ && n.kind != NODE_ALT) continue;
        for (uint32_t i = 0; i < n.b; i++)
            use_add(w, ir_node_kids(ir, n)[i], id);
    }
}

static uint32_t kids_length(const NodeWork *w, Node n)
{
    const NodeId *kids = ir_node_kids(w->net->ir, n);
    uint32_t length = n.kind == NODE_SEQ ? 0 : LENGTH_NONE;
    for (uint32_t i = 0; i < n.b; i++) {
        uint32_t kid = w->length[kids[i]];
        length =
            n.kind == NODE_SEQ ? length_add(length, kid) : MIN(length, kid);
    }
    return length;
}

/* The shortest text of a BOUNDED node. False: no memory. */
static bool bounded_node(const NodeWork *w, NodeId id, uint32_t *length)
{
    Arena arena;
    weir_error err = {0};
    const uint32_t start = NFA_ENTRY;
    arena_init(&arena, w->mem, 0);
    const Nfa *nfa =
        nfa_build_bounded(w->net->ir, &w->net->lowered, id, &arena, &err);
    bool ok = nfa != NULL;
    if (ok) {
        const NfaEdge *enter = &nfa->edges[nfa->edge_start[start]];
        BoundedSearch s = {.nfa = nfa, .pos = &enter->to, .npos = 1};
        s.left = ir_node_bounded(w->net->ir, ir_node(w->net->ir, id))->hi;
        ok = bounded_length(w->mem, &s, length);
    }
    arena_free(&arena);
    return ok;
}

/* The length by what is known of the operands now. */
static uint32_t node_length(NodeWork *w, NodeId id)
{
    Node n = ir_node(w->net->ir, id);
    uint32_t length = LENGTH_NONE;
    switch (n.kind) {
    case NODE_EMPTY:
        return 0;
    case NODE_BYTES:
        return n.b;
    case NODE_CLASS:
        return rune_length(ir_node_ranges(w->net->ir, n)[0].lo);
    case NODE_SEQ:
    case NODE_ALT:
        return kids_length(w, n);
    case NODE_REPEAT:
        return length_times(n.b, w->length[n.a]);
    case NODE_RULE:
        return w->length[rule_body(w->net, n)];
    case NODE_REGULAR:
        return dfa_length(w->mem, &w->net->ir->dfas.at[n.a], &w->ok);
    case NODE_TOKENS:
        return n.b ? 1 : LENGTH_NONE;
    case NODE_BOUNDED:
        if (!bounded_node(w, id, &length)) w->ok = false;
        return length;
    case NODE_LIST:
        if (!list_length(w->mem, ir_node_list(w->net->ir, n), w->length,
                         &length))
            w->ok = false;
        return length;
    case NODE_NEVER:
    case NODE_KINDS:
        break;
    }
    return LENGTH_NONE;
}

static void node_look(NodeWork *w, NodeId id)
{
    uint32_t length = node_length(w, id);
    if (length >= w->length[id]) return;
    w->length[id] = length;
    if (w->is_todo[id] & 1) return;
    w->is_todo[id] |= 1;
    w->ok = w->ok && vec_push(w->mem, &w->todo, id);
}

/* What uses a node that has become shorter. Lists wait: much of theirs may
 * become so. */
static void user_look(NodeWork *w, NodeId user)
{
    if (ir_node(w->net->ir, user).kind != NODE_LIST) {
        node_look(w, user);
    } else if (!(w->is_todo[user] & 2)) {
        w->is_todo[user] |= 2;
        w->ok = w->ok && vec_push(w->mem, &w->lists, user);
    }
}

static void lists_look(NodeWork *w)
{
    for (uint32_t i = 0; i < w->lists.count && w->ok; i++) {
        w->is_todo[w->lists.at[i]] &= (uint8_t)~2u;
        node_look(w, w->lists.at[i]);
    }
    w->lists.count = 0;
}

/* First every node once, operands before users; then who uses what has become
 * shorter. */
static void nodes_solve(NodeWork *w)
{
    for (NodeId id = 0; id < w->n; id++) w->length[id] = LENGTH_NONE;
    for (NodeId id = 0; id < w->n && w->ok; id++) node_look(w, id);
    for (uint32_t i = 0; i < w->todo.count && w->ok; i++) {
        NodeId id = w->todo.at[i];
        w->is_todo[id] &= (uint8_t)~1u;
        for (uint32_t u = w->first[id]; u; u = w->uses.at[u])
            user_look(w, w->uses.at[u - 1]);
        if (i + 1 == w->todo.count) lists_look(w);
    }
}

/* The network's node lengths, or NULL. */
static const uint32_t *nodes_of(Lengths *l, const Network *net)
{
    for (uint32_t i = 0; i < l->networks.count; i++)
        if (l->networks.at[i].network == net) return l->networks.at[i].by_node;
    NodeWork w = {
        .mem = l->mem, .net = net, .n = net->ir->nodes.count, .ok = true};
    size_t size = ((size_t)w.n + 1) * sizeof(uint32_t);
    w.length = mem_new(l->mem, size);
    w.first = mem_zero(l->mem, size);
    w.is_todo = mem_zero(l->mem, (size_t)w.n + 1);
    w.ok = w.length && w.first && w.is_todo;
    if (w.ok) uses_find(&w);
    if (w.ok) nodes_solve(&w);
    NodeLengths made = {net, w.length, w.n};
    w.ok = w.ok && vec_push(l->mem, &l->networks, made);
    mem_free(l->mem, w.first, size);
    mem_free(l->mem, w.is_todo, (size_t)w.n + 1);
    vec_free(l->mem, &w.uses);
    vec_free(l->mem, &w.todo);
    vec_free(l->mem, &w.lists);
    if (w.ok) return w.length;
    mem_free(l->mem, w.length, size);
    return NULL;
}

/* ---- frames ---- */

/* What a call of the frame of `id` costs: a counted frame is read once at
 * least, as skipping it is an edge of its own. */
static uint32_t call_length(const Network *net, const uint32_t *by_node,
                            NodeId id)
{
    Node n = ir_node(net->ir, id);
    return n.kind == NODE_REPEAT ? length_times(MAX(n.b, 1), by_node[n.a])
                                 : by_node[id];
}

static bool is_end(const Nfa *nfa, uint32_t pos)
{
    return pos == NFA_EXIT || nfa_done(nfa, pos) != NO_KIND;
}

static bool is_before_items(const Nfa *nfa, uint32_t pos)
{
    (void)nfa;
    return pos == LIST_ITEMS;
}

/* Distances of the positions to those that are ends. */
static bool frame_positions(Lengths *l, const Frame *f, const uint32_t *by_node,
                            bool (*ends)(const Nfa *, uint32_t), uint32_t *dist)
{
    const Nfa *nfa = f->nfa;
    uint32_t narcs = nfa->edge_start[nfa->npos];
    size_t size = ((size_t)narcs + 1) * sizeof(Arc);
    Arc *arcs = mem_new(l->mem, size);
    if (!arcs) return false;
    for (uint32_t p = 0; p < nfa->npos; p++) {
        dist[p] = ends(nfa, p) ? 0 : LENGTH_NONE;
        for (uint32_t e = nfa->edge_start[p]; e < nfa->edge_start[p + 1]; e++) {
            const NfaEdge *edge = &nfa->edges[e];
            uint32_t cost = edge->kind == NFA_EMPTY ? 0 : 1;
            if (edge->kind == NFA_CALL)
                cost = call_length(f->network, by_node, edge->node);
            arcs[e] = (Arc){p, edge->to, cost};
        }
    }
    bool ok = distances(l->mem, arcs, narcs, nfa->npos, dist);
    mem_free(l->mem, arcs, size);
    return ok;
}

static void lengths_drop(const Mem *mem, FrameLengths *made)
{
    if (made->by_pos)
        mem_free(mem, made->by_pos, made->frame->nfa->npos * sizeof(uint32_t));
    list_lengths_free(mem, made->frame, made->list);
}

/* Fills `made` for its frame. False: no memory. */
static bool frame_make(Lengths *l, FrameLengths *made)
{
    const Frame *f = made->frame;
    const uint32_t *by_node = nodes_of(l, f->network);
    if (!by_node) return false;
    if (!f->nfa) { /* a counted frame that calls its operand */
        made->copy = by_node[ir_node(f->network->ir, f->node).a];
        return true;
    }
    size_t size = f->nfa->npos * sizeof(uint32_t);
    made->by_pos = mem_new(l->mem, size);
    if (!made->by_pos) return false;
    bool ok = frame_positions(l, f, by_node, is_end, made->by_pos);
    if (ok && f->list) {
        made->list = list_lengths_new(l->mem, f, by_node);
        ok = made->list && frame_positions(l, f, by_node, is_before_items,
                                           made->list->before);
    }
    made->copy = made->by_pos[NFA_ENTRY];
    if (!ok) lengths_drop(l->mem, made);
    return ok;
}

static const FrameLengths *frame_lengths(Lengths *l, const Frame *f)
{
    uint64_t h = hash_mix(0, (uintptr_t)f);
    for (MapPos p = map_first(&l->index, h); p.value != MAP_NONE;
         p = map_next(&l->index, h, p))
        if (l->frames.at[p.value].frame == f) return &l->frames.at[p.value];
    FrameLengths made = {.frame = f};
    if (!frame_make(l, &made)) return NULL;
    if (vec_push(l->mem, &l->frames, made) &&
        map_add(l->mem, &l->index, h, l->frames.count - 1))
        return &l->frames.at[l->frames.count - 1];
    if (l->frames.count && l->frames.at[l->frames.count - 1].frame == f)
        l->frames.count--;
    lengths_drop(l->mem, &made);
    return NULL;
}

uint32_t lengths_state(Lengths *l, const State *q, uint32_t reg)
{
    const Frame *f = q->frame;
    uint32_t length = LENGTH_NONE;
    if (q->is_marker) return 0;
    if (f->is_bounded) {
        BoundedSearch s = {f->nfa, q->pos, q->npos, f->hi - reg, reg < f->lo};
        if (!bounded_length(l->mem, &s, &length)) l->failed = true;
        return length;
    }
    const FrameLengths *known = frame_lengths(l, f);
    if (!known) {
        l->failed = true;
        return LENGTH_NONE;
    }
    if (f->list) {
        if (!list_length_state(known, q, reg, &length)) l->failed = true;
        return length;
    }
    if (q->is_loop)
        return length_times(reg < f->lo ? f->lo - reg : 0, known->copy);
    for (uint32_t i = 0; i < q->npos; i++)
        length = MIN(length, known->by_pos[q->pos[i]]);
    if (f->is_counted && reg + 1 < f->lo)
        length = length_add(length, length_times(f->lo - reg - 1, known->copy));
    return length;
}

/* ---- life ---- */

void lengths_init(Lengths *l, const Mem *mem)
{
    *l = (Lengths){.mem = mem};
}

void lengths_free(Lengths *l)
{
    if (!l->mem) return;
    for (uint32_t i = 0; i < l->networks.count; i++)
        mem_free(l->mem, l->networks.at[i].by_node,
                 ((size_t)l->networks.at[i].count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < l->frames.count; i++)
        lengths_drop(l->mem, &l->frames.at[i]);
    vec_free(l->mem, &l->networks);
    vec_free(l->mem, &l->frames);
    map_free(l->mem, &l->index);
}
