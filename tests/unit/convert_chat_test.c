/* convert_chat_test.c: the grammars of llama-server's JSON mode.
 *
 * tests/cases/chat_grammar_recorded.jsonl is a record of llama.cpp 0.4.0's own
 * chat layer, made by scripts/chat/record-chat: for each schema the grammar of
 * ChatML and of Qwen3's template, the first ones whole and the others by their
 * FNV-1a hash, and the three ends of a prompt; or the error.
 */
#include "text/json.h"
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static weir_bytes bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_conversion *made_of(weir_chat chat, const char *schema)
{
    weir_error err;
    weir_conversion *c =
        weir_convert_chat(NULL, chat, bytes(schema), NULL, &err);
    if (!c) fail_msg("%s: %s", schema, err.message);
    return c;
}

/* ---- records ---- */

static uint64_t fnv1a64(weir_bytes text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001b3u;
    return hash;
}

static void expect_grammar(Span want, const weir_conversion *c)
{
    char hash[17];
    weir_bytes got = weir_conversion_text(c);
    snprintf(hash, sizeof hash, "%016" PRIx64, fnv1a64(got));
    if (span_equal(want, span_text(hash)) ||
        span_equal(want, span_of(got.data, got.size)))
        return;
    fail_msg("%.*s\nrecorded:\n%.*s", (int)got.size, got.data, (int)want.size,
             (const char *)want.at);
}

static void expect_prefill(const Json *json, uint32_t i, weir_conversion *c)
{
    weir_bytes got = weir_conversion_prefill(c);
    JsonIter it = json_iter(json, json_get(json, JSON_ROOT, "prefills"));
    for (uint32_t n = 0; n <= i; n++) assert_true(json_step(&it));
    assert_true(
        span_equal(json_string(json, it.value), span_of(got.data, got.size)));
}

static void expect_error(const Json *json, Span schema, weir_chat chat)
{
    weir_error err;
    weir_bytes text = {(const char *)schema.at, schema.size};
    Span want = json_string(json, json_get(json, JSON_ROOT, "error"));
    size_t most = sizeof err.message - 1;
    assert_null(weir_convert_chat(NULL, chat, text, NULL, &err));
    if (!span_equal(span_text(err.message),
                    span_of(want.at, MIN(want.size, most))))
        fail_msg("%s\nrecorded:\n%.*s", err.message, (int)want.size,
                 (const char *)want.at);
}

static void check_record(const Json *json)
{
    static const char *const keys[] = {"chatml", "qwen3", "qwen3"};
    Span schema = json_string(json, json_get(json, JSON_ROOT, "schema"));
    weir_bytes text = {(const char *)schema.at, schema.size};
    for (uint32_t i = 0; i < 3; i++) {
        weir_chat chat = (weir_chat)(WEIR_CHAT_CHATML + i);
        JsonId grammar = json_get(json, JSON_ROOT, keys[i]);
        if (grammar == JSON_NONE) {
            expect_error(json, schema, chat);
            continue;
        }
        weir_conversion *c = weir_convert_chat(NULL, chat, text, NULL, NULL);
        assert_non_null(c);
        expect_grammar(json_string(json, grammar), c);
        expect_prefill(json, i, c);
        weir_conversion_free(c);
    }
}

static void records(void **state)
{
    (void)state;
    static char line[1 << 16];
    Mem mem = mem_from_env(NULL);
    unsigned count = 0;
    FILE *file = fopen("tests/cases/chat_grammar_recorded.jsonl", "rb");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); count++) {
        Json json;
        weir_error err;
        assert_true(json_parse(&json, &mem, span_text(line), NULL, &err));
        check_record(&json);
        json_free(&json);
    }
    fclose(file);
    assert_int_equal(count, 257);
}

/* ---- by hand ---- */

