/* bdd.c: decision diagrams by the one operation if-then-else (Bryant; Brace,
 * Rudell and Bryant for the form).
 *
 * In, out: functions of a pool.
 * Method: split on the lowest variable of the three arguments, with an explicit
 *        stack and a lossy cache of results; equal nodes are one node.
 *        Where a variable of a chain is false, so are the later ones: they are
 *        left out of its lo half. Where that half is what the hi half comes to
 *        without them, the hi half alone says it, and no node is made.
 * Cost:  the product of the argument sizes at worst; every call is charged,
 *        nodes are limited by the context's max_states.
 * Tests: unit/lang_test.c (through nfa_determinize_guarded)
 */
#include "lang/bdd.h"

enum { NODES_PER_STATE = 4, CACHE_FIRST = 1 << 10, CACHE_LAST = 1 << 18 };

void bdd_init(BddPool *pool, LangCtx *ctx, const uint64_t *var_mask,
              const uint32_t *chain, uint32_t ntests)
{
    *pool = (BddPool){
        .ctx = ctx, .var_mask = var_mask, .chain = chain, .ntests = ntests};
    BddNode constant = {.var = UINT32_MAX};
    if (!vec_push(ctx->mem, &pool->nodes, constant) ||
        !vec_push(ctx->mem, &pool->nodes, constant))
        lang_no_memory(ctx);
}

void bdd_free(BddPool *pool)
{
    const Mem *mem = pool->ctx->mem;
    vec_free(mem, &pool->nodes);
    map_free(mem, &pool->index);
    vec_free(mem, &pool->stack);
    vec_free(mem, &pool->cuts);
    vec_free(mem, &pool->cut_stack);
    mem_free(mem, pool->cache, pool->cache_size * sizeof *pool->cache);
}

/* ---- nodes ---- */

static Bdd node_find(const BddPool *pool, BddNode n, uint64_t hash)
{
    for (MapPos p = map_first(&pool->index, hash); p.value != MAP_NONE;
         p = map_next(&pool->index, hash, p)) {
        BddNode known = pool->nodes.at[p.value];
        if (known.var == n.var && known.lo == n.lo && known.hi == n.hi)
            return p.value;
    }
    return BDD_FALSE;
}

static uint64_t chain_bit(uint32_t chain)
{
    return chain ? (uint64_t)1 << chain % 64 : 0;
}

/* The node "var ? hi : lo", whose halves ask later variables. */
static Bdd node_make(BddPool *pool, uint32_t var, Bdd lo, Bdd hi)
{
    LangCtx *ctx = pool->ctx;
    if (lo == hi) return lo;
    BddNode n = {.var = var, .lo = lo, .hi = hi};
    uint64_t hash = hash_mix(hash_mix(1, var), (uint64_t)lo << 32 | hi);
    Bdd known = node_find(pool, n, hash);
    if (known) return known;
    if (!lang_room(ctx, pool->nodes.count / NODES_PER_STATE)) return BDD_FALSE;
    n.is_test = var < pool->ntests || pool->nodes.at[lo].is_test ||
                pool->nodes.at[hi].is_test;
    n.mask =
        pool->var_mask[var] | pool->nodes.at[lo].mask | pool->nodes.at[hi].mask;
    n.chains = chain_bit(pool->chain[var]) | pool->nodes.at[lo].chains |
               pool->nodes.at[hi].chains;
    if (!vec_push(ctx->mem, &pool->nodes, n) ||
        !map_add(ctx->mem, &pool->index, hash, pool->nodes.count - 1))
        return lang_no_memory(ctx), BDD_FALSE;
    return pool->nodes.count - 1;
}

/* ---- chains ---- */

/* What a node comes to without the chain, if that is known. */
static bool cut_find(const BddPool *pool, Bdd f, uint32_t chain, Bdd *out)
{
    if (!(pool->nodes.at[f].chains & chain_bit(chain))) return *out = f, true;
    if (pool->cuts.at[f].run != pool->run) return false;
    return *out = pool->cuts.at[f].result, true;
}

static bool cut_push(BddPool *pool, Bdd f)
{
    return vec_push(pool->ctx->mem, &pool->cut_stack, f) ||
           lang_no_memory(pool->ctx);
}

/* Room for the results of all nodes there are. */
static bool cut_reserve(BddPool *pool)
{
    uint32_t have = pool->cuts.count, want = pool->nodes.count;
    if (!vec_reserve(pool->ctx->mem, &pool->cuts, want))
        return lang_no_memory(pool->ctx);
    if (want > have)
        memset(pool->cuts.at + have, 0, (want - have) * sizeof(BddCut));
    pool->cuts.count = want;
    return true;
}

/* The top node of the stack, if its halves are known; else they are put on it. */
static bool cut_step(BddPool *pool, uint32_t chain)
{
    Bdd lo, hi, top = pool->cut_stack.at[pool->cut_stack.count - 1];
    BddNode n = pool->nodes.at[top];
    bool is_cut = pool->chain[n.var] == chain;
    if (!cut_find(pool, n.lo, chain, &lo)) return cut_push(pool, n.lo);
    if (is_cut)
        hi = lo;
    else if (!cut_find(pool, n.hi, chain, &hi))
        return cut_push(pool, n.hi);
    pool->cut_stack.count--;
    pool->cuts.at[top] = (BddCut){pool->run, node_make(pool, n.var, lo, hi)};
    return lang_charge(pool->ctx, 4);
}

