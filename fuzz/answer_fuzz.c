/* answer_fuzz.c: any bytes as a request, and any bytes as the output that
 * answers it. The first byte says the endpoint (from 1, chat), the second how
 * the model writes: q qwen_3, o the same with the reasoning open, h harmony,
 * m mistral, any other none. The request ends with a byte 0; in what follows
 * a byte 1 begins another step.
 *
 * A whole answer is JSON; a stream is events or lines that are JSON, each one
 * line. The answer is done when its choices have ended, and the same calls give
 * the same bytes.
 */
#include "base/utf8.h"
#include "fuzz/refusal_kit.h"
#include "server/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 256, STOP = BYTES, TOKENS, CHOICES_MOST = 4 };

static weir_vocab *make_vocab(void)
{
    static char bytes[BYTES];
    weir_token tokens[TOKENS];
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (char)i;
        tokens[i] = (weir_token){{&bytes[i], 1}, 0};
    }
    tokens[STOP] =
        (weir_token){{"<|im_end|>", 10}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
}

typedef struct Asked {
    weir_request_opts opts;
    weir_constraint *constraint;
    weir_settings *settings;
    weir_constraint_info info;
    weir_settings_info wanted;
} Asked;

static void read_letter(weir_request_opts *o, uint8_t letter)
{
    o->family = letter == 'q' || letter == 'o' ? WEIR_FAMILY_QWEN_3
                : letter == 'h'                ? WEIR_FAMILY_HARMONY
                : letter == 'm'                ? WEIR_FAMILY_MISTRAL
                                               : WEIR_FAMILY_NONE;
    if (letter == 'o') o->reasoning = WEIR_REASONING_OPEN;
}

static bool ask(Asked *a, const weir_vocab *vocab, weir_bytes request)
{
    weir_refusal refusal;
    a->info.size = sizeof a->info;
    a->wanted.size = sizeof a->wanted;
    a->constraint =
        a->opts.endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT
            ? weir_constraint_from_ollama(NULL, request, &a->opts, &refusal)
            : weir_constraint_from_openai(NULL, request, &a->opts, &refusal);
    if (!a->constraint) return false;
    a->settings =
        weir_settings_from_request(NULL, vocab, request, &a->opts, &refusal);
    if (!a->settings) return false;
    weir_constraint_describe(a->constraint, &a->info);
    weir_settings_describe(a->settings, &a->wanted);
    return a->wanted.choices <= CHOICES_MOST;
}

/* ---- the output ---- */

/* A step with the bytes as tokens, each with log probabilities. */
static void put_step(Answer *a, uint32_t choice, weir_bytes text, bool is_last,
                     JsonPut *out)
{
    static uint32_t ids[BYTES];
    static weir_token_logprobs notes[BYTES];
    const weir_logprob top = {65, -1};
    size_t n = MIN(text.size, (size_t)BYTES);
    for (size_t i = 0; i < n; i++) {
        ids[i] = (uint8_t)text.data[i];
        notes[i] = (weir_token_logprobs){-2, -1, &top, 1};
    }
    weir_decoded d = {.tokens = ids,
                      .token_count = n,
                      .text = text,
                      .finish = is_last ? WEIR_FINISH_LENGTH : 0,
                      .logprobs = notes};
    AnswerStep step = {.decoded = &d};
    answer_step(a, choice, &step, out);
}

static void put_output(Answer *a, uint32_t choice, weir_bytes output,
                       JsonPut *out)
{
    const AnswerEnd end = {.finish = WEIR_FINISH_LENGTH};
    for (size_t at = 0, next; at <= output.size; at = next + 1) {
        for (next = at; next < output.size && output.data[next] != 1;) next++;
        put_step(a, choice, (weir_bytes){output.data + at, next - at},
                 next >= output.size, out);
    }
    answer_end(a, choice, &end, out);
}

/* ---- what comes of it ---- */

static void check_json(Span text)
{
    Mem mem = mem_from_env(NULL);
    Json json;
    weir_error err;
    must(utf8_check(text) == text.size);
    must(json_parse(&json, &mem, text, NULL, &err));
    json_free(&json);
}

/* Lines, but for those of SSE that are empty, [DONE] or name an event. */
static void check_stream(Span text, bool is_sse)
{
    must(text.size && text.at[text.size - 1] == '\n');
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        for (end = at; text.at[end] != '\n';) end++;
        Span line = span_of(text.at + at, end - at);
        if (is_sse && (!line.size || span_starts(line, SPAN("event: ")) ||
                       span_equal(line, SPAN("data: [DONE]"))))
            continue;
        if (is_sse) must(span_starts(line, SPAN("data: ")));
        check_json(is_sse ? span_of(line.at + 6, line.size - 6) : line);
    }
}

static void check(Asked *asked, const weir_vocab *vocab, weir_bytes request,
                  weir_bytes output, JsonPut *out)
{
    weir_refusal refusal;
    const AnswerStart start = {.prompt_tokens = 3};
    AnswerOpts opts = {.endpoint = asked->opts.endpoint,
                       .request = request,
                       .constraint = &asked->info,
                       .settings = &asked->wanted,
                       .vocab = vocab,
                       .family = asked->opts.family,
                       .reasoning = asked->opts.reasoning,
                       .model = "tiny"};
    Answer *a = answer_new(&opts, &refusal);
    if (!a) {
        must(refusal.http == 400);
        return;
    }
    answer_begin(a, &start, out);
    for (uint32_t i = 0; i < answer_choices(a); i++) {
        must(!answer_is_done(a));
        put_output(a, i, output, out);
    }
    must(answer_is_done(a) && answer_status(a) == 200 && !out->failed);
    Span text = span_of(out->text.at, out->text.count);
    if (answer_is_stream(a))
        check_stream(text, opts.endpoint < WEIR_ENDPOINT_OLLAMA_CHAT);
    else
        check_json(text);
    answer_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_vocab *vocab;
    Mem mem = mem_from_env(NULL);
    JsonPut outs[2] = {{.mem = &mem}, {.mem = &mem}};
    if (!vocab) vocab = make_vocab();
    if (size < 2) return 0;
    const char *text = (const char *)data + 2;
    const char *end = memchr(text, 0, size - 2);
    size_t n = end ? (size_t)(end - text) : size - 2;
    weir_bytes request = {text, n}, output = {"", 0};
    if (end) output = (weir_bytes){end + 1, size - 3 - n};
    unsigned endpoint = (data[0] - (unsigned)'1') % 8 + 1;
    Asked asked = {.opts = {.size = sizeof asked.opts,
                            .endpoint = (weir_endpoint)endpoint}};
    read_letter(&asked.opts, data[1]);
    if (ask(&asked, vocab, request))
        for (int i = 0; i < 2; i++)
            check(&asked, vocab, request, output, &outs[i]);
    must(outs[0].text.count == outs[1].text.count);
    if (outs[0].text.count)
        must(!memcmp(outs[0].text.at, outs[1].text.at, outs[0].text.count));
    for (int i = 0; i < 2; i++) put_free(&outs[i]);
    weir_settings_free(asked.settings);
    weir_constraint_free(asked.constraint);
    return 0;
}
