/* parse_value.c: texts that were not written as JSON, as JSON.
 *
 * A text that does not say what it is, is what JSON reads it as, if a value of
 * that type may stand there; a string where none may is no such reading. All
 * other texts are strings.
 * Tests: unit/tool_parse_test.c.
 */
#include "base/utf8.h"
#include "calls/parse.h"
#include "text/json.h"

/* ---- strings ---- */

/* Characters as they stand in a JSON string, without its quotes. */
static void put_escaped(Parser *p, Span text)
{
    enum { ROOM = 64 }; /* six bytes a byte at most, and the quotes */
    char room[ROOM];
    Out out = {room, sizeof room, 0};
    assert(text.size <= 8);
    json_write_string(&out, text);
    tell_text(p, WEIR_TOOL_ARGUMENTS, span_of(room + 1, out.size - 2));
}

static void flush_rune(Parser *p)
{
    MemberReader *m = &p->member;
    if (m->rune_size) put_escaped(p, span_of(m->rune, m->rune_size));
    m->rune_size = 0;
}

void string_open(Parser *p)
{
    p->member.rune_size = 0;
    tell_args(p, "\"");
}

void string_put(Parser *p, uint8_t byte)
{
    MemberReader *m = &p->member;
    bool goes_on = m->rune_size && !utf8_lead_size(byte);
    if (!goes_on) flush_rune(p);
    m->rune[m->rune_size++] = byte;
    if (m->rune_size >= MAX(utf8_lead_size(m->rune[0]), 1u)) flush_rune(p);
}

void string_close(Parser *p)
{
    flush_rune(p);
    tell_args(p, "\"");
}

static void put_string(Parser *p, Span text)
{
    string_open(p);
    for (size_t i = 0; i < text.size; i++) string_put(p, text.at[i]);
    string_close(p);
}

/* ---- values ---- */

static unsigned type_of(JsonKind kind)
{
    switch (kind) {
    case JSON_NULL:
        return TYPE_NULL;
    case JSON_FALSE:
    case JSON_TRUE:
        return TYPE_BOOLEAN;
    case JSON_NUMBER:
        return TYPE_NUMBER;
    case JSON_STRING:
        return TYPE_STRING;
    case JSON_ARRAY:
        return TYPE_ARRAY;
    case JSON_OBJECT:
        return TYPE_OBJECT;
    case JSON_MISSING:
        break;
    }
    return 0;
}

static Span trimmed(Span text)
{
    while (text.size && is_blank(*text.at))
        text = span_of(text.at + 1, text.size - 1);
    while (text.size && is_blank(text.at[text.size - 1])) text.size--;
    return text;
}

static bool is_json(Parser *p, Span text, unsigned types)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    if (types == TYPE_STRING || !text.size) return false;
    if (!json_parse(&json, &p->mem, text, NULL, &err)) {
        p->failed = p->failed || err.status == WEIR_NO_MEMORY;
        return false;
    }
    unsigned type = type_of(json_kind(&json, JSON_ROOT));
    json_free(&json);
    return types & TYPE_STRING ? type != TYPE_STRING && (types & type) : true;
}

/* Without the line ends that are layout. */
static Span without_lines(Span text)
{
    if (text.size && text.at[0] == '\n')
        text = span_of(text.at + 1, text.size - 1);
    if (text.size && text.at[text.size - 1] == '\n') text.size--;
    return text;
}

void value_put(Parser *p, Span text, unsigned types, bool has_lines)
{
    Span inner = trimmed(text);
    if (is_json(p, inner, types))
        tell_text(p, WEIR_TOOL_ARGUMENTS, inner);
    else
        put_string(p, has_lines ? without_lines(text) : text);
}
