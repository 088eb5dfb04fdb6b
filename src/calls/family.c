/* family.c: the table of families, and its templates taken apart.
 * Tests: unit/tool_tag_test.c, unit/tool_parse_test.c,
 *        prop/tool_round_trip_test.c.
 */
#include "calls/family.h"

#define THINK_MARKS "<think>", "</think>"
#define HERMES_CALL "<tool_call>\n$O\n</tool_call>"
#define QWEN_XML_CALL                                         \
    .trigger = "<tool_call>\n<function=", .separator = "\n",  \
    .calls = {"<tool_call>\n<function=$F>\n$A\n</function>\n" \
              "</tool_call>"},                                \
    .written = 1, .style = "qwen_xml", .excludes = {THINK_MARKS}
#define THINK(gap) \
    .think = "<think>", .think_end = "</think>", .after_think = (gap)
#define DSML_CALLS(word)                                                    \
    THINK(""), .before_section = "\n\n", .section = "<｜DSML｜" word ">\n", \
               .section_end = "</｜DSML｜" word ">",                        \
               .trigger = "<｜DSML｜" word ">", .separator = "",            \
               .calls = {"<｜DSML｜invoke name=\"$F\">\n$A"               \
                         "</｜DSML｜invoke>\n"},                            \
               .written = 1, .style = "deepseek_xml",                       \
               .excludes = {THINK_MARKS}

