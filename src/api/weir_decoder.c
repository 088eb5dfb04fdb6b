/* weir_decoder.c: the loop around a model.
 *
 *   logits ─► draw ─► take: matcher, sampler, text ─► stop? ─► forced? ─► send
 *
 * The text grows by a token at a time. What may be sent ends before a part of
 * a stop text and before an unfinished character; it never shrinks. The last
 * token counts like any other, also when it is the last that max_tokens
 * allows.
 * Holds: ends[i].end is where token i ends in the text; sent <= text.count.
 * Cost: beside the draw and the matcher, a look at each byte for each stop
 * text. Memory grows with the output.
 * Tests: unit/decoder_test.c, unit/decoder_draft_test.c.
 */
#include "api/decoder.h"
#include "api/sampler.h"
#include "base/diag.h"
#include "base/utf8.h"

/* ---- life ---- */

static bool check_opts(const weir_decode_opts *o, const weir_matcher *m,
                       weir_error *err)
{
    if (o->lazy && m)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found a matcher and a lazy grammar, expected one");
    if (o->stop_count > STOP_TEXTS)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %zu stop texts, expected at most %d",
                         o->stop_count, STOP_TEXTS);
    for (size_t i = 0; i < o->stop_count; i++)
        if (!o->stops[i].size || o->stops[i].size > STOP_BYTES)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found a stop text of %zu bytes, expected 1 to %d",
                             o->stops[i].size, STOP_BYTES);
    return true;
}

weir_decoder *weir_decoder_new(weir_vocab *vocab, weir_sampler *sampler,
                               weir_matcher *matcher,
                               const weir_decode_opts *given, weir_error *err)
{
    weir_error local;
    weir_decode_opts o = {.size = sizeof o};
    err = error_begin(err, &local);
    if (given && !opts_known(given, given->size, sizeof o, err)) return NULL;
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    if (!check_opts(&o, matcher, err)) return NULL;
    weir_decoder *d = mem_zero(&vocab->mem, sizeof *d);
    if (!d) return diag_no_memory(err), NULL;
    d->mem = vocab->mem;
    d->vocab = weir_vocab_retain(vocab);
    d->sampler = sampler;
    d->matcher = matcher;
    d->opts = o;
    d->opts.stops = NULL;
    if (stops_init(&d->stops, &d->mem, o.stops, o.stop_count)) return d;
    weir_decoder_free(d);
    return diag_no_memory(err), NULL;
}

void weir_decoder_free(weir_decoder *d)
{
    if (!d) return;
    Mem mem = d->mem;
    weir_vocab *vocab = d->vocab;
    stops_free(&d->stops, &mem);
    vec_free(&mem, &d->taken);
    vec_free(&mem, &d->ends);
    vec_free(&mem, &d->text);
    vec_free(&mem, &d->rows);
    vec_free(&mem, &d->logits);
    vec_free(&mem, &d->logprobs);
    vec_free(&mem, &d->tops);
    mem_free(&mem, d, sizeof *d);
    weir_vocab_free(vocab);
}

bool weir_decoder_prompt(weir_decoder *d, const uint32_t *ids, size_t count)
{
    if (d->ends.count) return false;
    for (size_t i = 0; i < count; i++) {
        if (!weir_sampler_accept(d->sampler, ids[i])) return false;
        if (!vec_push(&d->mem, &d->taken, ids[i])) {
            weir_sampler_rollback(d->sampler, 1);
            return false;
        }
        d->prompt++;
    }
    return true;
}

const char *weir_finish_reason(weir_finish finish)
{
    static const char *const names[] = {NULL,     "stop",  "stop",
                                        "length", "error", "error"};
    return (size_t)finish < COUNT_OF(names) ? names[finish] : NULL;
}

/* ---- taking a token ---- */

static weir_accept constraint_accept(weir_decoder *d, uint32_t id)
{
    if (d->opts.lazy) return weir_lazy_accept(d->opts.lazy, id);
    return d->matcher ? weir_matcher_accept(d->matcher, id) : WEIR_ACCEPTED;
}

static void constraint_back(weir_decoder *d, size_t count)
{
    if (d->opts.lazy)
        weir_lazy_rollback(d->opts.lazy, count);
    else if (d->matcher)
        weir_matcher_rollback(d->matcher, count);
}

static bool is_free_text(const weir_decoder *d)
{
    weir_matcher *m = decoder_matcher(d);
    return !m || weir_matcher_is_free_text(m);
}

/* The token's part of the text. */
static Span text_of(const weir_decoder *d, uint32_t id)
{
    weir_token t = weir_vocab_token(d->vocab, id);
    bool is_hidden = t.flags & (WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP);
    if (is_hidden && !d->opts.with_special) return span_of(NULL, 0);
    return span_from(t.bytes);
}

