/* real_masks_test.c: on published vocabularies, every token tried alone equals
 * its bit of the mask.
 *
 * The vocabularies are ${WEIR_VOCAB_DIR:-.cache/vocab}/<name>/tokenizer.json;
 * where none is there, the tests say so and are skipped. Each grammar comes
 * with a text that it accepts; at places along the text, inside characters
 * too and near its end, the matcher is asked for its mask three times (what is
 * met again is kept in other forms) and about each token alone, which follows
 * the token's bytes one by one and knows nothing of tries and memos. A matcher
 * of another grammar object asks in another order, from the end.
 *
 * Quick: llama3 and llama2, few places. WEIR_FULL=1: all seven, 20 places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/port.h"
#include "oracle/sanitized.h"
#include "weir/weir.h"

enum { QUICK_PLACES = IS_SANITIZED ? 3 : 6 };
enum { FULL_PLACES = 20, CHOICES = 1200, COUNT_MAX = 1000 };
enum { WORDS = 50, WORD_SIZE = 10 };

typedef struct Sample {
    const char *name;
    weir_source_kind kind;
    const char *source;
    const char *text;
} Sample;

static char counted_text[COUNT_MAX + 2];       /* a text of the longest count */
static char words_text[WORDS * WORD_SIZE + 3]; /* a text as long as it may be */

static const Sample samples[] = {
    {"JSON", WEIR_JSON_VALUE, "",
     "{\"name\": \"Zo\xC3\xAB \\u00e9\\ud83d\\ude00 \xE6\x97\xA5\xE6\x9C\xAC "
     "\xF0\x9F\x98\x80\", \"list\": [1, -2.5e+30, true, null, [], [[{}]]],\n"
     "\t\"text\": \"a \\\"quoted\\\" word, 12:30\\n\", \"deep\": {\"a\": "
     "{\"b\": [0, \"\"]}}}"},
    {"look-ahead", WEIR_REGEX,
     "(?=.*\\d)(?=.*[A-Z])(?!.*(password|1234))[A-Za-z0-9 !@#_-]{8,24}",
     "my Secret is 42 pass_12#"},
    {"letters", WEIR_REGEX, "\\p{L}+",
     "gr\xC3\xB6\xC3\x9F"
     "e\xCE\xA9\xD0\xBC\xD0\xB8\xD1\x80\xE6\x97\xA5"
     "\xE6\x9C\xAC\xE8\xAA\x9E\xED\x95\x9C\xEA\xB5\xAD\xF0\x90\x8D\x88the"},
    {"pairs", WEIR_REGEX, "x(?:; p: (?:[a-z]+|\"[^\"]*\")){0,2}",
     "x; p: a; p: a"},
    {"count", WEIR_REGEX, "[^\"\\\\\\n]{1,1000}\\.", counted_text},
    {"words", WEIR_JSON_SCHEMA,
     "{\"type\": \"string\", \"maxLength\": 500, "
     "\"pattern\": \"^(?:\\\\S+\\\\s+){0,49}\\\\S+$\"}",
     words_text},
    {"twenty words", WEIR_JSON_SCHEMA,
     "{\"type\": \"string\", \"pattern\": \"^(\\\\S+\\\\s+){0,19}\\\\S+$\"}",
     "\"so many words and no more, each of any length, \xC3\xA9"
     "s de \\\"mots\\\" encore a b c d e\""},
    {"forbidden words", WEIR_JSON_SCHEMA,
     "{\"type\": \"string\", \"pattern\": \"stable$|^dev|beta\", \"not\": "
     "{\"pattern\": \"password|application\"}}",
     "\"a pass word for an applicatiox in its beta, applicati\""},
    {"host names", WEIR_JSON_SCHEMA,
     "{\"type\": \"array\", \"items\": {\"type\": \"string\", "
     "\"format\": \"hostname\"}}",
     "[\"www.example-site.co\", \"x1.averylongnamethatisnotquitetoolongfor"
     "onelabelofahostnamexxxx.org\"]"},
    {"numbers of characters", WEIR_REGEX,
     "[0-9A-Za-z]{8}-[0-9a-f]{4}(\\.[a-z\xC3\xA0-\xC3\xBF]{2,6})?_"
     "[^\"\\\\\n]{5}\"",
     "Zx09aQ7b-09af.caf\xC3\xA9_\xE6\x97\xA5 b\xC3\xA9"
     "c\""},
    {"identifiers", WEIR_JSON_SCHEMA,
     "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"pattern\": "
     "\"^[0-9A-Za-z]{8}-[0-9a-f]{4}-[0-9A-Za-z]{12}$\"}}",
     "[\"01234567-89ab-cdefGHIJKL12\", \"ABCDEFGH-0000-zzzzzzzzzzzz\"]"},
    {"arithmetic", WEIR_EBNF,
     "root ::= sum\n"
     "sum ::= sum [-+] product | product\n"
     "product ::= product [*/] atom | atom\n"
     "atom ::= number | name | \"(\" sum \")\" | \"-\" atom | atom \"[\" sum "
     "\"]\" | atom \" \"\n"
     "number ::= [0-9]+ (\".\" [0-9]{1,6})?\n"
     "name ::= [a-z] [a-z0-9_]{0,20}\n",
     "1+2.5*(alpha_1-b[3*(x+1)]/1000 ) *-(rate_of_change +17)-total [0][1]"},
    {"C-like", WEIR_EBNF,
     "root ::= (function blank)+\n"
     "function ::= type \" \" name \"(\" (parameter (\", \" parameter)*)? "
     "\")\" blank block\n"
     "parameter ::= type \" \" name\n"
     "type ::= (\"int\" | \"char\" | \"void\" | \"struct \" name) \" *\"?\n"
     "block ::= \"{\" blank (statement blank)* \"}\"\n"
     "statement ::= (expr | \"return\" (\" \" expr)? | parameter \" = \" expr)"
     " \";\" | \"if (\" expr \") \" statement (\" else \" statement)? | "
     "block | comment\n"
     "comment ::= \"/*\" ([^*] | \"*\"+ [^*/])* \"*\"+ \"/\"\n"
     "expr ::= expr op expr | name | name \"(\" (expr (\", \" expr)*)? \")\" | "
     "[0-9]+ | string | \"(\" expr \")\"\n"
     "op ::= \" \" (\"+\" | \"-\" | \"*\" | \"==\" | \"<\" | \"&&\") \" \"\n"
     "string ::= \"\\\"\" ([^\"\\\\\\n] | \"\\\\\" [nt0\"\\\\])* \"\\\"\"\n"
     "name ::= [a-zA-Z_] [a-zA-Z_0-9]*\n"
     "blank ::= [ \\n\\t]{0,64}\n",
     "int main(int argc, char * argv)\n{\n    /* counts, **then** prints */\n"
     "    int n = argc * (2 + 40);\n    if (n == 1 && argc < 3) { puts(\"one "
     "\\\"\xC3\xBC\\\"\\n\"); } else return n;\n    call(a, b(c), \"x\");\n"
     "    return 0;\n}\n"},
};

