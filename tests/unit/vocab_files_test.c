/* vocab_files_test.c: GGUF, SentencePiece and tiktoken files, made here byte
 * by byte from the formats' descriptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "text/base64.h"
#include "text/gguf.h"
#include "text/protobuf.h"
#include "unit/faulty_mem.h"
#include "vocab/vocab.h"

#define CONTROL WEIR_TOKEN_CONTROL
#define STOP WEIR_TOKEN_STOP
#define HOLE WEIR_TOKEN_HOLE
#define ADDED WEIR_TOKEN_ADDED
#define MARK "\xE2\x96\x81"
#define SPACE_A "\xC4\xA0\x61" /* " a", byte-level */
#define SPACE_AB "\xC4\xA0\x61\x62"

static Mem memory;

/* ---- bytes being written ---------------------------------------------- */

typedef struct Bytes {
    uint8_t at[8192];
    size_t size;
} Bytes;

static void put(Bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->at);
    memcpy(b->at + b->size, data, size);
    b->size += size;
}

static void put_number(Bytes *b, uint64_t value, unsigned nbytes)
{
    for (unsigned i = 0; i < nbytes; i++, value >>= 8)
        put(b, &(uint8_t){(uint8_t)value}, 1);
}

static void put_float(Bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put_number(b, bits, 4);
}

static Span span_bytes(const Bytes *b)
{
    return span_of(b->at, b->size);
}

/* ---- checks ----------------------------------------------------------- */

typedef struct Want {
    const char *bytes;
    uint32_t flags;
} Want;

static Vocab load(Span file, const weir_vocab_opts *opts)
{
    Vocab v;
    weir_error err = {0};
    if (!vocab_load(&v, &memory, file, opts, &err))
        fail_msg("%s at %u", err.message, err.begin);
    return v;
}

static void check_tokens(const Vocab *v, const Want *want, uint32_t count)
{
    assert_int_equal(v->ntokens, count);
    for (uint32_t id = 0; id < count; id++) {
        weir_token t = vocab_token(v, id);
        if (t.bytes.size != strlen(want[id].bytes) ||
            memcmp(t.bytes.data, want[id].bytes, t.bytes.size) ||
            t.flags != want[id].flags)
            fail_msg("token %u: '%.*s' flags %u", id, (int)t.bytes.size,
                     t.bytes.data, t.flags);
    }
}

