/* chat_json.c: JSON as Python's json.dumps writes it with ensure_ascii=False,
 * which is how templates put tools into prompts: on one line with ", " and
 * ": ", or with an indent of four. Numbers are spelled as they were given.
 *
 * What lies at most MOST_LEVELS deep is written anew by recursion; a deeper
 * text goes as it is.
 * Tests: tests/engine/chat_test.c.
 */
#include "engine/chat_style.h"
#include "text/json.h"

enum { MOST_LEVELS = 64, INDENT = 4 };

typedef struct JsonWriter {
    ChatText *out;
    const Json *json;
    bool indents;
} JsonWriter;

static void put(ChatText *out, Span text)
{
    chat_content(out, (weir_bytes){(const char *)text.at, text.size}, false);
}

static void put_string(ChatText *out, Span text)
{
    Out counted = {NULL, 0, 0};
    json_write_string(&counted, text);
    char *at = mem_new(out->mem, counted.size);
    if (!at) {
        out->no_memory = true;
        return;
    }
    Out written = {at, counted.size, 0};
    json_write_string(&written, text);
    put(out, span_of(at, counted.size));
    mem_free(out->mem, at, counted.size);
}

static void put_line(const JsonWriter *w, uint32_t depth)
{
    if (!w->indents) return;
    put(w->out, SPAN("\n"));
    for (uint32_t i = 0; i < depth * INDENT; i++) put(w->out, SPAN(" "));
}

static void put_value(const JsonWriter *w, JsonId id, uint32_t depth);

static void put_items(const JsonWriter *w, JsonId id, uint32_t depth)
{
    bool is_first = true;
    for (JsonIter it = json_iter(w->json, id); json_step(&it);) {
        if (!is_first) put(w->out, w->indents ? SPAN(",") : SPAN(", "));
        put_line(w, depth + 1);
        if (it.is_object) {
            put_string(w->out, it.key);
            put(w->out, SPAN(": "));
        }
        put_value(w, it.value, depth + 1);
        is_first = false;
    }
    if (!is_first) put_line(w, depth);
}

static void put_value(const JsonWriter *w, JsonId id, uint32_t depth)
{
    JsonKind kind = json_kind(w->json, id);
    if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
        put(w->out, kind == JSON_OBJECT ? SPAN("{") : SPAN("["));
        put_items(w, id, depth);
        put(w->out, kind == JSON_OBJECT ? SPAN("}") : SPAN("]"));
    } else if (kind == JSON_STRING) {
        put_string(w->out, json_string(w->json, id));
    } else {
        put(w->out, json_spelling(w->json, id));
    }
}

void chat_json(ChatText *out, weir_bytes text, bool indents, uint32_t depth)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    JsonLimits limits = {.max_depth = MOST_LEVELS};
    Span span = span_of(text.data, text.size);
    if (!json_parse(&json, out->mem, span, &limits, &err)) {
        put(out, span);
        return;
    }
    put_value(&(JsonWriter){out, &json, indents}, JSON_ROOT, depth);
    json_free(&json);
}

void chat_quoted(ChatText *out, weir_bytes text)
{
    put_string(out, span_of(text.data, text.size));
}

static void put_member(ChatText *out, const char *key, Span value, bool indents)
{
    put(out, indents ? SPAN(",\n        ") : SPAN(", "));
    put(out, SPAN("\""));
    put(out, span_text(key));
    put(out, SPAN("\": "));
    put_string(out, value);
}

void chat_tool(ChatText *out, const weir_tool *tool, bool indents)
{
    put(out, indents ? SPAN("{\n    \"type\": \"function\",\n"
                            "    \"function\": {\n        \"name\": ")
                     : SPAN("{\"type\": \"function\", \"function\": {"
                            "\"name\": "));
    put_string(out, span_of(tool->name.data, tool->name.size));
    if (tool->description.size)
        put_member(out, "description",
                   span_of(tool->description.data, tool->description.size),
                   indents);
    if (tool->source.size) {
        put(out, indents ? SPAN(",\n        \"parameters\": ")
                         : SPAN(", \"parameters\": "));
        chat_json(out, tool->source, indents, 2);
    }
    put(out, indents ? SPAN("\n    }\n}") : SPAN("}}"));
}
