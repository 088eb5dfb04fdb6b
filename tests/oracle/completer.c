/* completer.c: ends a text with as few items as possible.
 *
 * Method: rest(x, i) is the least number of items after the text with which
 *         text[i, end) becomes a sentence of node x; rest(x, end) is thus the
 *         length of a shortest sentence. It is the least solution of equations
 *         over the oracle's chart, found by lowering values until nothing
 *         changes, the last position first. Each value is stamped when it is
 *         set; it rests on values with earlier stamps only, so the items are
 *         read off by following, at equal cost, options with earlier stamps.
 * Tests:  unit/oracle_test.c; prop/random_walk_test.c follows it.
 */
#include "oracle/completer.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "oracle/chart.h"

#define FAR (UINT32_MAX / 4)

typedef struct Cost {
    uint32_t n, stamp;
} Cost;

typedef struct Finder {
    Chart chart;
    uint32_t end; /* of the text */
    Cost *rest;   /* by node * (end + 1) + start */
    uint32_t stamp;
    Completion *out;
} Finder;

/* The cheapest option met so far: one operand, read from a position. */
typedef struct Plan {
    Cost cost;
    uint32_t index, start; /* SEQ, ALT: which kid; REPEAT: copies before */
    uint32_t before;       /* only options stamped before this */
} Plan;

static Cost *rest_at(const Finder *f, NodeId node, uint32_t start)
{
    return &f->rest[(size_t)node * (f->end + 1) + start];
}

static Cost plus(Cost a, Cost b)
{
    return (Cost){MIN(a.n + b.n, FAR), MAX(a.stamp, b.stamp)};
}

static Cost times(Cost a, uint32_t count)
{
    uint64_t n = (uint64_t)a.n * count;
    return count ? (Cost){(uint32_t)MIN(n, FAR), a.stamp} : (Cost){0, 0};
}

static void offer(Plan *plan, Cost cost, uint32_t index, uint32_t start)
{
    if (cost.n >= plan->cost.n || cost.stamp >= plan->before) return;
    plan->cost = cost;
    plan->index = index;
    plan->start = start;
}

/* ---- leaves: what they lack, as bytes ---- */

/* The bytes of the lowest character of [lo, hi] that goes on as the text does
 * from `start`, less those that are there. 0: none. */
static uint32_t lack_of_char(const Finder *f, uint32_t start, uint32_t lo,
                             uint32_t hi, uint8_t *bytes)
{
    uint8_t whole[4];
    uint32_t there = f->end - start;
    Char c = {0, lo, hi};
    if (there) c = chart_char(f->chart.text, start);
    if ((there && c.size <= there) || c.lo > hi || c.hi < lo) return 0;
    uint32_t size = utf8_encode(MAX(lo, c.lo), whole);
    memcpy(bytes, whole + there, size - there);
    return size - there;
}

static uint32_t lack_of_class(const Finder *f, Node n, uint32_t start,
                              uint8_t *bytes)
{
    const Range *r = ir_node_ranges(f->chart.ir, n);
    for (uint32_t i = 0; i < n.b; i++) {
        uint32_t size = lack_of_char(f, start, r[i].lo, r[i].hi, bytes);
        if (size) return size;
    }
    return FAR;
}

static uint32_t lack_of_bytes(const Finder *f, Node n, uint32_t start)
{
    Span want = ir_node_bytes(f->chart.ir, n);
    uint32_t there = f->end - start;
    if (there >= n.b) return FAR;
    for (uint32_t i = 0; i < there; i++)
        if (f->chart.text->byte[start + i] != want.at[i]) return FAR;
    return n.b - there;
}

/* ---- regular nodes ---- */

/* What an edge to `to` adds to the way: with ticks, the characters count more
 * than everything else. */
static uint32_t edge_cost(const uint8_t *ticks, uint32_t to)
{
    return ticks && ticks[to] ? 1 + 4 * DFA_MAX : 1;
}

