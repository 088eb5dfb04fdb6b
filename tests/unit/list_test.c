/* list_test.c: what can follow in a list, and what the shortest end costs.
 *
 * Random lists are walked; at each step what the engine says may come next is
 * held against every state that the counters can be in (list_states.h), and
 * so is the cost of the cheapest end. Cases written by hand say what objects
 * and arrays mean. Large lists and counters that cannot be decided in bounded
 * work are tried for the bounds.
 */
#include "pass/list_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "network/packed_tally.h"
#include "oracle/list_states.h"
#include "oracle/rng.h"

enum { RANDOM_LISTS = 20000, KINDS = 6, NEEDS = 3, WHEN = 3 };

static Mem mem;

/* ---- by hand ---- */

/* Kinds are written as a group and the counters, "0:01" counting +0 and +1. */
typedef struct Sketch {
    const char *kinds[8];
    ListCounter counters[LIST_COUNTERS_MAX];
    ListNeed needs[2];
    uint32_t nneeds;
    bool is_contiguous;
} Sketch;

typedef struct Made {
    ListSpec spec;
    ListKind kinds[8];
    uint32_t counted[8][LIST_COUNTERS_MAX];
    ListCount count;
} Made;

static void make(Made *m, const Sketch *s)
{
    *m = (Made){.spec = {.separator = NODE_EMPTY_ID,
                         .is_contiguous = s->is_contiguous,
                         .ncounters = LIST_COUNTERS_MAX,
                         .nneeds = s->nneeds,
                         .counters = s->counters,
                         .needs = s->needs,
                         .kinds = m->kinds}};
    mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < 8 && s->kinds[i]; i++) {
        ListKind *k = &m->kinds[m->spec.nkinds++];
        k->order = (uint32_t)(s->kinds[i][0] - '0');
        k->counters = m->counted[i];
        for (const char *c = s->kinds[i] + 2; *c; c++)
            m->counted[i][k->ncounters++] = (uint32_t)(*c - '0');
    }
    assert_true(listcount_init(&m->count, &mem, &m->spec, false));
}

/* After the items `before` ("021"), the kinds that may come, and "." where the
 * list may end. */
static void expect_next(Made *m, const char *before, const char *expected)
{
    ListValue values[16];
    Tally t = tally_start;
    for (const char *c = before; *c; c++) {
        Tally next;
        assert_true(listcount_next(&m->count, &t, (uint32_t)(*c - '0'), &next));
        memcpy(values, next.values, next.nvalues * sizeof *values);
        t = next;
        t.values = values;
    }
    uint8_t may[8];
    char found[10], *end = found;
    ListOutlook out = {false, may};
    assert_int_not_equal(listcount_look(&m->count, &t, &out), SOLVE_GAVE_UP);
    for (uint32_t k = 0; k < m->spec.nkinds; k++)
        if (may[k]) *end++ = (char)('0' + k);
    if (out.ends) *end++ = '.';
    *end = 0;
    assert_string_equal(found, expected);
}

#define ANY           \
    {                 \
        0, REPEAT_INF \
    }

/* a, b?, c in any order, at most once each. */
static void objects_in_any_order(void **state)
{
    (void)state;
    Made m;
    make(&m, &(Sketch){.kinds = {"0:0", "0:1", "0:2"},
                       .counters = {{1, 1}, {0, 1}, {1, 1}, ANY}});
    expect_next(&m, "", "012");
    expect_next(&m, "1", "02");
    expect_next(&m, "2", "01");
    expect_next(&m, "20", "1.");
    expect_next(&m, "201", ".");
    listcount_free(&m.count);
}

/* a?, b, c?, others, in this order. */
static void objects_in_order(void **state)
{
    (void)state;
    Made m;
    make(&m, &(Sketch){.kinds = {"0:0", "1:1", "2:2", "3:"},
                       .counters = {{0, 1}, {1, 1}, {0, 1}, ANY}});
    expect_next(&m, "", "01");
    expect_next(&m, "0", "1");
    expect_next(&m, "1", "23.");
    expect_next(&m, "12", "3.");
    expect_next(&m, "133", "3.");
    listcount_free(&m.count);
}

/* Three optional ones and others, two or three in all. */
static void numbers_of_properties(void **state)
{
    (void)state;
    Made m;
    make(&m, &(Sketch){.kinds = {"0:03", "1:13", "2:23"},
                       .counters = {{0, 1}, {0, 1}, {1, 1}, {2, 2}}});
    expect_next(&m, "", "01"); /* c alone would be one */
    expect_next(&m, "0", "2");
    expect_next(&m, "1", "2");
    expect_next(&m, "12", ".");
    listcount_free(&m.count);
}

