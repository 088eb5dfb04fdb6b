/* cli_tools.c: tools of a file, in whichever form, by the reader of requests.
 * Tests: tests/cli/tools_cli_test.py. */
#include "weir/cli_tools.h"

#include "text/json.h"
#include "weir/cli_family.h"
#include "weir/cli_report.h"

int tool_opts_read(const Args *args, weir_tool_opts *opts)
{
    static const char *const calls[] = {"auto", "required", "none"};
    weir_reasoning reasoning;
    uint32_t tokens;
    int which = word_read(args, "--calls", args->calls, calls);
    if (which < 0 || reasoning_read(args, &reasoning, &tokens)) return 2;
    *opts = (weir_tool_opts){.size = sizeof *opts,
                             .calls = (weir_calls)which,
                             .single = args->single,
                             .reasoning = reasoning,
                             .reasoning_tokens = tokens,
                             .any_order = args->any_order};
    return 0;
}

/* By the members of the first tool, in whose form the list is. */
static weir_endpoint form_of(const Json *json, JsonId list)
{
    JsonIter it = json_iter(json, list);
    if (!json_step(&it)) return WEIR_ENDPOINT_CHAT;
    if (json_get(json, it.value, "input_schema") != JSON_NONE)
        return WEIR_ENDPOINT_MESSAGES;
    bool is_nested = json_get(json, it.value, "function") != JSON_NONE ||
                     json_get(json, it.value, "custom") != JSON_NONE;
    return is_nested ? WEIR_ENDPOINT_CHAT : WEIR_ENDPOINT_RESPONSES;
}

static bool append(const Args *args, FileBytes *bytes, const char *text)
{
    for (; *text; text++)
        if (!vec_push(args->mem, bytes, *text)) return false;
    return true;
}

/* A list becomes the request that has it. */
static int read_form(const Args *args, const char *path, ToolFile *t,
                     weir_endpoint *form)
{
    Json json;
    FileBytes file = {0};
    weir_error err = {.status = WEIR_OK};
    if (!input_read(args->mem, path, &file)) return 2;
    if (!json_parse(&json, args->mem, span_of(file.at, file.count), NULL,
                    &err)) {
        int status = report_error(input_name(path),
                                  (weir_bytes){file.at, file.count}, &err);
        vec_free(args->mem, &file);
        return status;
    }
    bool is_list = json_kind(&json, JSON_ROOT) == JSON_ARRAY;
    JsonId list = is_list ? JSON_ROOT : json_get(&json, JSON_ROOT, "tools");
    *form = form_of(&json, list);
    bool ok = append(args, &t->text, "{\"tools\":");
    Span spelling = json_spelling(&json, list);
    for (size_t i = 0; i < spelling.size && ok; i++)
        ok = vec_push(args->mem, &t->text, (char)spelling.at[i]);
    ok = ok && append(args, &t->text, "}");
    json_free(&json);
    vec_free(args->mem, &file);
    if (!ok) return report_failure("out of memory");
    return list == JSON_NONE
               ? report_failure("%s: found no tools, expected a list of them",
                                input_name(path))
               : 0;
}

int tool_file_read(const Args *args, ToolFile *t)
{
    weir_refusal refusal;
    weir_request_opts opts = {.size = sizeof opts};
    weir_constraint_info info = {.size = sizeof info};
    *t = (ToolFile){.count = 0};
    if (!args->tools) return 0;
    int status = read_form(args, args->tools, t, &opts.endpoint);
    if (status) return status;
    t->constraint = weir_constraint_from_openai(
        NULL, (weir_bytes){t->text.at, t->text.count}, &opts, &refusal);
    if (!t->constraint)
        return report_failure("%s: %s", input_name(args->tools),
                              refusal.message);
    weir_constraint_describe(t->constraint, &info);
    t->list = info.tools;
    t->count = info.tool_count;
    return 0;
}

void tool_file_free(const Args *args, ToolFile *t)
{
    weir_constraint_free(t->constraint);
    vec_free(args->mem, &t->text);
}
