/* step.c: what a byte or a token does in a state, calls included.
 *
 * step(q, b) = the move to the subset after b, if not empty, and for each call
 * (f, ret) of q, with s = start of f, every move of step(s, b) with `ret`
 * pushed below what it pushes. A `ret` with nothing left to do is not pushed
 * (tail call); a move that ends at once in a final state takes the return
 * point it has just pushed instead. Registers of a callee start at 0, so they
 * become constants on the way. At the end of an item of a list only the tally
 * in the register knows the state: such a move or push names the kind.
 * Tests: unit/network_test.c.
 */
#include "network/list_frame.h"

const Step step_dead = {0};

typedef VEC(Push) Pushes;

/* Moves in the making; kept with the network, to be used again. */
typedef struct MoveList {
    Network *net;
    VEC(Move) moves;
    Range like;              /* bytes, [lo, hi], that all have these moves */
    Pushes pushes;           /* scratch of one move */
    PosSet set, heads, done; /* scratch of the local one */
} MoveList;

static const RegOp reg_keep = {.adds = true};

static bool op_same(RegOp a, RegOp b)
{
    return a.reg == b.reg && a.adds == b.adds &&
           a.is_deadline == b.is_deadline && a.counts == b.counts &&
           a.begins == b.begins;
}

static bool move_same(const Move *a, const Move *b)
{
    if (a->to != b->to || !op_same(a->op, b->op) || a->npush != b->npush)
        return false;
    for (uint32_t i = 0; i < a->npush; i++)
        if (a->push[i].state != b->push[i].state ||
            !op_same(a->push[i].op, b->push[i].op))
            return false;
    return true;
}

/* NULL: no memory. */
static MoveList *list_take(Network *net)
{
    MoveList *list = net->scratch.count ? net->scratch.at[--net->scratch.count]
                                        : mem_zero(net->mem, sizeof *list);
    if (!list) return network_no_memory(net), NULL;
    list->net = net;
    list->moves.count = list->pushes.count = 0;
    return list;
}

static void list_free(MoveList *list)
{
    const Mem *mem = list->net->mem;
    vec_free(mem, &list->moves);
    vec_free(mem, &list->pushes);
    vec_free(mem, &list->set);
    vec_free(mem, &list->heads);
    vec_free(mem, &list->done);
    mem_free(mem, list, sizeof *list);
}

static void list_give(MoveList *list)
{
    Network *net = list->net;
    if (!vec_push(net->mem, &net->scratch, list)) list_free(list);
}

size_t movelists_bytes(const Network *net)
{
    size_t nbytes = vec_bytes(&net->scratch);
    for (uint32_t i = 0; i < net->scratch.count; i++) {
        const MoveList *list = net->scratch.at[i];
        nbytes += sizeof *list + vec_bytes(&list->moves) +
                  vec_bytes(&list->pushes) + vec_bytes(&list->set) +
                  vec_bytes(&list->heads) + vec_bytes(&list->done);
    }
    return nbytes;
}

void movelists_free(Network *net)
{
    for (uint32_t i = 0; i < net->scratch.count; i++)
        list_free(net->scratch.at[i]);
    vec_free(net->mem, &net->scratch);
}

/* Adds `m` with list->pushes as its return points, unless it is there. */
static bool move_add(MoveList *list, Move m)
{
    Network *net = list->net;
    m.push = list->pushes.at;
    m.npush = list->pushes.count;
    for (uint32_t i = 0; i < list->moves.count; i++)
        if (move_same(&list->moves.at[i], &m)) return true;
    m.push = arena_copy(&net->arena, m.push, m.npush * sizeof *m.push);
    if (!m.push || !vec_push(net->mem, &list->moves, m))
        return network_no_memory(net);
    return true;
}

/* A callee's register operation seen from the caller: the register was 0.
 * False: error. */
