/* emit_supply.c: whether there are so many different values of a kind that a
 * list where they must differ does not run out of them.
 *
 * In:    a piece of strings, or a form.   Out: what is known; conservative.
 * Method: a form has many values if some part of it has: numbers without
 *        bounds, a piece of strings, arrays without end, or a shape with an
 *        item or member that has, while all that the shape requires can be had.
 *        What is left unknown is listed (values.c) or, if it cannot be, counted
 *        text by text when all is compiled (matcher/unique_check.c), which takes
 *        a hundred times longer.
 * Cost:  a look at MOST_SETS forms at most, all of which are needed anyhow.
 * Tests: unit/unique_test.c, unit/schema_test.c
 */
#include "schema/emit.h"

enum { MOST_DEPTH = 6, MOST_SETS = 64 };

ListSupply piece_supply(Sets *s, StringPiece p)
{
    if (p.kind != PIECE_EXACT) return LIST_SUPPLY_UNKNOWN;
    if (!p.dfa && p.hi)
        return p.hi == COUNT_INF ? LIST_SUPPLY_OPEN : LIST_SUPPLY_MANY;
    const Dfa *dfa = piece_language(s, &p);
    if (!sets_ok(s)) return LIST_SUPPLY_UNKNOWN;
    if (lang_is_open(dfa)) return LIST_SUPPLY_OPEN;
    return lang_size(&s->lang, dfa).count < LIST_SUPPLY_LEAST
               ? LIST_SUPPLY_UNKNOWN
               : LIST_SUPPLY_MANY;
}

/* How many values there are at least. */
typedef enum Least { LEAST_NONE, LEAST_ONE, LEAST_MANY } Least;

typedef struct Look {
    Sets *s;
    uint32_t depth, nsets;
} Look;

/* More than is wanted need not be found. */
static Least form_least(Look *l, const Form *f, Least wanted);

static Least set_least(Look *l, SetId set, Least wanted)
{
    if (set == SET_ALL) return LEAST_MANY;
    if (set == SET_NONE || l->depth == MOST_DEPTH) return LEAST_NONE;
    if (++l->nsets > MOST_SETS) return LEAST_NONE;
    const Form *f = set_form_of(l->s, set, false);
    if (!sets_ok(l->s)) return LEAST_NONE;
    l->depth++;
    Least least = form_least(l, f, wanted);
    l->depth--;
    return least;
}

static Least piece_least(Sets *s, const StringPiece *p, Least wanted)
{
    bool any_length = !p->lo && p->hi == COUNT_INF;
    if (wanted == LEAST_ONE && (!p->dfa || any_length)) return LEAST_ONE;
    if (wanted > LEAST_ONE && piece_supply(s, *p) != LIST_SUPPLY_UNKNOWN)
        return LEAST_MANY;
    if (p->kind == PIECE_REGEX) return LEAST_ONE;
    return lang_is_none(piece_language(s, p)) ? LEAST_NONE : LEAST_ONE;
}

static Least strings_least(Sets *s, const Form *f, Least wanted)
{
    Least least = LEAST_NONE;
    for (uint32_t i = 0; i < f->nstrings && least < wanted; i++)
        least = MAX(least, piece_least(s, &f->strings[i], wanted));
    return least;
}

/* Of arrays as short as may be, one item more if need be. */
static Least array_least(Look *l, const ArrayShape *a, Least wanted)
{
    if (a->nsome || a->unique || a->repeats) return LEAST_NONE;
    uint32_t n = MAX(a->lo, MIN(a->hi, 1));
    Least least = LEAST_ONE;
    if (a->hi == COUNT_INF) n = MAX(n, a->nprefix + 1);
    if (n > MOST_SETS) return LEAST_NONE;
    for (uint32_t i = 0; i < n; i++) {
        Least item = set_least(l, array_value(a, i), wanted);
        if (item == LEAST_MANY) least = LEAST_MANY;
        if (item != LEAST_NONE) continue;
        return i < a->lo ? LEAST_NONE : least;
    }
    return a->hi == COUNT_INF ? LEAST_MANY : least;
}

/* Of all names but a few. */
static const KeyClass *open_class(const ObjectShape *o)
{
    return o->nclasses == 1 && !o->classes[0].keys ? &o->classes[0] : NULL;
}

/* Of objects with what is required and, if need be, other members: such as no
 * prop names, or one more prop. */
static Least object_least(Look *l, const ObjectShape *o, Least wanted)
{
    if (o->nsome || o->nbreaks) return LEAST_NONE;
    uint32_t required = 0;
    for (uint32_t i = 0; i < o->nprops; i++) required += o->props[i].required;
    const KeyClass *others = o->hi > required ? open_class(o) : NULL;
    bool is_open = others && set_least(l, others->value, LEAST_ONE);
    Least least = is_open ? LEAST_MANY : LEAST_ONE;
    if (!is_open && o->lo > required) return LEAST_NONE;
    for (uint32_t i = 0; i < o->nprops; i++) {
        if (!o->props[i].required) continue;
        Least value =
            set_least(l, o->props[i].value, is_open ? LEAST_ONE : wanted);
        if (value == LEAST_NONE) return LEAST_NONE;
        least = MAX(least, value);
    }
    if (o->nneeds || o->hi == required) return least;
    for (uint32_t i = 0; i < o->nprops && least < wanted; i++)
        if (!o->props[i].required)
            least = MAX(least, set_least(l, o->props[i].value, wanted));
    return least;
}

static Least form_least(Look *l, const Form *f, Least wanted)
{
    Least least = f->constants ? LEAST_ONE : LEAST_NONE;
    if (f->numbers == l->s->all_numbers || f->numbers == l->s->integers)
        return LEAST_MANY;
    if (form_has_numbers(f)) least = LEAST_ONE;
    least = MAX(least, strings_least(l->s, f, wanted));
    for (uint32_t i = 0; i < f->nobjects && least < wanted; i++)
        least = MAX(least, object_least(l, f->objects[i], wanted));
    for (uint32_t i = 0; i < f->narrays && least < wanted; i++)
        least = MAX(least, array_least(l, f->arrays[i], wanted));
    return least;
}

ListSupply form_supply(Sets *s, const Form *f)
{
    Look l = {.s = s};
    return form_least(&l, f, LEAST_MANY) == LEAST_MANY ? LIST_SUPPLY_MANY
                                                       : LIST_SUPPLY_UNKNOWN;
}
