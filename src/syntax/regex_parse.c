/* regex_parse.c: the structure of a regular expression: sequences,
 * alternatives, groups, repeats, anchors.
 *
 * In:    a pattern in UTF-8, a dialect, flags.   Out: the nodes of a Regex.
 * Method: one pass. Open groups lie on a stack of frames; the parts of their
 *        present alternative on the stack `items`, finished alternatives on
 *        `alts`. A group of one alternative that is not repeated leaves its
 *        parts where they are, so nested groups cost nothing.
 * Cost:  linear; nesting is limited by max_depth.
 * Tests: unit/regex_test.c, prop/regex_reference_test.c, fuzz/regex_fuzz.c
 */
#include "syntax/regex_parser.h"

#include "base/utf8.h"

/* ---- reading ---- */

bool re_take(RegexParser *p, const char *text)
{
    Span rest = span_of(p->text.at + p->pos, p->text.size - p->pos);
    Span wanted = span_text(text);
    if (!span_starts(rest, wanted)) return false;
    p->pos += wanted.size;
    return true;
}

uint32_t re_next_rune(RegexParser *p)
{
    size_t begin = p->pos;
    uint32_t rune = utf8_decode(p->text, &p->pos);
    if (rune == RUNE_BAD)
        re_fail(p->re, WEIR_SYNTAX, begin, begin + 1,
                "found %s, expected UTF-8", diag_byte(p->text.at[begin]).text);
    return rune;
}

static bool is_digit_at(const RegexParser *p, size_t ahead)
{
    uint8_t c = re_peek(p, ahead);
    return c >= '0' && c <= '9';
}

uint32_t re_number(RegexParser *p)
{
    uint64_t n = 0;
    for (; is_digit_at(p, 0); p->pos++)
        n = MIN(n * 10 + (re_peek(p, 0) - '0'), (uint64_t)UINT32_MAX);
    return (uint32_t)n;
}

/* "(?#...)" at pos, in the lenient dialect: its size, or 0. */
static size_t comment_size(const RegexParser *p)
{
    Span rest = span_of(p->text.at + p->pos, p->text.size - p->pos);
    if (!p->is_extra || !span_starts(rest, SPAN("(?#"))) return 0;
    const uint8_t *end = memchr(rest.at, ')', rest.size);
    return end ? (size_t)(end - rest.at) + 1 : 0;
}

/* With the flag x: a blank, or "#" and the rest of the line; else 0. */
static size_t blank_size(const RegexParser *p)
{
    uint8_t c = re_peek(p, 0);
    size_t size = 1;
    if (!(p->flags & RE_VERBOSE) || re_at_end(p)) return 0;
    if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
    if (c != '#') return 0;
    while (re_peek(p, size) != '\n' && p->pos + size < p->text.size) size++;
    return size;
}

/* Passes what means nothing: comments, and with the flag x blanks. */
static void skip_blanks(RegexParser *p)
{
    size_t size;
    while ((size = blank_size(p)) || (size = comment_size(p))) p->pos += size;
}

/* ---- stacks ---- */

static ReFrame *top(const RegexParser *p)
{
    return &p->frames.at[p->frames.count - 1];
}

static bool push_item(RegexParser *p, ReId node)
{
    if (node == RE_NONE) return false;
    return vec_push(p->re->mem, &p->items, node) || re_no_memory(p->re);
}

static bool push_frame(RegexParser *p, ReFrame frame)
{
    frame.outer_flags = p->flags;
    frame.first_item = p->items.count;
    frame.first_alt = p->alts.count;
    if (p->frames.count > p->re->limits.max_depth)
        return re_fail(p->re, WEIR_LIMIT_DEPTH, frame.begin, p->pos,
                       "found groups nested more than %u deep (limit "
                       "max_depth)",
                       p->re->limits.max_depth);
    return vec_push(p->re->mem, &p->frames, frame) || re_no_memory(p->re);
}

/* Takes the parts of the present alternative off the stack, as one node. */
static ReId take_sequence(RegexParser *p)
{
    uint32_t first = top(p)->first_item, count = p->items.count - first;
    p->items.count = first;
    if (!count) return re_leaf(p->re, RE_EMPTY);
    return re_list(p->re, RE_SEQ, p->items.at + first, count);
}

