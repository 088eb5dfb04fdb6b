/* json_scan.h: one JSON value read byte by byte: where it ends, and whether it
 * is one (RFC 8259, UTF-8). */
#ifndef WEIR_CALLS_JSON_SCAN_H
#define WEIR_CALLS_JSON_SCAN_H

#include "base/mem.h"
#include "base/vec.h"

typedef enum ScanResult {
    SCAN_MORE,  /* the byte was taken; the value goes on */
    SCAN_DONE,  /* the byte was taken; the value has ended */
    SCAN_OVER,  /* the value, a number, had ended before the byte */
    SCAN_BAD,   /* the byte cannot stand there; it was not taken */
    SCAN_MEMORY /* out of memory */
} ScanResult;

enum { SCAN_MAX_DEPTH = 10000 };

typedef struct JsonScan {
    uint8_t state;
    bool is_key;          /* of a string */
    bool is_d, is_second; /* of an escape: of a surrogate, the low one */
    uint8_t left, lo, hi; /* bytes of a character that are to come */
    const char *rest;     /* of a literal */
    VEC(uint8_t) open;    /* '{' and '[' */
} JsonScan;

/* For the next value. Keeps the memory. */
void json_scan_begin(JsonScan *scan);
void json_scan_free(JsonScan *scan, const Mem *mem);
/* Whether the text may end here: a number, that nothing has ended yet. */
bool json_scan_is_whole(const JsonScan *scan);
/* Whether what comes next belongs to a string. */
bool json_scan_in_string(const JsonScan *scan);
ScanResult json_scan_step(JsonScan *scan, const Mem *mem, uint8_t byte);

#endif