static bool op_constant(Network *net, RegOp *op, State **to)
{
    if (op->is_deadline) return true;
    if (op->begins) {
        *op = (RegOp){.begins = true};
        return true;
    }
    Landing l = {*to, 0};
    if (op->counts)
        l = list_land_within(net, *to, 0, op->reg);
    else
        l.reg = reg_apply(*op, 0, *to);
    *to = l.state;
    *op = (RegOp){.reg = l.reg};
    return l.state != NULL;
}

/* The markers of a callee with options. */
static bool push_markers(MoveList *list, Frame *callee)
{
    if (!frame_markers(callee)) return false;
    for (int i = 0; i < 2; i++) {
        RegOp op = {.reg = callee->budgets[i], .is_deadline = true};
        if (callee->markers[i] && !vec_push(list->net->mem, &list->pushes,
                                            (Push){callee->markers[i], op}))
            return network_no_memory(list->net);
    }
    return true;
}

/* Where q's call returns to. */
static bool push_ret(MoveList *list, State *q, Call *call)
{
    Network *net = list->net;
    State *ret = call_ret(net, q, call);
    if (!ret) return false;
    RegOp op = ret->is_loop ? (RegOp){.reg = 1, .adds = true} : reg_keep;
    if (call->ends_item != NO_KIND)
        op = (RegOp){.reg = call->ends_item, .counts = true};
    op.begins = call->is_head;
    return (ret->is_final && !op.counts && !op.begins) ||
           vec_push(net->mem, &list->pushes, (Push){ret, op}) ||
           network_no_memory(net);
}

/* The callee's own return points; one that a tally leaves nothing to do is
 * left out. */
static bool push_moved(MoveList *list, const Move *m)
{
    Network *net = list->net;
    for (uint32_t i = 0; i < m->npush; i++) {
        Push p = m->push[i];
        bool counts = p.op.counts;
        if (!op_constant(net, &p.op, &p.state)) return false;
        if (counts && p.state->is_final) continue;
        if (!vec_push(net->mem, &list->pushes, p))
            return network_no_memory(net);
    }
    return true;
}

/* Whether it matters that a rule has been read, though it is over already. */
static bool is_capture(const State *q)
{
    const RuleOptions *o = q->is_marker ? q->frame->options : NULL;
    const uint32_t kinds = RULE_HAS_CAPTURE | RULE_HAS_STOP_CAPTURE;
    return o && !q->by_chars && o->has & kinds;
}

/* The move m of the start of call's callee, made by q's call. What is done
 * returns at once, but for a marker that captures. */
static bool move_through(MoveList *list, State *q, Call *call, const Move *m)
{
    list->pushes.count = 0;
    Move made = {.to = m->to, .op = m->op};
    if (!push_ret(list, q, call) || !push_markers(list, call->callee) ||
        !push_moved(list, m) || !op_constant(list->net, &made.op, &made.to))
        return false;
    while (list->pushes.count && !made.op.counts && !made.op.begins &&
           !is_capture(made.to) && state_is_done(made.to, made.op.reg) &&
           !made.op.adds) {
        Push top = list->pushes.at[--list->pushes.count];
        made.to = top.state;
        made.op = is_capture(top.state) ? (RegOp){0} : top.op;
    }
    return move_add(list, made);
}

/* Sorts the positions behind heads that must be unique out of the set. */
static bool part_heads(MoveList *list, const Nfa *nfa)
{
    PosSet *set = &list->set;
    uint32_t kept = 0;
    list->heads.count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (!nfa_is_head(nfa, set->at[i]))
            set->at[kept++] = set->at[i];
        else if (!vec_push(list->net->mem, &list->heads, set->at[i]))
            return network_no_memory(list->net);
    }
    set->count = kept;
    return true;
}

/* A move to a set of positions, sorted out. */
static bool move_items(MoveList *list, State *q, PosSet *set)
{
    const KindSet *kinds;
    if (!list_sort(q->frame, q->kinds, set, &kinds, &list->done)) return false;
    if (!set->count) return true;
    State *to = state_intern(q->frame, set, kinds);
    return to && move_add(list, (Move){.to = to, .op = reg_keep});
}

