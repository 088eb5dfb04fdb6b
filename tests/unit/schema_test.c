/* schema_test.c: what schemas mean, by hand-made values: accepted and refused
 * texts, and errors with their place. The official suite is run by
 * cli/conformance_test.py; here is what it does not speak of: order, spellings,
 * options, messages.
 */
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *schema;
    const char *options; /* letters: o any order, s strict, l lenient,
                            a annotate formats, f integer fraction,
                            e any escape, c compact, u unique keys */
    const char *accepted[9], *refused[9];
} Case;

static weir_grammar *compile(const char *schema, const char *options,
                             weir_error *err)
{
    weir_compile_opts o = {.size = sizeof o};
    o.schema.any_order = strchr(options, 'o');
    o.schema.strict = strchr(options, 's');
    o.schema.lenient = strchr(options, 'l');
    o.schema.annotate_formats = strchr(options, 'a');
    o.schema.integer_fraction = strchr(options, 'f');
    o.schema.any_escape = strchr(options, 'e');
    o.schema.unique_keys = strchr(options, 'u');
    if (strchr(options, 'c')) o.space.kind = WEIR_SPACE_COMPACT;
    return weir_grammar_compile(NULL, WEIR_JSON_SCHEMA,
                                (weir_bytes){schema, strlen(schema)}, &o, err);
}

static bool accepts(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    weir_accept a =
        weir_matcher_accept_bytes(m, (weir_bytes){text, strlen(text)}, NULL);
    bool ok = a == WEIR_ACCEPTED && weir_matcher_is_completed(m);
    assert_int_not_equal(a, WEIR_ACCEPT_ERROR);
    weir_matcher_free(m);
    return ok;
}

static void run(const Case *c)
{
    weir_error err;
    weir_grammar *g = compile(c->schema, c->options, &err);
    if (!g) fail_msg("%s: %s (%s)", c->schema, err.message, err.pointer);
    for (int i = 0; i < 9 && c->accepted[i]; i++)
        if (!accepts(g, c->accepted[i]))
            fail_msg("%s refuses %s", c->schema, c->accepted[i]);
    for (int i = 0; i < 9 && c->refused[i]; i++)
        if (accepts(g, c->refused[i]))
            fail_msg("%s accepts %s", c->schema, c->refused[i]);
    weir_grammar_free(g);
}

#define RUN(...)                                                  \
    do {                                                          \
        static const Case cases[] = {__VA_ARGS__};                \
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) \
            run(&cases[i]);                                       \
        (void)state;                                              \
    } while (0)

static void members_come_in_declared_order(void **state)
{
    RUN({"{\"properties\":{\"b\":{\"type\":\"integer\"},\"a\":{}},"
         "\"required\":[\"z\",\"b\"],\"type\":\"object\"}",
         "",
         {"{\"b\":1,\"z\":0}", "{\"b\":1,\"a\":2,\"z\":0}",
          "{\"b\":1,\"z\":0,\"y\":3}", "{ \"b\" : 1 , \"z\" : [ ] }"},
         {"{\"a\":1,\"b\":1,\"z\":0}", "{\"b\":1}", "{\"b\":\"\",\"z\":0}",
          "{\"z\":0,\"b\":1}", "{\"y\":3,\"b\":1,\"z\":0}", "[]"}},
        {"{\"properties\":{\"b\":{\"type\":\"integer\"},\"a\":{}},"
         "\"required\":[\"z\",\"b\"],\"type\":\"object\"}",
         "o",
         {"{\"b\":1,\"z\":0}", "{\"a\":1,\"b\":1,\"z\":0}", "{\"z\":0,\"b\":1}",
          "{\"y\":3,\"b\":1,\"z\":0}"},
         {"{\"b\":1}", "{\"b\":\"\",\"z\":0}", "{\"b\":1,\"z\":0,\"b\":1}"}},
        {"{\"allOf\":[{\"properties\":{\"x\":{}}}],\"properties\":{\"y\":{}},"
         "\"additionalProperties\":false,\"type\":\"object\"}",
         "",
         {"{\"y\":1}", "{}"},
         {"{\"x\":1}", "{\"z\":1}"}});
}

