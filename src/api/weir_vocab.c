/* weir_vocab.c: the public vocabulary: a Vocab, its trie, its encoder, and
 * the JSON frames that all grammars share. Immutable once made. */
#include <stdio.h>
#include <stdlib.h>

#include "api/objects.h"
#include "base/diag.h"
#include "mask/warm.h"
#include "syntax/json_grammar.h"

/* The frames of JSON with the default blanks, for all grammars. */
static bool shared_make(weir_vocab *v, weir_error *err)
{
    JsonRules json;
    Lowered lowered;
    Ir *ir = &v->shared_ir;
    ir_init(ir, &v->mem, NULL);
    json_rules_init(&json, ir, NULL);
    ir->root = json_parts_rule(&json);
    if (!lower_run(ir, NULL, &lowered)) {
        *err = ir->error;
        return false;
    }
    return network_init(&v->shared, ir, &lowered, NULL, err);
}

/* Take every state of the JSON frames: of a value, and of the parts that have
 * a mark. */
static const char value_sample[] =
    "{\"a\\u00e9\\ud83d\\ude00\\n\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\": [1, "
    "-2.5e+30, 0,"
    " {\"b\" : \"\" , \"c\":true}, [ ], {}, null , false , 12.5 ],\n"
    " \"d\":{\"e\":[[1]], \"f\" :-0,\"g\":{ \"h\": \"i\"}} }";

/* With escapes that keys have. */
#define KEY_SAMPLE "a\\n\\u001f\\\\\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\""
static const char *const part_samples[][2] = {
    [JSON_PART_KEY_REST] = {KEY_SAMPLE, "\""},
    [JSON_PART_KEY_MORE] = {KEY_SAMPLE, "\\\"\""},
    [JSON_PART_OF_STRING] = {"\":\"\"", "\" : \"\""},
    [JSON_PART_OF_NUMBER] = {"\":0", "\" : 0"},
    [JSON_PART_OF_INTEGER] = {"\":-10", "\" : 0"},
    [JSON_PART_OF_BOOLEAN] = {"\":true", "\" : false"},
    [JSON_PART_OF_ARRAY] = {"\":[]", "\" : []"},
    [JSON_PART_OF_OBJECT] = {"\":{}", "\" : {}"},
    [JSON_PART_OF_VALUE] = {"\":0", "\" : 0"},
    [JSON_PART_COLON] = {"\":", "\" : "},
    [JSON_PART_TEXT] = {"\"a\"", NULL},
};

static bool warm_part(weir_vocab *v, State *start, JsonPart part)
{
    char text[80];
    for (int i = 0; i < 2 && part_samples[part][i]; i++) {
        Out out = {text, sizeof text, 0};
        uint8_t mark = json_part_mark(part);
        out_bytes(&out, span_of(&mark, 1));
        out_text(&out, part_samples[part][i]);
        assert(out.size < sizeof text);
        if (!mask_warm(&v->masks, start, span_of(text, out.size))) return false;
    }
    return true;
}

static bool warm_up(weir_vocab *v, weir_error *err)
{
    State *start = network_start(&v->shared);
    if (!start) {
        *err = network_error(&v->shared);
        return false;
    }
    bool ok = mask_warm(&v->masks, start, SPAN(value_sample));
    for (JsonPart p = JSON_PART_KEY_REST; ok && p <= JSON_PART_TEXT; p++)
        ok = warm_part(v, start, p);
    return ok || diag_no_memory(err);
}

static weir_vocab *vocab_begin(const weir_env *env, const weir_vocab_opts *opts,
                               weir_error *err)
{
    Mem mem = mem_from_env(env);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    weir_vocab *v = mem_zero(&mem, sizeof *v);
    if (!v) return diag_no_memory(err), NULL;
    v->mem = mem;
    atomic_init(&v->refs, 1);
    return v;
}

/* The options as this version knows them. */
static weir_vocab_opts opts_read(const weir_vocab_opts *given)
{
    weir_vocab_opts o = {.size = sizeof o};
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    return o;
}

/* `loaded`: whether v->vocab could be made. Finishes or frees. */
static weir_vocab *vocab_finish(weir_vocab *v, bool loaded, weir_error *err)
{
    if (loaded && !maskvocab_init(&v->masks, &v->mem, &v->vocab))
        loaded = diag_no_memory(err);
    if (loaded && shared_make(v, err) && warm_up(v, err)) return v;
    if (!err->status) diag_no_memory(err);
    weir_vocab_free(v);
    return NULL;
}

weir_vocab *weir_vocab_load(const weir_env *env, weir_bytes file,
                            const weir_vocab_opts *opts, weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    weir_vocab *v = vocab_begin(env, opts, err);
    if (!v) return NULL;
    weir_vocab_opts o = opts_read(opts);
    return vocab_finish(
        v, vocab_load(&v->vocab, &v->mem, span_from(file), &o, err), err);
}

weir_vocab *weir_vocab_new(const weir_env *env, const weir_token *tokens,
                           uint32_t count, const weir_vocab_opts *opts,
                           weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    weir_vocab *v = vocab_begin(env, opts, err);
    if (!v) return NULL;
    weir_vocab_opts o = opts_read(opts);
    return vocab_finish(
        v, vocab_from_tokens(&v->vocab, &v->mem, tokens, count, &o, err), err);
}