/* If a, then c; c needs b, which comes before. */
static void properties_that_need_others(void **state)
{
    (void)state;
    Made m;
    make(&m, &(Sketch){.kinds = {"0:0", "1:1", "2:2"},
                       .counters = {{0, 1}, {0, 1}, {0, 1}, ANY},
                       .needs = {{1, 2, (const uint32_t[]){0}},
                                 {1, 1, (const uint32_t[]){2}}},
                       .nneeds = 2});
    expect_next(&m, "", "01");
    expect_next(&m, "0", "1");
    expect_next(&m, "01", "2");
    expect_next(&m, "1", "2.");
    expect_next(&m, "12", ".");
    listcount_free(&m.count);
}

/* Not a, b and c together, unless d comes, too. */
static void properties_that_need_one_together(void **state)
{
    (void)state;
    Made m;
    make(&m, &(Sketch){.kinds = {"0:0", "1:1", "2:2", "3:3"},
                       .counters = {{0, 1}, {0, 1}, {0, 1}, {0, 1}},
                       .needs = {{3, 3, (const uint32_t[]){0, 1, 2}}},
                       .nneeds = 1});
    expect_next(&m, "", "0123");
    expect_next(&m, "01", "23.");
    expect_next(&m, "012", "3");
    expect_next(&m, "0123", ".");
    expect_next(&m, "12", "3.");
    listcount_free(&m.count);
    make(&m, &(Sketch){.kinds = {"0:0", "1:1", "2:2"},
                       .counters = {{0, 1}, {1, 1}, {0, 1}, {0, 1}},
                       .needs = {{3, 3, (const uint32_t[]){0, 1, 2}}},
                       .nneeds = 1});
    expect_next(&m, "0", "1");
    expect_next(&m, "01", ".");
    expect_next(&m, "1", "2.");
    listcount_free(&m.count);
}

/* Two prefix items, then others; three items at least, one of which matches
 * (kinds 1, 3 and 5 do). */
static void arrays_with_a_prefix(void **state)
{
    (void)state;
    Made m;
    make(&m,
         &(Sketch){.kinds = {"0:02", "0:023", "1:12", "1:123", "2:2", "2:23"},
                   .counters = {{0, 1}, {0, 1}, {3, 3}, {1, 1}},
                   .is_contiguous = true});
    expect_next(&m, "", "01");
    expect_next(&m, "0", "23");
    expect_next(&m, "1", "2");
    expect_next(&m, "02", "5");
    expect_next(&m, "03", "4");
    expect_next(&m, "034", ".");
    listcount_free(&m.count);
}

/* ---- against every state ---- */

static ListCounter random_counter(Rng *rng)
{
    uint32_t lo = rng_below(rng, 3), hi = lo + rng_below(rng, 3);
    if (rng_chance(rng, 10)) lo = hi + 1;
    return (ListCounter){lo, rng_chance(rng, 40) ? REPEAT_INF : hi};
}

static void random_list(Rng *rng, Made *m, ListCounter *counters,
                        ListNeed *needs, uint32_t (*when)[WHEN])
{
    *m = (Made){.spec = {.kinds = m->kinds, .counters = counters}};
    uint32_t ngroups = 1 + rng_below(rng, 4);
    m->spec.needs = needs;
    m->spec.nkinds = 1 + rng_below(rng, KINDS);
    m->spec.ncounters = rng_below(rng, LIST_COUNTERS_MAX + 1);
    m->spec.is_contiguous = rng_chance(rng, 30);
    uint32_t share = 20 + rng_below(rng, 60);
    for (uint32_t i = 0; i < m->spec.nkinds; i++) {
        ListKind *k = &m->kinds[i];
        k->order = rng_below(rng, ngroups);
        k->counters = m->counted[i];
        for (uint32_t c = 0; c < m->spec.ncounters; c++)
            if (rng_chance(rng, share)) m->counted[i][k->ncounters++] = c;
    }
    for (uint32_t c = 0; c < m->spec.ncounters; c++)
        counters[c] = random_counter(rng);
    if (m->spec.ncounters && rng_chance(rng, 50))
        m->spec.nneeds = 1 + rng_below(rng, NEEDS);
    for (uint32_t i = 0; i < m->spec.nneeds; i++) {
        for (uint32_t k = 0; k < WHEN; k++)
            when[i][k] = rng_below(rng, m->spec.ncounters);
        needs[i] = (ListNeed){1 + rng_below(rng, WHEN),
                              rng_below(rng, m->spec.ncounters), when[i]};
    }
}

