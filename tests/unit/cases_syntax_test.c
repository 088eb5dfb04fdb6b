/* cases_syntax_test.c: published cases about what a grammar means: regular
 * expressions, EBNF, choices. A test is named after its case; docs/cases.md
 * has them all, with their sources. Texts to accept and to refuse are those of
 * the case; masks come from the oracle, or from the list of members itself.
 */
#include "unit/cases_kit.h"

#include <stdio.h>

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void check_texts(Kit *k, const char *const *accept,
                        const char *const *reject)
{
    for (; *accept; accept++) kit_accepts(k, *accept);
    for (; *reject; reject++) kit_refuses(k, *reject);
}

static char *repeated(const char *unit, size_t times, const char *end)
{
    size_t size = strlen(unit);
    char *text = malloc(size * times + strlen(end) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++) memcpy(text + i * size, unit, size);
    strcpy(text + size * times, end);
    return text;
}

/* ---- regular expressions ---- */

/* vllm-project/vllm#45172. 2^18 states if determinised at once; compiled in
 * parts as they are met, it is "accepted at once", which the case allows. */
static void compile_timeout(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "aa|ab|bbb|ac|bd", "abcd");
    kit_compile(&k, WEIR_REGEX, "((a|b)*a(a|b){18}c)|((a|b)*b(a|b){18}d)");
    check_texts(&k,
                TEXTS("aaaaaaaaaaaaaaaaaaac", "bbbbbbbbbbbbbbbbbbbd",
                      "baabababababababababc"),
                TEXTS("aaaaaaaaaaaaaaaaaaa", "c", "abbbbbbbbbbbbbbbbbc"));
    kit_end(&k);
}

/* The same under a budget that it cannot meet: the error names the limit. */
static void compile_timeout_budget(void **state)
{
    (void)state;
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .limits.max_work = 1000};
    /* an assertion asks for a whole automaton */
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_REGEX, kit_bytes("(?=(a|b)*a(a|b){18}c).*"), &opts, &err);
    assert_null(g);
    assert_int_equal(err.status, WEIR_LIMIT_WORK);
    assert_non_null(strstr(err.message, "max_work"));
}

/* dottxt-ai/outlines#680. */
static void lazy_optional_blocks(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "A: x\n|END\n|\n`\n|oo\n|bar", "AENDxfobar`: \n");
    char *pattern = repeated("(A: x\\n(\\n|[^`].*?\\n)*`\\n)?", 8, "END\\n");
    kit_compile(&k, WEIR_REGEX, pattern);
    check_texts(
        &k,
        TEXTS("END\n", "A: x\nfoo\n\nbar\n`\nEND\n", "A: x\n`\nA: x\n`\nEND\n"),
        TEXTS("A: x\nfoo\nEND\n", "END", ""));
    free(pattern);
    kit_end(&k);
}

/* guidance-ai/guidance#1328. Of the two answers that the case leaves open,
 * ours is the mask: a token that runs past the end of the grammar is refused,
 * even where only a part of it is too much. */
static void stop_regex_in_token(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "\",|\"\n|te", "test\",\n");
    kit_compile(&k, WEIR_REGEX, "[^\"]*\"");
    check_texts(&k, TEXTS("test\""), TEXTS("test\",", "test"));
    weir_matcher *m = kit_matcher(&k);
    kit_read(&k, m, "test");
    assert_true(weir_matcher_allows(m, kit_find(&k, "\"")));
    assert_false(weir_matcher_allows(m, kit_find(&k, "\",")));
    assert_false(weir_matcher_allows(m, kit_find(&k, "\"\n")));
    weir_matcher_free(m);
    kit_end(&k);
}

/* ggml-org/llama.cpp#25308. All eight are refused: by ECMA-262 with the u
 * flag (our dialect), and without it too, "a|*" and "(?:)*+?" included. */
static void quantifier_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint32_t begin, end; /* of what repeats nothing, by hand */
    } rows[] = {{"*a", 0, 1},      {"+", 0, 1},  {"a|*", 2, 3},
                {"(?:)*+?", 4, 6}, {"^*", 1, 2}, {"(?<=x)*a", 6, 7},
                {"{2}a", 0, 1},    {"a**", 2, 3}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        weir_error err;
        assert_null(weir_grammar_compile(
            NULL, WEIR_REGEX, kit_bytes(rows[i].pattern), NULL, &err));
        assert_int_equal(err.status, WEIR_SYNTAX);
        assert_int_equal(err.begin, rows[i].begin);
        assert_int_equal(err.end, rows[i].end);
        assert_true(err.message[0]);
    }
}

