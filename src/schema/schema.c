/* schema.c: the stages of a schema's compilation, in order. */
#include "schema/schema.h"

#include "schema/emit.h"
#include "schema/keyword_check.h"
#include "schema/lint.h"

enum { MAX_DEPTH = 64 };

/* Whether a set is surely empty, also for what its required members are; then
 * the clash says why. Members in the middle of being looked at are taken to be
 * possible: what has no end is found when the rules are put in order. */
static bool is_empty(Sets *s, SetId set, uint32_t depth)
{
    if (s->nodes.at[set].is_none == 1 || depth > MAX_DEPTH) return false;
    const Form *f = set_form_of(s, set, false);
    if (!sets_ok(s)) return false;
    if (form_is_none(f)) return true;
    s->nodes.at[set].is_none = 1; /* each is looked at once */
    if (f->constants || form_has_numbers(f) || f->nstrings || f->narrays)
        return false;
    for (uint32_t i = 0; i < f->nobjects; i++) {
        const ObjectShape *o = f->objects[i];
        uint32_t k = 0;
        while (k < o->nprops && !(o->props[k].required &&
                                  is_empty(s, o->props[k].value, depth + 1)))
            k++;
        if (k == o->nprops) return false;
    }
    return true;
}

/* An empty schema: what contradicts what, as far as it is known. */
static void report_empty(Sets *s, SetId root)
{
    const Clash *c = &s->clash;
    if (!is_empty(s, root, 0) || !sets_ok(s)) return;
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

static void compile(Sources *sources, Ir *ir, const SchemaUse *use)
{
    Sets s;
    if (sets_init(&s, ir, sources, use->opts)) {
        if (use->work) s.lang.work = *use->work;
        SetId root =
            set_schema(&s, sources_root(), sources_root_scope(sources));
        report_empty(&s, root);
        emit_run(&s, root, use);
        if (use->work) *use->work = s.lang.work;
    }
    sets_free(&s);
}

void schema_compile_part(Ir *ir, Span source, const SchemaUse *use)
{
    Sources *sources = sources_new(ir, source, use->opts);
    if (sources && use->is_warned) schema_lint(sources, LINT_MISTAKES);
    if (sources && !use->is_warned) keywords_check(sources);
    if (ir_ok(ir)) compile(sources, ir, use);
    sources_free(sources);
}

void schema_compile(Ir *ir, Span source, const weir_schema_opts *opts,
                    const weir_space *space)
{
    schema_compile_part(ir, source, &(SchemaUse){.opts = opts, .space = space});
}

void schema_compile_warned(Ir *ir, Span source, const weir_schema_opts *opts,
                           const weir_space *space)
{
    schema_compile_part(
        ir, source,
        &(SchemaUse){.opts = opts, .space = space, .is_warned = true});
}
