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

/* Calls visit(user, kid) for each direct operand of a node; a RULE has none.
 */
void node_each_kid(const Ir *ir, Node n, void (*visit)(void *user, NodeId kid),
                   void *user);
/* The SEQ or ALT `id` with by[kid] in place of each operand. */
NodeId node_rewrite_kids(Ir *ir, NodeId id, const NodeId *by);

#endif
