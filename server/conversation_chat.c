/* conversation_chat.c: messages of OpenAI's chat and of Ollama's.
 *
 *   {"role":"user","content":"..." | [{"type":"text","text"}]}
 *   {"role":"assistant","content","tool_calls":[{"id","function":{"name",
 *    "arguments"}}]}       arguments: JSON in a string; Ollama's an object
 *   {"role":"tool","content","tool_call_id" | "tool_name"}
 *
 * Reasoning in earlier answers is left out, as chat formats do.
 * Tests: tests/server/conversation_test.c.
 */
#include "base/diag.h"
#include "server/conversation.h"

static bool is_ollama(const Conversation *c)
{
    return c->endpoint == WEIR_ENDPOINT_OLLAMA_CHAT;
}

/* ---- calls ---- */

static bool read_function(Conversation *c, JsonId at, const Place *place,
                          weir_bytes id)
{
    Body *f = &c->body;
    ChatCall call = {.id = id};
    JsonId arguments = body_get(f, at, "arguments");
    if (json_kind(&f->json, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    if (!body_text(f, at, place, "name", &call.name)) return false;
    if (!call.name.size) {
        Place own = place_member(place, "name");
        return body_refuse_kind(f, body_get(f, at, "name"), &own,
                                "the name of a tool");
    }
    JsonKind kind = json_kind(&f->json, arguments);
    if (kind == JSON_STRING)
        call.arguments = bytes_of(json_string(&f->json, arguments));
    else if (kind == JSON_OBJECT)
        call.arguments = bytes_of(json_spelling(&f->json, arguments));
    else if (kind != JSON_MISSING) {
        Place own = place_member(place, "arguments");
        return body_refuse_kind(f, arguments, &own,
                                "JSON in a string, or an object");
    }
    return call_add(c, call);
}

static bool read_call(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    weir_bytes id;
    JsonId function = body_get(f, at, "function");
    Place own = place_member(place, "function");
    if (json_kind(&f->json, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    return body_text(f, at, place, "id", &id) &&
           read_function(c, function, &own, id);
}

static bool read_calls(Conversation *c, JsonId message, const Place *place)
{
    Body *f = &c->body;
    Place own = place_member(place, "tool_calls");
    JsonId list = body_get(f, message, "tool_calls");
    JsonId old = body_get(f, message, "function_call");
    uint32_t index = 0;
    if (old != JSON_NONE) {
        Place at = place_member(place, "function_call");
        if (!read_function(c, old, &at, (weir_bytes){NULL, 0})) return false;
    }
    if (list == JSON_NONE) return true;
    if (json_kind(&f->json, list) != JSON_ARRAY)
        return body_refuse_kind(f, list, &own, "an array");
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        Place at = place_item(&own, index);
        if (!read_call(c, it.value, &at)) return false;
    }
    return true;
}

/* ---- messages ---- */

static bool read_result(Conversation *c, JsonId at, const Place *place,
                        ChatMessage *m)
{
    Body *f = &c->body;
    const char *name = is_ollama(c) ? "tool_name" : "name";
    m->role = CHAT_TOOL;
    if (!body_text(f, at, place, "tool_call_id", &m->id) ||
        !body_text(f, at, place, name, &m->name))
        return false;
    if (!m->name.size) m->name = call_name(c, m->id);
    if (!m->name.size && c->calls.count) /* the last one's, if none is said */
        m->name = c->calls.at[c->calls.count - 1].name;
    return message_add(c, m);
}

static bool check_images(Conversation *c, JsonId at, const Place *place)
{
    JsonId images = body_get(&c->body, at, "images");
    Place own = place_member(place, "images");
    if (!is_ollama(c) || !json_count(&c->body.json, images)) return true;
    return body_refuse(&c->body, images, &own, "not_supported",
                       "found images, which are not supported");
}

static bool read_message(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    const Json *j = &f->json;
    JsonId role = body_get(f, at, "role");
    Place content = place_member(place, "content");
    ChatMessage m = {.role = CHAT_USER};
    if (json_kind(j, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    if (!content_read(c, body_get(f, at, "content"), &content, &m.content) ||
        !check_images(c, at, place))
        return false;
    if (json_is_string(j, role, "system") ||
        json_is_string(j, role, "developer"))
        return system_add(c, at, place, m.content);
    if (json_is_string(j, role, "user")) return message_add(c, &m);
    if (json_is_string(j, role, "tool") || json_is_string(j, role, "function"))
        return read_result(c, at, place, &m);
    if (json_is_string(j, role, "assistant")) {
        m.role = CHAT_ASSISTANT;
        return message_add(c, &m) && read_calls(c, at, place);
    }
    Place own = place_member(place, "role");
    if (json_kind(j, role) != JSON_STRING)
        return body_refuse_kind(f, role, &own, "a role");
    return body_refuse(f, role, &own, "invalid_value",
                       "found \"%s\", expected system, developer, user, "
                       "assistant or tool",
                       diag_shown(json_string(j, role)).text);
}

bool messages_read_openai(Conversation *c)
{
    Body *f = &c->body;
    Place root = place_root(), place = place_member(&root, "messages");
    JsonId list = body_get(f, JSON_ROOT, "messages");
    uint32_t index = 0;
    if (json_kind(&f->json, list) != JSON_ARRAY)
        return body_refuse_kind(f, list, &place, "an array of messages");
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        Place at = place_item(&place, index);
        if (!read_message(c, it.value, &at)) return false;
    }
    return index || body_refuse(f, list, &place, "invalid_value",
                                "found no message, expected one at least");
}

bool messages_read_ollama(Conversation *c)
{
    Body *f = &c->body;
    JsonId list = body_get(f, JSON_ROOT, "messages");
    c->is_load =
        list == JSON_NONE || (json_kind(&f->json, list) == JSON_ARRAY &&
                              !json_count(&f->json, list));
    return c->is_load || messages_read_openai(c);
}
