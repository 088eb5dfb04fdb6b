/* oracle.c: a naive recogniser over the IR.
 *
 * In:     an Ir without error, a text.  Out: sentence? proper prefix?
 * Method: for every node x and position i of the text, two facts, as the
 *         least ones that satisfy the equations below:
 *             ends(x, i) = { j : x has the sentence text[i, j) }
 *             more(x, i) = text[i, end) is a proper prefix of one of x
 *         Facts at i only rest on facts at i and later, so positions are done
 *         from the last to the first, each by evaluating every node again
 *         until nothing changes. `alive` (x has a finite sentence at all) is
 *         found the same way first: a sentence that was begun counts only if
 *         what must follow is alive.
 * Holds:  facts only grow; a node without a sentence has no facts.
 * Cost:   nodes x positions x rounds (about the depth of the rules).
 * Memory: two tables, made and dropped in each call; asserts on failure.
 * Tests:  unit/oracle_test.c.
 */
#include "oracle/oracle.h"

#include <stdlib.h>

#include "oracle/chart.h"

/* ---- characters ---- */

/* RFC 3629: the first byte gives the length, missing bytes can be anything
 * from 80 to BF, and the code point must need that length. */
Char chart_char(const OracleText *text, uint32_t start)
{
    static const struct {
        int first, last, bias;
        uint32_t lo, hi;
    } forms[] = {{0x00, 0x7F, 0x00, 0, 0x7F},
                 {0xC0, 0xDF, 0xC0, 0x80, 0x7FF},
                 {0xE0, 0xEF, 0xE0, 0x800, 0xFFFF},
                 {0xF0, 0xF7, 0xF0, 0x10000, 0x10FFFF}};
    int first = text->byte[start];
    uint32_t form = 0;
    while (form < 4 && (first < forms[form].first || first > forms[form].last))
        form++;
    if (form == 4) return (Char){0};
    uint32_t lo = (uint32_t)(first - forms[form].bias), hi = lo;
    for (uint32_t i = 1; i <= form; i++) {
        bool is_there = start + i < text->size;
        int byte = is_there ? text->byte[start + i] : 0x80;
        if (byte < 0x80 || byte > 0xBF) return (Char){0};
        lo = lo * 64 + (uint32_t)byte - 0x80;
        hi = hi * 64 + (is_there ? (uint32_t)byte - 0x80 : 63);
    }
    Char c = {form + 1, MAX(lo, forms[form].lo), MIN(hi, forms[form].hi)};
    return c.lo > c.hi ? (Char){0} : c;
}

/* One character of [lo, hi], which holds no surrogates, from `start`. */
static Fact read_char(const OracleText *text, uint32_t start, uint32_t lo,
                      uint32_t hi)
{
    if (start == text->size) return (Fact){.more = true};
    Char c = chart_char(text, start);
    if (!c.size || c.hi < lo || c.lo > hi) return (Fact){0};
    if (start + c.size > text->size) return (Fact){.more = true};
    return (Fact){.ends = (Set)1 << (start + c.size)};
}

static Fact both(Fact x, Fact y)
{
    return (Fact){x.ends | y.ends, x.more || y.more};
}

/* ---- the equations, one a kind of node ---- */

static Fact eval_bytes(const Chart *c, Node n, uint32_t start)
{
    Span want = ir_node_bytes(c->ir, n);
    for (uint32_t i = 0; i < want.size; i++) {
        if (start + i == c->text->size) return (Fact){.more = true};
        if (c->text->byte[start + i] != want.at[i]) return (Fact){0};
    }
    return (Fact){.ends = (Set)1 << (start + want.size)};
}

static Fact eval_class(const Chart *c, Node n, uint32_t start)
{
    Fact f = {0};
    const Range *r = ir_node_ranges(c->ir, n);
    for (uint32_t i = 0; i < n.b; i++)
        f = both(f, read_char(c->text, start, r[i].lo, r[i].hi));
    return f;
}

/* Every state of a Dfa can reach acceptance: what has begun can be ended. */
static Fact eval_regular(const Chart *c, Node n, uint32_t start)
{
    const Dfa *dfa = &c->ir->dfas.at[n.a];
    Fact all = {0};
    uint32_t state = 0;
    for (;;) {
        if (dfa->accepts[state]) all.ends |= (Set)1 << start;
        uint32_t next_start = start, next_state = 0;
        for (uint32_t e = dfa->edge_start[state];
             e < dfa->edge_start[state + 1]; e++) {
            DfaEdge edge = dfa->edges[e];
            Fact f = read_char(c->text, start, edge.lo, edge.hi);
            all.more |= f.more;
            if (!f.ends) continue;
            next_start = bit_lowest(f.ends);
            next_state = edge.to;
        }
        if (next_start == start) return all;
        start = next_start;
        state = next_state;
    }
}

