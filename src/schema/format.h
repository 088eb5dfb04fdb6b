/* format.h: the formats of JSON Schema as languages of strings.
 *
 * Each is the set of code point strings that the format's RFC allows, exact
 * where it is a regular language: real calendars (29 February by leap year,
 * no 30 February, 31 by month), real ranges, octets to 255, UTC offsets, leap
 * seconds where they can fall. docs/schema-formats.md lists source and choice
 * of each.
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

/* The language. FORMAT_REGEX is not regular: NULL (a rule has to say it);
 * FORMAT_UNKNOWN, too. The same automaton for the same kind within a
 * FormatCache, which begins as zeros; and, but for the two idn formats, the
 * same constant in every one, whatever the thread. */
typedef struct FormatCache {
    const Dfa *at[FORMAT_KINDS];
} FormatCache;
const Dfa *format_language(LangCtx *ctx, FormatCache *cache, FormatKind kind);

/* What the language leaves open: strings of more code points than this are not
 * of the format (host names: 253, which would take 24,550 states). LANG_INF
 * where the language says it all. */
uint32_t format_max_length(FormatKind kind);

/* Whether a string that is not in the language is not of the format. Not so of
 * host names: labels in Punycode are left out; nor of regex, whose languages
 * are those of format_regex.c. To negate those is wrong. */
bool format_is_exact(FormatKind kind);

#endif
