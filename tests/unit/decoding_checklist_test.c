/* decoding_checklist_test.c: requirements on decoding that no other test has,
 * under their numbers in the list that the project was made from. The others
 * are named in the tests of their parts: decoder_test.c, content_test.c,
 * apply_test.c, sampling_recorded_test.c, request_checklist_test.c.
 */
#include <math.h>

#include "unit/decoder_kit.h"
#include "unit/faulty_mem.h"
#include "unit/request_kit.h"

#define OBJECT_REQUEST "{\"response_format\":{\"type\":\"json_object\"}}"

/* ---- masks and logits ---- */

/* Words beyond the mask count as 0, however likely what is there. */
static void wider_logits(void **state)
{
    (void)state;
    enum { MASK = 33, WIDTH = 70 };
    float logits[WIDTH];
    static const int32_t mask[WEIR_MASK_WORDS(MASK)] = {1 << 7, 1};
    for (int redraw = 0; redraw < 2; redraw++)
        for (uint32_t seed = 0; seed < 50; seed++) {
            uint32_t id;
            weir_sampler *s = kit_sampler(seed, redraw);
            for (int i = 0; i < WIDTH; i++) logits[i] = i < MASK ? 0 : 90;
            assert_int_equal(
                weir_sampler_draw_mask(s, logits, WIDTH, mask, MASK, &id),
                WEIR_DRAWN);
            assert_true(id == 7 || id == 32);
            weir_sampler_free(s);
        }
    weir_apply_f32(logits, WIDTH, mask, MASK);
    for (int i = 0; i < WIDTH; i++)
        assert_int_equal(isinf(logits[i]) != 0, i != 7 && i != 32);
}

/* ---- the end ---- */

/* When the constraint has ended nothing is drawn any more. */
static void nothing_after_the_end(void **state)
{
    (void)state;
    weir_matcher *m = kit_matcher(WEIR_REGEX, "ab");
    weir_sampler *s = kit_sampler(4, false);
    weir_decoder *d = kit_decoder(s, m, NULL);
    weir_decoded out = {.finish = WEIR_FINISH_NONE};
    while (!out.finish) weir_decoder_step(d, kit_next(1, d), KIT_WIDTH, &out);
    assert_string_equal(weir_finish_reason(out.finish), "stop");
    weir_sampler *same = weir_sampler_fork(s);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weir_decoder_step(d, kit_next(1, d), KIT_WIDTH, &out),
                         WEIR_FINISH_END);
        assert_int_equal(out.token_count, 0);
        assert_int_equal(out.text.size, 0);
    }
    for (uint64_t i = 0; i < 20; i++) {
        uint32_t a, b;
        const float *logits = kit_model(i, NULL, 0);
        weir_sampler_draw(s, logits, KIT_WIDTH, NULL, &a);
        weir_sampler_draw(same, logits, KIT_WIDTH, NULL, &b);
        assert_int_equal(a, b);
    }
    weir_sampler_free(same);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* Takes the bytes of a text as tokens. */
static weir_decoded take_text(weir_decoder *d, const char *text)
{
    weir_decoded out = {.finish = WEIR_FINISH_NONE};
    for (; *text; text++)
        weir_decoder_take(d, weir_vocab_find(kit_vocab, (weir_bytes){text, 1}),
                          &out);
    return out;
}

/* Stop tokens, stop texts and max_tokens mean under a grammar what they mean
 * without: whichever comes first. */
