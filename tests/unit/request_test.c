/* request_test.c: constraints of requests as a caller sees them: profiles,
 * places of errors, bodies, limits, lack of memory. What each field means is in
 * tests/cases/request_*.txt (request_rows_test.c).
 */
#include "unit/faulty_mem.h"
#include "unit/request_kit.h"

#include <stdio.h>

#include "text/json.h"

/* ---- profiles ---- */

static const char bare[] = "{\"response_format\":{\"type\":\"json_object\"}}";

static void profiles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        weir_termination termination;
        bool redraw, closed, degrades;
        weir_dialect dialect;
        weir_space_kind space;
    } rows[] = {
        {"default", WEIR_TERM_WHEN_FINAL, false, false, false,
         WEIR_DIALECT_DEFAULT, WEIR_SPACE_ANY},
        {"vllm", WEIR_TERM_STOP_TOKEN, false, true, false, WEIR_DIALECT_DEFAULT,
         WEIR_SPACE_ANY},
        {"llama-server", WEIR_TERM_STOP_TOKEN, true, false, false,
         WEIR_DIALECT_LLAMA_CPP, WEIR_SPACE_REGEX},
        {"ollama", WEIR_TERM_STOP_TOKEN, true, false, false,
         WEIR_DIALECT_LLAMA_CPP, WEIR_SPACE_REGEX},
        {"mlx-bun", WEIR_TERM_FIRST_COMPLETE, false, true, true,
         WEIR_DIALECT_DEFAULT, WEIR_SPACE_ANY},
    };
    for (unsigned i = 0; i < 5; i++) {
        weir_request_opts opts = request_opts((weir_profile)i, 0);
        assert_string_equal(weir_profile_name((weir_profile)i), rows[i].name);
        weir_constraint *c = request_taken(bare, &opts);
        weir_constraint_info info = request_info(c);
        assert_int_equal(info.termination, rows[i].termination);
        assert_int_equal(info.redraw, rows[i].redraw);
        assert_int_equal(info.opts->schema.strict, rows[i].closed);
        assert_int_equal(info.opts->dialect, rows[i].dialect);
        assert_int_equal(info.opts->space.kind, rows[i].space);
        weir_constraint_free(c);
        c = request_open("{\"guided_regex\":7}", &opts, &(weir_refusal){0});
        assert_int_equal(c != NULL, rows[i].degrades);
        weir_constraint_free(c);
    }
    assert_null(weir_profile_name((weir_profile)5));
    assert_null(weir_endpoint_name((weir_endpoint)9));
}

/* llama.cpp's blanks: none, one, or line ends and at most 20 more. */
static void llama_blanks(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(WEIR_PROFILE_LLAMA_SERVER, 0);
    weir_grammar *g =
        request_grammar("{\"json_schema\":{\"enum\":[[1]]}}", &opts);
    static const char *const good[] = {"[1]", "[ 1]", "[\n1]", "[\n\n\t\t1]",
                                       "[\n                    1]"};
    static const char *const bad[] = {"[  1]", "[\t1]", "[\n\n\n1]",
                                      "[\n                     1]", "[\r\n1]"};
    for (size_t i = 0; i < 5; i++)
        if (!grammar_takes(g, good[i])) fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < 5; i++)
        if (grammar_takes(g, bad[i])) fail_msg("taken: %s", bad[i]);
    weir_grammar_free(g);
}

/* ---- what is kept, and where errors are ---- */

/* The request's text may go as soon as it is resolved. */
static void text_is_borrowed(void **state)
{
    (void)state;
    static const char source[] =
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"name\":\"a\\u00e9\",\"description\":\"d\",\"schema\":{\"const\":"
        " 1.50 }}}}";
    size_t size = sizeof source - 1;
    char *text = malloc(size);
    weir_refusal refusal;
    assert_non_null(text);
    memcpy(text, source, size);
    weir_constraint *c = weir_constraint_from_openai(
        NULL, (weir_bytes){text, size}, NULL, &refusal);
    memset(text, 'x', size);
    free(text);
    weir_constraint_info info = request_info(c);
    assert_text(info.source, "{\"const\": 1.50 }");
    assert_text(info.name, "a\xC3\xA9");
    assert_text(info.description, "d");
    weir_constraint_free(c);
}

