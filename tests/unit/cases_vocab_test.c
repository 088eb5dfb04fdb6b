/* cases_vocab_test.c: published cases about tokens and their bytes, and about
 * the cache of grammars, which lives as long as a vocabulary. A test is named
 * after its case; docs/cases.md has them all, and mask_rows_test.c those about
 * masks of a width other than the logits'.
 */
#include "oracle/sanitized.h"
#include "unit/cases_kit.h"

#include <stdio.h>

/* ---- SentencePiece ---- */

/* The pieces of string-vocab-byte-hex, as tokenizer.json has them, and those
 * of gbnf-json-leading-space-piece. Ids in order, from 0. */
enum {
    LINE,        /* <0x0A> */
    OPEN_BYTE,   /* <0x7B> */
    SPACE_A,     /* ▁a */
    OPEN,        /* { */
    CLOSE,       /* } */
    SPACE,       /* ▁ */
    SPACE_OPEN,  /* ▁{ */
    QUOTE,       /* " */
    INTENT,      /* intent */
    KEY_END,     /* ":" */
    POWER,       /* power_off */
    QUOTE_CLOSE, /* "} */
    LETTER_X,    /* x */
    END,         /* </s> */
    PIECES
};

static const char sentencepiece[] =
    "{\"added_tokens\": [{\"id\": 13, \"content\": \"</s>\", \"special\": true}"
    "], \"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [{\"type\": "
    "\"Prepend\", \"prepend\": \"\xE2\x96\x81\"}, {\"type\": \"Replace\", "
    "\"pattern\": {\"String\": \" \"}, \"content\": \"\xE2\x96\x81\"}]}, "
    "\"pre_tokenizer\": null, \"decoder\": {\"type\": \"Sequence\", "
    "\"decoders\": [{\"type\": \"Replace\", \"pattern\": {\"String\": "
    "\"\xE2\x96\x81\"}, \"content\": \" \"}, {\"type\": \"ByteFallback\"}, "
    "{\"type\": \"Fuse\"}, {\"type\": \"Strip\", \"content\": \" \", "
    "\"start\": 1, \"stop\": 0}]}, \"model\": {\"type\": \"BPE\", "
    "\"byte_fallback\": true, \"vocab\": {\"<0x0A>\": 0, \"<0x7B>\": 1, "
    "\"\xE2\x96\x81\x61\": 2, \"{\": 3, \"}\": 4, \"\xE2\x96\x81\": 5, "
    "\"\xE2\x96\x81{\": 6, \"\\\"\": 7, \"intent\": 8, \"\\\":\\\"\": 9, "
    "\"power_off\": 10, \"\\\"}\": 11, \"x\": 12}, \"merges\": []}}";

static weir_vocab *load_sentencepiece(void)
{
    weir_error err;
    weir_bytes file = {sentencepiece, sizeof sentencepiece - 1};
    weir_vocab *v = weir_vocab_load(NULL, file, NULL, &err);
    if (!v) fail_msg("%s", err.message);
    assert_int_equal(weir_vocab_width(v), PIECES);
    return v;
}

static void check_row(weir_matcher *m, uint32_t want)
{
    int32_t row[1];
    weir_matcher_fill(m, row);
    assert_int_equal((uint32_t)row[0], want);
}

static weir_matcher *json_matcher(weir_vocab *v)
{
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_OBJECT, (weir_bytes){0}, NULL, NULL);
    assert_non_null(g);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    return m;
}

#define BIT(id) (1u << (id))

