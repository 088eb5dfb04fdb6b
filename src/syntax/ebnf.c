/* ebnf.c: xgrammar's EBNF → rules.
 *
 * In:    the text of a grammar. Out: rules in the order of definition.
 * Method: a first pass finds the heads of all rules, so that a name may be
 * used before its rule; the second reads the bodies with a stack of open
 * groups: items collect to a sequence, sequences to a choice. No recursion.
 * What is only a hint in the dialect (lookahead) is read and dropped, with a
 * warning. Macros, options and lazy rules have files of their own.
 * Cost:  linear in the source, but for what macros and lazy rules build.
 * Tests: unit/ebnf_test.c, fuzz/ebnf_fuzz.c.
 */
#include "syntax/ebnf.h"

#include "syntax/ebnf_parse.h"

/* ---- words and names ---- */

bool ebnf_unexpected(Ebnf *e, const char *expected)
{
    EbnfWord w = e->lex.word;
    if (w.kind == EBNF_BAD) return false; /* reported by the lexer */
    if (w.kind == EBNF_END)
        return diag_fail(&e->ir->error, WEIR_SYNTAX, w.begin, w.end,
                         "found end of input, expected %s", expected);
    Span text = ebnf_text(&e->lex, w);
    return diag_fail(&e->ir->error, WEIR_SYNTAX, w.begin, w.end,
                     "found %s, expected %s", diag_shown(text).text, expected);
}

bool ebnf_number(Ebnf *e, EbnfWord word, uint32_t max, uint32_t *value)
{
    Span digits = ebnf_text(&e->lex, word);
    uint64_t n = 0;
    for (size_t i = 0; i < digits.size; i++)
        n = MIN(n * 10 + (uint64_t)(digits.at[i] - '0'), (uint64_t)max + 1);
    *value = (uint32_t)n;
    if (n <= max) return true;
    return diag_fail(&e->ir->error, WEIR_SYNTAX, word.begin, word.end,
                     "found %s, expected at most %u", diag_shown(digits).text,
                     max);
}

static uint64_t name_hash(Span name)
{
    return hash_bytes(FNV_SEED, name.at, name.size);
}

static Span rule_name(const Ebnf *e, uint32_t index)
{
    EbnfRule r = e->rules.at[index];
    return span_of(e->lex.source.at + r.begin, r.end - r.begin);
}

RuleId ebnf_find(const Ebnf *e, Span name)
{
    uint64_t h = name_hash(name);
    MapPos p = map_first(&e->names, h);
    while (p.value != MAP_NONE && !span_equal(rule_name(e, p.value), name))
        p = map_next(&e->names, h, p);
    return p.value == MAP_NONE ? RULE_NONE : e->first + p.value;
}

NodeId ebnf_reference(Ebnf *e, EbnfWord name)
{
    Span text = ebnf_text(&e->lex, name);
    RuleId rule = ebnf_find(e, text);
    if (rule != RULE_NONE) return ir_ref(e->ir, rule);
    const char *hint =
        span_equal(text, SPAN(".")) ? " (any character is written [^])" : "";
    diag_fail(&e->ir->error, WEIR_UNDEFINED, name.begin, name.end,
              "rule \"%s\" is not defined%s", diag_shown(text).text, hint);
    return NODE_NEVER_ID;
}

/* ---- first pass: heads ---- */

static bool add_rule(Ebnf *e, Span name, EbnfHead head)
{
    EbnfWord word = e->lex.word;
    weir_error *err = &e->ir->error;
    if (ebnf_is_macro(name))
        return diag_fail(err, WEIR_SYNTAX, word.begin, word.end,
                         "%s is a macro, expected a name for a rule",
                         diag_shown(name).text);
    if (ebnf_find(e, name) != RULE_NONE)
        return diag_fail(err, WEIR_SYNTAX, word.begin, word.end,
                         "rule \"%s\" is defined twice", diag_shown(name).text);
    EbnfRule rule = {word.begin, word.end, head, false};
    RuleId id = ir_rule_new(e->ir, name, 0);
    if (!ir_ok(e->ir)) {
        err->begin = word.begin;
        err->end = word.end;
        return false;
    }
    e->ir->rules.at[id].begin = word.begin;
    e->ir->rules.at[id].end = word.end;
    if (!vec_push(e->ir->mem, &e->rules, rule) ||
        !map_add(e->ir->mem, &e->names, name_hash(name), e->rules.count - 1))
        return diag_no_memory(err);
    return true;
}

