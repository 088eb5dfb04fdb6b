/* number_multiples.c: the multiples of a number, as a minimal Dfa.
 *
 * In:    a divisor other than 0.   Out: the Dfa of all plain spellings of its
 *        multiples.
 * Method: with the divisor D * 10^-p, D free of factors 10, a number whose
 *        digits make N after f digits behind the point is a multiple iff
 *        N * 10^(p - f) is one of D, and no digit but 0 stands beyond p.
 *        All that matters of the digits read, N, is which numbers w of j more
 *        digits (up to p behind the point) lead there: those with
 *            w = v_j mod D,   v_j = -N * 10^j mod D,   w < 10^j.
 *        If v_j < 10^j then also v_j+1 = 10 v_j mod D < 10^(j+1), so the least
 *        j for which there is a w, with its v_j, says all about N: that pair
 *        is the state before the point. Behind the point j is known, and pairs
 *        are equal also as fractions w / 10^j where there is one w only.
 *        Reading a digit c makes v_j of N into v_(j-1) - c * 10^(j-1) mod D.
 *        For p < 0 the last -p digits must be 0: j counts from 0, and at pairs
 *        (0, 0), multiples of D, how many of those digits are still missing.
 * Holds: different states are different languages and none is empty: minimal
 *        as it stands. No factoring: powers of 2, 5 and 10 take care of
 *        themselves (64: 27 states, 1e9: 15, 12345: 2,475).
 * Cost:  some D states at worst, D without its factors 2 and 5 at least.
 * Tests: unit/number_test.c
 */
#include "schema/number.h"

#include "base/hash.h"
#include "lang/dfa_writer.h"
#include "schema/number_value.h"

typedef enum StateKind {
    STATE_START,
    STATE_SIGN,
    STATE_ZERO, /* a first digit 0 read */
    STATE_INT,  /* before the point */
    STATE_DOT,  /* right after it; only where the next state accepts */
    STATE_FRAC
} StateKind;

typedef struct State {
    StateKind kind;
    uint32_t left;    /* j */
    uint32_t missing; /* for p < 0 and (0, 0): digits 0 */
    uint64_t rest;    /* v_j */
} State;

/* 10 * D then fits 64 bits. Longer ones have half a million states or more:
 * fewest (2^0.7n) if they are powers 5^n. */
enum { MOST_DIGITS = 18 };

typedef struct Multiples {
    LangCtx *ctx;
    Span text;
    uint64_t divisor;     /* D */
    uint32_t places;      /* p, or 0 */
    uint32_t zeros;       /* -p, or 0 */
    VEC(uint64_t) powers; /* 10^j mod D */
    VEC(State) states;
    Map index;
    DfaWriter writer;
} Multiples;

/* Exact where it is less than 10 * D. */
static uint64_t power_of_ten(uint32_t j)
{
    static const uint64_t powers[] = {
        1,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000u,
    };
    return powers[MIN(j, (uint32_t)COUNT_OF(powers) - 1)];
}

static uint64_t ten_times(const Multiples *m, uint64_t rest)
{
    return rest * 10 % m->divisor;
}

/* rest - 10^j */
static uint64_t take_one(const Multiples *m, uint64_t rest, uint32_t j)
{
    uint64_t power = m->powers.at[j];
    return rest >= power ? rest - power : rest + (m->divisor - power);
}

/* ---- steps: digits are taken in turn, each from what the one before left */

/* The v_j that a next digit 0 leads to, and its j. */
static uint64_t shift_int(const Multiples *m, State from, uint32_t *j)
{
    bool is_longer = from.left > m->places;
    *j = is_longer ? from.left - 1 : m->places;
    return is_longer ? from.rest : ten_times(m, from.rest);
}

/* The state for v_j, after a digit that is 0 or not. */
static State step_int(const Multiples *m, State from, bool is_zero,
                      uint64_t rest, uint32_t j)
{
    for (; rest >= power_of_ten(j); j++) rest = ten_times(m, rest);
    State to = {STATE_INT, j, 0, rest};
    if (!j && !rest && m->zeros) {
        bool is_shorter = is_zero && !from.left && !from.rest;
        to.missing = is_shorter ? from.missing - (from.missing > 0) : m->zeros;
    }
    return to;
}

