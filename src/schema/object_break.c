/* object_break.c: what it means that an object is not of a shape.
 *
 * A shape is broken in one of several ways: a required member is missing, a
 * member has a value outside its set, there are too few or too many members,
 * and so on. As a union of shapes, one a way, complements would multiply under
 * oneOf: k alternatives of n members make n^(k-1) shapes. Kept as one
 * condition they mostly settle themselves, as in unit propagation: beside
 *     {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}
 * the shape with {"const": "b"} is broken anyway. What is left when a rule is
 * made becomes a count of members with wrong values, at least one, unless one
 * of some members is missing; only ways of other kinds are written out as a
 * union.
 * Tests: unit/schema_set_test.c, the conformance suite.
 */
#include "schema/set.h"

typedef enum WayKind {
    WAY_ABSENT, /* prop i of the broken shape is missing */
    WAY_VALUE,  /* prop i has a value outside its set */
    WAY_CLASS,  /* a member of class i does */
    WAY_NEED,   /* need i */
    WAY_FEW,    /* fewer than lo members */
    WAY_MANY,   /* more than hi */
    WAY_LESS,   /* some[i] is met less often than lo */
    WAY_MORE    /* more often than hi */
} WayKind;

typedef struct Way {
    WayKind kind;
    uint32_t i;
} Way;

typedef struct Ways {
    Sets *s;
    const ObjectShape *a, *of;
    bool holds; /* the shape is broken whatever follows */
    VEC(Way) list;
} Ways;

static void way_put(Ways *w, WayKind kind, uint32_t i)
{
    Way way = {kind, i};
    if (!vec_push(w->s->mem, &w->list, way)) diag_no_memory(&w->s->ir->error);
}

static bool is_required(const ObjectShape *a, Span name)
{
    uint32_t i = object_find(a, name);
    return i != COUNT_INF && a->props[i].required;
}

static void prop_ways(Ways *w, uint32_t i)
{
    const Prop *p = &w->of->props[i];
    bool seen, must = is_required(w->a, p->name);
    SetId value = object_value(w->a, p->name, &seen);
    if (value == SET_NONE) { /* it is missing */
        w->holds |= p->required;
        return;
    }
    if (p->required && !must) way_put(w, WAY_ABSENT, i);
    if (p->value == SET_ALL || p->value == value) return;
    if (must && set_is_none(w->s, set_and(w->s, value, p->value)))
        w->holds = true;
    else if (!set_is_none(w->s, set_and(w->s, value, set_not(w->s, p->value))))
        way_put(w, WAY_VALUE, i);
}

/* Whether a member of the class may have a value outside its set. */
static bool class_can_break(Ways *w, const KeyClass *c)
{
    Sets *s = w->s;
    SetId wrong = set_not(s, c->value);
    for (uint32_t i = 0; i < w->a->nprops; i++) {
        const Prop *p = &w->a->props[i];
        bool is_of = object_find(w->of, p->name) == COUNT_INF &&
                     (!c->keys || lang_matches(c->keys, p->name));
        if (is_of && !set_is_none(s, set_and(s, p->value, wrong))) return true;
    }
    for (uint32_t i = 0; i < w->a->nclasses; i++) {
        const KeyClass *x = &w->a->classes[i];
        bool meet = !x->keys || !c->keys || x->keys == c->keys ||
                    !lang_is_none(known_intersect(&s->known, x->keys, c->keys));
        if (meet && !set_is_none(s, set_and(s, x->value, wrong))) return true;
    }
    return false;
}

/* Whether a required member is of the class, with a value that must be
 * wrong. */
static bool class_is_broken(Ways *w, const KeyClass *c)
{
    for (uint32_t i = 0; i < w->a->nprops; i++) {
        const Prop *p = &w->a->props[i];
        if (p->required && object_find(w->of, p->name) == COUNT_INF &&
            (!c->keys || lang_matches(c->keys, p->name)) &&
            set_is_none(w->s, set_and(w->s, p->value, c->value)))
            return true;
    }
    return false;
}

static void class_ways(Ways *w, uint32_t i)
{
    const KeyClass *c = &w->of->classes[i];
    if (c->value == SET_ALL) return;
    if (class_is_broken(w, c))
        w->holds = true;
    else if (class_can_break(w, c))
        way_put(w, WAY_CLASS, i);
}

static void need_ways(Ways *w, uint32_t i)
{
    Need n = w->of->needs[i];
    Span when = w->of->props[n.when].name, then = w->of->props[n.then].name;
    bool seen;
    if (object_value(w->a, when, &seen) == SET_NONE) return;
    if (is_required(w->a, then)) return;
    bool no_then = object_value(w->a, then, &seen) == SET_NONE;
    if (is_required(w->a, when) && no_then)
        w->holds = true;
    else
        way_put(w, WAY_NEED, i);
}

