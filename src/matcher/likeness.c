/* likeness.c: reading a JSON text along an earlier one's meaning.
 *
 * A small pushdown reader: at every place it knows which value of the earlier
 * head the text in hand must come to mean. In an object that is the member of
 * the same name; as long as the name is being written, several may be.
 * Conservative: LIKE_MORE of texts that cannot become equal is possible (a
 * number as long as it has not ended; what is vague), LIKE_NOT of others not.
 * Cost: some ns a byte; at a new member, the members.
 * Tests: unit/unique_test.c.
 */
#include "matcher/likeness.h"

#include "base/vec.h"
#include "matcher/meaning.h"

#define BLANKS " \t\n\r"
#define NUMBER_BYTES "0123456789-+.eE"

typedef enum LikeState {
    LIKE_IN_VAGUE,
    LIKE_AT_STRING, /* the quote of a head that is a string */
    LIKE_AT_VALUE,
    LIKE_AT_ITEM,   /* a value or the end of an array */
    LIKE_AT_KEY,    /* a name or the end of an object */
    LIKE_AT_NAME,   /* a name */
    LIKE_IN_STRING, /* a value */
    LIKE_IN_NAME,
    LIKE_AT_COLON,
    LIKE_IN_NUMBER,
    LIKE_IN_WORD,
    LIKE_AFTER /* a value, in a container */
} LikeState;

/* ---- meanings ---- */

static uint32_t read_size(Span m, uint32_t pos)
{
    uint32_t size;
    memcpy(&size, m.at + pos, sizeof size);
    return size;
}

/* Digits of a number's meaning at pos. */
static Span number_digits(Span m, uint32_t pos)
{
    uint32_t end = pos + 1;
    while (m.at[end] != 'e') end++;
    return span_of(m.at + pos + 1, end - pos - 1);
}

static int64_t number_exponent(Span m, uint32_t pos)
{
    int64_t exponent;
    memcpy(&exponent, m.at + pos + 2 + number_digits(m, pos).size,
           sizeof exponent);
    return exponent;
}

/* Where the scalar at pos ends; of a container, its first item. */
static uint32_t scalar_end(Span m, uint32_t pos)
{
    switch (m.at[pos]) {
    case '"':
        return pos + 1 + (uint32_t)sizeof(uint32_t) + read_size(m, pos + 1);
    case '+':
    case '-':
        return pos + 2 + (uint32_t)number_digits(m, pos).size +
               (uint32_t)sizeof(int64_t);
    case 'w':
        while (m.at[pos]) pos++;
        return pos + 1;
    case 'r':
        return (uint32_t)m.size;
    default:
        return pos + 1;
    }
}

/* Where the value at pos ends. */
static uint32_t value_end(Span m, uint32_t pos)
{
    uint32_t depth = 0;
    do {
        uint8_t c = m.at[pos];
        pos = scalar_end(m, pos);
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
    } while (depth && pos < m.size);
    return pos;
}

/* Member `index` of the object whose first is at `pos`. */
static uint32_t member_at(Span m, uint32_t pos, uint32_t index)
{
    while (index--) pos = value_end(m, scalar_end(m, pos));
    return pos;
}

static uint32_t count_members(Span m, uint32_t pos)
{
    uint32_t n = 0;
    for (; pos < m.size && m.at[pos] != '}' && n <= LIKE_MEMBERS; n++)
        pos = value_end(m, scalar_end(m, pos));
    return n;
}

/* ---- strings ---- */

static void string_begin(Likeness *l, uint32_t pos)
{
    l->unescape = (Unescape){0};
    l->at = pos + 1 + (uint32_t)sizeof(uint32_t);
    l->end = l->at + read_size(l->meaning, pos + 1);
}

static Like after_value(Likeness *l)
{
    if (!l->depth) return LIKE_WHOLE;
    if (!l->level[l->depth - 1].is_object)
        l->pos = value_end(l->meaning, l->pos);
    l->state = LIKE_AFTER;
    return LIKE_MORE;
}

