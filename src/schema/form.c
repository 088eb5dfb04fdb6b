/* form.c: union, intersection and complement of forms, type by type.
 *
 * Strings are kept as pieces (automaton, range of lengths) so that a length
 * stays a counter as long as nothing asks for more: only where an automaton
 * and a range must both be complemented or intersected with another is the
 * automaton touched, and the range never.
 * Arrays and objects are unions of shapes: an intersection multiplies them,
 * and what is found to be empty is dropped at once.
 * Tests: unit/schema_set_test.c, the conformance suite.
 */
#include "schema/set.h"

#include "schema/number.h"

const Form form_none = {0};

static const StringPiece any_string = {NULL, 0, COUNT_INF, PIECE_EXACT, NULL};
static const ArrayShape *const any_arrays[] = {&array_any};
static const ObjectShape *const any_objects[] = {&object_any};

const Form *form_all(Sets *s)
{
    Form all = {.constants = HAS_CONSTANTS,
                .numbers = s->all_numbers,
                .nstrings = 1,
                .strings = &any_string,
                .narrays = 1,
                .arrays = any_arrays,
                .nobjects = 1,
                .objects = any_objects};
    const Form *form = sets_copy(s, &all, sizeof all);
    return form ? form : &form_none;
}

bool form_is_none(const Form *f)
{
    return !f->constants && !form_has_numbers(f) && !f->nstrings &&
           !f->narrays && !f->nobjects;
}

/* ---- strings ---- */

typedef VEC(StringPiece) PieceList;

int piece_fit(Sets *s, StringPiece *p)
{
    if (!p->dfa || (!p->lo && p->hi == COUNT_INF)) return 0;
    LangSize size = lang_size(&s->lang, p->dfa);
    if (size.shortest > p->hi) return 1;
    if (size.longest < p->lo) return -1;
    if (size.shortest >= p->lo) p->lo = 0;
    if (size.longest <= p->hi) p->hi = COUNT_INF;
    return 0;
}

const Dfa *piece_language(Sets *s, const StringPiece *p)
{
    const Dfa *dfa = p->dfa ? p->dfa : lang_all();
    assert(p->kind != PIECE_REGEX);
    if (!p->lo && p->hi == COUNT_INF) return dfa;
    return known_intersect(&s->known, dfa, lang_length(&s->lang, p->lo, p->hi));
}

/* Whether all texts of b are surely in a. */
static bool piece_covers(const StringPiece *a, const StringPiece *b)
{
    bool is_any = !a->dfa && a->kind == PIECE_EXACT;
    return (is_any || (a->dfa == b->dfa && a->kind == b->kind)) &&
           a->lo <= b->lo && b->hi <= a->hi;
}

static void piece_push(Sets *s, PieceList *list, StringPiece piece)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (piece_covers(&list->at[i], &piece)) return;
        if (!piece_covers(&piece, &list->at[i])) list->at[kept++] = list->at[i];
    }
    list->count = kept;
    if (!vec_push(s->mem, list, piece)) diag_no_memory(&s->ir->error);
}

/* Beside regular expressions: any string, or any but the empty one. */
static bool meets_regex(StringPiece p)
{
    return !p.dfa && p.lo <= 1 && p.hi == COUNT_INF && p.kind != PIECE_LESS;
}

StringPiece piece_regular(Sets *s, StringPiece p)
{
    if (p.kind != PIECE_REGEX) return p;
    if (!s->regex_few) {
        s->regex_few = format_regex_few(s);
        s->regex_most = format_regex_most(s);
    }
    return (StringPiece){s->regex_few, p.lo, p.hi, PIECE_LESS, s->regex_most};
}

/* All texts that may be meant by a piece, whatever their length. */
static const Dfa *piece_most(StringPiece p)
{
    return p.kind == PIECE_LESS ? p.most : p.dfa ? p.dfa : lang_all();
}

