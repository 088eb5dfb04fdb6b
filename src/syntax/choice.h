/* choice.h: exactly one of a list of texts. */
#ifndef WEIR_SYNTAX_CHOICE_H
#define WEIR_SYNTAX_CHOICE_H

#include "syntax/ir.h"

/* Branches of the trie below each other, at most. */
#define CHOICE_MAX_DEPTH 256u

/* Any bytes; texts may be empty, equal, or prefixes of each other, in any
 * order. No choice at all is NEVER. Shared prefixes stand once in the
 * expression. Work: n log n comparisons. */
NodeId choice_compile(Ir *ir, const Span *choices, size_t count);

#endif
