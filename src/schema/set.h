/* set.h: sets of JSON values, and the algebra that keywords are made of.
 *
 * A *set* is a hash-consed expression: the values valid against a schema at a
 * place, one value, or a union, intersection or complement of sets. Nothing
 * below a set is looked at until its *form* is asked for: the union of what it
 * holds of each JSON type,
 *
 *     constants   null, false, true
 *     numbers     a language of spellings (number.h), and multiples of
 *                 numbers too long for one
 *     strings     pieces: an automaton over the text, and a range of lengths
 *     arrays      shapes: sets for the first items, for the rest, counts
 *     objects     shapes: sets by name, by class of names, counts
 *
 * whose items and members are sets again. Forms of unions, intersections and
 * complements come from the forms of their operands, so the meaning of every
 * keyword is settled level by level; equal sets are one number, so recursion
 * ends in sets that are known.
 *
 * Errors are sticky in ir->error. Lifetime: call; forms live in the arena.
 */
#ifndef WEIR_SCHEMA_SET_H
#define WEIR_SCHEMA_SET_H

#include "lang/known.h"
#include "schema/format.h"
#include "schema/keyword.h"
#include "schema/source.h"
#include "syntax/regex.h"

typedef uint32_t SetId;
enum { SET_NONE = 0, SET_ALL = 1 };
#define COUNT_INF UINT32_MAX

/* ---- forms ---- */

enum { HAS_NULL = 1, HAS_FALSE = 2, HAS_TRUE = 4, HAS_CONSTANTS = 7 };

/* NULL is the empty language here, and `all` in Sets every number. */
typedef const Dfa *Numbers;

/* A number whose multiples have no automaton: it would be too large. */
typedef struct Divisor {
    Span text;
    Place place; /* the schema that has it */
    bool is_not; /* the numbers that are no multiples */
} Divisor;

/* The numbers of `of`, not NULL, that are multiples of all the divisors. */
typedef struct Multiples {
    Numbers of;
    uint32_t ndivisors;
    const Divisor *divisors;
} Multiples;

typedef enum PieceKind {
    PIECE_EXACT,
    PIECE_LESS, /* the automaton leaves out texts that are valid, too
                   (format_is_exact): `most` holds all that may be */
    PIECE_REGEX /* the texts of format regex, which are no regular language;
                   dfa is NULL, lo at most 1 and hi COUNT_INF */
} PieceKind;

/* Texts of lo to hi code points that `dfa` accepts; NULL: any text. */
typedef struct StringPiece {
    const Dfa *dfa;
    uint32_t lo, hi;
    PieceKind kind;
    const Dfa *most; /* PIECE_LESS */
} StringPiece;

/* lo to hi of the items from index `from` on are in `value`. */
typedef struct SomeItems {
    uint32_t from, lo, hi;
    SetId value;
} SomeItems;

typedef struct ArrayShape {
    uint32_t nprefix;
    const SetId *prefix; /* of the first items, as far as there are any */
    SetId rest;          /* of all later ones */
    uint32_t lo, hi;     /* length */
    uint32_t nsome;
    const SomeItems *some;
    bool unique;  /* no two items are equal */
    bool repeats; /* two items are equal */
    /* what unevaluatedItems must not look at */
    uint32_t seen; /* so many of the first items; COUNT_INF: all */
    SetId seen_items;
} ArrayShape;

typedef struct Prop {
    Span name;
    SetId value; /* SET_NONE and not required: may not be there */
    bool required;
    bool seen; /* unevaluatedProperties does not look at it */
} Prop;

/* Members whose name is in `keys` (NULL: any) and not among the props. The
 * classes of a shape are disjoint and cover all names. */
typedef struct KeyClass {
    const Dfa *keys;
    SetId value;
    bool seen;
} KeyClass;

/* If member `when` is there, so is `then`; indices of props. */
typedef struct Need {
    uint32_t when, then;
} Need;

/* lo to hi members have a name in `keys` (NULL: any) and a value in `value`;
 * or, if `of` is given, a value that a member of that name has not in `of`.
 * Where nwhen > 0, nothing is asked unless all members `when` are there; then
 * lo is 1, and hi COUNT_INF. */
typedef struct SomeMembers {
    const Dfa *keys;
    SetId value;
    uint32_t lo, hi;
    const struct ObjectShape *of;
    uint32_t nwhen;
    const Span *when;
} SomeMembers;

