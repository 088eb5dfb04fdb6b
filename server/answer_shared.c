/* answer_shared.c: the parts of answers that several endpoints have.
 * Tests: server/answer_shapes_test.py, server/answer_items_test.py.
 */
#include <stdio.h>

#include "server/answer_state.h"

/* ---- ids ---- */

/* splitmix64: every id is a value of its own. */
static uint64_t mixed(uint64_t n)
{
    n += 0x9E3779B97F4A7C15u;
    n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9u;
    n = (n ^ n >> 27) * 0x94D049BB133111EBu;
    return n ^ n >> 31;
}

AnswerId answer_id_of(const Answer *a, const char *prefix, uint64_t n)
{
    AnswerId id;
    uint64_t high = mixed(a->opts.id ^ mixed(n));
    snprintf(id.text, sizeof id.text, "%s%016llx%08llx", prefix,
             (unsigned long long)high,
             (unsigned long long)(mixed(high) & 0xFFFFFFFFu));
    return id;
}

AnswerId call_id(const Answer *a, const Choice *c, const Item *item)
{
    uint64_t n = (uint64_t)(c->index + 1) << 32 | (item->call + 1);
    return answer_id_of(a, "call_", n);
}

/* ---- how it ended ---- */

const char *choice_reason(const Choice *c, bool calls)
{
    const char *reason = weir_finish_reason(c->finish);
    bool is_stop =
        c->finish == WEIR_FINISH_END || c->finish == WEIR_FINISH_TEXT;
    return calls && is_stop && choice_has(c, ITEM_CALL) ? "tool_calls" : reason;
}

weir_bytes choice_stop_text(const Answer *a, const Choice *c)
{
    const weir_decode_opts *d = &a->settings.decode;
    if (c->finish != WEIR_FINISH_TEXT || c->stop >= d->stop_count)
        return (weir_bytes){"", 0};
    return d->stops[c->stop];
}

void put_stop_reason(const Answer *a, const Choice *c, JsonPut *out)
{
    weir_bytes stop = choice_stop_text(a, c);
    if (a->opts.profile != WEIR_PROFILE_VLLM) return;
    if (stop.size)
        put_string(out, "stop_reason", stop);
    else
        put_null(out, "stop_reason");
}

weir_bytes echoed(const Answer *a, uint32_t choice)
{
    if (!a->fields.echo || !a->opts.prompts) return (weir_bytes){"", 0};
    return a->opts.prompts[choice / MAX(a->settings.choices, 1u)];
}

/* ---- events ---- */

void event_begin(JsonPut *out, const char *name)
{
    if (name) {
        put_literal(out, "event: ");
        put_literal(out, name);
        put_literal(out, "\n");
    }
    put_literal(out, "data: ");
}

void event_end(JsonPut *out)
{
    put_literal(out, "\n\n");
}

void event_done(JsonPut *out)
{
    put_literal(out, "data: [DONE]\n\n");
}

void put_refusal(const weir_refusal *refusal, JsonPut *out)
{
    char body[8192];
    size_t size = weir_refusal_body(refusal, body, sizeof body);
    put_raw(out, (weir_bytes){body, MIN(size, sizeof body)});
}

static void write_head(const Answer *a, const char *object, JsonPut *out)
{
    put_object(out, NULL);
    put_text(out, "id", a->id);
    put_text(out, "object", object);
    put_int(out, "created", a->opts.created);
    put_text(out, "model", a->opts.model);
    put_format(out, "system_fingerprint", "weir-%s", weir_version());
    put_array(out, "choices");
}

void put_choices_head(Answer *a, const char *object, JsonPut *out)
{
    JsonPut *head = &a->head;
    if (!head->text.count) write_head(a, object, head);
    put_raw(out, (weir_bytes){head->text.at, head->text.count});
    out->failed |= head->failed;
}

/* ---- usage ---- */

uint64_t completion_tokens(const Answer *a)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->choices.count; i++)
        sum += a->choices.at[i].tokens;
    return sum;
}

uint64_t reasoning_tokens(const Answer *a)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->choices.count; i++)
        sum += a->choices.at[i].reasoning;
    return sum;
}

