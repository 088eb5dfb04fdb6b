/* vocab.c: vocabularies: loading by kind, and reading what was loaded.
 *
 * In:    a tokenizer file, or the caller's tokens.  Out: a Vocab.
 * The kind is told by the first bytes: "GGUF"; '{' after blanks for JSON; the
 * key of a ModelProto's first piece; a line of base 64 and a number.
 * Tests: unit/vocab_test.c, unit/vocab_real_test.c
 */
#include "vocab/vocab.h"

#include "text/gguf.h"
#include "vocab/vocab_build.h"
#include "vocab/vocab_coding.h"

/* Ids may be this much higher than the bytes of a file, where each entry takes
 * several: room for gaps, and a bound on memory. */
#define SPARE_IDS ((size_t)1 << 20)

static bool is_json(Span file)
{
    size_t pos = 0;
    while (pos < file.size && memchr(" \t\r\n", file.at[pos], 4)) pos++;
    return pos < file.size && file.at[pos] == '{';
}

static weir_vocab_kind detect_kind(Span file)
{
    const uint8_t first_piece = 0x0A; /* field 1, of bytes */
    if (gguf_is(file)) return WEIR_VOCAB_GGUF;
    if (is_json(file)) return WEIR_VOCAB_HF_JSON;
    if (vocab_is_tiktoken(file)) return WEIR_VOCAB_TIKTOKEN;
    if (file.size && file.at[0] == first_piece) return WEIR_VOCAB_SENTENCEPIECE;
    return WEIR_VOCAB_DETECT;
}

static void build_init(VocabBuild *b, Vocab *vocab, const Mem *mem,
                       const weir_vocab_opts *opts, weir_error *err)
{
    *vocab = (Vocab){.mem = *mem};
    *b = (VocabBuild){.mem = mem,
                      .err = err,
                      .vocab = vocab,
                      .tokenizer_config = {.mem = mem},
                      .generation_config = {.mem = mem},
                      .max_ids = VOCAB_MAX_IDS,
                      .mark = CODING_SPACE_MARK,
                      .fim_ids = {VOCAB_NO_ID, VOCAB_NO_ID, VOCAB_NO_ID},
                      .spec = {.unk = ENCODER_NONE}};
    arena_init(&b->scratch, mem, 0);
    if (opts) b->opts = *opts;
    vocab->dialect = b->opts.dialect;
    b->opts.llama_cpp_stops |= vocab->dialect == WEIR_DIALECT_LLAMA_CPP;
}

static void build_free(VocabBuild *b)
{
    arena_free(&b->scratch);
    json_free(&b->tokenizer_config);
    json_free(&b->generation_config);
    vec_free(b->mem, &b->pieces);
    vec_free(b->mem, &b->stops);
    vec_free(b->mem, &b->added);
    vec_free(b->mem, &b->scores);
    vec_free(b->mem, &b->merges);
    map_free(b->mem, &b->by_text);
}

/* Ends a load: the vocabulary is whole or empty. */
static bool build_end(VocabBuild *b, bool ok)
{
    build_free(b);
    if (!ok) vocab_free(b->vocab);
    return ok;
}

static bool read_file(VocabBuild *b)
{
    switch (b->vocab->kind) {
    case WEIR_VOCAB_HF_JSON:
        return vocab_read_hf(b);
    case WEIR_VOCAB_GGUF:
        return vocab_read_gguf(b);
    case WEIR_VOCAB_SENTENCEPIECE:
        return vocab_read_spm(b);
    case WEIR_VOCAB_TIKTOKEN:
        return vocab_read_tiktoken(b);
    case WEIR_VOCAB_DETECT:
        return diag_fail(b->err, WEIR_FORMAT, 0, MIN(b->file.size, 1),
                         "found %s, expected a tokenizer.json, GGUF, "
                         "SentencePiece or tiktoken file",
                         diag_found(b->file, 0).text);
    case WEIR_VOCAB_PLAIN:
        break;
    }
    return diag_fail(b->err, WEIR_ARGUMENT, 0, 0,
                     "found vocabulary kind %d, expected that of a file",
                     (int)b->vocab->kind);
}

bool vocab_load(Vocab *vocab, const Mem *mem, Span file,
                const weir_vocab_opts *opts, weir_error *err)
{
    VocabBuild b;
    weir_error unseen = {WEIR_OK, 0, 0, "", ""};
    build_init(&b, vocab, mem, opts, err ? err : &unseen);
    b.file = file;
    b.max_ids = (uint32_t)MIN(VOCAB_MAX_IDS, SPARE_IDS + file.size);
    vocab->kind = b.opts.kind ? b.opts.kind : detect_kind(file);
    vocab->coding = b.opts.coding;
    return build_end(&b, read_file(&b));
}

