/* engine_builtin_test.c: the runner of our own against libllama, on random
 * models; and against itself: a token's logits are the same bits alone and in
 * any batch. Files that are cut or say something else are refused. */
#include "engine/engine_kit.h"

#include <math.h>

#include "engine/tensor.h"
#include "oracle/rng.h"

enum { LENGTH = 48, WIDTH = MODEL_TOKENS };

static uint32_t text[LENGTH];

static int set_up(void **state)
{
    Rng rng = {7};
    (void)state;
    for (uint32_t i = 0; i < LENGTH; i++) text[i] = rng_below(&rng, WIDTH);
    return 0;
}

static Engine *open_kind(const char *kind, const RandomModel *model)
{
    EngineOpts opts = {
        .kind = kind, .threads = 1, .sequences = 4, .wide_cache = true};
    return kit_engine(model, &opts);
}

static void decode(Engine *e, const EngineRow *rows, size_t count)
{
    weir_error err;
    if (engine_decode(e, rows, count, &err)) fail_msg("%s", err.message);
}

/* ---- against libllama ---- */

static float furthest(const Engine *a, const Engine *b, uint32_t n)
{
    float most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const float *p = engine_logits(a, 0, i), *q = engine_logits(b, 0, i);
        for (int k = 0; k < WIDTH; k++) most = fmaxf(most, fabsf(p[k] - q[k]));
    }
    return most;
}

static uint32_t greatest(const float *logits)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < WIDTH; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* The likeliest token each time; true if both say the same throughout. */
static bool same_greedy(Engine *a, Engine *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = greatest(engine_logits(a, 0, 0));
        if (id != greatest(engine_logits(b, 0, 0))) return false;
        EngineRow row = {0, engine_length(a, 0), &id, 1, 1};
        decode(a, &row, 1);
        decode(b, &row, 1);
    }
    return true;
}

static void compare(const RandomModel *model, float tolerance, bool greedy)
{
    Engine *ours = open_kind("builtin", model);
    Engine *theirs = open_kind("llama", model);
    EngineRow row = {0, 0, text, LENGTH, LENGTH};
    decode(ours, &row, 1);
    decode(theirs, &row, 1);
    float found = furthest(ours, theirs, LENGTH);
    print_message("type %d: %g\n", (int)model->type, (double)found);
    assert_true(found <= tolerance);
    EngineRow one = {0, LENGTH, text, 1, 1};
    decode(ours, &one, 1);
    decode(theirs, &one, 1);
    if (greedy) assert_true(same_greedy(ours, theirs, 50));
    engine_free(ours);
    engine_free(theirs);
}

static void test_libllama(void **state)
{
    (void)state;
    kit_wants_llama();
    for (uint64_t seed = 0; seed < 6; seed++) {
        RandomModel model = random_model_small(seed);
        model.layers = 1 + (uint32_t)seed % 3;
        model.kv_heads = seed % 2 ? 1 : 4;
        model.is_tied = seed % 2;
        compare(&model, 1e-3F, true);
        model.type = MODEL_F16;
        compare(&model, 2e-3F, false);
        model.type = MODEL_Q8_0;
        compare(&model, 5e-2F, false);
    }
}

/* ---- against itself ---- */

static float alone[LENGTH][WIDTH];

static void assert_same(const float *found, uint32_t i)
{
    assert_non_null(found);
    assert_memory_equal(found, alone[i], sizeof alone[i]);
}

static void test_batches(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++) {
        RandomModel model = random_model_small(3);
        model.type = (ModelType[]){MODEL_F32, MODEL_F16, MODEL_Q8_0}[type];
        Engine *e = open_kind("builtin", &model);
        for (uint32_t i = 0; i < LENGTH; i++) {
            decode(e, &(EngineRow){3, i, text + i, 1, 1}, 1);
            memcpy(alone[i], engine_logits(e, 0, 0), sizeof alone[i]);
        }
        engine_copy(e, 3, 1, 20, NULL);
        engine_remove(e, 3, 0, NULL);
        EngineRow rows[] = {{0, 0, text, 30, 30},
                            {1, 20, text + 20, 4, 2},
                            {2, 0, text + 5, 9, 1}};
        decode(e, rows, 3);
        for (uint32_t i = 0; i < 30; i++)
            assert_same(engine_logits(e, 0, i), i);
        assert_same(engine_logits(e, 1, 0), 22);
        assert_same(engine_logits(e, 1, 1), 23);
        engine_remove(e, 0, 12, NULL);
        engine_copy(e, 0, 2, 12, NULL);
        EngineRow more[] = {{2, 12, text + 12, 3, 1}, {0, 12, text + 12, 9, 1}};
        decode(e, more, 2);
        assert_same(engine_logits(e, 0, 0), 14);
        assert_same(engine_logits(e, 1, 0), 20);
        engine_free(e);
    }
}

/* Cells that copies share count once, and are free when the last one goes. */
static void test_full(void **state)
{
    (void)state;
    RandomModel model = random_model_small(4);
    EngineOpts opts = {.kind = "builtin", .sequences = 3, .context = 40};
    Engine *e = kit_engine(&model, &opts);
    weir_error err;
    decode(e, &(EngineRow){0, 0, text, 30, 1}, 1);
    assert_int_equal(engine_copy(e, 0, 1, 30, NULL), WEIR_OK);
    decode(e, &(EngineRow){1, 30, text, 10, 1}, 1);
    EngineRow row = {2, 0, text, 1, 1};
    assert_int_equal(engine_decode(e, &row, 1, &err), WEIR_LIMIT_MEMORY);
    assert_int_equal(engine_length(e, 2), 0);
    engine_remove(e, 0, 0, NULL);
    assert_int_equal(engine_decode(e, &row, 1, &err), WEIR_LIMIT_MEMORY);
    engine_remove(e, 1, 0, NULL);
    row.count = 40;
    assert_int_equal(engine_decode(e, &row, 1, &err), WEIR_OK);
    engine_free(e);
}

