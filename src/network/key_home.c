/* key_home.c: finding the home of the keys of a list.
 *
 * The automaton of the open names is compared with that of the rest of any key.
 * A state has a twin there if both go on with the same characters, and twins
 * are where these lead. So from a state between two characters, whose twin is
 * the start, all that the start goes on with can be read. The home is the one
 * from which the same texts are accepted, too: found as a state that leads back
 * to itself.
 * Names must be spelled as that automaton spells them; then they add nothing
 * to what can be read before the quote.
 * Cost: once a list linear in the automaton; a state, the edges of its
 * positions.   Tests: prop/key_masks_test.c.
 */
#include "network/key_home.h"

#include "base/utf8.h"
#include "network/list_frame.h"
#include "network/sharing.h"

#define NO_STATE UINT32_MAX

/* What is found out of an automaton; NULL in its place: not yet. */
struct HeadHome {
    const uint32_t *twin; /* by state; NULL: it has no home */
    uint32_t home;
};

static const KeyHome no_home;

/* ---- two states of automata, side by side ---- */

/* Both go to x and y over [lo, hi]; NO_STATE: nowhere. */
typedef struct PairIter {
    const DfaEdge *a, *a_end, *b, *b_end;
    uint32_t lo, hi, x, y;
    uint32_t at; /* the next code point */
} PairIter;

static PairIter pair_begin(const Dfa *a, uint32_t x, const Dfa *b, uint32_t y)
{
    return (PairIter){.a = dfa_edges(a, x),
                      .a_end = dfa_edges(a, x + 1),
                      .b = dfa_edges(b, y),
                      .b_end = dfa_edges(b, y + 1)};
}

/* Where `e` leads from p->at; cuts p->hi at the end of that. */
static uint32_t pair_side(PairIter *p, const DfaEdge *e, const DfaEdge *end)
{
    if (e == end) return NO_STATE;
    if (p->at < e->lo) {
        p->hi = MIN(p->hi, e->lo - 1);
        return NO_STATE;
    }
    p->hi = MIN(p->hi, e->hi);
    return e->to;
}

/* The next range on which neither edge changes. */
static bool pair_next(PairIter *p)
{
    while (p->a != p->a_end && p->a->hi < p->at) p->a++;
    while (p->b != p->b_end && p->b->hi < p->at) p->b++;
    if (p->a == p->a_end && p->b == p->b_end) return false;
    p->lo = p->at;
    p->hi = UINT32_MAX - 1;
    p->x = pair_side(p, p->a, p->a_end);
    p->y = pair_side(p, p->b, p->b_end);
    p->at = p->hi + 1;
    return true;
}

/* ---- twins ---- */

/* Pairs the successors of x, a state of `a`, with those of its twin, and
 * appends the newly paired to `todo`, which has room. False: they cannot be
 * paired, or one of both goes on where the other does not. */
static bool twins_step(const Dfa *a, const Dfa *rest, uint32_t x,
                       uint32_t *twin, uint32_t *todo, uint32_t *ntodo)
{
    PairIter p = pair_begin(a, x, rest, twin[x]);
    bool same = true;
    while (pair_next(&p)) {
        if (p.x == NO_STATE || p.y == NO_STATE) {
            same = same && p.x == p.y;
        } else if (twin[p.x] == NO_STATE) {
            twin[p.x] = p.y;
            todo[(*ntodo)++] = p.x;
        } else {
            same = same && twin[p.x] == p.y;
        }
    }
    return same;
}

/* Takes the twins of states that lead to one without; states are numbered away
 * from the start, so a few rounds do. False: not so. */
static bool twins_spread(const Dfa *a, uint32_t *twin)
{
    enum { ROUNDS = 8 };
    bool changes = true;
    for (int i = 0; i < ROUNDS && changes; i++) {
        changes = false;
        for (uint32_t x = a->nstates; x-- > 0;) {
            if (twin[x] == NO_STATE) continue;
            for (uint32_t e = a->edge_start[x]; e < a->edge_start[x + 1]; e++)
                if (twin[a->edges[e].to] == NO_STATE) twin[x] = NO_STATE;
            changes |= twin[x] == NO_STATE;
        }
    }
    return !changes;
}

