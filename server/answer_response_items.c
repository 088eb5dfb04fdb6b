/* answer_response_items.c: what is inside a response's output.
 *
 *   message        content_part.added, output_text.delta ..., output_text.done,
 *                  content_part.done
 *   function_call  function_call_arguments.delta ..., .done
 *   reasoning      reasoning_summary_part.added, reasoning_summary_text.delta
 *                  ..., .done, reasoning_summary_part.done
 *
 * Log probabilities are told with the delta that they belong to, or, of a whole
 * answer, with the first message.
 * Tests: server/answer_items_test.py.
 */
#include "server/answer_response_items.h"

static ItemKind kind_at(const Choice *c, uint32_t index)
{
    return index < c->items.count ? c->items.at[index].kind : ITEM_TEXT;
}

static weir_bytes text_at(const Choice *c, uint32_t index)
{
    if (index < c->items.count) return item_text(c, &c->items.at[index]);
    return (weir_bytes){"", 0};
}

static AnswerId id_at(const Answer *a, const Choice *c, uint32_t index)
{
    static const char *const prefixes[] = {"rs_", "msg_", "fc_"};
    return answer_id_of(a, prefixes[kind_at(c, index)],
                        (uint64_t)1 << 48 | index);
}

/* ---- items ---- */

/* Those that have been noted, from byte `begin` of their text on. */
static void put_logprobs(const Choice *c, uint32_t begin, JsonPut *out)
{
    const JsonPut *noted = &c->probs[0];
    uint32_t end = noted->text.count;
    if (begin < end && noted->text.at[begin] == ',') begin++;
    put_array(out, "logprobs");
    if (begin < end)
        put_raw(out, (weir_bytes){noted->text.at + begin, end - begin});
    put_end(out, ']');
}

/* {"type":"output_text"} with this text; one that begins has no log
 * probabilities. */
static void put_text_part(const Choice *c, weir_bytes text, ItemStage stage,
                          const char *key, JsonPut *out)
{
    put_object(out, key);
    put_text(out, "type", "output_text");
    put_string(out, "text", text);
    put_array(out, "annotations");
    put_end(out, ']');
    put_logprobs(c, stage == ITEM_DONE ? 0 : c->probs[0].text.count, out);
    put_end(out, '}');
}

static void put_summary_part(weir_bytes text, const char *key, JsonPut *out)
{
    put_object(out, key);
    put_text(out, "type", "summary_text");
    put_string(out, "text", text);
    put_end(out, '}');
}

/* The whole answer's message may fall back to the output as it is. */
static void put_message_content(const Answer *a, const Choice *c,
                                uint32_t index, JsonPut *out)
{
    JsonPut scratch = {.mem = &a->mem};
    bool is_raw = index == c->items.count && !a->fields.stream;
    weir_bytes text = is_raw ? choice_message(c, &scratch) : text_at(c, index);
    put_text_part(c, text, ITEM_DONE, NULL, out);
    out->failed |= scratch.failed;
    put_free(&scratch);
}

static void put_message(const Answer *a, const Choice *c, uint32_t index,
                        ItemStage stage, JsonPut *out)
{
    bool is_cut =
        c->finish == WEIR_FINISH_LENGTH && index + 1 >= c->items.count;
    put_text(out, "type", "message");
    put_text(out, "role", "assistant");
    put_text(out, "status",
             stage == ITEM_ADDED ? "in_progress"
             : is_cut            ? "incomplete"
                                 : "completed");
    put_array(out, "content");
    if (stage == ITEM_DONE) put_message_content(a, c, index, out);
    put_end(out, ']');
}

static void put_call(const Answer *a, const Choice *c, uint32_t index,
                     ItemStage stage, JsonPut *out)
{
    const Item *item = &c->items.at[index];
    bool is_done = stage == ITEM_DONE;
    put_text(out, "type", "function_call");
    put_text(out, "status",
             !is_done      ? "in_progress"
             : item->whole ? "completed"
                           : "incomplete");
    put_text(out, "call_id", call_id(a, c, item).text);
    put_string(out, "name", item_name(c, item));
    put_string(out, "arguments",
               is_done ? item_text(c, item) : (weir_bytes){"", 0});
}

static void put_reasoning(const Choice *c, uint32_t index, ItemStage stage,
                          JsonPut *out)
{
    put_text(out, "type", "reasoning");
    put_array(out, "summary");
    if (stage == ITEM_DONE) put_summary_part(text_at(c, index), NULL, out);
    put_end(out, ']');
}

