/* vocab_spm.c: SentencePiece models (protocol buffer ModelProto).
 *
 *   1 pieces: 1 piece  2 score  3 type      2 trainer_spec: 3 model_type,
 *   3 normalizer_spec: 2 precompiled_charsmap, 3 add_dummy_prefix,
 *     4 remove_extra_whitespaces, 5 escape_whitespaces
 *     24 treat_whitespace_as_suffix, 40 unk_id, 42 eos_id
 *
 * In:    the file; id = index of the piece.  Out: a vocabulary; control and
 *        unknown pieces are control tokens, unused ones holes.
 * Models without byte pieces cannot spell every text: their coding is the same
 * (U+2581 is a space), there is just nothing to fall back to.
 * Tests: unit/vocab_files_test.c
 */
#include <float.h>

#include "text/protobuf.h"
#include "vocab/vocab_build.h"
#include "vocab/vocab_coding.h"

typedef enum SpmType {
    SPM_NORMAL = 1,
    SPM_UNKNOWN,
    SPM_CONTROL,
    SPM_USER_DEFINED,
    SPM_UNUSED,
    SPM_BYTE
} SpmType;

typedef struct SpmPiece {
    Span text;
    float score;
    uint64_t type;
} SpmPiece;

/* What a model says besides its pieces; the defaults are the format's. */
typedef struct SpmModel {
    uint64_t model_type, unk_id, eos_id;
    bool add_prefix, collapse, escape, has_charsmap, space_is_suffix;
} SpmModel;

enum { SPM_UNIGRAM = 1, SPM_BPE = 2 };

static bool add_control_piece(VocabBuild *b, uint32_t id, const SpmPiece *p)
{
    return build_piece(b, id, p->text, PIECE_LITERAL,
                       WEIR_TOKEN_ADDED | WEIR_TOKEN_CONTROL) &&
           build_added(b, (EncoderAdded){
                              .content = p->text, .id = id, .special = true});
}

static bool add_spm_piece(VocabBuild *b, const SpmPiece *p)
{
    uint32_t id = b->pieces.count;
    if (!build_check_id(b, id, p->text) ||
        !build_score(b, id, (double)p->score))
        return false;
    switch (p->type) {
    case SPM_NORMAL:
        return build_piece(b, id, p->text, PIECE_SPACED, 0);
    case SPM_BYTE:
        return build_piece(b, id, p->text, PIECE_BYTE, 0);
    case SPM_UNUSED:
        return build_piece(b, id, p->text, PIECE_NONE, 0);
    case SPM_UNKNOWN:
        b->spec.unk = id;
        return add_control_piece(b, id, p);
    case SPM_CONTROL:
        return add_control_piece(b, id, p);
    case SPM_USER_DEFINED:
        return build_piece(b, id, p->text, PIECE_SPACED, WEIR_TOKEN_ADDED);
    default:
        return build_fail(b, p->text,
                          "found a piece of unknown type, expected "
                          "1 to 6");
    }
}

static bool read_piece(VocabBuild *b, PbReader r)
{
    SpmPiece piece = {.text = r.text, .type = SPM_NORMAL};
    piece.text.size = 0;
    for (PbField f; pb_next(&r, &f);) {
        if (f.number == 1 && f.wire == PB_BYTES) piece.text = f.bytes;
        if (f.number == 2 && f.wire == PB_FIXED32) piece.score = pb_float(&f);
        if (f.number == 3 && f.wire == PB_VARINT) piece.type = f.value;
    }
    return !r.failed && add_spm_piece(b, &piece);
}

static bool read_trainer(SpmModel *m, PbReader r)
{
    for (PbField f; pb_next(&r, &f);) {
        if (f.wire != PB_VARINT) continue;
        if (f.number == 3) m->model_type = f.value;
        if (f.number == 24) m->space_is_suffix = f.value != 0;
        if (f.number == 40) m->unk_id = f.value;
        if (f.number == 42) m->eos_id = f.value;
    }
    return !r.failed;
}

static bool read_normalizer(SpmModel *m, PbReader r)
{
    for (PbField f; pb_next(&r, &f);) {
        if (f.number == 2 && f.wire == PB_BYTES) m->has_charsmap = f.bytes.size;
        if (f.wire != PB_VARINT) continue;
        if (f.number == 3) m->add_prefix = f.value != 0;
        if (f.number == 4) m->collapse = f.value != 0;
        if (f.number == 5) m->escape = f.value != 0;
    }
    return !r.failed;
}

