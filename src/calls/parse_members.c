/* parse_members.c: arguments that are members of an argument style.
 *
 *     gap: blanks; a member (in a list an item), or the end of the level
 *     name, type, then what stands in front of the value, the value
 *
 * Strings that are known to be strings are told as they come; what else a
 * value is shows when it ends. An object or an array ends where its JSON does:
 * its strings may have the closing text in them.
 * Tests: unit/tool_parse_test.c, prop/tool_round_trip_test.c.
 */
#include "calls/parse.h"

typedef enum MemberState {
    MEMBERS_GAP,
    MEMBERS_NAME,
    MEMBERS_TYPE,
    MEMBERS_BEFORE, /* the value */
    MEMBERS_STRING,
    MEMBERS_VALUE,
    MEMBERS_END /* the rest of the call */
} MemberState;

static void open_level(Parser *p, const char *bracket)
{
    parser_keep(p, &p->member.open, span_text(bracket));
    p->member.is_first = true;
    p->member.at = MEMBERS_GAP;
    tell_args(p, bracket);
}

void members_begin(Parser *p)
{
    p->member.open.count = 0;
    p->state = READ_MEMBERS;
    open_level(p, "{");
}

static bool go(Parser *p, MemberState state)
{
    p->member.at = (uint8_t)state;
    return true;
}

static bool broken(Parser *p)
{
    call_end(p, false);
    return true;
}

/* ---- between members ---- */

static void close_level(Parser *p, size_t nbytes)
{
    Bytes *open = &p->member.open;
    bool is_object = open->at[open->count - 1] == '{';
    tell_args(p, is_object ? "}" : "]");
    open->count--;
    p->member.is_first = false;
    p->pos += nbytes;
    go(p, MEMBERS_GAP);
}

static bool begin_member(Parser *p, bool in_list)
{
    const char *open = in_list ? p->style->unnamed : p->style->open;
    if (!p->member.is_first) tell_args(p, ",");
    p->member.is_first = false;
    p->member.word.count = 0;
    p->pos += strlen(open);
    return go(p, in_list ? MEMBERS_TYPE : MEMBERS_NAME);
}

/* The rest of the template, from its first byte that is no blank on. Once it
 * has begun no member can follow, so at the end of the input the arguments are
 * whole. */
static bool begin_end(Parser *p)
{
    try_begin(&p->closing, p->call_end, p->family->style);
    p->scan = p->pos;
    return go(p, MEMBERS_END);
}

static bool read_gap(Parser *p)
{
    const Bytes *open = &p->member.open;
    bool in_list = open->at[open->count - 1] == '[';
    if (is_blank(p->in.at[p->pos])) {
        p->pos++;
        return true;
    }
    int member = input_starts(p, in_list ? p->style->unnamed : p->style->open);
    if (member > 0) return begin_member(p, in_list);
    if (open->count == 1) return member < 0 ? false : begin_end(p);
    int end = input_starts(p, p->style->close);
    if (end > 0) close_level(p, strlen(p->style->close));
    if (end > 0) return true;
    return member < 0 || end < 0 ? false : broken(p);
}

static bool read_end(Parser *p)
{
    TryResult result = TRY_DONE;
    if (p->scan < p->in.count) {
        result = try_step(&p->closing, p->in.at[p->scan], p->scan - p->pos);
        if (result == TRY_DEAD) return broken(p);
        if (result != TRY_BEFORE) p->scan++;
    } else if (!p->ended) {
        return false;
    }
    if (result == TRY_MORE) return true;
    p->pos = p->scan;
    tell_args(p, "}");
    tell_end(p, true);
    p->state = READ_TEXT;
    return true;
}

/* ---- names and types ---- */

/* Takes a byte of the word, or at its end the text that ends it. */
static int read_word(Parser *p, const char *end)
{
    int ends = input_starts(p, end);
    if (ends > 0) p->pos += strlen(end);
    if (ends) return ends;
    parser_keep(p, &p->member.word, span_of(p->in.at + p->pos, 1));
    p->pos++;
    return 0;
}

/* Entities as the characters that they stand for, in place. */
static void decode_name(const ArgStyle *style, Bytes *word)
{
    uint32_t to = 0;
    for (uint32_t from = 0; from < word->count; to++) {
        const char *c = style->escaped;
        Span rest = span_of(word->at + from, word->count - from);
        while (*c && !span_starts(
                         rest, span_text(arg_style_entity(style, (uint8_t)*c))))
            c++;
        word->at[to] = *c ? (uint8_t)*c : word->at[from];
        from += *c ? (uint32_t)strlen(arg_style_entity(style, (uint8_t)*c)) : 1;
    }
    word->count = to;
}

static unsigned types_of(const Parser *p)
{
    return p->member.open.count > 1
               ? TYPE_ALL
               : member_list_types(&p->members, p->tool,
                                   bytes_span(&p->member.word));
}

