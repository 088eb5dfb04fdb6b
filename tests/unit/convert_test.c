/* convert_test.c: conversions as objects, their limits and what happens without
 * memory; and the pieces that they are made of. */
#include "api/grammar.h"
#include "convert/convert.h"
#include "convert/doc_write.h"
#include "convert/machine_number.h"
#include "syntax/ir.h"
#include "text/decimal.h"

#include "unit/faulty_mem.h"

#include <stdio.h>

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_conversion *convert(const char *schema, const weir_limits *limits,
                                weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    if (limits) opts.limits = *limits;
    return weir_convert(NULL, WEIR_JSON_SCHEMA, bytes_of(schema), WEIR_GBNF,
                        &opts, err);
}

static void an_object(void **state)
{
    (void)state;
    static const char want[] =
        "root ::= (\"true\" | \"false\")\n"
        "space ::= | \" \" | \"\\n\"{1,2} [ \\t]{0,20}\n";
    weir_conversion *c = convert("{\"type\":\"boolean\"}", NULL, NULL);
    assert_non_null(c);
    weir_bytes text = weir_conversion_text(c);
    assert_int_equal(text.size, sizeof want - 1);
    assert_memory_equal(text.data, want, text.size);
    assert_int_equal(weir_conversion_warnings(c).size, 0);
    weir_conversion_free(c);
    weir_conversion_free(NULL);
}

