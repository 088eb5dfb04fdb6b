/* cases_tag_test.c: published cases about structural tags. A test is named
 * after its case; docs/cases.md has them all. Where the case gives a regular
 * expression for the same texts, random texts of its words are read by both.
 */
#include "unit/cases_kit.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check_texts(Kit *k, const char *const *accept,
                        const char *const *reject)
{
    for (; *accept; accept++) kit_accepts(k, *accept);
    for (; *reject; reject++) kit_refuses(k, *reject);
}

static bool reads(weir_grammar *g, const char *text)
{
    weir_error err;
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    assert_non_null(m);
    bool whole =
        weir_matcher_accept_bytes(m, kit_bytes(text), NULL) == WEIR_ACCEPTED &&
        weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

/* Random rows of the words, until each verdict has come often. */
static void check_regex(Kit *k, const char *pattern, const char *const *words)
{
    enum { ROUNDS = 20000, LEAST = 200 };
    weir_error err;
    uint32_t nwords = 0, verdicts[2] = {0};
    while (words[nwords]) nwords++;
    weir_grammar *g =
        weir_grammar_compile(NULL, WEIR_REGEX, kit_bytes(pattern), NULL, &err);
    assert_non_null(g);
    for (int round = 0; round < ROUNDS; round++) {
        char text[256] = {0};
        for (uint32_t n = rng_below(&k->rng, 9); n; n--)
            strcat(text, words[rng_below(&k->rng, nwords)]);
        bool wanted = reads(g, text);
        if (reads(k->grammar, text) != wanted)
            fail_msg("\"%s\": the case says %d", text, wanted);
        verdicts[wanted]++;
    }
    assert_true(verdicts[0] > LEAST && verdicts[1] > LEAST);
    weir_grammar_free(g);
}

/* mlc-ai/xgrammar#567. In each style; the empty object is the empty text. */
static void empty_params(void **state)
{
    (void)state;
    static const char *const styles[] = {"qwen_xml",     "minimax_xml",
                                         "deepseek_xml", "glm_xml",
                                         "cohere_xml",   "kimi_k3_xml"};
    for (size_t i = 0; i < COUNT_OF(styles); i++) {
        char source[1024];
        Kit k;
        snprintf(
            source, sizeof source,
            "{\"format\":{\"type\":\"triggered_tags\",\"triggers\":[\"<f=\"],"
            "\"tags\":[{\"begin\":\"<f=get_weather>\",\"content\":{\"type\":"
            "\"json_schema\",\"style\":\"%s\",\"json_schema\":{\"type\":"
            "\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}},"
            "\"end\":\"</f>\"},{\"begin\":\"<f=get_time>\",\"content\":{"
            "\"type\":\"json_schema\",\"style\":\"%s\",\"json_schema\":{"
            "\"type\":\"object\",\"properties\":{}}},\"end\":\"</f>\"}]}}",
            styles[i], styles[i]);
        kit_begin(&k, "get_|time|</f>|<f=", "<f=get_timewahr>/ x");
        kit_compile(&k, WEIR_STRUCTURAL_TAG, source);
        check_texts(&k, TEXTS("<f=get_time></f>", "x<f=get_weather></f>x", "x"),
                    TEXTS("<f=get_time>x</f>", "<f=get_time>", "<f=x>"));
        kit_end(&k);
    }
}

#define TRIGGERED(trigger, begin, content, end, more)                   \
    "{\"format\":{\"type\":\"triggered_tags\",\"triggers\":[\"" trigger \
    "\"],\"tags\":[{\"begin\":\"" begin "\",\"content\":" content       \
    ",\"end\":\"" end "\"}]" more "}}"
#define LETTERS "{\"type\":\"regex\",\"pattern\":\"[a-z]+\"}"

/* mlc-ai/xgrammar#312: U+FF01. */
static void multibyte_trigger(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "！|！！|call|；y|，|。", "！call:abcxy1；hello，。");
    kit_compile(&k, WEIR_STRUCTURAL_TAG,
                TRIGGERED("！", "！！！call:", LETTERS, "；", ""));
    check_texts(&k,
                TEXTS("hello", "！！！call:abc；",
                      "x！！！call:a；y！！！call:b；", "，。；"),
                TEXTS("！", "！！call:abc；", "！！！call:1；", "a！b"));
    check_regex(&k, "(?:[^！]*！！！call:[a-z]+；)*[^！]*",
                TEXTS("！", "！！！call:", "call:", "a", "b", "；", "，"));
    kit_end(&k);
}