/* ---- files ---- */

static void refuses(const char *path, weir_status status, const char *part)
{
    EngineOpts opts = {.kind = "builtin", .model = path};
    weir_error err;
    assert_null(engine_load(&opts, &err));
    if ((status && err.status != status) || !strstr(err.message, part))
        fail_msg("found %d: %s", err.status, err.message);
}

static void test_other_models(void **state)
{
    (void)state;
    char *path = kit_path("other");
    RandomModel model = random_model_small(1);
    refuses("no-such.gguf", WEIR_IO, "cannot read");
    refuses("README.md", WEIR_FORMAT, "");
    model.architecture = "qwen2";
    assert_true(random_model_write(&model, path));
    refuses(path, WEIR_UNSUPPORTED, "found architecture 'qwen2'");
    model = random_model_small(1);
    model.kv_heads = 3;
    assert_true(random_model_write(&model, path));
    refuses(path, WEIR_FORMAT, "sizes do not fit");
    refuses("tests/cases/sampling.gguf", WEIR_OK, "");
    remove(path);
}

/* A model in memory is the model in its file; libllama wants the file. */
static void test_image(void **state)
{
    (void)state;
    static _Alignas(4) char image[1 << 20];
    RandomModel model = random_model_small(5);
    char *path = kit_path("image");
    assert_true(random_model_write(&model, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(image, 1, sizeof image, file);
    fclose(file);
    remove(path);
    EngineOpts opts = {.kind = "builtin", .image = {image, size}};
    weir_error err;
    Engine *memory = engine_load(&opts, &err);
    if (!memory) fail_msg("%s", err.message);
    Engine *mapped = open_kind("builtin", &model);
    EngineRow row = {0, 0, text, LENGTH, 1};
    decode(memory, &row, 1);
    decode(mapped, &row, 1);
    assert_memory_equal(engine_logits(memory, 0, 0),
                        engine_logits(mapped, 0, 0), WIDTH * sizeof(float));
    assert_int_equal(weir_vocab_width(engine_vocab(memory)), WIDTH);
    engine_free(memory);
    engine_free(mapped);
    opts.image.data++;
    assert_null(engine_load(&opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_string_equal(err.message, "the image is not aligned");
    opts.kind = "llama";
    assert_null(engine_load(&opts, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
}

/* Cut anywhere, or with a byte of its head changed: refused or run, but never
 * read beyond. */
static void test_broken_files(void **state)
{
    (void)state;
    char *path = kit_path("broken");
    static unsigned char whole[1 << 20];
    RandomModel model = random_model_small(1);
    model.layers = 1;
    assert_true(random_model_write(&model, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    Rng rng = {11};
    uint64_t count = case_count(400, 100);
    for (uint64_t i = 0; i < count; i++) {
        bool is_cut = i % 2;
        size_t n = is_cut ? rng_below(&rng, (uint32_t)size) : size;
        size_t at = rng_below(&rng, 9000);
        unsigned char kept = whole[at];
        if (!is_cut) whole[at] = (unsigned char)rng_next(&rng);
        file = fopen(path, "wb");
        fwrite(whole, 1, n, file);
        fclose(file);
        EngineOpts opts = {.kind = "builtin", .model = path, .context = 8};
        weir_error err;
        Engine *e = engine_load(&opts, &err);
        if (is_cut) assert_null(e);
        if (e) engine_decode(e, &(EngineRow){0, 0, text, 1, 1}, 1, NULL);
        engine_free(e);
        whole[at] = kept;
    }
    remove(path);
}

/* By vectors as by plain C, to the last bit. A weight may be -128 in a file,
 * though nobody writes it. */
static void test_products(void **state)
{
    (void)state;
    enum { MOST = 20 };
    int8_t in[MOST * Q8_BLOCK];
    uint8_t row[MOST * Q8_SIZE];
    float scales[MOST], row_scales[MOST];
    Rng rng = {5};
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t blocks = rng_below(&rng, MOST + 1);
        bool is_loud = rng_chance(&rng, 20);
        for (uint32_t i = 0; i < blocks; i++) {
            scales[i] = (float)rng_below(&rng, 65536) / 65536;
            row_scales[i] = (float)rng_below(&rng, 65536) / 65536;
        }
        for (uint32_t i = 0; i < blocks * Q8_BLOCK; i++)
            in[i] = (int8_t)(is_loud ? 127 - 254 * (int)rng_below(&rng, 2)
                                     : (int)rng_below(&rng, 255) - 127);
        for (uint32_t i = 0; i < blocks * Q8_SIZE; i++)
            row[i] = (uint8_t)(is_loud ? 127 + rng_below(&rng, 2)
                                       : rng_below(&rng, 256));
        float plain = tensor_dot_q8(in, scales, row, row_scales, blocks);
        float best = tensor_dot_q8_best()(in, scales, row, row_scales, blocks);
        assert_memory_equal(&plain, &best, sizeof plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),    cmocka_unit_test(test_libllama),
        cmocka_unit_test(test_batches),     cmocka_unit_test(test_full),
        cmocka_unit_test(test_image),       cmocka_unit_test(test_other_models),
        cmocka_unit_test(test_broken_files)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