/* Adds the piece of both, unless it is found to be empty. */
static void piece_and(Sets *s, StringPiece a, StringPiece b, PieceList *out)
{
    if (!meets_regex(a) || !meets_regex(b)) {
        a = piece_regular(s, a);
        b = piece_regular(s, b);
    }
    StringPiece p = {a.dfa, MAX(a.lo, b.lo), MIN(a.hi, b.hi),
                     MAX(a.kind, b.kind), NULL};
    if (p.lo > p.hi || !sets_charge(s, 10)) return;
    if (p.kind == PIECE_LESS)
        p.most = known_intersect(&s->known, piece_most(a), piece_most(b));
    if (!p.dfa)
        p.dfa = b.dfa;
    else if (b.dfa && b.dfa != a.dfa)
        p.dfa = known_intersect(&s->known, a.dfa, b.dfa);
    if (!sets_ok(s) || (p.dfa && lang_is_none(p.dfa))) return;
    if (!piece_fit(s, &p)) piece_push(s, out, p);
}

static void pieces_keep(Sets *s, PieceList *list, Form *f)
{
    f->nstrings = list->count;
    f->strings = sets_copy(s, list->at, list->count * sizeof *list->at);
    vec_free(s->mem, list);
}

static void strings_and(Sets *s, const Form *a, const Form *b, Form *out)
{
    PieceList list = {0};
    for (uint32_t i = 0; i < a->nstrings; i++)
        for (uint32_t j = 0; j < b->nstrings; j++)
            piece_and(s, a->strings[i], b->strings[j], &list);
    pieces_keep(s, &list, out);
}

static bool piece_is_plain(const StringPiece *p)
{
    return p->dfa && !p->lo && p->hi == COUNT_INF && p->kind == PIECE_EXACT;
}

/* Automata without lengths become one, so that an enum is a trie. */
static void strings_or(Sets *s, const Form *a, const Form *b, Form *out)
{
    PieceList list = {0};
    const Dfa *plain = NULL;
    for (uint32_t i = 0; i < a->nstrings + b->nstrings; i++) {
        StringPiece p =
            i < a->nstrings ? a->strings[i] : b->strings[i - a->nstrings];
        if (!piece_is_plain(&p))
            piece_push(s, &list, p);
        else if (!plain || plain == p.dfa)
            plain = p.dfa;
        else
            plain = known_unite(&s->known, plain, p.dfa);
    }
    if (plain)
        piece_push(s, &list,
                   (StringPiece){plain, 0, COUNT_INF, PIECE_EXACT, NULL});
    pieces_keep(s, &list, out);
}

/* The complement of a union is the intersection of the complements, each of
 * them the other texts and the other lengths. */
static void strings_not(Sets *s, const Form *a, Form *out)
{
    Form all = {.nstrings = 1, .strings = &any_string};
    for (uint32_t i = 0; i < a->nstrings; i++) {
        StringPiece p = piece_regular(s, a->strings[i]);
        PieceList list = {0};
        Form others = {0}, both = {0};
        if (p.lo)
            piece_push(s, &list,
                       (StringPiece){NULL, 0, p.lo - 1, PIECE_EXACT, NULL});
        if (p.hi != COUNT_INF)
            piece_push(
                s, &list,
                (StringPiece){NULL, p.hi + 1, COUNT_INF, PIECE_EXACT, NULL});
        const Dfa *most = piece_most(p);
        const Dfa *rest =
            p.dfa ? known_subtract(&s->known, lang_all(), most) : NULL;
        if (rest && !lang_is_none(rest))
            piece_push(
                s, &list,
                (StringPiece){rest, 0, COUNT_INF, p.kind,
                              p.kind == PIECE_LESS
                                  ? known_subtract(&s->known, lang_all(), p.dfa)
                                  : NULL});
        pieces_keep(s, &list, &others);
        strings_and(s, &all, &others, &both);
        all = both;
        if (!sets_ok(s)) return;
    }
    out->nstrings = all.nstrings;
    out->strings = all.strings;
}

/* ---- shapes ---- */

