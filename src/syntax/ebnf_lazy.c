/* ebnf_lazy.c: lazy rules → their shortest texts.
 *
 * In:    rules whose bodies are known. Out: the body of each lazy rule is a
 *        REGULAR node: the texts of the rule that do not go on from a shorter
 *        one. So a lazy rule ends at the first place where it may.
 * Method: the body is worked out as a language, kids before what holds them,
 * rules as if they stood where they are named; then cut (lang_shortest).
 * What is no regular language cannot be lazy: rules that lead back to
 * themselves, and tokens. A rule with options would lose them and is refused.
 * Cost:  what the automata take, charged to the limits. No recursion.
 * Tests: unit/ebnf_test.c.
 */
#include "lang/lang.h"
#include "syntax/ebnf_parse.h"

typedef enum Progress { UNSEEN, OPEN, DONE } Progress;

typedef struct Lazy {
    Ebnf *e;
    Ir *ir;
    Arena arena; /* languages */
    LangCtx lang;
    const Dfa **node_dfa; /* by node; NULL: not known yet */
    Progress *rule_progress;
    VEC(NodeId) todo; /* the innermost comes last */
    VEC(const Dfa *) parts;
    VEC(Dfa) cuts;    /* by lazy rule, in order; their arrays: arena's */
    uint32_t present; /* the lazy rule, index in e->rules */
} Lazy;

static bool refuse(Lazy *z, const char *why)
{
    EbnfRule rule = z->e->rules.at[z->present];
    diag_fail(&z->ir->error, WEIR_UNSUPPORTED, rule.begin, rule.end,
              "lazy rule that %s, expected a regular body", why);
    return false;
}

/* By index in the source's rules; other rules are not lazy. */
static bool is_lazy(const Lazy *z, RuleId rule)
{
    uint32_t index = rule - z->e->first;
    return index < z->e->rules.count && z->e->rules.at[index].is_lazy;
}

static const Dfa *rule_language(Lazy *z, RuleId rule)
{
    const Dfa *body = z->node_dfa[z->ir->rules.at[rule].body];
    return is_lazy(z, rule) ? lang_shortest(&z->lang, body) : body;
}

/* Joins the parts pairwise, so that the work stays in balance. */
static const Dfa *join(Lazy *z,
                       const Dfa *(*two)(LangCtx *, const Dfa *, const Dfa *))
{
    uint32_t n = z->parts.count;
    while (n > 1) {
        uint32_t half = 0;
        for (uint32_t i = 0; i < n; i += 2)
            z->parts.at[half++] =
                i + 1 < n ? two(&z->lang, z->parts.at[i], z->parts.at[i + 1])
                          : z->parts.at[i];
        n = half;
    }
    return z->parts.at[0];
}

static bool gather_kids(Lazy *z, Node n)
{
    z->parts.count = 0;
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = ir_node_kids(z->ir, n)[i];
        if (!vec_push(z->ir->mem, &z->parts, z->node_dfa[kid]))
            return diag_no_memory(&z->ir->error);
    }
    return true;
}

static const Dfa *class_dfa(Lazy *z, Node n)
{
    RuneSet set = {0};
    bool done = true;
    const Range *r = ir_node_ranges(z->ir, n);
    for (uint32_t i = 0; i < n.b && done; i++)
        done = runes_add(z->ir->mem, &set, r[i].lo, r[i].hi);
    if (!done) diag_no_memory(&z->ir->error);
    const Dfa *dfa = lang_class(&z->lang, set.at, set.count);
    vec_free(z->ir->mem, &set);
    return dfa;
}

/* A node whose kids are known. */
static const Dfa *node_language(Lazy *z, Node n)
{
    switch (n.kind) {
    case NODE_NEVER:
        return lang_none();
    case NODE_EMPTY:
        return lang_empty();
    case NODE_BYTES:
        return lang_text(&z->lang, ir_node_bytes(z->ir, n));
    case NODE_CLASS:
        return class_dfa(z, n);
    case NODE_REGULAR:
        return &z->ir->dfas.at[n.a];
    case NODE_REPEAT:
        return lang_repeat(&z->lang, z->node_dfa[n.a], n.b, n.c);
    case NODE_RULE:
        return rule_language(z, n.a);
    default:
        if (!gather_kids(z, n)) return lang_none();
        return join(z, n.kind == NODE_SEQ ? lang_concat : lang_unite);
    }
}

