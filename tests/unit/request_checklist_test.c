/* request_checklist_test.c: the requirements on requests that
 * tests/cases/request_checklist.txt cannot say, each under its number there.
 */
#include "unit/request_kit.h"

#define FORMAT(schema)                                                 \
    "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{" \
    "\"name\":\"person\",\"schema\":" schema "}}}"

/* json_object admits arrays, strings and numbers at the first step. */
static void any_json(void **state)
{
    (void)state;
    weir_request_opts mlx = request_opts(WEIR_PROFILE_MLX_BUN, 0);
    static const char request[] =
        "{\"response_format\":{\"type\":\"json_object\"}}";
    static const char *const texts[] = {"[1]", "\"a\"", "7", "{}", "null"};
    for (size_t i = 0; i < 5; i++) {
        assert_true(request_allows(request, &mlx, texts[i]));
        assert_int_equal(request_allows(request, NULL, texts[i]),
                         *texts[i] == '{');
    }
}

/* strict is accepted; the name is used in the text for the model. */
static void name_in_text(void **state)
{
    (void)state;
    weir_request_opts mlx = request_opts(WEIR_PROFILE_MLX_BUN, 0);
    weir_refusal f;
    weir_constraint *c = request_taken(FORMAT("{\"type\":\"x\"}"), &mlx);
    assert_null(weir_constraint_compile(c, NULL, &f));
    assert_true(text_has(request_info(c).system_message, "'person'"));
    assert_true(text_has(request_info(c).system_message, "```json\n{\n"));
    assert_true(request_info(c).warning.size > 0);
    assert_int_equal(request_info(c).kind, 0);
    weir_constraint_free(c);
}

/* The warning must survive the way from the compiler to the server. */
static void warning_survives(void **state)
{
    (void)state;
    weir_request_opts mlx =
        request_opts(WEIR_PROFILE_MLX_BUN, WEIR_ENDPOINT_COMPLETIONS);
    weir_refusal f;
    weir_constraint *c =
        request_taken("{\"guided_grammar\":\"root ::= (\"}", &mlx);
    assert_null(weir_constraint_compile(c, NULL, &f));
    assert_int_equal(f.http, 0);
    assert_true(text_has(request_info(c).warning, "guided_grammar"));
    assert_int_equal(request_info(c).system_message.size, 0);
    weir_constraint_free(c);
}

static void switches(void **state)
{
    (void)state;
    static const char *const names[] = {"WEIR_GRAMMAR", "WEIR_GRAMMAR_BATCH",
                                        "WEIR_GRAMMAR_JUMP", "WEIR_LANE_DEBUG"};
    static const char *const values[] = {"0", "0", "1", "1"};
    weir_request_opts mlx = request_opts(WEIR_PROFILE_MLX_BUN, 0);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(
            weir_switches_set(&mlx.switches, names[i], values[i], NULL),
            WEIR_OK);
    weir_constraint *c = request_taken("{\"guided_regex\":\"a\"}", &mlx);
    assert_false(request_info(c).batched);
    assert_true(request_info(c).jump_forward);
    assert_false(request_info(c).degraded);
    assert_true(mlx.switches.lane_debug);
    weir_constraint_free(c);
    weir_switches_set(&mlx.switches, names[0], values[0], NULL);
    c = request_taken("{\"guided_regex\":\"a\"}", &mlx);
    assert_true(request_info(c).degraded);
    assert_true(request_info(c).warning.size > 0);
    weir_constraint_free(c);
}

/* 2.0 stays what it is: the integer 2 is written 2, the number 2.0 too. */
static void number_spelling(void **state)
{
    (void)state;
    weir_constraint *c = request_taken(FORMAT("{\"const\": 2.0}"), NULL);
    assert_text(request_info(c).source, "{\"const\": 2.0}");
    weir_constraint_free(c);
}

static void mask_and_draw(void **state)
{
    (void)state;
    static const bool redraws[] = {false, false, true, true, false};
    for (unsigned i = 0; i < 5; i++) {
        weir_request_opts opts = request_opts((weir_profile)i, 0);
        weir_constraint *c = request_taken("{\"guided_regex\":\"a\"}", &opts);
        assert_int_equal(request_info(c).redraw, redraws[i]);
        weir_constraint_free(c);
    }
}

/* Ends when the grammar is satisfied, or by a stop token only. */
static void ends(void **state)
{
    (void)state;
    static const weir_termination terms[] = {
        WEIR_TERM_WHEN_FINAL, WEIR_TERM_STOP_TOKEN, WEIR_TERM_STOP_TOKEN,
        WEIR_TERM_STOP_TOKEN, WEIR_TERM_FIRST_COMPLETE};
    for (unsigned i = 0; i < 5; i++) {
        weir_request_opts opts = request_opts((weir_profile)i, 0);
        weir_constraint *c =
            request_taken("{\"guided_regex\":\"[0-9]+\"}", &opts);
        assert_int_equal(request_info(c).termination, terms[i]);
        weir_constraint_free(c);
    }
}

