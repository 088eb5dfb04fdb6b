/* determinize.c: Nfa without assertions → Dfa by subset construction.
 *
 * In:    an Nfa.   Out: the minimal Dfa.
 * A state of the result is a sorted set of those Nfa states that can read a
 * code point or accept; states behind empty edges only are left out, and a set
 * with a state that accepts everything is that state alone, so that fewer sets
 * differ; for the same end, of the states of a chain only the first is kept.
 * Equal sets are one state.
 * Cost:  exponential at worst, so states, edges and set members are charged,
 *        and an empty budget ends in an error and no result.
 * Holds: states [0, done) have their edges, [done, count) are queued.
 * Tests: unit/lang_test.c
 */
#include "lang/nfa.h"

#include "base/sort.h"
#include "lang/graph.h"

/* Members that all sets together may have for each state allowed. */
enum { MEMBERS_PER_STATE = 64 };

typedef struct Bucket {
    uint32_t to, next; /* next of the same class, or NFA_NONE */
} Bucket;

typedef struct Subsets {
    LangCtx *ctx;
    const Nfa *nfa;
    Graph graph;
    VEC(uint32_t) members; /* set by set */
    VEC(uint32_t) set_end; /* by set */
    Map index;
    VEC(Bucket) buckets;   /* targets of the present set */
    VEC(uint32_t) classes; /* that have some */
    VEC(uint32_t) stack;
    uint32_t *class_bucket;   /* by class: newest bucket, or NFA_NONE */
    uint8_t *universal;       /* by Nfa state: accepts every string */
    uint32_t universal_state; /* one of those */
    uint32_t *seen, epoch;    /* by Nfa state: epoch of the last visit */
    uint32_t *chain_seen;     /* by chain: the same */
} Subsets;

static uint32_t set_start(const Subsets *s, uint32_t set)
{
    assert(set <= s->set_end.count);
    return set ? s->set_end.at[set - 1] : 0;
}

/* ---- closure ---- */

static void next_epoch(Subsets *s)
{
    if (++s->epoch) return;
    memset(s->seen, 0, s->nfa->state_edge.count * sizeof *s->seen);
    memset(s->chain_seen, 0, (s->nfa->nchains + 1) * sizeof *s->chain_seen);
    s->epoch = 1;
}

static bool visit(Subsets *s, uint32_t state)
{
    if (s->seen[state] == s->epoch) return true;
    s->seen[state] = s->epoch;
    return vec_push(s->ctx->mem, &s->stack, state) || lang_no_memory(s->ctx);
}

/* Appends to members everything that empty edges reach from the stack. */
static bool close_stack(Subsets *s)
{
    const Nfa *nfa = s->nfa;
    while (s->stack.count) {
        uint32_t state = s->stack.at[--s->stack.count];
        bool is_member = state == nfa->accept;
        for (uint32_t e = nfa->state_edge.at[state]; e != NFA_NONE;
             e = nfa->edges.at[e].next) {
            if (nfa->edges.at[e].kind == NFA_LABEL) {
                is_member = true;
            } else if (!visit(s, nfa->edges.at[e].to)) {
                return false;
            }
        }
        if (is_member && !vec_push(s->ctx->mem, &s->members, state))
            return lang_no_memory(s->ctx);
        if (!lang_charge(s->ctx, 4)) return false;
    }
    return true;
}

/* ---- sets ---- */

static bool set_accepts(const Subsets *s, Span set)
{
    const uint32_t *members = (const void *)set.at;
    for (size_t i = 0; i < set.size / sizeof *members; i++)
        if (members[i] == s->nfa->accept || s->universal[members[i]])
            return true;
    return false;
}

static Span set_bytes(const Subsets *s, uint32_t set)
{
    uint32_t from = set_start(s, set);
    assert(set < s->set_end.count);
    return span_of(s->members.at + from,
                   (s->set_end.at[set] - from) * sizeof(uint32_t));
}

static uint32_t set_find(const Subsets *s, Span key, uint64_t hash)
{
    for (MapPos p = map_first(&s->index, hash); p.value != MAP_NONE;
         p = map_next(&s->index, hash, p))
        if (span_equal(key, set_bytes(s, p.value))) return p.value;
    return NFA_NONE;
}

/* If one of the newest members accepts everything, it will do; all such are
 * one. */
static void set_simplify(Subsets *s, uint32_t start)
{
    for (uint32_t i = start; i < s->members.count; i++)
        if (s->universal[s->members.at[i]]) {
            s->members.at[start] = s->universal_state;
            s->members.count = start + 1;
        }
}

/* Of the newest members, in order, leaves of each chain the first. */
static void set_thin(Subsets *s, uint32_t start)
{
    uint32_t kept = start;
    for (uint32_t i = start; i < s->members.count; i++) {
        uint32_t chain = s->nfa->state_chain.at[s->members.at[i]];
        if (chain && s->chain_seen[chain] == s->epoch) continue;
        s->chain_seen[chain] = s->epoch;
        s->members.at[kept++] = s->members.at[i];
    }
    s->members.count = kept;
}

