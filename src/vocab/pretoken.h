/* pretoken.h: cutting text into words before byte-pair encoding.
 *
 * Each kind is one family's regular expression, as a hand-written scanner.
 * How a kind is recognised: from the regular expressions in tokenizer.json,
 * or from the name in a GGUF file (tokenizer.ggml.pre). */
#ifndef WEIR_VOCAB_PRETOKEN_H
#define WEIR_VOCAB_PRETOKEN_H

#include "base/span.h"

typedef enum PretokenKind {
    PRETOKEN_UNKNOWN = 0, /* encode is greedy */
    PRETOKEN_NONE,        /* the whole stretch is one word (Llama-2, Gemma) */
    PRETOKEN_METASPACE,   /* a word begins at each space */
    PRETOKEN_GPT2,
    PRETOKEN_SMOLLM,      /* each digit alone, then GPT-2 */
    PRETOKEN_LLAMA3,      /* also cl100k as HF files spell it */
    PRETOKEN_QWEN2,       /* Llama-3 with single digits; Qwen3 too */
    PRETOKEN_QWEN35,      /* the same, marks count as letters */
    PRETOKEN_O200K,       /* GPT-4o, gpt-oss */
    PRETOKEN_TEKKEN,      /* Mistral: o200k, no contractions, single digits */
    PRETOKEN_DEEPSEEK_V3, /* V3, R1 */
    PRETOKEN_CL100K,      /* as tiktoken has it: Llama-3, but blanks that end
                             the text stay together */
    PRETOKEN_KINDS
} PretokenKind;

/* What an HF `pre_tokenizer` of type ByteLevel with use_regex true (which is
 * the default when the field is absent) stands for in the list below. */
#define PRETOKEN_BYTE_LEVEL_REGEX                                       \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+" \
    "|\\s+(?!\\S)|\\s+"
/* What type Digits with individual_digits true stands for. */
#define PRETOKEN_DIGITS_REGEX "\\p{N}"

/* The kind for the regular expressions of HF's pre_tokenizer (a Sequence's in
 * order): Split's pattern.Regex texts, JSON escapes undone, and the two
 * constants above; ByteLevel with use_regex false adds none. Behaviours
 * Isolated, and Removed with invert, are the same here; a reader that meets
 * another behaviour or type passes nothing and takes PRETOKEN_UNKNOWN. No
 * regex at all (pre_tokenizer null, ByteLevel alone without regex, or Split on
 * a String " " under a normalizer that removes spaces) is PRETOKEN_NONE. */
PretokenKind pretoken_from_regexes(const Span *regexes, size_t count);
/* The kind for tokenizer.ggml.pre. */
PretokenKind pretoken_from_name(Span name);
/* Whether GGUF files of this name mean EncoderSpec.ignore_merges; the format
 * has no key for it. */
bool pretoken_name_ignores_merges(Span name);
/* Static; "greedy" for UNKNOWN. */
const char *pretoken_name(PretokenKind kind);

/* Cuts words off a stretch of text, from left to right. */
typedef struct PretokenCursor {
    PretokenKind kind;
    Span text;
    size_t pos;
    size_t segment; /* where a first expression (digits, CJK) ends the text
                       for the last one */
} PretokenCursor;

PretokenCursor pretoken_start(PretokenKind kind, Span text);
/* The next word; empty at the end. The words cover the text. UNKNOWN and NONE:
 * one word. Linear in all.
 * Bytes that are not UTF-8 count as one U+FFFD each, and keep their value:
 * where the references, which want characters, read U+FFFD. */
Span pretoken_next(PretokenCursor *cursor);

#endif
