/* weir_tool_parse.c: parsers of calls, made, fed and freed. The work is done in
 * calls/.
 * Tests: unit/tool_parse_test.c, unit/fault_sweep_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "calls/parse.h"

struct weir_tool_parser {
    Parser parser;
};

/* Whether the arguments of the family do not tell strings from the rest. */
static bool needs_types(const Family *family)
{
    const ArgStyle *style = arg_style_find(span_text(family->style));
    return style && !style->typed && !style->is_braced;
}

weir_tool_parser *weir_tool_parser_new(const weir_env *env, weir_family family,
                                       const weir_tool *tools, size_t count,
                                       const weir_tool_opts *opts,
                                       weir_error *err)
{
    weir_error local;
    Mem mem = mem_from_env(env);
    weir_tool_opts o = {.size = sizeof o};
    const Family *f = family_at(family);
    err = error_begin(err, &local);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    if (opts) memcpy(&o, opts, MIN(opts->size, sizeof o));
    if (!f || o.reasoning > WEIR_REASONING_MAY)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "found no such family"),
               NULL;
    if (o.reasoning && !f->think)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "the family %s has no reasoning",
                         weir_family_name(family)),
               NULL;
    weir_tool_parser *made = mem_zero(&mem, sizeof *made);
    if (!made) return diag_no_memory(err), NULL;
    Parser *p = &made->parser;
    p->mem = mem;
    p->family = f;
    p->reasoning = o.reasoning;
    p->no_calls = o.calls == WEIR_CALLS_NONE;
    if (member_list_init(&p->members, &p->mem, tools, count, needs_types(f),
                         err)) {
        parser_reset(p);
        return made;
    }
    weir_tool_parser_free(made);
    return NULL;
}

void weir_tool_parser_free(weir_tool_parser *parser)
{
    if (!parser) return;
    Mem mem = parser->parser.mem;
    parser_free(&parser->parser);
    mem_free(&mem, parser, sizeof *parser);
}

void weir_tool_parser_reset(weir_tool_parser *parser)
{
    parser_reset(&parser->parser);
}

static weir_status tell(const Parser *p, bool ok,
                        const weir_tool_event **events, size_t *count)
{
    *events = p->events.at;
    *count = ok ? p->events.count : 0;
    return ok ? WEIR_OK : WEIR_NO_MEMORY;
}

weir_status weir_tool_parse(weir_tool_parser *parser, weir_bytes piece,
                            const weir_tool_event **events, size_t *count)
{
    Parser *p = &parser->parser;
    *events = NULL;
    *count = 0;
    if (p->ended) return WEIR_ARGUMENT;
    return tell(p, parser_take(p, span_from(piece)), events, count);
}

weir_status weir_tool_parse_end(weir_tool_parser *parser,
                                const weir_tool_event **events, size_t *count)
{
    Parser *p = &parser->parser;
    *events = NULL;
    *count = 0;
    if (p->ended) return WEIR_ARGUMENT;
    return tell(p, parser_end(p), events, count);
}
