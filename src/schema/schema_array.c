/* schema_array.c: the keywords of arrays.
 *
 * prefixItems and items of 2020-12, and items, additionalItems before, are the
 * first items and the rest of one shape. `contains` evaluates what it matches
 * in 2020-12 only. */
#include "schema/schema_form.h"

static uint32_t read_prefix(Schema *x, JsonId list, ArrayShape *a)
{
    uint32_t n = json_count(x->json, list), i = 0;
    SetId *prefix = sets_array(x->s, SetId, n);
    if (!prefix) return 0;
    for (JsonIter it = json_iter(x->json, list); json_step(&it);)
        prefix[i++] = schema_set(x, it.value);
    a->prefix = prefix;
    a->nprefix = n;
    return n;
}

static void read_items(Schema *x, ArrayShape *a)
{
    JsonId items = x->at[KEYWORD_ITEMS], rest = items;
    JsonId prefix = x->at[KEYWORD_PREFIX_ITEMS];
    if (json_kind(x->json, items) == JSON_ARRAY &&
        x->draft != WEIR_DRAFT_2020_12) {
        prefix = items;
        rest = x->at[KEYWORD_ADDITIONAL_ITEMS];
    }
    if (prefix != JSON_NONE) a->seen = read_prefix(x, prefix, a);
    if (rest == JSON_NONE) return;
    a->rest = schema_set(x, rest);
    a->seen = COUNT_INF;
}

static void read_contains(Schema *x, ArrayShape *a)
{
    JsonId id = x->at[KEYWORD_CONTAINS];
    if (id == JSON_NONE) return;
    SomeItems c = {0, schema_count(x, KEYWORD_MIN_CONTAINS, 1),
                   schema_count(x, KEYWORD_MAX_CONTAINS, COUNT_INF),
                   schema_set(x, id)};
    a->some = sets_copy(x->s, &c, sizeof c);
    a->nsome = a->some != NULL;
    if (x->draft == WEIR_DRAFT_2020_12) a->seen_items = c.value;
}

const ArrayShape *schema_array(Schema *x)
{
    ArrayShape a = {.rest = SET_ALL,
                    .lo = schema_count(x, KEYWORD_MIN_ITEMS, 0),
                    .hi = schema_count(x, KEYWORD_MAX_ITEMS, COUNT_INF)};
    read_items(x, &a);
    read_contains(x, &a);
    if (a.lo > a.hi) schema_clash(x, KEYWORD_MIN_ITEMS, KEYWORD_MAX_ITEMS);
    a.unique = json_bool(x->json, x->at[KEYWORD_UNIQUE_ITEMS], false);
    return sets_ok(x->s) ? array_finish(x->s, &a) : NULL;
}

/* ---- unevaluatedItems ---- */

static const ArrayShape *rest_items(Schema *x, const ArrayShape *a, SetId rest)
{
    Sets *s = x->s;
    SetId allowed = set_or(s, rest, a->seen_items);
    ArrayShape b = *a;
    if (a->seen != COUNT_INF) {
        uint32_t n = MAX(a->nprefix, a->seen);
        SetId *prefix = sets_array(s, SetId, n);
        if (!prefix) return NULL;
        for (uint32_t i = 0; i < n; i++) {
            prefix[i] = array_value(a, i);
            if (i >= a->seen) prefix[i] = set_and(s, prefix[i], allowed);
        }
        b.prefix = prefix;
        b.nprefix = n;
        b.rest = set_and(s, a->rest, allowed);
        b.seen = COUNT_INF;
    }
    return array_finish(s, &b);
}

void schema_rest_items(Schema *x)
{
    Sets *s = x->s;
    SetId rest = schema_set(x, x->at[KEYWORD_UNEVALUATED_ITEMS]);
    if (!sets_ok(s)) return;
    Form f = *x->form;
    f.one_of = NULL;
    const ArrayShape **shapes = sets_array(s, const ArrayShape *, f.narrays);
    uint32_t n = 0;
    for (uint32_t i = 0; shapes && i < f.narrays; i++) {
        const ArrayShape *a = rest_items(x, f.arrays[i], rest);
        if (a) shapes[n++] = a;
    }
    f.arrays = shapes;
    f.narrays = n;
    x->form = sets_copy(s, &f, sizeof f);
}
