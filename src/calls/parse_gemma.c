/* parse_gemma.c: arguments as Gemma writes them:
 *
 *     {city:<|"|>Paris<|"|>,days:3,tags:[<|"|>a<|"|>,true],more:{x:null}}
 *
 * Names stand bare (also between the quotes of strings), strings are their
 * characters between <|"|>, all else is JSON. What is not, is a string.
 * Tests: unit/tool_parse_test.c, prop/tool_round_trip_test.c.
 */
#include "calls/parse.h"

static const char quote[] = "<|\"|>";

typedef enum GemmaState {
    GEMMA_VALUE,       /* after : or , in a list */
    GEMMA_ITEM_OR_END, /* after [ */
    GEMMA_NAME_OR_END, /* after { */
    GEMMA_NAME,        /* after , */
    GEMMA_BARE_NAME,   /* up to the : */
    GEMMA_QUOTED_NAME, /* up to the quote */
    GEMMA_COLON,
    GEMMA_STRING,
    GEMMA_WORD, /* a number, true, false or null */
    GEMMA_NEXT
} GemmaState;

static bool go(Parser *p, GemmaState state)
{
    p->member.at = (uint8_t)state;
    return true;
}

static bool broken(Parser *p)
{
    call_end(p, false);
    return true;
}

void gemma_begin(Parser *p)
{
    p->member.open.count = 0;
    p->member.word.count = 0;
    p->state = READ_GEMMA;
    go(p, GEMMA_VALUE);
}

/* ---- levels ---- */

static bool open_level(Parser *p, uint8_t byte)
{
    parser_keep(p, &p->member.open, span_of(&byte, 1));
    tell_args(p, byte == '{' ? "{" : "[");
    p->pos++;
    return go(p, byte == '{' ? GEMMA_NAME_OR_END : GEMMA_ITEM_OR_END);
}

static bool close_level(Parser *p, uint8_t byte)
{
    Bytes *open = &p->member.open;
    bool is_object = open->at[open->count - 1] == '{';
    if (byte != (is_object ? '}' : ']')) return broken(p);
    tell_args(p, is_object ? "}" : "]");
    p->pos++;
    if (--open->count) return go(p, GEMMA_NEXT);
    call_end(p, true);
    return true;
}

static bool read_next(Parser *p, uint8_t byte)
{
    const Bytes *open = &p->member.open;
    if (byte != ',') return close_level(p, byte);
    tell_args(p, ",");
    p->pos++;
    return go(p, open->at[open->count - 1] == '{' ? GEMMA_NAME : GEMMA_VALUE);
}

/* ---- names and values ---- */

static void take_byte(Parser *p)
{
    parser_keep(p, &p->member.word, span_of(p->in.at + p->pos, 1));
    p->pos++;
}

/* The quote, then `state`; else `otherwise`, which reads the byte. */
static bool read_quote(Parser *p, GemmaState state, GemmaState otherwise)
{
    int quoted = input_starts(p, quote);
    if (quoted < 0) return false;
    p->member.word.count = 0;
    if (!quoted) return go(p, otherwise);
    p->pos += sizeof quote - 1;
    string_open(p);
    return go(p, state);
}

static bool read_value(Parser *p, uint8_t byte)
{
    if (byte == '{' || byte == '[') return open_level(p, byte);
    if (!p->member.open.count) return broken(p);
    return read_quote(p, GEMMA_STRING, GEMMA_WORD);
}

/* Characters up to the quote. */
static bool read_string(Parser *p)
{
    bool is_name = p->member.at == GEMMA_QUOTED_NAME;
    int ends = input_starts(p, quote);
    if (ends < 0) return false;
    if (!ends) {
        string_put(p, p->in.at[p->pos++]);
        return true;
    }
    string_close(p);
    p->pos += sizeof quote - 1;
    return go(p, is_name ? GEMMA_COLON : GEMMA_NEXT);
}

static bool read_bare_name(Parser *p, uint8_t byte)
{
    if (byte != ':') {
        take_byte(p);
        return true;
    }
    value_put(p, bytes_span(&p->member.word), TYPE_STRING, false);
    return go(p, GEMMA_COLON);
}

static bool read_colon(Parser *p, uint8_t byte)
{
    if (byte != ':') return broken(p);
    tell_args(p, ":");
    p->pos++;
    return go(p, GEMMA_VALUE);
}

static bool read_word(Parser *p, uint8_t byte)
{
    bool is_end = byte == ',' || byte == '}' || byte == ']';
    if (!is_end) {
        take_byte(p);
        return true;
    }
    value_put(p, bytes_span(&p->member.word), TYPE_ALL, false);
    return go(p, GEMMA_NEXT);
}

static bool step(Parser *p, uint8_t byte)
{
    switch ((GemmaState)p->member.at) {
    case GEMMA_ITEM_OR_END:
        return byte == ']' ? close_level(p, byte) : read_value(p, byte);
    case GEMMA_VALUE:
        return read_value(p, byte);
    case GEMMA_NAME_OR_END:
        if (byte == '}') return close_level(p, byte);
        return read_quote(p, GEMMA_QUOTED_NAME, GEMMA_BARE_NAME);
    case GEMMA_NAME:
        return read_quote(p, GEMMA_QUOTED_NAME, GEMMA_BARE_NAME);
    case GEMMA_BARE_NAME:
        return read_bare_name(p, byte);
    case GEMMA_COLON:
        return read_colon(p, byte);
    case GEMMA_QUOTED_NAME:
    case GEMMA_STRING:
        return read_string(p);
    case GEMMA_WORD:
        return read_word(p, byte);
    case GEMMA_NEXT:
        break;
    }
    return read_next(p, byte);
}

/* Whether blanks are layout there. */
static bool skips_blanks(const Parser *p)
{
    uint8_t at = p->member.at;
    return at != GEMMA_STRING && at != GEMMA_QUOTED_NAME &&
           at != GEMMA_BARE_NAME && at != GEMMA_WORD;
}

bool reader_gemma(Parser *p)
{
    if (input_empty(p)) return p->ended ? broken(p) : false;
    uint8_t byte = p->in.at[p->pos];
    if (!skips_blanks(p) || !is_blank(byte)) return step(p, byte);
    p->pos++;
    return true;
}
