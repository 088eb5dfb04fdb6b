/* Tests of vocab/encode*.c on small vocabularies. The ids were worked out by
 * hand; encode_reference_test.c compares with real tokenizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vocab/encode.h"

enum { MAX_TOKENS = 400, MAX_IDS = 4096 };

/* ---- vocabularies from lists of texts ----------------------------------- */

typedef struct Table {
    uint32_t start[MAX_TOKENS + 1];
    uint8_t bytes[8192];
    EncoderTokens tokens;
} Table;

static uint32_t table_add(Table *t, Span bytes)
{
    uint32_t id = t->tokens.count++;
    assert_true(id < MAX_TOKENS);
    assert_true(t->start[id] + bytes.size <= sizeof t->bytes);
    if (bytes.size) memcpy(t->bytes + t->start[id], bytes.at, bytes.size);
    t->start[id + 1] = t->start[id] + (uint32_t)bytes.size;
    t->tokens.start = t->start;
    t->tokens.bytes = t->bytes;
    return id;
}

/* Tokens, with '|' between; ids from 0. */
static void table_fill(Table *t, const char *texts)
{
    memset(t, 0, sizeof *t);
    while (*texts) {
        const char *end = strchr(texts, '|');
        size_t size = end ? (size_t)(end - texts) : strlen(texts);
        table_add(t, span_of(texts, size));
        texts += size + (end != NULL);
    }
}

/* The 256 <0xNN> tokens behind those of the list. */
static void table_add_bytes(Table *t, uint32_t ids[256])
{
    for (unsigned i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)i;
        ids[i] = table_add(t, span_of(&byte, 1));
    }
}

static Encoder *encoder_make(const Table *t, const EncoderSpec *spec)
{
    Mem mem = mem_from_env(NULL);
    weir_error err = {0};
    Encoder *encoder = encoder_new(&mem, t->tokens, spec, &err);
    if (!encoder) fail_msg("%s", err.message);
    return encoder;
}

/* `want`: ids with blanks between. */
static void check_special(const Encoder *encoder, Span text, bool parse_special,
                          const char *want)
{
    static uint32_t ids[MAX_IDS];
    static char got[MAX_IDS * 8];
    size_t n = encoder_encode(encoder, text, parse_special, ids, MAX_IDS);
    assert_true(n <= MAX_IDS);
    size_t used = 0;
    got[0] = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%u",
                                 i ? " " : "", ids[i]);
    assert_string_equal(got, want);
}

static void check(const Encoder *encoder, Span text, const char *want)
{
    check_special(encoder, text, true, want);
}

static const EncoderSpec plain = {.model = ENCODER_BPE_MERGES,
                                  .pretoken = PRETOKEN_NONE,
                                  .byte_level = true,
                                  .unk = ENCODER_NONE};

/* ---- byte-pair encoding ------------------------------------------------- */

/*                                0 1 2 3 4 5  6  7   8  9   */
#define ABC_TOKENS "a|b|c|d|ab|bc|abc|aa|aaaa|cd"

static void test_merges(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    /* bc, then ab, then a+bc (but not ab+c), aa, aa+aa */
    EncoderMerge merges[] = {{5, 1}, {4, 1}, {6, 1}, {7, 1}, {8, 2}};
    EncoderSpec spec = plain;
    spec.merges = merges;
    spec.merge_count = COUNT_OF(merges);
    Encoder *e = encoder_make(&t, &spec);
    assert_true(encoder_is_exact(e));
    check(e, SPAN(""), "");
    check(e, SPAN("abc"), "6");    /* a bc -> abc */
    check(e, SPAN("abcd"), "6 3"); /* cd is in no line of the list */
    check(e, SPAN("ab"), "4");
    check(e, SPAN("abab"), "4 4");
    check(e, SPAN("aaa"), "7 0"); /* leftmost first */
    check(e, SPAN("aaaaa"), "8 0");
    check(e, SPAN("aab"), "0 4"); /* ab is earlier in the list than aa */
    check(e, SPAN("xaxbc"), "6"); /* no x: the rest moves together */
    encoder_free(e);
}

