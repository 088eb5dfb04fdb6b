/* lark_atom.c: what bodies of Lark are made of: strings, ranges, regular
 * expressions, tokens, names, and parts in other languages.
 *
 * In:    the word that an atom begins with. Out: a node, the word behind it.
 * Cost:  linear, but for what patterns and nested grammars take.
 * Tests: unit/lark_test.c.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "syntax/lark_parse.h"
#include "syntax/regex.h"
#include "syntax/substring.h"
#include "text/json.h"
#include "text/unicode.h"

/* What the source has at a word. */
static Span text_of(const Lark *k, LarkWord w)
{
    return lark_text(&k->lex, w);
}

static LarkId leaf(Lark *k, LarkKind kind, NodeId node, LarkWord at)
{
    return lark_node(k, (LarkNode){kind, node, 0, 0, at.begin, at.end});
}

/* The flags of patterns as Rust has them: classes ask Unicode. */
static RegexOpts pattern_opts(uint32_t offset)
{
    return (RegexOpts){.unicode_classes = true,
                       .line_feed_only = true,
                       .rust_sets = true,
                       .offset = offset};
}

/* ---- strings ---- */

static bool read_text(Lark *k, LarkWord w, bool *ignore_case)
{
    k->scratch.text.count = 0;
    return lark_string(&k->lex, w, k->ir->mem, &k->scratch.text, ignore_case);
}

static Span scratch_text(const Lark *k)
{
    return span_of(k->scratch.text.at, k->scratch.text.count);
}

static bool put_pattern(Lark *k, const char *text)
{
    for (; *text; text++)
        if (!vec_push(k->ir->mem, &k->scratch.pattern, (uint8_t)*text))
            return diag_no_memory(&k->ir->error);
    return true;
}

/* The text in any case, by a pattern of its code points. */
static NodeId caseless(Lark *k, Span text, LarkWord at)
{
    RegexOpts opts = pattern_opts(0);
    opts.ignore_case = true;
    k->scratch.pattern.count = 0;
    for (size_t i = 0; i < text.size;) {
        char one[16];
        snprintf(one, sizeof one, "\\u{%X}", (unsigned)utf8_decode(text, &i));
        if (!put_pattern(k, one)) return NODE_NEVER_ID;
    }
    Span pattern = span_of(k->scratch.pattern.at, k->scratch.pattern.count);
    NodeId node = regex_compile(k->ir, pattern, &opts);
    if (!ir_ok(k->ir)) {
        k->ir->error.begin = at.begin;
        k->ir->error.end = at.end;
    }
    return node;
}

/* The only character of the text in the scratch. */
static bool one_rune(Lark *k, LarkWord w, bool ignore_case, uint32_t *rune)
{
    Span text = scratch_text(k);
    size_t pos = 0;
    if (ignore_case)
        return lark_fail(k, w, WEIR_SYNTAX,
                         "found the flag i at the end of a range");
    *rune = text.size ? utf8_decode(text, &pos) : RUNE_BAD;
    return (text.size && pos == text.size) ||
           lark_fail(k, w, WEIR_SYNTAX,
                     "found %s at the end of a range, expected one character",
                     diag_shown(text_of(k, w)).text);
}

/* "a".."z", the second word being present; the first is in the scratch. */
static LarkId read_range(Lark *k, LarkWord first, bool ignore_case)
{
    Range range = {0};
    LarkWord at = {LARK_STRING, first.begin, k->lex.word.end};
    if (k->lex.word.kind != LARK_STRING) {
        lark_unexpected(k, "a string after '..'");
        return LARK_NONE;
    }
    if (!one_rune(k, first, ignore_case, &range.lo) ||
        !read_text(k, k->lex.word, &ignore_case) ||
        !one_rune(k, k->lex.word, ignore_case, &range.hi))
        return LARK_NONE;
    if (range.lo > range.hi) {
        lark_fail(k, at, WEIR_SYNTAX, "range from %s down to %s",
                  diag_rune(range.lo).text, diag_rune(range.hi).text);
        return LARK_NONE;
    }
    lark_lex_next(&k->lex);
    return leaf(k, LARK_LEXEME, ir_class(k->ir, &range, 1, false), at);
}

