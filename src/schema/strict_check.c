/* strict_check.c: the subset of JSON Schema that OpenAI's strict mode takes.
 *
 * In:    a schema.  Out: warnings.
 * Method: one walk; a table says which keywords are taken, counters hold what
 *        the limits are about.
 * The rules are those of OpenAI's guide "Structured model outputs" of 2025:
 *        objects closed, all properties required, a root that is an object,
 *        few keywords, and five limits. What the guide leaves open is read so:
 *        a level of nesting is an object in an object, whatever stands
 *        between, and a definition begins at the first level; characters are
 *        code points.
 * Tests: unit/strict_check_test.c
 */
#include "schema/strict_check.h"

#include "schema/keyword.h"
#include "schema/near.h"
#include "schema/source_parts.h"
#include "schema/subschema.h"

/* The limits, by name. */
enum {
    MAX_PROPERTIES = 5000,
    MAX_LEVELS = 10,
    MAX_CHARS = 120000, /* of names of properties and definitions, and of
                           strings in enum and const */
    MAX_ENUM_VALUES = 1000,
    LARGE_ENUM = 250, /* values; above, so many characters: */
    LARGE_ENUM_CHARS = 15000
};

typedef struct Strict {
    Sources *s;
    const Json *json;
    Place place;
    weir_draft draft;
    size_t properties, chars, enum_values;
    VEC(uint32_t) levels; /* of objects, by level of the walk */
    bool failed;
} Strict;

static Place sub(const Strict *c, JsonId id)
{
    return (Place){c->place.doc, id};
}

/* ---- strings ---------------------------------------------------------- */

static size_t count_chars(Span text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) count += (text.at[i] & 0xC0) != 0x80;
    return count;
}

static void check_enum(Strict *c, JsonId list)
{
    size_t values = 0, chars = 0;
    for (JsonIter it = json_iter(c->json, list); json_step(&it); values++)
        chars += count_chars(json_string(c->json, it.value));
    c->enum_values += values;
    c->chars += chars;
    if (values > LARGE_ENUM && chars > LARGE_ENUM_CHARS)
        place_warn(c->s, sub(c, list), NULL,
                   "found %zu values of %zu characters, expected at most %d "
                   "characters where there are more than %d values",
                   values, chars, LARGE_ENUM_CHARS, LARGE_ENUM);
}

static void check_format(Strict *c, JsonId id)
{
    static const char *const taken[] = {"date-time", "time",  "date",
                                        "duration",  "email", "hostname",
                                        "ipv4",      "ipv6",  "uuid"};
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        if (json_is_string(c->json, id, taken[i])) return;
    place_warn(c->s, sub(c, id), NULL,
               "found the format %s, expected one of date-time, time, date, "
               "duration, email, hostname, ipv4, ipv6, uuid",
               quote(json_string(c->json, id)).text);
}

/* ---- keywords --------------------------------------------------------- */

static void refuse(Strict *c, JsonId value, KeywordId keyword,
                   const char *instead)
{
    place_warn(c->s, sub(c, value), NULL, "found %s, which is refused%s%s",
               keyword_table[keyword].name, instead[0] ? ", expected " : "",
               instead);
}

/* Schemas that are true or false. */
static void check_booleans(Strict *c, JsonId value)
{
    JsonKind kind = json_kind(c->json, value);
    if (kind == JSON_TRUE || kind == JSON_FALSE)
        place_warn(c->s, sub(c, value), NULL,
                   "found %s, expected a schema that is an object",
                   json_kind_name(kind));
}

static void check_kids(Strict *c, JsonId container)
{
    for (JsonIter it = json_iter(c->json, container); json_step(&it);)
        check_booleans(c, it.value);
}

/* Properties or definitions, whose names count. */
static void check_named(Strict *c, JsonId map)
{
    check_kids(c, map);
    for (JsonIter it = json_iter(c->json, map); json_step(&it);)
        c->chars += count_chars(it.key);
}

