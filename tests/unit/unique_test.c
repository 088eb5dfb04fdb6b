/* unique_test.c: heads of lists that must differ.
 *
 * What values mean, by hand; then grammars whose masks are held against
 * accepting each token, and outputs that repeat a head in every spelling.
 */
#include "api/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "matcher/meaning.h"
#include "schema/schema.h"
#include "syntax/json_grammar.h"
#include "unit/faulty_mem.h"

static Mem mem;

/* ---- meanings ---- */

static bool same(const char *x, const char *y)
{
    MeaningBytes a = {0}, b = {0};
    mem = mem_from_env(NULL);
    assert_true(meaning_value(&mem, span_text(x), &a));
    assert_true(meaning_value(&mem, span_text(y), &b));
    bool is = span_equal(span_of(a.at, a.count), span_of(b.at, b.count));
    vec_free(&mem, &a);
    vec_free(&mem, &b);
    return is;
}

static void values_are_compared_by_meaning(void **state)
{
    (void)state;
    static const char *const equal[][2] = {
        {"1", "1.0"},
        {"10", "1e1"},
        {"0.5", "5E-1"},
        {"0", "-0.00"},
        {"100e-2", "1"},
        {"120", "1.2e2"},
        {"\"a\"", "\"\\u0061\""},
        {"\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\""},
        {"\"\\n\\/\"", "\"\\u000a/\""},
        {"[1, 2]", "[1.0,20e-1]"},
        {"{\"a\":1,\"b\":[]}", "{ \"b\" : [ ] , \"\\u0061\" : 1 }"},
        {"true", "true "},
        {"[]", "[ ]"},
    };
    static const char *const different[][2] = {
        {"1", "-1"},          {"1", "10"},
        {"1", "\"1\""},       {"[1,2]", "[2,1]"},
        {"[1]", "[[1]]"},     {"true", "false"},
        {"null", "0"},        {"{\"a\":1}", "{\"a\":2}"},
        {"[]", "{}"},         {"\"\"", "[]"},
        {"1e400", "1e401"},   {"\"a\"", "\"b\""},
        {"[1,23]", "[12,3]"}, {"\"\\uD83D\"", "\"\\uDE00\""},
    };
    for (size_t i = 0; i < COUNT_OF(equal); i++)
        if (!same(equal[i][0], equal[i][1]))
            fail_msg("%s and %s should be equal", equal[i][0], equal[i][1]);
    for (size_t i = 0; i < COUNT_OF(different); i++)
        if (same(different[i][0], different[i][1]))
            fail_msg("%s and %s should differ", different[i][0],
                     different[i][1]);
}

/* ---- matchers ---- */

/* Tokens: all bytes, then these. */
static const char *const longer[] = {
    "\"a\"",
    "\"a\":1",
    ",\"a\":",
    "\"b\"",
    "\\u0061",
    "\":1",
    "\"a\":1,\"",
    "\",\"",
    "ab",
    "\"ab",
    "\":1,\"a\":1",
    "a\"",
    "\"\"",
    "12",
    "1,1",
    ",1",
    "\"b\":1,\"b\":1",
    "{\"a\"",
    "{\"",
    "},{\"",
    "},{",
    "[],[",
    "]}",
    "],[1",
    "1}",
    "{}",
    ":1},{\"a",
    "[1,1",
    "20",
    "120",
};
enum { NTOKENS = 256 + sizeof longer / sizeof *longer };

static weir_vocab *vocab_make(void)
{
    static weir_token tokens[NTOKENS];
    static char bytes[256];
    for (unsigned b = 0; b < 256; b++) {
        bytes[b] = (char)b;
        tokens[b] = (weir_token){{bytes + b, 1}, 0};
    }
    for (unsigned i = 256; i < NTOKENS; i++)
        tokens[i] = (weir_token){{longer[i - 256], strlen(longer[i - 256])}, 0};
    weir_vocab *v = weir_vocab_new(NULL, tokens, NTOKENS, NULL, NULL);
    assert_non_null(v);
    return v;
}

