/* body.c: reading requests.
 * Tests: tests/server/conversation_test.c. */
#include "server/body.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"

enum { MOST_DEPTH = 1000 }; /* as weir_constraint_from_openai has it */

static bool is_object(const Body *f)
{
    return json_kind(&f->json, JSON_ROOT) == JSON_OBJECT;
}

bool body_open(Body *f, const Mem *mem, weir_bytes text, weir_profile profile,
               weir_endpoint endpoint, weir_refusal *refusal)
{
    weir_error err = {.status = WEIR_OK};
    Place root = place_root();
    JsonLimits limits = {.max_depth = MOST_DEPTH};
    *refusal = (weir_refusal){.profile = profile, .endpoint = endpoint};
    *f = (Body){.refusal = refusal};
    if (!json_parse(&f->json, mem, span_of(text.data, text.size), &limits,
                    &err)) {
        if (err.status == WEIR_NO_MEMORY) return body_no_memory(f);
        body_refuse(f, JSON_NONE, &root, "invalid_json",
                    "the request is no JSON: %s", err.message);
        refusal->begin = err.begin;
        refusal->end = err.end;
        return false;
    }
    return is_object(f) || body_refuse_kind(f, JSON_ROOT, &root, "an object");
}

void body_close(Body *f)
{
    if (f->json.mem) json_free(&f->json);
}

/* ---- places ---- */

Place place_member(const Place *at, const char *name)
{
    Place p;
    snprintf(p.pointer, sizeof p.pointer, "%.*s/%s", 60, at->pointer, name);
    snprintf(p.param, sizeof p.param, "%.*s%s%s", 60, at->param,
             *at->param ? "." : "", name);
    return p;
}

Place place_item(const Place *at, uint32_t index)
{
    Place p;
    snprintf(p.pointer, sizeof p.pointer, "%.*s/%u", 80, at->pointer, index);
    snprintf(p.param, sizeof p.param, "%.*s[%u]", 80, at->param, index);
    return p;
}

/* ---- refusals ---- */

static void put_place(weir_refusal *r, const Place *place)
{
    memcpy(r->pointer, place->pointer, sizeof place->pointer);
    memcpy(r->param, place->param, sizeof place->param);
}

bool body_refuse(Body *f, JsonId at, const Place *place, const char *code,
                 const char *format, ...)
{
    weir_refusal *r = f->refusal;
    va_list args;
    if (r->http) return false;
    r->http = 400;
    r->status = WEIR_ARGUMENT;
    r->type = "invalid_request_error";
    r->code = code;
    if (at != JSON_NONE) {
        r->begin = json_offset(&f->json, at);
        r->end = r->begin + (uint32_t)json_spelling(&f->json, at).size;
    }
    put_place(r, place);
    int n = snprintf(r->message, sizeof r->message, "%s%s", place->param,
                     *place->param ? ": " : "");
    va_start(args, format);
    vsnprintf(r->message + n, sizeof r->message - (size_t)n, format, args);
    va_end(args);
    return false;
}

bool body_refuse_kind(Body *f, JsonId at, const Place *place,
                      const char *expected)
{
    JsonKind kind = json_kind(&f->json, at);
    return body_refuse(f, at, place,
                       kind == JSON_MISSING ? "missing_required_parameter"
                                            : "invalid_type",
                       "found %s, expected %s", json_kind_name(kind), expected);
}

bool body_no_memory(Body *f)
{
    weir_refusal *r = f->refusal;
    if (r->http) return false;
    r->http = 503;
    r->status = WEIR_NO_MEMORY;
    r->type = "overloaded_error";
    r->code = "out_of_memory";
    snprintf(r->message, sizeof r->message, "out of memory");
    return false;
}

/* ---- members ---- */

JsonId body_get(const Body *f, JsonId object, const char *name)
{
    if (json_kind(&f->json, object) != JSON_OBJECT) return JSON_NONE;
    JsonId id = json_get(&f->json, object, name);
    return json_kind(&f->json, id) == JSON_NULL ? JSON_NONE : id;
}

bool body_text(Body *f, JsonId object, const Place *place, const char *name,
               weir_bytes *text)
{
    JsonId id = body_get(f, object, name);
    *text = (weir_bytes){NULL, 0};
    if (id == JSON_NONE) return true;
    if (json_kind(&f->json, id) != JSON_STRING) {
        Place own = place_member(place, name);
        return body_refuse_kind(f, id, &own, "a string");
    }
    *text = bytes_of(json_string(&f->json, id));
    return true;
}

bool body_flag(Body *f, JsonId object, const Place *place, const char *name,
               bool *flag)
{
    JsonId id = body_get(f, object, name);
    JsonKind kind = json_kind(&f->json, id);
    if (id == JSON_NONE) return true;
    *flag = kind == JSON_TRUE;
    if (kind == JSON_TRUE || kind == JSON_FALSE) return true;
    Place own = place_member(place, name);
    return body_refuse_kind(f, id, &own, "true or false");
}
