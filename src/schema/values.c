/* values.c: the values of a form, listed.
 *
 * Numbers: those of the set that are spelled in one fixed way, without zeros
 * that say nothing. Arrays and objects: every choice of one value an item or
 * member, as long as there are few. Shapes with counts or conditions on their
 * items are not looked into. A value that two shapes have is listed once, by its
 * key: what it is spelled like, members by name.
 * Cost: the values, times the items of each.   Tests: unit/schema_test.c.
 */
#include "schema/values.h"

#include <stdlib.h>

#include "schema/number.h"

enum {
    VALUES_DEPTH = 6,  /* of containers in one another */
    TRIES_A_VALUE = 16 /* choices that are none or known, for each of `most` */
};

typedef struct Listing {
    Sets *s;
    uint32_t most, depth;
    ValueList *out;
    uint32_t first; /* of the list's values, those of this call */
    Map index;      /* key -> out */
} Listing;

/* Of two parts of one set. */
static ValueCount sum(ValueCount a, ValueCount b)
{
    return a == VALUES_MANY || b == VALUES_MANY ? VALUES_MANY : MAX(a, b);
}

/* ---- the list ---- */

static ValueCount list_add(Listing *l, Span key, SetId set)
{
    Sets *s = l->s;
    uint64_t h = hash_bytes(FNV_SEED, key.at, key.size);
    for (MapPos p = map_first(&l->index, h); p.value != MAP_NONE;
         p = map_next(&l->index, h, p))
        if (span_equal(l->out->at[p.value].key, key)) return VALUES_FEW;
    if (l->out->count - l->first >= l->most) return VALUES_MANY;
    SetValue v = {key, set};
    if (!sets_charge(s, 16 + key.size)) return VALUES_UNKNOWN;
    if (!vec_push(s->mem, l->out, v) ||
        !map_add(s->mem, &l->index, h, l->out->count - 1))
        diag_no_memory(&s->ir->error);
    return sets_ok(s) ? VALUES_FEW : VALUES_UNKNOWN;
}

static SetId form_set(Sets *s, const Form *f)
{
    const Form *kept = sets_copy(s, f, sizeof *f);
    return kept ? set_form(s, kept) : SET_NONE;
}

/* `mark`, then the parts, in the arena. */
static Span key_of(Sets *s, char mark, const Span *parts, uint32_t count)
{
    size_t size = 1;
    for (uint32_t i = 0; i < count; i++)
        size += sizeof(uint32_t) + parts[i].size;
    uint8_t *at = sets_alloc(s, size), *to = at;
    if (!at) return (Span){0};
    *to++ = (uint8_t)mark;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = (uint32_t)parts[i].size;
        memcpy(to, &n, sizeof n);
        to += sizeof n;
        if (n) memcpy(to, parts[i].at, n);
        to += n;
    }
    return span_of(at, size);
}

/* ---- scalars ---- */

/* The texts of a language, if they are few; NULL: not so. */
static Span *few_texts(Listing *l, const Dfa *dfa, uint32_t *count)
{
    LangCtx *lang = &l->s->lang;
    LangSize size = lang_size(lang, dfa);
    if (!lang_ok(lang) || !size.is_finite || size.count > l->most) return NULL;
    Span *texts = sets_array(l->s, Span, (size_t)size.count + 1);
    *count = texts ? lang_list(lang, dfa, texts, (uint32_t)size.count) : 0;
    return texts;
}

static ValueCount list_numbers(Listing *l, const Form *f)
{
    Sets *s = l->s;
    uint32_t n = 0;
    if (f->nmultiples) return VALUES_UNKNOWN;
    if (!f->numbers) return VALUES_FEW;
    Span *texts = few_texts(
        l, lang_intersect(&s->lang, f->numbers, number_shortest()), &n);
    ValueCount all = texts ? VALUES_FEW : VALUES_MANY;
    for (uint32_t i = 0; i < n && all == VALUES_FEW; i++) {
        Form one = {.is_whole = f->is_whole,
                    .numbers = number_equal(&s->lang, texts[i])};
        all = list_add(l, key_of(s, '0', &texts[i], 1), form_set(s, &one));
    }
    return all;
}

Span values_number(const SetValue *number)
{
    uint32_t before = 1 + (uint32_t)sizeof(uint32_t); /* see key_of */
    return span_of(number->key.at + before, number->key.size - before);
}

static ValueCount list_strings(Listing *l, const Form *f)
{
    Sets *s = l->s;
    ValueCount all = VALUES_FEW;
    for (uint32_t i = 0; i < f->nstrings && all == VALUES_FEW; i++) {
        const StringPiece *p = &f->strings[i];
        uint32_t n = 0;
        Span *texts = p->kind == PIECE_EXACT && p->dfa
                          ? few_texts(l, piece_language(s, p), &n)
                          : NULL;
        if (!texts) all = VALUES_MANY;
        for (uint32_t k = 0; k < n && all == VALUES_FEW; k++) {
            StringPiece one = {lang_text(&s->lang, texts[k]), 0, COUNT_INF,
                               PIECE_EXACT, NULL};
            Form string = {.nstrings = 1,
                           .strings = sets_copy(s, &one, sizeof one)};
            all =
                list_add(l, key_of(s, '"', &texts[k], 1), form_set(s, &string));
        }
    }
    return all;
}

