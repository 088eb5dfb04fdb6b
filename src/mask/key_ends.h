/* key_ends.h: where a key parts from its home (network/key_home.h).
 *
 * Below a node of a trie at which a key is read, what may follow is what may
 * follow at the key's home, but for what is behind the ends: the nodes where
 * one of the object's names is complete, in general few and small ones.
 */
#ifndef WEIR_MASK_KEY_ENDS_H
#define WEIR_MASK_KEY_ENDS_H

#include "network/key_home.h"
#include "vocab/trie.h"

typedef struct KeyEnd {
    uint32_t node, depth; /* depth: bytes from the start to the node */
    State *q;             /* in which the node's byte is read */
} KeyEnd;

typedef VEC(KeyEnd) KeyEnds;

/* Appends the ends below `node`, where q is, which has a home. Errors: no
 * memory, or the network's. */
weir_status key_ends_find(KeyEnds *ends, const Mem *mem, const Trie *trie,
                          uint32_t node, State *q);

#endif