static LarkId read_string(Lark *k)
{
    LarkWord w = k->lex.word;
    bool ignore_case;
    if (!read_text(k, w, &ignore_case)) return LARK_NONE;
    lark_lex_next(&k->lex);
    if (lark_is(&k->lex, "..")) {
        lark_lex_next(&k->lex);
        return read_range(k, w, ignore_case);
    }
    Span text = scratch_text(k);
    if (!text.size)
        return lark_node(k, (LarkNode){LARK_EMPTY, 0, 0, 0, w.begin, w.end});
    NodeId node = ignore_case ? caseless(k, text, w) : ir_bytes(k->ir, text);
    return leaf(k, LARK_LEXEME, node, w);
}

/* ---- regular expressions ---- */

static bool read_flags(Lark *k, LarkWord at, Span flags, RegexOpts *opts)
{
    for (size_t i = 0; i < flags.size; i++) {
        opts->ignore_case |= flags.at[i] == 'i';
        opts->dot_all |= flags.at[i] == 's';
        opts->multi_line |= flags.at[i] == 'm';
        opts->is_verbose |= flags.at[i] == 'x';
        if (flags.at[i] == 'l')
            return lark_fail(k, at, WEIR_UNSUPPORTED,
                             "found the flag l, expected flags out of i, m, s, "
                             "u and x");
    }
    return true;
}

static LarkId read_regex(Lark *k)
{
    LarkWord w = k->lex.word;
    Span text = text_of(k, w);
    size_t end = text.size - 1;
    while (text.at[end] != '/') end--;
    RegexOpts opts = pattern_opts(w.begin + 1);
    Span flags = span_of(text.at + end + 1, text.size - end - 1);
    if (!read_flags(k, w, flags, &opts)) return LARK_NONE;
    NodeId node = regex_compile(k->ir, span_of(text.at + 1, end - 1), &opts);
    lark_lex_next(&k->lex);
    return leaf(k, LARK_LEXEME, node, w);
}

/* ---- tokens ---- */

static bool push_range(Lark *k, uint32_t lo, uint32_t hi)
{
    return vec_push(k->ir->mem, &k->scratch.ranges, (Range){lo, hi}) ||
           diag_no_memory(&k->ir->error);
}

/* Digits at *pos of the word; moves past them. */
static bool read_id(Lark *k, size_t *pos, uint32_t *id)
{
    const uint8_t *at = k->lex.source.at;
    LarkWord digits = {LARK_NUMBER, (uint32_t)*pos, (uint32_t)*pos};
    uint64_t n;
    while (at[digits.end] >= '0' && at[digits.end] <= '9') digits.end++;
    if (digits.begin == digits.end) {
        digits.end++;
        return lark_fail(k, digits, WEIR_SYNTAX,
                         "found %s in a set of tokens, expected a token id",
                         diag_found(k->lex.source, *pos).text);
    }
    if (!lark_number(k, digits, LARK_MAX_TOKEN_ID, &n)) return false;
    *pos = digits.end;
    *id = (uint32_t)n;
    return true;
}

/* a,b-c,...] up to the bracket; commas may be too many. */
static bool read_id_list(Lark *k, LarkWord w, size_t pos)
{
    const uint8_t *at = k->lex.source.at;
    while (at[pos] != ']') {
        uint32_t lo = 0, hi;
        size_t begin = pos;
        if (!read_id(k, &pos, &lo)) return false;
        hi = lo;
        if (at[pos] == '-') {
            pos++;
            if (!read_id(k, &pos, &hi)) return false;
        }
        LarkWord range = {LARK_NUMBER, (uint32_t)begin, (uint32_t)pos};
        if (lo > hi)
            return lark_fail(k, range, WEIR_SYNTAX,
                             "range of tokens from %u down to %u", lo, hi);
        if (!push_range(k, lo, hi)) return false;
        if (at[pos] == ',')
            pos++;
        else if (at[pos] != ']')
            return lark_fail(
                k, (LarkWord){LARK_NUMBER, (uint32_t)pos, (uint32_t)pos + 1},
                WEIR_SYNTAX,
                "found %s in a set of tokens, expected ',', '-' "
                "or ']'",
                diag_found(k->lex.source, pos).text);
    }
    return k->scratch.ranges.count ||
           lark_fail(k, w, WEIR_SYNTAX, "found no token in a set of tokens");
}

