/* emit_object.c: shapes of objects as expressions.
 *
 * An object is a LIST. In declared order every prop is a group of its own and
 * the members that no prop names are the last group; in any order there is one
 * group. A prop's own counter says that it comes at most once, and at least
 * once when it is required. A member that SomeMembers may count is several
 * kinds, one for each way to be counted.
 */
#include "schema/emit.h"

enum { MAX_SOME = 6 };

typedef struct ObjectList {
    Emit *e;
    const ObjectShape *o;
    uint32_t depth;
    uint32_t own; /* counters before the props': members, then some */
    VEC(ListKind) kinds;
    VEC(ListCounter) counters;
    VEC(ListNeed) needs;
    VEC(Span) names;
} ObjectList;

static void no_memory(ObjectList *l)
{
    diag_no_memory(&l->e->ir->error);
}

static void put_counter(ObjectList *l, uint32_t lo, uint32_t hi)
{
    ListCounter c = {lo, hi == COUNT_INF ? REPEAT_INF : hi};
    if (!vec_push(l->e->s->mem, &l->counters, c)) no_memory(l);
}

static bool counts_members(const ObjectShape *o)
{
    return o->lo || o->hi != COUNT_INF;
}

/* Whether some[i] speaks of a member with this name (NULL: of a class that is
 * wholly within its names or wholly outside). */
static bool speaks_of(const SomeMembers *c, const Prop *prop,
                      const Dfa *class, Sets *s)
{
    if (!c->keys) return true;
    if (prop) return lang_matches(c->keys, prop->name);
    return !lang_is_disjoint(&s->lang, class ? class : lang_all(), c->keys);
}

/* A kind for each way in which the member may be counted. */
static void put_member(ObjectList *l, const Prop *prop, const Dfa *class,
                       SetId given, ListKind kind, const uint32_t *own,
                       uint32_t nown)
{
    Emit *e = l->e;
    const ObjectShape *o = l->o;
    NodeId colon = json_colon(&e->json);
    uint32_t first = counts_members(o);
    for (uint32_t bits = 0; bits < 1u << o->nsome && sets_ok(e->s); bits++) {
        uint32_t counters[MAX_SOME + 2], n = 0;
        SetId value = given;
        bool fits = true;
        for (uint32_t i = 0; i < nown; i++) counters[n++] = own[i];
        for (uint32_t i = 0; i < o->nsome; i++) {
            const SomeMembers *c = &o->some[i];
            bool counts = bits >> i & 1;
            if (!speaks_of(c, prop, class, e->s)) {
                fits &= !counts;
            } else if (counts) {
                counters[n++] = first + i;
                value = set_and(e->s, value, c->value);
            } else if (c->hi != COUNT_INF) {
                value = set_and(e->s, value, set_not(e->s, c->value));
            }
        }
        if (!fits || value == SET_NONE || (o->nsome && set_is_none(e->s, value)))
            continue;
        kind.tail = ir_seq2(e->ir, colon, emit_value(e, value, l->depth + 1));
        kind.ncounters = n;
        kind.counters = sets_copy(e->s, counters, n * sizeof *counters);
        if (!vec_push(e->s->mem, &l->kinds, kind)) no_memory(l);
    }
}

static void put_prop(ObjectList *l, uint32_t i)
{
    const Prop *p = &l->o->props[i];
    bool any_order = l->e->s->opts->any_order;
    uint32_t own[] = {0, l->own + i}, skip = !counts_members(l->o);
    put_counter(l, p->required, 1);
    if (!vec_push(l->e->s->mem, &l->names, p->name)) no_memory(l);
    if (p->value == SET_NONE) return;
    ListKind kind = {.head = emit_text(l->e, p->name),
                     .order = any_order ? 0 : i};
    put_member(l, p, NULL, p->value, kind, own + skip, 2 - skip);
}

