/* ir_list.h: inside the IR: list specifications as values. */
#ifndef WEIR_SYNTAX_IR_LIST_H
#define WEIR_SYNTAX_IR_LIST_H

#include "syntax/ir.h"

/* False for two lists that some text or print can tell apart. */
bool list_same(const ListSpec *x, const ListSpec *y);
/* With the hash of node n in node_hash[n], or n itself for NULL. */
uint64_t list_hash(uint64_t h, const ListSpec *list, const uint64_t *node_hash);
/* Less, equal or more than 0 by everything but the nodes. */
int list_order(const ListSpec *x, const ListSpec *y);
/* The first pair of nodes in which the two differ, lists being of the same
 * shape (list_order == 0). False: there is none. */
bool list_difference(const ListSpec *x, const ListSpec *y, NodeId *left,
                     NodeId *right);
/* Replaces all arrays by copies in the arena, without the kinds that are
 * NEVER. False: no memory. */
bool list_copy(Arena *arena, ListSpec *list);
/* False for an index out of bounds or a need without a condition. */
bool list_check(const ListSpec *list);

#endif