static bool declare(Ebnf *e, EbnfHead head)
{
    Span name = ebnf_text(&e->lex, e->lex.word);
    return add_rule(e, name, head) || diag_pointer(&e->ir->error, name);
}

/* What stands where the first rule should: a name without ::=, or no name. */
static bool no_rule(Ebnf *e)
{
    EbnfWord word = e->lex.word;
    Span s = e->lex.source;
    if (word.kind != EBNF_NAME)
        return ebnf_unexpected(e, "a rule, written name ::= body");
    size_t pos = ebnf_skip_blanks(s, word.end);
    return diag_fail(
        &e->ir->error, WEIR_SYNTAX, pos, MIN(pos + 1, s.size),
        "found %s after a name, expected ::=", diag_found(s, pos).text);
}

/* A word of a body, or none at all where a rule should begin. */
static void skip_word(Ebnf *e)
{
    EbnfWord word = e->lex.word;
    Span source = e->lex.source;
    if (word.kind == EBNF_NAME &&
        ebnf_is_assign(source, ebnf_skip_blanks(source, word.end)))
        ebnf_unexpected(e, "a new line before the name of a rule");
    else if (!e->rules.count)
        no_rule(e);
    else
        ebnf_lex_next(&e->lex);
}

/* Looks at one word; false at the end or after a report. */
static bool find_head(Ebnf *e)
{
    EbnfHead head;
    if (e->lex.word.kind == EBNF_END || !ir_ok(e->ir)) return false;
    if (ebnf_head(&e->lex, &head)) {
        if (!declare(e, head)) return false;
        ebnf_lex_jump(&e->lex, head.body);
    } else {
        skip_word(e);
    }
    if (ir_ok(e->ir) || !e->rules.count) return ir_ok(e->ir);
    return diag_pointer(&e->ir->error, rule_name(e, e->rules.count - 1));
}

/* ---- second pass: bodies ---- */

static EbnfGroup *top_group(Ebnf *e)
{
    assert(e->groups.count);
    return &e->groups.at[e->groups.count - 1];
}

static bool open_group(Ebnf *e)
{
    Ir *ir = e->ir;
    EbnfWord word = e->lex.word;
    if (e->groups.count > ir->limits.max_depth)
        return diag_fail(
            &ir->error, WEIR_LIMIT_DEPTH, word.begin, word.end,
            "more than %u groups inside each other (limit max_depth)",
            ir->limits.max_depth);
    EbnfGroup group = {word, e->items.count, e->alts.count, false};
    return vec_push(ir->mem, &e->groups, group) || diag_no_memory(&ir->error);
}

static bool push_item(Ebnf *e, NodeId node)
{
    top_group(e)->can_repeat = true;
    return vec_push(e->ir->mem, &e->items, node) ||
           diag_no_memory(&e->ir->error);
}

static bool end_sequence(Ebnf *e)
{
    EbnfGroup *g = top_group(e);
    g->can_repeat = false;
    if (e->items.count == g->items)
        return ebnf_unexpected(e, "a string, class, name, macro or group");
    NodeId all =
        ir_seq(e->ir, vec_from(&e->items, g->items), e->items.count - g->items);
    e->items.count = g->items;
    return vec_push(e->ir->mem, &e->alts, all) || diag_no_memory(&e->ir->error);
}

/* The innermost group as a node, no longer open. */
static bool end_group(Ebnf *e, NodeId *node)
{
    if (!end_sequence(e)) return false;
    EbnfGroup g = e->groups.at[--e->groups.count];
    *node = ir_alt(e->ir, vec_from(&e->alts, g.alts), e->alts.count - g.alts);
    e->alts.count = g.alts;
    return true;
}

/* ( ) is the empty string. */
static bool close_group(Ebnf *e)
{
    EbnfGroup g = *top_group(e);
    NodeId node = NODE_EMPTY_ID;
    bool is_look = g.open.kind == EBNF_LOOK;
    if (e->groups.count == 1)
        return ebnf_unexpected(e, "the next rule, since no group is open");
    bool is_hollow = e->alts.count == g.alts && e->items.count == g.items;
    if (is_hollow && !is_look)
        e->groups.count--;
    else if (!end_group(e, &node))
        return false;
    if (!is_look) return push_item(e, node);
    ir_warn(e->ir, g.open.begin, e->lex.word.end,
            "lookahead has no effect on what is accepted");
    return ir_ok(e->ir);
}