/* Distances to an end, by state. */
static void find_costs(const ListStates *s, const ListSpec *list,
                       bool is_single, const uint64_t *item, uint64_t *cost)
{
    for (uint32_t i = 0; i < s->count; i++)
        cost[i] = i && s->at[i].ends ? 0 : LIST_NO_COST;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t k = 0; k < list->nkinds; k++) {
                uint32_t to = s->at[i].next[k];
                if (!to || (i && is_single) || cost[to] == LIST_NO_COST ||
                    item[k] == LIST_NO_COST || cost[to] + item[k] >= cost[i])
                    continue;
                cost[i] = cost[to] + item[k];
                changed = true;
            }
    }
}

typedef struct Walk {
    Made made;
    ListStates states;
    bool live[LIST_STATES_MAX], is_single;
    uint64_t item[KINDS], cost[LIST_STATES_MAX];
    uint32_t at; /* state */
    Tally tally;
    ListValue values[LIST_COUNTERS_MAX];
    uint64_t looks, costs;
} Walk;

static void check_look(Walk *w, ListOutlook *out)
{
    const ListState *s = &w->states.at[w->at];
    SolveAnswer answer = listcount_look(&w->made.count, &w->tally, out);
    assert_int_equal(answer, w->live[w->at] ? SOLVE_YES : SOLVE_NO);
    assert_int_equal(out->ends, w->at && s->ends);
    for (uint32_t k = 0; k < w->made.spec.nkinds; k++) {
        bool open = s->next[k] && w->live[s->next[k]];
        assert_int_equal(out->may[k], open && !(w->at && w->is_single));
    }
    w->looks++;
}

static void check_cost(Walk *w, const ListOutlook *out)
{
    uint64_t cost, want = w->cost[w->at];
    SolveAnswer answer =
        w->at ? listcount_cheapest(&w->made.count, &w->tally, w->item, &cost)
              : listcount_cheapest_next(&w->made.count, &w->tally, w->item,
                                        out->may, &cost);
    assert_int_equal(answer, want < LIST_NO_COST ? SOLVE_YES : SOLVE_NO);
    if (want < LIST_NO_COST) assert_true(cost == want);
    w->costs += want && want < LIST_NO_COST;
}

static void random_walk(Rng *rng, Walk *w)
{
    uint8_t may[KINDS];
    ListOutlook out = {false, may};
    w->at = 0;
    w->tally = tally_start;
    for (int i = 0; i < 8; i++) {
        check_look(w, &out);
        check_cost(w, &out);
        uint32_t k = rng_below(rng, w->made.spec.nkinds);
        if (!may[k]) continue;
        Tally next;
        assert_true(listcount_next(&w->made.count, &w->tally, k, &next));
        assert_true(next.nvalues <= LIST_COUNTERS_MAX);
        if (next.nvalues)
            memcpy(w->values, next.values, next.nvalues * sizeof *w->values);
        w->tally = next;
        w->tally.values = w->values;
        w->at = w->states.at[w->at].next[k];
    }
}

static void random_lists_are_looked_through(void **state)
{
    (void)state;
    static Walk w;
    ListCounter counters[LIST_COUNTERS_MAX];
    ListNeed needs[NEEDS];
    uint32_t when[NEEDS][WHEN];
    bool usable[LIST_KINDS_MAX];
    uint64_t seed = env_number("WEIR_SEED", 1);
    printf("seed %llu\n", (unsigned long long)seed);
    mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < RANDOM_LISTS; i++) {
        Rng rng = {seed + i};
        random_list(&rng, &w.made, counters, needs, when);
        w.is_single = rng_chance(&rng, 10);
        for (uint32_t k = 0; k < KINDS; k++) {
            usable[k] = true;
            w.item[k] = rng_chance(&rng, 5) ? LIST_NO_COST : rng_below(&rng, 9);
        }
        list_states_make(&w.states, &w.made.spec);
        list_states_live(&w.states, &w.made.spec, usable, !w.is_single, w.live);
        find_costs(&w.states, &w.made.spec, w.is_single, w.item, w.cost);
        assert_true(
            listcount_init(&w.made.count, &mem, &w.made.spec, w.is_single));
        random_walk(&rng, &w);
        random_walk(&rng, &w);
        listcount_free(&w.made.count);
        list_states_free(&w.states);
    }
    printf("%llu looks, %llu costs\n", (unsigned long long)w.looks,
           (unsigned long long)w.costs);
    assert_true(w.looks > RANDOM_LISTS && w.costs > RANDOM_LISTS / 4);
}

/* ---- bounds ---- */

enum { MANY = 10000 };

