/* direct.h: the plain way through a token trie: with sets of configurations.
 * Exact for every grammar; the faster ways use it for what they do not know,
 * and are tested against it. */
#ifndef WEIR_MASK_DIRECT_H
#define WEIR_MASK_DIRECT_H

#include "matcher/config.h"
#include "vocab/trie.h"

/* One thread's levels. Walks may nest: a sink may walk. */
typedef struct Walker {
    const Mem *mem;
    Stepper *stepper; /* borrowed */
    VEC(struct WalkLevel *) levels;
    uint32_t top;   /* levels in use by walks in progress */
    uint32_t text;  /* bytes of the output, where it is kept (unique.h) */
    uint64_t nodes; /* looked at so far */
} Walker;

void walker_init(Walker *w, const Mem *mem, Stepper *stepper);
void walker_free(Walker *w);

/* What a walk reports: a node whose text can be read, and the set after it. */
typedef struct WalkSink {
    /* False: the node and what is below it do not matter, `set` being read
     * from above it. NULL: all do. */
    bool (*matters)(void *user, const TrieNode *node, uint32_t depth,
                    const ConfigSet *set);
    /* True: go on below the node. `depth`: bytes from the walk's start. */
    bool (*reached)(void *user, const TrieNode *node, uint32_t depth,
                    const ConfigSet *set);
    void *user;
} WalkSink;

/* Visits, from `node` (not reported itself) down, every node whose bytes the
 * set can read; the first of them in `only` (NULL: any). Errors: in the
 * stepper's status. */
void walk_direct(Walker *w, const Trie *trie, uint32_t node,
                 const ConfigSet *set, const ByteSet *only,
                 const WalkSink *sink);

/* The children of one node that are still to be tried, for walks that prune:
 * a wide node's as the intersection of two byte sets, a narrow one's in turn.
 */
typedef struct ChildCursor {
    ByteSet takes; /* bytes that the state can take; wide: and the node has */
    uint32_t node;
    uint32_t next; /* narrow nodes: next child to look at */
} ChildCursor;

static inline void children_begin(ChildCursor *c, const Trie *trie,
                                  uint32_t node, const ByteSet *takes)
{
    const TrieNode *n = &trie->nodes[node];
    c->node = node;
    c->next = 0;
    c->takes = *takes;
    if (!trie_is_wide(n)) return;
    const uint64_t *has = trie_bytes(trie, n);
    for (int i = 0; i < 4; i++) c->takes.word[i] &= has[i];
}

/* The next child to try, or 0. */
static inline uint32_t children_next(ChildCursor *c, const Trie *trie)
{
    const TrieNode *n = &trie->nodes[c->node];
    if (!trie_is_wide(n)) {
        while (c->next < n->nchildren) {
            uint32_t child = n->child + c->next++;
            if (byteset_has(&c->takes, trie->nodes[child].byte)) return child;
        }
        return 0;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint64_t word = c->takes.word[i];
        if (!word) continue;
        c->takes.word[i] = word & (word - 1);
        return trie_wide_child(trie, n, (uint8_t)(i * 64 + bit_lowest(word)));
    }
    return 0;
}

#endif
