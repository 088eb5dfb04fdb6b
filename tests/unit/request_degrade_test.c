/* request_degrade_test.c: requests that are answered without their constraint:
 * what the model is told, what the client is told; and the switches.
 */
#include "unit/request_kit.h"

#include <stdio.h>

#include "text/json.h"

static weir_request_opts degrade_opts(weir_endpoint endpoint)
{
    weir_request_opts opts = request_opts(WEIR_PROFILE_DEFAULT, endpoint);
    opts.failure = WEIR_FAILURE_DEGRADE;
    return opts;
}

/* Resolves and compiles; the constraint must end up as one not enforced. */
static weir_constraint *degraded(const char *text,
                                 const weir_request_opts *opts)
{
    weir_refusal f;
    weir_constraint *c = request_taken(text, opts);
    assert_null(weir_constraint_compile(c, NULL, &f));
    assert_int_equal(f.http, 0);
    weir_constraint_info info = request_info(c);
    assert_true(info.degraded);
    assert_int_equal(info.kind, 0);
    assert_true(info.batched);
    return c;
}

/* One line of ASCII: 199 weir "...". */
static void assert_warning(weir_bytes warning)
{
    assert_true(warning.size > 12);
    assert_memory_equal(warning.data, "199 weir \"", 10);
    assert_int_equal(warning.data[warning.size - 1], '"');
    for (size_t i = 0; i < warning.size; i++)
        assert_in_range(warning.data[i], ' ', '~');
    for (size_t i = 10; i + 1 < warning.size; i++) {
        if (warning.data[i] == '\\')
            i++;
        else
            assert_int_not_equal(warning.data[i], '"');
    }
}

/* ---- what the model is told ---- */

static void schema_is_shown(void **state)
{
    (void)state;
    weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
    weir_constraint *c = degraded(
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"person\",\"description\":\"Who it is.\",\"strict\":true,"
        "\"schema\":{\"type\":\"strin\",\"b\":[1.0, {}, []],\"a\":\"\\u00e9\"}"
        "}}}",
        &opts);
    weir_constraint_info info = request_info(c);
    assert_text(info.system_message,
                "Answer with JSON that is valid against the schema 'person'. "
                "Who it is.\n\nJSON Schema:\n```json\n{\n"
                "  \"type\": \"strin\",\n  \"b\": [\n    1.0,\n    {},\n"
                "    []\n  ],\n  \"a\": \"\\u00e9\"\n}\n```\n\n"
                "Write the JSON value alone, no other text and no "
                "explanation.");
    assert_warning(info.warning);
    assert_true(text_has(info.warning, "although strict"));
    assert_true(text_has(info.warning, "/response_format/json_schema/schema/"
                                       "type"));
    weir_constraint_free(c);
}

static void other_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *request, *told;
    } rows[] = {
        {"{\"guided_regex\":\"(a\"}",
         "Answer with text that matches this regular expression alone:\n\n(a"},
        {"{\"guided_grammar\":\"root ::= x\"}",
         "Answer with text that matches this grammar alone:\n\nroot ::= x"},
        {"{\"guided_grammar\":\"start: X\"}",
         "Answer with text that matches this grammar alone:\n\nstart: X"},
        {"{\"grammar\":\"root ::= x\"}",
         "Answer with text that matches this grammar alone:\n\nroot ::= x"},
        {"{\"response_format\":{\"type\":\"structural_tag\",\"format\":7}}",
         "Keep exactly to the output format that was asked for."},
        {"{\"guided_regex\":\"a\",\"guided_choice\":[\"a\"]}",
         "Keep exactly to the output format that was asked for."},
        {"{\"response_format\":7}",
         "Keep exactly to the output format that was asked for."},
    };
    weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_constraint *c = degraded(rows[i].request, &opts);
        assert_text(request_info(c).system_message, rows[i].told);
        assert_warning(request_info(c).warning);
        weir_constraint_free(c);
    }
    /* these always compile: only the switch can stop them */
    opts.switches.grammar_off = true;
    weir_constraint *c =
        degraded("{\"response_format\":{\"type\":\"json_object\"}}", &opts);
    assert_text(request_info(c).system_message,
                "Answer with valid JSON alone, no other text and no "
                "explanation.");
    weir_constraint_free(c);
    c = degraded("{\"guided_choice\":[\"yes\",\"no\"]}", &opts);
    assert_text(request_info(c).system_message,
                "Answer with exactly one of these texts:\n\nyes\nno");
    weir_constraint_free(c);
}

