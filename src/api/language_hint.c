/* language_hint.c: see language_hint.h.
 *
 * How rules are written tells Lark from the others; EBNF and GBNF are told
 * apart by whether the text can be read.
 * Cost:  up to two more readings, after an error only.
 * Tests: unit/language_hint_test.c
 */
#include "api/language_hint.h"

#include "syntax/ebnf.h"
#include "syntax/gbnf.h"
#include "text/grammar_heads.h"

static bool is_read(const Ir *ir, Span source, bool is_ebnf)
{
    Ir other;
    ir_init(&other, ir->mem, &ir->limits);
    bool done = is_ebnf ? ebnf_compile(&other, source, NULL)
                        : gbnf_compile(&other, source, NULL);
    ir_free(&other);
    return done;
}

static const char *hint(const Ir *ir, weir_source_kind kind, Span source)
{
    GrammarLook look = grammar_look(source);
    if (look == LOOKS_LIKE_LARK && kind != WEIR_LARK)
        return " (the text looks like Lark, with ':' in place of '::=')";
    if (look != LOOKS_LIKE_BNF) return NULL;
    if (kind != WEIR_EBNF && is_read(ir, source, true))
        return " (the text is EBNF)";
    if (kind != WEIR_GBNF && is_read(ir, source, false))
        return " (the text is GBNF)";
    return kind == WEIR_LARK ? " (the text looks like EBNF or GBNF, with '::=')"
                             : NULL;
}

void language_hint(Ir *ir, weir_source_kind kind, Span source)
{
    weir_error *err = &ir->error;
    if (err->status != WEIR_SYNTAX && err->status != WEIR_UNDEFINED) return;
    const char *text = hint(ir, kind, source);
    if (!text) return;
    size_t room = sizeof err->message - strlen(text) - 1;
    size_t size = MIN(strlen(err->message), room);
    memcpy(err->message + size, text, strlen(text) + 1);
}