/* The twins of all states that have one, and only lead to such. False: none. */
static bool twins_find(const Dfa *a, const Dfa *rest, uint32_t *twin,
                       uint32_t *todo)
{
    uint32_t ntodo = 1, nbad = 0;
    todo[0] = 0;
    for (uint32_t x = 0; x < a->nstates; x++) twin[x] = NO_STATE;
    twin[0] = 0;
    for (uint32_t i = 0; i < ntodo; i++)
        if (!twins_step(a, rest, todo[i], twin, todo, &ntodo))
            todo[nbad++] = todo[i];
    for (uint32_t i = 0; i < nbad; i++) twin[todo[i]] = NO_STATE;
    return nbad < ntodo && (!nbad || twins_spread(a, twin));
}

static bool leads_to_itself(const Dfa *a, uint32_t x)
{
    for (uint32_t e = a->edge_start[x]; e < a->edge_start[x + 1]; e++)
        if (a->edges[e].to == x) return true;
    return false;
}

/* True if x accepts what its twin accepts. todo: room for all states. */
static bool is_equal(const Dfa *a, const Dfa *rest, uint32_t x,
                     const uint32_t *twin, uint32_t *todo)
{
    uint32_t ntodo = 1;
    todo[0] = x;
    for (uint32_t i = 0; i < ntodo; i++) {
        uint32_t s = todo[i];
        if (a->accepts[s] != rest->accepts[twin[s]]) return false;
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++) {
            uint32_t k = 0, to = a->edges[e].to;
            while (k < ntodo && todo[k] != to) k++;
            if (k < ntodo) continue;
            if (ntodo > rest->nstates) return false; /* both are minimal */
            todo[ntodo++] = to;
        }
    }
    return true;
}

static uint32_t home_find(const Dfa *a, const Dfa *rest, const uint32_t *twin,
                          uint32_t *todo)
{
    for (uint32_t x = 0; x < a->nstates; x++)
        if (!twin[x] && leads_to_itself(a, x) &&
            is_equal(a, rest, x, twin, todo))
            return x;
    return NO_STATE;
}

/* ---- a list ---- */

/* The automaton of the shared rule, text apart from the quote. */
static const Dfa *rest_dfa(const Frame *rest)
{
    const Ir *ir = rest->network->ir;
    Node rule = ir_node(ir, rest->node);
    Node body = ir_node(ir, ir->rules.at[rule.a].body);
    assert(body.kind == NODE_SEQ);
    return ir_node_dfa(ir, ir_node(ir, ir_node_kids(ir, body)[0]));
}

static uint32_t dfa_step(const Dfa *a, uint32_t x, uint32_t rune)
{
    for (uint32_t e = a->edge_start[x]; e < a->edge_start[x + 1]; e++)
        if (a->edges[e].lo <= rune && rune <= a->edges[e].hi)
            return a->edges[e].to;
    return NO_STATE;
}

static bool is_quote(const Ir *ir, NodeId id)
{
    Node n = ir_node(ir, id);
    return n.kind == NODE_BYTES && n.b == 1 &&
           ir_node_bytes(ir, n).at[0] == '"';
}

/* A quoted text that `rest` spells so. */
static bool is_name(const Ir *ir, NodeId head, const Dfa *rest)
{
    Node n = ir_node(ir, head);
    if (n.kind != NODE_BYTES || n.b < 2) return false;
    Span text = ir_node_bytes(ir, n);
    uint32_t x = 0;
    if (text.at[0] != '"' || text.at[text.size - 1] != '"') return false;
    text = span_of(text.at + 1, text.size - 2);
    for (size_t i = 0; i < text.size && x != NO_STATE;) {
        uint32_t rune = utf8_decode(text, &i);
        x = rune == RUNE_BAD ? NO_STATE : dfa_step(rest, x, rune);
    }
    return x != NO_STATE && rest->accepts[x];
}

