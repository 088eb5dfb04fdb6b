/* scheduler_test.c: answers in a batch: each is what it is alone, token for
 * token, whatever else is in the batch; who gets a row, and when.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

#include "text/json.h"

/* ---- who reads the answers without the grammar ---- */

static bool is_number_in(const Json *json, JsonId id, double lo, double hi)
{
    if (json_kind(json, id) != JSON_NUMBER) return false;
    JsonNode node = json->nodes.at[id];
    char copy[32] = {0};
    if (node.end - node.begin >= sizeof copy) return false;
    memcpy(copy, json->text.at + node.begin, node.end - node.begin);
    double n = strtod(copy, NULL);
    return n >= lo && n <= hi && !strchr(copy, '.') && !strchr(copy, 'e');
}

static bool is_person(const Json *json)
{
    JsonId ok = json_get(json, JSON_ROOT, "ok");
    JsonKind kind = json_kind(json, ok);
    return json_kind(json, JSON_ROOT) == JSON_OBJECT &&
           is_number_in(json, json_get(json, JSON_ROOT, "age"), 0, 150) &&
           (kind == JSON_TRUE || kind == JSON_FALSE);
}

static bool is_numbers(const Json *json)
{
    uint32_t n = 0;
    if (json_kind(json, JSON_ROOT) != JSON_ARRAY) return false;
    for (JsonIter it = json_iter(json, JSON_ROOT); json_step(&it); n++)
        if (!is_number_in(json, it.value, -9, 9)) return false;
    return n >= 3 && n <= 8;
}

static bool is_colour(const char *text)
{
    static const char *const all[] = {"\"red\"", "\"green\"", "\"blue\"",
                                      "\"redder\""};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!strcmp(text, all[i])) return true;
    return false;
}

static bool is_plate(const char *text)
{
    size_t letters = strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *rest = text + 1 + letters;
    return *text == '"' && letters >= 3 && letters <= 12 && *rest == '-' &&
           strspn(rest + 1, "0123456789") == 2 && !strcmp(rest + 3, "\"");
}

/* Whether the text is valid for one of kit_schemas, told without weir's
 * grammars. */
static bool is_valid(int schema, const char *text)
{
    Mem mem = mem_from_env(NULL);
    weir_error err = {.status = WEIR_OK};
    Json json;
    if (!json_parse(&json, &mem, span_text(text), NULL, &err)) return false;
    bool valid = schema == 0   ? is_person(&json)
                 : schema == 1 ? is_numbers(&json)
                 : schema == 2 ? is_colour(text)
                               : is_plate(text);
    json_free(&json);
    return valid;
}

static void test_readers_know_bad_from_good(void **state)
{
    (void)state;
    assert_true(is_valid(0, "{\"age\":150,\"ok\":true}"));
    assert_false(is_valid(0, "{\"age\":151,\"ok\":true}"));
    assert_false(is_valid(0, "{\"age\":15,\"ok\":"));
    assert_true(is_valid(1, "[1,-9,0]"));
    assert_false(is_valid(1, "[1,-9]"));
    assert_true(is_valid(2, "\"redder\""));
    assert_false(is_valid(2, "\"red"));
    assert_true(is_valid(3, "\"ABC-01\""));
    assert_false(is_valid(3, "\"AB-01\""));
}

/* ---- the batch gates ---- */

static Ask schema_ask(uint32_t seed, int schema)
{
    Ask ask = kit_ask(seed, 5 + seed % 23);
    ask.grammar = group.schemas[schema];
    return ask;
}