/* Characters to the nearest accepting state: by state. */
static void find_far(const BoundedSpec *spec, uint32_t *far)
{
    const Dfa *dfa = &spec->dfa;
    for (uint32_t s = 0; s < dfa->nstates; s++)
        far[s] = dfa->accepts[s] ? 0 : spec->hi + 1;
    for (uint32_t round = 0; round < dfa->nstates; round++)
        for (uint32_t s = 0; s < dfa->nstates; s++)
            for (uint32_t e = dfa->edge_start[s]; e < dfa->edge_start[s + 1];
                 e++) {
                uint32_t to = dfa->edges[e].to;
                far[s] = MIN(far[s], far[to] + spec->ticks[to]);
            }
}

/* The same, where no more than hi characters are read: the text so far, and
 * what has begun with what it needs, must not be longer. */
static Fact eval_bounded(const Chart *c, Node n, uint32_t start)
{
    const BoundedSpec *spec = ir_node_bounded(c->ir, n);
    const Dfa *dfa = &spec->dfa;
    uint32_t far[DFA_MAX], state = 0, nchars = 0;
    Fact all = {0};
    assert(dfa->nstates <= DFA_MAX);
    find_far(spec, far);
    for (;;) {
        if (dfa->accepts[state]) all.ends |= (Set)1 << start;
        uint32_t next_start = start, next_state = 0;
        for (uint32_t e = dfa->edge_start[state];
             e < dfa->edge_start[state + 1]; e++) {
            DfaEdge edge = dfa->edges[e];
            if (nchars + spec->ticks[edge.to] + far[edge.to] > spec->hi)
                continue;
            Fact f = read_char(c->text, start, edge.lo, edge.hi);
            all.more |= f.more;
            if (!f.ends) continue;
            next_start = bit_lowest(f.ends);
            next_state = edge.to;
        }
        if (next_start == start) return all;
        start = next_start;
        state = next_state;
        nchars += spec->ticks[state];
    }
}

bool chart_in_tokens(const Chart *c, Node n, uint32_t id)
{
    const Range *r = ir_node_ranges(c->ir, n);
    bool found = false;
    for (uint32_t i = 0; i < n.b; i++) found |= r[i].lo <= id && id <= r[i].hi;
    return found != n.c && oracle_by_node(c->vocab->tokens[id], n.c);
}

static Fact eval_tokens(const Chart *c, Node n, NodeId node, uint32_t start)
{
    if (start == c->text->size) return (Fact){.more = c->alive[node]};
    uint32_t id = c->text->token[start];
    if (id == UINT32_MAX || !chart_in_tokens(c, n, id)) return (Fact){0};
    return (Fact){.ends = (Set)1 << c->text->end[start]};
}

/* x from any of the positions `from`. */
Fact chart_read(const Chart *c, NodeId x, Set from)
{
    Fact f = {0};
    for (; from; from &= from - 1)
        f = both(f, *chart_fact(c, x, bit_lowest(from)));
    return f;
}

static Fact eval_seq(const Chart *c, Node n, uint32_t start)
{
    const NodeId *kid = ir_node_kids(c->ir, n);
    Fact all = {.ends = (Set)1 << start};
    for (uint32_t i = 0; i < n.b; i++)
        if (!c->alive[kid[i]]) return (Fact){0};
    for (uint32_t i = 0; i < n.b; i++) {
        Fact f = chart_read(c, kid[i], all.ends);
        all = (Fact){f.ends, all.more || f.more};
    }
    return all;
}

static Fact eval_alt(const Chart *c, Node n, uint32_t start)
{
    Fact all = {0};
    for (uint32_t i = 0; i < n.b; i++)
        all = both(all, *chart_fact(c, ir_node_kids(c->ir, n)[i], start));
    return all;
}

/* `at` is where exactly `count` times the body can end. Positions never
 * fall, so after one round more than there are positions only bodies that
 * may be empty keep it going, and `at` stays as it is for ever. */
static Fact eval_repeat(const Chart *c, Node n, uint32_t start)
{
    Fact all = {0};
    Set at = (Set)1 << start;
    uint32_t stable = c->text->size - start + 2;
    for (uint32_t count = 0;; count++) {
        if (count >= n.b) all.ends |= at;
        if (count == n.c) break;
        Fact f = chart_read(c, n.a, at);
        all.more |= f.more;
        if (count > stable) return both(all, (Fact){.ends = at});
        at = f.ends;
    }
    return all;
}

/* ---- lists ---- */

bool chart_usable(const Chart *c, const ListKind *kind)
{
    return c->alive[kind->head] && c->alive[kind->tail] &&
           (c->solid[kind->head] || c->solid[kind->tail]);
}

