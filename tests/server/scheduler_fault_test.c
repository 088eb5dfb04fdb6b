/* scheduler_fault_test.c: answers that are cancelled, queues that are full,
 * schedulers that end, engines that fail: everybody is told once, nothing
 * stays behind, and others notice nothing.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

#include <stdatomic.h>

#include "engine/engine_kind.h"

/* An answer that goes on until somebody ends it. */
static Ask endless(uint32_t seed)
{
    Ask ask = kit_ask(seed, 6);
    ask.never_stops = true;
    ask.max_tokens = 120;
    return ask;
}

/* ---- cancelling ---- */

static void cancel_at_third(void *user, Sink *sink, const JobEvent *event)
{
    (void)user;
    if (event->kind == JOB_STEP && sink->answers[0].steps == 3)
        job_cancel(sink->job);
}

/* Cancelled at a step: that was the last one, and the next answer has the row
 * at once. */
static void test_cancel_frees_the_row_within_a_step(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 1, .workers = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *first = sink_new(), *second = sink_new();
    Ask ask = endless(1), next = kit_ask(2, 6);
    next.grammar = group.schemas[0];
    first->on_event = cancel_at_third;
    /* The events come on another thread, maybe before the job is known here:
     * a busy row keeps both waiting until it is. */
    Sink *busy = sink_new();
    Gate *gate = gate_new(busy, 1);
    Ask long_one = endless(3);
    kit_submit(s, &long_one, busy);
    gate_wait(gate);
    kit_submit(s, &ask, first);
    kit_submit(s, &next, second);
    job_cancel(busy->job);
    gate_go(gate, UINT32_MAX);
    sink_wait(first);
    gate_free(gate);
    assert_int_equal(busy->answers[0].steps, 1);
    Answer *a = &first->answers[0];
    assert_true(a->cancelled);
    assert_int_equal(a->finish, WEIR_FINISH_NONE);
    assert_int_equal(a->steps, 3);
    sink_wait(second);
    static Answer expected;
    kit_alone(group.other, &next, 0, &expected);
    assert_same_answer(&second->answers[0], &expected);
    assert_int_equal(kit_stats_of(s, 3).running, 0);
    sink_free(busy);
    sink_free(first);
    sink_free(second);
    scheduler_free(s);
}

/* Each at any moment, also while it waits; the others are what they are
 * alone. */
static void test_cancelled_siblings_are_not_noticed(void **state)
{
    (void)state;
    Rng rng = {5};
    uint64_t rounds = case_count(12, 2);
    static Answer expected;
    for (uint64_t round = 0; round < rounds; round++) {
        SchedulerOpts opts = {
            .rows = 3, .workers = 2, .speculate = round % 2 ? 4 : 0};
        Scheduler *s = kit_scheduler(group.engine, &opts);
        Sink *sinks[12];
        Ask asks[12];
        for (uint32_t i = 0; i < 12; i++) {
            asks[i] = kit_ask(i, 1 + rng_below(&rng, 80));
            asks[i].grammar = i % 3 ? group.schemas[i % 4] : NULL;
            if (i % 2) asks[i].choices = 3;
            kit_submit(s, &asks[i], sinks[i] = sink_new());
        }
        for (uint32_t i = 0; i < 12; i += 2) {
            sink_wait_steps(sinks[i + 1], rng_below(&rng, 20));
            job_cancel(sinks[i]->job);
        }
        for (uint32_t i = 0; i < 12; i++) {
            sink_wait(sinks[i]);
            for (uint32_t k = 0; i % 2 && k < 3; k++) {
                kit_alone(group.other, &asks[i], k, &expected);
                assert_same_answer(&sinks[i]->answers[k], &expected);
            }
            sink_free(sinks[i]);
        }
        scheduler_free(s);
    }
}

/* ---- queues ---- */

