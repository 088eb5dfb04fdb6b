/* conversation.c: from a request to the tokens of its prompts.
 *
 * In:    the text of a request.   Out: tokens, one list a prompt.
 * Readers of endpoints put messages into one list; here they become text by the
 * model's chat format, and tokens. A text that somebody has sent holds no
 * control tokens (engine/chat.h); a prompt does, as on the servers that these
 * endpoints come from.
 * Cost:  linear in the request.
 * Tests: tests/server/conversation_test.c, serve_chat_test.py.
 */
#include "server/conversation.h"

#include <stdio.h>

#include "base/diag.h"

/* ---- messages ---- */

bool message_add(Conversation *c, const ChatMessage *message)
{
    return vec_push(c->mem, &c->messages, *message) || body_no_memory(&c->body);
}

bool system_add(Conversation *c, JsonId at, const Place *place, weir_bytes text)
{
    if (c->messages.count)
        return body_refuse(&c->body, at, place, "invalid_value",
                           "found a system message behind others, expected "
                           "it before all of them");
    return vec_push(c->mem, &c->system, text) || body_no_memory(&c->body);
}

bool ends_in_answer(const Conversation *c)
{
    return c->messages.count &&
           c->messages.at[c->messages.count - 1].role == CHAT_ASSISTANT;
}

bool call_add(Conversation *c, ChatCall call)
{
    assert(ends_in_answer(c));
    if (!vec_push(c->mem, &c->calls, call)) return body_no_memory(&c->body);
    c->messages.at[c->messages.count - 1].call_count++;
    return true;
}

weir_bytes call_name(const Conversation *c, weir_bytes id)
{
    enum { LOOKED_AT = 1000 }; /* calls, from the last one back */
    for (uint32_t i = 0; i < LOOKED_AT && i < c->calls.count; i++) {
        const ChatCall *call = &c->calls.at[c->calls.count - 1 - i];
        if (call->id.size == id.size && id.size &&
            !memcmp(call->id.data, id.data, id.size))
            return call->name;
    }
    return (weir_bytes){NULL, 0};
}

/* Now that the list of calls no longer moves. */
static void find_calls(Conversation *c)
{
    size_t next = 0;
    for (uint32_t i = 0; i < c->messages.count; i++) {
        ChatMessage *m = &c->messages.at[i];
        m->calls = vec_from(&c->calls, next);
        next += m->call_count;
    }
    assert(next == c->calls.count);
}

/* ---- content ---- */

static bool is_text_part(const Body *f, JsonId part, JsonId *text)
{
    static const char *const types[] = {"text", "input_text", "output_text"};
    JsonId type = body_get(f, part, "type");
    *text = body_get(f, part, "text");
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (json_is_string(&f->json, type, types[i])) return true;
    if (!json_is_string(&f->json, type, "refusal")) return false;
    *text = body_get(f, part, "refusal");
    return true;
}

static bool part_read(Conversation *c, JsonId part, const Place *place,
                      weir_bytes *text)
{
    Body *f = &c->body;
    JsonId at;
    *text = (weir_bytes){"", 0};
    if (json_kind(&f->json, part) == JSON_STRING) {
        *text = bytes_of(json_string(&f->json, part));
        return true;
    }
    if (json_kind(&f->json, part) != JSON_OBJECT)
        return body_refuse_kind(f, part, place, "a part of text");
    if (!is_text_part(f, part, &at)) {
        Span type = json_string(&f->json, body_get(f, part, "type"));
        return body_refuse(f, part, place, "not_supported",
                           "found content of type \"%s\", expected text: "
                           "images, sound and files are not supported",
                           diag_shown(type).text);
    }
    if (json_kind(&f->json, at) != JSON_STRING) {
        Place own = place_member(place, "text");
        return body_refuse_kind(f, at, &own, "a string");
    }
    *text = bytes_of(json_string(&f->json, at));
    return true;
}

/* Puts the parts on lines of their own. */
static bool join(Conversation *c, JsonId list, const Place *place,
                 weir_bytes *text)
{
    Body *f = &c->body;
    size_t size = 0, at = 0;
    uint32_t index = 0;
    weir_bytes part;
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        Place own = place_item(place, index);
        if (!part_read(c, it.value, &own, &part)) return false;
        size += part.size + (index > 0);
    }
    char *joined = arena_alloc(&c->arena, size);
    if (!joined) return body_no_memory(f);
    index = 0;
    for (JsonIter it = json_iter(&f->json, list); json_step(&it); index++) {
        part_read(c, it.value, place, &part);
        if (index) joined[at++] = '\n';
        if (part.size) memcpy(joined + at, part.data, part.size);
        at += part.size;
    }
    *text = (weir_bytes){joined, size};
    return true;
}

