/* lint_rules.c: what the keywords of one schema say together.
 *
 * Each rule is a function that looks at the table of keywords and warns. Types
 * are sets of JsonKind, "integer" being a number.
 * Tests: unit/lint_test.c
 */
#include "schema/format.h"
#include "schema/lint_parts.h"
#include "schema/near.h"

enum { MAX_BRANCHES = 50 };

/* ---- types ------------------------------------------------------------ */

static unsigned kind_bit(JsonKind kind)
{
    return 1u << (kind == JSON_FALSE ? JSON_TRUE : kind);
}

static unsigned type_bit(const Json *json, JsonId name)
{
    static const JsonKind kinds[TYPE_NAMES] = {
        [TYPE_NAME_NULL] = JSON_NULL,      [TYPE_NAME_BOOLEAN] = JSON_TRUE,
        [TYPE_NAME_INTEGER] = JSON_NUMBER, [TYPE_NAME_NUMBER] = JSON_NUMBER,
        [TYPE_NAME_STRING] = JSON_STRING,  [TYPE_NAME_ARRAY] = JSON_ARRAY,
        [TYPE_NAME_OBJECT] = JSON_OBJECT,
    };
    TypeName type = type_name_find(json_string(json, name));
    return type == TYPE_NAMES ? 0 : kind_bit(kinds[type]);
}

static unsigned types_of(const Json *json, JsonId type)
{
    unsigned types = type_bit(json, type);
    if (json_kind(json, type) == JSON_ARRAY)
        for (JsonIter it = json_iter(json, type); json_step(&it);)
            types |= type_bit(json, it.value);
    return types;
}

/* The types that a keyword speaks of, as kinds. */
static unsigned kinds_of(unsigned on)
{
    return (on & ON_NUMBER ? kind_bit(JSON_NUMBER) : 0) |
           (on & ON_STRING ? kind_bit(JSON_STRING) : 0) |
           (on & ON_ARRAY ? kind_bit(JSON_ARRAY) : 0) |
           (on & ON_OBJECT ? kind_bit(JSON_OBJECT) : 0);
}

static const char *on_name(unsigned on)
{
    return on == ON_NUMBER   ? "number"
           : on == ON_STRING ? "string"
           : on == ON_ARRAY  ? "array"
                             : "object";
}

/* A keyword that speaks of a type which is not among those named. Formats may
 * be others' names for kinds of numbers. */
static void rule_other_type(Lint *l)
{
    Span format = json_string(l->json, l->at[KEYWORD_FORMAT]);
    if (!l->types) return;
    for (unsigned i = 0; i < l->count; i++) {
        KeywordId id = (KeywordId)l->present[i];
        unsigned on = keyword_table[id].on;
        if (!on || kinds_of(on) & l->types) continue;
        if (id == KEYWORD_FORMAT && format_find(format) == FORMAT_UNKNOWN)
            continue;
        place_warn(l->s, l->place, keyword_table[id].name,
                   "found a keyword for another type, expected \"%s\" among "
                   "the types",
                   on_name(on));
    }
}

/* Whether the schema is a part of another, which may say the type. */
static bool is_part(const Lint *l)
{
    switch (l->via) {
    case KEYWORD_ALL_OF:
    case KEYWORD_ANY_OF:
    case KEYWORD_ONE_OF:
    case KEYWORD_NOT:
    case KEYWORD_IF:
    case KEYWORD_THEN:
    case KEYWORD_ELSE:
    case KEYWORD_DEPENDENT_SCHEMAS:
    case KEYWORD_DEPENDENCIES:
    case KEYWORD_PROPERTY_NAMES:
        return true;
    default:
        return false;
    }
}

/* Keywords for a type, and nothing that says the type. */
static void rule_no_type(Lint *l)
{
    static const KeywordId others[] = {
        KEYWORD_TYPE,   KEYWORD_ENUM,        KEYWORD_CONST,
        KEYWORD_REF,    KEYWORD_ALL_OF,      KEYWORD_ANY_OF,
        KEYWORD_ONE_OF, KEYWORD_DYNAMIC_REF, KEYWORD_RECURSIVE_REF,
        KEYWORD_NOT};
    if (is_part(l)) return;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (lint_has(l, others[i])) return;
    for (unsigned i = 0; i < l->count; i++) {
        KeywordId id = (KeywordId)l->present[i];
        unsigned on = keyword_table[id].on;
        if (!on) continue;
        place_warn(l->s, l->place, NULL,
                   "found \"%s\" and no type, which allows all values of other "
                   "types, expected \"type\": \"%s\"",
                   keyword_table[id].name, on_name(on));
        return;
    }
}

