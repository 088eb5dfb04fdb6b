/* keyword_check.c: malformed keywords.
 *
 * In:    a schema.  Out: the first error in the order of its text, if any.
 * Method: a function for each kind of value in keyword.h.
 * What the metaschemas ask for beyond what a keyword needs to have one clear
 * meaning is left to lint.c: an empty enum, true and false as schemas in
 * draft 4, and annotations.
 * Tests: unit/keyword_check_test.c
 */
#include "schema/keyword_check.h"

#include <stdio.h>

#include "schema/near.h"
#include "schema/source_parts.h"

typedef struct Check {
    Sources *s;
    const Json *json;
    Place schema;
    weir_draft draft;
    bool warns; /* instead of failing */
} Check;

/* Reports; returns false. */
static bool report(const Check *c, JsonId id, const char *found,
                   const char *what)
{
    Place at = {c->schema.doc, id};
    if (c->warns)
        place_warn(c->s, at, NULL, "found %s, expected %s", found, what);
    else
        place_fail(c->s, at, NULL, WEIR_SYNTAX, "found %s, expected %s", found,
                   what);
    return false;
}

static bool expected(const Check *c, JsonId id, const char *what)
{
    char found[sizeof(Quote) + 16];
    JsonKind kind = json_kind(c->json, id);
    if (kind == JSON_NUMBER)
        snprintf(found, sizeof found, "the number %.*s",
                 (int)MIN(json_spelling(c->json, id).size, 60),
                 (const char *)json_spelling(c->json, id).at);
    else if (kind == JSON_STRING)
        snprintf(found, sizeof found, "the string %s",
                 quote(json_string(c->json, id)).text);
    else
        snprintf(found, sizeof found, "%s", json_kind_name(kind));
    return report(c, id, found, what);
}

static bool expected_more(const Check *c, JsonId id, const char *what)
{
    return report(c, id, "an empty array", what);
}

static bool is_kind(const Check *c, JsonId id, JsonKind kind, const char *what)
{
    return json_kind(c->json, id) == kind || expected(c, id, what);
}

/* ---- numbers ---------------------------------------------------------- */

/* The parts of a JSON number that is not negative. */
typedef struct Digits {
    Span whole, fraction;
    long exponent; /* cut at a million; longer spellings do not occur */
    bool is_negative, is_zero;
} Digits;

static Span take_digits(Span *text)
{
    size_t n = 0;
    while (n < text->size && text->at[n] >= '0' && text->at[n] <= '9') n++;
    Span digits = span_of(text->at, n);
    *text = span_of(text->at + n, text->size - n);
    return digits;
}

static bool take(Span *text, const char *bytes)
{
    if (!text->size || !strchr(bytes, text->at[0])) return false;
    *text = span_of(text->at + 1, text->size - 1);
    return true;
}

static bool all_zero(Span digits)
{
    for (size_t i = 0; i < digits.size; i++)
        if (digits.at[i] != '0') return false;
    return true;
}

static Digits digits_of(Span number)
{
    Digits d = {.is_negative = take(&number, "-")};
    d.whole = take_digits(&number);
    if (take(&number, ".")) d.fraction = take_digits(&number);
    if (take(&number, "eE")) {
        bool is_down = number.size && number.at[0] == '-';
        if (!take(&number, "-")) take(&number, "+");
        for (size_t i = 0; i < number.size && d.exponent < 100000000; i++)
            d.exponent = d.exponent * 10 + (number.at[i] - '0');
        if (is_down) d.exponent = -d.exponent;
    }
    d.is_zero = all_zero(d.whole) && all_zero(d.fraction);
    return d;
}

/* The digits after the point that are needed, less than 0 for zeros before. */
static long places_of(const Digits *d)
{
    size_t n = d->fraction.size, zeros = 0;
    while (n && d->fraction.at[n - 1] == '0') n--;
    while (!n && zeros < d->whole.size &&
           d->whole.at[d->whole.size - 1 - zeros] == '0')
        zeros++;
    return (long)n - (long)zeros - d->exponent;
}

