/* cases_matcher_test.c: published cases about one output being followed: end
 * and stop tokens, rollback, drafts, forks, stale masks, jumps. A test is
 * named after its case; docs/cases.md has them all. Masks are compared with
 * each token tried alone and with the oracle; what must come next is written
 * down by hand.
 */
#include "unit/cases_kit.h"

#include "text/json.h"

/* ---- the end ---- */

/* mlc-ai/xgrammar#905: stop tokens given by the caller, after every prefix of
 * an object: bit and accept agree, and say yes at the end alone. */
static void stop_mid_json(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "{\"|\":\"|\"}", "{}\":ab");
    uint32_t ends[2] = {kit_token(&k, "</s>", WEIR_TOKEN_CONTROL),
                        kit_token(&k, "<|end|>", 0)};
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    weir_matcher_opts opts = {
        .size = sizeof opts, .stop_ids = ends, .stop_count = 2};
    const char *text = "{\"a\":\"b\"}";
    for (size_t n = 0; n <= strlen(text); n++)
        for (size_t e = 0; e < COUNT_OF(ends); e++) {
            int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)];
            weir_matcher *m = weir_matcher_new(k.grammar, &opts, NULL);
            assert_non_null(m);
            assert_int_equal(
                weir_matcher_accept_bytes(m, (weir_bytes){text, n}, NULL),
                WEIR_ACCEPTED);
            weir_matcher_fill(m, row);
            bool is_end = n == strlen(text);
            assert_int_equal(kit_bit(row, ends[e]), is_end);
            assert_int_equal(weir_matcher_allows(m, ends[e]), is_end);
            assert_int_equal(weir_matcher_accept(m, ends[e]),
                             is_end ? WEIR_TERMINATED : WEIR_REFUSED);
            weir_matcher_free(m);
        }
    kit_end(&k);
}

/* Feeds tokens to a finished matcher: each is "already finished", and nothing
 * moves. */
static void check_finished(const Kit *k, weir_matcher *m)
{
    size_t steps = weir_matcher_steps(m);
    uint64_t generation = weir_matcher_generation(m);
    uint32_t stop = kit_stop(k);
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        assert_int_equal(weir_matcher_accept(m, id), WEIR_TERMINATED);
        assert_true(weir_matcher_is_terminated(m));
        assert_int_equal(weir_matcher_steps(m), steps);
        assert_true(weir_matcher_generation(m) == generation);
    }
    assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes("x"), NULL),
                     WEIR_TERMINATED);
    kit_expect_mask(k, m, &stop, 1);
    const int32_t *mask = weir_matcher_mask(m);
    assert_non_null(mask);
    assert_int_equal(weir_mask_count(mask, k->c.vocab.count, NULL), 1);
}

/* Avarok-Cybersecurity/atlas#39. `when_final` ends with the brace, so that
 * the stop token itself is the first one too many; with `stop_token` it is
 * taken, and ends. */
static void after_terminated(void **state)
{
    (void)state;
    Kit k;
    kit_json(&k);
    for (int t = WEIR_TERM_WHEN_FINAL; t <= WEIR_TERM_FIRST_COMPLETE; t++) {
        weir_matcher_opts opts = {.size = sizeof opts,
                                  .termination = (weir_termination)t};
        weir_matcher *m = weir_matcher_new(k.grammar, &opts, NULL);
        assert_non_null(m);
        kit_read(&k, m, "{}");
        weir_accept last = weir_matcher_accept(m, kit_stop(&k));
        assert_int_equal(last, t == WEIR_TERM_STOP_TOKEN ? WEIR_ACCEPTED
                                                         : WEIR_TERMINATED);
        assert_int_equal(weir_matcher_accept(m, kit_find(&k, "\n\n")),
                         WEIR_TERMINATED);
        assert_int_equal(weir_matcher_accept(m, kit_find(&k, "x")),
                         WEIR_TERMINATED);
        check_finished(&k, m);
        weir_matcher_free(m);
    }
    kit_end(&k);
}

/* sgl-project/sglang#14464: drafts that hold the stop token, then a mask is
 * asked for, in every way there is. */
