/* conversation_test.c: what requests of each endpoint say to the model: the
 * prompt, as text, and what is refused. Expectations are written by hand, from
 * the documentation of the systems that the endpoints come from and the formats
 * that engine/chat_test.c compares with models' own. */
#include "server/conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/faulty_mem.h"

enum { IM_START = 256, IM_END, BEGIN, TOKENS };

static Mem mem;
static weir_vocab *vocab;

static weir_bytes literal(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* All bytes, and three control tokens. */
static weir_vocab *make_vocab(void)
{
    static char bytes[256];
    weir_token tokens[TOKENS];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
        tokens[i] = (weir_token){{&bytes[i], 1}, 0};
    }
    tokens[IM_START] =
        (weir_token){literal("<|im_start|>"), WEIR_TOKEN_CONTROL};
    tokens[IM_END] = (weir_token){literal("<|im_end|>"),
                                  WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    tokens[BEGIN] = (weir_token){literal("<s>"), WEIR_TOKEN_CONTROL};
    return weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
}

/* ---- a request read ---- */

typedef struct Reading {
    Conversation c;
    ChatModel model;
    weir_refusal refusal;
    bool ok;
} Reading;

static void begin(Reading *r, const char *style, weir_endpoint endpoint,
                  weir_profile profile, const char *request)
{
    r->model = (ChatModel){.style = style ? chat_find(style) : NULL,
                           .vocab = vocab,
                           .begin = UINT32_MAX};
    r->ok = conversation_read(&r->c, &mem, &r->model, endpoint, profile,
                              literal(request), &r->refusal);
}

static void encode(Reading *r, const weir_constraint_info *info)
{
    static const weir_constraint_info none = {.size = sizeof none};
    if (r->ok)
        r->ok =
            conversation_encode(&r->c, info ? info : &none, false, &r->refusal);
}

/* The day of today, as harmony tells it, is DATE. */
static void hide_date(char *text)
{
    char *at = strstr(text, "Current date: ");
    if (!at) return;
    at += strlen("Current date: ");
    size_t n = strcspn(at, "\n");
    memcpy(at, "DATE", 4);
    memmove(at + 4, at + n, strlen(at + n) + 1);
}

static void check_text(const Prompt *p, const char *expected)
{
    char text[4096];
    size_t n = weir_vocab_decode(vocab, p->ids.at, p->ids.count, true, text,
                                 sizeof text - 1);
    assert_true(n < sizeof text);
    text[n] = 0;
    hide_date(text);
    assert_string_equal(text, expected);
}

/* The prompt is this text. */
static void says(const char *style, weir_endpoint endpoint, const char *request,
                 const char *expected)
{
    Reading r;
    begin(&r, style, endpoint, WEIR_PROFILE_DEFAULT, request);
    encode(&r, NULL);
    if (!r.ok) fail_msg("%s: %s", request, r.refusal.message);
    assert_int_equal(r.c.prompts.count, 1);
    check_text(&r.c.prompts.at[0], expected);
    conversation_close(&r.c);
}

/* It is refused, and where. */
static void refuses(weir_endpoint endpoint, const char *request,
                    const char *param, const char *pointer, const char *code)
{
    Reading r;
    begin(&r, "qwen_3", endpoint, WEIR_PROFILE_DEFAULT, request);
    encode(&r, NULL);
    if (r.ok) fail_msg("not refused: %s", request);
    assert_int_equal(r.refusal.http, 400);
    assert_string_equal(r.refusal.param, param);
    assert_string_equal(r.refusal.pointer, pointer);
    assert_string_equal(r.refusal.code, code);
    assert_int_equal(r.refusal.endpoint, endpoint);
    conversation_close(&r.c);
}

#define CHAT WEIR_ENDPOINT_CHAT
#define USER_A "<|im_start|>user\na<|im_end|>\n"
#define OPEN "<|im_start|>assistant\n"

/* ---- OpenAI's chat ---- */

static void test_chat(void **state)
{
    (void)state;
    says("chatml", CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":"
         "\"a\"}]}",
         USER_A OPEN);
    says("chatml", CHAT,
         "{\"messages\":[{\"role\":\"developer\",\"content\":\"s\"},"
         "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"role\":"
         "\"system\"},{\"role\":\"user\",\"content\":\"a\"},"
         "{\"role\":\"assistant\",\"content\":null},"
         "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"b\"},"
         "\"c\",{\"type\":\"refusal\",\"refusal\":\"d\"}]}]}",
         "<|im_start|>system\ns\n\nt<|im_end|>\n" USER_A
         "<|im_start|>assistant\n<|im_end|>\n"
         "<|im_start|>user\nb\nc\nd<|im_end|>\n" OPEN);
    /* names of control tokens are letters */
    Reading r;
    begin(&r, "chatml", CHAT, WEIR_PROFILE_DEFAULT,
          "{\"messages\":[{\"role\":\"user\",\"content\":\"<|im_end|>\"}]}");
    encode(&r, NULL);
    assert_true(r.ok);
    uint32_t ends = 0;
    for (uint32_t i = 0; i < r.c.prompts.at[0].ids.count; i++)
        ends += r.c.prompts.at[0].ids.at[i] == IM_END;
    assert_int_equal(ends, 1);
    conversation_close(&r.c);
}

#define CALL(id, a)                                                    \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":" \
    "\"f\",\"arguments\":\"{\\\"a\\\":" a "}\"}}"

static void test_calls(void **state)
{
    (void)state;
    says("qwen_3", CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},"
         "{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[" CALL(
             "i", "1") "," CALL("j", "2") "]},"
                                          "{\"role\":\"tool\",\"tool_call_id\":"
                                          "\"i\",\"content\":\"r\"},"
                                          "{\"role\":\"tool\",\"tool_call_id\":"
                                          "\"j\",\"content\":\"s\"}]}",
         USER_A "<|im_start|>assistant\nx\n<tool_call>\n{\"name\": \"f\", "
                "\"arguments\": {\"a\": 1}}\n</tool_call>\n<tool_call>\n"
                "{\"name\": \"f\", \"arguments\": {\"a\": 2}}\n</tool_call>"
                "<|im_end|>\n<|im_start|>user\n<tool_response>\nr\n"
                "</tool_response>\n<tool_response>\ns\n</tool_response>"
                "<|im_end|>\n" OPEN);
    /* the old form; harmony names the tool of a result */
    says("harmony", CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},"
         "{\"role\":\"assistant\",\"function_call\":{\"name\":\"g\","
         "\"arguments\":\"{}\"}},{\"role\":\"function\",\"name\":\"g\","
         "\"content\":\"r\"},{\"role\":\"user\",\"content\":\"b\"}]}",
         "<|start|>system<|message|>You are ChatGPT, a large language model "
         "trained by OpenAI.\nKnowledge cutoff: 2024-06\nCurrent date: "
         "DATE\n\nReasoning: medium\n\n# Valid channels: analysis, "
         "commentary, final. Channel must be included for every message."
         "<|end|><|start|>user<|message|>a<|end|><|start|>assistant "
         "to=functions.g<|channel|>commentary json<|message|>{}<|call|>"
         "<|start|>functions.g to=assistant<|channel|>commentary<|message|>"
         "\"r\"<|end|><|start|>user<|message|>b<|end|><|start|>assistant");
}

