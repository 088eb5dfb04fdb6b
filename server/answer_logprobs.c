/* answer_logprobs.c: log probabilities of tokens, in four forms.
 *
 * A token is noted when it is drawn, in the form of the endpoint, and written
 * with what is sent next. A token that is no whole text is told by its bytes,
 * too. -9999 stands for what has no chance, as OpenAI has it.
 * Tests: server/answer_shapes_test.py.
 */
#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "server/answer_state.h"

double finite_logprob(double logprob)
{
    if (isnan(logprob)) return 0; /* forced: nothing else could come */
    return logprob < -9999 ? -9999 : logprob;
}

/* What a client sees as the token's text; control tokens by their names. */
static weir_bytes text_of(const Answer *a, uint32_t id)
{
    weir_bytes text = weir_vocab_token(a->opts.vocab, id).bytes;
    return text.size ? text : (weir_bytes){"", 0};
}

static void put_bytes(weir_bytes text, JsonPut *out)
{
    put_array(out, "bytes");
    for (size_t i = 0; i < text.size; i++)
        put_uint(out, NULL, (uint8_t)text.data[i]);
    put_end(out, ']');
}

/* ---- as lists of objects ---- */

/* An object that is left open. */
static void begin_object(const Answer *a, uint32_t id, double value,
                         JsonPut *out)
{
    bool is_chance = a->settings.after_chain;
    put_object(out, NULL);
    if (has_llama_notes(a)) put_uint(out, "id", id);
    put_string(out, "token", text_of(a, id));
    put_number(out, is_chance ? "prob" : "logprob",
               is_chance ? value : finite_logprob(value), 9);
    put_bytes(text_of(a, id), out);
}

void note_chat(Answer *a, Choice *c, const TokenNote *note)
{
    JsonPut *out = &c->probs[0];
    begin_object(a, note->id, note->own, out);
    put_array(out, a->settings.after_chain ? "top_probs" : "top_logprobs");
    for (size_t i = 0; i < note->top_count; i++) {
        begin_object(a, note->top[i].id, (double)note->top[i].logprob, out);
        put_end(out, '}');
    }
    put_end(out, ']');
    put_end(out, '}');
}

bool has_llama_notes(const Answer *a)
{
    return a->opts.endpoint == WEIR_ENDPOINT_COMPLETION ||
           a->opts.profile == WEIR_PROFILE_LLAMA_SERVER ||
           a->settings.after_chain;
}

/* ---- completions: four lists side by side ---- */

/* Members of top_logprobs are told apart by their names: "bytes:\xe2\x80". */
static void put_name(weir_bytes text, bool is_key, JsonPut *out)
{
    char name[256] = "bytes:";
    size_t n = strlen(name);
    Span span = span_of(text.data, text.size);
    if (utf8_check(span) != span.size) {
        for (size_t i = 0; i < text.size && n + 5 < sizeof name; i++)
            n += (size_t)snprintf(name + n, sizeof name - n, "\\x%02x",
                                  (unsigned)(uint8_t)text.data[i]);
        text = (weir_bytes){name, n};
    }
    if (is_key)
        put_key(out, text);
    else
        put_string(out, NULL, text);
}

uint64_t text_characters(weir_bytes text)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.size; i++)
        n += ((uint8_t)text.data[i] & 0xC0) != 0x80;
    return n;
}

void note_completions(Answer *a, Choice *c, const TokenNote *note)
{
    weir_bytes text = text_of(a, note->id);
    if (has_llama_notes(a)) {
        note_chat(a, c, note);
        return;
    }
    put_name(text, false, &c->probs[0]);
    put_number(&c->probs[1], NULL, finite_logprob(note->own), 9);
    put_object(&c->probs[2], NULL);
    for (size_t i = 0; i < note->top_count; i++) {
        put_name(text_of(a, note->top[i].id), true, &c->probs[2]);
        put_number(&c->probs[2], NULL,
                   finite_logprob((double)note->top[i].logprob), 9);
    }
    put_end(&c->probs[2], '}');
    put_uint(&c->probs[3], NULL, c->offset);
    c->offset += text_characters(text);
}

/* ---- SGLang: triples ---- */

static void put_triple(const Answer *a, uint32_t id, double logprob,
                       JsonPut *out)
{
    put_array(out, NULL);
    put_number(out, NULL, finite_logprob(logprob), 9);
    put_uint(out, NULL, id);
    if (a->fields.no_text)
        put_null(out, NULL);
    else
        put_string(out, NULL, text_of(a, id));
    put_end(out, ']');
}

void note_sglang(Answer *a, Choice *c, const TokenNote *note)
{
    put_triple(a, note->id, note->own, &c->probs[0]);
    put_array(&c->probs[1], NULL);
    for (size_t i = 0; i < note->top_count; i++)
        put_triple(a, note->top[i].id, (double)note->top[i].logprob,
                   &c->probs[1]);
    put_end(&c->probs[1], ']');
}

void put_noted(Choice *c, unsigned list, const char *key, JsonPut *out)
{
    JsonPut *noted = &c->probs[list];
    put_array(out, key);
    put_raw(out, (weir_bytes){noted->text.at, noted->text.count});
    put_end(out, ']');
    put_reset(noted);
}

/* ---- which tokens, and which of their probabilities ---- */

/* A decoder's note, by the list that the request wants. */
static TokenNote decoder_note(const Answer *a, const weir_decoded *d, size_t i)
{
    const weir_token_logprobs *p = &d->logprobs[i];
    bool before = a->settings.decode.logprobs == WEIR_LOGPROBS_BEFORE_MASK;
    double own = (double)(before && !isnan(p->before) ? p->before : p->after);
    return (TokenNote){d->tokens[i], own, p->top, p->top_count};
}

enum { CHANCES_MAX = 64 };

/* The candidates that the draw chose from, as llama-server tells them. */
static TokenNote chance_note(const Answer *a, const AnswerStep *step,
                             uint32_t id, weir_logprob *room)
{
    TokenNote note = {.id = id, .own = 1, .top = room};
    size_t most = MIN(a->settings.top_logprobs, CHANCES_MAX);
    for (size_t i = 0; i < step->candidate_count; i++) {
        const weir_candidate *k = &step->candidates[i];
        if (k->id == id) note.own = (double)k->probability;
        if (note.top_count < most)
            room[note.top_count++] = (weir_logprob){k->id, k->probability};
    }
    return note;
}

static bool is_end(const Answer *a, const weir_decoded *d, size_t i)
{
    uint32_t flags = weir_vocab_token(a->opts.vocab, d->tokens[i]).flags;
    return d->finish == WEIR_FINISH_END && i + 1 == d->token_count &&
           flags & WEIR_TOKEN_STOP;
}

bool note_step(Answer *a, Choice *c, const AnswerStep *step)
{
    const weir_decoded *d = step->decoded;
    bool is_chance = a->settings.after_chain;
    if (!a->settings.logprobs || !a->endpoint->note) return true;
    if (!is_chance && !d->logprobs) return true;
    for (size_t i = 0; i < d->token_count; i++) {
        weir_logprob room[CHANCES_MAX];
        AnswerStep none = {.decoded = d};
        if (is_end(a, d, i)) continue;
        TokenNote note =
            is_chance ? chance_note(a, i ? &none : step, d->tokens[i], room)
                      : decoder_note(a, d, i);
        a->endpoint->note(a, c, &note);
    }
    for (unsigned i = 0; i < PROB_LISTS; i++)
        if (c->probs[i].failed) return false;
    return true;
}
