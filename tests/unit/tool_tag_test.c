/* tool_tag_test.c: the tags of weir_tool_tag, letter by letter for one family
 * of each layout and kind of template; for all families and options that they
 * are JSON; and what cannot be said. What the tags mean is tested by
 * prop/tool_round_trip_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/json.h"
#include "weir/weir.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_tool tool_of(const char *name, const char *schema)
{
    weir_tool tool = {.name = bytes_of(name), .kind = WEIR_JSON_OBJECT};
    if (!schema) return tool;
    tool.kind = WEIR_JSON_SCHEMA;
    tool.source = bytes_of(schema);
    return tool;
}

enum { ROOM = 1 << 14 };

static void expect(weir_family family, const weir_tool *tools, size_t count,
                   weir_tool_opts opts, const char *format)
{
    char text[ROOM], expected[ROOM];
    weir_error err;
    opts.size = sizeof opts;
    size_t n = weir_tool_tag(family, tools, count, &opts, text, ROOM - 1, &err);
    if (n == SIZE_MAX) fail_msg("%s", err.message);
    assert_true(n < ROOM);
    text[n] = 0;
    strcpy(expected, "{\"type\":\"structural_tag\",\"format\":");
    strcat(expected, format);
    strcat(expected, "}");
    assert_string_equal(text, expected);
}

#define ANY_OBJECT                                                    \
    "{\"type\":\"json_schema\",\"json_schema\":{\"type\":\"object\"," \
    "\"additionalProperties\":true}}"
#define NO_THINK "\"excludes\":[\"<think>\",\"</think>\"]"

static void calls_in_text(void **state)
{
    (void)state;
    weir_tool tools[] = {tool_of("f", "{\"a\": true}"), tool_of("g-1.x", NULL)};
    expect(WEIR_FAMILY_LLAMA, tools, 2, (weir_tool_opts){0},
           "{\"type\":\"triggered_tags\",\"triggers\":[\"{\\\"name\\\": \"],"
           "\"tags\":[{\"type\":\"tag\",\"begin\":\"{\\\"name\\\": \\\"f\\\", "
           "\\\"parameters\\\": \",\"content\":{\"type\":\"json_schema\","
           "\"json_schema\":{\"a\": true}},\"end\":\"}\"},"
           "{\"type\":\"tag\",\"begin\":\"{\\\"name\\\": \\\"g-1.x\\\", "
           "\\\"parameters\\\": \",\"content\":" ANY_OBJECT
           ",\"end\":\"}\"}]," NO_THINK "}");
    expect(WEIR_FAMILY_QWEN_3, tools + 1, 1,
           (weir_tool_opts){.calls = WEIR_CALLS_REQUIRED,
                            .single = true,
                            .reasoning = WEIR_REASONING_OPEN,
                            .reasoning_tokens = 64},
           "{\"type\":\"sequence\",\"elements\":[{\"type\":\"tag\",\"begin\":"
           "\"\",\"content\":{\"type\":\"any_text\",\"max_tokens\":64},"
           "\"end\":\"</think>\"},{\"type\":\"const_string\",\"value\":"
           "\"\\n\\n\"},{\"type\":\"triggered_tags\",\"triggers\":"
           "[\"<tool_call>\"],\"tags\":[{\"type\":\"tag\",\"begin\":"
           "\"<tool_call>\\n{\\\"name\\\": \\\"g-1.x\\\", \\\"arguments\\\": "
           "\",\"content\":" ANY_OBJECT ",\"end\":\"}\\n</tool_call>\"}],"
           "\"at_least_one\":true,\"stop_after_first\":true," NO_THINK "}]}");
    expect(WEIR_FAMILY_HERMES, tools, 2,
           (weir_tool_opts){.calls = WEIR_CALLS_NONE},
           "{\"type\":\"any_text\",\"excludes\":[\"<think>\",\"</think>\","
           "\"<tool_call>\"]}");
}

static void calls_in_section(void **state)
{
    (void)state;
    weir_tool tool = tool_of("f", "{}");
    expect(WEIR_FAMILY_KIMI, &tool, 1,
           (weir_tool_opts){.reasoning = WEIR_REASONING_MAY, .any_order = true},
           "{\"type\":\"sequence\",\"elements\":[{\"type\":\"optional\","
           "\"content\":{\"type\":\"sequence\",\"elements\":[{\"type\":\"tag\","
           "\"begin\":\"<think>\",\"content\":{\"type\":\"any_text\"},\"end\":"
           "\"</think>\"}]}},{\"type\":\"triggered_tags\",\"triggers\":"
           "[\"<|tool_calls_section_begin|>\"],\"tags\":[{\"type\":\"tag\","
           "\"begin\":\"<|tool_calls_section_begin|>\",\"content\":{\"type\":"
           "\"tags_with_separator\",\"tags\":[{\"type\":\"tag\",\"begin\":"
           "\"<|tool_call_begin|>functions.f:\",\"content\":{\"type\":"
           "\"sequence\",\"elements\":[{\"type\":\"regex\",\"pattern\":"
           "\"0|[1-9][0-9]{0,3}\"},{\"type\":\"const_string\",\"value\":"
           "\"<|tool_call_argument_begin|>\"},{\"type\":\"json_schema\","
           "\"json_schema\":{},\"any_order\":true}]},\"end\":"
           "\"<|tool_call_end|>\"}],\"separator\":\"\",\"at_least_one\":true},"
           "\"end\":\"<|tool_calls_section_end|>\"}],\"excludes\":["
           "\"<think>\",\"</think>\",\"<|tool_call_begin|>\"]}]}");
    expect(WEIR_FAMILY_DEEPSEEK_V3_2, &tool, 1,
           (weir_tool_opts){.calls = WEIR_CALLS_REQUIRED},
           "{\"type\":\"sequence\",\"elements\":[{\"type\":\"const_string\","
           "\"value\":\"\\n\\n\"},{\"type\":\"tag\",\"begin\":"
           "\"<｜DSML｜function_calls>\\n\",\"content\":{\"type\":"
           "\"tags_with_separator\",\"tags\":[{\"type\":\"tag\",\"begin\":"
           "\"<｜DSML｜invoke name=\\\"f\\\">\\n\",\"content\":{\"type\":"
           "\"json_schema\",\"json_schema\":{},\"style\":\"deepseek_xml\"},"
           "\"end\":\"</｜DSML｜invoke>\\n\"}],\"separator\":\"\","
           "\"at_least_one\":true},\"end\":\"</｜DSML｜function_calls>\"}]}");
}

#define DIGITS "{\"type\":\"regex\",\"pattern\":\"[0-9]+\"}"

/* With a format for the answer it is either calls or that. */
static void calls_or_answer(void **state)
{
    (void)state;
    weir_tool tool = tool_of("f", "{}");
    expect(WEIR_FAMILY_GLM_4_7, &tool, 1,
           (weir_tool_opts){.answer = bytes_of(DIGITS)},
           "{\"type\":\"or\",\"elements\":[{\"type\":\"tags_with_separator\","
           "\"tags\":[{\"type\":\"tag\",\"begin\":\"<tool_call>f\",\"content\":"
           "{\"type\":\"json_schema\",\"json_schema\":{},\"style\":\"glm_xml\"}"
           ",\"end\":\"</tool_call>\"}],\"separator\":\"\",\"at_least_one\":"
           "true}," DIGITS "]}");
    expect(WEIR_FAMILY_KIMI_K3, &tool, 1,
           (weir_tool_opts){.answer = bytes_of(DIGITS), .single = true},
           "{\"type\":\"sequence\",\"elements\":[{\"type\":\"or\",\"elements\":"
           "[{\"type\":\"sequence\",\"elements\":[{\"type\":\"const_string\","
           "\"value\":\"<|close|>response<|sep|>\"},{\"type\":\"tag\","
           "\"begin\":\"<|open|>tools<|sep|>\",\"content\":{\"type\":"
           "\"tags_with_separator\",\"tags\":[{\"type\":\"tag\",\"begin\":"
           "\"<|open|>call tool=\\\"f\\\" index=\\\"\",\"content\":{\"type\":"
           "\"sequence\",\"elements\":[{\"type\":\"regex\",\"pattern\":"
           "\"0|[1-9][0-9]{0,3}\"},{\"type\":\"const_string\",\"value\":"
           "\"\\\"<|sep|>\"},{\"type\":\"json_schema\",\"json_schema\":{},"
           "\"style\":\"kimi_k3_xml\"}]},\"end\":\"<|close|>call<|sep|>\"}],"
           "\"separator\":\"\",\"at_least_one\":true,\"stop_after_first\":true}"
           ",\"end\":\"<|close|>tools<|sep|>\"}]},{\"type\":\"tag\",\"begin\":"
           "\"\",\"content\":" DIGITS ",\"end\":\"<|close|>response<|sep|>\"}]}"
           ",{\"type\":\"const_string\",\"value\":\"<|close|>message<|sep|>\"}"
           "]}");
}

