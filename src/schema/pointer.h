/* pointer.h: JSON pointers (RFC 6901), followed and written.
 *
 * An index makes following linear in the pointer: large objects and arrays
 * are hashed when a pointer first passes through them.
 */
#ifndef WEIR_SCHEMA_POINTER_H
#define WEIR_SCHEMA_POINTER_H

#include "base/hash.h"
#include "text/json.h"

typedef struct PointerTable {
    JsonId container;
    uint32_t first, count; /* an array's items: a range of `kids` */
} PointerTable;

typedef struct PointerKid {
    JsonId container, key, value; /* key: JSON_NONE in an array */
} PointerKid;

/* For one Json; all zero is empty. */
typedef struct PointerIndex {
    Map table_index, member_index;
    VEC(PointerTable) tables;
    VEC(PointerKid) kids;
    VEC(uint8_t) name; /* a token without its escapes */
    bool failed;       /* no memory: nothing found is to be believed */
} PointerIndex;

void pointer_index_free(const Mem *mem, PointerIndex *index);

/* Where following ended. */
typedef struct PointerEnd {
    JsonId at;  /* the target, or the last value on the way to it */
    Span token; /* what was not found there, as the pointer spells it */
} PointerEnd;

/* The value of a member; JSON_NONE: no such member, or index->failed. */
JsonId pointer_member(PointerIndex *index, const Json *json, JsonId object,
                      Span name);

/* Follows `pointer`, "" or "/..." without any percent-encoding. False: it
 * leads nowhere. Of equal names in an object the last counts. */
bool pointer_follow(PointerIndex *index, const Json *json, JsonId from,
                    Span pointer, PointerEnd *end);

/* The pointer from the root to a value, as the fragment of an IRI: "" or
 * "/a~1b/0", what may not stand there as %XX. index: NULL, or what makes it
 * logarithmic in the siblings. */
void pointer_write(Out *out, PointerIndex *index, const Json *json, JsonId id);
/* One step of it: a slash and the name. */
void pointer_write_name(Out *out, Span name);

#endif
