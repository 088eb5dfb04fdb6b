/* lark_option.c: the options of a rule, name[option, option=value]: body.
 *
 * In:    the brackets. Out: the symbol's RuleOptions, and what ends it early.
 * The table says what each option takes. An option may stand once; a comma may
 * end the list.
 * Cost:  linear. Tests: unit/lark_test.c.
 */
#include <float.h>

#include "syntax/lark_parse.h"
#include "text/decimal.h"

typedef struct Reader {
    Lark *k;
    uint32_t symbol;
    uint32_t seen; /* bit set by the table's index */
    RuleOptions out;
    LarkEnd ends;
    uint32_t marker;
    LarkWord stop_capture;
} Reader;

static bool store_text(Reader *r, Span text, Span *out)
{
    void *copy = arena_copy(&r->k->ir->arena, text.at, text.size);
    if (!copy) return diag_no_memory(&r->k->ir->error);
    *out = span_of(copy, text.size);
    return true;
}

/* A name in quotes. */
static bool read_name(Reader *r, Span *out)
{
    Lark *k = r->k;
    LarkWord w = k->lex.word;
    bool ignore_case;
    if (w.kind != LARK_STRING) return lark_unexpected(k, "a name in quotes");
    k->scratch.text.count = 0;
    if (!lark_string(&k->lex, w, k->ir->mem, &k->scratch.text, &ignore_case))
        return false;
    Span text = span_of(k->scratch.text.at, k->scratch.text.count);
    if (!text.size || ignore_case) return lark_unexpected(k, "a name");
    lark_lex_next(&k->lex);
    return store_text(r, text, out);
}

static bool read_capture(Reader *r, bool has_value)
{
    r->out.has |= RULE_HAS_CAPTURE;
    if (has_value) return read_name(r, &r->out.capture);
    const LarkSymbol *s = &r->k->symbols.at[r->symbol];
    return store_text(r, lark_symbol_name(r->k, s), &r->out.capture);
}

static bool read_stop_capture(Reader *r, bool has_value)
{
    (void)has_value;
    r->stop_capture = r->k->lex.word;
    r->out.has |= RULE_HAS_STOP_CAPTURE;
    return read_name(r, &r->out.stop_capture);
}

static bool read_count(Reader *r, uint64_t min, uint64_t max, uint32_t *out)
{
    Lark *k = r->k;
    LarkWord w = k->lex.word;
    uint64_t n = 0;
    if (w.kind != LARK_NUMBER) return lark_unexpected(k, "a number");
    if (!lark_number(k, w, max, &n)) return false;
    if (n < min)
        return lark_fail(k, w, WEIR_SYNTAX,
                         "found %llu, expected at least %llu",
                         (unsigned long long)n, (unsigned long long)min);
    *out = (uint32_t)n;
    lark_lex_next(&k->lex);
    return true;
}

static bool read_max_tokens(Reader *r, bool has_value)
{
    (void)has_value;
    r->out.has |= RULE_HAS_MAX_TOKENS;
    return read_count(r, 1, LARK_MAX_BUDGET_TOKENS, &r->out.max_tokens);
}

static bool read_max_chars(Reader *r, bool has_value)
{
    (void)has_value;
    r->out.has |= RULE_HAS_MAX_CHARS;
    return read_count(r, 0, INT32_MAX, &r->out.max_chars);
}

static bool read_temperature(Reader *r, bool has_value)
{
    Lark *k = r->k;
    LarkWord w = k->lex.word;
    Span text = lark_text(&k->lex, w);
    (void)has_value;
    if (w.kind != LARK_NUMBER) return lark_unexpected(k, "a number");
    bool is_plus = text.at[0] == '+', is_hex = memchr(text.at, 'x', text.size);
    text = span_of(text.at + is_plus, text.size - is_plus);
    r->out.has |= RULE_HAS_TEMPERATURE;
    r->out.temperature =
        is_hex || text.at[0] == '-' ? -1 : decimal_double(text);
    if (!(r->out.temperature >= 0 && r->out.temperature <= DBL_MAX))
        return lark_fail(k, w, WEIR_SYNTAX,
                         "temperature of %s, expected a finite number, at "
                         "least 0",
                         diag_shown(text).text);
    lark_lex_next(&k->lex);
    return store_text(r, text, &r->out.temperature_text);
}

/* ---- what ends the rule ---- */