/* karpathy/llama2.c#226. */
static void byte_hex(void **state)
{
    (void)state;
    static const char *const bytes[] = {"\n", "{", " a", "{", "}", " "};
    weir_vocab *v = load_sentencepiece();
    weir_vocab_info info = {.size = sizeof info};
    weir_vocab_describe(v, &info);
    assert_int_equal(info.coding, WEIR_CODING_BYTE_FALLBACK);
    for (uint32_t id = 0; id < COUNT_OF(bytes); id++) {
        weir_bytes got = weir_vocab_token(v, id).bytes;
        assert_int_equal(got.size, strlen(bytes[id]));
        assert_memory_equal(got.data, bytes[id], got.size);
    }
    weir_matcher *m = json_matcher(v);
    check_row(m, BIT(OPEN) | BIT(OPEN_BYTE)); /* both, wherever { fits */
    assert_int_equal(weir_matcher_accept(m, OPEN_BYTE), WEIR_ACCEPTED);
    /* ":" is a key, and "} begins one */
    check_row(m, BIT(LINE) | BIT(SPACE) | BIT(CLOSE) | BIT(QUOTE) |
                     BIT(KEY_END) | BIT(QUOTE_CLOSE));
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* The same pieces as plain tokens: their text as it stands. Then <0x7B> is
 * six characters, and { has one token only. */
static void byte_hex_raw(void **state)
{
    (void)state;
    static const char *const texts[] = {"<0x0A>", "<0x7B>", "{", "}", "\""};
    weir_token tokens[COUNT_OF(texts)];
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        tokens[i] = (weir_token){kit_bytes(texts[i]), 0};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(texts), NULL, NULL);
    assert_non_null(v);
    weir_matcher *m = json_matcher(v);
    check_row(m, BIT(2));
    assert_int_equal(weir_matcher_accept(m, 2), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, 4), WEIR_ACCEPTED);
    check_row(m, BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(4));
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* ggml-org/llama.cpp#18173. A piece's bytes are those it adds in the middle of
 * a text (tokenizers.md 1.2: what strips the first piece's space is left to
 * the decoder). So " {" is not offered at the start, where the grammar has no
 * blank, and "{" is: whatever the decoder strips, the decoded text is the
 * object. */
static void leading_space(void **state)
{
    (void)state;
    static const uint32_t ids[] = {OPEN,    QUOTE, INTENT,
                                   KEY_END, POWER, QUOTE_CLOSE};
    weir_vocab *v = load_sentencepiece();
    weir_matcher *m = json_matcher(v);
    assert_false(weir_matcher_allows(m, SPACE_OPEN));
    assert_false(weir_matcher_allows(m, SPACE));
    assert_false(weir_matcher_allows(m, LETTER_X));
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_terminated(m));
    check_row(m, BIT(END));
    char text[64];
    size_t size =
        weir_vocab_decode(v, ids, COUNT_OF(ids), false, text, sizeof text);
    static const char want[] = "{\"intent\":\"power_off\"}";
    assert_int_equal(size, sizeof want - 1);
    assert_memory_equal(text, want, size);
    weir_matcher_reset(m);
    assert_int_equal(weir_matcher_accept(m, LETTER_X), WEIR_REFUSED);
    weir_matcher_free(m);
    weir_vocab_free(v);
}

/* ---- jumps ---- */

/* An encoder of a caller's own, which puts a blank before all. */
static size_t encode_spaced(void *user, weir_bytes text, bool parse_special,
                            uint32_t *ids, size_t capacity)
{
    (void)user;
    (void)parse_special;
    (void)text;
    if (capacity) ids[0] = SPACE;
    if (capacity > 1) ids[1] = OPEN;
    return 2;
}

/* A tokenizer that puts a blank before what it encodes: not before forced
 * text, which stands behind other text. Where it does so all the same the
 * grammar refuses the blank, and all is drawn. */
static void forced_behind_space(void **state)
{
    (void)state;
    static const uint32_t want[] = {OPEN, QUOTE, LETTER_X, QUOTE, CLOSE};
    weir_vocab *v = load_sentencepiece();
    weir_bytes only = kit_bytes("{\"x\"}");
    weir_grammar *g = weir_grammar_choice(v, &only, 1, NULL, NULL);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    uint32_t ids[8];
    size_t rollback;
    assert_int_equal(weir_vocab_encode(v, kit_bytes("{"), false, ids, 8), 2);
    assert_true(ids[0] == SPACE && ids[1] == OPEN);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        size_t left = COUNT_OF(want) - i;
        assert_int_equal(weir_matcher_forced_tokens(m, ids, 8), left);
        assert_memory_equal(ids, want + i, left * sizeof *ids);
        assert_int_equal(weir_matcher_forced_retoken(m, ids, 8, &rollback),
                         left);
        assert_int_equal(rollback, 0);
        assert_int_equal(weir_matcher_accept(m, want[i]), WEIR_ACCEPTED);
    }
    assert_true(weir_matcher_is_terminated(m));
    weir_matcher_reset(m);
    weir_vocab_set_encoder(v, encode_spaced, NULL);
    assert_int_equal(weir_matcher_forced_tokens(m, ids, 8), 0);
    assert_int_equal(weir_matcher_steps(m), 0);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* vllm-project/vllm#15490: of the two answers in the case, forced_retoken
 * gives the first and forced_tokens the second. */
