/* vocab_config.c: what stands in the files beside a tokenizer file.
 *
 * tokenizer_config.json: added_tokens_decoder (id -> {content, special ...})
 *   fills ids that the tokenizer file leaves open, and may call a token of the
 *   same text special; eos_token (a text, or {content}) names an end token.
 * generation_config.json: eos_token_id, a number or an array of numbers.
 * Both may be absent. Tests: unit/vocab_test.c
 */
#include "vocab/vocab_build.h"

static bool add_decoder_entry(VocabBuild *b, const JsonIter *it)
{
    const Json *json = it->json;
    uint32_t id = 0;
    Span content = json_string(json, json_get(json, it->value, "content"));
    if (it->key.size > 7 || !content.size) return true;
    for (size_t i = 0; i < it->key.size; i++) {
        if (it->key.at[i] < '0' || it->key.at[i] > '9') return true;
        id = id * 10 + (uint32_t)(it->key.at[i] - '0');
    }
    if (id >= b->max_ids) return true;
    bool special = json_bool(json, json_get(json, it->value, "special"), false);
    unsigned flags = WEIR_TOKEN_ADDED | (special ? WEIR_TOKEN_CONTROL : 0u);
    if (id < b->pieces.count && b->pieces.at[id].form != PIECE_NONE) {
        Piece *p = &b->pieces.at[id];
        if (special && span_equal(piece_text(p), content))
            p->flags |= WEIR_TOKEN_CONTROL;
        return true;
    }
    return build_piece(b, id, content, PIECE_LITERAL, flags) &&
           build_added(b, (EncoderAdded){.content = content,
                                         .id = id,
                                         .special = special});
}

static bool add_decoder(VocabBuild *b)
{
    const Json *json = &b->tokenizer_config;
    JsonId decoder = json_get(json, JSON_ROOT, "added_tokens_decoder");
    if (json_kind(json, decoder) != JSON_OBJECT) return true;
    for (JsonIter it = json_iter(json, decoder); json_step(&it);)
        if (!add_decoder_entry(b, &it)) return false;
    return true;
}

static bool add_eos_token(VocabBuild *b)
{
    const Json *json = &b->tokenizer_config;
    JsonId eos = json_get(json, JSON_ROOT, "eos_token");
    if (json_kind(json, eos) == JSON_OBJECT)
        eos = json_get(json, eos, "content");
    Span text = json_string(json, eos);
    uint32_t id = text.size ? build_find(b, text) : VOCAB_NO_ID;
    return id == VOCAB_NO_ID || build_stop(b, id);
}

static bool add_generation(VocabBuild *b)
{
    const Json *json = &b->generation_config;
    JsonId eos = json_get(json, JSON_ROOT, "eos_token_id");
    uint32_t id;
    if (json_u32(json, eos, &id)) return build_stop(b, id);
    if (json_kind(json, eos) != JSON_ARRAY) return true;
    for (JsonIter it = json_iter(json, eos); json_step(&it);)
        if (json_u32(json, it.value, &id) && !build_stop(b, id)) return false;
    return true;
}

static bool parse_config(VocabBuild *b, Json *json, weir_bytes text,
                         const char *name)
{
    if (!text.size) return true;
    if (json_parse(json, b->mem, span_of(text.data, text.size), NULL, b->err))
        return true;
    if (b->err->status == WEIR_SYNTAX) b->err->status = WEIR_FORMAT;
    return diag_pointer(b->err, span_text(name));
}

bool build_configs(VocabBuild *b)
{
    return parse_config(b, &b->tokenizer_config, b->opts.tokenizer_config,
                        "tokenizer_config.json") &&
           parse_config(b, &b->generation_config, b->opts.generation_config,
                        "generation_config.json") &&
           add_decoder(b) && add_eos_token(b) && add_generation(b);
}
