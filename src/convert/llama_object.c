/* llama_object.c: members of objects; allOf, which is read as an object.
 *
 * A body has the required members in the order of the schema, then the optional
 * ones: an alternative for each that may be the first of them, followed by a
 * rule for what may come after it. Additional members come last, any number of
 * them; their names are any strings but those declared, by a tree of the bytes
 * of these.
 * The parts of an allOf give their properties to one object, or their values to
 * one choice.
 * Cost:  linear in the text made, but for sorting.
 * Tests: unit/convert_llama_test.c
 */
#include <stdlib.h>

#include "convert/doc_write.h"
#include "convert/llama.h"

typedef struct Property {
    Span name;
    JsonId schema;
    uint32_t first; /* of the name: its index */
    bool is_required;
    bool is_many; /* any number of them: see ANY_NAME */
    Span pair;    /* rule of name and value */
    Span rest;    /* rule of what may follow it, if optional and not the last */
} Property;

/* Additional members are one more property of this name, and llama.cpp takes a
 * property that is really called so for them. */
#define ANY_NAME SPAN("*")

typedef struct Object {
    Llama *c;
    Span name, rule;
    VEC(Property) properties;
    Map index; /* names -> first property */
} Object;

/* ---- the properties ---- */

static uint64_t name_hash(Span name)
{
    return hash_bytes(3, name.at, name.size);
}

static Property *find(const Object *o, Span name)
{
    uint64_t hash = name_hash(name);
    for (MapPos p = map_first(&o->index, hash); p.value != MAP_NONE;
         p = map_next(&o->index, hash, p)) {
        assert(o->properties.at && p.value < o->properties.count);
        if (span_equal(o->properties.at[p.value].name, name))
            return &o->properties.at[p.value];
    }
    return NULL;
}

static void declare(Object *o, Span name, JsonId schema, bool is_required)
{
    const Mem *mem = o->c->mem;
    uint32_t count = o->properties.count;
    Property *first = find(o, name);
    Property p = {.name = name, .schema = schema, .is_required = is_required};
    p.is_many = span_equal(name, ANY_NAME);
    p.first = first ? first->first : count;
    if (first) first->is_required |= is_required;
    if (!vec_push(mem, &o->properties, p) ||
        (!first && !map_add(mem, &o->index, name_hash(name), count)))
        diag_no_memory(o->c->err);
}

/* The items of an array count as members named by their positions. */
static void declare_all(Object *o, JsonId properties, bool is_required)
{
    Llama *c = o->c;
    DocIter it = doc_iter(&c->doc, properties);
    bool is_array = json_kind(&c->doc.json, properties) == JSON_ARRAY;
    while (llama_work(c, 1) && doc_step(&it)) {
        size_t from = scratch_begin(&c->text);
        if (is_array) scratch_number(&c->text, it.position);
        Span position = scratch_take(&c->text, from);
        declare(o, is_array ? position : it.name, it.value, is_required);
    }
}

static void require(Object *o, JsonId list)
{
    const Json *json = &o->c->doc.json;
    if (json_kind(json, list) != JSON_ARRAY) return;
    for (JsonIter it = json_iter(json, list); json_step(&it);) {
        bool is_name = json_kind(json, it.value) == JSON_STRING;
        Property *p = is_name ? find(o, json_string(json, it.value)) : NULL;
        if (p) p->is_required = true;
    }
}

/* ---- pieces ---- */

static void put(const Object *o, const char *text)
{
    scratch_text(&o->c->text, text);
}

static void add(const Object *o, Span text)
{
    scratch_add(&o->c->text, text);
}

static void put_path(const Object *o, Span part)
{
    add(o, o->name);
    if (o->name.size) put(o, "-");
    add(o, part);
}

/* path of a member's value, or of a rule that belongs to the member */
static Span member_path(const Object *o, Span part, const char *tail)
{
    size_t from = scratch_begin(&o->c->text);
    put_path(o, part);
    put(o, tail);
    return scratch_take(&o->c->text, from);
}

/* ---- names that are not declared ---- */

static int name_order(const void *left, const void *right)
{
    Span a = *(const Span *)left, b = *(const Span *)right;
    for (size_t i = 0; i < a.size && i < b.size; i++)
        if (a.at[i] != b.at[i])
            return (int8_t)a.at[i] < (int8_t)b.at[i] ? -1 : 1;
    return (a.size > b.size) - (a.size < b.size);
}

