/* gguf.h: the metadata of a GGUF model file (versions 2 and 3).
 *
 * The file is borrowed; only its head, up to the end of the metadata, is
 * read, so it may be mapped, or be that head alone. */
#ifndef WEIR_TEXT_GGUF_H
#define WEIR_TEXT_GGUF_H

#include "base/mem.h"
#include "base/span.h"
#include "base/vec.h"

typedef enum GgufType {
    GGUF_U8 = 0,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
} GgufType;

typedef struct GgufEntry {
    Span key;
    GgufType type;
    GgufType item;     /* type of the items; type itself if no array */
    uint64_t count;    /* of items; 1 if no array */
    size_t begin, end; /* byte range of the item or items in the file */
} GgufEntry;

typedef struct Gguf {
    const Mem *mem;
    Span file;
    VEC(GgufEntry) entries;
} Gguf;

/* Whether the file begins like one. */
bool gguf_is(Span file);
/* Checks every length against the file. On failure reports with the byte
 * offset and leaves `gguf` empty. */
bool gguf_parse(Gguf *gguf, const Mem *mem, Span file, weir_error *err);
void gguf_free(Gguf *gguf);

/* NULL when absent. Linear. */
const GgufEntry *gguf_find(const Gguf *gguf, const char *key);
/* False when absent (entry NULL) or of another type. */
bool gguf_string(const Gguf *gguf, const GgufEntry *entry, Span *value);
bool gguf_u32(const Gguf *gguf, const GgufEntry *entry, uint32_t *value);
/* `otherwise` when absent or of another type. */
bool gguf_bool(const Gguf *gguf, const char *key, bool otherwise);

/* Item i of an array of whole numbers; of floats or whole numbers. i < count;
 * 0 for other types. */
int64_t gguf_int_item(const Gguf *gguf, const GgufEntry *entry, uint64_t i);
double gguf_float_item(const Gguf *gguf, const GgufEntry *entry, uint64_t i);
/* Steps through an array of strings; *pos begins as entry->begin. */
bool gguf_next_string(const Gguf *gguf, const GgufEntry *entry, size_t *pos,
                      Span *value);

#endif
