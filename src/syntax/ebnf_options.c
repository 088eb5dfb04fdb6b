/* ebnf_options.c: the options of a rule, name[option, option=value] ::= ...
 *
 * In:    the brackets in the head of a rule. Out: the rule's RuleOptions, and
 *        whether it is lazy.
 * The table says what each option takes. An option may stand once. What the
 * engine cannot do yet is refused by name, after it was found well formed.
 * Cost:  linear. Tests: unit/ebnf_test.c.
 */
#include "syntax/ebnf_parse.h"
#include "text/decimal.h"

#include <float.h>
#include <stdio.h>

typedef enum Value { VALUE_NONE, VALUE_COUNT, VALUE_TEXT, VALUE_REAL } Value;

typedef enum OptionId {
    OPTION_MAX_TOKENS,
    OPTION_MAX_CHARS,
    OPTION_CAPTURE,
    OPTION_LAZY,
    OPTION_TEMPERATURE,
    OPTION_HIDDEN_SUFFIX,
    OPTION_HIDDEN_STOP,
    OPTION_HIDDEN_BODY,
    OPTION_HIDDEN_MARKER,
    OPTION_STOP_CAPTURE,
    OPTIONS
} OptionId;

static const struct {
    const char *name;
    Value value;
    bool may_lack; /* the value may be left out */
    uint32_t min, max;
} option_list[OPTIONS] = {
    [OPTION_MAX_TOKENS] = {"max_tokens", VALUE_COUNT, false, 1,
                           EBNF_MAX_BUDGET_TOKENS},
    [OPTION_MAX_CHARS] = {"max_chars", VALUE_COUNT, false, 0, INT32_MAX},
    [OPTION_CAPTURE] = {"capture", VALUE_TEXT, true, 0, 0},
    [OPTION_LAZY] = {"lazy", VALUE_NONE, true, 0, 0},
    [OPTION_TEMPERATURE] = {"temperature", VALUE_REAL, false, 0, 0},
    [OPTION_HIDDEN_SUFFIX] = {"capture_hidden_suffix_bytes", VALUE_COUNT, false,
                              1, INT32_MAX},
    [OPTION_HIDDEN_STOP] = {"capture_hidden_stop_bytes", VALUE_COUNT, false, 1,
                            INT32_MAX},
    [OPTION_HIDDEN_BODY] = {"capture_hidden_body_rule_id", VALUE_COUNT, false,
                            0, INT32_MAX},
    [OPTION_HIDDEN_MARKER] = {"capture_hidden_marker_rule_id", VALUE_COUNT,
                              false, 0, INT32_MAX},
    [OPTION_STOP_CAPTURE] = {"stop_capture", VALUE_TEXT, false, 0, 0},
};

/* One rule's options while they are read. */
typedef struct Reader {
    Ebnf *e;
    Span source; /* up to the closing bracket */
    size_t pos;
    uint32_t seen;                       /* bit set by OptionId */
    size_t begin[OPTIONS], end[OPTIONS]; /* where each stands */
    RuleOptions out;
    EbnfBytes capture, stop_capture;
} Reader;

static bool fail(Reader *r, size_t begin, size_t end, const char *what,
                 const char *expected)
{
    return diag_fail(&r->e->ir->error, WEIR_SYNTAX, begin, end,
                     "%s, expected %s", what, expected);
}

static bool is_word_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '+' || c == '-' || c == '.' || (c >= '0' && c <= '9');
}

/* A name or number; empty when none is there. */
static Span read_bare(Reader *r)
{
    size_t begin = r->pos;
    while (r->pos < r->source.size && is_word_byte(r->source.at[r->pos]))
        r->pos++;
    return span_of(r->source.at + begin, r->pos - begin);
}

static void skip(Reader *r)
{
    r->pos = ebnf_skip_blanks(r->source, r->pos);
}

static bool take(Reader *r, uint8_t mark)
{
    skip(r);
    if (r->pos == r->source.size || r->source.at[r->pos] != mark) return false;
    r->pos++;
    skip(r);
    return true;
}

static bool found(Reader *r, const char *expected)
{
    char what[32];
    size_t n = MIN(r->pos, r->source.size);
    snprintf(what, sizeof what, "found %s",
             n == r->source.size ? "']'" : diag_found(r->source, n).text);
    return fail(r, n, n + 1, what, expected);
}

/* ---- values ---- */

