/* list_solve.h: whether some numbers of items satisfy all bounds at once.
 *
 * A pool is a number of items, between bounds, that count for the same
 * counters; a counter sums its pools and has bounds of its own. A need says
 * that some counters may only all be reached if another is.
 */
#ifndef WEIR_PASS_LIST_SOLVE_H
#define WEIR_PASS_LIST_SOLVE_H

#include "syntax/ir.h"

/* No upper bound; sums of some of them do not overflow. */
#define COUNT_INF ((uint64_t)1 << 40)

typedef struct CountRange {
    uint64_t lo, hi;
} CountRange;

typedef struct ListProblem {
    uint32_t npools, ncounters, nneeds;
    uint32_t needs_size;          /* counters that they name, in all */
    const uint32_t *pool_start;   /* by pool, npools + 1 entries */
    const uint32_t *pool_counter; /* ascending for a pool */
    const ListNeed *needs;        /* counters of the problem */
} ListProblem;

/* The bounds of one question; `has`: the counter has been reached already, so
 * that needs hold of it. */
typedef struct ListBounds {
    CountRange *pool, *counter;
    uint8_t *has;
} ListBounds;

typedef enum SolveAnswer {
    SOLVE_NO,
    SOLVE_YES,
    SOLVE_GAVE_UP, /* more work than was left */
    SOLVE_NO_MEMORY
} SolveAnswer;

/* Pool `pool` was given at least `given`, more than it must have. */
typedef struct SolveChoice {
    uint32_t pool;
    uint64_t given;
} SolveChoice;

/* Scratch of one thread. */
typedef struct Solver {
    const Mem *mem;
    VEC(CountRange) sums;  /* by counter */
    VEC(CountRange) saved; /* bounds before each of the choices made */
    VEC(SolveChoice) made;
    uint64_t work; /* steps that may still be done */
} Solver;

void solver_free(Solver *solver);
/* Bounds are changed: for YES they say what must hold of every solution with
 * the choices made. Exact. */
SolveAnswer solve(Solver *solver, const ListProblem *problem,
                  ListBounds *bounds);

/* What items beyond the least number of a pool cost: `count` of them `cost`
 * each, cheaper ones first. */
typedef struct CostStep {
    uint64_t count, cost;
} CostStep;

typedef struct PoolCosts {
    const uint32_t *start; /* by pool, npools + 1 entries */
    const CostStep *step;
    uint64_t *least; /* by pool: its number of items at step 0 */
} PoolCosts;

/* The cheapest solution within the bounds: what it costs beyond the least
 * numbers, for SOLVE_YES. Exact. */
SolveAnswer solve_cheapest(Solver *solver, const ListProblem *problem,
                           ListBounds *bounds, const PoolCosts *costs,
                           uint64_t *cost);

#endif
