/* rulegraph.h: which rules use which, and the knots among them. */
#ifndef WEIR_PASS_RULEGRAPH_H
#define WEIR_PASS_RULEGRAPH_H

#include "pass/lower.h"

/* Edges rule -> rule, and the strongly connected components. */
typedef struct RuleGraph {
    const Mem *mem;
    uint32_t nrules;
    VEC(uint32_t) edge_start; /* by rule, nrules + 1 entries */
    VEC(RuleId) edges;        /* no rule twice from one rule */
    VEC(RuleId) order;        /* users after used, knots contiguous */
    VEC(uint32_t) knot;       /* by rule: number of its component, ascending
                                 along `order` */
    VEC(uint8_t) is_cyclic;   /* by rule: reaches itself */
} RuleGraph;

/* left_only: only edges to rules with which a body may begin, and components
 * of all rules; else of those that the root reaches. False: no memory. */
bool rulegraph_build(const Ir *ir, const Lowered *lowered, bool left_only,
                     RuleGraph *graph);
void rulegraph_free(RuleGraph *graph);

/* Which lowered expressions may be empty, rules never being so: one byte a
 * node. No fixpoint is needed: operands have lower ids. */
typedef struct Nullables {
    VEC(uint8_t) is; /* by node */
} Nullables;
/* Covers all nodes that exist now. False: no memory. */
bool nullables_update(const Ir *ir, Nullables *nullables);

#endif