/* Ends an alternative. An alternative that is just a group of alternatives is
 * opened: its kids, which lie last in the pool, become ours. */
static bool push_alternative(RegexParser *p)
{
    Regex *re = p->re;
    ReId node = take_sequence(p);
    if (node == RE_NONE) return false;
    ReNode n = re->nodes.at[node];
    bool is_open = n.kind == RE_ALT && node == re->nodes.count - 1 &&
                   n.a + n.b == re->kids.count;
    if (!is_open) return vec_push(re->mem, &p->alts, node) || re_no_memory(re);
    if (!vec_reserve(re->mem, &p->alts, (size_t)p->alts.count + n.b))
        return re_no_memory(re);
    memcpy(p->alts.at + p->alts.count, re->kids.at + n.a, n.b * sizeof(ReId));
    p->alts.count += n.b;
    re->kids.count = n.a;
    re->nodes.count--;
    return true;
}

/* The whole of the innermost group, off the stacks. */
static ReId take_group(RegexParser *p)
{
    uint32_t first = top(p)->first_alt;
    if (p->alts.count == first) return take_sequence(p);
    if (!push_alternative(p)) return RE_NONE;
    uint32_t count = p->alts.count - first;
    p->alts.count = first;
    return re_list(p->re, RE_ALT, p->alts.at + first, count);
}

/* ---- repeats ---- */

typedef struct Repeat {
    uint32_t lo, hi;
} Repeat;

/* "{n}", "{n,}" or "{n,m}" at pos; anything else is no repeat. */
static bool is_counted(const RegexParser *p)
{
    size_t i = 1;
    if (re_peek(p, 0) != '{' || !is_digit_at(p, i)) return false;
    while (is_digit_at(p, i)) i++;
    if (re_peek(p, i) == ',') i++;
    while (is_digit_at(p, i)) i++;
    return re_peek(p, i) == '}';
}

static bool is_repeat(const RegexParser *p)
{
    uint8_t c = re_peek(p, 0);
    return c == '*' || c == '+' || c == '?' || is_counted(p);
}

static bool read_counted(RegexParser *p, Repeat *r)
{
    size_t begin = p->pos++;
    r->lo = r->hi = re_number(p);
    if (re_take(p, ",")) r->hi = is_digit_at(p, 0) ? re_number(p) : REPEAT_INF;
    bool is_open = p->text.at[p->pos - 1] == ',';
    p->pos++;
    if (r->lo == UINT32_MAX || (r->hi == UINT32_MAX && !is_open))
        return re_fail(p->re, WEIR_UNSUPPORTED, begin, p->pos,
                       "found a count of repeats above %u", UINT32_MAX - 1);
    return r->lo <= r->hi ||
           re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                   "found {%u,%u}, expected the smaller number first", r->lo,
                   r->hi);
}

static bool read_repeat(RegexParser *p, Repeat *r)
{
    uint8_t c = re_peek(p, 0);
    if (c == '{') return read_counted(p, r);
    p->pos++;
    *r = (Repeat){c == '+', c == '?' ? 1 : REPEAT_INF};
    return true;
}

static bool nothing_to_repeat(RegexParser *p)
{
    return re_fail(p->re, WEIR_SYNTAX, p->pos, p->pos + 1,
                   "found the repeat %s, expected something to repeat before "
                   "it",
                   diag_found(p->text, p->pos).text);
}

/* After a repeat and its lazy mark: no second one may follow. */
static bool end_repeat(RegexParser *p, size_t begin)
{
    bool is_lazy = re_take(p, "?");
    skip_blanks(p);
    if (!is_repeat(p)) return true;
    if (!is_lazy && re_peek(p, 0) == '+')
        return re_fail(p->re, WEIR_SYNTAX, begin, p->pos + 1,
                       "found a possessive repeat, expected a plain or a "
                       "lazy one");
    return nothing_to_repeat(p);
}

