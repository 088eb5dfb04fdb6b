/* lower_test.c: the passes, by their results on small grammars.
 *
 * Lowered bodies are worked out by hand from the heads of src/pass/: what the
 * root does not need is gone, nothing produces the empty text, no rule begins
 * with itself. That the language stays the same on any grammar is the affair
 * of prop/lower_vs_oracle_test.c.
 */
#include "unit/small_grammar.h"

#include <stdlib.h>

#include "pass/facts.h"
#include "pass/lower.h"
#include "pass/rulegraph.h"

/* Ten ids; 8 and 9 are holes; 7 is a stop token, which must be named. */
static bool usable(const void *user, uint32_t id, bool by_default)
{
    (void)user;
    return id < 8 && !(by_default && id == 7);
}
static const LowerTokens ten = {10, usable, NULL};

static void expect_out(Out *out, const char *source, const char *expected)
{
    assert_true(out->size < out->cap);
    out->at[out->size] = 0;
    if (strcmp(out->at, expected))
        fail_msg("%s\nis:\n%sexpected:\n%s", source, out->at, expected);
}

/* ---- facts ---- */

/* Each rule with what holds of its body: Productive, Nullable, Solid. */
typedef struct FactCase {
    const char *rule, *facts;
} FactCase;

static const FactCase facts_of[] = {
    {"\"\"", "PN"},
    {"\"x\"", "PS"},
    {"[a-z]", "PS"},
    {"[]", ""},
    {"never", ""},
    {"never \"x\"", ""},
    {"\"x\" | never", "PS"},
    {"\"x\"? never", ""},
    {"loops | \"\"", "PNS"},
    {"loops", "PS"},
    {"empty empty", "PN"},
    {"empty \"x\"", "PS"},
    {"empty{2,5}", "PN"},
    {"empty | \"x\"", "PNS"},
    {"\"x\"?", "PNS"},
    {"\"x\"? \"y\"*", "PNS"},
    {"never{0,3}", "PN"},
    {"never{1,3}", ""},
    {"(never | \"x\"){2}", "PS"},
    {"(empty never?)", "PN"},
    {"Regex(\"(ab|b)*\")", "PNS"},
    {"Regex(\"(ab|b)+\")", "PS"},
    {"Token(3)", "PS"},
    {"Token(9)", ""},
    {"Token(9, 3)", "PS"},
    {"ExcludeToken(0, 1, 2, 3, 4, 5, 6)", ""},
    {"ExcludeToken(0, 1, 2, 3, 4, 5)", "PS"},
};

static void facts_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(facts_of); i++) {
        char source[300], text[8];
        Out in = {source, sizeof source, 0}, out = {text, sizeof text, 0};
        out_format(&in,
                   "root ::= %s\nnever ::= \"(\" never \")\" | again\n"
                   "again ::= never\nloops ::= \"x\" loops | \"x\"\n"
                   "empty ::= \"\" | empty empty",
                   facts_of[i].rule);
        source[in.size] = 0;
        Mem mem = mem_from_env(NULL);
        Ir ir;
        TokenSets sets = {0};
        Facts facts;
        small_ir(&ir, &mem, source, NULL);
        assert_true(tokens_resolve(&ir, &ten, &sets));
        assert_true(facts_find(&ir, &sets, &facts));
        NodeId body = ir.rules.at[ir.root].body;
        if (facts.productive[body]) out_text(&out, "P");
        if (facts.nullable[body]) out_text(&out, "N");
        if (facts.solid[body]) out_text(&out, "S");
        expect_out(&out, facts_of[i].rule, facts_of[i].facts);
        facts_free(&mem, &facts);
        tokens_free(&mem, &sets);
        ir_free(&ir);
    }
}

/* ---- lowered bodies ---- */

typedef struct LowerCase {
    const char *source;
    bool is_nullable;
    const char *lowered;
} LowerCase;

