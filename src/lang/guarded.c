/* guarded.c: Nfa with assertions → Dfa: look-ahead, look-behind and their
 * negations, nested in any way, exactly.
 *
 * In:    an Nfa (nfa.h).   Out: the minimal Dfa of its language.
 * Method: determinisation of an alternating automaton (Chandra, Kozen and
 *        Stockmeyer), formulas kept as decision diagrams. At a position of the
 *        string everything that depends on what follows is a Boolean formula
 *        over atoms:
 *            q    "from Nfa state q, which reads a code point, the rest leads
 *                  to acceptance";  END  "the rest is empty".
 *        Reading a code point c replaces each atom q by the disjunction, over
 *        q's edges on c, of what their targets come to without reading: a
 *        formula again, in which a look-ahead is just the formula of its own
 *        start, negated or not. That formula is made once for each state, with
 *        a variable for each assertion ("test"); at a position the tests are
 *        replaced by what the assertions are there. A look-behind runs forward beside it: behind[q]
 *        is the formula under which some match of its body, begun anywhere
 *        before, stands in q now; it holds when such a match stands in its
 *        accepting state.
 *        A Dfa state is (main formula, formulas of the look-behind states that
 *        the main formula can still ask for).
 *        Atoms of a chain (nfa.h) imply the earlier ones, and formulas are kept
 *        short by that (bdd.h): of (.{1,63}\.)+ a formula asks for the latest
 *        begin of a copy in place of all.
 * Order: assertions are evaluated by number; one tests only earlier ones.
 * Cost:  doubly exponential at worst; states, nodes and steps are charged.
 * Tests: unit/lang_test.c, unit/regex_test.c, prop/regex_reference_test.c
 */
#include "lang/nfa.h"

#include <stdlib.h>

#include "base/sort.h"
#include "lang/bdd.h"
#include "lang/graph.h"

#define CLASS_START CLASS_NONE

enum { MEMBERS_PER_STATE = 64 };

/* A look-behind state and the formula under which it is occupied. */
typedef struct Behind {
    uint32_t state;
    Bdd when;
} Behind;

/* A formula remembered for one position; of position 0, none. */
typedef struct Memo {
    uint64_t position;
    Bdd formula;
} Memo;

/* Replaces variables of formulas, each node once a position. */
struct Guarded;
typedef struct Rewrite {
    Bdd (*replace)(struct Guarded *g, uint32_t var);
    VEC(Memo) done; /* by node */
    VEC(Bdd) pending;
} Rewrite;

/* Variables: tests [0, ntests), of which the last is "at the start"; atoms
 * ntests + state; last END. */
typedef struct Guarded {
    LangCtx *ctx;
    const Nfa *nfa;
    BddPool bdd;
    uint32_t ntests, end_var;
    Graph graph;
    Arena scratch;
    uint32_t *owner;    /* by state of a look-behind: the assertion */
    uint64_t *mask;     /* by variable: assertions it may still ask for */
    uint32_t *chain;    /* by variable: that of the state, or 0 */
    uint8_t *is_atom;   /* by state: has edges over labels */
    uint8_t *accepts;   /* by state: accepting state of a look-ahead */
    uint8_t *universal; /* by state: accepts every string */
    /* Dfa states: main formula, then Behind pairs, in one pool */
    VEC(uint32_t) keys;
    VEC(uint32_t) key_end;
    Map index;
    /* the position being computed */
    uint64_t position;
    uint32_t class;     /* read to get here, or CLASS_START */
    Bdd *holds;         /* by assertion */
    VEC(Behind) behind; /* of the new position */
    VEC(Behind) from;   /* of the last one */
    Memo *delta;        /* by state: what its atom becomes */
    Rewrite step;       /* atoms → deltas */
    Rewrite ground;     /* tests → what holds */
    Bdd *closure;       /* by state: what it comes to without reading */
    uint8_t *is_closed; /* by state: closure is known */
    /* spreading along edges that read nothing */
    uint64_t *reached;  /* by state: the spread that last reached it */
    Bdd *when;          /* by state: under which formula */
    uint8_t *is_queued; /* by state */
    uint64_t spread;
    VEC(uint32_t) found; /* states reached */
    VEC(uint32_t) queue;
    bool is_symbolic; /* assertions are tests, not what holds here */
} Guarded;

