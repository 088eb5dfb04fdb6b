/* list_rules.h: a list as rules, one for each tally.
 *
 * Needed only where a list stands in the way of left recursion; frames do the
 * same without rules. */
#ifndef WEIR_PASS_LIST_RULES_H
#define WEIR_PASS_LIST_RULES_H

#include "pass/lower.h"

/* after[k]: what follows a first item of kind k, the empty text included where
 * the list may end there; NEVER if it may not come first. Adds rules to ir and
 * lowered. False with ir->error set. */
bool list_rules(Ir *ir, Lowered *lowered, const ListSpec *list, NodeId *after);

#endif
