/* engine_llama_test.c: llama.cpp as an engine, on small random models.
 *
 * What is expected follows from what a decode is: logits after a text do not
 * depend on how its tokens were divided among calls, rows and sequences. Where
 * the order of sums may differ they agree to TOLERANCE. */
#include "engine/engine_kit.h"

#include <math.h>

enum { WIDTH = MODEL_TOKENS, LENGTH = 40 };
static const float tolerance = 1e-3F;

static uint32_t text[LENGTH];

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LENGTH; i++) text[i] = i * 37 % 251;
    return 0;
}

static void decode(Engine *e, uint32_t sequence, uint32_t begin, uint32_t end,
                   uint32_t logits)
{
    EngineRow row = {sequence, begin, text + begin, end - begin, logits};
    weir_error err;
    if (engine_decode(e, &row, 1, &err)) fail_msg("%s", err.message);
}

static void keep(float *out, const float *logits)
{
    assert_non_null(logits);
    memcpy(out, logits, WIDTH * sizeof *out);
}

static void assert_near(const float *a, const float *b)
{
    assert_non_null(a);
    assert_non_null(b);
    for (int i = 0; i < WIDTH; i++)
        if (!(fabsf(a[i] - b[i]) <= tolerance))
            fail_msg("logit %d: found %g, expected %g", i, (double)a[i],
                     (double)b[i]);
}

/* Logits after each token, one token a call: what everything is held to. */
static float plain[LENGTH][WIDTH];

static Engine *open_plain(uint32_t sequences)
{
    kit_wants_llama();
    RandomModel model = random_model_small(1);
    EngineOpts opts = {
        .threads = 1, .sequences = sequences, .wide_cache = true};
    Engine *e = kit_engine(&model, &opts);
    for (uint32_t i = 0; i < LENGTH; i++) {
        decode(e, 0, i, i + 1, 1);
        keep(plain[i], engine_logits(e, 0, 0));
    }
    engine_remove(e, 0, 0, NULL);
    return e;
}

static void test_info(void **state)
{
    (void)state;
    Engine *e = open_plain(3);
    const EngineInfo *info = engine_info(e);
    assert_int_equal(info->width, WIDTH);
    assert_int_equal(info->trained, 512);
    assert_true(info->context >= 512);
    assert_int_equal(info->batch, 512);
    assert_int_equal(info->sequences, 3);
    assert_int_equal(info->begin, MODEL_BEGIN);
    assert_true(info->adds_begin);
    assert_null(info->chat_template);
    assert_string_equal(info->kind, "llama");
    assert_memory_equal(info->library, "llama.cpp 0.4.", 14);
    assert_int_equal(weir_vocab_width(engine_vocab(e)), WIDTH);
    engine_free(e);
}

/* The vocabulary that weir reads from the file is the model's. */
static void test_vocab(void **state)
{
    (void)state;
    Engine *e = open_plain(1);
    uint32_t ids[8], nstops;
    weir_bytes s = {"<|im_start|>thin k", 18};
    size_t n = weir_vocab_encode(engine_vocab(e), s, true, ids, 8);
    static const uint32_t expected[] = {MODEL_START, MODEL_TH, MODEL_IN, ' ',
                                        'k'};
    assert_int_equal(n, 5);
    assert_memory_equal(ids, expected, sizeof expected);
    const uint32_t *stops = weir_vocab_stops(engine_vocab(e), &nstops);
    assert_int_equal(nstops, 1);
    assert_int_equal(stops[0], MODEL_END);
    engine_free(e);
}

static void test_prompt_at_once(void **state)
{
    (void)state;
    Engine *e = open_plain(1);
    decode(e, 0, 0, LENGTH, LENGTH);
    for (uint32_t i = 0; i < LENGTH; i++)
        assert_near(engine_logits(e, 0, i), plain[i]);
    assert_null(engine_logits(e, 0, LENGTH));
    assert_null(engine_logits(e, 1, 0));
    assert_int_equal(engine_length(e, 0), LENGTH);
    engine_free(e);
}

/* Chunks of a prompt, a draft and a single token in one batch. */
static void test_ragged(void **state)
{
    (void)state;
    Engine *e = open_plain(4);
    decode(e, 1, 0, 10, 0);
    decode(e, 3, 0, 20, 0);
    EngineRow rows[] = {{1, 10, text + 10, 5, 0},
                        {3, 20, text + 20, 1, 1},
                        {0, 0, text, 30, 3}};
    assert_int_equal(engine_decode(e, rows, 3, NULL), WEIR_OK);
    assert_null(engine_logits(e, 0, 0));
    assert_near(engine_logits(e, 1, 0), plain[20]);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(engine_logits(e, 2, i), plain[27 + i]);
    decode(e, 1, 15, 16, 1);
    assert_near(engine_logits(e, 0, 0), plain[15]);
    engine_free(e);
}