static const Family families[] = {
    [WEIR_FAMILY_LLAMA] = {.trigger = "{\"name\": ",
                           .separator = "",
                           .calls = {"{\"name\": \"$F\", \"parameters\": $A}"},
                           .written = 1,
                           .style = "json",
                           .excludes = {THINK_MARKS},
                           .is_bare = true},
    [WEIR_FAMILY_QWEN_3] = {THINK("\n\n"), .trigger = "<tool_call>",
                            .separator = "\n", .calls = {HERMES_CALL},
                            .written = 1, .style = "json",
                            .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_QWEN_3_5] = {THINK("\n\n"), QWEN_XML_CALL},
    [WEIR_FAMILY_QWEN_3_CODER] = {THINK("\n\n"), QWEN_XML_CALL},
    [WEIR_FAMILY_EXAONE] = {THINK("\n\n"), .trigger = "<tool_call>",
                            .separator = "\n",
                            .calls = {"<tool_call>$O</tool_call>"},
                            .written = 1, .style = "json",
                            .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_KIMI] = {THINK(""), .section = "<|tool_calls_section_begin|>",
                          .section_end = "<|tool_calls_section_end|>",
                          .trigger = "<|tool_calls_section_begin|>",
                          .separator = "",
                          .calls = {"<|tool_call_begin|>$[functions.$F:$N$]"
                                    "<|tool_call_argument_begin|>$A"
                                    "<|tool_call_end|>"},
                          .written = 1, .style = "json",
                          .excludes = {THINK_MARKS, "<|tool_call_begin|>"}},
    [WEIR_FAMILY_KIMI_K3] = {LAYOUT_BLOCKS, .think = "<|open|>think<|sep|>",
                             .think_end = "<|close|>think<|sep|>",
                             .after_think = "",
                             .think_excludes = {"<|open|>", "<|close|>"},
                             .text = "<|open|>response<|sep|>",
                             .text_end = {"<|close|>response<|sep|>"},
                             .tail = "<|close|>message<|sep|>",
                             .section = "<|open|>tools<|sep|>",
                             .section_end = "<|close|>tools<|sep|>",
                             .separator = "",
                             .calls = {"<|open|>call tool=\"$F\" index=\"$N\""
                                       "<|sep|>$A<|close|>call<|sep|>"},
                             .written = 1, .style = "kimi_k3_xml",
                             .excludes = {"<|open|>", "<|close|>"}},
    [WEIR_FAMILY_DEEPSEEK_R1] = {THINK(""), .section = "<｜tool▁calls▁begin｜>",
                                 .section_end = "<｜tool▁calls▁end｜>",
                                 .trigger = "<｜tool▁calls▁begin｜>",
                                 .separator = "\n",
                                 .calls = {"<｜tool▁call▁begin｜>function"
                                           "<｜tool▁sep｜>$F\n```json\n$A\n```"
                                           "<｜tool▁call▁end｜>"},
                                 .written = 1, .style = "json",
                                 .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_DEEPSEEK_V3_1] = {THINK(""),
                                   .section = "<｜tool▁calls▁begin｜>",
                                   .section_end = "<｜tool▁calls▁end｜>",
                                   .trigger = "<｜tool▁calls▁begin｜>",
                                   .separator = "",
                                   .calls = {"<｜tool▁call▁begin｜>$F"
                                             "<｜tool▁sep｜>$A"
                                             "<｜tool▁call▁end｜>"},
                                   .written = 1, .style = "json",
                                   .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_DEEPSEEK_V3_2] = {DSML_CALLS("function_calls")},
    [WEIR_FAMILY_DEEPSEEK_V4] = {DSML_CALLS("tool_calls")},
    [WEIR_FAMILY_MINIMAX] = {THINK("\n\n"), .before_section = "\n",
                             .section = "<minimax:tool_call>\n",
                             .section_end = "</minimax:tool_call>",
                             .trigger = "<minimax:tool_call>", .separator = "",
                             .calls = {"<invoke name=\"$F\">\n$A</invoke>\n"},
                             .written = 1, .style = "minimax_xml",
                             .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_GLM_4_7] = {THINK(""),
                             .think_excludes = {"<think>", "<tool_call>",
                                                "</tool_call>", "<arg_key>",
                                                "</arg_key>", "<arg_value>",
                                                "</arg_value>"},
                             .trigger = "<tool_call>", .separator = "",
                             .calls = {"<tool_call>$F$A</tool_call>"},
                             .written = 1, .style = "glm_xml",
                             .excludes = {THINK_MARKS, "</tool_call>",
                                          "<arg_key>", "</arg_key>",
                                          "<arg_value>", "</arg_value>"}},
    [WEIR_FAMILY_COHERE] = {.think = "<|START_THINKING|>",
                            .think_end = "<|END_THINKING|>",
                            .after_think = "",
                            .text = "<|START_TEXT|>",
                            .text_end = {"<|END_TEXT|>"},
                            .section = "<cofl:tool_calls>",
                            .section_end = "</cofl:tool_calls>",
                            .trigger = "<cofl:tool_calls>",
                            .separator = "",
                            .calls = {"<cofl:tool_call id=\"$[$N$]\" "
                                      "name=\"$F\">$A</cofl:tool_call>"},
                            .written = 1,
                            .style = "cohere_xml",
                            .excludes = {"<|START_THINKING|>",
                                         "<|END_THINKING|>"}},
    [WEIR_FAMILY_HARMONY] =
        {LAYOUT_MESSAGES, .think = "<|channel|>analysis<|message|>",
         .think_end = "<|end|>", .after_think = "",
         .text = "<|channel|>final<|message|>",
         .text_end = {"<|end|>", "<|return|>"},
         .preamble = "<|channel|>commentary<|message|>",
         .next = "<|start|>assistant", .separator = "<|start|>assistant",
         .calls = {"<|channel|>commentary to=functions.$F<|constrain|>json"
                   "<|message|>$A<|call|>",
                   "<|channel|>commentary to=functions.$F <|constrain|>json"
                   "<|message|>$A<|call|>",
                   " to=functions.$F<|channel|>commentary <|constrain|>json"
                   "<|message|>$A<|call|>",
                   " to=functions.$F<|channel|>commentary json"
                   "<|message|>$A<|call|>"},
         .written = 4, .style = "json"},
    [WEIR_FAMILY_HERMES] = {THINK(""), .trigger = "<tool_call>",
                            .separator = "\n", .calls = {HERMES_CALL},
                            .written = 1, .style = "json",
                            .excludes = {THINK_MARKS}},
    [WEIR_FAMILY_MISTRAL] = {.think = "[THINK]",
                             .think_end = "[/THINK]",
                             .after_think = "",
                             .trigger = "[TOOL_CALLS]",
                             .separator = "",
                             .calls = {"[TOOL_CALLS]$F[ARGS]$A",
                                       "[TOOL_CALLS]$F[CALL_ID]$[$I$][ARGS]$A"},
                             .written = 1,
                             .style = "json",
                             .excludes = {"[THINK]", "[/THINK]"}},
    [WEIR_FAMILY_MISTRAL_V11] =
        {.think = "[THINK]",
         .think_end = "[/THINK]",
         .after_think = "",
         .trigger = "[TOOL_CALLS]",
         .separator = "",
         .calls = {"[TOOL_CALLS]$F[CALL_ID]$[$I$][ARGS]$A",
                   "[TOOL_CALLS]$F[ARGS]$A"},
         .written = 1,
         .style = "json",
         .excludes = {"[THINK]", "[/THINK]"}},
    [WEIR_FAMILY_MISTRAL_V7] = {.section = "[TOOL_CALLS][",
                                .section_read = "[TOOL_CALLS] [",
                                .section_end = "]",
                                .trigger = "[TOOL_CALLS]",
                                .separator = ", ",
                                .calls = {"$O"},
                                .written = 1,
                                .style = "json"},
    [WEIR_FAMILY_GEMMA_4] = {.think = "<|channel>thought\n",
                             .think_end = "<channel|>",
                             .after_think = "",
                             .trigger = "<|tool_call>",
                             .separator = "",
                             .calls = {"<|tool_call>call:$F$A<tool_call|>"},
                             .written = 1,
                             .style = "gemma",
                             .excludes = {"<|channel>", "<channel|>"}},
};

const Family *family_at(weir_family family)
{
    if ((size_t)family >= COUNT_OF(families)) return NULL;
    const Family *f = &families[family];
    return f->calls[0] ? f : NULL;
}

Part template_next(const char **at)
{
    static const char marks[] = "FNI[]AO";
    static const PartKind kinds[] = {PART_NAME,     PART_NUMBER, PART_ID,
                                     PART_ID_BEGIN, PART_ID_END, PART_ARGS,
                                     PART_OBJECT};
    const char *p = *at;
    if (!*p) return (Part){.kind = PART_END};
    if (*p == '$') {
        *at = p + 2;
        return (Part){.kind = kinds[strchr(marks, p[1]) - marks]};
    }
    size_t size = strcspn(p, "$");
    *at = p + size;
    return (Part){PART_TEXT, span_of(p, size)};
}
