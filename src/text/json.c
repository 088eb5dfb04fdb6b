/* json.c: a strict RFC 8259 reader.
 *
 * In:    a whole text.  Out: its values as nodes in the order of the text.
 * Method: one pass with five states and no recursion. The chain of open
 *        containers is kept in their own links, which closing overwrites with
 *        the id after the last descendant. Strings are scanned eight bytes at
 *        a time while they are plain ASCII; only those with escapes are
 *        decoded, into a pool. UTF-8 must be well formed, and escapes of
 *        surrogates must pair up, since no UTF-8 text spells a lone one.
 * Holds: while parsing, nodes [0, count) are complete but for the links of
 *        open containers; link of an open one is its parent or JSON_NONE.
 * Cost:  linear; 12 bytes a value. Nothing else grows with the depth.
 * Tests: unit/json_test.c
 */
#include "text/json.h"

#include "base/diag.h"
#include "base/utf8.h"
#include "text/decimal.h"

#define MAX_BYTES ((size_t)1 << 31)

typedef enum State {
    WANT_VALUE,
    WANT_ITEM_OR_END, /* after '[' */
    WANT_KEY_OR_END,  /* after '{' */
    WANT_KEY,         /* after ',' in an object */
    WANT_MORE,        /* after a value */
    DONE,
    FAILED
} State;

typedef struct Parser {
    Json *json;
    const uint8_t *at, *end;
    JsonId open; /* innermost open container */
    uint32_t depth, max_depth;
    weir_error *err;
} Parser;

/* ---- reports ---------------------------------------------------------- */

static size_t offset_of(const Parser *p, const uint8_t *at)
{
    return (size_t)(at - p->json->text.at);
}

/* Reports what stands at `at`. Returns NULL, as the scanners do. */
static const uint8_t *refuse(Parser *p, const uint8_t *at, const char *wanted)
{
    size_t begin = offset_of(p, at), end = begin;
    Span text = p->json->text;
    if (begin < text.size) utf8_decode(text, &end);
    diag_fail(p->err, WEIR_SYNTAX, begin, end, "found %s, expected %s",
              diag_found(text, begin).text, wanted);
    return NULL;
}

static const uint8_t *refuse_range(Parser *p, const uint8_t *begin,
                                   const uint8_t *end, const char *message)
{
    diag_fail(p->err, WEIR_SYNTAX, offset_of(p, begin), offset_of(p, end), "%s",
              message);
    return NULL;
}

/* ---- strings ---------------------------------------------------------- */

/* Eight bytes, the first one lowest. */
static inline uint64_t word_at(const uint8_t *at)
{
    uint64_t word = 0;
    for (int i = 8; i-- > 0;) word = word << 8 | at[i];
    return word;
}

/* A bit 7 in each byte of the word that is a quote, a backslash, a control
 * character, or not ASCII; bytes above the lowest such may be marked wrongly. */
static uint64_t not_plain(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, highs = ones * 0x80;
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return (word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) &
           highs;
}

