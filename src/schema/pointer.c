/* pointer.c: JSON pointers, followed and written.
 *
 * In:    a tree and a pointer, or a value in it.  Out: the value; the pointer.
 * Method: containers of up to DIRECT kids are scanned. Larger ones get a table
 *        when first met: objects by hash of (container, name), arrays as a
 *        list of items. A pointer is written by going down from the root to
 *        the kid whose ids enclose the value.
 * Cost:  following: linear in the pointer, and once in each container.
 *        Writing: logarithmic in the siblings on the way, with an index.
 * Tests: unit/pointer_test.c
 */
#include "schema/pointer.h"

enum { DIRECT = 16 };

void pointer_index_free(const Mem *mem, PointerIndex *index)
{
    map_free(mem, &index->table_index);
    map_free(mem, &index->member_index);
    vec_free(mem, &index->tables);
    vec_free(mem, &index->kids);
    vec_free(mem, &index->name);
}

/* ---- tables ----------------------------------------------------------- */

static uint64_t container_hash(JsonId container)
{
    return hash_mix(0, container);
}

static uint64_t member_hash(JsonId container, Span name)
{
    return hash_bytes(container_hash(container), name.at, name.size);
}

static PointerKid *find_member(const PointerIndex *index, const Json *json,
                               JsonId object, Span name)
{
    uint64_t hash = member_hash(object, name);
    const Map *map = &index->member_index;
    for (MapPos p = map_first(map, hash); p.value != MAP_NONE;
         p = map_next(map, hash, p)) {
        PointerKid *kid = &index->kids.at[p.value];
        if (kid->container == object &&
            span_equal(json_string(json, kid->key), name))
            return kid;
    }
    return NULL;
}

static bool add_kid(PointerIndex *index, const Json *json, JsonId container,
                    const JsonIter *it)
{
    PointerKid kid = {container, it->key_id, it->value};
    PointerKid *same = NULL;
    if (it->is_object) same = find_member(index, json, container, it->key);
    if (same) {
        same->value = it->value;
        return true;
    }
    if (!vec_push(json->mem, &index->kids, kid)) return false;
    return !it->is_object ||
           map_add(json->mem, &index->member_index,
                   member_hash(container, it->key), index->kids.count - 1);
}

static bool add_table(PointerIndex *index, const Json *json, JsonId container)
{
    PointerTable table = {container, index->kids.count, 0};
    for (JsonIter it = json_iter(json, container); json_step(&it);)
        if (!add_kid(index, json, container, &it)) return false;
    table.count = index->kids.count - table.first;
    return vec_push(json->mem, &index->tables, table) &&
           map_add(json->mem, &index->table_index, container_hash(container),
                   index->tables.count - 1);
}

/* The table of a large container; NULL: no memory. */
static const PointerTable *table_of(PointerIndex *index, const Json *json,
                                    JsonId container)
{
    if (index->failed) return NULL;
    uint64_t hash = container_hash(container);
    for (MapPos p = map_first(&index->table_index, hash); p.value != MAP_NONE;
         p = map_next(&index->table_index, hash, p))
        if (index->tables.at[p.value].container == container)
            return &index->tables.at[p.value];
    if (add_table(index, json, container))
        return &index->tables.at[index->tables.count - 1];
    index->failed = true;
    return NULL;
}

static bool is_large(const Json *json, JsonId container)
{
    uint32_t count = 0;
    for (JsonIter it = json_iter(json, container); json_step(&it);)
        if (++count > DIRECT) return true;
    return false;
}

/* ---- following -------------------------------------------------------- */

/* "0", or digits that do not begin with 0. */
static bool read_number(Span token, uint32_t *number)
{
    *number = 0;
    if (!token.size || token.size > 9) return false;
    if (token.at[0] == '0' && token.size > 1) return false;
    for (size_t i = 0; i < token.size; i++) {
        if (token.at[i] < '0' || token.at[i] > '9') return false;
        *number = *number * 10 + (token.at[i] - '0');
    }
    return true;
}

static JsonId find_item(PointerIndex *index, const Json *json, JsonId array,
                        Span token)
{
    uint32_t number;
    if (!read_number(token, &number)) return JSON_NONE;
    if (is_large(json, array)) {
        const PointerTable *table = table_of(index, json, array);
        if (!table || number >= table->count) return JSON_NONE;
        return index->kids.at[table->first + number].value;
    }
    for (JsonIter it = json_iter(json, array); json_step(&it); number--)
        if (!number) return it.value;
    return JSON_NONE;
}

