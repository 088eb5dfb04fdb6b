/* matcher_test.c: sets of configurations, stacks, registers and limits.
 *
 * Random parts (seed printed; WEIR_SEED repeats a run) judge one way of
 * computing against another: one configuration against sets, unions of stacks
 * against lists of stacks, reg_covers against the counts that may follow.
 */
#include "unit/small_grammar.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/objects.h"
#include "matcher/config.h"
#include "oracle/random_grammar.h"

static uint64_t seed(void)
{
    return env_number("WEIR_SEED", 20240611);
}

/* ---- a grammar and a set that reads it ---- */

typedef struct Run {
    Mem mem;
    weir_grammar *grammar;
    StackHub hub;
    Stepper stepper;
    ConfigSet set, next;
} Run;

static void run_begin(Run *r, weir_grammar *g, const weir_limits *limits)
{
    *r = (Run){.mem = mem_from_env(NULL), .grammar = g};
    assert_non_null(g);
    assert_true(stackhub_init(&r->hub, &r->mem, 0));
    stepper_init(&r->stepper, &r->mem, &r->hub, limits ? limits : &g->ir.limits,
                 false);
    assert_true(set_copy(&r->mem, &r->set, &g->start));
}

static void run_open(Run *r, const char *source, const weir_limits *limits)
{
    Mem mem = mem_from_env(NULL);
    run_begin(r, small_grammar(NULL, &mem, source, NULL), limits);
}

static void run_close(Run *r)
{
    vec_free(&r->mem, &r->set.list);
    vec_free(&r->mem, &r->next.list);
    stepper_free(&r->stepper);
    stackhub_free(&r->hub);
    weir_grammar_free(r->grammar);
}

/* False: refused, or an error. */
static bool run_byte(Run *r, uint8_t byte)
{
    set_step(&r->stepper, &r->set, byte, &r->next);
    if (set_is_empty(&r->next) || stepper_status(&r->stepper)) return false;
    ConfigSet swap = r->set;
    r->set = r->next;
    r->next = swap;
    return true;
}

static bool run_text(Run *r, const char *text)
{
    for (; *text; text++)
        if (!run_byte(r, (uint8_t)*text)) return false;
    return true;
}

/* ---- what a set holds ---- */

typedef struct SetCase {
    const char *grammar, *text;
    uint32_t configs, stacks; /* entries of the first one's stack node */
    bool ends, complete;
} SetCase;

/* clang-format off */
#define TWINS "root ::= A \"1\" | B \"2\"\nA ::= \"a\" C\nB ::= \"a\" C\n" \
              "C ::= \"c\" C | \"d\""
static const SetCase sets[] = {
    {"root ::= \"ab\"", "a", 1, 0, false, false},
    {"root ::= \"ab\"", "ab", 0, 0, true, true},
    {"root ::= \"a\" | \"ab\"", "a", 1, 0, false, true},
    /* what is complete already and what can go on */
    {"root ::= A | B \"b\"\nA ::= \"a\"\nB ::= \"a\"", "a", 1, 0, true, true},
    /* two calls of one rule are one: the state after them may end */
    {"root ::= A | A \"b\"\nA ::= \"a\"", "a", 1, 0, false, true},
    {"root ::= A \"x\" | B \"y\"\nA ::= \"a\"\nB ::= \"a\"", "a", 2, 0, false,
     false},
    {"root ::= \"<\" Item \">\"\nItem ::= \"a\" Item? \"b\"", "<aa", 1, 1,
     false, false},
    /* one state, two ways back */
    {TWINS, "a", 2, 1, false, false},
    {TWINS, "ac", 1, 2, false, false},
    {TWINS, "acd", 2, 0, false, false},
    /* tail calls leave nothing on the stack */
    {"root ::= List\nList ::= \"a\" List | \"b\"", "aaaa", 1, 0, false, false},
    {"root ::= [a-z]{3,100}", "abc", 1, 0, false, true},
    /* copies of one or two letters: 2 to 4 of them read, once each */
    {"root ::= ([a-z] [a-z]?){70,80} \".\"", "abcd", 3, 1, false, false},
    /* past the minimum fewer copies can all that more can */
    {"root ::= ([a-c] [a-c]?){1,80} \".\"", "abcabc", 2, 1, false, false},
};
/* clang-format on */

