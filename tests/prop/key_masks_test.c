/* key_masks_test.c: objects of random names, read by tokens that end, hold and
 * begin keys: every mask, met for the first time and again, has the bits that
 * the tokens get when each is tried alone, byte by byte.
 *
 * Names, spellings and tokens are made of the same few pieces, so that many
 * tokens go through the end of a name. Schemas have open and closed objects,
 * patterns, escapes, either order of members, and objects inside of objects.
 * Reads: WEIR_SEED, WEIR_CASES (schemas).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/out.h"
#include "oracle/rng.h"
#include "weir/weir.h"

enum { TOKENS = 3000, MOST_TOKEN = 48, TEXT = 8192, STEPS = 40 };

/* Of keys as JSON spells them. */
static const char *const pieces[] = {"a",
                                     "b",
                                     "ab",
                                     "aba",
                                     "n",
                                     "\\\"",
                                     "\\\\",
                                     "/",
                                     "\\n",
                                     "\\u001f",
                                     "x-",
                                     "\xC3\xA9",
                                     "z",
                                     "abab",
                                     "_",
                                     "\\/",
                                     "\\u0061",
                                     "A",
                                     "\xF0\x9F\x98\x80"};
/* Of texts around them. */
static const char *const around[] = {
    "\"", "\":",    "\": ", "\":1", "\": \"", ", \"", "{\"", "}", "{}",   "[]",
    ":",  "\":{\"", "1",    ",",    " ",      "\"}",  "\",", "]", "true", "\n"};

#define PICK(rng, list) (list)[rng_below((rng), sizeof(list) / sizeof *(list))]

/* ---- a vocabulary ---- */

typedef struct Tokens {
    weir_token at[TOKENS + 256];
    char text[TOKENS + 256][MOST_TOKEN + 1];
    uint32_t count;
} Tokens;

static void add_token(Tokens *t, const char *text, size_t size)
{
    char *copy = t->text[t->count];
    memcpy(copy, text, size);
    t->at[t->count++] = (weir_token){.bytes = {copy, size}};
}

static weir_vocab *random_vocab(Rng *rng, Tokens *t)
{
    weir_error err;
    t->count = 0;
    for (unsigned b = 0; b < 256; b++) add_token(t, &(char){(char)b}, 1);
    while (t->count < TOKENS + 256) {
        char text[MOST_TOKEN + 1];
        Out out = {text, MOST_TOKEN, 0};
        for (uint32_t n = 1 + rng_below(rng, 5); n--;)
            out_text(&out, rng_chance(rng, 60) ? PICK(rng, pieces)
                                               : PICK(rng, around));
        if (out.size <= MOST_TOKEN) add_token(t, text, out.size);
    }
    weir_vocab *v = weir_vocab_new(NULL, t->at, t->count, NULL, &err);
    assert_non_null(v);
    return v;
}

/* ---- a schema ---- */

static void put_name(Rng *rng, Out *out)
{
    out_text(out, "\"");
    for (uint32_t n = rng_below(rng, 4); n--;) out_text(out, PICK(rng, pieces));
    out_text(out, "\"");
}

static void put_schema(Rng *rng, Out *out, unsigned depth);

static void put_member(Rng *rng, Out *out, unsigned depth)
{
    put_name(rng, out);
    out_text(out, ":");
    put_schema(rng, out, depth);
}

/* Twice the same name: the last one counts, and is fine. */
static void put_object(Rng *rng, Out *out, unsigned depth)
{
    static const char *const patterns[] = {"^x-", "a$",    "^(a|b)+$",
                                           "^n?", "^[^_]", "b.*b"};
    out_text(out, "{\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0, n = rng_below(rng, 7); i < n; i++) {
        if (i) out_text(out, ",");
        put_member(rng, out, depth + 1);
    }
    out_text(out, "}");
    if (rng_chance(rng, 30)) {
        out_text(out, ",\"required\":[");
        put_name(rng, out);
        out_text(out, "]");
    }
    if (rng_chance(rng, 30)) {
        out_text(out, ",\"patternProperties\":{\"");
        out_text(out, PICK(rng, patterns));
        out_text(out, "\":");
        put_schema(rng, out, depth + 1);
        out_text(out, "}");
    }
    if (rng_chance(rng, 60)) {
        out_text(out, ",\"additionalProperties\":");
        put_schema(rng, out, depth + 1);
    }
    out_text(out, "}");
}

