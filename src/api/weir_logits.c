/* weir_logits.c: the public functions on masks and logits, over src/sample/.
 * Tests: unit/apply_test.c, unit/mask_rows_test.c */
#include "sample/apply.h"
#include "sample/maskstat.h"
#include "weir/weir.h"

void weir_apply_f32(float *logits, size_t logits_width, const int32_t *mask,
                    size_t mask_width)
{
    apply_row(apply_best(), logits, WEIR_F32, logits_width, mask, mask_width);
}

void weir_apply(void *logits, weir_float type, size_t logits_width,
                const int32_t *mask, size_t mask_width)
{
    apply_row(apply_best(), logits, type, logits_width, mask, mask_width);
}

void weir_apply_rows(void *logits, weir_float type, size_t logits_width,
                     size_t logits_stride, const int32_t *masks,
                     size_t mask_width, size_t mask_stride,
                     const uint32_t *indices, size_t count)
{
    const ApplyKernels *kernels = apply_best();
    size_t row_bytes = logits_stride * apply_element(type);
    for (size_t i = 0; i < count; i++) {
        size_t row = indices ? indices[i] : i;
        const int32_t *mask = mask_width ? masks + row * mask_stride : NULL;
        apply_row(kernels, (uint8_t *)logits + row * row_bytes, type,
                  logits_width, mask, mask_width);
    }
}

size_t weir_mask_count(const int32_t *mask, size_t width, uint32_t *single)
{
    return maskstat_count(mask, width, single);
}

uint64_t weir_mask_hash(const int32_t *mask, size_t width)
{
    return maskstat_hash(mask, width);
}
