/* answer_sglang.c: /generate, as SGLang has it: text and meta_info. In a stream
 * each event has all of the text so far, as SGLang's clients expect. Several
 * choices are a list; in a stream each event has its index.
 * Tests: server/answer_shapes_test.py.
 */
#include "server/answer_state.h"

/* {"type":"stop","matched":text or id}, {"type":"length","length":n}. */
static void put_finish(const Answer *a, const Choice *c, JsonPut *out)
{
    weir_bytes stop = choice_stop_text(a, c);
    bool is_length = c->finish == WEIR_FINISH_LENGTH;
    uint32_t flags = weir_vocab_token(a->opts.vocab, c->last_token).flags;
    put_object(out, "finish_reason");
    put_text(out, "type", is_length ? "length" : "stop");
    if (is_length)
        put_uint(out, "length", c->tokens);
    else if (stop.size)
        put_string(out, "matched", stop);
    else if (flags & WEIR_TOKEN_STOP)
        put_uint(out, "matched", c->last_token);
    else
        put_null(out, "matched");
    put_end(out, '}');
}

static void put_info(Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    const AnswerEnd *e = &c->end;
    put_object(out, "meta_info");
    put_format(out, "id", "%s%s%u", a->id, a->choices.count > 1 ? "-" : "",
               (unsigned)c->index);
    if (is_end)
        put_finish(a, c, out);
    else
        put_null(out, "finish_reason");
    put_uint(out, "prompt_tokens", a->start.prompt_tokens);
    put_uint(out, "completion_tokens", c->tokens);
    put_uint(out, "cached_tokens", a->start.cached_tokens);
    if (a->settings.logprobs) {
        put_noted(c, 0, "output_token_logprobs", out);
        put_noted(c, 1, "output_top_logprobs", out);
    }
    if (is_end)
        put_number(out, "e2e_latency",
                   (double)(e->queue_ns + e->prompt_ns + e->decode_ns) / 1e9,
                   9);
    put_weir(a, c, is_end, out);
    put_end(out, '}');
}

static void put_choice(Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    JsonPut text = {.mem = &a->mem};
    choice_join(c, ITEM_TEXT, &text);
    put_object(out, NULL);
    if (a->fields.stream && a->choices.count > 1)
        put_uint(out, "index", c->index);
    put_string(out, "text", (weir_bytes){text.text.at, text.text.count});
    put_array(out, "output_ids");
    put_raw(out, (weir_bytes){c->ids.text.at, c->ids.text.count});
    put_end(out, ']');
    put_info(a, c, is_end, out);
    put_end(out, '}');
    out->failed |= text.failed;
    put_free(&text);
}

static void put_event(Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    event_begin(out, NULL);
    put_choice(a, c, is_end, out);
    event_end(out);
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (event || has_report(c)) put_event(a, c, false, out);
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    put_event(a, c, true, out);
}

static void finish(Answer *a, JsonPut *out)
{
    (void)a;
    event_done(out);
}

static void fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    (void)a;
    event_begin(out, NULL);
    put_literal(out, "{\"error\":");
    put_refusal(refusal, out);
    put_literal(out, "}");
    event_end(out);
    event_done(out);
}

static void whole(Answer *a, JsonPut *out)
{
    bool is_list = a->choices.count > 1;
    if (is_list) put_array(out, NULL);
    for (uint32_t i = 0; i < a->choices.count; i++)
        put_choice(a, &a->choices.at[i], true, out);
    if (is_list) put_end(out, ']');
}

const Endpoint endpoint_sglang = {.id_prefix = "",
                                  .stream_type = "text/event-stream",
                                  .more = more,
                                  .end = end,
                                  .close = finish,
                                  .whole = whole,
                                  .fail = fail,
                                  .note = note_sglang};
