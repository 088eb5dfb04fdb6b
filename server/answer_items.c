/* answer_items.c: a choice as the list of what it says.
 *
 * Holds: items follow each other in Choice.text; the last one alone may be
 * open, and reaches to the end. An item of reasoning or text is never empty.
 * Tests: server/answer_split_test.py.
 */
#include "server/answer_state.h"

static Item *last_item(Choice *c)
{
    return c->items.count ? &c->items.at[c->items.count - 1] : NULL;
}

static Item *add_item(Answer *a, Choice *c, ItemKind kind)
{
    uint32_t at = c->text.text.count;
    Item *last = last_item(c);
    assert(!c->items.count || c->items.at);
    if (last) last->ended = true;
    Item item = {.kind = kind, .begin = at, .end = at, .name = at};
    return vec_push(&a->mem, &c->items, item) ? last_item(c) : NULL;
}

static bool add_text(Choice *c, Item *item, weir_bytes text)
{
    put_raw(&c->text, text);
    if (item) item->end = c->text.text.count;
    return item && !c->text.failed;
}

static bool add_call(Answer *a, Choice *c, const weir_tool_event *event)
{
    uint32_t call = 0;
    for (uint32_t i = 0; i < c->items.count; i++)
        call += c->items.at[i].kind == ITEM_CALL;
    Item *item = add_item(a, c, ITEM_CALL);
    if (!add_text(c, item, event->text)) return false;
    item->call = call;
    item->begin = item->name_end = item->end;
    return true;
}

static void end_call(Answer *a, Choice *c, bool complete)
{
    Item *item = last_item(c);
    Json json;
    weir_error error;
    if (!item || item->kind != ITEM_CALL) return;
    weir_bytes text = item_text(c, item);
    item->ended = true;
    if (!complete || !json_parse(&json, &a->mem, span_of(text.data, text.size),
                                 NULL, &error))
        return;
    item->whole = json_kind(&json, JSON_ROOT) == JSON_OBJECT;
    json_free(&json);
}

/* Text goes on where the last item is of its kind. */
static bool more_text(Answer *a, Choice *c, ItemKind kind, weir_bytes text)
{
    Item *item = last_item(c);
    if (!item || item->kind != kind || item->ended) item = add_item(a, c, kind);
    return add_text(c, item, text);
}

bool choice_absorb(Answer *a, Choice *c, const weir_tool_event *event)
{
    switch (event->kind) {
    case WEIR_TOOL_REASONING:
        return more_text(a, c, ITEM_REASONING, event->text);
    case WEIR_TOOL_CONTENT:
        return more_text(a, c, ITEM_TEXT, event->text);
    case WEIR_TOOL_CALL:
        return add_call(a, c, event);
    case WEIR_TOOL_ARGUMENTS:
        return add_text(c, last_item(c), event->text);
    case WEIR_TOOL_CALL_END:
        end_call(a, c, event->complete);
        return true;
    }
    return false;
}

void choice_free(const Mem *mem, Choice *c)
{
    reader_close(&c->reader);
    put_free(&c->text);
    vec_free(mem, &c->items);
    for (unsigned i = 0; i < PROB_LISTS; i++) put_free(&c->probs[i]);
    put_free(&c->ids);
    put_free(&c->report);
}

/* ---- reading them ---- */

static weir_bytes range(const Choice *c, uint32_t begin, uint32_t end)
{
    if (begin == end) return (weir_bytes){"", 0};
    return (weir_bytes){c->text.text.at + begin, end - begin};
}

weir_bytes item_text(const Choice *c, const Item *item)
{
    return range(c, item->begin, item->end);
}

weir_bytes item_name(const Choice *c, const Item *item)
{
    return range(c, item->name, item->name_end);
}

bool choice_has(const Choice *c, ItemKind kind)
{
    for (uint32_t i = 0; i < c->items.count; i++)
        if (c->items.at[i].kind == kind) return true;
    return false;
}

void choice_join(const Choice *c, ItemKind kind, JsonPut *out)
{
    for (uint32_t i = 0; i < c->items.count; i++)
        if (c->items.at[i].kind == kind)
            put_raw(out, item_text(c, &c->items.at[i]));
}

weir_bytes choice_message(const Choice *c, JsonPut *scratch)
{
    const JsonPut *from = scratch;
    put_reset(scratch);
    choice_join(c, ITEM_TEXT, scratch);
    if (!scratch->text.count && !choice_has(c, ITEM_CALL))
        from = &c->reader.raw;
    if (!from->text.count) return (weir_bytes){"", 0};
    return (weir_bytes){from->text.at, from->text.count};
}
