/* source_fuzz.c: schema documents and references on any bytes.
 *
 * The text before the first NUL is the main schema, what follows up to the
 * next ones are documents: the first without URI, the second as "x:d". A
 * reference that leads somewhere leads to a schema, and the pointer written for
 * that place leads back to it; entering a resource twice is entering it once;
 * checking a schema twice says the same. */
#include <stdlib.h>

#include "schema/pointer.h"
#include "schema/source.h"
#include "schema/subschema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim)
{
    if (!claim) abort();
}

/* The text up to a NUL, which is taken off with it. */
static Span take_text(Span *rest)
{
    const uint8_t *nul = rest->size ? memchr(rest->at, 0, rest->size) : NULL;
    size_t n = nul ? (size_t)(nul - rest->at) : rest->size;
    Span text = span_of(rest->at, n);
    size_t taken = nul ? n + 1 : n;
    *rest = span_of(rest->at + taken, rest->size - taken);
    return text;
}

/* Of members with one name a pointer means the last, so the others have no
 * pointer of their own. */
static bool has_namesakes(const Json *json)
{
    for (JsonId id = 0; id < json->nodes.count; id++)
        for (JsonIter it = json_iter(json, id); json_step(&it);)
            if (it.is_object && json_get_span(json, id, it.key) != it.value)
                return true;
    return false;
}

static void check_target(Sources *s, Place to, uint32_t scope)
{
    JsonKind kind = json_kind(place_json(s, to), to.id);
    must(kind == JSON_OBJECT || kind == JSON_TRUE || kind == JSON_FALSE);
    must(place_draft(s, to) != WEIR_DRAFT_DEFAULT);
    must(place_enter(s, scope, to) == scope);
    if (to.doc || has_namesakes(place_json(s, to))) return;
    Span pointer = place_pointer(s, to);
    Place again;
    uint32_t other;
    must(place_ref(s, sources_root(), 0, pointer, &again, &other));
    must(again.id == to.id);
}

static void follow(Sources *s, Place at, uint32_t scope)
{
    const Json *json = place_json(s, at);
    Place to;
    uint32_t next;
    JsonId ref = json_get(json, at.id, "$ref");
    scope = place_enter(s, scope, at);
    if (json_kind(json, ref) == JSON_STRING &&
        place_ref(s, at, scope, json_string(json, ref), &to, &next))
        check_target(s, to, next);
    ref = json_get(json, at.id, "$dynamicRef");
    if (json_kind(json, ref) == JSON_STRING &&
        place_dynamic_ref(s, at, scope, json_string(json, ref), &to, &next))
        check_target(s, to, next);
    if (json_get(json, at.id, "$recursiveRef") != JSON_NONE &&
        place_recursive_ref(s, at, scope, &to, &next))
        check_target(s, to, next);
}

static void follow_all(Span schema, const weir_schema_opts *opts)
{
    Mem mem = mem_from_env(NULL);
    weir_limits limits = {.max_depth = 200};
    Ir ir;
    ir_init(&ir, &mem, &limits);
    Sources *s = sources_new(&ir, schema, opts);
    must(s ? ir_ok(&ir) : !ir_ok(&ir));
    if (s) {
        SchemaWalk walk;
        Place root = sources_root();
        uint32_t scope = sources_root_scope(s);
        schema_walk_begin(&walk, place_json(s, root), root.id,
                          place_draft(s, root));
        while (ir_ok(&ir) && schema_walk_next(&walk))
            follow(s, (Place){root.doc, walk.schema}, scope);
        schema_walk_end(&walk);
    }
    must(ir.error.begin <= ir.error.end && ir.error.end <= schema.size);
    sources_free(s);
    ir_free(&ir);
}

static void check(Span schema, const weir_schema_opts *opts)
{
    enum { ALL = 7, ROOM = 4096 };
    weir_compile_opts all = {
        .size = sizeof all, .limits = {.max_depth = 200}, .schema = *opts};
    weir_bytes text = {(const char *)schema.at, schema.size};
    weir_error err;
    char *first = malloc(ROOM), *second = malloc(ROOM);
    must(first && second);
    size_t size = weir_schema_check(text, ALL, &all, first, ROOM, &err);
    must((size == SIZE_MAX) == (err.status != WEIR_OK));
    must(weir_schema_check(text, ALL, &all, second, ROOM, &err) == size);
    if (size != SIZE_MAX) must(!memcmp(first, second, MIN(size, ROOM)));
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Span rest = span_of(data, size);
    if (!size) return 0;
    Span schema = take_text(&rest), one = take_text(&rest),
         two = take_text(&rest);
    const weir_document documents[] = {
        {{"", 0}, {(const char *)one.at, one.size}},
        {{"x:d", 3}, {(const char *)two.at, two.size}}};
    weir_schema_opts opts = {.documents = documents, .document_count = 2};
    follow_all(schema, &opts);
    check(schema, &opts);
    return 0;
}