static void check_keyword(Strict *c, KeywordId keyword, JsonId value)
{
    switch (keyword) {
    case KEYWORD_PROPERTIES:
        c->properties += json_count(c->json, value);
        check_named(c, value);
        break;
    case KEYWORD_DEFS:
    case KEYWORD_DEFINITIONS:
        check_named(c, value);
        break;
    case KEYWORD_ANY_OF:
        check_kids(c, value);
        break;
    case KEYWORD_ITEMS:
        if (json_kind(c->json, value) == JSON_ARRAY)
            refuse(c, value, keyword, "one schema for all items");
        check_booleans(c, value);
        break;
    case KEYWORD_ENUM:
        check_enum(c, value);
        break;
    case KEYWORD_CONST:
        c->chars += count_chars(json_string(c->json, value));
        break;
    case KEYWORD_FORMAT:
        check_format(c, value);
        break;
    case KEYWORD_REF:
        if (!span_starts(json_string(c->json, value), SPAN("#")))
            refuse(c, value, keyword, "a reference within the schema");
        break;
    case KEYWORD_DEFAULT:
        place_warn(c->s, sub(c, value), NULL,
                   "found default, which some models refuse");
        break;
    case KEYWORD_ONE_OF:
        refuse(c, value, keyword, "anyOf");
        break;
    default:
        break;
    }
}

/* Whether strict mode knows the keyword, or takes no notice of it. */
static bool is_taken(KeywordId keyword)
{
    switch (keyword) {
    case KEYWORD_ALL_OF:
    case KEYWORD_NOT:
    case KEYWORD_IF:
    case KEYWORD_THEN:
    case KEYWORD_ELSE:
    case KEYWORD_DEPENDENCIES:
    case KEYWORD_DEPENDENT_REQUIRED:
    case KEYWORD_DEPENDENT_SCHEMAS:
    case KEYWORD_MIN_LENGTH:
    case KEYWORD_MAX_LENGTH:
    case KEYWORD_UNIQUE_ITEMS:
    case KEYWORD_CONTAINS:
    case KEYWORD_MIN_CONTAINS:
    case KEYWORD_MAX_CONTAINS:
    case KEYWORD_PREFIX_ITEMS:
    case KEYWORD_ADDITIONAL_ITEMS:
    case KEYWORD_UNEVALUATED_ITEMS:
    case KEYWORD_PATTERN_PROPERTIES:
    case KEYWORD_PROPERTY_NAMES:
    case KEYWORD_MIN_PROPERTIES:
    case KEYWORD_MAX_PROPERTIES:
    case KEYWORD_UNEVALUATED_PROPERTIES:
    case KEYWORD_DYNAMIC_REF:
    case KEYWORD_RECURSIVE_REF:
        return false;
    default:
        return true;
    }
}

/* ---- schemas ---------------------------------------------------------- */

static JsonId get(const Strict *c, KeywordId keyword)
{
    return json_get(c->json, c->place.id, keyword_table[keyword].name);
}

static bool has_type(const Strict *c, const char *name)
{
    JsonId type = get(c, KEYWORD_TYPE);
    if (json_is_string(c->json, type, name)) return true;
    if (json_kind(c->json, type) != JSON_ARRAY) return false;
    for (JsonIter it = json_iter(c->json, type); json_step(&it);)
        if (json_is_string(c->json, it.value, name)) return true;
    return false;
}

/* Whether a name is among those that `names` indexes by hash. */
static bool is_among(const Strict *c, const Map *names, uint64_t hash,
                     Span name)
{
    for (MapPos p = map_first(names, hash); p.value != MAP_NONE;
         p = map_next(names, hash, p))
        if (span_equal(json_string(c->json, p.value), name)) return true;
    return false;
}

/* All properties are required. */
static void check_required(Strict *c)
{
    const Mem *mem = c->json->mem;
    Map required = {0};
    JsonId list = get(c, KEYWORD_REQUIRED);
    for (JsonIter it = json_iter(c->json, list); json_step(&it);) {
        Span name = json_string(c->json, it.value);
        uint64_t hash = hash_bytes(0, name.at, name.size);
        if (!is_among(c, &required, hash, name) &&
            !map_add(mem, &required, hash, it.value))
            c->failed = true;
    }
    JsonId properties = get(c, KEYWORD_PROPERTIES);
    for (JsonIter it = json_iter(c->json, properties);
         !c->failed && json_step(&it);) {
        uint64_t hash = hash_bytes(0, it.key.at, it.key.size);
        if (!is_among(c, &required, hash, it.key))
            place_warn(c->s, sub(c, it.value), NULL,
                       "found a property that is not required, expected all "
                       "in required; one that may be missing is a union with "
                       "null");
    }
    map_free(mem, &required);
}

