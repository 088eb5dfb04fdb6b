/* lower.c: runs the passes in order.  Tests: unit/lower_test.c. */
#include "pass/lower.h"

#include "pass/facts.h"
#include "pass/inline.h"
#include "pass/leftrec.h"
#include "pass/nonempty.h"
#include "pass/rulegraph.h"
#include "pass/tokens.h"

/* Tokens by id are left out of a grammar that has no vocabulary. */
static bool leaves_tokens_out(const Ir *ir, const LowerTokens *tokens)
{
    bool any = false;
    for (NodeId id = 0; !tokens && !any && id < ir->nodes.count; id++)
        any = ir->nodes.at[id].kind == NODE_TOKENS;
    return any;
}

static bool fail_empty(Ir *ir, const Rule *root, bool left_out)
{
    diag_fail(
        &ir->error, WEIR_EMPTY, root->begin, root->end,
        "the grammar allows no text at all: every way through '%.*s' needs %s",
        (int)MIN(root->name.size, 60), (const char *)root->name.at,
        left_out ? "a token by id, which only a vocabulary has, or a rule "
                   "that never ends"
                 : "a rule that never ends");
    return diag_pointer(&ir->error, root->name);
}

/* ---- heads that must be unique ---- */

typedef struct HeadWalk {
    Ir *ir;
    Lowered *lowered;
    uint8_t *seen;
    VEC(NodeId) todo;
} HeadWalk;

static void walk_push(void *user, NodeId id)
{
    HeadWalk *w = user;
    if (w->seen[id]) return;
    w->seen[id] = 1;
    if (!vec_push(w->ir->mem, &w->todo, id)) diag_no_memory(&w->ir->error);
}

/* Whether heads that must differ may all have been there. */
static bool may_run_out(const ListKind *k)
{
    return k->unique && !k->supply;
}

static void walk_list(HeadWalk *w, const ListSpec *list)
{
    for (uint32_t k = 0; k < list->nkinds; k++)
        if (may_run_out(&list->kinds[k]) &&
            !vec_push(w->ir->mem, &w->lowered->unique_heads,
                      list->kinds[k].head))
            diag_no_memory(&w->ir->error);
}

static bool any_may_run_out(const Ir *ir)
{
    for (uint32_t i = 0; i < ir->lists.count; i++)
        for (uint32_t k = 0; k < ir->lists.at[i].nkinds; k++)
            if (may_run_out(&ir->lists.at[i].kinds[k])) return true;
    return false;
}

/* What the root needs, once each. */
static bool find_unique_heads(Ir *ir, Lowered *out)
{
    if (!any_may_run_out(ir)) return true;
    HeadWalk w = {.ir = ir, .lowered = out};
    size_t nbytes = ir->nodes.count;
    w.seen = mem_zero(ir->mem, nbytes);
    if (!w.seen) return diag_no_memory(&ir->error);
    walk_push(&w, out->body.at[ir->root]);
    while (w.todo.count && ir_ok(ir)) {
        Node n = ir_node(ir, w.todo.at[--w.todo.count]);
        if (n.kind == NODE_RULE) walk_push(&w, out->body.at[n.a]);
        if (n.kind == NODE_LIST) walk_list(&w, ir_node_list(ir, n));
        node_each_kid(ir, n, walk_push, &w);
    }
    vec_free(ir->mem, &w.todo);
    mem_free(ir->mem, w.seen, nbytes);
    return ir_ok(ir);
}

static bool has_tokens(const Ir *ir, const TokenSets *sets)
{
    bool any = false;
    for (uint32_t i = 0; i < sets->to.count; i++) {
        Node n = ir_node(ir, sets->to.at[i]);
        any |=
            n.kind == NODE_TOKENS && ir_node_ranges(ir, n)[0].lo != TOKEN_NEVER;
    }
    return any;
}

/* Where no rule reaches itself none begins with itself. */
static bool is_acyclic(const RuleGraph *g)
{
    bool any = g->order.count < g->nrules;
    for (uint32_t i = 0; i < g->order.count && !any; i++)
        any = g->is_cyclic.at[g->order.at[i]];
    return !any;
}

