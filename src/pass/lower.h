/* lower.h: the passes between the IR and the network, run in order.
 *
 *   tokens       sets of tokens become the ids they mean here, never negated
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
    VEC(NodeId) unique_heads; /* of kinds that the root needs, of
                                 unknown supply */
    bool is_nullable;         /* the root also produces the empty text */
    bool has_tokens;          /* some set of tokens is no dead end */
} Lowered;

/* Which ids token sets can mean. NULL in its place: none, as without a
 * vocabulary. */
typedef struct LowerTokens {
    uint32_t width;
    /* Whether `id` may be taken by a set that names it, or (by_default) by one
     * that only leaves it over. */
    bool (*usable)(const void *user, uint32_t id, bool by_default);
    const void *user;
} LowerTokens;

/* Lowers all rules that the root needs. False with ir->error set: no memory,
 * WEIR_EMPTY when the root produces nothing, a limit. */
bool lower_run(Ir *ir, const LowerTokens *tokens, Lowered *out);
/* Moves it to other memory. False: no memory; it is as it was. */
bool lower_settle(const Mem *from, const Mem *to, Lowered *lowered);
void lower_free(const Mem *mem, Lowered *lowered);

#endif
