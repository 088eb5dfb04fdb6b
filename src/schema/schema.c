/* schema.c: the stages of a schema's compilation, in order. */
#include "schema/schema.h"

#include "schema/emit.h"
#include "schema/lint.h"

/* An empty schema: what contradicts what, as far as it is known. */
static void report_empty(Sets *s, SetId root)
{
    const Clash *c = &s->clash;
    if (!sets_ok(s) || !form_is_none(set_form_of(s, root, false))) return;
    if (!c->keyword)
        place_fail(s->sources, sources_root(), NULL, WEIR_EMPTY,
                   "no value is valid: the schema is false");
    else if (c->member.size)
        place_fail(s->sources, c->place, c->keyword, WEIR_EMPTY,
                   "no value is valid: member \"%.*s\" is required, and no "
                   "value is left for it",
                   (int)MIN(c->member.size, 60), (const char *)c->member.at);
    else
        place_fail(s->sources, c->place, c->keyword, WEIR_EMPTY,
                   "no value is valid: '%s' contradicts %s%s%s", c->keyword,
                   c->against ? "'" : "",
                   c->against ? c->against : "the keywords beside it",
                   c->against ? "'" : "");
}

void schema_compile(Ir *ir, Span source, const weir_schema_opts *opts,
                    const weir_space *space)
{
    Sets s;
    Sources *sources = sources_new(ir, source, opts);
    if (!sources) return;
    schema_lint(sources, LINT_MISTAKES);
    if (sets_init(&s, ir, sources, opts)) {
        SetId root =
            set_schema(&s, sources_root(), sources_root_scope(sources));
        report_empty(&s, root);
        emit_run(&s, root, space);
    }
    sets_free(&s);
    sources_free(sources);
}
