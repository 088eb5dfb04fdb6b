/* uri.h: URI references (RFC 3986) as JSON Schema uses them: resolved against
 * a base, in one normal form, so that equal identifiers are equal bytes.
 *
 * Normal form (section 6.2.2, and 3.1 of RFC 3987 for what is not ASCII):
 * scheme and host in lower case, %XX in upper case and only where needed, no
 * dot segments. Any bytes are taken: what may not stand in a URI is written
 * as %XX.
 */
#ifndef WEIR_SCHEMA_URI_H
#define WEIR_SCHEMA_URI_H

#include "base/span.h"
#include "base/vec.h"

/* A text that is made anew by each call; free with uri_text_free. */
typedef struct UriText {
    const Mem *mem;
    VEC(uint8_t) bytes;
} UriText;

static inline Span uri_span(const UriText *text)
{
    return span_of(text->bytes.at, text->bytes.count);
}
void uri_text_free(UriText *text);

/* The target of `reference` in a document at `base`, without fragment.
 * An empty base is none: the reference may then stay relative, and has no
 * dot segments all the same. False: no memory. `out` is neither argument. */
bool uri_resolve(UriText *out, Span base, Span reference);

/* What follows the first '#'; {NULL, 0} if there is none. */
Span uri_fragment(Span reference);

/* %XX as bytes; a % without two digits stays. False: no memory. */
bool uri_decode(UriText *out, Span text);

#endif