static void test_full_queue_refuses(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 1, .waiting = 2, .workers = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *sinks[4];
    Gate *gate = NULL;
    JobRefusal refusal;
    for (uint32_t i = 0; i < 4; i++) {
        Ask ask = endless(i);
        sinks[i] = sink_new();
        if (!i) gate = gate_new(sinks[0], 1);
        kit_try(s, &ask, sinks[i], &refusal);
        if (!i) gate_wait(gate);
        assert_int_equal(refusal.kind, i < 3 ? JOB_TAKEN : JOB_FULL);
        assert_true(i < 3 ? sinks[i]->job != NULL : sinks[i]->job == NULL);
    }
    assert_string_equal(refusal.error.message,
                        "found 2 requests that wait, expected less than 2");
    assert_int_equal(kit_stats(s).waiting, 2);
    assert_int_equal(kit_stats(s).refused, 1);
    job_cancel(sinks[1]->job); /* one that waits: its place is free */
    gate_go(gate, 3);
    gate_wait(gate);
    sink_wait(sinks[1]);
    Ask ask = endless(7);
    ask.max_tokens = 1;
    kit_submit(s, &ask, sinks[3]);
    for (uint32_t i = 0; i < 3; i++) job_cancel(sinks[i]->job);
    gate_go(gate, UINT32_MAX);
    for (uint32_t i = 0; i < 4; i++) sink_wait(sinks[i]);
    gate_free(gate);
    assert_int_equal(sinks[3]->answers[0].finish, WEIR_FINISH_LENGTH);
    for (uint32_t i = 0; i < 4; i++) sink_free(sinks[i]);
    scheduler_free(s);
}

static void test_drain_ends_what_there_is(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 2, .workers = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *sinks[6], *late = sink_new();
    for (uint32_t i = 0; i < 6; i++) {
        Ask ask = kit_ask(i, 10);
        ask.grammar = group.schemas[i % 4];
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    assert_true(scheduler_drain(s, UINT32_MAX));
    JobRefusal refusal;
    Ask ask = kit_ask(9, 10);
    kit_try(s, &ask, late, &refusal);
    assert_int_equal(refusal.kind, JOB_STOPPED);
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(sinks[i]->is_last);
        assert_int_equal(sinks[i]->answers[0].finish, WEIR_FINISH_END);
        sink_free(sinks[i]);
    }
    assert_true(scheduler_drain(s, 0));
    sink_free(late);
    scheduler_free(s);
}

/* What does not end in time is cancelled by the end of the scheduler; jobs may
 * be freed after it. */
static void test_end_cancels_the_rest(void **state)
{
    (void)state;
    Engine *e = kit_builtin(2, 2048, 64);
    SchedulerOpts opts = {.rows = 2, .workers = 1};
    Scheduler *s = kit_scheduler(e, &opts);
    Sink *sinks[5];
    for (uint32_t i = 0; i < 5; i++) {
        Ask ask = endless(i);
        ask.choices = i == 4 ? 3 : 1;
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    assert_false(scheduler_drain(s, 1));
    scheduler_free(s);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(sinks[i]->is_last);
        if (i > 1) assert_true(sinks[i]->answers[0].cancelled);
        sink_free(sinks[i]);
    }
    engine_free(e);
}

static void free_at_last(void *user, Sink *sink, const JobEvent *event)
{
    atomic_int *freed = user;
    if (!event->is_last) return;
    job_free(sink->job);
    sink->job = NULL;
    atomic_fetch_add(freed, 1);
}

/* Also within the last event. */
static void test_jobs_may_be_freed_when_told(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 1, .workers = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    atomic_int freed = 0;
    Sink *sinks[4];
    Ask first = endless(1);
    Sink *busy = sink_new();
    Gate *gate = gate_new(busy, 1);
    kit_submit(s, &first, busy);
    gate_wait(gate);
    for (uint32_t i = 0; i < 4; i++) {
        Ask ask = kit_ask(i, 6);
        ask.grammar = group.schemas[i];
        ask.choices = 1 + i;
        sinks[i] = sink_new();
        sinks[i]->on_event = free_at_last;
        sinks[i]->user = &freed;
        kit_submit(s, &ask, sinks[i]);
    }
    job_cancel(busy->job);
    gate_go(gate, UINT32_MAX);
    assert_true(scheduler_drain(s, UINT32_MAX));
    gate_free(gate);
    assert_int_equal(freed, 4);
    for (uint32_t i = 0; i < 4; i++) sink_free(sinks[i]);
    sink_free(busy);
    scheduler_free(s);
}

/* ---- bad jobs ---- */

static void refuses(Scheduler *s, const JobOpts *o, const char *message)
{
    JobRefusal refusal;
    assert_null(scheduler_submit(s, o, &refusal));
    assert_int_equal(refusal.kind, JOB_INVALID);
    assert_string_equal(refusal.error.message, message);
}

