/* schema_object.c: the keywords of objects.
 *
 * Names are parted first: classes by patternProperties, what no pattern
 * matches being additional, then the names that `properties` and `required`
 * list, each with what it must be by all keywords that speak of it.
 */
#include "schema/schema_form.h"

typedef struct Parts {
    Schema *x;
    VEC(Prop) props;
    Map index; /* by name; used for many */
    VEC(KeyClass) classes;
    VEC(Need) needs;
} Parts;

static void out_of_memory(Parts *p)
{
    diag_no_memory(&p->x->s->ir->error);
}

/* ---- classes ---- */

static void class_put(Parts *p, const Dfa *keys, SetId value, bool seen)
{
    KeyClass c = {keys, value, seen};
    if (keys && lang_is_none(keys)) return;
    if (!vec_push(p->x->s->mem, &p->classes, c)) out_of_memory(p);
}

/* Splits every class by the pattern. */
static void split(Parts *p, const Dfa *keys, SetId value, bool seen)
{
    Sets *s = p->x->s;
    uint32_t n = p->classes.count;
    for (uint32_t i = 0; i < n && sets_ok(s); i++) {
        KeyClass c = p->classes.at[i];
        const Dfa *in = c.keys ? lang_intersect(&s->lang, c.keys, keys) : keys;
        const Dfa *out = c.keys ? lang_subtract(&s->lang, c.keys, keys)
                                : lang_complement(&s->lang, keys);
        class_put(p, in, set_and(s, c.value, value), c.seen || seen);
        class_put(p, out, c.value, c.seen);
    }
    uint32_t kept = p->classes.count - n;
    if (kept)
        memmove(p->classes.at, p->classes.at + n, kept * sizeof *p->classes.at);
    p->classes.count = kept;
}

static void read_patterns(Parts *p)
{
    Schema *x = p->x;
    class_put(p, NULL, SET_ALL, false);
    JsonIter it = json_iter(x->json, x->at[KEYWORD_PATTERN_PROPERTIES]);
    while (json_step(&it) && sets_ok(x->s)) {
        const Dfa *keys =
            schema_pattern(x, it.key_id, KEYWORD_PATTERN_PROPERTIES, NULL);
        if (keys) split(p, keys, schema_set(x, it.value), true);
    }
}

/* Classes that no pattern matches: those not seen yet. */
static void read_additional(Parts *p, bool is_named)
{
    Schema *x = p->x;
    JsonId id = x->at[KEYWORD_ADDITIONAL_PROPERTIES];
    bool speaks = is_named || x->at[KEYWORD_PROPERTIES] != JSON_NONE;
    SetId value;
    if (id != JSON_NONE)
        value = schema_set(x, id);
    else if (x->s->opts->strict && speaks)
        value = SET_NONE;
    else
        return;
    for (uint32_t i = 0; i < p->classes.count; i++) {
        KeyClass *c = &p->classes.at[i];
        if (c->seen) continue;
        c->value = set_and(x->s, c->value, value);
        c->seen = id != JSON_NONE;
    }
}

/* ---- props ---- */

enum { FEW = 12 };

static uint32_t prop_find(Parts *p, Span name)
{
    if (p->props.count <= FEW) {
        for (uint32_t i = 0; i < p->props.count; i++)
            if (span_equal(p->props.at[i].name, name)) return i;
        return COUNT_INF;
    }
    uint64_t h = hash_bytes(FNV_SEED, name.at, name.size);
    for (MapPos m = map_first(&p->index, h); m.value != MAP_NONE;
         m = map_next(&p->index, h, m))
        if (span_equal(p->props.at[m.value].name, name)) return m.value;
    return COUNT_INF;
}

/* What a name must be by its class alone. */
static SetId class_value(const Parts *p, Span name, bool *seen)
{
    ObjectShape rest = {.nclasses = p->classes.count, .classes = p->classes.at};
    return object_value(&rest, name, seen);
}

/* The prop of that name, made if it is new, with what its class says. */
static uint32_t prop_of(Parts *p, Span name)
{
    Sets *s = p->x->s;
    uint32_t i = prop_find(p, name);
    if (i != COUNT_INF) return i;
    Prop prop = {.name = name};
    prop.value = class_value(p, name, &prop.seen);
    uint64_t h = hash_bytes(FNV_SEED, name.at, name.size);
    if (!vec_push(s->mem, &p->props, prop) ||
        !map_add(s->mem, &p->index, h, p->props.count - 1))
        out_of_memory(p);
    return p->props.count - 1;
}

/* Before the additional ones are read: a listed name is not additional. Of
 * equal names the last one is meant. */
static void read_properties(Parts *p)
{
    Schema *x = p->x;
    JsonIter it = json_iter(x->json, x->at[KEYWORD_PROPERTIES]);
    while (json_step(&it) && sets_ok(x->s)) {
        uint32_t i = prop_of(p, it.key);
        SetId value = schema_set(x, it.value);
        if (!sets_ok(x->s)) return;
        Prop *prop = &p->props.at[i];
        prop->value = set_and(x->s, value, class_value(p, it.key, &prop->seen));
        prop->seen = true;
    }
}

static void read_required(Parts *p)
{
    Schema *x = p->x;
    JsonIter it = json_iter(x->json, x->at[KEYWORD_REQUIRED]);
    while (json_step(&it) && sets_ok(x->s)) {
        uint32_t i = prop_of(p, json_string(x->json, it.value));
        if (sets_ok(x->s)) p->props.at[i].required = true;
    }
}

