/* ir_convert.c: a grammar's rules as text, with what was left out of it.
 * Tests: prop/convert_vs_oracle_test.c, unit/convert_test.c */
#include "convert/conversion_text.h"
#include "convert/ir_plain.h"
#include "convert/ir_regex.h"
#include "convert/ir_write.h"

static void put_warnings(const Ir *ir, Scratch *out)
{
    for (uint32_t i = 0; i < ir->warnings.count; i++) {
        scratch_add(out, ir->warnings.at[i].message);
        scratch_text(out, "\n");
    }
}

static bool write_as(Ir *ir, weir_source_kind to, bool is_lenient,
                     Scratch *text)
{
    if (!ir_plain(ir, is_lenient)) return false;
    if (to == WEIR_REGEX) return ir_regex(ir, text);
    return ir_write(ir,
                    to == WEIR_GBNF   ? WRITE_GBNF
                    : to == WEIR_EBNF ? WRITE_EBNF
                                      : WRITE_LARK,
                    text);
}

bool convert_ir(Ir *ir, weir_source_kind to, bool is_lenient,
                ConversionText *out, weir_error *err)
{
    Arena arena;
    *out = (ConversionText){0};
    arena_init(&arena, ir->mem, limit_size(ir->limits.max_memory));
    Scratch text = {.arena = &arena};
    if (write_as(ir, to, is_lenient, &text)) {
        size_t text_size = scratch_begin(&text);
        put_warnings(ir, &text);
        if (arena.failed || !conversion_text_give(&text, text_size, out))
            diag_no_memory(&ir->error);
    }
    *err = ir->error;
    scratch_free(&text);
    arena_free(&arena);
    return ir_ok(ir);
}
