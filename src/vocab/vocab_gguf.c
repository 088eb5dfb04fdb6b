/* vocab_gguf.c: the tokenizer in a GGUF model file (tokenizer.ggml.*).
 *
 * In:    the file, or its metadata.  Out: a vocabulary.
 * A token's form follows from its type and the model:
 *   unknown, control   control tokens, by name    user defined   as it is
 *   normal             by the model's coding      byte           <0xNN>
 *   undefined, unused  holes
 * Files without token types take every token as normal, read in the coding.
 * Ids that keys name are used where they are tokens, else ignored.
 * Tests: unit/vocab_files_test.c
 */
#include "text/gguf.h"
#include "vocab/vocab_build.h"

typedef enum GgmlType {
    GGML_UNDEFINED = 0,
    GGML_NORMAL,
    GGML_UNKNOWN,
    GGML_CONTROL,
    GGML_USER_DEFINED,
    GGML_UNUSED,
    GGML_BYTE
} GgmlType;

typedef struct GgmlModel {
    const char *name;
    PieceForm form; /* of normal tokens whose type is given */
    weir_vocab_coding coding;
    EncoderModel encoder;
    uint32_t eos; /* what llama.cpp assumes without a key */
} GgmlModel;

static const GgmlModel models[] = {
    {"llama", PIECE_SPACED, WEIR_CODING_BYTE_FALLBACK, ENCODER_BPE_SCORE, 2},
    {"gpt2", PIECE_CODED, WEIR_CODING_BYTE_LEVEL, ENCODER_BPE_MERGES, 11},
    {"gemma4", PIECE_SPACED, WEIR_CODING_BYTE_FALLBACK, ENCODER_BPE_MERGES,
     VOCAB_NO_ID},
    {"t5", PIECE_SPACED, WEIR_CODING_BYTE_FALLBACK, ENCODER_UNIGRAM, 1},
    {"bert", PIECE_SPACED, WEIR_CODING_BYTE_FALLBACK, ENCODER_GREEDY,
     VOCAB_NO_ID},
    {"rwkv", PIECE_ESCAPED, WEIR_CODING_RAW, ENCODER_GREEDY, VOCAB_NO_ID},
    {"plamo2", PIECE_LITERAL, WEIR_CODING_RAW, ENCODER_GREEDY, 2}};

/* Names of tokenizer.ggml.pre under which a word that is a token stays one,
 * and under which gpt2 texts are spaced instead of byte-level. */
static const char *const whole_words[] = {"llama3",    "llama-v3", "llama-bpe",
                                          "falcon3",   "pixtral",  "tekken",
                                          "falcon-h1", "midm-2.0", "lfm2"};
static const char *const spaced_names[] = {"gemma4", "sarvam-moe"};

typedef struct GgmlFile {
    VocabBuild *b;
    Gguf gguf;
    const GgmlModel *model;
    PieceForm normal;
    const GgufEntry *tokens, *types, *scores, *merges;
} GgmlFile;

static bool name_in(Span name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_equal(name, span_text(list[i]))) return true;
    return false;
}

static bool entry_fail(GgmlFile *f, const GgufEntry *entry, const char *found)
{
    if (!entry)
        return diag_fail(f->b->err, WEIR_FORMAT, 0, f->gguf.file.size, "%s",
                         found);
    return diag_fail(f->b->err, WEIR_FORMAT, entry->begin, entry->end, "%s",
                     found);
}

static bool read_name(GgmlFile *f)
{
    Span name;
    const GgufEntry *entry = gguf_find(&f->gguf, "tokenizer.ggml.model");
    if (!gguf_string(&f->gguf, entry, &name))
        return entry_fail(f, entry, "found no text at tokenizer.ggml.model");
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (span_equal(name, span_text(models[i].name))) {
            f->model = &models[i];
            return true;
        }
    return diag_fail(f->b->err, WEIR_FORMAT, entry->begin, entry->end,
                     "found tokenizer model '%.*s', expected llama, gpt2, "
                     "gemma4, t5, bert, rwkv or plamo2",
                     (int)MIN(name.size, 40), (const char *)name.at);
}

