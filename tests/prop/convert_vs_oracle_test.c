/* convert_vs_oracle_test.c: a grammar written as GBNF, EBNF, Lark or a regular
 * expression and read again is the same language.
 *
 * For random grammars, with automata, lists and tokens, the oracle is asked
 * about the grammar and about what the reader makes of its text, for texts and
 * rows of tokens that the grammar can mostly begin with: the same sentences and
 * the same proper prefixes. What is refused says why; half of all at least is
 * written.
 * WEIR_SEED, WEIR_CASES: the run; a failure prints its grammar.
 */
#include "convert/ir_plain.h"
#include "convert/ir_regex.h"
#include "convert/ir_write.h"
#include "oracle/ir_edit.h"
#include "oracle/oracle.h"
#include "oracle/random_grammar.h"
#include "syntax/ebnf.h"
#include "syntax/gbnf.h"
#include "syntax/lark.h"
#include "syntax/regex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/utf8.h"

enum { TEXTS = 16, AS_REGEX = WRITE_LARK + 1, LANGUAGES };

static Mem mem;

typedef struct Counts {
    uint32_t written[LANGUAGES], refused[LANGUAGES], complete, more;
} Counts;

typedef struct Round {
    Rng rng;
    Alphabet alphabet;
    OracleVocab vocab;
    Ir source, again;
    unsigned language; /* a WrittenLanguage, or AS_REGEX */
} Round;

/* One step more: a character, a byte of one, or a token. */
static void add_step(Round *r, OracleText *text)
{
    uint8_t bytes[4];
    if (rng_chance(&r->rng, 20)) {
        oracle_add_token(text, &r->vocab, rng_below(&r->rng, r->vocab.count));
        return;
    }
    uint32_t rune = r->alphabet.runes[rng_below(&r->rng, r->alphabet.count)];
    uint32_t size = utf8_encode(rune, bytes);
    if (rng_chance(&r->rng, 10)) size = 1 + rng_below(&r->rng, size);
    oracle_add_bytes(text, span_of(bytes, size));
}

/* Steps that the grammar allows; the last one may be another. */
static void walk(Round *r, OracleText *text)
{
    uint32_t length = rng_below(&r->rng, 10);
    text->size = 0;
    for (uint32_t tries = 0; tries < 30 && length; tries++) {
        OracleText more = *text;
        add_step(r, &more);
        bool fits = oracle_prefix(&r->source, r->source.root, &r->vocab, &more);
        if (fits || length == 1) {
            *text = more;
            length--;
        }
    }
}

static void show(const char *title, const void *text, size_t size)
{
    fprintf(stderr, "-- %s\n%.*s\n", title, (int)size, (const char *)text);
}

static void show_ir(const char *title, const Ir *ir)
{
    static char text[1 << 16];
    Out out = {text, sizeof text, 0};
    ir_print(ir, &out);
    show(title, text, MIN(out.size, sizeof text));
}

static bool same(Round *r, const OracleText *text, Counts *counts)
{
    OracleAnswer a = oracle_ask(&r->source, r->source.root, &r->vocab, text);
    OracleAnswer b = oracle_ask(&r->again, r->again.root, &r->vocab, text);
    counts->complete += a.complete;
    counts->more += a.more;
    if (a.complete == b.complete && a.more == b.more) return true;
    fprintf(stderr, "text of %u:", text->size);
    for (uint32_t i = 0; i < text->size; i++)
        fprintf(stderr, " %d/%d", text->byte[i], (int)text->token[i]);
    fprintf(stderr, "\nsource %d %d, read again %d %d\n", a.complete, a.more,
            b.complete, b.more);
    return false;
}

static bool read_again(Round *r, Span text)
{
    ir_init(&r->again, &mem, NULL);
    switch (r->language) {
    case WRITE_GBNF:
        return gbnf_compile(&r->again, text, NULL);
    case WRITE_EBNF:
        return ebnf_compile(&r->again, text, NULL);
    case WRITE_LARK:
        return lark_compile(&r->again, text, NULL);
    default:
        r->again.root = ir_rule_new(&r->again, SPAN("root"), 0);
        ir_rule_set(&r->again, r->again.root,
                    regex_compile(&r->again, text, NULL));
        return ir_ok(&r->again);
    }
}