static void mask_after_terminated(void **state)
{
    (void)state;
    enum { ROWS = 5, WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX) };
    Kit k;
    kit_json(&k);
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_matcher *m = weir_matcher_new(k.grammar, &opts, NULL);
    assert_non_null(m);
    uint32_t stop = kit_stop(&k), x = kit_find(&k, "x");
    uint32_t drafts[] = {kit_find(&k, "{"), kit_find(&k, "}"), stop, x};
    int32_t rows[ROWS * WORDS];
    assert_int_equal(weir_matcher_fill_drafts(m, drafts, 4, rows, WORDS), 3);
    /* after the brace and after the stop token: the stop token alone */
    for (int row = 2; row <= 3; row++) {
        uint32_t only;
        assert_int_equal(
            weir_mask_count(rows + row * WORDS, k.c.vocab.count, &only), 1);
        assert_int_equal(only, stop);
    }
    assert_int_equal(weir_mask_count(rows + 4 * WORDS, k.c.vocab.count, NULL),
                     0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir_matcher_accept(m, drafts[i]), WEIR_ACCEPTED);
    check_finished(&k, m);
    assert_int_equal(weir_batch_fill(NULL, &m, 1, NULL, rows, WORDS, NULL),
                     WEIR_OK);
    assert_int_equal(weir_mask_count(rows, k.c.vocab.count, NULL), 1);
    weir_matcher_free(m);
    kit_end(&k);
}

/* ollama/ollama#2577. RFC 8259 lets blanks follow the value; by policy the
 * output has none (`weir check --trim` forgives an editor's newline). */
static void trailing_space(void **state)
{
    (void)state;
    Kit k;
    kit_json(&k);
    kit_accepts(&k, "{\"a\":1}");
    kit_refuses(&k, "{\"a\":1}\n");
    kit_refuses(&k, "{\"a\":1} ");
    kit_refuses(&k, "{\"a\":1}{");
    weir_matcher *m = kit_matcher(&k);
    uint32_t stop = kit_stop(&k);
    kit_read(&k, m, "{\"a\":1}");
    kit_expect_mask(&k, m, &stop, 1);
    weir_matcher_free(m);
    kit_end(&k);
}

/* vllm-project/vllm#29632: after the end of every termination mode. */
static void after_terminated_mask(void **state)
{
    (void)state;
    Kit k;
    kit_json(&k);
    kit_accepts(&k, "{\"a\":1}");
    kit_end(&k);
    kit_begin(&k, "{\"a|\":1}|abc|{\"b|\":2}", "{}\":abc12");
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    kit_refuses(&k, "{\"a\":1}abc");
    kit_refuses(&k, "{\"a\":1}{\"b\":2}");
    for (int t = WEIR_TERM_WHEN_FINAL; t <= WEIR_TERM_FIRST_COMPLETE; t++) {
        weir_matcher_opts opts = {.size = sizeof opts,
                                  .termination = (weir_termination)t};
        weir_matcher *m = weir_matcher_new(k.grammar, &opts, NULL);
        uint32_t stop = kit_stop(&k);
        kit_read(&k, m, "{\"a\":1}");
        kit_expect_mask(&k, m, &stop, 1);
        assert_int_equal(weir_matcher_is_terminated(m),
                         t != WEIR_TERM_STOP_TOKEN);
        weir_matcher_free(m);
    }
    kit_end(&k);
}

/* guidance-ai/llguidance#253: three end tokens, the caller's. Each ends. */
static void multiple_eos(void **state)
{
    (void)state;
    enum { FIRST = 11 };
    static const char *const texts[] = {"{", "}",   "\"",  ":",  "a",
                                        "1", ",",   " ",   "[",  "]",
                                        "0", "<1>", "<2>", "<3>"};
    static const uint32_t ends[] = {13, 11, 12};
    weir_token tokens[COUNT_OF(texts)];
    for (uint32_t i = 0; i < COUNT_OF(texts); i++)
        tokens[i] = (weir_token){kit_bytes(texts[i]),
                                 i < FIRST ? 0 : WEIR_TOKEN_CONTROL};
    weir_vocab_opts opts = {
        .size = sizeof opts, .stop_ids = ends, .stop_count = 3};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(texts), &opts, NULL);
    assert_non_null(v);
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_OBJECT, (weir_bytes){0}, NULL, NULL);
    weir_matcher_opts how = {.size = sizeof how,
                             .termination = WEIR_TERM_STOP_TOKEN};
    static const uint32_t text[] = {0, 2, 4, 2, 3, 5, 1}; /* {"a":1} */
    for (uint32_t e = FIRST; e < COUNT_OF(texts); e++) {
        weir_matcher *m = weir_matcher_new(g, &how, NULL);
        assert_non_null(m);
        for (size_t n = 0; n <= COUNT_OF(text); n++) {
            int32_t row[1];
            weir_matcher_fill(m, row);
            uint32_t all = 7u << FIRST;
            assert_int_equal((uint32_t)row[0] & all,
                             n == COUNT_OF(text) ? all : 0);
            if (n < COUNT_OF(text))
                assert_int_equal(weir_matcher_accept(m, text[n]),
                                 WEIR_ACCEPTED);
        }
        assert_false(weir_matcher_is_terminated(m));
        assert_int_equal(weir_matcher_accept(m, e), WEIR_ACCEPTED);
        assert_true(weir_matcher_is_terminated(m));
        weir_matcher_free(m);
    }
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* kekzl/imp#1203: the end token's printed text would fit the string. */
static void eos_text(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "im_e|nd", "<>|im_end{}\":sabc");
    uint32_t eos = kit_token(&k, "im_end|>", WEIR_TOKEN_STOP);
    uint32_t plain = kit_token(&k, "im_end|>", 0);
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    kit_accepts(&k, "{\"s\":\"<|im_end|>\"}");
    kit_refuses(&k, "{\"s\":\"abc");
    weir_matcher *m = kit_matcher(&k);
    kit_read(&k, m, "{\"s\":\"abc");
    assert_false(weir_matcher_allows(m, eos));
    assert_true(weir_matcher_allows(m, plain));
    kit_read(&k, m, "<|im_end|>\"");
    assert_false(weir_matcher_allows(m, eos));
    weir_matcher_free(m);
    kit_end(&k);
}

