/* frame.c: frames and their states.
 *
 * A state is a closed set of NFA positions (subset construction, one state at
 * a time); equal sets of one frame are one state. A state without calls finds
 * its next cells by the frame's byte classes; one with calls, or of a list and
 * with few bytes, by the rank of the byte among those that it takes, cell 0
 * being "nothing".
 * A state of a list also has a set of kinds (list_frame.h).
 * A counted frame whose operand is prefix free and calls nothing holds the
 * operand's states itself; else its loop state calls the operand's frame. A
 * bounded frame's states are those of its automaton.
 * Tests: unit/network_test.c.
 */
#include "network/frame.h"

#include "network/list_frame.h"
#include "network/twin.h"
#include "network/sharing.h"

#include <stdlib.h>

enum { MAX_LEFT_DEPTH = 2000 }; /* frames that begin with one another */

/* ---- frames ---- */

/* Numbers the runs of bytes between the edges' borders. */
static void find_classes(Frame *f)
{
    ByteSet cut = {{0}};
    const Nfa *nfa = f->nfa;
    for (uint32_t e = 0; e < nfa->edge_start[nfa->npos]; e++) {
        if (nfa->edges[e].kind != NFA_BYTE) continue;
        byteset_add(&cut, nfa->edges[e].lo);
        if (nfa->edges[e].hi < 255)
            byteset_add(&cut, (uint8_t)(nfa->edges[e].hi + 1));
    }
    cut.word[0] &= ~(uint64_t)1; /* the first class begins there anyway */
    unsigned begin = 0, class = 0;
    for (unsigned w = 0; w < 4; w++)
        for (uint64_t bits = cut.word[w]; bits; bits &= bits - 1) {
            unsigned end = w * 64 + bit_lowest(bits);
            memset(f->class_of + begin, (int)class ++, end - begin);
            begin = end;
        }
    memset(f->class_of + begin, (int)class, 256 - begin);
    f->nclasses = class + 1;
}

/* A rule's options if the engine acts on them. */
static const RuleOptions *rule_options(const Ir *ir, RuleId rule)
{
    const RuleOptions *o = ir->rules.at[rule].options;
    const uint32_t acting = RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS |
                            RULE_HAS_TEMPERATURE | RULE_HAS_CAPTURE |
                            RULE_HAS_STOP_CAPTURE;
    return o && o->has & acting ? o : NULL;
}

static uint32_t most_need(const Nfa *nfa)
{
    uint32_t most = 0;
    for (uint32_t pos = 0; pos < nfa->npos; pos++)
        most = MAX(most, nfa->bound[pos].need);
    return most;
}

static bool bounded_fill(Network *net, Frame *f)
{
    const BoundedSpec *spec =
        ir_node_bounded(net->ir, ir_node(net->ir, f->node));
    f->is_counted = f->is_bounded = f->is_regular = true;
    f->lo = 1; /* frames do not return before they have read something */
    f->hi = spec->hi;
    f->nfa = nfa_build_bounded(net->ir, &net->lowered, f->node, &net->arena,
                               &net->error);
    if (!f->nfa) return network_no_memory(net); /* keeps another error */
    f->most_need = most_need(f->nfa);
    find_classes(f);
    return true;
}

static bool frame_fill(Network *net, Frame *f)
{
    Node n = ir_node(net->ir, f->node);
    NodeId body = f->node;
    if (n.kind == NODE_BOUNDED) return bounded_fill(net, f);
    if (n.kind == NODE_RULE) {
        body = net->lowered.body.at[n.a];
        f->options = rule_options(net->ir, n.a);
    }
    if (n.kind == NODE_LIST) {
        f->nfa = nfa_build_list(net->ir, &net->lowered, f->node, &net->arena,
                                &net->error);
        if (!f->nfa) return network_no_memory(net); /* keeps another error */
        find_classes(f);
        return list_frame_init(f);
    }
    if (n.kind == NODE_REPEAT &&
        repeat_form(&net->lowered, n) == REPEAT_COUNTED) {
        f->is_counted = true;
        f->lo = MAX(n.b, 1);
        f->hi = n.c;
    }
    f->nfa = nfa_build(net->ir, &net->lowered, body, f->is_counted, &net->arena,
                       &net->error);
    if (!f->nfa) return network_no_memory(net); /* keeps another error */
    if (f->is_counted && !nfa_is_prefix_free(f->nfa, net->mem)) f->nfa = NULL;
    if (!f->nfa) return true;
    f->is_regular = !nfa_has_calls(f->nfa);
    find_classes(f);
    twin_find(f);
    return true;
}

