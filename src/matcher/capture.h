/* capture.h: which parts of an output the rules with capture=... read. */
#ifndef WEIR_MATCHER_CAPTURE_H
#define WEIR_MATCHER_CAPTURE_H

#include "matcher/config.h"

/* What one finished occurrence of a rule has captured. */
typedef struct Capture {
    Span name;           /* of the rule's options */
    uint32_t begin, end; /* bytes of the text: those that are not hidden, or of
                            a stop_capture the hidden ones */
} Capture;

/* A reading of a text from its start, byte by byte and token by token, that
 * remembers. One thread; memory goes with capture_free. */
typedef struct CaptureRun CaptureRun;

/* From the grammar's start set. NULL: no memory. */
CaptureRun *capture_new(const Mem *mem, StackHub *hub,
                        const weir_limits *limits, const ConfigSet *start);
void capture_free(CaptureRun *run);
/* Reads on. False: the text is refused, or see capture_status. */
bool capture_bytes(CaptureRun *run, Span bytes);
/* A token of `size` bytes by its id or, failing that, by its bytes. */
bool capture_token(CaptureRun *run, uint32_t id, Span bytes);
weir_status capture_status(const CaptureRun *run);
/* Captures finished so far, in the order of their ends; if the text is
 * complete, those that end with it too. Borrowed until the next call. */
const Capture *capture_list(CaptureRun *run, uint32_t *count);

#endif
