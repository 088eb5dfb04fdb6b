/* emit_object.c: shapes of objects as expressions.
 *
 * An object is a LIST. In declared order every prop is a group of its own and
 * the members that no prop names are the last group; in any order there is one
 * group. A prop's own counter says that it comes at most once, and at least
 * once when it is required. A member that SomeMembers may count is several
 * kinds, one for each way to be counted.
 */
#include "schema/emit.h"

#include "lang/json_text.h"

enum {
    MAX_SOME = 100,
    MAX_KINDS = 20000,
    FEW_CLASSES = 4 /* of which those with one value are united */
};

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

/* A member that is about to become kinds: `prop`, or one of a class, whose
 * names (`keys`) are all treated alike. Counters: its own, of all members, then
 * some. */
typedef struct Member {
    const Prop *prop;
    const Dfa *keys;
    ListKind kind;
    uint32_t counters[MAX_SOME + 2], ncounters;
} Member;

/* The values with which the member counts for a count; NONE: it never does.
 */
static SetId counted_values(ObjectList *l, const SomeMembers *c,
                            const Member *m)
{
    Sets *s = l->e->s;
    bool seen;
    if (c->of && m->prop)
        return set_not(s, object_value(c->of, m->prop->name, &seen));
    if (c->of) {
        for (uint32_t i = 0; i < c->of->nclasses; i++) {
            const KeyClass *k = &c->of->classes[i];
            if (!k->keys || !m->keys ||
                !lang_is_none(known_intersect(&s->known, m->keys, k->keys)))
                return set_not(s, k->value);
        }
        return SET_NONE;
    }
    if (!c->keys) return c->value;
    bool is_in = m->prop
                     ? lang_matches(c->keys, m->prop->name)
                     : !lang_is_none(known_intersect(
                           &s->known, m->keys ? m->keys : lang_all(), c->keys));
    return is_in ? c->value : SET_NONE;
}

static void put_kind(ObjectList *l, const Member *m, SetId value)
{
    Emit *e = l->e;
    ListKind kind = m->kind;
    kind.tail = emit_member_value(e, value, l->depth + 1);
    kind.ncounters = m->ncounters;
    kind.counters =
        sets_copy(e->s, m->counters, m->ncounters * sizeof *m->counters);
    if (!vec_push(e->s->mem, &l->kinds, kind)) no_memory(l);
    if (l->kinds.count > MAX_KINDS)
        diag_fail(&e->ir->error, WEIR_LIMIT_WORK, 0, 0,
                  "more than %d kinds of members of one object", MAX_KINDS);
}

/* A kind for each way in which the member may be counted, from count i on.
 * exact: the values that count in this way and no other; for them the kind is
 * there. Others of `value` may count more often: see emit_others. */
static void put_ways(ObjectList *l, Member *m, SetId value, SetId exact,
                     uint32_t i)
{
    Sets *s = l->e->s;
    if (!sets_ok(s) || (i && set_is_none(s, exact))) return;
    if (i == l->o->nsome) {
        put_kind(l, m, value);
        return;
    }
    const SomeMembers *c = &l->o->some[i];
    SetId counted = counted_values(l, c, m);
    if (counted == SET_NONE) {
        put_ways(l, m, value, exact, i + 1);
        return;
    }
    SetId others = set_and(s, exact, set_not(s, counted));
    put_ways(l, m, emit_others(s, value, counted, c->hi), others, i + 1);
    m->counters[m->ncounters++] = counts_members(l->o) + i;
    put_ways(l, m, set_and(s, value, counted), set_and(s, exact, counted),
             i + 1);
    m->ncounters--;
}

static void put_member(ObjectList *l, Member *m, SetId value)
{
    if (counts_members(l->o)) m->counters[m->ncounters++] = 0;
    if (m->prop)
        m->counters[m->ncounters++] =
            l->own + (uint32_t)(m->prop - l->o->props);
    put_ways(l, m, value, value, 0);
}

static void put_prop(ObjectList *l, uint32_t i)
{
    const Prop *p = &l->o->props[i];
    bool any_order = l->e->s->opts->any_order;
    put_counter(l, p->required, 1);
    if (!vec_push(l->e->s->mem, &l->names, p->name)) no_memory(l);
    if (p->value == SET_NONE) return;
    Member m = {
        .prop = p,
        .kind = {.head = emit_name(l->e, p->name), .order = any_order ? 0 : i}};
    put_member(l, &m, p->value);
}

/* Members of names that are so few that a list could run out of them: each has
 * a counter, as a prop has. */
