/* number.c: the sets of numbers that need little: all, integers, and what is a
 * range or a difference.
 *
 * In:    values.   Out: Dfas, two of them constants.
 * Cost:  none for the constants. Tests: unit/number_test.c
 */
#include "schema/number.h"

/* ---- constants ---- */

static const DfaEdge all_edges[] = {
    {'-', '-', 1}, {'0', '0', 2}, {'1', '9', 3}, /* start */
    {'0', '0', 2}, {'1', '9', 3},                /* after a minus */
    {'.', '.', 4},                               /* after a first 0 */
    {'.', '.', 4}, {'0', '9', 3},                /* before the point */
    {'0', '9', 5},                               /* at the point */
    {'0', '9', 5},                               /* behind it */
};
static const uint32_t all_start[] = {0, 3, 5, 6, 8, 9, 10};
static const uint8_t all_accepts[] = {0, 0, 1, 1, 0, 1};

const Dfa *number_all(LangCtx *ctx)
{
    static const Dfa all = {6, all_start, all_edges, all_accepts};
    return lang_ok(ctx) ? &all : lang_none();
}

const Dfa *number_integers(LangCtx *ctx)
{
    static const DfaEdge edges[] = {
        {'-', '-', 1}, {'0', '0', 2}, {'1', '9', 3}, {'0', '0', 2},
        {'1', '9', 3}, {'.', '.', 4}, {'.', '.', 4}, {'0', '9', 3},
        {'0', '0', 5}, {'0', '0', 5},
    };
    static const Dfa integers = {6, all_start, edges, all_accepts};
    return lang_ok(ctx) ? &integers : lang_none();
}

/* ---- simple sets ---- */

const Dfa *number_above(LangCtx *ctx, Span bound, bool inclusive)
{
    NumberRange range = {.low = bound, .above = !inclusive};
    return number_range(ctx, &range);
}

const Dfa *number_below(LangCtx *ctx, Span bound, bool inclusive)
{
    NumberRange range = {.high = bound, .below = !inclusive};
    return number_range(ctx, &range);
}

const Dfa *number_equal(LangCtx *ctx, Span value)
{
    NumberRange range = {.low = value, .high = value};
    return number_range(ctx, &range);
}

const Dfa *number_complement(LangCtx *ctx, const Dfa *set)
{
    return lang_subtract(ctx, number_all(ctx), set);
}

const Dfa *number_shortest(void)
{
    static const DfaEdge edges[] = {
        {'-', '-', 1}, {'0', '0', 2}, {'1', '9', 3}, /* start */
        {'0', '0', 4}, {'1', '9', 3},                /* minus */
        {'.', '.', 5},                               /* zero */
        {'.', '.', 5}, {'0', '9', 3},                /* digits */
        {'.', '.', 5},                               /* zero behind a minus */
        {'0', '0', 5}, {'1', '9', 6},                /* point, or a 0 */
        {'0', '0', 5}, {'1', '9', 6},                /* another digit */
    };
    static const uint32_t start[] = {0, 3, 5, 6, 8, 9, 11, 13};
    static const uint8_t accepts[] = {0, 0, 1, 1, 0, 0, 1};
    static const Dfa plain = {7, start, edges, accepts};
    return &plain;
}
