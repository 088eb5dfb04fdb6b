/* encode.c: the encoder: building it from a spec, and the way of a text
 * through it.
 *
 * In:    EncoderSpec and the token table; then texts.   Out: ids.
 * Method: as Hugging Face's tokenizers do it. Added tokens that are not
 *        normalised are cut out of the text; what lies between is normalised;
 *        the other added tokens are cut out of that; what is left is cut into
 *        words, each encoded for itself.
 * Holds: nothing in an Encoder changes after encoder_new; all that a call
 *        needs is in its EncodeRun.
 * Cost:  building is a pass over tokens and merges (Llama-3: see the figures
 *        of `weir-bench vocab-load`); encoding about 100 ns a byte.
 * Tests: unit/encode_test.c, unit/encode_reference_test.c
 */
#include "vocab/encode.h"

#include "base/arena.h"
#include "base/diag.h"
#include "vocab/encode_parts.h"

/* Texts that are longer are refused like a lack of memory: offsets have 32
 * bits and NFC may triple a text. */
#define ENCODER_MAX_TEXT (UINT32_MAX / 16)

static void run_free(EncodeRun *run)
{
    const Mem *mem = &run->encoder->mem;
    vec_free(mem, &run->normal);
    vec_free(mem, &run->late);
    vec_free(mem, &run->kept);
    vec_free(mem, &run->runes);
    vec_free(mem, &run->sorted);
    vec_free(mem, &run->symbols);
    vec_free(mem, &run->heap);
    vec_free(mem, &run->steps);
}

/* ---- building ----------------------------------------------------------- */

static bool spec_check(EncoderTokens tokens, const EncoderSpec *spec,
                       weir_error *err)
{
    for (uint32_t i = 0; i < spec->added_count; i++)
        if (spec->added[i].id >= tokens.count)
            return diag_fail(err, WEIR_FORMAT, 0, 0,
                             "found added token %u, expected an id below %u",
                             spec->added[i].id, tokens.count);
    if (spec->unk != ENCODER_NONE && spec->unk >= tokens.count)
        return diag_fail(err, WEIR_FORMAT, 0, 0,
                         "found %u as id of the unknown token, expected one "
                         "below %u",
                         spec->unk, tokens.count);
    for (size_t i = 0; spec->byte_ids && i < 256; i++)
        if (spec->byte_ids[i] != ENCODER_NONE &&
            spec->byte_ids[i] >= tokens.count)
            return diag_fail(err, WEIR_FORMAT, 0, 0,
                             "found byte token %u, expected an id below %u",
                             spec->byte_ids[i], tokens.count);
    bool needs_scores =
        spec->model == ENCODER_BPE_SCORE || spec->model == ENCODER_UNIGRAM;
    if (needs_scores && !spec->scores)
        return diag_fail(err, WEIR_FORMAT, 0, 0,
                         "found no scores, expected one for each token");
    return true;
}

/* Tokens that text does not reach through the model: added ones, and the byte
 * tokens of byte fallback, which must not hide a character of that byte. */
static bool map_build(Encoder *encoder, const EncoderSpec *spec)
{
    uint8_t *skip = mem_zero(&encoder->mem, MAX(encoder->tokens.count, 1));
    if (!skip) return false;
    for (uint32_t i = 0; i < spec->added_count; i++)
        skip[spec->added[i].id] |= !spec->added[i].in_model;
    for (size_t i = 0; spec->byte_ids && i < 256; i++)
        if (spec->byte_ids[i] != ENCODER_NONE) skip[spec->byte_ids[i]] = 1;
    bool ok = token_map_build(encoder, skip);
    mem_free(&encoder->mem, skip, MAX(encoder->tokens.count, 1));
    return ok;
}

static void bytes_build(Encoder *encoder, const EncoderSpec *spec)
{
    bool has_all = true;
    for (unsigned i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)i;
        uint32_t id = spec->byte_ids ? spec->byte_ids[i] : ENCODER_NONE;
        if (id == ENCODER_NONE && spec->byte_level)
            id = token_find(encoder, span_of(&byte, 1));
        encoder->byte_ids[i] = id;
        has_all &= id != ENCODER_NONE;
    }
    encoder->has_bytes = has_all && (spec->byte_level || spec->byte_fallback);
    encoder->has_drops = !encoder->has_bytes && spec->unk == ENCODER_NONE;
}

