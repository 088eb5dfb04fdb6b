/* keyword.h: the keywords of JSON Schema, drafts 4 to 2020-12, in one table.
 *
 * A row says how a keyword is spelled, which drafts define it, what its value
 * has to be (and so where subschemas are), and which type of value it speaks
 * of. What no row names in a draft is unknown there: the standard ignores it.
 *
 * Rows are sorted by the length of the name, so that a look-up compares with
 * the few names of the same length.
 */
#ifndef WEIR_SCHEMA_KEYWORD_H
#define WEIR_SCHEMA_KEYWORD_H

#include "base/span.h"
#include "weir/weir.h"

/* Sets of drafts. */
enum {
    IN_4 = 1,
    IN_6 = 2,
    IN_7 = 4,
    IN_2019 = 8,
    IN_2020 = 16,
    IN_ALL = 31,
    FROM_6 = 30,
    FROM_7 = 28,
    FROM_2019 = 24,
    UNTIL_7 = 7,
    UNTIL_2019 = 15
};

/* What a keyword's value has to be. */
typedef enum KeywordValue {
    TAKES_ANYTHING,
    TAKES_SCHEMA,
    TAKES_SCHEMA_LIST,  /* not empty */
    TAKES_SCHEMA_MAP,   /* an object of schemas */
    TAKES_ITEMS,        /* a schema; before 2020-12 also a list of schemas */
    TAKES_DEPENDENCIES, /* an object of schemas and of lists of names */
    TAKES_TYPE,         /* one of the seven names, or a list of them */
    TAKES_LIST,
    TAKES_NUMBER,
    TAKES_EXCLUSIVE, /* a number; in draft 4 a boolean */
    TAKES_DIVISOR,   /* a number above 0 */
    TAKES_COUNT,     /* a whole number, not negative; 2.0 is one */
    TAKES_BOOLEAN,
    TAKES_STRING,
    TAKES_NAMES,     /* a list of different strings; in draft 4 not empty */
    TAKES_NAMES_MAP, /* an object of such lists */
    TAKES_FLAGS      /* an object of booleans */
} KeywordValue;

/* Which values it speaks of; it says nothing about others. */
enum { ON_ANY = 0, ON_NUMBER = 1, ON_STRING = 2, ON_ARRAY = 4, ON_OBJECT = 8 };

/* X(KEYWORD_<id>, spelling, drafts, value, speaks of): by length, and of each
 * length first what schemas have most. */