static void read_needs(Parts *p, KeywordId keyword)
{
    Schema *x = p->x;
    JsonIter it = json_iter(x->json, x->at[keyword]);
    while (json_step(&it) && sets_ok(x->s)) {
        JsonKind kind = json_kind(x->json, it.value);
        bool is_name = kind == JSON_STRING; /* draft 3's form, still in use */
        if (kind != JSON_ARRAY && !is_name) continue;
        uint32_t when = prop_of(p, it.key);
        JsonIter names = json_iter(x->json, it.value);
        while (sets_ok(x->s) && (is_name || json_step(&names))) {
            JsonId name = is_name ? it.value : names.value;
            Need need = {when, prop_of(p, json_string(x->json, name))};
            if (!vec_push(x->s->mem, &p->needs, need)) out_of_memory(p);
            if (is_name) break;
        }
    }
}

/* ---- propertyNames ---- */

/* The strings of a form as one automaton; NULL: any. */
static const Dfa *strings_of(Sets *s, const Form *f)
{
    const Dfa *all = lang_none();
    for (uint32_t i = 0; i < f->nstrings && sets_ok(s); i++) {
        StringPiece p = piece_regular(s, f->strings[i]);
        all = lang_unite(&s->lang, all, piece_language(s, &p));
    }
    return lang_is_all(all) ? NULL : all;
}

static void read_names(Parts *p)
{
    Schema *x = p->x;
    Sets *s = x->s;
    JsonId id = x->at[KEYWORD_PROPERTY_NAMES];
    if (id == JSON_NONE) return;
    const Form *f = set_form_of(s, schema_set(x, id), false);
    const Dfa *names = strings_of(s, f);
    if (!sets_ok(s) || !names) return;
    for (uint32_t i = 0; i < p->props.count; i++)
        if (!lang_matches(names, p->props.at[i].name))
            p->props.at[i].value = SET_NONE;
    split(p, lang_complement(&s->lang, names), SET_NONE, false);
}

/* ---- the shape ---- */

static const ObjectShape *parts_shape(Parts *p)
{
    Schema *x = p->x;
    ObjectShape o = {.nprops = p->props.count,
                     .props = p->props.at,
                     .nclasses = p->classes.count,
                     .classes =
                         sets_copy(x->s, p->classes.at,
                                   p->classes.count * sizeof *p->classes.at),
                     .nneeds = p->needs.count,
                     .needs = p->needs.at,
                     .lo = schema_count(x, KEYWORD_MIN_PROPERTIES, 0),
                     .hi = schema_count(x, KEYWORD_MAX_PROPERTIES, COUNT_INF)};
    if (o.lo > o.hi)
        schema_clash(x, KEYWORD_MIN_PROPERTIES, KEYWORD_MAX_PROPERTIES);
    return sets_ok(x->s) ? object_finish(x->s, &o) : NULL;
}

static const KeywordId about_objects[] = {
    KEYWORD_PROPERTIES,        KEYWORD_PATTERN_PROPERTIES,
    KEYWORD_REQUIRED,          KEYWORD_ADDITIONAL_PROPERTIES,
    KEYWORD_PROPERTY_NAMES,    KEYWORD_MIN_PROPERTIES,
    KEYWORD_MAX_PROPERTIES,    KEYWORD_DEPENDENCIES,
    KEYWORD_DEPENDENT_REQUIRED};

const ObjectShape *schema_object(Schema *x, bool is_named)
{
    Parts p = {.x = x};
    bool speaks = is_named && x->s->opts->strict;
    for (uint32_t i = 0; i < COUNT_OF(about_objects); i++)
        speaks |= x->at[about_objects[i]] != JSON_NONE;
    if (!speaks) return &object_any;
    read_patterns(&p);
    read_properties(&p);
    read_additional(&p, is_named);
    read_required(&p);
    read_needs(&p, KEYWORD_DEPENDENCIES);
    read_needs(&p, KEYWORD_DEPENDENT_REQUIRED);
    read_names(&p);
    const ObjectShape *shape = sets_ok(x->s) ? parts_shape(&p) : NULL;
    vec_free(x->s->mem, &p.props);
    vec_free(x->s->mem, &p.classes);
    vec_free(x->s->mem, &p.needs);
    map_free(x->s->mem, &p.index);
    return shape;
}

/* ---- unevaluatedProperties ---- */

static const ObjectShape *rest_members(Schema *x, const ObjectShape *a,
                                       SetId rest)
{
    Sets *s = x->s;
    ObjectShape b = *a;
    Prop *props = sets_copy(s, a->props, a->nprops * sizeof *props);
    KeyClass *classes = sets_copy(s, a->classes, a->nclasses * sizeof *classes);
    if (!props || !classes) return NULL;
    for (uint32_t i = 0; i < a->nprops; i++) {
        if (!props[i].seen) props[i].value = set_and(s, props[i].value, rest);
        props[i].seen = true;
    }
    for (uint32_t i = 0; i < a->nclasses; i++) {
        if (!classes[i].seen)
            classes[i].value = set_and(s, classes[i].value, rest);
        classes[i].seen = true;
    }
    b.props = props;
    b.classes = classes;
    b.is_plain = false;
    return object_finish(s, &b);
}

void schema_rest_members(Schema *x)
{
    Sets *s = x->s;
    SetId rest = schema_set(x, x->at[KEYWORD_UNEVALUATED_PROPERTIES]);
    if (!sets_ok(s)) return;
    Form f = *x->form;
    f.one_of = NULL;
    const ObjectShape **shapes = sets_array(s, const ObjectShape *, f.nobjects);
    uint32_t n = 0;
    for (uint32_t i = 0; shapes && i < f.nobjects; i++) {
        const ObjectShape *o = rest_members(x, f.objects[i], rest);
        if (o) shapes[n++] = o;
    }
    f.objects = shapes;
    f.nobjects = n;
    x->form = sets_copy(s, &f, sizeof f);
}
