/* format_make.h: what each format of JSON Schema is, built from its RFC.
 *
 * This program is run by whoever changes a format, not by users: it writes
 * the finished automata as tables, src/schema/format_tables.c, from which
 * src/schema/format.c takes them. docs/schema-formats.md lists the sources.
 *
 *     weir-formats >src/schema/format_tables.c
 *     weir-formats --check src/schema/format_tables.c   # whether it is that
 */
#ifndef WEIR_FORMATS_FORMAT_MAKE_H
#define WEIR_FORMATS_FORMAT_MAKE_H

#include "lang/lang.h"

/* The texts that match all of the pattern (ECMA-262 with the flag u), which
 * patternf puts together like printf. A bad one ends the program. */
const Dfa *pattern(LangCtx *ctx, const char *regex);
const Dfa *patternf(LangCtx *ctx, const char *format, ...) PRINTF_LIKE(2, 3);

static inline const Dfa *star(LangCtx *ctx, const Dfa *a)
{
    return lang_repeat(ctx, a, 0, LANG_INF);
}
static inline const Dfa *concat3(LangCtx *ctx, const Dfa *a, const Dfa *b,
                                 const Dfa *c)
{
    return lang_concat(ctx, lang_concat(ctx, a, b), c);
}

typedef const Dfa *FormatMaker(LangCtx *ctx);

/* format_time.c */
FormatMaker make_date, make_time, make_date_time, make_duration;
/* format_net.c */
FormatMaker make_hostname, make_ipv4, make_ipv6, make_email, make_idn_email;
/* format_idn.c; make_u_label: one label that need not be ASCII */
FormatMaker make_idn_hostname, make_u_label;
/* format_uri.c */
FormatMaker make_uri, make_uri_reference, make_iri, make_iri_reference,
    make_uri_template;
/* format_ids.c */
FormatMaker make_uuid, make_json_pointer, make_relative_json_pointer;

#endif
