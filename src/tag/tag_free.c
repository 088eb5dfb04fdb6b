/* tag_free.c: formats with free text: any_text, triggered_tags, dispatch, and
 * the older form, which is a triggered_tags.
 *
 * Tags become branches of one TagText (syntax/tag_text.h): the trigger is its
 * tag, what the tags of that trigger have left is the tag's body.
 */
#include "syntax/tag_text.h"
#include "tag/tag_format.h"

/* ---- the text between ---- */

/* Tags of one kind. */
typedef struct TagList {
    Span *tags;
    NodeId *bodies;
    uint32_t count;
} TagList;

/* Free text in the making: tags after which there is free text again, then
 * those that are the last. */
typedef struct FreeText {
    TagText text;
    TagList more, last;
} FreeText;

static bool list_begin(Tags *t, TagList *list, size_t room)
{
    list->tags = arena_array(&t->arena, Span, room);
    list->bodies = arena_array(&t->arena, NodeId, room);
    return (list->tags && list->bodies) || tag_no_memory(t);
}

static void put_tag(TagList *list, Span tag, NodeId body)
{
    list->tags[list->count] = tag;
    list->bodies[list->count++] = body;
}

/* room: tags of each kind. */
static bool free_begin(Tags *t, FreeText *f, uint32_t room)
{
    return list_begin(t, &f->more, 2 * (size_t)room) &&
           list_begin(t, &f->last, room);
}

/* The texts of the member excludes, and `more`. */
static bool read_excludes(Tags *t, const At *at, TextList more, TagText *text)
{
    TextList own;
    if (!tag_words(t, at, "excludes", 0, &own)) return false;
    size_t count = (size_t)own.count + more.count;
    Span *all = arena_array(&t->arena, Span, count);
    if (!all) return tag_no_memory(t);
    for (size_t i = 0; i < count; i++)
        all[i] = i < own.count ? own.at[i] : more.at[i - own.count];
    text->excludes = all;
    text->nexcludes = (uint32_t)count;
    return true;
}

/* The expression: free text without what is excluded and without the ends of
 * the scope, up to these if they follow. */
static NodeId free_end(Tags *t, const At *at, Scope scope, FreeText *f)
{
    const TagEnds *ends = scope.ends;
    JsonNode range = t->json.nodes.at[at->id];
    TextList none = {NULL, 0};
    f->text.begin = range.begin;
    f->text.end = range.end;
    f->text.nloop = f->more.count;
    for (uint32_t i = 0; i < f->last.count; i++)
        put_tag(&f->more, f->last.tags[i], f->last.bodies[i]);
    f->text.tags = f->more.tags;
    f->text.bodies = f->more.bodies;
    f->text.ntags = f->more.count;
    f->text.is_open = !ends || !scope.is_last || ends->may_be_empty;
    if (!ir_ok(t->ir) ||
        !read_excludes(t, at, ends && !scope.is_last ? ends->texts : none,
                       &f->text))
        return NODE_NEVER_ID;
    if (ends && scope.is_last) {
        f->text.ends = ends->texts.at;
        f->text.closings = ends->closings;
        f->text.nends = ends->texts.count;
        f->text.other_last = ir_alt2(t->ir, f->text.other_last, ends->others);
    }
    return tag_text_compile(t->ir, &f->text);
}

NodeId tag_any_text(Tags *t, const At *at, Scope scope)
{
    RuleOptions budget = {0};
    FreeText f = {.text.budget = &budget};
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
    if (is_none) return tag_closed(t, NODE_EMPTY_ID, scope);
    return free_begin(t, &f, 0) ? free_end(t, at, scope, &f) : NODE_NEVER_ID;
}

/* ---- tags with triggers ---- */

/* A tag: what is left of it after its begin. */
typedef struct Row {
    Span begin;
    TagRest after;
    uint32_t trigger, next; /* the next row of that trigger */
} Row;

