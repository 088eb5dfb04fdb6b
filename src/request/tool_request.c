/* tool_request.c: the tools of a request, in the forms of its endpoint:
 *
 *   chat, Ollama  {"type":"function","function":{"name","parameters","strict"}}
 *                 {"type":"custom","custom":{"name","format":{...}}}
 *   responses     the same, flat
 *   messages      {"name","input_schema","strict"}
 *
 * Tools of other types are the server's own (web_search ...): models call them
 * in the server's way, and they are passed over.
 * Tests: unit/request_tools_test.c.
 */
#include "request/request.h"

static bool is_messages(const Resolver *r)
{
    return r->endpoint == WEIR_ENDPOINT_MESSAGES;
}

/* ---- custom tools ---- */

/* {"syntax":"lark"|"regex","definition"} */
static bool read_grammar(Resolver *r, JsonId at, const char *pointer,
                         weir_tool *tool)
{
    Span syntax, definition;
    char path[POINTER_ROOM];
    if (json_kind(&r->json, at) != JSON_OBJECT)
        return refuse_kind(r, at, pointer, "an object");
    if (!read_text(r, at, pointer, "syntax", &syntax) ||
        !read_text(r, at, pointer, "definition", &definition))
        return false;
    pointer_join(path, pointer, "syntax");
    if (span_equal(syntax, SPAN("lark")))
        tool->kind = WEIR_LARK;
    else if (span_equal(syntax, SPAN("regex")))
        tool->kind = WEIR_REGEX;
    else
        return refuse(r, json_get(&r->json, at, "syntax"), path,
                      "invalid_value", "found %s, expected lark or regex",
                      quoted(syntax).text);
    pointer_join(path, pointer, "definition");
    tool->from = keep_pointer(r, path);
    return tool->from && keep_text(r, definition, &tool->source);
}

static bool read_custom(Resolver *r, JsonId at, const char *pointer,
                        weir_tool *tool)
{
    Span type;
    char path[POINTER_ROOM];
    JsonId format = json_get(&r->json, at, "format");
    tool->kind = 0;
    if (json_absent(&r->json, format)) return true;
    pointer_join(path, pointer, "format");
    if (json_kind(&r->json, format) != JSON_OBJECT)
        return refuse_kind(r, format, path, "an object");
    if (!read_text(r, format, path, "type", &type)) return false;
    if (!span_equal(type, SPAN("grammar"))) return true;
    if (r->endpoint == WEIR_ENDPOINT_RESPONSES)
        return read_grammar(r, format, path, tool);
    pointer_join(path, path, "grammar");
    return read_grammar(r, json_get(&r->json, format, "grammar"), path, tool);
}

/* ---- functions ---- */

static bool read_parameters(Resolver *r, JsonId at, const char *pointer,
                            weir_tool *tool)
{
    char path[POINTER_ROOM];
    const char *name = is_messages(r) ? "input_schema" : "parameters";
    JsonId schema = json_get(&r->json, at, name);
    JsonKind kind = json_kind(&r->json, schema);
    tool->strict = r->endpoint == WEIR_ENDPOINT_RESPONSES;
    if (!read_flag(r, at, pointer, "strict", &tool->strict)) return false;
    tool->any_input =
        json_kind(&r->json, json_get(&r->json, at, "strict")) == JSON_FALSE;
    tool->kind = WEIR_JSON_OBJECT;
    if (json_absent(&r->json, schema)) return true;
    pointer_join(path, pointer, name);
    if (kind != JSON_OBJECT)
        return refuse_kind(r, schema, path, "a JSON Schema: an object");
    tool->kind = WEIR_JSON_SCHEMA;
    tool->from = keep_pointer(r, path);
    return tool->from &&
           keep_text(r, json_spelling(&r->json, schema), &tool->source);
}

/* ---- one tool ---- */

/* Where the description of a tool stands: in the tool, or in a member called
 * as its type. */
static bool find_body(Resolver *r, JsonId *at, char *pointer, const char *type)
{
    if (r->endpoint == WEIR_ENDPOINT_RESPONSES || is_messages(r)) return true;
    *at = json_get(&r->json, *at, type);
    pointer_join(pointer, pointer, type);
    return json_kind(&r->json, *at) == JSON_OBJECT ||
           refuse_kind(r, *at, pointer, "an object");
}

static bool read_body(Resolver *r, JsonId at, char *pointer, bool is_custom,
                      weir_tool *tool)
{
    Span name, description;
    char path[POINTER_ROOM];
    if (!find_body(r, &at, pointer, is_custom ? "custom" : "function") ||
        !read_text(r, at, pointer, "name", &name) ||
        !read_text(r, at, pointer, "description", &description))
        return false;
    pointer_join(path, pointer, "name");
    if (!name.size)
        return refuse(r, json_get(&r->json, at, "name"), path,
                      "missing_required_parameter",
                      "found no name, expected one");
    return keep_text(r, name, &tool->name) &&
           keep_text(r, description, &tool->description) &&
           (is_custom ? read_custom(r, at, pointer, tool)
                      : read_parameters(r, at, pointer, tool));
}

/* Whether weir has to do with tools of this type. */
static bool type_known(const Resolver *r, JsonId at, bool *is_custom)
{
    JsonId type = json_get(&r->json, at, "type");
    bool is_function = json_absent(&r->json, type) ||
                       json_is_string(&r->json, type, "function");
    *is_custom = !is_function && json_is_string(&r->json, type, "custom");
    if (!is_messages(r)) return is_function || *is_custom;
    bool is_own = is_function || *is_custom; /* custom is Anthropic's word */
    *is_custom = false;
    return is_own;
}

static bool read_tool(Resolver *r, JsonId at, uint32_t index, weir_tool *tools,
                      size_t *count)
{
    char pointer[POINTER_ROOM];
    bool is_custom;
    pointer_index(pointer, "/tools", index);
    if (json_kind(&r->json, at) != JSON_OBJECT)
        return refuse_kind(r, at, pointer, "an object");
    if (!type_known(r, at, &is_custom)) return true;
    weir_tool *tool = &tools[*count];
    *tool = (weir_tool){.from = keep_pointer(r, pointer)};
    ++*count;
    return tool->from && read_body(r, at, pointer, is_custom, tool);
}

static bool read_list(Resolver *r, JsonId at)
{
    weir_constraint_info *info = &r->c->info;
    if (json_kind(&r->json, at) != JSON_ARRAY)
        return refuse_kind(r, at, "/tools", "an array");
    weir_tool *tools =
        arena_array(&r->c->arena, weir_tool, json_count(&r->json, at));
    if (!tools) return refuse_memory(r->refusal);
    uint32_t index = 0;
    info->tools = tools;
    for (JsonIter it = json_iter(&r->json, at); json_step(&it); index++)
        if (!read_tool(r, it.value, index, tools, &info->tool_count))
            return false;
    return true;
}

bool tools_read(Resolver *r)
{
    enum {
        HERE = 1u << WEIR_ENDPOINT_CHAT | 1u << WEIR_ENDPOINT_RESPONSES |
               1u << WEIR_ENDPOINT_MESSAGES | 1u << WEIR_ENDPOINT_OLLAMA_CHAT
    };
    JsonId tools = json_get(&r->json, JSON_ROOT, "tools");
    r->c->info.tool_count = 0;
    if (!(HERE & 1u << r->endpoint)) return true;
    if (!json_absent(&r->json, tools) && !read_list(r, tools)) return false;
    return tool_choice_read(r);
}
