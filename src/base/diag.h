/* diag.h: building a weir_error, and the sticky first error of a stage.
 *
 * A stage's context holds one weir_error. The first report stays; later ones
 * are ignored. Builders become no-ops once it is set. */
#ifndef WEIR_BASE_DIAG_H
#define WEIR_BASE_DIAG_H

#include "base/span.h"
#include "weir/weir.h"

/* Reports unless something was reported before. Always returns false, so a
 * parser may `return diag_fail(...)`. Lower case, no final dot. */
bool diag_fail(weir_error *err, weir_status status, size_t begin, size_t end,
               const char *format, ...) PRINTF_LIKE(5, 6);
bool diag_no_memory(weir_error *err);
/* Sets the JSON pointer or rule name of the present report, cut in the middle
 * when long. Returns false. */
bool diag_pointer(weir_error *err, Span pointer);

/* Text for messages: printable form of a character or byte, in quotes. */
typedef struct DiagText {
    char text[16];
} DiagText;
DiagText diag_byte(uint8_t byte);
DiagText diag_rune(uint32_t rune);

/* What stands at text[pos], for "found ..." messages; "end of input" at the
 * end. */
DiagText diag_found(Span text, size_t pos);

/* `text` as a message may show it: on one line, cut when long, and UTF-8. */
typedef struct DiagShown {
    char text[64];
} DiagShown;
DiagShown diag_shown(Span text);

#endif
