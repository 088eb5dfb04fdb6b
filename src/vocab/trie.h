/* trie.h: byte tries over tokens, laid out for walks that prune.
 *
 * Nodes are stored level by level, so the children of a node lie side by side
 * in byte order. Ids are listed in bytewise order of their texts, so all ids
 * at and below a node are one run of `ids`: a subtree can be taken whole.
 * A node with more than TRIE_NARROW children has the set of their bytes in the
 * two node slots before its first child: a walk intersects it with the bytes
 * that a state takes instead of looking at each child.
 *
 *     node:      own ids = ids[tok, own_end)    all ids = ids[tok, tok_end)
 *     children:  nodes[child, child + nchildren)
 *
 * Each node also knows what is below it: which groups of bytes (trie_group)
 * begin a character in the rest of some text, continuation bytes left out. A
 * walk that reads those without getting anywhere new takes or leaves the whole
 * subtree. TRIE_BROKEN: some text, read from the node, is not UTF-8 (one that
 * ends within a character is).
 */
#ifndef WEIR_VOCAB_TRIE_H
#define WEIR_VOCAB_TRIE_H

#include "base/arena.h"
#include "base/span.h"

#define TRIE_NARROW 6
enum { TRIE_ROOT = 0 };

typedef struct TrieNode {
    uint64_t below;   /* groups of the bytes below */
    uint32_t child;   /* first child */
    uint32_t tok;     /* ids of this node begin here */
    uint32_t tok_end; /* one past the ids of the subtree */
    uint16_t nchildren;
    uint8_t byte;   /* that leads here from the parent */
    uint8_t height; /* most characters that begin below; 255: or more */
} TrieNode;

typedef struct Trie {
    TrieNode *nodes;
    uint32_t nnodes; /* slots, byte sets included */
    uint32_t *ids;
    uint32_t nids;
    uint32_t depth; /* longest text, bytes */
} Trie;

typedef struct TrieEntry {
    Span text;
    uint32_t id;
} TrieEntry;

/* The group of a byte, by its bit's number: a run of neighbouring bytes. */
extern const uint8_t trie_group[256];
enum { TRIE_GROUPS = 63, TRIE_BROKEN_GROUP = 46 };
#define TRIE_BROKEN ((uint64_t)1 << TRIE_BROKEN_GROUP)

/* Builds the trie of the entries, in any order, in `arena`; texts are borrowed
 * for the call, may be empty and may repeat. False: no memory. */
bool trie_build(Trie *trie, Arena *arena, const Mem *mem,
                const TrieEntry *entries, uint32_t count);

/* *to = a copy in `arena`. False: no memory. */
bool trie_copy_to(Trie *to, const Trie *from, Arena *arena);
/* Writes the byte set before n children, the first in slot `first`. */
void trie_wide_fill(Trie *t, uint32_t first, uint32_t n);

/* ---- merging ---- */

/* What is below a node of a trie: the rests of the texts there. */
typedef struct TriePart {
    const Trie *trie;
    uint32_t node;
} TriePart;

/* A trie of rests, with where each came from. */
typedef struct TrieMerge {
    const Mem *mem;
    Trie trie; /* ids: by place, those of the sources */
    uint32_t node_cap;
    uint32_t *part;  /* by place: which part */
    uint32_t *place; /* by place: where in the part's trie */
} TrieMerge;

/* The rests, none of them empty, of all parts as one trie: those that begin
 * with a byte of the set `wanted` (NULL: all), 256 bits. Nothing is sorted:
 * cost is a look at each node. False: no memory. Freed with trie_merge_free in
 * any case. */
bool trie_merge(TrieMerge *merge, const Mem *mem, const TriePart *parts,
                uint32_t count, const uint64_t *wanted);
void trie_merge_free(TrieMerge *merge);

static inline bool trie_is_wide(const TrieNode *node)
{
    return node->nchildren > TRIE_NARROW;
}

static inline uint32_t trie_own_end(const Trie *trie, const TrieNode *node)
{
    return node->nchildren ? trie->nodes[node->child].tok : node->tok_end;
}

/* The bytes of the children; only for wide nodes. */
static inline const uint64_t *trie_bytes(const Trie *trie, const TrieNode *node)
{
    return (const uint64_t *)(const void *)&trie->nodes[node->child - 2];
}

/* The child by `byte`, which must be there, of a wide node. */
static inline uint32_t trie_wide_child(const Trie *trie, const TrieNode *node,
                                       uint8_t byte)
{
    const uint64_t *set = trie_bytes(trie, node);
    uint32_t rank = 0;
    for (unsigned w = 0; w < byte / 64u; w++) rank += bit_count(set[w]);
    uint64_t below = ((uint64_t)1 << (byte & 63)) - 1;
    return node->child + rank + bit_count(set[byte >> 6] & below);
}

/* The child by `byte`, or 0 (the root is nobody's child). */
uint32_t trie_child(const Trie *trie, const TrieNode *node, uint8_t byte);

#endif