static void retoken(void **state)
{
    (void)state;
    static const char *const texts[] = {"h", "i", "hi", "hi!", "!"};
    enum { H, I, HI, HI_MARK, MARK };
    weir_token tokens[COUNT_OF(texts)];
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        tokens[i] = (weir_token){kit_bytes(texts[i]), 0};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(texts), NULL, NULL);
    weir_bytes only = kit_bytes("hi!");
    weir_grammar *g = weir_grammar_choice(v, &only, 1, NULL, NULL);
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_matcher *m = weir_matcher_new(g, &opts, NULL);
    weir_matcher *straight = weir_matcher_new(g, &opts, NULL);
    uint32_t ids[8];
    size_t rollback = 99;
    assert_int_equal(weir_matcher_accept(m, H), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_forced_tokens(m, ids, 8), 2);
    assert_int_equal(ids[0], I);
    assert_int_equal(ids[1], MARK);
    assert_int_equal(weir_matcher_forced_retoken(m, ids, 8, &rollback), 1);
    assert_int_equal(rollback, 1);
    assert_int_equal(ids[0], HI_MARK);
    assert_int_equal(weir_matcher_steps(m), 1); /* asking moves nothing */
    assert_int_equal(weir_matcher_rollback(m, rollback), WEIR_OK);
    assert_int_equal(weir_matcher_accept(m, ids[0]), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(straight, HI_MARK), WEIR_ACCEPTED);
    char saved[2][256];
    size_t size = weir_matcher_export(m, saved[0], sizeof saved[0]);
    assert_int_equal(weir_matcher_export(straight, saved[1], sizeof saved[1]),
                     size);
    assert_memory_equal(saved[0], saved[1], size);
    assert_int_equal(weir_matcher_is_completed(m), true);
    /* at the start and at the end there is nothing to take back */
    weir_matcher_reset(m);
    assert_int_equal(weir_matcher_forced_retoken(m, ids, 8, &rollback), 1);
    assert_int_equal(rollback, 0);
    assert_int_equal(ids[0], HI_MARK);
    assert_int_equal(weir_matcher_forced_retoken(straight, ids, 8, &rollback),
                     0);
    assert_int_equal(rollback, 0);
    weir_matcher_free(m);
    weir_matcher_free(straight);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* A token that was taken as a token, not as its text, cannot be joined with
 * text: what comes back must be accepted all the same. */
static void retoken_after_token_edge(void **state)
{
    (void)state;
    static const char *const texts[] = {"h", "i", "hi", "hi!", "!"};
    weir_token tokens[COUNT_OF(texts)];
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        tokens[i] = (weir_token){kit_bytes(texts[i]), 0};
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(texts), NULL, NULL);
    weir_error err;
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_EBNF, kit_bytes("root ::= Token(0) \"i!\""), NULL, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    uint32_t ids[8];
    size_t rollback;
    assert_int_equal(weir_matcher_accept(m, 0), WEIR_ACCEPTED);
    size_t n = weir_matcher_forced_retoken(m, ids, 8, &rollback);
    assert_int_equal(weir_matcher_rollback(m, rollback), WEIR_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
    assert_true(n == 0 || weir_matcher_is_completed(m));
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* ---- the cache of grammars ---- */

static weir_vocab *letters(void)
{
    Kit k;
    kit_begin(&k, "ab", "abc");
    weir_vocab *v = judge_vocab(&k.c.vocab);
    ir_free(&k.c.ir);
    return v;
}

static weir_compiler *compiler_of(weir_vocab *v, uint64_t cache_bytes)
{
    weir_compiler_opts opts = {.size = sizeof opts, .cache_bytes = cache_bytes};
    weir_compiler *c = weir_compiler_new(v, &opts, NULL);
    assert_non_null(c);
    return c;
}

static weir_compiler_stats stats_of(weir_compiler *c)
{
    weir_compiler_stats stats = {.size = sizeof stats};
    weir_compiler_describe(c, &stats);
    return stats;
}

/* A small grammar under a comment of `size` bytes that `number` makes another
 * one. The caller frees it. */
static char *commented(size_t size, unsigned number)
{
    char *text = malloc(size + 64);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "root ::= \"a\" \"b\"\n# %u ", number);
    memset(text + n, 'x', size);
    text[n + size] = 0;
    return text;
}

