/* settings.c: from the text of a request to options of sampler and decoder.
 *
 * The fields are those of the endpoint: members of the request, or of its
 * `options` (Ollama) or `sampling_params` (SGLang). null is absent.
 * Cost:  linear in the request.
 * Tests: unit/settings_test.c over cases/settings.txt, fuzz/settings_fuzz.c.
 */
#include "request/settings.h"

/* ---- what holds where a request is silent ---- */

static void defaults(weir_settings_info *info, const Profile *p,
                     weir_endpoint endpoint)
{
    weir_sampler_opts *o = &info->sampler;
    info->choices = 1;
    info->decode.size = sizeof info->decode;
    weir_sampler_neutral(o);
    if (endpoint == WEIR_ENDPOINT_GENERATE) info->decode.max_tokens = 128;
    if (p->sampling == SAMPLING_LLAMA) weir_sampler_defaults(o);
    if (p->sampling == SAMPLING_OLLAMA) {
        o->temperature = 0.8f;
        o->top_k = 40;
        o->top_p = 0.9f;
        o->repeat_penalty = 1.1f;
    }
    o->redraw = p->redraw;
}

/* ---- where the fields are ---- */

static const char *part_of(weir_endpoint endpoint)
{
    switch (endpoint) {
    case WEIR_ENDPOINT_OLLAMA_CHAT:
    case WEIR_ENDPOINT_OLLAMA_GENERATE:
        return "options";
    case WEIR_ENDPOINT_GENERATE:
        return "sampling_params";
    default:
        return NULL;
    }
}

/* False: it is there and no object. An absent one has no fields. */
static bool find_part(SettingsReader *s, char pointer[POINTER_ROOM])
{
    Resolver *r = &s->r;
    const char *part = part_of(r->endpoint);
    s->object = JSON_ROOT;
    s->pointer = pointer;
    pointer[0] = 0;
    if (json_kind(&r->json, JSON_ROOT) != JSON_OBJECT)
        return refuse_kind(r, JSON_ROOT, "", "an object");
    if (!part) return true;
    s->object = json_get(&r->json, JSON_ROOT, part);
    pointer_join(pointer, "", part);
    return json_absent(&r->json, s->object) ||
           json_kind(&r->json, s->object) == JSON_OBJECT ||
           refuse_kind(r, s->object, pointer, "an object");
}

/* top_logprobs is for those who want log probabilities at all. */
static bool check_logprobs(SettingsReader *s)
{
    weir_settings_info *info = &s->s->info;
    Resolver *r = &s->r;
    JsonId at = json_get(&r->json, JSON_ROOT, "top_logprobs");
    bool has_flag = r->endpoint == WEIR_ENDPOINT_CHAT ||
                    r->endpoint == WEIR_ENDPOINT_OLLAMA_CHAT ||
                    r->endpoint == WEIR_ENDPOINT_OLLAMA_GENERATE;
    if (has_flag && !info->logprobs && info->top_logprobs &&
        !json_absent(&r->json, at))
        return refuse(r, at, "/top_logprobs", "invalid_value",
                      "found without logprobs: true");
    info->logprobs |= info->top_logprobs > 0;
    return true;
}

/* What the decoder is to note, unless they come from after the chain. */
static void note_logprobs(weir_settings_info *info, const Profile *p)
{
    if (!info->logprobs || info->after_chain) return;
    info->decode.logprobs = p->logprobs_unmasked ? WEIR_LOGPROBS_BEFORE_MASK
                                                 : WEIR_LOGPROBS_AFTER_MASK;
    info->decode.top_logprobs = info->top_logprobs;
}

bool settings_read(weir_settings *out, const weir_vocab *vocab, Span request,
                   const weir_request_opts *opts, weir_refusal *refusal)
{
    char pointer[POINTER_ROOM];
    SettingsReader s = {.r = {.opts = opts,
                              .profile = profile_at(opts->profile),
                              .endpoint = opts->endpoint,
                              .refusal = refusal},
                        .s = out,
                        .vocab = vocab};
    arena_init(&out->arena, &out->mem, 0);
    defaults(&out->info, s.r.profile, opts->endpoint);
    if (!request_parse(&s.r, &out->mem, request)) return false;
    bool ok = find_part(&s, pointer) && settings_numbers(&s) &&
              check_logprobs(&s) && settings_lists(&s);
    json_free(&s.r.json);
    note_logprobs(&out->info, s.r.profile);
    return ok;
}
