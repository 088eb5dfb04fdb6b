/* chat_styles.c: the table of chat formats. The first row whose marks are in a
 * model's template is that model's, so what is special comes first.
 * Tests: tests/engine/chat_test.c. */
#include <stdio.h>

#include "engine/chat_style.h"

/* ---- ChatML with tools, as Qwen and Granite 4 have it ---- */

static void tools_listed(ChatText *out, const ChatInput *input)
{
    for (size_t i = 0; i < input->tool_count; i++) {
        chat_put(out, "\n");
        chat_tool(out, &input->tools[i], false);
    }
}

/* A system message of its own, and the tools after a blank line. */
static void head_with_tools(ChatText *out, const ChatStyle *style,
                            const ChatInput *input, weir_bytes system,
                            const ChatForm *around)
{
    const ChatForm *form = &style->roles[CHAT_SYSTEM];
    if (!system.data && !input->tool_count) return;
    chat_put(out, form->before);
    chat_content(out, system, style->trims);
    if (input->tool_count) {
        if (system.data) chat_put(out, "\n\n");
        chat_put(out, around->before);
        tools_listed(out, input);
        chat_put(out, around->after);
    }
    chat_put(out, form->after);
}

static void head_qwen(ChatText *out, const ChatStyle *style,
                      const ChatInput *input, weir_bytes system)
{
    static const ChatForm around = {
        "# Tools\n\nYou may call one or more functions to assist with the "
        "user query.\n\nYou are provided with function signatures within "
        "<tools></tools> XML tags:\n<tools>",
        "\n</tools>\n\nFor each function call, return a json object with "
        "function name and arguments within <tool_call></tool_call> XML "
        "tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": "
        "<args-json-object>}\n</tool_call>"};
    head_with_tools(out, style, input, system, &around);
}

static void head_granite(ChatText *out, const ChatStyle *style,
                         const ChatInput *input, weir_bytes system)
{
    static const ChatForm around = {
        "You are a helpful assistant with access to the following tools. You "
        "may call one or more tools to assist with the user query.\n\nYou "
        "are provided with function signatures within <tools></tools> XML "
        "tags:\n<tools>",
        "\n</tools>\n\nFor each tool call, return a json object with function "
        "name and arguments within <tool_call></tool_call> XML tags:\n"
        "<tool_call>\n{\"name\": <function-name>, \"arguments\": "
        "<args-json-object>}\n</tool_call>. If a tool does not exist in the "
        "provided list of tools, notify the user that you do not have the "
        "ability to fulfill the request."};
    head_with_tools(out, style, input, system, &around);
}

/* ---- Llama 3.1 ---- */

static const char *month_name(int month)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};
    return names[MIN(MAX(month, 1), 12) - 1];
}

static void head_llama(ChatText *out, const ChatStyle *style,
                       const ChatInput *input, weir_bytes system)
{
    char date[64];
    snprintf(date, sizeof date, "Today Date: %02d %s %d\n\n", input->day,
             month_name(input->month), input->year);
    chat_put(out, style->roles[CHAT_SYSTEM].before);
    if (input->tool_count) chat_put(out, "Environment: ipython\n");
    chat_put(out, "Cutting Knowledge Date: December 2023\n");
    chat_put(out, date);
    chat_content(out, system, true);
    chat_put(out, style->roles[CHAT_SYSTEM].after);
}

static void tools_llama(ChatText *out, const ChatInput *input)
{
    chat_put(out, "Given the following functions, please respond with a JSON "
                  "for a function call with its proper arguments that best "
                  "answers the given prompt.\n\nRespond in the format "
                  "{\"name\": function name, \"parameters\": dictionary of "
                  "argument name and its value}.Do not use variables.\n\n");
    for (size_t i = 0; i < input->tool_count; i++) {
        chat_tool(out, &input->tools[i], true);
        chat_put(out, "\n\n");
    }
}

/* ---- Mistral ---- */

static void tools_mistral(ChatText *out, const ChatInput *input)
{
    chat_put(out, "[AVAILABLE_TOOLS][");
    for (size_t i = 0; i < input->tool_count; i++) {
        if (i) chat_put(out, ", ");
        chat_tool(out, &input->tools[i], false);
    }
    chat_put(out, "][/AVAILABLE_TOOLS]");
}

/* The system message, then the tools. */
static void head_mistral(ChatText *out, const ChatStyle *style,
                         const ChatInput *input, weir_bytes system)
{
    const ChatForm *form = &style->roles[CHAT_SYSTEM];
    if (system.data) {
        chat_put(out, form->before);
        chat_content(out, system, false);
        chat_put(out, form->after);
    }
    if (input->tool_count) tools_mistral(out, input);
}

