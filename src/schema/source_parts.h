/* source_parts.h: what the files of source.h share.
 *
 *   source.c         documents: given, parsed
 *   source_draft.c   what a $schema stands for
 *   source_ids.c     the walk that finds resources and anchors
 *   source_ref.c     where references lead; scopes
 *   source_same.c    which schemas say the same
 *   source_report.c  pointers, errors and warnings
 *
 * A *resource* is a schema with a URI of its own, the root of a document
 * among them. Lifetime: until sources_free; URIs live in the Ir's arena, names
 * in the Json of their document.
 */
#ifndef WEIR_SCHEMA_SOURCE_PARTS_H
#define WEIR_SCHEMA_SOURCE_PARTS_H

#include "base/hash.h"
#include "schema/pointer.h"
#include "schema/scope.h"
#include "schema/source.h"
#include "schema/uri.h"

#define INDEX_NONE UINT32_MAX

typedef enum DocumentState {
    DOCUMENT_GIVEN,  /* a text */
    DOCUMENT_PARSED, /* json is there */
    DOCUMENT_READ,   /* and its identifiers are known */
    DOCUMENT_BROKEN  /* not JSON: `error` says where */
} DocumentState;

typedef struct Document {
    Span uri; /* as given, normal; may be empty */
    Span text;
    DocumentState state;
    weir_error error;
    Json json;
    PointerIndex index;
    uint32_t resource;    /* of its root */
    uint64_t *is_schema;  /* bit by JsonId: the walk has been there */
    uint64_t *is_checked; /* the same: its keywords are well formed */
    uint8_t *known;       /* by key of a schema: keyword_find + 1; 0: not yet */
    uint32_t *resource_at; /* by JsonId; NULL: all in `resource` */
    JsonId *same;          /* by JsonId, see place_same; NULL: not made yet */
} Document;

/* How the keywords of a resource are read. */
typedef struct Dialect {
    weir_draft draft;
    unsigned off; /* set of VOCABULARY_ that are not in force */
} Dialect;

typedef struct Resource {
    Place root;
    Span uri; /* normal, no fragment; empty: none */
    Dialect dialect;
    uint32_t parent;     /* the resource around, INDEX_NONE for a document */
    VEC(uint32_t) names; /* of its dynamic anchors, numbered by NameTable */
} Resource;

/* One URI of a resource: its own, or the one its document was given with. */
typedef struct Identifier {
    Span uri;
    uint32_t resource;
    bool is_ambiguous; /* others claim it, and differ */
} Identifier;

/* A name in a resource: $anchor, $dynamicAnchor, "#name" in an older $id; and
 * "" for $recursiveAnchor, which is a dynamic anchor of that name. */
typedef struct Anchor {
    uint32_t resource;
    Span name;
    JsonId at;
    bool is_dynamic, is_ambiguous;
    uint32_t name_id; /* of a dynamic one */
} Anchor;

typedef struct Entered {
    uint32_t scope, resource, count; /* count of names then */
    uint32_t result;
} Entered;

struct Sources {
    Ir *ir;
    const Mem *mem;
    weir_draft draft; /* of documents without $schema */
    uint64_t work;    /* nodes given a resource, against limits.max_work */
    bool are_given_known, are_all_read, is_lenient;
    VEC(Document) documents; /* 0: the main one */
    VEC(Resource) resources;
    VEC(Identifier) identifiers;
    VEC(Anchor) anchors;
    VEC(Span) names; /* of dynamic anchors */
    VEC(Entered) entered;
    Map document_index, identifier_index, anchor_index, name_index,
        entered_index;
    Scopes scopes;
    UriText uri, fragment; /* scratch: of the last reference */
};

/* Whether the walk of identifiers has been there: it is a schema. */
static inline bool document_has_schema(const Document *d, JsonId id)
{
    return d->is_schema[id / 64] >> id % 64 & 1;
}
/* What keyword_find says of a key. */
static inline KeywordId document_keyword(const Document *d, JsonId key)
{
    uint8_t *known = &d->known[key];
    if (!*known)
        *known = (uint8_t)(keyword_find(json_string(&d->json, key)) + 1);
    return (KeywordId)(*known - 1);
}
static inline Document *document_of(const Sources *s, Place place)
{
    return &s->documents.at[place.doc];
}
static inline uint32_t resource_of(const Sources *s, Place place)
{
    const Document *d = document_of(s, place);
    return d->resource_at ? d->resource_at[place.id] : d->resource;
}
static inline bool sources_ok(const Sources *s)
{
    return ir_ok(s->ir);
}
/* Sets the error unless there is one. Returns false. */
bool sources_no_memory(Sources *s);
/* Makes a text that is scratch one in the arena. */
bool sources_keep(Sources *s, Span *text);

/* ---- source.c ---- */

/* Parses a document if need be. False: it is broken, or no memory. */
bool document_parse(Sources *s, uint32_t doc);
/* The document given with this URI, or INDEX_NONE. */
uint32_t document_find(Sources *s, Span uri);

/* Bytes of is_schema, is_checked and known, which are one block. */
static inline size_t document_marks(const Document *d)
{
    size_t nodes = d->json.nodes.count;
    return (nodes + 63) / 64 * 2 * sizeof *d->is_schema + nodes;
}

/* ---- source_draft.c ---- */

/* What the $schema at a place stands for, also by way of the documents;
 * WEIR_DRAFT_DEFAULT when unknown. */
Dialect dialect_of(Sources *s, Place at, Span uri);

/* ---- source_ids.c ---- */

/* Finds the identifiers of a parsed document. */
bool document_read(Sources *s, uint32_t doc);
/* Walks a place that a pointer leads to, unless some walk has been there. */
bool place_read(Sources *s, Place place);
Identifier *identifier_find(const Sources *s, Span uri);
Anchor *anchor_find(const Sources *s, uint32_t resource, Span name);

#endif
