/* json_put.h: JSON written piece by piece into a buffer that grows.
 *
 *     JsonPut out = {.mem = &mem};
 *     put_object(&out, NULL);
 *     put_text(&out, "object", "list");
 *     put_array(&out, "data");
 *     put_uint(&out, NULL, 7);
 *     put_end(&out, ']');
 *     put_end(&out, '}');
 *     if (!out.failed) send(out.text.at, out.text.count);
 *     put_free(&out);
 *
 * Commas come by themselves. `key` names a member of an object; NULL: an item
 * of an array, or a value that stands alone. Keys are ASCII without quotes and
 * backslashes. Strings are escaped in one place, text/json.h's
 * json_write_string: what comes out is UTF-8 whatever comes in. Values are one
 * line, whatever a reader takes for its end: streams are lines. When memory is
 * out `failed` is set, and nothing more is written; readers look once, at the
 * end.
 */
#ifndef WEIR_SERVER_JSON_PUT_H
#define WEIR_SERVER_JSON_PUT_H

#include <time.h>

#include "base/mem.h"
#include "base/vec.h"
#include "weir/weir.h"

typedef struct JsonPut {
    const Mem *mem; /* borrowed */
    VEC(char) text;
    bool failed;
    bool comma; /* a value stands before */
} JsonPut;

void put_free(JsonPut *out);
/* Back to the start, with its memory; `failed` is taken back, too. */
void put_reset(JsonPut *out);

/* Bytes as they are, such as "data: " and the line ends of a stream. No comma
 * stands before what follows. */
void put_raw(JsonPut *out, weir_bytes bytes);
void put_literal(JsonPut *out, const char *text);

void put_object(JsonPut *out, const char *key);
void put_array(JsonPut *out, const char *key);
void put_end(JsonPut *out, char bracket); /* '}' or ']' */

void put_string(JsonPut *out, const char *key, weir_bytes text);
void put_text(JsonPut *out, const char *key, const char *text); /* NULL: null */
void put_format(JsonPut *out, const char *key, const char *format, ...)
    PRINTF_LIKE(3, 4); /* at most 255 bytes */
/* A moment as a string: 2024-02-29T12:00:00Z. */
void put_date(JsonPut *out, const char *key, time_t when);
void put_uint(JsonPut *out, const char *key, uint64_t number);
void put_int(JsonPut *out, const char *key, int64_t number);
/* What JSON has no number for is null. `digits`: significant ones, 1 to 17. */
void put_number(JsonPut *out, const char *key, double number, int digits);
void put_bool(JsonPut *out, const char *key, bool value);
void put_null(JsonPut *out, const char *key);
/* A value that is JSON already; empty: null. */
void put_json(JsonPut *out, const char *key, weir_bytes json);
/* A member whose name comes from outside; its value follows with NULL. */
void put_key(JsonPut *out, weir_bytes key);

#endif