static void print_lowered(const Ir *ir, const Lowered *lowered, Out *out)
{
    for (RuleId r = 0; r < lowered->body.count; r++) {
        if (lowered->body.at[r] == NODE_NEVER_ID) continue;
        out_bytes(out, ir->rules.at[r].name);
        out_text(out, " ::= ");
        ir_print_node(ir, lowered->body.at[r], out);
        out_text(out, "\n");
    }
}

/* After lowering no rule may begin with itself. */
static void check_left(const Ir *ir, const Lowered *lowered)
{
    RuleGraph graph;
    assert_true(rulegraph_build(ir, lowered, true, &graph));
    for (RuleId r = 0; r < graph.nrules; r++)
        assert_false(graph.is_cyclic.at[r]);
    rulegraph_free(&graph);
}

static void expect_lowered(const LowerCase *c, const LowerTokens *tokens)
{
    Mem mem = mem_from_env(NULL);
    Ir ir;
    Lowered lowered;
    char text[1024];
    Out out = {text, sizeof text, 0};
    small_ir(&ir, &mem, c->source, NULL);
    if (!lower_run(&ir, tokens, &lowered)) fail_msg("%s", ir.error.message);
    print_lowered(&ir, &lowered, &out);
    expect_out(&out, c->source, c->lowered);
    assert_int_equal(lowered.is_nullable, c->is_nullable);
    assert_int_equal(lowered.size.count, ir.nodes.count);
    check_left(&ir, &lowered);
    lower_free(&mem, &lowered);
    ir_free(&ir);
}

static void expect_all(const LowerCase *cases, size_t count,
                       const LowerTokens *tokens)
{
    for (size_t i = 0; i < count; i++) expect_lowered(&cases[i], tokens);
}

/* clang-format off */
static const LowerCase empties[] = {
    {"root ::= \"a\"", false, "root ::= \"a\"\n"},
    {"root ::= \"a\"?", true, "root ::= \"a\"\n"},
    {"root ::= \"\"", true, ""},
    /* a rule that was nullable becomes "the rule or nothing" */
    {"root ::= \"x\" B\nB ::= \"b\"*", false,
     "root ::= \"x\" B?\nB ::= \"b\"+\n"},
    {"root ::= \"a\"? B\nB ::= \"b\"*", true,
     "root ::= \"a\" B? | B\nB ::= \"b\"+\n"},
    /* one that was nothing else is gone */
    {"root ::= A \"x\"\nA ::= \"\"", false, "root ::= \"x\"\n"},
    {"root ::= A* \"x\"\nA ::= (\"\" | A A)", false, "root ::= \"x\"\n"},
    /* copies of a nullable operand: any number of solid ones */
    {"root ::= (\"a\" | \"\"){3,5} \"x\"", false, "root ::= \"a\"{0,5} \"x\"\n"},
    {"root ::= (\"a\" | \"\"){3,5}", true, "root ::= \"a\"{1,5}\n"},
    {"root ::= \"a\"{0,5}", true, "root ::= \"a\"{1,5}\n"},
    /* unproductive parts are gone */
    {"root ::= \"a\" | B \"c\"\nB ::= B \"b\" | \"b\" B", false,
     "root ::= \"a\"\n"},
    {"root ::= \"a\" B*\nB ::= \"b\" B", false, "root ::= \"a\"\n"},
    /* and so is what nobody uses */
    {"root ::= \"a\"\nB ::= \"b\"", false, "root ::= \"a\"\n"},
};

