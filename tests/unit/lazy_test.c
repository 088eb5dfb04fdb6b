/* lazy_test.c: lazy grammars: words, patterns and tokens as triggers, tokens
 * that straddle one, refused triggers, rollback, copies. Masks are compared
 * with those of a matcher that was given the grammar's part alone.
 */
#include "base/port.h"
#include "oracle/rng.h"
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { END = 9, WIDTH = 40 };

/* Ids are places; 9 ends. */
static const char *const texts[] = {"a",  "b",   "<", "t>",   ">",
                                    "x<", "<t>", "c", "t>ab", "</s>"};

static weir_vocab *vocab;
static weir_grammar *grammar;

static int set_up(void **state)
{
    (void)state;
    weir_token tokens[COUNT_OF(texts)];
    weir_error err;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        tokens[i] = (weir_token){{texts[i], strlen(texts[i])},
                                 i == END ? WEIR_TOKEN_STOP : 0};
    weir_vocab_opts opts = {.size = sizeof opts, .width = WIDTH};
    vocab = weir_vocab_new(NULL, tokens, COUNT_OF(texts), &opts, &err);
    static const char source[] = "root ::= \"<t>\" \"a\" [ab]* \"c\"";
    grammar = weir_grammar_compile(
        vocab, WEIR_GBNF, (weir_bytes){source, strlen(source)}, NULL, &err);
    return !grammar;
}

static int tear_down(void **state)
{
    (void)state;
    weir_grammar_free(grammar);
    weir_vocab_free(vocab);
    return 0;
}

/* ---- helpers ---- */

static weir_lazy *begin(const char *word, const char *pattern,
                        const uint32_t *token)
{
    weir_error err;
    weir_bytes w = {word, word ? strlen(word) : 0};
    weir_bytes p = {pattern, pattern ? strlen(pattern) : 0};
    weir_lazy_opts opts = {.size = sizeof opts,
                           .words = &w,
                           .patterns = &p,
                           .tokens = token,
                           .word_count = word != NULL,
                           .pattern_count = pattern != NULL,
                           .token_count = token != NULL};
    weir_lazy *l = weir_lazy_new(grammar, &opts, &err);
    if (!l) fail_msg("%s", err.message);
    return l;
}

static uint64_t mask_of(weir_lazy *l)
{
    int32_t row[WEIR_MASK_WORDS(WIDTH)];
    weir_fill fill = weir_lazy_fill(l, row);
    assert_int_equal(fill == WEIR_FILL_ALL, weir_lazy_matcher(l) == NULL);
    return weir_mask_hash(row, WIDTH);
}

/* The mask after the grammar's own text. */
static uint64_t mask_after(const char *text)
{
    int32_t row[WEIR_MASK_WORDS(WIDTH)];
    weir_matcher *m = weir_matcher_new(grammar, NULL, NULL);
    weir_bytes bytes = {text, strlen(text)};
    assert_int_equal(weir_matcher_accept_bytes(m, bytes, NULL), WEIR_ACCEPTED);
    weir_matcher_fill(m, row);
    weir_matcher_free(m);
    return weir_mask_hash(row, WIDTH);
}

static void take(weir_lazy *l, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(weir_lazy_accept(l, ids[i]), WEIR_ACCEPTED);
}
#define TAKE(l, ...)                           \
    take((l), (const uint32_t[]){__VA_ARGS__}, \
         COUNT_OF(((const uint32_t[]){__VA_ARGS__})))

/* ---- triggers ---- */

static void waits(void **state)
{
    (void)state;
    weir_lazy *l = begin("<t>", NULL, NULL);
    TAKE(l, 0, 2, 4, END, 30); /* any token: the end, one without text */
    assert_null(weir_lazy_matcher(l));
    assert_int_equal(weir_lazy_steps(l), 5);
    assert_int_equal(weir_lazy_accept(l, WIDTH), WEIR_REFUSED);
    mask_of(l);
    weir_lazy_free(l);
}

static void word(void **state)
{
    (void)state;
    weir_lazy *l = begin("<t>", NULL, NULL);
    TAKE(l, 0, 5, 3); /* a x< t> */
    assert_non_null(weir_lazy_matcher(l));
    assert_true(mask_of(l) == mask_after("<t>"));
    assert_int_equal(weir_lazy_accept(l, 1), WEIR_REFUSED);
    TAKE(l, 0, 1, 7);
    assert_true(weir_matcher_is_completed(weir_lazy_matcher(l)));
    weir_lazy_free(l);
}

/* What follows the trigger inside its token is the grammar's. */
static void straddling(void **state)
{
    (void)state;
    weir_lazy *l = begin("<t>", NULL, NULL);
    TAKE(l, 5, 8); /* x< t>ab */
    assert_true(mask_of(l) == mask_after("<t>ab"));
    weir_lazy_free(l);
    l = begin(NULL, "x(<)", NULL);
    TAKE(l, 5); /* begins inside the token */
    assert_true(mask_of(l) == mask_after("<"));
    weir_lazy_free(l);
}

