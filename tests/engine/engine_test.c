/* engine_test.c: what engine.c does for every kind of engine: checks, lengths
 * of sequences, which logits are whose, and what a failed decode leaves. The
 * kind here computes nothing, and notes what it is asked for. */
#include "engine/engine_kind.h"

#include "engine/engine_kit.h"

enum { SEQUENCES = 3, BATCH = 8 };

typedef struct Fake {
    bool fails, cannot_divide;
    uint32_t length[SEQUENCES]; /* as the kind has them */
    uint32_t decodes;
} Fake;
static Fake fake;

static void *fake_load(const Mem *mem, const EngineOpts *opts, EngineInfo *info,
                       weir_error *err)
{
    (void)mem, (void)err;
    fake = (Fake){.fails = false};
    info->width = 338; /* of tests/cases/sampling.gguf */
    info->batch = opts->batch;
    info->sequences = opts->sequences;
    return &fake;
}

static void fake_free(void *self)
{
    (void)self;
}

static weir_status fake_decode(void *self, const EngineRow *rows, size_t count,
                               weir_error *err)
{
    (void)self;
    fake.decodes++;
    for (size_t i = 0; i < count; i++)
        fake.length[rows[i].sequence] += rows[i].count;
    if (fake.fails) diag_fail(err, WEIR_LIMIT_MEMORY, 0, 0, "full");
    return err->status;
}

static const float *fake_logits(const void *self, uint32_t index)
{
    static const float row[BATCH];
    (void)self;
    return row + index;
}

static bool fake_copy(void *self, uint32_t from, uint32_t to)
{
    (void)self;
    assert_int_equal(fake.length[to], 0);
    fake.length[to] = fake.length[from];
    return true;
}

static bool fake_remove(void *self, uint32_t sequence, uint32_t keep)
{
    (void)self;
    if (keep && fake.cannot_divide) return false;
    fake.length[sequence] = keep;
    return true;
}

static const EngineKind fake_kind = {.name = "fake",
                                     .load = fake_load,
                                     .free = fake_free,
                                     .decode = fake_decode,
                                     .logits = fake_logits,
                                     .copy = fake_copy,
                                     .remove = fake_remove};

static Engine *open_fake(void)
{
    EngineOpts opts = {.model = "tests/cases/sampling.gguf",
                       .sequences = SEQUENCES,
                       .batch = BATCH};
    weir_error err;
    Engine *e = engine_load_kind(&fake_kind, &opts, &err);
    if (!e) fail_msg("%s", err.message);
    return e;
}

