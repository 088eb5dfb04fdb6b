/* scheduler_slow_test.c: masks that are slow, beside an engine that takes no
 * time: rows wait for their own masks alone, and are what they are alone. And
 * masks are made while the engine computes.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

#include "engine/engine_kind.h"

/* Logits are made of the token and its position, whatever came before. */
enum { WIDTH = MODEL_TOKENS, WANTED = 64 };
typedef struct Quick {
    float logits[WANTED][WIDTH];
} Quick;

static void *quick_load(const Mem *mem, const EngineOpts *opts,
                        EngineInfo *info, weir_error *err)
{
    (void)err;
    info->width = WIDTH;
    info->context = opts->context;
    info->batch = opts->batch;
    info->sequences = opts->sequences;
    return mem_zero(mem, sizeof(Quick));
}

static void quick_free(void *self)
{
    free(self);
}

/* Whoever makes a mask and the engine wait for each other. */
typedef struct Meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    pthread_t engine; /* the thread that decodes, from its first time on */
    bool is_awaited, has_begun, is_made, has_met;
} Meeting;
static Meeting meeting = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .came = PTHREAD_COND_INITIALIZER};

/* With the lock held; gives up after so many milliseconds. */
static void meeting_wait(const bool *is_so, int ms)
{
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec / 1000000 + ms) / 1000;
    until.tv_nsec = (until.tv_nsec + ms * 1000000L) % 1000000000;
    while (!*is_so && !late)
        late = pthread_cond_timedwait(&meeting.came, &meeting.lock, &until);
}

/* Memory of the vocabulary's account, of which masks take some now and then:
 * who does so on another thread than the engine's waits for a decode. */
static void *allocate_met(void *user, size_t nbytes)
{
    (void)user;
    pthread_mutex_lock(&meeting.lock);
    if (meeting.has_begun && !meeting.is_made &&
        !pthread_equal(pthread_self(), meeting.engine)) {
        meeting.is_made = true;
        pthread_cond_broadcast(&meeting.came);
        meeting_wait(&meeting.has_met, 30000);
    }
    pthread_mutex_unlock(&meeting.lock);
    return malloc(nbytes);
}

static void *resize_met(void *user, void *p, size_t old, size_t nbytes)
{
    void *q = allocate_met(user, nbytes);
    if (q && p) memcpy(q, p, MIN(old, nbytes));
    if (q) free(p);
    return q;
}

static void release_met(void *user, void *p, size_t nbytes)
{
    (void)user, (void)nbytes;
    free(p);
}

static void engine_meets(void)
{
    pthread_mutex_lock(&meeting.lock);
    if (meeting.is_awaited && !meeting.has_met) {
        meeting.engine = pthread_self();
        meeting.has_begun = true;
        meeting_wait(&meeting.is_made, 5);
        meeting.has_met = meeting.is_made;
        pthread_cond_broadcast(&meeting.came);
    }
    pthread_mutex_unlock(&meeting.lock);
}

static weir_status quick_decode(void *self, const EngineRow *rows, size_t count,
                                weir_error *err)
{
    Quick *q = self;
    size_t n = 0;
    (void)err;
    engine_meets();
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = rows[i].count - rows[i].logits; k < rows[i].count;
             k++) {
            KIT_CHECK(n < WANTED);
            Rng rng = {rows[i].tokens[k] * 5000u + rows[i].position + k};
            for (int j = 0; j < WIDTH; j++)
                q->logits[n][j] = (float)rng_below(&rng, 1000) / 200;
            n++;
        }
    return WEIR_OK;
}

static const float *quick_logits(const void *self, uint32_t index)
{
    const Quick *q = self;
    return q->logits[index];
}

static bool quick_copy(void *self, uint32_t from, uint32_t to)
{
    (void)self, (void)from, (void)to;
    return true;
}

static bool quick_remove(void *self, uint32_t sequence, uint32_t keep)
{
    (void)self, (void)sequence, (void)keep;
    return true;
}

static const EngineKind quick_kind = {.name = "quick",
                                      .load = quick_load,
                                      .free = quick_free,
                                      .decode = quick_decode,
                                      .logits = quick_logits,
                                      .copy = quick_copy,
                                      .remove = quick_remove};

static Engine *open_quick_in(const weir_env *env, uint32_t sequences)
{
    char *path = kit_path("quick");
    assert_true(random_model_write(&kit_model, path));
    EngineOpts opts = {.env = env,
                       .model = path,
                       .sequences = sequences,
                       .context = 4096,
                       .batch = 64};
    weir_error err;
    Engine *e = engine_load_kind(&quick_kind, &opts, &err);
    remove(path);
    if (!e) fail_msg("%s", err.message);
    return e;
}