static Like string_byte(Likeness *l, uint8_t byte)
{
    uint8_t out[UNESCAPE_MAX];
    unsigned n;
    UnescapeEnd end = unescape_byte(&l->unescape, byte, out, &n);
    if (end == UNESCAPE_BAD || n > l->end - l->at ||
        (n && memcmp(out, l->meaning.at + l->at, n) != 0))
        return LIKE_NOT;
    l->at += n;
    if (end != UNESCAPE_END) return LIKE_MORE;
    return l->at == l->end ? after_value(l) : LIKE_NOT;
}

/* A name: l->at counts the bytes of it so far. */
static void name_begin(Likeness *l)
{
    l->unescape = (Unescape){0};
    l->keys = l->level[l->depth - 1].left;
    l->at = 0;
    l->state = LIKE_IN_NAME;
}

/* Whether member i's name goes on with the bytes, and ends then. */
static bool name_goes_on(const Likeness *l, uint32_t i, const uint8_t *out,
                         unsigned n, bool ends)
{
    Span m = l->meaning;
    uint32_t pos = member_at(m, l->level[l->depth - 1].at, i);
    if (m.at[pos] != '"') return false;
    uint32_t size = read_size(m, pos + 1);
    if (n > size - l->at || (ends && l->at + n != size)) return false;
    return !memcmp(out, m.at + pos + 1 + sizeof(uint32_t) + l->at, n);
}

static Like name_byte(Likeness *l, uint8_t byte)
{
    uint8_t out[UNESCAPE_MAX];
    unsigned n;
    UnescapeEnd end = unescape_byte(&l->unescape, byte, out, &n);
    if (end == UNESCAPE_BAD) return LIKE_NOT;
    uint64_t kept = 0;
    for (uint64_t left = l->keys; left; left &= left - 1) {
        uint32_t i = bit_lowest(left);
        if (name_goes_on(l, i, out, n, end == UNESCAPE_END))
            kept |= (uint64_t)1 << i;
    }
    l->keys = kept;
    l->at += n;
    if (!kept) return LIKE_NOT;
    if (end != UNESCAPE_END) return LIKE_MORE;
    if (kept & (kept - 1)) { /* the name twice */
        l->state = LIKE_IN_VAGUE;
        return LIKE_MORE;
    }
    LikeLevel *level = &l->level[l->depth - 1];
    level->left &= ~kept;
    l->pos = scalar_end(l->meaning,
                        member_at(l->meaning, level->at, bit_lowest(kept)));
    l->state = LIKE_AT_COLON;
    return LIKE_MORE;
}

static bool is_in_escape(const Likeness *l)
{
    return l->unescape.is_escaped || l->unescape.ndigits || l->unescape.high;
}

/* ---- numbers and words ---- */

static bool is_number_byte(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' ||
           byte == '.' || byte == 'e' || byte == 'E';
}

static Like add_byte(Likeness *l, uint8_t byte)
{
    if (l->nnumber == LIKE_NUMBER)
        l->state = LIKE_IN_VAGUE;
    else
        l->number[l->nnumber++] = (char)byte;
    return LIKE_MORE;
}

/* Zeros come before and after them. */
static char decimal_digit(Span digits, int64_t i)
{
    return i >= 0 && i < (int64_t)digits.size ? (char)digits.at[i] : '0';
}

bool like_is_near(const Likeness *l)
{
    if (l->state != LIKE_IN_NUMBER) return true;
    Span digits = number_digits(l->meaning, l->pos);
    int64_t whole = (int64_t)digits.size + number_exponent(l->meaning, l->pos);
    int64_t place = 0; /* in the digits, of the next one */
    bool is_point = false;
    uint32_t i = l->number[0] == '-';
    while (i < l->nnumber && l->number[i] == '0') i++;
    for (; i < l->nnumber; i++) {
        char c = l->number[i];
        if (c == 'e' || c == 'E') return false;
        if (c == '.') {
            if (!is_point && place < whole) return false;
            is_point = true;
            place = whole;
            continue;
        }
        if (!is_point && place >= whole) return false;
        if (c != decimal_digit(digits, place)) return false;
        place++;
    }
    return true;
}