static void what_there_is_not(void **state)
{
    (void)state;
    weir_error err;
    assert_null(
        weir_convert(NULL, WEIR_REGEX, bytes_of("a"), WEIR_CHOICE, NULL, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
    assert_null(
        weir_convert(NULL, WEIR_CHOICE, bytes_of("a"), WEIR_GBNF, NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    weir_compile_opts dialect = {.size = sizeof dialect,
                                 .dialect = WEIR_DIALECT_LLAMA_CPP};
    assert_null(weir_convert(NULL, WEIR_REGEX, bytes_of("a"), WEIR_GBNF,
                             &dialect, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
    weir_compile_opts unknown = {.size = 0};
    assert_null(weir_convert(NULL, WEIR_JSON_SCHEMA, bytes_of("{}"), WEIR_GBNF,
                             &unknown, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
}

/* ---- texts ---- */

typedef struct TextRow {
    weir_source_kind from;
    const char *source, *gbnf, *ebnf; /* NULL: refused */
} TextRow;

static const TextRow text_rows[] = {
    {WEIR_REGEX, "a(b|c){2,3}[^x]?",
     "root ::= \"a\" [b-c]{2,3} "
     "[\\u0000-wy-\\uD7FF\\uE000-\\U0010FFFF]?\n",
     "root ::= \"a\" [b-c]{2,3} "
     "[\\u0000-wy-\\uD7FF\\uE000-\\U0010FFFF]?\n"},
    {WEIR_EBNF, "root ::= \"\\\"\\n\\u00e9\" (\"a\" \"b\" | \"\")*",
     "root ::= \"\\\"\\u000A\xC3\xA9\" (\"ab\"?)*\n",
     "root ::= \"\\\"\\u000A\xC3\xA9\" (\"ab\"?)*\n"},
    {WEIR_EBNF, "root ::= Token(3, 5) | Token(9)+ | ExcludeToken(7)",
     "root ::= <[9]>+ | (<[3]> | <[5]>) | !<[7]>\n",
     "root ::= Token(9)+ | Token(3, 5) | ExcludeToken(7)\n"},
    {WEIR_EBNF, "root ::= ExcludeToken(7, 8)", NULL,
     "root ::= ExcludeToken(7, 8)\n"},
    {WEIR_EBNF, "root ::= Token_ a_b\nToken_ ::= \"x\" root?\na_b ::= \"y\"",
     "root ::= Token- a-b\nToken- ::= \"x\" root?\na-b ::= \"y\"\n",
     "root ::= Token- a-b\nToken- ::= \"x\" root?\na-b ::= \"y\"\n"},
    {WEIR_GBNF, "root ::= Token (\"a\" | \"bb\")\nToken ::= \"x\" root?",
     "root ::= Token (\"a\" | \"bb\")\nToken ::= \"x\" root?\n",
     "root ::= Token-1 (\"a\" | \"bb\")\nToken-1 ::= \"x\" root?\n"},
    {WEIR_EBNF, "root ::= \"a\" | \"b\" n\nn ::= []",
     "root ::= \"a\" | \"b\" n\nn ::= nothing\n"
     "nothing ::= \"x\" nothing\n",
     "root ::= \"a\" | \"b\" n\nn ::= nothing\n"
     "nothing ::= \"x\" nothing\n"},
    {WEIR_EBNF, "root ::= a\na[max_chars=3] ::= [a-z]+", NULL, NULL},
    {WEIR_JSON_SCHEMA,
     "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"integer\"}"
     "}",
     NULL, NULL},
    {WEIR_JSON_SCHEMA, "{\"enum\":[1,20]}",
     "root ::= state\nstate ::= \"1\" | \"2\" state-2\nstate-2 ::= \"0\"\n",
     "root ::= state\nstate ::= \"1\" | \"2\" state-2\nstate-2 ::= \"0\"\n"},
};

typedef struct OtherRow {
    weir_source_kind from;
    const char *source, *lark, *regex; /* NULL: refused */
} OtherRow;

static const OtherRow other_rows[] = {
    {WEIR_REGEX, "a(b|c){2,3}[^x\\n]?",
     "start: \"a\" /[b-c]/{2,3} "
     "/[\\u{0}-\\u{9}\\u{B}-wy-\\u{D7FF}\\u{E000}-\\u{10FFFF}]/?\n",
     "a[bc]{2,3}[^\\x0ax]?"},
    {WEIR_REGEX, "[\\]^&~-]|[]|.\\.\\\\/\\x7f",
     "start: /[\\u{26}\\u{2D}\\u{5D}-\\u{5E}\\u{7E}]/ | "
     "/[\\u{0}-\\u{9}\\u{B}-\\u{C}\\u{E}-\\u{2027}\\u{202A}-\\u{D7FF}"
     "\\u{E000}-\\u{10FFFF}]/ \".\\\\/\\u007F\"\n",
     "[\\x26\\-\\]\\^\\x7e]|[^\\x0a\\x0d\xE2\x80\xA8\xE2\x80\xA9]\\.\\\\/"
     "\\x7f"},
    {WEIR_EBNF, "root ::= \"\\\"\\n\\x7f\\u00e9\\\\\" (\"a\" \"b\" | \"\")*",
     "start: \"\\\"\\u000A\\u007F\xC3\xA9\\\\\" (\"ab\"?)*\n",
     "\"\\x0a\\x7f\xC3\xA9\\\\(?:(?:ab)?)*"},
    {WEIR_EBNF,
     "root ::= Token(3, 4, 9) | Root-Rule+ | ExcludeToken(7)\n"
     "Root-Rule ::= \"x\" ExcludeToken(1, 2) root?",
     "start: root_rule+ | <[3-4,9]> | <[^7]>\n"
     "root_rule: \"x\" <[^1-2]> start?\n",
     NULL},
    {WEIR_LARK, "start: <[*]> \"a\"", "start: <[*]> \"a\"\n", NULL},
    {WEIR_EBNF, "root ::= \"a\" root | b\nb ::= b \"c\" | \"d\" | \"\"",
     "start: \"a\" start | b\nb: (\"d\" | b \"c\")?\n", "a*d?c*"},
    {WEIR_EBNF, "root ::= \"(\" root? \")\"", "start: \"(\" start? \")\"\n",
     NULL},
    {WEIR_EBNF, "root ::= \"x\"{2,} [a] [^]",
     "start: \"x\"{2,} \"a\" /[\\u{0}-\\u{D7FF}\\u{E000}-\\u{10FFFF}]/\n",
     "x{2,}a[\\s\\S]"},
};

static void expect_text(const TextRow *row, weir_source_kind to,
                        const char *want)
{
    weir_error err;
    weir_conversion *c =
        weir_convert(NULL, row->from, bytes_of(row->source), to, NULL, &err);
    if (!want) {
        assert_null(c);
        assert_int_equal(err.status, WEIR_UNSUPPORTED);
        return;
    }
    if (!c) fail_msg("%s: %s", row->source, err.message);
    weir_bytes text = weir_conversion_text(c);
    if (text.size != strlen(want) || memcmp(text.data, want, text.size) != 0)
        fail_msg("%s\n%.*s", row->source, (int)text.size, text.data);
    weir_conversion_free(c);
}

static void texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(text_rows); i++) {
        expect_text(&text_rows[i], WEIR_GBNF, text_rows[i].gbnf);
        expect_text(&text_rows[i], WEIR_EBNF, text_rows[i].ebnf);
    }
    for (size_t i = 0; i < COUNT_OF(other_rows); i++) {
        TextRow row = {other_rows[i].from, other_rows[i].source, NULL, NULL};
        expect_text(&row, WEIR_LARK, other_rows[i].lark);
        expect_text(&row, WEIR_REGEX, other_rows[i].regex);
    }
}

/* 300 groups that no builder can dissolve. */
static void deep_parts_are_rules(void **state)
{
    (void)state;
    enum { DEPTH = 300 };
    char *source = malloc(DEPTH * 8 + 64), *at = source;
    weir_error err;
    assert_non_null(source);
    at += sprintf(at, "root ::= ");
    for (int i = 0; i < DEPTH; i++) at += sprintf(at, "\"a\" (");
    at += sprintf(at, "\"b\"");
    for (int i = 0; i < DEPTH; i++) at += sprintf(at, ")?");
    weir_conversion *c =
        weir_convert(NULL, WEIR_GBNF, bytes_of(source), WEIR_EBNF, NULL, &err);
    if (!c) fail_msg("%s", err.message);
    weir_bytes text = weir_conversion_text(c);
    weir_grammar *g = weir_grammar_compile(NULL, WEIR_EBNF, text, NULL, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    memset(source, 'a', DEPTH);
    source[DEPTH] = 'b';
    weir_bytes output = {source, DEPTH + 1};
    assert_int_equal(weir_matcher_accept_bytes(m, output, NULL), WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_conversion_free(c);
    free(source);
}

static void lenient_is_a_warning(void **state)
{
    (void)state;
    weir_compile_opts opts = {.size = sizeof opts, .schema.lenient = true};
    weir_conversion *c =
        weir_convert(NULL, WEIR_JSON_SCHEMA,
                     bytes_of("{\"uniqueItems\":true,\"type\":\"array\"}"),
                     WEIR_GBNF, &opts, NULL);
    assert_non_null(c);
    weir_bytes warnings = weir_conversion_warnings(c);
    static const char want[] = "must differ may be equal\n";
    assert_true(warnings.size > sizeof want);
    assert_memory_equal(warnings.data + warnings.size - (sizeof want - 1), want,
                        sizeof want - 1);
    weir_conversion_free(c);
}

/* The first complaint's place: the second property's schema. */
static void a_place(void **state)
{
    (void)state;
    weir_error err;
    static const char schema[] =
        "{\"properties\":{\"a\":{},\"b\":{\"type\":\"x\"},\"c\":true}}";
    assert_null(convert(schema, NULL, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
    assert_int_equal(err.begin, strstr(schema, "{\"type") - schema);
    assert_int_equal(err.end - err.begin, strlen("{\"type\":\"x\"}"));
    assert_string_equal(err.message, "JSON schema conversion failed:\n"
                                     "Unrecognized schema: {\"type\":\"x\"}\n"
                                     "Unrecognized schema: true");
}

/* ---- limits ---- */

static char *nested(const char *open, const char *middle, const char *close,
                    size_t depth)
{
    size_t a = strlen(open), b = strlen(close);
    char *text = malloc((a + b) * depth + strlen(middle) + 1), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < depth; i++) at = (char *)memcpy(at, open, a) + a;
    at += sprintf(at, "%s", middle);
    for (size_t i = 0; i < depth; i++) at = (char *)memcpy(at, close, b) + b;
    *at = 0;
    return text;
}

static weir_status status_of(const char *schema, weir_limits limits)
{
    weir_error err;
    weir_conversion *c = convert(schema, &limits, &err);
    weir_status status = c ? WEIR_OK : err.status;
    if (!c) assert_non_null(strstr(err.message, "limit"));
    weir_conversion_free(c);
    return status;
}

static void limits(void **state)
{
    (void)state;
    static const char members[] =
        "{\"properties\":{\"a b\":{\"enum\":[1]},\"a_b\":{\"enum\":[2]}}}";
    char *deep = nested("{\"items\":", "{}", "}", 1001);
    assert_int_equal(status_of(deep, (weir_limits){0}), WEIR_LIMIT_DEPTH);
    assert_int_equal(status_of(deep + 9, (weir_limits){.max_depth = 9}),
                     WEIR_LIMIT_DEPTH);
    free(deep);
    /* space, root, two values, two members, one for what follows the first */
    assert_int_equal(status_of(members, (weir_limits){.max_rules = 7}), 0);
    assert_int_equal(status_of(members, (weir_limits){.max_rules = 6}),
                     WEIR_LIMIT_RULES);
    assert_int_equal(status_of(members, (weir_limits){.max_work = 100}),
                     WEIR_LIMIT_WORK);
    assert_int_equal(status_of(members, (weir_limits){.max_memory = 300}),
                     WEIR_LIMIT_MEMORY);
    assert_int_equal(status_of(members, (weir_limits){.max_source = 50}),
                     WEIR_LIMIT_BYTES);
}

/* 30 members in any order, and a bound of a million characters. */
static void rules_have_limits(void **state)
{
    (void)state;
    char source[2048], *at = source;
    weir_error err;
    at += sprintf(at, "{\"additionalProperties\":false,\"properties\":{");
    for (int i = 0; i < 30; i++)
        at += sprintf(at, "%s\"p%d\":{\"type\":\"null\"}", i ? "," : "", i);
    sprintf(at, "}}");
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema.any_order = true,
                              .limits.max_states = 1000};
    assert_null(weir_convert(NULL, WEIR_JSON_SCHEMA, bytes_of(source),
                             WEIR_GBNF, &opts, &err));
    assert_int_equal(err.status, WEIR_LIMIT_STATES);
    static const char bounded[] =
        "{\"type\":\"string\",\"pattern\":\"^(ab|c)*$\",\"maxLength\":1000000}";
    assert_null(weir_convert(NULL, WEIR_JSON_SCHEMA, bytes_of(bounded),
                             WEIR_GBNF, &opts, &err));
    assert_int_equal(err.status, WEIR_LIMIT_STATES);
}

/* Types within types: 40 levels of two alternatives each. */
static void growth_ends(void **state)
{
    (void)state;
    char *text = nested("{\"type\":[\"object\",\"array\",\"object\"],"
                        "\"properties\":{\"a\":",
                        "{\"minLength\":1,\"type\":\"string\"}", "}}", 40);
    weir_limits small = {.max_memory = 1 << 20};
    assert_int_equal(status_of(text, small), WEIR_LIMIT_MEMORY);
    free(text);
}

/* A chain of references, each to the next, and one that ends in itself. */
static void chains(void **state)
{
    (void)state;
    enum { LINKS = 1200 };
    char *text = malloc(LINKS * 32 + 64), *at = text;
    weir_error err;
    assert_non_null(text);
    at += sprintf(at, "{\"items\":{\"$ref\":\"#/0\"}");
    for (int i = 0; i < LINKS; i++)
        at += sprintf(at, ",\"%d\":{\"$ref\":\"#/%d\"}", i, i + 1);
    sprintf(at, ",\"%d\":{}}", LINKS);
    assert_int_equal(status_of(text, (weir_limits){0}), WEIR_LIMIT_DEPTH);
    free(text);
    assert_null(convert("{\"allOf\":[{\"$ref\":\"#/a\"}],"
                        "\"a\":{\"$ref\":\"#/a\"}}",
                        NULL, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
    assert_non_null(strstr(err.message, "leads to itself"));
}

/* ---- memory ---- */

static bool convert_all(const Mem *mem, weir_error *err)
{
    static const char schema[] =
        "{\"$defs\":{\"d\":{\"pattern\":\"^([a-z]{2}|x.)+$\"},"
        "\"e\":{\"allOf\":[{\"enum\":[1,{\"k\":[\"v\"]}]},{\"enum\":[1]}]}},"
        "\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"},\"ab\":{\"items\":"
        "[{\"type\":\"integer\",\"minimum\":3},{\"pattern\":\"x\"}]},"
        "\"a_b\":{\"$ref\":\"#/$defs/e\"}},\"additionalProperties\":{}}";
    ConversionText made;
    weir_limits limits = ir_limits(NULL);
    for (weir_chat chat = WEIR_CHAT_NONE; chat <= WEIR_CHAT_QWEN3; chat++) {
        bool ok = convert_schema_llama(mem, span_text(schema), chat, &limits,
                                       &made, err);
        conversion_text_free(mem, &made);
        if (!ok) return false;
    }
    return true;
}

/* Lists, automata with and without a bound, rules: read with memory, then
 * written with what there is. */
static bool convert_rules(const Mem *mem, weir_source_kind to, weir_error *err)
{
    static const char schema[] =
        "{\"type\":\"object\",\"$defs\":{\"d\":{\"type\":\"string\","
        "\"pattern\":"
        "\"^(ab|c)+$\",\"maxLength\":5}},"
        "\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"},\"b\":{\"enum\":[1]}},"
        "\"required\":[\"b\"],\"additionalProperties\":false}";
    const weir_compile_opts opts = {.size = sizeof opts};
    Faulty *memory = mem->user;
    size_t left = memory->left;
    ConversionText made;
    Ir ir;
    memory->left = SIZE_MAX;
    ir_init(&ir, mem, NULL);
    grammar_read(&ir, NULL, WEIR_JSON_SCHEMA, span_text(schema), &opts);
    assert_true(ir_ok(&ir));
    memory->left = left;
    bool ok = convert_ir(&ir, to, false, &made, err);
    conversion_text_free(mem, &made);
    ir_free(&ir);
    return ok;
}

static bool convert_gbnf(const Mem *mem, weir_error *err)
{
    return convert_rules(mem, WEIR_GBNF, err);
}

static bool convert_lark(const Mem *mem, weir_error *err)
{
    return convert_rules(mem, WEIR_LARK, err);
}

static bool convert_regex(const Mem *mem, weir_error *err)
{
    return convert_rules(mem, WEIR_REGEX, err);
}

static void without_memory(void **state)
{
    (void)state;
    faulty_sweep(convert_all);
    faulty_sweep(convert_gbnf);
    faulty_sweep(convert_lark);
    faulty_sweep(convert_regex);
}

/* ---- pieces ---- */

typedef struct Pieces {
    Mem mem;
    Arena arena;
    Scratch text;
} Pieces;

static void pieces_begin(Pieces *p)
{
    p->mem = mem_from_env(NULL);
    arena_init(&p->arena, &p->mem, 0);
    p->text = (Scratch){.arena = &p->arena};
}

static void pieces_end(Pieces *p, const char *want)
{
    Span got = scratch_view(&p->text, 0);
    assert_int_equal(got.size, strlen(want));
    assert_memory_equal(got.at, want, got.size);
    scratch_free(&p->text);
    arena_free(&p->arena);
}

static void scratch_is_a_stack(void **state)
{
    (void)state;
    Pieces p;
    pieces_begin(&p);
    scratch_text(&p.text, "a");
    size_t inner = scratch_begin(&p.text);
    scratch_number(&p.text, -12);
    Span taken = scratch_take(&p.text, inner);
    scratch_text(&p.text, "b");
    scratch_add(&p.text, taken);
    pieces_end(&p, "ab-12");
}

static void scratch_has_a_limit(void **state)
{
    (void)state;
    Pieces p;
    pieces_begin(&p);
    p.arena.limit = 4;
    scratch_text(&p.text, "abcd");
    assert_false(p.arena.failed);
    scratch_text(&p.text, "e");
    assert_true(p.arena.failed && p.arena.hit_limit);
    pieces_end(&p, "abcd");
}

static void numbers_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t wide;
        int32_t narrow;
    } rows[] = {{"-0", 0, 0},
                {"7.9", 7, 7},
                {"-7.9", -7, -7},
                {"4294967297", 4294967297, 1},
                {"18446744073709551615", -1, -1},
                {"-9223372036854775808", INT64_MIN, 0},
                {"1e30", INT64_MIN, INT32_MIN},
                {"-2147483648.5", -2147483648, INT32_MIN}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        MachineNumber n = machine_number(span_text(rows[i].text));
        assert_true(machine_number_i64(n) == rows[i].wide);
        assert_int_equal(machine_number_i32(n), rows[i].narrow);
    }
}

/* The first four as llama.cpp has them: not the shortest. Any is read back. */
static void doubles_are_read_back(void **state)
{
    (void)state;
    static const char *const rows[] = {"335.78400799999997",
                                       "5.7704899999999997e+20",
                                       "-1.5831000000000001e+21",
                                       "-0.0006202719999999999",
                                       "5e-324",
                                       "1.7976931348623157e+308",
                                       "2.2250738585072014e-308",
                                       "0.1",
                                       "9007199254740992.0"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Pieces p;
        pieces_begin(&p);
        machine_number_write(machine_number(span_text(rows[i])), &p.text);
        Span got = scratch_view(&p.text, 0);
        if (i < 4) assert_int_equal(got.size, strlen(rows[i]));
        if (i < 4) assert_memory_equal(got.at, rows[i], got.size);
        assert_true(decimal_double(got) == decimal_double(span_text(rows[i])));
        scratch_free(&p.text);
        arena_free(&p.arena);
    }
}

static void values_are_written(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\" : [ 1.50, 1E2,-0 ,-0.0, 123456789012345678901, 1e-5, 5e-324 ],"
        "\"b\\u0001\\\"\" : {} , \"a\": \"\\u00e9\\/\x7F\\n\", "
        "\"c\":[[],null]}";
    Pieces p;
    Doc doc;
    weir_error err = {0};
    weir_limits limits = ir_limits(NULL);
    pieces_begin(&p);
    assert_true(doc_parse(&doc, &p.mem, span_text(text), &limits, &err));
    doc_write(&doc, 2, JSON_NONE, &p.text); /* the first value of a */
    doc_write(&doc, JSON_ROOT, JSON_NONE, &p.text);
    doc_free(&doc);
    pieces_end(&p, "[1.5,100.0,0,-0.0,1.2345678901234568e+20,1e-05,5e-324]"
                   "{\"a\":\"\xC3\xA9/\x7F\\n\",\"b\\u0001\\\"\":{},"
                   "\"c\":[[],null]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object),
        cmocka_unit_test(what_there_is_not),
        cmocka_unit_test(texts),
        cmocka_unit_test(deep_parts_are_rules),
        cmocka_unit_test(lenient_is_a_warning),
        cmocka_unit_test(a_place),
        cmocka_unit_test(limits),
        cmocka_unit_test(rules_have_limits),
        cmocka_unit_test(growth_ends),
        cmocka_unit_test(chains),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(scratch_is_a_stack),
        cmocka_unit_test(scratch_has_a_limit),
        cmocka_unit_test(numbers_are_cut),
        cmocka_unit_test(doubles_are_read_back),
        cmocka_unit_test(values_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
