/* llama_integer.c: ranges of integers as trees of digits.
 *
 * Bounds are texts of digits. Numbers of as many digits as both bounds have are
 * one tree; a range over several lengths is a choice of such trees. Without an
 * upper bound 16 digits are the most. The reading of lower bounds and of ranges
 * that are upside down is llama.cpp's, faults included.
 * Cost:  at most 19 lengths, at most 19 digits deep.
 * Tests: unit/convert_llama_test.c
 */
#include <stdio.h>

#include "convert/llama.h"

enum { MOST_DIGITS = 16, BOUND_BYTES = 24 };

typedef struct Bound {
    char text[BOUND_BYTES];
    size_t size;
} Bound;

static Bound bound_of(int64_t number)
{
    Bound b;
    b.size = (size_t)snprintf(b.text, sizeof b.text, "%lld", (long long)number);
    return b;
}

static Bound bound_fill(char digit, size_t size)
{
    Bound b = {.size = MIN(size, (size_t)BOUND_BYTES - 1)};
    memset(b.text, digit, b.size);
    return b;
}

static Bound bound_tail(const Bound *b, size_t from)
{
    Bound tail = {.size = from < b->size ? b->size - from : 0};
    if (tail.size) memcpy(tail.text, b->text + from, tail.size);
    return tail;
}

static bool same(const Bound *a, const Bound *b)
{
    return span_equal(span_of(a->text, a->size), span_of(b->text, b->size));
}

static void put(Llama *c, const char *text)
{
    scratch_text(&c->text, text);
}

/* [lo-hi], or [lo] */
static void put_digits(Llama *c, int lo, int hi)
{
    char text[] = {'[', (char)lo, '-', (char)hi, ']', 0};
    if (lo == hi) memcpy(text + 2, "]", 2);
    put(c, text);
}

/* [0-9], lo to hi times */
static void put_more(Llama *c, int64_t lo, int64_t hi)
{
    put(c, "[0-9]");
    if (lo == 1 && hi == 1) return;
    put(c, "{");
    scratch_number(&c->text, lo);
    if (lo != hi) {
        put(c, ",");
        scratch_number(&c->text, hi);
    }
    put(c, "}");
}

static void put_same_length(Llama *c, const Bound *lo, const Bound *hi);

/* The numbers from `lo` to `hi` whose digit at `i` is the first that differs. */
static void put_fork(Llama *c, const Bound *lo, const Bound *hi, size_t i)
{
    int from = (uint8_t)lo->text[i], to = (uint8_t)hi->text[i];
    size_t left = lo->size - i - 1;
    Bound lo_tail = bound_tail(lo, i + 1), hi_tail = bound_tail(hi, i + 1);
    Bound zeros = bound_fill('0', left), nines = bound_fill('9', left);
    bool is_whole = false; /* the last digit comes with all that may follow */
    put(c, "(");
    if (same(&lo_tail, &zeros)) {
        put_digits(c, from, to - 1);
        put(c, " ");
        put_more(c, (int64_t)left, (int64_t)left);
    } else {
        put_digits(c, from, from);
        put(c, " (");
        put_same_length(c, &lo_tail, &nines);
        put(c, ")");
        if (from < to - 1) {
            is_whole = same(&hi_tail, &nines);
            put(c, " | ");
            put_digits(c, from + 1, is_whole ? to : to - 1);
            put(c, " ");
            put_more(c, (int64_t)left, (int64_t)left);
        }
    }
    if (!is_whole) {
        put(c, " | ");
        put_digits(c, to, to);
        put(c, " ");
        put_same_length(c, &zeros, &hi_tail);
    }
    put(c, ")");
}