/* Compares what is in hand when it has ended. */
static bool number_is(const Likeness *l)
{
    uint32_t pos = l->pos, size = scalar_end(l->meaning, pos) - pos;
    uint8_t out[LIKE_NUMBER + MEANING_ROOM];
    Span text = span_of(l->number, l->nnumber);
    return meaning_number(text, out, sizeof out) == size &&
           !memcmp(out, l->meaning.at + pos, size);
}

static bool word_is(const Likeness *l)
{
    return l->meaning.at[l->pos] == 'w' &&
           scalar_end(l->meaning, l->pos) - l->pos == l->nnumber + 2u &&
           !memcmp(l->meaning.at + l->pos + 1, l->number, l->nnumber);
}

static Like after_byte(Likeness *l, uint8_t byte);

static Like number_byte(Likeness *l, uint8_t byte)
{
    if (is_number_byte(byte)) return add_byte(l, byte);
    if (!number_is(l)) return LIKE_NOT;
    Like like = after_value(l);
    return like == LIKE_MORE ? after_byte(l, byte) : like;
}

static Like word_byte(Likeness *l, uint8_t byte)
{
    if (byte >= 'a' && byte <= 'z') return add_byte(l, byte);
    if (!word_is(l)) return LIKE_NOT;
    Like like = after_value(l);
    return like == LIKE_MORE ? after_byte(l, byte) : like;
}

/* ---- structure ---- */

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static Like container_begin(Likeness *l, bool is_object)
{
    uint32_t n = is_object ? count_members(l->meaning, l->pos + 1) : 0;
    if (l->depth == LIKE_DEPTH || n > LIKE_MEMBERS) {
        l->state = LIKE_IN_VAGUE;
        return LIKE_MORE;
    }
    uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
    l->level[l->depth++] = (LikeLevel){l->pos + 1, all, is_object};
    l->pos++;
    l->state = is_object ? LIKE_AT_KEY : LIKE_AT_ITEM;
    return LIKE_MORE;
}

static Like container_end(Likeness *l, uint8_t byte)
{
    const LikeLevel *level = &l->level[l->depth - 1];
    bool is_whole =
        level->is_object ? !level->left : l->meaning.at[l->pos] == ']';
    if (!is_whole || byte != (level->is_object ? '}' : ']')) return LIKE_NOT;
    l->pos = level->at - 1;
    l->depth--;
    return after_value(l);
}

static Like value_byte(Likeness *l, uint8_t byte)
{
    uint8_t c = l->meaning.at[l->pos];
    if (is_blank(byte)) return LIKE_MORE;
    if (c == 'r') {
        l->state = LIKE_IN_VAGUE;
        return LIKE_MORE;
    }
    l->nnumber = 0;
    if (byte == '"' && c == '"') {
        string_begin(l, l->pos);
        l->state = LIKE_IN_STRING;
        return LIKE_MORE;
    }
    if ((byte == '[' && c == '[') || (byte == '{' && c == '{'))
        return container_begin(l, c == '{');
    if (byte != '+' && is_number_byte(byte) && (c == '+' || c == '-')) {
        l->state = LIKE_IN_NUMBER;
        return add_byte(l, byte);
    }
    if (byte < 'a' || byte > 'z' || c != 'w') return LIKE_NOT;
    l->state = LIKE_IN_WORD;
    return add_byte(l, byte);
}

static Like after_byte(Likeness *l, uint8_t byte)
{
    const LikeLevel *level = &l->level[l->depth - 1];
    if (is_blank(byte)) return LIKE_MORE;
    if (byte != ',') return container_end(l, byte);
    if (level->is_object ? !level->left : l->meaning.at[l->pos] == ']')
        return LIKE_NOT;
    l->state = level->is_object ? LIKE_AT_NAME : LIKE_AT_VALUE;
    return LIKE_MORE;
}

