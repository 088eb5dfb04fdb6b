/* vocab_real_test.c: published tokenizer files, where they are found in
 * ${WEIR_VOCAB_DIR:-.cache/vocab}/<name>/tokenizer.json; else each says that
 * it is skipped.
 *
 * Expected values were computed once with the Python package tokenizers
 * 0.20.3: for each id, the bytes of id_to_token through GPT-2's published
 * table or the decoder's own Replace and ByteFallback rules, each checked
 * against Tokenizer.decode([id of "a", id]); special flags from
 * get_added_tokens_decoder(). The digests are FNV-1a 64 over all ids: the
 * number of bytes as a little-endian u32, then the bytes; and over one byte an
 * id: 8 for added, 1 for special, 4 for no token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hash.h"
#include "unit/faulty_mem.h"
#include "vocab/vocab.h"

typedef struct Real {
    const char *name;
    uint32_t count;
    weir_vocab_coding coding;
    uint64_t bytes, flags;
    uint32_t nstops, stops[4];
    uint32_t nllama, llama[6]; /* with llama.cpp's list */
} Real;

/* Stop ids: from the model cards' generation_config.json where it can be had
 * from the tokenizer files alone; llama.cpp's from its own log (Qwen3) or its
 * list applied by hand. */
static const Real reals[] = {{"llama3",
                              128256,
                              WEIR_CODING_BYTE_LEVEL,
                              0x3e60f5332f14ce5e,
                              0xf044fdf4e909c825,
                              2,
                              {128001, 128009},
                              2,
                              {128001, 128009}},
                             {"qwen3",
                              151669,
                              WEIR_CODING_BYTE_LEVEL,
                              0xfa0ce193545d6b57,
                              0x65cde51b04b3e3e5,
                              2,
                              {151643, 151645},
                              6,
                              {128247, 151643, 151645, 151662, 151663, 151664}},
                             {"gemma3",
                              262145,
                              WEIR_CODING_BYTE_FALLBACK,
                              0x7f84ddf55945b268,
                              0xe6680479bdf36394,
                              2,
                              {1, 106},
                              3,
                              {1, 106, 212}},
                             {"gpt4o",
                              200019,
                              WEIR_CODING_BYTE_LEVEL,
                              0x9e38f41864a0c068,
                              0x662f7485ab3d580d,
                              1,
                              {199999},
                              1,
                              {199999}},
                             {"gptoss",
                              200019,
                              WEIR_CODING_BYTE_LEVEL,
                              0x3ea2ba36608d35dd,
                              0x0639250019e88f88,
                              3,
                              {199999, 200002, 200012},
                              3,
                              {199999, 200002, 200012}},
                             {"deepseek_v3",
                              128815,
                              WEIR_CODING_BYTE_LEVEL,
                              0x3b771fe134d5c61c,
                              0x73f72fd9c3a20e6b,
                              1,
                              {1},
                              1,
                              {1}},
                             {"llama2",
                              32000,
                              WEIR_CODING_BYTE_FALLBACK,
                              0x053fd4340e44ee7c,
                              0xfa75af4843341c2e,
                              1,
                              {2},
                              1,
                              {2}}};

static uint8_t *read_real(const char *name, const char *file, size_t *size)
{
    char path[512];
    const char *dir = getenv("WEIR_VOCAB_DIR");
    snprintf(path, sizeof path, "%s/%s/%s", dir ? dir : ".cache/vocab", name,
             file);
    FILE *in = fopen(path, "rb");
    *size = 0;
    if (!in) return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    uint8_t *data = malloc(*size + 1);
    *size = fread(data, 1, *size, in);
    fclose(in);
    return data;
}

static void check_digests(const Vocab *v, const Real *real)
{
    uint64_t bytes = FNV_SEED, flags = FNV_SEED;
    for (uint32_t id = 0; id < v->ntokens; id++) {
        Span text = vocab_bytes(v, id);
        uint8_t size[4] = {(uint8_t)text.size, (uint8_t)(text.size >> 8),
                           (uint8_t)(text.size >> 16),
                           (uint8_t)(text.size >> 24)};
        uint8_t flag = v->flags[id] & (uint8_t)~WEIR_TOKEN_STOP;
        bytes = fnv1a(fnv1a(bytes, size, 4), text.at, text.size);
        flags = fnv1a(flags, &flag, 1);
    }
    assert_true(bytes == real->bytes);
    assert_true(flags == real->flags);
}

static void check_stops(const Vocab *v, const uint32_t *ids, uint32_t count)
{
    assert_int_equal(v->nstops, count);
    assert_memory_equal(v->stops, ids, count * sizeof *ids);
}

static void check_real(const Real *real, Span file, Span config)
{
    Faulty faulty = {.left = SIZE_MAX};
    Mem mem = faulty_mem(&faulty);
    weir_error err = {0};
    Vocab v;
    weir_vocab_opts opts = {
        .tokenizer_config = {(const char *)config.at, config.size}};
    if (!vocab_load(&v, &mem, file, &opts, &err))
        fail_msg("%s: %s", real->name, err.message);
    assert_int_equal(v.ntokens, real->count);
    assert_int_equal(v.width, real->count);
    assert_int_equal(v.coding, real->coding);
    check_digests(&v, real);
    check_stops(&v, real->stops, real->nstops);
    assert_true(encoder_is_exact(v.encoder));
    /* What is held is what is said, near enough for block sizes. */
    assert_true(faulty.held < vocab_memory(&v) + vocab_memory(&v) / 20);
    assert_true(faulty.held < (size_t)20 << 20);
    print_message("%s: %.1f MiB held, %.1f MiB at most\n", real->name,
                  (double)faulty.held / 1048576, (double)faulty.peak / 1048576);
    vocab_free(&v);
    opts.llama_cpp_stops = true;
    assert_true(vocab_load(&v, &mem, file, &opts, &err));
    check_stops(&v, real->llama, real->nllama);
    vocab_free(&v);
    assert_int_equal(faulty.held, 0);
}

static void equals_the_reference_library(void **state)
{
    uint32_t found = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(reals); i++) {
        size_t size, config_size;
        uint8_t *file = read_real(reals[i].name, "tokenizer.json", &size);
        if (!file) {
            print_message("%s: skipped, no file\n", reals[i].name);
            continue;
        }
        uint8_t *config =
            read_real(reals[i].name, "tokenizer_config.json", &config_size);
        check_real(&reals[i], span_of(file, size),
                   span_of(config, config_size));
        free(config);
        free(file);
        found++;
    }
    if (!found) skip();
}

/* A real file cut at a thousand places: always a report within the cut. */
static void cut_files_are_reported(void **state)
{
    size_t size;
    (void)state;
    uint8_t *file = read_real("llama2", "tokenizer.json", &size);
    if (!file) skip();
    for (size_t n = 0; n + 1 < size; n += n < 1000 ? 37 : size / 30) {
        Mem mem = mem_from_env(NULL);
        weir_error err = {0};
        Vocab v;
        assert_false(vocab_load(&v, &mem, span_of(file, n), NULL, &err));
        assert_int_equal(err.status, WEIR_FORMAT);
        assert_true(err.end <= n);
    }
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_reference_library),
        cmocka_unit_test(cut_files_are_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
