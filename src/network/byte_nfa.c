/* byte_nfa.c: expression -> byte NFA.
 *
 * Thompson's construction with given entry and exit: a task (node, from, to)
 * adds edges so that exactly the node's texts lead from `from` to `to`. No
 * task adds an edge into its `from` or out of its `to`, so alternatives may
 * share both; loops get a fresh position. Tasks are kept on an explicit
 * stack. Code points become UTF-8 byte ranges; equal tails of one class or
 * automaton are shared. The heads of a list share the positions of their first bytes, as in
 * a trie. Cost: linear in the expanded size, charged to limits.max_states
 * times POSITIONS_PER_STATE.   Tests: unit/network_test.c.
 */
#include "network/byte_nfa.h"

#include "base/blocks.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "lang/lax.h"
#include "pass/list_form.h"

enum {
    UNROLL = 64, /* positions that a repeat may take when written out */
    POSITIONS_PER_STATE = 16,
    PREFIX_FREE_STATES = 256,
    LIST_SCRATCH = 32 << 10 /* bytes for the positions of a list */
};

typedef struct Task {
    NodeId node;
    uint32_t from, to;
} Task;

typedef struct RawEdge {
    uint32_t from;
    NfaEdge edge;
} RawEdge;

typedef struct NfaBuild {
    const Ir *ir;
    const Lowered *lowered;
    Blocks blocks; /* what all that grows is made of */
    const Mem *mem;
    weir_error *err;
    uint32_t npos, max_pos;
    VEC(RawEdge) edges;
    VEC(Task) tasks;
    /* the class being added */
    uint32_t class_from, class_to;
    VEC(RawEdge) tails; /* edges whose `from` may be shared */
    Map tail_index;     /* by what they read and where they lead */
    VEC(uint32_t) held; /* positions where no token may end */
    /* lists: by position, and of positions made now */
    bool is_list;
    VEC(Range) kinds;
    Range kind;
    VEC(uint32_t) path; /* positions of the bytes of the present head */
    VEC(Range) heads;   /* by kind: see Nfa */
    VEC(NfaDfa) automata;
    VEC(NfaBound) bounds; /* by position; bounded languages only */
    bool is_bounded;
} NfaBuild;

RepeatForm repeat_form(const Lowered *lowered, Node repeat)
{
    uint32_t size = lowered->size.at[repeat.a];
    uint32_t copies = repeat.c == REPEAT_INF ? repeat.b : repeat.c;
    if (repeat.c == REPEAT_INF && repeat.b <= 1) return REPEAT_UNROLLED;
    return (uint64_t)size * copies <= UNROLL ? REPEAT_UNROLLED : REPEAT_COUNTED;
}

static uint32_t pos_new(NfaBuild *b)
{
    if (b->npos >= b->max_pos) {
        diag_fail(b->err, WEIR_LIMIT_STATES, 0, 0,
                  "a part of the grammar needs more than %u positions (limit "
                  "max_states)",
                  b->max_pos);
        return 0;
    }
    if (b->is_list && !vec_push(b->mem, &b->kinds, b->kind))
        diag_no_memory(b->err);
    if (b->is_bounded && !vec_push(b->mem, &b->bounds, (NfaBound){0, false}))
        diag_no_memory(b->err);
    return b->npos++;
}

static void edge_add(NfaBuild *b, uint32_t from, NfaEdge edge)
{
    if (!vec_push(b->mem, &b->edges, (RawEdge){from, edge}))
        diag_no_memory(b->err);
}

static void edge_empty(NfaBuild *b, uint32_t from, uint32_t to)
{
    edge_add(b, from, (NfaEdge){.kind = NFA_EMPTY, .to = to});
}

static void edge_byte(NfaBuild *b, uint32_t from, uint8_t lo, uint8_t hi,
                      uint32_t to)
{
    edge_add(b, from,
             (NfaEdge){.kind = NFA_BYTE, .lo = lo, .hi = hi, .to = to});
}

static void task_add(NfaBuild *b, NodeId node, uint32_t from, uint32_t to)
{
    if (!vec_push(b->mem, &b->tasks, (Task){node, from, to}))
        diag_no_memory(b->err);
}

static void add_bytes(NfaBuild *b, Span bytes, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < bytes.size && !b->err->status; i++) {
        uint32_t next = i + 1 < bytes.size ? pos_new(b) : to;
        edge_byte(b, from, bytes.at[i], bytes.at[i], next);
        from = next;
    }
}

