/* json_grammar_test.c: JSON as rules, against hand-made verdicts, Python's
 * layouts, and a validator written from RFC 8259 that knows no grammar: every
 * string of up to five characters over small alphabets.
 */
#include "syntax/json_grammar.h"

#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

static Mem mem;

static void start(Ir *ir, JsonRules *json, const weir_space *policy)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
    json_rules_init(json, ir, policy);
}

static bool accepts(const Ir *ir, RuleId root, Span text)
{
    OracleText t = {0};
    assert_true(oracle_add_bytes(&t, text));
    return oracle_complete(ir, root, NULL, &t);
}

/* Texts up to NULL. */
static void expect(const weir_space *policy, bool is_object, bool verdict,
                   const char *const *texts)
{
    Ir ir;
    JsonRules json;
    start(&ir, &json, policy);
    RuleId root =
        is_object ? json_object_rule(&json, 0) : json_value_rule(&json, 0);
    assert_true(ir_ok(&ir));
    for (; *texts; texts++)
        if (accepts(&ir, root, span_text(*texts)) != verdict)
            fail_msg("%s: not %s", *texts, verdict ? "accepted" : "refused");
    ir_free(&ir);
}

#define ACCEPT(policy, ...) \
    expect(policy, false, true, (const char *const[]){__VA_ARGS__, NULL})
#define REFUSE(policy, ...) \
    expect(policy, false, false, (const char *const[]){__VA_ARGS__, NULL})

static void values(void **state)
{
    (void)state;
    ACCEPT(NULL, "null", "true", "false", "0", "-0", "10", "1.5", "-1.50e+10",
           "1E-2", "1e5", "0.0", "\"\"", "[]", "{}", "[1,2]", "[[],{}]",
           "{\"a\":1}", "{\"a\":[{\"b\":null}],\"\":\"x\"}",
           "{\"a\":1,\"a\":2}");
    REFUSE(NULL, "", "nul", "nulll", "True", "01", "-", "+1", ".5", "1.",
           "1.e2", "1e", "1e+", "--1", "0x1", "Infinity", "NaN", "[", "]",
           "[,]", "[1,]", "[1 2]", "[1,,2]", "{\"a\"}", "{\"a\":}", "{a:1}",
           "{'a':1}", "{\"a\":1,}", "{,}", "{1:1}", "\"", "\"a", "a\"",
           "\"\"\"", "[1}", "1 1", "null,null", "//", "/**/1");
}

static void strings(void **state)
{
    (void)state;
    ACCEPT(NULL, "\"a b\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"",
           "\"\\uabCD\"", "\"\\uD7FF\\uE000\"", "\"\\uFFFF\"", "\"\x7f\"",
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"/\"", "\"'\"",
           "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00x\"",
           "\"\\uDBFF\\uDFFF\\uD800\\uDC00\"");
    REFUSE(NULL, "\"\\a\"", "\"\\u\"", "\"\\u004\"", "\"\\u004g\"",
           "\"\\U0041\"", "\"\\x41\"", "\"\\'\"", "\"\\\"", "\"\t\"", "\"\n\"",
           "\"\x01\"", "\"\x1f\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"",
           "\"\xc0\x80\"", "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uDE00\"",
           "\"\\uDE00\\uD83D\"", "\"\\uD83D\\uD83D\"", "\"\\uD83D\\u0041\"",
           "\"\\uD83D\\n\"");
}

static void objects_only(void **state)
{
    (void)state;
    expect(NULL, true, true,
           (const char *const[]){"{}", "{ }", "{\"a\":[1]}",
                                 "{\r\n\t\"a\" : 1 }", "{\"a\":1}", NULL});
    expect(NULL, true, false,
           (const char *const[]){
               "[]", "1", "null", "\"{}\"", "{\f\"a\":1}", "{\xc2\xa0\"a\":1}",
               "{\xe2\x80\xa8\"a\":1}", "\xef\xbb\xbf{}", "{\"a\":1}\n",
               "{\"a\":1} ", "{\"a\":1}{", "{\"a\":1}abc", " {}",
               "{\"s\":\"abc", "x{\"intent\":\"power_off\"}", NULL});
    expect(NULL, true, true,
           (const char *const[]){"{\"s\":\"<|im_end|>\"}",
                                 "{\"intent\":\"power_off\"}", NULL});
}

