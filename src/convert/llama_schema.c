/* llama_schema.c: a schema becomes a rule: which keyword decides, and what of
 * it is kept.
 *
 * Method: the cases of a table are tried in order; the first that applies makes
 *         the rule, and all other keywords are ignored.
 * Cost:   recursion as deep as the schema is nested, references followed, at
 *         most DEEPEST.
 * Tests:  unit/convert_llama_test.c, cli/convert_cli_test.py
 */
#include <stdio.h>

#include "convert/doc_write.h"
#include "convert/llama.h"
#include "convert/machine_number.h"

enum { DEEPEST = 1000 };

/* ---- failures ---- */

bool llama_work(Llama *c, uint64_t steps)
{
    c->work += steps;
    if (c->work > c->limits->max_work)
        diag_fail(c->err, WEIR_LIMIT_WORK, 0, 0,
                  "found more than %llu steps of work (limit max_work)",
                  (unsigned long long)c->limits->max_work);
    return llama_ok(c);
}

bool llama_stop(Llama *c, JsonId at, const char *message)
{
    Span text = json_spelling(&c->doc.json, at);
    size_t begin = json_offset(&c->doc.json, at);
    return diag_fail(c->err, WEIR_SYNTAX, begin, begin + text.size, "%s",
                     message);
}

bool llama_stop_kind(Llama *c, JsonId at, const char *wanted)
{
    static const char *const kinds[] = {"null",    "null",   "boolean",
                                        "boolean", "number", "string",
                                        "array",   "object"};
    char message[96];
    snprintf(message, sizeof message,
             "[json.exception.type_error.302] type must be %s, but is %s",
             wanted, kinds[json_kind(&c->doc.json, at)]);
    return llama_stop(c, at, message);
}

static void keep(Llama *c, SpanList *list, size_t from)
{
    Span message = scratch_take(&c->text, from);
    if (!vec_push(c->mem, list, message)) diag_no_memory(c->err);
}

void llama_complain(Llama *c, weir_status status, JsonId at, size_t from)
{
    size_t begin = json_offset(&c->doc.json, at);
    if (!c->complaints.count) {
        c->first.status = status;
        c->first.begin = (uint32_t)begin;
        c->first.end = (uint32_t)(begin + json_spelling(&c->doc.json, at).size);
    }
    keep(c, &c->complaints, from);
}

void llama_warn(Llama *c, size_t from)
{
    keep(c, &c->warnings, from);
}

/* ---- values of keywords ---- */

bool llama_string(Llama *c, JsonId id, Span *text)
{
    *text = json_string(&c->doc.json, id);
    return json_kind(&c->doc.json, id) == JSON_STRING ||
           llama_stop_kind(c, id, "string");
}

static MachineNumber number_at(const Llama *c, JsonId id)
{
    return machine_number(json_spelling(&c->doc.json, id));
}

/* A number of items or characters; `otherwise` for JSON_NONE. */
static bool read_count(Llama *c, JsonId id, int32_t otherwise, int32_t *count)
{
    JsonKind kind = json_kind(&c->doc.json, id);
    *count = otherwise;
    if (kind == JSON_NUMBER)
        *count = machine_number_i32(number_at(c, id));
    else if (kind == JSON_TRUE || kind == JSON_FALSE)
        *count = kind == JSON_TRUE;
    else if (kind != JSON_MISSING)
        return llama_stop_kind(c, id, "number");
    return true;
}

/* A bound of integers, moved by `step` if it is the exclusive one; `otherwise`
 * if there is neither. */
static bool read_bound(Llama *c, JsonId plain, JsonId exclusive, int step,
                       int64_t otherwise, int64_t *bound)
{
    JsonId id = plain != JSON_NONE ? plain : exclusive;
    *bound = otherwise;
    if (id == JSON_NONE) return true;
    if (json_kind(&c->doc.json, id) != JSON_NUMBER)
        return llama_stop_kind(c, id, "number");
    uint64_t value = (uint64_t)machine_number_i64(number_at(c, id));
    if (id != plain) value += (uint64_t)(int64_t)step;
    *bound = (int64_t)value;
    return true;
}