/* Where the last item is a text of several runes: parts the last one off. */
static bool part_last_rune(RegexParser *p)
{
    Regex *re = p->re;
    ReId last = p->items.at[p->items.count - 1];
    ReNode *n = &re->nodes.at[last];
    if (n->kind != RE_TEXT) return true;
    uint32_t end = n->a + n->b, at = end - 1;
    while ((re->bytes.at[at] & 0xC0) == 0x80) at--;
    if (at == n->a) return true;
    Span rune = span_of(re->bytes.at + at, end - at);
    size_t pos = 0;
    n->b = at - n->a;
    re->bytes.count = at; /* the text is the newest: its bytes are last */
    return push_item(p, re_text(re, utf8_decode(rune, &pos)));
}

/* Whether a repeat follows; then applies it to the last item. */
static bool parse_repeat(RegexParser *p)
{
    Repeat r;
    skip_blanks(p);
    if (!is_repeat(p)) return true;
    size_t begin = p->pos;
    if (!part_last_rune(p) || !read_repeat(p, &r) || !end_repeat(p, begin))
        return false;
    ReId node = p->items.at[--p->items.count];
    return push_item(p, re_repeat(p->re, node, r.lo, r.hi));
}

/* ---- runes and sets ---- */

/* Appends a rune to the text that was built last, if it is the last item. */
static bool extend_text(RegexParser *p, uint32_t rune)
{
    Regex *re = p->re;
    uint8_t text[4];
    if (p->items.count == top(p)->first_item) return false;
    ReId last = p->items.at[p->items.count - 1];
    ReNode *n = &re->nodes.at[last];
    if (n->kind != RE_TEXT || last != re->nodes.count - 1 ||
        n->a + n->b != re->bytes.count)
        return false;
    unsigned size = utf8_encode(rune, text);
    for (unsigned i = 0; i < size; i++)
        if (!vec_push(re->mem, &re->bytes, text[i])) return re_no_memory(re);
    n->b += size;
    return re_charge(re, 2);
}

static bool push_cased(RegexParser *p, uint32_t rune)
{
    RuneSet set = {0};
    ReId node = RE_NONE;
    if (!runes_add(p->re->mem, &set, rune, rune))
        re_no_memory(p->re);
    else
        node = class_node(p, &set);
    vec_free(p->re->mem, &set);
    return push_item(p, node);
}

static bool has_cases(const RegexParser *p, uint32_t rune)
{
    uint32_t orbit[UNICODE_ORBIT_MAX];
    if (!(p->flags & RE_IGNORE_CASE)) return false;
    return (p->is_unicode ? unicode_orbit(rune, orbit)
                          : unicode_upper_orbit(rune, orbit)) > 1;
}

static bool parse_rune(RegexParser *p, size_t begin, uint32_t rune)
{
    if (rune == RUNE_BAD) return false;
    if (rune >> 11 == 0xD800 >> 11) {
        re_warn(p->re, begin, p->pos,
                "a lone surrogate matches nothing: no text holds one");
        return push_item(p, re_leaf(p->re, RE_NEVER)) && parse_repeat(p);
    }
    if (has_cases(p, rune)) return push_cased(p, rune) && parse_repeat(p);
    if (!extend_text(p, rune) &&
        (!re_ok(p->re) || !push_item(p, re_text(p->re, rune))))
        return false;
    return parse_repeat(p);
}

/* ---- anchors ---- */

/* One assertion, or the first or another: ^ with the flag m. */
static bool push_either(RegexParser *p, ReId one, ReId other)
{
    if (!re_ok(p->re)) return false;
    ReId both[] = {one, other};
    return push_item(p, re_list(p->re, RE_ALT, both, 2));
}

static bool push_anchor(RegexParser *p, ReKind kind)
{
    uint32_t look = kind == RE_START ? LOOK_BEHIND : 0;
    ReId border = re_leaf(p->re, kind);
    if (!(p->flags & RE_MULTI_LINE)) return push_item(p, border);
    return push_either(p, border, re_look(p->re, class_line_end(p), look));
}

/* The set of \w as a node, which all \b with the same flags share. */
static ReId word_node(RegexParser *p)
{
    ReId *word = &p->word[p->flags & RE_IGNORE_CASE ? 1 : 0];
    RuneSet set = {0};
    if (*word == RE_NONE && class_of_letter(p, 'w', &set))
        *word = re_class(p->re, &set);
    vec_free(p->re->mem, &set);
    return *word;
}

