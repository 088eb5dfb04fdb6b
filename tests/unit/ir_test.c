/* ir_test.c: the IR's builders, order, printer and hash.
 *
 * Printed forms are written by hand from docs/ir.md. That simplifying keeps
 * the language is checked on random expressions: their meaning, computed as a
 * set of short strings straight from the definition, against the oracle's
 * reading of the nodes that the builders made.
 */
#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "lang/dfa_writer.h"
#include "lang/json_text.h"

static Mem mem;

static void start(Ir *ir)
{
    mem = mem_from_env(NULL);
    ir_init(ir, &mem, NULL);
}

static NodeId lit(Ir *ir, const char *text)
{
    return ir_bytes(ir, span_text(text));
}

static NodeId set(Ir *ir, uint32_t lo, uint32_t hi)
{
    return ir_class(ir, &(Range){lo, hi}, 1, false);
}

static void expect_text(const Out *out, const char *expected)
{
    assert_true(out->size < out->cap);
    out->at[out->size] = 0;
    assert_string_equal(out->at, expected);
}

static void expect_node(Ir *ir, NodeId node, const char *expected)
{
    char text[2048];
    Out out = {text, sizeof text, 0};
    assert_true(ir_ok(ir));
    ir_print_node(ir, node, &out);
    expect_text(&out, expected);
}

static void expect_rules(const Ir *ir, const char *expected)
{
    char text[2048];
    Out out = {text, sizeof text, 0};
    assert_true(ir_ok(ir));
    ir_print(ir, &out);
    expect_text(&out, expected);
}

#define SEQ(...)                              \
    ir_seq(ir, (const NodeId[]){__VA_ARGS__}, \
           COUNT_OF(((const NodeId[]){__VA_ARGS__})))
#define ALT(...)                              \
    ir_alt(ir, (const NodeId[]){__VA_ARGS__}, \
           COUNT_OF(((const NodeId[]){__VA_ARGS__})))
#define CLASS(negated, ...)                    \
    ir_class(ir, (const Range[]){__VA_ARGS__}, \
             COUNT_OF(((const Range[]){__VA_ARGS__})), negated)

/* ---- printed forms ---- */

static void prints_leaves(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    expect_node(ir, NODE_NEVER_ID, "[]");
    expect_node(ir, NODE_EMPTY_ID, "\"\"");
    expect_node(ir, lit(ir, ""), "\"\"");
    expect_node(ir, lit(ir, "a\"\\\n\x01\xff\xc3\xa9"),
                "\"a\\\"\\\\\\n\\x01\\xff\xc3\xa9\"");
    expect_node(ir, set(ir, 'a', 'z'), "[a-z]");
    expect_node(ir, set(ir, 'a', 'b'), "[ab]");
    expect_node(ir, set(ir, 'a', 'a'), "\"a\"");
    expect_node(ir, set(ir, 'b', 'a'), "[]");
    expect_node(ir, ir_any(ir), "[^]");
    expect_node(ir, CLASS(true, {'a', 'a'}), "[^a]");
    expect_node(ir, CLASS(true, {'a', 'f'}, {']', '^'}, {'-', '-'}),
                "[^\\-\\]\\^a-f]");
    expect_node(ir, CLASS(false, {0, 9}, {'\n', 0x1F}, {0x7F, 0xFF}),
                "[\\x00-\\x1F\\x7F-\\xFF]");
    expect_node(ir, CLASS(false, {0x100, 0x17F}, {0x1F600, 0x1F64F}),
                "[\\u0100-\\u017F\\U0001F600-\\U0001F64F]");
    expect_node(ir, ir_rune(ir, 0x20AC), "\"\xe2\x82\xac\"");
    expect_node(ir, ir_rune(ir, 0xD800), "[]");
    expect_node(ir, ir_tokens(ir, (Range[]){{7, 7}, {2, 4}, {5, 5}}, 3, 0),
                "tokens(2-5, 7)");
    expect_node(ir, ir_tokens(ir, (Range[]){{3, 3}}, 1, true), "tokens(^3)");
    expect_node(ir, ir_tokens(ir, NULL, 0, true), "tokens(^)");
    expect_node(ir, ir_tokens(ir, NULL, 0, false), "[]");
    ir_free(ir);
}

