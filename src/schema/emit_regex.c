/* emit_regex.c: format "regex": the regular expressions of ECMA-262 with the u
 * flag as a rule, spelled in a JSON string.
 *
 * Left out, since no rule can say it or hardly anyone writes it: group names
 * and references to groups, \p{...}, counts {m,n} with m > 0, and class ranges
 * other than of letters or digits. What is generated is always valid.
 * Source: ECMA-262, Annex B not included, section 22.2.1 (Patterns).
 * Tests: the conformance suite, unit/schema_test.c.
 */
#include "schema/emit.h"

#include "syntax/regex.h"

static NodeId text(Emit *e, const char *t)
{
    return ir_bytes(e->ir, span_text(t));
}

/* One of the characters, which JSON writes as they are. */
static NodeId one_of(Emit *e, const char *characters)
{
    NodeId all = NODE_NEVER_ID;
    for (const char *c = characters; *c; c++)
        all = ir_alt2(e->ir, all, ir_rune(e->ir, (uint8_t)*c));
    return all;
}

/* Texts of the pattern; a backslash of the expression is two in JSON. */
static NodeId shape(Emit *e, const char *pattern)
{
    return regex_compile(e->ir, span_text(pattern), NULL);
}

static NodeId star(Emit *e, NodeId node)
{
    return ir_repeat(e->ir, node, 0, REPEAT_INF);
}

/* What may follow a backslash outside and inside of a class. */
static NodeId escape(Emit *e, bool in_class)
{
    Ir *ir = e->ir;
    NodeId syntax = ir_alt2(ir, one_of(e, "^$.*+?()[]{}|/"), text(e, "\\\\"));
    NodeId letter = one_of(e, in_class ? "dDwWsStnvfrb-" : "dDwWsStnvfr");
    NodeId code = shape(e, "c[A-Za-z]|x[0-9A-Fa-f]{2}|"
                           "u([0-9A-CEFa-cef][0-9A-Fa-f]{3}|"
                           "[Dd][0-7][0-9A-Fa-f]{2})|"
                           "u\\{0{0,8}[0-9A-Fa-f]{1,5}\\}");
    NodeId zero = text(e, "0");
    NodeId all = ir_alt2(ir, ir_alt2(ir, syntax, letter), code);
    if (!in_class) return ir_seq2(ir, text(e, "\\\\"), all);
    return ir_seq2(ir, text(e, "\\\\"), ir_alt2(ir, all, zero));
}

/* Characters that stand for themselves; a quote is escaped in JSON. */
static NodeId plain(Emit *e, const char *but)
{
    Range out[32] = {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}};
    uint32_t n = 3;
    for (const char *c = but; *c; c++)
        out[n++] = (Range){(uint8_t)*c, (uint8_t)*c};
    return ir_alt2(e->ir, ir_class(e->ir, out, n, true), text(e, "\\\""));
}

static NodeId ranges(Emit *e)
{
    static const char spans[][2] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    NodeId all = NODE_NEVER_ID;
    for (uint32_t i = 0; i < COUNT_OF(spans); i++)
        for (uint8_t c = (uint8_t)spans[i][0]; c <= (uint8_t)spans[i][1]; c++) {
            Range up = {c, (uint8_t)spans[i][1]};
            NodeId range = IR_SEQ(e->ir, ir_rune(e->ir, c), text(e, "-"),
                                  ir_class(e->ir, &up, 1, false));
            all = ir_alt2(e->ir, all, range);
        }
    return all;
}

static NodeId class(Emit *e)
{
    Ir *ir = e->ir;
    NodeId one = ir_alt2(ir, plain(e, "]-^"), escape(e, true));
    NodeId item = ir_alt2(ir, one, ranges(e));
    return IR_SEQ(ir, text(e, "["), ir_optional(ir, text(e, "^")),
                  star(e, item), text(e, "]"));
}

static NodeId quantifier(Emit *e)
{
    NodeId many = shape(e, "[*+?]|\\{(0|[1-9][0-9]{0,5})(,)?\\}|"
                           "\\{0,(0|[1-9][0-9]{0,5})\\}");
    return ir_seq2(e->ir, many, ir_optional(e->ir, text(e, "?")));
}

static NodeId group(Emit *e, const char *open, NodeId inside)
{
    return IR_SEQ(e->ir, text(e, open), inside, text(e, ")"));
}

/* What may stand in a row, `inside` being an expression in a group. */
static NodeId term_node(Emit *e, NodeId inside)
{
    static const char *const looks[] = {"(?=", "(?!", "(?<=", "(?<!"};
    Ir *ir = e->ir;
    NodeId atom = ir_alt2(ir, plain(e, "^$.*+?()[]{}|"), text(e, "."));
    atom = ir_alt2(ir, atom, ir_alt2(ir, escape(e, false), class(e)));
    atom = ir_alt2(ir, atom, group(e, "(", inside));
    atom = ir_alt2(ir, atom, group(e, "(?:", inside));
    NodeId count = quantifier(e);
    NodeId term = ir_seq2(ir, atom, ir_optional(ir, count));
    term = ir_alt2(ir, term, one_of(e, "^$"));
    term = ir_alt2(ir, term, shape(e, "\\\\\\\\[bB]"));
    for (uint32_t i = 0; i < COUNT_OF(looks); i++)
        term = ir_alt2(ir, term, group(e, looks[i], inside));
    /* "\0" must not be followed by a digit: only where it is counted */
    return ir_alt2(ir, term, ir_seq2(ir, text(e, "\\\\0"), count));
}

static void make_rules(Emit *e)
{
    Ir *ir = e->ir;
    RuleId body = ir_rule_new(ir, SPAN("regex"), RULE_SHARED);
    NodeId inside = ir_ref(ir, body), quote = text(e, "\"");
    NodeId term = term_node(e, inside), terms = star(e, term);
    NodeId others = ir_seq2(ir, text(e, "|"), terms);
    NodeId some =
        ir_alt2(ir, ir_seq2(ir, term, ir_seq2(ir, terms, star(e, others))),
                ir_repeat(ir, others, 1, REPEAT_INF));
    ir_rule_set(ir, body, ir_seq2(ir, terms, star(e, others)));
    e->regex[0] = ir_rule_new(ir, SPAN("json_regex_some"), RULE_SHARED);
    e->regex[1] = ir_rule_new(ir, SPAN("json_regex"), RULE_SHARED);
    ir_rule_set(ir, e->regex[0], IR_SEQ(ir, quote, some, quote));
    ir_rule_set(ir, e->regex[1], IR_SEQ(ir, quote, inside, quote));
}

NodeId emit_regex(Emit *e, bool may_be_empty)
{
    if (e->regex[0] == RULE_NONE) make_rules(e);
    return ir_ref(e->ir, e->regex[may_be_empty]);
}