bool content_read(Conversation *c, JsonId at, const Place *place,
                  weir_bytes *text)
{
    Body *f = &c->body;
    *text = (weir_bytes){"", 0};
    switch (json_kind(&f->json, at)) {
    case JSON_MISSING:
    case JSON_NULL:
        return true;
    case JSON_STRING:
        *text = bytes_of(json_string(&f->json, at));
        return true;
    case JSON_ARRAY:
        return join(c, at, place, text);
    default:
        return body_refuse_kind(f, at, place, "a string or parts of text");
    }
}

/* ---- reading ---- */

static bool read_messages(Conversation *c)
{
    switch (c->endpoint) {
    case WEIR_ENDPOINT_CHAT:
        return messages_read_openai(c);
    case WEIR_ENDPOINT_RESPONSES:
        return messages_read_responses(c);
    case WEIR_ENDPOINT_MESSAGES:
        return messages_read_anthropic(c);
    case WEIR_ENDPOINT_OLLAMA_CHAT:
        return messages_read_ollama(c);
    default:
        return prompts_read(c);
    }
}

/* An answer that is the last message is gone on with, unless vLLM's fields say
 * otherwise. */
static bool read_continuing(Conversation *c)
{
    Place root = place_root();
    bool says_so =
        c->profile != WEIR_PROFILE_VLLM || c->endpoint != WEIR_ENDPOINT_CHAT;
    if (!body_flag(&c->body, JSON_ROOT, &root, "continue_final_message",
                   &says_so))
        return false;
    c->continues = says_so && ends_in_answer(c) &&
                   !c->messages.at[c->messages.count - 1].call_count;
    return true;
}

bool conversation_read(Conversation *c, const Mem *mem, const ChatModel *chat,
                       weir_endpoint endpoint, weir_profile profile,
                       weir_bytes request, weir_refusal *refusal)
{
    *c = (Conversation){
        .mem = mem, .chat = chat, .endpoint = endpoint, .profile = profile};
    arena_init(&c->arena, mem, 0);
    bool ok = body_open(&c->body, mem, request, profile, endpoint, refusal) &&
              read_messages(c) && read_continuing(c) && thinking_read(c);
    if (!ok) return false;
    find_calls(c);
    if (c->is_raw || chat->style) return true;
    Place root = place_root();
    return body_refuse(&c->body, JSON_NONE, &root, "not_supported",
                       "the model has no chat format, so there are no "
                       "messages; /v1/completions takes a prompt");
}

void conversation_close(Conversation *c)
{
    for (uint32_t i = 0; i < c->prompts.count; i++)
        vec_free(c->mem, &c->prompts.at[i].ids);
    vec_free(c->mem, &c->prompts);
    vec_free(c->mem, &c->messages);
    vec_free(c->mem, &c->calls);
    vec_free(c->mem, &c->system);
    vec_free(c->mem, &c->draft);
    arena_free(&c->arena);
    body_close(&c->body);
}

/* ---- where the output begins ---- */

weir_family conversation_family(const Conversation *c)
{
    return c->is_raw || !c->chat->style ? WEIR_FAMILY_NONE
                                        : chat_family(c->chat->style);
}

weir_reasoning conversation_start(const Conversation *c, bool direct)
{
    bool begins_late = c->is_raw || !c->chat->style || c->continues || direct;
    return begins_late ? WEIR_REASONING_NONE : chat_reasoning(c->chat->style);
}

weir_bytes conversation_continued(const Conversation *c)
{
    if (!c->continues) return (weir_bytes){NULL, 0};
    return c->messages.at[c->messages.count - 1].content;
}

/* ---- tokens ---- */

bool length_check(Conversation *c, size_t nbytes)
{
    const ChatModel *m = c->chat;
    size_t least = m->longest ? nbytes / m->longest : 0;
    Place root = place_root();
    if (!m->context || least <= m->context) return true;
    c->least = (uint32_t)MIN(least, UINT32_MAX);
    return body_refuse(&c->body, JSON_NONE, &root, TOO_LONG,
                       "found a prompt of %u tokens at least, expected less "
                       "than %u, which prompt and output have together",
                       c->least, m->context);
}

