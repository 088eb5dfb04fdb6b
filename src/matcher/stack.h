/* stack.h: return stacks as hash-consed graphs.
 *
 * A StackNode stands for a *set* of stacks: each entry is a return point with
 * the stacks below it, and `ends` says that the empty stack is one of them.
 * NULL stands for just the empty stack. Entries are sorted and their (state,
 * register) pairs are distinct, so a node is the minimal deterministic graph
 * of its set, equal sets are one node, and an ambiguous grammar costs one
 * configuration per frame state, however many readings there are.
 *
 * A union leaves out an entry whose register a neighbour's on the same stacks
 * covers (reg_covers): its set is the union up to stacks that allow nothing
 * new. So two nodes may differ that allow the same; that costs space, and
 * never an answer.
 *
 * Nodes of a StackHub live as long as it and are shared by all matchers of a
 * grammar: finding takes no lock, adding does. A Scratch adds nodes of its own
 * on top of a hub, for one thread and one computation.
 */
#ifndef WEIR_MATCHER_STACK_H
#define WEIR_MATCHER_STACK_H

#include "base/shared_table.h"
#include "network/network.h"

typedef struct StackNode StackNode;

typedef struct StackEntry {
    State *ret;
    const StackNode *below;
    uint32_t reg;
} StackEntry;

struct StackNode {
    SharedItem item;
    uint32_t count;
    bool ends;
    StackEntry at[];
};

typedef struct StackHub {
    const Mem *mem;
    Arena arena; /* nodes and their table; under the lock */
    Lock lock;
    SharedTable table;
} StackHub;

/* limit: bytes, then adding fails. False: no memory. */
bool stackhub_init(StackHub *hub, const Mem *mem, size_t limit);
void stackhub_free(StackHub *hub);
size_t stackhub_bytes(StackHub *hub);
/* True once a node did not fit: later ones may not either. */
bool stackhub_is_full(StackHub *hub);

/* Where new nodes go, and what a union needs. One thread. */
typedef struct StackUser {
    const Mem *mem;
    StackHub *hub;
    bool to_scratch; /* new nodes go to `arena`, not to the hub */
    Arena arena;     /* of scratch nodes, with a limit of its own */
    Map index;
    VEC(const StackNode *) own;
    VEC(StackEntry) entries;     /* of the union in progress */
    VEC(struct StackPair) pairs; /* unions done, within one step */
    Map pair_index;
    VEC(struct StackWant) wanted; /* unions still to be made */
    uint64_t work; /* of the present call: configurations and entries */
    uint64_t max_work;
    weir_status status; /* sticky; OK, NO_MEMORY or a limit */
} StackUser;

struct StackPair {
    const StackNode *a, *b, *both;
};

struct StackWant {
    const StackNode *a, *b;
    bool is_counted; /* its work is */
};

/* `scratch`: bytes of scratch nodes; 0: no limit. */
void stackuser_init(StackUser *user, const Mem *mem, StackHub *hub,
                    bool to_scratch, size_t scratch);
void stackuser_free(StackUser *user);
/* Forgets the scratch nodes. */
void stackuser_reset(StackUser *user);

/* `ret` on top of `below`. On failure user->status is set. */
const StackNode *stack_push(StackUser *user, const StackNode *below, State *ret,
                            uint32_t reg);
/* All stacks of both, but for those that others cover. */
const StackNode *stack_union(StackUser *user, const StackNode *a,
                             const StackNode *b);
/* Stacks of another hub, in this one. NULL and user->status set on failure.
 * Forget unions before the first and after the last. */
const StackNode *stack_copy(StackUser *user, const StackNode *node);
/* Forgets which unions were made: call once a step. */
void stack_forget_unions(StackUser *user);

#endif