/* The number of the set whose members are the pool's tail from `start`. */
static bool set_intern(Subsets *s, uint32_t start, uint32_t *set)
{
    LangCtx *ctx = s->ctx;
    set_simplify(s, start);
    uint32_t count = s->members.count - start;
    sort_numbers(s->members.at + start, count);
    set_thin(s, start);
    count = s->members.count - start;
    Span key = span_of(s->members.at + start, count * sizeof(uint32_t));
    uint64_t hash = hash_bytes(0, key.at, key.size);
    *set = set_find(s, key, hash);
    if (*set != NFA_NONE) return s->members.count = start, true;
    *set = s->set_end.count;
    if (!lang_room(ctx, s->members.count / MEMBERS_PER_STATE) ||
        !lang_room(ctx, (uint64_t)*set + 1) || !lang_charge(ctx, count * 4ull))
        return false;
    return (vec_push(ctx->mem, &s->set_end, s->members.count) &&
            map_add(ctx->mem, &s->index, hash, *set)) ||
           lang_no_memory(ctx);
}

/* ---- steps ---- */

static bool bucket_add(Subsets *s, uint32_t class, uint32_t to)
{
    const Mem *mem = s->ctx->mem;
    if (s->class_bucket[class] == NFA_NONE &&
        !vec_push(mem, &s->classes, class))
        return lang_no_memory(s->ctx);
    Bucket b = {to, s->class_bucket[class]};
    s->class_bucket[class] = s->buckets.count;
    return vec_push(mem, &s->buckets, b) || lang_no_memory(s->ctx);
}

/* Sorts the edges of one Nfa state into the buckets of their classes. */
static bool bucket_state(Subsets *s, uint32_t state)
{
    const Alphabet *a = &s->nfa->alphabet;
    for (uint32_t e = s->nfa->state_edge.at[state]; e != NFA_NONE;
         e = s->nfa->edges.at[e].next) {
        NfaEdge edge = s->nfa->edges.at[e];
        if (edge.kind != NFA_LABEL) continue;
        const uint32_t *classes = alphabet_classes(a, edge.arg);
        uint32_t n = alphabet_nclasses(a, edge.arg);
        if (!lang_charge(s->ctx, n * 2ull + 1)) return false;
        for (uint32_t i = 0; i < n; i++)
            if (!bucket_add(s, classes[i], edge.to)) return false;
    }
    return true;
}

/* Edge of the present set over one class. */
static bool step_class(Subsets *s, uint32_t class)
{
    uint32_t start = s->members.count, set;
    next_epoch(s);
    for (uint32_t b = s->class_bucket[class]; b != NFA_NONE;
         b = s->buckets.at[b].next)
        if (!visit(s, s->buckets.at[b].to)) return false;
    s->class_bucket[class] = NFA_NONE;
    return close_stack(s) && set_intern(s, start, &set) &&
           graph_edge(&s->graph, class, set);
}

static bool step_set(Subsets *s, uint32_t set)
{
    uint32_t from = set_start(s, set), to = s->set_end.at[set];
    if (!graph_state(&s->graph, set_accepts(s, set_bytes(s, set))))
        return false;
    s->buckets.count = s->classes.count = 0;
    for (uint32_t i = from; i < to; i++)
        if (!bucket_state(s, s->members.at[i])) return false;
    sort_numbers(s->classes.at, s->classes.count);
    for (uint32_t i = 0; i < s->classes.count; i++)
        if (!step_class(s, s->classes.at[i])) return false;
    return true;
}

static bool run(Subsets *s)
{
    uint32_t set;
    s->epoch = 1;
    if (!vec_reserve(s->ctx->mem, &s->members, 1))
        return lang_no_memory(s->ctx);
    if (!visit(s, s->nfa->start) || !close_stack(s) || !set_intern(s, 0, &set))
        return false;
    while (set < s->set_end.count)
        if (!step_set(s, set++)) return false;
    return true;
}

static bool arrays_init(Subsets *s, Arena *scratch)
{
    size_t nclasses = (size_t)s->nfa->alphabet.nclasses + 1;
    uint32_t nstates = s->nfa->state_edge.count;
    s->class_bucket = arena_array(scratch, uint32_t, nclasses);
    s->seen = arena_zero(scratch, nstates * sizeof *s->seen);
    s->universal = arena_zero(scratch, nstates);
    s->chain_seen =
        arena_zero(scratch, (s->nfa->nchains + 1) * sizeof *s->chain_seen);
    if (scratch->failed) return lang_no_memory(s->ctx);
    memset(s->class_bucket, 0xFF, nclasses * sizeof *s->class_bucket);
    if (!nfa_find_universal(s->nfa, s->universal)) return false;
    while (s->universal_state + 1 < nstates &&
           !s->universal[s->universal_state])
        s->universal_state++;
    return true;
}

const Dfa *nfa_determinize(Nfa *nfa)
{
    LangCtx *ctx = nfa->ctx;
    if (!alphabet_close(&nfa->alphabet)) return lang_none();
    Subsets s = {.ctx = ctx, .nfa = nfa};
    Arena scratch;
    graph_init(&s.graph, ctx);
    arena_init(&scratch, ctx->mem, 0);
    const Dfa *out = lang_none();
    if (arrays_init(&s, &scratch) && run(&s))
        out = graph_finish(&s.graph, &nfa->alphabet);
    arena_free(&scratch);
    graph_free(&s.graph);
    vec_free(ctx->mem, &s.members);
    vec_free(ctx->mem, &s.set_end);
    map_free(ctx->mem, &s.index);
    vec_free(ctx->mem, &s.buckets);
    vec_free(ctx->mem, &s.classes);
    vec_free(ctx->mem, &s.stack);
    return out;
}
