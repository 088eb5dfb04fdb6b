/* facts.c: productive and nullable nodes, by propagation from the leaves.
 *
 * In:    an Ir whose rules are all defined.   Out: Facts.
 * A node waits for `need` of its operands: all of a SEQ's, one of an ALT's or
 * a REPEAT's with lo > 0, the body of a RULE. A fact, once true, is told to
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

/* True without looking at operands. */
static bool leaf_productive(const Ir *ir, Node n)
{
    (void)ir;
    switch (n.kind) {
    case NODE_EMPTY:
    case NODE_BYTES:
    case NODE_CLASS:
    case NODE_REGULAR:
    case NODE_TOKENS:
        return true;
    case NODE_REPEAT:
        return n.b == 0;
    default:
        return false;
    }
}

static bool leaf_nullable(const Ir *ir, Node n)
{
    if (n.kind == NODE_REGULAR) return ir->dfas.at[n.a].accepts[0];
    return n.kind == NODE_EMPTY || (n.kind == NODE_REPEAT && n.b == 0);
}

/* queue and need: scratch, one entry a node. */
static void propagate(const Ir *ir, const Users *u, uint8_t *fact,
                      bool (*leaf)(const Ir *, Node), uint32_t *queue,
                      uint32_t *need)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < u->nnodes; i++) {
        Node n = ir->nodes.at[i];
        need[i] = n.kind == NODE_SEQ ? n.b : 1;
        fact[i] = leaf(ir, n);
        if (fact[i]) queue[tail++] = i;
    }
    while (head < tail) {
        NodeId kid = queue[head++];
        for (uint32_t i = u->start[kid]; i < u->start[kid + 1]; i++) {
            NodeId user = u->user[i];
            if (fact[user] || --need[user]) continue;
            fact[user] = 1;
            queue[tail++] = user;
        }
    }
}

bool facts_find(Ir *ir, Facts *facts)
{
    Users users;
    size_t n = ir->nodes.count;
    *facts = (Facts){.nnodes = ir->nodes.count};
    uint32_t *scratch = mem_new(ir->mem, 2 * n * sizeof *scratch);
    facts->productive = mem_new(ir->mem, n);
    facts->nullable = mem_new(ir->mem, n);
    bool ok = users_find(ir, &users) && scratch && facts->productive &&
              facts->nullable;
    if (ok) {
        propagate(ir, &users, facts->productive, leaf_productive, scratch,
                  scratch + n);
        propagate(ir, &users, facts->nullable, leaf_nullable, scratch,
                  scratch + n);
    }
    users_free(ir->mem, &users);
    mem_free(ir->mem, scratch, 2 * n * sizeof *scratch);
    if (!ok) facts_free(ir->mem, facts);
    return ok || diag_no_memory(&ir->error);
}

void facts_free(const Mem *mem, Facts *facts)
{
    mem_free(mem, facts->productive, facts->nnodes);
    mem_free(mem, facts->nullable, facts->nnodes);
    *facts = (Facts){0};
}
