/* answer_life.c: the life of an answer, whatever its endpoint.
 *
 * A step's text goes through the choice's reader; each of its events is kept
 * with the choice and, in a stream, written at once. A whole answer is written
 * when the last choice has ended. Whatever cannot be gone on with ends the
 * answer with an error, once.
 * Tests: server/answer_shapes_test.py, server/answer_items_test.py,
 *        server/answer_split_test.py, server/answer_fault_test.c.
 */
#include "server/answer_state.h"

#include <stdio.h>

#include "base/diag.h"

static const Endpoint *endpoint_of(weir_endpoint endpoint)
{
    switch (endpoint) {
    case WEIR_ENDPOINT_COMPLETIONS:
        return &endpoint_completions;
    case WEIR_ENDPOINT_RESPONSES:
        return &endpoint_responses;
    case WEIR_ENDPOINT_MESSAGES:
        return &endpoint_messages;
    case WEIR_ENDPOINT_COMPLETION:
        return &endpoint_llama;
    case WEIR_ENDPOINT_GENERATE:
        return &endpoint_sglang;
    case WEIR_ENDPOINT_OLLAMA_CHAT:
    case WEIR_ENDPOINT_OLLAMA_GENERATE:
        return &endpoint_ollama;
    default:
        return &endpoint_chat;
    }
}

/* ---- errors ---- */

static void refusal_begin(weir_refusal *refusal, const AnswerOpts *opts)
{
    *refusal = (weir_refusal){.http = 500,
                              .status = WEIR_ARGUMENT,
                              .type = "server_error",
                              .code = "internal_error",
                              .profile = opts->profile,
                              .endpoint = opts->endpoint};
}

static void refuse_memory(weir_refusal *refusal)
{
    refusal->http = 503;
    refusal->status = WEIR_NO_MEMORY;
    refusal->code = "out_of_memory";
    snprintf(refusal->message, sizeof refusal->message, "out of memory");
}

void answer_fail(Answer *a, const weir_refusal *refusal, JsonPut *out)
{
    if (a->done) return;
    a->done = true;
    a->status = refusal->http;
    if (!a->fields.stream) {
        put_refusal(refusal, out);
    } else if (a->endpoint->fail) {
        a->endpoint->fail(a, refusal, out);
    } else {
        event_begin(out, NULL);
        put_refusal(refusal, out);
        event_end(out);
        event_done(out);
    }
}

static void fail_memory(Answer *a, JsonPut *out)
{
    weir_refusal refusal;
    refusal_begin(&refusal, &a->opts);
    refuse_memory(&refusal);
    answer_fail(a, &refusal, out);
}

/* The model, or its constraint, cannot go on. */
static void fail_finish(Answer *a, weir_finish finish, JsonPut *out)
{
    weir_refusal refusal;
    refusal_begin(&refusal, &a->opts);
    refusal.code = "generation_failed";
    snprintf(refusal.message, sizeof refusal.message, "%s",
             finish == WEIR_FINISH_STUCK
                 ? "no token of the model can follow: the constraint allows "
                   "none, or all have no chance"
                 : "the output could not be followed by its constraint");
    answer_fail(a, &refusal, out);
}

/* ---- making one ---- */

static bool keep(JsonPut *put, const Mem *mem, weir_bytes text)
{
    put->mem = mem;
    put_raw(put, text);
    return !put->failed;
}

/* Messages, whose JSON stands alone; not texts that are gone on with. */
static bool has_messages(weir_endpoint endpoint)
{
    return endpoint != WEIR_ENDPOINT_COMPLETIONS &&
           endpoint != WEIR_ENDPOINT_COMPLETION &&
           endpoint != WEIR_ENDPOINT_GENERATE;
}

static bool open_choice(Answer *a, const weir_constraint_info *info,
                        weir_error *err)
{
    Choice c = {.index = a->choices.count, .text.mem = &a->mem};
    ReaderOpts opts = {.env = a->opts.env, .mem = &a->mem, .constraint = info};
    if (has_messages(a->opts.endpoint)) {
        opts.json_alone = !a->opts.continues;
        opts.family = a->opts.family;
        opts.reasoning = a->opts.reasoning;
    }
    for (unsigned i = 0; i < PROB_LISTS; i++) c.probs[i].mem = &a->mem;
    c.ids.mem = c.report.mem = &a->mem;
    if (!reader_open(&c.reader, &opts, err)) return false;
    if (vec_push(&a->mem, &a->choices, c)) return true;
    choice_free(&a->mem, &c);
    return diag_no_memory(err);
}

