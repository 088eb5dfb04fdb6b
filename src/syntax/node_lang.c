/* node_lang.c: expressions → regular languages.
 *
 * Method: kids before what holds them, by an explicit stack; rules as if they
 * stood where they are named.
 * Cost:  what the automata take, charged to the limits.
 * Tests: unit/ebnf_test.c (lazy rules), unit/lark_test.c.
 */
#include "syntax/node_lang.h"

void node_lang_init(NodeLang *l, Ir *ir)
{
    *l = (NodeLang){.ir = ir};
    arena_init(&l->arena, ir->mem, 0);
    lang_init(&l->lang, ir->mem, &l->arena, &ir->limits, &ir->error);
}

void node_lang_free(NodeLang *l)
{
    const Mem *mem = l->ir->mem;
    vec_free(mem, &l->node_dfa);
    vec_free(mem, &l->rule_progress);
    vec_free(mem, &l->todo);
    vec_free(mem, &l->parts);
    arena_free(&l->arena);
}

static bool refuse(NodeLang *l, const char *why)
{
    l->why = why;
    return false;
}

/* Joins the parts pairwise, so that the work stays in balance. */
static const Dfa *join(NodeLang *l,
                       const Dfa *(*two)(LangCtx *, const Dfa *, const Dfa *))
{
    uint32_t n = l->parts.count;
    while (n > 1) {
        uint32_t half = 0;
        for (uint32_t i = 0; i < n; i += 2)
            l->parts.at[half++] =
                i + 1 < n ? two(&l->lang, l->parts.at[i], l->parts.at[i + 1])
                          : l->parts.at[i];
        n = half;
    }
    return l->parts.at[0];
}

static bool gather_kids(NodeLang *l, Node n)
{
    l->parts.count = 0;
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = ir_node_kids(l->ir, n)[i];
        if (!vec_push(l->ir->mem, &l->parts, l->node_dfa.at[kid]))
            return diag_no_memory(&l->ir->error);
    }
    return true;
}

static const Dfa *class_dfa(NodeLang *l, Node n)
{
    RuneSet set = {0};
    bool done = true;
    const Range *r = ir_node_ranges(l->ir, n);
    for (uint32_t i = 0; i < n.b && done; i++)
        done = runes_add(l->ir->mem, &set, r[i].lo, r[i].hi);
    if (!done) diag_no_memory(&l->ir->error);
    const Dfa *dfa = lang_class(&l->lang, set.at, set.count);
    vec_free(l->ir->mem, &set);
    return dfa;
}

static const Dfa *rule_language(NodeLang *l, RuleId rule)
{
    const Dfa *body = l->node_dfa.at[l->ir->rules.at[rule].body];
    return l->rule ? l->rule(l->user, rule, body) : body;
}

/* A copy that stays where it is when the Ir grows. */
static const Dfa *regular_dfa(NodeLang *l, Node n)
{
    Dfa *dfa = arena_copy(&l->arena, &l->ir->dfas.at[n.a], sizeof *dfa);
    if (!dfa) diag_no_memory(&l->ir->error);
    return dfa ? dfa : lang_none();
}

/* A node whose kids are known. */
static const Dfa *node_language(NodeLang *l, Node n)
{
    switch (n.kind) {
    case NODE_NEVER:
        return lang_none();
    case NODE_EMPTY:
        return lang_empty();
    case NODE_BYTES:
        return lang_text(&l->lang, ir_node_bytes(l->ir, n));
    case NODE_CLASS:
        return class_dfa(l, n);
    case NODE_REGULAR:
        return regular_dfa(l, n);
    case NODE_REPEAT:
        return lang_repeat(&l->lang, l->node_dfa.at[n.a], n.b, n.c);
    case NODE_RULE:
        return rule_language(l, n.a);
    default:
        if (!gather_kids(l, n)) return lang_none();
        return join(l, n.kind == NODE_SEQ ? lang_concat : lang_unite);
    }
}

static bool want(NodeLang *l, NodeId node)
{
    if (l->node_dfa.at[node]) return true;
    return vec_push(l->ir->mem, &l->todo, node) ||
           diag_no_memory(&l->ir->error);
}

/* Wants the body of a rule, once. False when it is not allowed here. */
static bool want_rule(NodeLang *l, RuleId rule)
{
    RuleProgress *p = &l->rule_progress.at[rule];
    if (*p == RULE_OPEN) return refuse(l, "leads back to a rule it is in");
    const Rule *r = &l->ir->rules.at[rule];
    if (r->options) return refuse(l, "holds a rule with options");
    *p = RULE_OPEN;
    return want(l, r->body);
}

static bool want_kids(NodeLang *l, Node n)
{
    switch (n.kind) {
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            if (!want(l, ir_node_kids(l->ir, n)[i])) return false;
        return true;
    case NODE_REPEAT:
        return want(l, n.a);
    case NODE_RULE:
        return want_rule(l, n.a);
    case NODE_TOKENS:
        return refuse(l, "holds tokens");
    case NODE_LIST:
        return refuse(l, "holds a list");
    case NODE_BOUNDED:
        return refuse(l, "holds texts of bounded length");
    default:
        return true;
    }
}

/* One step on the innermost node: asks for what it lacks, or settles it. */
static bool settle(NodeLang *l)
{
    NodeId id = l->todo.at[l->todo.count - 1];
    Node n = ir_node(l->ir, id);
    uint32_t depth = l->todo.count;
    bool is_known = l->node_dfa.at[id] != NULL;
    bool is_ready = n.kind == NODE_RULE &&
                    l->rule_progress.at[n.a] == RULE_OPEN &&
                    l->node_dfa.at[l->ir->rules.at[n.a].body];
    if (!is_known && !is_ready && !want_kids(l, n)) return false;
    if (l->todo.count > depth) return true;
    if (!is_known) l->node_dfa.at[id] = node_language(l, n);
    if (n.kind == NODE_RULE) l->rule_progress.at[n.a] = RULE_KNOWN;
    l->todo.count--;
    return ir_ok(l->ir);
}

/* Room for all nodes and rules that there are now. */
static bool grow(NodeLang *l)
{
    const Mem *mem = l->ir->mem;
    uint32_t nnodes = l->ir->nodes.count, nrules = l->ir->rules.count;
    if (!vec_reserve(mem, &l->node_dfa, nnodes) ||
        !vec_reserve(mem, &l->rule_progress, nrules))
        return diag_no_memory(&l->ir->error);
    while (l->node_dfa.count < nnodes)
        l->node_dfa.at[l->node_dfa.count++] = NULL;
    while (l->rule_progress.count < nrules)
        l->rule_progress.at[l->rule_progress.count++] = RULE_UNSEEN;
    return true;
}

const Dfa *node_lang(NodeLang *l, NodeId node)
{
    l->why = NULL;
    l->todo.count = 0;
    if (!ir_ok(l->ir) || !grow(l)) return NULL;
    bool done = want(l, node);
    while (done && l->todo.count) done = settle(l);
    return done && ir_ok(l->ir) ? l->node_dfa.at[node] : NULL;
}

const Dfa *node_lang_rule(NodeLang *l, RuleId rule)
{
    l->why = NULL;
    if (!ir_ok(l->ir) || !grow(l)) return NULL;
    l->rule_progress.at[rule] = RULE_OPEN;
    bool done = node_lang(l, l->ir->rules.at[rule].body) != NULL;
    l->rule_progress.at[rule] = RULE_UNSEEN;
    return done ? rule_language(l, rule) : NULL;
}