/* What the cache holds is counted by the environment, not asked of it. */
typedef struct Counted {
    size_t held;
} Counted;

static void *counted_allocate(void *user, size_t nbytes)
{
    ((Counted *)user)->held += nbytes;
    return malloc(nbytes ? nbytes : 1);
}

static void *counted_resize(void *user, void *p, size_t old, size_t nbytes)
{
    Counted *c = user;
    void *q = realloc(p, nbytes ? nbytes : 1);
    if (q) c->held += nbytes - old;
    return q;
}

static void counted_release(void *user, void *p, size_t nbytes)
{
    ((Counted *)user)->held -= nbytes;
    free(p);
}

/* mlc-ai/xgrammar#874: 1,000 sources of 200 KB, 16 MB: what is held in all
 * stays within 1.2 times the limit. */
static void key_memory(void **state)
{
    (void)state;
    enum { REQUESTS = 1000, SIZE = 200000, LIMIT = 16777216 };
    Counted counted = {0};
    weir_env env = {sizeof env, counted_allocate, counted_resize,
                    counted_release, &counted};
    weir_token token = {kit_bytes("a"), 0};
    weir_vocab *v = weir_vocab_new(&env, &token, 1, NULL, NULL);
    assert_non_null(v);
    size_t before = counted.held;
    weir_compiler *c = compiler_of(v, LIMIT);
    for (unsigned i = 0; i < REQUESTS; i++) {
        char *text = commented(SIZE, i);
        weir_grammar *g =
            weir_compiler_compile(c, WEIR_EBNF, kit_bytes(text), NULL, NULL);
        assert_non_null(g);
        weir_grammar_free(g);
        free(text);
        if (counted.held - before > LIMIT / 10 * 12)
            fail_msg("request %u: %zu bytes held", i, counted.held - before);
    }
    weir_compiler_stats stats = stats_of(c);
    assert_true(stats.entries > 1 && stats.entries <= LIMIT / SIZE);
    assert_true(stats.bytes >= stats.entries * SIZE);
    weir_compiler_free(c);
    assert_int_equal(counted.held, before);
    weir_vocab_free(v);
    assert_int_equal(counted.held, 0);
}

enum { TOKENS = 2000 };

/* A pattern that repeats up to `most` times, an output and its masks. */
static void run_pattern(weir_compiler *c, unsigned most)
{
    static int32_t row[WEIR_MASK_WORDS(TOKENS)];
    char pattern[64];
    snprintf(pattern, sizeof pattern, "([a-m]{2}n?[c-k]|b{1,3}){2,%u}", most);
    weir_grammar *g =
        weir_compiler_compile(c, WEIR_REGEX, kit_bytes(pattern), NULL, NULL);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, NULL) : NULL;
    for (int n = 0; m && n < 40; n++) {
        weir_matcher_fill(m, row);
        weir_matcher_accept_bytes(m, kit_bytes(n % 2 ? "abc" : "b"), NULL);
    }
    weir_matcher_free(m);
    weir_grammar_free(g);
}

/* What outputs have taught a grammar after it was compiled counts, too: 400
 * grammars, each read through once, in a cache with room for some. */
