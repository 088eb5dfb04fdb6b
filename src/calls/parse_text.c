/* parse_text.c: text in which openers are looked for.
 *
 * From a place on all openers that may stand there are tried side by side. One
 * that is whole takes over; when none is left, the byte at the place is text,
 * and the next place has its turn. What a place is tried for is short: marks,
 * names of at most NAME_MAX_BYTES.
 * Tests: unit/tool_parse_test.c.
 */
#include "calls/parse.h"

/* ---- text ---- */

static weir_tool_event_kind text_kind(const Parser *p)
{
    return p->place == PLACE_THOUGHTS ? WEIR_TOOL_REASONING : WEIR_TOOL_CONTENT;
}

static void put_byte(Parser *p, uint8_t byte)
{
    Span text = span_of(&byte, 1);
    if (is_blank(byte)) {
        parser_keep(p, &p->blanks, text);
        return;
    }
    if (!p->is_border) tell_text(p, text_kind(p), bytes_span(&p->blanks));
    p->blanks.count = 0;
    p->is_border = false;
    tell_text(p, text_kind(p), text);
}

void text_put(Parser *p, Span text)
{
    for (size_t i = 0; i < text.size; i++) put_byte(p, text.at[i]);
}

void text_end(Parser *p)
{
    if (!p->is_border) tell_text(p, text_kind(p), bytes_span(&p->blanks));
    p->blanks.count = 0;
}

void text_mark(Parser *p)
{
    p->blanks.count = 0;
    p->is_border = true;
}

/* ---- openers ---- */

/* What lies between two offsets of a try. */
static Span tried(const Parser *p, size_t begin, size_t end)
{
    return span_of(p->in.at + p->pos + begin, end - begin);
}

static void open_call(Parser *p, const Try *t)
{
    p->call_end = t->rest;
    p->scan = p->pos + t->args;
    if (t->part.kind == PART_OBJECT) {
        object_begin(p);
        return;
    }
    call_begin(p, tried(p, t->name, t->name_end), tried(p, t->id, t->id_end));
    p->pos = p->scan;
    if (!t->style)
        p->state = READ_JSON;
    else if (t->style->is_braced)
        gemma_begin(p);
    else
        members_begin(p);
}

/* Places that the openers lead to. */
static void open_mark(Parser *p, OpenerKind kind, size_t end)
{
    static const unsigned places[] = {
        [OPENS_THOUGHTS] = PLACE_THOUGHTS, [ENDS_THOUGHTS] = PLACE_TEXT,
        [OPENS_BLOCK] = PLACE_BLOCK,       [ENDS_BLOCK] = PLACE_TEXT,
        [OPENS_SECTION] = PLACE_SECTION,   [ENDS_SECTION] = PLACE_TEXT};
    p->pos = p->scan = end;
    text_mark(p);
    if (kind < OPENS_CALL) p->place = places[kind];
}

/* Where a call begins as text may, the name must be a tool's. */
static bool is_real(const Parser *p, const Opener *o, const Try *t)
{
    Span name = tried(p, t->name, t->name_end);
    return o->kind != OPENS_CALL || !p->family->is_bare || !p->members.count ||
           member_list_tool(&p->members, name) != UINT32_MAX;
}

static bool may_open(const Parser *p, unsigned i)
{
    return p->openers.list[i].places & p->place;
}

static void try_all(Parser *p)
{
    for (unsigned i = 0; i < p->openers.count; i++) {
        p->alive[i] = may_open(p, i);
        if (p->alive[i])
            try_begin(&p->tries[i], p->openers.list[i].form, p->family->style);
    }
}

/* Steps all; the opener that is whole, or -1; *any: some may yet be. */
static int step_all(Parser *p, TryResult *result, bool *any)
{
    uint8_t byte = p->in.at[p->scan];
    *any = false;
    for (unsigned i = 0; i < p->openers.count; i++) {
        if (!p->alive[i]) continue;
        *result = try_step(&p->tries[i], byte, p->scan - p->pos);
        bool is_whole = *result == TRY_DONE || *result == TRY_BEFORE;
        if (is_whole && is_real(p, &p->openers.list[i], &p->tries[i]))
            return (int)i;
        p->alive[i] = *result == TRY_MORE;
        *any |= p->alive[i];
    }
    return -1;
}

static void take_opener(Parser *p, unsigned i, size_t end)
{
    if (p->openers.list[i].kind == OPENS_CALL)
        open_call(p, &p->tries[i]);
    else
        open_mark(p, p->openers.list[i].kind, end);
}

static void take_byte(Parser *p)
{
    put_byte(p, p->in.at[p->pos]);
    p->scan = ++p->pos;
}

/* The input ends while openers are tried: a mark whose blanks are missing, or
 * text. */
static bool end_tries(Parser *p)
{
    for (unsigned i = 0; i < p->openers.count; i++)
        if (p->alive[i] && p->openers.list[i].kind != OPENS_CALL &&
            try_is_whole(&p->tries[i])) {
            take_opener(p, i, p->scan);
            return true;
        }
    take_byte(p);
    return true;
}

bool reader_text(Parser *p)
{
    TryResult result = TRY_MORE;
    bool any;
    if (p->scan == p->in.count) {
        if (p->pos == p->scan || !p->ended) return false;
        return end_tries(p);
    }
    if (p->scan == p->pos) try_all(p);
    int whole = step_all(p, &result, &any);
    if (whole >= 0)
        take_opener(p, (unsigned)whole, p->scan + (result == TRY_DONE));
    else if (any)
        p->scan++;
    else
        take_byte(p);
    return true;
}
