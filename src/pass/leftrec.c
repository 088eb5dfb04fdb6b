/* leftrec.c: left recursion, removed by solving the knot's equations.
 *
 * The rules of a component of the "may begin with" graph satisfy
 *
 *     X_i = X_1 A_1i | X_2 A_2i | ... | B_i        (A: what follows X_j on the
 *                                                  left spine of X_i's body)
 *
 * Gaussian elimination with Arden's lemma (X = X A | B  =>  X = B A*), one
 * rule after the other:
 *
 *     X_i = (X_j A_ji | B_i) A_ii*         for the j > i that are left
 *     A_jk |= A_ji A_ii* A_ik,  B_k |= B_i A_ii* A_ik      for k > i
 *
 * Afterwards X_i begins only with later rules of its knot. Direct recursion,
 * the usual case, becomes a plain loop: e ::= e "+" t | t  =>  t ("+" t)*.
 * Factors that are used again and are not small become rules of their own, so
 * sizes stay polynomial: cubic in the knot, each product charged to max_work.
 *
 * Holds after: the left graph has no cycle.  Tests: unit/lower_test.c, and
 * prop/masks_vs_oracle_test.c, which draws left-recursive grammars.
 */
#include "pass/leftrec.h"

#include "pass/list_rules.h"
#include "pass/nonempty.h"
#include "pass/rulegraph.h"

enum { KNOT_MEMORY = 128 << 20 }; /* bytes of equations at once */

/* The left spine of one expression: e = X_j left[j] | ... | rest | (empty) */
typedef struct Split {
    NodeId *left; /* by member of the knot; NULL: none anywhere */
    NodeId rest;  /* never nullable */
} Split;

typedef struct Knot {
    Ir *ir;
    Lowered *lowered;
    const RuleGraph *graph;
    const RuleId *member; /* rules of the knot */
    uint32_t size, number;
    Nullables nullables;
    Arena arena;
    Map index;         /* node -> split */
    VEC(Split) splits; /* of nodes on left spines */
    VEC(NodeId) split_node;
    uint64_t *work; /* of the whole pass */
} Knot;

static bool knot_charge(Knot *k, uint64_t work)
{
    *k->work += work;
    if (*k->work <= k->ir->limits.max_work) return true;
    return diag_fail(&k->ir->error, WEIR_LIMIT_WORK, 0, 0,
                     "left recursion through too many rules (limit max_work)");
}

static bool is_nullable(Knot *k, NodeId id)
{
    if (id >= k->nullables.is.count && !nullables_update(k->ir, &k->nullables))
        return diag_no_memory(&k->ir->error);
    return k->nullables.is.at[id];
}

static uint32_t member_of(const Knot *k, RuleId rule)
{
    for (uint32_t i = 0; i < k->size; i++)
        if (k->member[i] == rule) return i;
    return k->size;
}

static NodeId *left_new(Knot *k)
{
    NodeId *left = arena_array(&k->arena, NodeId, k->size);
    if (!left) return knot_charge(k, UINT64_MAX / 2), NULL;
    for (uint32_t i = 0; i < k->size; i++) left[i] = NODE_NEVER_ID;
    return left;
}

/* into |= from tail */
static void split_add(Knot *k, Split *into, const Split *from, NodeId tail)
{
    Ir *ir = k->ir;
    into->rest = ir_alt2(ir, into->rest, ir_seq2(ir, from->rest, tail));
    if (!from->left || !knot_charge(k, k->size)) return;
    if (!into->left && !(into->left = left_new(k))) return;
    for (uint32_t i = 0; i < k->size; i++)
        if (from->left[i] != NODE_NEVER_ID)
            into->left[i] =
                ir_alt2(ir, into->left[i], ir_seq2(ir, from->left[i], tail));
}

static const Split *split_find(const Knot *k, NodeId id)
{
    for (MapPos p = map_first(&k->index, hash_mix(0, id)); p.value != MAP_NONE;
         p = map_next(&k->index, hash_mix(0, id), p))
        if (k->split_node.at[p.value] == id) return &k->splits.at[p.value];
    return NULL;
}

static void split_store(Knot *k, NodeId id, Split split)
{
    if (!vec_push(k->ir->mem, &k->splits, split) ||
        !vec_push(k->ir->mem, &k->split_node, id) ||
        !map_add(k->ir->mem, &k->index, hash_mix(0, id), k->splits.count - 1))
        diag_no_memory(&k->ir->error);
}