static uint64_t bit_of(uint32_t assertion)
{
    return (uint64_t)1 << MIN(assertion, 63u);
}

/* ---- spreading ---- */

static bool spread_to(Guarded *g, uint32_t state, Bdd when)
{
    const Mem *mem = g->ctx->mem;
    if (when == BDD_FALSE) return lang_ok(g->ctx);
    if (g->reached[state] != g->spread) {
        g->reached[state] = g->spread;
        g->when[state] = BDD_FALSE;
        if (!vec_push(mem, &g->found, state)) return lang_no_memory(g->ctx);
    }
    Bdd wider = bdd_or(&g->bdd, g->when[state], when);
    if (wider == g->when[state]) return lang_ok(g->ctx);
    g->when[state] = wider;
    if (g->is_queued[state]) return true;
    g->is_queued[state] = 1;
    return vec_push(mem, &g->queue, state) || lang_no_memory(g->ctx);
}

static Bdd test_value(Guarded *g, uint32_t test)
{
    if (g->is_symbolic) return bdd_var(&g->bdd, test);
    if (test + 1 < g->ntests) return g->holds[test];
    return g->class == CLASS_START ? BDD_TRUE : BDD_FALSE;
}

/* The condition of an edge that reads nothing. */
static Bdd edge_guard(Guarded *g, NfaEdge e)
{
    switch (e.kind) {
    case NFA_AT_END:
        return bdd_var(&g->bdd, g->end_var);
    case NFA_AT_START:
        return test_value(g, g->ntests - 1);
    case NFA_HOLDS:
        return test_value(g, e.arg);
    case NFA_HOLDS_NOT:
        return bdd_not(&g->bdd, test_value(g, e.arg));
    default:
        return BDD_TRUE;
    }
}

static bool spread_from(Guarded *g, uint32_t state)
{
    Bdd when = g->when[state];
    for (uint32_t i = g->nfa->state_edge.at[state]; i != NFA_NONE;
         i = g->nfa->edges.at[i].next) {
        NfaEdge e = g->nfa->edges.at[i];
        if (!lang_charge(g->ctx, 4)) return false;
        if (e.kind == NFA_LABEL) continue;
        if (!spread_to(g, e.to, bdd_and(&g->bdd, when, edge_guard(g, e))))
            return false;
    }
    return true;
}

static void spread_begin(Guarded *g, bool is_symbolic)
{
    g->spread++;
    g->found.count = g->queue.count = 0;
    g->is_symbolic = is_symbolic;
}

static bool spread_run(Guarded *g)
{
    while (g->queue.count) {
        uint32_t state = g->queue.at[--g->queue.count];
        g->is_queued[state] = 0;
        if (!spread_from(g, state)) return false;
    }
    return lang_ok(g->ctx);
}

/* ---- rewriting ---- */

/* Whether the node is its own result, or has one. */
static bool is_rewritten(const Guarded *g, const Rewrite *r, Bdd f)
{
    if (f <= BDD_TRUE) return true;
    if (r == &g->ground && !g->bdd.nodes.at[f].is_test) return true;
    return f < r->done.count && r->done.at[f].position == g->position;
}

static Bdd rewritten(const Guarded *g, const Rewrite *r, Bdd f)
{
    if (f <= BDD_TRUE) return f;
    if (r == &g->ground && !g->bdd.nodes.at[f].is_test) return f;
    return r->done.at[f].formula;
}

/* Makes room for the results of all nodes up to `f`. */
static bool rewrite_reserve(Guarded *g, Rewrite *r, Bdd f)
{
    uint32_t have = r->done.count;
    if (f < have) return true;
    if (!vec_reserve(g->ctx->mem, &r->done, (size_t)f + 1))
        return lang_no_memory(g->ctx);
    memset(r->done.at + have, 0, (f + 1 - have) * sizeof(Memo));
    r->done.count = f + 1;
    return true;
}

static bool rewrite_push(Guarded *g, Rewrite *r, Bdd f)
{
    return is_rewritten(g, r, f) || vec_push(g->ctx->mem, &r->pending, f) ||
           lang_no_memory(g->ctx);
}

