/* weir_constraint.c: constraints of requests: checks arguments, makes and
 * frees; and the switches. The work is done in request/.
 * Tests: unit/request_test.c, unit/request_switches_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "calls/family.h"
#include "convert/convert.h"
#include "request/request.h"

/* ---- names ---- */

const char *weir_profile_name(weir_profile profile)
{
    const Profile *p = profile_at(profile);
    return p ? p->name : NULL;
}

const char *weir_endpoint_name(weir_endpoint endpoint)
{
    static const char *const names[] = {
        "default",    "chat",     "completions", "responses",      "messages",
        "completion", "generate", "ollama-chat", "ollama-generate"};
    return (size_t)endpoint < COUNT_OF(names) ? names[endpoint] : NULL;
}

/* ---- making ---- */

static bool is_ollama(weir_endpoint endpoint)
{
    return endpoint == WEIR_ENDPOINT_OLLAMA_CHAT ||
           endpoint == WEIR_ENDPOINT_OLLAMA_GENERATE;
}

static bool refuse_arguments(weir_refusal *f, const char *message)
{
    refusal_set(f, WEIR_ARGUMENT, 500, "invalid_options");
    memcpy(f->message, message, strlen(message) + 1);
    return false;
}

/* Options as this version has them. */
static bool read_opts(const weir_request_opts *given, bool from_ollama,
                      weir_request_opts *o, weir_refusal *f)
{
    weir_error err = {.status = WEIR_OK};
    *o = (weir_request_opts){.size = sizeof *o};
    if (given && !opts_known(given, given->size, sizeof *given, &err))
        return refuse_arguments(f, err.message);
    if (given) memcpy(o, given, MIN(given->size, sizeof *o));
    if (!o->endpoint)
        o->endpoint =
            from_ollama ? WEIR_ENDPOINT_OLLAMA_CHAT : WEIR_ENDPOINT_CHAT;
    if (!profile_at(o->profile))
        return refuse_arguments(f, "found an unknown profile");
    if (!weir_endpoint_name(o->endpoint) ||
        is_ollama(o->endpoint) != from_ollama)
        return refuse_arguments(f, "found an endpoint of the other family");
    if (o->family && !family_at(o->family))
        return refuse_arguments(f, "found an unknown family");
    if (o->reasoning > WEIR_REASONING_MAY ||
        (o->reasoning && (!o->family || !family_at(o->family)->think)))
        return refuse_arguments(f,
                                "found reasoning, but no family that has it");
    if (o->chat && !chat_prefill(o->chat).size)
        return refuse_arguments(f, "found an unknown chat");
    if (o->chat && o->profile != WEIR_PROFILE_LLAMA_SERVER)
        return refuse_arguments(f, "found a chat, but not llama-server");
    refusal_begin(f, o->profile, o->endpoint);
    return true;
}

/* ---- a chat's grammar ---- */

/* JSON, and nothing around it that a tag says, or would have to. */
static bool has_chat_grammar(const weir_constraint *c)
{
    const weir_constraint_info *info = &c->info;
    bool is_json =
        info->kind == WEIR_JSON_OBJECT || info->kind == WEIR_JSON_SCHEMA;
    return is_json && !c->is_made && c->endpoint == WEIR_ENDPOINT_CHAT &&
           info->tool_mode <= WEIR_TOOLS_FREE;
}

static bool keep_grammar(weir_constraint *c, const weir_conversion *made,
                         weir_refusal *f)
{
    weir_bytes text = weir_conversion_text(made);
    const char *copy = arena_copy(&c->arena, text.data, text.size);
    if (!copy) return refuse_memory(f);
    c->asked = c->info;
    c->is_made = true;
    c->source_at = UINT32_MAX;
    c->info.kind = WEIR_GBNF;
    c->info.source = (weir_bytes){copy, text.size};
    c->info.prefill = weir_conversion_prefill(made);
    return true;
}