/* The empty text is no item. */
Fact chart_item(const Chart *c, const ListKind *kind, uint32_t start)
{
    if (!chart_usable(c, kind)) return (Fact){0};
    Fact head = *chart_fact(c, kind->head, start);
    Fact tail = chart_read(c, kind->tail, head.ends);
    return (Fact){tail.ends & ~((Set)1 << start), head.more || tail.more};
}

/* Items of every kind that state s allows, from position `at`: adds where they
 * end to the states they lead to. */
static bool read_items(const Chart *c, Node n, uint32_t s, uint32_t at,
                       Set *reach)
{
    const ListSpec *list = ir_node_list(c->ir, n);
    bool more = false;
    for (uint32_t k = 0; k < list->nkinds; k++) {
        uint32_t to = c->lists[n.a].at[s].next[k];
        if (!to || !c->live[n.a][to]) continue;
        Fact f = chart_item(c, &list->kinds[k], at);
        reach[to] |= f.ends;
        more |= f.more;
    }
    return more;
}

/* Whether some kind may follow in state s. */
bool chart_can_follow(const Chart *c, Node n, uint32_t s)
{
    const ListSpec *list = ir_node_list(c->ir, n);
    for (uint32_t k = 0; k < list->nkinds; k++) {
        uint32_t to = c->lists[n.a].at[s].next[k];
        if (to && c->live[n.a][to] && chart_usable(c, &list->kinds[k]))
            return true;
    }
    return false;
}

/* A separator and an item after it, in state s at position `at`. */
static bool read_next(const Chart *c, Node n, uint32_t s, uint32_t at,
                      Set *reach)
{
    Fact f = *chart_fact(c, ir_node_list(c->ir, n)->separator, at);
    bool more = f.more && chart_can_follow(c, n, s);
    for (Set left = f.ends; left; left &= left - 1)
        more |= read_items(c, n, s, bit_lowest(left), reach);
    return more;
}

/* Items are not empty, so ends are past the position in hand. */
static bool read_list(const Chart *c, Node n, uint32_t start, Set *reach)
{
    if (chart_list_unique(ir_node_list(c->ir, n)))
        return chart_read_unique(c, n, start, reach);
    bool more = read_items(c, n, 0, start, reach);
    for (uint32_t at = start; at <= c->text->size; at++)
        for (uint32_t s = 1; s < c->lists[n.a].count; s++)
            if (reach[s] >> at & 1) more |= read_next(c, n, s, at, reach);
    return more;
}

void chart_list_reach(const Chart *c, Node n, uint32_t start, Set *reach)
{
    memset(reach, 0, c->lists[n.a].count * sizeof *reach);
    read_list(c, n, start, reach);
}

static Fact eval_list(const Chart *c, Node n, uint32_t start)
{
    Set reach[LIST_STATES_MAX];
    Fact all = {0};
    memset(reach, 0, c->lists[n.a].count * sizeof *reach);
    all.more = read_list(c, n, start, reach);
    for (uint32_t s = 1; s < c->lists[n.a].count; s++)
        if (c->lists[n.a].at[s].ends) all.ends |= reach[s];
    return all;
}

static Fact eval(const Chart *c, NodeId node, uint32_t start)
{
    Node n = ir_node(c->ir, node);
    switch (n.kind) {
    case NODE_EMPTY:
        return (Fact){.ends = (Set)1 << start};
    case NODE_BYTES:
        return eval_bytes(c, n, start);
    case NODE_CLASS:
        return eval_class(c, n, start);
    case NODE_SEQ:
        return eval_seq(c, n, start);
    case NODE_ALT:
        return eval_alt(c, n, start);
    case NODE_REPEAT:
        return eval_repeat(c, n, start);
    case NODE_RULE:
        return *chart_fact(c, c->ir->rules.at[n.a].body, start);
    case NODE_REGULAR:
        return eval_regular(c, n, start);
    case NODE_BOUNDED:
        return eval_bounded(c, n, start);
    case NODE_TOKENS:
        return eval_tokens(c, n, node, start);
    case NODE_LIST:
        return eval_list(c, n, start);
    default:
        return (Fact){0};
    }
}

/* ---- fixpoints ---- */

/* Whether the list has a sentence; says which of its states lead to one. */
static bool eval_live(const Chart *c, Node n)
{
    const ListSpec *list = ir_node_list(c->ir, n);
    bool usable[LIST_KINDS_MAX];
    for (uint32_t k = 0; k < list->nkinds; k++)
        usable[k] = chart_usable(c, &list->kinds[k]);
    list_states_live(&c->lists[n.a], list, usable, c->alive[list->separator],
                     c->live[n.a]);
    return c->live[n.a][0];
}

