/* answer_driver.c: answers for the tests in Python: each line of the input is a
 * JSON object, and so is the line that is printed for it.
 *
 *   {"endpoint","profile","family","reasoning","request","prompts","start",
 *    "acts":[["step",choice,{..}],["end",choice,{..}],["fail",{..}]]}
 *   {"refused":{"http","param","message"}} or
 *   {"type","stream","id","status","done","tokens","parts":[text after each act]}
 *
 * The vocabulary: ids 0 to 255 are bytes, 256 is <|end|>, which stops.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/answer.h"
#include "text/json.h"

enum { STEP_MAX = 256, TOP_MAX = 8 };

typedef struct Rig {
    Mem mem;
    const Json *json;
    weir_vocab *vocab;
    weir_constraint *constraint;
    weir_settings *settings;
    weir_constraint_info info;
    weir_settings_info wanted;
    Answer *answer;
} Rig;

static void fatal(const char *what)
{
    fprintf(stderr, "answer_driver: %s\n", what);
    exit(1);
}

static weir_vocab *make_vocab(void)
{
    static char bytes[256];
    weir_token tokens[257];
    weir_error err;
    for (unsigned i = 0; i < 256; i++) {
        bytes[i] = (char)i;
        tokens[i] = (weir_token){{&bytes[i], 1}, 0};
    }
    tokens[256] =
        (weir_token){{"<|end|>", 7}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    weir_vocab *v = weir_vocab_new(NULL, tokens, 257, NULL, &err);
    if (!v) fatal(err.message);
    return v;
}

/* ---- values of the line ---- */

static uint64_t number(const Json *json, JsonId object, const char *name)
{
    uint64_t value = 0;
    json_u64(json, json_get(json, object, name), &value);
    return value;
}

static weir_bytes text(const Json *json, JsonId at)
{
    Span s = json_string(json, at);
    return (weir_bytes){s.at ? (const char *)s.at : "", s.size};
}

/* "hex" in place of "text", for bytes that are no UTF-8. */
static weir_bytes step_text(const Json *json, JsonId step)
{
    static char bytes[4096];
    weir_bytes hex = text(json, json_get(json, step, "hex"));
    for (size_t i = 0; i + 1 < hex.size && i / 2 < sizeof bytes; i += 2) {
        char pair[3] = {hex.data[i], hex.data[i + 1], 0};
        bytes[i / 2] = (char)strtoul(pair, NULL, 16);
    }
    if (hex.size) return (weir_bytes){bytes, hex.size / 2};
    return text(json, json_get(json, step, "text"));
}

static JsonId item(const Json *json, JsonId array, uint32_t index)
{
    JsonIter it = json_iter(json, array);
    while (json_step(&it))
        if (!index--) return it.value;
    return JSON_NONE;
}

static float probability(const Json *json, JsonId at)
{
    double value;
    if (json_is_string(json, at, "none")) return -INFINITY;
    return json_double(json, at, &value) ? (float)value : NAN;
}

/* ---- acts ---- */

typedef struct StepRoom {
    uint32_t ids[STEP_MAX], allowed[STEP_MAX];
    weir_token_logprobs notes[STEP_MAX];
    weir_logprob tops[STEP_MAX][TOP_MAX];
    weir_candidate candidates[TOP_MAX];
} StepRoom;

static size_t read_ids(const Json *json, JsonId array, uint32_t *ids)
{
    size_t n = 0;
    for (JsonIter it = json_iter(json, array); json_step(&it) && n < STEP_MAX;)
        json_u32(json, it.value, &ids[n++]);
    return n;
}

/* "logprobs": [[before, after, [[id, logprob], ..]], ..] */
static void read_notes(const Json *json, JsonId array, StepRoom *room)
{
    size_t i = 0;
    for (JsonIter it = json_iter(json, array); json_step(&it); i++) {
        weir_token_logprobs *note = &room->notes[i];
        JsonIter top = json_iter(json, item(json, it.value, 2));
        note->before = probability(json, item(json, it.value, 0));
        note->after = probability(json, item(json, it.value, 1));
        note->top = room->tops[i];
        for (note->top_count = 0; json_step(&top); note->top_count++) {
            weir_logprob *p = &room->tops[i][note->top_count];
            json_u32(json, item(json, top.value, 0), &p->id);
            p->logprob = probability(json, item(json, top.value, 1));
        }
    }
}