/* A grammar that is told again is copied: the constraint does not stay. */
static bool keep_constraint(Answer *a, const weir_constraint_info *info)
{
    bool is_told =
        a->fields.grammar || a->opts.endpoint == WEIR_ENDPOINT_COMPLETION;
    a->kind = info->kind;
    a->degraded = info->degraded;
    if (info->degraded) a->kind = 0;
    snprintf(a->from, sizeof a->from, "%s", info->from ? info->from : "");
    weir_bytes text = is_told && a->kind ? info->source : (weir_bytes){"", 0};
    return keep(&a->grammar, &a->mem, text);
}

static bool open_all(Answer *a, const AnswerOpts *opts, weir_refusal *refusal)
{
    weir_error error = {.status = WEIR_NO_MEMORY};
    uint64_t choices = (uint64_t)MAX(opts->prompt_count, 1u) *
                       MAX(opts->settings->choices, 1u);
    bool ok = choices <= UINT16_MAX && keep_constraint(a, opts->constraint);
    for (uint64_t i = 0; ok && i < choices; i++)
        ok = open_choice(a, opts->constraint, &error);
    a->open = a->choices.count;
    if (!ok && error.status == WEIR_NO_MEMORY) refuse_memory(refusal);
    if (!ok && error.status != WEIR_NO_MEMORY)
        snprintf(refusal->message, sizeof refusal->message, "%s",
                 error.message);
    return ok;
}

Answer *answer_new(const AnswerOpts *opts, weir_refusal *refusal)
{
    Mem mem = mem_from_env(opts->env);
    Answer *a = mem_zero(&mem, sizeof *a);
    refusal_begin(refusal, opts);
    if (!a) return refuse_memory(refusal), NULL;
    a->mem = mem;
    a->head.mem = &a->mem;
    a->endpoint = endpoint_of(opts->endpoint);
    a->opts = *opts;
    a->settings = *opts->settings;
    a->opts.constraint = NULL;
    a->opts.settings = NULL;
    a->status = 200;
    if (fields_read(&a->fields, &a->mem, opts->request, opts->profile,
                    opts->endpoint, refusal) &&
        open_all(a, opts, refusal)) {
        AnswerId id = answer_id_of(a, a->endpoint->id_prefix, 0);
        memcpy(a->id, id.text, sizeof a->id);
        refusal->http = 0;
        return a;
    }
    answer_free(a);
    return NULL;
}

void answer_free(Answer *a)
{
    if (!a) return;
    Mem mem = a->mem;
    for (uint32_t i = 0; i < a->choices.count; i++)
        choice_free(&mem, &a->choices.at[i]);
    vec_free(&mem, &a->choices);
    fields_free(&a->fields);
    put_free(&a->grammar);
    put_free(&a->head);
    mem_free(&mem, a, sizeof *a);
}

/* ---- what it is ---- */

bool answer_is_stream(const Answer *a)
{
    return a->fields.stream;
}

const char *answer_content_type(const Answer *a)
{
    return a->fields.stream ? a->endpoint->stream_type : "application/json";
}

uint32_t answer_choices(const Answer *a)
{
    return a->choices.count;
}

bool answer_wants_allowed(const Answer *a)
{
    return a->fields.tokens;
}

uint32_t answer_wants_candidates(const Answer *a)
{
    bool wants = a->settings.logprobs && a->settings.after_chain;
    return wants ? MAX(a->settings.top_logprobs, 1u) : 0;
}

const char *answer_id(const Answer *a)
{
    return a->id;
}

bool answer_is_done(const Answer *a)
{
    return a->done;
}

int answer_status(const Answer *a)
{
    return a->fields.stream ? 200 : a->status;
}

uint64_t answer_tokens(const Answer *a, uint64_t *forced)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->choices.count; i++)
        sum += a->choices.at[i].forced;
    if (forced) *forced = sum;
    return completion_tokens(a);
}

