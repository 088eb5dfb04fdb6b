/* set.c: sets as hash-consed expressions, and the making of their forms.
 *
 * Simplifications: NONE and ALL vanish from unions and intersections, operands
 * are sorted and distinct, nested ones are flattened, a complement of a
 * complement is gone and complements are pushed down to the leaves, so that
 * equal meanings mostly are equal numbers. They need not be: it costs work
 * only, and the number of sets is bounded by the budget.
 * Tests: unit/schema_set_test.c, the conformance suite.
 */
#include "schema/set.h"

#include "schema/number.h"

#include <stdlib.h>

#define MAX_FORM_DEPTH 2000u
#define MAX_PROBE_DEPTH 200u
#define MAX_ARENA ((size_t)192 << 20)

bool sets_init(Sets *s, Ir *ir, Sources *sources, const weir_schema_opts *opts)
{
    *s = (Sets){.ir = ir, .mem = ir->mem, .sources = sources, .opts = opts};
    arena_init(&s->arena, ir->mem, MAX_ARENA);
    lang_init(&s->lang, ir->mem, &s->arena, &ir->limits, &ir->error);
    known_init(&s->known, &s->lang);
    SetNode none = {.kind = SET_KIND_NONE}, all = {.kind = SET_KIND_ALL};
    if (!vec_push(s->mem, &s->nodes, none) || !vec_push(s->mem, &s->nodes, all))
        return diag_no_memory(&ir->error);
    s->all_numbers = number_all(&s->lang);
    s->integers = number_integers(&s->lang);
    return sets_ok(s);
}

void sets_free(Sets *s)
{
    known_free(&s->known);
    vec_free(s->mem, &s->nodes);
    vec_free(s->mem, &s->kids);
    vec_free(s->mem, &s->patterns);
    map_free(s->mem, &s->index);
    map_free(s->mem, &s->pattern_index);
    arena_free(&s->arena);
}

void *sets_alloc(Sets *s, size_t nbytes)
{
    void *p = arena_alloc(&s->arena, nbytes);
    if (p) return p;
    if (s->arena.hit_limit)
        diag_fail(&s->ir->error, WEIR_LIMIT_MEMORY, 0, 0,
                  "the schema's combinations need more than %zu MiB",
                  MAX_ARENA >> 20);
    else
        diag_no_memory(&s->ir->error);
    return NULL;
}

void *sets_copy(Sets *s, const void *data, size_t nbytes)
{
    void *p = sets_alloc(s, nbytes);
    if (p && nbytes) memcpy(p, data, nbytes);
    return p;
}

bool sets_charge(Sets *s, uint64_t steps)
{
    return lang_charge(&s->lang, steps);
}

/* ---- nodes ---- */

static bool node_equal(const Sets *s, const SetNode *x, const SetNode *y)
{
    if (x->kind != y->kind) return false;
    if (x->kind == SET_KIND_AND || x->kind == SET_KIND_OR)
        return x->b == y->b && !memcmp(s->kids.at + x->a, s->kids.at + y->a,
                                       x->b * sizeof(SetId));
    return x->a == y->a && x->b == y->b && x->c == y->c;
}

static uint64_t node_hash(const Sets *s, const SetNode *n)
{
    uint64_t h = hash_mix(FNV_SEED, n->kind);
    if (n->kind == SET_KIND_AND || n->kind == SET_KIND_OR)
        return hash_bytes(h, s->kids.at + n->a, n->b * sizeof(SetId));
    return hash_mix(hash_mix(hash_mix(h, n->a), n->b), n->c);
}

static SetId node_intern(Sets *s, SetNode node)
{
    uint64_t h = node_hash(s, &node);
    for (MapPos p = map_first(&s->index, h); p.value != MAP_NONE;
         p = map_next(&s->index, h, p))
        if (node_equal(s, &s->nodes.at[p.value], &node)) return p.value;
    if (!sets_charge(s, 50)) return SET_NONE;
    if (!vec_push(s->mem, &s->nodes, node) ||
        !map_add(s->mem, &s->index, h, s->nodes.count - 1)) {
        diag_no_memory(&s->ir->error);
        return SET_NONE;
    }
    return s->nodes.count - 1;
}

static bool asserts(KeywordId k)
{
    static const KeywordId in_place[] = {
        KEYWORD_TYPE,   KEYWORD_ENUM,          KEYWORD_CONST,
        KEYWORD_REF,    KEYWORD_DYNAMIC_REF,   KEYWORD_ALL_OF,
        KEYWORD_ANY_OF, KEYWORD_ONE_OF,        KEYWORD_NOT,
        KEYWORD_IF,     KEYWORD_RECURSIVE_REF,
    };
    for (uint32_t i = 0; i < COUNT_OF(in_place); i++)
        if (k == in_place[i]) return true;
    return keyword_table[k].on != ON_ANY;
}

