/* gbnf_repeat.c: * + ? {m} {m,} {m,n} of GBNF.
 *
 * An operator repeats all that the last item has become by the operators
 * before it. In the dialect llama.cpp a repeat is refused when it would make
 * too many symbols: llama.cpp counts an item as 1, a group as the symbols that
 * were met for the first time in it, and multiplies by the largest number;
 * a larger maximum means none. What {m,n} with n < m should be, it does not
 * survive; here it is an error.
 * Tests: unit/gbnf_test.c.
 */
#include "syntax/gbnf_parse.h"

enum { LLAMA_MOST = 2000 };

typedef struct Bounds {
    uint32_t lo, hi; /* hi may be REPEAT_INF */
} Bounds;

/* ---- reading ---- */

static bool is_digit(const Gbnf *g)
{
    return g->pos < g->source.size && g->source.at[g->pos] >= '0' &&
           g->source.at[g->pos] <= '9';
}

static bool read_number(Gbnf *g, uint32_t *value)
{
    const uint64_t too_many = (uint64_t)GBNF_MAX_REPEAT + 1;
    size_t begin = g->pos;
    uint64_t n = 0;
    for (; is_digit(g); g->pos++) {
        n = n * 10 + (uint64_t)(g->source.at[g->pos] - '0');
        n = MIN(n, too_many);
    }
    if (g->pos == begin) return gbnf_unexpected(g, "a number of repetitions");
    *value = (uint32_t)n;
    if (n <= GBNF_MAX_REPEAT) return true;
    return gbnf_fail(g, begin, g->pos,
                     "found a number of %zu digits, expected at most %u",
                     g->pos - begin, GBNF_MAX_REPEAT);
}

/* After "{m": what follows, up to the brace. */
static bool read_upper(Gbnf *g, Bounds *b)
{
    b->hi = b->lo;
    if (gbnf_is(g, '}')) return true;
    if (!gbnf_is(g, ',')) return gbnf_unexpected(g, "',' or '}'");
    g->pos++;
    gbnf_skip(g, false);
    b->hi = REPEAT_INF;
    if (gbnf_is(g, '}')) return true;
    if (!is_digit(g)) return gbnf_unexpected(g, "a number or '}'");
    if (!read_number(g, &b->hi)) return false;
    gbnf_skip(g, false);
    return gbnf_is(g, '}') || gbnf_unexpected(g, "'}'");
}

static bool read_braces(Gbnf *g, Bounds *b)
{
    size_t begin = g->pos++;
    gbnf_skip(g, false);
    if (!read_number(g, &b->lo)) return false;
    gbnf_skip(g, false);
    if (!read_upper(g, b)) return false;
    if (b->lo <= b->hi) return true;
    return gbnf_fail(g, begin, g->pos + 1,
                     "found a maximum of %u below the minimum of %u", b->hi,
                     b->lo);
}

/* Leaves the last character of the operator present. */
static bool read_bounds(Gbnf *g, Bounds *b)
{
    switch (g->source.at[g->pos]) {
    case '*':
        *b = (Bounds){0, REPEAT_INF};
        return true;
    case '+':
        *b = (Bounds){1, REPEAT_INF};
        return true;
    case '?':
        *b = (Bounds){0, 1};
        return true;
    default:
        return read_braces(g, b);
    }
}

/* ---- llama.cpp's limits ---- */

static bool limit_repeat(Gbnf *g, size_t begin, Bounds *b)
{
    GbnfItem *last = &gbnf_group(g)->last;
    if (!g->opts.is_llama_cpp || g->opts.any_repeat) return true;
    if (b->lo > LLAMA_MOST)
        return gbnf_fail(g, begin, g->pos + 1,
                         "found a minimum of %u, expected at most %d in the "
                         "dialect llama.cpp",
                         b->lo, LLAMA_MOST);
    if (b->hi != REPEAT_INF && b->hi > LLAMA_MOST) {
        ir_warn(g->ir, begin, g->pos + 1,
                "a maximum of %u is none in the dialect llama.cpp", b->hi);
        b->hi = REPEAT_INF;
    }
    uint64_t times = b->hi != REPEAT_INF && b->hi ? b->hi : MAX(b->lo, 1);
    last->cost *= times; /* both were below 2^32 */
    if (last->cost < LLAMA_MOST) return ir_ok(g->ir);
    return gbnf_fail(g, begin, g->pos + 1,
                     "found %llu symbols by repetition, expected less than %d "
                     "in the dialect llama.cpp",
                     (unsigned long long)last->cost, LLAMA_MOST);
}

/* ---- what llama.cpp makes of it ---- */

/* The helper of a repeat whose item begins with g->run. */
static bool add_helper(Gbnf *g, Bounds b, uint32_t *helper)
{
    const Mem *mem = g->ir->mem;
    const GbnfItem *last = &gbnf_group(g)->last;
    uint32_t count = g->run.count;
    if (!gbnf_helper(g, helper)) return false;
    bool loops = b.hi == REPEAT_INF && !last->has_text;
    if (loops && !vec_push(mem, &g->run, *helper))
        return diag_no_memory(&g->ir->error);
    if (!gbnf_leads_add(g, *helper, g->run.at, g->run.count, false) ||
        !gbnf_leads_add(g, *helper, NULL, 0, true))
        return false;
    g->run.count = count;
    return true;
}

static bool make_symbols(Gbnf *g, Bounds b)
{
    GbnfItem *last = &gbnf_group(g)->last;
    uint32_t helper = GBNF_NONE;
    if (!g->opts.is_llama_cpp) return true;
    if (b.hi > b.lo && !add_helper(g, b, &helper)) return false;
    if (b.hi > b.lo && b.hi != REPEAT_INF) g->made += b.hi - b.lo - 1;
    if (!b.lo) {
        g->run.count = 0;
        last->has_text = false;
    }
    if (helper != GBNF_NONE && !last->has_text &&
        !vec_push(g->ir->mem, &g->run, helper))
        return diag_no_memory(&g->ir->error);
    return gbnf_leads_item(g);
}

bool gbnf_repeat(Gbnf *g)
{
    GbnfGroup *group = gbnf_group(g);
    Bounds b = {0, 0};
    size_t begin = g->pos;
    if (!group->last.exists)
        return gbnf_unexpected(g, "something before it to repeat");
    if (!read_bounds(g, &b) || !limit_repeat(g, begin, &b)) return false;
    assert(g->items.count > group->items);
    NodeId *item = &g->items.at[g->items.count - 1];
    *item = ir_repeat(g->ir, *item, b.lo, b.hi);
    if (!make_symbols(g, b)) return false;
    group->last.exists = b.hi > 0;
    if (!b.hi) group->is_empty = group->last.was_empty;
    g->pos++;
    gbnf_skip(g, false);
    return ir_ok(g->ir);
}