static const uint32_t tokens[BATCH + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void refuses(Engine *e, const EngineRow *rows, size_t count,
                    const char *message)
{
    weir_error err;
    assert_int_equal(engine_decode(e, rows, count, &err), WEIR_ARGUMENT);
    assert_string_equal(err.message, message);
    assert_int_equal(fake.decodes, 0);
    assert_null(engine_logits(e, 0, 0));
}

static void test_rows(void **state)
{
    (void)state;
    Engine *e = open_fake();
    static const uint32_t wide[] = {337, 338};
    refuses(e, &(EngineRow){3, 0, tokens, 1, 1}, 1,
            "found sequence 3, expected less than 3");
    refuses(e, &(EngineRow){0, 1, tokens, 1, 1}, 1,
            "found position 1, expected 0 in sequence 0");
    refuses(e, &(EngineRow){0, 0, tokens, 0, 0}, 1,
            "found 0 logits of 0 tokens");
    refuses(e, &(EngineRow){0, 0, tokens, 2, 3}, 1,
            "found 3 logits of 2 tokens");
    refuses(e, &(EngineRow){0, 0, wide, 2, 0}, 1,
            "found token 338, expected less than 338");
    refuses(e, &(EngineRow){0, 0, tokens, BATCH + 1, 0}, 1,
            "found more than 8 tokens in a batch");
    EngineRow twice[] = {{1, 0, tokens, 1, 0}, {1, 0, tokens, 1, 0}};
    refuses(e, twice, 2, "sequence 1 is in two rows");
    assert_int_equal(engine_decode(e, NULL, 0, NULL), WEIR_OK);
    engine_free(e);
}

static void test_logits(void **state)
{
    (void)state;
    Engine *e = open_fake();
    EngineRow rows[] = {
        {2, 0, tokens, 3, 2}, {0, 0, tokens, 4, 0}, {1, 0, tokens, 1, 1}};
    assert_int_equal(engine_decode(e, rows, 3, NULL), WEIR_OK);
    const float *first = engine_logits(e, 0, 0);
    assert_non_null(first);
    assert_ptr_equal(engine_logits(e, 0, 1), first + 1);
    assert_null(engine_logits(e, 0, 2));
    assert_null(engine_logits(e, 1, 0));
    assert_ptr_equal(engine_logits(e, 2, 0), first + 2);
    assert_null(engine_logits(e, 3, 0));
    assert_int_equal(engine_length(e, 0), 4);
    assert_int_equal(engine_length(e, 2), 3);
    assert_int_equal(engine_length(e, 9), 0);
    engine_free(e);
}

static void test_failed_decode(void **state)
{
    (void)state;
    Engine *e = open_fake();
    weir_error err;
    EngineRow rows[] = {{0, 0, tokens, 2, 0}, {1, 0, tokens, 1, 0}};
    assert_int_equal(engine_decode(e, rows, 2, NULL), WEIR_OK);
    rows[0].position = 2;
    rows[1].position = 1;
    fake.fails = true;
    assert_int_equal(engine_decode(e, rows, 2, &err), WEIR_LIMIT_MEMORY);
    assert_string_equal(err.message, "full");
    assert_int_equal(fake.length[0], 2);
    assert_int_equal(fake.length[1], 1);
    assert_int_equal(engine_length(e, 0), 2);
    fake.cannot_divide = true; /* then they begin anew */
    assert_int_equal(engine_decode(e, rows, 2, NULL), WEIR_LIMIT_MEMORY);
    assert_int_equal(fake.length[0], 0);
    assert_int_equal(engine_length(e, 0), 0);
    assert_int_equal(engine_length(e, 1), 0);
    engine_free(e);
}

static void test_parts(void **state)
{
    (void)state;
    Engine *e = open_fake();
    weir_error err;
    EngineRow row = {0, 0, tokens, 6, 0};
    assert_int_equal(engine_decode(e, &row, 1, NULL), WEIR_OK);
    assert_int_equal(engine_copy(e, 0, 3, 1, &err), WEIR_ARGUMENT);
    assert_int_equal(engine_copy(e, 0, 1, 7, &err), WEIR_ARGUMENT);
    assert_string_equal(err.message, "sequence 0 has no 7 tokens");
    assert_int_equal(engine_copy(e, 0, 1, 4, &err), WEIR_OK);
    assert_int_equal(fake.length[1], 4);
    assert_int_equal(engine_copy(e, 0, 1, 0, &err), WEIR_OK); /* replaced */
    assert_int_equal(fake.length[1], 0);
    assert_int_equal(engine_copy(e, 0, 0, 5, &err), WEIR_OK);
    assert_int_equal(fake.length[0], 5);
    fake.cannot_divide = true;
    assert_int_equal(engine_remove(e, 0, 3, &err), WEIR_UNSUPPORTED);
    assert_int_equal(engine_length(e, 0), 5);
    assert_int_equal(engine_copy(e, 0, 2, 3, &err), WEIR_UNSUPPORTED);
    assert_int_equal(engine_length(e, 2), 0);
    assert_int_equal(engine_copy(e, 0, 2, 5, &err), WEIR_OK);
    assert_int_equal(engine_remove(e, 0, 0, &err), WEIR_OK);
    engine_free(e);
}

static void test_kinds(void **state)
{
    (void)state;
    EngineOpts opts = {.kind = "abacus", .model = "x.gguf"};
    weir_error err;
    assert_null(engine_load(&opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_string_equal(err.message,
                        "found engine 'abacus', expected llama or builtin");
    assert_null(engine_load(&(EngineOpts){.kind = "llama"}, &err));
    assert_string_equal(err.message, "no model is named");
    engine_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_logits),
        cmocka_unit_test(test_failed_decode), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