static void growth_memory(void **state)
{
    (void)state;
    enum { REQUESTS = 400, LIMIT = 4 << 20 };
    Counted counted = {0};
    weir_env env = {sizeof env, counted_allocate, counted_resize,
                    counted_release, &counted};
    static char texts[TOKENS][4];
    static weir_token tokens[TOKENS];
    for (unsigned i = 0; i < TOKENS; i++) {
        texts[i][0] = (char)('a' + i % 13);
        texts[i][1] = (char)('a' + i / 13 % 13);
        texts[i][2] = (char)('a' + i / 169 % 13);
        tokens[i].bytes = (weir_bytes){texts[i], 1 + i % 3};
    }
    weir_vocab *v = weir_vocab_new(&env, tokens, TOKENS, NULL, NULL);
    assert_non_null(v);
    weir_compiler *c = compiler_of(v, LIMIT);
    run_pattern(c, 39); /* what the vocabulary learns, it keeps */
    weir_compiler_free(c);
    size_t before = counted.held, most = 0;
    c = compiler_of(v, LIMIT);
    for (unsigned i = 0; i < REQUESTS; i++) {
        run_pattern(c, i + 40);
        most = counted.held - before > most ? counted.held - before : most;
    }
    weir_compiler_stats stats = stats_of(c);
    print_message("%zu bytes at most, %llu grammars kept\n", most,
                  (unsigned long long)stats.entries);
    assert_true(most <= LIMIT / 10 * 12);
    assert_in_range(stats.entries, 2, REQUESTS - 1);
    weir_compiler_free(c);
    assert_int_equal(counted.held, before);
    weir_vocab_free(v);
}

/* Thirty tools, whose descriptions are new in each request. */
static char *tools_schema(unsigned number)
{
    enum { TOOLS = 30, SIZE = 400 };
    char *text = malloc(TOOLS * SIZE + SIZE);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "{\"anyOf\":[");
    for (unsigned i = 0; i < TOOLS; i++)
        n += (size_t)sprintf(
            text + n,
            "%s{\"type\":\"object\",\"description\":\"tool %u of request %u\","
            "\"properties\":{\"name\":{\"const\":\"tool_%u\"},\"count\":{"
            "\"type\":\"integer\",\"description\":\"%u\"}},\"required\":["
            "\"name\"],\"additionalProperties\":false}",
            i ? "," : "", i, number, i, number);
    sprintf(text + n, "]}");
    return text;
}

/* Avarok-Cybersecurity/atlas#417: 2,000 requests with a new text each: once the
 * cache is full, memory is flat. */
static void agent_schemas(void **state)
{
    (void)state;
    enum {
        REQUESTS = IS_SANITIZED ? 400 : 2000,
        LIMIT = (IS_SANITIZED ? 4 : 16) << 20
    };
    Counted counted = {0};
    weir_env env = {sizeof env, counted_allocate, counted_resize,
                    counted_release, &counted};
    weir_token tokens[] = {{kit_bytes("{\""), 0}, {kit_bytes("name"), 0}};
    weir_vocab *v = weir_vocab_new(&env, tokens, 2, NULL, NULL);
    assert_non_null(v);
    weir_compiler *c = compiler_of(v, LIMIT);
    size_t warm = 0, most = 0;
    for (unsigned i = 0; i < REQUESTS; i++) {
        int32_t row[1];
        char *text = tools_schema(i);
        weir_grammar *g = weir_compiler_compile(c, WEIR_JSON_SCHEMA,
                                                kit_bytes(text), NULL, NULL);
        assert_non_null(g);
        weir_matcher *m = weir_matcher_new(g, NULL, NULL);
        for (uint32_t id = 0; id < 2; id++) {
            weir_matcher_fill(m, row);
            assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
        }
        weir_matcher_free(m);
        weir_grammar_free(g);
        free(text);
        size_t *of = i < REQUESTS / 2 ? &warm : &most;
        *of = counted.held > *of ? counted.held : *of;
    }
    print_message("%zu bytes at most in the first half, %zu in the second\n",
                  warm, most);
    assert_true(stats_of(c).entries < REQUESTS / 2); /* it was full by then */
    assert_true(most <= warm / 100 * 101);
    weir_compiler_free(c);
    weir_vocab_free(v);
    assert_int_equal(counted.held, 0);
}

