/* bdd.h: reduced ordered binary decision diagrams: Boolean functions of
 * numbered variables in a form where equal functions are equal numbers.
 * Variables may be ranked in chains, where each implies every earlier one. Then
 * only this matters of a function, and diagrams leave out what never happens.
 * A node asks its variable and goes on to lo (false) or hi (true); variables
 * ascend on every path, and a node is older than the nodes above it, so
 * children have smaller numbers. Lifetime: call. */
#ifndef WEIR_LANG_BDD_H
#define WEIR_LANG_BDD_H

#include "base/hash.h"
#include "lang/lang.h"

typedef uint32_t Bdd;
enum { BDD_FALSE = 0, BDD_TRUE = 1 };

typedef struct BddNode {
    uint32_t var; /* UINT32_MAX in the two constants */
    Bdd lo, hi;
    uint64_t mask;   /* var_mask of this and the variables below, or-ed */
    uint64_t chains; /* bits of the chains that they belong to */
    bool is_test;    /* one of them is below ntests */
} BddNode;

typedef struct BddCall {
    Bdd when, yes, no, result;
} BddCall;

/* A call of bdd_choose that waits for its halves. */
typedef struct BddFrame {
    Bdd when, yes, no;
    Bdd lo;
    int stage;
} BddFrame;

/* What a node comes to without a chain. */
typedef struct BddCut {
    uint64_t run; /* the time when that was found out */
    Bdd result;
} BddCut;

typedef struct BddPool {
    LangCtx *ctx;
    const uint64_t *var_mask; /* by variable; the caller's */
    const uint32_t *chain;    /* by variable, or 0; the caller's */
    uint32_t ntests;          /* variables below are marked apart */
    VEC(BddNode) nodes;
    Map index;
    BddCall *cache; /* results of bdd_choose, lossy */
    uint32_t cache_size;
    VEC(BddFrame) stack;
    VEC(BddCut) cuts; /* by node, for leaving out a chain */
    VEC(Bdd) cut_stack;
    uint64_t run; /* number of the last time that one was left out */
} BddPool;

/* Results are BDD_FALSE once the context has an error. var_mask, chain: by
 * variable, until bdd_free. */
void bdd_init(BddPool *pool, LangCtx *ctx, const uint64_t *var_mask,
              const uint32_t *chain, uint32_t ntests);
void bdd_free(BddPool *pool);
Bdd bdd_var(BddPool *pool, uint32_t var);
/* when ? yes : no */
Bdd bdd_choose(BddPool *pool, Bdd when, Bdd yes, Bdd no);

static inline Bdd bdd_and(BddPool *pool, Bdd a, Bdd b)
{
    return bdd_choose(pool, a, b, BDD_FALSE);
}
static inline Bdd bdd_or(BddPool *pool, Bdd a, Bdd b)
{
    return bdd_choose(pool, a, BDD_TRUE, b);
}
static inline Bdd bdd_not(BddPool *pool, Bdd a)
{
    return bdd_choose(pool, a, BDD_FALSE, BDD_TRUE);
}

#endif
