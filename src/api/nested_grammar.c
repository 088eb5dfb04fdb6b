/* nested_grammar.c: see nested_grammar.h.
 *
 * Method: a part is read into an Ir of its own, and imported. A grammar with a
 * name is read once for each source that names it; one that leads back to
 * itself is refused. The sources of all parts together are no longer than one
 * source may be, so that grammars that name each other in many ways end.
 * Tests: unit/lark_nested_test.c
 */
#include "api/nested_grammar.h"

#include "api/objects.h"
#include "base/diag.h"
#include "syntax/ir_import.h"

enum { DEEPEST_NESTING = 32 };

static bool charge(const Nesting *n, Ir *ir, Span text)
{
    if (n->depth >= DEEPEST_NESTING)
        return diag_fail(&ir->error, WEIR_LIMIT_DEPTH, 0, text.size,
                         "more than %u grammars inside each other",
                         (unsigned)DEEPEST_NESTING);
    if (text.size > *n->left)
        return diag_fail(&ir->error, WEIR_LIMIT_BYTES, 0, 0,
                         "found nested grammars of more than %u bytes in all "
                         "(limit max_source)",
                         ir->limits.max_source);
    *n->left -= text.size;
    return true;
}

static RuleId read_part(const Nesting *outer, Ir *ir, weir_source_kind kind,
                        Span text, Span name)
{
    if (!charge(outer, ir, text)) return RULE_NONE;
    Nesting inner = {.outer = outer,
                     .name = name,
                     .vocab = outer->vocab,
                     .opts = outer->opts,
                     .depth = outer->depth + 1,
                     .left = outer->left};
    Ir part;
    RuleId root = RULE_NONE;
    ir_init(&part, ir->mem, &ir->limits);
    grammar_read_nested(&part, &inner, kind, text);
    if (ir_ok(&part))
        root = ir_import(ir, &part);
    else
        ir->error = part.error;
    ir_free(&part);
    vec_free(ir->mem, &inner.named);
    return ir_ok(ir) ? root : RULE_NONE;
}

static RuleId nested_text(void *user, Ir *ir, weir_source_kind kind, Span text)
{
    return read_part(user, ir, kind, text, span_of(NULL, 0));
}

static bool is_open(const Nesting *n, Span name)
{
    for (; n; n = n->outer)
        if (n->name.size && span_equal(n->name, name)) return true;
    return false;
}

static bool reserve_named(Nesting *n, Ir *ir)
{
    size_t count = n->opts->grammar_count;
    if (!vec_reserve(ir->mem, &n->named, count))
        return diag_no_memory(&ir->error);
    while (n->named.count < count) n->named.at[n->named.count++] = RULE_NONE;
    return true;
}

static RuleId nested_named(void *user, Ir *ir, Span name)
{
    Nesting *n = user;
    const weir_compile_opts *o = n->opts;
    size_t i = 0;
    while (i < o->grammar_count &&
           !span_equal(span_from(o->grammars[i].name), name))
        i++;
    if (i == o->grammar_count || !reserve_named(n, ir)) return RULE_NONE;
    if (n->named.at[i] != RULE_NONE) return n->named.at[i];
    if (is_open(n, name)) {
        diag_fail(&ir->error, WEIR_SYNTAX, 0, 0,
                  "grammar \"%s\" leads back to itself", diag_shown(name).text);
        return RULE_NONE;
    }
    const weir_named_grammar *g = &o->grammars[i];
    n->named.at[i] =
        read_part(n, ir, g->kind, span_from(g->source), span_from(g->name));
    return n->named.at[i];
}

static bool nested_tokens(void *user, const Mem *mem, Span name, RangeList *ids)
{
    const Vocab *vocab = &((Nesting *)user)->vocab->vocab;
    for (uint32_t id = vocab_find(vocab, name); id < vocab->ntokens; id++) {
        bool is_hole = vocab->flags[id] & WEIR_TOKEN_HOLE;
        if (is_hole || !span_equal(vocab_bytes(vocab, id), name)) continue;
        if (!vec_push(mem, ids, (Range){id, id})) return false;
    }
    return true;
}

Nested nested_hooks(Nesting *nesting)
{
    return (Nested){nesting, nested_text, nested_named,
                    nesting->vocab ? nested_tokens : NULL};
}