/* ---- harmony ---- */

static void head_harmony(ChatText *out, const ChatStyle *style,
                         const ChatInput *input, weir_bytes system)
{
    char date[64];
    (void)style;
    snprintf(date, sizeof date, "Current date: %d-%02d-%02d\n\n", input->year,
             input->month, input->day);
    chat_put(out, "<|start|>system<|message|>You are ChatGPT, a large language "
                  "model trained by OpenAI.\nKnowledge cutoff: 2024-06\n");
    chat_put(out, date);
    chat_put(out, "Reasoning: medium\n\n# Valid channels: analysis, "
                  "commentary, final. Channel must be included for every "
                  "message.");
    if (input->tool_count)
        chat_put(out, "\nCalls to these tools must go to the commentary "
                      "channel: 'functions'.");
    chat_put(out, "<|end|>");
    if (!system.size && !input->tool_count) return;
    chat_put(out, "<|start|>developer<|message|>");
    if (system.size) {
        chat_put(out, "# Instructions\n\n");
        chat_content(out, system, false);
        chat_put(out, "\n\n");
    }
    if (input->tool_count) chat_harmony_tools(out, input);
    chat_put(out, "<|end|>");
}

/* ---- rows ---- */

/* The same marks around every role, which stands between them. */
#define ROLES(before, middle, after)                                    \
    {                                                                   \
        {before "system" middle, after}, {before "user" middle, after}, \
        {                                                               \
            before "assistant" middle, after                            \
        }                                                               \
    }

