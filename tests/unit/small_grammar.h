/* small_grammar.h: rules for a test, written as EBNF (docs/ebnf.md).
 *
 * EBNF cannot say which rules are frames, so names do: one that begins with a
 * capital is RULE_FRAME, with "S_" RULE_SHARED.
 */
#ifndef WEIR_TESTS_SMALL_GRAMMAR_H
#define WEIR_TESTS_SMALL_GRAMMAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/grammar.h"
#include "syntax/ebnf.h"

static inline void small_ir(Ir *ir, const Mem *mem, const char *source,
                            const weir_limits *limits)
{
    ir_init(ir, mem, limits);
    if (!ebnf_compile(ir, span_text(source), NULL))
        fail_msg("%s\nin: %s", ir->error.message, source);
    for (RuleId r = 0; r < ir->rules.count; r++) {
        Rule *rule = &ir->rules.at[r];
        if (rule->name.at[0] >= 'A' && rule->name.at[0] <= 'Z')
            rule->flags |= RULE_FRAME;
        if (span_starts(rule->name, SPAN("S_"))) rule->flags |= RULE_SHARED;
    }
}

static inline weir_grammar *small_grammar(weir_vocab *vocab, const Mem *mem,
                                          const char *source,
                                          const weir_limits *limits)
{
    Ir ir;
    weir_error err;
    small_ir(&ir, mem, source, limits);
    weir_grammar *g = grammar_from_ir(vocab, &ir, &err);
    if (!g) fail_msg("%s\nin: %s", err.message, source);
    return g;
}

static inline weir_bytes small_bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

#endif
