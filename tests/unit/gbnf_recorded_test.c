/* gbnf_recorded_test.c: what llama.cpp answered, reproduced by the dialect.
 *
 * ../shared/data/llamacpp has records of llama.cpp 0.4.0: the mask at each step
 * of many outputs, which texts a grammar accepts byte by byte, character by
 * character and token by token, what it says of odd and broken grammars, what
 * lazy grammars do about their triggers, and which texts the grammars match
 * that its converter made of schemas.
 * The vocabularies are ${WEIR_VOCAB_DIR:-.cache/vocab}/<name>/tokenizer.json.
 * Where either is missing, the tests say so and are skipped.
 *
 * Three records are not followed, on purpose: the grammar that llama.cpp hangs
 * on, the empty one, which it takes for no constraint, and U+0000 in a text
 * that is fed by characters. docs/gbnf.md has the differences.
 */
#include "text/json.h"
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA "../shared/data/llamacpp/"

typedef struct TestVocab {
    const char *name;
    uint32_t width;
    weir_vocab *vocab; /* NULL: not there */
} TestVocab;

static TestVocab vocabs[] = {{"llama3", 128256, NULL}, {"qwen3", 151936, NULL}};

typedef VEC(char) Text;

/* The grammars by name. */
typedef struct TestGrammar {
    char name[48], root[24], text[1024];
    weir_grammar *grammar[COUNT_OF(vocabs)]; /* NULL: not compiled yet */
} TestGrammar;

static TestGrammar grammars[64];
static uint32_t ngrammars;
static Mem mem;

/* ---- files ---- */

static bool read_file(const char *path, Text *text)
{
    FILE *file = fopen(path, "rb");
    size_t n = 1;
    if (!file) return false;
    while (n) {
        assert_true(vec_reserve(&mem, text, text->count + 65537u));
        n = fread(text->at + text->count, 1, 65536, file);
        text->count += (uint32_t)n;
    }
    text->at[text->count] = 0; /* where sscanf ends */
    fclose(file);
    return true;
}

/* Calls `use` for every line of a file of records. */
static uint32_t each_record(const char *path, void (*use)(const Json *record))
{
    Text text = {0};
    uint32_t count = 0;
    if (!read_file(path, &text)) skip();
    for (char *at = text.at, *end = at + text.count; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        Json json;
        weir_error err;
        if (!stop) stop = end;
        Span line = span_of(at, (size_t)(stop - at));
        assert_true(json_parse(&json, &mem, line, NULL, &err));
        use(&json);
        json_free(&json);
        count++;
        at = stop + 1;
    }
    vec_free(&mem, &text);
    return count;
}

static JsonId get(const Json *json, const char *key)
{
    return json_get(json, JSON_ROOT, key);
}

static uint32_t get_number(const Json *json, const char *key)
{
    uint32_t n = 0;
    if (!json_u32(json, get(json, key), &n)) fail_msg("no number %s", key);
    return n;
}

static void get_text(const Json *json, const char *key, char *out, size_t room)
{
    Span text = json_string(json, get(json, key));
    assert_in_range(text.size, 0, room - 1);
    if (text.size) memcpy(out, text.at, text.size);
    out[text.size] = 0;
}

/* ---- vocabularies and grammars ---- */

static weir_vocab *load(const TestVocab *v)
{
    const char *dir = getenv("WEIR_VOCAB_DIR");
    char path[512];
    weir_error err;
    weir_vocab_opts opts = {.size = sizeof opts,
                            .width = v->width,
                            .dialect = WEIR_DIALECT_LLAMA_CPP};
    snprintf(path, sizeof path, "%s/%s/tokenizer.json",
             dir ? dir : ".cache/vocab", v->name);
    weir_vocab *vocab = weir_vocab_load_file(NULL, path, &opts, &err);
    if (!vocab && err.status != WEIR_IO) fail_msg("%s", err.message);
    return vocab;
}

static void add_grammar(const Json *record)
{
    assert_in_range(ngrammars, 0, COUNT_OF(grammars) - 1);
    TestGrammar *g = &grammars[ngrammars++];
    get_text(record, "name", g->name, sizeof g->name);
    get_text(record, "root", g->root, sizeof g->root);
    get_text(record, "text", g->text, sizeof g->text);
}

static int set_up(void **state)
{
    (void)state;
    mem = mem_from_env(NULL);
    FILE *there = fopen(DATA "gbnf_grammars.jsonl", "rb");
    if (!there) return 0;
    fclose(there);
    each_record(DATA "gbnf_grammars.jsonl", add_grammar);
    for (size_t v = 0; v < COUNT_OF(vocabs); v++)
        vocabs[v].vocab = load(&vocabs[v]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ngrammars; i++)
        for (size_t v = 0; v < COUNT_OF(vocabs); v++)
            weir_grammar_free(grammars[i].grammar[v]);
    for (size_t v = 0; v < COUNT_OF(vocabs); v++)
        weir_vocab_free(vocabs[v].vocab);
    return 0;
}

