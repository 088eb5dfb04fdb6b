/* cases_request_test.c: published cases about requests to servers, as far as
 * they need no server. A test is named after its case; docs/cases.md has them
 * all, with their sources.
 */
#include "unit/request_kit.h"

#include <stdio.h>

/* A string member of a request that needs no escape but those of JSON. */
#define GRAMMAR(text) "{\"grammar\":\"" text "\"}"

/* vllm-project/vllm#43920. */
static void grammar_defined_twice(void **state)
{
    (void)state;
    static const char twice[] =
        GRAMMAR("root ::= \\\"a\\\"\\nroot ::= \\\"b\\\"\\n");
    assert_true(
        request_allows(GRAMMAR("root ::= \\\"a\\\" | \\\"b\\\""), NULL, "b"));
    weir_refusal f = request_refused(twice, NULL);
    assert_int_equal(f.http, 400);
    assert_string_equal(f.type, "invalid_request_error");
    assert_non_null(strstr(f.message, "\"root\""));
    assert_non_null(strstr(f.message, "line 2"));
    f = request_refused("{\"guided_grammar\":\"root ::= \\\"a\\\"\\nroot ::= "
                        "\\\"b\\\"\\n\"}",
                        NULL);
    assert_non_null(strstr(f.message, "\"root\""));
    assert_non_null(strstr(f.message, "line 2"));
    assert_true(request_allows(GRAMMAR("root ::= \\\"c\\\""), NULL, "c"));
    /* llama.cpp's language lets the last definition hold */
    weir_request_opts llama = request_opts(WEIR_PROFILE_LLAMA_SERVER, 0);
    assert_true(request_allows(twice, &llama, "b"));
}

static void format_text(void **state)
{
    (void)state;
    weir_constraint *c =
        request_taken("{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
                      "\"response_format\":{\"type\":\"text\"}}",
                      NULL);
    weir_refusal f;
    assert_int_equal(request_info(c).kind, 0);
    assert_null(weir_constraint_compile(c, NULL, &f));
    assert_int_equal(f.http, 0);
    weir_constraint_free(c);
}

/* The library's part: each sequence has a matcher of its own. */
static void several_sequences(void **state)
{
    (void)state;
    enum { N = 3 };
    weir_grammar *g = request_grammar(
        "{\"n\":3,\"temperature\":1.0,\"response_format\":{\"type\":"
        "\"json_object\"}}",
        NULL);
    static const char *const texts[N] = {"{}", "{\"a\":1}", "{\"b\":[2]}"};
    weir_matcher *m[N] = {weir_matcher_new(g, NULL, NULL), NULL, NULL};
    for (int i = 1; i < N; i++) m[i] = weir_matcher_fork(m[0]);
    for (size_t at = 0; at < 9; at++)
        for (int i = 0; i < N; i++)
            if (at < strlen(texts[i]))
                assert_int_equal(
                    weir_matcher_accept_bytes(
                        m[i], (weir_bytes){texts[i] + at, 1}, NULL),
                    WEIR_ACCEPTED);
    for (int i = 0; i < N; i++) {
        assert_true(weir_matcher_is_completed(m[i]));
        weir_matcher_free(m[i]);
    }
    weir_grammar_free(g);
}

/* An escaped punctuation mark simply works; what does not, is refused. */
static void fail_open(void **state)
{
    (void)state;
    static const char request[] =
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"x\",\"strict\":true,\"schema\":{\"type\":\"string\","
        "\"pattern\":\"^hello there\\\\!$\"}}}}";
    assert_true(request_allows(request, NULL, "\"hello there!\""));
    assert_false(request_allows(request, NULL, "\"hello there\\\\!\""));
    weir_refusal f = request_refused(
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"x\",\"schema\":{\"type\":\"string\",\"pattern\":"
        "\"^(a$\"}}}}",
        NULL);
    assert_int_equal(f.http, 400);
    assert_string_equal(f.pointer,
                        "/response_format/json_schema/schema/pattern");
}

static void ollama_grammar(void **state)
{
    (void)state;
    static const char one[] =
        "{\"prompt\":\"x\",\"grammar\":\"root ::= \\\"I am \\\" "
        "(\\\"hungry\\\" | \\\"sleepy\\\")\"}";
    static const char both[] =
        "{\"prompt\":\"x\",\"format\":\"json\",\"grammar\":\"root ::= "
        "\\\"a\\\"\"}";
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_OLLAMA_GENERATE);
    assert_true(request_allows(one, &opts, "I am sleepy"));
    assert_false(request_allows(one, &opts, "I am here"));
    assert_int_equal(request_refused(both, &opts).http, 400);
    opts.endpoint = WEIR_ENDPOINT_OLLAMA_CHAT;
    assert_true(request_allows(one, &opts, "I am hungry"));
    assert_int_equal(request_refused(both, &opts).http, 400);
}

