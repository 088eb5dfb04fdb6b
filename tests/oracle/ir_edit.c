/* ir_edit.c: copying an Ir through its builders, with one edit on the way.
 *
 * Method: nodes are copied from the root's rules down, each once, so that an
 *         edit of a node counts wherever the node stands. Recursion is on the
 *         depth of expressions, which are small here.
 * Tests:  prop/masks_vs_oracle_test.c uses copies in every case.
 */
#include "oracle/ir_edit.h"

#include <stdlib.h>

#define UNSEEN UINT32_MAX

typedef struct Copy {
    const Ir *from;
    Ir *to;
    Edit edit;
    NodeId *node;   /* by old node: the new one, or UNSEEN */
    RuleId *rule;   /* by old rule: the new one, or RULE_NONE */
    RuleId *source; /* by new rule: the old one */
} Copy;

static NodeId copy_node(Copy *c, NodeId old);

static uint32_t list_choices(const ListSpec *list, EditKind kind)
{
    switch (kind) {
    case EDIT_NEVER:
    case EDIT_EMPTY:
        return 1;
    case EDIT_KID:
        return list->nkinds;
    case EDIT_DROP_KID:
        return list->nkinds + list->nneeds;
    case EDIT_LOWER:
        return 2 * list->ncounters;
    default:
        return 0;
    }
}

uint32_t edit_choices(const Ir *ir, EditKind kind, uint32_t node)
{
    if (kind == EDIT_UNFLAG)
        return node < ir->rules.count && ir->rules.at[node].flags;
    Node n = ir_node(ir, node);
    bool has_kids = n.kind == NODE_SEQ || n.kind == NODE_ALT;
    bool has_one = n.kind == NODE_REPEAT || n.kind == NODE_RULE;
    bool has_parts =
        n.kind == NODE_BYTES || n.kind == NODE_CLASS || n.kind == NODE_TOKENS;
    if (n.kind == NODE_LIST) return list_choices(ir_node_list(ir, n), kind);
    switch (kind) {
    case EDIT_NEVER:
        return node > NODE_EMPTY_ID;
    case EDIT_EMPTY:
        return node > NODE_EMPTY_ID;
    case EDIT_KID:
        return has_kids ? n.b : has_one;
    case EDIT_DROP_KID:
        return has_kids || (has_parts && n.b > 1) ? n.b : 0;
    case EDIT_LOWER:
        return n.kind == NODE_REPEAT ? 2 : n.kind == NODE_BOUNDED;
    default:
        return 0;
    }
}

static NodeId copy_list(Copy *c, Node n, uint32_t without)
{
    NodeId *kids = malloc(n.b * sizeof *kids);
    uint32_t count = 0;
    assert(kids);
    for (uint32_t i = 0; i < n.b; i++)
        if (i != without)
            kids[count++] = copy_node(c, ir_node_kids(c->from, n)[i]);
    NodeId id = n.kind == NODE_SEQ ? ir_seq(c->to, kids, count)
                                   : ir_alt(c->to, kids, count);
    free(kids);
    return id;
}

static NodeId copy_bytes(Copy *c, Node n, uint32_t without)
{
    Span bytes = ir_node_bytes(c->from, n);
    if (without >= n.b) return ir_bytes(c->to, bytes);
    NodeId head = ir_bytes(c->to, span_of(bytes.at, without));
    Span tail = {bytes.at + without + 1, bytes.size - without - 1};
    return ir_seq2(c->to, head, ir_bytes(c->to, tail));
}

static NodeId copy_ranges(Copy *c, Node n, uint32_t without)
{
    Range *ranges = malloc((n.b + 1) * sizeof *ranges);
    uint32_t count = 0;
    assert(ranges);
    for (uint32_t i = 0; i < n.b; i++)
        if (i != without) ranges[count++] = ir_node_ranges(c->from, n)[i];
    NodeId id = n.kind == NODE_CLASS ? ir_class(c->to, ranges, count, false)
                                     : ir_tokens(c->to, ranges, count, n.c);
    free(ranges);
    return id;
}

