/* cli_model.c: loading a model; from prompt to tokens.
 * Tests: tests/cli/generate_cli_test.py. */
#include "weir/cli_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/out.h"
#include "weir/cli_input.h"
#include "weir/cli_own_model.h"
#include "weir/cli_report.h"

/* ---- loading ---- */

static void tell_progress(void *user, float share)
{
    (void)user;
    progress_set((uint64_t)(share * 100), 100);
}

static bool is_size(uint64_t n)
{
    return n <= INT32_MAX;
}

const char *model_name(const Args *args)
{
    return args->model ? args->model : "weir's own model";
}

Engine *model_load(const Args *args, weir_dialect dialect,
                   const ModelRoom *room)
{
    weir_error err;
    bool is_own = !args->model;
    if (!is_size(args->context) || !is_size(args->threads) ||
        !is_size(args->gpu_layers)) {
        usage_error(args, "--context, --threads or --gpu-layers is too large");
        return NULL;
    }
    EngineOpts opts = {
        .kind = args->engine || !is_own ? args->engine : "builtin",
        .model = args->model,
        .image = is_own ? own_model() : (weir_bytes){NULL, 0},
        .rpc = args->rpc,
        .context = room ? room->context : (uint32_t)args->context,
        .sequences = room ? room->sequences : 1,
        .threads = (uint32_t)args->threads,
        .gpu_layers = args->has_gpu_layers ? (int32_t)args->gpu_layers : -1,
        .dialect = dialect,
        .progress = tell_progress};
    progress_begin("loading the model");
    Engine *e = engine_load(&opts, &err);
    progress_end();
    if (!e) report_failure("%s: %s", model_name(args), err.message);
    return e;
}

/* ---- the chat format ---- */

/* "none, harmony, ..." */
static void list_styles(char *text, size_t size)
{
    Out out = {text, size - 1, 0};
    out_text(&out, "none");
    for (size_t i = 0; chat_style_name(i); i++) {
        out_text(&out, ", ");
        out_text(&out, chat_style_name(i));
    }
    text[MIN(out.size, out.cap)] = 0;
}

int model_style(const Args *args, const EngineInfo *info,
                const ChatStyle **style)
{
    const char *name = args->chat_template;
    char names[512];
    list_styles(names, sizeof names);
    *style = NULL;
    if (name && !strcmp(name, "none")) return 0;
    if (!name && !info->chat_template) return 0;
    *style = name ? chat_find(name) : chat_recognise(info->chat_template);
    if (*style) return 0;
    if (name)
        return usage_error(args,
                           "found --chat-template '%s', expected one of %s",
                           name, names);
    return report_failure(
        "%s: the model's chat template is of no format that weir knows; say "
        "which one comes near by --chat-template FAMILY: %s",
        model_name(args), names);
}

/* ---- the prompt ---- */

static int render(const Args *args, const ChatStyle *style, weir_bytes prompt,
                  const ToolFile *tools, bool direct, ChatText *text)
{
    ChatMessage messages[2];
    ChatInput input = {.messages = messages,
                       .tools = tools->list,
                       .tool_count = tools->count,
                       .direct = direct};
    weir_error err;
    if (args->system)
        messages[input.count++] =
            (ChatMessage){.role = CHAT_SYSTEM,
                          .content = {args->system, strlen(args->system)}};
    messages[input.count++] =
        (ChatMessage){.role = CHAT_USER, .content = prompt};
    chat_today(&input);
    return chat_render(style, &input, text, &err)
               ? 0
               : report_failure("%s", err.message);
}

static int write_text(const Args *args, const ChatStyle *style,
                      weir_bytes prompt, const ToolFile *tools, bool direct,
                      ChatText *text)
{
    if (style) return render(args, style, prompt, tools, direct, text);
    if (args->system || tools->count)
        return usage_error(args,
                           "found %s, but the model has no chat format; "
                           "--chat-template names one",
                           args->system ? "--system" : "--tools");
    return chat_raw(text, prompt) ? 0 : report_failure("out of memory");
}

/* Whether texts begin with the model's first token: as its file says, or its
 * chat template does. */
static bool wants_begin(const EngineInfo *info, const ChatStyle *style)
{
    bool is_written = style && info->chat_template &&
                      strstr(info->chat_template, "bos_token");
    return info->begin != UINT32_MAX && (info->adds_begin || is_written);
}

int model_prompt(const Args *args, const Engine *engine, const ChatStyle *style,
                 const ToolFile *tools, bool direct, ChatTokens *ids)
{
    const EngineInfo *info = engine_info(engine);
    ChatText text = {.mem = args->mem};
    FileBytes file = {0};
    weir_bytes prompt = {args->prompt, strlen(args->prompt)};
    if (!strcmp(args->prompt, "-")) {
        if (!input_read(args->mem, "-", &file)) return 2;
        prompt = (weir_bytes){file.at, file.count};
    }
    int status = write_text(args, style, prompt, tools, direct, &text);
    bool ok = status != 0 || !wants_begin(info, style) ||
              vec_push(args->mem, ids, info->begin);
    ok = ok && (status || chat_encode(&text, engine_vocab(engine), ids));
    if (!ok) status = report_failure("out of memory");
    if (!status && !ids->count) status = report_failure("the prompt is empty");
    chat_free(&text);
    vec_free(args->mem, &file);
    return status;
}
