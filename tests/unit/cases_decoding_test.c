/* cases_decoding_test.c: published cases about answers, from a request to what
 * the client gets: the library's part, without a server. A test is named after
 * its case; docs/cases.md has them all, with their sources.
 */
#include "unit/decoder_kit.h"
#include "unit/request_kit.h"
#include "weir/content.h"

#define SCHEMA_REQUEST                                                       \
    "{\"seed\":1,\"temperature\":0,\"response_format\":{\"type\":"           \
    "\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":"  \
    "\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":99," \
    "\"minimum\":0},\"b\":{\"type\":\"string\",\"maxLength\":8}},"           \
    "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}}}}"
#define OBJECT_REQUEST "{\"response_format\":{\"type\":\"json_object\"}}"

/* The matcher of a request's constraint, as its profile has it end. */
static weir_matcher *matcher_of(const char *request,
                                const weir_request_opts *opts)
{
    weir_refusal f;
    weir_constraint *c = request_taken(request, opts);
    weir_constraint_info info = request_info(c);
    weir_matcher_opts mo = {.size = sizeof mo, .termination = info.termination};
    weir_grammar *g = weir_constraint_compile(c, kit_vocab, &f);
    if (!g) fail_msg("%s", f.message);
    weir_matcher *m = weir_matcher_new(g, &mo, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    weir_constraint_free(c);
    return m;
}

static weir_accept take(weir_matcher *m, const char *text)
{
    return weir_matcher_accept_bytes(m, kit_bytes(text), NULL);
}

/* ---- reasoning ---- */

typedef struct Read {
    char reasoning[256], content[256];
    bool is_ordered; /* no reasoning after content */
} Read;

/* What of the output is reasoning and what content, read in pieces. */
static Read read_output(const char *text, size_t piece,
                        weir_reasoning reasoning)
{
    weir_tool_opts o = {.size = sizeof o, .reasoning = reasoning};
    weir_tool_parser *p =
        weir_tool_parser_new(NULL, WEIR_FAMILY_QWEN_3, NULL, 0, &o, NULL);
    Read r = {.is_ordered = true};
    size_t size = strlen(text), count = 1;
    for (size_t at = 0; at <= size && count; at += piece) {
        const weir_tool_event *e;
        size_t n = size - at < piece ? size - at : piece;
        weir_status status =
            n ? weir_tool_parse(p, (weir_bytes){text + at, n}, &e, &count)
              : weir_tool_parse_end(p, &e, &count);
        assert_int_equal(status, WEIR_OK);
        for (size_t i = 0; i < count; i++) {
            bool thinks = e[i].kind == WEIR_TOOL_REASONING;
            r.is_ordered &= !thinks || !r.content[0];
            strncat(thinks ? r.reasoning : r.content, e[i].text.data,
                    e[i].text.size);
        }
        count = 1;
    }
    weir_tool_parser_free(p);
    return r;
}

static void check_read(const char *text, weir_reasoning reasoning,
                       const char *thought, const char *content)
{
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        Read r = read_output(text, piece, reasoning);
        assert_string_equal(r.reasoning, thought);
        assert_string_equal(r.content, content);
        assert_true(r.is_ordered);
    }
}

#define FIRST "{\"a\": 1, \"b\": \"x\"}"
#define SECOND "{\"a\": 2, \"b\": \"\"}"

/* lmstudio-ai/lmstudio-bug-tracker#1773: JSON in the reasoning is neither the
 * answer nor the end. */
static void schema_in_reasoning(void **state)
{
    (void)state;
    static const char output[] =
        "<think>\n" FIRST " is it.\n</think>\n\n" SECOND;
    weir_request_opts opts = request_opts(0, 0);
    opts.family = WEIR_FAMILY_QWEN_3;
    opts.reasoning = WEIR_REASONING_MAY;
    weir_matcher *m = matcher_of(SCHEMA_REQUEST, &opts);
    assert_int_equal(take(m, "<think>\n" FIRST), WEIR_ACCEPTED);
    assert_false(weir_matcher_is_completed(m));
    assert_true(weir_matcher_is_free_text(m));
    weir_matcher_reset(m);
    assert_int_equal(take(m, output), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_terminated(m));
    weir_matcher_reset(m);
    assert_int_equal(take(m, "<think>\nso\n</think>\n\nWell"), WEIR_REFUSED);
    weir_matcher_reset(m);
    assert_int_equal(take(m, SECOND), WEIR_ACCEPTED); /* it need not think */
    weir_matcher_free(m);
    check_read(output, WEIR_REASONING_MAY, FIRST " is it.", SECOND);
}