/* Operands that a text of the node may begin with: pushes those without a
 * split; true if all have theirs. */
typedef VEC(NodeId) NodeStack;

static bool want_split(Knot *k, NodeId kid, NodeStack *todo)
{
    return split_find(k, kid) || vec_push(k->ir->mem, todo, kid) ||
           diag_no_memory(&k->ir->error);
}

static void want_items(Knot *k, const ListSpec *list, NodeStack *todo)
{
    for (uint32_t i = 0; i < list->nkinds && ir_ok(k->ir); i++) {
        want_split(k, list->kinds[i].head, todo);
        if (is_nullable(k, list->kinds[i].head))
            want_split(k, list->kinds[i].tail, todo);
    }
}

static bool operands_ready(Knot *k, Node n, NodeStack *todo)
{
    uint32_t before = todo->count;
    if (n.kind == NODE_LIST) want_items(k, ir_node_list(k->ir, n), todo);
    uint32_t nkids = n.kind == NODE_SEQ || n.kind == NODE_ALT ? n.b
                     : n.kind == NODE_REPEAT                  ? 1
                                                              : 0;
    for (uint32_t i = 0; i < nkids; i++) {
        NodeId kid = n.kind == NODE_REPEAT ? n.a : k->ir->kids.at[n.a + i];
        if (!want_split(k, kid, todo)) return false;
        if (n.kind == NODE_SEQ && !is_nullable(k, kid)) break;
    }
    return todo->count == before;
}

/* kids[first..] as one expression. */
static NodeId seq_tail(Knot *k, Node n, uint32_t first)
{
    uint32_t count = n.b - first;
    NodeId *kids = mem_new(k->ir->mem, (count + 1) * sizeof *kids);
    if (!kids) return diag_no_memory(&k->ir->error), NODE_NEVER_ID;
    memcpy(kids, k->ir->kids.at + n.a + first, count * sizeof *kids);
    NodeId tail = ir_seq(k->ir, kids, count);
    mem_free(k->ir->mem, kids, (count + 1) * sizeof *kids);
    return tail;
}

static void split_seq(Knot *k, Node n, Split *out)
{
    for (uint32_t i = 0; i < n.b; i++) {
        NodeId kid = k->ir->kids.at[n.a + i];
        Split part = *split_find(k, kid);
        split_add(k, out, &part, seq_tail(k, n, i + 1));
        if (!ir_ok(k->ir) || !is_nullable(k, kid)) return;
    }
}

static void split_repeat(Knot *k, Node n, Split *out)
{
    uint32_t lo = n.b ? n.b - 1 : 0;
    uint32_t hi = n.c == REPEAT_INF ? REPEAT_INF : n.c - 1;
    Split part = *split_find(k, n.a);
    split_add(k, out, &part, ir_repeat(k->ir, n.a, lo, hi));
}

/* Whether an item may begin with a rule of the knot. */
static bool list_is_left(Knot *k, const ListSpec *list)
{
    for (uint32_t i = 0; i < list->nkinds; i++) {
        const ListKind *kind = &list->kinds[i];
        if (split_find(k, kind->head)->left) return true;
        if (is_nullable(k, kind->head) && split_find(k, kind->tail)->left)
            return true;
    }
    return false;
}

/* Rules do not know what came before. */
static bool check_unique(Knot *k, const ListSpec *list)
{
    const Rule *rule = &k->ir->rules.at[k->member[0]];
    for (uint32_t i = 0; i < list->nkinds; i++)
        if (list->kinds[i].unique)
            return diag_fail(
                &k->ir->error, WEIR_UNSUPPORTED, rule->begin, rule->end,
                "rule '%.*s' begins with a list whose items must be unique "
                "and may begin with it",
                (int)MIN(rule->name.size, 60), (const char *)rule->name.at);
    return true;
}

/* The first item is taken apart; what follows becomes rules. */
static void split_list(Knot *k, const ListSpec *list, Split *out)
{
    Ir *ir = k->ir;
    ListSpec l = *list; /* the IR's lists may move */
    if (!check_unique(k, list)) return;
    NodeId *after = mem_new(ir->mem, l.nkinds * sizeof *after);
    if (!after) diag_no_memory(&ir->error);
    bool ok = after && list_rules(ir, k->lowered, &l, after);
    for (uint32_t i = 0; ok && i < l.nkinds && ir_ok(ir); i++) {
        ListKind kind = l.kinds[i];
        if (after[i] == NODE_NEVER_ID) continue;
        Split part = *split_find(k, kind.head);
        split_add(k, out, &part, ir_seq2(ir, kind.tail, after[i]));
        if (!is_nullable(k, kind.head)) continue;
        part = *split_find(k, kind.tail);
        split_add(k, out, &part, after[i]);
    }
    mem_free(ir->mem, after, l.nkinds * sizeof *after);
}