static void need_vocabs(void)
{
    for (size_t v = 0; v < COUNT_OF(vocabs); v++) {
        if (vocabs[v].vocab) continue;
        print_message("skipped: no records, or no %s\n", vocabs[v].name);
        skip();
    }
}

static weir_grammar *compile(weir_vocab *vocab, const char *root, Span text,
                             weir_error *err)
{
    weir_compile_opts opts = {
        .size = sizeof opts, .root = root, .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_bytes source = {(const char *)text.at, text.size};
    return weir_grammar_compile(vocab, WEIR_GBNF, source, &opts, err);
}

static size_t find_vocab(const Json *record)
{
    size_t v = 0;
    while (!json_is_string(record, get(record, "vocab"), vocabs[v].name)) v++;
    assert_in_range(v, 0, COUNT_OF(vocabs) - 1);
    return v;
}

static weir_grammar *find_grammar(const Json *record, size_t v)
{
    weir_error err;
    TestGrammar *g = grammars;
    while (!json_is_string(record, get(record, "grammar"), g->name)) g++;
    assert_true(g < grammars + ngrammars);
    if (!g->grammar[v])
        g->grammar[v] =
            compile(vocabs[v].vocab, g->root, span_text(g->text), &err);
    if (!g->grammar[v]) fail_msg("%s: %s", g->name, err.message);
    return g->grammar[v];
}

static weir_matcher *start(weir_grammar *grammar)
{
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_error err;
    weir_matcher *m = weir_matcher_new(grammar, &opts, &err);
    assert_non_null(m);
    return m;
}

/* ---- masks ---- */

/* The mask is the one of the record; `row` gets it. */
static void expect_mask(weir_matcher *m, const Json *record, uint32_t width,
                        int32_t *row)
{
    char hash[24], text[24];
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    uint32_t want = get_number(record, "n_allowed");
    size_t count = weir_mask_count(row, width, NULL);
    get_text(record, "fnv1a64", hash, sizeof hash);
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)weir_mask_hash(row, width));
    if (count == want && !strcmp(text, hash)) return;
    Span line = json_spelling(record, JSON_ROOT);
    fail_msg("%zu tokens: %.*s", count, (int)MIN(line.size, 400),
             (const char *)line.at);
}

static weir_matcher *present;
static int32_t row[WEIR_MASK_WORDS(151936)];
static unsigned nsteps;

/* Every token alone against its bit, now and then; where token sets are in the
 * grammar, llama.cpp's masks have more. */
static void check_alone(const Json *record, uint32_t width)
{
    enum { EVERY = 97 };
    Span name = json_string(record, get(record, "grammar"));
    if (nsteps++ % EVERY || span_starts(name, SPAN("tok-"))) return;
    for (uint32_t id = 0; id < width; id++) {
        bool allowed = row[id / 32] >> (id % 32) & 1;
        if (weir_matcher_allows(present, id) != allowed)
            fail_msg("%.*s: token %u is not %d alone", (int)name.size,
                     (const char *)name.at, id, allowed);
    }
}

static void mask_step(const Json *record)
{
    size_t v = find_vocab(record);
    uint32_t next = 0;
    if (!get_number(record, "step")) {
        weir_matcher_free(present);
        present = start(find_grammar(record, v));
    } else {
        weir_accept answer =
            weir_matcher_accept(present, get_number(record, "prev"));
        assert_int_equal(answer, WEIR_ACCEPTED);
    }
    expect_mask(present, record, vocabs[v].width, row);
    check_alone(record, vocabs[v].width);
    if (!json_u32(record, get(record, "next"), &next)) return;
    bool allowed = row[next / 32] >> (next % 32) & 1;
    assert_int_equal(allowed,
                     json_bool(record, get(record, "next_allowed"), false));
    if (!allowed)
        assert_int_equal(weir_matcher_accept(present, next), WEIR_REFUSED);
}

static void masks(void **state)
{
    (void)state;
    need_vocabs();
    assert_int_equal(each_record(DATA "gbnf_masks.jsonl", mask_step), 1965);
    weir_matcher_free(present);
    present = NULL;
}

/* ---- accepting ---- */

typedef struct Bytes {
    uint8_t at[256];
    size_t size;
} Bytes;

