/* constraint_compile.c: a constraint's grammar, or what to answer.
 *
 * Errors of the compiler are about the source; here they become errors about
 * the request: pointer, byte range and param are those of the field, the
 * message says what was read as what.
 * Tests: unit/request_test.c, unit/cases_request_test.c.
 */
#include "text/grammar_heads.h"
#include "request/request.h"
#include "request/source_place.h"

#include <stdio.h>
#include <stdlib.h>

/* What a source is called, and the code of an error in it. */
typedef struct Words {
    const char *name, *code;
} Words;

static Words words_of(weir_source_kind kind)
{
    switch (kind) {
    case WEIR_JSON_VALUE:
    case WEIR_JSON_OBJECT:
    case WEIR_JSON_SCHEMA:
        return (Words){"JSON Schema", "invalid_json_schema"};
    case WEIR_REGEX:
        return (Words){"regular expression", "invalid_regex"};
    case WEIR_EBNF:
        return (Words){"EBNF grammar", "invalid_grammar"};
    case WEIR_GBNF:
        return (Words){"GBNF grammar", "invalid_grammar"};
    case WEIR_LARK:
        return (Words){"Lark grammar", "invalid_grammar"};
    case WEIR_CHOICE:
        return (Words){"choice", "invalid_choice"};
    case WEIR_STRUCTURAL_TAG:
        break;
    }
    return (Words){"structural tag", "invalid_structural_tag"};
}

/* ---- errors ---- */

static int hex_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The pointer of a fragment: without the %XX that URIs want. */
static void append_fragment(Out *out, const char *fragment)
{
    for (const char *p = fragment; *p; p++) {
        int high = *p == '%' ? hex_of(p[1]) : -1;
        int low = high >= 0 ? hex_of(p[2]) : -1;
        uint8_t byte = (uint8_t)(low >= 0 ? high << 4 | low : *p);
        out_bytes(out, span_of(&byte, 1));
        if (low >= 0) p += 2;
    }
}

/* Sources that are JSON: the compiler's errors have pointers in them. */
static bool has_pointers(weir_source_kind kind)
{
    return kind == WEIR_JSON_SCHEMA || kind == WEIR_STRUCTURAL_TAG;
}

/* Whether an error is in the list of calls, which no field spells. */
static bool is_in_list(const weir_constraint *c, const char *pointer)
{
    return c->info.tool_mode == WEIR_TOOLS_LIST &&
           (!*pointer || *pointer == '#');
}

/* Where the source of an error stands: of several documents, the tool's. */
static const char *base_of(const weir_constraint *c, const char *pointer)
{
    static const char document[] = "urn:tool:";
    if (strncmp(pointer, document, sizeof document - 1)) return c->info.from;
    unsigned long i = strtoul(pointer + sizeof document - 1, NULL, 10);
    return i < c->info.tool_count ? c->info.tools[i].from : c->info.from;
}

/* The pointer within a schema or a tag: the compiler's, or the one that the byte range
 * tells when that leads further down: to a keyword, say. */
static void put_inner(const weir_constraint *c, const weir_error *e, Out *out)
{
    enum { ROOM = sizeof((weir_refusal *)0)->pointer };
    char found[ROOM], exact[ROOM];
    Out a = {found, ROOM - 1, 0}, b = {exact, ROOM - 1, 0};
    const char *fragment = strchr(e->pointer, '#');
    if (fragment) append_fragment(&a, fragment + 1);
    if (e->begin < e->end)
        source_pointer(&c->mem,
                       span_of(c->info.source.data, c->info.source.size),
                       e->begin, &b);
    Span first = span_of(found, MIN(a.size, a.cap));
    Span second = span_of(exact, MIN(b.size, b.cap));
    bool is_further =
        span_starts(second, first) &&
        (second.size == first.size || second.at[first.size] == '/');
    out_bytes(out, is_further ? second : first);
}

