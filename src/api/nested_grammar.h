/* nested_grammar.h: parts of a grammar in other languages, for the front ends
 * that have such parts. */
#ifndef WEIR_API_NESTED_GRAMMAR_H
#define WEIR_API_NESTED_GRAMMAR_H

#include "syntax/nested.h"

/* What one source is part of. Lifetime: call. */
typedef struct Nesting Nesting;
struct Nesting {
    const Nesting *outer; /* NULL: the source given */
    Span name;            /* of one that is called by name */
    weir_vocab *vocab;
    const weir_compile_opts *opts;
    uint32_t depth;
    uint64_t *left;    /* bytes of nested sources that may still come */
    VEC(RuleId) named; /* by opts->grammars: its root in this source's Ir, or
                          RULE_NONE */
};

/* Functions for a source whose parts are nested in `nesting`. */
Nested nested_hooks(Nesting *nesting);

/* grammar.h's grammar_read for a source that is part of others. */
void grammar_read_nested(Ir *ir, Nesting *nesting, weir_source_kind kind,
                         Span source);

#endif
