/* tag_format.c: which format an object is, and the formats that are made of
 * others: sequence, or, optional, star, plus, repeat, tag,
 * tags_with_separator.
 *
 * Recursion: formats inside each other, at most TAG_MAX_DEPTH of them.
 */
#include "tag/tag_format.h"

/* ---- kinds ---- */

static NodeId const_string(Tags *t, const At *at, Scope scope);
static NodeId sequence(Tags *t, const At *at, Scope scope);
static NodeId any_of(Tags *t, const At *at, Scope scope);
static NodeId optional(Tags *t, const At *at, Scope scope);
static NodeId star(Tags *t, const At *at, Scope scope);
static NodeId plus(Tags *t, const At *at, Scope scope);
static NodeId repeat(Tags *t, const At *at, Scope scope);
static NodeId tag(Tags *t, const At *at, Scope scope);
static NodeId tags_with_separator(Tags *t, const At *at, Scope scope);

typedef struct Kind {
    const char *name;
    const char *needed, *others; /* fields, with blanks between */
    NodeId (*make)(Tags *t, const At *at, Scope scope);
} Kind;

/* An object without a type is the first that all its fields belong to and that
 * lacks none. */
static const Kind kinds[] = {
    {"tag", "begin content end", "", tag},
    {"const_string", "value", "", const_string},
    {"json_schema", "json_schema", "style any_order max_whitespace_cnt",
     tag_json_schema},
    {"any_text", "", "excludes max_tokens max_chars", tag_any_text},
    {"sequence", "elements", "", sequence},
    {"or", "elements", "", any_of},
    {"triggered_tags", "triggers tags",
     "at_least_one stop_after_first excludes", tag_triggered},
    {"tags_with_separator", "tags separator", "at_least_one stop_after_first",
     tags_with_separator},
    {"grammar", "grammar", "", tag_grammar},
    {"regex", "pattern", "", tag_regex},
    {"optional", "content", "", optional},
    {"plus", "content", "", plus},
    {"star", "content", "", star},
    {"repeat", "min max content", "", repeat},
    {"dispatch", "rules", "loop excludes", tag_dispatch},
    {"token", "token", "", tag_token},
    {"exclude_token", "", "exclude_tokens", tag_exclude_token},
    {"any_tokens", "", "exclude_tokens max_tokens", tag_any_tokens},
    {"token_triggered_tags", "trigger_tokens tags",
     "exclude_tokens at_least_one stop_after_first", tag_token_triggered},
    {"token_dispatch", "rules", "loop exclude_tokens", tag_token_dispatch},
    {"qwen_xml_parameter", "json_schema", "", tag_xml_parameter},
};

/* The next word of a list of fields; empty: no more. */
static Span next_word(const char **list)
{
    Span word = span_of(*list, strcspn(*list, " "));
    *list += word.size + ((*list)[word.size] == ' ');
    return word;
}

static bool has_word(const char *list, Span word)
{
    for (Span w; (w = next_word(&list)).size;)
        if (span_equal(w, word)) return true;
    return false;
}

static bool has_field(const Kind *k, Span name)
{
    return span_equal(name, SPAN("type")) || has_word(k->needed, name) ||
           has_word(k->others, name);
}

/* The needed field that is not there, or the given one that is not known. */
static Span missing_field(const Tags *t, const At *at, const Kind *k)
{
    const char *needed = k->needed;
    for (Span w; (w = next_word(&needed)).size;)
        if (!json_kind(&t->json, json_get_span(&t->json, at->id, w))) return w;
    return (Span){NULL, 0};
}

static JsonId unknown_field(const Tags *t, const At *at, const Kind *k)
{
    for (JsonIter it = json_iter(&t->json, at->id); json_step(&it);)
        if (!has_field(k, it.key)) return it.key_id;
    return JSON_NONE;
}

static bool unexpected_field(Tags *t, const At *at, JsonId field,
                             const char *what, const char *known,
                             const char *others)
{
    Span name = json_string(&t->json, field);
    tag_fail(t, at, WEIR_SYNTAX, "found \"%.*s\" in %s, expected %s%s%s",
             (int)MIN(name.size, 40), (const char *)name.at, what, known,
             *known && *others ? " " : "", others);
    t->ir->error.begin = t->json.nodes.at[field].begin;
    t->ir->error.end = t->json.nodes.at[field].end;
    return false;
}