static void test_bad_jobs_are_refused(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    weir_grammar *strange = kit_grammar(group.other, WEIR_REGEX, "a");
    static const uint32_t good[] = {1}, wide[] = {1, MODEL_TOKENS};
    weir_sampler_opts hot;
    weir_sampler_defaults(&hot);
    hot.top_p = -1;
    weir_lazy_opts lazy = {.size = sizeof lazy};
    JobOpts o = {.notify = sink_event};
    refuses(s, &o, "found an empty prompt, expected a token or more");
    o.prompt = wide;
    o.prompt_count = 2;
    refuses(s, &o, "found token 261 in the prompt, expected less than 261");
    o.prompt = good;
    o.prompt_count = 1;
    o.grammar = strange;
    refuses(s, &o, "the grammar is for another vocabulary");
    o.grammar = NULL;
    o.lazy = &lazy;
    refuses(s, &o, "a lazy grammar is none");
    o.lazy = NULL;
    o.sampler = &hot;
    JobRefusal refusal;
    assert_null(scheduler_submit(s, &o, &refusal));
    assert_int_equal(refusal.kind, JOB_INVALID);
    assert_non_null(strstr(refusal.error.message, "top_p"));
    scheduler_free(s);
    weir_grammar_free(strange);
}

/* ---- memory ---- */

static atomic_long held;

static void *count_new(void *user, size_t nbytes)
{
    (void)user;
    atomic_fetch_add(&held, (long)nbytes);
    return malloc(nbytes);
}
static void *count_resize(void *user, void *p, size_t old, size_t nbytes)
{
    (void)user;
    atomic_fetch_add(&held, (long)nbytes - (long)old);
    return realloc(p, nbytes);
}
static void count_free(void *user, void *p, size_t nbytes)
{
    (void)user;
    atomic_fetch_sub(&held, (long)nbytes);
    free(p);
}

/* Whatever becomes of jobs, all that they took is given back. */
static void test_nothing_stays_behind(void **state)
{
    (void)state;
    const weir_env env = {sizeof env, count_new, count_resize, count_free,
                          NULL};
    SchedulerOpts opts = {.rows = 2, .env = &env, .speculate = 3};
    held = 0;
    Scheduler *s = kit_scheduler(group.engine, &opts);
    long before = held;
    for (int round = 0; round < 3; round++) {
        Sink *sinks[6];
        for (uint32_t i = 0; i < 6; i++) {
            Ask ask = i % 2 ? endless(i) : kit_ask(i, 20);
            ask.grammar = i % 2 ? NULL : group.schemas[i % 4];
            ask.choices = 1 + i % 3;
            kit_submit(s, &ask, sinks[i] = sink_new());
        }
        for (uint32_t i = 1; i < 6; i += 2) job_cancel(sinks[i]->job);
        for (uint32_t i = 0; i < 6; i++) {
            sink_wait(sinks[i]);
            sink_free(sinks[i]);
        }
    }
    /* What remains are the lists of the engine's tokens, and room in others. */
    assert_true(held - before < 4 * 2048 * 8);
    scheduler_free(s);
    assert_int_equal(held, 0);
}

/* ---- engines that fail ---- */

/* The builtin engine, but it fails when it is told so, and cannot divide
 * sequences when it is told so. */
typedef struct Fault {
    atomic_int after; /* decodes until it fails; -1: never */
    weir_status status;
    bool cannot_divide;
} Fault;
static Fault fault;

static weir_status faulty_decode(void *self, const EngineRow *rows,
                                 size_t count, weir_error *err)
{
    int left = fault.after;
    if (left > 0) fault.after = left - 1;
    if (left) return engine_builtin.decode(self, rows, count, err);
    if (fault.status == WEIR_LIMIT_MEMORY) fault.after = -1;
    diag_fail(err, fault.status, 0, 0, "made to fail");
    return err->status;
}

static bool faulty_remove(void *self, uint32_t sequence, uint32_t keep)
{
    if (keep && fault.cannot_divide) return false;
    return engine_builtin.remove(self, sequence, keep);
}

