/* tool_fault_test.c: tags and parsers with the 1st, 2nd, 3rd ... allocation
 * failing: NO_MEMORY and nothing held; else what is told with memory. */
#include "unit/faulty_mem.h"

#include "calls/tag_write.h"
#include "unit/calls_kit.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* One output for each reader of arguments. */
static const struct {
    weir_family family;
    const char *text;
} outputs[] = {
    {WEIR_FAMILY_HERMES,
     "a <tool_call>{\"arguments\": {\"k\": [[1]]}, \"id\": \"i\", \"name\": "
     "\"f\"}</tool_call> b <tool_call>{\"name\": 7} c"},
    {WEIR_FAMILY_KIMI,
     "t</think><|tool_calls_section_begin|><|tool_call_begin|>functions.f:3"
     "<|tool_call_argument_begin|>{\"a\": {}}<|tool_call_end|>"
     "<|tool_calls_section_end|>"},
    {WEIR_FAMILY_QWEN_3_5,
     "\xC3\xA9 <tool_call>\n<function=f>\n<parameter=s>\nx\ny\n</parameter>"
     "<parameter=n>12</parameter><parameter=o>{\"a\":[]}</parameter>\n"
     "</function>\n</tool_call>"},
    {WEIR_FAMILY_COHERE,
     "t<|END_THINKING|><cofl:tool_calls><cofl:tool_call id=\"0\" name=\"f\">"
     "<cofl:value name=\"d\" type=\"dict\"><cofl:value name=\"l\" "
     "type=\"list\"><cofl:value type=\"raw\">x</cofl:value></cofl:value>"
     "</cofl:value></cofl:tool_call></cofl:tool_calls>"},
    {WEIR_FAMILY_GEMMA_4,
     "<|tool_call>call:f{a:[1,{b:<|\"|>x<|\"|>}],c:d e}<tool_call|>"},
};

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"},\"n\":{"
    "\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}}}";

static size_t by_three(void *user, size_t left)
{
    (void)user;
    return MIN(3u, left);
}

/* Reads an output; false: out of memory. */
static bool read_output(size_t i, const Mem *mem, Told *told, weir_error *err)
{
    weir_tool tool = {.name = bytes_of("f"),
                      .kind = WEIR_JSON_SCHEMA,
                      .source = bytes_of(schema)};
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    bool thinks = strstr(outputs[i].text, "</think>") ||
                  strstr(outputs[i].text, "<|END_THINKING|>");
    weir_tool_opts opts = {.size = sizeof opts,
                           .reasoning = thinks ? WEIR_REASONING_OPEN
                                               : WEIR_REASONING_NONE};
    weir_tool_parser *p =
        weir_tool_parser_new(&env, outputs[i].family, &tool, 1, &opts, err);
    if (!p) return false;
    bool ok = told_read(told, p, span_text(outputs[i].text), by_three, NULL);
    if (!ok) err->status = WEIR_NO_MEMORY;
    weir_tool_parser_free(p);
    return ok;
}

static size_t present;
static Told wanted;

static bool read_present(const Mem *mem, weir_error *err)
{
    Told told;
    told_open(&told);
    bool ok = read_output(present, mem, &told, err);
    if (ok) assert_string_equal(told.lines, wanted.lines);
    told_close(&told);
    return ok;
}

static void parsers(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (present = 0; present < COUNT_OF(outputs); present++) {
        weir_error err;
        told_open(&wanted);
        assert_true(read_output(present, &mem, &wanted, &err));
        assert_non_null(strstr(wanted.lines, "call f"));
        faulty_sweep(read_present);
        told_close(&wanted);
    }
}

static bool write_tag(const Mem *mem, weir_error *err)
{
    static char text[4096];
    Out out = {text, sizeof text, 0};
    weir_tool tools[] = {{.name = bytes_of("f"),
                          .kind = WEIR_JSON_SCHEMA,
                          .source = bytes_of(schema)},
                         {.name = bytes_of("g"), .kind = WEIR_JSON_OBJECT}};
    weir_tool_opts opts = {.size = sizeof opts,
                           .answer = bytes_of("{\"type\":\"any_text\"}")};
    TagWriter w = {&out, family_at(WEIR_FAMILY_MINIMAX), "minimax", tools, 2,
                   &opts};
    if (!tag_check(&w, mem, err)) return false;
    tag_write(&w);
    return out.size > 0;
}

static void tags(void **state)
{
    (void)state;
    faulty_sweep(write_tag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parsers),
        cmocka_unit_test(tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
