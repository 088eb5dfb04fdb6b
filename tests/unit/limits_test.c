/* limits_test.c: every limit of weir_limits is met: its status, a message that
 * names it or its number, nothing made; and one more is enough, where the need
 * can be counted by hand. Run-time limits stop a call, not the matcher.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/objects.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

typedef struct Row {
    weir_source_kind kind;
    const char *source;
    weir_limits limits;
    weir_status status; /* OK: it compiles */
    const char *says;   /* in the message */
} Row;

#define DEEP8 "((((((((a))))))))"
#define THREE_RULES "root ::= a b\na ::= \"a\" b\nb ::= \"b\"\n"

static const Row rows[] = {
    /* bytes */
    {WEIR_EBNF, "root ::= \"a\"", {.max_source = 12}, WEIR_OK, ""},
    {WEIR_EBNF,
     "root ::= \"a\"",
     {.max_source = 11},
     WEIR_LIMIT_BYTES,
     "max_source"},
    {WEIR_REGEX, "abc", {.max_source = 3}, WEIR_OK, ""},
    {WEIR_REGEX, "abc", {.max_source = 2}, WEIR_LIMIT_BYTES, "max_source"},
    /* eight brackets */
    {WEIR_REGEX, DEEP8, {.max_depth = 8}, WEIR_OK, ""},
    {WEIR_REGEX, DEEP8, {.max_depth = 7}, WEIR_LIMIT_DEPTH, "max_depth"},
    {WEIR_EBNF,
     "root ::= ((((((((\"a\"))))))))",
     {.max_depth = 8},
     WEIR_OK,
     ""},
    {WEIR_EBNF,
     "root ::= ((((((((\"a\"))))))))",
     {.max_depth = 7},
     WEIR_LIMIT_DEPTH,
     "max_depth"},
    /* three rules */
    {WEIR_EBNF, THREE_RULES, {.max_rules = 3}, WEIR_OK, ""},
    {WEIR_EBNF, THREE_RULES, {.max_rules = 2}, WEIR_LIMIT_RULES, "max_rules"},
    {WEIR_JSON_VALUE, "", {.max_rules = 1}, WEIR_LIMIT_RULES, "max_rules"},
    /* 2^13 states and more, and a part of 8 * 9 positions and more */
    {WEIR_REGEX,
     "(?=.*a.{12}b)[ab]*",
     {.max_states = 100},
     WEIR_LIMIT_STATES,
     "max_states"},
    {WEIR_EBNF,
     "root ::= ((\"ab\" \"c\"{3,9}){2,8} \"d\"){0,90} \"e\"",
     {.max_states = 3},
     WEIR_LIMIT_STATES,
     "max_states"},
    {WEIR_REGEX,
     "(?=.*a.{12}b)[ab]*",
     {.max_work = 1000},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_REGEX,
     "(a|b){3,9}(c|d){3,9}",
     {.max_work = 10},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_EBNF,
     "root ::= root \"a\" | root \"b\" | \"c\"",
     {.max_work = 1},
     WEIR_LIMIT_WORK,
     "max_work"},
    {WEIR_REGEX,
     "(?=.*a.{14}b)[ab]*",
     {.max_memory = 20000},
     WEIR_LIMIT_MEMORY,
     "max_memory"},
    {WEIR_JSON_VALUE,
     "",
     {.max_memory = 2000},
     WEIR_LIMIT_MEMORY,
     "max_memory"},
};

static void compiling(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Row *r = &rows[i];
        weir_error err;
        weir_compile_opts opts = {.size = sizeof opts, .limits = r->limits};
        weir_grammar *g = weir_grammar_compile(
            NULL, r->kind, bytes_of(r->source), &opts, &err);
        if (err.status != r->status || (g != NULL) != !r->status ||
            !strstr(err.message, r->says))
            fail_msg("%s: %s: %s", r->source, weir_status_name(err.status),
                     err.message);
        assert_true(err.begin <= err.end && err.end <= strlen(r->source));
        weir_grammar_free(g);
    }
}

