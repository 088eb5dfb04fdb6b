/* answer_fault_test.c: memory that runs out at each place of an answer, on every
 * endpoint, streamed and whole: it is told, and nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "server/answer.h"
#include "unit/faulty_mem.h"

static weir_vocab *vocab;
static weir_endpoint endpoint;
static const char *request;

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static int make_vocab(void **state)
{
    const weir_token tokens[] = {{bytes_of("a"), 0},
                                 {bytes_of("b"), 0},
                                 {bytes_of("<|end|>"), WEIR_TOKEN_STOP}};
    (void)state;
    vocab = weir_vocab_new(NULL, tokens, 3, NULL, NULL);
    return vocab ? 0 : 1;
}

static int free_vocab(void **state)
{
    (void)state;
    weir_vocab_free(vocab);
    return 0;
}

/* ---- one answer ---- */

typedef struct Asked {
    weir_constraint *constraint;
    weir_settings *settings;
    weir_constraint_info info;
    weir_settings_info wanted;
} Asked;

static void ask(Asked *a)
{
    weir_refusal refusal;
    weir_request_opts opts = {.size = sizeof opts, .endpoint = endpoint};
    bool is_raw = endpoint == WEIR_ENDPOINT_COMPLETIONS ||
                  endpoint == WEIR_ENDPOINT_COMPLETION ||
                  endpoint == WEIR_ENDPOINT_GENERATE;
    if (!is_raw) opts.family = WEIR_FAMILY_QWEN_3;
    if (!is_raw) opts.reasoning = WEIR_REASONING_OPEN;
    bool is_ollama = endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT;
    *a = (Asked){.info.size = sizeof a->info, .wanted.size = sizeof a->wanted};
    a->constraint = is_ollama
                        ? weir_constraint_from_ollama(NULL, bytes_of(request),
                                                      &opts, &refusal)
                        : weir_constraint_from_openai(NULL, bytes_of(request),
                                                      &opts, &refusal);
    if (!a->constraint) fail_msg("%s", refusal.message);
    a->settings = weir_settings_from_request(NULL, vocab, bytes_of(request),
                                             &opts, &refusal);
    if (!a->settings) fail_msg("%s", refusal.message);
    weir_constraint_describe(a->constraint, &a->info);
    weir_settings_describe(a->settings, &a->wanted);
}

static void write_answer(Answer *a, JsonPut *out)
{
    static const char *const texts[] = {
        "hm</think>\n\nText with\ttabs ",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n",
        "</tool_call>"};
    const uint32_t ids[] = {0, 1, 2}, allowed[] = {3, 2, 1};
    const weir_logprob top = {1, -1};
    const weir_token_logprobs notes[] = {
        {-1, -1, &top, 1}, {-1, -1, &top, 1}, {-1, -1, &top, 1}};
    const AnswerStart start = {.prompt_tokens = 4};
    const AnswerEnd end = {.prompt_ns = 5};
    answer_begin(a, &start, out);
    for (uint32_t choice = 0; choice < answer_choices(a); choice++) {
        for (size_t i = 0; i < 3; i++) {
            weir_decoded d = {.tokens = ids,
                              .token_count = 3,
                              .text = bytes_of(texts[i]),
                              .finish = i == 2 ? WEIR_FINISH_END : 0,
                              .logprobs = notes};
            AnswerStep step = {.decoded = &d, .allowed = allowed};
            answer_step(a, choice, &step, out);
        }
        answer_end(a, choice, &end, out);
    }
    assert_true(answer_is_done(a));
}

/* An error at the end of a stream is in its bytes. */
static bool tells_error(JsonPut *out)
{
    put_raw(out, (weir_bytes){"", 1});
    return out->failed || strstr(out->text.at, "out of memory");
}

static bool run_answer(const Mem *mem, weir_error *err)
{
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    JsonPut out = {.mem = mem};
    weir_refusal refusal;
    Asked asked;
    ask(&asked);
    AnswerOpts opts = {.env = &env,
                       .endpoint = endpoint,
                       .request = bytes_of(request),
                       .constraint = &asked.info,
                       .settings = &asked.wanted,
                       .vocab = vocab,
                       .family = WEIR_FAMILY_QWEN_3,
                       .reasoning = WEIR_REASONING_OPEN,
                       .model = "tiny"};
    Answer *a = answer_new(&opts, &refusal);
    if (a) write_answer(a, &out);
    bool ok = a && answer_status(a) == 200 && !tells_error(&out);
    if (!ok) diag_no_memory(err);
    if (!a) assert_int_equal(refusal.http, 503);
    put_free(&out);
    answer_free(a);
    weir_settings_free(asked.settings);
    weir_constraint_free(asked.constraint);
    return ok;
}

/* ---- all of them ---- */

typedef struct Row {
    weir_endpoint endpoint;
    const char *request;
} Row;

#define USER "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]"
#define WEIR "\"weir\":{\"tokens\":true,\"grammar\":true}"
#define FUNCTION "{\"type\":\"function\",\"function\":{\"name\":\"f\"}}"
static const Row rows[] = {
    {WEIR_ENDPOINT_CHAT, USER ",\"n\":2,\"logprobs\":true,\"top_logprobs\":1,"
                              "\"tools\":[" FUNCTION "]," WEIR},
    {WEIR_ENDPOINT_CHAT,
     USER ",\"response_format\":{\"type\":\"json_object\"}"},
    {WEIR_ENDPOINT_COMPLETIONS, "\"prompt\":\"x\",\"logprobs\":1," WEIR},
    {WEIR_ENDPOINT_RESPONSES,
     "\"input\":\"x\",\"top_logprobs\":1,\"tools\":[{\"type\":\"function\","
     "\"name\":\"f\",\"strict\":false}]," WEIR},
    {WEIR_ENDPOINT_MESSAGES,
     USER ",\"max_tokens\":9,\"tools\":[{\"name\":\"f\",\"input_schema\":{"
          "\"type\":\"object\"}}]," WEIR},
    {WEIR_ENDPOINT_COMPLETION, "\"prompt\":\"x\",\"n_probs\":1,"
                               "\"grammar\":\"root ::= \\\"a\\\"\"," WEIR},
    {WEIR_ENDPOINT_GENERATE, "\"text\":\"x\",\"return_logprob\":true," WEIR},
    {WEIR_ENDPOINT_OLLAMA_CHAT,
     USER ",\"logprobs\":true,\"tools\":[" FUNCTION "]," WEIR},
    {WEIR_ENDPOINT_OLLAMA_GENERATE, "\"prompt\":\"x\"," WEIR},
};

static void test_sweep(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int stream = 0; stream < 2; stream++) {
            char text[512];
            snprintf(text, sizeof text, "{%s,\"stream\":%s}", rows[i].request,
                     stream ? "true" : "false");
            endpoint = rows[i].endpoint;
            request = text;
            faulty_sweep(run_answer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweep)};
    return cmocka_run_group_tests(tests, make_vocab, free_vocab);
}
