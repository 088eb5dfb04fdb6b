/* unicode_test.c: facts of the Unicode 17 Character Database, read by hand in
 * its text files; and the invariants of the module. The comparison of every
 * code point is scripts/check-unicode-tables.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "text/unicode.h"

static bool has(const char *property, uint32_t rune)
{
    const RuneRange *ranges = NULL;
    uint32_t count = 0;
    if (!unicode_property(span_text(property), &ranges, &count))
        fail_msg("unknown property %s", property);
    return unicode_in(ranges, count, rune);
}

static bool is_known(const char *property)
{
    const RuneRange *ranges;
    uint32_t count;
    return unicode_property(span_text(property), &ranges, &count);
}

static bool is_known_loosely(const char *property)
{
    const RuneRange *ranges;
    uint32_t count;
    return unicode_property_loose(span_text(property), &ranges, &count);
}

static uint64_t size_of(const char *property)
{
    const RuneRange *ranges = NULL;
    uint32_t count = 0;
    uint64_t total = 0;
    assert_true(unicode_property(span_text(property), &ranges, &count));
    for (uint32_t i = 0; i < count; i++)
        total += ranges[i].hi - ranges[i].lo + 1;
    return total;
}

static void test_category(void **state)
{
    (void)state;
    static const struct {
        uint32_t rune;
        UnicodeCategory category;
    } facts[] = {
        {0, UNICODE_CC},          {' ', UNICODE_ZS},
        {'!', UNICODE_PO},        {'$', UNICODE_SC},
        {'(', UNICODE_PS},        {')', UNICODE_PE},
        {'+', UNICODE_SM},        {'-', UNICODE_PD},
        {'0', UNICODE_ND},        {'A', UNICODE_LU},
        {'^', UNICODE_SK},        {'_', UNICODE_PC},
        {'z', UNICODE_LL},        {0x7F, UNICODE_CC},
        {0xA6, UNICODE_SO},       {0xAB, UNICODE_PI},
        {0xAD, UNICODE_CF},       {0xBB, UNICODE_PF},
        {0xBD, UNICODE_NO},       {0x1C5, UNICODE_LT},
        {0x2B0, UNICODE_LM},      {0x301, UNICODE_MN},
        {0x378, UNICODE_CN},      {0x488, UNICODE_ME},
        {0x5D0, UNICODE_LO},      {0x903, UNICODE_MC},
        {0x2028, UNICODE_ZL},     {0x2029, UNICODE_ZP},
        {0x2160, UNICODE_NL},     {0x4E00, UNICODE_LO},
        {0xD800, UNICODE_CS},     {0xDFFF, UNICODE_CS},
        {0xE000, UNICODE_CO},     {0xFFFF, UNICODE_CN},
        {0x1F600, UNICODE_SO},    {0x10FFFD, UNICODE_CO},
        {RUNE_MAX, UNICODE_CN},   {RUNE_MAX + 1, UNICODE_CN},
        {UINT32_MAX, UNICODE_CN},
    };
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        assert_int_equal(unicode_category(facts[i].rune), facts[i].category);
}

/* The table and the lists were made from the same data by two ways. */
static void test_category_lists(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Cn", "Cc", "Cf", "Co", "Cs", "Lu", "Ll", "Lt", "Lm", "Lo",
        "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
        "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp"};
    uint64_t total = 0;
    for (uint32_t c = 0; c < COUNT_OF(names); c++) {
        const RuneRange *ranges = NULL;
        uint32_t count = 0;
        assert_true(unicode_property(span_text(names[c]), &ranges, &count));
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t r = ranges[i].lo; r <= ranges[i].hi; r++, total++)
                assert_int_equal(unicode_category(r), c);
    }
    assert_int_equal(total, RUNE_MAX + 1);
}

