/* subschema.c: the walk over the schemas of a document.
 *
 * In:    a tree and the draft of its root.  Out: its schemas, one by one.
 * Method: depth first with a stack of the containers on the way, which are
 *        schemas, and lists and maps of schemas; all else is stepped over.
 * Cost:  linear in the members of schemas; 24 bytes a level of nesting.
 * Tests: unit/subschema_test.c
 */
#include "schema/subschema.h"

static bool open_container(SchemaWalk *walk, JsonId id, bool is_schema,
                           const WalkFrame *from)
{
    JsonIter it = json_iter(walk->json, id);
    WalkFrame frame = {.container = id,
                       .next = it.next,
                       .end = it.end,
                       .is_schema = is_schema,
                       .via = from->via,
                       .draft = from->draft,
                       .level = from->level};
    if (vec_push(walk->json->mem, &walk->open, frame)) return true;
    walk->failed = true;
    return false;
}

void schema_walk_begin(SchemaWalk *walk, const Json *json, JsonId root,
                       weir_draft draft)
{
    *walk = (SchemaWalk){.json = json, .schema = JSON_NONE};
    /* A list with one item, the root. */
    WalkFrame frame = {.container = JSON_NONE,
                       .next = root,
                       .end = json_end(json, root),
                       .draft = (uint8_t)draft};
    walk->failed = !vec_push(json->mem, &walk->open, frame);
}

void schema_walk_end(SchemaWalk *walk)
{
    vec_free(walk->json->mem, &walk->open);
}

void schema_walk_set_draft(SchemaWalk *walk, weir_draft draft)
{
    walk->draft = draft;
    walk->open.at[walk->open.count - 1].draft = (uint8_t)draft;
}

void schema_walk_skip(SchemaWalk *walk)
{
    walk->open.count--;
}

/* Visits a schema; its frame becomes the innermost. */
static bool visit(SchemaWalk *walk, JsonId id, const WalkFrame *from)
{
    WalkFrame around = *from;
    walk->schema = id;
    walk->draft = (weir_draft)around.draft;
    walk->via = (KeywordId)around.via;
    walk->level = around.level;
    around.level++;
    return open_container(walk, id, true, &around);
}

/* Whether a value that is no schema itself holds schemas. */
static bool holds_schemas(KeywordValue takes, JsonKind kind, weir_draft draft)
{
    switch (takes) {
    case TAKES_SCHEMA_MAP:
    case TAKES_DEPENDENCIES:
        return kind == JSON_OBJECT;
    case TAKES_SCHEMA_LIST:
        return kind == JSON_ARRAY;
    case TAKES_ITEMS:
        return kind == JSON_ARRAY && draft_bit(draft) != IN_2020;
    default:
        return false;
    }
}

/* Takes the next member of a schema. True: it is one itself, visited. */
static bool take_keyword(SchemaWalk *walk, JsonId key, JsonId value)
{
    WalkFrame from = walk->open.at[walk->open.count - 1];
    weir_draft draft = (weir_draft)from.draft;
    KeywordId id = keyword_find(json_string(walk->json, key));
    if (walk->known) walk->known[key] = (uint8_t)(id + 1);
    if (!keyword_in(id, draft)) id = KEYWORD_NONE;
    KeywordValue takes = (KeywordValue)keyword_table[id].value;
    JsonKind kind = json_kind(walk->json, value);
    from.via = (uint8_t)id;
    if (kind == JSON_OBJECT && (takes == TAKES_SCHEMA || takes == TAKES_ITEMS))
        return visit(walk, value, &from);
    if (holds_schemas(takes, kind, draft))
        open_container(walk, value, false, &from);
    return false;
}

bool schema_walk_next(SchemaWalk *walk)
{
    const Json *json = walk->json;
    while (walk->open.count && !walk->failed) {
        WalkFrame *top = &walk->open.at[walk->open.count - 1];
        if (top->next >= top->end) {
            walk->open.count--;
            continue;
        }
        bool has_key = json_kind(json, top->container) == JSON_OBJECT;
        JsonId key = top->next, value = has_key ? key + 1 : key;
        top->next = json_end(json, value);
        if (top->is_schema) {
            if (take_keyword(walk, key, value)) return true;
        } else if (json_kind(json, value) == JSON_OBJECT) {
            return visit(walk, value, top);
        }
    }
    return false;
}
