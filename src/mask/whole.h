/* whole.h: tokens that may have a whole head of a list in them.
 *
 * A JSON value that ends inside a token (a number, only if something follows)
 * may be a head that must be unique. Few tokens have one; a vocabulary knows
 * them by what the value means. So it does the tokens inside which one begins.
 */
#ifndef WEIR_MASK_WHOLE_H
#define WEIR_MASK_WHOLE_H

#include "matcher/unique.h"
#include "vocab/trie.h"
#include "vocab/vocab.h"

/* A value in a token. */
typedef struct WholeValue {
    uint32_t id;
    uint32_t begin, end; /* in the token */
    uint32_t at, size;   /* in the table's bytes: its meaning as a value */
} WholeValue;

/* By the first byte of a value. */
typedef enum WholeKind {
    WHOLE_STRING,
    WHOLE_OBJECT,
    WHOLE_ARRAY,
    WHOLE_SCALAR,
    WHOLE_KINDS
} WholeKind;
WholeKind whole_kind(uint8_t first);

enum { WHOLE_OTHERS = 256 }; /* the empty string, and what is no string */

typedef struct WholeTable {
    VEC(WholeValue) values; /* by token */
    VEC(uint8_t) bytes;
    Map index;             /* hashes, as a value and as a string -> values.at */
    VEC(uint32_t) strings; /* tokens that may have one string twice */
    VEC(uint32_t) repeats; /* ... one value */
    /* values.at that do not begin their tokens, by what they begin with: a
     * string with byte b in [later_from[b], later_from[b + 1]), others last */
    VEC(uint32_t) later;
    uint32_t later_from[WHOLE_OTHERS + 2];
    VEC(uint32_t) doubled; /* ... strings that stand before the token's first
                              quote, too */
    Trie tails; /* what tokens have from where a value may begin, not at their
                   own beginning */
    VEC(uint32_t) reopens[WHOLE_KINDS]; /* tokens that may end a value and begin
                                           another of the kind */
} WholeTable;

/* The arena is to live as long as the table. */
bool whole_init(WholeTable *w, const Mem *mem, Arena *arena,
                const Vocab *vocab);
void whole_free(WholeTable *w, const Mem *mem);
/* What a value means, to a list that compares heads like this; empty: it is no
 * string. */
Span whole_meaning(const WholeTable *w, const WholeValue *v, ListUnique kind);

#endif