/* Strings of anything but the one "a"; b may be escaped. */
static NodeId not_a(Ir *ir)
{
    const Range others[] = {{' ', '!'}, {'#', '['}, {']', '`'}, {'b', '~'}};
    NodeId b = ir_bytes(ir, SPAN("\\u0062")), a = ir_bytes(ir, SPAN("a"));
    NodeId other = ir_alt2(ir, ir_class(ir, others, 4, false), b);
    NodeId any = ir_repeat(ir, ir_alt2(ir, other, a), 0, REPEAT_INF);
    NodeId more = ir_repeat(ir, ir_alt2(ir, other, a), 1, REPEAT_INF);
    NodeId text = ir_alt2(ir, ir_seq2(ir, other, any), ir_seq2(ir, a, more));
    NodeId quote = ir_bytes(ir, SPAN("\""));
    NodeId kids[] = {quote, ir_optional(ir, text), quote};
    return ir_seq(ir, kids, 3);
}

/* Kinds that the tests are made of. */
typedef enum Shape {
    SHAPE_OBJECT,  /* "a": 1 at most once, other keys unique */
    SHAPE_STRINGS, /* unique strings */
    SHAPE_NUMBERS, /* unique values */
    SHAPE_SHORT,   /* unique strings of at most nine a or b */
    SHAPE_FEW      /* ... of at most two */
} Shape;

static weir_grammar *grammar_in(const Mem *in, weir_vocab *v, Shape shape,
                                weir_error *err)
{
    Ir ir;
    JsonRules json;
    ir_init(&ir, in, NULL);
    json_rules_init(&json, &ir, NULL);
    NodeId string = ir_ref(&ir, json_string_rule(&json));
    NodeId number = ir_ref(&ir, json_number_rule(&json));
    NodeId one = ir_bytes(&ir, SPAN(":1"));
    NodeId quote = ir_bytes(&ir, SPAN("\""));
    NodeId letters = ir_repeat(&ir, ir_class(&ir, &(Range){'a', 'b'}, 1, false),
                               0, shape == SHAPE_FEW ? 2 : 9);
    NodeId few = ir_seq(&ir, (NodeId[]){quote, letters, quote}, 3);
    ListKind kinds[] = {
        {string, one, 0, 0, NULL, LIST_UNIQUE_STRING, 0},
        {ir_bytes(&ir, SPAN("\"a\"")), one, 0, 1, (uint32_t[]){0}, 0, 0}};
    ListCounter counters[] = {{0, 1}};
    ListSpec list = {
        .separator = ir_bytes(&ir, SPAN(",")), .nkinds = 1, .kinds = kinds};
    if (shape == SHAPE_OBJECT) {
        list.nkinds = 2;
        list.counters = counters;
        list.ncounters = 1;
        kinds[0].head = not_a(&ir);
    } else {
        kinds[0].tail = NODE_EMPTY_ID;
    }
    if (shape >= SHAPE_SHORT) kinds[0].head = few;
    if (shape == SHAPE_NUMBERS) {
        kinds[0].head = number;
        kinds[0].unique = LIST_UNIQUE_VALUE;
    }
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    NodeId all[] = {ir_bytes(&ir, SPAN("<")), ir_list(&ir, &list),
                    ir_bytes(&ir, SPAN(">"))};
    ir_rule_set(&ir, ir.root, ir_seq(&ir, all, 3));
    return grammar_from_ir(v, &ir, err);
}

static weir_grammar *grammar_make(weir_vocab *v, Shape shape)
{
    weir_error err;
    mem = mem_from_env(NULL);
    weir_grammar *g = grammar_in(&mem, v, shape, &err);
    if (!g) fail_msg("%s", err.message);
    return g;
}

/* Every bit of the mask against accepting the token; `where`: the text so far.
 */