static bool is_end(const weir_decoder *d, uint32_t id)
{
    const weir_matcher *m = decoder_matcher(d);
    bool constrained = d->matcher || d->opts.lazy;
    if (m)
        for (uint32_t i = 0; i < m->nstops; i++)
            if (m->stops[i] == id) return true;
    return !m && !(d->opts.ignore_stop_tokens && !constrained) &&
           weir_vocab_token(d->vocab, id).flags & WEIR_TOKEN_STOP;
}

/* Room for all that taking a token pushes. */
static bool reserve(weir_decoder *d, Span text)
{
    return vec_reserve(&d->mem, &d->taken, (size_t)d->taken.count + 1) &&
           vec_reserve(&d->mem, &d->ends, (size_t)d->ends.count + 1) &&
           vec_reserve(&d->mem, &d->text, (size_t)d->text.count + text.size);
}

/* Text after a stop text is dropped; the first min_tokens have none. */
static void add_text(weir_decoder *d, Span text)
{
    size_t end, which, begin = d->text.count;
    if (text.size) memcpy(d->text.at + begin, text.at, text.size);
    d->text.count += (uint32_t)text.size;
    if (decoder_is_early(d) || !stops_read(&d->stops, text, &end, &which))
        return;
    d->finish = WEIR_FINISH_TEXT;
    d->stop = which;
    d->stop_at = begin + end;
    if (!d->opts.keep_stop) d->stop_at -= d->stops.at[which].size;
}

/* Whether nothing can follow in the constraint. */
static bool has_ended(const weir_decoder *d)
{
    weir_matcher *m = decoder_matcher(d);
    return m && weir_matcher_is_terminated(m);
}

static bool tell_sampler(weir_decoder *d, uint32_t id, bool was_free)
{
    bool counts =
        !d->sampler->chain.opts.free_text_only || (was_free && is_free_text(d));
    return counts ? weir_sampler_accept(d->sampler, id)
                  : weir_sampler_pass(d->sampler);
}

/* Takes a token, or leaves all as it was but the finish. */
static bool take(weir_decoder *d, uint32_t id, bool is_forced)
{
    bool is_last = is_end(d, id), was_free = is_free_text(d);
    Span text = is_last ? span_of(NULL, 0) : text_of(d, id);
    d->finish = WEIR_FINISH_ERROR;
    if (id >= d->vocab->vocab.width || !reserve(d, text)) return false;
    if (constraint_accept(d, id) != WEIR_ACCEPTED) return false;
    if (!tell_sampler(d, id, was_free)) {
        constraint_back(d, 1);
        return false;
    }
    d->finish = WEIR_FINISH_NONE;
    d->taken.at[d->taken.count++] = id;
    add_text(d, text);
    d->ends.at[d->ends.count++] = (Taken){d->text.count, is_forced};
    d->forced += is_forced;
    if (d->finish) return true;
    if (is_last || has_ended(d))
        d->finish = WEIR_FINISH_END;
    else if (d->opts.max_tokens && d->ends.count >= d->opts.max_tokens)
        d->finish = WEIR_FINISH_LENGTH;
    return true;
}

/* ---- a step ---- */

/* Where the text that may be sent ends. */
static size_t text_end(const weir_decoder *d)
{
    size_t end = d->text.count;
    if (d->finish == WEIR_FINISH_TEXT) end = d->stop_at;
    if (!d->finish) end -= stops_held(&d->stops);
    end -= utf8_unfinished(span_of(d->text.at, end));
    return MAX(end, d->sent);
}

/* Says what has come since token `from` of the output. */
static weir_finish decoded_end(weir_decoder *d, uint32_t from,
                               weir_decoded *out)
{
    size_t end = text_end(d);
    weir_matcher *m = decoder_matcher(d);
    out->tokens = d->taken.at ? d->taken.at + d->prompt + from : NULL;
    out->token_count = d->ends.count - from;
    out->text = (weir_bytes){"", 0};
    if (end > d->sent)
        out->text =
            (weir_bytes){(const char *)d->text.at + d->sent, end - d->sent};
    d->sent = end;
    out->finish = d->finish;
    out->stop = d->stop;
    bool is_whole =
        d->finish == WEIR_FINISH_END || d->finish == WEIR_FINISH_LENGTH;
    out->completed = m && is_whole && weir_matcher_is_completed(m);
    out->logprobs = decoder_notes(d);
    return d->finish;
}

