/* regex_escape.c: what a backslash and what follows it mean.
 *
 * In:    the parser at a backslash.   Out: a rune, a set, or an assertion.
 * Method: each letter with a meaning has a function. Where the u flag's rules
 *        allow nothing, the dialect decides: error, or the character itself.
 * Tests: unit/regex_test.c, prop/regex_reference_test.c
 */
#include "syntax/regex_parser.h"

#include "base/utf8.h"

enum { NAME_MAX = 64 };

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint32_t c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static int hex_value(uint8_t c)
{
    if (is_digit(c)) return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool give_rune(Escape *escape, uint32_t rune)
{
    escape->kind = ESCAPE_RUNE;
    escape->rune = rune;
    return true;
}

static bool found_unknown(RegexParser *p, size_t begin)
{
    return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                   "found an escape of %s, expected one of "
                   "\\d \\w \\s \\b \\n \\xHH \\u{H} \\p{...} or a "
                   "punctuation mark",
                   diag_found(p->text, begin + 1).text);
}

/* ---- the character itself ---- */

static bool is_punctuation(uint32_t c)
{
    return c > 0x20 && c < 0x7F && !is_digit(c) && !is_letter(c) && c != '_';
}

/* What the u and v flags allow to be escaped without need. */
static bool may_escape(const RegexParser *p, uint32_t c, bool in_class)
{
    const char *allowed = !in_class     ? "^$\\.*+?()[]{}|/"
                          : p->has_sets ? "^$\\.*+?()[]{}|/-&!#%,:;<=>@`~"
                                        : "^$\\.*+?()[]{}|/-";
    return c && c < 0x80 && strchr(allowed, (int)c);
}

/* The escaped character, which the parser has passed, stands for itself. */
static bool read_identity(RegexParser *p, size_t begin, uint32_t c,
                          bool in_class, Escape *escape)
{
    if (p->is_strict && !may_escape(p, c, in_class))
        return found_unknown(p, begin);
    if (p->is_extra && c < 0x80 && !is_punctuation(c))
        re_warn(p->re, begin, p->pos,
                "the escape of %s stands for the character itself",
                diag_found(p->text, begin + 1).text);
    return give_rune(escape, c);
}

/* ---- numbers ---- */

/* `count` hexadecimal digits at pos, or none taken. */
static bool take_hex(RegexParser *p, size_t count, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = hex_value(re_peek(p, i));
        if (digit < 0) return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    p->pos += count;
    return true;
}

/* "{H...}" with a code point inside; an error if there is no such form. */
static bool take_braced(RegexParser *p, size_t begin, uint32_t *value)
{
    size_t open = p->pos++;
    *value = 0;
    for (; hex_value(re_peek(p, 0)) >= 0; p->pos++) {
        *value = *value << 4 | (uint32_t)hex_value(re_peek(p, 0));
        if (*value > RUNE_MAX)
            return re_fail(p->re, WEIR_SYNTAX, begin, p->pos + 1,
                           "found a number above U+10FFFF, expected a code "
                           "point");
    }
    if (p->pos > open + 1 && re_take(p, "}")) return true;
    return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                   "found %s, expected hexadecimal digits and '}'",
                   diag_found(p->text, p->pos).text);
}

/* \xHH, \UHHHHHHHH; also with braces in the lenient dialect. */
static bool read_hex(RegexParser *p, size_t begin, size_t count, uint32_t c,
                     bool in_class, Escape *escape)
{
    uint32_t value;
    if (p->is_extra && re_peek(p, 0) == '{')
        return take_braced(p, begin, &value) && give_rune(escape, value);
    if (!take_hex(p, count, &value))
        return read_identity(p, begin, c, in_class, escape);
    if (value > RUNE_MAX)
        return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                       "found a number above U+10FFFF, expected a code point");
    return give_rune(escape, value);
}

/* \uHHHH, also as a surrogate pair, and \u{H...}. */
static bool read_unicode(RegexParser *p, size_t begin, bool in_class,
                         Escape *escape)
{
    uint32_t value, low;
    if (p->is_unicode && re_peek(p, 0) == '{')
        return take_braced(p, begin, &value) && give_rune(escape, value);
    if (!take_hex(p, 4, &value))
        return read_identity(p, begin, 'u', in_class, escape);
    size_t after = p->pos;
    bool is_high = value >> 10 == 0xD800 >> 10;
    if (is_high && re_take(p, "\\u") && take_hex(p, 4, &low) &&
        low >> 10 == 0xDC00 >> 10)
        return give_rune(escape,
                         0x10000 + ((value & 0x3FF) << 10 | (low & 0x3FF)));
    p->pos = after;
    return give_rune(escape, value);
}