static void put_schema(Rng *rng, Out *out, unsigned depth)
{
    static const char *const values[] = {
        "true",
        "{\"type\":\"string\"}",
        "{\"type\":\"integer\"}",
        "{\"enum\":[\"a\",\"ab\",1]}",
        "false",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"};
    if (!depth || (depth < 3 && rng_chance(rng, 30)))
        put_object(rng, out, depth);
    else
        out_text(out, PICK(rng, values));
}

/* ---- masks ---- */

static uint64_t checked;

static bool has_bit(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

static void check_mask(weir_matcher *m, const Tokens *t, const char *schema,
                       const char *so_far)
{
    int32_t row[WEIR_MASK_WORDS(TOKENS + 256)];
    int32_t again[WEIR_MASK_WORDS(TOKENS + 256)];
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(weir_matcher_fill(m, again), WEIR_FILL_ERROR);
        assert_memory_equal(row, again, sizeof row);
    }
    for (uint32_t id = 0; id < t->count; id++)
        if (has_bit(row, id) != weir_matcher_allows(m, id))
            fail_msg("%s\nafter %s\ntoken %u, %.*s, is %s alone", schema,
                     so_far, id, (int)t->at[id].bytes.size,
                     t->at[id].bytes.data,
                     has_bit(row, id) ? "refused" : "allowed");
    checked++;
}

/* Goes on with one of the allowed tokens, a long one more often. False: none,
 * or it is the end. */
static bool go_on(Rng *rng, weir_matcher *m, const Tokens *t, Out *so_far)
{
    uint32_t best = UINT32_MAX, n = 0;
    for (uint32_t tries = 0; tries < 4000 && n < 3; tries++) {
        uint32_t id = rng_below(rng, t->count);
        if (!weir_matcher_allows(m, id)) continue;
        n++;
        if (best == UINT32_MAX || t->at[id].bytes.size > t->at[best].bytes.size)
            best = id;
    }
    if (best == UINT32_MAX) return false;
    out_bytes(so_far, span_of(t->at[best].bytes.data, t->at[best].bytes.size));
    return weir_matcher_accept(m, best) == WEIR_ACCEPTED;
}

static void walk(Rng *rng, weir_grammar *g, const Tokens *t, const char *schema)
{
    char text[TEXT];
    Out so_far = {text, sizeof text - 1, 0};
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    text[0] = 0;
    for (int i = 0; i < STEPS; i++) {
        check_mask(m, t, schema, text);
        if (!go_on(rng, m, t, &so_far)) break;
        text[so_far.size < so_far.cap ? so_far.size : so_far.cap] = 0;
    }
    weir_matcher_free(m);
}

static void check_schema(Rng *rng, weir_vocab *v, const Tokens *t)
{
    char schema[TEXT];
    weir_error err;
    Out out = {schema, sizeof schema - 1, 0};
    put_schema(rng, &out, 0);
    assert_true(out.size < out.cap);
    schema[out.size] = 0;
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.any_order = rng_chance(rng, 30),
                                         .any_escape = rng_chance(rng, 10)}};
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_JSON_SCHEMA, (weir_bytes){schema, out.size}, &opts, &err);
    if (!g) {
        /* a required name of which there is no value */
        assert_int_equal(err.status, WEIR_EMPTY);
        return;
    }
    for (int i = 0; i < 2; i++) walk(rng, g, t, schema);
    weir_grammar_free(g);
}

static void masks_are_what_tokens_get_alone(void **state)
{
    (void)state;
    enum { SCHEMAS_PER_VOCAB = 25 };
    static Tokens tokens;
    uint64_t seed = env_number("WEIR_SEED", 2026), done = 0;
    uint64_t count = case_count(2000, 100);
    Rng rng = {seed};
    print_message("seed %llu\n", (unsigned long long)seed);
    while (done < count) {
        weir_vocab *v = random_vocab(&rng, &tokens);
        for (int i = 0; i < SCHEMAS_PER_VOCAB && done < count; i++, done++)
            check_schema(&rng, v, &tokens);
        weir_vocab_free(v);
    }
    print_message("%llu masks\n", (unsigned long long)checked);
    assert_true(checked > count * 5);
}

/* An empty name is none that stands before it in the same token. */
static void an_empty_name_in_a_token(void **state)
{
    (void)state;
    static Tokens tokens;
    static const char schema[] = "{\"type\":\"object\"}";
    static const char after[] = "{\"b";
    static const char *const texts[] = {"x\":1,\"\":1", "\":1,\"\":1,",
                                        "\":1,\"b\":1", "\":\"\",\"\":[]"};
    static const bool allowed[] = {true, true, false, true};
    int32_t row[WEIR_MASK_WORDS(TOKENS + 256)];
    tokens.count = 0;
    for (unsigned b = 0; b < 256; b++) add_token(&tokens, &(char){(char)b}, 1);
    for (int i = 0; i < 4; i++) add_token(&tokens, texts[i], strlen(texts[i]));
    weir_vocab *v = weir_vocab_new(NULL, tokens.at, tokens.count, NULL, NULL);
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_JSON_SCHEMA, (weir_bytes){schema, strlen(schema)}, NULL, NULL);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_matcher_accept_bytes(m, (weir_bytes){after, strlen(after)}, NULL);
    weir_matcher_fill(m, row);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(has_bit(row, 256 + i), allowed[i]);
        assert_int_equal(weir_matcher_allows(m, 256 + i), allowed[i]);
    }
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_name_in_a_token),
        cmocka_unit_test(masks_are_what_tokens_get_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