/* Cutting a word is exact only where symbols do not depend on neighbours. */
static void joins_build(Encoder *encoder)
{
    const EncoderSpec *spec = &encoder->spec;
    const EncoderTokens *tokens = &encoder->tokens;
    encoder->has_cuts = spec->pretoken == PRETOKEN_NONE &&
                        (spec->model == ENCODER_BPE_MERGES ||
                         spec->model == ENCODER_BPE_SCORE) &&
                        !spec->ignore_merges && encoder->has_bytes;
    if (!encoder->has_cuts) return;
    for (uint32_t id = 0; id < tokens->count; id++)
        for (uint32_t i = tokens->start[id] + 1; i < tokens->start[id + 1]; i++)
            joins_add(&encoder->joins, tokens->bytes[i - 1], tokens->bytes[i]);
}

static bool model_build(Encoder *encoder, const EncoderSpec *spec,
                        weir_error *err)
{
    bool ok = true;
    switch (encoder->spec.model) {
    case ENCODER_BPE_MERGES:
        return merges_build(encoder, spec, err);
    case ENCODER_BPE_SCORE:
        ok = ranks_build(encoder, spec->scores);
        break;
    case ENCODER_UNIGRAM:
        ok = unigram_build(encoder, spec->scores);
        break;
    case ENCODER_BPE_RANK:
    case ENCODER_GREEDY:
        break;
    }
    return ok || diag_no_memory(err);
}

/* An added token's name as the normaliser leaves it (HF normalises both). */
static bool normal_name(EncodeRun *run, EncoderAdded *added)
{
    if (added->own_name) return true;
    added->content = normal_stretch(run, added->content, true);
    return !run->failed;
}

/* The added tokens with normalised names, each found in normalised text. The
 * normaliser's buffer holds one name at a time, so names are kept apart. */
static bool normal_added_build(Encoder *encoder, const EncoderSpec *spec)
{
    EncodeRun run = {.encoder = encoder};
    Arena arena;
    arena_init(&arena, &encoder->mem, 0);
    EncoderAdded *list = arena_array(&arena, EncoderAdded, spec->added_count);
    uint32_t count = 0;
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < spec->added_count; i++) {
        if (!spec->added[i].normalized) continue;
        list[count] = spec->added[i];
        ok = normal_name(&run, &list[count]);
        if (!ok) break;
        Span *name = &list[count++].content;
        name->at = arena_copy(&arena, name->at, name->size);
        ok = name->at != NULL;
    }
    ok = ok && added_build(&encoder->mem, &encoder->normal, list, count, true,
                           &encoder->memory);
    encoder->normal.keeps_spaces =
        spec->space_mark && !spec->prepend_unless_space;
    run_free(&run);
    arena_free(&arena);
    return ok;
}

static bool added_sets_build(Encoder *encoder, const EncoderSpec *spec)
{
    if (!added_build(&encoder->mem, &encoder->raw, spec->added,
                     spec->added_count, false, &encoder->memory))
        return false;
    for (uint32_t i = 0; i < spec->added_count; i++) {
        if (spec->added[i].content.size > ENCODER_MAX_NAME)
            encoder->is_exact = false;
        if (spec->added[i].normalized && !encoder->normal.count &&
            !normal_added_build(encoder, spec))
            return false;
    }
    return true;
}

/* The spec without what is only borrowed for the call. */
static void spec_take(Encoder *encoder, const EncoderSpec *spec)
{
    encoder->spec = *spec;
    encoder->spec.merges = NULL;
    encoder->spec.scores = NULL;
    encoder->spec.byte_ids = NULL;
    encoder->spec.added = NULL;
    if (spec->pretoken == PRETOKEN_UNKNOWN)
        encoder->spec.model = ENCODER_GREEDY;
    if (spec->model == ENCODER_BPE_RANK) encoder->spec.ignore_merges = true;
    encoder->is_exact =
        encoder->spec.model != ENCODER_GREEDY && !spec->unknown_steps;
}

Encoder *encoder_new(const Mem *mem, EncoderTokens tokens,
                     const EncoderSpec *spec, weir_error *err)
{
    if (!spec_check(tokens, spec, err)) return NULL;
    Encoder *encoder = mem_zero(mem, sizeof *encoder);
    if (!encoder) {
        diag_no_memory(err);
        return NULL;
    }
    encoder->mem = *mem;
    encoder->tokens = tokens;
    encoder->memory = sizeof *encoder;
    spec_take(encoder, spec);
    bool ok = map_build(encoder, spec) || diag_no_memory(err);
    if (ok) bytes_build(encoder, spec);
    if (ok) joins_build(encoder);
    ok = ok && model_build(encoder, spec, err);
    ok = ok && (added_sets_build(encoder, spec) || diag_no_memory(err));
    if (ok) return encoder;
    encoder_free(encoder);
    return NULL;
}

