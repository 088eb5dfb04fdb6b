/* llama_pattern.c: a pattern becomes the body of a string's rule.
 *
 * In:     a regular expression.  Out: a rule; or a warning, and a rule for any
 *         string; or a complaint.
 * Method: recursive descent. A sequence is a list of items, which are literals,
 *         classes, groups, and '|' itself; an operator makes one item of itself
 *         and the item before it. Bytes, not characters, are repeated: what
 *         stands before an operator is split at its last byte, unless that came
 *         from an escape or is a quote. The pattern is read twice, so that one
 *         that is given up leaves no rules.
 * Cost:   linear; a group is at most NESTING deep.
 * Tests:  unit/convert_llama_test.c
 */
#include <stdio.h>

#include "convert/llama.h"

enum { NESTING = 100 };

typedef struct Item {
    Span text; /* of a literal: without its quotes */
    bool is_literal;
} Item;

typedef VEC(Item) ItemList;

typedef struct Pattern {
    Llama *c;
    Span text; /* without its anchors */
    size_t at;
    uint32_t depth;
    Span rule;
    bool is_final;  /* the second reading: rules are made */
    SpanList parts; /* bodies of rules of their own, by number - 1 */
    SpanList part_rules;
    Map part_index;
    const char *reason; /* why it is given up or refused; NULL: it is not */
    Span what;          /* behind the reason */
    bool is_invalid;
} Pattern;

static bool give_up(Pattern *p, const char *reason, Span what)
{
    p->reason = reason;
    p->what = what;
    return false;
}

static bool refuse(Pattern *p, const char *reason)
{
    p->is_invalid = true;
    return give_up(p, reason, SPAN(""));
}

static bool ends(const Pattern *p)
{
    return p->at == p->text.size;
}

static bool stands(const Pattern *p, size_t at, const char *any)
{
    return at < p->text.size && p->text.at[at] &&
           strchr(any, p->text.at[at]) != NULL;
}

static Span here(const Pattern *p, size_t size)
{
    return span_of(p->text.at + p->at, MIN(size, p->text.size - p->at));
}

static bool push(Pattern *p, ItemList *items, Span text, bool is_literal)
{
    if (!vec_push(p->c->mem, items, (Item){text, is_literal}))
        diag_no_memory(p->c->err);
    return llama_ok(p->c);
}

static void put_item(Llama *c, Item item)
{
    if (item.is_literal) scratch_text(&c->text, "\"");
    scratch_add(&c->text, item.text);
    if (item.is_literal) scratch_text(&c->text, "\"");
}

static void put_items(Llama *c, const ItemList *items)
{
    for (uint32_t i = 0; i < items->count; i++) {
        if (i) scratch_text(&c->text, " ");
        put_item(c, items->at[i]);
    }
}

/* ---- escapes ---- */

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Bytes of the escape at `at` that GBNF has too; 0 if it has not. */
static size_t shared_escape(const Pattern *p)
{
    if (stands(p, p->at + 1, "trn\\\"[]")) return 2;
    static const char letters[] = "xuU";
    static const size_t sizes[] = {2, 4, 8};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (!stands(p, p->at + 1, (char[]){letters[i], 0})) continue;
        size_t digits = 0, from = p->at + 2;
        while (digits < sizes[i] && from + digits < p->text.size &&
               is_hex(p->text.at[from + digits]))
            digits++;
        return digits == sizes[i] ? 2 + digits : 0;
    }
    return 0;
}

/* An escape outside of classes, put on the stack as GBNF spells it. */
static bool read_escape(Pattern *p)
{
    if (p->at + 1 == p->text.size) return refuse(p, "trailing backslash");
    size_t size = shared_escape(p);
    bool is_operator = stands(p, p->at + 1, "^$.*+?()[]{}|");
    if (is_operator) {
        scratch_add(&p->c->text, span_of(p->text.at + p->at + 1, 1));
        p->at += 2;
    } else if (size) {
        scratch_add(&p->c->text, here(p, size));
        p->at += size;
    } else {
        return give_up(p, "unsupported escape: ", here(p, 2));
    }
    return true;
}

/* ---- items ---- */

static bool read_literal(Pattern *p, ItemList *items)
{
    Scratch *s = &p->c->text;
    size_t from = scratch_begin(s);
    while (!ends(p) && !stands(p, p->at, "^$.*+?()[]{}|")) {
        if (stands(p, p->at, "\\")) {
            if (!read_escape(p)) return false;
            continue;
        }
        bool is_quote = stands(p, p->at, "\"");
        if (!is_quote && s->bytes.count > from && stands(p, p->at + 1, "*+?{"))
            break; /* the last byte is an item of its own */
        if (is_quote) scratch_text(s, "\\");
        scratch_add(s, here(p, 1));
        p->at++;
    }
    return push(p, items, scratch_take(s, from), true);
}