static ValueCount list_constants(Listing *l, const Form *f)
{
    ValueCount all = VALUES_FEW;
    for (uint32_t bit = 1; bit < HAS_CONSTANTS && all == VALUES_FEW; bit *= 2) {
        Form one = {.constants = f->constants & bit};
        uint8_t *key = sets_copy(l->s, &(uint8_t){(uint8_t)bit}, 1);
        if (one.constants && key)
            all = list_add(l, span_of(key, 1), form_set(l->s, &one));
    }
    return all;
}

/* ---- arrays and objects ---- */

static ValueCount list_form(Listing *l, const Form *f);

/* The values of a set, for a place inside of a container. */
static ValueCount list_part(Listing *l, SetId set, ValueList *out)
{
    Sets *s = l->s;
    if (l->depth == VALUES_DEPTH) return VALUES_UNKNOWN;
    if (set == SET_ALL) return VALUES_MANY;
    Listing part = {s, l->most, l->depth + 1, out, out->count, {0}};
    ValueCount all = list_form(&part, set_form_of(s, set, false));
    map_free(s->mem, &part.index);
    return sets_ok(s) ? all : VALUES_UNKNOWN;
}

/* Places of a container, each of which has one of its values; counting up
 * through all choices. */
typedef struct Places {
    uint32_t count;
    uint32_t tries;   /* left */
    bool is_empty;    /* some place has no value */
    ValueCount known; /* of the values of all places */
    ValueList values;
    uint32_t *first; /* by place: in values; one more at the end */
    uint32_t *at;    /* by place: the value chosen */
} Places;

static bool places_next(Places *p)
{
    if (!p->tries--) return p->known = VALUES_UNKNOWN, false;
    for (uint32_t i = p->count; i-- > 0;) {
        if (++p->at[i] < p->first[i + 1]) return true;
        p->at[i] = p->first[i];
    }
    return false;
}

static bool places_init(Listing *l, Places *p, uint32_t count)
{
    *p = (Places){.count = count, .tries = l->most * TRIES_A_VALUE};
    p->first = sets_array(l->s, uint32_t, count + 1);
    p->at = sets_array(l->s, uint32_t, count + 1);
    return p->first && p->at;
}

/* is_optional: one of its values is that there is none. */
static void places_add(Listing *l, Places *p, uint32_t i, SetId set,
                       bool is_optional)
{
    static const SetValue left_out = {{0}, SET_NONE};
    p->first[i] = p->at[i] = p->values.count;
    ValueCount all = list_part(l, set, &p->values);
    if (is_optional && !vec_push(l->s->mem, &p->values, left_out))
        diag_no_memory(&l->s->ir->error);
    p->first[i + 1] = p->values.count;
    p->is_empty |= all == VALUES_FEW && p->first[i] == p->first[i + 1];
    p->known = MAX(p->known, all);
}

/* Whether the choices can be counted through; if not, *all is the answer. */
static bool places_are_few(const Listing *l, const Places *p, ValueCount *all)
{
    *all = sets_ok(l->s) ? p->known : VALUES_UNKNOWN;
    if (p->is_empty && sets_ok(l->s)) *all = VALUES_FEW;
    return *all == VALUES_FEW && !p->is_empty;
}

static ValueCount add_array(Listing *l, const Places *p)
{
    Sets *s = l->s;
    SetId *items = sets_array(s, SetId, p->count + 1);
    Span *keys = sets_array(s, Span, p->count + 1);
    if (!items || !keys) return VALUES_UNKNOWN;
    for (uint32_t i = 0; i < p->count; i++) {
        items[i] = p->values.at[p->at[i]].set;
        keys[i] = p->values.at[p->at[i]].key;
    }
    ArrayShape a = {.nprefix = p->count,
                    .prefix = items,
                    .rest = SET_NONE,
                    .lo = p->count,
                    .hi = p->count};
    const ArrayShape *kept = sets_copy(s, &a, sizeof a);
    Form f = {.narrays = 1, .arrays = sets_copy(s, &kept, sizeof kept)};
    if (!kept || !f.arrays) return VALUES_UNKNOWN;
    return list_add(l, key_of(s, '[', keys, p->count), form_set(s, &f));
}

static ValueCount list_length(Listing *l, const ArrayShape *a, uint32_t length)
{
    Places p;
    ValueCount all = VALUES_FEW;
    if (!places_init(l, &p, length)) return VALUES_UNKNOWN;
    for (uint32_t i = 0; i < length; i++)
        places_add(l, &p, i, array_value(a, i), false);
    for (bool more = places_are_few(l, &p, &all); more;) {
        all = add_array(l, &p);
        more = all == VALUES_FEW && places_next(&p);
    }
    vec_free(l->s->mem, &p.values);
    return p.is_empty ? all : MAX(all, p.known);
}

