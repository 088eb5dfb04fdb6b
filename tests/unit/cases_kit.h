/* cases_kit.h: what the tests of published cases share: a grammar with a small
 * vocabulary of its own, and texts replayed through it.
 *
 * kit_accepts and kit_refuses replay a text whole, byte by byte, and token by
 * token in three ways (bytes, longest tokens, random tokens). While the text
 * is short, the mask at every token is compared with the oracle's, which
 * knows only the IR; see oracle/judge.h for what else is asked there.
 */
#ifndef WEIR_TESTS_CASES_KIT_H
#define WEIR_TESTS_CASES_KIT_H

#include "oracle/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "schema/schema.h"
#include "syntax/choice.h"
#include "syntax/ebnf.h"
#include "syntax/gbnf.h"
#include "syntax/json_grammar.h"
#include "syntax/lark.h"
#include "syntax/regex.h"
#include "tag/tag.h"

/* A test under the name of its case. */
#define CASE(id, test)                 \
    {                                  \
        (id), (test), NULL, NULL, NULL \
    }

typedef struct Kit {
    Mem mem;
    Case c; /* the grammar as IR, and the tokens, for the oracle */
    weir_vocab *vocab;
    weir_grammar *grammar;
    Rng rng;
    bool is_judged; /* compare masks with the oracle's */
} Kit;

static inline weir_bytes kit_bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* ---- making ---- */

static inline uint32_t kit_token(Kit *k, const char *text, uint32_t flags)
{
    random_vocab_add(&k->c.vocab, text, strlen(text), flags);
    return k->c.vocab.count - 1;
}

/* Begins with no grammar and the tokens of a text: one a piece, the pieces
 * between bars ("|" itself cannot be one); then the bytes that `letters` has,
 * pieces of characters that the others can finish, and "</s>", which stops. */
static inline void kit_begin(Kit *k, const char *pieces, const char *letters)
{
    memset(k, 0, sizeof *k);
    k->mem = mem_from_env(NULL);
    k->rng.state = 7;
    k->is_judged = true;
    ir_init(&k->c.ir, &k->mem, NULL);
    while (*pieces) {
        size_t size = strcspn(pieces, "|");
        assert_in_range(size, 1, RANDOM_BYTES_MAX);
        random_vocab_add(&k->c.vocab, pieces, size, 0);
        pieces += size + (pieces[size] == '|');
    }
    bool seen[256] = {false};
    for (; *letters; letters++) {
        if (!seen[(uint8_t)*letters])
            random_vocab_add(&k->c.vocab, letters, 1, 0);
        seen[(uint8_t)*letters] = true;
    }
    static const char *const halves[] = {"\x80", "\xC3", "\xE2\x80",
                                         "\xF0\x90"};
    for (size_t i = 0; i < COUNT_OF(halves); i++) kit_token(k, halves[i], 0);
    random_vocab_add(&k->c.vocab, "\0", 1, 0);
    kit_token(k, "</s>", WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP);
}

static inline void kit_made(Kit *k, weir_grammar *grammar,
                            const weir_error *err)
{
    if (!grammar)
        fail_msg("%s: %s", weir_status_name(err->status), err->message);
    assert_true(ir_ok(&k->c.ir));
    k->grammar = grammar;
}

/* The grammar of a text, both by the public way and as IR. */
static inline void kit_compile(Kit *k, weir_source_kind kind,
                               const char *source)
{
    weir_error err;
    Ir *ir = &k->c.ir;
    JsonRules json;
    weir_schema_opts schema = {.draft = WEIR_DRAFT_DEFAULT};
    weir_space space = {.kind = WEIR_SPACE_ANY};
    k->vocab = judge_vocab(&k->c.vocab);
    kit_made(
        k, weir_grammar_compile(k->vocab, kind, kit_bytes(source), NULL, &err),
        &err);
    switch (kind) {
    case WEIR_EBNF:
        ebnf_compile(ir, span_text(source), NULL);
        break;
    case WEIR_GBNF:
        gbnf_compile(ir, span_text(source), NULL);
        break;
    case WEIR_STRUCTURAL_TAG:
        tag_compile(ir, span_text(source),
                    &(TagOpts){.schema = &schema, .space = &space});
        break;
    case WEIR_LARK:
        lark_compile(ir, span_text(source), NULL);
        break;
    case WEIR_REGEX:
        ir->root = ir_rule_new(ir, SPAN("root"), 0);
        ir_rule_set(ir, ir->root, regex_compile(ir, span_text(source), NULL));
        break;
    default:
        json_rules_init(&json, ir, NULL);
        ir->root = kind == WEIR_JSON_OBJECT ? json_object_rule(&json, 0)
                                            : json_value_rule(&json, 0);
    }
    assert_true(ir_ok(ir));
    if (ir->lists.count) k->is_judged = false;
}

