/* number_range.c: the numbers between two bounds, as a minimal Dfa.
 *
 * In:    bounds.   Out: the Dfa of all plain spellings of what lies between.
 * Method: the range is two ranges of magnitudes, one a sign. A spelling is
 *        read digit by digit, and all that matters of what was read is how it
 *        compares with the first digits of each bound:
 *          on     it is what the bound begins with; the bound's other digits
 *                 decide, and their number says which those are;
 *          off    it is smaller or larger; then only the count of digits
 *                 before the point decides: at least lo, at most hi more.
 *        One step on a digit needs nothing else (step_lo, step_hi), so states
 *        are made as they are met, breadth first.
 * Holds: different states are different languages and none is empty, so the
 *        result is minimal as it stands. For that a bound is left as soon as
 *        what remains of it says nothing: an included low bound or an excluded
 *        high one of which only zeros are left. Integers between bounds are
 *        those between integer bounds of these two kinds.
 * Cost:  a few states for each digit of the bounds.
 * Tests: unit/number_test.c
 */
#include "schema/number.h"

#include "base/hash.h"
#include "lang/dfa_writer.h"
#include "schema/number_value.h"

typedef enum StateKind {
    STATE_START, /* nothing read */
    STATE_SIGN,  /* a minus read */
    STATE_INT,   /* before the point */
    STATE_DOT,   /* right after it; only where the next state accepts */
    STATE_FRAC
} StateKind;

/* INT: `lo` is how many digits the low bound has left before its point when
 * on, else how many more there must be at least. `hi` likewise, NO_END when
 * any number may come. DOT, FRAC: what the bounds have left behind the point,
 * when on, else 0. `side` is 0 unless it matters. */
typedef struct State {
    uint8_t kind, side;
    bool lo_on, hi_on;
    uint32_t lo, hi;
} State;

#define NO_END UINT32_MAX

typedef struct Bound {
    bool is_set;
    bool is_included;
    NumberDigits digits;
    size_t zeros; /* so many last digits before the point, and all behind it,
                     are 0 */
} Bound;

/* Magnitudes of one sign. */
typedef struct Side {
    bool is_empty;
    Bound lo, hi;
} Side;

typedef struct Range {
    LangCtx *ctx;
    Side side[2]; /* positive, negative; zero may be in both */
    bool is_integer;
    bool is_alike; /* both high bounds are included, or both are not ... */
    size_t shared; /* ... and so many last digits are the same */
    Span longest;  /* the bound with more digits */
    size_t most_digits;
    VEC(State) states;
    Map index;
    DfaWriter writer;
} Range;

/* ---- bounds ---- */

static void count_zeros(Bound *b)
{
    b->zeros = 0;
    if (b->digits.nfrac) return;
    while (b->zeros < b->digits.nint &&
           !b->digits.at[b->digits.nint - 1 - b->zeros])
        b->zeros++;
}

/* The magnitude rounded up: plus one, if `is_up`, after dropping the fraction.
 * at[-1] is free for a carry. */
static void round_bound(NumberDigits *d, uint8_t *at, bool is_up)
{
    size_t i = d->nint;
    d->nfrac = 0;
    if (!is_up) return;
    for (; i > 0 && at[i - 1] == 9; i--) at[i - 1] = 0;
    if (i) {
        at[i - 1]++;
        return;
    }
    at[-1] = 1;
    d->at = at - 1;
    d->nint++;
}

/* Integers x: x >= lo iff x >= its ceiling; x <= hi iff x < floor(hi) + 1. */
static bool make_integer(LangCtx *ctx, Bound *b, bool is_low)
{
    NumberDigits *d = &b->digits;
    uint8_t *at = arena_zero(ctx->arena, d->nint + 2);
    if (!at) return lang_no_memory(ctx);
    if (d->nint) memcpy(at + 1, d->at, d->nint);
    bool is_up = d->nfrac || b->is_included != is_low;
    d->at = at + 1;
    round_bound(d, at + 1, is_up);
    b->is_included = is_low;
    return true;
}

