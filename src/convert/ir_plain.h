/* ir_plain.h: a grammar without automata and lists. */
#ifndef WEIR_CONVERT_IR_PLAIN_H
#define WEIR_CONVERT_IR_PLAIN_H

#include "syntax/ir.h"

/* Puts rules in the place of all REGULAR, BOUNDED and LIST nodes that the root
 * reaches; the language stays. False with ir->error: UNSUPPORTED for lists with
 * heads that must differ or items that may be empty, LIMIT_RULES and others.
 * Budgets of rules are refused too, what else they ask for is dropped with a
 * warning. is_lenient: heads need not differ any more, with a warning. */
bool ir_plain(Ir *ir, bool is_lenient);

/* ---- parts, for ir_plain.c ---- */

/* The rules of an automaton: what it denotes. */
NodeId plain_automaton(Ir *ir, Node automaton);
/* The same of a list whose heads and tails are plain already. */
NodeId plain_list(Ir *ir, const ListSpec *list);

#endif