/* A move inside a list's frame, to the closed list->set. */
static bool move_list(MoveList *list, State *q)
{
    Frame *f = q->frame;
    list->done.count = 0;
    bool ok = !f->has_unique || part_heads(list, f->nfa);
    ok = ok && move_items(list, q, &list->set) &&
         (!f->has_unique || move_items(list, q, &list->heads));
    for (uint32_t i = 0; ok && i < list->done.count; i++)
        ok = move_add(list,
                      (Move){.to = f->start,
                             .op = {.reg = list->done.at[i], .counts = true}});
    return ok;
}

/* A move inside the frame, to the closed list->set. */
static bool move_local(MoveList *list, State *q)
{
    Frame *f = q->frame;
    PosSet *set = &list->set;
    if (!set->count) return true;
    list->pushes.count = 0;
    if (f->list) return move_list(list, q);
    if (set_ends_copy(f, set))
        return move_add(list,
                        (Move){.to = f->start, .op = {.reg = 1, .adds = true}});
    State *to = state_intern(f, set, NULL);
    if (!to) return false;
    bool counts = f->is_bounded && to->is_loop;
    return move_add(list,
                    (Move){.to = to, .op = {.reg = counts, .adds = true}});
}

/* The only edge of a position, if that is over bytes; or NULL. */
static const NfaEdge *only_edge(const Nfa *nfa, uint32_t pos)
{
    const NfaEdge *edge = &nfa->edges[nfa->edge_start[pos]];
    bool is_only = nfa->edge_start[pos + 1] == nfa->edge_start[pos] + 1;
    return is_only && edge->kind == NFA_BYTE ? edge : NULL;
}

/* Inside a text that a frame spells byte by byte, as names of members are: the
 * position that is behind q's only one, if that is as simple and, in a list,
 * part of the same items. UINT32_MAX: it is not so. */
static uint32_t chain_next(const State *q)
{
    const Frame *f = q->frame;
    const Nfa *nfa = f->nfa;
    if (!nfa || q->npos != 1 || f->is_counted || nfa->held) return UINT32_MAX;
    const NfaEdge *edge = only_edge(nfa, q->pos[0]);
    const NfaEdge *next = edge ? only_edge(nfa, edge->to) : NULL;
    if (!next) return UINT32_MAX;
    if (!nfa->kind) return edge->to;
    Range at = nfa->kind[q->pos[0]], then = nfa->kind[next->to];
    return at.lo == then.lo && at.hi == then.hi ? edge->to : UINT32_MAX;
}

static bool move_along(MoveList *list, State *q, uint32_t pos)
{
    PosSet set = {.at = &pos, .count = 1};
    State *to = state_intern(q->frame, &set, q->kinds);
    return to && move_add(list, (Move){.to = to, .op = reg_keep});
}

static bool local_moves(MoveList *list, State *q, uint8_t byte)
{
    Network *net = list->net;
    Range like;
    if (!byteset_has(&q->local, byte)) return true;
    uint32_t next = chain_next(q);
    if (next != UINT32_MAX) return move_along(list, q, next);
    if (!nfa_step(q->frame->nfa, net->mem, q->pos, q->npos, byte, &list->set,
                  &like))
        return network_no_memory(net);
    if (!q->ncalls) list->like = like;
    return move_local(list, q);
}

static bool call_moves(MoveList *list, State *q, Call *call, uint8_t byte)
{
    State *start = callee_start(list->net, call->callee);
    if (!start) return false;
    if (!byteset_has(&start->first, byte)) return true;
    uintptr_t cell = next_cell(list->net, start, byte);
    if (!cell) return false;
    if (CELL_IS_STATE(cell)) {
        Move plain = {.to = cell_state(cell), .op = reg_keep};
        return move_through(list, q, call, &plain);
    }
    const Step *step = cell_step(cell);
    for (uint32_t i = 0; i < step->count; i++)
        if (!move_through(list, q, call, &step->at[i])) return false;
    return true;
}