static bool set_bound(Range *r, Bound *b, const NumberValue *value,
                      bool is_included, bool is_low)
{
    b->is_set = true;
    b->is_included = is_included;
    if (!number_digits(r->ctx, value, &b->digits)) return false;
    size_t ndigits = b->digits.nint + b->digits.nfrac;
    if (ndigits >= r->most_digits) {
        r->most_digits = ndigits;
        r->longest = value->text;
    }
    if (r->is_integer && !make_integer(r->ctx, b, is_low)) return false;
    count_zeros(b);
    /* Nothing lies below 0. */
    if (is_low && is_included && !b->digits.nint && !b->digits.nfrac)
        b->is_set = false;
    return true;
}

/* What a bound of the values is to magnitudes: of which sign. */
typedef struct Limit {
    const NumberValue *value; /* NULL: none */
    bool is_included;
} Limit;

static int limit_sign(Limit limit)
{
    if (!limit.value->ndigits) return 0;
    return limit.value->is_negative ? -1 : 1;
}

/* Magnitudes m such that sign * m lies between the limits. */
static bool set_side(Range *r, Side *side, Limit lo, Limit hi, int sign)
{
    Limit below = sign > 0 ? lo : hi, above = sign > 0 ? hi : lo;
    *side = (Side){0};
    if (above.value) {
        int s = limit_sign(above) * sign;
        if (s < 0 || (s == 0 && !above.is_included)) side->is_empty = true;
        if (side->is_empty) return true;
        if (!set_bound(r, &side->hi, above.value, above.is_included, false))
            return false;
    }
    if (below.value && limit_sign(below) * sign >= 0 &&
        !set_bound(r, &side->lo, below.value, below.is_included, true))
        return false;
    return true;
}

/* -1, 0, 1 as digits are less than, equal to, greater than those of `b`. */
static int digits_compare(const NumberDigits *a, const NumberDigits *b)
{
    if (a->nint != b->nint) return a->nint < b->nint ? -1 : 1;
    return span_compare(span_of(a->at, a->nint + a->nfrac),
                        span_of(b->at, b->nint + b->nfrac));
}

static void find_empty(Side *side)
{
    const Bound *lo = &side->lo, *hi = &side->hi;
    if (side->is_empty || !lo->is_set || !hi->is_set) return;
    int order = digits_compare(&lo->digits, &hi->digits);
    bool both = lo->is_included && hi->is_included;
    side->is_empty = order > 0 || (order == 0 && !both);
}

static void find_shared(Range *r)
{
    const Bound *a = &r->side[0].hi, *b = &r->side[1].hi;
    if (r->side[0].is_empty || r->side[1].is_empty || !a->is_set ||
        !b->is_set || a->is_included != b->is_included)
        return;
    r->is_alike = true;
    size_t na = a->digits.nint + a->digits.nfrac;
    size_t nb = b->digits.nint + b->digits.nfrac;
    while (r->shared < MIN(na, nb) &&
           a->digits.at[na - 1 - r->shared] == b->digits.at[nb - 1 - r->shared])
        r->shared++;
}

/* ---- steps before the point ---- */

/* Whether a bound with `left` digits before its point says no more. */
static bool is_spent(const Bound *b, uint32_t left, bool is_low)
{
    return !b->digits.nfrac && left <= b->zeros && b->is_included == is_low;
}

static void step_lo(const Bound *b, State *s, uint32_t digit)
{
    if (!s->lo_on) {
        if (s->lo) s->lo--;
        return;
    }
    uint32_t left = s->lo;
    uint32_t own = left ? b->digits.at[b->digits.nint - left] : 0;
    s->lo_on = left && digit == own;
    if (!left) return; /* longer than the bound */
    if (digit >= own) s->lo--;
    if (s->lo_on && is_spent(b, s->lo, true)) s->lo_on = false;
}

/* False when the number is too large now. */
static bool step_hi(const Bound *b, State *s, uint32_t digit)
{
    uint32_t left = s->hi, drop = 1;
    if (left == NO_END) return true;
    if (s->hi_on) {
        uint32_t own = left ? b->digits.at[b->digits.nint - left] : 0;
        s->hi_on = digit == own;
        if (s->hi_on && left && is_spent(b, left - 1, false)) s->hi_on = false;
        if (!s->hi_on && digit >= own) drop = 2;
    }
    s->hi -= MIN(left, drop);
    return left >= drop;
}