#define KEYWORD_LIST(X)                                                        \
    X(OLD_ID, "id", IN_4, TAKES_STRING, ON_ANY)                                \
    X(IF, "if", FROM_7, TAKES_SCHEMA, ON_ANY)                                  \
    X(ID, "$id", FROM_6, TAKES_STRING, ON_ANY)                                 \
    X(NOT, "not", IN_ALL, TAKES_SCHEMA, ON_ANY)                                \
    X(TYPE, "type", IN_ALL, TAKES_TYPE, ON_ANY)                                \
    X(REF, "$ref", IN_ALL, TAKES_STRING, ON_ANY)                               \
    X(ENUM, "enum", IN_ALL, TAKES_LIST, ON_ANY)                                \
    X(ELSE, "else", FROM_7, TAKES_SCHEMA, ON_ANY)                              \
    X(THEN, "then", FROM_7, TAKES_SCHEMA, ON_ANY)                              \
    X(ITEMS, "items", IN_ALL, TAKES_ITEMS, ON_ARRAY)                           \
    X(TITLE, "title", IN_ALL, TAKES_STRING, ON_ANY)                            \
    X(ANY_OF, "anyOf", IN_ALL, TAKES_SCHEMA_LIST, ON_ANY)                      \
    X(DEFS, "$defs", FROM_2019, TAKES_SCHEMA_MAP, ON_ANY)                      \
    X(ALL_OF, "allOf", IN_ALL, TAKES_SCHEMA_LIST, ON_ANY)                      \
    X(CONST, "const", FROM_6, TAKES_ANYTHING, ON_ANY)                          \
    X(ONE_OF, "oneOf", IN_ALL, TAKES_SCHEMA_LIST, ON_ANY)                      \
    X(FORMAT, "format", IN_ALL, TAKES_STRING, ON_STRING)                       \
    X(DEFAULT, "default", IN_ALL, TAKES_ANYTHING, ON_ANY)                      \
    X(PATTERN, "pattern", IN_ALL, TAKES_STRING, ON_STRING)                     \
    X(ANCHOR, "$anchor", FROM_2019, TAKES_STRING, ON_ANY)                      \
    X(SCHEMA, "$schema", IN_ALL, TAKES_STRING, ON_ANY)                         \
    X(MAXIMUM, "maximum", IN_ALL, TAKES_NUMBER, ON_NUMBER)                     \
    X(MINIMUM, "minimum", IN_ALL, TAKES_NUMBER, ON_NUMBER)                     \
    X(REQUIRED, "required", IN_ALL, TAKES_NAMES, ON_OBJECT)                    \
    X(COMMENT, "$comment", FROM_7, TAKES_STRING, ON_ANY)                       \
    X(CONTAINS, "contains", FROM_6, TAKES_SCHEMA, ON_ARRAY)                    \
    X(EXAMPLES, "examples", FROM_6, TAKES_LIST, ON_ANY)                        \
    X(MAX_ITEMS, "maxItems", IN_ALL, TAKES_COUNT, ON_ARRAY)                    \
    X(MIN_ITEMS, "minItems", IN_ALL, TAKES_COUNT, ON_ARRAY)                    \
    X(READ_ONLY, "readOnly", FROM_7, TAKES_BOOLEAN, ON_ANY)                    \
    X(MAX_LENGTH, "maxLength", IN_ALL, TAKES_COUNT, ON_STRING)                 \
    X(MIN_LENGTH, "minLength", IN_ALL, TAKES_COUNT, ON_STRING)                 \
    X(WRITE_ONLY, "writeOnly", FROM_7, TAKES_BOOLEAN, ON_ANY)                  \
    X(PROPERTIES, "properties", IN_ALL, TAKES_SCHEMA_MAP, ON_OBJECT)           \
    X(DEPRECATED, "deprecated", FROM_2019, TAKES_BOOLEAN, ON_ANY)              \
    X(MULTIPLE_OF, "multipleOf", IN_ALL, TAKES_DIVISOR, ON_NUMBER)             \
    X(DESCRIPTION, "description", IN_ALL, TAKES_STRING, ON_ANY)                \
    X(DYNAMIC_REF, "$dynamicRef", IN_2020, TAKES_STRING, ON_ANY)               \
    X(VOCABULARY, "$vocabulary", FROM_2019, TAKES_FLAGS, ON_ANY)               \
    X(DEFINITIONS, "definitions", IN_ALL, TAKES_SCHEMA_MAP, ON_ANY)            \
    X(MAX_CONTAINS, "maxContains", FROM_2019, TAKES_COUNT, ON_ARRAY)           \
    X(MIN_CONTAINS, "minContains", FROM_2019, TAKES_COUNT, ON_ARRAY)           \
    X(PREFIX_ITEMS, "prefixItems", IN_2020, TAKES_SCHEMA_LIST, ON_ARRAY)       \
    X(UNIQUE_ITEMS, "uniqueItems", IN_ALL, TAKES_BOOLEAN, ON_ARRAY)            \
    X(DEPENDENCIES, "dependencies", UNTIL_7, TAKES_DEPENDENCIES, ON_OBJECT)    \
    X(RECURSIVE_REF, "$recursiveRef", IN_2019, TAKES_STRING, ON_ANY)           \
    X(CONTENT_SCHEMA, "contentSchema", FROM_2019, TAKES_SCHEMA, ON_STRING)     \
    X(MAX_PROPERTIES, "maxProperties", IN_ALL, TAKES_COUNT, ON_OBJECT)         \
    X(MIN_PROPERTIES, "minProperties", IN_ALL, TAKES_COUNT, ON_OBJECT)         \
    X(PROPERTY_NAMES, "propertyNames", FROM_6, TAKES_SCHEMA, ON_OBJECT)        \
    X(DYNAMIC_ANCHOR, "$dynamicAnchor", IN_2020, TAKES_STRING, ON_ANY)         \
    X(ADDITIONAL_ITEMS, "additionalItems", UNTIL_2019, TAKES_SCHEMA, ON_ARRAY) \
    X(CONTENT_ENCODING, "contentEncoding", FROM_7, TAKES_STRING, ON_STRING)    \
    X(RECURSIVE_ANCHOR, "$recursiveAnchor", IN_2019, TAKES_BOOLEAN, ON_ANY)    \
    X(CONTENT_MEDIA_TYPE, "contentMediaType", FROM_7, TAKES_STRING, ON_STRING) \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", FROM_2019, TAKES_SCHEMA_MAP,      \
      ON_OBJECT)                                                               \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", IN_ALL, TAKES_EXCLUSIVE,          \
      ON_NUMBER)                                                               \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", IN_ALL, TAKES_EXCLUSIVE,          \
      ON_NUMBER)                                                               \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", FROM_2019, TAKES_SCHEMA,          \
      ON_ARRAY)                                                                \
    X(DEPENDENT_REQUIRED, "dependentRequired", FROM_2019, TAKES_NAMES_MAP,     \
      ON_OBJECT)                                                               \
    X(PATTERN_PROPERTIES, "patternProperties", IN_ALL, TAKES_SCHEMA_MAP,       \
      ON_OBJECT)                                                               \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", IN_ALL, TAKES_SCHEMA,     \
      ON_OBJECT)                                                               \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", FROM_2019,              \
      TAKES_SCHEMA, ON_OBJECT)

