/* trie_merge.c: the rests of texts below some nodes, as a trie of their own.
 *
 * A node of the result stands for a list of nodes of the sources with the same
 * path. Its children are the sources' children, grouped by their bytes; its
 * ids are the sources' own, and since the sizes of subtrees are known from the
 * sources, every node knows its run of places before the ones below it exist.
 * What is below a node is what is below its sources.
 * Tests: unit/trie_test.c, against sorting the rests.
 */
#include "base/vec.h"
#include "vocab/trie.h"

/* A node of a source, and the part that it belongs to. */
typedef struct Source {
    const Trie *trie;
    uint32_t node, part;
} Source;

typedef VEC(Source) Sources;

/* A node of the result whose children are still to be made: its sources are
 * [from, to) of the level's. */
typedef struct Pending {
    uint32_t slot, from, to;
} Pending;

typedef VEC(Pending) Pendings;

typedef struct Merge {
    TrieMerge *out;
    const Mem *mem;
    const uint64_t *wanted; /* NULL below the root */
    Sources level, next;    /* sources of this level's nodes */
    Pendings nodes, next_nodes;
    uint32_t start[256]; /* by byte: where its next source goes in `next` */
    uint32_t ids[256];   /* by byte: ids below */
    uint64_t bytes[4];   /* of the children in hand */
} Merge;

static const TrieNode *source_node(const Source *s)
{
    return &s->trie->nodes[s->node];
}

static bool is_wanted(const Merge *m, uint8_t byte)
{
    return !m->wanted || m->wanted[byte >> 6] >> (byte & 63) & 1;
}

/* Counts the sources of each child of p, and the ids. */
static uint32_t count_children(Merge *m, const Pending *p)
{
    uint32_t n = 0;
    memset(m->bytes, 0, sizeof m->bytes);
    for (uint32_t i = p->from; i < p->to; i++) {
        const TrieNode *node = source_node(&m->level.at[i]);
        const TrieNode *child = &m->level.at[i].trie->nodes[node->child];
        for (uint32_t k = 0; k < node->nchildren; k++, child++) {
            uint8_t byte = child->byte;
            uint64_t bit = (uint64_t)1 << (byte & 63);
            if (!is_wanted(m, byte)) continue;
            if (!(m->bytes[byte >> 6] & bit)) {
                m->bytes[byte >> 6] |= bit;
                m->start[byte] = m->ids[byte] = 0;
                n++;
            }
            m->start[byte]++;
            m->ids[byte] += child->tok_end - child->tok;
        }
    }
    return n;
}

/* Slots for n children of the node in `slot`, and a byte set if they are many.
 * The first of them, or 0. */
static uint32_t children_reserve(Merge *m, uint32_t slot, uint32_t n)
{
    Trie *t = &m->out->trie;
    bool is_wide = n > TRIE_NARROW;
    uint32_t first = t->nnodes + (is_wide ? 2 : 0);
    if (!vec_grow(m->mem, (void **)&t->nodes, &m->out->node_cap,
                  (size_t)first + n, sizeof *t->nodes))
        return 0;
    TrieNode *node = &t->nodes[slot];
    node->child = first;
    node->nchildren = (uint16_t)n;
    t->nnodes = first + n;
    return first;
}

/* Puts the children of p's sources where start[] says; `total`: of m->next. */
static bool sources_hand_on(Merge *m, const Pending *p, uint32_t total)
{
    if (!vec_reserve(m->mem, &m->next, total)) return false;
    m->next.count = total;
    for (uint32_t i = p->from; i < p->to; i++) {
        Source s = m->level.at[i];
        const TrieNode *node = source_node(&s);
        for (uint32_t k = 0; k < node->nchildren; k++) {
            s.node = node->child + k;
            uint8_t byte = source_node(&s)->byte;
            if (is_wanted(m, byte)) m->next.at[m->start[byte]++] = s;
        }
    }
    return true;
}

/* Makes the children of p and hands the sources on to them. */
static bool expand(Merge *m, const Pending *p)
{
    Trie *t = &m->out->trie;
    uint32_t n = count_children(m, p), from = m->next.count;
    if (!n) return true;
    uint32_t slot = children_reserve(m, p->slot, n);
    if (!slot) return false;
    uint32_t tok = t->nodes[p->slot].tok_end; /* after its own, so far */
    for (unsigned w = 0; w < 4; w++)
        for (uint64_t bits = m->bytes[w]; bits; bits &= bits - 1, slot++) {
            uint8_t byte = (uint8_t)(w * 64 + bit_lowest(bits));
            uint32_t to = from + m->start[byte];
            t->nodes[slot] =
                (TrieNode){.tok = tok, .tok_end = tok, .byte = byte};
            tok += m->ids[byte];
            if (!vec_push(m->mem, &m->next_nodes, (Pending){slot, from, to}))
                return false;
            m->start[byte] = from;
            from = to;
        }
    TrieNode *node = &t->nodes[p->slot];
    node->tok_end = tok;
    if (trie_is_wide(node)) trie_wide_fill(t, node->child, n);
    return sources_hand_on(m, p, from);
}

