/* grammar_heads.h: a look at a grammar's text without reading it: where its
 * rules begin. Tells `name ::= body` (EBNF, GBNF) from `name: body` (Lark). */
#ifndef WEIR_TEXT_GRAMMAR_HEADS_H
#define WEIR_TEXT_GRAMMAR_HEADS_H

#include "base/mem.h"
#include "base/span.h"

typedef enum GrammarLook {
    LOOKS_LIKE_NOTHING, /* no rule at all */
    LOOKS_LIKE_BNF,     /* rules with '::=' */
    LOOKS_LIKE_LARK     /* it says so, or has rules with ':' only */
} GrammarLook;
GrammarLook grammar_look(Span text);
static inline bool grammar_is_lark(Span text)
{
    return grammar_look(text) == LOOKS_LIKE_LARK;
}

typedef struct TwiceFound {
    Span name;
    size_t begin; /* of the second definition */
} TwiceFound;
/* A rule that is defined by '::=' twice. Returns 1, 0 for none, or -1 when
 * out of memory. Linear. */
int grammar_defines_twice(const Mem *mem, Span text, TwiceFound *found);

#endif