/* Deep schemas are shown in a text that is linear in them. */
static void deep_schemas(void **state)
{
    (void)state;
    enum { DEPTH = 900 };
    static char text[DEPTH * 16 + 100];
    char *at = text + sprintf(text, "{\"guided_json\":");
    for (int i = 0; i < DEPTH; i++) at += sprintf(at, "{\"items\":");
    at += sprintf(at, "{\"type\":\"x\"}");
    for (int i = 0; i < DEPTH; i++) *at++ = '}';
    strcpy(at, "}");
    weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
    weir_constraint *c = degraded(text, &opts);
    weir_bytes told = request_info(c).system_message;
    assert_true(told.size < strlen(text) + 1000);
    assert_true(text_has(told, "\n    \"items\": {\n      \"items\": {"));
    weir_constraint_free(c);
}

/* ---- where ---- */

/* Without messages there is the header alone. */
static void endpoints(void **state)
{
    (void)state;
    static const struct {
        weir_endpoint endpoint;
        const char *request;
        bool has_message;
    } rows[] = {
        {WEIR_ENDPOINT_CHAT, "{\"guided_regex\":\"(\"}", true},
        {WEIR_ENDPOINT_COMPLETIONS, "{\"guided_regex\":\"(\"}", false},
        {WEIR_ENDPOINT_RESPONSES, "{\"guided_regex\":\"(\"}", true},
        {WEIR_ENDPOINT_MESSAGES, "{\"tools\":[{\"name\":\"f\"}]}", true},
        {WEIR_ENDPOINT_COMPLETION, "{\"grammar\":\"(\"}", false},
        {WEIR_ENDPOINT_GENERATE, "{\"sampling_params\":{\"regex\":\"(\"}}",
         false},
        {WEIR_ENDPOINT_OLLAMA_CHAT, "{\"format\":{\"type\":\"x\"}}", true},
        {WEIR_ENDPOINT_OLLAMA_GENERATE, "{\"format\":{\"type\":\"x\"}}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_request_opts opts = degrade_opts(rows[i].endpoint);
        weir_constraint *c = degraded(rows[i].request, &opts);
        assert_int_equal(request_info(c).system_message.size > 0,
                         rows[i].has_message);
        assert_warning(request_info(c).warning);
        weir_constraint_free(c);
    }
}

/* A format that is wrong leaves the tools, which may be called; of tools that
 * are wrong none are told. */
static void tools_stay(void **state)
{
    (void)state;
#define TOOL "{\"type\":\"function\",\"function\":{\"name\":\"f\"}}"
    static const struct {
        const char *request;
        weir_tool_mode mode;
        size_t count;
    } rows[] = {
        {"{\"guided_regex\":1,\"tools\":[" TOOL "]}", WEIR_TOOLS_FREE, 1},
        {"{\"guided_regex\":1,\"tools\":[" TOOL "],\"tool_choice\":"
         "\"required\"}",
         WEIR_TOOLS_FREE, 1},
        {"{\"guided_regex\":\"(\",\"tools\":[" TOOL "]}", WEIR_TOOLS_FREE, 1},
        {"{\"guided_regex\":1,\"tools\":[" TOOL "],\"tool_choice\":\"none\"}",
         WEIR_TOOLS_NONE, 1},
        {"{\"tools\":[" TOOL ",{\"type\":\"function\",\"function\":{}}]}",
         WEIR_TOOLS_NONE, 0},
        {"{\"guided_regex\":1,\"tools\":[" TOOL ",{}]}", WEIR_TOOLS_NONE, 0},
        {"{\"tools\":[" TOOL ",{}],\"tool_choice\":{\"type\":\"function\"}}",
         WEIR_TOOLS_NONE, 0},
        {"{\"tools\":[" TOOL "],\"tool_choice\":7}", WEIR_TOOLS_NONE, 0},
    };
    for (unsigned profile = 0; profile < 5; profile++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
            opts.profile = (weir_profile)profile;
            weir_constraint *c = degraded(rows[i].request, &opts);
            weir_constraint_info info = request_info(c);
            assert_int_equal(info.tool_mode, rows[i].mode);
            assert_int_equal(info.tool_count, rows[i].count);
            for (size_t k = 0; k < info.tool_count; k++)
                assert_text(info.tools[k].name, "f");
            weir_constraint_free(c);
        }
#undef TOOL
}

/* What would not be constrained is not warned of. */
static void nothing_to_degrade(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}", "{\"response_format\":{\"type\":\"text\"}}",
        ("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],"
         "\"tool_choice\":\"none\"}")};
    for (size_t i = 0; i < 3; i++) {
        weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
        opts.switches.grammar_off = true;
        weir_constraint *c = request_taken(texts[i], &opts);
        assert_false(request_info(c).degraded);
        assert_int_equal(request_info(c).warning.size, 0);
        assert_int_equal(request_info(c).system_message.size, 0);
        weir_constraint_free(c);
    }
    weir_request_opts mlx = request_opts(WEIR_PROFILE_MLX_BUN, 0);
    weir_constraint *c =
        request_taken("{\"response_format\":{\"type\":\"json_schema\"}}", &mlx);
    assert_false(request_info(c).degraded);
    weir_constraint_free(c);
}

