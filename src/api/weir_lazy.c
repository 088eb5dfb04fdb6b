/* weir_lazy.c: outputs that are free until a trigger.
 *
 * While waiting the text is gathered and searched as it comes. When there is a
 * trigger in it, the matcher takes the tokens that end after the trigger's
 * begin; of one that straddles it only the rest of the text. Then all is the
 * matcher's, but for rollback past the trigger, which empties the matcher and
 * lets the searches read the text that is left again.
 * Cost: while waiting, a look at each byte for each trigger.
 * Tests: unit/lazy_test.c, unit/gbnf_recorded_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "syntax/trigger.h"

/* A pattern or a word, and how far it has been looked for. */
typedef struct Search {
    Span text; /* what it was made of; owned */
    bool is_word;
    Trigger trigger;
    TriggerScan scan;
} Search;

struct weir_lazy {
    Mem mem;
    weir_grammar *grammar;
    weir_matcher *matcher;
    bool is_waiting;
    VEC(Search) searches;
    uint32_t *tokens;
    size_t ntokens;
    VEC(uint8_t) text; /* generated while waiting, the trigger included */
    VEC(uint32_t) ids; /* the same as tokens */
    VEC(size_t) ends;  /* by token: where it ends in `text` */
    size_t
        matcher_base; /* steps of the matcher that were made at the trigger */
};

/* ---- life ---- */

static bool copy_span(const Mem *mem, Span from, Span *to)
{
    uint8_t *at = mem_new(mem, from.size + 1);
    if (!at) return false;
    if (from.size) memcpy(at, from.at, from.size);
    *to = span_of(at, from.size);
    return true;
}

/* A word is a pattern in which every byte stands for itself. */
static bool escape_word(const Mem *mem, Span word, Span *pattern)
{
    uint8_t *at = mem_new(mem, 2 * word.size + 1);
    size_t n = 0;
    if (!at) return false;
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] && strchr("\\^$.|?*+()[]{}", word.at[i])) at[n++] = '\\';
        at[n++] = word.at[i];
    }
    *pattern = span_of(at, n);
    return true;
}

static bool add_search(weir_lazy *l, Span text, bool is_word, weir_error *err)
{
    Search s = {.is_word = is_word};
    if (!copy_span(&l->mem, text, &s.text)) return diag_no_memory(err);
    if (!vec_push(&l->mem, &l->searches, s)) {
        mem_free(&l->mem, (void *)s.text.at, text.size + 1);
        return diag_no_memory(err);
    }
    Trigger *t = &l->searches.at[l->searches.count - 1].trigger;
    if (!is_word) return trigger_compile(t, &l->mem, text, err);
    Span pattern;
    if (!escape_word(&l->mem, text, &pattern)) return diag_no_memory(err);
    bool ok = trigger_compile(t, &l->mem, pattern, err);
    mem_free(&l->mem, (void *)pattern.at, 2 * text.size + 1);
    return ok;
}

static bool copy_tokens(weir_lazy *l, const uint32_t *tokens, size_t count)
{
    if (!count) return true;
    l->tokens = mem_new(&l->mem, size_mul(count, sizeof *l->tokens));
    if (!l->tokens) return false;
    memcpy(l->tokens, tokens, count * sizeof *l->tokens);
    l->ntokens = count;
    return true;
}

static bool add_searches(weir_lazy *l, const weir_lazy_opts *o, weir_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < o->word_count; i++)
        ok = add_search(l, span_from(o->words[i]), true, err);
    for (size_t i = 0; ok && i < o->pattern_count; i++)
        ok = add_search(l, span_from(o->patterns[i]), false, err);
    return ok &&
           (copy_tokens(l, o->tokens, o->token_count) || diag_no_memory(err));
}

static weir_lazy *lazy_alloc(weir_grammar *grammar)
{
    weir_lazy *l = mem_zero(&grammar->mem, sizeof *l);
    if (!l) return NULL;
    l->mem = grammar->mem;
    l->grammar = weir_grammar_retain(grammar);
    l->is_waiting = true;
    return l;
}