/* ---- other endpoints ---- */

static void test_responses(void **state)
{
    (void)state;
    weir_endpoint e = WEIR_ENDPOINT_RESPONSES;
    says("chatml", e, "{\"input\":\"a\"}", USER_A OPEN);
    says("qwen_3", e,
         "{\"instructions\":\"s\",\"input\":[{\"role\":\"developer\","
         "\"content\":\"t\"},{\"type\":\"message\",\"role\":\"user\","
         "\"content\":[{\"type\":\"input_text\",\"text\":\"a\"}]},"
         "{\"type\":\"reasoning\",\"summary\":[]},"
         "{\"type\":\"function_call\",\"call_id\":\"i\",\"name\":\"f\","
         "\"arguments\":\"{}\"},{\"type\":\"function_call_output\","
         "\"call_id\":\"i\",\"output\":\"r\"}]}",
         "<|im_start|>system\ns\n\nt<|im_end|>\n" USER_A
         "<|im_start|>assistant\n<tool_call>\n{\"name\": \"f\", "
         "\"arguments\": {}}\n</tool_call><|im_end|>\n<|im_start|>user\n"
         "<tool_response>\nr\n</tool_response><|im_end|>\n" OPEN);
}

static void test_anthropic(void **state)
{
    (void)state;
    weir_endpoint e = WEIR_ENDPOINT_MESSAGES;
    says("chatml", e,
         "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":"
         "\"a\"}]}",
         "<|im_start|>system\ns<|im_end|>\n" USER_A OPEN);
    says("qwen_3", e,
         "{\"system\":[{\"type\":\"text\",\"text\":\"s\"}],\"messages\":["
         "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]},"
         "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
         "\"thinking\":\"t\"},{\"type\":\"text\",\"text\":\"x\"},"
         "{\"type\":\"text\",\"text\":\"y\"},{\"type\":\"tool_use\",\"id\":"
         "\"i\",\"name\":\"f\",\"input\":{\"a\":1}}]},"
         "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
         "\"tool_use_id\":\"i\",\"content\":\"r\"},{\"type\":\"text\","
         "\"text\":\"b\"}]}]}",
         "<|im_start|>system\ns<|im_end|>\n" USER_A
         "<|im_start|>assistant\nx\ny\n<tool_call>\n{\"name\": \"f\", "
         "\"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>\n"
         "<|im_start|>user\n<tool_response>\nr\n</tool_response><|im_end|>\n"
         "<|im_start|>user\nb<|im_end|>\n" OPEN);
}

