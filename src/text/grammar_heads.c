/* grammar_heads.c: finds "name ::=" outside strings, classes and comments.
 *
 * In:    the text of a grammar, well formed or not.   Out: the names defined.
 * Method: one pass over lexical units; a name is remembered until something
 *        else than blanks follows it. Of Lark's text only its heads matter, and
 *        they stand before anything that could be read wrongly.
 * Tests: unit/grammar_heads_test.c
 */
#include "text/grammar_heads.h"

#include "base/hash.h"
#include "base/vec.h"

typedef enum HeadKind { HEAD_END, HEAD_BNF, HEAD_LARK } HeadKind;

typedef struct Heads {
    Span text;
    size_t pos;
    size_t begin, end; /* of the name of the head just found */
} Heads;

static bool is_name(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Skips what begins with `open` and ends with `close` on any line. */
static void skip_quoted(Heads *h, uint8_t close)
{
    const uint8_t *at = h->text.at;
    for (h->pos++; h->pos < h->text.size && at[h->pos] != close; h->pos++)
        if (at[h->pos] == '\\') h->pos++;
    h->pos++;
}

static void skip_line(Heads *h)
{
    while (h->pos < h->text.size && h->text.at[h->pos] != '\n' &&
           h->text.at[h->pos] != '\r')
        h->pos++;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool stands(const Heads *h, const char *what)
{
    return h->pos < h->text.size &&
           span_starts(span_of(h->text.at + h->pos, h->text.size - h->pos),
                       span_text(what));
}

/* Reads a name; says which head it is part of, HEAD_END for none. */
static HeadKind read_name(Heads *h)
{
    h->begin = h->pos;
    while (h->pos < h->text.size && is_name(h->text.at[h->pos])) h->pos++;
    h->end = h->pos;
    while (h->pos < h->text.size && is_blank(h->text.at[h->pos])) h->pos++;
    if (stands(h, "::=")) return HEAD_BNF;
    return stands(h, ":") ? HEAD_LARK : HEAD_END;
}

/* The next head. */
static HeadKind head_next(Heads *h)
{
    while (h->pos < h->text.size) {
        uint8_t c = h->text.at[h->pos];
        if (is_name(c)) {
            HeadKind kind = read_name(h);
            if (kind != HEAD_END) {
                h->pos += kind == HEAD_BNF ? 3 : 1;
                return kind;
            }
        } else if (c == '"') {
            skip_quoted(h, '"');
        } else if (c == '[') {
            skip_quoted(h, ']');
        } else if (c == '#' || stands(h, "//")) {
            skip_line(h);
        } else if (stands(h, "::=")) { /* after options in brackets */
            h->begin = h->end = h->pos;
            h->pos += 3;
            return HEAD_BNF;
        } else {
            h->pos++;
        }
    }
    return HEAD_END;
}

GrammarLook grammar_look(Span text)
{
    Heads h = {.text = text};
    GrammarLook look = LOOKS_LIKE_NOTHING;
    if (span_starts(text, SPAN("%llguidance"))) return LOOKS_LIKE_LARK;
    for (HeadKind kind; (kind = head_next(&h)) != HEAD_END;) {
        if (kind == HEAD_BNF) return LOOKS_LIKE_BNF;
        look = LOOKS_LIKE_LARK;
    }
    return look;
}

int grammar_defines_twice(const Mem *mem, Span text, TwiceFound *found)
{
    Heads h = {.text = text};
    VEC(Span) names = {0};
    Map map = {0};
    int result = 0;
    for (HeadKind kind; !result && (kind = head_next(&h)) != HEAD_END;) {
        if (kind != HEAD_BNF || h.begin == h.end) continue;
        Span name = span_of(text.at + h.begin, h.end - h.begin);
        uint64_t hash = hash_bytes(0, name.at, name.size);
        for (MapPos p = map_first(&map, hash); p.value != MAP_NONE && !result;
             p = map_next(&map, hash, p)) {
            assert(names.at && p.value < names.count);
            if (span_equal(names.at[p.value], name)) result = 1;
        }
        *found = (TwiceFound){name, h.begin};
        if (!result && (!vec_push(mem, &names, name) ||
                        !map_add(mem, &map, hash, names.count - 1)))
            result = -1;
    }
    vec_free(mem, &names);
    map_free(mem, &map);
    return result;
}
