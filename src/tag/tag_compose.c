/* tag_compose.c: formats that are made of others: sequence, or, optional, star,
 * plus, repeat; and const_string.
 */
#include "tag/tag_format.h"

NodeId tag_const_string(Tags *t, const At *at, Scope scope)
{
    Span text;
    At value = at_member(t, at, "value");
    if (!tag_text(t, &value, &text)) return NODE_NEVER_ID;
    return tag_closed(t, tag_marker(t, &value, text), scope);
}

/* The elements as nodes, in the scratch arena; the last is in `scope`, those
 * before it in `before`. NULL after an error. */
static NodeId *read_elements(Tags *t, const At *at, Scope before, Scope scope,
                             uint32_t *count)
{
    At elements;
    uint32_t i = 0;
    if (!tag_array(t, at, "elements", 1, &elements, count)) return NULL;
    NodeId *nodes = arena_array(&t->arena, NodeId, *count);
    if (!nodes) return tag_no_memory(t), NULL;
    for (JsonIter it = json_iter(&t->json, elements.id); json_step(&it); i++) {
        At item = at_item(&elements, it.value, i);
        nodes[i] = tag_format(t, &item, i + 1 < *count ? before : scope);
    }
    return nodes;
}

NodeId tag_sequence(Tags *t, const At *at, Scope scope)
{
    uint32_t count;
    NodeId *nodes = read_elements(t, at, scope_before(scope), scope, &count);
    return nodes ? ir_seq(t->ir, nodes, count) : NODE_NEVER_ID;
}

NodeId tag_any_of(Tags *t, const At *at, Scope scope)
{
    uint32_t count;
    NodeId *nodes = read_elements(t, at, scope, scope, &count);
    return nodes ? ir_alt(t->ir, nodes, count) : NODE_NEVER_ID;
}

NodeId tag_optional(Tags *t, const At *at, Scope scope)
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

NodeId tag_star(Tags *t, const At *at, Scope scope)
{
    return repeated(t, at, scope, 0, REPEAT_INF);
}

NodeId tag_plus(Tags *t, const At *at, Scope scope)
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

NodeId tag_repeat(Tags *t, const At *at, Scope scope)
{
    uint32_t lo = 0, hi = 0;
    if (!repeat_bounds(t, at, &lo, &hi)) return NODE_NEVER_ID;
    return repeated(t, at, scope, lo, hi);
}
