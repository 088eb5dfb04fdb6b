/* list_form.c: splits items and sorts kinds.  Tests: unit/list_test.c. */
#include "pass/list_form.h"

#include <stdlib.h>

Span list_prefix(const Ir *ir, NodeId node)
{
    Node n = ir_node(ir, node);
    if (n.kind == NODE_SEQ) n = ir_node(ir, ir_node_kids(ir, n)[0]);
    return n.kind == NODE_BYTES ? ir_node_bytes(ir, n) : (Span){0};
}

/* The operands of a SEQ from the second on. */
static NodeId without_first(Ir *ir, Node n)
{
    size_t nbytes = n.b * sizeof(NodeId);
    NodeId *kids = mem_new(ir->mem, nbytes);
    if (!kids) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    memcpy(kids, ir_node_kids(ir, n), nbytes);
    NodeId rest = ir_seq(ir, kids + 1, n.b - 1);
    mem_free(ir->mem, kids, nbytes);
    return rest;
}

/* True if no text of the node is empty, as far as one level shows; no rule's
 * is. */
static bool is_plainly_solid(const Ir *ir, NodeId id)
{
    Node n = ir_node(ir, id);
    if (n.kind == NODE_REPEAT) return n.b > 0;
    return n.kind == NODE_BYTES || n.kind == NODE_CLASS ||
           n.kind == NODE_RULE || n.kind == NODE_TOKENS || n.kind == NODE_LIST;
}

/* Some operand is; conservative. */
static bool is_solid(const Ir *ir, NodeId id)
{
    Node n = ir_node(ir, id);
    bool is = is_plainly_solid(ir, id);
    if (n.kind != NODE_SEQ) return is;
    for (uint32_t i = 0; i < n.b && !is; i++)
        is = is_plainly_solid(ir, ir_node_kids(ir, n)[i]);
    return is;
}

/* head => bytes ~ rest, where the rest can be a tail. */
static void split_kind(Ir *ir, ListKind *k)
{
    Node n = ir_node(ir, k->head);
    if (k->tail != NODE_EMPTY_ID || k->unique || n.kind == NODE_BYTES) return;
    NodeId head = NODE_EMPTY_ID, tail = k->head;
    if (list_prefix(ir, k->head).size) {
        head = ir_node_kids(ir, n)[0];
        tail = without_first(ir, n);
    }
    if (!is_solid(ir, tail)) return;
    k->head = head;
    k->tail = tail;
}

typedef struct KindRef {
    Span prefix;
    uint32_t index;
} KindRef;

static int order_prefixes(const void *x, const void *y)
{
    const KindRef *a = x, *b = y;
    int c = span_compare(a->prefix, b->prefix);
    return c ? c : (a->index > b->index) - (a->index < b->index);
}

static bool sort_kinds(const Ir *ir, ListKind *kinds, uint32_t count)
{
    size_t each = sizeof(KindRef) + sizeof(ListKind);
    KindRef *refs = mem_new(ir->mem, count * each);
    if (!refs) return false;
    ListKind *sorted = (ListKind *)(void *)(refs + count);
    for (uint32_t i = 0; i < count; i++)
        refs[i] = (KindRef){
            kinds[i].unique ? (Span){0} : list_prefix(ir, kinds[i].head), i};
    qsort(refs, count, sizeof *refs, order_prefixes);
    for (uint32_t i = 0; i < count; i++) sorted[i] = kinds[refs[i].index];
    memcpy(kinds, sorted, count * sizeof *kinds);
    mem_free(ir->mem, refs, count * each);
    return true;
}

NodeId list_form(Ir *ir, const ListSpec *spec, ListKind *kinds)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    for (uint32_t i = 0; i < spec->nkinds; i++) split_kind(ir, &kinds[i]);
    if (ir_ok(ir) && !sort_kinds(ir, kinds, spec->nkinds))
        diag_no_memory(&ir->error);
    return ir_list(ir, spec);
}