static Engine *open_faulty_in(const weir_env *env, uint32_t sequences)
{
    EngineKind kind = engine_builtin;
    static EngineKind faulty;
    kind.name = "faulty";
    kind.decode = faulty_decode;
    kind.remove = faulty_remove;
    faulty = kind;
    char *path = kit_path("faulty");
    assert_true(random_model_write(&kit_model, path));
    EngineOpts opts = {.env = env,
                       .model = path,
                       .threads = 1,
                       .sequences = sequences,
                       .context = 2048,
                       .batch = 64};
    weir_error err;
    fault = (Fault){.after = -1};
    Engine *e = engine_load_kind(&faulty, &opts, &err);
    remove(path);
    if (!e) fail_msg("%s", err.message);
    return e;
}

static Engine *open_faulty(uint32_t sequences)
{
    return open_faulty_in(NULL, sequences);
}

/* All that were in the decode are told; the scheduler goes on. */
static void test_failed_engine_is_told(void **state)
{
    (void)state;
    Engine *e = open_faulty(4);
    Scheduler *s = kit_scheduler(e, NULL);
    Sink *sinks[3];
    fault.status = WEIR_UNSUPPORTED;
    fault.after = 12;
    for (uint32_t i = 0; i < 3; i++) {
        Ask ask = endless(i);
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    for (uint32_t i = 0; i < 3; i++) {
        sink_wait(sinks[i]);
        assert_int_equal(sinks[i]->answers[0].finish, WEIR_FINISH_ERROR);
        assert_int_equal(sinks[i]->answers[0].error, WEIR_UNSUPPORTED);
        sink_free(sinks[i]);
    }
    assert_int_equal(kit_stats_of(s, 3).failed, 3);
    fault.after = -1;
    Ask ask = kit_ask(7, 30);
    kit_compare_all(s, group.other, &ask, 1);
    scheduler_free(s);
    engine_free(e);
}

/* Answers that end each in its own way: by the grammar, cut, by the prompt,
 * cancelled at work or while they wait, refused; then all by the engine, or by
 * the scheduler's end. */
static void end_all_ways(Scheduler *s, weir_grammar *g, bool fails)
{
    Sink *sinks[10];
    JobRefusal refusal;
    for (uint32_t i = 0; i < 10; i++) {
        Ask ask = kit_ask(i, 20);
        ask.grammar = g;
        ask.choices = 1 + i % 3;
        ask.jump = i % 2;
        ask.max_tokens = i == 1 ? 2 : 60;
        if (i == 2) ask.prefill = "{\"age\":1,\"ok\":true}";
        if (i == 3) ask.prefill = "no";
        kit_try(s, &ask, sinks[i] = sink_new(), &refusal);
        assert_int_equal(refusal.kind, i == 3 ? JOB_INVALID : JOB_TAKEN);
    }
    sink_wait_steps(sinks[4], 2);
    job_cancel(sinks[4]->job);
    job_cancel(sinks[9]->job);
    if (fails) fault.after = 1;
    for (uint32_t i = 0; i < 10; i++) {
        if (i != 3) sink_wait(sinks[i]);
        sink_free(sinks[i]);
    }
    fault.after = -1;
}

/* Matchers are on the account of the vocabulary, so here all is counted. */
static void test_matchers_are_given_back(void **state)
{
    (void)state;
    const weir_env env = {sizeof env, count_new, count_resize, count_free,
                          NULL};
    held = 0;
    Engine *e = open_faulty_in(&env, 4);
    weir_grammar *g = kit_grammar(e, WEIR_JSON_SCHEMA, kit_schemas[0]);
    fault.status = WEIR_UNSUPPORTED;
    for (int round = 0; round < 4; round++) {
        SchedulerOpts opts = {.rows = 2, .env = &env, .speculate = 2};
        Scheduler *s = kit_scheduler(e, &opts);
        Sink *last = sink_new();
        end_all_ways(s, g, round % 2);
        Ask ask = endless(1);
        ask.grammar = g;
        kit_submit(s, &ask, last);
        scheduler_free(s);
        sink_free(last);
    }
    weir_grammar_free(g);
    engine_free(e);
    assert_int_equal(held, 0);
}

/* Without room the newest answer goes, the others are fed again what is lost,
 * and are what they are alone; with a model that keeps parts and one that does
 * not. */
static void test_full_engine_ends_the_newest(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        Engine *e = open_faulty(3);
        SchedulerOpts opts = {.rows = 3, .workers = 1};
        Scheduler *s = kit_scheduler(e, &opts);
        Sink *sinks[3];
        Gate *gate = NULL;
        static Answer expected;
        fault.status = WEIR_LIMIT_MEMORY;
        fault.cannot_divide = whole;
        Ask asks[3];
        for (uint32_t i = 0; i < 3; i++) {
            asks[i] = endless(i);
            sinks[i] = sink_new();
            if (i == 2) gate = gate_new(sinks[2], 3);
            kit_submit(s, &asks[i], sinks[i]);
        }
        gate_wait(gate);
        fault.after = 5;
        gate_go(gate, UINT32_MAX);
        for (uint32_t i = 0; i < 3; i++) sink_wait(sinks[i]);
        gate_free(gate);
        assert_int_equal(sinks[2]->answers[0].error, WEIR_LIMIT_MEMORY);
        for (uint32_t i = 0; i < 2; i++) {
            kit_alone(group.other, &asks[i], 0, &expected);
            assert_same_answer(&sinks[i]->answers[0], &expected);
        }
        for (uint32_t i = 0; i < 3; i++) sink_free(sinks[i]);
        scheduler_free(s);
        engine_free(e);
    }
}