/* Members that a schema does not name: taken or not, by profile and strict. */
static void additional_members(void **state)
{
    (void)state;
    static const char plain[] = FORMAT("{\"properties\":{\"a\":{}}}");
    static const char strict[] =
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
        "\"strict\":true,\"schema\":{\"properties\":{\"a\":{}}}}}}";
    static const bool plain_takes[] = {true, false, true, true, false};
    static const bool strict_takes[] = {false, false, true, true, false};
    for (unsigned i = 0; i < 5; i++) {
        weir_request_opts opts = request_opts((weir_profile)i, 0);
        assert_int_equal(request_allows(plain, &opts, "{\"b\":1}"),
                         plain_takes[i]);
        assert_int_equal(request_allows(strict, &opts, "{\"b\":1}"),
                         strict_takes[i]);
    }
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

/* ---- llama-server's own grammar ---- */

static weir_request_opts chat_opts(weir_chat chat)
{
    weir_request_opts o = request_opts(WEIR_PROFILE_LLAMA_SERVER, 0);
    o.chat = chat;
    return o;
}

static const char begin_text[] = "<|im_start|>assistant\n";

/* Items 151 and 152: the root begins with the prompt's end, which is the
 * prefill. The whole text is unit/convert_chat_test.c's. */
static void chat_json_mode(void **state)
{
    (void)state;
    for (weir_chat chat = WEIR_CHAT_CHATML; chat <= WEIR_CHAT_QWEN3; chat++) {
        weir_request_opts o = chat_opts(chat);
        weir_constraint *c = request_taken(
            "{\"response_format\":{\"type\":\"json_object\"}}", &o);
        weir_constraint_info info = request_info(c);
        assert_int_equal(info.kind, WEIR_GBNF);
        assert_int_equal(info.opts->dialect, WEIR_DIALECT_LLAMA_CPP);
        assert_text(info.prefill, begin_text);
        assert_true(text_has(info.source,
                             "root ::= \"<|im_start|>assistant\\n\" space "));
        assert_int_equal(text_has(info.source, "<think>"),
                         chat == WEIR_CHAT_QWEN3);
        weir_constraint_free(c);
    }
}

/* Item 133: equal grammars. */
static void chat_same_as_object(void **state)
{
    (void)state;
    weir_request_opts o = chat_opts(WEIR_CHAT_QWEN3);
    weir_constraint *a =
        request_taken("{\"response_format\":{\"type\":\"json_object\"}}", &o);
    weir_constraint *b =
        request_taken(FORMAT("{\"type\":\"object\",\"title\":\"x\"}"), &o);
    weir_bytes x = request_info(a).source, y = request_info(b).source;
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    weir_constraint_free(a);
    weir_constraint_free(b);
}

/* Items 153 and 125: refused while the request is read, in its words. */
static void chat_refuses(void **state)
{
    (void)state;
    weir_request_opts o = chat_opts(WEIR_CHAT_CHATML);
    weir_refusal f;
    static const char request[] = FORMAT("{\"type\":\"foo\"}");
    assert_null(request_open(request, &o, &f));
    assert_int_equal(f.http, 400);
    assert_non_null(strstr(f.message, "Unrecognized schema"));
    o.failure = WEIR_FAILURE_DEGRADE;
    weir_constraint *c = request_taken(request, &o);
    assert_true(request_info(c).degraded);
    assert_int_equal(request_info(c).prefill.size, 0);
    weir_constraint_free(c);
}

/* Item 176: no prefill for a grammar of the user, nor where the chat's grammar
 * is not made. */
static void chat_no_prefill(void **state)
{
    (void)state;
    weir_request_opts o = chat_opts(WEIR_CHAT_QWEN3);
    static const char *const requests[] = {
        "{\"grammar\":\"root ::= \\\"a\\\"\"}",
        "{\"response_format\":{\"type\":\"text\"}}", "{}"};
    for (size_t i = 0; i < 3; i++) {
        weir_constraint *c = request_taken(requests[i], &o);
        assert_int_equal(request_info(c).prefill.size, 0);
        weir_constraint_free(c);
    }
    o.endpoint = WEIR_ENDPOINT_COMPLETION;
    weir_constraint *c =
        request_taken("{\"json_schema\":{\"type\":\"object\"}}", &o);
    assert_int_equal(request_info(c).kind, WEIR_JSON_OBJECT);
    assert_int_equal(request_info(c).prefill.size, 0);
    weir_constraint_free(c);
}

static void chat_wrong(void **state)
{
    (void)state;
    weir_refusal f;
    weir_request_opts o = request_opts(WEIR_PROFILE_DEFAULT, 0);
    o.chat = WEIR_CHAT_QWEN3;
    assert_null(request_open("{}", &o, &f));
    assert_int_equal(f.status, WEIR_ARGUMENT);
    o = chat_opts((weir_chat)9);
    assert_null(request_open("{}", &o, &f));
    assert_int_equal(f.status, WEIR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 3, 188: json_object", any_json),
        ITEM("item 12, 52, 53, 56: name in the degrade text", name_in_text),
        ITEM("item 54, 55, 57: the warning survives", warning_survives),
        ITEM("item 59, 60, 61, 62: switches", switches),
        ITEM("item 132: number spelling", number_spelling),
        ITEM("item 40, 155, 186: mask first or redraw", mask_and_draw),
        ITEM("item 15, 187: termination", ends),
        ITEM("item 189: additional members", additional_members),
        ITEM("item 151, 152: JSON mode of a chat", chat_json_mode),
        ITEM("item 133: JSON mode by another schema", chat_same_as_object),
        ITEM("item 125, 153: refused as it is read", chat_refuses),
        ITEM("item 176: no prefill", chat_no_prefill),
        ITEM("no such chat", chat_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