static const LowerCase left[] = {
    /* none: stays */
    {"root ::= \"a\" root | \"b\"", false, "root ::= \"b\" | \"a\" root\n"},
    {"root ::= P\nP ::= \"(\" P? \")\"", false,
     "root ::= P\nP ::= \"(\" P? \")\"\n"},
    /* direct: E = E A | B is B A* */
    {"root ::= E\nE ::= E \"+\" T | T\nT ::= \"t\"", false,
     "root ::= E\nE ::= T ((\"+\" T)+)?\nT ::= \"t\"\n"},
    {"root ::= e\ne ::= e \"+\" t | t\nt ::= \"t\"", false,
     "root ::= \"t\" (\"+t\"+)?\n"},
    {"root ::= root root | \"a\"", false, "root ::= \"a\" (root+)?\n"},
    {"root ::= root | \"a\"", false, "root ::= \"a\"\n"},
    {"root ::= root+ \"x\" | \"a\"", false, "root ::= \"a\" ((root* \"x\")+)?\n"},
    /* indirect: root = A x | r, A = root y | a */
    {"root ::= A \"x\" | \"r\"\nA ::= root \"y\" | \"a\"", false,
     "root ::= (\"ax\" | \"r\") (\"yx\"+)?\n"},
    /* through three rules */
    {"root ::= A \"1\" | \"r\"\nA ::= B \"2\" | \"a\"\nB ::= root \"3\" | \"b\"",
     false, "root ::= (\"r\" | (\"a\" | \"b2\") \"1\") (\"321\"+)?\n"},
    /* hidden: behind what may be empty */
    {"root ::= N root \"x\" | \"r\"\nN ::= \"n\"?", false,
     "root ::= (\"r\" | N root \"x\") (\"x\"+)?\nN ::= \"n\"\n"},
    /* n* is nothing, or n and n* */
    {"root ::= \"n\"* root \"x\" | \"r\"", false,
     "root ::= (\"r\" | \"n\" \"n\"* root \"x\") (\"x\"+)?\n"},
};

static const LowerCase inlined[] = {
    {"root ::= a \"x\"\na ::= [a-z]+", false, "root ::= [a-z]+ \"x\"\n"},
    {"root ::= a a\na ::= b \"y\"\nb ::= [ab]", false,
     "root ::= [ab] \"y\" [ab] \"y\"\n"},
    /* recursive rules and frames stay */
    {"root ::= p p\np ::= \"(\" p? \")\"", false,
     "root ::= p p\np ::= \"(\" p? \")\"\n"},
    {"root ::= A \"x\"\nA ::= \"a\"", false,
     "root ::= A \"x\"\nA ::= \"a\"\n"},
    /* the body of one that stays takes others in */
    {"root ::= A \"x\"\nA ::= b \"a\"\nb ::= \"b\"", false,
     "root ::= A \"x\"\nA ::= \"ba\"\n"},
    /* a loop over many characters that something ends: used twice it stays */
    {"root ::= s \":\" s\ns ::= \"\\\"\" [^\"]* \"\\\"\"", false,
     "root ::= s \":\" s\ns ::= \"\\\"\" [^\"]* \"\\\"\"\n"},
    {"root ::= s \":\"\ns ::= \"\\\"\" [^\"]* \"\\\"\"", false,
     "root ::= \"\\\"\" [^\"]* \"\\\":\"\n"},
    /* one that the rule may end in does not */
    {"root ::= i \":\" i\ni ::= [a-z] [^\"]*", false,
     "root ::= [a-z] [^\"]* \":\" [a-z] [^\"]*\n"},
    /* nor one over few characters */
    {"root ::= s \":\" s\ns ::= \"<\" [a-z]* \">\"", false,
     "root ::= \"<\" [a-z]* \">:<\" [a-z]* \">\"\n"},
};

static const LowerCase tokens[] = {
    {"root ::= Token(3, 9, 5)", false, "root ::= tokens(3, 5)\n"},
    {"root ::= Token(7)", false, "root ::= tokens(7)\n"},
    {"root ::= ExcludeToken(2, 4)", false, "root ::= tokens(0-1, 3, 5-6)\n"},
    {"root ::= ExcludeToken(9)", false, "root ::= tokens(0-6)\n"},
    {"root ::= \"a\" | Token(9) \"b\"", false, "root ::= \"a\"\n"},
    {"root ::= \"a\" Token(8)*", false, "root ::= \"a\"\n"},
    /* sets that come to the same are one */
    {"root ::= Token(3) \"x\" | Token(3, 8) \"x\"", false,
     "root ::= tokens(3) \"x\"\n"},
};

static const LowerCase without_tokens[] = {
    {"root ::= \"a\" | Token(3) \"b\"", false, "root ::= \"a\"\n"},
    {"root ::= \"a\" ExcludeToken(3)?", false, "root ::= \"a\"\n"},
};
/* clang-format on */

