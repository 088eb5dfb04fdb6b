/* random_grammar.c: random rules for the property tests.
 *
 * In:     a seed, an alphabet, a token count.  Out: an Ir, the same for the
 *         same input.
 * Method: every rule takes a shape from a table (plain expression, recursion
 *         on the left, right, middle, hidden or indirect, no end, nothing but
 *         itself, loops over the empty text, big counts) and fills it with
 *         random expressions, which may name any rule.
 * Shared: a run of rules at the end may be marked RULE_SHARED; these name only
 *         each other and hold no TOKENS, as ir.h demands.
 */
#include "oracle/random_grammar.h"

enum { RULES_MAX = 6 };

typedef struct Gen {
    Rng rng;
    Ir *ir;
    const Alphabet *alphabet;
    uint32_t ntokens;
    uint32_t nrules, first_shared;
    RuleId rule; /* being defined */
} Gen;

static NodeId random_expr(Gen *g, uint32_t depth);

static bool is_shared(const Gen *g)
{
    return g->rule >= g->first_shared;
}

static uint32_t random_rune(Gen *g)
{
    return g->alphabet->runes[rng_below(&g->rng, g->alphabet->count)];
}

/* ---- leaves ---- */

static NodeId random_bytes(Gen *g)
{
    NodeId kids[4];
    uint32_t n = 1 + rng_below(&g->rng, 3);
    for (uint32_t i = 0; i < n; i++) kids[i] = ir_rune(g->ir, random_rune(g));
    if (rng_chance(&g->rng, 3)) kids[0] = ir_bytes(g->ir, SPAN("\xC3"));
    return ir_seq(g->ir, kids, n);
}

static NodeId random_class(Gen *g)
{
    Range r[3];
    uint32_t n = 1 + rng_below(&g->rng, 3);
    if (rng_chance(&g->rng, 10)) return ir_any(g->ir);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = random_rune(g), y = random_rune(g);
        bool is_wide = rng_chance(&g->rng, 30);
        r[i] = is_wide ? (Range){MIN(x, y), MAX(x, y)} : (Range){x, x};
    }
    return ir_class(g->ir, r, n, rng_chance(&g->rng, 20));
}

/* Negated, out of range and unusable sets included. */
static NodeId random_tokens(Gen *g)
{
    Range r[2];
    uint32_t n = 1 + rng_below(&g->rng, 2);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lo = rng_below(&g->rng, g->ntokens + 1);
        r[i] = (Range){lo, lo + rng_below(&g->rng, 3)};
    }
    return ir_tokens(g->ir, r, n, rng_chance(&g->rng, 25));
}

static NodeId random_rule(Gen *g)
{
    uint32_t from = is_shared(g) ? g->first_shared : 0;
    return ir_ref(g->ir, from + rng_below(&g->rng, g->nrules - from));
}

/* ---- regular nodes: a chain of states that all reach the last ---- */

enum { DFA_STATES = 4, DFA_EDGES = 16 };

typedef struct DfaSketch {
    uint32_t starts[DFA_STATES + 1];
    DfaEdge edges[DFA_EDGES];
    uint8_t accepts[DFA_STATES];
    uint32_t nstates, nedges;
} DfaSketch;

static int rune_order(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Edges of one state over some letters, in order; one of them leads on, so
 * that every state is reached and reaches the last. */
static void sketch_state(Gen *g, DfaSketch *d, uint32_t state)
{
    uint32_t runes[3], n = 0;
    d->starts[state] = d->nedges;
    bool is_last = state + 1 == d->nstates;
    uint32_t want = is_last ? rng_below(&g->rng, 3) : 1 + rng_below(&g->rng, 3);
    while (n < want) runes[n++] = random_rune(g);
    qsort(runes, n, sizeof *runes, rune_order);
    uint32_t first = d->nedges;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = i + 1 < n ? runes[i + 1] : UINT32_MAX;
        if (runes[i] == next) continue;
        uint32_t hi = runes[i];
        bool is_wide = rng_chance(&g->rng, 30) && hi + 1 < next &&
                       hi != 0xD7FF && hi < 0x10FFFF;
        d->edges[d->nedges++] =
            (DfaEdge){runes[i], hi + is_wide, rng_below(&g->rng, d->nstates)};
    }
    uint32_t nnew = d->nedges - first;
    if (!is_last) d->edges[first + rng_below(&g->rng, nnew)].to = state + 1;
    d->accepts[state] = is_last || rng_chance(&g->rng, 30);
    d->starts[state + 1] = d->nedges;
}