static void names_are_compared_decoded(void **state)
{
    RUN({"{\"properties\":{\"ab\":{\"type\":\"integer\"}},"
         "\"type\":\"object\"}",
         "",
         {"{\"ab\":1}", "{\"abc\":\"\"}", "{\"a\":\"\",\"b\":\"\"}"},
         {"{\"ab\":\"\"}", "{\"a\\u0062\":\"\"}", "{\"\\u0061b\":\"\"}"}});
}

/* Additional members, those of patterns of many, few and bounded names, objects
 * without keywords of their own; what is below an empty schema, when asked. */
static void no_name_comes_twice(void **state)
{
    RUN({"{\"type\":\"object\"}",
         "",
         {"{}", "{\"a\":1,\"b\":1}", "{\"a\":{\"x\":1,\"x\":2}}"},
         {"{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"a\":3}", "{\"\":1,\"\":1}",
          "{\"a\\n\":1,\"a\\u000a\":1}", "{\"\\u00e9\":1,\"\xC3\xA9\":1}"}},
        {"{\"properties\":{\"a\":{}},\"type\":\"object\"}",
         "o",
         {"{\"b\":1,\"a\":2,\"aa\":3}", "{\"a\":1,\"ab\":1,\"abc\":1}"},
         {"{\"b\":1,\"a\":2,\"b\":3}", "{\"b\":1,\"\\u0062\":3}",
          "{\"a\":1,\"a\":1}"}},
        {"{\"patternProperties\":{\"^x\":{\"type\":\"integer\"},"
         "\"^[yz]$\":{},\"^w.{0,3}$\":{}},\"type\":\"object\"}",
         "",
         {"{\"x\":1,\"xx\":2,\"y\":0,\"z\":0,\"w\":1,\"wx\":1,\"q\":1}"},
         {"{\"x\":1,\"x\":2}", "{\"y\":1,\"z\":2,\"y\":3}", "{\"w\":1,\"w\":1}",
          "{\"wxyz\":1,\"q\":1,\"wxyz\":1}", "{\"q\":1,\"q\":1}",
          "{\"x\":1,\"\\u0078\":1}"}},
        {"{\"items\":{\"additionalProperties\":{\"type\":\"object\","
         "\"additionalProperties\":{\"type\":\"null\"}},"
         "\"type\":\"object\"},\"type\":\"array\"}",
         "",
         {"[{\"a\":{\"a\":null},\"b\":{\"a\":null}},{\"a\":{}}]"},
         {"[{\"a\":{\"a\":null,\"a\":null}}]", "[{\"a\":{},\"a\":{}}]"}},
        {"{}", "", {"{\"a\":1,\"a\":1}"}, {NULL}},
        {"{}",
         "u",
         {"{\"a\":{\"b\":1},\"b\":1}"},
         {"{\"a\":1,\"a\":1}", "[{\"a\":[{\"b\":1,\"b\":1}]}]"}});
}

static void lengths_count_characters(void **state)
{
    RUN({"{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}",
         "",
         {"\"ab\"", "\"\xC3\xA9\xF0\x9F\x98\x80z\"", "\"\\u00e9\\n\"",
          "\"\\ud83d\\ude00x\""},
         {"\"a\"", "\"abcd\"", "\"\\ud83d\\ude00\"", "\"\\ud83dab\"", "12"}},
        {"{\"type\":\"string\",\"maxLength\":100000}", "", {"\"\""}, {"1"}},
        {"{\"type\":\"string\",\"pattern\":\"^[a-c]*$\",\"minLength\":1,"
         "\"maxLength\":2000000}",
         "",
         {"\"abc\""},
         {"\"\"", "\"abd\""}});
}