/* Classes know nothing of surrogates and of what lies above U+10FFFF. */
static void classes_are_code_points(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    expect_node(ir, set(ir, 0xD7FF, 0xE000), "[\\uD7FF\\uE000]");
    expect_node(ir, set(ir, 0xD800, 0xDFFF), "[]");
    expect_node(ir, CLASS(true, {0xD800, 0xDFFF}), "[^]");
    expect_node(ir, CLASS(true, {0xDC00, 0xE000}), "[^\\uE000]");
    expect_node(ir, set(ir, 0x10FFFE, UINT32_MAX),
                "[^\\x00-\\uD7FF\\uE000-\\U0010FFFD]");
    expect_node(ir, set(ir, 0x110000, UINT32_MAX), "[]");
    expect_node(ir, CLASS(true, {0, 0x10FFFF}), "[]");
    expect_node(ir, CLASS(true, {0, UINT32_MAX}), "[]");
    expect_node(ir, CLASS(true, {0, 'a'}, {'c', UINT32_MAX}), "\"b\"");
    expect_node(ir, CLASS(true, {0x110000, 0x120000}), "[^]");
    assert_int_equal(CLASS(false, {'a', 'c'}, {'b', 'd'}, {'e', 'e'}),
                     set(ir, 'a', 'e'));
    ir_free(ir);
}

static void prints_structure(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId az = set(ir, 'a', 'z'),
           x = ir_ref(ir, ir_rule_new(ir, SPAN("x"), 0));
    expect_node(ir, SEQ(lit(ir, "q"), az, x), "\"q\" [a-z] x");
    expect_node(ir, ALT(x, lit(ir, "no"), az), "\"no\" | [a-z] | x");
    expect_node(ir, SEQ(ALT(x, lit(ir, "no")), x), "(\"no\" | x) x");
    expect_node(ir, ALT(SEQ(x, az), x), "x [a-z] | x");
    expect_node(ir, ir_optional(ir, x), "x?");
    expect_node(ir, ir_optional(ir, ALT(x, az)), "([a-z] | x)?");
    expect_node(ir, ir_optional(ir, SEQ(x, az)), "(x [a-z])?");
    expect_node(ir, ir_repeat(ir, ir_optional(ir, x), 2, 3), "(x?){2,3}");
    expect_node(ir, ir_repeat(ir, x, 0, REPEAT_INF), "x*");
    expect_node(ir, ir_repeat(ir, x, 1, REPEAT_INF), "x+");
    expect_node(ir, ir_repeat(ir, x, 2, REPEAT_INF), "x{2,}");
    expect_node(ir, ir_repeat(ir, x, 2, 2), "x{2}");
    expect_node(ir, ir_repeat(ir, x, 0, 2), "x{0,2}");
    expect_node(ir, ir_repeat(ir, SEQ(x, az), 2, 3), "(x [a-z]){2,3}");
    expect_node(ir, ir_repeat(ir, ir_repeat(ir, x, 2, 2), 3, 3), "(x{2}){3}");
    expect_node(ir, SEQ(ir_repeat(ir, x, 0, 9), x), "x{0,9} x");
    expect_node(ir, ir_optional(ir, ir_repeat(ir, x, 2, 2)), "(x{2})?");
    ir_free(ir);
}

static void prints_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    Ir local, *ir = &local;
    start(ir);
    NodeId n = ir_ref(ir, ir_rule_new(ir, SPAN("x"), 0)), x = n;
    for (int i = 0; i < DEPTH; i++) n = SEQ(ir_repeat(ir, n, 2, 3), x);
    Out out = {0};
    ir_print_node(ir, n, &out);
    /* x inside; each level adds "{2,3} x", all but the first parentheses */
    assert_int_equal(out.size, 1 + 7 * DEPTH + 2 * (DEPTH - 1));
    ir_free(ir);
}

/* 0 -a-> 1, 1 -[b-c]-> 1 and accepting. */
static const Dfa small_dfa = {
    .nstates = 2,
    .edge_start = (const uint32_t[]){0, 1, 2},
    .edges = (const DfaEdge[]){{'a', 'a', 1}, {'b', 'd', 1}},
    .accepts = (const uint8_t[]){0, 1},
};

static void regular_nodes_are_shared(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId first = ir_regular(ir, &small_dfa);
    expect_node(ir, first, "regular(0 [a]>1; 1! [b-d]>1)");
    assert_int_equal(ir_regular(ir, &small_dfa), first);
    assert_int_equal(ir->dfas.count, 1);
    Dfa other = small_dfa;
    other.accepts = (const uint8_t[]){1, 1};
    NodeId second = ir_regular(ir, &other);
    assert_int_not_equal(second, first);
    assert_int_equal(ir->dfas.count, 2);
    Dfa never = {0},
        empty = {1, (const uint32_t[]){0, 0}, NULL, (const uint8_t[]){1}};
    assert_int_equal(ir_regular(ir, &never), NODE_NEVER_ID);
    assert_int_equal(ir_regular(ir, &empty), NODE_EMPTY_ID);
    assert_int_equal(ir->dfas.count, 2);
    expect_node(ir, ALT(second, first),
                "regular(0 [a]>1; 1! [b-d]>1) | "
                "regular(0! [a]>1; 1! [b-d]>1)");
    ir_free(ir);
}

