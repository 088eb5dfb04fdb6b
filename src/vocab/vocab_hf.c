/* vocab_hf.c: Hugging Face's tokenizer.json: tokens and merges.
 *
 *   model         {type, vocab, merges, unk_token, byte_fallback ...}
 *   model.vocab   {text: id ...}, or [[text, score] ...] with id = index
 *   model.merges  ["left right" ...] or [[left, right] ...]
 *   added_tokens  [{id, content, special ...} ...], ids in the model or beyond
 *   decoder       tells the coding; where it does not, the texts do
 *
 * In:    the file.  Out: a vocabulary. Special added tokens are control
 *        tokens. The others are text, taken literally, but for U+2581 under
 *        byte fallback, which the decoder makes a space in them too (Gemma's
 *        runs of spaces). Ids that nothing names are holes.
 * Method: the decoder's steps may nest; since a tree's values lie in a row in
 *        the order of the text, all objects with a "type" in it are visited by
 *        one loop. (Also in vocab_hf_steps.c.)
 * Tests: unit/vocab_test.c, unit/vocab_real_test.c
 */
#include "vocab/vocab_build.h"
#include "vocab/vocab_coding.h"

typedef struct HfFile {
    VocabBuild *b;
    Json json;
    JsonId model, vocab, merges;
} HfFile;

/* Reports "found <kind>, expected <what>" at a value, or at its parent when
 * it is missing. */
static bool hf_fail(HfFile *f, JsonId value, JsonId parent, const char *what)
{
    JsonId at = value == JSON_NONE ? parent : value;
    uint32_t begin = json_offset(&f->json, at);
    size_t size = json_spelling(&f->json, at).size;
    return diag_fail(f->b->err, WEIR_FORMAT, begin, begin + MIN(size, 64),
                     "found %s, expected %s",
                     json_kind_name(json_kind(&f->json, value)), what);
}

static bool read_id(HfFile *f, JsonId value, JsonId parent, uint32_t *id)
{
    uint64_t wide;
    if (!json_u64(&f->json, value, &wide))
        return hf_fail(f, value, parent, "a token id");
    *id = (uint32_t)MIN(wide, UINT32_MAX);
    return build_check_id(f->b, wide, json_spelling(&f->json, value));
}

/* ---- model.vocab ------------------------------------------------------ */

static bool read_vocab_object(HfFile *f)
{
    uint32_t id = 0;
    for (JsonIter it = json_iter(&f->json, f->vocab); json_step(&it);)
        if (!read_id(f, it.value, f->vocab, &id) ||
            !build_piece(f->b, id, it.key, PIECE_CODED, 0))
            return false;
    return true;
}

static bool read_vocab_array(HfFile *f)
{
    for (JsonIter it = json_iter(&f->json, f->vocab); json_step(&it);) {
        uint32_t id = f->b->pieces.count;
        double score;
        JsonIter pair = json_iter(&f->json, it.value);
        if (!json_step(&pair) || json_kind(&f->json, pair.value) != JSON_STRING)
            return hf_fail(f, it.value, f->vocab, "a text and a score");
        Span text = json_string(&f->json, pair.value);
        if (!json_step(&pair) || !json_double(&f->json, pair.value, &score))
            return hf_fail(f, it.value, f->vocab, "a text and a score");
        if (!build_check_id(f->b, id, text) || !build_score(f->b, id, score) ||
            !build_piece(f->b, id, text, PIECE_CODED, 0))
            return false;
    }
    return true;
}

static bool read_vocab(HfFile *f)
{
    JsonKind kind = json_kind(&f->json, f->vocab);
    if (kind == JSON_OBJECT) return read_vocab_object(f);
    if (kind == JSON_ARRAY) return read_vocab_array(f);
    return hf_fail(f, f->vocab, f->model, "the tokens at \"vocab\"");
}

/* ---- added_tokens ----------------------------------------------------- */

static bool flag_at(const HfFile *f, JsonId token, const char *name)
{
    return json_bool(&f->json, json_get(&f->json, token, name), false);
}