/* A place in a tree of drafts; SIZE_MAX: beside it. */
typedef struct DraftWalk {
    const uint32_t *tokens, *parents;
    size_t count, node, verified;
} DraftWalk;

static void walk_on(DraftWalk *w, uint32_t id)
{
    size_t from = w->node;
    w->node = SIZE_MAX;
    for (size_t i = from + 1; from != SIZE_MAX && i < w->count; i++) {
        if (w->parents[i] != from || w->tokens[i] != id) continue;
        w->node = i;
        w->verified++;
        return;
    }
}

/* What must come, at most FORCED_MOST tokens at once. */
enum { FORCED_MOST = 64 };

static size_t forced_next(weir_decoder *d, uint32_t *ids)
{
    weir_matcher *m = decoder_matcher(d);
    if (!d->opts.jump_forward || !m || d->finish) return 0;
    size_t n = weir_matcher_forced_tokens(m, ids, FORCED_MOST);
    return n == SIZE_MAX ? 0 : MIN(n, FORCED_MOST);
}

static bool take_forced(weir_decoder *d, uint32_t id)
{
    if (decoder_note_other(d, true)) return take(d, id, true);
    d->finish = WEIR_FINISH_ERROR;
    return false;
}

/* Takes a token, and all that must follow it. */
static void take_on(weir_decoder *d, uint32_t id, DraftWalk *w,
                    weir_decoded *out)
{
    uint32_t ids[FORCED_MOST];
    size_t n;
    if (!take(d, id, false)) return;
    walk_on(w, id);
    while ((n = forced_next(d, ids)))
        for (size_t i = 0; i < n && !d->finish; i++) {
            if (!take_forced(d, ids[i])) return;
            walk_on(w, ids[i]);
            out->forced++;
        }
}

weir_finish weir_decoder_step(weir_decoder *d, const float *logits,
                              size_t width, weir_decoded *out)
{
    return weir_decoder_verify(d, NULL, NULL, 1, logits, width, 0, out);
}

weir_finish weir_decoder_take(weir_decoder *d, uint32_t id, weir_decoded *out)
{
    DraftWalk beside = {.node = SIZE_MAX};
    uint32_t from = d->ends.count;
    *out = (weir_decoded){0};
    decoder_note_begin(d);
    if (!d->finish && !decoder_note_other(d, false))
        d->finish = WEIR_FINISH_ERROR;
    if (!d->finish) take_on(d, id, &beside, out);
    return decoded_end(d, from, out);
}

weir_status weir_decoder_rollback(weir_decoder *d, size_t count)
{
    if (count > d->ends.count) return WEIR_ROLLBACK;
    uint32_t left = d->ends.count - (uint32_t)count;
    uint32_t end = left ? d->ends.at[left - 1].end : 0;
    if (end < d->sent) return WEIR_ROLLBACK;
    if (!count) return WEIR_OK;
    constraint_back(d, count);
    weir_sampler_rollback(d->sampler, count);
    d->taken.count -= (uint32_t)count;
    while (d->ends.count > left)
        d->forced -= d->ends.at[--d->ends.count].is_forced;
    d->text.count = end;
    d->finish = WEIR_FINISH_NONE;
    uint32_t early = MIN(d->opts.min_tokens, left);
    uint32_t begin = early ? d->ends.at[early - 1].end : 0;
    Span late = span_of(NULL, 0);
    if (end > begin) late = span_of(d->text.at + begin, end - begin);
    stops_restart(&d->stops, late);
    return WEIR_OK;
}

const uint32_t *weir_decoder_tokens(const weir_decoder *d, size_t *count)
{
    *count = d->ends.count;
    return d->taken.at ? d->taken.at + d->prompt : NULL;
}

size_t weir_decoder_forced(const weir_decoder *d)
{
    return d->forced;
}

weir_bytes weir_decoder_text(const weir_decoder *d)
{
    size_t end = d->finish == WEIR_FINISH_TEXT ? d->stop_at : d->text.count;
    return (weir_bytes){(const char *)d->text.at, end};
}

/* ---- drafts ---- */

weir_finish weir_decoder_verify(weir_decoder *d, const uint32_t *tokens,
                                const uint32_t *parents, size_t count,
                                const float *logits, size_t width,
                                size_t stride, weir_decoded *out)
{
    DraftWalk w = {.tokens = tokens, .parents = parents, .count = count};
    uint32_t from = d->ends.count, id;
    *out = (weir_decoded){0};
    decoder_note_begin(d);
    while (w.node < count && !d->finish)
        if (decoder_draw(d, logits + w.node * stride, width, &id))
            take_on(d, id, &w, out);
    out->verified = w.verified;
    return decoded_end(d, from, out);
}
