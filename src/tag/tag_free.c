/* tag_free.c: formats with free text: any_text, triggered_tags, dispatch, and
 * the older form, which is a triggered_tags.
 *
 * Tags become branches of one TagText (syntax/tag_text.h): the trigger is its
 * tag, what the tags of that trigger have left is the tag's body.
 */
#include "syntax/tag_text.h"
#include "tag/tag_format.h"

/* ---- the text between ---- */

/* Adds what is excluded and the ends of the scope to a text. */
static bool add_ends(Tags *t, const At *at, Scope scope, TagText *text)
{
    TextList excludes;
    const TagEnds *ends = scope.ends;
    JsonNode range = t->json.nodes.at[at->id];
    text->begin = range.begin;
    text->end = range.end;
    text->is_open = !ends || !scope.is_last || ends->may_be_empty;
    if (!tag_words(t, at, "excludes", 0, &excludes)) return false;
    text->excludes = excludes.at;
    text->nexcludes = excludes.count;
    if (!ends) return true;
    if (scope.is_last) {
        text->ends = ends->texts.at;
        text->closings = ends->closings;
        text->nends = ends->texts.count;
        text->other_ends = ends->others;
        return true;
    }
    uint32_t count = excludes.count + ends->texts.count;
    Span *all = arena_array(&t->arena, Span, count);
    if (!all) return tag_no_memory(t);
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < excludes.count ? excludes.at[i]
                                    : ends->texts.at[i - excludes.count];
    text->excludes = all;
    text->nexcludes = count;
    return true;
}

static NodeId free_text(Tags *t, const At *at, Scope scope, TagText *text)
{
    if (!ir_ok(t->ir) || !add_ends(t, at, scope, text)) return NODE_NEVER_ID;
    return tag_text_compile(t->ir, text);
}

NodeId tag_any_text(Tags *t, const At *at, Scope scope)
{
    RuleOptions budget = {0};
    TagText text = {.budget = &budget};
    bool has_tokens, has_chars;
    if (!tag_count(t, at, "max_tokens", INT32_MAX, &has_tokens,
                   &budget.max_tokens) ||
        !tag_count(t, at, "max_chars", INT32_MAX, &has_chars,
                   &budget.max_chars))
        return NODE_NEVER_ID;
    if (has_tokens) budget.has |= RULE_HAS_MAX_TOKENS;
    if (has_chars) budget.has |= RULE_HAS_MAX_CHARS;
    bool is_none =
        (has_tokens && !budget.max_tokens) || (has_chars && !budget.max_chars);
    return is_none ? tag_closed(t, NODE_EMPTY_ID, scope)
                   : free_text(t, at, scope, &text);
}

/* ---- tags with triggers ---- */

/* A tag: what is left of it after its begin. */
typedef struct Row {
    Span begin;
    NodeId after;
    uint32_t trigger, next; /* the next row of that trigger */
} Row;

typedef struct Triggers {
    TextList texts;
    uint32_t *first; /* by trigger: its last row, or PREFIX_NONE */
    Row *rows;
    uint32_t nrows;
    PrefixSet set;
} Triggers;

static bool find_trigger(Tags *t, const At *tag, Triggers *all, uint32_t row)
{
    uint32_t count;
    Row *r = &all->rows[row];
    At begin = at_member(t, tag, "begin");
    r->trigger = prefix_set_find(&all->set, r->begin, &count);
    if (count > 1)
        return tag_fail(t, &begin, WEIR_SYNTAX,
                        "found a begin with %u triggers, expected exactly one "
                        "that it begins with",
                        count);
    if (!count)
        return tag_fail(t, &begin, WEIR_SYNTAX,
                        "found a begin with no trigger, expected one that it "
                        "begins with");
    r->next = all->first[r->trigger];
    all->first[r->trigger] = row;
    return true;
}

/* The text that a tag begins with. */
static bool read_begin(Tags *t, const At *tag, Span *text)
{
    At begin = at_member(t, tag, "begin");
    if (at_kind(t, &begin) == JSON_OBJECT)
        return tag_fail(t, &begin, WEIR_SYNTAX,
                        "found a token, expected a string that begins with a "
                        "trigger");
    return tag_word(t, &begin, text);
}

