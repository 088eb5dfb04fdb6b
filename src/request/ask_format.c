/* ask_format.c: fields with a type: OpenAI's response_format and the flat
 * text.format of its Responses; Ollama's format.
 * Tests: unit/request_rows_test.c.
 */
#include "request/request.h"

#include <stdio.h>

/* ---- json_schema ---- */

/* Where the schema and what belongs to it stand. */
typedef struct Holder {
    JsonId at;
    char pointer[POINTER_ROOM];
} Holder;

static bool read_companions(Resolver *r, Ask *a, const Holder *h)
{
    bool any_whitespace = true;
    if (!read_text(r, h->at, h->pointer, "name", &a->name) ||
        !read_text(r, h->at, h->pointer, "description", &a->description) ||
        !read_flag(r, h->at, h->pointer, "strict", &a->strict) ||
        !read_flag(r, h->at, h->pointer, "any_whitespace", &any_whitespace))
        return false;
    a->is_fixed = !any_whitespace;
    return true;
}

static bool missing_schema(Resolver *r, Field field, const Holder *h)
{
    char path[POINTER_ROOM];
    Ask *a;
    switch (r->profile->missing) {
    case ODD_NONE:
        return true;
    case ODD_OBJECT:
        a = ask_new(r, field, WEIR_JSON_OBJECT, h->at, h->pointer);
        a->source = span_of(NULL, 0);
        return read_companions(r, a, h);
    case ODD_REFUSE:
        break;
    }
    pointer_join(path, h->pointer, "schema");
    return refuse(r, JSON_NONE, path, "missing_required_parameter",
                  "found no schema, expected one");
}

/* The object with the schema: the member json_schema, or in the flat form the
 * format itself. */
static bool find_holder(Resolver *r, Field field, JsonId format,
                        const char *pointer, Holder *h)
{
    JsonId inner = json_get(&r->json, format, "json_schema");
    bool is_flat = field == FIELD_TEXT ||
                   (json_absent(&r->json, inner) && r->profile->takes_flat &&
                    json_kind(&r->json, json_get(&r->json, format, "schema")));
    snprintf(h->pointer, sizeof h->pointer, "%s", pointer);
    h->at = format;
    if (is_flat) return true;
    pointer_join(h->pointer, pointer, "json_schema");
    h->at = inner;
    return json_absent(&r->json, inner) ||
           json_kind(&r->json, inner) == JSON_OBJECT ||
           refuse_kind(r, inner, h->pointer, "an object");
}

static bool ask_json_schema(Resolver *r, Field field, JsonId format,
                            const char *pointer)
{
    Holder h;
    char path[POINTER_ROOM];
    if (!find_holder(r, field, format, pointer, &h)) return false;
    JsonId schema = json_get(&r->json, h.at, "schema");
    if (json_kind(&r->json, schema) == JSON_MISSING ||
        (json_absent(&r->json, schema) && r->profile->odd != ODD_NONE))
        return missing_schema(r, field, &h);
    pointer_join(path, h.pointer, "schema");
    unsigned before = r->count;
    if (!ask_schema(r, field, schema, path)) return false;
    return r->count == before || read_companions(r, &r->asks[r->count - 1], &h);
}

/* ---- json_object ---- */

/* llama-server's extension: with a schema it is one. */
static bool ask_json_object(Resolver *r, Field field, JsonId format,
                            const char *pointer)
{
    char path[POINTER_ROOM];
    JsonId schema = json_get(&r->json, format, "schema");
    if (json_absent(&r->json, schema)) {
        ask_bare(r, field, format, pointer);
        return true;
    }
    pointer_join(path, pointer, "schema");
    return ask_schema(r, field, schema, path);
}

/* ---- the type ---- */

static Span trim(Span text)
{
    while (text.size && text.at[0] <= ' ')
        text = span_of(text.at + 1, text.size - 1);
    while (text.size && text.at[text.size - 1] <= ' ') text.size--;
    return text;
}

static bool is_same(Span type, const char *name, bool folds)
{
    size_t n = strlen(name);
    if (type.size != n) return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = type.at[i];
        if (folds && c >= 'A' && c <= 'Z') c |= 0x20;
        if (c != (uint8_t)name[i]) return false;
    }
    return true;
}

typedef enum FormatType {
    TYPE_TEXT,
    TYPE_JSON_OBJECT,
    TYPE_JSON_SCHEMA,
    TYPE_STRUCTURAL_TAG,
    TYPE_UNKNOWN
} FormatType;

static FormatType type_find(const Profile *p, Span type)
{
    static const char *const names[] = {"text", "json_object", "json_schema",
                                        "structural_tag"};
    if (p->folds_types) type = trim(type);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (is_same(type, names[i], p->folds_types)) return (FormatType)i;
    bool is_none = !type.size && p->odd == ODD_NONE; /* llama-server */
    return is_none ? TYPE_TEXT : TYPE_UNKNOWN;
}

static bool unknown_type(Resolver *r, JsonId at, const char *pointer, Span type)
{
    char path[POINTER_ROOM];
    if (r->profile->ignores_types) return true;
    pointer_join(path, pointer, "type");
    if (json_absent(&r->json, at)) return refuse_kind(r, at, path, "a string");
    return refuse(r, at, path, "invalid_value",
                  "found %s, expected text, json_object, json_schema or "
                  "structural_tag",
                  quoted(type).text);
}

bool ask_response_format(Resolver *r, Field field, JsonId at,
                         const char *pointer)
{
    Span type;
    JsonId type_at = json_get(&r->json, at, "type");
    if (json_kind(&r->json, at) != JSON_OBJECT)
        return refuse_kind(r, at, pointer, "an object");
    if (!read_text(r, at, pointer, "type", &type)) return false;
    switch (type_find(r->profile, type)) {
    case TYPE_TEXT:
        return true;
    case TYPE_JSON_OBJECT:
        return ask_json_object(r, field, at, pointer);
    case TYPE_JSON_SCHEMA:
        return ask_json_schema(r, field, at, pointer);
    case TYPE_STRUCTURAL_TAG:
        return ask_tag(r, field, at, pointer);
    case TYPE_UNKNOWN:
        break;
    }
    return unknown_type(r, type_at, pointer, type);
}

/* ---- Ollama ---- */

bool ask_ollama_format(Resolver *r, JsonId at)
{
    JsonKind kind = json_kind(&r->json, at);
    Span text = json_string(&r->json, at);
    if (kind == JSON_STRING && !text.size) return true;
    if (json_is_string(&r->json, at, "json") ||
        (kind == JSON_OBJECT && !json_count(&r->json, at))) {
        ask_bare(r, FIELD_FORMAT, at, "/format");
        return true;
    }
    if (kind == JSON_OBJECT) return ask_schema(r, FIELD_FORMAT, at, "/format");
    return refuse(r, at, "/format", "invalid_value",
                  "found %s, expected \"json\" or a JSON Schema, an object",
                  kind == JSON_STRING ? quoted(text).text
                                      : json_kind_name(kind));
}
