/* arg_style.h: how the arguments of a call are written, for those families
 * that do not write JSON. One table for both directions: the grammars of
 * structural tags are made of it, and calls are read back by it.
 *
 *     open name named [type typed] value TEXT close      a member
 *     unnamed type typed TEXT close                      an item of a list
 *
 *     <parameter=city>Paris</parameter>
 *     <arg_key>city</arg_key><arg_value>Paris</arg_value>
 *     <cofl:value name="tags" type="list"><cofl:value type="raw">a</cofl:value>
 *     </cofl:value>
 *
 * The text of a string is its characters, which do not have `close` in them;
 * that of any other value is JSON, but for objects and arrays where
 * is_nested. Blanks may stand between members, in front of `value`, and around
 * JSON.
 *
 * Where is_braced, objects and arrays are those of JSON, without blanks:
 *
 *     { name named TEXT , ... }   [ TEXT , ... ]
 *
 * with strings as their characters between two `close`s.
 */
#ifndef WEIR_CALLS_ARG_STYLE_H
#define WEIR_CALLS_ARG_STYLE_H

#include "base/span.h"

typedef enum ArgType {
    ARG_STRING,
    ARG_NUMBER,
    ARG_BOOLEAN,
    ARG_NULL,
    ARG_OBJECT,
    ARG_ARRAY,
    ARG_TYPES
} ArgType;

typedef struct ArgStyle {
    const char *name; /* as structural tags call it: "qwen_xml" */
    const char *open; /* up to the name */
    const char *named;
    const char *typed; /* NULL: the type is not written */
    const char *value; /* what there is besides in front of the text */
    const char *close;
    const char *types[ARG_TYPES]; /* names of the types, several may be equal */
    const char *escaped; /* characters of a name that are written as the
                            entities &amp; &lt; &gt; &quot; */
    bool has_lines;      /* one line end after the beginning and one before the
                            end of a text are layout */
    bool is_nested;      /* objects and arrays are members and items again */
    bool is_braced;
    const char *unnamed; /* up to the type of an item */
} ArgStyle;

/* The style of that name, or NULL: "json" is none of these. */
const ArgStyle *arg_style_find(Span name);

/* The entity that a character of a name is written as, or NULL. */
const char *arg_style_entity(const ArgStyle *style, uint8_t byte);

#endif
