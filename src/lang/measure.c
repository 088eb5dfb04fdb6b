/* measure.c: questions about a language: emptiness, equality, inclusion,
 * finiteness, lengths and number of its strings.
 *
 * In:    minimal Dfas.   Out: answers.
 * Equality compares arrays, since equal languages are equal Dfas. Lengths: the
 * shortest by breadth first search; a trimmed Dfa is finite iff it has no
 * cycle, and then one pass in topological order (Kahn) finds the longest
 * string and counts them. Cost: linear; inclusion: a product.
 * Tests: unit/lang_test.c
 */
#include "base/hash.h"
#include "lang/lang.h"

bool lang_equal(const Dfa *a, const Dfa *b)
{
    if (a == b) return true;
    uint32_t n = a->nstates;
    if (n != b->nstates) return false;
    if (!n) return true;
    uint32_t m = a->edge_start[n];
    return !memcmp(a->edge_start, b->edge_start, (n + 1) * sizeof(uint32_t)) &&
           !memcmp(a->accepts, b->accepts, n) &&
           (!m || !memcmp(a->edges, b->edges, m * sizeof(DfaEdge)));
}

/* In a finite graph a walk that never finds an end comes to a cycle. */
bool lang_is_open(const Dfa *a)
{
    for (uint32_t s = 0; s < a->nstates; s++)
        if (a->edge_start[s] == a->edge_start[s + 1]) return false;
    return a->nstates > 0;
}

bool lang_is_all(const Dfa *a)
{
    return lang_equal(a, lang_all());
}

uint64_t lang_hash(const Dfa *a)
{
    uint32_t n = a->nstates;
    uint64_t h = hash_mix(FNV_SEED, n);
    if (!n) return h;
    h = hash_bytes(h, a->accepts, n);
    h = hash_bytes(h, a->edge_start, (n + 1) * sizeof(uint32_t));
    return hash_bytes(h, a->edges, a->edge_start[n] * sizeof(DfaEdge));
}

bool lang_is_subset(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    const Dfa *rest = lang_subtract(ctx, a, b);
    return lang_ok(ctx) && lang_is_none(rest);
}

bool lang_is_disjoint(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    const Dfa *both = lang_intersect(ctx, a, b);
    return lang_ok(ctx) && lang_is_none(both);
}

/* ---- sizes ---- */

typedef struct Measure {
    const Dfa *dfa;
    uint32_t *queue;    /* states in the order they were found */
    uint32_t *distance; /* by state; LANG_INF: not found yet */
    uint32_t *indegree; /* by state: edges not walked yet */
    uint64_t *count;    /* by state: strings that lead there */
} Measure;

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mul_capped(uint64_t a, uint64_t b)
{
    return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static uint32_t shortest(Measure *m)
{
    const Dfa *a = m->dfa;
    uint32_t head = 0, tail = 0;
    memset(m->distance, 0xFF, a->nstates * sizeof *m->distance);
    m->queue[tail++] = 0;
    m->distance[0] = 0;
    while (head < tail) {
        uint32_t s = m->queue[head++];
        if (a->accepts[s]) return m->distance[s];
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++) {
            uint32_t to = a->edges[e].to;
            if (m->distance[to] != LANG_INF) continue;
            m->distance[to] = m->distance[s] + 1;
            m->queue[tail++] = to;
        }
    }
    return LANG_INF;
}

static void walk_edges(Measure *m, uint32_t s, uint32_t *tail)
{
    const Dfa *a = m->dfa;
    for (uint32_t i = a->edge_start[s]; i < a->edge_start[s + 1]; i++) {
        DfaEdge e = a->edges[i];
        uint64_t ways = mul_capped(m->count[s], e.hi - e.lo + 1);
        m->count[e.to] = add_capped(m->count[e.to], ways);
        m->distance[e.to] = MAX(m->distance[e.to], m->distance[s] + 1);
        if (!--m->indegree[e.to]) m->queue[(*tail)++] = e.to;
    }
}

/* Visits states after all their predecessors; false if there is a cycle. */
static bool longest(Measure *m, LangSize *size)
{
    const Dfa *a = m->dfa;
    uint32_t n = a->nstates, head = 0, tail = 0;
    memset(m->distance, 0, n * sizeof *m->distance);
    memset(m->indegree, 0, n * sizeof *m->indegree);
    memset(m->count, 0, n * sizeof *m->count);
    for (uint32_t i = 0; i < a->edge_start[n]; i++)
        m->indegree[a->edges[i].to]++;
    if (m->indegree[0]) return false;
    m->queue[tail++] = 0;
    m->count[0] = 1;
    while (head < tail) {
        uint32_t s = m->queue[head++];
        walk_edges(m, s, &tail);
        if (!a->accepts[s]) continue;
        size->longest = MAX(size->longest, m->distance[s]);
        size->count = add_capped(size->count, m->count[s]);
    }
    return tail == n;
}

LangSize lang_size(LangCtx *ctx, const Dfa *a)
{
    LangSize size = {.is_finite = true, .shortest = LANG_INF};
    uint32_t n = a->nstates;
    if (!n || !lang_charge(ctx, (uint64_t)a->edge_start[n] * 4 + n))
        return size;
    Arena scratch;
    arena_init(&scratch, ctx->mem, 0);
    Measure m = {a, arena_array(&scratch, uint32_t, n),
                 arena_array(&scratch, uint32_t, n),
                 arena_array(&scratch, uint32_t, n),
                 arena_array(&scratch, uint64_t, n)};
    if (scratch.failed) {
        lang_no_memory(ctx);
    } else {
        size.shortest = shortest(&m);
        size.is_finite = longest(&m, &size);
        if (!size.is_finite) size.longest = LANG_INF, size.count = UINT64_MAX;
    }
    arena_free(&scratch);
    return size;
}