static void other_ends_stay(void **state)
{
    (void)state;
    static const struct {
        const char *text, *left; /* taken, and the text as sent */
        weir_finish finish;
        bool completed;
    } rows[] = {
        {"\"abc\"", "\"abc\"", WEIR_FINISH_END, true},
        {"\"ab!x", "\"ab", WEIR_FINISH_TEXT, false},
        {"\"abcdefg", "\"abcdefg", WEIR_FINISH_LENGTH, false},
        {"\"abcdef\"", "\"abcdef\"", WEIR_FINISH_END, true},
    };
    weir_bytes stop = kit_bytes("!x");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int constrained = 0; constrained < 2; constrained++) {
            weir_decode_opts o = {.size = sizeof o,
                                  .max_tokens = 8,
                                  .stops = &stop,
                                  .stop_count = 1};
            weir_matcher *m = constrained ? kit_matcher(WEIR_JSON_SCHEMA,
                                                        "{\"type\":\"string\"}")
                                          : NULL;
            weir_sampler *s = kit_sampler(1, false);
            weir_decoder *d = kit_decoder(s, m, &o);
            weir_decoded out = take_text(d, rows[i].text);
            if (!out.finish) weir_decoder_take(d, KIT_END, &out);
            assert_text(weir_decoder_text(d), rows[i].left);
            assert_int_equal(out.completed, constrained && rows[i].completed);
            if (constrained || rows[i].finish != WEIR_FINISH_END)
                assert_int_equal(out.finish, rows[i].finish);
            weir_decoder_free(d);
            weir_sampler_free(s);
            weir_matcher_free(m);
        }
}

/* ---- everything is given back ---- */

typedef struct Parts {
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_matcher *matcher;
    weir_sampler *sampler;
    weir_decoder *decoder;
} Parts;

static void free_part(Parts *p, unsigned part)
{
    if (part == 0) weir_vocab_free(p->vocab);
    if (part == 1) weir_grammar_free(p->grammar);
    if (part == 2) weir_decoder_free(p->decoder);
    if (part == 3) weir_matcher_free(p->matcher);
    if (part == 4) weir_sampler_free(p->sampler);
}

static Parts make_parts(const weir_env *env, const weir_decode_opts *o)
{
    weir_token tokens[] = {{{"a", 1}, 0}, {{"b", 1}, 0}, {{"", 0}, 2}};
    Parts p = {.vocab = weir_vocab_new(env, tokens, 3, NULL, NULL)};
    p.grammar =
        weir_grammar_compile(p.vocab, WEIR_REGEX, kit_bytes("a*b"), NULL, NULL);
    p.matcher = weir_matcher_new(p.grammar, NULL, NULL);
    p.sampler = weir_sampler_new(env, p.vocab, NULL, NULL);
    p.decoder = weir_decoder_new(p.vocab, p.sampler, p.matcher, o, NULL);
    assert_non_null(p.decoder);
    return p;
}

/* However an output ends, or if it is given up, and in whichever order vocabulary,
 * grammar and the others are released: the decoder before what it borrows. */
static void all_given_back(void **state)
{
    (void)state;
    static const float a[] = {9, -99, -99}, b[] = {-99, 9, -99};
    static const float none[] = {-INFINITY, -INFINITY, -INFINITY};
    static const struct {
        const float *logits;
        weir_finish finish;
    } rows[] = {{a, WEIR_FINISH_LENGTH},   {b, WEIR_FINISH_END},
                {none, WEIR_FINISH_STUCK}, {a, WEIR_FINISH_TEXT},
                {a, WEIR_FINISH_NONE},     {NULL, WEIR_FINISH_ERROR}};
    static const unsigned orders[][5] = {
        {0, 1, 2, 3, 4}, {2, 4, 3, 1, 0}, {2, 3, 0, 4, 1}};
    for (size_t i = 0; i < 18; i++) {
        Faulty faulty = {.left = SIZE_MAX};
        Mem mem = faulty_mem(&faulty);
        weir_env env = {sizeof env, mem.allocate, mem.resize, mem.release,
                        mem.user};
        weir_finish want = rows[i / 3].finish;
        weir_bytes stop = kit_bytes("aa");
        weir_decode_opts o = {.size = sizeof o, .stops = &stop};
        o.stop_count = want == WEIR_FINISH_TEXT;
        o.max_tokens = want == WEIR_FINISH_LENGTH ? 3 : 0;
        Parts p = make_parts(&env, &o);
        weir_decoded out = {.finish = WEIR_FINISH_NONE};
        for (int k = 0; k < 4 && !out.finish; k++)
            if (rows[i / 3].logits)
                weir_decoder_step(p.decoder, rows[i / 3].logits, 3, &out);
            else
                weir_decoder_take(p.decoder, 77, &out);
        assert_int_equal(out.finish, want);
        for (int k = 0; k < 5; k++) free_part(&p, orders[i % 3][k]);
        assert_int_equal(faulty.held, 0);
    }
}