typedef struct ObjectShape {
    uint32_t nprops, nclasses, nneeds, nsome;
    const Prop *props; /* in declared order */
    const KeyClass *classes;
    const Need *needs;
    const SomeMembers *some;
    uint32_t lo, hi; /* members */
    bool is_plain;   /* made by no keyword: any object */
    /* Shapes, without breaks themselves, that the object is not of. There is
     * more than one way left to break each. */
    uint32_t nbreaks;
    const struct ObjectShape *const *breaks;
} ObjectShape;

typedef struct Form {
    uint32_t constants;
    bool is_whole; /* all numbers are there as type integer or as values of an
                      enum that has none with a point: written without a
                      fraction where they have none */
    Numbers numbers;
    uint32_t nmultiples, nstrings, narrays, nobjects;
    const Multiples *multiples; /* numbers, too */
    const StringPiece *strings;
    const ArrayShape *const *arrays;
    const ObjectShape *const *objects;
    const struct OneOf *one_of; /* where the values come from; NULL: not told */
} Form;

/* The values of `within` (NULL: all) that are of exactly one branch. Their
 * complement is those of none or of two; that of what remains of each branch
 * without the others would be a product. */
typedef struct OneOf {
    const Form *within;
    uint32_t count;
    const Form *const *branches; /* made without `seen` */
} OneOf;

/* ---- sets ---- */

typedef enum SetKind {
    SET_KIND_NONE,
    SET_KIND_ALL,
    SET_KIND_SCHEMA, /* a, b: place; c: scope */
    SET_KIND_VALUE,  /* a, b: place of a JSON value */
    SET_KIND_FORM,   /* a: index in forms */
    SET_KIND_AND,    /* a: offset in kids, b: count > 1, ascending; c, d: two
                        sets that it was first made of */
    SET_KIND_OR,     /* the same */
    SET_KIND_NOT     /* a: set */
} SetKind;

typedef struct SetNode {
    SetKind kind;
    uint32_t a, b, c, d;
    /* [1]: with what unevaluated* must not look at; NULL: not made yet */
    const Form *form[2];
    uint8_t is_making; /* bit by bit of the same */
    uint8_t is_none;   /* 0: not known, 1: no, 2: yes */
} SetNode;

/* Why the last intersection that left nothing did so: for the message when a
 * whole schema turns out to be empty. */
typedef struct Clash {
    Place place;         /* the schema whose keywords were being read */
    const char *keyword; /* the one that left nothing; NULL: none so far */
    const char *against; /* the one that it contradicts, if that is known */
    Span member;         /* a required member that cannot be, if it is that */
    SetId value;         /* what it would have to be in */
} Clash;

typedef struct Sets {
    Ir *ir;
    const Mem *mem;
    Sources *sources;
    const weir_schema_opts *opts;
    Arena arena; /* forms, and the automata of lang */
    LangCtx lang;
    LangKnown known; /* for operations that may be asked for again */
    FormatCache formats;
    VEC(SetNode) nodes;
    VEC(SetId) kids;
    Map index;
    Numbers all_numbers, integers;
    const Dfa *regex_few, *regex_most; /* NULL: not made yet */
    VEC(struct Pattern) patterns;      /* compiled so far */
    Map pattern_index;
    uint32_t depth;   /* of form-making in itself */
    bool seen;        /* the form being made keeps what has been evaluated */
    uint32_t probes;  /* set_is_none in progress */
    bool is_circular; /* the probe has met a form in the making */
    Clash clash;
} Sets;

/* A pattern compiled for texts of some lengths: see RegexOpts. */
struct Pattern {
    Span text;
    RegexLength given, length;
    const Dfa *dfa;
};

bool sets_init(Sets *s, Ir *ir, Sources *sources, const weir_schema_opts *opts);
void sets_free(Sets *s);
static inline bool sets_ok(const Sets *s)
{
    return !s->ir->error.status;
}

SetId set_schema(Sets *s, Place place, uint32_t scope);
SetId set_value(Sets *s, Place value);
SetId set_form(Sets *s, const Form *form);
SetId set_and(Sets *s, SetId a, SetId b);
SetId set_or(Sets *s, SetId a, SetId b);
SetId set_not(Sets *s, SetId a);

/* The form; an empty one after an error. With `seen`: also what its in-place
 * subschemas have evaluated. */
const Form *set_form_of(Sets *s, SetId id, bool seen);
/* True when the set is surely empty; false may mean that it was not found
 * out. */
bool set_is_none(Sets *s, SetId id);

/* ---- forms: form.c, array.c, object.c ---- */