static bool check_fields(Tags *t, const At *at, const Kind *k)
{
    Span missing = missing_field(t, at, k);
    JsonId unknown = unknown_field(t, at, k);
    if (missing.size)
        return tag_fail(t, at, WEIR_SYNTAX,
                        "found no %.*s in a format of type %s, which needs it",
                        (int)missing.size, (const char *)missing.at, k->name);
    return unknown == JSON_NONE ||
           unexpected_field(t, at, unknown, k->name, k->needed, k->others);
}

bool tag_known_members(Tags *t, const At *at, const char *what,
                       const char *known)
{
    for (JsonIter it = json_iter(&t->json, at->id); json_step(&it);)
        if (!has_word(known, it.key))
            return unexpected_field(t, at, it.key_id, what, known, "");
    return true;
}

static const Kind *kind_by_fields(Tags *t, const At *at)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!missing_field(t, at, &kinds[i]).size &&
            unknown_field(t, at, &kinds[i]) == JSON_NONE)
            return &kinds[i];
    tag_fail(t, at, WEIR_SYNTAX,
             "found an object without type whose members are those of no "
             "format, expected a type");
    return NULL;
}

/* The kind, its fields checked; NULL after an error. */
static const Kind *kind_of(Tags *t, const At *at)
{
    if (at_kind(t, at) != JSON_OBJECT) {
        tag_wrong(t, at, "a format: an object");
        return NULL;
    }
    At type = at_member(t, at, "type");
    Span name;
    if (at_absent(t, &type)) return kind_by_fields(t, at);
    if (!tag_text(t, &type, &name)) return NULL;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (span_equal(name, span_text(kinds[i].name)))
            return check_fields(t, at, &kinds[i]) ? &kinds[i] : NULL;
    tag_fail(t, &type, WEIR_SYNTAX,
             "found type \"%.*s\", expected one of the formats, such as "
             "sequence, tag or any_text",
             (int)MIN(name.size, 40), (const char *)name.at);
    return NULL;
}

static bool is_too_deep(Tags *t, const At *at)
{
    if (at->depth <= TAG_MAX_DEPTH) return false;
    tag_fail(t, at, WEIR_LIMIT_DEPTH,
             "found formats nested more than %u deep, the most there may be",
             TAG_MAX_DEPTH);
    return true;
}

NodeId tag_format(Tags *t, const At *at, Scope scope)
{
    At inner = *at;
    inner.depth++;
    if (!ir_ok(t->ir) || is_too_deep(t, at)) return NODE_NEVER_ID;
    const Kind *kind = kind_of(t, at);
    if (!kind) return NODE_NEVER_ID;
    NodeId node = kind->make(t, &inner, scope);
    tag_place(t, at);
    return node;
}

bool tag_is_tag(Tags *t, const At *at)
{
    At type = at_member(t, at, "type");
    if (!ir_ok(t->ir) || is_too_deep(t, at)) return false;
    if (at_kind(t, at) != JSON_OBJECT)
        return tag_wrong(t, at, "a tag: an object");
    if (!at_absent(t, &type) && !json_is_string(&t->json, type.id, "tag"))
        return tag_fail(t, &type, WEIR_SYNTAX,
                        "found another type, expected \"tag\"");
    return check_fields(t, at, &kinds[0]);
}

bool tag_pair(Tags *t, const At *at, At pair[2])
{
    uint32_t n = 0;
    if (at_kind(t, at) != JSON_ARRAY || json_count(&t->json, at->id) != 2)
        return tag_wrong(t, at, "an array of two items, [what, format]");
    for (JsonIter it = json_iter(&t->json, at->id); json_step(&it); n++)
        pair[n] = at_item(at, it.value, n);
    return true;
}

/* ---- formats of others ---- */

static NodeId const_string(Tags *t, const At *at, Scope scope)
{
    Span text;
    At value = at_member(t, at, "value");
    if (!tag_text(t, &value, &text)) return NODE_NEVER_ID;
    return tag_closed(t, tag_marker(t, text), scope);
}

