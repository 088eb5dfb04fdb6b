/* tokens.h: token sets as the ids they mean in one vocabulary. */
#ifndef WEIR_PASS_TOKENS_H
#define WEIR_PASS_TOKENS_H

#include "pass/lower.h"

/* The TOKENS nodes of an IR and what became of them. */
typedef struct TokenSets {
    VEC(NodeId) from; /* ascending */
    VEC(NodeId) to;   /* a TOKENS node without negation, or NEVER */
} TokenSets;

/* Adds the new nodes to the IR. Cost: the ids that the sets name; for a
 * negated one, the width. */
bool tokens_resolve(Ir *ir, const LowerTokens *tokens, TokenSets *sets);
void tokens_free(const Mem *mem, TokenSets *sets);
/* What TOKENS node `id` became; itself if it is a new one. */
NodeId tokens_find(const TokenSets *sets, NodeId id);

#endif
