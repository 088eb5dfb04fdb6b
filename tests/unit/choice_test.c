/* choice_test.c: choices against the list itself: printed tries made by hand,
 * membership by the oracle for random lists, and sizes that show the work is
 * linear.
 */
#include "syntax/choice.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static Mem mem;

static void start(Ir *ir)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
}

static void compile(Ir *ir, const Span *choices, size_t count)
{
    start(ir);
    ir_rule_set(ir, ir->root, choice_compile(ir, choices, count));
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

static void expect_print(const Span *choices, size_t count,
                         const char *expected)
{
    Ir ir;
    compile(&ir, choices, count);
    char text[512];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    text[MIN(out.size, out.cap)] = 0;
    assert_string_equal(text, expected);
    ir_free(&ir);
}

static void shares_prefixes(void **state)
{
    (void)state;
    expect_print(NULL, 0, "root ::= []\n");
    expect_print(LIST(SPAN("")), "root ::= \"\"\n");
    expect_print(LIST(SPAN("a")), "root ::= \"a\"\n");
    expect_print(LIST(SPAN("ten"), SPAN("to"), SPAN("tea")),
                 "root ::= \"t\" (\"o\" | \"e\" [an])\n");
    expect_print(LIST(SPAN("ab"), SPAN(""), SPAN("a")),
                 "root ::= (\"a\" \"b\"?)?\n");
    expect_print(LIST(SPAN("x"), SPAN("x"), SPAN("x")), "root ::= \"x\"\n");
    expect_print(LIST(SPAN("yes"), SPAN("no"), SPAN("not sure")),
                 "root ::= \"yes\" | \"no\" \"t sure\"?\n");
    expect_print(LIST(SPAN("\xff"), SPAN("\xff\xfe"), SPAN("\0\0")),
                 "root ::= \"\\x00\\x00\" | \"\\xff\" \"\\xfe\"?\n");
    /* halves of characters meet again only in bytes */
    expect_print(LIST(SPAN("\xc3\xa9"), SPAN("\xc3\xa8")),
                 "root ::= \"\\xc3\" (\"\\xa8\" | \"\\xa9\")\n");
}

/* Cases backend-mismatch-choice and choice-specials. */
static void published_cases(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, LIST(SPAN("yes"), SPAN("no"), SPAN("not sure")));
    const char *const in[] = {"yes", "no", "not sure"};
    const char *const out[] = {"maybe", "Yes", "not", "no ", ""};
    for (size_t i = 0; i < COUNT_OF(in); i++)
        assert_true(accepts(&ir, span_text(in[i])));
    for (size_t i = 0; i < COUNT_OF(out); i++)
        assert_false(accepts(&ir, span_text(out[i])));
    ir_free(&ir);
    compile(&ir,
            LIST(SPAN("say \"hi\""), SPAN("back\\slash"), SPAN("two\nlines"),
                 SPAN("tab\t"), SPAN("\xc3\xbcn\xc3\xaf"), SPAN("a"),
                 SPAN("ab"), SPAN("")));
    const char *const specials[] = {
        "say \"hi\"",        "back\\slash", "two\nlines", "tab\t",
        "\xc3\xbcn\xc3\xaf", "ab",          "a",          ""};
    const char *const others[] = {
        "say hi", "back\\\\slash", "two\\nlines", "abc", "b", "tab"};
    for (size_t i = 0; i < COUNT_OF(specials); i++)
        assert_true(accepts(&ir, span_text(specials[i])));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(accepts(&ir, span_text(others[i])));
    ir_free(&ir);
}

/* ---- random lists ---- */

static uint32_t random_state = 99;

static uint32_t roll(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

/* Words of up to 5 of three bytes, by number. */
static Span word(uint32_t number, char *room)
{
    static const char letters[] = {'a', 'b', '\xc3'};
    size_t n = 0;
    for (; number; number = (number - 1) / 3)
        room[n++] = letters[(number - 1) % 3];
    return span_of(room, n);
}

static void random_lists(void **state)
{
    (void)state;
    enum { WORDS = 364 };
    for (int round = 0; round < 200; round++) {
        static char rooms[WORDS][8];
        Span list[WORDS];
        bool is_in[WORDS] = {false};
        uint32_t count = roll(round < 100 ? 6 : 80) + 1;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t number = roll(WORDS);
            is_in[number] = true;
            list[i] = word(number, rooms[i]);
        }
        Ir ir;
        compile(&ir, list, count);
        for (uint32_t i = 0; i < WORDS; i++) {
            char room[8];
            if (accepts(&ir, word(i, room)) != is_in[i])
                fail_msg("round %d, word %u", round, i);
        }
        ir_free(&ir);
    }
}

/* ---- sizes ---- */

static void many_choices(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    char(*rooms)[16] = calloc(COUNT, sizeof *rooms);
    Span *list = calloc(COUNT, sizeof *list);
    assert_true(rooms && list);
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(rooms[i], sizeof rooms[i], "%06u", i * 7919 % COUNT);
        list[i] = span_of(rooms[i], (size_t)n);
    }
    Ir ir;
    compile(&ir, list, COUNT);
    /* All of 000000 to 099999. Equal subtries are one: ten digits and their
     * class, four levels of ten branches and a choice, the leading 0, and the
     * two nodes that every Ir has. */
    assert_int_equal(ir.nodes.count, 10 + 1 + 4 * 11 + 1 + 2);
    ir_free(&ir);
    free(list);
    free(rooms);
}

/* a, aa, aaa, ...: the trie would be as deep as there are texts. */
static void deep_choices(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static char as[COUNT];
    static Span list[COUNT];
    memset(as, 'a', sizeof as);
    for (size_t i = 0; i < COUNT; i++) list[i] = span_of(as, i + 1);
    Ir ir;
    compile(&ir, list, COUNT);
    for (size_t n = 0; n < ORACLE_MAX; n++)
        assert_int_equal(accepts(&ir, span_of(as, n)), n > 0);
    assert_true(ir.bytes.count < COUNT * (COUNT + 1) / 2);
    ir_free(&ir);
    /* past the limit of depth, still exactly the list */
    uint32_t kept = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (i % 2) list[kept++] = span_of(as, i + 1);
    compile(&ir, list, kept);
    Out out = {0};
    ir_print(&ir, &out);
    assert_true(out.size > 0);
    for (size_t n = 0; n < ORACLE_MAX; n++)
        assert_int_equal(accepts(&ir, span_of(as, n)), n && n % 2 == 0);
    ir_free(&ir);
}

static void size_limit(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, &(weir_limits){.max_source = 7});
    choice_compile(&ir, LIST(SPAN("abc"), SPAN("de")));
    assert_true(ir_ok(&ir));
    choice_compile(&ir, LIST(SPAN("abc"), SPAN("def")));
    assert_int_equal(ir.error.status, WEIR_LIMIT_BYTES);
    assert_string_equal(ir.error.message,
                        "choices of more than 7 bytes (limit max_source)");
    ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_prefixes), cmocka_unit_test(published_cases),
        cmocka_unit_test(random_lists),    cmocka_unit_test(many_choices),
        cmocka_unit_test(deep_choices),    cmocka_unit_test(size_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