/* \b: a word character on one side only; \B: on both or on none. */
static bool push_boundary(RegexParser *p, bool is_negated)
{
    Regex *re = p->re;
    ReId word = word_node(p);
    if (word == RE_NONE) return false;
    ReId ahead = re_look(re, word, 0);
    ReId not_ahead = re_look(re, word, LOOK_NEGATED);
    ReId behind = re_look(re, word, LOOK_BEHIND);
    ReId not_behind = re_look(re, word, LOOK_BEHIND | LOOK_NEGATED);
    ReId first[] = {behind, is_negated ? ahead : not_ahead};
    ReId second[] = {not_behind, is_negated ? not_ahead : ahead};
    ReId one = re_list(re, RE_SEQ, first, 2);
    return push_either(p, one, re_list(re, RE_SEQ, second, 2));
}

/* An assertion that is no look-ahead cannot be repeated. */
static bool parse_anchor_end(RegexParser *p)
{
    skip_blanks(p);
    return is_repeat(p) ? nothing_to_repeat(p) : re_ok(p->re);
}

static bool push_set(RegexParser *p, RuneSet *set)
{
    ReId node = class_node(p, set);
    vec_free(p->re->mem, set);
    return push_item(p, node) && parse_repeat(p);
}

static bool parse_escape(RegexParser *p)
{
    Escape e;
    size_t begin = p->pos;
    if (!escape_read(p, false, &e)) {
        vec_free(p->re->mem, &e.set);
        return false;
    }
    switch (e.kind) {
    case ESCAPE_SET:
        return push_set(p, &e.set);
    case ESCAPE_BOUNDARY:
        return push_boundary(p, e.is_negated) && parse_anchor_end(p);
    case ESCAPE_START:
        return push_item(p, re_leaf(p->re, RE_START)) && parse_anchor_end(p);
    case ESCAPE_END:
        return push_item(p, re_leaf(p->re, RE_END)) && parse_anchor_end(p);
    default:
        return parse_rune(p, begin, e.rune);
    }
}

/* ---- groups ---- */

static bool refuse_group(RegexParser *p, size_t begin, const char *what)
{
    return re_fail(p->re, WEIR_UNSUPPORTED, begin, p->pos,
                   "found %s, expected a group, a look-ahead or a "
                   "look-behind",
                   what);
}

/* Forms that are known but have no meaning as a regular language. */
static bool refuse_known(RegexParser *p, size_t begin)
{
    static const struct {
        const char *text, *what;
    } known[] = {{">", "an atomic group"},
                 {"P=", "a back-reference"},
                 {"P>", "a call of a group"},
                 {"&", "a call of a group"},
                 {"R", "a call of the pattern"},
                 {"|", "a branch reset"},
                 {"(", "a condition"}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (re_take(p, known[i].text))
            return refuse_group(p, begin, known[i].what);
    return re_fail(p->re, WEIR_SYNTAX, begin, p->pos + 1,
                   "found %s after '(?', expected one of : = ! <= <! <name> "
                   "or flags",
                   diag_found(p->text, p->pos).text);
}

static bool is_name_byte(uint8_t c, bool is_first)
{
    bool is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    return is_letter || c == '_' || c == '$' || c >= 0x80 || c == '\\' ||
           (!is_first && ((c >= '0' && c <= '9') || c == '{' || c == '}' ||
                          c == '.' || c == '[' || c == ']'));
}

/* The rest of "<name>"; the name itself means nothing here. */
static bool read_name(RegexParser *p, size_t begin)
{
    size_t first = p->pos;
    while (is_name_byte(re_peek(p, 0), p->pos == first)) p->pos++;
    if (p->pos > first && re_take(p, ">"))
        return push_frame(p, (ReFrame){.begin = (uint32_t)begin});
    return re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                   "found %s in a group's name, expected letters, digits and "
                   "'>'",
                   diag_found(p->text, p->pos).text);
}

