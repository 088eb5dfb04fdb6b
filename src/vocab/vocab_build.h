/* vocab_build.h: what the readers of tokenizer files fill, and the way from
 * there to a Vocab.
 *
 *     pieces --> stops --> table (bytes, flags) --> merges --> encoder
 *
 * A reader adds pieces and describes the encoder, calls build_table, adds
 * merges (which are told by texts, so need the table), calls build_encoder.
 * All texts are borrowed from the files until build_encoder has returned.
 * Lifetime: call. */
#ifndef WEIR_VOCAB_BUILD_H
#define WEIR_VOCAB_BUILD_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/vec.h"
#include "text/json.h"
#include "vocab/encode.h"
#include "vocab/vocab.h"

/* How a piece's text becomes bytes. */
typedef enum PieceForm {
    PIECE_NONE = 0, /* no token: a hole */
    PIECE_CODED,    /* in the vocabulary's coding */
    PIECE_SPACED,   /* space marks become spaces */
    PIECE_BYTE,     /* <0xNN>; another text stands for itself */
    PIECE_ESCAPED,  /* RWKV's backslashes */
    PIECE_LITERAL   /* as it is */
} PieceForm;

typedef struct Piece {
    const uint8_t *at;
    uint32_t size;
    uint8_t form;  /* PieceForm */
    uint8_t flags; /* CONTROL, ADDED; the others are found later */
    bool in_model; /* merges may name it */
} Piece;

typedef struct VocabBuild {
    const Mem *mem;
    weir_error *err; /* never NULL */
    Vocab *vocab;    /* the result */
    weir_vocab_opts opts;
    Span file;                                /* for the offsets in reports */
    Arena scratch;                            /* texts that stand in no file */
    Json tokenizer_config, generation_config; /* perhaps empty */
    uint32_t max_ids;                         /* ids are below */
    Span mark;                                /* what stands for a space */
    VEC(Piece) pieces;                        /* by id */
    VEC(uint32_t) stops; /* of the files, then of all; unsorted */
    VEC(EncoderAdded) added;
    VEC(float) scores; /* by id; empty if there are none */
    VEC(EncoderMerge) merges;
    Map by_text;          /* pieces in the model, for merges */
    uint32_t last_merge;  /* result of the newest merge: the next is near */
    uint32_t merge_jumps; /* results that were not */
    uint32_t byte_ids[256];
    uint32_t fim_ids[3]; /* padding, repository, file separator: from GGUF */
    EncoderSpec spec;    /* all but the arrays, which are above */
} VocabBuild;

/* Reports at a piece of the file. Returns false. */
bool build_fail(VocabBuild *b, Span place, const char *found);
/* Reports unless `id` is below max_ids; `place` is its spelling. */
bool build_check_id(VocabBuild *b, uint64_t id, Span place);
/* Sets the piece of an id that was checked; a later one replaces it. */
bool build_piece(VocabBuild *b, uint32_t id, Span text, PieceForm form,
                 unsigned flags);
bool build_score(VocabBuild *b, uint32_t id, double score);
/* Describes an added token to the encoder. */
bool build_added(VocabBuild *b, EncoderAdded added);
/* An id that a file names as one that ends generation. */
bool build_stop(VocabBuild *b, uint32_t id);
/* The lowest id whose text is `text`, or VOCAB_NO_ID. Linear. */
uint32_t build_find(const VocabBuild *b, Span text);

static inline Span piece_text(const Piece *piece)
{
    return span_of(piece->at, piece->size);
}

/* Fills the vocabulary: bytes, flags, stops, hash. Pieces are final then. */
bool build_table(VocabBuild *b);
/* One line of a merge list. Lines whose parts or result are no pieces of the
 * model are left out. */
bool build_merge(VocabBuild *b, Span left, Span right);
/* Makes the encoder and gives it to the vocabulary. */
bool build_encoder(VocabBuild *b);

/* Steps of build_table: what tokenizer_config.json and generation_config.json
 * say; and the whole stop set into b->stops, ascending, once each. */
bool build_configs(VocabBuild *b);
bool build_stops(VocabBuild *b);

/* The readers, one a kind: from pieces to encoder. */
bool vocab_read_hf(VocabBuild *b);
bool vocab_read_gguf(VocabBuild *b);
bool vocab_read_spm(VocabBuild *b);
bool vocab_read_tiktoken(VocabBuild *b);
/* Whether the file looks like one: a first line of base 64 and a number. */
bool vocab_is_tiktoken(Span file);

/* Describes the normalizer and pre_tokenizer of a tokenizer.json. */
void hf_describe_steps(VocabBuild *b, const Json *json);

#endif