static bool read_tag(Tags *t, const At *tag, Row *row)
{
    At inner = *tag;
    inner.depth++;
    if (!tag_is_tag(t, tag) || !read_begin(t, tag, &row->begin)) return false;
    row->after = tag_after_begin(t, &inner);
    return ir_ok(t->ir);
}

/* {"begin", "schema", "end"} of the older form. */
static bool read_structure(Tags *t, const At *tag, Row *row)
{
    Span end;
    At schema = at_member(t, tag, "schema"), end_at = at_member(t, tag, "end");
    if (at_kind(t, tag) != JSON_OBJECT)
        return tag_wrong(t, tag, "a structure: an object");
    if (!tag_known_members(t, tag, "a structure", "begin schema end") ||
        !read_begin(t, tag, &row->begin) || !tag_text(t, &end_at, &end))
        return false;
    bool is_any = at_absent(t, &schema);
    if (is_any) tag_warn(t, tag, "found no schema, any JSON value will do");
    NodeId node =
        tag_schema(t, is_any ? NULL : &schema, t->opts->schema, t->opts->space);
    row->after = ir_seq2(t->ir, node, tag_marker(t, end));
    return ir_ok(t->ir);
}

typedef bool (*ReadRow)(Tags *t, const At *tag, Row *row);

static bool read_rows(Tags *t, const At *at, const char *key, ReadRow read,
                      Triggers *all)
{
    At tags;
    uint32_t count;
    if (!tag_words(t, at, "triggers", 1, &all->texts) ||
        !tag_array(t, at, key, 1, &tags, &count))
        return false;
    all->rows = arena_array(&t->arena, Row, count);
    all->first = arena_array(&t->arena, uint32_t, all->texts.count);
    if (!all->rows || !all->first) return tag_no_memory(t);
    for (uint32_t i = 0; i < all->texts.count; i++) {
        all->first[i] = PREFIX_NONE;
        if (!prefix_set_add(t->ir->mem, &all->set, all->texts.at[i]))
            return tag_no_memory(t);
    }
    for (JsonIter it = json_iter(&t->json, tags.id); json_step(&it);) {
        At item = at_item(&tags, it.value, all->nrows);
        if (!read(t, &item, &all->rows[all->nrows]) ||
            !find_trigger(t, &item, all, all->nrows++))
            return false;
    }
    return true;
}

/* What may follow a trigger: the rest of one of its tags. */
static NodeId trigger_body(Tags *t, const Triggers *all, uint32_t trigger,
                           NodeId *scratch)
{
    uint32_t n = 0;
    size_t size = all->texts.at[trigger].size;
    for (uint32_t i = all->first[trigger]; i != PREFIX_NONE;
         i = all->rows[i].next) {
        const Row *r = &all->rows[i];
        Span rest = span_of(r->begin.at + size, r->begin.size - size);
        scratch[n++] = ir_seq2(t->ir, tag_marker(t, rest), r->after);
    }
    return ir_alt(t->ir, scratch, n);
}

/* Whole tags, each: by a control token in its trigger; or in any way. */
static NodeId by_tokens(Tags *t, const Triggers *all, NodeId *scratch)
{
    for (uint32_t i = 0; i < all->nrows; i++) {
        const Row *r = &all->rows[i];
        size_t size = all->texts.at[r->trigger].size;
        scratch[i] =
            ir_seq2(t->ir, tag_marker_tokens(t, r->begin, size), r->after);
    }
    return ir_alt(t->ir, scratch, all->nrows);
}

static NodeId any_tag(Tags *t, const Triggers *all, NodeId *scratch)
{
    for (uint32_t i = 0; i < all->nrows; i++)
        scratch[i] = ir_seq2(t->ir, tag_marker(t, all->rows[i].begin),
                             all->rows[i].after);
    return ir_alt(t->ir, scratch, all->nrows);
}

