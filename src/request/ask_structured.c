/* ask_structured.c: objects of constraints: vLLM's structured_outputs, which
 * may also be a schema itself (mlx-bun), and SGLang's sampling_params.
 * Tests: unit/request_rows_test.c.
 */
#include "request/request.h"

#include <stdio.h>

/* The kinds, in oMLX's order, which CONFLICT_FIRST goes by. */
typedef enum Kind {
    KIND_JSON,
    KIND_JSON_SCHEMA,
    KIND_GRAMMAR,
    KIND_EBNF,
    KIND_REGEX,
    KIND_CHOICE,
    KIND_JSON_OBJECT,
    KIND_STRUCTURAL_TAG,
    KIND_COUNT
} Kind;
static const char *const kind_names[KIND_COUNT] = {
    "json",  "json_schema", "grammar",     "ebnf",
    "regex", "choice",      "json_object", "structural_tag"};

static bool json_object(Resolver *r, JsonId at, const char *pointer)
{
    JsonKind kind = json_kind(&r->json, at);
    if (kind == JSON_FALSE)
        return refuse(r, at, pointer, "invalid_value",
                      "found false, expected true or nothing");
    if (kind != JSON_TRUE) return refuse_kind(r, at, pointer, "true");
    ask_bare(r, FIELD_STRUCTURED_OUTPUTS, at, pointer);
    return true;
}

static bool ask_kind(Resolver *r, Field field, Kind kind, JsonId at,
                     const char *pointer)
{
    switch (kind) {
    case KIND_JSON:
    case KIND_JSON_SCHEMA:
        return ask_schema(r, field, at, pointer);
    case KIND_GRAMMAR:
    case KIND_EBNF:
        return ask_grammar(r, field, WEIR_EBNF, at, pointer);
    case KIND_REGEX:
        return ask_pattern(r, field, WEIR_REGEX, at, pointer);
    case KIND_CHOICE:
        return ask_choice(r, field, at, pointer);
    case KIND_JSON_OBJECT:
        return json_object(r, at, pointer);
    case KIND_STRUCTURAL_TAG:
        return ask_tag(r, field, at, pointer);
    case KIND_COUNT:
        break;
    }
    return true;
}

/* Asks of all the kinds that are given, a set of bits. */
static bool ask_kinds(Resolver *r, Field field, JsonId object,
                      const char *pointer, unsigned kinds)
{
    for (Kind kind = 0; kind < KIND_COUNT; kind++) {
        char path[POINTER_ROOM];
        JsonId at = json_get(&r->json, object, kind_names[kind]);
        if (!(kinds & 1u << kind) || json_absent(&r->json, at)) continue;
        pointer_join(path, pointer, kind_names[kind]);
        if (!ask_kind(r, field, kind, at, path)) return false;
    }
    return true;
}

/* ---- structured_outputs ---- */

static const char so_pointer[] = "/structured_outputs";
enum { SO_KINDS = ((1u << KIND_COUNT) - 1) & ~(1u << KIND_EBNF) };

static bool is_known(Span key)
{
    static const char *const options[] = {"disable_any_whitespace",
                                          "disable_additional_properties",
                                          "whitespace_pattern",
                                          "disable_fallback",
                                          "_backend",
                                          "_backend_was_auto"};
    for (Kind kind = 0; kind < KIND_COUNT; kind++)
        if (SO_KINDS & 1u << kind &&
            span_equal(key, span_text(kind_names[kind])))
            return true;
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (span_equal(key, span_text(options[i]))) return true;
    return false;
}

/* Whether it is the object of kinds, not a schema itself. */
static bool has_kinds(Resolver *r, JsonId at)
{
    if (!json_count(&r->json, at))
        return r->profile->conflict != CONFLICT_FIRST;
    for (JsonIter it = json_iter(&r->json, at); json_step(&it);)
        if (!is_known(it.key)) return false;
    return true;
}

/* Options hold for all asks from `first` on. */
static bool read_options(Resolver *r, JsonId at, unsigned first)
{
    Span pattern;
    bool is_fixed = false, is_closed = false;
    if (!read_text(r, at, so_pointer, "whitespace_pattern", &pattern) ||
        !read_flag(r, at, so_pointer, "disable_any_whitespace", &is_fixed) ||
        !read_flag(r, at, so_pointer, "disable_additional_properties",
                   &is_closed))
        return false;
    for (unsigned i = first; i < r->count; i++) {
        r->asks[i].is_fixed = is_fixed;
        r->asks[i].is_closed = is_closed;
        r->asks[i].space_pattern = pattern;
        r->asks[i].space_from = "/structured_outputs/whitespace_pattern";
    }
    return true;
}

bool ask_structured_outputs(Resolver *r, JsonId at)
{
    unsigned first = r->count;
    if (json_kind(&r->json, at) != JSON_OBJECT)
        return refuse_kind(r, at, so_pointer, "an object");
    if (!has_kinds(r, at))
        return ask_schema(r, FIELD_STRUCTURED_OUTPUTS, at, so_pointer);
    if (!ask_kinds(r, FIELD_STRUCTURED_OUTPUTS, at, so_pointer, SO_KINDS))
        return false;
    if (r->count == first)
        return refuse(r, at, so_pointer, "invalid_value",
                      "found no constraint, expected one of json, regex, "
                      "choice, grammar, json_object and structural_tag");
    return read_options(r, at, first);
}

/* ---- sampling_params ---- */

bool ask_sampling_params(Resolver *r, JsonId at)
{
    enum {
        KINDS = 1u << KIND_JSON_SCHEMA | 1u << KIND_EBNF | 1u << KIND_REGEX |
                1u << KIND_STRUCTURAL_TAG
    };
    if (json_kind(&r->json, at) != JSON_OBJECT)
        return refuse_kind(r, at, "/sampling_params", "an object");
    return ask_kinds(r, FIELD_SAMPLING_PARAMS, at, "/sampling_params", KINDS);
}
