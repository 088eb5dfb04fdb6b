/* lark.c: Lark's grammar language → rules.
 *
 * In:    the text of a grammar. Out: rules, those that the root needs.
 * Method: one pass over the items makes symbols with bodies of nodes; names
 * may be used before they are defined. Then terminals are worked out, and last
 * the rules.
 * Cost:  linear in the source, but for what terminals, and rules with
 *        parameters, take.
 * Tests: unit/lark_test.c, unit/lark_recorded_test.c, fuzz/lark_fuzz.c
 */
#include "syntax/lark.h"

#include <stdarg.h>
#include <stdio.h>

#include "syntax/lark_parse.h"
#include "text/json.h"

/* ---- reports ---- */

bool lark_fail(Lark *k, LarkWord at, weir_status status, const char *format,
               ...)
{
    char message[sizeof k->ir->error.message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return diag_fail(&k->ir->error, status, at.begin, at.end, "%s", message);
}

bool lark_unexpected(Lark *k, const char *expected)
{
    LarkWord w = k->lex.word;
    DiagShown text = diag_shown(lark_text(&k->lex, w));
    if (w.kind == LARK_BAD) return false; /* reported by the lexer */
    return lark_fail(k, w, WEIR_SYNTAX, "found %s, expected %s",
                     w.kind == LARK_END    ? "end of input"
                     : w.kind == LARK_LINE ? "end of line"
                                           : text.text,
                     expected);
}

bool lark_expect(Lark *k, const char *mark, const char *expected)
{
    if (!lark_is(&k->lex, mark)) return lark_unexpected(k, expected);
    lark_lex_next(&k->lex);
    return true;
}

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool lark_number(Lark *k, LarkWord w, uint64_t max, uint64_t *value)
{
    Span text = lark_text(&k->lex, w);
    bool is_hex = text.size > 2 && (text.at[1] | 0x20) == 'x';
    uint64_t base = is_hex ? 16 : 10, n = 0;
    bool is_large = false;
    for (size_t i = is_hex ? 2 : 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)digit_of(text.at[i]);
        if (digit >= base)
            return lark_fail(k, w, WEIR_SYNTAX,
                             "found %s, expected a whole number",
                             diag_shown(text).text);
        is_large |= n > (max - digit) / base || digit > max;
        n = n * base + digit;
    }
    *value = n;
    return !is_large ||
           lark_fail(k, w, WEIR_SYNTAX, "found %s, expected at most %llu",
                     diag_shown(text).text, (unsigned long long)max);
}

/* ---- symbols and nodes ---- */

Span lark_symbol_name(const Lark *k, const LarkSymbol *s)
{
    return span_of(k->lex.source.at + s->begin, s->end - s->begin);
}

uint32_t lark_nameless(Lark *k, LarkWord at)
{
    LarkSymbol s = {.begin = at.begin,
                    .end = at.end,
                    .is_terminal = true,
                    .is_lexeme = true,
                    .marker = LARK_NONE,
                    .rule = RULE_NONE};
    if (vec_push(k->ir->mem, &k->symbols, s)) return k->symbols.count - 1;
    diag_no_memory(&k->ir->error);
    return LARK_NONE;
}

uint32_t lark_symbol(Lark *k, LarkWord name)
{
    Span text = lark_text(&k->lex, name);
    uint64_t h = hash_bytes(FNV_SEED, text.at, text.size);
    for (MapPos p = map_first(&k->names, h); p.value != MAP_NONE;
         p = map_next(&k->names, h, p))
        if (span_equal(lark_symbol_name(k, &k->symbols.at[p.value]), text))
            return p.value;
    uint32_t symbol = lark_nameless(k, name);
    if (symbol == LARK_NONE) return LARK_NONE;
    bool is_terminal = name.kind == LARK_TERMINAL;
    k->symbols.at[symbol].is_terminal = is_terminal;
    k->symbols.at[symbol].is_lexeme = is_terminal;
    if (map_add(k->ir->mem, &k->names, h, symbol)) return symbol;
    diag_no_memory(&k->ir->error);
    return LARK_NONE;
}

LarkId lark_node(Lark *k, LarkNode node)
{
    if (!ir_ok(k->ir)) return LARK_NONE;
    if (vec_push(k->ir->mem, &k->nodes, node)) return k->nodes.count - 1;
    diag_no_memory(&k->ir->error);
    return LARK_NONE;
}