static bool read_added(HfFile *f, JsonId token)
{
    VocabBuild *b = f->b;
    uint32_t id = 0;
    JsonId content = json_get(&f->json, token, "content");
    if (json_kind(&f->json, content) != JSON_STRING)
        return hf_fail(f, content, token, "a text at \"content\"");
    if (!read_id(f, json_get(&f->json, token, "id"), token, &id)) return false;
    EncoderAdded added = {.content = json_string(&f->json, content),
                          .id = id,
                          .special = flag_at(f, token, "special"),
                          .lstrip = flag_at(f, token, "lstrip"),
                          .rstrip = flag_at(f, token, "rstrip"),
                          .single_word = flag_at(f, token, "single_word"),
                          .normalized = flag_at(f, token, "normalized")};
    added.in_model = id < b->pieces.count && b->pieces.at[id].in_model;
    unsigned flags =
        WEIR_TOKEN_ADDED | (added.special ? WEIR_TOKEN_CONTROL : 0u);
    bool is_coded =
        !added.special && b->vocab->coding == WEIR_CODING_BYTE_FALLBACK;
    PieceForm form = is_coded ? PIECE_CODED : PIECE_LITERAL;
    if (!build_piece(b, id, added.content, form, flags)) return false;
    b->pieces.at[id].in_model = added.in_model;
    return build_added(b, added);
}

static bool read_added_tokens(HfFile *f)
{
    JsonId list = json_get(&f->json, JSON_ROOT, "added_tokens");
    JsonKind kind = json_kind(&f->json, list);
    if (kind == JSON_MISSING || kind == JSON_NULL) return true;
    if (kind != JSON_ARRAY)
        return hf_fail(f, list, JSON_ROOT, "an array of added tokens");
    for (JsonIter it = json_iter(&f->json, list); json_step(&it);)
        if (!read_added(f, it.value)) return false;
    return true;
}

/* ---- coding ----------------------------------------------------------- */

static weir_vocab_coding coding_of_texts(const VocabBuild *b)
{
    CodingEvidence seen = {0};
    for (uint32_t id = 0; id < b->pieces.count; id++)
        if (b->pieces.at[id].form == PIECE_CODED)
            coding_count(&seen, piece_text(&b->pieces.at[id]));
    return coding_from_evidence(&seen);
}

static bool is_one_rune(Span text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) n += (text.at[i] & 0xC0) != 0x80;
    return n == 1;
}

/* What one decoder step tells; DETECT for nothing. Also finds the mark. */
static weir_vocab_coding coding_of_step(HfFile *f, JsonId step, Span *mark)
{
    const Json *json = &f->json;
    JsonId type = json_get(json, step, "type");
    if (json_is_string(json, type, "ByteLevel")) return WEIR_CODING_BYTE_LEVEL;
    if (json_is_string(json, type, "ByteFallback"))
        return WEIR_CODING_BYTE_FALLBACK;
    if (json_is_string(json, type, "Metaspace")) {
        Span with = json_string(json, json_get(json, step, "replacement"));
        if (is_one_rune(with)) *mark = with;
        return WEIR_CODING_BYTE_FALLBACK;
    }
    if (json_is_string(json, type, "Replace") &&
        json_is_string(json, json_get(json, step, "content"), " ")) {
        JsonId pattern = json_get(json, step, "pattern");
        Span from = json_string(json, json_get(json, pattern, "String"));
        if (is_one_rune(from)) *mark = from;
    }
    return WEIR_CODING_DETECT;
}

static void settle_coding(HfFile *f)
{
    VocabBuild *b = f->b;
    JsonId decoder = json_get(&f->json, JSON_ROOT, "decoder");
    weir_vocab_coding found = WEIR_CODING_DETECT;
    JsonId end = json_end(&f->json, decoder);
    for (JsonId id = decoder; id < end; id++) {
        weir_vocab_coding told = coding_of_step(f, id, &b->mark);
        if (!found) found = told;
    }
    if (!found) found = coding_of_texts(b);
    if (!b->vocab->coding) b->vocab->coding = found;
}

/* ---- merges ----------------------------------------------------------- */