/* ggml-org/llama.cpp#13690: control tokens whose names are plain characters. */
static void control_token(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "[contr|ol_36]", "[]control_36{}\":s");
    uint32_t control = kit_token(&k, "[ctrl_3]", WEIR_TOKEN_CONTROL);
    uint32_t plain = kit_token(&k, "[ctrl_3]", 0);
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    weir_matcher *m = kit_matcher(&k);
    const char *text = "{\"s\":\"[control_36]\"}";
    for (; *text; text++) {
        kit_check_mask(&k, m);
        assert_false(weir_matcher_allows(m, control));
        assert_int_equal(weir_matcher_accept(m, control), WEIR_REFUSED);
        assert_int_equal(
            weir_matcher_accept_bytes(m, (weir_bytes){text, 1}, NULL),
            WEIR_ACCEPTED);
    }
    weir_matcher_reset(m);
    kit_read(&k, m, "{\"");
    assert_true(weir_matcher_allows(m, plain));
    weir_matcher_free(m);
    kit_end(&k);
}

/* ---- blanks and bytes ---- */

/* guidance-ai/llguidance#265: four blanks and no other; a run of them ends at
 * 128, so that no model can write them for ever. */
static void carriage_return(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "\r\n|\r\n\t\"|\xC2\xA0|\xE2\x80\xA8|\xEF\xBB\xBF|  |{\f|\f",
              "{}\":a1 \r\n\t");
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    kit_accepts(&k, "{\r\n\t\"a\" : 1 }");
    kit_refuses(&k, "{\f\"a\":1}");
    kit_refuses(&k, "{\xC2\xA0\"a\":1}");
    kit_refuses(&k, "{\xE2\x80\xA8\"a\":1}");
    kit_refuses(&k, "\xEF\xBB\xBF{}");
    weir_matcher *m = kit_matcher(&k);
    kit_read(&k, m, "{");
    uint32_t crlf = kit_find(&k, "\r\n"), cr = kit_find(&k, "\r");
    for (int n = 0; n < 64; n++)
        assert_int_equal(weir_matcher_accept(m, crlf), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, crlf), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, cr), WEIR_REFUSED);
    kit_check_mask(&k, m);
    weir_matcher_free(m);
    kit_end(&k);
}

/* Reads bytes given in hex; how many could be read. */
static size_t read_hex(weir_matcher *m, const char *hex)
{
    char bytes[32];
    size_t n = strlen(hex) / 2, at;
    for (size_t i = 0; i < n; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (char)strtoul(two, NULL, 16);
    }
    weir_matcher_accept_bytes(m, (weir_bytes){bytes, n}, &at);
    return at;
}

/* After part of a character exactly its continuation bytes may come: by the
 * Unicode standard's table of well-formed sequences (3-7). */
static void check_next_bytes(const Kit *k, const char *hex, unsigned lo,
                             unsigned hi)
{
    weir_matcher *m = kit_matcher(k);
    assert_int_equal(read_hex(m, hex), strlen(hex) / 2);
    for (unsigned b = 0; b < 256; b++)
        assert_int_equal(weir_matcher_allows(m, b), b >= lo && b <= hi);
    kit_check_mask(k, m);
    weir_matcher_free(m);
}