static Like key_byte(Likeness *l, uint8_t byte)
{
    if (is_blank(byte)) return LIKE_MORE;
    if (byte != '"')
        return l->state == LIKE_AT_KEY ? container_end(l, byte) : LIKE_NOT;
    name_begin(l);
    return LIKE_MORE;
}

static Like colon_byte(Likeness *l, uint8_t byte)
{
    if (is_blank(byte)) return LIKE_MORE;
    l->state = LIKE_AT_VALUE;
    return byte == ':' ? LIKE_MORE : LIKE_NOT;
}

/* ---- the whole ---- */

void like_begin(Likeness *l, ListUnique kind, Span meaning)
{
    *l = (Likeness){.meaning = meaning, .state = LIKE_AT_VALUE};
    if (kind == LIST_UNIQUE_STRING) {
        l->end = (uint32_t)meaning.size;
        l->state = LIKE_AT_STRING;
        l->is_string = true;
    }
    if (kind == LIST_UNIQUE_VALUE && !meaning.size) l->state = LIKE_IN_VAGUE;
}

Like like_byte(Likeness *l, uint8_t byte)
{
    switch ((LikeState)l->state) {
    case LIKE_IN_VAGUE:
        return LIKE_MORE;
    case LIKE_AT_STRING:
        l->state = byte == '"' ? LIKE_IN_STRING : LIKE_IN_VAGUE;
        return LIKE_MORE;
    case LIKE_AT_ITEM:
        if (byte == ']') return container_end(l, byte);
        return l->meaning.at[l->pos] == ']' && !is_blank(byte)
                   ? LIKE_NOT
                   : value_byte(l, byte);
    case LIKE_AT_VALUE:
        return value_byte(l, byte);
    case LIKE_AT_KEY:
    case LIKE_AT_NAME:
        return key_byte(l, byte);
    case LIKE_IN_STRING:
        return string_byte(l, byte);
    case LIKE_IN_NAME:
        return name_byte(l, byte);
    case LIKE_AT_COLON:
        return colon_byte(l, byte);
    case LIKE_IN_NUMBER:
        return number_byte(l, byte);
    case LIKE_IN_WORD:
        return word_byte(l, byte);
    case LIKE_AFTER:
        return after_byte(l, byte);
    }
    return LIKE_NOT;
}

Like like_text(Likeness *l, Span text)
{
    Like like = LIKE_MORE;
    for (size_t i = 0; i < text.size && like == LIKE_MORE; i++)
        like = like_byte(l, text.at[i]);
    return like;
}

bool like_has_begun(const Likeness *l)
{
    return !l->is_string || l->at || is_in_escape(l);
}

uint8_t like_last(const Likeness *l)
{
    if (l->is_string) return '"';
    switch (l->meaning.at[0]) {
    case '"':
        return '"';
    case '[':
        return ']';
    case '{':
        return '}';
    default:
        return 0;
    }
}

uint64_t like_hash(uint64_t h, const Likeness *l)
{
    const Unescape *u = &l->unescape;
    h = hash_mix(h, (uint64_t)l->state << 32 | l->pos);
    h = hash_mix(h, (uint64_t)l->depth << 32 | l->at);
    h = hash_mix(h, (uint64_t)u->ndigits << 40 | (uint64_t)u->is_escaped << 32 |
                        (uint32_t)u->unit << 16 | u->high);
    h = hash_mix(h, l->keys);
    if (l->state == LIKE_IN_NUMBER || l->state == LIKE_IN_WORD)
        h = hash_bytes(h, l->number, l->nnumber);
    for (uint32_t i = 0; i < l->depth; i++)
        h = hash_mix(h, l->level[i].left ^ (uint64_t)l->level[i].at << 32);
    return h;
}

bool like_is_vague(const Likeness *l)
{
    return l->state == LIKE_IN_VAGUE;
}