static void values_are_equal_by_meaning(void **state)
{
    RUN({"{\"const\":{\"a\":1,\"b\":[true,null]}}",
         "",
         {"{\"a\":1,\"b\":[true,null]}"},
         {"{\"b\":[true,null],\"a\":1}", "{\"a\":1}", "{\"a\":1,\"b\":[true]}",
          "{\"a\":1,\"b\":[true,null],\"c\":1}"}},
        {"{\"const\":{\"a\":1,\"b\":[true,null]}}",
         "o",
         {"{\"a\":1,\"b\":[true,null]}", "{\"b\":[true,null],\"a\":1}"},
         {"{\"a\":1}", "{\"b\":[true,null],\"a\":1,\"a\":1}"}},
        {"{\"enum\":[\"a\\\"\\n\",\"/\",1e2]}",
         "",
         {"\"a\\\"\\n\"", "\"/\"", "100"},
         {"\"a\"", "\"\\/\"", "10", "100.0"}},
        {"{\"enum\":[1,2.0,{\"a\":3.0,\"b\":4}]}",
         "",
         {"1", "2", "2.0", "2.00", "{\"a\":3.0,\"b\":4}", "{\"a\":3,\"b\":4}"},
         {"2.", "2.01", "{\"a\":3,\"b\":4.0}"}},
        {"{\"const\":-1.0,\"type\":\"integer\"}", "", {"-1"}, {"-1.0", "1"}},
        {"{\"enum\":[\"a\"]}", "e", {"\"a\"", "\"\\u0061\""}, {"\"b\""}});
}

/* Alternatives that no member tells apart: an object is of exactly one. */
static void overlapping_alternatives_are_counted(void **state)
{
    RUN({"{\"oneOf\":[{\"required\":[\"a\",\"b\",\"c\"]},"
         "{\"properties\":{\"a\":{\"enum\":[1,2]},\"b\":{\"type\":\"null\"}},"
         "\"required\":[\"a\",\"d\"]}],\"type\":\"object\"}",
         "o",
         {"{\"a\":0,\"b\":0,\"c\":0}", "{\"a\":1,\"d\":0}",
          "{\"d\":0,\"c\":0,\"a\":2}", "{\"a\":1,\"b\":0,\"c\":0,\"d\":0}",
          "{\"d\":0,\"a\":3,\"b\":null,\"c\":0}",
          "{\"a\":1,\"b\":null,\"c\":0}"},
         {"{\"a\":1,\"b\":null,\"c\":0,\"d\":0}",
          "{\"d\":0,\"c\":0,\"b\":null,\"a\":2}", "{\"a\":0,\"d\":0}",
          "{\"a\":1,\"b\":0,\"d\":0}", "{}"}},
        {"{\"not\":{\"required\":[\"a\",\"b\",\"c\"]},\"type\":\"object\"}",
         "o",
         {"{}", "{\"a\":1,\"b\":1,\"x\":1}", "{\"c\":1,\"a\":1}"},
         {"{\"a\":1,\"b\":1,\"c\":1}", "{\"x\":1,\"c\":1,\"b\":1,\"a\":1}"}});
}

/* Of ten alternatives each breaks the nine others in three ways. */
static void alternatives_do_not_multiply(void **state)
{
    (void)state;
    char text[4096];
    size_t n = (size_t)sprintf(text, "{\"oneOf\":[");
    for (int i = 0; i < 10; i++)
        n += (size_t)sprintf(text + n,
                             "%s{\"properties\":{\"p%d\":{\"type\":\"object\"},"
                             "\"q%d\":{\"type\":\"array\"}},"
                             "\"required\":[\"p%d\",\"q%d\"]}",
                             i ? "," : "", i, i, i, i);
    sprintf(text + n, "],\"type\":\"object\"}");
    weir_error err;
    weir_grammar *g = compile(text, "o", &err);
    if (!g) fail_msg("%s", err.message);
    assert_true(accepts(g, "{\"p3\":{},\"q3\":[]}"));
    assert_true(accepts(g, "{\"q3\":[],\"p4\":{},\"p3\":{},\"q4\":{}}"));
    assert_true(accepts(g, "{\"q3\":[],\"p4\":{},\"p3\":{},\"q5\":[]}"));
    assert_false(accepts(g, "{\"q3\":[],\"p4\":{},\"p3\":{},\"q4\":[]}"));
    assert_false(accepts(g, "{\"p3\":{},\"q4\":[]}"));
    weir_grammar_free(g);
}