/* Replaces the variables of `f`; children first, on an explicit stack. */
static Bdd rewrite(Guarded *g, Rewrite *r, Bdd f)
{
    if (!rewrite_reserve(g, r, f) || !rewrite_push(g, r, f)) return BDD_FALSE;
    while (r->pending.count && lang_charge(g->ctx, 6)) {
        Bdd top = r->pending.at[r->pending.count - 1];
        BddNode n = g->bdd.nodes.at[top];
        if (!is_rewritten(g, r, n.lo) || !is_rewritten(g, r, n.hi)) {
            if (!rewrite_push(g, r, n.lo) || !rewrite_push(g, r, n.hi))
                return BDD_FALSE;
            continue;
        }
        r->pending.count--;
        Bdd when = r->replace(g, n.var);
        Bdd yes = rewritten(g, r, n.hi), no = rewritten(g, r, n.lo);
        Bdd result = bdd_choose(&g->bdd, when, yes, no);
        r->done.at[top] = (Memo){g->position, result};
    }
    r->pending.count = 0;
    return lang_ok(g->ctx) ? rewritten(g, r, f) : BDD_FALSE;
}

/* ---- closures: what a state comes to ---- */

static Bdd found_atom(Guarded *g, uint32_t state)
{
    if (g->accepts[state] || g->universal[state]) return BDD_TRUE;
    Bdd here = BDD_FALSE;
    if (g->is_atom[state]) here = bdd_var(&g->bdd, g->ntests + state);
    if (state != g->nfa->accept) return here;
    return bdd_or(&g->bdd, here, bdd_var(&g->bdd, g->end_var));
}

/* Later states first: then each atom is put on top of the sum. */
static Bdd found_formula(Guarded *g)
{
    Bdd sum = BDD_FALSE;
    sort_numbers(g->found.at, g->found.count);
    for (uint32_t i = g->found.count; i-- > 0;) {
        uint32_t s = g->found.at[i];
        Bdd here = bdd_and(&g->bdd, g->when[s], found_atom(g, s));
        sum = bdd_or(&g->bdd, here, sum);
    }
    return sum;
}

/* With tests. */
static Bdd symbolic_closure(Guarded *g, uint32_t state)
{
    if (g->is_closed[state]) return g->closure[state];
    spread_begin(g, true);
    if (!spread_to(g, state, BDD_TRUE) || !spread_run(g)) return BDD_FALSE;
    g->closure[state] = found_formula(g);
    g->is_closed[state] = 1;
    return g->closure[state];
}

static Bdd ground_test(Guarded *g, uint32_t var)
{
    if (var >= g->ntests) return bdd_var(&g->bdd, var);
    g->is_symbolic = false;
    return test_value(g, var);
}

/* At this position. */
static Bdd closure_of(Guarded *g, uint32_t state)
{
    return rewrite(g, &g->ground, symbolic_closure(g, state));
}

/* ---- reading a class ---- */

static bool label_has(const Alphabet *a, uint32_t label, uint32_t class)
{
    const uint32_t *at = alphabet_classes(a, label);
    uint32_t from = 0, to = alphabet_nclasses(a, label);
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (at[middle] == class) return true;
        if (at[middle] < class)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* What the atom of a state becomes when g->class is read. */
static Bdd delta_of(Guarded *g, uint32_t state)
{
    Memo *memo = &g->delta[state];
    Bdd sum = BDD_FALSE;
    if (memo->position == g->position) return memo->formula;
    for (uint32_t i = g->nfa->state_edge.at[state]; i != NFA_NONE;
         i = g->nfa->edges.at[i].next) {
        NfaEdge e = g->nfa->edges.at[i];
        if (e.kind == NFA_LABEL && lang_charge(g->ctx, 8) &&
            label_has(&g->nfa->alphabet, e.arg, g->class))
            sum = bdd_or(&g->bdd, sum, closure_of(g, e.to));
    }
    *memo = (Memo){g->position, sum};
    return sum;
}

static Bdd step_atom(Guarded *g, uint32_t var)
{
    return var == g->end_var ? BDD_FALSE : delta_of(g, var - g->ntests);
}

/* Replaces every atom of `f` by what it becomes. */
static Bdd step_formula(Guarded *g, Bdd f)
{
    return rewrite(g, &g->step, f);
}

/* ---- look-behind ---- */

/* Where one occupied state of a look-behind goes on g->class. */
static bool behind_read(Guarded *g, Behind b)
{
    for (uint32_t i = g->nfa->state_edge.at[b.state]; i != NFA_NONE;
         i = g->nfa->edges.at[i].next) {
        NfaEdge e = g->nfa->edges.at[i];
        if (!lang_charge(g->ctx, 8)) return false;
        if (e.kind == NFA_LABEL &&
            label_has(&g->nfa->alphabet, e.arg, g->class) &&
            !spread_to(g, e.to, b.when))
            return false;
    }
    return true;
}

static int behind_order(const void *x, const void *y)
{
    const Behind *a = x, *b = y;
    return (a->state > b->state) - (a->state < b->state);
}

/* Puts the stepped states of look-behind `k` on their way. */
static bool behind_enter(Guarded *g, uint32_t k, const Behind *from,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (g->owner[from[i].state] != k) continue;
        if (!behind_read(g, from[i])) return false;
    }
    return true;
}