void put_usage(const Answer *a, JsonPut *out)
{
    uint64_t drafted = 0, accepted = 0;
    for (uint32_t i = 0; i < a->choices.count; i++) {
        drafted += a->choices.at[i].end.drafted;
        accepted += a->choices.at[i].end.accepted;
    }
    put_object(out, "usage");
    put_uint(out, "prompt_tokens", a->start.prompt_tokens);
    put_uint(out, "completion_tokens", completion_tokens(a));
    put_uint(out, "total_tokens",
             a->start.prompt_tokens + completion_tokens(a));
    put_object(out, "prompt_tokens_details");
    put_uint(out, "cached_tokens", a->start.cached_tokens);
    put_end(out, '}');
    put_object(out, "completion_tokens_details");
    put_uint(out, "reasoning_tokens", reasoning_tokens(a));
    if (drafted) {
        put_uint(out, "accepted_prediction_tokens", accepted);
        put_uint(out, "rejected_prediction_tokens", drafted - accepted);
    }
    put_end(out, '}');
    put_end(out, '}');
}

void put_stream_end(Answer *a, const char *object, JsonPut *out)
{
    if (a->fields.include_usage) {
        event_begin(out, NULL);
        put_choices_head(a, object, out);
        put_end(out, ']');
        put_usage(a, out);
        put_end(out, '}');
        event_end(out);
    }
    event_done(out);
}

/* ---- weir's own ---- */

static const char *const kinds[] = {
    NULL,     "json_value",  "json_object", "regex", "ebnf",
    "choice", "json_schema", "gbnf",        "lark",  "structural_tag"};

static void put_constraint(const Answer *a, const Choice *c, JsonPut *out)
{
    bool known = (size_t)a->kind < COUNT_OF(kinds);
    put_text(out, "constraint", known ? kinds[a->kind] : NULL);
    if (a->degraded) put_bool(out, "degraded", true);
    if (!a->kind) return;
    if (*a->from) put_text(out, "from", a->from);
    if (a->fields.grammar && a->grammar.text.count)
        put_string(out, "grammar",
                   (weir_bytes){a->grammar.text.at, a->grammar.text.count});
    put_bool(out, "completed", c->completed);
    put_uint(out, "forced", c->forced);
    put_number(out, "mask_ms", (double)c->end.mask_ns / 1e6, 6);
}

bool has_report(const Choice *c)
{
    return c->report.text.count;
}

void put_weir(const Answer *a, Choice *c, bool is_end, JsonPut *out)
{
    bool tells_end = is_end && (a->kind || a->degraded || a->fields.tokens);
    if (!tells_end && !has_report(c)) return;
    put_object(out, "weir");
    if (tells_end) put_constraint(a, c, out);
    if (a->fields.tokens) {
        put_uint(out, "vocabulary", weir_vocab_width(a->opts.vocab));
        put_array(out, "tokens");
        put_raw(out, (weir_bytes){c->report.text.at, c->report.text.count});
        put_end(out, ']');
        put_reset(&c->report);
    }
    put_end(out, '}');
}

static void put_rate(JsonPut *out, const char *what, uint64_t count, double ms)
{
    char key[40];
    snprintf(key, sizeof key, "%s_n", what);
    put_uint(out, key, count);
    snprintf(key, sizeof key, "%s_ms", what);
    put_number(out, key, ms, 9);
    snprintf(key, sizeof key, "%s_per_token_ms", what);
    put_number(out, key, count ? ms / (double)count : 0, 9);
    snprintf(key, sizeof key, "%s_per_second", what);
    put_number(out, key, ms > 0 ? 1e3 * (double)count / ms : 0, 9);
}

void put_timings(const Answer *a, const Choice *c, JsonPut *out)
{
    put_object(out, "timings");
    put_uint(out, "cache_n", a->start.cached_tokens);
    put_rate(out, "prompt", a->start.prompt_tokens - a->start.cached_tokens,
             (double)c->end.prompt_ns / 1e6);
    put_rate(out, "predicted", c->tokens, (double)c->end.decode_ns / 1e6);
    if (c->end.drafted) {
        put_uint(out, "draft_n", c->end.drafted);
        put_uint(out, "draft_n_accepted", c->end.accepted);
    }
    put_end(out, '}');
}