LarkId lark_list(Lark *k, LarkKind kind, const LarkId *kids, uint32_t count,
                 LarkWord at)
{
    LarkNode n = {kind, k->kids.count, count, 0, at.begin, at.end};
    if (count == 1) return kids[0];
    if (!count) n = (LarkNode){LARK_EMPTY, 0, 0, 0, at.begin, at.end};
    for (uint32_t i = 0; i < count && ir_ok(k->ir); i++)
        if (!vec_push(k->ir->mem, &k->kids, kids[i]))
            diag_no_memory(&k->ir->error);
    return lark_node(k, n);
}

/* ---- definitions ---- */

static bool define(Lark *k, LarkWord name, uint32_t *symbol)
{
    *symbol = lark_symbol(k, name);
    if (*symbol == LARK_NONE) return false;
    LarkSymbol *s = &k->symbols.at[*symbol];
    if (s->is_defined)
        return lark_fail(k, name, WEIR_SYNTAX, "%s \"%s\" is defined twice",
                         s->is_terminal ? "terminal" : "rule",
                         diag_shown(lark_text(&k->lex, name)).text);
    s->is_defined = true;
    s->begin = name.begin;
    s->end = name.end;
    k->present = *symbol;
    return true;
}

/* Priorities choose among readings in Lark; here all are open. */
static bool skip_priority(Lark *k)
{
    LarkWord at = k->lex.word;
    if (!lark_is(&k->lex, ".")) return true;
    lark_lex_next(&k->lex);
    if (k->lex.word.kind != LARK_NUMBER)
        return lark_unexpected(k, "the number of a priority");
    ir_warn(k->ir, at.begin, k->lex.word.end,
            "priorities have no effect on what is accepted");
    lark_lex_next(&k->lex);
    return ir_ok(k->ir);
}

/* ::_ behind the name of a rule that takes a parameter. */
static bool read_parameter(Lark *k, uint32_t symbol)
{
    if (!lark_is(&k->lex, "::")) return true;
    lark_lex_next(&k->lex);
    if (!span_equal(lark_text(&k->lex, k->lex.word), SPAN("_")))
        return lark_unexpected(k, "'_', which stands for the parameter");
    if (k->symbols.at[symbol].is_terminal)
        return lark_unexpected(k, "no parameter of a terminal");
    k->symbols.at[symbol].is_parametric = true;
    lark_lex_next(&k->lex);
    return true;
}

/* name: body, name[options]: body */
static bool read_definition(Lark *k)
{
    LarkWord name = k->lex.word;
    uint32_t symbol;
    if (!define(k, name, &symbol)) return false;
    lark_lex_next(&k->lex);
    if (lark_is(&k->lex, "{"))
        return lark_fail(k, k->lex.word, WEIR_UNSUPPORTED,
                         "found a template, expected a rule without {...}");
    if (!read_parameter(k, symbol) || !skip_priority(k)) return false;
    if (lark_is(&k->lex, "[") && !k->symbols.at[symbol].is_terminal &&
        !lark_options(k))
        return false;
    return lark_expect(k, ":", "':' after the name of a rule or terminal") &&
           lark_body(k, symbol);
}

/* ? and ! before a rule shape Lark's trees only. */
static bool read_rule(Lark *k)
{
    while (lark_is(&k->lex, "?") || lark_is(&k->lex, "!"))
        lark_lex_next(&k->lex);
    if (k->lex.word.kind != LARK_RULE) return lark_unexpected(k, "a rule");
    return read_definition(k);
}

/* ---- directives ---- */

static bool is_name(LarkWord w)
{
    return w.kind == LARK_RULE || w.kind == LARK_TERMINAL;
}

/* A terminal of common, called `alias` here. */
static bool import_name(Lark *k, LarkWord name, LarkWord alias)
{
    uint32_t symbol;
    if (!define(k, alias, &symbol)) return false;
    LarkId first = k->nodes.count;
    LarkId body = lark_common(k, lark_text(&k->lex, name), name);
    if (body == LARK_NONE)
        return lark_fail(k, name, WEIR_UNDEFINED, "common has no terminal %s",
                         diag_shown(lark_text(&k->lex, name)).text);
    LarkSymbol *s = &k->symbols.at[symbol];
    s->first = first;
    s->body = body;
    s->is_terminal = s->is_lexeme = true;
    return true;
}

/* (A, B) */
static bool import_names(Lark *k)
{
    lark_lex_next(&k->lex);
    for (;;) {
        LarkWord name = k->lex.word;
        if (!is_name(name)) return lark_unexpected(k, "the name of a terminal");
        if (!import_name(k, name, name)) return false;
        lark_lex_next(&k->lex);
        if (!lark_is(&k->lex, ",")) break;
        lark_lex_next(&k->lex);
    }
    return lark_expect(k, ")", "',' or ')'");
}

