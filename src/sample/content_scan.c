/* content_scan.c: finding the JSON value. It is not checked: what comes was
 * held to a grammar, and of anything else some part is named, in linear time.
 * Tests: prop/content_prefixes_test.py, unit/content_test.c.
 */
#include "sample/content_scan.h"

#include "base/utf8.h"

static const char fence[] = "```json";
enum { FENCE_SIZE = sizeof fence - 1, ESCAPE_UNICODE = 6, ESCAPE_PLAIN = 2 };

void content_begin(ContentScan *s, weir_content_rule rule)
{
    *s = (ContentScan){.state = rule == WEIR_CONTENT_JSON ? CONTENT_BEFORE
                                                          : CONTENT_ALL};
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* A byte within a string; `closed` is what follows its end. */
static void string_byte(ContentScan *s, uint8_t byte, ContentState closed)
{
    if (s->escape) {
        if (s->escape++ == 1) s->is_unicode = byte == 'u';
        if (s->escape == (s->is_unicode ? ESCAPE_UNICODE : ESCAPE_PLAIN))
            s->escape = 0;
    } else if (byte == '\\') {
        s->escape = 1;
    } else if (byte == '"') {
        s->state = closed;
    }
}

static void nested_byte(ContentScan *s, uint8_t byte)
{
    if (byte == '"') s->state = CONTENT_INSIDE;
    if (byte == '{' || byte == '[') s->depth++;
    if ((byte == '}' || byte == ']') && !--s->depth) s->state = CONTENT_CLOSED;
}

/* The first byte of the value; a backtick begins none. */
static bool value_begin(ContentScan *s, uint8_t byte)
{
    if (byte == '`') {
        s->state = CONTENT_CLOSED;
        return false;
    }
    s->state = byte == '"' ? CONTENT_STRING : CONTENT_SCALAR;
    if (byte == '{' || byte == '[') {
        s->state = CONTENT_NESTED;
        s->depth = 1;
    }
    return true;
}

static bool before_byte(ContentScan *s, uint8_t byte)
{
    if (is_blank(byte)) return false;
    if (s->state == CONTENT_FENCED || byte != '`') return value_begin(s, byte);
    s->state = CONTENT_FENCE;
    s->fence = 1;
    return false;
}

static bool fence_byte(ContentScan *s, uint8_t byte)
{
    bool fits = byte == (uint8_t)fence[s->fence++];
    if (!fits) s->state = CONTENT_CLOSED; /* no value that is known */
    if (fits && s->fence == FENCE_SIZE) s->state = CONTENT_FENCED;
    return false;
}

bool content_byte(ContentScan *s, uint8_t byte)
{
    switch (s->state) {
    case CONTENT_BEFORE:
    case CONTENT_FENCED:
        return before_byte(s, byte);
    case CONTENT_FENCE:
        return fence_byte(s, byte);
    case CONTENT_NESTED:
        nested_byte(s, byte);
        return true;
    case CONTENT_INSIDE:
        string_byte(s, byte, CONTENT_NESTED);
        return true;
    case CONTENT_STRING:
        string_byte(s, byte, CONTENT_CLOSED);
        return true;
    case CONTENT_SCALAR:
        if (!is_blank(byte) && byte != '`') return true;
        s->state = CONTENT_CLOSED;
        return false;
    case CONTENT_ALL:
        return true;
    case CONTENT_CLOSED:
        break;
    }
    return false;
}

size_t content_held(const ContentScan *s, Span value)
{
    assert(s->escape <= value.size);
    size_t escape = s->escape;
    Span rest = span_of(value.at, value.size - escape);
    return escape + utf8_unfinished(rest);
}