/* A complement of oneOf, in a oneOf that refers to itself. */
static void complements_of_alternatives_are_small(void **state)
{
    (void)state;
    static const char *const ops[] = {"eq", "ne",  "gt", "ge",
                                      "lt", "and", "or"};
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 7; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "%s{\"required\":[\"%s\"],\"properties\":{\"%s\":%s}}",
            i ? "," : "{\"type\":\"object\",\"oneOf\":[", ops[i], ops[i],
            i < 5 ? "{\"type\":\"number\"}"
                  : "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
    snprintf(text + n, sizeof text - n, "]}");
    weir_error err;
    weir_grammar *g = compile(text, "o", &err);
    if (!g) fail_msg("%s", err.message);
    assert_true(accepts(g, "{\"eq\":1}"));
    assert_false(accepts(g, "{\"eq\":1,\"lt\":1}"));
    assert_true(accepts(g, "{\"eq\":\"\",\"lt\":1}"));
    assert_true(accepts(g, "{\"and\":[{\"or\":[]},{\"gt\":0}]}"));
    assert_false(accepts(g, "{\"and\":[{\"or\":[{}]},{\"gt\":0}]}"));
    assert_true(accepts(g, "{\"lt\":1,\"and\":[{\"or\":[{}]},{\"gt\":0}]}"));
    assert_false(accepts(g, "{\"lt\":1,\"and\":[{\"or\":[]},{\"gt\":0}]}"));
    weir_grammar_free(g);
}

/* Twenty conditions on the whole object, each on a member. */
static void dependencies_do_not_multiply(void **state)
{
    (void)state;
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s\"m%d\":{\"properties\":{\"kind\":"
                              "{\"enum\":[%d,%d]}},\"required\":[\"kind\"]}",
                              i ? "," : "{\"dependentSchemas\":{", i, i, i / 2);
    snprintf(text + n, sizeof text - n, "}}");
    weir_error err;
    weir_grammar *g = compile(text, "o", &err);
    if (!g) fail_msg("%s", err.message);
    assert_true(accepts(g, "{\"m4\":0,\"m8\":0,\"kind\":4}"));
    assert_true(accepts(g, "{\"kind\":20}"));
    assert_true(accepts(g, "[1]"));
    assert_false(accepts(g, "{\"m4\":0,\"m7\":0,\"kind\":4}"));
    assert_false(accepts(g, "{\"m7\":0,\"x\":1}"));
    weir_grammar_free(g);
}

/* Words that begin alike for long, and are few: what is left of them is
 * counted, not searched for. */
static void many_words_must_differ(void **state)
{
    enum { WORDS = 300 };
    static char schema[WORDS * 40], text[WORDS * 40];
    size_t n = 0, m = 0;
    weir_error err;
    (void)state;
    n += (size_t)snprintf(schema, sizeof schema,
                          "{\"type\":\"array\",\"uniqueItems\":true,"
                          "\"items\":{\"enum\":[");
    for (int i = 0; i < WORDS; i++) {
        const char *comma = i ? "," : "";
        n += (size_t)snprintf(schema + n, sizeof schema - n,
                              "%s\"css/a word like others %d\"", comma, i);
        m += (size_t)snprintf(text + m, sizeof text - m,
                              "%s\"css/a word like others %d\"", i ? "," : "[",
                              (i * 7 + 5) % WORDS);
    }
    snprintf(schema + n, sizeof schema - n, "]}}");
    weir_grammar *g = compile(schema, "", &err);
    if (!g) fail_msg("%s", err.message);
    text[m] = ']';
    assert_true(accepts(g, text));
    strcpy(text + m, ",");
    weir_matcher *all = weir_matcher_new(g, NULL, NULL);
    weir_bytes bytes = {text, m + 1};
    size_t read = 0;
    assert_int_equal(weir_matcher_accept_bytes(all, bytes, &read),
                     WEIR_REFUSED);
    assert_int_equal(read, m);
    weir_matcher_free(all);
    weir_grammar_free(g);
}

/* A length that a pattern asks for is a count like maxLength, and is so below
 * `not` and in names, too. */
