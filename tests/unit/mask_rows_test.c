/* mask_rows_test.c: failures that other engines had when a mask met a batch of
 * logits, each as a case with the numbers of its report. The comment names the
 * case and the report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/port.h"
#include "weir/weir.h"

static float *new_logits(size_t count, float value)
{
    float *logits = malloc(count * sizeof *logits);
    assert_non_null(logits);
    for (size_t i = 0; i < count; i++) logits[i] = value;
    return logits;
}

static int32_t *new_mask(size_t width, int byte)
{
    size_t nbytes = WEIR_MASK_WORDS(width) * sizeof(int32_t);
    int32_t *mask = malloc(nbytes);
    assert_non_null(mask);
    memset(mask, byte, nbytes);
    return mask;
}

static size_t argmax(const float *logits, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

static bool is_minus_inf(float x)
{
    return isinf(x) && x < 0;
}

/* A model whose favourite is a reserved id beyond the tokenizer. */
static void check_tail(size_t mask_width, size_t logits_width, size_t reserved)
{
    float *logits = new_logits(logits_width, 1.0f);
    int32_t *mask = new_mask(mask_width, 0xFF);
    logits[reserved] = 100.0f;
    logits[17] = 2.0f;
    weir_apply_f32(logits, logits_width, mask, mask_width);
    assert_int_equal(argmax(logits, logits_width), 17);
    for (size_t i = 0; i < logits_width; i++)
        assert_int_equal(is_minus_inf(logits[i]), i >= mask_width);
    free(logits);
    free(mask);
}

/* mask-tail-unmasked (mlc-ai/xgrammar#694): the last word has 21 bits of the
 * vocabulary and 11 that are nobody's. */
static void test_tail_unmasked(void **state)
{
    (void)state;
    check_tail(151669, 151936, 151670);
}

/* web-vocab-tail-token (mlc-ai/xgrammar#694). */
static void test_tail_token(void **state)
{
    (void)state;
    check_tail(151669, 151936, 151757);
}

/* mask-width-crash (tenstorrent/vllm#333). */
static void test_width_crash(void **state)
{
    (void)state;
    check_tail(201088, 262144, 262143);
}

/* mask-mixed-batch-zero-rows (vllm-project/vllm-gaudi#1199): the mask buffer
 * is all zeros but for the constrained row 0; row 1 is free. */
static void test_mixed_batch(void **state)
{
    (void)state;
    enum { WIDTH = 100, WORDS = 4 };
    int32_t masks[2 * WORDS] = {0};
    uint32_t indices[1] = {0}, single = 0;
    masks[1] = 1 << 3;
    float *logits = new_logits(2 * WIDTH, 1.0f);
    logits[WIDTH + 40] = 5.0f;
    weir_apply_rows(logits, WEIR_F32, WIDTH, WIDTH, masks, WIDTH, WORDS,
                    indices, 1);
    assert_int_equal(argmax(logits, WIDTH), 35);
    assert_int_equal(argmax(logits + WIDTH, WIDTH), 40);
    /* The row that nobody filled is found out by its count. */
    assert_int_equal(weir_mask_count(masks + WORDS, WIDTH, &single), 0);
    assert_int_equal(weir_mask_count(masks, WIDTH, &single), 1);
    assert_int_equal(single, 35);
    free(logits);
}

/* mask-rows-missing-drafts (vllm-project/vllm#50952): three requests with 3, 0
 * and 1 drafts of at most 3: 1 + drafts rows each. Mask and logits have all
 * 12 rows; the index list names those that exist, and the others, whose masks
 * are zeros here, stay as they are. */
static void test_missing_drafts(void **state)
{
    (void)state;
    enum { REQUESTS = 3, DRAFTS = 3, ROWS = REQUESTS * (DRAFTS + 1) };
    static const uint32_t drafts[REQUESTS] = {3, 0, 1};
    uint32_t indices[ROWS], count = 0;
    for (uint32_t r = 0; r < REQUESTS; r++)
        for (uint32_t d = 0; d <= drafts[r]; d++)
            indices[count++] = r * (DRAFTS + 1) + d;
    assert_int_equal(count, 7);
    int32_t masks[ROWS] = {0};
    for (uint32_t i = 0; i < count; i++) masks[indices[i]] = 1 << indices[i];
    float *logits = new_logits((size_t)ROWS * 32, 1.0f);
    weir_apply_rows(logits, WEIR_F32, 32, 32, masks, 32, 1, indices, count);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t j = 0; j < 32; j++)
            assert_int_equal(is_minus_inf(logits[row * 32 + j]),
                             masks[row] != 0 && j != row);
    free(logits);
}

static int compare_descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* prefilter-topk-then-mask (LostRuins/koboldcpp#1597): the only allowed token
 * is the model's 5,000th choice; top-k 40 after the mask still finds it. */
static void test_prefilter(void **state)
{
    (void)state;
    enum { WIDTH = 32000, RANK = 5000, TOP_K = 40 };
    float *logits = new_logits(WIDTH, 0.0f);
    int32_t *mask = new_mask(WIDTH, 0);
    for (int i = 0; i < WIDTH; i++) logits[i] = (float)-i;
    mask[RANK / 32] = 1 << RANK % 32;
    weir_apply_f32(logits, WIDTH, mask, WIDTH);
    assert_int_equal(argmax(logits, WIDTH), RANK);
    qsort(logits, WIDTH, sizeof *logits, compare_descending);
    assert_true(logits[0] == (float)-RANK);
    for (int i = 1; i < TOP_K; i++) assert_true(is_minus_inf(logits[i]));
    free(logits);
    free(mask);
}

/* prefill-chunk-mask-row (tenstorrent/vllm-tt-plugin#55): row 0 is in the
 * middle of its prompt, row 1 decodes; masks are laid out for both. */
static void test_prefill_row(void **state)
{
    (void)state;
    int32_t masks[2] = {0, 2};
    uint32_t indices[1] = {1};
    uint16_t logits[2 * 32];
    for (size_t i = 0; i < COUNT_OF(logits); i++) logits[i] = 0x3F80;
    weir_apply_rows(logits, WEIR_BF16, 32, 32, masks, 32, 1, indices, 1);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(logits[i], 0x3F80);
        assert_int_equal(logits[32 + i], i == 1 ? 0x3F80 : 0xFF80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail_unmasked),
        cmocka_unit_test(test_tail_token),
        cmocka_unit_test(test_width_crash),
        cmocka_unit_test(test_mixed_batch),
        cmocka_unit_test(test_missing_drafts),
        cmocka_unit_test(test_prefilter),
        cmocka_unit_test(test_prefill_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