static void test_ignore_merges(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    EncoderMerge merges[] = {{4, 1}};
    EncoderSpec spec = plain;
    spec.merges = merges;
    spec.merge_count = COUNT_OF(merges);
    spec.ignore_merges = true;
    Encoder *e = encoder_make(&t, &spec);
    check(e, SPAN("abc"), "6");
    check(e, SPAN("abcd"), "4 2 3");
    encoder_free(e);
}

static void test_rank(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    EncoderSpec spec = plain;
    spec.model = ENCODER_BPE_RANK;
    Encoder *e = encoder_make(&t, &spec);
    check(e, SPAN("abc"), "6");   /* ab (4) before bc (5); ab+c is 6 */
    check(e, SPAN("bcd"), "5 3"); /* bc (5) before cd (9) */
    check(e, SPAN("aaaaaaa"), "8 7 0");
    encoder_free(e);
}

static void test_score(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    float scores[] = {0, 0, 0, 0, -3, -2, -9, -4, -5, -1};
    EncoderSpec spec = plain;
    spec.model = ENCODER_BPE_SCORE;
    spec.byte_level = false;
    spec.scores = scores;
    Encoder *e = encoder_make(&t, &spec);
    check(e, SPAN("abcd"), "4 9"); /* cd (-1), then ab (-3) */
    check(e, SPAN("abc"), "6");    /* bc (-2), then a+bc */
    check(e, SPAN("aaaa"), "8");
    encoder_free(e);
}

/* ---- long words --------------------------------------------------------- */

/* Merging by the book: scan all neighbours, again and again. */
static size_t merge_slowly(const Table *t, const uint8_t *word, size_t size,
                           const EncoderMerge *merges, uint32_t count,
                           uint32_t *ids)
{
    static size_t end[MAX_IDS];
    size_t n = size;
    for (size_t i = 0; i < n; i++) {
        end[i] = i + 1;
        ids[i] = word[i] - 'a';
    }
    for (;;) {
        uint32_t best = count;
        size_t at = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            size_t begin = i ? end[i - 1] : 0;
            for (uint32_t m = 0; m < best; m++) {
                uint32_t id = merges[m].id;
                Span bytes = span_of(t->bytes + t->start[id],
                                     t->start[id + 1] - t->start[id]);
                if (merges[m].left == end[i] - begin &&
                    span_equal(bytes,
                               span_of(word + begin, end[i + 1] - begin)))
                    best = m, at = i;
            }
        }
        if (best == count) return n;
        ids[at] = merges[best].id;
        memmove(end + at, end + at + 1, (n - at - 1) * sizeof *end);
        memmove(ids + at + 1, ids + at + 2, (n - at - 2) * sizeof *ids);
        n--;
    }
}

/* All words of two letters up to four long are tokens, cut at random. */
static uint32_t random_merges(Table *t, EncoderMerge *merges, unsigned *seed)
{
    uint32_t count = 0;
    table_fill(t, "a|b");
    for (unsigned size = 2; size <= 4; size++)
        for (unsigned bits = 0; bits < 1u << size; bits++) {
            uint8_t word[4];
            for (unsigned i = 0; i < size; i++)
                word[i] = (uint8_t)('a' + (bits >> i & 1));
            uint32_t id = table_add(t, span_of(word, size));
            for (unsigned left = 1; left < size; left++)
                if ((*seed = *seed * 1103515245 + 12345) >> 16 & 1)
                    merges[count++] = (EncoderMerge){id, left};
        }
    for (uint32_t i = count; i > 1; i--) { /* shuffled: ranks of any order */
        uint32_t j = ((*seed = *seed * 1103515245 + 12345) >> 8) % i;
        EncoderMerge m = merges[i - 1];
        merges[i - 1] = merges[j];
        merges[j] = m;
    }
    return count;
}