static bool set_end(Reader *r, LarkEnd ends)
{
    if (r->ends != LARK_ENDS_LONG)
        return lark_unexpected(r->k, "one of lazy, suffix and stop only");
    r->ends = ends;
    return true;
}

static bool read_lazy(Reader *r, bool has_value)
{
    (void)has_value;
    return set_end(r, LARK_ENDS_LAZY);
}

/* A string, a pattern or the name of a terminal, as a terminal of its own. */
static bool read_marker(Reader *r, LarkEnd ends)
{
    Lark *k = r->k;
    LarkWord w = k->lex.word;
    if (!set_end(r, ends)) return false;
    if (span_equal(lark_text(&k->lex, w), SPAN("\"\"")))
        return lark_fail(k, w, WEIR_UNSUPPORTED,
                         "found an empty text that ends a rule, which would be "
                         "the end of the output, expected a text");
    if (!lark_begins_atom(k))
        return lark_unexpected(k, "a string, regular expression or terminal");
    r->marker = lark_nameless(k, w);
    if (r->marker == LARK_NONE) return false;
    LarkId first = k->nodes.count, body = lark_atom(k);
    if (!ir_ok(k->ir)) return false;
    LarkSymbol *s = &k->symbols.at[r->marker];
    s->first = first;
    s->body = body;
    s->is_defined = true;
    s->end = w.end;
    return true;
}

static bool read_suffix(Reader *r, bool has_value)
{
    (void)has_value;
    return read_marker(r, LARK_ENDS_SUFFIX);
}

static bool read_stop(Reader *r, bool has_value)
{
    (void)has_value;
    return read_marker(r, LARK_ENDS_STOP);
}

/* ---- all ---- */

static const struct {
    const char *name;
    bool may_lack, may_have; /* a value */
    bool (*read)(Reader *r, bool has_value);
} options[] = {
    {"lazy", true, false, read_lazy},
    {"capture", true, true, read_capture},
    {"suffix", false, true, read_suffix},
    {"stop", false, true, read_stop},
    {"stop_capture", false, true, read_stop_capture},
    {"max_tokens", false, true, read_max_tokens},
    {"max_chars", false, true, read_max_chars},
    {"temperature", false, true, read_temperature},
};

static bool find_option(Reader *r, size_t *index)
{
    Lark *k = r->k;
    LarkWord w = k->lex.word;
    Span name = lark_text(&k->lex, w);
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!span_equal(name, span_text(options[i].name))) continue;
        *index = i;
        return !(r->seen >> i & 1) ||
               lark_fail(k, w, WEIR_SYNTAX, "option %s stands twice",
                         options[i].name);
    }
    return w.kind == LARK_RULE
               ? lark_fail(k, w, WEIR_SYNTAX, "option %s is not known",
                           diag_shown(name).text)
               : lark_unexpected(k, "the name of an option or ']'");
}

static bool read_option(Reader *r)
{
    Lark *k = r->k;
    size_t i = 0;
    if (!find_option(r, &i)) return false;
    r->seen |= 1u << i;
    lark_lex_next(&k->lex);
    bool has_value = lark_is(&k->lex, "=");
    if (!has_value && !options[i].may_lack)
        return lark_unexpected(k, "'=' and a value");
    if (has_value && !options[i].may_have)
        return lark_unexpected(k, "',' or ']', since it takes no value");
    if (has_value) lark_lex_next(&k->lex);
    return options[i].read(r, has_value);
}

static bool read_list(Reader *r)
{
    Lark *k = r->k;
    while (!lark_is(&k->lex, "]")) {
        if (!read_option(r)) return false;
        if (!lark_is(&k->lex, ",") && !lark_is(&k->lex, "]"))
            return lark_unexpected(k, "',' or ']'");
        if (lark_is(&k->lex, ",")) lark_lex_next(&k->lex);
    }
    lark_lex_next(&k->lex);
    if (!(r->out.has & RULE_HAS_STOP_CAPTURE) || r->marker != LARK_NONE)
        return true;
    return lark_fail(k, r->stop_capture, WEIR_SYNTAX,
                     "found stop_capture without suffix or stop");
}

bool lark_options(Lark *k)
{
    Reader r = {.k = k, .symbol = k->present, .marker = LARK_NONE};
    lark_lex_next(&k->lex);
    if (!read_list(&r)) return false;
    LarkSymbol *s = &k->symbols.at[r.symbol];
    s->options = r.out;
    s->ends = r.ends;
    s->marker = r.marker;
    s->is_lexeme = r.ends != LARK_ENDS_LONG;
    return true;
}
