/* resolve.c: from the text of a request to its constraint.
 *
 * In:    the request, endpoint and profile.   Out: a constraint, or a refusal.
 * Method: the fields that the endpoint has are read in the order of one table;
 *        each may ask for a constraint; one ask is chosen, copied, and tools
 *        are put beside it.
 * Cost:  linear in the request. What is kept is the source, not the request.
 * Tests: unit/request_test.c, unit/request_rows_test.c, fuzz/request_fuzz.c.
 */
#include "request/request.h"

#include <stdio.h>

/* ---- the table of fields ---- */

typedef struct FieldRow {
    const char *name, *pointer;
    unsigned endpoints;
    bool is_common; /* other endpoints may mean something else by it */
} FieldRow;
static const FieldRow fields[FIELD_COUNT] = {
    [FIELD_GUIDED_GRAMMAR] = {"guided_grammar", "/guided_grammar", ON_V1, 0},
    [FIELD_RESPONSE_FORMAT] = {"response_format", "/response_format", ON_V1, 0},
    [FIELD_TEXT] = {"text", "/text/format", ON_RESPONSES, true},
    [FIELD_FORMAT] = {"format", "/format", ON_OLLAMA, 0},
    [FIELD_STRUCTURED_OUTPUTS] = {"structured_outputs", "/structured_outputs",
                                  ON_V1, 0},
    [FIELD_GUIDED_REGEX] = {"guided_regex", "/guided_regex", ON_V1, 0},
    [FIELD_GUIDED_CHOICE] = {"guided_choice", "/guided_choice", ON_V1, 0},
    [FIELD_GUIDED_JSON] = {"guided_json", "/guided_json", ON_V1, 0},
    [FIELD_GRAMMAR] = {"grammar", "/grammar", ON_LLAMA | ON_OLLAMA, 0},
    [FIELD_JSON_SCHEMA] = {"json_schema", "/json_schema", ON_LLAMA, 0},
    [FIELD_REGEX] = {"regex", "/regex", ON_V1, 0},
    [FIELD_EBNF] = {"ebnf", "/ebnf", ON_V1, 0},
    [FIELD_SAMPLING_PARAMS] = {"sampling_params", "/sampling_params",
                               ON_GENERATE, true},
};

static bool ask_text(Resolver *r, JsonId text)
{
    JsonId format = json_get(&r->json, text, "format");
    if (json_kind(&r->json, text) != JSON_OBJECT)
        return refuse_kind(r, text, "/text", "an object");
    return json_absent(&r->json, format) ||
           ask_response_format(r, FIELD_TEXT, format, "/text/format");
}

static bool ask_field(Resolver *r, Field field, JsonId at)
{
    const char *pointer = fields[field].pointer;
    switch (field) {
    case FIELD_GUIDED_GRAMMAR:
    case FIELD_EBNF:
        return ask_grammar(r, field, WEIR_EBNF, at, pointer);
    case FIELD_RESPONSE_FORMAT:
        return ask_response_format(r, field, at, pointer);
    case FIELD_TEXT:
        return ask_text(r, at);
    case FIELD_FORMAT:
        return ask_ollama_format(r, at);
    case FIELD_STRUCTURED_OUTPUTS:
        return ask_structured_outputs(r, at);
    case FIELD_GUIDED_REGEX:
    case FIELD_REGEX:
        return ask_pattern(r, field, WEIR_REGEX, at, pointer);
    case FIELD_GUIDED_CHOICE:
        return ask_choice(r, field, at, pointer);
    case FIELD_GUIDED_JSON:
    case FIELD_JSON_SCHEMA:
        return ask_schema(r, field, at, pointer);
    case FIELD_GRAMMAR:
        return ask_grammar(r, field, WEIR_GBNF, at, pointer);
    case FIELD_SAMPLING_PARAMS:
        return ask_sampling_params(r, at);
    case FIELD_COUNT:
        break;
    }
    return true;
}

static bool misplaced(Resolver *r, Field field, JsonId at)
{
    if (r->profile->ignores_misplaced || fields[field].is_common) return true;
    return refuse(r, at, fields[field].pointer, "unknown_parameter",
                  "found on the endpoint %s, which does not have it",
                  weir_endpoint_name(r->endpoint));
}

static bool read_fields(Resolver *r)
{
    for (Field field = 0; field < FIELD_COUNT; field++) {
        const FieldRow *row = &fields[field];
        JsonId at = json_get(&r->json, JSON_ROOT, row->name);
        JsonKind kind = json_kind(&r->json, at);
        /* llama-server takes its null for a schema, and finds it wrong */
        bool is_null = kind == JSON_NULL && field == FIELD_JSON_SCHEMA &&
                       r->profile->odd == ODD_NONE;
        if (kind <= JSON_NULL && !is_null) continue;
        bool is_here = row->endpoints & 1u << r->endpoint;
        if (!(is_here ? ask_field(r, field, at) : misplaced(r, field, at)))
            return false;
    }
    return true;
}

/* ---- what goes with any constraint ---- */

