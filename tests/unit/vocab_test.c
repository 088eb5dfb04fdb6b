/* vocab_test.c: tokenizer.json and plain vocabularies, codings, stop sets.
 * Files and expected bytes are written by hand from the formats' rules; those
 * of real files are in vocab_real_test.c, other formats in
 * vocab_files_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/faulty_mem.h"
#include "vocab/vocab.h"
#include "vocab/vocab_coding.h"

#define CONTROL WEIR_TOKEN_CONTROL
#define STOP WEIR_TOKEN_STOP
#define HOLE WEIR_TOKEN_HOLE
#define ADDED WEIR_TOKEN_ADDED
#define MARK "\xE2\x96\x81"

static Mem memory;

static Vocab load(const char *text, const weir_vocab_opts *opts)
{
    Vocab v;
    weir_error err = {0};
    if (!vocab_load(&v, &memory, span_text(text), opts, &err))
        fail_msg("%s at %u", err.message, err.begin);
    return v;
}

typedef struct Want {
    const char *bytes;
    uint32_t flags;
} Want;

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
        bool text = !(want[id].flags & (CONTROL | HOLE)) && t.bytes.size;
        assert_int_equal(vocab_is_text(v, id), text);
        assert_int_equal(vocab_is_stop(v, id), (want[id].flags & STOP) != 0);
    }
}

static void check_stops(const Vocab *v, const uint32_t *ids, uint32_t count)
{
    if (v->nstops != count)
        fail_msg("found %u stop ids, expected %u", v->nstops, count);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(v->stops[i], ids[i]);
}
#define STOPS(v, ...)                               \
    check_stops(v, (const uint32_t[]){__VA_ARGS__}, \
                sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

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

/* ---- codings ---------------------------------------------------------- */

/* GPT-2's table as its paper's code makes it: printable bytes first. */
static uint32_t rune_of_byte(unsigned byte)
{
    uint32_t next = 256;
    for (unsigned b = 0; b < 256; b++) {
        bool printable =
            (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        uint32_t rune = printable ? b : next++;
        if (b == byte) return rune;
    }
    return 0;
}

static void byte_level_is_gpt2s_table(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 256; b++) {
        uint32_t rune = rune_of_byte(b);
        uint8_t text[2] = {(uint8_t)rune, 0}, out[2];
        size_t size = 1;
        if (rune >= 0x80) {
            text[0] = (uint8_t)(0xC0 | rune >> 6);
            text[1] = (uint8_t)(0x80 | (rune & 0x3F));
            size = 2;
        }
        assert_int_equal(coding_byte_level(span_of(text, size), out), 1);
        assert_int_equal(out[0], b);
    }
}

typedef struct Coded {
    weir_vocab_coding coding;
    const char *text, *bytes;
    size_t size;
} Coded;

static void codings_turn_text_into_bytes(void **state)
{
    enum { ESCAPED = 99 };
    static const Coded cases[] = {
        {WEIR_CODING_BYTE_LEVEL, "\xC4\xA0the", " the", 4},
        {WEIR_CODING_BYTE_LEVEL, "\xC4\x8A\xC4\x8A", "\n\n", 2},
        {WEIR_CODING_BYTE_LEVEL, "\xC3\xA9", "\xE9", 1}, /* U+00E9 */
        {WEIR_CODING_BYTE_LEVEL, "\xC4\x80", "\0", 1},   /* U+0100 */
        {WEIR_CODING_BYTE_LEVEL, "\xC5\x83", "\xAD", 1}, /* U+0143 */
        /* one character outside: the text stands for itself */
        {WEIR_CODING_BYTE_LEVEL, "\xC4\xA0\xC5\x84", "\xC4\xA0\xC5\x84", 4},
        {WEIR_CODING_BYTE_LEVEL, "\xC4\xA0 ", "\xC4\xA0 ", 3},
        {WEIR_CODING_BYTE_LEVEL, "a\xC2\xAD", "a\xC2\xAD", 3},
        {WEIR_CODING_BYTE_LEVEL, "<" MARK ">", "<" MARK ">", 5},
        {WEIR_CODING_BYTE_FALLBACK, "<0x0A>", "\n", 1},
        {WEIR_CODING_BYTE_FALLBACK, "<0xff>", "\xFF", 1},
        {WEIR_CODING_BYTE_FALLBACK, "<0xfF>", "\xFF", 1},
        {WEIR_CODING_BYTE_FALLBACK, "<0x00>", "\0", 1},
        {WEIR_CODING_BYTE_FALLBACK, "<0x0G>", "<0x0G>", 6},
        {WEIR_CODING_BYTE_FALLBACK, "<0x0A>>", "<0x0A>>", 7},
        {WEIR_CODING_BYTE_FALLBACK, "<0X0A>", "<0X0A>", 6},
        {WEIR_CODING_BYTE_FALLBACK, MARK "a" MARK MARK, " a  ", 4},
        {WEIR_CODING_BYTE_FALLBACK, "\xE2\x96\x82", "\xE2\x96\x82", 3},
        {WEIR_CODING_BYTE_FALLBACK, "\xE2\x96", "\xE2\x96", 2},
        {(weir_vocab_coding)ESCAPED, "a\\n\\t\\r\\x41\\\\", "a\n\t\rA\\", 6},
        {(weir_vocab_coding)ESCAPED, "\\xZ\\'\\", "xZ'\\", 4}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const Coded *c = &cases[i];
        Span text = span_text(c->text);
        uint8_t out[16];
        size_t n = c->coding == WEIR_CODING_BYTE_LEVEL
                       ? coding_byte_level(text, out)
                   : c->coding == WEIR_CODING_BYTE_FALLBACK
                       ? coding_byte_fallback(text, CODING_SPACE_MARK, out)
                       : coding_escaped(text, out);
        if (n != c->size || memcmp(out, c->bytes, n))
            fail_msg("case %zu '%s': %zu bytes", i, c->text, n);
    }
}