/* By state: what it costs to get to the nearest accepting one. */
static void dfa_distances(const Dfa *dfa, const uint8_t *ticks, uint32_t *far)
{
    assert(dfa->nstates <= DFA_MAX);
    for (uint32_t s = 0; s < dfa->nstates; s++)
        far[s] = dfa->accepts[s] ? 0 : FAR;
    for (uint32_t round = 0; round < dfa->nstates; round++)
        for (uint32_t s = 0; s < dfa->nstates; s++)
            for (uint32_t e = dfa->edge_start[s]; e < dfa->edge_start[s + 1];
                 e++)
                far[s] = MIN(far[s], far[dfa->edges[e].to] +
                                         edge_cost(ticks, dfa->edges[e].to));
}

/* The edge that reads the text from *start whole, or UINT32_MAX. */
static uint32_t dfa_edge(const Finder *f, const Dfa *dfa, uint32_t state,
                         uint32_t *start)
{
    Char c = chart_char(f->chart.text, *start);
    if (!c.size || *start + c.size > f->end) return UINT32_MAX;
    for (uint32_t e = dfa->edge_start[state]; e < dfa->edge_start[state + 1];
         e++)
        if (dfa->edges[e].lo <= c.lo && c.lo <= dfa->edges[e].hi) {
            *start += c.size;
            return e;
        }
    return UINT32_MAX;
}

/* Bytes to the end of a near sentence (not always the nearest), written to
 * `out` unless NULL; FAR when there is none. */
static uint32_t lack_of_regular(const Finder *f, Node n, uint32_t start,
                                Completion *out)
{
    const Dfa *dfa = ir_node_dfa(f->chart.ir, n);
    const BoundedSpec *spec = NULL;
    if (n.kind == NODE_BOUNDED) spec = ir_node_bounded(f->chart.ir, n);
    const uint8_t *ticks = spec ? spec->ticks : NULL;
    uint32_t far[DFA_MAX], state = 0, total = 0, nchars = 0;
    dfa_distances(dfa, ticks, far);
    while (start < f->end) {
        uint32_t e = dfa_edge(f, dfa, state, &start);
        if (e == UINT32_MAX) break;
        state = dfa->edges[e].to;
        nchars += spec ? ticks[state] : 0;
    }
    while (start < f->end || far[state]) {
        uint32_t size = 0, next = UINT32_MAX, least = UINT32_MAX;
        uint8_t bytes[4], best[4];
        for (uint32_t e = dfa->edge_start[state];
             e < dfa->edge_start[state + 1]; e++) {
            DfaEdge edge = dfa->edges[e];
            uint32_t k = lack_of_char(f, start, edge.lo, edge.hi, bytes);
            uint32_t cost = edge_cost(ticks, edge.to) + far[edge.to];
            if (!k || cost >= least) continue;
            least = cost;
            memcpy(best, bytes, k);
            size = k;
            next = edge.to;
        }
        if (next == UINT32_MAX) return FAR;
        for (uint32_t i = 0; out && i < size; i++)
            out->items[out->count++] = (Item){UINT32_MAX, best[i]};
        total += size;
        state = next;
        nchars += spec ? ticks[state] : 0;
        start = f->end;
    }
    return spec && nchars > spec->hi ? FAR : total;
}

/* ---- inner nodes: which operand to end ---- */

static void plan_seq(const Finder *f, Node n, uint32_t start, Plan *plan)
{
    const NodeId *kid = ir_node_kids(f->chart.ir, n);
    Set at = (Set)1 << start;
    for (uint32_t i = 0; i < n.b; i++) {
        Cost tail = {0, 0};
        for (uint32_t k = i + 1; k < n.b; k++)
            tail = plus(tail, *rest_at(f, kid[k], f->end));
        for (Set left = at; left; left &= left - 1) {
            uint32_t pos = bit_lowest(left);
            offer(plan, plus(*rest_at(f, kid[i], pos), tail), i, pos);
        }
        at = chart_read(&f->chart, kid[i], at).ends;
    }
}

