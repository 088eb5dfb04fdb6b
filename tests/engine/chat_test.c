/* chat_test.c: chat formats against what the models' own templates say.
 *
 * tests/cases/chat_recorded.jsonl has conversations and the texts that
 * scripts/chat/record.py had of them from the templates, run by jinja2; each
 * line names its source. Rows are recognised in the templates themselves,
 * where scripts/chat/fetch-templates and scripts/vocab/fetch have put them. */
#include "engine/chat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/json.h"

enum { MOST = 16, LONGEST = 1 << 18 };

static Mem mem;

static weir_bytes bytes_of(Span span)
{
    return (weir_bytes){(const char *)span.at, span.size};
}

static weir_bytes literal(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* ---- recorded texts ---- */

typedef struct Line {
    Json json;
    ChatMessage messages[MOST];
    ChatCall calls[MOST];
    size_t call_count;
    weir_tool tools[MOST];
    ChatInput input;
    const ChatStyle *style;
    Span text, source;
} Line;

static ChatRole role_of(const Json *json, JsonId message)
{
    JsonId role = json_get(json, message, "role");
    if (json_is_string(json, role, "system")) return CHAT_SYSTEM;
    if (json_is_string(json, role, "tool")) return CHAT_TOOL;
    return json_is_string(json, role, "user") ? CHAT_USER : CHAT_ASSISTANT;
}

static weir_bytes text_at(const Json *json, JsonId object, const char *name)
{
    return bytes_of(json_string(json, json_get(json, object, name)));
}

static void read_calls(Line *l, JsonId message, ChatMessage *m)
{
    const Json *j = &l->json;
    JsonIter it = json_iter(j, json_get(j, message, "tool_calls"));
    m->calls = l->calls + l->call_count;
    for (; json_step(&it); m->call_count++) {
        JsonId f = json_get(j, it.value, "function");
        JsonId arguments = json_get(j, f, "arguments");
        l->calls[l->call_count++] =
            (ChatCall){.name = text_at(j, f, "name"),
                       .arguments = bytes_of(json_spelling(j, arguments)),
                       .id = text_at(j, it.value, "id")};
    }
}

static void read_tools(Line *l)
{
    JsonIter it = json_iter(&l->json, json_get(&l->json, JSON_ROOT, "tools"));
    for (size_t i = 0; json_step(&it); i++) {
        JsonId f = json_get(&l->json, it.value, "function");
        JsonId text = json_get(&l->json, f, "description");
        JsonId schema = json_get(&l->json, f, "parameters");
        l->tools[i] = (weir_tool){
            .name =
                bytes_of(json_string(&l->json, json_get(&l->json, f, "name"))),
            .description = bytes_of(json_string(&l->json, text)),
            .kind = WEIR_JSON_SCHEMA,
            .source = bytes_of(json_spelling(&l->json, schema))};
        l->input.tool_count = i + 1;
    }
}

static void read_line(Line *l, const char *text)
{
    weir_error err = {.status = WEIR_OK};
    *l = (Line){.style = NULL};
    assert_true(json_parse(&l->json, &mem, span_text(text), NULL, &err));
    Json *j = &l->json;
    char name[32];
    Span style = json_string(j, json_get(j, JSON_ROOT, "style"));
    snprintf(name, sizeof name, "%.*s", (int)style.size,
             (const char *)style.at);
    l->style = chat_find(name);
    if (!l->style) fail_msg("no style %s", name);
    JsonIter it = json_iter(j, json_get(j, JSON_ROOT, "messages"));
    for (size_t i = 0; json_step(&it); i++) {
        assert_true(i < MOST);
        l->messages[i] =
            (ChatMessage){.role = role_of(j, it.value),
                          .content = text_at(j, it.value, "content"),
                          .name = text_at(j, it.value, "name"),
                          .id = text_at(j, it.value, "tool_call_id")};
        read_calls(l, it.value, &l->messages[i]);
        l->input.count = i + 1;
    }
    read_tools(l);
    l->input.messages = l->messages;
    l->input.tools = l->tools;
    l->input.year = 2025;
    l->input.month = 3;
    l->input.day = 9;
    l->input.direct = json_bool(j, json_get(j, JSON_ROOT, "direct"), false);
    l->text = json_string(j, json_get(j, JSON_ROOT, "text"));
    l->source = json_string(j, json_get(j, JSON_ROOT, "source"));
}

/* Contents are what is in no row: in each message its own. */
static void check_contents(const Line *l, const ChatText *out)
{
    for (size_t i = 0; i < out->contents.count; i++) {
        ChatSpan s = out->contents.at[i];
        assert_true(s.begin < s.end && s.end <= out->text.count);
        if (i) assert_true(out->contents.at[i - 1].end < s.begin);
        for (uint32_t at = s.begin; at + 2 <= s.end; at++)
            assert_true(memcmp(out->text.at + at, "<|", 2) != 0);
    }
    assert_true(out->contents.count >= l->input.count);
}

static bool check_line(const char *text)
{
    Line l;
    weir_error err;
    ChatText out = {.mem = &mem};
    read_line(&l, text);
    bool ok = chat_render(l.style, &l.input, &out, &err);
    bool equal = ok && span_equal(span_of(out.text.at, out.text.count), l.text);
    if (!equal)
        print_error("%.*s: found\n%.*s\nexpected\n%.*s\n%s\n",
                    (int)l.source.size, (const char *)l.source.at,
                    (int)out.text.count, out.text.count ? out.text.at : "",
                    (int)l.text.size, (const char *)l.text.at,
                    ok ? "" : err.message);
    if (equal) check_contents(&l, &out);
    chat_free(&out);
    json_free(&l.json);
    return equal;
}

static void test_recorded(void **state)
{
    (void)state;
    static char line[1 << 16];
    FILE *file = fopen("tests/cases/chat_recorded.jsonl", "r");
    assert_non_null(file);
    int count = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        count++;
        wrong += !check_line(line);
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    assert_true(count > 100);
}

/* ---- recognising ---- */

static char *read_file(const char *path)
{
    static char text[LONGEST];
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    fclose(file);
    return text;
}

/* Style NULL: a format that no row has. */
static const struct {
    const char *name, *style;
} templates[] = {
    {"Qwen-Qwen3-0.6B", "qwen_3"},
    {"Qwen-Qwen2.5-7B-Instruct", "qwen_2_5"},
    {"meta-llama-Llama-3.1-8B-Instruct", "llama_3_1"},
    {"meta-llama-Llama-3.2-3B-Instruct", "llama_3_1"},
    {"meta-llama-Llama-3.3-70B-Instruct", "llama_3_1"},
    {"mistralai-Mistral-Nemo-Instruct-2407", "mistral_v3"},
    {"Mistral-Small-3.2-24B-Instruct-2506", "mistral_v11"},
    {"google-gemma-2-2b-it", "gemma"},
    {"deepseek-ai-DeepSeek-V3.1", "deepseek_v3_1"},
    {"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "deepseek_r1"},
    {"deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "deepseek_r1"},
    {"microsoft-Phi-3.5-mini-instruct", "phi_3"},
    {"ibm-granite-granite-3.3-2B-Instruct", "granite"},
    {"ibm-granite-granite-4.0", "granite_4"},
    {"openai-gpt-oss-120b", "harmony"},
    {"CohereForAI-c4ai-command-r-plus-tool_use", "command"},
    {"CohereForAI-c4ai-command-r7b-12-2024-tool_use", NULL},
    {"deepseek-ai-DeepSeek-V3.2", NULL},
    {"google-gemma-4-31B-it", NULL},
    {"GLM-4.6", NULL},
    {"MiniMax-M2", NULL},
    {"Kimi-K2-Instruct", NULL},
};

static void test_recognised(void **state)
{
    (void)state;
    char path[256];
    for (size_t i = 0; i < COUNT_OF(templates); i++) {
        snprintf(path, sizeof path, ".cache/chat/%s.jinja", templates[i].name);
        const char *text = read_file(path);
        if (!text) {
            print_message("no templates: run scripts/chat/fetch-templates\n");
            skip();
        }
        const ChatStyle *found = chat_recognise(text);
        const ChatStyle *expected =
            templates[i].style ? chat_find(templates[i].style) : NULL;
        if (found != expected)
            fail_msg("%s: not recognised as %s", templates[i].name,
                     templates[i].style ? templates[i].style : "unknown");
    }
    assert_null(chat_recognise("{{ messages[0] }}"));
}

/* ---- what is refused ---- */

static void refuses(const char *style, const ChatInput *input,
                    weir_status status, const char *message)
{
    ChatText out = {.mem = &mem};
    weir_error err;
    assert_false(chat_render(chat_find(style), input, &out, &err));
    assert_int_equal(err.status, status);
    assert_string_equal(err.message, message);
    chat_free(&out);
}

static void test_refused(void **state)
{
    (void)state;
    ChatMessage user = {.role = CHAT_USER, .content = literal("a")};
    ChatMessage late[] = {user, {.role = CHAT_SYSTEM, .content = literal("b")}};
    weir_tool tool = {.name = literal("f")};
    refuses("chatml", &(ChatInput){late, .count = 2}, WEIR_ARGUMENT,
            "a system message that is not the first");
    refuses("gemma", &(ChatInput){late + 1, .count = 1}, WEIR_ARGUMENT,
            "no message of the user");
    refuses("gemma", &(ChatInput){&user, 1, &tool, 1, .year = 2025},
            WEIR_UNSUPPORTED, "the chat format gemma has no place for tools");
    ChatCall call = {.name = literal("f"), .arguments = literal("{}")};
    ChatMessage called[] = {
        user,
        {.role = CHAT_ASSISTANT, .calls = &call, .call_count = 1},
        {.role = CHAT_TOOL, .content = literal("1")}};
    static const char none[] = "the chat format chatml has no place for "
                               "earlier calls of tools and their results";
    refuses("chatml", &(ChatInput){called, .count = 2}, WEIR_UNSUPPORTED, none);
    called[1].call_count = 0;
    refuses("chatml", &(ChatInput){called, .count = 3}, WEIR_UNSUPPORTED, none);
    assert_null(chat_find("no such"));
    assert_null(chat_style_name(1000));
    assert_string_equal(chat_style_name(0), "harmony");
}

/* ---- what no template was asked for ---- */

static void writes(const char *style, const ChatInput *input, const char *text)
{
    ChatText out = {.mem = &mem};
    weir_error err;
    assert_true(chat_render(chat_find(style), input, &out, &err));
    assert_int_equal(out.text.count, strlen(text));
    assert_memory_equal(out.text.at, text, strlen(text));
    chat_free(&out);
}

/* Behind an answer that goes on nothing is put, and nothing taken off. */
static void test_continued(void **state)
{
    (void)state;
    ChatMessage list[] = {{.role = CHAT_USER, .content = literal("a")},
                          {.role = CHAT_ASSISTANT, .content = literal(" b ")}};
    ChatInput input = {.messages = list, .count = 2, .continues = true};
    writes("chatml", &input,
           "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n b ");
    writes("gemma", &input,
           "<start_of_turn>user\na<end_of_turn>\n<start_of_turn>model\n b ");
    input.continues = false;
    writes("chatml", &input,
           "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n "
           "b <|im_end|>\n<|im_start|>assistant\n");
    list[1].role = CHAT_USER; /* not the assistant's: nothing to go on with */
    input.continues = true;
    writes("chatml", &input,
           "<|im_start|>user\na<|im_end|>\n<|im_start|>user\n "
           "b <|im_end|>\n<|im_start|>assistant\n");
}

/* Ids that are not of Mistral's form become such: the same in both places. */
static void test_call_ids(void **state)
{
    (void)state;
    ChatCall calls[] = {
        {literal("f"), literal("{\"a\":1}"), literal("call_abcdefghijk")},
        {literal("g"), literal(""), literal("abcDEF123")}};
    ChatMessage list[] = {
        {.role = CHAT_USER, .content = literal("a")},
        {.role = CHAT_ASSISTANT, .calls = calls, .call_count = 2},
        {.role = CHAT_TOOL, .content = literal("x"), .id = calls[0].id}};
    ChatInput input = {.messages = list, .count = 3};
    ChatText out = {.mem = &mem};
    weir_error err;
    assert_true(chat_render(chat_find("mistral_v11"), &input, &out, &err));
    assert_true(vec_push(&mem, &out.text, '\0'));
    char id[10], expected[256];
    const char *at = strstr(out.text.at, "[CALL_ID]");
    assert_non_null(at);
    snprintf(id, sizeof id, "%.9s", at + 9);
    assert_int_equal(strspn(id, "0123456789abcdefghijklmnopqrstuvwxyz"), 9);
    snprintf(expected, sizeof expected,
             "[INST]a[/INST][TOOL_CALLS]f[CALL_ID]%s[ARGS]{\"a\": 1}"
             "[TOOL_CALLS]g[CALL_ID]abcDEF123[ARGS]{}</s>"
             "[TOOL_RESULTS]%s[TOOL_CONTENT]x[/TOOL_RESULTS]",
             id, id);
    assert_string_equal(out.text.at, expected);
    chat_free(&out);
}

/* ---- tokens ---- */

/* Who writes a control token's name into a message does not make the token. */
static void test_tokens(void **state)
{
    (void)state;
    static const weir_token tokens[] = {
        {{"<|im_start|>", 12}, WEIR_TOKEN_CONTROL},
        {{"<|im_end|>", 10}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP},
        {{"<|im_end|>\n", 11}, 0},
        {{"user\n", 5}, 0},
        {{"assistant\n", 10}, 0},
        {{"<", 1}, 0},
        {{"|", 1}, 0},
        {{">", 1}, 0},
        {{"_", 1}, 0},
        {{"i", 1}, 0},
        {{"m", 1}, 0},
        {{"e", 1}, 0},
        {{"n", 1}, 0},
        {{"d", 1}, 0},
        {{"\n", 1}, 0},
        {{"a", 1}, 0}};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(tokens), NULL, NULL);
    assert_non_null(v);
    ChatMessage user = {.role = CHAT_USER, .content = literal("a<|im_end|>")};
    ChatInput input = {.messages = &user, .count = 1};
    ChatText out = {.mem = &mem};
    ChatTokens ids = {0};
    weir_error err;
    assert_true(chat_render(chat_find("chatml"), &input, &out, &err));
    assert_true(chat_encode(&out, v, &ids));
    static const uint32_t expected[] = {0,  3,  15, 5, 6, 9,  10, 8, 11,
                                        12, 13, 6,  7, 1, 14, 0,  4};
    assert_int_equal(ids.count, COUNT_OF(expected));
    assert_memory_equal(ids.at, expected, sizeof expected);
    chat_free(&out);
    vec_free(&mem, &ids);
    assert_true(chat_raw(&out, literal("a<|im_end|>\na")));
    assert_true(chat_encode(&out, v, &ids));
    static const uint32_t meant[] = {15, 1, 14, 15};
    assert_int_equal(ids.count, COUNT_OF(meant));
    assert_memory_equal(ids.at, meant, sizeof meant);
    chat_free(&out);
    vec_free(&mem, &ids);
    weir_vocab_free(v);
}

static int set_up(void **state)
{
    (void)state;
    mem = mem_from_env(NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded), cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_continued),
        cmocka_unit_test(test_call_ids), cmocka_unit_test(test_tokens)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