static void patterns_say_lengths(void **state)
{
#define HOST                                                     \
    "\"^(?!.*://)(?=.{1,255}$)((.{1,63}\\\\.){1,127}(?![0-9]*$)" \
    "[a-z0-9-]+\\\\.?)$\""
#define PASSWORD "\"^(?=.*[0-9])(?=.*[a-z]).{3,34}$\""
    RUN({"{\"type\":\"string\",\"pattern\":" HOST "}",
         "",
         {"\"a.b\"", "\"x..y.\"", "\"a.b.1c\""},
         {"\"a\"", "\"a.1\"", "\".b\"", "\"a.b//\"", "\"s://a.b\"", "\"\""}},
        {"{\"type\":\"string\",\"pattern\":" HOST ",\"maxLength\":6}",
         "",
         {"\"aaaa.b\"", "\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9.b\""},
         {"\"aaaaa.b\"", "\"aaaaaa\""}},
        {"{\"type\":\"string\",\"pattern\":" PASSWORD ",\"minLength\":5}",
         "",
         {"\"1abcd\"", "\"1bcdefghijklmnopqrstuvwxyzabcdefgh\""},
         {"\"1abc\"", "\"1bcdefghijklmnopqrstuvwxyzabcdefghi\"", "\"abcde\""}},
        {"{\"type\":\"string\",\"not\":{\"pattern\":" PASSWORD "}}",
         "",
         {"\"1a\"", "\"1bcdefghijklmnopqrstuvwxyzabcdefghi\"", "\"abcde\""},
         {"\"1abc\"", "\"1bcdefghijklmnopqrstuvwxyzabcdefgh\""}},
        {"{\"type\":\"object\",\"patternProperties\":{" PASSWORD
         ":{\"type\":\"null\"}}}",
         "",
         {"{\"1a\":1,\"1bcdefghijklmnopqrstuvwxyzabcdefghi\":1}",
          "{\"1ab\":null,\"1bcdefghijklmnopqrstuvwxyzabcdefgh\":null}"},
         {"{\"1ab\":1}", "{\"1bcdefghijklmnopqrstuvwxyzabcdefgh\":1}"}});
#undef HOST
#undef PASSWORD
}

/* Where other keywords stand beside it, groups are nested two deep. */
static void regex_beside_others(void **state)
{
    RUN({"{\"type\":\"string\",\"format\":\"regex\",\"pattern\":\"^/.+/$\"}",
         "",
         {"\"/a(b|[c-d]+)*/\"", "\"/(?<=(a)b)\\\\d{2}?/\"", "\"/\\\\//\""},
         {"\"a\"", "\"//\"", "\"/(/\"", "\"/a**/\"", "\"/[b-a]/\"", "\"/[/\""}},
        {"{\"type\":\"string\",\"format\":\"regex\",\"maxLength\":3}",
         "",
         {"\"\"", "\"a+b\"", "\"(a)\""},
         {"\"a+bc\"", "\"(a\"", "\"+\""}},
        {"{\"type\":\"string\",\"not\":{\"format\":\"regex\"}}",
         "",
         {"\"*\"", "\"a(\"", "\"a\\\\\\\\\\\\\""},
         {"\"a\"", "\"\"", "\"a\\\\(\"", "\"((a))\""}},
        {"{\"not\":{\"anyOf\":[{\"not\":{\"format\":\"regex\"}},{\"type\":"
         "\"null\"}]}}",
         "",
         {"\"a(b)\"", "1"},
         {"\"a(\"", "\"a\\\\\""}},
        {"{\"type\":\"object\",\"propertyNames\":{\"format\":\"regex\"}}",
         "",
         {"{\"a(b)\":1}"},
         {"{\"a(b\":1}"}});
}

/* Each member leaves another set of those that may still come. */
static void many_members_in_any_order(void **state)
{
    (void)state;
    enum { MEMBERS = 6000 };
    static char text[MEMBERS * 20 + 100];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"properties\":{");
    for (int i = 0; i < MEMBERS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\"p%d\":true",
                              i ? "," : "", i);
    snprintf(text + n, sizeof text - n, "},\"additionalProperties\":false}");
    weir_error err;
    weir_grammar *g = compile(text, "o", &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    for (int i = 0; i < MEMBERS; i++) {
        char one[32];
        int size = snprintf(one, sizeof one, "%c\"p%d\":1", i ? ',' : '{',
                            (int)((i * 7919LL) % MEMBERS));
        weir_bytes bytes = {one, (size_t)size};
        assert_int_equal(weir_matcher_accept_bytes(m, bytes, NULL),
                         WEIR_ACCEPTED);
    }
    weir_bytes again = {",", 1}, end = {"}", 1};
    assert_int_equal(weir_matcher_accept_bytes(m, again, NULL), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept_bytes(m, end, NULL), WEIR_ACCEPTED);
    weir_matcher_free(m);
    weir_grammar_free(g);
}