static void plan_alt(const Finder *f, Node n, uint32_t start, Plan *plan)
{
    for (uint32_t i = 0; i < n.b; i++)
        offer(plan, *rest_at(f, ir_node_kids(f->chart.ir, n)[i], start), i,
              start);
}

static uint32_t copies_left(Node n, uint32_t done)
{
    return n.b > done ? n.b - done : 0;
}

static void plan_repeat(const Finder *f, Node n, uint32_t start, Plan *plan)
{
    Set at = (Set)1 << start;
    for (uint32_t i = 0; i < n.c && i <= f->end - start + 2; i++) {
        Cost tail = times(*rest_at(f, n.a, f->end), copies_left(n, i + 1));
        for (Set left = at; left; left &= left - 1) {
            uint32_t pos = bit_lowest(left);
            offer(plan, plus(*rest_at(f, n.a, pos), tail), i, pos);
        }
        at = chart_read(&f->chart, n.a, at).ends;
    }
}

static bool is_ended(const Finder *f, NodeId node, uint32_t start)
{
    return chart_fact(&f->chart, node, start)->ends >> f->end & 1;
}

/* ---- lists ---- */

/* How a list is ended: what is in progress, and the state after its item. */
typedef struct ListPlan {
    Cost cost;
    uint32_t kind, to;              /* of the item */
    uint32_t separator, head, tail; /* where each begins; OVER: it is over */
} ListPlan;

#define OVER UINT32_MAX

/* A list being ended, with operands stamped before `before`. */
typedef struct ListFinder {
    const Finder *f;
    const ListSpec *list;
    const ListStates *states;
    const bool *live;
    uint32_t before;
    Cost rest[LIST_STATES_MAX]; /* by state: from after its last item */
    ListPlan best;
} ListFinder;

static Cost rest_of(const ListFinder *l, NodeId node, uint32_t start)
{
    if (start == OVER) return (Cost){0, 0};
    Cost cost = *rest_at(l->f, node, start);
    if (is_ended(l->f, node, start)) return (Cost){0, 0};
    return cost.stamp < l->before ? cost : (Cost){FAR, 0};
}

static uint32_t state_after(const ListFinder *l, uint32_t s, uint32_t k)
{
    uint32_t to = l->states->at[s].next[k];
    bool open =
        to && l->live[to] && chart_usable(&l->f->chart, &l->list->kinds[k]);
    return open ? to : 0;
}

static void offer_item(ListFinder *l, ListPlan plan)
{
    const ListKind *kind = &l->list->kinds[plan.kind];
    plan.cost = rest_of(l, l->list->separator, plan.separator);
    plan.cost = plus(plan.cost, rest_of(l, kind->head, plan.head));
    plan.cost = plus(plan.cost, rest_of(l, kind->tail, plan.tail));
    plan.cost = plus(plan.cost, l->rest[plan.to]);
    if (plan.cost.n < l->best.cost.n) l->best = plan;
}

/* The best next item at the end of the text, from state s. */
static void offer_next(ListFinder *l, uint32_t s, uint32_t separator)
{
    uint32_t end = l->f->end;
    for (uint32_t k = 0; k < l->list->nkinds; k++) {
        uint32_t to = state_after(l, s, k);
        if (to) offer_item(l, (ListPlan){{0, 0}, k, to, separator, end, end});
    }
}

static void find_list_rest(ListFinder *l)
{
    for (uint32_t s = 0; s < l->states->count; s++)
        l->rest[s] = (Cost){l->states->at[s].ends ? 0 : FAR, 0};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 1; s < l->states->count; s++) {
            l->best = (ListPlan){.cost = l->rest[s]};
            offer_next(l, s, l->f->end);
            if (l->best.cost.n >= l->rest[s].n) continue;
            l->rest[s] = l->best.cost;
            changed = true;
        }
    }
}