/* What f comes to where the variables of a chain are false. */
static Bdd bdd_without(BddPool *pool, Bdd f, uint32_t chain)
{
    Bdd out = BDD_FALSE;
    pool->run++;
    pool->cut_stack.count = 0;
    if (!cut_reserve(pool)) return BDD_FALSE;
    while (!cut_find(pool, f, chain, &out))
        if (pool->cut_stack.count ? !cut_step(pool, chain) : !cut_push(pool, f))
            return BDD_FALSE;
    return out;
}

/* The node "var ? hi : lo", in the form that chains ask for. */
static Bdd node_intern(BddPool *pool, uint32_t var, Bdd lo, Bdd hi)
{
    uint32_t chain = pool->chain[var];
    if (chain) {
        lo = bdd_without(pool, lo, chain);
        if (bdd_without(pool, hi, chain) == lo) return hi;
    }
    return node_make(pool, var, lo, hi);
}

Bdd bdd_var(BddPool *pool, uint32_t var)
{
    if (!lang_charge(pool->ctx, 4)) return BDD_FALSE;
    return node_intern(pool, var, BDD_FALSE, BDD_TRUE);
}

/* ---- if-then-else ---- */

/* Keeps the cache about as large as the pool; growing forgets. */
static bool cache_grow(BddPool *pool)
{
    const Mem *mem = pool->ctx->mem;
    uint32_t size = MAX(pool->cache_size, (uint32_t)CACHE_FIRST);
    while (size < pool->nodes.count && size < CACHE_LAST) size *= 2;
    if (size == pool->cache_size) return true;
    mem_free(mem, pool->cache, pool->cache_size * sizeof *pool->cache);
    pool->cache = mem_zero(mem, size * sizeof *pool->cache);
    pool->cache_size = pool->cache ? size : 0;
    return pool->cache || lang_no_memory(pool->ctx);
}

static BddCall *cache_slot(BddPool *pool, const BddFrame *f)
{
    uint64_t h = hash_mix(f->when, (uint64_t)f->yes << 32 | f->no);
    return &pool->cache[h & (pool->cache_size - 1)];
}

/* Whether the answer is known without splitting. */
static bool choose_known(BddPool *pool, const BddFrame *f, Bdd *result)
{
    if (f->when == BDD_TRUE || f->yes == f->no) return *result = f->yes, true;
    if (f->when == BDD_FALSE) return *result = f->no, true;
    if (f->yes == BDD_TRUE && f->no == BDD_FALSE)
        return *result = f->when, true;
    const BddCall *c = cache_slot(pool, f);
    if (c->when != f->when || c->yes != f->yes || c->no != f->no)
        return false; /* an empty slot has when == 0, which was answered */
    return *result = c->result, true;
}

static uint32_t top_var(const BddPool *pool, const BddFrame *f)
{
    uint32_t var = pool->nodes.at[f->when].var;
    var = MIN(var, pool->nodes.at[f->yes].var);
    return MIN(var, pool->nodes.at[f->no].var);
}

static Bdd half(const BddPool *pool, Bdd f, uint32_t var, bool is_hi)
{
    BddNode n = pool->nodes.at[f];
    if (n.var != var) return f;
    return is_hi ? n.hi : n.lo;
}

static bool push_half(BddPool *pool, const BddFrame *f, bool is_hi)
{
    uint32_t var = top_var(pool, f);
    BddFrame kid = {half(pool, f->when, var, is_hi),
                    half(pool, f->yes, var, is_hi),
                    half(pool, f->no, var, is_hi), 0, 0};
    return vec_push(pool->ctx->mem, &pool->stack, kid) ||
           lang_no_memory(pool->ctx);
}

/* One stage of the top frame; pops it when it has a result. */
static bool choose_step(BddPool *pool, Bdd *result)
{
    BddFrame *f = &pool->stack.at[pool->stack.count - 1];
    if (!lang_charge(pool->ctx, 6)) return false;
    if (f->stage == 0) {
        if (choose_known(pool, f, result)) return pool->stack.count--, true;
        f->stage = 1;
        BddFrame copy = *f; /* pushing may move the stack */
        return push_half(pool, &copy, false);
    }
    if (f->stage == 1) {
        f->lo = *result;
        f->stage = 2;
        BddFrame copy = *f;
        return push_half(pool, &copy, true);
    }
    *result = node_intern(pool, top_var(pool, f), f->lo, *result);
    *cache_slot(pool, f) = (BddCall){f->when, f->yes, f->no, *result};
    pool->stack.count--;
    return lang_ok(pool->ctx);
}

Bdd bdd_choose(BddPool *pool, Bdd when, Bdd yes, Bdd no)
{
    LangCtx *ctx = pool->ctx;
    Bdd result = BDD_FALSE;
    if (!lang_ok(ctx) || !cache_grow(pool)) return BDD_FALSE;
    pool->stack.count = 0;
    if (!vec_push(ctx->mem, &pool->stack, (BddFrame){when, yes, no, 0, 0}))
        return lang_no_memory(ctx), BDD_FALSE;
    while (pool->stack.count)
        if (!choose_step(pool, &result)) return BDD_FALSE;
    return result;
}
