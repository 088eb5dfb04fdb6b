/* scheduler_kit.h: requests, what comes of them through a scheduler, and what
 * comes of them alone, in the plain loop of docs/sampling.md on an engine of
 * its own.
 */
#ifndef WEIR_TESTS_SCHEDULER_KIT_H
#define WEIR_TESTS_SCHEDULER_KIT_H

#include "engine/engine_kit.h"

#include <pthread.h>
#include <time.h>

#include "base/port.h"
#include "oracle/rng.h"
#include "server/scheduler.h"

enum { ANSWER_MOST = 512, CHOICES_MOST = 8, PROMPT_MOST = 600 };

/* A request. */
typedef struct Ask {
    uint32_t prompt[PROMPT_MOST];
    size_t prompt_count;
    weir_grammar *grammar; /* borrowed; NULL: free text */
    uint32_t seed, max_tokens;
    bool jump, redraw, alone, prompt_only, never_stops;
    const char *prefill;
    uint32_t choices;
    uint32_t top_logprobs;
    float repeat_penalty;
} Ask;

typedef struct Answer {
    uint32_t tokens[ANSWER_MOST], count;
    char text[4 * ANSWER_MOST];
    size_t text_size;
    float logprobs[ANSWER_MOST];
    weir_finish finish;
    bool completed, started, ended, cancelled;
    uint32_t steps;
    weir_status error;
    JobCounts counts;
} Answer;

/* Where the events of a job go. */
typedef struct Sink {
    pthread_mutex_t lock;
    pthread_cond_t came;
    Answer answers[CHOICES_MOST];
    bool is_last;
    /* NULL, or called for each event on the scheduler's thread, with the lock
     * held. */
    void (*on_event)(void *user, struct Sink *sink, const JobEvent *event);
    void *user;
    Job *job;
} Sink;

/* ---- engines ---- */

static RandomModel kit_model;

/* An engine with the kit's model, of random weights and a width of 261. */
static inline Engine *kit_builtin(uint32_t sequences, uint32_t context,
                                  uint32_t batch)
{
    EngineOpts opts = {.kind = "builtin",
                       .threads = 1,
                       .sequences = sequences,
                       .context = context,
                       .batch = batch};
    return kit_engine(&kit_model, &opts);
}

static inline weir_bytes kit_bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static inline weir_grammar *kit_grammar(const Engine *e, weir_source_kind kind,
                                        const char *source)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .space = {.kind = WEIR_SPACE_COMPACT}};
    weir_grammar *g = weir_grammar_compile(engine_vocab(e), kind,
                                           kit_bytes(source), &opts, &err);
    if (!g) fail_msg("%s", err.message);
    return g;
}

/* ---- requests ---- */

/* A prompt of random tokens, another for each seed. */
static inline Ask kit_ask(uint32_t seed, size_t count)
{
    Ask ask = {.prompt_count = count, .seed = seed, .max_tokens = 60};
    Rng rng = {seed * 77u + 5};
    for (size_t i = 0; i < count; i++) ask.prompt[i] = rng_below(&rng, 256);
    return ask;
}

static inline weir_sampler_opts kit_sampler_opts(const Ask *ask)
{
    weir_sampler_opts o;
    weir_sampler_defaults(&o);
    o.seed = ask->seed;
    o.redraw = ask->redraw;
    if (ask->repeat_penalty > 0) o.repeat_penalty = ask->repeat_penalty;
    return o;
}

static inline weir_decode_opts kit_decode_opts(const Ask *ask)
{
    return (weir_decode_opts){
        .size = sizeof(weir_decode_opts),
        .max_tokens = ask->max_tokens,
        .jump_forward = ask->jump,
        .ignore_stop_tokens = ask->never_stops,
        .logprobs =
            ask->top_logprobs ? WEIR_LOGPROBS_AFTER_MASK : WEIR_LOGPROBS_NONE,
        .top_logprobs = ask->top_logprobs,
    };
}

/* Also on threads that are not the test's, where cmocka's do not work. */
static inline void kit_check(bool is_true, const char *what)
{
    if (is_true) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}
#define KIT_CHECK(claim) kit_check((claim), #claim)

static inline void answer_add(Answer *a, const weir_decoded *step)
{
    KIT_CHECK(a->count + step->token_count <= ANSWER_MOST);
    KIT_CHECK(a->text_size + step->text.size < sizeof a->text);
    for (size_t i = 0; i < step->token_count; i++) {
        if (step->logprobs) a->logprobs[a->count] = step->logprobs[i].after;
        a->tokens[a->count++] = step->tokens[i];
    }
    if (step->text.size)
        memcpy(a->text + a->text_size, step->text.data, step->text.size);
    a->text_size += step->text.size;
    a->steps++;
}

/* ---- alone ---- */

/* What a request gives alone, on an engine that nobody else uses. The i-th
 * choice is drawn with seed + i. */
