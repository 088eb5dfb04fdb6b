/* llama_json.c: see llama_json.h.
 *
 * In:     a text, read up to its first fault.
 * Method: words, and a stack of the containers that are open. A message tells
 *         the place behind the last byte read (the end counts as one), what was
 *         being read, what was found there, and mostly what was expected. What
 *         was found is a word, or a fault in a word together with all that was
 *         read since the last string or number began.
 * Cost:   linear; a byte for each open container.
 * Tests:  unit/convert_llama_test.c
 */
#include "convert/llama_json.h"

#include "base/vec.h"

typedef enum Word {
    WORD_FAULT,
    WORD_TRUE,
    WORD_FALSE,
    WORD_NULL,
    WORD_STRING,
    WORD_NUMBER,
    WORD_ARRAY,
    WORD_OBJECT,
    WORD_ARRAY_END,
    WORD_OBJECT_END,
    WORD_COLON,
    WORD_COMMA,
    WORD_END
} Word;

static const char *const word_names[] = {"",
                                         "true literal",
                                         "false literal",
                                         "null literal",
                                         "string literal",
                                         "number literal",
                                         "'['",
                                         "'{'",
                                         "']'",
                                         "'}'",
                                         "':'",
                                         "','",
                                         "end of input"};

typedef struct Reader {
    Span text;
    size_t at;    /* one past the last byte read; size + 1 behind the end */
    size_t since; /* where the last string or number began */
    const char *fault;
    uint8_t control;   /* the control character that is the fault, or 0x20 */
    VEC(uint8_t) open; /* '[' or '{' */
    const Mem *mem;
    Out *out;
} Reader;

/* ---- words ---- */

static Word fault(Reader *r, const char *message)
{
    r->fault = message;
    return WORD_FAULT;
}

/* The next byte; -1 at the end. */
static int next(Reader *r)
{
    int c = r->at < r->text.size ? r->text.at[r->at] : -1;
    r->at++;
    return c;
}

static int peek(const Reader *r)
{
    return r->at < r->text.size ? r->text.at[r->at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static Word read_letters(Reader *r, const char *rest, Word word)
{
    for (; *rest; rest++)
        if (next(r) != *rest) return fault(r, "invalid literal");
    return word;
}

static bool skip_digits(Reader *r, const char *message)
{
    if (!is_digit(next(r))) {
        fault(r, message);
        return false;
    }
    while (is_digit(peek(r))) r->at++;
    return true;
}

static Word read_exponent(Reader *r)
{
    bool has_sign = peek(r) == '+' || peek(r) == '-';
    r->at += has_sign;
    return skip_digits(r, has_sign ? "invalid number; expected digit after "
                                     "exponent sign"
                                   : "invalid number; expected '+', '-', or "
                                     "digit after exponent")
               ? WORD_NUMBER
               : WORD_FAULT;
}

static Word read_number(Reader *r, int first)
{
    r->since = r->at - 1;
    if (first == '-') first = next(r);
    if (!is_digit(first))
        return fault(r, "invalid number; expected digit after '-'");
    while (first != '0' && is_digit(peek(r))) r->at++;
    if (peek(r) == '.') {
        r->at++;
        if (!skip_digits(r, "invalid number; expected digit after '.'"))
            return WORD_FAULT;
    }
    if (peek(r) != 'e' && peek(r) != 'E') return WORD_NUMBER;
    r->at++;
    return read_exponent(r);
}

/* Four hexadecimal digits; -1: not so. */
static int read_hex(Reader *r)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        int c = next(r), low = c | 0x20;
        if (is_digit(c))
            value = value * 16 + c - '0';
        else if (c > 0 && low >= 'a' && low <= 'f')
            value = value * 16 + low - 'a' + 10;
        else
            return -1;
    }
    return value;
}

static bool read_escape(Reader *r)
{
    static const char bad_hex[] =
        "invalid string: '\\u' must be followed by 4 hex digits";
    static const char bad_pair[] =
        "invalid string: surrogate U+D800..U+DBFF must be followed by "
        "U+DC00..U+DFFF";
    int c = next(r);
    if (c != 'u') {
        if (c > 0 && strchr("\"\\/bfnrt", c)) return true;
        fault(r, "invalid string: forbidden character after backslash");
        return false;
    }
    int rune = read_hex(r);
    if (rune < 0) fault(r, bad_hex);
    if (rune >= 0xDC00 && rune < 0xE000)
        fault(r, "invalid string: surrogate U+DC00..U+DFFF must follow "
                 "U+D800..U+DBFF");
    if (rune >= 0xD800 && rune < 0xDC00) {
        bool is_escape = next(r) == '\\';
        if (!is_escape || next(r) != 'u') {
            fault(r, bad_pair);
            return false;
        }
        int low = read_hex(r);
        if (low < 0xDC00 || low > 0xDFFF)
            fault(r, low < 0 ? bad_hex : bad_pair);
    }
    return !r->fault;
}

/* The rest of a character that begins with byte c >= 0x80. */
static bool read_wide(Reader *r, int c)
{
    int lo = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    int hi = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    int more = c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
    for (; more > 0; more--, lo = 0x80, hi = 0xBF) {
        int b = next(r);
        if (b < lo || b > hi) more = -1;
    }
    if (more < 0) fault(r, "invalid string: ill-formed UTF-8 byte");
    return more == 0;
}

static Word read_string(Reader *r)
{
    r->since = r->at - 1;
    for (;;) {
        int c = next(r);
        bool ok = true;
        if (c == '"') return WORD_STRING;
        if (c < 0) return fault(r, "invalid string: missing closing quote");
        if (c < 0x20) {
            r->control = (uint8_t)c;
            return fault(r, "invalid string: control character");
        }
        if (c == '\\') ok = read_escape(r);
        if (c >= 0x80) ok = read_wide(r, c);
        if (!ok) return WORD_FAULT;
    }
}