/* ---- one schema ---- */

typedef struct Visit {
    Llama *c;
    JsonId id, type; /* type: as it counts, JSON_NONE if absent or null */
    bool is_retyped;
    Span name; /* of the place */
    Span rule; /* to be made */
} Visit;

static JsonId get(const Visit *v, const char *keyword)
{
    return doc_text_get(&v->c->doc, v->id, keyword);
}

static bool type_is(const Visit *v, const char *type)
{
    return json_is_string(&v->c->doc.json, v->type, type);
}

static bool type_may_be(const Visit *v, const char *type)
{
    return v->type == JSON_NONE || type_is(v, type);
}

static size_t begin(const Visit *v)
{
    return scratch_begin(&v->c->text);
}

static void put(const Visit *v, const char *text)
{
    scratch_text(&v->c->text, text);
}

static bool done(const Visit *v, size_t from, Span *made)
{
    *made = llama_rule(v->c, v->rule, from);
    return true;
}

/* The rule is another one's name. */
static bool done_as(const Visit *v, Span other, Span *made)
{
    *made = llama_rule_of(v->c, v->rule, other);
    return true;
}

static bool visit_ref(const Visit *v, Span *made)
{
    Llama *c = v->c;
    Span text;
    JsonId id = get(v, "$ref");
    if (id == JSON_NONE) return false;
    LlamaRef *ref = llama_string(c, id, &text) ? llama_ref_get(c, text) : NULL;
    if (!ref) return true;
    uint32_t index = (uint32_t)(ref - c->refs.at);
    const uint8_t *hash = text.size ? memchr(text.at, '#', text.size) : NULL;
    size_t head = hash ? (size_t)(hash - text.at) + 1 : 0;
    size_t from = begin(v);
    put(v, "ref");
    llama_name(c, span_of(text.at + head, text.size - head));
    Span name = scratch_take(&c->text, from);
    if (!ref->is_open && !llama_has_rule(c, name)) {
        ref->is_open = true;
        name = llama_visit(c, (LlamaSchema){ref->target, JSON_NONE}, name);
        c->refs.at[index].is_open = false;
    }
    return done_as(v, name, made);
}

/* One of several schemas: the items of `list`, or this schema with each of them
 * as its type. */
static bool make_union(const Visit *v, JsonId list, bool is_types, Span *made)
{
    Llama *c = v->c;
    size_t from = begin(v);
    for (DocIter it = doc_iter(&c->doc, list); llama_ok(c) && doc_step(&it);) {
        char part[32];
        snprintf(part, sizeof part, v->name.size ? "%u" : "alternative-%u",
                 it.position);
        LlamaSchema schema = {is_types ? v->id : it.value,
                              is_types ? it.value : JSON_NONE};
        Span rule = llama_visit(c, schema, llama_path(c, v->name, part));
        if (it.position) put(v, " | ");
        scratch_add(&c->text, rule);
    }
    return done(v, from, made);
}

static bool visit_union(const Visit *v, Span *made)
{
    JsonId list = get(v, "oneOf");
    if (list == JSON_NONE) list = get(v, "anyOf");
    return list != JSON_NONE && make_union(v, list, false, made);
}

static bool visit_types(const Visit *v, Span *made)
{
    return json_kind(&v->c->doc.json, v->type) == JSON_ARRAY &&
           make_union(v, v->type, true, made);
}

static bool visit_const(const Visit *v, Span *made)
{
    JsonId value = get(v, "const");
    size_t from = begin(v);
    if (value == JSON_NONE) return false;
    llama_value(v->c, value);
    return done(v, from, made);
}

static bool visit_enum(const Visit *v, Span *made)
{
    Llama *c = v->c;
    JsonId list = get(v, "enum");
    size_t from = begin(v);
    if (list == JSON_NONE) return false;
    put(v, "(");
    for (DocIter it = doc_iter(&c->doc, list); llama_ok(c) && doc_step(&it);) {
        if (it.position) put(v, " | ");
        llama_value(c, it.value);
    }
    put(v, ")");
    return done(v, from, made);
}

