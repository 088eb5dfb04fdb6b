/* gbnf.c: GBNF, llama.cpp's grammar language -> rules.
 *
 * In:    the text of a grammar. Out: rules in the order in which their names
 *        are first met.
 * Method: one pass by characters, since whether a line end is a blank depends
 * on the open groups: items collect to a sequence, sequences to a choice, with
 * a stack of open groups. No recursion. A rule that is defined again replaces
 * the one before. In the dialect llama.cpp the symbols are kept that
 * llama.cpp would make: it counts them, and looks for left recursion in them.
 * Cost:  linear in the source.
 * Tests: unit/gbnf_test.c, unit/gbnf_recorded_test.c, fuzz/gbnf_fuzz.c.
 */
#include "syntax/gbnf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "syntax/gbnf_parse.h"

/* ---- reports ---- */

static Span symbol_name(const Gbnf *g, uint32_t symbol)
{
    GbnfSymbol s = g->symbols.at[symbol];
    return span_of(g->source.at + s.begin, s.end - s.begin);
}

bool gbnf_fail(Gbnf *g, size_t begin, size_t end, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(&g->ir->error, WEIR_SYNTAX, begin, end, "%s", text);
}

bool gbnf_unexpected(Gbnf *g, const char *expected)
{
    size_t end = g->pos;
    if (end < g->source.size) (void)utf8_decode(g->source, &end);
    return gbnf_fail(g, g->pos, end, "found %s, expected %s",
                     diag_found(g->source, g->pos).text, expected);
}

/* ---- blanks ---- */

static bool is_line_end(uint8_t c)
{
    return c == '\n' || c == '\r';
}

bool gbnf_is_name(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-';
}

void gbnf_skip(Gbnf *g, bool line_ends)
{
    Span s = g->source;
    line_ends |= gbnf_is_nested(g);
    while (g->pos < s.size) {
        uint8_t c = s.at[g->pos];
        if (c == '#')
            while (g->pos < s.size && !is_line_end(s.at[g->pos])) g->pos++;
        else if (c == ' ' || c == '\t' || (line_ends && is_line_end(c)))
            g->pos++;
        else
            break;
    }
}

/* ---- names ---- */

static uint64_t name_hash(Span name)
{
    return hash_bytes(FNV_SEED, name.at, name.size);
}

static uint32_t find_symbol(const Gbnf *g, Span name)
{
    uint64_t h = name_hash(name);
    MapPos p = map_first(&g->names, h);
    while (p.value != MAP_NONE && !span_equal(symbol_name(g, p.value), name))
        p = map_next(&g->names, h, p);
    return p.value == MAP_NONE ? GBNF_NONE : p.value;
}

static bool add_symbol(Gbnf *g, uint32_t begin, uint32_t end, uint32_t *symbol)
{
    Ir *ir = g->ir;
    Span name = span_of(g->source.at + begin, end - begin);
    GbnfSymbol s = {.begin = begin,
                    .end = end,
                    .rule = ir_rule_new(ir, name, 0),
                    .first_lead = GBNF_NONE};
    *symbol = g->symbols.count;
    g->made++;
    if (!ir_ok(ir)) {
        ir->error.begin = begin;
        ir->error.end = end;
        return false;
    }
    ir->rules.at[s.rule].begin = begin;
    ir->rules.at[s.rule].end = end;
    return (vec_push(ir->mem, &g->symbols, s) &&
            map_add(ir->mem, &g->names, name_hash(name), *symbol)) ||
           diag_no_memory(&ir->error);
}

/* Reads a name, which must be there, into the symbol that it names. */
static bool read_name(Gbnf *g, uint32_t *symbol)
{
    size_t begin = g->pos;
    while (g->pos < g->source.size && gbnf_is_name(g->source.at[g->pos]))
        g->pos++;
    if (g->pos == begin) return gbnf_unexpected(g, "the name of a rule");
    *symbol = find_symbol(g, span_of(g->source.at + begin, g->pos - begin));
    return *symbol != GBNF_NONE ||
           add_symbol(g, (uint32_t)begin, (uint32_t)g->pos, symbol);
}

/* ---- groups ---- */

static void begin_sequence(GbnfGroup *group, uint32_t open_leads)
{
    group->leads = open_leads;
    group->is_blocked = false;
    group->is_empty = true;
    group->last = (GbnfItem){.exists = false};
}

static bool open_group(Gbnf *g, uint32_t symbol)
{
    Ir *ir = g->ir;
    if (g->groups.count > ir->limits.max_depth)
        return diag_fail(
            &ir->error, WEIR_LIMIT_DEPTH, g->pos, g->pos + 1,
            "more than %u groups inside each other (limit max_depth)",
            ir->limits.max_depth);
    GbnfGroup group = {.open = (uint32_t)g->pos,
                       .symbol = symbol,
                       .made = g->made,
                       .items = g->items.count,
                       .alts = g->alts.count};
    begin_sequence(&group, g->open_leads.count);
    return vec_push(ir->mem, &g->groups, group) || diag_no_memory(&ir->error);
}

