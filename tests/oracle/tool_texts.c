/* tool_texts.c: calls as chat templates write them, spelled out family by
 * family. */
#include "oracle/tool_texts.h"

void tool_text_begin(ToolText *text)
{
    text->out = (Out){text->at, sizeof text->at - 1, 0};
}

static void put(ToolText *t, const char *text)
{
    out_text(&t->out, text);
}

static void put_span(ToolText *t, Span text)
{
    out_bytes(&t->out, text);
}

static void put_name(ToolText *t, const ToolCall *call)
{
    put_span(t, span_of(call->tool->name.data, call->tool->name.size));
}

/* ---- answers ---- */

typedef struct Frame {
    const char *begin, *open, *before_args, *close, *between, *end;
    bool counts; /* a number stands between open + name and before_args */
} Frame;

static Frame frame_of(weir_family family)
{
    switch (family) {
    case WEIR_FAMILY_LLAMA:
        return (Frame){
            "", "{\"name\": \"", "\", \"parameters\": ", "}", "", "", false};
    case WEIR_FAMILY_QWEN_3:
    case WEIR_FAMILY_HERMES:
        return (Frame){"",
                       "<tool_call>\n{\"name\": \"",
                       "\", \"arguments\": ",
                       "}\n</tool_call>",
                       "\n",
                       "",
                       false};
    case WEIR_FAMILY_EXAONE:
        return (Frame){"",
                       "<tool_call>{\"name\": \"",
                       "\", \"arguments\": ",
                       "}</tool_call>",
                       "\n",
                       "",
                       false};
    case WEIR_FAMILY_QWEN_3_5:
    case WEIR_FAMILY_QWEN_3_CODER:
        return (Frame){"",    "<tool_call>\n<function=",
                       ">\n", "</function>\n</tool_call>",
                       "\n",  "",
                       false};
    case WEIR_FAMILY_KIMI:
        return (Frame){"<|tool_calls_section_begin|>",
                       "<|tool_call_begin|>functions.",
                       "<|tool_call_argument_begin|>",
                       "<|tool_call_end|>",
                       "",
                       "<|tool_calls_section_end|>",
                       true};
    case WEIR_FAMILY_KIMI_K3:
        return (Frame){"<|open|>tools<|sep|>",
                       "<|open|>call tool=\"",
                       "\"<|sep|>",
                       "<|close|>call<|sep|>",
                       "",
                       "<|close|>tools<|sep|>",
                       true};
    case WEIR_FAMILY_DEEPSEEK_R1:
        return (Frame){"<｜tool▁calls▁begin｜>",
                       "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
                       "\n```json\n",
                       "\n```<｜tool▁call▁end｜>",
                       "\n",
                       "<｜tool▁calls▁end｜>",
                       false};
    case WEIR_FAMILY_DEEPSEEK_V3_1:
        return (Frame){"<｜tool▁calls▁begin｜>",
                       "<｜tool▁call▁begin｜>",
                       "<｜tool▁sep｜>",
                       "<｜tool▁call▁end｜>",
                       "",
                       "<｜tool▁calls▁end｜>",
                       false};
    case WEIR_FAMILY_DEEPSEEK_V3_2:
        return (Frame){"\n\n<｜DSML｜function_calls>\n",
                       "<｜DSML｜invoke name=\"",
                       "\">\n",
                       "</｜DSML｜invoke>\n",
                       "",
                       "</｜DSML｜function_calls>",
                       false};
    case WEIR_FAMILY_DEEPSEEK_V4:
        return (Frame){"\n\n<｜DSML｜tool_calls>\n",
                       "<｜DSML｜invoke name=\"",
                       "\">\n",
                       "</｜DSML｜invoke>\n",
                       "",
                       "</｜DSML｜tool_calls>",
                       false};
    case WEIR_FAMILY_MINIMAX:
        return (Frame){"\n<minimax:tool_call>\n",
                       "<invoke name=\"",
                       "\">\n",
                       "</invoke>\n",
                       "",
                       "</minimax:tool_call>",
                       false};
    case WEIR_FAMILY_GLM_4_7:
        return (Frame){"", "<tool_call>", "", "</tool_call>", "", "", false};
    case WEIR_FAMILY_COHERE:
        return (Frame){"<cofl:tool_calls>",
                       "<cofl:tool_call id=\"7\" name=\"",
                       "\">",
                       "</cofl:tool_call>",
                       "",
                       "</cofl:tool_calls>",
                       false};
    case WEIR_FAMILY_HARMONY:
        return (Frame){"",
                       "<|channel|>commentary to=functions.",
                       " <|constrain|>json<|message|>",
                       "<|call|>",
                       "<|start|>assistant",
                       "",
                       false};
    case WEIR_FAMILY_MISTRAL:
        return (Frame){"", "[TOOL_CALLS]", "[ARGS]", "", "", "", false};
    case WEIR_FAMILY_MISTRAL_V11:
        return (Frame){"", "[TOOL_CALLS]", "[CALL_ID]a1B2c3D4e[ARGS]", "", "",
                       "", false};
    case WEIR_FAMILY_MISTRAL_V7:
        return (Frame){"[TOOL_CALLS][",
                       "{\"name\": \"",
                       "\", \"arguments\": ",
                       "}",
                       ", ",
                       "]",
                       false};
    case WEIR_FAMILY_GEMMA_4:
        return (Frame){"",   "<|tool_call>call:", "", "<tool_call|>", "", "",
                       false};
    case WEIR_FAMILY_NONE:
        break;
    }
    abort();
}

