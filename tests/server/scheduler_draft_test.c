/* scheduler_draft_test.c: drafts from prompt and output change no token, and
 * save decodes where they are right.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

/* A prompt that says over and over what the answer has to say. */
static Ask repeating(const Engine *e, uint32_t seed, weir_grammar *grammar)
{
    static const char text[] = "{\"name\":\"Anna Holm\",\"city\":\"Oslo\"} "
                               "{\"name\":\"Anna Holm\",\"city\":\"Oslo\"} ";
    Ask ask = {.seed = seed, .max_tokens = 120, .grammar = grammar};
    ask.prompt_count = weir_vocab_encode(engine_vocab(e), kit_bytes(text),
                                         false, ask.prompt, PROMPT_MOST);
    return ask;
}

/* Long forced texts without jump-forward: drafts are right wherever the prompt
 * has the same. */
static const char forced_text[] =
    "(\\{\"name\":\"Anna Holm\",\"city\":\"(Oslo|Bergen)\"\\} ){3}";

static void test_right_drafts_save_decodes(void **state)
{
    (void)state;
    weir_grammar *g = kit_grammar(group.engine, WEIR_REGEX, forced_text);
    uint64_t decodes[2];
    for (uint32_t drafts = 0; drafts < 2; drafts++) {
        SchedulerOpts opts = {.workers = 1, .speculate = drafts * 8};
        Scheduler *s = kit_scheduler(group.engine, &opts);
        Ask ask = repeating(group.engine, 3, g);
        kit_compare_all(s, group.other, &ask, 1);
        SchedulerStats stats = kit_stats_of(s, 1);
        decodes[drafts] = stats.decodes;
        assert_true(stats.accepted_tokens <= stats.drafted_tokens);
        assert_true(drafts ? stats.accepted_tokens > 40
                           : stats.drafted_tokens == 0);
        scheduler_free(s);
    }
    assert_true(decodes[1] * 2 < decodes[0]);
    weir_grammar_free(g);
}

/* Many at once, free and constrained, right and wrong drafts, jumps between,
 * each token its log probability. */
static void test_drafts_change_no_token(void **state)
{
    (void)state;
    weir_grammar *g = kit_grammar(group.engine, WEIR_REGEX, forced_text);
    for (uint32_t length = 1; length <= 16; length += 5) {
        SchedulerOpts opts = {.workers = 2, .speculate = length};
        Scheduler *s = kit_scheduler(group.engine, &opts);
        static Ask asks[16];
        for (uint32_t i = 0; i < 16; i++) {
            asks[i] = repeating(group.engine, i, i % 3 ? g : NULL);
            asks[i].jump = i % 4 == 1;
            asks[i].top_logprobs = i % 5 == 2 ? 2 : 0;
            asks[i].redraw = i % 2;
            asks[i].max_tokens = 1 + i * 11;
            /* The likeliest tokens of a small model come in circles: drafts of
             * free text are right then. */
            asks[i].never_stops = i % 3 == 0;
        }
        kit_compare_all(s, group.other, asks, 16);
        scheduler_free(s);
    }
    weir_grammar_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_drafts_save_decodes),
        cmocka_unit_test(test_drafts_change_no_token)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