/* Another class or automaton begins, which shares none. */
static void tails_clear(NfaBuild *b)
{
    b->tails.count = 0;
    map_clear(b->mem, &b->tail_index);
}

/* A position from which [lo, hi] leads to `to`; made once a class or automaton. */
static uint32_t tail_pos(NfaBuild *b, uint8_t lo, uint8_t hi, uint32_t to)
{
    uint64_t hash = hash_mix(to, (uint64_t)lo << 8 | hi);
    for (MapPos p = map_first(&b->tail_index, hash); p.value != MAP_NONE;
         p = map_next(&b->tail_index, hash, p)) {
        RawEdge tail = b->tails.at[p.value];
        if (tail.edge.lo == lo && tail.edge.hi == hi && tail.edge.to == to)
            return tail.from;
    }
    NfaEdge e = {.kind = NFA_BYTE, .lo = lo, .hi = hi, .to = to};
    uint32_t from = pos_new(b);
    edge_add(b, from, e);
    if (b->is_bounded && !b->err->status)
        b->bounds.at[from].need =
            b->bounds.at[to].need + b->bounds.at[to].ticks;
    if (!vec_push(b->mem, &b->tails, (RawEdge){from, e}) ||
        !map_add(b->mem, &b->tail_index, hash, b->tails.count - 1))
        diag_no_memory(b->err);
    return from;
}

static void add_utf8(void *user, const Utf8Seq *seq)
{
    NfaBuild *b = user;
    uint32_t to = b->class_to;
    for (unsigned i = seq->count; i-- > 1;)
        to = tail_pos(b, seq->lo[i], seq->hi[i], to);
    edge_byte(b, b->class_from, seq->lo[0], seq->hi[0], to);
}

static void add_range(NfaBuild *b, uint32_t lo, uint32_t hi, uint32_t from,
                      uint32_t to)
{
    b->class_from = from;
    b->class_to = to;
    utf8_ranges(lo, hi, add_utf8, b);
}

/* Of tails that are held those that are to be shared begin with the same
 * bytes, and so lead to the same place by the same edges: none are shared. */
static void add_lax(void *user, const LaxSeq *seq)
{
    NfaBuild *b = user;
    uint32_t to = b->class_to;
    for (unsigned i = seq->count; i-- > 1;) {
        uint32_t from = seq->held[i - 1] ? pos_new(b) : UINT32_MAX;
        if (from == UINT32_MAX) {
            to = tail_pos(b, seq->lo[i], seq->hi[i], to);
            continue;
        }
        edge_byte(b, from, seq->lo[i], seq->hi[i], to);
        if (!vec_push(b->mem, &b->held, from)) diag_no_memory(b->err);
        to = from;
    }
    edge_byte(b, b->class_from, seq->lo[0], seq->hi[0], to);
}

static void add_lax_class(NfaBuild *b, Node n, uint32_t from, uint32_t to)
{
    VEC(RuneRange) ranges = {0};
    bool ok = vec_reserve(b->mem, &ranges, n.b);
    for (uint32_t i = 0; ok && i < n.b; i++) {
        Range r = b->ir->ranges.at[n.a + i];
        ranges.at[i] = (RuneRange){r.lo, r.hi};
    }
    b->class_from = from;
    b->class_to = to;
    if (ok)
        lax_ranges(ranges.at, n.b, n.c & CLASS_WARY, add_lax, b);
    else
        diag_no_memory(b->err);
    vec_free(b->mem, &ranges);
}

static void add_class(NfaBuild *b, Node n, uint32_t from, uint32_t to)
{
    tails_clear(b);
    if (n.c) {
        add_lax_class(b, n, from, to);
        return;
    }
    for (uint32_t i = 0; i < n.b && !b->err->status; i++) {
        Range r = b->ir->ranges.at[n.a + i];
        add_range(b, r.lo, r.hi, from, to);
    }
}

/* Whether edge e of a state, which has edges up to `end`, and the one after it
 * lead to one state over all that is not ASCII, surrogates being nothing. */
static bool is_beyond(const Dfa *d, uint32_t e, uint32_t end)
{
    const DfaEdge *edge = &d->edges[e];
    return e + 2 == end && edge[0].lo <= 0x80 && edge[0].hi == 0xD7FF &&
           edge[1].lo == 0xE000 && edge[1].hi == 0x10FFFF &&
           edge[0].to == edge[1].to;
}