static void put_few(ObjectList *l, const Dfa *names, SetId value,
                    uint32_t count)
{
    Sets *s = l->e->s;
    Span *texts = sets_array(s, Span, count);
    if (!texts) return;
    count = (uint32_t)lang_list(&s->lang, names, texts, count);
    for (uint32_t i = 0; i < count && sets_ok(s); i++) {
        Member m = {.keys = names,
                    .kind = {.head = emit_name(l->e, texts[i]),
                             .order = s->opts->any_order ? 0 : l->o->nprops}};
        m.counters[m.ncounters++] = l->counters.count;
        put_counter(l, 0, 1);
        put_member(l, &m, value);
    }
}

/* Whether the names are those of an ordinary object: some, spelled as they are,
 * and nothing tells others from one another. */
static bool is_plain(const ObjectList *l)
{
    if (!l->names.count || l->o->nsome || l->e->s->opts->any_escape ||
        l->e->mode != EMIT_JSON)
        return false;
    for (uint32_t i = 0; i < l->names.count; i++)
        if (!json_text_is_plain(l->names.at[i])) return false;
    return true;
}

/* put_class of all names, where they are plain: the result of it, made at once.
 */
static void put_others(ObjectList *l, SetId value)
{
    Emit *e = l->e;
    const Dfa *names =
        lang_json_others(&e->s->lang, l->names.at, l->names.count);
    if (!sets_ok(e->s)) return;
    NodeId quote = ir_bytes(e->ir, SPAN("\""));
    Member m = {
        .kind = {.head = IR_SEQ(e->ir, quote, ir_regular(e->ir, names), quote),
                 .order = e->s->opts->any_order ? 0 : l->o->nprops,
                 .unique = LIST_UNIQUE_STRING,
                 .supply = LIST_SUPPLY_OPEN}};
    put_member(l, &m, value);
}

/* Members that no prop names: a JSON string, not one of the names, and not the
 * same twice. */
static void put_class(ObjectList *l, const Dfa *keys, SetId value)
{
    Emit *e = l->e;
    Sets *s = e->s;
    if (value == SET_NONE) return;
    if (!keys && is_plain(l)) {
        put_others(l, value);
        return;
    }
    const Dfa *names = keys;
    if (l->names.count)
        names = known_subtract(
            &s->known, keys ? keys : lang_all(),
            known_keep(&s->known,
                       lang_texts(&s->lang, l->names.at, l->names.count)));
    names = emit_possible_names(e, names);
    if (!sets_ok(s) || (names && lang_is_none(names))) return;
    LangSize size = lang_size(&s->lang, names ? names : lang_all());
    if (size.count < LIST_SUPPLY_LEAST) {
        put_few(l, names, value, (uint32_t)size.count);
        return;
    }
    StringPiece piece = {names, 0, COUNT_INF, PIECE_EXACT, NULL};
    Member m = {.keys = names,
                .kind = {.head = emit_names(e, names),
                         .order = s->opts->any_order ? 0 : l->o->nprops}};
    if (e->mode == EMIT_JSON) {
        m.kind.unique = LIST_UNIQUE_STRING;
        m.kind.supply = piece_supply(s, piece);
    }
    put_member(l, &m, value);
}

static void split(ObjectList *l, const Dfa *keys, SetId value, uint32_t i,
                  uint32_t k);

/* The part of a class inside of `by`, which count i speaks of, and the rest. */
static void split_by(ObjectList *l, const Dfa *keys, SetId value, uint32_t i,
                     uint32_t k, const Dfa *by)
{
    Sets *s = l->e->s;
    const Dfa *all = keys ? keys : lang_all();
    const Dfa *in = known_intersect(&s->known, all, by);
    const Dfa *out = known_subtract(&s->known, all, by);
    if (!lang_is_none(in)) split(l, in, value, i, k);
    if (!lang_is_none(out)) split(l, out, value, i, k);
}

/* Puts a class, split by the names that the counts tell apart: those of count
 * i, from its k-th language on, and of the later ones. */
static void split(ObjectList *l, const Dfa *keys, SetId value, uint32_t i,
                  uint32_t k)
{
    if (!sets_ok(l->e->s)) return;
    for (; i < l->o->nsome; i++, k = 0) {
        const SomeMembers *c = &l->o->some[i];
        if (!c->of && c->keys && !k) {
            split_by(l, keys, value, i + 1, 0, c->keys);
            return;
        }
        for (; c->of && k < c->of->nclasses; k++) {
            if (!c->of->classes[k].keys) continue;
            split_by(l, keys, value, i, k + 1, c->of->classes[k].keys);
            return;
        }
    }
    put_class(l, keys, value);
}