static inline const uint8_t *skip_plain(const uint8_t *at, const uint8_t *end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t marks = not_plain(word_at(at));
        if (marks) return at + bit_lowest(marks) / 8;
    }
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* Skips characters above U+007F; NULL for what is not well formed. */
static inline const uint8_t *skip_wide(Parser *p, const uint8_t *at)
{
    while (at < p->end && *at >= 0x80) {
        if (*at >= 0xC2 && *at < 0xE0 && p->end - at > 1 &&
            (at[1] & 0xC0) == 0x80) {
            at += 2; /* by far the most frequent in byte-level vocabularies */
            continue;
        }
        if (*at > 0xE0 && *at < 0xED && p->end - at > 2 &&
            (at[1] & 0xC0) == 0x80 && (at[2] & 0xC0) == 0x80) {
            at += 3;
            continue;
        }
        size_t pos = 0;
        Span rest = span_of(at, (size_t)(p->end - at));
        if (utf8_decode(rest, &pos) == RUNE_BAD)
            return refuse(p, at, "well-formed UTF-8");
        at += pos;
    }
    return at;
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the four digits of a \u escape at `at`, the byte after the u. */
static const uint8_t *read_hex4(Parser *p, const uint8_t *at, uint32_t *unit)
{
    *unit = 0;
    for (const uint8_t *last = at; at < last + 4; at++) {
        int digit = at < p->end ? hex_value(*at) : -1;
        if (digit < 0) return refuse(p, at, "a hexadecimal digit");
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return at;
}

/* Reads \uXXXX, or two of them for a surrogate pair. `at` is a backslash. */
static const uint8_t *read_unicode(Parser *p, const uint8_t *at, uint32_t *rune)
{
    const uint8_t *begin = at;
    uint32_t low;
    at = read_hex4(p, at + 2, rune);
    if (!at || *rune >> 11 != 0x1B) return at;
    if (*rune >= 0xDC00)
        return refuse_range(p, begin, at,
                            "found an escaped low surrogate alone, expected a "
                            "high one before it");
    if (p->end - at < 2 || at[0] != '\\' || at[1] != 'u')
        return refuse_range(p, begin, at,
                            "found an escaped high surrogate alone, expected "
                            "a low one after it");
    const uint8_t *second = at;
    at = read_hex4(p, at + 2, &low);
    if (!at) return NULL;
    if (low >> 10 != 0x37)
        return refuse_range(p, second, at,
                            "found another escape after a high surrogate, "
                            "expected a low surrogate");
    *rune = 0x10000 + ((*rune & 0x3FF) << 10 | (low & 0x3FF));
    return at;
}

/* Reads one escape; `at` is a backslash. */
static const uint8_t *read_escape(Parser *p, const uint8_t *at, uint32_t *rune)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meaning[] = "\"\\/\b\f\n\r\t";
    const uint8_t *letter = at + 1;
    if (letter < p->end && *letter == 'u') return read_unicode(p, at, rune);
    const char *found =
        letter < p->end ? memchr(letters, *letter, sizeof letters - 1) : NULL;
    if (!found) return refuse(p, letter, "one of \"\\/bfnrtu");
    *rune = (uint8_t)meaning[found - letters];
    return letter + 1;
}

/* Finds a string's closing quote; `at` is the first byte inside. */
static const uint8_t *scan_string(Parser *p, const uint8_t *at,
                                  bool *has_escape)
{
    uint32_t rune = 0;
    for (*has_escape = false; at;) {
        at = skip_plain(at, p->end);
        if (at == p->end) return refuse(p, at, "'\"'");
        if (*at == '"') return at;
        if (*at == '\\') {
            *has_escape = true;
            at = read_escape(p, at, &rune);
        } else if (*at < 0x20) {
            return refuse(p, at, "an escape in place of a control character");
        } else {
            at = skip_wide(p, at);
        }
    }
    return NULL;
}

/* Decodes the inside of a scanned string. Never longer than its spelling. */
static bool decode_string(Parser *p, const uint8_t *at, const uint8_t *end)
{
    Json *json = p->json;
    size_t size = (size_t)(end - at);
    if (!vec_reserve(json->mem, &json->pool, json->pool.count + size) ||
        !vec_reserve(json->mem, &json->decoded, json->decoded.count + 1u))
        return diag_no_memory(p->err);
    uint8_t *out = json->pool.at + json->pool.count;
    while (at < end) {
        const uint8_t *slash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((slash ? slash : end) - at);
        memcpy(out, at, plain);
        out += plain;
        if (!slash) break;
        uint32_t rune = 0;
        at = read_escape(p, slash, &rune);
        out += utf8_encode(rune, out);
    }
    uint32_t begin = json->pool.count;
    json->pool.count = (uint32_t)(out - json->pool.at);
    return vec_push(json->mem, &json->decoded,
                    (JsonDecoded){begin, json->pool.count});
}

/* ---- nodes ------------------------------------------------------------ */

static inline bool add_node(Parser *p, const uint8_t *begin, const uint8_t *end,
                            uint32_t link)
{
    Json *json = p->json;
    p->at = end;
    return vec_push(json->mem, &json->nodes,
                    (JsonNode){(uint32_t)offset_of(p, begin),
                               (uint32_t)offset_of(p, end), link}) ||
           diag_no_memory(p->err);
}

static inline bool add_string(Parser *p)
{
    const uint8_t *begin = p->at;
    bool has_escape;
    const uint8_t *end = scan_string(p, begin + 1, &has_escape);
    if (!end || (has_escape && !decode_string(p, begin + 1, end))) return false;
    return add_node(p, begin, end + 1, has_escape ? p->json->decoded.count : 0);
}

static const uint8_t *skip_digits(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

static const uint8_t *need_digits(Parser *p, const uint8_t *at)
{
    const uint8_t *after = skip_digits(at, p->end);
    return after == at ? refuse(p, at, "a digit") : after;
}

static bool add_number(Parser *p)
{
    const uint8_t *at = p->at, *end = p->end;
    if (*at == '-') at++;
    if (at < end && *at == '0')
        at++;
    else
        at = need_digits(p, at);
    if (at && at < end && *at == '.') at = need_digits(p, at + 1);
    if (at && at < end && (*at | 0x20) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        at = need_digits(p, at);
    }
    return at && add_node(p, p->at, at, 0);
}

static bool add_word(Parser *p, Span word)
{
    const uint8_t *at = p->at;
    size_t i = 0;
    while (i < word.size && at + i < p->end && at[i] == word.at[i]) i++;
    if (i < word.size) {
        refuse(p, at + i, "one of true, false, null");
        return false;
    }
    return add_node(p, at, at + i, 0);
}

static State open_container(Parser *p, State inside)
{
    if (++p->depth > p->max_depth) {
        size_t pos = offset_of(p, p->at);
        diag_fail(p->err, WEIR_LIMIT_DEPTH, pos, pos + 1,
                  "found nesting deeper than %u, the limit", p->max_depth);
        return FAILED;
    }
    JsonId id = p->json->nodes.count;
    if (!add_node(p, p->at, p->at + 1, p->open)) return FAILED;
    p->open = id;
    return inside;
}

/* The byte at p->at closes the innermost container. */
static State close_container(Parser *p)
{
    JsonNode *node = &p->json->nodes.at[p->open];
    p->open = node->link;
    p->at++;
    p->depth--;
    node->end = (uint32_t)offset_of(p, p->at);
    node->link = p->json->nodes.count;
    return WANT_MORE;
}

/* ---- the five states -------------------------------------------------- */

static inline void skip_blanks(Parser *p)
{
    const uint8_t *at = p->at, *end = p->end;
    while (at < end && *at <= ' ' &&
           (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    p->at = at;
}

static State fail_at(Parser *p, const char *wanted)
{
    refuse(p, p->at, wanted);
    return FAILED;
}

static inline State after(bool ok)
{
    return ok ? WANT_MORE : FAILED;
}

static inline State read_value(Parser *p, const char *wanted)
{
    if (p->at == p->end) return fail_at(p, wanted);
    switch (*p->at) {
    case '"':
        return after(add_string(p));
    case '[':
        return open_container(p, WANT_ITEM_OR_END);
    case '{':
        return open_container(p, WANT_KEY_OR_END);
    case 't':
        return after(add_word(p, SPAN("true")));
    case 'f':
        return after(add_word(p, SPAN("false")));
    case 'n':
        return after(add_word(p, SPAN("null")));
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return after(add_number(p));
    default:
        return fail_at(p, wanted);
    }
}

static inline State read_key(Parser *p, const char *wanted)
{
    if (p->at == p->end || *p->at != '"') return fail_at(p, wanted);
    if (!add_string(p)) return FAILED;
    skip_blanks(p);
    if (p->at == p->end || *p->at != ':') return fail_at(p, "':'");
    p->at++;
    return WANT_VALUE;
}

static inline bool stands(const Parser *p, uint8_t byte)
{
    return p->at < p->end && *p->at == byte;
}

static inline State read_more(Parser *p)
{
    if (p->open == JSON_NONE)
        return p->at == p->end ? DONE : fail_at(p, "the end of input");
    const Json *json = p->json;
    bool is_object = json->text.at[json->nodes.at[p->open].begin] == '{';
    if (stands(p, ',')) {
        p->at++;
        return is_object ? WANT_KEY : WANT_VALUE;
    }
    if (stands(p, is_object ? '}' : ']')) return close_container(p);
    return fail_at(p, is_object ? "',' or '}'" : "',' or ']'");
}

static bool parse(Parser *p)
{
    State state = WANT_VALUE;
    while (state < DONE) {
        skip_blanks(p);
        switch (state) {
        case WANT_VALUE:
            state = read_value(p, "a value");
            break;
        case WANT_ITEM_OR_END:
            state = stands(p, ']') ? close_container(p)
                                   : read_value(p, "a value or ']'");
            break;
        case WANT_KEY_OR_END:
            state = stands(p, '}') ? close_container(p)
                                   : read_key(p, "a string or '}'");
            break;
        case WANT_KEY:
            state = read_key(p, "a string");
            break;
        case WANT_MORE:
            state = read_more(p);
            break;
        default:
            assert(false);
            return false;
        }
    }
    return state == DONE;
}

bool json_parse(Json *json, const Mem *mem, Span text, const JsonLimits *limits,
                weir_error *err)
{
    JsonLimits use = limits ? *limits : (JsonLimits){0, 0};
    if (!use.max_bytes || use.max_bytes > MAX_BYTES) use.max_bytes = MAX_BYTES;
    *json = (Json){.mem = mem, .text = text};
    if (text.size > use.max_bytes)
        return diag_fail(err, WEIR_LIMIT_BYTES, use.max_bytes, text.size,
                         "found %zu bytes of JSON, expected at most %zu",
                         text.size, use.max_bytes);
    Parser p = {.json = json,
                .at = text.at,
                .end = text.at + text.size,
                .open = JSON_NONE,
                .err = err,
                .max_depth = use.max_depth ? use.max_depth : JSON_MAX_DEPTH};
    bool ok = vec_reserve(mem, &json->nodes, text.size / 16 + 1)
                  ? parse(&p)
                  : diag_no_memory(err);
    if (!ok) json_free(json);
    return ok;
}

void json_free(Json *json)
{
    vec_free(json->mem, &json->nodes);
    vec_free(json->mem, &json->decoded);
    vec_free(json->mem, &json->pool);
    json->text = (Span){NULL, 0};
}

/* ---- reading the tree ------------------------------------------------- */

const char *json_kind_name(JsonKind kind)
{
    static const char *const names[] = {"nothing",  "null",     "false",
                                        "true",     "a number", "a string",
                                        "an array", "an object"};
    return names[kind];
}

JsonId json_get_span(const Json *json, JsonId object, Span key)
{
    JsonId found = JSON_NONE;
    if (json_kind(json, object) != JSON_OBJECT) return JSON_NONE;
    for (JsonIter it = json_iter(json, object); json_step(&it);)
        if (span_equal(it.key, key)) found = it.value;
    return found;
}

JsonId json_get(const Json *json, JsonId object, const char *key)
{
    return json_get_span(json, object, span_text(key));
}

uint32_t json_count(const Json *json, JsonId id)
{
    uint32_t count = 0;
    for (JsonIter it = json_iter(json, id); json_step(&it);) count++;
    return count;
}

bool json_is_string(const Json *json, JsonId id, const char *text)
{
    if (json_kind(json, id) != JSON_STRING) return false;
    Span s = json_string(json, id);
    if (s.size && s.at[0] != (uint8_t)text[0]) return false; /* mostly */
    return span_equal(s, span_text(text));
}

Span json_spelling(const Json *json, JsonId id)
{
    if (id >= json->nodes.count) return (Span){NULL, 0};
    JsonNode node = json->nodes.at[id];
    return span_of(json->text.at + node.begin, node.end - node.begin);
}

bool json_u64(const Json *json, JsonId id, uint64_t *value)
{
    return json_kind(json, id) == JSON_NUMBER &&
           decimal_u64(json_spelling(json, id), value);
}

bool json_u32(const Json *json, JsonId id, uint32_t *value)
{
    uint64_t wide;
    if (!json_u64(json, id, &wide) || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    return true;
}

bool json_double(const Json *json, JsonId id, double *value)
{
    if (json_kind(json, id) != JSON_NUMBER) return false;
    *value = decimal_double(json_spelling(json, id));
    return true;
}

bool json_bool(const Json *json, JsonId id, bool otherwise)
{
    JsonKind kind = json_kind(json, id);
    return kind == JSON_TRUE || (kind != JSON_FALSE && otherwise);
}

/* ---- writing ---------------------------------------------------------- */

static void write_ascii(Out *out, uint8_t c)
{
    static const char letters[] = "\"\\bfnrt";
    static const char meaning[] = "\"\\\b\f\n\r\t";
    const char *found = memchr(meaning, c, sizeof meaning - 1);
    if (found)
        out_format(out, "\\%c", letters[found - meaning]);
    else if (c < 0x20 || c == 0x7F)
        out_format(out, "\\u%04x", c);
    else
        out_bytes(out, span_of(&c, 1));
}

/* ASCII that is written as it is. */
static bool means_itself(uint8_t c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void json_write_string(Out *out, Span text)
{
    out_text(out, "\"");
    for (size_t pos = 0; pos < text.size;) {
        size_t start = pos;
        while (pos < text.size && means_itself(text.at[pos])) pos++;
        out_bytes(out, span_of(text.at + start, pos - start));
        if (pos == text.size) break;
        start = pos;
        uint32_t rune = utf8_decode(text, &pos);
        if (rune == RUNE_BAD)
            out_text(out, "\xEF\xBF\xBD");
        else if (rune < 0x80)
            write_ascii(out, text.at[start]);
        else
            out_bytes(out, span_of(text.at + start, pos - start));
    }
    out_text(out, "\"");
}
