/* conversation_items.c: the input of OpenAI's responses, the messages of
 * Anthropic.
 *
 *   responses  "input": "..." | [ITEM], "instructions"
 *     {"role","content":"..." | [{"type":"input_text","text"}]}
 *     {"type":"function_call","call_id","name","arguments"}
 *     {"type":"function_call_output","call_id","output"}
 *     {"type":"reasoning"}                       left out
 *   messages   "system": "..." | [text], "messages": [{"role","content"}]
 *     {"type":"text","text"}  {"type":"thinking"}  left out
 *     {"type":"tool_use","id","name","input"}
 *     {"type":"tool_result","tool_use_id","content"}
 *
 * Tests: tests/server/conversation_test.c.
 */
#include "base/diag.h"
#include "server/conversation.h"

/* Calls stand in an answer: the last message, or a new one. */
static bool begin_answer(Conversation *c)
{
    ChatMessage m = {.role = CHAT_ASSISTANT, .content = {"", 0}};
    return ends_in_answer(c) || message_add(c, &m);
}

static bool refuse_type(Conversation *c, JsonId at, const Place *place,
                        const char *expected)
{
    Body *f = &c->body;
    JsonId type = body_get(f, at, "type");
    Place own = place_member(place, "type");
    if (json_kind(&f->json, type) != JSON_STRING)
        return body_refuse_kind(f, type, &own, expected);
    return body_refuse(f, type, &own, "not_supported",
                       "found \"%s\", expected %s",
                       diag_shown(json_string(&f->json, type)).text, expected);
}

static bool add_result(Conversation *c, JsonId at, const Place *place,
                       const char *id, const char *content)
{
    ChatMessage m = {.role = CHAT_TOOL};
    Place own = place_member(place, content);
    if (!body_text(&c->body, at, place, id, &m.id) ||
        !content_read(c, body_get(&c->body, at, content), &own, &m.content))
        return false;
    m.name = call_name(c, m.id);
    return message_add(c, &m);
}

/* ---- responses ---- */

static bool read_item_message(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    const Json *j = &f->json;
    JsonId role = body_get(f, at, "role");
    Place content = place_member(place, "content");
    ChatMessage m = {.role = CHAT_USER};
    if (!content_read(c, body_get(f, at, "content"), &content, &m.content))
        return false;
    if (json_is_string(j, role, "system") ||
        json_is_string(j, role, "developer"))
        return system_add(c, at, place, m.content);
    if (json_is_string(j, role, "assistant"))
        m.role = CHAT_ASSISTANT;
    else if (!json_is_string(j, role, "user")) {
        Place own = place_member(place, "role");
        return body_refuse(f, role, &own, "invalid_value",
                           "expected user, assistant, system or developer");
    }
    return message_add(c, &m);
}

static bool read_item_call(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    ChatCall call;
    if (!body_text(f, at, place, "call_id", &call.id) ||
        !body_text(f, at, place, "name", &call.name) ||
        !body_text(f, at, place, "arguments", &call.arguments))
        return false;
    if (!call.name.size) {
        Place own = place_member(place, "name");
        return body_refuse_kind(f, body_get(f, at, "name"), &own,
                                "the name of a tool");
    }
    return begin_answer(c) && call_add(c, call);
}

