/* protobuf.c: reading of protocol buffer wire format.
 *
 * In:    a message's bytes.  Out: its fields in order; nested messages are
 *        read by readers of their own, so nothing recurses.
 * Holds: every length is compared with what is left before it is used.
 * Tests: unit/vocab_files_test.c
 */
#include "text/protobuf.h"

PbReader pb_reader(Span message, size_t base, weir_error *err)
{
    return (PbReader){.text = message, .base = base, .err = err};
}

PbReader pb_open(const PbReader *r, const PbField *field)
{
    return pb_reader(field->bytes, field->offset, r->err);
}

static bool pb_fail(PbReader *r, size_t begin, const char *message)
{
    r->failed = true;
    return diag_fail(r->err, WEIR_FORMAT, r->base + begin, r->base + r->pos,
                     "%s", message);
}

static bool read_varint(PbReader *r, uint64_t *value)
{
    size_t begin = r->pos;
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->pos == r->text.size)
            return pb_fail(r, begin,
                           "found the end of the message, expected "
                           "the rest of a number");
        uint8_t byte = r->text.at[r->pos++];
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return pb_fail(r, begin, "found a number of more than 10 bytes");
}

static bool read_fixed(PbReader *r, unsigned nbytes, uint64_t *value)
{
    *value = 0;
    if (r->text.size - r->pos < nbytes)
        return pb_fail(r, r->pos,
                       "found the end of the message, expected a "
                       "fixed number");
    for (unsigned i = 0; i < nbytes; i++)
        *value |= (uint64_t)r->text.at[r->pos++] << (8 * i);
    return true;
}

static bool read_bytes(PbReader *r, PbField *field)
{
    uint64_t size;
    size_t begin = r->pos;
    if (!read_varint(r, &size)) return false;
    size_t left = r->text.size - r->pos;
    if (size > left) {
        r->failed = true;
        return diag_fail(r->err, WEIR_FORMAT, r->base + begin, r->base + r->pos,
                         "found a field of %llu bytes, expected at most %zu",
                         (unsigned long long)size, left);
    }
    field->offset = r->base + r->pos;
    field->bytes = span_of(r->text.at + r->pos, (size_t)size);
    r->pos += (size_t)size;
    return true;
}

bool pb_next(PbReader *r, PbField *field)
{
    uint64_t key;
    size_t begin = r->pos;
    if (r->failed || r->pos == r->text.size) return false;
    if (!read_varint(r, &key)) return false;
    *field =
        (PbField){.number = (uint32_t)(key >> 3), .offset = r->base + r->pos};
    if (key >> 3 == 0 || key >> 3 >= (uint64_t)1 << 29)
        return pb_fail(r, begin, "found a field number out of range");
    switch (key & 7) {
    case 0:
        field->wire = PB_VARINT;
        return read_varint(r, &field->value);
    case 1:
        field->wire = PB_FIXED64;
        return read_fixed(r, 8, &field->value);
    case 2:
        field->wire = PB_BYTES;
        return read_bytes(r, field);
    case 5:
        field->wire = PB_FIXED32;
        return read_fixed(r, 4, &field->value);
    default:
        return pb_fail(r, begin, "found a field of unknown wire type");
    }
}

float pb_float(const PbField *field)
{
    uint32_t bits = (uint32_t)field->value;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
