/* number_test.c: sets of numbers against a naive decimal of this test.
 *
 * A Big is a number written out with PLACES digits on both sides of the point,
 * one array entry a digit; it is compared digit by digit and divided by long
 * division. Random bounds, divisors and values are turned into sets, and texts
 * near them, near their edges and of any kind must be in the set iff they are
 * numbers and the Big is. Every set must be what a minimisation makes of it.
 * Sets of sets and generated spellings are checked in the same way, by the
 * definitions in number.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schema/number.h"
#include "unit/faulty_mem.h"
#include "unit/lang_kit.h"

static void world_close(World *w)
{
    if (w->error.status) fail_msg("%s", w->error.message);
    arena_free(&w->arena);
}

static uint32_t seed = 88172645;

static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* ---- naive decimals ---- */

enum { PLACES = 440, LONGEST = 900 };

typedef struct Big {
    int sign;                      /* -1, 0, 1 */
    signed char digit[2 * PLACES]; /* [PLACES - 1] counts ones */
} Big;

/* Any JSON number whose digits fit. */
static Big big(const char *text)
{
    Big b = {0, {0}};
    const char *e = strpbrk(text, "eE"), *at = text + (*text == '-');
    int exponent = e ? atoi(e + 1) : 0, before = 0;
    while (at[before] >= '0' && at[before] <= '9') before++;
    int place = PLACES - before - exponent;
    for (; *at && at != e; at++) {
        if (*at == '.') continue;
        if (*at != '0') {
            assert_in_range(place, 0, 2 * PLACES - 1);
            b.digit[place] = (signed char)(*at - '0');
            b.sign = *text == '-' ? -1 : 1;
        }
        place++;
    }
    return b;
}

static int big_compare(const Big *a, const Big *b)
{
    if (a->sign != b->sign) return a->sign < b->sign ? -1 : 1;
    for (int i = 0; i < 2 * PLACES; i++)
        if (a->digit[i] != b->digit[i])
            return (a->digit[i] < b->digit[i] ? -1 : 1) * a->sign;
    return 0;
}

static bool big_is_integer(const Big *b)
{
    for (int i = PLACES; i < 2 * PLACES; i++)
        if (b->digit[i]) return false;
    return true;
}

/* Long division; at most 18 digits between the divisor's first and last. */
static bool big_divides(const Big *divisor, const Big *b)
{
    int last = 2 * PLACES - 1;
    uint64_t d = 0, rest = 0;
    while (!divisor->digit[last]) last--;
    for (int i = 0; i <= last; i++) d = d * 10 + (uint64_t)divisor->digit[i];
    for (int i = 0; i <= last; i++)
        rest = (rest * 10 + (uint64_t)b->digit[i]) % d;
    for (int i = last + 1; i < 2 * PLACES; i++)
        if (b->digit[i]) return false;
    return rest == 0;
}

/* ---- texts ---- */

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9') at++;
    return at;
}

/* RFC 8259, section 6; *plain: without an exponent. */
static bool is_number(const char *text, bool *plain, bool *fraction)
{
    const char *at = text + (*text == '-'), *end = skip_digits(at);
    *plain = true;
    *fraction = false;
    if (end == at || (*at == '0' && end > at + 1)) return false;
    if (*end == '.') {
        *fraction = true;
        at = end + 1;
        end = skip_digits(at);
        if (end == at) return false;
    }
    if (*end == 'e' || *end == 'E') {
        *plain = false;
        at = end + 1;
        at += *at == '+' || *at == '-';
        end = skip_digits(at);
        if (end == at) return false;
    }
    return !*end;
}

static void add(char *text, const char *more)
{
    assert_true(strlen(text) + strlen(more) < LONGEST);
    strcat(text, more);
}

static void add_digits(char *text, uint32_t count)
{
    static const char *const favourites[] = {"0", "1", "9", "5", "2"};
    while (count--) {
        char digit[2] = {(char)('0' + draw(10)), 0};
        add(text, draw(2) ? favourites[draw(5)] : digit);
    }
}