static void sets_hold_readings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        const SetCase *c = &sets[i];
        Run r;
        run_open(&r, c->grammar, NULL);
        if (!run_text(&r, c->text)) fail_msg("refused: %s", c->text);
        const StackNode *stack =
            r.set.list.count ? r.set.list.at[0].stack : NULL;
        if (r.set.list.count != c->configs || r.set.ends != c->ends ||
            (stack ? stack->count : 0) != c->stacks ||
            set_is_complete(&r.stepper, &r.set) != c->complete)
            fail_msg("%s after '%s': %u configurations, %u stacks", c->grammar,
                     c->text, r.set.list.count, stack ? stack->count : 0);
        run_close(&r);
    }
}

/* ---- one configuration against sets ---- */

static void check_set(const ConfigSet *set)
{
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i], *before = c - 1;
        assert_false(state_is_done(c->q, c->reg));
        if (!i) continue;
        assert_true((uintptr_t)before->q < (uintptr_t)c->q ||
                    (before->q == c->q && before->reg < c->reg));
    }
}

/* Two equal configurations take the long way. */
static void step_as_set(Run *r, Config c, uint8_t byte, ConfigSet *out)
{
    Config two[2] = {c, c};
    ConfigSet in = {.list = {two, 2, 2}};
    set_step(&r->stepper, &in, byte, out);
    check_set(out);
}

static const uint8_t probes[] = {'a',  'b',  'c',  'd',  ' ',  0x00, 0xC3, 0xA9,
                                 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 'z'};

/* How many of the probes moved, died and forked. */
typedef struct Tally {
    uint32_t ways[3], positions, grammars;
} Tally;

static void compare_one(Run *r, Config c, Tally *tally)
{
    for (size_t i = 0; i < COUNT_OF(probes); i++) {
        Config moved = c;
        ConfigNext way = config_next(&r->stepper, &moved, probes[i],
                                     state_next(moved.q, probes[i]));
        step_as_set(r, c, probes[i], &r->next);
        tally->ways[way]++;
        if (way == CONFIG_MOVED) {
            assert_int_equal(r->next.list.count, 1);
            assert_false(r->next.ends);
            assert_ptr_equal(r->next.list.at[0].q, moved.q);
            assert_ptr_equal(r->next.list.at[0].stack, moved.stack);
            assert_int_equal(r->next.list.at[0].reg, moved.reg);
            continue;
        }
        assert_true(moved.q == c.q && moved.stack == c.stack &&
                    moved.reg == c.reg);
        if (way == CONFIG_DEAD) assert_true(set_is_empty(&r->next));
    }
}

/* What may come is what can be read; reading leaves the set as it was. */
static void compare_first(Run *r)
{
    ByteSet first;
    uint32_t count = r->set.list.count;
    set_first(&r->stepper, &r->set, &first);
    for (size_t i = 0; i < COUNT_OF(probes); i++) {
        set_step(&r->stepper, &r->set, probes[i], &r->next);
        check_set(&r->next);
        assert_int_equal(!set_is_empty(&r->next),
                         byteset_has(&first, probes[i]));
    }
    assert_int_equal(r->set.list.count, count);
}

static void walk_grammar(Rng *rng, weir_grammar *g, Tally *tally)
{
    enum { STEPS = 12 };
    Run r;
    run_begin(&r, g, NULL);
    for (int step = 0; step < STEPS; step++) {
        check_set(&r.set);
        compare_first(&r);
        for (uint32_t i = 0; i < r.set.list.count && i < 4; i++)
            compare_one(&r, r.set.list.at[i], tally);
        tally->positions++;
        uint8_t byte[COUNT_OF(probes)];
        uint32_t n = 0;
        ByteSet first;
        set_first(&r.stepper, &r.set, &first);
        for (size_t i = 0; i < COUNT_OF(probes); i++)
            if (byteset_has(&first, probes[i])) byte[n++] = probes[i];
        if (!n || !run_byte(&r, byte[rng_below(rng, n)])) break;
    }
    run_close(&r);
}