/* Formulas of look-behind `k` at the new position. They are stepped before
 * the spread begins, since stepping spreads too. */
static bool behind_step(Guarded *g, uint32_t k, Behind *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (g->owner[from[i].state] == k)
            from[i].when = step_formula(g, from[i].when);
    return lang_ok(g->ctx);
}

/* Keeps the occupied states of look-behind `k` for the next step. */
static bool behind_keep(Guarded *g, uint32_t k)
{
    uint32_t first = g->behind.count;
    for (uint32_t i = 0; i < g->found.count; i++) {
        uint32_t s = g->found.at[i];
        if (!g->is_atom[s]) continue;
        g->owner[s] = k;
        if (!vec_push(g->ctx->mem, &g->behind, (Behind){s, g->when[s]}))
            return lang_no_memory(g->ctx);
    }
    if (g->behind.count > first)
        qsort(g->behind.at + first, g->behind.count - first, sizeof(Behind),
              behind_order);
    return true;
}

/* Advances look-behind `k` over g->class; `from` are the occupied states of
 * all look-behinds at the last position. */
static bool behind_advance(Guarded *g, uint32_t k, Behind *from, uint32_t count)
{
    NfaAssertion a = g->nfa->assertions.at[k];
    if (!behind_step(g, k, from, count)) return false;
    spread_begin(g, false);
    if (!spread_to(g, a.start, BDD_TRUE) || !behind_enter(g, k, from, count) ||
        !spread_run(g))
        return false;
    g->holds[k] = BDD_FALSE;
    if (g->reached[a.accept] == g->spread) g->holds[k] = g->when[a.accept];
    return behind_keep(g, k);
}

/* Evaluates at the new position every assertion that `mask` names. */
static bool assertions_advance(Guarded *g, uint64_t mask, Behind *from,
                               uint32_t count)
{
    g->behind.count = 0;
    for (uint32_t k = 0; k < g->nfa->assertions.count; k++) {
        NfaAssertion a = g->nfa->assertions.at[k];
        g->holds[k] = BDD_FALSE;
        if (!(mask & bit_of(k))) continue;
        if (!a.is_behind)
            g->holds[k] = closure_of(g, a.start);
        else if (!behind_advance(g, k, from, count))
            return false;
    }
    return lang_ok(g->ctx);
}

/* ---- Dfa states ---- */

static Span key_bytes(const Guarded *g, uint32_t state)
{
    uint32_t from = state ? g->key_end.at[state - 1] : 0;
    return span_of(g->keys.at + from,
                   (g->key_end.at[state] - from) * sizeof(uint32_t));
}

/* Appends the key of the new position, without look-behinds that its formula
 * cannot ask for. */
static bool key_push(Guarded *g, Bdd formula)
{
    const Mem *mem = g->ctx->mem;
    uint64_t mask = g->bdd.nodes.at[formula].mask;
    if (!vec_push(mem, &g->keys, formula)) return lang_no_memory(g->ctx);
    for (uint32_t i = 0; i < g->behind.count; i++) {
        Behind b = g->behind.at[i];
        if (!(mask & bit_of(g->owner[b.state]))) continue;
        if (!vec_push(mem, &g->keys, b.state) ||
            !vec_push(mem, &g->keys, b.when))
            return lang_no_memory(g->ctx);
    }
    return true;
}