static void choices(void **state)
{
    (void)state;
    const weir_bytes list[] = {bytes_of("abc"), bytes_of("de")};
    for (uint32_t most = 7; most >= 6; most--) { /* texts, and one byte each */
        weir_error err;
        weir_compile_opts opts = {.size = sizeof opts};
        opts.limits.max_source = most;
        weir_grammar *g = weir_grammar_choice(NULL, list, 2, &opts, &err);
        assert_int_equal(g != NULL, most == 7);
        assert_int_equal(err.status, g ? WEIR_OK : WEIR_LIMIT_BYTES);
        if (!g) assert_non_null(strstr(err.message, "max_source"));
        weir_grammar_free(g);
    }
}

/* ---- while running ---- */

enum { TRIPLES = 26 * 26 * 26, TOKENS = 256 + TRIPLES + 1, STOP = TOKENS - 1 };
#define WORDS WEIR_MASK_WORDS(TOKENS)

/* Every byte, every three small letters, and a stop token. */
static weir_vocab *vocab_new(void)
{
    static char text[TOKENS][3];
    static weir_token tokens[TOKENS];
    for (unsigned i = 0; i < STOP; i++) {
        unsigned triple = i - 256;
        text[i][0] = (char)(i < 256 ? i : 'a' + triple / 676);
        text[i][1] = (char)('a' + triple / 26 % 26);
        text[i][2] = (char)('a' + triple % 26);
        tokens[i].bytes = (weir_bytes){text[i], i < 256 ? 1 : 3};
    }
    tokens[STOP] = (weir_token){bytes_of("</s>"), WEIR_TOKEN_STOP};
    weir_vocab *v = weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
    assert_non_null(v);
    return v;
}

static weir_grammar *grammar_of(weir_vocab *v, weir_source_kind kind,
                                const char *source, weir_limits limits)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .limits = limits};
    weir_grammar *g =
        weir_grammar_compile(v, kind, bytes_of(source), &opts, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    return g;
}

static weir_matcher *matcher_of(weir_grammar *g)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    return m;
}

/* ---- what is kept is full ---- */

/* A small memory for automata, walks, masks and stacks. */
static const struct Full {
    weir_source_kind kind;
    const char *source, *text;
    uint64_t limit;
} full[] = {
    {WEIR_REGEX, "(?=.*a.{2}b)[^\\n]*", "ab, axyzabaabbbaxbaaxaabay", 60000},
    {WEIR_EBNF,
     "root ::= ([a-m]{3,90} sep | [k-z]+ sep | \"(\" root \")\")+\n"
     "sep ::= \",\" | \" \" [^a-z]{2,5}",
     "abcdef,kkkk 123(xyz,lmlmlm 12)abcdefgh", 100000},
    {WEIR_EBNF,
     "root ::= (word | \"(\" root \")\" | \"<\" root \">\" | \" \")*\n"
     "word ::= [a-i]+ \"-\" | [e-p]+ \".\" | [b-z]{2,7} | \"abc\" word",
     "((bc<abcefg-(iop.zz(qq) abcabcfoo.)>))bb", 60000},
};

/* The same masks and answers as without a limit, by copy and by pointer. */
static void compare(weir_matcher *m, weir_matcher *free_one, const char *text)
{
    static int32_t row[WORDS], want[WORDS];
    size_t size = strlen(text);
    for (size_t n = 0; n < 150; n++) {
        assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
        assert_int_not_equal(weir_matcher_fill(free_one, want),
                             WEIR_FILL_ERROR);
        assert_memory_equal(row, want, sizeof row);
        const int32_t *mask = weir_matcher_mask(m);
        assert_non_null(mask);
        assert_memory_equal(mask, want, sizeof want);
        weir_bytes byte = {text + n * 7 % size, 1};
        if (n < size) byte.data = text + n;
        weir_accept got = weir_matcher_accept_bytes(m, byte, NULL);
        assert_int_equal(got, weir_matcher_accept_bytes(free_one, byte, NULL));
        assert_int_not_equal(got, WEIR_ACCEPT_ERROR);
        if (n < size) assert_int_equal(got, WEIR_ACCEPTED);
    }
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
}

