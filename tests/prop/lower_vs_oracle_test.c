/* lower_vs_oracle_test.c: the passes keep the language.
 *
 * For random grammars the lowered rules are put in place of the source's and
 * the oracle is asked about both, for texts drawn from the alphabet: the same
 * sentences (the empty text apart, which lowering moves to is_nullable) and
 * the same proper prefixes. Also held: WEIR_EMPTY exactly for grammars
 * without a sentence; no rule left that produces the empty text.
 * WEIR_SEED, WEIR_CASES: the run; a failure prints its grammar.
 */
#include "oracle/ir_edit.h"
#include "oracle/random_grammar.h"
#include "pass/lower.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/utf8.h"

static Mem mem;

static void show(const char *title, const Ir *ir)
{
    static char text[1 << 16];
    Out out = {text, sizeof text, 0};
    ir_print(ir, &out);
    fprintf(stderr, "-- %s\n%.*s\n", title, (int)MIN(out.size, sizeof text),
            text);
}

/* `ir` with the lowered bodies. */
static void apply_lowered(Ir *ir, const Lowered *lowered)
{
    for (RuleId r = 0; r < ir->rules.count; r++)
        ir->rules.at[r].body =
            r < lowered->body.count ? lowered->body.at[r] : NODE_NEVER_ID;
}

static bool empty_text_is_gone(const Ir *ir)
{
    OracleText none = {0};
    for (RuleId r = 0; r < ir->rules.count; r++)
        if (oracle_complete(ir, r, NULL, &none)) return false;
    return true;
}

static void random_text(Rng *rng, const Alphabet *alphabet, OracleText *text)
{
    text->size = 0;
    uint32_t nrunes = rng_below(rng, 6);
    for (uint32_t i = 0; i < nrunes; i++) {
        uint8_t bytes[4];
        uint32_t rune = alphabet->runes[rng_below(rng, alphabet->count)];
        uint32_t size = utf8_encode(rune, bytes);
        bool is_cut = i + 1 == nrunes && rng_chance(rng, 30);
        if (is_cut) size = 1 + rng_below(rng, size);
        oracle_add_bytes(text, span_of(bytes, size));
    }
}

/* A text that the grammar can begin with, most of the time. */
static void walk_text(Rng *rng, const Alphabet *alphabet, const Ir *ir,
                      const OracleVocab *vocab, OracleText *text)
{
    random_text(rng, alphabet, text);
    for (int tries = 0; tries < 12 && text->size < 12; tries++) {
        OracleText more = *text, tail;
        random_text(rng, alphabet, &tail);
        for (uint32_t i = 0; i < tail.size; i++) {
            uint8_t byte = (uint8_t)tail.byte[i];
            oracle_add_bytes(&more, span_of(&byte, 1));
        }
        if (oracle_prefix(ir, ir->root, vocab, &more)) *text = more;
    }
}

static bool same(const Ir *source, const Ir *low, const Lowered *lowered,
                 const OracleVocab *vocab, const OracleText *text)
{
    OracleAnswer a = oracle_ask(source, source->root, vocab, text);
    OracleAnswer b = oracle_ask(low, low->root, vocab, text);
    if (!text->size) b.complete |= lowered->is_nullable;
    if (a.complete == b.complete && a.more == b.more) return true;
    fprintf(stderr, "text of %u bytes:", text->size);
    for (uint32_t i = 0; i < text->size; i++)
        fprintf(stderr, " %02X", (unsigned)text->byte[i]);
    fprintf(stderr, "\nsource %d %d, lowered %d %d\n", a.complete, a.more,
            b.complete, b.more);
    return false;
}

/* Every token of the complete vocabulary is a plain one. */
static bool token_usable(const void *user, uint32_t id, bool by_default)
{
    const RandomVocab *v = user;
    (void)by_default;
    return id < v->count;
}

static void one_case(uint64_t seed, uint32_t *nempty)
{
    static RandomVocab vocab;
    Rng rng = {seed};
    Alphabet alphabet;
    OracleText text = {0};
    Lowered lowered = {0};
    Ir source, low;
    random_alphabet(&rng, &alphabet);
    vocab.count = 0;
    random_vocab_complete(&vocab);
    OracleVocab tokens = oracle_vocab(&vocab);
    ir_init(&source, &mem, NULL);
    RandomSeeds seeds = {rng_next(&rng), rng_next(&rng)};
    random_grammar(seeds, &alphabet, 30, &source);
    ir_copied(&source, &low, &mem);
    assert_true(ir_ok(&source) && ir_ok(&low));
    LowerTokens usable = {vocab.count, token_usable, &vocab};
    bool done = lower_run(&low, &usable, &lowered);
    bool alive = oracle_prefix(&source, source.root, &tokens, &text);
    bool ok = done == alive && (done || low.error.status == WEIR_EMPTY);
    *nempty += !alive;
    if (done) {
        apply_lowered(&low, &lowered);
        ok = ok && empty_text_is_gone(&low);
        for (int i = 0; ok && i < 12; i++) {
            walk_text(&rng, &alphabet, &source, &tokens, &text);
            ok = same(&source, &low, &lowered, &tokens, &text);
        }
    }
    if (!ok) {
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed,
                low.error.message);
        show("source", &source);
        if (done) show("lowered", &low);
        fail();
    }
    lower_free(&mem, &lowered);
    ir_free(&source);
    ir_free(&low);
}

static void lowering_keeps_the_language(void **state)
{
    (void)state;
    uint64_t seed = env_number("WEIR_SEED", 20240607);
    uint64_t ncases = case_count(2000, 200);
    uint32_t nempty = 0;
    mem = mem_from_env(NULL);
    for (uint64_t i = 0; i < ncases; i++) one_case(seed + i, &nempty);
    printf("seed %llu, %llu grammars, %u of them empty\n",
           (unsigned long long)seed, (unsigned long long)ncases, nempty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowering_keeps_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
