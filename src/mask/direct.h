/* direct.h: the plain way to a mask: walk the token trie with the matcher's
 * own configurations. Exact for every grammar; what the faster ways fall back
 * to, and are tested against. */
#ifndef WEIR_MASK_DIRECT_H
#define WEIR_MASK_DIRECT_H

#include "matcher/config.h"
#include "vocab/trie.h"

/* One thread's buffers for walks. */
typedef struct Walker {
    const Mem *mem;
    Stepper *stepper; /* borrowed */
    VEC(struct WalkLevel) levels;
} Walker;

void walker_init(Walker *w, const Mem *mem, Stepper *stepper);
void walker_free(Walker *w);

/* What a walk reports: a node whose text can be read, and the set after it. */
typedef struct WalkSink {
    /* True: go on below the node. */
    bool (*reached)(void *user, const TrieNode *node, uint32_t depth,
                    const ConfigSet *set);
    void *user;
} WalkSink;

/* Visits, from `node` (not reported itself) down, every node whose bytes the
 * set can read. Errors: in the stepper's status. */
void walk_direct(Walker *w, const Trie *trie, uint32_t node,
                 const ConfigSet *set, const WalkSink *sink);

#endif