/* The grammar of a JSON Schema. The oracle does not know lists. */
static inline void kit_schema(Kit *k, const char *source,
                              const weir_compile_opts *opts)
{
    weir_error err;
    Ir *ir = &k->c.ir;
    k->vocab = judge_vocab(&k->c.vocab);
    kit_made(k,
             weir_grammar_compile(k->vocab, WEIR_JSON_SCHEMA, kit_bytes(source),
                                  opts, &err),
             &err);
    schema_compile(ir, span_text(source), &opts->schema, &opts->space);
    assert_true(ir_ok(ir));
    if (ir->lists.count) k->is_judged = false;
}

static inline void kit_choice(Kit *k, const char *const *choices,
                              uint32_t count)
{
    weir_error err;
    Ir *ir = &k->c.ir;
    weir_bytes *list = calloc(count, sizeof *list);
    Span *spans = calloc(count, sizeof *spans);
    assert_non_null(list);
    assert_non_null(spans);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = kit_bytes(choices[i]);
        spans[i] = span_text(choices[i]);
    }
    k->vocab = judge_vocab(&k->c.vocab);
    kit_made(k, weir_grammar_choice(k->vocab, list, count, NULL, &err), &err);
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
    ir_rule_set(ir, ir->root, choice_compile(ir, spans, count));
    free(list);
    free(spans);
}

/* A JSON object, a vocabulary that can write small ones, no oracle: what the
 * cases about the life of a matcher need. */
static inline void kit_json(Kit *k)
{
    kit_begin(k, "{\"|\": |\": \"|\", \"|\"}|```|json|\n\n| {|true",
              "{}[]\":,. \nab1x0-");
    kit_compile(k, WEIR_JSON_OBJECT, "");
}

static inline void kit_end(Kit *k)
{
    weir_grammar_free(k->grammar);
    weir_vocab_free(k->vocab);
    ir_free(&k->c.ir);
}

static inline uint32_t kit_find(const Kit *k, const char *text)
{
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        weir_token t = k->c.vocab.tokens[id];
        if (!t.flags && t.bytes.size == strlen(text) &&
            !memcmp(t.bytes.data, text, t.bytes.size))
            return id;
    }
    fail_msg("no token \"%s\"", text);
    return UINT32_MAX;
}

static inline uint32_t kit_stop(const Kit *k)
{
    uint32_t count;
    const uint32_t *stops = weir_vocab_stops(k->vocab, &count);
    assert_true(count > 0);
    return stops[0];
}

static inline weir_matcher *kit_matcher(const Kit *k)
{
    weir_error err;
    weir_matcher *m = weir_matcher_new(k->grammar, NULL, &err);
    assert_non_null(m);
    return m;
}

/* A matcher that has read `text`, token by token, the longest first. */
static inline void kit_read(const Kit *k, weir_matcher *m, const char *text)
{
    size_t size = strlen(text);
    for (size_t pos = 0; pos < size;) {
        uint32_t best = UINT32_MAX;
        size_t longest = 0;
        for (uint32_t id = 0; id < k->c.vocab.count; id++) {
            weir_bytes b = k->c.vocab.tokens[id].bytes;
            if (k->c.vocab.tokens[id].flags || b.size <= longest ||
                b.size > size - pos || memcmp(b.data, text + pos, b.size))
                continue;
            best = id;
            longest = b.size;
        }
        if (best == UINT32_MAX) fail_msg("no token for \"%s\"", text + pos);
        if (weir_matcher_accept(m, best) != WEIR_ACCEPTED)
            fail_msg("refused at byte %zu: \"%s\"", pos, text);
        pos += longest;
    }
}

/* ---- masks ---- */

static inline bool kit_bit(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

/* Every bit is what the token tried alone says, and what its bytes say when
 * read as bytes by a copy. */
static inline void kit_check_mask(const Kit *k, weir_matcher *m)
{
    int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)] = {0};
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        weir_token t = k->c.vocab.tokens[id];
        bool want = kit_bit(row, id);
        if (weir_matcher_allows(m, id) != want)
            fail_msg("token %u: mask %d, alone not", id, want);
        if (!t.flags && t.bytes.size && !weir_matcher_is_terminated(m)) {
            weir_matcher *copy = weir_matcher_fork(m);
            assert_non_null(copy);
            weir_accept got = weir_matcher_accept_bytes(copy, t.bytes, NULL);
            if ((got == WEIR_ACCEPTED) != want)
                fail_msg("token %u: mask %d, bytes not", id, want);
            weir_matcher_free(copy);
        }
        if (t.flags & WEIR_TOKEN_STOP)
            assert_int_equal(want, weir_matcher_is_completed(m));
        else if (t.flags & WEIR_TOKEN_CONTROL)
            assert_false(want);
    }
}

/* The mask has these tokens and no other. */
static inline void kit_expect_mask(const Kit *k, weir_matcher *m,
                                   const uint32_t *ids, size_t count)
{
    int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)] = {0};
    weir_matcher_fill(m, row);
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        bool want = false;
        for (size_t i = 0; i < count; i++) want |= ids[i] == id;
        if (kit_bit(row, id) != want)
            fail_msg("bit of token %u: expected %d", id, want);
    }
}