/* ---- bounded regular languages ---- */

static const Dfa *random_class(LangCtx *c)
{
    static const uint32_t runes[] = {'\n', 'a', 'b', 0xE9, 0x1F600};
    uint32_t x = runes[rand() % 5], y = rand() % 3 ? x : runes[rand() % 5];
    RuneRange range = {MIN(x, y), MAX(x, y)};
    return lang_class(c, &range, 1);
}

static const Dfa *random_language(LangCtx *c)
{
    const Dfa *a = random_class(c);
    for (int i = rand() % 6; i > 0; i--) {
        const Dfa *b = random_class(c);
        switch (rand() % 5) {
        case 0:
            a = lang_unite(c, a, b);
            break;
        case 1:
            a = lang_concat(c, a, b);
            break;
        case 2:
            a = lang_concat(c, lang_repeat(c, b, 0, 3), a);
            break;
        case 3:
            a = lang_repeat(c, a, (uint32_t)rand() % 3, LANG_INF);
            break;
        default:
            a = lang_subtract(c, lang_repeat(c, a, 0, 2), b);
        }
    }
    return a;
}

static const Dfa *minimal(LangCtx *c, const Dfa *d)
{
    DfaWriter w;
    dfa_writer_init(&w, c);
    for (uint32_t s = 0; s < d->nstates; s++) {
        dfa_writer_state(&w, d->accepts[s]);
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++)
            dfa_writer_edge(&w, d->edges[e].lo, d->edges[e].hi, d->edges[e].to);
    }
    const Dfa *out = dfa_writer_minimize(&w);
    dfa_writer_free(&w);
    return out;
}

/* Its texts, with the number of characters as a part of the state. */
static const Dfa *bounded_language(LangCtx *c, const BoundedSpec *spec)
{
    DfaWriter w;
    const Dfa *d = &spec->dfa;
    dfa_writer_init(&w, c);
    for (uint32_t i = 0; i < d->nstates * (spec->hi + 1); i++) {
        uint32_t s = i % d->nstates, chars = i / d->nstates;
        dfa_writer_state(&w, d->accepts[s]);
        for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++) {
            DfaEdge edge = d->edges[e];
            uint32_t then = chars + spec->ticks[edge.to];
            if (then <= spec->hi)
                dfa_writer_edge(&w, edge.lo, edge.hi,
                                then * d->nstates + edge.to);
        }
    }
    const Dfa *out = dfa_writer_minimize(&w);
    dfa_writer_free(&w);
    return out;
}

/* What is needed of each state follows from what is needed of the next. */
static void check_needs(const BoundedSpec *spec)
{
    const Dfa *d = &spec->dfa;
    uint32_t *best = malloc(d->nstates * sizeof *best);
    assert_non_null(best);
    for (uint32_t s = 0; s < d->nstates; s++)
        best[s] = d->accepts[s] ? 0 : spec->hi + 1;
    for (uint32_t round = 0; round < d->nstates; round++)
        for (uint32_t s = 0; s < d->nstates; s++)
            for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++) {
                uint32_t to = d->edges[e].to;
                best[s] = MIN(best[s], best[to] + spec->ticks[to]);
            }
    for (uint32_t s = 0; s < d->nstates; s++)
        assert_int_equal(spec->need[s], best[s]);
    free(best);
}

/* The language of a regular node, as a minimal Dfa. */
static const Dfa *node_language(LangCtx *c, const Ir *ir, NodeId node)
{
    Node n = ir_node(ir, node);
    if (node == NODE_NEVER_ID) return lang_none();
    if (node == NODE_EMPTY_ID) return lang_empty();
    if (n.kind == NODE_REGULAR) return minimal(c, &ir->dfas.at[n.a]);
    const BoundedSpec *spec = ir_node_bounded(ir, n);
    check_needs(spec);
    return bounded_language(c, spec);
}

