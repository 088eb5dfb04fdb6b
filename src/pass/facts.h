/* facts.h: least fixpoints of yes/no properties over rules and nodes. */
#ifndef WEIR_PASS_FACTS_H
#define WEIR_PASS_FACTS_H

#include "pass/tokens.h"

/* One byte per node, 0 or 1, of the nodes that exist now. */
typedef struct Facts {
    uint8_t *productive; /* denotes at least one text; exact */
    uint8_t *nullable;   /* denotes the empty text; exact */
    uint8_t *solid;      /* denotes some other text; exact */
    uint32_t nnodes;
} Facts;

/* Rules stand for rules.at[].body. False: no memory. */
bool facts_find(Ir *ir, const TokenSets *sets, Facts *facts);
void facts_free(const Mem *mem, Facts *facts);

static inline void list_each_kid(const ListSpec *list,
                                 void (*visit)(void *user, NodeId kid),
                                 void *user)
{
    visit(user, list->separator);
    for (uint32_t i = 0; i < list->nkinds; i++) {
        visit(user, list->kinds[i].head);
        visit(user, list->kinds[i].tail);
    }
}

/* Calls visit(user, kid) for each direct operand of a node; a RULE has none.
 * Inline, and so the visit: all passes spend their time here. */
static inline void node_each_kid(const Ir *ir, Node n,
                                 void (*visit)(void *user, NodeId kid),
                                 void *user)
{
    if (n.kind == NODE_REPEAT) visit(user, n.a);
    if (n.kind == NODE_LIST) list_each_kid(ir_node_list(ir, n), visit, user);
    if (n.kind != NODE_SEQ && n.kind != NODE_ALT) return;
    for (uint32_t i = 0; i < n.b; i++) visit(user, ir->kids.at[n.a + i]);
}
/* The SEQ or ALT `id` with by[kid] in place of each operand. */
NodeId node_rewrite_kids(Ir *ir, NodeId id, const NodeId *by);

#endif