static bool check_text(Round *r, Span text, Counts *counts)
{
    bool ok = read_again(r, text);
    if (!ok) fprintf(stderr, "%s\n", r->again.error.message);
    for (uint32_t i = 0; ok && i < TEXTS; i++) {
        OracleText steps = {0};
        walk(r, &steps);
        ok = same(r, &steps, counts);
    }
    if (!ok) show("text", text.at, text.size);
    ir_free(&r->again);
    return ok;
}

static bool write_as(Ir *plain, unsigned language, Scratch *text)
{
    return language == AS_REGEX
               ? ir_regex(plain, text)
               : ir_write(plain, (WrittenLanguage)language, text);
}

/* Nesting, tokens and no text at all are for no regular expression; and of an
 * automaton it may be long. */
static bool is_refused(const Round *r, const weir_error *err)
{
    bool is_regex = r->language == AS_REGEX;
    bool is_known = err->status == WEIR_UNSUPPORTED ||
                    (is_regex && err->status == WEIR_EMPTY) ||
                    (is_regex && err->status == WEIR_LIMIT_MEMORY);
    return is_known && *err->message;
}

static bool check_language(Round *r, Counts *counts)
{
    Ir plain;
    Arena arena;
    bool ok = true;
    ir_copied(&r->source, &plain, &mem);
    arena_init(&arena, &mem, 1 << 22);
    Scratch text = {.arena = &arena};
    if (ir_plain(&plain, false) && write_as(&plain, r->language, &text)) {
        counts->written[r->language]++;
        ok = check_text(r, scratch_view(&text, 0), counts);
    } else {
        counts->refused[r->language]++;
        ok = is_refused(r, &plain.error);
        if (!ok) fprintf(stderr, "refused: %s\n", plain.error.message);
    }
    scratch_free(&text);
    arena_free(&arena);
    ir_free(&plain);
    return ok;
}

static void one_case(uint64_t seed, Counts *counts)
{
    static RandomVocab vocab;
    Round r = {.rng = {seed}};
    random_alphabet(&r.rng, &r.alphabet);
    vocab.count = 0;
    random_vocab_complete(&vocab);
    r.vocab = oracle_vocab(&vocab);
    ir_init(&r.source, &mem, NULL);
    RandomSeeds seeds = {rng_next(&r.rng), rng_next(&r.rng)};
    random_grammar(seeds, &r.alphabet, 30, &r.source);
    assert_true(ir_ok(&r.source));
    for (unsigned l = 0; l < LANGUAGES; l++) {
        r.language = l;
        if (check_language(&r, counts)) continue;
        show_ir("source", &r.source);
        fail_msg("seed %llu", (unsigned long long)seed);
    }
    ir_free(&r.source);
}

static void writing_keeps_the_language(void **state)
{
    (void)state;
    uint64_t seed = env_number("WEIR_SEED", 20261130);
    uint64_t ncases = case_count(10000, 500);
    Counts counts = {0};
    mem = mem_from_env(NULL);
    for (uint64_t i = 0; i < ncases; i++) one_case(seed + i, &counts);
    printf("seed %llu, %llu grammars; written as GBNF %u, as EBNF %u, as Lark "
           "%u, as regular expressions %u; texts complete %u, to be continued "
           "%u\n",
           (unsigned long long)seed, (unsigned long long)ncases,
           counts.written[WRITE_GBNF], counts.written[WRITE_EBNF],
           counts.written[WRITE_LARK], counts.written[AS_REGEX],
           counts.complete, counts.more);
    for (int l = 0; l < AS_REGEX; l++)
        assert_true(counts.written[l] >= counts.refused[l]);
    assert_true(counts.written[AS_REGEX] >= ncases / 10);
    assert_true(counts.complete > ncases && counts.more > ncases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_keeps_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