/* Names [begin, end) share their first `depth` bytes, and that is all that has
 * been written of them. */
typedef struct Branch {
    uint32_t begin, end;
    size_t depth;
    uint32_t next; /* names before it are written */
} Branch;

typedef struct NameTree {
    Object *o;
    Span *names; /* sorted, distinct */
    VEC(Branch) open;
} NameTree;

/* One past the names that have the byte of name `from` at `depth`. */
static uint32_t same_byte(const NameTree *t, const Branch *b, uint32_t from)
{
    uint32_t i = from;
    while (i < b->end &&
           t->names[i].at[b->depth] == t->names[from].at[b->depth])
        i++;
    return i;
}

static void open_branch(NameTree *t, Branch b)
{
    b.next = b.begin + (t->names[b.begin].size == b.depth);
    if (!vec_push(t->o->c->mem, &t->open, b)) diag_no_memory(t->o->c->err);
}

/* All other bytes, once all names of the branch are written. */
static void close_branch(NameTree *t, const Branch *b)
{
    Object *o = t->o;
    uint32_t first = b->begin + (t->names[b->begin].size == b->depth);
    put(o, " | [^\"");
    for (uint32_t i = first; i < b->end; i = same_byte(t, b, i))
        add(o, span_of(t->names[i].at + b->depth, 1));
    put(o, "] char*");
    if (b->depth) put(o, ")");
}

/* Writes the byte that comes next, and what follows it. */
static void write_branch(NameTree *t)
{
    Object *o = t->o;
    Branch *b = &t->open.at[t->open.count - 1];
    uint32_t first = b->begin + (t->names[b->begin].size == b->depth);
    uint32_t from = b->next, end = same_byte(t, b, from);
    size_t deeper = b->depth + 1;
    if (from > first) put(o, " | ");
    put(o, "[");
    add(o, span_of(t->names[from].at + b->depth, 1));
    put(o, "]");
    b->next = end;
    if (end == from + 1 && t->names[from].size == deeper) {
        put(o, " char+");
    } else {
        put(o, " (");
        open_branch(t, (Branch){from, end, deeper, from});
    }
}

static uint32_t distinct_names(const Object *o, Span *names)
{
    uint32_t count = 0, n = o->properties.count;
    for (uint32_t i = 0; i < n; i++) names[i] = o->properties.at[i].name;
    qsort(names, n, sizeof *names, name_order);
    for (uint32_t i = 0; i < n; i++)
        if (!i || !span_equal(names[i], names[count - 1]))
            names[count++] = names[i];
    return count;
}

static Span other_names(Object *o)
{
    Llama *c = o->c;
    llama_fixed(c, SPAN("char"), "char");
    size_t from = scratch_begin(&c->text);
    NameTree t = {.o = o};
    t.names = arena_array(&c->arena, Span, o->properties.count);
    if (!t.names) return SPAN("");
    uint32_t count = distinct_names(o, t.names);
    bool has_empty = t.names[0].size == 0;
    put(o, "[\"] ( ");
    if (count > has_empty) open_branch(&t, (Branch){0, count, 0, 0});
    while (t.open.count && llama_work(c, 1)) {
        Branch *b = &t.open.at[t.open.count - 1];
        if (b->next < b->end) {
            write_branch(&t);
        } else {
            close_branch(&t, b);
            t.open.count--;
        }
    }
    vec_free(c->mem, &t.open);
    put(o, has_empty ? " ) [\"]" : " )? [\"]");
    return llama_rule(c, member_path(o, SPAN("additional"), "-k"), from);
}

/* ---- members ---- */

static void make_pair(Object *o, Property *p)
{
    Llama *c = o->c;
    size_t from = scratch_begin(&c->text);
    Span path = member_path(o, p->name, "");
    Span value = llama_visit(c, (LlamaSchema){p->schema, JSON_NONE}, path);
    size_t key = scratch_begin(&c->text);
    doc_write_string(p->name, &c->text);
    Span text = scratch_take(&c->text, key);
    llama_literal(c, text);
    put(o, " space \":\" space ");
    add(o, value);
    p->pair = llama_rule(c, member_path(o, p->name, "-kv"), from);
}

