/* ebnf.h: xgrammar's EBNF → rules. docs/ebnf.md describes the dialect. */
#ifndef WEIR_SYNTAX_EBNF_H
#define WEIR_SYNTAX_EBNF_H

#include "syntax/ir.h"

/* Adds the rules of `source` to the Ir and makes the one called `root` (NULL:
 * "root") its root. Rules keep their order. The first error goes to the Ir
 * and names bytes of the source and the rule. False after an error. */
bool ebnf_compile(Ir *ir, Span source, const char *root);

#endif