static bool read_class(Pattern *p, ItemList *items)
{
    size_t from = p->at++;
    while (!ends(p) && !stands(p, p->at, "]")) {
        size_t size = 1;
        if (stands(p, p->at, "\\")) size = shared_escape(p);
        if (!size)
            return give_up(
                p, "unsupported escape in character class: ", here(p, 2));
        p->at += size;
    }
    if (ends(p)) return refuse(p, "unterminated character class");
    p->at++;
    Span text = span_of(p->text.at + from, p->at - from);
    return push(p, items, text, false);
}

static bool read_sequence(Pattern *p);

static bool read_group(Pattern *p, ItemList *items)
{
    size_t from = scratch_begin(&p->c->text);
    p->at++;
    if (stands(p, p->at, "?")) {
        if (!stands(p, p->at + 1, ":"))
            return give_up(p, "unsupported group syntax", SPAN(""));
        p->at += 2;
    }
    if (p->depth == NESTING)
        return give_up(p, "pattern nesting too deep", SPAN(""));
    p->depth++;
    scratch_text(&p->c->text, "(");
    if (!read_sequence(p)) return false;
    scratch_text(&p->c->text, ")");
    p->depth--;
    if (ends(p)) return refuse(p, "unbalanced parentheses");
    p->at++;
    return push(p, items, scratch_take(&p->c->text, from), false);
}

/* ---- operators ---- */

/* The whole number that a text begins with, after blanks and a sign. */
static bool read_number(Span text, int32_t *number)
{
    size_t i = 0, digits = 0;
    int64_t n = 0;
    while (i < text.size &&
           (text.at[i] == ' ' || (text.at[i] >= '\t' && text.at[i] <= '\r')))
        i++;
    bool minus = i < text.size && text.at[i] == '-';
    i += i < text.size && (minus || text.at[i] == '+');
    for (; i < text.size && text.at[i] >= '0' && text.at[i] <= '9'; i++) {
        digits++;
        n = MIN(n * 10 + (text.at[i] - '0'), (int64_t)UINT32_MAX);
    }
    if (minus) n = -n;
    *number = (int32_t)n;
    return digits && n >= INT32_MIN && n <= INT32_MAX;
}

/* {lo}, {lo,}, {,hi} or {lo,hi} */
static bool read_braces(Pattern *p, int32_t *lo, int32_t *hi)
{
    Span part[2];
    uint32_t count = 1;
    size_t from = ++p->at;
    for (; !ends(p) && !stands(p, p->at, "}"); p->at++) {
        if (!stands(p, p->at, ",")) continue;
        if (count == 1) part[0] = span_of(p->text.at + from, p->at - from);
        from = p->at + 1;
        count++;
    }
    if (ends(p)) return give_up(p, "unterminated curly brackets", SPAN(""));
    part[count > 1] = span_of(p->text.at + from, p->at - from);
    p->at++;
    if (count > 2)
        return give_up(p, "wrong number of values in curly brackets", SPAN(""));
    *lo = 0;
    *hi = LLAMA_INF;
    bool is_number = (count == 2 && !part[0].size) || read_number(part[0], lo);
    if (count == 1) *hi = *lo;
    if (count == 2 && part[1].size) is_number &= read_number(part[1], hi);
    return is_number ||
           give_up(p, "invalid number in curly brackets", SPAN(""));
}

/* The rule of an item that is repeated a number of times; equal items have one
 * rule. */
static Span part_rule(Pattern *p, Span body)
{
    Llama *c = p->c;
    uint64_t hash = hash_bytes(4, body.at, body.size);
    for (MapPos m = map_first(&p->part_index, hash); m.value != MAP_NONE;
         m = map_next(&p->part_index, hash, m))
        if (span_equal(p->parts.at[m.value], body))
            return p->part_rules.at[m.value];
    char number[16];
    snprintf(number, sizeof number, "%u", p->parts.count + 1);
    Span rule = llama_rule_of(c, llama_path(c, p->rule, number), body);
    if (!vec_push(c->mem, &p->parts, body) ||
        !vec_push(c->mem, &p->part_rules, rule) ||
        !map_add(c->mem, &p->part_index, hash, p->parts.count - 1))
        diag_no_memory(c->err);
    return rule;
}

