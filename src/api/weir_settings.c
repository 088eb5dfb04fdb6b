/* weir_settings.c: settings of requests: checks arguments, makes and frees.
 * The work is done in request/settings.c.
 * Tests: unit/settings_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "request/settings.h"

static bool read_opts(const weir_request_opts *given, weir_request_opts *o,
                      weir_refusal *f)
{
    weir_error err = {.status = WEIR_OK};
    *o = (weir_request_opts){.size = sizeof *o};
    bool ok = !given || opts_known(given, given->size, sizeof *given, &err);
    if (ok && given) memcpy(o, given, MIN(given->size, sizeof *o));
    if (!o->endpoint) o->endpoint = WEIR_ENDPOINT_CHAT;
    if (ok && profile_at(o->profile) && weir_endpoint_name(o->endpoint)) {
        refusal_begin(f, o->profile, o->endpoint);
        return true;
    }
    static const char message[] = "found an unknown profile or endpoint";
    refusal_set(f, WEIR_ARGUMENT, 500, "invalid_options");
    memcpy(f->message, message, sizeof message);
    return false;
}

weir_settings *weir_settings_from_request(const weir_env *env,
                                          const weir_vocab *vocab,
                                          weir_bytes request,
                                          const weir_request_opts *given,
                                          weir_refusal *f)
{
    weir_request_opts opts;
    refusal_begin(f, WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_DEFAULT);
    if (!read_opts(given, &opts, f)) return NULL;
    Mem mem = mem_from_env(env);
    weir_settings *s = mem_zero(&mem, sizeof *s);
    if (!s) return refuse_memory(f), NULL;
    s->mem = mem;
    if (settings_read(s, vocab, span_from(request), &opts, f)) return s;
    weir_settings_free(s);
    return NULL;
}

void weir_settings_free(weir_settings *s)
{
    if (!s) return;
    Mem mem = s->mem;
    arena_free(&s->arena);
    mem_free(&mem, s, sizeof *s);
}

void weir_settings_describe(const weir_settings *s, weir_settings_info *info)
{
    weir_settings_info all = s->info;
    all.size = info->size;
    memcpy(info, &all, MIN(info->size, sizeof all));
}