/* In order, every tenth required, at most 2,000 in all. */
static void many_kinds(void **state)
{
    (void)state;
    static ListKind kinds[MANY];
    static ListCounter counters[MANY + 1];
    static uint32_t counted[MANY][2];
    static uint8_t may[MANY];
    ListSpec spec = {.nkinds = MANY,
                     .ncounters = MANY + 1,
                     .kinds = kinds,
                     .counters = counters};
    mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        counted[i][0] = i;
        counted[i][1] = MANY;
        kinds[i] =
            (ListKind){.order = i, .ncounters = 2, .counters = counted[i]};
        counters[i] = (ListCounter){i % 10 == 9, 1};
    }
    counters[MANY] = (ListCounter){0, 1001};
    ListCount count;
    ListOutlook out = {false, may};
    assert_true(listcount_init(&count, &mem, &spec, false));
    assert_int_equal(listcount_look(&count, &tally_start, &out), SOLVE_YES);
    for (uint32_t i = 0; i < MANY; i++) assert_int_equal(may[i], i < 10);
    Tally next;
    assert_true(listcount_next(&count, &tally_start, 5, &next));
    assert_int_equal(next.nvalues, 2);
    assert_int_equal(listcount_look(&count, &next, &out), SOLVE_YES);
    for (uint32_t i = 0; i < MANY; i++) assert_int_equal(may[i], i == 9);
    listcount_free(&count);
}

/* A packed tally is the one that it was made of, and no other. */
static void tallies_are_packed(void **state)
{
    (void)state;
    enum { VALUES = 300, TALLIES = 2000 };
    ListValue values[VALUES], back[VALUES];
    PackedTally packed;
    Arena arena;
    Rng rng = {11};
    uint32_t nbits = 0;
    mem = mem_from_env(NULL);
    arena_init(&arena, &mem, 0);
    for (uint32_t i = 0; i < TALLIES; i++) {
        Tally t = {rng_chance(&rng, 5), rng_below(&rng, 3), 0, values};
        uint32_t n = rng_below(&rng, VALUES), gap = 1 + rng_below(&rng, 90);
        for (uint32_t c = rng_below(&rng, 500); t.nvalues < n;
             c += 1 + rng_below(&rng, gap))
            values[t.nvalues++] =
                (ListValue){c, rng_chance(&rng, 95) ? 1 : rng_below(&rng, 9)};
        assert_true(tally_pack(&arena, &t, &packed));
        nbits += packed.nwords > 0;
        Tally same = tally_unpack(&packed, back);
        assert_int_equal(same.nvalues, n);
        assert_int_equal(same.group, t.group);
        assert_int_equal(same.is_start, t.is_start);
        if (n) assert_memory_equal(back, values, n * sizeof *values);
        assert_true(tally_is(&packed, &t));
        if (!n) continue;
        uint32_t at = rng_below(&rng, n);
        values[at].value++;
        assert_false(tally_is(&packed, &t));
        values[at].value--;
        values[n - 1].counter++;
        assert_false(tally_is(&packed, &t));
    }
    assert_true(nbits > TALLIES / 4 && nbits < TALLIES);
    arena_free(&arena);
}

/* Exact covers: 60 counters that must each be 1, kinds that count three of
 * them. Whatever the answer, it comes in bounded work. */
static void hard_counts_are_given_up(void **state)
{
    (void)state;
    enum { COUNTERS = 60, TRIPLES = 180 };
    static ListKind kinds[TRIPLES];
    static uint32_t counted[TRIPLES][3];
    static uint8_t may[TRIPLES];
    ListCounter counters[COUNTERS];
    Rng rng = {7};
    mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < COUNTERS; i++) counters[i] = (ListCounter){1, 1};
    for (uint32_t i = 0; i < TRIPLES; i++) {
        uint32_t a = rng_below(&rng, 20), b = 20 + rng_below(&rng, 20);
        uint32_t c = 40 + rng_below(&rng, 20);
        memcpy(counted[i], (uint32_t[]){a, b, c}, sizeof counted[i]);
        kinds[i] = (ListKind){.ncounters = 3, .counters = counted[i]};
    }
    ListSpec spec = {.nkinds = TRIPLES,
                     .ncounters = COUNTERS,
                     .kinds = kinds,
                     .counters = counters};
    ListCount count;
    ListOutlook out = {false, may};
    assert_true(listcount_init(&count, &mem, &spec, false));
    SolveAnswer answer = listcount_look(&count, &tally_start, &out);
    assert_int_equal(answer, SOLVE_GAVE_UP);
    listcount_free(&count);
    weir_error err = {0};
    assert_false(listcount_fail(&err));
    assert_int_equal(err.status, WEIR_LIMIT_WORK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_in_any_order),
        cmocka_unit_test(objects_in_order),
        cmocka_unit_test(numbers_of_properties),
        cmocka_unit_test(properties_that_need_others),
        cmocka_unit_test(properties_that_need_one_together),
        cmocka_unit_test(arrays_with_a_prefix),
        cmocka_unit_test(random_lists_are_looked_through),
        cmocka_unit_test(many_kinds),
        cmocka_unit_test(tallies_are_packed),
        cmocka_unit_test(hard_counts_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