static bool read_count(Reader *r, OptionId id, uint32_t *value)
{
    size_t begin = r->pos;
    Span digits = read_bare(r);
    uint64_t n = 0;
    bool is_number = digits.size;
    for (size_t i = 0; i < digits.size && is_number; i++) {
        is_number = digits.at[i] >= '0' && digits.at[i] <= '9';
        n = MIN(n * 10 + (uint64_t)(digits.at[i] - '0'), UINT32_MAX);
    }
    if (!digits.size) return found(r, "a number");
    *value = (uint32_t)n;
    if (is_number && n >= option_list[id].min && n <= option_list[id].max)
        return true;
    return diag_fail(&r->e->ir->error, WEIR_SYNTAX, begin, r->pos,
                     "%s of %s, expected a number from %u to %u",
                     option_list[id].name, diag_shown(digits).text,
                     option_list[id].min, option_list[id].max);
}

static size_t skip_digits(Span text, size_t pos)
{
    while (pos < text.size && text.at[pos] >= '0' && text.at[pos] <= '9') pos++;
    return pos;
}

/* Digits, perhaps with a point anywhere, and perhaps an exponent. */
static bool is_real(Span text)
{
    size_t pos = skip_digits(text, 0), digits = pos;
    if (pos < text.size && text.at[pos] == '.') {
        size_t end = skip_digits(text, pos + 1);
        digits += end - pos - 1;
        pos = end;
    }
    if (!digits) return false;
    if (pos == text.size) return true;
    if (text.at[pos] != 'e' && text.at[pos] != 'E') return false;
    pos++;
    if (pos < text.size && (text.at[pos] == '+' || text.at[pos] == '-')) pos++;
    return pos < text.size && skip_digits(text, pos) == text.size;
}

static bool read_real(Reader *r)
{
    size_t begin = r->pos;
    Span text = read_bare(r);
    if (!text.size) return found(r, "a number");
    Span digits =
        text.at[0] == '+' ? span_of(text.at + 1, text.size - 1) : text;
    r->out.temperature = is_real(digits) ? decimal_double(digits) : -1;
    r->out.temperature_text = text;
    r->out.has |= RULE_HAS_TEMPERATURE;
    if (r->out.temperature >= 0 && r->out.temperature <= DBL_MAX) return true;
    return diag_fail(&r->e->ir->error, WEIR_SYNTAX, begin, r->pos,
                     "temperature of %s, expected a finite number, at least 0",
                     diag_shown(text).text);
}

/* A string, whose end the lexer of heads has made sure of. */
static bool read_text(Reader *r, EbnfBytes *text)
{
    if (r->pos == r->source.size || r->source.at[r->pos] != '"')
        return found(r, "a string");
    EbnfWord word = {.kind = EBNF_STRING, .begin = (uint32_t)r->pos};
    for (r->pos++; r->pos < r->source.size; r->pos++) {
        if (r->source.at[r->pos] == '"') break;
        if (r->source.at[r->pos] == '\\') r->pos++;
    }
    word.end = (uint32_t)++r->pos;
    if (!ebnf_string(&r->e->lex, word, r->e->ir->mem, text)) return false;
    if (text->count) return true;
    return fail(r, word.begin, word.end, "found \"\"", "a name");
}

static bool capture_by_own_name(Reader *r, size_t begin, size_t end)
{
    const Mem *mem = r->e->ir->mem;
    for (size_t i = begin; i < end; i++)
        if (!vec_push(mem, &r->capture, r->source.at[i]))
            return diag_no_memory(&r->e->ir->error);
    return true;
}

static bool read_value(Reader *r, OptionId id)
{
    switch (id) {
    case OPTION_MAX_TOKENS:
        r->out.has |= RULE_HAS_MAX_TOKENS;
        return read_count(r, id, &r->out.max_tokens);
    case OPTION_MAX_CHARS:
        r->out.has |= RULE_HAS_MAX_CHARS;
        return read_count(r, id, &r->out.max_chars);
    case OPTION_HIDDEN_SUFFIX:
        return read_count(r, id, &r->out.hidden_suffix);
    case OPTION_HIDDEN_STOP:
        return read_count(r, id, &r->out.hidden_stop);
    case OPTION_HIDDEN_BODY:
        return read_count(r, id, &r->out.hidden_body);
    case OPTION_HIDDEN_MARKER:
        return read_count(r, id, &r->out.hidden_marker);
    case OPTION_TEMPERATURE:
        return read_real(r);
    case OPTION_CAPTURE:
        return read_text(r, &r->capture);
    default:
        assert(id == OPTION_STOP_CAPTURE);
        return read_text(r, &r->stop_capture);
    }
}

