/* schema_form.c: from the keywords of one schema to the form of its values.
 *
 * In:    a place, and a scope for dynamic references. Out: its form.
 * Method: the keywords that speak of one type make a form of their own; those
 * that hold schemas in place are operations on forms. Both are intersected in
 * the order of the text, so that members come in the order in which a reader
 * meets them.
 * Holds: a keyword of the draft is either part of the result, or reported.
 * Tests: unit/schema_test.c, the conformance suite.
 */
#include "schema/schema_form.h"

#include "schema/keyword_check.h"
#include "schema/number.h"

/* ---- reading ---- */

Place schema_sub(const Schema *x, JsonId id)
{
    return (Place){x->place.doc, id};
}

SetId schema_set(Schema *x, JsonId id)
{
    Place sub = schema_sub(x, id);
    return set_schema(x->s, sub, place_enter(x->s->sources, x->scope, sub));
}

void schema_refuse(Schema *x, KeywordId keyword, const char *reason)
{
    const char *name = keyword_table[keyword].name;
    if (x->s->opts->lenient)
        place_warn(x->s->sources, x->place, name, "not enforced: %s", reason);
    else
        place_fail(x->s->sources, x->place, name, WEIR_UNSUPPORTED, "%s",
                   reason);
}

void schema_clash(Schema *x, KeywordId keyword, KeywordId against)
{
    Clash *c = &x->s->clash;
    *c = (Clash){.place = x->place,
                 .keyword = keyword_table[keyword].name,
                 .against = keyword_table[against].name};
}

uint32_t schema_count(Schema *x, KeywordId keyword, uint32_t otherwise)
{
    JsonId id = x->at[keyword];
    uint32_t count;
    double value;
    if (id == JSON_NONE) return otherwise;
    if (json_u32(x->json, id, &count)) return MIN(count, COUNT_INF - 1);
    if (json_double(x->json, id, &value) && value >= UINT32_MAX)
        return COUNT_INF - 1;
    place_fail(x->s->sources, x->place, keyword_table[keyword].name,
               WEIR_SYNTAX, "found %s, expected a whole number from 0 on",
               json_kind_name(json_kind(x->json, id)));
    return otherwise;
}

static void read_keywords(Schema *x)
{
    for (uint32_t k = 0; k < KEYWORD_COUNT; k++) x->at[k] = JSON_NONE;
    for (JsonIter it = json_iter(x->json, x->place.id); json_step(&it);) {
        KeywordId k = place_asserted(x->s->sources, x->place, it.key_id);
        if (k != KEYWORD_NONE) x->at[k] = it.value;
        if (keyword_table[k].on || k == KEYWORD_TYPE) x->speaks = true;
    }
}

/* ---- types ---- */

enum {
    TYPE_NULL = 1 << TYPE_NAME_NULL,
    TYPE_BOOLEAN = 1 << TYPE_NAME_BOOLEAN,
    TYPE_INTEGER = 1 << TYPE_NAME_INTEGER,
    TYPE_NUMBER = 1 << TYPE_NAME_NUMBER,
    TYPE_STRING = 1 << TYPE_NAME_STRING,
    TYPE_ARRAY = 1 << TYPE_NAME_ARRAY,
    TYPE_OBJECT = 1 << TYPE_NAME_OBJECT,
    TYPE_ANY = (1 << TYPE_NAMES) - 1
};

static uint32_t type_bit(Schema *x, JsonId id)
{
    TypeName type = type_name_find(json_string(x->json, id));
    if (type != TYPE_NAMES) return 1u << type;
    place_fail(x->s->sources, x->place, "type", WEIR_SYNTAX,
               "found a type that is none of null, boolean, integer, number, "
               "string, array, object");
    return 0;
}

static uint32_t read_types(Schema *x)
{
    JsonId id = x->at[KEYWORD_TYPE];
    uint32_t types = 0;
    if (id == JSON_NONE) return TYPE_ANY;
    if (json_kind(x->json, id) != JSON_ARRAY) return type_bit(x, id);
    for (JsonIter it = json_iter(x->json, id); json_step(&it);)
        types |= type_bit(x, it.value);
    return types;
}

/* ---- numbers ---- */

/* Narrows *to to a bound if that is tighter; `exclusive` is draft 4's flag. */
static void read_bound(Schema *x, KeywordId keyword, bool exclusive, Span *to,
                       bool *strict)
{
    JsonId id = x->at[keyword];
    if (json_kind(x->json, id) != JSON_NUMBER) return;
    *to = json_spelling(x->json, id);
    *strict = exclusive;
}

