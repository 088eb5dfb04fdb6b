/* ir_solve.c: rules → one expression without rules.
 *
 * Method: rules are a system of equations, solved one rule after the other,
 * those that are named before those that name them. What earlier rules denote
 * is put in their places; then
 *
 *     X = A X | B   is   X = A* B          X = X A | B   is   X = B A*
 *
 * (Arden's lemma; of automata it is the elimination of states). A rule that
 * stands neither only at the ends nor only at the beginnings of its own body
 * nests in itself, and is not regular in any way that this finds.
 * Cost:  the expression may be exponential in the rules; the steps are charged
 *        to max_work. No recursion.
 * Tests: prop/convert_vs_oracle_test.c
 */
#include "convert/ir_regex.h"
#include "pass/facts.h"

#define NO_NODE UINT32_MAX
#define RULE_OPENED (UINT32_MAX - 1)

typedef struct Solver {
    Ir *ir;
    uint64_t work;      /* steps left */
    VEC(RuleId) order;  /* rules in the order of their elimination */
    VEC(uint32_t) turn; /* by rule: its place in `order`, or NO_NODE */
    VEC(NodeId) value;  /* by rule, once eliminated; else NO_NODE */
    VEC(NodeId) post;   /* nodes of one body, operands first */
    VEC(NodeId) todo;   /* twice: opened, and to be settled */
    VEC(NodeId) twin;   /* by node, NO_NODE: not seen yet */
    VEC(NodeId) loop;   /* by node: what stands before (or behind) the rule */
    VEC(NodeId) rest;   /* by node: what is left without the rule */
    VEC(NodeId) kids;
} Solver;

static bool no_memory(Solver *s)
{
    return diag_no_memory(&s->ir->error);
}

static bool charge(Solver *s, uint64_t steps)
{
    if (steps <= s->work) {
        s->work -= steps;
        return true;
    }
    s->work = 0;
    return diag_fail(&s->ir->error, WEIR_LIMIT_WORK, 0, 0,
                     "found a grammar that takes more than %llu steps to be "
                     "one regular expression (limit max_work)",
                     (unsigned long long)s->ir->limits.max_work);
}

/* ---- the nodes of an expression, operands first ---- */

/* What a node is made of: its operands, or what an eliminated rule denotes. */
static uint32_t operand_count(const Solver *s, Node n)
{
    if (n.kind == NODE_SEQ || n.kind == NODE_ALT) return n.b;
    if (n.kind == NODE_REPEAT) return 1;
    return n.kind == NODE_RULE && s->value.at[n.a] != NO_NODE;
}

static NodeId operand_at(const Solver *s, Node n, uint32_t i)
{
    if (n.kind == NODE_REPEAT) return n.a;
    if (n.kind == NODE_RULE) return s->value.at[n.a];
    return ir_node_kids(s->ir, n)[i];
}

static bool grow(Solver *s)
{
    uint32_t count = s->ir->nodes.count, old = s->twin.count;
    if (!vec_reserve(s->ir->mem, &s->twin, count)) return no_memory(s);
    for (; old < count; old++) s->twin.at[old] = NO_NODE;
    s->twin.count = count;
    return true;
}

/* Fills s->post with all nodes below `root`; s->twin marks them. */
static bool find_post(Solver *s, NodeId root)
{
    const Mem *mem = s->ir->mem;
    if (!grow(s)) return false;
    s->post.count = s->todo.count = 0;
    if (!vec_push(mem, &s->todo, root)) return no_memory(s);
    while (s->todo.count) {
        NodeId id = s->todo.at[s->todo.count - 1];
        Node n = ir_node(s->ir, id);
        bool is_first = s->twin.at[id] == NO_NODE;
        s->twin.at[id] = id;
        for (uint32_t i = 0; is_first && i < operand_count(s, n); i++) {
            NodeId kid = operand_at(s, n, i);
            if (s->twin.at[kid] == NO_NODE && !vec_push(mem, &s->todo, kid))
                return no_memory(s);
        }
        if (s->todo.at[s->todo.count - 1] != id) continue;
        s->todo.count--;
        if (!vec_push(mem, &s->post, id)) return no_memory(s);
    }
    return charge(s, (uint64_t)s->post.count + 1);
}

static void forget_post(Solver *s)
{
    for (uint32_t i = 0; i < s->post.count; i++)
        s->twin.at[s->post.at[i]] = NO_NODE;
}

