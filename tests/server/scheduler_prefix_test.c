/* scheduler_prefix_test.c: what prompts have in common is read once, and
 * changes no answer; contexts that are full; room for waiting answers.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

/* Submits, waits, compares with the same alone, and gives the counts. */
static JobCounts run(Scheduler *s, const Ask *ask)
{
    static Answer expected;
    Sink *sink = sink_new();
    kit_submit(s, ask, sink);
    sink_wait(sink);
    kit_alone(group.other, ask, 0, &expected);
    assert_same_answer(&sink->answers[0], &expected);
    JobCounts counts = sink->answers[0].counts;
    sink_free(sink);
    return counts;
}

static void test_same_start_is_read_once(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Ask ask = kit_ask(1, 100);
    assert_int_equal(run(s, &ask).cached, 0);
    ask.seed = 2;
    /* The logits of the last token are wanted, so that one is read again. */
    assert_int_equal(run(s, &ask).cached, 99);
    ask.prompt[60] ^= 1;
    assert_int_equal(run(s, &ask).cached, 60);
    ask.prompt_count = 40;
    assert_int_equal(run(s, &ask).cached, 39);
    ask.prompt[0] ^= 1;
    assert_int_equal(run(s, &ask).cached, 0);
    SchedulerStats stats = kit_stats_of(s, 5);
    assert_int_equal(stats.cached_tokens, 99 + 60 + 39);
    assert_int_equal(stats.prompt_tokens, 3 * 100 + 2 * 40);
    scheduler_free(s);
}

/* A conversation: the next prompt begins with the last one and its answer, be
 * that free, constrained, forced in part, or cut. So what was noted as fed is
 * what was drawn. */
static void test_answers_are_kept_too(void **state)
{
    (void)state;
    static Answer answer;
    for (uint32_t way = 0; way < 5; way++) {
        Scheduler *s = kit_scheduler(group.engine, NULL);
        Ask ask = kit_ask(5, 50);
        ask.never_stops = true;
        ask.grammar = way ? group.schemas[0] : NULL;
        ask.jump = way == 2 || way == 4;
        if (way > 2) ask.max_tokens = 10;
        run(s, &ask);
        kit_alone(group.other, &ask, 0, &answer);
        assert_true(answer.count > 1);
        memcpy(ask.prompt + 50, answer.tokens,
               answer.count * sizeof *ask.prompt);
        ask.prompt_count = 50 + answer.count + 1;
        ask.prompt[ask.prompt_count - 1] = 7;
        /* The last step of an answer is never fed. */
        uint32_t cached = run(s, &ask).cached;
        if (ask.jump)
            assert_true(cached >= 51 && cached < 50 + answer.count);
        else
            assert_int_equal(cached, 50 + answer.count - 1);
        scheduler_free(s);
    }
}

static void test_no_reuse(void **state)
{
    (void)state;
    SchedulerOpts opts = {.no_reuse = true};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Ask ask = kit_ask(1, 100);
    ask.choices = 2;
    assert_int_equal(run(s, &ask).cached, 0);
    assert_int_equal(run(s, &ask).cached, 0);
    scheduler_free(s);
}

/* Constraints have nothing to do with what was cached. */
static void test_same_prompt_under_another_grammar(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Ask ask = kit_ask(1, 30);
    for (int i = 0; i < 4; i++) {
        ask.grammar = group.schemas[i];
        assert_int_equal(run(s, &ask).cached, i ? 29 : 0);
        assert_int_equal(run(s, &ask).cached, 29);
    }
    scheduler_free(s);
}

/* Answers of one job: one reads, the others wait for it; each has its seed. */
static void test_choices_share_the_prompt(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    static Answer expected;
    Sink *sink = sink_new();
    Ask ask = kit_ask(8, 150);
    ask.choices = 5;
    ask.grammar = group.schemas[1];
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    for (uint32_t i = 0; i < 5; i++) {
        kit_alone(group.other, &ask, i, &expected);
        assert_same_answer(&sink->answers[i], &expected);
        assert_int_equal(sink->answers[i].counts.cached, i ? 149 : 0);
    }
    assert_true(strcmp(sink->answers[0].text, sink->answers[1].text) ||
                strcmp(sink->answers[0].text, sink->answers[2].text));
    sink_free(sink);
    scheduler_free(s);
}