/* The position from which all that is not ASCII leads to `to`; *made: 0, or it.
 */
static uint32_t beyond_pos(NfaBuild *b, uint32_t to, uint32_t *made)
{
    if (*made) return *made;
    *made = pos_new(b);
    add_range(b, 0x80, 0xD7FF, *made, to);
    add_range(b, 0xE000, 0x10FFFF, *made, to);
    return *made;
}

/* The edges of state s. Where it goes on over all that is not ASCII, it does so
 * by way of a position that states share, but for bounded languages: that one
 * would be between characters and in the middle of one. */
static void add_state(NfaBuild *b, const Dfa *d, uint32_t s, uint32_t base,
                      uint32_t *beyond)
{
    uint32_t end = d->edge_start[s + 1];
    for (uint32_t i = d->edge_start[s]; i < end && !b->err->status; i++) {
        DfaEdge e = d->edges[i];
        if (beyond && is_beyond(d, i, end)) {
            if (e.lo < 0x80)
                edge_byte(b, base + s, (uint8_t)e.lo, 0x7F, base + e.to);
            edge_empty(b, base + s, beyond_pos(b, base + e.to, &beyond[e.to]));
            return;
        }
        if (e.hi < 0x80)
            edge_byte(b, base + s, (uint8_t)e.lo, (uint8_t)e.hi, base + e.to);
        else
            add_range(b, e.lo, e.hi, base + s, base + e.to);
    }
}

static void add_regular(NfaBuild *b, const Dfa *d, const BoundedSpec *spec,
                        uint32_t from, uint32_t to)
{
    uint32_t *beyond = NULL;
    size_t nbytes = d->nstates * sizeof *beyond;
    tails_clear(b);
    if (!spec && !(beyond = mem_zero(b->mem, nbytes))) diag_no_memory(b->err);
    uint32_t base = b->npos; /* positions base + s for the states s */
    size_t nedges = (size_t)d->edge_start[d->nstates] + d->nstates;
    if (!vec_reserve(b->mem, &b->edges, b->edges.count + nedges))
        diag_no_memory(b->err);
    NfaDfa automaton = {.dfa = d, .base = base, .end = to, .kind = b->kind.lo};
    if (!vec_push(b->mem, &b->automata, automaton)) diag_no_memory(b->err);
    for (uint32_t s = 0; s < d->nstates && !b->err->status; s++) {
        uint32_t pos = pos_new(b);
        if (spec && !b->err->status)
            b->bounds.at[pos] = (NfaBound){spec->need[s], spec->ticks[s]};
    }
    edge_empty(b, from, base);
    for (uint32_t s = 0; s < d->nstates && !b->err->status; s++) {
        if (d->accepts[s]) edge_empty(b, base + s, to);
        add_state(b, d, s, base, beyond);
    }
    mem_free(b->mem, beyond, nbytes);
}

static void add_seq(NfaBuild *b, Node n, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < n.b && !b->err->status; i++) {
        uint32_t next = i + 1 < n.b ? pos_new(b) : to;
        task_add(b, b->ir->kids.at[n.a + i], from, next);
        from = next;
    }
}

/* lo copies, then either hi - lo optional ones or a loop. */
static void add_unrolled(NfaBuild *b, Node n, uint32_t from, uint32_t to)
{
    uint32_t copies = n.c == REPEAT_INF ? n.b : n.c;
    for (uint32_t i = 0; i < copies && !b->err->status; i++) {
        uint32_t next = pos_new(b);
        task_add(b, n.a, from, next);
        if (i >= n.b) edge_empty(b, from, to);
        from = next;
    }
    if (n.c == REPEAT_INF) {
        uint32_t loop = pos_new(b);
        edge_empty(b, from, loop);
        uint32_t body = pos_new(b), end = pos_new(b);
        edge_empty(b, loop, body);
        task_add(b, n.a, body, end);
        edge_empty(b, end, loop);
        from = loop;
    }
    edge_empty(b, from, to);
}

static void add_edge_of(NfaBuild *b, NfaEdgeKind kind, Task t)
{
    edge_add(b, t.from,
             (NfaEdge){.kind = (uint8_t)kind, .node = t.node, .to = t.to});
}

