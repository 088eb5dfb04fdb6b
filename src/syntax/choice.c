/* choice.c: a list of texts → an expression shaped like their compressed trie.
 *
 * In:    texts of any bytes. Out: one node, for example for to, tea, ten:
 *            "t" ("e" [an] | "o")
 * Method: sort, drop repeats; then one pass keeps the branches of the trie
 * that are still open on a stack, deepest last. A text that leaves the one
 * before it at depth d closes the branches deeper than d.
 * Holds: depths on the stack rise strictly; the kids of a branch are those
 *        from its `kids` on up to those of the next deeper one.
 * A trie deeper than CHOICE_MAX_DEPTH branches is not split further: there
 * texts repeat what they share.
 * Cost:  n log n comparisons, then linear in the bytes.
 * Tests: unit/choice_test.c.
 */
#include "syntax/choice.h"

#include <stdlib.h>

typedef struct Branch {
    size_t depth; /* bytes above it */
    uint32_t kids;
} Branch;

typedef struct Trie {
    Ir *ir;
    Branch open[CHOICE_MAX_DEPTH];
    uint32_t nopen;
    VEC(NodeId) kids;
} Trie;

static int span_order(const void *x, const void *y)
{
    return span_compare(*(const Span *)x, *(const Span *)y);
}

static size_t shared_prefix(Span a, Span b)
{
    size_t n = MIN(a.size, b.size), i = 0;
    while (i < n && a.at[i] == b.at[i]) i++;
    return i;
}

/* Hangs `below` under the deepest open branch, by text[its depth, depth). */
static void trie_hang(Trie *trie, Span text, size_t depth, NodeId below)
{
    size_t from = trie->open[trie->nopen - 1].depth;
    NodeId label = ir_bytes(trie->ir, span_of(text.at + from, depth - from));
    NodeId kid = ir_seq2(trie->ir, label, below);
    if (!vec_push(trie->ir->mem, &trie->kids, kid))
        diag_no_memory(&trie->ir->error);
}

/* The deepest open branch as an expression, no longer open. */
static NodeId trie_close(Trie *trie)
{
    Branch b = trie->open[--trie->nopen];
    NodeId all =
        ir_alt(trie->ir, trie->kids.at + b.kids, trie->kids.count - b.kids);
    trie->kids.count = b.kids;
    return all;
}

/* Adds `text`; what comes next shares its first `shared` bytes. */
static void trie_add(Trie *trie, Span text, size_t shared)
{
    NodeId below = NODE_EMPTY_ID;
    size_t depth = text.size;
    while (trie->open[trie->nopen - 1].depth > shared) {
        size_t above = trie->open[trie->nopen - 1].depth;
        trie_hang(trie, text, depth, below);
        below = trie_close(trie);
        depth = above;
    }
    if (trie->open[trie->nopen - 1].depth < shared &&
        trie->nopen < CHOICE_MAX_DEPTH)
        trie->open[trie->nopen++] = (Branch){shared, trie->kids.count};
    trie_hang(trie, text, depth, below);
}

static NodeId trie_build(Trie *trie, const Span *sorted, size_t count)
{
    trie->open[trie->nopen++] = (Branch){0, 0};
    for (size_t i = 0; i < count && ir_ok(trie->ir); i++) {
        if (i + 1 == count)
            trie_add(trie, sorted[i], 0);
        else if (!span_equal(sorted[i], sorted[i + 1]))
            trie_add(trie, sorted[i], shared_prefix(sorted[i], sorted[i + 1]));
    }
    return ir_ok(trie->ir) ? trie_close(trie) : NODE_NEVER_ID;
}

static bool sizes_fit(Ir *ir, const Span *choices, size_t count)
{
    uint64_t total = count;
    for (size_t i = 0; i < count; i++) total += choices[i].size;
    if (total <= ir->limits.max_source) return true;
    return diag_fail(&ir->error, WEIR_LIMIT_BYTES, 0, 0,
                     "choices of more than %u bytes (limit max_source)",
                     ir->limits.max_source);
}

NodeId choice_compile(Ir *ir, const Span *choices, size_t count)
{
    if (!ir_ok(ir) || !count || !sizes_fit(ir, choices, count))
        return NODE_NEVER_ID;
    size_t nbytes = size_mul(count, sizeof(Span));
    Span *sorted = mem_new(ir->mem, nbytes);
    Trie *trie = mem_zero(ir->mem, sizeof *trie);
    NodeId node = NODE_NEVER_ID;
    if (sorted && trie) {
        trie->ir = ir;
        memcpy(sorted, choices, nbytes);
        qsort(sorted, count, sizeof *sorted, span_order);
        node = trie_build(trie, sorted, count);
        vec_free(ir->mem, &trie->kids);
    } else {
        diag_no_memory(&ir->error);
    }
    mem_free(ir->mem, trie, sizeof *trie);
    mem_free(ir->mem, sorted, nbytes);
    return node;
}