/* Walks and masks that find no room are made anew: no error, and no other
 * mask than with all the room there is. */
static void full_caches(void **state)
{
    (void)state;
    weir_vocab *v = vocab_new();
    for (size_t i = 0; i < COUNT_OF(full); i++) {
        const struct Full *f = &full[i];
        weir_limits limits = {.max_memory = f->limit};
        weir_grammar *small = grammar_of(v, f->kind, f->source, limits);
        weir_grammar *large =
            grammar_of(v, f->kind, f->source, (weir_limits){0});
        small->walks.arena.limit = small->walks.arena.total; /* one chunk */
        for (int round = 0; round < 2; round++) {
            weir_matcher *m = matcher_of(small), *free_one = matcher_of(large);
            m->hub->memo.arena.limit = m->hub->memo.arena.total;
            compare(m, free_one, f->text);
            assert_true(m->hub->memo.arena.hit_limit);
            assert_false(free_one->hub->memo.arena.hit_limit);
            weir_matcher_free(m);
            weir_matcher_free(free_one);
        }
        assert_true(walkcache_is_full(&small->walks));
        assert_false(walkcache_is_full(&large->walks));
        weir_grammar_free(small);
        weir_grammar_free(large);
    }
    weir_vocab_free(v);
}

/* ---- stacks ---- */

static const char brackets[] =
    "root ::= \"x\" | \"(\" root \")\" | \"[\" root \"]\" | \"{\" root \"}\"";

enum { CROWD = 10, HIGH = 400, STACK_BYTES = 100000 };

/* The n-th bracket of matcher i: no two have the same. */
static char opener(size_t i, size_t n)
{
    return "([{"[(n * 7 + (n >> i % 5) * (i + 1) + (n == i)) % 3];
}

