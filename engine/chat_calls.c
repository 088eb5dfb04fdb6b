/* chat_calls.c: earlier calls of tools and their results, as each family's
 * template writes them.
 *
 * Arguments are JSON as Python writes it. Where a format has one call in a
 * message, several are several messages. Ids of Mistral's have nine letters or
 * digits; others become such by a hash, the same for a call and its result.
 * Tests: tests/engine/chat_test.c.
 */
#include "base/hash.h"
#include "engine/chat_style.h"

static void put_json(ChatText *out, weir_bytes json)
{
    if (json.size)
        chat_json(out, json, false, 0);
    else
        chat_put(out, "{}");
}

static void put_text(ChatText *out, weir_bytes text)
{
    chat_content(out, text, false);
}

/* ---- Qwen, Granite 4 ---- */

void chat_calls_hermes(ChatText *out, const ChatStyle *style,
                       const ChatMessage *m, bool is_answered)
{
    (void)is_answered;
    const ChatForm *form = &style->roles[CHAT_ASSISTANT];
    chat_put(out, form->before);
    put_text(out, m->content);
    for (size_t i = 0; i < m->call_count; i++) {
        if (i || m->content.size) chat_put(out, "\n");
        chat_put(out, "<tool_call>\n{\"name\": \"");
        put_text(out, m->calls[i].name);
        chat_put(out, "\", \"arguments\": ");
        put_json(out, m->calls[i].arguments);
        chat_put(out, "}\n</tool_call>");
    }
    chat_put(out, form->after);
}

static void put_responses(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "\n<tool_response>\n");
        put_text(out, m[i].content);
        chat_put(out, "\n</tool_response>");
    }
}

void chat_results_qwen(ChatText *out, const ChatMessage *m, size_t count)
{
    chat_put(out, "<|im_start|>user");
    put_responses(out, m, count);
    chat_put(out, "<|im_end|>\n");
}

void chat_results_granite(ChatText *out, const ChatMessage *m, size_t count)
{
    chat_put(out, "<|start_of_role|>user<|end_of_role|>");
    put_responses(out, m, count);
    chat_put(out, "<|end_of_text|>\n");
}

/* ---- Llama 3.1 ---- */

void chat_calls_llama(ChatText *out, const ChatStyle *style,
                      const ChatMessage *m, bool is_answered)
{
    (void)is_answered;
    const ChatForm *form = &style->roles[CHAT_ASSISTANT];
    for (size_t i = 0; i < m->call_count; i++) {
        chat_put(out, form->before);
        chat_put(out, "{\"name\": \"");
        put_text(out, m->calls[i].name);
        chat_put(out, "\", \"parameters\": ");
        put_json(out, m->calls[i].arguments);
        chat_put(out, "}");
        chat_put(out, form->after);
    }
}

void chat_results_llama(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "<|start_header_id|>ipython<|end_header_id|>\n\n");
        chat_quoted(out, m[i].content);
        chat_put(out, "<|eot_id|>");
    }
}

/* ---- Mistral ---- */

enum { ID_SIZE = 9 };

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static void put_id(ChatText *out, weir_bytes id)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    uint64_t hash = fnv1a(FNV_SEED, id.data, id.size);
    char made[ID_SIZE];
    size_t plain = 0;
    for (size_t i = 0; i < id.size; i++) plain += is_plain(id.data[i]);
    if (id.size == ID_SIZE && plain == ID_SIZE) {
        put_text(out, id);
        return;
    }
    for (size_t i = 0; i < ID_SIZE; i++, hash /= 36)
        made[i] = digits[hash % 36];
    put_text(out, (weir_bytes){made, ID_SIZE});
}

void chat_calls_mistral(ChatText *out, const ChatStyle *style,
                        const ChatMessage *m, bool is_answered)
{
    (void)is_answered;
    chat_put(out, "[TOOL_CALLS][");
    for (size_t i = 0; i < m->call_count; i++) {
        if (i) chat_put(out, ", ");
        chat_put(out, "{\"name\": ");
        chat_quoted(out, m->calls[i].name);
        chat_put(out, ", \"arguments\": ");
        put_json(out, m->calls[i].arguments);
        chat_put(out, ", \"id\": \"");
        put_id(out, m->calls[i].id);
        chat_put(out, "\"}");
    }
    chat_put(out, "]");
    chat_put(out, style->roles[CHAT_ASSISTANT].after);
}

void chat_results_mistral(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "[TOOL_RESULTS]{\"content\": ");
        put_text(out, m[i].content);
        chat_put(out, ", \"call_id\": \"");
        put_id(out, m[i].id);
        chat_put(out, "\"}[/TOOL_RESULTS]");
    }
}

/* Calls by name and arguments, with their ids or without. */
static void put_named_calls(ChatText *out, const ChatStyle *style,
                            const ChatMessage *m, bool has_ids)
{
    for (size_t i = 0; i < m->call_count; i++) {
        chat_put(out, "[TOOL_CALLS]");
        put_text(out, m->calls[i].name);
        if (has_ids) {
            chat_put(out, "[CALL_ID]");
            put_id(out, m->calls[i].id);
        }
        chat_put(out, "[ARGS]");
        put_json(out, m->calls[i].arguments);
    }
    chat_put(out, style->roles[CHAT_ASSISTANT].after);
}

void chat_calls_mistral_v11(ChatText *out, const ChatStyle *style,
                            const ChatMessage *m, bool is_answered)
{
    (void)is_answered;
    put_named_calls(out, style, m, true);
}

void chat_results_mistral_v11(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "[TOOL_RESULTS]");
        put_id(out, m[i].id);
        chat_put(out, "[TOOL_CONTENT]");
        put_text(out, m[i].content);
        chat_put(out, "[/TOOL_RESULTS]");
    }
}

void chat_calls_mistral_v13(ChatText *out, const ChatStyle *style,
                            const ChatMessage *m, bool is_answered)
{
    (void)is_answered;
    put_text(out, m->content);
    put_named_calls(out, style, m, false);
}

void chat_results_mistral_v13(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "[TOOL_RESULTS]");
        put_text(out, m[i].content);
        chat_put(out, "[/TOOL_RESULTS]");
    }
}

/* ---- harmony ---- */

/* What was said beside a call is analysis, which a later answer ends. */
void chat_calls_harmony(ChatText *out, const ChatStyle *style,
                        const ChatMessage *m, bool is_answered)
{
    (void)style;
    if (m->content.size && !is_answered) {
        chat_put(out, "<|start|>assistant<|channel|>analysis<|message|>");
        put_text(out, m->content);
        chat_put(out, "<|end|>");
    }
    for (size_t i = 0; i < m->call_count; i++) {
        chat_put(out, "<|start|>assistant to=functions.");
        put_text(out, m->calls[i].name);
        chat_put(out, "<|channel|>commentary json<|message|>");
        put_json(out, m->calls[i].arguments);
        chat_put(out, "<|call|>");
    }
}

void chat_results_harmony(ChatText *out, const ChatMessage *m, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        chat_put(out, "<|start|>functions.");
        put_text(out, m[i].name);
        chat_put(out, " to=assistant<|channel|>commentary<|message|>");
        chat_quoted(out, m[i].content);
        chat_put(out, "<|end|>");
    }
}
