/* cmd_tools.c: weir tools tag: the structural tag of a family for some tools;
 * weir tools parse: the calls in an output.
 * Tests: tests/cli/tools_cli_test.py. */
#include <stdlib.h>

#include "text/json.h"
#include "weir/cli_family.h"
#include "weir/cli_input.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

/* The tools of a file, read as a request's. */
typedef struct ToolFile {
    FileBytes text; /* of a request */
    weir_constraint *constraint;
    const weir_tool *list;
    size_t count;
} ToolFile;

static int read_opts(const Args *args, weir_tool_opts *opts)
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

/* ---- tools ---- */

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

static int read_tools(const Args *args, ToolFile *t)
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

static void free_tools(const Args *args, ToolFile *t)
{
    weir_constraint_free(t->constraint);
    vec_free(args->mem, &t->text);
}

/* ---- weir tools tag ---- */

static int print_tag(weir_family family, const ToolFile *t,
                     const weir_tool_opts *opts)
{
    weir_error err;
    size_t size = weir_tool_tag(family, t->list, t->count, opts, NULL, 0, &err);
    char *text = size == SIZE_MAX ? NULL : malloc(size);
    if (!text)
        return report_failure("%s",
                              size == SIZE_MAX ? err.message : "out of memory");
    weir_tool_tag(family, t->list, t->count, opts, text, size, NULL);
    fwrite(text, 1, size, stdout);
    putchar('\n');
    free(text);
    return 0;
}

static int tools_tag(const Args *args, weir_family family, weir_tool_opts *opts,
                     const ToolFile *t)
{
    FileBytes answer = {0};
    if (args->files.count != 1)
        return usage_error(args, "expected nothing after 'tag'");
    if (args->answer && !input_read(args->mem, args->answer, &answer)) return 2;
    opts->answer = (weir_bytes){answer.at, answer.count};
    int status = print_tag(family, t, opts);
    vec_free(args->mem, &answer);
    return status;
}

/* ---- weir tools parse ---- */

/* What has been read, as the message of an answer has it. */
typedef struct Message {
    const Mem *mem;
    FileBytes reasoning, content, calls; /* calls: printed */
    FileBytes call, id, args;            /* of the last call */
    bool is_json, is_broken, no_memory;
    uint32_t count;
} Message;

static void add(Message *m, FileBytes *to, weir_bytes text)
{
    if (m->no_memory || !text.size) return;
    if (!vec_reserve(m->mem, to, (size_t)to->count + text.size)) {
        m->no_memory = true;
        return;
    }
    memcpy(to->at + to->count, text.data, text.size);
    to->count += (uint32_t)text.size;
}

static void add_text(Message *m, FileBytes *to, const char *text)
{
    add(m, to, (weir_bytes){text, strlen(text)});
}

static weir_bytes all_of(const FileBytes *bytes)
{
    return (weir_bytes){bytes->at, bytes->count};
}

static void add_string(Message *m, FileBytes *to, weir_bytes text)
{
    Out out = {NULL, 0, 0};
    json_write_string(&out, span_of(text.data, text.size));
    if (m->no_memory || !vec_reserve(m->mem, to, to->count + out.size)) {
        m->no_memory = true;
        return;
    }
    out = (Out){to->at + to->count, out.size, 0};
    json_write_string(&out, span_of(text.data, text.size));
    to->count += (uint32_t)out.size;
}

static void add_json_call(Message *m)
{
    add_text(m, &m->calls, m->count > 1 ? ",{\"id\":" : "{\"id\":");
    add_string(m, &m->calls, all_of(&m->id));
    add_text(m, &m->calls, ",\"type\":\"function\",\"function\":{\"name\":");
    add_string(m, &m->calls, all_of(&m->call));
    add_text(m, &m->calls, ",\"arguments\":");
    add_string(m, &m->calls, all_of(&m->args));
    add_text(m, &m->calls, "}}");
}

/* A name as a terminal can take it. */
static void add_name(Message *m, const FileBytes *name)
{
    for (uint32_t i = 0; i < name->count; i++) {
        char c = (uint8_t)name->at[i] < ' ' || name->at[i] == 0x7F
                     ? '?'
                     : name->at[i];
        add(m, &m->calls, (weir_bytes){&c, 1});
    }
}

