/* vocab_coding.c: the codings of token texts.
 *
 * GPT-2's table maps the bytes 0x21-0x7E, 0xA1-0xAC and 0xAE-0xFF to the code
 * points of the same number, and the 68 others in order to U+0100 ... U+0143.
 * Here it is inverted once, by code point.
 * Tests: unit/vocab_test.c
 */
#include "vocab/vocab_coding.h"

#include "base/utf8.h"

enum { LAST_RUNE = 0x143, NO_BYTE = -1 };

/* The 68 bytes without a visible character of their own number, in order:
 * 0x00-0x20, 0x7F-0xA0, 0xAD. */
static int nth_hidden_byte(unsigned n)
{
    if (n <= 0x20) return (int)n;
    n -= 0x21;
    return n <= 0xA0 - 0x7F ? 0x7F + (int)n : 0xAD;
}

static int byte_of_rune(uint32_t rune)
{
    if (rune >= 0x100 && rune <= LAST_RUNE)
        return nth_hidden_byte(rune - 0x100);
    bool visible = (rune >= 0x21 && rune <= 0x7E) ||
                   (rune >= 0xA1 && rune <= 0xFF && rune != 0xAD);
    return visible ? (int)rune : NO_BYTE;
}

size_t coding_byte_level(Span text, uint8_t *out)
{
    size_t n = 0;
    for (size_t pos = 0; pos < text.size;) {
        const uint8_t *at = text.at + pos;
        uint32_t rune;
        if (at[0] < 0x80) {
            rune = at[0];
            pos++;
        } else if (text.size - pos > 1 && (at[0] & 0xE0) == 0xC0) {
            rune = (at[0] & 0x1Fu) << 6 | (at[1] & 0x3F); /* well formed */
            pos += 2;
        } else {
            rune = RUNE_BAD;
        }
        int byte = byte_of_rune(rune);
        if (byte == NO_BYTE) {
            memcpy(out, text.at, text.size);
            return text.size;
        }
        out[n++] = (uint8_t)byte;
    }
    return n;
}

size_t coding_spaced(Span text, Span mark, uint8_t *out)
{
    size_t n = 0;
    for (size_t pos = 0; pos < text.size;) {
        Span rest = span_of(text.at + pos, text.size - pos);
        bool is_mark =
            mark.size && rest.at[0] == mark.at[0] && span_starts(rest, mark);
        out[n++] = is_mark ? ' ' : rest.at[0];
        pos += is_mark ? mark.size : 1;
    }
    return n;
}

size_t coding_size(weir_vocab_coding coding, Span mark, Span part)
{
    size_t n = 0;
    if (coding == WEIR_CODING_RAW) return part.size;
    for (size_t pos = 0; pos < part.size; n++) {
        Span rest = span_of(part.at + pos, part.size - pos);
        if (coding == WEIR_CODING_BYTE_FALLBACK) {
            pos += mark.size && span_starts(rest, mark) ? mark.size : 1;
            continue;
        }
        for (pos++; pos < part.size && (part.at[pos] & 0xC0) == 0x80;) pos++;
    }
    return n;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int hex_byte(const uint8_t *at)
{
    int high = hex_digit(at[0]), low = hex_digit(at[1]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

int coding_byte_name(Span text)
{
    if (text.size != 6 || text.at[5] != '>' || !span_starts(text, SPAN("<0x")))
        return -1;
    return hex_byte(text.at + 3);
}

size_t coding_byte_fallback(Span text, Span mark, uint8_t *out)
{
    int byte = coding_byte_name(text);
    if (byte < 0) return coding_spaced(text, mark, out);
    out[0] = (uint8_t)byte;
    return 1;
}

size_t coding_escaped(Span text, uint8_t *out)
{
    static const char letters[] = "ntr", meaning[] = "\n\t\r";
    size_t n = 0;
    for (size_t pos = 0; pos < text.size; pos++) {
        uint8_t c = text.at[pos];
        if (c == '\\' && pos + 1 < text.size) {
            c = text.at[++pos];
            const char *letter = memchr(letters, c, sizeof letters - 1);
            if (letter) c = (uint8_t)meaning[letter - letters];
            if (c == 'x' && text.size - pos > 2 &&
                hex_byte(text.at + pos + 1) >= 0) {
                c = (uint8_t)hex_byte(text.at + pos + 1);
                pos += 2;
            }
        }
        out[n++] = c;
    }
    return n;
}

void coding_count(CodingEvidence *evidence, Span text)
{
    uint32_t nrunes = 0;
    evidence->ntexts++;
    evidence->nbyte_names += coding_byte_name(text) >= 0;
    for (size_t pos = 0; pos < text.size; nrunes++)
        if (byte_of_rune(utf8_decode(text, &pos)) == NO_BYTE) return;
    evidence->nspelled++;
    evidence->nsingle += nrunes == 1;
}

weir_vocab_coding coding_from_evidence(const CodingEvidence *evidence)
{
    const CodingEvidence *e = evidence;
    if (e->nbyte_names >= 128) return WEIR_CODING_BYTE_FALLBACK;
    if (e->nsingle >= 128 && e->ntexts - e->nspelled <= e->ntexts / 100)
        return WEIR_CODING_BYTE_LEVEL;
    return WEIR_CODING_RAW;
}