static void test_four_schemas_in_one_batch(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *sinks[16];
    static Answer expected;
    for (uint32_t i = 0; i < 16; i++) {
        Ask ask = schema_ask(i, (int)i % 4);
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    for (uint32_t i = 0; i < 16; i++) {
        Ask ask = schema_ask(i, (int)i % 4);
        sink_wait(sinks[i]);
        Answer *a = &sinks[i]->answers[0];
        assert_int_equal(a->finish, WEIR_FINISH_END);
        assert_true(a->completed);
        assert_true(is_valid((int)i % 4, a->text));
        kit_alone(group.other, &ask, 0, &expected);
        assert_same_answer(a, &expected);
        sink_free(sinks[i]);
    }
    SchedulerStats stats = kit_stats_of(s, 16);
    assert_int_equal(stats.answers, 16);
    assert_int_equal(stats.failed + stats.cancelled, 0);
    scheduler_free(s);
}

/* Free answers are the same bytes with a constrained one beside them and
 * without. */
static void test_mixed_batch_siblings_are_byte_equal(void **state)
{
    (void)state;
    static Answer answers[2][3];
    for (int mixed = 0; mixed < 2; mixed++) {
        Scheduler *s = kit_scheduler(group.engine, NULL);
        Sink *sinks[4];
        for (uint32_t i = 0; i < 4; i++) {
            Ask ask = i < 3 ? kit_ask(i, 9) : schema_ask(i, 0);
            sinks[i] = sink_new();
            if (i < 3 || mixed) kit_submit(s, &ask, sinks[i]);
        }
        for (uint32_t i = 0; i < 3 + (uint32_t)mixed; i++) sink_wait(sinks[i]);
        for (uint32_t i = 0; i < 3; i++)
            answers[mixed][i] = sinks[i]->answers[0];
        if (mixed) assert_true(is_valid(0, sinks[3]->answers[0].text));
        SchedulerStats stats = kit_stats_of(s, 3 + (uint64_t)mixed);
        assert_true(mixed ? stats.masks > 0 : stats.masks == 0);
        for (uint32_t i = 0; i < 4; i++) sink_free(sinks[i]);
        scheduler_free(s);
    }
    for (int i = 0; i < 3; i++)
        assert_same_answer(&answers[1][i], &answers[0][i]);
}

/* Answers of all lengths, more than there are rows: places are taken over all
 * the time. */
static void test_churn_and_joiners(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 3, .workers = 2};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    static Ask asks[40];
    for (uint32_t i = 0; i < 40; i++) {
        asks[i] = i % 5 ? schema_ask(i, (int)i % 4) : kit_ask(i, 1 + i);
        asks[i].max_tokens = 1 + i * 7 % 50;
        asks[i].redraw = i % 3 == 1;
        asks[i].jump = i % 7 == 2;
        asks[i].repeat_penalty = i % 4 ? 0 : 1.3F;
    }
    kit_compare_all(s, group.other, asks, 40);
    scheduler_free(s);
}

/* A joiner while others are at work. */
static void test_joiner_is_itself(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *first = sink_new(), *joined = sink_new();
    Gate *gate = gate_new(first, 10);
    Ask ask = kit_ask(1, 10);
    ask.never_stops = true;
    ask.max_tokens = 200;
    kit_submit(s, &ask, first);
    gate_wait(gate);
    Ask joiner = schema_ask(2, 1);
    kit_submit(s, &joiner, joined);
    gate_go(gate, UINT32_MAX);
    sink_wait(joined);
    sink_wait(first);
    gate_free(gate);
    static Answer expected;
    kit_alone(group.other, &ask, 0, &expected);
    assert_same_answer(&first->answers[0], &expected);
    kit_alone(group.other, &joiner, 0, &expected);
    assert_same_answer(&joined->answers[0], &expected);
    sink_free(first);
    sink_free(joined);
    scheduler_free(s);
}

static void assert_cut_within(const Answer *a, weir_grammar *g, uint32_t most)
{
    char text[64] = {0};
    assert_int_equal(a->finish, WEIR_FINISH_LENGTH);
    assert_false(a->completed);
    assert_int_equal(a->count, most);
    assert_int_equal(weir_vocab_decode(engine_vocab(group.engine), a->tokens,
                                       a->count, false, text, sizeof text),
                     a->text_size);
    assert_string_equal(a->text, text);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_int_equal(weir_matcher_validate(m, a->tokens, most), most);
    weir_matcher_free(m);
}

/* Cut in one batch, each after another number of tokens: the last is one that
 * was drawn, and the text what came so far; a whole answer is beside them. */