static void one_reading_is_a_set(void **state)
{
    (void)state;
    enum { GRAMMARS = 600 };
    Mem mem = mem_from_env(NULL);
    Rng rng = {seed()};
    Tally tally = {0};
    printf("seed %llu\n", (unsigned long long)rng.state);
    while (tally.grammars < GRAMMARS) {
        Alphabet alphabet;
        Ir ir;
        weir_error err;
        random_alphabet(&rng, &alphabet);
        ir_init(&ir, &mem, NULL);
        RandomSeeds seeds = {rng_next(&rng), rng_next(&rng)};
        random_grammar(seeds, &alphabet, 0, &ir);
        weir_grammar *g = grammar_from_ir(NULL, &ir, &err);
        if (!g) continue; /* no sentence */
        tally.grammars++;
        walk_grammar(&rng, g, &tally);
    }
    printf("%u positions: %u moved, %u dead, %u forked\n", tally.positions,
           tally.ways[CONFIG_MOVED], tally.ways[CONFIG_DEAD],
           tally.ways[CONFIG_FORKS]);
    for (int way = 0; way < 3; way++) assert_true(tally.ways[way] > 1000);
}

/* ---- unions of stacks ---- */

enum { MAX_STACKS = 6, MAX_HIGH = 4, NPLACES = 4 };

typedef struct Place {
    State *q;
    uint32_t reg;
} Place;

/* Return points from the top down. */
typedef struct StackList {
    Place at[MAX_STACKS][MAX_HIGH];
    uint32_t high[MAX_STACKS], count;
} StackList;

static const StackNode *stack_of(Run *r, const StackList *list, uint32_t i)
{
    const StackNode *node = NULL;
    for (uint32_t k = list->high[i]; k-- > 0;)
        node = stack_push(&r->stepper.stacks, node, list->at[i][k].q,
                          list->at[i][k].reg);
    return node;
}

static const StackNode *both(Run *r, const StackNode *a, const StackNode *b)
{
    return stack_union(&r->stepper.stacks, a, b);
}

static void random_stacks(Rng *rng, const Place *places, StackList *list)
{
    list->count = 1 + rng_below(rng, MAX_STACKS);
    for (uint32_t i = 0; i < list->count; i++) {
        list->high[i] = rng_below(rng, MAX_HIGH + 1);
        for (uint32_t k = 0; k < list->high[i]; k++)
            list->at[i][k] = places[rng_below(rng, NPLACES)];
    }
}

/* True if the stack is covered by one of the node's, place by place. */
static bool node_covers(const StackNode *node, const Place *at, uint32_t high)
{
    if (!high) return !node || node->ends;
    for (uint32_t i = 0; node && i < node->count; i++) {
        const StackEntry *e = &node->at[i];
        if (e->ret == at->q && reg_covers(e->ret, e->reg, at->reg) &&
            node_covers(e->below, at + 1, high - 1))
            return true;
    }
    return false;
}

static bool list_has(const StackList *list, const Place *at, uint32_t high)
{
    for (uint32_t i = 0; i < list->count; i++) {
        bool same = list->high[i] == high;
        for (uint32_t k = 0; same && k < high; k++)
            same =
                list->at[i][k].q == at[k].q && list->at[i][k].reg == at[k].reg;
        if (same) return true;
    }
    return false;
}

/* Every stack of the node is in the list. */
static void check_members(const StackNode *node, const StackList *list,
                          Place *path, uint32_t high)
{
    if (!node || node->ends) assert_true(list_has(list, path, high));
    for (uint32_t i = 0; node && i < node->count; i++) {
        assert_true(high < MAX_HIGH);
        path[high] = (Place){node->at[i].ret, node->at[i].reg};
        check_members(node->at[i].below, list, path, high + 1);
    }
}

