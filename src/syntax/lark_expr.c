/* lark_expr.c: bodies of Lark's rules and terminals → nodes.
 *
 *     a b | c & ~d* | (e | [f])~2..3 -> alias %if cond
 *
 * Method: a stack of open groups; items collect to a sequence, sequences to a
 * conjunction (&), these to a choice (|). A line ends the body, unless the
 * next one goes on with |. No recursion.
 * Cost:  linear. Tests: unit/lark_test.c.
 */
#include "syntax/lark_parse.h"

static LarkGroup *top_group(Lark *k)
{
    assert(k->scratch.groups.count);
    return &k->scratch.groups.at[k->scratch.groups.count - 1];
}

static bool no_memory(Lark *k)
{
    return diag_no_memory(&k->ir->error);
}

static LarkWord span_word(const LarkWord *open, const Lark *k)
{
    return (LarkWord){LARK_MARK, open->begin, k->lex.word.end};
}

static bool open_group(Lark *k, uint32_t nots)
{
    LarkScratch *s = &k->scratch;
    if (s->groups.count > k->ir->limits.max_depth)
        return lark_fail(
            k, k->lex.word, WEIR_LIMIT_DEPTH,
            "more than %u groups inside each other (limit max_depth)",
            k->ir->limits.max_depth);
    LarkGroup group = {k->lex.word,   s->items.count, s->conj.count,
                       s->alts.count, nots,           false,
                       false};
    return vec_push(k->ir->mem, &s->groups, group) || no_memory(k);
}

static LarkId negate(Lark *k, LarkId node, uint32_t nots, LarkWord at)
{
    if (!(nots & 1)) return node;
    return lark_node(k, (LarkNode){LARK_NOT, node, 0, 0, at.begin, at.end});
}

static bool push_item(Lark *k, LarkId node)
{
    top_group(k)->can_repeat = true;
    return ir_ok(k->ir) &&
           (vec_push(k->ir->mem, &k->scratch.items, node) || no_memory(k));
}

/* The items since the last | or & become a sequence. */
static bool end_sequence(Lark *k)
{
    LarkScratch *s = &k->scratch;
    LarkGroup *g = top_group(k);
    g->can_repeat = false;
    const LarkId *items = vec_from(&s->items, g->items);
    LarkId all = lark_list(k, LARK_SEQ, items, s->items.count - g->items,
                           span_word(&g->open, k));
    s->items.count = g->items;
    return ir_ok(k->ir) &&
           (vec_push(k->ir->mem, &s->conj, all) || no_memory(k));
}

static bool is_terminal(const Lark *k)
{
    return k->symbols.at[k->present].is_terminal;
}

/* %if behind an alternative. */
static bool guard(Lark *k, LarkId *node)
{
    LarkWord at = k->lex.word;
    uint32_t condition;
    if (at.kind != LARK_DIRECTIVE) return true;
    if (!k->symbols.at[k->present].is_parametric)
        return lark_fail(k, at, WEIR_SYNTAX,
                         "found %%if in what takes no parameter, expected it "
                         "in a rule written name::_");
    lark_lex_next(&k->lex);
    if (!lark_condition(k, &condition)) return false;
    *node = lark_node(
        k, (LarkNode){LARK_GUARDED, *node, condition, 0, at.begin, at.end});
    return ir_ok(k->ir);
}

/* What Lark's trees call an alternative. */
static bool skip_alias(Lark *k)
{
    if (!lark_is(&k->lex, "->")) return true;
    lark_lex_next(&k->lex);
    if (k->lex.word.kind != LARK_RULE) return lark_unexpected(k, "an alias");
    lark_lex_next(&k->lex);
    return true;
}

/* The sequences since the last | become an alternative. */
static bool end_alternative(Lark *k)
{
    LarkScratch *s = &k->scratch;
    LarkGroup *g = top_group(k);
    if (g->is_ended) return true;
    if (!end_sequence(k)) return false;
    LarkId all = lark_list(k, LARK_AND, vec_from(&s->conj, g->conj),
                           s->conj.count - g->conj, span_word(&g->open, k));
    s->conj.count = g->conj;
    return ir_ok(k->ir) && skip_alias(k) && guard(k, &all) &&
           (vec_push(k->ir->mem, &s->alts, all) || no_memory(k));
}

