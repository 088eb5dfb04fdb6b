/* ir_import.c: copying an IR's rules and expressions into another IR.
 *
 * Nodes are copied in id order, so operands come first; a node that `to` has
 * already becomes that one. Nodes that lowering added are copied too if some
 * rule body needs them; others cost only the copy.
 * Tests: unit/combine_test.c.
 */
#include "syntax/ir_import.h"

#include "syntax/json_grammar.h"

typedef struct Import {
    Ir *to;
    const Ir *from;
    RuleId *rule;   /* by rule of `from` */
    NodeId *node;   /* by node of `from` */
    JsonRules json; /* what `from` borrows, defined in `to` */
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

/* A wary class is made from what it lacks. */
static NodeId import_lax(Import *m, Node n)
{
    const Range *r = ir_node_ranges(m->from, n);
    if (!(n.c & CLASS_WARY)) return ir_lax_class(m->to, r, n.b, false);
    VEC(Range) gaps = {0};
    uint32_t next = 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < n.b; i++) {
        if (r[i].lo > next)
            ok = vec_push(m->to->mem, &gaps, (Range){next, r[i].lo - 1});
        next = r[i].hi + 1;
    }
    ok = ok && vec_push(m->to->mem, &gaps, (Range){next, UINT32_MAX});
    NodeId node =
        ok ? ir_lax_class(m->to, gaps.at, gaps.count, true) : NODE_NEVER_ID;
    vec_free(m->to->mem, &gaps);
    if (!ok) diag_no_memory(&m->to->error);
    return node;
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
        if (n.c) return import_lax(m, n);
        return ir_class(m->to, ir_node_ranges(from, n), n.b, false);
    case NODE_TOKENS:
        return ir_tokens(m->to, ir_node_ranges(from, n), n.b, n.c);
    case NODE_REPEAT:
        return ir_repeat(m->to, m->node[n.a], n.b, n.c);
    case NODE_RULE:
        return ir_ref(m->to, m->rule[n.a]);
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
        options.hidden_body = m->rule[options.hidden_body];
        options.hidden_marker = m->rule[options.hidden_marker];
    }
    ir_rule_options(m->to, copy, &options);
}

/* Makes the rules; what `from` borrows is defined here, once. */
static void make_rules(Import *m)
{
    const Ir *from = m->from;
    bool has_json = false;
    for (RuleId r = 0; r < from->rules.count && ir_ok(m->to); r++) {
        Rule rule = from->rules.at[r];
        assert(m->rule);
        if (rule.flags & RULE_BORROWED) {
            if (!has_json) json_rules_init(&m->json, m->to, NULL);
            has_json = true;
            m->rule[r] = json_part_rule(&m->json, rule.part);
        } else {
            m->rule[r] = ir_rule_new(m->to, rule.name, rule.flags);
        }
    }
}

static void import_rules(Import *m)
{
    const Ir *from = m->from;
    assert(m->node && m->rule);
    m->to->keeps_dead_ends |= from->keeps_dead_ends;
    for (RuleId r = 0; r < from->rules.count && ir_ok(m->to); r++) {
        Rule rule = from->rules.at[r];
        RuleId copy = m->rule[r];
        if (rule.flags & RULE_BORROWED) continue;
        m->to->rules.at[copy].begin = rule.begin;
        m->to->rules.at[copy].end = rule.end;
        ir_rule_set(m->to, copy, m->node[rule.body]);
        if (rule.options) import_options(m, copy, rule.options);
    }
}

static void import_warnings(Import *m)
{
    for (uint32_t i = 0; i < m->from->warnings.count && ir_ok(m->to); i++) {
        Warning w = m->from->warnings.at[i];
        ir_warn(m->to, w.begin, w.end, "%.*s", (int)MIN(w.message.size, 255),
                (const char *)w.message.at);
    }
}

RuleId ir_import(Ir *to, const Ir *from)
{
    size_t nodes_size = from->nodes.count * sizeof(NodeId);
    size_t rules_size = from->rules.count * sizeof(RuleId);
    Import m = {.to = to, .from = from};
    if (!ir_ok(to)) return RULE_NONE;
    m.node = mem_new(to->mem, nodes_size);
    m.rule = mem_new(to->mem, rules_size);
    if (!m.node || !m.rule) diag_no_memory(&to->error);
    if (ir_ok(to)) make_rules(&m);
    for (NodeId id = 0; id < from->nodes.count && ir_ok(to); id++) {
        assert(m.node && m.rule);
        m.node[id] = import_node(&m, id);
    }
    if (ir_ok(to)) import_rules(&m);
    import_warnings(&m);
    RuleId root = ir_ok(to) ? m.rule[from->root] : RULE_NONE;
    mem_free(to->mem, m.node, nodes_size);
    mem_free(to->mem, m.rule, rules_size);
    return root;
}
