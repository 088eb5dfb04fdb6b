/* apply.c: rows of logits under a mask, and the scalar kernels.
 *
 * In:    logits (f32, f16, bf16), mask words, both widths.
 * Out:   the logits, changed in place.
 * Method: whole words by a kernel set; the bits of a last, partial word one by
 *        one; what lies beyond the mask as if under words of zeros.
 * Holds: a logit whose bit is 1 is never written, so a NaN or any other value
 *        there keeps its bits; bits of the last word at or beyond the mask's
 *        width are not looked at.
 * Cost:  bound by memory: it reads the mask and writes what changes.
 * Tests: unit/apply_test.c (every set against plain loops).
 */
#include "sample/apply.h"

#define F32_MINUS_INF 0xFF800000u
#define F16_MINUS_INF 0xFC00u
#define BF16_MINUS_INF 0xFF80u

/* ---- scalar kernels: the specification -------------------------------- */

/* memcpy, since the caller's storage is float, _Float16, or bare bytes. */
static void store32(void *logits, size_t i)
{
    uint32_t value = F32_MINUS_INF;
    memcpy((uint8_t *)logits + 4 * i, &value, sizeof value);
}

static void store16(void *logits, size_t i, uint16_t value)
{
    memcpy((uint8_t *)logits + 2 * i, &value, sizeof value);
}

static void scalar_words32(void *logits, const int32_t *mask, size_t nwords)
{
    for (size_t w = 0; w < nwords; w++)
        for (uint32_t zeros = ~(uint32_t)mask[w]; zeros; zeros &= zeros - 1)
            store32(logits, 32 * w + bit_lowest(zeros));
}

static void scalar_words16(void *logits, const int32_t *mask, size_t nwords,
                           uint16_t value)
{
    for (size_t w = 0; w < nwords; w++)
        for (uint32_t zeros = ~(uint32_t)mask[w]; zeros; zeros &= zeros - 1)
            store16(logits, 32 * w + bit_lowest(zeros), value);
}

const ApplyKernels apply_scalar = {"scalar", scalar_words32, scalar_words16};

/* ---- rows ------------------------------------------------------------- */

const ApplyKernels *apply_best(void)
{
    const ApplyKernels *best = apply_avx512();
    if (!best) best = apply_avx2();
    if (!best) best = apply_neon();
    return best ? best : &apply_scalar;
}

size_t apply_element(weir_float type)
{
    return type == WEIR_F32 ? 4 : 2;
}

/* A row in one of the two element sizes. */
typedef struct Row {
    const ApplyKernels *kernels;
    uint8_t *logits;
    weir_float type;
} Row;

static uint16_t minus_inf16(weir_float type)
{
    return type == WEIR_F16 ? F16_MINUS_INF : BF16_MINUS_INF;
}

static void row_words(const Row *row, size_t at, const int32_t *mask,
                      size_t nwords)
{
    void *logits = row->logits + at * apply_element(row->type);
    if (row->type == WEIR_F32)
        row->kernels->words32(logits, mask, nwords);
    else
        row->kernels->words16(logits, mask, nwords, minus_inf16(row->type));
}

/* The logits from `at` on for which `word` has a 0, lowest bit first. */
static void row_bits(const Row *row, size_t at, size_t count, uint32_t word)
{
    assert(count < 32);
    for (size_t i = 0; i < count; i++) {
        if (word >> i & 1) continue;
        if (row->type == WEIR_F32)
            store32(row->logits, at + i);
        else
            store16(row->logits, at + i, minus_inf16(row->type));
    }
}

static void row_fill(const Row *row, size_t at, size_t end)
{
    static const int32_t zeros[32] = {0};
    while (end - at >= 32) {
        size_t nwords = MIN((end - at) / 32, COUNT_OF(zeros));
        row_words(row, at, zeros, nwords);
        at += 32 * nwords;
    }
    row_bits(row, at, end - at, 0);
}

void apply_row(const ApplyKernels *kernels, void *logits, weir_float type,
               size_t logits_width, const int32_t *mask, size_t mask_width)
{
    assert(logits || !logits_width);
    assert(mask || !mask_width);
    if (!logits_width) return;
    Row row = {kernels, logits, type};
    size_t covered = MIN(logits_width, mask_width);
    size_t whole = covered & ~(size_t)31;
    row_words(&row, 0, mask, whole / 32);
    if (covered > whole)
        row_bits(&row, whole, covered - whole, (uint32_t)mask[whole / 32]);
    row_fill(&row, covered, logits_width);
}
