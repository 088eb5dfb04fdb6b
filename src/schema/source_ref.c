/* source_ref.c: where references lead, and the scopes of dynamic ones.
 *
 * In:    a place, a scope and the text of a reference there.
 * Out:   the place that is meant, and the scope after entering it.
 * Method: what stands before '#' is resolved against the URI of the resource
 *        around and found among identifiers, or else among documents; what
 *        follows is nothing, a JSON pointer, or a name. A reference that
 *        begins with '#' stays in its resource, whatever that is called.
 *        A scope holds, for each name of a dynamic anchor, the first resource
 *        entered that has it: the outermost. $recursiveAnchor: true is the
 *        dynamic anchor "".
 * Cost:  linear in the reference; a document is read when first needed.
 * Tests: unit/source_test.c, unit/suite_ref_test.c
 */
#include "schema/keyword.h"
#include "schema/near.h"
#include "schema/source_parts.h"

/* A reference on its way. */
typedef struct Ref {
    Sources *s;
    Place place;
    const char *keyword;
    Span text;
    uint32_t resource;    /* that it leads into */
    const Anchor *anchor; /* if it ends in a name */
    Place to;
} Ref;

static bool undefined(Ref *ref, const char *what, Span name)
{
    place_fail(ref->s, ref->place, ref->keyword, WEIR_UNDEFINED, "found %s %s",
               what, quote(name).text);
    return false;
}

/* ---- documents -------------------------------------------------------- */

static bool read_found(Ref *ref, uint32_t doc)
{
    Sources *s = ref->s;
    if (document_read(s, doc)) return true;
    const Document *d = &s->documents.at[doc];
    if (d->state == DOCUMENT_BROKEN)
        place_fail(s, ref->place, ref->keyword, d->error.status,
                   "found a document that is no JSON, %s, at byte %u: %s",
                   quote(d->uri).text, d->error.begin, d->error.message);
    return false;
}

/* Reads all documents, whatever they are called, for what is in them. Those
 * that are broken have no identifiers. */
static bool read_all(Sources *s)
{
    for (uint32_t i = 1; !s->are_all_read && i < s->documents.count; i++)
        if (!document_read(s, i) && !sources_ok(s)) return false;
    s->are_all_read = true;
    return true;
}

static bool fail_unknown(Ref *ref, Span uri)
{
    place_fail(ref->s, ref->place, ref->keyword, WEIR_UNSUPPORTED,
               "found a reference to %s, expected a schema in this document or "
               "in one handed over with it",
               quote(uri).text);
    return false;
}

/* A resource that no document read so far has. */
static bool find_elsewhere(Ref *ref, Span uri)
{
    Sources *s = ref->s;
    if (!sources_keep(s, &uri)) return false;
    uint32_t doc = document_find(s, uri);
    if (!sources_ok(s)) return false;
    if (doc != INDEX_NONE) {
        if (!read_found(ref, doc)) return false;
        ref->resource = s->documents.at[doc].resource;
        return true;
    }
    if (!read_all(s)) return false;
    const Identifier *found = identifier_find(s, uri);
    if (!found) return fail_unknown(ref, uri);
    if (found->is_ambiguous)
        return undefined(ref, "different schemas with the identifier", uri);
    ref->resource = found->resource;
    return true;
}

static bool find_resource(Ref *ref)
{
    Sources *s = ref->s;
    ref->resource = resource_of(s, ref->place);
    if (!ref->text.size || ref->text.at[0] == '#') return true;
    Span base = s->resources.at[ref->resource].uri;
    if (!uri_resolve(&s->uri, base, ref->text)) return sources_no_memory(s);
    Span uri = uri_span(&s->uri);
    if (span_equal(uri, base)) return true;
    const Identifier *found = identifier_find(s, uri);
    if (!found) return find_elsewhere(ref, uri);
    if (found->is_ambiguous)
        return undefined(ref, "different schemas with the identifier", uri);
    ref->resource = found->resource;
    return true;
}

/* ---- fragments -------------------------------------------------------- */

static bool fail_nowhere(Ref *ref, const PointerEnd *end)
{
    Sources *s = ref->s;
    Place last = {ref->to.doc, end->at};
    const Json *json = place_json(s, last);
    Quote hint = near_member(json, end->at, end->token);
    place_fail(s, ref->place, ref->keyword, WEIR_UNDEFINED,
               "found no %s in %s%s%s", quote(end->token).text,
               quote(place_pointer(s, last)).text,
               hint.text[0] ? ", expected perhaps " : "", hint.text);
    return false;
}

/* Before 2019-09 many took "#/..." for the document, not for the resource of
 * an $id around. What is not found there is looked for here, with a warning. */
static bool follow_from_document(Ref *ref, Span pointer, PointerEnd *end)
{
    Sources *s = ref->s;
    Document *d = document_of(s, ref->to);
    unsigned draft = draft_bit(s->resources.at[ref->resource].dialect.draft);
    PointerEnd other;
    if (!(draft & UNTIL_7) || ref->text.at[0] != '#' || !ref->to.id)
        return false;
    if (!pointer_follow(&d->index, &d->json, JSON_ROOT, pointer, &other))
        return false;
    place_warn(s, ref->place, ref->keyword,
               "found no %s in the schema whose $id is %s, expected the "
               "document's to be meant",
               quote(ref->text).text,
               quote(s->resources.at[ref->resource].uri).text);
    *end = other;
    return true;
}