/* Of properties with one name all mean the last. */
static void make_pairs(Object *o)
{
    for (uint32_t i = 0; i < o->properties.count && llama_ok(o->c); i++) {
        Property *p = &o->properties.at[i];
        p->is_required = o->properties.at[p->first].is_required;
        make_pair(o, p);
    }
}

/* additional: schema of further members, JSON_NONE for none at all. */
static void make_more(Object *o, JsonId additional)
{
    Llama *c = o->c;
    JsonKind kind = json_kind(&c->doc.json, additional);
    Span value, key;
    if (kind == JSON_OBJECT)
        value = llama_visit(c, (LlamaSchema){additional, JSON_NONE},
                            member_path(o, SPAN("additional"), "-value"));
    else if (kind == JSON_TRUE)
        value = llama_fixed(c, SPAN("value"), "value");
    else
        return;
    if (!llama_ok(c)) return;
    key = o->properties.count ? other_names(o)
                              : llama_fixed(c, SPAN("string"), "string");
    size_t from = scratch_begin(&c->text);
    add(o, key);
    put(o, " \":\" space ");
    add(o, value);
    Span pair = llama_rule(c, member_path(o, SPAN("additional"), "-kv"), from);
    declare(o, ANY_NAME, additional, false);
    if (llama_ok(c)) o->properties.at[o->properties.count - 1].pair = pair;
}

static void unite_pairs(Object *o)
{
    for (uint32_t i = 0; i < o->properties.count; i++)
        o->properties.at[o->properties.at[i].first].pair =
            o->properties.at[i].pair;
    for (uint32_t i = 0; i < o->properties.count; i++)
        o->properties.at[i].pair =
            o->properties.at[o->properties.at[i].first].pair;
}

static void put_next(const Object *o, const Property *p, const char *times)
{
    put(o, "( \",\" space ");
    add(o, p->pair);
    put(o, " )");
    put(o, times);
}

/* The rules of what may follow each optional member, from the last one back. */
static void make_rests(Object *o)
{
    Llama *c = o->c;
    const Property *next = NULL;
    for (uint32_t i = o->properties.count; i-- > 0 && llama_ok(c);) {
        Property *p = &o->properties.at[i];
        if (p->is_required) continue;
        if (next) {
            size_t from = scratch_begin(&c->text);
            put_next(o, next, next->is_many ? "*" : "?");
            if (next->rest.size) put(o, " ");
            add(o, next->rest);
            p->rest = llama_rule(c, member_path(o, p->name, "-rest"), from);
        }
        next = p;
    }
}

static bool put_required(const Object *o)
{
    bool has = false;
    for (uint32_t i = 0; i < o->properties.count; i++) {
        const Property *p = &o->properties.at[i];
        if (!p->is_required) continue;
        if (has) put(o, " \",\" space ");
        add(o, p->pair);
        has = true;
    }
    return has;
}

static bool has_optional(const Object *o)
{
    for (uint32_t i = 0; i < o->properties.count; i++)
        if (!o->properties.at[i].is_required) return true;
    return false;
}

static void put_optional(const Object *o)
{
    bool has = false;
    for (uint32_t i = 0; i < o->properties.count; i++) {
        const Property *p = &o->properties.at[i];
        if (p->is_required) continue;
        if (has) put(o, " | ");
        add(o, p->pair);
        if (p->is_many) {
            put(o, " ");
            put_next(o, p, "*");
        }
        if (p->rest.size) put(o, " ");
        add(o, p->rest);
        has = true;
    }
}

static Span make_object(Object *o, JsonId additional)
{
    Llama *c = o->c;
    make_pairs(o);
    make_more(o, additional);
    unite_pairs(o);
    make_rests(o);
    bool is_empty = !o->properties.count;
    size_t from = scratch_begin(&c->text);
    put(o, is_empty ? "\"{\" space" : "\"{\" space ");
    bool has_required = put_required(o);
    if (has_optional(o)) {
        put(o, has_required ? " ( \",\" space ( " : " (");
        put_optional(o);
        put(o, has_required ? " ) )?" : " )?");
    }
    put(o, is_empty ? " \"}\"" : " space \"}\"");
    return llama_rule(c, o->rule, from);
}

static void object_free(Object *o)
{
    vec_free(o->c->mem, &o->properties);
    map_free(o->c->mem, &o->index);
}

