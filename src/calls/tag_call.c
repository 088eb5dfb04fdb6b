/* tag_call.c: a call's template → a tag node.
 *
 *     begin    the template up to the first part that is not known beforehand
 *     content  that part: the arguments, or a sequence of a pattern for each
 *              number or id, the text between, and the arguments
 *     end      the template after the arguments
 */
#include "calls/tag_write.h"

#include "calls/arg_style.h"

void tag_write_piece(Out *out, Span text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.at[i];
        if (c == '\n')
            out_text(out, "\\n");
        else if (c == '"' || c == '\\')
            out_format(out, "\\%c", c);
        else
            out_bytes(out, span_of(&c, 1));
    }
}

void tag_write_string(Out *out, const char *text)
{
    out_text(out, "\"");
    tag_write_piece(out, span_text(text));
    out_text(out, "\"");
}

/* ---- arguments ---- */

static void write_args(TagWriter *w, const weir_tool *tool)
{
    Out *out = w->out;
    bool has_schema = tool->kind == WEIR_JSON_SCHEMA && !tool->any_input;
    out_text(out, "{\"type\":\"json_schema\",\"json_schema\":");
    if (has_schema)
        out_bytes(out, span_of(tool->source.data, tool->source.size));
    else
        out_text(out, "{\"type\":\"object\",\"additionalProperties\":true}");
    if (strcmp(w->family->style, "json") != 0)
        out_format(out, ",\"style\":\"%s\"", w->family->style);
    if (w->opts->any_order) out_text(out, ",\"any_order\":true");
    out_text(out, "}");
}

/* ---- templates ---- */

static bool is_open(PartKind kind)
{
    return kind == PART_NUMBER || kind == PART_ID;
}

static Span name_of(const weir_tool *tool)
{
    return span_of(tool->name.data, tool->name.size);
}

/* Writes text and names, of which the strings of the node are made, up to the
 * first part of another kind, which is returned. */
static Part write_known(TagWriter *w, const char **at, const weir_tool *tool)
{
    for (;;) {
        Part part = template_next(at);
        if (part.kind == PART_TEXT)
            tag_write_piece(w->out, part.text);
        else if (part.kind == PART_NAME)
            tag_write_piece(w->out, name_of(tool));
        else if (part.kind != PART_ID_BEGIN && part.kind != PART_ID_END)
            return part;
    }
}

/* An object begins and ends with text that is known, too. */
static Part write_begin(TagWriter *w, const char **at, const weir_tool *tool)
{
    Part part = write_known(w, at, tool);
    if (part.kind != PART_OBJECT) return part;
    tag_write_piece(w->out, SPAN("{\"name\": \""));
    tag_write_piece(w->out, name_of(tool));
    tag_write_piece(w->out, SPAN("\", \"arguments\": "));
    return part;
}

/* The parts between begin and arguments. */
static void write_open(TagWriter *w, const char **at, const weir_tool *tool,
                       Part part)
{
    Out *out = w->out;
    out_text(out, "{\"type\":\"sequence\",\"elements\":[");
    while (is_open(part.kind)) {
        out_text(out, "{\"type\":\"regex\",\"pattern\":\"");
        out_text(out, part.kind == PART_NUMBER ? "0|[1-9][0-9]{0,3}"
                                               : "[a-zA-Z0-9]{9}");
        out_text(out, "\"},{\"type\":\"const_string\",\"value\":\"");
        part = write_known(w, at, tool);
        out_text(out, "\"},");
    }
    write_args(w, tool);
    out_text(out, "]}");
}

/* What ends a call. Members are followed by blanks, or there are none: so a
 * line end in front may be missing. */
static void write_end(TagWriter *w, const char *at, const weir_tool *tool,
                      bool is_object)
{
    Out *out = w->out;
    const ArgStyle *style = arg_style_find(span_text(w->family->style));
    bool has_members = style && !style->is_braced;
    bool may_lack = has_members && *at == '\n';
    out_text(out, may_lack ? ",\"end\":[\"" : ",\"end\":\"");
    if (is_object) out_text(out, "}");
    const char *rest = at + 1;
    write_known(w, &at, tool);
    if (may_lack) {
        out_text(out, "\",\"");
        write_known(w, &rest, tool);
    }
    out_text(out, may_lack ? "\"]}" : "\"}");
}

static void write_call(TagWriter *w, const char *at, const weir_tool *tool)
{
    Out *out = w->out;
    out_text(out, "{\"type\":\"tag\",\"begin\":\"");
    Part part = write_begin(w, &at, tool);
    out_text(out, "\",\"content\":");
    if (is_open(part.kind))
        write_open(w, &at, tool, part);
    else
        write_args(w, tool);
    write_end(w, at, tool, part.kind == PART_OBJECT);
}

void tag_write_calls(TagWriter *w)
{
    bool is_first = true;
    for (size_t i = 0; i < w->count; i++)
        for (uint32_t k = 0; k < w->family->written; k++) {
            if (!is_first) out_text(w->out, ",");
            is_first = false;
            write_call(w, w->family->calls[k], &w->tools[i]);
        }
}
