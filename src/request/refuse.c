/* refuse.c: refusals, and members that must be of a kind.
 *
 * A message begins with the field in dotted form, since some bodies have no
 * other place for it, and quotes the request only in part: a body is bounded
 * whatever the request.
 * Tests: unit/request_test.c.
 */
#include "request/request.h"

#include <stdarg.h>
#include <stdio.h>

void refusal_begin(weir_refusal *refusal, weir_profile profile,
                   weir_endpoint endpoint)
{
    memset(refusal, 0, sizeof *refusal);
    refusal->profile = profile;
    refusal->endpoint = endpoint;
}

void refusal_set(weir_refusal *refusal, weir_status status, int http,
                 const char *code)
{
    refusal->status = status;
    refusal->http = http;
    refusal->type = http < 500 ? "invalid_request_error" : "server_error";
    refusal->code = code;
}

bool refuse_memory(weir_refusal *refusal)
{
    if (refusal->http) return false;
    refusal_set(refusal, WEIR_NO_MEMORY, 503, "out_of_memory");
    snprintf(refusal->message, sizeof refusal->message, "out of memory");
    return false;
}

void pointer_dotted(const char *pointer, char *text, size_t capacity)
{
    Out out = {text, capacity - 1, 0};
    while (*pointer == '/') {
        size_t n = strcspn(++pointer, "/");
        bool is_index = n && strspn(pointer, "0123456789") == n;
        if (!is_index && out.size) out_text(&out, ".");
        if (is_index) out_text(&out, "[");
        out_bytes(&out, span_of(pointer, n));
        if (is_index) out_text(&out, "]");
        pointer += n;
    }
    text[MIN(out.size, out.cap)] = 0;
}

bool refuse(Resolver *r, JsonId at, const char *pointer, const char *code,
            const char *format, ...)
{
    weir_refusal *f = r->refusal;
    if (f->http) return false;
    refusal_set(f, WEIR_ARGUMENT, 400, code);
    f->begin = json_offset(&r->json, at);
    f->end = f->begin + (uint32_t)json_spelling(&r->json, at).size;
    snprintf(f->pointer, sizeof f->pointer, "%s", pointer);
    pointer_dotted(pointer, f->param, sizeof f->param);
    int n = snprintf(f->message, sizeof f->message, "%s%s", f->param,
                     *f->param ? ": " : "");
    va_list args;
    va_start(args, format);
    vsnprintf(f->message + n, sizeof f->message - (size_t)n, format, args);
    va_end(args);
    return false;
}

bool refuse_kind(Resolver *r, JsonId at, const char *pointer,
                 const char *wanted)
{
    return refuse(r, at, pointer,
                  json_kind(&r->json, at) == JSON_MISSING
                      ? "missing_required_parameter"
                      : "invalid_type",
                  "found %s, expected %s",
                  json_kind_name(json_kind(&r->json, at)), wanted);
}

Quoted quoted(Span text)
{
    enum { SHOWN = 40 };
    Quoted q;
    Out out = {q.text, sizeof q.text - 1, 0};
    size_t n = text.size;
    if (n > SHOWN)
        for (n = SHOWN; n && (text.at[n] & 0xC0) == 0x80;) n--;
    out_quoted(&out, span_of(text.at, n));
    if (out.size + 3 <= out.cap && n < text.size) out_text(&out, "...");
    q.text[MIN(out.size, out.cap)] = 0;
    return q;
}

void pointer_join(char *out, const char *pointer, const char *name)
{
    size_t n = strlen(pointer);
    assert(n + strlen(name) + 1 < POINTER_ROOM);
    if (out != pointer) memcpy(out, pointer, n);
    snprintf(out + n, POINTER_ROOM - n, "/%s", name);
}

void pointer_index(char *out, const char *pointer, uint32_t index)
{
    char name[12];
    snprintf(name, sizeof name, "%u", index);
    pointer_join(out, pointer, name);
}

bool read_text(Resolver *r, JsonId object, const char *pointer,
               const char *name, Span *text)
{
    char path[POINTER_ROOM];
    JsonId at = json_get(&r->json, object, name);
    *text = span_of(NULL, 0);
    if (json_absent(&r->json, at)) return true;
    pointer_join(path, pointer, name);
    if (json_kind(&r->json, at) != JSON_STRING)
        return refuse_kind(r, at, path, "a string");
    *text = json_string(&r->json, at);
    return true;
}

bool read_flag(Resolver *r, JsonId object, const char *pointer,
               const char *name, bool *flag)
{
    char path[POINTER_ROOM];
    JsonId at = json_get(&r->json, object, name);
    JsonKind kind = json_kind(&r->json, at);
    if (json_absent(&r->json, at)) return true;
    pointer_join(path, pointer, name);
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return refuse_kind(r, at, path, "true or false");
    *flag = kind == JSON_TRUE;
    return true;
}