static void test_truncation_within_json(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *sinks[8];
    static Answer expected;
    for (uint32_t i = 0; i < 8; i++) {
        Ask ask = schema_ask(i, 0);
        if (i) ask.max_tokens = i;
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    for (uint32_t i = 0; i < 8; i++) {
        Ask ask = schema_ask(i, 0);
        if (i) ask.max_tokens = i;
        sink_wait(sinks[i]);
        kit_alone(group.other, &ask, 0, &expected);
        assert_same_answer(&sinks[i]->answers[0], &expected);
        if (i)
            assert_cut_within(&sinks[i]->answers[0], ask.grammar, i);
        else
            assert_true(is_valid(0, sinks[0]->answers[0].text));
        sink_free(sinks[i]);
    }
    scheduler_free(s);
}

/* What the prompt has of the output ends the grammar: no draw, and no decode
 * of its own; also when all rows are taken. */
static void test_prefill_terminated_row_never_joins(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *busy = sink_new(), *sink = sink_new();
    Gate *gate = gate_new(busy, 1);
    Ask ask = kit_ask(1, 5);
    ask.never_stops = true;
    kit_submit(s, &ask, busy);
    gate_wait(gate);
    Ask over = schema_ask(1, 2);
    over.prefill = "\"green\"";
    kit_submit(s, &over, sink);
    gate_go(gate, 3);
    sink_wait(sink);
    Answer *a = &sink->answers[0];
    assert_int_equal(a->finish, WEIR_FINISH_END);
    assert_true(a->completed && a->started);
    assert_int_equal(a->steps, 0);
    gate_wait(gate);
    assert_false(busy->answers[0].ended);
    over.prefill = "\"purple\"";
    JobRefusal refusal;
    Sink *none = sink_new();
    kit_try(s, &over, none, &refusal);
    assert_int_equal(refusal.kind, JOB_INVALID);
    job_cancel(busy->job);
    gate_go(gate, UINT32_MAX);
    sink_wait(busy);
    gate_free(gate);
    sink_free(busy);
    sink_free(sink);
    sink_free(none);
    scheduler_free(s);
}

/* A grammar of one token ends with the prompt's own logits: one decode. */
static void test_one_token_answer_joins_no_step(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    weir_grammar *g = kit_grammar(group.engine, WEIR_REGEX, "[ab]");
    Ask ask = kit_ask(3, 20);
    ask.grammar = g;
    kit_compare_all(s, group.other, &ask, 1);
    assert_int_equal(kit_stats_of(s, 1).decodes, 1);
    scheduler_free(s);
    weir_grammar_free(g);
}

static void test_prompt_only_draws_nothing(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *sink = sink_new();
    Ask ask = kit_ask(3, 100);
    ask.prompt_only = true;
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    assert_int_equal(sink->answers[0].finish, WEIR_FINISH_LENGTH);
    assert_int_equal(sink->answers[0].steps, 0);
    assert_int_equal(sink->answers[0].counts.prompt, 100);
    sink_free(sink);
    scheduler_free(s);
}

/* Eight matchers advance while four threads fill: none sees another. */
static void test_interleaved_fills(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 8, .workers = 4};
    uint64_t rounds = case_count(6, 1);
    for (uint64_t round = 0; round < rounds; round++) {
        Scheduler *s = kit_scheduler(group.engine, &opts);
        static Ask asks[16];
        for (uint32_t i = 0; i < 16; i++) {
            asks[i] = schema_ask(100 * (uint32_t)round + i, (int)i % 4);
            asks[i].redraw = i % 2;
        }
        kit_compare_all(s, group.other, asks, 16);
        scheduler_free(s);
    }
}

/* Constrained answers alone and in the batch are the same, and the free ones
 * beside them. */
static void test_lane_parity(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        SchedulerOpts opts = {.workers = 1, .grammar_alone = alone};
        Scheduler *s = kit_scheduler(group.engine, &opts);
        static Ask asks[12];
        for (uint32_t i = 0; i < 12; i++) {
            asks[i] = i % 3 ? schema_ask(i, (int)i % 4) : kit_ask(i, 12);
            asks[i].alone = i == 6;
        }
        kit_compare_all(s, group.other, asks, 12);
        scheduler_free(s);
    }
}

/* The same seed: the same tokens alone and in a full batch, however it is
 * made: jumps, drafts, long and short prompts, all at once. */
static void test_seeds_alone_and_in_a_full_batch(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 8, .workers = 2, .speculate = 8};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    static Ask asks[32];
    for (uint32_t i = 0; i < 32; i++) {
        asks[i] = schema_ask(i, (int)i % 4);
        if (i % 4 == 3) asks[i] = kit_ask(i, 1 + i * 7 % 200);
        asks[i].jump = i % 2;
        asks[i].repeat_penalty = i % 3 ? 0 : 1.2F;
        asks[i].top_logprobs = i % 5 ? 0 : 3;
    }
    kit_compare_all(s, group.other, asks, 32);
    scheduler_free(s);
}

/* Where the mask is drawn for only when a draw fails, none is made before. */
static void test_redraws_make_no_mask_beforehand(void **state)
{
    (void)state;
    SchedulerOpts opts = {.workers = 1, .slow_mask = UINT32_MAX};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Ask asks[8];
    for (uint32_t i = 0; i < 8; i++) {
        asks[i] = schema_ask(i, (int)i % 4);
        asks[i].redraw = true;
    }
    kit_compare_all(s, group.other, asks, 8);
    assert_int_equal(kit_stats_of(s, 8).masks, 0);
    scheduler_free(s);
}