static bool read_item(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    const Json *j = &f->json;
    JsonId type = body_get(f, at, "type");
    if (json_kind(j, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    if (type == JSON_NONE || json_is_string(j, type, "message"))
        return read_item_message(c, at, place);
    if (json_is_string(j, type, "reasoning")) return true;
    if (json_is_string(j, type, "function_call"))
        return read_item_call(c, at, place);
    if (json_is_string(j, type, "function_call_output"))
        return add_result(c, at, place, "call_id", "output");
    return refuse_type(c, at, place,
                       "message, function_call, function_call_output or "
                       "reasoning");
}

static bool read_input(Conversation *c, const Place *root)
{
    Body *f = &c->body;
    Place place = place_member(root, "input");
    JsonId input = body_get(f, JSON_ROOT, "input");
    uint32_t index = 0;
    if (json_kind(&f->json, input) == JSON_STRING) {
        ChatMessage m = {.role = CHAT_USER,
                         .content = bytes_of(json_string(&f->json, input))};
        return message_add(c, &m);
    }
    if (json_kind(&f->json, input) != JSON_ARRAY)
        return body_refuse_kind(f, input, &place, "a string or an array");
    for (JsonIter it = json_iter(&f->json, input); json_step(&it); index++) {
        Place at = place_item(&place, index);
        if (!read_item(c, it.value, &at)) return false;
    }
    return index || body_refuse(f, input, &place, "invalid_value",
                                "found no item, expected one at least");
}

bool messages_read_responses(Conversation *c)
{
    static const char *const absent[] = {"previous_response_id", "conversation",
                                         "prompt"};
    Body *f = &c->body;
    Place root = place_root(), own = place_member(&root, "instructions");
    weir_bytes text;
    for (size_t i = 0; i < COUNT_OF(absent); i++) {
        JsonId at = body_get(f, JSON_ROOT, absent[i]);
        Place place = place_member(&root, absent[i]);
        if (at != JSON_NONE)
            return body_refuse(f, at, &place, "not_supported",
                               "found a value, but nothing is kept between "
                               "requests; send all of the conversation");
    }
    if (!body_text(f, JSON_ROOT, &root, "instructions", &text)) return false;
    if (text.size && !system_add(c, JSON_NONE, &own, text)) return false;
    return read_input(c, &root);
}

/* ---- Anthropic's messages ---- */

static bool read_use(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    ChatCall call = {.arguments = {NULL, 0}};
    JsonId input = body_get(f, at, "input");
    Place own = place_member(place, "input");
    if (!body_text(f, at, place, "id", &call.id) ||
        !body_text(f, at, place, "name", &call.name))
        return false;
    if (json_kind(&f->json, input) != JSON_OBJECT)
        return body_refuse_kind(f, input, &own, "an object");
    call.arguments = bytes_of(json_spelling(&f->json, input));
    return begin_answer(c) && call_add(c, call);
}

/* Blocks of text that follow each other are one message; it is added when
 * something else comes, or nothing. */
static bool put_text(Conversation *c, weir_bytes text)
{
    size_t need = (size_t)c->draft.count + text.size + 1;
    if (!vec_reserve(c->mem, &c->draft, need)) return body_no_memory(&c->body);
    if (c->has_draft) c->draft.at[c->draft.count++] = '\n';
    if (text.size) memcpy(c->draft.at + c->draft.count, text.data, text.size);
    c->draft.count += (uint32_t)text.size;
    c->has_draft = true;
    return true;
}

static bool end_text(Conversation *c, ChatRole role)
{
    if (!c->has_draft) return true;
    char *copy = arena_copy(&c->arena, c->draft.at, c->draft.count);
    ChatMessage m = {.role = role, .content = {copy, c->draft.count}};
    c->has_draft = false;
    c->draft.count = 0;
    return copy ? message_add(c, &m) : body_no_memory(&c->body);
}

static bool read_block(Conversation *c, JsonId at, const Place *place,
                       ChatRole role)
{
    Body *f = &c->body;
    const Json *j = &f->json;
    JsonId type = body_get(f, at, "type");
    weir_bytes text;
    if (json_kind(j, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    if (json_is_string(j, type, "text"))
        return body_text(f, at, place, "text", &text) && put_text(c, text);
    if (!end_text(c, role)) return false;
    if (json_is_string(j, type, "tool_use") && role == CHAT_ASSISTANT)
        return read_use(c, at, place);
    if (json_is_string(j, type, "tool_result") && role == CHAT_USER)
        return add_result(c, at, place, "tool_use_id", "content");
    if (json_is_string(j, type, "thinking") ||
        json_is_string(j, type, "redacted_thinking"))
        return true;
    return refuse_type(c, at, place,
                       role == CHAT_USER ? "text or tool_result"
                                         : "text, tool_use or thinking");
}

static bool read_anthropic(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    const Json *j = &f->json;
    JsonId role = body_get(f, at, "role");
    JsonId content = body_get(f, at, "content");
    Place own = place_member(place, "content");
    uint32_t index = 0;
    if (json_kind(j, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, place, "an object");
    bool is_user = json_is_string(j, role, "user");
    if (!is_user && !json_is_string(j, role, "assistant")) {
        Place own_role = place_member(place, "role");
        return body_refuse(f, role, &own_role, "invalid_value",
                           "expected user or assistant");
    }
    ChatRole who = is_user ? CHAT_USER : CHAT_ASSISTANT;
    if (json_kind(j, content) == JSON_STRING)
        return put_text(c, bytes_of(json_string(j, content))) &&
               end_text(c, who);
    if (json_kind(j, content) != JSON_ARRAY)
        return body_refuse_kind(f, content, &own, "a string or an array");
    for (JsonIter it = json_iter(j, content); json_step(&it); index++) {
        Place block = place_item(&own, index);
        if (!read_block(c, it.value, &block, who)) return false;
    }
    return end_text(c, who);
}

bool messages_read_anthropic(Conversation *c)
{
    Body *f = &c->body;
    Place root = place_root(), own = place_member(&root, "system");
    Place place = place_member(&root, "messages");
    JsonId system = body_get(f, JSON_ROOT, "system");
    JsonId list = body_get(f, JSON_ROOT, "messages");
    weir_bytes text;
    uint32_t index = 0;
    if (!content_read(c, system, &own, &text)) return false;
    if (text.size && !system_add(c, system, &own, text)) return false;
    if (json_kind(&f->json, list) != JSON_ARRAY)
        return body_refuse_kind(f, list, &place, "an array of messages");
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        Place at = place_item(&place, index);
        if (!read_anthropic(c, it.value, &at)) return false;
    }
    return index || body_refuse(f, list, &place, "invalid_value",
                                "found no message, expected one at least");
}
