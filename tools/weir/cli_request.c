/* cli_request.c: requests from files: options, environment, errors.
 * Tests: tests/cli/request_cli_test.py.
 */
#include "weir/cli_request.h"

#include <stdlib.h>

#include "weir/cli_family.h"
#include "weir/cli_report.h"

static int read_profile(const Args *args, weir_profile *profile)
{
    if (!args->profile) return 0;
    for (unsigned i = 0; weir_profile_name((weir_profile)i); i++)
        if (!strcmp(weir_profile_name((weir_profile)i), args->profile)) {
            *profile = (weir_profile)i;
            return 0;
        }
    return usage_error(args,
                       "found --profile '%s', expected default, vllm, "
                       "llama-server, ollama or mlx-bun",
                       args->profile);
}

static int read_endpoint(const Args *args, weir_endpoint *endpoint)
{
    *endpoint = WEIR_ENDPOINT_CHAT;
    if (!args->endpoint) return 0;
    for (unsigned i = WEIR_ENDPOINT_CHAT; weir_endpoint_name((weir_endpoint)i);
         i++)
        if (!strcmp(weir_endpoint_name((weir_endpoint)i), args->endpoint)) {
            *endpoint = (weir_endpoint)i;
            return 0;
        }
    return usage_error(args,
                       "found --endpoint '%s', expected chat, completions, "
                       "responses, messages, completion, generate, "
                       "ollama-chat or ollama-generate",
                       args->endpoint);
}

static int read_failure(const Args *args, weir_failure *failure)
{
    const char *text = args->failure;
    if (!text) return 0;
    *failure =
        !strcmp(text, "degrade") ? WEIR_FAILURE_DEGRADE : WEIR_FAILURE_REFUSE;
    if (*failure == WEIR_FAILURE_DEGRADE || !strcmp(text, "refuse")) return 0;
    return usage_error(
        args, "found --%s '%s', expected refuse or degrade",
        args->command == CMD_SERVE ? "on-unsupported" : "failure", text);
}

static int set_switch(const Args *args, weir_switches *switches,
                      const char *name, const char *value)
{
    weir_error err;
    if (!value || !weir_switches_set(switches, name, value, &err)) return 0;
    return usage_error(args, "%s", err.message);
}

/* The environment first: options have the last word. */
static int read_switches(const Args *args, weir_switches *switches)
{
    static const char *const variables[] = {"WEIR_GRAMMAR", "WEIR_GRAMMAR_JUMP",
                                            "WEIR_GRAMMAR_BATCH",
                                            "WEIR_LANE_DEBUG"};
    const struct {
        const char *name, *value;
    } flags[] = {{"grammar", args->grammar_switch},
                 {"jump-forward", args->jump_switch},
                 {"batch-grammar", args->batch_switch}};
    int status = 0;
    for (size_t i = 0; !status && i < COUNT_OF(variables); i++)
        status = set_switch(args, switches, variables[i], getenv(variables[i]));
    for (size_t i = 0; !status && i < COUNT_OF(flags); i++)
        status = set_switch(args, switches, flags[i].name, flags[i].value);
    return status;
}

int request_policy(const Args *args, weir_request_opts *opts)
{
    int status = read_profile(args, &opts->profile);
    if (!status) status = read_failure(args, &opts->failure);
    return status ? status : read_switches(args, &opts->switches);
}

static int read_opts(const Args *args, weir_request_opts *opts)
{
    int status = request_policy(args, opts);
    if (!status) status = read_endpoint(args, &opts->endpoint);
    if (!status && args->family) status = family_read(args, &opts->family);
    if (!status)
        status =
            reasoning_read(args, &opts->reasoning, &opts->reasoning_tokens);
    if (!status && opts->reasoning && !args->family)
        status = usage_error(args, "--reasoning wants a --family");
    if (!status) status = chat_read(args, &opts->chat);
    if (!status && opts->chat && opts->profile != WEIR_PROFILE_LLAMA_SERVER)
        status = usage_error(args, "--chat wants --profile llama-server");
    return status;
}

static void print_lane(const weir_constraint *constraint)
{
    weir_constraint_info info = {.size = sizeof info};
    weir_constraint_describe(constraint, &info);
    bool is_constrained = info.kind || info.tool_mode > WEIR_TOOLS_FREE;
    fprintf(stderr, "weir: lane %s, constraint %s, jump-forward %s\n",
            info.batched ? "batch" : "serial", is_constrained ? "yes" : "no",
            info.jump_forward ? "on" : "off");
}

int request_read(RequestFile *r, const Args *args, const char *path)
{
    *r = (RequestFile){.opts = {.size = sizeof r->opts}};
    int status = read_opts(args, &r->opts);
    if (status) return status;
    if (!input_read(args->mem, path, &r->text)) return 2;
    weir_bytes text = {r->text.at, r->text.count};
    bool is_ollama = r->opts.endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT;
    r->constraint =
        is_ollama
            ? weir_constraint_from_ollama(NULL, text, &r->opts, &r->refusal)
            : weir_constraint_from_openai(NULL, text, &r->opts, &r->refusal);
    return 0;
}

void request_free(RequestFile *r, const Args *args)
{
    weir_constraint_free(r->constraint);
    vec_free(args->mem, &r->text);
}

weir_dialect request_dialect(const RequestFile *r)
{
    weir_constraint_info info = {.size = sizeof info};
    if (!r->constraint) return WEIR_DIALECT_DEFAULT;
    weir_constraint_describe(r->constraint, &info);
    return info.opts->dialect;
}

weir_grammar *request_compile(RequestFile *r, weir_vocab *vocab)
{
    progress_begin("compiling");
    weir_grammar *g =
        weir_constraint_compile(r->constraint, vocab, &r->refusal);
    progress_end();
    if (r->opts.switches.lane_debug) print_lane(r->constraint);
    return g;
}

int request_report(const RequestFile *r, const char *path)
{
    const weir_refusal *f = &r->refusal;
    weir_bytes text = {r->text.at, r->text.count};
    uint32_t line, column;
    if (!f->end) return report_failure("%s: %s", path, f->message);
    weir_line_column(text, f->begin, &line, &column);
    return report_failure("%s:%u:%u: %s", path, line, column, f->message);
}
