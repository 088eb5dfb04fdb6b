/* json_scan.c: a pushdown automaton of JSON.
 *
 * States of numbers are those of RFC 8259's grammar; what may follow a number
 * ends it. Objects and arrays that are open are a stack of bytes.
 * Tests: unit/json_scan_test.c, against text/json.h.
 */
#include "calls/json_scan.h"

typedef enum ScanState {
    AT_VALUE,        /* blanks, a value */
    AT_VALUE_OR_END, /* after [ */
    AT_KEY_OR_END,   /* after { */
    AT_KEY,          /* after a comma in an object */
    AT_COLON,
    AT_NEXT, /* after a value: , ] } */
    IN_STRING,
    IN_ESCAPE,
    IN_HEX1,
    IN_HEX2,
    IN_HEX3,
    IN_HEX4,
    IN_PAIR,   /* after a high surrogate: the backslash */
    IN_PAIR_U, /* ... u */
    IN_LITERAL,
    IN_MINUS,
    IN_ZERO,
    IN_WHOLE,
    IN_POINT,
    IN_FRACTION,
    IN_E,
    IN_SIGN,
    IN_EXPONENT
} ScanState;

void json_scan_begin(JsonScan *scan)
{
    scan->state = AT_VALUE;
    scan->is_key = scan->is_second = false;
    scan->left = 0;
    scan->open.count = 0;
}

