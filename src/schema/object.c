/* object.c: shapes of objects: intersection, complement, simplification.
 *
 * The names of a shape are parted: each prop is one name, each class a regular
 * language of the others. So what a member must be in is one look-up, and an
 * intersection takes the props of both and the pairs of classes that meet.
 * A complement is the shape that breaks another (object_break.c).
 * Tests: unit/schema_set_test.c, the conformance suite.
 */
#include "schema/set.h"

static const KeyClass any_class = {NULL, SET_ALL, false};
const ObjectShape object_any = {
    .nclasses = 1, .classes = &any_class, .hi = COUNT_INF, .is_plain = true};

/* ---- looking ---- */

enum { FEW_PROPS = 12 };

/* Props by name, for shapes that have many. */
typedef struct Names {
    const Sets *s;
    const ObjectShape *shape;
    Map map;
} Names;

static uint64_t name_hash(Span name)
{
    return hash_bytes(FNV_SEED, name.at, name.size);
}

static bool names_init(Sets *s, Names *names, const ObjectShape *shape)
{
    *names = (Names){s, shape, {0}};
    if (shape->nprops <= FEW_PROPS) return true;
    for (uint32_t i = 0; i < shape->nprops; i++)
        if (!map_add(s->mem, &names->map, name_hash(shape->props[i].name), i))
            return diag_no_memory(&s->ir->error);
    return true;
}

uint32_t object_find(const ObjectShape *a, Span name)
{
    for (uint32_t i = 0; i < a->nprops; i++)
        if (span_equal(a->props[i].name, name)) return i;
    return COUNT_INF;
}

static uint32_t names_find(const Names *names, Span name)
{
    const ObjectShape *a = names->shape;
    if (a->nprops <= FEW_PROPS) return object_find(a, name);
    uint64_t h = name_hash(name);
    for (MapPos p = map_first(&names->map, h); p.value != MAP_NONE;
         p = map_next(&names->map, h, p))
        if (span_equal(a->props[p.value].name, name)) return p.value;
    return COUNT_INF;
}

static const KeyClass *class_of(const ObjectShape *a, Span name)
{
    for (uint32_t i = 0; i < a->nclasses; i++)
        if (!a->classes[i].keys || lang_matches(a->classes[i].keys, name))
            return &a->classes[i];
    return &any_class;
}

SetId object_value(const ObjectShape *a, Span name, bool *seen)
{
    uint32_t i = object_find(a, name);
    if (i != COUNT_INF) {
        *seen = a->props[i].seen;
        return a->props[i].value;
    }
    const KeyClass *c = class_of(a, name);
    *seen = c->seen;
    return c->value;
}

/* ---- simplification ---- */

/* Makes `then` required where `when` is, and forbids `when` where `then` is
 * forbidden, until nothing changes. */
static void needs_close(ObjectShape *a, Prop *props)
{
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < a->nneeds; i++) {
            Prop *when = &props[a->needs[i].when];
            Prop *then = &props[a->needs[i].then];
            if (when->required && !then->required)
                then->required = again = true;
            if (then->value == SET_NONE && when->value != SET_NONE) {
                when->value = SET_NONE;
                again = true;
            }
        }
    }
}

static void needs_drop(ObjectShape *a, Need *needs, const Prop *props)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->nneeds; i++)
        if (a->needs[i].when != a->needs[i].then &&
            !props[a->needs[i].then].required &&
            props[a->needs[i].when].value != SET_NONE)
            needs[kept++] = a->needs[i];
    a->nneeds = kept;
    a->needs = needs;
}

static bool props_fit(Sets *s, const ObjectShape *a, Prop *props)
{
    uint32_t required = 0;
    for (uint32_t i = 0; i < a->nprops; i++) {
        if (!props[i].required) continue;
        if (set_is_none(s, props[i].value)) {
            s->clash.member = props[i].name;
            s->clash.value = props[i].value;
            return false;
        }
        required++;
    }
    return required <= a->hi;
}

static bool some_fit(ObjectShape *a, SomeMembers *some)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->nsome; i++) {
        SomeMembers c = a->some[i];
        if (c.of) {
            some[kept++] = c;
            continue;
        }
        if (c.value == SET_ALL && !c.keys) {
            a->lo = MAX(a->lo, c.lo);
            a->hi = MIN(a->hi, c.hi);
            continue;
        }
        if (c.value == SET_NONE || (c.keys && lang_is_none(c.keys))) c.hi = 0;
        if (c.lo > c.hi) return false;
        if (!c.lo && (c.hi == COUNT_INF || c.value == SET_NONE)) continue;
        some[kept++] = c;
    }
    a->nsome = kept;
    a->some = some;
    return true;
}

