/* lookup.c: drafts from the tokens before.
 *
 * Proposals with the same beginning share its nodes.
 * Tests: unit/decoder_draft_test.c.
 */
#include "sample/lookup.h"

typedef struct Tree {
    uint32_t *tokens, *parents;
    size_t count, capacity;
} Tree;

static size_t child_of(const Tree *t, size_t node, uint32_t token)
{
    for (size_t i = node + 1; i < t->count; i++)
        if (t->parents[i] == node && t->tokens[i] == token) return i;
    return 0;
}

/* Whether it was not in the tree yet, or not as long. */
static bool add(Tree *t, const uint32_t *tokens, size_t n)
{
    size_t node = 0, before = t->count;
    for (size_t i = 0; i < n; i++) {
        size_t child = child_of(t, node, tokens[i]);
        if (!child) {
            if (t->count == t->capacity) break;
            child = t->count++;
            t->tokens[child] = tokens[i];
            t->parents[child] = (uint32_t)node;
        }
        node = child;
    }
    return t->count > before;
}

/* Whether the `size` tokens before `at` are the last ones. */
static bool is_same(const Lookup *l, size_t at, size_t size)
{
    const uint32_t *end = l->taken + l->count;
    for (size_t i = 1; i <= size; i++)
        if (l->taken[at - i] != *(end - i)) return false;
    return true;
}

size_t lookup_tree(const Lookup *l, uint32_t *tokens, uint32_t *parents,
                   size_t capacity)
{
    Tree t = {tokens, parents, 1, capacity};
    size_t found = 0;
    tokens[0] = parents[0] = 0;
    for (size_t size = l->longest; size >= l->shortest && size; size--) {
        if (size >= l->count) continue;
        for (size_t at = l->count - 1; at >= size && found < l->branches;
             at--) {
            if (!is_same(l, at, size)) continue;
            found += add(&t, l->taken + at, MIN(l->length, l->count - at));
        }
    }
    return t.count;
}
