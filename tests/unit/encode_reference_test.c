/* Replays texts that the reference tokenizers encoded: scripts/encoder-cases
 * makes the files, scripts/make-encoder-cases.py says what is in them. A test
 * whose files are missing is skipped. WEIR_QUICK: a tenth of the texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vocab/vocab.h"

enum { MAX_IDS = 1 << 16, SHOWN = 3 };

/* ---- files -------------------------------------------------------------- */

typedef struct File {
    uint8_t *at;
    size_t size, pos;
} File;

static File file_read(const char *folder, const char *name, const char *end)
{
    char path[1024];
    File file = {0};
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    FILE *in = fopen(path, "rb");
    if (!in) return file;
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    file.size = (size_t)ftell(in);
    rewind(in);
    file.at = malloc(file.size + 1);
    assert_non_null(file.at);
    assert_int_equal(fread(file.at, 1, file.size, in), file.size);
    fclose(in);
    return file;
}

static uint32_t take_u32(File *file)
{
    assert_true(file->size - file->pos >= 4);
    const uint8_t *p = file->at + file->pos;
    file->pos += 4;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static Span take_text(File *file)
{
    size_t size = take_u32(file);
    assert_true(file->size - file->pos >= size);
    file->pos += size;
    return span_of(file->at + file->pos - size, size);
}

/* A list of numbers; false where the file has none: unknown, or as before. */
static bool take_list(File *file, uint32_t *list, size_t *count)
{
    uint32_t n = take_u32(file);
    if (n == UINT32_MAX) return false;
    assert_true(n <= MAX_IDS);
    for (uint32_t i = 0; i < n; i++) list[i] = take_u32(file);
    *count = n;
    return true;
}

static const char *folder_of(const char *variable, const char *other)
{
    const char *folder = getenv(variable);
    return folder && *folder ? folder : other;
}

static File cases_read(const char *name, const char *magic)
{
    File file = file_read(folder_of("WEIR_ENCODER_CASES", ".cache/encoder"),
                          name, ".cases");
    if (!file.at) return file;
    assert_true(file.size > 12 && !memcmp(file.at, magic, 8));
    file.pos = 8;
    return file;
}

/* How many cases of the file are run. */
static uint32_t cases_count(File *file)
{
    uint32_t count = take_u32(file);
    return getenv("WEIR_QUICK") ? count / 10 : count;
}

/* ---- whole tokenizers --------------------------------------------------- */

static void show(Span text, const char *what, const uint32_t *ids, size_t n)
{
    if (text.at) print_message("%.*s\n", (int)text.size, (const char *)text.at);
    print_message("  %s:", what);
    for (size_t i = 0; i < n; i++) print_message(" %u", ids[i]);
    print_message("\n");
}

static bool is_equal(const Vocab *vocab, Span text, bool parse_special,
                     const uint32_t *want, size_t nwant)
{
    static uint32_t got[MAX_IDS];
    size_t n =
        encoder_encode(vocab->encoder, text, parse_special, got, MAX_IDS);
    assert_true(n <= MAX_IDS);
    if (n == nwant && !memcmp(got, want, n * sizeof *got)) return true;
    show(text, "got", got, n);
    show((Span){NULL, 0}, "expected", want, nwant);
    return false;
}

static void replay(const char *name, const Vocab *vocab, File *cases)
{
    static uint32_t want[MAX_IDS];
    uint32_t count = cases_count(cases), bad = 0;
    for (uint32_t i = 0; i < count && bad < SHOWN; i++) {
        size_t n = 0;
        Span text = take_text(cases);
        if (take_list(cases, want, &n))
            bad += !is_equal(vocab, text, true, want, n);
        take_list(cases, want, &n);
        bad += !is_equal(vocab, text, false, want, n);
    }
    if (bad) fail_msg("%s differs", name);
    assert_true(count >= 200);
}

/* Replays the cases of the tokenizer in `folder`; false: files are missing. */
static bool check_folder(const char *folder, const char *name, const char *end)
{
    char path[512];
    Vocab vocab;
    weir_error err = {0};
    Mem mem = mem_from_env(NULL);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    File file = file_read(path, "tokenizer", end);
    File cases = cases_read(name, "WEIRENC1");
    bool found = file.at && cases.at;
    if (!found) {
        print_message("%s: no tokenizer or no cases\n", name);
    } else {
        if (!vocab_load(&vocab, &mem, span_of(file.at, file.size), NULL, &err))
            fail_msg("%s: %s", name, err.message);
        if (!encoder_is_exact(vocab.encoder)) fail_msg("%s: not exact", name);
        replay(name, &vocab, &cases);
        vocab_free(&vocab);
    }
    free(file.at);
    free(cases.at);
    return found;
}

static void check_tokenizer(const char *name)
{
    if (!check_folder(folder_of("WEIR_VOCAB_DIR", ".cache/vocab"), name,
                      ".json"))
        skip();
}

static void test_llama3(void **state)
{
    (void)state;
    check_tokenizer("llama3");
}

static void test_qwen3(void **state)
{
    (void)state;
    check_tokenizer("qwen3");
}

static void test_gemma3(void **state)
{
    (void)state;
    check_tokenizer("gemma3");
}

static void test_gpt4o(void **state)
{
    (void)state;
    check_tokenizer("gpt4o");
}

static void test_gptoss(void **state)
{
    (void)state;
    check_tokenizer("gptoss");
}

static void test_deepseek_v3(void **state)
{
    (void)state;
    check_tokenizer("deepseek_v3");
}

static void test_llama2(void **state)
{
    (void)state;
    check_tokenizer("llama2");
}

static void check_made(const char *kind, const char *const *names, size_t count,
                       const char *end)
{
    const char *folder = folder_of("WEIR_ENCODER_CASES", ".cache/encoder");
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", kind, names[i]);
        if (!check_folder(folder, name, end)) skip();
    }
}