/* ---- vocabularies ---- */

static weir_vocab *load(const char *name)
{
    char path[512];
    weir_error err;
    const char *dir = getenv("WEIR_VOCAB_DIR");
    snprintf(path, sizeof path, "%s/%s/tokenizer.json",
             dir ? dir : ".cache/vocab", name);
    weir_vocab *v = weir_vocab_load_file(NULL, path, NULL, &err);
    if (v) return v;
    if (err.status != WEIR_IO) fail_msg("%s: %s", path, err.message);
    print_message("%s is not there\n", path);
    return NULL;
}

static bool is_full(void)
{
    const char *full = getenv("WEIR_FULL");
    return full && *full && strcmp(full, "0");
}

/* ---- one place ---- */

typedef struct Walk {
    const char *vocab, *sample;
    uint32_t width;
    int32_t *rows; /* three */
    uint64_t tried, allowed;
} Walk;

static bool bit(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

static void check_place(Walk *w, weir_matcher *m, size_t pos)
{
    size_t words = WEIR_MASK_WORDS(w->width);
    for (size_t i = 0; i < 3; i++) {
        weir_fill fill = weir_matcher_fill(m, w->rows + i * words);
        assert_int_not_equal(fill, WEIR_FILL_ERROR);
        assert_memory_equal(w->rows, w->rows + i * words,
                            words * sizeof *w->rows);
    }
    const int32_t *kept = weir_matcher_mask(m);
    assert_non_null(kept);
    assert_memory_equal(w->rows, kept, words * sizeof *kept);
    for (uint32_t id = 0; id < words * 32; id++) {
        bool allows = id < w->width && weir_matcher_allows(m, id);
        w->allowed += allows;
        if (allows != bit(w->rows, id))
            fail_msg("%s, %s, after %zu bytes: token %u is %s alone", w->vocab,
                     w->sample, pos, id, allows ? "allowed" : "refused");
    }
    w->tried += w->width;
}

/* The i-th of n places in a text: spread evenly, the last three at its end. */
static size_t place_at(size_t size, size_t i, size_t n)
{
    size_t spread = n > 5 ? n - 3 : n - 1;
    return i < spread ? i * size / spread : size - (n - 1 - i);
}

static void go_to(weir_matcher *m, const char *text, size_t pos)
{
    weir_matcher_reset(m);
    if (weir_matcher_accept_bytes(m, (weir_bytes){text, pos}, NULL) !=
        WEIR_ACCEPTED)
        fail_msg("the sample is refused: %.*s", (int)pos, text);
}

static void check_text(Walk *w, weir_grammar *g, const char *text)
{
    size_t size = strlen(text), n = is_full() ? FULL_PLACES : QUICK_PLACES;
    weir_error err;
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    assert_non_null(m);
    for (size_t i = 0; i < n; i++) {
        size_t pos = place_at(size, i, n);
        go_to(m, text, pos);
        check_place(w, m, pos);
    }
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

/* Another grammar object, cold, from the end: each mask is that of before. */
static void check_backwards(Walk *w, weir_grammar *warm, weir_grammar *cold,
                            const char *text)
{
    size_t size = strlen(text), words = WEIR_MASK_WORDS(w->width), n = 20;
    weir_matcher *a = weir_matcher_new(warm, NULL, NULL);
    weir_matcher *b = weir_matcher_new(cold, NULL, NULL);
    assert_non_null(a);
    assert_non_null(b);
    for (size_t i = n; i-- > 0;) {
        size_t pos = place_at(size, i, n);
        go_to(a, text, pos);
        go_to(b, text, pos);
        weir_matcher_fill(a, w->rows);
        weir_matcher_fill(b, w->rows + words);
        if (memcmp(w->rows, w->rows + words, words * sizeof *w->rows))
            fail_msg("%s, %s, after %zu bytes: another mask when cold",
                     w->vocab, w->sample, pos);
    }
    weir_matcher_free(a);
    weir_matcher_free(b);
}

/* ---- grammars ---- */

static weir_grammar *compile(weir_vocab *v, const Sample *s)
{
    weir_error err;
    weir_bytes source = {s->source, strlen(s->source)};
    weir_grammar *g = weir_grammar_compile(v, s->kind, source, NULL, &err);
    if (!g) fail_msg("%s: %s", s->name, err.message);
    return g;
}

static void check_sample(Walk *w, weir_vocab *v, const Sample *s)
{
    weir_grammar *warm = compile(v, s), *cold = compile(v, s);
    w->sample = s->name;
    check_text(w, warm, s->text);
    check_backwards(w, warm, cold, s->text);
    weir_grammar_free(warm);
    weir_grammar_free(cold);
}

/* 1,200 strings, many with a start in common, some beginning others. */
static void check_choices(Walk *w, weir_vocab *v)
{
    static const char *const words[] = {
        "North", "South", "east", "\xC3\xA9t\xC3\xA9",
        "river", "bank",  "12",   "under_"};
    static char text[CHOICES][64];
    static weir_bytes list[CHOICES];
    for (size_t i = 0; i < CHOICES; i++) {
        int n = snprintf(text[i], sizeof text[i], "%s %s%s%zu", words[i % 8],
                         words[i / 8 % 8], words[i / 64 % 8], i / 100);
        if (i % 9 == 0) n -= 3;
        list[i] = (weir_bytes){text[i], (size_t)n};
    }
    w->sample = "choice";
    weir_grammar *g = weir_grammar_choice(v, list, CHOICES, NULL, NULL);
    assert_non_null(g);
    text[1071][list[1071].size] = 0;
    check_text(w, g, text[1071]);
    weir_grammar_free(g);
}

static void count_text(void)
{
    static const char line[] = "The quick brown fox, 42 of them, jumps over; ";
    for (size_t i = 0; i < COUNT_MAX; i++)
        counted_text[i] = line[i % (sizeof line - 1)];
    counted_text[COUNT_MAX] = '.';
}

/* Words and a blank after each, a character in place of the last one. */
static void fill_words_text(void)
{
    words_text[0] = words_text[WORDS * WORD_SIZE + 1] = '"';
    for (size_t i = 0; i < WORDS * WORD_SIZE; i++)
        words_text[i + 1] = "together, "[i % WORD_SIZE];
    words_text[WORDS * WORD_SIZE] = '.';
}

static void check_vocab(const char *name, weir_vocab *v)
{
    Walk w = {.vocab = name, .width = weir_vocab_width(v)};
    w.rows = malloc(3 * WEIR_MASK_WORDS(w.width) * sizeof *w.rows);
    assert_non_null(w.rows);
    for (size_t i = 0; i < COUNT_OF(samples); i++)
        check_sample(&w, v, &samples[i]);
    check_choices(&w, v);
    print_message("%s: %llu tokens tried alone, %llu allowed\n", name,
                  (unsigned long long)w.tried, (unsigned long long)w.allowed);
    free(w.rows);
}

static void tokens_alone(void **state)
{
    static const char *const names[] = {"llama3",     "llama2", "qwen3",
                                        "gemma3",     "gpt4o",  "gptoss",
                                        "deepseek_v3"};
    size_t count = is_full() ? COUNT_OF(names) : 2, found = 0;
    (void)state;
    count_text();
    fill_words_text();
    for (size_t i = 0; i < count; i++) {
        weir_vocab *v = load(names[i]);
        if (!v) continue;
        check_vocab(names[i], v);
        weir_vocab_free(v);
        found++;
    }
    if (!found) {
        print_message("skipped: no vocabulary; scripts/vocab/fetch\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tokens_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