/* Of texts, and of their spellings in JSON strings. */
static void bounded_is_an_intersection(void **state)
{
    (void)state;
    int nempty = 0, nbounded = 0;
    srand(20);
    for (int round = 0; round < 2000; round++) {
        Ir local, *ir = &local;
        LangCtx c;
        Arena arena;
        const uint8_t *ticks;
        start(ir);
        arena_init(&arena, &mem, 0);
        lang_init(&c, &mem, &arena, NULL, &ir->error);
        const Dfa *a = random_language(&c);
        uint32_t hi = (uint32_t)rand() % 8;
        const Dfa *some = lang_intersect(&c, a, lang_length(&c, 0, hi));
        NodeId node = ir_regular_bounded(ir, a, NULL, hi);
        assert_true(lang_equal(node_language(&c, ir, node), some));
        JsonTextEscapes escapes = rand() % 2 ? JSON_TEXT_ANY : JSON_TEXT_NEEDED;
        const Dfa *spelled = lang_json_text_ticks(&c, a, escapes, &ticks);
        node = ir_regular_bounded(ir, spelled, ticks, hi);
        assert_true(lang_equal(node_language(&c, ir, node),
                               lang_json_text(&c, some, escapes)));
        assert_true(ir_ok(ir));
        nempty += lang_is_none(some);
        nbounded += ir_node(ir, node).kind == NODE_BOUNDED;
        arena_free(&arena);
        ir_free(ir);
    }
    assert_true(nempty > 50 && nempty < 1000);
    assert_true(nbounded > 200);
}

/* "a*" spelled with the escape "nb" for one of the letters. */
static void bounded_nodes_are_values(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    const DfaEdge edges[] = {{'a', 'a', 0}, {'n', 'n', 1}, {'b', 'b', 0}};
    const Dfa dfa = {2, (const uint32_t[]){0, 2, 3}, edges,
                     (const uint8_t[]){1, 0}};
    const uint8_t ticks[] = {1, 0};
    NodeId node = ir_regular_bounded(ir, &dfa, ticks, 5);
    expect_node(ir, node, "bounded(5; 0! [a]>0 [n]>1; 1~ [b]>0)");
    assert_int_equal(ir_regular_bounded(ir, &dfa, ticks, 5), node);
    assert_int_equal(ir->bounds.count, 1);
    NodeId less = ir_regular_bounded(ir, &dfa, ticks, 4);
    NodeId plain = ir_regular_bounded(ir, &dfa, NULL, 5);
    assert_int_not_equal(less, node);
    assert_int_not_equal(plain, node);
    assert_true(ir_order(ir, node, less) * ir_order(ir, less, node) < 0);
    assert_true(ir_order(ir, node, plain) * ir_order(ir, plain, node) < 0);
    assert_int_equal(ir_regular_bounded(ir, &dfa, ticks, 0), NODE_EMPTY_ID);
    assert_int_equal(ir_regular_bounded(ir, &dfa, ticks, REPEAT_INF),
                     ir_regular(ir, &dfa));
    Dfa two = small_dfa; /* one text of one character */
    two.edge_start = (const uint32_t[]){0, 1, 1};
    assert_int_equal(ir_regular_bounded(ir, &two, NULL, 1),
                     ir_regular(ir, &two));
    assert_int_equal(ir_regular_bounded(ir, &small_dfa, NULL, 0),
                     NODE_NEVER_ID);
    ir_free(ir);
}

static void lists_are_values(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId num = set(ir, '0', '9'), word = ALT(lit(ir, "ab"), lit(ir, "cd"));
    ListKind kinds[] = {
        {lit(ir, "a"), num, 0, 2, (const uint32_t[]){0, 1}, LIST_REPEATABLE, 0},
        {word, NODE_EMPTY_ID, 1, 1, (const uint32_t[]){1}, LIST_UNIQUE_STRING,
         0},
        {word, num, 2, 0, NULL, LIST_UNIQUE_VALUE, 0},
    };
    const ListCounter counters[] = {{1, 1}, {0, REPEAT_INF}};
    const ListNeed needs[] = {{2, 0, (const uint32_t[]){1, 0}}};
    ListSpec list = {lit(ir, ", "), false, 3, 2, 1, kinds, counters, needs};
    NodeId node = ir_list(ir, &list);
    expect_node(ir, node,
                "list(\", \"; 0: \"a\" ~ [0-9] +0 +1; "
                "1: (\"ab\" | \"cd\") +1 unique string; "
                "2: (\"ab\" | \"cd\") ~ [0-9] unique value; "
                "+0{1,1}; +1{0,}; +1 +0 needs +0)");
    assert_int_equal(ir_list(ir, &list), node);
    ListKind with_never[] = {kinds[0], kinds[0], kinds[1], kinds[2]};
    with_never[1].tail = NODE_NEVER_ID;
    list.kinds = with_never;
    list.nkinds = 4;
    assert_int_equal(ir_list(ir, &list), node);
    list.is_contiguous = true;
    list.nkinds = 1;
    NodeId other = ir_list(ir, &list);
    assert_int_not_equal(other, node);
    assert_true(ir_order(ir, node, other) * ir_order(ir, other, node) < 0);
    list.nneeds = 0;
    expect_node(ir, SEQ(ir_list(ir, &list), num),
                "list(contiguous \", \"; 0: \"a\" ~ [0-9] +0 +1; +0{1,1}; "
                "+1{0,}) [0-9]");
    with_never[0].head = NODE_NEVER_ID;
    assert_int_equal(ir_list(ir, &list), NODE_NEVER_ID);
    ir_free(ir);
}

