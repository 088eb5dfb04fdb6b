/* protobuf.h: the fields of a protocol buffer message, one after another.
 *
 *     for (PbField f; pb_next(&reader, &f);)
 *         if (f.number == 1 && f.wire == PB_BYTES) ...
 *     if (reader.failed) return false;
 */
#ifndef WEIR_TEXT_PROTOBUF_H
#define WEIR_TEXT_PROTOBUF_H

#include "base/diag.h"
#include "base/span.h"

typedef enum PbWire {
    PB_VARINT = 0,
    PB_FIXED64 = 1,
    PB_BYTES = 2, /* string, bytes, message */
    PB_FIXED32 = 5
} PbWire;

typedef struct PbField {
    uint32_t number;
    PbWire wire;
    uint64_t value; /* of numbers */
    Span bytes;     /* of PB_BYTES */
    size_t offset;  /* in the file, of the value */
} PbField;

typedef struct PbReader {
    Span text;
    size_t pos, base; /* base: offset of `text` in the file */
    weir_error *err;
    bool failed;
} PbReader;

PbReader pb_reader(Span message, size_t base, weir_error *err);
/* Reads the next field; false at the end, or after a report (r->failed). */
bool pb_next(PbReader *r, PbField *field);
/* A reader for the message that a PB_BYTES field holds. */
PbReader pb_open(const PbReader *r, const PbField *field);
/* The value of a PB_FIXED32 field as a float. */
float pb_float(const PbField *field);

#endif