bool keyword_is_count(Span number)
{
    Digits d = digits_of(number);
    return d.is_zero || (!d.is_negative && places_of(&d) <= 0);
}

static bool check_count(const Check *c, JsonId id)
{
    static const char what[] = "a whole number from 0 on";
    if (!is_kind(c, id, JSON_NUMBER, what)) return false;
    return keyword_is_count(json_spelling(c->json, id)) ||
           expected(c, id, what);
}

static bool check_divisor(const Check *c, JsonId id)
{
    static const char what[] = "a number above 0";
    if (!is_kind(c, id, JSON_NUMBER, what)) return false;
    Digits d = digits_of(json_spelling(c->json, id));
    return (!d.is_zero && !d.is_negative) || expected(c, id, what);
}

static bool check_exclusive(const Check *c, JsonId id)
{
    JsonKind kind = json_kind(c->json, id);
    bool is_flag = kind == JSON_TRUE || kind == JSON_FALSE;
    if (draft_bit(c->draft) == IN_4)
        return is_flag || expected(c, id, "true or false in draft 4");
    if (is_flag) return expected(c, id, "a number, as in all drafts after 4");
    return is_kind(c, id, JSON_NUMBER, "a number");
}

/* ---- names and types -------------------------------------------------- */

static bool check_type_name(const Check *c, JsonId id)
{
    static const char what[] = "array, boolean, integer, null, number, object "
                               "or string";
    if (!is_kind(c, id, JSON_STRING, what)) return false;
    return type_name_find(json_string(c->json, id)) != TYPE_NAMES ||
           expected(c, id, what);
}

static bool check_type(const Check *c, JsonId id)
{
    if (json_kind(c->json, id) != JSON_ARRAY) return check_type_name(c, id);
    if (!json_count(c->json, id))
        return expected_more(c, id, "at least one type");
    for (JsonIter it = json_iter(c->json, id); json_step(&it);)
        if (!check_type_name(c, it.value)) return false;
    return true;
}

static bool check_names(const Check *c, JsonId id)
{
    if (!is_kind(c, id, JSON_ARRAY, "an array of names")) return false;
    for (JsonIter it = json_iter(c->json, id); json_step(&it);)
        if (!is_kind(c, it.value, JSON_STRING, "a name")) return false;
    return true;
}

static bool check_names_map(const Check *c, JsonId id)
{
    if (!is_kind(c, id, JSON_OBJECT, "an object of arrays of names"))
        return false;
    for (JsonIter it = json_iter(c->json, id); json_step(&it);)
        if (!check_names(c, it.value)) return false;
    return true;
}

/* ---- schemas ---------------------------------------------------------- */

static bool check_boolean(const Check *c, JsonId id)
{
    JsonKind kind = json_kind(c->json, id);
    return kind == JSON_TRUE || kind == JSON_FALSE ||
           expected(c, id, "true or false");
}

static bool check_schema(const Check *c, JsonId id)
{
    JsonKind kind = json_kind(c->json, id);
    return kind == JSON_OBJECT || kind == JSON_TRUE || kind == JSON_FALSE ||
           expected(c, id, "a schema: an object, true or false");
}

static bool check_schemas(const Check *c, JsonId id)
{
    for (JsonIter it = json_iter(c->json, id); json_step(&it);)
        if (!check_schema(c, it.value)) return false;
    return true;
}

static bool check_list(const Check *c, JsonId id)
{
    if (!is_kind(c, id, JSON_ARRAY, "an array of schemas")) return false;
    if (!json_count(c->json, id))
        return expected_more(c, id, "at least one schema");
    return check_schemas(c, id);
}

static bool check_items(const Check *c, JsonId id)
{
    if (json_kind(c->json, id) != JSON_ARRAY) return check_schema(c, id);
    if (draft_bit(c->draft) == IN_2020)
        return expected(c, id, "a schema; a list is prefixItems in this draft");
    return check_list(c, id);
}

