/* words.h: characters and texts as messages for people name them. */
#ifndef WEIR_BASE_WORDS_H
#define WEIR_BASE_WORDS_H

#include "base/out.h"

/* 'a', '"', a space, a newline; U+200B for what does not show. */
void words_rune(Out *out, uint32_t rune);
/* byte 0xFF */
void words_byte(Out *out, uint8_t byte);
/* A text in quotes; one that is a single character as words_rune has it. */
void words_text(Out *out, Span text);
/* What stands at text[pos]: a character, a byte that begins none, or the end
 * of the input. */
void words_found(Out *out, Span text, size_t pos);

#endif