static NodeId copy_repeat(Copy *c, Node n, Edit edit)
{
    if (edit.kind == EDIT_LOWER && edit.arg == 0) n.b /= 2;
    if (edit.kind == EDIT_LOWER && edit.arg == 1)
        n.c = MAX(n.b, n.c == REPEAT_INF ? n.b + 2 : n.c / 2);
    return ir_repeat(c->to, copy_node(c, n.a), n.b, n.c);
}

static NodeId copy_bounded(Copy *c, const BoundedSpec *spec, bool lower)
{
    uint32_t hi = lower ? spec->hi / 2 : spec->hi;
    return ir_regular_bounded(c->to, &spec->dfa, spec->ticks, hi);
}

/* Without kind, or need, number `without`; with counter `lower` / 2 halved. */
static NodeId copy_items(Copy *c, Node n, uint32_t without, uint32_t lower)
{
    ListSpec list = *ir_node_list(c->from, n);
    ListKind *kinds = malloc((list.nkinds + 1) * sizeof *kinds);
    ListNeed *needs = malloc((list.nneeds + 1) * sizeof *needs);
    ListCounter *counters = malloc((list.ncounters + 1) * sizeof *counters);
    uint32_t nkinds = 0, nneeds = 0;
    assert(kinds && needs && counters);
    for (uint32_t i = 0; i < list.nkinds; i++) {
        if (i == without) continue;
        kinds[nkinds] = list.kinds[i];
        kinds[nkinds].head = copy_node(c, list.kinds[i].head);
        kinds[nkinds++].tail = copy_node(c, list.kinds[i].tail);
    }
    for (uint32_t i = 0; i < list.nneeds; i++)
        if (i + list.nkinds != without) needs[nneeds++] = list.needs[i];
    for (uint32_t i = 0; i < list.ncounters; i++) {
        counters[i] = list.counters[i];
        if (lower == 2 * i) counters[i].lo /= 2;
        if (lower == 2 * i + 1) counters[i].hi = REPEAT_INF;
    }
    list.separator = copy_node(c, list.separator);
    list.kinds = kinds;
    list.nkinds = nkinds;
    list.needs = needs;
    list.nneeds = nneeds;
    list.counters = counters;
    NodeId id = ir_list(c->to, &list);
    free(kinds);
    free(needs);
    free(counters);
    return id;
}

/* The new rule; its body follows in copy_bodies. */
static RuleId copy_rule(Copy *c, RuleId old)
{
    if (c->rule[old] == RULE_NONE) {
        Rule r = c->from->rules.at[old];
        bool unflag = c->edit.kind == EDIT_UNFLAG && c->edit.node == old;
        c->source[c->to->rules.count] = old;
        c->rule[old] = ir_rule_new(c->to, r.name, unflag ? 0 : r.flags);
    }
    return c->rule[old];
}

static void copy_bodies(Copy *c)
{
    for (RuleId r = 0; r < c->to->rules.count; r++) {
        Rule old = c->from->rules.at[c->source[r]];
        NodeId body = copy_node(c, old.body);
        if (old.is_defined) ir_rule_set(c->to, r, body);
    }
}

