/* weir_combine.c: union and concatenation of grammars, by their IR. */
#include "api/grammar.h"
#include "api/objects.h"
#include "base/diag.h"
#include "syntax/ir_import.h"

typedef NodeId (*CombineFn)(Ir *ir, const NodeId *kids, uint32_t count);

/* False, and reported, unless there is one and all have its vocabulary. */
static bool check_parts(weir_grammar *const *grammars, size_t count,
                        weir_error *err)
{
    if (!count || count > UINT32_MAX / 2)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %zu grammars, expected at least one", count);
    for (size_t i = 1; i < count; i++)
        if (grammars[i]->vocab != grammars[0]->vocab)
            return diag_fail(err, WEIR_MISMATCH, 0, 0,
                             "grammar %zu is for another vocabulary", i);
    return true;
}

static weir_grammar *combine(weir_grammar *const *grammars, size_t count,
                             CombineFn how, weir_error *err)
{
    weir_error local;
    Ir ir;
    err = error_begin(err, &local);
    if (!check_parts(grammars, count, err)) return NULL;
    Mem mem = grammars[0]->mem;
    ir_init(&ir, &mem, &grammars[0]->ir.limits);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    NodeId *parts = mem_new(&mem, count * sizeof *parts);
    if (!parts) diag_no_memory(&ir.error);
    for (size_t i = 0; parts && i < count; i++) {
        Ir part = grammar_warned(grammars[i]);
        parts[i] = ir_ref(&ir, ir_import(&ir, &part));
    }
    if (parts) ir_rule_set(&ir, ir.root, how(&ir, parts, (uint32_t)count));
    mem_free(&mem, parts, count * sizeof *parts);
    return grammar_from_ir(grammars[0]->vocab, &ir, err);
}

weir_grammar *weir_grammar_union(weir_grammar *const *grammars, size_t count,
                                 weir_error *err)
{
    return combine(grammars, count, ir_alt, err);
}

weir_grammar *weir_grammar_concat(weir_grammar *const *grammars, size_t count,
                                  weir_error *err)
{
    return combine(grammars, count, ir_seq, err);
}