/* The graph of the bodies once none begins with itself. */
static bool build_graph(Ir *ir, Lowered *out, RuleGraph *graph)
{
    if (!rulegraph_build(ir, out, false, graph))
        return diag_no_memory(&ir->error);
    if (is_acyclic(graph)) return true;
    rulegraph_free(graph);
    return leftrec_run(ir, out) && (rulegraph_build(ir, out, false, graph) ||
                                    diag_no_memory(&ir->error));
}

static bool lower_passes(Ir *ir, const Facts *facts, const TokenSets *sets,
                         Lowered *out)
{
    RuleGraph graph;
    if (!nonempty_run(ir, facts, sets, out) || !build_graph(ir, out, &graph))
        return false;
    bool ok = inline_run(ir, out, &graph) && find_unique_heads(ir, out);
    rulegraph_free(&graph);
    return ok;
}

/* Gives each rule that produces nothing a way that no token ever takes. True if
 * there was one: nodes are new then, and facts have to be found again. */
static bool keep_dead_ends(Ir *ir, const Facts *facts)
{
    bool any = false;
    const Range never = {TOKEN_NEVER, TOKEN_NEVER};
    for (RuleId r = 0; r < ir->rules.count && ir_ok(ir); r++) {
        NodeId body = ir->rules.at[r].body;
        if (facts->productive[body]) continue;
        NodeId dead = ir_tokens(ir, &never, 1, false);
        ir->rules.at[r].body = ir_alt2(ir, body, dead);
        any = true;
    }
    return any;
}

/* tokens_resolve and facts_find. */
static bool find_facts(Ir *ir, const LowerTokens *tokens, TokenSets *sets,
                       Facts *facts)
{
    if (!tokens_resolve(ir, tokens, sets)) return false;
    if (!facts_find(ir, sets, facts)) return false;
    if (!ir->keeps_dead_ends || !keep_dead_ends(ir, facts)) return true;
    facts_free(ir->mem, facts);
    tokens_free(ir->mem, sets);
    *sets = (TokenSets){0};
    return ir_ok(ir) && tokens_resolve(ir, tokens, sets) &&
           facts_find(ir, sets, facts);
}

bool lower_run(Ir *ir, const LowerTokens *tokens, Lowered *out)
{
    Facts facts;
    *out = (Lowered){0};
    if (!ir_ok(ir)) return false;
    assert(ir->root < ir->rules.count);
    TokenSets sets = {0};
    bool left_out = leaves_tokens_out(ir, tokens);
    bool ok = find_facts(ir, tokens, &sets, &facts);
    if (ok) {
        const Rule *root = &ir->rules.at[ir->root];
        if (!facts.productive[root->body])
            ok = fail_empty(ir, root, left_out);
        else if (left_out)
            ir_warn(ir, root->begin, root->end,
                    "tokens by id are left out: there is no vocabulary");
        ok = ok && lower_passes(ir, &facts, &sets, out);
        out->has_tokens = has_tokens(ir, &sets);
        facts_free(ir->mem, &facts);
    }
    tokens_free(ir->mem, &sets);
    if (!ok) lower_free(ir->mem, out);
    return ok;
}

bool lower_settle(const Mem *from, const Mem *to, Lowered *lowered)
{
    Lowered now = {.is_nullable = lowered->is_nullable,
                   .has_tokens = lowered->has_tokens};
    bool ok = from == to ||
              (vec_append(to, &now.body, &lowered->body) &&
               vec_append(to, &now.size, &lowered->size) &&
               vec_append(to, &now.unique_heads, &lowered->unique_heads));
    if (!ok) lower_free(to, &now);
    if (!ok || from == to) return ok;
    lower_free(from, lowered);
    *lowered = now;
    return true;
}

void lower_free(const Mem *mem, Lowered *lowered)
{
    vec_free(mem, &lowered->body);
    vec_free(mem, &lowered->size);
    vec_free(mem, &lowered->unique_heads);
}