static bool is_true(const Schema *x, KeywordId keyword)
{
    return json_kind(x->json, x->at[keyword]) == JSON_TRUE;
}

static Numbers meet_numbers(Sets *s, Numbers a, Numbers b)
{
    return a == s->all_numbers ? b : lang_intersect(&s->lang, a, b);
}

/* minimum and maximum in one step; where a bound is given both with and
 * without the value itself, the other pair in a second one. */
static void read_numbers(Schema *x, uint32_t types, Form *f)
{
    Sets *s = x->s;
    if (!(types & (TYPE_INTEGER | TYPE_NUMBER))) return;
    NumberRange range = {.integer = !(types & TYPE_NUMBER)};
    NumberRange other = {0};
    read_bound(x, KEYWORD_MINIMUM, is_true(x, KEYWORD_EXCLUSIVE_MINIMUM),
               &range.low, &range.above);
    read_bound(x, KEYWORD_MAXIMUM, is_true(x, KEYWORD_EXCLUSIVE_MAXIMUM),
               &range.high, &range.below);
    NumberRange *low = range.low.size ? &other : &range;
    NumberRange *high = range.high.size ? &other : &range;
    read_bound(x, KEYWORD_EXCLUSIVE_MINIMUM, true, &low->low, &low->above);
    read_bound(x, KEYWORD_EXCLUSIVE_MAXIMUM, true, &high->high, &high->below);
    Numbers set = range.integer ? s->integers : s->all_numbers;
    if (range.low.size || range.high.size) set = number_range(&s->lang, &range);
    if (other.low.size || other.high.size)
        set = meet_numbers(s, set, number_range(&s->lang, &other));
    JsonId divisor = x->at[KEYWORD_MULTIPLE_OF];
    Divisor d = {.place = x->place};
    if (divisor != JSON_NONE) {
        d.text = json_spelling(x->json, divisor);
        if (!number_multiples_fit(&s->lang, d.text) && !lang_is_none(set)) {
            numbers_take(s, set, &d, f);
            return;
        }
        set = meet_numbers(s, set, number_multiples(&s->lang, d.text));
    }
    if (!sets_ok(s) || !lang_is_none(set)) {
        f->numbers = set;
        return;
    }
    bool is_old = x->at[KEYWORD_MINIMUM] != JSON_NONE;
    schema_clash(x, is_old ? KEYWORD_MINIMUM : KEYWORD_EXCLUSIVE_MINIMUM,
                 divisor != JSON_NONE ? KEYWORD_MULTIPLE_OF
                 : x->at[KEYWORD_MAXIMUM] != JSON_NONE
                     ? KEYWORD_MAXIMUM
                     : KEYWORD_EXCLUSIVE_MAXIMUM);
}

/* ---- strings ---- */

static const struct Pattern *find_pattern(const Sets *s,
                                          const struct Pattern *p,
                                          uint64_t hash)
{
    for (MapPos at = map_first(&s->pattern_index, hash); at.value != MAP_NONE;
         at = map_next(&s->pattern_index, hash, at)) {
        const struct Pattern *known = &s->patterns.at[at.value];
        if (span_equal(known->text, p->text) &&
            known->given.lo == p->given.lo && known->given.hi == p->given.hi)
            return known;
    }
    return NULL;
}

static const Dfa *keep_pattern(Sets *s, struct Pattern p, uint64_t hash)
{
    if (!sets_ok(s)) return lang_none();
    if (!vec_push(s->mem, &s->patterns, p) ||
        !map_add(s->mem, &s->pattern_index, hash, s->patterns.count - 1))
        diag_no_memory(&s->ir->error);
    return p.dfa;
}

/* Patterns are not anchored; one text is compiled once for one length, where 1
 * to 0 stands for none that is kept apart. */
