/* ir_write.c: see ir_write.h.
 *
 * Method: a rule is a line; rules that it names wait in a list. So do parts
 *         that are nested deeper than DEEPEST, which become rules of their own.
 *         Names, characters and tokens are what the languages write in
 *         different ways.
 * Cost:   linear in the text.
 * Tests:  prop/convert_vs_oracle_test.c, unit/convert_test.c
 */
#include "convert/ir_write.h"

#include "convert/conversion_text.h"

#include <stdio.h>

#include "base/utf8.h"

enum { DEEPEST = 100, MOST_TOKENS = 10000 };

/* How tightly what surrounds a part binds. */
typedef enum Level { IN_CHOICE, IN_SEQUENCE, IN_REPEAT } Level;

typedef struct Named {
    RuleId rule; /* RULE_NONE: a part of a rule, `body` */
    NodeId body;
    Span name;
} Named;

typedef struct Writer {
    Ir *ir;
    WrittenLanguage language;
    Scratch *out;
    VEC(Named) named;      /* in the order in which they are written */
    VEC(uint32_t) by_rule; /* number in `named`, or UINT32_MAX */
    Map taken;             /* names -> named */
    uint32_t nothing;      /* the rule without a text; UINT32_MAX: none yet */
} Writer;

static bool ok(const Writer *w)
{
    return ir_ok(w->ir) && !w->out->arena->failed;
}

static void put(Writer *w, const char *text)
{
    scratch_text(w->out, text);
}

static const struct {
    const char *name, *root, *assign;
    char joint; /* in names */
} languages[] = {
    [WRITE_GBNF] = {"GBNF", "root", " ::= ", '-'},
    [WRITE_EBNF] = {"EBNF", "root", " ::= ", '-'},
    [WRITE_LARK] = {"Lark", "start", ": ", '_'},
};

static void refuse(Writer *w, const char *what)
{
    diag_fail(&w->ir->error, WEIR_UNSUPPORTED, 0, 0,
              "found %s, which %s cannot say", what,
              languages[w->language].name);
}

/* ---- names ---- */

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_taken(const Writer *w, Span name)
{
    uint64_t hash = hash_bytes(6, name.at, name.size);
    for (MapPos p = map_first(&w->taken, hash); p.value != MAP_NONE;
         p = map_next(&w->taken, hash, p)) {
        assert(p.value < w->named.count && w->named.at);
        if (span_equal(w->named.at[p.value].name, name)) return true;
    }
    return false;
}

/* Names that EBNF takes for macros when a group follows. */
static bool is_macro(const Writer *w, Span name)
{
    static const char *const macros[] = {"Regex",       "Substring",
                                         "Token",       "ExcludeToken",
                                         "TagDispatch", "TokenTagDispatch"};
    for (size_t i = 0; i < COUNT_OF(macros); i++)
        if (span_equal(name, span_text(macros[i])))
            return w->language == WRITE_EBNF;
    return false;
}

static void put_joint(Writer *w)
{
    scratch_add(w->out, span_of(&languages[w->language].joint, 1));
}

/* Capitals would make a terminal in Lark. */
static void put_letter(Writer *w, uint8_t c)
{
    if (w->language == WRITE_LARK && c >= 'A' && c <= 'Z') c |= 0x20;
    scratch_add(w->out, span_of(&c, 1));
}

/* From the first letter on, a joint for each run of what is no letter or digit;
 * a number behind it where another rule has the name. */
static Span new_name(Writer *w, Span wanted)
{
    Scratch *s = w->out;
    size_t from = scratch_begin(s), i = 0;
    while (i < wanted.size && !is_letter(wanted.at[i])) i++;
    if (i == wanted.size) put(w, "rule");
    for (bool was_fine = true; i < wanted.size; i++) {
        uint8_t c = wanted.at[i];
        bool is_fine = is_letter(c) || (c >= '0' && c <= '9');
        if (is_fine)
            put_letter(w, c);
        else if (was_fine)
            put_joint(w);
        was_fine = is_fine;
    }
    size_t plain = scratch_begin(s);
    uint32_t number = w->named.count;
    while (ok(w) && (is_taken(w, scratch_view(s, from)) ||
                     is_macro(w, scratch_view(s, from)))) {
        scratch_drop(s, plain);
        put_joint(w);
        scratch_number(s, number++);
    }
    return scratch_take(s, from);
}

static uint32_t add_named(Writer *w, RuleId rule, NodeId body, Span wanted)
{
    uint32_t number = w->named.count;
    const Mem *mem = w->ir->mem;
    Named n = {rule, body, new_name(w, wanted)};
    uint64_t hash = hash_bytes(6, n.name.at, n.name.size);
    if (ok(w) && (!vec_push(mem, &w->named, n) ||
                  !map_add(mem, &w->taken, hash, number)))
        diag_no_memory(&w->ir->error);
    return number;
}

static void put_name(Writer *w, uint32_t number)
{
    if (ok(w)) scratch_add(w->out, w->named.at[number].name);
}