/* ---- what is told ---- */

void answer_begin(Answer *a, const AnswerStart *start, JsonPut *out)
{
    if (a->done || a->begun) return;
    a->begun = true;
    a->start = *start;
    for (uint32_t i = 0; i < a->choices.count; i++)
        a->choices.at[i].offset = text_characters(echoed(a, i));
    if (a->fields.stream && a->endpoint->begin) a->endpoint->begin(a, out);
}

typedef struct Telling {
    Answer *a;
    Choice *c;
    JsonPut *out;
} Telling;

static bool tell(void *user, const weir_tool_event *event)
{
    Telling *t = user;
    if (!choice_absorb(t->a, t->c, event)) return false;
    if (t->a->fields.stream) t->a->endpoint->more(t->a, t->c, event, t->out);
    return true;
}

/* weir's own: {"id","text","forced","allowed"}. */
static void report_step(Answer *a, Choice *c, const AnswerStep *step)
{
    const weir_decoded *d = step->decoded;
    JsonPut *out = &c->report;
    if (!a->fields.tokens) return;
    for (size_t i = 0; i < d->token_count; i++) {
        put_object(out, NULL);
        put_uint(out, "id", d->tokens[i]);
        put_string(out, "text",
                   weir_vocab_token(a->opts.vocab, d->tokens[i]).bytes);
        put_bool(out, "forced", i + d->forced >= d->token_count);
        if (step->allowed)
            put_uint(out, "allowed", step->allowed[i]);
        else
            put_null(out, "allowed");
        put_end(out, '}');
    }
}

static void count_step(Choice *c, const weir_decoded *d)
{
    c->tokens += d->token_count;
    c->forced += d->forced;
    for (size_t i = 0; i < d->token_count; i++)
        put_uint(&c->ids, NULL, d->tokens[i]);
    if (d->token_count) c->last_token = d->tokens[d->token_count - 1];
    if (!d->finish) return;
    c->finish = d->finish;
    c->stop = d->stop;
    c->completed = d->completed;
}

/* A step belongs to the reasoning if it has not left it. */
static void count_reasoning(const Answer *a, Choice *c, const weir_decoded *d)
{
    uint32_t n = c->items.count;
    bool inside = n ? c->items.at[n - 1].kind == ITEM_REASONING
                    : a->opts.reasoning == WEIR_REASONING_OPEN;
    if (inside) c->reasoning += d->token_count;
}

void answer_step(Answer *a, uint32_t choice, const AnswerStep *step,
                 JsonPut *out)
{
    const weir_decoded *d = step->decoded;
    if (a->done || choice >= a->choices.count) return;
    Choice *c = &a->choices.at[choice];
    Telling telling = {a, c, out};
    uint32_t before = out->text.count;
    if (c->ended) return;
    count_step(c, d);
    report_step(a, c, step);
    if (!note_step(a, c, step) ||
        !reader_take(&c->reader, d->text, tell, &telling) || c->ids.failed ||
        c->report.failed) {
        fail_memory(a, out);
        return;
    }
    count_reasoning(a, c, d);
    if (a->fields.stream && out->text.count == before)
        a->endpoint->more(a, c, NULL, out);
}

void answer_end(Answer *a, uint32_t choice, const AnswerEnd *end, JsonPut *out)
{
    if (a->done || choice >= a->choices.count) return;
    Choice *c = &a->choices.at[choice];
    Telling telling = {a, c, out};
    if (c->ended) return;
    if (end->finish && end->finish != c->finish) {
        c->finish = end->finish;
        c->completed = false;
    }
    c->truncated = end->truncated;
    c->end = *end;
    if (!c->finish || c->finish >= WEIR_FINISH_STUCK) {
        fail_finish(a, c->finish, out);
        return;
    }
    if (!reader_end(&c->reader, c->finish != WEIR_FINISH_LENGTH, tell,
                    &telling)) {
        fail_memory(a, out);
        return;
    }
    c->ended = true;
    a->open--;
    if (a->fields.stream) a->endpoint->end(a, c, out);
    if (a->open) return;
    a->done = true;
    if (!a->fields.stream)
        a->endpoint->whole(a, out);
    else if (a->endpoint->close)
        a->endpoint->close(a, out);
}
