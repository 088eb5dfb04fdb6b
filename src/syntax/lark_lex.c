/* lark_lex.c: see lark_lex.h.
 *
 * Words are found one at a time, on request; what a string says, and where
 * JSON ends, only when asked for. // begins a comment, so that no regular
 * expression is empty. Line ends mean something: they are words, those in a
 * row one.
 * Cost: linear, but that a word may be looked at twice. Tests: unit/lark_test.c
 */
#include "syntax/lark_lex.h"

#include "base/utf8.h"
#include "text/json.h"

static bool is_line_end(uint8_t c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_small(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_letter(uint8_t c)
{
    return is_small(c) || (c >= 'A' && c <= 'Z');
}

static bool is_name(uint8_t c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

/* The byte there, or 0 at the end. */
static uint8_t at(Span s, size_t pos)
{
    return pos < s.size ? s.at[pos] : 0;
}

static bool stands(Span s, size_t pos, const char *what)
{
    return pos < s.size &&
           span_starts(span_of(s.at + pos, s.size - pos), span_text(what));
}

static bool begins_comment(Span s, size_t pos)
{
    return at(s, pos) == '#' || stands(s, pos, "//");
}

/* Past blanks and comments. */
static size_t skip_blanks(Span s, size_t pos)
{
    while (pos < s.size) {
        if (begins_comment(s, pos))
            while (pos < s.size && !is_line_end(s.at[pos])) pos++;
        else if (is_blank(s.at[pos]))
            pos++;
        else
            break;
    }
    return pos;
}

static size_t skip_lines(Span s, size_t pos)
{
    while (pos < s.size && is_line_end(s.at[pos]))
        pos = skip_blanks(s, pos + 1);
    return pos;
}

/* One past the closing mark of what opens at `pos`, with escapes; 0 when there
 * is none, on the same line if it has to be there. */
static size_t quoted_end(Span s, size_t pos, uint8_t close, bool one_line)
{
    for (pos++; pos < s.size; pos++) {
        if (one_line && is_line_end(s.at[pos])) return 0;
        if (s.at[pos] == close) return pos + 1;
        if (s.at[pos] == '\\') pos++;
    }
    return 0;
}

static size_t line_end(Span s, size_t pos)
{
    while (pos < s.size && !is_line_end(s.at[pos])) pos++;
    return pos;
}

static LarkWord word(LarkWordKind kind, size_t begin, size_t end)
{
    return (LarkWord){kind, (uint32_t)begin, (uint32_t)end};
}

static LarkWord unended(const LarkLexer *lex, size_t begin, const char *what,
                        uint8_t close)
{
    size_t end = line_end(lex->source, begin);
    diag_fail(lex->error, WEIR_SYNTAX, begin, end,
              "found %s that does not end, expected '%c'", what, close);
    return word(LARK_BAD, begin, end);
}

static LarkWord bad_word(const LarkLexer *lex, size_t begin)
{
    Span s = lex->source;
    size_t end = begin;
    (void)utf8_decode(s, &end);
    const char *hint = "";
    if (s.at[begin] == '\'') hint = " (strings take double quotes)";
    if (s.at[begin] == '/') hint = " (// begins a comment)";
    diag_fail(lex->error, WEIR_SYNTAX, begin, end,
              "found %s, expected a name, string, regular expression or "
              "operator%s",
              diag_found(s, begin).text, hint);
    return word(LARK_BAD, begin, end);
}

static LarkWord name_word(Span s, size_t begin)
{
    size_t end = begin, first = begin;
    while (end < s.size && is_name(s.at[end])) end++;
    while (at(s, first) == '_') first++;
    bool is_capital = is_letter(at(s, first)) && !is_small(at(s, first));
    return word(is_capital ? LARK_TERMINAL : LARK_RULE, begin, end);
}

static size_t digits_end(Span s, size_t pos)
{
    while (pos < s.size && is_digit(s.at[pos])) pos++;
    return pos;
}

static LarkWord number_word(Span s, size_t begin)
{
    size_t end = begin + (s.at[begin] == '-' || s.at[begin] == '+');
    if (stands(s, end, "0x") || stands(s, end, "0X")) {
        for (end += 2; end < s.size && is_name(s.at[end]);) end++;
        return word(LARK_NUMBER, begin, end);
    }
    end = digits_end(s, end);
    if (at(s, end) == '.' && at(s, end + 1) != '.')
        end = digits_end(s, end + 1);
    size_t sign = end + 1 + (at(s, end + 1) == '-' || at(s, end + 1) == '+');
    if ((at(s, end) | 0x20) == 'e' && is_digit(at(s, sign)))
        end = digits_end(s, sign);
    return word(LARK_NUMBER, begin, end);
}

static LarkWord string_word(const LarkLexer *lex, size_t begin)
{
    Span s = lex->source;
    size_t end = quoted_end(s, begin, '"', true);
    if (!end) return unended(lex, begin, "a string", '"');
    bool has_flag = at(s, end) == 'i' && !is_name(at(s, end + 1));
    return word(LARK_STRING, begin, end + has_flag);
}

static LarkWord regex_word(const LarkLexer *lex, size_t begin)
{
    size_t end = quoted_end(lex->source, begin, '/', false);
    if (!end) return unended(lex, begin, "a regular expression", '/');
    while (at(lex->source, end) && strchr("imslux", at(lex->source, end)))
        end++;
    return word(LARK_REGEX, begin, end);
}

/* <...> without blanks inside. */
static LarkWord token_word(const LarkLexer *lex, size_t begin)
{
    Span s = lex->source;
    size_t end = begin + 1;
    while (end < s.size && s.at[end] > ' ' && s.at[end] != '<' &&
           s.at[end] != '>')
        end++;
    if (at(s, end) == '>' && end > begin + 1)
        return word(LARK_TOKEN, begin, end + 1);
    diag_fail(lex->error, WEIR_SYNTAX, begin, end,
              "found '<' and no '>' behind it, expected <name> or <[id]>");
    return word(LARK_BAD, begin, end);
}

static LarkWord prefixed_word(const LarkLexer *lex, size_t begin,
                              LarkWordKind kind)
{
    size_t end = begin + 1;
    while (is_name(at(lex->source, end))) end++;
    return end > begin + 1 ? word(kind, begin, end) : bad_word(lex, begin);
}

static LarkWord mark_word(const LarkLexer *lex, size_t begin)
{
    static const char *const longer[] = {"::", "..", "->"};
    Span s = lex->source;
    for (size_t i = 0; i < COUNT_OF(longer); i++)
        if (stands(s, begin, longer[i]))
            return word(LARK_MARK, begin, begin + 2);
    if (s.at[begin] && strchr(":|()[]{},.~=+*?&!", s.at[begin]))
        return word(LARK_MARK, begin, begin + 1);
    return bad_word(lex, begin);
}

/* The word at or after pos. */
static LarkWord word_at(const LarkLexer *lex, size_t pos)
{
    Span s = lex->source;
    pos = skip_blanks(s, pos);
    if (pos == s.size) return word(LARK_END, pos, pos);
    uint8_t c = s.at[pos], next = at(s, pos + 1);
    if (is_line_end(c)) return word(LARK_LINE, pos, skip_lines(s, pos));
    if (is_letter(c) || c == '_') return name_word(s, pos);
    if (is_digit(c) || ((c == '-' || c == '+') && is_digit(next)))
        return number_word(s, pos);
    switch (c) {
    case '"':
        return string_word(lex, pos);
    case '/':
        return regex_word(lex, pos);
    case '<':
        return token_word(lex, pos);
    case '%':
        return prefixed_word(lex, pos, LARK_DIRECTIVE);
    case '@':
        return prefixed_word(lex, pos, LARK_GRAMMAR);
    default:
        return mark_word(lex, pos);
    }
}

void lark_lex_jump(LarkLexer *lex, size_t pos)
{
    lex->word = word_at(lex, pos);
    lex->pos = lex->word.end;
}

void lark_lex_next(LarkLexer *lex)
{
    lark_lex_jump(lex, lex->pos);
}

LarkWord lark_lex_peek(const LarkLexer *lex)
{
    weir_error ignored = {0};
    LarkLexer ahead = *lex;
    ahead.error = &ignored;
    return word_at(&ahead, lex->pos);
}

void lark_lex_init(LarkLexer *lex, Span source, weir_error *error)
{
    *lex = (LarkLexer){.source = source, .error = error};
    lark_lex_jump(lex, span_starts(source, SPAN("\xef\xbb\xbf")) ? 3 : 0);
}

/* ---- nested texts ---- */

static size_t skip_spaces(Span s, size_t pos)
{
    while (pos < s.size && (is_blank(s.at[pos]) || is_line_end(s.at[pos])))
        pos++;
    return pos;
}

static size_t no_nested(const LarkLexer *lex, size_t pos, const char *what)
{
    diag_fail(lex->error, WEIR_SYNTAX, pos, MIN(pos + 1, lex->source.size),
              "found %s, expected %s", diag_found(lex->source, pos).text, what);
    return 0;
}

/* Past the quoted text, if one begins at `pos`; 0 if it does not end. */
static size_t skip_quoted(Span s, size_t pos, bool is_lark)
{
    if (s.at[pos] == '"') return quoted_end(s, pos, '"', true);
    if (!is_lark) return pos + 1;
    if (begins_comment(s, pos)) return line_end(s, pos);
    if (s.at[pos] == '/') return quoted_end(s, pos, '/', false);
    return pos + 1;
}

/* One past the bracket that closes the one at `pos`. */
static size_t brackets_end(const LarkLexer *lex, size_t pos, bool is_lark)
{
    Span s = lex->source;
    uint32_t depth = 0;
    for (size_t i = pos, next; i < s.size; i = next) {
        uint8_t c = s.at[i];
        next = skip_quoted(s, i, is_lark);
        if (!next) break;
        if (c == '{' || (c == '[' && !is_lark)) depth++;
        if (c == '}' || (c == ']' && !is_lark)) depth--;
        if (!depth) return next;
    }
    diag_fail(lex->error, WEIR_SYNTAX, pos, pos + 1,
              "found %s that is not closed", diag_found(s, pos).text);
    return 0;
}

size_t lark_json_end(const LarkLexer *lex, size_t pos, size_t *begin)
{
    Span s = lex->source;
    *begin = pos = skip_spaces(s, pos);
    if (at(s, pos) == '{' || at(s, pos) == '[')
        return brackets_end(lex, pos, false);
    if (at(s, pos) == '"') {
        size_t end = quoted_end(s, pos, '"', true);
        return end ? end : no_nested(lex, pos, "a JSON string that ends");
    }
    while (pos < s.size &&
           (is_name(s.at[pos]) || s.at[pos] == '.' || s.at[pos] == '+'))
        pos++;
    return pos > *begin ? pos : no_nested(lex, pos, "JSON");
}

size_t lark_nested_end(const LarkLexer *lex, size_t pos, size_t *begin)
{
    *begin = skip_spaces(lex->source, pos);
    if (at(lex->source, *begin) != '{')
        return no_nested(lex, *begin, "a grammar in braces");
    return brackets_end(lex, *begin, true);
}

/* ---- strings ---- */

static bool put(const Mem *mem, LarkBytes *bytes, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!vec_push(mem, bytes, (uint8_t)text[i])) return false;
    return true;
}

/* The string as JSON spells it: with \u00HH for \xHH. */
static bool as_json(const Mem *mem, Span text, LarkBytes *json)
{
    for (size_t i = 0; i < text.size; i++) {
        const char *c = (const char *)text.at + i;
        bool is_escape = *c == '\\' && i + 1 < text.size;
        bool is_hex = is_escape && c[1] == 'x';
        if (!(is_hex ? put(mem, json, "\\u00", 4) : put(mem, json, c, 1)))
            return false;
        if (is_escape && !is_hex && !put(mem, json, c + 1, 1)) return false;
        i += is_escape;
    }
    return true;
}

static bool bad_string(const LarkLexer *lex, LarkWord w, const weir_error *err)
{
    if (err->status == WEIR_NO_MEMORY) return diag_no_memory(lex->error);
    bool is_exact = !memchr(lex->source.at + w.begin, 'x', w.end - w.begin);
    return diag_fail(
        lex->error, err->status, w.begin + (is_exact ? err->begin : 0),
        is_exact ? w.begin + err->end : w.end,
        "%s in a string, which has JSON's escapes and \\xHH", err->message);
}

/* Appends what the JSON string means. */
static bool read_json(const LarkLexer *lex, LarkWord w, const Mem *mem,
                      Span text, LarkBytes *bytes)
{
    weir_error err = {0};
    Json json;
    if (!json_parse(&json, mem, text, NULL, &err))
        return bad_string(lex, w, &err);
    Span means = json_string(&json, JSON_ROOT);
    bool done = put(mem, bytes, (const char *)means.at, means.size) ||
                diag_no_memory(lex->error);
    json_free(&json);
    return done;
}

bool lark_string(const LarkLexer *lex, LarkWord w, const Mem *mem,
                 LarkBytes *bytes, bool *ignore_case)
{
    Span text = lark_text(lex, w);
    LarkBytes json = {0};
    *ignore_case = text.at[text.size - 1] == 'i';
    text.size -= *ignore_case;
    bool done =
        as_json(mem, text, &json)
            ? read_json(lex, w, mem, span_of(json.at, json.count), bytes)
            : diag_no_memory(lex->error);
    vec_free(mem, &json);
    return done;
}
