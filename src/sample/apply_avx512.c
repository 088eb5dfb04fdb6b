/* apply_avx512.c: the mask kernels for AVX-512 (foundation, byte and word).
 *
 * In, out: as apply.h says.
 * Method: sixteen words (512 logits) at a time are skipped when all ones;
 *        otherwise the mask's bits, inverted, are the predicate of a masked
 *        store of minus infinity, so that logits are never read.
 * Cost:  bound by memory: lines without a zero are not touched.
 * Tests: unit/apply_test.c, where the machine has it.
 */
#include "base/cpu.h"
#include "sample/apply.h"

#if CPU_X86

#include <immintrin.h>

#define AVX512 CPU_TARGET("avx512f,avx512bw")
#define ROUND 16 /* words a round */

AVX512 static inline bool all_ones(const int32_t *mask)
{
    const __m512i ones = _mm512_set1_epi32(-1);
    return !_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(mask), ones);
}

AVX512 static void word32(float *logits, int32_t bits)
{
    const __m512 inf = _mm512_set1_ps(-__builtin_inff());
    uint32_t zeros = ~(uint32_t)bits;
    _mm512_mask_storeu_ps(logits, (__mmask16)zeros, inf);
    _mm512_mask_storeu_ps(logits + 16, (__mmask16)(zeros >> 16), inf);
}

AVX512 static void avx512_words32(void *logits, const int32_t *mask,
                                  size_t nwords)
{
    float *out = logits;
    size_t w = 0;
    for (; w + ROUND <= nwords; w += ROUND) {
        if (all_ones(mask + w)) continue;
        for (size_t i = w; i < w + ROUND; i++) word32(out + 32 * i, mask[i]);
    }
    for (; w < nwords; w++) word32(out + 32 * w, mask[w]);
}

AVX512 static void word16(uint16_t *logits, int32_t bits, __m512i inf)
{
    _mm512_mask_storeu_epi16(logits, (__mmask32) ~(uint32_t)bits, inf);
}

AVX512 static void avx512_words16(void *logits, const int32_t *mask,
                                  size_t nwords, uint16_t value)
{
    const __m512i inf = _mm512_set1_epi16((int16_t)value);
    uint16_t *out = logits;
    size_t w = 0;
    for (; w + ROUND <= nwords; w += ROUND) {
        if (all_ones(mask + w)) continue;
        for (size_t i = w; i < w + ROUND; i++)
            word16(out + 32 * i, mask[i], inf);
    }
    for (; w < nwords; w++) word16(out + 32 * w, mask[w], inf);
}

const ApplyKernels *apply_avx512(void)
{
    static const ApplyKernels set = {"avx512", avx512_words32, avx512_words16};
    return cpu_has_avx512() ? &set : NULL;
}

#else

const ApplyKernels *apply_avx512(void)
{
    return NULL;
}

#endif