/* Up to three octal digits, at most \377 (Annex B). */
static bool read_octal(RegexParser *p, Escape *escape)
{
    uint32_t value = 0;
    for (int i = 0; i < 3; i++, p->pos++) {
        uint8_t c = re_peek(p, 0);
        if (c < '0' || c > '7' || value * 8 + (c - '0') > 255) break;
        value = value * 8 + (c - '0');
    }
    return give_rune(escape, value);
}

/* ---- back-references ---- */

/* Counts capturing groups: "(" not followed by "?", and named ones. */
static void count_captures(RegexParser *p)
{
    bool in_class = false;
    p->captures = 0;
    for (size_t i = 0; i < p->text.size; i++) {
        uint8_t c = p->text.at[i];
        if (c == '\\') {
            i++;
        } else if (in_class || c != '(') {
            in_class = in_class ? c != ']' : c == '[';
        } else {
            RegexParser at = {.text = p->text, .pos = i + 1};
            bool is_look = re_take(&at, "?<=") || re_take(&at, "?<!");
            bool is_named =
                !is_look && (re_take(&at, "?<") || re_take(&at, "?P<"));
            p->captures += is_named || re_peek(&at, 0) != '?' ? !is_look : 0;
            p->has_names |= is_named;
        }
    }
}

static bool refuse_reference(RegexParser *p, size_t begin)
{
    return re_fail(p->re, WEIR_UNSUPPORTED, begin, p->pos,
                   "found a back-reference, expected a regular expression "
                   "without them: what they match is no regular language");
}

/* \1 ... \9 and on. */
static bool read_decimal(RegexParser *p, size_t begin, bool in_class,
                         Escape *escape)
{
    size_t digits = p->pos;
    uint32_t n = re_number(p);
    if (p->captures == RE_NONE) count_captures(p);
    if (!in_class && n <= p->captures) return refuse_reference(p, begin);
    if (p->is_strict || (p->is_extra && !in_class))
        return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                       "found a reference to group %u, expected one of %u "
                       "groups",
                       n, p->captures);
    p->pos = digits;
    if (re_peek(p, 0) < '8') return read_octal(p, escape);
    p->pos++;
    return read_identity(p, begin, p->text.at[digits], in_class, escape);
}

/* \0, and octal numbers that begin with it. */
static bool read_zero(RegexParser *p, size_t begin, Escape *escape)
{
    if (p->is_strict && is_digit(re_peek(p, 1))) {
        p->pos += 2;
        return found_unknown(p, begin);
    }
    return read_octal(p, escape);
}

/* \k<name>; without names in the pattern, Annex B reads a k. */
static bool read_named(RegexParser *p, size_t begin, bool in_class,
                       Escape *escape)
{
    if (p->captures == RE_NONE) count_captures(p);
    bool is_letter_k = in_class || (!p->is_strict && !p->has_names &&
                                    !(p->is_extra && re_peek(p, 0) == '<'));
    if (is_letter_k) return read_identity(p, begin, 'k', in_class, escape);
    if (re_peek(p, 0) == '<')
        while (!re_at_end(p) && p->text.at[p->pos++] != '>') {}
    return refuse_reference(p, begin);
}

/* ---- \c, \p ---- */

/* \cA is a control character; without a letter Annex B reads a backslash. */
static bool read_control(RegexParser *p, size_t begin, bool in_class,
                         Escape *escape)
{
    uint8_t c = re_peek(p, 0);
    bool is_legacy = in_class && !p->is_unicode && (is_digit(c) || c == '_');
    if (is_letter(c) || is_legacy) {
        p->pos++;
        return give_rune(escape, c % 32);
    }
    if (p->is_strict) return found_unknown(p, begin);
    p->pos = begin + 1;
    if (p->is_extra)
        re_warn(p->re, begin, p->pos + 1,
                "\\c without a letter stands for a backslash and a c");
    return give_rune(escape, '\\');
}

static bool find_property(const RegexParser *p, Span name,
                          const RuneRange **ranges, uint32_t *count)
{
    return unicode_property(name, ranges, count) ||
           (p->is_extra && unicode_property_loose(name, ranges, count));
}

static bool is_name_byte(const RegexParser *p, uint8_t c)
{
    return is_digit(c) || is_letter(c) || c == '_' || c == '=' ||
           (p->is_extra && (c == ' ' || c == '-'));
}

