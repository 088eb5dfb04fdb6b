/* request_fuzz.c: any bytes as a request. The first two say profile and
 * endpoint (from 0, chat), the third what a failure means, "03d{...}", or, as
 * a capital letter, the family of the model.
 *
 * Either there is a constraint or there is a refusal with a body that is JSON
 * and small. What is to be degraded is refused only if it is no JSON object.
 * Warnings are one line of ASCII. The same request comes to the same. Sources
 * that are short are compiled, under small limits.
 */
#include <stdlib.h>

#include "fuzz/refusal_kit.h"
#include "text/json.h"
#include "weir/weir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_info(const weir_constraint_info *info)
{
    must(info->kind <= WEIR_STRUCTURAL_TAG);
    must(info->tool_mode <= WEIR_TOOLS_ARGUMENTS);
    must(!info->kind || *info->from == '/');
    must(!info->degraded || (!info->kind && info->warning.size));
    must(info->kind != WEIR_CHOICE || info->choice_count);
    must(info->tool_mode == WEIR_TOOLS_NONE || info->tool_count);
    for (size_t i = 0; i < info->warning.size; i++)
        must(info->warning.data[i] >= ' ' && info->warning.data[i] <= '~');
    for (size_t i = 0; i < info->tool_count; i++)
        must(info->tools[i].name.size && *info->tools[i].from == '/');
}

static weir_constraint *resolve(weir_bytes text, const weir_request_opts *opts,
                                weir_refusal *f)
{
    return opts->endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT
               ? weir_constraint_from_ollama(NULL, text, opts, f)
               : weir_constraint_from_openai(NULL, text, opts, f);
}

static bool same_text(weir_bytes a, weir_bytes b)
{
    return span_equal(span_of(a.data, a.size), span_of(b.data, b.size));
}

static void check_again(weir_bytes text, const weir_request_opts *opts,
                        const weir_constraint_info *first)
{
    weir_refusal f;
    weir_constraint_info info = {.size = sizeof info};
    weir_constraint *c = resolve(text, opts, &f);
    must(c);
    weir_constraint_describe(c, &info);
    must(info.kind == first->kind && info.degraded == first->degraded &&
         same_text(info.source, first->source) &&
         same_text(info.warning, first->warning) &&
         same_text(info.system_message, first->system_message));
    weir_constraint_free(c);
}

static void compile(weir_constraint *c, const weir_request_opts *opts)
{
    weir_refusal f;
    weir_constraint_info info = {.size = sizeof info};
    weir_grammar *g = weir_constraint_compile(c, NULL, &f);
    if (f.http) check_refusal(&f);
    must(!f.http || !g);
    weir_constraint_describe(c, &info);
    check_info(&info);
    must(!f.http || opts->failure != WEIR_FAILURE_DEGRADE);
    must(!g || info.kind);
    weir_grammar_free(g);
}

static bool is_object(weir_bytes text, const weir_request_opts *opts)
{
    Json json;
    Mem mem = mem_from_env(NULL);
    JsonLimits limits = {.max_depth = opts->max_depth};
    if (!json_parse(&json, &mem, span_of(text.data, text.size), &limits, NULL))
        return false;
    bool is = json_kind(&json, JSON_ROOT) == JSON_OBJECT;
    json_free(&json);
    return is;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { COMPILED = 400 };
    if (size < 3) return 0;
    weir_request_opts opts = {
        .size = sizeof opts,
        .profile = (weir_profile)((uint8_t)(data[0] - '0') % 5),
        .endpoint = (weir_endpoint)(1 + data[1] % 8),
        .failure = data[2] == 'd' ? WEIR_FAILURE_DEGRADE : WEIR_FAILURE_REFUSE,
        .max_depth = 200};
    opts.switches.grammar_off = data[2] == 'o';
    if (data[2] >= 'A' && data[2] <= 'T')
        opts.family = (weir_family)(1 + data[2] - 'A');
    opts.limits = (weir_limits){.max_states = 2000, .max_work = 1000000};
    weir_bytes text = {(const char *)data + 3, size - 3};
    weir_refusal f;
    weir_constraint_info info = {.size = sizeof info};
    weir_constraint *c = resolve(text, &opts, &f);
    must((c != NULL) == (f.http == 0));
    if (!c) {
        check_refusal(&f);
        must(opts.failure != WEIR_FAILURE_DEGRADE || !is_object(text, &opts));
        return 0;
    }
    weir_constraint_describe(c, &info);
    check_info(&info);
    check_again(text, &opts, &info);
    if (info.source.size <= COMPILED) compile(c, &opts);
    weir_constraint_free(c);
    return 0;
}