static void evidence_tells_the_coding(void **state)
{
    (void)state;
    CodingEvidence names = {0}, spelled = {0};
    for (unsigned b = 0; b < 128; b++) {
        char text[8];
        assert_int_equal(coding_from_evidence(&names), WEIR_CODING_RAW);
        snprintf(text, sizeof text, "<0x%02X>", b);
        coding_count(&names, span_text(text));
    }
    assert_int_equal(coding_from_evidence(&names), WEIR_CODING_BYTE_FALLBACK);
    for (unsigned b = 0; b < 128; b++) {
        assert_int_equal(coding_from_evidence(&spelled), WEIR_CODING_RAW);
        uint8_t text[2] = {(uint8_t)(0xC4 | b >> 6), (uint8_t)(0x80 | b % 64)};
        if (b > 0x43 - 1) text[0] = (uint8_t)('!' + b - 0x43);
        coding_count(&spelled, span_of(text, b > 0x43 - 1 ? 1 : 2));
    }
    assert_int_equal(coding_from_evidence(&spelled), WEIR_CODING_BYTE_LEVEL);
    coding_count(&spelled, SPAN("\xE4\xBD\xA0")); /* one of 129: too many */
    coding_count(&spelled, SPAN("\xE5\xA5\xBD"));
    assert_int_equal(coding_from_evidence(&spelled), WEIR_CODING_RAW);
}

/* ---- tokenizer.json --------------------------------------------------- */

static const char byte_level[] =
    "{\"added_tokens\": [\n"
    " {\"id\": 8, \"content\": \"<|endoftext|>\", \"special\": true},\n"
    " {\"id\": 9, \"content\": \"<th\xC4\xA0nk>\", \"special\": false},\n"
    " {\"id\": 12, \"content\": \"<|pad|>\", \"special\": true},\n"
    " {\"id\": 3, \"content\": \"b\", \"special\": false}],\n"
    "\"normalizer\": null, \"pre_tokenizer\": {\"type\": \"ByteLevel\",\n"
    "  \"add_prefix_space\": false, \"use_regex\": true},\n"
    "\"decoder\": {\"type\": \"ByteLevel\"},\n"
    "\"model\": {\"type\": \"BPE\", \"vocab\": {\"\xC4\xA0\": 0, \"a\": 2,\n"
    "  \"b\": 3, \"\xC4\xA0"
    "a\": 1, \"\\\"\": 4, \"\xC3\xA9\": 5,\n"
    "  \"\xC4\xA0"
    "ab\": 6, \"\xC4\x8A\": 7},\n"
    " \"merges\": [\"\xC4\xA0 a\", \"\xC4\xA0"
    "a b\", \"a zz\",\n"
    "  \"q \xC4\xA0\"]}}";

static void reads_byte_level_with_added_tokens_and_holes(void **state)
{
    static const Want want[] = {{" ", 0},
                                {" a", 0},
                                {"a", 0},
                                {"b", ADDED},
                                {"\"", 0},
                                {"\xE9", 0},
                                {" ab", 0},
                                {"\n", 0},
                                {"<|endoftext|>", ADDED | CONTROL | STOP},
                                {"<th\xC4\xA0nk>", ADDED},
                                {"", HOLE},
                                {"", HOLE},
                                {"<|pad|>", ADDED | CONTROL}};
    (void)state;
    Vocab v = load(byte_level, NULL);
    assert_int_equal(v.kind, WEIR_VOCAB_HF_JSON);
    assert_int_equal(v.coding, WEIR_CODING_BYTE_LEVEL);
    assert_int_equal(v.width, 13);
    assert_int_equal(v.nspecials, 2);
    check_tokens(&v, want, COUNT_OF(want));
    STOPS(&v, 8);
    assert_int_equal(encoder_pretoken(v.encoder), PRETOKEN_GPT2);
    assert_true(encoder_is_exact(v.encoder));
    ENCODES(&v, " a\n", 1, 7);
    ENCODES(&v, "a a", 2, 1);
    ENCODES(&v, "<th\xC4\xA0nk>", 9);
    vocab_free(&v);
}