static void put_rule(Writer *w, RuleId rule)
{
    if (w->by_rule.at[rule] == UINT32_MAX) {
        const Rule *r = &w->ir->rules.at[rule];
        w->by_rule.at[rule] = add_named(w, rule, r->body, r->name);
    }
    put_name(w, w->by_rule.at[rule]);
}

/* ---- characters ---- */

static void put_escape(Writer *w, uint32_t rune)
{
    char text[16];
    snprintf(text, sizeof text, rune > 0xFFFF ? "\\U%08X" : "\\u%04X",
             (unsigned)rune);
    put(w, text);
}

static void put_literal(Writer *w, Span bytes)
{
    put(w, "\"");
    for (size_t i = 0; i < bytes.size;) {
        size_t from = i;
        uint32_t rune = utf8_decode(bytes, &i);
        if (rune == RUNE_BAD) {
            refuse(w, "bytes that are not UTF-8");
            return;
        }
        if (rune == '"' || rune == '\\') put(w, "\\");
        if (rune < 0x20 || rune == 0x7F)
            put_escape(w, rune);
        else
            scratch_add(w->out, span_of(bytes.at + from, i - from));
    }
    put(w, "\"");
}

static void put_member(Writer *w, uint32_t rune)
{
    char text[16] = {(char)rune, 0};
    bool is_plain = rune < 0x80 &&
                    (is_letter((uint8_t)rune) || (rune >= '0' && rune <= '9'));
    if (w->language == WRITE_LARK && !is_plain)
        snprintf(text, sizeof text, "\\u{%X}", (unsigned)rune);
    if (is_plain || w->language == WRITE_LARK)
        put(w, text);
    else
        put_escape(w, rune);
}

static void put_class(Writer *w, Node n)
{
    const Range *ranges = ir_node_ranges(w->ir, n);
    bool is_lark = w->language == WRITE_LARK;
    put(w, is_lark ? "/[" : "[");
    for (uint32_t i = 0; i < n.b; i++) {
        put_member(w, ranges[i].lo);
        if (ranges[i].hi == ranges[i].lo) continue;
        put(w, "-");
        put_member(w, ranges[i].hi);
    }
    put(w, is_lark ? "]/" : "]");
}

/* ---- tokens ---- */

static uint64_t count_tokens(const Writer *w, Node n)
{
    const Range *ids = ir_node_ranges(w->ir, n);
    uint64_t count = 0;
    for (uint32_t i = 0; i < n.b; i++)
        count += (uint64_t)ids[i].hi - ids[i].lo + 1;
    return count;
}

/* <[1,3-8]>, <[^5]>, <[*]> */
static void put_token_set(Writer *w, Node n)
{
    const Range *ids = ir_node_ranges(w->ir, n);
    if (n.b && ids[n.b - 1].hi > INT32_MAX) refuse(w, "an id of no token");
    if (!ok(w)) return;
    put(w, !n.b ? "<[*" : n.c ? "<[^" : "<[");
    for (uint32_t i = 0; i < n.b; i++) {
        if (i) put(w, ",");
        scratch_number(w->out, ids[i].lo);
        if (ids[i].hi == ids[i].lo) continue;
        put(w, "-");
        scratch_number(w->out, ids[i].hi);
    }
    put(w, "]>");
}

static void put_tokens(Writer *w, Node n)
{
    bool is_gbnf = w->language == WRITE_GBNF, has = false;
    if (w->language == WRITE_LARK) {
        put_token_set(w, n);
        return;
    }
    uint64_t count = count_tokens(w, n);
    const Range *ids = ir_node_ranges(w->ir, n);
    if (count > MOST_TOKENS || (n.b && ids[n.b - 1].hi > INT32_MAX))
        refuse(w, "a set of so many tokens");
    if (is_gbnf && n.c && count != 1) refuse(w, "any token but those of a set");
    if (!ok(w)) return;
    put(w, is_gbnf ? (count > 1 ? "(" : "") : n.c ? "ExcludeToken(" : "Token(");
    for (uint32_t i = 0; i < n.b; i++)
        for (uint32_t id = ids[i].lo; id <= ids[i].hi; id++) {
            if (has) put(w, is_gbnf ? " | " : ", ");
            if (is_gbnf) put(w, n.c ? "!<[" : "<[");
            scratch_number(w->out, id);
            if (is_gbnf) put(w, "]>");
            has = true;
        }
    put(w, is_gbnf ? (count > 1 ? ")" : "") : ")");
}

/* ---- expressions ---- */

static void put_node(Writer *w, NodeId id, Level level, uint32_t depth);

static bool has_empty(const Writer *w, Node n)
{
    for (uint32_t i = 0; n.kind == NODE_ALT && i < n.b; i++)
        if (ir_node_kids(w->ir, n)[i] == NODE_EMPTY_ID) return true;
    return false;
}