/* ddalcu/mlx-serve#331: the prompt has opened the reasoning. */
static void prompt_opens(void **state)
{
    (void)state;
    static const char prompt[] = "<|im_end|>\n<|im_start|>assistant\n<think>\n";
    static const char output[] = "I see " FIRST "\n</think>\n\n" SECOND;
    weir_request_opts opts = request_opts(0, 0);
    opts.family = WEIR_FAMILY_QWEN_3;
    opts.reasoning = weir_family_reasoning(opts.family, kit_bytes(prompt));
    assert_int_equal(opts.reasoning, WEIR_REASONING_OPEN);
    weir_matcher *m = matcher_of(SCHEMA_REQUEST, &opts);
    assert_int_equal(take(m, FIRST), WEIR_ACCEPTED);
    assert_false(weir_matcher_is_completed(m)); /* it is a thought */
    weir_matcher_reset(m);
    assert_int_equal(take(m, output), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_terminated(m));
    weir_matcher_free(m);
    check_read(output, opts.reasoning, "I see " FIRST, SECOND);
}

/* ---- answers ---- */

enum { ROOM = 1 << 14, STEPS = 4000 };

typedef struct Answer {
    weir_finish finish;
    bool completed;
    char deltas[ROOM]; /* content as streamed, joined */
    char whole[ROOM];  /* of the answer that is not streamed */
} Answer;

static void add(char *text, weir_bytes more)
{
    assert_true(strlen(text) + more.size < ROOM);
    strncat(text, more.data, more.size);
}

/* The answer to a request by the model `salt`; of salt 0 by one that always
 * wants to stop. */
static Answer answer(const char *request, const weir_request_opts *opts,
                     uint64_t salt)
{
    weir_refusal f;
    weir_settings *settings = weir_settings_from_request(
        NULL, kit_vocab, kit_bytes(request), opts, &f);
    if (!settings) fail_msg("%s", f.message);
    weir_settings_info info = {.size = sizeof info};
    weir_settings_describe(settings, &info);
    if (info.sampler.seed == WEIR_SEED_RANDOM) info.sampler.seed = 5;
    weir_matcher *m = matcher_of(request, opts);
    weir_sampler *s = weir_sampler_new(NULL, kit_vocab, &info.sampler, NULL);
    weir_decoder *d = kit_decoder(s, m, &info.decode);
    weir_content *content = weir_content_new(NULL, WEIR_CONTENT_JSON, NULL);
    Answer a = {.finish = WEIR_FINISH_NONE};
    for (int i = 0; i < STEPS && !a.finish; i++) {
        weir_decoded out;
        weir_bytes more;
        float *logits = (float *)kit_next(salt, d);
        if (!salt) logits[KIT_END] += 100, logits['}'] += 50;
        a.finish = weir_decoder_step(d, logits, KIT_WIDTH, &out);
        a.completed = out.completed;
        assert_int_equal(weir_content_push(content, out.text, &more), WEIR_OK);
        add(a.deltas, more);
    }
    add(a.whole, weir_content_message(WEIR_CONTENT_JSON, weir_decoder_text(d)));
    weir_content_free(content);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
    weir_settings_free(settings);
    return a;
}

/* youssofal/MTPLX#187: whether the constraint was met is told beside the finish
 * reason. */
static void completed_flag(void **state)
{
    (void)state;
    static const char cut[] =
        "{\"max_tokens\":5,\"seed\":1,\"response_format\":{\"type\":"
        "\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":"
        "\"string\",\"minLength\":40,\"maxLength\":44}}}}";
    Answer a = answer(cut, NULL, 3);
    assert_string_equal(weir_finish_reason(a.finish), "length");
    assert_false(a.completed);
    a = answer(SCHEMA_REQUEST, NULL, 3);
    assert_string_equal(weir_finish_reason(a.finish), "stop");
    assert_true(a.completed);
}

/* vllm-project/vllm#10376: the deltas joined are the answer that is not
 * streamed. */
static void streamed_or_not(void **state)
{
    (void)state;
    for (unsigned profile = 0; weir_profile_name((weir_profile)profile);
         profile++)
        for (uint64_t salt = 1; salt < 20; salt++) {
            weir_request_opts opts = request_opts((weir_profile)profile, 0);
            Answer a = answer(SCHEMA_REQUEST, &opts, salt);
            assert_int_equal(a.finish, WEIR_FINISH_END);
            assert_string_equal(a.deltas, a.whole);
            assert_true(request_allows(SCHEMA_REQUEST, &opts, a.whole));
        }
}

/* ml-explore/mlx-lm#1007: a model that wants to stop at once has to say
 * something first. */
static void never_empty(void **state)
{
    (void)state;
    for (unsigned profile = 0; weir_profile_name((weir_profile)profile);
         profile++) {
        weir_request_opts opts = request_opts((weir_profile)profile, 0);
        Answer a = answer(OBJECT_REQUEST, &opts, 0);
        assert_int_equal(a.finish, WEIR_FINISH_END);
        assert_true(a.completed && a.whole[0]);
        assert_string_equal(a.deltas, a.whole);
    }
}

#define CASE(id, test)                 \
    {                                  \
        (id), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("schema-applied-to-reasoning", schema_in_reasoning),
        CASE("think-prefilled-in-prompt", prompt_opens),
        CASE("truncation-flag", completed_flag),
        CASE("stream-vs-nonstream-equal", streamed_or_not),
        CASE("response-format-empty-output", never_empty),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