/* ---- plain tokens ----------------------------------------------------- */

static bool add_plain(VocabBuild *b, const weir_token *token, uint32_t id)
{
    const uint32_t given =
        WEIR_TOKEN_CONTROL | WEIR_TOKEN_ADDED | WEIR_TOKEN_HOLE;
    Span text = span_of(token->bytes.data, token->bytes.size);
    unsigned flags = token->flags & given;
    if (token->flags & WEIR_TOKEN_STOP) {
        flags |= WEIR_TOKEN_CONTROL;
        if (!b->opts.stop_replace && !build_stop(b, id)) return false;
    }
    if (flags & WEIR_TOKEN_HOLE)
        return build_piece(b, id, (Span){NULL, 0}, PIECE_NONE, 0);
    PieceForm form = flags ? PIECE_LITERAL : PIECE_CODED;
    if (!build_piece(b, id, text, form, flags)) return false;
    if (!flags) return true;
    return build_added(b,
                       (EncoderAdded){.content = text,
                                      .id = id,
                                      .special = flags & WEIR_TOKEN_CONTROL});
}

bool vocab_from_tokens(Vocab *vocab, const Mem *mem, const weir_token *tokens,
                       uint32_t count, const weir_vocab_opts *opts,
                       weir_error *err)
{
    VocabBuild b;
    weir_error unseen = {WEIR_OK, 0, 0, "", ""};
    build_init(&b, vocab, mem, opts, err ? err : &unseen);
    vocab->kind = WEIR_VOCAB_PLAIN;
    vocab->coding = b.opts.coding ? b.opts.coding : WEIR_CODING_RAW;
    b.spec.byte_level = vocab->coding != WEIR_CODING_BYTE_FALLBACK;
    b.spec.space_mark = vocab->coding == WEIR_CODING_BYTE_FALLBACK;
    bool ok = !count || build_check_id(&b, count - 1, (Span){NULL, 0});
    for (uint32_t id = 0; ok && id < count; id++)
        ok = add_plain(&b, &tokens[id], id);
    return build_end(&b, ok && build_table(&b) && build_encoder(&b));
}

void vocab_free(Vocab *v)
{
    encoder_free(v->encoder);
    mem_free(&v->mem, v->start, ((size_t)v->ntokens + 1) * sizeof *v->start);
    mem_free(&v->mem, v->flags, MAX(v->ntokens, 1));
    mem_free(&v->mem, v->bytes, v->nbytes);
    mem_free(&v->mem, v->stops, MAX(v->nstops, 1) * sizeof *v->stops);
    *v = (Vocab){.mem = v->mem};
}

size_t vocab_memory(const Vocab *v)
{
    return sizeof *v + ((size_t)v->ntokens + 1) * sizeof *v->start +
           v->ntokens + v->nbytes + v->nstops * sizeof *v->stops +
           encoder_memory(v->encoder);
}

/* ---- reading ---------------------------------------------------------- */

weir_token vocab_token(const Vocab *vocab, uint32_t id)
{
    if (id >= vocab->ntokens) return (weir_token){{NULL, 0}, WEIR_TOKEN_HOLE};
    Span bytes = vocab_bytes(vocab, id);
    return (weir_token){{(const char *)bytes.at, bytes.size}, vocab->flags[id]};
}

uint32_t vocab_find(const Vocab *vocab, Span text)
{
    for (uint32_t id = 0; id < vocab->ntokens; id++)
        if (vocab->start[id + 1] - vocab->start[id] == text.size &&
            !(vocab->flags[id] & WEIR_TOKEN_HOLE) &&
            span_equal(vocab_bytes(vocab, id), text))
            return id;
    return VOCAB_NO_ID;
}

bool vocab_is_stop(const Vocab *vocab, uint32_t id)
{
    return id < vocab->ntokens && (vocab->flags[id] & WEIR_TOKEN_STOP);
}

size_t vocab_decode(const Vocab *vocab, const uint32_t *ids, size_t count,
                    bool with_special, uint8_t *out, size_t capacity)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= vocab->ntokens) continue;
        if (!with_special && (vocab->flags[ids[i]] & WEIR_TOKEN_CONTROL))
            continue;
        Span bytes = vocab_bytes(vocab, ids[i]);
        if (n < capacity && bytes.size)
            memcpy(out + n, bytes.at, MIN(bytes.size, capacity - n));
        n += bytes.size;
    }
    return n;
}