bool frame_file(Network *net, NodeId node, Frame *frame)
{
    uint32_t n = net->frames.count;
    if (!vec_reserve(net->mem, &net->frames, (size_t)n + 1) ||
        !vec_reserve(net->mem, &net->frame_nodes, (size_t)n + 1) ||
        !map_add(net->mem, &net->frame_index, hash_mix(0, node), n))
        return network_no_memory(net);
    net->frames.at[net->frames.count++] = frame;
    net->frame_nodes.at[net->frame_nodes.count++] = node;
    return true;
}

/* Frames of plain operands of counted frames share the key of their node; no
 * node is both a frame's and a counted frame's. */
Frame *frame_of(Network *net, NodeId node)
{
    uint64_t h = hash_mix(0, node);
    for (MapPos p = map_first(&net->frame_index, h); p.value != MAP_NONE;
         p = map_next(&net->frame_index, h, p))
        if (net->frame_nodes.at[p.value] == node)
            return net->frames.at[p.value];
    Frame *f;
    if (!sharing_find(net, node, &f)) return NULL;
    if (f) return frame_file(net, node, f) ? f : NULL;
    f = arena_new(&net->arena, Frame);
    if (!f) return network_no_memory(net), NULL;
    f->network = net;
    f->node = node;
    f->id = net->frames.count;
    atomic_init(&f->is_closed, false);
    if (!frame_fill(net, f) || !frame_file(net, node, f)) return NULL;
    return f;
}

static State *plain_start(Frame *f)
{
    Network *net = f->network;
    PosSet set = {0};
    bool ok = true;
    if (f->nfa)
        ok = vec_push(net->mem, &set, NFA_ENTRY) &&
             nfa_close(f->nfa, net->mem, &set);
    if (!ok) network_no_memory(net);
    State *start = ok ? state_intern(f, &set, NULL) : NULL;
    vec_free(net->mem, &set);
    return start;
}

State *frame_start(Frame *f)
{
    Network *net = f->network;
    if (f->start) return f->start;
    if (net->depth == MAX_LEFT_DEPTH) {
        diag_fail(&net->error, WEIR_LIMIT_DEPTH, 0, 0,
                  "more than %d rules begin with one another", MAX_LEFT_DEPTH);
        return NULL;
    }
    net->depth++;
    f->start = f->list ? list_start(f) : plain_start(f);
    net->depth--;
    return f->start;
}

State *callee_start(Network *net, Frame *callee)
{
    Network *other = callee->network;
    if (other == net) return frame_start(callee);
    weir_status before = network_enter(other);
    State *start = frame_start(callee);
    if (!start) net->error = other->error;
    network_leave(other, before);
    return start;
}

/* ---- byte maps ---- */

static uint8_t *rank_map(Network *net, const ByteSet *first)
{
    uint64_t h = hash_bytes(0, first, sizeof *first);
    for (MapPos p = map_first(&net->map_index, h); p.value != MAP_NONE;
         p = map_next(&net->map_index, h, p)) {
        const ByteSet *known = (const void *)(net->maps.at[p.value] + 256);
        if (!memcmp(known, first, sizeof *first)) return net->maps.at[p.value];
    }
    uint8_t *map = arena_zero(&net->arena, 256 + sizeof *first);
    if (!map) return network_no_memory(net), NULL;
    uint8_t rank = 0;
    for (unsigned w = 0; w < 4; w++)
        for (uint64_t bits = first->word[w]; bits && rank < 255;
             bits &= bits - 1)
            map[w * 64 + bit_lowest(bits)] = ++rank;
    memcpy(map + 256, first, sizeof *first);
    if (!vec_push(net->mem, &net->maps, map) ||
        !map_add(net->mem, &net->map_index, h, net->maps.count - 1))
        return network_no_memory(net), NULL;
    return map;
}

/* ---- states ---- */

typedef struct CallEdge {
    NodeId node;
    uint32_t to;
} CallEdge;

typedef VEC(CallEdge) CallEdges;

