/* source.c: the documents of a schema.
 *
 * In:    the main schema, and documents that it may refer to.
 * Out:   trees, on demand.
 * Method: the main document is read at once. Another is parsed when its URI is
 *        asked for; one that was given without URI when any is, because only
 *        its $id says what it is. Of two documents with one URI the first
 *        counts.
 * Tests: unit/source_test.c
 */
#include "schema/source.h"

#include "schema/source_parts.h"

bool sources_no_memory(Sources *s)
{
    return diag_no_memory(&s->ir->error);
}

bool sources_keep(Sources *s, Span *text)
{
    if (text->size) text->at = arena_copy(&s->ir->arena, text->at, text->size);
    return text->at || !text->size || sources_no_memory(s);
}

/* ---- life ------------------------------------------------------------- */

static bool add_document(Sources *s, Span uri, Span text)
{
    Document d = {.uri = uri, .text = text, .resource = INDEX_NONE};
    d.json.mem = s->mem;
    return vec_push(s->mem, &s->documents, d) || sources_no_memory(s);
}

static bool add_documents(Sources *s, Span schema, const weir_schema_opts *opts)
{
    if (!add_document(s, (Span){NULL, 0}, schema)) return false;
    for (size_t i = 0; opts && i < opts->document_count; i++) {
        weir_document d = opts->documents[i];
        if (!add_document(s, span_of(d.uri.data, d.uri.size),
                          span_of(d.text.data, d.text.size)))
            return false;
    }
    return true;
}

static bool read_main(Sources *s, const weir_schema_opts *opts)
{
    bool is_given = opts && opts->draft;
    s->draft = is_given ? opts->draft : WEIR_DRAFT_2020_12;
    s->is_lenient = opts && opts->lenient;
    if (!document_parse(s, 0)) {
        s->ir->error = s->documents.at[0].error;
        return false;
    }
    JsonKind kind = json_kind(&s->documents.at[0].json, JSON_ROOT);
    if (kind != JSON_OBJECT && kind != JSON_TRUE && kind != JSON_FALSE)
        place_fail(s, sources_root(), NULL, WEIR_SYNTAX,
                   "found %s, expected a schema: an object, true or false",
                   json_kind_name(kind));
    if (!sources_ok(s) || !document_read(s, 0)) return false;
    if (!is_given) s->draft = place_draft(s, sources_root());
    return true;
}

Sources *sources_new(Ir *ir, Span schema, const weir_schema_opts *opts)
{
    if (!ir_ok(ir)) return NULL;
    Sources *s = mem_zero(ir->mem, sizeof *s);
    if (!s) {
        diag_no_memory(&ir->error);
        return NULL;
    }
    s->ir = ir;
    s->mem = s->uri.mem = s->fragment.mem = ir->mem;
    scopes_init(&s->scopes, ir->mem);
    if (s->scopes.failed) sources_no_memory(s);
    if (ir_ok(ir) && add_documents(s, schema, opts) && read_main(s, opts))
        return s;
    assert(!ir_ok(ir));
    sources_free(s);
    return NULL;
}

static void document_free(const Mem *mem, Document *d)
{
    size_t nodes = d->json.nodes.count;
    mem_free(mem, d->is_schema, document_marks(d));
    mem_free(mem, d->resource_at, nodes * sizeof *d->resource_at);
    mem_free(mem, d->same, nodes * sizeof *d->same);
    pointer_index_free(mem, &d->index);
    json_free(&d->json);
}

