/* source_ids.c: which schemas of a document have names.
 *
 * In:    a parsed document, or a place in it that no walk has reached.
 * Out:   resources, identifiers, anchors; which resource each node is part of.
 * Method: one walk over the schemas (subschema.h). As it goes, stretches of
 *        nodes between the borders of resources are given their resource; a
 *        node that an earlier walk has given to another one keeps it.
 * Choices where drafts leave them:
 *        - "#name" in an $id is an anchor also after draft 7, with a warning;
 *        - before 2019-09 $ref hides an $id beside it, but not that of a
 *          document's root, which says what the document is called;
 *        - an $id that repeats the URI it stands in opens nothing;
 *        - of equal names in one document the first counts, with a warning;
 *          who refers to one, and the two differ, gets an error.
 * Cost:  linear; 4 bytes a node once a document has a second resource.
 * Tests: unit/source_test.c
 */
#include "schema/keyword.h"
#include "schema/source_parts.h"
#include "schema/subschema.h"

/* The keywords that name a schema, as far as they are strings; JSON_NONE. */
typedef struct Names {
    JsonId schema, id, old_id, anchor, dynamic_anchor;
    bool has_ref, is_recursive;
} Names;

typedef struct Reader {
    Sources *s;
    uint32_t doc;
    uint32_t outer;   /* resource of all that is walked */
    uint32_t current; /* resource of what is visited */
    JsonId filled;    /* nodes before have their resource */
} Reader;

static Names names_of(const Json *json, JsonId schema)
{
    Names n = {JSON_NONE, JSON_NONE, JSON_NONE, JSON_NONE, JSON_NONE, 0, 0};
    for (JsonIter it = json_iter(json, schema); json_step(&it);) {
        if (!it.key.size || (it.key.at[0] != '$' && it.key.at[0] != 'i'))
            continue;
        bool is_text = json_kind(json, it.value) == JSON_STRING;
        JsonId text = is_text ? it.value : JSON_NONE;
        KeywordId keyword = keyword_find(it.key);
        if (keyword == KEYWORD_SCHEMA) n.schema = text;
        if (keyword == KEYWORD_ID) n.id = text;
        if (keyword == KEYWORD_OLD_ID) n.old_id = text;
        if (keyword == KEYWORD_ANCHOR) n.anchor = text;
        if (keyword == KEYWORD_DYNAMIC_ANCHOR) n.dynamic_anchor = text;
        if (keyword == KEYWORD_REF) n.has_ref = is_text;
        if (keyword == KEYWORD_RECURSIVE_ANCHOR)
            n.is_recursive = json_bool(json, it.value, false);
    }
    return n;
}

static bool draft_is(weir_draft draft, unsigned set)
{
    return draft_bit(draft) & set;
}

/* The $id (or id) in force. */
static JsonId id_of(const Names *n, weir_draft draft, bool is_root)
{
    if (n->has_ref && !is_root && draft_is(draft, UNTIL_7)) return JSON_NONE;
    return draft_is(draft, IN_4) ? n->old_id : n->id;
}

/* ---- identifiers and anchors ------------------------------------------ */

Identifier *identifier_find(const Sources *s, Span uri)
{
    uint64_t hash = hash_bytes(0, uri.at, uri.size);
    for (MapPos p = map_first(&s->identifier_index, hash); p.value != MAP_NONE;
         p = map_next(&s->identifier_index, hash, p))
        if (span_equal(s->identifiers.at[p.value].uri, uri))
            return &s->identifiers.at[p.value];
    return NULL;
}

static uint64_t anchor_hash(uint32_t resource, Span name)
{
    return hash_bytes(resource, name.at, name.size);
}

Anchor *anchor_find(const Sources *s, uint32_t resource, Span name)
{
    uint64_t hash = anchor_hash(resource, name);
    for (MapPos p = map_first(&s->anchor_index, hash); p.value != MAP_NONE;
         p = map_next(&s->anchor_index, hash, p)) {
        Anchor *a = &s->anchors.at[p.value];
        if (a->resource == resource && span_equal(a->name, name)) return a;
    }
    return NULL;
}

/* Whether two places are spelled alike, and so mean the same. */
static bool is_same(const Sources *s, Place a, Place b)
{
    return span_equal(json_spelling(place_json(s, a), a.id),
                      json_spelling(place_json(s, b), b.id));
}

static bool add_identifier(Sources *s, Span uri, uint32_t resource)
{
    if (!uri.size) return true;
    Identifier *other = identifier_find(s, uri);
    if (other) {
        Place here = s->resources.at[resource].root;
        Place there = s->resources.at[other->resource].root;
        if (other->resource == resource) return true;
        if (!is_same(s, here, there)) other->is_ambiguous = true;
        if (here.doc == there.doc)
            place_warn(s, here, NULL,
                       "found the identifier of an earlier schema, which "
                       "counts, expected one of its own");
        return sources_ok(s);
    }
    uint64_t hash = hash_bytes(0, uri.at, uri.size);
    uint32_t index = s->identifiers.count;
    return (vec_push(s->mem, &s->identifiers,
                     (Identifier){uri, resource, false}) &&
            map_add(s->mem, &s->identifier_index, hash, index)) ||
           sources_no_memory(s);
}