const Dfa *schema_pattern(Schema *x, JsonId id, KeywordId keyword,
                          RegexLength *length)
{
    Sets *s = x->s;
    struct Pattern p = {.text = json_string(x->json, id),
                        .given = length ? *length : (RegexLength){1, 0}};
    uint64_t hash = hash_bytes(FNV_SEED, p.text.at, p.text.size);
    const struct Pattern *known = find_pattern(s, &p, hash);
    if (known && length) *length = known->length;
    if (known) return known->dfa;
    RegexOpts opts = {.is_search = true,
                      .offset = json_offset(x->json, id) + 1,
                      .length = length};
    weir_error before = s->ir->error;
    p.dfa = regex_dfa(&s->lang, p.text, &opts, &s->ir->limits, s->ir);
    if (!sets_ok(s) && s->opts->lenient &&
        s->ir->error.status == WEIR_UNSUPPORTED) {
        weir_error why = s->ir->error;
        s->ir->error = before;
        schema_refuse(x, keyword, why.message);
        return length ? lang_all() : NULL;
    }
    if (length) p.length = *length;
    return keep_pattern(s, p, hash);
}

/* All texts that a host name format may allow: see format_is_exact. */
static const Dfa *host_names(Schema *x, FormatKind kind)
{
    Sets *s = x->s;
    Span pattern = kind == FORMAT_HOSTNAME ? SPAN("[A-Za-z0-9.-]+")
                                           : SPAN("[A-Za-z0-9.\\-\\x80-"
                                                  "\\u{10FFFF}]+");
    return regex_dfa(&s->lang, pattern, NULL, &s->ir->limits, NULL);
}

/* A label may have 63 octets in its ASCII form, which no automaton computes: a
 * name so short as its longest label has room for. */
enum { MAX_IDN_NAME = 59 };

static void read_format(Schema *x, StringPiece *piece)
{
    Sets *s = x->s;
    JsonId id = x->at[KEYWORD_FORMAT];
    if (id == JSON_NONE || s->opts->annotate_formats) return;
    FormatKind kind = format_find(json_string(x->json, id));
    if (kind == FORMAT_UNKNOWN) return;
    const Dfa *dfa = format_language(&s->lang, &s->formats, kind);
    if (kind == FORMAT_REGEX && !piece->dfa && piece->lo <= 1 &&
        piece->hi == COUNT_INF) {
        piece->kind = PIECE_REGEX;
        return;
    }
    if (kind == FORMAT_REGEX)
        dfa = piece_regular(s, (StringPiece){.kind = PIECE_REGEX}).dfa;
    if (!format_is_exact(kind)) {
        piece->kind = PIECE_LESS;
        piece->most =
            kind == FORMAT_REGEX ? s->regex_most : host_names(x, kind);
        if (piece->dfa)
            piece->most = lang_intersect(&s->lang, piece->most, piece->dfa);
    }
    piece->hi =
        MIN(piece->hi, kind == FORMAT_IDN_HOSTNAME ? MAX_IDN_NAME
                                                   : format_max_length(kind));
    if (dfa && piece->dfa) dfa = lang_intersect(&s->lang, piece->dfa, dfa);
    if (dfa) piece->dfa = dfa;
}

/* The one piece; its count is 0 when no string is left. */
static uint32_t read_strings(Schema *x, StringPiece *piece)
{
    *piece = (StringPiece){NULL, schema_count(x, KEYWORD_MIN_LENGTH, 0),
                           schema_count(x, KEYWORD_MAX_LENGTH, COUNT_INF),
                           PIECE_EXACT, NULL};
    JsonId pattern = x->at[KEYWORD_PATTERN];
    if (pattern != JSON_NONE) {
        RegexLength length = {piece->lo, piece->hi};
        piece->dfa = schema_pattern(x, pattern, KEYWORD_PATTERN, &length);
        piece->lo = length.lo;
        piece->hi = length.hi;
        if (lang_is_all(piece->dfa)) piece->dfa = NULL;
    }
    read_format(x, piece);
    int misfit = piece_fit(x->s, piece);
    if (misfit) {
        schema_clash(x, misfit > 0 ? KEYWORD_MAX_LENGTH : KEYWORD_MIN_LENGTH,
                     pattern != JSON_NONE ? KEYWORD_PATTERN : KEYWORD_FORMAT);
        return 0;
    }
    if (piece->lo > piece->hi)
        schema_clash(x, KEYWORD_MIN_LENGTH, KEYWORD_MAX_LENGTH);
    return piece->lo <= piece->hi && !(piece->dfa && lang_is_none(piece->dfa));
}

/* ---- what the keywords of each type say ---- */

