/* cmd_resolve.c: weir resolve: what a request asks for, or how a server would
 * refuse it. The constraint is compiled too, so that what is wrong with it is
 * found as a server would find it.
 * Tests: tests/cli/request_cli_test.py.
 */
#include <stdlib.h>

#include "weir/cli_constraint.h"
#include "weir/cli_report.h"
#include "weir/cli_request.h"
#include "weir/cmd.h"

static const char *kind_name(weir_source_kind kind)
{
    static const char *const names[] = {
        [0] = "none",
        [WEIR_JSON_VALUE] = "json_value",
        [WEIR_JSON_OBJECT] = "json_object",
        [WEIR_REGEX] = "regex",
        [WEIR_EBNF] = "ebnf",
        [WEIR_CHOICE] = "choice",
        [WEIR_JSON_SCHEMA] = "json_schema",
        [WEIR_GBNF] = "gbnf",
        [WEIR_LARK] = "lark",
        [WEIR_STRUCTURAL_TAG] = "structural_tag",
    };
    return names[kind];
}

static const char *mode_name(weir_tool_mode mode)
{
    static const char *const names[] = {
        [WEIR_TOOLS_NONE] = "none", [WEIR_TOOLS_FREE] = "free",
        [WEIR_TOOLS_AUTO] = "auto", [WEIR_TOOLS_REQUIRED] = "required",
        [WEIR_TOOLS_LIST] = "list", [WEIR_TOOLS_ARGUMENTS] = "arguments",
    };
    return names[mode];
}

static const char *space_name(weir_space_kind kind)
{
    static const char *const names[] = {
        [WEIR_SPACE_ANY] = "any",
        [WEIR_SPACE_COMPACT] = "compact",
        [WEIR_SPACE_FIXED] = "fixed",
        [WEIR_SPACE_REGEX] = "regex",
    };
    return names[kind];
}

static const char *end_name(weir_termination termination)
{
    static const char *const names[] = {
        [WEIR_TERM_WHEN_FINAL] = "when_final",
        [WEIR_TERM_STOP_TOKEN] = "stop_token",
        [WEIR_TERM_FIRST_COMPLETE] = "first_complete",
    };
    return names[termination];
}

/* ---- JSON ---- */

static void put_string(const char *name, weir_bytes text)
{
    printf(",\"%s\":", name);
    print_json_string(stdout, text.data, text.size);
}

static void put_flag(const char *name, bool value)
{
    printf(",\"%s\":%s", name, value ? "true" : "false");
}

static void json_tools(const weir_constraint_info *info)
{
    printf(",\"tools\":{\"mode\":\"%s\"", mode_name(info->tool_mode));
    put_flag("parallel", info->parallel);
    printf(",\"list\":[");
    for (size_t i = 0; i < info->tool_count; i++) {
        const weir_tool *t = &info->tools[i];
        printf("%s{\"from\":\"%s\",\"kind\":\"%s\"", i ? "," : "", t->from,
               kind_name(t->kind));
        put_flag("strict", t->strict);
        put_string("name", t->name);
        put_string("source", t->source);
        printf("}");
    }
    printf("]}");
}

static void json_source(const weir_constraint_info *info)
{
    printf("\"kind\":\"%s\",\"from\":\"%s\"", kind_name(info->kind),
           info->from);
    put_flag("strict", info->strict);
    put_string("name", info->name);
    if (info->kind != WEIR_CHOICE) {
        put_string("source", info->source);
        return;
    }
    printf(",\"choices\":[");
    for (size_t i = 0; i < info->choice_count; i++) {
        if (i) printf(",");
        print_json_string(stdout, info->choices[i].data, info->choices[i].size);
    }
    printf("]");
}

static void json_print(const weir_constraint_info *info,
                       const weir_refusal *failed)
{
    const weir_compile_opts *o = info->opts;
    weir_bytes reason = {failed->message, strlen(failed->message)};
    printf("{");
    json_source(info);
    printf(",\"whitespace\":\"%s\",\"termination\":\"%s\",\"mask\":\"%s\"",
           space_name(o->space.kind), end_name(info->termination),
           info->redraw ? "redraw" : "first");
    put_flag("closed", o->schema.strict);
    if (info->prefill.size) put_string("prefill", info->prefill);
    put_flag("batched", info->batched);
    put_flag("jump_forward", info->jump_forward);
    put_flag("compiles", !failed->http);
    if (failed->http) put_string("reason", reason);
    if (info->tool_mode) json_tools(info);
    put_flag("degraded", info->degraded);
    if (info->degraded) {
        put_string("system_message", info->system_message);
        put_string("warning", info->warning);
    }
    printf("}\n");
}

