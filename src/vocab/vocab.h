/* vocab.h: token id <-> bytes, flags and the stop set of one tokenizer.
 *
 * Immutable once loaded, so threads may share it; the api room counts its
 * owners. Ids lie in [0, width). Ids in [ntokens, width) are padding of the
 * logits: holes without an entry in the arrays.
 */
#ifndef WEIR_VOCAB_VOCAB_H
#define WEIR_VOCAB_VOCAB_H

#include "base/mem.h"
#include "base/span.h"
#include "vocab/encode.h"
#include "weir/weir.h"

/* No tokenizer has more ids, and no logits are wider. */
#define VOCAB_MAX_IDS (4u << 20)
#define VOCAB_NO_ID UINT32_MAX

typedef struct Vocab {
    Mem mem; /* a copy; its user outlives the vocabulary */
    weir_vocab_kind kind;
    weir_vocab_coding coding;
    weir_dialect dialect;
    uint32_t width, ntokens; /* ntokens <= width */
    uint32_t nspecials;      /* ids flagged CONTROL */
    uint32_t nstops;
    uint32_t *stops;  /* ascending; each < ntokens */
    uint32_t *start;  /* by id, ntokens + 1: offset into bytes */
    uint8_t *bytes;   /* of all tokens, in the order of their ids */
    size_t nbytes;    /* room of bytes */
    uint8_t *flags;   /* by id: weir_token_flag bits */
    uint64_t hash;    /* of the width and every token's bytes and flags */
    Encoder *encoder; /* never NULL once loaded */
} Vocab;

/* Loads a tokenizer file of any supported kind. `file` and what `opts` points
 * to are borrowed for the call; opts may be NULL, or is a whole struct,
 * whatever its size says. On failure reports and leaves `vocab` empty. */
bool vocab_load(Vocab *vocab, const Mem *mem, Span file,
                const weir_vocab_opts *opts, weir_error *err);
/* The caller's own tokens, id = index. With opts->coding set, the bytes of
 * tokens that are neither CONTROL nor ADDED are read in that coding. */
bool vocab_from_tokens(Vocab *vocab, const Mem *mem, const weir_token *tokens,
                       uint32_t count, const weir_vocab_opts *opts,
                       weir_error *err);
void vocab_free(Vocab *vocab);
/* Bytes held, the encoder's included. */
size_t vocab_memory(const Vocab *vocab);

/* What a token's text may not reach: control tokens (stop tokens are control
 * tokens), holes, and empty ones. A control token's bytes are its name. */
static inline bool vocab_is_text(const Vocab *vocab, uint32_t id)
{
    return id < vocab->ntokens &&
           !(vocab->flags[id] & (WEIR_TOKEN_CONTROL | WEIR_TOKEN_HOLE)) &&
           vocab->start[id + 1] > vocab->start[id];
}

/* Bytes of a token; empty for ids without one. */
static inline Span vocab_bytes(const Vocab *vocab, uint32_t id)
{
    if (id >= vocab->ntokens) return (Span){NULL, 0};
    return span_of(vocab->bytes + vocab->start[id],
                   vocab->start[id + 1] - vocab->start[id]);
}

weir_token vocab_token(const Vocab *vocab, uint32_t id);
/* The lowest id that is no hole and whose bytes (for control tokens: name)
 * equal `text`, or VOCAB_NO_ID. Looks at every length: about 0.1 ms. */
uint32_t vocab_find(const Vocab *vocab, Span text);
bool vocab_is_stop(const Vocab *vocab, uint32_t id);
/* Bytes of the ids in a row, control tokens by name iff with_special. Returns
 * the bytes needed; writes at most `capacity`. */
size_t vocab_decode(const Vocab *vocab, const uint32_t *ids, size_t count,
                    bool with_special, uint8_t *out, size_t capacity);

#endif