weir_lazy *weir_lazy_new(weir_grammar *grammar, const weir_lazy_opts *given,
                         weir_error *err)
{
    weir_error local;
    weir_lazy_opts o = {.size = sizeof o};
    err = error_begin(err, &local);
    if (given && !opts_known(given, given->size, sizeof o, err)) return NULL;
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    if (!grammar->vocab)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found a grammar without a vocabulary"),
               NULL;
    weir_lazy *l = lazy_alloc(grammar);
    if (!l) return diag_no_memory(err), NULL;
    const weir_matcher_opts *m = o.matcher.size ? &o.matcher : NULL;
    if (add_searches(l, &o, err) &&
        (l->matcher = weir_matcher_new(grammar, m, err)))
        return l;
    weir_lazy_free(l);
    return NULL;
}

void weir_lazy_free(weir_lazy *l)
{
    if (!l) return;
    Mem mem = l->mem;
    weir_grammar *grammar = l->grammar;
    for (uint32_t i = 0; i < l->searches.count; i++) {
        Search *s = &l->searches.at[i];
        mem_free(&mem, (void *)s->text.at, s->text.size + 1);
        trigger_scan_free(&s->trigger, &s->scan);
        trigger_free(&s->trigger);
    }
    vec_free(&mem, &l->searches);
    mem_free(&mem, l->tokens, l->ntokens * sizeof *l->tokens);
    vec_free(&mem, &l->text);
    vec_free(&mem, &l->ids);
    vec_free(&mem, &l->ends);
    weir_matcher_free(l->matcher);
    mem_free(&mem, l, sizeof *l);
    weir_grammar_free(grammar);
}

/* Forgets the tokens from `count` on; the searches begin anew. */
static void truncate_text(weir_lazy *l, uint32_t count)
{
    l->ids.count = l->ends.count = count;
    l->text.count = count ? (uint32_t)l->ends.at[count - 1] : 0;
    for (uint32_t i = 0; i < l->searches.count; i++) {
        TriggerScan *scan = &l->searches.at[i].scan;
        scan->at.count = 0;
        scan->pos = 0;
        scan->has_match = false;
    }
}

void weir_lazy_reset(weir_lazy *l)
{
    weir_matcher_reset(l->matcher);
    truncate_text(l, 0);
    l->is_waiting = true;
    l->matcher_base = 0;
}

/* ---- waiting ---- */

static bool add_token(weir_lazy *l, uint32_t id, Span bytes)
{
    size_t end = l->text.count + bytes.size;
    if (!vec_reserve(&l->mem, &l->text, end) ||
        !vec_reserve(&l->mem, &l->ids, l->ids.count + 1u) ||
        !vec_reserve(&l->mem, &l->ends, l->ends.count + 1u))
        return false;
    if (bytes.size) memcpy(l->text.at + l->text.count, bytes.at, bytes.size);
    l->text.count = (uint32_t)end;
    l->ids.at[l->ids.count++] = id;
    l->ends.at[l->ends.count++] = end;
    return true;
}

/* Where the grammar's part of the text begins; *found: there is one. False: no
 * memory. Of the words the earliest counts, of patterns the first. */
static bool find_start(weir_lazy *l, bool *found, size_t *start)
{
    Span text = span_of(l->text.at, l->text.count);
    *found = false;
    for (uint32_t i = 0; i < l->searches.count; i++) {
        Search *s = &l->searches.at[i];
        bool here;
        size_t at;
        if (*found && !s->is_word) break;
        if (!trigger_scan(&s->trigger, &s->scan, text, &here)) return false;
        if (!here) continue;
        if (!trigger_find(&s->trigger, text, &at)) return false;
        *start = *found ? MIN(*start, at) : at;
        *found = true;
    }
    return true;
}

static bool is_trigger_token(const weir_lazy *l, uint32_t id)
{
    for (size_t i = 0; i < l->ntokens; i++)
        if (l->tokens[i] == id) return true;
    return false;
}

/* The matcher takes what ends after `start`. */
static weir_accept feed(weir_lazy *l, size_t start)
{
    size_t begin = 0;
    for (uint32_t i = 0; i < l->ids.count; i++) {
        size_t end = l->ends.at[i], from = MAX(begin, start);
        weir_bytes rest = {(const char *)l->text.at + from, end - from};
        weir_accept answer = WEIR_ACCEPTED;
        if (end == begin || end <= start)
            answer = WEIR_ACCEPTED;
        else if (begin >= start)
            answer = weir_matcher_accept(l->matcher, l->ids.at[i]);
        else
            answer = weir_matcher_accept_bytes(l->matcher, rest, NULL);
        if (answer != WEIR_ACCEPTED) return answer;
        begin = end;
    }
    return WEIR_ACCEPTED;
}