/* Trained on a few texts, with what the real ones do not have: flags of added
 * tokens, missing characters, other normalisers and models. */
static void test_small(void **state)
{
    (void)state;
    static const char *const names[] = {"gpt2",
                                        "prefix",
                                        "smollm",
                                        "prepend",
                                        "unknown",
                                        "fused",
                                        "dropped",
                                        "nfc",
                                        "metaspace_always",
                                        "metaspace_first",
                                        "metaspace_never",
                                        "metaspace_whole",
                                        "unigram",
                                        "unigram_bytes"};
    check_made("small", names, COUNT_OF(names), ".json");
}

static void test_sentencepiece(void **state)
{
    (void)state;
    static const char *const names[] = {"bpe", "bpe_collapse", "bpe_no_prefix",
                                        "unigram", "unigram_collapse"};
    check_made("spm", names, COUNT_OF(names), ".model");
}

/* ---- pre-tokenizers ----------------------------------------------------- */

static bool are_words(PretokenKind kind, Span text, const uint32_t *ends,
                      size_t count)
{
    PretokenCursor cursor = pretoken_start(kind, text);
    for (size_t i = 0; i < count; i++)
        if (!pretoken_next(&cursor).size || cursor.pos != ends[i]) return false;
    return !pretoken_next(&cursor).size;
}

static void test_pretokens(void **state)
{
    (void)state;
    static uint32_t ends[MAX_IDS];
    File cases = cases_read("pretoken", "WEIRPRE1");
    if (!cases.at) {
        print_message("no cases of pre-tokenizers: skipped\n");
        skip();
    }
    uint32_t count = cases_count(&cases), bad = 0;
    for (uint32_t i = 0; i < count && bad < SHOWN; i++) {
        size_t n = 0;
        uint32_t kind = take_u32(&cases);
        assert_true(kind < PRETOKEN_KINDS);
        Span text = take_text(&cases);
        take_list(&cases, ends, &n);
        if (are_words((PretokenKind)kind, text, ends, n)) continue;
        show(text, pretoken_name((PretokenKind)kind), ends, n);
        bad++;
    }
    assert_int_equal(bad, 0);
    free(cases.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_sentencepiece),
        cmocka_unit_test(test_pretokens),
        cmocka_unit_test(test_llama3),
        cmocka_unit_test(test_qwen3),
        cmocka_unit_test(test_gemma3),
        cmocka_unit_test(test_gpt4o),
        cmocka_unit_test(test_gptoss),
        cmocka_unit_test(test_deepseek_v3),
        cmocka_unit_test(test_llama2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