extern const Form form_none;
const Form *form_all(Sets *s);
bool form_is_none(const Form *f);
/* True if no value is in both. */
bool form_is_disjoint(Sets *s, const Form *a, const Form *b);
const Form *form_and(Sets *s, const Form *a, const Form *b);
const Form *form_or(Sets *s, const Form *a, const Form *b);
const Form *form_not(Sets *s, const Form *a);

static inline bool form_has_numbers(const Form *f)
{
    return f->numbers || f->nmultiples;
}

/* The numbers alone, into *out: form_number.c. */
void numbers_and(Sets *s, const Form *a, const Form *b, Form *out);
void numbers_or(Sets *s, const Form *a, const Form *b, Form *out);
void numbers_not(Sets *s, const Form *a, Form *out);
/* The numbers of `of` that the divisor asks for. */
void numbers_take(Sets *s, Numbers of, const Divisor *divisor, Form *out);
/* The error of a form that still has multiples, when it is to be written. */
void numbers_refuse(Sets *s, const Form *f);

/* Widens a range of lengths that the automaton keeps anyway. Not 0: no text
 * fits; all are too long (above 0) or too short. */
int piece_fit(Sets *s, StringPiece *piece);
/* For a PIECE_REGEX the PIECE_LESS that comes next to it; others as they are. */
StringPiece piece_regular(Sets *s, StringPiece piece);
/* The texts of a piece that is no PIECE_REGEX, as an automaton. */
const Dfa *piece_language(Sets *s, const StringPiece *piece);

/* A list of shapes in the making. */
typedef VEC(const void *) ShapeList;
bool shape_push(Sets *s, ShapeList *list, const void *shape);

/* NULL: no array (object) is in both. */
const ArrayShape *array_and(Sets *s, const ArrayShape *a, const ArrayShape *b);
/* All arrays of b are plainly of a, and look the same to unevaluatedItems. */
bool array_covers(const ArrayShape *a, const ArrayShape *b);
const ObjectShape *object_and(Sets *s, const ObjectShape *a,
                              const ObjectShape *b);
/* A copy that has evaluated nothing: what `not` holds has no say in that. */
const ObjectShape *object_unseen(Sets *s, const ObjectShape *a);
/* Appends shapes whose union is the complement. */
void array_not(Sets *s, const ArrayShape *a, ShapeList *out);
void object_not(Sets *s, const ObjectShape *a, ShapeList *out);
extern const ArrayShape array_any;
extern const ObjectShape object_any;
/* The copy in the arena, made simpler; NULL when no value can fit. */
const ArrayShape *array_finish(Sets *s, const ArrayShape *given);
const ObjectShape *object_finish(Sets *s, const ObjectShape *given);
/* Settles what the breaks of a shape in the making mean beside its other
 * conditions: those that hold anyway are dropped, those with one way left are
 * applied (then *again is set). False: one cannot hold. object_break.c. */
bool object_breaks_fit(Sets *s, ObjectShape *a, bool *again);
/* The objects that are of `b` if they are of `a`, which has no breaks, as breaks
 * of one shape; NULL: there would be many, or an error. */
const ObjectShape *object_implies(Sets *s, const ObjectShape *a,
                                  const ObjectShape *b);
/* Appends shapes without breaks whose union is `a`. */
void object_breaks_expand(Sets *s, const ObjectShape *a, ShapeList *out);
/* The prop called `name`, or COUNT_INF. */
uint32_t object_find(const ObjectShape *a, Span name);
/* What a member called `name` must be in; *seen: as in Prop. */
SetId object_value(const ObjectShape *a, Span name, bool *seen);
/* What item `i` must be in. */
static inline SetId array_value(const ArrayShape *a, uint32_t i)
{
    return i < a->nprefix ? a->prefix[i] : a->rest;
}

/* Regular expressions (format regex) whose groups are nested a few deep; all
 * texts that may be one. format_regex.c. */
const Dfa *format_regex_few(Sets *s);
const Dfa *format_regex_most(Sets *s);

/* ---- where forms come from: schema_form.c, value_form.c ---- */

const Form *schema_form(Sets *s, Place place, uint32_t scope, bool seen);
/* Exactly the values of an array of values (an enum), or the one value. */
const Form *enum_form(Sets *s, Place list);
const Form *value_form(Sets *s, Place value);

/* Arena memory, or NULL with ir->error. */
void *sets_alloc(Sets *s, size_t nbytes);
void *sets_copy(Sets *s, const void *data, size_t nbytes);
#define sets_array(s, T, n) ((T *)sets_alloc((s), size_mul((n), sizeof(T))))
/* Takes from the work budget; false, with the error, when it is spent. */
bool sets_charge(Sets *s, uint64_t steps);

#endif