/* Behind the point, with room for `j` digits that are not 0. */
static State fraction(const Multiples *m, StateKind kind, uint32_t j,
                      uint64_t rest)
{
    bool is_one = rest + m->divisor >= power_of_ten(j);
    for (; is_one && j && rest % 10 == 0; j--) rest /= 10;
    return (State){rest ? STATE_FRAC : kind, j, 0, rest};
}

static bool step_dot(const Multiples *m, State from, State *to)
{
    if (from.left > m->places || from.missing) return false;
    *to = fraction(m, STATE_DOT, m->places, from.rest);
    return true;
}

/* ---- states ---- */

static uint32_t intern(Multiples *m, State s)
{
    LangCtx *ctx = m->ctx;
    uint64_t hash = hash_mix(s.kind, (uint64_t)s.left << 32 | s.missing);
    hash = hash_mix(hash, s.rest);
    for (MapPos p = map_first(&m->index, hash); p.value != MAP_NONE;
         p = map_next(&m->index, hash, p)) {
        const State *known = &m->states.at[p.value];
        if (known->kind == s.kind && known->left == s.left &&
            known->missing == s.missing && known->rest == s.rest)
            return p.value;
    }
    uint32_t number = m->states.count;
    if (!lang_charge(ctx, 8)) return 0;
    if (number >= ctx->max_states)
        return number_too_large(ctx, "divisor", m->text), 0;
    if (!vec_push(ctx->mem, &m->states, s) ||
        !map_add(ctx->mem, &m->index, hash, number))
        lang_no_memory(ctx);
    return number;
}

static void write_to(Multiples *m, uint32_t over, State to)
{
    dfa_writer_edge(&m->writer, over, over, intern(m, to));
}

static void write_int_digits(Multiples *m, State from, uint32_t first)
{
    uint32_t j;
    uint64_t rest = shift_int(m, from, &j);
    for (uint32_t digit = 0; digit <= 9; digit++) {
        if (digit >= first)
            write_to(m, '0' + digit, step_int(m, from, !digit, rest, j));
        rest = take_one(m, rest, j);
    }
}

static void write_first_digits(Multiples *m)
{
    write_to(m, '0', (State){.kind = STATE_ZERO});
    write_int_digits(m, (State){STATE_INT, m->places, 0, 0}, 1);
}

static void write_int(Multiples *m, State s)
{
    State to;
    if (step_dot(m, s, &to)) write_to(m, '.', to);
    write_int_digits(m, s, 0);
}

static void write_frac(Multiples *m, State s)
{
    uint32_t j = s.left;
    uint64_t rest = s.rest;
    if (!j) {
        write_to(m, '0', (State){.kind = STATE_FRAC});
        return;
    }
    for (uint32_t digit = 0; digit <= 9; digit++) {
        if (rest < power_of_ten(j - 1))
            write_to(m, '0' + digit, fraction(m, STATE_FRAC, j - 1, rest));
        rest = take_one(m, rest, j - 1);
    }
}

static bool accepts(const Multiples *m, State s)
{
    switch (s.kind) {
    case STATE_ZERO:
        return true;
    case STATE_INT:
        return s.left == m->places && !s.rest && !s.missing;
    case STATE_FRAC:
        return !s.rest;
    default:
        return false;
    }
}

static void write_state(Multiples *m, State s)
{
    if (!dfa_writer_state(&m->writer, accepts(m, s))) return;
    switch (s.kind) {
    case STATE_START:
        write_to(m, '-', (State){.kind = STATE_SIGN});
        write_first_digits(m);
        break;
    case STATE_SIGN:
        write_first_digits(m);
        break;
    case STATE_ZERO:
        write_to(m, '.', fraction(m, STATE_DOT, m->places, 0));
        break;
    case STATE_INT:
        write_int(m, s);
        break;
    default:
        write_frac(m, s);
    }
}

/* ---- the divisor ---- */

static uint64_t without_factor(uint64_t n, uint64_t factor)
{
    while (n % factor == 0) n /= factor;
    return n;
}