/* An array beside the tokens: of the same length, or absent. */
static bool read_column(GgmlFile *f, const char *key, bool is_text,
                        const GgufEntry **column)
{
    *column = gguf_find(&f->gguf, key);
    if (!*column) return true;
    if ((*column)->type != GGUF_ARRAY ||
        ((*column)->item == GGUF_STRING) != is_text)
        return entry_fail(f, *column,
                          is_text ? "found no array of strings"
                                  : "found no array of numbers");
    return true;
}

static bool read_columns(GgmlFile *f)
{
    if (!read_column(f, "tokenizer.ggml.tokens", true, &f->tokens) ||
        !read_column(f, "tokenizer.ggml.token_type", false, &f->types) ||
        !read_column(f, "tokenizer.ggml.scores", false, &f->scores) ||
        !read_column(f, "tokenizer.ggml.merges", true, &f->merges))
        return false;
    if (!f->tokens || !f->tokens->count)
        return entry_fail(f, f->tokens, "found no tokenizer.ggml.tokens");
    if (f->tokens->count > VOCAB_MAX_IDS)
        return entry_fail(f, f->tokens, "found more than 4 Mi tokens");
    if (f->types && f->types->count != f->tokens->count)
        return entry_fail(f, f->types,
                          "found another number of token types "
                          "than of tokens");
    if (f->scores && f->scores->count != f->tokens->count)
        return entry_fail(f, f->scores,
                          "found another number of scores than "
                          "of tokens");
    return true;
}

static bool add_named(GgmlFile *f, uint32_t id, Span text, bool special)
{
    VocabBuild *b = f->b;
    unsigned flags = WEIR_TOKEN_ADDED | (special ? WEIR_TOKEN_CONTROL : 0u);
    return build_piece(b, id, text, PIECE_LITERAL, flags) &&
           build_added(b, (EncoderAdded){
                              .content = text, .id = id, .special = special});
}

static bool add_token(GgmlFile *f, uint32_t id, Span text)
{
    VocabBuild *b = f->b;
    int64_t type = f->types ? gguf_int_item(&f->gguf, f->types, id) : -1;
    switch (type) {
    case -1:
        return build_piece(b, id, text,
                           f->normal == PIECE_SPACED ? PIECE_CODED : f->normal,
                           0);
    case GGML_NORMAL:
        return build_piece(b, id, text, f->normal, 0);
    case GGML_BYTE:
        return build_piece(b, id, text, PIECE_BYTE, 0);
    case GGML_UNKNOWN:
        b->spec.unk = id;
        return add_named(f, id, text, true);
    case GGML_CONTROL:
        return add_named(f, id, text, true);
    case GGML_USER_DEFINED:
        return add_named(f, id, text, false);
    default:
        return build_piece(b, id, text, PIECE_NONE, 0);
    }
}

static bool add_tokens(GgmlFile *f)
{
    Span text;
    size_t pos = f->tokens->begin;
    for (uint32_t id = 0; id < f->tokens->count; id++) {
        if (!gguf_next_string(&f->gguf, f->tokens, &pos, &text) ||
            !add_token(f, id, text))
            return false;
        if (f->scores &&
            !build_score(f->b, id, gguf_float_item(&f->gguf, f->scores, id)))
            return false;
    }
    return true;
}

/* The id at `key` if it is a token's, else VOCAB_NO_ID. */
static uint32_t id_at(const GgmlFile *f, const char *key)
{
    uint32_t id;
    bool found = gguf_u32(&f->gguf, gguf_find(&f->gguf, key), &id);
    return found && id < f->b->pieces.count ? id : VOCAB_NO_ID;
}