/* A JSON number of any kind; `reach`: how large exponents may get. */
static void draw_number(char *text, uint32_t reach)
{
    char tail[32];
    strcpy(text, draw(3) ? "" : "-");
    size_t size = strlen(text);
    uint32_t whole = draw(5);
    if (whole) {
        add(text, (char[2]){(char)('1' + draw(9)), 0});
        add_digits(text, whole - 1);
    }
    if (strlen(text) == size) add(text, "0");
    if (draw(2)) {
        add(text, ".");
        add_digits(text, draw(4) + 1);
    }
    if (draw(4) == 0) {
        uint32_t r = draw(8) ? 5 : reach;
        snprintf(tail, sizeof tail, "%c%s%u", "eE"[draw(2)],
                 &"-\0+\0\0"[draw(3) * 2], draw(r + 1));
        add(text, tail);
    }
}

/* Without an exponent: the text of a Big. */
static void write_plain(const Big *b, char *text)
{
    int first = 0, last = 2 * PLACES - 1;
    char *at = text;
    while (first < PLACES - 1 && !b->digit[first]) first++;
    while (last >= PLACES && !b->digit[last]) last--;
    if (b->sign < 0) *at++ = '-';
    for (int i = first; i <= last; i++) {
        if (i == PLACES) *at++ = '.';
        *at++ = (char)('0' + b->digit[i]);
    }
    *at = 0;
}

/* Changes, adds or removes a few signs. */
static void disturb(char *text)
{
    size_t n = strlen(text), at = n ? draw((uint32_t)n) : 0;
    switch (draw(8)) {
    case 0:
        if (n < LONGEST - 40) add_digits(text, draw(3) + 1);
        break;
    case 1:
        if (!strpbrk(text, ".eE")) add(text, ".");
        add(text, "00");
        break;
    case 2:
        if (n) text[at] = (char)('0' + draw(10));
        break;
    case 3:
        text[n ? n - 1 : 0] = 0;
        break;
    case 4:
        if (*text == '-')
            memmove(text, text + 1, n);
        else
            memmove(text + 1, text, n + 1), text[0] = '-';
        break;
    case 5:
        if (!strpbrk(text, ".eE")) add(text, draw(2) ? ".0" : ".01");
        break;
    case 6: /* the next larger or smaller one at that place */
        if (n && text[at] > '0' && text[at] < '9')
            text[at] = (char)(text[at] + (draw(2) ? 1 : -1));
        break;
    default:
        if (n) text[at] = "-.0159eE+"[draw(9)];
    }
}

static void draw_text(char *text, const Big *near, uint32_t count)
{
    if (draw(4) == 0) {
        draw_number(text, 5);
    } else {
        write_plain(&near[draw(count)], text);
    }
    for (uint32_t i = draw(4); i > 0; i--) disturb(text);
}

/* ---- sets and what they mean ---- */

typedef enum Kind {
    RANGE,
    MULTIPLES,
    ONE_OF,
    UNION,
    INTERSECTION,
    DIFFERENCE,
    COMPLEMENT
} Kind;

enum { MOST_VALUES = 6, MOST_SETS = 4 };

typedef struct Set {
    Kind kind;
    const Dfa *dfa;
    bool has_low, has_high, above, below, integer;
    uint32_t nvalues;
    Big value[MOST_VALUES]; /* low, high; divisor; values */
    char text[MOST_VALUES][64];
    const struct Set *a, *b;
} Set;