static void blanks(void **state)
{
    (void)state;
    ACCEPT(NULL, "[ ]", "{ }", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : [ ] }",
           "[\t\r\n 1]", "[1\n\n\n\n]");
    REFUSE(NULL, " 1", "1 ", "\n[]", "[]\n", "[- 1]", "[1 .5]", "[n ull]",
           "[\v]", "[\f]", "[\xc2\xa0]");
    const weir_space two = {.max_run = 2};
    ACCEPT(&two, "[  1  ,  2  ]", "[  ]", "{  \"a\"  :  1  }");
    REFUSE(&two, "[   ]", "[   1]", "[1   ]", "[1,   2]", "[1   ,2]", "{   }",
           "{\"a\":   1}", "{\"a\"   :1}");
    const weir_space none = {.max_run = UINT32_MAX};
    const weir_space compact = {.kind = WEIR_SPACE_COMPACT};
    ACCEPT(&none, "[1,2]", "{\"a\":[]}");
    REFUSE(&none, "[ ]", "[1, 2]", "{\"a\": 1}");
    ACCEPT(&compact, "[1,2]", "{\"a\":[]}", "\" \"");
    REFUSE(&compact, "[ ]", "[1, 2]", "{\"a\": 1}", "[1 ]");
}

/* Runs of 128 blanks and of 129 are longer than the oracle's texts, but not
 * than the printed rules. */
static void default_run_is_128(void **state)
{
    (void)state;
    Ir ir;
    JsonRules json;
    start(&ir, &json, NULL);
    ir.root = json_object_rule(&json, 0);
    char text[2048];
    Out out = {text, sizeof text - 1, 0};
    ir_print(&ir, &out);
    assert_true(out.size < sizeof text);
    text[out.size] = 0;
    assert_string_equal(
        text,
        "json_object[shared] ::= \"{\" json_space? (json_string json_space? "
        "\":\" json_space? json_value json_space? (\",\" json_space? "
        "json_string json_space? \":\" json_space? json_value "
        "json_space?)*)? \"}\"\n"
        "json_space[shared, space] ::= [\\t\\n\\r ]{1,128}\n"
        "json_string[shared] ::= \"\\\"\" ([^\\x00-\\x1F\"\\\\] | \"\\\\\" "
        "([\"/\\\\bfnrt] | \"u\" ([0-9A-CEFa-cef] [0-9A-Fa-f]{3} | "
        "[Dd] [0-7] [0-9A-Fa-f]{2} | [Dd] [89ABab] [0-9A-Fa-f]{2} "
        "\"\\\\u\" [Dd] [C-Fc-f] [0-9A-Fa-f]{2})))* \"\\\"\"\n"
        "json_value[shared] ::= \"false\" | \"null\" | \"true\" | "
        "json_object | json_string | json_array | json_number\n"
        "json_array[shared] ::= \"[\" json_space? (json_value json_space? "
        "(\",\" json_space? json_value json_space?)*)? \"]\"\n"
        "json_number[shared] ::= \"-\"? (\"0\" | [1-9] [0-9]*) "
        "(\".\" [0-9]+)? ([Ee] [+\\-]? [0-9]+)?\n");
    ir_free(&ir);
}

/* What Python's json.dumps writes, and near misses. */
static void fixed_layouts(void **state)
{
    (void)state;
    const weir_space line = {.kind = WEIR_SPACE_FIXED};
    ACCEPT(&line, "[]", "{}", "[1, 2]", "{\"a\": [], \"b\": {\"c\": 1}}");
    REFUSE(&line, "[1,2]", "{\"a\":1}", "[ ]", "[1,  2]", "[ 1]", "[1 ]",
           "{\"a\" : 1}");
    const weir_space two = {.kind = WEIR_SPACE_FIXED, .indent = 2};
    ACCEPT(&two, "[]", "{}", "7", "[\n  1,\n  2\n]", "{\n  \"a\": 1\n}",
           "[\n  [],\n  {}\n]",
           "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ]\n}");
    REFUSE(&two, "[1]", "[\n1\n]", "[\n 1\n]", "[\n   1\n]", "[\n  1]",
           "[\n  1\n  ]", "[\n  1, \n  2\n]", "[\n]", "{\n}", "{\n  \"a\":1\n}",
           "[\n  [\n  1\n  ]\n]", "[\n  1,\n  2\n]\n");
    const weir_space own = {.kind = WEIR_SPACE_FIXED,
                            .indent = 1,
                            .item_separator = {" , ", 3},
                            .key_separator = {":", 1}};
    ACCEPT(&own, "[\n 1 , \n 2\n]", "{\n \"a\":1\n}");
    REFUSE(&own, "[\n 1,\n 2\n]", "{\n \"a\": 1\n}");
}