static inline uint64_t kit_hash(weir_matcher *m, const Kit *k)
{
    int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)] = {0};
    assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    return weir_mask_hash(row, k->c.vocab.count);
}

/* ---- replaying ---- */

typedef enum KitPieces { KIT_LETTERS, KIT_LONGEST, KIT_RANDOM } KitPieces;

/* A token that `rest` begins with, chosen as told; UINT32_MAX: none. */
static inline uint32_t kit_pick(Kit *k, weir_bytes rest, KitPieces how)
{
    uint32_t pick = UINT32_MAX, found = 0;
    size_t size = 0;
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        weir_token t = k->c.vocab.tokens[id];
        if (t.flags || !t.bytes.size || t.bytes.size > rest.size ||
            memcmp(t.bytes.data, rest.data, t.bytes.size))
            continue;
        found++;
        bool better = how == KIT_LETTERS   ? !size || t.bytes.size < size
                      : how == KIT_LONGEST ? t.bytes.size > size
                                           : !rng_below(&k->rng, found);
        if (!better) continue;
        pick = id;
        size = t.bytes.size;
    }
    return pick;
}

static inline void kit_judge(Kit *k, weir_matcher *m, const OracleText *text)
{
    static bool allowed[RANDOM_TOKENS_MAX];
    Why why;
    if (judge_position(m, &k->c, text, allowed, &why) != JUDGE_SAME)
        fail_msg("after %u positions: %s", text->size, why.text);
}

/* Whether the text is a whole output, by tokens. `at`: the bytes read. */
static inline bool kit_by_tokens(Kit *k, weir_bytes text, KitPieces how,
                                 size_t *at)
{
    weir_matcher *m = kit_matcher(k);
    OracleVocab vocab = oracle_vocab(&k->c.vocab);
    OracleText read = {0};
    bool is_judged = k->is_judged && how != KIT_LETTERS &&
                     text.size + 2 * RANDOM_BYTES_MAX <= ORACLE_MAX;
    *at = 0;
    for (;;) {
        if (is_judged)
            kit_judge(k, m, &read);
        else
            kit_check_mask(k, m);
        if (*at == text.size) break;
        weir_bytes rest = {text.data + *at, text.size - *at};
        uint32_t id = kit_pick(k, rest, how);
        if (id == UINT32_MAX)
            fail_msg("no token for byte %zu of \"%s\"", *at, text.data);
        if (weir_matcher_accept(m, id) != WEIR_ACCEPTED) break;
        assert_true(oracle_add_token(&read, &vocab, id) || !is_judged);
        *at += k->c.vocab.tokens[id].bytes.size;
    }
    bool whole = *at == text.size && weir_matcher_is_completed(m);
    weir_accept want = weir_matcher_is_terminated(m)  ? WEIR_TERMINATED
                       : weir_matcher_is_completed(m) ? WEIR_ACCEPTED
                                                      : WEIR_REFUSED;
    assert_int_equal(weir_matcher_accept(m, kit_stop(k)), want);
    weir_matcher_free(m);
    return whole;
}

static inline bool kit_by_bytes(const Kit *k, weir_bytes text, size_t *at)
{
    weir_matcher *m = kit_matcher(k);
    for (*at = 0; *at < text.size; ++*at) {
        weir_bytes byte = {text.data + *at, 1};
        if (weir_matcher_accept_bytes(m, byte, NULL) != WEIR_ACCEPTED) break;
    }
    bool whole = *at == text.size && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

/* One call; a text that cannot be read leaves the start as it was. */
static inline bool kit_whole(const Kit *k, weir_bytes text, size_t *at)
{
    weir_matcher *m = kit_matcher(k);
    uint64_t before = kit_hash(m, k);
    bool read = weir_matcher_accept_bytes(m, text, at) == WEIR_ACCEPTED;
    assert_int_equal(read, *at == text.size);
    assert_int_equal(weir_matcher_steps(m), read);
    if (!read) assert_true(kit_hash(m, k) == before);
    bool whole = read && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

static inline void kit_text(Kit *k, weir_bytes text, bool want)
{
    size_t end, at;
    bool got = kit_whole(k, text, &end);
    if (got != want)
        fail_msg("\"%.200s\": %s at byte %zu", text.data,
                 got ? "accepted" : "refused", end);
    assert_int_equal(kit_by_bytes(k, text, &at), want);
    assert_int_equal(at, end);
    for (int how = KIT_LETTERS; how <= KIT_RANDOM; how++) {
        if (kit_by_tokens(k, text, (KitPieces)how, &at) != want)
            fail_msg("\"%.200s\" token by token, way %d: %s at byte %zu",
                     text.data, how, want ? "refused" : "accepted", at);
        if (at > end || (how == KIT_LETTERS && at != end))
            fail_msg("\"%.200s\": %zu bytes, by tokens %zu", text.data, end,
                     at);
    }
}

static inline void kit_accepts(Kit *k, const char *text)
{
    kit_text(k, kit_bytes(text), true);
}

static inline void kit_refuses(Kit *k, const char *text)
{
    kit_text(k, kit_bytes(text), false);
}

#endif