static bool begin_value(Parser *p, unsigned types)
{
    p->member.types = types;
    p->member.has_line = p->member.is_json = false;
    p->member.is_first = true; /* nothing of the value yet */
    p->member.word.count = 0;
    if (*p->style->value) return go(p, MEMBERS_BEFORE);
    if (types != TYPE_STRING) return go(p, MEMBERS_VALUE);
    string_open(p);
    return go(p, MEMBERS_STRING);
}

static bool read_name(Parser *p)
{
    int ended = read_word(p, p->style->named);
    if (ended <= 0) return !ended;
    decode_name(p->style, &p->member.word);
    Span name = bytes_span(&p->member.word);
    string_open(p);
    for (size_t i = 0; i < name.size; i++) string_put(p, name.at[i]);
    string_close(p);
    tell_args(p, ":");
    if (!p->style->typed) return begin_value(p, types_of(p));
    p->member.word.count = 0;
    return go(p, MEMBERS_TYPE);
}

static bool read_type(Parser *p)
{
    int ended = read_word(p, p->style->typed);
    if (ended <= 0) return !ended;
    Span type = bytes_span(&p->member.word);
    bool is_string = span_equal(type, span_text(p->style->types[ARG_STRING]));
    if (is_string) return begin_value(p, TYPE_STRING);
    bool is_list = span_equal(type, span_text(p->style->types[ARG_ARRAY]));
    bool is_object = span_equal(type, span_text(p->style->types[ARG_OBJECT]));
    if (p->style->is_nested && (is_list || is_object)) {
        open_level(p, is_list ? "[" : "{");
        return true;
    }
    return begin_value(p, TYPE_ALL & ~TYPE_STRING);
}

/* ---- values ---- */

static bool read_before(Parser *p)
{
    const char *value = p->style->value;
    if (is_blank(p->in.at[p->pos])) {
        p->pos++;
        return true;
    }
    int begins = input_starts(p, value);
    if (begins < 0) return false;
    if (!begins) return broken(p);
    p->pos += strlen(value);
    if (p->member.types != TYPE_STRING) return go(p, MEMBERS_VALUE);
    string_open(p);
    return go(p, MEMBERS_STRING);
}

static bool end_member(Parser *p)
{
    p->pos += strlen(p->style->close);
    p->member.is_first = false;
    return go(p, MEMBERS_GAP);
}

/* A line end is text if the string did not begin with it and does not end with
 * it. */
static void put_string_byte(Parser *p, uint8_t byte)
{
    MemberReader *m = &p->member;
    bool is_line = p->style->has_lines && byte == '\n';
    bool is_layout = is_line && m->is_first;
    m->is_first = false;
    if (is_layout) return;
    if (m->has_line) string_put(p, '\n');
    m->has_line = is_line;
    if (!is_line) string_put(p, byte);
}

static bool read_string(Parser *p)
{
    int ends = input_starts(p, p->style->close);
    if (ends < 0) return false;
    if (!ends) {
        put_string_byte(p, p->in.at[p->pos++]);
        return true;
    }
    string_close(p);
    return end_member(p);
}

/* Whether a value that may have these types begins like an object or array. */
static bool begins_list(unsigned types, uint8_t byte)
{
    return (byte == '{' && types & TYPE_OBJECT) ||
           (byte == '[' && types & TYPE_ARRAY);
}

/* Follows the JSON as far as it is some. */
static void follow_json(Parser *p, uint8_t byte)
{
    MemberReader *m = &p->member;
    if (m->is_first && begins_list(m->types, byte)) {
        json_scan_begin(&p->json);
        m->is_json = true;
    }
    m->is_first = m->is_first && is_blank(byte);
    if (!m->is_json) return;
    ScanResult result = json_scan_step(&p->json, &p->mem, byte);
    if (result == SCAN_MEMORY) p->failed = true;
    m->is_json = result == SCAN_MORE;
}

static bool read_value(Parser *p)
{
    bool in_string = p->member.is_json && json_scan_in_string(&p->json);
    int ends = in_string ? 0 : input_starts(p, p->style->close);
    if (ends < 0) return false;
    if (!ends) {
        uint8_t byte = p->in.at[p->pos++];
        follow_json(p, byte);
        parser_keep(p, &p->member.word, span_of(&byte, 1));
        return true;
    }
    value_put(p, bytes_span(&p->member.word), p->member.types,
              p->style->has_lines);
    return end_member(p);
}

bool reader_members(Parser *p)
{
    if (p->member.at == MEMBERS_END) return read_end(p);
    if (input_empty(p)) return p->ended ? broken(p) : false;
    switch ((MemberState)p->member.at) {
    case MEMBERS_GAP:
        return read_gap(p);
    case MEMBERS_NAME:
        return read_name(p);
    case MEMBERS_TYPE:
        return read_type(p);
    case MEMBERS_BEFORE:
        return read_before(p);
    case MEMBERS_STRING:
        return read_string(p);
    default:
        return read_value(p);
    }
}
