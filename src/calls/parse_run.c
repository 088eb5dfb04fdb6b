/* parse_run.c: which reader has the input, and the ends of calls.
 * Tests: unit/tool_parse_test.c, prop/tool_round_trip_test.c,
 *        fuzz/calls_fuzz.c.
 */
#include "calls/parse.h"

int input_starts(const Parser *p, const char *text)
{
    size_t left = p->in.count - p->pos;
    const uint8_t *at = p->in.at + p->pos;
    for (size_t i = 0; text[i]; i++) {
        if (i == left) return p->ended ? 0 : -1;
        if (at[i] != (uint8_t)text[i]) return 0;
    }
    return 1;
}

/* ---- calls ---- */

void call_begin(Parser *p, Span name, Span id)
{
    text_mark(p);
    p->tool = member_list_tool(&p->members, name);
    tell_call(p, name, id);
    json_scan_begin(&p->json);
}

/* After the arguments comes the rest of the template, if they are whole. */
void call_end(Parser *p, bool complete)
{
    tell_end(p, complete);
    p->state = complete ? READ_CLOSE : READ_TEXT;
    p->scan = p->pos;
    if (complete) try_begin(&p->closing, p->call_end, p->family->style);
}

/* The rest of a call. What breaks it off is text again; at the end of the
 * input it need not be whole. */
static bool read_close(Parser *p)
{
    bool is_none = p->closing.part.kind == PART_END;
    if (!is_none && p->scan == p->in.count) {
        if (p->ended) p->pos = p->scan;
        return false;
    }
    if (!is_none && p->scan == p->pos && is_blank(p->in.at[p->pos])) {
        p->scan = ++p->pos;
        return true;
    }
    TryResult result =
        is_none ? TRY_BEFORE
                : try_step(&p->closing, p->in.at[p->scan], p->scan - p->pos);
    if (result == TRY_MORE || result == TRY_DONE) p->scan++;
    if (result == TRY_MORE) return true;
    if (result != TRY_DEAD) p->pos = p->scan;
    p->scan = p->pos;
    p->state = READ_TEXT;
    return true;
}

bool reader_json(Parser *p)
{
    if (input_empty(p)) {
        if (p->ended) call_end(p, json_scan_is_whole(&p->json));
        return false;
    }
    uint8_t byte = p->in.at[p->pos];
    ScanResult result = json_scan_step(&p->json, &p->mem, byte);
    if (result == SCAN_MEMORY) p->failed = true;
    if (result == SCAN_MORE || result == SCAN_DONE) {
        tell_text(p, WEIR_TOOL_ARGUMENTS, span_of(&byte, 1));
        p->pos++;
    }
    if (result != SCAN_MORE) call_end(p, result != SCAN_BAD);
    return true;
}

/* ---- all of it ---- */

static bool read_some(Parser *p)
{
    switch (p->state) {
    case READ_TEXT:
        return reader_text(p);
    case READ_OBJECT:
        return reader_object(p);
    case READ_JSON:
        return reader_json(p);
    case READ_MEMBERS:
        return reader_members(p);
    case READ_GEMMA:
        return reader_gemma(p);
    case READ_CLOSE:
        return read_close(p);
    }
    return false;
}

/* Drops the input that is settled. */
static void settle(Parser *p)
{
    size_t left = p->in.count - p->pos;
    if (!p->pos) return;
    if (left) memmove(p->in.at, p->in.at + p->pos, left);
    p->in.count = (uint32_t)left;
    p->scan -= p->pos;
    p->pos = 0;
}

static bool run(Parser *p)
{
    while (!p->failed && read_some(p)) {}
    if (p->ended && p->state == READ_TEXT) text_end(p);
    tell_events(p);
    if (!p->failed) settle(p);
    return !p->failed;
}

bool parser_take(Parser *p, Span piece)
{
    p->text.count = p->slots.count = p->events.count = 0;
    parser_keep(p, &p->in, piece);
    return run(p);
}

bool parser_end(Parser *p)
{
    p->text.count = p->slots.count = p->events.count = 0;
    p->ended = true;
    return run(p);
}

/* ---- begin and end ---- */

/* What the prompt has opened. */
static unsigned first_place(const Parser *p)
{
    if (p->reasoning == WEIR_REASONING_OPEN) return PLACE_THOUGHTS;
    bool in_block = p->family->layout == LAYOUT_BLOCKS &&
                    p->reasoning == WEIR_REASONING_NONE;
    return in_block ? PLACE_BLOCK : PLACE_TEXT;
}

void parser_reset(Parser *p)
{
    openers_of(&p->openers, p->family, p->reasoning != WEIR_REASONING_NONE,
               !p->no_calls);
    p->style = arg_style_find(span_text(p->family->style));
    p->failed = p->ended = false;
    p->state = READ_TEXT;
    p->place = first_place(p);
    p->is_border = p->place != PLACE_TEXT;
    p->in.count = p->blanks.count = p->tail_size = 0;
    p->pos = p->scan = 0;
    p->calls = 0;
    memset(p->alive, 0, sizeof p->alive);
}

void parser_free(Parser *p)
{
    vec_free(&p->mem, &p->in);
    vec_free(&p->mem, &p->blanks);
    vec_free(&p->mem, &p->object.name);
    vec_free(&p->mem, &p->object.id);
    vec_free(&p->mem, &p->object.args);
    vec_free(&p->mem, &p->member.open);
    vec_free(&p->mem, &p->member.word);
    vec_free(&p->mem, &p->text);
    vec_free(&p->mem, &p->slots);
    vec_free(&p->mem, &p->events);
    json_scan_free(&p->json, &p->mem);
    member_list_free(&p->members, &p->mem);
}