const ChatStyle chat_styles[] = {
    {.name = "harmony",
     .marks = {"<|channel|>", "<|start|>"},
     .roles = {{"", ""},
               {"<|start|>user<|message|>", "<|end|>"},
               {"<|start|>assistant<|channel|>final<|message|>", "<|end|>"}},
     .open = "<|start|>assistant",
     .direct = "<|start|>assistant<|channel|>final<|message|>",
     .head = head_harmony,
     .tools = chat_harmony_tools,
     .tools_place = PLACE_NOWHERE,
     .calls = chat_calls_harmony,
     .results = chat_results_harmony,
     .family = WEIR_FAMILY_HARMONY,
     .reasoning = WEIR_REASONING_MAY},
    {.name = "llama_3_1",
     .marks = {"<|start_header_id|>", "Cutting Knowledge Date"},
     .roles =
         ROLES("<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>"),
     .open = "<|start_header_id|>assistant<|end_header_id|>\n\n",
     .trims = true,
     .head = head_llama,
     .tools = tools_llama,
     .tools_place = PLACE_FIRST_USER,
     .calls = chat_calls_llama,
     .results = chat_results_llama,
     .family = WEIR_FAMILY_LLAMA},
    {.name = "llama_3",
     .marks = {"<|start_header_id|>"},
     .roles =
         ROLES("<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>"),
     .open = "<|start_header_id|>assistant<|end_header_id|>\n\n",
     .trims = true},
    {.name = "granite_4",
     .marks = {"<|start_of_role|>", "<tool_call>"},
     .roles =
         ROLES("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>\n"),
     .open = "<|start_of_role|>assistant<|end_of_role|>",
     .head = head_granite,
     .tools = tools_listed,
     .tools_place = PLACE_NOWHERE,
     .calls = chat_calls_hermes,
     .results = chat_results_granite,
     .family = WEIR_FAMILY_HERMES},
    {.name = "granite",
     .marks = {"<|start_of_role|>"},
     .roles =
         ROLES("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>\n"),
     .open = "<|start_of_role|>assistant<|end_of_role|>"},
    {.name = "phi_4",
     .marks = {"<|im_start|>", "<|im_sep|>"},
     .roles = ROLES("<|im_start|>", "<|im_sep|>", "<|im_end|>"),
     .open = "<|im_start|>assistant<|im_sep|>"},
    {.name = "qwen_3",
     .marks = {"<|im_start|>", "<tool_call>\\n{\"name\": \"", "<think>"},
     .roles = ROLES("<|im_start|>", "\n", "<|im_end|>\n"),
     .open = "<|im_start|>assistant\n",
     .direct = "<|im_start|>assistant\n<think>\n\n</think>\n\n",
     .head = head_qwen,
     .tools = tools_listed,
     .tools_place = PLACE_NOWHERE,
     .calls = chat_calls_hermes,
     .results = chat_results_qwen,
     .family = WEIR_FAMILY_QWEN_3,
     .reasoning = WEIR_REASONING_MAY},
    {.name = "qwen_2_5",
     .marks = {"<|im_start|>", "<tool_call>\\n{\"name\": \""},
     .roles = ROLES("<|im_start|>", "\n", "<|im_end|>\n"),
     .open = "<|im_start|>assistant\n",
     .head = head_qwen,
     .tools = tools_listed,
     .tools_place = PLACE_NOWHERE,
     .calls = chat_calls_hermes,
     .results = chat_results_qwen,
     .family = WEIR_FAMILY_HERMES},
    {.name = "chatml",
     .marks = {"<|im_start|>", "<|im_end|>"},
     .roles = ROLES("<|im_start|>", "\n", "<|im_end|>\n"),
     .open = "<|im_start|>assistant\n"},
    {.name = "deepseek_r1",
     .marks = {"<｜User｜>", "<｜Assistant｜><think>\\n"},
     .roles = {{"", ""},
               {"<｜User｜>", ""},
               {"<｜Assistant｜>", "<｜end▁of▁sentence｜>"}},
     .open = "<｜Assistant｜><think>\n",
     .direct = "<｜Assistant｜><think>\n</think>",
     .family = WEIR_FAMILY_DEEPSEEK_R1,
     .reasoning = WEIR_REASONING_OPEN},
    {.name = "deepseek_v3_1",
     .marks = {"<｜User｜>", "<｜Assistant｜>", "<think></think>"},
     .roles = {{"", ""},
               {"<｜User｜>", ""},
               {"<｜Assistant｜><think></think>", "<｜end▁of▁sentence｜>"}},
     .open = "<｜Assistant｜><think></think>",
     .family = WEIR_FAMILY_DEEPSEEK_V3_1},
    {.name = "deepseek_v3",
     .marks = {"<｜User｜>", "<｜Assistant｜>"},
     .absent = "DSML",
     .roles = {{"", ""},
               {"<｜User｜>", ""},
               {"<｜Assistant｜>", "<｜end▁of▁sentence｜>"}},
     .open = "<｜Assistant｜>",
     .family = WEIR_FAMILY_DEEPSEEK_R1},
    {.name = "mistral_v11",
     .marks = {"[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[CALL_ID]"},
     .roles = {{"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
               {"[INST]", "[/INST]"},
               {"", "</s>"}},
     .open = "",
     .tools = tools_mistral,
     .tools_place = PLACE_LAST_USER,
     .calls = chat_calls_mistral_v11,
     .results = chat_results_mistral_v11,
     .family = WEIR_FAMILY_MISTRAL_V11},
    {.name = "mistral_v13",
     .marks = {"[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[ARGS]"},
     .roles = {{"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
               {"[INST]", "[/INST]"},
               {"", "</s>"}},
     .open = "",
     .head = head_mistral,
     .tools = tools_mistral,
     .tools_place = PLACE_NOWHERE,
     .calls = chat_calls_mistral_v13,
     .results = chat_results_mistral_v13,
     .family = WEIR_FAMILY_MISTRAL},
    {.name = "mistral_v3",
     .marks = {"[INST]", "[AVAILABLE_TOOLS]"},
     .absent = "[SYSTEM_PROMPT]",
     .roles = {{"", ""}, {"[INST]", "[/INST]"}, {"", "</s>"}},
     .open = "",
     .system = PLACE_LAST_USER,
     .tools = tools_mistral,
     .tools_place = PLACE_LAST_USER,
     .calls = chat_calls_mistral,
     .results = chat_results_mistral,
     .family = WEIR_FAMILY_MISTRAL_V7},
    {.name = "gemma",
     .marks = {"<start_of_turn>"},
     .roles = {{"", ""},
               {"<start_of_turn>user\n", "<end_of_turn>\n"},
               {"<start_of_turn>model\n", "<end_of_turn>\n"}},
     .open = "<start_of_turn>model\n",
     .trims = true,
     .system = PLACE_FIRST_USER},
    {.name = "command",
     .marks = {"<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"},
     .absent = "<|START_RESPONSE|>",
     .roles = {{"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>",
                "<|END_OF_TURN_TOKEN|>"},
               {"<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
                "<|END_OF_TURN_TOKEN|>"},
               {"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
                "<|END_OF_TURN_TOKEN|>"}},
     .open = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
     .trims = true},
    {.name = "phi_3",
     .marks = {"<|user|>", "<|assistant|>", "<|end|>"},
     .roles = {{"<|system|>\n", "<|end|>\n"},
               {"<|user|>\n", "<|end|>\n"},
               {"<|assistant|>\n", "<|end|>\n"}},
     .open = "<|assistant|>\n"},
};
const size_t chat_style_count = COUNT_OF(chat_styles);
