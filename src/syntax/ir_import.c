/* ir_import.c: copying an IR's rules and expressions into another IR.
 *
 * Nodes are copied in id order, so operands come first; a node that `to` has
 * already becomes that one. Nodes that lowering added are copied too if some
 * rule body needs them; others cost only the copy.
 * Tests: unit/combine_test.c.
 */
#include "syntax/ir_import.h"

typedef struct Import {
    Ir *to;
    const Ir *from;
    RuleId first; /* rule r of `from` is first + r */
    NodeId *node; /* by node of `from` */
} Import;

static NodeId import_kids(Import *m, Node n)
{
    Ir *to = m->to;
    NodeId *kids = mem_new(to->mem, n.b * sizeof *kids);
    if (!kids) return diag_no_memory(&to->error), NODE_NEVER_ID;
    for (uint32_t i = 0; i < n.b; i++)
        kids[i] = m->node[m->from->kids.at[n.a + i]];
    NodeId made =
        n.kind == NODE_SEQ ? ir_seq(to, kids, n.b) : ir_alt(to, kids, n.b);
    mem_free(to->mem, kids, n.b * sizeof *kids);
    return made;
}

static NodeId import_list(Import *m, Node n)
{
    Ir *to = m->to;
    ListSpec list = *ir_node_list(m->from, n);
    size_t nbytes = list.nkinds * sizeof(ListKind);
    ListKind *kinds = mem_new(to->mem, nbytes);
    if (!kinds) return diag_no_memory(&to->error), NODE_NEVER_ID;
    for (uint32_t i = 0; i < list.nkinds; i++) {
        kinds[i] = list.kinds[i];
        kinds[i].head = m->node[kinds[i].head];
        kinds[i].tail = m->node[kinds[i].tail];
    }
    list.separator = m->node[list.separator];
    list.kinds = kinds;
    NodeId made = ir_list(to, &list);
    mem_free(to->mem, kinds, nbytes);
    return made;
}

static NodeId import_bounded(Import *m, const BoundedSpec *spec)
{
    return ir_regular_bounded(m->to, &spec->dfa, spec->ticks, spec->hi);
}

static NodeId import_node(Import *m, NodeId id)
{
    const Ir *from = m->from;
    Node n = ir_node(from, id);
    switch (n.kind) {
    case NODE_NEVER:
    case NODE_EMPTY:
    case NODE_KINDS:
        return id;
    case NODE_BYTES:
        return ir_bytes(m->to, ir_node_bytes(from, n));
    case NODE_CLASS:
        return ir_class(m->to, ir_node_ranges(from, n), n.b, false);
    case NODE_TOKENS:
        return ir_tokens(m->to, ir_node_ranges(from, n), n.b, n.c);
    case NODE_REPEAT:
        return ir_repeat(m->to, m->node[n.a], n.b, n.c);
    case NODE_RULE:
        return ir_ref(m->to, m->first + n.a);
    case NODE_REGULAR:
        return ir_regular(m->to, &from->dfas.at[n.a]);
    case NODE_BOUNDED:
        return import_bounded(m, ir_node_bounded(from, n));
    case NODE_SEQ:
    case NODE_ALT:
        return import_kids(m, n);
    case NODE_LIST:
        return import_list(m, n);
    }
    return NODE_NEVER_ID;
}

static void import_options(Import *m, RuleId copy, const RuleOptions *from)
{
    RuleOptions options = *from;
    if (options.has & RULE_HAS_HIDDEN_RULES) {
        options.hidden_body += m->first;
        options.hidden_marker += m->first;
    }
    ir_rule_options(m->to, copy, &options);
}

static void import_rules(Import *m)
{
    const Ir *from = m->from;
    for (RuleId r = 0; r < from->rules.count && ir_ok(m->to); r++) {
        Rule rule = from->rules.at[r];
        RuleId copy = ir_rule_new(m->to, rule.name, rule.flags);
        if (!ir_ok(m->to)) return;
        m->to->rules.at[copy].begin = rule.begin;
        m->to->rules.at[copy].end = rule.end;
        ir_rule_set(m->to, copy, m->node[rule.body]);
        if (rule.options) import_options(m, copy, rule.options);
    }
}

NodeId ir_import(Ir *to, const Ir *from)
{
    size_t nbytes = from->nodes.count * sizeof(NodeId);
    Import m = {.to = to, .from = from, .first = to->rules.count};
    if (!ir_ok(to)) return NODE_NEVER_ID;
    m.node = mem_new(to->mem, nbytes);
    if (!m.node) return diag_no_memory(&to->error), NODE_NEVER_ID;
    for (NodeId id = 0; id < from->nodes.count && ir_ok(to); id++)
        m.node[id] = import_node(&m, id);
    import_rules(&m);
    mem_free(to->mem, m.node, nbytes);
    for (uint32_t i = 0; i < from->warnings.count && ir_ok(to); i++) {
        Warning w = from->warnings.at[i];
        ir_warn(to, w.begin, w.end, "%.*s", (int)MIN(w.message.size, 255),
                (const char *)w.message.at);
    }
    return ir_ref(to, m.first + from->root);
}