/* ---- words ---- */

static void print_bytes(const char *label, weir_bytes text)
{
    printf("%-12s %.*s\n", label, (int)text.size, text.data ? text.data : "");
}

static void print_source(const weir_constraint_info *info)
{
    if (info->kind == WEIR_JSON_SCHEMA) {
        print_bytes("name", info->name);
        printf("%-12s %s\n", "strict", info->strict ? "yes" : "no");
    }
    for (size_t i = 0; i < info->choice_count; i++)
        print_bytes("choice", info->choices[i]);
    if (info->source.size) print_bytes("source", info->source);
    if (info->prefill.size) print_bytes("prefill", info->prefill);
}

static void print_tools(const weir_constraint_info *info)
{
    if (!info->tool_mode) return;
    printf("%-12s %s%s\n", "tools", mode_name(info->tool_mode),
           info->parallel ? ", in parallel" : "");
    for (size_t i = 0; i < info->tool_count; i++) {
        const weir_tool *t = &info->tools[i];
        printf("%-12s %.*s (%s%s, from %s)\n", "  tool", (int)t->name.size,
               t->name.data, t->kind ? kind_name(t->kind) : "any text",
               t->strict ? ", strict" : "", t->from);
    }
}

static void print_words(const weir_constraint_info *info,
                        const weir_refusal *failed)
{
    printf("%-12s %s\n", "kind", kind_name(info->kind));
    if (*info->from && info->kind) printf("%-12s %s\n", "from", info->from);
    print_source(info);
    print_tools(info);
    if (failed->http) printf("%-12s no: %s\n", "compiles", failed->message);
    if (!info->degraded) return;
    print_bytes("warning", info->warning);
    if (info->system_message.size) print_bytes("system", info->system_message);
}

/* ---- the command ---- */

static int print_refusal(const Args *args, const weir_refusal *f)
{
    char body[8192];
    size_t size = weir_refusal_body(f, body, sizeof body);
    weir_bytes pointer = {f->pointer, strlen(f->pointer)};
    if (args->json) {
        printf("{\"status\":%d", f->http);
        put_string("pointer", pointer);
        printf(",\"begin\":%u,\"end\":%u,\"body\":%.*s}\n", f->begin, f->end,
               (int)size, body);
    } else {
        printf("HTTP %d\n%.*s\n", f->http, (int)size, body);
    }
    return 1;
}

/* Whether weir knows what is asked for, but not how the model writes it. */
static bool awaits_family(const Args *args, const weir_constraint_info *info)
{
    return !args->family && (info->tool_mode == WEIR_TOOLS_AUTO ||
                             info->tool_mode == WEIR_TOOLS_REQUIRED);
}

static int resolve(const Args *args, RequestFile *r)
{
    weir_constraint_info info = {.size = sizeof info};
    weir_vocab *vocab = NULL;
    if (args->tokenizer &&
        !(vocab = tokenizer_load(args->tokenizer, request_dialect(r))))
        return 2;
    if (r->constraint) weir_grammar_free(request_compile(r, vocab));
    weir_vocab_free(vocab);
    if (!r->constraint) return print_refusal(args, &r->refusal);
    weir_constraint_describe(r->constraint, &info);
    if (r->refusal.http && !awaits_family(args, &info))
        return print_refusal(args, &r->refusal);
    if (args->json)
        json_print(&info, &r->refusal);
    else
        print_words(&info, &r->refusal);
    return 0;
}

int cmd_resolve(const Args *args)
{
    RequestFile r;
    if (args->files.count != 1)
        return usage_error(args, "expected one request");
    int status = request_read(&r, args, args->files.at[0]);
    if (!status) status = resolve(args, &r);
    request_free(&r, args);
    return status;
}
