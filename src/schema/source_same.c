/* source_same.c: schemas of a document that say the same.
 *
 * Generated schemas repeat themselves: what is equal is read, combined and
 * made into a rule once.
 * In:    a document of one resource, read.   Out: by node, the first schema in
 *        the text that is equal but for titles, descriptions and comments.
 * Method: from the last node to the first, so that what is in a container is
 *        known before it. Equal containers are one class; a container is looked
 *        up by its keys, scalars and the classes of the containers in it.
 *        Members count in their order: that may be declared.
 * Cost:  linear; 12 bytes a node, 4 of them kept.
 * Tests: unit/source_test.c
 */
#include "schema/source_parts.h"

typedef struct Same {
    const Document *d;
    const Mem *mem;
    uint64_t *hash; /* by container */
    JsonId *class;  /* by container: the last node of the class */
    Map index;
} Same;

static bool is_container(JsonKind kind)
{
    return kind == JSON_OBJECT || kind == JSON_ARRAY;
}

/* Whether a member is what a schema says to people. */
static bool is_said(const Json *json, const JsonIter *it)
{
    size_t size = it->key.size;
    if (size != sizeof "title" - 1 && size != sizeof "description" - 1 &&
        size != sizeof "$comment" - 1)
        return false;
    KeywordId k = keyword_find(it->key);
    return (k == KEYWORD_TITLE || k == KEYWORD_DESCRIPTION ||
            k == KEYWORD_COMMENT) &&
           json_kind(json, it->value) == JSON_STRING;
}

/* Steps over that in a schema. */
static bool step(const Json *json, bool is_schema, JsonIter *it)
{
    bool more = json_step(it);
    while (more && is_schema && is_said(json, it)) more = json_step(it);
    return more;
}

static Span scalar_text(const Json *json, JsonKind kind, JsonId id)
{
    return kind == JSON_STRING ? json_string(json, id)
                               : json_spelling(json, id);
}

static bool value_same(const Same *s, JsonId a, JsonId b)
{
    const Json *json = &s->d->json;
    JsonKind kind = json_kind(json, a);
    if (kind != json_kind(json, b)) return false;
    if (is_container(kind)) return s->class[a] == s->class[b];
    return span_equal(scalar_text(json, kind, a), scalar_text(json, kind, b));
}

static bool container_same(const Same *s, JsonId a, JsonId b)
{
    const Json *json = &s->d->json;
    JsonIter x = json_iter(json, a), y = json_iter(json, b);
    bool is_schema = document_has_schema(s->d, a);
    if (json_kind(json, a) != json_kind(json, b) ||
        is_schema != document_has_schema(s->d, b))
        return false;
    for (;;) {
        bool more = step(json, is_schema, &x);
        if (more != step(json, is_schema, &y)) return false;
        if (!more) return true;
        if (!span_equal(x.key, y.key) || !value_same(s, x.value, y.value))
            return false;
    }
}

static uint64_t value_hash(const Same *s, JsonId id)
{
    const Json *json = &s->d->json;
    JsonKind kind = json_kind(json, id);
    if (is_container(kind)) return s->hash[id];
    Span text = scalar_text(json, kind, id);
    return hash_bytes(kind, text.at, text.size);
}

static uint64_t container_hash(const Same *s, JsonId id)
{
    const Json *json = &s->d->json;
    bool is_schema = document_has_schema(s->d, id);
    uint64_t h = hash_mix(json_kind(json, id), is_schema);
    JsonIter it = json_iter(json, id);
    while (step(json, is_schema, &it))
        h = hash_bytes(h ^ value_hash(s, it.value), it.key.at, it.key.size);
    return h;
}

static bool classify(Same *s, JsonId id)
{
    s->class[id] = id;
    if (!is_container(json_kind(&s->d->json, id))) return true;
    uint64_t h = s->hash[id] = container_hash(s, id);
    for (MapPos p = map_first(&s->index, h); p.value != MAP_NONE;
         p = map_next(&s->index, h, p))
        if (container_same(s, id, p.value)) {
            s->class[id] = p.value;
            return true;
        }
    return map_add(s->mem, &s->index, h, id);
}

/* The last node of a class becomes the first one. */
static void prefer_first(Same *s, uint32_t count)
{
    memset(s->hash, 0, count * sizeof *s->hash);
    for (JsonId id = 0; id < count; id++) {
        uint64_t *first = &s->hash[s->class[id]];
        if (!*first) *first = id + 1;
        s->class[id] = (JsonId)(*first - 1);
    }
}

static bool find_same(Sources *sources, Document *d)
{
    uint32_t count = d->json.nodes.count;
    Same s = {.d = d, .mem = sources->mem};
    s.hash = mem_new(s.mem, size_mul(count, sizeof *s.hash));
    s.class = mem_new(s.mem, size_mul(count, sizeof *s.class));
    bool ok = s.hash && s.class;
    for (JsonId id = count; ok && id-- > 0;) ok = classify(&s, id);
    if (ok) prefer_first(&s, count);
    map_free(s.mem, &s.index);
    mem_free(s.mem, s.hash, count * sizeof *s.hash);
    d->same = s.class;
    return ok || sources_no_memory(sources);
}

Place place_same(Sources *s, Place place)
{
    Document *d = document_of(s, place);
    if (d->resource_at) return place; /* equal texts may refer elsewhere */
    if (!d->same && !find_same(s, d)) return place;
    return (Place){place.doc, d->same[place.id]};
}