/* ---- JSON mode ---- */

/* Many requests for JSON mode: one grammar, compiled once. */
static void json_mode_once(void **state)
{
    (void)state;
    weir_compiler *compiler = weir_compiler_new(kit_vocab, NULL, NULL);
    weir_grammar *first = NULL;
    for (int i = 0; i < 10; i++) {
        weir_constraint *c = request_taken(OBJECT_REQUEST, NULL);
        weir_constraint_info info = request_info(c);
        weir_grammar *g = weir_compiler_compile(compiler, info.kind,
                                                info.source, info.opts, NULL);
        assert_non_null(g);
        if (!first) first = g;
        assert_ptr_equal(g, first);
        weir_constraint_free(c);
        if (i) weir_grammar_free(g);
    }
    weir_compiler_stats stats = {.size = sizeof stats};
    weir_compiler_describe(compiler, &stats);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.hits, 9);
    weir_grammar_free(first);
    weir_compiler_free(compiler);
}

/* The text that llama.cpp 0.4.0 makes of a schema, for reports of what is in
 * force: `want` was recorded from it. */
static void check_converted(const char *request, const char *want)
{
    weir_request_opts opts = request_opts(WEIR_PROFILE_LLAMA_SERVER, 0);
    weir_constraint *c = request_taken(request, &opts);
    weir_constraint_info info = request_info(c);
    weir_compile_opts co = {.size = sizeof co,
                            .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_error err = {.status = WEIR_OK};
    weir_bytes schema = info.source;
    if (info.kind == WEIR_JSON_OBJECT)
        schema = kit_bytes("{\"type\":\"object\"}");
    weir_conversion *made =
        weir_convert(NULL, WEIR_JSON_SCHEMA, schema, WEIR_GBNF, &co, &err);
    if (!made) fail_msg("%s", err.message);
    assert_text(weir_conversion_text(made), want);
    weir_conversion_free(made);
    weir_constraint_free(c);
}

#define SPACE_RULE "space ::= | \" \" | \"\\n\"{1,2} [ \\t]{0,20}\n"

static void converted(void **state)
{
    (void)state;
    static const char object[] =
        "array ::= \"[\" space ( value (\",\" space value)* )? space \"]\"\n"
        "boolean ::= (\"true\" | \"false\")\n"
        "char ::= [^\"\\\\\\x7F\\x00-\\x1F] | [\\\\] ([\"\\\\bfnrt] | \"u\" "
        "[0-9a-fA-F]{4})\n"
        "decimal-part ::= [0-9]{1,16}\n"
        "integral-part ::= [0] | [1-9] [0-9]{0,15}\n"
        "null ::= \"null\"\n"
        "number ::= (\"-\"? integral-part) (\".\" decimal-part)? ([eE] [-+]? "
        "integral-part)?\n"
        "object ::= \"{\" space ( string \":\" space value (\",\" space string "
        "\":\" space value)* )? space \"}\"\n"
        "root ::= object\n" SPACE_RULE "string ::= \"\\\"\" char* \"\\\"\"\n"
        "value ::= object | array | string | number | boolean | null\n";
    check_converted(OBJECT_REQUEST, object);
    check_converted("{\"json_schema\":{}}", object);
    check_converted(
        "{\"json_schema\":{\"allOf\":[{\"enum\":[\"a\",-17,[1]]}]}}",
        "root ::= (\"-17\" | \"[1]\" | \"\\\"a\\\"\")\n" SPACE_RULE);
    check_converted("{\"json_schema\":{\"allOf\":[{\"anyOf\":[{\"enum\":"
                    "[\"b\"]},{\"enum\":[\"c\"]}]}]}}",
                    "root ::= (\"\\\"b\\\"\" | \"\\\"c\\\"\")\n" SPACE_RULE);
}

static weir_reasoning reasoning_after(const char *prompt_end)
{
    return weir_family_reasoning(WEIR_FAMILY_QWEN_3, kit_bytes(prompt_end));
}

static bool allows(weir_family family, weir_reasoning reasoning,
                   const char *output)
{
    weir_request_opts opts = request_opts(WEIR_PROFILE_LLAMA_SERVER, 0);
    opts.family = family;
    opts.reasoning = reasoning;
    return request_allows(OBJECT_REQUEST, &opts, output);
}

/* JSON mode begins where the generation prompt ends: by the template with or
 * without a think block. */
static void by_template(void **state)
{
    (void)state;
    static const char assistant[] = "<|im_start|>assistant\n";
    assert_int_equal(reasoning_after(assistant), WEIR_REASONING_MAY);
    assert_int_equal(reasoning_after("<|im_start|>assistant\n<think>\n"),
                     WEIR_REASONING_OPEN);
    assert_int_equal(
        reasoning_after("<|im_start|>assistant\n<think>\n\n</think>\n\n"),
        WEIR_REASONING_NONE);
    static const char *const outputs[] = {"{\"a\": 1}",
                                          "<think>\nhm\n</think>\n\n{\"a\": 1}",
                                          "hm\n</think>\n\n{\"a\": 1}"};
    /* a ChatML template without thinking; then Qwen3's, three ways */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(allows(0, 0, outputs[i]), i == 0);
        assert_int_equal(
            allows(WEIR_FAMILY_QWEN_3, WEIR_REASONING_NONE, outputs[i]),
            i == 0);
        assert_int_equal(
            allows(WEIR_FAMILY_QWEN_3, WEIR_REASONING_MAY, outputs[i]), i < 2);
        /* the second: a mark of the open block may be a thought */
        if (i != 1)
            assert_int_equal(
                allows(WEIR_FAMILY_QWEN_3, WEIR_REASONING_OPEN, outputs[i]),
                i == 2);
    }
}