static void check_mask(weir_matcher *m, Span where)
{
    const uint32_t *row = (const uint32_t *)weir_matcher_mask(m);
    if (!row)
        fail_msg("after %.*s: %s", (int)where.size, (const char *)where.at,
                 weir_status_text(weir_matcher_error(m)));
    uint32_t copy[(NTOKENS + 31) / 32];
    memcpy(copy, row, sizeof copy);
    for (uint32_t id = 0; id < NTOKENS; id++) {
        bool allowed = copy[id / 32] >> (id % 32) & 1;
        weir_accept got = weir_matcher_accept(m, id);
        if (got == WEIR_ACCEPTED) weir_matcher_rollback(m, 1);
        if (allowed != (got == WEIR_ACCEPTED))
            fail_msg("after %.*s: token %u is %s, and accepting says %d",
                     (int)where.size, (const char *)where.at, id,
                     allowed ? "allowed" : "not allowed", got);
    }
}

/* Whether the text can be read to its end; checks the mask at each byte. */
static bool reads(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    bool ok = true;
    for (size_t i = 0; ok && text[i]; i++) {
        check_mask(m, span_of(text, i));
        ok = weir_matcher_accept(m, (uint8_t)text[i]) == WEIR_ACCEPTED;
    }
    if (ok) assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
    return ok;
}

