/* cli_place.h: where in a JSON document a reader is, told as a JSON pointer
 * (RFC 6901), byte by byte. */
#ifndef TOOLS_WEIR_CLI_PLACE_H
#define TOOLS_WEIR_CLI_PLACE_H

#include "base/out.h"
#include "weir/cli_input.h"

/* An open array or object. */
typedef struct PlaceLevel {
    bool is_object;
    bool is_value;  /* object: past the colon; array: always */
    uint32_t key;   /* object: where its key starts in `keys` */
    uint64_t index; /* array: of the item being read */
} PlaceLevel;

typedef struct JsonPlace {
    const Mem *mem;
    VEC(PlaceLevel) levels;
    FileBytes keys; /* of the open objects, as they are spelled */
    bool in_string, in_escape, is_key;
    bool is_started; /* some of the innermost value has been read */
    bool is_lost;    /* out of memory: nothing more is known */
} JsonPlace;

void place_free(JsonPlace *p);
/* Bytes that begin a JSON text. */
void json_place_read(JsonPlace *p, Span bytes);
/* The pointer to the value being read; while a key is read, to its object.
 * `outer`: to the array or object around it. */
void place_print(const JsonPlace *p, bool outer, Out *out);

#endif