static void count_ways(Ways *w)
{
    const ObjectShape *a = w->a, *of = w->of;
    w->holds |= a->hi < of->lo || a->lo > of->hi;
    if (of->lo && a->lo < of->lo) way_put(w, WAY_FEW, 0);
    if (of->hi != COUNT_INF && a->hi > of->hi) way_put(w, WAY_MANY, 0);
    for (uint32_t i = 0; i < of->nsome; i++) {
        if (of->some[i].lo) way_put(w, WAY_LESS, i);
        if (of->some[i].hi != COUNT_INF) way_put(w, WAY_MORE, i);
    }
}

static void ways_find(Ways *w)
{
    const ObjectShape *of = w->of;
    if (!sets_charge(w->s, 10 + of->nprops)) return;
    for (uint32_t i = 0; i < of->nprops && !w->holds; i++) prop_ways(w, i);
    for (uint32_t i = 0; i < of->nclasses && !w->holds; i++) class_ways(w, i);
    for (uint32_t i = 0; i < of->nneeds && !w->holds; i++) need_ways(w, i);
    if (!w->holds) count_ways(w);
}

/* ---- one way ---- */

static const ObjectShape *one_prop(Sets *s, Prop *props, uint32_t n)
{
    ObjectShape x = object_any;
    x.is_plain = false;
    x.nprops = n;
    x.props = props;
    return sets_copy(s, &x, sizeof x);
}

static const ObjectShape *one_count(Sets *s, SomeMembers some)
{
    SomeMembers *kept = sets_copy(s, &some, sizeof some);
    ObjectShape x = object_any;
    x.is_plain = false;
    x.nsome = 1;
    x.some = kept;
    return kept ? sets_copy(s, &x, sizeof x) : NULL;
}

static const ObjectShape *one_range(Sets *s, uint32_t lo, uint32_t hi)
{
    ObjectShape x = object_any;
    x.is_plain = false;
    x.lo = lo;
    x.hi = hi;
    return sets_copy(s, &x, sizeof x);
}

/* The names of a class that are no props. */
static const Dfa *class_names(Sets *s, const ObjectShape *a, const KeyClass *c)
{
    if (!a->nprops) return c->keys;
    Span *names = sets_array(s, Span, a->nprops);
    if (!names) return lang_none();
    for (uint32_t i = 0; i < a->nprops; i++) names[i] = a->props[i].name;
    return known_subtract(
        &s->known, c->keys ? c->keys : lang_all(),
        known_keep(&s->known, lang_texts(&s->lang, names, a->nprops)));
}

/* The objects that break `of` in this way, whatever else holds. */
static const ObjectShape *way_shape(Sets *s, const ObjectShape *of, Way way)
{
    Prop *props = sets_array(s, Prop, 2);
    if (!props) return NULL;
    switch (way.kind) {
    case WAY_ABSENT:
        props[0] = (Prop){of->props[way.i].name, SET_NONE, false, false};
        return one_prop(s, props, 1);
    case WAY_VALUE:
        props[0] = (Prop){of->props[way.i].name,
                          set_not(s, of->props[way.i].value), true, false};
        return one_prop(s, props, 1);
    case WAY_CLASS: {
        const KeyClass *c = &of->classes[way.i];
        return one_count(s, (SomeMembers){.keys = class_names(s, of, c),
                                          .value = set_not(s, c->value),
                                          .lo = 1,
                                          .hi = COUNT_INF});
    }
    case WAY_NEED:
        props[0] =
            (Prop){of->props[of->needs[way.i].when].name, SET_ALL, true, false};
        props[1] = (Prop){of->props[of->needs[way.i].then].name, SET_NONE,
                          false, false};
        return one_prop(s, props, 2);
    case WAY_FEW:
        return one_range(s, 0, of->lo - 1);
    case WAY_MANY:
        return one_range(s, of->hi + 1, COUNT_INF);
    case WAY_LESS: {
        const SomeMembers *c = &of->some[way.i];
        return one_count(
            s,
            (SomeMembers){.keys = c->keys, .value = c->value, .hi = c->lo - 1});
    }
    case WAY_MORE: {
        const SomeMembers *c = &of->some[way.i];
        return one_count(s, (SomeMembers){.keys = c->keys,
                                          .value = c->value,
                                          .lo = c->hi + 1,
                                          .hi = COUNT_INF});
    }
    }
    return NULL;
}

/* `a` without its breaks[i]. */
static ObjectShape without(Sets *s, const ObjectShape *a, uint32_t i)
{
    ObjectShape b = *a;
    const ObjectShape **breaks =
        sets_copy(s, a->breaks, a->nbreaks * sizeof *breaks);
    if (!breaks) return b;
    breaks[i] = breaks[--b.nbreaks];
    b.breaks = breaks;
    return b;
}

bool object_breaks_fit(Sets *s, ObjectShape *a, bool *again)
{
    for (uint32_t i = 0; i < a->nbreaks && sets_ok(s);) {
        Ways w = {.s = s, .a = a, .of = a->breaks[i]};
        ways_find(&w);
        uint32_t n = w.list.count;
        Way only = n ? w.list.at[0] : (Way){0};
        vec_free(s->mem, &w.list);
        if (!w.holds && !n) return false;
        if (!w.holds && n > 1) {
            i++;
            continue;
        }
        ObjectShape rest = without(s, a, i);
        if (w.holds) {
            *a = rest;
            continue;
        }
        const ObjectShape *way = way_shape(s, w.of, only);
        const ObjectShape *both = way ? object_and(s, &rest, way) : NULL;
        if (!both) return false;
        *a = *both;
        *again = true;
        return true;
    }
    return sets_ok(s);
}