/* Free text with the tags of all triggers. */
static NodeId with_tags(Tags *t, const At *at, Scope scope, const Triggers *all,
                        bool is_loop, NodeId *scratch)
{
    uint32_t count = all->texts.count;
    TagText text = {.tags = all->texts.at, .ntags = count, .is_loop = is_loop};
    NodeId *bodies = arena_array(&t->arena, NodeId, count);
    if (!bodies) return tag_no_memory(t), NODE_NEVER_ID;
    Scope after = is_loop ? scope_before(scope) : scope;
    for (uint32_t i = 0; i < count; i++)
        bodies[i] = tag_closed(t, trigger_body(t, all, i, scratch), after);
    text.bodies = bodies;
    text.other_tags = tag_closed(t, by_tokens(t, all, scratch), after);
    return free_text(t, at, scope, &text);
}

static void warn_of_unused(Tags *t, const At *at, const Triggers *all)
{
    At triggers = at_member(t, at, "triggers");
    JsonIter it = json_iter(&t->json, triggers.id);
    for (uint32_t i = 0; json_step(&it); i++) {
        At item = at_item(&triggers, it.value, i);
        if (all->first[i] == PREFIX_NONE)
            tag_warn(t, &item,
                     "found a trigger that no tag begins with: it can never "
                     "be written");
    }
}

typedef struct Switches {
    bool at_least_one, stop_after_first;
} Switches;

static NodeId combine(Tags *t, const At *at, Scope scope, const Triggers *all,
                      Switches s)
{
    NodeId *scratch = arena_array(&t->arena, NodeId, all->nrows);
    if (!scratch) return tag_no_memory(t), NODE_NEVER_ID;
    warn_of_unused(t, at, all);
    NodeId first = s.at_least_one ? any_tag(t, all, scratch) : NODE_EMPTY_ID;
    if (s.at_least_one && s.stop_after_first)
        return tag_closed(t, first, scope);
    return ir_seq2(t->ir, first,
                   with_tags(t, at, scope, all, !s.stop_after_first, scratch));
}

NodeId tag_triggered(Tags *t, const At *at, Scope scope)
{
    Triggers all = {0};
    Switches s = {false, false};
    NodeId node = NODE_NEVER_ID;
    if (tag_flag(t, at, "at_least_one", &s.at_least_one) &&
        tag_flag(t, at, "stop_after_first", &s.stop_after_first) &&
        read_rows(t, at, "tags", read_tag, &all))
        node = combine(t, at, scope, &all, s);
    prefix_set_free(t->ir->mem, &all.set);
    return node;
}

NodeId tag_structures(Tags *t, const At *at)
{
    Triggers all = {0};
    NodeId node = NODE_NEVER_ID;
    if (read_rows(t, at, "structures", read_structure, &all))
        node = combine(t, at, (Scope){NULL, false}, &all,
                       (Switches){false, false});
    prefix_set_free(t->ir->mem, &all.set);
    return node;
}

/* ---- dispatch ---- */

/* [text, format], item `i` of the rules. */
static bool read_rule(Tags *t, const At *rule, Scope scope, Span *tag,
                      NodeId *body)
{
    At pair[2];
    if (!tag_pair(t, rule, pair) || !tag_word(t, &pair[0], tag)) return false;
    *body = tag_format(t, &pair[1], scope);
    return ir_ok(t->ir);
}

NodeId tag_dispatch(Tags *t, const At *at, Scope scope)
{
    At rules;
    uint32_t count, i = 0;
    bool is_loop = true;
    if (!tag_flag(t, at, "loop", &is_loop) ||
        !tag_array(t, at, "rules", 1, &rules, &count))
        return NODE_NEVER_ID;
    TagText text = {.is_loop = is_loop, .ntags = count};
    Span *tags = arena_array(&t->arena, Span, count);
    NodeId *bodies = arena_array(&t->arena, NodeId, count);
    if (!tags || !bodies) return tag_no_memory(t), NODE_NEVER_ID;
    Scope inner = is_loop ? scope_before(scope) : scope;
    for (JsonIter it = json_iter(&t->json, rules.id); json_step(&it); i++) {
        At item = at_item(&rules, it.value, i);
        if (!read_rule(t, &item, inner, &tags[i], &bodies[i]))
            return NODE_NEVER_ID;
        NodeId by_token = tag_marker_tokens(t, tags[i], tags[i].size);
        text.other_tags = ir_alt2(t->ir, text.other_tags,
                                  ir_seq2(t->ir, by_token, bodies[i]));
    }
    text.tags = tags;
    text.bodies = bodies;
    return free_text(t, at, scope, &text);
}
