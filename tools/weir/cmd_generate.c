/* cmd_generate.c: weir generate: a model writes an output that obeys the
 * constraint.
 *
 * The engine has one sequence: the prompt, then what the decoder takes, step
 * by step. Ctrl-C ends it after the step in hand: what has been written stays,
 * and --stats still tells of it.
 * Tests: tests/cli/generate_cli_test.py.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "weir/cli_constraint.h"
#include "weir/cli_family.h"
#include "weir/cli_model.h"
#include "weir/cli_report.h"
#include "weir/cli_sampling.h"
#include "weir/cmd.h"
#include "weir/decode.h"

enum { INTERRUPTED = 130 }; /* exit code: 128 and the signal's number */

typedef struct Generation {
    const Args *args;
    Engine *engine;
    const ChatStyle *style;
    ToolFile tools;
    weir_tool_opts tool_opts;
    Session session;
    weir_sampler_opts sampling;
    weir_sampler *sampler;
    weir_decoder *decoder;
    ChatTokens prompt;
    FileBytes output; /* all that was to be sent */
    weir_decoded last;
    bool streams, is_forward;
    double prompt_ms, model_ms, mask_ms, all_ms;
} Generation;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

/* The second one ends the program at once. */
static void listen(void)
{
    struct sigaction action = {.sa_handler = interrupt,
                               .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

/* ---- setting up ---- */

static bool has_tools(const Generation *g)
{
    return g->args->tools != NULL;
}

/* What --tools and a constraint ask for cannot both be had. */
static int check_tools(const Args *args)
{
    bool is_constrained = args->json_value || args->json_object ||
                          args->regex || args->ebnf || args->gbnf ||
                          args->lark || args->schema || args->structural_tag ||
                          args->choices.count;
    if (args->tools && is_constrained)
        return usage_error(args, "found --tools and a constraint, expected one "
                                 "of them");
    if (!args->tools && (args->calls || args->single || args->reasoning ||
                         args->has_reasoning_tokens))
        return usage_error(args, "found %s, which goes with --tools only",
                           args->calls       ? "--calls"
                           : args->single    ? "--single"
                           : args->reasoning ? "--reasoning"
                                             : "--reasoning-tokens");
    return 0;
}

static int check(const Generation *g, weir_dialect *dialect)
{
    const Args *args = g->args;
    if (session_check(args, dialect) || check_tools(args)) return 2;
    if (!args->prompt) return usage_error(args, "expected -p PROMPT");
    if (args->max_tokens > UINT32_MAX)
        return usage_error(args, "--max-tokens is too large");
    return 0;
}

static int set_switch(Generation *g)
{
    static const char *const words[] = {"off", "on", "on"};
    int which =
        word_read(g->args, "--jump-forward", g->args->jump_switch, words);
    g->is_forward = which == 1;
    return which < 0 ? 2 : 0;
}

/* A sampler is made for its checks alone: a model takes longer to load. */
static int read_sampling(Generation *g)
{
    weir_error err;
    if (sampling_read(g->args, &g->sampling)) return 2;
    weir_sampler *sampler = weir_sampler_new(NULL, NULL, &g->sampling, &err);
    weir_sampler_free(sampler);
    return sampler ? 0 : report_failure("%s", err.message);
}

/* The grammar of --tools is a structural tag of the model's family. */
static int compile_tools(Generation *g)
{
    weir_error err = {.status = WEIR_OK};
    weir_family family = g->style ? chat_tools(g->style) : WEIR_FAMILY_NONE;
    const ToolFile *t = &g->tools;
    if (!family)
        return report_failure("%s: the model's chat format has no place for "
                              "tools",
                              model_name(g->args));
    if (!g->args->reasoning) g->tool_opts.reasoning = chat_reasoning(g->style);
    size_t size =
        weir_tool_tag(family, t->list, t->count, &g->tool_opts, NULL, 0, &err);
    char *tag = size == SIZE_MAX ? NULL : mem_new(g->args->mem, size);
    if (tag) {
        weir_tool_tag(family, t->list, t->count, &g->tool_opts, tag, size,
                      NULL);
        g->session.grammar =
            weir_grammar_compile(g->session.vocab, WEIR_STRUCTURAL_TAG,
                                 (weir_bytes){tag, size}, NULL, &err);
        mem_free(g->args->mem, tag, size);
    }
    if (g->session.grammar)
        g->session.matcher = weir_matcher_new(g->session.grammar, NULL, &err);
    return g->session.matcher ? 0 : report_failure("--tools: %s", err.message);
}

static int make_decoder(Generation *g)
{
    const Args *args = g->args;
    weir_error err = {.status = WEIR_OK};
    size_t nstops = args->stops.count;
    weir_bytes *stops = mem_new(args->mem, (nstops + 1) * sizeof *stops);
    if (!stops) return report_failure("out of memory");
    for (size_t i = 0; i < nstops; i++)
        stops[i] = (weir_bytes){args->stops.at[i], strlen(args->stops.at[i])};
    weir_decode_opts opts = {.size = sizeof opts,
                             .max_tokens = (uint32_t)args->max_tokens,
                             .stops = stops,
                             .stop_count = nstops,
                             .with_special = has_tools(g),
                             .jump_forward = g->is_forward};
    g->sampler = weir_sampler_new(NULL, g->session.vocab, &g->sampling, &err);
    if (g->sampler)
        g->decoder = weir_decoder_new(g->session.vocab, g->sampler,
                                      g->session.matcher, &opts, &err);
    mem_free(args->mem, stops, (nstops + 1) * sizeof *stops);
    if (g->decoder &&
        !weir_decoder_prompt(g->decoder, g->prompt.at, g->prompt.count))
        return report_failure("out of memory");
    return g->decoder ? 0 : report_failure("%s", err.message);
}

static int check_prompt(const Generation *g)
{
    uint32_t most = engine_info(g->engine)->context;
    if (g->prompt.count < most) return 0;
    return report_failure("the prompt has %u tokens, the context %u; --context "
                          "allows more",
                          g->prompt.count, most);
}

static int set_up(Generation *g)
{
    weir_dialect dialect;
    const Args *args = g->args;
    if (check(g, &dialect) || set_switch(g) || read_sampling(g) ||
        tool_file_read(args, &g->tools) || tool_opts_read(args, &g->tool_opts))
        return 2;
    g->engine = model_load(args, dialect, NULL);
    if (!g->engine || model_style(args, engine_info(g->engine), &g->style) ||
        session_open_with(&g->session, args, engine_vocab(g->engine)))
        return 2;
    if (has_tools(g) && compile_tools(g)) return 2;
    bool is_direct = g->session.matcher && !has_tools(g);
    return model_prompt(args, g->engine, g->style, &g->tools, is_direct,
                        &g->prompt) ||
                   check_prompt(g) || make_decoder(g)
               ? 2
               : 0;
}

static void tear_down(Generation *g)
{
    weir_decoder_free(g->decoder);
    weir_sampler_free(g->sampler);
    session_close(&g->session, g->args);
    engine_free(g->engine);
    tool_file_free(g->args, &g->tools);
    vec_free(g->args->mem, &g->prompt);
    vec_free(g->args->mem, &g->output);
}

/* ---- generating ---- */

/* Adds tokens to the sequence, a batch at a time; logits are those after the
 * last one. */
static int forward(Generation *g, const uint32_t *ids, size_t count)
{
    size_t most = engine_info(g->engine)->batch;
    weir_error err;
    for (size_t begin = 0; begin < count && !is_interrupted;) {
        size_t n = MIN(count - begin, most);
        EngineRow row = {.position = engine_length(g->engine, 0),
                         .tokens = ids + begin,
                         .count = (uint32_t)n,
                         .logits = begin + n == count};
        if (engine_decode(g->engine, &row, 1, &err))
            return report_failure("%s", err.message);
        begin += n;
    }
    return 0;
}

static bool emit(Generation *g, weir_bytes text)
{
    if (!text.size) return true;
    if (g->streams) {
        fwrite(text.data, 1, text.size, stdout);
        fflush(stdout);
    }
    size_t size = (size_t)g->output.count + text.size;
    if (!vec_reserve(g->args->mem, &g->output, size)) return false;
    memcpy(g->output.at + g->output.count, text.data, text.size);
    g->output.count = (uint32_t)size;
    return true;
}

/* The mask is made here, where its time can be told, and remembered. */
static void make_mask(Generation *g)
{
    if (!g->session.matcher || g->args->redraw) return;
    double start = now_ms();
    weir_matcher_mask(g->session.matcher);
    g->mask_ms += now_ms() - start;
}

static int generate(Generation *g)
{
    uint32_t width = engine_info(g->engine)->width;
    double start = now_ms();
    int status = forward(g, g->prompt.at, g->prompt.count);
    double begin = now_ms();
    g->prompt_ms = begin - start;
    while (!status && !is_interrupted) {
        make_mask(g);
        weir_decoder_step(g->decoder, engine_logits(g->engine, 0, 0), width,
                          &g->last);
        if (!emit(g, g->last.text)) return report_failure("out of memory");
        if (g->last.finish) break;
        double before = now_ms();
        status = forward(g, g->last.tokens, g->last.token_count);
        g->model_ms += now_ms() - before;
    }
    g->all_ms = now_ms() - begin;
    return status;
}

/* ---- reporting ---- */

static double rate(size_t count, double ms)
{
    return ms > 0 ? (double)count * 1000 / ms : 0;
}

static void print_stats(const Generation *g)
{
    weir_matcher_stats masks = {.size = sizeof masks};
    size_t n, prompt = g->prompt.count;
    weir_decoder_tokens(g->decoder, &n);
    if (g->session.matcher) weir_matcher_describe(g->session.matcher, &masks);
    const EngineInfo *info = engine_info(g->engine);
    fprintf(stderr, "model   %s, %s\n", info->name, info->library);
    fprintf(stderr, "prompt  %zu tokens in %.0f ms, %.1f a second\n", prompt,
            g->prompt_ms, rate(prompt, g->prompt_ms));
    fprintf(stderr,
            "output  %zu tokens in %.0f ms, %.1f a second; %zu forced\n", n,
            g->all_ms, rate(n, g->all_ms), weir_decoder_forced(g->decoder));
    if (g->args->redraw && g->session.matcher)
        fprintf(stderr, "redraws %llu\n", (unsigned long long)masks.masks);
    else if (g->session.matcher)
        fprintf(stderr, "masks   %.3f ms a token, %.1f %% of the time\n",
                n ? g->mask_ms / (double)n : 0,
                g->all_ms > 0 ? g->mask_ms / g->all_ms * 100 : 0);
    fprintf(stderr, "seed    %u\n", weir_sampler_seed(g->sampler));
}

static const char *ending(const Generation *g)
{
    const char *reason = weir_finish_reason(g->last.finish);
    return reason ? reason : is_interrupted ? "interrupted" : "error";
}

static void print_json(const Generation *g)
{
    weir_matcher_stats masks = {.size = sizeof masks};
    size_t n;
    weir_decoder_tokens(g->decoder, &n);
    if (g->session.matcher) weir_matcher_describe(g->session.matcher, &masks);
    fputs("{\"text\":", stdout);
    print_json_string(stdout, g->output.at, g->output.count);
    printf(",\"finish\":\"%s\",\"completed\":%s,\"prompt_tokens\":%u,"
           "\"tokens\":%zu,\"forced\":%zu,",
           ending(g), g->last.completed ? "true" : "false", g->prompt.count, n,
           weir_decoder_forced(g->decoder));
    if (g->args->redraw)
        printf("\"redraws\":%llu,", (unsigned long long)masks.masks);
    printf("\"prompt_ms\":%.3f,\"model_ms\":%.3f,\"mask_ms\":%.3f,"
           "\"total_ms\":%.3f,\"seed\":%u}\n",
           g->prompt_ms, g->model_ms, g->mask_ms, g->all_ms,
           weir_sampler_seed(g->sampler));
}

static void print_output(const Generation *g)
{
    if (g->args->json) {
        print_json(g);
        return;
    }
    if (!g->streams && g->output.count)
        fwrite(g->output.at, 1, g->output.count, stdout);
    putchar('\n');
    fflush(stdout);
}

/* 1 when what was written does not obey the constraint, or had no chance to. */
static int judge(const Generation *g)
{
    weir_status error = WEIR_OK;
    if (g->session.matcher) error = weir_matcher_error(g->session.matcher);
    if (is_interrupted && !g->last.finish) return INTERRUPTED;
    if (g->last.finish == WEIR_FINISH_ERROR)
        return report_failure("%s", error ? weir_status_text(error)
                                          : "out of memory");
    bool is_asked_for = g->last.finish == WEIR_FINISH_TEXT;
    if (!g->session.matcher || g->last.completed || is_asked_for) return 0;
    report_failure(g->last.finish == WEIR_FINISH_LENGTH
                       ? "the output is cut off after %s tokens; --max-tokens "
                         "allows more"
                       : "the output ended after %s tokens before it was whole",
                   number_text(g->args->max_tokens).text);
    return 1;
}

int cmd_generate(const Args *args)
{
    Generation g = {.args = args};
    g.streams = !args->json && (args->stream || isatty(STDOUT_FILENO));
    int status = set_up(&g);
    if (!status) {
        listen();
        status = generate(&g);
        print_output(&g);
        if (args->report) print_stats(&g);
        if (!status) status = judge(&g);
    }
    tear_down(&g);
    return status;
}