static inline void kit_alone(Engine *e, const Ask *ask, uint32_t choice,
                             Answer *a)
{
    weir_sampler_opts so = kit_sampler_opts(ask);
    weir_decode_opts po = kit_decode_opts(ask);
    so.seed += choice;
    weir_matcher *m =
        ask->grammar ? weir_matcher_new(ask->grammar, NULL, NULL) : NULL;
    if (ask->prefill)
        assert_int_equal(
            weir_matcher_accept_bytes(m, kit_bytes(ask->prefill), NULL),
            WEIR_ACCEPTED);
    weir_vocab *v =
        ask->grammar ? weir_grammar_vocab(ask->grammar) : engine_vocab(e);
    weir_sampler *s = weir_sampler_new(NULL, v, &so, NULL);
    weir_decoder *d = weir_decoder_new(v, s, m, &po, NULL);
    assert_non_null(d);
    assert_true(weir_decoder_prompt(d, ask->prompt, ask->prompt_count));
    memset(a, 0, sizeof *a);
    engine_remove(e, 0, 0, NULL);
    weir_decoded out = {.tokens = ask->prompt,
                        .token_count = ask->prompt_count};
    uint32_t batch = engine_info(e)->batch;
    while (!out.finish) {
        for (size_t i = 0; i < out.token_count;) {
            uint32_t n = (uint32_t)MIN(out.token_count - i, batch);
            bool is_last = i + n == out.token_count;
            EngineRow row = {0, engine_length(e, 0), out.tokens + i, n,
                             is_last};
            weir_error err;
            if (engine_decode(e, &row, 1, &err)) fail_msg("%s", err.message);
            i += n;
        }
        weir_decoder_step(d, engine_logits(e, 0, 0), engine_info(e)->width,
                          &out);
        answer_add(a, &out);
    }
    a->finish = out.finish;
    a->completed = out.completed;
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* ---- through a scheduler ---- */

static inline void sink_event(void *user, const JobEvent *event)
{
    Sink *sink = user;
    pthread_mutex_lock(&sink->lock);
    KIT_CHECK(event->choice < CHOICES_MOST);
    Answer *a = &sink->answers[event->choice];
    KIT_CHECK(!a->ended && !sink->is_last);
    a->counts = event->counts;
    switch (event->kind) {
    case JOB_STARTED:
        KIT_CHECK(!a->started);
        a->started = true;
        break;
    case JOB_STEP:
        KIT_CHECK(a->started && !a->finish && event->sampler);
        KIT_CHECK(event->step->token_count > 0 || event->step->finish);
        answer_add(a, event->step);
        KIT_CHECK(event->counts.output == a->count);
        a->finish = event->step->finish;
        break;
    case JOB_END:
        if (a->steps && !event->cancelled && !event->error)
            KIT_CHECK(a->finish == event->finish);
        a->ended = true;
        a->finish = event->finish;
        a->completed = event->completed;
        a->cancelled = event->cancelled;
        a->error = event->error ? event->error->status : WEIR_OK;
        sink->is_last = event->is_last;
        break;
    }
    if (sink->on_event) sink->on_event(sink->user, sink, event);
    pthread_cond_broadcast(&sink->came);
    pthread_mutex_unlock(&sink->lock);
}

static inline Sink *sink_new(void)
{
    Sink *sink = calloc(1, sizeof *sink);
    assert_non_null(sink);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_cond_init(&sink->came, NULL);
    return sink;
}

/* Frees the job, too. */
static inline void sink_free(Sink *sink)
{
    if (!sink) return;
    job_free(sink->job);
    pthread_mutex_destroy(&sink->lock);
    pthread_cond_destroy(&sink->came);
    free(sink);
}

static inline void kit_try(Scheduler *s, const Ask *ask, Sink *sink,
                           JobRefusal *refusal)
{
    weir_sampler_opts so = kit_sampler_opts(ask);
    weir_decode_opts po = kit_decode_opts(ask);
    JobOpts o = {.prompt = ask->prompt,
                 .prompt_count = ask->prompt_count,
                 .choices = ask->choices,
                 .grammar = ask->grammar,
                 .sampler = &so,
                 .decode = &po,
                 .prompt_only = ask->prompt_only,
                 .alone = ask->alone,
                 .notify = sink_event,
                 .user = sink};
    if (ask->prefill) o.prefill = kit_bytes(ask->prefill);
    sink->job = scheduler_submit(s, &o, refusal);
}

static inline void kit_submit(Scheduler *s, const Ask *ask, Sink *sink)
{
    JobRefusal refusal;
    kit_try(s, ask, sink, &refusal);
    if (!sink->job) fail_msg("%s", refusal.error.message);
    assert_int_equal(refusal.kind, JOB_TAKEN);
}

/* Holds the scheduler's thread at a step of an answer, so that a test knows
 * where it is. */
typedef struct Gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t at; /* steps after which it holds */
    bool holds;
} Gate;

static inline void gate_event(void *user, Sink *sink, const JobEvent *event)
{
    Gate *gate = user;
    pthread_mutex_lock(&gate->lock);
    while (event->kind == JOB_STEP && sink->answers[0].steps >= gate->at) {
        gate->holds = true;
        pthread_cond_broadcast(&gate->moved);
        pthread_cond_wait(&gate->moved, &gate->lock);
    }
    gate->holds = false;
    pthread_mutex_unlock(&gate->lock);
}

