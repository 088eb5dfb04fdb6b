/* language_hint.h: what else the text of a grammar may be that cannot be read.
 */
#ifndef WEIR_API_LANGUAGE_HINT_H
#define WEIR_API_LANGUAGE_HINT_H

#include "syntax/ir.h"

/* The Ir has failed to read `source` as EBNF, GBNF or Lark: adds to its message
 * which of these the text looks like, if that is another. */
void language_hint(Ir *ir, weir_source_kind kind, Span source);

#endif
