/* chat_harmony.c: tools as types of TypeScript, the way gpt-oss is told of
 * them: a schema's type, enum, items, properties, oneOf, nullable and default
 * are said, and nothing else of it.
 *
 * Schemas that lie deeper than MOST_LEVELS are `any`.
 * Tests: tests/engine/chat_test.c.
 */
#include "engine/chat_style.h"
#include "text/json.h"

enum { MOST_LEVELS = 32, LONGEST_ITEM = 50 };

typedef struct TypeWriter {
    ChatText *out;
    Json json;
} TypeWriter;

static void put_span(TypeWriter *w, Span text)
{
    chat_content(w->out, (weir_bytes){(const char *)text.at, text.size}, false);
}

static void put_text(TypeWriter *w, const char *text)
{
    put_span(w, span_text(text));
}

static JsonId member(const TypeWriter *w, JsonId object, const char *key)
{
    bool is_object = json_kind(&w->json, object) == JSON_OBJECT;
    return is_object ? json_get(&w->json, object, key) : JSON_NONE;
}

/* As Jinja takes a value for a condition. */
static bool is_said(const TypeWriter *w, JsonId id)
{
    switch (json_kind(&w->json, id)) {
    case JSON_MISSING:
    case JSON_NULL:
    case JSON_FALSE:
        return false;
    case JSON_STRING:
        return json_string(&w->json, id).size != 0;
    case JSON_ARRAY:
    case JSON_OBJECT:
        return json_count(&w->json, id) != 0;
    default:
        return true;
    }
}

static bool is_required(const TypeWriter *w, JsonId schema, Span name)
{
    JsonIter it = json_iter(&w->json, member(w, schema, "required"));
    while (json_step(&it))
        if (span_equal(json_string(&w->json, it.value), name)) return true;
    return false;
}

/* A string as it is, anything else as its JSON. */
static void put_plain(TypeWriter *w, JsonId id)
{
    if (json_kind(&w->json, id) == JSON_STRING)
        put_span(w, json_string(&w->json, id));
    else
        put_span(w, json_spelling(&w->json, id));
}

/* ---- types ---- */

static void put_type(TypeWriter *w, JsonId schema, uint32_t depth);

static void put_null(TypeWriter *w, JsonId schema)
{
    if (is_said(w, member(w, schema, "nullable"))) put_text(w, " | null");
}

/* Back to a length of the text. */
static void cut(TypeWriter *w, uint32_t size)
{
    ChatText *out = w->out;
    out->text.count = size;
    while (out->contents.count &&
           out->contents.at[out->contents.count - 1].begin >= size)
        out->contents.count--;
    if (out->contents.count)
        out->contents.at[out->contents.count - 1].end =
            MIN(out->contents.at[out->contents.count - 1].end, size);
}

static void put_array(TypeWriter *w, JsonId schema, uint32_t depth)
{
    JsonId items = member(w, schema, "items");
    uint32_t begin = w->out->text.count;
    if (is_said(w, items)) put_type(w, items, depth + 1);
    uint32_t size = w->out->text.count - begin;
    if (!size || size > LONGEST_ITEM) {
        cut(w, begin);
        put_text(w, "any");
    }
    put_text(w, "[]");
    put_null(w, schema);
}

static void put_object(TypeWriter *w, JsonId schema, uint32_t depth)
{
    JsonId properties = member(w, schema, "properties");
    bool is_first = true;
    if (!is_said(w, properties)) {
        put_text(w, "object");
        return;
    }
    put_text(w, "{\n");
    for (JsonIter it = json_iter(&w->json, properties); json_step(&it);) {
        if (!is_first) put_text(w, ", ");
        put_span(w, it.key);
        if (!is_required(w, schema, it.key)) put_text(w, "?");
        put_text(w, ": \n                ");
        put_type(w, it.value, depth + 1);
        is_first = false;
    }
    put_text(w, "}");
}

