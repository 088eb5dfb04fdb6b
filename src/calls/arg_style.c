/* arg_style.c: the table of argument styles. docs/tools.md shows them.
 * Tests: unit/arg_style_test.c.
 */
#include "calls/arg_style.h"

static const ArgStyle styles[] = {
    {.name = "qwen_xml",
     .open = "<parameter=",
     .named = ">",
     .value = "",
     .close = "</parameter>",
     .escaped = "",
     .has_lines = true},
    {.name = "minimax_xml",
     .open = "<parameter name=\"",
     .named = "\">",
     .value = "",
     .close = "</parameter>",
     .escaped = ""},
    {.name = "deepseek_xml",
     .open = "<｜DSML｜parameter name=\"",
     .named = "\" string=\"",
     .typed = "\">",
     .value = "",
     .close = "</｜DSML｜parameter>",
     .types = {"true", "false", "false", "false", "false", "false"},
     .escaped = ""},
    {.name = "glm_xml",
     .open = "<arg_key>",
     .named = "</arg_key>",
     .value = "<arg_value>",
     .close = "</arg_value>",
     .escaped = ""},
    {.name = "cohere_xml",
     .open = "<cofl:value name=\"",
     .named = "\" type=\"",
     .typed = "\">",
     .value = "",
     .close = "</cofl:value>",
     .types = {"raw", "json", "json", "json", "dict", "list"},
     .escaped = "&<>\"",
     .is_nested = true,
     .unnamed = "<cofl:value type=\""},
    {.name = "kimi_k3_xml",
     .open = "<|open|>argument key=\"",
     .named = "\" type=\"",
     .typed = "\"<|sep|>",
     .value = "",
     .close = "<|close|>argument<|sep|>",
     .types = {"string", "number", "boolean", "null", "object", "array"},
     .escaped = "&\""},
    {.name = "gemma",
     .open = "",
     .named = ":",
     .value = "",
     .close = "<|\"|>",
     .escaped = "",
     .is_braced = true},
};

const ArgStyle *arg_style_find(Span name)
{
    for (size_t i = 0; i < COUNT_OF(styles); i++)
        if (span_equal(name, span_text(styles[i].name))) return &styles[i];
    return NULL;
}

const char *arg_style_entity(const ArgStyle *style, uint8_t byte)
{
    if (!byte || !strchr(style->escaped, byte)) return NULL;
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    default:
        return "&quot;";
    }
}