static void prints_rules(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    RuleId blank = ir_rule_new(ir, SPAN("ws"), RULE_SHARED | RULE_SPACE);
    RuleId root = ir_rule_new(ir, SPAN("root"), 0);
    RuleId odd = ir_rule_new(ir, SPAN("1 \"x\""), RULE_FRAME);
    RuleId again = ir_rule_new(ir, SPAN("ws"), 0);
    RuleId late = ir_rule_new(ir, SPAN("late"), 0);
    ir->root = root;
    ir_rule_set(ir, blank, ir_repeat(ir, lit(ir, " "), 0, 128));
    ir_rule_set(ir, root,
                SEQ(ir_ref(ir, blank), ir_ref(ir, odd), ir_ref(ir, again)));
    ir_rule_set(ir, odd, NODE_NEVER_ID);
    ir_rule_set(ir, again, NODE_EMPTY_ID);
    expect_rules(ir, "root ::= ws <\"1 \\\"x\\\"\"> ws#2\n"
                     "ws[shared, space] ::= \" \"{0,128}\n"
                     "<\"1 \\\"x\\\"\">[frame] ::= []\n"
                     "ws#2 ::= \"\"\n"
                     "late ::= ?\n");
    (void)late;
    ir_free(ir);
}

static void prints_options(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    RuleId r = ir_rule_new(ir, SPAN("r"), 0);
    ir_rule_set(ir, r, NODE_EMPTY_ID);
    uint64_t bare = ir_hash(ir);
    RuleOptions o = {
        .has = RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS | RULE_HAS_TEMPERATURE |
               RULE_HAS_CAPTURE | RULE_HAS_STOP_CAPTURE | RULE_HAS_HIDDEN_RULES,
        .max_tokens = 5,
        .temperature = 0.5,
        .temperature_text = SPAN("0.50"),
        .capture = SPAN("a\"b"),
        .stop_capture = SPAN("s"),
        .hidden_suffix = 3,
        .hidden_stop = 4,
    };
    ir_rule_options(ir, r, &o);
    expect_rules(ir, "r[frame, max_tokens=5, max_chars=0, temperature=0.50, "
                     "capture=\"a\\\"b\", stop_capture=\"s\", "
                     "hidden_suffix=3, hidden_stop=4, hidden_body=r, "
                     "hidden_marker=r] ::= \"\"\n");
    uint64_t with = ir_hash(ir);
    assert_true(with != bare);
    o.hidden_stop = 5;
    ir_rule_options(ir, r, &o);
    assert_true(ir_hash(ir) != with);
    ir_free(ir);
}

static void counts_what_does_not_fit(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId n = SEQ(lit(ir, "abc"), set(ir, 'x', 'z'));
    char text[16] = "................";
    Out out = {text, 4, 0};
    ir_print_node(ir, n, &out);
    assert_int_equal(out.size, strlen("\"abc\" [x-z]"));
    assert_memory_equal(text, "\"abc....", 8);
    ir_free(ir);
}

/* ---- equal expressions are one node ---- */