/* The only keyword of a schema that asserts something; NONE: there is none,
 * COUNT: several. */
static KeywordId only_keyword(const Sets *s, const Json *json, Place place)
{
    KeywordId only = KEYWORD_NONE;
    JsonIter it = json_iter(json, place.id);
    while (only != KEYWORD_COUNT && json_step(&it)) {
        KeywordId k = place_asserted(s->sources, place, it.key_id);
        if (asserts(k)) only = only ? KEYWORD_COUNT : k;
    }
    return only;
}

/* A schema that is a mere reference is what it refers to. */
SetId set_schema(Sets *s, Place place, uint32_t scope)
{
    enum { LONGEST_CHAIN = 64 };
    for (int i = 0; i < LONGEST_CHAIN && sets_ok(s); i++) {
        const Json *json = place_json(s->sources, place);
        JsonKind kind = json_kind(json, place.id);
        if (kind == JSON_TRUE) return SET_ALL;
        if (kind == JSON_FALSE) return SET_NONE;
        if (kind != JSON_OBJECT) break;
        KeywordId only = only_keyword(s, json, place);
        if (only == KEYWORD_NONE) return SET_ALL;
        if (only != KEYWORD_REF) break;
        Span ref = json_string(json, json_get(json, place.id, "$ref"));
        Place to;
        if (!place_ref(s->sources, place, scope, ref, &to, &scope)) break;
        place = to;
    }
    place = place_same(s->sources, place);
    return node_intern(s, (SetNode){.kind = SET_KIND_SCHEMA,
                                    .a = place.doc,
                                    .b = place.id,
                                    .c = scope});
}

SetId set_value(Sets *s, Place value)
{
    return node_intern(
        s, (SetNode){.kind = SET_KIND_VALUE, .a = value.doc, .b = value.id});
}

SetId set_form(Sets *s, const Form *form)
{
    if (form_is_none(form)) return SET_NONE;

    SetNode n = {
        .kind = SET_KIND_FORM, .a = s->nodes.count, .form = {form, form}};
    return node_intern(s, n);
}

/* ---- unions and intersections ---- */

static int id_order(const void *x, const void *y)
{
    SetId a = *(const SetId *)x, b = *(const SetId *)y;
    return (a > b) - (a < b);
}

/* Appends the operands of a `kind` expression to the kids. */
static bool kids_add(Sets *s, SetKind kind, SetId id)
{
    SetNode n = s->nodes.at[id];
    if (n.kind != kind) return vec_push(s->mem, &s->kids, id);
    for (uint32_t i = 0; i < n.b; i++)
        if (!vec_push(s->mem, &s->kids, s->kids.at[n.a + i])) return false;
    return true;
}

/* Whether some operand is the complement of another. */
static bool kids_clash(const Sets *s, const SetId *kids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const SetNode *n = &s->nodes.at[kids[i]];
        if (n->kind == SET_KIND_NOT &&
            bsearch(&n->a, kids, count, sizeof *kids, id_order))
            return true;
    }
    return false;
}

static SetId set_join(Sets *s, SetKind kind, SetId a, SetId b)
{
    uint32_t base = s->kids.count;
    if (!kids_add(s, kind, a) || !kids_add(s, kind, b)) {
        diag_no_memory(&s->ir->error);
        return SET_NONE;
    }
    SetId *kids = s->kids.at + base;
    uint32_t count = s->kids.count - base, kept = 0;
    qsort(kids, count, sizeof *kids, id_order);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || kids[kept - 1] != kids[i]) kids[kept++] = kids[i];
    s->kids.count = base + kept;
    SetId id = kids[0];
    if (kids_clash(s, kids, kept))
        id = kind == SET_KIND_AND ? SET_NONE : SET_ALL;
    else if (kept > 1)
        id = node_intern(
            s, (SetNode){.kind = kind, .a = base, .b = kept, .c = a, .d = b});
    if (kept < 2 || s->nodes.at[id].kind != kind || s->nodes.at[id].a != base)
        s->kids.count = base;
    return id;
}

SetId set_and(Sets *s, SetId a, SetId b)
{
    if (a == b || b == SET_ALL || a == SET_NONE) return a;
    if (a == SET_ALL || b == SET_NONE) return b;
    return set_join(s, SET_KIND_AND, a, b);
}

SetId set_or(Sets *s, SetId a, SetId b)
{
    if (a == b || b == SET_NONE || a == SET_ALL) return a;
    if (a == SET_NONE || b == SET_ALL) return b;
    return set_join(s, SET_KIND_OR, a, b);
}

