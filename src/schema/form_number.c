/* form_number.c: the numbers of forms: union, intersection, complement.
 *
 * Method: sets of numbers are automata, as long as there is room for one. The
 *        multiples of 0.123456789 have some 123,456,789 states: such a set is
 *        kept beside, as the numbers of an automaton that are, or are not,
 *        multiples of one number and of another. As soon as the automaton holds
 *        few values each is asked by itself, and what is left is an automaton
 *        again: an enum decides a condition that has no automaton. What never
 *        meets one is an error where it is written down (numbers_refuse).
 * Tests: unit/schema_test.c
 */
#include "schema/number.h"
#include "schema/set.h"

enum { MAX_ASKED = 100000 }; /* values */

typedef VEC(Multiples) MultiplesList;

/* ---- automata; NULL is the empty one ---- */

static const Dfa *language(const Dfa *dfa)
{
    return lang_is_none(dfa) ? NULL : dfa;
}

static Numbers dfa_and(Sets *s, Numbers a, Numbers b)
{
    if (a == b || b == s->all_numbers) return a;
    if (!a || !b) return NULL;
    if (a == s->all_numbers) return b;
    return language(known_intersect(&s->known, a, b));
}

static Numbers dfa_or(Sets *s, Numbers a, Numbers b)
{
    if (a == b || !b || a == s->all_numbers) return a;
    if (!a || b == s->all_numbers) return b;
    return known_unite(&s->known, a, b);
}

static Numbers dfa_not(Sets *s, Numbers a)
{
    if (!a) return s->all_numbers;
    if (a == s->all_numbers) return NULL;
    return language(number_complement(&s->lang, a));
}

/* ---- multiples ---- */

static bool holds(Sets *s, const Multiples *m, Span number)
{
    for (uint32_t i = 0; i < m->ndivisors && sets_ok(s); i++)
        if (number_is_multiple(&s->lang, number, m->divisors[i].text) ==
            m->divisors[i].is_not)
            return false;
    return true;
}

/* The set as an automaton, by its values; false: they are not few. */
static bool ask_values(Sets *s, const Multiples *m, Numbers *out)
{
    LangCtx *lang = &s->lang;
    if (m->of == s->all_numbers || m->of == s->integers) return false;
    const Dfa *values = lang_intersect(lang, m->of, number_shortest());
    LangSize size = lang_size(lang, values);
    if (!sets_ok(s) || !size.is_finite || size.count > MAX_ASKED) return false;
    uint32_t kept = 0, count = (uint32_t)size.count;
    Span *texts = sets_array(s, Span, count);
    if (texts) count = lang_list(lang, values, texts, count);
    for (uint32_t i = 0; texts && i < count && sets_ok(s); i++)
        if (holds(s, m, texts[i])) texts[kept++] = texts[i];
    *out = kept ? number_one_of(lang, texts, kept) : NULL;
    return true;
}

/* Adds a set to out->numbers or to the list, whichever can hold it. */
static void put_multiples(Sets *s, Multiples m, Form *out, MultiplesList *list)
{
    Numbers asked = NULL;
    if (!m.of || !sets_charge(s, 20)) return;
    if (ask_values(s, &m, &asked))
        out->numbers = dfa_or(s, out->numbers, asked);
    else if (sets_ok(s) && !vec_push(s->mem, list, m))
        diag_no_memory(&s->ir->error);
}

/* The conditions of both; false: they contradict each other. */
static bool join_divisors(Sets *s, const Multiples *a, const Multiples *b,
                          Multiples *out)
{
    Divisor *all = sets_array(s, Divisor, a->ndivisors + b->ndivisors);
    uint32_t n = a->ndivisors;
    if (!all) return false;
    if (n) memcpy(all, a->divisors, n * sizeof *all);
    for (uint32_t i = 0; i < b->ndivisors; i++) {
        uint32_t k = 0;
        while (k < n && !span_equal(all[k].text, b->divisors[i].text)) k++;
        if (k < n && all[k].is_not != b->divisors[i].is_not) return false;
        if (k == n) all[n++] = b->divisors[i];
    }
    out->divisors = all;
    out->ndivisors = n;
    return true;
}