/* ggml-org/llama.cpp#8691. A byte each is a token. */
static void invalid_utf8(void **state)
{
    (void)state;
    static const char *const in[] = {"22c3a922", "22f09f988022", "22e4b8ad22"};
    static const struct {
        const char *hex;
        size_t end; /* first byte refused, by table 3-7 */
    } out[] = {{"22c0af22", 1}, {"22eda08022", 2}, {"22f490808022", 2},
               {"2280", 1},     {"22ff", 1},       {"22c322", 2},
               {"22e4b822", 3}};
    Kit k;
    kit_begin(&k, "", "");
    k.c.vocab.count = 0;
    random_vocab_complete(&k.c.vocab);
    kit_compile(&k, WEIR_JSON_VALUE, "");
    for (size_t i = 0; i < COUNT_OF(in); i++) {
        weir_matcher *m = kit_matcher(&k);
        assert_int_equal(read_hex(m, in[i]), strlen(in[i]) / 2);
        assert_true(weir_matcher_is_completed(m));
        weir_matcher_free(m);
    }
    for (size_t i = 0; i < COUNT_OF(out); i++) {
        weir_matcher *m = kit_matcher(&k);
        assert_int_equal(read_hex(m, out[i].hex), out[i].end);
        weir_matcher_free(m);
    }
    check_next_bytes(&k, "22c3", 0x80, 0xBF);
    check_next_bytes(&k, "22e0", 0xA0, 0xBF);
    check_next_bytes(&k, "22e4b8", 0x80, 0xBF);
    check_next_bytes(&k, "22ed", 0x80, 0x9F);
    check_next_bytes(&k, "22f0", 0x90, 0xBF);
    check_next_bytes(&k, "22f4", 0x80, 0x8F);
    kit_end(&k);
}

/* ---- rollback ---- */

/* sgl-project/sglang#31728 and mlc-ai/xgrammar#389. */
static void check_rollback(size_t steps)
{
    Kit k;
    kit_begin(&k, "\"a\"", "{}\":a1");
    kit_compile(&k, WEIR_JSON_OBJECT, "");
    weir_matcher *m = kit_matcher(&k);
    assert_int_equal(weir_matcher_accept(m, kit_find(&k, "{")), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, kit_find(&k, "\"a\"")),
                     WEIR_ACCEPTED);
    uint64_t before = kit_hash(m, &k), start;
    uint64_t generation = weir_matcher_generation(m);
    assert_int_equal(weir_matcher_rollback(m, steps),
                     steps ? WEIR_ROLLBACK : WEIR_OK);
    assert_int_equal(weir_matcher_steps(m), 2);
    assert_true(kit_hash(m, &k) == before);
    assert_true(weir_matcher_generation(m) == generation);
    kit_read(&k, m, ":1");
    assert_int_equal(weir_matcher_rollback(m, 2), WEIR_OK);
    assert_true(kit_hash(m, &k) == before);
    assert_int_equal(weir_matcher_rollback(m, 2), WEIR_OK);
    weir_matcher *fresh = kit_matcher(&k);
    start = kit_hash(fresh, &k);
    assert_true(kit_hash(m, &k) == start && start != before);
    weir_matcher_free(fresh);
    weir_matcher_free(m);
    kit_end(&k);
}

static void rollback_zero(void **state)
{
    (void)state;
    check_rollback(0);
}

static void rollback_too_many(void **state)
{
    (void)state;
    check_rollback(3);
    check_rollback(SIZE_MAX);
}

/* NVIDIA/TensorRT-LLM#18891: ten tokens, then a new matcher that replays
 * them, and one that imports the state; all masks to the end are equal. */
static void recompute(void **state)
{
    (void)state;
    static const char *const text[] = {"{\"",    "a", "\": \"", "b",   "x", "1",
                                       "\", \"", "b", "\": ",   "true"};
    static const char *const rest[] = {",", " ", "\"", "a", "\": ", "1", "}"};
    Kit k;
    kit_json(&k);
    weir_matcher *m[3];
    for (int i = 0; i < 3; i++) m[i] = kit_matcher(&k);
    for (size_t i = 0; i < COUNT_OF(text); i++)
        for (int j = 0; j < 2; j++)
            assert_int_equal(weir_matcher_accept(m[j], kit_find(&k, text[i])),
                             WEIR_ACCEPTED);
    char saved[4096];
    size_t size = weir_matcher_export(m[0], saved, sizeof saved);
    assert_in_range(size, 1, sizeof saved);
    assert_int_equal(weir_matcher_import(m[2], (weir_bytes){saved, size}),
                     WEIR_OK);
    for (size_t i = 0;; i++) {
        for (int j = 1; j < 3; j++)
            assert_true(kit_hash(m[j], &k) == kit_hash(m[0], &k));
        if (i == COUNT_OF(rest)) break;
        for (int j = 0; j < 3; j++)
            assert_int_equal(weir_matcher_accept(m[j], kit_find(&k, rest[i])),
                             WEIR_ACCEPTED);
    }
    for (int j = 0; j < 3; j++) {
        assert_true(weir_matcher_is_completed(m[j]));
        weir_matcher_free(m[j]);
    }
    kit_end(&k);
}

/* sgl-project/sglang#21964: the second node has its own vocabulary, grammar
 * and matcher, and gets the state after the first token. A node with another
 * grammar refuses it and stays as it was. */