bool shape_push(Sets *s, ShapeList *list, const void *shape)
{
    if (!shape || !sets_charge(s, 20)) return false;
    for (uint32_t i = 0; i < list->count && i < 64; i++)
        if (list->at[i] == shape) return true;
    if (vec_push(s->mem, list, shape)) return true;
    return diag_no_memory(&s->ir->error);
}

/* What differs between arrays and objects. */
typedef struct ShapeOps {
    const void *(*both)(Sets *s, const void *a, const void *b);
    void (*others)(Sets *s, const void *a, ShapeList *out);
    bool (*covers)(const void *a, const void *b); /* plainly all of b */
    const void *any;
} ShapeOps;

/* Appends a shape unless one of the last few of the list covers it; leaves out
 * those that it covers. */
static void shape_put(Sets *s, const ShapeOps *ops, ShapeList *list,
                      const void *shape)
{
    enum { LOOK = 64 };
    uint32_t kept = list->count > LOOK ? list->count - LOOK : 0;
    for (uint32_t i = kept; i < list->count; i++)
        if (ops->covers(list->at[i], shape)) return;
    for (uint32_t i = kept; i < list->count; i++)
        if (!ops->covers(shape, list->at[i])) list->at[kept++] = list->at[i];
    list->count = kept;
    shape_push(s, list, shape);
}

static const void *arrays_both(Sets *s, const void *a, const void *b)
{
    return array_and(s, a, b);
}
static const void *objects_both(Sets *s, const void *a, const void *b)
{
    return object_and(s, a, b);
}
static void arrays_others(Sets *s, const void *a, ShapeList *out)
{
    array_not(s, a, out);
}
static void objects_others(Sets *s, const void *a, ShapeList *out)
{
    object_not(s, a, out);
}
static bool arrays_cover(const void *a, const void *b)
{
    return array_covers(a, b);
}
static bool objects_cover(const void *a, const void *b)
{
    return a == b;
}
static const ShapeOps array_ops = {arrays_both, arrays_others, arrays_cover,
                                   &array_any};
static const ShapeOps object_ops = {objects_both, objects_others, objects_cover,
                                    &object_any};

static const void *shapes_keep(Sets *s, ShapeList *list, uint32_t *count)
{
    const void *kept = sets_copy(s, list->at, list->count * sizeof *list->at);
    *count = kept ? list->count : 0;
    vec_free(s->mem, list);
    return kept;
}

static void shapes_and(Sets *s, const ShapeOps *ops, const void *const *a,
                       uint32_t na, const void *const *b, uint32_t nb,
                       ShapeList *out)
{
    for (uint32_t i = 0; i < na && sets_ok(s); i++)
        for (uint32_t j = 0; j < nb && sets_ok(s); j++) {
            const void *both = a[i] == ops->any   ? b[j]
                               : b[j] == ops->any ? a[i]
                               : a[i] == b[j]     ? a[i]
                                                  : ops->both(s, a[i], b[j]);
            if (both) shape_put(s, ops, out, both);
        }
}

static void shapes_or(Sets *s, const ShapeOps *ops, const void *const *a,
                      uint32_t na, const void *const *b, uint32_t nb,
                      ShapeList *out)
{
    for (uint32_t i = 0; i < na + nb; i++) {
        const void *shape = i < na ? a[i] : b[i - na];
        if (shape == ops->any && !s->seen) { /* holds all the others */
            out->count = 0;
            shape_push(s, out, shape);
            return;
        }
        shape_put(s, ops, out, shape);
    }
}

static void shapes_not(Sets *s, const ShapeOps *ops, const void *const *a,
                       uint32_t na, ShapeList *out)
{
    shape_push(s, out, ops->any);
    for (uint32_t i = 0; i < na && sets_ok(s); i++) {
        ShapeList others = {0}, both = {0};
        if (a[i] != ops->any) ops->others(s, a[i], &others);
        shapes_and(s, ops, out->at, out->count, others.at, others.count, &both);
        vec_free(s->mem, &others);
        vec_free(s->mem, out);
        *out = both;
    }
}

/* ---- forms ---- */