static bool key_intern(Guarded *g, Bdd formula, uint32_t *state)
{
    LangCtx *ctx = g->ctx;
    uint32_t start = g->keys.count;
    if (!lang_ok(ctx) || !key_push(g, formula)) return false;
    Span key =
        span_of(g->keys.at + start, (g->keys.count - start) * sizeof(uint32_t));
    uint64_t hash = hash_bytes(0, key.at, key.size);
    for (MapPos p = map_first(&g->index, hash); p.value != MAP_NONE;
         p = map_next(&g->index, hash, p))
        if (span_equal(key, key_bytes(g, p.value))) {
            g->keys.count = start;
            return *state = p.value, true;
        }
    *state = g->key_end.count;
    if (!lang_room(ctx, g->keys.count / MEMBERS_PER_STATE) ||
        !lang_room(ctx, (uint64_t)*state + 1) || !lang_charge(ctx, key.size))
        return false;
    return (vec_push(ctx->mem, &g->key_end, g->keys.count) &&
            map_add(ctx->mem, &g->index, hash, *state)) ||
           lang_no_memory(ctx);
}

/* Whether the formula holds when nothing follows: END alone is true. */
static bool formula_accepts(const Guarded *g, Bdd f)
{
    while (f > BDD_TRUE) {
        BddNode n = g->bdd.nodes.at[f];
        f = n.var == g->end_var ? n.hi : n.lo;
    }
    return f == BDD_TRUE;
}

/* ---- the run ---- */

/* Copies the look-behind pairs of a state, since the pool may move. */
static bool load_behind(Guarded *g, uint32_t state)
{
    uint32_t from = (state ? g->key_end.at[state - 1] : 0) + 1;
    g->from.count = 0;
    for (uint32_t i = from; i < g->key_end.at[state]; i += 2)
        if (!vec_push(g->ctx->mem, &g->from,
                      (Behind){g->keys.at[i], g->keys.at[i + 1]}))
            return lang_no_memory(g->ctx);
    return true;
}

static bool step_class(Guarded *g, uint32_t state, uint32_t class)
{
    uint32_t to;
    Bdd f = g->keys.at[state ? g->key_end.at[state - 1] : 0];
    g->position++;
    g->class = class;
    if (!lang_charge(g->ctx, 16) || !load_behind(g, state) ||
        !assertions_advance(g, g->bdd.nodes.at[f].mask, g->from.at,
                            g->from.count))
        return false;
    f = step_formula(g, f);
    if (f == BDD_FALSE) return lang_ok(g->ctx);
    return key_intern(g, f, &to) && graph_edge(&g->graph, class, to);
}

static bool step_state(Guarded *g, uint32_t state)
{
    Bdd f = g->keys.at[state ? g->key_end.at[state - 1] : 0];
    if (!graph_state(&g->graph, formula_accepts(g, f))) return false;
    for (uint32_t c = 0; c < g->nfa->alphabet.nclasses; c++)
        if (!step_class(g, state, c)) return false;
    return true;
}

static bool run(Guarded *g)
{
    uint32_t state;
    g->position = 1;
    g->class = CLASS_START;
    if (!assertions_advance(g, UINT64_MAX, NULL, 0)) return false;
    if (!key_intern(g, closure_of(g, g->nfa->start), &state)) return false;
    while (state < g->key_end.count)
        if (!step_state(g, state++)) return false;
    return true;
}

/* ---- setting up ---- */

static uint64_t edge_mask(const Guarded *g, NfaEdge e)
{
    const uint64_t *mask = g->mask + g->ntests; /* of atoms */
    if (e.kind != NFA_HOLDS && e.kind != NFA_HOLDS_NOT) return mask[e.to];
    return mask[e.to] | bit_of(e.arg) |
           mask[g->nfa->assertions.at[e.arg].start];
}

/* The mask of s: assertions on the ways from s, and what those ask for. Least
 * fixpoint; states mostly lead to later ones, so it goes backwards. */
