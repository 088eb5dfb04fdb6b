/* tag_text_test.c: free text with tags, against its definition.
 *
 * The judge below knows no automaton: it tries every way to cut a text into
 * free text, tags and bodies, and looks for tags and excludes at every place.
 * Every string of up to seven characters, random tags with all their overlaps.
 */
#include "syntax/tag_text.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

enum { MAX_TEXTS = 4, LONGEST = 7 };

/* Tags, each with a body of one character, excludes, and ends: after each may
 * come the text `after`. */
typedef struct Setup {
    const char *tags[MAX_TEXTS], *bodies[MAX_TEXTS], *excludes[MAX_TEXTS];
    bool is_loop;   /* free text again after any tag, */
    uint32_t nloop; /* else after the first so many */
    bool is_closed; /* may not end in free text */
    const char *ends[MAX_TEXTS], *after;
    const RuleOptions *budget;
} Setup;

static Mem mem;

static void compile(Ir *ir, const Setup *s)
{
    Span tags[MAX_TEXTS], excludes[MAX_TEXTS];
    Span ends[MAX_TEXTS];
    NodeId bodies[MAX_TEXTS], closings[MAX_TEXTS];
    TagText in = {.is_open = !s->is_closed,
                  .tags = tags,
                  .excludes = excludes,
                  .bodies = bodies,
                  .ends = ends,
                  .closings = closings,
                  .budget = s->budget,
                  .begin = 3,
                  .end = 9};
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    for (; in.ntags < MAX_TEXTS && s->tags[in.ntags]; in.ntags++) {
        tags[in.ntags] = span_text(s->tags[in.ntags]);
        bodies[in.ntags] = ir_bytes(ir, span_text(s->bodies[in.ntags]));
    }
    for (; in.nexcludes < MAX_TEXTS && s->excludes[in.nexcludes];
         in.nexcludes++)
        excludes[in.nexcludes] = span_text(s->excludes[in.nexcludes]);
    for (; in.nends < MAX_TEXTS && s->ends[in.nends]; in.nends++) {
        ends[in.nends] = span_text(s->ends[in.nends]);
        closings[in.nends] = IR_SEQ(ir, ir_bytes(ir, ends[in.nends]),
                                    ir_bytes(ir, span_text(s->after)));
    }
    in.nloop = s->is_loop ? in.ntags : MIN(s->nloop, in.ntags);
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
    ir_rule_set(ir, ir->root, tag_text_compile(ir, &in));
}

static bool accepts(const Ir *ir, const char *text)
{
    OracleText t = {0};
    assert_true(oracle_add_bytes(&t, span_text(text)));
    return oracle_complete(ir, ir->root, NULL, &t);
}

/* ---- the definition ---- */

/* Whether one of the words begins in [from, before) and ends at `end` or
 * earlier. */
static bool occurs(const char *const *words, const char *from,
                   const char *before, const char *end)
{
    for (const char *p = from; p < before; p++)
        for (int i = 0; i < MAX_TEXTS && words[i]; i++) {
            size_t n = strlen(words[i]);
            if (n <= (size_t)(end - p) && !memcmp(p, words[i], n)) return true;
        }
    return false;
}

static bool is_text(const Setup *s, const char *from);

static bool is_tag(const Setup *s, int i, const char *from, const char *at)
{
    size_t n = strlen(s->tags[i]), m = strlen(s->bodies[i]);
    return !strncmp(at, s->tags[i], n) && !strncmp(at + n, s->bodies[i], m) &&
           !occurs(s->tags, from, at, at + n) &&
           !occurs(s->ends, from, at, at + n) &&
           !occurs(s->excludes, from, at + n, at + n) &&
           (s->is_loop || (uint32_t)i < s->nloop ? is_text(s, at + n + m)
                                                 : !at[n + m]);
}

static bool is_end(const Setup *s, int i, const char *from, const char *at)
{
    size_t n = strlen(s->ends[i]);
    return !strncmp(at, s->ends[i], n) && !strcmp(at + n, s->after) &&
           !occurs(s->tags, from, at, at + n) &&
           !occurs(s->ends, from, at, at + n) &&
           !occurs(s->excludes, from, at, at);
}

static bool is_text(const Setup *s, const char *from)
{
    const char *end = from + strlen(from);
    if (!s->is_closed && !occurs(s->tags, from, end, end) &&
        !occurs(s->ends, from, end, end) &&
        !occurs(s->excludes, from, end, end))
        return true;
    for (const char *at = from; at < end; at++) {
        for (int i = 0; i < MAX_TEXTS && s->tags[i]; i++)
            if (is_tag(s, i, from, at)) return true;
        for (int i = 0; i < MAX_TEXTS && s->ends[i]; i++)
            if (is_end(s, i, from, at)) return true;
    }
    return false;
}