/* What is no request at all is refused in any case. */
static void never_degraded(void **state)
{
    (void)state;
    weir_request_opts opts = degrade_opts(WEIR_ENDPOINT_CHAT);
    assert_int_equal(request_refused("{", &opts).http, 400);
    assert_int_equal(request_refused("[]", &opts).http, 400);
    opts.max_bytes = 1;
    assert_int_equal(request_refused("{}", &opts).http, 413);
}

/* With a cache of grammars, compiled by other means than the constraint's. */
static void with_a_compiler(void **state)
{
    (void)state;
    const weir_token tokens[] = {{{"a", 1}, 0}, {{"b", 1}, 0}};
    weir_vocab *vocab = weir_vocab_new(NULL, tokens, 2, NULL, NULL);
    weir_compiler *compiler = weir_compiler_new(vocab, NULL, NULL);
    for (unsigned i = WEIR_FAILURE_REFUSE; i <= WEIR_FAILURE_DEGRADE; i++) {
        weir_error err;
        weir_refusal f;
        weir_request_opts opts = request_opts(0, 0);
        opts.failure = (weir_failure)i;
        weir_constraint *c = request_taken("{\"guided_regex\":\"a(b\"}", &opts);
        weir_constraint_info info = request_info(c);
        assert_null(weir_compiler_compile(compiler, info.kind, info.source,
                                          info.opts, &err));
        bool goes_on = weir_constraint_fail(c, &err, &f);
        assert_int_equal(goes_on, i == WEIR_FAILURE_DEGRADE);
        assert_int_equal(f.http, goes_on ? 0 : 400);
        assert_int_equal(request_info(c).degraded, goes_on);
        weir_constraint_free(c);
    }
    weir_compiler_free(compiler);
    weir_vocab_free(vocab);
}

/* ---- switches ---- */

static void grammar_off(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"guided_regex\":\"a\"}",
        "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}"};
    for (size_t i = 0; i < 2; i++) {
        weir_request_opts opts = request_opts(0, 0);
        opts.switches.grammar_off = true;
        weir_refusal f = request_refused(texts[i], &opts);
        assert_int_equal(f.http, 400);
        assert_string_equal(f.code, "grammar_off");
        assert_string_equal(f.param, i ? "tools" : "guided_regex");
        opts.failure = WEIR_FAILURE_DEGRADE;
        weir_constraint *c = degraded(texts[i], &opts);
        assert_true(text_has(request_info(c).warning, "switched off"));
        weir_constraint_free(c);
    }
}