static bool contains(const Set *s, const Big *b)
{
    int low, high;
    switch (s->kind) {
    case RANGE:
        low = s->has_low ? big_compare(b, &s->value[0]) : 1;
        high = s->has_high ? big_compare(b, &s->value[1]) : -1;
        return (s->above ? low > 0 : low >= 0) &&
               (s->below ? high < 0 : high <= 0) &&
               (!s->integer || big_is_integer(b));
    case MULTIPLES:
        return big_divides(&s->value[0], b);
    case ONE_OF:
        for (uint32_t i = 0; i < s->nvalues; i++)
            if (!big_compare(b, &s->value[i])) return true;
        return false;
    case UNION:
        return contains(s->a, b) || contains(s->b, b);
    case INTERSECTION:
        return contains(s->a, b) && contains(s->b, b);
    case DIFFERENCE:
        return contains(s->a, b) && !contains(s->b, b);
    default:
        return !contains(s->a, b);
    }
}

static void check_text(const Set *s, const char *text)
{
    bool plain, fraction, expected = false;
    if (is_number(text, &plain, &fraction) && plain) {
        Big b = big(text);
        expected = contains(s, &b);
    }
    if (lang_matches(s->dfa, span_text(text)) != expected)
        fail_msg("%s: expected %d; kind %d, %s%s, %s%s, integer %d", text,
                 expected, s->kind, s->text[0], s->above ? " above" : "",
                 s->text[1], s->below ? " below" : "", s->integer);
}

/* Product and minimisation, twice: only a minimal Dfa stays as it is. */
static void check_minimal(World *w, const Dfa *a)
{
    const Dfa *other = lang_complement(&w->ctx, a);
    assert_true(lang_equal(a, lang_complement(&w->ctx, other)));
}

/* All texts of up to five signs of those that matter. */
static void check_short_texts(const Set *s)
{
    static const char signs[] = "-.0159";
    char text[6] = "";
    for (int i = 0; i < 7 * 7 * 7 * 7 * 7; i++) {
        int n = 0;
        for (int k = i; k; k /= 7)
            if (k % 7) text[n++] = signs[k % 7 - 1];
        text[n] = 0;
        check_text(s, text);
    }
}

static void check_set(World *w, const Set *s, uint32_t ntexts)
{
    char text[LONGEST + 1];
    if (w->error.status) fail_msg("%s", w->error.message);
    check_minimal(w, s->dfa);
    for (uint32_t i = 0; i < ntexts; i++) {
        draw_text(text, s->value, MAX(s->nvalues, 1u));
        check_text(s, text);
    }
}

/* ---- making sets ---- */

static void set_value(Set *s, uint32_t i, const char *text)
{
    strcpy(s->text[i], text);
    s->value[i] = big(text);
    s->nvalues = MAX(s->nvalues, i + 1);
}

static void make_range(World *w, Set *s)
{
    NumberRange range = {
        .above = s->above, .below = s->below, .integer = s->integer};
    s->kind = RANGE;
    if (s->has_low) range.low = span_text(s->text[0]);
    if (s->has_high) range.high = span_text(s->text[1]);
    s->dfa = number_range(&w->ctx, &range);
}

static void draw_range(World *w, Set *s, uint32_t reach)
{
    char text[64];
    uint32_t which = draw(4);
    *s = (Set){.above = draw(2), .below = draw(2), .integer = draw(3) == 0};
    s->has_low = which & 1 || !which;
    s->has_high = which & 2 || !which;
    for (uint32_t i = 0; i < 2; i++) {
        draw_number(text, reach);
        set_value(s, i, text);
    }
    /* Bounds that share digits, or signs, are where it is hard. */
    if (draw(3) == 0 && !strpbrk(s->text[0], "eE")) {
        strcpy(text, s->text[0]);
        size_t n = strlen(text), at = draw((uint32_t)n);
        if (text[at] >= '1') text[at] = (char)('1' + draw(9));
        if (draw(2)) add(text, strchr(text, '.') ? "03" : ".4");
        set_value(s, 1, text);
    }
    if (draw(3) == 0 && s->text[0][0] != '-') { /* -low .. high */
        memmove(text + 1, s->text[0], strlen(s->text[0]) + 1);
        text[0] = '-';
        set_value(s, 0, text);
    }
    make_range(w, s);
}

