/* nonempty.h: removal of the empty text and of what produces nothing. */
#ifndef WEIR_PASS_NONEMPTY_H
#define WEIR_PASS_NONEMPTY_H

#include "pass/facts.h"
#include "pass/lower.h"

/* A REGULAR or BOUNDED node's language without the empty text. */
NodeId regular_nonempty(Ir *ir, Node n);

/* Fills lowered->body for every rule: the rule's language without the empty
 * text (NEVER when nothing is left), and lowered->is_nullable. A reference to
 * a rule that was nullable becomes "the rule or nothing". */
bool nonempty_run(Ir *ir, const Facts *facts, const TokenSets *sets,
                  Lowered *lowered);

#endif