void json_scan_free(JsonScan *scan, const Mem *mem)
{
    vec_free(mem, &scan->open);
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static ScanResult go(JsonScan *scan, ScanState state)
{
    scan->state = (uint8_t)state;
    return SCAN_MORE;
}

/* A value has ended, with the byte just taken. */
static ScanResult end_value(JsonScan *scan)
{
    scan->state = AT_NEXT;
    return scan->open.count ? SCAN_MORE : SCAN_DONE;
}

/* ---- beginnings ---- */

static ScanResult begin_string(JsonScan *scan, bool is_key)
{
    scan->is_key = is_key;
    return go(scan, IN_STRING);
}

static ScanResult begin_literal(JsonScan *scan, const char *rest)
{
    scan->rest = rest;
    return go(scan, IN_LITERAL);
}

static ScanResult begin_list(JsonScan *scan, const Mem *mem, uint8_t byte)
{
    if (scan->open.count >= SCAN_MAX_DEPTH) return SCAN_BAD;
    if (!vec_push(mem, &scan->open, byte)) return SCAN_MEMORY;
    return go(scan, byte == '{' ? AT_KEY_OR_END : AT_VALUE_OR_END);
}

static ScanResult begin_value(JsonScan *scan, const Mem *mem, uint8_t byte)
{
    switch (byte) {
    case '{':
    case '[':
        return begin_list(scan, mem, byte);
    case '"':
        return begin_string(scan, false);
    case 't':
        return begin_literal(scan, "rue");
    case 'f':
        return begin_literal(scan, "alse");
    case 'n':
        return begin_literal(scan, "ull");
    case '-':
        return go(scan, IN_MINUS);
    case '0':
        return go(scan, IN_ZERO);
    default:
        return is_digit(byte) ? go(scan, IN_WHOLE) : SCAN_BAD;
    }
}

static ScanResult end_list(JsonScan *scan, uint8_t byte)
{
    uint8_t open = scan->open.at[scan->open.count - 1];
    if (byte != (open == '{' ? '}' : ']')) return SCAN_BAD;
    scan->open.count--;
    return end_value(scan);
}

/* ---- between values ---- */

static ScanResult step_next(JsonScan *scan, uint8_t byte)
{
    uint8_t open = scan->open.at[scan->open.count - 1];
    if (byte != ',') return end_list(scan, byte);
    return go(scan, open == '{' ? AT_KEY : AT_VALUE);
}

static ScanResult step_between(JsonScan *scan, const Mem *mem, uint8_t byte)
{
    if (is_space(byte)) return SCAN_MORE;
    switch ((ScanState)scan->state) {
    case AT_KEY_OR_END:
        if (byte == '}') return end_list(scan, byte);
        return byte == '"' ? begin_string(scan, true) : SCAN_BAD;
    case AT_KEY:
        return byte == '"' ? begin_string(scan, true) : SCAN_BAD;
    case AT_COLON:
        return byte == ':' ? go(scan, AT_VALUE) : SCAN_BAD;
    case AT_NEXT:
        return step_next(scan, byte);
    case AT_VALUE_OR_END:
        if (byte == ']') return end_list(scan, byte);
        return begin_value(scan, mem, byte);
    default:
        return begin_value(scan, mem, byte);
    }
}

/* ---- strings ---- */

/* The first byte of a character of several. */
static ScanResult begin_rune(JsonScan *scan, uint8_t byte)
{
    if (byte < 0xC2 || byte > 0xF4) return SCAN_BAD;
    scan->left = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    scan->lo = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    scan->hi = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    return SCAN_MORE;
}

static ScanResult step_string(JsonScan *scan, uint8_t byte)
{
    if (scan->left) {
        if (byte < scan->lo || byte > scan->hi) return SCAN_BAD;
        scan->left--;
        scan->lo = 0x80;
        scan->hi = 0xBF;
        return SCAN_MORE;
    }
    if (byte == '\\') return go(scan, IN_ESCAPE);
    if (byte >= 0x80) return begin_rune(scan, byte);
    if (byte != '"') return byte < 0x20 ? SCAN_BAD : SCAN_MORE;
    return scan->is_key ? go(scan, AT_COLON) : end_value(scan);
}

static ScanResult step_escape(JsonScan *scan, uint8_t byte)
{
    if (byte == 'u') return go(scan, IN_HEX1);
    if (!byte || !strchr("\"\\/bfnrt", byte)) return SCAN_BAD;
    return go(scan, IN_STRING);
}

/* The second digit after \uD tells a surrogate; of a pair the high one
 * comes first. */
static bool is_paired(JsonScan *scan, uint8_t byte)
{
    bool is_high = scan->is_d && (byte == '8' || byte == '9' || byte == 'a' ||
                                  byte == 'b' || byte == 'A' || byte == 'B');
    bool is_low = scan->is_d && !is_high && !(byte >= '0' && byte <= '7');
    bool is_right = is_low == scan->is_second;
    scan->is_second = is_high;
    return is_right;
}

static ScanResult step_hex(JsonScan *scan, uint8_t byte)
{
    bool is_hex = is_digit(byte) || (byte >= 'a' && byte <= 'f') ||
                  (byte >= 'A' && byte <= 'F');
    if (!is_hex) return SCAN_BAD;
    if (scan->state == IN_HEX1) scan->is_d = byte == 'd' || byte == 'D';
    if (scan->state == IN_HEX2 && !is_paired(scan, byte)) return SCAN_BAD;
    if (scan->state < IN_HEX4) return go(scan, scan->state + 1u);
    return go(scan, scan->is_second ? IN_PAIR : IN_STRING);
}

/* ---- literals and numbers ---- */

static ScanResult step_literal(JsonScan *scan, uint8_t byte)
{
    if (byte != (uint8_t)*scan->rest) return SCAN_BAD;
    return *++scan->rest ? SCAN_MORE : end_value(scan);
}

/* The number has ended before the byte. */
static ScanResult end_number(JsonScan *scan, uint8_t byte)
{
    scan->state = AT_NEXT;
    if (!scan->open.count) return SCAN_OVER;
    return is_space(byte) ? SCAN_MORE : step_next(scan, byte);
}

static ScanResult step_number(JsonScan *scan, uint8_t byte)
{
    bool digit = is_digit(byte), e = byte == 'e' || byte == 'E';
    switch ((ScanState)scan->state) {
    case IN_MINUS:
        if (!digit) return SCAN_BAD;
        return go(scan, byte == '0' ? IN_ZERO : IN_WHOLE);
    case IN_POINT:
        return digit ? go(scan, IN_FRACTION) : SCAN_BAD;
    case IN_E:
        if (byte == '+' || byte == '-') return go(scan, IN_SIGN);
        return digit ? go(scan, IN_EXPONENT) : SCAN_BAD;
    case IN_SIGN:
        return digit ? go(scan, IN_EXPONENT) : SCAN_BAD;
    case IN_WHOLE:
    case IN_ZERO:
        if (digit && scan->state == IN_WHOLE) return SCAN_MORE;
        if (byte == '.') return go(scan, IN_POINT);
        return e ? go(scan, IN_E) : end_number(scan, byte);
    case IN_FRACTION:
        if (e) return go(scan, IN_E);
        return digit ? SCAN_MORE : end_number(scan, byte);
    default:
        return digit ? SCAN_MORE : end_number(scan, byte);
    }
}

bool json_scan_is_whole(const JsonScan *scan)
{
    ScanState state = (ScanState)scan->state;
    return !scan->open.count && (state == IN_ZERO || state == IN_WHOLE ||
                                 state == IN_FRACTION || state == IN_EXPONENT);
}

bool json_scan_in_string(const JsonScan *scan)
{
    return scan->state >= IN_STRING && scan->state <= IN_PAIR_U;
}

ScanResult json_scan_step(JsonScan *scan, const Mem *mem, uint8_t byte)
{
    switch ((ScanState)scan->state) {
    case IN_STRING:
        return step_string(scan, byte);
    case IN_ESCAPE:
        return step_escape(scan, byte);
    case IN_HEX1:
    case IN_HEX2:
    case IN_HEX3:
    case IN_HEX4:
        return step_hex(scan, byte);
    case IN_PAIR:
        return byte == '\\' ? go(scan, IN_PAIR_U) : SCAN_BAD;
    case IN_PAIR_U:
        return byte == 'u' ? go(scan, IN_HEX1) : SCAN_BAD;
    case IN_LITERAL:
        return step_literal(scan, byte);
    default:
        return scan->state < IN_STRING ? step_between(scan, mem, byte)
                                       : step_number(scan, byte);
    }
}
