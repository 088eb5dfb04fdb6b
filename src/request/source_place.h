/* source_place.h: from a byte of a JSON text to the pointer of the value. */
#ifndef WEIR_REQUEST_SOURCE_PLACE_H
#define WEIR_REQUEST_SOURCE_PLACE_H

#include "base/mem.h"
#include "base/out.h"

/* Writes the JSON pointer of the innermost value or member that byte `offset`
 * is part of; nothing for a text that is no JSON. Linear in the text. */
void source_pointer(const Mem *mem, Span text, size_t offset, Out *out);

#endif