static bool add_begin(Conversation *c, ChatTokens *ids, bool is_written)
{
    const ChatModel *m = c->chat;
    bool wants = m->begin != UINT32_MAX && (m->adds_begin || is_written);
    return !wants || vec_push(c->mem, ids, m->begin) ||
           body_no_memory(&c->body);
}

/* The system message: the constraint's first, blank lines between. */
static bool join_system(Conversation *c, const weir_constraint_info *info,
                        weir_bytes *text)
{
    weir_bytes first = info->system_message;
    size_t size = first.size, at = 0;
    for (uint32_t i = 0; i < c->system.count; i++)
        size += c->system.at[i].size + 2;
    char *joined = arena_alloc(&c->arena, size);
    if (!joined) return body_no_memory(&c->body);
    if (first.size) memcpy(joined, first.data, first.size);
    at = first.size;
    for (uint32_t i = 0; i < c->system.count; i++) {
        weir_bytes next = c->system.at[i];
        if (at) {
            memcpy(joined + at, "\n\n", 2);
            at += 2;
        }
        if (next.size) memcpy(joined + at, next.data, next.size);
        at += next.size;
    }
    *text = (weir_bytes){joined, at};
    return true;
}

static bool render(Conversation *c, const weir_constraint_info *info,
                   bool direct, ChatText *text)
{
    weir_error err = {.status = WEIR_OK};
    Place root = place_root(), place = place_member(&root, "messages");
    bool has_system = c->system.count || info->system_message.size;
    size_t n = c->messages.count + has_system;
    ChatMessage *list = arena_array(&c->arena, ChatMessage, n);
    if (!list) return body_no_memory(&c->body);
    memset(list, 0, n * sizeof *list);
    if (has_system && !join_system(c, info, &list[0].content)) return false;
    if (c->messages.count)
        memcpy(list + has_system, c->messages.at,
               c->messages.count * sizeof *list);
    ChatInput input = {.messages = list,
                       .count = n,
                       .tools = info->tools,
                       .tool_count = info->tool_count,
                       .direct = direct,
                       .continues = c->continues};
    chat_today(&input);
    if (chat_render(c->chat->style, &input, text, &err)) return true;
    if (err.status == WEIR_NO_MEMORY) return body_no_memory(&c->body);
    bool is_unknown = err.status == WEIR_UNSUPPORTED;
    return body_refuse(&c->body, JSON_NONE, &place,
                       is_unknown ? "not_supported" : "invalid_value", "%s",
                       err.message);
}

static bool encode_chat(Conversation *c, const weir_constraint_info *info,
                        bool direct)
{
    ChatText text = {.mem = c->mem};
    const char *own = c->chat->template_text;
    bool has_begin = own && strstr(own, "bos_token");
    bool ok = vec_push(c->mem, &c->prompts, (Prompt){.text = {NULL, 0}}) ||
              body_no_memory(&c->body);
    ChatTokens *ids = ok ? &c->prompts.at[0].ids : NULL;
    ok = ok && render(c, info, direct, &text) &&
         length_check(c, text.text.count) && add_begin(c, ids, has_begin) &&
         (chat_encode(&text, c->chat->vocab, ids) || body_no_memory(&c->body));
    chat_free(&text);
    return ok;
}

static bool encode_text(Conversation *c, Prompt *p)
{
    const weir_vocab *v = c->chat->vocab;
    if (!length_check(c, p->text.size) || !add_begin(c, &p->ids, false))
        return false;
    size_t n = weir_vocab_encode(v, p->text, true, NULL, 0);
    if (n == SIZE_MAX ||
        !vec_reserve(c->mem, &p->ids, (size_t)p->ids.count + n))
        return body_no_memory(&c->body);
    if (n) weir_vocab_encode(v, p->text, true, p->ids.at + p->ids.count, n);
    p->ids.count += (uint32_t)n;
    return true;
}

bool conversation_encode(Conversation *c, const weir_constraint_info *info,
                         bool direct, weir_refusal *refusal)
{
    c->body.refusal = refusal;
    if (!c->is_raw) return encode_chat(c, info, direct);
    for (uint32_t i = 0; i < c->prompts.count; i++) {
        Prompt *p = &c->prompts.at[i];
        if (p->text.data && !encode_text(c, p)) return false;
        if (p->ids.count) continue;
        Place root = place_root(), place = place_member(&root, "prompt");
        return body_refuse(&c->body, JSON_NONE, &place, "invalid_value",
                           "found an empty prompt, expected a token at "
                           "least");
    }
    return true;
}