static void run_task(NfaBuild *b, Task t)
{
    Node n = ir_node(b->ir, t.node);
    switch (n.kind) {
    case NODE_NEVER:
    case NODE_KINDS:
        break;
    case NODE_EMPTY:
        edge_empty(b, t.from, t.to);
        break;
    case NODE_BYTES:
        add_bytes(b, ir_node_bytes(b->ir, n), t.from, t.to);
        break;
    case NODE_CLASS:
        add_class(b, n, t.from, t.to);
        break;
    case NODE_SEQ:
        add_seq(b, n, t.from, t.to);
        break;
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            task_add(b, b->ir->kids.at[n.a + i], t.from, t.to);
        break;
    case NODE_REPEAT:
        if (repeat_form(b->lowered, n) == REPEAT_UNROLLED) {
            add_unrolled(b, n, t.from, t.to);
            break;
        }
        if (!n.b) edge_empty(b, t.from, t.to);
        add_edge_of(b, NFA_CALL, t);
        break;
    case NODE_RULE:
    case NODE_LIST:
        add_edge_of(b, NFA_CALL, t);
        break;
    case NODE_REGULAR:
        add_regular(b, &b->ir->dfas.at[n.a], NULL, t.from, t.to);
        break;
    case NODE_BOUNDED:
        if (ir_node_dfa(b->ir, n)->accepts[0]) edge_empty(b, t.from, t.to);
        add_edge_of(b, NFA_CALL, t);
        break;
    case NODE_TOKENS:
        add_edge_of(b, NFA_TOKENS, t);
        break;
    }
}

/* Edges in order of their position: counting sort, one slot shifted so that
 * filling moves each start to its place. */
static Nfa *nfa_pack(NfaBuild *b, Arena *arena)
{
    Nfa *nfa = arena_new(arena, Nfa);
    uint32_t *start = arena_zero(arena, (b->npos + 2) * sizeof *start);
    NfaEdge *edges = arena_array(arena, NfaEdge, b->edges.count + 1);
    uint32_t *mark = arena_zero(arena, b->npos * sizeof *mark);
    uint8_t *ways = arena_zero(arena, b->npos);
    NfaDfa *automata =
        arena_copy(arena, b->automata.at, b->automata.count * sizeof *automata);
    if (!nfa || !start || !edges || !mark || !ways || !automata) return NULL;
    for (uint32_t i = 0; i < b->edges.count; i++) {
        const RawEdge *raw = &b->edges.at[i];
        start[raw->from + 2]++;
        ways[raw->from] |=
            raw->edge.kind == NFA_EMPTY ? NFA_WAY_EMPTY : NFA_WAY_INPUT;
    }
    for (uint32_t p = 1; p < b->npos + 2; p++) start[p] += start[p - 1];
    for (uint32_t i = 0; i < b->edges.count; i++)
        edges[start[b->edges.at[i].from + 1]++] = b->edges.at[i].edge;
    *nfa = (Nfa){.npos = b->npos,
                 .edge_start = start,
                 .edges = edges,
                 .ways = ways,
                 .mark = mark,
                 .automata = automata,
                 .nautomata = b->automata.count};
    if (!b->held.count) return nfa;
    nfa->held = arena_zero(arena, b->npos);
    if (!nfa->held) return NULL;
    for (uint32_t i = 0; i < b->held.count; i++) nfa->held[b->held.at[i]] = 1;
    return nfa;
}

static void run_tasks(NfaBuild *b)
{
    while (b->tasks.count && !b->err->status)
        run_task(b, b->tasks.at[--b->tasks.count]);
}

/* scratch: bytes that it most often needs; 0: few. */
static void build_begin(NfaBuild *b, const Ir *ir, const Lowered *lowered,
                        size_t scratch, weir_error *err)
{
    *b = (NfaBuild){.ir = ir, .lowered = lowered, .err = err, .npos = 2};
    uint64_t most = (uint64_t)ir->limits.max_states * POSITIONS_PER_STATE;
    b->max_pos = (uint32_t)MIN(most, UINT32_MAX / 2);
    blocks_init(&b->blocks, ir->mem, scratch);
    b->mem = &b->blocks.mem;
}

static Nfa *build_end(NfaBuild *b, Arena *arena)
{
    Nfa *nfa = b->err->status ? NULL : nfa_pack(b, arena);
    vec_free(b->mem, &b->edges);
    vec_free(b->mem, &b->tasks);
    vec_free(b->mem, &b->tails);
    map_free(b->mem, &b->tail_index);
    vec_free(b->mem, &b->held);
    vec_free(b->mem, &b->kinds);
    vec_free(b->mem, &b->path);
    vec_free(b->mem, &b->heads);
    vec_free(b->mem, &b->automata);
    vec_free(b->mem, &b->bounds);
    blocks_free(&b->blocks);
    return nfa;
}

