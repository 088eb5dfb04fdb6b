/* tool_args_text.c: arguments as chat templates write them, style by style,
 * with the types of values taken from the values. */
#include "oracle/tool_texts.h"

static void put(ToolText *t, const char *text)
{
    out_text(&t->out, text);
}

static void put_span(ToolText *t, Span text)
{
    out_bytes(&t->out, text);
}

typedef enum Style {
    STYLE_JSON,
    STYLE_QWEN,
    STYLE_MINIMAX,
    STYLE_DEEPSEEK,
    STYLE_GLM,
    STYLE_COHERE,
    STYLE_KIMI,
    STYLE_GEMMA
} Style;

static Style style_of(weir_family family)
{
    switch (family) {
    case WEIR_FAMILY_QWEN_3_5:
    case WEIR_FAMILY_QWEN_3_CODER:
        return STYLE_QWEN;
    case WEIR_FAMILY_MINIMAX:
        return STYLE_MINIMAX;
    case WEIR_FAMILY_DEEPSEEK_V3_2:
    case WEIR_FAMILY_DEEPSEEK_V4:
        return STYLE_DEEPSEEK;
    case WEIR_FAMILY_GLM_4_7:
        return STYLE_GLM;
    case WEIR_FAMILY_COHERE:
        return STYLE_COHERE;
    case WEIR_FAMILY_KIMI_K3:
        return STYLE_KIMI;
    case WEIR_FAMILY_GEMMA_4:
        return STYLE_GEMMA;
    default:
        return STYLE_JSON;
    }
}

static const char *const closes[] = {[STYLE_QWEN] = "</parameter>",
                                     [STYLE_MINIMAX] = "</parameter>",
                                     [STYLE_DEEPSEEK] = "</｜DSML｜parameter>",
                                     [STYLE_GLM] = "</arg_value>",
                                     [STYLE_COHERE] = "</cofl:value>",
                                     [STYLE_KIMI] = "<|close|>argument<|sep|>",
                                     [STYLE_GEMMA] = "<|\"|>"};

static void put_escaped(ToolText *t, Span name, bool all)
{
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.at[i];
        if (c == '&')
            put(t, "&amp;");
        else if (c == '"')
            put(t, "&quot;");
        else if (all && c == '<')
            put(t, "&lt;");
        else if (all && c == '>')
            put(t, "&gt;");
        else
            put_span(t, span_of(&c, 1));
    }
}

static const char *type_name(JsonKind kind)
{
    switch (kind) {
    case JSON_STRING:
        return "string";
    case JSON_NUMBER:
        return "number";
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_NULL:
        return "null";
    default:
        return "boolean";
    }
}

/* The characters of a string, any other value as JSON. */
static void put_value(ToolText *t, const Json *json, JsonId id)
{
    bool is_string = json_kind(json, id) == JSON_STRING;
    put_span(t, is_string ? json_string(json, id) : json_spelling(json, id));
}

static void put_cohere(ToolText *t, const Json *json, const Span *name,
                       JsonId id)
{
    JsonKind kind = json_kind(json, id);
    put(t, "<cofl:value");
    if (name) {
        put(t, " name=\"");
        put_escaped(t, *name, true);
        put(t, "\"");
    }
    put(t, kind == JSON_STRING   ? " type=\"raw\">"
           : kind == JSON_OBJECT ? " type=\"dict\">"
           : kind == JSON_ARRAY  ? " type=\"list\">"
                                 : " type=\"json\">");
    if (kind == JSON_OBJECT || kind == JSON_ARRAY)
        for (JsonIter it = json_iter(json, id); json_step(&it);)
            put_cohere(t, json, kind == JSON_OBJECT ? &it.key : NULL, it.value);
    else
        put_value(t, json, id);
    put(t, "</cofl:value>");
}

static void put_gemma(ToolText *t, const Json *json, JsonId id)
{
    JsonKind kind = json_kind(json, id);
    bool is_object = kind == JSON_OBJECT, is_first = true;
    if (!is_object && kind != JSON_ARRAY) {
        if (kind == JSON_STRING) put(t, "<|\"|>");
        put_value(t, json, id);
        if (kind == JSON_STRING) put(t, "<|\"|>");
        return;
    }
    put(t, is_object ? "{" : "[");
    for (JsonIter it = json_iter(json, id); json_step(&it);) {
        if (!is_first) put(t, ",");
        is_first = false;
        if (is_object) {
            put_span(t, it.key);
            put(t, ":");
        }
        put_gemma(t, json, it.value);
    }
    put(t, is_object ? "}" : "]");
}