static void pd_disagg(void **state)
{
    (void)state;
    Kit first, second, other;
    kit_json(&first);
    kit_json(&second);
    kit_json(&other);
    weir_grammar_free(other.grammar);
    other.grammar = weir_grammar_compile(other.vocab, WEIR_JSON_VALUE,
                                         (weir_bytes){0}, NULL, NULL);
    weir_matcher *a = kit_matcher(&first), *b = kit_matcher(&second);
    weir_matcher *c = kit_matcher(&other);
    kit_read(&first, a, "{\"");
    char saved[4096];
    size_t size = weir_matcher_export(a, saved, sizeof saved);
    weir_bytes bytes = {saved, size};
    assert_int_equal(weir_matcher_import(b, bytes), WEIR_OK);
    assert_int_equal(weir_matcher_steps(b), weir_matcher_steps(a));
    static const char *const rest[] = {"a",  "\": ", "[", "1",
                                       ", ", "true", "]", "}"};
    for (size_t i = 0; i < COUNT_OF(rest); i++) {
        assert_true(kit_hash(a, &first) == kit_hash(b, &second));
        kit_read(&first, a, rest[i]);
        kit_read(&second, b, rest[i]);
    }
    assert_true(weir_matcher_is_completed(b));
    uint64_t before = kit_hash(c, &other);
    assert_int_equal(weir_matcher_import(c, bytes), WEIR_MISMATCH);
    assert_true(kit_hash(c, &other) == before);
    weir_matcher_free(a);
    weir_matcher_free(b);
    weir_matcher_free(c);
    kit_end(&first);
    kit_end(&second);
    kit_end(&other);
}

/* ---- drafts ---- */

/* vllm-project/vllm#53777: a fence, a word, a blank line. Only lengths come
 * back, nothing is logged (no call can), and the request goes on. */
static void draft_fence(void **state)
{
    (void)state;
    enum { WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX) };
    Kit k;
    kit_json(&k);
    weir_matcher *m = kit_matcher(&k);
    uint32_t drafts[] = {kit_find(&k, "```"), kit_find(&k, "json"),
                         kit_find(&k, "\n\n")};
    uint32_t later[] = {kit_find(&k, "{"), kit_find(&k, "\n\n"),
                        kit_find(&k, "```"), kit_find(&k, "}")};
    uint64_t before = kit_hash(m, &k);
    int32_t rows[5 * WORDS];
    assert_int_equal(weir_matcher_validate(m, drafts, 3), 0);
    assert_int_equal(weir_matcher_validate(m, later, 4), 2);
    assert_int_equal(weir_matcher_fill_drafts(m, drafts, 3, rows, WORDS), 0);
    assert_int_equal(weir_matcher_fill_drafts(m, later, 4, rows, WORDS), 2);
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
    assert_int_equal(weir_matcher_steps(m), 0);
    assert_true(kit_hash(m, &k) == before);
    kit_read(&k, m, "{\"a\": 1}");
    assert_true(weir_matcher_is_terminated(m));
    weir_matcher_free(m);
    kit_end(&k);
}

/* NVIDIA/TensorRT-LLM#7878: every row is the mask that a matcher which took
 * the drafts before it has; then two of three drafts are rejected. */
static void draft_rows(void **state)
{
    (void)state;
    enum { WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX), DRAFTS = 3 };
    Kit k;
    kit_json(&k);
    weir_matcher *m = kit_matcher(&k), *step = kit_matcher(&k);
    uint32_t drafts[DRAFTS] = {kit_find(&k, "{\""), kit_find(&k, "a"),
                               kit_find(&k, "\": ")};
    int32_t rows[(DRAFTS + 1) * WORDS];
    memset(rows, 0x55, sizeof rows);
    assert_int_equal(weir_matcher_fill_drafts(m, drafts, DRAFTS, rows, WORDS),
                     DRAFTS);
    assert_int_equal(weir_matcher_steps(m), 0);
    for (int i = 0; i <= DRAFTS; i++) {
        assert_true(weir_mask_hash(rows + i * WORDS, k.c.vocab.count) ==
                    kit_hash(step, &k));
        if (i < DRAFTS)
            assert_int_equal(weir_matcher_accept(step, drafts[i]),
                             WEIR_ACCEPTED);
    }
    assert_int_equal(weir_matcher_rollback(step, DRAFTS - 1), WEIR_OK);
    assert_true(weir_mask_hash(rows + WORDS, k.c.vocab.count) ==
                kit_hash(step, &k));
    weir_matcher_free(m);
    weir_matcher_free(step);
    kit_end(&k);
}

/* vllm-project/vllm#54437: rows are asked for three drafts where one is known
 * and the others are stale (they do not fit, or are no tokens at all). Rows
 * after the last known position allow nothing, which no sampler overlooks, and
 * the count tells. */