static void keys_are_unique(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_grammar *g = grammar_make(v, SHAPE_OBJECT);
    assert_true(reads(g, "<\"a\":1>"));
    assert_true(reads(g, "<\"b\":1,\"a\":1,\"ab\":1,\"\":1>"));
    assert_true(reads(g, "<\"aa\":1,\"aaa\":1>"));
    assert_false(reads(g, "<\"a\":1,\"a\":1>"));
    assert_false(reads(g, "<\"\\u0061\":1>"));
    assert_false(reads(g, "<\"b\":1,\"a\":1,\"b\":1>"));
    assert_false(reads(g, "<\"\\u0062\":1,\"b\":1>"));
    assert_false(reads(g, "<\"b\":1,\"\\u0062\":1>"));
    assert_false(reads(g, "<\"\":1,\"\":1>"));
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static void strings_are_unique(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_grammar *g = grammar_make(v, SHAPE_STRINGS);
    assert_true(reads(g, "<\"a\",\"b\",\"ab\",\",\">"));
    assert_false(reads(g, "<\"a\",\"b\",\"a\">"));
    assert_false(reads(g, "<\",\",\"b\",\",\">"));
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static void numbers_are_unique(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_grammar *g = grammar_make(v, SHAPE_NUMBERS);
    assert_true(reads(g, "<1,2,12,1.5>"));
    assert_false(reads(g, "<1,2,1>"));
    assert_false(reads(g, "<1,2,1.0>"));
    assert_false(reads(g, "<1,2,10e-1>"));
    assert_false(reads(g, "<0,-0>"));
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* ---- schemas ---- */

typedef struct SchemaCase {
    const char *schema;
    const char *accepted[4], *refused[6];
} SchemaCase;

#define UNIQUE "{\"type\":\"array\",\"uniqueItems\":true,\"items\":"

static const SchemaCase schema_cases[] = {
    {UNIQUE "{\"type\":\"object\",\"additionalProperties\":{\"type\":"
            "\"integer\"}}}",
     {"[{},{\"a\":1},{\"b\":1},{\"a\":1,\"b\":1},{\"a\":12}]",
      "[{\"a\":1},{ \"a\" : 2}]"},
     {"[{},{}]", "[{\"a\":1},{ \"a\" : 1 }]", "[{\"a\":1},{\"\\u0061\":1}]",
      "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "[{\"b\":1,\"b\":1}]"}},
    {UNIQUE "{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"null\"]}}}",
     {"[[],[1],[1,1],[null],[1,null],[12]]"},
     {"[[],[ ]]", "[[1],[1.0]]", "[[12,1],[12 , 10e-1]]",
      "[[null],[0],[null]]"}},
    {UNIQUE "{\"type\":\"integer\",\"minimum\":0,\"maximum\":1200}}",
     {"[1,12,120,1200,0,121]"},
     {"[1,12,1]", "[1200,1200]", "[12,120,12]"}},
    {UNIQUE "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1,12]},"
            "\"b\":{\"type\":\"string\"}},\"required\":[\"a\",\"b\"],"
            "\"additionalProperties\":false}}",
     {"[{\"a\":1,\"b\":\"a\"},{\"a\":12,\"b\":\"a\"},{\"a\":1,\"b\":\"ab\"}]"},
     {"[{\"a\":1,\"b\":\"a\"},{\"a\":1,\"b\":\"a\"}]",
      "[{\"a\":1,\"b\":\"a\"},{\"b\":\"\\u0061\",\"a\":1}]"}},
    /* of so few values that a list may run out of them, which are counted */
    {UNIQUE "{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}}",
     {"[]", "[1,2,3]", "[3,1]"},
     {"[1,1]", "[4]", "[1,2,3,", "[1,2,3,1]"}},
    {UNIQUE "{\"type\":\"number\",\"multipleOf\":0.5,\"minimum\":0,"
            "\"maximum\":1}}",
     {"[0,0.5,1]", "[1.0,0.50]", "[-0]"},
     {"[0,-0.0]", "[0.5,0.50]", "[1,1.0]", "[0,0.5,1,"}},
    {UNIQUE "{\"enum\":[1,2.5,null,[1],{\"a\":1}]}}",
     {"[1,2.5,null,[1],{\"a\":1}]", "[{\"a\":1},2.50]"},
     {"[[1],[1]]", "[2.5,2.50]", "[{\"a\":1},{ \"a\": 1}]",
      "[null,1,2.5,{\"a\":1},[1],"}},
    {UNIQUE "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
            "\"boolean\"},\"b\":{\"enum\":[1,2]}},\"minProperties\":1,"
            "\"additionalProperties\":false}}",
     {"[{\"a\":true},{\"a\":false},{\"b\":1},{\"b\":2},{\"a\":true,\"b\":1},"
      "{\"b\":2,\"a\":true},{\"a\":false,\"b\":1},{\"a\":false,\"b\":2}]"},
     {"[{\"a\":true,\"b\":1},{\"b\":1,\"a\":true}]", "[{}]",
      "[{\"a\":true},{\"a\":false},{\"b\":1},{\"b\":2},{\"a\":true,\"b\":1},"
      "{\"b\":2,\"a\":true},{\"a\":false,\"b\":1},{\"a\":false,\"b\":2},"}},
    {UNIQUE "{\"type\":\"array\",\"items\":{\"enum\":[1,2]},"
            "\"maxItems\":1}}",
     {"[[],[1],[2]]", "[[2]]"},
     {"[[],[ ]]", "[[2],[2]]", "[[2],[1],[],"}},
    {"{\"type\":\"array\",\"uniqueItems\":true,\"prefixItems\":[true,"
     "{\"const\":{}},{\"enum\":[1,2]}]}",
     {"[{}]", "[1,{},2,12]", "[[],{},1,[{}],20]"},
     {"[{},", "[1,{},1]", "[1,{},2,{}]", "[1,{},2,1]", "[[],{},2,[]]"}},
    {"{\"patternProperties\":{\"^[ab]{1,9}$\":{\"const\":1}},"
     "\"additionalProperties\":false,\"type\":\"object\"}",
     {"{\"a\":1,\"aa\":1,\"ab\":1,\"b\":1,\"aaaaaaaaa\":1,\"aaaaaaaab\":1}"},
     {"{\"a\":1,\"a\":1}", "{\"aaaaaaaaa\":1,\"aaaaaaaaa\":1}"}},
};

static void run_schema(weir_vocab *v, const SchemaCase *c)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.any_order = true}};
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_JSON_SCHEMA, (weir_bytes){c->schema, strlen(c->schema)}, &opts,
        &err);
    if (!g) fail_msg("%s: %s", c->schema, err.message);
    for (int k = 0; k < 4 && c->accepted[k]; k++)
        if (!reads(g, c->accepted[k]))
            fail_msg("%s refuses %s", c->schema, c->accepted[k]);
    for (int k = 0; k < 6 && c->refused[k]; k++)
        if (reads(g, c->refused[k]))
            fail_msg("%s accepts %s", c->schema, c->refused[k]);
    weir_grammar_free(g);
}

/* And the mask at each byte, against accepting each token. */
static void values_of_any_kind_are_unique(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    for (size_t i = 0; i < COUNT_OF(schema_cases); i++)
        run_schema(v, &schema_cases[i]);
    weir_vocab_free(v);
}

/* What could only be ended as before may not be begun. */
static void no_dead_ends(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_grammar *g = grammar_make(v, SHAPE_SHORT);
    assert_true(reads(g, "<\"a\",\"aa\",\"ab\",\"b\">"));
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    const char *text = "<\"aaaaaaaaa\",\"aaaaaaaab\",\"aaaaaaaa";
    for (; *text; text++)
        assert_int_equal(weir_matcher_accept(m, (uint8_t)*text), WEIR_ACCEPTED);
    check_mask(m, SPAN("the head"));
    assert_int_equal(weir_matcher_accept(m, 'a'), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, 'b'), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, '"'), WEIR_ACCEPTED);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* The shortest way would be the key once more. */
