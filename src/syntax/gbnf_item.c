/* gbnf_item.c: strings, classes, the dot and tokens of GBNF.
 *
 * In:    an item at the present place. Out: a node among the open items.
 * Strings and classes know the same escapes. A class ends at the first ']',
 * so "[]" and "[^]" hold nothing and, like "", are no items at all. A range
 * that runs backwards holds no character. Code points that are in no text
 * (surrogates, above U+10FFFF) may be written and match nothing; in the
 * dialect llama.cpp its characters are those of lang/lax.h, and what matches
 * nothing is a dead end.
 * Cost:  linear. Tests: unit/gbnf_test.c.
 */
#include "base/utf8.h"
#include "lang/lax.h"
#include "syntax/gbnf_parse.h"

bool gbnf_push(Gbnf *g, NodeId node, uint32_t symbol, uint64_t cost,
               bool exists)
{
    const Mem *mem = g->ir->mem;
    GbnfGroup *group = gbnf_group(g);
    group->last = (GbnfItem){.exists = exists,
                             .cost = cost,
                             .has_text = exists && symbol == GBNF_NONE,
                             .before = g->open_leads.count,
                             .was_blocked = group->is_blocked,
                             .was_empty = group->is_empty};
    group->is_empty &= !exists;
    g->run.count = 0;
    if (symbol != GBNF_NONE && !vec_push(mem, &g->run, symbol))
        return diag_no_memory(&g->ir->error);
    if (!gbnf_leads_item(g)) return false;
    return vec_push(mem, &g->items, node) || diag_no_memory(&g->ir->error);
}

/* ---- characters ---- */

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* `count` hex digits at the present place; the escape began at `begin`. */
static bool read_hex(Gbnf *g, size_t begin, unsigned count, uint32_t *rune)
{
    *rune = 0;
    for (unsigned i = 0; i < count; i++, g->pos++) {
        int digit =
            g->pos < g->source.size ? hex_value(g->source.at[g->pos]) : -1;
        if (digit < 0)
            return gbnf_fail(g, begin, MAX(g->pos, begin + 1),
                             "found %s in an escape, expected %u hex digits",
                             diag_found(g->source, g->pos).text, count);
        *rune = *rune << 4 | (uint32_t)digit;
    }
    return true;
}

static bool read_escape(Gbnf *g, uint32_t *rune)
{
    static const char letters[] = "trn\\\"[]-";
    static const char values[] = "\t\r\n\\\"[]-";
    size_t begin = g->pos++;
    uint8_t letter = g->pos < g->source.size ? g->source.at[g->pos] : 0;
    const char *at = letter ? strchr(letters, letter) : NULL;
    if (!letter || (!at && !strchr("xuU", letter))) {
        size_t end = g->pos;
        if (letter) (void)utf8_decode(g->source, &end);
        return gbnf_fail(g, begin, end,
                         "found %s after a backslash, expected one of "
                         "x u U t r n \\ \" [ ] -",
                         diag_found(g->source, g->pos).text);
    }
    g->pos++;
    if (!at)
        return read_hex(g, begin,
                        letter == 'x'   ? 2
                        : letter == 'u' ? 4
                                        : 8,
                        rune);
    *rune = (uint8_t)values[at - letters];
    return true;
}

/* The next character of what began at `begin` and ends with `close`. */
static bool read_rune(Gbnf *g, size_t begin, char close, uint32_t *rune)
{
    if (g->pos == g->source.size)
        return gbnf_fail(g, begin, g->pos, "found end of input, expected '%c'",
                         close);
    if (gbnf_is(g, '\\')) return read_escape(g, rune);
    *rune = utf8_decode(g->source, &g->pos);
    return true;
}

/* The bytes of a character; 0: it is in no text. */
static unsigned encode(const Gbnf *g, uint32_t rune, uint8_t text[4])
{
    if (!g->opts.is_llama_cpp) return utf8_encode(rune, text);
    return rune ? lax_encode(rune, text) : 0;
}

/* What matches nothing. */
static NodeId never(Gbnf *g)
{
    const Range id = {TOKEN_NEVER, TOKEN_NEVER};
    return g->opts.is_llama_cpp ? ir_tokens(g->ir, &id, 1, false)
                                : NODE_NEVER_ID;
}

/* ---- strings ---- */

static bool add_rune(Gbnf *g, uint32_t rune, bool *is_never)
{
    uint8_t text[4];
    unsigned n = encode(g, rune, text);
    *is_never |= !n;
    for (unsigned i = 0; i < n; i++)
        if (!vec_push(g->ir->mem, &g->text, text[i]))
            return diag_no_memory(&g->ir->error);
    return true;
}

static bool warn_never(Gbnf *g, size_t begin, const char *what)
{
    ir_warn(g->ir, begin, g->pos, "this %s matches nothing", what);
    return ir_ok(g->ir);
}

bool gbnf_string(Gbnf *g)
{
    size_t begin = g->pos++;
    bool exists = false, is_never = false;
    uint32_t rune = 0;
    g->text.count = 0;
    while (!gbnf_is(g, '"')) {
        if (!read_rune(g, begin, '"', &rune) || !add_rune(g, rune, &is_never))
            return false;
        exists = true;
    }
    g->pos++;
    if (is_never && !warn_never(g, begin, "string")) return false;
    NodeId node = is_never
                      ? never(g)
                      : ir_bytes(g->ir, span_of(g->text.at, g->text.count));
    gbnf_skip(g, false);
    return gbnf_push(g, node, GBNF_NONE, 1, exists);
}