static void earliest_word(void **state)
{
    (void)state;
    weir_error err;
    weir_bytes words[] = {{"b<t>", 4}, {"<t>", 3}};
    weir_lazy_opts opts = {
        .size = sizeof opts, .words = words, .word_count = 2};
    weir_lazy *l = weir_lazy_new(grammar, &opts, &err);
    TAKE(l, 0);
    assert_int_equal(weir_lazy_accept(l, 6), WEIR_ACCEPTED);
    weir_lazy_reset(l);
    TAKE(l, 1);
    /* "b<t>" begins earlier, and the grammar does not read it */
    assert_int_equal(weir_lazy_accept(l, 6), WEIR_REFUSED);
    weir_lazy_free(l);
}

static void token(void **state)
{
    (void)state;
    const uint32_t id = 6;
    weir_lazy *l = begin(NULL, NULL, &id);
    TAKE(l, 2, 3); /* the same text by other tokens */
    assert_null(weir_lazy_matcher(l));
    TAKE(l, 6);
    assert_true(mask_of(l) == mask_after("<t>"));
    weir_lazy_free(l);
}

static void refused(void **state)
{
    (void)state;
    weir_lazy *l = begin(NULL, "<", NULL);
    TAKE(l, 0);
    assert_int_equal(weir_lazy_accept(l, 5), WEIR_ACCEPTED); /* x< */
    weir_lazy_free(l);
    l = begin("x<", NULL, NULL);
    assert_int_equal(weir_lazy_accept(l, 5), WEIR_REFUSED);
    assert_null(weir_lazy_matcher(l));
    assert_int_equal(weir_lazy_steps(l), 0);
    TAKE(l, 0, 2); /* goes on waiting */
    assert_null(weir_lazy_matcher(l));
    weir_lazy_free(l);
}

static void bad_pattern(void **state)
{
    (void)state;
    weir_error err;
    weir_bytes p[] = {{"a", 1}, {"b(", 2}};
    weir_lazy_opts opts = {
        .size = sizeof opts, .patterns = p, .pattern_count = 2};
    assert_null(weir_lazy_new(grammar, &opts, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
    assert_int_equal(err.begin, 1);
    weir_grammar *none = weir_grammar_compile(
        NULL, WEIR_GBNF, (weir_bytes){"root ::= \"a\"", 12}, NULL, &err);
    assert_null(weir_lazy_new(none, NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    weir_grammar_free(none);
}

/* ---- history: random steps against replay ---- */

typedef struct Taken {
    uint32_t ids[64];
    uint32_t count;
} Taken;

static void check_replay(weir_lazy *l, const Taken *taken)
{
    weir_lazy *fresh = begin("<t>", "x(<)[^t]", NULL);
    take(fresh, taken->ids, taken->count);
    assert_int_equal(weir_lazy_steps(l), taken->count);
    assert_int_equal(weir_lazy_matcher(l) == NULL,
                     weir_lazy_matcher(fresh) == NULL);
    assert_true(mask_of(l) == mask_of(fresh));
    weir_lazy_free(fresh);
}

static void history(void **state)
{
    (void)state;
    Rng rng = {.state = 5};
    unsigned began = 0;
    for (int round = 0; round < 300; round++) {
        weir_lazy *l = begin("<t>", "x(<)[^t]", NULL);
        Taken taken = {.count = 0};
        for (int step = 0; step < 40; step++) {
            uint32_t pick = (uint32_t)rng_below(&rng, 12);
            if (pick < COUNT_OF(texts) && taken.count < 64) {
                weir_accept answer = weir_lazy_accept(l, pick);
                if (answer == WEIR_ACCEPTED) taken.ids[taken.count++] = pick;
            } else if (pick == 10) {
                uint32_t n = (uint32_t)rng_below(&rng, taken.count + 1u);
                assert_int_equal(weir_lazy_rollback(l, n), WEIR_OK);
                taken.count -= n;
            } else if (pick == 11) {
                weir_lazy *copy = weir_lazy_fork(l);
                weir_lazy_free(l);
                l = copy;
            }
            began += weir_lazy_matcher(l) != NULL;
            check_replay(l, &taken);
        }
        assert_int_equal(weir_lazy_rollback(l, taken.count + 1), WEIR_ROLLBACK);
        weir_lazy_free(l);
    }
    assert_true(began > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits),       cmocka_unit_test(word),
        cmocka_unit_test(straddling),  cmocka_unit_test(earliest_word),
        cmocka_unit_test(token),       cmocka_unit_test(refused),
        cmocka_unit_test(bad_pattern), cmocka_unit_test(history),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
