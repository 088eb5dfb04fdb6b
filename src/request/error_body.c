/* error_body.c: a refusal as the body of a response, in the forms that clients
 * of the endpoint, or else of the profile, know:
 *
 *   Ollama's own   {"error":"message"}
 *   Anthropic      {"type":"error","error":{"type","message"}}
 *   SGLang         {"object":"error","message","type","param","code"}
 *   llama-server   {"error":{"code":400,"message","type"}}
 *   vLLM           {"error":{"message","type","param","code":400}}
 *   OpenAI         {"error":{"message","type","param","code":"..."}}
 *
 * Tests: unit/request_test.c.
 */
#include "request/request.h"

typedef enum BodyForm {
    BODY_OPENAI,
    BODY_OLLAMA,
    BODY_ANTHROPIC,
    BODY_SGLANG,
    BODY_LLAMA,
    BODY_VLLM,
    BODY_OLLAMA_V1 /* OpenAI's, param and code always null */
} BodyForm;

static BodyForm form_of(const weir_refusal *f)
{
    switch (f->endpoint) {
    case WEIR_ENDPOINT_OLLAMA_CHAT:
    case WEIR_ENDPOINT_OLLAMA_GENERATE:
        return BODY_OLLAMA;
    case WEIR_ENDPOINT_MESSAGES:
        return BODY_ANTHROPIC;
    case WEIR_ENDPOINT_GENERATE:
        return BODY_SGLANG;
    case WEIR_ENDPOINT_COMPLETION:
        return BODY_LLAMA;
    default:
        break;
    }
    if (f->profile == WEIR_PROFILE_VLLM) return BODY_VLLM;
    if (f->profile == WEIR_PROFILE_LLAMA_SERVER) return BODY_LLAMA;
    return f->profile == WEIR_PROFILE_OLLAMA ? BODY_OLLAMA_V1 : BODY_OPENAI;
}

static void put_text(Out *out, const char *name, const char *text)
{
    out_format(out, "\"%s\":", name);
    json_write_string(out, span_text(text));
}

/* A text, or null for an empty one. */
static void put_nullable(Out *out, const char *name, const char *text)
{
    if (text && *text)
        put_text(out, name, text);
    else
        out_format(out, "\"%s\":null", name);
}

static void put_message_type(Out *out, const weir_refusal *f)
{
    put_text(out, "message", f->message);
    out_text(out, ",");
    put_text(out, "type", f->type);
}

static void put_openai(Out *out, const weir_refusal *f, BodyForm form)
{
    bool is_silent = form == BODY_OLLAMA_V1;
    put_message_type(out, f);
    out_text(out, ",");
    put_nullable(out, "param", is_silent ? NULL : f->param);
    out_text(out, ",");
    if (form == BODY_VLLM || form == BODY_SGLANG)
        out_format(out, "\"code\":%d", f->http);
    else
        put_nullable(out, "code", is_silent ? NULL : f->code);
}

void refusal_write(const weir_refusal *f, Out *out)
{
    BodyForm form = form_of(f);
    switch (form) {
    case BODY_OLLAMA:
        out_text(out, "{");
        put_text(out, "error", f->message);
        out_text(out, "}");
        break;
    case BODY_ANTHROPIC:
        out_text(out, "{\"type\":\"error\",\"error\":{");
        put_message_type(out, f);
        out_text(out, "}}");
        break;
    case BODY_SGLANG:
        out_text(out, "{\"object\":\"error\",");
        put_openai(out, f, form);
        out_text(out, "}");
        break;
    case BODY_LLAMA:
        out_format(out, "{\"error\":{\"code\":%d,", f->http);
        put_message_type(out, f);
        out_text(out, "}}");
        break;
    default:
        out_text(out, "{\"error\":{");
        put_openai(out, f, form);
        out_text(out, "}}");
        break;
    }
}
