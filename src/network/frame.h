/* frame.h: inside the network room: making frames, states and steps. All
 * functions here want the network's lock held and report through net->error. */
#ifndef WEIR_NETWORK_FRAME_H
#define WEIR_NETWORK_FRAME_H

#include "network/network.h"
#include "network/byte_nfa.h"

/* The frame of a RULE, of a REPEAT in counted form, or of any expression. */
Frame *frame_of(Network *net, NodeId node);
State *frame_start(Frame *frame);
/* Files a frame, own or of another network, under a node of this IR. */
bool frame_file(Network *net, NodeId node, Frame *frame);

/* The start state of a frame of any network. */
State *callee_start(Network *net, Frame *callee);
/* The cell of q (of any network) for `byte`; 0 on error. */
uintptr_t next_cell(Network *net, State *q, uint8_t byte);
/* The markers of a frame with options, made if new; false: error. */
bool frame_markers(Frame *frame);
/* The return state of a call edge of q. */
State *call_ret(Network *net, State *q, Call *call);
/* The state of a closed set, which must not be empty. `kinds`: of a list's;
 * else NULL. */
State *state_intern(Frame *frame, const PosSet *set,
                    const struct KindSet *kinds);
/* A new state like `proto`, whatever others there are. */
State *state_add(Network *net, const State *proto, const PosSet *set);
/* True for the set that ends a copy of a counted frame's operand. */
static inline bool set_ends_copy(const Frame *frame, const PosSet *set)
{
    return frame->is_counted && !frame->is_bounded && set->count == 1 &&
           set->at[0] == NFA_EXIT;
}

/* The token edges and the entries of a state of this network. */
TokenMoves *token_moves_make(Network *net, State *q);
Entries *entries_make(Network *net, State *q);
/* The scratch of all making: its bytes, and its end. */
size_t movelists_bytes(const Network *net);
void movelists_free(Network *net);

/* Around all making: takes the lock, and makes room for an error, so that what
 * failed once (for want of memory, say) can be made the next time; the error
 * of before stays known until there is another. */
weir_status network_enter(Network *net);
void network_leave(Network *net, weir_status before);

/* Reports that memory is out, or that the network has reached its limit.
 * Always false. */
bool network_no_memory(Network *net);

/* Nothing happens: the cell of a byte without a move. */
extern const Step step_dead;

#endif