static void meet(Sets *s, const Multiples *a, const Multiples *b, Form *out,
                 MultiplesList *list)
{
    Multiples both = {.of = dfa_and(s, a->of, b->of)};
    if (both.of && sets_ok(s) && join_divisors(s, a, b, &both))
        put_multiples(s, both, out, list);
}

static void multiples_keep(Sets *s, MultiplesList *list, Form *f)
{
    f->nmultiples = list->count;
    f->multiples = sets_copy(s, list->at, list->count * sizeof *list->at);
    vec_free(s->mem, list);
}

/* ---- forms ---- */

void numbers_and(Sets *s, const Form *a, const Form *b, Form *out)
{
    MultiplesList list = {0};
    Multiples of_a = {.of = a->numbers}, of_b = {.of = b->numbers};
    out->numbers = dfa_and(s, a->numbers, b->numbers);
    for (uint32_t i = 0; i < a->nmultiples; i++) {
        meet(s, &a->multiples[i], &of_b, out, &list);
        for (uint32_t k = 0; k < b->nmultiples && sets_ok(s); k++)
            meet(s, &a->multiples[i], &b->multiples[k], out, &list);
    }
    for (uint32_t k = 0; k < b->nmultiples; k++)
        meet(s, &of_a, &b->multiples[k], out, &list);
    multiples_keep(s, &list, out);
}

void numbers_or(Sets *s, const Form *a, const Form *b, Form *out)
{
    MultiplesList list = {0};
    out->numbers = dfa_or(s, a->numbers, b->numbers);
    const Form *both[] = {a, b}; /* their values are known not to be few */
    for (uint32_t k = 0; k < COUNT_OF(both); k++)
        for (uint32_t i = 0; i < both[k]->nmultiples; i++)
            if (!vec_push(s->mem, &list, both[k]->multiples[i]))
                diag_no_memory(&s->ir->error);
    multiples_keep(s, &list, out);
}

/* What is not of m: other numbers, or those that break one of its conditions. */
static void not_multiples(Sets *s, const Multiples *m, Form *out)
{
    MultiplesList list = {0};
    out->numbers = dfa_not(s, m->of);
    for (uint32_t i = 0; i < m->ndivisors && sets_ok(s); i++) {
        Divisor other = m->divisors[i];
        other.is_not = !other.is_not;
        const Divisor *kept = sets_copy(s, &other, sizeof other);
        put_multiples(s, (Multiples){s->all_numbers, 1, kept}, out, &list);
    }
    multiples_keep(s, &list, out);
}

void numbers_not(Sets *s, const Form *a, Form *out)
{
    Form all = {.numbers = dfa_not(s, a->numbers)};
    for (uint32_t i = 0; i < a->nmultiples && sets_ok(s); i++) {
        Form others = {0}, both = {0};
        not_multiples(s, &a->multiples[i], &others);
        numbers_and(s, &all, &others, &both);
        all = both;
    }
    out->numbers = all.numbers;
    out->nmultiples = all.nmultiples;
    out->multiples = all.multiples;
}

void numbers_take(Sets *s, Numbers of, const Divisor *divisor, Form *out)
{
    MultiplesList list = {0};
    const Divisor *kept = sets_copy(s, divisor, sizeof *divisor);
    out->numbers = NULL;
    put_multiples(s, (Multiples){of, 1, kept}, out, &list);
    multiples_keep(s, &list, out);
}

void numbers_refuse(Sets *s, const Form *f)
{
    if (!f->nmultiples || !sets_ok(s)) return;
    const Divisor *d = f->multiples->divisors;
    place_fail(s->sources, d->place, "multipleOf", WEIR_LIMIT_STATES,
               "found the divisor %.*s, whose automaton needs more than the "
               "%u states of limit max_states",
               (int)MIN(d->text.size, 40), (const char *)d->text.at,
               s->lang.max_states);
}
