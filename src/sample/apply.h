/* apply.h: a token mask applied to logits: minus infinity wherever a bit is 0
 * and beyond the mask; everything else stays as it is, NaN included.
 *
 * A kernel set works on whole mask words, 32 logits each; apply_row does the
 * rest. The scalar set is the specification of the others. */
#ifndef WEIR_SAMPLE_APPLY_H
#define WEIR_SAMPLE_APPLY_H

#include "base/port.h"
#include "weir/weir.h"

/* Stores minus infinity in logits[i] for every bit i of `mask` that is 0,
 * i < 32 * nwords. Both are aligned to their elements only. words16 serves
 * f16 and bf16: `value` is the minus infinity of the type. */
typedef struct ApplyKernels {
    const char *name;
    void (*words32)(void *logits, const int32_t *mask, size_t nwords);
    void (*words16)(void *logits, const int32_t *mask, size_t nwords,
                    uint16_t value);
} ApplyKernels;

extern const ApplyKernels apply_scalar;
/* The set, or NULL where this build or this machine has it not. */
const ApplyKernels *apply_avx2(void);
const ApplyKernels *apply_avx512(void);
const ApplyKernels *apply_neon(void);

/* The fastest set here; never NULL. Costs a few loads, once a call of the
 * public functions, which is why no choice is stored. */
const ApplyKernels *apply_best(void);

/* Bytes of one logit. */
size_t apply_element(weir_float type);
/* One row of logits and its mask of mask_width bits. Either may be longer. */
void apply_row(const ApplyKernels *kernels, void *logits, weir_float type,
               size_t logits_width, const int32_t *mask, size_t mask_width);

#endif
