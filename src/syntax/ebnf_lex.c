/* ebnf_lex.c: EBNF text → words.
 *
 * In:    bytes. Out: one word at a time, with its byte range.
 * Line ends are LF, CR and CRLF; a comment runs from '#' to the line's end.
 * A string or a class ends on the line where it begins. What an escape means
 * is ebnf_escape.c's business.
 * Cost:  linear; the search for a rule's head looks at each line once more.
 * Tests: unit/ebnf_test.c.
 */
#include "syntax/ebnf_lex.h"

#include <stdio.h>

#include "base/utf8.h"

static bool is_line_end(uint8_t c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || is_line_end(c);
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
}

static size_t line_end(Span source, size_t pos)
{
    while (pos < source.size && !is_line_end(source.at[pos])) pos++;
    return pos;
}

size_t ebnf_skip_blanks(Span source, size_t pos)
{
    while (pos < source.size) {
        if (source.at[pos] == '#')
            pos = line_end(source, pos);
        else if (is_blank(source.at[pos]))
            pos++;
        else
            break;
    }
    return pos;
}

bool ebnf_is_assign(Span source, size_t pos)
{
    return source.size - pos >= 3 && !memcmp(source.at + pos, "::=", 3);
}

static size_t name_end(Span source, size_t pos)
{
    while (pos < source.size &&
           (begins_name(source.at[pos]) || is_digit(source.at[pos])))
        pos++;
    return pos;
}

/* One past the closing mark of what opens at `pos`, with escapes, on one
 * line; 0 when there is none. */
static size_t quoted_end(Span source, size_t pos, uint8_t close)
{
    for (pos++; pos < source.size && !is_line_end(source.at[pos]); pos++) {
        if (source.at[pos] == close) return pos + 1;
        if (source.at[pos] == '\\' && pos + 1 < source.size &&
            !is_line_end(source.at[pos + 1]))
            pos++;
    }
    return 0;
}

/* ---- words ---- */

static void set_word(EbnfLexer *lex, EbnfKind kind, size_t begin, size_t end)
{
    lex->word =
        (EbnfWord){kind, (uint32_t)begin, (uint32_t)end, lex->at_line_start};
    lex->at_line_start = false;
    lex->pos = end;
}

static void quoted_word(EbnfLexer *lex, EbnfKind kind, uint8_t close,
                        const char *what)
{
    size_t begin = lex->pos, end = quoted_end(lex->source, begin, close);
    if (!end) {
        end = line_end(lex->source, begin);
        diag_fail(lex->error, WEIR_SYNTAX, begin, end,
                  "%s that does not end on its line, expected '%c'", what,
                  close);
        kind = EBNF_BAD;
    }
    set_word(lex, kind, begin, end);
}

static void bad_word(EbnfLexer *lex)
{
    Span s = lex->source;
    size_t begin = lex->pos, end = begin;
    (void)utf8_decode(s, &end);
    const char *hint = "";
    if (s.at[begin] == '/') hint = " (comments begin with '#')";
    if (s.at[begin] == '\'') hint = " (strings take double quotes)";
    if (s.at[begin] == ':') hint = " (a rule is written name ::= body)";
    diag_fail(lex->error, WEIR_SYNTAX, begin, end,
              "found %s, expected a name, string, class or operator%s",
              diag_found(s, begin).text, hint);
    set_word(lex, EBNF_BAD, begin, end);
}

static void number_word(EbnfLexer *lex)
{
    size_t begin = lex->pos, end = begin;
    while (end < lex->source.size && is_digit(lex->source.at[end])) end++;
    set_word(lex, EBNF_NUMBER, begin, end);
}

static void mark_word(EbnfLexer *lex)
{
    Span s = lex->source;
    size_t pos = lex->pos;
    if (ebnf_is_assign(s, pos))
        set_word(lex, EBNF_ASSIGN, pos, pos + 3);
    else if (s.at[pos] == '(' && pos + 1 < s.size && s.at[pos + 1] == '=')
        set_word(lex, EBNF_LOOK, pos, pos + 2);
    else if (s.at[pos] && strchr("|(){},=*+?", s.at[pos]))
        set_word(lex, EBNF_MARK, pos, pos + 1);
    else
        bad_word(lex);
}

void ebnf_lex_next(EbnfLexer *lex)
{
    Span s = lex->source;
    size_t pos = ebnf_skip_blanks(s, lex->pos);
    for (size_t i = lex->pos; i < pos; i++)
        lex->at_line_start |= is_line_end(s.at[i]);
    lex->pos = pos;
    if (pos == s.size)
        set_word(lex, EBNF_END, pos, pos);
    else if (begins_name(s.at[pos]))
        set_word(lex, EBNF_NAME, pos, name_end(s, pos));
    else if (is_digit(s.at[pos]))
        number_word(lex);
    else if (s.at[pos] == '"')
        quoted_word(lex, EBNF_STRING, '"', "string");
    else if (s.at[pos] == '[')
        quoted_word(lex, EBNF_CLASS, ']', "class");
    else
        mark_word(lex);
}

void ebnf_lex_jump(EbnfLexer *lex, size_t pos)
{
    lex->pos = pos;
    lex->at_line_start = false;
    ebnf_lex_next(lex);
}

void ebnf_lex_init(EbnfLexer *lex, Span source, weir_error *error)
{
    *lex = (EbnfLexer){.source = source, .error = error, .at_line_start = true};
    if (span_starts(source, SPAN("\xef\xbb\xbf"))) lex->pos = 3;
    ebnf_lex_next(lex);
}

/* ---- heads of rules ---- */

/* One past the bracket that closes the one at `pos`, strings apart, on the
 * same line; 0 when there is none. */
static size_t options_end(Span source, size_t pos)
{
    for (pos++; pos < source.size && !is_line_end(source.at[pos]); pos++) {
        if (source.at[pos] == ']') return pos + 1;
        if (source.at[pos] != '"') continue;
        size_t end = quoted_end(source, pos, '"');
        if (!end) return 0;
        pos = end - 1;
    }
    return 0;
}

bool ebnf_head(const EbnfLexer *lex, EbnfHead *head)
{
    Span s = lex->source;
    if (lex->word.kind != EBNF_NAME || !lex->word.begins_line) return false;
    size_t pos = ebnf_skip_blanks(s, lex->word.end);
    head->options = head->options_end = (uint32_t)pos;
    if (pos < s.size && s.at[pos] == '[') {
        size_t end = options_end(s, pos);
        if (!end) return false;
        head->options_end = (uint32_t)end;
        pos = ebnf_skip_blanks(s, end);
    }
    head->body = (uint32_t)pos + 3;
    return ebnf_is_assign(s, pos);
}
