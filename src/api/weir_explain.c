/* weir_explain.c: what may come next, and why a token is refused, in words.
 *
 * What may come is a list of phrases: single characters first, each with the
 * text that must follow it ('true'); then ranges, named classes ("a digit"),
 * characters beyond ASCII, tokens, the end of the output. A set that leaves
 * out little is told by what it leaves out. For people: the wording may change.
 * Cost: about 1 ms. The matcher is not changed; new stacks go to a scratch.
 * Tests: unit/explain_test.c, cli/cli_test.py.
 */
#include "api/matcher.h"
#include "base/out.h"
#include "base/utf8.h"
#include "base/words.h"
#include "matcher/budget.h"
#include "matcher/next.h"

enum {
    PHRASES = 12,       /* listed at most */
    PHRASE_BYTES = 160, /* of one phrase; longer ones are cut */
    FOLLOW_BYTES = 24,  /* forced text shown after a character */
    TOKEN_SETS = 8,     /* token edges described */
    RUNES_ALL = RUNE_MAX + 1 - 0x800,
    RUNES_MOST = RUNES_ALL - 0x1000 /* from here on: "any character but" */
};

/* A list of alternatives being collected. */
typedef struct Phrases {
    char text[PHRASES + 1][PHRASE_BYTES]; /* the last for the end */
    uint32_t count;
    uint32_t runes_left; /* characters that found no room */
    bool has_list;       /* a phrase is a list itself: a comma before "or" */
} Phrases;

typedef struct Explain {
    weir_matcher *m;
    Stepper s;
    ConfigSet start; /* the matcher's, but for what must be unique */
    ConfigSet now, after, spare;
    const TokenMove *moves[TOKEN_SETS];
    uint32_t nmoves;
    bool more_moves;
} Explain;

/* ---- phrases ---- */

/* A buffer for one more phrase, or one without room. */
static Out phrase_begin(Phrases *p)
{
    if (p->count >= PHRASES) return (Out){0};
    return (Out){p->text[p->count], PHRASE_BYTES - 1, 0};
}

/* False if there was no room for it. */
static bool phrase_end(Phrases *p, Out *out)
{
    if (!out->cap) return false;
    size_t end = MIN(out->size, out->cap);
    if (out->size > out->cap) { /* cut, though not inside a character */
        end -= 3;
        while (end && (out->at[end] & 0xC0) == 0x80) end--;
        memcpy(out->at + end, "...", 3);
        end += 3;
    }
    out->at[end] = 0;
    p->count++;
    return true;
}

static void phrase_text(Phrases *p, const char *text)
{
    Out out = phrase_begin(p);
    out_text(&out, text);
    phrase_end(p, &out);
}

static void phrase_range(Phrases *p, uint32_t lo, uint32_t hi)
{
    Out out = phrase_begin(p);
    words_rune(&out, lo);
    if (hi > lo) {
        out_text(&out, " to ");
        words_rune(&out, hi);
    }
    if (!phrase_end(p, &out)) p->runes_left += hi - lo + 1;
}

static void phrases_join(const Phrases *p, Out *out)
{
    uint32_t total = p->count + (p->runes_left != 0);
    for (uint32_t i = 0; i < p->count; i++) {
        bool is_last = i + 1 == total;
        if (i) out_text(out, !is_last ? ", " : p->has_list ? ", or " : " or ");
        out_text(out, p->text[i]);
    }
    if (p->runes_left)
        out_format(out, "%s%u other character%s", p->count ? " or " : "",
                   p->runes_left, p->runes_left == 1 ? "" : "s");
}

/* ---- characters ---- */