static void read_hex(Span hex, Bytes *out)
{
    for (out->size = 0; out->size < hex.size / 2; out->size++) {
        unsigned byte;
        const char *at = (const char *)hex.at + 2 * out->size;
        assert_int_equal(sscanf(at, "%2x", &byte), 1);
        out->at[out->size] = (uint8_t)byte;
    }
}

/* Feeds pieces of a character each, or of a byte; the bytes taken. */
static size_t feed(weir_matcher *m, const Bytes *text, bool by_bytes)
{
    size_t pos = 0;
    while (pos < text->size) {
        size_t end = pos + 1;
        while (!by_bytes && end < text->size && (text->at[end] & 0xC0) == 0x80)
            end++;
        weir_bytes piece = {(const char *)text->at + pos, end - pos};
        if (weir_matcher_accept_bytes(m, piece, NULL) != WEIR_ACCEPTED) break;
        pos = end;
    }
    return pos;
}

static bool accepts_tokens(weir_grammar *g, const Bytes *text)
{
    uint32_t ids[256];
    weir_bytes bytes = {(const char *)text->at, text->size};
    size_t n = weir_vocab_encode(weir_grammar_vocab(g), bytes, false, ids, 256);
    assert_in_range(n, 0, 256);
    weir_matcher *m = start(g);
    size_t taken = 0;
    while (taken < n && weir_matcher_accept(m, ids[taken]) == WEIR_ACCEPTED)
        taken++;
    bool done = taken == n && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return done;
}

static void accept_text(const Json *record)
{
    Bytes text;
    Span s = json_string(record, get(record, "s"));
    weir_grammar *g = find_grammar(record, 0);
    bool is_hex = get(record, "hex") != JSON_NONE;
    assert_in_range(s.size, 0, sizeof text.at);
    if (is_hex)
        read_hex(json_string(record, get(record, "hex")), &text);
    else
        memcpy(text.at, s.size ? s.at : text.at, text.size = s.size);
    bool has_zero = memchr(text.at, 0, text.size) != NULL;
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        if (!by_bytes && (is_hex || has_zero)) continue;
        const char *key = by_bytes ? "accepted" : "codepoint_accepted";
        weir_matcher *m = start(g);
        size_t taken = feed(m, &text, by_bytes);
        bool done = taken == text.size && weir_matcher_is_completed(m);
        Span line = json_spelling(record, JSON_ROOT);
        if (done != json_bool(record, get(record, key), false) ||
            (by_bytes && taken != get_number(record, "bytes_consumed")))
            fail_msg("%s, %zu bytes: %.*s", key, taken, (int)line.size,
                     (const char *)line.at);
        weir_matcher_free(m);
    }
    JsonKind by_tokens = json_kind(record, get(record, "token_accepted"));
    if (by_tokens == JSON_TRUE || by_tokens == JSON_FALSE)
        assert_int_equal(accepts_tokens(g, &text), by_tokens == JSON_TRUE);
}

static void accepting(void **state)
{
    (void)state;
    need_vocabs();
    assert_int_equal(each_record(DATA "gbnf_accept.jsonl", accept_text), 1291);
}

/* ---- odd grammars ---- */

static void parse_grammar(const Json *record)
{
    weir_error err;
    Span text = json_string(record, get(record, "grammar"));
    bool ok = json_bool(record, get(record, "sampler_ok"), false);
    if (!text.size || get(record, "crash") != JSON_NONE) return;
    weir_grammar *g = compile(vocabs[0].vocab, NULL, text, &err);
    if (ok != (g != NULL))
        fail_msg("%.*s: %s", (int)MIN(text.size, 200), (const char *)text.at,
                 g ? "compiles" : err.message);
    if (!g) {
        assert_true(err.begin <= err.end && err.end <= text.size);
        return;
    }
    weir_matcher *m = start(g);
    expect_mask(m, record, vocabs[0].width, row);
    weir_matcher_free(m);
    weir_grammar_free(g);
}

static void odd_grammars(void **state)
{
    (void)state;
    need_vocabs();
    assert_int_equal(each_record(DATA "gbnf_parse.jsonl", parse_grammar), 175);
}

/* ---- grammars that schemas were converted to ---- */

static Json pool; /* texts of JSON */
static uint32_t nconverted;

static bool in_list(const Json *record, JsonId list, Span text)
{
    for (JsonIter it = json_iter(record, list); json_step(&it);)
        if (span_equal(json_string(record, it.value), text)) return true;
    return false;
}