static void test_properties(void **state)
{
    (void)state;
    assert_true(has("Script=Greek", 0x3B1));
    assert_true(has("sc=Grek", 0x3B1));
    assert_true(has("Greek", 0x3B1));
    assert_false(has("Greek", 'a'));
    /* U+0342 is Inherited, with Greek as its extension. */
    assert_false(has("sc=Greek", 0x342));
    assert_true(has("scx=Greek", 0x342));
    assert_true(has("Script_Extensions=Grek", 0x342));
    /* U+3001, ideographic comma: Common; used by Han and Hiragana. */
    assert_true(has("Common", 0x3001));
    assert_true(has("scx=Han", 0x3001));
    assert_false(has("sc=Han", 0x3001));
    assert_true(has("Han", 0x4E2D));
    assert_true(has("Emoji", '#'));
    assert_false(has("Emoji_Presentation", '#'));
    assert_true(has("EPres", 0x1F600));
    assert_true(has("Extended_Pictographic", 0x2764));
    assert_true(has("White_Space", 0x3000));
    assert_false(has("White_Space", 0x200B));
    assert_true(has("space", 0x85));
    assert_true(has("ID_Start", 0x2118)); /* Other_ID_Start */
    assert_false(has("ID_Start", '_'));
    assert_true(has("ID_Continue", '_'));
    assert_false(has("ID_Continue", 0x2D2F));
    assert_false(has("XID_Start", 0x37A));
    assert_true(has("ID_Start", 0x37A));
    assert_true(has("Alphabetic", 0x345));
    assert_true(has("Lowercase", 0xAA));
    assert_false(has("Ll", 0xAA));
    assert_true(has("Uppercase", 0x24B6));
    assert_true(has("Ideographic", 0x3007));
    assert_true(has("Math", '^'));
    assert_true(has("Dash", 0x2212));
    assert_true(has("DI", 0xE0000));
    assert_true(has("Noncharacter_Code_Point", 0x10FFFF));
    assert_true(has("Any", 0xD800));
    assert_false(has("Assigned", 0x378));
    assert_true(has("digit", 0x664)); /* alias of Nd */
    assert_true(has("LC", 0x1C5));
    assert_true(has("Cased_Letter", 'a'));
    assert_false(has("LC", 0x2B0));
}

/* Totals stated at the foot of the sections of PropList.txt, Scripts.txt,
 * emoji-data.txt and DerivedCoreProperties.txt, or by definition. */
static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(size_of("Any"), 0x110000);
    assert_int_equal(size_of("ASCII"), 128);
    assert_int_equal(size_of("ASCII_Hex_Digit"), 22);
    assert_int_equal(size_of("Hex_Digit"), 44);
    assert_int_equal(size_of("White_Space"), 25);
    assert_int_equal(size_of("Noncharacter_Code_Point"), 66);
    assert_int_equal(size_of("Surrogate"), 2048);
    assert_int_equal(size_of("Private_Use"), 6400 + 2 * 65534);
    assert_int_equal(size_of("Cc"), 65);
    assert_int_equal(size_of("Zs"), 17);
    assert_int_equal(size_of("Assigned") + size_of("Cn"), 0x110000);
    assert_int_equal(size_of("Regional_Indicator"), 26);
    assert_int_equal(size_of("Variation_Selector"), 260);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const unknown[] = {"",
                                          "greek",
                                          "lu",
                                          "L ",
                                          "Script",
                                          "sc=",
                                          "=Greek",
                                          "sc=Foo",
                                          "Script=Lu",
                                          "gc=Greek",
                                          "scx=L",
                                          "Emoji=Yes",
                                          "InGreek",
                                          "IsGreek",
                                          "RGI_Emoji",
                                          "gc==L",
                                          "gc=Letter ",
                                          "block=Latin",
                                          "Uppercase_letter",
                                          "Lx"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        if (is_known(unknown[i])) fail_msg("%s is known", unknown[i]);
    assert_true(is_known("General_Category=Uppercase_Letter"));
    assert_true(is_known("gc=punct"));
    assert_true(is_known("Changes_When_NFKC_Casefolded"));
    assert_true(is_known("sc=Zinh"));
    assert_true(is_known("sc=Qaai"));
    const RuneRange *ranges = NULL;
    uint32_t count = 7;
    assert_false(unicode_property(span_of(NULL, 0), &ranges, &count));
    assert_null(ranges);
    assert_int_equal(count, 7);
}

static void test_loose_names(void **state)
{
    (void)state;
    static const char *const known[] = {
        "greek", "isGreek",          "IS_greek",
        "lu",    "uppercase letter", "Upper-Case_Letter",
        "gc=lu", "SCRIPT = grek",    "whitespace"};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (!is_known_loosely(known[i])) fail_msg("%s unknown", known[i]);
    assert_false(is_known_loosely("is"));
    assert_false(is_known_loosely("is=l"));
    assert_false(is_known_loosely("grek\xC3"));
    assert_false(is_known_loosely("____"));
    const RuneRange *loose = NULL, *exact = NULL;
    uint32_t n = 0, m = 0;
    assert_true(unicode_property_loose(SPAN("sc"), &loose, &n));
    assert_true(unicode_property(SPAN("Sc"), &exact, &m));
    assert_ptr_equal(loose, exact); /* currency symbols, as Rust reads it */
}

