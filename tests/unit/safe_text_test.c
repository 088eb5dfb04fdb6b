/* safe_text_test.c: heights against hand-made ones, and against the matcher.
 *
 * Units and heights are written down for automata that are small enough to
 * think through. For the promise itself random texts of units are read from the
 * states that random texts lead to: all of them, up to the height, must be
 * accepted.
 */
#include "unit/small_grammar.h"

#include "api/objects.h"
#include "base/utf8.h"
#include "network/safe_text.h"
#include "oracle/rng.h"

#define ANY SAFE_ANY

typedef struct SafeCase {
    weir_source_kind kind;
    const char *source, *after;
    const char *units, *first; /* some of the ASCII ones; NULL: no safe text */
    const char *others;        /* some that are no units */
    uint32_t height;
} SafeCase;

#define WORDS "\"\\\"\" Regex(\"(?!%)([^ \\\"]+ +){0,9}[^ \\\"]+\") \"\\\"\""
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define STRING(rest) "{\"type\": \"string\", " rest "}"

static const SafeCase cases[] = {
    /* the tenth blank is refused: of "x x x..." after two of them the 16th
     * character */
    {WEIR_EBNF, "root ::= " WORDS, "\"a b ", "az .09~", "az .09~", "\"", 15},
    {WEIR_EBNF, "root ::= " WORDS, "\"a b", "az .09~", "az .09~", "\"", 16},
    /* at the beginning a blank is refused at once */
    {WEIR_EBNF, "root ::= " WORDS, "\"", "az.09~", "az.09~", "\" ", ANY},
    /* in the last word it always is */
    {WEIR_EBNF, "root ::= " WORDS, "\"a b c d e f g h i j", "az.09", "az.09",
     "\" ", ANY},
    /* a word that may not come: seven of its letters may, and once three have
     * not those four that are next */
    {WEIR_EBNF, "root ::= Regex(\"(?!.*abcdefgh)[a-z]*\") \".\"", "x", LETTERS,
     LETTERS, ".0", 7},
    {WEIR_EBNF, "root ::= Regex(\"(?!.*abcdefgh)[a-z]*\") \".\"", "xabc",
     LETTERS, LETTERS, ".0", 4},
    {WEIR_EBNF, "root ::= Regex(\"(?!.*abcdefgh)[a-z]*\") \".\"", "xabcde",
     LETTERS, "abcdeghxyz", ".0", 7},
    /* so many characters, and then another */
    {WEIR_EBNF, "root ::= Regex(\"(?!0)[a-z]{30}[0-9]\") \".\"", "abc", LETTERS,
     LETTERS, ".0", 27},
    /* what is behind the automaton reads units, too: no telling */
    {WEIR_EBNF, "root ::= Regex(\"(?!0)[a-z]{5,}\") [a-z0-9]* \".\"", "abcde",
     NULL, NULL, NULL, 0},
    /* bounded: after a hyphen another letter is needed */
    {WEIR_JSON_SCHEMA,
     STRING("\"pattern\": \"^[a-z]+(-[a-z]+)*$\", \"maxLength\": 40"), "\"ab",
     LETTERS, LETTERS, "-\"", ANY},
    /* an escape is no unit of a JSON string, whatever the pattern is */
    {WEIR_JSON_SCHEMA, STRING("\"pattern\": \"yes|no\""), "\"it is no",
     LETTERS "-' {}", LETTERS "-' {}", "\\\"", ANY},
};

static weir_grammar *grammar_of(const Mem *mem, const SafeCase *c)
{
    weir_error err;
    if (c->kind == WEIR_EBNF) return small_grammar(NULL, mem, c->source, NULL);
    weir_grammar *g =
        weir_grammar_compile(NULL, c->kind, small_bytes(c->source), NULL, &err);
    if (!g) fail_msg("%s\nin: %s", err.message, c->source);
    return g;
}

/* The only configuration after a text. */
static Config config_after(weir_matcher *m, const char *text)
{
    assert_int_equal(weir_matcher_accept_bytes(m, small_bytes(text), NULL),
                     WEIR_ACCEPTED);
    assert_int_equal(m->track.now.list.count, 1);
    return m->track.now.list.at[0];
}

static void check_has(const SafeCase *c, const ByteSet *set, const char *bytes,
                      bool has)
{
    for (const char *b = bytes; *b; b++)
        if (byteset_has(set, (uint8_t)*b) != has)
            fail_msg("%s after '%s': '%c' is %s", c->source, c->after, *b,
                     has ? "missing" : "there");
}

static void safe_by_hand(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const SafeCase *c = &cases[i];
        SafeText safe;
        weir_grammar *g = grammar_of(&mem, c);
        weir_matcher *m = weir_matcher_new(g, NULL, NULL);
        bool is_safe = state_safe_text(config_after(m, c->after).q, &safe);
        if (is_safe != !!c->units)
            fail_msg("%s after '%s': safe: %d", c->source, c->after, is_safe);
        if (is_safe) {
            check_has(c, &safe.units, c->units, true);
            check_has(c, &safe.units, c->others, false);
            check_has(c, &safe.first, c->first, true);
            if (safe.height != c->height)
                fail_msg("%s after '%s': height %u, expected %u", c->source,
                         c->after, safe.height, c->height);
        }
        weir_matcher_free(m);
        weir_grammar_free(g);
    }
}

