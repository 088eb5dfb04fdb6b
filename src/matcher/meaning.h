/* meaning.h: JSON values as bytes that are equal iff the values are. */
#ifndef WEIR_MATCHER_MEANING_H
#define WEIR_MATCHER_MEANING_H

#include "base/span.h"
#include "base/vec.h"

typedef VEC(uint8_t) MeaningBytes;

/* Appends the decoded text of a JSON string, quotes included; where it is not
 * one, the text as it is. False: no memory. */
bool meaning_string(const Mem *mem, Span text, MeaningBytes *out);
/* Appends what a JSON text means: numbers by value, strings decoded, members
 * of objects sorted. Values deeper than MEANING_DEPTH count as written. */
enum { MEANING_DEPTH = 200 };
bool meaning_value(const Mem *mem, Span text, MeaningBytes *out);
/* The same of a number alone, which fits with MEANING_ROOM bytes more than the
 * text has; how many there are. */
enum { MEANING_ROOM = 16 };
uint32_t meaning_number(Span text, uint8_t *out, uint32_t room);

#endif