static bool read_space_pattern(Resolver *r)
{
    Span pattern;
    if (!(ON_V1 & 1u << r->endpoint)) return true;
    if (!read_text(r, JSON_ROOT, "", "guided_whitespace_pattern", &pattern))
        return false;
    for (unsigned i = 0; i < r->count && pattern.size; i++) {
        r->asks[i].space_pattern = pattern;
        r->asks[i].space_from = "/guided_whitespace_pattern";
    }
    return true;
}

static bool refuse_lazy(Resolver *r)
{
    bool is_lazy = false;
    JsonId at = json_get(&r->json, JSON_ROOT, "grammar_lazy");
    if (!(ON_LLAMA & 1u << r->endpoint)) return true;
    if (!read_flag(r, JSON_ROOT, "", "grammar_lazy", &is_lazy)) return false;
    return !is_lazy || refuse(r, at, "/grammar_lazy", "not_supported",
                              "found true; grammars that begin at a trigger "
                              "are not supported");
}

/* ---- the constraint ---- */

bool keep_text(Resolver *r, Span text, weir_bytes *out)
{
    const char *copy = arena_copy(&r->c->arena, text.at, text.size);
    *out = (weir_bytes){copy, text.size};
    return copy || refuse_memory(r->refusal);
}

const char *keep_pointer(Resolver *r, const char *pointer)
{
    const char *copy = arena_copy(&r->c->arena, pointer, strlen(pointer) + 1);
    if (!copy) refuse_memory(r->refusal);
    return copy;
}

static bool keep_choices(Resolver *r, const Ask *a)
{
    weir_constraint_info *info = &r->c->info;
    size_t n = json_count(&r->json, a->choices), i = 0;
    weir_bytes *list = arena_array(&r->c->arena, weir_bytes, n);
    if (!list) return refuse_memory(r->refusal);
    for (JsonIter it = json_iter(&r->json, a->choices); json_step(&it); i++)
        if (!keep_text(r, json_string(&r->json, it.value), &list[i]))
            return false;
    info->choices = list;
    info->choice_count = n;
    return true;
}

static bool keep_space(Resolver *r, const Ask *a)
{
    weir_space *space = &r->c->opts.space;
    const char *profile = r->profile->space;
    Span pattern = a->space_pattern;
    if (pattern.size) r->c->space_from = a->space_from;
    if (!pattern.size && a->is_fixed) {
        space->kind = WEIR_SPACE_FIXED;
        space->indent = r->profile->indent;
        return true;
    }
    if (!pattern.size && profile) pattern = span_text(profile);
    if (!pattern.size) return true;
    space->kind = WEIR_SPACE_REGEX;
    return keep_text(r, pattern, &space->pattern);
}

/* The offset of a text in the request; UINT32_MAX: it had escapes. */
static uint32_t offset_in(Span request, Span text)
{
    uintptr_t begin = (uintptr_t)request.at, at = (uintptr_t)text.at;
    bool inside = at >= begin && at + text.size <= begin + request.size;
    return inside ? (uint32_t)(at - begin) : UINT32_MAX;
}

static bool is_closed(const Resolver *r, const Ask *a)
{
    return a->is_closed || r->profile->closed == CLOSED_ALWAYS ||
           (r->profile->closed == CLOSED_IF_STRICT && a->strict);
}

/* OpenAI's param when the source itself is wrong. */
static const char *error_param(Field field)
{
    if (field == FIELD_RESPONSE_FORMAT) return "response_format";
    return field == FIELD_TEXT ? "text.format.schema" : NULL;
}

static bool keep_ask(Resolver *r, const Ask *a)
{
    weir_constraint *c = r->c;
    weir_constraint_info *info = &c->info;
    info->kind = a->kind;
    /* {"type":"object"} closed has no members */
    if (a->kind == WEIR_JSON_OBJECT && !a->is_bare && a->strict &&
        r->profile->closed == CLOSED_IF_STRICT)
        info->kind = WEIR_JSON_SCHEMA;
    info->strict = a->strict;
    c->opts.schema.strict = is_closed(r, a);
    c->opts.dialect = r->profile->dialect;
    c->error_param = error_param(a->field);
    c->source_at = offset_in(r->json.text, a->source);
    info->from = keep_pointer(r, a->pointer);
    if (!info->from || !keep_space(r, a) ||
        !keep_text(r, a->name.size ? a->name : SPAN("response"), &info->name) ||
        !keep_text(r, a->description, &info->description))
        return false;
    return a->kind == WEIR_CHOICE ? keep_choices(r, a)
                                  : keep_text(r, a->source, &info->source);
}

static bool resolve(Resolver *r)
{
    if (!read_fields(r) || !read_space_pattern(r) || !refuse_lazy(r))
        return false;
    const Ask *a = ask_choose(r);
    if (r->refusal->http || (a && !keep_ask(r, a))) return false;
    return tools_read(r) && request_tag(r);
}

static bool asks_anything(const weir_constraint_info *info)
{
    return info->kind || info->tool_mode > WEIR_TOOLS_FREE;
}

/* ---- switches ---- */