static Engine *open_quick(uint32_t sequences)
{
    return open_quick_in(NULL, sequences);
}

/* A mask that is made within a decode, on another thread than the engine's;
 * the answer is what it is alone. */
static void test_masks_are_made_while_the_engine_computes(void **state)
{
    (void)state;
    const weir_env env = {sizeof env, allocate_met, resize_met, release_met,
                          NULL};
    Engine *e = open_quick_in(&env, 2), *other = open_quick(1);
    weir_grammar *g = kit_grammar(e, WEIR_REGEX, "([a-z]{3} [0-9-]){40}");
    SchedulerOpts opts = {.workers = 1};
    Scheduler *s = kit_scheduler(e, &opts);
    Ask ask = kit_ask(3, 20);
    Sink *sink = sink_new();
    static Answer expected;
    ask.grammar = g;
    ask.max_tokens = 200;
    meeting.is_awaited = true;
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    scheduler_free(s);
    assert_true(meeting.has_met);
    meeting.is_awaited = false;
    kit_alone(other, &ask, 0, &expected);
    assert_same_answer(&sink->answers[0], &expected);
    sink_free(sink);
    weir_grammar_free(g);
    engine_free(e);
    engine_free(other);
}

/* Every mask makes its row slow: so nearly all draws are late ones. Returns how
 * many were. */
static uint64_t slow_run(Engine *e, Engine *other,
                         weir_grammar *const grammars[4], uint32_t way)
{
    SchedulerOpts opts = {.rows = 8,
                          .workers = 1 + way,
                          .slow_mask = 1,
                          .speculate = way % 2 ? 4 : 0};
    Scheduler *s = kit_scheduler(e, &opts);
    static Ask asks[24];
    for (uint32_t i = 0; i < 24; i++) {
        asks[i] = kit_ask(i, 3 + i * 11 % 90);
        asks[i].grammar = i % 5 ? grammars[i % 4] : NULL;
        asks[i].jump = i % 3 == 1;
        asks[i].alone = i == 7;
        asks[i].redraw = i % 4 == 3;
    }
    kit_compare_all(s, other, asks, 24);
    SchedulerStats stats = kit_stats_of(s, 24);
    assert_true(stats.late_masks <= stats.masks);
    scheduler_free(s);
    return stats.late_masks;
}

/* How often the draw is there before its mask is up to the system, and on a
 * busy machine it may never be: so there are some more runs then. */
static void test_slow_masks_hold_up_nobody(void **state)
{
    (void)state;
    Engine *e = open_quick(8), *other = open_quick(1);
    weir_grammar *grammars[4];
    for (int i = 0; i < 4; i++)
        grammars[i] = kit_grammar(e, WEIR_JSON_SCHEMA, kit_schemas[i]);
    for (uint32_t way = 0; way < 4; way++) {
        uint64_t late = 0;
        for (int run = 0; run < 100 && !late; run++)
            late = slow_run(e, other, grammars, way);
        assert_true(late > 0);
    }
    for (int i = 0; i < 4; i++) weir_grammar_free(grammars[i]);
    engine_free(e);
    engine_free(other);
}

/* Answers that wait for their masks are cancelled, too. */
static void test_late_answers_are_cancelled(void **state)
{
    (void)state;
    Engine *e = open_quick(4);
    weir_grammar *g = kit_grammar(e, WEIR_REGEX, "([a-z]{3} ){60}");
    uint64_t rounds = case_count(20, 5);
    for (uint64_t round = 0; round < rounds; round++) {
        SchedulerOpts opts = {.workers = 1 + round % 2, .slow_mask = 1};
        Scheduler *s = kit_scheduler(e, &opts);
        Sink *sinks[6];
        for (uint32_t i = 0; i < 6; i++) {
            Ask ask = kit_ask(i, 5);
            ask.grammar = g;
            ask.max_tokens = 300;
            kit_submit(s, &ask, sinks[i] = sink_new());
        }
        sink_wait_steps(sinks[round % 4], (uint32_t)round * 7);
        for (uint32_t i = 0; i < 5; i++) job_cancel(sinks[i]->job);
        if (round % 3)
            for (uint32_t i = 0; i < 6; i++) sink_wait(sinks[i]);
        scheduler_free(s);
        for (uint32_t i = 0; i < 6; i++) {
            assert_true(sinks[i]->is_last);
            sink_free(sinks[i]);
        }
    }
    weir_grammar_free(g);
    engine_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks_are_made_while_the_engine_computes),
        cmocka_unit_test(test_slow_masks_hold_up_nobody),
        cmocka_unit_test(test_late_answers_are_cancelled)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