static void check_value(Lint *l, JsonId value)
{
    if (kind_bit(json_kind(l->json, value)) & l->types) return;
    place_warn(l->s, (Place){l->place.doc, value}, NULL,
               "found %s, which is of none of the types",
               json_kind_name(json_kind(l->json, value)));
}

static void rule_default(Lint *l)
{
    if (l->types && lint_has(l, KEYWORD_DEFAULT))
        check_value(l, l->at[KEYWORD_DEFAULT]);
}

static void rule_values(Lint *l)
{
    if (!l->types) return;
    if (lint_has(l, KEYWORD_CONST)) check_value(l, l->at[KEYWORD_CONST]);
    for (JsonIter it = json_iter(l->json, l->at[KEYWORD_ENUM]); json_step(&it);)
        check_value(l, it.value);
}

/* ---- objects ---------------------------------------------------------- */

static void rule_required(Lint *l)
{
    JsonId properties = l->at[KEYWORD_PROPERTIES];
    if (!lint_has(l, KEYWORD_PROPERTIES)) return;
    for (JsonIter it = json_iter(l->json, l->at[KEYWORD_REQUIRED]);
         json_step(&it);) {
        Span name = json_string(l->json, it.value);
        if (pointer_member(&l->index, l->json, properties, name) != JSON_NONE)
            continue;
        Quote near = near_member(l->json, properties, name);
        place_warn(l->s, (Place){l->place.doc, it.value}, NULL,
                   "found the required name %s, expected it in properties%s%s",
                   quote(name).text, near.text[0] ? "; perhaps " : "",
                   near.text);
    }
}

static void rule_no_required(Lint *l)
{
    if (is_part(l) || lint_has(l, KEYWORD_REQUIRED) ||
        lint_has(l, KEYWORD_MIN_PROPERTIES) ||
        !json_count(l->json, l->at[KEYWORD_PROPERTIES]))
        return;
    place_warn(l->s, l->place, NULL,
               "found properties and none of them required: {} is valid");
}

/* Names that stand twice in an object of schemas. */
static void rule_repeated_names(Lint *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        KeywordId id = (KeywordId)l->present[i];
        KeywordValue takes = (KeywordValue)keyword_table[id].value;
        JsonId map = l->at[id];
        if (takes != TAKES_SCHEMA_MAP && takes != TAKES_DEPENDENCIES) continue;
        for (JsonIter it = json_iter(l->json, map); json_step(&it);)
            if (pointer_member(&l->index, l->json, map, it.key) != it.value &&
                !l->index.failed)
                place_warn(l->s, (Place){l->place.doc, it.value}, NULL,
                           "found the name %s twice, expected it once; the "
                           "last one counts",
                           quote(it.key).text);
    }
}

/* additionalProperties: false does not see into $ref and allOf. */
static void rule_closed(Lint *l)
{
    if (lint_kind(l, KEYWORD_ADDITIONAL_PROPERTIES) != JSON_FALSE) return;
    KeywordId with = lint_has(l, KEYWORD_ALL_OF) ? KEYWORD_ALL_OF
                     : lint_has(l, KEYWORD_REF)  ? KEYWORD_REF
                                                 : KEYWORD_NONE;
    if (with == KEYWORD_NONE) return;
    bool is_new = draft_bit(l->draft) & FROM_2019;
    place_warn(l->s, l->place, "additionalProperties",
               "found false beside %s, whose own properties it refuses%s",
               lint_name(with),
               is_new ? ", expected unevaluatedProperties" : "");
}

/* ---- bounds, unions, strings ------------------------------------------ */

static void rule_bounds(Lint *l)
{
    static const KeywordId pairs[][2] = {
        {KEYWORD_MIN_LENGTH, KEYWORD_MAX_LENGTH},
        {KEYWORD_MIN_ITEMS, KEYWORD_MAX_ITEMS},
        {KEYWORD_MIN_PROPERTIES, KEYWORD_MAX_PROPERTIES},
        {KEYWORD_MIN_CONTAINS, KEYWORD_MAX_CONTAINS},
        {KEYWORD_MINIMUM, KEYWORD_MAXIMUM},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        double lo, hi;
        if (!json_double(l->json, l->at[pairs[i][0]], &lo) ||
            !json_double(l->json, l->at[pairs[i][1]], &hi) || lo <= hi)
            continue;
        place_warn(l->s, l->place, lint_name(pairs[i][0]),
                   "found %s above %s: no value fits", lint_name(pairs[i][0]),
                   lint_name(pairs[i][1]));
    }
}

