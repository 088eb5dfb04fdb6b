/* cases_scheduler_test.c: failures that users of other engines reported
 * (docs/cases.md), as far as batches alone show them. Each test bears the name
 * of its case.
 * Labels: threads.
 */
#include "server/scheduler_kit.h"

#include "text/json.h"

static bool is_json(const char *text)
{
    Mem mem = mem_from_env(NULL);
    weir_error err = {.status = WEIR_OK};
    Json json;
    if (!json_parse(&json, &mem, span_text(text), NULL, &err)) return false;
    bool is_object = json_kind(&json, JSON_ROOT) == JSON_OBJECT;
    json_free(&json);
    return is_object;
}

/* vllm, n = 2 and a constraint: both sequences shared one matcher. */
static void test_n_greater_one(void **state)
{
    (void)state;
    static Answer expected;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    weir_grammar *g =
        kit_grammar(group.engine, WEIR_JSON_SCHEMA,
                    "{\"type\":\"object\",\"minProperties\":1,"
                    "\"additionalProperties\":{\"type\":\"string\","
                    "\"maxLength\":8},\"propertyNames\":{\"maxLength\":8},"
                    "\"maxProperties\":2}");
    Ask ask = kit_ask(11, 17);
    ask.grammar = g;
    ask.max_tokens = 200;
    ask.choices = 3;
    Sink *sink = sink_new();
    kit_submit(s, &ask, sink);
    sink_wait(sink);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sink->answers[i].finish, WEIR_FINISH_END);
        assert_true(is_json(sink->answers[i].text));
        kit_alone(group.other, &ask, i, &expected);
        assert_same_answer(&sink->answers[i], &expected);
    }
    sink_free(sink);
    scheduler_free(s);
    weir_grammar_free(g);
}

/* The schema of the case; and one whose numbers have an end. */
static const char ngram_schema[] =
    "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"string\","
    "\"enum\":[\"ok\"]},\"items\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"integer\"},\"minItems\":3,\"maxItems\":3},\"request_id\":{\"type\":"
    "\"integer\"}},\"required\":[\"status\",\"items\",\"request_id\"],"
    "\"additionalProperties\":false}";
static const char status_schema[] =
    "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"string\","
    "\"enum\":[\"ok\"]},\"items\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"integer\",\"minimum\":0,\"maximum\":99},\"maxItems\":6}},\"required\":"
    "[\"status\",\"items\"],\"additionalProperties\":false}";

/* Sixteen at once, with drafts from prompts that say much the same. */
static void test_spec_ngram_concurrent_500(void **state)
{
    (void)state;
    static const char prompt[] =
        "{\"status\":\"ok\",\"items\":[1,2,3],\"request_id\":7} "
        "{\"status\":\"ok\",\"items\":[1,2,3],\"request_id\":8} ";
    SchedulerOpts opts = {.rows = 8, .workers = 2, .speculate = 8};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    weir_grammar *g = kit_grammar(group.engine, WEIR_JSON_SCHEMA, ngram_schema);
    static Ask asks[16];
    for (uint32_t i = 0; i < 16; i++) {
        asks[i] = (Ask){.grammar = g, .seed = i, .max_tokens = 200};
        asks[i].prompt_count =
            weir_vocab_encode(engine_vocab(group.engine), kit_bytes(prompt),
                              false, asks[i].prompt, PROMPT_MOST);
    }
    Sink *sinks[16];
    for (uint32_t i = 0; i < 16; i++)
        kit_submit(s, &asks[i], sinks[i] = sink_new());
    for (uint32_t i = 0; i < 16; i++) {
        sink_wait(sinks[i]);
        assert_int_equal(sinks[i]->answers[0].finish, WEIR_FINISH_END);
        assert_true(is_json(sinks[i]->answers[0].text));
        sink_free(sinks[i]);
    }
    SchedulerStats stats = kit_stats_of(s, 16);
    assert_true(stats.drafted_tokens > 0 && stats.accepted_tokens > 0);
    assert_int_equal(stats.failed, 0);
    scheduler_free(s);
    weir_grammar_free(g);
}

/* What the prompt proposes is no JSON: it is left out, and nobody is told. */
static void test_spec_draft_fence_token(void **state)
{
    (void)state;
    static const char prompt[] = "{\"status\"```json\n\n{\"status\"```json\n\n";
    SchedulerOpts opts = {.workers = 1, .speculate = 4};
    Scheduler *s = kit_scheduler(group.engine, &opts);
    weir_grammar *g =
        kit_grammar(group.engine, WEIR_JSON_SCHEMA, status_schema);
    Ask ask = {.grammar = g, .seed = 5, .max_tokens = 200};
    ask.prompt_count =
        weir_vocab_encode(engine_vocab(group.engine), kit_bytes(prompt), false,
                          ask.prompt, PROMPT_MOST);
    kit_compare_all(s, group.other, &ask, 1);
    assert_int_equal(kit_stats_of(s, 1).failed, 0);
    scheduler_free(s);
    weir_grammar_free(g);
}