static void put_pointer(const weir_constraint *c, const weir_error *e,
                        weir_refusal *f)
{
    Out out = {f->pointer, sizeof f->pointer - 1, 0};
    const char *base = base_of(c, e->pointer);
    out_text(&out, base);
    if (has_pointers(c->info.kind) && !c->is_made && !is_in_list(c, e->pointer))
        put_inner(c, e, &out);
    f->pointer[MIN(out.size, out.cap)] = 0;
    if (c->error_param)
        snprintf(f->param, sizeof f->param, "%s", c->error_param);
    else
        pointer_dotted(base, f->param, sizeof f->param);
}

static void put_place(const weir_constraint *c, const weir_error *e, Out *out)
{
    weir_bytes source = c->info.source;
    uint32_t line, column;
    if (c->info.kind == WEIR_CHOICE || !source.size) return;
    weir_line_column(source, e->begin, &line, &column);
    out_format(out, ", at line %u, column %u", line, column);
}

static void put_message(const weir_constraint *c, const weir_error *e,
                        weir_refusal *f)
{
    Out out = {f->message, sizeof f->message - 1, 0};
    bool is_schema = c->info.kind == WEIR_JSON_SCHEMA;
    out_text(&out, f->param);
    out_text(&out, e->status == WEIR_UNSUPPORTED ? ": " : ": invalid ");
    out_text(&out, words_of(c->info.kind).name);
    if (is_schema && c->info.name.size) {
        Quoted name = quoted(span_of(c->info.name.data, c->info.name.size));
        out_format(&out, " %s", name.text);
    }
    out_text(&out, ": ");
    out_text(&out, e->message);
    if (has_pointers(c->info.kind)) {
        out_text(&out, ", at ");
        out_text(&out, f->pointer);
    } else {
        put_place(c, e, &out);
    }
    f->message[MIN(out.size, out.cap)] = 0;
}

/* Whether it is the pattern for blanks that is wrong, not the source. */
static bool is_space_error(const weir_constraint *c)
{
    if (!c->space_from) return false;
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_JSON_VALUE, (weir_bytes){NULL, 0}, &c->opts, NULL);
    weir_grammar_free(g);
    return !g;
}

static void refuse_space(const weir_constraint *c, const weir_error *e,
                         weir_refusal *f)
{
    refusal_set(f, e->status, 400, "invalid_regex");
    snprintf(f->pointer, sizeof f->pointer, "%s", c->space_from);
    pointer_dotted(c->space_from, f->param, sizeof f->param);
    snprintf(f->message, sizeof f->message,
             "%s: invalid regular expression: %s", f->param, e->message);
}

static void refuse_error(const weir_constraint *c, const weir_error *e,
                         weir_refusal *f)
{
    refusal_begin(f, c->profile_id, c->endpoint);
    if (e->status == WEIR_NO_MEMORY) {
        refuse_memory(f);
        return;
    }
    if (is_space_error(c)) {
        refuse_space(c, e, f);
        return;
    }
    bool is_tool = !strncmp(base_of(c, e->pointer), "/tools", 6);
    const char *code = words_of(c->info.kind).code;
    if (is_tool) code = "invalid_function_parameters";
    if (e->status == WEIR_UNSUPPORTED) code = "not_supported";
    refusal_set(f, e->status, 400, code);
    put_pointer(c, e, f);
    put_message(c, e, f);
    if (c->source_at == UINT32_MAX) return;
    f->begin = c->source_at + e->begin;
    f->end = c->source_at + e->end;
}

/* ---- sources ---- */

/* In GBNF the last definition of a rule holds; where that is more likely a
 * mistake it is one. */
static bool check_twice(const weir_constraint *c, weir_error *err)
{
    TwiceFound found;
    Span text = span_of(c->info.source.data, c->info.source.size);
    if (c->info.kind != WEIR_GBNF || !c->profile->refuses_twice) return true;
    int result = grammar_defines_twice(&c->mem, text, &found);
    if (!result) return true;
    err->status = result < 0 ? WEIR_NO_MEMORY : WEIR_SYNTAX;
    if (result < 0) return false;
    err->begin = (uint32_t)found.begin;
    err->end = (uint32_t)(found.begin + found.name.size);
    snprintf(err->message, sizeof err->message, "rule %s is defined twice",
             quoted(found.name).text);
    return false;
}