/* A quoted text of an automaton. */
static bool is_open(const Ir *ir, NodeId head)
{
    Node n = ir_node(ir, head);
    if (n.kind != NODE_SEQ || n.b != 3) return false;
    const NodeId *kids = ir_node_kids(ir, n);
    return is_quote(ir, kids[0]) && is_quote(ir, kids[2]) &&
           ir_node(ir, kids[1]).kind == NODE_REGULAR;
}

static bool names_are_plain(const Frame *f, const Dfa *rest)
{
    const Ir *ir = f->network->ir;
    const ListSpec *spec = f->list->count.spec;
    for (uint32_t i = 0; i < spec->nkinds; i++)
        if (!spec->kinds[i].unique && !is_name(ir, spec->kinds[i].head, rest))
            return false;
    return true;
}

/* False: no memory. */
static bool head_fill(Frame *f, const NfaDfa *head, const Dfa *rest,
                      HeadHome *out)
{
    Network *net = f->network;
    uint32_t n = head->dfa->nstates;
    uint32_t *twin = arena_array(&net->arena, uint32_t, n);
    uint32_t *todo = mem_new(net->mem, (n + 1) * sizeof *todo);
    bool ok = twin && todo;
    if (ok) {
        out->home = NO_STATE;
        if (twins_find(head->dfa, rest, twin, todo))
            out->home = home_find(head->dfa, rest, twin, todo);
        if (out->home != NO_STATE) out->twin = twin;
    }
    mem_free(net->mem, todo, (n + 1) * sizeof *todo);
    return ok || network_no_memory(net);
}

/* What is known of an automaton of the list; NULL: no memory. */
static const HeadHome *head_home(Frame *f, const NfaDfa *head, const Dfa *rest)
{
    Network *net = f->network;
    ListFrame *l = f->list;
    uint32_t i = (uint32_t)(head - f->nfa->automata), n = f->nfa->nautomata;
    if (!l->homes) {
        l->homes = arena_zero(&net->arena, n * sizeof *l->homes);
        l->is_plain = names_are_plain(f, rest);
    }
    if (!l->homes) return network_no_memory(net), NULL;
    if (l->homes[i]) return l->homes[i];
    HeadHome *out = arena_new(&net->arena, HeadHome);
    if (!out) return network_no_memory(net), NULL;
    if (l->is_plain &&
        is_open(net->ir, l->count.spec->kinds[head->kind].head) &&
        !head_fill(f, head, rest, out))
        return NULL;
    return l->homes[i] = out;
}

/* ---- a state ---- */

static bool has_state(const NfaDfa *head, uint32_t pos)
{
    return pos - head->base < head->dfa->nstates;
}

/* Whether a position is reached from another by an empty edge. */
static bool follows(const Nfa *nfa, uint32_t from, uint32_t to)
{
    for (uint32_t e = nfa->edge_start[from]; e < nfa->edge_start[from + 1]; e++)
        if (nfa->edges[e].kind == NFA_EMPTY && nfa->edges[e].to == to)
            return true;
    return false;
}

/* The state of the automaton that q is in, at *x. False: in none, or in several.
 */
static bool head_at(const State *q, const NfaDfa *head, uint32_t *x)
{
    const Nfa *nfa = q->frame->nfa;
    Range r = nfa->heads[head->kind];
    bool found = false;
    for (uint32_t k = 0; k < q->npos && !found; k++) {
        found = has_state(head, q->pos[k]);
        if (found) *x = q->pos[k] - head->base;
    }
    for (uint32_t k = 0; found && k < q->npos; k++) {
        uint32_t pos = q->pos[k];
        bool is_inside = pos >= r.lo && pos < r.hi;
        if (is_inside && pos != head->base + *x &&
            !follows(nfa, head->base + *x, pos))
            return false;
    }
    return found;
}

static State *home_state(State *q, const NfaDfa *head, uint32_t home)
{
    Network *net = q->frame->network;
    const KindSet *kinds;
    PosSet set = {0}, done = {0};
    State *state = NULL;
    bool ok = vec_push(net->mem, &set, head->base + home) &&
              nfa_close(q->frame->nfa, net->mem, &set);
    if (!ok) network_no_memory(net);
    ok = ok && list_sort(q->frame, q->kinds, &set, &kinds, &done);
    if (ok && set.count) state = state_intern(q->frame, &set, kinds);
    vec_free(net->mem, &set);
    vec_free(net->mem, &done);
    return state;
}