static bool visit_object(const Visit *v, Span *made)
{
    JsonId more = get(v, "additionalProperties");
    bool says_more =
        more != JSON_NONE && json_kind(&v->c->doc.json, more) != JSON_TRUE;
    if (!type_may_be(v, "object")) return false;
    if (get(v, "properties") == JSON_NONE && !says_more) return false;
    *made = llama_object(v->c, v->id, v->name, v->rule);
    return true;
}

static bool visit_all_of(const Visit *v, Span *made)
{
    if (!type_may_be(v, "object") && !type_is(v, "string")) return false;
    if (get(v, "allOf") == JSON_NONE) return false;
    *made = llama_all_of(v->c, v->id, v->name, v->rule);
    return true;
}

static void put_tuple(const Visit *v, JsonId items)
{
    Llama *c = v->c;
    for (DocIter it = doc_iter(&c->doc, items); llama_ok(c) && doc_step(&it);) {
        char part[32];
        snprintf(part, sizeof part, "tuple-%u", it.position);
        if (it.position) put(v, " \",\" space ");
        scratch_add(&c->text, llama_visit(c, (LlamaSchema){it.value, JSON_NONE},
                                          llama_path(c, v->name, part)));
    }
}

static void put_items(const Visit *v, JsonId items)
{
    Llama *c = v->c;
    int32_t lo, hi = LLAMA_INF;
    Span item = llama_visit(c, (LlamaSchema){items, JSON_NONE},
                            llama_path(c, v->name, "item"));
    JsonId most = get(v, "maxItems");
    bool has_most = json_kind(&c->doc.json, most) == JSON_NUMBER &&
                    number_at(c, most).is_whole;
    if (!read_count(c, get(v, "minItems"), 0, &lo)) return;
    if (has_most && !read_count(c, most, LLAMA_INF, &hi)) return;
    llama_repeat(c, item, lo, hi, "\",\" space");
}

static bool visit_array(const Visit *v, Span *made)
{
    JsonId items = get(v, "items");
    if (items == JSON_NONE) items = get(v, "prefixItems");
    if (items == JSON_NONE || !type_may_be(v, "array")) return false;
    size_t from = begin(v);
    put(v, "\"[\" space ");
    if (json_kind(&v->c->doc.json, items) == JSON_ARRAY)
        put_tuple(v, items);
    else
        put_items(v, items);
    put(v, " space \"]\"");
    return done(v, from, made);
}

static bool visit_pattern(const Visit *v, Span *made)
{
    Span pattern;
    JsonId id = get(v, "pattern");
    if (id == JSON_NONE || !type_may_be(v, "string")) return false;
    if (llama_string(v->c, id, &pattern))
        *made = llama_pattern(v->c, id, pattern, v->rule);
    return true;
}

static bool is_root(const Visit *v)
{
    return span_equal(v->rule, SPAN("root"));
}

static bool visit_format(const Visit *v, Span *made)
{
    Llama *c = v->c;
    Span format;
    JsonId id = get(v, "format");
    if (id == JSON_NONE || !type_may_be(v, "string")) return false;
    if (!llama_string(c, id, &format)) return true;
    bool is_uuid = span_equal(format, SPAN("uuid")) ||
                   (format.size == 5 && span_starts(format, SPAN("uuid")) &&
                    format.at[4] >= '1' && format.at[4] <= '5');
    if (is_uuid) {
        *made = llama_fixed(c, is_root(v) ? v->rule : format, "uuid");
        return true;
    }
    static const char *const texts[] = {"date-string", "time-string",
                                        "date-time-string"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        size_t size = strlen(texts[i]) - strlen("-string");
        if (span_equal(format, span_of(texts[i], size)))
            return done_as(v, llama_fixed(c, span_text(texts[i]), texts[i]),
                           made);
    }
    return false;
}

static bool visit_lengths(const Visit *v, Span *made)
{
    Llama *c = v->c;
    int32_t lo, hi;
    JsonId least = get(v, "minLength"), most = get(v, "maxLength");
    if (!type_is(v, "string")) return false;
    if (least == JSON_NONE && most == JSON_NONE) return false;
    Span item = llama_fixed(c, SPAN("char"), "char");
    if (!read_count(c, least, 0, &lo)) return true;
    if (!read_count(c, most, LLAMA_INF, &hi)) return true;
    size_t from = begin(v);
    put(v, "\"\\\"\" ");
    llama_repeat(c, item, lo, hi, NULL);
    put(v, " \"\\\"\"");
    return done(v, from, made);
}