/* Members that no prop names: a JSON string, not one of the names. */
static void put_class(ObjectList *l, const Dfa *keys, SetId value)
{
    Emit *e = l->e;
    Sets *s = e->s;
    uint32_t own[] = {0};
    if (value == SET_NONE) return;
    const Dfa *names = keys;
    if (l->names.count)
        names = lang_subtract(&s->lang, keys ? keys : lang_all(),
                              lang_texts(&s->lang, l->names.at,
                                         l->names.count));
    if (!sets_ok(s) || (names && lang_is_none(names))) return;
    ListKind kind = {.head = emit_string(e, (StringPiece){names, 0, COUNT_INF, PIECE_EXACT}),
                     .order = s->opts->any_order ? 0 : l->o->nprops,
                     .unique = LIST_UNIQUE_STRING};
    put_member(l, NULL, keys, value, kind, own, counts_members(l->o));
}

/* Splits a class by the names that the counts speak of, from the i-th on. */
static void put_classes(ObjectList *l, const Dfa *keys, SetId value,
                        uint32_t i)
{
    Sets *s = l->e->s;
    while (i < l->o->nsome && !l->o->some[i].keys) i++;
    if (keys && lang_is_none(keys)) return;
    if (i == l->o->nsome || !sets_ok(s)) {
        put_class(l, keys, value);
        return;
    }
    const Dfa *by = l->o->some[i].keys, *all = keys ? keys : lang_all();
    put_classes(l, lang_intersect(&s->lang, all, by), value, i + 1);
    put_classes(l, lang_subtract(&s->lang, all, by), value, i + 1);
}

static void put_needs(ObjectList *l)
{
    for (uint32_t i = 0; i < l->o->nneeds; i++) {
        ListNeed need = {l->own + l->o->needs[i].when,
                         l->own + l->o->needs[i].then};
        if (!vec_push(l->e->s->mem, &l->needs, need)) no_memory(l);
    }
}

static NodeId list_node(ObjectList *l)
{
    Ir *ir = l->e->ir;
    ListSpec spec = {.separator = ir_seq2(ir, json_after(&l->e->json),
                                          json_comma(&l->e->json, l->depth)),
                     .nkinds = l->kinds.count,
                     .kinds = l->kinds.at,
                     .ncounters = l->counters.count,
                     .counters = l->counters.at,
                     .nneeds = l->needs.count,
                     .needs = l->needs.at,
                     .ntaken = l->names.count,
                     .taken = l->names.at};
    return ir_seq2(ir, ir_list(ir, &spec), json_after(&l->e->json));
}

static NodeId members(Emit *e, const ObjectShape *o, uint32_t depth)
{
    ObjectList l = {.e = e, .o = o, .depth = depth};
    if (counts_members(o)) put_counter(&l, o->lo, o->hi);
    for (uint32_t i = 0; i < o->nsome; i++)
        put_counter(&l, o->some[i].lo, o->some[i].hi);
    l.own = l.counters.count;
    for (uint32_t i = 0; i < o->nprops && sets_ok(e->s); i++) put_prop(&l, i);
    for (uint32_t i = 0; i < o->nclasses && sets_ok(e->s); i++)
        put_classes(&l, o->classes[i].keys, o->classes[i].value, 0);
    put_needs(&l);
    NodeId node = sets_ok(e->s) ? list_node(&l) : NODE_NEVER_ID;
    vec_free(e->s->mem, &l.kinds);
    vec_free(e->s->mem, &l.counters);
    vec_free(e->s->mem, &l.needs);
    vec_free(e->s->mem, &l.names);
    return node;
}

static bool may_be_empty(const ObjectShape *o)
{
    if (o->lo) return false;
    for (uint32_t i = 0; i < o->nsome; i++)
        if (o->some[i].lo) return false;
    for (uint32_t i = 0; i < o->nprops; i++)
        if (o->props[i].required) return false;
    return true;
}

NodeId emit_object(Emit *e, const ObjectShape *o, uint32_t depth)
{
    NodeId items = NODE_NEVER_ID;
    if (o->is_plain && !e->s->opts->unique_keys)
        return ir_ref(e->ir, json_object_rule(&e->json, depth));
    if (o->nsome > MAX_SOME) {
        diag_fail(&e->ir->error, WEIR_LIMIT_WORK, 0, 0,
                  "more than %d counts of members at once", MAX_SOME);
        return NODE_NEVER_ID;
    }
    if (o->hi) items = members(e, o, depth);
    return json_container(&e->json, depth, "{}", items, may_be_empty(o));
}