/* The innermost group as a node, no longer open. */
static bool end_group(Lark *k, LarkId *node)
{
    LarkScratch *s = &k->scratch;
    if (!end_alternative(k)) return false;
    LarkGroup g = s->groups.at[--s->groups.count];
    *node = lark_list(k, LARK_ALT, vec_from(&s->alts, g.alts),
                      s->alts.count - g.alts, span_word(&g.open, k));
    s->alts.count = g.alts;
    return ir_ok(k->ir);
}

static LarkId repeated(Lark *k, LarkId node, uint32_t lo, uint32_t hi,
                       LarkWord at)
{
    return lark_node(k,
                     (LarkNode){LARK_REPEAT, node, lo, hi, at.begin, at.end});
}

/* ( ) and [ ], which is optional. Moves past the bracket. */
static bool close_group(Lark *k)
{
    LarkGroup *g = top_group(k);
    bool is_optional = lark_word_is(&k->lex, g->open, "[");
    const char *close = is_optional ? "]" : ")";
    LarkWord open = g->open;
    uint32_t nots = g->nots;
    LarkId node;
    if (!end_group(k, &node) ||
        !lark_expect(k, close, is_optional ? "']'" : "')'"))
        return false;
    if (is_optional) node = repeated(k, node, 0, 1, open);
    return push_item(k, negate(k, node, nots, open));
}

/* ---- repetition ---- */

static bool read_count(Lark *k, uint32_t *count)
{
    uint64_t n;
    if (k->lex.word.kind != LARK_NUMBER)
        return lark_unexpected(k, "a number of repeats");
    if (!lark_number(k, k->lex.word, LARK_MAX_REPEAT, &n)) return false;
    *count = (uint32_t)n;
    lark_lex_next(&k->lex);
    return true;
}

/* {n} {m,n} {m,} {,n}, behind the brace. */
static bool read_braces(Lark *k, uint32_t *lo, uint32_t *hi)
{
    *lo = 0;
    if (!lark_is(&k->lex, ",") && !read_count(k, lo)) return false;
    *hi = *lo;
    if (lark_is(&k->lex, ",")) {
        lark_lex_next(&k->lex);
        *hi = REPEAT_INF;
        if (k->lex.word.kind == LARK_NUMBER && !read_count(k, hi)) return false;
    }
    return lark_expect(k, "}", *hi == *lo ? "',' or '}'" : "'}'");
}

/* ~n ~m..n, behind the tilde. */
static bool read_tilde(Lark *k, uint32_t *lo, uint32_t *hi)
{
    if (!read_count(k, lo)) return false;
    *hi = *lo;
    if (!lark_is(&k->lex, "..")) return true;
    lark_lex_next(&k->lex);
    return read_count(k, hi);
}

static bool read_bounds(Lark *k, uint32_t *lo, uint32_t *hi)
{
    LarkWord at = k->lex.word;
    bool is_tilde = lark_is(&k->lex, "~");
    lark_lex_next(&k->lex);
    if (is_tilde ? !read_tilde(k, lo, hi) : !read_braces(k, lo, hi))
        return false;
    return *lo <= *hi ||
           lark_fail(k, at, WEIR_SYNTAX,
                     "at least %u and at most %u repeats, expected the smaller "
                     "number first",
                     *lo, *hi);
}

static bool read_repeat(Lark *k)
{
    LarkScratch *s = &k->scratch;
    LarkGroup *g = top_group(k);
    LarkWord at = k->lex.word;
    uint32_t lo = 0, hi = REPEAT_INF;
    uint8_t mark = k->lex.source.at[at.begin];
    if (!g->can_repeat && s->items.count > g->items)
        return lark_unexpected(k,
                               "parentheses around what is repeated already");
    if (!g->can_repeat)
        return lark_unexpected(k, "a string, regular expression, name or group "
                                  "before it");
    if (mark == '+') lo = 1;
    if (mark == '?') hi = 1;
    if (mark == '~' || mark == '{') {
        if (!read_bounds(k, &lo, &hi)) return false;
    } else {
        lark_lex_next(&k->lex);
    }
    g = top_group(k);
    g->can_repeat = false;
    LarkId *last = &s->items.at[s->items.count - 1];
    *last = repeated(k, *last, lo, hi, at);
    return ir_ok(k->ir);
}

/* ---- words ---- */