static bool read_model(VocabBuild *b, SpmModel *m)
{
    PbReader r = pb_reader(b->file, 0, b->err);
    for (PbField f; pb_next(&r, &f);) {
        if (f.wire != PB_BYTES) continue;
        PbReader inner = pb_open(&r, &f);
        bool ok = f.number == 1   ? read_piece(b, inner)
                  : f.number == 2 ? read_trainer(m, inner)
                  : f.number == 3 ? read_normalizer(m, inner)
                                  : true;
        if (!ok) return false;
    }
    if (r.failed) return false;
    return b->pieces.count || build_fail(b, b->file, "found no pieces");
}

/* ---- user-defined pieces ---------------------------------------------- */

/* Looked for in the normalised text, where a space is a space: so their names
 * have spaces too. */
static bool add_user_name(VocabBuild *b, uint32_t id, Span text)
{
    uint8_t *at = arena_alloc(&b->scratch, text.size);
    if (!at) return diag_no_memory(b->err);
    Span name = span_of(at, coding_spaced(text, b->mark, at));
    return build_added(b, (EncoderAdded){.content = name,
                                         .id = id,
                                         .normalized = true,
                                         .own_name = true});
}

/* The best score of a normal piece, at least FLT_MIN, as the library has it:
 * so nearly 0 where scores are logarithms. */
static float best_score(const VocabBuild *b)
{
    float best = FLT_MIN;
    for (uint32_t id = 0; id < b->pieces.count; id++)
        if (b->pieces.at[id].form == PIECE_SPACED && b->pieces.at[id].in_model)
            best = MAX(best, b->scores.at[id]);
    return best;
}

/* Unigram models weigh them against other pieces. Of those with spaces in
 * them the library takes others now and then, in a way that is not known
 * here. */
static bool score_user_piece(VocabBuild *b, uint32_t id, float best)
{
    Span text = piece_text(&b->pieces.at[id]);
    if (coding_size(WEIR_CODING_BYTE_FALLBACK, b->mark, text) < text.size)
        b->spec.unknown_steps = true;
    return build_score(b, id, (double)((float)text.size * best) - 0.1);
}

/* The other models cut them out of the text beforehand. */
static bool add_user_pieces(VocabBuild *b, const SpmModel *m)
{
    bool is_unigram = m->model_type == SPM_UNIGRAM;
    float best = best_score(b);
    for (uint32_t id = 0; id < b->pieces.count; id++) {
        const Piece *p = &b->pieces.at[id];
        if (p->form != PIECE_SPACED || p->in_model) continue;
        if (!(is_unigram ? score_user_piece(b, id, best)
                         : add_user_name(b, id, piece_text(p))))
            return false;
    }
    return true;
}

/* ---- the model -------------------------------------------------------- */

static void describe_encoder(VocabBuild *b, const SpmModel *m)
{
    EncoderSpec *spec = &b->spec;
    spec->model = m->model_type == SPM_BPE       ? ENCODER_BPE_SCORE
                  : m->model_type == SPM_UNIGRAM ? ENCODER_UNIGRAM
                                                 : ENCODER_GREEDY;
    spec->pretoken = PRETOKEN_NONE;
    spec->byte_fallback = true; /* if there are byte pieces */
    spec->fuse_unk = true;
    spec->single_sums = true;
    spec->space_mark = m->escape;
    spec->collapse_spaces = m->collapse;
    spec->prepend = m->add_prefix ? PREPEND_FIRST : PREPEND_NEVER;
    spec->unknown_steps = m->has_charsmap || m->space_is_suffix;
    if (m->unk_id < b->pieces.count) spec->unk = (uint32_t)m->unk_id;
}

bool vocab_read_spm(VocabBuild *b)
{
    SpmModel m = {.model_type = SPM_UNIGRAM,
                  .unk_id = UINT64_MAX,
                  .eos_id = 2,
                  .add_prefix = true,
                  .collapse = true,
                  .escape = true};
    if (!read_model(b, &m)) return false;
    if (!b->vocab->coding) b->vocab->coding = WEIR_CODING_BYTE_FALLBACK;
    if (m.eos_id < b->pieces.count &&
        (b->pieces.at[m.eos_id].flags & WEIR_TOKEN_CONTROL) &&
        !build_stop(b, (uint32_t)m.eos_id))
        return false;
    describe_encoder(b, &m);
    return add_user_pieces(b, &m) && build_table(b) && build_encoder(b);
}