Nfa *nfa_build(const Ir *ir, const Lowered *lowered, NodeId node, bool one_copy,
               Arena *arena, weir_error *err)
{
    NfaBuild b;
    build_begin(&b, ir, lowered, 0, err);
    Node top = ir_node(ir, node);
    task_add(&b, one_copy && top.kind == NODE_REPEAT ? top.a : node, 0, 1);
    run_tasks(&b);
    return build_end(&b, arena);
}

Nfa *nfa_build_bounded(const Ir *ir, const Lowered *lowered, NodeId node,
                       Arena *arena, weir_error *err)
{
    NfaBuild b;
    build_begin(&b, ir, lowered, 0, err);
    const BoundedSpec *spec = ir_node_bounded(ir, ir_node(ir, node));
    b.is_bounded = true;
    b.npos = 0;
    for (int i = 0; i < 2; i++) pos_new(&b);
    if (!err->status) {
        b.bounds.at[NFA_ENTRY] = (NfaBound){spec->need[0], false};
        b.bounds.at[NFA_EXIT] = (NfaBound){0, true};
        add_regular(&b, &spec->dfa, spec, NFA_ENTRY, NFA_EXIT);
    }
    uint32_t npos = b.npos;
    NfaBound *bound =
        err->status ? NULL
                    : arena_copy(arena, b.bounds.at, npos * sizeof *bound);
    Nfa *nfa = build_end(&b, arena);
    if (!nfa || !bound) return NULL;
    nfa->bound = bound;
    return nfa;
}

/* ---- lists ---- */

/* The position after a head's bytes, sharing those that `before`, the bytes of
 * the head before it in the order of bytes, has already: b->path. */
static uint32_t add_prefix(NfaBuild *b, Span before, Span bytes)
{
    size_t same = 0;
    while (same < MIN(before.size, bytes.size) &&
           before.at[same] == bytes.at[same])
        same++;
    for (size_t i = 1; i <= same; i++)
        b->kinds.at[b->path.at[i]].hi = b->kind.hi;
    b->path.count = (uint32_t)same + 1;
    for (size_t i = same; i < bytes.size && !b->err->status; i++) {
        uint32_t from = b->path.at[b->path.count - 1], to = pos_new(b);
        edge_byte(b, from, bytes.at[i], bytes.at[i], to);
        if (!vec_push(b->mem, &b->path, to)) diag_no_memory(b->err);
    }
    return b->path.at[b->path.count - 1];
}

/* What a head has after its bytes. */
static void add_head_rest(NfaBuild *b, NodeId head, uint32_t from, uint32_t to)
{
    Node n = ir_node(b->ir, head);
    if (n.kind == NODE_SEQ && list_prefix(b->ir, head).size) {
        for (uint32_t i = 1; i < n.b && !b->err->status; i++) {
            uint32_t next = i + 1 < n.b ? pos_new(b) : to;
            task_add(b, ir_node_kids(b->ir, n)[i], from, next);
            from = next;
        }
    } else {
        task_add(b, n.kind == NODE_BYTES ? NODE_EMPTY_ID : head, from, to);
    }
}

/* True if a node has no calls, as far as can be told a few levels deep. */
static bool is_regular(const NfaBuild *b, NodeId id, uint32_t depth)
{
    Node n = ir_node(b->ir, id);
    switch (n.kind) {
    case NODE_EMPTY:
    case NODE_BYTES:
    case NODE_CLASS:
    case NODE_REGULAR:
        return true;
    case NODE_REPEAT:
        return depth && repeat_form(b->lowered, n) == REPEAT_UNROLLED &&
               is_regular(b, n.a, depth - 1);
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; depth && i < n.b; i++)
            if (!is_regular(b, b->ir->kids.at[n.a + i], depth - 1))
                return false;
        return depth > 0;
    default:
        return false;
    }
}

/* True for a unique head whose states are the list's own: so a key is read
 * together with the names that it may turn out to be. */
static bool is_inlined(const NfaBuild *b, const ListKind *kind)
{
    enum { DEPTH = 4 };
    return kind->unique == LIST_UNIQUE_STRING && kind->tail != NODE_EMPTY_ID &&
           is_regular(b, kind->head, DEPTH);
}