static NodeId sequence(Tags *t, const At *at, Scope scope)
{
    At elements;
    uint32_t count, i = 0;
    NodeId all = NODE_EMPTY_ID;
    if (!tag_array(t, at, "elements", 1, &elements, &count))
        return NODE_NEVER_ID;
    for (JsonIter it = json_iter(&t->json, elements.id); json_step(&it); i++) {
        At item = at_item(&elements, it.value, i);
        Scope inner = i + 1 < count ? scope_before(scope) : scope;
        all = ir_seq2(t->ir, all, tag_format(t, &item, inner));
    }
    return all;
}

static NodeId any_of(Tags *t, const At *at, Scope scope)
{
    At elements;
    uint32_t count, i = 0;
    if (!tag_array(t, at, "elements", 1, &elements, &count))
        return NODE_NEVER_ID;
    NodeId *nodes = arena_array(&t->arena, NodeId, count);
    if (!nodes) return tag_no_memory(t), NODE_NEVER_ID;
    for (JsonIter it = json_iter(&t->json, elements.id); json_step(&it); i++) {
        At item = at_item(&elements, it.value, i);
        nodes[i] = tag_format(t, &item, scope);
    }
    return ir_alt(t->ir, nodes, count);
}

static NodeId optional(Tags *t, const At *at, Scope scope)
{
    At content = at_member(t, at, "content");
    NodeId node = tag_format(t, &content, scope);
    return ir_alt2(t->ir, node, tag_closed(t, NODE_EMPTY_ID, scope));
}

static NodeId repeated(Tags *t, const At *at, Scope scope, uint32_t lo,
                       uint32_t hi)
{
    At content = at_member(t, at, "content");
    NodeId node = tag_format(t, &content, scope_before(scope));
    return tag_closed(t, ir_repeat(t->ir, node, lo, hi), scope);
}

static NodeId star(Tags *t, const At *at, Scope scope)
{
    return repeated(t, at, scope, 0, REPEAT_INF);
}

static NodeId plus(Tags *t, const At *at, Scope scope)
{
    return repeated(t, at, scope, 1, REPEAT_INF);
}

static bool repeat_bounds(Tags *t, const At *at, uint32_t *lo, uint32_t *hi)
{
    bool has;
    At max = at_member(t, at, "max");
    double top = 0;
    if (!tag_count(t, at, "min", INT32_MAX, &has, lo)) return false;
    At min = at_member(t, at, "min");
    if (!has) return tag_wrong(t, &min, "a whole number");
    if (json_double(&t->json, max.id, &top) && top == -1) {
        *hi = REPEAT_INF;
        return true;
    }
    if (!tag_count(t, at, "max", INT32_MAX, &has, hi)) return false;
    if (!has) return tag_wrong(t, &max, "a whole number, or -1 for no limit");
    return *lo <= *hi ||
           tag_fail(t, &max, WEIR_SYNTAX,
                    "found max %u below min %u, expected it not to be", *hi,
                    *lo);
}

static NodeId repeat(Tags *t, const At *at, Scope scope)
{
    uint32_t lo, hi;
    if (!repeat_bounds(t, at, &lo, &hi)) return NODE_NEVER_ID;
    return repeated(t, at, scope, lo, hi);
}

/* ---- tag ---- */

bool tag_token_object(Tags *t, const At *at, Range *id)
{
    const Kind *kind = kind_of(t, at);
    if (!kind) return false;
    if (kind->make != tag_token)
        return tag_fail(t, at, WEIR_SYNTAX,
                        "found format %s, expected a string or a token",
                        kind->name);
    At token = at_member(t, at, "token");
    return tag_token_id(t, &token, id);
}

static NodeId begin_node(Tags *t, const At *at)
{
    Range id;
    Span text;
    At begin = at_member(t, at, "begin");
    if (at_kind(t, &begin) == JSON_OBJECT)
        return tag_token_object(t, &begin, &id)
                   ? ir_tokens(t->ir, &id, 1, false)
                   : NODE_NEVER_ID;
    return tag_text(t, &begin, &text) ? tag_marker(t, text) : NODE_NEVER_ID;
}