/* incoai/splash#24: bounded by bytes; what is larger than the whole cache is
 * compiled for its request and drives nobody out. */
static void no_shape_cache(void **state)
{
    (void)state;
    enum { SMALL = 1000, LARGE = 8388608, LIMIT = 1 << 20 };
    weir_vocab *v = letters();
    weir_compiler *c = compiler_of(v, LIMIT);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 32; i++) {
            char *text = commented(SMALL, i);
            weir_grammar *g = weir_compiler_compile(
                c, WEIR_EBNF, kit_bytes(text), NULL, NULL);
            assert_non_null(g);
            weir_grammar_free(g);
            free(text);
        }
        assert_int_equal(stats_of(c).misses, 32 + round);
        char *text = commented(LARGE, (unsigned)round);
        weir_grammar *g =
            weir_compiler_compile(c, WEIR_EBNF, kit_bytes(text), NULL, NULL);
        assert_non_null(g);
        weir_matcher *m = weir_matcher_new(g, NULL, NULL);
        assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes("ab"), NULL),
                         WEIR_ACCEPTED);
        weir_matcher_free(m);
        weir_grammar_free(g);
        free(text);
        assert_int_equal(stats_of(c).entries, 32);
        assert_true(stats_of(c).bytes <= LIMIT);
    }
    weir_compiler_free(c);
    weir_vocab_free(v);
}

/* InternLM/lmdeploy#4028: 40 running matchers, a cache with room for four of
 * their grammars: each goes on as if alone. */
static void evicts_running(void **state)
{
    (void)state;
    enum { RUNNING = 40, SIZE = 20000 };
    weir_vocab *v = letters();
    weir_compiler *c = compiler_of(v, 4 * (SIZE + 20000));
    weir_matcher *m[RUNNING];
    for (unsigned i = 0; i < RUNNING; i++) {
        static char text[SIZE + 200];
        size_t n = (size_t)sprintf(
            text, "root ::= \"a\"{%u} [bc] \"a\"{%u}\n# ", i + 1, i);
        memset(text + n, 'x', SIZE);
        text[n + SIZE] = 0;
        weir_grammar *g =
            weir_compiler_compile(c, WEIR_EBNF, kit_bytes(text), NULL, NULL);
        assert_non_null(g);
        m[i] = weir_matcher_new(g, NULL, NULL);
        assert_non_null(m[i]);
        weir_grammar_free(g);
        assert_in_range(stats_of(c).entries, 1, 10);
    }
    weir_compiler_clear(c);
    for (unsigned step = 0; step < 2 * RUNNING + 2; step++)
        for (unsigned i = 0; i < RUNNING; i++) {
            const char *letter = step == i + 1 ? "c" : "a";
            bool want = step < 2 * i + 2;
            weir_accept got =
                weir_matcher_accept_bytes(m[i], kit_bytes(letter), NULL);
            assert_int_equal(got == WEIR_ACCEPTED, want);
            assert_int_equal(weir_matcher_is_completed(m[i]),
                             step + 1 >= 2 * i + 2);
        }
    for (unsigned i = 0; i < RUNNING; i++) weir_matcher_free(m[i]);
    weir_compiler_free(c);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("string-vocab-byte-hex", byte_hex),
        CASE("string-vocab-byte-hex, raw", byte_hex_raw),
        CASE("gbnf-json-leading-space-piece", leading_space),
        CASE("jump-forward-retoken", retoken),
        CASE("jump-forward-retoken, after a token edge",
             retoken_after_token_edge),
        CASE("item 98: forced text behind a blank", forced_behind_space),
        CASE("cache-key-memory-uncounted", key_memory),
        CASE("cache-key-memory-uncounted, growth", growth_memory),
        CASE("cache-agent-schemas-growth", agent_schemas),
        CASE("key-dot-no-shape-cache", no_shape_cache),
        CASE("lru-evicts-running", evicts_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
