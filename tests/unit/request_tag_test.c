/* request_tag_test.c: calls of tools and reasoning of requests, for a family:
 * what their grammars take, where mistakes are told, and degrading. */
#include <stdio.h>

#include "unit/request_kit.h"

#include "unit/faulty_mem.h"

#define WEATHER                                                             \
    "{\"type\":\"function\",\"function\":{\"name\":\"weather\","            \
    "\"parameters\":"                                                       \
    "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}," \
    "\"required\":[\"city\"],\"additionalProperties\":false}}}"
#define TIME "{\"type\":\"function\",\"function\":{\"name\":\"time\"}}"
#define TOOLS "\"tools\":[" WEATHER "," TIME "]"
#define NUMBER                                                                 \
    "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":" \
    "\"n\",\"schema\":{\"type\":\"integer\"}}}"
#define CALL(name, args)                                               \
    "<tool_call>\n{\"name\": \"" name "\", \"arguments\": " args "}\n" \
    "</tool_call>"
#define PARIS CALL("weather", "{\"city\": \"Paris\"}")

static weir_request_opts family_opts(weir_family family,
                                     weir_reasoning reasoning)
{
    weir_request_opts opts = request_opts(0, 0);
    opts.family = family;
    opts.reasoning = reasoning;
    return opts;
}

static void expect(const char *request, const weir_request_opts *opts,
                   const char *output, bool wanted)
{
    if (request_allows(request, opts, output) != wanted)
        fail_msg("%s: expected %d of %s", request, wanted, output);
}

static void choices(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_QWEN_3, 0);
    static const char automatic[] = "{" TOOLS "}";
    expect(automatic, &opts, "Hello.", true);
    expect(automatic, &opts, "Let me see: " PARIS, true);
    expect(automatic, &opts, PARIS "\n" CALL("time", "{}"), true);
    expect(automatic, &opts, CALL("weather", "{}"), false);
    expect(automatic, &opts, CALL("other", "{}"), false);
    static const char required[] = "{" TOOLS ",\"tool_choice\":\"required\"}";
    expect(required, &opts, "Hello.", false);
    expect(required, &opts, PARIS, true);
    expect(required, &opts, PARIS "\n" CALL("time", "{\"x\": 1}"), true);
    static const char serial[] =
        "{" TOOLS
        ",\"tool_choice\":\"required\",\"parallel_tool_calls\":false}";
    expect(serial, &opts, PARIS, true);
    expect(serial, &opts, PARIS "\n" PARIS, false);
    static const char named[] =
        "{" TOOLS ",\"tool_choice\":{\"type\":"
        "\"function\",\"function\":{\"name\":\"time\"}}}";
    expect(named, &opts, CALL("time", "{}"), true);
    expect(named, &opts, CALL("time", "{}") "\n" CALL("time", "{}"), false);
    expect(named, &opts, PARIS, false);
    static const char loose[] =
        "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"strict\":false,\"parameters\":{\"required\":[\"a\"]}}}],"
        "\"tool_choice\":\"required\"}";
    expect(loose, &opts, CALL("f", "{}"), true);
    expect(loose, &opts, CALL("f", "[]"), false);
}

/* An answer is calls, or text in the format: ollama/ollama#14440 asks for it
 * to be one or the other, whatever the server. */
static void calls_or_format(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_QWEN_3, 0);
    static const char both[] = "{" TOOLS "," NUMBER "}";
    expect(both, &opts, "12", true);
    expect(both, &opts, PARIS, true);
    expect(both, &opts, "Hello.", false);
    expect(both, &opts, "12" PARIS, false);
    expect(both, &opts, PARIS "12", false);
    opts.endpoint = WEIR_ENDPOINT_OLLAMA_CHAT;
    static const char ollama[] = "{" TOOLS ",\"format\":{\"type\":\"object\"}}";
    expect(ollama, &opts, "{\"a\": 1}", true);
    expect(ollama, &opts, PARIS, true);
    expect(ollama, &opts, "Hello.", false);
}

/* Each kind of format, in front of which something may stand. */
static void formats(void **state)
{
    (void)state;
    weir_request_opts opts =
        family_opts(WEIR_FAMILY_HERMES, WEIR_REASONING_OPEN);
    static const struct {
        const char *request, *good, *bad;
    } rows[] = {
        {"{\"response_format\":{\"type\":\"json_object\"}}", "{\"a\":1}", "1"},
        {"{\"guided_regex\":\"a.c\"}", "abc", "a\nc"},
        {"{\"guided_choice\":[\"a\\\"\",\"b\"]}", "a\"", "a"},
        {"{\"guided_grammar\":\"root ::= \\\"x\\\"+\"}", "xx", "y"},
        {"{" NUMBER "}", "-3", "x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "So.</think>%s", rows[i].good);
        expect(rows[i].request, &opts, text, true);
        expect(rows[i].request, &opts, rows[i].good, false);
        snprintf(text, sizeof text, "So.</think>%s", rows[i].bad);
        expect(rows[i].request, &opts, text, false);
    }
    weir_constraint *c = request_taken("{\"prompt\":\"x\"}", &opts);
    assert_int_equal(request_info(c).kind, 0); /* nothing to enforce */
    weir_constraint_free(c);
}

static void blocks_of_text(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_HARMONY, 0);
    expect("{" NUMBER "}", &opts, "<|channel|>final<|message|>7<|return|>",
           true);
    expect("{" NUMBER "}", &opts, "7", false);
    opts = family_opts(WEIR_FAMILY_HARMONY, WEIR_REASONING_MAY);
    expect("{" NUMBER "}", &opts,
           "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
           "<|channel|>final<|message|>7<|return|>",
           true);
    opts = family_opts(WEIR_FAMILY_LLAMA, 0);
    expect("{" NUMBER "}", &opts, "7", true); /* nothing is around it */
}

