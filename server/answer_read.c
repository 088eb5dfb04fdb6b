/* answer_read.c: which parser of the library reads what.
 *
 * vLLM's list of calls is that of mistral_v7 without its mark, which is put
 * before it.
 * Tests: server/answer_split_test.py.
 */
#include "server/answer_read.h"

#include "base/diag.h"

/* ---- opening ---- */

static bool is_json_grammar(const weir_constraint_info *c)
{
    static const char *const fields[] = {"/response_format", "/json_schema"};
    if (c->kind != WEIR_GBNF || !c->from) return false;
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (!strncmp(c->from, fields[i], strlen(fields[i]))) return true;
    return false;
}

/* What llama-server makes of a schema is a grammar of JSON, too. */
static weir_content_rule rule_of(const ReaderOpts *o)
{
    const weir_constraint_info *c = o->constraint;
    if (!o->json_alone || c->degraded) return WEIR_CONTENT_TEXT;
    if (is_json_grammar(c)) return WEIR_CONTENT_JSON;
    return weir_content_rule_of(c->kind);
}

static bool open_family(AnswerReader *r, const ReaderOpts *o, weir_error *err)
{
    const weir_constraint_info *c = o->constraint;
    bool has_calls =
        c->tool_mode >= WEIR_TOOLS_FREE && c->tool_mode <= WEIR_TOOLS_REQUIRED;
    weir_tool_opts opts = {.size = sizeof opts, .reasoning = o->reasoning};
    opts.calls = has_calls ? WEIR_CALLS_AUTO : WEIR_CALLS_NONE;
    if (!o->family) return true;
    r->family = weir_tool_parser_new(o->env, o->family, c->tools,
                                     has_calls ? c->tool_count : 0, &opts, err);
    return r->family;
}

/* The brackets that vLLM's list lacks before it. */
static bool open_list(AnswerReader *r, const ReaderOpts *o, weir_error *err)
{
    static const weir_bytes mark = {"[TOOL_CALLS]", 12};
    const weir_tool_event *events;
    size_t count;
    r->list = weir_tool_parser_new(o->env, WEIR_FAMILY_MISTRAL_V7,
                                   o->constraint->tools,
                                   o->constraint->tool_count, NULL, err);
    if (!r->list) return false;
    return !weir_tool_parse(r->list, mark, &events, &count) ||
           diag_no_memory(err);
}

static bool open_content(AnswerReader *r, const ReaderOpts *o, weir_error *err)
{
    const weir_constraint_info *c = o->constraint;
    if (c->tool_mode == WEIR_TOOLS_LIST) return open_list(r, o, err);
    if (c->tool_mode == WEIR_TOOLS_ARGUMENTS && c->tool_count) {
        r->is_arguments = true;
        put_raw(&r->name, c->tools[0].name);
        return !r->name.failed || diag_no_memory(err);
    }
    if (rule_of(o) == WEIR_CONTENT_TEXT) return true;
    r->value = weir_content_new(o->env, WEIR_CONTENT_JSON, err);
    return r->value;
}

bool reader_open(AnswerReader *r, const ReaderOpts *opts, weir_error *err)
{
    *r = (AnswerReader){.name.mem = opts->mem, .raw.mem = opts->mem};
    if (open_family(r, opts, err) && open_content(r, opts, err)) return true;
    reader_close(r);
    return false;
}

void reader_close(AnswerReader *r)
{
    weir_tool_parser_free(r->family);
    weir_tool_parser_free(r->list);
    weir_content_free(r->value);
    put_free(&r->name);
    put_free(&r->raw);
    *r = (AnswerReader){.family = NULL};
}

/* ---- reading ---- */

static weir_bytes bytes_of(const JsonPut *put)
{
    return (weir_bytes){put->text.count ? put->text.at : "", put->text.count};
}

static bool tell_all(const weir_tool_event *events, size_t count,
                     ReaderTell tell, void *user)
{
    for (size_t i = 0; i < count; i++)
        if (!tell(user, &events[i])) return false;
    return true;
}

static bool tell_some(weir_tool_event_kind kind, weir_bytes text,
                      ReaderTell tell, void *user)
{
    weir_tool_event event = {.kind = kind, .text = text, .id = {"", 0}};
    return !text.size || tell(user, &event);
}

static bool take_arguments(AnswerReader *r, weir_bytes text, ReaderTell tell,
                           void *user)
{
    if (!r->has_call &&
        !tell_some(WEIR_TOOL_CALL, bytes_of(&r->name), tell, user))
        return false;
    r->has_call = true;
    return tell_some(WEIR_TOOL_ARGUMENTS, text, tell, user);
}

static bool take_content(AnswerReader *r, weir_bytes text, ReaderTell tell,
                         void *user)
{
    const weir_tool_event *events;
    size_t count;
    if (!text.size) return true;
    if (r->is_arguments) return take_arguments(r, text, tell, user);
    if (r->list)
        return !weir_tool_parse(r->list, text, &events, &count) &&
               tell_all(events, count, tell, user);
    if (r->value) {
        put_raw(&r->raw, text);
        if (r->raw.failed || weir_content_push(r->value, text, &text))
            return false;
    }
    return tell_some(WEIR_TOOL_CONTENT, text, tell, user);
}

static bool take_events(AnswerReader *r, const weir_tool_event *events,
                        size_t count, ReaderTell tell, void *user)
{
    for (size_t i = 0; i < count; i++) {
        bool is_content = events[i].kind == WEIR_TOOL_CONTENT;
        if (is_content ? !take_content(r, events[i].text, tell, user)
                       : !tell(user, &events[i]))
            return false;
    }
    return true;
}

bool reader_take(AnswerReader *r, weir_bytes text, ReaderTell tell, void *user)
{
    const weir_tool_event *events;
    size_t count;
    if (!text.size) return true;
    if (!r->family) return take_content(r, text, tell, user);
    return !weir_tool_parse(r->family, text, &events, &count) &&
           take_events(r, events, count, tell, user);
}

bool reader_end(AnswerReader *r, bool completed, ReaderTell tell, void *user)
{
    const weir_tool_event *events;
    size_t count;
    if (r->family && (weir_tool_parse_end(r->family, &events, &count) ||
                      !take_events(r, events, count, tell, user)))
        return false;
    if (r->list)
        return !weir_tool_parse_end(r->list, &events, &count) &&
               tell_all(events, count, tell, user);
    weir_tool_event end = {.kind = WEIR_TOOL_CALL_END, .complete = completed};
    return !r->has_call || tell(user, &end);
}