/* common.X, common.X -> Y, common (X, Y) */
static bool read_import(Lark *k)
{
    lark_lex_next(&k->lex);
    if (!span_equal(lark_text(&k->lex, k->lex.word), SPAN("common")))
        return lark_is(&k->lex, ".") || is_name(k->lex.word)
                   ? lark_fail(k, k->lex.word, WEIR_UNSUPPORTED,
                               "found an import of other files than common")
                   : lark_unexpected(k, "common");
    lark_lex_next(&k->lex);
    if (lark_is(&k->lex, "(")) return import_names(k);
    if (!lark_expect(k, ".", "'.' or '(' after common")) return false;
    LarkWord name = k->lex.word, alias = name;
    if (!is_name(name)) return lark_unexpected(k, "the name of a terminal");
    lark_lex_next(&k->lex);
    if (lark_is(&k->lex, "->")) {
        lark_lex_next(&k->lex);
        alias = k->lex.word;
        if (!is_name(alias)) return lark_unexpected(k, "a name");
        lark_lex_next(&k->lex);
    }
    return import_name(k, name, alias);
}

static bool read_ignore(Lark *k)
{
    uint32_t symbol = lark_nameless(k, k->lex.word);
    if (symbol == LARK_NONE) return false;
    k->symbols.at[symbol].is_defined = true;
    k->present = symbol;
    lark_lex_next(&k->lex);
    return lark_body(k, symbol) && (vec_push(k->ir->mem, &k->ignored, symbol) ||
                                    diag_no_memory(&k->ir->error));
}

typedef struct Setting {
    const Json *json;
    JsonIter at;
    size_t offset; /* of the JSON in the source */
} Setting;

static bool bad_setting(Lark *k, const Setting *s, JsonId id,
                        weir_status status, const char *expected)
{
    Span text = json_spelling(s->json, id);
    size_t begin = s->offset + json_offset(s->json, id);
    return diag_fail(&k->ir->error, status, begin, begin + text.size,
                     "found %s, expected %s", diag_shown(text).text, expected);
}

static bool set_flag(Lark *k, const Setting *s, bool *flag)
{
    JsonKind kind = json_kind(s->json, s->at.value);
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return bad_setting(k, s, s->at.value, WEIR_SYNTAX, "true or false");
    *flag = kind == JSON_TRUE;
    return true;
}

static bool set_option(Lark *k, const Setting *s)
{
    bool flag = false;
    if (span_equal(s->at.key, SPAN("allow_initial_skip")))
        return set_flag(k, s, &k->initial_skip);
    if (span_equal(s->at.key, SPAN("ignore_once")))
        return set_flag(k, s, &k->skip_once);
    if (span_equal(s->at.key, SPAN("no_forcing"))) return set_flag(k, s, &flag);
    if (span_equal(s->at.key, SPAN("allow_invalid_utf8")))
        return set_flag(k, s, &flag) &&
               (!flag || bad_setting(k, s, s->at.key_id, WEIR_UNSUPPORTED,
                                     "texts that are UTF-8"));
    if (span_equal(s->at.key, SPAN("skip_repetition"))) {
        k->skip_once = json_is_string(s->json, s->at.value, "once");
        return k->skip_once || json_is_string(s->json, s->at.value, "repeat") ||
               bad_setting(k, s, s->at.value, WEIR_SYNTAX,
                           "\"once\" or \"repeat\"");
    }
    return bad_setting(k, s, s->at.key_id, WEIR_SYNTAX,
                       "no_forcing, allow_initial_skip, allow_invalid_utf8, "
                       "ignore_once or skip_repetition");
}

static bool set_options(Lark *k, const Json *json, size_t offset)
{
    Setting s = {json, json_iter(json, JSON_ROOT), offset};
    if (json_kind(json, JSON_ROOT) != JSON_OBJECT)
        return bad_setting(k, &s, JSON_ROOT, WEIR_SYNTAX, "an object");
    while (json_step(&s.at))
        if (!set_option(k, &s)) return false;
    return true;
}

/* %llguidance {...}, %grammar_options {...} */
static bool read_settings(Lark *k)
{
    size_t begin, end = lark_json_end(&k->lex, k->lex.word.end, &begin);
    Json json;
    weir_error err = {0};
    if (!end) return false;
    Span text = span_of(k->lex.source.at + begin, end - begin);
    if (!json_parse(&json, k->ir->mem, text, NULL, &err))
        return diag_fail(&k->ir->error, err.status, begin + err.begin,
                         begin + err.end, "%s", err.message);
    bool done = set_options(k, &json, begin);
    json_free(&json);
    if (done) lark_lex_jump(&k->lex, end);
    return done;
}