static bool find_masks(Guarded *g)
{
    const Nfa *nfa = g->nfa;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = nfa->state_edge.count; s-- > 0;) {
            uint64_t *of = &g->mask[g->ntests + s], mask = *of;
            for (uint32_t i = nfa->state_edge.at[s]; i != NFA_NONE;
                 i = nfa->edges.at[i].next)
                mask |= edge_mask(g, nfa->edges.at[i]);
            changed |= mask != *of;
            *of = mask;
        }
        if (!lang_charge(g->ctx, nfa->edges.count * 2ull + 1)) return false;
    }
    return true;
}

static bool arrays_init(Guarded *g)
{
    Arena *scratch = &g->scratch;
    size_t n = (size_t)g->nfa->state_edge.count + 1;
    g->mask = arena_zero(scratch, (g->end_var + 1) * sizeof *g->mask);
    g->chain = arena_zero(scratch, (g->end_var + 1) * sizeof *g->chain);
    g->is_atom = arena_zero(scratch, n);
    g->accepts = arena_zero(scratch, n);
    g->universal = arena_zero(scratch, n);
    g->is_queued = arena_zero(scratch, n);
    g->is_closed = arena_zero(scratch, n);
    g->closure = arena_zero(scratch, n * sizeof *g->closure);
    g->delta = arena_zero(scratch, n * sizeof *g->delta);
    g->reached = arena_zero(scratch, n * sizeof *g->reached);
    g->when = arena_zero(scratch, n * sizeof *g->when);
    g->owner = arena_zero(scratch, n * sizeof *g->owner);
    g->holds = arena_zero(scratch, g->ntests * sizeof *g->holds);
    return !scratch->failed || lang_no_memory(g->ctx);
}

static bool guarded_init(Guarded *g)
{
    const Nfa *nfa = g->nfa;
    g->ntests = nfa->assertions.count + 1;
    g->end_var = g->ntests + nfa->state_edge.count;
    g->step.replace = step_atom;
    g->ground.replace = ground_test;
    if (!arrays_init(g)) return false;
    for (uint32_t s = 0; s < nfa->state_edge.count; s++) {
        g->chain[g->ntests + s] = nfa->state_chain.at[s];
        for (uint32_t i = nfa->state_edge.at[s]; i != NFA_NONE;
             i = nfa->edges.at[i].next)
            g->is_atom[s] |= nfa->edges.at[i].kind == NFA_LABEL;
    }
    for (uint32_t k = 0; k < nfa->assertions.count; k++)
        if (!nfa->assertions.at[k].is_behind)
            g->accepts[nfa->assertions.at[k].accept] = 1;
    if (!find_masks(g) || !nfa_find_universal(nfa, g->universal)) return false;
    bdd_init(&g->bdd, g->ctx, g->mask, g->chain, g->ntests);
    return lang_ok(g->ctx);
}

static void guarded_free(Guarded *g)
{
    const Mem *mem = g->ctx->mem;
    bdd_free(&g->bdd);
    graph_free(&g->graph);
    arena_free(&g->scratch);
    vec_free(mem, &g->keys);
    vec_free(mem, &g->key_end);
    map_free(mem, &g->index);
    vec_free(mem, &g->behind);
    vec_free(mem, &g->from);
    vec_free(mem, &g->step.done);
    vec_free(mem, &g->step.pending);
    vec_free(mem, &g->ground.done);
    vec_free(mem, &g->ground.pending);
    vec_free(mem, &g->found);
    vec_free(mem, &g->queue);
}

const Dfa *nfa_determinize_guarded(Nfa *nfa)
{
    LangCtx *ctx = nfa->ctx;
    const Dfa *out = lang_none();
    static const RuneRange any[] = {{0, 0xD7FF}, {0xE000, 0x10FFFF}};
    /* Every code point belongs to a class: what no edge reads still moves
     * negated formulas on. */
    alphabet_label(&nfa->alphabet, any, 2);
    if (!alphabet_close(&nfa->alphabet)) return out;
    Guarded g = {.ctx = ctx, .nfa = nfa};
    graph_init(&g.graph, ctx);
    arena_init(&g.scratch, ctx->mem, 0);
    g.bdd.ctx = ctx;
    if (guarded_init(&g) && run(&g))
        out = graph_finish(&g.graph, &nfa->alphabet);
    guarded_free(&g);
    return out;
}