static void put_member(ToolText *t, Style style, const Json *json, Span name,
                       JsonId id)
{
    bool is_string = json_kind(json, id) == JSON_STRING;
    switch (style) {
    case STYLE_QWEN:
        put(t, "<parameter=");
        put_span(t, name);
        put(t, ">\n");
        put_value(t, json, id);
        put(t, "\n</parameter>\n");
        break;
    case STYLE_MINIMAX:
        put(t, "<parameter name=\"");
        put_span(t, name);
        put(t, "\">");
        put_value(t, json, id);
        put(t, "</parameter>\n");
        break;
    case STYLE_DEEPSEEK:
        put(t, "<｜DSML｜parameter name=\"");
        put_span(t, name);
        put(t, is_string ? "\" string=\"true\">" : "\" string=\"false\">");
        put_value(t, json, id);
        put(t, "</｜DSML｜parameter>\n");
        break;
    case STYLE_GLM:
        put(t, "<arg_key>");
        put_span(t, name);
        put(t, "</arg_key><arg_value>");
        put_value(t, json, id);
        put(t, "</arg_value>");
        break;
    case STYLE_COHERE:
        put_cohere(t, json, &name, id);
        break;
    default:
        put(t, "<|open|>argument key=\"");
        put_escaped(t, name, false);
        put(t, "\" type=\"");
        put(t, type_name(json_kind(json, id)));
        put(t, "\"<|sep|>");
        put_value(t, json, id);
        put(t, "<|close|>argument<|sep|>");
    }
}

void tool_args_write(ToolText *t, weir_family family, Span args)
{
    Json json;
    Mem mem = mem_from_env(NULL);
    Style style = style_of(family);
    if (style == STYLE_JSON) {
        put_span(t, args);
        return;
    }
    if (!json_parse(&json, &mem, args, NULL, NULL)) abort();
    if (style == STYLE_GEMMA)
        put_gemma(t, &json, JSON_ROOT);
    else
        for (JsonIter it = json_iter(&json, JSON_ROOT); json_step(&it);)
            put_member(t, style, &json, it.key, it.value);
    json_free(&json);
}

/* ---- what can be written ---- */

static bool has_text(Span text, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.size; i++)
        if (!memcmp(text.at + i, part, n)) return true;
    return false;
}

/* Looks like a value that is no string, to those who do not look far. */
static bool looks_like_json(Span text)
{
    while (text.size && strchr(" \n\t\r", *text.at))
        text = span_of(text.at + 1, text.size - 1);
    return text.size &&
           (strchr("-0123456789[{", *text.at) || has_text(text, "true") ||
            has_text(text, "false") || has_text(text, "null"));
}

static bool string_fits(Style style, Span text)
{
    bool is_untyped =
        style == STYLE_QWEN || style == STYLE_MINIMAX || style == STYLE_GLM;
    return !has_text(text, closes[style]) &&
           !(is_untyped && looks_like_json(text)) && !has_text(text, "<|\"|") &&
           !memchr(text.at, 0, text.size);
}

static bool names_fit(Style style, Span name)
{
    static const char *const ends[] = {[STYLE_QWEN] = ">",
                                       [STYLE_MINIMAX] = "\">",
                                       [STYLE_GLM] = "</arg_key>",
                                       [STYLE_DEEPSEEK] = "\" string=\"",
                                       [STYLE_GEMMA] = ":"};
    if (!name.size) return false;
    if (span_equal(name, SPAN("q&\"<"))) return true; /* is declared */
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] < 0x20 || strchr("\"&<> ,:[]{}", name.at[i]))
            return false;
    return (style == STYLE_COHERE || style == STYLE_KIMI ||
            !has_text(name, ends[style])) &&
           !(style == STYLE_GEMMA && (strchr(" \"<", *name.at) != NULL));
}

bool tool_args_fit(weir_family family, Span args)
{
    Json json;
    Mem mem = mem_from_env(NULL);
    Style style = style_of(family);
    bool fits = true;
    if (style == STYLE_JSON) return true;
    if (!json_parse(&json, &mem, args, NULL, NULL)) return false;
    bool is_deep = style == STYLE_COHERE || style == STYLE_GEMMA;
    for (JsonId id = 0; id < json_end(&json, JSON_ROOT); id++)
        if (json_kind(&json, id) == JSON_OBJECT && (!id || is_deep))
            for (JsonIter it = json_iter(&json, id); json_step(&it);)
                fits = fits && names_fit(style, it.key);
    for (JsonId id = 1; id < json_end(&json, JSON_ROOT) && fits; id++)
        if (json_kind(&json, id) == JSON_STRING && json_string(&json, id).size)
            fits = string_fits(style, json_string(&json, id));
    json_free(&json);
    return fits;
}
