/* lark_fuzz.c: any bytes as a Lark grammar, with hooks that know some of what
 * it names: parts in other languages are a text, grammars exist whose names
 * have an even length, and so do tokens.
 * What holds is in syntax_kit.h.
 */
#include "syntax/lark.h"

#include "fuzz/syntax_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static RuleId part(Ir *ir, Span name)
{
    RuleId rule = ir_rule_new(ir, name, 0);
    if (!ir_ok(ir)) return RULE_NONE;
    ir->rules.at[rule].end = 1;
    ir_rule_set(ir, rule, ir_bytes(ir, SPAN("part")));
    return rule;
}

static RuleId grammar(void *user, Ir *ir, weir_source_kind kind, Span text)
{
    (void)user;
    (void)kind;
    if (text.size != 7) return part(ir, SPAN("nested"));
    diag_fail(&ir->error, WEIR_SYNTAX, 0, 7, "found seven bytes");
    return RULE_NONE;
}

static RuleId named(void *user, Ir *ir, Span name)
{
    (void)user;
    return name.size % 2 ? RULE_NONE : part(ir, name);
}

static bool tokens(void *user, const Mem *mem, Span name, RangeList *ids)
{
    uint32_t id = (uint32_t)name.size;
    (void)user;
    return name.size % 2 || (vec_push(mem, ids, (Range){id, id}) &&
                             vec_push(mem, ids, (Range){id + 7, id + 7}));
}

static bool compile(Ir *ir, Span source)
{
    const LarkOpts opts = {.nested = {NULL, grammar, named, tokens}};
    return lark_compile(ir, source, &opts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_source(data, size, compile);
    return 0;
}
