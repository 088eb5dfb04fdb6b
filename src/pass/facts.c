/* facts.c: properties of nodes, by propagation from the leaves.
 *
 * In:    an Ir whose rules are all defined.   Out: Facts.
 * A node waits for `need` of its operands: all of a SEQ's, one of an ALT's or
 * a REPEAT's with lo > 0, the body of a RULE. A SEQ is solid if each operand
 * that is not nullable is, and one at least. A fact, once true, is told to
 * each node that has the operand; every (operand, user) pair is told once.
 * A LIST that was told of something is looked at when nothing else is left to
 * tell: it is solid if the kinds that have items so far can make a list.
 * Productive is what is nullable or solid.
 * Cost: linear in nodes and operands, and a look at a list for each time that
 * more of its kinds have items.    Tests: unit/lower_test.c.
 */
#include "pass/facts.h"

#include "pass/list_count.h"

NodeId node_rewrite_kids(Ir *ir, NodeId id, const NodeId *by)
{
    Node n = ir_node(ir, id);
    uint32_t i = 0;
    while (i < n.b && by[ir->kids.at[n.a + i]] == ir->kids.at[n.a + i]) i++;
    if (i == n.b) return id;
    NodeId *kids = mem_new(ir->mem, n.b * sizeof *kids);
    if (!kids) return diag_no_memory(&ir->error), NODE_NEVER_ID;
    for (i = 0; i < n.b; i++) kids[i] = by[ir->kids.at[n.a + i]];
    NodeId made =
        n.kind == NODE_SEQ ? ir_seq(ir, kids, n.b) : ir_alt(ir, kids, n.b);
    mem_free(ir->mem, kids, n.b * sizeof *kids);
    return made;
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

#define ANY UINT32_MAX /* in place of a number of operands: one of them */

/* A property under propagation. */
typedef struct Property {
    Ir *ir;
    const Users *users;
    const TokenSets *sets;
    uint8_t *fact;
    const uint8_t *nullable;        /* NULL: this is about it */
    uint32_t *queue, *need, *lists; /* scratch, one entry a node */
    uint8_t *is_told;               /* by node: in `lists` */
    uint32_t head, tail, nlists;
} Property;

static bool leaf_nullable(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (ir_is_automaton(n)) return ir_node_dfa(p->ir, n)->accepts[0];
    return n.kind == NODE_EMPTY || (n.kind == NODE_REPEAT && n.b == 0);
}

static bool leaf_solid(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (n.kind == NODE_TOKENS) return tokens_find(p->sets, id) != NODE_NEVER_ID;
    if (ir_is_automaton(n)) {
        const Dfa *d = ir_node_dfa(p->ir, n);
        return d->edge_start[d->nstates] > 0;
    }
    return n.kind == NODE_BYTES || n.kind == NODE_CLASS;
}

/* A rule of no characters that may be empty must be. */
static bool is_shut(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    if (n.kind != NODE_RULE || !p->nullable || !p->nullable[id]) return false;
    const RuleOptions *o = p->ir->rules.at[n.a].options;
    return o && o->has & RULE_HAS_MAX_CHARS && !o->max_chars;
}

/* Of a SEQ for `solid`, operands that are nullable do not count, unless all
 * are: then any one will do. */
static uint32_t count_need(const Property *p, NodeId id)
{
    Node n = ir_node(p->ir, id);
    uint32_t count = 0;
    if (n.kind != NODE_SEQ) return ANY;
    if (!p->nullable) return n.b;
    for (uint32_t i = 0; i < n.b; i++)
        count += !p->nullable[p->ir->kids.at[n.a + i]];
    return count ? count : ANY;
}

static void tell(Property *p, NodeId kid, NodeId user)
{
    if (p->fact[user] || is_shut(p, user)) return;
    if (ir_node(p->ir, user).kind == NODE_LIST) {
        if (!p->nullable || p->is_told[user]) return;
        p->is_told[user] = 1;
        p->lists[p->nlists++] = user;
        return;
    }
    if (p->need[user] != ANY) {
        if (p->nullable && p->nullable[kid]) return;
        if (--p->need[user]) return;
    }
    p->fact[user] = 1;
    p->queue[p->tail++] = user;
}

static bool is_productive(const Property *p, NodeId id)
{
    return p->fact[id] || p->nullable[id];
}

static bool kind_is_live(const Property *p, const ListKind *k)
{
    return is_productive(p, k->head) && is_productive(p, k->tail) &&
           (p->fact[k->head] || p->fact[k->tail]);
}

/* Whether an item of the kind alone makes a list, as far as its own counters
 * know. */
static bool kind_is_enough(const ListSpec *list, const ListKind *k)
{
    for (uint32_t i = 0; i < k->ncounters; i++)
        if (!list->counters[k->counters[i]].hi) return false;
    return true;
}

static bool any_is_enough(const Property *p, const ListSpec *list)
{
    for (uint32_t i = 0; i < list->nkinds; i++)
        if (kind_is_live(p, &list->kinds[i]) &&
            kind_is_enough(list, &list->kinds[i]))
            return true;
    return false;
}

/* Whether an item of each kind that has a counter of its own, which wants one,
 * makes a list: all that most objects ask. False: it is not so simple. */
static bool list_is_plain(const Property *p, const ListSpec *list)
{
    uint32_t order = 0, next = 0, nitems = 0, nleast = 0;
    if (list->nneeds || list->is_contiguous) return false;
    for (uint32_t i = 0; i < list->ncounters; i++) {
        if (list->counters[i].lo > 1) return false;
        nleast += list->counters[i].lo;
    }
    if (!nleast) return any_is_enough(p, list);
    for (uint32_t i = 0; i < list->nkinds; i++) {
        const ListKind *k = &list->kinds[i];
        if (k->ncounters != 1 || !list->counters[k->counters[0]].lo) continue;
        if (k->order < order || k->counters[0] < next) return false;
        if (!kind_is_live(p, k)) return false;
        order = k->order;
        next = k->counters[0] + 1;
        nitems++;
    }
    return nitems == nleast && is_productive(p, list->separator);
}

/* Whether the kinds that have items now can make a list. */
static bool list_is_live(Property *p, const ListSpec *list)
{
    if (list_is_plain(p, list)) return true;
    Ir *ir = p->ir;
    size_t nbytes = list->nkinds * (sizeof(ListKind) + 1);
    ListKind *kinds = mem_new(ir->mem, nbytes);
    ListSpec now = *list;
    if (!kinds) return diag_no_memory(&ir->error);
    now.kinds = kinds;
    now.nkinds = 0;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        if (kind_is_live(p, &list->kinds[i]))
            kinds[now.nkinds++] = list->kinds[i];
    }
    ListOutlook out = {false, (uint8_t *)(kinds + list->nkinds)};
    SolveAnswer answer =
        listcount_begin(ir->mem, &now, !is_productive(p, now.separator), &out);
    mem_free(ir->mem, kinds, nbytes);
    if (answer == SOLVE_NO_MEMORY) return diag_no_memory(&ir->error);
    return answer == SOLVE_GAVE_UP ? listcount_fail(&ir->error)
                                   : answer == SOLVE_YES;
}

