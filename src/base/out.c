/* out.c: bounded text output. */
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

void out_bytes(Out *out, Span bytes)
{
    if (out->size < out->cap && bytes.size)
        memcpy(out->at + out->size, bytes.at,
               MIN(bytes.size, out->cap - out->size));
    out->size += bytes.size;
}

void out_text(Out *out, const char *text)
{
    out_bytes(out, span_text(text));
}

void out_format(Out *out, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < sizeof line);
    if (n > 0) out_bytes(out, span_of(line, MIN((size_t)n, sizeof line - 1)));
}

static void out_escape(Out *out, uint8_t byte)
{
    static const char named[] = "n\nr\rt\t\"\"\\\\";
    for (const char *p = named; *p; p += 2)
        if ((uint8_t)p[1] == byte) {
            out_format(out, "\\%c", p[0]);
            return;
        }
    if (byte < 0x20 || byte >= 0x7F)
        out_format(out, "\\x%02x", byte);
    else
        out_bytes(out, span_of(&byte, 1));
}

void out_quoted(Out *out, Span bytes)
{
    out_text(out, "\"");
    for (size_t pos = 0; pos < bytes.size;) {
        size_t start = pos;
        uint32_t rune = utf8_decode(bytes, &pos);
        if (rune == RUNE_BAD || rune < 0x80)
            out_escape(out, bytes.at[start]);
        else
            out_bytes(out, span_of(bytes.at + start, pos - start));
    }
    out_text(out, "\"");
}
