/* gguf.c: GGUF metadata.
 *
 *   "GGUF"  u32 version  u64 tensors  u64 entries
 *   entry:  u64 size, key   u32 type   value
 *   array:  u32 item type   u64 count  items
 *   string: u64 size, bytes
 *
 * In:    the file, or its head.  Out: an index of the entries.
 * Holds: each entry's [begin, end) lies in the file, and the strings of an
 *        array of strings lie in its [begin, end): checked once while parsing.
 *        A count is compared with the bytes left (each item takes at least
 *        one) before anything is reserved.
 * Cost:  linear in the metadata; tensors are not looked at.
 * Tests: unit/vocab_files_test.c
 */
#include "text/gguf.h"

#include "base/diag.h"

/* Bytes of an item; 0 for what has no fixed size. By GgufType. */
static const uint8_t type_size[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4,
                                              1, 0, 0, 8, 8, 8};
/* An entry has a key size, a type, and at least one byte of value. */
enum { LEAST_ENTRY = 8 + 4 + 1, LEAST_STRING = 8 };

typedef struct Reader {
    Span file;
    size_t pos;
    weir_error *err;
} Reader;

static uint64_t little_endian(const uint8_t *at, unsigned nbytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < nbytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static bool read_number(Reader *r, unsigned nbytes, const char *what,
                        uint64_t *value)
{
    if (r->file.size - r->pos < nbytes)
        return diag_fail(r->err, WEIR_FORMAT, r->pos, r->file.size,
                         "found end of input, expected %s", what);
    *value = little_endian(r->file.at + r->pos, nbytes);
    r->pos += nbytes;
    return true;
}

/* Reads a count of things that take at least `least` bytes each. */
static bool read_count(Reader *r, uint64_t least, const char *what,
                       uint64_t *count)
{
    if (!read_number(r, 8, what, count)) return false;
    uint64_t most = (r->file.size - r->pos) / least;
    if (*count <= most) return true;
    return diag_fail(r->err, WEIR_FORMAT, r->pos - 8, r->pos,
                     "found %s of %llu, expected at most %llu before the end "
                     "of input",
                     what, (unsigned long long)*count,
                     (unsigned long long)most);
}

static bool read_string(Reader *r, const char *what, Span *value)
{
    uint64_t size = 0;
    if (!read_count(r, 1, what, &size)) return false;
    *value = span_of(r->file.at + r->pos, (size_t)size);
    r->pos += (size_t)size;
    return true;
}

static bool read_type(Reader *r, const char *what, GgufType *type)
{
    uint64_t number = 0;
    if (!read_number(r, 4, what, &number)) return false;
    if (number >= GGUF_TYPES)
        return diag_fail(r->err, WEIR_FORMAT, r->pos - 4, r->pos,
                         "found type %llu, expected 0 to %d",
                         (unsigned long long)number, GGUF_TYPES - 1);
    *type = (GgufType)number;
    return true;
}

static bool skip_items(Reader *r, GgufType item, uint64_t count)
{
    Span skipped;
    if (item != GGUF_STRING) {
        uint64_t size = count * type_size[item];
        if (size > r->file.size - r->pos)
            return diag_fail(r->err, WEIR_FORMAT, r->pos, r->file.size,
                             "found end of input, expected %llu bytes of value",
                             (unsigned long long)size);
        r->pos += (size_t)size;
        return true;
    }
    for (; count > 0; count--)
        if (!read_string(r, "a string size", &skipped)) return false;
    return true;
}

static bool read_value(Reader *r, GgufEntry *entry)
{
    entry->count = 1;
    if (!read_type(r, "a value type", &entry->type)) return false;
    entry->item = entry->type;
    if (entry->type == GGUF_ARRAY) {
        if (!read_type(r, "an item type", &entry->item)) return false;
        if (entry->item == GGUF_ARRAY)
            return diag_fail(r->err, WEIR_FORMAT, r->pos - 4, r->pos,
                             "found an array of arrays, expected plain items");
        uint64_t least =
            entry->item == GGUF_STRING ? LEAST_STRING : type_size[entry->item];
        if (!read_count(r, least, "an item count", &entry->count)) return false;
    }
    entry->begin = r->pos;
    if (!skip_items(r, entry->item, entry->count)) return false;
    entry->end = r->pos;
    return true;
}

static bool read_entries(Reader *r, Gguf *gguf, uint64_t count)
{
    for (; count > 0; count--) {
        GgufEntry entry = {0};
        if (!read_string(r, "a key size", &entry.key) || !read_value(r, &entry))
            return false;
        if (!vec_push(gguf->mem, &gguf->entries, entry))
            return diag_no_memory(r->err);
    }
    return true;
}

static bool read_head(Reader *r, uint64_t *count)
{
    uint64_t version = 0, tensors;
    if (!gguf_is(r->file))
        return diag_fail(r->err, WEIR_FORMAT, 0, MIN(r->file.size, 4),
                         "found %s, expected the mark \"GGUF\"",
                         diag_found(r->file, 0).text);
    r->pos = 4;
    if (!read_number(r, 4, "a version", &version)) return false;
    if (version != 2 && version != 3)
        return diag_fail(r->err, WEIR_FORMAT, 4, 8,
                         "found GGUF version %llu, expected 2 or 3%s",
                         (unsigned long long)version,
                         version & 0xFFFF ? "" : " in little-endian order");
    return read_number(r, 8, "a tensor count", &tensors) &&
           read_count(r, LEAST_ENTRY, "an entry count", count);
}

bool gguf_is(Span file)
{
    return span_starts(file, SPAN("GGUF"));
}

bool gguf_parse(Gguf *gguf, const Mem *mem, Span file, weir_error *err)
{
    *gguf = (Gguf){.mem = mem, .file = file};
    Reader r = {.file = file, .err = err};
    uint64_t count = 0;
    if (read_head(&r, &count) && read_entries(&r, gguf, count)) return true;
    gguf_free(gguf);
    return false;
}

void gguf_free(Gguf *gguf)
{
    vec_free(gguf->mem, &gguf->entries);
}

const GgufEntry *gguf_find(const Gguf *gguf, const char *key)
{
    for (uint32_t i = 0; i < gguf->entries.count; i++)
        if (span_equal(gguf->entries.at[i].key, span_text(key)))
            return &gguf->entries.at[i];
    return NULL;
}

bool gguf_string(const Gguf *gguf, const GgufEntry *entry, Span *value)
{
    size_t pos = entry ? entry->begin : 0;
    return entry && entry->type == GGUF_STRING &&
           gguf_next_string(gguf, entry, &pos, value);
}

bool gguf_next_string(const Gguf *gguf, const GgufEntry *entry, size_t *pos,
                      Span *value)
{
    if (entry->item != GGUF_STRING || *pos >= entry->end) return false;
    size_t size = (size_t)little_endian(gguf->file.at + *pos, 8);
    assert(size <= entry->end - *pos - 8);
    *value = span_of(gguf->file.at + *pos + 8, size);
    *pos += 8 + size;
    return true;
}

int64_t gguf_int_item(const Gguf *gguf, const GgufEntry *entry, uint64_t i)
{
    assert(i < entry->count);
    unsigned size = type_size[entry->item];
    if (!size || entry->item == GGUF_F32 || entry->item == GGUF_F64) return 0;
    const uint8_t *at = gguf->file.at + entry->begin + (size_t)i * size;
    uint64_t value = little_endian(at, size);
    switch (entry->item) {
    case GGUF_I8:
        return (int8_t)value;
    case GGUF_I16:
        return (int16_t)value;
    case GGUF_I32:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

double gguf_float_item(const Gguf *gguf, const GgufEntry *entry, uint64_t i)
{
    assert(i < entry->count);
    const uint8_t *at = gguf->file.at + entry->begin;
    if (entry->item == GGUF_F32) {
        uint32_t bits = (uint32_t)little_endian(at + (size_t)i * 4, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    if (entry->item == GGUF_F64) {
        uint64_t bits = little_endian(at + (size_t)i * 8, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return (double)gguf_int_item(gguf, entry, i);
}

bool gguf_u32(const Gguf *gguf, const GgufEntry *entry, uint32_t *value)
{
    if (!entry || entry->type == GGUF_ARRAY || entry->type == GGUF_STRING ||
        entry->type == GGUF_F32 || entry->type == GGUF_F64)
        return false;
    int64_t wide = gguf_int_item(gguf, entry, 0);
    if (wide < 0 || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    return true;
}

bool gguf_bool(const Gguf *gguf, const char *key, bool otherwise)
{
    const GgufEntry *entry = gguf_find(gguf, key);
    return entry && entry->type == GGUF_BOOL
               ? gguf_int_item(gguf, entry, 0) != 0
               : otherwise;
}