/* Leaves the waiting, or not at all. */
static weir_accept begin_grammar(weir_lazy *l, size_t start, bool is_token)
{
    uint32_t last = l->ids.count - 1;
    weir_accept answer = is_token
                             ? weir_matcher_accept(l->matcher, l->ids.at[last])
                             : feed(l, start);
    if (answer == WEIR_ACCEPTED) {
        l->is_waiting = false;
        l->matcher_base = weir_matcher_steps(l->matcher);
    } else {
        weir_matcher_rollback(l->matcher, weir_matcher_steps(l->matcher));
        truncate_text(l, last);
        if (answer == WEIR_TERMINATED) answer = WEIR_REFUSED;
    }
    return answer;
}

weir_accept weir_lazy_accept(weir_lazy *l, uint32_t id)
{
    const Vocab *vocab = &l->grammar->vocab->vocab;
    bool found = false, is_token = is_trigger_token(l, id);
    size_t start = 0;
    if (!l->is_waiting) return weir_matcher_accept(l->matcher, id);
    if (id >= vocab->width) return WEIR_REFUSED;
    if (!add_token(l, id, vocab_bytes(vocab, id))) return WEIR_ACCEPT_ERROR;
    if (!is_token && !find_start(l, &found, &start)) {
        truncate_text(l, l->ids.count - 1);
        return WEIR_ACCEPT_ERROR;
    }
    return found || is_token ? begin_grammar(l, start, is_token)
                             : WEIR_ACCEPTED;
}

weir_fill weir_lazy_fill(weir_lazy *l, int32_t *row)
{
    if (!l->is_waiting) return weir_matcher_fill(l->matcher, row);
    uint32_t width = l->grammar->vocab->vocab.width;
    memset(row, 0xFF, WEIR_MASK_WORDS((size_t)width) * sizeof *row);
    if (width % 32) row[width / 32] = (int32_t)((1u << width % 32) - 1);
    return WEIR_FILL_ALL;
}

/* ---- history ---- */

size_t weir_lazy_steps(const weir_lazy *l)
{
    size_t after =
        l->is_waiting ? 0 : weir_matcher_steps(l->matcher) - l->matcher_base;
    return l->ids.count + after;
}

weir_status weir_lazy_rollback(weir_lazy *l, size_t steps)
{
    size_t all = weir_lazy_steps(l), after = all - l->ids.count;
    if (steps > all) return WEIR_ROLLBACK;
    if (steps <= after) return weir_matcher_rollback(l->matcher, steps);
    weir_matcher_rollback(l->matcher, weir_matcher_steps(l->matcher));
    truncate_text(l, (uint32_t)(all - steps));
    l->is_waiting = true;
    l->matcher_base = 0;
    return WEIR_OK;
}

weir_matcher *weir_lazy_matcher(weir_lazy *l)
{
    return l->is_waiting ? NULL : l->matcher;
}

/* A search that has read nothing yet. */
static bool copy_searches(weir_lazy *to, const weir_lazy *from)
{
    weir_error err = {.status = WEIR_OK};
    for (uint32_t i = 0; i < from->searches.count; i++) {
        const Search *s = &from->searches.at[i];
        if (!add_search(to, s->text, s->is_word, &err)) return false;
    }
    return copy_tokens(to, from->tokens, from->ntokens);
}

weir_lazy *weir_lazy_fork(const weir_lazy *from)
{
    weir_lazy *l = lazy_alloc(from->grammar);
    size_t begin = 0;
    bool ok = l && copy_searches(l, from) &&
              (l->matcher = weir_matcher_fork(from->matcher));
    for (uint32_t i = 0; ok && i < from->ids.count; i++) {
        size_t end = from->ends.at[i];
        ok = add_token(l, from->ids.at[i],
                       span_of(from->text.at + begin, end - begin));
        begin = end;
    }
    if (ok) {
        l->is_waiting = from->is_waiting;
        l->matcher_base = from->matcher_base;
        return l;
    }
    weir_lazy_free(l);
    return NULL;
}
