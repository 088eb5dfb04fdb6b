/* conversion_text.c: see conversion_text.h. Tests: unit/convert_test.c */
#include "convert/conversion_text.h"

bool conversion_text_give(const Scratch *stack, size_t text_size,
                          ConversionText *out)
{
    Span all = scratch_view(stack, 0);
    uint8_t *at = mem_new(stack->arena->mem, MAX(all.size, (size_t)1));
    if (!at) return false;
    memcpy(at, all.at, all.size);
    *out = (ConversionText){at, text_size, all.size - text_size};
    return true;
}

void conversion_text_free(const Mem *mem, ConversionText *out)
{
    size_t size = out->text_size + out->warnings_size;
    mem_free(mem, out->at, MAX(size, (size_t)1));
    *out = (ConversionText){0};
}

bool conversion_fits(Ir *ir, const Scratch *stack)
{
    if (stack->arena->failed && stack->arena->hit_limit)
        diag_fail(&ir->error, WEIR_LIMIT_MEMORY, 0, 0,
                  "found more than %llu bytes of grammar (limit max_memory)",
                  (unsigned long long)ir->limits.max_memory);
    else if (stack->arena->failed)
        diag_no_memory(&ir->error);
    return ir_ok(ir);
}