/* ggml-org/llama.cpp#25308: 40 levels as in the case's text, and its 100,000,
 * which pass the depth limit: an error that names it, unless the caller asks
 * for more. */
static void deep_nesting(void **state)
{
    (void)state;
    static const size_t depths[] = {40, 9999, 100000};
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        char *close = repeated(")", depths[i], "");
        char *tail = repeated("a", 1, close);
        char *pattern = repeated("(", depths[i], tail);
        if (depths[i] < 10000) {
            Kit k;
            kit_begin(&k, "aa", "ab");
            kit_compile(&k, WEIR_REGEX, pattern);
            check_texts(&k, TEXTS("a"), TEXTS("aa", ""));
            kit_end(&k);
        } else {
            weir_error err;
            assert_null(weir_grammar_compile(NULL, WEIR_REGEX,
                                             kit_bytes(pattern), NULL, &err));
            assert_int_equal(err.status, WEIR_LIMIT_DEPTH);
            assert_int_equal(err.begin, 10000);
            assert_non_null(strstr(err.message, "10000"));
        }
        free(close);
        free(tail);
        free(pattern);
    }
}

/* ---- EBNF ---- */

/* mlc-ai/xgrammar#618: the five names of the report. */
static void large_enum(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "amber|_delta|_two|kite|_moss|_lamp|onyx|_pier|[k|_l|a]",
              "[]abcdefghijklmnopqrstuvwxyz_");
    kit_compile(&k, WEIR_EBNF,
                "root ::= \"[\" object \"]\"\nobject ::= \"amber_delta\" | "
                "\"amber_delta_two\" | \"kite_moss\" | \"kite_moss_lamp\" | "
                "\"onyx_pier\"\n");
    check_texts(&k, TEXTS("[amber_delta]", "[kite_moss_lamp]"),
                TEXTS("[amber_kite]", "[kite_moss_l]", "[onyx]",
                      "[amber_delta_two_two]"));
    kit_end(&k);
}

/* 1,200 names of two or three shared words; some begin others. */
enum { NAMES = 1200, NAME_SIZE = 32 };
typedef struct Names {
    char at[NAMES][NAME_SIZE]; /* as outputs, brackets included */
} Names;

static const char *const shared_words[] = {"amber", "delta", "kite", "moss",
                                           "onyx",  "pier",  "lamp", "two"};

static void names_make(Names *names)
{
    enum { W = COUNT_OF(shared_words) };
    for (size_t i = 0; i < NAMES; i++) {
        const char *a = shared_words[i % W], *b = shared_words[i / W % W];
        size_t third = i / W / W; /* 0 to 18 */
        char *to = names->at[i];
        if (!third)
            snprintf(to, NAME_SIZE, "[%s_%s]", a, b);
        else if (third <= W)
            snprintf(to, NAME_SIZE, "[%s_%s_%s]", a, b,
                     shared_words[third - 1]);
        else
            snprintf(to, NAME_SIZE, "[%s_%s_%zu]", a, b, third);
    }
}

static bool names_begin(const Names *names, const char *text, size_t size)
{
    for (size_t i = 0; i < NAMES; i++)
        if (!strncmp(names->at[i], text, size)) return true;
    return false;
}

/* The mask after text[0, at) by the list of names alone. */
static void names_check_mask(const Kit *k, const Names *names, weir_matcher *m,
                             const char *text, size_t at)
{
    int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)] = {0};
    weir_matcher_fill(m, row);
    for (uint32_t id = 0; id < k->c.vocab.count; id++) {
        weir_token t = k->c.vocab.tokens[id];
        char longer[2 * NAME_SIZE] = "";
        memcpy(longer, text, at);
        if (t.bytes.size) memcpy(longer + at, t.bytes.data, t.bytes.size);
        bool want = !t.flags && t.bytes.data[0] &&
                    names_begin(names, longer, at + t.bytes.size);
        if (kit_bit(row, id) != want)
            fail_msg("after \"%.*s\" token %u: expected %d", (int)at, text, id,
                     want);
    }
}

static void names_check(Kit *k, const Names *names, const char *text,
                        bool is_member)
{
    size_t size = strlen(text), at = 0;
    weir_matcher *m = kit_matcher(k);
    while (at < size) {
        names_check_mask(k, names, m, text, at);
        weir_bytes rest = {text + at, size - at};
        uint32_t id = kit_pick(k, rest, KIT_LONGEST);
        assert_int_not_equal(id, UINT32_MAX);
        size_t next = at + k->c.vocab.tokens[id].bytes.size;
        bool can = names_begin(names, text, next);
        assert_int_equal(weir_matcher_accept(m, id) == WEIR_ACCEPTED, can);
        if (!can) break;
        at = next;
    }
    assert_int_equal(at == size && weir_matcher_is_completed(m), is_member);
    weir_matcher_free(m);
}