static int call_order(const void *x, const void *y)
{
    const CallEdge *a = x, *b = y;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Groups sorted call edges by callee. */
static bool calls_group(Network *net, const CallEdges *edges, State *proto)
{
    uint32_t ngroups = 0;
    for (uint32_t i = 0; i < edges->count; i++)
        ngroups += !i || edges->at[i].node != edges->at[i - 1].node;
    proto->calls = arena_zero(&net->arena, ngroups * sizeof(Call));
    uint32_t *to = arena_array(&net->arena, uint32_t, edges->count);
    if (!proto->calls || !to) return network_no_memory(net);
    for (uint32_t i = 0; i < edges->count; i++) {
        to[i] = edges->at[i].to;
        if (!i || edges->at[i].node != edges->at[i - 1].node) {
            Frame *callee = frame_of(net, edges->at[i].node);
            if (!callee) return false;
            proto->calls[proto->ncalls++] = (Call){
                .callee = callee, .target = to + i, .ends_item = NO_KIND};
        }
        proto->calls[proto->ncalls - 1].ntargets++;
    }
    return true;
}

typedef VEC(Call) CallList;

/* The calls of one callee in a list: one for each kind whose item they end, and
 * one for what goes on. `to` is closed. */
static bool add_list_calls(Frame *f, Frame *callee, const KindSet *kinds,
                           PosSet *to, CallList *out)
{
    Network *net = f->network;
    const KindSet *rest;
    PosSet done = {0};
    Call call = {.callee = callee, .ends_item = NO_KIND};
    bool ok = list_sort(f, kinds, to, &rest, &done);
    if (ok && to->count) {
        call.target =
            arena_copy(&net->arena, to->at, to->count * sizeof *to->at);
        call.ntargets = to->count;
        ok = (call.target && vec_push(net->mem, out, call)) ||
             network_no_memory(net);
    }
    call.ntargets = 0;
    for (uint32_t i = 0; ok && i < done.count; i++) {
        call.ends_item = done.at[i];
        ok = vec_push(net->mem, out, call) || network_no_memory(net);
    }
    vec_free(net->mem, &done);
    return ok;
}

/* The call of a head that must be unique. */
static bool add_head_call(Frame *f, Frame *callee, uint32_t to, CallList *out)
{
    Call call = {.callee = callee, .ends_item = NO_KIND, .is_head = true};
    call.ret = list_head(f, f->nfa->kind[to].lo);
    if (!call.ret) return false;
    return vec_push(f->network->mem, out, call) ||
           network_no_memory(f->network);
}

/* Groups sorted call edges by callee. */
static bool list_calls_group(Frame *f, const CallEdges *edges,
                             const KindSet *kinds, CallList *out)
{
    Network *net = f->network;
    PosSet to = {0};
    bool ok = true;
    for (uint32_t i = 0, j; ok && i < edges->count; i = j) {
        Frame *callee = frame_of(net, edges->at[i].node);
        to.count = 0;
        ok = callee != NULL;
        for (j = i; j < edges->count && edges->at[j].node == edges->at[i].node;
             j++) {
            uint32_t pos = edges->at[j].to;
            if (ok && nfa_is_head(f->nfa, pos))
                ok = add_head_call(f, callee, pos, out);
            else if (ok)
                ok = vec_push(net->mem, &to, pos) || network_no_memory(net);
        }
        if (ok && !nfa_close(f->nfa, net->mem, &to))
            ok = network_no_memory(net);
        ok = ok && add_list_calls(f, callee, kinds, &to, out);
    }
    vec_free(net->mem, &to);
    return ok;
}

static bool list_calls(Frame *f, const CallEdges *edges, State *proto)
{
    Network *net = f->network;
    CallList calls = {0};
    bool ok = list_calls_group(f, edges, proto->kinds, &calls);
    if (ok) {
        proto->ncalls = calls.count;
        proto->calls =
            arena_copy(&net->arena, calls.at, calls.count * sizeof *calls.at);
        ok = proto->calls || network_no_memory(net);
    }
    vec_free(net->mem, &calls);
    return ok;
}

/* Bytes, calls and tokens of the positions. */
static bool scan_edges(Frame *f, const PosSet *set, State *proto,
                       CallEdges *calls)
{
    Network *net = f->network;
    const Nfa *nfa = f->nfa;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t end = nfa->edge_start[set->at[i] + 1];
        bool is_any = !f->list || is_of_one(nfa, set->at[i]);
        if (set->at[i] == NFA_EXIT) proto->accepts = true;
        for (uint32_t e = nfa->edge_start[set->at[i]]; e < end; e++) {
            const NfaEdge *edge = &nfa->edges[e];
            if (!is_any && !list_has(f, proto->kinds, edge->to)) continue;
            if (edge->kind == NFA_BYTE)
                byteset_add_range(&proto->first, edge->lo, edge->hi);
            if (edge->kind == NFA_TOKENS) proto->has_tokens = true;
            if (edge->kind == NFA_CALL &&
                !vec_push(net->mem, calls, (CallEdge){edge->node, edge->to}))
                return network_no_memory(net);
        }
    }
    if (calls->count)
        qsort(calls->at, calls->count, sizeof *calls->at, call_order);
    return true;
}

