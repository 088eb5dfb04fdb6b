/* answer_llama.c: /completion, as llama-server has it. A stream has an event a
 * piece, with `stop` false, and a last one with all that a whole answer has but
 * the text; no [DONE].
 * Tests: server/answer_shapes_test.py.
 */
#include "server/answer_llama.h"

static const char *stop_type(const Choice *c)
{
    switch (c->finish) {
    case WEIR_FINISH_END:
        return "eos";
    case WEIR_FINISH_TEXT:
        return "word";
    case WEIR_FINISH_LENGTH:
        return "limit";
    default:
        return "none";
    }
}

/* Ids of tokens, where they are to be told. */
static void put_ids(const Answer *a, Choice *c, JsonPut *out)
{
    put_array(out, "tokens");
    if (a->fields.stream || a->fields.return_tokens)
        put_raw(out, (weir_bytes){c->ids.text.at, c->ids.text.count});
    put_end(out, ']');
    if (a->fields.stream) put_reset(&c->ids);
}

static void put_head(const Answer *a, Choice *c, weir_bytes text, bool is_end,
                     JsonPut *out)
{
    put_object(out, NULL);
    put_uint(out, "index", c->index);
    put_string(out, "content", text);
    put_ids(a, c, out);
    put_bool(out, "stop", is_end);
    put_uint(out, "id_slot", 0);
    put_uint(out, "tokens_predicted", c->tokens);
    put_uint(out, "tokens_evaluated", a->start.prompt_tokens);
}

static void put_tail(Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    if (c->probs[0].text.count)
        put_noted(c, 0, "completion_probabilities", out);
    put_weir(a, c, is_end, out);
    put_end(out, '}');
}

static void put_prompt(const Answer *a, const Choice *c, JsonPut *out)
{
    uint32_t n = MAX(a->settings.choices, 1u);
    if (a->opts.prompts)
        put_string(out, "prompt", a->opts.prompts[c->index / n]);
}

static void put_last(Answer *a, Choice *c, weir_bytes text, JsonPut *out)
{
    bool has_line =
        c->text.text.count && memchr(c->text.text.at, '\n', c->text.text.count);
    put_head(a, c, text, true, out);
    put_text(out, "model", a->opts.model);
    put_settings(a, out);
    put_prompt(a, c, out);
    put_bool(out, "has_new_line", has_line);
    put_bool(out, "truncated", c->truncated);
    put_text(out, "stop_type", stop_type(c));
    put_string(out, "stopping_word", choice_stop_text(a, c));
    put_uint(out, "tokens_cached", a->start.prompt_tokens + c->tokens);
    put_timings(a, c, out);
    put_tail(a, c, true, out);
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (!event && !has_report(c)) return;
    event_begin(out, NULL);
    put_head(a, c, event ? event->text : (weir_bytes){"", 0}, false, out);
    put_tail(a, c, false, out);
    event_end(out);
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    event_begin(out, NULL);
    put_last(a, c, (weir_bytes){"", 0}, out);
    event_end(out);
}

static void fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    (void)a;
    event_begin(out, NULL);
    put_refusal(refusal, out);
    event_end(out);
}

static void whole(Answer *a, JsonPut *out)
{
    bool is_list = a->choices.count > 1;
    JsonPut text = {.mem = &a->mem};
    if (is_list) put_array(out, NULL);
    for (uint32_t i = 0; i < a->choices.count; i++) {
        Choice *c = &a->choices.at[i];
        put_reset(&text);
        choice_join(c, ITEM_TEXT, &text);
        put_last(a, c, (weir_bytes){text.text.at, text.text.count}, out);
    }
    if (is_list) put_end(out, ']');
    out->failed |= text.failed;
    put_free(&text);
}

const Endpoint endpoint_llama = {.id_prefix = "cmpl-",
                                 .stream_type = "text/event-stream",
                                 .more = more,
                                 .end = end,
                                 .whole = whole,
                                 .fail = fail,
                                 .note = note_chat};