/* Before the submit. */
static inline Gate *gate_new(Sink *sink, uint32_t at)
{
    Gate *gate = calloc(1, sizeof *gate);
    assert_non_null(gate);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->moved, NULL);
    gate->at = at;
    sink->on_event = gate_event;
    sink->user = gate;
    return gate;
}

static inline void gate_wait(Gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->holds) pthread_cond_wait(&gate->moved, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

/* Lets it go, until after so many steps. */
static inline void gate_go(Gate *gate, uint32_t at)
{
    pthread_mutex_lock(&gate->lock);
    gate->at = at;
    gate->holds = false;
    pthread_cond_broadcast(&gate->moved);
    pthread_mutex_unlock(&gate->lock);
}

/* After the last event. */
static inline void gate_free(Gate *gate)
{
    pthread_mutex_destroy(&gate->lock);
    pthread_cond_destroy(&gate->moved);
    free(gate);
}

/* Waits until so many steps have come, or all has ended. */
static inline void sink_wait_steps(Sink *sink, uint32_t steps)
{
    pthread_mutex_lock(&sink->lock);
    while (!sink->is_last && sink->answers[0].steps < steps)
        pthread_cond_wait(&sink->came, &sink->lock);
    pthread_mutex_unlock(&sink->lock);
}

static inline void sink_wait(Sink *sink)
{
    sink_wait_steps(sink, UINT32_MAX);
}

static inline Scheduler *kit_scheduler(Engine *e, const SchedulerOpts *given)
{
    SchedulerOpts opts = {.workers = 2};
    weir_error err;
    if (given) opts = *given;
    opts.engine = e;
    Scheduler *s = scheduler_new(&opts, &err);
    if (!s) fail_msg("%s", err.message);
    return s;
}

static inline SchedulerStats kit_stats(Scheduler *s)
{
    SchedulerStats stats;
    scheduler_stats(s, &stats);
    return stats;
}

/* The counts as soon as so many answers have ended. */
static inline SchedulerStats kit_stats_of(Scheduler *s, uint64_t answers)
{
    for (;;) {
        SchedulerStats stats = kit_stats(s);
        if (stats.answers >= answers) return stats;
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
}

/* ---- comparing ---- */

static inline void assert_same_answer(const Answer *found,
                                      const Answer *expected)
{
    assert_true(found->started && found->ended);
    assert_false(found->cancelled);
    assert_int_equal(found->error, WEIR_OK);
    assert_int_equal(found->count, expected->count);
    assert_memory_equal(found->tokens, expected->tokens,
                        expected->count * sizeof *expected->tokens);
    assert_int_equal(found->text_size, expected->text_size);
    assert_memory_equal(found->text, expected->text, expected->text_size);
    assert_int_equal(found->finish, expected->finish);
    assert_int_equal(found->completed, expected->completed);
}

/* All requests at once, each against the same alone; `e` is an engine for
 * that. */
static inline void kit_compare_all(Scheduler *s, Engine *e, const Ask *asks,
                                   size_t count)
{
    Sink *sinks[64];
    static Answer expected;
    assert_true(count <= COUNT_OF(sinks));
    for (size_t i = 0; i < count; i++)
        kit_submit(s, &asks[i], sinks[i] = sink_new());
    for (size_t i = 0; i < count; i++) sink_wait(sinks[i]);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < MAX(asks[i].choices, 1); k++) {
            kit_alone(e, &asks[i], k, &expected);
            assert_same_answer(&sinks[i]->answers[k], &expected);
        }
        sink_free(sinks[i]);
    }
}

/* Every grammar and engine of a test is the group's. */
typedef struct Group {
    Engine *engine, *other;
    weir_grammar *schemas[4];
} Group;
static Group group;

static const char *const kit_schemas[4] = {
    ("{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\","
     "\"minimum\":0,\"maximum\":150},\"ok\":{\"type\":\"boolean\"}},"
     "\"required\":[\"age\",\"ok\"],\"additionalProperties\":false}"),
    ("{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":-9,"
     "\"maximum\":9},\"minItems\":3,\"maxItems\":8}"),
    "{\"enum\":[\"red\",\"green\",\"blue\",\"redder\"]}",
    "{\"type\":\"string\",\"pattern\":\"^[A-Z]{3,12}-[0-9]{2}$\"}"};

/* Grammars of the first engine are of its vocabulary; the other engine has the
 * same tokens, and takes them in the plain loop. */
static inline int kit_set_up(void **state)
{
    (void)state;
    kit_model = random_model_small(21);
    kit_model.context = 2048;
    kit_model.layers = 1;
    group.engine = kit_builtin(8, 2048, 64);
    group.other = kit_builtin(1, 1024, 64);
    for (int i = 0; i < 4; i++)
        group.schemas[i] =
            kit_grammar(group.engine, WEIR_JSON_SCHEMA, kit_schemas[i]);
    return 0;
}

static inline int kit_tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) weir_grammar_free(group.schemas[i]);
    engine_free(group.engine);
    engine_free(group.other);
    return 0;
}

#endif