#define SCHEMA                                                            \
    "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}}," \
    "\"required\":[\"x\"]}"

/* Both forms are enforced alike; so is the schema beside json_object. */
static void envelopes(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"a\",\"schema\":" SCHEMA "}}}",
        "{\"response_format\":{\"type\":\"json_object\",\"schema\":" SCHEMA
        "}}"};
    for (unsigned profile = 0; profile < 5; profile++)
        for (size_t i = 0; i < 2; i++) {
            weir_request_opts opts = request_opts((weir_profile)profile, 0);
            assert_true(request_allows(requests[i], &opts, "{\"x\": 1}"));
            assert_false(request_allows(requests[i], &opts, "{}"));
            assert_false(request_allows(requests[i], &opts, "{\"x\": \"1\"}"));
        }
}

static void missing_backend(void **state)
{
    (void)state;
    weir_refusal f = request_refused(
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"a\",\"schema\":{\"type\":\"object\",\"properties\":{\"x\":"
        "{\"type\":\"strin\"}}}}}}",
        NULL);
    assert_int_equal(f.http, 400);
    assert_non_null(strstr(f.message, "\"strin\""));
    assert_string_equal(
        f.pointer, "/response_format/json_schema/schema/properties/x/type");
}

/* The request's part: the tool must be called, with a strict schema. */
static void forced_tool(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_MESSAGES);
    static const char request[] =
        "{\"tool_choice\":{\"type\":\"tool\",\"name\":\"submit\"},\"tools\":[{"
        "\"name\":\"submit\",\"strict\":true,\"input_schema\":{\"type\":"
        "\"object\",\"properties\":{\"t\":{\"type\":\"string\"}},\"required\":"
        "[\"t\"],\"additionalProperties\":false}}]}";
    weir_constraint *c = request_taken(request, &opts);
    weir_constraint_info info = request_info(c);
    assert_int_equal(info.tool_mode, WEIR_TOOLS_REQUIRED);
    assert_int_equal(info.tool_count, 1);
    assert_text(info.tools[0].name, "submit");
    assert_true(info.tools[0].strict);
    assert_int_equal(info.tools[0].kind, WEIR_JSON_SCHEMA);
    assert_string_equal(info.tools[0].from, "/tools/0/input_schema");
    weir_constraint_free(c);
    assert_int_equal(request_refused(request, &opts).status, WEIR_UNSUPPORTED);
}

static void responses_format(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_RESPONSES);
    static const char request[] =
        "{\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"m\","
        "\"strict\":true,\"schema\":{\"type\":\"object\",\"properties\":{"
        "\"a\":{\"type\":\"string\"}},\"required\":[\"a\"],"
        "\"additionalProperties\":false}}}}";
    assert_true(request_allows(request, &opts, "{\"a\":\"b\"}"));
    assert_false(request_allows(request, &opts, "{\"a\":\"b\",\"c\":1}"));
}

static void responses_response_format(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_RESPONSES);
    static const char request[] =
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"a\",\"schema\":{\"type\":\"object\"}}}}";
    assert_true(request_allows(request, &opts, "{\"a\":1}"));
    assert_false(request_allows(request, &opts, "```json"));
}

static void language_mixup(void **state)
{
    (void)state;
    static const char lark[] =
        "{\"guided_grammar\":\"?start: a\\na: \\\"x\\\" | \\\"y\\\"\\n\"}";
    assert_true(request_allows(lark, NULL, "y"));
    assert_false(request_allows(lark, NULL, "z"));
    weir_refusal f = request_refused("{\"guided_grammar\":\"start: a\"}", NULL);
    assert_int_equal(f.http, 400);
    assert_non_null(strstr(f.message, "invalid Lark grammar"));
    f = request_refused("{\"guided_grammar\":\"root ::= a\"}", NULL);
    assert_non_null(strstr(f.message, "invalid EBNF grammar"));
    f = request_refused("{\"grammar\":\"root ::= a\"}", NULL);
    assert_non_null(strstr(f.message, "invalid GBNF grammar"));
}

