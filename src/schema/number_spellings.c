/* number_spellings.c: from a set of numbers to the spellings that are
 * generated for it.
 *
 * In:    a set as number.h keeps it.   Out: the minimal Dfa of the spellings.
 * Method: of integers, the set without its edges over the point. That edge is
 *        there exactly where a state accepts, so states that differed differ
 *        still, and their order stays. Exponents: one walk over the set along
 *        number_all finds the signs of which it has every number, and ends as
 *        soon as it misses one of each. Then the set's states are paired with
 *        what was read (Phase). Where an exponent is allowed depends on the
 *        pair's phase alone, and its digits are read by the states that the
 *        set has for digits behind a point.
 * Holds: pairs differ as languages when states do, by their plain spellings,
 *        or phases do, by what exponents may follow: minimal as it stands.
 * Cost:  linear for integers. Other sets with both signs bounded come back as
 *        they are after a few steps; else at most three pairs a state.
 * Tests: unit/number_test.c
 */
#include "base/hash.h"
#include "lang/dfa_writer.h"
#include "schema/number.h"

/* All spellings, exponents included. */
static const Dfa *full_grammar(void)
{
    static const DfaEdge edges[] = {
        {'-', '-', 1}, {'0', '0', 2}, {'1', '9', 3},                /* start */
        {'0', '0', 2}, {'1', '9', 3},                               /* minus */
        {'.', '.', 4}, {'E', 'E', 5}, {'e', 'e', 5},                /* zero */
        {'.', '.', 4}, {'0', '9', 3}, {'E', 'E', 5}, {'e', 'e', 5}, /* digits */
        {'0', '9', 6},                                              /* point */
        {'+', '+', 7}, {'-', '-', 7}, {'0', '9', 8},                /* e */
        {'0', '9', 6}, {'E', 'E', 5}, {'e', 'e', 5},                /* behind */
        {'0', '9', 8}, /* its sign */
        {'0', '9', 8}, /* its digits */
    };
    static const uint32_t start[] = {0, 3, 5, 8, 12, 13, 16, 19, 20, 21};
    static const uint8_t accepts[] = {0, 0, 1, 1, 0, 0, 1, 0, 1};
    static const Dfa full = {9, start, edges, accepts};
    return &full;
}

/* ---- integers ---- */

/* Whether just zeros lead on from `state`, to `to`. */
static bool is_zero_edge(const Dfa *a, uint32_t state, uint32_t *to)
{
    if (a->edge_start[state + 1] - a->edge_start[state] != 1) return false;
    DfaEdge e = a->edges[a->edge_start[state]];
    *to = e.to;
    return e.lo == '0' && e.hi == '0';
}

/* Whether nothing but zeros stands behind a point. Sets are closed under
 * spelling and minimal, so then one state follows all points, and one its
 * zeros: *dot and *zeros. */
static bool has_integers_only(const Dfa *set, uint32_t *dot, uint32_t *zeros)
{
    uint32_t again;
    *dot = *zeros = LANG_INF;
    for (uint32_t i = 0; i < set->edge_start[set->nstates]; i++)
        if (set->edges[i].lo == '.') {
            if (*dot != LANG_INF && *dot != set->edges[i].to) return false;
            *dot = set->edges[i].to;
        }
    return *dot != LANG_INF && is_zero_edge(set, *dot, zeros) &&
           is_zero_edge(set, *zeros, &again) && again == *zeros;
}

static const Dfa *drop_fractions(LangCtx *ctx, const Dfa *set, uint32_t dot,
                                 uint32_t zeros)
{
    DfaWriter w;
    dfa_writer_init(&w, ctx);
    for (uint32_t s = 0; s < set->nstates && lang_ok(ctx); s++) {
        if (s == dot || s == zeros) continue;
        dfa_writer_state(&w, set->accepts[s]);
        for (uint32_t i = set->edge_start[s]; i < set->edge_start[s + 1]; i++) {
            DfaEdge e = set->edges[i];
            if (e.to == dot) continue;
            dfa_writer_edge(&w, e.lo, e.hi,
                            e.to - (e.to > dot) - (e.to > zeros));
        }
    }
    const Dfa *out = dfa_writer_finish(&w);
    dfa_writer_free(&w);
    return out;
}