static void expect_same(const Setup *s, const char *alphabet, int longest,
                        int round)
{
    Ir ir;
    compile(&ir, s);
    assert_true(ir_ok(&ir));
    int letters = (int)strlen(alphabet);
    long count = 1;
    for (int n = 0; n <= longest; n++, count *= letters)
        for (long i = 0; i < count; i++) {
            char text[LONGEST + 1] = {0};
            long rest = i;
            for (int k = 0; k < n; k++, rest /= letters)
                text[k] = alphabet[rest % letters];
            if (accepts(&ir, text) != is_text(s, text))
                fail_msg("round %d: \"%s\" should be %d", round, text,
                         is_text(s, text));
        }
    ir_free(&ir);
}

/* ---- tests ---- */

static void against_the_definition(void **state)
{
    (void)state;
    const Setup setups[] = {
        {{"ab"}, {"x"}, {NULL}, .is_loop = true},
        {{"ab"}, {"x"}, {NULL}, .is_loop = false},
        {{"aba"}, {"x"}, {NULL}, .is_loop = true},
        {{"aab", "ab"}, {"x", "a"}, {NULL}, .is_loop = true},
        {{"a", "ab"}, {"x", "b"}, {NULL}, .is_loop = true},
        {{"b", "abx"}, {"x", "a"}, {NULL}, .is_loop = true},
        {{"ab", "ab"}, {"x", "a"}, {NULL}, .is_loop = true},
        {{"ab"}, {"x"}, {"b"}, .is_loop = true}, /* never */
        {{"ab"}, {"x"}, {"xab"}, .is_loop = true},
        {{"ab"}, {"x"}, {"aba", "xx"}, .is_loop = true},
        {{"a"}, {"x"}, {"bab"}, .is_loop = false},
        {{"abab"}, {"x"}, {"baba"}, .is_loop = true},
        {{NULL}, {NULL}, {"ab"}, .is_loop = true},
        {{NULL}, {NULL}, {NULL}, .is_loop = false},
        {.ends = {"ab"}, .after = "", .is_closed = true},
        {.ends = {"aba"}, .after = "x", .is_closed = true},
        {.ends = {"ab", "abx"}, .after = "", .is_closed = true},
        {.ends = {"bax"}, .after = "", .excludes = {"ba", "xx"}},
        {.ends = {"ab"}, .after = "", .excludes = {"ab"}, .is_closed = true},
        {{"a"},
         {"x"},
         {NULL},
         .is_loop = true,
         .is_closed = true,
         .ends = {"xb"},
         .after = ""},
        {{"ab"},
         {"x"},
         {NULL},
         .is_loop = true,
         .is_closed = true,
         .ends = {"ba"},
         .after = ""},
        {{"ab"},
         {"x"},
         {"bb"},
         .is_loop = false,
         .is_closed = true,
         .ends = {"a"},
         .after = "x"},
    };
    for (size_t i = 0; i < COUNT_OF(setups); i++)
        expect_same(&setups[i], "abx", LONGEST, (int)i);
}

static uint32_t random_state = 7;

static uint32_t roll(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

static void random_word(char *word)
{
    uint32_t n = 1 + roll(4);
    for (uint32_t i = 0; i < n; i++) word[i] = "ab"[roll(2)];
    word[n] = 0;
}

static bool is_prefix_of_a_tag(const Setup *s, const char *word)
{
    for (int i = 0; i < MAX_TEXTS && s->tags[i]; i++)
        if (!strncmp(s->tags[i], word, strlen(word))) return true;
    return false;
}

static void random_tags(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        static const char *const bodies[] = {"a", "b", "ab", ""};
        char words[3 * MAX_TEXTS][8];
        Setup s = {.is_loop = roll(3), .nloop = roll(3), .is_closed = roll(2)};
        uint32_t ntags = 1 + roll(3), nexcludes = roll(3), kept = 0;
        uint32_t nends = roll(3);
        for (uint32_t i = 0; i < ntags; i++) {
            random_word(words[i]);
            s.tags[i] = words[i];
            s.bodies[i] = bodies[roll(4)];
        }
        for (uint32_t i = 0; i < nexcludes; i++) {
            random_word(words[MAX_TEXTS + i]);
            if (!is_prefix_of_a_tag(&s, words[MAX_TEXTS + i]))
                s.excludes[kept++] = words[MAX_TEXTS + i];
        }
        for (uint32_t i = 0; i < nends; i++) {
            random_word(words[2 * MAX_TEXTS + i]);
            s.ends[i] = words[2 * MAX_TEXTS + i];
        }
        s.after = roll(2) ? "" : "b";
        expect_same(&s, "ab", LONGEST, round);
    }
}

