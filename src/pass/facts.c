/* facts.c: properties of nodes, by propagation from the leaves.
 *
 * In:    an Ir whose rules are all defined.   Out: Facts.
 * A node waits for `need` of its operands: all of a SEQ's, one of an ALT's or
 * a REPEAT's with lo > 0, the body of a RULE. (For `solid` one of a SEQ's, if
 * all are productive.) A fact, once true, is told to
 * each node that has the operand; every (operand, user) pair is told once.
 * Cost: linear in nodes and operands.    Tests: unit/lower_test.c.
 */
#include "pass/facts.h"

void node_each_kid(const Ir *ir, Node n, void (*visit)(void *user, NodeId kid),
                   void *user)
{
    if (n.kind == NODE_REPEAT) visit(user, n.a);
    if (n.kind != NODE_SEQ && n.kind != NODE_ALT) return;
    for (uint32_t i = 0; i < n.b; i++) visit(user, ir->kids.at[n.a + i]);
}

typedef struct Users {
    uint32_t *start; /* by node: first user; nnodes + 1 entries */
    uint32_t *user;
    uint32_t nnodes, nusers;
    uint32_t cursor; /* the node whose operands are visited */
} Users;

static void count_user(void *p, NodeId kid)
{
    Users *u = p;
    u->start[kid + 1]++;
    u->nusers++;
}

static void place_user(void *p, NodeId kid)
{
    Users *u = p;
    u->user[u->start[kid]++] = u->cursor;
}

/* Visits every (operand, user) pair; a RULE node uses its rule's body. */
static void each_pair(const Ir *ir, Users *u, void (*visit)(void *, NodeId))
{
    for (u->cursor = 0; u->cursor < u->nnodes; u->cursor++) {
        Node n = ir->nodes.at[u->cursor];
        if (n.kind == NODE_RULE)
            visit(u, ir->rules.at[n.a].body);
        else
            node_each_kid(ir, n, visit, u);
    }
}

static bool users_find(const Ir *ir, Users *u)
{
    *u = (Users){.nnodes = ir->nodes.count};
    size_t nstart = (size_t)u->nnodes + 2;
    u->start = mem_zero(ir->mem, nstart * sizeof *u->start);
    if (!u->start) return false;
    each_pair(ir, u, count_user);
    u->user = mem_new(ir->mem, ((size_t)u->nusers + 1) * sizeof *u->user);
    if (!u->user) return false;
    for (uint32_t i = 0; i < u->nnodes; i++) u->start[i + 1] += u->start[i];
    each_pair(ir, u, place_user);
    memmove(u->start + 1, u->start, u->nnodes * sizeof *u->start);
    u->start[0] = 0;
    return true;
}

static void users_free(const Mem *mem, Users *u)
{
    mem_free(mem, u->start, ((size_t)u->nnodes + 2) * sizeof *u->start);
    mem_free(mem, u->user, ((size_t)u->nusers + 1) * sizeof *u->user);
}

/* A property under propagation. */
typedef struct Property {
    const Ir *ir;
    const Users *users;
    const TokenSets *sets;
    uint32_t *gate; /* by node: what else must hold; NULL: nothing */
    bool any_of_seq;
    uint8_t *fact;
    uint32_t *queue, *need; /* scratch, one entry a node */
} Property;

static bool tokens_productive(const Property *p, NodeId id)
{
    return tokens_find(p->sets, id) != NODE_NEVER_ID;
}

/* True without looking at operands. */
static bool leaf_productive(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    switch (n.kind) {
    case NODE_EMPTY:
    case NODE_BYTES:
    case NODE_CLASS:
    case NODE_REGULAR:
        return true;
    case NODE_TOKENS:
        return tokens_productive(p, id);
    case NODE_REPEAT:
        return n.b == 0;
    default:
        return false;
    }
}

static bool leaf_nullable(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (n.kind == NODE_REGULAR) return p->ir->dfas.at[n.a].accepts[0];
    return n.kind == NODE_EMPTY || (n.kind == NODE_REPEAT && n.b == 0);
}

static bool leaf_solid(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (n.kind == NODE_TOKENS) return tokens_productive(p, id);
    if (n.kind == NODE_REGULAR) {
        const Dfa *d = &p->ir->dfas.at[n.a];
        return d->edge_start[d->nstates] > 0;
    }
    return n.kind == NODE_BYTES || n.kind == NODE_CLASS;
}

/* A rule of no characters that may be empty must be. */
static bool is_shut(const Property *p, const Facts *facts, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (n.kind != NODE_RULE || !facts->nullable[id]) return false;
    const RuleOptions *o = p->ir->rules.at[n.a].options;
    return o && o->has & RULE_HAS_MAX_CHARS && !o->max_chars;
}

static void propagate(Property *p, bool (*leaf)(const Property *, NodeId))
{
    const Users *u = p->users;
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < u->nnodes; i++) {
        Node n = ir_node(p->ir, i);
        p->need[i] = n.kind == NODE_SEQ && !p->any_of_seq ? n.b : 1;
        p->fact[i] = leaf(p, i);
        if (p->fact[i]) p->queue[tail++] = i;
    }
    while (head < tail) {
        NodeId kid = p->queue[head++];
        for (uint32_t i = u->start[kid]; i < u->start[kid + 1]; i++) {
            NodeId user = u->user[i];
            if (p->fact[user] || (p->gate && !p->gate[user])) continue;
            if (--p->need[user]) continue;
            p->fact[user] = 1;
            p->queue[tail++] = user;
        }
    }
}

static void find_all(const Ir *ir, const Users *users, const TokenSets *sets,
                     uint32_t *scratch, Facts *facts)
{
    Property p = {.ir = ir,
                  .users = users,
                  .sets = sets,
                  .queue = scratch,
                  .need = scratch + users->nnodes};
    p.fact = facts->productive;
    propagate(&p, leaf_productive);
    p.fact = facts->nullable;
    propagate(&p, leaf_nullable);
    p.fact = facts->solid;
    p.gate = scratch + 2 * (size_t)users->nnodes;
    p.any_of_seq = true;
    for (NodeId id = 0; id < users->nnodes; id++)
        p.gate[id] = facts->productive[id] && !is_shut(&p, facts, id);
    propagate(&p, leaf_solid);
}

bool facts_find(Ir *ir, const TokenSets *sets, Facts *facts)
{
    Users users;
    size_t n = ir->nodes.count;
    *facts = (Facts){.nnodes = ir->nodes.count};
    uint32_t *scratch = mem_new(ir->mem, 3 * n * sizeof *scratch);
    facts->productive = mem_new(ir->mem, n);
    facts->nullable = mem_new(ir->mem, n);
    facts->solid = mem_new(ir->mem, n);
    bool ok = users_find(ir, &users) && scratch && facts->productive &&
              facts->nullable && facts->solid;
    if (ok) find_all(ir, &users, sets, scratch, facts);
    users_free(ir->mem, &users);
    mem_free(ir->mem, scratch, 3 * n * sizeof *scratch);
    if (!ok) facts_free(ir->mem, facts);
    return ok || diag_no_memory(&ir->error);
}

void facts_free(const Mem *mem, Facts *facts)
{
    mem_free(mem, facts->productive, facts->nnodes);
    mem_free(mem, facts->nullable, facts->nnodes);
    mem_free(mem, facts->solid, facts->nnodes);
    *facts = (Facts){0};
}