/* Sets of ASCII characters that have a name; larger ones first. */
typedef struct Named {
    const char *name;
    uint8_t count;
    uint8_t range[3][2];
} Named;
static const Named named_sets[] = {
    {"a printable ASCII character", 1, {{' ', '~'}}},
    {"a control character", 1, {{0, 0x1F}}},
    {"a letter", 2, {{'A', 'Z'}, {'a', 'z'}}},
    {"an upper-case letter", 1, {{'A', 'Z'}}},
    {"a lower-case letter", 1, {{'a', 'z'}}},
    {"a hexadecimal digit", 3, {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    {"a digit", 1, {{'0', '9'}}},
    {"a blank", 3, {{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}},
};

/* Takes the characters of `named` out of `set`, if all are there. */
static bool named_take(const Named *named, ByteSet *set)
{
    ByteSet rest = *set;
    for (size_t i = 0; i < named->count; i++)
        for (unsigned c = named->range[i][0]; c <= named->range[i][1]; c++) {
            if (!byteset_has(set, (uint8_t)c)) return false;
            rest.word[c >> 6] &= ~((uint64_t)1 << (c & 63));
        }
    *set = rest;
    return true;
}

static void set_swap(ConfigSet *a, ConfigSet *b)
{
    ConfigSet swap = *a;
    *a = *b;
    *b = swap;
}

/* x->after = what follows `byte` there. */
static void step_after(Explain *x, uint8_t byte)
{
    set_step(&x->s, &x->after, byte, &x->spare);
    set_swap(&x->after, &x->spare);
}

/* The character with what must follow it, as far as that is text; x NULL:
 * the character alone. */
static void phrase_rune(Explain *x, Phrases *p, uint32_t rune)
{
    uint8_t text[FOLLOW_BYTES + 4];
    if (!x) {
        phrase_range(p, rune, rune);
        return;
    }
    size_t size = utf8_encode(rune, text), whole = size;
    if (!set_copy(x->s.mem, &x->after, &x->now)) return;
    for (size_t i = 0; i < size; i++) step_after(x, text[i]);
    while (size < FOLLOW_BYTES && !stepper_status(&x->s)) {
        int byte = set_only_byte(&x->s, &x->after);
        if (byte < 0) break;
        text[size++] = (uint8_t)byte;
        step_after(x, (uint8_t)byte);
        if (utf8_check(span_of(text, size)) == size) whole = size;
    }
    Out out = phrase_begin(p);
    words_text(&out, span_of(text, whole));
    if (!phrase_end(p, &out)) p->runes_left++;
}

/* Single characters and ranges of ASCII; x NULL: without what follows. */
static void phrases_ascii(Explain *x, Phrases *p, const ByteSet *set)
{
    for (unsigned c = 0; c < 0x80; c++) {
        if (!byteset_has(set, (uint8_t)c)) continue;
        unsigned end = c;
        while (end + 1 < 0x80 && byteset_has(set, (uint8_t)(end + 1))) end++;
        if (end < c + 2) end = c;
        if (end > c)
            phrase_range(p, c, end);
        else
            phrase_rune(x, p, c);
        c = end;
    }
}

/* Characters beyond ASCII: ranges when they are few, else their number. */
static void phrases_beyond(Explain *x, Phrases *p, const Range *ranges,
                           uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) n += ranges[i].hi - ranges[i].lo + 1;
    if (count > 4) {
        Out out = phrase_begin(p);
        out_format(&out, "one of %u characters beyond ASCII", n);
        if (!phrase_end(p, &out)) p->runes_left += n;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        Range r = ranges[i];
        bool is_few = r.hi - r.lo < 2;
        if (!is_few) phrase_range(p, r.lo, r.hi);
        for (uint32_t c = r.lo; is_few && c <= r.hi; c++) phrase_rune(x, p, c);
    }
}

/* Sorted, disjoint ranges; those with both ASCII and more are split. */
static void phrases_runes(Explain *x, Phrases *p, const Range *ranges,
                          uint32_t count)
{
    const char *names[COUNT_OF(named_sets)];
    uint32_t nnames = 0, i = 0;
    ByteSet ascii = {{0}};
    for (; i < count && ranges[i].lo < 0x80; i++)
        for (uint32_t c = ranges[i].lo; c <= MIN(ranges[i].hi, 0x7F); c++)
            byteset_add(&ascii, (uint8_t)c);
    for (size_t k = 0; k < COUNT_OF(named_sets); k++)
        if (named_take(&named_sets[k], &ascii))
            names[nnames++] = named_sets[k].name;
    phrases_ascii(x, p, &ascii);
    for (uint32_t k = 0; k < nnames; k++) phrase_text(p, names[k]);
    if (i && ranges[i - 1].hi >= 0x80) phrase_range(p, 0x80, ranges[i - 1].hi);
    if (i < count) phrases_beyond(x, p, ranges + i, count - i);
}

/* Everything but what the ranges leave out, surrogates aside. */
static void phrase_most(Phrases *p, const NextRunes *next)
{
    enum { GAPS = 64 };
    Range gap[GAPS];
    uint32_t n = 0, from = 0;
    for (uint32_t i = 0; i <= next->runes.count && n < GAPS; i++) {
        bool is_last = i == next->runes.count;
        uint32_t lo = is_last ? RUNE_MAX + 1 : next->runes.at[i].lo;
        if (lo > from && !(from == 0xD800 && lo == 0xE000))
            gap[n++] = (Range){from, lo - 1};
        if (!is_last) from = next->runes.at[i].hi + 1;
    }
    Phrases but = {.count = 0};
    phrases_runes(NULL, &but, gap, n);
    Out out = phrase_begin(p);
    p->has_list = n != 0;
    out_text(&out, n ? "any character but " : "any character");
    phrases_join(&but, &out);
    phrase_end(p, &out);
}

static void phrases_bytes(Phrases *p, const ByteSet *set, bool is_rest)
{
    for (unsigned b = 0; b < 256; b++) {
        if (!byteset_has(set, (uint8_t)b)) continue;
        unsigned end = b;
        while (end < 255 && byteset_has(set, (uint8_t)(end + 1))) end++;
        Out out = phrase_begin(p);
        words_byte(&out, (uint8_t)b);
        if (end > b) out_format(&out, " to 0x%02X", end);
        if (is_rest) out_text(&out, " (inside a character)");
        phrase_end(p, &out);
        b = end;
    }
}

/* ---- tokens ---- */

static void collect_moves(void *user, Config c)
{
    Explain *x = user;
    const TokenMoves *moves = c.q->has_tokens ? state_tokens(c.q) : NULL;
    for (uint32_t i = 0; moves && i < moves->count; i++) {
        const TokenMove *move = &moves->at[i];
        bool known = false;
        for (uint32_t k = 0; k < x->nmoves; k++)
            known |= x->moves[k]->network == move->network &&
                     x->moves[k]->set == move->set;
        if (known) continue;
        if (x->nmoves < TOKEN_SETS)
            x->moves[x->nmoves++] = move;
        else
            x->more_moves = true;
    }
}

/* A token by number and, if known, text. */
static void token_name(const weir_matcher *m, uint32_t id, Out *out)
{
    out_format(out, "token %u", id);
    weir_vocab *v = m->grammar->vocab;
    Span bytes = v ? vocab_bytes(&v->vocab, id) : (Span){0};
    if (!bytes.size) return;
    out_text(out, " ");
    words_text(out, bytes);
}

static void phrase_tokens(Explain *x, Phrases *p, const TokenMove *move)
{
    const Ir *ir = move->network->ir;
    Node n = ir_node(ir, move->set);
    const Range *ranges = ir_node_ranges(ir, n);
    Out out = phrase_begin(p);
    uint32_t total = 0;
    for (uint32_t i = 0; i < n.b; i++)
        if (ranges[i].lo != TOKEN_NEVER)
            total += ranges[i].hi - ranges[i].lo + 1;
    if (!total)
        out_text(&out, "nothing (a dead end)");
    else if (total == 1)
        token_name(x->m, ranges[0].lo, &out);
    else
        out_format(&out, "one of %u tokens", total);
    phrase_end(p, &out);
}

/* ---- the whole ---- */

/* What may come after `set`, into `out`. */
static void explain_set(Explain *x, const ConfigSet *set, Out *out)
{
    Phrases p = {.count = 0};
    NextRunes next;
    if (!set_copy(x->s.mem, &x->now, set)) return;
    if (x->s.has_budgets && budget_has_run_out(&x->now, x->now.nchars, true))
        budget_end(&x->s, &x->now, x->now.nchars, true);
    next_runes(&next, &x->s, &x->now);
    if (next_count(&next) >= RUNES_MOST)
        phrase_most(&p, &next);
    else
        phrases_runes(x, &p, next.runes.at, next.runes.count);
    phrases_bytes(&p, &next.bytes, !next.runes.count);
    if (next.is_cut) phrase_text(&p, "other characters");
    vec_free(x->s.mem, &next.runes);
    x->nmoves = 0;
    set_each_return(&x->s, &x->now, collect_moves, x);
    for (uint32_t i = 0; i < x->nmoves; i++) phrase_tokens(x, &p, x->moves[i]);
    if (x->more_moves) phrase_text(&p, "other tokens");
    if (set_is_complete(&x->s, &x->now))
        memcpy(p.text[p.count++], "end of output", sizeof "end of output");
    if (!p.count) phrase_text(&p, "nothing that the vocabulary can spell");
    phrases_join(&p, out);
}

/* The start of the character that text[pos] is a part of, or pos. */
static size_t rune_start(Span text, size_t pos)
{
    size_t at = pos, end;
    while (at && pos - at < 3 && (text.at[at] & 0xC0) == 0x80) at--;
    end = at;
    return utf8_decode(text, &end) != RUNE_BAD && end > pos ? at : pos;
}

/* x->after = the set after the bytes; how many could be read. */
static size_t read_bytes(Explain *x, Span bytes)
{
    size_t pos = 0;
    if (!set_copy(x->s.mem, &x->after, &x->start)) return 0;
    while (pos < bytes.size) {
        set_step(&x->s, &x->after, bytes.at[pos], &x->spare);
        if (set_is_empty(&x->spare) || stepper_status(&x->s)) break;
        set_swap(&x->after, &x->spare);
        pos++;
    }
    return pos;
}

static void refused_text(Explain *x, uint32_t id, Out *out)
{
    Span bytes = vocab_bytes(&x->m->grammar->vocab->vocab, id);
    size_t pos = read_bytes(x, bytes);
    if (pos == bytes.size) {
        out_text(out, "it repeats what must be unique");
        return;
    }
    size_t start = rune_start(bytes, MIN(pos, bytes.size - 1));
    out_format(out, "at its byte %zu: found ", pos);
    words_found(out, bytes, start);
    out_text(out, ", expected ");
    ConfigSet at = {.ends = false};
    read_bytes(x, span_of(bytes.at, start));
    if (set_copy(x->s.mem, &at, &x->after)) explain_set(x, &at, out);
    vec_free(x->s.mem, &at.list);
}

static void refused_token(Explain *x, uint32_t id, Out *out)
{
    weir_matcher *m = x->m;
    const Vocab *v = &m->grammar->vocab->vocab;
    if (id >= v->width)
        out_format(out, "ids end at %u", v->width);
    else if (weir_matcher_is_terminated(m))
        out_text(out, "the output has ended");
    else if (id >= v->ntokens || v->flags[id] & WEIR_TOKEN_HOLE)
        out_text(out, "the id stands for no token");
    else if (matcher_is_stop(m, id)) {
        out_text(out, "it ends the output, which is not complete: expected ");
        explain_set(x, &x->start, out);
    } else if (v->flags[id] & WEIR_TOKEN_CONTROL)
        out_text(out, "it is a control token, which no text reaches");
    else if (!vocab_bytes(v, id).size)
        out_text(out, "it stands for no text");
    else
        refused_text(x, id, out);
}

static void explain_token(Explain *x, uint32_t id, Out *out)
{
    bool is_stop;
    weir_matcher *m = x->m;
    if (!m->grammar->vocab) {
        out_text(out, "the grammar has no vocabulary");
        return;
    }
    weir_accept answer = matcher_try(m, id, &is_stop);
    token_name(m, id, out);
    if (answer == WEIR_ACCEPTED) {
        out_text(out, is_stop ? " is allowed: the output is complete"
                              : " is allowed");
        return;
    }
    out_text(out, " is refused: ");
    if (answer == WEIR_ACCEPT_ERROR)
        out_text(out, weir_status_text(m->error));
    else
        refused_token(x, id, out);
}

static void explain_next(Explain *x, Out *out)
{
    if (x->m->track.is_stopped || weir_matcher_is_terminated(x->m))
        out_text(out, "end of output");
    else
        explain_set(x, &x->start, out);
}

size_t weir_matcher_explain(weir_matcher *m, uint32_t id, char *text,
                            size_t capacity)
{
    Explain x = {.m = m};
    Out out = {text, capacity ? capacity - 1 : 0, 0};
    stepper_init(&x.s, &m->mem, &m->hub->stacks, &m->grammar->ir.limits, true);
    x.s.has_budgets = m->track.stepper.has_budgets;
    x.s.ntokens = m->track.stepper.ntokens;
    bool ok = true;
    if (m->track.unique)
        unique_plain(&x.s, &m->track.now, &x.start);
    else
        ok = set_copy(x.s.mem, &x.start, &m->track.now);
    if (!ok || stepper_status(&x.s))
        out_text(&out, weir_status_text(WEIR_NO_MEMORY));
    else if (id == UINT32_MAX)
        explain_next(&x, &out);
    else
        explain_token(&x, id, &out);
    if (capacity) text[MIN(out.size, out.cap)] = 0;
    vec_free(x.s.mem, &x.start.list);
    vec_free(x.s.mem, &x.now.list);
    vec_free(x.s.mem, &x.after.list);
    vec_free(x.s.mem, &x.spare.list);
    stepper_free(&x.s);
    return out.size;
}