/* Items from state s in the text at `at`. */
static void offer_items_at(ListFinder *l, uint32_t s, uint32_t at)
{
    for (uint32_t k = 0; k < l->list->nkinds; k++) {
        uint32_t to = state_after(l, s, k);
        if (!to) continue;
        NodeId head = l->list->kinds[k].head;
        offer_item(l, (ListPlan){{0, 0}, k, to, OVER, at, l->f->end});
        Set ends = chart_fact(&l->f->chart, head, at)->ends;
        for (; ends; ends &= ends - 1)
            offer_item(l,
                       (ListPlan){{0, 0}, k, to, OVER, OVER, bit_lowest(ends)});
    }
}

static void find_list_plan(ListFinder *l, const Finder *f, Node n,
                           uint32_t start, uint32_t before)
{
    static Set reach[LIST_STATES_MAX];
    const Chart *c = &f->chart;
    *l = (ListFinder){.f = f,
                      .list = ir_node_list(c->ir, n),
                      .states = &c->lists[n.a],
                      .live = c->live[n.a],
                      .before = before};
    find_list_rest(l);
    l->best = (ListPlan){.cost = {FAR, 0}};
    chart_list_reach(c, n, start, reach);
    offer_items_at(l, 0, start);
    for (uint32_t s = 1; s < l->states->count; s++)
        for (Set left = reach[s]; left; left &= left - 1) {
            uint32_t at = bit_lowest(left);
            offer_next(l, s, at);
            Set ends = chart_fact(c, l->list->separator, at)->ends;
            for (; ends; ends &= ends - 1)
                offer_items_at(l, s, bit_lowest(ends));
        }
}

static void plan_list(const Finder *f, Node n, uint32_t start, Plan *plan)
{
    static ListFinder l;
    find_list_plan(&l, f, n, start, plan->before);
    offer(plan, l.best.cost, 0, start);
}

static void plan_node(const Finder *f, NodeId node, uint32_t start, Plan *plan)
{
    Node n = ir_node(f->chart.ir, node);
    uint8_t bytes[4];
    if (is_ended(f, node, start)) {
        offer(plan, (Cost){0, 0}, 0, start);
        return;
    }
    switch (n.kind) {
    case NODE_SEQ:
        plan_seq(f, n, start, plan);
        break;
    case NODE_ALT:
        plan_alt(f, n, start, plan);
        break;
    case NODE_REPEAT:
        plan_repeat(f, n, start, plan);
        break;
    case NODE_LIST:
        plan_list(f, n, start, plan);
        break;
    case NODE_RULE:
        offer(plan, *rest_at(f, f->chart.ir->rules.at[n.a].body, start), 0,
              start);
        break;
    case NODE_BYTES:
        offer(plan, (Cost){lack_of_bytes(f, n, start), 0}, 0, start);
        break;
    case NODE_CLASS:
        offer(plan, (Cost){lack_of_class(f, n, start, bytes), 0}, 0, start);
        break;
    case NODE_REGULAR:
    case NODE_BOUNDED:
        offer(plan, (Cost){lack_of_regular(f, n, start, NULL), 0}, 0, start);
        break;
    case NODE_TOKENS:
        if (start == f->end && f->chart.alive[node])
            offer(plan, (Cost){1, 0}, 0, start);
        break;
    default:
        break;
    }
}

static void find_rest(Finder *f, uint32_t start)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeId x = 0; x < f->chart.ir->nodes.count; x++) {
            Plan plan = {.cost = *rest_at(f, x, start), .before = UINT32_MAX};
            uint32_t old = plan.cost.n;
            plan_node(f, x, start, &plan);
            if (plan.cost.n == old) continue;
            *rest_at(f, x, start) = (Cost){plan.cost.n, ++f->stamp};
            changed = true;
        }
    }
}

/* ---- reading the items off ---- */

static void put(Finder *f, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        f->out->items[f->out->count++] = (Item){UINT32_MAX, bytes[i]};
}