static void test_forced_text_is_taken_at_once(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    for (int jump = 0; jump < 2; jump++) {
        Sink *sink = sink_new();
        Ask ask = schema_ask(4, 0);
        ask.jump = jump;
        kit_submit(s, &ask, sink);
        sink_wait(sink);
        Answer *a = &sink->answers[0];
        assert_true(is_valid(0, a->text));
        assert_true(jump ? a->counts.forced > 5 : a->counts.forced == 0);
        assert_int_equal(a->count - a->counts.forced, a->steps);
        sink_free(sink);
    }
    scheduler_free(s);
}

/* ---- turns ---- */

/* An answer that goes on gets a token in each decode, however long the prompts
 * beside it; and prompts are read on. */
static void test_prompts_in_chunks_stop_nobody(void **state)
{
    (void)state;
    SchedulerOpts opts = {.workers = 1, .chunk = 10};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Sink *writer = sink_new(), *reader = sink_new();
    Gate *gate = gate_new(writer, 1);
    Ask ask = kit_ask(1, 5);
    ask.never_stops = true;
    ask.max_tokens = 212;
    kit_submit(s, &ask, writer);
    gate_wait(gate);
    Ask slow = kit_ask(2, 200);
    slow.max_tokens = 20;
    slow.never_stops = true;
    kit_submit(s, &slow, reader);
    gate_go(gate, UINT32_MAX);
    sink_wait(reader);
    /* 200 tokens by tens are 20 decodes, then 19 for all but the first token
     * of the answer; the writer wrote in each of them. */
    sink_wait(writer);
    gate_free(gate);
    assert_int_equal(kit_stats_of(s, 2).decodes, ask.max_tokens);
    assert_int_equal(reader->answers[0].steps, 20);
    sink_free(writer);
    sink_free(reader);
    scheduler_free(s);
}

typedef struct Order {
    const Sink *begun[16];
    uint32_t choice[16], count;
} Order;

static void note_begun(void *user, Sink *sink, const JobEvent *event)
{
    Order *order = user;
    if (event->kind != JOB_STARTED) return;
    order->begun[order->count] = sink;
    order->choice[order->count++] = event->choice;
}

/* A job of many answers does not hold up those who come after it. */
static void test_many_answers_give_way(void **state)
{
    (void)state;
    SchedulerOpts opts = {.rows = 1, .workers = 1};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Order order = {.count = 0};
    Sink *sinks[3];
    for (uint32_t i = 0; i < 3; i++) {
        sinks[i] = sink_new();
        sinks[i]->on_event = note_begun;
        sinks[i]->user = &order;
    }
    Gate *gate = gate_new(sinks[0], 1);
    Ask ask = kit_ask(1, 5);
    ask.never_stops = true;
    kit_submit(s, &ask, sinks[0]);
    gate_wait(gate);
    ask.max_tokens = 2;
    ask.choices = 5;
    kit_submit(s, &ask, sinks[1]);
    ask.choices = 1;
    kit_submit(s, &ask, sinks[2]);
    gate_go(gate, UINT32_MAX);
    for (int i = 0; i < 3; i++) sink_wait(sinks[i]);
    gate_free(gate);
    assert_int_equal(order.count, 6);
    assert_ptr_equal(order.begun[0], sinks[1]);
    assert_ptr_equal(order.begun[1], sinks[2]);
    for (uint32_t i = 2; i < 6; i++) {
        assert_ptr_equal(order.begun[i], sinks[1]);
        assert_int_equal(order.choice[i], i - 1);
    }
    for (int i = 0; i < 3; i++) sink_free(sinks[i]);
    scheduler_free(s);
}

/* A short prompt that comes later is read earlier, and the long one on. */
static void test_short_prompts_pass_long_ones(void **state)
{
    (void)state;
    SchedulerOpts opts = {.workers = 1, .chunk = 8};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    Order order = {.count = 0};
    Sink *writer = sink_new(), *slow = sink_new(), *quick = sink_new();
    Gate *gate = gate_new(writer, 1);
    Ask ask = kit_ask(1, 5);
    ask.never_stops = true;
    ask.max_tokens = 200;
    kit_submit(s, &ask, writer);
    gate_wait(gate);
    slow->on_event = quick->on_event = note_begun;
    slow->user = quick->user = &order;
    Ask long_ask = kit_ask(2, 200), short_ask = kit_ask(3, 12);
    kit_submit(s, &long_ask, slow);
    kit_submit(s, &short_ask, quick);
    /* A quarter of eight for the older one, so twelve are read after two
     * decodes; the writer is told first. */
    gate_go(gate, 4);
    gate_wait(gate);
    assert_int_equal(quick->answers[0].started, true);
    assert_int_equal(slow->answers[0].started, false);
    gate_go(gate, UINT32_MAX);
    sink_wait(quick);
    sink_wait(slow);
    sink_wait(writer);
    assert_int_equal(order.count, 2);
    assert_ptr_equal(order.begun[0], quick);
    gate_free(gate);
    sink_free(writer);
    sink_free(slow);
    sink_free(quick);
    scheduler_free(s);
}