void put_item(const Answer *a, const Choice *c, uint32_t index, ItemStage stage,
              const char *key, JsonPut *out)
{
    put_object(out, key);
    put_text(out, "id", id_at(a, c, index).text);
    switch (kind_at(c, index)) {
    case ITEM_REASONING:
        put_reasoning(c, index, stage, out);
        break;
    case ITEM_TEXT:
        put_message(a, c, index, stage, out);
        break;
    case ITEM_CALL:
        put_call(a, c, index, stage, out);
        break;
    }
    put_end(out, '}');
}

/* ---- events ---- */

void open_response_event(Answer *a, const char *name, JsonPut *out)
{
    event_begin(out, name);
    put_object(out, NULL);
    put_text(out, "type", name);
    put_uint(out, "sequence_number", a->sequence++);
}

void close_response_event(JsonPut *out)
{
    put_end(out, '}');
    event_end(out);
}

/* An event about the open item; `part`: the name of the index of what is
 * inside it, which is always the first, or NULL. */
static void open_item_event(Answer *a, const Choice *c, const char *name,
                            const char *part, JsonPut *out)
{
    open_response_event(a, name, out);
    put_text(out, "item_id", id_at(a, c, a->item_at).text);
    put_uint(out, "output_index", a->item_at);
    if (part) put_uint(out, part, 0);
}

static void put_item_event(Answer *a, const Choice *c, const char *name,
                           ItemStage stage, JsonPut *out)
{
    open_response_event(a, name, out);
    put_uint(out, "output_index", a->item_at);
    put_item(a, c, a->item_at, stage, "item", out);
    close_response_event(out);
}

static void put_part_event(Answer *a, const Choice *c, ItemStage stage,
                           JsonPut *out)
{
    bool is_done = stage == ITEM_DONE;
    weir_bytes text = is_done ? text_at(c, a->item_at) : (weir_bytes){"", 0};
    ItemKind kind = kind_at(c, a->item_at);
    if (kind == ITEM_CALL) return;
    if (kind == ITEM_TEXT) {
        open_item_event(a, c,
                        is_done ? "response.content_part.done"
                                : "response.content_part.added",
                        "content_index", out);
        put_text_part(c, text, stage, "part", out);
    } else {
        open_item_event(a, c,
                        is_done ? "response.reasoning_summary_part.done"
                                : "response.reasoning_summary_part.added",
                        "summary_index", out);
        put_summary_part(text, "part", out);
    }
    close_response_event(out);
}

void begin_item(Answer *a, Choice *c, uint32_t index, JsonPut *out)
{
    if (a->item_open && a->item_at == index) return;
    end_item(a, c, out);
    a->item_open = true;
    a->item_at = index;
    put_item_event(a, c, "response.output_item.added", ITEM_ADDED, out);
    put_part_event(a, c, ITEM_ADDED, out);
}

/* Names of the events, and of what their text is called. */
typedef struct DeltaRow {
    const char *delta, *done, *part, *text;
} DeltaRow;

static const DeltaRow delta_rows[] = {
    [ITEM_REASONING] = {"response.reasoning_summary_text.delta",
                        "response.reasoning_summary_text.done", "summary_index",
                        "text"},
    [ITEM_TEXT] = {"response.output_text.delta", "response.output_text.done",
                   "content_index", "text"},
    [ITEM_CALL] = {"response.function_call_arguments.delta",
                   "response.function_call_arguments.done", NULL, "arguments"}};

void put_item_delta(Answer *a, Choice *c, weir_bytes text, JsonPut *out)
{
    ItemKind kind = kind_at(c, a->item_at);
    open_item_event(a, c, delta_rows[kind].delta, delta_rows[kind].part, out);
    put_string(out, "delta", text);
    if (kind == ITEM_TEXT) put_logprobs(c, c->told, out);
    if (kind == ITEM_TEXT) c->told = c->probs[0].text.count;
    put_weir(a, c, false, out);
    close_response_event(out);
}

void end_item(Answer *a, Choice *c, JsonPut *out)
{
    if (!a->item_open) return;
    ItemKind kind = kind_at(c, a->item_at);
    open_item_event(a, c, delta_rows[kind].done, delta_rows[kind].part, out);
    if (kind == ITEM_CALL)
        put_string(out, "name", item_name(c, &c->items.at[a->item_at]));
    put_string(out, delta_rows[kind].text, text_at(c, a->item_at));
    if (kind == ITEM_TEXT) put_logprobs(c, 0, out);
    close_response_event(out);
    put_part_event(a, c, ITEM_DONE, out);
    put_item_event(a, c, "response.output_item.done", ITEM_DONE, out);
    a->item_open = false;
}

void put_report_event(Answer *a, Choice *c, JsonPut *out)
{
    open_response_event(a, "weir.tokens", out);
    put_weir(a, c, false, out);
    close_response_event(out);
}
