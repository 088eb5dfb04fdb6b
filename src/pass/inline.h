/* inline.h: dissolving rules into their users. */
#ifndef WEIR_PASS_INLINE_H
#define WEIR_PASS_INLINE_H

#include "pass/lower.h"

/* Replaces references by bodies where that gives larger automata and fewer
 * calls; drops the bodies of rules that the root no longer needs (NEVER). */
bool inline_run(Ir *ir, Lowered *lowered);

#endif