static bool is_object(const Strict *c)
{
    return has_type(c, "object") || get(c, KEYWORD_PROPERTIES) != JSON_NONE;
}

static void check_object(Strict *c)
{
    JsonId others = get(c, KEYWORD_ADDITIONAL_PROPERTIES);
    if (json_kind(c->json, others) != JSON_FALSE)
        place_warn(c->s, others == JSON_NONE ? c->place : sub(c, others), NULL,
                   "found an open object, expected "
                   "\"additionalProperties\": false");
    check_required(c);
}

static void check_type(Strict *c)
{
    static const KeywordId instead[] = {
        KEYWORD_TYPE, KEYWORD_ENUM, KEYWORD_CONST, KEYWORD_ANY_OF, KEYWORD_REF};
    for (size_t i = 0; i < COUNT_OF(instead); i++)
        if (get(c, instead[i]) != JSON_NONE) return;
    place_warn(c->s, c->place, NULL,
               "found none of type, enum, const, anyOf and $ref, expected one");
}

static void check_root(Strict *c)
{
    JsonId type = get(c, KEYWORD_TYPE), unions = get(c, KEYWORD_ANY_OF);
    if (!json_is_string(c->json, type, "object"))
        place_warn(c->s, c->place, NULL,
                   "found another root, expected \"type\": \"object\"");
    if (unions != JSON_NONE)
        refuse(c, unions, KEYWORD_ANY_OF, "an object at the root");
}

/* Counts the objects around and warns where there is one too many. */
static void check_level(Strict *c, const SchemaWalk *walk)
{
    bool is_new = walk->via == KEYWORD_DEFS || walk->via == KEYWORD_DEFINITIONS;
    assert(walk->level <= c->levels.count); /* parents come first */
    uint32_t level = walk->level && !is_new ? c->levels.at[walk->level - 1] : 0;
    level += is_object(c);
    c->levels.count = walk->level;
    if (!vec_push(c->json->mem, &c->levels, level)) c->failed = true;
    if (level == MAX_LEVELS + 1 && is_object(c))
        place_warn(c->s, c->place, NULL,
                   "found an object at level %u, expected at most %d levels",
                   level, MAX_LEVELS);
}

static void check_schema(Strict *c)
{
    for (JsonIter it = json_iter(c->json, c->place.id); json_step(&it);) {
        KeywordId keyword = keyword_of(c->draft, it.key);
        if (is_taken(keyword))
            check_keyword(c, keyword, it.value);
        else
            refuse(c, it.value, keyword, "");
    }
    check_type(c);
    if (is_object(c)) check_object(c);
    if (c->place.id == JSON_ROOT) check_root(c);
}

static void check_total(Strict *c, size_t count, size_t most, const char *what)
{
    if (count > most)
        place_warn(c->s, sources_root(), NULL,
                   "found %zu %s in all, expected at most %zu", count, what,
                   most);
}

void openai_strict_check(Sources *s)
{
    Place root = sources_root();
    Strict c = {.s = s, .json = place_json(s, root)};
    SchemaWalk walk;
    check_booleans(&c, root.id);
    schema_walk_begin(&walk, c.json, root.id, place_draft(s, root));
    while (!c.failed && schema_walk_next(&walk)) {
        c.place = sub(&c, walk.schema);
        c.draft = place_draft(s, c.place);
        schema_walk_set_draft(&walk, c.draft);
        check_level(&c, &walk);
        if (!c.failed) check_schema(&c);
    }
    check_total(&c, c.properties, MAX_PROPERTIES, "properties");
    check_total(&c, c.enum_values, MAX_ENUM_VALUES, "values in enums");
    check_total(&c, c.chars, MAX_CHARS,
                "characters of names and of strings in enum and const");
    if (walk.failed || c.failed) sources_no_memory(s);
    schema_walk_end(&walk);
    vec_free(c.json->mem, &c.levels);
}
