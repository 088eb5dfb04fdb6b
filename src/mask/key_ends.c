/* key_ends.c: follows the names of an object down a trie.
 *
 * Only bytes that may lead elsewhere than from home are looked at, and only
 * nodes below which there is a quote: nothing parts before one.
 * Cost: a look at a table for each byte of a name that some text has.
 * Tests: prop/key_masks_test.c.
 */
#include "mask/key_ends.h"

#include "mask/direct.h"

typedef struct KeyPath {
    KeyEnds *ends;
    const Mem *mem;
    const Trie *trie;
    State *home;
} KeyPath;

static weir_status path_walk(const KeyPath *p, uint32_t node, uint32_t depth,
                             State *q);

/* `child` is reached from q by a byte that may part. */
static weir_status path_child(const KeyPath *p, uint32_t child, uint32_t depth,
                              State *q)
{
    const TrieNode *n = &p->trie->nodes[child];
    if (n->byte != '"') {
        if (!(n->below >> trie_group['"'] & 1)) return WEIR_OK;
        uintptr_t cell = state_next(q, n->byte);
        if (!cell) return network_error(q->frame->network).status;
        State *to = CELL_IS_STATE(cell) ? cell_state(cell) : NULL;
        if (to == p->home) return WEIR_OK;
        const KeyHome *home = to ? state_home(to) : NULL;
        if (home && home->home == p->home)
            return path_walk(p, child, depth, to);
    }
    KeyEnd end = {child, depth, q};
    return vec_push(p->mem, p->ends, end) ? WEIR_OK : WEIR_NO_MEMORY;
}

/* Recursion: a byte of a token a level, along a name. */
static weir_status path_walk(const KeyPath *p, uint32_t node, uint32_t depth,
                             State *q)
{
    ChildCursor children;
    weir_status status = WEIR_OK;
    children_begin(&children, p->trie, node, &state_home(q)->differs);
    for (uint32_t child;
         !status && (child = children_next(&children, p->trie));)
        status = path_child(p, child, depth + 1, q);
    return status;
}

weir_status key_ends_find(KeyEnds *ends, const Mem *mem, const Trie *trie,
                          uint32_t node, State *q)
{
    KeyPath p = {ends, mem, trie, state_home(q)->home};
    return q == p.home ? WEIR_OK : path_walk(&p, node, 0, q);
}