/* What the prompt has of the answer already is taken before the first draw. */
static void prefilled(void **state)
{
    (void)state;
    static const char begun
        [] = "{\"name\": \"a",
   format[] =
        "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","
        "\"maxLength\":6}},\"required\":[\"name\"],"
        "\"additionalProperties\":false}";
    for (uint32_t seed = 0; seed < 10; seed++) {
        char whole[256];
        weir_matcher *m = kit_matcher(WEIR_JSON_SCHEMA, format);
        assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes(begun), NULL),
                         WEIR_ACCEPTED);
        weir_sampler *s = kit_sampler(seed, seed % 2);
        weir_decoder *d = kit_decoder(s, m, NULL);
        weir_decoded out = {.finish = WEIR_FINISH_NONE};
        while (!out.finish)
            weir_decoder_step(d, kit_next(seed, d), KIT_WIDTH, &out);
        assert_true(out.completed);
        weir_bytes rest = weir_decoder_text(d);
        snprintf(whole, sizeof whole, "%s%.*s", begun, (int)rest.size,
                 rest.data);
        weir_matcher_reset(m);
        assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes(whole), NULL),
                         WEIR_ACCEPTED);
        assert_true(weir_matcher_is_completed(m));
        weir_decoder_free(d);
        weir_sampler_free(s);
        weir_matcher_free(m);
    }
}

/* In an answer that is held to JSON there is no reasoning, whoever asks. */
static void no_reasoning_in_json(void **state)
{
    (void)state;
    for (unsigned p = 0; weir_profile_name((weir_profile)p); p++) {
        weir_request_opts opts = request_opts((weir_profile)p, 0);
        assert_true(request_allows(OBJECT_REQUEST, &opts, "{}"));
        assert_false(
            request_allows(OBJECT_REQUEST, &opts, "<think>\n\n</think>\n\n{}"));
        assert_false(request_allows(OBJECT_REQUEST, &opts, "<think>"));
    }
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 23: words beyond the mask", wider_logits),
        ITEM("item 44, 45: nothing after the end", nothing_after_the_end),
        ITEM("item 49: other ends stay what they are", other_ends_stay),
        ITEM("item 50: everything is given back", all_given_back),
        ITEM("item 149: JSON mode is compiled once", json_mode_once),
        ITEM("item 151, 152: by template", by_template),
        ITEM("item 152: what is there is taken first", prefilled),
        ITEM("item 153, 154: llama.cpp's text", converted),
        ITEM("item 163: no reasoning in JSON", no_reasoning_in_json),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
