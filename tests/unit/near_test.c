/* near_test.c: names in messages: distances against the whole table of the
 * textbook, quotes, and which member is perhaps meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/near.h"

/* Damerau's distance, restricted, without any band. */
static unsigned textbook(Span a, Span b)
{
    unsigned d[9][9];
    for (size_t i = 0; i <= a.size; i++)
        for (size_t j = 0; j <= b.size; j++) {
            if (!i || !j) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned change = a.at[i - 1] != b.at[j - 1];
            d[i][j] = MIN(MIN(d[i - 1][j], d[i][j - 1]) + 1,
                          d[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] &&
                a.at[i - 2] == b.at[j - 1])
                d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size][b.size];
}

/* All pairs of words of up to four letters from {a, b, c}. */
static void all_short_words(void **state)
{
    (void)state;
    enum { LETTERS = 3, LONGEST = 4, WORDS = 121 };
    char words[WORDS][LONGEST + 1] = {""};
    unsigned count = 1;
    for (unsigned from = 0; count < WORDS; from++)
        for (int c = 0; c < LETTERS; c++) {
            size_t n = strlen(words[from]);
            memcpy(words[count], words[from], n);
            words[count++][n] = (char)('a' + c);
        }
    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned j = 0; j < WORDS; j++) {
            Span a = span_text(words[i]), b = span_text(words[j]);
            assert_int_equal(near_distance(a, b),
                             MIN(textbook(a, b), NEAR_FAR));
        }
}

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"required", "requierd", 1},
        {"minLenght", "minLength", 1},
        {"properites", "properties", 1},
        {"maxitems", "maxItems", 1},
        {"additionalProperty", "additionalProperties", 3},
        {"oneof", "oneOf", 1},
        {"patern", "pattern", 1},
        {"itmes", "items", 1},
        {"", "ab", 2},
        {"", "abc", 3},
        {"a", "", 1},
        {"same", "same", 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Span a = span_text(rows[i].a), b = span_text(rows[i].b);
        assert_int_equal(near_distance(a, b), rows[i].distance);
        assert_int_equal(near_distance(b, a), rows[i].distance);
    }
}

static void quotes(void **state)
{
    (void)state;
    assert_string_equal(quote(SPAN("")).text, "\"\"");
    assert_string_equal(quote(SPAN("a\nb")).text, "\"a b\"");
    char text[200];
    memset(text, 'x', sizeof text);
    for (size_t n = 0; n < sizeof text; n++) {
        Quote q = quote(span_of(text, n));
        size_t size = strlen(q.text);
        assert_true(size < sizeof q.text);
        assert_int_equal(q.text[size - 1], '"');
        bool is_cut = strstr(q.text, "...") != NULL;
        assert_int_equal(size, is_cut ? sizeof q.text - 1 : n + 2);
    }
    /* Never within a character. */
    for (size_t first = 0; first < 2; first++) {
        for (size_t i = first; i + 1 < sizeof text; i += 2)
            memcpy(text + i, "\xC3\xA9", 2);
        Quote q = quote(span_of(text, sizeof text - first));
        const char *dots = strstr(q.text, "...");
        assert_non_null(dots);
        assert_int_equal((uint8_t)dots[-1], 0xA9);
    }
}

static void members(void **state)
{
    (void)state;
    Mem memory = mem_from_env(NULL);
    Json json;
    weir_error err = {0};
    Span text = SPAN("{\"user\":1,\"users\":2,\"q\":[]}");
    assert_true(json_parse(&json, &memory, text, NULL, &err));
    assert_string_equal(near_member(&json, 0, SPAN("usr")).text, "\"user\"");
    assert_string_equal(near_member(&json, 0, SPAN("Users")).text, "\"users\"");
    assert_string_equal(near_member(&json, 0, SPAN("group")).text, "");
    assert_string_equal(near_member(&json, 0, SPAN("x")).text, "");
    assert_string_equal(near_member(&json, 6, SPAN("user")).text, "");
    json_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_short_words),
        cmocka_unit_test(distances),
        cmocka_unit_test(quotes),
        cmocka_unit_test(members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