/* No more members than there are names for. */
static void count_names(Sets *s, ObjectShape *a)
{
    uint32_t names = 0;
    for (uint32_t i = 0; i < a->nclasses; i++)
        if (!set_is_none(s, a->classes[i].value)) return;
    for (uint32_t i = 0; i < a->nprops; i++)
        names += a->props[i].value != SET_NONE;
    a->hi = MIN(a->hi, names);
}

static bool is_any(const ObjectShape *a)
{
    return !a->nprops && a->nclasses == 1 && !a->classes[0].keys &&
           a->classes[0].value == SET_ALL && !a->classes[0].seen && !a->lo &&
           a->hi == COUNT_INF && !a->nsome && !a->nbreaks;
}

/* One round; false: no object fits. */
static bool conditions_fit(Sets *s, ObjectShape *a)
{
    Prop *props = sets_copy(s, a->props, a->nprops * sizeof *props);
    Need *needs = sets_array(s, Need, a->nneeds);
    SomeMembers *some = sets_array(s, SomeMembers, a->nsome);
    if (!props || !needs || !some || !sets_charge(s, 20 + a->nprops))
        return false;
    a->props = props;
    needs_close(a, props);
    needs_drop(a, needs, props);
    if (!some_fit(a, some) || !props_fit(s, a, props)) return false;
    if (a->lo || a->hi != COUNT_INF) count_names(s, a);
    return a->lo <= a->hi;
}

const ObjectShape *object_finish(Sets *s, const ObjectShape *given)
{
    ObjectShape a = *given;
    bool again = true;
    a.is_plain = false;
    while (again) {
        again = false;
        if (!conditions_fit(s, &a)) return NULL;
        if (a.nbreaks && !object_breaks_fit(s, &a, &again)) return NULL;
        if (!sets_ok(s)) return NULL;
    }
    if (given->is_plain && is_any(&a)) return &object_any;
    return sets_copy(s, &a, sizeof a);
}

/* ---- intersection ---- */

/* Appends the pairs of classes that meet. */
static bool classes_and(Sets *s, const ObjectShape *a, const ObjectShape *b,
                        ObjectShape *both)
{
    KeyClass *classes =
        sets_array(s, KeyClass, size_mul(a->nclasses, MAX(b->nclasses, 1)));
    uint32_t n = 0;
    if (!classes) return false;
    for (uint32_t i = 0; i < a->nclasses; i++)
        for (uint32_t j = 0; j < b->nclasses; j++) {
            const KeyClass *x = &a->classes[i], *y = &b->classes[j];
            const Dfa *keys =
                !x->keys   ? y->keys
                : !y->keys ? x->keys
                : x->keys == y->keys
                    ? x->keys
                    : known_intersect(&s->known, x->keys, y->keys);
            if (!sets_ok(s)) return false;
            if (keys && lang_is_none(keys)) continue;
            classes[n++] = (KeyClass){keys, set_and(s, x->value, y->value),
                                      x->seen || y->seen};
        }
    both->classes = classes;
    both->nclasses = n;
    return true;
}

/* What b says of a name that it may not list. */
static KeyClass found(const ObjectShape *b, const Names *names, Span name)
{
    uint32_t i = names_find(names, name);
    if (i == COUNT_INF) return *class_of(b, name);
    return (KeyClass){NULL, b->props[i].value, b->props[i].seen};
}

/* The props of both; map[i] is where b's i-th one is now. */
static bool props_and(Sets *s, const ObjectShape *a, const ObjectShape *b,
                      ObjectShape *both, uint32_t *map)
{
    Names in_a, in_b;
    Prop *props = sets_array(s, Prop, (size_t)a->nprops + b->nprops);
    bool ok = names_init(s, &in_a, a);
    ok = names_init(s, &in_b, b) && ok;
    for (uint32_t i = 0; ok && props && i < a->nprops; i++) {
        Prop p = a->props[i];
        uint32_t j = names_find(&in_b, p.name);
        KeyClass other = found(b, &in_b, p.name);
        if (j != COUNT_INF) map[j] = i;
        p.value = set_and(s, p.value, other.value);
        p.required |= j != COUNT_INF && b->props[j].required;
        p.seen |= other.seen;
        props[i] = p;
    }
    uint32_t n = a->nprops;
    for (uint32_t j = 0; ok && props && j < b->nprops; j++) {
        Prop p = b->props[j];
        if (names_find(&in_a, p.name) != COUNT_INF) continue;
        KeyClass other = *class_of(a, p.name);
        p.value = set_and(s, other.value, p.value);
        p.seen |= other.seen;
        map[j] = n;
        props[n++] = p;
    }
    map_free(s->mem, &in_a.map);
    map_free(s->mem, &in_b.map);
    both->props = props;
    both->nprops = n;
    return ok && props && sets_ok(s);
}