/* ---- pairs of a state of the set and a phase ---- */

typedef struct Pair {
    uint32_t state, phase;
} Pair;

typedef struct Walk {
    LangCtx *ctx;
    const Dfa *set;
    bool has_all[2]; /* positive, negative numbers */
    bool has_zero;
    uint32_t digits, more; /* states that read [0-9]+ and [0-9]* */
    VEC(Pair) pairs;
    Map index;
    DfaWriter writer;
} Walk;

static uint32_t intern(Walk *w, uint32_t state, uint32_t phase)
{
    LangCtx *ctx = w->ctx;
    uint64_t hash = hash_mix(phase, state);
    for (MapPos p = map_first(&w->index, hash); p.value != MAP_NONE;
         p = map_next(&w->index, hash, p)) {
        assert(p.value < w->pairs.count);
        Pair known = w->pairs.at[p.value];
        if (known.state == state && known.phase == phase) return p.value;
    }
    uint32_t number = w->pairs.count;
    if (!lang_room(ctx, (uint64_t)number + 1) || !lang_charge(ctx, 8)) return 0;
    if (!vec_push(ctx->mem, &w->pairs, (Pair){state, phase}) ||
        !map_add(ctx->mem, &w->index, hash, number))
        lang_no_memory(ctx);
    return number;
}

static void forget_pairs(Walk *w)
{
    vec_free(w->ctx->mem, &w->pairs);
    map_free(w->ctx->mem, &w->index);
}

/* ---- which signs the set has whole ---- */

/* Phases here: the state of number_all that the same text leads to, and what
 * was read. */
enum { AT = 7, NEGATIVE = 8, NONZERO = 16 };

/* number_all goes on over `over` to its state `at`. */
static void find_step(Walk *w, Pair from, uint32_t over, uint32_t at)
{
    uint32_t phase = (from.phase & ~(uint32_t)AT) | at;
    if (over == '-') phase |= NEGATIVE;
    if (over >= '1' && over <= '9') phase |= NONZERO;
    bool *has_all = &w->has_all[phase & NEGATIVE ? 1 : 0];
    if (!*has_all) return;
    uint32_t state = lang_step(w->set, from.state, over);
    if (state == LANG_INF)
        *has_all = false;
    else
        intern(w, state, phase);
}

static void find_from(Walk *w, const Dfa *all, Pair from)
{
    uint32_t at = from.phase & AT;
    if ((from.phase & NONZERO) && all->accepts[at] &&
        !w->set->accepts[from.state])
        w->has_all[from.phase & NEGATIVE ? 1 : 0] = false;
    for (uint32_t i = all->edge_start[at]; i < all->edge_start[at + 1]; i++)
        for (uint32_t over = all->edges[i].lo; over <= all->edges[i].hi; over++)
            find_step(w, from, over, all->edges[i].to);
}

static void find_whole_signs(Walk *w)
{
    const Dfa *all = number_all(w->ctx);
    w->has_all[0] = w->has_all[1] = true;
    intern(w, 0, 0);
    for (uint32_t i = 0; i < w->pairs.count && lang_ok(w->ctx); i++) {
        Pair pair = w->pairs.at[i];
        if (!w->has_all[0] && !w->has_all[1]) break;
        if (!i || w->has_all[pair.phase & NEGATIVE ? 1 : 0])
            find_from(w, all, pair);
    }
    forget_pairs(w);
}

/* ---- writing exponents ---- */

typedef enum Phase {
    PHASE_START,
    PHASE_WHOLE, /* a number of a sign that the set has whole, or a zero */
    PHASE_ZERO,  /* of the other sign, and so far a zero, which the set has */
    PHASE_PLAIN, /* no exponent will follow */
    PHASE_E      /* after the e; of no state */
} Phase;