static void gaps_match_a_pattern(void **state)
{
    (void)state;
    const weir_space one = {.kind = WEIR_SPACE_REGEX, .pattern = {" ?", 2}};
    ACCEPT(&one, "[1, 2]", "[ 1 , 2 ]", "[]", "[ ]", "{\"a\": [ ] }");
    REFUSE(&one, "[  ]", "[\n1]", " 1", "1 ", "{\"a\":  1}");
    const weir_space must = {.kind = WEIR_SPACE_REGEX, .pattern = {"\n", 1}};
    ACCEPT(&must, "[\n]", "[\n1\n,\n2\n]");
    REFUSE(&must, "[]", "[1]");
    const weir_space bad = {.kind = WEIR_SPACE_REGEX, .pattern = {"(", 1}};
    Ir ir;
    JsonRules json;
    start(&ir, &json, &bad);
    assert_int_equal(ir.error.status, WEIR_SYNTAX);
    ir_free(&ir);
}

/* 64 levels of layout, not 65. */
static void layout_depth(void **state)
{
    (void)state;
    const weir_space policy = {.kind = WEIR_SPACE_FIXED, .indent = 1};
    Ir ir;
    JsonRules json;
    start(&ir, &json, &policy);
    json_value_rule(&json, 0);
    RuleId deepest = json_value_rule(&json, JSON_LAYOUT_DEPTH);
    assert_true(ir_ok(&ir));
    RuleId last = json_value_rule(&json, JSON_LAYOUT_DEPTH - 1);
    char text[ORACLE_MAX + 100];
    assert_true(accepts(&ir, deepest, SPAN("[]")));
    assert_true(accepts(&ir, deepest, SPAN("{}")));
    assert_true(accepts(&ir, deepest, SPAN("1")));
    assert_false(accepts(&ir, deepest, SPAN("[1]")));
    assert_int_equal(json_open(&json, JSON_LAYOUT_DEPTH), NODE_NEVER_ID);
    int n = snprintf(text, sizeof text, "[\n%64s1\n%63s]", "", "");
    assert_true((size_t)n > ORACLE_MAX); /* hence the rule as text */
    Out out = {text, sizeof text - 1, 0};
    ir_print_node(&ir, json_open(&json, JSON_LAYOUT_DEPTH - 1), &out);
    text[out.size] = 0;
    assert_string_equal(text, "\"\\n\" \" \"{64}");
    assert_true(last != deepest);
    ir_free(&ir);
}

static void rules_are_made_once(void **state)
{
    (void)state;
    Ir ir;
    JsonRules json;
    start(&ir, &json, NULL);
    RuleId value = json_value_rule(&json, 0);
    uint32_t count = ir.rules.count, nodes = ir.nodes.count;
    assert_int_equal(count, 6);
    assert_int_equal(json_value_rule(&json, 7), value);
    json_object_rule(&json, 1);
    json_array_rule(&json, 2);
    json_string_rule(&json);
    json_number_rule(&json);
    assert_int_equal(ir.rules.count, count);
    assert_int_equal(ir.nodes.count, nodes);
    for (RuleId id = 0; id < count; id++) {
        assert_true(ir.rules.at[id].is_defined);
        assert_true(ir.rules.at[id].flags & RULE_SHARED);
        assert_true(ir.rules.at[id].flags & RULE_FRAME);
    }
    ir_free(&ir);
}