/* The state for the digits of no number yet; not a state of the result. */
static State first_digits(const Side *side, uint8_t number)
{
    State s = {STATE_INT, number, side->lo.is_set, side->hi.is_set, 0, NO_END};
    if (s.lo_on) s.lo = (uint32_t)side->lo.digits.nint;
    if (s.hi_on) s.hi = (uint32_t)side->hi.digits.nint;
    return s;
}

static bool step_int(const Range *r, State *s, uint32_t digit)
{
    const Side *side = &r->side[s->side];
    step_lo(&side->lo, s, digit);
    return step_hi(&side->hi, s, digit) && s->lo <= s->hi;
}

/* After a first digit 0, which no other may follow. */
static bool step_zero(State *s)
{
    if (s->lo) return false;
    if (s->hi) s->hi_on = false;
    s->hi = 0;
    return true;
}

/* ---- the point and what follows ---- */

static bool accepts(const State *s)
{
    return (s->kind == STATE_INT && !s->lo_on && !s->lo) ||
           (s->kind == STATE_FRAC && !s->lo_on);
}

static bool step_dot(const Range *r, State *s)
{
    const Side *side = &r->side[s->side];
    if (s->lo) return false;
    s->kind = s->lo_on ? STATE_FRAC : STATE_DOT;
    s->hi_on = s->hi_on && !s->hi;
    if (r->is_integer) { /* zeros only */
        s->hi_on = true;
        s->hi = 0;
        return !s->lo_on;
    }
    s->lo = s->lo_on ? (uint32_t)side->lo.digits.nfrac : 0;
    s->hi = s->hi_on ? (uint32_t)side->hi.digits.nfrac : 0;
    return true;
}

static uint32_t fraction_digit(const Bound *b, uint32_t left)
{
    return left ? b->digits.at[b->digits.nint + b->digits.nfrac - left] : 0;
}

static bool step_frac(const Range *r, State *s, uint32_t digit)
{
    const Side *side = &r->side[s->side];
    s->kind = STATE_FRAC;
    if (s->lo_on) {
        uint32_t own = fraction_digit(&side->lo, s->lo);
        if (digit < own) return false;
        s->lo -= s->lo > 0;
        if (digit > own || (!s->lo && side->lo.is_included)) s->lo_on = false;
    }
    if (s->hi_on) {
        uint32_t own = fraction_digit(&side->hi, s->hi);
        bool was_last = s->hi == 1;
        if (digit > own) return false;
        s->hi -= s->hi > 0;
        s->hi_on = digit == own;
        if (s->hi_on && was_last && !side->hi.is_included) return false;
    }
    if (!s->lo_on) s->lo = 0;
    if (!s->hi_on) s->hi = 0;
    return true;
}

/* ---- states ---- */

/* States that are the same language on both sides are one: those without a
 * bound, and those whose high bounds go on alike. */
static void settle(const Range *r, State *s)
{
    size_t nfrac = r->side[1].hi.digits.nfrac;
    bool is_frac = s->kind != STATE_INT;
    if (s->side == 0 || s->lo_on) return;
    if (!s->hi_on || (is_frac && !s->hi)) s->side = 0;
    if (!r->is_alike) return;
    if (is_frac
            ? s->hi <= r->shared
            : nfrac == r->side[0].hi.digits.nfrac && s->hi + nfrac <= r->shared)
        s->side = 0;
}

