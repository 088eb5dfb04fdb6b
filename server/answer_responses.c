/* answer_responses.c: /v1/responses, as OpenAI has it.
 *
 * The output is a list of items: reasoning (a summary), message, function_call.
 * Stream: response.created, response.in_progress; for each item
 * response.output_item.added, what it has inside, response.output_item.done;
 * then response.completed, or response.incomplete. All events are numbered.
 * What is inside is in answer_response_items.c.
 * Tests: server/answer_items_test.py.
 */
#include "server/answer_response_items.h"

/* ---- the response object ---- */

typedef enum Stage { RUNS, ENDED, FAILED } Stage;

static const char *status_of(const Choice *c, Stage stage)
{
    if (stage == RUNS) return "in_progress";
    if (stage == FAILED) return "failed";
    return c->finish == WEIR_FINISH_LENGTH ? "incomplete" : "completed";
}

static void put_tokens(const Answer *a, JsonPut *out)
{
    put_object(out, "usage");
    put_uint(out, "input_tokens", a->start.prompt_tokens);
    put_object(out, "input_tokens_details");
    put_uint(out, "cached_tokens", a->start.cached_tokens);
    put_uint(out, "cache_write_tokens", 0);
    put_end(out, '}');
    put_uint(out, "output_tokens", completion_tokens(a));
    put_object(out, "output_tokens_details");
    put_uint(out, "reasoning_tokens", reasoning_tokens(a));
    put_end(out, '}');
    put_uint(out, "total_tokens",
             a->start.prompt_tokens + completion_tokens(a));
    put_end(out, '}');
}

/* What the request says is told again as it spells it. */
static void put_echo(const Answer *a, JsonPut *out)
{
    static const struct {
        const char *name, *otherwise;
    } fields[] = {{"instructions", "null"},
                  {"max_output_tokens", "null"},
                  {"metadata", "{}"},
                  {"parallel_tool_calls", "true"},
                  {"previous_response_id", "null"},
                  {"reasoning", "{\"effort\":null,\"summary\":null}"},
                  {"store", "false"},
                  {"temperature", "1"},
                  {"text", "{\"format\":{\"type\":\"text\"}}"},
                  {"tool_choice", "\"auto\""},
                  {"tools", "[]"},
                  {"top_p", "1"},
                  {"truncation", "\"disabled\""},
                  {"user", "null"}};
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        put_json(
            out, fields[i].name,
            fields_spelling(&a->fields, fields[i].name, fields[i].otherwise));
}

/* The codes of failed responses are a list of OpenAI's. */
static void put_error(const weir_refusal *refusal, JsonPut *out)
{
    if (!refusal) {
        put_null(out, "error");
        return;
    }
    put_object(out, "error");
    put_text(out, "code", "server_error");
    put_text(out, "message", refusal->message);
    put_end(out, '}');
}

static void put_output(Answer *a, Choice *c, JsonPut *out)
{
    put_array(out, "output");
    for (uint32_t i = 0; i < c->items.count; i++)
        put_item(a, c, i, ITEM_DONE, NULL, out);
    if (!choice_has(c, ITEM_TEXT) && !choice_has(c, ITEM_CALL))
        put_item(a, c, c->items.count, ITEM_DONE, NULL, out);
    put_end(out, ']');
}

static void put_response(Answer *a, Stage stage, const weir_refusal *refusal,
                         const char *key, JsonPut *out)
{
    Choice *c = &a->choices.at[0];
    put_object(out, key);
    put_text(out, "id", a->id);
    put_text(out, "object", "response");
    put_int(out, "created_at", a->opts.created);
    put_text(out, "status", status_of(c, stage));
    put_bool(out, "background", false);
    put_error(refusal, out);
    if (stage == ENDED && c->finish == WEIR_FINISH_LENGTH) {
        put_object(out, "incomplete_details");
        put_text(out, "reason", "max_output_tokens");
        put_end(out, '}');
    } else {
        put_null(out, "incomplete_details");
    }
    put_text(out, "model", a->opts.model);
    if (stage == ENDED) {
        put_output(a, c, out);
    } else {
        put_array(out, "output");
        put_end(out, ']');
    }
    put_echo(a, out);
    if (stage == ENDED)
        put_tokens(a, out);
    else
        put_null(out, "usage");
    if (stage == ENDED) put_weir(a, c, true, out);
    put_end(out, '}');
}

/* ---- streams ---- */

static void put_state(Answer *a, const char *name, Stage stage,
                      const weir_refusal *refusal, JsonPut *out)
{
    open_response_event(a, name, out);
    put_response(a, stage, refusal, "response", out);
    close_response_event(out);
}

static void begin(Answer *a, JsonPut *out)
{
    put_state(a, "response.created", RUNS, NULL, out);
    put_state(a, "response.in_progress", RUNS, NULL, out);
}

static void more(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out)
{
    if (!event) {
        if (has_report(c)) put_report_event(a, c, out);
    } else if (event->kind == WEIR_TOOL_CALL_END) {
        end_item(a, c, out);
    } else {
        begin_item(a, c, c->items.count - 1, out);
        if (event->kind != WEIR_TOOL_CALL)
            put_item_delta(a, c, event->text, out);
    }
}

static void end(Answer *a, Choice *c, JsonPut *out)
{
    bool is_cut = c->finish == WEIR_FINISH_LENGTH;
    end_item(a, c, out);
    if (!choice_has(c, ITEM_TEXT) && !choice_has(c, ITEM_CALL)) {
        begin_item(a, c, c->items.count, out);
        end_item(a, c, out);
    }
    put_state(a, is_cut ? "response.incomplete" : "response.completed", ENDED,
              NULL, out);
}

static void fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    put_state(a, "response.failed", FAILED, refusal, out);
}

static void whole(Answer *a, JsonPut *out)
{
    put_response(a, ENDED, NULL, NULL, out);
}

const Endpoint endpoint_responses = {.id_prefix = "resp_",
                                     .stream_type = "text/event-stream",
                                     .begin = begin,
                                     .more = more,
                                     .end = end,
                                     .whole = whole,
                                     .fail = fail,
                                     .note = note_chat};