#define ARRAYS(f) (const void *const *)(f)->arrays, (f)->narrays
#define OBJECTS(f) (const void *const *)(f)->objects, (f)->nobjects

/* The form with its shapes; the lists are freed. */
static const Form *form_close(Sets *s, Form *f, ShapeList *arrays,
                              ShapeList *objects)
{
    f->arrays = shapes_keep(s, arrays, &f->narrays);
    f->objects = shapes_keep(s, objects, &f->nobjects);
    if (!sets_ok(s)) return &form_none;
    const Form *form = sets_copy(s, f, sizeof *f);
    return form ? form : &form_none;
}

const Form *form_and(Sets *s, const Form *a, const Form *b)
{
    if (a == b || form_is_none(a)) return a;
    if (form_is_none(b)) return b;
    ShapeList arrays = {0}, objects = {0};
    Form f = {.constants = a->constants & b->constants,
              .is_whole = a->is_whole || b->is_whole};
    numbers_and(s, a, b, &f);
    strings_and(s, a, b, &f);
    shapes_and(s, &array_ops, ARRAYS(a), ARRAYS(b), &arrays);
    shapes_and(s, &object_ops, OBJECTS(a), OBJECTS(b), &objects);
    return form_close(s, &f, &arrays, &objects);
}

const Form *form_or(Sets *s, const Form *a, const Form *b)
{
    if (a == b || form_is_none(b)) return a;
    if (form_is_none(a)) return b;
    ShapeList arrays = {0}, objects = {0};
    bool in_a = form_has_numbers(a), in_b = form_has_numbers(b);
    Form f = {.constants = a->constants | b->constants,
              .is_whole = (in_a || in_b) && (a->is_whole || !in_a) &&
                          (b->is_whole || !in_b)};
    numbers_or(s, a, b, &f);
    strings_or(s, a, b, &f);
    shapes_or(s, &array_ops, ARRAYS(a), ARRAYS(b), &arrays);
    shapes_or(s, &object_ops, OBJECTS(a), OBJECTS(b), &objects);
    return form_close(s, &f, &arrays, &objects);
}

/* The form with nothing evaluated. */
static const Form *form_unseen(Sets *s, const Form *a)
{
    Form f = *a;
    ShapeList arrays = {0}, objects = {0};
    for (uint32_t i = 0; i < a->narrays; i++) {
        ArrayShape shape = *a->arrays[i];
        shape.seen = 0;
        shape.seen_items = SET_NONE;
        shape_push(s, &arrays, array_finish(s, &shape));
    }
    for (uint32_t i = 0; i < a->nobjects; i++)
        shape_push(s, &objects, object_unseen(s, a->objects[i]));
    return form_close(s, &f, &arrays, &objects);
}

/* Of none of the branches, or of two; or not within. */
static const Form *form_not_one(Sets *s, const OneOf *one)
{
    const Form *none = form_all(s);
    const Form *all = one->within ? form_not(s, one->within) : &form_none;
    for (uint32_t i = 0; i < one->count && sets_ok(s); i++) {
        const Form *branch = one->branches[i];
        for (uint32_t j = 0; j < i && sets_ok(s); j++) {
            const Form *two = form_and(s, one->branches[j], branch);
            all = form_or(s, all, form_unseen(s, two));
        }
        none = form_and(s, none, form_not(s, branch));
    }
    return form_or(s, all, none);
}

const Form *form_not(Sets *s, const Form *a)
{
    if (a->one_of) return form_not_one(s, a->one_of);
    ShapeList arrays = {0}, objects = {0};
    Form f = {.constants = HAS_CONSTANTS & ~a->constants};
    numbers_not(s, a, &f);
    strings_not(s, a, &f);
    shapes_not(s, &array_ops, ARRAYS(a), &arrays);
    shapes_not(s, &object_ops, OBJECTS(a), &objects);
    return form_close(s, &f, &arrays, &objects);
}

bool form_is_disjoint(Sets *s, const Form *a, const Form *b)
{
    if (a->constants & b->constants) return false;
    return form_is_none(form_and(s, a, b));
}
