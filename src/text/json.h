/* json.h: strict RFC 8259 texts as a tree, and JSON strings written.
 *
 * A Json holds the values of one text in the order of the text, each with its
 * byte range. The text itself is borrowed: it must outlive the Json. Object
 * members keep their order and their duplicates; numbers keep their spelling;
 * strings without escapes point into the text.
 *
 *     Json json;
 *     if (!json_parse(&json, mem, text, NULL, err)) return false;
 *     JsonId model = json_get(&json, JSON_ROOT, "model");
 *     for (JsonIter it = json_iter(&json, model); json_step(&it);)
 *         use(it.key, it.value);
 *     json_free(&json);
 *
 * Look-ups take JSON_NONE and values of other kinds, and then find nothing,
 * so that chains of look-ups need one test at the end.
 */
#ifndef WEIR_TEXT_JSON_H
#define WEIR_TEXT_JSON_H

#include "base/mem.h"
#include "base/out.h"
#include "base/vec.h"

typedef uint32_t JsonId; /* index of a node, in the order of the text */
#define JSON_NONE UINT32_MAX
#define JSON_ROOT 0u

typedef enum JsonKind {
    JSON_MISSING = 0, /* of JSON_NONE */
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

/* The kind is not kept: the first byte of the value tells it. An object's
 * node is followed by key, value, key, value ...; an array's by its items.
 * link: array, object: the id after its last descendant.
 *       string: 0, or 1 + index in `decoded` if it has escapes. */
typedef struct JsonNode {
    uint32_t begin, end; /* byte range of the value in the text */
    uint32_t link;
} JsonNode;

typedef struct JsonDecoded {
    uint32_t begin, end; /* range in `pool` */
} JsonDecoded;

typedef struct Json {
    const Mem *mem;
    Span text;
    VEC(JsonNode) nodes;
    VEC(JsonDecoded) decoded;
    VEC(uint8_t) pool; /* strings with escapes, decoded */
} Json;

/* 0 in a field: the default. */
typedef struct JsonLimits {
    size_t max_bytes;   /* of text; default and most: 2 GiB */
    uint32_t max_depth; /* nesting; default JSON_MAX_DEPTH */
} JsonLimits;
#define JSON_MAX_DEPTH 10000u

/* Parses a whole text. `text` is borrowed until json_free. On failure reports
 * SYNTAX, LIMIT_BYTES, LIMIT_DEPTH or NO_MEMORY and leaves `json` empty.
 * Takes memory of at most 12 bytes a value plus the escaped strings. */
bool json_parse(Json *json, const Mem *mem, Span text, const JsonLimits *limits,
                weir_error *err);
void json_free(Json *json);

static inline JsonKind json_kind(const Json *json, JsonId id)
{
    if (id >= json->nodes.count) return JSON_MISSING;
    switch (json->text.at[json->nodes.at[id].begin]) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
        return JSON_TRUE;
    case 'f':
        return JSON_FALSE;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}
/* What a message calls a value of the kind: "a string". Static. */
const char *json_kind_name(JsonKind kind);

/* The value of the last member called `key`, as other readers have it. */
JsonId json_get(const Json *json, JsonId object, const char *key);
JsonId json_get_span(const Json *json, JsonId object, Span key);
/* Number of items or members. Visits each. */
uint32_t json_count(const Json *json, JsonId id);

/* The id after a value and all that is in it; 0 for JSON_NONE. Ids between
 * are its descendants, an object's keys among them. */
static inline JsonId json_end(const Json *json, JsonId id)
{
    if (id >= json->nodes.count) return 0;
    JsonNode node = json->nodes.at[id];
    uint8_t first = json->text.at[node.begin];
    return first == '{' || first == '[' ? node.link : id + 1;
}

/* A string's characters, UTF-8; {NULL, 0} for what is no string. Lives as
 * long as the Json. */
static inline Span json_string(const Json *json, JsonId id)
{
    if (id >= json->nodes.count) return (Span){NULL, 0};
    JsonNode node = json->nodes.at[id];
    const uint8_t *begin = json->text.at + node.begin;
    if (*begin != '"') return (Span){NULL, 0};
    if (!node.link) return span_of(begin + 1, node.end - node.begin - 2);
    JsonDecoded piece = json->decoded.at[node.link - 1];
    return span_of(json->pool.at + piece.begin, piece.end - piece.begin);
}

/* Visits the items of an array (key: empty, key_id: JSON_NONE) or the members
 * of an object, in the order of the text. */
typedef struct JsonIter {
    const Json *json;
    JsonId next, end;
    bool is_object;
    Span key;
    JsonId key_id, value;
} JsonIter;
static inline JsonIter json_iter(const Json *json, JsonId id)
{
    JsonKind kind = json_kind(json, id);
    bool has_kids = kind == JSON_OBJECT || kind == JSON_ARRAY;
    return (JsonIter){.json = json,
                      .next = has_kids ? id + 1 : 0,
                      .end = has_kids ? json->nodes.at[id].link : 0,
                      .is_object = kind == JSON_OBJECT,
                      .key_id = JSON_NONE,
                      .value = JSON_NONE};
}
static inline bool json_step(JsonIter *it)
{
    if (it->next >= it->end) return false;
    if (it->is_object) {
        it->key_id = it->next++;
        it->key = json_string(it->json, it->key_id);
    }
    it->value = it->next;
    it->next = json_end(it->json, it->value);
    return true;
}

bool json_is_string(const Json *json, JsonId id, const char *text);
/* The value as the text spells it. */
Span json_spelling(const Json *json, JsonId id);
/* Byte offset of the value in the text. */
static inline uint32_t json_offset(const Json *json, JsonId id)
{
    return id < json->nodes.count ? json->nodes.at[id].begin : 0;
}

/* Numbers whose value is a whole number in range (also 1e2 and 2.0). */
bool json_u64(const Json *json, JsonId id, uint64_t *value);
bool json_u32(const Json *json, JsonId id, uint32_t *value);
/* The nearest double; infinite when too large. False for what is no number. */
bool json_double(const Json *json, JsonId id, double *value);
/* true or false; `otherwise` for any other value. */
bool json_bool(const Json *json, JsonId id, bool otherwise);

/* Writes bytes as a JSON string with its quotes. Escapes what must be and
 * U+007F; each byte that is not well-formed UTF-8 becomes U+FFFD. */
void json_write_string(Out *out, Span text);

#endif