static bool breaks_and(Sets *s, const ObjectShape *a, const ObjectShape *b,
                       ObjectShape *both)
{
    size_t n = (size_t)a->nbreaks + b->nbreaks;
    const ObjectShape **breaks = sets_array(s, const ObjectShape *, n);
    if (!breaks) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ObjectShape *x =
            i < a->nbreaks ? a->breaks[i] : b->breaks[i - a->nbreaks];
        uint32_t k = 0;
        while (k < count && breaks[k] != x) k++;
        if (k == count) breaks[count++] = x;
    }
    both->breaks = breaks;
    both->nbreaks = count;
    return true;
}

static bool rest_and(Sets *s, const ObjectShape *a, const ObjectShape *b,
                     const uint32_t *map, ObjectShape *both)
{
    Need *needs = sets_array(s, Need, (size_t)a->nneeds + b->nneeds);
    SomeMembers *some = sets_array(s, SomeMembers, (size_t)a->nsome + b->nsome);
    if (!needs || !some) return false;
    if (a->nneeds) memcpy(needs, a->needs, a->nneeds * sizeof *needs);
    for (uint32_t i = 0; i < b->nneeds; i++)
        needs[a->nneeds + i] =
            (Need){map[b->needs[i].when], map[b->needs[i].then]};
    if (a->nsome) memcpy(some, a->some, a->nsome * sizeof *some);
    if (b->nsome) memcpy(some + a->nsome, b->some, b->nsome * sizeof *some);
    both->needs = needs;
    both->nneeds = a->nneeds + b->nneeds;
    both->some = some;
    both->nsome = a->nsome + b->nsome;
    return breaks_and(s, a, b, both);
}

const ObjectShape *object_and(Sets *s, const ObjectShape *a,
                              const ObjectShape *b)
{
    ObjectShape both = {.lo = MAX(a->lo, b->lo), .hi = MIN(a->hi, b->hi)};
    uint32_t *map = sets_array(s, uint32_t, b->nprops);
    if (!map || !sets_charge(s, (uint64_t)a->nprops + b->nprops)) return NULL;
    if (!props_and(s, a, b, &both, map) || !classes_and(s, a, b, &both) ||
        !rest_and(s, a, b, map, &both))
        return NULL;
    both.is_plain = a->is_plain && b->is_plain;
    return object_finish(s, &both);
}

/* ---- complement ---- */

const ObjectShape *object_unseen(Sets *s, const ObjectShape *a)
{
    ObjectShape *b = sets_copy(s, a, sizeof *a);
    Prop *props = sets_copy(s, a->props, a->nprops * sizeof *props);
    KeyClass *classes = sets_copy(s, a->classes, a->nclasses * sizeof *classes);
    if (!b || !props || !classes) return NULL;
    for (uint32_t i = 0; i < a->nprops; i++) props[i].seen = false;
    for (uint32_t i = 0; i < a->nclasses; i++) classes[i].seen = false;
    b->props = props;
    b->classes = classes;
    return b;
}

/* The objects that break `a` without its own breaks, and those that are of a
 * shape that `a` must break. */
void object_not(Sets *s, const ObjectShape *a, ShapeList *out)
{
    ObjectShape plain = *a;
    plain.nbreaks = 0;
    const ObjectShape **breaks = sets_array(s, const ObjectShape *, 1);
    if (!breaks) return;
    breaks[0] = object_unseen(s, &plain);
    if (!breaks[0]) return;
    ObjectShape x = object_any;
    x.is_plain = false;
    x.breaks = breaks;
    x.nbreaks = 1;
    const ObjectShape *broken = object_finish(s, &x);
    if (broken) shape_push(s, out, broken);
    for (uint32_t i = 0; i < a->nbreaks; i++) shape_push(s, out, a->breaks[i]);
}
