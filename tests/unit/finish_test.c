/* finish_test.c: the shortest way to end an output, with lengths and texts
 * counted by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/grammar.h"
#include "api/objects.h"
#include "matcher/finish.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* The 256 bytes, then 256 </s>, 257 <call>, 258 "}}", 259 "false". */
enum { STOP = 256, CALL = 257, NTOKENS = 260 };

static weir_vocab *byte_vocab(void)
{
    static char byte[256];
    weir_token tokens[NTOKENS];
    for (unsigned b = 0; b < 256; b++) {
        byte[b] = (char)b;
        tokens[b] = (weir_token){{&byte[b], 1}, 0};
    }
    tokens[STOP] = (weir_token){bytes_of("</s>"), WEIR_TOKEN_STOP};
    tokens[CALL] = (weir_token){bytes_of("<call>"), WEIR_TOKEN_CONTROL};
    tokens[258] = (weir_token){bytes_of("}}"), 0};
    tokens[259] = (weir_token){bytes_of("false"), 0};
    weir_vocab *v = weir_vocab_new(NULL, tokens, NTOKENS, NULL, NULL);
    assert_non_null(v);
    return v;
}

static weir_matcher *matcher_at(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    if (*text)
        assert_int_equal(weir_matcher_accept_bytes(m, bytes_of(text), NULL),
                         WEIR_ACCEPTED);
    return m;
}

/* After `text`, `length` bytes are needed, and the tokens given are accepted
 * and end in a complete output. */
static void expect_length(weir_grammar *g, const char *text, uint32_t length)
{
    weir_matcher *m = matcher_at(g, text);
    uint32_t ids[512];
    Finisher f;
    finisher_init(&f, &m->mem);
    assert_int_equal(finisher_length(&f, &m->track.now), length);
    assert_int_equal(finisher_length(&f, &m->track.now), length);
    finisher_free(&f);
    uint64_t generation = weir_matcher_generation(m);
    size_t n = weir_matcher_finish_tokens(m, ids, COUNT_OF(ids));
    assert_true(n <= COUNT_OF(ids));
    assert_int_equal(weir_matcher_generation(m), generation);
    size_t spelled = 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
        spelled +=
            ids[i] == CALL
                ? 1
                : weir_vocab_token(weir_grammar_vocab(g), ids[i]).bytes.size;
    }
    assert_int_equal(spelled, length);
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

