/* lark_param.c: rules with a parameter, a number of 64 bits.
 *
 *     start: list::0
 *     list::_: "a" list::incr([0:3]) %if lt([0:3], 5) | ""
 *
 * In:    the words behind "::" or "%if". Out: params, operands first; and what
 *        they say of a given parameter.
 * Bits [x:y] are the number of y - x bits from bit x on; _ is [0:64].
 * Cost:  linear; conditions nest MOST_NESTED deep at most, which bounds the
 *        recursion. Tests: unit/lark_recorded_test.c.
 */
#include "syntax/lark_parse.h"

enum { MOST_NESTED = 100, ALL_BITS = 64 };

typedef enum ArgKind {
    ARGS_NONE,
    ARGS_BIT,        /* (k) */
    ARGS_VALUE,      /* (v) */
    ARGS_BITS,       /* ([x:y]) or (_) */
    ARGS_BITS_VALUE, /* ([x:y], v) */
    ARGS_ONE_CONDITION,
    ARGS_TWO_CONDITIONS
} ArgKind;

typedef struct Function {
    const char *name;
    LarkParamKind kind;
    ArgKind args;
} Function;

static const Function values[] = {
    {"set_bit", PARAM_SET_BIT, ARGS_BIT},
    {"clear_bit", PARAM_CLEAR_BIT, ARGS_BIT},
    {"bit_and", PARAM_BIT_AND, ARGS_VALUE},
    {"bit_or", PARAM_BIT_OR, ARGS_VALUE},
    {"incr", PARAM_INCR, ARGS_BITS},
    {"decr", PARAM_DECR, ARGS_BITS},
};

static const Function conditions[] = {
    {"true", PARAM_TRUE, ARGS_NONE},
    {"bit_set", PARAM_BIT_IS_SET, ARGS_BIT},
    {"bit_clear", PARAM_BIT_IS_CLEAR, ARGS_BIT},
    {"is_ones", PARAM_IS_ONES, ARGS_BITS},
    {"is_zeros", PARAM_IS_ZEROS, ARGS_BITS},
    {"eq", PARAM_EQ, ARGS_BITS_VALUE},
    {"ne", PARAM_NE, ARGS_BITS_VALUE},
    {"lt", PARAM_LT, ARGS_BITS_VALUE},
    {"le", PARAM_LE, ARGS_BITS_VALUE},
    {"gt", PARAM_GT, ARGS_BITS_VALUE},
    {"ge", PARAM_GE, ARGS_BITS_VALUE},
    {"bit_count_eq", PARAM_COUNT_EQ, ARGS_BITS_VALUE},
    {"bit_count_ne", PARAM_COUNT_NE, ARGS_BITS_VALUE},
    {"bit_count_lt", PARAM_COUNT_LT, ARGS_BITS_VALUE},
    {"bit_count_le", PARAM_COUNT_LE, ARGS_BITS_VALUE},
    {"bit_count_gt", PARAM_COUNT_GT, ARGS_BITS_VALUE},
    {"bit_count_ge", PARAM_COUNT_GE, ARGS_BITS_VALUE},
    {"and", PARAM_AND, ARGS_TWO_CONDITIONS},
    {"or", PARAM_OR, ARGS_TWO_CONDITIONS},
    {"not", PARAM_NOT, ARGS_ONE_CONDITION},
};

static bool push_param(Lark *k, LarkParam p, uint32_t *out)
{
    *out = k->params.count;
    return vec_push(k->ir->mem, &k->params, p) || diag_no_memory(&k->ir->error);
}

/* ---- reading ---- */

static bool read_value(Lark *k, uint64_t max, uint64_t *value)
{
    if (k->lex.word.kind != LARK_NUMBER) return lark_unexpected(k, "a number");
    if (!lark_number(k, k->lex.word, max, value)) return false;
    lark_lex_next(&k->lex);
    return true;
}

static bool is_underscore(const Lark *k)
{
    return span_equal(lark_text(&k->lex, k->lex.word), SPAN("_"));
}

/* [x:y] or _ */
static bool read_bits(Lark *k, LarkParam *p)
{
    LarkWord open = k->lex.word;
    uint64_t lo = 0, hi = 0;
    p->hi = ALL_BITS;
    if (is_underscore(k)) {
        lark_lex_next(&k->lex);
        return true;
    }
    if (!lark_expect(k, "[", "bits, written [x:y] or _") ||
        !read_value(k, ALL_BITS, &lo) || !lark_expect(k, ":", "':'") ||
        !read_value(k, ALL_BITS, &hi))
        return false;
    p->lo = (uint32_t)lo;
    p->hi = (uint32_t)hi;
    open.end = k->lex.word.end;
    if (lo >= hi)
        return lark_fail(k, open, WEIR_SYNTAX,
                         "bits [%u:%u], expected the smaller number first",
                         p->lo, p->hi);
    return lark_expect(k, "]", "']'");
}

static const Function *find_function(const Lark *k, const Function *table,
                                     size_t count)
{
    Span name = lark_text(&k->lex, k->lex.word);
    for (size_t i = 0; i < count; i++)
        if (span_equal(name, span_text(table[i].name))) return &table[i];
    return NULL;
}

static bool read_condition(Lark *k, uint32_t depth, uint32_t *out);

static bool read_conditions(Lark *k, LarkParam *p, bool both, uint32_t depth)
{
    return read_condition(k, depth, &p->a) &&
           (!both ||
            (lark_expect(k, ",", "','") && read_condition(k, depth, &p->b)));
}