static void combinations_mean_what_they_say(void **state)
{
    RUN({"{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}],"
         "\"properties\":{\"a\":{},\"b\":{}},\"type\":\"object\"}",
         "",
         {"{\"a\":1}", "{\"b\":1}", "{\"b\":1,\"c\":1}"},
         {"{}", "{\"a\":1,\"b\":1}", "{\"c\":1}"}},
        {"{\"not\":{\"properties\":{\"a\":{\"type\":\"string\"}},"
         "\"required\":[\"a\"]}}",
         "",
         {"{}", "{\"a\":1}"},
         {"{\"a\":\"\"}", "[]", "1"}},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":1}},\"required\":[\"k\"]},"
         "\"then\":{\"required\":[\"x\"]},\"else\":{\"required\":[\"y\"]},"
         "\"properties\":{\"k\":{},\"x\":{},\"y\":{}},\"type\":\"object\"}",
         "",
         {"{\"k\":1,\"x\":0}", "{\"k\":2,\"y\":0}", "{\"y\":0}",
          "{\"k\":1,\"x\":0,\"y\":0}"},
         {"{\"k\":1,\"y\":0}", "{\"k\":2,\"x\":0}", "{}"}},
        {"{\"type\":\"array\",\"contains\":{\"const\":1},\"maxContains\":2,"
         "\"items\":{\"type\":\"integer\"}}",
         "",
         {"[1]", "[2,1]", "[1,3,1]"},
         {"[]", "[2]", "[1,1,1]", "[1,\"\"]"}},
        {"{\"type\":\"object\",\"dependentRequired\":{\"a\":[\"b\"]}}",
         "o",
         {"{}", "{\"b\":1}", "{\"b\":1,\"a\":2}", "{\"a\":1,\"b\":2}"},
         {"{\"a\":1}"}},
        {"{\"not\":{\"dependentRequired\":{\"a\":[\"b\",\"a\"]}}}",
         "",
         {"{\"a\":1}", "{\"a\":1,\"c\":1}"},
         {"{\"a\":1,\"b\":1}", "{}", "{\"b\":1}"}},
        {"{\"uniqueItems\":true,\"prefixItems\":[{\"type\":\"boolean\"},"
         "{\"type\":\"boolean\"}]}",
         "",
         {"[]", "[true,false]", "[false,true,\"a\",1,\"b\"]", "[true]"},
         {"[true,true]", "[false,true,\"a\",1,\"a\"]", "[false,true,true]",
          "[false,true,1,1.0]"}},
        {"{\"uniqueItems\":true,\"contains\":{\"type\":\"string\"}}",
         "",
         {"[\"x\"]", "[\"x\",\"y\",1]", "[[],1,\"x\"]"},
         {"[\"x\",\"x\"]", "[\"x\",\"x\",\"y\"]", "[1]", "[\"x\",[],[]]"}},
        {"{\"prefixItems\":[{\"enum\":[\"a\",\"b\"]},{\"type\":\"string\"},{}],"
         "\"items\":{\"type\":\"string\"},\"uniqueItems\":true}",
         "",
         {"[\"a\",\"b\"]", "[\"b\",\"c\",\"a\",\"d\"]",
          "[\"a\",\"x\",[\"x\"],\"b\"]"},
         {"[\"a\",\"a\"]", "[\"a\",\"x\",\"x\"]", "[\"a\",\"x\",1,\"x\"]",
          "[\"a\",\"c\",0,\"a\"]", "[\"c\"]"}},
        {"{\"type\":\"object\",\"minProperties\":2,\"maxProperties\":3,"
         "\"properties\":{\"a\":{}}}",
         "",
         {"{\"a\":1,\"b\":2}", "{\"x\":1,\"y\":2,\"z\":3}"},
         {"{}", "{\"a\":1}", "{\"a\":1,\"x\":1,\"y\":2,\"z\":3}"}},
        {"{\"uniqueItems\":true,\"items\":{\"enum\":[\"a\",\"b\",null]}}",
         "",
         {"[]", "[\"b\",\"a\"]", "[null,\"a\",\"b\"]"},
         {"[\"a\",\"a\"]", "[null,\"a\",null]"}});
}