static void test_ollama(void **state)
{
    (void)state;
    says("qwen_3", WEIR_ENDPOINT_OLLAMA_CHAT,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\",\"images\":[]},"
         "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
         "{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]},"
         "{\"role\":\"tool\",\"tool_name\":\"f\",\"content\":\"r\"}]}",
         USER_A "<|im_start|>assistant\n<tool_call>\n{\"name\": \"f\", "
                "\"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>\n"
                "<|im_start|>user\n<tool_response>\nr\n</tool_response>"
                "<|im_end|>\n" OPEN);
    weir_endpoint e = WEIR_ENDPOINT_OLLAMA_GENERATE;
    says("chatml", e, "{\"prompt\":\"a\"}", USER_A OPEN);
    says("chatml", e, "{\"prompt\":\"a\",\"system\":\"s\"}",
         "<|im_start|>system\ns<|im_end|>\n" USER_A OPEN);
    says("chatml", e, "{\"prompt\":\"a\",\"raw\":true}", "a");
    says(NULL, e, "{\"prompt\":\"a\"}", "a");
}

static void test_prompts(void **state)
{
    (void)state;
    says(NULL, WEIR_ENDPOINT_COMPLETIONS, "{\"prompt\":\"a<|im_end|>\"}",
         "a<|im_end|>");
    says("chatml", WEIR_ENDPOINT_COMPLETIONS, "{\"prompt\":[97,256]}",
         "a<|im_start|>");
    says(NULL, WEIR_ENDPOINT_COMPLETIONS, "{\"prompt\":[\"a\"]}", "a");
    says(NULL, WEIR_ENDPOINT_COMPLETION, "{\"prompt\":[97,\"bc\",100]}",
         "abcd");
    says(NULL, WEIR_ENDPOINT_GENERATE, "{\"text\":\"a\"}", "a");
    says(NULL, WEIR_ENDPOINT_GENERATE, "{\"input_ids\":[97]}", "a");
    Reading r;
    begin(&r, NULL, WEIR_ENDPOINT_COMPLETIONS, WEIR_PROFILE_DEFAULT,
          "{\"prompt\":[\"a\",[98],\"\"]}");
    r.model.begin = BEGIN;
    r.model.adds_begin = true;
    encode(&r, NULL);
    assert_true(r.ok);
    assert_int_equal(r.c.prompts.count, 3);
    check_text(&r.c.prompts.at[0], "<s>a");
    check_text(&r.c.prompts.at[1], "b"); /* ids are as they are */
    check_text(&r.c.prompts.at[2], "<s>");
    conversation_close(&r.c);
}

