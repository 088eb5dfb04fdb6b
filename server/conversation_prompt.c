/* conversation_prompt.c: prompts of endpoints without messages.
 *
 *   /v1/completions  "prompt": "..." | [id, ...] | ["...", ...] | [[id], ...]
 *   /completion      "prompt": "..." | [id or "...", ...]: one prompt
 *   /generate        "text": "..." | ["..."], or "input_ids": [id, ...]
 *   /api/generate    "prompt", "system": a conversation; with "raw" a prompt
 *
 * Several prompts are answered by several choices, on /v1/completions alone.
 * Tests: tests/server/conversation_test.c.
 */
#include "server/conversation.h"

static bool is_array(const Conversation *c, JsonId at)
{
    return json_kind(&c->body.json, at) == JSON_ARRAY;
}

static bool is_string(const Conversation *c, JsonId at)
{
    return json_kind(&c->body.json, at) == JSON_STRING;
}

static JsonId first_item(const Conversation *c, JsonId list)
{
    JsonIter it = json_iter(&c->body.json, list);
    return json_step(&it) ? it.value : JSON_NONE;
}

static bool prompt_add(Conversation *c, weir_bytes text)
{
    return vec_push(c->mem, &c->prompts, (Prompt){.text = text}) ||
           body_no_memory(&c->body);
}

static bool read_id(Conversation *c, JsonId at, const Place *place,
                    ChatTokens *ids)
{
    Body *f = &c->body;
    uint32_t id, width = weir_vocab_width(c->chat->vocab);
    if (!json_u32(&f->json, at, &id) || id >= width)
        return body_refuse(f, at, place, "invalid_value",
                           "found no token of the model, expected 0 to %u",
                           width - 1);
    return vec_push(c->mem, ids, id) || body_no_memory(f);
}

/* The tokens of a text among ids. */
static bool read_piece(Conversation *c, JsonId at, ChatTokens *ids)
{
    const weir_vocab *v = c->chat->vocab;
    weir_bytes text = bytes_of(json_string(&c->body.json, at));
    if (!length_check(c, text.size)) return false;
    size_t n = weir_vocab_encode(v, text, true, NULL, 0);
    if (n == SIZE_MAX || !vec_reserve(c->mem, ids, (size_t)ids->count + n))
        return body_no_memory(&c->body);
    if (n) weir_vocab_encode(v, text, true, ids->at + ids->count, n);
    ids->count += (uint32_t)n;
    return true;
}

/* One prompt: ids, where `mixes` texts among them. */
static bool read_ids(Conversation *c, JsonId list, const Place *place,
                     bool mixes)
{
    const Json *j = &c->body.json;
    uint32_t index = 0;
    if (!prompt_add(c, (weir_bytes){NULL, 0})) return false;
    ChatTokens *ids = &c->prompts.at[c->prompts.count - 1].ids;
    for (JsonIter it = json_iter(j, list); json_step(&it); index++) {
        Place own = place_item(place, index);
        if (!(mixes && is_string(c, it.value)
                  ? read_piece(c, it.value, ids)
                  : read_id(c, it.value, &own, ids)))
            return false;
    }
    return true;
}

static bool read_list(Conversation *c, JsonId list, const Place *place)
{
    enum { MOST = 128 };
    Body *f = &c->body;
    uint32_t index = 0;
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        Place own = place_item(place, index);
        bool ok;
        if (index == MOST)
            ok = body_refuse(f, list, place, "invalid_value",
                             "found more than %d prompts", MOST);
        else if (is_string(c, it.value))
            ok = prompt_add(c, bytes_of(json_string(&f->json, it.value)));
        else if (is_array(c, it.value))
            ok = read_ids(c, it.value, &own, false);
        else
            ok = body_refuse_kind(f, it.value, &own,
                                  "a string, or an array of tokens");
        if (!ok) return false;
    }
    return true;
}

/* The forms that a prompt may have. */
static bool read_prompt(Conversation *c, JsonId at, const Place *place)
{
    Body *f = &c->body;
    c->is_raw = true;
    if (is_string(c, at))
        return prompt_add(c, bytes_of(json_string(&f->json, at)));
    if (!is_array(c, at))
        return body_refuse_kind(f, at, place,
                                "a string, or an array of tokens");
    JsonId first = first_item(c, at);
    bool is_mixed = c->endpoint == WEIR_ENDPOINT_COMPLETION;
    bool is_list = is_array(c, first) || (!is_mixed && is_string(c, first));
    if (first == JSON_NONE)
        return body_refuse(f, at, place, "invalid_value",
                           "found no prompt, expected one at least");
    return is_list ? read_list(c, at, place) : read_ids(c, at, place, is_mixed);
}

static bool check_single(Conversation *c, JsonId at, const Place *place)
{
    return c->prompts.count == 1 ||
           body_refuse(&c->body, at, place, "not_supported",
                       "found several prompts, expected one; "
                       "/v1/completions takes several");
}

static bool read_generate(Conversation *c, const Place *root)
{
    Body *f = &c->body;
    JsonId text = body_get(f, JSON_ROOT, "text");
    JsonId ids = body_get(f, JSON_ROOT, "input_ids");
    bool has_ids = text == JSON_NONE && ids != JSON_NONE;
    Place place = place_member(root, has_ids ? "input_ids" : "text");
    JsonId at = has_ids ? ids : text;
    return read_prompt(c, at, &place) && check_single(c, at, &place);
}

/* Ollama's: a conversation of one message, unless it is raw. */
static bool read_ollama(Conversation *c, const Place *root)
{
    static const char *const unknown[] = {"suffix", "images", "context",
                                          "template"};
    Body *f = &c->body;
    weir_bytes prompt, system;
    bool is_raw = false;
    JsonId at = body_get(f, JSON_ROOT, "prompt");
    Place place = place_member(root, "prompt");
    if (!body_text(f, JSON_ROOT, root, "prompt", &prompt) ||
        !body_text(f, JSON_ROOT, root, "system", &system) ||
        !body_flag(f, JSON_ROOT, root, "raw", &is_raw))
        return false;
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        JsonId value = body_get(f, JSON_ROOT, unknown[i]);
        Place own = place_member(root, unknown[i]);
        bool is_empty = is_string(c, value) ? !json_string(&f->json, value).size
                                            : is_array(c, value) &&
                                                  !json_count(&f->json, value);
        if (value != JSON_NONE && !is_empty)
            return body_refuse(f, value, &own, "not_supported",
                               "found a value, which is not supported");
    }
    c->is_load = !prompt.size;
    c->is_raw = is_raw || c->is_load || !c->chat->style;
    if (c->is_raw) return c->is_load || read_prompt(c, at, &place);
    ChatMessage m = {.role = CHAT_USER, .content = prompt};
    return (!system.size || system_add(c, JSON_NONE, &place, system)) &&
           message_add(c, &m);
}

bool prompts_read(Conversation *c)
{
    Body *f = &c->body;
    Place root = place_root(), place = place_member(&root, "prompt");
    JsonId at = body_get(f, JSON_ROOT, "prompt");
    switch (c->endpoint) {
    case WEIR_ENDPOINT_GENERATE:
        return read_generate(c, &root);
    case WEIR_ENDPOINT_OLLAMA_GENERATE:
        return read_ollama(c, &root);
    case WEIR_ENDPOINT_COMPLETION:
        return read_prompt(c, at, &place) && check_single(c, at, &place);
    default:
        return read_prompt(c, at, &place);
    }
}