static void json(void **state)
{
    (void)state;
    weir_vocab *v = byte_vocab();
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_OBJECT, bytes_of(""), NULL, NULL);
    assert_non_null(g);
    expect_length(g, "", 2);  /* {} */
    expect_length(g, "{", 1); /* } */
    expect_length(g, "{}", 0);
    expect_length(g, "{\"", 4);               /* ":0} */
    expect_length(g, "{\"a\":[1,{\"b", 6);    /* ":0}]} */
    expect_length(g, "{\"a\":[[[[[", 6);      /* ]]]]]} */
    expect_length(g, "{\"a\":t", 4);          /* rue} */
    expect_length(g, "{\"a\":1e", 2);         /* 0} */
    expect_length(g, "{\"a\":\"\\u12", 4);    /* 00"} */
    expect_length(g, "{\"a\":\"\xE2\x82", 3); /* one byte of three, "} */
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static void deep(void **state)
{
    enum { DEPTH = 100000 };
    static char text[DEPTH + 1];
    (void)state;
    weir_vocab *v = byte_vocab();
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_VALUE, bytes_of(""), NULL, NULL);
    memset(text, '[', DEPTH);
    weir_matcher *m = matcher_at(g, text);
    Finisher f;
    finisher_init(&f, &m->mem);
    assert_int_equal(finisher_length(&f, &m->track.now), DEPTH);
    finisher_free(&f);
    /* more than 64 KiB */
    assert_true(weir_matcher_finish_tokens(m, NULL, 0) == SIZE_MAX);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static void choices_and_tokens(void **state)
{
    (void)state;
    const weir_bytes list[] = {bytes_of("false"), bytes_of("falsehood"),
                               bytes_of("f}}"), bytes_of("f}}}")};
    weir_vocab *v = byte_vocab();
    weir_grammar *g = weir_grammar_choice(v, list, COUNT_OF(list), NULL, NULL);
    expect_length(g, "", 3);   /* f}} */
    expect_length(g, "fa", 3); /* lse */
    expect_length(g, "false", 0);
    expect_length(g, "falseh", 3); /* ood */
    weir_matcher *m = matcher_at(g, "f");
    uint32_t ids[4] = {0};
    assert_int_equal(weir_matcher_finish_tokens(m, ids, 4), 1);
    assert_int_equal(ids[0], 258); /* the longest: }} */
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

static NodeId lit(Ir *ir, const char *text)
{
    return ir_bytes(ir, span_text(text));
}

static void counted_and_edges(void **state)
{
    (void)state;
    const Range call = {CALL, CALL};
    Mem mem = mem_from_env(NULL);
    weir_vocab *v = byte_vocab();
    Ir ir;
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    /* "<" ("a" "b"? "c"){100,200} <call> "é"{3} ">" */
    NodeId body[] = {lit(&ir, "a"), ir_optional(&ir, lit(&ir, "b")),
                     lit(&ir, "c")};
    NodeId parts[] = {lit(&ir, "<"),
                      ir_repeat(&ir, ir_seq(&ir, body, 3), 100, 200),
                      ir_tokens(&ir, &call, 1, false),
                      ir_repeat(&ir, ir_rune(&ir, 0xE9), 3, 3), lit(&ir, ">")};
    ir_rule_set(&ir, ir.root, ir_seq(&ir, parts, 5));
    weir_grammar *g = grammar_from_ir(v, &ir, NULL);
    assert_non_null(g);
    expect_length(g, "", 1 + 200 + 1 + 6 + 1);
    expect_length(g, "<", 200 + 8);
    expect_length(g, "<a", 199 + 8);
    expect_length(g, "<ab", 199 + 8);
    expect_length(g, "<acac", 196 + 8);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* Mutual recursion: a ::= "(" b ")" | "x" b "y"?   b ::= a "," | "zz" */
static void recursion(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    weir_vocab *v = byte_vocab();
    Ir ir;
    ir_init(&ir, &mem, NULL);
    RuleId a = ir_rule_new(&ir, SPAN("a"), 0);
    RuleId b = ir_rule_new(&ir, SPAN("b"), 0);
    NodeId one[] = {lit(&ir, "("), ir_ref(&ir, b), lit(&ir, ")")};
    NodeId two[] = {lit(&ir, "x"), ir_ref(&ir, b),
                    ir_optional(&ir, lit(&ir, "y"))};
    ir_rule_set(&ir, a, ir_alt2(&ir, ir_seq(&ir, one, 3), ir_seq(&ir, two, 3)));
    ir_rule_set(&ir, b,
                ir_alt2(&ir, ir_seq2(&ir, ir_ref(&ir, a), lit(&ir, ",")),
                        lit(&ir, "zz")));
    ir.root = a;
    weir_grammar *g = grammar_from_ir(v, &ir, NULL);
    assert_non_null(g);
    expect_length(g, "", 3);    /* xzz */
    expect_length(g, "(", 3);   /* zz) */
    expect_length(g, "((", 5);  /* zz),) */
    expect_length(g, "(x(", 6); /* zz),,) */
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* root ::= "<" word ">"   word ::= [a-z]{2,9}, at most so many characters or
 * tokens: the marker of a budget on the stack costs nothing. */
static void budgets(void **state)
{
    (void)state;
    const Range letters = {'a', 'z'};
    const RuleOptions budget = {.has = RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS,
                                .max_tokens = 6,
                                .max_chars = 4};
    Mem mem = mem_from_env(NULL);
    weir_vocab *v = byte_vocab();
    Ir ir;
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    RuleId word = ir_rule_new(&ir, SPAN("word"), 0);
    ir_rule_set(&ir, word,
                ir_repeat(&ir, ir_class(&ir, &letters, 1, false), 2, 9));
    ir_rule_options(&ir, word, &budget);
    NodeId parts[] = {lit(&ir, "<"), ir_ref(&ir, word), lit(&ir, ">")};
    ir_rule_set(&ir, ir.root, ir_seq(&ir, parts, 3));
    weir_grammar *g = grammar_from_ir(v, &ir, NULL);
    assert_non_null(g);
    expect_length(g, "", 4);
    expect_length(g, "<a", 2);
    expect_length(g, "<abc", 1);
    expect_length(g, "<abcd", 1);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* A vocabulary without the letter that is needed. */
static void cannot_be_spelled(void **state)
{
    (void)state;
    const weir_token tokens[] = {{bytes_of("a"), 0},
                                 {bytes_of("</s>"), WEIR_TOKEN_STOP}};
    const weir_bytes list[] = {bytes_of("ab")};
    weir_vocab *v = weir_vocab_new(NULL, tokens, 2, NULL, NULL);
    weir_grammar *g = weir_grammar_choice(v, list, 1, NULL, NULL);
    weir_matcher *m = matcher_at(g, "");
    assert_true(weir_matcher_finish_tokens(m, NULL, 0) == SIZE_MAX);
    assert_int_equal(weir_matcher_steps(m), 0);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json),
        cmocka_unit_test(deep),
        cmocka_unit_test(choices_and_tokens),
        cmocka_unit_test(counted_and_edges),
        cmocka_unit_test(recursion),
        cmocka_unit_test(budgets),
        cmocka_unit_test(cannot_be_spelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
