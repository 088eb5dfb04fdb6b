/* keyword_check.h: whether keywords have values of the kind they take. */
#ifndef WEIR_SCHEMA_KEYWORD_CHECK_H
#define WEIR_SCHEMA_KEYWORD_CHECK_H

#include "schema/keyword.h"
#include "schema/source.h"

/* Checks the keywords of one schema that assert something or hold schemas,
 * not those of the schemas in it. False: one is malformed, and the error
 * (WEIR_SYNTAX) with its place is set. After true, every such keyword of the
 * draft has a value as keyword.h says; names and types may repeat. */
bool keyword_check(Sources *s, Place schema);

/* Checks those of all schemas of the main document, in the order of the text.
 */
bool keywords_check(Sources *s);

/* Checks one member, the keyword `id`. A malformed annotation is a warning. */
bool keyword_check_member(Sources *s, Place schema, KeywordId id, JsonId value);

/* Whether a number's spelling is that of a whole one, from 0 on. */
bool keyword_is_count(Span number);

#endif
