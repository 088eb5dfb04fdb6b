/* answer_fields.c: one flag a row. Profiles of systems that pass over fields
 * of the wrong kind, or that do not belong together, do so here, too.
 * Tests: server/answer_shapes_test.py.
 */
#include "server/answer_fields.h"

#include <stdio.h>

typedef struct FlagRow {
    const char *object; /* that has it; NULL: the request */
    const char *name;
    unsigned endpoints; /* bits; 0: all */
    size_t at;          /* in AnswerFields */
} FlagRow;

#define ON(endpoint) (1u << WEIR_ENDPOINT_##endpoint)
#define AT(field) offsetof(AnswerFields, field)
static const FlagRow rows[] = {
    {NULL, "stream", 0, AT(stream)},
    {"stream_options", "include_usage", ON(CHAT) | ON(COMPLETIONS),
     AT(include_usage)},
    {"stream_options", "continuous_usage_stats", ON(CHAT) | ON(COMPLETIONS),
     AT(continuous_usage)},
    {NULL, "echo", ON(COMPLETIONS), AT(echo)},
    {NULL, "return_tokens", ON(COMPLETION), AT(return_tokens)},
    {"weir", "tokens", 0, AT(tokens)},
    {"weir", "grammar", 0, AT(grammar)},
};

/* Whose clients may send anything beside what is read. */
static bool is_lenient(weir_profile profile)
{
    return profile == WEIR_PROFILE_OLLAMA || profile == WEIR_PROFILE_MLX_BUN;
}

static bool refuse(weir_refusal *refusal, const char *object, const char *name,
                   const char *code, const char *what)
{
    bool inner = object && *name;
    const char *first = object ? object : name;
    refusal->http = 400;
    refusal->status = WEIR_ARGUMENT;
    refusal->type = "invalid_request_error";
    refusal->code = code;
    snprintf(refusal->param, sizeof refusal->param, "%s%s%s", first,
             inner ? "." : "", inner ? name : "");
    snprintf(refusal->pointer, sizeof refusal->pointer, "/%s%s%s", first,
             inner ? "/" : "", inner ? name : "");
    snprintf(refusal->message, sizeof refusal->message, "%s%s%s",
             refusal->param, *first ? ": " : "", what);
    return false;
}

static bool read_flag(AnswerFields *f, const FlagRow *row, weir_profile profile,
                      weir_refusal *refusal)
{
    JsonId from =
        row->object ? json_get(&f->json, JSON_ROOT, row->object) : JSON_ROOT;
    JsonId at = json_get(&f->json, from, row->name);
    JsonKind kind = json_kind(&f->json, at);
    bool *flag = (bool *)(void *)((char *)f + row->at);
    if (kind == JSON_TRUE || kind == JSON_FALSE) *flag = kind == JSON_TRUE;
    if (kind <= JSON_TRUE || is_lenient(profile)) return true;
    char what[96];
    snprintf(what, sizeof what, "found %s, expected true or false",
             json_kind_name(kind));
    return refuse(refusal, row->object, row->name, "invalid_type", what);
}

/* stream_options are for streams. */
static bool check_options(const AnswerFields *f, weir_profile profile,
                          weir_refusal *refusal)
{
    JsonId at = json_get(&f->json, JSON_ROOT, "stream_options");
    JsonKind kind = json_kind(&f->json, at);
    bool is_strict =
        profile == WEIR_PROFILE_DEFAULT || profile == WEIR_PROFILE_VLLM;
    if (kind <= JSON_NULL || !is_strict) return true;
    if (kind != JSON_OBJECT)
        return refuse(refusal, "stream_options", "", "invalid_type",
                      "expected an object");
    return f->stream || refuse(refusal, "stream_options", "", "invalid_value",
                               "found without stream: true");
}

/* What is not a flag of its own. */
static void read_others(AnswerFields *f, weir_endpoint endpoint)
{
    JsonId text = json_get(&f->json, JSON_ROOT, "return_text_in_logprobs");
    if (endpoint == WEIR_ENDPOINT_GENERATE)
        f->no_text = !json_bool(&f->json, text, false);
}

bool fields_read(AnswerFields *f, const Mem *mem, weir_bytes request,
                 weir_profile profile, weir_endpoint endpoint,
                 weir_refusal *refusal)
{
    weir_error error = {.status = WEIR_OK};
    bool is_ollama = endpoint == WEIR_ENDPOINT_OLLAMA_CHAT ||
                     endpoint == WEIR_ENDPOINT_OLLAMA_GENERATE;
    *f = (AnswerFields){.stream = is_ollama};
    if (!json_parse(&f->json, mem, span_of(request.data, request.size), NULL,
                    &error)) {
        bool is_memory = error.status == WEIR_NO_MEMORY;
        refuse(refusal, NULL, "", is_memory ? "out_of_memory" : "invalid_json",
               error.message);
        if (is_memory) refusal->http = 503;
        refusal->status = error.status;
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool has = !rows[i].endpoints || rows[i].endpoints >> endpoint & 1;
        if (has && !read_flag(f, &rows[i], profile, refusal)) return false;
    }
    read_others(f, endpoint);
    bool has_options =
        endpoint == WEIR_ENDPOINT_CHAT || endpoint == WEIR_ENDPOINT_COMPLETIONS;
    return !has_options || check_options(f, profile, refusal);
}

void fields_free(AnswerFields *f)
{
    if (f->json.mem) json_free(&f->json);
}

weir_bytes fields_spelling(const AnswerFields *f, const char *name,
                           const char *otherwise)
{
    JsonId at = json_get(&f->json, JSON_ROOT, name);
    if (json_kind(&f->json, at) <= JSON_NULL)
        return (weir_bytes){otherwise, strlen(otherwise)};
    Span text = json_spelling(&f->json, at);
    return (weir_bytes){(const char *)text.at, text.size};
}