/* <[1,3-8]> <[^5]> <[*]> */
static NodeId token_set(Lark *k, LarkWord w)
{
    size_t pos = w.begin + 2;
    bool negated = k->lex.source.at[pos] == '^';
    pos += negated;
    k->scratch.ranges.count = 0;
    if (k->lex.source.at[pos] == '*' && pos + 3 == w.end) {
        if (!negated) return ir_tokens(k->ir, NULL, 0, true);
        lark_fail(k, w, WEIR_SYNTAX, "found no token but those of <[*]>");
    }
    if (!ir_ok(k->ir) || !read_id_list(k, w, pos)) return NODE_NEVER_ID;
    return ir_tokens(k->ir, k->scratch.ranges.at, k->scratch.ranges.count,
                     negated);
}

/* Steps of work that finding a token by its name takes, roughly. */
enum { LOOK_UP = 100000 };

/* <name>, brackets and all. */
static NodeId token_name(Lark *k, LarkWord w)
{
    const Nested *n = &k->opts.nested;
    Span name = text_of(k, w);
    k->scratch.ranges.count = 0;
    k->lang.lang.begin = w.begin;
    k->lang.lang.end = w.end;
    if (!lang_charge(&k->lang.lang, LOOK_UP)) return NODE_NEVER_ID;
    if (!n->tokens) {
        lark_fail(k, w, WEIR_UNDEFINED,
                  "found the token %s by its name, which needs a vocabulary",
                  diag_shown(name).text);
    } else if (!n->tokens(n->user, k->ir->mem, name, &k->scratch.ranges)) {
        diag_no_memory(&k->ir->error);
    } else if (!k->scratch.ranges.count) {
        lark_fail(k, w, WEIR_UNDEFINED, "the vocabulary has no token called %s",
                  diag_shown(name).text);
    }
    if (!ir_ok(k->ir)) return NODE_NEVER_ID;
    return ir_tokens(k->ir, k->scratch.ranges.at, k->scratch.ranges.count,
                     false);
}

static LarkId read_token(Lark *k)
{
    LarkWord w = k->lex.word;
    Span text = text_of(k, w);
    bool is_set =
        text.size > 4 && text.at[1] == '[' && text.at[text.size - 2] == ']';
    if (span_equal(text, SPAN("<[]>"))) is_set = true;
    NodeId node = is_set ? token_set(k, w) : token_name(k, w);
    lark_lex_next(&k->lex);
    return leaf(k, LARK_PART, node, w);
}

/* ---- other languages ---- */

/* Moves the report of a nested text to where that text is. */
static void place_nested(Lark *k, size_t begin, uint32_t warnings)
{
    weir_error *err = &k->ir->error;
    if (err->status) {
        err->begin += (uint32_t)begin;
        err->end += (uint32_t)begin;
    }
    for (uint32_t i = warnings; i < k->ir->warnings.count; i++) {
        k->ir->warnings.at[i].begin += (uint32_t)begin;
        k->ir->warnings.at[i].end += (uint32_t)begin;
    }
}

static LarkId nested_part(Lark *k, RuleId rule, LarkWord at)
{
    if (!ir_ok(k->ir) || rule == RULE_NONE) return LARK_NONE;
    return leaf(k, LARK_PART, ir_ref(k->ir, rule), at);
}

/* %json {...} or %lark {...}: the text in [begin, end) */
static LarkId read_nested(Lark *k, weir_source_kind kind, size_t begin,
                          size_t end)
{
    const Nested *n = &k->opts.nested;
    LarkWord at = {LARK_DIRECTIVE, k->lex.word.begin, (uint32_t)end};
    uint32_t warnings = k->ir->warnings.count;
    size_t inner = kind == WEIR_LARK; /* without the braces */
    Span text =
        span_of(k->lex.source.at + begin + inner, end - begin - 2 * inner);
    RuleId rule = RULE_NONE;
    if (n->grammar)
        rule = n->grammar(n->user, k->ir, kind, text);
    else
        lark_fail(k, k->lex.word, WEIR_UNSUPPORTED,
                  "found a part in another language, which is not known here");
    if (n->grammar) place_nested(k, begin + inner, warnings);
    lark_lex_jump(&k->lex, end);
    return nested_part(k, rule, at);
}

