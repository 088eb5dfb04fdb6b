/* subschema.h: all schemas of a document, in the order of its text.
 *
 * The walk goes where keywords hold schemas (keyword.h), not into enum, const,
 * default, examples, nor into keywords that the draft in force does not know.
 *
 *     SchemaWalk walk;
 *     schema_walk_begin(&walk, json, JSON_ROOT, draft);
 *     while (schema_walk_next(&walk)) look_at(walk.schema);
 *     schema_walk_end(&walk);
 */
#ifndef WEIR_SCHEMA_SUBSCHEMA_H
#define WEIR_SCHEMA_SUBSCHEMA_H

#include "schema/keyword.h"
#include "text/json.h"

/* A container that is open: a schema, or a list or map of schemas. */
typedef struct WalkFrame {
    JsonId container, next, end;
    bool is_schema;
    uint8_t via;    /* KeywordId that led here */
    uint8_t draft;  /* weir_draft */
    uint32_t level; /* schemas around, this one counted */
} WalkFrame;

typedef struct SchemaWalk {
    const Json *json;
    JsonId schema; /* the object that is visited */
    weir_draft draft;
    KeywordId via;  /* of the schema around, that holds it; NONE: the root */
    uint32_t level; /* schemas around */
    VEC(WalkFrame) open;
    uint8_t *known; /* NULL, or by key of a schema: gets what
                       keyword_find says, plus 1 */
    bool failed;    /* no memory; the walk has ended */
} SchemaWalk;

/* `draft` is that of the root. */
void schema_walk_begin(SchemaWalk *walk, const Json *json, JsonId root,
                       weir_draft draft);
/* Visits the next schema that is an object: an outer one before what is in it.
 * False: no more, or no memory. */
bool schema_walk_next(SchemaWalk *walk);
/* Another draft for the schema that is visited and what is in it. */
void schema_walk_set_draft(SchemaWalk *walk, weir_draft draft);
/* Does not visit what is in the schema that is visited. */
void schema_walk_skip(SchemaWalk *walk);
void schema_walk_end(SchemaWalk *walk);

#endif
