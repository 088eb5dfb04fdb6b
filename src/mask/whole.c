/* whole.c: finding JSON values inside tokens.
 *
 * Conservative: every run of bytes that could be a value counts, wherever it
 * stands; whether it is a head there is found out by reading the token.
 * Cost: some ns a byte of the vocabulary.   Tests: unit/unique_test.c.
 */
#include "mask/whole.h"

#include "matcher/likeness.h"
#include "matcher/meaning.h"

/* ---- values ---- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_number_byte(uint8_t c)
{
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' ||
           c == 'E';
}

static bool is_letter(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

/* Behind the string that begins at `pos`, or 0. */
static size_t string_end(Span text, size_t pos)
{
    Unescape u = {0};
    uint8_t out[UNESCAPE_MAX];
    unsigned n;
    for (size_t i = pos + 1; i < text.size; i++) {
        UnescapeEnd end = unescape_byte(&u, text.at[i], out, &n);
        if (end == UNESCAPE_END) return i + 1;
        if (end == UNESCAPE_BAD) return 0;
    }
    return 0;
}

/* Behind the container that begins at `pos`, or 0. */
static size_t container_end(Span text, size_t pos)
{
    uint32_t depth = 0;
    for (size_t i = pos; i < text.size; i++) {
        uint8_t c = text.at[i];
        if (c == '"') {
            size_t end = string_end(text, i);
            if (!end) return 0;
            i = end - 1;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        if (!depth) return i + 1;
    }
    return 0;
}

/* Behind a run of bytes of a kind, if something follows; else 0. */
static size_t run_end(Span text, size_t pos, bool (*is)(uint8_t))
{
    if (pos && is(text.at[pos - 1])) return 0;
    while (pos < text.size && is(text.at[pos])) pos++;
    return pos < text.size ? pos : 0;
}

static size_t value_end(Span text, size_t pos)
{
    uint8_t c = text.at[pos];
    if (c == '"') return string_end(text, pos);
    if (c == '[' || c == '{') return container_end(text, pos);
    if (is_digit(c) ||
        (c == '-' && pos + 1 < text.size && is_digit(text.at[pos + 1])))
        return run_end(text, pos, is_number_byte);
    if (c != 't' && c != 'f' && c != 'n') return 0;
    size_t end = run_end(text, pos, is_letter);
    Span word = span_of(text.at + pos, end ? end - pos : 0);
    return span_equal(word, SPAN("true")) || span_equal(word, SPAN("false")) ||
                   span_equal(word, SPAN("null"))
               ? end
               : 0;
}

Span whole_meaning(const WholeTable *w, const WholeValue *v, ListUnique kind)
{
    enum { BEFORE = 1 + sizeof(uint32_t) }; /* what a string's text has */
    assert(w->bytes.at && v->size);
    Span m = span_of(w->bytes.at + v->at, v->size);
    if (kind == LIST_UNIQUE_VALUE) return m;
    return m.at[0] == '"' ? span_of(m.at + BEFORE, m.size - BEFORE) : (Span){0};
}

/* ---- the table ---- */

static bool add_value(WholeTable *w, const Mem *mem, uint32_t id, Span text,
                      size_t begin, size_t end)
{
    WholeValue v = {.id = id,
                    .begin = (uint32_t)begin,
                    .end = (uint32_t)end,
                    .at = w->bytes.count};
    if (!meaning_value(mem, span_of(text.at + begin, end - begin),
                       (MeaningBytes *)&w->bytes))
        return false;
    v.size = w->bytes.count - v.at;
    uint32_t n = w->values.count;
    if (!vec_push(mem, &w->values, v)) return false;
    if (begin && !vec_push(mem, &w->later, n)) return false;
    Span as_value = whole_meaning(w, &v, LIST_UNIQUE_VALUE);
    uint64_t h = unique_hash(LIST_UNIQUE_VALUE, as_value);
    if (!map_add(mem, &w->index, h, n)) return false;
    if (text.at[begin] != '"') return true;
    Span as_string = whole_meaning(w, &v, LIST_UNIQUE_STRING);
    h = unique_hash(LIST_UNIQUE_STRING, as_string);
    return map_add(mem, &w->index, h, n);
}

/* Whether behind a value the token has, or has `least` bytes or more of, one
 * that may be equal. Values do not begin with blanks. */
static bool may_come_again(const WholeTable *w, const WholeValue *v, Span text,
                           size_t least)
{
    for (size_t i = v->end; i + least <= text.size; i++) {
        Likeness l;
        if (text.at[i] <= ' ') continue;
        like_begin(&l, LIST_UNIQUE_VALUE,
                   whole_meaning(w, v, LIST_UNIQUE_VALUE));
        if (like_text(&l, span_of(text.at + i, text.size - i)) != LIKE_NOT)
            return true;
    }
    return false;
}

static bool add_token(WholeTable *w, const Mem *mem, uint32_t id, Span text)
{
    uint32_t first = w->values.count;
    for (size_t i = 0; i < text.size; i++) {
        size_t end = value_end(text, i);
        if (end && !add_value(w, mem, id, text, i, end)) return false;
    }
    bool string = false, value = false;
    for (uint32_t i = first; i < w->values.count; i++) {
        const WholeValue *v = &w->values.at[i];
        value |= may_come_again(w, v, text, 1);
        string |= text.at[v->begin] == '"' && may_come_again(w, v, text, 2);
    }
    return (!string || vec_push(mem, &w->strings, id)) &&
           (!value || vec_push(mem, &w->repeats, id));
}

/* ---- values behind others ---- */

static uint32_t later_key(const WholeTable *w, uint32_t value)
{
    Span m = whole_meaning(w, &w->values.at[value], LIST_UNIQUE_STRING);
    return m.size ? m.at[0] : WHOLE_OTHERS;
}

/* Sorts `later` by its keys: counting sort. */
static bool sort_later(WholeTable *w, const Mem *mem)
{
    uint32_t n = w->later.count, *from = w->later_from;
    uint32_t *copy = mem_new(mem, (n + 1u) * sizeof *copy);
    if (!copy) return false;
    if (n) memcpy(copy, w->later.at, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) from[later_key(w, copy[i]) + 1]++;
    for (uint32_t k = 0; k <= WHOLE_OTHERS; k++) from[k + 1] += from[k];
    uint32_t next[WHOLE_OTHERS + 1];
    memcpy(next, from, sizeof next);
    for (uint32_t i = 0; i < n; i++)
        w->later.at[next[later_key(w, copy[i])]++] = copy[i];
    mem_free(mem, copy, (n + 1u) * sizeof *copy);
    return true;
}

/* Whether a string stands before the first quote of its token, too. */
static bool is_doubled(const WholeTable *w, const WholeValue *v, Span text)
{
    Likeness l;
    Span m = whole_meaning(w, v, LIST_UNIQUE_STRING);
    if (!m.at) return false;
    like_begin(&l, LIST_UNIQUE_STRING, m);
    like_byte(&l, '"');
    return like_text(&l, span_of(text.at, v->begin)) == LIKE_WHOLE;
}

static bool find_doubled(WholeTable *w, const Mem *mem, const Vocab *vocab)
{
    for (uint32_t i = 0; i < w->later.count; i++) {
        const WholeValue *v = &w->values.at[w->later.at[i]];
        if (is_doubled(w, v, vocab_bytes(vocab, v->id)) &&
            !vec_push(mem, &w->doubled, w->later.at[i]))
            return false;
    }
    return true;
}

static bool add_tokens(WholeTable *w, const Mem *mem, const Vocab *vocab)
{
    for (uint32_t id = 0; id < vocab->ntokens; id++)
        if (vocab_is_text(vocab, id) &&
            !add_token(w, mem, id, vocab_bytes(vocab, id)))
            return false;
    return true;
}

/* ---- values that begin in a token ---- */

WholeKind whole_kind(uint8_t first)
{
    return first == '"'   ? WHOLE_STRING
           : first == '{' ? WHOLE_OBJECT
           : first == '[' ? WHOLE_ARRAY
                          : WHOLE_SCALAR;
}

/* Whether a word begins at `pos` and goes on to the end of the text. */
static bool begins_word(Span text, size_t pos)
{
    static const char *const words[] = {"true", "false", "null"};
    Span rest = span_of(text.at + pos, text.size - pos);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (span_starts(span_text(words[i]), rest)) return true;
    return false;
}

/* Whether a value may begin at `pos` > 0 that the text does not end. */
static bool begins_value(Span text, size_t pos)
{
    uint8_t c = text.at[pos], before = text.at[pos - 1];
    if (c == '"') return before != '\\';
    if (c == '{' || c == '[') return true;
    if (is_digit(c) || c == '-') return !is_number_byte(before);
    return is_letter(c) && !is_letter(before) && begins_word(text, pos);
}

/* Whether a value of the kind may have ended before `pos`. */
static bool may_have_ended(Span text, size_t pos, WholeKind kind)
{
    static const char last[] = {'"', '}', ']'};
    return kind == WHOLE_SCALAR || memchr(text.at, last[kind], pos);
}

typedef VEC(TrieEntry) Tails;

static bool add_tail(WholeTable *w, const Mem *mem, Tails *tails,
                     TrieEntry token, size_t pos)
{
    WholeKind kind = whole_kind(token.text.at[pos]);
    Span rest = span_of(token.text.at + pos, token.text.size - pos);
    if (!vec_push(mem, tails, (TrieEntry){rest, token.id})) return false;
    return !may_have_ended(token.text, pos, kind) ||
           vec_push(mem, &w->reopens[kind], token.id);
}

static bool find_tails(WholeTable *w, const Mem *mem, Arena *arena,
                       const Vocab *vocab)
{
    Tails tails = {0};
    bool ok = true;
    for (uint32_t id = 0; ok && id < vocab->ntokens; id++) {
        if (!vocab_is_text(vocab, id)) continue;
        TrieEntry token = {vocab_bytes(vocab, id), id};
        for (size_t i = 1; ok && i < token.text.size; i++)
            if (begins_value(token.text, i))
                ok = add_tail(w, mem, &tails, token, i);
    }
    ok = ok && trie_build(&w->tails, arena, mem, tails.at, tails.count);
    vec_free(mem, &tails);
    return ok;
}

bool whole_init(WholeTable *w, const Mem *mem, Arena *arena, const Vocab *vocab)
{
    *w = (WholeTable){.index = {0}};
    if (add_tokens(w, mem, vocab) && sort_later(w, mem) &&
        find_doubled(w, mem, vocab) && find_tails(w, mem, arena, vocab))
        return true;
    whole_free(w, mem);
    return false;
}

void whole_free(WholeTable *w, const Mem *mem)
{
    vec_free(mem, &w->values);
    vec_free(mem, &w->bytes);
    map_free(mem, &w->index);
    vec_free(mem, &w->strings);
    vec_free(mem, &w->repeats);
    vec_free(mem, &w->later);
    vec_free(mem, &w->doubled);
    for (int i = 0; i < WHOLE_KINDS; i++) vec_free(mem, &w->reopens[i]);
}