/* A most of characters is counted exactly, whatever may follow. */
static void counts_characters(void **state)
{
    (void)state;
    RuleOptions three = {.has = RULE_HAS_MAX_CHARS, .max_chars = 3};
    Setup s = {
        .ends = {"ab"}, .after = "", .is_closed = true, .budget = &three};
    Ir ir;
    compile(&ir, &s);
    assert_true(ir_ok(&ir));
    assert_true(accepts(&ir, "ab"));
    assert_true(accepts(&ir, "xaaab"));
    assert_true(accepts(&ir, "\xc3\xa9\xc3\xa9\xc3\xa9"
                             "ab"));
    assert_false(accepts(&ir, "xxxxab"));
    assert_false(accepts(&ir, "xxx"));
    ir_free(&ir);
}

static void expect_print(const Setup *s, const char *expected)
{
    Ir ir;
    compile(&ir, s);
    assert_true(ir_ok(&ir));
    char text[512];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    text[MIN(out.size, out.cap)] = 0;
    assert_string_equal(text, expected);
    ir_free(&ir);
}

#define REST_OF_CODE_POINTS "\\uD7FF]>0 [\\uE000-\\U0010FFFF]>0"

static void automata_are_small(void **state)
{
    (void)state;
    expect_print(
        &(Setup){{"<a>"}, {"x"}, {NULL}, .is_loop = true},
        "root ::= "
        "regular(0! [\\x00-;]>0 [<]>1 [=-" REST_OF_CODE_POINTS
        "; 1! [\\x00-;]>0 [<]>1 [=-`]>0 [a]>2 [b-" REST_OF_CODE_POINTS
        "; 2! [\\x00-;]>0 [<]>1 [=]>0 [?-" REST_OF_CODE_POINTS ") (\"<a>x\" "
        "regular(0! [\\x00-;]>0 [<]>1 [=-" REST_OF_CODE_POINTS
        "; 1! [\\x00-;]>0 [<]>1 [=-`]>0 [a]>2 [b-" REST_OF_CODE_POINTS
        "; 2! [\\x00-;]>0 [<]>1 [=]>0 [?-" REST_OF_CODE_POINTS "))*\n");
    expect_print(&(Setup){{NULL}, {NULL}, {NULL}, .is_loop = true},
                 "root ::= regular(0! [\\x00-" REST_OF_CODE_POINTS ")\n");
}

static void characters_not_bytes(void **state)
{
    (void)state;
    Setup s = {{"\xc3\xa9"}, {"x"}, {"\xef\xbc\x81"}, .is_loop = true};
    Ir ir;
    compile(&ir, &s);
    assert_true(accepts(&ir, "\xc3\xa8"));  /* another character */
    assert_true(accepts(&ir, "\xc3\xa9x")); /* the tag */
    assert_false(accepts(&ir, "\xc3\xa9")); /* without its body */
    assert_false(accepts(&ir, "\xc3\xa9y"));
    assert_false(accepts(&ir, "\xc3"));         /* half a character */
    assert_false(accepts(&ir, "\xef\xbc\x81")); /* excluded */
    assert_true(accepts(&ir, "\xef\xbc\x82"));
    assert_false(accepts(&ir, "\xed\xa0\x80")); /* a surrogate */
    ir_free(&ir);
}

static void refuses_prefixes(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, &(Setup){{"abc"}, {"x"}, {"d", "ab"}, .is_loop = true});
    assert_int_equal(ir.error.status, WEIR_SYNTAX);
    assert_string_equal(ir.error.message, "exclude 2 is a prefix of a tag");
    assert_int_equal(ir.error.begin, 3);
    assert_int_equal(ir.error.end, 9);
    ir_free(&ir);
}

static void warns_of_dead_tags(void **state)
{
    (void)state;
    Ir ir;
    compile(&ir, &(Setup){{"q", "ab"}, {"x", "x"}, {"b"}, .is_loop = true});
    assert_true(ir_ok(&ir));
    assert_int_equal(ir.warnings.count, 1);
    assert_true(
        span_equal(ir.warnings.at[0].message,
                   SPAN("tag 2 holds an exclude and can never be written")));
    ir_free(&ir);
}

static void limits(void **state)
{
    (void)state;
    mem = mem_from_env(NULL);
    for (uint32_t max_states = 1; max_states < 40; max_states++) {
        Ir ir;
        ir_init(&ir, &mem, &(weir_limits){.max_states = max_states});
        Span tags[] = {SPAN("abcabd"), SPAN("abca"), SPAN("cab")};
        NodeId bodies[] = {1, 1, 1};
        TagText in = {.tags = tags, .bodies = bodies, .ntags = 3};
        tag_text_compile(&ir, &in);
        /* ten nodes and the root; the edges of two automata */
        if (max_states < 10)
            assert_int_equal(ir.error.status, WEIR_LIMIT_STATES);
        if (max_states > 35) assert_true(ir_ok(&ir));
        ir_free(&ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_definition),
        cmocka_unit_test(random_tags),
        cmocka_unit_test(counts_characters),
        cmocka_unit_test(automata_are_small),
        cmocka_unit_test(characters_not_bytes),
        cmocka_unit_test(refuses_prefixes),
        cmocka_unit_test(warns_of_dead_tags),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