static void finishing_goes_around(void **state)
{
    (void)state;
    weir_vocab *v = vocab_make();
    weir_grammar *g = grammar_make(v, SHAPE_OBJECT);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    for (const char *text = "<\"b\":1,\"\":1,\"b"; *text; text++)
        assert_int_equal(weir_matcher_accept(m, (uint8_t)*text), WEIR_ACCEPTED);
    uint32_t ids[64];
    size_t n = weir_matcher_finish_tokens(m, ids, 64);
    assert_in_range(n, 1, 6); /* x":1> at most */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* Of the one string there is, a second may not be begun. */
static void the_empty_string_once(void **state)
{
    (void)state;
    static const char schema[] =
        UNIQUE "{\"type\":\"string\",\"maxLength\":0}}";
    weir_vocab *v = vocab_make();
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_JSON_SCHEMA, (weir_bytes){schema, strlen(schema)}, NULL, NULL);
    assert_non_null(g);
    assert_true(reads(g, "[]"));
    assert_true(reads(g, "[\"\"]"));
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    for (const char *text = "[\"\""; *text; text++)
        assert_int_equal(weir_matcher_accept(m, (uint8_t)*text), WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept(m, ','), WEIR_REFUSED);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* ---- how many heads there are, by the schema ---- */

#define CLOSED "\"type\":\"object\",\"additionalProperties\":false,"
#define ONE_OF_TWO "{\"enum\":[1,2]}"

static const struct {
    const char *items;
    bool is_many;
} supply_cases[] = {
    {"{\"type\":\"number\"}", true},
    {"{\"type\":\"integer\",\"maximum\":5,\"minimum\":1}", false},
    {"{\"type\":\"object\"}", true},
    {"{\"type\":\"object\",\"maxProperties\":0}", false},
    {"{\"type\":\"object\",\"properties\":{\"a\":" ONE_OF_TWO "}}", true},
    {"{\"type\":\"object\",\"required\":[\"a\"],\"maxProperties\":1,"
     "\"properties\":{\"a\":" ONE_OF_TWO "}}",
     false},
    {"{" CLOSED "\"properties\":{\"a\":" ONE_OF_TWO "}}", false},
    {"{" CLOSED "\"properties\":{\"a\":" ONE_OF_TWO
     ",\"b\":{\"type\":\"string\"}}}",
     true},
    {"{" CLOSED "\"required\":[\"a\"],\"maxProperties\":1,\"properties\":"
     "{\"a\":" ONE_OF_TWO ",\"b\":{\"type\":\"string\"}}}",
     false},
    {"{" CLOSED "\"required\":[\"a\",\"b\"],\"properties\":{\"a\":{"
     "\"type\":\"integer\"},\"b\":{\"$ref\":\"#/items\"}}}",
     false},
    {"{" CLOSED "\"minProperties\":2,\"properties\":{\"a\":{"
     "\"type\":\"integer\"},\"b\":{\"const\":1}}}",
     true},
    {"{" CLOSED "\"dependentRequired\":{\"a\":[\"b\"]},\"properties\":{"
     "\"a\":{\"type\":\"integer\"},\"b\":{\"const\":1}}}",
     false},
    {"{\"type\":\"array\"}", true},
    {"{\"type\":\"array\",\"items\":{\"const\":1}}", true},
    {"{\"type\":\"array\",\"items\":{\"const\":1},\"maxItems\":9}", false},
    {"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":1}",
     true},
    {"{\"type\":\"array\",\"maxItems\":0}", false},
    {"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"}],"
     "\"items\":false}",
     true},
    {"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"},{"
     "\"const\":1}],\"items\":false,\"minItems\":2}",
     true},
    {"{\"type\":\"array\",\"prefixItems\":[{\"const\":1},{\"type\":"
     "\"integer\",\"pattern\":\"a\",\"maxLength\":3}],\"items\":false,"
     "\"maxItems\":1}",
     false},
};