/* The expression with what eliminated rules denote in their places. */
static NodeId substitute(Solver *s, NodeId root)
{
    Ir *ir = s->ir;
    if (!find_post(s, root)) return NODE_NEVER_ID;
    for (uint32_t i = 0; i < s->post.count && ir_ok(ir); i++) {
        NodeId id = s->post.at[i], twin = id;
        Node n = ir_node(ir, id);
        if (n.kind == NODE_SEQ || n.kind == NODE_ALT)
            twin = node_rewrite_kids(ir, id, s->twin.at);
        else if (n.kind == NODE_REPEAT)
            twin = ir_repeat(ir, s->twin.at[n.a], n.b, n.c);
        else if (n.kind == NODE_RULE && s->value.at[n.a] != NO_NODE)
            twin = s->twin.at[s->value.at[n.a]];
        s->twin.at[id] = twin;
    }
    NodeId made = s->twin.at[root];
    forget_post(s);
    return ir_ok(ir) ? made : NODE_NEVER_ID;
}

/* ---- one equation ---- */

typedef enum Side { RULE_AT_END, RULE_AT_BEGIN } Side;

/* A sequence whose operand `at` has the rule, with `in` in its place. */
static NodeId around(Solver *s, Node n, uint32_t at, NodeId in)
{
    s->kids.count = 0;
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = i == at ? in : ir_node_kids(s->ir, n)[i];
        if (!vec_push(s->ir->mem, &s->kids, kid)) no_memory(s);
    }
    return ir_ok(s->ir) ? ir_seq(s->ir, s->kids.at, n.b) : NODE_NEVER_ID;
}

static bool has_rule(const Solver *s, NodeId id)
{
    return s->loop.at[id] != NODE_NEVER_ID;
}

static bool split_sequence(Solver *s, NodeId id, Node n, Side side)
{
    uint32_t at = side == RULE_AT_END ? n.b - 1 : 0;
    for (uint32_t i = 0; i < n.b; i++)
        if (i != at && has_rule(s, ir_node_kids(s->ir, n)[i])) return false;
    NodeId kid = ir_node_kids(s->ir, n)[at];
    if (!has_rule(s, kid)) return true;
    s->loop.at[id] = around(s, n, at, s->loop.at[kid]);
    s->rest.at[id] = around(s, n, at, s->rest.at[kid]);
    return true;
}

static void split_choice(Solver *s, NodeId id, Node n)
{
    NodeId loop = NODE_NEVER_ID, rest = NODE_NEVER_ID;
    bool has = false;
    for (uint32_t i = 0; i < n.b; i++)
        has |= has_rule(s, ir_node_kids(s->ir, n)[i]);
    for (uint32_t i = 0; has && i < n.b; i++) {
        NodeId kid = ir_node_kids(s->ir, n)[i];
        loop = ir_alt2(s->ir, loop, s->loop.at[kid]);
        rest = ir_alt2(s->ir, rest, s->rest.at[kid]);
    }
    if (!has) return;
    s->loop.at[id] = loop;
    s->rest.at[id] = rest;
}

/* Repeated, the rule would stand beside itself; an option is a choice. */
static bool split_repeat(Solver *s, NodeId id, Node n)
{
    if (!has_rule(s, n.a)) return true;
    s->loop.at[id] = s->loop.at[n.a];
    s->rest.at[id] = ir_optional(s->ir, s->rest.at[n.a]);
    return !n.b && n.c == 1;
}

static bool split_node(Solver *s, NodeId id, RuleId rule, Side side)
{
    Node n = ir_node(s->ir, id);
    s->loop.at[id] = NODE_NEVER_ID;
    s->rest.at[id] = id;
    switch (n.kind) {
    case NODE_RULE:
        if (n.a != rule) return true;
        s->loop.at[id] = NODE_EMPTY_ID;
        s->rest.at[id] = NODE_NEVER_ID;
        return true;
    case NODE_SEQ:
        return split_sequence(s, id, n, side);
    case NODE_ALT:
        split_choice(s, id, n);
        return true;
    case NODE_REPEAT:
        return split_repeat(s, id, n);
    default:
        return true;
    }
}