/* The name between braces, or one letter: \p{Greek}, \pL. */
static bool take_property_name(RegexParser *p, size_t begin, Span *name)
{
    size_t from = p->pos + 1, to = from;
    if (re_peek(p, 0) != '{') {
        if (!p->is_extra || !is_letter(re_peek(p, 0)))
            return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                           "found %s, expected a property in braces",
                           diag_found(p->text, p->pos).text);
        *name = span_of(p->text.at + p->pos++, 1);
        return true;
    }
    while (to < p->text.size && is_name_byte(p, p->text.at[to])) to++;
    if (to == p->text.size || p->text.at[to] != '}' || to - from > NAME_MAX)
        return re_fail(p->re, WEIR_SYNTAX, begin, to,
                       "found %s, expected '}' after the property's name",
                       diag_found(p->text, to).text);
    p->pos = to + 1;
    *name = span_of(p->text.at + from, to - from);
    return true;
}

static bool read_property(RegexParser *p, size_t begin, bool is_negated,
                          Escape *escape)
{
    Span name = {0};
    const RuneRange *ranges;
    uint32_t count;
    const Mem *mem = p->re->mem;
    escape->kind = ESCAPE_SET;
    if (!take_property_name(p, begin, &name)) return false;
    if (!find_property(p, name, &ranges, &count))
        return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                       "found the unknown property '%.*s', expected one of "
                       "Unicode's, such as L, Lu, Script=Greek, Alphabetic",
                       (int)name.size, (const char *)name.at);
    if (!re_charge(p->re, count)) return false;
    if (!runes_add_all(mem, &escape->set, ranges, count))
        return re_no_memory(p->re);
    runes_normalise(&escape->set);
    bool fold_first = p->has_sets && p->flags & RE_IGNORE_CASE;
    if (is_negated && fold_first && !class_fold(p, &escape->set)) return false;
    return !is_negated || runes_invert(mem, &escape->set) ||
           re_no_memory(p->re);
}

/* ---- dispatch ---- */

static bool give_kind(Escape *escape, EscapeKind kind, bool is_negated)
{
    escape->kind = kind;
    escape->is_negated = is_negated;
    return true;
}

/* Rust's and Python's letters outside and inside classes. */
static bool read_extra(RegexParser *p, size_t begin, uint32_t c, bool in_class,
                       Escape *escape)
{
    if (c == 'a') return give_rune(escape, 7);
    if (c == 'U') return read_hex(p, begin, 8, c, in_class, escape);
    if (c == 'A' && !in_class) return give_kind(escape, ESCAPE_START, false);
    if ((c == 'z' || c == 'Z') && !in_class)
        return give_kind(escape, ESCAPE_END, false);
    return read_identity(p, begin, c, in_class, escape);
}

static bool read_boundary(RegexParser *p, size_t begin, uint32_t c,
                          bool in_class, Escape *escape)
{
    if (!in_class) return give_kind(escape, ESCAPE_BOUNDARY, c == 'B');
    if (c == 'b') return give_rune(escape, 8);
    return read_identity(p, begin, c, in_class, escape);
}

static bool read_letter(RegexParser *p, size_t begin, uint32_t c, bool in_class,
                        Escape *escape)
{
    switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
    case 's':
    case 'S':
        escape->kind = ESCAPE_SET;
        return class_of_letter(p, (char)c, &escape->set);
    case 'b':
    case 'B':
        return read_boundary(p, begin, c, in_class, escape);
    case 't':
        return give_rune(escape, '\t');
    case 'n':
        return give_rune(escape, '\n');
    case 'v':
        return give_rune(escape, '\v');
    case 'f':
        return give_rune(escape, '\f');
    case 'r':
        return give_rune(escape, '\r');
    case 'c':
        return read_control(p, begin, in_class, escape);
    case 'k':
        return read_named(p, begin, in_class, escape);
    case 'x':
        return read_hex(p, begin, 2, c, in_class, escape);
    case 'u':
        return read_unicode(p, begin, in_class, escape);
    case 'p':
    case 'P':
        if (p->is_unicode) return read_property(p, begin, c == 'P', escape);
        break;
    default:
        if (p->is_extra) return read_extra(p, begin, c, in_class, escape);
    }
    return read_identity(p, begin, c, in_class, escape);
}

bool escape_read(RegexParser *p, bool in_class, Escape *escape)
{
    size_t begin = p->pos++;
    *escape = (Escape){ESCAPE_RUNE, false, 0, {0}};
    if (!re_charge(p->re, 4)) return false;
    if (re_at_end(p))
        return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                       "found end of input, expected the rest of an escape");
    uint8_t first = re_peek(p, 0);
    if (first == '0') return read_zero(p, begin, escape);
    if (is_digit(first)) return read_decimal(p, begin, in_class, escape);
    uint32_t c = re_next_rune(p);
    if (c == RUNE_BAD) return false;
    if (is_letter(c)) return read_letter(p, begin, c, in_class, escape);
    return read_identity(p, begin, c, in_class, escape);
}
