/* pretoken_class.h: what the pre-tokenizers' expressions ask of a character,
 * as bits, so that a class of characters is a mask of them. */
#ifndef WEIR_VOCAB_PRETOKEN_CLASS_H
#define WEIR_VOCAB_PRETOKEN_CLASS_H

#include "base/span.h"

/* Every character has exactly one of these, line ends LINE and SPACE. */
enum {
    CLASS_UPPER = 1,    /* \p{Lu} \p{Lt} */
    CLASS_LOWER = 2,    /* \p{Ll} */
    CLASS_CASELESS = 4, /* \p{Lm} \p{Lo} */
    CLASS_MARK = 8,
    CLASS_NUMBER = 16,
    CLASS_PUNCT = 32,
    CLASS_SYMBOL = 64,
    CLASS_SPACE = 128, /* \s: White_Space */
    CLASS_LINE = 256,  /* \r \n */
    CLASS_REST = 512,  /* controls, formats, unassigned */
    CLASS_LETTER = CLASS_UPPER | CLASS_LOWER | CLASS_CASELESS,
    /* [^\s\p{L}\p{N}] */
    CLASS_OTHER = CLASS_MARK | CLASS_PUNCT | CLASS_SYMBOL | CLASS_REST,
    CLASS_NOT_NUMBER = CLASS_LETTER | CLASS_OTHER | CLASS_SPACE
};

/* Class of the character at text[pos], and where the next one begins. 0 at
 * the end. A byte that is not UTF-8 has U+FFFD's class. */
unsigned pretoken_class(Span text, size_t pos, size_t *next);

/* End of the longest run from pos of characters whose class is in `set`, at
 * most `most` of them. */
size_t pretoken_run(Span text, size_t pos, unsigned set, size_t most);

#endif
