/* tool_json.c: calls of tools as the text itself, in vLLM's way. required: an
 * array of calls; a named tool: its arguments alone.
 *
 *   {"type":"array","minItems":1,"items":{"anyOf":[
 *     {"type":"object","properties":{"name":{"const":"f"},
 *      "parameters":{"$ref":"urn:tool:0"}},"required":["name","parameters"]},
 *     ...]}}
 *
 * Each schema of parameters is a document of its own, so that its references
 * mean what they meant where it stood, and names in $defs cannot clash.
 * Tests: unit/request_tools_test.c.
 */
#include "request/request.h"

#include <stdio.h>

static void write_call(Out *out, const weir_tool *tool, size_t index)
{
    out_text(out, "{\"type\":\"object\",\"properties\":{\"name\":{\"const\":");
    json_write_string(out, span_of(tool->name.data, tool->name.size));
    out_text(out, "},\"parameters\":");
    if (tool->kind == WEIR_JSON_SCHEMA)
        out_format(out, "{\"$ref\":\"urn:tool:%zu\"}", index);
    else
        out_text(out, "{\"type\":\"object\",\"additionalProperties\":true}");
    out_text(out, "},\"required\":[\"name\",\"parameters\"]}");
}

static void write_calls(Out *out, const weir_constraint_info *info)
{
    out_text(out, "{\"type\":\"array\",\"minItems\":1,");
    if (!info->parallel) out_text(out, "\"maxItems\":1,");
    out_text(out, "\"items\":{\"anyOf\":[");
    for (size_t i = 0; i < info->tool_count; i++) {
        if (i) out_text(out, ",");
        write_call(out, &info->tools[i], i);
    }
    out_text(out, "]}}");
}

/* One document a tool, in their order. */
static bool keep_documents(Resolver *r)
{
    enum { URI_ROOM = 32 };
    const weir_constraint_info *info = &r->c->info;
    Arena *arena = &r->c->arena;
    size_t n = info->tool_count;
    weir_document *list = arena_array(arena, weir_document, n);
    if (!list) return refuse_memory(r->refusal);
    for (size_t i = 0; i < n; i++) {
        char uri[URI_ROOM];
        int size = snprintf(uri, sizeof uri, "urn:tool:%zu", i);
        char *copy = arena_copy(arena, uri, (size_t)size + 1);
        if (!copy) return refuse_memory(r->refusal);
        weir_bytes text = info->tools[i].source;
        if (!text.size) text = (weir_bytes){"true", 4};
        list[i] = (weir_document){{copy, (size_t)size}, text};
    }
    r->c->opts.schema.documents = list;
    r->c->opts.schema.document_count = n;
    return true;
}

static bool list_calls(Resolver *r)
{
    weir_constraint_info *info = &r->c->info;
    Out measured = {NULL, 0, 0};
    write_calls(&measured, info);
    char *text = arena_alloc(&r->c->arena, measured.size);
    if (!text) return refuse_memory(r->refusal);
    Out out = {text, measured.size, 0};
    write_calls(&out, info);
    info->kind = WEIR_JSON_SCHEMA;
    info->source = (weir_bytes){text, out.size};
    info->from = "/tools";
    return keep_documents(r);
}

bool tools_as_json(Resolver *r)
{
    weir_constraint *c = r->c;
    weir_constraint_info *info = &c->info;
    const weir_tool *tool = info->tools;
    for (size_t i = 0; i < info->tool_count; i++)
        if (tool[i].kind != WEIR_JSON_SCHEMA &&
            tool[i].kind != WEIR_JSON_OBJECT)
            return refuse(r, JSON_NONE, tool[i].from, "not_supported",
                          "found a custom tool, expected a function: calls "
                          "are JSON here");
    c->opts.schema.strict = r->profile->closed == CLOSED_ALWAYS;
    c->source_at = UINT32_MAX;
    if (info->tool_mode == WEIR_TOOLS_LIST) return list_calls(r);
    info->kind = tool->kind;
    info->source = tool->source;
    info->name = tool->name;
    info->from = tool->from;
    return true;
}