static bool add_merge_text(HfFile *f, JsonId line)
{
    Span text = json_string(&f->json, line);
    const uint8_t *space =
        text.size > 1 ? memchr(text.at + 1, ' ', text.size - 1) : NULL;
    if (!space)
        return hf_fail(f, line, f->merges, "two texts with a space between");
    size_t nleft = (size_t)(space - text.at);
    return build_merge(f->b, span_of(text.at, nleft),
                       span_of(space + 1, text.size - nleft - 1));
}

static bool add_merge_pair(HfFile *f, JsonId line)
{
    JsonIter pair = json_iter(&f->json, line);
    JsonId left = json_step(&pair) ? pair.value : JSON_NONE;
    JsonId right = json_step(&pair) ? pair.value : JSON_NONE;
    if (json_kind(&f->json, left) != JSON_STRING ||
        json_kind(&f->json, right) != JSON_STRING)
        return hf_fail(f, line, f->merges, "a pair of texts");
    return build_merge(f->b, json_string(&f->json, left),
                       json_string(&f->json, right));
}

static bool read_merges(HfFile *f)
{
    if (f->b->spec.model != ENCODER_BPE_MERGES) return true;
    for (JsonIter it = json_iter(&f->json, f->merges); json_step(&it);) {
        bool ok = json_kind(&f->json, it.value) == JSON_STRING
                      ? add_merge_text(f, it.value)
                      : add_merge_pair(f, it.value);
        if (!ok) return false;
    }
    return true;
}

/* ---- the file --------------------------------------------------------- */

static bool has_text(const HfFile *f, const char *key)
{
    return json_string(&f->json, json_get(&f->json, f->model, key)).size > 0;
}

static void describe_model(HfFile *f)
{
    const Json *json = &f->json;
    EncoderSpec *spec = &f->b->spec;
    JsonId type = json_get(json, f->model, "type");
    bool is_list = json_kind(json, f->vocab) == JSON_ARRAY;
    if (json_is_string(json, type, "Unigram") || (type == JSON_NONE && is_list))
        spec->model = ENCODER_UNIGRAM;
    else if (json_is_string(json, type, "BPE") ||
             (type == JSON_NONE && f->merges != JSON_NONE))
        spec->model = ENCODER_BPE_MERGES;
    if (spec->model == ENCODER_UNIGRAM && !is_list)
        spec->model = ENCODER_GREEDY;
    spec->byte_fallback = flag_at(f, f->model, "byte_fallback");
    spec->fuse_unk =
        flag_at(f, f->model, "fuse_unk") || spec->model == ENCODER_UNIGRAM;
    spec->ignore_merges = flag_at(f, f->model, "ignore_merges");
    spec->unknown_steps = has_text(f, "continuing_subword_prefix") ||
                          has_text(f, "end_of_word_suffix");
    Span unk = json_string(json, json_get(json, f->model, "unk_token"));
    if (unk.size) spec->unk = build_find(f->b, unk);
    json_u32(json, json_get(json, f->model, "unk_id"), &spec->unk);
}

static bool read_root(HfFile *f)
{
    const Json *json = &f->json;
    f->model = json_get(json, JSON_ROOT, "model");
    if (json_kind(json, f->model) != JSON_OBJECT)
        return hf_fail(f, f->model, JSON_ROOT, "an object at \"model\"");
    f->vocab = json_get(json, f->model, "vocab");
    f->merges = json_get(json, f->model, "merges");
    return true;
}

static bool read_all(HfFile *f)
{
    if (!read_root(f) || !read_vocab(f)) return false;
    settle_coding(f);
    if (!read_added_tokens(f)) return false;
    if (!f->b->pieces.count)
        return hf_fail(f, JSON_NONE, f->vocab, "at least one token");
    describe_model(f);
    hf_describe_steps(f->b, &f->json);
    return build_table(f->b) && read_merges(f) && build_encoder(f->b);
}

bool vocab_read_hf(VocabBuild *b)
{
    HfFile f = {.b = b};
    if (!json_parse(&f.json, b->mem, b->file, NULL, b->err)) {
        if (b->err->status == WEIR_SYNTAX) b->err->status = WEIR_FORMAT;
        return false;
    }
    bool ok = read_all(&f);
    json_free(&f.json);
    return ok;
}