static void make_multiples(World *w, Set *s)
{
    s->kind = MULTIPLES;
    s->dfa = number_multiples(&w->ctx, span_text(s->text[0]));
}

static void draw_divisor(World *w, Set *s, uint32_t most)
{
    char text[64];
    uint64_t d = draw(most) + 1;
    *s = (Set){0};
    for (uint32_t i = draw(4); i > 0; i--)
        if (d < 4 * (uint64_t)most) d *= draw(2) ? 2 : 5;
    snprintf(text, sizeof text, "%s%llue%d", draw(8) ? "" : "-",
             (unsigned long long)d, (int)draw(9) - 5);
    set_value(s, 0, text);
    make_multiples(w, s);
}

static void draw_values(World *w, Set *s)
{
    char text[64];
    Span spans[MOST_VALUES];
    *s = (Set){.kind = ONE_OF};
    uint32_t n = draw(MOST_VALUES) + 1;
    for (uint32_t i = 0; i < n; i++) {
        draw_number(text, 20);
        if (i && draw(3) == 0) { /* longer or shorter than another */
            write_plain(&s->value[draw(i)], text);
            if (!strchr(text, '.')) add(text, ".");
            add_digits(text, 1 + draw(3));
        }
        set_value(s, i, text);
        spans[i] = span_text(s->text[i]);
    }
    s->dfa = number_one_of(&w->ctx, spans, n);
}

/* A multiple, or nearly one, of the divisor, at random places. */
static void multiple_text(const Set *s, char *text)
{
    Big b = s->value[0];
    int factor = (int)draw(draw(3) ? 20 : 100000), carry = 0;
    for (int i = 2 * PLACES - 1; i >= 0; i--) {
        int x = b.digit[i] * factor + carry;
        b.digit[i] = (signed char)(x % 10);
        carry = x / 10;
    }
    b.sign = factor ? (draw(3) ? 1 : -1) : 0;
    write_plain(&b, text);
    if (draw(3) == 0) disturb(text);
}

/* ---- tests of sets ---- */

static void ranges(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        World w;
        Set s;
        world_open(&w, NULL);
        draw_range(&w, &s, round % 8 ? 9 : 400);
        check_set(&w, &s, 40);
        if (round % 60 == 0) check_short_texts(&s);
        world_close(&w);
    }
}

/* Every pair of bounds of a small list, open and closed. */
static void small_ranges(void **state)
{
    (void)state;
    static const char *const bounds[] = {
        "-10", "-5.5", "-5", "-1", "-0.05", "0",  "-0.0", "0.05", "0.5",
        "1",   "1.9",  "5",  "9",  "9.99",  "10", "19",   "99.5", "100"};
    for (size_t i = 0; i < COUNT_OF(bounds) * COUNT_OF(bounds); i++) {
        World w;
        world_open(&w, NULL);
        for (uint32_t flags = 0; flags < 8; flags++) {
            Set s = {.has_low = true, .has_high = true};
            s.above = flags & 1;
            s.below = flags >> 1 & 1;
            s.integer = flags >> 2;
            set_value(&s, 0, bounds[i % COUNT_OF(bounds)]);
            set_value(&s, 1, bounds[i / COUNT_OF(bounds)]);
            make_range(&w, &s);
            check_set(&w, &s, 40);
            if (i % 29 == 0 && flags == i % 8) check_short_texts(&s);
        }
        world_close(&w);
    }
}

/* Of a single number: the divisor's own question. */
static void check_multiple(World *w, const Set *s, const char *text)
{
    if (!lang_matches(number_all(&w->ctx), span_text(text))) return;
    Big b = big(text);
    bool is_one =
        number_is_multiple(&w->ctx, span_text(text), span_text(s->text[0]));
    if (is_one != (!b.sign || big_divides(&s->value[0], &b)))
        fail_msg("%s of %s: %d", text, s->text[0], is_one);
}