static void fail_open_rows(void **state)
{
    (void)state;
    enum { WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX), ROWS = 4 };
    Kit k;
    kit_json(&k);
    uint32_t stale[][3] = {{kit_find(&k, "{"), kit_find(&k, "]"), 0},
                           {kit_find(&k, "{"), UINT32_MAX, 0},
                           {kit_find(&k, "{"), k.c.vocab.count, 0}};
    for (size_t i = 0; i < COUNT_OF(stale); i++) {
        weir_matcher *m = kit_matcher(&k);
        int32_t rows[ROWS * WORDS];
        memset(rows, 0xFF, sizeof rows); /* as open as a row can be */
        assert_int_equal(weir_matcher_fill_drafts(m, stale[i], 3, rows, WORDS),
                         1);
        for (int row = 0; row < ROWS; row++) {
            size_t n =
                weir_mask_count(rows + row * WORDS, k.c.vocab.count, NULL);
            assert_int_equal(n > 0, row <= 1);
        }
        uint32_t parents[] = {0, 0, 1, 2};
        uint32_t tokens[] = {0, stale[i][0], stale[i][1], stale[i][2]};
        memset(rows, 0xFF, sizeof rows);
        assert_int_equal(
            weir_matcher_fill_tree(m, tokens, parents, ROWS, rows, WORDS),
            WEIR_OK);
        for (int row = 0; row < ROWS; row++)
            assert_int_equal(
                weir_mask_count(rows + row * WORDS, k.c.vocab.count, NULL) > 0,
                row <= 1);
        assert_int_equal(weir_matcher_accept(m, stale[i][0]), WEIR_ACCEPTED);
        assert_int_equal(weir_matcher_accept(m, stale[i][1]), WEIR_REFUSED);
        weir_matcher_free(m);
    }
    kit_end(&k);
}

/* vllm-project/vllm#45015. */
static void stale_mask(void **state)
{
    (void)state;
    Kit k;
    kit_json(&k);
    weir_matcher *m = kit_matcher(&k);
    uint64_t at_start = weir_matcher_generation(m);
    kit_hash(m, &k); /* the mask of step n, used at step n + 1 too */
    uint32_t open = kit_find(&k, "{"), quote = kit_find(&k, "\"");
    assert_int_equal(weir_matcher_accept_at(m, open, at_start), WEIR_ACCEPTED);
    uint64_t before = kit_hash(m, &k);
    assert_int_equal(weir_matcher_accept_at(m, quote, at_start),
                     WEIR_STALE_MASK);
    assert_int_equal(weir_matcher_steps(m), 1);
    assert_true(kit_hash(m, &k) == before);
    uint64_t now = weir_matcher_generation(m);
    assert_int_equal(weir_matcher_accept_at(m, quote, now), WEIR_ACCEPTED);
    /* another way to the same length is another position */
    weir_matcher_rollback(m, 1);
    kit_read(&k, m, "}");
    assert_int_equal(weir_matcher_accept_at(m, quote, now), WEIR_STALE_MASK);
    weir_matcher_free(m);
    kit_end(&k);
}

/* ---- many matchers ---- */

/* epfl-dlab/transformers-CFG#9: a hundred beams from a state of 1,000 tokens.
 * Forks copy 12 to 24 bytes a step: 100 of them in well under a millisecond on
 * an idle machine; the bench has the time, this test what they mean. */
static void beam_search(void **state)
{
    (void)state;
    enum { STEPS = 1000, BEAMS = 100 };
    Kit k;
    kit_json(&k);
    weir_matcher *m = kit_matcher(&k), *beams[BEAMS];
    kit_read(&k, m, "{\"");
    uint32_t a = kit_find(&k, "a"), b = kit_find(&k, "b");
    for (int i = 0; i < STEPS; i++) weir_matcher_accept(m, a);
    uint64_t before = kit_hash(m, &k);
    for (int i = 0; i < BEAMS; i++)
        assert_non_null(beams[i] = weir_matcher_fork(m));
    for (int i = 0; i < BEAMS; i++) { /* each goes its own way */
        for (int n = 0; n < i % 7; n++) weir_matcher_accept(beams[i], b);
        kit_read(&k, beams[i], i % 2 ? "\": [" : "\": {");
        if (i % 3 == 0)
            assert_int_equal(weir_matcher_rollback(beams[i], 900), WEIR_OK);
    }
    weir_matcher *swap = beams[3]; /* reorder, and drop the parent */
    beams[3] = beams[70];
    beams[70] = swap;
    assert_true(kit_hash(m, &k) == before);
    assert_int_equal(weir_matcher_steps(m), STEPS + 1);
    weir_matcher_free(m);
    for (int i = 0; i < BEAMS; i++) {
        int was = i == 3 ? 70 : i == 70 ? 3 : i;
        if (was % 3 == 0)
            assert_true(kit_hash(beams[i], &k) == before);
        else
            assert_true(weir_matcher_allows(beams[i],
                                            kit_find(&k, was % 2 ? "]" : "}")));
        assert_int_equal(weir_matcher_allows(beams[i], a), was % 3 == 0);
        weir_matcher_free(beams[i]);
    }
    kit_end(&k);
}