/* Of arrays of every length: whether there is an item for them. */
static ValueCount list_endless(Listing *l, const ArrayShape *a)
{
    ValueList items = {0};
    ValueCount all = list_part(l, a->rest, &items);
    if (all == VALUES_FEW) all = items.count ? VALUES_MANY : VALUES_UNKNOWN;
    if (a->nprefix) all = VALUES_UNKNOWN;
    vec_free(l->s->mem, &items);
    return all;
}

static ValueCount list_array(Listing *l, const ArrayShape *a)
{
    ValueCount all = VALUES_FEW;
    bool is_endless = a->hi == COUNT_INF && !set_is_none(l->s, a->rest);
    if (a->nsome || a->unique || a->repeats) return VALUES_UNKNOWN;
    uint32_t hi = a->hi == COUNT_INF ? a->nprefix : a->hi;
    if (is_endless) return list_endless(l, a);
    if (hi > l->most) return VALUES_UNKNOWN;
    for (uint32_t n = a->lo; n <= hi && all == VALUES_FEW; n++)
        all = list_length(l, a, n);
    return all;
}

static int part_order(const void *x, const void *y)
{
    const Span *a = x, *b = y;
    int order = memcmp(a->at, b->at, MIN(a->size, b->size));
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static ValueCount add_object(Listing *l, const ObjectShape *o, const Places *p)
{
    Sets *s = l->s;
    static const KeyClass no_names = {NULL, SET_NONE, false};
    Prop *props = sets_array(s, Prop, p->count + 1);
    Span *keys = sets_array(s, Span, p->count + 1);
    ObjectShape one = {.props = props, .nclasses = 1, .classes = &no_names};
    if (!props || !keys) return VALUES_UNKNOWN;
    for (uint32_t i = 0; i < p->count; i++) {
        const SetValue *v = &p->values.at[p->at[i]];
        if (v->set == SET_NONE) continue;
        Span parts[] = {o->props[i].name, v->key};
        keys[one.nprops] = key_of(s, ':', parts, 2);
        props[one.nprops++] = (Prop){o->props[i].name, v->set, true, false};
    }
    if (!sets_ok(s)) return VALUES_UNKNOWN;
    if (one.nprops < o->lo || one.nprops > o->hi) return VALUES_FEW;
    if (one.nprops) qsort(keys, one.nprops, sizeof *keys, part_order);
    one.lo = one.hi = one.nprops;
    const ObjectShape *kept = sets_copy(s, &one, sizeof one);
    Form f = {.nobjects = 1, .objects = sets_copy(s, &kept, sizeof kept)};
    if (!kept || !f.objects) return VALUES_UNKNOWN;
    return list_add(l, key_of(s, '{', keys, one.nprops), form_set(s, &f));
}

/* Whether members come that no prop names. */
static bool has_others(Sets *s, const ObjectShape *o)
{
    bool any = false;
    for (uint32_t i = 0; i < o->nclasses; i++)
        any |= !set_is_none(s, o->classes[i].value);
    return any;
}

static ValueCount list_object(Listing *l, const ObjectShape *o)
{
    Sets *s = l->s;
    Places p;
    ValueCount all = VALUES_FEW;
    if (o->nneeds || o->nsome || o->nbreaks || has_others(s, o))
        return VALUES_UNKNOWN;
    if (!places_init(l, &p, o->nprops)) return VALUES_UNKNOWN;
    for (uint32_t i = 0; i < o->nprops; i++)
        places_add(l, &p, i, o->props[i].value, !o->props[i].required);
    for (bool more = places_are_few(l, &p, &all); more;) {
        all = add_object(l, o, &p);
        more = all == VALUES_FEW && places_next(&p);
    }
    vec_free(s->mem, &p.values);
    if (!p.is_empty) all = MAX(all, p.known);
    /* a member that has many values may be one too much */
    return all == VALUES_MANY && o->hi < o->nprops ? VALUES_UNKNOWN : all;
}

static ValueCount list_compounds(Listing *l, const Form *f)
{
    ValueCount all = VALUES_FEW;
    for (uint32_t i = 0; i < f->narrays; i++)
        all = sum(all, list_array(l, f->arrays[i]));
    for (uint32_t i = 0; i < f->nobjects; i++)
        all = sum(all, list_object(l, f->objects[i]));
    return all;
}

static ValueCount list_form(Listing *l, const Form *f)
{
    ValueCount all = sum(list_constants(l, f), list_strings(l, f));
    all = sum(all, list_numbers(l, f));
    return sum(all, list_compounds(l, f));
}

ValueCount values_of(Sets *s, const Form *f, uint32_t most, ValueList *out)
{
    Listing l = {s, most, 0, out, out->count, {0}};
    ValueCount all = sum(list_numbers(&l, f), list_compounds(&l, f));
    map_free(s->mem, &l.index);
    return sets_ok(s) ? all : VALUES_UNKNOWN;
}
