/* tool_choice.c: which tools may be called, and whether one must be.
 *
 *   "none", "auto", "required"; Anthropic: {"type":"none"|"auto"|"any"}
 *   {"type":"function","function":{"name"}}, flat in responses, custom alike;
 *   Anthropic: {"type":"tool","name"}
 *   {"type":"allowed_tools","allowed_tools":{"mode","tools":[...]}}, flat in
 *   responses: those of the list alone
 *
 * Tests: unit/request_tools_test.c.
 */
#include "request/request.h"

#include "base/hash.h"

#include <stdio.h>

typedef enum Choice {
    CHOICE_NONE,
    CHOICE_AUTO,
    CHOICE_REQUIRED,
    CHOICE_NAMED
} Choice;

static const char where[] = "/tool_choice";

static bool is_messages(const Resolver *r)
{
    return r->endpoint == WEIR_ENDPOINT_MESSAGES;
}

/* ---- which tools ---- */

/* Indexes of the tools, by name. */
static bool index_tools(Resolver *r, Map *map)
{
    const weir_constraint_info *info = &r->c->info;
    for (size_t i = 0; i < info->tool_count; i++) {
        weir_bytes name = info->tools[i].name;
        uint64_t hash = hash_bytes(0, name.data, name.size);
        if (!map_add(r->json.mem, map, hash, (uint32_t)i))
            return refuse_memory(r->refusal);
    }
    return true;
}

static const weir_tool *tool_find(const Resolver *r, const Map *map, Span name)
{
    uint64_t hash = hash_bytes(0, name.at, name.size);
    for (MapPos p = map_first(map, hash); p.value != MAP_NONE;
         p = map_next(map, hash, p)) {
        const weir_tool *t = &r->c->info.tools[p.value];
        if (span_equal(span_of(t->name.data, t->name.size), name)) return t;
    }
    return NULL;
}

/* The name in a choice or in an item of allowed tools. */
static bool read_name(Resolver *r, JsonId at, const char *pointer, Span *name)
{
    char path[POINTER_ROOM];
    const char *type =
        json_is_string(&r->json, json_get(&r->json, at, "type"), "custom")
            ? "custom"
            : "function";
    JsonId inner = json_get(&r->json, at, type);
    snprintf(path, sizeof path, "%s", pointer);
    if (json_kind(&r->json, inner) == JSON_OBJECT) {
        pointer_join(path, path, type);
        at = inner;
    }
    if (!read_text(r, at, path, "name", name)) return false;
    pointer_join(path, path, "name");
    return name->size || refuse(r, at, path, "missing_required_parameter",
                                "found no name, expected one");
}

/* Adds the tool of a name to the list of those that may be called. */
static bool pick(Resolver *r, const Map *map, JsonId at, const char *pointer,
                 weir_tool *picked)
{
    Span name;
    if (!read_name(r, at, pointer, &name)) return false;
    const weir_tool *tool = tool_find(r, map, name);
    if (!tool)
        return refuse(r, at, pointer, "invalid_value",
                      "found %s, expected the name of a tool in 'tools'",
                      quoted(name).text);
    *picked = *tool;
    return true;
}

static bool pick_list(Resolver *r, const Map *map, JsonId list,
                      const char *pointer)
{
    weir_constraint_info *info = &r->c->info;
    weir_tool *picked =
        arena_array(&r->c->arena, weir_tool, json_count(&r->json, list));
    uint32_t count = 0;
    if (json_kind(&r->json, list) != JSON_ARRAY)
        return refuse_kind(r, list, pointer, "an array");
    if (!picked) return refuse_memory(r->refusal);
    if (!json_count(&r->json, list))
        return refuse(r, list, pointer, "invalid_value",
                      "found an empty list, expected at least one tool");
    for (JsonIter it = json_iter(&r->json, list); json_step(&it); count++) {
        char path[POINTER_ROOM];
        pointer_index(path, pointer, count);
        if (!pick(r, map, it.value, path, &picked[count])) return false;
    }
    info->tools = picked;
    info->tool_count = count;
    return true;
}

static bool pick_one(Resolver *r, const Map *map, JsonId at)
{
    weir_tool *picked = arena_new(&r->c->arena, weir_tool);
    if (!picked) return refuse_memory(r->refusal);
    if (!pick(r, map, at, where, picked)) return false;
    r->c->info.tools = picked;
    r->c->info.tool_count = 1;
    return true;
}

/* ---- the choice ---- */

static bool read_word(Resolver *r, JsonId at, const char *pointer, Span word,
                      Choice *choice)
{
    const char *must = is_messages(r) ? "any" : "required";
    if (span_equal(word, SPAN("none")))
        *choice = CHOICE_NONE;
    else if (span_equal(word, SPAN("auto")))
        *choice = CHOICE_AUTO;
    else if (span_equal(word, span_text(must)))
        *choice = CHOICE_REQUIRED;
    else
        return refuse(r, at, pointer, "invalid_value",
                      "found %s, expected none, auto, %s or a tool",
                      quoted(word).text, must);
    return true;
}

