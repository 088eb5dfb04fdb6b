/* schema.h: JSON Schema → IR.
 *
 * The grammar's texts are the JSON texts of the valid values, in the spellings
 * that docs/schema.md lists. What the standard asserts is enforced exactly, or
 * reported: WEIR_UNSUPPORTED with the keyword, its JSON pointer and the reason
 * (a warning when lenient). WEIR_EMPTY says that no value is valid and which
 * parts contradict each other.
 *
 *   source.h     documents, drafts, references
 *   set.h        sets of JSON values: the algebra
 *   number.h format.h   languages of numbers and strings
 */
#ifndef WEIR_SCHEMA_SCHEMA_H
#define WEIR_SCHEMA_SCHEMA_H

#include "calls/arg_style.h"
#include "syntax/marker.h"
#include "weir/weir.h"

/* Sets ir->root; errors go to the Ir, and warnings of what is not enforced.
 * `source` is borrowed for the call; ir->limits bound the work. */
void schema_compile(Ir *ir, Span source, const weir_schema_opts *opts,
                    const weir_space *space);
/* The same, with the warnings of lint.h. */
void schema_compile_warned(Ir *ir, Span source, const weir_schema_opts *opts,
                           const weir_space *space);

typedef struct SchemaUse {
    const weir_schema_opts *opts;
    const weir_space *space;
    const ArgStyle *style;  /* the valid objects, written so; NULL: JSON */
    const Markers *markers; /* control tokens in the style's marks; or NULL */
    bool is_warned;         /* with the warnings of lint.h */
    uint64_t *work;         /* steps left, shared by several schemas; NULL: the
                              limits' max_work for this one alone */
} SchemaUse;

/* The same for a schema that is part of something else. */
void schema_compile_part(Ir *ir, Span source, const SchemaUse *use);

#endif
