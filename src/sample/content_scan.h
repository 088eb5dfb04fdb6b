/* content_scan.h: the JSON value in an output, byte by byte: see weir/content.h. */
#ifndef WEIR_SAMPLE_CONTENT_SCAN_H
#define WEIR_SAMPLE_CONTENT_SCAN_H

#include "base/span.h"
#include "weir/content.h"

typedef enum ContentState {
    CONTENT_BEFORE, /* blanks, then a fence or the value */
    CONTENT_FENCE,  /* within the opening fence */
    CONTENT_FENCED, /* blanks after it */
    CONTENT_NESTED, /* in an object or array, outside strings */
    CONTENT_INSIDE, /* in a string within one */
    CONTENT_STRING, /* the value is a string */
    CONTENT_SCALAR, /* a number or a literal */
    CONTENT_ALL,    /* rule TEXT: everything */
    CONTENT_CLOSED
} ContentState;

/* Bytes that may become content once more has come: at most three of an
 * unfinished character after five of an unfinished escape. */
typedef struct ContentScan {
    ContentState state;
    uint32_t fence;  /* bytes of it matched */
    uint64_t depth;  /* brackets open */
    uint32_t escape; /* bytes of an unfinished escape; 0: none */
    bool is_unicode; /* it is \u */
} ContentScan;

void content_begin(ContentScan *scan, weir_content_rule rule);
/* Reads one byte; whether it is a byte of the value, finished or not. */
bool content_byte(ContentScan *scan, uint8_t byte);
/* How many of the last bytes of the value so far are held back. */
size_t content_held(const ContentScan *scan, Span value);

#endif
