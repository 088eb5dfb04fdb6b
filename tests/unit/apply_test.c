/* apply_test.c: every kernel set of this machine against a plain loop over
 * bits, on random widths, tails, alignments, strides, index lists and masks;
 * and the numbers of a mask. Bits are compared, not floats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample/apply.h"
#include "sample/maskstat.h"

enum { WIDTH_MAX = 2200, GUARD = 64 };

static uint64_t random_state;

static uint32_t random32(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) ^ (uint32_t)(random_state >> 13);
}

static size_t random_below(size_t n)
{
    return random32() % n;
}

/* The sets that exist here; the scalar one is last. */
static size_t all_sets(const ApplyKernels *out[4])
{
    size_t n = 0;
    if (apply_avx512()) out[n++] = apply_avx512();
    if (apply_avx2()) out[n++] = apply_avx2();
    if (apply_neon()) out[n++] = apply_neon();
    out[n++] = &apply_scalar;
    return n;
}

/* Runs of equal words, single bits, and noise, as real masks have. */
static void random_mask(int32_t *mask, size_t nwords)
{
    for (size_t i = 0; i < nwords;) {
        size_t end = i + 1 + random_below(20);
        if (end > nwords) end = nwords;
        uint32_t kind = random32() % 5, bit = 1u << random32() % 32;
        for (; i < end; i++) {
            uint32_t words[5] = {0, UINT32_MAX, bit, ~bit, random32()};
            mask[i] = (int32_t)words[kind];
        }
    }
}

static bool bit_of(const int32_t *mask, size_t i)
{
    return (uint32_t)mask[i / 32] >> i % 32 & 1;
}

/* IEEE 754: sign and all exponent bits set, fraction zero. */
static void store_minus_inf(uint8_t *at, weir_float type)
{
    static const uint8_t bytes[3][4] = {
        {0, 0, 0x80, 0xFF}, {0, 0xFC, 0, 0}, {0x80, 0xFF, 0, 0}};
    memcpy(at, bytes[type], type == WEIR_F32 ? 4 : 2);
}

/* The meaning of weir.h, bit by bit. */
static void expect_row(uint8_t *logits, weir_float type, size_t logits_width,
                       const int32_t *mask, size_t mask_width)
{
    size_t size = type == WEIR_F32 ? 4 : 2;
    for (size_t i = 0; i < logits_width; i++)
        if (i >= mask_width || !bit_of(mask, i))
            store_minus_inf(logits + i * size, type);
}

/* One random row, with guard bytes around it and random bytes as logits (so
 * NaN of every kind among them). */
static void check_random_row(const ApplyKernels *set, weir_float type)
{
    static _Alignas(64) uint8_t got[4 * WIDTH_MAX + 2 * GUARD];
    static uint8_t want[sizeof got];
    static int32_t mask_room[WIDTH_MAX / 32 + 32];
    size_t size = type == WEIR_F32 ? 4 : 2;
    size_t width = random_below(WIDTH_MAX - 16);
    size_t mask_width = random_below(4) ? random_below(WIDTH_MAX) : width;
    uint8_t *row = got + GUARD + size * random_below(16);
    int32_t *mask = mask_room + random_below(8);
    random_mask(mask, WEIR_MASK_WORDS(mask_width));
    for (size_t i = 0; i < sizeof got; i++) got[i] = (uint8_t)random32();
    memcpy(want, got, sizeof got);
    expect_row(want + (row - got), type, width, mask, mask_width);
    apply_row(set, row, type, width, mask, mask_width);
    if (memcmp(got, want, sizeof got))
        fail_msg("%s: type %d, width %zu, mask %zu", set->name, (int)type,
                 width, mask_width);
}

static void test_kernels(void **state)
{
    (void)state;
    const ApplyKernels *sets[4];
    size_t n = all_sets(sets);
    random_state = 1;
    for (size_t s = 0; s < n; s++)
        for (int round = 0; round < 1500; round++)
            for (int type = WEIR_F32; type <= WEIR_BF16; type++)
                check_random_row(sets[s], (weir_float)type);
}

/* Each kernel's whole words at every count from 0 to 40. */
static void test_word_counts(void **state)
{
    (void)state;
    const ApplyKernels *sets[4];
    size_t n = all_sets(sets);
    int32_t mask[40];
    static uint16_t got[40 * 32 + 1], want[40 * 32 + 1];
    random_state = 2;
    for (size_t s = 0; s < n; s++)
        for (size_t words = 0; words <= 40; words++) {
            random_mask(mask, words);
            for (size_t i = 0; i < COUNT_OF(got); i++)
                want[i] = got[i] = (uint16_t)random32();
            expect_row((uint8_t *)want, WEIR_BF16, 32 * words, mask,
                       32 * words);
            sets[s]->words16(got, mask, words, 0xFF80);
            assert_memory_equal(got, want, sizeof got);
        }
}