static const Form *own_form(Schema *x)
{
    Sets *s = x->s;
    uint32_t types = read_types(x);
    Form f = {.constants = (types & TYPE_NULL ? HAS_NULL : 0) |
                           (types & TYPE_BOOLEAN ? HAS_TRUE | HAS_FALSE : 0),
              .is_whole = !(types & TYPE_NUMBER) && types & TYPE_INTEGER};
    read_numbers(x, types, &f);
    if (types & TYPE_STRING) {
        StringPiece piece;
        f.nstrings = read_strings(x, &piece);
        f.strings = sets_copy(s, &piece, sizeof piece);
    }
    if (types & TYPE_ARRAY) {
        const ArrayShape *a = schema_array(x);
        f.narrays = a != NULL;
        f.arrays = sets_copy(s, &a, sizeof a);
    }
    if (types & TYPE_OBJECT) {
        bool is_named = x->at[KEYWORD_TYPE] != JSON_NONE;
        const ObjectShape *o = schema_object(x, is_named);
        f.nobjects = o != NULL;
        f.objects = sets_copy(s, &o, sizeof o);
    }
    const Form *form = sets_copy(s, &f, sizeof f);
    return form && sets_ok(s) ? form : &form_none;
}

static bool has_clash(const Schema *x)
{
    const Clash *c = &x->s->clash;
    return c->against && c->place.doc == x->place.doc &&
           c->place.id == x->place.id;
}

/* What is left with `other`, which `keyword` gives. */
static void meet(Schema *x, KeywordId keyword, const Form *other)
{
    Sets *s = x->s;
    if (!sets_ok(s)) return;
    s->clash.member = (Span){0};
    const Form *both = x->form ? form_and(s, x->form, other) : other;
    bool was_none = x->form && form_is_none(x->form);
    if (form_is_none(both) && !was_none && !has_clash(x)) {
        s->clash.place = x->place;
        s->clash.keyword = keyword_table[keyword].name;
        s->clash.against = NULL;
    }
    x->form = both;
}

/* ---- schemas in place ---- */

static const Form *sub_form(Schema *x, JsonId id, bool seen)
{
    return set_form_of(x->s, schema_set(x, id), seen);
}

static void apply_ref(Schema *x, KeywordId keyword)
{
    Sets *s = x->s;
    Span ref = json_string(x->json, x->at[keyword]);
    Place to;
    uint32_t scope;
    bool ok =
        keyword == KEYWORD_REF
            ? place_ref(s->sources, x->place, x->scope, ref, &to, &scope)
        : keyword == KEYWORD_DYNAMIC_REF
            ? place_dynamic_ref(s->sources, x->place, x->scope, ref, &to,
                                &scope)
            : place_recursive_ref(s->sources, x->place, x->scope, &to, &scope);
    if (ok) meet(x, keyword, set_form_of(s, set_schema(s, to, scope), x->seen));
}

static void apply_all_of(Schema *x)
{
    JsonIter it = json_iter(x->json, x->at[KEYWORD_ALL_OF]);
    while (json_step(&it) && sets_ok(x->s))
        meet(x, KEYWORD_ALL_OF, sub_form(x, it.value, x->seen));
}

enum { MAX_SEEN_BRANCHES = 10 };

/* What unevaluated* may not look at is the union over all branches that hold,
 * so where that is asked the branches that hold together are branches, too. */
static const Form *any_of_seen(Schema *x, JsonId list)
{
    const Form *all = &form_none;
    if (json_count(x->json, list) > MAX_SEEN_BRANCHES) {
        schema_refuse(x, KEYWORD_ANY_OF,
                      "unevaluatedProperties or unevaluatedItems beside more "
                      "than 10 alternatives");
        return form_all(x->s);
    }
    for (JsonIter it = json_iter(x->json, list); json_step(&it);) {
        const Form *one = sub_form(x, it.value, true);
        all = form_or(x->s, form_or(x->s, all, one), form_and(x->s, all, one));
    }
    return all;
}

static void apply_any_of(Schema *x)
{
    JsonId list = x->at[KEYWORD_ANY_OF];
    const Form *all = &form_none;
    if (x->seen) {
        meet(x, KEYWORD_ANY_OF, any_of_seen(x, list));
        return;
    }
    for (JsonIter it = json_iter(x->json, list); json_step(&it);)
        all = form_or(x->s, all, sub_form(x, it.value, false));
    meet(x, KEYWORD_ANY_OF, all);
}

