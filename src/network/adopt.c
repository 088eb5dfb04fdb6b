/* adopt.c: copying rules into networks of their own.
 *
 * A vocabulary's network is not changed once it is made, since its IR is read
 * without a lock; so each rule that is taken in has its own.
 * Tests: unit/adopt_test.c, prop/threads_test.c.
 */
#include "network/adopt.h"

#include "network/sharing.h"

enum { MOST_ADOPTED = 64 };

typedef struct Adopted {
    Span key;
    Ir ir;
    Network network;
    Frame *frame; /* NULL: it could not be made */
} Adopted;

/* An automaton, or the quote beside it. */
static NodeId copy_piece(Ir *to, const Ir *from, NodeId id)
{
    Node n = ir_node(from, id);
    if (n.kind == NODE_BYTES) return ir_bytes(to, ir_node_bytes(from, n));
    if (n.kind == NODE_REGULAR) return ir_regular(to, ir_node_dfa(from, n));
    assert(n.kind == NODE_BOUNDED);
    const BoundedSpec *spec = ir_node_bounded(from, n);
    return ir_regular_bounded(to, &spec->dfa, spec->ticks, spec->hi);
}

static bool is_quoted_automaton(const Ir *ir, Node body)
{
    if (body.kind != NODE_SEQ || body.b != 3) return false;
    const NodeId *kids = ir_node_kids(ir, body);
    NodeKind kind = ir_node(ir, kids[1]).kind;
    return ir_node(ir, kids[0]).kind == NODE_BYTES &&
           ir_node(ir, kids[2]).kind == NODE_BYTES &&
           (kind == NODE_REGULAR || kind == NODE_BOUNDED);
}

static bool copy_rule(Ir *to, const Ir *from, RuleId rule)
{
    const Rule *r = &from->rules.at[rule];
    const NodeId *kids = ir_node_kids(from, ir_node(from, r->body));
    NodeId copy[3];
    for (int i = 0; i < 3; i++) copy[i] = copy_piece(to, from, kids[i]);
    to->root = ir_rule_new(to, r->name, r->flags);
    ir_rule_set(to, to->root, ir_seq(to, copy, 3));
    return ir_ok(to);
}

static Frame *fill(Adopted *a, const Mem *mem, const Ir *ir, RuleId rule)
{
    Lowered lowered;
    weir_error err = {.status = WEIR_OK};
    ir_init(&a->ir, mem, NULL);
    if (!copy_rule(&a->ir, ir, rule) || !lower_run(&a->ir, NULL, &lowered) ||
        !network_init(&a->network, &a->ir, &lowered, NULL, &err))
        return NULL;
    a->network.is_adopted = true;
    return a->network.keys.count ? a->network.keys.at[0]->frame : NULL;
}

static const Adopted *find(const Network *shared, Span key)
{
    for (uint32_t i = 0; i < shared->adopted.count; i++)
        if (span_equal(shared->adopted.at[i]->key, key))
            return shared->adopted.at[i];
    return NULL;
}

/* What has failed stays, so that it is not tried again. */
static const Adopted *add(Network *shared, const Ir *ir, RuleId rule, Span key)
{
    const Mem *mem = shared->mem;
    if (shared->adopted.count == MOST_ADOPTED ||
        !vec_reserve(mem, &shared->adopted, shared->adopted.count + 1u))
        return NULL;
    Adopted *a = arena_new(&shared->arena, Adopted);
    const void *text = arena_copy(&shared->arena, key.at, key.size);
    if (!a || !text) return NULL;
    a->key = span_of(text, key.size);
    a->frame = fill(a, mem, ir, rule);
    shared->adopted.at[shared->adopted.count++] = a;
    return a;
}

Frame *adopt_rule(Network *shared, const Ir *ir, RuleId rule, Span key)
{
    if (!is_quoted_automaton(ir, ir_node(ir, ir->rules.at[rule].body)))
        return NULL;
    lock_take(&shared->lock);
    const Adopted *a = find(shared, key);
    if (!a) a = add(shared, ir, rule, key);
    lock_give(&shared->lock);
    return a ? a->frame : NULL;
}

void adopted_free(Network *shared)
{
    for (uint32_t i = 0; i < shared->adopted.count; i++) {
        network_free(&shared->adopted.at[i]->network);
        ir_free(&shared->adopted.at[i]->ir);
    }
    vec_free(shared->mem, &shared->adopted);
}

size_t adopted_bytes(Network *shared)
{
    size_t total = vec_bytes(&shared->adopted);
    for (uint32_t i = 0; i < shared->adopted.count; i++) {
        Adopted *a = shared->adopted.at[i];
        uint32_t frames, states;
        size_t nbytes = 0;
        if (a->frame) network_count(&a->network, &frames, &states, &nbytes);
        total += nbytes + a->ir.arena.total;
    }
    return total;
}