static void width_pads_and_cuts(void **state)
{
    (void)state;
    weir_vocab_opts opts = {.width = 100};
    Vocab wide = load(byte_level, &opts);
    assert_int_equal(wide.width, 100);
    assert_int_equal(wide.ntokens, 13);
    assert_false(vocab_is_text(&wide, 50));
    assert_int_equal(vocab_token(&wide, 50).flags, HOLE);
    assert_int_equal(vocab_token(&wide, 50).bytes.size, 0);
    opts.width = 8;
    Vocab narrow = load(byte_level, &opts);
    assert_int_equal(narrow.width, 8);
    assert_int_equal(narrow.ntokens, 8);
    assert_int_equal(narrow.nstops, 0); /* its id is gone */
    ENCODES(&narrow, " a", 1);
    assert_true(wide.hash != narrow.hash);
    vocab_free(&wide);
    vocab_free(&narrow);
}

static const char byte_fallback[] =
    "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true},"
    "{\"id\":1,\"content\":\"</s>\",\"special\":true},"
    "{\"id\":7,\"content\":\"" MARK MARK "\",\"special\":false},"
    "{\"id\":8,\"content\":\"x" MARK "\",\"special\":true}],"
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":["
    "{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"},{\"type\":\"Replace\","
    "\"pattern\":{\"String\":\" \"},\"content\":\"" MARK "\"}]},"
    "\"pre_tokenizer\":null,"
    "\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\","
    "\"pattern\":{\"String\":\"" MARK "\"},\"content\":\" \"},"
    "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},{\"type\":\"Strip\","
    "\"content\":\" \",\"start\":1,\"stop\":0}]},"
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,"
    "\"byte_fallback\":true,\"vocab\":{\"<unk>\":0,\"</s>\":1,\"<0x0A>\":2,"
    "\"<0x7b>\":3,\"" MARK "\":4,\"a\":5,\"" MARK "a\":6,\"" MARK MARK
    "\":7},\"merges\":[[\"" MARK "\",\"" MARK "\"],[\"" MARK "\",\"a\"]]}}";

static void reads_byte_fallback(void **state)
{
    static const Want want[] = {{"<unk>", ADDED | CONTROL},
                                {"</s>", ADDED | CONTROL | STOP},
                                {"\n", 0},
                                {"{", 0},
                                {" ", 0},
                                {"a", 0},
                                {" a", 0},
                                {"  ", ADDED},
                                {"x" MARK, ADDED | CONTROL}};
    (void)state;
    Vocab v = load(byte_fallback, NULL);
    assert_int_equal(v.coding, WEIR_CODING_BYTE_FALLBACK);
    check_tokens(&v, want, COUNT_OF(want));
    assert_int_equal(encoder_pretoken(v.encoder), PRETOKEN_NONE);
    assert_true(encoder_is_exact(v.encoder));
    ENCODES(&v, "a\n a{", 6, 2, 6, 3);
    ENCODES(&v, " a", 7, 5); /* prepended: two marks, which merge first */
    vocab_free(&v);
}

/* The list of the case string-vocab-byte-hex, as plain pieces too. */
static void byte_pieces_are_bytes_whatever_else_spells_them(void **state)
{
    static const weir_token pieces[] = {{{"<0x0A>", 6}, 0}, {{"<0x7B>", 6}, 0},
                                        {{MARK "a", 4}, 0}, {{"{", 1}, 0},
                                        {{"}", 1}, 0},      {{MARK, 3}, 0}};
    static const Want want[] = {{"\n", 0}, {"{", 0}, {" a", 0},
                                {"{", 0},  {"}", 0}, {" ", 0}};
    (void)state;
    weir_vocab_opts opts = {.coding = WEIR_CODING_BYTE_FALLBACK};
    Vocab v;
    assert_true(vocab_from_tokens(&v, &memory, pieces, 6, &opts, NULL));
    check_tokens(&v, want, 6);
    assert_int_equal(vocab_find(&v, SPAN("{")), 1);
    vocab_free(&v);
}

static void reads_unigram_with_metaspace(void **state)
{
    static const char text[] =
        "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" MARK
        "\",\"prepend_scheme\":\"always\",\"split\":true},"
        "\"decoder\":{\"type\":\"Metaspace\",\"replacement\":\"" MARK "\"},"
        "\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\","
        "0],[\"" MARK "\",-3.5],[\"a\",-2],[\"" MARK "a\",-2.5],"
        "[\"aa\",-7]]},"
        "\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true},"
        "{\"id\":5,\"content\":\"<eos>\",\"special\":true}]}";
    static const Want want[] = {{"<unk>", ADDED | CONTROL},
                                {" ", 0},
                                {"a", 0},
                                {" a", 0},
                                {"aa", 0},
                                {"<eos>", ADDED | CONTROL | STOP}};
    (void)state;
    Vocab v = load(text, NULL);
    check_tokens(&v, want, COUNT_OF(want));
    assert_int_equal(encoder_pretoken(v.encoder), PRETOKEN_METASPACE);
    ENCODES(&v, "aaa", 3, 2, 2); /* -6.5; " " "aa" "a" would be -12.5 */
    vocab_free(&v);
}

static void reads_other_models_raw(void **state)
{
    static const char text[] =
        "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"[UNK]\":0,\"a\":1,"
        "\"##b\":2,\"\xC4\xA0\":3}},\"decoder\":{\"type\":\"WordPiece\"}}";
    static const Want want[] = {
        {"[UNK]", 0}, {"a", 0}, {"##b", 0}, {"\xC4\xA0", 0}};
    (void)state;
    Vocab v = load(text, NULL);
    assert_int_equal(v.coding, WEIR_CODING_RAW);
    assert_false(encoder_is_exact(v.encoder));
    check_tokens(&v, want, COUNT_OF(want));
    vocab_free(&v);

    weir_vocab_opts opts = {.coding = WEIR_CODING_BYTE_LEVEL};
    v = load(text, &opts); /* the caller knows better */
    assert_int_equal(vocab_token(&v, 3).bytes.data[0], ' ');
    vocab_free(&v);
}

/* Each text is one string with %s for the vocabulary's steps. */
static PretokenKind kind_of(const char *steps, bool *is_exact)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{%s,\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":"
             "\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]}}",
             steps);
    Vocab v = load(text, NULL);
    PretokenKind kind = encoder_pretoken(v.encoder);
    *is_exact = encoder_is_exact(v.encoder);
    vocab_free(&v);
    return kind;
}

