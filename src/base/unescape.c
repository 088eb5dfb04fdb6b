/* unescape.c: JSON string escapes (RFC 8259, 7) -> UTF-8, one byte at a time.
 *
 * Tests: unit/unescape_test.c.
 */
#include "base/unescape.h"

static void put(uint8_t *out, unsigned *n, uint32_t byte)
{
    out[(*n)++] = (uint8_t)byte;
}

/* Also surrogates. */
static void put_rune(uint8_t *out, unsigned *n, uint32_t rune)
{
    if (rune < 0x80) {
        put(out, n, rune);
    } else if (rune < 0x800) {
        put(out, n, 0xC0 | rune >> 6);
        put(out, n, 0x80 | (rune & 63));
    } else if (rune < 0x10000) {
        put(out, n, 0xE0 | rune >> 12);
        put(out, n, 0x80 | (rune >> 6 & 63));
        put(out, n, 0x80 | (rune & 63));
    } else {
        put(out, n, 0xF0 | rune >> 18);
        put(out, n, 0x80 | (rune >> 12 & 63));
        put(out, n, 0x80 | (rune >> 6 & 63));
        put(out, n, 0x80 | (rune & 63));
    }
}

static void flush_high(Unescape *u, uint8_t *out, unsigned *n)
{
    if (u->high) put_rune(out, n, u->high);
    u->high = 0;
}

static void put_unit(Unescape *u, uint8_t *out, unsigned *n)
{
    uint32_t unit = u->unit;
    if (u->high && unit >= 0xDC00 && unit < 0xE000) {
        put_rune(out, n,
                 0x10000u + ((u->high - 0xD800u) << 10) + (unit - 0xDC00u));
        u->high = 0;
        return;
    }
    flush_high(u, out, n);
    if (unit >= 0xD800 && unit < 0xDC00)
        u->high = (uint16_t)unit;
    else
        put_rune(out, n, unit);
}

static int digit_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static UnescapeEnd take_digit(Unescape *u, uint8_t byte, uint8_t *out,
                              unsigned *n)
{
    int value = digit_value(byte);
    if (value < 0) return UNESCAPE_BAD;
    u->unit = (uint16_t)(u->unit << 4 | value);
    if (!--u->ndigits) put_unit(u, out, n);
    return UNESCAPE_MORE;
}

static UnescapeEnd take_escaped(Unescape *u, uint8_t byte, uint8_t *out,
                                unsigned *n)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    u->is_escaped = false;
    if (byte == 'u') {
        u->ndigits = 4;
        u->unit = 0;
        return UNESCAPE_MORE;
    }
    const char *at = byte ? strchr(from, byte) : NULL;
    if (!at) return UNESCAPE_BAD;
    flush_high(u, out, n);
    put(out, n, (uint8_t)to[at - from]);
    return UNESCAPE_MORE;
}

UnescapeEnd unescape_byte(Unescape *u, uint8_t byte, uint8_t *out, unsigned *n)
{
    *n = 0;
    if (u->ndigits) return take_digit(u, byte, out, n);
    if (u->is_escaped) return take_escaped(u, byte, out, n);
    if (byte == '\\') {
        u->is_escaped = true;
        return UNESCAPE_MORE;
    }
    flush_high(u, out, n);
    if (byte == '"') return UNESCAPE_END;
    if (byte < 0x20) return UNESCAPE_BAD;
    put(out, n, byte);
    return UNESCAPE_MORE;
}