/* At most some characters, at times spelled by several. */
static NodeId random_bound(Gen *g, const Dfa *dfa)
{
    static const uint32_t bounds[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 20, 1000};
    uint32_t hi = bounds[rng_below(&g->rng, COUNT_OF(bounds))];
    uint8_t ticks[DFA_STATES];
    bool is_spelled = rng_chance(&g->rng, 50);
    for (uint32_t s = 0; s < dfa->nstates; s++)
        ticks[s] = !s || dfa->accepts[s] || rng_chance(&g->rng, 40);
    return ir_regular_bounded(g->ir, dfa, is_spelled ? ticks : NULL, hi);
}

static NodeId random_regular(Gen *g)
{
    DfaSketch d = {.nstates = 1 + rng_below(&g->rng, DFA_STATES)};
    for (uint32_t s = 0; s < d.nstates; s++) sketch_state(g, &d, s);
    Dfa dfa = {d.nstates, d.starts, d.edges, d.accepts};
    return rng_chance(&g->rng, 60) ? random_bound(g, &dfa)
                                   : ir_regular(g->ir, &dfa);
}

static NodeId random_leaf(Gen *g)
{
    uint32_t pick = rng_below(&g->rng, 100);
    if (pick < 26) return random_bytes(g);
    if (pick < 48) return random_class(g);
    if (pick < 76) return random_rule(g);
    if (pick < 88) return random_regular(g);
    if (pick < 94) return is_shared(g) ? random_bytes(g) : random_tokens(g);
    return pick < 99 ? NODE_EMPTY_ID : NODE_NEVER_ID;
}

/* ---- inner nodes ---- */

static NodeId random_repeat(Gen *g, uint32_t depth)
{
    static const Range counts[] = {
        {0, 0},   {0, REPEAT_INF}, {0, REPEAT_INF},  {1, REPEAT_INF},
        {0, 2},   {1, 3},          {2, 2},           {2, REPEAT_INF},
        {3, 40},  {3, 40},         {0, 1000},        {0, 1000},
        {2, 5},   {5, REPEAT_INF}, {0, 1000000},     {3, 3},
        {20, 20}, {0, 128},        {33, REPEAT_INF}, {2, 9},
        {0, 17},  {12, 13},        {1, 64},          {100, 300},
    };
    Range c = counts[rng_below(&g->rng, COUNT_OF(counts))];
    uint32_t pick = rng_below(&g->rng, 10);
    NodeId body = pick < 4   ? random_class(g)
                  : pick < 6 ? random_bytes(g)
                  : pick < 7 ? random_rule(g)
                             : random_expr(g, depth);
    return ir_repeat(g->ir, body, c.lo, c.hi);
}

static NodeId random_list(Gen *g, uint32_t depth, bool is_alt)
{
    NodeId kids[4];
    uint32_t n = 2 + rng_below(&g->rng, 3);
    for (uint32_t i = 0; i < n; i++) kids[i] = random_expr(g, depth);
    return is_alt ? ir_alt(g->ir, kids, n) : ir_seq(g->ir, kids, n);
}

static NodeId random_expr(Gen *g, uint32_t depth)
{
    uint32_t pick = rng_below(&g->rng, 100);
    if (!depth || pick < 25) return random_leaf(g);
    if (pick < 50) return random_list(g, depth - 1, false);
    if (pick < 75) return random_list(g, depth - 1, true);
    if (pick < 93) return random_repeat(g, depth - 1);
    return ir_optional(g->ir, random_expr(g, depth - 1));
}

/* ---- shapes of rules; r: the rule itself ---- */

static NodeId small(Gen *g)
{
    return random_expr(g, rng_chance(&g->rng, 30) ? 1 : 0);
}

static NodeId shape_plain(Gen *g, NodeId r)
{
    (void)r;
    return random_expr(g, 1 + rng_below(&g->rng, 3));
}