/* sgl-project/sglang#7321: two masks, two buffers, used later. The pointer of
 * weir_matcher_mask is per matcher and never written again either. */
static void bitmask_aliasing(void **state)
{
    (void)state;
    enum { WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX) };
    Kit k;
    kit_json(&k);
    weir_matcher *a = kit_matcher(&k), *b = kit_matcher(&k);
    kit_read(&k, a, "{");
    kit_read(&k, b, "{\"");
    int32_t row_a[WORDS] = {0}, row_b[WORDS] = {0}, again[WORDS] = {0};
    weir_matcher_fill(a, row_a);
    const int32_t *kept_a = weir_matcher_mask(a);
    weir_matcher_fill(b, row_b);
    const int32_t *kept_b = weir_matcher_mask(b);
    size_t nbytes = WEIR_MASK_WORDS(k.c.vocab.count) * sizeof *row_a;
    assert_memory_not_equal(row_a, row_b, nbytes);
    assert_memory_equal(kept_a, row_a, nbytes);
    assert_memory_equal(kept_b, row_b, nbytes);
    kit_read(&k, b, "a\": ");
    for (int i = 0; i < 3; i++) weir_matcher_mask(b);
    weir_matcher_fill(a, again);
    assert_memory_equal(row_a, again, nbytes);
    assert_memory_equal(kept_a, again, nbytes);
    weir_matcher_free(a);
    weir_matcher_free(b);
    kit_end(&k);
}

/* ---- walks ---- */

/* mlc-ai/mlc-llm#2223: 10,000 walks in lock step, tokens drawn evenly from
 * the mask; each ends by the shortest way out and is JSON for a reader that
 * shares nothing with the grammar. */
static void token_not_accepted(void **state)
{
    (void)state;
    enum { WALKS = 10000, FREE = 30, ROOM = 4096 };
    Kit k;
    kit_json(&k);
    weir_matcher *m = kit_matcher(&k);
    for (int walk = 0; walk < WALKS; walk++) {
        char text[ROOM];
        uint32_t ids[ROOM], n = 0;
        weir_matcher_reset(m);
        while (n < FREE && !weir_matcher_is_terminated(m)) {
            const int32_t *mask = weir_matcher_mask(m);
            size_t count = weir_mask_count(mask, k.c.vocab.count, NULL);
            assert_true(count > 0);
            size_t skip = rng_below(&k.rng, (uint32_t)count);
            uint32_t id = 0;
            while (!kit_bit(mask, id) || skip--) id++;
            assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
            ids[n++] = id;
        }
        size_t rest = weir_matcher_finish_tokens(m, ids + n, ROOM - n);
        assert_true(rest <= ROOM - n);
        for (size_t i = 0; i < rest; i++)
            assert_int_equal(weir_matcher_accept(m, ids[n++]), WEIR_ACCEPTED);
        assert_true(weir_matcher_is_completed(m));
        size_t size = weir_vocab_decode(k.vocab, ids, n, false, text, ROOM);
        Json json;
        weir_error err;
        if (!json_parse(&json, &k.mem, span_of(text, size), NULL, &err))
            fail_msg("%.*s: %s", (int)size, text, err.message);
        assert_int_equal(json_kind(&json, JSON_ROOT), JSON_OBJECT);
        json_free(&json);
    }
    weir_matcher_free(m);
    kit_end(&k);
}

/* ollama/ollama#12559, the part that is the library's: equal masks give equal
 * draws, so a walk is a function of its seed, also on a used grammar. */
