/* value_form.c: forms of single values and of lists of them (const, enum).
 *
 * Values are equal as JSON Schema has it: numbers by value, objects whatever
 * the order of their members. */
#include "schema/set.h"

#include "schema/number.h"

static const Form *keep(Sets *s, const Form *f)
{
    const Form *form = sets_copy(s, f, sizeof *f);
    return form && sets_ok(s) ? form : &form_none;
}

static const ArrayShape *array_of(Sets *s, const Json *json, Place list)
{
    uint32_t n = json_count(json, list.id), i = 0;
    SetId *items = sets_array(s, SetId, n);
    if (!items) return NULL;
    for (JsonIter it = json_iter(json, list.id); json_step(&it);)
        items[i++] = set_value(s, (Place){list.doc, it.value});
    ArrayShape a = {
        .nprefix = n, .prefix = items, .rest = SET_NONE, .lo = n, .hi = n};
    return sets_copy(s, &a, sizeof a);
}

static const KeyClass no_names = {NULL, SET_NONE, false};

static const ObjectShape *object_of(Sets *s, const Json *json, Place object)
{
    Prop *props = sets_array(s, Prop, json_count(json, object.id));
    ObjectShape o = {.props = props, .nclasses = 1, .classes = &no_names};
    if (!props) return NULL;
    for (JsonIter it = json_iter(json, object.id); json_step(&it);) {
        SetId value = set_value(s, (Place){object.doc, it.value});
        uint32_t i = object_find(&o, it.key);
        if (i == COUNT_INF) i = o.nprops++;
        props[i] = (Prop){it.key, value, true, false};
    }
    o.lo = o.hi = o.nprops;
    return sets_copy(s, &o, sizeof o);
}

/* A number is written with a fraction if the schema writes it so: 2.0. */
static bool has_point(Span number)
{
    return memchr(number.at, '.', number.size) != NULL;
}

const Form *value_form(Sets *s, Place value)
{
    const Json *json = place_json(s->sources, value);
    Form f = {.is_whole = true};
    switch (json_kind(json, value.id)) {
    case JSON_NULL:
        f.constants = HAS_NULL;
        break;
    case JSON_FALSE:
        f.constants = HAS_FALSE;
        break;
    case JSON_TRUE:
        f.constants = HAS_TRUE;
        break;
    case JSON_NUMBER: {
        Span number = json_spelling(json, value.id);
        f.numbers = number_equal(&s->lang, number);
        f.is_whole = !has_point(number);
        break;
    }
    case JSON_STRING: {
        StringPiece p = {lang_text(&s->lang, json_string(json, value.id)), 0,
                         COUNT_INF, PIECE_EXACT, NULL};
        f.nstrings = 1;
        f.strings = sets_copy(s, &p, sizeof p);
        break;
    }
    case JSON_ARRAY: {
        const ArrayShape *a = array_of(s, json, value);
        f.narrays = 1;
        f.arrays = sets_copy(s, &a, sizeof a);
        break;
    }
    case JSON_OBJECT: {
        const ObjectShape *o = object_of(s, json, value);
        f.nobjects = 1;
        f.objects = sets_copy(s, &o, sizeof o);
        break;
    }
    case JSON_MISSING:
        break;
    }
    return keep(s, &f);
}

/* All scalars of a kind at once; arrays and objects one by one. */
const Form *enum_form(Sets *s, Place list)
{
    const Json *json = place_json(s->sources, list);
    uint32_t n = json_count(json, list.id), nstrings = 0, nnumbers = 0;
    Span *texts = sets_array(s, Span, n), *numbers = sets_array(s, Span, n);
    const Form *others = &form_none;
    Form f = {.is_whole = true};
    if (!texts || !numbers) return &form_none;
    for (JsonIter it = json_iter(json, list.id); json_step(&it);) {
        JsonKind kind = json_kind(json, it.value);
        if (kind == JSON_STRING)
            texts[nstrings++] = json_string(json, it.value);
        else if (kind == JSON_NUMBER) {
            numbers[nnumbers++] = json_spelling(json, it.value);
            f.is_whole &= !has_point(numbers[nnumbers - 1]);
        } else
            others =
                form_or(s, others, value_form(s, (Place){list.doc, it.value}));
    }
    StringPiece p = {lang_texts(&s->lang, texts, nstrings), 0, COUNT_INF,
                     PIECE_EXACT, NULL};
    f.nstrings = nstrings > 0;
    f.strings = sets_copy(s, &p, sizeof p);
    if (nnumbers) f.numbers = number_one_of(&s->lang, numbers, nnumbers);
    return form_or(s, keep(s, &f), others);
}