/* Divisors whose multiples have no automaton: each value is divided. */
static void long_divisors(void **state)
{
    RUN({"{\"multipleOf\":0.123456789,\"enum\":[5,0.246913578,0,"
         "123456789,-0.370370367,\"a\"]}",
         "",
         {"0.246913578", "0", "123456789", "-0.370370367", "\"a\""},
         {"5", "0.123456789"}},
        {"{\"allOf\":[{\"enum\":[1e30,5,7]},{\"not\":{\"type\":\"integer\","
         "\"multipleOf\":0.123456789}}]}",
         "",
         {"1000000000000000000000000000000", "5", "7"},
         {"0", "123456789"}},
        {"{\"type\":\"integer\",\"multipleOf\":1000003,"
         "\"minimum\":2000001,\"maximum\":2000010}",
         "",
         {"2000006"},
         {"0", "1000003", "2000001", "2000010", "3000009"}},
        {"{\"enum\":[7,8,9,1234567891,12345678910],\"anyOf\":[{"
         "\"multipleOf\":1234567891,\"not\":{\"multipleOf\":2469135782}},"
         "{\"const\":8}]}",
         "",
         {"8", "1234567891"},
         {"7", "9", "12345678910"}},
        {"{\"enum\":[1,3703703673,1234567899641975237,3000000021],\"oneOf\":[{"
         "\"multipleOf\":1234567891},{\"multipleOf\":1000000007}]}",
         "",
         {"3703703673", "3000000021"},
         {"1", "1234567899641975237"}},
        {"{\"multipleOf\":1234567891234567891234567,\"enum\":["
         "2469135782469135782469134,2469135782469135782469135]}",
         "",
         {"2469135782469135782469134"},
         {"2469135782469135782469135", "0"}});
}

static void recursion_works(void **state)
{
    RUN({"{\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"c\":"
         "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/t\"}}},"
         "\"required\":[\"c\"],\"additionalProperties\":false}},"
         "\"$ref\":\"#/$defs/t\"}",
         "",
         {"{\"c\":[]}", "{\"c\":[{\"c\":[{\"c\":[]}]},{\"c\":[]}]}"},
         {"{}", "{\"c\":[{}]}", "{\"c\":[[]]}"}},
        {"{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":\"#\"}},"
         "\"not\":{\"required\":[\"stop\"]}}",
         "",
         {"{\"next\":{\"next\":{}}}"},
         {"{\"next\":{\"stop\":1}}"}});
}

static void formats_combine(void **state)
{
    RUN({"{\"type\":\"string\",\"format\":\"regex\",\"minLength\":1}",
         "",
         {"\"^(a|b)[^c]{2,}?\\\\d$\"", "\"|\"", "\"(?<=x)y\""},
         {"\"\"", "\"(a\"", "\"a)\"", "\"*\"", "\"[b-a]\"", "\"\\\\a\""}},
        {"{\"type\":\"string\",\"not\":{\"format\":\"hostname\"}}",
         "",
         {"\"a b\"", "\"_\"", "\"\""},
         {"\"a.b\"", "\"xn--a\"", "1"}},
        {"{\"type\":\"string\",\"format\":\"date\",\"pattern\":\"-29$\"}",
         "",
         {"\"2024-02-29\""},
         {"\"2023-02-29\"", "\"2023-02-28\"", "\"-29\""}},
        {"{\"format\":\"date\"}", "a", {"\"x\"", "1"}, {"x"}});
}

static void strict_closes_objects(void **state)
{
    RUN({"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\","
         "\"properties\":{\"b\":{}}}}}",
         "s",
         {"{}", "{\"a\":{}}", "{\"a\":{\"b\":1}}"},
         {"{\"c\":1}", "{\"a\":{\"c\":1}}"}});
}

/* ---- errors ---- */

typedef struct Refusal {
    const char *schema, *options;
    weir_status status;
    const char *pointer, *message; /* a part of it */
} Refusal;