/* An engine that loses all it had in the midst of constrained answers: they are
 * fed again, matchers stay where they are. */
static void test_recompute_restarts_grammar(void **state)
{
    (void)state;
    Engine *e = open_faulty(4);
    weir_grammar *g = kit_grammar(e, WEIR_REGEX, "([a-z]{3} ){40}");
    SchedulerOpts opts = {.rows = 3, .workers = 1};
    Scheduler *s = kit_scheduler(e, &opts);
    fault.status = WEIR_LIMIT_MEMORY;
    fault.cannot_divide = true;
    static Answer expected;
    Ask asks[3];
    Sink *sinks[3], *before = sink_new();
    Gate *gate = NULL;
    Ask first = kit_ask(9, 20);
    kit_submit(s, &first, before); /* what can be forgotten for room */
    sink_wait(before);
    for (uint32_t i = 0; i < 3; i++) {
        asks[i] = kit_ask(i, 25);
        asks[i].grammar = g;
        asks[i].max_tokens = 400;
        sinks[i] = sink_new();
        if (i == 2) gate = gate_new(sinks[2], 10);
        kit_submit(s, &asks[i], sinks[i]);
    }
    gate_wait(gate);
    fault.after = 5;
    gate_go(gate, UINT32_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        sink_wait(sinks[i]);
        kit_alone(group.other, &asks[i], 0, &expected);
        assert_same_answer(&sinks[i]->answers[0], &expected);
        assert_int_equal(sinks[i]->answers[0].text_size, 160);
    }
    assert_int_equal(fault.after, -1);
    gate_free(gate);
    for (uint32_t i = 0; i < 3; i++) sink_free(sinks[i]);
    sink_free(before);
    scheduler_free(s);
    weir_grammar_free(g);
    engine_free(e);
}

/* Wrong drafts cannot be taken out of some models: all is fed again. */
static void test_drafts_of_a_model_that_cannot_divide(void **state)
{
    (void)state;
    Engine *e = open_faulty(4);
    SchedulerOpts opts = {.rows = 4, .workers = 1, .speculate = 4};
    Scheduler *s = kit_scheduler(e, &opts);
    fault.cannot_divide = true;
    static Ask asks[6];
    for (uint32_t i = 0; i < 6; i++) {
        asks[i] = endless(i);
        asks[i].max_tokens = 100;
        for (uint32_t k = 0; k < 128; k++) asks[i].prompt[k] = k % 64;
        asks[i].prompt_count = 128;
    }
    kit_compare_all(s, group.other, asks, 6);
    scheduler_free(s);
    engine_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel_frees_the_row_within_a_step),
        cmocka_unit_test(test_cancelled_siblings_are_not_noticed),
        cmocka_unit_test(test_full_queue_refuses),
        cmocka_unit_test(test_drain_ends_what_there_is),
        cmocka_unit_test(test_end_cancels_the_rest),
        cmocka_unit_test(test_jobs_may_be_freed_when_told),
        cmocka_unit_test(test_bad_jobs_are_refused),
        cmocka_unit_test(test_nothing_stays_behind),
        cmocka_unit_test(test_failed_engine_is_told),
        cmocka_unit_test(test_matchers_are_given_back),
        cmocka_unit_test(test_full_engine_ends_the_newest),
        cmocka_unit_test(test_recompute_restarts_grammar),
        cmocka_unit_test(test_drafts_of_a_model_that_cannot_divide)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