static void builders_simplify(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId a = lit(ir, "a"), b = lit(ir, "b"), c = lit(ir, "c");
    NodeId x = ir_ref(ir, 0), star = ir_repeat(ir, x, 0, REPEAT_INF);
    assert_int_equal(SEQ(a, b, c), lit(ir, "abc"));
    assert_int_equal(SEQ(a, SEQ(b, x), c), SEQ(SEQ(a, b), x, c));
    assert_int_equal(SEQ(a, NODE_NEVER_ID, b), NODE_NEVER_ID);
    assert_int_equal(SEQ(NODE_EMPTY_ID, x, NODE_EMPTY_ID), x);
    assert_int_equal(ir_seq(ir, NULL, 0), NODE_EMPTY_ID);
    assert_int_equal(ir_alt(ir, NULL, 0), NODE_NEVER_ID);
    assert_int_equal(ALT(a, b, c), set(ir, 'a', 'c'));
    assert_int_equal(ALT(a, a), a);
    assert_int_equal(ALT(x, NODE_NEVER_ID), x);
    assert_int_equal(ALT(x, ALT(a, x), b), ALT(set(ir, 'a', 'b'), x));
    assert_int_equal(ALT(ir_rune(ir, 0xE9), ir_rune(ir, 0xE8)),
                     set(ir, 0xE8, 0xE9));
    assert_int_equal(ir_repeat(ir, x, 1, 1), x);
    assert_int_equal(ir_repeat(ir, x, 0, 0), NODE_EMPTY_ID);
    assert_int_equal(ir_repeat(ir, x, 0, 1), ir_optional(ir, x));
    assert_int_equal(ir_repeat(ir, x, 3, 2), NODE_NEVER_ID);
    assert_int_equal(ir_repeat(ir, star, 2, 7), star);
    assert_int_equal(ir_repeat(ir, NODE_EMPTY_ID, 5, 9), NODE_EMPTY_ID);
    assert_int_equal(ir_repeat(ir, NODE_NEVER_ID, 0, 9), NODE_EMPTY_ID);
    assert_int_equal(ir_repeat(ir, NODE_NEVER_ID, 1, 9), NODE_NEVER_ID);
    /* bytes that are not characters stay apart from classes */
    expect_node(ir, ALT(ir_bytes(ir, SPAN("\xff")), a, set(ir, 'b', 'c')),
                "\"\\xff\" | [a-c]");
    ir_free(ir);
}

static void empty_token_sets_are_one_node(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId any = ir_tokens(ir, NULL, 0, true);
    set(ir, 'a', 'z'); /* the pool of ranges is no longer empty */
    assert_int_equal(ir_tokens(ir, NULL, 0, true), any);
    ir_free(ir);
}

/* One grammar, its nodes made in two orders. */
static void build_either_way(Ir *ir, bool backwards)
{
    start(ir);
    RuleId root = ir_rule_new(ir, SPAN("root"), 0);
    RuleId x = ir_rule_new(ir, SPAN("x"), 0);
    ir->root = root;
    NodeId parts[5];
    for (int i = 0; i < 5; i++) {
        int k = backwards ? 4 - i : i;
        parts[k] = k == 0   ? ir_ref(ir, x)
                   : k == 1 ? SEQ(lit(ir, "ab"), ir_ref(ir, x))
                   : k == 2 ? ir_regular(ir, &small_dfa)
                   : k == 3 ? ir_repeat(ir, set(ir, '0', '9'), 2, 4)
                            : SEQ(lit(ir, "ab"), lit(ir, "cd"));
    }
    NodeId inner = backwards ? ALT(parts[4], parts[3], parts[2], parts[1])
                             : ALT(parts[1], parts[2], parts[3], parts[4]);
    ir_rule_set(ir, root, SEQ(inner, parts[0]));
    ir_rule_set(ir, x, ALT(inner, parts[0]));
}

static void order_of_making_does_not_show(void **state)
{
    (void)state;
    const char *expected = "root ::= (\"abcd\" | \"ab\" x | [0-9]{2,4} | "
                           "regular(0 [a]>1; 1! [b-d]>1)) x\n"
                           "x ::= \"abcd\" | \"ab\" x | [0-9]{2,4} | x | "
                           "regular(0 [a]>1; 1! [b-d]>1)\n";
    Ir forth, back;
    build_either_way(&forth, false);
    build_either_way(&back, true);
    expect_rules(&forth, expected);
    expect_rules(&back, expected);
    assert_true(ir_hash(&forth) == ir_hash(&back));
    Ir *ir = &back;
    ir_rule_set(ir, 1, NODE_EMPTY_ID);
    assert_true(ir_hash(&forth) != ir_hash(&back));
    ir_free(&forth);
    ir_free(&back);
}

static void hash_ignores_what_no_rule_uses(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    build_either_way(ir, false);
    uint64_t before = ir_hash(ir);
    SEQ(lit(ir, "unused"), set(ir, 0, 99));
    assert_true(ir_hash(ir) == before);
    ir_free(ir);
}

/* ---- order ---- */