typedef enum KeywordId {
    KEYWORD_NONE,
#define X(id, name, drafts, value, on) KEYWORD_##id,
    KEYWORD_LIST(X)
#undef X
        KEYWORD_COUNT
} KeywordId;

typedef struct Keyword {
    const char *name;
    uint8_t size, drafts, value, on; /* sets of IN_, a TAKES_, a set of ON_ */
} Keyword;

/* By KeywordId; the row of KEYWORD_NONE is empty. */
extern const Keyword keyword_table[KEYWORD_COUNT];

/* Sets of vocabularies, as 2020-12 has them. The core is always in force. */
enum {
    VOCABULARY_APPLICATOR = 1,
    VOCABULARY_UNEVALUATED = 2,
    VOCABULARY_VALIDATION = 4,
    VOCABULARY_FORMAT = 8,
    VOCABULARY_CONTENT = 16,
    VOCABULARY_META_DATA = 32,
    VOCABULARY_ALL = 63
};
/* That of a keyword; 0: the core's, or of no draft that has vocabularies. */
unsigned keyword_vocabulary(KeywordId id);

/* The keyword of any draft that is spelled so, or KEYWORD_NONE. */
KeywordId keyword_find(Span name);

/* The types, as `type` names them. */
typedef enum TypeName {
    TYPE_NAME_NULL,
    TYPE_NAME_BOOLEAN,
    TYPE_NAME_INTEGER,
    TYPE_NAME_NUMBER,
    TYPE_NAME_STRING,
    TYPE_NAME_ARRAY,
    TYPE_NAME_OBJECT,
    TYPE_NAMES
} TypeName;

/* The type of that name, or TYPE_NAMES. */
TypeName type_name_find(Span name);

/* The IN_ bit of a draft; WEIR_DRAFT_DEFAULT is 2020-12. */
static inline unsigned draft_bit(weir_draft draft)
{
    return draft == WEIR_DRAFT_4         ? IN_4
           : draft == WEIR_DRAFT_6       ? IN_6
           : draft == WEIR_DRAFT_7       ? IN_7
           : draft == WEIR_DRAFT_2019_09 ? IN_2019
                                         : IN_2020;
}

/* "draft 7", "2020-12". Static. */
const char *draft_name(weir_draft draft);

static inline bool keyword_in(KeywordId id, weir_draft draft)
{
    return keyword_table[id].drafts & draft_bit(draft);
}

/* The keyword that `name` is in a draft, or KEYWORD_NONE. */
static inline KeywordId keyword_of(weir_draft draft, Span name)
{
    KeywordId id = keyword_find(name);
    return keyword_in(id, draft) ? id : KEYWORD_NONE;
}

#endif