static uint32_t flag_of(const RegexParser *p, uint8_t c)
{
    switch (c) {
    case 'i':
        return RE_IGNORE_CASE;
    case 's':
        return RE_DOT_ALL;
    case 'm':
        return RE_MULTI_LINE;
    case 'x':
        return p->is_extra ? RE_VERBOSE : 0;
    default:
        return 0;
    }
}

/* Flags that leave the language as it is: greed; a for ASCII, as we are. */
static bool is_idle_flag(RegexParser *p, uint8_t c)
{
    if (!p->is_extra || (c != 'u' && c != 'a' && c != 'U')) return false;
    if (c == 'u')
        re_warn(p->re, p->pos, p->pos + 1,
                "the flag u changes nothing: \\d and \\w are ASCII here");
    return true;
}

/* Letters of "(?ims-ims:" or "(?ims)", in two sets. */
static void read_flags(RegexParser *p, uint32_t *on, uint32_t *off)
{
    uint32_t *into = on;
    *on = *off = 0;
    for (;; p->pos++) {
        uint8_t c = re_peek(p, 0);
        uint32_t flag = flag_of(p, c);
        if (c == '-' && into == on)
            into = off;
        else if (flag)
            *into |= flag;
        else if (!is_idle_flag(p, c))
            return;
    }
}

static bool open_flags(RegexParser *p, size_t begin)
{
    uint32_t on, off;
    size_t first = p->pos;
    read_flags(p, &on, &off);
    uint32_t flags = (p->flags | on) & ~off;
    if (p->pos > first && re_take(p, ":")) {
        if (!push_frame(p, (ReFrame){.begin = (uint32_t)begin})) return false;
        p->flags = flags;
        return true;
    }
    if (p->pos > first && p->is_extra && re_take(p, ")")) {
        p->flags = flags; /* until the end of the group around */
        return true;
    }
    return refuse_known(p, begin);
}

static bool open_look(RegexParser *p, size_t begin, uint32_t look)
{
    return push_frame(
        p,
        (ReFrame){.begin = (uint32_t)begin, .kind = GROUP_LOOK, .look = look});
}

static bool open_group(RegexParser *p)
{
    size_t begin = p->pos++;
    if (!re_take(p, "?") || re_take(p, ":"))
        return push_frame(p, (ReFrame){.begin = (uint32_t)begin});
    if (re_take(p, "=")) return open_look(p, begin, 0);
    if (re_take(p, "!")) return open_look(p, begin, LOOK_NEGATED);
    if (re_take(p, "<=")) return open_look(p, begin, LOOK_BEHIND);
    if (re_take(p, "<!"))
        return open_look(p, begin, LOOK_BEHIND | LOOK_NEGATED);
    if (re_take(p, "<")) return read_name(p, begin);
    if (p->is_extra && re_take(p, "P<")) return read_name(p, begin);
    if (p->is_extra && re_take(p, "#"))
        return re_fail(p->re, WEIR_SYNTAX, begin, p->text.size,
                       "found end of input, expected ')' after a comment");
    return open_flags(p, begin);
}

/* Look-around; Annex B lets look-ahead be repeated, to no effect but that of
 * "at most" or "at least". */
static bool close_look(RegexParser *p, ReFrame frame, ReId body)
{
    if (body == RE_NONE || !push_item(p, re_look(p->re, body, frame.look)))
        return false;
    bool may_repeat = !(frame.look & LOOK_BEHIND) && !p->is_strict;
    return may_repeat ? parse_repeat(p) : parse_anchor_end(p);
}

static bool close_group(RegexParser *p)
{
    ReFrame frame = *top(p);
    if (p->frames.count == 1)
        return re_fail(p->re, WEIR_SYNTAX, p->pos, p->pos + 1,
                       "found ')' without '(', expected none");
    p->pos++;
    p->flags = frame.outer_flags;
    skip_blanks(p);
    bool is_plain = frame.kind == GROUP_PLAIN;
    if (is_plain && !is_repeat(p) && p->alts.count == frame.first_alt) {
        p->frames.count--; /* its parts become the outer group's */
        return true;
    }
    ReId node = take_group(p);
    p->frames.count--;
    if (!is_plain) return close_look(p, frame, node);
    if (!push_item(p, node)) return false;
    if (!is_repeat(p)) return true;
    Repeat r;
    size_t begin = p->pos;
    if (!read_repeat(p, &r) || !end_repeat(p, begin)) return false;
    p->items.count--;
    return push_item(p, re_repeat(p->re, node, r.lo, r.hi));
}