static weir_bytes range(const char *text, const weir_refusal *f)
{
    return (weir_bytes){text + f->begin, f->end - f->begin};
}

static void places(void **state)
{
    (void)state;
    const char *text = "{\"a\":1, \"guided_choice\": [\"x\", 17]}";
    weir_refusal f = request_refused(text, NULL);
    assert_text(range(text, &f), "17");
    assert_string_equal(f.param, "guided_choice[1]");
    assert_string_equal(f.message,
                        "guided_choice[1]: found a number, expected a string");
    text = "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
           "\"name\":\"n\",\"schema\":{\"items\":{\"minimum\":\"x\"}}}}}";
    f = request_refused(text, NULL);
    assert_text(range(text, &f), "\"x\"");
    assert_string_equal(f.param, "response_format");
    assert_string_equal(f.code, "invalid_json_schema");
    assert_string_equal(f.type, "invalid_request_error");
    assert_string_equal(f.pointer,
                        "/response_format/json_schema/schema/items/minimum");
    assert_non_null(strstr(f.message, "invalid JSON Schema \"n\": "));
    assert_non_null(strstr(f.message, f.pointer));
    /* a source that had escapes has no place in the request */
    text = "{\"guided_grammar\":\"root ::= a\\nb ::= \\\"\\\"\"}";
    f = request_refused(text, NULL);
    assert_int_equal(f.end, 0);
    assert_non_null(strstr(f.message, ", at line 1, column 10"));
    text = "{\"guided_regex\":\"a(\"}";
    f = request_refused(text, NULL);
    assert_int_equal(f.begin, 18);
    assert_non_null(strstr(f.message, "guided_regex: invalid regular "));
    text = "{\"text\":{\"format\":{\"type\":\"json_schema\",\"schema\":{"
           "\"type\":1}}}}";
    weir_request_opts opts = request_opts(0, WEIR_ENDPOINT_RESPONSES);
    f = request_refused(text, &opts);
    assert_string_equal(f.param, "text.format.schema");
}

/* A name of any length, with anything in it, is quoted in part. */
static void messages_are_bounded(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    static char text[LONG + 100];
    char body[8192];
    char *at = text + sprintf(text, "{\"response_format\":{\"type\":\"");
    for (size_t i = 0; i < LONG / 6; i++, at += 6) memcpy(at, "\\u0001", 6);
    strcpy(at, "\"}}");
    weir_refusal f = request_refused(text, NULL);
    assert_true(strlen(f.message) < 300);
    assert_true(weir_refusal_body(&f, body, sizeof body) < 1024);
    for (const char *p = f.message; *p; p++) assert_in_range(*p, ' ', '~');
}

/* A long pointer is cut, what it is in front of stays. */
static void long_pointers(void **state)
{
    (void)state;
    char text[2000], *at = text;
    at += sprintf(at, "{\"guided_json\":");
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "{\"properties\":{\"a%%%d/~\":", i);
    at += sprintf(at, "{\"type\":7}");
    for (int i = 0; i < 40; i++) at += sprintf(at, "}}");
    strcpy(at, "}");
    weir_refusal f = request_refused(text, NULL);
    assert_int_equal(strncmp(f.pointer, "/guided_json/properties/a%0~1~0/", 32),
                     0);
    assert_true(strlen(f.pointer) < sizeof f.pointer);
    assert_string_equal(f.param, "guided_json");
}

/* ---- bodies ---- */

static void assert_body(weir_profile profile, weir_endpoint endpoint,
                        const char *request, const char *expected)
{
    char body[512];
    weir_request_opts opts = request_opts(profile, endpoint);
    opts.failure = WEIR_FAILURE_REFUSE;
    weir_refusal f = request_refused(request, &opts);
    size_t size = weir_refusal_body(&f, body, sizeof body);
    assert_text((weir_bytes){body, size}, expected);
    /* a buffer that is too small is filled, nothing is written behind it */
    memset(body, '#', sizeof body);
    assert_int_equal(weir_refusal_body(&f, body, 10), size);
    assert_memory_equal(body, expected, 10);
    assert_int_equal(body[10], '#');
}