static bool set_divisor(Multiples *m, const NumberValue *value)
{
    LangCtx *ctx = m->ctx;
    int64_t e = value->exponent;
    uint32_t most = ctx->max_states;
    if (!value->ndigits)
        return diag_fail(ctx->error, WEIR_ARGUMENT, ctx->begin, ctx->end,
                         "found a divisor of 0, expected another number");
    if (value->ndigits > MOST_DIGITS || MAX(e, -e) > most)
        return number_too_large(ctx, "divisor", m->text);
    for (size_t i = 0; i < value->ndigits; i++)
        m->divisor = m->divisor * 10 + value->digits[i];
    if (without_factor(without_factor(m->divisor, 2), 5) > most)
        return number_too_large(ctx, "divisor", m->text);
    m->places = e < 0 ? (uint32_t)-e : 0;
    m->zeros = e > 0 ? (uint32_t)e : 0;
    uint64_t power = 1 % m->divisor;
    for (uint32_t j = 0; j <= MAX(m->places, (uint32_t)MOST_DIGITS); j++) {
        if (!vec_push(ctx->mem, &m->powers, power)) return lang_no_memory(ctx);
        power = ten_times(m, power);
    }
    return lang_charge(ctx, m->places);
}

bool number_multiples_fit(LangCtx *ctx, Span divisor)
{
    NumberValue value;
    uint64_t d = 0;
    if (!lang_ok(ctx) || !number_value(ctx, divisor, &value)) return true;
    if (value.ndigits > MOST_DIGITS) return false;
    for (size_t i = 0; i < value.ndigits; i++) d = d * 10 + value.digits[i];
    return !d || without_factor(without_factor(d, 2), 5) <= ctx->max_states;
}

const Dfa *number_multiples(LangCtx *ctx, Span divisor)
{
    NumberValue value;
    Multiples m = {.ctx = ctx, .text = divisor};
    if (!lang_ok(ctx) || !number_value(ctx, divisor, &value))
        return lang_none();
    dfa_writer_init(&m.writer, ctx);
    if (set_divisor(&m, &value)) intern(&m, (State){.kind = STATE_START});
    for (uint32_t i = 0; lang_ok(ctx) && i < m.states.count; i++)
        write_state(&m, m.states.at[i]);
    const Dfa *out = dfa_writer_finish(&m.writer);
    vec_free(ctx->mem, &m.powers);
    vec_free(ctx->mem, &m.states);
    map_free(ctx->mem, &m.index);
    dfa_writer_free(&m.writer);
    return out;
}

/* ---- single numbers ---- */

/* A remainder in the making. */
typedef struct Rest {
    const NumberValue *divisor;
    uint8_t *at; /* digits, one more than the divisor has */
} Rest;

static bool rest_is_less(const Rest *r)
{
    return !r->at[0] &&
           memcmp(r->at + 1, r->divisor->digits, r->divisor->ndigits) < 0;
}

static void rest_subtract(Rest *r)
{
    int borrow = 0;
    for (size_t i = r->divisor->ndigits; i > 0; i--) {
        int d = r->at[i] - r->divisor->digits[i - 1] - borrow;
        borrow = d < 0;
        r->at[i] = (uint8_t)(d + 10 * borrow);
    }
    r->at[0] = (uint8_t)(r->at[0] - borrow);
}

/* The remainder of ten times what was divided so far and `digit`. */
static void rest_next(Rest *r, uint8_t digit)
{
    size_t n = r->divisor->ndigits;
    memmove(r->at, r->at + 1, n);
    r->at[n] = digit;
    while (!rest_is_less(r)) rest_subtract(r);
}

static bool rest_is_zero(const Rest *r)
{
    for (size_t i = 0; i <= r->divisor->ndigits; i++)
        if (r->at[i]) return false;
    return true;
}

/* Long division. The number's digits do not end in 0: so it is no multiple of
 * what stands further left. */
bool number_is_multiple(LangCtx *ctx, Span number, Span divisor)
{
    NumberValue v, d;
    if (!lang_ok(ctx) || !number_value(ctx, number, &v) ||
        !number_value(ctx, divisor, &d) || !d.ndigits)
        return false;
    if (!v.ndigits) return true;
    int64_t zeros = v.exponent - d.exponent;
    Rest rest = {&d, arena_alloc(ctx->arena, d.ndigits + 1)};
    if (!rest.at) return lang_no_memory(ctx);
    if (zeros < 0) return false;
    memset(rest.at, 0, d.ndigits + 1);
    for (size_t i = 0; i < v.ndigits && lang_charge(ctx, d.ndigits); i++)
        rest_next(&rest, v.digits[i]);
    for (; zeros > 0 && !rest_is_zero(&rest) && lang_charge(ctx, d.ndigits);
         zeros--)
        rest_next(&rest, 0);
    return lang_ok(ctx) && rest_is_zero(&rest);
}
