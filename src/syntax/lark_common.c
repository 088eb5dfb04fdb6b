/* lark_common.c: the terminals of Lark's grammar "common", as llguidance has
 * them: ASCII digits and letters; a string may hold line ends, but not behind
 * a backslash.
 *
 * Tests: unit/lark_test.c; all of them against recorded answers,
 * unit/lark_recorded_test.c.
 */
#include "syntax/lark_parse.h"
#include "syntax/regex.h"

#define DIGITS "[0-9]+"
#define EXPONENT "[eE][+-]?" DIGITS
#define DECIMALS "(?:" DIGITS "\\.[0-9]*|\\." DIGITS ")"
#define FLOATS "(?:" DIGITS EXPONENT "|" DECIMALS "(?:" EXPONENT ")?)"
#define NUMBERS "(?:" FLOATS "|" DIGITS ")"

static const struct {
    const char *name, *pattern;
} commons[] = {
    {"DIGIT", "[0-9]"},
    {"HEXDIGIT", "[0-9a-fA-F]"},
    {"INT", DIGITS},
    {"SIGNED_INT", "[+-]?" DIGITS},
    {"DECIMAL", DECIMALS},
    {"_EXP", EXPONENT},
    {"FLOAT", FLOATS},
    {"SIGNED_FLOAT", "[+-]?" FLOATS},
    {"NUMBER", NUMBERS},
    {"SIGNED_NUMBER", "[+-]?" NUMBERS},
    {"ESCAPED_STRING", "\"(?:[^\"\\\\]|\\\\[^\\n])*\""},
    {"LCASE_LETTER", "[a-z]"},
    {"UCASE_LETTER", "[A-Z]"},
    {"LETTER", "[A-Za-z]"},
    {"WORD", "[A-Za-z]+"},
    {"CNAME", "[A-Za-z_][A-Za-z_0-9]*"},
    {"WS_INLINE", "[ \\t]+"},
    {"WS", "[ \\t\\f\\r\\n]+"},
    {"CR", "\\r"},
    {"LF", "\\n"},
    {"NEWLINE", "(?:\\r?\\n)+"},
    {"SH_COMMENT", "#[^\\n]*"},
    {"CPP_COMMENT", "//[^\\n]*"},
    {"C_COMMENT", "/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/"},
    {"SQL_COMMENT", "--[^\\n]*"},
};

LarkId lark_common(Lark *k, Span name, LarkWord at)
{
    for (size_t i = 0; i < COUNT_OF(commons); i++) {
        if (!span_equal(name, span_text(commons[i].name))) continue;
        NodeId node = regex_compile(k->ir, span_text(commons[i].pattern), NULL);
        return lark_node(k,
                         (LarkNode){LARK_LEXEME, node, 0, 0, at.begin, at.end});
    }
    return LARK_NONE;
}