static void add_call(Message *m, bool complete)
{
    m->count++;
    m->is_broken |= !complete;
    if (m->is_json) {
        add_json_call(m);
        return;
    }
    add_text(m, &m->calls, "call         ");
    add_name(m, &m->call);
    if (m->id.count) add_text(m, &m->calls, " (id ");
    add_name(m, &m->id);
    add_text(m, &m->calls, m->id.count ? ") " : " ");
    add(m, &m->calls, all_of(&m->args));
    add_text(m, &m->calls, complete ? "\n" : " (broken off)\n");
}

static void take_event(Message *m, const weir_tool_event *e)
{
    switch (e->kind) {
    case WEIR_TOOL_REASONING:
        add(m, &m->reasoning, e->text);
        break;
    case WEIR_TOOL_CONTENT:
        add(m, &m->content, e->text);
        break;
    case WEIR_TOOL_CALL:
        m->call.count = m->id.count = m->args.count = 0;
        add(m, &m->call, e->text);
        add(m, &m->id, e->id);
        break;
    case WEIR_TOOL_ARGUMENTS:
        add(m, &m->args, e->text);
        break;
    case WEIR_TOOL_CALL_END:
        add_call(m, e->complete);
        break;
    }
}

static void print_label(const char *label, const FileBytes *text)
{
    if (!text->count) return;
    printf("%-12s ", label);
    print_json_string(stdout, text->at, text->count);
    putchar('\n');
}

static void print_message(const Message *m)
{
    if (!m->is_json) {
        print_label("reasoning", &m->reasoning);
        print_label("content", &m->content);
        fwrite(m->calls.at, 1, m->calls.count, stdout);
        return;
    }
    printf("{\"role\":\"assistant\",\"content\":");
    if (m->content.count)
        print_json_string(stdout, m->content.at, m->content.count);
    else
        printf("null");
    if (m->reasoning.count) {
        printf(",\"reasoning_content\":");
        print_json_string(stdout, m->reasoning.at, m->reasoning.count);
    }
    if (m->count)
        printf(",\"tool_calls\":[%.*s]", (int)m->calls.count, m->calls.at);
    printf("}\n");
}

static bool feed(Message *m, weir_tool_parser *p, FILE *file)
{
    char piece[4096];
    const weir_tool_event *events;
    size_t count, got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_bytes bytes = {piece, got};
        if (weir_tool_parse(p, bytes, &events, &count)) return false;
        for (size_t i = 0; i < count; i++) take_event(m, &events[i]);
    }
    if (weir_tool_parse_end(p, &events, &count)) return false;
    for (size_t i = 0; i < count; i++) take_event(m, &events[i]);
    return !m->no_memory;
}

static void free_message(Message *m)
{
    FileBytes *const all[] = {&m->reasoning, &m->content, &m->calls,
                              &m->call,      &m->id,      &m->args};
    for (size_t i = 0; i < COUNT_OF(all); i++) vec_free(m->mem, all[i]);
}

static int tools_parse(const Args *args, weir_family family,
                       const weir_tool_opts *opts, const ToolFile *t)
{
    weir_error err;
    Message m = {.mem = args->mem, .is_json = args->json};
    if (args->files.count != 2)
        return usage_error(args, "expected one FILE after 'parse'");
    weir_tool_parser *p =
        weir_tool_parser_new(NULL, family, t->list, t->count, opts, &err);
    if (!p) return report_failure("%s", err.message);
    FILE *file = input_open(args->files.at[1]);
    int status = file ? 0 : 2;
    if (file && !feed(&m, p, file)) status = report_failure("out of memory");
    input_close(file);
    weir_tool_parser_free(p);
    if (!status) print_message(&m);
    if (!status && m.is_broken) status = 1;
    free_message(&m);
    return status;
}

int cmd_tools(const Args *args)
{
    ToolFile tools = {0};
    weir_family family;
    weir_tool_opts opts;
    const char *what = args->files.count ? args->files.at[0] : "";
    bool is_tag = !strcmp(what, "tag");
    if (!is_tag && strcmp(what, "parse") != 0)
        return usage_error(args, "found '%s', expected tag or parse", what);
    if (family_read(args, &family) || read_opts(args, &opts)) return 2;
    int status = read_tools(args, &tools);
    if (!status)
        status = is_tag ? tools_tag(args, family, &opts, &tools)
                        : tools_parse(args, family, &opts, &tools);
    free_tools(args, &tools);
    return status;
}