/* ---- log probabilities ---- */

static void test_logprobs_come_with_the_tokens(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Sink *sink = sink_new();
    Ask ask = schema_ask(9, 1);
    ask.top_logprobs = 5;
    static Answer expected;
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    kit_alone(group.other, &ask, 0, &expected);
    assert_same_answer(&sink->answers[0], &expected);
    assert_memory_equal(sink->answers[0].logprobs, expected.logprobs,
                        expected.count * sizeof *expected.logprobs);
    sink_free(sink);
    scheduler_free(s);
}

/* ---- what was allowed ---- */

typedef struct Allowed {
    uint32_t counts[16], count;
} Allowed;

static void note_allowed(void *user, Sink *sink, const JobEvent *event)
{
    Allowed *a = user;
    (void)sink;
    if (event->kind != JOB_STEP) return;
    KIT_CHECK(a->count < 16);
    a->counts[a->count++] = event->allowed;
}

static void submit_counted(Scheduler *s, const Ask *ask, Sink *sink)
{
    weir_sampler_opts so = kit_sampler_opts(ask);
    weir_decode_opts po = kit_decode_opts(ask);
    JobRefusal refusal;
    JobOpts o = {.prompt = ask->prompt,
                 .prompt_count = ask->prompt_count,
                 .grammar = ask->grammar,
                 .sampler = &so,
                 .decode = &po,
                 .count_allowed = true,
                 .notify = sink_event,
                 .user = sink};
    sink->job = scheduler_submit(s, &o, &refusal);
    assert_non_null(sink->job);
}

/* The kit's tokens are bytes, but for a few. */
static void test_allowed_tokens_are_counted(void **state)
{
    const uint32_t expected[] = {1, 3, 10, 1};
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Ask ask = kit_ask(3, 9);
    weir_grammar *g = kit_grammar(group.engine, WEIR_REGEX, "a[b-d][0-9]x");
    (void)state;
    ask.max_tokens = 8;
    for (int is_free = 0; is_free < 2; is_free++) {
        Allowed told = {.count = 0};
        Sink *sink = sink_new();
        ask.grammar = is_free ? NULL : g;
        sink->on_event = note_allowed;
        sink->user = &told;
        submit_counted(s, &ask, sink);
        sink_wait(sink);
        for (uint32_t i = 0; i < told.count; i++)
            assert_int_equal(told.counts[i],
                             is_free ? UINT32_MAX : expected[i]);
        assert_true(told.count >= (is_free ? 1 : 4));
        sink_free(sink);
    }
    weir_grammar_free(g);
    scheduler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_know_bad_from_good),
        cmocka_unit_test(test_four_schemas_in_one_batch),
        cmocka_unit_test(test_mixed_batch_siblings_are_byte_equal),
        cmocka_unit_test(test_churn_and_joiners),
        cmocka_unit_test(test_joiner_is_itself),
        cmocka_unit_test(test_truncation_within_json),
        cmocka_unit_test(test_prefill_terminated_row_never_joins),
        cmocka_unit_test(test_one_token_answer_joins_no_step),
        cmocka_unit_test(test_prompt_only_draws_nothing),
        cmocka_unit_test(test_interleaved_fills),
        cmocka_unit_test(test_lane_parity),
        cmocka_unit_test(test_seeds_alone_and_in_a_full_batch),
        cmocka_unit_test(test_redraws_make_no_mask_beforehand),
        cmocka_unit_test(test_forced_text_is_taken_at_once),
        cmocka_unit_test(test_prompts_in_chunks_stop_nobody),
        cmocka_unit_test(test_many_answers_give_way),
        cmocka_unit_test(test_short_prompts_pass_long_ones),
        cmocka_unit_test(test_logprobs_come_with_the_tokens),
        cmocka_unit_test(test_allowed_tokens_are_counted)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
