/* tag_trie.h: the automaton of Aho and Corasick over code points: which tags
 * and excludes end where, in one walk over a text.
 *
 * A node stands for a string: the longest end of what was read that begins a
 * tag or an exclude. Node 0 is the root, the empty string. Lifetime: call.
 */
#ifndef WEIR_SYNTAX_TAG_TRIE_H
#define WEIR_SYNTAX_TAG_TRIE_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"

#define TAG_NONE UINT32_MAX

typedef struct TagNode {
    uint32_t rune, parent, depth;
    uint32_t child, sibling; /* first child, next child of the parent */
    uint32_t fail;
    uint32_t tag_size; /* code points of the longest tag that ends here */
    bool is_excluded;  /* an exclude ends here */
    bool is_in_tag;    /* a prefix of a tag, not just of an end */
} TagNode;

typedef struct TagTrie {
    const Mem *mem;
    VEC(TagNode) nodes;
    VEC(uint32_t) order; /* nodes, breadth first */
    Map children;
    uint32_t max_nodes;
    bool is_full;   /* more than max_nodes were wanted */
    bool no_memory; /* sticky, as is is_full */
} TagTrie;

void tag_trie_init(TagTrie *trie, const Mem *mem, uint32_t max_nodes);
void tag_trie_free(TagTrie *trie);
static inline bool tag_trie_ok(const TagTrie *trie)
{
    return !trie->is_full && !trie->no_memory;
}

/* Adds UTF-8 text that is not empty; returns its node. */
uint32_t tag_trie_add_tag(TagTrie *trie, Span text);
/* The same for a tag whose beginnings may be excluded. */
uint32_t tag_trie_add_end(TagTrie *trie, Span text);
uint32_t tag_trie_add_exclude(TagTrie *trie, Span text);
/* Works out order, fail links, and what ends where. Last of all. */
void tag_trie_link(TagTrie *trie);

/* The child of a node, or TAG_NONE. */
uint32_t tag_trie_child(const TagTrie *trie, uint32_t node, uint32_t rune);
/* Where reading `rune` leads, once linked. */
uint32_t tag_trie_step(const TagTrie *trie, uint32_t node, uint32_t rune);

/* No tag and no exclude ends here. */
static inline bool tag_trie_is_open(const TagTrie *trie, uint32_t node)
{
    return !trie->nodes.at[node].tag_size && !trie->nodes.at[node].is_excluded;
}

#endif