/* True when the short form says it all of a move from q: nothing is needed
 * there that was not needed for any move. */
static bool move_is_plain(const State *q, const Move *m)
{
    return !m->npush && op_same(m->op, reg_keep) && !m->to->is_final &&
           !m->to->is_loop && !m->to->ends_head && m->to->need <= q->more;
}

/* True when what is to be pushed always is, registers are op_value, and records
 * of what must be unique (matcher/unique.h) stay. */
static bool move_is_simple(const State *q, const Move *m)
{
    bool is_simple = op_is_plain(m->op, m->to) && !q->frame->has_unique &&
                     !m->to->frame->has_unique;
    for (uint32_t i = 0; i < m->npush; i++) {
        const State *ret = m->push[i].state;
        is_simple = is_simple && op_is_plain(m->push[i].op, ret) &&
                    !ret->is_loop && !ret->is_final && !ret->frame->has_unique;
    }
    return is_simple;
}

static uintptr_t moves_pack(MoveList *list, const State *q)
{
    uint32_t n = list->moves.count;
    if (!n) return (uintptr_t)&step_dead;
    if (n == 1 && move_is_plain(q, &list->moves.at[0]))
        return (uintptr_t)list->moves.at[0].to | 1;
    Step *step =
        arena_alloc(&list->net->arena, sizeof *step + n * sizeof(Move));
    if (!step) return network_no_memory(list->net), 0;
    step->count = n;
    step->is_simple = n == 1 && move_is_simple(q, &list->moves.at[0]);
    memcpy(step->at, list->moves.at, n * sizeof(Move));
    return (uintptr_t)step;
}

static void cell_store(State *q, Range bytes, uintptr_t cell)
{
    for (uint32_t b = bytes.lo; b <= bytes.hi; b++)
        if (b == bytes.lo || q->map[b] != q->map[b - 1])
            atomic_store_explicit(&q->next[q->map[b]], cell,
                                  memory_order_release);
}

/* The cell of `byte`, filed; 0 on error. */
static uintptr_t step_make(Network *net, State *q, uint8_t byte)
{
    MoveList *list = list_take(net);
    if (!list) return 0;
    list->like = (Range){byte, byte};
    bool ok = local_moves(list, q, byte);
    for (uint32_t i = 0; ok && i < q->ncalls; i++)
        ok = call_moves(list, q, &q->calls[i], byte);
    uintptr_t cell = ok ? moves_pack(list, q) : 0;
    if (cell) cell_store(q, list->like, cell);
    list_give(list);
    return cell;
}

uintptr_t next_cell(Network *net, State *q, uint8_t byte)
{
    NextCell *slot = &q->next[q->map[byte]];
    uintptr_t cell = atomic_load_explicit(slot, memory_order_acquire);
    if (cell) return cell;
    if (q->frame->network != net) {
        cell = state_next_make(q, byte);
        if (!cell) net->error = network_error(q->frame->network);
        return cell;
    }
    return step_make(net, q, byte);
}

/* ---- entries ---- */

Entries *entries_make(Network *net, State *q)
{
    MoveList *list = list_take(net);
    Entries *out = NULL;
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < q->ncalls; i++) {
        State *start = callee_start(net, q->calls[i].callee);
        Move enter = {.to = start, .op = reg_keep};
        ok = start && move_through(list, q, &q->calls[i], &enter);
    }
    uint32_t n = list ? list->moves.count : 0;
    if (ok && !(out = arena_alloc(&net->arena, sizeof *out + n * sizeof(Move))))
        network_no_memory(net);
    if (out) {
        out->count = n;
        if (n) memcpy(out->at, list->moves.at, n * sizeof(Move));
    }
    if (list) list_give(list);
    return out;
}

