/* answer_chat.c: /v1/chat/completions, as OpenAI has it.
 *
 * Stream: for each choice a chunk with the role, chunks with deltas, one with
 * the reason of its end; then the usage if it is wanted, and [DONE]. Reasoning
 * is `reasoning_content`; to Ollama's clients `reasoning`.
 * Tests: server/answer_shapes_test.py, server/answer_split_test.py.
 */
#include "server/answer_state.h"

static bool is_profile(const Answer *a, weir_profile profile)
{
    return a->opts.profile == profile;
}

static const char *reasoning_key(const Answer *a)
{
    return is_profile(a, WEIR_PROFILE_OLLAMA) ? "reasoning"
                                              : "reasoning_content";
}

/* {"content":[..]}, or null where none are wanted. */
static void put_logprobs(const Answer *a, Choice *c, JsonPut *out)
{
    if (!a->settings.logprobs) {
        put_null(out, "logprobs");
        return;
    }
    put_object(out, "logprobs");
    put_noted(c, 0, "content", out);
    put_null(out, "refusal");
    put_end(out, '}');
}

static void put_call(const Answer *a, const Choice *c, const Item *item,
                     bool is_delta, weir_bytes arguments, JsonPut *out)
{
    put_object(out, NULL);
    if (is_delta) put_uint(out, "index", item->call);
    put_text(out, "id", call_id(a, c, item).text);
    put_text(out, "type", "function");
    put_object(out, "function");
    put_string(out, "name", item_name(c, item));
    put_string(out, "arguments", arguments);
    put_end(out, '}');
    put_end(out, '}');
}

/* ---- streams ---- */

static void begin_chunk(Answer *a, const Choice *c, JsonPut *out)
{
    event_begin(out, NULL);
    put_choices_head(a, "chat.completion.chunk", out);
    put_object(out, NULL);
    put_uint(out, "index", c->index);
    put_object(out, "delta");
}

static void end_chunk(Answer *a, Choice *c, const char *reason, JsonPut *out)
{
    bool is_llama = is_profile(a, WEIR_PROFILE_LLAMA_SERVER);
    put_end(out, '}');
    if (c->probs[0].text.count)
        put_logprobs(a, c, out);
    else
        put_null(out, "logprobs");
    put_text(out, "finish_reason", reason);
    if (reason) put_stop_reason(a, c, out);
    put_weir(a, c, reason, out);
    put_end(out, '}');
    put_end(out, ']');
    if (a->fields.continuous_usage)
        put_usage(a, out);
    else if (a->fields.include_usage)
        put_null(out, "usage");
    if (reason && is_llama) put_timings(a, c, out);
    put_end(out, '}');
    event_end(out);
}

static void begin(Answer *a, JsonPut *out)
{
    for (uint32_t i = 0; i < a->choices.count; i++) {
        Choice *c = &a->choices.at[i];
        begin_chunk(a, c, out);
        put_text(out, "role", "assistant");
        put_text(out, "content",
                 is_profile(a, WEIR_PROFILE_LLAMA_SERVER) ? NULL : "");
        end_chunk(a, c, NULL, out);
    }
}

static void put_arguments(const Item *item, weir_bytes text, JsonPut *out)
{
    put_object(out, NULL);
    put_uint(out, "index", item->call);
    put_object(out, "function");
    put_string(out, "arguments", text);
    put_end(out, '}');
    put_end(out, '}');
}

static void put_delta(const Answer *a, const Choice *c,
                      const weir_tool_event *event, JsonPut *out)
{
    const Item *item = &c->items.at[c->items.count - 1];
    bool is_begin = event->kind == WEIR_TOOL_CALL;
    if (event->kind == WEIR_TOOL_REASONING) {
        put_string(out, reasoning_key(a), event->text);
    } else if (event->kind == WEIR_TOOL_CONTENT) {
        put_string(out, "content", event->text);
    } else {
        put_array(out, "tool_calls");
        if (is_begin)
            put_call(a, c, item, true, (weir_bytes){"", 0}, out);
        else
            put_arguments(item, event->text, out);
        put_end(out, ']');
    }
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (!event && !has_report(c)) return;
    if (event && event->kind == WEIR_TOOL_CALL_END) return;
    begin_chunk(a, c, out);
    if (event) put_delta(a, c, event, out);
    end_chunk(a, c, NULL, out);
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    begin_chunk(a, c, out);
    end_chunk(a, c, choice_reason(c, true), out);
}

static void finish(Answer *a, JsonPut *out)
{
    put_stream_end(a, "chat.completion.chunk", out);
}

/* ---- whole answers ---- */

static void put_message(const Answer *a, const Choice *c, JsonPut *out)
{
    JsonPut text = {.mem = &a->mem};
    weir_bytes content = choice_message(c, &text);
    bool has_calls = choice_has(c, ITEM_CALL);
    put_object(out, "message");
    put_text(out, "role", "assistant");
    if (has_calls && !content.size)
        put_null(out, "content");
    else
        put_string(out, "content", content);
    put_null(out, "refusal");
    put_reset(&text);
    choice_join(c, ITEM_REASONING, &text);
    if (text.text.count)
        put_string(out, reasoning_key(a),
                   (weir_bytes){text.text.at, text.text.count});
    if (has_calls) put_array(out, "tool_calls");
    for (uint32_t i = 0; i < c->items.count; i++) {
        const Item *item = &c->items.at[i];
        if (item->kind == ITEM_CALL)
            put_call(a, c, item, false, item_text(c, item), out);
    }
    if (has_calls) put_end(out, ']');
    put_end(out, '}');
    out->failed |= text.failed;
    put_free(&text);
}

static void whole(Answer *a, JsonPut *out)
{
    put_choices_head(a, "chat.completion", out);
    for (uint32_t i = 0; i < a->choices.count; i++) {
        Choice *c = &a->choices.at[i];
        put_object(out, NULL);
        put_uint(out, "index", i);
        put_message(a, c, out);
        put_logprobs(a, c, out);
        put_text(out, "finish_reason", choice_reason(c, true));
        put_stop_reason(a, c, out);
        put_weir(a, c, true, out);
        put_end(out, '}');
    }
    put_end(out, ']');
    put_usage(a, out);
    if (is_profile(a, WEIR_PROFILE_LLAMA_SERVER))
        put_timings(a, &a->choices.at[0], out);
    put_end(out, '}');
}

const Endpoint endpoint_chat = {.id_prefix = "chatcmpl-",
                                .stream_type = "text/event-stream",
                                .begin = begin,
                                .more = more,
                                .end = end,
                                .close = finish,
                                .whole = whole,
                                .note = note_chat};