/* ---- what the constraint says, and where the output begins ---- */

static void test_constraint(void **state)
{
    (void)state;
    weir_tool tool = {.name = literal("f"), .kind = WEIR_JSON_OBJECT};
    weir_constraint_info info = {.size = sizeof info,
                                 .system_message = literal("format"),
                                 .tools = &tool,
                                 .tool_count = 0};
    Reading r;
    begin(&r, "chatml", CHAT, WEIR_PROFILE_DEFAULT,
          "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
          "{\"role\":\"user\",\"content\":\"a\"}]}");
    encode(&r, &info);
    assert_true(r.ok);
    check_text(&r.c.prompts.at[0],
               "<|im_start|>system\nformat\n\ns<|im_end|>\n" USER_A OPEN);
    conversation_close(&r.c);
    info.tool_count = 1;
    begin(&r, "chatml", CHAT, WEIR_PROFILE_DEFAULT,
          "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}");
    encode(&r, &info);
    assert_false(r.ok);
    assert_string_equal(r.refusal.code, "not_supported");
    conversation_close(&r.c);
}

static void starts(const char *style, const char *request, bool direct,
                   weir_family family, weir_reasoning reasoning)
{
    Reading r;
    begin(&r, style, CHAT, WEIR_PROFILE_DEFAULT, request);
    assert_true(r.ok);
    assert_int_equal(conversation_family(&r.c), family);
    assert_int_equal(conversation_start(&r.c, direct), reasoning);
    conversation_close(&r.c);
}

static void test_start(void **state)
{
    (void)state;
    static const char one[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}";
    static const char two[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},"
        "{\"role\":\"assistant\",\"content\":\"b\"}]}";
    starts("qwen_3", one, false, WEIR_FAMILY_QWEN_3, WEIR_REASONING_MAY);
    starts("qwen_3", one, true, WEIR_FAMILY_QWEN_3, WEIR_REASONING_NONE);
    starts("qwen_3", two, false, WEIR_FAMILY_QWEN_3, WEIR_REASONING_NONE);
    starts("deepseek_r1", one, false, WEIR_FAMILY_DEEPSEEK_R1,
           WEIR_REASONING_OPEN);
    starts("harmony", one, false, WEIR_FAMILY_HARMONY, WEIR_REASONING_MAY);
    starts("chatml", one, false, WEIR_FAMILY_NONE, WEIR_REASONING_NONE);
}

static void continues(weir_profile profile, const char *flag, bool expected)
{
    char request[256];
    Reading r;
    snprintf(request, sizeof request,
             "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},"
             "{\"role\":\"assistant\",\"content\":\"b\"}]%s}",
             flag);
    begin(&r, "chatml", CHAT, profile, request);
    encode(&r, NULL);
    assert_true(r.ok);
    assert_int_equal(r.c.continues, expected);
    assert_int_equal(conversation_continued(&r.c).size, expected);
    check_text(&r.c.prompts.at[0],
               expected ? USER_A "<|im_start|>assistant\nb"
                        : USER_A "<|im_start|>assistant\nb<|im_end|>\n" OPEN);
    conversation_close(&r.c);
}

static void test_continued(void **state)
{
    (void)state;
    continues(WEIR_PROFILE_DEFAULT, "", true);
    continues(WEIR_PROFILE_DEFAULT, ",\"continue_final_message\":false", false);
    continues(WEIR_PROFILE_VLLM, "", false);
    continues(WEIR_PROFILE_VLLM, ",\"continue_final_message\":true", true);
    continues(WEIR_PROFILE_LLAMA_SERVER, "", true);
}

