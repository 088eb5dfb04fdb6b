/* lark_capture_test.c: what rules of a Lark grammar capture, as the public
 * interface tells it. The captures of suffix, stop and lazy are those of
 * llguidance's documentation, but that stop leaves the text where it is.
 */
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

typedef struct CaptureCase {
    const char *grammar, *text;
    const char *captures; /* "name=text;" for each */
} CaptureCase;

static const CaptureCase cases[] = {
    {"start: with \"x\"\nwith[capture, suffix=\"<end>\"]: /.*/", "foo<end>x",
     "with=foo;"},
    {"start: outer \"x\"\nouter[capture]: with\n"
     "with[capture, suffix=\"<end>\"]: /.*/",
     "foo<end>x", "with=foo;outer=foo<end>;"},
    {"start: outer \"x\"\nouter[capture]: with\n"
     "with[capture, lazy]: /.*<end>/",
     "foo<end>x", "with=foo<end>;outer=foo<end>;"},
    {"start: outer \"x\"\nouter[capture]: with \"<end>\"\n"
     "with[capture, stop=\"<end>\"]: /.*/",
     "foo<end>x", "with=foo;outer=foo<end>;"},
    {"start: outer \"x\"\nouter[capture]: with \"<end>!\"\n"
     "with[capture, stop=\"<end>\"]: /.*/",
     "foo<end>!x", "with=foo;outer=foo<end>!;"},
    {"start: outer \"x\"\nouter[capture]: with \"b\"\n"
     "with[capture, stop=\"<end>\"]: /.*/",
     "foo<end>bx", "with=foo;outer=foo<end>b;"},
    {"start: with \"x\"\n"
     "with[capture=\"a\", stop_capture=\"b\", suffix=/[.\xC3\xA9]/i]: /.*/",
     "foo.x", NULL},
    {"start: with \"x\"\n"
     "with[capture=\"a\", stop_capture=\"b\", suffix=/[.!]+/]: /.*/",
     "foo!x", "a=foo;b=!;"},
    {"start: with \"x\"\nwith[stop_capture=\"b\", suffix=\"..\"i]: /.*/",
     "foo..x", "b=..;"},
    {"start: one two\none[capture]: \"a\" \"b\"?\ntwo[capture]: \"c\"\n"
     "%ignore \" \"",
     "a  b   c  ", "one=a  b;two=c;"},
    {"start: one two\none[capture]: \"a\" \"b\"?\ntwo[capture]: \"c\"\n"
     "%ignore \" \"",
     "a  c", "one=a;two=c;"},
    {"start: one \"c\"\none[capture]: (A | \"b\")~1..3\nA: /a+/\n"
     "%ignore \" \"",
     "aa b a  c", "one=aa b a;"},
    {"start: one \"c\"\none[capture]: two (\"b\" | A*)\ntwo: \"z\" three?\n"
     "three: \"y\"\nA: /a+/\n%ignore \" \"",
     "z y  a a  c", "one=z y  a a;"},
    {"start: one \"c\"\none[capture]: two (\"b\" | A*)\ntwo: \"z\" three?\n"
     "three: \"y\"\nA: /a+/\n%ignore \" \"",
     "z y  c", "one=z y;"},
    {"start: one+\none[capture=\"n\"]: /[0-9]/\n%ignore \",\"", "1,2,3",
     "n=1;n=2;n=3;"},
    {"start: list::0\nlist[capture=\"l\"]::_: \"a\"", "a", NULL},
    {"start: list::0\nlist::_[capture=\"l\"]: \"a\" list::incr([0:1]) "
     "%if bit_clear(0) | \"b\"",
     "ab", "l=b;l=ab;"},
};

static void check_case(const CaptureCase *c)
{
    weir_error err;
    weir_capture list[8];
    char found[256] = "";
    weir_bytes source = {c->grammar, strlen(c->grammar)};
    weir_bytes text = {c->text, strlen(c->text)};
    weir_grammar *g = weir_grammar_compile(NULL, WEIR_LARK, source, NULL, &err);
    if (!g && !c->captures) return;
    if (!g || !c->captures) fail_msg("%s: %s", c->grammar, err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_int_equal(weir_matcher_accept_bytes(m, text, NULL), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    size_t count = weir_matcher_captures(m, list, 8);
    for (size_t i = 0; i < count && i < 8; i++) {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%.*s=%.*s;",
                 (int)list[i].name.size, list[i].name.data,
                 (int)(list[i].end - list[i].begin), c->text + list[i].begin);
    }
    if (strcmp(found, c->captures) != 0)
        fail_msg("%s:\n%s, expected %s", c->grammar, found, c->captures);
    weir_matcher_free(m);
    weir_grammar_free(g);
}

static void captures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(captures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
