/* conversation_think.c: whether a request wants reasoning, by each system's
 * field for it, and how much.
 * Tests: tests/server/conversation_test.c. */
#include "server/conversation.h"

static void set(Conversation *c, bool on)
{
    c->thinking = on ? THINKING_ON : THINKING_OFF;
}

/* A level, "none" is off; or true or false. */
static bool read_level(Conversation *c, JsonId object, const Place *place,
                       const char *name)
{
    Body *f = &c->body;
    JsonId at = body_get(f, object, name);
    switch (json_kind(&f->json, at)) {
    case JSON_MISSING:
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        set(c, json_kind(&f->json, at) == JSON_TRUE);
        return true;
    case JSON_STRING:
        set(c, !json_is_string(&f->json, at, "none"));
        return true;
    default: {
        Place own = place_member(place, name);
        return body_refuse_kind(f, at, &own, "a string, true or false");
    }
    }
}

static bool read_budget(Conversation *c, JsonId object, const Place *place,
                        const char *name)
{
    Body *f = &c->body;
    JsonId at = body_get(f, object, name);
    if (at == JSON_NONE) return true;
    if (json_u32(&f->json, at, &c->thinking_tokens)) {
        if (!c->thinking_tokens) set(c, false);
        return true;
    }
    double any;
    bool is_endless = json_double(&f->json, at, &any) && any < 0;
    Place own = place_member(place, name);
    return is_endless ||
           body_refuse_kind(f, at, &own, "a whole number of tokens");
}

/* {"type":"enabled"|"adaptive"|"disabled","budget_tokens"}: off unless it is
 * said. */
static bool read_anthropic(Conversation *c, const Place *root)
{
    Body *f = &c->body;
    Place place = place_member(root, "thinking");
    JsonId at = body_get(f, JSON_ROOT, "thinking");
    JsonId type = body_get(f, at, "type");
    set(c, false);
    if (at == JSON_NONE) return true;
    if (json_kind(&f->json, at) != JSON_OBJECT)
        return body_refuse_kind(f, at, &place, "an object");
    set(c, json_is_string(&f->json, type, "enabled") ||
               json_is_string(&f->json, type, "adaptive"));
    return c->thinking == THINKING_OFF ||
           read_budget(c, at, &place, "budget_tokens");
}

static bool read_openai(Conversation *c, const Place *root)
{
    Body *f = &c->body;
    JsonId told = body_get(f, JSON_ROOT, "chat_template_kwargs");
    Place place = place_member(root, "chat_template_kwargs");
    return read_level(c, JSON_ROOT, root, "reasoning_effort") &&
           read_level(c, told, &place, "thinking") &&
           read_level(c, told, &place, "enable_thinking") &&
           read_budget(c, JSON_ROOT, root, "thinking_budget") &&
           read_budget(c, JSON_ROOT, root, "thinking_budget_tokens");
}

bool thinking_read(Conversation *c)
{
    Place root = place_root();
    Place reasoning = place_member(&root, "reasoning");
    JsonId at;
    switch (c->endpoint) {
    case WEIR_ENDPOINT_MESSAGES:
        return read_anthropic(c, &root);
    case WEIR_ENDPOINT_RESPONSES:
        at = body_get(&c->body, JSON_ROOT, "reasoning");
        return read_level(c, at, &reasoning, "effort") && read_openai(c, &root);
    case WEIR_ENDPOINT_CHAT:
        return read_openai(c, &root);
    case WEIR_ENDPOINT_OLLAMA_CHAT:
    case WEIR_ENDPOINT_OLLAMA_GENERATE:
        return read_level(c, JSON_ROOT, &root, "think");
    default:
        return true;
    }
}