static void thinks(weir_endpoint endpoint, const char *fields,
                   Thinking thinking, uint32_t tokens)
{
    char request[256];
    Reading r;
    snprintf(request, sizeof request,
             "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],"
             "\"input\":\"a\"%s}",
             fields);
    begin(&r, "qwen_3", endpoint, WEIR_PROFILE_DEFAULT, request);
    assert_true(r.ok);
    assert_int_equal(r.c.thinking, thinking);
    assert_int_equal(r.c.thinking_tokens, tokens);
    conversation_close(&r.c);
}

static void test_thinking(void **state)
{
    (void)state;
    thinks(CHAT, "", THINKING_UNSAID, 0);
    thinks(CHAT, ",\"reasoning_effort\":\"none\"", THINKING_OFF, 0);
    thinks(CHAT, ",\"reasoning_effort\":\"low\"", THINKING_ON, 0);
    thinks(CHAT, ",\"chat_template_kwargs\":{\"enable_thinking\":false}",
           THINKING_OFF, 0);
    thinks(CHAT, ",\"chat_template_kwargs\":{\"thinking\":true}", THINKING_ON,
           0);
    thinks(CHAT, ",\"thinking_budget\":7", THINKING_UNSAID, 7);
    thinks(CHAT, ",\"thinking_budget\":0", THINKING_OFF, 0);
    thinks(CHAT, ",\"thinking_budget\":-1", THINKING_UNSAID, 0);
    thinks(WEIR_ENDPOINT_RESPONSES, ",\"reasoning\":{\"effort\":\"none\"}",
           THINKING_OFF, 0);
    thinks(WEIR_ENDPOINT_MESSAGES, "", THINKING_OFF, 0);
    thinks(WEIR_ENDPOINT_MESSAGES,
           ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":9}",
           THINKING_ON, 9);
    thinks(WEIR_ENDPOINT_OLLAMA_CHAT, ",\"think\":false", THINKING_OFF, 0);
    thinks(WEIR_ENDPOINT_OLLAMA_CHAT, ",\"think\":\"high\"", THINKING_ON, 0);
    thinks(WEIR_ENDPOINT_OLLAMA_CHAT, "", THINKING_UNSAID, 0);
}

/* ---- refusals ---- */

static void test_refused(void **state)
{
    (void)state;
    weir_endpoint r = WEIR_ENDPOINT_RESPONSES, m = WEIR_ENDPOINT_MESSAGES;
    weir_endpoint o = WEIR_ENDPOINT_OLLAMA_CHAT;
    weir_endpoint p = WEIR_ENDPOINT_COMPLETIONS;
    static const char type[] = "invalid_type", value[] = "invalid_value";
    static const char none[] = "missing_required_parameter";
    static const char unknown[] = "not_supported";
    refuses(CHAT, "[", "", "", "invalid_json");
    refuses(CHAT, "3", "", "", type);
    refuses(CHAT, "{}", "messages", "/messages", none);
    refuses(CHAT, "{\"messages\":{}}", "messages", "/messages", type);
    refuses(CHAT, "{\"messages\":[]}", "messages", "/messages", value);
    refuses(CHAT, "{\"messages\":[3]}", "messages[0]", "/messages/0", type);
    refuses(CHAT, "{\"messages\":[{}]}", "messages[0].role", "/messages/0/role",
            none);
    refuses(CHAT, "{\"messages\":[{\"role\":\"king\"}]}", "messages[0].role",
            "/messages/0/role", value);
    refuses(CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
            "\"text\"}]}]}",
            "messages[0].content[0].text", "/messages/0/content/0/text", none);
    refuses(CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
            "\"input_audio\"}]}]}",
            "messages[0].content[0]", "/messages/0/content/0", unknown);
    refuses(CHAT, "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":3}]}",
            "messages[0].tool_calls", "/messages/0/tool_calls", type);
    refuses(CHAT,
            "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":"
            "[{\"id\":1}]}]}",
            "messages[0].tool_calls[0].id", "/messages/0/tool_calls/0/id",
            type);
    refuses(CHAT,
            "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":"
            "[{\"function\":{}}]}]}",
            "messages[0].tool_calls[0].function.name",
            "/messages/0/tool_calls/0/function/name", none);
    refuses(CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],"
            "\"reasoning_effort\":3}",
            "reasoning_effort", "/reasoning_effort", type);
    refuses(r, "{\"input\":[{\"type\":\"item_reference\"}]}", "input[0].type",
            "/input/0/type", unknown);
    refuses(r, "{\"input\":\"a\",\"conversation\":\"c\"}", "conversation",
            "/conversation", unknown);
    refuses(m, "{\"messages\":[{\"role\":\"system\",\"content\":\"a\"}]}",
            "messages[0].role", "/messages/0/role", value);
    refuses(m,
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
            "\"tool_use\"}]}]}",
            "messages[0].content[0].type", "/messages/0/content/0/type",
            unknown);
    refuses(o,
            "{\"messages\":[{\"role\":\"user\",\"content\":\"a\","
            "\"images\":[\"x\"]}]}",
            "messages[0].images", "/messages/0/images", unknown);
    refuses(p, "{}", "prompt", "/prompt", none);
    refuses(p, "{\"prompt\":[]}", "prompt", "/prompt", value);
    refuses(p, "{\"prompt\":[259]}", "prompt[0]", "/prompt/0", value);
    refuses(p, "{\"prompt\":[\"a\",3]}", "prompt[1]", "/prompt/1", type);
    refuses(p, "{\"prompt\":\"\"}", "prompt", "/prompt", value);
}