/* ---- the whole ---- */

/* A brace or bracket that Annex B takes for itself. */
static bool parse_lone(RegexParser *p)
{
    size_t begin = p->pos;
    if (is_counted(p)) return nothing_to_repeat(p);
    if (p->is_strict)
        return re_fail(p->re, WEIR_SYNTAX, begin, begin + 1,
                       "found %s, expected a backslash before it",
                       diag_found(p->text, begin).text);
    if (p->is_extra && re_peek(p, 0) == '{' && re_peek(p, 1) == ',' &&
        is_digit_at(p, 2))
        re_warn(p->re, begin, begin + 2,
                "{, begins no repeat, but stands for itself; write {0,");
    return parse_rune(p, begin, re_next_rune(p));
}

static bool parse_piece(RegexParser *p)
{
    size_t begin = p->pos;
    switch (re_peek(p, 0)) {
    case '(':
        return open_group(p);
    case ')':
        return close_group(p);
    case '|':
        p->pos++;
        return push_alternative(p);
    case '[':
        return push_item(p, class_read(p)) && parse_repeat(p);
    case '\\':
        return parse_escape(p);
    case '.':
        p->pos++;
        return push_item(p, class_dot(p)) && parse_repeat(p);
    case '^':
        p->pos++;
        return push_anchor(p, RE_START) && parse_anchor_end(p);
    case '$':
        p->pos++;
        return push_anchor(p, RE_END) && parse_anchor_end(p);
    case '*':
    case '+':
    case '?':
        return nothing_to_repeat(p);
    case '{':
    case '}':
    case ']':
        return parse_lone(p);
    default:
        return parse_rune(p, begin, re_next_rune(p));
    }
}

static bool parse_pattern(RegexParser *p)
{
    if (!push_frame(p, (ReFrame){0})) return false;
    for (skip_blanks(p); !re_at_end(p); skip_blanks(p))
        if (!re_charge(p->re, 4) || !parse_piece(p)) return false;
    if (p->frames.count > 1)
        return re_fail(p->re, WEIR_SYNTAX, top(p)->begin, top(p)->begin + 1,
                       "found '(' without ')', expected the end of the group");
    p->re->root = take_group(p);
    return re_ok(p->re);
}

static uint32_t flags_of(const RegexOpts *o)
{
    return (o->ignore_case ? (uint32_t)RE_IGNORE_CASE : 0) |
           (o->dot_all ? (uint32_t)RE_DOT_ALL : 0) |
           (o->multi_line ? (uint32_t)RE_MULTI_LINE : 0) |
           (o->is_verbose ? (uint32_t)RE_VERBOSE : 0);
}

bool regex_parse(Regex *re, Span pattern, const RegexOpts *opts)
{
    RegexDialect d = opts->dialect;
    RegexParser p = {
        .re = re,
        .text = pattern.size ? pattern : SPAN(""),
        .is_unicode = d != REGEX_ECMA,
        .is_strict = d == REGEX_ECMA_UNICODE || d == REGEX_ECMA_SETS,
        .is_extra = d == REGEX_LENIENT,
        .has_sets = d == REGEX_ECMA_SETS,
        .unicode_classes = opts->unicode_classes,
        .line_feed_only = opts->line_feed_only,
        .rust_sets = opts->rust_sets,
        .flags = flags_of(opts),
        .captures = RE_NONE,
        .word = {RE_NONE, RE_NONE},
    };
    re->offset = opts->offset;
    if (pattern.size > re->limits.max_source)
        return re_fail(re, WEIR_LIMIT_BYTES, 0, 0,
                       "found a pattern of %zu bytes, expected at most %u",
                       pattern.size, re->limits.max_source);
    bool done = parse_pattern(&p);
    vec_free(re->mem, &p.frames);
    vec_free(re->mem, &p.items);
    vec_free(re->mem, &p.alts);
    return done && re_ok(re);
}