static void refuses_bad_policies(void **state)
{
    (void)state;
    static const struct {
        weir_space policy;
        const char *message;
    } cases[] = {
        {{.kind = (weir_space_kind)9}, "unknown whitespace policy 9"},
        {{.kind = WEIR_SPACE_FIXED, .indent = 2000},
         "indent of 2000, more than 1024"},
        {{.kind = WEIR_SPACE_FIXED, .item_separator = {";", 1}},
         "separator is not one ',' among blanks"},
        {{.kind = WEIR_SPACE_FIXED, .key_separator = {"::", 2}},
         "separator is not one ':' among blanks"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Ir ir;
        JsonRules json;
        start(&ir, &json, &cases[i].policy);
        json_value_rule(&json, 0);
        assert_int_equal(ir.error.status, WEIR_ARGUMENT);
        assert_string_equal(ir.error.message, cases[i].message);
        ir_free(&ir);
    }
}

/* ---- every short string ---- */

typedef struct Reader {
    const char *at;
} Reader;

static bool read_value(Reader *r);

static void skip_blanks(Reader *r)
{
    while (*r->at && strchr(" \t\r\n", *r->at)) r->at++;
}

static bool take(Reader *r, char c)
{
    return *r->at == c ? (r->at++, true) : false;
}

static bool read_digits(Reader *r)
{
    const char *from = r->at;
    while (*r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > from;
}

static bool read_number(Reader *r)
{
    take(r, '-');
    if (!take(r, '0') && !(*r->at != '0' && read_digits(r))) return false;
    if (take(r, '.') && !read_digits(r)) return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        return read_digits(r);
    }
    return true;
}

static bool read_string(Reader *r)
{
    if (!take(r, '"')) return false;
    for (; *r->at != '"'; r->at++) {
        if ((unsigned char)*r->at < ' ') return false;
        if (take(r, '\\') && (!*r->at || !strchr("\"\\/bfnrt", *r->at)))
            return false;
    }
    r->at++;
    return true;
}

static bool read_container(Reader *r, char open, char close)
{
    if (!take(r, open)) return false;
    skip_blanks(r);
    if (take(r, close)) return true;
    do {
        skip_blanks(r);
        if (open == '{') {
            if (!read_string(r)) return false;
            skip_blanks(r);
            if (!take(r, ':')) return false;
            skip_blanks(r);
        }
        if (!read_value(r)) return false;
        skip_blanks(r);
    } while (take(r, ','));
    return take(r, close);
}

static bool read_value(Reader *r)
{
    if (*r->at == '[') return read_container(r, '[', ']');
    if (*r->at == '{') return read_container(r, '{', '}');
    if (*r->at == '"') return read_string(r);
    return read_number(r);
}

/* `expected`: how many of them Python's json module reads, those with outer
 * blanks apart. */
static void every_string(const char *alphabet, int max_length, int expected)
{
    Ir ir;
    JsonRules json;
    start(&ir, &json, NULL);
    RuleId root = json_value_rule(&json, 0);
    int letters = (int)strlen(alphabet), valid = 0;
    long count = 1;
    for (int n = 0; n <= max_length; n++, count *= letters)
        for (long i = 0; i < count; i++) {
            char text[16] = {0};
            long rest = i;
            for (int k = 0; k < n; k++, rest /= letters)
                text[k] = alphabet[rest % letters];
            Reader r = {text};
            bool is_json = n && read_value(&r) && !*r.at;
            valid += is_json;
            if (accepts(&ir, root, span_of(text, (size_t)n)) != is_json)
                fail_msg("%s: not %d", text, is_json);
        }
    assert_int_equal(valid, expected);
    ir_free(&ir);
}

static void every_short_string(void **state)
{
    (void)state;
    every_string("[],1 ", 5, 25);
    every_string("{}:,\"", 5, 86);
    every_string("0e-+.2", 5, 224);
    every_string("\"\\n ", 5, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(strings),
        cmocka_unit_test(objects_only),
        cmocka_unit_test(blanks),
        cmocka_unit_test(default_run_is_128),
        cmocka_unit_test(fixed_layouts),
        cmocka_unit_test(gaps_match_a_pattern),
        cmocka_unit_test(layout_depth),
        cmocka_unit_test(rules_are_made_once),
        cmocka_unit_test(refuses_bad_policies),
        cmocka_unit_test(every_short_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