static void test_long_words(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 7, 47, 48, 49, 50, 100, 300};
    unsigned seed = 1;
    for (unsigned round = 0; round < 30; round++) {
        Table t;
        EncoderMerge merges[128];
        uint8_t word[300];
        uint32_t want[300], got[300];
        EncoderSpec spec = plain;
        spec.merge_count = random_merges(&t, merges, &seed);
        spec.merges = merges;
        Encoder *e = encoder_make(&t, &spec);
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            for (size_t i = 0; i < sizes[k]; i++)
                word[i] =
                    (uint8_t)('a' +
                              ((seed = seed * 1103515245 + 12345) >> 20 & 1));
            size_t n = merge_slowly(&t, word, sizes[k], merges,
                                    spec.merge_count, want);
            assert_int_equal(encoder_encode(e, span_of(word, sizes[k]), true,
                                            got, COUNT_OF(got)),
                             n);
            assert_memory_equal(got, want, n * sizeof *got);
        }
        encoder_free(e);
    }
}

/* A megabyte of one letter: half a second where n * n would take days. */
static void test_huge_word(void **state)
{
    (void)state;
    size_t size = getenv("WEIR_QUICK") ? 1 << 16 : 1 << 20;
    Table t;
    table_fill(&t, ABC_TOKENS);
    EncoderMerge merges[] = {{7, 1}, {8, 2}};
    EncoderSpec spec = plain;
    spec.merges = merges;
    spec.merge_count = COUNT_OF(merges);
    Encoder *e = encoder_make(&t, &spec);
    uint8_t *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    uint32_t ids[2] = {0, 99};
    assert_int_equal(encoder_encode(e, span_of(text, size), true, ids, 1),
                     size / 4);
    assert_int_equal(ids[0], 8);
    assert_int_equal(ids[1], 99);
    free(text);
    encoder_free(e);
}

/* ---- characters without a token ----------------------------------------- */

static void test_fallback(void **state)
{
    (void)state;
    Table t;
    uint32_t bytes[256];
    table_fill(&t, "<unk>|a|\n|\xC3\xA9|a\xC3\xA9");
    table_add_bytes(&t, bytes); /* byte b has id 5 + b */
    EncoderMerge merges[] = {{4, 1}};
    EncoderSpec spec = plain;
    spec.byte_level = false;
    spec.byte_fallback = true;
    spec.byte_ids = bytes;
    spec.unk = 0;
    spec.merges = merges;
    spec.merge_count = COUNT_OF(merges);
    Encoder *e = encoder_make(&t, &spec);
    check(e, SPAN("a\xC3\xA9\n"), "4 2");  /* not the byte token of \n */
    check(e, SPAN("\xC3\xA8"), "200 173"); /* U+00E8 has no token */
    check(e, SPAN("a\xC3"), "1 200");      /* broken: a byte token */
    check(e, SPAN("\xA9\xC3\xA9"), "174 3");
    encoder_free(e);

    /* One byte has none: its characters are unknown, the others still fall. */
    bytes[0xA8] = ENCODER_NONE;
    e = encoder_make(&t, &spec);
    check(e,
          SPAN("\xC3\xA8\xC3\xA8"
               "a\xC3\xAA"),
          "0 0 1 200 175");
    spec.fuse_unk = true;
    encoder_free(e);
    e = encoder_make(&t, &spec);
    check(e,
          SPAN("\xC3\xA8\xC3\xA8"
               "a\xC3\xA8"),
          "0 1 0");
    encoder_free(e);
}

/* ---- added tokens ------------------------------------------------------- */

static Encoder *encoder_added(Table *t, const EncoderAdded *added,
                              uint32_t count, const EncoderSpec *base)
{
    EncoderSpec spec = *base;
    spec.added = added;
    spec.added_count = count;
    return encoder_make(t, &spec);
}

