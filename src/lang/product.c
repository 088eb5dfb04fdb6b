/* product.c: union, intersection and difference.
 *
 * In:    two Dfas and a truth table.   Out: the minimal Dfa of the strings for
 *        which the table, asked with their membership in both, says yes.
 * Method: pairs of states, found from the pair of starts on; NONE stands for
 *        "refused already". A pair that can only be refused is not visited.
 * Cost:  at most (m + 1)(n + 1) pairs, each charged.
 * Tests: unit/lang_test.c
 */
#include "lang/graph.h"

#define NONE UINT32_MAX

/* Which pairs of memberships are in the result: bit (a in A) * 2 + (b in B).
 * Bit 0 is never set: a string that neither has is not reached. */
typedef enum Table { AND = 8, OR = 14, MINUS = 4 } Table;

typedef struct Pair {
    uint32_t a, b;
} Pair;

typedef struct Product {
    LangCtx *ctx;
    Table table;
    GraphView a, b;
    Alphabet alphabet;
    Graph graph;
    VEC(Pair) pairs;
    Map index;
} Product;

static bool pair_intern(Product *p, Pair pair, uint32_t *state)
{
    LangCtx *ctx = p->ctx;
    uint64_t hash = hash_mix(1, (uint64_t)pair.a << 32 | pair.b);
    for (MapPos m = map_first(&p->index, hash); m.value != MAP_NONE;
         m = map_next(&p->index, hash, m)) {
        Pair known = p->pairs.at[m.value];
        if (known.a == pair.a && known.b == pair.b)
            return *state = m.value, true;
    }
    *state = p->pairs.count;
    if (!lang_room(ctx, (uint64_t)*state + 1) || !lang_charge(ctx, 16))
        return false;
    return (vec_push(ctx->mem, &p->pairs, pair) &&
            map_add(ctx->mem, &p->index, hash, *state)) ||
           lang_no_memory(ctx);
}

/* Whether some string may still be in the result. Conservative: may say yes
 * of a pair from which none is. */
static bool is_alive(Table table, Pair pair)
{
    bool a = pair.a != NONE, b = pair.b != NONE;
    return table == OR ? a || b : table == AND ? a && b : a;
}

static bool add_edge(Product *p, uint32_t class, Pair pair)
{
    uint32_t to;
    if (!is_alive(p->table, pair)) return true;
    return pair_intern(p, pair, &to) && graph_edge(&p->graph, class, to);
}

typedef struct EdgeList {
    const GraphEdge *at, *end;
} EdgeList;

static EdgeList edges_of(const GraphView *view, uint32_t state)
{
    if (state == NONE || !view->edges.count) return (EdgeList){0};
    return (EdgeList){view->edges.at + view->state_edges.at[state],
                      view->edges.at + view->state_edges.at[state + 1]};
}

/* Merges the edges of both sides by class. */
static bool step_pair(Product *p, Pair pair)
{
    EdgeList a = edges_of(&p->a, pair.a), b = edges_of(&p->b, pair.b);
    while (a.at < a.end || b.at < b.end) {
        uint32_t class = a.at < a.end ? a.at->class : CLASS_NONE;
        if (b.at < b.end) class = MIN(class, b.at->class);
        Pair to = {NONE, NONE};
        if (a.at < a.end && a.at->class == class) to.a = a.at++->to;
        if (b.at < b.end && b.at->class == class) to.b = b.at++->to;
        if (!lang_charge(p->ctx, 4) || !add_edge(p, class, to)) return false;
    }
    return true;
}

static bool accepts(const GraphView *view, uint32_t state)
{
    return state != NONE && view->dfa->accepts[state];
}

static bool run(Product *p)
{
    uint32_t state;
    if (!pair_intern(p, (Pair){0, 0}, &state)) return false;
    for (; state < p->pairs.count; state++) {
        Pair pair = p->pairs.at[state];
        unsigned in = accepts(&p->a, pair.a) * 2u + accepts(&p->b, pair.b);
        if (!graph_state(&p->graph, p->table >> in & 1) || !step_pair(p, pair))
            return false;
    }
    return true;
}

/* Neither side is empty. */
static const Dfa *product(LangCtx *ctx, const Dfa *a, const Dfa *b, Table table)
{
    Product p = {.ctx = ctx, .table = table};
    alphabet_init(&p.alphabet, ctx);
    graph_init(&p.graph, ctx);
    bool done = graph_view_open(&p.a, a, &p.alphabet) &&
                graph_view_open(&p.b, b, &p.alphabet) &&
                alphabet_close(&p.alphabet) &&
                graph_view_close(&p.a, &p.alphabet) &&
                graph_view_close(&p.b, &p.alphabet) && run(&p);
    const Dfa *out = done ? graph_finish(&p.graph, &p.alphabet) : lang_none();
    graph_view_free(&p.a, ctx->mem);
    graph_view_free(&p.b, ctx->mem);
    alphabet_free(&p.alphabet);
    graph_free(&p.graph);
    vec_free(ctx->mem, &p.pairs);
    map_free(ctx->mem, &p.index);
    return out;
}

const Dfa *lang_unite(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    if (!lang_ok(ctx)) return lang_none();
    if (!a->nstates || a == b) return b;
    if (!b->nstates) return a;
    return product(ctx, a, b, OR);
}

const Dfa *lang_intersect(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    if (!lang_ok(ctx) || !a->nstates || !b->nstates) return lang_none();
    if (a == b || lang_is_all(b)) return a;
    if (lang_is_all(a)) return b;
    return product(ctx, a, b, AND);
}

const Dfa *lang_subtract(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    if (!lang_ok(ctx) || !a->nstates || lang_is_all(b)) return lang_none();
    if (!b->nstates) return a;
    if (lang_is_all(a)) return lang_complement(ctx, b);
    return product(ctx, a, b, MINUS);
}
