/* calls_kit.h: outputs read by weir_tool_parse, whole and in pieces, and what
 * was told as lines:
 *
 *     reasoning "..."
 *     content "..."
 *     call NAME [id ID]
 *     args JSON
 *     end | broken
 *
 * with the texts of one kind joined.
 */
#ifndef WEIR_TESTS_CALLS_KIT_H
#define WEIR_TESTS_CALLS_KIT_H

#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/utf8.h"
#include "weir/weir.h"

typedef struct Told {
    char *lines; /* what was told; LINES_MAX bytes */
    Out out;
    weir_tool_event_kind kind; /* of the text being joined */
    char *text;                /* LINES_MAX bytes */
    size_t size;
    bool is_open;    /* the text so far ends inside a character */
    bool split_rune; /* and went on with the rest of it */
} Told;

enum { LINES_MAX = 1 << 18 };

static inline void told_open(Told *t)
{
    *t = (Told){.lines = malloc(LINES_MAX), .text = malloc(LINES_MAX)};
    t->out = (Out){t->lines, LINES_MAX - 1, 0};
}

static inline void told_close(Told *t)
{
    free(t->lines);
    free(t->text);
}

static inline void told_flush(Told *t)
{
    static const char *const words[] = {"", "reasoning ", "content ", "",
                                        "args "};
    Span text = span_of(t->text, t->size);
    if (!t->kind) return;
    out_text(&t->out, words[t->kind]);
    if (t->kind == WEIR_TOOL_ARGUMENTS)
        out_bytes(&t->out, text);
    else
        out_quoted(&t->out, text);
    out_text(&t->out, "\n");
    t->kind = 0;
    t->size = 0;
}

static inline void told_text(Told *t, const weir_tool_event *e)
{
    Span text = span_of(e->text.data, e->text.size);
    if (t->kind && t->kind != e->kind) told_flush(t);
    t->split_rune |= t->kind && t->is_open && text.size && *text.at >> 6 == 2;
    t->kind = e->kind;
    if (text.size + t->size > LINES_MAX) abort();
    memcpy(t->text + t->size, text.at, text.size);
    t->size += text.size;
    t->is_open = false; /* an unfinished character at the end? */
    for (size_t n = 1; n <= 3 && n <= text.size; n++) {
        uint8_t byte = text.at[text.size - n];
        if (byte >= 0xC2 && byte <= 0xF4) t->is_open = utf8_lead_size(byte) > n;
        if (byte < 0x80 || byte >= 0xC0) break;
    }
}

static inline void told_add(Told *t, const weir_tool_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const weir_tool_event *e = &events[i];
        if (e->kind != WEIR_TOOL_CALL && e->kind != WEIR_TOOL_CALL_END) {
            told_text(t, e);
            continue;
        }
        told_flush(t);
        if (e->kind == WEIR_TOOL_CALL_END) {
            out_text(&t->out, e->complete ? "end\n" : "broken\n");
            continue;
        }
        out_text(&t->out, "call ");
        out_bytes(&t->out, span_of(e->text.data, e->text.size));
        if (e->id.size) out_text(&t->out, " id ");
        out_bytes(&t->out, span_of(e->id.data, e->id.size));
        out_text(&t->out, "\n");
    }
}

/* Reads a text in pieces: `next` says how long each is, at most `left`.
 * Returns what was told, or NULL when memory was out. */
typedef size_t (*PieceFn)(void *user, size_t left);

static inline bool told_read(Told *t, weir_tool_parser *parser, Span text,
                             PieceFn next, void *user)
{
    const weir_tool_event *events;
    size_t count;
    for (size_t at = 0; at < text.size;) {
        size_t n = next ? next(user, text.size - at) : text.size;
        weir_bytes piece = {(const char *)text.at + at, n};
        if (weir_tool_parse(parser, piece, &events, &count)) return false;
        told_add(t, events, count);
        at += n;
    }
    if (weir_tool_parse_end(parser, &events, &count)) return false;
    told_add(t, events, count);
    told_flush(t);
    t->lines[MIN(t->out.size, t->out.cap)] = 0;
    return true;
}

#endif