static void recognises_pre_tokenizers(void **state)
{
#define BYTES                                             \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false," \
    "\"use_regex\":false}"
#define QWEN                                                       \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?"  \
    "\\\\p{L}+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|" \
    "\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
    static const struct {
        const char *steps;
        PretokenKind kind;
    } cases[] = {
        {"\"pre_tokenizer\":" BYTES, PRETOKEN_NONE},
        {"\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":"
         "false}",
         PRETOKEN_GPT2},
        {"\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":["
         "{\"type\":\"Digits\",\"individual_digits\":true},{\"type\":"
         "\"ByteLevel\",\"add_prefix_space\":false}]}",
         PRETOKEN_SMOLLM},
        {"\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":"
         "\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":"
         "{\"Regex\":\"" QWEN "\"},\"behavior\":\"Isolated\",\"invert\":"
         "false}," BYTES "]}",
         PRETOKEN_QWEN2},
        {"\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":["
         "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" QWEN "\"},"
         "\"behavior\":\"Removed\",\"invert\":true}," BYTES "]}",
         PRETOKEN_QWEN2},
        {"\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" QWEN
         "\"},\"behavior\":\"MergedWithNext\",\"invert\":false}",
         PRETOKEN_UNKNOWN},
        {"\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":"
         "\"x+\"},\"behavior\":\"Isolated\"}",
         PRETOKEN_UNKNOWN},
        {"\"pre_tokenizer\":{\"type\":\"Whitespace\"}", PRETOKEN_UNKNOWN},
        {"\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":"
         "\" \"},\"behavior\":\"MergedWithPrevious\"}",
         PRETOKEN_UNKNOWN},
        {"\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":" BYTES,
         PRETOKEN_NONE}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool is_exact;
        PretokenKind kind = kind_of(cases[i].steps, &is_exact);
        if (kind != cases[i].kind) fail_msg("case %zu: %d", i, (int)kind);
        bool known = kind != PRETOKEN_UNKNOWN && i + 1 < COUNT_OF(cases);
        assert_int_equal(is_exact, known);
    }
}

/* ---- stop sets -------------------------------------------------------- */

static const char many_ends[] =
    "{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\","
    "\"vocab\":{\"a\":0,\"</s>\":1,\"END\":2},\"merges\":[]},"
    "\"added_tokens\":["
    "{\"id\":3,\"content\":\"<|im_end|>\",\"special\":true},"
    "{\"id\":4,\"content\":\"<|fim_pad|>\",\"special\":false},"
    "{\"id\":5,\"content\":\"<|file_sep|>\",\"special\":false},"
    "{\"id\":6,\"content\":\"<|eot_id|>\",\"special\":false},"
    "{\"id\":7,\"content\":\"<|im_start|>\",\"special\":true},"
    "{\"id\":8,\"content\":\"<|repo_name|>\",\"special\":false}]}";

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static void stops_are_the_union_of_all_sources(void **state)
{
    static const uint32_t own[] = {7, 0, 7};
    (void)state;
    Vocab v = load(many_ends, NULL);
    STOPS(&v, 3); /* the special token with a known end text */
    vocab_free(&v);

    weir_vocab_opts opts = {.tokenizer_config =
                                bytes_of("{\"eos_token\":\"END\"}")};
    v = load(many_ends, &opts);
    STOPS(&v, 2, 3);
    assert_int_equal(vocab_token(&v, 2).flags, STOP | CONTROL);
    vocab_free(&v);

    opts.tokenizer_config =
        bytes_of("{\"eos_token\":{\"content\":\"<|im_start|>\"}}");
    opts.generation_config = bytes_of("{\"eos_token_id\":[6,3,99,\"x\"]}");
    v = load(many_ends, &opts);
    STOPS(&v, 3, 6, 7);
    vocab_free(&v);

    opts.generation_config = bytes_of("{\"eos_token_id\":1}");
    opts.stop_ids = own;
    opts.stop_count = 3;
    v = load(many_ends, &opts);
    STOPS(&v, 0, 1, 3, 7);
    vocab_free(&v);

    opts.stop_replace = true;
    v = load(many_ends, &opts);
    STOPS(&v, 0, 7);
    assert_int_equal(vocab_token(&v, 3).flags, CONTROL | ADDED);
    assert_int_equal(vocab_token(&v, 0).flags, CONTROL | STOP);
    vocab_free(&v);

    opts.stop_count = 0;
    v = load(many_ends, &opts);
    assert_int_equal(v.nstops, 0);
    vocab_free(&v);
}

static void llama_cpp_has_its_own_list(void **state)
{
    (void)state;
    weir_vocab_opts opts = {.llama_cpp_stops = true};
    Vocab v = load(many_ends, &opts);
    STOPS(&v, 1, 3, 4, 5, 6, 8);
    vocab_free(&v);
}

static Vocab load_names(const char *const *names, uint32_t count,
                        const weir_vocab_opts *opts)
{
    char text[1024] = "{\"model\":{\"vocab\":{\"a\":0}},\"added_tokens\":[";
    for (uint32_t i = 0; i < count; i++) {
        char item[128];
        snprintf(item, sizeof item,
                 "%s{\"id\":%u,\"content\":\"%s\",\"special\":true}",
                 i ? "," : "", i + 1, names[i]);
        strcat(text, item);
    }
    strcat(text, "]}");
    return load(text, opts);
}

static void end_of_message_is_no_end_in_harmony(void **state)
{
    static const char *const names[] = {"<|end|>", "<|return|>", "<|call|>"};
    static const uint32_t own[] = {1};
    (void)state;
    weir_vocab_opts opts = {0};
    Vocab v = load_names(names, 3, NULL);
    STOPS(&v, 2, 3);
    vocab_free(&v);
    v = load_names(names, 2, NULL); /* no <|call|>: Phi-3's meaning */
    STOPS(&v, 1, 2);
    vocab_free(&v);
    opts.llama_cpp_stops = true;
    v = load_names(names, 3, &opts);
    STOPS(&v, 2, 3);
    vocab_free(&v);
    opts.stop_ids = own;
    opts.stop_count = 1;
    v = load_names(names, 3, &opts); /* the caller's word counts */
    STOPS(&v, 1, 2, 3);
    vocab_free(&v);
}

static void a_stop_id_may_be_padding(void **state)
{
    static const uint32_t own[] = {15};
    (void)state;
    weir_vocab_opts opts = {.width = 16, .stop_ids = own, .stop_count = 1};
    Vocab v = load(many_ends, &opts);
    STOPS(&v, 3, 15);
    assert_int_equal(v.ntokens, 16);
    assert_int_equal(vocab_token(&v, 15).flags, HOLE | STOP | CONTROL);
    assert_int_equal(vocab_token(&v, 12).flags, HOLE);
    vocab_free(&v);

    weir_error err = {0};
    opts.width = 15;
    assert_false(vocab_load(&v, &memory, SPAN(many_ends), &opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_string_equal(err.message,
                        "found stop id 15, expected less than the width of 15");
}

static void configs_add_tokens(void **state)
{
    (void)state;
    weir_vocab_opts opts = {
        .tokenizer_config = bytes_of(
            "{\"added_tokens_decoder\":{\"2\":{\"content\":\"END\",\"special\":"
            "true},\"0\":{\"content\":\"zzz\",\"special\":true},\"10\":{"
            "\"content\":\"<|tool|>\",\"special\":false},\"11\":{\"content\":"
            "\"<eos>\",\"special\":true},\"x\":{\"content\":\"y\"},"
            "\"99999999\":{\"content\":\"y\"}}}")};
    Vocab v = load(many_ends, &opts);
    assert_int_equal(v.ntokens, 12);
    assert_int_equal(vocab_token(&v, 2).flags, CONTROL);
    assert_int_equal(vocab_token(&v, 0).flags, 0);
    assert_int_equal(vocab_token(&v, 9).flags, HOLE);
    assert_int_equal(vocab_token(&v, 10).flags, ADDED);
    STOPS(&v, 3, 11);
    ENCODES(&v, "a<|tool|>", 0, 10);
    vocab_free(&v);
}

/* ---- plain vocabularies, reading -------------------------------------- */

static const weir_token plain[] = {
    {{"a", 1}, 0}, {{"ab", 2}, 0},     {{"<s>", 3}, CONTROL},
    {{"", 0}, 0},  {{"x", 1}, HOLE},   {{"</s>", 4}, STOP},
    {{"a", 1}, 0}, {{"\0\xFF", 2}, 0}, {{"<t>", 3}, ADDED}};

static void takes_the_callers_tokens(void **state)
{
    (void)state;
    Vocab v;
    weir_error err = {0};
    assert_true(vocab_from_tokens(&v, &memory, plain, 9, NULL, &err));
    assert_int_equal(v.kind, WEIR_VOCAB_PLAIN);
    assert_int_equal(v.coding, WEIR_CODING_RAW);
    assert_int_equal(v.width, 9);
    assert_int_equal(vocab_token(&v, 2).flags, CONTROL);
    assert_int_equal(vocab_token(&v, 3).flags, 0);
    assert_false(vocab_is_text(&v, 3));
    assert_int_equal(vocab_token(&v, 4).flags, HOLE);
    assert_int_equal(vocab_token(&v, 4).bytes.size, 0);
    assert_int_equal(vocab_token(&v, 5).flags, STOP | CONTROL);
    assert_memory_equal(vocab_token(&v, 7).bytes.data, "\0\xFF", 2);
    STOPS(&v, 5);
    assert_int_equal(vocab_find(&v, SPAN("a")), 0);
    assert_int_equal(vocab_find(&v, SPAN("<s>")), 2);
    assert_int_equal(vocab_find(&v, SPAN("\0\xFF")), 7);
    assert_int_equal(vocab_find(&v, SPAN("x")), VOCAB_NO_ID);
    assert_int_equal(vocab_find(&v, SPAN("b")), VOCAB_NO_ID);
    assert_int_equal(encoder_is_exact(v.encoder), false);
    ENCODES(&v, "aab<t>", 0, 1, 8);
    vocab_free(&v);
}

static void empty_vocabularies_are_allowed(void **state)
{
    (void)state;
    Vocab v;
    weir_vocab_opts opts = {.width = 7};
    assert_true(vocab_from_tokens(&v, &memory, NULL, 0, NULL, NULL));
    assert_int_equal(v.width, 0);
    vocab_free(&v);
    assert_true(vocab_from_tokens(&v, &memory, NULL, 0, &opts, NULL));
    assert_int_equal(v.width, 7);
    assert_int_equal(vocab_token(&v, 3).flags, HOLE);
    vocab_free(&v);
}

static void decodes_ids(void **state)
{
    static const uint32_t ids[] = {2, 0, 1, 99, 8, 7, 4, 5};
    (void)state;
    Vocab v;
    uint8_t out[32];
    assert_true(vocab_from_tokens(&v, &memory, plain, 9, NULL, NULL));
    assert_int_equal(vocab_decode(&v, ids, 8, false, out, 32), 8);
    assert_memory_equal(out, "aab<t>\0\xFF", 8);
    assert_int_equal(vocab_decode(&v, ids, 8, true, out, 32), 15);
    assert_memory_equal(out, "<s>aab<t>\0\xFF</s>", 15);
    memset(out, 7, sizeof out);
    assert_int_equal(vocab_decode(&v, ids, 8, true, out, 5), 15);
    assert_memory_equal(out, "<s>aa\7\7", 7);
    assert_int_equal(vocab_decode(&v, ids, 8, true, NULL, 0), 15);
    vocab_free(&v);
}

static uint64_t hash_with(uint32_t changed, weir_token token, uint32_t width)
{
    weir_token tokens[9];
    weir_vocab_opts opts = {.width = width};
    Vocab v;
    memcpy(tokens, plain, sizeof tokens);
    tokens[changed] = token;
    assert_true(vocab_from_tokens(&v, &memory, tokens, 9, &opts, NULL));
    uint64_t hash = v.hash;
    vocab_free(&v);
    return hash;
}

static void the_hash_covers_bytes_flags_and_width(void **state)
{
    (void)state;
    uint64_t same = hash_with(0, plain[0], 9);
    assert_true(same == hash_with(1, plain[1], 9));
    assert_true(same != hash_with(0, plain[0], 10));
    assert_true(same != hash_with(0, (weir_token){{"b", 1}, 0}, 9));
    assert_true(same != hash_with(0, (weir_token){{"a", 1}, CONTROL}, 9));
    /* the same bytes in all, cut elsewhere */
    weir_token tokens[] = {{{"ab", 2}, 0}, {{"c", 1}, 0}};
    weir_token others[] = {{{"a", 1}, 0}, {{"bc", 2}, 0}};
    Vocab v, w;
    assert_true(vocab_from_tokens(&v, &memory, tokens, 2, NULL, NULL));
    assert_true(vocab_from_tokens(&w, &memory, others, 2, NULL, NULL));
    assert_true(v.hash != w.hash);
    vocab_free(&v);
    vocab_free(&w);
}

/* ---- errors ----------------------------------------------------------- */

typedef struct Bad {
    const char *text;
    uint32_t begin;
    const char *message;
} Bad;

static void refuses_what_is_no_tokenizer(void **state)
{
    static const Bad bad[] = {
        {"", 0,
         "found end of input, expected a tokenizer.json, GGUF, "
         "SentencePiece or tiktoken file"},
        {"hello", 0,
         "found 'h', expected a tokenizer.json, GGUF, "
         "SentencePiece or tiktoken file"},
        {"{}", 0, "found nothing, expected an object at \"model\""},
        {"{\"model\":[]}", 9,
         "found an array, expected an object at "
         "\"model\""},
        {"{\"model\":{}}", 9,
         "found nothing, expected the tokens at "
         "\"vocab\""},
        {"{\"model\":{\"vocab\":3}}", 18,
         "found a number, expected the tokens at \"vocab\""},
        {"{\"model\":{\"vocab\":{}}}", 18,
         "found nothing, expected at least one token"},
        {"{\"model\":{\"vocab\":{\"a\":\"b\"}}}", 23,
         "found a string, expected a token id"},
        {"{\"model\":{\"vocab\":{\"a\":-1}}}", 23,
         "found a number, expected a token id"},
        {"{\"model\":{\"vocab\":{\"a\":1.5}}}", 23,
         "found a number, expected a token id"},
        /* 1 Mi and as many as the file has bytes */
        {"{\"model\":{\"vocab\":{\"a\":1048609}}}", 23,
         "found token id 1048609, expected less than 1048609"},
        {"{\"model\":{\"vocab\":{\"a\":18446744073709551615}}}", 23,
         "found token id 18446744073709551615, expected less than 1048622"},
        {"{\"model\":{\"vocab\":[[\"a\",1],[\"b\"]]}}", 27,
         "found an array, expected a text and a score"},
        {"{\"model\":{\"vocab\":[7]}}", 19,
         "found a number, expected a text and a score"},
        {"{\"model\":{\"vocab\":[[1,\"a\"]]}}", 19,
         "found an array, expected a text and a score"},
        {"{\"model\":{\"vocab\":{\"a\":0}},\"added_tokens\":{}}", 42,
         "found an object, expected an array of added tokens"},
        {"{\"model\":{\"vocab\":{\"a\":0}},\"added_tokens\":[{\"id\":1}]}", 43,
         "found nothing, expected a text at \"content\""},
        {"{\"model\":{\"vocab\":{\"a\":0}},\"added_tokens\":[{\"content\":"
         "\"x\"}]}",
         43, "found nothing, expected a token id"},
        {"{\"model\":{\"vocab\":{\"a\":0},\"merges\":[\"ab\"]}}", 36,
         "found a string, expected two texts with a space between"},
        {"{\"model\":{\"vocab\":{\"a\":0},\"merges\":[[\"ab\"]]}}", 36,
         "found an array, expected a pair of texts"},
        {"{\"model\":{\"vocab\":{\"a\":0},\"merges\":[{}]}}", 36,
         "found an object, expected a pair of texts"},
        {"{\"model\":", 9, "found end of input, expected a value"},
        {" \n{\"model\":{\"vocab\":{\"\x80\":0}}}", 22,
         "found byte 0x80, expected well-formed UTF-8"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Vocab v;
        weir_error err = {0};
        assert_false(
            vocab_load(&v, &memory, span_text(bad[i].text), NULL, &err));
        assert_int_equal(err.status, WEIR_FORMAT);
        if (strcmp(err.message, bad[i].message) || err.begin != bad[i].begin)
            fail_msg("%s: %u: %s", bad[i].text, err.begin, err.message);
        assert_null(v.bytes);
        vocab_free(&v); /* harmless */
        assert_false(
            vocab_load(&v, &memory, span_text(bad[i].text), NULL, NULL));
    }
}

static void names_the_config_that_is_wrong(void **state)
{
    (void)state;
    Vocab v;
    weir_error err = {0};
    weir_vocab_opts opts = {.generation_config = bytes_of("{]")};
    assert_false(vocab_load(&v, &memory, SPAN(many_ends), &opts, &err));
    assert_int_equal(err.status, WEIR_FORMAT);
    assert_string_equal(err.pointer, "generation_config.json");
    assert_int_equal(err.begin, 1);
    err = (weir_error){0};
    opts = (weir_vocab_opts){.kind = WEIR_VOCAB_PLAIN};
    assert_false(vocab_load(&v, &memory, SPAN(many_ends), &opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    err = (weir_error){0};
    opts = (weir_vocab_opts){.width = VOCAB_MAX_IDS + 1};
    assert_false(vocab_load(&v, &memory, SPAN(many_ends), &opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
}

/* A token of 1 MiB and one byte; one of 1 MiB. */
static void limits_the_size_of_a_token(void **state)
{
    (void)state;
    size_t size = ((size_t)1 << 20) + 1;
    char *text = malloc(size + 64);
    for (int extra = 1; extra >= 0; extra--) {
        size_t n = (size_t)sprintf(text, "{\"model\":{\"vocab\":{\"");
        memset(text + n, 'a', size);
        n += size - 1 + (size_t)extra;
        n += (size_t)sprintf(text + n, "\":0}}}");
        Vocab v;
        weir_error err = {0};
        bool ok = vocab_load(&v, &memory, span_of(text, n), NULL, &err);
        assert_int_equal(ok, !extra);
        if (!ok)
            assert_string_equal(err.message,
                                "found a token of more than 1 MiB");
        vocab_free(&v);
    }
    free(text);
}

/* A prefix or a changed byte: a vocabulary or a report, never more memory
 * than a bound, never a read beyond (copies are exact, for the sanitizer). */
static void survives_any_damage(void **state)
{
    static const char *const texts[] = {byte_level, byte_fallback, many_ends};
    (void)state;
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        size_t size = strlen(texts[t]);
        for (size_t i = 0; i < size * 3; i++) {
            size_t n = i < size ? i : size;
            char *copy = malloc(MAX(n, 1));
            memcpy(copy, texts[t], n);
            if (i >= size)
                copy[i % size] = (char)("0\"\\{}[],:9\x80"[i * 7 % 11]);
            Faulty faulty = {.left = SIZE_MAX};
            Mem mem = faulty_mem(&faulty);
            weir_error err = {0};
            Vocab v;
            if (vocab_load(&v, &mem, span_of(copy, n), NULL, &err))
                vocab_free(&v);
            else
                assert_true(err.status && err.begin <= err.end && err.end <= n);
            assert_int_equal(faulty.held, 0);
            assert_true(faulty.peak < (size_t)128 << 20);
            free(copy);
        }
    }
}

static bool load_all_of(const Mem *mem, Span text, weir_error *err)
{
    weir_vocab_opts opts = {
        .width = 64,
        .stop_ids = (const uint32_t[]){60},
        .stop_count = 1,
        .tokenizer_config =
            bytes_of("{\"eos_token\":\"a\",\"added_tokens_decoder\":{\"20\":{"
                     "\"content\":\"\\nx\",\"special\":true}}}"),
        .generation_config = bytes_of("{\"eos_token_id\":[1,2]}")};
    Vocab v;
    if (!vocab_load(&v, mem, text, &opts, err)) return false;
    vocab_free(&v);
    return true;
}

static bool load_byte_level(const Mem *mem, weir_error *err)
{
    return load_all_of(mem, SPAN(byte_level), err);
}

static bool load_byte_fallback(const Mem *mem, weir_error *err)
{
    return load_all_of(mem, SPAN(byte_fallback), err);
}

static bool load_plain(const Mem *mem, weir_error *err)
{
    Vocab v;
    if (!vocab_from_tokens(&v, mem, plain, 9, NULL, err)) return false;
    vocab_free(&v);
    return true;
}

static void survives_each_allocation_failing(void **state)
{
    (void)state;
    faulty_sweep(load_byte_level);
    faulty_sweep(load_byte_fallback);
    faulty_sweep(load_plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_level_is_gpt2s_table),
        cmocka_unit_test(codings_turn_text_into_bytes),
        cmocka_unit_test(evidence_tells_the_coding),
        cmocka_unit_test(reads_byte_level_with_added_tokens_and_holes),
        cmocka_unit_test(width_pads_and_cuts),
        cmocka_unit_test(reads_byte_fallback),
        cmocka_unit_test(byte_pieces_are_bytes_whatever_else_spells_them),
        cmocka_unit_test(reads_unigram_with_metaspace),
        cmocka_unit_test(reads_other_models_raw),
        cmocka_unit_test(recognises_pre_tokenizers),
        cmocka_unit_test(stops_are_the_union_of_all_sources),
        cmocka_unit_test(llama_cpp_has_its_own_list),
        cmocka_unit_test(end_of_message_is_no_end_in_harmony),
        cmocka_unit_test(a_stop_id_may_be_padding),
        cmocka_unit_test(configs_add_tokens),
        cmocka_unit_test(takes_the_callers_tokens),
        cmocka_unit_test(empty_vocabularies_are_allowed),
        cmocka_unit_test(decodes_ids),
        cmocka_unit_test(the_hash_covers_bytes_flags_and_width),
        cmocka_unit_test(refuses_what_is_no_tokenizer),
        cmocka_unit_test(names_the_config_that_is_wrong),
        cmocka_unit_test(limits_the_size_of_a_token),
        cmocka_unit_test(survives_any_damage),
        cmocka_unit_test(survives_each_allocation_failing)};
    memory = mem_from_env(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