/* ---- what may be next ---- */

static unsigned put_all(uint8_t *bytes, unsigned n, const char *more)
{
    while (*more && n <= LIKE_FIRST) bytes[n++] = (uint8_t)*more++;
    return n;
}

static unsigned first_of_name(const Likeness *l, uint8_t *bytes)
{
    Span m = l->meaning;
    unsigned n = put_all(bytes, 0, "\"\\");
    for (uint64_t left = l->keys; left && n <= LIKE_FIRST; left &= left - 1) {
        uint32_t pos =
            member_at(m, l->level[l->depth - 1].at, bit_lowest(left));
        if (l->at < read_size(m, pos + 1))
            bytes[n++] = m.at[pos + 1 + sizeof(uint32_t) + l->at];
    }
    return n;
}

static unsigned first_of_scalar(const Likeness *l, uint8_t *bytes)
{
    bool is_number = l->state == LIKE_IN_NUMBER;
    bool may_end = is_number ? number_is(l) : word_is(l);
    if (may_end && !l->depth) return LIKE_FIRST + 1;
    unsigned n = may_end ? put_all(bytes, 0, BLANKS ",]}") : 0;
    if (is_number) return put_all(bytes, n, NUMBER_BYTES);
    uint8_t next = l->meaning.at[l->pos + 1 + l->nnumber];
    if (next) bytes[n++] = next;
    return n;
}

static unsigned first_of_value(const Likeness *l, uint8_t *bytes)
{
    uint8_t c = l->meaning.at[l->pos];
    unsigned n = put_all(bytes, 0, BLANKS);
    if (c == 'r') return LIKE_FIRST + 1;
    if (c == '+' || c == '-') return put_all(bytes, n, "-0123456789");
    bytes[n++] = c == 'w' ? l->meaning.at[l->pos + 1] : c;
    return n;
}

/* The letter that stands for a byte after a backslash, or 0. */
static uint8_t escape_letter(uint8_t byte)
{
    static const char from[] = "\"\\/\b\f\n\r\t", to[] = "\"\\/bfnrt";
    const char *at = byte ? strchr(from, byte) : NULL;
    return at ? (uint8_t)to[at - from] : 0;
}

static unsigned first_of_string(const Likeness *l, uint8_t *bytes)
{
    const Unescape *u = &l->unescape;
    if (u->high) return LIKE_FIRST + 1;
    if (u->ndigits) return put_all(bytes, 0, "0123456789abcdefABCDEF");
    if (l->at == l->end) return u->is_escaped ? 0 : put_all(bytes, 0, "\"");
    uint8_t next = l->meaning.at[l->at];
    unsigned n = put_all(bytes, 0, u->is_escaped ? "u" : "\\");
    if (u->is_escaped) next = escape_letter(next);
    if (next && next != bytes[0]) bytes[n++] = next;
    return n;
}

unsigned like_first(const Likeness *l, uint8_t *bytes)
{
    switch ((LikeState)l->state) {
    case LIKE_IN_VAGUE:
        break;
    case LIKE_AT_STRING:
        return put_all(bytes, 0, "\"");
    case LIKE_IN_STRING:
        return first_of_string(l, bytes);
    case LIKE_IN_NAME:
        return is_in_escape(l) ? LIKE_FIRST + 1 : first_of_name(l, bytes);
    case LIKE_IN_NUMBER:
    case LIKE_IN_WORD:
        return first_of_scalar(l, bytes);
    case LIKE_AT_VALUE:
    case LIKE_AT_ITEM:
        return first_of_value(l, bytes);
    case LIKE_AT_KEY:
    case LIKE_AT_NAME:
        return put_all(bytes, 0, BLANKS "\"}");
    case LIKE_AT_COLON:
        return put_all(bytes, 0, BLANKS ":");
    case LIKE_AFTER:
        return put_all(bytes, 0, BLANKS ",]}");
    }
    return LIKE_FIRST + 1;
}
