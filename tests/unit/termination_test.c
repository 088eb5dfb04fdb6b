/* termination_test.c: when an output ends, and that nothing can be taken then.
 *
 * The grammar is a|aa|aaa; after each step the three modes are asked for all
 * that can be asked. The end is looked for between steps, so that one step may
 * run past a place where the output was complete.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/port.h"
#include "weir/weir.h"

enum { A, AA, B, STOP, TOKENS };

static const weir_token tokens[TOKENS] = {{{"a", 1}, 0},
                                          {{"aa", 2}, 0},
                                          {{"b", 1}, 0},
                                          {{"<end>", 5}, WEIR_TOKEN_STOP}};

typedef struct World {
    weir_vocab *vocab;
    weir_grammar *grammar;
} World;

static World open_world(void)
{
    World w = {.vocab = weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL)};
    assert_non_null(w.vocab);
    w.grammar = weir_grammar_compile(w.vocab, WEIR_REGEX,
                                     (weir_bytes){"a{1,3}", 6}, NULL, NULL);
    assert_non_null(w.grammar);
    return w;
}

static void close_world(World *w)
{
    weir_grammar_free(w->grammar);
    weir_vocab_free(w->vocab);
}

static weir_matcher *start(const World *w, weir_termination how)
{
    weir_matcher_opts opts = {.size = sizeof opts, .termination = how};
    weir_matcher *m = weir_matcher_new(w->grammar, &opts, NULL);
    assert_non_null(m);
    return m;
}

/* The mask has these bits, and `allows` says the same. */
static void check_mask(weir_matcher *m, int32_t bits)
{
    int32_t row;
    assert_int_equal(weir_matcher_fill(m, &row), WEIR_FILL_APPLY);
    assert_int_equal(row, bits);
    assert_int_equal(*weir_matcher_mask(m), bits);
    for (uint32_t id = 0; id < TOKENS; id++)
        assert_int_equal(weir_matcher_allows(m, id), bits >> id & 1);
}

/* Ended: every call says so and changes nothing; the last step taken back, the
 * output goes on. */
static void check_ended(weir_matcher *m)
{
    static const uint32_t drafts[] = {STOP, A};
    static const weir_bytes texts[] = {{"a", 1}, {"aa", 2}, {"b", 1}, {"", 0}};
    uint64_t generation = weir_matcher_generation(m);
    uint32_t ids[4];
    int32_t rows[3];
    char text[4];
    size_t consumed = 9;
    assert_true(weir_matcher_is_terminated(m));
    assert_true(weir_matcher_is_completed(m));
    check_mask(m, 1 << STOP);
    for (uint32_t id = 0; id <= TOKENS; id++)
        assert_int_equal(weir_matcher_accept(m, id), WEIR_TERMINATED);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_int_equal(weir_matcher_accept_bytes(m, texts[i], &consumed),
                         WEIR_TERMINATED);
        assert_int_equal(consumed, 0);
    }
    assert_int_equal(weir_matcher_validate(m, drafts, 2), 0);
    assert_int_equal(weir_matcher_fill_drafts(m, drafts, 2, rows, 1), 0);
    assert_int_equal(rows[0], 1 << STOP);
    assert_int_equal(rows[1] | rows[2], 0);
    assert_int_equal(weir_matcher_forced_bytes(m, text, sizeof text), 0);
    assert_int_equal(weir_matcher_forced_tokens(m, ids, 4), 0);
    assert_int_equal(weir_matcher_finish_tokens(m, ids, 4), 0);
    assert_true(weir_matcher_generation(m) == generation);
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
    assert_int_equal(weir_matcher_rollback(m, 1), WEIR_OK);
    assert_false(weir_matcher_is_terminated(m));
}

static weir_accept bytes(weir_matcher *m, const char *text)
{
    return weir_matcher_accept_bytes(m, (weir_bytes){text, strlen(text)}, NULL);
}

static void first_complete(void **state)
{
    (void)state;
    World w = open_world();
    weir_matcher *m = start(&w, WEIR_TERM_FIRST_COMPLETE);
    check_mask(m, 1 << A | 1 << AA);
    assert_int_equal(bytes(m, "a"), WEIR_ACCEPTED);
    assert_true(weir_matcher_can_continue(m)); /* but for the mode */
    check_ended(m);
    assert_int_equal(weir_matcher_accept(m, A), WEIR_ACCEPTED);
    check_ended(m);
    assert_int_equal(weir_matcher_accept(m, AA), WEIR_ACCEPTED);
    check_ended(m);
    assert_int_equal(bytes(m, "aaa"), WEIR_ACCEPTED); /* one step */
    check_ended(m);
    assert_int_equal(weir_matcher_steps(m), 0);
    weir_matcher_free(m);
    close_world(&w);
}

static void when_final(void **state)
{
    (void)state;
    World w = open_world();
    weir_matcher *m = start(&w, WEIR_TERM_WHEN_FINAL);
    assert_int_equal(bytes(m, "a"), WEIR_ACCEPTED);
    check_mask(m, 1 << A | 1 << AA | 1 << STOP);
    assert_int_equal(bytes(m, "a"), WEIR_ACCEPTED);
    check_mask(m, 1 << A | 1 << STOP);
    assert_int_equal(bytes(m, "a"), WEIR_ACCEPTED);
    check_ended(m);
    assert_int_equal(weir_matcher_accept(m, STOP), WEIR_ACCEPTED);
    check_ended(m);
    assert_int_equal(weir_matcher_steps(m), 2);
    weir_matcher_free(m);
    close_world(&w);
}

static void stop_token(void **state)
{
    (void)state;
    World w = open_world();
    weir_matcher *m = start(&w, WEIR_TERM_STOP_TOKEN);
    assert_int_equal(bytes(m, "aaa"), WEIR_ACCEPTED);
    assert_false(weir_matcher_is_terminated(m));
    check_mask(m, 1 << STOP);
    assert_int_equal(bytes(m, "a"), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, A), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, STOP), WEIR_ACCEPTED);
    check_ended(m);
    check_mask(m, 1 << STOP);
    weir_matcher_free(m);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_complete),
        cmocka_unit_test(when_final),
        cmocka_unit_test(stop_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
