/* ir_order.c: the order of expressions by content.
 *
 * In: two nodes, or a list of them. Out: which comes first, or the list
 * sorted. Kinds come in the order of NodeKind; within a kind the payload
 * decides, and rows of kids compare like words. Since equal expressions are
 * one node, a comparison walks down one path only: to the first kids that
 * differ. The sort is a heap sort, which needs no memory and has no bad case.
 * Cost: depth + length of the texts compared; n log n comparisons.
 * Tests: unit/ir_test.c.
 */
#include "syntax/ir.h"

#include "syntax/ir_dfa.h"
#include "syntax/ir_list.h"

static int order_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int order_ranges(const Ir *ir, Node x, Node y)
{
    const Range *p = ir_node_ranges(ir, x), *q = ir_node_ranges(ir, y);
    for (uint32_t i = 0; i < MIN(x.b, y.b); i++) {
        int c = order_u32(p[i].lo, q[i].lo);
        if (!c) c = order_u32(p[i].hi, q[i].hi);
        if (c) return c;
    }
    return order_u32(x.b, y.b);
}

/* Nodes of one kind without kids. */
static int order_leaves(const Ir *ir, Node x, Node y)
{
    switch (x.kind) {
    case NODE_BYTES:
        return span_compare(ir_node_bytes(ir, x), ir_node_bytes(ir, y));
    case NODE_CLASS:
    case NODE_TOKENS:
        return x.c != y.c ? order_u32(x.c, y.c) : order_ranges(ir, x, y);
    case NODE_REGULAR:
        return dfa_order(&ir->dfas.at[x.a], &ir->dfas.at[y.a]);
    case NODE_BOUNDED:
        return bounded_order(&ir->bounds.at[x.a], &ir->bounds.at[y.a]);
    default:
        return order_u32(x.a, y.a);
    }
}

/* The first place where two rows of kids differ, or the shorter's length. */
static uint32_t first_difference(const Ir *ir, Node x, Node y)
{
    const NodeId *p = ir_node_kids(ir, x), *q = ir_node_kids(ir, y);
    uint32_t n = MIN(x.b, y.b), i = 0;
    while (i < n && p[i] == q[i]) i++;
    return i;
}

int ir_order(const Ir *ir, NodeId left, NodeId right)
{
    while (left != right) {
        Node x = ir_node(ir, left), y = ir_node(ir, right);
        if (x.kind != y.kind) return order_u32(x.kind, y.kind);
        if (x.kind == NODE_REPEAT) {
            if (x.a == y.a)
                return x.b != y.b ? order_u32(x.b, y.b) : order_u32(x.c, y.c);
            left = x.a;
            right = y.a;
        } else if (x.kind == NODE_SEQ || x.kind == NODE_ALT) {
            uint32_t i = first_difference(ir, x, y);
            if (i == MIN(x.b, y.b)) return order_u32(x.b, y.b);
            left = ir_node_kids(ir, x)[i];
            right = ir_node_kids(ir, y)[i];
        } else if (x.kind == NODE_LIST) {
            const ListSpec *p = ir_node_list(ir, x), *q = ir_node_list(ir, y);
            int c = list_order(p, q);
            if (c) return c;
            if (!list_difference(p, q, &left, &right)) return 0;
        } else {
            return order_leaves(ir, x, y);
        }
    }
    return 0;
}

/* Moves ids[top] down until no child of the heap [0, count) is larger. */
static void heap_sink(const Ir *ir, NodeId *ids, uint32_t top, uint32_t count)
{
    NodeId moved = ids[top];
    for (uint32_t child = top; top < count / 2; top = child) {
        child = 2 * top + 1;
        if (child + 1 < count && ir_order(ir, ids[child], ids[child + 1]) < 0)
            child++;
        if (ir_order(ir, moved, ids[child]) >= 0) break;
        ids[top] = ids[child];
    }
    ids[top] = moved;
}

static bool is_sorted(const Ir *ir, const NodeId *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (ir_order(ir, ids[i - 1], ids[i]) > 0) return false;
    return true;
}

void ir_sort(const Ir *ir, NodeId *ids, uint32_t count)
{
    if (is_sorted(ir, ids, count)) return;
    for (uint32_t i = count / 2; i-- > 0;) heap_sink(ir, ids, i, count);
    for (uint32_t n = count; n-- > 1;) {
        NodeId largest = ids[0];
        ids[0] = ids[n];
        ids[n] = largest;
        heap_sink(ir, ids, 0, n);
    }
}
