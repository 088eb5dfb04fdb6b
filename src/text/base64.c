/* base64.c: strict decoding of padded base 64 by a table, four characters to
 * three bytes. Tests: unit/vocab_files_test.c (RFC 4648's own examples). */
#include "text/base64.h"

static int digit_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Digits of a text without its padding. */
static size_t payload_of(Span text)
{
    size_t n = text.size;
    if (n && text.at[n - 1] == '=') n--;
    if (n && n < text.size && text.at[n - 1] == '=') n--;
    return n;
}

size_t base64_decode(Span text, uint8_t *out, size_t *bad)
{
    size_t ndigits = payload_of(text), n = 0;
    uint32_t bits = 0;
    unsigned held = 0; /* bits that wait in `bits` */
    *bad = text.size;
    if (text.size % 4) return BASE64_BAD;
    for (size_t i = 0; i < ndigits; i++) {
        int digit = digit_of(text.at[i]);
        if (digit < 0) return *bad = i, BASE64_BAD;
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out[n++] = (uint8_t)(bits >> held);
    }
    if (bits & ((1u << held) - 1)) return *bad = ndigits - 1, BASE64_BAD;
    return n;
}
