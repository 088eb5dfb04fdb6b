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
 * Tests: unit/vocab_test.c
 */
#include "text/protobuf.h"
#include "vocab/vocab_build.h"

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

static bool add_text_piece(VocabBuild *b, uint32_t id, const SpmPiece *p)
{
    bool control = p->type == SPM_UNKNOWN || p->type == SPM_CONTROL;
    unsigned flags = WEIR_TOKEN_ADDED | (control ? WEIR_TOKEN_CONTROL : 0u);
    return build_piece(b, id, p->text, control ? PIECE_LITERAL : PIECE_SPACED,
                       flags) &&
           build_added(b, (EncoderAdded){.content = p->text,
                                         .id = id,
                                         .special = control});
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
        return add_text_piece(b, id, p);
    case SPM_CONTROL:
    case SPM_USER_DEFINED:
        return add_text_piece(b, id, p);
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

static void describe_encoder(VocabBuild *b, const SpmModel *m)
{
    EncoderSpec *spec = &b->spec;
    spec->model = m->model_type == SPM_BPE       ? ENCODER_BPE_SCORE
                  : m->model_type == SPM_UNIGRAM ? ENCODER_UNIGRAM
                                                 : ENCODER_GREEDY;
    spec->pretoken = PRETOKEN_NONE;
    spec->byte_fallback = true; /* if there are byte pieces */
    spec->fuse_unk = true;
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
    return build_table(b) && build_encoder(b);
}
