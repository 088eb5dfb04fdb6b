/* substring_test.c: runs of chunks, against the list of all of them. */
#include "syntax/substring.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static Mem mem;

static void compile(Ir *ir, const Span *chunks, uint32_t count)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
    ir_rule_set(ir, ir->root, substring_compile(ir, chunks, count, 0, 0));
    assert_true(ir_ok(ir));
}

static bool accepts(const Ir *ir, Span text)
{
    OracleText t = {0};
    assert_true(oracle_add_bytes(&t, text));
    return oracle_complete(ir, ir->root, NULL, &t);
}

#define LIST(...)                  \
    ((const Span[]){__VA_ARGS__}), \
        sizeof((const Span[]){__VA_ARGS__}) / sizeof(Span)

static void expect_print(const Span *chunks, uint32_t count,
                         const char *expected)
{
    Ir ir;
    compile(&ir, chunks, count);
    char text[512];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    text[MIN(out.size, out.cap)] = 0;
    assert_string_equal(text, expected);
    ir_free(&ir);
}

static void small_automata(void **state)
{
    (void)state;
    expect_print(NULL, 0, "root ::= \"\"\n");
    expect_print(LIST(SPAN("")), "root ::= \"\"\n");
    expect_print(LIST(SPAN("ab")), "root ::= regular(0! [a]>1; 1 [b]>2; 2!)\n");
    /* a, b, ab, and nothing */
    expect_print(LIST(SPAN("a"), SPAN(""), SPAN("b")),
                 "root ::= regular(0! [a]>1 [b]>2; 1! [b]>2; 2!)\n");
    expect_print(LIST(SPAN("\xc3\xa9")),
                 "root ::= regular(0! [\\xE9]>1; 1!)\n");
}

/* xgrammar 0.2.9 gives these verdicts for Substring("ab", "ab", "c"). */
static void as_xgrammar(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, LIST(SPAN("ab"), SPAN("ab"), SPAN("c")));
    const char *const in[] = {"", "ab", "abab", "ababc", "abc", "c"};
    const char *const out[] = {"b", "bab", "a", "aba", "cab", "ababab"};
    for (size_t i = 0; i < COUNT_OF(in); i++)
        assert_true(accepts(&ir, span_text(in[i])));
    for (size_t i = 0; i < COUNT_OF(out); i++)
        assert_false(accepts(&ir, span_text(out[i])));
    ir_free(&ir);
}

static uint32_t random_state = 11;

static uint32_t roll(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

/* Whether `text` is a row of chunks from some place on. */
static bool is_run(const char *const *chunks, uint32_t count, const char *text)
{
    for (uint32_t i = 0; i <= count; i++) {
        const char *rest = text;
        uint32_t k = i;
        while (*rest && k < count &&
               !strncmp(rest, chunks[k], strlen(chunks[k])))
            rest += strlen(chunks[k++]);
        if (!*rest) return true;
    }
    return false;
}

static void random_chunks(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        char rooms[12][4] = {{0}};
        const char *chunks[12];
        Span spans[12];
        uint32_t count = roll(12), longest = 1 + roll(3);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t n = roll(10) ? 1 + roll(longest) : 0;
            for (uint32_t k = 0; k < n; k++) rooms[i][k] = "ab"[roll(2)];
            chunks[i] = rooms[i];
            spans[i] = span_text(rooms[i]);
        }
        Ir ir;
        compile(&ir, spans, count);
        for (uint32_t s = 1; s < 1024; s++) {
            char text[12] = {0};
            int n = 0;
            for (uint32_t bits = s; bits > 1; bits >>= 1)
                text[n++] = "ab"[bits & 1];
            if (accepts(&ir, span_text(text)) != is_run(chunks, count, text))
                fail_msg("round %d: %s", round, text);
        }
        ir_free(&ir);
    }
}

static void sizes(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    char(*rooms)[8] = calloc(COUNT, sizeof *rooms);
    Span *list = calloc(COUNT, sizeof *list);
    assert_true(rooms && list);
    Ir ir;
    /* the same chunk again and again: a^0 to a^20000 */
    for (uint32_t i = 0; i < COUNT; i++) list[i] = SPAN("a");
    compile(&ir, list, COUNT);
    assert_int_equal(ir.dfas.at[0].nstates, COUNT + 1);
    ir_free(&ir);
    /* distinct words of six characters: each place in each word, and the
     * start; the runs that begin anywhere share the states after their first
     * word */
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(rooms[i], sizeof rooms[i], "%05u ", i);
        list[i] = span_of(rooms[i], (size_t)n);
    }
    compile(&ir, list, COUNT);
    /* from the start a trie of 2 + 20 + 200 + 2000 + 20000 inner places and
     * 20000 ends; from the end of word i its successor's five inner places,
     * but not from the last one */
    assert_int_equal(ir.dfas.at[0].nstates, 1 + 2 + 20 + 200 + 2000 + 20000 +
                                                20000 + (4 * (COUNT - 1)));
    ir_free(&ir);
    free(list);
    free(rooms);
}

static void limits(void **state)
{
    (void)state;
    Span list[] = {SPAN("ab"), SPAN("abc"), SPAN("b"), SPAN("ca")};
    mem = mem_from_env(NULL);
    bool done = false;
    for (uint32_t n = 1; n < 40; n++) {
        Ir ir;
        ir_init(&ir, &mem, &(weir_limits){.max_states = n});
        substring_compile(&ir, list, COUNT_OF(list), 2, 5);
        assert_true(ir_ok(&ir) || ir.error.status == WEIR_LIMIT_STATES);
        if (!ir_ok(&ir)) assert_int_equal(ir.error.begin, 2);
        if (!ir_ok(&ir)) assert_false(done);
        done = ir_ok(&ir);
        ir_free(&ir);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_automata), cmocka_unit_test(as_xgrammar),
        cmocka_unit_test(random_chunks),  cmocka_unit_test(sizes),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