static void messages(void **state)
{
    (void)state;
    expect(WEIR_FAMILY_HARMONY, NULL, 0,
           (weir_tool_opts){.reasoning = WEIR_REASONING_MAY},
           "{\"type\":\"sequence\",\"elements\":[{\"type\":\"star\","
           "\"content\":{\"type\":\"sequence\",\"elements\":[{\"type\":\"or\","
           "\"elements\":[{\"type\":\"tag\",\"begin\":"
           "\"<|channel|>analysis<|message|>\",\"content\":{\"type\":"
           "\"any_text\"},\"end\":\"<|end|>\"}]},{\"type\":\"const_string\","
           "\"value\":\"<|start|>assistant\"}]}},{\"type\":\"tag\",\"begin\":"
           "\"<|channel|>final<|message|>\",\"content\":{\"type\":\"any_text\"}"
           ",\"end\":[\"<|end|>\",\"<|return|>\"]}]}");
}

/* ---- all families ---- */

static void check_json(weir_family family, const weir_tool *tools, size_t n,
                       const weir_tool_opts *opts)
{
    static char text[ROOM];
    weir_error err;
    Json json;
    Mem mem = mem_from_env(NULL);
    size_t size = weir_tool_tag(family, tools, n, opts, text, ROOM, &err);
    if (size == SIZE_MAX) {
        assert_int_equal(err.status, WEIR_UNSUPPORTED);
        assert_int_not_equal(opts->reasoning, WEIR_REASONING_NONE);
        return;
    }
    assert_true(size <= ROOM);
    /* measured as it is written */
    assert_int_equal(weir_tool_tag(family, tools, n, opts, NULL, 0, NULL),
                     size);
    if (!json_parse(&json, &mem, span_of(text, size), NULL, &err))
        fail_msg("%s: %s: %.*s", weir_family_name(family), err.message,
                 (int)size, text);
    json_free(&json);
}