/* ---- one option ---- */

static bool find_option(Reader *r, OptionId *id)
{
    size_t begin = r->pos;
    Span name = read_bare(r);
    if (!name.size) return found(r, "the name of an option");
    for (int i = 0; i < OPTIONS; i++) {
        if (!span_equal(name, span_text(option_list[i].name))) continue;
        *id = (OptionId)i;
        if (!(r->seen >> i & 1)) {
            r->begin[i] = begin;
            return true;
        }
        return diag_fail(&r->e->ir->error, WEIR_SYNTAX, begin, r->pos,
                         "option %s stands twice", option_list[i].name);
    }
    return diag_fail(&r->e->ir->error, WEIR_SYNTAX, begin, r->pos,
                     "option %s is not known", diag_shown(name).text);
}

static bool read_option(Reader *r, EbnfRule *rule)
{
    OptionId id = OPTIONS;
    if (!find_option(r, &id)) return false;
    r->seen |= 1u << id;
    size_t end = r->pos;
    if (take(r, '=')) {
        if (option_list[id].value == VALUE_NONE)
            return fail(r, r->begin[id], r->pos, "lazy with a value",
                        "lazy alone");
        if (!read_value(r, id)) return false;
        end = r->pos;
    } else if (!option_list[id].may_lack) {
        return found(r, "'=' and a value");
    } else if (id == OPTION_CAPTURE &&
               !capture_by_own_name(r, rule->begin, rule->end)) {
        return false;
    }
    r->end[id] = end;
    rule->is_lazy |= id == OPTION_LAZY;
    return true;
}

/* ---- all of them ---- */

static bool check_hidden_rules(Reader *r)
{
    const uint32_t pair = 1u << OPTION_HIDDEN_BODY | 1u << OPTION_HIDDEN_MARKER;
    if (!(r->seen & pair)) return true;
    OptionId one = r->seen >> OPTION_HIDDEN_BODY & 1 ? OPTION_HIDDEN_BODY
                                                     : OPTION_HIDDEN_MARKER;
    if ((r->seen & pair) != pair)
        return fail(r, r->begin[one], r->end[one],
                    "one of the two hidden rule ids", "both or neither");
    uint32_t count = r->e->rules.count;
    if (r->out.hidden_body < count) one = OPTION_HIDDEN_MARKER;
    if (r->out.hidden_body >= count || r->out.hidden_marker >= count)
        return diag_fail(&r->e->ir->error, WEIR_SYNTAX, r->begin[one],
                         r->end[one], "%s is no rule: there are %u",
                         option_list[one].name, count);
    r->out.has |= RULE_HAS_HIDDEN_RULES;
    r->out.hidden_body += r->e->first;
    r->out.hidden_marker += r->e->first;
    return true;
}

static bool read_options(Reader *r, EbnfRule *rule)
{
    skip(r);
    do {
        if (!read_option(r, rule)) return false;
    } while (take(r, ','));
    if (r->pos < r->source.size) return found(r, "',' or ']'");
    return check_hidden_rules(r);
}

static void store(Reader *r, uint32_t index)
{
    r->out.capture = span_of(r->capture.at, r->capture.count);
    r->out.stop_capture = span_of(r->stop_capture.at, r->stop_capture.count);
    if (r->out.capture.size) r->out.has |= RULE_HAS_CAPTURE;
    if (r->out.stop_capture.size) r->out.has |= RULE_HAS_STOP_CAPTURE;
    if (r->out.has || r->out.hidden_suffix || r->out.hidden_stop)
        ir_rule_options(r->e->ir, r->e->first + index, &r->out);
}

void ebnf_options(Ebnf *e, uint32_t index)
{
    EbnfRule *rule = &e->rules.at[index];
    if (rule->head.options == rule->head.options_end) return;
    Reader r = {.e = e, .pos = rule->head.options + 1};
    r.source = span_of(e->lex.source.at, rule->head.options_end - 1);
    if (read_options(&r, rule)) store(&r, index);
    vec_free(e->ir->mem, &r.capture);
    vec_free(e->ir->mem, &r.stop_capture);
}