static bool make_chat(weir_constraint *c, const weir_env *env, weir_chat chat,
                      weir_refusal *f)
{
    weir_error err;
    weir_bytes schema = {"{}", 2};
    if (!chat || !has_chat_grammar(c)) return true;
    if (c->info.kind == WEIR_JSON_SCHEMA) schema = c->info.source;
    weir_conversion *made =
        weir_convert_chat(env, chat, schema, &c->opts, &err);
    if (!made) return constraint_fail(c, &err, f);
    bool done = keep_grammar(c, made, f);
    weir_conversion_free(made);
    return done;
}

static weir_constraint *constraint_new(const weir_env *env, weir_bytes request,
                                       const weir_request_opts *given,
                                       bool from_ollama, weir_refusal *f)
{
    weir_request_opts opts;
    refusal_begin(f, WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_DEFAULT);
    if (!read_opts(given, from_ollama, &opts, f)) return NULL;
    Mem mem = mem_from_env(env);
    weir_constraint *c = mem_zero(&mem, sizeof *c);
    if (!c) return refuse_memory(f), NULL;
    c->mem = mem;
    if (request_resolve(c, span_from(request), &opts, f) &&
        make_chat(c, env, opts.chat, f))
        return c;
    weir_constraint_free(c);
    return NULL;
}

weir_constraint *weir_constraint_from_openai(const weir_env *env,
                                             weir_bytes request,
                                             const weir_request_opts *opts,
                                             weir_refusal *refusal)
{
    return constraint_new(env, request, opts, false, refusal);
}

weir_constraint *weir_constraint_from_ollama(const weir_env *env,
                                             weir_bytes request,
                                             const weir_request_opts *opts,
                                             weir_refusal *refusal)
{
    return constraint_new(env, request, opts, true, refusal);
}

void weir_constraint_free(weir_constraint *c)
{
    if (!c) return;
    Mem mem = c->mem;
    arena_free(&c->arena);
    mem_free(&mem, c, sizeof *c);
}

void weir_constraint_describe(const weir_constraint *c,
                              weir_constraint_info *info)
{
    weir_constraint_info all = c->info;
    all.size = info->size;
    memcpy(info, &all, MIN(info->size, sizeof all));
}

weir_grammar *weir_constraint_compile(weir_constraint *constraint,
                                      weir_vocab *vocab, weir_refusal *refusal)
{
    return constraint_compile(constraint, vocab, refusal);
}

bool weir_constraint_fail(weir_constraint *constraint, const weir_error *error,
                          weir_refusal *refusal)
{
    return constraint_fail(constraint, error, refusal);
}

size_t weir_refusal_body(const weir_refusal *refusal, char *text,
                         size_t capacity)
{
    Out out = {text, capacity, 0};
    refusal_write(refusal, &out);
    return out.size;
}

/* ---- switches ---- */

typedef struct SwitchRow {
    const char *flag, *variable;
    size_t at;   /* offset in weir_switches */
    bool is_off; /* the field says that it is off */
} SwitchRow;
#define AT(field) offsetof(weir_switches, field)
static const SwitchRow switch_rows[] = {
    {"grammar", "WEIR_GRAMMAR", AT(grammar_off), true},
    {"jump-forward", "WEIR_GRAMMAR_JUMP", AT(jump_forward), false},
    {"batch-grammar", "WEIR_GRAMMAR_BATCH", AT(batch_grammar_off), true},
    {"lane-debug", "WEIR_LANE_DEBUG", AT(lane_debug), false},
};

weir_status weir_switches_set(weir_switches *switches, const char *name,
                              const char *value, weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    for (size_t i = 0; i < COUNT_OF(switch_rows); i++) {
        const SwitchRow *row = &switch_rows[i];
        bool is_variable = !strcmp(name, row->variable);
        if (!is_variable && strcmp(name, row->flag) != 0) continue;
        const char *on = is_variable ? "1" : "on";
        const char *off = is_variable ? "0" : "off";
        bool is_on = !strcmp(value, on);
        if (is_on || !strcmp(value, off)) {
            *((bool *)switches + row->at) = is_on != row->is_off;
            return WEIR_OK;
        }
        diag_fail(err, WEIR_ARGUMENT, 0, 0,
                  "found %s '%.32s', expected %s or %s", name, value, on, off);
        return err->status;
    }
    diag_fail(err, WEIR_ARGUMENT, 0, 0, "found no switch called '%.32s'", name);
    return err->status;
}