static LarkId read_json(Lark *k)
{
    size_t begin, end = lark_json_end(&k->lex, k->lex.word.end, &begin);
    return end ? read_nested(k, WEIR_JSON_SCHEMA, begin, end) : LARK_NONE;
}

static LarkId read_lark(Lark *k)
{
    size_t begin, end = lark_nested_end(&k->lex, k->lex.word.end, &begin);
    return end ? read_nested(k, WEIR_LARK, begin, end) : LARK_NONE;
}

static LarkId read_grammar(Lark *k)
{
    const Nested *n = &k->opts.nested;
    LarkWord w = k->lex.word;
    Span name = text_of(k, w);
    name = span_of(name.at + 1, name.size - 1);
    RuleId rule = n->named ? n->named(n->user, k->ir, name) : RULE_NONE;
    if (rule == RULE_NONE && ir_ok(k->ir))
        lark_fail(k, w, WEIR_UNDEFINED, "no grammar called \"%s\" is given",
                  diag_shown(name).text);
    lark_lex_next(&k->lex);
    return nested_part(k, rule, w);
}

/* ---- %regex ---- */

typedef enum CharKind { CHAR_SPACE, CHAR_WORD, CHAR_OTHER } CharKind;

static bool has_property(Span name, uint32_t rune)
{
    const RuneRange *ranges;
    uint32_t count;
    return unicode_property(name, &ranges, &count) &&
           unicode_in(ranges, count, rune);
}

static CharKind char_kind(uint32_t rune)
{
    if (has_property(SPAN("White_Space"), rune)) return CHAR_SPACE;
    bool is_word = rune == '_' || has_property(SPAN("Alphabetic"), rune) ||
                   has_property(SPAN("N"), rune);
    return is_word ? CHAR_WORD : CHAR_OTHER;
}

typedef VEC(Span) Chunks;

static bool push_chunk(Lark *k, Chunks *chunks, Span text, size_t begin,
                       size_t end)
{
    Span chunk = span_of(text.at + begin, end - begin);
    return vec_push(k->ir->mem, chunks, chunk) || diag_no_memory(&k->ir->error);
}

/* One character each, or runs of a kind. */
static bool cut_text(Lark *k, Span text, bool in_words, Chunks *chunks)
{
    size_t begin = 0;
    CharKind kind = CHAR_OTHER;
    for (size_t pos = 0; pos < text.size;) {
        size_t at = pos;
        uint32_t rune = utf8_decode(text, &pos);
        CharKind next = char_kind(rune);
        bool ends = at > begin && (!in_words || next != kind);
        if (ends && !push_chunk(k, chunks, text, begin, at)) return false;
        if (ends) begin = at;
        kind = next;
    }
    return begin == text.size || push_chunk(k, chunks, text, begin, text.size);
}

static bool bad_regex(Lark *k, const Json *json, JsonId id, size_t offset,
                      const char *expected)
{
    Span text = json_spelling(json, id);
    size_t begin = offset + json_offset(json, id);
    return diag_fail(&k->ir->error, WEIR_SYNTAX, begin, begin + text.size,
                     "found %s in %%regex, expected %s", diag_shown(text).text,
                     expected);
}

static bool push_string(Lark *k, const Json *json, JsonId id, size_t offset,
                        Chunks *chunks)
{
    Span text = json_string(json, id);
    if (json_kind(json, id) != JSON_STRING)
        return bad_regex(k, json, id, offset, "a string");
    return push_chunk(k, chunks, text, 0, text.size);
}

