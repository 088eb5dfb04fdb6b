/* prefix_set_test.c: prefixes against a plain look at every text. */
#include "base/prefix_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static Mem mem;

static void words(void **state)
{
    (void)state;
    PrefixSet set = {0};
    static const char *const texts[] = {"<a", "<ab>", "<", "<ab>", "x"};
    uint32_t count;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_true(prefix_set_add(&mem, &set, span_text(texts[i])));
    assert_int_equal(prefix_set_find(&set, SPAN("<ab>c"), &count), 1);
    assert_int_equal(count, 4);
    assert_int_equal(prefix_set_find(&set, SPAN("<b"), &count), 2);
    assert_int_equal(count, 1);
    assert_int_equal(prefix_set_find(&set, SPAN("ax"), &count), PREFIX_NONE);
    assert_int_equal(count, 0);
    assert_int_equal(prefix_set_find(&set, SPAN(""), &count), PREFIX_NONE);
    prefix_set_free(&mem, &set);
}

static void random_words(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (int round = 0; round < 2000; round++) {
        char texts[8][8] = {{0}}, text[12] = {0};
        PrefixSet set = {0};
        uint32_t count, wanted = 0, best = PREFIX_NONE;
        size_t longest = 0;
        for (int i = 0; i < 9; i++) {
            char *word = i < 8 ? texts[i] : text;
            random = random * 1664525u + 1013904223u;
            uint32_t n = 1 + (random >> 20) % (i < 8 ? 6 : 10);
            for (uint32_t k = 0; k < n; k++) {
                random = random * 1664525u + 1013904223u;
                word[k] = "ab"[random >> 31];
            }
        }
        for (uint32_t i = 0; i < 8; i++) {
            assert_true(prefix_set_add(&mem, &set, span_text(texts[i])));
            size_t n = strlen(texts[i]);
            if (strncmp(text, texts[i], n) != 0) continue;
            wanted++;
            if (n > longest) best = i;
            longest = MAX(longest, n);
        }
        assert_int_equal(prefix_set_find(&set, span_text(text), &count), best);
        assert_int_equal(count, wanted);
        prefix_set_free(&mem, &set);
    }
}

int main(void)
{
    mem = mem_from_env(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(random_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