static void check_laws(Run *r, Rng *rng, const StackList *list, bool is_plain)
{
    const StackNode *one[MAX_STACKS], *forth = stack_of(r, list, 0), *back;
    Place path[MAX_HIGH];
    uint32_t n = list->count;
    for (uint32_t i = 0; i < n; i++) one[i] = stack_of(r, list, i);
    for (uint32_t i = 1; i < n; i++) forth = both(r, forth, one[i]);
    back = one[n - 1];
    for (uint32_t i = n - 1; i-- > 0;) back = both(r, one[i], back);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(node_covers(forth, list->at[i], list->high[i]));
        assert_true(node_covers(back, list->at[i], list->high[i]));
        const StackNode *other = one[rng_below(rng, n)];
        assert_ptr_equal(both(r, one[i], one[i]), one[i]);
        assert_ptr_equal(both(r, one[i], other), both(r, other, one[i]));
        if (is_plain) assert_ptr_equal(both(r, forth, one[i]), forth);
    }
    check_members(forth, list, path, 0);
    check_members(back, list, path, 0);
    /* registers that others cover may be dropped here and not there */
    if (is_plain) assert_ptr_equal(forth, back);
    if (rng_chance(rng, 50)) stack_forget_unions(&r->stepper.stacks);
}

/* Two states of plain frames; one of {3,100} and one of {80,}, two registers
 * each. */
static void unions_obey_the_laws(void **state)
{
    (void)state;
    Run r;
    Rng rng = {seed()};
    run_open(&r, "root ::= \"a\" \"b\"", NULL);
    Run bounded, open;
    run_open(&bounded, "root ::= [a-z]{3,100}", NULL);
    run_open(&open, "root ::= [a-z]{80,}", NULL);
    State *p = r.set.list.at[0].q;
    assert_true(run_text(&r, "a") && run_text(&bounded, "a") &&
                run_text(&open, "a"));
    State *q = r.set.list.at[0].q;
    State *b = bounded.set.list.at[0].q, *o = open.set.list.at[0].q;
    const Place plain[NPLACES] = {{p, 0}, {q, 0}, {p, 1}, {q, 1}};
    const Place counted[2][NPLACES] = {{{b, 2}, {b, 3}, {b, 4}, {q, 0}},
                                       {{o, 2}, {o, 3}, {b, 50}, {b, 60}}};
    for (int i = 0; i < 3000; i++) {
        StackList list;
        random_stacks(&rng, plain, &list);
        check_laws(&r, &rng, &list, true);
        random_stacks(&rng, counted[i & 1], &list);
        check_laws(&r, &rng, &list, false);
    }
    assert_int_equal(stepper_status(&r.stepper), WEIR_OK);
    run_close(&bounded);
    run_close(&open);
    run_close(&r);
}

/* Scratch stacks see the hub's nodes and are gone after a reset. */
static void scratch_lies_on_the_hub(void **state)
{
    (void)state;
    Run r;
    StackUser scratch;
    run_open(&r, "root ::= \"a\" \"b\"", NULL);
    State *q = r.set.list.at[0].q;
    stackuser_init(&scratch, &r.mem, &r.hub, true, 0);
    const StackNode *kept = stack_push(&r.stepper.stacks, NULL, q, 0);
    size_t nbytes = stackhub_bytes(&r.hub);
    assert_ptr_equal(stack_push(&scratch, NULL, q, 0), kept);
    const StackNode *own = stack_push(&scratch, kept, q, 0);
    assert_ptr_not_equal(own, kept);
    assert_ptr_equal(stack_push(&scratch, kept, q, 0), own);
    assert_int_equal(scratch.own.count, 1);
    stackuser_reset(&scratch);
    assert_int_equal(scratch.own.count, 0);
    assert_int_equal(stackhub_bytes(&r.hub), nbytes);
    stackuser_free(&scratch);
    run_close(&r);
}

/* ---- registers ---- */

/* Copies that may still follow, between two copies: lo - reg (not below 0) to
 * hi - reg; a bound of 1000 stands for none. */
static bool more_copies(uint32_t lo, uint32_t hi, uint32_t reg, uint32_t more)
{
    return reg + more >= lo && reg + more <= hi;
}