static char closer(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static weir_accept take_byte(weir_matcher *m, char byte)
{
    return weir_matcher_accept_bytes(m, (weir_bytes){&byte, 1}, NULL);
}

static weir_matcher *crowd[CROWD];

static void crowd_begin(weir_grammar *g)
{
    for (size_t i = 0; i < CROWD; i++) crowd[i] = matcher_of(g);
    weir_grammar_free(g);
}

static void crowd_end(void)
{
    for (size_t i = 0; i < CROWD; i++) {
        weir_matcher_free(crowd[i]);
        crowd[i] = NULL;
    }
}

/* Together the stacks of these outputs are larger than a hub, each by itself
 * is not: all can be read, taken back, copied and read again. */
static void full_stacks(void **state)
{
    (void)state;
    weir_limits limits = {.max_memory = STACK_BYTES};
    weir_grammar *g = grammar_of(NULL, WEIR_EBNF, brackets, limits);
    Hub *first = g->hub;
    weir_grammar_retain(g);
    crowd_begin(g);
    for (size_t n = 0; n < HIGH; n++)
        for (size_t i = 0; i < CROWD; i++)
            assert_int_equal(take_byte(crowd[i], opener(i, n)), WEIR_ACCEPTED);
    size_t moved = 0;
    for (size_t i = 0; i < CROWD; i++) moved += crowd[i]->hub != first;
    assert_true(moved > CROWD / 2);
    for (size_t i = 0; i < CROWD; i++) {
        weir_matcher *copy = weir_matcher_fork(crowd[i]);
        assert_non_null(copy);
        assert_int_equal(weir_matcher_rollback(copy, HIGH / 2), WEIR_OK);
        for (size_t n = HIGH / 2; n < HIGH; n++)
            assert_int_equal(take_byte(copy, opener(i, n)), WEIR_ACCEPTED);
        assert_int_equal(take_byte(copy, 'x'), WEIR_ACCEPTED);
        weir_matcher_free(crowd[i]);
        crowd[i] = copy;
        for (size_t n = HIGH; n-- > 0;) {
            char close = closer(opener(i, n));
            assert_int_equal(take_byte(copy, close == ']' ? ')' : ']'),
                             WEIR_REFUSED);
            assert_int_equal(take_byte(copy, close), WEIR_ACCEPTED);
        }
        assert_true(weir_matcher_is_completed(copy));
        assert_int_equal(weir_matcher_error(copy), WEIR_OK);
    }
    crowd_end();
    weir_grammar_free(g);
}

/* What a limit stops leaves the matcher where it was, and says so. */
static void check_stopped(weir_matcher *m, const char *next, weir_status status,
                          const char *says)
{
    size_t steps = weir_matcher_steps(m);
    uint64_t generation = weir_matcher_generation(m);
    assert_int_equal(weir_matcher_accept_bytes(m, bytes_of(next), NULL),
                     WEIR_ACCEPT_ERROR);
    assert_int_equal(weir_matcher_error(m), status);
    assert_non_null(strstr(weir_status_text(status), says));
    if (weir_grammar_vocab(m->grammar)) {
        assert_int_equal(weir_matcher_accept(m, (uint8_t)*next),
                         WEIR_ACCEPT_ERROR);
        assert_false(weir_matcher_allows(m, (uint8_t)*next));
    }
    assert_int_equal(weir_matcher_steps(m), steps);
    assert_true(weir_matcher_generation(m) == generation);
    weir_matcher_reset(m);
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
    int32_t row[WORDS]; /* a mask may meet the limit too, and says so */
    if (weir_grammar_vocab(m->grammar) &&
        weir_matcher_fill(m, row) == WEIR_FILL_ERROR)
        assert_int_equal(weir_matcher_error(m), status);
}

/* Opens brackets, in turn, until none can: how many at least, at most. */
static void open_all(size_t *least, size_t *most)
{
    size_t high[CROWD] = {0};
    bool any = true;
    for (size_t n = 0; any; n++) {
        any = false;
        for (size_t i = 0; i < CROWD; i++)
            if (crowd[i] && high[i] == n &&
                take_byte(crowd[i], opener(i, n)) == WEIR_ACCEPTED) {
                high[i]++;
                any = true;
            }
    }
    *least = SIZE_MAX;
    *most = 0;
    for (size_t i = 0; i < CROWD; i++) {
        if (!crowd[i]) continue;
        *least = MIN(*least, high[i]);
        *most = MAX(*most, high[i]);
    }
}

/* An output's own stacks have a limit, the same alone and among others. */
static void own_stacks(void **state)
{
    (void)state;
    size_t alone, least, most;
    weir_limits limits = {.max_memory = STACK_BYTES};
    weir_grammar *g = grammar_of(NULL, WEIR_EBNF, brackets, limits);
    crowd[0] = matcher_of(g);
    open_all(&alone, &most);
    assert_int_equal(alone, most);
    assert_true(alone > STACK_BYTES / 2 / 64 && alone < STACK_BYTES / 40);
    char next[] = {opener(0, alone), 0};
    check_stopped(crowd[0], next, WEIR_LIMIT_MEMORY, "max_memory");
    weir_matcher_free(crowd[0]);
    crowd_begin(g);
    open_all(&least, &most);
    print_message("%zu alone, %zu to %zu among %d\n", alone, least, most,
                  CROWD);
    assert_true(least >= alone - alone / 16 && most <= alone + alone / 16);
    crowd_end();
}

/* ---- automata ---- */

/* One state or more for every mix of the last twelve letters. */
static void automata(void **state)
{
    (void)state;
    static const struct {
        weir_limits limits;
        weir_status status;
        const char *says;
    } runs[] = {
        {{.max_states = 300}, WEIR_LIMIT_STATES, "max_states"},
        {{.max_memory = 100000}, WEIR_LIMIT_MEMORY, "max_memory"},
        {{0}, WEIR_OK, ""},
    };
    weir_vocab *v = vocab_new();
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        weir_grammar *g =
            grammar_of(v, WEIR_REGEX, "[ab]*a[ab]{12}", runs[i].limits);
        weir_matcher *m = matcher_of(g);
        weir_grammar_free(g);
        weir_accept got = WEIR_ACCEPTED;
        uint32_t bits = 1;
        const char *byte = "";
        for (int n = 0; n < 5000 && got == WEIR_ACCEPTED; n++) {
            bits = bits * 1664525 + 1013904223;
            byte = bits >> 31 ? "a" : "b";
            got = weir_matcher_accept_bytes(m, bytes_of(byte), NULL);
        }
        assert_int_equal(got,
                         runs[i].status ? WEIR_ACCEPT_ERROR : WEIR_ACCEPTED);
        if (runs[i].status)
            check_stopped(m, byte, runs[i].status, runs[i].says);
        weir_matcher_free(m);
    }
    weir_vocab_free(v);
}