/* Different jobs that come together with one long beginning. */
static void test_jobs_that_come_together_share(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *sinks[4];
    static Answer expected;
    Ask asks[4];
    for (uint32_t i = 0; i < 4; i++) {
        asks[i] = kit_ask(3, 140);
        asks[i].prompt[100 + i] ^= 1;
        kit_submit(s, &asks[i], sinks[i] = sink_new());
    }
    uint64_t cached = 0;
    for (uint32_t i = 0; i < 4; i++) {
        sink_wait(sinks[i]);
        kit_alone(group.other, &asks[i], 0, &expected);
        assert_same_answer(&sinks[i]->answers[0], &expected);
        cached += sinks[i]->answers[0].counts.cached;
        sink_free(sinks[i]);
    }
    assert_true(cached >= 300);
    scheduler_free(s);
}

/* One that reads is cancelled: those who follow read for themselves. */
static void test_leader_is_cancelled(void **state)
{
    (void)state;
    SchedulerOpts opts = {.chunk = 4, .workers = 1, .context = 600};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *writer = sink_new(), *leader = sink_new(), *follower = sink_new();
    Gate *gate = gate_new(writer, 1);
    Ask ask = kit_ask(1, 5);
    ask.never_stops = true;
    ask.max_tokens = 300;
    kit_submit(s, &ask, writer); /* so that prompts are read by fours */
    gate_wait(gate);
    Ask slow = kit_ask(2, 400);
    slow.seed = 3;
    slow.max_tokens = 5;
    kit_submit(s, &slow, leader);
    kit_submit(s, &slow, follower);
    gate_go(gate, 11);
    gate_wait(gate);
    job_cancel(leader->job);
    job_cancel(writer->job);
    gate_go(gate, UINT32_MAX);
    sink_wait(leader);
    sink_wait(writer);
    sink_wait(follower);
    gate_free(gate);
    static Answer expected;
    kit_alone(group.other, &slow, 0, &expected);
    assert_same_answer(&follower->answers[0], &expected);
    assert_true(leader->answers[0].cancelled);
    /* What the leader had read in ten decodes, or one less. */
    uint32_t cached = follower->answers[0].counts.cached;
    assert_true(cached == 36 || cached == 40);
    sink_free(writer);
    sink_free(leader);
    sink_free(follower);
    scheduler_free(s);
}

/* ---- full contexts ---- */

static void test_prompt_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    Engine *e = kit_builtin(2, 100, 32);
    Scheduler *s = kit_scheduler(e, NULL);
    assert_int_equal(scheduler_opts(s)->context, 50);
    JobRefusal refusal;
    Sink *sink = sink_new();
    Ask ask = kit_ask(1, 50);
    kit_try(s, &ask, sink, &refusal);
    assert_null(sink->job);
    assert_int_equal(refusal.kind, JOB_CONTEXT);
    assert_int_equal(refusal.prompt, 50);
    assert_int_equal(refusal.context, 50);
    assert_string_equal(refusal.error.message,
                        "found a prompt of 50 tokens, expected less than 50, "
                        "which prompt and output have together");
    /* One less fits, with one token of output. */
    ask.prompt_count = 49;
    ask.never_stops = true;
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    assert_int_equal(sink->answers[0].finish, WEIR_FINISH_LENGTH);
    assert_int_equal(sink->answers[0].count, 1);
    sink_free(sink);
    scheduler_free(s);
    engine_free(e);
}