static void multiples(void **state)
{
    (void)state;
    static const char *const fixed[] = {
        "1",     "2",     "5",      "0.01",    "1e-8",   "1e9",     "0.0001",
        "2.5",   "64",    "12345",  "1000000", "0.3",    "7",       "1024",
        "3125",  "0.125", "6e3",    "16e-2",   "1e-400", "1e400",   "1.50",
        "-0.25", "625e2", "0.0078", "1e-1",    "999983", "48828125"};
    for (uint32_t round = 0; round < 400; round++) {
        World w;
        Set s = {0};
        char text[LONGEST + 1];
        world_open(&w, NULL);
        if (round < COUNT_OF(fixed)) {
            set_value(&s, 0, fixed[round]);
            if (strcmp(fixed[round], "999983")) make_multiples(&w, &s);
        }
        if (!s.dfa) draw_divisor(&w, &s, round % 10 ? 60 : 500);
        check_set(&w, &s, 40);
        for (int i = 0; i < 100; i++) {
            multiple_text(&s, text);
            check_text(&s, text);
            check_multiple(&w, &s, text);
        }
        if (round % 10 == 0) check_short_texts(&s);
        world_close(&w);
    }
}

static void listed_values(void **state)
{
    (void)state;
    for (int round = 0; round < 600; round++) {
        World w;
        Set s;
        world_open(&w, NULL);
        draw_values(&w, &s);
        check_set(&w, &s, 60);
        if (round % 60 == 0) check_short_texts(&s);
        world_close(&w);
    }
}

static void draw_any(World *w, Set *s)
{
    switch (draw(4)) {
    case 0:
        draw_values(w, s);
        break;
    case 1:
        draw_divisor(w, s, 12);
        break;
    default:
        draw_range(w, s, 9);
    }
}

static void combine(World *w, Set *out, const Set *a, const Set *b)
{
    LangCtx *c = &w->ctx;
    *out = (Set){.kind = UNION + draw(4), .a = a, .b = b, .nvalues = 6};
    for (uint32_t i = 0; i < 6; i++) {
        const Set *from = i % 2 ? a : b;
        out->value[i] = from->value[draw(from->nvalues)];
    }
    out->dfa = out->kind == UNION          ? lang_unite(c, a->dfa, b->dfa)
               : out->kind == INTERSECTION ? lang_intersect(c, a->dfa, b->dfa)
               : out->kind == DIFFERENCE   ? lang_subtract(c, a->dfa, b->dfa)
                                           : number_complement(c, a->dfa);
}

/* ---- spellings ---- */

/* By another way: whether the set has every number of a sign. */
static bool has_sign(World *w, const Dfa *set, int sign)
{
    const Dfa *all = sign > 0 ? number_above(&w->ctx, SPAN("0"), false)
                              : number_below(&w->ctx, SPAN("0"), false);
    return lang_is_subset(&w->ctx, all, set);
}

static bool is_spelling(World *w, const Dfa *set, const NumberSpelling *how,
                        const char *text)
{
    bool plain, fraction;
    if (!is_number(text, &plain, &fraction)) return false;
    bool integers = lang_is_subset(&w->ctx, set, number_integers(&w->ctx));
    if (plain)
        return lang_matches(set, span_text(text)) &&
               (!fraction || !integers || how->integer_fraction);
    if (integers || how->no_exponent) return false;
    bool positive = has_sign(w, set, 1), negative = has_sign(w, set, -1);
    char mantissa[LONGEST + 1];
    strcpy(mantissa, text);
    *strpbrk(mantissa, "eE") = 0;
    Big b = big(mantissa);
    if (!b.sign) return (positive || negative) && lang_matches(set, SPAN("0"));
    return b.sign > 0 ? positive : negative;
}