static bool want(Lazy *z, NodeId node)
{
    if (z->node_dfa[node]) return true;
    return vec_push(z->ir->mem, &z->todo, node) ||
           diag_no_memory(&z->ir->error);
}

/* Wants the body of a rule, once. False when it is not allowed here. */
static bool want_rule(Lazy *z, RuleId rule)
{
    Progress *p = &z->rule_progress[rule];
    if (*p == OPEN) return refuse(z, "leads back to a rule it is in");
    const Rule *r = &z->ir->rules.at[rule];
    if (r->options) return refuse(z, "holds a rule with options");
    *p = OPEN;
    return want(z, r->body);
}

static bool want_kids(Lazy *z, Node n)
{
    switch (n.kind) {
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            if (!want(z, ir_node_kids(z->ir, n)[i])) return false;
        return true;
    case NODE_REPEAT:
        return want(z, n.a);
    case NODE_RULE:
        return want_rule(z, n.a);
    case NODE_TOKENS:
        return refuse(z, "holds tokens");
    case NODE_LIST:
        return refuse(z, "holds a list");
    case NODE_BOUNDED:
        return refuse(z, "holds texts of bounded length");
    default:
        return true;
    }
}

/* One step on the innermost node: asks for what it lacks, or settles it. */
static bool settle(Lazy *z)
{
    NodeId id = z->todo.at[z->todo.count - 1];
    Node n = ir_node(z->ir, id);
    uint32_t depth = z->todo.count;
    bool is_known = z->node_dfa[id] != NULL;
    bool is_ready = n.kind == NODE_RULE && z->rule_progress[n.a] == OPEN &&
                    z->node_dfa[z->ir->rules.at[n.a].body];
    if (!is_known && !is_ready && !want_kids(z, n)) return false;
    if (z->todo.count > depth) return true;
    if (!is_known) z->node_dfa[id] = node_language(z, n);
    if (n.kind == NODE_RULE) z->rule_progress[n.a] = DONE;
    z->todo.count--;
    return ir_ok(z->ir);
}

static bool cut_rule(Lazy *z, uint32_t index)
{
    EbnfRule rule = z->e->rules.at[index];
    RuleId id = z->e->first + index;
    z->present = index;
    z->lang.begin = rule.begin;
    z->lang.end = rule.end;
    z->rule_progress[id] = OPEN;
    bool done = want(z, z->ir->rules.at[id].body);
    while (done && z->todo.count) done = settle(z);
    z->rule_progress[id] = UNSEEN;
    if (!done) return false;
    Dfa cut = *rule_language(z, id);
    return ir_ok(z->ir) && (vec_push(z->ir->mem, &z->cuts, cut) ||
                            diag_no_memory(&z->ir->error));
}

/* Bodies are replaced last of all: nodes made on the way are not in the
 * tables by node. */
static void replace_bodies(Lazy *z)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < z->e->rules.count && ir_ok(z->ir); i++)
        if (z->e->rules.at[i].is_lazy)
            ir_rule_set(z->ir, z->e->first + i,
                        ir_regular(z->ir, &z->cuts.at[done++]));
}

static void cut_all(Lazy *z)
{
    for (uint32_t i = 0; i < z->e->rules.count && ir_ok(z->ir); i++)
        if (z->e->rules.at[i].is_lazy && !cut_rule(z, i))
            diag_pointer(&z->ir->error, z->ir->rules.at[z->e->first + i].name);
    replace_bodies(z);
}

static bool has_lazy(const Ebnf *e)
{
    uint32_t i = 0;
    while (i < e->rules.count && !e->rules.at[i].is_lazy) i++;
    return i < e->rules.count;
}

void ebnf_cut_lazy(Ebnf *e)
{
    Ir *ir = e->ir;
    if (!has_lazy(e)) return;
    Lazy z = {.e = e, .ir = ir};
    arena_init(&z.arena, ir->mem, 0);
    lang_init(&z.lang, ir->mem, &z.arena, &ir->limits, &ir->error);
    z.node_dfa = arena_zero(&z.arena, ir->nodes.count * sizeof *z.node_dfa);
    z.rule_progress =
        arena_zero(&z.arena, ir->rules.count * sizeof *z.rule_progress);
    if (z.node_dfa && z.rule_progress)
        cut_all(&z);
    else
        diag_no_memory(&ir->error);
    vec_free(ir->mem, &z.todo);
    vec_free(ir->mem, &z.parts);
    vec_free(ir->mem, &z.cuts);
    arena_free(&z.arena);
}