/* Caches of answers that have ended make room for those that go on. */
static void test_idle_sequences_make_room(void **state)
{
    (void)state;
    Engine *e = kit_builtin(4, 160, 32);
    Scheduler *s = kit_scheduler(e, NULL);
    static Answer expected;
    for (uint32_t i = 0; i < 24; i++) {
        Ask ask = kit_ask(i, 20 + i % 12);
        ask.never_stops = true;
        Sink *sink = sink_new();
        kit_submit(s, &ask, sink);
        sink_wait(sink);
        ask.max_tokens = MIN(ask.max_tokens, 40 - (uint32_t)ask.prompt_count);
        kit_alone(group.other, &ask, 0, &expected);
        assert_same_answer(&sink->answers[0], &expected);
        assert_true(kit_stats(s).cells <= 160);
        sink_free(sink);
    }
    scheduler_free(s);
    engine_free(e);
}

/* With a context for each that all together do not have, answers wait for
 * room; none fails. */
static void test_answers_wait_for_room(void **state)
{
    (void)state;
    Engine *e = kit_builtin(4, 160, 32);
    SchedulerOpts opts = {.context = 160, .workers = 1};
    Scheduler *s = kit_scheduler(e, &opts);
    static Ask asks[10];
    for (uint32_t i = 0; i < 10; i++) {
        asks[i] = kit_ask(i, 20 + i * 13 % 60);
        asks[i].never_stops = true;
        asks[i].max_tokens = 30 + i * 7 % 50;
    }
    kit_compare_all(s, group.other, asks, 10);
    scheduler_free(s);
    engine_free(e);
}

/* A jump takes no more than there is room for: forced text that is longer than
 * the context is cut there, in a full batch too. */
static void test_jumps_stay_within_the_context(void **state)
{
    (void)state;
    Engine *e = kit_builtin(4, 160, 32);
    weir_grammar *g = kit_grammar(e, WEIR_REGEX, "[ab](xyz[0-9]{2}){40}");
    Scheduler *s = kit_scheduler(e, NULL);
    weir_grammar *forced = kit_grammar(e, WEIR_REGEX, "[ab]x{200}");
    Sink *sinks[8];
    for (uint32_t i = 0; i < 8; i++) {
        Ask ask = kit_ask(i, 3 + i * 5);
        ask.grammar = i % 2 ? g : forced;
        ask.jump = true;
        ask.max_tokens = 0;
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    for (uint32_t i = 0; i < 8; i++) {
        const Answer *a = &sinks[i]->answers[0];
        sink_wait(sinks[i]);
        assert_int_equal(a->error, WEIR_OK);
        assert_int_equal(a->finish, WEIR_FINISH_LENGTH);
        assert_int_equal(a->count, 40 - (3 + i * 5));
        assert_true(a->count < 2 || a->counts.forced > 0);
        sink_free(sinks[i]);
    }
    assert_true(kit_stats(s).cells <= 160);
    assert_int_equal(kit_stats_of(s, 8).failed, 0);
    scheduler_free(s);
    weir_grammar_free(g);
    weir_grammar_free(forced);
    engine_free(e);
}

/* More rows than the engine has tokens or sequences for. */
static void test_options_are_checked(void **state)
{
    (void)state;
    weir_error err;
    SchedulerOpts opts = {.engine = group.engine, .rows = 9};
    assert_null(scheduler_new(&opts, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_string_equal(err.message,
                        "found 9 rows, expected at most 8, the engine's "
                        "sequences, and 64, its batch");
    opts = (SchedulerOpts){.engine = group.engine, .speculate = 17};
    assert_null(scheduler_new(&opts, &err));
    assert_string_equal(err.message,
                        "found drafts of 17 tokens, expected at most 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_start_is_read_once),
        cmocka_unit_test(test_answers_are_kept_too),
        cmocka_unit_test(test_no_reuse),
        cmocka_unit_test(test_same_prompt_under_another_grammar),
        cmocka_unit_test(test_choices_share_the_prompt),
        cmocka_unit_test(test_jobs_that_come_together_share),
        cmocka_unit_test(test_leader_is_cancelled),
        cmocka_unit_test(test_prompt_that_does_not_fit_is_refused),
        cmocka_unit_test(test_idle_sequences_make_room),
        cmocka_unit_test(test_answers_wait_for_room),
        cmocka_unit_test(test_jumps_stay_within_the_context),
        cmocka_unit_test(test_options_are_checked)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