/* ---- the promise ---- */

static const SafeCase promised[] = {
    {.kind = WEIR_EBNF, .source = "root ::= " WORDS, .after = "\""},
    {.kind = WEIR_EBNF,
     .source = "root ::= Regex(\"(?!.*abcdefgh)[a-z\\u00E0-\\u00FF]*\") \".\""},
    {.kind = WEIR_EBNF,
     .source = "root ::= Regex(\"(?!0)(a|b|[c-z]{3}){0,20}[.][a-z]*\") \"!\""},
    {.kind = WEIR_EBNF,
     .source = "root ::= Regex(\"(?=.{12,60}$)[a-z]+([.-][a-z]{2,9}){1,7}\")"},
    {.kind = WEIR_JSON_SCHEMA,
     .source = STRING("\"pattern\": \"^\\\\D{2,60}$|stop\""),
     .after = "\""},
    {.kind = WEIR_JSON_SCHEMA,
     .source = STRING("\"pattern\": \"^(\\\\S+\\\\s+){0,29}\\\\S+$\", "
                      "\"maxLength\": 300"),
     .after = "\""},
    {.kind = WEIR_JSON_SCHEMA,
     .source = STRING("\"format\": \"hostname\""),
     .after = "\""},
    {.kind = WEIR_JSON_SCHEMA,
     .source = "{\"patternProperties\": {\"^[a-z_-]{1,64}$\": true}, "
               "\"additionalProperties\": false}",
     .after = "{\""},
};

/* A character that begins with the byte. */
static uint32_t rune_from(Rng *rng, uint8_t lead)
{
    for (;;) {
        uint32_t rune = lead < 0x80   ? lead
                        : lead < 0xE0 ? 0x80 + rng_below(rng, 0x780)
                        : lead < 0xF0 ? 0x800 + rng_below(rng, 0xF800)
                                      : 0x10000 + rng_below(rng, 0x100000);
        uint8_t bytes[4];
        if (utf8_encode(rune, bytes) && bytes[0] == lead) return rune;
    }
}

static uint8_t any_byte(Rng *rng, const ByteSet *set)
{
    for (;;) {
        uint8_t byte = (uint8_t)rng_below(rng, 256);
        if (byteset_has(set, byte)) return byte;
    }
}

static weir_accept accept_rune(weir_matcher *m, uint32_t rune)
{
    uint8_t bytes[4];
    weir_bytes text = {(const char *)bytes, utf8_encode(rune, bytes)};
    return weir_matcher_accept_bytes(m, text, NULL);
}

/* Reads a random text of units from here, as long as is promised. */
static void check_promise(Rng *rng, const SafeCase *c, const weir_matcher *from,
                          const SafeText *safe)
{
    enum { MOST = 80 };
    weir_matcher *m = weir_matcher_fork(from);
    uint32_t left = UINT32_MAX;
    const Config *at = &m->track.now.list.at[0];
    if (at->q->frame->is_bounded) left = at->q->frame->hi - at->reg;
    for (uint32_t i = 0; i < MIN(safe->height, (uint32_t)MOST); i++) {
        const ByteSet *set = i ? &safe->units : &safe->first;
        if (i + 1 + safe->need > left) break; /* as the register has it */
        uint32_t rune = rune_from(rng, any_byte(rng, set));
        if (accept_rune(m, rune) != WEIR_ACCEPTED)
            fail_msg("%s: character %u of %u, U+%04X, is refused", c->source,
                     i + 1, safe->height, rune);
    }
    weir_matcher_free(m);
}

static void texts_are_read(void **state)
{
    (void)state;
    enum { WALKS = 40, STEPS = 60, TEXTS = 6 };
    Mem mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(promised); i++) {
        const SafeCase *c = &promised[i];
        weir_grammar *g = grammar_of(&mem, c);
        Rng rng = {i + 1};
        uint32_t checked = 0;
        for (int walk = 0; walk < WALKS; walk++) {
            weir_matcher *m = weir_matcher_new(g, NULL, NULL);
            if (c->after) config_after(m, c->after);
            for (int step = 0; step < STEPS; step++) {
                SafeText safe;
                const ConfigSet *now = &m->track.now;
                if (now->list.count == 1 &&
                    state_safe_text(now->list.at[0].q, &safe)) {
                    checked++;
                    for (int k = 0; k < TEXTS; k++)
                        check_promise(&rng, c, m, &safe);
                }
                accept_rune(m, rng_below(&rng, 4)
                                   ? 'a' + rng_below(&rng, 26)
                                   : 0x20 + rng_below(&rng, 0x5F));
            }
            weir_matcher_free(m);
        }
        if (checked < WALKS) fail_msg("%s: %u states only", c->source, checked);
        weir_grammar_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_by_hand),
        cmocka_unit_test(texts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
