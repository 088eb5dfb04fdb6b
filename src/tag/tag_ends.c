/* tag_ends.c: tags: what they begin and end with; tags with a separator.
 */
#include "tag/tag_format.h"

/* ---- tag ---- */

static NodeId begin_node(Tags *t, const At *at)
{
    Range id;
    Span text;
    At begin = at_member(t, at, "begin");
    if (at_kind(t, &begin) == JSON_OBJECT)
        return tag_token_object(t, &begin, &id)
                   ? ir_tokens(t->ir, &id, 1, false)
                   : NODE_NEVER_ID;
    return tag_text(t, &begin, &text) ? tag_marker(t, &begin, text)
                                      : NODE_NEVER_ID;
}

/* By token: those ways of writing the end that have a control token. */
static bool push_end(Tags *t, const At *at, TagEnds *ends, NodeId *by_token)
{
    Span text;
    *by_token = NODE_NEVER_ID;
    if (!tag_text(t, at, &text)) return false;
    ends->may_be_empty |= !text.size;
    if (!text.size) return true;
    uint32_t i = ends->texts.count++;
    ends->texts.at[i] = text;
    ends->closings[i] = ir_bytes(t->ir, text);
    *by_token = tag_marker_tokens(t, at, text, text.size);
    return ir_ok(t->ir);
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
    NodeId *others = arena_array(&t->arena, NodeId, count);
    if (!ends->texts.at || !ends->closings || !others) return tag_no_memory(t);
    if (!is_list && !push_end(t, end, ends, others)) return false;
    for (JsonIter it = json_iter(&t->json, end->id); json_step(&it); i++) {
        At item = at_item(end, it.value, i);
        if (!push_end(t, &item, ends, &others[i])) return false;
    }
    ends->others = ir_alt(t->ir, others, count);
    return true;
}

/* Any of the ends that are not empty. */
static NodeId all_ends(Tags *t, const TagEnds *ends)
{
    NodeId texts = ir_alt(t->ir, ends->closings, ends->texts.count);
    return ir_alt2(t->ir, texts, ends->others);
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
    ends->all = all_ends(t, ends);
    if (ends->may_be_empty) ends->all = ir_optional(t->ir, ends->all);
    return true;
}

TagRest tag_after_begin(Tags *t, const At *at)
{
    TagEnds ends;
    TagRest rest = {NODE_NEVER_ID, NODE_NEVER_ID};
    At content = at_member(t, at, "content");
    if (!read_ends(t, at, &ends)) return rest;
    if (!ends.may_be_empty || !tag_is_open(t, &content)) {
        rest.more = tag_format(t, &content, (Scope){&ends, true});
        return rest;
    }
    rest.last = tag_format(t, &content, (Scope){&ends, false});
    ends.may_be_empty = false;
    ends.all = all_ends(t, &ends);
    if (ends.all != NODE_NEVER_ID)
        rest.more = tag_format(t, &content, (Scope){&ends, true});
    return rest;
}

NodeId tag_whole(Tags *t, const At *at, Scope scope)
{
    NodeId begin = begin_node(t, at);
    TagRest rest = tag_after_begin(t, at);
    NodeId after = ir_alt2(t->ir, rest.more, rest.last);
    return tag_closed(t, ir_seq2(t->ir, begin, after), scope);
}

/* ---- tags_with_separator ---- */

NodeId tag_separated(Tags *t, const At *at, Scope scope)
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
    NodeId next = ir_seq2(t->ir, tag_marker(t, &separator, text), one);
    NodeId all =
        stop_after_first
            ? one
            : ir_seq2(t->ir, one, ir_repeat(t->ir, next, 0, REPEAT_INF));
    if (!at_least_one) all = ir_optional(t->ir, all);
    return tag_closed(t, all, scope);
}