static bool read_unsupported(Lark *k)
{
    return lark_fail(k, k->lex.word, WEIR_UNSUPPORTED,
                     "found %s, which is for Lark's trees and files only",
                     diag_shown(lark_text(&k->lex, k->lex.word)).text);
}

static const struct {
    const char *name;
    bool (*read)(Lark *k);
} directives[] = {
    {"%ignore", read_ignore},       {"%import", read_import},
    {"%llguidance", read_settings}, {"%grammar_options", read_settings},
    {"%declare", read_unsupported}, {"%override", read_unsupported},
    {"%extend", read_unsupported},
};

static bool read_directive(Lark *k)
{
    Span name = lark_text(&k->lex, k->lex.word);
    for (size_t i = 0; i < COUNT_OF(directives); i++)
        if (span_equal(name, span_text(directives[i].name)))
            return directives[i].read(k);
    return lark_unexpected(k, "%ignore, %import or %llguidance");
}

/* ---- the whole ---- */

static bool read_item(Lark *k)
{
    LarkWord w = k->lex.word;
    k->present = LARK_NONE;
    if (w.kind == LARK_DIRECTIVE) return read_directive(k);
    if (w.kind == LARK_TERMINAL) return read_definition(k);
    if (w.kind == LARK_RULE || lark_is(&k->lex, "?") || lark_is(&k->lex, "!"))
        return read_rule(k);
    return lark_unexpected(k, "a rule (name: body), a terminal (NAME: body) or "
                              "a directive");
}

static void read_items(Lark *k)
{
    while (ir_ok(k->ir) && k->lex.word.kind != LARK_END) {
        if (k->lex.word.kind == LARK_LINE) {
            lark_lex_next(&k->lex);
            continue;
        }
        if (!read_item(k)) break;
        if (k->lex.word.kind != LARK_LINE && k->lex.word.kind != LARK_END)
            lark_unexpected(k, "the end of the line");
    }
    if (!ir_ok(k->ir) && k->present != LARK_NONE)
        diag_pointer(&k->ir->error,
                     lark_symbol_name(k, &k->symbols.at[k->present]));
}

static void check_defined(Lark *k)
{
    for (uint32_t i = 0; i < k->symbols.count && ir_ok(k->ir); i++) {
        const LarkSymbol *s = &k->symbols.at[i];
        if (s->is_defined) continue;
        diag_fail(&k->ir->error, WEIR_UNDEFINED, s->begin, s->end,
                  "%s \"%s\" is not defined",
                  s->is_terminal ? "terminal" : "rule",
                  diag_shown(lark_symbol_name(k, s)).text);
    }
}

static void emit_root(Lark *k)
{
    Span name = span_text(k->opts.root ? k->opts.root : "start");
    for (uint32_t i = 0; i < k->symbols.count && ir_ok(k->ir); i++) {
        const LarkSymbol *s = &k->symbols.at[i];
        if (!s->is_terminal && span_equal(lark_symbol_name(k, s), name)) {
            lark_emit(k, i);
            return;
        }
    }
    if (ir_ok(k->ir))
        diag_fail(&k->ir->error, WEIR_UNDEFINED, 0, 0,
                  "the rule \"%s\" is not defined, expected one to begin with",
                  diag_shown(name).text);
}

static void lark_free(Lark *k)
{
    const Mem *mem = k->ir->mem;
    vec_free(mem, &k->symbols);
    map_free(mem, &k->names);
    vec_free(mem, &k->nodes);
    vec_free(mem, &k->kids);
    vec_free(mem, &k->params);
    vec_free(mem, &k->ignored);
    vec_free(mem, &k->scratch.groups);
    vec_free(mem, &k->scratch.items);
    vec_free(mem, &k->scratch.conj);
    vec_free(mem, &k->scratch.alts);
    vec_free(mem, &k->scratch.text);
    vec_free(mem, &k->scratch.pattern);
    vec_free(mem, &k->scratch.ranges);
    node_lang_free(&k->lang);
}

bool lark_compile(Ir *ir, Span source, const LarkOpts *opts)
{
    Lark k = {.ir = ir, .present = LARK_NONE};
    if (!ir_ok(ir)) return false;
    if (source.size > MIN(ir->limits.max_source, UINT32_MAX - 1))
        return diag_fail(&ir->error, WEIR_LIMIT_BYTES, 0, 0,
                         "source of %zu bytes, expected at most %u",
                         source.size, ir->limits.max_source);
    if (opts) k.opts = *opts;
    node_lang_init(&k.lang, ir);
    lark_lex_init(&k.lex, source, &ir->error);
    read_items(&k);
    check_defined(&k);
    if (ir_ok(ir) && lark_terminals(&k)) emit_root(&k);
    lark_free(&k);
    return ir_ok(ir);
}
