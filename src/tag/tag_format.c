/* tag_format.c: which format an object is: its type, and the members that the
 * type knows.
 *
 * Recursion: formats inside each other, at most TAG_MAX_DEPTH of them.
 */
#include "tag/tag_format.h"

/* ---- kinds ---- */

typedef struct Kind {
    const char *name;
    const char *needed, *others; /* fields, with blanks between */
    NodeId (*make)(Tags *t, const At *at, Scope scope);
} Kind;

/* An object without a type is the first that all its fields belong to and that
 * lacks none. */
static const Kind kinds[] = {
    {"tag", "begin content end", "", tag_whole},
    {"const_string", "value", "", tag_const_string},
    {"json_schema", "json_schema", "style any_order max_whitespace_cnt",
     tag_json_schema},
    {"any_text", "", "excludes max_tokens max_chars", tag_any_text},
    {"sequence", "elements", "", tag_sequence},
    {"or", "elements", "", tag_any_of},
    {"triggered_tags", "triggers tags",
     "at_least_one stop_after_first excludes", tag_triggered},
    {"tags_with_separator", "tags separator", "at_least_one stop_after_first",
     tag_separated},
    {"grammar", "grammar", "", tag_grammar},
    {"regex", "pattern", "", tag_regex},
    {"optional", "content", "", tag_optional},
    {"plus", "content", "", tag_plus},
    {"star", "content", "", tag_star},
    {"repeat", "min max content", "", tag_repeat},
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

static bool member_is_open(Tags *t, const At *at, const char *key)
{
    At inner = at_member(t, at, key);
    inner.depth++;
    return tag_is_open(t, &inner);
}

/* Of a sequence the last element counts, of a choice any. */
static bool elements_are_open(Tags *t, const At *at, bool is_choice)
{
    At elements = at_member(t, at, "elements");
    At item = at_item(&elements, JSON_NONE, 0);
    bool is_open = false;
    item.depth++;
    for (JsonIter it = json_iter(&t->json, elements.id); json_step(&it);) {
        item.id = it.value;
        if (is_choice && !is_open) is_open = tag_is_open(t, &item);
    }
    if (is_choice || item.id == JSON_NONE) return is_open;
    return tag_is_open(t, &item);
}

bool tag_is_open(Tags *t, const At *at)
{
    if (!ir_ok(t->ir) || is_too_deep(t, at)) return false;
    const Kind *k = kind_of(t, at);
    if (!k) return false;
    if (k->make == tag_any_text) {
        At tokens = at_member(t, at, "max_tokens");
        At chars = at_member(t, at, "max_chars");
        return at_absent(t, &tokens) && at_absent(t, &chars);
    }
    if (k->make == tag_sequence || k->make == tag_any_of)
        return elements_are_open(t, at, k->make == tag_any_of);
    if (k->make == tag_optional) return member_is_open(t, at, "content");
    return k->make == tag_triggered || k->make == tag_dispatch;
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