static void all_are_json(void **state)
{
    (void)state;
    weir_tool tools[] = {tool_of("f", "{\"a\": [1]}"), tool_of("g", NULL),
                         tool_of("hé", "false")};
    for (weir_family f = 1; weir_family_name(f); f++)
        for (unsigned bits = 0; bits < 1 << 7; bits++) {
            weir_tool_opts opts = {.size = sizeof opts,
                                   .calls = (weir_calls)((bits & 3) % 3),
                                   .reasoning =
                                       (weir_reasoning)((bits >> 2 & 3) % 3),
                                   .single = bits & 16};
            if (bits & 32) opts.answer = bytes_of(DIGITS);
            check_json(f, tools, bits & 64 ? 3 : 1, &opts);
        }
}

static void names(void **state)
{
    (void)state;
    weir_family f = 1;
    for (; weir_family_name(f); f++)
        assert_int_equal(weir_family_find(bytes_of(weir_family_name(f))), f);
    assert_int_equal(f, 21);
    assert_int_equal(weir_family_find(bytes_of("gpt")), WEIR_FAMILY_NONE);
    assert_int_equal(weir_family_find(bytes_of("none")), WEIR_FAMILY_NONE);
}

/* ---- what cannot be said ---- */

static void refuse(weir_family family, const weir_tool *tools, size_t n,
                   weir_tool_opts opts, weir_status status, const char *word)
{
    weir_error err;
    opts.size = sizeof opts;
    assert_int_equal(weir_tool_tag(family, tools, n, &opts, NULL, 0, &err),
                     SIZE_MAX);
    assert_int_equal(err.status, status);
    if (!strstr(err.message, word))
        fail_msg("found \"%s\", expected a word of %s", err.message, word);
}

