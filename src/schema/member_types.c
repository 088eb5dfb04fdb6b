/* member_types.c: the types of members, read off the form of a schema's set.
 *
 * In:    a schema.   Out: for each name declared, and for the others, the types
 *        that a value there may have, over all ways an object may be valid.
 * Exact by type: a type is told iff the form of the member's set has some.
 * Tests: unit/member_types_test.c.
 */
#include "schema/member_types.h"

#include "schema/set.h"

static unsigned types_of(Sets *s, SetId set)
{
    unsigned types = 0;
    if (set == SET_NONE) return 0;
    const Form *f = set_form_of(s, set, false);
    if (f->constants & HAS_NULL) types |= TYPE_NULL;
    if (f->constants & (HAS_FALSE | HAS_TRUE)) types |= TYPE_BOOLEAN;
    if (form_has_numbers(f)) types |= TYPE_NUMBER;
    if (f->nstrings) types |= TYPE_STRING;
    if (f->narrays) types |= TYPE_ARRAY;
    if (f->nobjects) types |= TYPE_OBJECT;
    return types;
}

/* Over all shapes. */
static unsigned named_types(Sets *s, const Form *f, Span name)
{
    bool seen;
    unsigned types = 0;
    for (uint32_t i = 0; i < f->nobjects && sets_ok(s); i++)
        types |= types_of(s, object_value(f->objects[i], name, &seen));
    return types;
}

static unsigned other_types(Sets *s, const Form *f)
{
    unsigned types = 0;
    for (uint32_t i = 0; i < f->nobjects; i++)
        for (uint32_t k = 0; k < f->objects[i]->nclasses && sets_ok(s); k++)
            types |= types_of(s, f->objects[i]->classes[k].value);
    return types;
}

typedef struct Found {
    void (*call)(void *user, Span name, unsigned types);
    void *user;
} Found;

static unsigned read_types(Sets *s, Found found)
{
    SetId root = set_schema(s, sources_root(), sources_root_scope(s->sources));
    const Form *f = set_form_of(s, root, false);
    for (uint32_t i = 0; i < f->nobjects; i++)
        for (uint32_t k = 0; k < f->objects[i]->nprops && sets_ok(s); k++) {
            Span name = f->objects[i]->props[k].name;
            unsigned types = named_types(s, f, name);
            if (sets_ok(s)) found.call(found.user, name, types);
        }
    return sets_ok(s) ? other_types(s, f) : 0;
}

bool schema_member_types(const Mem *mem, Span source,
                         void (*found)(void *user, Span name, unsigned types),
                         void *user, unsigned *others, weir_error *err)
{
    Sets s;
    Ir ir;
    weir_limits limits = {0};
    weir_schema_opts opts = {.lenient = true};
    ir_init(&ir, mem, &limits);
    Sources *sources = sources_new(&ir, source, &opts);
    if (sources) {
        if (sets_init(&s, &ir, sources, &opts))
            *others = read_types(&s, (Found){found, user});
        sets_free(&s);
        sources_free(sources);
    }
    bool ok = ir_ok(&ir);
    if (!ok) *err = ir.error;
    ir_free(&ir);
    return ok;
}
