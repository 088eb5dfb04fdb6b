/* base64.h: RFC 4648 base 64, standard alphabet, padded. */
#ifndef WEIR_TEXT_BASE64_H
#define WEIR_TEXT_BASE64_H

#include "base/span.h"

#define BASE64_BAD SIZE_MAX
/* Room that decoding `size` characters needs at most. */
#define BASE64_ROOM(size) ((size) / 4 * 3)

/* Writes the bytes and returns their number. BASE64_BAD, and the offset of
 * the offending character in *bad, when `text` is not strictly base 64: length
 * no multiple of 4, a foreign character, bits left over that are not 0. */
size_t base64_decode(Span text, uint8_t *out, size_t *bad);

#endif
