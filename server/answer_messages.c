/* answer_messages.c: /v1/messages, as Anthropic has it.
 *
 * What is said is a list of blocks: thinking, text, tool_use, in the order of
 * the output. Stream: message_start; for each block content_block_start,
 * deltas, content_block_stop; message_delta with the reason of the end;
 * message_stop. The tokens of a prompt that had been computed before are not
 * counted among input_tokens.
 * Tests: server/answer_items_test.py.
 */
#include "server/answer_state.h"

static const char *stop_reason(const Choice *c)
{
    if (c->finish == WEIR_FINISH_LENGTH) return "max_tokens";
    if (choice_has(c, ITEM_CALL)) return "tool_use";
    return c->finish == WEIR_FINISH_TEXT ? "stop_sequence" : "end_turn";
}

static void put_stop(const Answer *a, const Choice *c, JsonPut *out)
{
    weir_bytes stop = choice_stop_text(a, c);
    put_text(out, "stop_reason", stop_reason(c));
    if (stop.size)
        put_string(out, "stop_sequence", stop);
    else
        put_null(out, "stop_sequence");
}

static void put_counts(const Answer *a, JsonPut *out)
{
    put_object(out, "usage");
    put_uint(out, "input_tokens",
             a->start.prompt_tokens - a->start.cached_tokens);
    put_uint(out, "cache_creation_input_tokens", 0);
    put_uint(out, "cache_read_input_tokens", a->start.cached_tokens);
    put_uint(out, "output_tokens", completion_tokens(a));
    put_end(out, '}');
}

static void put_head(const Answer *a, JsonPut *out)
{
    put_text(out, "id", a->id);
    put_text(out, "type", "message");
    put_text(out, "role", "assistant");
    put_text(out, "model", a->opts.model);
}

/* A block, whole or as it begins. Input that is not whole cannot be told as an
 * object. */
static void put_block(const Answer *a, const Choice *c, const Item *item,
                      bool is_whole, const char *key, JsonPut *out)
{
    weir_bytes text = is_whole ? item_text(c, item) : (weir_bytes){"", 0};
    put_object(out, key);
    switch (item->kind) {
    case ITEM_REASONING:
        put_text(out, "type", "thinking");
        put_string(out, "thinking", text);
        put_text(out, "signature", "");
        break;
    case ITEM_TEXT:
        put_text(out, "type", "text");
        put_string(out, "text", text);
        put_null(out, "citations");
        break;
    case ITEM_CALL:
        put_text(out, "type", "tool_use");
        put_text(out, "id", call_id(a, c, item).text);
        put_string(out, "name", item_name(c, item));
        put_json(out, "input",
                 is_whole && item->whole ? text : (weir_bytes){"{}", 2});
        break;
    }
    put_end(out, '}');
}

/* ---- streams ---- */

static void open_event(JsonPut *out, const char *name)
{
    event_begin(out, name);
    put_object(out, NULL);
    put_text(out, "type", name);
}

static void close_event(JsonPut *out)
{
    put_end(out, '}');
    event_end(out);
}

static void begin(Answer *a, JsonPut *out)
{
    open_event(out, "message_start");
    put_object(out, "message");
    put_head(a, out);
    put_array(out, "content");
    put_end(out, ']');
    put_null(out, "stop_reason");
    put_null(out, "stop_sequence");
    put_counts(a, out);
    put_end(out, '}');
    close_event(out);
}

static void close_block(Answer *a, JsonPut *out)
{
    if (!a->item_open) return;
    a->item_open = false;
    open_event(out, "content_block_stop");
    put_uint(out, "index", a->item_at);
    close_event(out);
}

/* The block of the choice's last item is the open one. */
static void open_block(Answer *a, Choice *c, JsonPut *out)
{
    uint32_t last = c->items.count - 1;
    if (a->item_open && a->item_at == last) return;
    close_block(a, out);
    a->item_open = true;
    a->item_at = last;
    open_event(out, "content_block_start");
    put_uint(out, "index", last);
    put_block(a, c, &c->items.at[last], false, "content_block", out);
    close_event(out);
}

static void put_delta(Answer *a, Choice *c, const weir_tool_event *event,
                      JsonPut *out)
{
    static const char *const types[] = {"thinking_delta", "text_delta",
                                        "input_json_delta"};
    static const char *const keys[] = {"thinking", "text", "partial_json"};
    ItemKind kind = c->items.at[a->item_at].kind;
    open_event(out, "content_block_delta");
    put_uint(out, "index", a->item_at);
    put_object(out, "delta");
    put_text(out, "type", types[kind]);
    put_string(out, keys[kind], event->text);
    put_end(out, '}');
    put_weir(a, c, false, out);
    close_event(out);
}

/* Tokens that have no text yet are told beside a ping. */
static void put_ping(Answer *a, Choice *c, JsonPut *out)
{
    if (!has_report(c)) return;
    open_event(out, "ping");
    put_weir(a, c, false, out);
    close_event(out);
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (!event) {
        put_ping(a, c, out);
    } else if (event->kind == WEIR_TOOL_CALL_END) {
        close_block(a, out);
    } else {
        open_block(a, c, out);
        if (event->kind != WEIR_TOOL_CALL) put_delta(a, c, event, out);
    }
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    close_block(a, out);
    open_event(out, "message_delta");
    put_object(out, "delta");
    put_stop(a, c, out);
    put_end(out, '}');
    put_counts(a, out);
    put_weir(a, c, true, out);
    close_event(out);
    open_event(out, "message_stop");
    close_event(out);
}

static void fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    (void)a;
    event_begin(out, "error");
    put_refusal(refusal, out);
    event_end(out);
}

/* ---- whole answers ---- */

/* The content of JSON may be empty, and the output not. */
static void put_raw_text(const Choice *c, JsonPut *out)
{
    JsonPut text = {.mem = out->mem};
    weir_bytes raw = choice_message(c, &text);
    if (raw.size && !choice_has(c, ITEM_TEXT)) {
        put_object(out, NULL);
        put_text(out, "type", "text");
        put_string(out, "text", raw);
        put_null(out, "citations");
        put_end(out, '}');
    }
    out->failed |= text.failed;
    put_free(&text);
}

static void whole(Answer *a, JsonPut *out)
{
    Choice *c = &a->choices.at[0];
    put_object(out, NULL);
    put_head(a, out);
    put_array(out, "content");
    for (uint32_t i = 0; i < c->items.count; i++)
        put_block(a, c, &c->items.at[i], true, NULL, out);
    put_raw_text(c, out);
    put_end(out, ']');
    put_stop(a, c, out);
    put_counts(a, out);
    put_weir(a, c, true, out);
    put_end(out, '}');
}

const Endpoint endpoint_messages = {.id_prefix = "msg_",
                                    .stream_type = "text/event-stream",
                                    .begin = begin,
                                    .more = more,
                                    .end = end,
                                    .whole = whole,
                                    .fail = fail};
