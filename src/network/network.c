/* network.c: the network as a whole: making, the locked entries of lazy
 * construction, counting.
 *
 * Sharing: a rule marked RULE_SHARED is the same in every grammar that has it,
 * if everything it can reach is spelled the same. Its key is that spelling:
 * the closure's rules in order of discovery, references by number. Rules with
 * equal keys share the frame of the vocabulary's network, and with it all that
 * was learnt about its states. Rules of formats are taken in by it (adopt.h).
 * Locks: a grammar's lock may be held while the shared network's is taken,
 * never the other way round.    Tests: unit/network_test.c.
 */
#include "network/network.h"

#include "network/adopt.h"
#include "network/frame.h"
#include "network/list_frame.h"
#include "network/sharing.h"

bool network_init(Network *net, Ir *ir, Lowered *lowered, Network *shared,
                  weir_error *err)
{
    *net = (Network){
        .mem = ir->mem, .ir = ir, .lowered = *lowered, .shared = shared};
    *lowered = (Lowered){0};
    arena_init(&net->arena, ir->mem, limit_size(ir->limits.max_memory));
    lock_init(&net->lock);
    net->root = ir_ref(ir, ir->root);
    net->error = ir->error;
    bool ok = ir_ok(ir) && (shared || sharing_publish(net));
    if (!ok) {
        *err = net->error;
        network_free(net);
    }
    return ok;
}

void network_free(Network *net)
{
    const Mem *mem = net->mem;
    if (!mem) return;
    adopted_free(net);
    for (uint32_t i = 0; i < net->lists.count; i++)
        list_frame_free(mem, net->lists.at[i]);
    arena_free(&net->arena);
    lock_free(&net->lock);
    lower_free(mem, &net->lowered);
    map_free(mem, &net->frame_index);
    map_free(mem, &net->state_index);
    map_free(mem, &net->map_index);
    map_free(mem, &net->shared_index);
    vec_free(mem, &net->frames);
    vec_free(mem, &net->frame_nodes);
    vec_free(mem, &net->states);
    vec_free(mem, &net->maps);
    vec_free(mem, &net->keys);
    vec_free(mem, &net->lists);
    movelists_free(net);
    *net = (Network){0};
}

weir_status network_enter(Network *net)
{
    lock_take(&net->lock);
    weir_status before = net->error.status;
    net->error.status = WEIR_OK;
    return before;
}

void network_leave(Network *net, weir_status before)
{
    if (!net->error.status) net->error.status = before;
    lock_give(&net->lock);
}

State *network_start(Network *net)
{
    weir_status before = network_enter(net);
    Frame *frame = frame_of(net, net->root);
    State *start = frame ? callee_start(net, frame) : NULL;
    network_leave(net, before);
    return start;
}

State *network_called(Network *net, NodeId node, bool *is_open)
{
    weir_status before = network_enter(net);
    Frame *frame = frame_of(net, node);
    State *start = frame ? callee_start(net, frame) : NULL;
    *is_open = start && frame_is_open(net, frame);
    network_leave(net, before);
    return start;
}

const void *network_keep(Network *net, const void *data, size_t nbytes)
{
    lock_take(&net->lock);
    const void *kept = arena_copy(&net->arena, data, nbytes);
    lock_give(&net->lock);
    return kept;
}

bool network_no_memory(Network *net)
{
    if (!net->arena.hit_limit) return diag_no_memory(&net->error);
    return diag_fail(
        &net->error, WEIR_LIMIT_MEMORY, 0, 0,
        "the grammar's automata need more than %zu bytes (limit max_memory)",
        net->arena.limit);
}

weir_error network_error(Network *net)
{
    lock_take(&net->lock);
    weir_error error = net->error;
    lock_give(&net->lock);
    assert(error.status); /* asked only after a failure */
    return error;
}

uintptr_t state_next_make(State *q, uint8_t byte)
{
    Network *net = q->frame->network;
    weir_status before = network_enter(net);
    uintptr_t cell = next_cell(net, q, byte);
    network_leave(net, before);
    return cell;
}

const TokenMoves *state_tokens(State *q)
{
    TokenMoves *known = atomic_load_explicit(&q->tokens, memory_order_acquire);
    if (known) return known;
    Network *net = q->frame->network;
    weir_status before = network_enter(net);
    known = atomic_load_explicit(&q->tokens, memory_order_relaxed);
    if (!known) {
        known = token_moves_make(net, q);
        if (known)
            atomic_store_explicit(&q->tokens, known, memory_order_release);
    }
    network_leave(net, before);
    return known;
}

const Entries *state_entries(State *q)
{
    Entries *known = atomic_load_explicit(&q->entries, memory_order_acquire);
    if (known) return known;
    Network *net = q->frame->network;
    weir_status before = network_enter(net);
    known = atomic_load_explicit(&q->entries, memory_order_relaxed);
    if (!known) {
        known = entries_make(net, q);
        if (known)
            atomic_store_explicit(&q->entries, known, memory_order_release);
    }
    network_leave(net, before);
    return known;
}

void network_count(Network *net, uint32_t *frames, uint32_t *states,
                   size_t *nbytes)
{
    lock_take(&net->lock);
    *frames = net->frames.count;
    *states = net->states.count;
    *nbytes = net->arena.total + vec_bytes(&net->frames) +
              vec_bytes(&net->frame_nodes) + vec_bytes(&net->states) +
              vec_bytes(&net->lists) + vec_bytes(&net->maps) +
              vec_bytes(&net->keys) + vec_bytes(&net->lowered.body) +
              vec_bytes(&net->lowered.size) + map_bytes(&net->frame_index) +
              map_bytes(&net->state_index) + map_bytes(&net->map_index) +
              map_bytes(&net->shared_index) + movelists_bytes(net) +
              adopted_bytes(net);
    lock_give(&net->lock);
}