/* A keyword that does nothing without another one. */
static void rule_alone(Lint *l)
{
    static const KeywordId pairs[][2] = {
        {KEYWORD_THEN, KEYWORD_IF},
        {KEYWORD_ELSE, KEYWORD_IF},
        {KEYWORD_MIN_CONTAINS, KEYWORD_CONTAINS},
        {KEYWORD_MAX_CONTAINS, KEYWORD_CONTAINS},
        {KEYWORD_ADDITIONAL_ITEMS, KEYWORD_ITEMS},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (lint_has(l, pairs[i][0]) && !lint_has(l, pairs[i][1]))
            place_warn(l->s, l->place, lint_name(pairs[i][0]),
                       "found %s without %s, which has no effect",
                       lint_name(pairs[i][0]), lint_name(pairs[i][1]));
    if (lint_has(l, KEYWORD_IF) && !lint_has(l, KEYWORD_THEN) &&
        !lint_has(l, KEYWORD_ELSE))
        place_warn(l->s, l->place, "if",
                   "found if without then and else, which has no effect");
}

static void rule_empty_enum(Lint *l)
{
    if (lint_has(l, KEYWORD_ENUM) && !json_count(l->json, l->at[KEYWORD_ENUM]))
        place_warn(l->s, l->place, "enum",
                   "found an empty array: no value is valid");
}

static void rule_branches(Lint *l)
{
    static const KeywordId unions[] = {KEYWORD_ANY_OF, KEYWORD_ONE_OF};
    for (size_t i = 0; i < COUNT_OF(unions); i++) {
        uint32_t count = json_count(l->json, l->at[unions[i]]);
        if (count > MAX_BRANCHES)
            place_warn(l->s, l->place, lint_name(unions[i]),
                       "found %u branches, expected at most %d: more are slow",
                       count, MAX_BRANCHES);
    }
}

/* Whether ^ or $ stand anywhere, not escaped, and not as in [^a]. */
static bool has_anchor(Span pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        uint8_t c = pattern.at[i];
        if (c == '$' || (c == '^' && (!i || pattern.at[i - 1] != '[')))
            return true;
        if (c == '\\') i++;
    }
    return false;
}

static void rule_anchors(Lint *l)
{
    Span pattern = json_string(l->json, l->at[KEYWORD_PATTERN]);
    if (!pattern.size || has_anchor(pattern)) return;
    place_warn(l->s, l->place, "pattern",
               "found no ^ and no $: any text may stand around the match");
}

/* Names of formats that others define, and that nobody takes for ours. */
static bool is_foreign_format(Span name)
{
    static const char *const names[] = {
        "int32", "int64",   "float",  "double",   "byte",  "binary",
        "char",  "decimal", "uint32", "password", "uint64"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (span_equal(name, span_text(names[i]))) return true;
    return false;
}

static void rule_format(Lint *l)
{
    Span name = json_string(l->json, l->at[KEYWORD_FORMAT]);
    const char *nearest = NULL;
    unsigned least = NEAR_FAR;
    if (!name.at || format_find(name) != FORMAT_UNKNOWN) return;
    for (unsigned kind = 1; kind < FORMAT_KINDS; kind++) {
        const char *other = format_name((FormatKind)kind);
        unsigned distance = near_distance(name, span_text(other));
        if (distance >= least || !near_is_meant(distance, strlen(other)))
            continue;
        least = distance;
        nearest = other;
    }
    bool is_near = nearest && !is_foreign_format(name);
    if (!lint_wants(l, is_near ? LINT_MISTAKES : LINT_ADVICE)) return;
    place_warn(l->s, l->place, "format",
               "found the unknown format %s, which enforces nothing%s%s",
               quote(name).text, is_near ? ", expected perhaps " : "",
               is_near ? nearest : "");
}

void lint_rules(Lint *l)
{
    l->types = types_of(l->json, l->at[KEYWORD_TYPE]);
    rule_format(l);
    if (lint_wants(l, LINT_MISTAKES)) {
        rule_other_type(l);
        rule_no_type(l);
        rule_values(l);
        rule_required(l);
        rule_repeated_names(l);
        rule_closed(l);
        rule_bounds(l);
        rule_alone(l);
        rule_empty_enum(l);
    }
    if (lint_wants(l, LINT_ADVICE)) {
        rule_default(l);
        rule_no_required(l);
        rule_branches(l);
        rule_anchors(l);
    }
}
