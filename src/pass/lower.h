/* lower.h: the passes between the IR and the network, run in order.
 *
 *   facts        which nodes can produce a text, which the empty text
 *   nonempty     no rule produces the empty text; what cannot produce a text
 *                is gone
 *   leftrec      no rule begins with itself
 *   inline       small and open-ended rules dissolve into their users
 *
 * The source's own rule bodies stay in the Ir for printing, union and concat;
 * the passes add nodes and rules to it and give the lowered bodies apart.
 */
#ifndef WEIR_PASS_LOWER_H
#define WEIR_PASS_LOWER_H

#include "syntax/ir.h"

typedef struct Lowered {
    VEC(NodeId) body;   /* by rule; never produces the empty text */
    VEC(uint32_t) size; /* by node: automaton positions, saturating; a class
                           of many code points counts as several */
    bool is_nullable; /* the root also produces the empty text */
} Lowered;

/* Lowers all rules that the root needs. False with ir->error set: no memory,
 * WEIR_EMPTY when the root produces nothing, a limit. */
bool lower_run(Ir *ir, Lowered *out);
void lower_free(const Mem *mem, Lowered *lowered);

#endif