/* ---- memory ---- */

static weir_endpoint sweep_endpoint;
static const char *sweep_request;

static bool sweep_task(const Mem *faulty, weir_error *err)
{
    static const weir_constraint_info info = {.size = sizeof info,
                                              .system_message = {"format", 6}};
    ChatModel model = {.style = chat_find("qwen_3"),
                       .vocab = vocab,
                       .begin = BEGIN,
                       .adds_begin = true};
    Conversation c;
    weir_refusal refusal;
    bool ok = conversation_read(&c, faulty, &model, sweep_endpoint,
                                WEIR_PROFILE_DEFAULT, literal(sweep_request),
                                &refusal) &&
              conversation_encode(&c, &info, false, &refusal);
    if (!ok) {
        assert_int_equal(refusal.http, 503);
        err->status = refusal.status;
    }
    conversation_close(&c);
    return ok;
}

/* Whichever call for memory fails: 503, and nothing is held. */
static void test_memory(void **state)
{
    (void)state;
    static const struct {
        weir_endpoint endpoint;
        const char *request;
    } rows[] = {
        {WEIR_ENDPOINT_CHAT,
         "{\"messages\":[{\"role\":\"system\",\"content\":\"\\u0041\"},"
         "{\"role\":\"user\",\"content\":[\"a\",\"b\"]},{\"role\":"
         "\"assistant\",\"tool_calls\":[" CALL(
             "i", "1") "]},{\"role\":"
                       "\"tool\",\"tool_call_id\":\"i\",\"content\":\"r\"}]}"},
        {WEIR_ENDPOINT_MESSAGES,
         "{\"system\":\"s\",\"messages\":[{\"role\":\"user\","
         "\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\"b\"}]}]}"},
        {WEIR_ENDPOINT_RESPONSES, "{\"input\":[{\"role\":\"user\","
                                  "\"content\":\"a\"}]}"},
        {WEIR_ENDPOINT_COMPLETIONS, "{\"prompt\":[\"a\",[97]]}"},
        {WEIR_ENDPOINT_COMPLETION, "{\"prompt\":[97,\"b\"]}"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        sweep_endpoint = rows[i].endpoint;
        sweep_request = rows[i].request;
        faulty_sweep(sweep_task);
    }
}

static int set_up(void **state)
{
    (void)state;
    mem = mem_from_env(NULL);
    vocab = make_vocab();
    return !vocab;
}

static int tear_down(void **state)
{
    (void)state;
    weir_vocab_free(vocab);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chat),       cmocka_unit_test(test_calls),
        cmocka_unit_test(test_responses),  cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_ollama),     cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_constraint), cmocka_unit_test(test_start),
        cmocka_unit_test(test_continued),  cmocka_unit_test(test_thinking),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
