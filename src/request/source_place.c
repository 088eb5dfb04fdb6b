/* source_place.c: a descent into the values whose range has the byte in it.
 * Tests: unit/cases_request_test.c.
 */
#include "request/source_place.h"

#include "text/json.h"

static bool has_byte(const Json *json, JsonId id, size_t offset)
{
    const JsonNode *node = &json->nodes.at[id];
    return node->begin <= offset && offset < node->end;
}

static void put_name(Out *out, Span name)
{
    out_text(out, "/");
    for (size_t i = 0; i < name.size; i++) {
        if (name.at[i] == '~')
            out_text(out, "~0");
        else if (name.at[i] == '/')
            out_text(out, "~1");
        else
            out_bytes(out, span_of(name.at + i, 1));
    }
}

/* One step down; JSON_NONE when nothing below has the byte. */
static JsonId step_down(const Json *json, JsonId at, size_t offset, Out *out)
{
    uint32_t index = 0;
    for (JsonIter it = json_iter(json, at); json_step(&it); index++) {
        if (!has_byte(json, it.value, offset) &&
            !(it.is_object && has_byte(json, it.key_id, offset)))
            continue;
        if (it.is_object)
            put_name(out, it.key);
        else
            out_format(out, "/%u", index);
        return it.value;
    }
    return JSON_NONE;
}

void source_pointer(const Mem *mem, Span text, size_t offset, Out *out)
{
    Json json;
    if (!json_parse(&json, mem, text, NULL, NULL)) return;
    for (JsonId at = JSON_ROOT; at != JSON_NONE;)
        at = step_down(&json, at, offset, out);
    json_free(&json);
}