static void add_item(NfaBuild *b, const ListKind *kind, uint32_t from,
                     uint32_t done, uint32_t after_head)
{
    uint32_t own = pos_new(b), tail = done, first = b->npos;
    bool is_call = kind->unique && !is_inlined(b, kind);
    edge_empty(b, from, own);
    if (kind->unique) tail = after_head;
    if (kind->tail != NODE_EMPTY_ID) {
        if (!kind->unique) tail = pos_new(b);
        add_edge_of(b, NFA_CALL, (Task){kind->tail, tail, done});
    } else if (kind->unique) {
        edge_empty(b, tail, done);
    }
    if (is_call)
        add_edge_of(b, NFA_CALL, (Task){kind->head, own, tail});
    else if (kind->unique)
        task_add(b, kind->head, own, tail);
    else
        add_head_rest(b, kind->head, own, tail);
    run_tasks(b);
    if (!kind->unique || is_call) first = b->npos;
    if (!vec_push(b->mem, &b->heads, (Range){first, b->npos}))
        diag_no_memory(b->err);
}

/* The bytes of a head that items share. */
static Span shared_prefix(const NfaBuild *b, const ListKind *kind)
{
    return kind->unique ? (Span){0} : list_prefix(b->ir, kind->head);
}

static void add_list(NfaBuild *b, const ListSpec *list)
{
    Span before = {0};
    for (uint32_t i = 0; i < list->nkinds && !b->err->status; i++) {
        Span bytes = shared_prefix(b, &list->kinds[i]);
        b->kind = (Range){i, i + 1};
        uint32_t from = add_prefix(b, before, bytes);
        uint32_t done = LIST_DONE + i;
        if (!b->err->status)
            add_item(b, &list->kinds[i], from, done, done + list->nkinds);
        before = bytes;
    }
}

/* The positions that every list has. */
static void list_positions(NfaBuild *b, const ListSpec *list)
{
    b->is_list = true;
    b->npos = 0;
    b->kind = (Range){0, list->nkinds};
    while (b->npos < LIST_DONE && !b->err->status) pos_new(b);
    for (uint32_t i = 0; i < 2 * list->nkinds && !b->err->status; i++) {
        b->kind = (Range){i % list->nkinds, i % list->nkinds + 1};
        pos_new(b);
    }
    if (!vec_push(b->mem, &b->path, LIST_ITEMS)) diag_no_memory(b->err);
}

Nfa *nfa_build_list(const Ir *ir, const Lowered *lowered, NodeId node,
                    Arena *arena, weir_error *err)
{
    NfaBuild b;
    build_begin(&b, ir, lowered, LIST_SCRATCH, err);
    const ListSpec *list = ir_node_list(ir, ir_node(ir, node));
    list_positions(&b, list);
    b.kind = (Range){0, list->nkinds};
    edge_empty(&b, NFA_ENTRY, LIST_ITEMS);
    task_add(&b, list->separator, LIST_AFTER, LIST_ITEMS);
    run_tasks(&b);
    if (!err->status) add_list(&b, list);
    uint32_t npos = b.npos;
    Range *kind = NULL, *heads = NULL;
    if (!err->status) {
        kind = arena_copy(arena, b.kinds.at, npos * sizeof *kind);
        heads = arena_copy(arena, b.heads.at, b.heads.count * sizeof *heads);
    }
    Nfa *nfa = build_end(&b, arena);
    if (!nfa || !kind || !heads) return NULL;
    nfa->kind = kind;
    nfa->heads = heads;
    nfa->nkinds = list->nkinds;
    return nfa;
}

/* ---- subsets ---- */

static bool pos_matters(const Nfa *nfa, uint32_t pos)
{
    return nfa->ways[pos] & NFA_WAY_INPUT || pos == NFA_EXIT ||
           nfa_done(nfa, pos) != UINT32_MAX;
}

/* Ascending, and nothing to follow or to leave out: the usual case. */
static bool is_closed(const Nfa *nfa, const PosSet *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (nfa->ways[set->at[i]] != NFA_WAY_INPUT ||
            (i && set->at[i] <= set->at[i - 1]))
            return false;
    return true;
}