/* Whether the node has a sentence that is not empty. */
static bool eval_solid(const Chart *c, NodeId node)
{
    Node n = ir_node(c->ir, node);
    bool any = false;
    switch (n.kind) {
    case NODE_NEVER:
    case NODE_EMPTY:
        return false;
    case NODE_REPEAT:
        return c->solid[n.a];
    case NODE_RULE:
        return c->solid[c->ir->rules.at[n.a].body];
    case NODE_TOKENS:
        return c->alive[node];
    case NODE_REGULAR:
    case NODE_BOUNDED:
        return ir_node_dfa(c->ir, n)
                   ->edge_start[ir_node_dfa(c->ir, n)->nstates] > 0;
    case NODE_LIST:
        return eval_live(c, n);
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            any |= c->solid[ir_node_kids(c->ir, n)[i]];
        return any && c->alive[node];
    default:
        return true;
    }
}

/* Whether the node has a finite sentence, by what is known of others. */
static bool eval_alive(const Chart *c, NodeId node)
{
    Node n = ir_node(c->ir, node);
    uint32_t alive = 0;
    switch (n.kind) {
    case NODE_NEVER:
        return false;
    case NODE_REPEAT:
        return !n.b || c->alive[n.a];
    case NODE_RULE:
        return c->alive[c->ir->rules.at[n.a].body];
    case NODE_TOKENS:
        for (uint32_t id = 0; id < c->vocab->count; id++)
            alive += chart_in_tokens(c, n, id);
        return alive > 0;
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            alive += c->alive[ir_node_kids(c->ir, n)[i]];
        return n.kind == NODE_SEQ ? alive == n.b : alive > 0;
    case NODE_LIST:
        return eval_live(c, n);
    default:
        return true;
    }
}

static void find_alive(Chart *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeId x = 0; x < c->ir->nodes.count; x++) {
            if (!c->alive[x] && eval_alive(c, x)) c->alive[x] = changed = true;
            if (!c->solid[x] && eval_solid(c, x)) c->solid[x] = changed = true;
        }
    }
    for (NodeId x = 0; x < c->ir->nodes.count; x++)
        if (ir_node(c->ir, x).kind == NODE_LIST)
            eval_live(c, ir_node(c->ir, x));
}

static void find_facts(Chart *c, uint32_t start)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeId x = 0; x < c->ir->nodes.count; x++) {
            Fact *old = chart_fact(c, x, start), new = eval(c, x, start);
            changed |= old->ends != new.ends || old->more != new.more;
            *old = new;
        }
    }
}

static void lists_make(Chart *c)
{
    uint32_t count = c->ir->lists.count;
    c->lists = calloc(count + 1, sizeof *c->lists);
    c->live = calloc(count + 1, sizeof *c->live);
    assert(c->lists && c->live);
    for (uint32_t i = 0; i < count; i++) {
        list_states_make(&c->lists[i], &c->ir->lists.at[i]);
        c->live[i] = calloc(c->lists[i].count, sizeof(bool));
        assert(c->live[i]);
    }
}

void chart_make(Chart *c, const Ir *ir, const OracleVocab *vocab,
                const OracleText *text)
{
    static const OracleVocab none = {0};
    size_t nnodes = ir->nodes.count, nstarts = text->size + 1;
    *c = (Chart){.ir = ir,
                 .vocab = vocab ? vocab : &none,
                 .text = text,
                 .alive = calloc(nnodes, sizeof(bool)),
                 .solid = calloc(nnodes, sizeof(bool)),
                 .facts = calloc(nnodes * nstarts, sizeof(Fact))};
    assert(c->alive && c->solid && c->facts);
    lists_make(c);
    find_alive(c);
    for (uint32_t start = text->size + 1; start-- > 0;) find_facts(c, start);
}

void chart_free(Chart *c)
{
    for (uint32_t i = 0; i < c->ir->lists.count; i++) {
        list_states_free(&c->lists[i]);
        free(c->live[i]);
    }
    free(c->lists);
    free(c->live);
    free(c->alive);
    free(c->solid);
    free(c->facts);
}

OracleAnswer oracle_ask(const Ir *ir, RuleId root, const OracleVocab *vocab,
                        const OracleText *text)
{
    Chart c;
    chart_make(&c, ir, vocab, text);
    Fact whole = *chart_fact(&c, ir->rules.at[root].body, 0);
    chart_free(&c);
    return (OracleAnswer){whole.ends >> text->size & 1, whole.more};
}

void oracle_mask(const Ir *ir, RuleId root, const OracleVocab *vocab,
                 const OracleText *prefix, bool *allowed)
{
    bool complete = oracle_complete(ir, root, vocab, prefix);
    for (uint32_t id = 0; id < vocab->count; id++) {
        OracleText text = *prefix;
        bool fits = oracle_add_token(&text, vocab, id);
        assert(fits);
        allowed[id] = fits && oracle_prefix(ir, root, vocab, &text);
        if (vocab->tokens[id].flags & WEIR_TOKEN_STOP) allowed[id] |= complete;
    }
}