/* Replaces the last item by its repetition. */
static bool repeat_last(Ebnf *e, uint32_t lo, uint32_t hi)
{
    top_group(e)->can_repeat = false;
    assert(e->items.count);
    NodeId *last = &e->items.at[e->items.count - 1];
    *last = ir_repeat(e->ir, *last, lo, hi);
    return true;
}

/* Leaves the present word at the closing brace. */
static bool read_bounds(Ebnf *e)
{
    uint32_t begin = e->lex.word.begin, lo, hi;
    ebnf_lex_next(&e->lex);
    if (e->lex.word.kind != EBNF_NUMBER)
        return ebnf_unexpected(e, "a number of repeats");
    if (!ebnf_number(e, e->lex.word, EBNF_MAX_REPEAT, &lo)) return false;
    hi = lo;
    ebnf_lex_next(&e->lex);
    if (ebnf_is_mark(&e->lex, ',')) {
        hi = REPEAT_INF;
        ebnf_lex_next(&e->lex);
        if (e->lex.word.kind == EBNF_NUMBER) {
            if (!ebnf_number(e, e->lex.word, EBNF_MAX_REPEAT, &hi))
                return false;
            ebnf_lex_next(&e->lex);
        }
    }
    if (!ebnf_is_mark(&e->lex, '}'))
        return ebnf_unexpected(e, hi == lo ? "',' or '}'" : "'}'");
    if (lo > hi)
        return diag_fail(&e->ir->error, WEIR_SYNTAX, begin, e->lex.word.end,
                         "at least %u and at most %u repeats, expected the "
                         "smaller number first",
                         lo, hi);
    return repeat_last(e, lo, hi);
}

static bool read_repeat(Ebnf *e, uint8_t mark)
{
    EbnfGroup *g = top_group(e);
    if (!g->can_repeat && e->items.count > g->items)
        return ebnf_unexpected(e,
                               "parentheses around what is repeated already");
    if (!g->can_repeat)
        return ebnf_unexpected(e, "a string, class, name, macro or group");
    switch (mark) {
    case '*':
        return repeat_last(e, 0, REPEAT_INF);
    case '+':
        return repeat_last(e, 1, REPEAT_INF);
    case '?':
        return repeat_last(e, 0, 1);
    default:
        return read_bounds(e);
    }
}

static bool read_mark(Ebnf *e)
{
    uint8_t mark = e->lex.source.at[e->lex.word.begin];
    switch (mark) {
    case '|':
        return end_sequence(e);
    case '(':
        return open_group(e);
    case ')':
        return close_group(e);
    case '*':
    case '+':
    case '?':
    case '{':
        return read_repeat(e, mark);
    default:
        return ebnf_unexpected(e, "a string, class, name, macro or group");
    }
}

static bool read_string(Ebnf *e)
{
    e->text.count = 0;
    if (!ebnf_string(&e->lex, e->lex.word, e->ir->mem, &e->text)) return false;
    return push_item(e, ir_bytes(e->ir, span_of(e->text.at, e->text.count)));
}

static bool read_class(Ebnf *e)
{
    bool negated;
    EbnfWord word = e->lex.word;
    e->ranges.count = 0;
    if (!ebnf_class(&e->lex, word, e->ir->mem, &e->ranges, &negated))
        return false;
    NodeId node = ir_class(e->ir, e->ranges.at, e->ranges.count, negated);
    if (node == NODE_NEVER_ID && ir_ok(e->ir))
        ir_warn(e->ir, word.begin, word.end, "this class matches nothing");
    return push_item(e, node);
}

/* A lookahead must be the last thing of a rule. */
static bool read_look(Ebnf *e)
{
    if (e->groups.count > 1)
        return ebnf_unexpected(e, "a lookahead at the end of a rule only");
    return end_sequence(e) && open_group(e);
}

static bool read_name(Ebnf *e)
{
    Span name = ebnf_text(&e->lex, e->lex.word);
    if (ebnf_is_macro(name)) return push_item(e, ebnf_macro(e));
    return push_item(e, ebnf_reference(e, e->lex.word));
}

