/* format.h: the formats of JSON Schema as languages of strings.
 *
 * Each is the set of code point strings that the format's RFC allows, exact
 * where it is a regular language: real calendars (29 February by leap year,
 * no 30 February, 31 by month), real ranges, octets to 255, UTC offsets, leap
 * seconds where they can fall. docs/schema.md lists source and choice of each.
 */
#ifndef WEIR_SCHEMA_FORMAT_H
#define WEIR_SCHEMA_FORMAT_H

#include "lang/lang.h"

typedef enum FormatKind {
    FORMAT_UNKNOWN = 0, /* an annotation */
    FORMAT_DATE_TIME,
    FORMAT_DATE,
    FORMAT_TIME,
    FORMAT_DURATION,
    FORMAT_EMAIL,
    FORMAT_IDN_EMAIL,
    FORMAT_HOSTNAME,
    FORMAT_IDN_HOSTNAME,
    FORMAT_IPV4,
    FORMAT_IPV6,
    FORMAT_URI,
    FORMAT_URI_REFERENCE,
    FORMAT_IRI,
    FORMAT_IRI_REFERENCE,
    FORMAT_URI_TEMPLATE,
    FORMAT_UUID,
    FORMAT_JSON_POINTER,
    FORMAT_RELATIVE_JSON_POINTER,
    FORMAT_REGEX,
    FORMAT_KINDS
} FormatKind;

FormatKind format_find(Span name);
const char *format_name(FormatKind kind); /* static */

/* The language. FORMAT_REGEX is not regular: NULL (a rule has to say it).
 * The same automaton for the same kind within a FormatCache. */
typedef struct FormatCache {
    const Dfa *at[FORMAT_KINDS];
} FormatCache;
const Dfa *format_language(LangCtx *ctx, FormatCache *cache, FormatKind kind);

#endif