static void test_added(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, "a|<|s|>| |<s>|<s><s>|<think>|t");
    EncoderAdded added[] = {
        {.content = SPAN("<s>"), .id = 5, .special = true},
        {.content = SPAN("<s><s>"), .id = 6, .special = true},
        {.content = SPAN("<think>"), .id = 7},
    };
    Encoder *e = encoder_added(&t, added, COUNT_OF(added), &plain);
    check(e, SPAN("a<s>a"), "0 5 0");
    check(e, SPAN("<s><s><s>"), "6 5"); /* the longest name */
    check(e, SPAN("<think><"), "7 1");
    check(e, SPAN("<s"), "1 2");
    check_special(e, SPAN("a<s>a"), false, "0 1 2 3 0");
    check_special(e, SPAN("<think><s>"), false, "7 1 2 3");
    encoder_free(e);
}

static void test_added_flags(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, "a| |\t|LL|RR|WW|W|L");
    EncoderAdded added[] = {
        {.content = SPAN("LL"), .id = 3, .lstrip = true},
        {.content = SPAN("RR"), .id = 4, .rstrip = true},
        {.content = SPAN("WW"), .id = 5, .single_word = true},
    };
    Encoder *e = encoder_added(&t, added, COUNT_OF(added), &plain);
    check(e, SPAN("a \tLL a"), "0 3 1 0");
    check(e, SPAN("a RR \t a"), "0 1 4 0");
    check(e, SPAN("RR  LL"), "4 3"); /* blanks go to the first */
    check(e, SPAN("  LL  LL"), "3 3");
    check(e, SPAN("WW a"), "5 1 0");
    check(e, SPAN("aWW WWa WW"), "0 6 6 1 6 6 0 1 5");
    check(e, SPAN("\xC3\xA9WW"), "6 6"); /* U+00E9, a letter, has no token */
    encoder_free(e);
}

/* ---- normalising -------------------------------------------------------- */

static void test_prepend(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, "a| |<s>| a|b");
    EncoderAdded added = {.content = SPAN("<s>"), .id = 2, .special = true};
    EncoderMerge merges[] = {{3, 1}};
    EncoderSpec spec = plain;
    spec.byte_level = false;
    spec.space_mark = true;
    spec.merges = merges;
    spec.merge_count = 1;
    spec.prepend = PREPEND_EACH;
    Encoder *e = encoder_added(&t, &added, 1, &spec);
    check(e, SPAN("a"), "3");
    check(e, SPAN(" a"), "1 3");
    check(e, SPAN("a<s>a"), "3 2 3");
    check(e, SPAN("<s>"), "2");
    check(e, SPAN(""), "");
    check(e,
          SPAN("b\xE2\x96\x81"
               "a"),
          "1 4 3"); /* U+2581 is a space */
    encoder_free(e);

    spec.prepend = PREPEND_FIRST;
    e = encoder_added(&t, &added, 1, &spec);
    check(e, SPAN("a<s>a"), "3 2 0");
    check(e, SPAN("<s>a"), "2 0");
    encoder_free(e);

    spec.prepend = PREPEND_EACH;
    spec.prepend_unless_space = true;
    spec.pretoken = PRETOKEN_METASPACE;
    e = encoder_added(&t, &added, 1, &spec);
    check(e, SPAN(" a"), "3");
    check(e,
          SPAN("\xE2\x96\x81"
               "a"),
          "3");
    check(e, SPAN("a<s>a a"), "3 2 3 3");
    encoder_free(e);
}

static void test_collapse(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, "a| |b");
    EncoderSpec spec = plain;
    spec.byte_level = false;
    spec.space_mark = spec.collapse_spaces = true;
    spec.prepend = PREPEND_EACH;
    Encoder *e = encoder_make(&t, &spec);
    check(e, SPAN("  a   b  "), "1 0 1 2");
    check(e, SPAN("   "), "");
    check(e,
          SPAN("a\xE2\x96\x81\xE2\x96\x81"
               "b"),
          "1 0 1 1 2");
    encoder_free(e);
}

/* Text in, its NFC form as bytes: the vocabulary is the 256 bytes. */
static void check_nfc(const Encoder *e, Span text, Span want)
{
    uint32_t ids[512];
    uint8_t got[512];
    size_t n = encoder_encode(e, text, true, ids, COUNT_OF(ids));
    assert_int_equal(n, want.size);
    for (size_t i = 0; i < n; i++) got[i] = (uint8_t)ids[i];
    assert_memory_equal(got, want.at, n);
}

