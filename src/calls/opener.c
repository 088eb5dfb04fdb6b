/* opener.c: templates against texts.
 *
 * Each part knows from the byte in hand whether it goes on, or hands over to
 * the next. Blanks in literal text stand for any run of blanks. A call's
 * opener reaches up to its arguments, and is one only if what stands there can
 * begin them.
 * Tests: unit/tool_parse_test.c.
 */
#include "calls/opener.h"

/* ---- a family's openers ---- */

static void add(Openers *o, OpenerKind kind, unsigned places, const char *form)
{
    if (!form || !*form) return;
    /* in a run of blanks every one would be tried */
    while (is_blank((uint8_t)*form)) form++;
    assert(o->count < OPENERS_MAX);
    o->list[o->count++] = (Opener){kind, places, form};
}

/* A comma between calls; other separators are blanks, or marks already. */
static const char *separator_mark(const Family *f)
{
    return f->separator[0] == ',' ? "," : NULL;
}

static void add_calls(Openers *o, const Family *f)
{
    unsigned place = f->section ? PLACE_SECTION : PLACE_TEXT;
    add(o, OPENS_SECTION, PLACE_TEXT,
        f->section_read ? f->section_read : f->section);
    add(o, ENDS_SECTION, PLACE_SECTION, f->section_end);
    for (unsigned i = 0; i < FAMILY_CALLS && f->calls[i]; i++)
        add(o, OPENS_CALL, place, f->calls[i]);
    add(o, IS_LAYOUT, PLACE_SECTION, separator_mark(f));
}

void openers_of(Openers *o, const Family *f, bool thinks, bool calls)
{
    *o = (Openers){.count = 0};
    if (thinks) {
        add(o, OPENS_THOUGHTS, PLACE_TEXT, f->think);
        add(o, ENDS_THOUGHTS, PLACE_THOUGHTS, f->think_end);
        add(o, IS_LAYOUT, PLACE_THOUGHTS, f->think);
    }
    add(o, OPENS_BLOCK, PLACE_TEXT, f->text);
    add(o, OPENS_BLOCK, PLACE_TEXT, f->preamble);
    add(o, ENDS_BLOCK, PLACE_BLOCK, f->text_end[0]);
    add(o, ENDS_BLOCK, PLACE_BLOCK, f->text_end[1]);
    if (calls) add_calls(o, f);
    add(o, IS_LAYOUT, PLACE_TEXT, f->next);
    add(o, IS_LAYOUT, PLACE_TEXT, f->tail);
}

/* ---- trying one ---- */

static void next_part(Try *t)
{
    t->part = template_next(&t->rest);
    t->at = 0;
    t->is_past = false;
}

void try_begin(Try *t, const char *form, const char *style)
{
    *t = (Try){.style = arg_style_find(span_text(style)), .rest = form};
    next_part(t);
}

/* Blanks of a literal that need not be there. */
static void skip_blanks(Try *t)
{
    while (t->at < t->part.text.size && is_blank(t->part.text.at[t->at]))
        t->at++;
}

static TryResult step_text(Try *t, uint8_t byte, bool *again)
{
    Span text = t->part.text;
    if (is_blank(text.at[t->at])) {
        if (is_blank(byte)) return TRY_MORE;
        skip_blanks(t);
    }
    if (t->at == text.size) {
        next_part(t);
        *again = true;
        return TRY_MORE;
    }
    if (byte != text.at[t->at]) return TRY_DEAD;
    if (++t->at < text.size) return TRY_MORE;
    next_part(t);
    return t->part.kind == PART_END ? TRY_DONE : TRY_MORE;
}

static bool word_has(PartKind kind, uint8_t byte)
{
    bool is_digit = byte >= '0' && byte <= '9';
    if (kind == PART_NUMBER) return is_digit;
    if (kind == PART_NAME) return name_has(byte);
    return is_digit || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z');
}

/* A name, a number or an id: at least a byte; blanks may follow. */
static TryResult step_word(Try *t, uint8_t byte, size_t pos, bool *again)
{
    bool is_name = t->part.kind == PART_NAME;
    if (!t->is_past && word_has(t->part.kind, byte)) {
        if (is_name && !t->at) t->name = pos;
        if (is_name) t->name_end = pos + 1;
        t->word_end = pos + 1;
        return ++t->at > NAME_MAX_BYTES ? TRY_DEAD : TRY_MORE;
    }
    if (!t->at) return TRY_DEAD;
    if (is_blank(byte)) {
        t->is_past = true;
        return TRY_MORE;
    }
    next_part(t);
    *again = true;
    return TRY_MORE;
}

/* ---- what arguments begin with ---- */

static bool begins_json(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') ||
           (byte && strchr("{[\"tfn-", byte) != NULL);
}

/* The text after the arguments, without the blanks in front of it. */
static Span close_text(const Try *t)
{
    const char *rest = t->rest;
    Span text = template_next(&rest).text;
    while (text.size && is_blank(*text.at))
        text = span_of(text.at + 1, text.size - 1);
    size_t n = 0; /* up to the next blanks will do */
    while (n < text.size && !is_blank(text.at[n])) n++;
    return span_of(text.at, n);
}

static bool goes_on(Span text, size_t *at, bool *is_dead, uint8_t byte)
{
    *is_dead |= *at >= text.size || text.at[*at] != byte;
    *at += !*is_dead;
    return !*is_dead && *at == text.size;
}

static TryResult step_args(Try *t, uint8_t byte, size_t pos)
{
    bool has_begun = t->open || t->close;
    if (!has_begun) t->args = pos;
    if (!has_begun && is_blank(byte)) return TRY_MORE;
    if (!t->style) return begins_json(byte) ? TRY_BEFORE : TRY_DEAD;
    if (t->style->is_braced) return byte == '{' ? TRY_BEFORE : TRY_DEAD;
    bool opens =
        goes_on(span_text(t->style->open), &t->open, &t->no_open, byte);
    bool closes = goes_on(close_text(t), &t->close, &t->no_close, byte);
    if (opens || closes) return TRY_BEFORE;
    return t->no_open && t->no_close ? TRY_DEAD : TRY_MORE;
}

TryResult try_step(Try *t, uint8_t byte, size_t pos)
{
    for (;;) {
        bool again = false;
        TryResult result = TRY_BEFORE;
        switch (t->part.kind) {
        case PART_TEXT:
            result = step_text(t, byte, &again);
            break;
        case PART_NAME:
        case PART_NUMBER:
        case PART_ID:
            result = step_word(t, byte, pos, &again);
            break;
        case PART_ID_BEGIN:
        case PART_ID_END:
            if (t->part.kind == PART_ID_BEGIN)
                t->id = pos;
            else
                t->id_end = t->word_end;
            next_part(t);
            again = true;
            break;
        case PART_ARGS:
            return step_args(t, byte, pos);
        case PART_OBJECT:
            t->args = pos;
            if (is_blank(byte)) return TRY_MORE;
            return byte == '{' ? TRY_BEFORE : TRY_DEAD;
        case PART_END:
            return TRY_BEFORE;
        }
        if (!again) return result;
    }
}

bool try_is_whole(const Try *t)
{
    Try last = *t;
    if (last.part.kind == PART_TEXT) {
        skip_blanks(&last);
        if (last.at == last.part.text.size) next_part(&last);
    }
    return last.part.kind == PART_END;
}
