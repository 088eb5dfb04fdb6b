/* unescape.h: the text that a JSON string means, byte by byte. */
#ifndef WEIR_BASE_UNESCAPE_H
#define WEIR_BASE_UNESCAPE_H

#include "base/span.h"

/* Between the quotes, at first all 0. */
typedef struct Unescape {
    uint8_t ndigits; /* of \uXXXX still to come, or ... */
    bool is_escaped; /* ... after a backslash */
    uint16_t unit;   /* the digits so far */
    uint16_t high;   /* a high surrogate that waits for its other half, or 0 */
} Unescape;

enum { UNESCAPE_MAX = 7 }; /* bytes that one byte can bring forth */

typedef enum UnescapeEnd {
    UNESCAPE_MORE,
    UNESCAPE_END, /* the closing quote */
    UNESCAPE_BAD  /* no JSON string goes on like this */
} UnescapeEnd;

/* Takes a byte after the opening quote; what it brings forth is in out[0, *n).
 * A surrogate without its other half becomes the three bytes that UTF-8 would
 * have for it. */
UnescapeEnd unescape_byte(Unescape *u, uint8_t byte, uint8_t *out, unsigned *n);

#endif
