/* stop_text.h: texts that end an output, looked for as it comes. */
#ifndef WEIR_SAMPLE_STOP_TEXT_H
#define WEIR_SAMPLE_STOP_TEXT_H

#include "base/mem.h"
#include "base/span.h"

enum { STOP_TEXTS = 1024, STOP_BYTES = 1024 };

/* One text, and how many of its bytes the output ends with. */
typedef struct StopText {
    uint8_t *text;
    uint16_t *fail; /* by length matched: the next shorter one */
    uint16_t size, matched;
} StopText;

typedef struct StopTexts {
    StopText *at;
    size_t count;
    size_t longest;
} StopTexts;

/* False: out of memory; to be freed all the same. Texts are copied, and not
 * empty; the limits are the caller's to check. */
bool stops_init(StopTexts *s, const Mem *mem, const weir_bytes *texts,
                size_t count);
void stops_free(StopTexts *s, const Mem *mem);

/* Reads bytes that follow. True: a text is complete with byte *end - 1 of
 * them: *which, the longest if several end there; the rest is not read. */
bool stops_read(StopTexts *s, Span bytes, size_t *end, size_t *which);
/* Bytes at the end of what was read that may be part of a stop text. */
size_t stops_held(const StopTexts *s);
/* As if `text` were all that has been read. */
void stops_restart(StopTexts *s, Span text);

#endif