static bool read_args(Lark *k, ArgKind kind, LarkParam *p, uint32_t depth)
{
    switch (kind) {
    case ARGS_BIT:
        return read_value(k, ALL_BITS - 1, &p->value);
    case ARGS_VALUE:
        return read_value(k, UINT64_MAX, &p->value);
    case ARGS_BITS:
        return read_bits(k, p);
    case ARGS_BITS_VALUE:
        return read_bits(k, p) && lark_expect(k, ",", "','") &&
               read_value(k, UINT64_MAX, &p->value);
    case ARGS_ONE_CONDITION:
    case ARGS_TWO_CONDITIONS:
        return read_conditions(k, p, kind == ARGS_TWO_CONDITIONS, depth + 1);
    case ARGS_NONE:
        break;
    }
    return true;
}

/* The function's name is present. */
static bool read_call(Lark *k, const Function *f, uint32_t depth, uint32_t *out)
{
    LarkParam p = {.kind = f->kind};
    lark_lex_next(&k->lex);
    if (f->args == ARGS_NONE && !lark_is(&k->lex, "("))
        return push_param(k, p, out);
    return lark_expect(k, "(", "'('") && read_args(k, f->args, &p, depth) &&
           lark_expect(k, ")", "')'") && push_param(k, p, out);
}

static bool read_condition(Lark *k, uint32_t depth, uint32_t *out)
{
    const Function *f = find_function(k, conditions, COUNT_OF(conditions));
    if (depth > MOST_NESTED)
        return lark_fail(k, k->lex.word, WEIR_LIMIT_DEPTH,
                         "more than %u conditions inside each other",
                         (unsigned)MOST_NESTED);
    if (!f)
        return lark_unexpected(k, "a condition, such as bit_set(0) or "
                                  "lt([0:3], 5)");
    return read_call(k, f, depth, out);
}

bool lark_condition(Lark *k, uint32_t *param)
{
    return read_condition(k, 1, param);
}

bool lark_argument(Lark *k, uint32_t *param)
{
    const Function *f = find_function(k, values, COUNT_OF(values));
    LarkParam p = {.kind = PARAM_SAME};
    if (f) return read_call(k, f, 1, param);
    if (is_underscore(k)) {
        lark_lex_next(&k->lex);
        return push_param(k, p, param);
    }
    p.kind = PARAM_VALUE;
    if (k->lex.word.kind != LARK_NUMBER)
        return lark_unexpected(k, "a number, _, or a function such as "
                                  "set_bit(0)");
    return read_value(k, UINT64_MAX, &p.value) && push_param(k, p, param);
}

/* ---- meaning ---- */

static uint64_t low_ones(uint32_t count)
{
    return count >= ALL_BITS ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static uint64_t bits_of(const LarkParam *p, uint64_t value)
{
    return value >> p->lo & low_ones(p->hi - p->lo);
}

static uint64_t count_ones(uint64_t n)
{
    uint64_t count = 0;
    for (; n; n &= n - 1) count++;
    return count;
}

uint64_t lark_param_value(const Lark *k, uint32_t param, uint64_t given)
{
    if (param == LARK_NONE) return 0;
    const LarkParam *p = &k->params.at[param];
    uint64_t bits = bits_of(p, given), one = (uint64_t)1;
    switch (p->kind) {
    case PARAM_VALUE:
        return p->value;
    case PARAM_SET_BIT:
        return given | one << p->value;
    case PARAM_CLEAR_BIT:
        return given & ~(one << p->value);
    case PARAM_BIT_AND:
        return given & p->value;
    case PARAM_BIT_OR:
        return given | p->value;
    case PARAM_INCR:
        return given + (bits == low_ones(p->hi - p->lo) ? 0 : one << p->lo);
    case PARAM_DECR:
        return given - (bits ? one << p->lo : 0);
    default:
        return given;
    }
}

static bool compare(LarkParamKind kind, LarkParamKind eq, uint64_t a,
                    uint64_t b)
{
    switch ((int)kind - (int)eq + PARAM_EQ) {
    case PARAM_EQ:
        return a == b;
    case PARAM_NE:
        return a != b;
    case PARAM_LT:
        return a < b;
    case PARAM_LE:
        return a <= b;
    case PARAM_GT:
        return a > b;
    default:
        return a >= b;
    }
}

bool lark_param_holds(const Lark *k, uint32_t param, uint64_t given)
{
    const LarkParam *p = &k->params.at[param];
    uint64_t bits = bits_of(p, given);
    switch (p->kind) {
    case PARAM_BIT_IS_SET:
        return given >> p->value & 1;
    case PARAM_BIT_IS_CLEAR:
        return !(given >> p->value & 1);
    case PARAM_IS_ONES:
        return bits == low_ones(p->hi - p->lo);
    case PARAM_IS_ZEROS:
        return !bits;
    case PARAM_AND:
        return lark_param_holds(k, p->a, given) &&
               lark_param_holds(k, p->b, given);
    case PARAM_OR:
        return lark_param_holds(k, p->a, given) ||
               lark_param_holds(k, p->b, given);
    case PARAM_NOT:
        return !lark_param_holds(k, p->a, given);
    default:
        break;
    }
    if (p->kind >= PARAM_EQ && p->kind <= PARAM_GE)
        return compare(p->kind, PARAM_EQ, bits, p->value);
    if (p->kind >= PARAM_COUNT_EQ && p->kind <= PARAM_COUNT_GE)
        return compare(p->kind, PARAM_COUNT_EQ, count_ones(bits), p->value);
    return true;
}
