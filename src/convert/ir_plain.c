/* ir_plain.c: see ir_plain.h.
 *
 * Method: nodes in the order of their ids, where operands come first; each gets
 *         its plain twin. Only what the root reaches is looked at.
 * Cost:   linear, and the rules made.
 * Tests:  prop/convert_vs_oracle_test.c
 */
#include "convert/ir_plain.h"

#include "pass/facts.h"

typedef struct Plain {
    Ir *ir;
    bool is_lenient;
    bool has_equal;          /* a list's heads need not differ any more */
    uint32_t nnodes, nrules; /* at the beginning */
    VEC(uint8_t) used;       /* by node */
    VEC(uint8_t) used_rule;
    VEC(NodeId) twin; /* by node */
    VEC(NodeId) open;
} Plain;

/* ---- what the root reaches ---- */

static void use(void *user, NodeId id)
{
    Plain *p = user;
    assert(p->used.at && id < p->nnodes);
    if (p->used.at[id]) return;
    p->used.at[id] = 1;
    if (!vec_push(p->ir->mem, &p->open, id)) diag_no_memory(&p->ir->error);
}

static void use_rule(Plain *p, RuleId rule)
{
    assert(p->used_rule.at && rule < p->nrules);
    if (p->used_rule.at[rule]) return;
    p->used_rule.at[rule] = 1;
    use(p, p->ir->rules.at[rule].body);
}

static void find_used(Plain *p)
{
    use_rule(p, p->ir->root);
    while (p->open.count && ir_ok(p->ir)) {
        Node n = ir_node(p->ir, p->open.at[--p->open.count]);
        if (n.kind == NODE_RULE) use_rule(p, n.a);
        node_each_kid(p->ir, n, use, p);
    }
}

/* ---- twins ---- */

static bool refuse(Ir *ir, const char *what)
{
    return diag_fail(&ir->error, WEIR_UNSUPPORTED, 0, 0,
                     "found %s, which a grammar of plain rules cannot say",
                     what);
}

static NodeId list_twin(Plain *p, const Facts *facts, Node n)
{
    Ir *ir = p->ir;
    ListSpec list = *ir_node_list(ir, n);
    assert(p->twin.at);
    ListKind *kinds = arena_array(&ir->arena, ListKind, list.nkinds);
    if (!kinds) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    uint32_t count = 0;
    for (uint32_t k = 0; k < list.nkinds; k++) {
        ListKind kind = list.kinds[k];
        if (!facts->productive[kind.head] || !facts->productive[kind.tail])
            continue;
        if (kind.unique != LIST_REPEATABLE && !p->is_lenient)
            refuse(ir, "a list with items that must differ (lenient: they may "
                       "be equal)");
        p->has_equal |= kind.unique != LIST_REPEATABLE;
        kind.unique = LIST_REPEATABLE;
        if (facts->nullable[kind.head] && facts->nullable[kind.tail])
            refuse(ir, "a list with items that may be empty");
        kind.head = p->twin.at[kind.head];
        kind.tail = p->twin.at[kind.tail];
        kinds[count++] = kind;
    }
    list.separator = facts->productive[list.separator]
                         ? p->twin.at[list.separator]
                         : NODE_NEVER_ID;
    list.kinds = kinds;
    list.nkinds = count;
    return ir_ok(ir) ? plain_list(ir, &list) : NODE_NEVER_ID;
}

static NodeId twin_of(Plain *p, const Facts *facts, NodeId id)
{
    Ir *ir = p->ir;
    Node n = ir_node(ir, id);
    assert(p->twin.at);
    switch (n.kind) {
    case NODE_SEQ:
    case NODE_ALT:
        return node_rewrite_kids(ir, id, p->twin.at);
    case NODE_REPEAT:
        return ir_repeat(ir, p->twin.at[n.a], n.b, n.c);
    case NODE_REGULAR:
    case NODE_BOUNDED:
        return plain_automaton(ir, n);
    case NODE_LIST:
        return list_twin(p, facts, n);
    default:
        return id;
    }
}

static void make_twins(Plain *p, const Facts *facts)
{
    assert(p->twin.at && p->used.at && p->used_rule.at);
    for (NodeId id = 0; id < p->nnodes && ir_ok(p->ir); id++)
        p->twin.at[id] = p->used.at[id] ? twin_of(p, facts, id) : id;
    for (RuleId r = 0; r < p->nrules && ir_ok(p->ir); r++)
        if (p->used_rule.at[r])
            p->ir->rules.at[r].body = p->twin.at[p->ir->rules.at[r].body];
}

/* ---- options ---- */

static void check_options(Plain *p)
{
    Ir *ir = p->ir;
    assert(p->used_rule.at);
    for (RuleId r = 0; r < p->nrules && ir_ok(ir); r++) {
        const Rule *rule = &ir->rules.at[r];
        if (!p->used_rule.at[r] || !rule->options) continue;
        if (rule->options->has & (RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS)) {
            refuse(ir, "a rule with a budget");
            diag_pointer(&ir->error, rule->name);
        } else {
            ir_warn(ir, rule->begin, rule->end,
                    "the options of rule %.*s are left out",
                    (int)MIN(rule->name.size, 100),
                    (const char *)rule->name.at);
        }
    }
}

static bool reserve(Plain *p)
{
    const Mem *mem = p->ir->mem;
    if (!vec_reserve(mem, &p->used, p->nnodes) ||
        !vec_reserve(mem, &p->used_rule, p->nrules) ||
        !vec_reserve(mem, &p->twin, p->nnodes))
        return diag_no_memory(&p->ir->error);
    assert(p->used.at && p->used_rule.at); /* no IR is without a node */
    memset(p->used.at, 0, p->nnodes);
    memset(p->used_rule.at, 0, p->nrules);
    return true;
}

bool ir_plain(Ir *ir, bool is_lenient)
{
    Plain p = {.ir = ir,
               .is_lenient = is_lenient,
               .nnodes = ir->nodes.count,
               .nrules = ir->rules.count};
    TokenSets none = {0};
    Facts facts;
    if (!ir_ok(ir)) return false;
    if (facts_find(ir, &none, &facts)) {
        if (reserve(&p)) find_used(&p);
        if (ir_ok(ir)) check_options(&p);
        if (ir_ok(ir)) make_twins(&p, &facts);
        facts_free(ir->mem, &facts);
    } else {
        diag_no_memory(&ir->error);
    }
    if (p.has_equal)
        ir_warn(ir, 0, 0,
                "names of members, or items, that must differ may be equal");
    vec_free(ir->mem, &p.used);
    vec_free(ir->mem, &p.used_rule);
    vec_free(ir->mem, &p.twin);
    vec_free(ir->mem, &p.open);
    return ir_ok(ir);
}