/* vllm-project/vllm#16979. */
static void guided_region(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "<json>|</json>|{\"a\":|<jso|json", "<json>/ab{}\":12xyhel ");
    kit_compile(&k, WEIR_STRUCTURAL_TAG,
                TRIGGERED("<json>", "<json>",
                          "{\"type\":\"json_schema\",\"json_schema\":{\"type\":"
                          "\"object\",\"properties\":{\"a\":{\"type\":"
                          "\"integer\"}},\"required\":[\"a\"],"
                          "\"additionalProperties\":false}}",
                          "</json>", ""));
    check_texts(&k,
                TEXTS("hello", "x <json>{\"a\":1}</json> y",
                      "<json>{\"a\":1}</json><json>{\"a\":2}</json>",
                      "a < b <jso"),
                TEXTS("x <json>{\"a\":\"1\"}</json>", "<json>{\"a\":1}",
                      "<json></json>"));
    check_regex(&k,
                "(?:(?!<json>).)*(?:<json>\\{\"a\":-?(?:0|[1-9][0-9]*)\\}"
                "</json>(?:(?!<json>).)*)*",
                TEXTS("<json>", "<json>{\"a\":1}</json>", "{\"a\":-20}",
                      "</json>", "<", "json>", "x", "<json>{\"a\":"));
    kit_end(&k);
}

/* mlc-ai/xgrammar#535. */
static void empty_end(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "<TOOL>|<END|hello|<E", "<TOOL>ENDheloabx");
    kit_compile(&k, WEIR_STRUCTURAL_TAG,
                TRIGGERED("<TOOL>", "<TOOL>",
                          "{\"type\":\"any_text\",\"excludes\":[\"<END>\"]}",
                          "", ",\"at_least_one\":true"));
    check_texts(&k, TEXTS("<TOOL>", "<TOOL>hello", "<TOOL>a<EN", "<TOOL>x<<E"),
                TEXTS("hello", "<TOOL>a<END>", "<TOOL>a<END>b", ""));
    kit_end(&k);
}

/* mlc-ai/xgrammar#638. The case writes the pattern alone for the format. */
static void separator_newlines(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "<inv>|</inv>|\n|\n\n", "<inv>/ab\n");
    kit_compile(&k, WEIR_STRUCTURAL_TAG,
                "{\"format\":{\"type\":\"tags_with_separator\",\"separator\":"
                "\"\\n\",\"at_least_one\":true,\"tags\":[{\"begin\":\"<inv>\","
                "\"content\":" LETTERS ",\"end\":\"</inv>\"}]}}");
    check_texts(&k, TEXTS("<inv>a</inv>", "<inv>a</inv>\n<inv>b</inv>"),
                TEXTS("<inv>a</inv>\n\n<inv>b</inv>", "<inv>a</inv>\n",
                      "<inv>a</inv><inv>b</inv>", "\n<inv>a</inv>"));
    check_regex(
        &k, "(?:<inv>[a-z]+</inv>(?:\\n<inv>[a-z]+</inv>)*)",
        TEXTS("<inv>a</inv>", "\n", "<inv>", "ab", "</inv>", "\n<inv>b</inv>"));
    kit_end(&k);
}

/* smg-project/smg#2347. */
static void parallel_false(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "<t>|</t>|text|more", "<t>/abextmor");
    kit_compile(
        &k, WEIR_STRUCTURAL_TAG,
        TRIGGERED("<t>", "<t>", LETTERS, "</t>", ",\"stop_after_first\":true"));
    check_texts(&k, TEXTS("text", "text<t>a</t>", "<t>a</t>"),
                TEXTS("<t>a</t><t>b</t>", "<t>a</t>more", "<t>a"));
    check_regex(&k, "(?:(?!<t>).)*(?:<t>[a-z]+</t>)?",
                TEXTS("<t>", "</t>", "a", "<", "t>", "<t>a</t>"));
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("tagdispatch-empty-params", empty_params),
        CASE("stag-multibyte-trigger", multibyte_trigger),
        CASE("partial-guided-region", guided_region),
        CASE("stag-anytext-excludes-empty-end", empty_end),
        CASE("stag-separator-newlines", separator_newlines),
        CASE("stag-parallel-false", parallel_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
