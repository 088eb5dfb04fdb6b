/* lark_terminal.c: terminals, and rules that end early → expressions that
 * denote regular languages.
 *
 * In:    symbols with their nodes. Out: LarkSymbol.value of all lexemes.
 * Method: a terminal after those that it names, by an explicit stack. What has
 * no & and no ~ is made of plain nodes, counts kept as they are; those two need
 * automata. What ends early is cut to its shortest texts: those that do not go
 * on from a shorter one.
 * Cost:  linear, but for automata, charged to the limits.
 * Tests: unit/lark_test.c.
 */
#include "base/utf8.h"
#include "syntax/lark_parse.h"

typedef struct Terminals {
    Lark *k;
    Ir *ir;
    VEC(NodeId) value;  /* by node */
    VEC(uint32_t) todo; /* symbols, the innermost last */
    VEC(NodeId) kids;   /* of one node */
} Terminals;

static LarkWord place_of(const LarkNode *n)
{
    return (LarkWord){LARK_MARK, n->begin, n->end};
}

/* ---- order ---- */

static bool want(Terminals *t, uint32_t symbol, LarkWord at)
{
    LarkSymbol *s = &t->k->symbols.at[symbol];
    if (s->progress == LARK_DONE) return true;
    if (s->progress == LARK_OPEN)
        return lark_fail(t->k, at, WEIR_SYNTAX,
                         "terminal that leads back to itself, expected a rule "
                         "(a name in small letters) for what nests");
    return vec_push(t->ir->mem, &t->todo, symbol) ||
           diag_no_memory(&t->ir->error);
}

/* A terminal is made of texts alone. */
static bool check_node(Terminals *t, const LarkNode *n)
{
    Lark *k = t->k;
    if (n->kind == LARK_PART)
        return lark_fail(k, place_of(n), WEIR_SYNTAX,
                         "found tokens or another grammar in a terminal, "
                         "expected texts and other terminals");
    if (n->kind != LARK_NAME) return true;
    const LarkSymbol *s = &k->symbols.at[n->a];
    if (!s->is_terminal)
        return lark_fail(k, place_of(n), WEIR_SYNTAX,
                         "found the rule \"%s\" in a terminal, expected texts "
                         "and other terminals",
                         diag_shown(lark_symbol_name(k, s)).text);
    return n->b == LARK_NONE || lark_fail(k, place_of(n), WEIR_SYNTAX,
                                          "found an argument of a terminal");
}

/* Wants what a symbol names. */
static bool want_named(Terminals *t, const LarkSymbol *s)
{
    LarkWord name = {LARK_TERMINAL, s->begin, s->end};
    if (s->marker != LARK_NONE && !want(t, s->marker, name)) return false;
    for (LarkId i = s->first; i <= s->body; i++) {
        const LarkNode *n = &t->k->nodes.at[i];
        if (!check_node(t, n)) return false;
        if (n->kind == LARK_NAME && !want(t, n->a, place_of(n))) return false;
    }
    return true;
}

/* ---- values ---- */

static const Dfa *language(Terminals *t, NodeId node)
{
    NodeLang *l = &t->k->lang;
    const Dfa *dfa = node_lang(l, node);
    if (!dfa && l->why)
        diag_fail(&t->ir->error, WEIR_UNSUPPORTED, l->lang.begin, l->lang.end,
                  "terminal that %s", l->why);
    return dfa ? dfa : lang_none();
}

static NodeId all_of(Terminals *t, const LarkNode *n)
{
    LangCtx *lang = &t->k->lang.lang;
    const LarkId *kids = vec_from(&t->k->kids, n->a);
    const Dfa *all = language(t, t->value.at[kids[0]]);
    for (uint32_t i = 1; i < n->b && ir_ok(t->ir); i++)
        all = lang_intersect(lang, all, language(t, t->value.at[kids[i]]));
    return ir_regular(t->ir, all);
}

static NodeId list_value(Terminals *t, const LarkNode *n)
{
    t->kids.count = 0;
    for (uint32_t i = 0; i < n->b; i++) {
        NodeId kid = t->value.at[t->k->kids.at[n->a + i]];
        if (!vec_push(t->ir->mem, &t->kids, kid)) diag_no_memory(&t->ir->error);
    }
    if (!ir_ok(t->ir)) return NODE_NEVER_ID;
    return n->kind == LARK_SEQ ? ir_seq(t->ir, t->kids.at, n->b)
                               : ir_alt(t->ir, t->kids.at, n->b);
}

static NodeId node_value(Terminals *t, const LarkNode *n)
{
    LangCtx *lang = &t->k->lang.lang;
    assert(t->value.at);
    lang->begin = n->begin;
    lang->end = n->end;
    switch (n->kind) {
    case LARK_EMPTY:
        return NODE_EMPTY_ID;
    case LARK_NAME:
        return t->k->symbols.at[n->a].value;
    case LARK_SEQ:
    case LARK_ALT:
        return list_value(t, n);
    case LARK_REPEAT:
        return ir_repeat(t->ir, t->value.at[n->a], n->b, n->c);
    case LARK_AND:
        return all_of(t, n);
    case LARK_NOT:
        return ir_regular(
            t->ir, lang_complement(lang, language(t, t->value.at[n->a])));
    default:
        assert(n->kind == LARK_LEXEME);
        return n->a;
    }
}