/* Over '-', '.', '0' or a digit that stands for all others. */
static Phase next_phase(const Walk *w, Phase phase, uint32_t over)
{
    bool is_negative = over == '-';
    if (phase == PHASE_START && w->has_all[is_negative]) return PHASE_WHOLE;
    if (phase == PHASE_WHOLE || phase == PHASE_PLAIN) return phase;
    return over <= '0' && w->has_zero ? PHASE_ZERO : PHASE_PLAIN;
}

static void write_to(Walk *w, uint32_t lo, uint32_t hi, uint32_t state,
                     Phase phase)
{
    dfa_writer_edge(&w->writer, lo, hi, intern(w, state, phase));
}

/* An edge over digits is parted into 0 and others; joined where that makes no
 * difference. */
static void write_number(Walk *w, Pair pair)
{
    const Dfa *set = w->set;
    Phase phase = (Phase)pair.phase;
    for (uint32_t i = set->edge_start[pair.state];
         i < set->edge_start[pair.state + 1]; i++) {
        DfaEdge e = set->edges[i];
        if (e.lo <= '0') {
            uint32_t hi = MIN(e.hi, '0');
            write_to(w, e.lo, hi, e.to, next_phase(w, phase, e.lo));
            e.lo = hi + 1;
        }
        if (e.lo <= e.hi)
            write_to(w, e.lo, e.hi, e.to, next_phase(w, phase, e.lo));
    }
    if (!set->accepts[pair.state] || phase == PHASE_PLAIN) return;
    write_to(w, 'E', 'E', 0, PHASE_E);
    write_to(w, 'e', 'e', 0, PHASE_E);
}

static void write_pair(Walk *w, Pair pair)
{
    bool is_e = pair.phase == PHASE_E;
    if (!dfa_writer_state(&w->writer, !is_e && w->set->accepts[pair.state]))
        return;
    if (!is_e) {
        write_number(w, pair);
        return;
    }
    write_to(w, '+', '+', w->digits, PHASE_PLAIN);
    write_to(w, '-', '-', w->digits, PHASE_PLAIN);
    write_to(w, '0', '9', w->more, PHASE_PLAIN);
}

/* Any digits follow "1." in a set of all positive numbers, "-1." in one of all
 * negative ones. */
static void find_digits(Walk *w)
{
    uint32_t state = w->has_all[0] ? 0 : lang_step(w->set, 0, '-');
    w->digits = lang_step(w->set, lang_step(w->set, state, '1'), '.');
    w->more = lang_step(w->set, w->digits, '0');
    w->has_zero = lang_matches(w->set, SPAN("0"));
}

static const Dfa *add_exponents(LangCtx *ctx, const Dfa *set)
{
    Walk w = {.ctx = ctx, .set = set};
    find_whole_signs(&w);
    if (!lang_ok(ctx)) return lang_none();
    if (!w.has_all[0] && !w.has_all[1]) return set;
    find_digits(&w);
    dfa_writer_init(&w.writer, ctx);
    intern(&w, 0, PHASE_START);
    for (uint32_t i = 0; i < w.pairs.count && lang_ok(ctx); i++)
        write_pair(&w, w.pairs.at[i]);
    const Dfa *out = dfa_writer_finish(&w.writer);
    forget_pairs(&w);
    dfa_writer_free(&w.writer);
    return out;
}

const Dfa *number_spellings(LangCtx *ctx, const Dfa *set,
                            const NumberSpelling *spelling)
{
    uint32_t dot, zeros;
    if (!lang_ok(ctx) || !set->nstates) return lang_none();
    if (has_integers_only(set, &dot, &zeros))
        return spelling->integer_fraction
                   ? set
                   : drop_fractions(ctx, set, dot, zeros);
    if (spelling->no_exponent) return set;
    if (lang_equal(set, number_all(ctx))) return full_grammar();
    return add_exponents(ctx, set);
}