static void put_token(Finder *f, Node n)
{
    uint32_t id = 0;
    while (!chart_in_tokens(&f->chart, n, id)) id++;
    f->out->items[f->out->count++] = (Item){id, 0};
}

static void emit(Finder *f, NodeId node, uint32_t start);

static void emit_list(Finder *f, Node n, uint32_t start, uint32_t before)
{
    ListFinder *l = malloc(sizeof *l);
    assert(l);
    find_list_plan(l, f, n, start, before);
    ListPlan p = l->best;
    for (;;) {
        const ListKind *kind = &l->list->kinds[p.kind];
        if (p.separator != OVER) emit(f, l->list->separator, p.separator);
        if (p.head != OVER) emit(f, kind->head, p.head);
        emit(f, kind->tail, p.tail);
        if (!l->rest[p.to].n) break;
        l->best = (ListPlan){.cost = {FAR, 0}};
        offer_next(l, p.to, f->end);
        p = l->best;
    }
    free(l);
}

/* Depth is bounded by the stamps, which fall. */
static void emit(Finder *f, NodeId node, uint32_t start)
{
    const Ir *ir = f->chart.ir;
    Node n = ir_node(ir, node);
    Cost cost = *rest_at(f, node, start);
    uint8_t bytes[4];
    Plan plan = {.cost = {cost.n + 1, 0}, .before = cost.stamp};
    if (is_ended(f, node, start)) return;
    plan_node(f, node, start, &plan);
    assert(plan.cost.n == cost.n);
    switch (n.kind) {
    case NODE_SEQ:
        emit(f, ir_node_kids(ir, n)[plan.index], plan.start);
        for (uint32_t k = plan.index + 1; k < n.b; k++)
            emit(f, ir_node_kids(ir, n)[k], f->end);
        break;
    case NODE_ALT:
        emit(f, ir_node_kids(ir, n)[plan.index], start);
        break;
    case NODE_REPEAT:
        emit(f, n.a, plan.start);
        for (uint32_t k = copies_left(n, plan.index + 1); k > 0; k--)
            emit(f, n.a, f->end);
        break;
    case NODE_LIST:
        emit_list(f, n, start, cost.stamp);
        break;
    case NODE_RULE:
        emit(f, ir->rules.at[n.a].body, start);
        break;
    case NODE_BYTES:
        put(f, ir_node_bytes(ir, n).at + n.b - cost.n, cost.n);
        break;
    case NODE_CLASS:
        put(f, bytes, lack_of_class(f, n, start, bytes));
        break;
    case NODE_REGULAR:
    case NODE_BOUNDED:
        lack_of_regular(f, n, start, f->out);
        break;
    default:
        put_token(f, n);
        break;
    }
}

CompleteResult complete_text(const Ir *ir, RuleId root,
                             const OracleVocab *vocab, const OracleText *text,
                             Completion *out)
{
    NodeId body = ir->rules.at[root].body;
    size_t count = ir->nodes.count * (size_t)(text->size + 1);
    Finder f = {.end = text->size, .out = out};
    f.rest = malloc(count * sizeof *f.rest);
    assert(f.rest);
    for (size_t i = 0; i < count; i++) f.rest[i] = (Cost){FAR, 0};
    chart_make(&f.chart, ir, vocab, text);
    for (uint32_t start = f.end + 1; start-- > 0;) find_rest(&f, start);
    out->count = 0;
    uint32_t need = rest_at(&f, body, 0)->n;
    if (need <= COMPLETION_MAX) emit(&f, body, 0);
    bool is_prefix =
        is_ended(&f, body, 0) || chart_fact(&f.chart, body, 0)->more;
    chart_free(&f.chart);
    free(f.rest);
    if (!is_prefix) return COMPLETE_NONE;
    assert(need > COMPLETION_MAX || out->count == need);
    return need <= COMPLETION_MAX ? COMPLETE_OK : COMPLETE_TOO_LONG;
}
