/* trigger_test.c: patterns of triggers: where a match begins, which group
 * counts, the scan byte by byte against the find, what is refused. Expected
 * places are those of ECMA-262's matching, worked out by hand; the same hold
 * for C++'s std::regex.
 */
#include "syntax/trigger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static Mem mem;

static void compile(Trigger *t, const char *pattern)
{
    weir_error err = {.status = WEIR_OK};
    mem = mem_from_env(NULL);
    if (!trigger_compile(t, &mem, span_text(pattern), &err))
        fail_msg("%s: %s", pattern, err.message);
}

/* Whether the scan finds a match in the text, read in pieces of `size`. */
static bool scan(Trigger *t, Span text, size_t size)
{
    TriggerScan s = {{0}, 0, false};
    bool found = false;
    for (size_t end = MIN(size, text.size);; end = MIN(end + size, text.size)) {
        bool here;
        assert_true(trigger_scan(t, &s, span_of(text.at, end), &here));
        if (end == text.size) found = here;
        if (end == text.size) break;
    }
    trigger_scan_free(t, &s);
    return found;
}

/* start: -1 for no match. */
static void expect(const char *pattern, const char *text, int start)
{
    Trigger t;
    size_t at;
    compile(&t, pattern);
    for (size_t size = 1; size < 4; size++)
        if (scan(&t, span_text(text), size) != (start >= 0))
            fail_msg("%s in %s, by %zu", pattern, text, size);
    assert_true(trigger_find(&t, span_text(text), &at));
    if (start >= 0 && at != (size_t)start)
        fail_msg("%s in %s: at %zu", pattern, text, at);
    trigger_free(&t);
}

static void matches(void **state)
{
    (void)state;
    expect("<tool>", "ab<tool>", 2);
    expect("<tool>", "ab<tool", -1);
    expect("a|bc", "xbcac", 1);
    expect("a{2,3}b", "ab aab", 3);
    expect("a{2}", "a", -1);
    expect("[^a-c\\]]+", "abc]x", 4);
    expect("\\d+\\.\\w", "v1.x", 1);
    expect(".", "\n\r", -1);
    expect("[\\s\\S]", "\n", 0);
    expect("\\x41\\u0042\\n", "xAB\n", 1);
    expect("(?:ab)+c", "ababc", 0);
    expect("", "x", 0);
    expect("\xE6\x97\xA5", "a\xE6\x97\xA5", 1);
    expect("(a*)*b", "aab", 0);
}

static void assertions(void **state)
{
    (void)state;
    expect("^ab", "xab", -1);
    expect("^ab", "abx", 0);
    expect("b$", "ba", -1);
    expect("b$", "bab", 2);
    expect("\\bto\\b", "onto to", 5);
    expect("\\Bto", "to onto", 5);
    expect("^[\\s\\S]*?(<t>)[\\s\\S]*$", "ab<t>cd<t>", 2);
}

static void groups(void **state)
{
    (void)state;
    expect("a(b)c", "xabc", 2);
    expect("(q)?(b)", "ab", 1);
    expect("()(b)", "ab", 1);
    expect("(x*)b", "ab", 1);
    expect("[\\s\\S]*?(b)[\\s\\S]*", "abab", 1);
    expect("[\\s\\S]*(b)", "abab", 3);
    expect("a(?:x|(b))", "axab", 0);
    expect("(a|ab)(c|bcd)", "abcd", 0);
    expect("a(a|ab)(c|bcd)", "aabcd", 1);
}

static void whole_first(void **state)
{
    (void)state;
    /* as a search `a` is first; as a match of all only the second will do */
    expect("^(?:a|[ab]+(c))$", "abc", 2);
    expect("^a|a(b)c$", "abc", 1);
    expect("^a|a(b)c$", "abcd", 0);
}

static void errors(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        weir_status status;
        uint32_t begin, end;
    } bad[] = {
        {"(", WEIR_SYNTAX, 0, 1},
        {"a)", WEIR_SYNTAX, 1, 2},
        {"*a", WEIR_SYNTAX, 0, 1},
        {"[a", WEIR_SYNTAX, 0, 2},
        {"a{2,1}", WEIR_SYNTAX, 1, 5},
        {"a{x}", WEIR_SYNTAX, 1, 2},
        {"[b-a]", WEIR_SYNTAX, 0, 4},
        {"a\\", WEIR_SYNTAX, 1, 2},
        {"(a)\\1", WEIR_UNSUPPORTED, 3, 5},
        {"(?=a)", WEIR_UNSUPPORTED, 0, 3},
        {"a{1001}", WEIR_UNSUPPORTED, 1, 6},
        {"\\u20AC", WEIR_UNSUPPORTED, 0, 6},
    };
    mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Trigger t;
        weir_error err = {.status = WEIR_OK};
        assert_false(
            trigger_compile(&t, &mem, span_text(bad[i].pattern), &err));
        if (err.status != bad[i].status || err.begin != bad[i].begin ||
            err.end != bad[i].end)
            fail_msg("%s: %u-%u %s", bad[i].pattern, err.begin, err.end,
                     err.message);
        trigger_free(&t);
    }
}

/* Written out it would be endless; deep; long. */
static void limits(void **state)
{
    (void)state;
    static char deep[404];
    static const char *const bad[] = {
        "((((((){1000}){1000}){1000}){1000}){1000}){1000}",
        "((a{100}){100}){100}", deep};
    mem = mem_from_env(NULL);
    memset(deep, '(', 200);
    memset(deep + 200, ')', 200);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Trigger t;
        weir_error err = {.status = WEIR_OK};
        assert_false(trigger_compile(&t, &mem, span_text(bad[i]), &err));
        assert_true(err.status == WEIR_LIMIT_STATES ||
                    err.status == WEIR_LIMIT_DEPTH);
        trigger_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches), cmocka_unit_test(assertions),
        cmocka_unit_test(groups),  cmocka_unit_test(whole_first),
        cmocka_unit_test(errors),  cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