static char *names_grammar(const Names *names)
{
    char *text = malloc(NAMES * (NAME_SIZE + 8) + 64);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "root ::= \"[\" object \"]\"\nobject ::=");
    for (size_t i = 0; i < NAMES; i++) {
        const char *name = names->at[i] + 1;
        n += (size_t)sprintf(text + n, "%s \"%.*s\"", i ? " |" : "",
                             (int)strlen(name) - 1, name);
    }
    return text;
}

/* The same at its scale, with tokens as a byte-pair encoder makes them: words,
 * halves of words, joints between words. */
static void large_enum_scale(void **state)
{
    (void)state;
    static Names names;
    Kit k;
    names_make(&names);
    kit_begin(&k,
              "amber|_delta|_two|kite|_moss|_lamp|onyx|_pier|delta_|am|ber_|"
              "moss_k|s_|ier]|p]|_1|_12]|[a|[kite_|two_two|x_|_d|elta|la|mp]",
              "[]abcdefghijklmnopqrstuvwxyz_0123456789");
    char *grammar = names_grammar(&names);
    kit_compile(&k, WEIR_EBNF, grammar);
    for (size_t i = 0; i < NAMES; i += 13)
        names_check(&k, &names, names.at[i], true);
    static const char *const others[] = {"[amber_kite_99]", "[kite_moss_l]",
                                         "[onyx]", "[kite_moss_lam]",
                                         "[delta_two_two_two]"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        names_check(&k, &names, others[i], false);
    free(grammar);
    kit_end(&k);
}

/* mlc-ai/xgrammar#126. */
static void left_recursive(void **state)
{
    (void)state;
    Kit k;
    kit_begin(&k, "hello| there| AND |(hello|there)|  |AND", "()ANDhelotr ");
    kit_compile(&k, WEIR_EBNF,
                "root ::= expr\nexpr ::= \"(\" ws expr ws \")\" | expr ws "
                "\"AND\" ws expr | \"hello\" ws \"there\"\nws ::= [ ]*\n");
    check_texts(
        &k,
        TEXTS("hello there", "(hello    there)", "hello there AND hello there",
              "(hello there AND hellothere) AND hello there"),
        TEXTS("AND", "hello there AND", "(hello there", "hello AND there"));
    kit_end(&k);
}

/* ---- choices ---- */

/* vllm-project/vllm#16738: no setting but the list. */
static void backend_mismatch(void **state)
{
    (void)state;
    static const char *const choices[] = {"yes", "no", "not sure"};
    Kit k;
    kit_begin(&k, "yes|no|not| sure|ye|not sure|no ", "yesnotu rmabY");
    kit_choice(&k, choices, COUNT_OF(choices));
    check_texts(&k, TEXTS("yes", "no", "not sure"),
                TEXTS("maybe", "Yes", "not", "no "));
    kit_end(&k);
}

/* vllm-project/vllm#12632. */
static void choice_specials(void **state)
{
    (void)state;
    static const char *const choices[] = {
        "say \"hi\"", "back\\slash", "two\nlines", "tab\t",
        "a",          "ab",          "",           "\xC3\xBCn\xC3\xAF"};
    Kit k;
    kit_begin(&k, "say|\"hi\"|\\slash|o\nl|b\t|\xC3\xBC|n\xC3|\xAF|ab|\\n",
              "say \"hi\\backslash\ntwo\nlines\ttab\xC3\xBC\xAF");
    kit_choice(&k, choices, COUNT_OF(choices));
    for (size_t i = 0; i < COUNT_OF(choices); i++) kit_accepts(&k, choices[i]);
    check_texts(&k, TEXTS("ab", "a", ""),
                TEXTS("say hi", "back\\\\slash", "two\\nlines", "abc", "b"));
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("compile-timeout", compile_timeout),
        CASE("compile-timeout, with a budget", compile_timeout_budget),
        CASE("lazy-optional-blocks-regex", lazy_optional_blocks),
        CASE("stop-regex-in-token", stop_regex_in_token),
        CASE("regex-quantifier-nothing", quantifier_nothing),
        CASE("regex-deep-nesting", deep_nesting),
        CASE("large-enum-exact", large_enum),
        CASE("large-enum-exact, 1,200 names", large_enum_scale),
        CASE("left-recursive-binary-expr", left_recursive),
        CASE("backend-mismatch-choice", backend_mismatch),
        CASE("choice-specials", choice_specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
