/* doc.h: a JSON text as readers have it that keep an object's members in
 * order: of members with one name the last value holds, at the place of the
 * first. Looking up a member takes constant time. Lifetime: call. */
#ifndef WEIR_CONVERT_DOC_H
#define WEIR_CONVERT_DOC_H

#include "base/arena.h"
#include "base/hash.h"
#include "text/json.h"

typedef struct DocMember {
    JsonId object, key, value; /* the first key of its name, the last value */
} DocMember;

typedef struct Doc {
    Json json;
    VEC(DocMember) members;
    Map index; /* (object, name) -> member */
} Doc;

/* `text` is borrowed until doc_free. On failure `doc` is empty, and err has
 * the report: SYNTAX, LIMIT_BYTES, LIMIT_DEPTH or NO_MEMORY. */
bool doc_parse(Doc *doc, const Mem *mem, Span text, const weir_limits *limits,
               weir_error *err);
void doc_free(Doc *doc);

/* The value of a member; JSON_NONE if there is none, or `object` is none. */
JsonId doc_get(const Doc *doc, JsonId object, Span name);
JsonId doc_text_get(const Doc *doc, JsonId object, const char *name);
static inline bool doc_has(const Doc *doc, JsonId object, const char *name)
{
    return doc_text_get(doc, object, name) != JSON_NONE;
}

/* What a value is made of: the members of an object, the items of an array,
 * nothing for null and JSON_NONE, and any other value itself. */
typedef struct DocIter {
    const Doc *doc;
    JsonId id;
    JsonIter json;
    bool is_single;
    uint32_t position; /* of `value`, from 0 */
    Span name;         /* of a member; else empty */
    JsonId value;
} DocIter;
DocIter doc_iter(const Doc *doc, JsonId id);
bool doc_step(DocIter *it);

#endif
