/* answer_completions.c: /v1/completions, as OpenAI has it: text as it is, no
 * reasoning, no calls.
 * Tests: server/answer_shapes_test.py.
 */
#include "server/answer_state.h"

static void put_logprobs(const Answer *a, Choice *c, JsonPut *out)
{
    static const char *const names[PROB_LISTS] = {
        "tokens", "token_logprobs", "top_logprobs", "text_offset"};
    if (!a->settings.logprobs || !c->probs[0].text.count) {
        put_null(out, "logprobs");
        return;
    }
    put_object(out, "logprobs");
    if (has_llama_notes(a))
        put_noted(c, 0, "content", out);
    else
        for (unsigned i = 0; i < PROB_LISTS; i++)
            put_noted(c, i, names[i], out);
    put_end(out, '}');
}

/* reason NULL: it goes on. */
static void put_choice(Answer *a, Choice *c, weir_bytes text,
                       const char *reason, JsonPut *out)
{
    put_object(out, NULL);
    put_uint(out, "index", c->index);
    put_string(out, "text", text);
    put_logprobs(a, c, out);
    put_text(out, "finish_reason", reason);
    if (reason) put_stop_reason(a, c, out);
    put_weir(a, c, reason, out);
    put_end(out, '}');
}

/* ---- streams ---- */

static void put_chunk(Answer *a, Choice *c, weir_bytes text, const char *reason,
                      JsonPut *out)
{
    event_begin(out, NULL);
    put_choices_head(a, "text_completion", out);
    put_choice(a, c, text, reason, out);
    put_end(out, ']');
    if (a->fields.continuous_usage)
        put_usage(a, out);
    else if (a->fields.include_usage)
        put_null(out, "usage");
    put_end(out, '}');
    event_end(out);
}

static void begin(Answer *a, JsonPut *out)
{
    for (uint32_t i = 0; i < a->choices.count; i++) {
        Choice *c = &a->choices.at[i];
        if (echoed(a, i).size) put_chunk(a, c, echoed(a, i), NULL, out);
    }
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (event)
        put_chunk(a, c, event->text, NULL, out);
    else if (has_report(c))
        put_chunk(a, c, (weir_bytes){"", 0}, NULL, out);
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    put_chunk(a, c, (weir_bytes){"", 0}, choice_reason(c, false), out);
}

static void finish(Answer *a, JsonPut *out)
{
    put_stream_end(a, "text_completion", out);
}

/* ---- whole answers ---- */

static void whole(Answer *a, JsonPut *out)
{
    JsonPut text = {.mem = &a->mem};
    put_choices_head(a, "text_completion", out);
    for (uint32_t i = 0; i < a->choices.count; i++) {
        Choice *c = &a->choices.at[i];
        put_reset(&text);
        put_raw(&text, echoed(a, i));
        choice_join(c, ITEM_TEXT, &text);
        out->failed |= text.failed;
        put_choice(a, c, (weir_bytes){text.text.at, text.text.count},
                   choice_reason(c, false), out);
    }
    put_end(out, ']');
    put_usage(a, out);
    if (a->opts.profile == WEIR_PROFILE_LLAMA_SERVER)
        put_timings(a, &a->choices.at[0], out);
    put_end(out, '}');
    put_free(&text);
}

const Endpoint endpoint_completions = {.id_prefix = "cmpl-",
                                       .stream_type = "text/event-stream",
                                       .begin = begin,
                                       .more = more,
                                       .end = end,
                                       .close = finish,
                                       .whole = whole,
                                       .note = note_completions};