static void put_call(ToolText *t, weir_family family, const Frame *f,
                     const ToolCall *call, uint32_t number)
{
    put(t, f->open);
    put_name(t, call);
    if (f->counts)
        out_format(&t->out,
                   family == WEIR_FAMILY_KIMI ? ":%u" : "\" index=\"%u",
                   number);
    put(t, f->before_args);
    tool_args_write(t, family, call->args);
    put(t, f->close);
}

/* Text in front of calls. */
static void put_text(ToolText *t, weir_family family, const char *text)
{
    bool is_kimi = family == WEIR_FAMILY_KIMI_K3;
    bool is_harmony = family == WEIR_FAMILY_HARMONY;
    if (is_harmony && !*text) return;
    if (is_harmony) put(t, "<|channel|>commentary<|message|>");
    put(t, text);
    if (is_kimi) put(t, "<|close|>response<|sep|>");
    if (is_harmony) put(t, "<|end|><|start|>assistant");
}

void tool_answer_write(ToolText *out, weir_family family, const char *text,
                       const ToolCall *calls, uint32_t count)
{
    Frame f = frame_of(family);
    put_text(out, family, text);
    put(out, f.begin);
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(out, f.between);
        put_call(out, family, &f, &calls[i], i);
    }
    put(out, f.end);
    if (family == WEIR_FAMILY_KIMI_K3) put(out, "<|close|>message<|sep|>");
    out->at[MIN(out->out.size, out->out.cap)] = 0;
}

/* ---- reasoning ---- */

bool tool_family_thinks(weir_family family)
{
    return family != WEIR_FAMILY_LLAMA && family != WEIR_FAMILY_MISTRAL_V7;
}

void tool_answer_open(ToolText *t, weir_family family)
{
    if (family == WEIR_FAMILY_KIMI_K3) put(t, "<|open|>response<|sep|>");
}

static const char *thoughts_begin(weir_family family)
{
    switch (family) {
    case WEIR_FAMILY_KIMI_K3:
        return "<|open|>think<|sep|>";
    case WEIR_FAMILY_COHERE:
        return "<|START_THINKING|>";
    case WEIR_FAMILY_HARMONY:
        return "<|channel|>analysis<|message|>";
    case WEIR_FAMILY_MISTRAL:
    case WEIR_FAMILY_MISTRAL_V11:
        return "[THINK]";
    case WEIR_FAMILY_GEMMA_4:
        return "<|channel>thought\n";
    default:
        return "<think>";
    }
}

void tool_thoughts_write(ToolText *t, weir_family family, bool opens,
                         const char *thoughts)
{
    if (opens) put(t, thoughts_begin(family));
    put(t, thoughts);
    switch (family) {
    case WEIR_FAMILY_KIMI_K3:
        put(t, "<|close|>think<|sep|><|open|>response<|sep|>");
        break;
    case WEIR_FAMILY_COHERE:
        put(t, "<|END_THINKING|>");
        break;
    case WEIR_FAMILY_HARMONY:
        put(t, "<|end|><|start|>assistant");
        break;
    case WEIR_FAMILY_MISTRAL:
    case WEIR_FAMILY_MISTRAL_V11:
        put(t, "[/THINK]");
        break;
    case WEIR_FAMILY_GEMMA_4:
        put(t, "<channel|>");
        break;
    case WEIR_FAMILY_QWEN_3:
    case WEIR_FAMILY_QWEN_3_5:
    case WEIR_FAMILY_QWEN_3_CODER:
    case WEIR_FAMILY_EXAONE:
    case WEIR_FAMILY_MINIMAX:
        put(t, "</think>\n\n");
        break;
    default:
        put(t, "</think>");
    }
}