static uint32_t intern(Range *r, State s)
{
    LangCtx *ctx = r->ctx;
    settle(r, &s);
    uint64_t word = (uint64_t)s.lo << 32 | s.hi;
    uint64_t flags =
        (uint64_t)(s.kind * 8 + s.side * 4 + s.lo_on * 2 + s.hi_on);
    uint64_t hash = hash_mix(flags, word);
    for (MapPos p = map_first(&r->index, hash); p.value != MAP_NONE;
         p = map_next(&r->index, hash, p)) {
        const State *known = &r->states.at[p.value];
        if (known->kind == s.kind && known->side == s.side &&
            known->lo_on == s.lo_on && known->hi_on == s.hi_on &&
            known->lo == s.lo && known->hi == s.hi)
            return p.value;
    }
    uint32_t number = r->states.count;
    if (!lang_charge(ctx, 8)) return 0;
    if (number >= ctx->max_states)
        return number_too_large(ctx, "bound", r->longest), 0;
    if (!vec_push(ctx->mem, &r->states, s) ||
        !map_add(ctx->mem, &r->index, hash, number))
        lang_no_memory(ctx);
    return number;
}

static void write_to(Range *r, uint32_t lo, uint32_t hi, State to)
{
    dfa_writer_edge(&r->writer, '0' + lo, '0' + hi, intern(r, to));
}

/* Digits from a state where no bound is on all do the same. */
static void write_digits(Range *r, State from)
{
    bool is_free = !from.lo_on && !from.hi_on;
    for (uint32_t digit = 0; digit <= 9; digit++) {
        State to = from;
        if (from.kind == STATE_INT ? step_int(r, &to, digit)
                                   : step_frac(r, &to, digit))
            write_to(r, digit, is_free ? 9 : digit, to);
        if (is_free) return;
    }
}

static void write_first_digits(Range *r, uint8_t number)
{
    const Side *side = &r->side[number];
    if (side->is_empty) return;
    State none = first_digits(side, number), to = none;
    if (step_zero(&to)) write_to(r, 0, 0, to);
    for (uint32_t digit = 1; digit <= 9; digit++) {
        to = none;
        if (step_int(r, &to, digit)) write_to(r, digit, digit, to);
    }
}

static void write_sign(Range *r, uint32_t over, State to)
{
    dfa_writer_edge(&r->writer, over, over, intern(r, to));
}

static void write_state(Range *r, State s)
{
    State to = s;
    if (!dfa_writer_state(&r->writer, accepts(&s))) return;
    switch (s.kind) {
    case STATE_START:
        if (!r->side[1].is_empty)
            write_sign(r, '-', (State){.kind = STATE_SIGN});
        write_first_digits(r, 0);
        break;
    case STATE_SIGN:
        write_first_digits(r, 1);
        break;
    case STATE_INT:
        if (step_dot(r, &to)) write_sign(r, '.', to);
        write_digits(r, s);
        break;
    default:
        write_digits(r, s);
    }
}

static const Dfa *range_run(Range *r)
{
    if (!lang_ok(r->ctx)) return lang_none();
    if (r->side[0].is_empty && r->side[1].is_empty) return lang_none();
    find_shared(r);
    intern(r, (State){.kind = STATE_START});
    for (uint32_t i = 0; lang_ok(r->ctx) && i < r->states.count; i++)
        write_state(r, r->states.at[i]);
    return dfa_writer_finish(&r->writer);
}

const Dfa *number_range(LangCtx *ctx, const NumberRange *range)
{
    NumberValue values[2];
    Limit lo = {NULL, !range->above}, hi = {NULL, !range->below};
    Range r = {.ctx = ctx, .is_integer = range->integer};
    if (!lang_ok(ctx)) return lang_none();
    if (range->low.size) {
        if (!number_value(ctx, range->low, &values[0])) return lang_none();
        lo.value = &values[0];
    }
    if (range->high.size) {
        if (!number_value(ctx, range->high, &values[1])) return lang_none();
        hi.value = &values[1];
    }
    if (!set_side(&r, &r.side[0], lo, hi, 1) ||
        !set_side(&r, &r.side[1], lo, hi, -1))
        return lang_none();
    find_empty(&r.side[0]);
    find_empty(&r.side[1]);
    dfa_writer_init(&r.writer, ctx);
    const Dfa *out = range_run(&r);
    vec_free(ctx->mem, &r.states);
    map_free(ctx->mem, &r.index);
    dfa_writer_free(&r.writer);
    return out;
}
