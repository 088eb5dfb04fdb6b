/* Tests of vocab/pretoken.c and pretoken_kind.c. The words were worked out by
 * hand from the expressions; encode_reference_test.c compares many more with
 * the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "vocab/pretoken.h"

/* `words`: what text is cut into, with '|' between. */
static void check(PretokenKind kind, Span text, const char *words)
{
    char got[256] = "";
    size_t used = 0;
    PretokenCursor cursor = pretoken_start(kind, text);
    for (Span w; (w = pretoken_next(&cursor)).size;) {
        assert_true(used + w.size + 2 < sizeof got);
        if (used) got[used++] = '|';
        memcpy(got + used, w.at, w.size);
        used += w.size;
    }
    got[used] = 0;
    assert_string_equal(got, words);
    assert_int_equal(used, strlen(words));
}

static void test_gpt2(void **state)
{
    (void)state;
    check(PRETOKEN_GPT2, SPAN("Hello  world"), "Hello| | world");
    check(PRETOKEN_GPT2, SPAN("it's IT'S"), "it|'s| IT|'|S");
    check(PRETOKEN_GPT2, SPAN("a1234 56!? \n\n x"), "a|1234| 56|!?| \n\n| x");
    check(PRETOKEN_GPT2, SPAN("x  "), "x|  ");
    check(PRETOKEN_GPT2, SPAN(""), "");
    /* U+0301 is no letter */
    check(PRETOKEN_GPT2, SPAN("e\xCC\x81t"), "e|\xCC\x81|t");
}

static void test_smollm(void **state)
{
    (void)state;
    /* the digit ends the blanks' text, so both stay together */
    check(PRETOKEN_SMOLLM, SPAN("a  12 b"), "a|  |1|2| b");
}

static void test_llama3(void **state)
{
    (void)state;
    PretokenKind k = PRETOKEN_LLAMA3;
    check(k, SPAN("12345 678"), "123|45| |678");
    check(k, SPAN("I'LL we'\xC5\xBFx"), "I|'LL| we|'\xC5\xBF|x");
    check(k, SPAN("'re'quote"), "'re|'quote");
    check(k, SPAN(" (foo)\n\n  bar"), " (|foo|)\n\n| | bar");
    check(k, SPAN("a\n \n  b"), "a|\n \n| | b");
    check(k, SPAN("a   \tb"), "a|   |\tb");
    check(k, SPAN("a \r\n"), "a| \r\n");
    check(k, SPAN("x\xC2\xA0y\xE3\x80\x80 z"), "x|\xC2\xA0y|\xE3\x80\x80| z");
    check(k, SPAN("a\n  "), "a|\n|  ");
    check(PRETOKEN_CL100K, SPAN("a\n  "), "a|\n  ");
    check(PRETOKEN_CL100K, SPAN("a\n  b"), "a|\n| | b");
    check(PRETOKEN_QWEN2, SPAN("a12"), "a|1|2");
    check(PRETOKEN_QWEN2, SPAN("e\xCC\x81t"), "e|\xCC\x81t");
    check(PRETOKEN_QWEN35, SPAN("e\xCC\x81t!\xCC\x81"), "e\xCC\x81t|!\xCC\x81");
}

static void test_o200k(void **state)
{
    (void)state;
    PretokenKind k = PRETOKEN_O200K;
    check(k, SPAN("XMLHttpRequest"), "XMLHttp|Request");
    check(k, SPAN("HTTP isn't"), "HTTP| isn't");
    check(k, SPAN("don'T 1234"), "don'T| |123|4");
    check(k, SPAN("a//\n/b"), "a|//\n/|b");
    /* U+02B0 is Lm: a head and a tail; heads give it back to end a word */
    check(k,
          SPAN("\xCA\xB0"
               "AB"),
          "\xCA\xB0|AB");
    check(k,
          SPAN("A\xCA\xB0"
               "Bc"),
          "A\xCA\xB0"
          "Bc");
    /* a mark alone is a word; a mark before capitals too */
    check(k,
          SPAN("\xCC\x81"
               "AB"),
          "\xCC\x81|AB");
    check(k, SPAN("-AB"), "-AB");
    check(PRETOKEN_TEKKEN, SPAN("don't 12"), "don|'t| |1|2");
}

static void test_deepseek(void **state)
{
    (void)state;
    PretokenKind k = PRETOKEN_DEEPSEEK_V3;
    check(k, SPAN("a.b 1234"), "a|.b| |123|4");
    check(k, SPAN("(foo_bar) =="), "(foo|_bar|)| ==");
    check(k, SPAN("x  1"), "x|  |1");
    /* CJK apart from other letters; U+30FB is punctuation within */
    check(k, SPAN("a\xE4\xB8\xAD\xE3\x83\xBB\xE3\x82\xA2z"),
          "a|\xE4\xB8\xAD|\xE3\x83\xBB|\xE3\x82\xA2|z");
    /* controls match nothing, unless letters follow */
    check(k,
          SPAN("\x01\x02\x03"
               "ab\x01\x02."),
          "\x01\x02|\x03"
          "ab|\x01\x02|.");
}

