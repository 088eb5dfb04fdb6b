/* product.c: union, intersection and difference.
 *
 * In:    two Dfas and a truth table.   Out: the minimal Dfa of the strings for
 *        which the table, asked with their membership in both, says yes.
 * Method: pairs of states, found from the pair of starts on, their edges merged
 *        range by range; NONE stands for "refused already". A pair that can
 *        only be refused is not visited. Where only one side has a say the pair
 *        is as good as that side's state: such pairs, of one of the sides, are
 *        pairwise different already, which mostly makes the result minimal
 *        without a refinement (fold.c).
 * Cost:  at most (m + 1)(n + 1) pairs, each charged.
 * Tests: unit/lang_test.c
 */
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "lang/dfa_writer.h"

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
    const Dfa *a, *b;
    uint32_t all_a, all_b; /* states that accept every string; or NONE */
    bool fixes_b;          /* it is b's states that are kept apart */
    DfaWriter writer;
    VEC(Pair) pairs;
    VEC(uint8_t) is_fixed; /* by pair */
    Map index;
} Product;

/* The state from which every string is accepted; a minimal Dfa has one at
 * most. */
static uint32_t find_all(const Dfa *d)
{
    for (uint32_t s = 0; s < d->nstates; s++) {
        const DfaEdge *e = dfa_edges(d, s);
        if (d->accepts[s] && d->edge_start[s + 1] - d->edge_start[s] == 2 &&
            e[0].lo == 0 && e[0].hi == 0xD7FF && e[0].to == s &&
            e[1].lo == 0xE000 && e[1].hi == RUNE_MAX && e[1].to == s)
            return s;
    }
    return NONE;
}

/* Whether some state may lead back to itself; conservative. */
static bool may_go_round(const Dfa *d)
{
    for (uint32_t s = 0; s < d->nstates; s++)
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++)
            if (d->edges[e].to <= s) return true;
    return false;
}

/* ---- pairs ---- */

/* Of a union: the pair that stands for all that accept every string. */
static Pair pair_of_all(const Product *p)
{
    bool is_b = p->all_a == NONE || (p->fixes_b && p->all_b != NONE);
    return is_b ? (Pair){NONE, p->all_b} : (Pair){p->all_a, NONE};
}

static bool accepts_all(const Product *p, Pair pair)
{
    return (pair.a != NONE && pair.a == p->all_a) ||
           (pair.b != NONE && pair.b == p->all_b);
}

/* The pair, or one that is known to have its language. */
static Pair pair_plain(const Product *p, Pair pair)
{
    return p->table == OR && accepts_all(p, pair) ? pair_of_all(p) : pair;
}

/* Whether some string may still be in the result. Conservative: may say yes
 * of a pair from which none is. */
static bool is_alive(const Product *p, Pair pair)
{
    bool a = pair.a != NONE, b = pair.b != NONE;
    if (p->table == MINUS) return a && !(b && pair.b == p->all_b);
    return p->table == OR ? a || b : a && b;
}

/* Whether the pair has the language of its state of the side that is kept apart,
 * or of none of that side's. */
static bool is_fixed(const Product *p, Pair pair)
{
    if (p->table == MINUS) return pair.b == NONE;
    if (p->table == AND)
        return p->fixes_b ? pair.a == p->all_a : pair.b == p->all_b;
    return (p->fixes_b ? pair.a : pair.b) == NONE || accepts_all(p, pair);
}

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
            vec_push(ctx->mem, &p->is_fixed, is_fixed(p, pair)) &&
            map_add(ctx->mem, &p->index, hash, *state)) ||
           lang_no_memory(ctx);
}

/* ---- edges ---- */

/* Edges of a state, the first of which has not ended yet. */
typedef struct EdgeList {
    const DfaEdge *at, *end;
} EdgeList;

static EdgeList edges_of(const Dfa *d, uint32_t state)
{
    if (state == NONE) return (EdgeList){NULL, NULL};
    return (EdgeList){dfa_edges(d, state), dfa_edges(d, state + 1)};
}

/* The first code point from `from` on that the list has an edge over; NONE: no
 * more. */
static uint32_t list_next(EdgeList *list, uint32_t from)
{
    while (list->at < list->end && list->at->hi < from) list->at++;
    return list->at == list->end ? NONE : MAX(list->at->lo, from);
}

/* The last code point up to `hi` that it treats as it does `lo`. */
static uint32_t list_like(const EdgeList *list, uint32_t next, uint32_t lo,
                          uint32_t hi)
{
    if (next == NONE) return hi;
    return MIN(hi, next == lo ? list->at->hi : next - 1);
}

/* Merges the edges of both sides, range by range. */
static bool step_pair(Product *p, Pair pair)
{
    EdgeList a = edges_of(p->a, pair.a), b = edges_of(p->b, pair.b);
    for (uint32_t lo = 0, hi;; lo = hi + 1) {
        uint32_t in_a = list_next(&a, lo), in_b = list_next(&b, lo), state;
        lo = MIN(in_a, in_b);
        if (lo == NONE) return true;
        hi = list_like(&a, in_a, lo, RUNE_MAX);
        hi = list_like(&b, in_b, lo, hi);
        Pair to = {in_a == lo ? a.at->to : NONE, in_b == lo ? b.at->to : NONE};
        to = pair_plain(p, to);
        if (!lang_charge(p->ctx, 4)) return false;
        if (is_alive(p, to) && !(pair_intern(p, to, &state) &&
                                 dfa_writer_edge(&p->writer, lo, hi, state)))
            return false;
    }
}

static bool accepts(const Dfa *d, uint32_t state)
{
    return state != NONE && d->accepts[state];
}

static bool run(Product *p)
{
    uint32_t state;
    Pair start = pair_plain(p, (Pair){0, 0});
    if (!is_alive(p, start)) return true;
    if (!pair_intern(p, start, &state)) return false;
    for (; state < p->pairs.count; state++) {
        Pair pair = p->pairs.at[state];
        unsigned in = accepts(p->a, pair.a) * 2u + accepts(p->b, pair.b);
        if (!dfa_writer_state(&p->writer, p->table >> in & 1) ||
            !step_pair(p, pair))
            return false;
    }
    return true;
}

/* Neither side is empty. */
static const Dfa *product(LangCtx *ctx, const Dfa *a, const Dfa *b, Table table)
{
    Product p = {.ctx = ctx, .table = table, .a = a, .b = b};
    p.all_a = find_all(a);
    p.all_b = find_all(b);
    p.fixes_b = table == OR    ? may_go_round(b) && !may_go_round(a)
                : table == AND ? p.all_b == NONE
                               : false;
    dfa_writer_init(&p.writer, ctx);
    const Dfa *out =
        run(&p) ? dfa_writer_fold(&p.writer, p.is_fixed.at) : lang_none();
    dfa_writer_free(&p.writer);
    vec_free(ctx->mem, &p.pairs);
    vec_free(ctx->mem, &p.is_fixed);
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
