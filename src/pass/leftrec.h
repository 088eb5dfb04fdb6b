/* leftrec.h: removal of left recursion. */
#ifndef WEIR_PASS_LEFTREC_H
#define WEIR_PASS_LEFTREC_H

#include "pass/lower.h"

/* Rewrites the lowered bodies so that no rule can begin with itself, with
 * equal languages; may add rules. Needs bodies without the empty text. */
bool leftrec_run(Ir *ir, Lowered *lowered);

#endif