/* ---- classes ---- */

static bool read_range(Gbnf *g, size_t begin)
{
    Range range = {0, 0};
    if (!read_rune(g, begin, ']', &range.lo)) return false;
    range.hi = range.lo;
    bool is_range = gbnf_is(g, '-') && !(g->pos + 1 < g->source.size &&
                                         g->source.at[g->pos + 1] == ']');
    if (is_range) {
        g->pos++;
        if (!read_rune(g, begin, ']', &range.hi)) return false;
    }
    return range.lo > range.hi || vec_push(g->ir->mem, &g->ranges, range) ||
           diag_no_memory(&g->ir->error);
}

static NodeId make_class(Gbnf *g, bool negated)
{
    const Range *ranges = g->ranges.at;
    return g->opts.is_llama_cpp
               ? ir_lax_class(g->ir, ranges, g->ranges.count, negated)
               : ir_class(g->ir, ranges, g->ranges.count, negated);
}

bool gbnf_class(Gbnf *g)
{
    size_t begin = g->pos++;
    bool negated = gbnf_is(g, '^'), exists = false;
    g->ranges.count = 0;
    if (negated) g->pos++;
    while (!gbnf_is(g, ']')) {
        if (!read_range(g, begin)) return false;
        exists = true;
    }
    g->pos++;
    NodeId node = exists ? make_class(g, negated) : NODE_EMPTY_ID;
    if (node == NODE_NEVER_ID) {
        if (!warn_never(g, begin, "class")) return false;
        node = never(g);
    }
    gbnf_skip(g, false);
    return gbnf_push(g, node, GBNF_NONE, 1, exists);
}

bool gbnf_dot(Gbnf *g)
{
    g->pos++;
    gbnf_skip(g, false);
    g->ranges.count = 0;
    return gbnf_push(g, make_class(g, true), GBNF_NONE, 1, true);
}

/* ---- tokens ---- */

/* The number at the present place, after "<[". */
static bool read_id(Gbnf *g, uint32_t *id)
{
    size_t begin = g->pos;
    uint64_t n = 0;
    bool is_long = false;
    while (g->pos < g->source.size && g->source.at[g->pos] >= '0' &&
           g->source.at[g->pos] <= '9') {
        uint64_t digit = (uint64_t)(g->source.at[g->pos++] - '0');
        is_long |= n > (UINT64_MAX - digit) / 10;
        n = n * 10 + digit;
    }
    if (g->pos == begin) return gbnf_unexpected(g, "a token id");
    if (g->opts.is_llama_cpp ? is_long : is_long || n > GBNF_MAX_TOKEN_ID)
        return gbnf_fail(g, begin, g->pos,
                         "found a token id of %zu digits, expected at most %s",
                         g->pos - begin,
                         g->opts.is_llama_cpp ? "18446744073709551615"
                                              : "2147483647");
    *id = (uint32_t)n; /* the dialect keeps the low 32 bits */
    return true;
}

static bool read_bracketed(Gbnf *g, uint32_t *id)
{
    g->pos++;
    if (!read_id(g, id)) return false;
    if (!gbnf_is(g, ']')) return gbnf_unexpected(g, "']' after a token id");
    g->pos++;
    if (!gbnf_is(g, '>')) return gbnf_unexpected(g, "'>' after ']'");
    g->pos++;
    return true;
}

/* <text>, brackets included, which began at `begin`. */
static bool read_named(Gbnf *g, size_t begin, uint32_t *id)
{
    while (g->pos < g->source.size && !gbnf_is(g, '>')) g->pos++;
    if (g->pos == g->source.size) return gbnf_unexpected(g, "'>'");
    g->pos++;
    Span text = span_of(g->source.at + begin, g->pos - begin);
    if (!g->opts.token)
        return diag_fail(&g->ir->error, WEIR_UNSUPPORTED, begin, g->pos,
                         "found a token by its text, which needs a "
                         "vocabulary");
    *id = g->opts.token(g->opts.user, text);
    if (*id != GBNF_NO_TOKEN) return true;
    return diag_fail(&g->ir->error, WEIR_UNDEFINED, begin, g->pos,
                     "found a text that is not exactly one token of the "
                     "vocabulary");
}

bool gbnf_token(Gbnf *g)
{
    bool negated = gbnf_is(g, '!');
    uint32_t id = 0;
    if (negated) g->pos++;
    size_t begin = g->pos;
    if (!gbnf_is(g, '<')) return gbnf_unexpected(g, "'<' right after '!'");
    g->pos++;
    bool ok =
        gbnf_is(g, '[') ? read_bracketed(g, &id) : read_named(g, begin, &id);
    if (!ok) return false;
    Range ids[] = {{id, id}, {TOKEN_NEVER, TOKEN_NEVER}};
    bool is_dead_end = g->opts.is_llama_cpp && !negated;
    NodeId node = ir_tokens(g->ir, ids, is_dead_end ? 2 : 1, negated);
    gbnf_skip(g, false);
    return gbnf_push(g, node, GBNF_NONE, 1, true);
}
