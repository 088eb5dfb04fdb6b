/* tag_trie.c: tags and excludes → their Aho-Corasick automaton.
 *
 * In:    texts. Out: a trie with fail links: a node's fail link is the
 *        longest proper end of its string that is a node too.
 * Method: Aho and Corasick (1975). Parents come before children in `order`,
 *        so that the links of shorter strings are known first.
 * Cost:  linear in the texts. Tests: unit/tag_text_test.c.
 */
#include "syntax/tag_trie.h"

#include "base/utf8.h"

void tag_trie_init(TagTrie *trie, const Mem *mem, uint32_t max_nodes)
{
    *trie = (TagTrie){.mem = mem, .max_nodes = max_nodes};
    TagNode root = {.child = TAG_NONE, .sibling = TAG_NONE};
    if (!vec_push(mem, &trie->nodes, root)) trie->no_memory = true;
}

void tag_trie_free(TagTrie *trie)
{
    vec_free(trie->mem, &trie->nodes);
    vec_free(trie->mem, &trie->order);
    map_free(trie->mem, &trie->children);
}

static uint64_t child_hash(uint32_t node, uint32_t rune)
{
    return hash_mix(node, rune);
}

uint32_t tag_trie_child(const TagTrie *trie, uint32_t node, uint32_t rune)
{
    uint64_t h = child_hash(node, rune);
    MapPos p = map_first(&trie->children, h);
    for (; p.value != MAP_NONE; p = map_next(&trie->children, h, p)) {
        const TagNode *n = &trie->nodes.at[p.value];
        if (n->rune == rune && n->parent == node) return p.value;
    }
    return TAG_NONE;
}

static uint32_t add_child(TagTrie *trie, uint32_t parent, uint32_t rune)
{
    uint32_t id = tag_trie_child(trie, parent, rune);
    if (id != TAG_NONE) return id;
    id = trie->nodes.count;
    trie->is_full |= id >= trie->max_nodes;
    if (!tag_trie_ok(trie)) return 0;
    TagNode *up = &trie->nodes.at[parent];
    TagNode n = {.rune = rune, .parent = parent, .depth = up->depth + 1};
    n.sibling = up->child;
    n.child = TAG_NONE;
    if (!vec_push(trie->mem, &trie->nodes, n) ||
        !map_add(trie->mem, &trie->children, child_hash(parent, rune), id)) {
        trie->no_memory = true;
        return 0;
    }
    trie->nodes.at[parent].child = id;
    return id;
}

static uint32_t add_text(TagTrie *trie, Span text, bool is_tag)
{
    uint32_t node = 0;
    assert(text.size);
    for (size_t pos = 0; pos < text.size && tag_trie_ok(trie);) {
        uint32_t rune = utf8_decode(text, &pos);
        assert(rune != RUNE_BAD);
        node = add_child(trie, node, rune);
        if (tag_trie_ok(trie)) trie->nodes.at[node].is_in_tag |= is_tag;
    }
    return node;
}

static uint32_t add_whole(TagTrie *trie, Span text, bool is_tag)
{
    uint32_t node = add_text(trie, text, is_tag);
    if (tag_trie_ok(trie))
        trie->nodes.at[node].tag_size = trie->nodes.at[node].depth;
    return node;
}

uint32_t tag_trie_add_tag(TagTrie *trie, Span text)
{
    return add_whole(trie, text, true);
}

uint32_t tag_trie_add_end(TagTrie *trie, Span text)
{
    return add_whole(trie, text, false);
}

uint32_t tag_trie_add_exclude(TagTrie *trie, Span text)
{
    uint32_t node = add_text(trie, text, false);
    if (tag_trie_ok(trie)) trie->nodes.at[node].is_excluded = true;
    return node;
}

uint32_t tag_trie_step(const TagTrie *trie, uint32_t node, uint32_t rune)
{
    for (;; node = trie->nodes.at[node].fail) {
        uint32_t child = tag_trie_child(trie, node, rune);
        if (child != TAG_NONE) return child;
        if (!node) return 0;
    }
}

static void link_node(TagTrie *trie, uint32_t id)
{
    TagNode *n = &trie->nodes.at[id];
    if (n->parent) {
        uint32_t up = trie->nodes.at[n->parent].fail;
        n->fail = tag_trie_step(trie, up, n->rune);
    }
    const TagNode *fail = &trie->nodes.at[n->fail];
    if (!n->tag_size) n->tag_size = fail->tag_size;
    n->is_excluded |= fail->is_excluded;
}

void tag_trie_link(TagTrie *trie)
{
    if (!tag_trie_ok(trie)) return;
    if (!vec_reserve(trie->mem, &trie->order, trie->nodes.count)) {
        trie->no_memory = true;
        return;
    }
    trie->order.at[trie->order.count++] = 0;
    for (uint32_t i = 0; i < trie->order.count; i++) {
        uint32_t id = trie->order.at[i];
        if (id) link_node(trie, id);
        uint32_t child = trie->nodes.at[id].child;
        for (; child != TAG_NONE; child = trie->nodes.at[child].sibling)
            trie->order.at[trie->order.count++] = child;
    }
}