static void empties_go(void **state)
{
    (void)state;
    expect_all(empties, COUNT_OF(empties), NULL);
}

static void left_recursion_goes(void **state)
{
    (void)state;
    expect_all(left, COUNT_OF(left), NULL);
}

static void rules_dissolve(void **state)
{
    (void)state;
    expect_all(inlined, COUNT_OF(inlined), NULL);
}

static void tokens_become_ids(void **state)
{
    (void)state;
    expect_all(tokens, COUNT_OF(tokens), &ten);
    expect_all(without_tokens, COUNT_OF(without_tokens), NULL);
}

/* ---- limits of copying ---- */

/* A text of 100 bytes used `uses` times: 4,096 bytes may be copied. */
static bool dissolves_when_used(uint32_t uses)
{
    static char source[4096];
    Out out = {source, sizeof source, 0};
    Mem mem = mem_from_env(NULL);
    Ir ir;
    Lowered lowered;
    out_text(&out, "root ::= \"a\" big");
    for (uint32_t i = 1; i < uses; i++) out_format(&out, " | \"%u\" big", i);
    out_text(&out, "\nbig ::= \"");
    for (int i = 0; i < 100; i++) out_text(&out, "x");
    out_text(&out, "\"");
    assert_true(out.size < out.cap);
    source[out.size] = 0;
    small_ir(&ir, &mem, source, NULL);
    assert_true(lower_run(&ir, NULL, &lowered));
    assert_int_equal(lowered.body.count, 2);
    bool is_gone = lowered.body.at[1] == NODE_NEVER_ID;
    lower_free(&mem, &lowered);
    ir_free(&ir);
    return is_gone;
}

static void copying_is_limited(void **state)
{
    (void)state;
    assert_true(dissolves_when_used(1));
    assert_true(dissolves_when_used(40));
    assert_false(dissolves_when_used(41));
}

/* ---- errors ---- */

static void expect_error(const char *source, const weir_limits *limits,
                         weir_status status, const char *says)
{
    Mem mem = mem_from_env(NULL);
    Ir ir;
    Lowered lowered;
    small_ir(&ir, &mem, source, limits);
    assert_false(lower_run(&ir, NULL, &lowered));
    assert_int_equal(ir.error.status, status);
    if (!strstr(ir.error.message, says))
        fail_msg("%s: %s", source, ir.error.message);
    assert_null(lowered.body.at);
    ir_free(&ir);
}

static void errors_are_reported(void **state)
{
    (void)state;
    const char *endless = "through 'root' needs a rule that never ends";
    expect_error("root ::= root \"a\"", NULL, WEIR_EMPTY, endless);
    expect_error("root ::= a\na ::= \"(\" b \")\"\nb ::= a", NULL, WEIR_EMPTY,
                 endless);
    expect_error("root ::= Token(3)", NULL, WEIR_EMPTY,
                 "through 'root' needs a token by id, which only a vocabulary");
    /* a row of n optional parts takes n + (n-1) + ... steps */
    weir_limits few = {.max_work = 5};
    expect_error("root ::= [ab]? [cd]? [ef]?", &few, WEIR_LIMIT_WORK,
                 "max_work");
}

static void left_out_tokens_are_reported(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (int has_vocab = 0; has_vocab < 2; has_vocab++) {
        Ir ir;
        Lowered lowered;
        small_ir(&ir, &mem, "root ::= \"a\" | Token(3) \"b\"", NULL);
        assert_true(lower_run(&ir, has_vocab ? &ten : NULL, &lowered));
        assert_int_equal(ir.warnings.count, !has_vocab);
        lower_free(&mem, &lowered);
        ir_free(&ir);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(empties_go),
        cmocka_unit_test(left_recursion_goes),
        cmocka_unit_test(rules_dissolve),
        cmocka_unit_test(tokens_become_ids),
        cmocka_unit_test(copying_is_limited),
        cmocka_unit_test(errors_are_reported),
        cmocka_unit_test(left_out_tokens_are_reported),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