static void covering_is_inclusion(void **state)
{
    (void)state;
    enum { NO_BOUND = 1000 };
    for (uint32_t lo = 1; lo <= 5; lo++)
        for (uint32_t hi = lo; hi <= 8; hi++) {
            bool is_open = hi == 8;
            uint32_t top = is_open ? lo : hi; /* registers stop at lo */
            Frame frame = {.is_counted = true, .lo = lo, .hi = hi};
            State q = {.frame = &frame, .is_loop = true, .accepts = true};
            if (is_open) frame.hi = REPEAT_INF;
            for (uint32_t a = 0; a <= top; a++)
                for (uint32_t b = 0; b <= top; b++) {
                    bool includes = true;
                    for (uint32_t more = 0; more <= 20; more++)
                        if (more_copies(lo, is_open ? NO_BOUND : hi, b, more))
                            includes &= more_copies(lo, is_open ? NO_BOUND : hi,
                                                    a, more);
                    assert_int_equal(reg_covers(&q, a, b), includes);
                }
        }
}

/* ---- limits ---- */

static void expect_end(const char *source, const weir_limits *limits,
                       const char *text, bool asks_first, weir_status status)
{
    Run r;
    ByteSet first;
    run_open(&r, source, limits);
    stepper_clear(&r.stepper);
    bool ok = run_text(&r, text);
    if (asks_first) {
        assert_true(ok);
        stepper_clear(&r.stepper);
        set_first(&r.stepper, &r.set, &first);
    }
    assert_int_equal(stepper_status(&r.stepper), status);
    stepper_clear(&r.stepper);
    assert_int_equal(stepper_status(&r.stepper), WEIR_OK);
    run_close(&r);
}

static void work_is_limited(void **state)
{
    (void)state;
    weir_limits one = {.max_configs = 1, .max_step = 1000};
    weir_limits two = {.max_configs = 2, .max_step = 1000};
    const char *two_ways =
        "root ::= A \"x\" | B \"y\"\nA ::= \"a\"\nB ::= \"a\"";
    expect_end(two_ways, &two, "a", false, WEIR_OK);
    expect_end(two_ways, &one, "a", false, WEIR_LIMIT_WORK);
    /* one configuration, and six ways back that may be taken: 7 */
    const char *chain = "root ::= \"x\" R \".\"\nR ::= \"a\" R \"b\"? | \"c\"";
    weir_limits seven = {.max_configs = 9, .max_step = 7};
    weir_limits six = {.max_configs = 9, .max_step = 6};
    expect_end(chain, &seven, "xaaaaaac", true, WEIR_OK);
    expect_end(chain, &six, "xaaaaaac", true, WEIR_LIMIT_WORK);
}

/* Stacks as deep as a long text, that differ at the bottom: their union has one
 * place a level, and the union of the bottoms below. */
static void deep_stacks_unite(void **state)
{
    (void)state;
    enum { DEPTH = 300000 };
    Run r;
    run_open(&r, "root ::= \"a\" \"b\"", NULL);
    StackUser *user = &r.stepper.stacks;
    State *q = r.set.list.at[0].q;
    const StackNode *a = stack_push(user, NULL, q, 1);
    const StackNode *b = stack_push(user, NULL, q, 2);
    const StackNode *want = both(&r, a, b);
    assert_int_equal(want->count, 2);
    for (uint32_t i = 1; i < DEPTH; i++) {
        a = stack_push(user, a, q, 0);
        b = stack_push(user, b, q, 0);
        want = stack_push(user, want, q, 0);
    }
    assert_ptr_equal(both(&r, a, b), want);
    assert_ptr_equal(both(&r, b, a), want);
    assert_int_equal(user->status, WEIR_OK);
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_hold_readings),
        cmocka_unit_test(one_reading_is_a_set),
        cmocka_unit_test(unions_obey_the_laws),
        cmocka_unit_test(scratch_lies_on_the_hub),
        cmocka_unit_test(covering_is_inclusion),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(deep_stacks_unite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