static bool read_operator(Pattern *p, ItemList *items)
{
    Llama *c = p->c;
    int32_t lo = 0, hi = LLAMA_INF;
    bool has_braces = stands(p, p->at, "{");
    char symbol[] = {(char)p->text.at[p->at], 0};
    if (has_braces && !read_braces(p, &lo, &hi)) return false;
    if (!items->count) return refuse(p, "nothing to repeat");
    Item *item = &items->at[items->count - 1];
    size_t from = scratch_begin(&c->text);
    if (has_braces && !item->is_literal && p->is_final) {
        item->text = part_rule(p, item->text);
    } else if (item->is_literal) {
        put_item(c, *item);
        item->text = scratch_take(&c->text, from);
    }
    if (has_braces) {
        llama_repeat(c, item->text, lo, hi, NULL);
    } else {
        scratch_add(&c->text, item->text);
        scratch_text(&c->text, symbol);
        p->at++;
    }
    *item = (Item){scratch_take(&c->text, from), false};
    return llama_ok(c);
}

static bool read_item(Pattern *p, ItemList *items)
{
    switch (p->text.at[p->at]) {
    case '.':
        p->at++;
        if (p->is_final)
            return push(p, items,
                        llama_rule_of(p->c, SPAN("dot"), SPAN("[^\\x0A\\x0D]")),
                        false);
        return push(p, items, SPAN("dot"), false);
    case '(':
        return read_group(p, items);
    case '[':
        return read_class(p, items);
    case '|':
        p->at++;
        return push(p, items, SPAN("|"), false);
    case '*':
    case '+':
    case '?':
    case '{':
        return read_operator(p, items);
    case '^':
    case '$':
        return give_up(p, "anchor inside the pattern", SPAN(""));
    case ']':
    case '}':
        return give_up(p, "unsupported character: ", here(p, 1));
    default:
        return read_literal(p, items);
    }
}

/* Up to the end of the group or of the pattern; its items are put on the
 * stack. Recursion: at most NESTING. */
static bool read_sequence(Pattern *p)
{
    ItemList items = {0};
    bool ok = llama_work(p->c, 1);
    while (ok && !ends(p) && !(p->depth && stands(p, p->at, ")")))
        ok = stands(p, p->at, ")") ? refuse(p, "unbalanced parentheses")
                                   : read_item(p, &items);
    if (ok) put_items(p->c, &items);
    vec_free(p->c->mem, &items);
    return ok;
}

/* ---- the whole ---- */

/* Leaves the body on the stack. */
static bool read_all(Pattern *p, bool is_final)
{
    p->at = 0;
    p->depth = 0;
    p->is_final = is_final;
    scratch_text(&p->c->text, "\"\\\"\" (");
    if (!read_sequence(p)) return false;
    scratch_text(&p->c->text, ") \"\\\"\"");
    return true;
}

static Span failed(Pattern *p, JsonId at, Span pattern, size_t from)
{
    Scratch *s = &p->c->text;
    scratch_text(s, p->is_invalid ? "Invalid pattern " : "pattern ");
    scratch_add(s, pattern);
    scratch_text(s, p->is_invalid ? ": " : " is not supported (");
    scratch_text(s, p->reason);
    scratch_add(s, p->what);
    if (p->is_invalid) {
        llama_complain(p->c, WEIR_SYNTAX, at, from);
        return SPAN("");
    }
    scratch_text(s, "), accepting any string");
    llama_warn(p->c, from);
    return llama_rule_of(p->c, p->rule,
                         llama_fixed(p->c, SPAN("string"), "string"));
}

Span llama_pattern(Llama *c, JsonId at, Span pattern, Span rule)
{
    Pattern p = {.c = c, .rule = rule};
    Span made = SPAN("");
    size_t from = scratch_begin(&c->text);
    size_t size = pattern.size;
    bool ok = size >= 2 && pattern.at[0] == '^' && pattern.at[size - 1] == '$';
    if (ok) {
        p.text = span_of(pattern.at + 1, size - 2);
        ok = read_all(&p, false);
        scratch_drop(&c->text, from);
    } else {
        give_up(&p, "not anchored with '^' and '$'", SPAN(""));
    }
    if (p.reason)
        made = failed(&p, at, pattern, from);
    else if (ok && read_all(&p, true))
        made = llama_rule(c, rule, from);
    vec_free(c->mem, &p.parts);
    vec_free(c->mem, &p.part_rules);
    map_free(c->mem, &p.part_index);
    return made;
}