/* The same request twice, with a seed, a format and temperature 1: the same
 * bytes; also when others are in the batch by then. */
static void test_seed_nondeterminism(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Ask ask = kit_ask(42, 30), other = kit_ask(3, 9);
    ask.grammar = group.schemas[1];
    static Answer answers[2];
    for (int i = 0; i < 2; i++) {
        Sink *sink = sink_new(), *beside = sink_new();
        if (i) kit_submit(s, &other, beside);
        kit_submit(s, &ask, sink);
        sink_wait(sink);
        if (i) sink_wait(beside);
        answers[i] = sink->answers[0];
        sink_free(sink);
        sink_free(beside);
    }
    assert_same_answer(&answers[1], &answers[0]);
    scheduler_free(s);
}

/* The second request has no token of its prompt left to read but one: its
 * matcher is as new. */
static void test_kv_reuse_segv(void **state)
{
    (void)state;
    Scheduler *s = kit_scheduler(group.engine, NULL);
    Ask ask = kit_ask(6, 64);
    ask.grammar = group.schemas[0];
    kit_compare_all(s, group.other, &ask, 1);
    kit_compare_all(s, group.other, &ask, 1);
    assert_int_equal(kit_stats_of(s, 2).cached_tokens, 63);
    scheduler_free(s);
}

/* Forty grammars through a cache that keeps hardly any, forty answers at
 * once. */
static void test_lru_evicts_running(void **state)
{
    (void)state;
    weir_error err;
    weir_compiler_opts opts = {.size = sizeof opts, .cache_bytes = 1};
    weir_compiler *c =
        weir_compiler_new(engine_vocab(group.engine), &opts, &err);
    assert_non_null(c);
    SchedulerOpts so = {.rows = 8, .workers = 2};
    Scheduler *s = kit_scheduler(group.engine, &so);
    static Ask asks[40];
    for (uint32_t i = 0; i < 40; i++) {
        char source[64];
        snprintf(source, sizeof source, "%u:[a-z]{2,9}\\.", i);
        asks[i] = kit_ask(i, 8);
        asks[i].grammar =
            weir_compiler_compile(c, WEIR_REGEX, kit_bytes(source), NULL, &err);
        assert_non_null(asks[i].grammar);
    }
    Sink *sinks[40];
    for (uint32_t i = 0; i < 40; i++) {
        kit_submit(s, &asks[i], sinks[i] = sink_new());
        weir_grammar_free(asks[i].grammar); /* the job keeps it */
        weir_compiler_clear(c);
    }
    for (uint32_t i = 0; i < 40; i++) {
        char begin[8];
        snprintf(begin, sizeof begin, "%u:", i);
        sink_wait(sinks[i]);
        Answer *a = &sinks[i]->answers[0];
        assert_int_equal(a->finish, WEIR_FINISH_END);
        assert_int_equal(strncmp(a->text, begin, strlen(begin)), 0);
        assert_int_equal(a->text[a->text_size - 1], '.');
        sink_free(sinks[i]);
    }
    scheduler_free(s);
    weir_compiler_free(c);
}

/* ---- with libllama ---- */

/* Whose logits depend on the batch: answers are valid all the same. There is
 * room for what is in use, not for all that was: idle sequences go. */
static void test_libllama_answers_are_valid(void **state)
{
    (void)state;
    kit_wants_llama();
    EngineOpts opts = {.threads = 1, .sequences = 6, .context = 320};
    Engine *e = kit_engine(&kit_model, &opts);
    weir_grammar *g = kit_grammar(e, WEIR_JSON_SCHEMA, status_schema);
    SchedulerOpts so = {.rows = 4, .workers = 2, .speculate = 4};
    Scheduler *s = kit_scheduler(e, &so);
    Sink *sinks[12];
    for (uint32_t i = 0; i < 12; i++) {
        Ask ask = kit_ask(i % 5, 30);
        ask.grammar = g;
        ask.max_tokens = 50;
        ask.jump = i % 2;
        ask.choices = 1 + i % 3;
        kit_submit(s, &ask, sinks[i] = sink_new());
    }
    for (uint32_t i = 0; i < 12; i++) {
        sink_wait(sinks[i]);
        for (uint32_t k = 0; k < 1 + i % 3; k++) {
            assert_int_equal(sinks[i]->answers[k].finish, WEIR_FINISH_END);
            assert_true(is_json(sinks[i]->answers[k].text));
        }
        sink_free(sinks[i]);
    }
    SchedulerStats stats = kit_stats_of(s, 24);
    assert_true(stats.cached_tokens >= 12 * 29); /* of further answers */
    assert_true(stats.cells <= 320 + 6 * 30);
    scheduler_free(s);
    weir_grammar_free(g);
    engine_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_n_greater_one),
        cmocka_unit_test(test_spec_ngram_concurrent_500),
        cmocka_unit_test(test_spec_draft_fence_token),
        cmocka_unit_test(test_seed_nondeterminism),
        cmocka_unit_test(test_kv_reuse_segv),
        cmocka_unit_test(test_lru_evicts_running),
        cmocka_unit_test(test_libllama_answers_are_valid)};
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