/* ---- implications ---- */

enum { MAX_IMPLIED = 4 };

/* Not of `a` and broken in the way at once, for each way to break b. */
static bool imply(Ways *w, const ObjectShape *a, const ObjectShape **breaks,
                  uint32_t *count)
{
    Sets *s = w->s;
    const ObjectShape *b = w->of;
    if (w->list.count + b->nbreaks > MAX_IMPLIED) return false;
    for (uint32_t i = 0; i < w->list.count + b->nbreaks && sets_ok(s); i++) {
        const ObjectShape *way =
            i < b->nbreaks ? b->breaks[i]
                           : way_shape(s, b, w->list.at[i - b->nbreaks]);
        const ObjectShape *both = way ? object_and(s, a, way) : NULL;
        if (both) breaks[(*count)++] = both;
    }
    return sets_ok(s);
}

const ObjectShape *object_implies(Sets *s, const ObjectShape *a,
                                  const ObjectShape *b)
{
    assert(!a->nbreaks);
    Ways w = {.s = s, .a = &object_any, .of = b};
    ObjectShape x = object_any;
    const ObjectShape **breaks =
        sets_array(s, const ObjectShape *, MAX_IMPLIED);
    if (!breaks) return NULL;
    ways_find(&w);
    bool ok = imply(&w, a, breaks, &x.nbreaks);
    vec_free(s->mem, &w.list);
    x.is_plain = false;
    x.breaks = breaks;
    return ok ? object_finish(s, &x) : NULL;
}

/* ---- writing out ---- */

enum { MAX_SHAPES = 512 };

/* Ways that are one condition together. */
static bool is_joint(Way way)
{
    return way.kind == WAY_ABSENT || way.kind == WAY_VALUE ||
           way.kind == WAY_CLASS;
}

/* Unless one of the missing members is, some member has a value outside its
 * set. The props of `of` become props of the shape. */
static const ObjectShape *joint_shape(const Ways *w)
{
    Sets *s = w->s;
    const ObjectShape *of = w->of;
    Prop *props = sets_copy(s, of->props, of->nprops * sizeof *props);
    Span *when = sets_array(s, Span, of->nprops);
    if (!props || !when) return NULL;
    SomeMembers some = {.lo = 1, .hi = COUNT_INF, .of = of, .when = when};
    for (uint32_t i = 0; i < of->nprops; i++)
        props[i] = (Prop){props[i].name, SET_ALL, false, false};
    for (uint32_t i = 0; i < w->list.count; i++)
        if (w->list.at[i].kind == WAY_ABSENT)
            when[some.nwhen++] = props[w->list.at[i].i].name;
    ObjectShape x = object_any;
    x.is_plain = false;
    x.nprops = of->nprops;
    x.props = props;
    x.some = sets_copy(s, &some, sizeof some);
    x.nsome = x.some != NULL;
    return sets_copy(s, &x, sizeof x);
}

static void expand_with(Sets *s, const ObjectShape *rest,
                        const ObjectShape *way, ShapeList *out)
{
    const ObjectShape *both = way ? object_and(s, rest, way) : NULL;
    if (both) object_breaks_expand(s, both, out);
}

/* Missing members and ways of single members are one condition, if they are
 * several; others are taken one by one. */
static void expand(Ways *w, const ObjectShape *rest, ShapeList *out)
{
    uint32_t njoint = 0;
    for (uint32_t i = 0; i < w->list.count; i++)
        njoint += is_joint(w->list.at[i]);
    for (uint32_t i = 0; i < w->list.count && sets_ok(w->s); i++)
        if (!is_joint(w->list.at[i]) || njoint == 1)
            expand_with(w->s, rest, way_shape(w->s, w->of, w->list.at[i]), out);
    if (njoint > 1) expand_with(w->s, rest, joint_shape(w), out);
}

void object_breaks_expand(Sets *s, const ObjectShape *a, ShapeList *out)
{
    if (!sets_ok(s)) return;
    if (!a->nbreaks) {
        shape_push(s, out, a);
        if (out->count > MAX_SHAPES)
            diag_fail(&s->ir->error, WEIR_LIMIT_WORK, 0, 0,
                      "more than %d alternative objects in one place: "
                      "alternatives of oneOf, or what not excludes, overlap "
                      "in too many ways",
                      MAX_SHAPES);
        return;
    }
    Ways w = {.s = s, .a = a, .of = a->breaks[a->nbreaks - 1]};
    ObjectShape rest = without(s, a, a->nbreaks - 1);
    ways_find(&w);
    if (w.holds)
        object_breaks_expand(s, &rest, out);
    else
        expand(&w, &rest, out);
    vec_free(s->mem, &w.list);
}