/* Reads one element or operator; leaves its last word present. */
static bool read_word(Ebnf *e)
{
    switch (e->lex.word.kind) {
    case EBNF_NAME:
        return read_name(e);
    case EBNF_STRING:
        return read_string(e);
    case EBNF_CLASS:
        return read_class(e);
    case EBNF_LOOK:
        return read_look(e);
    case EBNF_MARK:
        return read_mark(e);
    default:
        return ebnf_unexpected(e, "a string, class, name, macro or group");
    }
}

static bool is_rule_end(const Ebnf *e)
{
    EbnfWord word = e->lex.word;
    uint32_t next = e->present + 1;
    return word.kind == EBNF_END ||
           (word.kind == EBNF_NAME && next < e->rules.count &&
            word.begin == e->rules.at[next].begin);
}

/* Ends the body's last sequence, unless a lookahead has ended it. */
static bool end_body(Ebnf *e, bool after_look, NodeId *body)
{
    if (e->groups.count > 1) {
        EbnfWord open = top_group(e)->open;
        return diag_fail(&e->ir->error, WEIR_SYNTAX, open.begin, open.end,
                         "group that is not closed, expected ')'");
    }
    if (!after_look) return end_group(e, body);
    *body = ir_alt(e->ir, e->alts.at, e->alts.count);
    return true;
}

static bool read_body(Ebnf *e, NodeId *body)
{
    bool after_look = false;
    e->groups.count = e->items.count = e->alts.count = 0;
    ebnf_lex_jump(&e->lex, e->rules.at[e->present].head.body);
    if (!open_group(e)) return false;
    while (!is_rule_end(e)) {
        if (after_look)
            return ebnf_unexpected(e, "the next rule after a lookahead");
        bool in_look =
            e->groups.count > 1 && e->groups.at[1].open.kind == EBNF_LOOK;
        if (!read_word(e) || !ir_ok(e->ir)) return false;
        after_look = in_look && e->groups.count == 1;
        ebnf_lex_next(&e->lex);
    }
    return end_body(e, after_look, body);
}

static void read_rules(Ebnf *e)
{
    for (uint32_t i = 0; i < e->rules.count && ir_ok(e->ir); i++) {
        NodeId body = NODE_NEVER_ID;
        e->present = i;
        ebnf_options(e, i);
        if (ir_ok(e->ir) && read_body(e, &body))
            ir_rule_set(e->ir, e->first + i, body);
        if (!ir_ok(e->ir)) diag_pointer(&e->ir->error, rule_name(e, i));
    }
}

/* ---- the whole ---- */

static void set_root(Ebnf *e, const char *root)
{
    Span name = root ? span_text(root) : SPAN("root");
    e->ir->root = ebnf_find(e, name);
    if (e->ir->root == RULE_NONE && ir_ok(e->ir))
        diag_fail(&e->ir->error, WEIR_UNDEFINED, 0, 0,
                  "the root rule \"%s\" is not defined", diag_shown(name).text);
}

static void ebnf_free(Ebnf *e)
{
    const Mem *mem = e->ir->mem;
    vec_free(mem, &e->rules);
    map_free(mem, &e->names);
    vec_free(mem, &e->groups);
    vec_free(mem, &e->items);
    vec_free(mem, &e->alts);
    vec_free(mem, &e->text);
    vec_free(mem, &e->ranges);
}

bool ebnf_compile(Ir *ir, Span source, const char *root)
{
    if (!ir_ok(ir)) return false;
    if (source.size > MIN(ir->limits.max_source, UINT32_MAX - 1))
        return diag_fail(&ir->error, WEIR_LIMIT_BYTES, 0, 0,
                         "source of %zu bytes, expected at most %u",
                         source.size, ir->limits.max_source);
    Ebnf e = {.ir = ir, .first = ir->rules.count};
    ebnf_lex_init(&e.lex, source, &ir->error);
    while (find_head(&e)) continue;
    if (ir_ok(ir)) set_root(&e, root);
    if (ir_ok(ir)) read_rules(&e);
    if (ir_ok(ir)) ebnf_cut_lazy(&e);
    ebnf_free(&e);
    return ir_ok(ir);
}
