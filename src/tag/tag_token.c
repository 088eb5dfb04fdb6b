/* tag_token.c: formats on tokens.
 *
 * Tokens have no inside, so nothing here needs an automaton: free tokens are a
 * set without the triggers and the end.
 */
#include "tag/tag_format.h"

#include <stdlib.h>

/* ---- token ids ---- */

bool tag_token_id(Tags *t, const At *at, Range *id)
{
    uint32_t value;
    bool is_text = at_kind(t, at) == JSON_STRING;
    if (!is_text && at_kind(t, at) != JSON_NUMBER)
        return tag_wrong(t, at, "a token: its id or its text");
    Span text = is_text ? json_string(&t->json, at->id)
                        : json_spelling(&t->json, at->id);
    int shown = (int)MIN(text.size, 40);
    if (is_text && !t->opts->token)
        return tag_fail(t, at, WEIR_UNSUPPORTED,
                        "found a token by its text, which needs a vocabulary");
    if (is_text) {
        value = t->opts->token(t->opts->user, text);
        if (value == TAG_NO_TOKEN)
            return tag_fail(t, at, WEIR_UNDEFINED,
                            "found token \"%.*s\", which the vocabulary does "
                            "not have",
                            shown, (const char *)text.at);
    } else if (!json_u32(&t->json, at->id, &value) || value > INT32_MAX ||
               (t->opts->width && value >= t->opts->width)) {
        return tag_fail(t, at, WEIR_SYNTAX,
                        "found token id %.*s, expected a whole number below "
                        "%u",
                        shown, (const char *)text.at,
                        t->opts->width ? t->opts->width : 1u << 31);
    }
    *id = (Range){value, value};
    return true;
}

/* Ids, with room for those that a caller adds. */
typedef struct Ids {
    Range *at;
    uint32_t count;
} Ids;

static bool read_ids(Tags *t, const At *up, const char *key, uint32_t least,
                     uint32_t room, Ids *ids)
{
    At array;
    uint32_t count;
    *ids = (Ids){NULL, 0};
    if (!tag_array(t, up, key, least, &array, &count)) return false;
    ids->at = arena_array(&t->arena, Range, (size_t)count + room);
    if (!ids->at) return tag_no_memory(t);
    for (JsonIter it = json_iter(&t->json, array.id); json_step(&it);) {
        At item = at_item(&array, it.value, ids->count);
        if (!tag_token_id(t, &item, &ids->at[ids->count])) return false;
        ids->count++;
    }
    return true;
}

/* Any token but those of `ids`, which has room for one more, and the scope's
 * end. */
static NodeId other_token(Tags *t, Ids *ids, Scope scope)
{
    if (scope.ends && scope.ends->has_id)
        ids->at[ids->count++] = scope.ends->id;
    return ir_tokens(t->ir, ids->at, ids->count, true);
}

/* ---- one token, any tokens ---- */

NodeId tag_token(Tags *t, const At *at, Scope scope)
{
    Range id;
    At token = at_member(t, at, "token");
    if (!tag_token_id(t, &token, &id)) return NODE_NEVER_ID;
    return tag_closed(t, ir_tokens(t->ir, &id, 1, false), scope);
}

NodeId tag_exclude_token(Tags *t, const At *at, Scope scope)
{
    Ids ids;
    if (!read_ids(t, at, "exclude_tokens", 0, 1, &ids)) return NODE_NEVER_ID;
    return tag_closed(t, other_token(t, &ids, scope), scope);
}

NodeId tag_any_tokens(Tags *t, const At *at, Scope scope)
{
    Ids ids;
    bool has;
    uint32_t most = REPEAT_INF;
    if (!read_ids(t, at, "exclude_tokens", 0, 1, &ids) ||
        !tag_count(t, at, "max_tokens", INT32_MAX, &has, &most))
        return NODE_NEVER_ID;
    NodeId other = other_token(t, &ids, scope);
    return tag_closed(t, ir_repeat(t->ir, other, 0, most), scope);
}

/* ---- tokens that hand over ---- */

static int range_order(const void *x, const void *y)
{
    uint32_t a = ((const Range *)x)->lo, b = ((const Range *)y)->lo;
    return (a > b) - (a < b);
}

static bool has_id(const Ids *sorted, Range id)
{
    return sorted->count && bsearch(&id, sorted->at, sorted->count,
                                    sizeof *sorted->at, range_order);
}

static void sort_ids(Ids *ids)
{
    if (ids->count) qsort(ids->at, ids->count, sizeof *ids->at, range_order);
}

/* Free tokens in which a trigger's token hands over to its body. */
typedef struct TokenText {
    Ids triggers, excludes;
    NodeId more; /* the tokens with their bodies */
    NodeId last; /* those that run on: nothing is free after them */
    bool is_loop;
} TokenText;

static NodeId free_tokens(Tags *t, TokenText *text, Scope scope)
{
    Ir *ir = t->ir;
    uint32_t count = text->triggers.count + text->excludes.count;
    Ids all = {arena_array(&t->arena, Range, (size_t)count + 1), 0};
    if (!all.at) return tag_no_memory(t), NODE_NEVER_ID;
    for (; all.count < text->triggers.count; all.count++)
        all.at[all.count] = text->triggers.at[all.count];
    for (uint32_t i = 0; i < text->excludes.count; i++)
        all.at[all.count++] = text->excludes.at[i];
    NodeId free = ir_repeat(ir, other_token(t, &all, scope), 0, REPEAT_INF);
    NodeId last = text->last, more = NODE_EMPTY_ID;
    if (text->is_loop)
        more = ir_repeat(ir, ir_seq2(ir, text->more, free), 0, REPEAT_INF);
    else
        last = ir_alt2(ir, last, text->more);
    return tag_closed(t, IR_SEQ(ir, free, more, ir_optional(ir, last)), scope);
}