void encoder_free(Encoder *encoder)
{
    if (!encoder) return;
    Mem mem = encoder->mem;
    size_t count = encoder->tokens.count;
    mem_free(&mem, encoder->map.slot,
             encoder->map.cap * sizeof *encoder->map.slot);
    mem_free(&mem, encoder->merges.start,
             (count + 1) * sizeof *encoder->merges.start);
    mem_free(&mem, encoder->merges.entry,
             encoder->merges.count * sizeof *encoder->merges.entry);
    mem_free(&mem, encoder->rank, MAX(count, 1) * sizeof *encoder->rank);
    mem_free(&mem, encoder->scores, MAX(count, 1) * sizeof *encoder->scores);
    added_free(&mem, &encoder->raw);
    added_free(&mem, &encoder->normal);
    mem_free(&mem, encoder, sizeof *encoder);
}

bool encoder_is_exact(const Encoder *encoder)
{
    return encoder->is_exact;
}

PretokenKind encoder_pretoken(const Encoder *encoder)
{
    return encoder->spec.pretoken;
}

size_t encoder_memory(const Encoder *encoder)
{
    return encoder->memory;
}

/* ---- encoding ----------------------------------------------------------- */

static void encode_word(EncodeRun *run, Span word)
{
    switch (run->encoder->spec.model) {
    case ENCODER_GREEDY:
        greedy_word(run, word);
        break;
    case ENCODER_UNIGRAM:
        unigram_word(run, word);
        break;
    case ENCODER_BPE_MERGES:
    case ENCODER_BPE_RANK:
    case ENCODER_BPE_SCORE:
        bpe_word(run, word);
        break;
    }
}

/* A tokenizer without pre-tokenizer has texts of one word. Where no token has
 * the two bytes at a border side by side, nothing merges across it. */
static void encode_cut(EncodeRun *run, Span text)
{
    size_t begin = 0;
    for (size_t i = 1; i < text.size && !run->failed; i++) {
        if ((text.at[i] & 0xC0) == 0x80 ||
            joins_has(&run->encoder->joins, text.at[i - 1], text.at[i]))
            continue;
        encode_word(run, span_of(text.at + begin, i - begin));
        begin = i;
    }
    if (text.size && !run->failed)
        encode_word(run, span_of(text.at + begin, text.size - begin));
}

static void encode_words(EncodeRun *run, Span text)
{
    Span word;
    if (run->encoder->has_cuts) {
        encode_cut(run, text);
        return;
    }
    PretokenCursor cursor = pretoken_start(run->encoder->spec.pretoken, text);
    while (!run->failed && (word = pretoken_next(&cursor)).size)
        encode_word(run, word);
}

/* A stretch that no added token is in, normalised. */
static void encode_stretch(EncodeRun *run, Span text, bool is_first)
{
    Span late = normal_late(run, text, is_first);
    if (!run->failed) encode_words(run, late);
}

typedef void Stretch(EncodeRun *run, Span text, bool is_first);

/* Emits the added tokens of `set`, hands on the text between. */
static void encode_between(EncodeRun *run, const AddedSet *set, Span text,
                           bool is_first, Stretch *stretch)
{
    AddedMatch match;
    size_t done = 0, from = 0;
    while (!run->failed &&
           added_next(set, text, from, done, run->parse_special, &match)) {
        if (done < match.begin)
            stretch(run, span_of(text.at + done, match.begin - done),
                    is_first && !done);
        run_emit(run, match.item->id);
        done = match.end;
        from = match.resume;
    }
    if (!run->failed && done < text.size)
        stretch(run, span_of(text.at + done, text.size - done),
                is_first && !done);
}

static void encode_raw(EncodeRun *run, Span text, bool is_first)
{
    Span normal = normal_stretch(run, text, is_first);
    encode_between(run, &run->encoder->normal, normal, is_first,
                   encode_stretch);
}

static size_t encode_run(EncodeRun *run, Span text)
{
    if (text.size > ENCODER_MAX_TEXT) return SIZE_MAX;
    encode_between(run, &run->encoder->raw, text, true, encode_raw);
    run_free(run);
    return run->failed ? SIZE_MAX : run->count;
}

size_t encoder_encode(const Encoder *encoder, Span text, bool parse_special,
                      uint32_t *ids, size_t capacity)
{
    EncodeRun run = {.encoder = encoder,
                     .parse_special = parse_special,
                     .ids = ids,
                     .capacity = capacity};
    return encode_run(&run, text);
}

size_t encoder_encode_behind(const Encoder *encoder, Span text, uint32_t *ids,
                             size_t capacity)
{
    EncodeRun run = {.encoder = encoder,
                     .is_behind = true,
                     .ids = ids,
                     .capacity = capacity};
    return encode_run(&run, text);
}