static void look_at_lists(Property *p)
{
    uint32_t count = p->nlists;
    p->nlists = 0;
    for (uint32_t i = 0; i < count && ir_ok(p->ir); i++) {
        NodeId id = p->lists[i];
        p->is_told[id] = 0;
        p->fact[id] = list_is_live(p, ir_node_list(p->ir, ir_node(p->ir, id)));
        if (p->fact[id]) p->queue[p->tail++] = id;
    }
}

static void propagate(Property *p, bool (*leaf)(const Property *, NodeId))
{
    const Users *u = p->users;
    p->head = p->tail = p->nlists = 0;
    for (uint32_t i = 0; i < u->nnodes; i++) {
        p->need[i] = count_need(p, i);
        p->is_told[i] = 0;
        p->fact[i] = leaf(p, i);
        if (p->fact[i]) p->queue[p->tail++] = i;
    }
    do {
        while (p->head < p->tail) {
            NodeId kid = p->queue[p->head++];
            for (uint32_t i = u->start[kid]; i < u->start[kid + 1]; i++)
                tell(p, kid, u->user[i]);
        }
        look_at_lists(p);
    } while (p->head < p->tail && ir_ok(p->ir));
}

static void find_all(Ir *ir, const Users *users, const TokenSets *sets,
                     uint32_t *scratch, Facts *facts)
{
    size_t n = users->nnodes;
    Property p = {.ir = ir,
                  .users = users,
                  .sets = sets,
                  .queue = scratch,
                  .need = scratch + n,
                  .lists = scratch + 2 * n,
                  .is_told = facts->productive};
    p.fact = facts->nullable;
    propagate(&p, leaf_nullable);
    p.nullable = facts->nullable;
    p.fact = facts->solid;
    propagate(&p, leaf_solid);
    for (NodeId id = 0; id < n; id++)
        facts->productive[id] = facts->nullable[id] || facts->solid[id];
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
    if (!ok) diag_no_memory(&ir->error);
    if (!ir_ok(ir)) facts_free(ir->mem, facts);
    return ir_ok(ir);
}

void facts_free(const Mem *mem, Facts *facts)
{
    mem_free(mem, facts->productive, facts->nnodes);
    mem_free(mem, facts->nullable, facts->nnodes);
    mem_free(mem, facts->solid, facts->nnodes);
    *facts = (Facts){0};
}