static NodeId copy_fresh(Copy *c, Node n, Edit edit)
{
    uint32_t without = edit.kind == EDIT_DROP_KID ? edit.arg : UINT32_MAX;
    if (edit.kind == EDIT_NEVER) return NODE_NEVER_ID;
    if (edit.kind == EDIT_EMPTY) return NODE_EMPTY_ID;
    if (edit.kind == EDIT_KID) {
        if (n.kind == NODE_RULE)
            return copy_node(c, c->from->rules.at[n.a].body);
        if (n.kind == NODE_LIST) {
            ListKind k = ir_node_list(c->from, n)->kinds[edit.arg];
            NodeId head = copy_node(c, k.head);
            return ir_seq2(c->to, head, copy_node(c, k.tail));
        }
        return copy_node(c, n.kind == NODE_REPEAT
                                ? n.a
                                : ir_node_kids(c->from, n)[edit.arg]);
    }
    switch (n.kind) {
    case NODE_NEVER:
        return NODE_NEVER_ID;
    case NODE_EMPTY:
        return NODE_EMPTY_ID;
    case NODE_BYTES:
        return copy_bytes(c, n, without);
    case NODE_CLASS:
    case NODE_TOKENS:
        return copy_ranges(c, n, without);
    case NODE_SEQ:
    case NODE_ALT:
        return copy_list(c, n, without);
    case NODE_REPEAT:
        return copy_repeat(c, n, edit);
    case NODE_RULE:
        return ir_ref(c->to, copy_rule(c, n.a));
    case NODE_LIST:
        return copy_items(c, n, without,
                          edit.kind == EDIT_LOWER ? edit.arg : UINT32_MAX);
    case NODE_BOUNDED:
        return copy_bounded(c, ir_node_bounded(c->from, n),
                            edit.kind == EDIT_LOWER);
    default:
        return ir_regular(c->to, &c->from->dfas.at[n.a]);
    }
}

/* A body that an edit has put in its own place is cut: NEVER stands for it
 * until it is done. */
static NodeId copy_node(Copy *c, NodeId old)
{
    Edit none = {EDIT_NONE, 0, 0};
    bool here = c->edit.kind != EDIT_UNFLAG && c->edit.node == old;
    if (c->node[old] != UNSEEN) return c->node[old];
    c->node[old] = NODE_NEVER_ID;
    NodeId new = copy_fresh(c, ir_node(c->from, old), here ? c->edit : none);
    return c->node[old] = new;
}

void ir_edited(const Ir *from, Ir *to, const Mem *mem, Edit edit, bool prune)
{
    Copy c = {from,
              to,
              edit,
              malloc(from->nodes.count * sizeof(NodeId)),
              malloc((from->rules.count + 1) * sizeof(RuleId)),
              malloc((from->rules.count + 1) * sizeof(RuleId))};
    assert(c.node && c.rule && c.source);
    memset(c.node, 0xFF, from->nodes.count * sizeof(NodeId));
    memset(c.rule, 0xFF, (from->rules.count + 1) * sizeof(RuleId));
    ir_init(to, mem, &from->limits);
    for (RuleId r = 0; !prune && r < from->rules.count; r++) copy_rule(&c, r);
    to->root = copy_rule(&c, from->root);
    copy_bodies(&c);
    free(c.node);
    free(c.rule);
    free(c.source);
}

static void reach(const Ir *ir, NodeId id, uint8_t *nodes, uint8_t *rules)
{
    Node n = ir_node(ir, id);
    if (nodes[id]) return;
    nodes[id] = 1;
    if (n.kind == NODE_RULE) {
        rules[n.a] = 1;
        reach(ir, ir->rules.at[n.a].body, nodes, rules);
    }
    if (n.kind == NODE_REPEAT) reach(ir, n.a, nodes, rules);
    if (n.kind == NODE_LIST) {
        const ListSpec *list = ir_node_list(ir, n);
        reach(ir, list->separator, nodes, rules);
        for (uint32_t i = 0; i < list->nkinds; i++) {
            reach(ir, list->kinds[i].head, nodes, rules);
            reach(ir, list->kinds[i].tail, nodes, rules);
        }
    }
    if (n.kind == NODE_SEQ || n.kind == NODE_ALT)
        for (uint32_t i = 0; i < n.b; i++)
            reach(ir, ir_node_kids(ir, n)[i], nodes, rules);
}

void ir_reached(const Ir *ir, uint8_t *nodes, uint8_t *rules)
{
    memset(nodes, 0, ir->nodes.count);
    memset(rules, 0, ir->rules.count);
    rules[ir->root] = 1;
    reach(ir, ir->rules.at[ir->root].body, nodes, rules);
}