/* body = loop rule | rest, or rule loop | rest. False: it is neither. */
static bool split(Solver *s, NodeId body, RuleId rule, Side side)
{
    const Mem *mem = s->ir->mem;
    if (!find_post(s, body)) return false;
    uint32_t count = s->ir->nodes.count;
    bool done =
        vec_reserve(mem, &s->loop, count) && vec_reserve(mem, &s->rest, count);
    if (!done) no_memory(s);
    for (uint32_t i = 0; i < s->post.count && done; i++)
        done = split_node(s, s->post.at[i], rule, side) && ir_ok(s->ir);
    forget_post(s);
    return done;
}

static NodeId solve_rule(Solver *s, RuleId rule, NodeId body)
{
    Ir *ir = s->ir;
    const Rule *r = &ir->rules.at[rule];
    for (Side side = RULE_AT_END; side <= RULE_AT_BEGIN && ir_ok(ir); side++) {
        if (!split(s, body, rule, side)) continue;
        NodeId rest = s->rest.at[body], loop = s->loop.at[body];
        if (loop == NODE_NEVER_ID) return rest;
        loop = ir_repeat(ir, loop, 0, REPEAT_INF);
        return side == RULE_AT_END ? ir_seq2(ir, loop, rest)
                                   : ir_seq2(ir, rest, loop);
    }
    diag_fail(&ir->error, WEIR_UNSUPPORTED, r->begin, r->end,
              "found a rule that nests in itself, which a regular expression "
              "cannot say");
    diag_pointer(&ir->error, r->name);
    return NODE_NEVER_ID;
}

/* ---- all ---- */

typedef VEC(RuleId) RuleList;

static bool push_named(Solver *s, NodeId body, RuleList *open)
{
    if (!find_post(s, body)) return false;
    for (uint32_t i = 0; i < s->post.count; i++) {
        Node n = ir_node(s->ir, s->post.at[i]);
        bool is_new = n.kind == NODE_RULE && s->turn.at[n.a] == NO_NODE;
        if (is_new && !vec_push(s->ir->mem, open, n.a)) no_memory(s);
    }
    forget_post(s);
    return ir_ok(s->ir);
}

/* s->order: a rule behind those that it names, but for circles. */
static bool find_order(Solver *s)
{
    RuleList open = {0};
    const Mem *mem = s->ir->mem;
    if (!vec_push(mem, &open, s->ir->root)) no_memory(s);
    while (open.count && ir_ok(s->ir)) {
        assert(open.at && s->turn.at);
        RuleId rule = open.at[open.count - 1];
        if (s->turn.at[rule] == NO_NODE) {
            s->turn.at[rule] = RULE_OPENED;
            push_named(s, s->ir->rules.at[rule].body, &open);
            continue;
        }
        open.count--;
        if (s->turn.at[rule] != RULE_OPENED) continue;
        s->turn.at[rule] = s->order.count;
        if (!vec_push(mem, &s->order, rule)) no_memory(s);
    }
    vec_free(mem, &open);
    return ir_ok(s->ir);
}

static bool reserve(Solver *s)
{
    uint32_t n = s->ir->rules.count;
    if (!vec_reserve(s->ir->mem, &s->turn, n) ||
        !vec_reserve(s->ir->mem, &s->value, n))
        return no_memory(s);
    for (uint32_t i = 0; i < n; i++) s->turn.at[i] = s->value.at[i] = NO_NODE;
    return true;
}

static NodeId solve_all(Solver *s)
{
    Ir *ir = s->ir;
    assert(s->value.at);
    for (uint32_t i = 0; i < s->order.count && ir_ok(ir); i++) {
        RuleId rule = s->order.at[i];
        NodeId body = substitute(s, ir->rules.at[rule].body);
        if (ir_ok(ir)) s->value.at[rule] = solve_rule(s, rule, body);
    }
    return ir_ok(ir) ? substitute(s, s->value.at[ir->root]) : NODE_NEVER_ID;
}

NodeId ir_solve(Ir *ir)
{
    Solver s = {.ir = ir, .work = ir->limits.max_work};
    NodeId made = NODE_NEVER_ID;
    if (reserve(&s) && find_order(&s)) made = solve_all(&s);
    const Mem *mem = ir->mem;
    vec_free(mem, &s.order);
    vec_free(mem, &s.turn);
    vec_free(mem, &s.value);
    vec_free(mem, &s.post);
    vec_free(mem, &s.todo);
    vec_free(mem, &s.twin);
    vec_free(mem, &s.loop);
    vec_free(mem, &s.rest);
    vec_free(mem, &s.kids);
    return made;
}
