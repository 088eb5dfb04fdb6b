/* doc.c: see doc.h.
 *
 * Method: the members of all objects in one hash table, entered while the
 *         nodes are passed in the order of the text.
 * Cost:   linear; about 24 bytes a member.
 * Tests:  unit/convert_test.c
 */
#include "convert/doc.h"

#include "base/diag.h"

static uint64_t member_hash(JsonId object, Span name)
{
    return hash_mix(hash_bytes(object, name.at, name.size), object);
}

static DocMember *find(const Doc *doc, uint64_t hash, JsonId object, Span name)
{
    for (MapPos p = map_first(&doc->index, hash); p.value != MAP_NONE;
         p = map_next(&doc->index, hash, p)) {
        DocMember *m = &doc->members.at[p.value];
        if (m->object == object &&
            span_equal(json_string(&doc->json, m->key), name))
            return m;
    }
    return NULL;
}

static bool enter_members(Doc *doc, JsonId object)
{
    const Mem *mem = doc->json.mem;
    for (JsonIter it = json_iter(&doc->json, object); json_step(&it);) {
        uint64_t hash = member_hash(object, it.key);
        DocMember *m = find(doc, hash, object, it.key);
        if (m) {
            m->value = it.value;
            continue;
        }
        if (!vec_push(mem, &doc->members,
                      (DocMember){object, it.key_id, it.value}) ||
            !map_add(mem, &doc->index, hash, doc->members.count - 1))
            return false;
    }
    return true;
}

bool doc_parse(Doc *doc, const Mem *mem, Span text, const weir_limits *limits,
               weir_error *err)
{
    JsonLimits use = {limits->max_source, limits->max_depth};
    *doc = (Doc){.json.mem = mem};
    if (!json_parse(&doc->json, mem, text, &use, err)) return false;
    for (JsonId id = 0; id < doc->json.nodes.count; id++)
        if (json_kind(&doc->json, id) == JSON_OBJECT &&
            !enter_members(doc, id)) {
            doc_free(doc);
            return diag_no_memory(err);
        }
    return true;
}

void doc_free(Doc *doc)
{
    const Mem *mem = doc->json.mem;
    vec_free(mem, &doc->members);
    map_free(mem, &doc->index);
    json_free(&doc->json);
}

JsonId doc_get(const Doc *doc, JsonId object, Span name)
{
    if (json_kind(&doc->json, object) != JSON_OBJECT) return JSON_NONE;
    const DocMember *m = find(doc, member_hash(object, name), object, name);
    return m ? m->value : JSON_NONE;
}

JsonId doc_text_get(const Doc *doc, JsonId object, const char *name)
{
    return doc_get(doc, object, span_text(name));
}

DocIter doc_iter(const Doc *doc, JsonId id)
{
    JsonKind kind = json_kind(&doc->json, id);
    bool is_single = kind > JSON_NULL && kind < JSON_ARRAY;
    return (DocIter){.doc = doc,
                     .id = id,
                     .json = json_iter(&doc->json, id),
                     .is_single = is_single,
                     .position = UINT32_MAX,
                     .value = is_single ? id : JSON_NONE};
}

/* Goes to the next member whose name is met for the first time. */
static bool step_member(DocIter *it)
{
    while (json_step(&it->json)) {
        Span name = it->json.key;
        uint64_t hash = member_hash(it->id, name);
        const DocMember *m = find(it->doc, hash, it->id, name);
        assert(m);
        if (m->key != it->json.key_id) continue;
        it->name = name;
        it->value = m->value;
        return true;
    }
    return false;
}

bool doc_step(DocIter *it)
{
    it->position++;
    if (it->is_single) return it->position == 0;
    if (it->json.is_object) return step_member(it);
    bool has_item = json_step(&it->json);
    it->value = it->json.value;
    return has_item;
}