/* The operands of a SEQ or an ALT, EMPTY left out. */
static void put_kids(Writer *w, Node n, uint32_t depth)
{
    bool is_choice = n.kind == NODE_ALT, has = false;
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = ir_node_kids(w->ir, n)[i];
        if (kid == NODE_EMPTY_ID) continue;
        if (has) put(w, is_choice ? " | " : " ");
        put_node(w, kid, is_choice ? IN_CHOICE : IN_SEQUENCE, depth);
        has = true;
    }
}

/* (x | y)? for a choice that the empty text is in. */
static void put_optional(Writer *w, Node n, uint32_t depth)
{
    const NodeId *kids = ir_node_kids(w->ir, n);
    if (n.b == 2) {
        NodeId other = kids[kids[0] == NODE_EMPTY_ID];
        put_node(w, other, IN_REPEAT, depth);
    } else {
        put(w, "(");
        put_kids(w, n, depth);
        put(w, ")");
    }
    put(w, "?");
}

static void put_repeat(Writer *w, Node n, uint32_t depth)
{
    put_node(w, n.a, IN_REPEAT, depth);
    bool is_endless = n.c == REPEAT_INF;
    if (n.b > INT32_MAX || (!is_endless && n.c > INT32_MAX))
        refuse(w, "a repetition of so many times");
    if (is_endless && n.b < 2) {
        put(w, n.b ? "+" : "*");
    } else if (n.b == 0 && n.c == 1) {
        put(w, "?");
    } else {
        put(w, "{");
        scratch_number(w->out, n.b);
        if (n.c != n.b) put(w, ",");
        if (n.c != n.b && !is_endless) scratch_number(w->out, n.c);
        put(w, "}");
    }
}

/* nothing ::= "x" nothing: no text at all */
static void put_nothing(Writer *w)
{
    if (w->nothing == UINT32_MAX)
        w->nothing = add_named(w, RULE_NONE, NODE_NEVER_ID, SPAN("nothing"));
    put_name(w, w->nothing);
}

static void put_inside(Writer *w, Node n, uint32_t depth)
{
    switch (n.kind) {
    case NODE_NEVER:
        put_nothing(w);
        return;
    case NODE_EMPTY:
        put(w, "\"\"");
        return;
    case NODE_BYTES:
        put_literal(w, ir_node_bytes(w->ir, n));
        return;
    case NODE_CLASS:
        put_class(w, n);
        return;
    case NODE_SEQ:
    case NODE_ALT:
        (has_empty(w, n) ? put_optional : put_kids)(w, n, depth);
        return;
    case NODE_REPEAT:
        put_repeat(w, n, depth);
        return;
    case NODE_RULE:
        put_rule(w, n.a);
        return;
    case NODE_TOKENS:
        put_tokens(w, n);
        return;
    default:
        assert(false);
    }
}

/* Recursion: at most DEEPEST. */
static void put_node(Writer *w, NodeId id, Level level, uint32_t depth)
{
    Node n = ir_node(w->ir, id);
    if (!ok(w)) return;
    if (depth == DEEPEST &&
        (n.kind == NODE_SEQ || n.kind == NODE_ALT || n.kind == NODE_REPEAT)) {
        put_name(w, add_named(w, RULE_NONE, id, SPAN("part")));
        return;
    }
    bool is_choice = n.kind == NODE_ALT && !has_empty(w, n);
    bool is_row = n.kind == NODE_SEQ || n.kind == NODE_REPEAT ||
                  (n.kind == NODE_ALT && !is_choice);
    bool is_open =
        is_choice ? level != IN_CHOICE : is_row && level == IN_REPEAT;
    if (is_open) put(w, "(");
    put_inside(w, n, depth + 1);
    if (is_open) put(w, ")");
}

static void put_line(Writer *w, uint32_t number)
{
    Named n = w->named.at[number];
    put_name(w, number);
    put(w, languages[w->language].assign);
    if (number == w->nothing) put(w, "\"x\" ");
    put_node(w, n.body, IN_CHOICE, 0);
    put(w, "\n");
}

bool ir_write(Ir *ir, WrittenLanguage language, Scratch *out)
{
    Writer w = {
        .ir = ir, .language = language, .out = out, .nothing = UINT32_MAX};
    if (!ir_ok(ir)) return false;
    if (vec_reserve(ir->mem, &w.by_rule, ir->rules.count)) {
        assert(ir->rules.count && w.by_rule.at);
        memset(w.by_rule.at, 0xFF, ir->rules.count * sizeof *w.by_rule.at);
        w.by_rule.at[ir->root] =
            add_named(&w, ir->root, ir->rules.at[ir->root].body,
                      span_text(languages[language].root));
    } else {
        diag_no_memory(&ir->error);
    }
    for (uint32_t i = 0; ok(&w) && i < w.named.count; i++) put_line(&w, i);
    conversion_fits(ir, out);
    vec_free(ir->mem, &w.named);
    vec_free(ir->mem, &w.by_rule);
    map_free(ir->mem, &w.taken);
    return ir_ok(ir);
}
