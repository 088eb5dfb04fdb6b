/* cmd_serve.c: weir serve: a model behind HTTP.
 *
 * Options are checked before the model is loaded; then the server has the word
 * until a signal ends it.
 * Tests: tests/server/serve_http_test.py.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/serve.h"
#include "weir/cli_model.h"
#include "weir/cli_report.h"
#include "weir/cli_request.h"
#include "weir/cmd.h"

enum {
    MOST_PARALLEL = 128,
    MOST_DRAFT = 16,
    SPARE = 8,      /* sequences that keep beginnings of prompts */
    CONTEXT = 4096, /* if nothing is said */
    MIB = 1 << 20
};

typedef struct NumberRow {
    const char *name;
    size_t at, has_at; /* in Args */
    uint64_t otherwise, least, most;
} NumberRow;

#define ROW(name, field, ...)                                                 \
    {                                                                         \
        name, offsetof(Args, field), offsetof(Args, has_##field), __VA_ARGS__ \
    }
static const NumberRow rows[] = {
    ROW("port", port, 8080, 0, 65535),
    ROW("parallel", parallel, 4, 1, MOST_PARALLEL),
    ROW("ctx", context, CONTEXT, 16, 1 << 24),
    ROW("queue", waiting, 256, 1, 4096),
    ROW("speculate", speculate, 0, 0, MOST_DRAFT),
    ROW("max-body", max_body, 16 * MIB, 1024, 1024u * MIB),
    ROW("max-work", max_work, 500000000, 1000, UINT64_MAX),
    ROW("timeout", timeout, 30, 1, 3600),
    ROW("drain", drain, 30, 0, 3600),
};

/* Fills in what was not said; 0, or 2 after a message. */
static int set_numbers(Args *args)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const NumberRow *r = &rows[i];
        uint64_t *value = (uint64_t *)(void *)((char *)args + r->at);
        bool *has = (bool *)((char *)args + r->has_at);
        if (!*has) *value = r->otherwise;
        if (*value < r->least || *value > r->most)
            return usage_error(args, "found --%s %llu, expected %llu to %llu",
                               r->name, (unsigned long long)*value,
                               (unsigned long long)r->least,
                               (unsigned long long)r->most);
    }
    return 0;
}

/* The file's name, without its folder and ending. */
static void name_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(out, size, "%s", name);
    char *dot = strrchr(out, '.');
    if (dot && dot > out && !strcmp(dot, ".gguf")) *dot = 0;
}

static void tell_ready(void *user, uint16_t port)
{
    const Args *args = user;
    const char *host = args->host ? args->host : "127.0.0.1";
    bool is_six = strchr(host, ':') != NULL;
    printf("weir: listening on http://%s%s%s:%u\n", is_six ? "[" : "", host,
           is_six ? "]" : "", port);
    fflush(stdout);
}

static weir_dialect dialect_of(weir_profile profile)
{
    bool is_llama =
        profile == WEIR_PROFILE_LLAMA_SERVER || profile == WEIR_PROFILE_OLLAMA;
    return is_llama ? WEIR_DIALECT_LLAMA_CPP : WEIR_DIALECT_DEFAULT;
}

static int check(Args *args, weir_request_opts *policy)
{
    int status = request_policy(args, policy);
    if (!status) status = set_numbers(args);
    if (status) return status;
    if (args->files.count)
        return usage_error(args, "found '%s', expected options only",
                           args->files.at[0]);
    return 0;
}

static int serve(const Args *args, const weir_request_opts *policy,
                 Engine *engine, const ChatStyle *style)
{
    char name[256];
    weir_error err;
    const char *key = getenv("WEIR_API_KEY");
    uint32_t trained = engine_info(engine)->trained;
    name_of(args->model ? args->model : "weir-demo", name, sizeof name);
    ServeOpts opts = {.mem = args->mem,
                      .engine = engine,
                      .style = style,
                      .name = args->alias ? args->alias : name,
                      .host = args->host ? args->host : "127.0.0.1",
                      .port = (uint16_t)args->port,
                      .api_key = args->api_key ? args->api_key : key,
                      .profile = policy->profile,
                      .failure = policy->failure,
                      .switches = policy->switches,
                      .parallel = (uint32_t)args->parallel,
                      .context = (uint32_t)args->context,
                      .waiting = (uint32_t)args->waiting,
                      .speculate = (uint32_t)args->speculate,
                      .max_body = (uint32_t)args->max_body,
                      .timeout = (uint32_t)args->timeout,
                      .drain = (uint32_t)args->drain,
                      .max_work = args->max_work,
                      .ready = tell_ready,
                      .user = (void *)(uintptr_t)args};
    if (opts.api_key && !*opts.api_key) opts.api_key = NULL;
    if (!args->has_context && trained)
        opts.context = MIN(opts.context, trained);
    return serve_run(&opts, &err) ? 0 : report_failure("%s", err.message);
}

static int run(Args *args)
{
    weir_request_opts policy = {.size = sizeof policy};
    const ChatStyle *style;
    int status = check(args, &policy);
    if (status) return status;
    ModelRoom room = {.sequences = (uint32_t)args->parallel + SPARE,
                      .context = (uint32_t)(args->context * args->parallel)};
    Engine *engine = model_load(args, dialect_of(policy.profile), &room);
    if (!engine) return 2;
    status = model_style(args, engine_info(engine), &style);
    if (!status) status = serve(args, &policy, engine, style);
    engine_free(engine);
    return status;
}

int cmd_serve(const Args *args)
{
    Args own = *args; /* with what was not said */
    return run(&own);
}