void sources_free(Sources *s)
{
    if (!s) return;
    const Mem *mem = s->mem;
    for (uint32_t i = 0; i < s->documents.count; i++)
        document_free(mem, &s->documents.at[i]);
    for (uint32_t i = 0; i < s->resources.count; i++)
        vec_free(mem, &s->resources.at[i].names);
    vec_free(mem, &s->documents);
    vec_free(mem, &s->resources);
    vec_free(mem, &s->identifiers);
    vec_free(mem, &s->anchors);
    vec_free(mem, &s->names);
    vec_free(mem, &s->entered);
    map_free(mem, &s->document_index);
    map_free(mem, &s->identifier_index);
    map_free(mem, &s->anchor_index);
    map_free(mem, &s->name_index);
    map_free(mem, &s->entered_index);
    scopes_free(&s->scopes);
    uri_text_free(&s->uri);
    uri_text_free(&s->fragment);
    mem_free(mem, s, sizeof *s);
}

const Json *place_json(const Sources *s, Place place)
{
    return &document_of(s, place)->json;
}

weir_draft place_draft(const Sources *s, Place place)
{
    return s->resources.at[resource_of(s, place)].dialect.draft;
}

static bool is_in_force(const Sources *s, Place place, KeywordId id)
{
    const Dialect *d = &s->resources.at[resource_of(s, place)].dialect;
    return keyword_in(id, d->draft) && !(keyword_vocabulary(id) & d->off);
}

KeywordId place_keyword(const Sources *s, Place place, JsonId key)
{
    KeywordId id = document_keyword(document_of(s, place), key);
    return is_in_force(s, place, id) ? id : KEYWORD_NONE;
}

KeywordId place_asserted(const Sources *s, Place place, JsonId key)
{
    KeywordId id = document_keyword(document_of(s, place), key);
    bool is = id == KEYWORD_DEPENDENCIES || is_in_force(s, place, id);
    return is ? id : KEYWORD_NONE;
}

/* ---- documents -------------------------------------------------------- */

bool document_parse(Sources *s, uint32_t doc)
{
    Document *d = &s->documents.at[doc];
    if (d->state == DOCUMENT_BROKEN) return false;
    if (d->state != DOCUMENT_GIVEN) return true;
    JsonLimits limits = {s->ir->limits.max_source, s->ir->limits.max_depth};
    if (json_parse(&d->json, s->mem, d->text, &limits, &d->error)) {
        d->state = DOCUMENT_PARSED;
        return true;
    }
    d->state = DOCUMENT_BROKEN;
    if (d->error.status == WEIR_NO_MEMORY) sources_no_memory(s);
    return false;
}

/* What an unnamed document calls itself; an empty one stays unnamed. */
static Span own_uri(Sources *s, uint32_t doc)
{
    if (!document_parse(s, doc)) return (Span){NULL, 0};
    const Json *json = &s->documents.at[doc].json;
    JsonId id = json_get(json, JSON_ROOT, "$id");
    if (json_kind(json, id) != JSON_STRING)
        id = json_get(json, JSON_ROOT, "id");
    return json_string(json, id);
}

static bool name_document(Sources *s, uint32_t doc)
{
    Document *d = &s->documents.at[doc];
    Span given = d->uri.size ? d->uri : own_uri(s, doc);
    if (!sources_ok(s)) return false;
    if (!uri_resolve(&s->uri, (Span){NULL, 0}, given))
        return sources_no_memory(s);
    Span uri = uri_span(&s->uri);
    if (!uri.size) return true;
    uint64_t hash = hash_bytes(0, uri.at, uri.size);
    if (!sources_keep(s, &uri)) return false;
    d->uri = uri;
    return map_add(s->mem, &s->document_index, hash, doc) ||
           sources_no_memory(s);
}

uint32_t document_find(Sources *s, Span uri)
{
    for (uint32_t i = 1; !s->are_given_known && i < s->documents.count; i++)
        if (!name_document(s, i)) return INDEX_NONE;
    s->are_given_known = true;
    uint32_t found = INDEX_NONE;
    uint64_t hash = hash_bytes(0, uri.at, uri.size);
    for (MapPos p = map_first(&s->document_index, hash); p.value != MAP_NONE;
         p = map_next(&s->document_index, hash, p))
        if (span_equal(s->documents.at[p.value].uri, uri))
            found = MIN(found, p.value);
    return found;
}