static void lanes(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        bool jump, serial, jump_found, batched;
    } rows[] = {
        {"{\"guided_regex\":\"a\"}", false, false, false, true},
        {"{\"guided_regex\":\"a\"}", true, true, true, false},
        {"{\"guided_regex\":\"a\",\"logprobs\":true}", true, false, false,
         true},
        {"{\"guided_regex\":\"a\",\"logprobs\":3}", true, false, false, true},
        {"{\"guided_regex\":\"a\",\"logprobs\":0}", true, false, true, true},
        {"{\"guided_regex\":\"a\",\"logprobs\":false}", true, false, true,
         true},
        {"{\"guided_regex\":\"a\",\"n_probs\":2}", true, false, false, true},
        {"{\"guided_regex\":\"a\",\"n_probs\":0}", true, false, true, true},
        {"{\"guided_regex\":\"a\",\"top_logprobs\":2}", true, false, false,
         true},
        {"{\"guided_regex\":\"a\",\"return_logprob\":true}", true, false, false,
         true},
        {"{}", true, true, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_request_opts opts = request_opts(0, 0);
        opts.switches.jump_forward = rows[i].jump;
        opts.switches.batch_grammar_off = rows[i].serial;
        weir_constraint *c = request_taken(rows[i].request, &opts);
        assert_int_equal(request_info(c).jump_forward, rows[i].jump_found);
        assert_int_equal(request_info(c).batched, rows[i].batched);
        weir_constraint_free(c);
    }
}

static void switch_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        weir_switches expected;
    } rows[] = {
        {"grammar", "off", {.grammar_off = true}},
        {"grammar", "on", {.size = 0}},
        {"WEIR_GRAMMAR", "0", {.grammar_off = true}},
        {"WEIR_GRAMMAR", "1", {.size = 0}},
        {"jump-forward", "on", {.jump_forward = true}},
        {"WEIR_GRAMMAR_JUMP", "1", {.jump_forward = true}},
        {"WEIR_GRAMMAR_JUMP", "0", {.size = 0}},
        {"batch-grammar", "off", {.batch_grammar_off = true}},
        {"WEIR_GRAMMAR_BATCH", "0", {.batch_grammar_off = true}},
        {"lane-debug", "on", {.lane_debug = true}},
        {"WEIR_LANE_DEBUG", "1", {.lane_debug = true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_switches s = {.size = 0};
        assert_int_equal(
            weir_switches_set(&s, rows[i].name, rows[i].value, NULL), WEIR_OK);
        assert_int_equal(s.grammar_off, rows[i].expected.grammar_off);
        assert_int_equal(s.jump_forward, rows[i].expected.jump_forward);
        assert_int_equal(s.batch_grammar_off,
                         rows[i].expected.batch_grammar_off);
        assert_int_equal(s.lane_debug, rows[i].expected.lane_debug);
    }
    weir_switches s = {.size = 0};
    weir_error err;
    assert_int_equal(weir_switches_set(&s, "grammar", "0", &err),
                     WEIR_ARGUMENT);
    assert_string_equal(err.message, "found grammar '0', expected on or off");
    assert_int_equal(weir_switches_set(&s, "WEIR_GRAMMAR", "off", &err),
                     WEIR_ARGUMENT);
    assert_int_equal(weir_switches_set(&s, "WEIR_X", "0", &err), WEIR_ARGUMENT);
    assert_false(s.grammar_off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_is_shown), cmocka_unit_test(other_kinds),
        cmocka_unit_test(deep_schemas),    cmocka_unit_test(endpoints),
        cmocka_unit_test(tools_stay),      cmocka_unit_test(nothing_to_degrade),
        cmocka_unit_test(never_degraded),  cmocka_unit_test(with_a_compiler),
        cmocka_unit_test(grammar_off),     cmocka_unit_test(lanes),
        cmocka_unit_test(switch_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
