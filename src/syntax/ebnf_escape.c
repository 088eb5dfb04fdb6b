/* ebnf_escape.c: what a string or a class of EBNF says.
 *
 * In:    a word between its marks. Out: UTF-8 bytes, or code point ranges.
 * Escapes of strings are C's and JSON's; classes also take the marks of
 * regular expressions. \x takes any number of hex digits. A high and a low
 * surrogate escape in a row are the character that they stand for; another
 * surrogate is in no text and refused, except as the end of a range.
 * Cost:  linear. Tests: unit/ebnf_test.c.
 */
#include "base/utf8.h"
#include "syntax/ebnf_lex.h"

/* Reads the characters of one word. */
typedef struct Chars {
    const EbnfLexer *lex;
    Span text; /* the source up to the closing mark */
    size_t pos;
    bool is_class;
} Chars;

static const struct {
    char letter;
    uint8_t value;
} simple_escapes[] = {
    {'n', '\n'},  {'r', '\r'}, {'t', '\t'},  {'b', '\b'}, {'f', '\f'},
    {'a', '\a'},  {'v', '\v'}, {'0', 0},     {'e', 0x1B}, {'"', '"'},
    {'\'', '\''}, {'?', '?'},  {'\\', '\\'}, {'/', '/'},
};

static bool is_surrogate(uint32_t rune)
{
    return rune >= 0xD800 && rune <= 0xDFFF;
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static uint32_t bad_escape(Chars *c, size_t begin, const char *why)
{
    size_t end = MIN(c->pos, c->text.size);
    diag_fail(c->lex->error, WEIR_SYNTAX, begin, end, "escape %s %s",
              diag_shown(span_of(c->text.at + begin, end - begin)).text, why);
    return RUNE_BAD;
}

/* `min` to `max` hex digits; the escape began at `begin`. */
static uint32_t hex_escape(Chars *c, size_t begin, size_t min, size_t max)
{
    uint32_t value = 0;
    size_t start = c->pos;
    for (; c->pos < c->text.size && c->pos - start < max; c->pos++) {
        int digit = hex_value(c->text.at[c->pos]);
        if (digit < 0) break;
        value = MIN(value * 16 + (uint32_t)digit, RUNE_MAX + 1);
    }
    if (c->pos - start < min)
        return bad_escape(c, begin,
                          min == 1   ? "lacks hex digits"
                          : min == 4 ? "lacks some of 4 hex digits"
                                     : "lacks some of 8 hex digits");
    if (value > RUNE_MAX) return bad_escape(c, begin, "is above U+10FFFF");
    return value;
}

/* The low surrogate escape that follows a high one, or 0 and no move. */
static uint32_t low_surrogate(Chars *c)
{
    size_t pos = c->pos;
    uint32_t value = 0;
    if (c->text.size - pos < 6 || memcmp(c->text.at + pos, "\\u", 2)) return 0;
    for (size_t i = pos + 2; i < pos + 6; i++) {
        int digit = hex_value(c->text.at[i]);
        if (digit < 0) return 0;
        value = value * 16 + (uint32_t)digit;
    }
    if (value < 0xDC00 || value > 0xDFFF) return 0;
    c->pos += 6;
    return value;
}

static uint32_t unicode_escape(Chars *c, size_t begin)
{
    uint32_t high = hex_escape(c, begin, 4, 4);
    if (high < 0xD800 || high > 0xDBFF) return high;
    uint32_t low = low_surrogate(c);
    return low ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : high;
}

static uint32_t read_escape(Chars *c)
{
    size_t begin = c->pos++;
    uint32_t letter = utf8_decode(c->text, &c->pos);
    for (size_t i = 0; i < COUNT_OF(simple_escapes); i++)
        if ((uint32_t)simple_escapes[i].letter == letter)
            return simple_escapes[i].value;
    if (letter == 'x') return hex_escape(c, begin, 1, SIZE_MAX);
    if (letter == 'u') return unicode_escape(c, begin);
    if (letter == 'U') return hex_escape(c, begin, 8, 8);
    if (c->is_class && letter && letter < 0x80) {
        if (strchr("^$.*+()[]{}|-", (int)letter)) return letter;
        if (strchr("dwsDWS", (int)letter))
            return bad_escape(c, begin, "is not supported in a class");
    }
    return bad_escape(c, begin, "is not known");
}

/* The next character, pos < size; RUNE_BAD after a report. */
static uint32_t read_rune(Chars *c)
{
    if (c->text.at[c->pos] == '\\') return read_escape(c);
    size_t begin = c->pos;
    uint32_t rune = utf8_decode(c->text, &c->pos);
    if (rune == RUNE_BAD)
        diag_fail(c->lex->error, WEIR_SYNTAX, begin, c->pos,
                  "found %s, expected UTF-8",
                  diag_byte(c->text.at[begin]).text);
    return rune;
}

static bool refuse_surrogate(Chars *c, size_t begin, uint32_t rune)
{
    if (!is_surrogate(rune)) return true;
    bad_escape(c, begin, "is half of a surrogate pair");
    return false;
}

bool ebnf_string(const EbnfLexer *lex, EbnfWord word, const Mem *mem,
                 EbnfBytes *bytes)
{
    Chars c = {lex, span_of(lex->source.at, word.end - 1), word.begin + 1,
               false};
    while (c.pos < c.text.size) {
        size_t begin = c.pos;
        uint32_t rune = read_rune(&c);
        if (rune == RUNE_BAD || !refuse_surrogate(&c, begin, rune))
            return false;
        uint8_t text[4];
        unsigned n = utf8_encode(rune, text);
        for (unsigned i = 0; i < n; i++)
            if (!vec_push(mem, bytes, text[i]))
                return diag_no_memory(lex->error);
    }
    return true;
}

/* One character or range of a class. */
static bool read_range(Chars *c, Range *range)
{
    size_t begin = c->pos;
    range->lo = range->hi = read_rune(c);
    if (range->lo == RUNE_BAD) return false;
    if (c->pos + 1 >= c->text.size || c->text.at[c->pos] != '-')
        return refuse_surrogate(c, begin, range->lo);
    c->pos++;
    range->hi = read_rune(c);
    if (range->hi == RUNE_BAD) return false;
    if (range->lo <= range->hi) return true;
    return diag_fail(c->lex->error, WEIR_SYNTAX, begin, c->pos,
                     "range from %s down to %s", diag_rune(range->lo).text,
                     diag_rune(range->hi).text);
}

bool ebnf_class(const EbnfLexer *lex, EbnfWord word, const Mem *mem,
                EbnfRanges *ranges, bool *negated)
{
    Chars c = {lex, span_of(lex->source.at, word.end - 1), word.begin + 1,
               true};
    *negated = c.pos < c.text.size && c.text.at[c.pos] == '^';
    if (*negated) c.pos++;
    while (c.pos < c.text.size) {
        Range range;
        if (!read_range(&c, &range)) return false;
        if (!vec_push(mem, ranges, range)) return diag_no_memory(lex->error);
    }
    return true;
}