static void order_is_total(void **state)
{
    (void)state;
    Ir local, *ir = &local;
    start(ir);
    NodeId x = ir_ref(ir, 0), y = ir_ref(ir, 1);
    NodeId rising[] = {
        NODE_NEVER_ID,
        NODE_EMPTY_ID,
        lit(ir, "a"),
        lit(ir, "ab"),
        lit(ir, "b"),
        set(ir, 'a', 'c'),
        CLASS(false, {'a', 'c'}, {'x', 'x'}),
        set(ir, 'a', 'd'),
        SEQ(lit(ir, "a"), x),
        SEQ(x, x),
        SEQ(x, x, x),
        SEQ(x, y),
        ALT(x, y),
        ir_repeat(ir, lit(ir, "z"), 5, 9),
        ir_repeat(ir, x, 0, 3),
        ir_repeat(ir, x, 2, 3),
        ir_repeat(ir, x, 2, 4),
        x,
        y,
        ir_regular(ir, &small_dfa),
        ir_tokens(ir, &(Range){1, 2}, 1, false),
        ir_tokens(ir, &(Range){1, 3}, 1, false),
        ir_tokens(ir, &(Range){1, 2}, 1, true),
    };
    int n = (int)COUNT_OF(rising);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int c = ir_order(ir, rising[i], rising[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
    for (int seed = 1; seed < 50; seed++) {
        NodeId ids[COUNT_OF(rising)];
        for (int i = 0; i < n; i++) ids[(i * 5 + seed) % n] = rising[i];
        ir_sort(ir, ids, (uint32_t)(seed % n + 1));
        for (int i = 1; i < seed % n + 1; i++)
            assert_true(ir_order(ir, ids[i - 1], ids[i]) < 0);
    }
    ir_free(ir);
}

/* ---- limits and memory ---- */

static void rule_limit(void **state)
{
    (void)state;
    Ir ir;
    mem = mem_from_env(NULL);
    ir_init(&ir, &mem, &(weir_limits){.max_rules = 2});
    ir_rule_new(&ir, SPAN("a"), 0);
    ir_rule_new(&ir, SPAN("b"), 0);
    assert_true(ir_ok(&ir));
    ir_rule_new(&ir, SPAN("c"), 0);
    assert_int_equal(ir.error.status, WEIR_LIMIT_RULES);
    assert_string_equal(ir.error.message,
                        "more than 2 rules (limit max_rules)");
    ir_free(&ir);
}

/* Fails once `left` allocations were made. */
typedef struct Budget {
    int left, live;
} Budget;

static void *budget_new(void *user, size_t nbytes)
{
    Budget *b = user;
    if (b->left-- <= 0) return NULL;
    b->live++;
    return malloc(nbytes);
}

static void *budget_resize(void *user, void *p, size_t old, size_t nbytes)
{
    Budget *b = user;
    (void)old;
    return b->left-- <= 0 ? NULL : realloc(p, nbytes);
}

static void budget_free(void *user, void *p, size_t nbytes)
{
    Budget *b = user;
    (void)nbytes;
    b->live--;
    free(p);
}

static void build_something(Ir *ir)
{
    RuleId r = ir_rule_new(ir, SPAN("r"), 0);
    RuleOptions o = {.has = RULE_HAS_CAPTURE, .capture = SPAN("c")};
    ir_rule_options(ir, r, &o);
    NodeId n = SEQ(lit(ir, "abc"), set(ir, 'a', 'z'), ir_any(ir));
    n = ALT(n, ir_regular(ir, &small_dfa), ir_repeat(ir, n, 2, 5), n);
    n = ALT(n, ir_tokens(ir, &(Range){3, 4}, 1, true), ir_ref(ir, r));
    n = ALT(n, ir_regular_bounded(ir, &small_dfa, NULL, 3));
    ir_rule_set(ir, r, SEQ(n, lit(ir, "x"), lit(ir, "y"), n));
    ir_warn(ir, 0, 1, "warned %d", 1);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int n = 0;; n++) {
        Budget budget = {.left = n};
        Mem tight = {budget_new, budget_resize, budget_free, &budget};
        Ir ir;
        ir_init(&ir, &tight, NULL);
        build_something(&ir);
        bool done = ir_ok(&ir);
        assert_true(done || ir.error.status == WEIR_NO_MEMORY);
        Out out = {0};
        if (done) ir_print(&ir, &out);
        if (done) (void)ir_hash(&ir);
        ir_free(&ir);
        assert_int_equal(budget.live, 0);
        if (budget.left >= 0) break;
        assert_true(n < 1000);
    }
}

/* ---- simplifying keeps the language ---- */

/* Strings over {a, b} of up to four characters, numbered like a heap: "" is
 * 1, and s followed by a or b is 2s or 2s + 1. A language is a bit set. */
enum { STRINGS = 32 };

static uint32_t random_state = 12345;

static uint32_t roll(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

static int string_length(uint32_t s)
{
    int n = 0;
    for (; s > 1; s >>= 1) n++;
    return n;
}

static uint32_t language_seq(uint32_t x, uint32_t y)
{
    uint32_t both = 0;
    for (uint32_t s = 1; s < STRINGS; s++)
        for (uint32_t t = 1; t < STRINGS; t++) {
            if (!(x >> s & 1) || !(y >> t & 1)) continue;
            int n = string_length(t);
            if (string_length(s) + n > 4) continue;
            both |= 1u << (s << n | (t - (1u << n)));
        }
    return both;
}

typedef struct Meaning {
    NodeId node;
    uint32_t strings;
} Meaning;

static Meaning random_leaf(Ir *ir)
{
    switch (roll(6)) {
    case 0:
        return (Meaning){NODE_EMPTY_ID, 1u << 1};
    case 1:
        return (Meaning){NODE_NEVER_ID, 0};
    case 2:
        return (Meaning){lit(ir, "a"), 1u << 2};
    case 3:
        return (Meaning){lit(ir, "ab"), 1u << 5};
    case 4:
        return (Meaning){set(ir, 'a', 'b'), 3u << 2};
    default:
        return (Meaning){CLASS(true, {'a', 'a'}, {'c', RUNE_MAX}), 1u << 3};
    }
}

static Meaning random_expression(Ir *ir, int depth)
{
    if (!depth || !roll(4)) return random_leaf(ir);
    Meaning x = random_expression(ir, depth - 1);
    Meaning y = random_expression(ir, depth - 1);
    Meaning z = random_expression(ir, depth - 1);
    if (roll(3) == 0)
        return (Meaning){
            SEQ(x.node, y.node, z.node),
            language_seq(language_seq(x.strings, y.strings), z.strings)};
    if (roll(2) == 0)
        return (Meaning){ALT(x.node, y.node, z.node),
                         x.strings | y.strings | z.strings};
    uint32_t lo = roll(4), extra = roll(4);
    bool endless = !roll(3);
    uint32_t power = 1u << 1, all = 0;
    for (uint32_t i = 0; i <= lo + (endless ? 5 : extra); i++) {
        if (i >= lo) all |= power;
        power = language_seq(power, x.strings);
    }
    uint32_t hi = endless ? REPEAT_INF : lo + extra;
    return (Meaning){ir_repeat(ir, x.node, lo, hi), all};
}

static uint32_t language_of(const Ir *ir)
{
    uint32_t strings = 0;
    for (uint32_t s = 1; s < STRINGS; s++) {
        OracleText text = {0};
        char spelled[8];
        int n = string_length(s);
        for (int i = 0; i < n; i++) spelled[i] = "ab"[s >> (n - 1 - i) & 1];
        assert_true(oracle_add_bytes(&text, span_of(spelled, (size_t)n)));
        if (oracle_complete(ir, ir->root, NULL, &text)) strings |= 1u << s;
    }
    return strings;
}

static void simplifying_keeps_the_language(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        Ir local, *ir = &local;
        start(ir);
        ir->root = ir_rule_new(ir, SPAN("root"), 0);
        Meaning m = random_expression(ir, 3);
        ir_rule_set(ir, ir->root, m.node);
        assert_true(ir_ok(ir));
        if (language_of(ir) != m.strings) {
            char text[512];
            Out out = {text, sizeof text - 1, 0};
            ir_print_node(ir, m.node, &out);
            text[MIN(out.size, out.cap)] = 0;
            fail_msg("round %d: %s", round, text);
        }
        ir_free(ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_leaves),
        cmocka_unit_test(classes_are_code_points),
        cmocka_unit_test(prints_structure),
        cmocka_unit_test(prints_deep_nesting),
        cmocka_unit_test(regular_nodes_are_shared),
        cmocka_unit_test(bounded_is_an_intersection),
        cmocka_unit_test(bounded_nodes_are_values),
        cmocka_unit_test(lists_are_values),
        cmocka_unit_test(prints_rules),
        cmocka_unit_test(prints_options),
        cmocka_unit_test(counts_what_does_not_fit),
        cmocka_unit_test(builders_simplify),
        cmocka_unit_test(empty_token_sets_are_one_node),
        cmocka_unit_test(order_of_making_does_not_show),
        cmocka_unit_test(hash_ignores_what_no_rule_uses),
        cmocka_unit_test(order_is_total),
        cmocka_unit_test(rule_limit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(simplifying_keeps_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