static bool add_ends(GgmlFile *f)
{
    static const char *const ends[] = {"tokenizer.ggml.eos_token_id",
                                       "tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"};
    static const char *const fim[] = {"tokenizer.ggml.fim_pad_token_id",
                                      "tokenizer.ggml.fim_rep_token_id",
                                      "tokenizer.ggml.fim_sep_token_id"};
    VocabBuild *b = f->b;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        uint32_t id = id_at(f, ends[i]);
        if (id != VOCAB_NO_ID && !build_stop(b, id)) return false;
    }
    for (size_t i = 0; i < COUNT_OF(fim); i++) b->fim_ids[i] = id_at(f, fim[i]);
    if (b->opts.llama_cpp_stops && f->model->eos < b->pieces.count &&
        !gguf_find(&f->gguf, ends[0]))
        return build_stop(b, f->model->eos);
    return true;
}

static void describe_encoder(GgmlFile *f)
{
    EncoderSpec *spec = &f->b->spec;
    Span pre = SPAN("");
    bool is_llama = f->model->encoder == ENCODER_BPE_SCORE;
    bool is_t5 = f->model->encoder == ENCODER_UNIGRAM;
    gguf_string(&f->gguf, gguf_find(&f->gguf, "tokenizer.ggml.pre"), &pre);
    spec->model = f->model->encoder;
    spec->byte_level = f->b->vocab->coding == WEIR_CODING_BYTE_LEVEL;
    spec->space_mark = f->b->vocab->coding == WEIR_CODING_BYTE_FALLBACK;
    spec->byte_fallback = spec->space_mark;
    spec->pretoken = spec->byte_level ? pretoken_from_name(pre) : PRETOKEN_NONE;
    spec->ignore_merges =
        spec->byte_level && name_in(pre, whole_words, COUNT_OF(whole_words));
    if (gguf_bool(&f->gguf, "tokenizer.ggml.add_space_prefix",
                  is_llama || is_t5))
        spec->prepend = PREPEND_EACH;
    spec->collapse_spaces =
        gguf_bool(&f->gguf, "tokenizer.ggml.remove_extra_whitespaces", is_t5);
    spec->unknown_steps =
        gguf_find(&f->gguf, "tokenizer.ggml.precompiled_charsmap") != NULL;
    uint32_t unk = id_at(f, "tokenizer.ggml.unknown_token_id");
    if (unk != VOCAB_NO_ID) spec->unk = unk;
}

/* Splits at the first space after the first byte. */
static bool add_merges(GgmlFile *f)
{
    Span line;
    size_t pos = f->merges ? f->merges->begin : 0;
    if (!f->merges || f->model->encoder != ENCODER_BPE_MERGES) return true;
    while (gguf_next_string(&f->gguf, f->merges, &pos, &line)) {
        const uint8_t *space =
            line.size > 1 ? memchr(line.at + 1, ' ', line.size - 1) : NULL;
        if (!space) continue;
        size_t nleft = (size_t)(space - line.at);
        if (!build_merge(f->b, span_of(line.at, nleft),
                         span_of(space + 1, line.size - nleft - 1)))
            return false;
    }
    return true;
}

static void settle_coding(GgmlFile *f)
{
    Vocab *v = f->b->vocab;
    Span pre = SPAN("");
    gguf_string(&f->gguf, gguf_find(&f->gguf, "tokenizer.ggml.pre"), &pre);
    f->normal = f->model->form;
    if (name_in(pre, spaced_names, COUNT_OF(spaced_names)))
        f->normal = PIECE_SPACED;
    if (v->coding)
        f->normal = PIECE_CODED; /* as the caller says */
    else
        v->coding = f->normal == PIECE_SPACED ? WEIR_CODING_BYTE_FALLBACK
                                              : f->model->coding;
}

static bool read_all(GgmlFile *f)
{
    if (!read_name(f) || !read_columns(f)) return false;
    settle_coding(f);
    if (!add_tokens(f) || !add_ends(f)) return false;
    describe_encoder(f);
    return build_table(f->b) && add_merges(f) && build_encoder(f->b);
}

bool vocab_read_gguf(VocabBuild *b)
{
    GgmlFile f = {.b = b};
    if (!gguf_parse(&f.gguf, b->mem, b->file, b->err)) return false;
    bool ok = read_all(&f);
    gguf_free(&f.gguf);
    return ok;
}