static bool is_same(Sets *s, SetId a, SetId b)
{
    return a == b || set_form_of(s, a, false) == set_form_of(s, b, false);
}

/* The keys of class i and of all later ones that have its value, which are
 * marked in *done: a pattern whose members are as free as all others tells
 * nothing apart. NULL: any. */
static const Dfa *class_keys(ObjectList *l, uint32_t i, unsigned *done)
{
    const ObjectShape *o = l->o;
    Sets *s = l->e->s;
    const Dfa *keys = o->classes[i].keys;
    for (uint32_t j = i + 1; o->nclasses <= FEW_CLASSES && j < o->nclasses; j++)
        if (is_same(s, o->classes[i].value, o->classes[j].value)) {
            *done |= 1u << j;
            keys = keys && o->classes[j].keys
                       ? lang_unite(&s->lang, keys, o->classes[j].keys)
                       : NULL;
        }
    return keys && sets_ok(s) && lang_is_all(keys) ? NULL : keys;
}

static void put_classes(ObjectList *l)
{
    const ObjectShape *o = l->o;
    unsigned done = 0;
    for (uint32_t i = 0; i < o->nclasses && sets_ok(l->e->s); i++) {
        if (i < FEW_CLASSES && done >> i & 1) continue;
        const Dfa *keys = class_keys(l, i, &done);
        split(l, keys, o->classes[i].value, 0, 0);
    }
}

static void put_need(ObjectList *l, uint32_t nwhen, const uint32_t *when,
                     uint32_t then)
{
    ListNeed need = {nwhen, then, when};
    if (when && !vec_push(l->e->s->mem, &l->needs, need)) no_memory(l);
}

static void put_needs(ObjectList *l)
{
    Sets *s = l->e->s;
    for (uint32_t i = 0; i < l->o->nneeds && sets_ok(s); i++) {
        uint32_t when = l->own + l->o->needs[i].when;
        put_need(l, 1, sets_copy(s, &when, sizeof when),
                 l->own + l->o->needs[i].then);
    }
    for (uint32_t i = 0; i < l->o->nsome && sets_ok(s); i++) {
        const SomeMembers *c = &l->o->some[i];
        uint32_t *when = sets_array(s, uint32_t, c->nwhen);
        if (!when || !c->nwhen) continue;
        for (uint32_t k = 0; k < c->nwhen; k++)
            when[k] = l->own + object_find(l->o, c->when[k]);
        put_need(l, c->nwhen, when, counts_members(l->o) + i);
    }
}

static NodeId list_node(ObjectList *l)
{
    Ir *ir = l->e->ir;
    ListSpec spec = {
        .separator = ir_seq2(ir, emit_after(l->e), emit_comma(l->e, l->depth)),
        .nkinds = l->kinds.count,
        .kinds = l->kinds.at,
        .ncounters = l->counters.count,
        .counters = l->counters.at,
        .nneeds = l->needs.count,
        .needs = l->needs.at};
    return ir_seq2(ir, ir_list(ir, &spec), emit_after(l->e));
}

static NodeId members(Emit *e, const ObjectShape *o, uint32_t depth)
{
    ObjectList l = {.e = e, .o = o, .depth = depth};
    if (counts_members(o)) put_counter(&l, o->lo, o->hi);
    for (uint32_t i = 0; i < o->nsome; i++)
        put_counter(&l, o->some[i].nwhen ? 0 : o->some[i].lo, o->some[i].hi);
    l.own = l.counters.count;
    for (uint32_t i = 0; i < o->nprops && sets_ok(e->s); i++) put_prop(&l, i);
    put_classes(&l);
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
        if (o->some[i].lo && !o->some[i].nwhen) return false;
    for (uint32_t i = 0; i < o->nprops; i++)
        if (o->props[i].required) return false;
    return true;
}

NodeId emit_object(Emit *e, const ObjectShape *o, uint32_t depth)
{
    NodeId items = NODE_NEVER_ID;
    if (o->nsome > MAX_SOME) {
        diag_fail(&e->ir->error, WEIR_LIMIT_WORK, 0, 0,
                  "more than %d counts of members at once", MAX_SOME);
        return NODE_NEVER_ID;
    }
    if (o->hi) items = members(e, o, depth);
    return emit_container(e, depth, "{}", items, may_be_empty(o));
}
