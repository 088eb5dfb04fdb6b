/* source_report.c: pointers of places, errors and warnings there.
 *
 * The pointer of a place is looked for only when something is reported. Places
 * in other documents than the main one have no byte range, since the caller's
 * source is the main one; their pointer begins with the document's URI. After
 * MAX_WARNINGS the rest is left out, and a last warning says so.
 * Tests: unit/source_test.c
 */
#include <stdarg.h>
#include <stdio.h>

#include "schema/source_parts.h"

enum { MAX_WARNINGS = 1000 };

static void write_pointer(Out *out, Sources *s, Place place,
                          const char *keyword)
{
    Document *d = &s->documents.at[place.doc];
    Span uri = d->uri;
    if (!uri.size && d->resource < s->resources.count)
        uri = s->resources.at[d->resource].uri;
    if (place.doc) out_bytes(out, uri);
    out_text(out, "#");
    pointer_write(out, &d->index, &d->json, place.id);
    if (keyword) pointer_write_name(out, span_text(keyword));
}

/* The pointer in the arena; empty when memory is out. */
static Span pointer_of(Sources *s, Place place, const char *keyword)
{
    char few[256];
    Out out = {few, sizeof few, 0};
    write_pointer(&out, s, place, keyword);
    char *text = arena_alloc(&s->ir->arena, out.size);
    if (!text) {
        sources_no_memory(s);
        return (Span){NULL, 0};
    }
    if (out.size <= sizeof few) {
        memcpy(text, few, out.size);
        return span_of(text, out.size);
    }
    out = (Out){text, out.size, 0};
    write_pointer(&out, s, place, keyword);
    return span_of(text, out.size);
}

Span place_pointer(Sources *s, Place place)
{
    return pointer_of(s, place, NULL);
}

/* The range of the keyword's value, or of the place. */
static JsonNode range_of(const Sources *s, Place place, const char *keyword)
{
    const Json *json = place_json(s, place);
    JsonId id = keyword ? json_get(json, place.id, keyword) : JSON_NONE;
    if (place.doc) return (JsonNode){0, 0, 0};
    return json->nodes.at[id == JSON_NONE ? place.id : id];
}

void place_error(Sources *s, Place place)
{
    weir_error *err = &s->ir->error;
    if (err->pointer[0]) return;
    JsonNode range = range_of(s, place, NULL);
    if (!err->end) {
        err->begin = range.begin;
        err->end = range.end;
    }
    diag_pointer(err, place_pointer(s, place));
}

void place_fail(Sources *s, Place place, const char *keyword,
                weir_status status, const char *format, ...)
{
    if (!sources_ok(s)) return;
    char text[sizeof s->ir->error.message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    Span pointer = pointer_of(s, place, keyword);
    if (!sources_ok(s)) return;
    JsonNode range = range_of(s, place, keyword);
    diag_fail(&s->ir->error, status, range.begin, range.end, "%s", text);
    diag_pointer(&s->ir->error, pointer);
}

void place_warn(Sources *s, Place place, const char *keyword,
                const char *format, ...)
{
    if (!sources_ok(s) || s->ir->warnings.count > MAX_WARNINGS) return;
    if (s->ir->warnings.count == MAX_WARNINGS) {
        ir_warn(s->ir, 0, 0,
                "found more than %d warnings, the rest is left out",
                MAX_WARNINGS);
        return;
    }
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    weir_error cut;
    diag_pointer(&cut, pointer_of(s, place, keyword));
    if (!sources_ok(s)) return;
    JsonNode range = range_of(s, place, keyword);
    ir_warn(s->ir, range.begin, range.end, "%s, at %s", text, cut.pointer);
}