static void act_step(Rig *r, uint32_t choice, JsonId at, JsonPut *out)
{
    static StepRoom room;
    const Json *json = r->json;
    JsonId notes = json_get(json, at, "logprobs");
    JsonId allowed = json_get(json, at, "allowed");
    JsonIter it = json_iter(json, json_get(json, at, "candidates"));
    weir_decoded d = {.tokens = room.ids};
    AnswerStep step = {.decoded = &d, .candidates = room.candidates};
    d.token_count = read_ids(json, json_get(json, at, "tokens"), room.ids);
    d.forced = (size_t)number(json, at, "forced");
    d.text = step_text(json, at);
    d.finish = (weir_finish)number(json, at, "finish");
    d.stop = (size_t)number(json, at, "stop");
    d.completed = json_bool(json, json_get(json, at, "completed"), false);
    read_notes(json, notes, &room);
    if (json_kind(json, notes) == JSON_ARRAY) d.logprobs = room.notes;
    if (read_ids(json, allowed, room.allowed)) step.allowed = room.allowed;
    while (json_step(&it)) {
        weir_candidate *k = &room.candidates[step.candidate_count++];
        json_u32(json, item(json, it.value, 0), &k->id);
        k->probability = probability(json, item(json, it.value, 1));
    }
    answer_step(r->answer, choice, &step, out);
}

static void act_end(Rig *r, uint32_t choice, JsonId at, JsonPut *out)
{
    const Json *json = r->json;
    AnswerEnd end = {.finish = (weir_finish)number(json, at, "finish"),
                     .load_ns = number(json, at, "load_ns"),
                     .queue_ns = number(json, at, "queue_ns"),
                     .prompt_ns = number(json, at, "prompt_ns"),
                     .decode_ns = number(json, at, "decode_ns"),
                     .mask_ns = number(json, at, "mask_ns"),
                     .drafted = number(json, at, "drafted"),
                     .accepted = number(json, at, "accepted")};
    end.truncated = json_bool(json, json_get(json, at, "truncated"), false);
    answer_end(r->answer, choice, &end, out);
}

static void act_fail(Rig *r, JsonId at, JsonPut *out)
{
    weir_bytes message = text(r->json, json_get(r->json, at, "message"));
    weir_refusal refusal = {
        .http = (int)number(r->json, at, "http"),
        .type = "server_error",
        .code = "engine_failed",
        .profile = (weir_profile)number(r->json, JSON_ROOT, "profile"),
        .endpoint = (weir_endpoint)number(r->json, JSON_ROOT, "endpoint")};
    snprintf(refusal.message, sizeof refusal.message, "%.*s", (int)message.size,
             message.data);
    answer_fail(r->answer, &refusal, out);
}

static void act(Rig *r, JsonId at, JsonPut *out)
{
    uint32_t choice = 0;
    JsonId kind = item(r->json, at, 0), first = item(r->json, at, 1);
    json_u32(r->json, first, &choice);
    if (json_is_string(r->json, kind, "step"))
        act_step(r, choice, item(r->json, at, 2), out);
    else if (json_is_string(r->json, kind, "end"))
        act_end(r, choice, item(r->json, at, 2), out);
    else
        act_fail(r, first, out);
}

/* ---- a line ---- */

static bool admit(Rig *r, weir_request_opts *opts, weir_bytes request,
                  weir_refusal *refusal)
{
    bool is_ollama = opts->endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT;
    r->constraint =
        is_ollama ? weir_constraint_from_ollama(NULL, request, opts, refusal)
                  : weir_constraint_from_openai(NULL, request, opts, refusal);
    if (!r->constraint) return false;
    r->settings =
        weir_settings_from_request(NULL, r->vocab, request, opts, refusal);
    if (!r->settings) return false;
    r->info.size = sizeof r->info;
    r->wanted.size = sizeof r->wanted;
    weir_constraint_describe(r->constraint, &r->info);
    weir_settings_describe(r->settings, &r->wanted);
    return true;
}