/* ---- early ends ---- */

static unsigned edge_bytes(const DfaEdge *e)
{
    uint8_t text[4];
    unsigned lo = utf8_encode(e->lo, text), hi = utf8_encode(e->hi, text);
    return lo == hi ? lo : 0;
}

/* Whether all texts have the same number of bytes. */
static bool has_one_size(Terminals *t, const Dfa *dfa, uint32_t *nbytes)
{
    uint32_t *size = arena_array(&t->k->lang.arena, uint32_t, dfa->nstates + 1);
    if (!size) return diag_no_memory(&t->ir->error);
    memset(size, 0xFF, (dfa->nstates + 1) * sizeof *size);
    size[0] = *nbytes = 0;
    bool is_known = false;
    /* States are numbered in the order in which a search finds them, so that
     * each has an edge from one before it. */
    for (uint32_t q = 0; q < dfa->nstates; q++) {
        if (dfa->accepts[q]) {
            if (is_known && size[q] != *nbytes) return false;
            is_known = true;
            *nbytes = size[q];
        }
        for (uint32_t e = dfa->edge_start[q]; e < dfa->edge_start[q + 1]; e++) {
            unsigned more = edge_bytes(&dfa->edges[e]);
            uint32_t *to = &size[dfa->edges[e].to], sum = size[q] + more;
            if (!more || (*to != UINT32_MAX && *to != sum)) return false;
            *to = sum;
        }
    }
    return true;
}

/* How much of the rule's text its captures leave out. */
static bool hide_marker(Terminals *t, LarkSymbol *s, const Dfa *marker)
{
    uint32_t nbytes = 0;
    LarkWord name = {LARK_RULE, s->begin, s->end};
    if (!(s->options.has & (RULE_HAS_CAPTURE | RULE_HAS_STOP_CAPTURE)))
        return true;
    bool is_fixed =
        has_one_size(t, lang_shortest(&t->k->lang.lang, marker), &nbytes);
    if (!ir_ok(t->ir)) return false;
    if (s->ends == LARK_ENDS_SUFFIX)
        s->options.hidden_suffix = nbytes;
    else
        s->options.hidden_stop = nbytes;
    return is_fixed || lark_fail(t->k, name, WEIR_UNSUPPORTED,
                                 "capture of a rule whose suffix or stop has "
                                 "texts of several lengths, expected one");
}

/* The texts that do not go on from a shorter one, which is not the empty text:
 * it is no end of anything, but one of them all the same. */
static const Dfa *first_ends(LangCtx *lang, const Dfa *all)
{
    const Dfa *full = lang_subtract(lang, all, lang_empty());
    const Dfa *nothing = lang_intersect(lang, all, lang_empty());
    return lang_unite(lang, lang_shortest(lang, full), nothing);
}

static NodeId cut_early(Terminals *t, LarkSymbol *s, NodeId body)
{
    LangCtx *lang = &t->k->lang.lang;
    lang->begin = s->begin;
    lang->end = s->end;
    const Dfa *all = language(t, body);
    if (s->marker != LARK_NONE) {
        const Dfa *marker = language(t, t->k->symbols.at[s->marker].value);
        if (!hide_marker(t, s, marker)) return NODE_NEVER_ID;
        all = lang_concat(lang, all, marker);
    }
    return ir_regular(t->ir, first_ends(lang, all));
}

/* ---- all ---- */

static bool evaluate(Terminals *t, LarkSymbol *s)
{
    if (!vec_reserve(t->ir->mem, &t->value, s->body + 1))
        return diag_no_memory(&t->ir->error);
    assert(t->value.at);
    for (LarkId i = s->first; i <= s->body && ir_ok(t->ir); i++)
        t->value.at[i] = node_value(t, &t->k->nodes.at[i]);
    if (!ir_ok(t->ir)) return false;
    s->value = t->value.at[s->body];
    if (s->ends != LARK_ENDS_LONG) s->value = cut_early(t, s, s->value);
    s->progress = LARK_DONE;
    return ir_ok(t->ir);
}

/* One step on the innermost symbol: asks for what it lacks, or settles it. */
static bool settle(Terminals *t)
{
    LarkSymbol *s = &t->k->symbols.at[t->todo.at[t->todo.count - 1]];
    uint32_t depth = t->todo.count;
    if (s->progress == LARK_DONE) {
        t->todo.count--;
        return true;
    }
    s->progress = LARK_OPEN;
    if (!want_named(t, s)) return false;
    if (t->todo.count > depth) return true;
    if (!evaluate(t, s)) return false;
    t->todo.count--;
    return true;
}

bool lark_terminals(Lark *k)
{
    Terminals t = {.k = k, .ir = k->ir};
    for (uint32_t i = 0; i < k->symbols.count && ir_ok(k->ir); i++) {
        LarkWord none = {0};
        if (!k->symbols.at[i].is_lexeme || !want(&t, i, none)) continue;
        while (t.todo.count && settle(&t)) continue;
        if (!ir_ok(k->ir) && t.todo.count)
            diag_pointer(&k->ir->error,
                         lark_symbol_name(
                             k, &k->symbols.at[t.todo.at[t.todo.count - 1]]));
    }
    vec_free(k->ir->mem, &t.value);
    vec_free(k->ir->mem, &t.todo);
    vec_free(k->ir->mem, &t.kids);
    return ir_ok(k->ir);
}