static void test_nfc(void **state)
{
    (void)state;
    Table t = {0};
    uint32_t bytes[256];
    table_add_bytes(&t, bytes);
    EncoderSpec spec = plain;
    spec.nfc = true;
    Encoder *e = encoder_make(&t, &spec);
    check_nfc(e, SPAN("abc"), SPAN("abc"));
    check_nfc(e, SPAN("e\xCC\x81"), SPAN("\xC3\xA9")); /* e U+0301 -> U+00E9 */
    /* a U+0301 U+0323: U+0323 has the lower class and composes first */
    check_nfc(e, SPAN("a\xCC\x81\xCC\xA3"), SPAN("\xE1\xBA\xA1\xCC\x81"));
    /* U+0344 is two marks; U+212B is U+00C5; U+0958 is excluded */
    check_nfc(e, SPAN("q\xCD\x84"), SPAN("q\xCC\x88\xCC\x81"));
    check_nfc(e, SPAN("\xE2\x84\xAB"), SPAN("\xC3\x85"));
    check_nfc(e, SPAN("\xE0\xA5\x98"), SPAN("\xE0\xA4\x95\xE0\xA4\xBC"));
    /* Hangul: U+1100 U+1161 U+11A8 -> U+AC01 */
    check_nfc(e, SPAN("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"),
              SPAN("\xEA\xB0\x81"));
    /* broken bytes stay, and stand between */
    check_nfc(e, SPAN("e\xFF\xCC\x81\xC3"), SPAN("e\xFF\xCC\x81\xC3"));
    /* 20 of U+0301, then one of U+0323 before all of them */
    uint8_t text[64] = {'q'}, want[64] = {'q', 0xCC, 0xA3};
    for (size_t i = 0; i < 20; i++) {
        memcpy(text + 1 + i * 2, "\xCC\x81", 2);
        memcpy(want + 3 + i * 2, "\xCC\x81", 2);
    }
    memcpy(text + 41, "\xCC\xA3", 2);
    check_nfc(e, span_of(text, 43), span_of(want, 43));
    encoder_free(e);
}

/* ---- other models ------------------------------------------------------- */

static void test_unigram(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, "<unk>|a|b|c|ab|bc|abc");
    float scores[] = {0, -1, -1, -1, -1.5f, -1.25f, -3};
    EncoderSpec spec = plain;
    spec.model = ENCODER_UNIGRAM;
    spec.byte_level = false;
    spec.scores = scores;
    spec.unk = 0;
    Encoder *e = encoder_make(&t, &spec);
    assert_true(encoder_is_exact(e));
    check(e, SPAN("abc"), "1 5"); /* -2.25; ab c -2.5; a b c and abc -3 */
    check(e, SPAN("ab"), "4");
    check(e, SPAN("axyb"), "1 0 2"); /* unknown ones are one */
    encoder_free(e);
}

static void test_greedy(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    EncoderSpec spec = plain;
    spec.pretoken = PRETOKEN_UNKNOWN;
    Encoder *e = encoder_make(&t, &spec);
    assert_false(encoder_is_exact(e));
    assert_string_equal(pretoken_name(encoder_pretoken(e)), "greedy");
    check(e, SPAN("abcdaaa"), "6 3 7 0");
    check(e, SPAN("xa"), "0");
    encoder_free(e);
    spec = plain;
    spec.unknown_steps = true;
    e = encoder_make(&t, &spec);
    assert_false(encoder_is_exact(e));
    encoder_free(e);
}

/* ---- errors and memory -------------------------------------------------- */

static void check_refused(const EncoderSpec *spec)
{
    Table t;
    Mem mem = mem_from_env(NULL);
    weir_error err = {0};
    table_fill(&t, ABC_TOKENS);
    assert_null(encoder_new(&mem, t.tokens, spec, &err));
    assert_int_equal(err.status, WEIR_FORMAT);
    assert_true(err.message[0] != 0);
}