static void described(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_QWEN_3, 0);
    weir_constraint *c = request_taken("{" TOOLS "," NUMBER "}", &opts);
    weir_constraint_info info = request_info(c);
    assert_int_equal(info.kind, WEIR_STRUCTURAL_TAG);
    assert_int_equal(info.tool_mode, WEIR_TOOLS_AUTO);
    assert_string_equal(info.from, "/tools");
    assert_text(info.name, "n");
    assert_true(text_has(info.source, "\"type\":\"integer\""));
    assert_true(text_has(info.source, "\\\"weather\\\""));
    weir_constraint_free(c);
}

/* jundot/omlx#1258: a tool that must be called, in Anthropic's form. */
static void forced_tool(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_HERMES, 0);
    opts.endpoint = WEIR_ENDPOINT_MESSAGES;
    static const char request[] =
        "{\"tool_choice\":{\"type\":\"tool\",\"name\":\"submit\"},\"tools\":[{"
        "\"name\":\"submit\",\"strict\":true,\"input_schema\":{\"type\":"
        "\"object\",\"properties\":{\"t\":{\"type\":\"string\"}},\"required\":"
        "[\"t\"],\"additionalProperties\":false}}]}";
    expect(request, &opts, CALL("submit", "{\"t\": \"x\"}"), true);
    expect(request, &opts, CALL("submit", "{}"), false);
    expect(request, &opts, "plain text", false);
}

/* ---- mistakes ---- */

static void refused_at(const char *request, weir_request_opts opts,
                       const char *code, const char *pointer)
{
    weir_refusal f = request_refused(request, &opts);
    if (strcmp(f.code, code) != 0 || strcmp(f.pointer, pointer) != 0)
        fail_msg("%s: found %s at %s: %s", request, f.code, f.pointer,
                 f.message);
}

static void mistakes(void **state)
{
    (void)state;
    weir_request_opts opts = family_opts(WEIR_FAMILY_QWEN_3, 0);
    refused_at("{\"tools\":[" TIME ",{\"type\":\"function\",\"function\":{"
               "\"name\":\"f\",\"parameters\":{\"properties\":{\"a\":{\"type\":"
               "\"strin\"}}}}}]}",
               opts, "invalid_function_parameters",
               "/tools/1/function/parameters/properties/a/type");
    refused_at("{" TOOLS ",\"response_format\":{\"type\":\"json_schema\","
               "\"json_schema\":{\"schema\":{\"minLength\":\"x\"}}}}",
               opts, "invalid_json_schema",
               "/response_format/json_schema/schema/minLength");
    refused_at("{" TOOLS ",\"guided_regex\":\"(a\"}", opts, "invalid_regex",
               "/guided_regex");
    refused_at("{" TOOLS ",\"grammar\":\"root ::= \\\"a\\\"\"}", opts,
               "not_supported", "/grammar");
    refused_at(
        "{\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"c\"}}]}", opts,
        "not_supported", "/tools");
    refused_at("{\"tools\":[" TIME "," TIME "]}", opts, "invalid_value",
               "/tools");
    refused_at("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
               "\"a b\"}}]}",
               opts, "not_supported", "/tools");
    opts = family_opts(WEIR_FAMILY_QWEN_3_5, 0);
    refused_at("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
               "\"f\",\"parameters\":{\"properties\":{\"a>\":{}}}}}]}",
               opts, "not_supported", "/tools");
    opts.family = WEIR_FAMILY_NONE;
    refused_at("{" TOOLS "}", opts, "not_supported", "/tools");
    opts.reasoning = WEIR_REASONING_OPEN;
    refused_at("{}", opts, "invalid_options", "");
    opts.family = WEIR_FAMILY_LLAMA;
    refused_at("{}", opts, "invalid_options", "");
    opts.family = (weir_family)99;
    refused_at("{}", opts, "invalid_options", "");
}

/* What cannot be enforced is told by what was asked for, not by the tag. */
static void degraded(void **state)
{
    (void)state;
    weir_refusal f;
    weir_request_opts opts = family_opts(WEIR_FAMILY_QWEN_3, 0);
    opts.failure = WEIR_FAILURE_DEGRADE;
    weir_constraint *c = request_taken(
        "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"parameters\":{\"type\":\"x\"}}}]," NUMBER "}",
        &opts);
    assert_null(weir_constraint_compile(c, NULL, &f));
    assert_int_equal(f.http, 0);
    weir_constraint_info info = request_info(c);
    assert_true(info.degraded);
    assert_int_equal(info.kind, 0);
    assert_int_equal(info.tool_mode, WEIR_TOOLS_FREE);
    assert_true(text_has(info.system_message, "schema 'n'"));
    assert_true(text_has(info.warning, "tools[0].function.parameters"));
    weir_constraint_free(c);
}

static bool resolve(const Mem *mem, weir_error *err)
{
    weir_refusal f;
    weir_request_opts opts =
        family_opts(WEIR_FAMILY_HARMONY, WEIR_REASONING_MAY);
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    weir_constraint *c = weir_constraint_from_openai(
        &env, request_bytes("{" TOOLS ",\"guided_regex\":\"a\"}"), &opts, &f);
    err->status = f.status;
    assert_true(c || f.http == 503);
    weir_constraint_free(c);
    return c != NULL;
}

static void out_of_memory(void **state)
{
    (void)state;
    faulty_sweep(resolve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices),       cmocka_unit_test(calls_or_format),
        cmocka_unit_test(formats),       cmocka_unit_test(blocks_of_text),
        cmocka_unit_test(described),     cmocka_unit_test(forced_tool),
        cmocka_unit_test(mistakes),      cmocka_unit_test(degraded),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