/* Branch i without what the branches that overlap it hold. */
static const Form *only_branch(Schema *x, const SetId *sets, uint32_t count,
                               uint32_t i, const Form *rest)
{
    Sets *s = x->s;
    const Form *own = set_form_of(s, sets[i], x->seen);
    if (rest) own = form_and(s, rest, own);
    for (uint32_t j = 0; j < count && sets_ok(s); j++) {
        if (j == i) continue;
        const Form *other = set_form_of(s, sets[j], false);
        if (form_is_disjoint(s, own, other)) continue;
        own = form_and(s, own, form_not(s, other));
    }
    return own;
}

/* The form with its origin. */
static const Form *with_origin(Schema *x, const Form *form, const SetId *sets,
                               uint32_t count)
{
    Sets *s = x->s;
    const Form **branches = sets_array(s, const Form *, count);
    for (uint32_t i = 0; branches && i < count; i++)
        branches[i] = set_form_of(s, sets[i], false);
    OneOf one = {x->form, count, branches};
    Form f = *form;
    f.one_of = sets_copy(s, &one, sizeof one);
    const Form *made = sets_copy(s, &f, sizeof f);
    return branches && f.one_of && made ? made : &form_none;
}

/* Exactly one branch. What is known already (`form`) is used first: it often
 * makes branches disjoint that are not by themselves. */
static void apply_one_of(Schema *x)
{
    Sets *s = x->s;
    JsonId list = x->at[KEYWORD_ONE_OF];
    uint32_t n = json_count(x->json, list), i = 0;
    SetId *sets = sets_array(s, SetId, n);
    const Form *all = &form_none;
    if (!sets) return;
    for (JsonIter it = json_iter(x->json, list); json_step(&it);)
        sets[i++] = schema_set(x, it.value);
    for (i = 0; i < n && sets_ok(s); i++)
        all = form_or(s, all, only_branch(x, sets, n, i, x->form));
    if (sets_ok(s) && !form_is_none(all)) all = with_origin(x, all, sets, n);
    x->form = NULL;
    meet(x, KEYWORD_ONE_OF, all);
}

static void apply_not(Schema *x)
{
    SetId sub = schema_set(x, x->at[KEYWORD_NOT]);
    meet(x, KEYWORD_NOT, set_form_of(x->s, set_not(x->s, sub), false));
}

static void apply_if(Schema *x)
{
    Sets *s = x->s;
    JsonId yes = x->at[KEYWORD_THEN], no = x->at[KEYWORD_ELSE];
    if (yes == JSON_NONE && no == JSON_NONE && !x->seen) return;
    SetId when = schema_set(x, x->at[KEYWORD_IF]);
    const Form *a = set_form_of(s, when, x->seen);
    const Form *b = set_form_of(s, set_not(s, when), false);
    if (yes != JSON_NONE) a = form_and(s, a, sub_form(x, yes, x->seen));
    if (no != JSON_NONE) b = form_and(s, b, sub_form(x, no, x->seen));
    meet(x, KEYWORD_IF, form_or(s, a, b));
}

/* Objects that (do not) have the member. */
static const ObjectShape *with_member(Sets *s, Span name, bool present)
{
    Prop prop = {name, present ? SET_ALL : SET_NONE, present, false};
    ObjectShape shape = object_any;
    shape.nprops = 1;
    shape.props = &prop;
    shape.is_plain = false;
    return object_finish(s, &shape);
}

/* These objects and, with `others`, all values that are none. */
static const Form *objects_form(Sets *s, const ObjectShape *o, bool others)
{
    Form f = {0};
    if (others) f = *form_all(s);
    f.nobjects = o != NULL;
    f.objects = sets_copy(s, &o, sizeof o);
    const Form *form = sets_copy(s, &f, sizeof f);
    return form && sets_ok(s) ? form : &form_none;
}

/* Where the member is there, the whole object is valid against the schema: one
 * shape, if the schema has one and nothing asks what has been evaluated; else
 * the objects without the member and those with it. */
static const Form *dependent_form(Schema *x, Span name, const Form *sub)
{
    Sets *s = x->s;
    const ObjectShape *with = with_member(s, name, true), *both = NULL;
    if (with && !x->seen && sub->nobjects == 1)
        both = object_implies(s, with, sub->objects[0]);
    if (both) return objects_form(s, both, true);
    return form_or(s, objects_form(s, with_member(s, name, false), true),
                   form_and(s, objects_form(s, with, false), sub));
}

static void apply_dependent(Schema *x, KeywordId keyword)
{
    Sets *s = x->s;
    for (JsonIter it = json_iter(x->json, x->at[keyword]);
         json_step(&it) && sets_ok(s);) {
        if (json_kind(x->json, it.value) == JSON_ARRAY) continue;
        const Form *sub = sub_form(x, it.value, x->seen);
        meet(x, keyword, dependent_form(x, it.key, sub));
    }
}