/* Takes the own ids of the node's sources; tok_end stays after them, until the
 * run of its subtree is known. */
static void take_own(Merge *m, const Pending *p)
{
    TrieMerge *out = m->out;
    TrieNode *node = &out->trie.nodes[p->slot];
    for (uint32_t i = p->from; i < p->to; i++) {
        const Source *s = &m->level.at[i];
        const TrieNode *source = source_node(s);
        uint32_t end = trie_own_end(s->trie, source);
        node->below |= source->below;
        node->height = MAX(node->height, source->height);
        for (uint32_t k = source->tok; k < end; k++) {
            out->trie.ids[node->tok_end] = s->trie->ids[k];
            out->part[node->tok_end] = s->part;
            out->place[node->tok_end++] = k;
        }
    }
}

static void level_swap(Merge *m)
{
    Sources level = m->level;
    Pendings nodes = m->nodes;
    m->level = m->next;
    m->nodes = m->next_nodes;
    m->next = level;
    m->next_nodes = nodes;
    m->next.count = m->next_nodes.count = 0;
}

/* One level after the other. */
static bool merge_levels(Merge *m)
{
    Trie *t = &m->out->trie;
    while (m->nodes.count) {
        for (uint32_t i = 0; i < m->nodes.count; i++) {
            if (m->nodes.at[i].slot != TRIE_ROOT) take_own(m, &m->nodes.at[i]);
            if (!expand(m, &m->nodes.at[i])) return false;
        }
        m->wanted = NULL;
        t->depth += m->next_nodes.count > 0;
        level_swap(m);
    }
    return true;
}

/* The root, with its sources; room for all ids. */
static bool merge_begin(Merge *m, const TriePart *parts, uint32_t count)
{
    TrieMerge *out = m->out;
    uint32_t n = 0;
    if (!vec_reserve(m->mem, &m->level, count) ||
        !vec_push(m->mem, &m->nodes, (Pending){TRIE_ROOT, 0, count}) ||
        !vec_grow(m->mem, (void **)&out->trie.nodes, &out->node_cap, 1,
                  sizeof *out->trie.nodes))
        return false;
    TrieNode root = {.tok = 0};
    for (uint32_t i = 0; i < count; i++) {
        Source s = {parts[i].trie, parts[i].node, i};
        const TrieNode *node = source_node(&s);
        for (uint32_t k = 0; k < node->nchildren; k++) {
            const TrieNode *child = &s.trie->nodes[node->child + k];
            if (is_wanted(m, child->byte)) n += child->tok_end - child->tok;
        }
        root.below |= node->below;
        root.height = MAX(root.height, node->height);
        m->level.at[m->level.count++] = s;
    }
    out->trie.nodes[TRIE_ROOT] = root;
    out->trie.nnodes = 1;
    out->trie.nids = n;
    out->trie.ids = mem_new(m->mem, 3 * ((size_t)n + 1) * sizeof(uint32_t));
    if (!out->trie.ids) return false;
    out->part = out->trie.ids + n;
    out->place = out->part + n;
    return true;
}

bool trie_merge(TrieMerge *merge, const Mem *mem, const TriePart *parts,
                uint32_t count, const uint64_t *wanted)
{
    *merge = (TrieMerge){.mem = mem};
    Merge *m = mem_zero(mem, sizeof *m);
    if (!m) return false;
    *m = (Merge){.out = merge, .mem = mem, .wanted = wanted};
    bool ok = merge_begin(m, parts, count) && merge_levels(m);
    vec_free(mem, &m->level);
    vec_free(mem, &m->next);
    vec_free(mem, &m->nodes);
    vec_free(mem, &m->next_nodes);
    mem_free(mem, m, sizeof *m);
    return ok;
}

void trie_merge_free(TrieMerge *merge)
{
    const Mem *mem = merge->mem;
    mem_free(mem, merge->trie.nodes,
             merge->node_cap * sizeof *merge->trie.nodes);
    mem_free(mem, merge->trie.ids,
             3 * ((size_t)merge->trie.nids + 1) * sizeof(uint32_t));
    *merge = (TrieMerge){.mem = mem};
}
