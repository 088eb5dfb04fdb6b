/* parse.h: one output of a family being read, byte by byte.
 *
 *   piece ─► in ─► text: looking for openers ─► opener ─► its reader ─► events
 *                   ▲                                          │
 *                   └──────────────────────────────────────────┘
 *
 * What is settled is told at once; `in` holds what is not: the beginning of
 * what may be an opener, an object whose call has no name yet, a marker that
 * is not whole. Nothing depends on how the text came in pieces.
 *
 * Blanks that touch a marker are layout and belong to no text. What looks like
 * a call but breaks before it has been told is text; one that breaks later has
 * ended, and is not whole.
 */
#ifndef WEIR_CALLS_PARSE_H
#define WEIR_CALLS_PARSE_H

#include "base/arena.h"
#include "calls/json_scan.h"
#include "calls/member_list.h"
#include "calls/opener.h"

typedef VEC(uint8_t) Bytes;

typedef enum ReadState {
    READ_TEXT, /* places of opener.h */
    READ_OBJECT,
    READ_JSON,
    READ_MEMBERS,
    READ_GEMMA,
    READ_CLOSE
} ReadState;

/* {"name": ..., "arguments": ...} */
typedef struct ObjectReader {
    uint8_t at;     /* ObjectState */
    uint8_t member; /* ObjectMember: what the value is */
    bool has_name, has_args, is_told;
    Bytes name, id, args; /* decoded; args: until the name is known */
} ObjectReader;

/* <parameter=...>...</parameter> */
typedef struct MemberReader {
    uint8_t at;      /* MemberState */
    bool is_first;   /* no member or item yet, at this level */
    bool has_line;   /* a line end that is text if more follows */
    bool is_json;    /* so far the value is an object or an array */
    unsigned types;  /* that the value may have */
    Bytes open;      /* levels: '{' '[' */
    Bytes word;      /* a name, a type, a value that is not settled */
    uint8_t rune[4]; /* a character that is not whole */
    uint8_t rune_size;
} MemberReader;

/* An event whose texts are ranges of Parser.text. */
typedef struct Slot {
    weir_tool_event_kind kind;
    uint32_t call;
    bool complete;
    uint32_t begin, end, id_end; /* the id follows the text */
} Slot;

typedef struct Parser {
    Mem mem;
    const Family *family;
    const ArgStyle *style; /* NULL: JSON */
    const char *call_end;  /* rest of the template of the call being read */
    weir_reasoning reasoning;
    bool no_calls; /* what calls look like is text */
    Openers openers;
    MemberList members;
    bool failed; /* out of memory */
    bool ended;
    ReadState state;
    unsigned place; /* where text is being read */
    bool is_border; /* nothing but blanks since a marker */
    Bytes in;
    size_t pos, scan; /* of `in`: what is settled; what has been looked at */
    Try tries[OPENERS_MAX];
    bool alive[OPENERS_MAX];
    Try closing;
    Bytes blanks;
    uint32_t calls; /* told so far */
    JsonScan json;
    ObjectReader object;
    MemberReader member;
    uint32_t tool; /* of the call being read, in members; UINT32_MAX: none */
    /* what is told */
    Bytes text;
    VEC(Slot) slots;
    VEC(weir_tool_event) events;
    uint8_t tail[4]; /* bytes of a character that is not whole */
    uint32_t tail_size;
    weir_tool_event_kind tail_kind;
} Parser;

/* mem, family, reasoning, no_calls and members are set. */
void parser_reset(Parser *p);
void parser_free(Parser *p);
/* Takes a piece; then p->events are what it settles. False: out of memory. */
bool parser_take(Parser *p, Span piece);
bool parser_end(Parser *p);

/* ---- parse_tell.c: events ---- */

/* More of a text. */
void tell_text(Parser *p, weir_tool_event_kind kind, Span text);
void tell_call(Parser *p, Span name, Span id);
void tell_end(Parser *p, bool complete);
/* Ends the taking of a piece: slots become events. */
void tell_events(Parser *p);
static inline void tell_args(Parser *p, const char *text)
{
    tell_text(p, WEIR_TOOL_ARGUMENTS, span_text(text));
}
/* Appends to bytes of the parser's own. */
void parser_keep(Parser *p, Bytes *bytes, Span text);
static inline Span bytes_span(const Bytes *b)
{
    return span_of(b->at, b->count);
}

/* ---- readers: each takes what it can ---- */

/* False: more input is needed, or there is none. */
bool reader_text(Parser *p);
bool reader_object(Parser *p);
bool reader_json(Parser *p);
bool reader_members(Parser *p);
bool reader_gemma(Parser *p);

/* parse_text.c: bytes that have turned out to be text. */
void text_put(Parser *p, Span text);
/* What was held back of a text that ends. */
void text_end(Parser *p);
void text_mark(Parser *p);
/* parse_run.c: a call has been told, or has ended. */
void call_begin(Parser *p, Span name, Span id);
void call_end(Parser *p, bool complete);
/* Whether the input, from pos on, begins with the text: -1 if it is too short
 * to tell. */
int input_starts(const Parser *p, const char *text);
/* No input after pos, and more may come or not. */
static inline bool input_empty(const Parser *p)
{
    return p->pos == p->in.count;
}
void object_begin(Parser *p);
void members_begin(Parser *p);
void gemma_begin(Parser *p);

/* parse_value.c: a value that was written without saying what it is. */
void value_put(Parser *p, Span text, unsigned types, bool has_lines);
/* A JSON string, in pieces. */
void string_open(Parser *p);
void string_put(Parser *p, uint8_t byte);
void string_close(Parser *p);

#endif