static bool end_sequence(Gbnf *g)
{
    GbnfGroup *group = gbnf_group(g);
    Ir *ir = g->ir;
    NodeId all = ir_seq(ir, vec_from(&g->items, group->items),
                        g->items.count - group->items);
    g->items.count = group->items;
    if (!gbnf_leads_add(g, group->symbol,
                        vec_from(&g->open_leads, group->leads),
                        g->open_leads.count - group->leads, group->is_empty))
        return false;
    g->open_leads.count = group->leads;
    begin_sequence(group, group->leads);
    return vec_push(ir->mem, &g->alts, all) || diag_no_memory(&ir->error);
}

/* The innermost group as a node, no longer open. */
static bool end_group(Gbnf *g, NodeId *node)
{
    if (!end_sequence(g)) return false;
    GbnfGroup group = g->groups.at[--g->groups.count];
    *node = ir_alt(g->ir, vec_from(&g->alts, group.alts),
                   g->alts.count - group.alts);
    g->alts.count = group.alts;
    return ir_ok(g->ir);
}

static bool read_open(Gbnf *g)
{
    uint64_t before = g->made;
    uint32_t helper;
    if (!gbnf_helper(g, &helper) || !open_group(g, helper)) return false;
    gbnf_group(g)->made = before;
    g->pos++;
    gbnf_skip(g, true);
    return true;
}

static bool read_close(Gbnf *g)
{
    NodeId node = NODE_NEVER_ID;
    GbnfGroup group = *gbnf_group(g);
    if (!end_group(g, &node)) return false;
    g->pos++;
    gbnf_skip(g, false);
    return gbnf_push(g, node, group.symbol, g->made - group.made, true);
}

static bool read_reference(Gbnf *g)
{
    uint32_t symbol;
    if (!read_name(g, &symbol)) return false;
    gbnf_skip(g, false);
    return gbnf_push(g, ir_ref(g->ir, g->symbols.at[symbol].rule), symbol, 1,
                     true);
}

static bool read_bar(Gbnf *g)
{
    g->pos++;
    gbnf_skip(g, true);
    return end_sequence(g);
}

/* ---- rules ---- */

/* Reads one item, operator or mark. *done: there is none, the body ends. */
static bool read_word(Gbnf *g, bool *done)
{
    uint8_t c = g->pos < g->source.size ? g->source.at[g->pos] : 0;
    if (gbnf_is_name(c)) return read_reference(g);
    switch (c) {
    case '"':
        return gbnf_string(g);
    case '[':
        return gbnf_class(g);
    case '.':
        return gbnf_dot(g);
    case '<':
    case '!':
        return gbnf_token(g);
    case '(':
        return read_open(g);
    case '|':
        return read_bar(g);
    case '*':
    case '+':
    case '?':
    case '{':
        return gbnf_repeat(g);
    case ')':
        if (gbnf_is_nested(g)) return read_close(g);
        break;
    default:
        break;
    }
    *done = true;
    return !gbnf_is_nested(g) || gbnf_unexpected(g, "')' or more of the group");
}

static bool read_body(Gbnf *g, NodeId *body)
{
    bool done = false;
    g->groups.count = g->items.count = g->alts.count = 0;
    g->open_leads.count = 0;
    gbnf_leads_reset(g, g->present);
    if (!open_group(g, g->present)) return false;
    while (!done)
        if (!read_word(g, &done) || !ir_ok(g->ir)) return false;
    return end_group(g, body);
}

static const char *end_hint(const Gbnf *g)
{
    if (g->pos >= g->source.size) return "";
    switch (g->source.at[g->pos]) {
    case '/':
        return " (comments begin with '#')";
    case '\'':
        return " (strings take double quotes)";
    case ':':
        return " (a rule begins on a line of its own)";
    case '_':
        return " (names have letters, digits and '-')";
    default:
        return "";
    }
}

static bool read_line_end(Gbnf *g)
{
    if (g->pos < g->source.size && !is_line_end(g->source.at[g->pos])) {
        char expected[96];
        snprintf(expected, sizeof expected, "the end of the rule's line%s",
                 end_hint(g));
        return gbnf_unexpected(g, expected);
    }
    gbnf_skip(g, true);
    return true;
}

static bool define(Gbnf *g, uint32_t symbol, size_t begin, size_t end)
{
    GbnfSymbol *s = &g->symbols.at[symbol];
    Rule *rule = &g->ir->rules.at[s->rule];
    if (s->is_defined)
        ir_warn(g->ir, begin, end,
                "rule \"%.*s\" is defined again: the last definition holds",
                (int)MIN(end - begin, 60), (const char *)g->source.at + begin);
    s->is_defined = true;
    rule->begin = (uint32_t)begin;
    rule->end = (uint32_t)end;
    g->nrules++;
    return ir_ok(g->ir);
}

