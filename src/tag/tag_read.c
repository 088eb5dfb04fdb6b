/* tag_read.c: values of a structural tag, and errors about them.
 *
 * Null counts as absent where a member may be left out.
 * Tests: unit/structural_tag_test.c.
 */
#include "tag/tag_read.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_WARNINGS = 1000 }; /* enough to see what is wrong */

At at_member(const Tags *t, const At *up, const char *key)
{
    JsonId id = json_get(&t->json, up->id, key);
    return (At){.up = up, .key = key, .id = id, .depth = up->depth};
}

At at_item(const At *up, JsonId id, uint32_t index)
{
    return (At){.up = up, .index = index, .id = id, .depth = up->depth};
}

/* ---- errors ---- */

void tag_pointer(const At *at, Out *out)
{
    const At *way[3 * TAG_MAX_DEPTH + 8];
    uint32_t n = 0;
    for (; at->up; at = at->up)
        if (n < COUNT_OF(way)) way[n++] = at;
    out_text(out, "#");
    while (n--) {
        if (way[n]->key)
            out_format(out, "/%s", way[n]->key);
        else
            out_format(out, "/%u", way[n]->index);
    }
}

bool tag_no_memory(Tags *t)
{
    return diag_no_memory(&t->ir->error);
}

/* Of the value, or of what should have it. */
static JsonNode range_of(const Tags *t, const At *at)
{
    while (at->id == JSON_NONE && at->up) at = at->up;
    return t->json.nodes.at[at->id];
}

void tag_place(Tags *t, const At *at)
{
    enum { ROOM = 2048 };
    char text[ROOM];
    Out out = {text, sizeof text, 0};
    weir_error *err = &t->ir->error;
    if (ir_ok(t->ir) || err->pointer[0] || err->status == WEIR_NO_MEMORY)
        return;
    tag_pointer(at, &out);
    diag_pointer(err, span_of(text, MIN(out.size, out.cap)));
    JsonNode range = range_of(t, at);
    err->begin = range.begin;
    err->end = range.end;
}

bool tag_fail(Tags *t, const At *at, weir_status status, const char *format,
              ...)
{
    char text[sizeof t->ir->error.message];
    if (!ir_ok(t->ir)) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_fail(&t->ir->error, status, 0, 0, "%s", text);
    tag_place(t, at);
    return false;
}

bool tag_wrong(Tags *t, const At *at, const char *wanted)
{
    JsonKind kind = at_kind(t, at);
    if (kind == JSON_MISSING)
        return tag_fail(t, at, WEIR_SYNTAX, "found no %s, expected %s",
                        at->key ? at->key : "item", wanted);
    return tag_fail(t, at, WEIR_SYNTAX, "found %s, expected %s",
                    json_kind_name(kind), wanted);
}

void tag_warn(Tags *t, const At *at, const char *format, ...)
{
    char message[160], pointer[96];
    Out out = {pointer, sizeof pointer - 1, 0};
    va_list args;
    if (t->ir->warnings.count >= MAX_WARNINGS) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tag_pointer(at, &out);
    pointer[MIN(out.size, out.cap)] = 0;
    JsonNode range = range_of(t, at);
    ir_warn(t->ir, range.begin, range.end, "%s, at %s", message, pointer);
}

/* ---- values ---- */

bool tag_text(Tags *t, const At *at, Span *text)
{
    if (at_kind(t, at) != JSON_STRING) return tag_wrong(t, at, "a string");
    *text = json_string(&t->json, at->id);
    return true;
}

bool tag_word(Tags *t, const At *at, Span *text)
{
    if (!tag_text(t, at, text)) return false;
    return text->size || tag_fail(t, at, WEIR_SYNTAX,
                                  "found an empty string, expected a text");
}

bool tag_flag(Tags *t, const At *up, const char *key, bool *value)
{
    At at = at_member(t, up, key);
    JsonKind kind = at_kind(t, &at);
    if (kind <= JSON_NULL) return true;
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return tag_wrong(t, &at, "true or false");
    *value = kind == JSON_TRUE;
    return true;
}

bool tag_count(Tags *t, const At *up, const char *key, uint32_t max, bool *has,
               uint32_t *value)
{
    At at = at_member(t, up, key);
    *has = !at_absent(t, &at);
    if (!*has) return true;
    if (json_u32(&t->json, at.id, value) && *value <= max) return true;
    Span found = json_spelling(&t->json, at.id);
    return tag_fail(t, &at, WEIR_SYNTAX,
                    "found %.*s, expected a whole number from 0 to %u",
                    (int)MIN(found.size, 40), (const char *)found.at, max);
}

bool tag_array(Tags *t, const At *up, const char *key, uint32_t least, At *at,
               uint32_t *count)
{
    *at = at_member(t, up, key);
    *count = 0;
    if (!least && at_absent(t, at)) return true;
    if (at_kind(t, at) != JSON_ARRAY) return tag_wrong(t, at, "an array");
    *count = json_count(&t->json, at->id);
    return *count >= least || tag_fail(t, at, WEIR_SYNTAX,
                                       "found an empty array, expected at "
                                       "least one item");
}

bool tag_words(Tags *t, const At *up, const char *key, uint32_t least,
               TextList *list)
{
    At array;
    uint32_t count;
    *list = (TextList){NULL, 0};
    if (!tag_array(t, up, key, least, &array, &count)) return false;
    list->at = arena_array(&t->arena, Span, count);
    if (!list->at) return tag_no_memory(t);
    for (JsonIter it = json_iter(&t->json, array.id); json_step(&it);) {
        At item = at_item(&array, it.value, list->count);
        if (!tag_word(t, &item, &list->at[list->count])) return false;
        list->count++;
    }
    return true;
}
