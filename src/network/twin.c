/* twin.c: twins of counted frames.
 *
 * Equal operands have equal positions, by the way an NFA is built, so that the
 * twin of a state is the one of the same positions.
 * Tests: prop/masks_vs_oracle_test.c, unit/network_test.c.
 */
#include "network/twin.h"

#include "network/frame.h"
#include "network/sharing.h"

static bool edge_is(const NfaEdge *a, const NfaEdge *b)
{
    if (a->kind != b->kind || a->to != b->to) return false;
    bool is_byte = a->kind == NFA_BYTE && a->lo == b->lo && a->hi == b->hi;
    return is_byte || a->kind == NFA_EMPTY;
}

/* Of NFAs without calls. */
static bool nfa_is(const Nfa *a, const Nfa *b)
{
    if (a->npos != b->npos || a->held || b->held) return false;
    for (uint32_t i = 0; i <= a->npos; i++)
        if (a->edge_start[i] != b->edge_start[i]) return false;
    for (uint32_t e = 0; e < a->edge_start[a->npos]; e++)
        if (!edge_is(&a->edges[e], &b->edges[e])) return false;
    return true;
}

/* The vocabulary's frame of counted characters, or NULL. */
static Frame *counted_frame(Network *shared)
{
    Frame *rule = sharing_part(shared, JSON_PART_TEXT);
    if (!rule) return NULL;
    NodeId body = shared->lowered.body.at[ir_node(shared->ir, rule->node).a];
    weir_status before = network_enter(shared);
    Frame *counted = frame_of(shared, body);
    network_leave(shared, before);
    return counted && counted->is_counted ? counted : NULL;
}

void twin_find(Frame *f)
{
    Network *shared = f->network->shared;
    if (!shared || !f->is_counted || f->is_bounded || !f->is_regular) return;
    Frame *twin = counted_frame(shared);
    if (twin && nfa_is(f->nfa, twin->nfa)) f->twin = twin;
}

State *twin_make(State *q)
{
    Network *shared = q->frame->twin->network;
    PosSet set = {(uint32_t *)(uintptr_t)q->pos, q->npos, q->npos};
    weir_status before = network_enter(shared);
    State *twin = callee_start(shared, q->frame->twin);
    if (twin && !q->is_loop) twin = state_intern(q->frame->twin, &set, NULL);
    network_leave(shared, before);
    if (twin) atomic_store_explicit(&q->twin, twin, memory_order_release);
    return twin;
}