static Word read_word(Reader *r)
{
    int c = next(r);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = next(r);
    switch (c) {
    case -1:
    case 0:
        return WORD_END;
    case '[':
        return WORD_ARRAY;
    case ']':
        return WORD_ARRAY_END;
    case '{':
        return WORD_OBJECT;
    case '}':
        return WORD_OBJECT_END;
    case ':':
        return WORD_COLON;
    case ',':
        return WORD_COMMA;
    case 't':
        return read_letters(r, "rue", WORD_TRUE);
    case 'f':
        return read_letters(r, "alse", WORD_FALSE);
    case 'n':
        return read_letters(r, "ull", WORD_NULL);
    case '"':
        return read_string(r);
    default:
        return c == '-' || is_digit(c) ? read_number(r, c)
                                       : fault(r, "invalid literal");
    }
}

/* ---- the message ---- */

/* Behind a number at the end of a line the column is 0: the byte that ended it
 * has been read and put back. */
static void write_place(const Reader *r, Word found)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < r->at && i < r->text.size; i++)
        if (r->text.at[i] == '\n') {
            line++;
            start = i + 1;
        }
    bool is_put_back = found == WORD_NUMBER && peek(r) == '\n';
    out_format(r->out,
               "[json.exception.parse_error.101] parse error at line %zu, "
               "column %zu: ",
               line, is_put_back ? 0 : r->at - start);
}

static void write_control(const Reader *r)
{
    static const char *const names[] = {
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL",
        "BS",  "HT",  "LF",  "VT",  "FF",  "CR",  "SO",  "SI",
        "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB",
        "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US"};
    static const char letters[] = "btnfr", meaning[] = "\b\t\n\f\r";
    unsigned c = r->control;
    const char *found = c ? strchr(meaning, (int)c) : NULL;
    out_format(r->out, " U+%04X (%s) must be escaped to \\u%04X", c, names[c],
               c);
    if (found) out_format(r->out, " or \\%c", letters[found - meaning]);
}

static void write_fault(const Reader *r)
{
    out_text(r->out, r->fault);
    if (r->control < 0x20) write_control(r);
    out_text(r->out, "; last read: '");
    for (size_t i = r->since; i < r->at && i < r->text.size; i++) {
        uint8_t c = r->text.at[i];
        if (c < 0x20)
            out_format(r->out, "<U+%04X>", c);
        else
            out_bytes(r->out, span_of(&c, 1));
    }
    out_text(r->out, "'");
}

/* wanted: NULL if a fault is all there is to say. */
static bool report(const Reader *r, Word found, const char *what,
                   const char *wanted)
{
    write_place(r, found);
    out_format(r->out, "syntax error while parsing %s - ", what);
    if (found == WORD_FAULT)
        write_fault(r);
    else
        out_format(r->out, "unexpected %s", word_names[found]);
    if (wanted) out_format(r->out, "; expected %s", wanted);
    return false;
}

/* ---- the text ---- */

/* A key and the colon behind it. */
static bool read_key(Reader *r, Word found)
{
    if (found != WORD_STRING)
        return report(r, found, "object key", word_names[WORD_STRING]);
    found = read_word(r);
    return found == WORD_COLON ||
           report(r, found, "object separator", word_names[WORD_COLON]);
}

static Word innermost_end(const Reader *r)
{
    bool is_array = r->open.at[r->open.count - 1] == '[';
    return is_array ? WORD_ARRAY_END : WORD_OBJECT_END;
}

/* A value that begins with the word found: up to the end of its first part
 * that is no container or an empty one. */
static bool read_value(Reader *r, Word found)
{
    while (found == WORD_ARRAY || found == WORD_OBJECT) {
        bool is_array = found == WORD_ARRAY;
        if (!vec_push(r->mem, &r->open, is_array ? '[' : '{')) return false;
        found = read_word(r);
        if (found == innermost_end(r)) {
            r->open.count--;
            return true;
        }
        if (!is_array && !read_key(r, found)) return false;
        if (!is_array) found = read_word(r);
    }
    if (found >= WORD_TRUE && found <= WORD_NUMBER) return true;
    if (found != WORD_END || r->at > 1)
        return report(r, found, "value",
                      found ? "'[', '{', or a literal" : NULL);
    write_place(r, found);
    out_text(r->out, "attempting to parse an empty input; check that your "
                     "input string or stream contains the expected JSON");
    return false;
}

/* Behind a value in a container. */
static bool read_more(Reader *r)
{
    Word found = read_word(r), end = innermost_end(r);
    bool is_array = end == WORD_ARRAY_END;
    if (found == end) {
        r->open.count--;
        return true;
    }
    if (found != WORD_COMMA)
        return report(r, found, is_array ? "array" : "object", word_names[end]);
    return (is_array || read_key(r, read_word(r))) &&
           read_value(r, read_word(r));
}

/* Up to the first fault. */
static void read_all(Reader *r)
{
    bool ok = read_value(r, read_word(r));
    while (ok && r->open.count) ok = read_more(r);
    Word last = ok ? read_word(r) : WORD_END;
    if (last != WORD_END) report(r, last, "value", word_names[WORD_END]);
}

void llama_json_message(const Mem *mem, Span text, Out *out)
{
    Reader r = {.text = text, .control = 0x20, .mem = mem, .out = out};
    read_all(&r);
    vec_free(mem, &r.open);
}