static void check_pool(weir_grammar *g, const Json *record)
{
    JsonId accepted = get(record, "pool_accepted");
    for (JsonIter it = json_iter(&pool, JSON_ROOT); json_step(&it);) {
        Span text = json_string(&pool, it.value);
        weir_bytes bytes = {(const char *)text.at, text.size};
        weir_matcher *m = start(g);
        bool done =
            weir_matcher_accept_bytes(m, bytes, NULL) == WEIR_ACCEPTED &&
            weir_matcher_is_completed(m);
        weir_matcher_free(m);
        if (done != in_list(record, accepted, text))
            fail_msg("%.*s: %.*s is %d", (int)MIN(text.size, 80),
                     (const char *)text.at, 200,
                     (const char *)json_string(record, get(record, "gbnf")).at,
                     done);
    }
}

static void converted_grammar(const Json *record)
{
    weir_error err;
    Span text = json_string(record, get(record, "gbnf"));
    if (!text.size) return;
    nconverted++;
    bool parses = json_bool(record, get(record, "gbnf_parses"), false);
    weir_grammar *g = compile(vocabs[0].vocab, NULL, text, &err);
    if (parses != (g != NULL))
        fail_msg("%.*s: %s", (int)MIN(text.size, 300), (const char *)text.at,
                 g ? "compiles" : err.message);
    if (g) check_pool(g, record);
    weir_grammar_free(g);
}

static void converted(void **state)
{
    (void)state;
    Text text = {0};
    weir_error err;
    need_vocabs();
    assert_true(read_file(DATA "schema_pool.json", &text));
    assert_true(
        json_parse(&pool, &mem, span_of(text.at, text.count), NULL, &err));
    each_record(DATA "schema_to_gbnf.jsonl", converted_grammar);
    assert_int_equal(nconverted, 287);
    json_free(&pool);
    vec_free(&mem, &text);
}

/* ---- lazy grammars ---- */

static void expect_row(const Json *record, JsonId step, uint32_t width)
{
    char text[24];
    uint32_t want = 0;
    Span hash = json_string(record, json_get(record, step, "fnv1a64"));
    assert_true(json_u32(record, json_get(record, step, "n_allowed"), &want));
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)weir_mask_hash(row, width));
    Span line = json_spelling(record, JSON_ROOT);
    if (weir_mask_count(row, width, NULL) != want ||
        !span_equal(hash, span_text(text)))
        fail_msg("%.*s", (int)MIN(line.size, 200), (const char *)line.at);
}

static void run_steps(weir_lazy *lazy, const Json *record, uint32_t width)
{
    JsonId steps = get(record, "steps");
    for (JsonIter it = json_iter(record, steps); json_step(&it);) {
        uint32_t id = 0;
        assert_int_not_equal(weir_lazy_fill(lazy, row), WEIR_FILL_ERROR);
        expect_row(record, it.value, width);
        if (!json_u32(record, json_get(record, it.value, "accept"), &id))
            continue;
        bool throws = json_get(record, it.value, "accept_error") != JSON_NONE;
        assert_int_equal(weir_lazy_accept(lazy, id),
                         throws ? WEIR_REFUSED : WEIR_ACCEPTED);
    }
}

static void lazy_scenario(const Json *record)
{
    size_t v = find_vocab(record);
    weir_error err;
    weir_bytes patterns[4];
    uint32_t tokens[4];
    weir_lazy_opts opts = {.size = sizeof opts,
                           .patterns = patterns,
                           .tokens = tokens,
                           .matcher = {.size = sizeof opts.matcher,
                                       .termination = WEIR_TERM_STOP_TOKEN}};
    JsonIter it = json_iter(record, get(record, "patterns"));
    while (json_step(&it)) {
        Span text = json_string(record, it.value);
        patterns[opts.pattern_count++] =
            (weir_bytes){(const char *)text.at, text.size};
    }
    it = json_iter(record, get(record, "trigger_tokens"));
    while (json_step(&it))
        assert_true(json_u32(record, it.value, &tokens[opts.token_count++]));
    weir_grammar *g =
        compile(vocabs[v].vocab, NULL,
                json_string(record, get(record, "grammar")), &err);
    assert_non_null(g);
    weir_lazy *lazy = weir_lazy_new(g, &opts, &err);
    weir_grammar_free(g);
    assert_int_equal(lazy == NULL, get(record, "error") != JSON_NONE);
    if (!lazy) return;
    run_steps(lazy, record, vocabs[v].width);
    weir_lazy_reset(lazy);
    run_steps(lazy, record, vocabs[v].width);
    weir_lazy_free(lazy);
}

static void lazy_grammars(void **state)
{
    (void)state;
    need_vocabs();
    assert_int_equal(each_record(DATA "gbnf_lazy.jsonl", lazy_scenario), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),        cmocka_unit_test(accepting),
        cmocka_unit_test(odd_grammars), cmocka_unit_test(lazy_grammars),
        cmocka_unit_test(converted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