static bool open_answer(Rig *r, weir_bytes *prompts, uint32_t prompt_count,
                        weir_refusal *refusal)
{
    const Json *json = r->json;
    weir_request_opts opts = {
        .size = sizeof opts,
        .profile = (weir_profile)number(json, JSON_ROOT, "profile"),
        .endpoint = (weir_endpoint)number(json, JSON_ROOT, "endpoint"),
        .family =
            weir_family_find(text(json, json_get(json, JSON_ROOT, "family"))),
        .reasoning = (weir_reasoning)number(json, JSON_ROOT, "reasoning")};
    weir_bytes request = text(json, json_get(json, JSON_ROOT, "request"));
    if (!admit(r, &opts, request, refusal)) return false;
    AnswerOpts a = {.endpoint = opts.endpoint,
                    .profile = opts.profile,
                    .request = request,
                    .constraint = &r->info,
                    .settings = &r->wanted,
                    .vocab = r->vocab,
                    .family = opts.family,
                    .reasoning = opts.reasoning,
                    .model = "tiny",
                    .id = 7,
                    .created = 1700000000,
                    .created_nanos = 123456789,
                    .prompt_count = prompt_count,
                    .prompts = prompt_count ? prompts : NULL,
                    .seed = 42,
                    .context_size = 4096};
    r->answer = answer_new(&a, refusal);
    return r->answer;
}

static void print_refusal(const weir_refusal *refusal, JsonPut *out)
{
    put_object(out, NULL);
    put_object(out, "refused");
    put_int(out, "http", refusal->http);
    put_text(out, "param", refusal->param);
    put_text(out, "message", refusal->message);
    put_end(out, '}');
    put_end(out, '}');
}

static void add_part(JsonPut *part, JsonPut *out)
{
    if (part->failed) fatal("out of memory");
    put_string(out, NULL, (weir_bytes){part->text.at, part->text.count});
    put_reset(part);
}

static void run_acts(Rig *r, JsonPut *out)
{
    const Json *json = r->json;
    JsonPut part = {.mem = &r->mem};
    JsonId start = json_get(json, JSON_ROOT, "start");
    AnswerStart begins = {number(json, start, "prompt"),
                          number(json, start, "cached")};
    put_array(out, "parts");
    answer_begin(r->answer, &begins, &part);
    add_part(&part, out);
    for (JsonIter it = json_iter(json, json_get(json, JSON_ROOT, "acts"));
         json_step(&it);) {
        act(r, it.value, &part);
        add_part(&part, out);
    }
    put_end(out, ']');
    put_free(&part);
}

static void print_answer(Rig *r, JsonPut *out)
{
    uint64_t forced, tokens;
    put_object(out, NULL);
    put_text(out, "type", answer_content_type(r->answer));
    put_bool(out, "stream", answer_is_stream(r->answer));
    put_text(out, "id", answer_id(r->answer));
    put_uint(out, "choices", answer_choices(r->answer));
    put_uint(out, "candidates", answer_wants_candidates(r->answer));
    put_bool(out, "allowed", answer_wants_allowed(r->answer));
    run_acts(r, out);
    tokens = answer_tokens(r->answer, &forced);
    put_bool(out, "done", answer_is_done(r->answer));
    put_int(out, "status", answer_status(r->answer));
    put_uint(out, "tokens", tokens);
    put_uint(out, "forced", forced);
    put_end(out, '}');
}

static void run_line(Rig *r, JsonPut *out)
{
    weir_bytes prompts[8];
    uint32_t count = 0;
    weir_refusal refusal;
    JsonIter it = json_iter(r->json, json_get(r->json, JSON_ROOT, "prompts"));
    while (json_step(&it) && count < 8)
        prompts[count++] = text(r->json, it.value);
    if (open_answer(r, prompts, count, &refusal))
        print_answer(r, out);
    else
        print_refusal(&refusal, out);
    answer_free(r->answer);
    weir_settings_free(r->settings);
    weir_constraint_free(r->constraint);
}

int main(void)
{
    Rig rig = {.mem = mem_from_env(NULL), .vocab = make_vocab()};
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        Json json;
        weir_error err;
        Rig r = rig;
        JsonPut out = {.mem = &rig.mem};
        if (!json_parse(&json, &rig.mem, span_of(line, (size_t)n), NULL, &err))
            fatal(err.message);
        r.json = &json;
        run_line(&r, &out);
        put_literal(&out, "\n");
        fwrite(out.text.at, 1, out.text.count, stdout);
        fflush(stdout);
        put_free(&out);
        json_free(&json);
    }
    free(line);
    weir_vocab_free(rig.vocab);
    return 0;
}