static void put_string_type(TypeWriter *w, JsonId schema)
{
    JsonId values = member(w, schema, "enum");
    bool is_first = true;
    if (!is_said(w, values)) {
        put_text(w, "string");
        put_null(w, schema);
        return;
    }
    put_text(w, "\"");
    for (JsonIter it = json_iter(&w->json, values); json_step(&it);) {
        if (!is_first) put_text(w, "\" | \"");
        put_plain(w, it.value);
        is_first = false;
    }
    put_text(w, "\"");
}

/* One of several types, by name, or of several schemas, on a line each. */
static void put_union(TypeWriter *w, JsonId list, uint32_t depth)
{
    bool is_first = true;
    for (JsonIter it = json_iter(&w->json, list); json_step(&it);) {
        bool is_name = json_kind(&w->json, it.value) == JSON_STRING;
        if (!is_first) put_text(w, is_name ? " | " : " | \n");
        if (is_name)
            put_plain(w, it.value);
        else
            put_type(w, it.value, depth + 1);
        is_first = false;
    }
}

static void put_type(TypeWriter *w, JsonId schema, uint32_t depth)
{
    JsonId type = member(w, schema, "type");
    JsonId one_of = member(w, schema, "oneOf");
    const Json *j = &w->json;
    if (depth > MOST_LEVELS)
        put_text(w, "any");
    else if (json_is_string(j, type, "array"))
        put_array(w, schema, depth);
    else if (json_kind(j, type) == JSON_ARRAY && is_said(w, type))
        put_union(w, type, depth);
    else if (is_said(w, one_of))
        put_union(w, one_of, depth);
    else if (json_is_string(j, type, "string"))
        put_string_type(w, schema);
    else if (json_is_string(j, type, "number") ||
             json_is_string(j, type, "integer"))
        put_text(w, "number");
    else if (json_is_string(j, type, "boolean"))
        put_text(w, "boolean");
    else if (json_is_string(j, type, "object"))
        put_object(w, schema, depth);
    else
        put_text(w, "any");
}

/* ---- tools ---- */

static void put_default(TypeWriter *w, JsonId schema)
{
    JsonId value = member(w, schema, "default");
    if (value == JSON_NONE) return;
    Span spelling = json_spelling(&w->json, value);
    bool is_plain = is_said(w, member(w, schema, "enum"));
    put_text(w, ", // default: ");
    if (is_plain)
        put_plain(w, value);
    else
        chat_json(w->out,
                  (weir_bytes){(const char *)spelling.at, spelling.size}, false,
                  0);
}

static void put_parameters(TypeWriter *w)
{
    JsonId properties = member(w, JSON_ROOT, "properties");
    if (!is_said(w, properties)) {
        put_text(w, "() => any;\n\n");
        return;
    }
    put_text(w, "(_: {\n");
    for (JsonIter it = json_iter(&w->json, properties); json_step(&it);) {
        JsonId text = member(w, it.value, "description");
        if (is_said(w, text)) {
            put_text(w, "// ");
            put_plain(w, text);
            put_text(w, "\n");
        }
        put_span(w, it.key);
        if (!is_required(w, JSON_ROOT, it.key)) put_text(w, "?");
        put_text(w, ": ");
        put_type(w, it.value, 0);
        put_default(w, it.value);
        put_text(w, ",\n");
    }
    put_text(w, "}) => any;\n\n");
}

static void put_tool(ChatText *out, const weir_tool *tool)
{
    TypeWriter w = {.out = out};
    weir_error err = {.status = WEIR_OK};
    if (tool->description.size) {
        chat_put(out, "// ");
        chat_content(out, tool->description, false);
        chat_put(out, "\n");
    }
    chat_put(out, "type ");
    chat_content(out, tool->name, false);
    chat_put(out, " = ");
    if (json_parse(&w.json, out->mem,
                   span_of(tool->source.data, tool->source.size), NULL, &err))
        put_parameters(&w);
    else
        chat_put(out, "() => any;\n\n");
    json_free(&w.json);
}

void chat_harmony_tools(ChatText *out, const ChatInput *input)
{
    chat_put(out, "# Tools\n\n## functions\n\nnamespace functions {\n\n");
    for (size_t i = 0; i < input->tool_count; i++)
        put_tool(out, &input->tools[i]);
    chat_put(out, "} // namespace functions");
}