static void refusals(void **state)
{
    (void)state;
    char long_name[300] = {0};
    memset(long_name, 'n', sizeof long_name - 1);
    weir_tool f = tool_of("f", "{}"), two[] = {f, f};
    weir_tool custom = {.name = bytes_of("c"), .kind = WEIR_REGEX};
    weir_tool bad[] = {tool_of("", "{}"), tool_of("a b", "{}"),
                       tool_of("a\"", "{}"), tool_of(long_name, "{}"),
                       tool_of("\xC3", "{}")};
    weir_tool_opts none = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(WEIR_FAMILY_LLAMA, &bad[i], 1, none, WEIR_UNSUPPORTED, "name");
    weir_tool broken = tool_of("f", "{\"a\":}");
    refuse(WEIR_FAMILY_LLAMA, &broken, 1, none, WEIR_SYNTAX, "\"f\"");
    broken = tool_of("f", "7");
    refuse(WEIR_FAMILY_LLAMA, &broken, 1, none, WEIR_SYNTAX, "a number");
    refuse(WEIR_FAMILY_QWEN_3, &custom, 1, none, WEIR_UNSUPPORTED, "custom");
    refuse(WEIR_FAMILY_QWEN_3, two, 2, none, WEIR_ARGUMENT, "two tools");
    refuse(0, &f, 1, none, WEIR_ARGUMENT, "family");
    refuse((weir_family)21, &f, 1, none, WEIR_ARGUMENT, "family");
    refuse(WEIR_FAMILY_LLAMA, &f, 1,
           (weir_tool_opts){.reasoning = WEIR_REASONING_OPEN}, WEIR_UNSUPPORTED,
           "llama has no reasoning");
    refuse(WEIR_FAMILY_LLAMA, NULL, 0,
           (weir_tool_opts){.calls = WEIR_CALLS_REQUIRED}, WEIR_ARGUMENT,
           "no tools");
    refuse(WEIR_FAMILY_LLAMA, &f, 1, (weir_tool_opts){.calls = 3},
           WEIR_ARGUMENT, "option");
    refuse(WEIR_FAMILY_LLAMA, &f, 1, (weir_tool_opts){.answer = bytes_of("{")},
           WEIR_SYNTAX, "answer");
}

/* What the families' chat templates put after the last message, as the models'
 * own templates spell it; and answers that have begun. */
static void prompt_ends(void **state)
{
    (void)state;
    enum { NONE, OPEN, MAY };
    static const struct {
        const char *end;
        weir_family family;
        int reasoning;
    } rows[] = {
        {"<|im_start|>assistant\n", WEIR_FAMILY_QWEN_3, MAY},
        {"<|im_start|>assistant\n<think>\n\n</think>\n\n", WEIR_FAMILY_QWEN_3,
         NONE},
        {"<|im_start|>assistant\n<think>\n", WEIR_FAMILY_QWEN_3_5, OPEN},
        {"<think>\nI have begun to", WEIR_FAMILY_QWEN_3_5, OPEN},
        {"<think>\nso</think>\n\n{\"a\": ", WEIR_FAMILY_QWEN_3_5, NONE},
        {"<think>a</think><think>", WEIR_FAMILY_QWEN_3_5, OPEN},
        {"<｜Assistant｜><think>\n", WEIR_FAMILY_DEEPSEEK_R1, OPEN},
        {"<｜Assistant｜></think>", WEIR_FAMILY_DEEPSEEK_V3_1, NONE},
        {"<｜Assistant｜><think>", WEIR_FAMILY_DEEPSEEK_V3_1, OPEN},
        {"<|assistant|></think>", WEIR_FAMILY_GLM_4_7, NONE},
        {"[/INST]", WEIR_FAMILY_MISTRAL, MAY},
        {"[/INST][THINK]", WEIR_FAMILY_MISTRAL, OPEN},
        {"<|CHATBOT_TOKEN|><|START_TEXT|>", WEIR_FAMILY_COHERE, NONE},
        {"<|CHATBOT_TOKEN|><|START_THINKING|>", WEIR_FAMILY_COHERE, OPEN},
        {"<|open|>think<|sep|>", WEIR_FAMILY_KIMI_K3, OPEN},
        {"<|open|>response<|sep|>", WEIR_FAMILY_KIMI_K3, NONE},
        {"<|start|>assistant", WEIR_FAMILY_HARMONY, MAY},
        {"<|start|>assistant<|channel|>final<|message|>", WEIR_FAMILY_HARMONY,
         NONE},
        {"<|start|>assistant<|channel|>analysis<|message|>hm",
         WEIR_FAMILY_HARMONY, OPEN},
        {"<think>", WEIR_FAMILY_LLAMA, NONE}, /* has no reasoning */
        {"<think>", WEIR_FAMILY_NONE, NONE},
        {"<think>", (weir_family)999, NONE},
        {"", WEIR_FAMILY_QWEN_3, MAY},
        {"<think", WEIR_FAMILY_QWEN_3, MAY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_bytes end = {rows[i].end, strlen(rows[i].end)};
        if ((int)weir_family_reasoning(rows[i].family, end) !=
            rows[i].reasoning)
            fail_msg("%s", rows[i].end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_text),   cmocka_unit_test(calls_in_section),
        cmocka_unit_test(calls_or_answer), cmocka_unit_test(messages),
        cmocka_unit_test(all_are_json),    cmocka_unit_test(names),
        cmocka_unit_test(refusals),        cmocka_unit_test(prompt_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