/* Where the quote leads from home; NULL: not simply there. */
static State *after_quote(Network *net, State *home)
{
    uintptr_t cell = next_cell(net, home, '"');
    if (!cell) return NULL;
    if (CELL_IS_STATE(cell)) return cell_state(cell);
    const Step *step = cell_step(cell);
    if (step->count != 1) return NULL;
    const Move *m = &step->at[0];
    bool keeps = m->op.adds && !m->op.reg && !m->op.is_deadline &&
                 !m->op.counts && !m->op.begins;
    return keeps && !m->npush && !m->to->is_final ? m->to : NULL;
}

/* Bytes that may lead q elsewhere than the home. */
static ByteSet find_differs(const State *q, const NfaDfa *head, uint32_t x,
                            uint32_t home)
{
    const Nfa *nfa = q->frame->nfa;
    ByteSet set = {{0}};
    for (uint32_t i = 0; i < q->npos; i++) {
        uint32_t pos = q->pos[i];
        if (pos == head->base + x || follows(nfa, head->base + x, pos))
            continue;
        for (uint32_t e = nfa->edge_start[pos]; e < nfa->edge_start[pos + 1];
             e++)
            if (nfa->edges[e].kind == NFA_BYTE)
                byteset_add_range(&set, nfa->edges[e].lo, nfa->edges[e].hi);
    }
    if (!head->dfa->accepts[x]) byteset_add(&set, '"');
    PairIter p = pair_begin(head->dfa, x, head->dfa, home);
    while (pair_next(&p))
        if (p.x != p.y)
            byteset_add_range(&set, utf8_lead(p.lo), utf8_lead(p.hi));
    return set;
}

/* A home for q in an automaton of the list, at x. False: error. *out stays
 * empty if q has none there. */
static bool home_fill(State *q, const NfaDfa *head, uint32_t x, Frame *rest,
                      KeyHome *out)
{
    Network *net = q->frame->network;
    const HeadHome *known = head_home(q->frame, head, rest_dfa(rest));
    if (!known) return false;
    if (!known->twin || known->twin[x]) return true;
    State *home = home_state(q, head, known->home);
    State *start = home ? callee_start(net, rest) : NULL;
    State *ret = start ? after_quote(net, home) : NULL;
    Frame *some = sharing_part(net->shared, JSON_PART_KEY_MORE);
    State *more = ret ? callee_start(net, some) : NULL;
    if (net->error.status) return false;
    if (!more) return true;
    *out = (KeyHome){home, start, ret, more,
                     find_differs(q, head, x, known->home)};
    return true;
}

/* The first home of those that its automata have: each reads what any key
 * reads, so that what others read besides differs behind the quote alone. */
static bool home_find_first(State *q, Frame *rest, KeyHome *out)
{
    const Nfa *nfa = q->frame->nfa;
    bool ok = true;
    for (uint32_t i = 0; ok && !out->home && i < nfa->nautomata; i++) {
        uint32_t x;
        if (head_at(q, &nfa->automata[i], &x))
            ok = home_fill(q, &nfa->automata[i], x, rest, out);
    }
    return ok;
}

static const KeyHome *home_make(State *q)
{
    Network *net = q->frame->network;
    Frame *rest =
        net->shared ? sharing_part(net->shared, JSON_PART_KEY_REST) : NULL;
    KeyHome found = {0};
    if (!rest || !q->frame->list) return &no_home;
    if (!home_find_first(q, rest, &found)) return NULL;
    if (!found.home) return &no_home;
    KeyHome *kept = arena_copy(&net->arena, &found, sizeof found);
    if (!kept) network_no_memory(net);
    return kept;
}

const KeyHome *state_home_make(State *q)
{
    Network *net = q->frame->network;
    weir_status before = network_enter(net);
    const KeyHome *known = atomic_load_explicit(&q->home, memory_order_relaxed);
    if (!known) {
        known = home_make(q);
        if (known) atomic_store_explicit(&q->home, known, memory_order_release);
    }
    network_leave(net, before);
    return known;
}