/* & is of terminals only, and so is ~ before something. */
static bool needs_terminal(Lark *k)
{
    return is_terminal(k) ||
           lark_fail(k, k->lex.word, WEIR_SYNTAX,
                     "found %s in a rule, expected it in a terminal (a name in "
                     "capitals)",
                     diag_shown(lark_text(&k->lex, k->lex.word)).text);
}

static bool read_and(Lark *k)
{
    if (!needs_terminal(k) || !end_sequence(k)) return false;
    lark_lex_next(&k->lex);
    return true;
}

static bool read_or(Lark *k)
{
    if (!end_alternative(k)) return false;
    top_group(k)->is_ended = false;
    lark_lex_next(&k->lex);
    return true;
}

/* An atom or an opening bracket, with the ~ before it. */
static bool read_operand(Lark *k)
{
    LarkWord at = k->lex.word;
    uint32_t nots = 0;
    for (; lark_is(&k->lex, "~"); nots++) {
        if (!needs_terminal(k)) return false;
        lark_lex_next(&k->lex);
    }
    if (lark_is(&k->lex, "(") || lark_is(&k->lex, "[")) {
        if (!open_group(k, nots)) return false;
        lark_lex_next(&k->lex);
        return true;
    }
    if (!lark_begins_atom(k))
        return lark_unexpected(k,
                               "a string, regular expression, name or group");
    LarkId atom = lark_atom(k);
    return ir_ok(k->ir) && push_item(k, negate(k, atom, nots, at));
}

static bool is_repeat(const Lark *k)
{
    const LarkLexer *lex = &k->lex;
    if (lark_is(lex, "~")) return lark_lex_peek(lex).kind == LARK_NUMBER;
    return lark_is(lex, "*") || lark_is(lex, "+") || lark_is(lex, "?") ||
           lark_is(lex, "{");
}

/* Whether the alternative ends here, not with | or a bracket. */
static bool at_tail(const Lark *k)
{
    Span text = lark_text(&k->lex, k->lex.word);
    return lark_is(&k->lex, "->") || (k->lex.word.kind == LARK_DIRECTIVE &&
                                      span_equal(text, SPAN("%if")));
}

static bool read_word(Lark *k)
{
    if (lark_is(&k->lex, "|")) return read_or(k);
    if (lark_is(&k->lex, "&")) return read_and(k);
    if (lark_is(&k->lex, ")") || lark_is(&k->lex, "]")) {
        if (k->scratch.groups.count > 1) return close_group(k);
        return lark_unexpected(k, "the next rule, since no group is open");
    }
    if (top_group(k)->is_ended)
        return lark_unexpected(k, "'|' or the end of the alternative");
    if (at_tail(k)) {
        if (!end_alternative(k)) return false;
        top_group(k)->is_ended = true;
        return true;
    }
    return is_repeat(k) ? read_repeat(k) : read_operand(k);
}

/* The line ends: whether the next one goes on. */
static bool goes_on(Lark *k)
{
    if (k->lex.word.kind != LARK_LINE) return false;
    LarkWord next = lark_lex_peek(&k->lex);
    if (!lark_word_is(&k->lex, next, "|")) return false;
    lark_lex_next(&k->lex);
    return true;
}

static bool is_body_end(Lark *k)
{
    LarkWordKind kind = k->lex.word.kind;
    return kind == LARK_END || (kind == LARK_LINE && !goes_on(k));
}

static bool read_sequence_of_words(Lark *k)
{
    while (!is_body_end(k))
        if (!ir_ok(k->ir) || !read_word(k)) return false;
    return true;
}

bool lark_body(Lark *k, uint32_t symbol)
{
    LarkScratch *s = &k->scratch;
    LarkId body;
    s->groups.count = s->items.count = s->conj.count = s->alts.count = 0;
    k->symbols.at[symbol].first = k->nodes.count;
    if (!open_group(k, 0) || !read_sequence_of_words(k)) return false;
    if (s->groups.count > 1) {
        LarkWord open = top_group(k)->open;
        return lark_fail(k, open, WEIR_SYNTAX,
                         "group that is not closed on its line, expected '%c'",
                         k->lex.source.at[open.begin] == '[' ? ']' : ')');
    }
    if (!end_group(k, &body)) return false;
    k->symbols.at[symbol].body = body;
    return true;
}