Span llama_object(Llama *c, JsonId schema, Span name, Span rule)
{
    Object o = {.c = c, .name = name, .rule = rule};
    declare_all(&o, doc_text_get(&c->doc, schema, "properties"), false);
    require(&o, doc_text_get(&c->doc, schema, "required"));
    Span made =
        make_object(&o, doc_text_get(&c->doc, schema, "additionalProperties"));
    object_free(&o);
    return made;
}

/* ---- allOf ---- */

typedef struct Value {
    Span text;      /* as a literal */
    uint32_t count; /* in how many lists it stands */
} Value;

typedef struct AllOf {
    Object o;
    VEC(Value) values;
    Map values_index;
} AllOf;

static void count_value(AllOf *all, Span text)
{
    Llama *c = all->o.c;
    uint64_t hash = name_hash(text);
    for (MapPos p = map_first(&all->values_index, hash); p.value != MAP_NONE;
         p = map_next(&all->values_index, hash, p)) {
        assert(p.value < all->values.count && all->values.at);
        if (span_equal(all->values.at[p.value].text, text)) {
            all->values.at[p.value].count++;
            return;
        }
    }
    if (!vec_push(c->mem, &all->values, (Value){text, 1}) ||
        !map_add(c->mem, &all->values_index, hash, all->values.count - 1))
        diag_no_memory(c->err);
}

/* What a reference leads to in the end; JSON_NONE for nothing. */
static JsonId follow(Llama *c, JsonId schema)
{
    JsonId ref_id = doc_text_get(&c->doc, schema, "$ref");
    uint32_t hops = 0;
    while (ref_id != JSON_NONE) {
        Span text;
        LlamaRef *ref =
            llama_string(c, ref_id, &text) ? llama_ref_get(c, text) : NULL;
        if (!ref) return JSON_NONE;
        if (hops++ == c->refs.count) {
            llama_stop(c, ref_id, "found a reference that leads to itself");
            return JSON_NONE;
        }
        schema = ref->target;
        ref_id = doc_text_get(&c->doc, schema, "$ref");
    }
    return schema;
}

static void add_part(AllOf *all, JsonId schema, bool is_required)
{
    Llama *c = all->o.c;
    schema = follow(c, schema);
    JsonId properties = doc_text_get(&c->doc, schema, "properties");
    JsonId values = doc_text_get(&c->doc, schema, "enum");
    if (properties != JSON_NONE) {
        declare_all(&all->o, properties, is_required);
        return;
    }
    if (values == JSON_NONE) return;
    for (DocIter it = doc_iter(&c->doc, values);
         llama_work(c, 1) && doc_step(&it);) {
        size_t from = scratch_begin(&c->text);
        llama_value(c, it.value);
        count_value(all, scratch_take(&c->text, from));
    }
}

static int value_order(const void *left, const void *right)
{
    return span_compare(((const Value *)left)->text,
                        ((const Value *)right)->text);
}

/* The values that stand in `lists` lists, as a body; false if there is none. */
static bool put_values(AllOf *all, uint32_t lists)
{
    Object *o = &all->o;
    bool has = false;
    if (all->values.count)
        qsort(all->values.at, all->values.count, sizeof *all->values.at,
              value_order);
    for (uint32_t i = 0; i < all->values.count; i++) {
        const Value *v = &all->values.at[i];
        if (v->count != lists) continue;
        put(o, has ? " | " : "(");
        add(o, v->text);
        has = true;
    }
    if (has) put(o, ")");
    return has;
}

Span llama_all_of(Llama *c, JsonId schema, Span name, Span rule)
{
    AllOf all = {.o = {.c = c, .name = name, .rule = rule}};
    uint32_t parts = 0;
    DocIter it = doc_iter(&c->doc, doc_text_get(&c->doc, schema, "allOf"));
    for (; llama_work(c, 1) && doc_step(&it); parts++) {
        JsonId any = doc_text_get(&c->doc, it.value, "anyOf");
        if (any == JSON_NONE) {
            add_part(&all, it.value, true);
            continue;
        }
        for (DocIter one = doc_iter(&c->doc, any);
             llama_work(c, 1) && doc_step(&one);)
            add_part(&all, one.value, false);
    }
    size_t from = scratch_begin(&c->text);
    Span made = put_values(&all, parts) ? llama_rule(c, rule, from)
                                        : make_object(&all.o, JSON_NONE);
    object_free(&all.o);
    vec_free(c->mem, &all.values);
    map_free(c->mem, &all.values_index);
    return made;
}
