/* words.c: naming characters in messages.
 *
 * What a terminal shows stands in quotes; blanks have names; what does not
 * show, or changes how its neighbours show, is given by number, so a message
 * cannot be bent by the text that it quotes.   Tests: unit/explain_test.c.
 */
#include "base/words.h"

#include "base/utf8.h"

/* Beyond ASCII: controls, combining marks, format and surrogate characters,
 * private use, noncharacters; blocks, not single characters. */
static const uint32_t hidden[][2] = {
    {0x80, 0xA0},     {0xAD, 0xAD},     {0x300, 0x36F},      {0x483, 0x489},
    {0x591, 0x5CF},   {0x600, 0x61F},   {0x64B, 0x65F},      {0x1680, 0x1680},
    {0x180B, 0x180F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},    {0x2000, 0x200F},
    {0x2028, 0x202F}, {0x205F, 0x206F}, {0x20D0, 0x20FF},    {0x3000, 0x3000},
    {0xD800, 0xF8FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},    {0xFEFF, 0xFEFF},
    {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, RUNE_MAX},
};

static bool rune_shows(uint32_t rune)
{
    if (rune < 0x80) return rune >= 0x20 && rune < 0x7F;
    for (size_t i = 0; i < COUNT_OF(hidden); i++)
        if (rune >= hidden[i][0] && rune <= hidden[i][1]) return false;
    return rune <= RUNE_MAX;
}

/* Characters with a name. */
static const struct {
    uint32_t rune;
    const char *name;
} named[] = {
    {' ', "a space"}, {'\n', "a newline"}, {'\r', "a carriage return"},
    {'\t', "a tab"},  {'\'', "\"'\""},
};

void words_rune(Out *out, uint32_t rune)
{
    uint8_t bytes[4];
    for (size_t i = 0; i < COUNT_OF(named); i++)
        if (named[i].rune == rune) {
            out_text(out, named[i].name);
            return;
        }
    if (!rune_shows(rune)) {
        out_format(out, "U+%04X", (unsigned)rune);
        return;
    }
    out_text(out, "'");
    out_bytes(out, span_of(bytes, utf8_encode(rune, bytes)));
    out_text(out, "'");
}

void words_byte(Out *out, uint8_t byte)
{
    out_format(out, "byte 0x%02X", (unsigned)byte);
}

/* One character of a quoted text; *pos moves past it. */
static void quoted_rune(Out *out, Span text, size_t *pos)
{
    static const char escapes[] = "\nn\rr\tt\\\\";
    size_t at = *pos;
    uint32_t rune = utf8_decode(text, pos);
    for (const char *n = escapes; *n; n += 2)
        if (rune == (uint8_t)n[0]) {
            out_format(out, "\\%c", n[1]);
            return;
        }
    if (rune == RUNE_BAD || (rune < 0x80 && !rune_shows(rune)))
        out_format(out, "\\x%02x", (unsigned)text.at[at]);
    else if (!rune_shows(rune))
        out_format(out, "\\u{%X}", (unsigned)rune);
    else
        out_bytes(out, span_of(text.at + at, *pos - at));
}

void words_text(Out *out, Span text)
{
    size_t pos = 0;
    uint32_t rune = text.size ? utf8_decode(text, &pos) : RUNE_BAD;
    if (rune != RUNE_BAD && pos == text.size) {
        words_rune(out, rune);
        return;
    }
    bool has_quote = text.size && memchr(text.at, '\'', text.size);
    out_text(out, has_quote ? "\"" : "'");
    for (pos = 0; pos < text.size;) {
        if (has_quote && text.at[pos] == '"') out_text(out, "\\");
        quoted_rune(out, text, &pos);
    }
    out_text(out, has_quote ? "\"" : "'");
}

void words_found(Out *out, Span text, size_t pos)
{
    if (pos >= text.size) {
        out_text(out, "end of input");
        return;
    }
    size_t next = pos;
    uint32_t rune = utf8_decode(text, &next);
    if (rune == RUNE_BAD)
        words_byte(out, text.at[pos]);
    else
        words_rune(out, rune);
}