/* A trigger that is excluded could never be written. */
static bool check_excludes(Tags *t, const At *at, TokenText *text)
{
    sort_ids(&text->excludes);
    for (uint32_t i = 0; i < text->triggers.count; i++)
        if (has_id(&text->excludes, text->triggers.at[i]))
            return tag_fail(t, at, WEIR_SYNTAX,
                            "found token id %u both excluded and as a trigger",
                            text->triggers.at[i].lo);
    return true;
}

static bool read_token_tag(Tags *t, const At *tag, const Ids *triggers,
                           NodeId *more, NodeId *last)
{
    Range id;
    At begin = at_member(t, tag, "begin"), inner = *tag;
    inner.depth++;
    if (!tag_is_tag(t, tag)) return false;
    if (at_kind(t, &begin) != JSON_OBJECT)
        return tag_wrong(t, &begin, "a token, as the tags here begin with one");
    if (!tag_token_object(t, &begin, &id)) return false;
    if (!has_id(triggers, id))
        return tag_fail(t, &begin, WEIR_SYNTAX,
                        "found a begin, token id %u, that is none of the "
                        "triggers",
                        id.lo);
    NodeId token = ir_tokens(t->ir, &id, 1, false);
    TagRest rest = tag_after_begin(t, &inner);
    *more = ir_seq2(t->ir, token, rest.more);
    *last = ir_seq2(t->ir, token, rest.last);
    return ir_ok(t->ir);
}

/* Arrays for the two kinds of bodies. */
typedef struct Bodies {
    NodeId *more, *last;
} Bodies;

static bool bodies_begin(Tags *t, Bodies *b, uint32_t count)
{
    b->more = arena_array(&t->arena, NodeId, count);
    b->last = arena_array(&t->arena, NodeId, count);
    return (b->more && b->last) || tag_no_memory(t);
}

static void bodies_end(Tags *t, const Bodies *b, uint32_t count,
                       TokenText *text)
{
    text->more = ir_alt(t->ir, b->more, count);
    text->last = ir_alt(t->ir, b->last, count);
}

static bool read_token_tags(Tags *t, const At *at, TokenText *text)
{
    At tags;
    Bodies b;
    uint32_t count, i = 0;
    if (!read_ids(t, at, "trigger_tokens", 1, 0, &text->triggers) ||
        !read_ids(t, at, "exclude_tokens", 0, 0, &text->excludes) ||
        !check_excludes(t, at, text) ||
        !tag_array(t, at, "tags", 1, &tags, &count) ||
        !bodies_begin(t, &b, count))
        return false;
    sort_ids(&text->triggers);
    for (JsonIter it = json_iter(&t->json, tags.id); json_step(&it); i++) {
        At item = at_item(&tags, it.value, i);
        if (!read_token_tag(t, &item, &text->triggers, &b.more[i], &b.last[i]))
            return false;
    }
    bodies_end(t, &b, count, text);
    return true;
}

NodeId tag_token_triggered(Tags *t, const At *at, Scope scope)
{
    TokenText text = {.is_loop = true};
    bool at_least_one = false, stop_after_first = false;
    if (!tag_flag(t, at, "at_least_one", &at_least_one) ||
        !tag_flag(t, at, "stop_after_first", &stop_after_first) ||
        !read_token_tags(t, at, &text))
        return NODE_NEVER_ID;
    text.is_loop = !stop_after_first;
    NodeId last = tag_closed(t, text.last, scope);
    if (!at_least_one) return free_tokens(t, &text, scope);
    NodeId more = stop_after_first
                      ? tag_closed(t, text.more, scope)
                      : ir_seq2(t->ir, text.more, free_tokens(t, &text, scope));
    return ir_alt2(t->ir, more, last);
}

/* One of the rules: [token, format]. */
static bool read_token_rule(Tags *t, const At *rule, Scope scope,
                            TokenText *text, NodeId *more, NodeId *last)
{
    At pair[2];
    Range *id = &text->triggers.at[text->triggers.count];
    if (!tag_pair(t, rule, pair) || !tag_token_id(t, &pair[0], id))
        return false;
    text->triggers.count++;
    bool is_last = tag_is_open(t, &pair[1]);
    NodeId body = tag_format(t, &pair[1], scope_before(scope));
    body = ir_seq2(t->ir, ir_tokens(t->ir, id, 1, false), body);
    *more = is_last ? NODE_NEVER_ID : body;
    *last = is_last ? body : NODE_NEVER_ID;
    return ir_ok(t->ir);
}

NodeId tag_token_dispatch(Tags *t, const At *at, Scope scope)
{
    At rules;
    Bodies b;
    uint32_t count, i = 0;
    TokenText text = {.is_loop = true};
    if (!tag_flag(t, at, "loop", &text.is_loop) ||
        !read_ids(t, at, "exclude_tokens", 0, 0, &text.excludes) ||
        !tag_array(t, at, "rules", 1, &rules, &count) ||
        !bodies_begin(t, &b, count))
        return NODE_NEVER_ID;
    text.triggers.at = arena_array(&t->arena, Range, count);
    if (!text.triggers.at) return tag_no_memory(t), NODE_NEVER_ID;
    for (JsonIter it = json_iter(&t->json, rules.id); json_step(&it); i++) {
        At rule = at_item(&rules, it.value, i);
        if (!read_token_rule(t, &rule, scope, &text, &b.more[i], &b.last[i]))
            return NODE_NEVER_ID;
    }
    bodies_end(t, &b, count, &text);
    if (!check_excludes(t, at, &text)) return NODE_NEVER_ID;
    return free_tokens(t, &text, scope);
}