/* ---- work of a step ---- */

/* Twelve rules that begin alike and end otherwise: twelve readings. */
static const char twelve[] =
    "root ::= a | b | c | d | e | f | g | h | i | j | k | l\n"
    "a ::= \"(\" a \"a\" | \"x\"\nb ::= \"(\" b \"b\" | \"x\"\n"
    "c ::= \"(\" c \"c\" | \"x\"\nd ::= \"(\" d \"d\" | \"x\"\n"
    "e ::= \"(\" e \"e\" | \"x\"\nf ::= \"(\" f \"f\" | \"x\"\n"
    "g ::= \"(\" g \"g\" | \"x\"\nh ::= \"(\" h \"h\" | \"x\"\n"
    "i ::= \"(\" i \"i\" | \"x\"\nj ::= \"(\" j \"j\" | \"x\"\n"
    "k ::= \"(\" k \"k\" | \"x\"\nl ::= \"(\" l \"l\" | \"x\"\n";

static void configurations(void **state)
{
    (void)state;
    weir_vocab *v = vocab_new();
    for (uint32_t most = 13; most >= 11; most -= 2) {
        weir_grammar *g = grammar_of(v, WEIR_EBNF, twelve,
                                     (weir_limits){.max_configs = most});
        weir_matcher *m = matcher_of(g);
        weir_grammar_free(g);
        if (most == 11) {
            check_stopped(m, "(", WEIR_LIMIT_WORK, "max_configs");
        } else {
            assert_int_equal(
                weir_matcher_accept_bytes(m, bytes_of("((xll"), NULL),
                WEIR_ACCEPTED);
            assert_true(weir_matcher_is_completed(m));
        }
        weir_matcher_free(m);
    }
    weir_vocab_free(v);
}

/* Two hundred open brackets, any of which may stay open: what may come after
 * the letter is asked of all of them. */
static void work_of_a_call(void **state)
{
    (void)state;
    static const char source[] =
        "root ::= s \".\"\ns ::= s s | \"(\" s \")\" | \"(\" s | \"a\"";
    char text[202];
    memset(text, '(', 200);
    strcpy(text + 200, "a");
    weir_vocab *v = vocab_new();
    weir_grammar *small =
        grammar_of(v, WEIR_EBNF, source, (weir_limits){.max_step = 100});
    weir_grammar *large = grammar_of(v, WEIR_EBNF, source, (weir_limits){0});
    weir_matcher *m = matcher_of(small), *other = matcher_of(large);
    for (size_t n = 0; n < 201; n++) {
        weir_bytes byte = {text + n, 1};
        assert_int_equal(weir_matcher_accept_bytes(m, byte, NULL),
                         WEIR_ACCEPTED);
    }
    check_stopped(m, ".", WEIR_LIMIT_WORK, "max_step");
    assert_int_equal(weir_matcher_accept_bytes(other, bytes_of(text), NULL),
                     WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept_bytes(other, bytes_of("."), NULL),
                     WEIR_ACCEPTED);
    weir_matcher_free(m);
    weir_matcher_free(other);
    weir_grammar_free(small);
    weir_grammar_free(large);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling),      cmocka_unit_test(choices),
        cmocka_unit_test(full_caches),    cmocka_unit_test(full_stacks),
        cmocka_unit_test(own_stacks),     cmocka_unit_test(automata),
        cmocka_unit_test(configurations), cmocka_unit_test(work_of_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
