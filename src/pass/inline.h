/* inline.h: dissolving rules into their users. */
#ifndef WEIR_PASS_INLINE_H
#define WEIR_PASS_INLINE_H

#include "pass/rulegraph.h"

/* Replaces references by bodies where that gives larger automata and fewer
 * calls; drops the bodies of rules that the root no longer needs (NEVER).
 * `graph`: of the bodies, from the root. */
bool inline_run(Ir *ir, Lowered *lowered, const RuleGraph *graph);

#endif
