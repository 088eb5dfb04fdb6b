/* ask_value.c: a value of the request as the source of a constraint: schema,
 * pattern, grammar, choice, structural tag. The value may be the source itself
 * (an object) or have it as a text (a string).
 * Tests: unit/request_rows_test.c.
 */
#include "text/grammar_heads.h"
#include "request/request.h"

#include <stdio.h>

Ask *ask_new(Resolver *r, Field field, weir_source_kind kind, JsonId at,
             const char *pointer)
{
    assert(r->count < ASKS_MAX);
    Ask *a = &r->asks[r->count++];
    *a = (Ask){.field = field,
               .kind = kind,
               .at = at,
               .choices = JSON_NONE,
               .source = json_spelling(&r->json, at)};
    if (json_kind(&r->json, at) == JSON_STRING)
        a->source = json_string(&r->json, at);
    snprintf(a->pointer, sizeof a->pointer, "%s", pointer);
    return a;
}

void ask_bare(Resolver *r, Field field, JsonId at, const char *pointer)
{
    Ask *a = ask_new(r, field, r->profile->json_object, at, pointer);
    a->is_bare = true;
    a->source = span_of(NULL, 0);
}

/* ---- schemas ---- */

typedef enum Shape { SHAPE_OTHER, SHAPE_EMPTY, SHAPE_BARE_OBJECT } Shape;

/* Whether a schema is {} or {"type":"object"}, additionalProperties or not. */
static Shape schema_shape(const Json *json, JsonId at)
{
    if (json_kind(json, at) != JSON_OBJECT) return SHAPE_OTHER;
    uint32_t known = 0;
    JsonId type = json_get(json, at, "type");
    JsonId more = json_get(json, at, "additionalProperties");
    if (json_is_string(json, type, "object")) known++;
    if (known && json_kind(json, more) == JSON_TRUE) known++;
    if (json_count(json, at) != known) return SHAPE_OTHER;
    return known ? SHAPE_BARE_OBJECT : SHAPE_EMPTY;
}

/* The same of a schema given as a text. What is no JSON is found out when it
 * is compiled, with its place. */
static bool text_shape(Resolver *r, Span text, Shape *shape)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    *shape = SHAPE_OTHER;
    if (json_parse(&json, r->json.mem, text, NULL, &err)) {
        *shape = schema_shape(&json, JSON_ROOT);
        json_free(&json);
    }
    return err.status != WEIR_NO_MEMORY || refuse_memory(r->refusal);
}

/* A schema that is neither object nor boolean nor text. */
static bool odd_schema(Resolver *r, Field field, JsonId at, const char *pointer)
{
    OddSchema rule = r->profile->odd;
    /* at the top level llama-server refuses it too */
    if (rule == ODD_NONE && field != FIELD_JSON_SCHEMA) return true;
    return refuse_kind(r, at, pointer, "a JSON Schema: an object");
}

bool ask_schema(Resolver *r, Field field, JsonId at, const char *pointer)
{
    JsonKind kind = json_kind(&r->json, at);
    bool is_text = kind == JSON_STRING && field != FIELD_RESPONSE_FORMAT &&
                   field != FIELD_TEXT && field != FIELD_FORMAT;
    if (kind != JSON_OBJECT && kind != JSON_TRUE && kind != JSON_FALSE &&
        !is_text)
        return odd_schema(r, field, at, pointer);
    if (is_text && !json_string(&r->json, at).size)
        return refuse(r, at, pointer, "invalid_value",
                      "found an empty text, expected a JSON Schema");
    Ask *a = ask_new(r, field, WEIR_JSON_SCHEMA, at, pointer);
    Shape shape = schema_shape(&r->json, at);
    if (is_text && !text_shape(r, a->source, &shape)) return false;
    if (shape == SHAPE_EMPTY) a->kind = r->profile->empty_schema;
    if (shape == SHAPE_BARE_OBJECT) a->kind = WEIR_JSON_OBJECT;
    return true;
}

/* ---- texts ---- */

static bool read_source(Resolver *r, JsonId at, const char *pointer,
                        const char *wanted, Span *text)
{
    if (json_kind(&r->json, at) != JSON_STRING)
        return refuse_kind(r, at, pointer, wanted);
    *text = json_string(&r->json, at);
    return true;
}

bool ask_pattern(Resolver *r, Field field, weir_source_kind kind, JsonId at,
                 const char *pointer)
{
    Span text = {0};
    const char *wanted = "a string: a regular expression";
    if (!read_source(r, at, pointer, wanted, &text)) return false;
    if (r->profile->refuses_nul && text.size && memchr(text.at, 0, text.size))
        return refuse(r, at, pointer, "invalid_regex",
                      "found U+0000 in a regular expression");
    ask_new(r, field, kind, at, pointer);
    return true;
}

bool ask_grammar(Resolver *r, Field field, weir_source_kind kind, JsonId at,
                 const char *pointer)
{
    Span text = {0};
    if (!read_source(r, at, pointer, "a string: a grammar", &text))
        return false;
    if (!text.size && field == FIELD_GRAMMAR &&
        r->profile->dialect == WEIR_DIALECT_LLAMA_CPP)
        return true; /* there an empty grammar is none */
    if (!text.size)
        return refuse(r, at, pointer, "invalid_value",
                      "found an empty text, expected a grammar");
    ask_new(r, field, grammar_is_lark(text) ? WEIR_LARK : kind, at, pointer);
    return true;
}

/* ---- choices ---- */

bool ask_choice(Resolver *r, Field field, JsonId at, const char *pointer)
{
    uint32_t index = 0;
    if (json_kind(&r->json, at) != JSON_ARRAY)
        return refuse_kind(r, at, pointer, "an array of strings");
    for (JsonIter it = json_iter(&r->json, at); json_step(&it); index++) {
        char item[POINTER_ROOM];
        if (json_kind(&r->json, it.value) == JSON_STRING) continue;
        pointer_index(item, pointer, index);
        return refuse_kind(r, it.value, item, "a string");
    }
    if (!index)
        return refuse(r, at, pointer, "invalid_value",
                      "found an empty list, expected at least one choice");
    ask_new(r, field, WEIR_CHOICE, at, pointer)->choices = at;
    return true;
}

/* ---- structural tags ---- */

/* The parts that a tag must have: a format, or in the older form spans and
 * what triggers them. */
static bool check_tag(Resolver *r, JsonId at, const char *pointer)
{
    char path[POINTER_ROOM];
    const Json *json = &r->json;
    JsonId format = json_get(json, at, "format");
    JsonId structures = json_get(json, at, "structures");
    JsonId triggers = json_get(json, at, "triggers");
    if (json_absent(json, format) && json_kind(json, structures)) {
        pointer_join(path, pointer, "structures");
        if (json_kind(json, structures) != JSON_ARRAY)
            return refuse_kind(r, structures, path, "an array");
        pointer_join(path, pointer, "triggers");
        return json_kind(json, triggers) == JSON_ARRAY ||
               refuse_kind(r, triggers, path, "an array");
    }
    pointer_join(path, pointer, "format");
    return json_kind(json, format) == JSON_OBJECT ||
           refuse_kind(r, format, path, "an object");
}

bool ask_tag(Resolver *r, Field field, JsonId at, const char *pointer)
{
    JsonKind kind = json_kind(&r->json, at);
    if (kind != JSON_OBJECT && kind != JSON_STRING)
        return refuse_kind(r, at, pointer, "a structural tag: an object");
    if (kind == JSON_OBJECT && !check_tag(r, at, pointer)) return false;
    ask_new(r, field, WEIR_STRUCTURAL_TAG, at, pointer);
    return true;
}