static Split split_of(Knot *k, NodeId id)
{
    Node n = ir_node(k->ir, id);
    Split out = {NULL, NODE_NEVER_ID};
    if (n.kind == NODE_RULE && k->graph->knot.at[n.a] == k->number) {
        out.left = left_new(k);
        if (out.left) out.left[member_of(k, n.a)] = NODE_EMPTY_ID;
    } else if (n.kind == NODE_SEQ) {
        split_seq(k, n, &out);
    } else if (n.kind == NODE_ALT) {
        for (uint32_t i = 0; i < n.b && ir_ok(k->ir); i++) {
            Split part = *split_find(k, k->ir->kids.at[n.a + i]);
            split_add(k, &out, &part, NODE_EMPTY_ID);
        }
    } else if (n.kind == NODE_REPEAT) {
        split_repeat(k, n, &out);
    } else if (ir_is_automaton(n)) {
        out.rest = regular_nonempty(k->ir, n);
    } else if (n.kind == NODE_LIST && list_is_left(k, ir_node_list(k->ir, n))) {
        split_list(k, ir_node_list(k->ir, n), &out);
    } else if (n.kind != NODE_EMPTY) {
        out.rest = id;
    }
    return out;
}

/* The split of a whole body, operands first. */
static Split split_body(Knot *k, NodeId body)
{
    NodeStack todo = {0};
    Split none = {NULL, NODE_NEVER_ID};
    if (!vec_push(k->ir->mem, &todo, body)) diag_no_memory(&k->ir->error);
    while (todo.count && ir_ok(k->ir)) {
        NodeId id = todo.at[todo.count - 1];
        if (!operands_ready(k, ir_node(k->ir, id), &todo)) continue;
        todo.count--;
        if (!split_find(k, id)) split_store(k, id, split_of(k, id));
    }
    vec_free(k->ir->mem, &todo);
    return ir_ok(k->ir) ? *split_find(k, body) : none;
}

/* A factor used several times: as a rule of its own unless it is a leaf. */
static NodeId factor_share(Knot *k, NodeId node)
{
    Ir *ir = k->ir;
    NodeKind kind = ir_node(ir, node).kind;
    if (kind != NODE_SEQ && kind != NODE_ALT && kind != NODE_REPEAT)
        return node;
    if (!ir_ok(ir) || is_nullable(k, node)) return node;
    RuleId rule = ir_rule_new(ir, SPAN("loop"), 0);
    if (ir_ok(ir) && !vec_push(ir->mem, &k->lowered->body, node))
        diag_no_memory(&ir->error);
    return ir_ok(ir) ? ir_ref(ir, rule) : node;
}

/* A_ii*, written as "one or more, or nothing" so that it can be shared. */
static NodeId star_of(Knot *k, NodeId a)
{
    NodeId loop = ir_repeat(k->ir, a, 1, REPEAT_INF);
    if (k->size > 1) loop = factor_share(k, loop);
    return ir_optional(k->ir, loop);
}

/* An expression less the empty text, for loops: only the shapes that splits
 * make (ALT and SEQ of nullable parts) can hold it. */
static NodeId drop_empty(Knot *k, NodeId node)
{
    Ir *ir = k->ir;
    if (!knot_charge(k, 1) || !is_nullable(k, node)) return node;
    Node n = ir_node(ir, node);
    NodeId out = NODE_NEVER_ID;
    if (ir_is_automaton(n)) {
        out = regular_nonempty(ir, n);
    } else if (n.kind == NODE_ALT) {
        for (uint32_t i = 0; i < n.b && ir_ok(ir); i++)
            out = ir_alt2(ir, out, drop_empty(k, ir->kids.at[n.a + i]));
    } else if (n.kind == NODE_SEQ) {
        for (uint32_t i = 0; i < n.b && ir_ok(ir); i++) {
            NodeId head = drop_empty(k, ir->kids.at[n.a + i]);
            out = ir_alt2(ir, out, ir_seq2(ir, head, seq_tail(k, n, i + 1)));
        }
    } else if (n.kind == NODE_REPEAT) {
        out = ir_repeat(ir, n.a, MAX(n.b, 1), n.c);
    }
    return out;
}