static void check_spellings(World *w, const Set *s)
{
    char text[LONGEST + 1];
    NumberSpelling how = {draw(2), draw(3) == 0};
    const Dfa *spelled = number_spellings(&w->ctx, s->dfa, &how);
    if (w->error.status) fail_msg("%s", w->error.message);
    check_minimal(w, spelled);
    for (int i = 0; i < 30; i++) {
        draw_text(text, s->value, s->nvalues);
        if (draw(2)) add(text, draw(2) ? "e5" : "E-07");
        if (draw(4) == 0) disturb(text);
        bool expected = is_spelling(w, s->dfa, &how, text);
        if (lang_matches(spelled, span_text(text)) != expected)
            fail_msg("%s: expected %d (%d %d)", text, expected,
                     how.integer_fraction, how.no_exponent);
    }
}

static void combinations_and_spellings(void **state)
{
    (void)state;
    for (int round = 0; round < 700; round++) {
        World w;
        Set s[3], both[2];
        world_open(&w, NULL);
        for (int i = 0; i < 3; i++) draw_any(&w, &s[i]);
        combine(&w, &both[0], &s[0], &s[1]);
        combine(&w, &both[1], &both[0], &s[2]);
        check_set(&w, &both[0], 30);
        check_set(&w, &both[1], 30);
        check_spellings(&w, &s[0]);
        check_spellings(&w, &both[0]);
        check_spellings(&w, &both[1]);
        world_close(&w);
    }
}

/* RFC 8259's rule, put together from its parts. */
static const Dfa *grammar(LangCtx *c, bool fraction, bool exponent)
{
    RuneRange one = {'0', '9'}, nonzero = {'1', '9'};
    Span signs[] = {SPAN("+"), SPAN("-"), SPAN("")};
    Span e[] = {SPAN("e"), SPAN("E")}, minus[] = {SPAN("-"), SPAN("")};
    const Dfa *digit = lang_class(c, &one, 1);
    const Dfa *digits = lang_repeat(c, digit, 1, LANG_INF);
    const Dfa *whole =
        lang_unite(c, lang_text(c, SPAN("0")),
                   lang_concat(c, lang_class(c, &nonzero, 1),
                               lang_repeat(c, digit, 0, LANG_INF)));
    const Dfa *out = lang_concat(c, lang_texts(c, minus, 2), whole);
    const Dfa *point = lang_concat(c, lang_text(c, SPAN(".")), digits);
    const Dfa *power =
        lang_concat(c, lang_texts(c, e, 2),
                    lang_concat(c, lang_texts(c, signs, 3), digits));
    if (fraction) out = lang_concat(c, out, lang_repeat(c, point, 0, 1));
    if (exponent) out = lang_concat(c, out, lang_repeat(c, power, 0, 1));
    return out;
}

static void constants(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    LangCtx *c = &w.ctx;
    const NumberSpelling usual = {0}, plain = {.no_exponent = true};
    const Dfa *all = number_all(c), *integers = number_integers(c);
    assert_true(lang_equal(all, grammar(c, true, false)));
    assert_true(
        lang_equal(number_spellings(c, all, &usual), grammar(c, true, true)));
    assert_ptr_equal(number_spellings(c, all, &plain), all);
    assert_true(lang_equal(number_spellings(c, integers, &usual),
                           grammar(c, false, false)));
    assert_true(lang_equal(number_multiples(c, SPAN("1")), integers));
    NumberRange any = {.integer = false}, whole = {.integer = true};
    assert_true(lang_equal(number_range(c, &any), all));
    assert_true(lang_equal(number_range(c, &whole), integers));
    assert_true(lang_is_none(number_complement(c, all)));
    assert_true(lang_is_none(number_one_of(c, NULL, 0)));
    /* At least 0: with exponents, "-0e1" too; above 0: none for zeros. */
    const Dfa *a = number_above(c, SPAN("0"), true);
    a = number_spellings(c, a, &usual);
    assert_true(lang_matches(a, SPAN("1.50E+400")));
    assert_true(lang_matches(a, SPAN("-0.0e1")));
    assert_false(lang_matches(a, SPAN("-0.01e1")));
    a = number_spellings(c, number_above(c, SPAN("0"), false), &usual);
    assert_true(lang_matches(a, SPAN("0.01e1")));
    assert_false(lang_matches(a, SPAN("0e1")));
    a = number_spellings(c, number_below(c, SPAN("0"), true), &usual);
    assert_true(lang_matches(a, SPAN("-3e1")) && lang_matches(a, SPAN("0e1")));
    assert_false(lang_matches(a, SPAN("3e1")));
    world_close(&w);
}