static void supplies(void **state)
{
    (void)state;
    mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(supply_cases); i++) {
        char text[512];
        Ir ir;
        const weir_schema_opts opts = {.lenient = false};
        snprintf(text, sizeof text, UNIQUE "%s}", supply_cases[i].items);
        ir_init(&ir, &mem, NULL);
        schema_compile(&ir, span_of(text, strlen(text)), &opts, NULL);
        if (!ir_ok(&ir)) fail_msg("%s: %s", text, ir.error.message);
        uint32_t found = 0;
        for (uint32_t k = 0; k < ir.lists.count; k++) {
            const ListKind *kind = ir.lists.at[k].kinds;
            if (kind->unique != LIST_UNIQUE_VALUE) continue;
            found += kind->supply != LIST_SUPPLY_UNKNOWN;
        }
        if (found != supply_cases[i].is_many) fail_msg("%s", text);
        ir_free(&ir);
    }
}

/* A list that could run out of heads is refused when it is compiled. */
static void few_heads_are_refused(void **state)
{
    (void)state;
    weir_error err = {0};
    mem = mem_from_env(NULL);
    weir_vocab *v = vocab_make();
    assert_null(grammar_in(&mem, v, SHAPE_FEW, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
    assert_string_equal(err.message,
                        "what must be unique in a list has 7 texts only, so "
                        "that the list could run out of them");
    weir_vocab_free(v);
}

/* ---- memory ---- */

static weir_vocab *sweep_vocab;

/* Reads the text, with masks, forks and steps back on the way. */
static bool read_carefully(weir_matcher *m, const char *text, weir_error *err)
{
    for (; *text; text++) {
        weir_matcher *copy = weir_matcher_fork(m);
        if (!copy) return diag_no_memory(err);
        weir_matcher_free(copy);
        if (!weir_matcher_mask(m) ||
            weir_matcher_accept(m, (uint8_t)*text) == WEIR_ACCEPT_ERROR) {
            err->status = weir_matcher_error(m);
            return false;
        }
    }
    assert_int_equal(weir_matcher_rollback(m, 4), WEIR_OK);
    return true;
}

static bool use_list(const Mem *in, weir_error *err)
{
    weir_grammar *g = grammar_in(in, sweep_vocab, SHAPE_OBJECT, err);
    if (!g) return false;
    weir_matcher *m = weir_matcher_new(g, NULL, err);
    bool ok = m && read_carefully(m, "<\"b\":1,\"a\":1,\"ab\":1>", err);
    weir_matcher_free(m);
    weir_grammar_free(g);
    return ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_vocab = vocab_make();
    faulty_sweep(use_list);
    weir_vocab_free(sweep_vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_compared_by_meaning),
        cmocka_unit_test(keys_are_unique),
        cmocka_unit_test(strings_are_unique),
        cmocka_unit_test(numbers_are_unique),
        cmocka_unit_test(values_of_any_kind_are_unique),
        cmocka_unit_test(no_dead_ends),
        cmocka_unit_test(finishing_goes_around),
        cmocka_unit_test(the_empty_string_once),
        cmocka_unit_test(supplies),
        cmocka_unit_test(few_heads_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
