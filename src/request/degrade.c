/* degrade.c: a constraint that is not enforced: what the model is told in its
 * place, and what the client is told in the header Warning.
 *
 * A schema is shown with an indent of two, numbers and order as they were; what
 * lies deep is left in one line, so that the text stays linear in the schema.
 * Tests: unit/request_degrade_test.c.
 */
#include "request/request.h"

#include <stdio.h>

/* ---- a JSON text, indented ---- */

enum { SHOWN_DEPTH = 8 };

typedef struct Show {
    Out *out;
    const Json *json;
} Show;

static void show_line(Show *s, unsigned depth)
{
    out_format(s->out, "\n%*s", (int)(2 * depth), "");
}

/* Recursion ends at SHOWN_DEPTH. */
static void show_value(Show *s, JsonId id, unsigned depth)
{
    JsonKind kind = json_kind(s->json, id);
    bool is_object = kind == JSON_OBJECT, is_first = true;
    if ((kind != JSON_ARRAY && !is_object) || depth >= SHOWN_DEPTH ||
        !json_count(s->json, id)) {
        out_bytes(s->out, json_spelling(s->json, id));
        return;
    }
    out_text(s->out, is_object ? "{" : "[");
    for (JsonIter it = json_iter(s->json, id); json_step(&it);) {
        if (!is_first) out_text(s->out, ",");
        is_first = false;
        show_line(s, depth + 1);
        if (is_object) {
            out_bytes(s->out, json_spelling(s->json, it.key_id));
            out_text(s->out, ": ");
        }
        show_value(s, it.value, depth + 1);
    }
    show_line(s, depth);
    out_text(s->out, is_object ? "}" : "]");
}

static void show_json(Out *out, const Mem *mem, weir_bytes text)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    Span span = span_of(text.data, text.size);
    if (!json_parse(&json, mem, span, NULL, &err)) {
        out_bytes(out, span);
        return;
    }
    Show s = {out, &json};
    show_value(&s, JSON_ROOT, 0);
    json_free(&json);
}

/* ---- for the model ---- */

static void put(Out *out, weir_bytes text)
{
    out_bytes(out, span_of(text.data, text.size));
}

static void write_schema(Out *out, const weir_constraint *c)
{
    const weir_constraint_info *info = &c->info;
    out_text(out, "Answer with JSON that is valid against the schema '");
    put(out, info->name);
    out_text(out, "'.");
    if (info->description.size) out_text(out, " ");
    put(out, info->description);
    out_text(out, "\n\nJSON Schema:\n```json\n");
    show_json(out, &c->mem, info->source);
    out_text(out, "\n```\n\nWrite the JSON value alone, no other text and no "
                  "explanation.");
}

static void write_source(Out *out, const char *what, weir_bytes source)
{
    out_format(out, "Answer with text that matches this %s alone:\n\n", what);
    put(out, source);
}

static void write_choices(Out *out, const weir_constraint_info *info)
{
    out_text(out, "Answer with exactly one of these texts:\n");
    for (size_t i = 0; i < info->choice_count; i++) {
        out_text(out, "\n");
        put(out, info->choices[i]);
    }
}

static void write_message(Out *out, const weir_constraint *c)
{
    const weir_constraint_info *info = &c->info;
    switch (info->kind) {
    case WEIR_JSON_SCHEMA:
        write_schema(out, c);
        return;
    case WEIR_JSON_VALUE:
    case WEIR_JSON_OBJECT:
        out_text(out, "Answer with valid JSON alone, no other text and no "
                      "explanation.");
        return;
    case WEIR_REGEX:
        write_source(out, "regular expression", info->source);
        return;
    case WEIR_EBNF:
    case WEIR_GBNF:
    case WEIR_LARK:
        write_source(out, "grammar", info->source);
        return;
    case WEIR_CHOICE:
        write_choices(out, info);
        return;
    case WEIR_STRUCTURAL_TAG:
        break;
    }
    out_text(out, "Keep exactly to the output format that was asked for.");
}

/* Endpoints whose prompt is made of messages; else there is no place. */
static bool has_messages(weir_endpoint endpoint)
{
    return endpoint != WEIR_ENDPOINT_COMPLETIONS &&
           endpoint != WEIR_ENDPOINT_COMPLETION &&
           endpoint != WEIR_ENDPOINT_GENERATE;
}

static bool keep_message(weir_constraint *c)
{
    Out measured = {NULL, 0, 0};
    if (!has_messages(c->endpoint)) return true;
    write_message(&measured, c);
    char *text = arena_alloc(&c->arena, measured.size);
    if (!text) return false;
    Out out = {text, measured.size, 0};
    write_message(&out, c);
    /* a schema may have been too large to parse the second time */
    c->info.system_message = (weir_bytes){text, MIN(out.size, out.cap)};
    return true;
}

/* ---- for the client ---- */

/* RFC 9110's quoted-string, ASCII, in one line. */
static void write_quotable(Out *out, const char *text)
{
    for (; *text; text++) {
        bool is_plain = *text >= ' ' && *text < 0x7F;
        if (*text == '"' || *text == '\\') out_text(out, "\\");
        out_bytes(out, is_plain ? span_of(text, 1) : SPAN("?"));
    }
}

static void write_warning(Out *out, const weir_constraint_info *info,
                          const char *reason)
{
    out_text(out, "199 weir \"output format not enforced");
    if (info->strict) out_text(out, " although strict");
    out_text(out, ", the answer is best effort: ");
    write_quotable(out, reason);
    out_text(out, "\"");
}

static bool keep_warning(weir_constraint *c, const char *reason)
{
    Out measured = {NULL, 0, 0};
    write_warning(&measured, &c->info, reason);
    char *text = arena_alloc(&c->arena, measured.size);
    if (!text) return false;
    Out out = {text, measured.size, 0};
    write_warning(&out, &c->info, reason);
    c->info.warning = (weir_bytes){text, out.size};
    return true;
}

bool constraint_degrade(weir_constraint *c, const char *reason)
{
    weir_constraint_info *info = &c->info;
    if (c->is_made) {
        info->kind = c->asked.kind;
        info->source = c->asked.source;
        info->choice_count = c->asked.choice_count;
        info->from = c->asked.from;
        info->prefill = (weir_bytes){NULL, 0};
        c->is_made = false;
    }
    if (!keep_message(c) || !keep_warning(c, reason)) return false;
    info->degraded = true;
    info->kind = 0;
    info->source = (weir_bytes){NULL, 0};
    info->choice_count = 0;
    info->jump_forward = false;
    info->batched = true;
    if (info->tool_mode > WEIR_TOOLS_FREE) info->tool_mode = WEIR_TOOLS_FREE;
    return true;
}