static bool check_dependencies(const Check *c, JsonId id)
{
    if (!is_kind(c, id, JSON_OBJECT, "an object")) return false;
    for (JsonIter it = json_iter(c->json, id); json_step(&it);) {
        bool is_list = json_kind(c->json, it.value) == JSON_ARRAY;
        if (is_list ? !check_names(c, it.value) : !check_schema(c, it.value))
            return false;
    }
    return true;
}

/* ---- keywords --------------------------------------------------------- */

/* Annotations: whatever they hold, they allow the same values. */
static bool is_annotation(KeywordId id)
{
    switch (id) {
    case KEYWORD_COMMENT:
    case KEYWORD_CONTENT_ENCODING:
    case KEYWORD_CONTENT_MEDIA_TYPE:
    case KEYWORD_CONTENT_SCHEMA:
    case KEYWORD_DEFAULT:
    case KEYWORD_DEPRECATED:
    case KEYWORD_DESCRIPTION:
    case KEYWORD_EXAMPLES:
    case KEYWORD_READ_ONLY:
    case KEYWORD_TITLE:
    case KEYWORD_WRITE_ONLY:
        return true;
    default:
        return false;
    }
}

static bool check_value(const Check *c, KeywordValue takes, JsonId id)
{
    switch (takes) {
    case TAKES_ANYTHING:
        return true;
    case TAKES_SCHEMA:
        return check_schema(c, id);
    case TAKES_SCHEMA_LIST:
        return check_list(c, id);
    case TAKES_SCHEMA_MAP:
        return is_kind(c, id, JSON_OBJECT, "an object of schemas") &&
               check_schemas(c, id);
    case TAKES_ITEMS:
        return check_items(c, id);
    case TAKES_DEPENDENCIES:
        return check_dependencies(c, id);
    case TAKES_TYPE:
        return check_type(c, id);
    case TAKES_LIST:
        return is_kind(c, id, JSON_ARRAY, "an array");
    case TAKES_NUMBER:
        return is_kind(c, id, JSON_NUMBER, "a number");
    case TAKES_EXCLUSIVE:
        return check_exclusive(c, id);
    case TAKES_DIVISOR:
        return check_divisor(c, id);
    case TAKES_COUNT:
        return check_count(c, id);
    case TAKES_BOOLEAN:
        return check_boolean(c, id);
    case TAKES_STRING:
        return is_kind(c, id, JSON_STRING, "a string");
    case TAKES_NAMES:
        return check_names(c, id);
    case TAKES_NAMES_MAP:
        return check_names_map(c, id);
    case TAKES_FLAGS:
        return is_kind(c, id, JSON_OBJECT, "an object");
    }
    assert(false);
    return false;
}

bool keyword_check_member(Sources *s, Place schema, KeywordId id, JsonId value)
{
    Check c = {s, place_json(s, schema), schema, place_draft(s, schema),
               is_annotation(id)};
    return check_value(&c, (KeywordValue)keyword_table[id].value, value);
}

bool keyword_check(Sources *s, Place schema)
{
    const Json *json = place_json(s, schema);
    if (json_kind(json, schema.id) != JSON_OBJECT) return true;
    uint64_t *checked = &document_of(s, schema)->is_checked[schema.id / 64];
    uint64_t bit = (uint64_t)1 << schema.id % 64;
    if (*checked & bit) return true;
    Check c = {s, json, schema, place_draft(s, schema), false};
    bool is_hidden = draft_bit(c.draft) & UNTIL_7 &&
                     json_get(json, schema.id, "$ref") != JSON_NONE;
    for (JsonIter it = json_iter(json, schema.id); json_step(&it);) {
        KeywordId id = place_keyword(s, schema, it.key_id);
        if (is_annotation(id) || (is_hidden && id != KEYWORD_REF)) continue;
        if (!check_value(&c, (KeywordValue)keyword_table[id].value, it.value))
            return false;
    }
    *checked |= bit;
    return true;
}

bool keywords_check(Sources *s)
{
    Place place = sources_root();
    const Document *d = document_of(s, place);
    bool ok = true;
    for (place.id = 0; ok && place.id < d->json.nodes.count; place.id++)
        if (document_has_schema(d, place.id)) ok = keyword_check(s, place);
    return ok;
}
