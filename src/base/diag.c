/* diag.c: filling weir_error values. No allocation; cuts long texts. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

static uint32_t clamp32(size_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

bool diag_fail(weir_error *err, weir_status status, size_t begin, size_t end,
               const char *format, ...)
{
    assert(begin <= end);
    if (!err || err->status) return false;
    err->status = status;
    err->begin = clamp32(begin);
    err->end = clamp32(end);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return false;
}

bool diag_no_memory(weir_error *err)
{
    return diag_fail(err, WEIR_NO_MEMORY, 0, 0, "out of memory");
}

bool diag_pointer(weir_error *err, Span pointer)
{
    enum { ROOM = sizeof err->pointer - 1, HEAD = 60, GAP = 3 };
    if (!err) return false;
    char *out = err->pointer;
    if (pointer.size <= ROOM) {
        if (pointer.size) memcpy(out, pointer.at, pointer.size);
        out[pointer.size] = 0;
        return false;
    }
    size_t tail = ROOM - HEAD - GAP;
    memcpy(out, pointer.at, HEAD);
    memcpy(out + HEAD, "...", GAP);
    memcpy(out + HEAD + GAP, pointer.at + pointer.size - tail, tail);
    out[ROOM] = 0;
    return false;
}

DiagText diag_byte(uint8_t byte)
{
    DiagText t;
    if (byte >= 0x21 && byte < 0x7F)
        snprintf(t.text, sizeof t.text, "'%c'", byte);
    else
        snprintf(t.text, sizeof t.text, "byte 0x%02X", byte);
    return t;
}

DiagText diag_rune(uint32_t rune)
{
    DiagText t;
    if (rune >= 0x21 && rune < 0x7F)
        snprintf(t.text, sizeof t.text, "'%c'", (char)rune);
    else
        snprintf(t.text, sizeof t.text, "U+%04X", (unsigned)rune);
    return t;
}

DiagText diag_found(Span text, size_t pos)
{
    if (pos >= text.size) {
        DiagText t = {"end of input"};
        return t;
    }
    size_t next = pos;
    uint32_t rune = utf8_decode(text, &next);
    return rune == RUNE_BAD ? diag_byte(text.at[pos]) : diag_rune(rune);
}

DiagShown diag_shown(Span text)
{
    DiagShown shown;
    size_t room = sizeof shown.text - 4, n = 0, pos = 0; /* "..." and NUL */
    while (pos < text.size) {
        size_t next = pos;
        uint32_t rune = utf8_decode(text, &next);
        bool is_plain = rune != RUNE_BAD && rune >= ' ' && rune != 0x7F;
        size_t size = is_plain ? next - pos : 1;
        if (n + size > room) break;
        memcpy(shown.text + n, is_plain ? text.at + pos : SPAN("?").at, size);
        n += size;
        pos = next;
    }
    snprintf(shown.text + n, sizeof shown.text - n, "%s",
             pos < text.size ? "..." : "");
    return shown;
}