static void check_encode(const Vocab *v, const char *text, const uint32_t *ids,
                         size_t count)
{
    uint32_t got[32];
    size_t n = encoder_encode(v->encoder, span_text(text), false, got, 32);
    if (n != count || memcmp(got, ids, n * sizeof *ids)) {
        for (size_t i = 0; i < MIN(n, 32); i++) print_error("%u ", got[i]);
        fail_msg("from '%s'", text);
    }
}
#define ENCODES(v, text, ...)                              \
    check_encode(v, text, (const uint32_t[]){__VA_ARGS__}, \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void check_failure(Span file, const char *message, uint32_t begin)
{
    Vocab v;
    weir_error err = {0};
    assert_false(vocab_load(&v, &memory, file, NULL, &err));
    assert_int_equal(err.status, WEIR_FORMAT);
    if (strcmp(err.message, message) || err.begin != begin)
        fail_msg("%u: %s", err.begin, err.message);
}

/* Every prefix and every changed byte of the file: a vocabulary or a report
 * within it, nothing held after, bounded memory. Copies are exact. */
static void survive_damage(Span file, bool cuts_fail, weir_vocab_kind kind)
{
    weir_vocab_opts opts = {.kind = kind};
    for (size_t i = 0; i < file.size * 4; i++) {
        size_t n = i < file.size ? i : file.size;
        uint8_t *copy = malloc(MAX(n, 1));
        if (n) memcpy(copy, file.at, n);
        if (i >= file.size) {
            const uint8_t with[] = {0xFF, 0x00, (uint8_t)(i * 37)};
            copy[i % file.size] ^= with[i / file.size - 1];
        }
        Faulty faulty = {.left = SIZE_MAX};
        Mem mem = faulty_mem(&faulty);
        weir_error err = {0};
        Vocab v;
        bool ok = vocab_load(&v, &mem, span_of(copy, n), &opts, &err);
        if (ok)
            vocab_free(&v);
        else if (!err.status || err.begin > err.end || err.end > n)
            fail_msg("%zu: [%u, %u) %s", n, err.begin, err.end, err.message);
        if (ok && n < file.size && cuts_fail) fail_msg("cut at %zu passes", n);
        assert_int_equal(faulty.held, 0);
        assert_true(faulty.peak < (size_t)256 << 20);
        free(copy);
    }
}

/* ---- GGUF ------------------------------------------------------------- */

static void gguf_head(Bytes *b, uint32_t version, uint64_t entries)
{
    *b = (Bytes){.size = 0};
    put(b, "GGUF", 4);
    put_number(b, version, 4);
    put_number(b, 7, 8); /* tensors: not read */
    put_number(b, entries, 8);
}

static void gguf_text(Bytes *b, const char *text)
{
    put_number(b, strlen(text), 8);
    put(b, text, strlen(text));
}

static void gguf_entry(Bytes *b, const char *key, uint32_t type)
{
    gguf_text(b, key);
    put_number(b, type, 4);
}

static void gguf_entry_text(Bytes *b, const char *key, const char *value)
{
    gguf_entry(b, key, GGUF_STRING);
    gguf_text(b, value);
}

static void gguf_entry_u32(Bytes *b, const char *key, uint32_t value)
{
    gguf_entry(b, key, GGUF_U32);
    put_number(b, value, 4);
}

static void gguf_array(Bytes *b, const char *key, uint32_t item, uint64_t count)
{
    gguf_entry(b, key, GGUF_ARRAY);
    put_number(b, item, 4);
    put_number(b, count, 8);
}

static void gguf_texts(Bytes *b, const char *key, const char *const *texts,
                       uint64_t count)
{
    gguf_array(b, key, GGUF_STRING, count);
    for (uint64_t i = 0; i < count; i++) gguf_text(b, texts[i]);
}

static void gguf_types(Bytes *b, const uint8_t *types, uint64_t count)
{
    gguf_array(b, "tokenizer.ggml.token_type", GGUF_I32, count);
    for (uint64_t i = 0; i < count; i++) put_number(b, types[i], 4);
}

static const char *const bpe_tokens[] = {
    "\xC4\xA0",  "a",          SPACE_A,           "b",
    SPACE_AB,    "<|im_end|>", "<think\xC4\xA0>", "unused",
    "undefined", "<|eot|>x",   "<|fim_pad|>",     "</s>",
    "<unk>"};
static const uint8_t bpe_types[] = {1, 1, 1, 1, 1, 3, 4, 5, 0, 3, 4, 1, 2};
static const char *const bpe_merges[] = {"\xC4\xA0 a", SPACE_A " b", "x y",
                                         "nospace", " a"};

/* gpt2 with every kind of entry, and others around that are skipped. */
static void make_bpe(Bytes *b)
{
    gguf_head(b, 3, 11);
    gguf_entry_text(b, "general.name", "x");
    gguf_entry(b, "some.flag", GGUF_BOOL);
    put_number(b, 1, 1);
    gguf_entry(b, "some.f64", GGUF_F64);
    put_number(b, 0, 8);
    gguf_array(b, "some.i16s", GGUF_I16, 3);
    put_number(b, 1, 6);
    gguf_entry_text(b, "tokenizer.ggml.model", "gpt2");
    gguf_entry_text(b, "tokenizer.ggml.pre", "qwen2");
    gguf_texts(b, "tokenizer.ggml.tokens", bpe_tokens, 13);
    gguf_types(b, bpe_types, 13);
    gguf_texts(b, "tokenizer.ggml.merges", bpe_merges, 5);
    gguf_entry_u32(b, "tokenizer.ggml.eos_token_id", 9);
    gguf_entry_u32(b, "tokenizer.ggml.eot_token_id", 4000);
}

static void reads_gguf_bpe(void **state)
{
    static const Want want[] = {{" ", 0},
                                {"a", 0},
                                {" a", 0},
                                {"b", 0},
                                {" ab", 0},
                                {"<|im_end|>", ADDED | CONTROL | STOP},
                                {"<think\xC4\xA0>", ADDED},
                                {"", HOLE},
                                {"", HOLE},
                                {"<|eot|>x", ADDED | CONTROL | STOP},
                                {"<|fim_pad|>", ADDED},
                                {"</s>", 0},
                                {"<unk>", ADDED | CONTROL}};
    (void)state;
    Bytes b;
    make_bpe(&b);
    Vocab v = load(span_bytes(&b), NULL);
    assert_int_equal(v.kind, WEIR_VOCAB_GGUF);
    assert_int_equal(v.coding, WEIR_CODING_BYTE_LEVEL);
    check_tokens(&v, want, 13);
    assert_int_equal(encoder_pretoken(v.encoder), PRETOKEN_QWEN2);
    ENCODES(&v, " ab", 4);
    ENCODES(&v, "b<think\xC4\xA0> a", 3, 6, 2);
    vocab_free(&v);

    weir_vocab_opts opts = {.llama_cpp_stops = true};
    v = load(span_bytes(&b), &opts);
    assert_int_equal(v.nstops, 4);
    assert_true(vocab_is_stop(&v, 10) && vocab_is_stop(&v, 11));
    vocab_free(&v);
}

static const char *const spm_tokens[] = {"<unk>",   "<s>", "</s>",   "<0x0A>",
                                         MARK,      "a",   MARK "a", "<0x41>",
                                         MARK MARK, ""};
static const uint8_t spm_types[] = {2, 3, 3, 6, 1, 1, 1, 1, 4, 1};
static const float spm_scores[] = {0, 0, 0, 0, -5, -3, -1, -9, 0, -99};

static void make_spm(Bytes *b, bool with_types)
{
    gguf_head(b, 2, 3u + with_types);
    gguf_entry_text(b, "tokenizer.ggml.model", "llama");
    gguf_texts(b, "tokenizer.ggml.tokens", spm_tokens, 10);
    gguf_array(b, "tokenizer.ggml.scores", GGUF_F32, 10);
    for (int i = 0; i < 10; i++) put_float(b, spm_scores[i]);
    if (with_types) gguf_types(b, spm_types, 10);
}

static void reads_gguf_spm(void **state)
{
    static const Want typed[] = {{"<unk>", ADDED | CONTROL},
                                 {"<s>", ADDED | CONTROL},
                                 {"</s>", ADDED | CONTROL | STOP},
                                 {"\n", 0},
                                 {" ", 0},
                                 {"a", 0},
                                 {" a", 0},
                                 {"<0x41>", 0},
                                 {MARK MARK, ADDED},
                                 {"", 0}};
    static const Want untyped[] = {
        {"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"\n", 0}, {" ", 0},
        {"a", 0},     {" a", 0},  {"A", 0},    {"  ", 0}, {"", 0}};
    (void)state;
    Bytes b;
    make_spm(&b, true);
    Vocab v = load(span_bytes(&b), NULL);
    assert_int_equal(v.coding, WEIR_CODING_BYTE_FALLBACK);
    check_tokens(&v, typed, 10);
    assert_false(vocab_is_text(&v, 9));
    ENCODES(&v, "a\na", 6, 3, 5);
    vocab_free(&v);

    make_spm(&b, false);
    v = load(span_bytes(&b), NULL);
    check_tokens(&v, untyped, 10);
    assert_int_equal(v.nstops, 0);
    vocab_free(&v);

    weir_vocab_opts opts = {.llama_cpp_stops = true};
    v = load(span_bytes(&b), &opts);
    assert_true(v.nstops == 1 && v.stops[0] == 2);
    vocab_free(&v);
}

static void reads_other_gguf_models(void **state)
{
    static const char *const texts[] = {"\\n\\x41", MARK "a"};
    static const uint8_t types[] = {1, 1};
    static const struct {
        const char *model;
        Want want[2];
    } cases[] = {{"rwkv", {{"\nA", 0}, {MARK "a", 0}}},
                 {"plamo2", {{"\\n\\x41", 0}, {MARK "a", 0}}},
                 {"t5", {{"\\n\\x41", 0}, {" a", 0}}},
                 {"bert", {{"\\n\\x41", 0}, {" a", 0}}},
                 {"gemma4", {{"\\n\\x41", 0}, {" a", 0}}}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bytes b;
        gguf_head(&b, 3, 3);
        gguf_entry_text(&b, "tokenizer.ggml.model", cases[i].model);
        gguf_texts(&b, "tokenizer.ggml.tokens", texts, 2);
        gguf_types(&b, types, 2);
        Vocab v = load(span_bytes(&b), NULL);
        check_tokens(&v, cases[i].want, 2);
        vocab_free(&v);
    }
}

static void refuses_gguf_that_lies(void **state)
{
    static const char *const one[] = {"a"};
    (void)state;
    Bytes b;
    gguf_head(&b, 1, 0);
    check_failure(span_bytes(&b), "found GGUF version 1, expected 2 or 3", 4);
    gguf_head(&b, 3u << 24, 0);
    check_failure(span_bytes(&b),
                  "found GGUF version 50331648, expected 2 or 3 in "
                  "little-endian order",
                  4);
    gguf_head(&b, 3, UINT64_MAX);
    check_failure(span_bytes(&b),
                  "found an entry count of 18446744073709551615, expected at "
                  "most 0 before the end of input",
                  16);
    gguf_head(&b, 3, 0);
    check_failure(span_bytes(&b), "found no text at tokenizer.ggml.model", 0);

    gguf_head(&b, 3, 1);
    put_number(&b, (uint64_t)1 << 63, 8);
    put_number(&b, 0, 8);
    check_failure(span_bytes(&b),
                  "found a key size of 9223372036854775808, expected at most 8 "
                  "before the end of input",
                  24);

    gguf_head(&b, 3, 1);
    gguf_array(&b, "k", GGUF_STRING, (uint64_t)1 << 61);
    check_failure(span_bytes(&b),
                  "found an item count of 2305843009213693952, expected at "
                  "most 0 before the end of input",
                  41);

    gguf_head(&b, 3, 1);
    gguf_array(&b, "k", GGUF_ARRAY, 1);
    check_failure(span_bytes(&b),
                  "found an array of arrays, expected plain items", 37);
    gguf_head(&b, 3, 1);
    gguf_entry(&b, "k", 13);
    put_number(&b, 0, 8);
    check_failure(span_bytes(&b), "found type 13, expected 0 to 12", 33);

    gguf_head(&b, 3, 1);
    gguf_entry_text(&b, "tokenizer.ggml.model", "magic");
    check_failure(span_bytes(&b),
                  "found tokenizer model 'magic', expected llama, gpt2, "
                  "gemma4, t5, bert, rwkv or plamo2",
                  56);
    gguf_head(&b, 3, 1);
    gguf_entry_text(&b, "tokenizer.ggml.model", "gpt2");
    check_failure(span_bytes(&b), "found no tokenizer.ggml.tokens", 0);

    gguf_head(&b, 3, 3);
    gguf_entry_text(&b, "tokenizer.ggml.model", "gpt2");
    gguf_texts(&b, "tokenizer.ggml.tokens", one, 1);
    gguf_types(&b, bpe_types, 2);
    check_failure(span_bytes(&b),
                  "found another number of token types than of tokens", 171);
    gguf_head(&b, 3, 2);
    gguf_entry_text(&b, "tokenizer.ggml.model", "gpt2");
    gguf_entry_u32(&b, "tokenizer.ggml.tokens", 1);
    check_failure(span_bytes(&b), "found no array of strings", 101);
}

static void gguf_values_have_types(void **state)
{
    (void)state;
    Bytes b;
    Gguf g;
    uint32_t u;
    Span text;
    gguf_head(&b, 3, 5);
    gguf_array(&b, "i8s", GGUF_I8, 2);
    put_number(&b, 0xFE01, 2);
    gguf_entry(&b, "minus", GGUF_I32);
    put_number(&b, 0xFFFFFFFF, 4);
    gguf_entry(&b, "big", GGUF_U64);
    put_number(&b, (uint64_t)1 << 32, 8);
    gguf_entry(&b, "float", GGUF_F32);
    put_float(&b, -1.5f);
    gguf_entry(&b, "yes", GGUF_BOOL);
    put_number(&b, 1, 1);
    assert_true(gguf_parse(&g, &memory, span_bytes(&b), NULL));
    const GgufEntry *i8s = gguf_find(&g, "i8s");
    assert_int_equal(i8s->count, 2);
    assert_int_equal(gguf_int_item(&g, i8s, 1), -2);
    assert_true(gguf_float_item(&g, i8s, 0) == 1.0);
    assert_false(gguf_u32(&g, i8s, &u));
    assert_false(gguf_u32(&g, gguf_find(&g, "minus"), &u));
    assert_false(gguf_u32(&g, gguf_find(&g, "big"), &u));
    assert_false(gguf_u32(&g, gguf_find(&g, "float"), &u));
    assert_false(gguf_string(&g, gguf_find(&g, "float"), &text));
    assert_false(gguf_string(&g, NULL, &text));
    assert_true(gguf_float_item(&g, gguf_find(&g, "float"), 0) == -1.5);
    assert_true(gguf_bool(&g, "yes", false));
    assert_true(gguf_bool(&g, "big", true));
    assert_null(gguf_find(&g, "ye"));
    gguf_free(&g);
}

static void damaged_gguf_does_no_harm(void **state)
{
    (void)state;
    Bytes b;
    make_bpe(&b);
    survive_damage(span_bytes(&b), true, WEIR_VOCAB_DETECT);
    make_spm(&b, true);
    survive_damage(span_bytes(&b), true, WEIR_VOCAB_DETECT);
}

/* ---- SentencePiece ---------------------------------------------------- */

static void pb_varint(Bytes *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(b, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
    put(b, &(uint8_t){(uint8_t)value}, 1);
}

static void pb_number(Bytes *b, uint32_t field, uint64_t value)
{
    pb_varint(b, field << 3);
    pb_varint(b, value);
}

static void pb_bytes(Bytes *b, uint32_t field, const void *data, size_t size)
{
    pb_varint(b, field << 3 | 2);
    pb_varint(b, size);
    put(b, data, size);
}

static void pb_piece(Bytes *b, const char *text, float score, uint32_t type)
{
    static Bytes inner;
    inner.size = 0;
    pb_bytes(&inner, 1, text, strlen(text));
    pb_varint(&inner, 2 << 3 | 5);
    put_float(&inner, score);
    if (type != 1) pb_number(&inner, 3, type); /* 1 is the default */
    pb_bytes(b, 1, inner.at, inner.size);
}

static void make_model(Bytes *b)
{
    static Bytes inner;
    *b = (Bytes){.size = 0};
    pb_piece(b, "<unk>", 0, 2);
    pb_piece(b, "<s>", 0, 3);
    pb_piece(b, "<end>", 0, 3);
    pb_piece(b, "<0x0A>", 0, 6);
    pb_piece(b, MARK, -5, 1);
    pb_piece(b, "a", -3, 1);
    pb_piece(b, MARK "a", -1, 1);
    pb_piece(b, "gone", -9, 5);
    pb_piece(b, MARK "<tool>", 0, 4);
    inner.size = 0;
    pb_number(&inner, 3, 2);  /* BPE */
    pb_number(&inner, 35, 1); /* byte_fallback */
    pb_varint(&inner, 10 << 3 | 1);
    put_number(&inner, 0, 8); /* an unknown fixed64 */
    pb_number(&inner, 40, 0);
    pb_number(&inner, 42, 2);
    pb_bytes(b, 2, inner.at, inner.size);
    inner.size = 0;
    pb_bytes(&inner, 1, "identity", 8);
    pb_number(&inner, 4, 0);
    pb_bytes(b, 3, inner.at, inner.size);
    pb_bytes(b, 4, "", 0);
}

static void reads_sentencepiece(void **state)
{
    static const Want want[] = {{"<unk>", ADDED | CONTROL},
                                {"<s>", ADDED | CONTROL},
                                {"<end>", ADDED | CONTROL | STOP},
                                {"\n", 0},
                                {" ", 0},
                                {"a", 0},
                                {" a", 0},
                                {"", HOLE},
                                {" <tool>", ADDED}};
    (void)state;
    Bytes b;
    make_model(&b);
    Vocab v = load(span_bytes(&b), NULL);
    assert_int_equal(v.kind, WEIR_VOCAB_SENTENCEPIECE);
    check_tokens(&v, want, 9);
    ENCODES(&v, "a\na a", 6, 3, 5, 6); /* a space is put before the text */
    vocab_free(&v);
}

static void refuses_broken_models(void **state)
{
    static const uint8_t long_number[] = {0x0A, 0x0C, 0x18, 0xFF, 0xFF,
                                          0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                          0xFF, 0xFF, 0xFF, 0x01};
    (void)state;
    Bytes b = {.size = 0};
    pb_piece(&b, "x", 0, 7);
    check_failure(span_bytes(&b),
                  "found a piece of unknown type, expected 1 to 6", 4);
    check_failure(SPAN("\x0A\x7F"),
                  "found a field of 127 bytes, expected at most 0", 1);
    check_failure(SPAN("\x0A\x02\x0A\x05"),
                  "found a field of 5 bytes, expected at most 0", 3);
    check_failure(span_of(long_number, sizeof long_number),
                  "found a number of more than 10 bytes", 3);
    check_failure(SPAN("\x0A\x01\x15"),
                  "found the end of the message, expected a fixed number", 3);
    check_failure(SPAN("\x0A\x01\x0B"), "found a field of unknown wire type",
                  2);
    check_failure(SPAN("\x0A\x02\x00\x00"), "found a field number out of range",
                  2);
    weir_vocab_opts opts = {.kind = WEIR_VOCAB_SENTENCEPIECE};
    weir_error err = {0};
    Vocab v;
    assert_false(vocab_load(&v, &memory, SPAN(""), &opts, &err));
    assert_string_equal(err.message, "found no pieces");
}

static void damaged_models_do_no_harm(void **state)
{
    (void)state;
    Bytes b;
    make_model(&b);
    survive_damage(span_bytes(&b), false, WEIR_VOCAB_SENTENCEPIECE);
}

/* ---- tiktoken --------------------------------------------------------- */

static void base64_follows_rfc_4648(void **state)
{
    static const struct {
        const char *text, *bytes;
        size_t bad;
    } cases[] = {{"", "", 0},
                 {"Zg==", "f", 0},
                 {"Zm8=", "fo", 0},
                 {"Zm9v", "foo", 0},
                 {"Zm9vYg==", "foob", 0},
                 {"Zm9vYmE=", "fooba", 0},
                 {"Zm9vYmFy", "foobar", 0},
                 {"+/+/", "\xFB\xFF\xBF", 0},
                 {"Zg=", NULL, 3},
                 {"Zg", NULL, 2},
                 {"Z===", NULL, 1},
                 {"====", NULL, 0},
                 {"Zm9-", NULL, 3},
                 {"Zm=v", NULL, 2},
                 {"Zh==", NULL, 1},
                 {"Zm9=", NULL, 2},
                 {"Zm 9", NULL, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t out[16];
        size_t bad, n = base64_decode(span_text(cases[i].text), out, &bad);
        if (!cases[i].bytes) {
            if (n != BASE64_BAD || bad != cases[i].bad)
                fail_msg("'%s': %zu", cases[i].text, bad);
            continue;
        }
        assert_int_equal(n, strlen(cases[i].bytes));
        assert_memory_equal(out, cases[i].bytes, n);
    }
}

static const char ranks[] = "IQ== 0\r\nYQ== 2\nIGE= 1\n\nw6k= 5\n/w== 6";

static void reads_tiktoken(void **state)
{
    static const Want want[] = {{"!", 0},   {" a", 0},  {"a", 0},
                                {"", HOLE}, {"", HOLE}, {"\xC3\xA9", 0},
                                {"\xFF", 0}};
    (void)state;
    Vocab v = load(SPAN(ranks), NULL);
    assert_int_equal(v.kind, WEIR_VOCAB_TIKTOKEN);
    assert_int_equal(v.coding, WEIR_CODING_RAW);
    check_tokens(&v, want, 7);
    assert_int_equal(v.nstops, 0);
    assert_false(encoder_is_exact(v.encoder)); /* pattern unknown */
    vocab_free(&v);
}

static void refuses_broken_rank_files(void **state)
{
    (void)state;
    check_failure(SPAN("IQ== 0\nYQ=="),
                  "found a line that is not base 64, a space and a rank", 7);
    check_failure(SPAN("IQ== 0\nYQ== 1x"),
                  "found a line that is not base 64, a space and a rank", 7);
    check_failure(SPAN("IQ== 0\nY?== 1"),
                  "found no padded base 64, expected a token's bytes", 8);
    check_failure(SPAN("IQ== 0\nYQ= 1"),
                  "found no padded base 64, expected a token's bytes", 10);
    check_failure(SPAN("IQ== 0\nYQ== 0"), "found a rank that was there before",
                  12);
    check_failure(SPAN("IQ== 999999999"),
                  "found token id 999999999, expected less than 1048590", 5);
    check_failure(SPAN("IQ== 0\n 1 2\n"),
                  "found a line that is not base 64, a space and a rank", 7);
}

static void damaged_rank_files_do_no_harm(void **state)
{
    (void)state;
    survive_damage(SPAN(ranks), false, WEIR_VOCAB_TIKTOKEN);
}

/* A file of as many ranks as o200k_base, with its last token. */
static void knows_published_rank_files(void **state)
{
    enum { RANKS = 199998 };
    (void)state;
    char *text = malloc(RANKS * 20);
    size_t n = 0;
    for (int i = 0; i < RANKS - 1; i++)
        n += (size_t)sprintf(text + n, "%c%c%c%c %d\n", 'A' + i % 26,
                             'a' + i / 26 % 26, '0' + i / 676 % 10,
                             'A' + i / 6760 % 26, i);
    n += (size_t)sprintf(text + n, "IGNvY29z %d\n", RANKS - 1); /* " cocos" */
    Vocab v = load(span_of(text, n), NULL);
    assert_int_equal(v.ntokens, 200019);
    assert_int_equal(vocab_token(&v, 199998).flags, HOLE);
    assert_int_equal(vocab_token(&v, 199999).flags, ADDED | CONTROL | STOP);
    assert_int_equal(vocab_find(&v, SPAN("<|endofprompt|>")), 200018);
    assert_int_equal(v.nstops, 1);
    assert_int_equal(encoder_pretoken(v.encoder), PRETOKEN_O200K);
    vocab_free(&v);
    free(text);
}

/* ---- memory ----------------------------------------------------------- */

static bool load_with(const Mem *mem, Span file, weir_error *err)
{
    Vocab v;
    if (!vocab_load(&v, mem, file, NULL, err)) return false;
    vocab_free(&v);
    return true;
}

static bool load_bpe(const Mem *mem, weir_error *err)
{
    Bytes b;
    make_bpe(&b);
    return load_with(mem, span_bytes(&b), err);
}

static bool load_spm(const Mem *mem, weir_error *err)
{
    Bytes b;
    make_spm(&b, true);
    return load_with(mem, span_bytes(&b), err);
}

static bool load_model(const Mem *mem, weir_error *err)
{
    Bytes b;
    make_model(&b);
    return load_with(mem, span_bytes(&b), err);
}

static bool load_ranks(const Mem *mem, weir_error *err)
{
    return load_with(mem, SPAN(ranks), err);
}

static void survives_each_allocation_failing(void **state)
{
    (void)state;
    faulty_sweep(load_bpe);
    faulty_sweep(load_spm);
    faulty_sweep(load_model);
    faulty_sweep(load_ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_gguf_bpe),
        cmocka_unit_test(reads_gguf_spm),
        cmocka_unit_test(reads_other_gguf_models),
        cmocka_unit_test(refuses_gguf_that_lies),
        cmocka_unit_test(gguf_values_have_types),
        cmocka_unit_test(damaged_gguf_does_no_harm),
        cmocka_unit_test(reads_sentencepiece),
        cmocka_unit_test(refuses_broken_models),
        cmocka_unit_test(damaged_models_do_no_harm),
        cmocka_unit_test(base64_follows_rfc_4648),
        cmocka_unit_test(reads_tiktoken),
        cmocka_unit_test(refuses_broken_rank_files),
        cmocka_unit_test(damaged_rank_files_do_no_harm),
        cmocka_unit_test(knows_published_rank_files),
        cmocka_unit_test(survives_each_allocation_failing)};
    memory = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
