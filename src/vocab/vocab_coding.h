/* vocab_coding.h: how the text of a token in a tokenizer file becomes bytes,
 * and what the texts themselves tell about that. */
#ifndef WEIR_VOCAB_CODING_H
#define WEIR_VOCAB_CODING_H

#include "base/span.h"
#include "weir/weir.h"

/* U+2581, which SentencePiece writes for a space. */
#define CODING_SPACE_MARK SPAN("\xE2\x96\x81")

/* Each function writes at most text.size bytes and returns their number. */

/* GPT-2's coding: 256 characters, one a byte. A text with any other character
 * stands for itself (names that are no part of the coding). */
size_t coding_byte_level(Span text, uint8_t *out);
/* Each `mark` becomes a space. */
size_t coding_spaced(Span text, Span mark, uint8_t *out);
/* <0xNN> becomes that byte; in other texts each mark becomes a space. */
size_t coding_byte_fallback(Span text, Span mark, uint8_t *out);
/* RWKV's: \n \t \r \xNN and other characters after a backslash. */
size_t coding_escaped(Span text, uint8_t *out);

/* The bytes that a part of a coded text adds to it, where the whole is coded
 * character by character. */
size_t coding_size(weir_vocab_coding coding, Span mark, Span part);

/* NN of a text <0xNN>, digits of either case; -1 for any other. */
int coding_byte_name(Span text);

/* What the texts of a vocabulary look like, counted one by one. */
typedef struct CodingEvidence {
    uint32_t ntexts;
    uint32_t nspelled;    /* texts made of the 256 characters only */
    uint32_t nsingle;     /* of one such character */
    uint32_t nbyte_names; /* <0xNN> */
} CodingEvidence;
void coding_count(CodingEvidence *evidence, Span text);
/* BYTE_FALLBACK with at least 128 byte names; BYTE_LEVEL with at least 128
 * single characters and 99 % spelled; else RAW. */
weir_vocab_coding coding_from_evidence(const CodingEvidence *evidence);

#endif
