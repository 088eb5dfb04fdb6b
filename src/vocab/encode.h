/* encode.h: text -> token ids, as the tokenizer's own library does it.
 *
 * A reader (vocab_*.c) describes what its file says in an EncoderSpec;
 * encoder_new turns that and the token table into an Encoder.
 *
 * Who owns what: everything a spec points to (merges, scores, added tokens and
 * their contents, byte_ids) is borrowed for the call of encoder_new and copied
 * if needed. The token table (EncoderTokens) is borrowed for the encoder's
 * whole life: the vocabulary owns both and frees the encoder first. Mem is
 * copied by value.
 *
 * An Encoder never changes after encoder_new; threads may share it. */
#ifndef WEIR_VOCAB_ENCODE_H
#define WEIR_VOCAB_ENCODE_H

#include "base/mem.h"
#include "base/span.h"
#include "vocab/pretoken.h"

#define ENCODER_NONE UINT32_MAX

/* The token table: id has the bytes [start[id], start[id + 1]). Bytes are
 * what the token adds to the text (byte-level names decoded, U+2581 as a
 * space, <0x0A> as one byte); added tokens by their content; holes empty. */
typedef struct EncoderTokens {
    const uint32_t *start; /* count + 1 */
    const uint8_t *bytes;
    uint32_t count;
} EncoderTokens;

typedef enum EncoderModel {
    ENCODER_GREEDY = 0, /* longest match; for models not understood */
    ENCODER_BPE_MERGES, /* only listed pairs merge, earliest first (HF, GGUF
                           with tokenizer.ggml.merges) */
    ENCODER_BPE_RANK,   /* any two neighbours that make a token merge, lowest
                           id first (tiktoken) */
    ENCODER_BPE_SCORE,  /* the same, highest score first (SentencePiece BPE,
                           GGUF model "llama") */
    ENCODER_UNIGRAM     /* best sum of scores (SentencePiece unigram, HF
                           Unigram, GGUF "t5") */
} EncoderModel;

/* One line of the merge list: tokens[id] is made of its first `left` bytes
 * and the rest. Bytes of the table, not of the file: in "Ġa b" left is 2, in
 * "▁a b" (SentencePiece style) too. A reader leaves out lines whose parts or
 * result are no tokens. */
typedef struct EncoderMerge {
    uint32_t id, left;
} EncoderMerge;

/* When a space is put before the text. */
typedef enum EncoderPrepend {
    PREPEND_NEVER = 0,
    PREPEND_FIRST, /* before the text, unless an added token begins it */
    PREPEND_EACH   /* before each stretch between added tokens */
} EncoderPrepend;

typedef struct EncoderAdded {
    Span content; /* as in the file */
    uint32_t id;
    bool special; /* found only when special parsing is on; the others
                         (GGUF: USER_DEFINED) are found always */
    bool lstrip, rstrip, single_word, normalized; /* as in HF; else false */
    bool own_name; /* with normalized: the name itself is found as it is
                      (SentencePiece USER_DEFINED); HF normalises it too */
    bool in_model; /* HF: the id also is an entry of model.vocab; else
                         false: text never reaches it in another way */
} EncoderAdded;

typedef struct EncoderSpec {
    EncoderModel model;
    PretokenKind pretoken;

    /* model */
    const EncoderMerge *merges; /* BPE_MERGES, in rank order */
    uint32_t merge_count;
    const float *scores; /* BPE_SCORE, UNIGRAM: by id, tokens.count of them;
                            -FLT_MAX for ids that have none */
    bool single_sums;    /* UNIGRAM: sums have 32 bits (SentencePiece), which
                            decides between near equals; else 64 (HF) */
    bool byte_level;     /* symbols are bytes (GPT-2 coding, tiktoken); else
                             characters, as SentencePiece */
    bool byte_fallback;  /* characters without a token become byte tokens */
    const uint32_t *byte_ids; /* 256, ENCODER_NONE where absent: the <0xNN>
                             tokens (fallback). NULL with byte_level: found in
                             the table by their byte */
    bool ignore_merges;       /* a word that is a token is that token (HF);
                           BPE_RANK implies it */
    bool fuse_unk;            /* neighbouring unknowns become one unk */
    uint32_t unk;             /* ENCODER_NONE: unknown characters are dropped */

    /* normalizer */
    bool nfc;
    bool space_mark;      /* U+2581 stands for a space (Replace, Metaspace,
                             SentencePiece's escape_whitespaces) */
    bool collapse_spaces; /* SentencePiece remove_extra_whitespaces */
    EncoderPrepend prepend;
    bool prepend_unless_space; /* not if the stretch begins with a space
                             (Metaspace, ByteLevel add_prefix_space); false:
                             in any case (Prepend, add_dummy_prefix) */
    bool unknown_steps; /* the file has a normalizer or model feature that
                             is not described here: never exact */

    const EncoderAdded *added;
    uint32_t added_count;
} EncoderSpec;

typedef struct Encoder Encoder;

/* NULL and a filled err when memory is out or the spec contradicts the table
 * (an id or a merge out of range). Cost: one pass over tokens and merges. */
Encoder *encoder_new(const Mem *mem, EncoderTokens tokens,
                     const EncoderSpec *spec, weir_error *err);
void encoder_free(Encoder *encoder);

/* weir_vocab_encode: ids of `text` without begin and end tokens; special
 * added tokens are found iff parse_special, other added tokens always. Writes
 * at most `capacity` ids, returns the number needed; SIZE_MAX: out of memory.
 * Time: O(n log n), whatever the text. */
size_t encoder_encode(const Encoder *encoder, Span text, bool parse_special,
                      uint32_t *ids, size_t capacity);
/* The same of a text that stands behind another, whatever that is: no space is
 * put before it. Special tokens are not found. */
size_t encoder_encode_behind(const Encoder *encoder, Span text, uint32_t *ids,
                             size_t capacity);

/* Whether the ids are those of the tokenizer's own library. False: a step is
 * unknown; if it is the pre-tokenizer or the model, encode is greedy. */
bool encoder_is_exact(const Encoder *encoder);
PretokenKind encoder_pretoken(const Encoder *encoder);
/* Bytes held. */
size_t encoder_memory(const Encoder *encoder);

#endif