/* The loop state of a counted frame that calls its operand. */
static bool loop_call(Network *net, Frame *f, State *proto)
{
    proto->calls = arena_zero(&net->arena, sizeof(Call));
    if (!proto->calls) return network_no_memory(net);
    proto->ncalls = 1;
    proto->calls[0].ends_item = NO_KIND;
    proto->calls[0].callee = frame_of(net, ir_node(net->ir, f->node).a);
    return proto->calls[0].callee != NULL;
}

/* Adds what the callees can begin with. */
static bool first_of_calls(Network *net, State *proto)
{
    for (uint32_t i = 0; i < proto->ncalls; i++) {
        State *start = callee_start(net, proto->calls[i].callee);
        if (!start) return false;
        for (int w = 0; w < 4; w++)
            proto->first.word[w] |= start->first.word[w];
        proto->has_tokens |= start->has_tokens;
    }
    return true;
}

/* What the positions do. */
static bool proto_scan(Frame *f, const PosSet *set, State *proto)
{
    CallEdges calls = {0};
    bool ok = scan_edges(f, set, proto, &calls);
    if (ok && calls.count)
        ok = f->list ? list_calls(f, &calls, proto)
                     : calls_group(f->network, &calls, proto);
    vec_free(f->network->mem, &calls);
    return ok;
}

/* The least need of the positions, and of those a byte further. */
static void bounded_needs(const Nfa *nfa, const PosSet *set, State *proto)
{
    proto->need = proto->more = UINT32_MAX;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t pos = set->at[i];
        proto->need = MIN(proto->need, nfa->bound[pos].need);
        proto->is_loop |= nfa->bound[pos].ticks;
        assert(proto->is_loop == nfa->bound[pos].ticks);
        for (uint32_t e = nfa->edge_start[pos]; e < nfa->edge_start[pos + 1];
             e++) {
            NfaBound to = nfa->bound[nfa->edges[e].to];
            if (nfa->edges[e].kind == NFA_BYTE)
                proto->more = MIN(proto->more, to.need + to.ticks);
        }
    }
}

static void find_needs(Frame *f, const PosSet *set, State *proto)
{
    bool is_start = !f->start;
    if (!f->is_counted) return;
    if (f->is_bounded) {
        bounded_needs(f->nfa, set, proto);
        return;
    }
    proto->is_loop = is_start;
    proto->accepts |= is_start;
    proto->need = !is_start;
    proto->more = 1;
}

/* Whether all of the positions are. */
static bool all_held(const Frame *f, const PosSet *set)
{
    uint32_t held = 0;
    if (!f->nfa || !f->nfa->held) return false;
    for (uint32_t i = 0; i < set->count; i++) held += f->nfa->held[set->at[i]];
    return set->count && held == set->count;
}

/* Where in the heads of a list its positions are. */
static void find_heads(const Frame *f, const PosSet *set, State *proto)
{
    const Nfa *nfa = f->nfa;
    for (uint32_t i = 0; f->has_unique && i < set->count; i++) {
        uint32_t pos = set->at[i];
        Range head = nfa->heads[MIN(nfa->kind[pos].lo, nfa->nkinds - 1)];
        proto->in_head |= pos >= head.lo && pos < head.hi;
        proto->ends_head |= nfa_is_head(nfa, pos);
    }
    proto->is_watched =
        proto->in_head &&
        atomic_load_explicit(&f->is_closed, memory_order_relaxed);
}

static bool proto_fill(Network *net, Frame *f, const PosSet *set, State *proto)
{
    proto->frame = f;
    bool ok = f->nfa ? proto_scan(f, set, proto) : loop_call(net, f, proto);
    proto->local = proto->first;
    proto->is_held = all_held(f, set);
    if (!ok || !first_of_calls(net, proto)) return false;
    find_needs(f, set, proto);
    find_heads(f, set, proto);
    proto->nfirst = byteset_count(&proto->first);
    proto->is_final = !proto->nfirst && !proto->has_tokens;
    proto->map = f->class_of;
    proto->nnext = f->nclasses;
    if (proto->ncalls || (f->list && proto->nfirst < f->nclasses)) {
        proto->map = rank_map(net, &proto->first);
        proto->nnext = MIN(proto->nfirst, 255) + 1;
    }
    return proto->map != NULL;
}