SetId set_not(Sets *s, SetId a)
{
    SetNode n = s->nodes.at[a];
    if (a == SET_NONE) return SET_ALL;
    if (a == SET_ALL) return SET_NONE;
    if (n.kind == SET_KIND_NOT) return n.a;
    if (n.kind != SET_KIND_AND && n.kind != SET_KIND_OR)
        return node_intern(s, (SetNode){.kind = SET_KIND_NOT, .a = a});
    SetId all = n.kind == SET_KIND_AND ? SET_NONE : SET_ALL;
    for (uint32_t i = 0; i < n.b; i++) {
        SetId kid = set_not(s, s->kids.at[n.a + i]);
        all =
            n.kind == SET_KIND_AND ? set_or(s, all, kid) : set_and(s, all, kid);
    }
    return all;
}

/* ---- forms of sets ---- */

/* From the sets that it was made of, if their forms are known. */
static const Form *join_form(Sets *s, SetNode n, bool seen)
{
    const Form *x = s->nodes.at[n.c].form[seen];
    const Form *y = s->nodes.at[n.d].form[seen];
    if (x && y)
        return n.kind == SET_KIND_AND ? form_and(s, x, y) : form_or(s, x, y);
    const Form *all = set_form_of(s, s->kids.at[n.a], seen);
    for (uint32_t i = 1; i < n.b && sets_ok(s); i++) {
        const Form *kid = set_form_of(s, s->kids.at[n.a + i], seen);
        all = n.kind == SET_KIND_AND ? form_and(s, all, kid)
                                     : form_or(s, all, kid);
    }
    return all;
}

static const Form *node_form(Sets *s, SetNode n, bool seen)
{
    switch (n.kind) {
    case SET_KIND_NONE:
        return &form_none;
    case SET_KIND_ALL:
        return form_all(s);
    case SET_KIND_SCHEMA:
        return schema_form(s, (Place){n.a, n.b}, n.c, seen);
    case SET_KIND_VALUE:
        return value_form(s, (Place){n.a, n.b});
    case SET_KIND_AND:
    case SET_KIND_OR:
        return join_form(s, n, seen);
    case SET_KIND_NOT:
        return form_not(s, set_form_of(s, n.a, false));
    case SET_KIND_FORM:
        break;
    }
    return n.form[seen];
}

/* An in-place reference that comes back to itself says nothing. */
static const Form *endless_form(Sets *s, SetNode n)
{
    s->is_circular = true;
    if (s->probes) return &form_none;
    if (n.kind == SET_KIND_SCHEMA)
        place_fail(s->sources, (Place){n.a, n.b}, NULL, WEIR_UNSUPPORTED,
                   "the schema refers to itself without an item or member in "
                   "between, so it has no meaning");
    return &form_none;
}

const Form *set_form_of(Sets *s, SetId id, bool seen)
{
    SetNode n = s->nodes.at[id];
    if (n.form[seen]) return n.form[seen];
    if (!sets_ok(s) || s->is_circular) return &form_none;
    if (n.is_making & 1 << seen) return endless_form(s, n);
    if (s->depth >= MAX_FORM_DEPTH) {
        diag_fail(&s->ir->error, WEIR_LIMIT_DEPTH, 0, 0,
                  "subschemas are nested in place more than %u deep",
                  MAX_FORM_DEPTH);
        return &form_none;
    }
    bool outer = s->seen;
    s->nodes.at[id].is_making |= (uint8_t)(1 << seen);
    s->seen = seen;
    s->depth++;
    const Form *form = node_form(s, n, seen);
    s->depth--;
    s->seen = outer;
    s->nodes.at[id].is_making &= (uint8_t) ~(1 << seen);
    if (!sets_ok(s) || s->is_circular) return &form_none;
    s->nodes.at[id].form[seen] = form;
    return form;
}

/* Only combinations are looked into, each once: what a schema itself says is
 * taken to be possible. A look that comes upon a form in the making gives up:
 * then the set is taken not to be empty, and what was made on the way is
 * forgotten, since it stands on nothing. */
bool set_is_none(Sets *s, SetId id)
{
    if (id == SET_NONE) return true;
    SetNode n = s->nodes.at[id];
    if (n.is_none) return n.is_none == 2;
    if (n.is_making || s->is_circular || s->depth > MAX_PROBE_DEPTH)
        return false;
    bool is_single = n.kind == SET_KIND_SCHEMA || n.kind == SET_KIND_VALUE;
    if (is_single && !n.form[false]) return false;
    s->probes++;
    bool is_none = form_is_none(set_form_of(s, id, false));
    s->probes--;
    bool is_known = sets_ok(s) && !s->is_circular;
    s->is_circular = false;
    s->nodes.at[id].is_none = is_known && is_none ? 2 : 1;
    return is_known && is_none;
}