/* By any name that an endpoint has for it. */
static bool has_logprobs(const Json *json)
{
    static const char *const names[] = {"logprobs", "top_logprobs", "n_probs",
                                        "return_logprob"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        uint64_t n;
        JsonId at = json_get(json, JSON_ROOT, names[i]);
        if (json_kind(json, at) == JSON_TRUE) return true;
        if (json_u64(json, at, &n) && n) return true;
    }
    return false;
}

static void read_lane(Resolver *r)
{
    const weir_switches *s = &r->opts->switches;
    weir_constraint_info *info = &r->c->info;
    bool is_on = asks_anything(info) && !s->grammar_off;
    /* forced tokens have no probabilities */
    info->jump_forward = is_on && s->jump_forward && !has_logprobs(&r->json);
    info->batched = !is_on || !s->batch_grammar_off;
}

static bool refuse_switched_off(Resolver *r)
{
    const char *from = r->c->info.kind ? r->c->info.from : "/tools";
    if (!r->opts->switches.grammar_off || !asks_anything(&r->c->info))
        return true;
    return refuse(r, JSON_NONE, from, "grammar_off",
                  "constraints are switched off");
}

/* ---- the whole ---- */

bool request_parse(Resolver *r, const Mem *mem, Span request)
{
    const weir_request_opts *o = r->opts;
    weir_error err = {.status = WEIR_OK};
    JsonLimits limits = {o->max_bytes ? o->max_bytes : 16u << 20,
                         o->max_depth ? o->max_depth : 1000};
    weir_refusal *f = r->refusal;
    if (json_parse(&r->json, mem, request, &limits, &err)) return true;
    if (err.status == WEIR_NO_MEMORY) return refuse_memory(f);
    bool is_long = err.status == WEIR_LIMIT_BYTES;
    refusal_set(f, err.status, is_long ? 413 : 400,
                is_long ? "request_too_large" : "invalid_json");
    f->begin = err.begin;
    f->end = err.end;
    snprintf(f->message, sizeof f->message, "%s: %s, at byte %u",
             is_long ? "the request is too large"
                     : "the request is no JSON text",
             err.message, err.begin);
    return false;
}

/* Reads the tools of a request that has been refused so far; they may be
 * called freely. Of tools that are wrong themselves none are left.
 * False: out of memory. */
static bool read_free_tools(Resolver *r)
{
    weir_constraint_info *info = &r->c->info;
    weir_constraint_info before = *info;
    weir_refusal reason = *r->refusal;
    refusal_begin(r->refusal, reason.profile, reason.endpoint);
    info->kind = 0; /* no partner that tools could clash with */
    bool ok = tools_read(r);
    before.tools = ok ? info->tools : NULL;
    before.tool_count = ok ? info->tool_count : 0;
    before.tool_mode = ok ? info->tool_mode : WEIR_TOOLS_NONE;
    before.parallel = info->parallel;
    *info = before;
    if (r->refusal->status == WEIR_NO_MEMORY) return false;
    *r->refusal = reason;
    return true;
}

static bool degrade(Resolver *r)
{
    weir_refusal *f = r->refusal;
    bool has_tools = r->c->info.tool_mode != WEIR_TOOLS_NONE;
    if (!has_tools && !read_free_tools(r)) return false;
    bool done = constraint_degrade(r->c, f->message);
    refusal_begin(f, f->profile, f->endpoint);
    return done || refuse_memory(f);
}

/* A field that is wrong, or a switch: degrade, or leave the refusal. */
static bool resolve_or_degrade(Resolver *r)
{
    weir_refusal *f = r->refusal;
    if (json_kind(&r->json, JSON_ROOT) != JSON_OBJECT)
        return refuse_kind(r, JSON_ROOT, "", "an object");
    bool ok = resolve(r);
    read_lane(r);
    if (ok) ok = refuse_switched_off(r);
    if (ok || f->status == WEIR_NO_MEMORY ||
        r->c->failure != WEIR_FAILURE_DEGRADE)
        return ok;
    return degrade(r);
}

bool request_resolve(weir_constraint *c, Span request,
                     const weir_request_opts *opts, weir_refusal *refusal)
{
    const Profile *p = profile_at(opts->profile);
    Resolver r = {.opts = opts,
                  .profile = p,
                  .endpoint = opts->endpoint,
                  .c = c,
                  .refusal = refusal};
    arena_init(&c->arena, &c->mem, 0);
    c->profile = p;
    c->profile_id = opts->profile;
    c->endpoint = opts->endpoint;
    c->failure = opts->failure ? opts->failure : p->failure;
    if (!c->failure) c->failure = WEIR_FAILURE_REFUSE;
    c->opts.size = sizeof c->opts;
    c->opts.limits = opts->limits;
    c->info.from = "";
    c->info.opts = &c->opts;
    c->info.termination = p->termination;
    c->info.redraw = p->redraw;
    if (!request_parse(&r, &c->mem, request)) return false;
    bool ok = resolve_or_degrade(&r);
    json_free(&r.json);
    return ok;
}