static bool visit_bounds(const Visit *v, Span *made)
{
    Llama *c = v->c;
    int64_t lo, hi;
    JsonId lo_id = get(v, "minimum"), hi_id = get(v, "maximum");
    JsonId over = get(v, "exclusiveMinimum"),
           under = get(v, "exclusiveMaximum");
    if (!type_is(v, "integer")) return false;
    if ((lo_id & hi_id & over & under) == JSON_NONE) return false;
    if (!read_bound(c, lo_id, over, 1, INT64_MIN, &lo)) return true;
    if (!read_bound(c, hi_id, under, -1, INT64_MAX, &hi)) return true;
    size_t from = begin(v);
    put(v, "(");
    llama_integers(c, v->id, lo, hi);
    put(v, ")");
    return done(v, from, made);
}

/* An empty schema is an object, any other without a type any value. */
static bool visit_untyped(const Visit *v, Span *made)
{
    const Json *json = &v->c->doc.json;
    JsonKind kind = json_kind(json, v->id);
    bool is_container = kind == JSON_OBJECT || kind == JSON_ARRAY;
    bool is_empty =
        kind <= JSON_NULL || (is_container && !json_count(json, v->id));
    const char *any = is_empty || type_is(v, "object")              ? "object"
                      : kind == JSON_OBJECT && v->type == JSON_NONE ? "value"
                                                                    : NULL;
    return any && done_as(v, llama_fixed(v->c, span_text(any), any), made);
}

static bool visit_fixed(const Visit *v, Span *made)
{
    Llama *c = v->c;
    Span type = json_string(&c->doc.json, v->type);
    const LlamaFixed *fixed = type.size ? llama_fixed_find(type) : NULL;
    if (!fixed || !fixed->is_type) return false;
    *made = llama_fixed(c, is_root(v) ? v->rule : type, fixed->name);
    return true;
}

static bool refuse(const Visit *v, Span *made)
{
    size_t from = begin(v);
    put(v, "Unrecognized schema: ");
    doc_write(&v->c->doc, v->id, v->is_retyped ? v->type : JSON_NONE,
              &v->c->text);
    llama_complain(v->c, WEIR_UNSUPPORTED, v->id, from);
    *made = SPAN("");
    return true;
}

Span llama_visit(Llama *c, LlamaSchema schema, Span name)
{
    static bool (*const cases[])(const Visit *v, Span *made) = {
        visit_ref,     visit_union,  visit_types,   visit_const,   visit_enum,
        visit_object,  visit_all_of, visit_array,   visit_pattern, visit_format,
        visit_lengths, visit_bounds, visit_untyped, visit_fixed,   refuse};
    Span made = SPAN("");
    if (!llama_work(c, 32)) return made;
    if (c->depth == MIN(c->limits->max_depth, (uint32_t)DEEPEST)) {
        size_t at = json_offset(&c->doc.json, schema.id);
        diag_fail(c->err, WEIR_LIMIT_DEPTH, at, at,
                  "found schemas nested deeper than %u (limit max_depth, at "
                  "most %d)",
                  c->depth, DEEPEST);
        return made;
    }
    c->depth++;
    Visit v = {.c = c, .id = schema.id, .name = name};
    v.is_retyped = schema.type != JSON_NONE;
    v.type =
        v.is_retyped ? schema.type : doc_text_get(&c->doc, schema.id, "type");
    if (json_kind(&c->doc.json, v.type) == JSON_NULL) v.type = JSON_NONE;
    v.rule = name.size ? name : SPAN("root");
    if (llama_fixed_find(name) || span_equal(name, SPAN("root"))) {
        size_t from = begin(&v);
        scratch_add(&c->text, name);
        put(&v, "-");
        v.rule = scratch_take(&c->text, from);
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (cases[i](&v, &made)) break;
    c->depth--;
    return made;
}