static void apply_values(Schema *x)
{
    JsonId one = x->at[KEYWORD_CONST], list = x->at[KEYWORD_ENUM];
    if (list != JSON_NONE)
        meet(x, KEYWORD_ENUM, enum_form(x->s, schema_sub(x, list)));
    if (one != JSON_NONE)
        meet(x, KEYWORD_CONST, value_form(x->s, schema_sub(x, one)));
}

static void apply(Schema *x, KeywordId keyword)
{
    if (x->at[keyword] == JSON_NONE || !sets_ok(x->s)) return;
    switch (keyword) {
    case KEYWORD_REF:
    case KEYWORD_DYNAMIC_REF:
    case KEYWORD_RECURSIVE_REF:
        apply_ref(x, keyword);
        break;
    case KEYWORD_ALL_OF:
        apply_all_of(x);
        break;
    case KEYWORD_ANY_OF:
        apply_any_of(x);
        break;
    case KEYWORD_ONE_OF:
        apply_one_of(x);
        break;
    case KEYWORD_NOT:
        apply_not(x);
        break;
    case KEYWORD_IF:
        apply_if(x);
        break;
    default:
        apply_dependent(x, keyword);
    }
}

/* In this order: what multiplies shapes comes last. */
static const KeywordId in_place[] = {KEYWORD_REF,
                                     KEYWORD_DYNAMIC_REF,
                                     KEYWORD_RECURSIVE_REF,
                                     KEYWORD_ALL_OF,
                                     KEYWORD_DEPENDENT_SCHEMAS,
                                     KEYWORD_DEPENDENCIES,
                                     KEYWORD_ANY_OF,
                                     KEYWORD_IF,
                                     KEYWORD_NOT,
                                     KEYWORD_ONE_OF};

static bool is_before(const Schema *x, KeywordId keyword)
{
    JsonId own = x->at[KEYWORD_PROPERTIES], other = x->at[keyword];
    return own != JSON_NONE && other != JSON_NONE && other < own &&
           (keyword == KEYWORD_REF || keyword == KEYWORD_ALL_OF);
}

static void apply_keywords(Schema *x)
{
    uint32_t n = COUNT_OF(in_place);
    for (uint32_t i = 0; i < n; i++)
        if (is_before(x, in_place[i])) apply(x, in_place[i]);
    if (x->speaks) meet(x, KEYWORD_TYPE, own_form(x));
    apply_values(x);
    for (uint32_t i = 0; i < n; i++)
        if (!is_before(x, in_place[i])) apply(x, in_place[i]);
    if (!x->form) x->form = form_all(x->s);
    if (x->at[KEYWORD_UNEVALUATED_ITEMS] != JSON_NONE) schema_rest_items(x);
    if (x->at[KEYWORD_UNEVALUATED_PROPERTIES] != JSON_NONE)
        schema_rest_members(x);
}

const Form *schema_form(Sets *s, Place place, uint32_t scope, bool seen)
{
    Schema x = {.s = s, .place = place, .scope = scope};
    x.json = place_json(s->sources, place);
    x.draft = place_draft(s->sources, place);
    JsonKind kind = json_kind(x.json, place.id);
    if (kind == JSON_TRUE) return form_all(s);
    if (kind == JSON_FALSE) return &form_none;
    if (kind != JSON_OBJECT) {
        place_fail(s->sources, place, NULL, WEIR_SYNTAX,
                   "found %s, expected a schema: an object, true or false",
                   json_kind_name(kind));
        return &form_none;
    }
    if (!keyword_check(s->sources, place)) return &form_none;
    read_keywords(&x);
    x.seen = seen || x.at[KEYWORD_UNEVALUATED_ITEMS] != JSON_NONE ||
             x.at[KEYWORD_UNEVALUATED_PROPERTIES] != JSON_NONE;
    s->seen = x.seen;
    if (x.at[KEYWORD_REF] != JSON_NONE && draft_bit(x.draft) & UNTIL_7)
        apply(&x, KEYWORD_REF); /* its neighbours are ignored */
    else
        apply_keywords(&x);
    if (!sets_ok(s)) place_error(s->sources, place);
    if (!sets_ok(s)) return &form_none;
    return x.form ? x.form : form_all(s);
}
