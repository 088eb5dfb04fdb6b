/* encode_parts.h: the encoder's parts, known to encode*.c only.
 *
 *     text -> encode.c: stretches between added tokens (encode_added.c)
 *          -> normalised (encode_normal.c, encode_nfc.c)
 *          -> words (pretoken.c)
 *          -> ids (encode_bpe.c, encode_unigram.c, encode_greedy.c)
 */
#ifndef WEIR_VOCAB_ENCODE_PARTS_H
#define WEIR_VOCAB_ENCODE_PARTS_H

#include "base/vec.h"
#include "vocab/encode.h"

/* Added tokens with longer names are not looked for. */
#define ENCODER_MAX_NAME 1024u
/* Greedy matching tries no longer tokens, unigram models with longer ones are
 * not exact: both try every length at every place. */
#define ENCODER_MAX_TRIED 256u

/* Bytes -> id, by open addressing; a slot is 0, or 32 bits of the hash above
 * id + 1. Of equal tokens the lowest id is found. */
typedef struct TokenMap {
    uint64_t *slot;
    uint32_t cap;     /* power of two */
    uint32_t longest; /* bytes of the longest token */
} TokenMap;

/* How a token may be put together, by result id: entries
 * [start[id], start[id + 1]). */
typedef struct MergeEntry {
    uint32_t rank, left;
} MergeEntry;

typedef struct MergeTable {
    uint32_t *start; /* tokens.count + 1 */
    MergeEntry *entry;
    uint32_t count;
} MergeTable;

/* Which two bytes stand side by side in some token: 64 Ki bits. */
typedef struct JoinSet {
    uint64_t word[1024];
} JoinSet;

static inline void joins_add(JoinSet *set, uint8_t a, uint8_t b)
{
    set->word[a * 4u + b / 64u] |= (uint64_t)1 << b % 64u;
}

static inline bool joins_has(const JoinSet *set, uint8_t a, uint8_t b)
{
    return set->word[a * 4u + b / 64u] >> b % 64u & 1;
}

typedef struct AddedItem {
    Span name; /* within `bytes` */
    uint32_t id;
    bool special, lstrip, rstrip, single_word;
} AddedItem;

/* Added tokens in bytewise order of their names. */
typedef struct AddedSet {
    AddedItem *item;
    uint32_t count;
    uint32_t first[257]; /* by first byte: where its items begin */
    bool keeps_spaces;   /* spaces stand for U+2581, which is no blank */
    uint8_t *bytes;
    size_t nbytes;
} AddedSet;

struct Encoder {
    Mem mem;
    EncoderTokens tokens;
    EncoderSpec spec; /* borrowed pointers cleared */
    bool is_exact;
    bool has_bytes; /* a token for every byte: nothing is unknown */
    bool has_drops; /* a symbol may have no token at all */
    bool has_cuts;  /* words are cut where `joins` allows */
    JoinSet joins;
    uint32_t byte_ids[256];
    TokenMap map;
    MergeTable merges; /* BPE_MERGES */
    uint32_t *rank;    /* BPE_SCORE: by id, low is merged first */
    float *scores;     /* UNIGRAM: by id */
    float unk_score;
    AddedSet raw;    /* found in the text as it is */
    AddedSet normal; /* found in the normalised text */
    size_t memory;
};

/* One symbol of a word while it is merged: bytes [begin, end) of the word. */
typedef struct Symbol {
    uint32_t begin, end, id;
    uint32_t rank, joined; /* of this and the next: ENCODER_NONE, or when it
                              is merged and into which id */
    uint32_t prev, next;   /* long words only: neighbours' indices */
    bool is_fixed;         /* byte token or unk: never merged */
} Symbol;

typedef struct Step {
    double score;
    uint32_t from, id;
} Step;

typedef VEC(uint8_t) ByteVec;

/* One call of encoder_encode: where ids go, and scratch memory. */
typedef struct EncodeRun {
    const Encoder *encoder;
    bool parse_special, failed;
    bool is_behind; /* the text stands behind another */
    uint32_t *ids;
    size_t capacity, count;
    ByteVec normal; /* normalised stretch, behind a space */
    ByteVec late;   /* the same for what a pre-tokenizer changes */
    ByteVec kept;   /* word without what has no token */
    VEC(uint32_t) runes, sorted;
    VEC(Symbol) symbols;
    VEC(uint64_t) heap;
    VEC(Step) steps;
} EncodeRun;

static inline void run_emit(EncodeRun *run, uint32_t id)
{
    if (run->count < run->capacity) run->ids[run->count] = id;
    run->count++;
}

/* encode_map.c */
bool token_map_build(Encoder *encoder, const uint8_t *skip);
uint32_t token_find(const Encoder *encoder, Span bytes);

/* encode_added.c */
typedef struct AddedMatch {
    const AddedItem *item;
    size_t begin, end; /* with the blanks that are stripped */
    size_t resume;     /* where to go on looking */
} AddedMatch;
bool added_build(const Mem *mem, AddedSet *set, const EncoderAdded *added,
                 uint32_t count, bool is_normalized, size_t *memory);
void added_free(const Mem *mem, AddedSet *set);
/* The next match from `from` on; false: none. */
bool added_next(const AddedSet *set, Span text, size_t from, size_t floor,
                bool parse_special, AddedMatch *match);

/* encode_normal.c: the stretch after the normaliser, and then after what the
 * pre-tokenizer does to its spaces: `text` itself, or in run's buffers. */
Span normal_stretch(EncodeRun *run, Span text, bool is_first);
Span normal_late(EncodeRun *run, Span text, bool is_first);

/* encode_nfc.c: nfc_spaced makes run->normal a space and then the text in NFC;
 * returns where that begins, or NULL when out of memory. */
bool nfc_is_needed(Span text);
uint8_t *nfc_spaced(EncodeRun *run, Span text);

/* encode_symbols.c: run->symbols for `word`; the word they index. */
Span symbols_make(EncodeRun *run, Span word);

/* encode_bpe.c */
bool merges_build(Encoder *encoder, const EncoderSpec *spec, weir_error *err);
bool ranks_build(Encoder *encoder, const float *scores);
void bpe_word(EncodeRun *run, Span word);

/* encode_unigram.c, encode_greedy.c */
bool unigram_build(Encoder *encoder, const float *scores);
void unigram_word(EncodeRun *run, Span word);
void greedy_word(EncodeRun *run, Span word);

#endif
