/* lark_cut.c: lexemes beside others that end early.
 *
 * Where a lexeme of which D are the shortest texts may begin, reading ends with
 * the first text of D, whatever else might go on: of any other lexeme remain
 * the texts that do not begin with one of D, and of one that ends early itself
 * those that do not go on from one.
 * Cost:  automata, each made once for a lexeme and a set of rivals.
 * Tests: unit/lark_recorded_test.c
 */
#include "syntax/lark_emit.h"

static const Dfa *language(LarkEmit *e, NodeId lexeme)
{
    const Dfa *dfa = node_lang(&e->k->lang, lexeme);
    return dfa ? dfa : lang_none();
}

/* What the rivals take: D and all that goes on from it, or only the latter. An
 * empty text ends nothing. */
static const Dfa *taken(LarkEmit *e, LarkSet rivals, bool is_early)
{
    LangCtx *lang = &e->k->lang.lang;
    LarkSetSpan set = e->sets.at[rivals];
    const Dfa *all = lang_none();
    for (uint32_t i = 0; i < set.count && ir_ok(e->ir); i++) {
        uint32_t symbol = e->set_items.at[set.first + i];
        all = lang_unite(lang, all, language(e, emit_symbol(e, symbol)->value));
    }
    all = lang_subtract(lang, all, lang_empty());
    const Dfa *more =
        is_early ? lang_repeat(lang, lang_any(), 1, LANG_INF) : lang_all();
    return lang_concat(lang, all, more);
}

static NodeId make_cut(LarkEmit *e, LarkCut c)
{
    LangCtx *lang = &e->k->lang.lang;
    const Dfa *all = language(e, c.from), *left = all;
    if (c.rivals)
        left = lang_subtract(lang, left, taken(e, c.rivals, c.is_early));
    if (c.is_full) left = lang_subtract(lang, left, lang_empty());
    if (!ir_ok(e->ir) || lang_equal(left, all)) return c.from;
    return ir_regular(e->ir, left);
}

NodeId emit_cut(LarkEmit *e, NodeId lexeme, LarkSet rivals, bool is_early,
                bool is_full)
{
    const Mem *mem = e->ir->mem;
    is_full = is_full && emit_is_nullable(e, lexeme);
    if (!rivals && !is_full) return lexeme;
    LarkCut c = {lexeme, lexeme, rivals, is_early, is_full};
    uint64_t h = hash_mix(hash_mix(hash_mix(13, lexeme), rivals),
                          (uint64_t)is_early * 2 + is_full);
    for (MapPos p = map_first(&e->cut_index, h); p.value != MAP_NONE;
         p = map_next(&e->cut_index, h, p)) {
        const LarkCut *at = &e->cuts.at[p.value];
        if (at->from == lexeme && at->rivals == rivals &&
            at->is_early == is_early && at->is_full == is_full)
            return at->to;
    }
    c.to = make_cut(e, c);
    if (ir_ok(e->ir) && (!vec_push(mem, &e->cuts, c) ||
                         !map_add(mem, &e->cut_index, h, e->cuts.count - 1)))
        emit_no_memory(e);
    return c.to;
}