/* r x | y */
static NodeId shape_left(Gen *g, NodeId r)
{
    NodeId x = small(g);
    return ir_alt2(g->ir, ir_seq2(g->ir, r, x), small(g));
}

/* s x | y: with luck s begins with r */
static NodeId shape_indirect(Gen *g, NodeId r)
{
    (void)r;
    NodeId s = random_rule(g), x = small(g);
    return ir_alt2(g->ir, ir_seq2(g->ir, s, x), small(g));
}

/* z? r x | y */
static NodeId shape_hidden(Gen *g, NodeId r)
{
    NodeId z = ir_optional(g->ir, small(g)), x = small(g);
    return ir_alt2(g->ir, ir_seq(g->ir, (NodeId[]){z, r, x}, 3), small(g));
}

/* r r | x, perhaps | "" */
static NodeId shape_double(Gen *g, NodeId r)
{
    NodeId x = rng_chance(&g->rng, 40) ? NODE_EMPTY_ID : NODE_NEVER_ID;
    NodeId kids[] = {ir_seq2(g->ir, r, r), small(g), x};
    return ir_alt(g->ir, kids, 3);
}

/* x r y | z */
static NodeId shape_middle(Gen *g, NodeId r)
{
    NodeId x = small(g), y = small(g);
    return ir_alt2(g->ir, ir_seq(g->ir, (NodeId[]){x, r, y}, 3), small(g));
}

/* x r | y */
static NodeId shape_right(Gen *g, NodeId r)
{
    NodeId x = small(g);
    return ir_alt2(g->ir, ir_seq2(g->ir, x, r), small(g));
}

/* x r: without an end */
static NodeId shape_endless(Gen *g, NodeId r)
{
    return ir_seq2(g->ir, random_bytes(g), r);
}

/* Nothing at all. */
static NodeId shape_never(Gen *g, NodeId r)
{
    (void)g;
    (void)r;
    return NODE_NEVER_ID;
}

/* r | x */
static NodeId shape_self(Gen *g, NodeId r)
{
    return ir_alt2(g->ir, r, random_expr(g, 2));
}

/* (x? y?){m,n}, (x*)* and the like */
static NodeId shape_nullable_loop(Gen *g, NodeId r)
{
    (void)r;
    NodeId x = ir_optional(g->ir, small(g));
    NodeId y = ir_repeat(g->ir, small(g), 0, 1 + rng_below(&g->rng, 40));
    NodeId body = ir_seq2(g->ir, x, y);
    uint32_t lo = rng_below(&g->rng, 4);
    bool is_open = rng_chance(&g->rng, 60);
    return ir_repeat(g->ir, body, lo, is_open ? REPEAT_INF : lo + 5);
}

/* x ("," x)*, with a letter as the comma */
static NodeId shape_list(Gen *g, NodeId r)
{
    (void)r;
    NodeId x = small(g), comma = ir_rune(g->ir, random_rune(g));
    NodeId rest = ir_seq2(g->ir, comma, x);
    return ir_seq2(g->ir, x, ir_repeat(g->ir, rest, 0, REPEAT_INF));
}

/* ---- lists ---- */

enum { ITEM_KINDS = 5, ITEM_COUNTERS = 4, ITEM_NEEDS = 2, NEED_WHEN = 3 };

static bool has_quotes(const Gen *g)
{
    return g->alphabet->count > 2 && g->alphabet->runes[2] == '"';
}

/* A head that is not empty; often one that begins like others. */
static NodeId random_head(Gen *g)
{
    NodeId first = ir_rune(g->ir, random_rune(g));
    uint32_t pick = rng_below(&g->rng, 10);
    if (pick < 3) return first;
    if (pick < 5) return ir_seq2(g->ir, first, ir_rune(g->ir, random_rune(g)));
    if (pick < 7) return ir_seq2(g->ir, first, random_expr(g, 1));
    if (pick < 9) return random_class(g);
    return ir_seq2(g->ir, small(g), first);
}

/* "(a|b|\u0061)*" or at most nine of them. */
static NodeId random_string(Gen *g)
{
    Ir *ir = g->ir;
    NodeId letter = ir_class(ir, &(Range){'a', 'b'}, 1, false);
    NodeId kids[] = {letter, ir_bytes(ir, SPAN("\\u0061"))};
    NodeId letters = ir_repeat(ir, ir_alt(ir, kids, 1 + rng_below(&g->rng, 2)),
                               0, rng_chance(&g->rng, 25) ? 9 : REPEAT_INF);
    NodeId quote = ir_bytes(ir, SPAN("\""));
    return ir_seq(ir, (NodeId[]){quote, letters, quote}, 3);
}