/* Recursion: one digit less each time. */
static void put_same_length(Llama *c, const Bound *lo, const Bound *hi)
{
    size_t i = 0;
    while (i < lo->size && i < hi->size && lo->text[i] == hi->text[i]) i++;
    if (i) {
        put(c, "\"");
        scratch_add(&c->text, span_of(lo->text, i));
        put(c, "\"");
    }
    if (i >= lo->size || i >= hi->size) return;
    if (i) put(c, " ");
    if (i + 1 == lo->size)
        put_digits(c, lo->text[i], hi->text[i]);
    else
        put_fork(c, lo, hi, i);
}

static void put_range(Llama *c, int64_t lo, int64_t hi)
{
    Bound from = bound_of(lo), to = bound_of(hi);
    while (from.size < to.size) {
        Bound nines = bound_fill('9', from.size);
        put_same_length(c, &from, &nines);
        put(c, " | ");
        from = bound_fill('0', from.size + 1);
        from.text[0] = '1';
    }
    put_same_length(c, &from, &to);
}

/* The numbers from `lo` >= 0 on, of at most `left` digits; is_top: they begin
 * a number, and not with a zero. Recursion: one digit less each time. */
static void put_from(Llama *c, int64_t lo, int64_t left, bool is_top)
{
    int64_t less = MAX(left - 1, 1);
    Bound b = bound_of(lo);
    int first = (uint8_t)b.text[0];
    int64_t tail = (int64_t)b.size - 1;
    if (lo == 0 && is_top) {
        put(c, "[0] | [1-9] ");
        put_more(c, 0, less);
        return;
    }
    if (lo == 0) {
        put_more(c, 1, left);
        return;
    }
    int least = is_top ? '1' : '0';
    if (first > (tail ? '1' : least)) {
        put_digits(c, least, first - 1);
        put(c, " ");
        put_more(c, tail + 1, less);
        put(c, " | ");
    }
    if (!tail) {
        put_digits(c, first, '9');
        put(c, " ");
        put_more(c, 0, less);
        return;
    }
    int64_t rest = 0;
    for (size_t i = 1; i < b.size; i++) rest = rest * 10 + (b.text[i] - '0');
    put_digits(c, first, first);
    put(c, " (");
    put_from(c, rest, less, false);
    put(c, ")");
    if (first == '9') return;
    put(c, " | ");
    put_digits(c, first + 1, '9');
    put(c, " ");
    put_more(c, tail, less);
}

static int64_t negate(int64_t n)
{
    return (int64_t)(0 - (uint64_t)n);
}

static bool stop(Llama *c, JsonId at)
{
    return llama_stop(c, at,
                      "At least one of min_value or max_value must be set");
}

bool llama_integers(Llama *c, JsonId at, int64_t lo, int64_t hi)
{
    bool has_lo = lo != INT64_MIN, has_hi = hi != INT64_MAX;
    if (has_lo && has_hi && lo < 0) {
        bool is_negative = hi < 0; /* all of them */
        put(c, "\"-\" (");
        llama_integers(c, at, is_negative ? negate(hi) : 0, negate(lo));
        put(c, is_negative ? ")" : ") | ");
        if (!is_negative) put_range(c, 0, hi);
    } else if (has_lo && has_hi) {
        put_range(c, lo, hi);
    } else if (has_lo && lo >= 0) {
        put_from(c, lo, MOST_DIGITS, true);
    } else if (has_lo) {
        if (negate(lo) == INT64_MAX) return stop(c, at);
        put(c, "\"-\" (");
        put_range(c, 0, negate(lo));
        put(c, ") | [0] | [1-9] ");
        put_more(c, 0, MOST_DIGITS - 1);
    } else if (has_hi && hi >= 0) {
        put(c, "\"-\" [1-9] ");
        put_more(c, 0, MOST_DIGITS - 1);
        put(c, " | ");
        put_range(c, 0, hi);
    } else if (has_hi) {
        if (negate(hi) == INT64_MIN) return stop(c, at);
        put(c, "\"-\" (");
        put_from(c, negate(hi), MOST_DIGITS, false);
        put(c, ")");
    } else {
        return stop(c, at);
    }
    return true;
}
