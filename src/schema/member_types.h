/* member_types.h: which JSON types the members of a schema's objects may have:
 * for spellings of values that do not tell. */
#ifndef WEIR_SCHEMA_MEMBER_TYPES_H
#define WEIR_SCHEMA_MEMBER_TYPES_H

#include "base/mem.h"
#include "base/span.h"

enum {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_NUMBER = 4,
    TYPE_STRING = 8,
    TYPE_ARRAY = 16,
    TYPE_OBJECT = 32,
    TYPE_ALL = 63
};

/* Tells every name that some object of the schema declares, once or more often
 * and always with the same types, and sets *others to the types of all other
 * members. What cannot be enforced tells no types. False: *err tells. */
bool schema_member_types(const Mem *mem, Span source,
                         void (*found)(void *user, Span name, unsigned types),
                         void *user, unsigned *others, weir_error *err);

#endif