/* Ones, perhaps with a fraction. */
static NodeId random_number(Gen *g)
{
    Ir *ir = g->ir;
    NodeId ones = ir_repeat(ir, ir_class(ir, &(Range){'0', '1'}, 1, false), 1,
                            REPEAT_INF);
    NodeId fraction = ir_seq2(ir, ir_bytes(ir, SPAN(".")), ones);
    return ir_seq2(ir, ones, ir_optional(ir, fraction));
}

static void make_unique(Gen *g, ListKind *k)
{
    k->unique =
        rng_chance(&g->rng, 60) ? LIST_UNIQUE_STRING : LIST_UNIQUE_VALUE;
    k->head = random_string(g);
    if (k->unique == LIST_UNIQUE_VALUE && rng_chance(&g->rng, 50))
        k->head = ir_alt2(g->ir, k->head, random_number(g));
}

static ListKind random_kind(Gen *g, uint32_t ngroups, uint32_t ncounters,
                            uint32_t *counters)
{
    ListKind k = {.head = random_head(g), .tail = NODE_EMPTY_ID};
    if (rng_chance(&g->rng, 50)) k.tail = small(g);
    k.order = rng_below(&g->rng, ngroups);
    k.counters = counters;
    for (uint32_t c = 0; c < ncounters; c++)
        if (rng_chance(&g->rng, 50)) counters[k.ncounters++] = c;
    if (has_quotes(g) && rng_chance(&g->rng, 60)) make_unique(g, &k);
    return k;
}

static ListCounter random_counter(Gen *g)
{
    static const ListCounter counters[] = {
        {0, 1}, {1, 1},          {1, REPEAT_INF}, {0, 2}, {2, REPEAT_INF},
        {1, 2}, {0, REPEAT_INF}, {2, 2},          {1, 3}, {0, 0},
    };
    return counters[rng_below(&g->rng, COUNT_OF(counters))];
}

static NodeId random_separator(Gen *g)
{
    uint32_t pick = rng_below(&g->rng, 100);
    if (pick < 60) return ir_rune(g->ir, has_quotes(g) ? ',' : random_rune(g));
    if (pick < 70) return NODE_EMPTY_ID;
    return pick < 73 ? NODE_NEVER_ID : small(g);
}

/* Items of counted kinds, sometimes in groups; they may name any rule. */
static NodeId shape_items(Gen *g, NodeId r)
{
    (void)r;
    uint32_t counted[ITEM_KINDS][ITEM_COUNTERS];
    ListKind kinds[ITEM_KINDS];
    ListCounter counters[ITEM_COUNTERS];
    ListNeed needs[ITEM_NEEDS];
    uint32_t when[ITEM_NEEDS][NEED_WHEN];
    ListSpec list = {.kinds = kinds, .counters = counters, .needs = needs};
    uint32_t ngroups = 1 + rng_below(&g->rng, 3);
    list.nkinds = 1 + rng_below(&g->rng, ITEM_KINDS);
    list.ncounters = rng_below(&g->rng, ITEM_COUNTERS + 1);
    list.is_contiguous = rng_chance(&g->rng, 40);
    list.separator = random_separator(g);
    for (uint32_t i = 0; i < list.nkinds; i++)
        kinds[i] = random_kind(g, ngroups, list.ncounters, counted[i]);
    for (uint32_t i = 0; i < list.ncounters; i++)
        counters[i] = random_counter(g);
    if (list.ncounters && rng_chance(&g->rng, 40))
        list.nneeds = 1 + rng_below(&g->rng, ITEM_NEEDS);
    for (uint32_t i = 0; i < list.nneeds; i++) {
        for (uint32_t k = 0; k < NEED_WHEN; k++)
            when[i][k] = rng_below(&g->rng, list.ncounters);
        needs[i] = (ListNeed){1 + rng_below(&g->rng, NEED_WHEN),
                              rng_below(&g->rng, list.ncounters), when[i]};
    }
    NodeId node = ir_list(g->ir, &list);
    return rng_chance(&g->rng, 30) ? ir_seq2(g->ir, node, small(g)) : node;
}