bool nfa_close(Nfa *nfa, const Mem *mem, PosSet *set)
{
    if (is_closed(nfa, set)) return true;
    uint32_t epoch = ++nfa->epoch, kept = 0;
    uint32_t given = set->count;
    set->count = 0;
    for (uint32_t i = 0; i < given; i++) {
        uint32_t pos = set->at[i];
        if (nfa->mark[pos] == epoch) continue;
        nfa->mark[pos] = epoch;
        set->at[set->count++] = pos;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t pos = set->at[i], end = nfa->edge_start[pos + 1];
        if (!(nfa->ways[pos] & NFA_WAY_EMPTY)) continue;
        for (uint32_t e = nfa->edge_start[pos]; e < end; e++) {
            uint32_t to = nfa->edges[e].to;
            if (nfa->edges[e].kind != NFA_EMPTY || nfa->mark[to] == epoch)
                continue;
            nfa->mark[to] = epoch;
            if (!vec_push(mem, set, to)) return false;
        }
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (pos_matters(nfa, set->at[i])) set->at[kept++] = set->at[i];
    set->count = kept;
    sort_numbers(set->at, kept);
    return true;
}

bool nfa_step(Nfa *nfa, const Mem *mem, const uint32_t *pos, uint32_t npos,
              uint8_t byte, PosSet *out, Range *like)
{
    uint32_t lo = 0, hi = 255;
    out->count = 0;
    for (uint32_t i = 0; i < npos; i++) {
        uint32_t end = nfa->edge_start[pos[i] + 1];
        for (uint32_t e = nfa->edge_start[pos[i]]; e < end; e++) {
            const NfaEdge *edge = &nfa->edges[e];
            if (edge->kind != NFA_BYTE) continue;
            if (edge->hi < byte) {
                lo = MAX(lo, edge->hi + 1u);
            } else if (edge->lo > byte) {
                hi = MIN(hi, edge->lo - 1u);
            } else {
                lo = MAX(lo, edge->lo);
                hi = MIN(hi, edge->hi);
                if (!vec_push(mem, out, edge->to)) return false;
            }
        }
    }
    *like = (Range){lo, hi};
    return nfa_close(nfa, mem, out);
}

/* ---- prefix freedom ---- */

bool nfa_has_calls(const Nfa *nfa)
{
    for (uint32_t e = 0; e < nfa->edge_start[nfa->npos]; e++)
        if (nfa->edges[e].kind == NFA_CALL || nfa->edges[e].kind == NFA_TOKENS)
            return true;
    return false;
}

typedef struct Explore {
    VEC(uint32_t) pool;  /* positions of all subsets */
    VEC(uint32_t) start; /* by subset */
    PosSet next;
} Explore;

/* Adds `next` unless it is known; false: not prefix free, or too many. */
static bool explore_add(Explore *x, const Mem *mem)
{
    uint32_t n = x->next.count;
    for (uint32_t i = 0; i + 1 < x->start.count; i++) {
        uint32_t at = x->start.at[i], size = x->start.at[i + 1] - at;
        if (size == n &&
            !memcmp(x->pool.at + at, x->next.at, n * sizeof(uint32_t)))
            return true;
    }
    if (x->start.count > PREFIX_FREE_STATES) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (x->next.at[i] == NFA_EXIT && n > 1) return false;
        if (!vec_push(mem, &x->pool, x->next.at[i])) return false;
    }
    return vec_push(mem, &x->start, x->pool.count);
}

static bool explore_all(Explore *x, Nfa *nfa, const Mem *mem)
{
    if (!vec_push(mem, &x->start, 0) || !vec_push(mem, &x->next, NFA_ENTRY) ||
        !nfa_close(nfa, mem, &x->next) || !explore_add(x, mem))
        return false;
    for (uint32_t i = 0; i + 1 < x->start.count; i++)
        for (unsigned b = 0; b < 256;) {
            uint32_t at = x->start.at[i], size = x->start.at[i + 1] - at;
            const uint32_t *pos = x->pool.at + at;
            Range like;
            if (!nfa_step(nfa, mem, pos, size, (uint8_t)b, &x->next, &like))
                return false;
            b = like.hi + 1;
            if (x->next.count && !explore_add(x, mem)) return false;
        }
    return true;
}

bool nfa_is_prefix_free(Nfa *nfa, const Mem *mem)
{
    Explore x = {{0}, {0}, {0}};
    bool is = !nfa_has_calls(nfa) && explore_all(&x, nfa, mem);
    vec_free(mem, &x.pool);
    vec_free(mem, &x.start);
    vec_free(mem, &x.next);
    return is;
}