/* The number of a dynamic anchor's name. */
static bool number_name(Sources *s, Span name, uint32_t *number)
{
    uint64_t hash = hash_bytes(0, name.at, name.size);
    for (MapPos p = map_first(&s->name_index, hash); p.value != MAP_NONE;
         p = map_next(&s->name_index, hash, p))
        if (span_equal(s->names.at[p.value], name)) {
            *number = p.value;
            return true;
        }
    *number = s->names.count;
    return (vec_push(s->mem, &s->names, name) &&
            map_add(s->mem, &s->name_index, hash, *number)) ||
           sources_no_memory(s);
}

static bool make_dynamic(Sources *s, Anchor *a)
{
    if (a->is_dynamic) return true;
    a->is_dynamic = true;
    return number_name(s, a->name, &a->name_id) &&
           (vec_push(s->mem, &s->resources.at[a->resource].names, a->name_id) ||
            sources_no_memory(s));
}

static bool add_anchor(Sources *s, uint32_t resource, Span name, Place at,
                       bool is_dynamic)
{
    Anchor *a = anchor_find(s, resource, name);
    if (a && a->at != at.id) {
        if (!is_same(s, at, (Place){at.doc, a->at})) a->is_ambiguous = true;
        place_warn(s, at, NULL,
                   "found the anchor of an earlier schema, which counts, "
                   "expected one of its own");
        return sources_ok(s);
    }
    if (!a) {
        uint32_t index = s->anchors.count;
        if (!vec_push(s->mem, &s->anchors,
                      (Anchor){resource, name, at.id, false, false, 0}) ||
            !map_add(s->mem, &s->anchor_index, anchor_hash(resource, name),
                     index))
            return sources_no_memory(s);
        a = &s->anchors.at[index];
    }
    return !is_dynamic || make_dynamic(s, a);
}

/* ---- resources -------------------------------------------------------- */

/* The URI of an $id in a resource or document at `base`, kept. */
static bool resolve_id(Sources *s, Span base, Span id, Span *uri)
{
    if (!uri_resolve(&s->uri, base, id)) return sources_no_memory(s);
    *uri = uri_span(&s->uri);
    return sources_keep(s, uri);
}

static bool add_resource(Sources *s, Resource r)
{
    return (vec_push(s->mem, &s->resources, r) || sources_no_memory(s)) &&
           add_identifier(s, r.uri, s->resources.count - 1);
}

/* Gives nodes up to `end` to the current resource. */
static bool fill(Reader *r, JsonId end)
{
    Sources *s = r->s;
    Document *d = &s->documents.at[r->doc];
    if (r->current != r->outer) {
        s->work += end - r->filled;
        for (JsonId i = r->filled; i < end; i++)
            if (d->resource_at[i] == r->outer) d->resource_at[i] = r->current;
    }
    r->filled = end;
    if (s->work <= s->ir->limits.max_work) return true;
    return diag_fail(&s->ir->error, WEIR_LIMIT_WORK, 0, 0,
                     "found more than %llu steps of work, the limit",
                     (unsigned long long)s->ir->limits.max_work);
}

/* Leaves the resources that end before `id`. */
static bool leave_resources(Reader *r, JsonId id)
{
    const Json *json = &r->s->documents.at[r->doc].json;
    while (r->current != r->outer) {
        const Resource *inner = &r->s->resources.at[r->current];
        JsonId end = json_end(json, inner->root.id);
        if (id < end) break;
        if (!fill(r, end)) return false;
        r->current = inner->parent;
    }
    return true;
}

/* All nodes of a document in the one resource there has been so far. */
static bool spread_resource(Sources *s, Document *d)
{
    if (d->resource_at) return true;
    uint32_t count = d->json.nodes.count;
    d->resource_at = mem_new(s->mem, size_mul(count, sizeof *d->resource_at));
    if (!d->resource_at) return sources_no_memory(s);
    for (uint32_t i = 0; i < count; i++) d->resource_at[i] = d->resource;
    return true;
}

static bool enter_resource(Reader *r, JsonId id, Span uri, Dialect dialect)
{
    Sources *s = r->s;
    if (!spread_resource(s, &s->documents.at[r->doc]) || !fill(r, id))
        return false;
    Resource inner = {.root = {r->doc, id},
                      .uri = uri,
                      .dialect = dialect,
                      .parent = r->current};
    uint32_t number = s->resources.count;
    if (!add_resource(s, inner)) return false;
    r->current = number;
    return true;
}

/* ---- schemas ---------------------------------------------------------- */

/* The dialect of a schema that may be a resource of its own. */
static Dialect read_dialect(Sources *s, Place place, const Names *n,
                            Dialect otherwise)
{
    if (n->schema == JSON_NONE) return otherwise;
    Span uri = json_string(place_json(s, place), n->schema);
    Dialect d = dialect_of(s, place, uri);
    if (!d.draft &&
        (id_of(n, otherwise.draft, false) != JSON_NONE || !place.id))
        place_warn(s, place, "$schema",
                   "found an unknown draft, expected one of 4, 6, 7, 2019-09 "
                   "and 2020-12");
    return d.draft ? d : otherwise;
}

