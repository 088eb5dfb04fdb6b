/* out.h: text written into a caller's buffer that may be too small. Counts
 * what was needed; never writes past `cap`. */
#ifndef WEIR_BASE_OUT_H
#define WEIR_BASE_OUT_H

#include "base/span.h"

typedef struct Out {
    char *at;
    size_t cap, size; /* size: bytes needed so far, may exceed cap */
} Out;

void out_bytes(Out *out, Span bytes);
void out_text(Out *out, const char *text);
void out_format(Out *out, const char *format, ...) PRINTF_LIKE(2, 3);
/* Bytes with quotes and C-style escapes: "a\n\xff". UTF-8 stays. */
void out_quoted(Out *out, Span bytes);

#endif
