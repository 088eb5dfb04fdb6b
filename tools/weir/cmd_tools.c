/* cmd_tools.c: weir tools tag: the structural tag of a family for some tools;
 * weir tools parse: the calls in an output.
 * Tests: tests/cli/tools_cli_test.py. */
#include <stdlib.h>

#include "text/json.h"
#include "weir/cli_family.h"
#include "weir/cli_input.h"
#include "weir/cli_report.h"
#include "weir/cli_tools.h"
#include "weir/cmd.h"

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
    if (family_read(args, &family) || tool_opts_read(args, &opts)) return 2;
    int status = tool_file_read(args, &tools);
    if (!status)
        status = is_tag ? tools_tag(args, family, &opts, &tools)
                        : tools_parse(args, family, &opts, &tools);
    tool_file_free(args, &tools);
    return status;
}