/* The "#name" in an $id. */
static bool read_id_name(Reader *r, Place at, weir_draft draft, Span id)
{
    Sources *s = r->s;
    Span name = uri_fragment(id);
    if (!name.size || name.at[0] == '/') return true;
    if (!draft_is(draft, UNTIL_7))
        place_warn(s, at, "$id",
                   "found a fragment, which is read as $anchor, expected none "
                   "in this draft");
    if (!uri_decode(&s->fragment, name)) return sources_no_memory(s);
    Span text = uri_span(&s->fragment);
    return sources_keep(s, &text) && add_anchor(s, r->current, text, at, false);
}

/* The resource that the schema opens, and what its $id names besides. */
static bool read_id(Reader *r, Place at, const Names *n)
{
    Sources *s = r->s;
    Resource around = s->resources.at[r->current];
    bool is_root = around.root.doc == at.doc && around.root.id == at.id;
    Dialect d =
        is_root ? around.dialect : read_dialect(s, at, n, around.dialect);
    JsonId id = id_of(n, d.draft, is_root);
    if (!sources_ok(s) || id == JSON_NONE) return sources_ok(s);
    Span text = json_string(place_json(s, at), id), uri = {0};
    if (!is_root) {
        if (!resolve_id(s, around.uri, text, &uri)) return false;
        if (!span_equal(uri, around.uri) && !enter_resource(r, at.id, uri, d))
            return false;
    }
    return read_id_name(r, at, d.draft, text);
}

static bool read_anchors(Reader *r, Place at, const Names *n)
{
    Sources *s = r->s;
    const Json *json = place_json(s, at);
    weir_draft draft = s->resources.at[r->current].dialect.draft;
    Span name = json_string(json, n->anchor);
    if (name.size && draft_is(draft, FROM_2019) &&
        !add_anchor(s, r->current, name, at, false))
        return false;
    name = json_string(json, n->dynamic_anchor);
    if (name.size && draft_is(draft, IN_2020) &&
        !add_anchor(s, r->current, name, at, true))
        return false;
    bool is_recursive = n->is_recursive && draft_is(draft, IN_2019) &&
                        s->resources.at[r->current].root.id == at.id;
    return !is_recursive || add_anchor(s, r->current, SPAN(""), at, true);
}

static bool read_schema(Reader *r, JsonId id)
{
    Document *d = &r->s->documents.at[r->doc];
    d->is_schema[id / 64] |= (uint64_t)1 << id % 64;
    Place at = {r->doc, id};
    Names names = names_of(&d->json, id);
    return leave_resources(r, id) && read_id(r, at, &names) &&
           read_anchors(r, at, &names);
}

/* Walks what is in `root`, which is part of `resource`. */
static bool read_schemas(Sources *s, Place root, uint32_t resource)
{
    Document *d = document_of(s, root);
    Reader r = {s, root.doc, resource, resource, root.id};
    SchemaWalk walk;
    bool ok = true;
    schema_walk_begin(&walk, &d->json, root.id,
                      s->resources.at[resource].dialect.draft);
    walk.known = d->known;
    while (ok && schema_walk_next(&walk)) {
        if (document_has_schema(d, walk.schema)) {
            schema_walk_skip(&walk);
            continue;
        }
        ok = read_schema(&r, walk.schema);
        schema_walk_set_draft(&walk, s->resources.at[r.current].dialect.draft);
    }
    if (walk.failed) ok = sources_no_memory(s);
    schema_walk_end(&walk);
    return ok && leave_resources(&r, json_end(&d->json, root.id));
}

bool document_read(Sources *s, uint32_t doc)
{
    Document *d = &s->documents.at[doc];
    if (d->state == DOCUMENT_READ) return true;
    if (!document_parse(s, doc)) return false;
    size_t words = (d->json.nodes.count + 63u) / 64;
    d->is_schema = mem_zero(s->mem, document_marks(d));
    if (!d->is_schema) return sources_no_memory(s);
    d->is_checked = d->is_schema + words;
    d->known = (uint8_t *)(d->is_checked + words);
    Place root = {doc, JSON_ROOT};
    Names names = names_of(&d->json, JSON_ROOT);
    Resource r = {.root = root, .parent = INDEX_NONE};
    d->resource = s->resources.count;
    d->state = DOCUMENT_READ;
    r.dialect = read_dialect(s, root, &names, (Dialect){s->draft, 0});
    Span id = json_string(&d->json, id_of(&names, r.dialect.draft, true));
    return sources_ok(s) && resolve_id(s, d->uri, id, &r.uri) &&
           add_resource(s, r) && add_identifier(s, d->uri, d->resource) &&
           read_schemas(s, root, d->resource);
}

bool place_read(Sources *s, Place place)
{
    const Document *d = document_of(s, place);
    if (json_kind(&d->json, place.id) != JSON_OBJECT) return true;
    if (document_has_schema(d, place.id)) return true;
    return read_schemas(s, place, resource_of(s, place));
}
