/* apply_neon.c: the mask kernels for 64-bit ARM, where NEON always exists.
 *
 * In, out: as apply.h says.
 * Method: four words (128 logits) at a time are skipped when all ones; in the
 *        rest each lane tests its own bit of the word and selects between the
 *        logit and minus infinity.
 * Holds: a selection moves bits, so NaN payloads survive.
 * Tests: unit/apply_test.c, on such a machine or an emulated one.
 */
#include "base/cpu.h"
#include "sample/apply.h"

#if CPU_NEON

#include <arm_neon.h>

#define ROUND 4 /* words a round */

static inline bool all_ones(const int32_t *mask)
{
    return vminvq_u32(vreinterpretq_u32_s32(vld1q_s32(mask))) == UINT32_MAX;
}

static void word32(float *logits, int32_t bits)
{
    static const uint32_t first[4] = {1, 2, 4, 8};
    if (bits == -1) return;
    const float32x4_t inf = vdupq_n_f32(-__builtin_inff());
    uint32x4_t word = vdupq_n_u32((uint32_t)bits), lane = vld1q_u32(first);
    for (int k = 0; k < 8; k++, lane = vshlq_n_u32(lane, 4)) {
        uint32x4_t keep = vtstq_u32(word, lane);
        float32x4_t old = vld1q_f32(logits + 4 * k);
        vst1q_f32(logits + 4 * k, vbslq_f32(keep, old, inf));
    }
}

static void neon_words32(void *logits, const int32_t *mask, size_t nwords)
{
    float *out = logits;
    size_t w = 0;
    for (; w + ROUND <= nwords; w += ROUND) {
        if (all_ones(mask + w)) continue;
        for (size_t i = w; i < w + ROUND; i++) word32(out + 32 * i, mask[i]);
    }
    for (; w < nwords; w++) word32(out + 32 * w, mask[w]);
}

static void half16(uint16_t *logits, uint16_t bits, uint16x8_t inf)
{
    static const uint16_t first[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint16x8_t half = vdupq_n_u16(bits), lane = vld1q_u16(first);
    uint16x8_t low = vbslq_u16(vtstq_u16(half, lane), vld1q_u16(logits), inf);
    lane = vshlq_n_u16(lane, 8);
    uint16x8_t high =
        vbslq_u16(vtstq_u16(half, lane), vld1q_u16(logits + 8), inf);
    vst1q_u16(logits, low);
    vst1q_u16(logits + 8, high);
}

static void word16(uint16_t *logits, int32_t bits, uint16x8_t inf)
{
    if (bits == -1) return;
    half16(logits, (uint16_t)bits, inf);
    half16(logits + 16, (uint16_t)((uint32_t)bits >> 16), inf);
}

static void neon_words16(void *logits, const int32_t *mask, size_t nwords,
                         uint16_t value)
{
    const uint16x8_t inf = vdupq_n_u16(value);
    uint16_t *out = logits;
    size_t w = 0;
    for (; w + ROUND <= nwords; w += ROUND) {
        if (all_ones(mask + w)) continue;
        for (size_t i = w; i < w + ROUND; i++)
            word16(out + 32 * i, mask[i], inf);
    }
    for (; w < nwords; w++) word16(out + 32 * w, mask[w], inf);
}

const ApplyKernels *apply_neon(void)
{
    static const ApplyKernels set = {"neon", neon_words32, neon_words16};
    return &set;
}

#else

const ApplyKernels *apply_neon(void)
{
    return NULL;
}

#endif