JsonId pointer_member(PointerIndex *index, const Json *json, JsonId object,
                      Span name)
{
    if (!is_large(json, object)) return json_get_span(json, object, name);
    if (!table_of(index, json, object)) return JSON_NONE;
    const PointerKid *kid = find_member(index, json, object, name);
    return kid ? kid->value : JSON_NONE;
}

/* The token with ~0 and ~1 undone; false: another ~, or no memory. */
static bool unescape(PointerIndex *index, const Mem *mem, Span *token)
{
    if (!token->size || !memchr(token->at, '~', token->size)) return true;
    index->name.count = 0;
    if (!vec_reserve(mem, &index->name, token->size)) {
        index->failed = true;
        return false;
    }
    for (size_t i = 0; i < token->size; i++) {
        uint8_t c = token->at[i];
        if (c == '~') {
            if (++i == token->size) return false;
            if (token->at[i] != '0' && token->at[i] != '1') return false;
            c = token->at[i] == '0' ? '~' : '/';
        }
        index->name.at[index->name.count++] = c;
    }
    *token = span_of(index->name.at, index->name.count);
    return true;
}

bool pointer_follow(PointerIndex *index, const Json *json, JsonId from,
                    Span pointer, PointerEnd *end)
{
    *end = (PointerEnd){from, {NULL, 0}};
    for (size_t pos = 0; pos < pointer.size;) {
        size_t begin = ++pos; /* after the slash */
        while (pos < pointer.size && pointer.at[pos] != '/') pos++;
        end->token = span_of(pointer.at + begin, pos - begin);
        Span name = end->token;
        if (!unescape(index, json->mem, &name)) return false;
        JsonId kid = json_kind(json, end->at) == JSON_ARRAY
                         ? find_item(index, json, end->at, name)
                         : pointer_member(index, json, end->at, name);
        if (kid == JSON_NONE) return false;
        end->at = kid;
    }
    return true;
}

/* ---- writing ---------------------------------------------------------- */

/* What a fragment may hold: RFC 3986 ("pchar", and ?, but for ~), and RFC 3987
 * beyond ASCII. */
static bool is_plain(uint8_t c)
{
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') return true;
    if (c >= 0x80 || (c >= '0' && c <= '9')) return true;
    return c && strchr("-._!$&'()*+,;=:@?", c);
}

void pointer_write_name(Out *out, Span name)
{
    out_text(out, "/");
    for (size_t i = 0; i < name.size; i++) {
        size_t from = i;
        while (i < name.size && is_plain(name.at[i])) i++;
        out_bytes(out, span_of(name.at + from, i - from));
        if (i == name.size) break;
        if (name.at[i] == '~' || name.at[i] == '/')
            out_text(out, name.at[i] == '~' ? "~0" : "~1");
        else
            out_format(out, "%%%02X", name.at[i]);
    }
}

/* A step down: the kid of a container that encloses a value, its name (in an
 * object) and its place among the kids. */
typedef struct Step {
    JsonId value;
    Span name;
    uint32_t number;
    bool is_object;
} Step;

static Step step_by_scan(const Json *json, JsonId at, JsonId id)
{
    uint32_t number = 0;
    JsonIter it = json_iter(json, at);
    bool is_found = json_step(&it);
    for (; is_found && it.next <= id; number++) is_found = json_step(&it);
    assert(is_found && it.value <= id);
    return (Step){it.value, it.key, number, it.is_object};
}

/* False: not found by the table, which has one of equal names only. */
static bool step_by_table(const PointerIndex *index, const Json *json,
                          const PointerTable *table, JsonId id, Step *step)
{
    uint32_t lo = table->first, hi = lo + table->count;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        const PointerKid *kid = &index->kids.at[mid];
        JsonId begin = kid->key == JSON_NONE ? kid->value : kid->key;
        *(begin <= id ? &lo : &hi) = mid;
    }
    const PointerKid *kid = &index->kids.at[lo];
    *step = (Step){kid->value, json_string(json, kid->key), lo - table->first,
                   kid->key != JSON_NONE};
    return kid->value <= id && id < json_end(json, kid->value);
}

void pointer_write(Out *out, PointerIndex *index, const Json *json, JsonId id)
{
    for (JsonId at = JSON_ROOT; at != id;) {
        Step step;
        const PointerTable *table =
            index && is_large(json, at) ? table_of(index, json, at) : NULL;
        if (!table || !step_by_table(index, json, table, id, &step))
            step = step_by_scan(json, at, id);
        if (step.is_object)
            pointer_write_name(out, step.name);
        else
            out_format(out, "/%u", step.number);
        at = step.value;
    }
}
