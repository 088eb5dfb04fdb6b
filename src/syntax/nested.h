/* nested.h: what a grammar's text refers to beyond itself: parts in another
 * language, grammars and tokens by name. The caller of a front end knows
 * them, so that no language includes another. */
#ifndef WEIR_SYNTAX_NESTED_H
#define WEIR_SYNTAX_NESTED_H

#include "syntax/ir.h"

typedef VEC(Range) RangeList;

/* NULL in a function: there is no such thing. */
typedef struct Nested {
    void *user;
    /* Adds the rules of `text`, a source of the kind, to the Ir. Returns their
     * root, or RULE_NONE with ir->error; its place is one of `text`. */
    RuleId (*grammar)(void *user, Ir *ir, weir_source_kind kind, Span text);
    /* The same of a grammar that the caller has a name for; RULE_NONE without
     * an error: it has none. Places are those of that grammar's source. */
    RuleId (*named)(void *user, Ir *ir, Span name);
    /* Appends the ids of all tokens called `name`. False: no memory. */
    bool (*tokens)(void *user, const Mem *mem, Span name, RangeList *ids);
} Nested;

#endif