/* {"substring_chunks": [...]}, or _words or _chars: "..." */
static bool read_chunks(Lark *k, const Json *json, size_t offset,
                        Chunks *chunks)
{
    JsonIter it = json_iter(json, JSON_ROOT);
    if (json_kind(json, JSON_ROOT) != JSON_OBJECT || !json_step(&it) ||
        json_count(json, JSON_ROOT) != 1)
        return bad_regex(k, json, JSON_ROOT, offset,
                         "an object with one of substring_chunks, "
                         "substring_words and substring_chars");
    if (span_equal(it.key, SPAN("substring_chunks"))) {
        if (json_kind(json, it.value) != JSON_ARRAY)
            return bad_regex(k, json, it.value, offset, "an array of strings");
        for (JsonIter i = json_iter(json, it.value); json_step(&i);)
            if (!push_string(k, json, i.value, offset, chunks)) return false;
        return true;
    }
    bool in_words = span_equal(it.key, SPAN("substring_words"));
    if (!in_words && !span_equal(it.key, SPAN("substring_chars")))
        return bad_regex(k, json, it.key_id, offset,
                         "substring_chunks, substring_words or "
                         "substring_chars");
    if (json_kind(json, it.value) != JSON_STRING)
        return bad_regex(k, json, it.value, offset, "a string");
    return cut_text(k, json_string(json, it.value), in_words, chunks);
}

static LarkId read_substring(Lark *k)
{
    size_t begin, end = lark_json_end(&k->lex, k->lex.word.end, &begin);
    LarkWord at = {LARK_DIRECTIVE, k->lex.word.begin, (uint32_t)end};
    weir_error err = {0};
    Chunks chunks = {0};
    Json json;
    NodeId node = NODE_NEVER_ID;
    if (!end) return LARK_NONE;
    Span text = span_of(k->lex.source.at + begin, end - begin);
    if (!json_parse(&json, k->ir->mem, text, NULL, &err)) {
        diag_fail(&k->ir->error, err.status, begin + err.begin, begin + err.end,
                  "%s", err.message);
        return LARK_NONE;
    }
    if (read_chunks(k, &json, begin, &chunks))
        node =
            substring_compile(k->ir, chunks.at, chunks.count, at.begin, at.end);
    vec_free(k->ir->mem, &chunks);
    json_free(&json);
    lark_lex_jump(&k->lex, end);
    return leaf(k, LARK_LEXEME, node, at);
}

/* ---- all ---- */

static LarkId read_directive(Lark *k)
{
    Span name = text_of(k, k->lex.word);
    if (span_equal(name, SPAN("%json"))) return read_json(k);
    if (span_equal(name, SPAN("%lark"))) return read_lark(k);
    if (span_equal(name, SPAN("%regex"))) return read_substring(k);
    lark_unexpected(k, "%json, %lark or %regex");
    return LARK_NONE;
}

/* A name, perhaps with an argument: name::expr */
static LarkId read_name(Lark *k)
{
    LarkWord w = k->lex.word;
    uint32_t param = LARK_NONE, symbol = lark_symbol(k, w);
    if (symbol == LARK_NONE) return LARK_NONE;
    lark_lex_next(&k->lex);
    if (lark_is(&k->lex, "::")) {
        lark_lex_next(&k->lex);
        if (!lark_argument(k, &param)) return LARK_NONE;
    }
    return lark_node(k,
                     (LarkNode){LARK_NAME, symbol, param, 0, w.begin, w.end});
}

bool lark_begins_atom(const Lark *k)
{
    switch (k->lex.word.kind) {
    case LARK_RULE:
    case LARK_TERMINAL:
    case LARK_STRING:
    case LARK_REGEX:
    case LARK_DIRECTIVE:
    case LARK_TOKEN:
    case LARK_GRAMMAR:
        return true;
    default:
        return false;
    }
}

LarkId lark_atom(Lark *k)
{
    switch (k->lex.word.kind) {
    case LARK_STRING:
        return read_string(k);
    case LARK_REGEX:
        return read_regex(k);
    case LARK_TOKEN:
        return read_token(k);
    case LARK_GRAMMAR:
        return read_grammar(k);
    case LARK_DIRECTIVE:
        return read_directive(k);
    default:
        return read_name(k);
    }
}