/* ---- files ---- */

typedef VEC(char) FileText;

/* Reads a whole file: OK, IO or NO_MEMORY. */
static weir_status file_read(const Mem *mem, const char *path, FileText *text)
{
    enum { CHUNK = 1 << 20 };
    FILE *f = fopen(path, "rb");
    if (!f) return WEIR_IO;
    weir_status status = WEIR_OK;
    while (!status && !feof(f)) {
        if (!vec_reserve(mem, text, (size_t)text->count + CHUNK)) {
            status = WEIR_NO_MEMORY;
            break;
        }
        text->count += (uint32_t)fread(text->at + text->count, 1, CHUNK, f);
        if (ferror(f)) status = WEIR_IO;
    }
    fclose(f);
    return status;
}

/* *out, unless the caller has set it, = the text of `name` in the folder of
 * `path`, if it is there. False: no memory. */
static bool beside(const Mem *mem, const char *path, const char *name,
                   FileText *text, weir_bytes *out)
{
    char full[4096];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int n = snprintf(full, sizeof full, "%.*s%s", folder, path, name);
    if (out->data || n < 0 || (size_t)n >= sizeof full) return true;
    weir_status status = file_read(mem, full, text);
    if (!status) *out = (weir_bytes){text->at, text->count};
    return status != WEIR_NO_MEMORY;
}

weir_vocab *weir_vocab_load_file(const weir_env *env, const char *path,
                                 const weir_vocab_opts *opts, weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    Mem mem = mem_from_env(env);
    FileText text = {0}, config = {0}, generation = {0};
    weir_vocab_opts o = opts_read(opts);
    weir_vocab *v = NULL;
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    weir_status status = file_read(&mem, path, &text);
    if (status == WEIR_IO)
        diag_fail(err, WEIR_IO, 0, 0, "cannot read '%.150s'", path);
    else if (status ||
             !beside(&mem, path, "tokenizer_config.json", &config,
                     &o.tokenizer_config) ||
             !beside(&mem, path, "generation_config.json", &generation,
                     &o.generation_config))
        diag_no_memory(err);
    else
        v = weir_vocab_load(env, (weir_bytes){text.at, text.count}, &o, err);
    vec_free(&mem, &text);
    vec_free(&mem, &config);
    vec_free(&mem, &generation);
    return v;
}

/* ---- life ---- */

weir_vocab *weir_vocab_retain(weir_vocab *vocab)
{
    ref_take(&vocab->refs);
    return vocab;
}

void weir_vocab_free(weir_vocab *vocab)
{
    if (!vocab || !ref_drop(&vocab->refs)) return;
    Mem mem = vocab->mem;
    network_free(&vocab->shared);
    ir_free(&vocab->shared_ir);
    maskvocab_free(&vocab->masks);
    vocab_free(&vocab->vocab);
    mem_free(&mem, vocab, sizeof *vocab);
}

/* ---- looking ---- */

uint32_t weir_vocab_width(const weir_vocab *vocab)
{
    return vocab->vocab.width;
}

weir_token weir_vocab_token(const weir_vocab *vocab, uint32_t id)
{
    return vocab_token(&vocab->vocab, id);
}

uint32_t weir_vocab_find(const weir_vocab *vocab, weir_bytes text)
{
    return vocab_find(&vocab->vocab, span_from(text));
}

const uint32_t *weir_vocab_stops(const weir_vocab *vocab, uint32_t *count)
{
    *count = vocab->vocab.nstops;
    return vocab->vocab.stops;
}

static size_t vocab_bytes_held(const weir_vocab *v)
{
    uint32_t frames, states;
    size_t network;
    network_count((Network *)&v->shared, &frames, &states, &network);
    return sizeof *v + vocab_memory(&v->vocab) + v->masks.arena.total +
           network + v->shared_ir.arena.total;
}

void weir_vocab_describe(const weir_vocab *vocab, weir_vocab_info *info)
{
    const Vocab *v = &vocab->vocab;
    weir_vocab_info all = {
        .size = info->size,
        .kind = v->kind,
        .coding = v->coding,
        .width = v->width,
        .tokens = v->ntokens,
        .specials = v->nspecials,
        .stops = v->nstops,
        .pre_tokenizer = pretoken_name(encoder_pretoken(v->encoder)),
        .encoder_exact = encoder_is_exact(v->encoder),
        .hash = v->hash,
        .memory = vocab_bytes_held(vocab),
    };
    memcpy(info, &all, MIN(info->size, sizeof all));
}

size_t weir_vocab_encode(const weir_vocab *vocab, weir_bytes text,
                         bool parse_special, uint32_t *ids, size_t capacity)
{
    if (vocab->encode)
        return vocab->encode(vocab->encode_user, text, parse_special, ids,
                             capacity);
    return encoder_encode(vocab->vocab.encoder, span_from(text), parse_special,
                          ids, capacity);
}

void weir_vocab_set_encoder(weir_vocab *vocab, weir_encode_fn encode,
                            void *user)
{
    vocab->encode = encode;
    vocab->encode_user = user;
}

size_t weir_vocab_decode(const weir_vocab *vocab, const uint32_t *ids,
                         size_t count, bool with_special, char *out,
                         size_t capacity)
{
    return vocab_decode(&vocab->vocab, ids, count, with_special, (uint8_t *)out,
                        capacity);
}