static void test_blind(void **state)
{
    (void)state;
    check(PRETOKEN_NONE, SPAN("a b\nc"), "a b\nc");
    check(PRETOKEN_UNKNOWN, SPAN("a b"), "a b");
    check(PRETOKEN_METASPACE, SPAN(" a  bc"), " a| | bc");
}

/* Each broken byte stands for U+FFFD, a symbol. */
static void test_broken(void **state)
{
    (void)state;
    check(PRETOKEN_LLAMA3, SPAN("a \xFF\xC3 b"), "a| \xFF\xC3| b");
    check(PRETOKEN_LLAMA3, SPAN("\xE4\xB8z"), "\xE4\xB8|z");
    check(PRETOKEN_DEEPSEEK_V3, SPAN("\xE4\xB8z\xE4\xB8"),
          "\xE4\xB8|z|\xE4\xB8");
    check(PRETOKEN_O200K,
          SPAN("\x80"
               "Ab"),
          "\x80"
          "Ab");
}

/* Cuts are those of the text with U+FFFD in place of each broken byte. */
static void test_replaced(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "a",        "B",    " ",    "\n",       "1",
        "'s",       "\xFF", "\xC3", "\xE4\xB8", "\xE4\xB8\xAD",
        "\xCC\x81", "!",    "\x80", "\x01"};
    unsigned seed = 7;
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t text[64], other[192];
        size_t size = 0, osize = 0, place[65];
        for (unsigned i = 0; i < 10; i++) {
            seed = seed * 1103515245 + 12345;
            Span part = span_text(parts[(seed >> 16) % COUNT_OF(parts)]);
            memcpy(text + size, part.at, part.size);
            size += part.size;
        }
        for (size_t pos = 0; pos < size;) {
            size_t begin = pos;
            place[begin] = osize;
            if (utf8_decode(span_of(text, size), &pos) == RUNE_BAD) {
                memcpy(other + osize, "\xEF\xBF\xBD", 3);
                osize += 3;
                continue;
            }
            memcpy(other + osize, text + begin, pos - begin);
            osize += pos - begin;
        }
        place[size] = osize;
        for (int k = 1; k < PRETOKEN_KINDS; k++) {
            PretokenCursor a =
                pretoken_start((PretokenKind)k, span_of(text, size));
            PretokenCursor b =
                pretoken_start((PretokenKind)k, span_of(other, osize));
            while (pretoken_next(&a).size) {
                assert_true(pretoken_next(&b).size > 0);
                assert_int_equal(place[a.pos], b.pos);
            }
        }
    }
}

/* As the files of the families spell them, JSON escapes undone. */
static void test_regexes(void **state)
{
    (void)state;
    Span llama = SPAN("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?"
                      "\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                      "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");
    Span two[2] = {SPAN("\\p{N}"), SPAN(PRETOKEN_BYTE_LEVEL_REGEX)};
    assert_int_equal(pretoken_from_regexes(&llama, 1), PRETOKEN_LLAMA3);
    assert_int_equal(pretoken_from_regexes(two, 2), PRETOKEN_SMOLLM);
    assert_int_equal(pretoken_from_regexes(two + 1, 1), PRETOKEN_GPT2);
    assert_int_equal(pretoken_from_regexes(two, 1), PRETOKEN_UNKNOWN);
    assert_int_equal(pretoken_from_regexes(NULL, 0), PRETOKEN_NONE);
    llama.size--;
    assert_int_equal(pretoken_from_regexes(&llama, 1), PRETOKEN_UNKNOWN);
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(pretoken_from_name(SPAN("llama-bpe")), PRETOKEN_LLAMA3);
    assert_int_equal(pretoken_from_name(SPAN("qwen2")), PRETOKEN_QWEN2);
    assert_int_equal(pretoken_from_name(SPAN("gpt-4o")), PRETOKEN_O200K);
    assert_int_equal(pretoken_from_name(SPAN("no-such")), PRETOKEN_UNKNOWN);
    assert_true(pretoken_name_ignores_merges(SPAN("llama-bpe")));
    assert_false(pretoken_name_ignores_merges(SPAN("qwen2")));
    for (int k = 0; k < PRETOKEN_KINDS; k++)
        assert_non_null(pretoken_name((PretokenKind)k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpt2),     cmocka_unit_test(test_smollm),
        cmocka_unit_test(test_llama3),   cmocka_unit_test(test_o200k),
        cmocka_unit_test(test_deepseek), cmocka_unit_test(test_blind),
        cmocka_unit_test(test_broken),   cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_regexes),  cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
