/* parse_object.c: a call that is a JSON object: {"name": ..., "arguments": ...}
 *
 * Members in any order, and others, which are passed over. The call is told
 * when its name is known and its arguments begin, or when the object ends.
 * Until then the whole of it may turn out to be text; arguments that come
 * before the name are kept. Arguments that are null, or not there, are {}.
 * Tests: unit/tool_parse_test.c.
 */
#include "calls/parse.h"
#include "text/json.h"

typedef enum ObjectState {
    OBJECT_OPEN,       /* the { */
    OBJECT_KEY_OR_END, /* after the { */
    OBJECT_KEY,        /* after a comma */
    OBJECT_IN_KEY,
    OBJECT_COLON,
    OBJECT_VALUE,
    OBJECT_IN_VALUE,
    OBJECT_NEXT
} ObjectState;

typedef enum ObjectMember {
    MEMBER_OTHER,
    MEMBER_NAME,
    MEMBER_ID,
    MEMBER_ARGS,
    MEMBER_NULL_ARGS
} ObjectMember;

void object_begin(Parser *p)
{
    ObjectReader *o = &p->object;
    o->at = OBJECT_OPEN;
    o->has_name = o->has_args = o->is_told = false;
    o->name.count = o->id.count = o->args.count = 0;
    p->member.word.count = 0;
    p->state = READ_OBJECT;
}

/* ---- telling ---- */

static void tell(Parser *p)
{
    ObjectReader *o = &p->object;
    JsonScan json = p->json; /* the value's, which goes on */
    call_begin(p, bytes_span(&o->name), bytes_span(&o->id));
    p->json = json;
    o->is_told = true;
    tell_text(p, WEIR_TOOL_ARGUMENTS, bytes_span(&o->args));
    o->args.count = 0;
}

static void add_args(Parser *p, Span text)
{
    ObjectReader *o = &p->object;
    if (o->has_name && !o->is_told) tell(p);
    if (o->is_told)
        tell_text(p, WEIR_TOOL_ARGUMENTS, text);
    else
        parser_keep(p, &o->args, text);
}

/* It is no call, or no more. What has been looked at is text, unless it has
 * been told. */
static void break_off(Parser *p)
{
    ObjectReader *o = &p->object;
    if (o->is_told) {
        p->pos = p->scan;
        call_end(p, false);
        return;
    }
    text_put(p, span_of(p->in.at + p->pos, p->scan - p->pos));
    p->pos = p->scan;
    p->state = READ_TEXT;
}

static void end_object(Parser *p)
{
    ObjectReader *o = &p->object;
    p->scan++;
    if (!o->has_name) {
        break_off(p);
        return;
    }
    if (!o->is_told) tell(p);
    if (!o->has_args) tell_args(p, "{}");
    p->pos = p->scan;
    call_end(p, true);
}

/* ---- values ---- */

/* The characters of a JSON string. */
static void decode(Parser *p, Span spelling, Bytes *to)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    to->count = 0;
    if (!json_parse(&json, &p->mem, spelling, NULL, &err)) {
        p->failed = p->failed || err.status == WEIR_NO_MEMORY;
        return;
    }
    parser_keep(p, to, json_string(&json, JSON_ROOT));
    json_free(&json);
}

static ObjectMember member_of(const Parser *p)
{
    Span key = bytes_span(&p->member.word);
    const ObjectReader *o = &p->object;
    if (span_equal(key, SPAN("\"name\"")) && !o->has_name) return MEMBER_NAME;
    if (span_equal(key, SPAN("\"id\"")) && !o->is_told) return MEMBER_ID;
    bool is_args = span_equal(key, SPAN("\"arguments\"")) ||
                   span_equal(key, SPAN("\"parameters\""));
    return is_args && !o->has_args ? MEMBER_ARGS : MEMBER_OTHER;
}

/* A byte of a value. */
static void put_value(Parser *p, uint8_t byte)
{
    ObjectReader *o = &p->object;
    Span text = span_of(&byte, 1);
    if (o->member == MEMBER_ARGS) add_args(p, text);
    if (o->member == MEMBER_NAME || o->member == MEMBER_ID)
        parser_keep(p, &p->member.word, text);
}

/* False: that value cannot be. */
static bool end_value(Parser *p)
{
    ObjectReader *o = &p->object;
    Span word = bytes_span(&p->member.word);
    o->at = OBJECT_NEXT;
    if (o->member == MEMBER_ARGS) o->has_args = true;
    if (o->member == MEMBER_ID) decode(p, word, &o->id);
    if (o->member != MEMBER_NAME) return true;
    decode(p, word, &o->name);
    o->has_name = o->name.count > 0;
    if (o->has_name && o->has_args) tell(p);
    return o->has_name;
}

/* ---- steps ---- */

static void begin_value(Parser *p, uint8_t byte)
{
    ObjectReader *o = &p->object;
    o->member = (uint8_t)member_of(p);
    if (o->member == MEMBER_ARGS && byte == 'n') o->member = MEMBER_NULL_ARGS;
    p->member.word.count = 0;
    json_scan_begin(&p->json);
    o->at = OBJECT_IN_VALUE;
}

/* A byte of a key or a value; true: it was taken. */
static bool step_json(Parser *p, uint8_t byte)
{
    ObjectReader *o = &p->object;
    bool is_key = o->at == OBJECT_IN_KEY;
    ScanResult result = json_scan_step(&p->json, &p->mem, byte);
    if (result == SCAN_MEMORY) p->failed = true;
    if (result == SCAN_MORE || result == SCAN_DONE) {
        if (is_key)
            parser_keep(p, &p->member.word, span_of(&byte, 1));
        else
            put_value(p, byte);
        p->scan++;
    }
    bool is_end = result == SCAN_DONE || result == SCAN_OVER;
    if (is_end && is_key) o->at = OBJECT_COLON;
    if (is_end && !is_key && !end_value(p)) return false;
    return result != SCAN_BAD;
}

static bool step_to(Parser *p, ObjectState state)
{
    p->object.at = (uint8_t)state;
    p->scan++;
    return true;
}

/* False: the byte cannot stand there. */
static bool step(Parser *p, uint8_t byte)
{
    ObjectReader *o = &p->object;
    if (o->at != OBJECT_IN_KEY && o->at != OBJECT_IN_VALUE && is_blank(byte)) {
        p->scan++;
        return true;
    }
    switch ((ObjectState)o->at) {
    case OBJECT_OPEN:
        return byte == '{' && step_to(p, OBJECT_KEY_OR_END);
    case OBJECT_KEY_OR_END:
    case OBJECT_KEY:
        if (byte == '}' && o->at == OBJECT_KEY_OR_END) return false;
        if (byte != '"') return false;
        p->member.word.count = 0;
        json_scan_begin(&p->json);
        o->at = OBJECT_IN_KEY;
        return true;
    case OBJECT_COLON:
        return byte == ':' && step_to(p, OBJECT_VALUE);
    case OBJECT_VALUE:
        begin_value(p, byte);
        return true;
    case OBJECT_IN_KEY:
    case OBJECT_IN_VALUE:
        return step_json(p, byte);
    case OBJECT_NEXT:
        break;
    }
    if (byte == ',') return step_to(p, OBJECT_KEY);
    if (byte == '}') end_object(p);
    return byte == '}';
}

bool reader_object(Parser *p)
{
    if (p->scan == p->in.count) {
        if (p->ended) break_off(p);
        return false;
    }
    if (!step(p, p->in.at[p->scan])) break_off(p);
    if (p->object.is_told && p->state == READ_OBJECT) p->pos = p->scan;
    return true;
}