static void bodies(void **state)
{
    (void)state;
    const char *regex = "{\"regex\":1}", *format = "{\"format\":\"x\"}";
    assert_body(WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_CHAT, regex,
                "{\"error\":{\"message\":\"regex: found a number, expected a "
                "string: a regular expression\",\"type\":"
                "\"invalid_request_error\",\"param\":\"regex\",\"code\":"
                "\"invalid_type\"}}");
    assert_body(WEIR_PROFILE_MLX_BUN, WEIR_ENDPOINT_CHAT, "[]",
                "{\"error\":{\"message\":\"found an array, expected an object\""
                ",\"type\":\"invalid_request_error\",\"param\":null,\"code\":"
                "\"invalid_type\"}}");
    assert_body(WEIR_PROFILE_VLLM, WEIR_ENDPOINT_CHAT, regex,
                "{\"error\":{\"message\":\"regex: found a number, expected a "
                "string: a regular expression\",\"type\":"
                "\"invalid_request_error\",\"param\":\"regex\",\"code\":400}}");
    assert_body(WEIR_PROFILE_LLAMA_SERVER, WEIR_ENDPOINT_CHAT, regex,
                "{\"error\":{\"code\":400,\"message\":\"regex: found a number,"
                " expected a string: a regular expression\",\"type\":"
                "\"invalid_request_error\"}}");
    assert_body(WEIR_PROFILE_OLLAMA, WEIR_ENDPOINT_CHAT, regex,
                "{\"error\":{\"message\":\"regex: found a number, expected a "
                "string: a regular expression\",\"type\":"
                "\"invalid_request_error\",\"param\":null,\"code\":null}}");
    assert_body(WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_COMPLETION,
                "{\"grammar\":1}",
                "{\"error\":{\"code\":400,\"message\":\"grammar: found a "
                "number, expected a string: a grammar\",\"type\":"
                "\"invalid_request_error\"}}");
    assert_body(WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_OLLAMA_CHAT, format,
                "{\"error\":\"format: found \\\"x\\\", expected \\\"json\\\" "
                "or a JSON Schema, an object\"}");
    assert_body(WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_MESSAGES, "{\"tools\":1}",
                "{\"type\":\"error\",\"error\":{\"message\":\"tools: found a "
                "number, expected an array\",\"type\":"
                "\"invalid_request_error\"}}");
    assert_body(WEIR_PROFILE_DEFAULT, WEIR_ENDPOINT_GENERATE,
                "{\"sampling_params\":1}",
                "{\"object\":\"error\",\"message\":\"sampling_params: found a "
                "number, expected an object\",\"type\":"
                "\"invalid_request_error\",\"param\":\"sampling_params\","
                "\"code\":400}");
}

/* ---- limits, options, memory ---- */

static void limits(void **state)
{
    (void)state;
    weir_request_opts opts = request_opts(0, 0);
    opts.max_bytes = 10;
    weir_refusal f = request_refused("{\"a\":\"123\"}", &opts);
    assert_int_equal(f.http, 413);
    assert_int_equal(f.status, WEIR_LIMIT_BYTES);
    assert_string_equal(f.code, "request_too_large");
    opts = request_opts(0, 0);
    opts.max_depth = 3;
    weir_constraint_free(request_taken("{\"a\":[[]]}", &opts));
    f = request_refused("{\"a\":[[[]]]}", &opts);
    assert_int_equal(f.http, 400);
    assert_int_equal(f.status, WEIR_LIMIT_DEPTH);
    opts = request_opts(0, 0);
    opts.limits.max_states = 5;
    f = request_refused("{\"guided_regex\":\"(a|b){50}c(?=d).*\"}", &opts);
    assert_int_equal(f.http, 400);
    assert_int_equal(f.status, WEIR_LIMIT_STATES);
    assert_string_equal(f.param, "guided_regex");
    /* the default depth, met and passed */
    static char deep[3000];
    for (int levels = 1000; levels <= 1001; levels++) {
        char *at = deep + sprintf(deep, "{\"a\":");
        memset(at, '[', (size_t)levels - 1);
        memset(at + levels - 1, ']', (size_t)levels - 1);
        strcpy(at + 2 * (levels - 1), "}");
        weir_constraint *c = request_open(deep, NULL, &f);
        assert_int_equal(c != NULL, levels == 1000);
        weir_constraint_free(c);
    }
}