/* Removes member i from the equations of the later ones. */
static void eliminate(Knot *k, Split *eq, uint32_t i)
{
    Ir *ir = k->ir;
    if (!eq[i].left) return;
    NodeId loop = drop_empty(k, eq[i].left[i]);
    NodeId star = loop == NODE_NEVER_ID ? NODE_EMPTY_ID : star_of(k, loop);
    eq[i].left[i] = NODE_NEVER_ID;
    Split solved = {NULL, NODE_NEVER_ID};
    split_add(k, &solved, &eq[i], star);
    if (k->size > 1) solved.rest = factor_share(k, solved.rest);
    for (uint32_t j = i + 1; j < k->size && ir_ok(ir); j++) {
        NodeId a = eq[j].left ? eq[j].left[i] : NODE_NEVER_ID;
        if (a == NODE_NEVER_ID) continue;
        eq[j].left[i] = NODE_NEVER_ID;
        split_add(k, &eq[j], &solved, a);
    }
    eq[i] = solved;
}

static NodeId equation_body(Knot *k, const Split *eq)
{
    NodeId body = eq->rest;
    for (uint32_t j = 0; eq->left && j < k->size; j++)
        body =
            ir_alt2(k->ir, body,
                    ir_seq2(k->ir, ir_ref(k->ir, k->member[j]), eq->left[j]));
    return body;
}

/* An occurrence of a left-recursive rule is no call any more, so a budget or
 * a capture of it could not be kept. */
static bool check_options(const Knot *k)
{
    for (uint32_t i = 0; i < k->size; i++) {
        const Rule *rule = &k->ir->rules.at[k->member[i]];
        const uint32_t lost = RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS |
                              RULE_HAS_CAPTURE | RULE_HAS_STOP_CAPTURE;
        if (rule->options && rule->options->has & lost)
            return diag_fail(
                &k->ir->error, WEIR_UNSUPPORTED, rule->begin, rule->end,
                "rule '%.*s' begins with itself, so it cannot "
                "have a budget or a capture",
                (int)MIN(rule->name.size, 60), (const char *)rule->name.at);
    }
    return true;
}

static void knot_solve(Knot *k)
{
    Ir *ir = k->ir;
    if (!check_options(k)) return;
    Split *eq = arena_array(&k->arena, Split, k->size);
    if (!eq) diag_no_memory(&ir->error);
    for (uint32_t i = 0; i < k->size && ir_ok(ir); i++) {
        Split split = split_body(k, k->lowered->body.at[k->member[i]]);
        eq[i] = (Split){NULL, NODE_NEVER_ID}; /* own copy: it is changed */
        split_add(k, &eq[i], &split, NODE_EMPTY_ID);
    }
    for (uint32_t i = 0; i < k->size && ir_ok(ir); i++) eliminate(k, eq, i);
    for (uint32_t i = 0; i < k->size && ir_ok(ir); i++)
        k->lowered->body.at[k->member[i]] = equation_body(k, &eq[i]);
}

static void knot_free(Knot *k)
{
    const Mem *mem = k->ir->mem;
    vec_free(mem, &k->nullables.is);
    vec_free(mem, &k->splits);
    vec_free(mem, &k->split_node);
    map_free(mem, &k->index);
    arena_free(&k->arena);
}

bool leftrec_run(Ir *ir, Lowered *lowered)
{
    RuleGraph graph;
    uint64_t work = 0;
    if (!rulegraph_build(ir, lowered, true, &graph))
        return diag_no_memory(&ir->error);
    for (uint32_t i = 0, j; i < graph.order.count && ir_ok(ir); i = j) {
        RuleId first = graph.order.at[i];
        uint32_t number = graph.knot.at[first];
        for (j = i; j < graph.order.count &&
                    graph.knot.at[graph.order.at[j]] == number;)
            j++;
        if (!graph.is_cyclic.at[first]) continue;
        Knot k = {.ir = ir,
                  .lowered = lowered,
                  .graph = &graph,
                  .member = graph.order.at + i,
                  .size = j - i,
                  .number = number,
                  .work = &work};
        arena_init(&k.arena, ir->mem, KNOT_MEMORY);
        knot_solve(&k);
        knot_free(&k);
    }
    rulegraph_free(&graph);
    return ir_ok(ir);
}