static void test_copy_remove(void **state)
{
    (void)state;
    Engine *e = open_plain(3);
    decode(e, 0, 0, 30, 1);
    assert_int_equal(engine_copy(e, 0, 2, 12, NULL), WEIR_OK);
    assert_int_equal(engine_length(e, 2), 12);
    decode(e, 2, 12, 13, 1);
    assert_near(engine_logits(e, 0, 0), plain[12]);
    assert_int_equal(engine_remove(e, 0, 5, NULL), WEIR_OK);
    decode(e, 0, 5, 9, 2);
    assert_near(engine_logits(e, 0, 0), plain[7]);
    assert_near(engine_logits(e, 0, 1), plain[8]);
    decode(e, 2, 13, 20, 1); /* not touched by what became of its source */
    assert_near(engine_logits(e, 0, 0), plain[19]);
    assert_int_equal(engine_copy(e, 2, 0, 20, NULL), WEIR_OK);
    decode(e, 0, 20, 21, 1);
    assert_near(engine_logits(e, 0, 0), plain[20]);
    engine_free(e);
}

/* A full context is an error that leaves the sequences as they were. */
static void test_full(void **state)
{
    (void)state;
    kit_wants_llama();
    RandomModel model = random_model_small(2);
    EngineOpts opts = {
        .threads = 1, .sequences = 2, .context = 256, .batch = 256};
    Engine *e = kit_engine(&model, &opts);
    uint32_t most = engine_info(e)->context, *tokens = calloc(most, 4);
    weir_error err;
    assert_non_null(tokens);
    assert_int_equal(most, 256);
    EngineRow first = {0, 0, tokens, 200, 1}, more = {1, 0, tokens, 100, 1};
    assert_int_equal(engine_decode(e, &first, 1, &err), WEIR_OK);
    assert_int_equal(engine_decode(e, &more, 1, &err), WEIR_LIMIT_MEMORY);
    assert_non_null(strstr(err.message, "no room"));
    assert_null(engine_logits(e, 0, 0));
    assert_int_equal(engine_length(e, 0), 200);
    assert_int_equal(engine_length(e, 1), 0);
    more.count = 56;
    more.logits = 0;
    assert_int_equal(engine_decode(e, &more, 1, &err), WEIR_OK);
    assert_int_equal(engine_remove(e, 0, 0, &err), WEIR_OK);
    first.position = 56;
    first.sequence = 1;
    assert_int_equal(engine_decode(e, &first, 1, &err), WEIR_OK);
    free(tokens);
    engine_free(e);
}

static void test_types(void **state)
{
    (void)state;
    kit_wants_llama();
    static const ModelType types[] = {MODEL_F32, MODEL_F16, MODEL_Q8_0};
    for (size_t i = 0; i < 3; i++) {
        RandomModel model = random_model_small(3);
        model.type = types[i];
        model.is_tied = i == 1;
        model.chat_template = "{{ bos_token }}x";
        Engine *e = kit_engine(&model, NULL);
        assert_string_equal(engine_info(e)->chat_template, "{{ bos_token }}x");
        decode(e, 0, 0, 8, 1);
        assert_true(isfinite(engine_logits(e, 0, 0)[7]));
        engine_free(e);
    }
}

/* ---- what cannot be loaded ---- */

static void refuses(const char *model, const char *dir, weir_status status,
                    const char *part)
{
    EngineOpts opts = {.model = model, .library_dir = dir};
    weir_error err;
    assert_null(engine_load(&opts, &err));
    if (err.status != status || !strstr(err.message, part))
        fail_msg("found %d: %s", err.status, err.message);
}

static void test_no_library(void **state)
{
    (void)state;
    refuses("x.gguf", "no/such/folder", WEIR_IO, "no/such/folder");
    refuses("x.gguf", "tests/engine", WEIR_IO, "no libllama in the folder");
}

static void test_no_model(void **state)
{
    (void)state;
    kit_wants_llama();
    refuses("no-such.gguf", kit_llama_dir(), WEIR_FORMAT, "cannot load");
    refuses("README.md", kit_llama_dir(), WEIR_FORMAT, "cannot load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_info),
                                       cmocka_unit_test(test_vocab),
                                       cmocka_unit_test(test_prompt_at_once),
                                       cmocka_unit_test(test_ragged),
                                       cmocka_unit_test(test_copy_remove),
                                       cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_no_library),
                                       cmocka_unit_test(test_no_model)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