static void old_and_new_choice(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"guided_choice\":[\"positive\",\"negative\"]}",
        "{\"structured_outputs\":{\"choice\":[\"positive\",\"negative\"]}}"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(request_allows(requests[i], NULL, "positive"));
        assert_false(request_allows(requests[i], NULL, "The answer"));
    }
    weir_refusal f = request_refused(
        "{\"guided_choice\":[\"positive\"],\"structured_outputs\":{\"choice\":"
        "[\"positive\"]}}",
        NULL);
    assert_int_equal(f.http, 400);
}

static void two_constraints(void **state)
{
    (void)state;
    weir_refusal f = request_refused(
        "{\"guided_json\":{\"type\":\"object\"},\"guided_regex\":\"a+\"}",
        NULL);
    assert_int_equal(f.http, 400);
    assert_non_null(strstr(f.message, "guided_json"));
    assert_non_null(strstr(f.message, "guided_regex"));
}

/* 12,000 wrong items: one problem is told, in less than 4 KB. */
static void error_body(void **state)
{
    (void)state;
    enum { ITEMS = 12000 };
    static char text[ITEMS * 2 + 100];
    char body[4096];
    char *at = text + sprintf(text, "{\"guided_choice\":[0");
    for (int i = 1; i < ITEMS; i++) at += sprintf(at, ",%d", i % 10);
    strcpy(at, "]}");
    weir_refusal f = request_refused(text, NULL);
    assert_string_equal(f.param, "guided_choice[0]");
    assert_true(weir_refusal_body(&f, body, sizeof body) < sizeof body);
}

/* Calls are allowed, else the text fits the format. */
static void tools_and_format(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_OLLAMA_CHAT);
    weir_constraint *c = request_taken(
        "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],"
        "\"format\":{\"type\":\"object\"}}",
        &opts);
    assert_int_equal(request_info(c).kind, WEIR_JSON_OBJECT);
    assert_int_equal(request_info(c).tool_mode, WEIR_TOOLS_AUTO);
    weir_constraint_free(c);
}

/* 400, the field as param, and a message with the pointer and the reason. */
static void assert_schema_error(const char *schema, const char *pointer)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"response_format\":{\"type\":\"json_schema\","
             "\"json_schema\":{\"name\":\"a\",\"schema\":%s}}}",
             schema);
    weir_refusal f = request_refused(text, NULL);
    assert_int_equal(f.http, 400);
    assert_string_equal(f.type, "invalid_request_error");
    assert_string_equal(f.param, "response_format");
    assert_non_null(strstr(f.message, pointer));
    assert_non_null(strstr(f.message, "found "));
}

/* vllm-project/vllm#57725, both. */
static void enum_object(void **state)
{
    (void)state;
    assert_schema_error("{\"enum\":{\"a\":1}}", "schema/enum");
}

static void ref_missing(void **state)
{
    (void)state;
    assert_schema_error("{\"$ref\":\"#/$defs/nope\"}", "schema/$ref");
}

/* vllm-project/vllm#16738: whatever back end is named. */
static void backend_mismatch(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"guided_choice\":[\"yes\",\"no\",\"not sure\"]}",
        ("{\"guided_choice\":[\"yes\",\"no\",\"not sure\"],"
         "\"guided_decoding_backend\":\"outlines\"}"),
        ("{\"structured_outputs\":{\"choice\":[\"yes\",\"no\","
         "\"not sure\"],\"_backend\":\"guidance\"}}")};
    for (size_t i = 0; i < 3; i++) {
        assert_true(request_allows(requests[i], NULL, "not sure"));
        assert_false(request_allows(requests[i], NULL, "not"));
        assert_false(request_allows(requests[i], NULL, "Yes"));
    }
}

#define CASE(id, test)                 \
    {                                  \
        (id), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("bad-grammar-after-good", grammar_defined_twice),
        CASE("response-format-text", format_text),
        CASE("n-greater-one", several_sequences),
        CASE("fail-open-unparseable", fail_open),
        CASE("grammar-field-ollama", ollama_grammar),
        CASE("json-schema-envelope-dropped", envelopes),
        CASE("stub-missing-backend-200", missing_backend),
        CASE("anthropic-tool-forced", forced_tool),
        CASE("responses-api-text-format", responses_format),
        CASE("grammar-language-mixup", language_mixup),
        CASE("choice-ignored-old-field", old_and_new_choice),
        CASE("two-constraints-conflict", two_constraints),
        CASE("error-body-amplification", error_body),
        CASE("tools-and-format-both", tools_and_format),
        CASE("repeat-schema-title-json-echo", envelopes),
        CASE("responses-format-missing", responses_response_format),
        CASE("schema-error-enum-object", enum_object),
        CASE("schema-error-ref-missing", ref_missing),
        CASE("backend-mismatch-choice", backend_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