/* Counts in a row or in one another, over what other branches also read. */
static NodeId shape_counts(Gen *g, NodeId r)
{
    (void)r;
    NodeId x = random_repeat(g, 1), y = random_repeat(g, 1);
    NodeId both =
        rng_chance(&g->rng, 50) ? ir_seq2(g->ir, x, y) : ir_alt2(g->ir, x, y);
    if (rng_chance(&g->rng, 30)) both = ir_repeat(g->ir, both, 1, 3);
    return ir_seq2(g->ir, both, small(g));
}

typedef NodeId (*Shape)(Gen *g, NodeId r);

static const Shape shapes[] = {
    shape_plain,         shape_plain,    shape_plain,  shape_plain,
    shape_plain,         shape_plain,    shape_left,   shape_left,
    shape_indirect,      shape_indirect, shape_hidden, shape_double,
    shape_middle,        shape_middle,   shape_right,  shape_right,
    shape_endless,       shape_never,    shape_self,   shape_nullable_loop,
    shape_nullable_loop, shape_list,     shape_counts, shape_counts,
    shape_counts,        shape_items,    shape_items,  shape_items,
};

/* Blanks, m to n; where the alphabet has none, of a letter. */
static void define_space(Gen *g)
{
    uint32_t last = g->alphabet->runes[g->alphabet->count - 1];
    NodeId blank =
        ir_class(g->ir, (Range[]){{' ', ' '}, {last, last}}, 2, false);
    uint32_t most = 1 + rng_below(&g->rng, 6);
    ir_rule_set(g->ir, g->rule, ir_repeat(g->ir, blank, 0, most));
    g->ir->rules.at[g->rule].flags |= RULE_SPACE;
}

static void define(Gen *g)
{
    Shape shape = shapes[rng_below(&g->rng, COUNT_OF(shapes))];
    NodeId body = shape(g, ir_ref(g->ir, g->rule));
    /* Most recursions should have a way out. */
    if (rng_chance(&g->rng, 25)) body = ir_alt2(g->ir, body, random_bytes(g));
    ir_rule_set(g->ir, g->rule, body);
}

static void add_rule(Ir *ir, Rng *rng, char letter, uint32_t number,
                     uint32_t flags)
{
    char name[] = {letter, (char)('0' + number)};
    if (rng_chance(rng, 35)) flags |= RULE_FRAME;
    ir_rule_new(ir, span_of(name, sizeof name), flags);
}

/* Shared rules come last and draw from a stream of their own. */
void random_grammar(RandomSeeds seeds, const Alphabet *alphabet,
                    uint32_t ntokens, Ir *ir)
{
    Gen own = {.rng = {seeds.own}, .ir = ir, .alphabet = alphabet};
    Gen shared = {.rng = {seeds.shared}, .ir = ir, .alphabet = alphabet};
    uint32_t nown = 1 + rng_below(&own.rng, RULES_MAX - 1);
    uint32_t nshared =
        rng_chance(&shared.rng, 25) ? 1 + rng_below(&shared.rng, 3) : 0;
    for (uint32_t r = 0; r < nown; r++) add_rule(ir, &own.rng, 'r', r, 0);
    for (uint32_t r = 0; r < nshared; r++)
        add_rule(ir, &shared.rng, 's', r, RULE_SHARED);
    own.ntokens = shared.ntokens = ntokens;
    own.nrules = shared.nrules = nown + nshared;
    own.first_shared = shared.first_shared = nown;
    for (own.rule = 0; own.rule < nown; own.rule++) {
        if (own.rule && rng_chance(&own.rng, 6))
            define_space(&own);
        else
            define(&own);
    }
    for (shared.rule = nown; shared.rule < nown + nshared; shared.rule++)
        define(&shared);
    ir->root = 0;
}

bool random_has_unique(const Ir *ir)
{
    for (uint32_t i = 0; i < ir->lists.count; i++)
        for (uint32_t k = 0; k < ir->lists.at[i].nkinds; k++)
            if (ir->lists.at[i].kinds[k].unique) return true;
    return false;
}
