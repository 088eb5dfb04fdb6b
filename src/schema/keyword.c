/* keyword.c: the table of keywords, and look-up by name.
 *
 * In:    a name.  Out: its row.
 * Method: names of one length are neighbours in the table; at most eight are
 *        compared, most of them by their first and last byte only.
 * Tests: unit/keyword_test.c
 */
#include "schema/keyword.h"

const Keyword keyword_table[KEYWORD_COUNT] = {
    {"", 0, 0, TAKES_ANYTHING, ON_ANY},
#define X(id, name, drafts, value, on) \
    {name, sizeof name - 1, drafts, value, on},
    KEYWORD_LIST(X)
#undef X
};

enum { LONGEST = sizeof "unevaluatedProperties" - 1 };

/* By length: the first keyword that is at least so long. */
static const uint8_t first_of_size[LONGEST + 2] = {
    [0] = KEYWORD_NONE,
    [1] = KEYWORD_OLD_ID,
    [2] = KEYWORD_OLD_ID,
    [3] = KEYWORD_ID,
    [4] = KEYWORD_TYPE,
    [5] = KEYWORD_ITEMS,
    [6] = KEYWORD_FORMAT,
    [7] = KEYWORD_DEFAULT,
    [8] = KEYWORD_REQUIRED,
    [9] = KEYWORD_MAX_LENGTH,
    [10] = KEYWORD_PROPERTIES,
    [11] = KEYWORD_DESCRIPTION,
    [12] = KEYWORD_DEPENDENCIES,
    [13] = KEYWORD_RECURSIVE_REF,
    [14] = KEYWORD_DYNAMIC_ANCHOR,
    [15] = KEYWORD_ADDITIONAL_ITEMS,
    [16] = KEYWORD_RECURSIVE_ANCHOR,
    [17] = KEYWORD_DEPENDENT_REQUIRED,
    [18] = KEYWORD_ADDITIONAL_PROPERTIES,
    [19] = KEYWORD_ADDITIONAL_PROPERTIES,
    [20] = KEYWORD_ADDITIONAL_PROPERTIES,
    [21] = KEYWORD_UNEVALUATED_PROPERTIES,
    [22] = KEYWORD_COUNT,
};

KeywordId keyword_find(Span name)
{
    if (name.size > LONGEST || !name.size) return KEYWORD_NONE;
    unsigned end = first_of_size[name.size + 1];
    uint8_t first = name.at[0], last = name.at[name.size - 1];
    for (unsigned id = first_of_size[name.size]; id < end; id++) {
        const char *text = keyword_table[id].name;
        if (first == (uint8_t)text[0] && last == (uint8_t)text[name.size - 1] &&
            !memcmp(name.at, text, name.size))
            return (KeywordId)id;
    }
    return KEYWORD_NONE;
}

TypeName type_name_find(Span name)
{
    static const struct {
        uint8_t size;
        char text[sizeof "boolean"];
    } names[TYPE_NAMES] = {{4, "null"},   {7, "boolean"}, {7, "integer"},
                           {6, "number"}, {6, "string"},  {5, "array"},
                           {6, "object"}};
    unsigned type = 0;
    while (type < TYPE_NAMES &&
           (name.size != names[type].size ||
            name.at[0] != (uint8_t)names[type].text[0] ||
            memcmp(name.at, names[type].text, name.size) != 0))
        type++;
    return (TypeName)type;
}

const char *draft_name(weir_draft draft)
{
    switch (draft) {
    case WEIR_DRAFT_4:
        return "draft 4";
    case WEIR_DRAFT_6:
        return "draft 6";
    case WEIR_DRAFT_7:
        return "draft 7";
    case WEIR_DRAFT_2019_09:
        return "2019-09";
    default:
        return "2020-12";
    }
}

unsigned keyword_vocabulary(KeywordId id)
{
    switch (id) {
    case KEYWORD_ALL_OF:
    case KEYWORD_ANY_OF:
    case KEYWORD_ONE_OF:
    case KEYWORD_NOT:
    case KEYWORD_IF:
    case KEYWORD_THEN:
    case KEYWORD_ELSE:
    case KEYWORD_DEPENDENT_SCHEMAS:
    case KEYWORD_PREFIX_ITEMS:
    case KEYWORD_ITEMS:
    case KEYWORD_ADDITIONAL_ITEMS:
    case KEYWORD_CONTAINS:
    case KEYWORD_PROPERTIES:
    case KEYWORD_PATTERN_PROPERTIES:
    case KEYWORD_ADDITIONAL_PROPERTIES:
    case KEYWORD_PROPERTY_NAMES:
        return VOCABULARY_APPLICATOR;
    case KEYWORD_UNEVALUATED_ITEMS:
    case KEYWORD_UNEVALUATED_PROPERTIES:
        return VOCABULARY_UNEVALUATED;
    case KEYWORD_TYPE:
    case KEYWORD_ENUM:
    case KEYWORD_CONST:
    case KEYWORD_MULTIPLE_OF:
    case KEYWORD_MAXIMUM:
    case KEYWORD_EXCLUSIVE_MAXIMUM:
    case KEYWORD_MINIMUM:
    case KEYWORD_EXCLUSIVE_MINIMUM:
    case KEYWORD_MAX_LENGTH:
    case KEYWORD_MIN_LENGTH:
    case KEYWORD_PATTERN:
    case KEYWORD_MAX_ITEMS:
    case KEYWORD_MIN_ITEMS:
    case KEYWORD_UNIQUE_ITEMS:
    case KEYWORD_MAX_CONTAINS:
    case KEYWORD_MIN_CONTAINS:
    case KEYWORD_MAX_PROPERTIES:
    case KEYWORD_MIN_PROPERTIES:
    case KEYWORD_REQUIRED:
    case KEYWORD_DEPENDENT_REQUIRED:
        return VOCABULARY_VALIDATION;
    case KEYWORD_FORMAT:
        return VOCABULARY_FORMAT;
    case KEYWORD_CONTENT_ENCODING:
    case KEYWORD_CONTENT_MEDIA_TYPE:
    case KEYWORD_CONTENT_SCHEMA:
        return VOCABULARY_CONTENT;
    case KEYWORD_TITLE:
    case KEYWORD_DESCRIPTION:
    case KEYWORD_DEFAULT:
    case KEYWORD_DEPRECATED:
    case KEYWORD_READ_ONLY:
    case KEYWORD_WRITE_ONLY:
    case KEYWORD_EXAMPLES:
        return VOCABULARY_META_DATA;
    default:
        return 0;
    }
}