static void arguments(void **state)
{
    (void)state;
    weir_error err;
    static const char *const none[] = {"true", "null", "[]", "7", "\"x\""};
    for (size_t i = 0; i < 5; i++) {
        assert_null(weir_convert_chat(NULL, WEIR_CHAT_CHATML, bytes(none[i]),
                                      NULL, &err));
        assert_int_equal(err.status, WEIR_UNSUPPORTED);
    }
    assert_null(
        weir_convert_chat(NULL, WEIR_CHAT_NONE, bytes("{}"), NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_null(weir_convert_chat(NULL, (weir_chat)9, bytes("{}"), NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    weir_compile_opts small = {.size = sizeof small, .limits.max_source = 1};
    assert_null(
        weir_convert_chat(NULL, WEIR_CHAT_QWEN3, bytes("{}"), &small, &err));
    assert_int_equal(err.status, WEIR_LIMIT_BYTES);
}

/* The text of weir_convert has no prefill. */
static void bare(void **state)
{
    (void)state;
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_conversion *c = weir_convert(NULL, WEIR_JSON_SCHEMA, bytes("{}"),
                                      WEIR_GBNF, &opts, NULL);
    assert_non_null(c);
    assert_int_equal(weir_conversion_prefill(c).size, 0);
    weir_conversion_free(c);
}

/* Item 133: what converts to JSON mode's grammar is JSON mode. */
static void same_as_object(void **state)
{
    (void)state;
    static const char *const same[] = {"{}", "{\"type\":\"object\"}",
                                       "{\"type\":\"object\",\"title\":\"x\"}"};
    weir_conversion *first = made_of(WEIR_CHAT_QWEN3, same[0]);
    uint64_t hash = fnv1a64(weir_conversion_text(first));
    weir_conversion_free(first);
    for (size_t i = 1; i < 3; i++) {
        weir_conversion *c = made_of(WEIR_CHAT_QWEN3, same[i]);
        assert_int_equal(fnv1a64(weir_conversion_text(c)), hash);
        weir_conversion_free(c);
    }
}

/* Whether an output in pieces is taken, behind the prefill. */
static bool takes(weir_chat chat, const char *schema, const char *text)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_conversion *c = made_of(chat, schema);
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_GBNF, weir_conversion_text(c), &opts, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    assert_int_equal(
        weir_matcher_accept_bytes(m, weir_conversion_prefill(c), NULL),
        WEIR_ACCEPTED);
    bool taken =
        weir_matcher_accept_bytes(m, bytes(text), NULL) == WEIR_ACCEPTED &&
        weir_matcher_is_completed(m);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_conversion_free(c);
    return taken;
}

static void outputs(void **state)
{
    (void)state;
    static const char object[] = "{\"type\":\"object\"}";
    for (weir_chat chat = WEIR_CHAT_CHATML; chat <= WEIR_CHAT_QWEN3_NO_THINK;
         chat++) {
        assert_true(takes(chat, object, "{}"));
        assert_true(takes(chat, object, "{\"a\": [1]}\n"));
        assert_true(takes(chat, object, "```json\n{}\n```"));
        assert_false(takes(chat, object, "```\n{}\n```"));
        assert_false(takes(chat, object, "[1]"));
        assert_false(takes(chat, object, "<think>\n"));
        assert_true(takes(chat, "{\"type\":\"integer\"}", "7"));
    }
    static const char thought[] = "<think>\na < b </thin\n</think>\n\n{}";
    assert_true(takes(WEIR_CHAT_QWEN3, object, thought));
    assert_false(takes(WEIR_CHAT_CHATML, object, thought));
    /* the prompt has had it */
    assert_false(takes(WEIR_CHAT_QWEN3_NO_THINK, object, thought));
    assert_false(takes(WEIR_CHAT_QWEN3, object, "<think></think></think>{}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records), cmocka_unit_test(arguments),
        cmocka_unit_test(bare),    cmocka_unit_test(same_as_object),
        cmocka_unit_test(outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
