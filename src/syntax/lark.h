/* lark.h: Lark's grammar language, as llguidance and xgrammar have it → rules.
 * docs/lark.md describes it. */
#ifndef WEIR_SYNTAX_LARK_H
#define WEIR_SYNTAX_LARK_H

#include "syntax/nested.h"

typedef struct LarkOpts {
    const char *root; /* the rule that is the output; NULL: "start" */
    Nested nested;
} LarkOpts;

/* Adds the rules of `source` to the Ir and makes the root rule its root. The
 * first error goes to the Ir and names bytes of the source and the rule. False
 * after an error. */
bool lark_compile(Ir *ir, Span source, const LarkOpts *opts);

#endif