static void errors_have_places(void **state)
{
    static const Refusal all[] = {
        {"{\"type\":", "", WEIR_SYNTAX, "", ""},
        {"[]", "", WEIR_SYNTAX, "#", "expected a schema"},
        {"{\"$ref\":\"#/$defs/x\"}", "", WEIR_UNDEFINED, "#", "$defs"},
        {"{\"properties\":{\"a\":{\"pattern\":\"(a)\\\\1\"}}}", "",
         WEIR_UNSUPPORTED, "#/properties/a", ""},
        {"{\"items\":{\"type\":\"integer\",\"multipleOf\":1234567891}}", "",
         WEIR_LIMIT_STATES, "#/items/multipleOf", "divisor 1234567891"},
        {"{\"multipleOf\":1234567891,\"type\":\"integer\",\"not\":{"
         "\"multipleOf\":1234567891}}",
         "", WEIR_EMPTY, "#/not", "contradicts"},
        {"{\"$ref\":\"#\"}", "", WEIR_UNSUPPORTED, "#", "itself"},
        {"{\"type\":\"string\",\"enum\":[1]}", "", WEIR_EMPTY, "#", "enum"},
        {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":1}", "",
         WEIR_EMPTY, "#/minLength", "maxLength"},
        {"{\"type\":\"array\",\"minItems\":3,\"maxItems\":1}", "", WEIR_EMPTY,
         "#/minItems", "maxItems"},
        {"{\"type\":\"integer\",\"minimum\":3,\"maximum\":2.5}", "", WEIR_EMPTY,
         "#/minimum", "maximum"},
        {"{\"type\":\"object\",\"required\":[\"a\"],\"allOf\":[{"
         "\"properties\":{\"a\":{\"type\":\"null\"}}},{\"properties\":{"
         "\"a\":{\"type\":\"string\"}}}]}",
         "", WEIR_EMPTY, "#/allOf", "\"a\""},
        {"{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":\"#\"}},"
         "\"required\":[\"next\"]}",
         "", WEIR_EMPTY, "#", "never ends"},
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\","
         "\"properties\":{\"b\":{\"type\":\"string\",\"enum\":[1]}},"
         "\"required\":[\"b\"]}},\"required\":[\"a\"]}",
         "", WEIR_EMPTY, "#/properties/a/properties/b/enum", "enum"},
        {"{\"enum\":{\"a\":1}}", "", WEIR_SYNTAX, "#/enum",
         "expected an array"},
        {"{\"minLength\":-1}", "", WEIR_SYNTAX, "#/minLength", ""},
        {"{\"required\":[\"a\"],\"properties\":{\"a\":{\"not\":{\"items\":"
         "{\"uniqueItems\":true}}}}}",
         "", WEIR_UNSUPPORTED, "#/properties/a/not/items", "equal items"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_error err;
        weir_grammar *g = compile(all[i].schema, all[i].options, &err);
        if (g) fail_msg("%s compiles", all[i].schema);
        if (err.status != all[i].status ||
            strncmp(err.pointer, all[i].pointer, strlen(all[i].pointer)) ||
            !strstr(err.message, all[i].message))
            fail_msg("%s: %s at %s: %s", all[i].schema,
                     weir_status_name(err.status), err.pointer, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_come_in_declared_order),
        cmocka_unit_test(names_are_compared_decoded),
        cmocka_unit_test(no_name_comes_twice),
        cmocka_unit_test(lengths_count_characters),
        cmocka_unit_test(values_are_equal_by_meaning),
        cmocka_unit_test(combinations_mean_what_they_say),
        cmocka_unit_test(overlapping_alternatives_are_counted),
        cmocka_unit_test(many_words_must_differ),
        cmocka_unit_test(patterns_say_lengths),
        cmocka_unit_test(regex_beside_others),
        cmocka_unit_test(many_members_in_any_order),
        cmocka_unit_test(alternatives_do_not_multiply),
        cmocka_unit_test(complements_of_alternatives_are_small),
        cmocka_unit_test(dependencies_do_not_multiply),
        cmocka_unit_test(long_divisors),
        cmocka_unit_test(recursion_works),
        cmocka_unit_test(formats_combine),
        cmocka_unit_test(strict_closes_objects),
        cmocka_unit_test(errors_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