static void options(void **state)
{
    (void)state;
    struct {
        weir_request_opts known;
        uint64_t unknown;
    } longer = {.known = {.size = sizeof longer}};
    weir_refusal f;
    weir_constraint_free(request_taken(bare, &longer.known));
    longer.unknown = 1;
    assert_null(request_open(bare, &longer.known, &f));
    assert_int_equal(f.status, WEIR_ARGUMENT);
    assert_int_equal(f.http, 500);
    weir_request_opts opts = request_opts((weir_profile)77, 0);
    assert_null(request_open(bare, &opts, &f));
    assert_int_equal(f.status, WEIR_ARGUMENT);
    opts = request_opts(0, WEIR_ENDPOINT_OLLAMA_CHAT);
    assert_null(
        weir_constraint_from_openai(NULL, request_bytes(bare), &opts, &f));
    opts = request_opts(0, WEIR_ENDPOINT_CHAT);
    assert_null(
        weir_constraint_from_ollama(NULL, request_bytes(bare), &opts, &f));
    /* an older caller's info is shorter */
    weir_constraint *c = request_taken(bare, NULL);
    weir_constraint_info info = {.size =
                                     offsetof(weir_constraint_info, source)};
    weir_constraint_describe(c, &info);
    assert_int_equal(info.kind, WEIR_JSON_OBJECT);
    assert_null(info.from);
    weir_constraint_free(c);
    weir_constraint_free(NULL);
}

static const char everything[] =
    "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":"
    "\"a\\n\",\"schema\":{\"type\":\"strin\"}}},\"guided_whitespace_pattern\":"
    "\" \",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
    "\"parameters\":{}}}],\"tool_choice\":{\"type\":\"allowed_tools\","
    "\"allowed_tools\":{\"mode\":\"required\",\"tools\":[{\"type\":"
    "\"function\",\"function\":{\"name\":\"f\"}}]}}}";

/* Resolves and compiles with memory that fails at its n-th call; both ways on
 * when something is wrong. Returns whether none was out of memory. */
static bool try_memory(size_t n, const char *text, weir_request_opts opts)
{
    Faulty faulty = {.left = n};
    weir_env env = {.size = sizeof env,
                    .allocate = faulty_allocate,
                    .resize = faulty_resize,
                    .release = faulty_release,
                    .user = &faulty};
    weir_refusal f;
    weir_constraint *c =
        weir_constraint_from_openai(&env, request_bytes(text), &opts, &f);
    if (c) weir_grammar_free(weir_constraint_compile(c, NULL, &f));
    bool ok = f.status != WEIR_NO_MEMORY;
    if (!ok) {
        assert_int_equal(f.http, 503);
        assert_string_equal(f.message, "out of memory");
    }
    weir_constraint_free(c);
    assert_int_equal(faulty.held, 0);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        everything,
        bare,
        "{\"guided_choice\":[\"a\",\"\\n\"]}",
        "{\"grammar\":\"root ::= \\\"a\\\"\"}",
        "{\"guided_json\":\"{}\"}",
        ("{\"guided_regex\":7,\"tools\":[{\"function\":{\"name\":\"f\"}}],"
         "\"tool_choice\":{\"type\":\"function\",\"name\":\"f\"}}")};
    for (unsigned profile = 0; profile < 5; profile++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            size_t n = 0;
            weir_request_opts opts = request_opts((weir_profile)profile, 0);
            while (!try_memory(n, texts[i], opts)) n++;
            assert_in_range(n, 2, 200);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles),
        cmocka_unit_test(llama_blanks),
        cmocka_unit_test(text_is_borrowed),
        cmocka_unit_test(places),
        cmocka_unit_test(messages_are_bounded),
        cmocka_unit_test(long_pointers),
        cmocka_unit_test(bodies),
        cmocka_unit_test(limits),
        cmocka_unit_test(options),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