static void test_refused(void **state)
{
    (void)state;
    EncoderMerge no_id = {10, 1}, no_left = {4, 0}, no_right = {4, 2};
    EncoderMerge *const bad[] = {&no_id, &no_left, &no_right};
    EncoderSpec spec = plain;
    spec.merge_count = 1;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        spec.merges = bad[i];
        check_refused(&spec);
    }
    spec = plain;
    spec.unk = 10;
    check_refused(&spec);
    spec = plain;
    spec.model = ENCODER_UNIGRAM;
    check_refused(&spec);
    EncoderAdded added = {.content = SPAN("x"), .id = 10};
    spec = plain;
    spec.added = &added;
    spec.added_count = 1;
    check_refused(&spec);
}

/* Memory that fails at one allocation, and counts what is out. */
typedef struct Failing {
    unsigned calls, fail_at;
    size_t out;
} Failing;

static void *failing_allocate(void *user, size_t nbytes)
{
    Failing *f = user;
    if (++f->calls == f->fail_at) return NULL;
    f->out += nbytes;
    return malloc(nbytes ? nbytes : 1);
}

static void *failing_resize(void *user, void *p, size_t old, size_t nbytes)
{
    Failing *f = user;
    if (++f->calls == f->fail_at) return NULL;
    f->out += nbytes - old;
    return realloc(p, nbytes ? nbytes : 1);
}

static void failing_release(void *user, void *p, size_t nbytes)
{
    Failing *f = user;
    f->out -= nbytes;
    free(p);
}

/* Every kind of work a call can do. Returns whether all of it succeeded. */
static bool try_all(Failing *f, const Table *t, const EncoderSpec *spec)
{
    Mem mem = {failing_allocate, failing_resize, failing_release, f};
    weir_error err = {0};
    uint32_t ids[512];
    Encoder *e = encoder_new(&mem, t->tokens, spec, &err);
    if (!e) {
        assert_int_equal(err.status, WEIR_NO_MEMORY);
        return false;
    }
    uint8_t text[256];
    memset(text, 'a', sizeof text);
    memcpy(text + 100, "\xCD\x84 LL xc\xE2\x96\x81", 11);
    memcpy(text + 20,
           "\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
           "\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
           "\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81",
           36);
    size_t n =
        encoder_encode(e, span_of(text, sizeof text), true, ids, COUNT_OF(ids));
    encoder_free(e);
    return n != SIZE_MAX;
}

static void test_no_memory(void **state)
{
    (void)state;
    Table t;
    table_fill(&t, ABC_TOKENS);
    EncoderMerge merges[] = {{7, 1}, {8, 2}};
    EncoderAdded added[] = {
        {.content = SPAN("LL"), .id = 9, .normalized = true},
        {.content = SPAN("<s>"), .id = 8, .special = true}};
    EncoderSpec spec = plain;
    spec.merges = merges;
    spec.merge_count = COUNT_OF(merges);
    spec.added = added;
    spec.added_count = COUNT_OF(added);
    spec.nfc = spec.space_mark = spec.prepend_unless_space = true;
    spec.prepend = PREPEND_EACH;
    float scores[10] = {0};
    spec.scores = scores;
    static const EncoderModel models[] = {ENCODER_BPE_MERGES, ENCODER_BPE_SCORE,
                                          ENCODER_UNIGRAM};
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        spec.model = models[i];
        bool done = false;
        for (unsigned at = 1; !done; at++) {
            Failing f = {.fail_at = at};
            done = try_all(&f, &t, &spec);
            assert_int_equal(f.out, 0);
            assert_true(done ? f.calls < at : at < 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_score),
        cmocka_unit_test(test_ignore_merges),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_huge_word),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_added_flags),
        cmocka_unit_test(test_prepend),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_nfc),
        cmocka_unit_test(test_unigram),
        cmocka_unit_test(test_greedy),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