static bool follow_pointer(Ref *ref, Span pointer)
{
    Sources *s = ref->s;
    Document *d = document_of(s, ref->to);
    PointerEnd end;
    if (!pointer_follow(&d->index, &d->json, ref->to.id, pointer, &end) &&
        !follow_from_document(ref, pointer, &end))
        return d->index.failed ? sources_no_memory(s) : fail_nowhere(ref, &end);
    ref->to.id = end.at;
    JsonKind kind = json_kind(&d->json, end.at);
    if (kind != JSON_OBJECT && kind != JSON_TRUE && kind != JSON_FALSE) {
        place_fail(s, ref->place, ref->keyword, WEIR_SYNTAX,
                   "found a reference to %s, expected a schema: an object, "
                   "true or false",
                   json_kind_name(kind));
        return false;
    }
    return place_read(s, ref->to);
}

static bool follow_name(Ref *ref, Span name)
{
    ref->anchor = anchor_find(ref->s, ref->resource, name);
    if (!ref->anchor)
        return undefined(ref, "a reference to the unknown anchor", name);
    if (ref->anchor->is_ambiguous)
        return undefined(ref, "different schemas with the anchor", name);
    ref->to.id = ref->anchor->at;
    return true;
}

static bool locate(Ref *ref)
{
    Sources *s = ref->s;
    if (!sources_ok(s) || !find_resource(ref)) return false;
    ref->to = s->resources.at[ref->resource].root;
    Span fragment = uri_fragment(ref->text);
    if (fragment.size && memchr(fragment.at, '%', fragment.size)) {
        if (!uri_decode(&s->fragment, fragment)) return sources_no_memory(s);
        fragment = uri_span(&s->fragment);
    }
    if (!fragment.size) return true;
    return fragment.at[0] == '/' ? follow_pointer(ref, fragment)
                                 : follow_name(ref, fragment);
}

/* ---- scopes ----------------------------------------------------------- */

static uint64_t entered_hash(uint32_t scope, uint32_t resource)
{
    return hash_mix(hash_mix(0, scope), resource);
}

static bool add_to_scope(Sources *s, Entered *e)
{
    const Resource *r = &s->resources.at[e->resource];
    e->result =
        scope_add(&s->scopes, e->scope, r->names.at, e->count, e->resource);
    if (s->scopes.failed) return sources_no_memory(s);
    if (s->scopes.hit_limit)
        return diag_fail(&s->ir->error, WEIR_LIMIT_MEMORY, 0, 0,
                         "found dynamic scopes of more than %u entries in all",
                         SCOPE_MAX_PAIRS);
    return (vec_push(s->mem, &s->entered, *e) &&
            map_add(s->mem, &s->entered_index,
                    entered_hash(e->scope, e->resource),
                    s->entered.count - 1)) ||
           sources_no_memory(s);
}

static uint32_t enter(Sources *s, uint32_t scope, uint32_t resource)
{
    uint32_t count = s->resources.at[resource].names.count;
    if (!count || !sources_ok(s)) return scope;
    uint64_t hash = entered_hash(scope, resource);
    for (MapPos p = map_first(&s->entered_index, hash); p.value != MAP_NONE;
         p = map_next(&s->entered_index, hash, p)) {
        Entered e = s->entered.at[p.value];
        if (e.scope == scope && e.resource == resource && e.count == count)
            return e.result;
    }
    Entered e = {scope, resource, count, scope};
    return add_to_scope(s, &e) ? e.result : scope;
}

uint32_t sources_root_scope(Sources *s)
{
    return enter(s, 0, s->documents.at[0].resource);
}

uint32_t place_enter(Sources *s, uint32_t scope, Place place)
{
    return enter(s, scope, resource_of(s, place));
}

/* ---- the three keywords ----------------------------------------------- */

static bool arrive(Ref *ref, uint32_t scope, Place *to, uint32_t *to_scope)
{
    *to = ref->to;
    *to_scope = place_enter(ref->s, scope, ref->to);
    return sources_ok(ref->s);
}

bool place_ref(Sources *s, Place place, uint32_t scope, Span text, Place *to,
               uint32_t *to_scope)
{
    Ref ref = {.s = s, .place = place, .keyword = "$ref", .text = text};
    return locate(&ref) && arrive(&ref, scope, to, to_scope);
}

/* From a dynamic anchor to its namesake in the outermost resource. */
static void follow_scope(Ref *ref, uint32_t scope, const Anchor *from)
{
    Sources *s = ref->s;
    uint32_t outermost = scope_find(&s->scopes, scope, from->name_id);
    if (outermost == SCOPE_NOTHING) return;
    const Anchor *a = anchor_find(s, outermost, from->name);
    assert(a && a->is_dynamic);
    ref->to = (Place){s->resources.at[outermost].root.doc, a->at};
}

bool place_dynamic_ref(Sources *s, Place place, uint32_t scope, Span text,
                       Place *to, uint32_t *to_scope)
{
    Ref ref = {.s = s, .place = place, .keyword = "$dynamicRef", .text = text};
    if (!locate(&ref)) return false;
    if (ref.anchor && ref.anchor->is_dynamic)
        follow_scope(&ref, scope, ref.anchor);
    return arrive(&ref, scope, to, to_scope);
}

bool place_recursive_ref(Sources *s, Place place, uint32_t scope, Place *to,
                         uint32_t *to_scope)
{
    Ref ref = {
        .s = s, .place = place, .keyword = "$recursiveRef", .text = SPAN("#")};
    if (!locate(&ref)) return false;
    const Anchor *anchor = anchor_find(s, ref.resource, SPAN(""));
    if (anchor) follow_scope(&ref, scope, anchor);
    return arrive(&ref, scope, to, to_scope);
}