typedef struct Triggers {
    TextList texts;
    uint32_t *first; /* by trigger: its last row, or PREFIX_NONE */
    Row *rows;
    uint32_t nrows;
    PrefixSet set;
    NodeId *scratch; /* by row */
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
    SchemaUse use = {.opts = t->opts->schema, .space = t->opts->space};
    NodeId node = tag_schema(t, is_any ? NULL : &schema, &use);
    row->after = (TagRest){ir_seq2(t->ir, node, tag_marker(t, &end_at, end)),
                           NODE_NEVER_ID};
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

/* Of what follows the begin of tags, `more` or `last`. */
static NodeId rest_of(const Row *r, bool is_last)
{
    return is_last ? r->after.last : r->after.more;
}

/* What may follow a trigger: the rest of one of its tags. */
static NodeId trigger_body(Tags *t, const At *at, const Triggers *all,
                           uint32_t trigger, bool is_last)
{
    uint32_t n = 0;
    size_t size = all->texts.at[trigger].size;
    for (uint32_t i = all->first[trigger]; i != PREFIX_NONE;
         i = all->rows[i].next) {
        const Row *r = &all->rows[i];
        Span rest = span_of(r->begin.at + size, r->begin.size - size);
        all->scratch[n++] =
            ir_seq2(t->ir, tag_marker(t, at, rest), rest_of(r, is_last));
    }
    return ir_alt(t->ir, all->scratch, n);
}

/* Whole tags, each: by a control token in its trigger; or in any way. */
static NodeId by_tokens(Tags *t, const At *at, const Triggers *all,
                        bool is_last)
{
    for (uint32_t i = 0; i < all->nrows; i++) {
        const Row *r = &all->rows[i];
        size_t size = all->texts.at[r->trigger].size;
        all->scratch[i] =
            ir_seq2(t->ir, tag_marker_tokens(t, at, r->begin, size),
                    rest_of(r, is_last));
    }
    return ir_alt(t->ir, all->scratch, all->nrows);
}

static NodeId any_tag(Tags *t, const At *at, const Triggers *all, bool is_last)
{
    for (uint32_t i = 0; i < all->nrows; i++)
        all->scratch[i] = ir_seq2(t->ir, tag_marker(t, at, all->rows[i].begin),
                                  rest_of(&all->rows[i], is_last));
    return ir_alt(t->ir, all->scratch, all->nrows);
}

/* Free text with the tags of all triggers. A trigger of tags that run on stands
 * twice, as a tag that is the last, too. */
static NodeId with_tags(Tags *t, const At *at, Scope scope, const Triggers *all,
                        bool is_loop)
{
    FreeText f = {.more = {NULL, NULL, 0}};
    if (!free_begin(t, &f, all->texts.count)) return NODE_NEVER_ID;
    for (uint32_t i = 0; i < all->texts.count; i++) {
        NodeId more = trigger_body(t, at, all, i, false);
        NodeId last = trigger_body(t, at, all, i, true);
        if (!is_loop) last = ir_alt2(t->ir, more, last);
        if (is_loop) put_tag(&f.more, all->texts.at[i], more);
        if (!is_loop || last != NODE_NEVER_ID)
            put_tag(&f.last, all->texts.at[i], tag_closed(t, last, scope));
    }
    NodeId more = by_tokens(t, at, all, false);
    NodeId last = by_tokens(t, at, all, true);
    if (is_loop)
        f.text.other_more = more;
    else
        last = ir_alt2(t->ir, more, last);
    f.text.other_last = tag_closed(t, last, scope);
    return free_end(t, at, scope, &f);
}

/* Triggers that no tag begins with: one warning, at the first. */
static void warn_of_unused(Tags *t, const At *at, const Triggers *all)
{
    At triggers = at_member(t, at, "triggers"), first = triggers;
    JsonIter it = json_iter(&t->json, triggers.id);
    uint32_t count = 0;
    for (uint32_t i = 0; json_step(&it); i++)
        if (all->first[i] == PREFIX_NONE && !count++)
            first = at_item(&triggers, it.value, i);
    if (count == 1)
        tag_warn(t, &first,
                 "found a trigger that no tag begins with: it can never be "
                 "written");
    if (count > 1)
        tag_warn(t, &first,
                 "found %u triggers that no tag begins with: they can never be "
                 "written; the first",
                 count);
}

typedef struct Switches {
    bool at_least_one, stop_after_first;
} Switches;

static NodeId combine(Tags *t, const At *at, Scope scope, Triggers *all,
                      Switches s)
{
    all->scratch = arena_array(&t->arena, NodeId, all->nrows);
    if (!all->scratch) return tag_no_memory(t), NODE_NEVER_ID;
    warn_of_unused(t, at, all);
    if (!s.at_least_one)
        return with_tags(t, at, scope, all, !s.stop_after_first);
    NodeId more = any_tag(t, at, all, false);
    NodeId last = tag_closed(t, any_tag(t, at, all, true), scope);
    more = s.stop_after_first
               ? tag_closed(t, more, scope)
               : ir_seq2(t->ir, more, with_tags(t, at, scope, all, true));
    return ir_alt2(t->ir, more, last);
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

typedef struct DispatchRules {
    FreeText f;
    bool is_loop;
    NodeId *more, *last; /* by rule: ways to write it with a control token */
} DispatchRules;

/* One of the rules: [text, format]. A format that runs on is the last. */
static bool read_rule(Tags *t, const At *rule, Scope scope, DispatchRules *d)
{
    At pair[2];
    Span tag;
    uint32_t i = rule->index;
    if (!tag_pair(t, rule, pair) || !tag_word(t, &pair[0], &tag)) return false;
    bool is_last = !d->is_loop || tag_is_open(t, &pair[1]);
    NodeId body =
        tag_format(t, &pair[1], is_last ? scope : scope_before(scope));
    NodeId token = tag_marker_tokens(t, &pair[0], tag, tag.size);
    put_tag(is_last ? &d->f.last : &d->f.more, tag, body);
    d->more[i] = d->last[i] = NODE_NEVER_ID;
    *(is_last ? &d->last[i] : &d->more[i]) = ir_seq2(t->ir, token, body);
    return ir_ok(t->ir);
}

NodeId tag_dispatch(Tags *t, const At *at, Scope scope)
{
    At rules;
    uint32_t count, i = 0;
    DispatchRules d = {.is_loop = true};
    if (!tag_flag(t, at, "loop", &d.is_loop) ||
        !tag_array(t, at, "rules", 1, &rules, &count) ||
        !free_begin(t, &d.f, count))
        return NODE_NEVER_ID;
    d.more = arena_array(&t->arena, NodeId, count);
    d.last = arena_array(&t->arena, NodeId, count);
    if (!d.more || !d.last) return tag_no_memory(t), NODE_NEVER_ID;
    for (JsonIter it = json_iter(&t->json, rules.id); json_step(&it); i++) {
        At item = at_item(&rules, it.value, i);
        if (!read_rule(t, &item, scope, &d)) return NODE_NEVER_ID;
    }
    d.f.text.other_more = ir_alt(t->ir, d.more, count);
    d.f.text.other_last = ir_alt(t->ir, d.last, count);
    return free_end(t, at, scope, &d.f);
}
