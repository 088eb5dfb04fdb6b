/* tool_tag.c: calls in the text of an answer, and reasoning in front of it: the
 * structural tag that says so, for the family of models that the server has
 * told.
 *
 *     tools, their choice    ─┐
 *     what the text obeys    ─┼► weir_tool_tag ─► c->info's kind and source
 *     where reasoning begins ─┘
 *
 * What was asked for stays in c->asked: for messages, and for degrading.
 * Tests: unit/request_tag_test.c.
 */
#include "calls/tag_write.h"
#include "request/request.h"

static void put_string(Out *out, weir_bytes text)
{
    json_write_string(out, span_of(text.data, text.size));
}

static void put(Out *out, weir_bytes text)
{
    out_bytes(out, span_of(text.data, text.size));
}

/* ---- what the text obeys, as a node ---- */

static void write_choices(Out *out, const weir_constraint_info *info)
{
    out_text(out, "{\"type\":\"or\",\"elements\":[");
    for (size_t i = 0; i < info->choice_count; i++) {
        out_text(out, i ? ",{\"type\":\"const_string\",\"value\":"
                        : "{\"type\":\"const_string\",\"value\":");
        put_string(out, info->choices[i]);
        out_text(out, "}");
    }
    out_text(out, "]}");
}

/* False: no node says it. `pattern`: of a regular expression. */
static bool write_node(Out *out, const weir_constraint_info *info,
                       weir_bytes pattern)
{
    switch (info->kind) {
    case WEIR_JSON_VALUE:
        out_text(out, "{\"type\":\"json_schema\",\"json_schema\":true}");
        return true;
    case WEIR_JSON_OBJECT:
        out_text(out, "{\"type\":\"json_schema\",\"json_schema\":{\"type\":"
                      "\"object\",\"additionalProperties\":true}}");
        return true;
    case WEIR_JSON_SCHEMA:
        out_text(out, "{\"type\":\"json_schema\",\"json_schema\":");
        put(out, info->source);
        break;
    case WEIR_REGEX:
        out_text(out, "{\"type\":\"regex\",\"pattern\":");
        put_string(out, pattern);
        break;
    case WEIR_EBNF:
        out_text(out, "{\"type\":\"grammar\",\"grammar\":");
        put_string(out, info->source);
        break;
    case WEIR_CHOICE:
        write_choices(out, info);
        return true;
    default:
        return false;
    }
    out_text(out, "}");
    return true;
}

/* In a tag '.' is any character, in a pattern alone it is not. */
static bool keep_pattern(Resolver *r, weir_bytes *pattern)
{
    static const char begin[] = "(?-s:", end[] = ")";
    weir_bytes source = r->c->info.source;
    size_t size = source.size + sizeof begin + sizeof end - 2;
    char *text = arena_alloc(&r->c->arena, size);
    if (!text) return refuse_memory(r->refusal);
    Out out = {text, size, 0};
    out_text(&out, begin);
    put(&out, source);
    out_text(&out, end);
    *pattern = (weir_bytes){text, size};
    return true;
}

/* The node, in the arena; empty when any text will do. */
static bool keep_node(Resolver *r, weir_bytes *node)
{
    const weir_constraint_info *info = &r->c->info;
    weir_bytes pattern = {NULL, 0};
    Out out = {NULL, 0, 0};
    *node = (weir_bytes){NULL, 0};
    if (!info->kind) return true;
    if (info->kind == WEIR_REGEX && !keep_pattern(r, &pattern)) return false;
    if (!write_node(&out, info, pattern))
        return refuse(r, JSON_NONE, info->from, "not_supported",
                      "found a GBNF or Lark grammar or a structural tag, "
                      "expected JSON, a regular expression, a choice or EBNF: "
                      "calls or reasoning may come before it");
    char *text = arena_alloc(&r->c->arena, out.size);
    if (!text) return refuse_memory(r->refusal);
    out = (Out){text, out.size, 0};
    write_node(&out, info, pattern);
    *node = (weir_bytes){text, out.size};
    return true;
}

/* ---- the tag ---- */

/* What the family cannot say of these tools. */
static bool refuse_tag(Resolver *r, const weir_error *err)
{
    if (err->status == WEIR_NO_MEMORY) return refuse_memory(r->refusal);
    const char *code = err->status == WEIR_UNSUPPORTED ? "not_supported"
                       : err->status == WEIR_ARGUMENT
                           ? "invalid_value"
                           : "invalid_function_parameters";
    refuse(r, JSON_NONE, "/tools", code, "%s", err->message);
    r->refusal->status = err->status;
    return false;
}

static bool keep_tag(Resolver *r, TagWriter *w)
{
    weir_constraint *c = r->c;
    weir_error err = {.status = WEIR_OK};
    Out out = {NULL, 0, 0};
    w->out = &out;
    if (!tag_check(w, &c->mem, &err)) return refuse_tag(r, &err);
    tag_write(w);
    char *text = arena_alloc(&c->arena, out.size);
    if (!text) return refuse_memory(r->refusal);
    out = (Out){text, out.size, 0};
    tag_write(w);
    c->asked = c->info;
    c->is_made = true;
    c->source_at = UINT32_MAX;
    c->info.kind = WEIR_STRUCTURAL_TAG;
    c->info.source = (weir_bytes){text, out.size};
    c->info.choice_count = 0;
    if (w->opts->calls != WEIR_CALLS_NONE) c->info.from = "/tools";
    return true;
}

static bool has_calls(const weir_constraint_info *info)
{
    return info->tool_mode == WEIR_TOOLS_AUTO ||
           info->tool_mode == WEIR_TOOLS_REQUIRED;
}

/* Whether a text that obeys a format stands in anything. */
static bool is_wrapped(const Resolver *r, const Family *family)
{
    return r->c->info.kind &&
           (family->text || r->opts->reasoning != WEIR_REASONING_NONE);
}

bool request_tag(Resolver *r)
{
    const weir_constraint_info *info = &r->c->info;
    const Family *family = family_at(r->opts->family);
    bool calls = has_calls(info);
    if (!family || (!calls && !is_wrapped(r, family))) return true;
    weir_tool_opts opts = {.size = sizeof opts,
                           .single = !info->parallel,
                           .reasoning = r->opts->reasoning,
                           .reasoning_tokens = r->opts->reasoning_tokens};
    if (info->tool_mode == WEIR_TOOLS_REQUIRED)
        opts.calls = WEIR_CALLS_REQUIRED;
    else if (!calls)
        opts.calls = WEIR_CALLS_NONE;
    if (!keep_node(r, &opts.answer)) return false;
    TagWriter w = {.family = family,
                   .family_name = weir_family_name(r->opts->family),
                   .tools = info->tools,
                   .count = calls ? info->tool_count : 0,
                   .opts = &opts};
    return keep_tag(r, &w);
}
