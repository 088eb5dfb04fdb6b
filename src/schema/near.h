/* near.h: what a message says of names: shortened, in quotes; and which name
 * was perhaps meant. */
#ifndef WEIR_SCHEMA_NEAR_H
#define WEIR_SCHEMA_NEAR_H

#include "text/json.h"

/* A text in double quotes, cut where it is long; empty: no text. */
typedef struct Quote {
    char text[64];
} Quote;
Quote quote(Span text);

/* Changes of one byte, or swaps of two neighbours, from one name to the other;
 * NEAR_FAR if more than two. */
unsigned near_distance(Span a, Span b);
#define NEAR_FAR 3u

/* Whether a name so near is perhaps what was meant by one of `size` bytes: a
 * third of a name changed is another name. */
static inline bool near_is_meant(unsigned distance, size_t size)
{
    return distance < NEAR_FAR && distance * 3 <= size;
}

/* The first of the nearest names of an object's first 1,000 members, if one is
 * near; otherwise an empty Quote. */
Quote near_member(const Json *json, JsonId object, Span name);

#endif
