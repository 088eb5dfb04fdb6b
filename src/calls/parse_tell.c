/* parse_tell.c: what is told, gathered for one piece of input.
 *
 * Texts of one kind that follow each other are one event. Bytes of a character
 * that is not whole at the end of a piece wait for the next one.
 * Tests: unit/tool_parse_test.c, fuzz/calls_fuzz.c.
 */
#include "base/utf8.h"
#include "calls/parse.h"

void parser_keep(Parser *p, Bytes *bytes, Span text)
{
    if (p->failed || !text.size) return;
    if (!vec_reserve(&p->mem, bytes, (size_t)bytes->count + text.size)) {
        p->failed = true;
        return;
    }
    memcpy(bytes->at + bytes->count, text.at, text.size);
    bytes->count += (uint32_t)text.size;
}

static Slot *last_slot(Parser *p)
{
    return p->slots.count ? &p->slots.at[p->slots.count - 1] : NULL;
}

/* The slot that more text of the kind belongs to. */
static Slot *slot_for(Parser *p, weir_tool_event_kind kind)
{
    Slot *last = last_slot(p);
    if (last && last->kind == kind) return last;
    assert(!p->slots.count || p->slots.at);
    uint32_t at = p->text.count, call = p->calls ? p->calls - 1 : 0;
    if (kind < WEIR_TOOL_CALL) call = 0;
    if (p->failed ||
        !vec_push(&p->mem, &p->slots, (Slot){kind, call, false, at, at, at}))
        p->failed = true;
    return p->failed ? NULL : last_slot(p);
}

static void add_text(Parser *p, weir_tool_event_kind kind, Span text)
{
    Slot *slot = slot_for(p, kind);
    parser_keep(p, &p->text, text);
    if (!p->failed) slot->end = slot->id_end = p->text.count;
}

/* What the last piece ended inside of. */
static void add_tail(Parser *p)
{
    uint32_t size = p->tail_size;
    p->tail_size = 0;
    if (size) add_text(p, p->tail_kind, span_of(p->tail, size));
}

void tell_text(Parser *p, weir_tool_event_kind kind, Span text)
{
    if (!text.size) return;
    add_tail(p);
    add_text(p, kind, text);
}

void tell_call(Parser *p, Span name, Span id)
{
    add_tail(p);
    p->calls++;
    uint32_t begin = p->text.count;
    Slot slot = {WEIR_TOOL_CALL, p->calls - 1, false, begin, 0, 0};
    parser_keep(p, &p->text, name);
    slot.end = p->text.count;
    parser_keep(p, &p->text, id);
    slot.id_end = p->text.count;
    if (p->failed || !vec_push(&p->mem, &p->slots, slot)) p->failed = true;
}

void tell_end(Parser *p, bool complete)
{
    add_tail(p);
    uint32_t at = p->text.count;
    Slot slot = {WEIR_TOOL_CALL_END, p->calls - 1, complete, at, at, at};
    if (p->failed || !vec_push(&p->mem, &p->slots, slot)) p->failed = true;
}

/* How many bytes at the end are the beginning of a character. */
static uint32_t open_bytes(const uint8_t *at, uint32_t size)
{
    for (uint32_t n = 1; n <= MIN(size, 3u); n++) {
        uint8_t byte = at[size - n];
        if (byte < 0x80) return 0;
        if (byte >= 0xC0) return utf8_lead_size(byte) > n ? n : 0;
    }
    return 0;
}

static void hold_tail(Parser *p)
{
    Slot *last = last_slot(p);
    bool is_text = last && (last->kind <= WEIR_TOOL_CONTENT ||
                            last->kind == WEIR_TOOL_ARGUMENTS);
    if (p->failed || !is_text || p->ended) return;
    uint32_t n = open_bytes(p->text.at + last->begin, last->end - last->begin);
    last->end -= n;
    p->tail_size = n;
    p->tail_kind = last->kind;
    if (n) memcpy(p->tail, p->text.at + last->end, n);
    if (last->begin == last->end) p->slots.count--;
}

static weir_bytes text_of(const Parser *p, uint32_t begin, uint32_t end)
{
    if (begin == end) return (weir_bytes){"", 0};
    return (weir_bytes){(const char *)p->text.at + begin, end - begin};
}

void tell_events(Parser *p)
{
    if (p->ended) add_tail(p);
    hold_tail(p);
    if (p->failed || !vec_reserve(&p->mem, &p->events, p->slots.count)) {
        p->failed = true;
        return;
    }
    p->events.count = p->slots.count;
    for (uint32_t i = 0; i < p->slots.count; i++) {
        const Slot *s = &p->slots.at[i];
        bool has_id = s->kind == WEIR_TOOL_CALL;
        p->events.at[i] = (weir_tool_event){
            s->kind, s->call, s->complete, text_of(p, s->begin, s->end),
            has_id ? text_of(p, s->end, s->id_end) : (weir_bytes){"", 0}};
    }
}
