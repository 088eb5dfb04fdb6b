/* answer_ollama.c: /api/chat and /api/generate, as Ollama has them: a line of
 * JSON for each piece, the last one with counts and times. Arguments of calls
 * are objects, so a call is told when it is whole; one that is cut off is not.
 * Tests: server/answer_items_test.py.
 */
#include <stdio.h>
#include <time.h>

#include "server/answer_state.h"

static bool is_chat(const Answer *a)
{
    return a->opts.endpoint == WEIR_ENDPOINT_OLLAMA_CHAT;
}

/* 2024-02-29T12:00:00.000000123Z, by the civil calendar. */
static void put_time(const Answer *a, JsonPut *out)
{
    time_t seconds = (time_t)a->opts.created;
    struct tm t = {.tm_year = 70};
    gmtime_r(&seconds, &t);
    put_format(out, "created_at", "%04d-%02d-%02dT%02d:%02d:%02d.%09uZ",
               t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
               t.tm_sec, (unsigned)a->opts.created_nanos);
}

/* A call as {"function":{"name","arguments":{}}}. */
static void put_call(const Answer *a, const Choice *c, const Item *item,
                     JsonPut *out)
{
    put_object(out, NULL);
    put_text(out, "id", call_id(a, c, item).text);
    put_object(out, "function");
    put_uint(out, "index", item->call);
    put_string(out, "name", item_name(c, item));
    put_json(out, "arguments", item_text(c, item));
    put_end(out, '}');
    put_end(out, '}');
}

static bool is_told(const Item *item)
{
    return item->kind == ITEM_CALL && item->whole;
}

/* Calls among the items from `first` on; nothing if there are none. */
static void put_calls(const Answer *a, const Choice *c, uint32_t first,
                      JsonPut *out)
{
    bool is_open = false;
    for (uint32_t i = first; i < c->items.count; i++) {
        if (!is_told(&c->items.at[i])) continue;
        if (!is_open) put_array(out, "tool_calls");
        is_open = true;
        put_call(a, c, &c->items.at[i], out);
    }
    if (is_open) put_end(out, ']');
}

/* What is said: a message, or in /api/generate the texts themselves. Calls are
 * those from item `first` on. */
static void put_said(const Answer *a, const Choice *c, weir_bytes text,
                     weir_bytes thinking, uint32_t first, JsonPut *out)
{
    if (is_chat(a)) {
        put_object(out, "message");
        put_text(out, "role", "assistant");
    }
    put_string(out, is_chat(a) ? "content" : "response", text);
    if (thinking.size) put_string(out, "thinking", thinking);
    put_calls(a, c, first, out);
    if (is_chat(a)) put_end(out, '}');
}

static void begin_line(const Answer *a, JsonPut *out)
{
    put_object(out, NULL);
    put_text(out, "model", a->opts.model);
    put_time(a, out);
}

/* The counts, which the last line has. */
static void put_counts(Answer *a, Choice *c, JsonPut *out)
{
    const AnswerEnd *e = &c->end;
    put_text(out, "done_reason", choice_reason(c, false));
    put_uint(out, "total_duration",
             e->load_ns + e->queue_ns + e->prompt_ns + e->decode_ns);
    put_uint(out, "load_duration", e->load_ns);
    put_uint(out, "prompt_eval_count", a->start.prompt_tokens);
    put_uint(out, "prompt_eval_duration", e->prompt_ns);
    put_uint(out, "eval_count", c->tokens);
    put_uint(out, "eval_duration", e->decode_ns);
}

static void end_line(Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    put_bool(out, "done", is_end);
    if (is_end) put_counts(a, c, out);
    if (c->probs[0].text.count) put_noted(c, 0, "logprobs", out);
    put_weir(a, c, is_end, out);
    put_end(out, '}');
}

/* ---- streams ---- */

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    weir_bytes none = {"", 0}, text = none, thinking = none;
    uint32_t first = c->items.count;
    if (!event && !has_report(c)) return;
    if (event && event->kind == WEIR_TOOL_REASONING) thinking = event->text;
    if (event && event->kind == WEIR_TOOL_CONTENT) text = event->text;
    if (event && event->kind == WEIR_TOOL_CALL_END) {
        if (!is_told(&c->items.at[first - 1])) return;
        first--;
    }
    bool is_call = event && event->kind >= WEIR_TOOL_CALL;
    if (is_call && first == c->items.count && !has_report(c)) return;
    begin_line(a, out);
    put_said(a, c, text, thinking, first, out);
    end_line(a, c, false, out);
    put_literal(out, "\n");
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    weir_bytes none = {"", 0};
    begin_line(a, out);
    put_said(a, c, none, none, c->items.count, out);
    end_line(a, c, true, out);
    put_literal(out, "\n");
}

static void fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    (void)a;
    put_refusal(refusal, out);
    put_literal(out, "\n");
}

/* ---- whole answers ---- */

static void whole(Answer *a, JsonPut *out)
{
    Choice *c = &a->choices.at[0];
    JsonPut text = {.mem = &a->mem}, thinking = {.mem = &a->mem};
    weir_bytes message = choice_message(c, &text);
    choice_join(c, ITEM_REASONING, &thinking);
    begin_line(a, out);
    put_said(a, c, message, (weir_bytes){thinking.text.at, thinking.text.count},
             0, out);
    end_line(a, c, true, out);
    out->failed |= text.failed || thinking.failed;
    put_free(&text);
    put_free(&thinking);
}

const Endpoint endpoint_ollama = {.id_prefix = "ollama-",
                                  .stream_type = "application/x-ndjson",
                                  .more = more,
                                  .end = end,
                                  .whole = whole,
                                  .fail = fail,
                                  .note = note_chat};
