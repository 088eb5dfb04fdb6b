/* json_text.h: from a language of texts to the language of their spellings
 * inside a JSON string (RFC 8259, section 7), quotes not included.
 *
 * A character may be written as itself where JSON allows that, and where it
 * does not (quote, backslash, below U+0020) as its short escape (\" \\ \b \f
 * \n \r \t) or \u00XX with hexadecimal digits of either case. */
#ifndef WEIR_LANG_JSON_TEXT_H
#define WEIR_LANG_JSON_TEXT_H

#include "lang/lang.h"

typedef enum JsonTextEscapes {
    JSON_TEXT_NEEDED = 0, /* only characters that must be escaped */
    JSON_TEXT_ANY = 1     /* any character as \uXXXX too (beyond U+FFFF as a
                             surrogate pair), and / as \/ */
} JsonTextEscapes;

/* The minimal Dfa of the spellings. Strings of `a` are scalar values; a
 * lone surrogate escape spells none of them. */
const Dfa *lang_json_text(LangCtx *ctx, const Dfa *a, JsonTextEscapes escapes);

/* lang_json_text, escapes as needed, of all texts but these, which are plain
 * and at least one of them UTF-8. */
const Dfa *lang_json_others(LangCtx *ctx, const Span *texts, uint32_t count);
/* Whether no byte of a text must be escaped. */
bool json_text_is_plain(Span text);

/* The same, with ticks by state: 1 if what leads there spells whole characters,
 * 0 inside an escape. (*ticks is NULL if all are 1.) No state is both, so there
 * may be a few more states than in the minimal Dfa. */
const Dfa *lang_json_text_ticks(LangCtx *ctx, const Dfa *a,
                                JsonTextEscapes escapes, const uint8_t **ticks);

#endif