static bool read_assign(Gbnf *g)
{
    gbnf_skip(g, false);
    Span rest = span_of(g->source.at + g->pos, g->source.size - g->pos);
    if (!span_starts(rest, SPAN("::="))) {
        const char *hint = gbnf_is(g, '_') ? end_hint(g) : "";
        char expected[96];
        snprintf(expected, sizeof expected, "::= after the name of a rule%s",
                 hint);
        return gbnf_unexpected(g, expected);
    }
    g->pos += 3;
    gbnf_skip(g, true);
    return true;
}

static bool read_rule(Gbnf *g)
{
    NodeId body = NODE_NEVER_ID;
    size_t begin = g->pos;
    g->groups.count = 0;
    if (!read_name(g, &g->present)) return false;
    size_t end = g->pos;
    if (!read_assign(g) || !define(g, g->present, begin, end) ||
        !read_body(g, &body) || !read_line_end(g))
        return diag_pointer(&g->ir->error, symbol_name(g, g->present));
    ir_rule_set(g->ir, g->symbols.at[g->present].rule, body);
    return ir_ok(g->ir);
}

/* ---- the whole ---- */

static bool check_source(Gbnf *g)
{
    Span s = g->source;
    size_t bad = utf8_check(s);
    const uint8_t *nul = s.size ? memchr(s.at, 0, s.size) : NULL;
    if (s.size > MIN(g->ir->limits.max_source, UINT32_MAX - 1))
        return diag_fail(&g->ir->error, WEIR_LIMIT_BYTES, 0, 0,
                         "source of %zu bytes, expected at most %u", s.size,
                         g->ir->limits.max_source);
    if (nul) bad = MIN(bad, (size_t)(nul - s.at));
    if (bad == s.size) return true;
    return gbnf_fail(g, bad, bad + 1, "found %s, expected UTF-8 text",
                     diag_byte(s.at[bad]).text);
}

static bool check_defined(Gbnf *g)
{
    for (uint32_t i = 0; i < g->symbols.count; i++) {
        GbnfSymbol s = g->symbols.at[i];
        if (s.is_defined || s.is_helper) continue;
        Span name = symbol_name(g, i);
        return diag_fail(&g->ir->error, WEIR_UNDEFINED, s.begin, s.end,
                         "rule \"%.*s\" is not defined",
                         (int)MIN(name.size, 60), (const char *)name.at);
    }
    return true;
}

static bool set_root(Gbnf *g)
{
    Span name = g->opts.root ? span_text(g->opts.root) : SPAN("root");
    uint32_t symbol = find_symbol(g, name);
    if (symbol == GBNF_NONE)
        return diag_fail(&g->ir->error, WEIR_UNDEFINED, 0, 0,
                         "the root rule \"%.*s\" is not defined",
                         (int)MIN(name.size, 60), (const char *)name.at);
    g->ir->root = g->symbols.at[symbol].rule;
    return true;
}

static bool read_all(Gbnf *g)
{
    if (!check_source(g)) return false;
    gbnf_skip(g, true);
    while (g->pos < g->source.size)
        if (!read_rule(g)) return false;
    if (!g->nrules) return gbnf_unexpected(g, "a rule, written name ::= body");
    return check_defined(g) && set_root(g) &&
           (!g->opts.is_llama_cpp || gbnf_leads_check(g));
}

static void gbnf_free(Gbnf *g)
{
    const Mem *mem = g->ir->mem;
    vec_free(mem, &g->symbols);
    map_free(mem, &g->names);
    vec_free(mem, &g->groups);
    vec_free(mem, &g->items);
    vec_free(mem, &g->alts);
    vec_free(mem, &g->run);
    vec_free(mem, &g->open_leads);
    vec_free(mem, &g->leads);
    vec_free(mem, &g->lead_list);
    vec_free(mem, &g->text);
    vec_free(mem, &g->ranges);
}

bool gbnf_compile(Ir *ir, Span source, const GbnfOpts *opts)
{
    if (!ir_ok(ir)) return false;
    Gbnf g = {.ir = ir, .source = source, .present = GBNF_NONE};
    if (opts) g.opts = *opts;
    ir->keeps_dead_ends |= g.opts.is_llama_cpp;
    /* so that the start of an empty list is no null pointer moved by nothing */
    if (vec_reserve(ir->mem, &g.items, 1) &&
        vec_reserve(ir->mem, &g.open_leads, 1) &&
        vec_reserve(ir->mem, &g.leads, 1))
        read_all(&g);
    else
        diag_no_memory(&ir->error);
    gbnf_free(&g);
    return ir_ok(ir);
}