static bool push_end(Tags *t, const At *at, TagEnds *ends)
{
    Span text;
    if (!tag_text(t, at, &text)) return false;
    ends->may_be_empty |= !text.size;
    if (!text.size) return true;
    uint32_t i = ends->texts.count++;
    ends->texts.at[i] = text;
    ends->closings[i] = ir_bytes(t->ir, text);
    NodeId tokens = tag_marker_tokens(t, text, text.size);
    ends->others = ir_alt2(t->ir, ends->others, tokens);
    return true;
}

static bool text_ends(Tags *t, const At *end, TagEnds *ends)
{
    bool is_list = at_kind(t, end) == JSON_ARRAY;
    uint32_t count = is_list ? json_count(&t->json, end->id) : 1, i = 0;
    if (!count)
        return tag_fail(t, end, WEIR_SYNTAX,
                        "found an empty array, expected at least one end");
    ends->texts.at = arena_array(&t->arena, Span, count);
    ends->closings = arena_array(&t->arena, NodeId, count);
    if (!ends->texts.at || !ends->closings) return tag_no_memory(t);
    if (!is_list) return push_end(t, end, ends);
    for (JsonIter it = json_iter(&t->json, end->id); json_step(&it); i++) {
        At item = at_item(end, it.value, i);
        if (!push_end(t, &item, ends)) return false;
    }
    return true;
}

static bool read_ends(Tags *t, const At *at, TagEnds *ends)
{
    At end = at_member(t, at, "end");
    *ends = (TagEnds){.others = NODE_NEVER_ID};
    if (at_kind(t, &end) == JSON_OBJECT) {
        if (!tag_token_object(t, &end, &ends->id)) return false;
        ends->has_id = true;
        ends->others = ends->all = ir_tokens(t->ir, &ends->id, 1, false);
        return true;
    }
    if (at_kind(t, &end) != JSON_ARRAY && at_kind(t, &end) != JSON_STRING)
        return tag_wrong(t, &end, "a string, an array of them or a token");
    if (!text_ends(t, &end, ends)) return false;
    ends->all = ir_alt(t->ir, ends->closings, ends->texts.count);
    ends->all = ir_alt2(t->ir, ends->all, ends->others);
    if (ends->may_be_empty) ends->all = ir_optional(t->ir, ends->all);
    return true;
}

NodeId tag_after_begin(Tags *t, const At *at)
{
    TagEnds ends;
    At content = at_member(t, at, "content");
    if (!read_ends(t, at, &ends)) return NODE_NEVER_ID;
    return tag_format(t, &content, (Scope){&ends, true});
}

static NodeId tag(Tags *t, const At *at, Scope scope)
{
    NodeId begin = begin_node(t, at);
    return tag_closed(t, ir_seq2(t->ir, begin, tag_after_begin(t, at)), scope);
}

/* ---- tags_with_separator ---- */

static NodeId tags_with_separator(Tags *t, const At *at, Scope scope)
{
    At tags, separator = at_member(t, at, "separator");
    uint32_t count, i = 0;
    bool at_least_one = false, stop_after_first = false;
    Span text;
    if (!tag_array(t, at, "tags", 1, &tags, &count) ||
        !tag_text(t, &separator, &text) ||
        !tag_flag(t, at, "at_least_one", &at_least_one) ||
        !tag_flag(t, at, "stop_after_first", &stop_after_first))
        return NODE_NEVER_ID;
    NodeId *nodes = arena_array(&t->arena, NodeId, count);
    if (!nodes) return tag_no_memory(t), NODE_NEVER_ID;
    for (JsonIter it = json_iter(&t->json, tags.id); json_step(&it); i++) {
        At item = at_item(&tags, it.value, i);
        nodes[i] = tag_is_tag(t, &item)
                       ? tag_format(t, &item, (Scope){NULL, false})
                       : NODE_NEVER_ID;
    }
    NodeId one = ir_alt(t->ir, nodes, count);
    NodeId next = ir_seq2(t->ir, tag_marker(t, text), one);
    NodeId all =
        stop_after_first
            ? one
            : ir_seq2(t->ir, one, ir_repeat(t->ir, next, 0, REPEAT_INF));
    if (!at_least_one) all = ir_optional(t->ir, all);
    return tag_closed(t, all, scope);
}
