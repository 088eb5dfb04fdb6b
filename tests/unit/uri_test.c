/* uri_test.c: resolution of URI references and their normal form. Expected
 * values are those of RFC 3986, section 5.4, with an empty path after an
 * authority written "/" (6.2.3), and of 6.2.2; the rest by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/uri.h"
#include "unit/faulty_mem.h"

static Mem memory;

static void assert_resolves(Span base, Span reference, Span target)
{
    UriText out = {.mem = &memory};
    assert_true(uri_resolve(&out, base, reference));
    if (!span_equal(uri_span(&out), target))
        fail_msg("%.*s: found %.*s, expected %.*s", (int)reference.size,
                 (const char *)reference.at, (int)out.bytes.count,
                 (const char *)out.bytes.at, (int)target.size,
                 (const char *)target.at);
    uri_text_free(&out);
}

typedef struct Example {
    const char *reference, *target;
} Example;

static void assert_examples(const char *base, const Example *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_resolves(span_text(base), span_text(at[i].reference),
                        span_text(at[i].target));
}

/* Section 5.4.1; the fragment is left out. */
static void normal_examples(void **state)
{
    (void)state;
    static const Example examples[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g/"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q"},
        {"g#s", "http://a/b/c/g"},
        {"g?y#s", "http://a/b/c/g?y"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
    };
    assert_examples("http://a/b/c/d;p?q", examples, COUNT_OF(examples));
}

/* Section 5.4.2; "http:g" as a strict parser has it. */
static void abnormal_examples(void **state)
{
    (void)state;
    static const Example examples[] = {
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g"},
        {"http:g", "http:g"},
    };
    assert_examples("http://a/b/c/d;p?q", examples, COUNT_OF(examples));
}

static void normal_form(void **state)
{
    (void)state;
    static const Example examples[] = {
        /* 6.2.2: case, percent-encoding, dot segments */
        {"eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"},
        {"HTTP://www.EXAMPLE.com/", "http://www.example.com/"},
        {"http://User@Host:80/", "http://User@host:80/"},
        {"http://a/%2e%2E/b%2fc", "http://a/b%2Fc"},
        {"http://a/%41%5a%7E%2d", "http://a/AZ~-"},
        {"http://H%4fST%C3/", "http://host%C3/"},
        /* what is no URI character */
        {"a b", "http://x/a%20b"},
        {"caf\xC3\xA9", "http://x/caf%C3%A9"},
        {"caf%c3%a9", "http://x/caf%C3%A9"},
        {"100%", "http://x/100%25"},
        {"%4", "http://x/%254"},
        {"%zz\\", "http://x/%25zz%5C"},
        {"a//../b", "http://x/a/b"},
        {"?a?b", "http://x/?a?b"},
        {"?", "http://x/?"},
        {"file:///a/b", "file:///a/b"},
        {"urn:uuid:Feebdaed", "urn:uuid:Feebdaed"},
        {"URN:a/../b", "urn:b"},
        {"1a:b", "http://x/1a:b"},
        {"a+b-c.d:e", "a+b-c.d:e"},
        {"a_b:c", "http://x/a_b:c"},
    };
    assert_examples("http://x", examples, COUNT_OF(examples));
    assert_resolves(SPAN("http://x"), SPAN("a\0b"), SPAN("http://x/a%00b"));
    assert_resolves(SPAN("http://x"), SPAN("%00"), SPAN("http://x/%00"));
}

static void without_base(void **state)
{
    (void)state;
    static const Example examples[] = {
        {"", ""},           {"#a", ""},       {"a.json", "a.json"},
        {"./a", "a"},       {"../../a", "a"}, {"/a/../b", "/b"},
        {"a/../b/.", "b/"}, {"//h", "//h/"},  {"..", ""},
        {"?q", "?q"},       {"a:b#c", "a:b"},
    };
    assert_examples("", examples, COUNT_OF(examples));
    static const Example relative[] = {
        {"b.json", "dir/b.json"},
        {"../b.json", "b.json"},
        {"", "dir/a.json"},
    };
    assert_examples("dir/a.json", relative, COUNT_OF(relative));
    assert_resolves(SPAN("urn:x:y"), SPAN("#a"), SPAN("urn:x:y"));
    assert_resolves(SPAN("urn:x:y"), SPAN("z"), SPAN("urn:z"));
    assert_resolves((Span){NULL, 0}, (Span){NULL, 0}, SPAN(""));
}

/* Normal is normal: resolving once more changes nothing. Where there is an
 * authority, that is: RFC 3986 knows paths that cannot be written without. */
static void normal_twice(void **state)
{
    (void)state;
    uint32_t seed = 1;
    static const char letters[] = "a:/?#@.%2eA\xC3 [~";
    for (int round = 0; round < 20000; round++) {
        char base[] = "http://h/........", reference[16];
        for (size_t i = 0; i < 8 + sizeof reference; i++) {
            seed = seed * 1664525u + 1013904223u;
            char c = letters[(seed >> 16) % (sizeof letters - 1)];
            *(i < 8 ? base + 9 + i : reference + i - 8) = c;
        }
        reference[0] = "/.?"[round % 3]; /* no scheme */
        UriText once = {.mem = &memory}, twice = {.mem = &memory};
        assert_true(uri_resolve(&once, span_text(base),
                                span_of(reference, sizeof reference)));
        assert_true(uri_resolve(&twice, (Span){NULL, 0}, uri_span(&once)));
        if (!span_equal(uri_span(&once), uri_span(&twice)))
            fail_msg("%s and %.16s: %.*s, then %.*s", base, reference,
                     (int)once.bytes.count, (const char *)once.bytes.at,
                     (int)twice.bytes.count, (const char *)twice.bytes.at);
        uri_text_free(&once);
        uri_text_free(&twice);
    }
}

static void fragments(void **state)
{
    (void)state;
    assert_true(span_equal(uri_fragment(SPAN("a#b#c")), SPAN("b#c")));
    assert_true(uri_fragment(SPAN("a#")).at);
    assert_int_equal(uri_fragment(SPAN("a#")).size, 0);
    assert_null(uri_fragment(SPAN("a")).at);
    assert_null(uri_fragment((Span){NULL, 0}).at);
    static const Example examples[] = {
        {"", ""},
        {"a%25b", "a%b"},
        {"%C3%a9", "\xC3\xA9"},
        {"%", "%"},
        {"%4", "%4"},
        {"%4g", "%4g"},
        {"%2525", "%25"},
        {"/a%22b/c", "/a\"b/c"},
    };
    UriText out = {.mem = &memory};
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        assert_true(uri_decode(&out, span_text(examples[i].reference)));
        assert_true(span_equal(uri_span(&out), span_text(examples[i].target)));
    }
    uri_text_free(&out);
}

static bool resolve_and_decode(const Mem *mem, weir_error *err)
{
    UriText out = {.mem = mem};
    bool ok = uri_resolve(&out, SPAN("http://a/b"), SPAN("c")) &&
              uri_decode(&out, SPAN("a text of more than sixty bytes, so that "
                                    "more memory than before is needed"));
    uri_text_free(&out);
    if (!ok) err->status = WEIR_NO_MEMORY;
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(resolve_and_decode);
}

int main(void)
{
    memory = mem_from_env(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_examples), cmocka_unit_test(abnormal_examples),
        cmocka_unit_test(normal_form),     cmocka_unit_test(without_base),
        cmocka_unit_test(normal_twice),    cmocka_unit_test(fragments),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