/* Sizes that are promised in the files' heads, counted by reasoning there. */
static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *divisor;
        uint32_t most;
    } cases[] = {{"0.01", 12}, {"1e-8", 20},    {"1e9", 20},   {"64", 40},
                 {"2.5", 12},  {"12345", 2500}, {"1e400", 410}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        World w;
        world_open(&w, NULL);
        const Dfa *a = number_multiples(&w.ctx, span_text(cases[i].divisor));
        print_message("multiples of %s: %u states\n", cases[i].divisor,
                      a->nstates);
        assert_in_range(a->nstates, 5, cases[i].most);
        world_close(&w);
    }
    World w;
    world_open(&w, NULL);
    const Dfa *a = number_above(&w.ctx, SPAN("1e400"), true);
    print_message("from 1e400: %u states\n", a->nstates);
    assert_in_range(a->nstates, 401, 2 * 401 + 10);
    world_close(&w);
}

/* ---- canonical forms ---- */

static void check_form(World *w, const char *text, const char *expected)
{
    Span form = number_canonical(&w->ctx, span_text(text));
    if (!span_equal(form, span_text(expected)))
        fail_msg("%s: expected %s, found %.*s", text, expected, (int)form.size,
                 (const char *)form.at);
}

static void forms(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    check_form(&w, "0", "0");
    check_form(&w, "-0.00e999999999999999999999", "0");
    check_form(&w, "1.50", "1.5");
    check_form(&w, "-120e-1", "-12");
    check_form(&w, "0.012", "0.012");
    check_form(&w, "12e40", "120000000000000000000000000000000000000000");
    check_form(&w, "12e41", "1.2e42");
    check_form(&w, "1e-40", "0.0000000000000000000000000000000000000001");
    check_form(&w, "1e-41", "1e-41");
    check_form(&w, "-1234e-400", "-1.234e-397");
    check_form(&w, "0.01E+1000", "1e998");
    check_form(&w, "100e99999999999999999999", "1e100000000000000000001");
    check_form(&w, "1e100000000000000000001", "1e100000000000000000001");
    check_form(&w, "0.01e-99999999999999999999", "1e-100000000000000000001");
    check_form(&w, "0.1e100000000000000000000", "1e99999999999999999999");
    check_form(&w, "10e-100000000000000000000", "1e-99999999999999999999");
    check_form(&w, "1e-00000000000000000000042", "1e-42");
    check_form(&w, "1000000000000000000000000000000000000000000000000e-45",
               "1000");
    world_close(&w);
}

/* Equal values have equal forms, others others, and a form is its own. */
static void random_forms(void **state)
{
    (void)state;
    World w;
    char a[LONGEST + 1], b[LONGEST + 1];
    world_open(&w, NULL);
    for (int round = 0; round < 4000; round++) {
        draw_number(a, 60);
        Big x = big(a);
        write_plain(&x, b);
        for (uint32_t i = draw(3); i > 0; i--) disturb(b);
        bool plain, fraction;
        if (!is_number(b, &plain, &fraction) || !plain) continue;
        Big y = big(b);
        Span fa = number_canonical(&w.ctx, span_text(a));
        Span fb = number_canonical(&w.ctx, span_text(b));
        if (span_equal(fa, fb) != !big_compare(&x, &y))
            fail_msg("%s, %s: %.*s", a, b, (int)fa.size, (const char *)fa.at);
        snprintf(b, sizeof b, "%.*s", (int)fa.size, (const char *)fa.at);
        assert_true(is_number(b, &plain, &fraction));
        y = big(b);
        assert_int_equal(big_compare(&x, &y), 0);
        assert_true(span_equal(number_canonical(&w.ctx, fa), fa));
    }
    world_close(&w);
}

