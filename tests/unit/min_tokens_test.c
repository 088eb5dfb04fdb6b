/* min_tokens_test.c: no end before so many tokens: stop tokens, stop texts, and
 * what ends all the same.
 */
#include "oracle/rng.h"
#include "unit/decoder_kit.h"

/* Logits by which the stop token comes, if it can, and then `second`. */
static const float *eager_to_stop(uint32_t second)
{
    for (int i = 0; i < KIT_WIDTH; i++) kit_logits[i] = -20;
    kit_logits[second] = 20;
    kit_logits[KIT_END] = 60;
    return kit_logits;
}

/* Steps until the finish; how many tokens there are then. */
static size_t steps(weir_decoder *d, const float *logits, weir_decoded *out)
{
    size_t n;
    do weir_decoder_step(d, logits, KIT_WIDTH, out);
    while (!out->finish);
    weir_decoder_tokens(d, &n);
    return n;
}

/* The stop token is the first one after them, with and without a constraint
 * that would let it come at once, either way of masking. */
static void stop_tokens(void **state)
{
    (void)state;
    for (uint32_t least = 0; least < 12; least++)
        for (int way = 0; way < 4; way++) {
            weir_decode_opts o = {.size = sizeof o, .min_tokens = least};
            weir_matcher *m = way & 1 ? kit_matcher(WEIR_REGEX, "a*") : NULL;
            weir_sampler *s = kit_sampler(least, way & 2);
            weir_decoder *d = kit_decoder(s, m, &o);
            weir_decoded out;
            assert_int_equal(steps(d, eager_to_stop('a'), &out), least + 1);
            assert_int_equal(out.finish, WEIR_FINISH_END);
            assert_int_equal(out.completed, m != NULL);
            assert_int_equal(weir_decoder_text(d).size, least);
            assert_true(kit_logits[KIT_END] > 0); /* the caller's own */
            weir_decoder_free(d);
            weir_sampler_free(s);
            weir_matcher_free(m);
        }
}

/* What the constraint does not let go on ends. */
static void ended_constraint(void **state)
{
    (void)state;
    static const weir_termination ends[] = {WEIR_TERM_WHEN_FINAL,
                                            WEIR_TERM_STOP_TOKEN};
    for (int i = 0; i < 4; i++) {
        weir_matcher_opts mo = {.size = sizeof mo, .termination = ends[i / 2]};
        weir_decode_opts o = {.size = sizeof o, .min_tokens = 9};
        weir_grammar *g = weir_grammar_compile(kit_vocab, WEIR_REGEX,
                                               kit_bytes("aaa"), NULL, NULL);
        weir_matcher *m = weir_matcher_new(g, &mo, NULL);
        weir_sampler *s = kit_sampler(1, i % 2);
        weir_decoder *d = kit_decoder(s, m, &o);
        weir_decoded out;
        size_t n = steps(d, eager_to_stop('a'), &out);
        assert_int_equal(n, i / 2 ? 4 : 3);
        assert_int_equal(out.finish, WEIR_FINISH_END);
        assert_true(out.completed);
        weir_decoder_free(d);
        weir_sampler_free(s);
        weir_matcher_free(m);
        weir_grammar_free(g);
    }
}

/* max_tokens comes first where it is less; ignored stop tokens stay tokens. */
static void other_ends(void **state)
{
    (void)state;
    weir_decode_opts o = {.size = sizeof o, .min_tokens = 9, .max_tokens = 4};
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, NULL, &o);
    weir_decoded out;
    assert_int_equal(steps(d, eager_to_stop('a'), &out), 4);
    assert_int_equal(out.finish, WEIR_FINISH_LENGTH);
    weir_decoder_free(d);
    o.ignore_stop_tokens = true;
    d = kit_decoder(s, NULL, &o);
    steps(d, eager_to_stop('a'), &out);
    assert_int_equal(out.tokens[0], KIT_END);
    weir_decoder_free(d);
    weir_sampler_free(s);
}

/* Where the first "ab" ends that lies behind `from`; SIZE_MAX: nowhere. */
static size_t plain_stop(const char *text, size_t size, size_t from)
{
    for (size_t end = from + 2; end <= size; end++)
        if (!memcmp(text + end - 2, "ab", 2)) return end - 2;
    return SIZE_MAX;
}

/* Stop texts are looked for behind the first tokens alone, and so they are
 * after tokens have been taken back. */
static void stop_texts(void **state)
{
    (void)state;
    Rng rng = {8};
    weir_bytes stop = kit_bytes("ab");
    for (int round = 0; round < 2000; round++) {
        char text[24];
        size_t size = 1 + rng_below(&rng, 20);
        uint32_t least = rng_below(&rng, 6);
        weir_decode_opts o = {.size = sizeof o,
                              .stops = &stop,
                              .stop_count = 1,
                              .min_tokens = least};
        weir_sampler *s = kit_sampler(1, false);
        weir_decoder *d = kit_decoder(s, NULL, &o);
        weir_decoded out = {.finish = WEIR_FINISH_NONE};
        for (size_t i = 0; i < size; i++) text[i] = "ab"[rng_below(&rng, 2)];
        size_t want = plain_stop(text, size, least), sent = 0;
        for (size_t i = 0; i < size && !out.finish; i++) {
            char byte[2] = {text[i], 0};
            weir_decoder_take(d, weir_vocab_find(kit_vocab, kit_bytes(byte)),
                              &out);
            sent += out.text.size;
            if (out.text.size || !rng_chance(&rng, 30)) continue;
            assert_int_equal(weir_decoder_rollback(d, 1), WEIR_OK);
            out.finish = WEIR_FINISH_NONE;
            text[i] = "ab"[rng_below(&rng, 2)]; /* perhaps another */
            want = plain_stop(text, size, least);
            i--;
        }
        assert_int_equal(out.finish, want == SIZE_MAX ? WEIR_FINISH_NONE
                                                      : WEIR_FINISH_TEXT);
        if (want != SIZE_MAX) assert_int_equal(sent, want);
        weir_decoder_free(d);
        weir_sampler_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_tokens),
        cmocka_unit_test(ended_constraint),
        cmocka_unit_test(other_ends),
        cmocka_unit_test(stop_texts),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