static void seed_determinism(void **state)
{
    (void)state;
    uint64_t hashes[2] = {0, 0};
    for (int run = 0; run < 2; run++) {
        Kit k;
        kit_json(&k);
        if (run) { /* another request has been here */
            weir_matcher *m = kit_matcher(&k);
            kit_read(&k, m, "{\"b\": [1, {\"a\": -1}]}");
            weir_matcher_free(m);
        }
        weir_matcher *m = kit_matcher(&k);
        Rng rng = {42};
        for (int n = 0; n < 200 && !weir_matcher_is_terminated(m); n++) {
            const int32_t *mask = weir_matcher_mask(m);
            hashes[run] ^=
                weir_mask_hash(mask, k.c.vocab.count) * 31 + (hashes[run] << 7);
            uint32_t id;
            assert_true(weir_mask_count(mask, k.c.vocab.count, NULL) > 0);
            do id = rng_below(&rng, k.c.vocab.count);
            while (!kit_bit(mask, id));
            weir_matcher_accept(m, id);
        }
        weir_matcher_free(m);
        kit_end(&k);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ---- life ---- */

/* langchain-ai/langchain#9727. */
static void failed_creation(void **state)
{
    (void)state;
    static const struct {
        weir_source_kind kind;
        const char *text;
    } bad[] = {{WEIR_EBNF, "root ::= ("},
               {WEIR_EBNF, ""},
               {WEIR_EBNF, "root ::= nowhere"},
               {WEIR_EBNF, "root ::= root"},
               {WEIR_REGEX, "("},
               {(weir_source_kind)99, ""}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        weir_error err;
        weir_grammar *g = weir_grammar_compile(
            NULL, bad[i].kind, kit_bytes(bad[i].text), NULL, &err);
        assert_null(g);
        assert_int_not_equal(err.status, WEIR_OK);
        assert_true(err.message[0]);
        weir_grammar_free(g);
        /* nobody has to want the error */
        assert_null(weir_grammar_compile(NULL, bad[i].kind,
                                         kit_bytes(bad[i].text), NULL, NULL));
    }
    weir_grammar_free(NULL);
    weir_vocab_free(NULL);
    weir_matcher_free(NULL);
    weir_compiler_free(NULL);
    weir_pool_free(NULL);
}

/* NVIDIA/TensorRT-LLM#2660: a matcher knows no prompt; two are alike from
 * their making on, whatever is done between. */
static void kv_reuse(void **state)
{
    (void)state;
    Kit k;
    kit_json(&k);
    weir_matcher *first = kit_matcher(&k);
    uint64_t start = kit_hash(first, &k);
    kit_read(&k, first, "{\"a\": 1}");
    weir_matcher *second = kit_matcher(&k);
    assert_int_equal(weir_matcher_steps(second), 0);
    assert_true(kit_hash(second, &k) == start);
    weir_matcher_free(first);
    kit_read(&k, second, "{\"a\": 1}");
    weir_matcher_free(second);
    kit_end(&k);
}

/* mdegans/drama_llama#43: free text or structure, by hand; forced tokens. */
static void free_text(void **state)
{
    (void)state;
    static const struct {
        const char *prefix;
        bool is_free;
    } rows[] = {{"", false},          {"{", false},         {"{\"", true},
                {"{\"ab", true},      {"{\"a\"", false},    {"{\"a\":", false},
                {"{\"a\":\"", true},  {"{\"a\":-", false},  {"{\"a\":1", false},
                {"{\"a\":tr", false}, {"{\"a\":1}", false}, {"{\"\\", false}};
    Kit k;
    kit_json(&k);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        weir_matcher *m = kit_matcher(&k);
        assert_int_equal(
            weir_matcher_accept_bytes(m, kit_bytes(rows[i].prefix), NULL),
            WEIR_ACCEPTED);
        if (weir_matcher_is_free_text(m) != rows[i].is_free)
            fail_msg("\"%s\": expected %d", rows[i].prefix, rows[i].is_free);
        weir_matcher_free(m);
    }
    weir_matcher *m = kit_matcher(&k);
    char forced[8];
    kit_read(&k, m, "{\"a\":");
    weir_matcher_accept_bytes(m, kit_bytes("tr"), NULL);
    assert_int_equal(weir_matcher_forced_bytes(m, forced, sizeof forced), 2);
    assert_memory_equal(forced, "ue", 2);
    weir_matcher_free(m);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("stop-token-mid-json-mask", stop_mid_json),
        CASE("accept-after-terminated", after_terminated),
        CASE("mask-after-terminated-reasoning-spec", mask_after_terminated),
        CASE("json-mode-trailing-space", trailing_space),
        CASE("after-terminated-full-mask", after_terminated_mask),
        CASE("multiple-eos", multiple_eos),
        CASE("eos-text-fits-string", eos_text),
        CASE("empty-stack-control-token", control_token),
        CASE("whitespace-carriage-return", carriage_return),
        CASE("invalid-utf8-in-string", invalid_utf8),
        CASE("rollback-zero", rollback_zero),
        CASE("rollback-too-many", rollback_too_many),
        CASE("recompute-restarts-grammar", recompute),
        CASE("pd-disagg-first-token", pd_disagg),
        CASE("spec-draft-fence-token", draft_fence),
        CASE("draft-first-only-masked", draft_rows),
        CASE("fail-open-mask-rows", fail_open_rows),
        CASE("pipeline-stale-state", stale_mask),
        CASE("beam-search-fork", beam_search),
        CASE("cached-bitmask-aliasing", bitmask_aliasing),
        CASE("mlc-token-not-accepted", token_not_accepted),
        CASE("seed-nondeterminism", seed_determinism),
        CASE("grammar-del-attribute-error", failed_creation),
        CASE("kv-reuse-segv", kv_reuse),
        CASE("penalty-structural-tokens", free_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