/* ---- limits and errors ---- */

static void expect_limit(const Dfa *(*make)(LangCtx *c, Span text),
                         const char *text, weir_status status)
{
    World w;
    world_open(&w, NULL);
    uint64_t before = w.ctx.work;
    assert_true(lang_is_none(make(&w.ctx, span_text(text))));
    if (w.error.status != status) fail_msg("%s: %s", text, w.error.message);
    if (!strstr(w.error.message, text)) fail_msg("%s", w.error.message);
    assert_true(before - w.ctx.work < 10000);
    arena_free(&w.arena);
}

static const Dfa *make_above(LangCtx *c, Span text)
{
    return number_above(c, text, true);
}

static const Dfa *make_one_of(LangCtx *c, Span text)
{
    Span both[] = {SPAN("1"), text};
    return number_one_of(c, both, 2);
}

static void limits_and_errors(void **state)
{
    (void)state;
    static const char *const huge[] = {"1e1000000", "-1e-1000000",
                                       "1e99999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        expect_limit(make_above, huge[i], WEIR_LIMIT_STATES);
        expect_limit(make_one_of, huge[i], WEIR_LIMIT_STATES);
        expect_limit(number_equal, huge[i], WEIR_LIMIT_STATES);
        expect_limit(number_multiples, huge[i], WEIR_LIMIT_STATES);
    }
    expect_limit(number_multiples, "1000000007", WEIR_LIMIT_STATES);
    expect_limit(number_multiples, "12345678901234567890123",
                 WEIR_LIMIT_STATES);
    static const char *const wrong[] = {"01",  "1.",  ".5", "+1", "1e",
                                        "1e+", "- 1", "x",  "1 ", "--1"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        expect_limit(number_equal, wrong[i], WEIR_ARGUMENT);
        expect_limit(number_multiples, wrong[i], WEIR_ARGUMENT);
    }
    expect_limit(number_multiples, "0", WEIR_ARGUMENT);

    weir_limits limits = {.max_states = 1000};
    World w;
    world_open(&w, &limits);
    number_multiples(&w.ctx, SPAN("12345"));
    assert_int_equal(w.error.status, WEIR_LIMIT_STATES);
    assert_non_null(strstr(w.error.message, "12345"));
    arena_free(&w.arena);
    world_open(&w, &limits);
    number_above(&w.ctx, SPAN("1e700"), false);
    assert_int_equal(w.error.status, WEIR_LIMIT_STATES);
    assert_non_null(strstr(w.error.message, "1e700"));
    arena_free(&w.arena);
}

static bool make_everything(const Mem *mem, weir_error *err)
{
    Arena arena;
    LangCtx c;
    const NumberSpelling usual = {0};
    arena_init(&arena, mem, 0);
    lang_init(&c, mem, &arena, NULL, err);
    Span values[] = {SPAN("1"), SPAN("-2.5e3"), SPAN("1.05")};
    NumberRange range = {.low = SPAN("-12.5"), .high = SPAN("99.95e1")};
    number_range(&c, &range);
    range.integer = true;
    number_spellings(&c, number_range(&c, &range), &usual);
    number_spellings(&c, number_above(&c, SPAN("0"), true), &usual);
    number_spellings(&c, number_multiples(&c, SPAN("0.7")), &usual);
    number_one_of(&c, values, 3);
    number_canonical(&c, SPAN("12e100"));
    arena_free(&arena);
    return lang_ok(&c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    faulty_sweep(make_everything);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),
        cmocka_unit_test(small_ranges),
        cmocka_unit_test(ranges),
        cmocka_unit_test(multiples),
        cmocka_unit_test(listed_values),
        cmocka_unit_test(combinations_and_spellings),
        cmocka_unit_test(sizes),
        cmocka_unit_test(forms),
        cmocka_unit_test(random_forms),
        cmocka_unit_test(limits_and_errors),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