static void test_best(void **state)
{
    (void)state;
    const ApplyKernels *sets[4];
    all_sets(sets);
    assert_ptr_equal(apply_best(), sets[0]);
}

static void test_rows(void **state)
{
    (void)state;
    enum { ROWS = 7, WIDTH = 75, STRIDE = 81, WORDS = 4 };
    static uint8_t got[ROWS * STRIDE * 4], want[sizeof got];
    int32_t masks[ROWS * WORDS];
    random_state = 3;
    for (int round = 0; round < 600; round++) {
        weir_float type = (weir_float)(round % 3);
        size_t size = type == WEIR_F32 ? 4 : 2;
        size_t mask_width = random_below(32 * WORDS + 1);
        uint32_t indices[ROWS];
        size_t count = random_below(ROWS + 1);
        bool is_listed = random32() & 1;
        for (size_t i = 0; i < count; i++)
            indices[i] = (uint32_t)random_below(ROWS);
        random_mask(masks, COUNT_OF(masks));
        for (size_t i = 0; i < sizeof got; i++)
            want[i] = got[i] = (uint8_t)random32();
        for (size_t i = 0; i < count; i++) {
            size_t row = is_listed ? indices[i] : i;
            expect_row(want + row * STRIDE * size, type, WIDTH,
                       masks + row * WORDS, mask_width);
        }
        weir_apply_rows(got, type, WIDTH, STRIDE, masks, mask_width, WORDS,
                        is_listed ? indices : NULL, count);
        assert_memory_equal(got, want, sizeof got);
    }
}

static void test_edges(void **state)
{
    (void)state;
    float logits[3] = {1.0f, NAN, 3.0f};
    int32_t mask = 2 | ~7; /* bits at or beyond the width are not looked at */
    weir_apply_f32(NULL, 0, NULL, 0);
    weir_apply_f32(NULL, 0, &mask, 3);
    weir_apply_rows(NULL, WEIR_F32, 0, 0, NULL, 0, 0, NULL, 0);
    weir_apply_f32(logits, 3, &mask, 2);
    assert_true(isinf(logits[0]) && logits[0] < 0);
    assert_true(isnan(logits[1])); /* allowed: untouched */
    assert_true(isinf(logits[2]) && logits[2] < 0);
    weir_apply_f32(logits, 2, NULL, 0);
    assert_true(isinf(logits[1]) && logits[1] < 0);
    uint16_t half[2] = {0x3C00, 0x3C00}; /* 1.0 */
    mask = 1;
    weir_apply(half, WEIR_F16, 2, &mask, 2);
    assert_int_equal(half[0], 0x3C00);
    assert_int_equal(half[1], 0xFC00);
    half[1] = 0x3F80;
    weir_apply(half, WEIR_BF16, 2, &mask, 2);
    assert_int_equal(half[1], 0xFF80);
}

static void test_count(void **state)
{
    (void)state;
    int32_t mask[40];
    random_state = 4;
    for (int round = 0; round < 2000; round++) {
        size_t width = random_below(32 * COUNT_OF(mask) + 1), want = 0;
        uint32_t last = UINT32_MAX, single = UINT32_MAX;
        random_mask(mask, COUNT_OF(mask));
        if (round % 2) {
            memset(mask, 0, sizeof mask);
            size_t bit = random_below(32 * COUNT_OF(mask));
            mask[bit / 32] = (int32_t)(1u << bit % 32);
        }
        for (size_t i = 0; i < width; i++)
            if (bit_of(mask, i)) want++, last = (uint32_t)i;
        assert_int_equal(weir_mask_count(mask, width, &single), want);
        assert_int_equal(single, want == 1 ? last : UINT32_MAX);
        assert_int_equal(weir_mask_count(mask, width, NULL), want);
    }
    assert_int_equal(weir_mask_count(NULL, 0, NULL), 0);
}

/* FNV-1a 64 of no bytes is its offset basis; of the other byte strings, from
 * a calculation in Python's integers:
 *     h = 0xcbf29ce484222325
 *     for b in data: h = (h ^ b) * 0x100000001b3 % 2**64 */
static void test_hash(void **state)
{
    (void)state;
    static int32_t mask[4008];
    assert_true(weir_mask_hash(mask, 128256) == 0xcbf29ce484222325u);
    mask[0] = 1;
    assert_true(weir_mask_hash(mask, 128256) == 0x4d25767f9dce13f5u);
    mask[128009 / 32] = (int32_t)(1u << 128009 % 32);
    assert_true(weir_mask_hash(mask, 128256) == 0xc555566f32748a69u);
    assert_true(weir_mask_hash(mask, 128009) == 0x4d25767f9dce13f5u);
    memset(mask, 0xFF, sizeof mask);
    assert_true(weir_mask_hash(mask, 1000) == 0xb626031ca980b5d5u);
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_word_counts),
        cmocka_unit_test(test_best),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_edges),      cmocka_unit_test(test_count),
        ITEM("item 150: hash", test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