static weir_grammar *compile_source(const weir_constraint *c, weir_vocab *vocab,
                                    weir_error *err)
{
    const weir_constraint_info *info = &c->info;
    memset(err, 0, sizeof *err);
    weir_grammar *g =
        info->kind == WEIR_CHOICE
            ? weir_grammar_choice(vocab, info->choices, info->choice_count,
                                  &c->opts, err)
            : weir_grammar_compile(vocab, info->kind, info->source, &c->opts,
                                   err);
    if (g && !check_twice(c, err)) {
        weir_grammar_free(g);
        return NULL;
    }
    return g;
}

/* ---- of what a tag was made ---- */

/* Whether a part of it is wrong by itself: then the refusal tells that. */
static bool part_is_wrong(const weir_constraint *part, weir_refusal *f)
{
    weir_error err;
    weir_grammar *g = compile_source(part, NULL, &err);
    weir_grammar_free(g);
    if (!g) refuse_error(part, &err, f);
    return !g;
}

/* An error in a tag that was made of tools and a format is told where these
 * stand. */
static void refuse_made(const weir_constraint *c, const weir_error *e,
                        weir_refusal *f)
{
    weir_constraint part = *c;
    part.is_made = false;
    part.info = c->asked;
    if (c->asked.kind && part_is_wrong(&part, f)) return;
    part.error_param = NULL;
    part.info.kind = WEIR_JSON_SCHEMA;
    part.info.name = (weir_bytes){NULL, 0};
    for (size_t i = 0; i < c->info.tool_count; i++) {
        const weir_tool *tool = &c->info.tools[i];
        part.info.source = tool->source;
        part.info.from = tool->from;
        bool has_schema = tool->kind == WEIR_JSON_SCHEMA && !tool->any_input;
        if (has_schema && part_is_wrong(&part, f)) return;
    }
    refuse_error(c, e, f);
}

bool constraint_fail(weir_constraint *c, const weir_error *error,
                     weir_refusal *refusal)
{
    (c->is_made ? refuse_made : refuse_error)(c, error, refusal);
    if (c->failure != WEIR_FAILURE_DEGRADE || error->status == WEIR_NO_MEMORY)
        return false;
    if (!constraint_degrade(c, refusal->message)) {
        refusal_begin(refusal, c->profile_id, c->endpoint);
        return refuse_memory(refusal);
    }
    refusal_begin(refusal, c->profile_id, c->endpoint);
    return true;
}

/* ---- compiling ---- */

/* Calls of tools in the text, which only a structural tag could say. */
static bool has_tags(const weir_constraint_info *info)
{
    return info->tool_mode == WEIR_TOOLS_AUTO ||
           info->tool_mode == WEIR_TOOLS_REQUIRED;
}

static void refuse_tags(const weir_constraint *c, weir_refusal *f)
{
    refusal_begin(f, c->profile_id, c->endpoint);
    refusal_set(f, WEIR_UNSUPPORTED, 400, "not_supported");
    snprintf(f->pointer, sizeof f->pointer, "/tools");
    snprintf(f->param, sizeof f->param, "tools");
    snprintf(f->message, sizeof f->message,
             "tools: found calls to enforce, but no family of models, which "
             "says how they are written");
}

static weir_grammar *fail_tags(weir_constraint *c, weir_refusal *f)
{
    refuse_tags(c, f);
    if (c->failure != WEIR_FAILURE_DEGRADE) return NULL;
    bool done = constraint_degrade(c, f->message);
    refusal_begin(f, c->profile_id, c->endpoint);
    if (!done) refuse_memory(f);
    return NULL;
}

weir_grammar *constraint_compile(weir_constraint *c, weir_vocab *vocab,
                                 weir_refusal *refusal)
{
    weir_error err;
    refusal_begin(refusal, c->profile_id, c->endpoint);
    if (has_tags(&c->info) && !c->is_made) return fail_tags(c, refusal);
    if (!c->info.kind) return NULL;
    weir_grammar *g = compile_source(c, vocab, &err);
    if (!g) constraint_fail(c, &err, refusal);
    return g;
}