static State *state_new(Network *net, const State *proto, const PosSet *set)
{
    if (net->states.count >= net->ir->limits.max_states) {
        diag_fail(&net->error, WEIR_LIMIT_STATES, 0, 0,
                  "more than %u automaton states (limit max_states)",
                  net->ir->limits.max_states);
        return NULL;
    }
    State *q =
        arena_alloc(&net->arena, sizeof *q + proto->nnext * sizeof(NextCell));
    uint32_t *pos =
        arena_copy(&net->arena, set->at, set->count * sizeof *set->at);
    if (!q || !pos) return network_no_memory(net), NULL;
    memcpy(q, proto, sizeof *q);
    q->id = net->states.count;
    q->pos = pos;
    q->npos = set->count;
    memset((void *)q->next, 0, q->nnext * sizeof(NextCell));
    atomic_init(&q->tokens, NULL);
    atomic_init(&q->entries, NULL);
    atomic_init(&q->home, NULL);
    atomic_init(&q->loop, NULL);
    atomic_init(&q->twin, NULL);
    return q;
}

/* The loop state is no other state's twin, even if the same positions come up
 * inside the operand: it stands between two copies. */
State *state_intern(Frame *f, const PosSet *set, const KindSet *kinds)
{
    Network *net = f->network;
    bool is_loop = f->is_counted && !f->is_bounded && !f->start;
    uint64_t h = hash_bytes(f->id, set->at, set->count * sizeof *set->at);
    if (kinds) h = hash_mix(h, kinds->hash);
    for (MapPos p = map_first(&net->state_index, h);
         !is_loop && p.value != MAP_NONE;
         p = map_next(&net->state_index, h, p)) {
        State *q = net->states.at[p.value];
        if (q->frame == f && q->kinds == kinds && q->npos == set->count &&
            (!set->count ||
             !memcmp(q->pos, set->at, set->count * sizeof *set->at)))
            return q;
    }
    State proto = {.kinds = kinds};
    if (!proto_fill(net, f, set, &proto)) return NULL;
    State *q = state_new(net, &proto, set);
    if (!q) return NULL;
    if (!vec_push(net->mem, &net->states, q) ||
        (!is_loop && !map_add(net->mem, &net->state_index, h, q->id)))
        return network_no_memory(net), NULL;
    return q;
}

State *state_add(Network *net, const State *proto, const PosSet *set)
{
    State *q = state_new(net, proto, set);
    if (q && !vec_push(net->mem, &net->states, q))
        return network_no_memory(net), NULL;
    return q;
}

/* A state that only returns; no two of a frame are the same. */
static State *marker_new(Frame *f, bool by_chars)
{
    Network *net = f->network;
    PosSet none = {0};
    State proto = {.frame = f,
                   .accepts = true,
                   .is_final = true,
                   .is_marker = true,
                   .by_chars = by_chars,
                   .map = f->class_of,
                   .nnext = f->nclasses};
    return state_add(net, &proto, &none);
}

bool frame_markers(Frame *f)
{
    const RuleOptions *o = f->options;
    bool chars = o && o->has & RULE_HAS_MAX_CHARS;
    bool tokens = o && o->has & RULE_HAS_MAX_TOKENS;
    if (!o || f->markers[0]) return true;
    f->budgets[0] = tokens ? o->max_tokens : UINT32_MAX;
    f->budgets[1] = chars ? o->max_chars : UINT32_MAX;
    State *second = chars ? marker_new(f, true) : NULL;
    if (chars && !second) return false;
    f->markers[1] = second;
    f->markers[0] = marker_new(f, false);
    return f->markers[0] != NULL;
}

State *call_ret(Network *net, State *q, Call *call)
{
    Frame *f = q->frame;
    if (call->ret) return call->ret;
    if (q->is_loop && !f->nfa) return call->ret = q;
    if (call->ends_item != NO_KIND) return call->ret = f->start;
    PosSet set = {0}, none = {0};
    const KindSet *kinds = NULL;
    State *ret = NULL;
    assert(call->ntargets);
    bool ok = vec_reserve(net->mem, &set, call->ntargets);
    if (ok) {
        memcpy(set.at, call->target, call->ntargets * sizeof *set.at);
        set.count = call->ntargets;
        ok = f->list || nfa_close(f->nfa, net->mem, &set);
    }
    if (!ok) network_no_memory(net);
    if (ok && f->list) ok = list_sort(f, q->kinds, &set, &kinds, &none);
    assert(!none.count); /* calls that end items are apart */
    if (ok) ret = state_intern(f, &set, kinds);
    vec_free(net->mem, &set);
    return call->ret = ret;
}