/* ---- tokens ---- */

typedef struct TokenList {
    MoveList *list; /* one move at a time */
    VEC(TokenMove) made;
} TokenList;

/* Takes the moves that list holds as moves on `set`. */
static bool tokens_take(TokenList *t, const Network *network, NodeId set)
{
    for (uint32_t i = 0; i < t->list->moves.count; i++) {
        TokenMove m = {network, set, t->list->moves.at[i]};
        if (!vec_push(t->list->net->mem, &t->made, m))
            return network_no_memory(t->list->net);
    }
    t->list->moves.count = 0;
    return true;
}

/* All targets of the edges with one set, as one move. */
static bool local_tokens(TokenList *t, State *q, NodeId set)
{
    Network *net = t->list->net;
    const Nfa *nfa = q->frame->nfa;
    PosSet *to = &t->list->set;
    bool ok = true;
    to->count = 0;
    for (uint32_t i = 0; ok && i < q->npos; i++)
        for (uint32_t e = nfa->edge_start[q->pos[i]];
             ok && e < nfa->edge_start[q->pos[i] + 1]; e++)
            if (nfa->edges[e].kind == NFA_TOKENS && nfa->edges[e].node == set)
                ok = vec_push(net->mem, to, nfa->edges[e].to);
    ok = ok && nfa_close(q->frame->nfa, net->mem, to);
    ok = ok ? move_local(t->list, q) : network_no_memory(net);
    return ok && tokens_take(t, net, set);
}

static bool token_seen(const TokenList *t, NodeId set)
{
    for (uint32_t i = 0; i < t->made.count; i++)
        if (t->made.at[i].set == set) return true;
    return false;
}

static bool own_tokens(TokenList *t, State *q)
{
    const Nfa *nfa = q->frame->nfa;
    for (uint32_t i = 0; nfa && i < q->npos; i++)
        for (uint32_t e = nfa->edge_start[q->pos[i]];
             e < nfa->edge_start[q->pos[i] + 1]; e++)
            if (nfa->edges[e].kind == NFA_TOKENS &&
                !token_seen(t, nfa->edges[e].node) &&
                !local_tokens(t, q, nfa->edges[e].node))
                return false;
    return true;
}

static const TokenMoves *tokens_of(Network *net, State *q)
{
    TokenMoves *known = atomic_load_explicit(&q->tokens, memory_order_acquire);
    if (known) return known;
    if (q->frame->network != net) return state_tokens(q);
    known = token_moves_make(net, q);
    if (known) atomic_store_explicit(&q->tokens, known, memory_order_release);
    return known;
}

static bool called_tokens(TokenList *t, State *q, Call *call)
{
    State *start = callee_start(t->list->net, call->callee);
    if (!start) return false;
    if (!start->has_tokens) return true;
    const TokenMoves *moves = tokens_of(t->list->net, start);
    if (!moves) return false;
    for (uint32_t i = 0; i < moves->count; i++) {
        const TokenMove *m = &moves->at[i];
        if (!move_through(t->list, q, call, &m->move) ||
            !tokens_take(t, m->network, m->set))
            return false;
    }
    return true;
}

TokenMoves *token_moves_make(Network *net, State *q)
{
    TokenList t = {.list = list_take(net)};
    TokenMoves *out = NULL;
    bool ok = t.list && own_tokens(&t, q);
    for (uint32_t i = 0; ok && i < q->ncalls; i++)
        ok = called_tokens(&t, q, &q->calls[i]);
    if (ok) {
        out = arena_alloc(&net->arena,
                          sizeof *out + t.made.count * sizeof(TokenMove));
        if (!out) network_no_memory(net);
    }
    if (out) {
        out->count = t.made.count;
        if (out->count)
            memcpy(out->at, t.made.at, out->count * sizeof(TokenMove));
    }
    if (t.list) list_give(t.list);
    vec_free(net->mem, &t.made);
    return out;
}