static void assert_orbit(uint32_t rune, uint32_t count, const uint32_t *want)
{
    uint32_t out[UNICODE_ORBIT_MAX];
    assert_int_equal(unicode_orbit(rune, out), count);
    assert_memory_equal(out, want, count * sizeof *out);
}

static void test_fold(void **state)
{
    (void)state;
    assert_int_equal(unicode_fold('A'), 'a');
    assert_int_equal(unicode_fold('a'), 'a');
    assert_int_equal(unicode_fold('1'), '1');
    assert_int_equal(unicode_fold(0x1E9E), 0xDF); /* capital sharp s: S */
    assert_int_equal(unicode_fold(0x130), 0x130); /* only T and F */
    assert_int_equal(unicode_fold(0x10400), 0x10428);
    assert_int_equal(unicode_fold(0x13A0), 0x13A0); /* Cherokee: upward */
    assert_int_equal(unicode_fold(0xAB70), 0x13A0);
    assert_int_equal(unicode_fold(UINT32_MAX), UINT32_MAX);
    assert_orbit('k', 3, (uint32_t[]){'K', 'k', 0x212A});
    assert_orbit(0x17F, 3, (uint32_t[]){'S', 's', 0x17F});
    assert_orbit(0x398, 4, (uint32_t[]){0x398, 0x3B8, 0x3D1, 0x3F4});
    assert_orbit('7', 1, (uint32_t[]){'7'});
    assert_orbit(0xB5, 3, (uint32_t[]){0xB5, 0x39C, 0x3BC});
}

static void test_upper(void **state)
{
    (void)state;
    assert_int_equal(unicode_upper('a'), 'A');
    assert_int_equal(unicode_upper(0xDF), 0xDF);   /* upper case is SS */
    assert_int_equal(unicode_upper(0x131), 0x131); /* not into ASCII */
    assert_int_equal(unicode_upper(0x17F), 0x17F);
    assert_int_equal(unicode_upper(0x212A), 0x212A); /* not the kelvin sign */
    assert_int_equal(unicode_upper(0x10428), 0x10428);
    assert_int_equal(unicode_upper(0x3C2), 0x3A3);
    assert_int_equal(unicode_upper(0xFF), 0x178);
    uint32_t out[UNICODE_ORBIT_MAX];
    assert_int_equal(unicode_upper_orbit('k', out), 2);
    assert_int_equal(unicode_upper_orbit(0x3C3, out), 3);
    assert_int_equal(out[2], 0x3C3);
}

/* Runes outside the lists are alone; orbits are equivalence classes. */
static void check_orbits(uint32_t (*list)(const RuneRange **),
                         uint32_t (*map)(uint32_t),
                         uint32_t (*orbit)(uint32_t, uint32_t *))
{
    const RuneRange *ranges;
    uint32_t count = list(&ranges), mapped = 0, listed = 0;
    for (uint32_t r = 0; r <= RUNE_MAX; r++) {
        assert_int_equal(map(map(r)), map(r));
        if (map(r) == r) continue;
        mapped++;
        assert_true(unicode_in(ranges, count, r));
        assert_true(unicode_in(ranges, count, map(r)));
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t r = ranges[i].lo; r <= ranges[i].hi; r++, listed++) {
            uint32_t out[UNICODE_ORBIT_MAX], n = orbit(r, out), self = 0;
            assert_true(n > 1);
            for (uint32_t j = 0; j < n; j++) {
                assert_int_equal(map(out[j]), map(r));
                self += out[j] == r;
            }
            assert_int_equal(self, 1);
        }
    }
    assert_true(listed > mapped);
}

static void test_orbits(void **state)
{
    (void)state;
    check_orbits(unicode_orbit_ranges, unicode_fold, unicode_orbit);
    check_orbits(unicode_upper_ranges, unicode_upper, unicode_upper_orbit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_category),
        cmocka_unit_test(test_category_lists),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_loose_names),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_upper),
        cmocka_unit_test(test_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