static bool read_allowed(Resolver *r, const Map *map, JsonId at, Choice *choice)
{
    Span mode;
    char path[POINTER_ROOM];
    JsonId inner = json_get(&r->json, at, "allowed_tools");
    snprintf(path, sizeof path, "%s", where);
    if (json_kind(&r->json, inner) == JSON_OBJECT) {
        pointer_join(path, where, "allowed_tools");
        at = inner;
    }
    if (!read_text(r, at, path, "mode", &mode)) return false;
    *choice = CHOICE_AUTO;
    char mode_path[POINTER_ROOM];
    pointer_join(mode_path, path, "mode");
    if (mode.size &&
        !read_word(r, json_get(&r->json, at, "mode"), mode_path, mode, choice))
        return false;
    pointer_join(path, path, "tools");
    return pick_list(r, map, json_get(&r->json, at, "tools"), path);
}

static bool read_object(Resolver *r, const Map *map, JsonId at, Choice *choice)
{
    Span type;
    if (!read_text(r, at, where, "type", &type)) return false;
    bool is_named = is_messages(r) ? span_equal(type, SPAN("tool"))
                                   : span_equal(type, SPAN("function")) ||
                                         span_equal(type, SPAN("custom"));
    if (is_named) {
        *choice = CHOICE_NAMED;
        return pick_one(r, map, at);
    }
    if (span_equal(type, SPAN("allowed_tools")))
        return read_allowed(r, map, at, choice);
    char path[POINTER_ROOM];
    JsonId type_at = json_get(&r->json, at, "type");
    pointer_join(path, where, "type");
    if (is_messages(r)) return read_word(r, type_at, path, type, choice);
    return refuse(r, type_at, path, "invalid_value",
                  "found %s, expected function, custom or allowed_tools",
                  quoted(type).text);
}

static bool read_choice(Resolver *r, JsonId at, Choice *choice)
{
    bool ok;
    Map map = {0};
    switch (json_kind(&r->json, at)) {
    case JSON_MISSING:
    case JSON_NULL:
        return true;
    case JSON_STRING:
        return read_word(r, at, where, json_string(&r->json, at), choice);
    case JSON_OBJECT:
        ok = index_tools(r, &map) && read_object(r, &map, at, choice);
        map_free(r->json.mem, &map);
        return ok;
    default:
        return refuse_kind(r, at, where, "a string or an object");
    }
}

static bool read_parallel(Resolver *r, JsonId choice)
{
    bool *parallel = &r->c->info.parallel, is_off = false;
    *parallel = r->profile->parallel;
    if (!is_messages(r))
        return read_flag(r, JSON_ROOT, "", "parallel_tool_calls", parallel);
    if (!read_flag(r, choice, where, "disable_parallel_tool_use", &is_off))
        return false;
    *parallel = *parallel && !is_off;
    return true;
}

/* ---- what follows for the constraint ---- */

/* A choice, but no tools to choose from. */
static bool check_tools(Resolver *r, JsonId at, Choice choice)
{
    JsonId list = json_get(&r->json, JSON_ROOT, "tools");
    bool is_absent = json_absent(&r->json, list);
    bool must = choice >= CHOICE_REQUIRED;
    if (json_absent(&r->json, at) || json_count(&r->json, list)) return true;
    bool is_fine = must ? !is_absent && r->profile->empty_required
                        : !is_absent || !r->profile->choice_wants_tools;
    if (is_fine) return true;
    return refuse(r, at, where, "invalid_value",
                  "found a choice among tools, but no tools");
}

static bool check_partner(Resolver *r, JsonId at, Choice choice)
{
    const weir_constraint_info *info = &r->c->info;
    bool is_json = choice >= CHOICE_REQUIRED && r->profile->tools == TOOL_JSON;
    /* llama-server: a schema beside tools holds for the text */
    bool is_grammar =
        info->kind == WEIR_GBNF && r->profile->conflict == CONFLICT_LLAMA;
    if (!info->kind || choice == CHOICE_NONE || !(is_json || is_grammar))
        return true;
    return refuse(r, is_grammar ? JSON_NONE : at,
                  is_grammar ? "/grammar" : where, "conflicting_parameters",
                  "found a constraint of the text together with tools that "
                  "are called, expected one of them");
}

static bool set_mode(Resolver *r, Choice choice)
{
    weir_tool_mode *mode = &r->c->info.tool_mode;
    bool must = choice >= CHOICE_REQUIRED;
    if (choice == CHOICE_NONE) {
        *mode = WEIR_TOOLS_NONE;
        return true;
    }
    switch (r->profile->tools) {
    case TOOL_TAGS: /* one that is named is called once */
        if (choice == CHOICE_NAMED) r->c->info.parallel = false;
        *mode = must ? WEIR_TOOLS_REQUIRED : WEIR_TOOLS_AUTO;
        return true;
    case TOOL_JSON:
        *mode = WEIR_TOOLS_FREE;
        if (choice == CHOICE_REQUIRED) *mode = WEIR_TOOLS_LIST;
        if (choice == CHOICE_NAMED) *mode = WEIR_TOOLS_ARGUMENTS;
        return !must || tools_as_json(r);
    case TOOL_FREE:
        *mode = WEIR_TOOLS_FREE;
        break;
    }
    return true;
}

bool tool_choice_read(Resolver *r)
{
    weir_constraint_info *info = &r->c->info;
    JsonId at = json_get(&r->json, JSON_ROOT, "tool_choice");
    Choice choice = CHOICE_AUTO;
    bool has_choice = r->endpoint != WEIR_ENDPOINT_OLLAMA_CHAT;
    if (!has_choice) at = JSON_NONE;
    if (!read_choice(r, at, &choice) || !read_parallel(r, at)) return false;
    if (choice && !check_tools(r, at, choice)) return false;
    if (!info->tool_count) return true;
    return check_partner(r, at, choice) && set_mode(r, choice);
}
